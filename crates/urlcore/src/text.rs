//! URLs in plain text, wrapped or bare.
//!
//! Invariant: the spans are in the text, in its order, and do not overlap; each byte is read a
//! bounded number of times. The content of a wrapper is a URL only if it has a scheme. Sections:
//! 1993 1.3 (`<…>`); RFC 1738, appendix (`<URL:…>`); 1996 appendix E (quotes, `<…>`, white space,
//! line breaks after hyphens).

use alloc::borrow::Cow;
use alloc::string::String;
use core::ops::Range;

use crate::scheme::{default_port, is_known, without_prefix};

/// The delimiters around a URL in text.
///
/// # Examples
///
/// ```
/// use urlcore::text::{Wrapper, find};
///
/// assert_eq!(find("see \"http://h/\"").next().unwrap().wrapper, Wrapper::Quotes);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wrapper {
    /// `<…>` or `<URL:…>`.
    Angle,
    /// `"…"`.
    Quotes,
    /// White space, or punctuation that is not part of the URL.
    Bare,
}

/// A URL in text.
///
/// # Examples
///
/// ```
/// let found = urlcore::text::find("see <URL:http://h/>").next().unwrap();
/// assert_eq!((found.span, found.wrapped), (9..18, 4..19));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundUrl<'t> {
    /// The span of the URL in bytes, without wrapper and prefix.
    pub span: Range<usize>,
    /// The span of the URL with wrapper and prefix.
    pub wrapped: Range<usize>,
    /// The URL: the text in the span without the white space in it.
    pub url: Cow<'t, str>,
    /// The URL without hyphens at line ends, if it has any: a typesetter may have inserted them
    /// (1996 appendix E).
    pub without_hyphens: Option<String>,
    /// The delimiters around the URL.
    pub wrapper: Wrapper,
}

/// Finds the URLs in a text (1996 appendix E). Wrapped ones may have any scheme if `//` or the
/// prefix `URL:` marks them as URLs, else a known one. Bare ones end before white space, `<`, `>`,
/// `"` and characters that no URL has; punctuation at their end is not part of them.
///
/// # Examples
///
/// ```
/// use urlcore::text::{Wrapper, find};
///
/// let text = "It is under \"http://www.w3.org/pub/WWW/\",\n\
///             or from <ftp://ds.internic.\nnet/rfc/>. See (http://h/).";
/// let found: Vec<_> = find(text).map(|found| (found.url.into_owned(), found.wrapper)).collect();
/// assert_eq!(found, [
///     ("http://www.w3.org/pub/WWW/".to_owned(), Wrapper::Quotes),
///     ("ftp://ds.internic.net/rfc/".to_owned(), Wrapper::Angle),
///     ("http://h/".to_owned(), Wrapper::Bare),
/// ]);
/// let found = find("<URL:http://test.com/long-\n   name>").next().unwrap();
/// assert_eq!(found.url, "http://test.com/long-name");
/// assert_eq!(found.without_hyphens.as_deref(), Some("http://test.com/longname"));
/// ```
pub fn find(text: &str) -> impl Iterator<Item = FoundUrl<'_>> {
    let mut search = UrlSearch { text, at: 0 };
    core::iter::from_fn(move || search.next())
}

struct UrlSearch<'t> {
    text: &'t str,
    /// The offset up to which the text was searched.
    at: usize,
}

impl<'t> UrlSearch<'t> {
    fn next(&mut self) -> Option<FoundUrl<'t>> {
        let mut from = self.at;
        loop {
            let at = from + self.text[from..].find(['<', '"', ':'])?;
            let found = match self.text.as_bytes()[at] {
                b'<' => self.wrapped(at, Wrapper::Angle),
                b'"' => self.wrapped(at, Wrapper::Quotes),
                _ => self.bare(at),
            };
            if let Some(found) = found {
                self.at = found.wrapped.end;
                return Some(found);
            }
            from = at + 1;
        }
    }

    /// Returns the URL in the wrapper that begins at `open`.
    fn wrapped(&self, open: usize, wrapper: Wrapper) -> Option<FoundUrl<'t>> {
        let inside = &self.text[open + 1..];
        let trimmed = inside.trim_start();
        let unprefixed = without_prefix(trimmed);
        let has_prefix = unprefixed.len() < trimmed.len();
        let start = self.text.len() - unprefixed.len();
        let scheme = scheme_at_start(unprefixed)?;
        // The wrapper ends at the first delimiter, and contains none.
        let delimiters = if wrapper == Wrapper::Angle { &['<', '>'][..] } else { &['"'] };
        let close = start + self.text[start..].find(delimiters)?;
        if self.text.as_bytes()[close] == b'<' {
            return None;
        }
        let raw = self.text[start..close].trim_end();
        let after = &raw[scheme.len() + 1..];
        if raw.contains(|c: char| c.is_control() && !c.is_whitespace()) {
            return None;
        }
        let is_meant = has_prefix || after.starts_with("//") || is_known(scheme);
        if !is_meant
            || after.trim_start().is_empty()
            || (wrapper == Wrapper::Quotes && !has_only_line_breaks(raw))
        {
            return None;
        }
        let (url, without_hyphens) = joined(raw, true);
        Some(FoundUrl {
            span: start..start + raw.len(),
            wrapped: open..close + 1,
            url,
            without_hyphens,
            wrapper,
        })
    }

    /// Returns the bare URL whose scheme ends at `colon`.
    fn bare(&self, colon: usize) -> Option<FoundUrl<'t>> {
        let scheme = scheme_at_end(&self.text[self.at..colon])?;
        let start = colon - scheme.len();
        let after = &self.text[colon + 1..];
        // `http:x` is more likely a word and a colon.
        let is = |name: &str| scheme.eq_ignore_ascii_case(name);
        let needs_slashes =
            !is_known(scheme) || (default_port(scheme).is_some() && !is("nntp")) || is("file");
        if (needs_slashes && !after.starts_with("//")) || scheme.eq_ignore_ascii_case("url") {
            return None;
        }
        let is_part = |c: char| match c {
            '<' | '>' | '"' | '`' | '{' | '}' | '|' | '\\' | '^' => false,
            _ if c.is_ascii() => c.is_ascii_graphic(),
            _ => !c.is_whitespace() && !c.is_control() && !is_punctuation(c),
        };
        let end = after.find(|c| !is_part(c)).unwrap_or(after.len());
        let rest = without_punctuation(&after[..end]);
        if rest.trim_matches('/').is_empty() {
            return None;
        }
        let span = start..colon + 1 + rest.len();
        let url = Cow::Borrowed(&self.text[span.clone()]);
        Some(FoundUrl {
            wrapped: span.clone(),
            span,
            url,
            without_hyphens: None,
            wrapper: Wrapper::Bare,
        })
    }
}

