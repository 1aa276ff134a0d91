//! Lines of a body that is being written: their first bytes and their lengths.

/// The maximum length of a line in bytes (RFC 5322 2.1.1), without its line end.
pub(crate) const LONGEST: usize = 998;

/// The requirements of a message for the lines of a body: text that edits must not create at the
/// start of a line, and line ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineGuards {
    /// `--` is forbidden: the body is a part of a multipart, and the line could be read as its
    /// boundary.
    pub dashes: bool,
    /// `From ` is forbidden: the message is in a mailbox.
    pub from: bool,
    /// The line end of the message. It is used if a body has no line ends of its own.
    pub line_end: LineEnd,
}

/// A kind of line end.
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
    /// Returns the line end of a text: that of the first line that ends with LF, since a CR alone
    /// is more likely an accident; CR LF, if the text has a single line.
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_layers::LineEnd;
    /// assert_eq!(LineEnd::detect(b"a\rb\nc\r\n"), LineEnd::Lf);
    /// ```
    pub fn detect(text: &[u8]) -> Self {
        match memchr::memchr(b'\n', text) {
            Some(at) if at > 0 && text[at - 1] == b'\r' => LineEnd::CrLf,
            Some(_) => LineEnd::Lf,
            None if memchr::memchr(b'\r', text).is_some() => LineEnd::Cr,
            None => LineEnd::CrLf,
        }
    }

    /// Returns the bytes of the line end.
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
    /// The first bytes of the line.
    head: [u8; HEAD],
    /// The last byte of the line, if it has any.
    last: u8,
}

/// The number of bytes at the start of a line that are checked: the length of `From `.
pub(crate) const HEAD: usize = 5;

impl Line {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        for (at, byte) in (self.column..HEAD).zip(bytes) {
            self.head[at] = *byte;
        }
        self.column += bytes.len();
        self.last = bytes.last().copied().unwrap_or(self.last);
    }

    /// Returns true if the line ends with a blank.
    pub(crate) fn ends_with_blank(&self) -> bool {
        matches!(self.last, b' ' | b'\t')
    }

    fn head(&self) -> &[u8] {
        &self.head[..self.column.min(HEAD)]
    }

    /// Returns true if appending these bytes makes a forbidden start of the line, which it was not
    /// before.
    pub(crate) fn is_guarded_with(&self, bytes: &[u8], guards: LineGuards) -> bool {
        if self.column >= HEAD {
            return false;
        }
        let is_guarded = |head: &[u8]| {
            (guards.dashes && head.starts_with(b"--"))
                || (guards.from && head.starts_with(b"From "))
        };
        let mut with = *self;
        with.push(&bytes[..bytes.len().min(HEAD)]);
        !is_guarded(self.head()) && is_guarded(with.head())
    }
}

/// Returns the bytes from an offset to the end of its line, but at most one more than a line may
/// have.
pub(crate) fn rest_of_line(raw: &[u8], at: usize) -> &[u8] {
    let window = &raw[at..raw.len().min(at + LONGEST + 1)];
    let length = memchr::memchr2(b'\n', b'\r', window).unwrap_or(window.len());
    &window[..length]
}

/// Returns the last line in `bytes`, and true if the start of the line is in them.
pub(crate) fn last_line(bytes: &[u8]) -> (&[u8], bool) {
    match memchr::memrchr2(b'\n', b'\r', bytes) {
        Some(line_end) => (&bytes[line_end + 1..], true),
        None => (bytes, false),
    }
}
