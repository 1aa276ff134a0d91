//! What a syntax finds in a document: values, in source order, each with the layer that it is written in.
//!
//! A value is a reference, or holds some: a `srcset` is a value of [`Syntax::Candidates`] in which the next syntax finds references.
//! Invariant: values are sorted by span and do not overlap; spans are offsets in the bytes of the document that they were found in.

use std::borrow::Cow;

use layers::{Charset, CssForm, Guards, Layer, MarkdownForm, Quote, Span, XmlPlace};
use urlcore::{Dialect, Resolver, is_absolute_for_any_base, text};

use crate::format::extra;
use crate::format::is_include_path;
use crate::report::skip::SkipReason;
use crate::slots::{Fetch, SlotId, Syntax};

/// How a value stands in the bytes of its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// In bytes that are a document themselves, in the same charset.
    Raw,
    /// As text of a layer.
    In(Layer),
    /// In such bytes, without the stretches of this number in [`Found::cuts`].
    Cut(u32),
}

/// What a value is resolved against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Against {
    /// The base of the document.
    Base,
    /// The fallback base: the value of a `<base href>`.
    Fallback,
    /// The `codebase` of the same element: the value of this number in [`Found::codebases`].
    Codebase(u32),
    /// The `xml:base` of the element, or of one around it: of this number in [`Found::scopes`].
    Scope(u32),
    /// The base of the document, as in browsers; XML Base has the scope of this number instead.
    IgnoredScope(u32),
}

/// A place that holds a reference, or a document with some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    /// The value itself, without quotes; for a text, all of it.
    pub(crate) span: Span,
    pub(crate) written: Written,
    pub(crate) syntax: Syntax,
    pub(crate) slot: SlotId,
    pub(crate) against: Against,
    /// Characters that would end the reference where it stands.
    pub(crate) delimiters: Delimiters,
    /// How it is fetched, where what is around it tells, and not its slot alone.
    pub(crate) fetch: Option<Fetch>,
}

/// Characters that a reference cannot hold because the syntax around it would read them as its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Delimiters {
    #[default]
    None,
    /// White space.
    Space,
    /// White space, and a comma at either end.
    Candidate,
    /// Commas, and white space at either end.
    Comma,
    /// The quote around the URL of a refresh.
    Quote(u8),
    /// What would be read as a quote around the URL of a refresh.
    AfterUrl,
    /// The same, and what would be read as the `url=` before it.
    Bare,
    /// Semicolons.
    Semicolon,
    /// Angle brackets.
    Angle,
    /// What a parameter without quotes cannot hold (RFC 2045 5.1, `tspecials`).
    Token,
    /// What a server-side include cannot hold, between these quotes or without any.
    Include(Option<u8>),
    /// What would be the bare name of a module: all but absolute URLs and what begins with `/`, `./` or `../` (HTML standard 8.1.6.2,
    /// "resolve a URL-like module specifier").
    Specifier,
    /// Angle brackets and white space: an autolink of Markdown.
    Autolink,
    /// What ends a bare URL in running text.
    Running,
    /// All: it can be read in two ways, so that nobody knows what to write. A hyphen where a line of text ends may belong to the URL or not
    /// (1996 appendix E); readers of Markdown write `\` as `%5C`, and browsers take it for `/`.
    Ambiguous,
    /// What would be read as something else than a URL in an attribute that `--also` names:
    /// CSS, image candidates, JSON, or a switch, if there may be one.
    Attribute { may_be_switch: bool },
    /// All: an entity is part of the reference, and is never expanded.
    Entity,
    /// What means something where a line of Markdown begins.
    First(MarkdownForm),
}

