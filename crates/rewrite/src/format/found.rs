//! The values that a syntax finds in a document, in source order, each with its layer.
//!
//! A value is a reference, or contains some: a `srcset` is a value of [`Syntax::Candidates`] in
//! which the next syntax finds references. Invariant: values are sorted by span and do not overlap;
//! spans are offsets in the bytes of the document that contains them.

use std::borrow::Cow;

use layers::{Charset, CssForm, Guards, Layer, MarkdownForm, Quote, Span, XmlPlace};
use urlcore::{Dialect, Resolver, is_absolute_for_any_base, text};

pub(crate) use crate::format::bases::{BaseChange, BaseScope};
use crate::format::extra;
use crate::options::extras::Extras;
use crate::report::skip::SkipReason;
use crate::slots::{Fetch, Moment, SlotId, Syntax};

/// The encoding of a value in the bytes of its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueEncoding {
    /// Bytes that are a document themselves, in the same charset.
    Raw,
    /// The text of a layer.
    In(Layer),
    /// The text of a layer that is written in pieces, which have this number in [`Found::cuts`].
    Cut(u32),
}

/// The base that a value is resolved against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Against {
    /// The base of the document, at the moment that the slot has.
    Base,
    /// The base of the document at this moment, which the tag decides and not the slot alone.
    BaseAt(Moment),
    /// That of the place where it is used, which is another one: a URL in a custom property.
    Use,
    /// The fallback base: the value of a `<base href>`.
    Fallback,
    /// The `codebase` of the same element: the value with this number in [`Found::codebases`].
    Codebase(u32),
    /// The `xml:base` of the element or of one around it, by its number in [`Found::scopes`].
    Scope(u32),
    /// The base of the hyperlinks of a document of Office.
    Hyperlinks,
    /// The base of the document, as in browsers; in XML Base it is the scope with this number.
    IgnoredScope(u32),
    /// That of the value with this number: it is a condition on what that one loads.
    LoadOf(u32),
}

/// A place that contains a reference, or a document with some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    /// The value itself, without quotes; for a text, the whole text.
    pub(crate) span: Span,
    pub(crate) written: ValueEncoding,
    pub(crate) syntax: Syntax,
    pub(crate) slot: SlotId,
    pub(crate) against: Against,
    /// The characters that would end the reference at its position.
    pub(crate) delimiters: Delimiters,
    /// The way it is fetched, if its surroundings and not its slot alone decide.
    pub(crate) fetch: Option<Fetch>,
}

/// The characters that a reference cannot contain because the syntax around it would interpret
/// them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Delimiters {
    #[default]
    None,
    /// White space.
    Space,
    /// White space, and a comma at the start or the end.
    Candidate,
    /// Commas, and white space at the start or the end.
    Comma,
    /// The quote around a URL in a text: of a refresh, or of a filter of Internet Explorer.
    Quote(u8),
    /// Characters that would be read as a quote around the URL of a refresh.
    AfterUrl,
    /// The same, and text that would be read as the `url=` before it.
    Bare,
    /// Semicolons.
    Semicolon,
    /// Angle brackets.
    Angle,
    /// Characters that a parameter without quotes cannot contain (RFC 2045 5.1, `tspecials`).
    Token,
    /// Characters that a server-side include cannot contain, between these quotes or without any.
    Include(Option<u8>),
    /// Every text that would be a bare module specifier: all but absolute URLs and those that begin
    /// with `/`, `./` or `../` (HTML standard 8.1.6.2, "resolve a URL-like module specifier").
    Specifier,
    /// Angle brackets and white space: an autolink of Markdown.
    Autolink,
    /// The characters that end a bare URL in plain text.
    Running,
    /// All: the reference has two readings, so there is no safe replacement. A hyphen at the end of
    /// a line may belong to the URL or not (1996 appendix E); Markdown renderers write `\` as
    /// `%5C`, and browsers read it as `/`.
    Ambiguous,
    /// Texts that would not be read as a URL in an attribute that `--also` names: CSS, image
    /// candidates, JSON, or a switch, if there may be one.
    Attribute { may_be_switch: bool },
    /// White space, and the end of a comment: `*/`.
    Comment,
    /// Every text that is relative: the base around it is one of several.
    Absolute,
    /// All: an entity is part of the reference, and is never expanded.
    Entity,
    /// Characters with a meaning at the start of a line of Markdown.
    First(MarkdownForm),
}

