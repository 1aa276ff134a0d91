//! The pseudo-code of RFC 3986 5.2.2, 5.2.3, 5.2.4 and 5.3, letter by letter: slow, but literal.

/// The components of RFC 3986 3; the path is never undefined.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Uri {
    pub(crate) scheme: Option<String>,
    pub(crate) authority: Option<String>,
    pub(crate) path: String,
    pub(crate) query: Option<String>,
    pub(crate) fragment: Option<String>,
}

/// Splits a text as the regular expression of appendix B does:
/// `^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?`.
pub(crate) fn parse(text: &str) -> Uri {
    let mut uri = Uri::default();
    let mut rest = text;
    let end = rest.find([':', '/', '?', '#']).unwrap_or(rest.len());
    if end > 0 && rest[end..].starts_with(':') {
        uri.scheme = Some(rest[..end].to_owned());
        rest = &rest[end + 1..];
    }
    if let Some(after) = rest.strip_prefix("//") {
        let end = after.find(['/', '?', '#']).unwrap_or(after.len());
        uri.authority = Some(after[..end].to_owned());
        rest = &after[end..];
    }
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    uri.path = rest[..end].to_owned();
    rest = &rest[end..];
    if let Some(after) = rest.strip_prefix('?') {
        let end = after.find('#').unwrap_or(after.len());
        uri.query = Some(after[..end].to_owned());
        rest = &after[end..];
    }
    uri.fragment = rest.strip_prefix('#').map(str::to_owned);
    uri
}

/// Resolves a reference (5.2.2, strict).
pub(crate) fn transform(base: &Uri, r: &Uri) -> Uri {
    let mut t = Uri::default();
    if r.scheme.is_some() {
        t.scheme = r.scheme.clone();
        t.authority = r.authority.clone();
        t.path = remove_dot_segments(&r.path);
        t.query = r.query.clone();
    } else {
        if r.authority.is_some() {
            t.authority = r.authority.clone();
            t.path = remove_dot_segments(&r.path);
            t.query = r.query.clone();
        } else {
            if r.path.is_empty() {
                t.path = base.path.clone();
                if r.query.is_some() {
                    t.query = r.query.clone();
                } else {
                    t.query = base.query.clone();
                }
            } else {
                if r.path.starts_with('/') {
                    t.path = remove_dot_segments(&r.path);
                } else {
                    t.path = merge(base, r);
                    t.path = remove_dot_segments(&t.path);
                }
                t.query = r.query.clone();
            }
            t.authority = base.authority.clone();
        }
        t.scheme = base.scheme.clone();
    }
    t.fragment = r.fragment.clone();
    t
}

/// Merges two paths (5.2.3).
fn merge(base: &Uri, r: &Uri) -> String {
    if base.authority.is_some() && base.path.is_empty() {
        format!("/{}", r.path)
    } else {
        let end = base.path.rfind('/').map_or(0, |slash| slash + 1);
        format!("{}{}", &base.path[..end], r.path)
    }
}

/// Removes dot segments (5.2.4).
pub(crate) fn remove_dot_segments(path: &str) -> String {
    let mut input = path.to_owned();
    let mut output = String::new();
    while !input.is_empty() {
        if let Some(rest) = input.strip_prefix("../").or_else(|| input.strip_prefix("./")) {
            // A
            input = rest.to_owned();
        } else if let Some(rest) = input.strip_prefix("/./") {
            // B
            input = format!("/{rest}");
        } else if input == "/." {
            input = "/".to_owned();
        } else if let Some(rest) = input.strip_prefix("/../") {
            // C
            input = format!("/{rest}");
            output.truncate(output.rfind('/').unwrap_or(0));
        } else if input == "/.." {
            input = "/".to_owned();
            output.truncate(output.rfind('/').unwrap_or(0));
        } else if input == "." || input == ".." {
            // D
            input.clear();
        } else {
            // E
            let start = usize::from(input.starts_with('/'));
            let end = input[start..].find('/').map_or(input.len(), |slash| start + slash);
            output.push_str(&input[..end]);
            input.drain(..end);
        }
    }
    output
}

/// Composes the components (5.3).
pub(crate) fn recompose(uri: &Uri) -> String {
    let mut result = String::new();
    if let Some(scheme) = &uri.scheme {
        result.push_str(scheme);
        result.push(':');
    }
    if let Some(authority) = &uri.authority {
        result.push_str("//");
        result.push_str(authority);
    }
    result.push_str(&uri.path);
    if let Some(query) = &uri.query {
        result.push('?');
        result.push_str(query);
    }
    if let Some(fragment) = &uri.fragment {
        result.push('#');
        result.push_str(fragment);
    }
    result
}
