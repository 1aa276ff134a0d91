//! Style sheets: `url()`, `src()`, `@import`, the strings of `image-set()`, and the images of
//! `AlphaImageLoader()`.
//!
//! cssparser finds the tokens; the spans and escapes are computed here, and each decoded value is
//! compared with that of cssparser. CSS Syntax level 3; CSS Values level 4, section 4.5; CSS Images
//! level 4, section 2.4. This is the only file that imports cssparser.

use cssparser::{Parser, Token};
use layers::{CssForm, Span, css};

use crate::format::found::{Against, Delimiters, Found, Value, Values};
use crate::format::json::source_map;
use crate::format::spec::{CharsetRule, FormatSpec};
use crate::slots::{Fetch, SlotId};

/// Style sheets.
pub(super) const FORMAT: FormatSpec = FormatSpec {
    extensions: &["css"],
    charset: CharsetRule::Css,
    ..FormatSpec::text(&["text/css"], |text, _, memory| {
        let mut found = Found::within(memory.bytes());
        let source_map = find(text, &mut found.values);
        let value = |span| Value::item(span, SOURCE_MAP, Delimiters::Comment);
        found.values.extend(source_map.map(value));
        Ok(found)
    })
};

/// The function of Internet Explorer that loads an image, in `filter`.
const ALPHA_IMAGE_LOADER: &str = "AlphaImageLoader";

const SOURCE_MAP: SlotId = SlotId::named("css sourceMappingURL");

/// Finds the references of a style sheet, of a list of declarations, or of one value: the tokens
/// are the same for all of them. Returns the URL of a source map in a comment after all other
/// tokens (ECMA-426, section 11.1.2.2), which only a file has.
pub(crate) fn find(text: &str, values: &mut Values) -> Option<Span> {
    let mut scan = CssScan::new(text, values);
    let mut start = 0;
    // cssparser reads blocks recursively. It is restarted after each opening bracket, so it sees no
    // nesting, and no depth can overflow the stack.
    loop {
        start = scan.skip_plain(start);
        let Some(next) = scan.until_bracket(start) else { return scan.source_map };
        start = next;
    }
}

/// An open bracket.
#[derive(Clone, Copy)]
struct OpenBracket {
    kind: CssBracket,
    inside: CssConstruct,
    /// The prelude that continues after the bracket is closed.
    prelude: Prelude,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CssBracket {
    Curly,
    Square,
    Round,
}

/// The construct that contains the tokens being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CssConstruct {
    /// A block, or a function without references.
    Block,
    /// `url(` or `src(` before a string, for this slot.
    Function(SlotId),
    /// `image-set(`: strings are URLs.
    ImageSet,
    /// `AlphaImageLoader(`: the string after `src=` is a URL.
    AlphaImageLoader,
}

/// An at-rule whose prelude is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Prelude {
    None,
    /// `@import`: the next token, a string, `url()` or `src()`, is its URL.
    Import,
    /// `@namespace`: names and not references, at any depth.
    Namespace,
    /// `@font-face`: the URLs in its block are fonts.
    FontFace,
}

struct CssScan<'t, 'v> {
    text: &'t str,
    values: &'v mut Values,
    open: Vec<OpenBracket>,
    prelude: Prelude,
    /// True if only white space and comments followed the opening bracket so far.
    is_first: bool,
    /// The number of open brackets in the block of the current `@font-face`.
    fonts: Option<usize>,
    /// The start of the declaration that is being read.
    declaration: usize,
    /// What the declaration at an offset begins with, if it was read.
    start: Option<(usize, Option<Start>)>,
    /// The number of open brackets in the block of the current `@function` or `@property`, or in
    /// the current `style()`.
    definition: Option<usize>,
    /// The URL of a source map, if only comments followed it so far.
    source_map: Option<Span>,
}

/// True for the bytes of strings, escapes, comments, at-keywords and brackets.
const IS_SPECIAL: [bool; 256] = {
    let mut is_special = [false; 256];
    let mut idx = 0;
    while idx < SPECIAL.len() {
        is_special[SPECIAL[idx] as usize] = true;
        idx += 1;
    }
    is_special
};
const SPECIAL: &[u8] = b"\"'\\/@()[]{}";

impl<'t, 'v> CssScan<'t, 'v> {
    fn new(text: &'t str, values: &'v mut Values) -> Self {
        CssScan {
            text,
            values,
            open: Vec::new(),
            prelude: Prelude::None,
            is_first: true,
            fonts: None,
            declaration: 0,
            start: None,
            definition: None,
            source_map: None,
        }
    }