impl Delimiters {
    /// Returns those of a URL in an attribute that `--also` names.
    pub(crate) fn of_extra(extras: &Extras, idx: usize) -> Self {
        Delimiters::Attribute { may_be_switch: extras.may_be_switch(idx) }
    }

    /// Returns true if `reference` would be read as a whole.
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
            // A leading quote would be read as the delimiter.
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
            Delimiters::Comment => !reference.contains(is_space) && !reference.contains("*/"),
            Delimiters::Absolute => is_absolute_for_any_base(reference, Dialect::Web),
            Delimiters::Ambiguous | Delimiters::Entity => false,
            Delimiters::First(form) => may_begin_line(reference, form),
        }
    }
}

impl Delimiters {
    /// Returns `reference`, a relative one, as it has to be written here: a leading `./` does not
    /// change its target.
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

/// Returns true if a server and a URL parser read `reference` alike: a path, which may have a
/// query. To the server `//x` is a path, `?x` is a file in its directory, and nothing has a scheme.
pub(crate) fn is_include_path(reference: &str) -> bool {
    let path = &reference[..reference.find('?').unwrap_or(reference.len())];
    let first = path.split('/').next().unwrap_or_default();
    !path.is_empty()
        && !path.starts_with("//")
        && !first.contains(':')
        && !reference.contains(|char: char| char <= ' ' || matches!(char, '\\' | '#' | '\x7F'))
}

/// Returns true if a destination at the start of a line of Markdown cannot be read as anything
/// else: a list item, a heading, a fence, a tag, a quote.
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
    /// Returns a reference in a text that is not encoded: one of a list, or of a line.
    pub(crate) fn item(span: Span, slot: SlotId, delimiters: Delimiters) -> Value {
        let written = ValueEncoding::In(Layer::Text);
        let (syntax, against) = (Syntax::Url, Against::Base);
        Value { span, written, syntax, slot, against, delimiters, fetch: None }
    }

    /// Returns an attribute value.
    pub(crate) fn attribute(
        span: Span,
        quote: Quote,
        slot: SlotId,
        syntax: Syntax,
        against: Against,
    ) -> Value {
        let written = ValueEncoding::In(Layer::Attribute(quote));
        Value { written, syntax, against, ..Value::item(span, slot, Delimiters::None) }
    }

    /// Returns a reference, or a list of some, that contains an entity: one text, shown as it is
    /// written.
    pub(crate) fn with_entity(span: Span, slot: SlotId, against: Against) -> Value {
        Value { against, ..Value::item(span, slot, Delimiters::Entity) }
    }

    /// Returns the text of an element or comment.
    pub(crate) fn text(span: Span, written: ValueEncoding, slot: SlotId, syntax: Syntax) -> Value {
        Value { written, syntax, ..Value::item(span, slot, Delimiters::None) }
    }

    /// Returns the moment whose base counts, if a `<base>` comes later.
    pub(crate) fn moment(&self) -> Moment {
        match self.against {
            Against::BaseAt(moment) => moment,
            _ => self.slot.row().map_or(Moment::Final, |slot| slot.moment),
        }
    }

    /// Sets that moment, if the value is resolved against the base of the document.
    pub(crate) fn set_moment(&mut self, moment: Moment) {
        if matches!(self.against, Against::Base | Against::BaseAt(_)) {
            self.against = Against::BaseAt(moment);
        }
    }

    /// Returns the sequences that an edit of the value must not create, because they would end the
    /// text early.
    pub(crate) fn guards(&self) -> Guards {
        if let ValueEncoding::In(Layer::CData | Layer::Xml(XmlPlace::Content, _)) = self.written {
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
            SlotId::SCRIPT_MODULE | SlotId::SCRIPT_TEMPLATE => &["</script", "<!--", "<script"],
            // These end a block of HTML in Markdown, or have a meaning inside its text.
            SlotId::MARKDOWN_HTML => {
                &["-->", "?>", "]]>", "</script", "</style", "</pre", "</textarea", "|", "`"]
            }
            _ => &[],
        };
        Guards { forbidden }
    }

    /// Returns a reference in a style sheet.
    pub(crate) fn css(span: Span, form: CssForm, slot: SlotId) -> Value {
        Value {
            written: ValueEncoding::In(Layer::Css(form)),
            ..Value::item(span, slot, Delimiters::None)
        }
    }
}

/// The initial capacity for values. Below the second number it is multiplied by four, then by two.
const FIRST_VALUES: usize = 4;
const FEW_VALUES: usize = 64;
/// The number of bytes of a document for which room for one value is made at first.
const BYTES_PER_VALUE: usize = 128;

