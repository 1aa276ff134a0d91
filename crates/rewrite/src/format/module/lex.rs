//! Tokens of ECMAScript: words, strings, numbers, comments, templates, regular expressions
//! (ECMA-262, section 12).
//!
//! Invariant: every byte is read a bounded number of times, and nothing is read recursively. A
//! token that does not end is an error, as in browsers. The caller decides if a slash begins a
//! regular expression.

use layers::{JsQuote, Span};
use memchr::{memchr, memchr3, memmem};

/// A token, without its content where that is not relevant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScriptToken<'t> {
    /// A name or keyword; a private name includes its `#`, and a name with escapes its backslashes,
    /// so that it is not a keyword.
    Word(&'t str),
    /// A string, without its quotes.
    String(Span, JsQuote),
    /// A number or a regular expression.
    Value,
    /// The first `` ` `` of a template.
    Template,
    /// `++` or `--`
    Step,
    /// `=>`
    Arrow,
    /// `.` or `?.`
    Dot,
    /// Another punctuator, represented by its first byte: `.` for `...`.
    Sign(u8),
}

/// The meaning of a slash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slash {
    Division,
    RegularExpression,
    /// The meaning is uncertain.
    Unknown,
}

/// The text, and the offset up to which it has been read.
#[derive(Clone, Copy)]
pub(super) struct Lexer<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    /// True if a line ended before the last token.
    pub(super) is_on_new_line: bool,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'\\') || !byte.is_ascii()
}

