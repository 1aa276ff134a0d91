//! Values that hold several references, or one among other text, cut into references and the
//! text between them.

use std::borrow::Cow;

/// One reference inside a value.
pub(crate) struct Piece<'a> {
    pub(crate) text: Cow<'a, str>,
    /// An empty text is a reference here.
    pub(crate) explicit: bool,
    /// It is resolved where a custom property is used, and not here: it may stay as it is.
    pub(crate) elsewhere: bool,
}

/// A value cut up: there is one gap more than there are pieces.
#[derive(Default)]
pub(crate) struct Pieces<'a> {
    pub(crate) gaps: Vec<&'a str>,
    pub(crate) urls: Vec<Piece<'a>>,
    /// The whole value holds a template mark.
    pub(crate) marked: bool,
}

/// Collects pieces from left to right.
pub(crate) struct Cutter<'a> {
    value: &'a str,
    done: usize,
    pieces: Pieces<'a>,
}

impl<'a> Cutter<'a> {
    pub(crate) fn new(value: &'a str) -> Self {
        Self { value, done: 0, pieces: Pieces::default() }
    }

    /// The reference in `start..end`, decoded as `text`.
    pub(crate) fn cut(&mut self, start: usize, end: usize, text: Cow<'a, str>, explicit: bool) {
        self.pieces.gaps.push(self.value.get(self.done..start).unwrap_or_default());
        self.pieces.urls.push(Piece { text, explicit, elsewhere: false });
        self.done = end;
    }

    /// The last reference is resolved elsewhere.
    pub(crate) fn is_elsewhere(&mut self) {
        if let Some(piece) = self.pieces.urls.last_mut() {
            piece.elsewhere = true;
        }
    }

    /// The reference in `start..end`, written as it is meant.
    fn plain(&mut self, start: usize, end: usize) {
        let text = self.value.get(start..end).unwrap_or_default();
        self.cut(start, end, Cow::Borrowed(text), false);
    }

    pub(crate) fn end(mut self) -> Pieces<'a> {
        self.pieces.gaps.push(self.value.get(self.done..).unwrap_or_default());
        self.pieces
    }
}

/// The white space of HTML.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0C')
}

fn skip(value: &str, from: usize, wanted: impl Fn(u8) -> bool) -> usize {
    let rest = value.as_bytes().get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| wanted(**byte)).count()
}

/// The whole value is one reference.
pub(crate) fn single(value: &str, explicit: bool) -> Pieces<'_> {
    let mut cutter = Cutter::new(value);
    cutter.cut(0, value.len(), Cow::Borrowed(value), explicit);
    cutter.end()
}

/// References between white space.
pub(crate) fn spaces(value: &str) -> Pieces<'_> {
    let mut cutter = Cutter::new(value);
    let mut at = skip(value, 0, is_space);
    while at < value.len() {
        let end = skip(value, at, |byte| !is_space(byte));
        cutter.plain(at, end);
        at = skip(value, end, is_space);
    }
    cutter.end()
}

/// References between commas, white space around them left out.
pub(crate) fn commas(value: &str) -> Pieces<'_> {
    let mut cutter = Cutter::new(value);
    let mut at = 0;
    while at < value.len() {
        let end = skip(value, at, |byte| byte != b',');
        trimmed(&mut cutter, at, end);
        at = end + 1;
    }
    cutter.end()
}

/// The part `start..end` without the white space around it, unless nothing is left.
fn trimmed(cutter: &mut Cutter<'_>, start: usize, end: usize) {
    let part = cutter.value.get(start..end).unwrap_or_default();
    let inner = part.trim_matches(|c: char| c.is_ascii_whitespace());
    if !inner.is_empty() {
        let from =
            start + part.len() - part.trim_start_matches(|c: char| c.is_ascii_whitespace()).len();
        cutter.plain(from, from + inner.len());
    }
}

/// "Parse a srcset attribute" of the HTML standard; candidates with wrong descriptors count too.
pub(crate) fn srcset(value: &str) -> Pieces<'_> {
    let mut cutter = Cutter::new(value);
    let bytes = value.as_bytes();
    let mut at = 0;
    loop {
        at = skip(value, at, |byte| is_space(byte) || byte == b',');
        if at >= bytes.len() {
            return cutter.end();
        }
        let end = skip(value, at, |byte| !is_space(byte));
        let url = value.get(at..end).unwrap_or_default().trim_end_matches(',');
        cutter.plain(at, at + url.len());
        let had_comma = at + url.len() < end;
        at = if had_comma { end } else { descriptors(bytes, end) };
    }
}

/// Where the descriptors that begin at `at` end: after a comma outside parentheses.
fn descriptors(bytes: &[u8], mut at: usize) -> usize {
    let mut inside = false;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'(' => inside = true,
            b')' => inside = false,
            b',' if !inside => break,
            _ => {}
        }
    }
    at
}

/// "Shared declarative refresh steps" of the HTML standard.
pub(crate) fn refresh(value: &str) -> Pieces<'_> {
    let mut cutter = Cutter::new(value);
    if let Some((start, end, explicit)) = refresh_span(value) {
        let text = value.get(start..end).unwrap_or_default();
        cutter.cut(start, end, Cow::Borrowed(text), explicit);
    }
    cutter.end()
}

fn refresh_span(value: &str) -> Option<(usize, usize, bool)> {
    let bytes = value.as_bytes();
    let mut at = skip(value, 0, is_space);
    let digits = skip(value, at, |byte| byte.is_ascii_digit());
    if digits == at && bytes.get(at) != Some(&b'.') {
        return None;
    }
    at = skip(value, digits, |byte| byte.is_ascii_digit() || byte == b'.');
    let separator = |at: usize| matches!(bytes.get(at), Some(b';' | b','));
    if !separator(at) && !bytes.get(at).copied().is_some_and(is_space) {
        return None;
    }
    at = skip(value, at, is_space);
    if separator(at) {
        at += 1;
    }
    at = skip(value, at, is_space);
    if at >= bytes.len() {
        return None;
    }
    let mut start = at;
    let mut explicit = false;
    if matches!(bytes.get(at), Some(b'u' | b'U')) {
        let named = bytes.get(at..at + 3).is_some_and(|name| name.eq_ignore_ascii_case(b"url"));
        let equals = skip(value, at + 3, is_space);
        if !named || bytes.get(equals) != Some(&b'=') {
            return Some((start, bytes.len(), false));
        }
        start = skip(value, equals + 1, is_space);
        explicit = true;
    }
    match bytes.get(start) {
        Some(quote @ (b'"' | b'\'')) => {
            let end = skip(value, start + 1, |byte| byte != *quote);
            Some((start + 1, end, explicit))
        }
        _ => Some((start, bytes.len(), explicit)),
    }
}

/// `name=…;action-uri=…;icon-uri=…`.
pub(crate) fn task(value: &str) -> Pieces<'_> {
    let mut cutter = Cutter::new(value);
    let mut at = 0;
    while at < value.len() {
        let end = skip(value, at, |byte| byte != b';');
        let equals = skip(value, at, |byte| byte != b'=' && byte != b';');
        let key = value.get(at..equals).unwrap_or_default().trim_ascii().to_ascii_lowercase();
        if equals < end && (key == "action-uri" || key == "icon-uri") {
            trimmed(&mut cutter, equals + 1, end);
        }
        at = end + 1;
    }
    cutter.end()
}
