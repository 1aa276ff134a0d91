//! The brackets of ECMAScript, and the kind of token that may follow: a statement, an operand, or
//! an operator.
//!
//! Invariant: an uncertain position is [`Expects::Unknown`], and a bracket that closes no other is
//! an error.

use super::lex::ScriptToken;

/// The kind of the next token, which decides the meaning of a slash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Expects {
    /// A statement begins, or continues where one may begin.
    #[default]
    Statement,
    /// An expression begins, or continues after an operator.
    Operand,
    /// An operand has been read: a slash is a division.
    Operator,
    Unknown,
}

/// The maximum number of open brackets, more than any browser supports.
const MAX_OPEN: usize = 1 << 14;

/// An open bracket.
#[derive(Clone, Copy)]
struct OpenToken {
    kind: Bracket,
    /// The kind of token after it is closed.
    after: Expects,
    /// The number of `?` whose `:` has not come yet.
    n_conditions: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    /// Round; for the parameters of a function, the kind of token after its body.
    Round(Option<Expects>),
    /// The round bracket of a `for`.
    For,
    Square,
    /// A block, or the body of a function or class.
    Block,
    Object,
    /// `${` in a template.
    Hole,
}

/// The last token, as far as it is relevant.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Last<'t> {
    #[default]
    Other,
    Dot,
    Arrow,
    /// A closing round bracket; for the parameters of a function, the kind of token after its body.
    Round(Option<Expects>),
    /// A name or keyword; `ForAwait` is an `await` after `for`.
    Word(&'t str),
    ForAwait,
}

#[derive(Default)]
pub(super) struct Brackets<'t> {
    open: Vec<OpenToken>,
    expects: Expects,
    /// The kind of token that was expected before the last token.
    expected: Expects,
    last: Last<'t>,
    /// After the word `function`: the kind of token after its body.
    function: Option<Expects>,
    /// The words `class` whose body has not begun: the number of open brackets around, and the kind
    /// of token after the body.
    classes: Vec<(usize, Expects)>,
    /// The number of `?` outside of all brackets whose `:` has not come yet.
    n_conditions: u32,
}

impl<'t> Brackets<'t> {
    pub(super) fn expects(&self) -> Expects {
        self.expects
    }

    /// Returns true if no bracket is open.
    pub(super) fn is_top(&self) -> bool {
        self.open.is_empty()
    }

    pub(super) fn is_after_dot(&self) -> bool {
        self.last == Last::Dot
    }

    /// Returns true if a line end would end the statement (ECMA-262 12.10.1, "restricted
    /// productions").
    pub(super) fn ends_with_line(&self) -> bool {
        matches!(self.last, Last::Word("return" | "break" | "continue"))
    }

    pub(super) fn begin_statement(&mut self) {
        self.after(Expects::Statement, Last::Other);
    }

    /// Records that an operand was read.
    pub(super) fn value(&mut self) {
        self.after(Expects::Operator, Last::Other);
    }

    /// Records that an expression begins.
    pub(super) fn operand(&mut self) {
        self.after(Expects::Operand, Last::Other);
    }

    fn after(&mut self, expects: Expects, last: Last<'t>) {
        (self.expected, self.expects, self.last) = (self.expects, expects, last);
    }

    /// Returns true if a `}` ends a hole of a template, and closes the hole.
    pub(super) fn closes_hole(&mut self) -> bool {
        let is_hole = self.open.last().is_some_and(|open| open.kind == Bracket::Hole);
        if is_hole {
            self.open.pop();
        }
        is_hole
    }

    pub(super) fn open_hole(&mut self) -> Result<(), ()> {
        self.push(Bracket::Hole, Expects::Operator, Expects::Operand)
    }

    fn push(&mut self, kind: Bracket, after: Expects, expects: Expects) -> Result<(), ()> {
        if self.open.len() >= MAX_OPEN {
            return Err(());
        }
        self.open.push(OpenToken { kind, after, n_conditions: 0 });
        self.after(expects, Last::Other);
        Ok(())
    }

    /// Reads a token that is not part of a template or declaration.
    pub(super) fn token(&mut self, token: ScriptToken<'t>, is_on_new_line: bool) -> Result<(), ()> {
        match token {
            ScriptToken::Word(word) if self.last != Last::Dot => self.word(word, is_on_new_line),
            ScriptToken::Word(_)
            | ScriptToken::String(..)
            | ScriptToken::Value
            | ScriptToken::Template => self.value(),
            ScriptToken::Dot => self.after(Expects::Operand, Last::Dot),
            ScriptToken::Arrow => self.after(Expects::Operand, Last::Arrow),
            ScriptToken::Step => match self.expects {
                // After an operand on the same line it is a postfix operator.
                Expects::Operator if !is_on_new_line => self.value(),
                Expects::Unknown => self.after(Expects::Unknown, Last::Other),
                _ => self.operand(),
            },
            ScriptToken::Sign(b'(') => return self.round(),
            ScriptToken::Sign(b'[') => {
                return self.push(Bracket::Square, Expects::Operator, Expects::Operand);
            }
            ScriptToken::Sign(b'{') => return self.curly(),
            ScriptToken::Sign(closing @ (b')' | b']' | b'}')) => return self.close(closing),
            ScriptToken::Sign(b':') => self.colon(),
            ScriptToken::Sign(b'?') => {
                let top = self.open.last_mut().map(|open| &mut open.n_conditions);
                *top.unwrap_or(&mut self.n_conditions) += 1;
                self.operand();
            }
            ScriptToken::Sign(sign @ (b';' | b',')) => {
                self.forget_names();
                if sign == b';' && self.is_in_block() {
                    self.begin_statement()
                } else {
                    self.operand()
                }
            }
            ScriptToken::Sign(_) => self.operand(),
        }
        Ok(())
    }

