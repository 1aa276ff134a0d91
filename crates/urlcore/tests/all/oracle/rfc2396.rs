//! The steps of section 5.2 of RFC 2396 and of the draft of 1996, one after the other: slow, but
//! literal.

use super::rfc3986::{parse, recompose};

/// Returns the absolute form of a reference, or `(current document)` and its fragment.
/// `query_in_buffer` is true in 1996: steps 6c, 6h and 6i.
pub(crate) fn resolve(base: &str, reference: &str, query_in_buffer: bool) -> String {
    let base = parse(base);
    // Step 1
    let mut r = parse(reference);
    // Step 2
    if r.path.is_empty() && r.scheme.is_none() && r.authority.is_none() && r.query.is_none() {
        return format!("(current document){}", recompose(&r));
    }
    // Step 3
    if r.scheme.is_some() {
        return reference.to_owned();
    }
    r.scheme = base.scheme;
    // Steps 4 and 5
    if r.authority.is_none() {
        r.authority = base.authority;
        if !r.path.starts_with('/') {
            // Step 6a and 6b
            let end = base.path.rfind('/').map_or(0, |slash| slash + 1);
            let mut buffer = format!("{}{}", &base.path[..end], r.path);
            if query_in_buffer {
                if let Some(query) = &r.query {
                    buffer = format!("{buffer}?{query}");
                }
                buffer = remove_dots(&buffer);
                r.query = buffer.split_once('?').map(|(_, query)| query.to_owned());
                buffer.truncate(buffer.find('?').unwrap_or(buffer.len()));
                r.path = buffer;
            } else {
                r.path = remove_dots(&buffer);
            }
        }
    }
    // Step 7
    recompose(&r)
}

/// Removes dot segments (steps 6c to 6f of RFC 2396, 6d to 6g of 1996). The slash at the start has
/// no segment before it.
fn remove_dots(buffer: &str) -> String {
    let (slash, path) = match buffer.strip_prefix('/') {
        Some(path) => ("/", path),
        None => ("", buffer),
    };
    let mut segments: Vec<&str> = path.split('/').collect();
    let last = segments.pop().unwrap_or("");
    segments.retain(|segment| *segment != ".");
    segments.push(if last == "." { "" } else { last });
    while let Some(i) =
        (1..segments.len() - 1).find(|&i| segments[i] == ".." && segments[i - 1] != "..")
    {
        segments.drain(i - 1..=i);
    }
    if let [.., segment, ".."] = segments[..]
        && segment != ".."
    {
        segments.truncate(segments.len() - 2);
        segments.push("");
    }
    format!("{slash}{}", segments.join("/"))
}
