//! The pages that the files by which a site is configured send for other URLs: `_redirects`
//! (Netlify, Cloudflare Pages), `.htaccess` (Apache), `netlify.toml`, `vercel.json`,
//! `firebase.json`, `staticwebapp.config.json` (Azure), `web.config` (IIS).

use std::path::{Path, PathBuf};

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::text;

/// A function from the text of a file to the paths of pages, as they are written there.
type Find = fn(&str) -> Vec<String>;

/// The files, and what finds pages in them.
const FILES: [(&str, Find); 7] = [
    ("_redirects", redirects),
    (".htaccess", htaccess),
    ("netlify.toml", netlify),
    ("vercel.json", |text| of_json(text, &["destination"])),
    ("firebase.json", |text| of_json(text, &["destination"])),
    ("staticwebapp.config.json", |text| of_json(text, &["rewrite"])),
    ("web.config", web_config),
];

/// Returns the pages that the files of a directory name, each with the name of the file.
pub(super) fn pages(directory: &Path) -> Vec<(PathBuf, &'static str)> {
    let mut pages = Vec::new();
    for (name, find) in FILES {
        let Some(text) = text(&directory.join(name)) else { continue };
        pages.extend(find(&text).iter().filter_map(|path| Some((below(path)?, name))));
    }
    pages
}

/// Returns the path of a page below the top of its site, as it is written in a configuration.
fn below(path: &str) -> Option<PathBuf> {
    let path = path.split(['?', '#']).next()?.strip_prefix('/')?;
    let is_page = [".html", ".htm"].iter().any(|end| path.ends_with(end));
    let is_plain = !path.contains([':', '*', '$', '%']) && !path.split('/').any(|it| it == "..");
    (is_page && is_plain).then(|| PathBuf::from(path))
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

/// `ErrorDocument`, `FallbackResource`, and a `RewriteRule` that redirects no client.
fn htaccess(text: &str) -> Vec<String> {
    let of_line = |line: &str| {
        let mut words = line.split_ascii_whitespace();
        let directive = words.next()?;
        let is = |name: &str| directive.eq_ignore_ascii_case(name);
        let path = match () {
            () if is("ErrorDocument") => words.nth(1)?,
            () if is("FallbackResource") => words.next()?,
            () if is("RewriteRule") => {
                let path = words.nth(1)?;
                let flags = words.next().unwrap_or_default().trim_matches(['[', ']']);
                let is_redirect = |flag: &str| flag.split('=').next() == Some("R");
                if flags.split(',').any(is_redirect) {
                    return None;
                }
                path
            }
            () => return None,
        };
        Some(format!("/{}", path.trim_matches('"').trim_start_matches('/')))
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
        let path = match tag.split_ascii_whitespace().next()? {
            "error" => attribute("path")?,
            "action" if attribute("type") == Some("Rewrite") => attribute("url")?,
            _ => return None,
        };
        Some(format!("/{}", path.trim_start_matches('/')))
    };
    text.split('<').filter_map(of_tag).collect()
}
