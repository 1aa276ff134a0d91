//! SURT keys: a URL with the labels of its host in reverse order, by which the indexes of web
//! archives are sorted. The canonical form is that of the library `surt` of the Internet Archive,
//! which Common Crawl and pywb use.

use alloc::string::String;
use alloc::vec::Vec;

use crate::dialect::Dialect;
use crate::scan::escaped_byte;
use crate::split::Reference;

/// Returns the SURT key of a URL in the normal form of [`Dialect::Web`], with its host in ASCII;
/// `None` if it has no host.
///
/// The key has neither scheme, user and fragment, nor a first label `www`, `www2`. Path and query
/// are unescaped as often as that changes them, escaped once, and in lower case. The path has no
/// empty segments and no `/` at its end; the parameters of the query are sorted. Session
/// identifiers of Java, PHP, ASP and ColdFusion are removed.
///
/// # Examples
///
/// ```
/// use urlcore::surt_key;
///
/// let key = surt_key("https://www.example.org:8080/A//%62/?d=2&c=1#e");
/// assert_eq!(key.as_deref(), Some("org,example:8080)/a/b?c=1&d=2"));
/// assert_eq!(surt_key("mailto:a@example.org"), None);
/// ```
#[must_use]
pub fn surt_key(url: &str) -> Option<String> {
    let reference = Reference::split(url, Dialect::Web);
    let server = reference.server().filter(|server| !server.host.is_empty())?;
    let host = server.host.to_ascii_lowercase();
    let mut key = String::with_capacity(url.len());
    for label in without_www(&host).rsplit('.').filter(|label| !label.is_empty()) {
        if !key.is_empty() {
            key.push(',');
        }
        key.push_str(label);
    }
    if let Some(port) = server.port.filter(|port| !port.is_empty()) {
        key.push(':');
        key.push_str(port);
    }
    key.push(')');
    key.push_str(&canonical_path(reference.path()));
    let query = canonical_query(reference.query().unwrap_or_default());
    if !query.is_empty() {
        key.push('?');
        key.push_str(&query);
    }
    Some(key)
}

fn without_www(host: &str) -> &str {
    let rest = host.strip_prefix("www").map(|rest| rest.trim_start_matches(is_digit));
    rest.and_then(|rest| rest.strip_prefix('.')).unwrap_or(host)
}

fn is_digit(char: char) -> bool {
    char.is_ascii_digit()
}

fn canonical_path(path: &str) -> String {
    let path = unescaped(path);
    let mut segments: Vec<&[u8]> = Vec::new();
    for segment in path.split(|byte| *byte == b'/').skip(1) {
        match segment {
            b"." => {}
            b".." => {
                segments.pop();
            }
            _ => segments.push(segment),
        }
    }
    segments.retain(|segment| !segment.is_empty());
    remove_path_session(&mut segments, is_nested_session);
    remove_path_session(&mut segments, |segment| in_parentheses(segment).is_some_and(is_session));
    let mut canonical = String::from("/");
    for (idx, segment) in segments.iter().enumerate() {
        if idx > 0 {
            canonical.push('/');
        }
        push_escaped(&mut canonical, segment);
    }
    canonical
}

/// Removes the last segment that is a session, if the extension of ASP.NET and a character before
/// it follow.
fn remove_path_session(segments: &mut Vec<&[u8]>, is: impl Fn(&[u8]) -> bool) {
    let extension =
        |segment: &[u8]| segment.windows(5).rposition(|part| part.eq_ignore_ascii_case(b".aspx"));
    let last = |(idx, segment): (usize, &&[u8])| Some((idx, extension(segment)?));
    let Some((page, at)) = segments.iter().enumerate().rev().find_map(last) else { return };
    let end = if at > 0 { page } else { page.saturating_sub(1) };
    if let Some(idx) = segments[..end].iter().rposition(|segment| is(segment)) {
        segments.remove(idx);
    }
}

fn in_parentheses(text: &[u8]) -> Option<&[u8]> {
    text.strip_prefix(b"(")?.strip_suffix(b")")
}

fn is_session(text: &[u8]) -> bool {
    text.len() == 24 && text.iter().all(u8::is_ascii_alphanumeric)
}

