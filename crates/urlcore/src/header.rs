//! URLs in the values of header fields.
//!
//! Invariant: the spans are in the value, and a URL is the text of its span without white space.
//! Whether a field is a base, and of what, is not decided here. Sections: RFC 1808 3.1 (`Base`, and
//! its draft 05 3.2); 1996 5.1.1 (`Content-Base`, `Content-Location`); RFC 8288 3 (`Link`); HTML
//! 4.2.5.3 (`Refresh`).

use alloc::borrow::Cow;
use alloc::string::String;
use core::ops::Range;

use crate::dialect::Dialect;
use crate::scheme::without_prefix;

/// Returns the names of the header fields that declare a base, in the order of their precedence;
/// their case does not matter. 1993 and the web have none; RFC 2396 5.1.1 refers to RFC 2110, and
/// RFC 3986 5.1.2 to RFC 2557, which dropped `Content-Base`.
///
/// # Examples
///
/// ```
/// use urlcore::{Dialect, header::base_fields};
///
/// assert_eq!(base_fields(Dialect::Rfc1808), ["Base"]);
/// assert_eq!(base_fields(Dialect::UrlSyntax1996), ["Content-Base", "Content-Location"]);
/// ```
#[must_use]
pub const fn base_fields(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Url1993 | Dialect::Web => &[],
        Dialect::Rfc1808Draft05 | Dialect::Rfc1808 => &["Base"],
        Dialect::UrlSyntax1996 | Dialect::Rfc2396 => &["Content-Base", "Content-Location"],
        Dialect::Rfc3986 => &["Content-Location"],
    }
}

/// A URL in the value of a header field.
///
/// # Examples
///
/// ```
/// let url = urlcore::header::location("<a\tb>").unwrap();
/// assert_eq!((url.span, &*url.text), (1..4, "ab"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldUrl<'v> {
    /// The span of the URL in the value, in bytes, without wrapper.
    pub span: Range<usize>,
    /// The URL, without the white space in the span.
    pub text: Cow<'v, str>,
}

impl<'v> FieldUrl<'v> {
    /// Returns the URL between two offsets, trimmed, without a prefix `URL:`.
    fn within(value: &'v str, range: Range<usize>) -> Self {
        let inner =
            without_prefix(value[..range.end].get(range.start..).unwrap_or_default().trim_start());
        let start = range.end - inner.len();
        let inner = inner.trim_end();
        let text = if inner.contains(char::is_whitespace) {
            Cow::Owned(inner.chars().filter(|c| !c.is_whitespace()).collect::<String>())
        } else {
            Cow::Borrowed(inner)
        };
        FieldUrl { span: start..start + inner.len(), text }
    }
}

/// Returns the URL that is the value of `Base`, `Content-Base`, `Content-Location` or `Location`.
/// `<…>`, `<URL:…>` and quotes around it are not part of it, nor is any white space, including that
/// of folded lines. Returns `None` if nothing is left.
///
/// # Examples
///
/// ```
/// use urlcore::header::location;
///
/// let value = " <URL:http://www.ics.uci.edu/\r\n Test/a/b/c>";
/// let url = location(value).unwrap();
/// assert_eq!(url.text, "http://www.ics.uci.edu/Test/a/b/c");
/// assert_eq!(&value[url.span], "http://www.ics.uci.edu/\r\n Test/a/b/c");
/// assert_eq!(location("\"a b\"").unwrap().text, "ab");
/// assert_eq!(location("<>"), None);
/// ```
#[must_use]
pub fn location(value: &str) -> Option<FieldUrl<'_>> {
    let mut range = trimmed(value, 0..value.len());
    for (open, close) in [('"', '"'), ('<', '>')] {
        let inner =
            value[range.clone()].strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
        if inner.is_some() {
            range = trimmed(value, range.start + 1..range.end - 1);
        }
    }
    let url = FieldUrl::within(value, range);
    (!url.text.is_empty()).then_some(url)
}

/// Returns the range without the white space at its ends.
fn trimmed(value: &str, range: Range<usize>) -> Range<usize> {
    let text = &value[range.clone()];
    let start = range.end - text.trim_start().len();
    start..start + text.trim().len()
}

/// A link of a `Link` field (RFC 8288 3).
///
/// # Examples
///
/// ```
/// let link = urlcore::header::links("<a>; rel=next").next().unwrap();
/// assert_eq!((&*link.target.text, link.param("rel")), ("a", Some("next")));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link<'v> {
    /// The URL between `<` and `>`.
    pub target: FieldUrl<'v>,
    /// The text after it, up to the comma that ends the link.
    params: &'v str,
    /// The offset of `params` in the value, in bytes.
    params_start: usize,
}