impl Delimiters {
    /// Whether `reference` would be read as a whole.
    pub(crate) fn allow(self, reference: &str) -> bool {
        let is_space = |char: char| char.is_ascii_whitespace();
        match self {
            Delimiters::None => true,
            Delimiters::Space => !reference.contains(is_space),
            Delimiters::Candidate => {
                !reference.contains(is_space)
                    && !reference.starts_with(',')
                    && !reference.ends_with(',')
            }
            Delimiters::Comma => {
                !reference.contains(',')
                    && !reference.starts_with(is_space)
                    && !reference.ends_with(is_space)
            }
            Delimiters::Quote(quote) => !reference.contains(char::from(quote)),
            Delimiters::AfterUrl => !reference.starts_with(['"', '\'']),
            Delimiters::Bare => {
                let is_url =
                    reference.get(..3).is_some_and(|word| word.eq_ignore_ascii_case("url"))
                        && reference[3..].trim_ascii_start().starts_with('=');
                !is_url && !reference.starts_with(['"', '\'', ';', ','])
            }
            Delimiters::Semicolon => !reference.contains(';'),
            Delimiters::Angle => !reference.contains(['<', '>']),
            Delimiters::Token => !reference.contains(|char: char| {
                char.is_ascii_whitespace() || "()<>@,;:\\\"/[]?=".contains(char)
            }),
            // Another quote in front would be taken for the delimiter.
            Delimiters::Include(quote) => {
                is_include_path(reference)
                    && !reference.contains('$')
                    && match quote {
                        Some(quote) => !reference.contains(char::from(quote)),
                        None => !reference.starts_with(['"', '\'', '`']),
                    }
            }
            // Browsers read it, whatever the dialect.
            Delimiters::Specifier => {
                ["/", "./", "../"].iter().any(|start| reference.starts_with(start))
                    || is_absolute_for_any_base(reference, Dialect::Web)
            }
            Delimiters::Autolink => {
                !reference.contains(|char: char| char <= ' ' || matches!(char, '<' | '>'))
            }
            Delimiters::Running => {
                text::find(reference).next().is_some_and(|url| url.span == (0..reference.len()))
            }
            Delimiters::Attribute { may_be_switch } => extra::is_url(reference, may_be_switch),
            Delimiters::Ambiguous | Delimiters::Entity => false,
            Delimiters::First(form) => may_begin_line(reference, form),
        }
    }
}

impl Delimiters {
    /// `reference`, a relative one, as it has to be written here: `./` in front does not change where it leads.
    pub(crate) fn fitted<'r>(self, reference: &'r str, base: &Resolver<'_>) -> Cow<'r, str> {
        if self != Delimiters::Specifier || self.allow(reference) {
            return Cow::Borrowed(reference);
        }
        let with_dot = format!("./{reference}");
        match (base.resolve(&with_dot), base.resolve(reference)) {
            (Ok(there), Ok(here)) if there == here => Cow::Owned(with_dot),
            _ => Cow::Borrowed(reference),
        }
    }
}

/// Whether a destination that begins a line of Markdown is read as nothing else: a list item, a heading, a fence, a tag, a quote.
fn may_begin_line(reference: &str, form: MarkdownForm) -> bool {
    let is_mark = |char: char| "#-+*=_~`>|:![]<&\\".contains(char);
    let name = reference.trim_start_matches('/');
    let rest = name.trim_start_matches(|char: char| char.is_ascii_alphanumeric());
    match form {
        // `1.`, `1)`
        MarkdownForm::Bare => !reference.starts_with(is_mark) && !matches!(rest, "." | ")"),
        // `<name>`, `</name>`, `<name/>`, `<?`, `<!`, `<a b>`
        MarkdownForm::Angle => {
            !reference.starts_with(['?', '!'])
                && !matches!(rest, "" | "/")
                && !rest.starts_with(' ')
        }
    }
}

impl Value {
    /// A reference inside a list: part of a text that stands as it is.
    pub(crate) fn item(span: Span, slot: SlotId, delimiters: Delimiters) -> Value {
        let written = Written::In(Layer::Text);
        let (syntax, against) = (Syntax::Url, Against::Base);
        Value { span, written, syntax, slot, against, delimiters, fetch: None }
    }

    /// An attribute value.
    pub(crate) fn attribute(
        span: Span,
        quote: Quote,
        slot: SlotId,
        syntax: Syntax,
        against: Against,
    ) -> Value {
        let written = Written::In(Layer::Attribute(quote));
        Value { written, syntax, against, ..Value::item(span, slot, Delimiters::None) }
    }