    /// Reads tokens from `start` on. Returns the offset after the next opening bracket or unquoted
    /// URL, if there is one.
    fn until_bracket(&mut self, start: usize) -> Option<usize> {
        let mut parser = Parser::new(&self.text[start..]);
        loop {
            let before = start + parser.position().byte_index();
            let token = parser.next_including_whitespace_and_comments().ok()?.clone();
            let span = Span::new(before, start + parser.position().byte_index());
            if !matches!(token, Token::WhiteSpace(_) | Token::Comment(_)) {
                self.source_map = None;
            }
            match &token {
                Token::WhiteSpace(_) => {}
                Token::Comment(comment) => {
                    let found = source_map::in_comment(comment, span.start + "/*".len());
                    self.source_map = found.or(self.source_map);
                }
                Token::Function(name) => {
                    let end = self.enter(CssBracket::Round, self.function(name), span);
                    // A query is compared with what a custom property is, as it is written.
                    if name.eq_ignore_ascii_case("style") {
                        self.definition = self.definition.or(Some(self.open.len()));
                    }
                    return end;
                }
                Token::ParenthesisBlock => {
                    return self.enter(CssBracket::Round, CssConstruct::Block, span);
                }
                Token::SquareBracketBlock => {
                    return self.enter(CssBracket::Square, CssConstruct::Block, span);
                }
                Token::CurlyBracketBlock => {
                    return self.enter(CssBracket::Curly, CssConstruct::Block, span);
                }
                Token::CloseParenthesis => self.leave(CssBracket::Round),
                Token::CloseSquareBracket => self.leave(CssBracket::Square),
                Token::CloseCurlyBracket => {
                    self.leave(CssBracket::Curly);
                    self.declare(span.end);
                }
                token => {
                    self.token(token, span);
                    if matches!(token, Token::UnquotedUrl(_)) {
                        return Some(span.end);
                    }
                }
            }
        }
    }

