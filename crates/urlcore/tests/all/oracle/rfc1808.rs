//! The steps of RFC 1808 (and of its draft 05) sections 2.4 and 4, one after the other: slow, but
//! literal.
//!
//! The specification leaves two things open, which are resolved here as its examples and the layout
//! of 2.1 suggest: a base without host but with `//` keeps it (`file:///a`), and a path without
//! slash after a host gets one.

/// The components of 2.1. Empty is undefined; the leading slash of the path is stored separately
/// (2.4.6).
#[derive(Clone, Debug, Default)]
struct Url {
    scheme: String,
    double_slash: bool,
    net_loc: String,
    slash: bool,
    path: String,
    params: String,
    query: String,
    fragment: String,
}

/// Truncates the text at the first `delimiter` and returns the text after it.
fn cut(text: &mut String, delimiter: char) -> String {
    let Some(at) = text.find(delimiter) else { return String::new() };
    let after = text[at + 1..].to_owned();
    text.truncate(at);
    after
}

/// Parses a URL (section 2.4).
fn parse(text: &str) -> Url {
    let mut url = Url::default();
    let mut rest = text.to_owned();
    // 2.4.1
    url.fragment = cut(&mut rest, '#');
    // 2.4.2
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+.-".contains(c)));
    if let Some(end) = end.filter(|&end| end > 0 && rest[end..].starts_with(':')) {
        url.scheme = rest[..end].to_owned();
        rest.drain(..=end);
    }
    // 2.4.3
    if rest.starts_with("//") {
        let end = rest[2..].find('/').map_or(rest.len(), |slash| slash + 2);
        url.double_slash = true;
        url.net_loc = rest[2..end].to_owned();
        rest.drain(..end);
    }
    // 2.4.4, 2.4.5
    url.query = cut(&mut rest, '?');
    url.params = cut(&mut rest, ';');
    // 2.4.6
    url.slash = rest.starts_with('/');
    url.path = rest[usize::from(url.slash)..].to_owned();
    url
}

/// Resolves a reference (section 4). The base is not empty. In draft 05 `<segment>` of steps 6c and
/// 6d may be `..` itself.
pub(crate) fn resolve(base_text: &str, embedded_text: &str, is_draft05: bool) -> String {
    let base = parse(base_text);
    let mut embedded = parse(embedded_text);
    // Step 2
    if embedded_text.is_empty() {
        return base_text.to_owned();
    }
    if !embedded.scheme.is_empty() {
        return embedded_text.to_owned();
    }
    embedded.scheme = base.scheme;
    'step7: {
        // Step 3
        if !embedded.net_loc.is_empty() {
            break 'step7;
        }
        embedded.net_loc = base.net_loc;
        embedded.double_slash = base.double_slash;
        // Step 4
        if embedded.slash {
            break 'step7;
        }
        // Step 5
        if embedded.path.is_empty() {
            embedded.slash = base.slash;
            embedded.path = base.path;
            if !embedded.params.is_empty() {
                break 'step7;
            }
            embedded.params = base.params;
            if !embedded.query.is_empty() {
                break 'step7;
            }
            embedded.query = base.query;
            break 'step7;
        }
        // Step 6
        let end = base.path.rfind('/').map_or(0, |slash| slash + 1);
        embedded.slash = base.slash;
        embedded.path = remove_dots(&format!("{}{}", &base.path[..end], embedded.path), is_draft05);
    }
    recombine(&embedded)
}

/// Removes dot segments (steps 6a to 6d).
fn remove_dots(path: &str, is_draft05: bool) -> String {
    let is_segment = |text: &str| is_draft05 || text != "..";
    let mut segments: Vec<&str> = path.split('/').collect();
    // 6a
    let last = segments.pop().unwrap_or("");
    segments.retain(|segment| *segment != ".");
    // 6b
    segments.push(if last == "." { "" } else { last });
    // 6c: the last segment has no slash after it.
    while let Some(i) =
        (1..segments.len() - 1).find(|&i| segments[i] == ".." && is_segment(segments[i - 1]))
    {
        segments.drain(i - 1..=i);
    }
    // 6d
    if let [.., segment, ".."] = segments[..]
        && is_segment(segment)
    {
        segments.truncate(segments.len() - 2);
        segments.push("");
    }
    segments.join("/")
}

/// Combines the components (step 7, with the layout of 2.1).
fn recombine(url: &Url) -> String {
    let mut text = format!("{}:", url.scheme);
    if url.double_slash {
        text.push_str("//");
        text.push_str(&url.net_loc);
    }
    if url.slash || (!url.net_loc.is_empty() && !url.path.is_empty()) {
        text.push('/');
    }
    text.push_str(&url.path);
    for (delimiter, component) in [(';', &url.params), ('?', &url.query), ('#', &url.fragment)] {
        if !component.is_empty() {
            text.push(delimiter);
            text.push_str(component);
        }
    }
    text
}