    /// Returns true if the innermost bracket contains statements.
    fn is_in_block(&self) -> bool {
        self.open.last().is_none_or(|open| open.kind == Bracket::Block)
    }

    /// Treats the words `class` and `function` without a body here as names.
    fn forget_names(&mut self) {
        self.function = None;
        self.classes.pop_if(|(depth, _)| *depth == self.open.len());
    }

    fn word(&mut self, word: &'t str, is_on_new_line: bool) {
        // A word cannot follow an operand, so on a new line a statement begins.
        let is_new = is_on_new_line && self.expects == Expects::Operator;
        let expects = if is_new && self.is_in_block() { Expects::Statement } else { self.expects };
        let after = |expects| match expects {
            Expects::Statement => Expects::Statement,
            Expects::Operand => Expects::Operator,
            Expects::Operator | Expects::Unknown => Expects::Unknown,
        };
        let next = match word {
            "function" => {
                let is_async = self.last == Last::Word("async") && !is_on_new_line;
                let place = if is_async { self.expected } else { expects };
                self.function = Some(after(place));
                Expects::Operator
            }
            "class" => {
                self.classes.push((self.open.len(), after(expects)));
                Expects::Operator
            }
            "of" if self.is_of() => Expects::Operand,
            "await" if self.last == Last::Word("for") => {
                self.after(Expects::Operand, Last::ForAwait);
                return;
            }
            "return" | "throw" | "typeof" | "instanceof" | "in" | "new" | "delete" | "void"
            | "case" | "await" | "yield" | "extends" | "default" | "let" | "const" | "var" => {
                Expects::Operand
            }
            "else" | "do" | "try" | "finally" | "catch" | "if" | "while" | "for" | "with"
            | "switch" | "break" | "continue" | "debugger" => Expects::Statement,
            // It is a label: a line end after it ends the statement, and nothing else may follow.
            _ if matches!(self.last, Last::Word("break" | "continue")) => Expects::Unknown,
            _ => Expects::Operator,
        };
        self.after(next, Last::Word(word));
        self.expected = expects;
    }

    /// Returns true if `of` is a keyword here: in a `for`, after a declaration or an assignment
    /// target.
    fn is_of(&self) -> bool {
        let is_for = self.open.last().is_some_and(|open| open.kind == Bracket::For);
        is_for && self.expects == Expects::Operator
    }

    fn round(&mut self) -> Result<(), ()> {
        let function = self.function.take();
        let (kind, after) = match self.last {
            Last::Word("for") | Last::ForAwait => (Bracket::For, Expects::Statement),
            Last::Word("if" | "while" | "with" | "switch" | "catch") => {
                (Bracket::Round(None), Expects::Statement)
            }
            _ => (Bracket::Round(function), Expects::Operator),
        };
        self.push(kind, after, Expects::Operand)
    }

    fn curly(&mut self) -> Result<(), ()> {
        let depth = self.open.len();
        let class = self
            .classes
            .pop_if(|(outside, _)| *outside == depth && self.expects == Expects::Operator);
        let (kind, after) = match (class, self.last, self.expects) {
            (Some((_, after)), ..) => (Bracket::Block, after),
            // Only a line end or an unrelated token may follow the body.
            (None, Last::Arrow, _) => (Bracket::Block, Expects::Unknown),
            (None, _, Expects::Statement) => (Bracket::Block, Expects::Statement),
            (None, _, Expects::Operand) => (Bracket::Object, Expects::Operator),
            (None, Last::Round(Some(after)), _) => (Bracket::Block, after),
            // It is a method, or the text is not a module.
            (None, ..) => (Bracket::Block, Expects::Unknown),
        };
        let inside = if kind == Bracket::Object { Expects::Operand } else { Expects::Statement };
        self.push(kind, after, inside)
    }

    fn close(&mut self, closing: u8) -> Result<(), ()> {
        let open = self.open.pop().ok_or(())?;
        let (expected, last) = match open.kind {
            Bracket::Round(function) => (b')', Last::Round(function)),
            Bracket::For => (b')', Last::Round(None)),
            Bracket::Square => (b']', Last::Other),
            Bracket::Block | Bracket::Object => (b'}', Last::Other),
            Bracket::Hole => return Err(()),
        };
        if closing != expected {
            return Err(());
        }
        let depth = self.open.len();
        while self.classes.pop_if(|(inside, _)| *inside > depth).is_some() {}
        self.after(open.after, last);
        Ok(())
    }

    /// Reads a colon: after a label or a `case` a statement begins, after anything else an operand.
    fn colon(&mut self) {
        self.forget_names();
        let n_conditions = match self.open.last_mut() {
            Some(open) => &mut open.n_conditions,
            None => &mut self.n_conditions,
        };
        if *n_conditions > 0 {
            *n_conditions -= 1;
            self.operand();
        } else if self.is_in_block() {
            self.begin_statement();
        } else {
            self.operand();
        }
    }
}