    /// Returns the offset after the tokens from `start` on that begin no construct with references:
    /// names, numbers, delimiters and white space.
    fn skip_plain(&mut self, start: usize) -> usize {
        if self.prelude != Prelude::None {
            return start;
        }
        let rest = &self.text.as_bytes()[start..];
        let plain = match rest.iter().position(|byte| IS_SPECIAL[usize::from(*byte)]) {
            None => rest,
            // The name before it may be a part of the same token.
            Some(at) => {
                let is_end = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b';' | b':' | b',');
                let length = rest[..at].iter().rposition(is_end).map_or(0, |at| at + 1);
                &rest[..length]
            }
        };
        if !plain.trim_ascii_start().is_empty() {
            self.is_first = false;
            self.source_map = None;
        }
        if let Some(at) = memchr::memrchr(b';', plain) {
            self.declare(start + at + 1);
        }
        start + plain.len()
    }

    /// Records that a declaration begins, unless that is inside of its value.
    fn declare(&mut self, start: usize) {
        if self.open.last().is_none_or(|open| open.kind == CssBracket::Curly) {
            self.declaration = start;
        }
    }

    /// Returns what the current declaration or rule begins with. It is read once.
    fn begins(&mut self) -> Option<Start> {
        if self.start.is_none_or(|(declaration, _)| declaration != self.declaration) {
            let text = self.text.get(self.declaration..).unwrap_or_default();
            self.start = Some((self.declaration, Start::of(text)));
        }
        self.start.and_then(|(_, start)| start)
    }

    /// Returns true if a URL here is resolved at another place than its own: in a custom property,
    /// a definition of a function or a property (CSS Variables 1, section 3; CSS Values 4, section
    /// 4.5.1.1), and in `behavior` and `AlphaImageLoader()` of Internet Explorer, which are
    /// relative to the page.
    fn is_of_other_place(&mut self, slot: SlotId) -> bool {
        match slot {
            SlotId::CSS_IMPORT => false,
            SlotId::CSS_ALPHA_IMAGE_LOADER => true,
            _ => {
                self.definition.is_some()
                    || self.begins().is_some_and(|start| start != Start::WithOrigin)
            }
        }
    }

    fn enter(&mut self, kind: CssBracket, inside: CssConstruct, span: Span) -> Option<usize> {
        // A block ends an at-rule; an @import has one URL, which is this one or an earlier one.
        let goes_on = self.prelude == Prelude::Namespace && kind != CssBracket::Curly;
        let prelude = if goes_on { Prelude::Namespace } else { Prelude::None };
        let is_font_face = self.prelude == Prelude::FontFace && kind == CssBracket::Curly;
        let is_curly = kind == CssBracket::Curly;
        let defines =
            is_curly && self.definition.is_none() && self.begins() == Some(Start::Definition);
        self.open.push(OpenBracket { kind, inside, prelude });
        if defines {
            self.definition = Some(self.open.len());
        }
        if is_curly {
            self.declaration = span.end;
        }
        if is_font_face && self.fonts.is_none() {
            self.fonts = Some(self.open.len());
        }
        self.prelude = prelude;
        self.is_first = true;
        Some(span.end)
    }

    /// Closes a bracket. One that matches no opening bracket is a token like any other.
    fn leave(&mut self, kind: CssBracket) {
        self.is_first = false;
        if self.open.last().is_some_and(|open| open.kind == kind) {
            self.prelude = self.open.pop().map_or(Prelude::None, |open| open.prelude);
            self.fonts = self.fonts.filter(|depth| *depth <= self.open.len());
            self.definition = self.definition.filter(|depth| *depth <= self.open.len());
        } else if self.prelude == Prelude::Import {
            self.prelude = Prelude::None;
        }
    }

    fn token(&mut self, token: &Token<'t>, span: Span) {
        let prelude = std::mem::replace(&mut self.prelude, Prelude::None);
        let is_first = std::mem::replace(&mut self.is_first, false);
        let inside = self.open.last().map_or(CssConstruct::Block, |open| open.inside);
        match token {
            Token::AtKeyword(name) if name.eq_ignore_ascii_case("import") => {
                self.prelude = Prelude::Import
            }
            Token::AtKeyword(name) if name.eq_ignore_ascii_case("namespace") => {
                self.prelude = Prelude::Namespace
            }
            Token::AtKeyword(name) if name.eq_ignore_ascii_case("font-face") => {
                self.prelude = Prelude::FontFace
            }
            Token::Semicolon => self.declare(span.end),
            Token::AtKeyword(_) => {}
            _ if prelude == Prelude::Namespace => self.prelude = prelude,
            Token::UnquotedUrl(value) if prelude == Prelude::Import => {
                self.bare(span, value, SlotId::CSS_IMPORT)
            }
            Token::UnquotedUrl(value) => self.bare(span, value, SlotId::CSS_URL),
            Token::QuotedString(value) => match inside {
                _ if prelude == Prelude::Import => self.string(span, value, SlotId::CSS_IMPORT),
                // The tokens after the URL are modifiers.
                CssConstruct::Function(slot) if is_first => self.string(span, value, slot),
                CssConstruct::ImageSet => self.string(span, value, SlotId::CSS_IMAGE_SET),
                CssConstruct::AlphaImageLoader if is_src(&self.text[..span.start]) => {
                    self.string(span, value, SlotId::CSS_ALPHA_IMAGE_LOADER)
                }
                CssConstruct::Block if self.begins() == Some(Start::MsFilter) => {
                    self.ms_filter(span)
                }
                CssConstruct::Function(_)
                | CssConstruct::AlphaImageLoader
                | CssConstruct::Block => {}
            },
            _ => {}
        }
    }

    fn function(&self, name: &str) -> CssConstruct {
        let import = |slot| if self.prelude == Prelude::Import { SlotId::CSS_IMPORT } else { slot };
        match () {
            () if self.prelude == Prelude::Namespace => CssConstruct::Block,
            () if name.eq_ignore_ascii_case("url") => {
                CssConstruct::Function(import(SlotId::CSS_URL))
            }
            () if name.eq_ignore_ascii_case("src") => {
                CssConstruct::Function(import(SlotId::CSS_SRC))
            }
            () if name.eq_ignore_ascii_case("image-set") => CssConstruct::ImageSet,
            () if name.eq_ignore_ascii_case("-webkit-image-set") => CssConstruct::ImageSet,
            () if name.eq_ignore_ascii_case(ALPHA_IMAGE_LOADER) => CssConstruct::AlphaImageLoader,
            () => CssConstruct::Block,
        }
    }

    /// Adds a bare `url(…)` token: its URL without the white space around it.
    fn bare(&mut self, token: Span, value: &str, slot: SlotId) {
        let raw = &self.text[token.start..token.end];
        let Some(open) = raw.find('(') else { return };
        let inner = raw[open + 1..].trim_start_matches([' ', '\t', '\n', '\r', '\x0C']);
        let start = token.end - inner.len();
        let span = Span::new(start, start + css::bare_url_len(inner));
        self.push(span, CssForm::Url, value, slot);
    }

    /// Adds a string token: the text between its quotes. A string without an end extends to the end
    /// of the text.
    fn string(&mut self, token: Span, value: &str, slot: SlotId) {
        let raw = &self.text[token.start..token.end];
        let form = if raw.starts_with('"') { CssForm::DoubleQuoted } else { CssForm::SingleQuoted };
        let quote = &raw[..1];
        let inner = &raw[1..];
        // The last quote is the end of the string unless it is escaped; the comparison with the
        // value of cssparser decides.
        for inner in [inner.strip_suffix(quote), Some(inner)].into_iter().flatten() {
            if self.push(
                Span::new(token.start + 1, token.start + 1 + inner.len()),
                form,
                value,
                slot,
            ) {
                return;
            }
        }
    }

    /// Adds the URLs of `AlphaImageLoader()` in a string: the value of `-ms-filter` is that of
    /// `filter` as a string. One with an escape is not read.
    fn ms_filter(&mut self, token: Span) {
        let text = &self.text[token.start..token.end];
        if text.contains('\\') {
            return;
        }
        let lower = text.to_ascii_lowercase();
        let name = ALPHA_IMAGE_LOADER.to_ascii_lowercase();
        let mut start = token.start;
        for (idx, arguments) in lower.split(&name).enumerate() {
            let mut quotes = arguments.match_indices(['"', '\'']);
            if idx > 0
                && let Some((open, quote)) = quotes.find(|(at, _)| is_src(&arguments[..*at]))
                && let Some(len) = arguments[open + 1..].find(quote)
            {
                let (slot, at) = (SlotId::CSS_ALPHA_IMAGE_LOADER, start + open + 1);
                let delimiters = Delimiters::Quote(quote.as_bytes()[0]);
                let value = Value::item(Span::new(at, at + len), slot, delimiters);
                self.values.push(Value { against: Against::Use, ..value });
            }
            start += arguments.len() + name.len();
        }
    }

    /// Adds a value if it decodes to the value that cssparser read.
    fn push(&mut self, span: Span, form: CssForm, expected: &str, slot: SlotId) -> bool {
        let is_same = css::decode(&self.text[span.start..span.end], form).text == expected;
        if is_same {
            let fetch = match self.fonts {
                Some(_) => Some(Fetch::Blockable),
                None => (self.begins() == Some(Start::WithOrigin)).then_some(Fetch::WithOrigin),
            };
            let against = if self.is_of_other_place(slot) { Against::Use } else { Against::Base };
            self.values.push(Value { fetch, against, ..Value::css(span, form, slot) });
        }
        is_same
    }
}

