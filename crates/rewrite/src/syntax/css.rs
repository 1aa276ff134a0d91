//! Style sheets: `url()`, `src()`, `@import`, and the strings of `image-set()`.
//!
//! cssparser says which tokens there are and where; the spans and escapes are ours, and each decoded value is compared with cssparser's.
//! CSS Syntax level 3; CSS Values level 4, section 4.5; CSS Images level 4, section 2.4. This is the only file that imports cssparser.

use cssparser::{ParseError, Parser, Token};
use layers::{CssForm, Span, css};

use crate::found::{Undone, Value};
use crate::slots::SlotId;

/// Blocks and functions nested deeper than this are not read: cssparser reads each by recursion.
const MAX_DEPTH: usize = 128;

/// Finds the references of a style sheet, of a list of declarations, or of one value: which of them it is makes no difference to its tokens.
///
/// # Errors
///
/// [`Undone::TooDeep`].
pub(crate) fn find(text: &str, values: &mut Vec<Value>) -> Result<(), Undone> {
    let mut parser = Parser::new(text);
    // The limit is ours: it tells that it was met.
    parser.set_nested_block_limit(0);
    let mut scan = Scan { text, values, is_too_deep: false };
    scan.block(&mut parser, Inside::Block, 0);
    if scan.is_too_deep { Err(Undone::TooDeep) } else { Ok(()) }
}

/// What the tokens being read stand in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// A block, or a function that does not matter.
    Block,
    /// `url(` or `src(` before a string, for this slot.
    Function(SlotId),
    /// `image-set(`: strings are URLs.
    ImageSet,
}

/// An at-rule whose prelude is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Prelude {
    None,
    /// `@import`: the next string, `url()` or `src()` is its URL.
    Import,
    /// `@namespace`: names, not references.
    Namespace,
}

struct Scan<'t, 'v> {
    text: &'t str,
    values: &'v mut Vec<Value>,
    is_too_deep: bool,
}

impl<'t> Scan<'t, '_> {
    fn block(&mut self, parser: &mut Parser<'t>, inside: Inside, depth: usize) {
        if depth > MAX_DEPTH {
            self.is_too_deep = true;
            return;
        }
        let mut prelude = Prelude::None;
        while !self.is_too_deep {
            let before = parser.position().byte_index();
            let Ok(token) = parser.next_including_whitespace_and_comments() else { return };
            let token = token.clone();
            let span = Span::new(before, parser.position().byte_index());
            match &token {
                Token::WhiteSpace(_) | Token::Comment(_) => continue,
                Token::AtKeyword(name) => {
                    prelude = match () {
                        () if name.eq_ignore_ascii_case("import") => Prelude::Import,
                        () if name.eq_ignore_ascii_case("namespace") => Prelude::Namespace,
                        () => Prelude::None,
                    };
                    continue;
                }
                Token::UnquotedUrl(value) => {
                    let slot = if prelude == Prelude::Import {
                        SlotId::CSS_IMPORT
                    } else {
                        SlotId::CSS_URL
                    };
                    if prelude != Prelude::Namespace {
                        self.bare(span, value, slot);
                    }
                }
                Token::QuotedString(value) => match inside {
                    _ if prelude == Prelude::Import => self.string(span, value, SlotId::CSS_IMPORT),
                    Inside::Function(slot) => {
                        self.string(span, value, slot);
                        // Only the first string is the URL; what follows are modifiers.
                        return;
                    }
                    Inside::ImageSet => self.string(span, value, SlotId::CSS_IMAGE_SET),
                    Inside::Block => {}
                },
                Token::Function(name) => {
                    let inner = self.function(name, prelude);
                    self.nested(parser, inner, depth);
                }
                Token::ParenthesisBlock | Token::SquareBracketBlock | Token::CurlyBracketBlock => {
                    self.nested(parser, Inside::Block, depth);
                }
                _ => {}
            }
            if prelude == Prelude::Import
                || matches!(token, Token::Semicolon | Token::CurlyBracketBlock)
            {
                prelude = Prelude::None;
            }
        }
    }

    fn function(&self, name: &str, prelude: Prelude) -> Inside {
        let import = |slot| if prelude == Prelude::Import { SlotId::CSS_IMPORT } else { slot };
        match () {
            () if prelude == Prelude::Namespace => Inside::Block,
            () if name.eq_ignore_ascii_case("url") => Inside::Function(import(SlotId::CSS_URL)),
            () if name.eq_ignore_ascii_case("src") => Inside::Function(import(SlotId::CSS_SRC)),
            () if name.eq_ignore_ascii_case("image-set") => Inside::ImageSet,
            () if name.eq_ignore_ascii_case("-webkit-image-set") => Inside::ImageSet,
            () => Inside::Block,
        }
    }

    fn nested(&mut self, parser: &mut Parser<'t>, inside: Inside, depth: usize) {
        let result: Result<(), ParseError<()>> = parser.parse_nested_block(|parser| {
            self.block(parser, inside, depth + 1);
            // What was not read is skipped, not an error.
            while parser.next().is_ok() {}
            Ok(())
        });
        drop::<Result<(), ParseError<()>>>(result);
    }

    /// A bare `url(…)` token: its URL without the white space around it.
    fn bare(&mut self, token: Span, value: &str, slot: SlotId) {
        let raw = &self.text[token.start..token.end];
        let Some(open) = raw.find('(') else { return };
        let inner = raw[open + 1..].trim_start_matches([' ', '\t', '\n', '\r', '\x0C']);
        let start = token.end - inner.len();
        let span = Span::new(start, start + css::bare_url_len(inner));
        self.push(span, CssForm::Url, value, slot);
    }

    /// A string token: what is between its quotes. One without an end runs to the end of the text.
    fn string(&mut self, token: Span, value: &str, slot: SlotId) {
        let raw = &self.text[token.start..token.end];
        let form = if raw.starts_with('"') { CssForm::DoubleQuoted } else { CssForm::SingleQuoted };
        let quote = &raw[..1];
        let inner = &raw[1..];
        // The last quote is the end of the string unless it is escaped; the comparison with cssparser's value tells.
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

    /// Adds a value if it decodes to what cssparser read.
    fn push(&mut self, span: Span, form: CssForm, expected: &str, slot: SlotId) -> bool {
        let is_same = css::decode(&self.text[span.start..span.end]).text == expected;
        if is_same {
            self.values.push(Value::css(span, form, slot));
        }
        is_same
    }
}
