//! The roots of a move: `--from` and `--to`, checked before the first file is opened.

use std::path::Path;

use basectx::RetrievalUrl;
use rewrite::{PrefixMap, TargetMap};
use urlcore::scheme::{Relativity, is_reserved, relativity};
use urlcore::{Dialect, Reference};

use crate::cli::MoveArgs;
use crate::paths::Root;

/// Schemes without trees, besides those for which the specifications say so.
const WITHOUT_TREES: [&str; 11] = [
    "about",
    "blob",
    "cid",
    "data",
    "geo",
    "javascript",
    "mid",
    "sms",
    "tel",
    "urn",
    "view-source",
];

/// The move of a run.
#[derive(Debug)]
pub struct Moving {
    /// The old and new URLs of the roots.
    pub moves: PrefixMap,
    /// The pairs as interpreted, in their order.
    pub pairs: Vec<(String, String)>,
    /// Messages for the user about them.
    pub notes: Vec<String>,
}

impl Moving {
    /// Creates the move from the options.
    ///
    /// # Errors
    ///
    /// A sentence that describes the error.
    pub fn new(args: &MoveArgs) -> Result<Self, String> {
        let (n_from, n_to) = (args.from.len(), args.to.len());
        if n_from == 0 && n_to > 0 {
            return Err(format!("--to {} has no --from", args.to[0]));
        }
        if n_to == 0 && n_from > 0 {
            return Err(format!("--from {} has no --to", args.from[0]));
        }
        if n_from != n_to {
            return Err(format!(
                "each --from goes with one --to, in their order: {n_from} of the one, {n_to} of the other"
            ));
        }
        if args.from.is_empty() && args.unwrap.is_none() {
            return Err("what moves where? give --from URL and --to URL".to_owned());
        }
        if args.from.is_empty() && !args.same_as.is_empty() {
            return Err("--same-as is another URL of the tree at --from: give that too".to_owned());
        }
        let mut notes = Vec::new();
        let mut pairs = Vec::with_capacity(n_from);
        for (from, to) in args.from.iter().zip(&args.to) {
            let from = root("--from", from, args, &mut notes)?;
            let to = root("--to", to, args, &mut notes)?;
            if from == to {
                return Err(format!("--from and --to are both {from}"));
            }
            if let Some(host) = file_host(&to) {
                notes.push(format!("--to {to} is on the file server {host}"));
            }
            if has_password(&to) {
                notes.push(format!("the password in --to {to} will stand in the documents"));
            }
            pairs.push((from, to));
        }
        let same_as: Vec<String> = (args.same_as.iter())
            .map(|url| root("--same-as", url, args, &mut notes))
            .collect::<Result<_, _>>()?;
        let mut moves = PrefixMap::default();
        for (idx, (from, to)) in pairs.iter().enumerate() {
            let names = if idx == 0 { same_as.clone() } else { Vec::new() };
            moves
                .add(from, to, names)
                .map_err(|conflict| format!("--from {conflict}, and cannot move to {to} too"))?;
        }
        if args.unwrap.is_some() {
            let mut archive = PrefixMap::default();
            archive.unwrap_archive();
            let is_wrapped = |(from, _): &&(String, String)| archive.url(from) != *from;
            if let Some((from, _)) = pairs.iter().find(is_wrapped) {
                let inner = archive.url(from);
                return Err(format!("--from {from}: --unwrap takes it for {inner}; give that"));
            }
            moves.unwrap_archive();
        }
        Ok(Moving { moves, pairs, notes })
    }
}

/// Returns the URL of the only PATH, if no other option gives it: the first root, or a file in it.
/// Also returns a message for the user.
pub fn place(pairs: &[(String, String)], path: &Path) -> Option<(String, String)> {
    let (from, _) = pairs.first()?;
    if path.as_os_str() != "-" && !path.exists() {
        return None;
    }
    let root = Root::new(path.to_owned());
    let url = match &root {
        Root::Stdin => from.clone(),
        Root::Path { real, .. } if real.is_dir() => from.clone(),
        Root::Path { .. } => {
            let directory = RetrievalUrl::from_directory(from).ok()?;
            directory.join([root.name().as_os_str().as_encoded_bytes()])
        }
    };
    let name = match &root {
        Root::Stdin => "standard input".to_owned(),
        Root::Path { typed, .. } => typed.display().to_string(),
    };
    let note = format!("{name} is taken to be at {url}; --base tells otherwise");
    Some((url, note))
}

