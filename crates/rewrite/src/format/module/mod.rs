//! The specifiers of a module: `import … from "x"`, `import "x"`, `export … from "x"`,
//! `import("x")` (ECMA-262, sections 13.3.10 and 16.2).
//!
//! All tokens are read in order, and every bracket is classified as far as that decides if a slash
//! after it is a division or begins a regular expression. If that is uncertain, or a token does not
//! end, the script is skipped: nothing is guessed. Invariant: time and memory are linear; nothing
//! is read recursively.

mod brackets;
mod lex;

use layers::{JsQuote, Layer, Span, js};
use memchr::memmem;
use urlcore::{Dialect, is_absolute_for_any_base};

use crate::format::found::{Delimiters, Found, Value, ValueEncoding, Values};
use crate::format::json::source_map;
use crate::format::spec::{CharsetRule, FormatSpec, FoundIn};
use crate::options::AvailableMemory;
use crate::options::Options;
use crate::report::skip::SkipReason;
use crate::slots::SlotId;
use brackets::{Brackets, Expects};
use lex::{Lexer, ScriptToken, Slash};

/// JavaScript, with the media types of the MIME Sniffing standard, section 4.6. Browsers read
/// modules as UTF-8 whatever charset is declared outside (HTML standard 8.1.4.2, "fetch a single
/// module script").
#[rustfmt::skip]
pub(super) const FORMAT: FormatSpec = FormatSpec {
    extensions: &["js", "mjs"],
    opt_in: Some("js-modules"),
    charset: CharsetRule::OnlyUtf8,
    ..FormatSpec::text(
        &[
            "text/javascript", "text/ecmascript", "text/x-javascript", "text/x-ecmascript",
            "application/javascript", "application/ecmascript", "application/x-javascript", "application/x-ecmascript",
            "text/jscript", "text/livescript", "text/javascript1.0", "text/javascript1.1", "text/javascript1.2",
            "text/javascript1.3", "text/javascript1.4", "text/javascript1.5",
        ],
        |text, options, memory| {
            let mut found = find(text, options, memory)?;
            found.values.extend(source_map::of_script(text));
            Ok(found)
        },
    )
};

/// Finds the specifiers of a module that are URLs.
///
/// # Errors
///
/// Returns the offset of the first construct that is uncertain.
pub(super) fn find(text: &str, _: &Options, memory: AvailableMemory) -> FoundIn {
    let mut found = Found::within(memory.bytes());
    specifiers(text, &mut found.values).map_err(|at| (SkipReason::Script, at))?;
    Ok(found)
}

fn specifiers(text: &str, values: &mut Values) -> Result<(), usize> {
    let has = |word: &str| memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    // Keywords have no escapes. Most scripts are not modules.
    if has("import") || (has("export") && has("from")) {
        ModuleScan { lexer: Lexer::new(text), brackets: Brackets::default(), values }.all()
    } else {
        Ok(())
    }
}

/// Returns true if a specifier is a URL (HTML standard 8.1.6.2, "resolve a module specifier"): any
/// other is a bare name that an import map resolves.
fn is_url(specifier: &str) -> bool {
    ["/", "./", "../"].iter().any(|start| specifier.starts_with(start))
        || is_absolute_for_any_base(specifier, Dialect::Web)
}

struct ModuleScan<'t, 'v> {
    lexer: Lexer<'t>,
    brackets: Brackets<'t>,
    values: &'v mut Values,
}