/// Returns true if a text ends with `src=`.
fn is_src(text: &str) -> bool {
    let name = text.trim_ascii_end().strip_suffix('=').unwrap_or_default().trim_ascii_end();
    let start = name.len().saturating_sub("src".len());
    let is_name = name.get(start..).is_some_and(|name| name.eq_ignore_ascii_case("src"));
    is_name && !name[..start].ends_with(|char: char| char.is_alphanumeric())
}

/// The start of what decides how URLs are read. Names may be written with escapes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    /// The name of a custom property, or of `behavior`, and its colon.
    Property,
    /// `@function` or `@property`.
    Definition,
    /// `-ms-filter` and its colon.
    MsFilter,
    /// The name of a property of [`Fetch::needs_origin`], and its colon.
    WithOrigin,
}

impl Start {
    /// Returns what a declaration or a rule begins with, if it is one of these.
    fn of(text: &str) -> Option<Start> {
        let mut parser = Parser::new(text);
        let is_one =
            |name: &str, names: [&str; 2]| names.iter().any(|word| name.eq_ignore_ascii_case(word));
        match parser.next().ok()? {
            Token::AtKeyword(name) if is_one(name, ["function", "property"]) => {
                Some(Start::Definition)
            }
            Token::Ident(name)
                if name.starts_with("--") || is_one(name, ["behavior", "-ms-behavior"]) =>
            {
                parser.expect_colon().is_ok().then_some(Start::Property)
            }
            Token::Ident(name) if name.eq_ignore_ascii_case("-ms-filter") => {
                parser.expect_colon().is_ok().then_some(Start::MsFilter)
            }
            Token::Ident(name) if Fetch::needs_origin(name) => {
                parser.expect_colon().is_ok().then_some(Start::WithOrigin)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what cssparser finds without the skipping of plain tokens.
    fn find_by_tokens(text: &str, values: &mut Values) -> Option<Span> {
        let mut scan = CssScan::new(text, values);
        let mut start = 0;
        while let Some(next) = scan.until_bracket(start) {
            start = next;
        }
        scan.source_map
    }

    #[test]
    fn skipping_plain_tokens_changes_nothing() {
        let parts = [
            "a:b;",
            "url(x)",
            "src('x' ",
            "url(",
            "'y'",
            ")",
            " ",
            "@import ",
            "@namespace a ",
            "{",
            "}",
            "/*# sourceMappingURL=m */",
            "u\\72l",
            "@font-face",
            "image-set(",
            "\u{e9},",
            "<!--",
            "--",
        ];
        for n in 0..parts.len().pow(4) {
            let part = |place: u32| parts[n / parts.len().pow(place) % parts.len()];
            let text = format!("{}{}{}{}", part(0), part(1), part(2), part(3));
            let (mut found, mut expected) = (Found::default(), Found::default());
            let source_map = find(&text, &mut found.values);
            assert_eq!(source_map, find_by_tokens(&text, &mut expected.values), "{text}");
            assert_eq!(format!("{:?}", found.values), format!("{:?}", expected.values), "{text}");
        }
    }
}