impl<'v> Link<'v> {
    /// Returns the value of the first parameter with the given name, ignoring case, without quotes.
    /// Escapes in it are not decoded.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<&'v str> {
        let value = self.written_param(name)?;
        let inner = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
        Some(inner.unwrap_or(value))
    }

    /// Returns the URL in the first parameter `anchor`, the context of the link (RFC 8288 3.2).
    /// Returns `None` also if it is not quoted, or contains escapes.
    ///
    /// # Examples
    ///
    /// ```
    /// let value = "<a>; rel=next; anchor=\"#b\"";
    /// let anchor = urlcore::header::links(value).next().unwrap().anchor().unwrap();
    /// assert_eq!((&*anchor.text, &value[anchor.span]), ("#b", "#b"));
    /// ```
    #[must_use]
    pub fn anchor(&self) -> Option<FieldUrl<'v>> {
        let value = self.written_param("anchor")?;
        let inner = value.strip_prefix('"')?.strip_suffix('"')?;
        let start = inner.as_ptr() as usize - self.params.as_ptr() as usize;
        let url = FieldUrl::within(self.params, start..start + inner.len());
        let span = url.span.start + self.params_start..url.span.end + self.params_start;
        (!url.text.is_empty() && !inner.contains('\\')).then_some(FieldUrl { span, ..url })
    }

    /// Returns the span in the field of the value of the first parameter with the given name,
    /// without quotes. Returns `None` also if it is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// let value = "<a>, <b>; rel=next; title=\"c\"";
    /// let link = urlcore::header::links(value).nth(1).unwrap();
    /// assert_eq!(&value[link.param_span("title").unwrap()], "c");
    /// ```
    #[must_use]
    pub fn param_span(&self, name: &str) -> Option<Range<usize>> {
        let value = self.param(name).filter(|value| !value.is_empty())?;
        let start = value.as_ptr() as usize - self.params.as_ptr() as usize + self.params_start;
        Some(start..start + value.len())
    }

    /// Returns the value of the first parameter with the given name, as written.
    fn written_param(&self, name: &str) -> Option<&'v str> {
        let mut rest = self.params;
        while let Some((_, after)) = rest.split_once(';') {
            let end = end_of(after, ';');
            let (param, value) = match after[..end].split_once('=') {
                Some((param, value)) => (param, value.trim()),
                None => (&after[..end], ""),
            };
            if param.trim().eq_ignore_ascii_case(name) {
                return Some(value);
            }
            rest = &after[end..];
        }
        None
    }
}

/// Iterates over the links of a `Link` field (RFC 8288 3.2). Text that is not a link is skipped.
///
/// # Examples
///
/// ```
/// use urlcore::header::links;
///
/// let value = "<a.css>; rel=\"style, sheet\", < /b>; REL=next; title=\"x;y\"";
/// let found: Vec<_> =
///     links(value).map(|link| (link.target.text.clone(), link.param("rel"))).collect();
/// assert_eq!(found, [("a.css".into(), Some("style, sheet")), ("/b".into(), Some("next"))]);
/// ```
pub fn links(value: &str) -> impl Iterator<Item = Link<'_>> {
    let mut at = 0;
    core::iter::from_fn(move || {
        let open = at + value[at..].find('<')?;
        let close = open + value[open..].find('>')?;
        let params = &value[close + 1..];
        let params = &params[..end_of(params, ',')];
        at = close + 1 + params.len();
        let params_start = close + 1;
        Some(Link { target: FieldUrl::within(value, open + 1..close), params, params_start })
    })
}

/// Returns the length of the text up to the first delimiter outside quotes.
fn end_of(text: &str, delimiter: char) -> usize {
    let (mut quoted, mut escaped) = (false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if c == delimiter && !quoted => return at,
            _ => {}
        }
    }
    text.len()
}

/// The position of the URL in a refresh (HTML 4.2.5.3).
///
/// # Examples
///
/// ```
/// let found = urlcore::header::refresh("5; url='a'").unwrap();
/// assert_eq!((found.span, found.quote, found.is_explicit), (8..9, Some(b'\''), true));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refresh {
    /// The span of the URL in the value, in bytes, without quotes. It may include tabs and line
    /// ends: browsers remove them when they parse the URL.
    pub span: Range<usize>,
    /// The quote before the URL, `'` or `"`. The one after it may be missing.
    pub quote: Option<u8>,
    /// True if `url=` precedes the URL. Only then it may be empty.
    pub is_explicit: bool,
}