/// Values in source order, limited by memory.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    values: Vec<Value>,
    /// The number of values that there is room for at first.
    first: usize,
    /// The maximum number of values; [`FULL`] after one was dropped.
    most: usize,
}

const FULL: usize = usize::MAX;

impl Default for Values {
    fn default() -> Self {
        Values { values: Vec::new(), first: FIRST_VALUES, most: FULL - 1 }
    }
}

impl Values {
    /// Adds a value. If there is no room, it is dropped and [`Values::is_full`] returns true.
    #[inline]
    pub(crate) fn push(&mut self, value: Value) {
        if self.values.len() < self.values.capacity() || self.grow() {
            self.values.push(value);
        }
    }

    /// Makes room for more values. Returns false if the maximum is reached.
    #[cold]
    fn grow(&mut self) -> bool {
        let len = self.values.len();
        if self.most <= len || self.is_full() {
            self.most = FULL;
            return false;
        }
        let room = match len {
            0 => self.first,
            1..FEW_VALUES => 3 * len,
            _ => len,
        };
        self.values.reserve_exact(room.min(self.most - len));
        true
    }

    /// Adds values while there is room.
    pub(crate) fn extend(&mut self, values: impl IntoIterator<Item = Value>) {
        values.into_iter().for_each(|value| self.push(value));
    }

    /// Removes the values from `start` on for which `is_kept` returns false.
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

    /// Returns true if a value was dropped, so that the list is incomplete.
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

/// The result of a syntax for one document.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub(crate) values: Values,
    /// The steps in which the base of the document changes, in order; the last is the base of the
    /// whole document.
    pub(crate) bases: Vec<BaseChange>,
    /// The number of values in the head, if other elements are seen: policies are only read there.
    pub(crate) n_in_head: Option<usize>,
    /// The values of `codebase` attributes that are the bases of others, with their own bases; they
    /// are found before the values resolved against them.
    pub(crate) codebases: Vec<(Span, Layer, Against)>,
    /// The scopes of `xml:base`, outer ones before inner ones.
    pub(crate) scopes: Vec<BaseScope>,
    /// True if elements that browsers read ignore these scopes.
    pub(crate) has_web_xml_base: bool,
    /// The charset that the first `meta` with a charset declares.
    pub(crate) charset: Option<Charset>,
    /// Embedded documents that are not read: the reason, and the offset.
    pub(crate) skipped: Vec<(SkipReason, usize)>,
    /// For values that are written in pieces: their layer, and the gaps as spans of the value.
    pub(crate) cuts: Vec<(Layer, Vec<Span>)>,
}

impl Found {
    /// Returns an empty list of values that may use `memory` bytes.
    pub(crate) fn within(room: usize) -> Found {
        let most = room / size_of::<Value>();
        Found { values: Values { most, ..Values::default() }, ..Found::default() }
    }

    /// Returns an empty list for a document of `len` bytes.
    pub(crate) fn of_length(len: usize, room: usize) -> Found {
        let mut found = Found::within(room);
        found.values.first = (len / BYTES_PER_VALUE).clamp(FIRST_VALUES, FEW_VALUES);
        found
    }

    /// Returns the bytes of memory that its lists use.
    pub(crate) fn memory(&self) -> usize {
        size_of_val(&*self.values)
            + size_of_val(&*self.bases)
            + size_of_val(&*self.codebases)
            + size_of_val(&*self.scopes)
            + size_of_val(&*self.skipped)
            + self.cuts.iter().map(|(_, gaps)| size_of_val(&**gaps)).sum::<usize>()
    }

    /// Adds a `codebase`. Returns its number.
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

    /// Adds an `xml:base`. Returns the number of its scope.
    pub(crate) fn add_scope(&mut self, scope: BaseScope) -> Option<u32> {
        let idx = u32::try_from(self.scopes.len()).ok()?;
        self.scopes.push(scope);
        Some(idx)
    }

    /// Returns for each scope of `xml:base` whether a reference resolves against it: always, except
    /// in documents of browsers, where only elements of other namespaces use them.
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

    /// Returns an unknown scope that a reference resolves against.
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

    /// Adds the layer of a value in pieces, and its gaps. Returns their number.
    pub(crate) fn add_cuts(&mut self, layer: Layer, gaps: Vec<Span>) -> Option<u32> {
        let idx = u32::try_from(self.cuts.len()).ok()?;
        self.cuts.push((layer, gaps));
        Some(idx)
    }
}