/// Returns true for the line ends that are not ASCII: U+2028 and U+2029.
fn is_wide_line_end(rest: &[u8]) -> bool {
    matches!(rest, [0xE2, 0x80, 0xA8 | 0xA9, ..])
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut lexer = Lexer { text, at: 0, is_on_new_line: true };
        if text.starts_with("#!") {
            lexer.at = line_len(text.as_bytes());
        }
        lexer
    }

    fn bytes(&self) -> &'t [u8] {
        self.text.as_bytes()
    }

    fn rest(&self) -> &'t [u8] {
        &self.bytes()[self.at..]
    }

    /// Returns the next token, `None` at the end. The error is the offset of a token that does not
    /// end or is uncertain.
    pub(super) fn token(&mut self, slash: Slash) -> Result<Option<ScriptToken<'t>>, usize> {
        self.space()?;
        let (start, rest) = (self.at, self.rest());
        let Some(&first) = rest.first() else { return Ok(None) };
        let second = rest.get(1).copied();
        let is_digit = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_digit());
        let token = match first {
            b'"' => self.string(JsQuote::Double)?,
            b'\'' => self.string(JsQuote::Single)?,
            b'`' => self.signs(1, ScriptToken::Template),
            b'0'..=b'9' => self.number(),
            b'.' if is_digit(second) => self.number(),
            b'.' if rest.starts_with(b"...") => self.signs(3, ScriptToken::Sign(b'.')),
            b'.' => self.signs(1, ScriptToken::Dot),
            b'?' if second == Some(b'.') && !is_digit(rest.get(2).copied()) => {
                self.signs(2, ScriptToken::Dot)
            }
            b'?' if second == Some(b'?') => self.signs(2, ScriptToken::Sign(b'|')),
            b'=' if second == Some(b'>') => self.signs(2, ScriptToken::Arrow),
            // In scripts that are not modules these are comments (ECMA-262 B.1.1).
            b'<' if rest.starts_with(b"<!--") => return Err(start),
            b'-' if rest.starts_with(b"-->") && self.is_on_new_line => return Err(start),
            b'+' | b'-' if second == Some(first) => self.signs(2, ScriptToken::Step),
            b'/' => match slash {
                Slash::Division => self.signs(1, ScriptToken::Sign(b'/')),
                Slash::RegularExpression => self.regular_expression()?,
                Slash::Unknown => return Err(start),
            },
            b'#' => {
                self.at += 1;
                self.word();
                ScriptToken::Word(&self.text[start..self.at])
            }
            byte if is_word(byte) => {
                self.word();
                ScriptToken::Word(&self.text[start..self.at])
            }
            sign => self.signs(1, ScriptToken::Sign(sign)),
        };
        Ok(Some(token))
    }

    fn signs(&mut self, len: usize, token: ScriptToken<'t>) -> ScriptToken<'t> {
        self.at += len;
        token
    }

    /// Skips white space and comments.
    fn space(&mut self) -> Result<(), usize> {
        self.is_on_new_line = self.at == 0;
        loop {
            let rest = self.rest();
            match rest {
                [b'\n' | b'\r', ..] => {
                    self.is_on_new_line = true;
                    self.at += 1;
                }
                [b' ' | b'\t' | 0x0B | 0x0C, ..] => self.at += 1,
                [b'/', b'/', ..] => self.at += line_len(rest),
                [b'/', b'*', ..] => {
                    let len = memmem::find(&rest[2..], b"*/").ok_or(self.at)?;
                    let comment = &rest[..len + 4];
                    self.is_on_new_line |= line_len(comment) < comment.len();
                    self.at += comment.len();
                }
                [0x80..=0xFF, ..] => match self.text[self.at..].chars().next() {
                    Some(char) if char.is_whitespace() || char == '\u{FEFF}' => {
                        self.is_on_new_line |= is_wide_line_end(rest);
                        self.at += char.len_utf8();
                    }
                    _ => return Ok(()),
                },
                _ => return Ok(()),
            }
        }
    }

    fn word(&mut self) {
        loop {
            let rest = self.rest();
            let len = rest.iter().position(|byte| !is_word(*byte)).unwrap_or(rest.len());
            let word = &self.text[self.at..self.at + len];
            // White space that is not ASCII ends a word.
            let is_end =
                |char: char| !char.is_ascii() && (char.is_whitespace() || char == '\u{FEFF}');
            match word.find(is_end) {
                Some(end) => {
                    self.at += end;
                    return;
                }
                None => self.at += len,
            }
            // `\u{61}` contains braces, which other words do not.
            let Some(digits) = self.rest().strip_prefix(b"{") else { return };
            let len = digits.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
            if !word.ends_with("\\u") || digits.get(len) != Some(&b'}') {
                return;
            }
            self.at += len + 2;
        }
    }

    fn number(&mut self) -> ScriptToken<'t> {
        let digits = |lexer: &mut Self| {
            let rest = lexer.rest();
            let is_digit = |byte: &u8| byte.is_ascii_digit() || *byte == b'_';
            lexer.at += rest.iter().position(|byte| !is_digit(byte)).unwrap_or(rest.len());
        };
        // `0x1F`, `10n`: a point after these is not part of the number.
        let is_decimal =
            !matches!(self.rest(), [b'0', b'x' | b'X' | b'o' | b'O' | b'b' | b'B', ..]);
        if is_decimal {
            digits(self);
            if self.rest().first() == Some(&b'.') {
                self.at += 1;
                digits(self);
            }
            if let [b'e' | b'E', b'+' | b'-', b'0'..=b'9', ..] = self.rest() {
                self.at += 2;
            }
        }
        let rest = self.rest();
        let is_more = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        self.at += rest.iter().position(|byte| !is_more(byte)).unwrap_or(rest.len());
        ScriptToken::Value
    }

    fn string(&mut self, quote: JsQuote) -> Result<ScriptToken<'t>, usize> {
        let (start, bytes) = (self.at + 1, self.bytes());
        let mut at = start;
        while let Some(found) = memchr3(quote.byte(), b'\\', b'\n', &bytes[at..]) {
            at += found;
            if memchr(b'\r', &bytes[at - found..at]).is_some() {
                break;
            }
            match bytes[at] {
                b'\\' if bytes[at + 1..].starts_with(b"\r\n") => at += 3,
                b'\\' => at += 2,
                b'\n' => break,
                _ => {
                    self.at = at + 1;
                    return Ok(ScriptToken::String(Span::new(start, at), quote));
                }
            }
            if at > bytes.len() {
                break;
            }
        }
        Err(self.at)
    }

    /// Reads a template, from the start or the continuation of its text, to its end or to the next
    /// hole. Returns true if there is a hole.
    pub(super) fn template(&mut self) -> Result<bool, usize> {
        let (start, bytes) = (self.at, self.bytes());
        while let Some(found) = memchr3(b'`', b'\\', b'$', self.rest()) {
            self.at += found + 1;
            match bytes[self.at - 1] {
                b'`' => return Ok(false),
                b'$' if bytes.get(self.at) == Some(&b'{') => {
                    self.at += 1;
                    return Ok(true);
                }
                b'\\' => self.at = bytes.len().min(self.at + 1),
                _ => {}
            }
        }
        Err(start)
    }

    /// Reads a regular expression (ECMA-262 12.9.5).
    fn regular_expression(&mut self) -> Result<ScriptToken<'t>, usize> {
        let (start, bytes) = (self.at, self.bytes());
        let (mut at, mut is_in_class) = (start + 1, false);
        loop {
            match *bytes.get(at).ok_or(start)? {
                b'\n' | b'\r' => return Err(start),
                0xE2 if is_wide_line_end(&bytes[at..]) => return Err(start),
                // A line end cannot be escaped either.
                b'\\' if !matches!(bytes.get(at + 1), Some(b'\n' | b'\r' | 0xE2)) => at += 1,
                b'[' => is_in_class = true,
                b']' => is_in_class = false,
                b'/' if !is_in_class => break,
                _ => {}
            }
            at += 1;
        }
        self.at = at + 1;
        // Flags.
        self.word();
        Ok(ScriptToken::Value)
    }
}

/// Returns the length of the first line, without its end.
fn line_len(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(found) = memchr3(b'\n', b'\r', 0xE2, &bytes[at..]) {
        at += found;
        if bytes[at] != 0xE2 || is_wide_line_end(&bytes[at..]) {
            return at;
        }
        at += 1;
    }
    bytes.len()
}