    /// Returns a reference, or a list of some, that an entity is part of: one text, shown as it is
    /// written.
    pub(crate) fn with_entity(span: Span, slot: SlotId, against: Against) -> Value {
        Value { against, ..Value::item(span, slot, Delimiters::Entity) }
    }

    /// The text of an element or comment.
    pub(crate) fn text(span: Span, written: Written, slot: SlotId, syntax: Syntax) -> Value {
        Value { written, syntax, ..Value::item(span, slot, Delimiters::None) }
    }

    /// What may not come into being when the value is edited: what would end the text early.
    pub(crate) fn guards(&self) -> Guards {
        if let Written::In(Layer::CData | Layer::Xml(XmlPlace::Content, _)) = self.written {
            return Guards { forbidden: &["]]>"] };
        }
        let forbidden: &[&str] = match self.slot {
            SlotId::XML_STYLESHEET | SlotId::XML_MODEL => &["?>"],
            SlotId::STYLE => &["</style"],
            // HTML standard 4.12.1.3 ("restrictions for contents of script elements").
            SlotId::SCRIPT_IMPORTMAP
            | SlotId::SCRIPT_LINKED_DATA
            | SlotId::SCRIPT_SPECULATIONRULES => &["</script", "<!--", "<script", "-->"],
            SlotId::NOSCRIPT => &["</noscript"],
            SlotId::NOFRAMES => &["</noframes"],
            SlotId::NOEMBED => &["</noembed"],
            SlotId::IFRAME => &["</iframe"],
            SlotId::SVG_STYLE => &["<", "]]>"],
            SlotId::CONDITIONAL_COMMENT | SlotId::SSI_VIRTUAL => &["-->", "--!>"],
            SlotId::SCRIPT_MODULE => &["</script", "<!--", "<script"],
            // What ends a block of HTML in Markdown, or means something amid its text.
            SlotId::MARKDOWN_HTML => {
                &["-->", "?>", "]]>", "</script", "</style", "</pre", "</textarea", "|", "`"]
            }
            _ => &[],
        };
        Guards { forbidden }
    }

    /// A reference in a style sheet.
    pub(crate) fn css(span: Span, form: CssForm, slot: SlotId) -> Value {
        Value {
            written: Written::In(Layer::Css(form)),
            ..Value::item(span, slot, Delimiters::None)
        }
    }
}

/// Room for so many values is made at once.
const FIRST_VALUES: usize = 4;

/// Values in source order, as many as memory allows.
#[derive(Debug)]
pub(crate) struct Values {
    values: Vec<Value>,
    /// How many there may be; [`FULL`] when one was dropped.
    most: usize,
}

const FULL: usize = usize::MAX;

impl Default for Values {
    fn default() -> Self {
        Values { values: Vec::new(), most: FULL - 1 }
    }
}

impl Values {
    /// Adds a value; if there may be no more, it is dropped and [`Values::is_full`] returns true.
    #[inline]
    pub(crate) fn push(&mut self, value: Value) {
        if self.values.len() < self.values.capacity() || self.grow() {
            self.values.push(value);
        }
    }

    /// Makes room for more values. Returns false if there may be none.
    #[cold]
    fn grow(&mut self) -> bool {
        let len = self.values.len();
        if self.most <= len || self.is_full() {
            self.most = FULL;
            return false;
        }
        self.values.reserve_exact(len.max(FIRST_VALUES).min(self.most - len));
        true
    }

    /// Adds what there is.
    pub(crate) fn extend(&mut self, values: impl IntoIterator<Item = Value>) {
        values.into_iter().for_each(|value| self.push(value));
    }

    /// Keeps the values for which `is_kept` returns true, of those from `start` on.
    pub(crate) fn retain_from(&mut self, start: usize, mut is_kept: impl FnMut(&Value) -> bool) {
        let mut idx = 0;
        self.values.retain(|value| {
            idx += 1;
            idx <= start || is_kept(value)
        });
    }

    pub(crate) fn clear(&mut self) {
        self.values.clear();
    }

    /// Returns true if a value was dropped, so that these are not all.
    pub(crate) fn is_full(&self) -> bool {
        self.most == FULL
    }
}

impl std::ops::Deref for Values {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.values
    }
}

