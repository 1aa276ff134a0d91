//! Lines of a body that is being written, as far as what they begin with and how long they are matters.

/// How long a line may be (RFC 5322 2.1.1), without its line end.
pub(crate) const LONGEST: usize = 998;

/// What the message around a body asks of its lines: what must not come into being at the start of one, and how they end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineGuards {
    /// `--`: the body is a part of a multipart, and what follows could be its boundary.
    pub dashes: bool,
    /// `From `: the message stands in a mailbox.
    pub from: bool,
    /// How the lines of the message end. A body that has none of its own is written so.
    pub line_end: LineEnd,
}

/// How lines end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineEnd {
    /// CR LF, as in mail that is sent.
    #[default]
    CrLf,
    /// LF.
    Lf,
    /// CR.
    Cr,
}

impl LineEnd {
    /// How the lines of a text end: as the first that ends with LF, for a CR alone is rather an accident; CR LF, if it has but one.
    ///
    /// ```
    /// use layers::LineEnd;
    /// assert_eq!(LineEnd::of(b"a\rb\nc\r\n"), LineEnd::Lf);
    /// ```
    pub fn of(text: &[u8]) -> Self {
        match memchr::memchr(b'\n', text) {
            Some(at) if at > 0 && text[at - 1] == b'\r' => LineEnd::CrLf,
            Some(_) => LineEnd::Lf,
            None if memchr::memchr(b'\r', text).is_some() => LineEnd::Cr,
            None => LineEnd::CrLf,
        }
    }

    /// Its bytes.
    pub const fn bytes(self) -> &'static [u8] {
        match self {
            LineEnd::CrLf => b"\r\n",
            LineEnd::Lf => b"\n",
            LineEnd::Cr => b"\r",
        }
    }
}

/// A line of the output.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Line {
    pub(crate) column: usize,
    /// Its first bytes.
    head: [u8; HEAD],
    /// Its last byte, if it has any.
    last: u8,
}

/// So many bytes of a line can be guarded: `From `.
pub(crate) const HEAD: usize = 5;

impl Line {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        for (at, byte) in (self.column..HEAD).zip(bytes) {
            self.head[at] = *byte;
        }
        self.column += bytes.len();
        self.last = bytes.last().copied().unwrap_or(self.last);
    }

    /// Whether a blank stands at its end.
    pub(crate) fn ends_with_blank(&self) -> bool {
        matches!(self.last, b' ' | b'\t')
    }

    fn head(&self) -> &[u8] {
        &self.head[..self.column.min(HEAD)]
    }

    /// Whether the line, which was not yet, is a guarded one with these bytes.
    pub(crate) fn is_guarded_with(&self, bytes: &[u8], guards: LineGuards) -> bool {
        if self.column >= HEAD {
            return false;
        }
        let is_one = |head: &[u8]| {
            (guards.dashes && head.starts_with(b"--"))
                || (guards.from && head.starts_with(b"From "))
        };
        let mut with = *self;
        with.push(&bytes[..bytes.len().min(HEAD)]);
        !is_one(self.head()) && is_one(with.head())
    }
}

/// The bytes from an offset to the end of its line, but no more of them than a line may have, and one.
pub(crate) fn rest_of_line(raw: &[u8], at: usize) -> &[u8] {
    let window = &raw[at..raw.len().min(at + LONGEST + 1)];
    let length = memchr::memchr2(b'\n', b'\r', window).unwrap_or(window.len());
    &window[..length]
}

/// What stands of the last line in `bytes`, and whether a line begins there.
pub(crate) fn last_line(bytes: &[u8]) -> (&[u8], bool) {
    match memchr::memrchr2(b'\n', b'\r', bytes) {
        Some(line_end) => (&bytes[line_end + 1..], true),
        None => (bytes, false),
    }
}