/// Returns the URL of a root, with a slash at its end.
fn root(
    option: &str,
    typed: &str,
    args: &MoveArgs,
    notes: &mut Vec<String>,
) -> Result<String, String> {
    let wrong = |reason: String| Err(format!("{option} {typed}: {reason}"));
    if typed.trim().is_empty() {
        return Err(format!("{option} is empty"));
    }
    let Some(scheme) = Reference::split(typed, Dialect::Web).scheme() else {
        return wrong(format!("this is no URL, it has no scheme{}", hint(typed)));
    };
    if scheme.len() == 1 {
        let path = typed.replace('\\', "/");
        return wrong(format!("this is a path; as a URL it is file:///{path}"));
    }
    let is_without = relativity(scheme) == Some(Relativity::Never)
        || is_reserved(scheme)
        || WITHOUT_TREES.iter().any(|name| name.eq_ignore_ascii_case(scheme));
    if is_without {
        return wrong(format!("there are no trees of the scheme {scheme}"));
    }
    let directory = match without_index(typed, args) {
        Some(directory) => directory,
        None => typed,
    };
    let url = match RetrievalUrl::from_directory(directory) {
        Ok(url) => url,
        Err(error) => return wrong(format!("{error}{}", hint(typed))),
    };
    if directory == typed && is_page(typed) {
        return wrong(format!(
            "this looks like a page; give the URL of its folder, {}",
            &typed[..typed.rfind('/').map_or(0, |at| at + 1)]
        ));
    }
    if url.as_str() != typed {
        notes.push(format!("{option} {typed} is taken as the folder {}", url.as_str()));
    }
    Ok(url.as_str().to_owned())
}

/// Returns the directory whose index page a URL identifies.
fn without_index<'u>(url: &'u str, args: &MoveArgs) -> Option<&'u str> {
    let (directory, name) = url.split_at(url.rfind('/')? + 1);
    let is_index = name == "index.html" || args.index.iter().any(|index| index == name);
    is_index.then_some(directory)
}

/// Returns a suggestion for a text that is not a URL.
fn hint(typed: &str) -> String {
    let host = typed.split(['/', ':', '?', '#']).next().unwrap_or_default();
    let is_name = host.chars().all(|char| char.is_ascii_alphanumeric() || "-.".contains(char));
    match () {
        () if typed.starts_with('.') => "; this is a path".to_owned(),
        () if typed.starts_with("//") => format!("; is it http:{typed}?"),
        () if typed.starts_with('/') => format!("; is it file://{typed}?"),
        () if is_name && (host.contains('.') || host == "localhost") => {
            format!("; is it http://{typed}?")
        }
        () => String::new(),
    }
}

/// Returns the file server that a URL names.
fn file_host(url: &str) -> Option<&str> {
    let reference = Reference::split(url, Dialect::Web);
    let is_file = reference.scheme()?.eq_ignore_ascii_case("file");
    reference.authority().filter(|host| is_file && !host.is_empty() && *host != "localhost")
}

/// Returns true if a URL without a slash at its end is that of a page, by its name.
fn is_page(url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_host = path.matches('/').count() < 3;
    let pages = ["asp", "aspx", "htm", "html", "jsp", "php", "shtml", "xhtml"];
    !is_host && pages.iter().any(|page| extension.eq_ignore_ascii_case(page))
}

/// Returns true if a URL has a password.
pub(crate) fn has_password(url: &str) -> bool {
    let authority = Reference::split(url, Dialect::Web).authority().unwrap_or_default();
    let user = authority.rfind('@').map_or("", |at| &authority[..at]);
    user.contains(':')
}