impl<'t> ModuleScan<'t, '_> {
    fn all(&mut self) -> Result<(), usize> {
        while let Some(token) = self.next()? {
            let start = self.lexer.at;
            let is_property = self.brackets.is_after_dot();
            match token {
                ScriptToken::Word("import") if !is_property => self.import()?,
                ScriptToken::Word("export") if !is_property && self.brackets.is_top() => {
                    self.export()?
                }
                ScriptToken::Template => self.template()?,
                // The end of a hole: the template continues.
                ScriptToken::Sign(b'}') if self.brackets.closes_hole() => self.template()?,
                token => {
                    let is_on_new_line = self.lexer.is_on_new_line;
                    self.brackets.token(token, is_on_new_line).map_err(|()| start)?;
                }
            }
        }
        if self.brackets.is_top() { Ok(()) } else { Err(self.lexer.text.len()) }
    }

    /// Returns the next token; the brackets decide the meaning of a slash.
    fn next(&mut self) -> Result<Option<ScriptToken<'t>>, usize> {
        let slash = match self.brackets.expects() {
            Expects::Statement | Expects::Operand => Slash::RegularExpression,
            Expects::Operator => Slash::Division,
            Expects::Unknown => Slash::Unknown,
        };
        let token = self.lexer.token(slash)?;
        // A line end after these ends the statement.
        if token.is_some() && self.lexer.is_on_new_line && self.brackets.ends_with_line() {
            self.brackets.begin_statement();
        }
        Ok(token)
    }

    /// Returns the token after this one, unless a slash begins it, without reading it into the
    /// brackets.
    fn peek(lexer: &mut Lexer<'t>) -> Option<ScriptToken<'t>> {
        lexer.token(Slash::Unknown).ok().flatten()
    }

    fn template(&mut self) -> Result<(), usize> {
        let at = self.lexer.at;
        if self.lexer.template()? {
            self.brackets.open_hole().map_err(|()| at)
        } else {
            self.brackets.value();
            Ok(())
        }
    }

    /// Reads the tokens after the word `import`.
    fn import(&mut self) -> Result<(), usize> {
        let mut ahead = self.lexer;
        match Self::peek(&mut ahead) {
            Some(ScriptToken::Sign(b'(')) => {
                if let Some(ScriptToken::String(span, quote)) = Self::peek(&mut ahead)
                    && let Some(ScriptToken::Sign(b')' | b',')) = Self::peek(&mut ahead)
                {
                    self.specifier(span, quote, SlotId::JS_DYNAMIC_IMPORT)?;
                }
            }
            Some(ScriptToken::Dot) => {}
            _ if self.brackets.is_top() => return self.declaration(SlotId::JS_IMPORT),
            // It is the name of a property or method.
            _ => {}
        }
        self.brackets.value();
        Ok(())
    }

    /// Reads the tokens after the word `export`.
    fn export(&mut self) -> Result<(), usize> {
        self.brackets.begin_statement();
        let mut ahead = self.lexer;
        match Self::peek(&mut ahead) {
            Some(ScriptToken::Sign(b'*' | b'{')) => return self.declaration(SlotId::JS_EXPORT),
            Some(ScriptToken::Word("default")) => self.lexer = ahead,
            _ => return Ok(()),
        }
        let is_declaration = match Self::peek(&mut ahead) {
            Some(ScriptToken::Word("function" | "class")) => true,
            Some(ScriptToken::Word("async")) => {
                Self::peek(&mut ahead) == Some(ScriptToken::Word("function"))
                    && !ahead.is_on_new_line
            }
            _ => false,
        };
        if !is_declaration {
            self.brackets.operand();
        }
        Ok(())
    }

    /// Reads the rest of an import or export declaration: a specifier alone, or a clause, `from`,
    /// and a specifier; then attributes.
    fn declaration(&mut self, slot: SlotId) -> Result<(), usize> {
        let (mut is_in_braces, mut is_first, mut is_after_from) = (false, true, false);
        // `import from from 'x'`: the first one is a name.
        let mut is_name = slot == SlotId::JS_IMPORT;
        loop {
            let before = self.lexer;
            let fault = before.at;
            let token = self.lexer.token(Slash::Unknown)?;
            match token {
                // Names may be strings.
                Some(ScriptToken::String(..)) if is_in_braces || (is_name && !is_first) => {}
                Some(ScriptToken::String(span, quote)) => {
                    let is_alone = is_first && slot == SlotId::JS_IMPORT;
                    if !(is_alone || is_after_from) {
                        return Err(fault);
                    }
                    self.specifier(span, quote, slot)?;
                    return self.attributes();
                }
                Some(ScriptToken::Sign(b'{')) if !is_in_braces => is_in_braces = true,
                Some(ScriptToken::Sign(b'}')) if is_in_braces => {
                    is_in_braces = false;
                    // `export { a, b }` has no specifier.
                    let is_from =
                        Self::peek(&mut { self.lexer }) == Some(ScriptToken::Word("from"));
                    if slot == SlotId::JS_EXPORT && !is_from {
                        self.brackets.begin_statement();
                        return Ok(());
                    }
                }
                Some(ScriptToken::Sign(b'*' | b',') | ScriptToken::Word(_)) => {}
                _ => return Err(fault),
            }
            is_after_from = token == Some(ScriptToken::Word("from")) && !is_in_braces && !is_name;
            is_name = matches!(token, Some(ScriptToken::Word("as") | ScriptToken::Sign(b',')));
            is_first = false;
        }
    }

    /// Reads the attributes that may follow a specifier: `with { type: "json" }`, or the older
    /// `assert` on the same line.
    fn attributes(&mut self) -> Result<(), usize> {
        self.brackets.begin_statement();
        let mut ahead = self.lexer;
        let is_there = match Self::peek(&mut ahead) {
            Some(ScriptToken::Word("with")) => true,
            Some(ScriptToken::Word("assert")) => !ahead.is_on_new_line,
            _ => false,
        };
        if !is_there || Self::peek(&mut ahead) != Some(ScriptToken::Sign(b'{')) {
            return Ok(());
        }
        loop {
            let fault = ahead.at;
            match ahead.token(Slash::Unknown)? {
                Some(
                    ScriptToken::Word(_) | ScriptToken::String(..) | ScriptToken::Sign(b':' | b','),
                ) => {}
                Some(ScriptToken::Sign(b'}')) => break,
                _ => return Err(fault),
            }
        }
        self.lexer = ahead;
        Ok(())
    }

    /// Reads a specifier, which is a value if it is a URL.
    fn specifier(&mut self, span: Span, quote: JsQuote, slot: SlotId) -> Result<(), usize> {
        let raw = &self.lexer.text[span.start..span.end];
        if !js::is_well_formed(raw) {
            return Err(span.start);
        }
        if is_url(&js::decode(raw).text) {
            let written = ValueEncoding::In(Layer::JsString(quote));
            self.values.push(Value { written, ..Value::item(span, slot, Delimiters::Specifier) });
        }
        Ok(())
    }
}
