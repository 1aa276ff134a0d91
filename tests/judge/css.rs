//! References in CSS, read by cssparser's tokens: `url()`, `src()`, the string of `@import`, the
//! strings directly in `image-set()`, and `src=` in `AlphaImageLoader()`.

use std::borrow::Cow;

use cssparser::{Parser, Token};

use super::split::{Cutter, Pieces};

/// What is open around a token.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    ImageSet,
    /// `AlphaImageLoader()`.
    Filter,
    Other,
}

/// What a string right here would be.
#[derive(Clone, Copy, PartialEq)]
enum Next {
    Nothing,
    Reference,
    /// The `=` after `src` in `AlphaImageLoader()`.
    Equals,
}

struct State<'a> {
    css: &'a str,
    cutter: Cutter<'a>,
    /// Each with the token that closes it (any other closing bracket is nothing), and with whether
    /// names go on behind it.
    open: Vec<(Open, Token<'static>, bool)>,
    next: Next,
    namespace: bool,
    declaration: Declaration,
}

/// What is known of the declaration that is being read.
#[derive(Clone, Copy, PartialEq)]
enum Declaration {
    /// Nothing.
    Begins,
    /// Its name is one whose references are resolved elsewhere.
    Named,
    /// Such a declaration.
    Elsewhere,
    Other,
}

/// Cuts a style sheet or a list of declarations.
///
/// The parser is started again after each opening bracket, so that brackets come flat and deep
/// nesting needs no stack.
pub(crate) fn split(css: &str) -> Pieces<'_> {
    let mut state = State {
        css,
        cutter: Cutter::new(css),
        open: Vec::new(),
        next: Next::Nothing,
        namespace: false,
        declaration: Declaration::Begins,
    };
    let mut base = 0;
    'restart: loop {
        let mut parser = Parser::new(css.get(base..).unwrap_or_default());
        loop {
            let start = base + parser.position().byte_index();
            let Ok(token) = parser.next_including_whitespace_and_comments().cloned() else {
                return state.cutter.end();
            };
            let end = base + parser.position().byte_index();
            if state.token(&token, start, end) {
                base = end;
                continue 'restart;
            }
        }
    }
}

impl State<'_> {
    /// Takes one token; returns true if it opened a block.
    fn token(&mut self, token: &Token<'_>, start: usize, end: usize) -> bool {
        self.declare(token);
        let before = self.next;
        if !matches!(token, Token::WhiteSpace(_) | Token::Comment(_)) {
            self.next = Next::Nothing;
        }
        match token {
            Token::UnquotedUrl(value) if !self.namespace => self.unquoted(value, start, end),
            Token::QuotedString(value)
                if !self.namespace
                    && (before == Next::Reference
                        || matches!(self.open.last(), Some((Open::ImageSet, ..)))) =>
            {
                let inner = inside(self.css, start, end);
                self.cutter.cut(inner.0, inner.1, Cow::Owned(value.to_string()), false);
                self.note_place();
            }
            Token::AtKeyword(name) => {
                self.namespace = name.eq_ignore_ascii_case("namespace");
                if name.eq_ignore_ascii_case("import") {
                    self.next = Next::Reference;
                }
            }
            Token::Semicolon => self.namespace = false,
            Token::Ident(name) if name.eq_ignore_ascii_case("src") && self.is_in_filter() => {
                self.next = Next::Equals;
            }
            Token::Delim('=') if before == Next::Equals => self.next = Next::Reference,
            Token::Function(name) => {
                let is = |wanted: &str| name.eq_ignore_ascii_case(wanted);
                if is("url") || is("src") {
                    self.next = Next::Reference;
                }
                let open = match () {
                    () if is("image-set") || is("-webkit-image-set") => Open::ImageSet,
                    () if is("AlphaImageLoader") => Open::Filter,
                    () => Open::Other,
                };
                self.open.push((open, Token::CloseParenthesis, self.namespace));
                return true;
            }
            Token::CurlyBracketBlock | Token::SquareBracketBlock | Token::ParenthesisBlock => {
                self.namespace &= !matches!(token, Token::CurlyBracketBlock);
                let closing = match token {
                    Token::CurlyBracketBlock => Token::CloseCurlyBracket,
                    Token::SquareBracketBlock => Token::CloseSquareBracket,
                    _ => Token::CloseParenthesis,
                };
                self.open.push((Open::Other, closing, self.namespace));
                return true;
            }
            Token::CloseCurlyBracket | Token::CloseSquareBracket | Token::CloseParenthesis
                if self.open.last().is_some_and(|(_, closing, _)| closing == token) =>
            {
                self.namespace = self.open.pop().is_some_and(|(.., namespace)| namespace);
            }
            _ => {}
        }
        false
    }

    /// `url(` without quotes: the reference is what is between the white space.
    fn unquoted(&mut self, value: &str, start: usize, end: usize) {
        let raw = self.css.get(start..end).unwrap_or_default();
        let from = raw.find('(').map_or(0, |at| at + 1);
        let inner = raw.get(from..).unwrap_or_default();
        let inner = inner.strip_suffix(')').unwrap_or(inner);
        let lead = inner.len() - inner.trim_start_matches(|c: char| c.is_ascii_whitespace()).len();
        let kept = inner.trim_matches(|c: char| c.is_ascii_whitespace()).len();
        let at = start + from + lead;
        self.cutter.cut(at, at + kept, Cow::Owned(value.to_owned()), false);
        self.note_place();
    }

    /// Follows declarations: those of custom properties, and `behavior`.
    fn declare(&mut self, token: &Token<'_>) {
        let is_flat = !self.open.iter().any(|(_, end, _)| *end != Token::CloseCurlyBracket);
        self.declaration = match (token, self.declaration) {
            (Token::WhiteSpace(_) | Token::Comment(_), declaration) => declaration,
            (Token::CurlyBracketBlock | Token::CloseCurlyBracket, _) => Declaration::Begins,
            (Token::Semicolon, _) if is_flat => Declaration::Begins,
            (Token::Ident(name), Declaration::Begins)
                if name.starts_with("--")
                    || ["behavior", "-ms-behavior"]
                        .iter()
                        .any(|known| name.eq_ignore_ascii_case(known)) =>
            {
                Declaration::Named
            }
            (Token::Colon, Declaration::Named) => Declaration::Elsewhere,
            (_, Declaration::Elsewhere) => Declaration::Elsewhere,
            _ => Declaration::Other,
        };
    }

    fn note_place(&mut self) {
        if self.declaration == Declaration::Elsewhere || self.is_in_filter() {
            self.cutter.is_elsewhere();
        }
    }

    fn is_in_filter(&self) -> bool {
        matches!(self.open.last(), Some((Open::Filter, ..)))
    }
}

/// The span of a string token without its quotes; the last one may be missing.
fn inside(css: &str, start: usize, end: usize) -> (usize, usize) {
    let raw = css.get(start..end).unwrap_or_default();
    let closed = raw.len() > 1 && raw.as_bytes().first() == raw.as_bytes().last();
    (start + 1, if closed { end - 1 } else { end })
}