/// Returns true for `(A(…)F(…))`.
fn is_nested_session(segment: &[u8]) -> bool {
    let parts = in_parentheses(segment).unwrap_or_default();
    let is_part = |part: &[u8]| {
        part[0].is_ascii_alphabetic() && in_parentheses(&part[1..]).is_some_and(is_session)
    };
    !parts.is_empty() && parts.len() % 27 == 0 && parts.chunks(27).all(is_part)
}

fn canonical_query(query: &str) -> String {
    let mut text = String::with_capacity(query.len());
    push_escaped(&mut text, &unescaped(query));
    for name in ["jsessionid=", "phpsessid=", "sid="] {
        remove_session(&mut text, |parameter| {
            let (head, value) = parameter.split_at_checked(parameter.len().checked_sub(32)?)?;
            let is_value = value.bytes().all(|byte| byte.is_ascii_alphanumeric());
            head.strip_suffix(name).filter(|_| is_value).map(str::len)
        });
    }
    remove_session(&mut text, |parameter| {
        let (head, value) = parameter.split_at_checked(parameter.len().checked_sub(24)?)?;
        let (head, name) = head.split_at_checked(head.len().checked_sub(9)?)?;
        let mut letters = name.strip_suffix('=')?.bytes().chain(value.bytes());
        let is_value = letters.all(|byte| byte.is_ascii_alphabetic());
        head.strip_suffix("aspsessionid").filter(|_| is_value).map(str::len)
    });
    remove_coldfusion(&mut text);
    let mut parameters: Vec<(&str, Option<&str>)> = text
        .split('&')
        .map(|parameter| match parameter.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (parameter, None),
        })
        .collect();
    parameters.sort_unstable();
    let mut sorted = String::with_capacity(text.len());
    for (idx, (name, value)) in parameters.iter().enumerate() {
        if idx > 0 {
            sorted.push('&');
        }
        sorted.push_str(name);
        if let Some(value) = value {
            sorted.push('=');
            sorted.push_str(value);
        }
    }
    sorted
}

/// Removes the last session, and the `&` after it: `start` returns where it starts in a parameter,
/// with which it ends.
fn remove_session(query: &mut String, start: impl Fn(&str) -> Option<usize>) {
    let mut end = query.len();
    for parameter in query.rsplit('&') {
        let from = end - parameter.len();
        if let Some(start) = start(parameter) {
            query.replace_range(from + start..(end + 1).min(query.len()), "");
            return;
        }
        end = from.saturating_sub(1);
    }
}

/// Removes the last `cfid=…&cftoken=…`, and the `&` after it.
fn remove_coldfusion(query: &mut String) {
    let (mut end, mut after) = (query.len(), None);
    for parameter in query.rsplit('&') {
        let from = end - parameter.len();
        let name = parameter.strip_suffix(|_| true).and_then(|head| head.rfind("cfid="));
        if let (Some(start), Some(after)) = (name, after) {
            query.replace_range(from + start..after, "");
            return;
        }
        let is_token = parameter.len() > 8 && parameter.starts_with("cftoken=");
        after = is_token.then_some((end + 1).min(query.len()));
        end = from.saturating_sub(1);
    }
}

/// Returns a text, unescaped until it has no escape.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for byte in text.bytes() {
        bytes.push(byte);
        // The byte of an escape may complete another one.
        while let Some(start) = bytes.len().checked_sub(3)
            && bytes[start] == b'%'
            && let Some(byte) = escaped_byte(&bytes[start + 1..])
        {
            bytes.truncate(start);
            bytes.push(byte);
        }
    }
    bytes
}

/// Adds bytes in lower case, those escaped that are no visible characters of ASCII, and `#`, `%`.
fn push_escaped(text: &mut String, bytes: &[u8]) {
    for byte in bytes.iter().map(u8::to_ascii_lowercase) {
        if byte.is_ascii_graphic() && !matches!(byte, b'#' | b'%') {
            text.push(char::from(byte));
        } else {
            text.push('%');
            for digit in [byte >> 4, byte & 15] {
                text.extend(char::from_digit(digit.into(), 16));
            }
        }
    }
}