/// Finds the URL of a `Refresh` field, or of a `meta` refresh: `5; url=next.html`,
/// `0;URL='next.html'`, `5, next.html` (HTML 4.2.5.3, "shared declarative refresh steps"). Returns
/// `None` if the value refreshes the document itself, or is invalid.
///
/// # Examples
///
/// ```
/// use urlcore::header::refresh;
///
/// let url = |value: &'static str| refresh(value).map(|found| &value[found.span]);
/// assert_eq!(url("5; url=next.html"), Some("next.html"));
/// assert_eq!(url("0;URL = 'a b' c"), Some("a b"));
/// assert_eq!(url("5"), None);
/// assert_eq!(url("x; url=y"), None);
/// ```
#[must_use]
pub fn refresh(value: &str) -> Option<Refresh> {
    let skip = |at: usize, is: fn(u8) -> bool| {
        let rest = &value.as_bytes()[at..];
        at + rest.iter().position(|byte| !is(*byte)).unwrap_or(rest.len())
    };
    let is_space: fn(u8) -> bool = |byte| byte.is_ascii_whitespace();
    let byte_at = |at: usize| value.as_bytes().get(at).copied();

    let start = skip(0, is_space);
    let digits = skip(start, |byte| byte.is_ascii_digit());
    if digits == start && byte_at(start) != Some(b'.') {
        return None;
    }
    let mut at = skip(digits, |byte| byte.is_ascii_digit() || byte == b'.');
    let byte = byte_at(at)?;
    if byte != b';' && byte != b',' && !byte.is_ascii_whitespace() {
        return None;
    }
    at = skip(at, is_space);
    if matches!(byte_at(at), Some(b';' | b',')) {
        at = skip(at + 1, is_space);
    }
    let bare = at;
    let mut is_explicit = false;
    if value.get(at..at + 3).is_some_and(|word| word.eq_ignore_ascii_case("url")) {
        let equals = skip(at + 3, is_space);
        if byte_at(equals) == Some(b'=') {
            at = skip(equals + 1, is_space);
            is_explicit = true;
        }
    }
    let quote = byte_at(at).filter(|byte| matches!(byte, b'"' | b'\''));
    let range = match quote {
        Some(quote) => {
            let rest = &value[at + 1..];
            at + 1..at + 1 + rest.find(char::from(quote)).unwrap_or(rest.len())
        }
        None => (if is_explicit { at } else { bare })..value.len(),
    };
    let text = &value[range.clone()];
    let is_trimmed = |c: char| c <= ' ';
    let start = range.end - text.trim_start_matches(is_trimmed).len();
    let span = start..start + text.trim_matches(is_trimmed).len();
    (is_explicit || !span.is_empty()).then_some(Refresh { span, quote, is_explicit })
}

/// Returns the strings that are the members of a list or of a dictionary (RFC 9651, sections 3.1
/// and 3.2), such as the URLs of `Speculation-Rules` and `Reporting-Endpoints`, without quotes. A
/// string with a backslash is left out.
///
/// # Examples
///
/// ```
/// use urlcore::header::strings;
///
/// let value = "a=\"/x\";p=\"no\", b=\"https://h/y\", c, \"/z\"";
/// let urls: Vec<_> = strings(value).map(|url| &value[url.span]).collect();
/// assert_eq!(urls, ["/x", "https://h/y", "/z"]);
/// ```
pub fn strings(value: &str) -> impl Iterator<Item = FieldUrl<'_>> {
    let mut at = 0;
    core::iter::from_fn(move || {
        while at < value.len() {
            let member = at..end_of_member(value, at);
            at = member.end + 1;
            if let Some(range) = string_of(value, member) {
                return Some(FieldUrl { span: range.clone(), text: Cow::Borrowed(&value[range]) });
            }
        }
        None
    })
}

/// Returns the end of the member of a list that begins at `at`: a comma outside of strings.
fn end_of_member(value: &str, at: usize) -> usize {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let end = value.as_bytes()[at..].iter().position(|byte| {
        match byte {
            _ if core::mem::take(&mut is_escaped) => {}
            b'\\' => is_escaped = is_quoted,
            b'"' => is_quoted = !is_quoted,
            b',' if !is_quoted => return true,
            _ => {}
        }
        false
    });
    end.map_or(value.len(), |end| at + end)
}

/// Returns the range of the string that is the value of a member.
fn string_of(value: &str, member: Range<usize>) -> Option<Range<usize>> {
    let text = &value[member.clone()];
    let quote = text.find('"')?;
    let key = text[..quote].trim();
    if !key.is_empty() && key.find('=') != Some(key.len() - 1) {
        return None;
    }
    let start = member.start + quote + 1;
    let end = start + value[start..member.end].find('"')?;
    (start < end && !value[start..end].contains('\\')).then_some(start..end)
}