impl std::ops::DerefMut for Values {
    fn deref_mut(&mut self) -> &mut [Value] {
        &mut self.values
    }
}

/// All that a syntax finds in one document.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) values: Values,
    /// Index in `values` of the `href` of the document's first `base`.
    pub(crate) base: Option<usize>,
    /// The values of `codebase` attributes that others stand on, and what they are resolved against; they are found before those.
    pub(crate) codebases: Vec<(Span, Layer, Against)>,
    /// The scopes of `xml:base`, outer ones before those in them.
    pub(crate) scopes: Vec<BaseScope>,
    /// Whether elements that browsers read ignore these scopes.
    pub(crate) has_web_xml_base: bool,
    /// What the first `meta` that declares a charset says.
    pub(crate) charset: Option<Charset>,
    /// Documents inside that are not read: why, and where they begin.
    pub(crate) skipped: Vec<(SkipReason, usize)>,
    /// For values that are written in pieces: what is left out, as spans of the value.
    pub(crate) cuts: Vec<Vec<Span>>,
}

/// Where an `xml:base` holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BaseScope {
    /// The number of the scope that it is in, if it is in one.
    pub(crate) outer: Option<u32>,
    /// The value of the attribute, and how it is written.
    pub(crate) span: Span,
    pub(crate) layer: Layer,
    /// In how many scopes it is, itself included.
    pub(crate) depth: u32,
    /// Whether its value, or that of one around it, is not known: an entity is part of it, or the
    /// document type gives it.
    pub(crate) is_unknown: bool,
}

impl Found {
    /// Returns an empty list of values that may take `room` octets.
    pub(crate) fn within(room: usize) -> Found {
        let most = room / size_of::<Value>();
        Found { values: Values { values: Vec::new(), most }, ..Found::default() }
    }

    /// Returns the octets of memory that its lists take.
    pub(crate) fn memory(&self) -> usize {
        size_of_val(&*self.values)
            + size_of_val(&*self.codebases)
            + size_of_val(&*self.scopes)
            + size_of_val(&*self.skipped)
            + self.cuts.iter().map(|cuts| size_of_val(&**cuts)).sum::<usize>()
    }

    /// Notes a `codebase`; returns its number.
    pub(crate) fn add_codebase(
        &mut self,
        span: Span,
        layer: Layer,
        against: Against,
    ) -> Option<u32> {
        let idx = u32::try_from(self.codebases.len()).ok()?;
        self.codebases.push((span, layer, against));
        Some(idx)
    }

    /// Notes an `xml:base`; returns the number of its scope.
    pub(crate) fn add_scope(&mut self, scope: BaseScope) -> Option<u32> {
        let idx = u32::try_from(self.scopes.len()).ok()?;
        self.scopes.push(scope);
        Some(idx)
    }

    /// Returns, for each scope of `xml:base`, whether it holds for a reference, and is not only
    /// written there: all do but in documents of browsers, where only elements of other namespaces
    /// follow them.
    pub(crate) fn scopes_that_hold(&self) -> Vec<bool> {
        let mut holds = vec![!self.has_web_xml_base; self.scopes.len()];
        if self.scopes.is_empty() || !self.has_web_xml_base {
            return holds;
        }
        for value in self.values.iter().filter(|value| value.slot != SlotId::XML_BASE) {
            if let Against::Scope(idx) = value.against {
                holds[idx as usize] = true;
            }
        }
        holds
    }

    /// Returns a scope that is not known, and that a reference follows.
    pub(crate) fn followed_unknown_scope(&self) -> Option<BaseScope> {
        if !self.scopes.iter().any(|scope| scope.is_unknown) {
            return None;
        }
        let mut references = self.values.iter().filter(|value| value.slot != SlotId::XML_BASE);
        references.find_map(|value| match value.against {
            Against::Scope(idx) => Some(self.scopes[idx as usize]).filter(|scope| scope.is_unknown),
            _ => None,
        })
    }

    /// Notes the gaps in a value; returns their number.
    pub(crate) fn add_cuts(&mut self, gaps: Vec<Span>) -> Option<u32> {
        let idx = u32::try_from(self.cuts.len()).ok()?;
        self.cuts.push(gaps);
        Some(idx)
    }
}
