//! Appendix 1.2 of the draft of 1993, by text replacement: slow, but literal.
//!
//! It is read as implementations followed it (libwww 2.12, and the examples of RFC 1630): "/xxx/.."
//! and "/." are removed with the slash before them. The draft does not define empty partial forms;
//! they are the current object, as an empty fragment is (1.1).

use super::rfc3986::{Uri, parse};

/// Returns the full form of a partial one, or `(current document)` and its fragment.
pub(crate) fn resolve(context: &str, partial: &str) -> String {
    let (context, r) = (parse(context), parse(partial));
    let fragment = r.fragment.clone().filter(|fragment| !fragment.is_empty());
    let fragment = fragment.map_or(String::new(), |fragment| format!("#{fragment}"));
    // "If the scheme parts are different, the whole absolute locator must be given."
    if r.scheme.is_some() {
        return partial.to_owned();
    }
    if r.authority.is_none() && r.path.is_empty() && r.query.is_none() {
        return format!("(current document){fragment}");
    }
    let scheme = context.scheme.clone().unwrap_or_default();
    // "If the host and/or port parts are different, the host, port name and all the rest must be
    // given."
    let query = r.query.as_ref().map_or(String::new(), |query| format!("?{query}"));
    if let Some(authority) = &r.authority {
        return format!("{scheme}://{authority}{}{query}{fragment}", r.path);
    }
    let host = context.authority.as_ref().map_or(String::new(), |host| format!("//{host}"));
    // "If a leading slash is present, the path is absolute."
    if r.path.starts_with('/') {
        return format!("{scheme}:{host}{}{query}{fragment}", r.path);
    }
    let path = remove_dots(&format!("{}{}{query}", directory(&context), r.path));
    format!("{scheme}:{host}{path}{fragment}")
}

/// Returns the path of which "the last part of the path of the context locator (anything following
/// the rightmost slash) is removed"; a slash separates a host from a path (BNF).
fn directory(context: &Uri) -> String {
    if context.authority.is_some() && context.path.is_empty() {
        return "/".to_owned();
    }
    let end = context.path.rfind('/').map_or(0, |slash| slash + 1);
    context.path[..end].to_owned()
}

/// Removes dot segments: "All occurrences of "xxx/.." or "/." are recursively removed, where xxx,
/// ".." and "." are complete path elements."
fn remove_dots(path: &str) -> String {
    let mut elements: Vec<&str> = path.split('/').collect();
    // The leftmost first.
    while let Some(i) = (0..elements.len()).find(|&i| {
        let is_climbed = !["", ".", ".."].contains(&elements[i]);
        // A "." has a slash before it, or one after it.
        (elements[i] == "." && elements.len() > 1)
            || (is_climbed && elements.get(i + 1) == Some(&".."))
    }) {
        let n = if elements[i] == "." { 1 } else { 2 };
        elements.drain(i..i + n);
    }
    elements.join("/")
}
