//! The pages that the files by which a site is configured send for other URLs: `_redirects`
//! (Netlify, Cloudflare Pages), `.htaccess` (Apache), `netlify.toml`, `vercel.json`,
//! `firebase.json`, `staticwebapp.config.json` (Azure), `web.config` (IIS).

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::files::walk;
use crate::os::paths::Root;
use crate::os::store::Store;

/// The size in bytes above which a file is not searched for names of pages.
const MOST: u64 = 1 << 20;

/// Returns the bytes of what a path leads to.
pub(super) fn read(store: &dyn Store, path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    store.open_target(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the text of a small file.
pub(super) fn text(store: &dyn Store, path: &Path) -> Option<String> {
    let is_small = store.target(path).ok()?.1 <= MOST;
    let bytes = is_small.then(|| read(store, path).ok()).flatten()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A function from the text of a file to the paths of pages, as they are written there.
type FindPaths = fn(&str) -> Vec<String>;

/// The files at the top of a tree, and what finds pages in them.
const AT_TOP: [(&str, FindPaths); 5] = [
    ("_redirects", redirects),
    ("netlify.toml", netlify),
    ("vercel.json", |text| of_json(text, &["destination"])),
    ("firebase.json", |text| of_json(text, &["destination"])),
    ("staticwebapp.config.json", |text| of_json(text, &["rewrite"])),
];

/// Those in any directory, for what is below it.
const IN_EACH: [(&str, FindPaths); 2] = [(".htaccess", htaccess), ("web.config", web_config)];

/// Returns the pages that the files of a tree name, each with the path of the file. `top` is the
/// path of the tree's URL: a path in such a file begins at the root of the host.
pub(super) fn pages(
    root: &Root,
    store: &dyn Store,
    directory: &Path,
    top: &str,
) -> Vec<(PathBuf, PathBuf)> {
    let at_top = AT_TOP.iter().map(|(name, find)| (PathBuf::from(name), find));
    let in_each = walk::entries(std::slice::from_ref(root)).flatten().filter_map(|entry| {
        let name = entry.below.file_name().and_then(OsStr::to_str)?;
        let (_, find) = IN_EACH.iter().find(|(configuration, _)| *configuration == name)?;
        Some((entry.below, find))
    });
    let mut pages = Vec::new();
    for (file, find) in at_top.chain(in_each) {
        let Some(text) = text(store, &directory.join(&file)) else { continue };
        for path in find(&text) {
            pages.extend(below(&path, &file, top).map(|page| (page, file.clone())));
        }
    }
    pages
}

/// Returns the path of a page below the top of its tree, as it is written in a file: from the root
/// of the host, which may be the top of the tree, or from the directory of the file.
fn below(path: &str, file: &Path, top: &str) -> Option<PathBuf> {
    let path = path.split(['?', '#']).next()?;
    let is_page = [".html", ".htm"].iter().any(|end| path.ends_with(end));
    let is_plain = !path.contains([':', '*', '$', '%']) && !path.split('/').any(|it| it == "..");
    let page = match path.strip_prefix(top).or(path.strip_prefix('/')) {
        Some(path) => PathBuf::from(path),
        None => file.with_file_name(path),
    };
    (is_page && is_plain).then_some(page)
}

/// Rules with a status of success or of an error, by which no client is sent elsewhere.
fn redirects(text: &str) -> Vec<String> {
    let of_line = |line: &str| {
        let mut words = line.split_ascii_whitespace().take_while(|word| !word.starts_with('#'));
        let to = words.by_ref().skip(1).find(|word| word.starts_with('/'))?.to_owned();
        let status = words.next()?.trim_end_matches('!');
        matches!(status, "200" | "404").then_some(to)
    };
    text.lines().filter_map(of_line).collect()
}

/// `ErrorDocument`, `FallbackResource`, and a `RewriteRule` that redirects no client, whose path
/// may be relative to the `RewriteBase`.
fn htaccess(text: &str) -> Vec<String> {
    let base = text.lines().find_map(|line| {
        let mut words = line.split_ascii_whitespace();
        words.next()?.eq_ignore_ascii_case("RewriteBase").then(|| words.next())?
    });
    let base = base.unwrap_or_default();
    let of_line = |line: &str| {
        let mut words = line.split_ascii_whitespace();
        let directive = words.next()?;
        let is = |name: &str| directive.eq_ignore_ascii_case(name);
        let unquoted = |word: &str| word.trim_matches('"').to_owned();
        Some(match () {
            // Anything else is the text of a message, or another host.
            () if is("ErrorDocument") => {
                Some(unquoted(words.nth(1)?)).filter(|path| path.starts_with('/'))?
            }
            () if is("FallbackResource") => unquoted(words.next()?),
            () if is("RewriteRule") => {
                let path = words.nth(1)?;
                let flags = words.next().unwrap_or_default().trim_matches(['[', ']']);
                let is_redirect = |flag: &str| flag.split('=').next() == Some("R");
                if flags.split(',').any(is_redirect) {
                    return None;
                }
                let path = unquoted(path);
                if path.starts_with('/') { path } else { format!("{base}{path}") }
            }
            () => return None,
        })
    };
    text.lines().filter_map(of_line).collect()
}

/// `[[redirects]]` with a status of success or of an error.
fn netlify(text: &str) -> Vec<String> {
    let Ok(settings) = DeTable::parse(text) else { return Vec::new() };
    let Some(DeValue::Array(rules)) = settings.get_ref().get("redirects").map(Spanned::get_ref)
    else {
        return Vec::new();
    };
    let of_rule = |rule: &Spanned<DeValue<'_>>| {
        let DeValue::Table(rule) = rule.get_ref() else { return None };
        let DeValue::Integer(status) = rule.get("status")?.get_ref() else { return None };
        let DeValue::String(to) = rule.get("to")?.get_ref() else { return None };
        matches!(status.as_str(), "200" | "404").then(|| to.to_string())
    };
    rules.iter().filter_map(of_rule).collect()
}

/// The strings of members with these names, at any depth, outside of redirects.
fn of_json(text: &str, names: &[&str]) -> Vec<String> {
    let Ok(document) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let (mut found, mut open) = (Vec::new(), vec![&document]);
    while let Some(value) = open.pop() {
        match value {
            Value::Array(list) => open.extend(list),
            Value::Object(members) => {
                for (name, value) in members {
                    match value {
                        Value::String(path) if names.contains(&name.as_str()) => {
                            found.push(path.clone());
                        }
                        // These send a client elsewhere.
                        _ if name == "redirects" => {}
                        value => open.push(value),
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// The `path` of an `error`, and the `url` of an action that rewrites.
fn web_config(text: &str) -> Vec<String> {
    let of_tag = |tag: &str| {
        let attribute = |name: &str| {
            let rest = tag.split_once(&format!(" {name}=\""))?.1;
            rest.split('"').next()
        };
        match tag.split_ascii_whitespace().next()? {
            "error" => attribute("path").map(str::to_owned),
            "action" if attribute("type") == Some("Rewrite") => attribute("url").map(str::to_owned),
            _ => None,
        }
    };
    text.split('<').filter_map(of_tag).collect()
}