/// Returns true for quotes, brackets, dashes and stops above ASCII, which end a sentence or a bare
/// URL.
fn is_punctuation(c: char) -> bool {
    matches!(
        c,
        '\u{AB}' | '\u{BB}' | '\u{2013}'..='\u{2026}' | '\u{2039}' | '\u{203A}' | '\u{FFFD}'
    ) || matches!(c, '\u{3001}' | '\u{3002}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301F}')
        || matches!(
            c,
            '\u{FF01}'
                | '\u{FF08}'
                | '\u{FF09}'
                | '\u{FF0C}'
                | '\u{FF0E}'
                | '\u{FF1A}'
                | '\u{FF1B}'
                | '\u{FF1F}'
        )
}

/// Returns true for the characters of schemes (RFC 3986 3.1).
fn is_scheme_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')
}

/// The length of the longest scheme that is searched for, in bytes.
const LONGEST_SCHEME: usize = 40;

/// Returns the scheme at the start of a text.
fn scheme_at_start(text: &str) -> Option<&str> {
    let end = text.find(|c| !is_scheme_character(c)).filter(|end| *end <= LONGEST_SCHEME)?;
    let is_scheme =
        text[end..].starts_with(':') && text.starts_with(|c: char| c.is_ascii_alphabetic());
    is_scheme.then_some(&text[..end])
}

/// Returns the scheme at the end of a text. If a hyphen or dot joins another word to a known
/// scheme, returns the known scheme.
fn scheme_at_end(text: &str) -> Option<&str> {
    let characters = text.bytes().rev().take(LONGEST_SCHEME);
    let length = characters.take_while(|byte| is_scheme_character(char::from(*byte))).count();
    let word = &text[text.len() - length..];
    let word = word.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    let last = word.rsplit(['-', '.']).next().unwrap_or(word);
    let scheme = if is_known(last) { last } else { word };
    (!scheme.is_empty()).then_some(scheme)
}

/// Returns true if all white space in a text is at line ends.
fn has_only_line_breaks(raw: &str) -> bool {
    let mut rest = raw;
    while let Some(at) = rest.find(char::is_whitespace) {
        let space = &rest[at..];
        let end = space.find(|c: char| !c.is_whitespace()).unwrap_or(space.len());
        if !space[..end].contains(['\n', '\r']) {
            return false;
        }
        rest = &space[end..];
    }
    true
}

/// Returns the text without white space, or only without white space that contains a line end. If
/// lines end after hyphens, the second text is also without those hyphens.
pub(crate) fn joined(raw: &str, removes_all: bool) -> (Cow<'_, str>, Option<String>) {
    if !raw.contains(char::is_whitespace) {
        return (Cow::Borrowed(raw), None);
    }
    let mut url = String::with_capacity(raw.len());
    let mut without_hyphens = String::new();
    let mut has_hyphens = false;
    let mut rest = raw;
    loop {
        let at = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (piece, space) = rest.split_at(at);
        url.push_str(piece);
        let end = space.find(|c: char| !c.is_whitespace()).unwrap_or(space.len());
        let ends_line = space[..end].contains(['\n', '\r']);
        let hyphen = piece.strip_suffix('-').filter(|_| ends_line);
        has_hyphens |= hyphen.is_some();
        without_hyphens.push_str(hyphen.unwrap_or(piece));
        if !removes_all && !ends_line {
            url.push_str(&space[..end]);
            without_hyphens.push_str(&space[..end]);
        }
        if space.is_empty() {
            return (Cow::Owned(url), has_hyphens.then_some(without_hyphens));
        }
        rest = &space[end..];
    }
}

/// Returns the text without punctuation at its end that belongs to the sentence, and without
/// closing brackets that were not opened in it.
fn without_punctuation(text: &str) -> &str {
    let mut open = [0_usize; 2];
    let mut close = [0_usize; 2];
    for byte in text.bytes() {
        match byte {
            b'(' => open[0] += 1,
            b'[' => open[1] += 1,
            b')' => close[0] += 1,
            b']' => close[1] += 1,
            _ => {}
        }
    }
    let mut kept = text;
    loop {
        let bracket = match kept.bytes().next_back() {
            Some(b'.' | b',' | b';' | b':' | b'!' | b'?' | b'\'') => None,
            Some(b')') if close[0] > open[0] => Some(0),
            Some(b']') if close[1] > open[1] => Some(1),
            _ => return kept,
        };
        if let Some(bracket) = bracket {
            close[bracket] -= 1;
        }
        kept = &kept[..kept.len() - 1];
    }
}
