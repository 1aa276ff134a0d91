//! The table of slots: every place that can contain a reference, with its kind and syntax.
//!
//! Invariant: a slot's number is its row; the rows of one format are contiguous.

mod fetch;
mod html;
mod id;
mod json;
mod other;
mod xml;

use std::fmt;

use basectx::html::Namespace;

pub use fetch::Fetch;
pub use fetch::Moment;
pub use id::Format;
pub use json::JsonType;

/// The role of a reference in its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A URL that follows the base.
    Url,
    /// `#name` in a slot where it refers to this document, whatever the base.
    Local,
    /// One of a list of URLs.
    List,
    /// One of the image candidates of a `srcset`.
    Candidates,
    /// An identifier, not a link: `itemid`.
    Id,
    /// A template filled in when the document is served: `{{ url }}`.
    Template,
    /// The name of a class: `applet[code]`.
    Class,
    /// The name of a file, which is not a URL: `include file=`.
    File,
    /// Not a reference, but a document that may contain some: `iframe[srcdoc]`, `*[style]`.
    Embedded,
    /// Not a reference, but a condition on what a page loads or executes: `link[integrity]`.
    Condition,
}

impl Kind {
    /// Returns the name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Url => "url",
            Kind::Local => "local",
            Kind::List => "list",
            Kind::Candidates => "candidates",
            Kind::Id => "id",
            Kind::Template => "template",
            Kind::Class => "class",
            Kind::File => "file",
            Kind::Embedded => "embedded",
            Kind::Condition => "condition",
        }
    }

    /// Returns true if its base and its text give the target of such a reference.
    pub const fn has_target(self) -> bool {
        !matches!(
            self,
            Kind::Local
                | Kind::Template
                | Kind::Class
                | Kind::File
                | Kind::Embedded
                | Kind::Condition
        )
    }

    /// Returns true if it is a link and not only a name.
    pub const fn is_link(self) -> bool {
        self.has_target() && !matches!(self, Kind::Id)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The syntax of the text of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Syntax {
    /// One URL, which may have white space around it.
    Url,
    /// URLs separated by white space.
    SpaceList,
    /// URLs separated by commas.
    CommaList,
    /// URLs separated by semicolons.
    SemicolonList,
    /// Image candidates: `a.png 1x, b.png 2x`.
    Candidates,
    /// Sets of image candidates, each with a media query: `a.png 1x [(width > 9em)] | b.png`.
    CandidateSets,
    /// `5; url=next.html`
    Refresh,
    /// `name=…; action-uri=…; icon-uri=…`
    Task,
    /// A whole HTML document.
    Html,
    /// HTML inside an HTML document, with the same base.
    HtmlFragment,
    /// A style sheet.
    Stylesheet,
    /// CSS declarations, or the value of one.
    Declarations,
    /// Names of namespaces, each followed by the URL of a schema.
    SchemaPairs,
    /// The links of a `Link` header field.
    Links,
    /// A server-side include: the text after `<!--#`.
    Include,
    /// A field code of a word processor: `HYPERLINK "a.docx"`.
    FieldCode,
    /// A formula of a spreadsheet: `HYPERLINK("a.ods")`.
    Formula,
    /// An ECMAScript module.
    Module,
    /// Plain text that is searched for URLs.
    PlainText,
    /// JSON of this type.
    Json(JsonType),
}

impl Syntax {
    /// Returns true if such a text counts as a document in reports, and not as a list inside one.
    #[inline]
    pub const fn is_document(self) -> bool {
        matches!(
            self,
            Syntax::Html
                | Syntax::HtmlFragment
                | Syntax::Stylesheet
                | Syntax::Declarations
                | Syntax::Module
                | Syntax::Json(_)
        )
    }

    /// Returns true if such a text is split at separators. A template cannot be split, because the
    /// end of its marks is unknown.
    #[inline]
    pub(crate) const fn is_list(self) -> bool {
        matches!(
            self,
            Syntax::SpaceList
                | Syntax::CommaList
                | Syntax::SemicolonList
                | Syntax::Candidates
                | Syntax::CandidateSets
                | Syntax::Task
                | Syntax::SchemaPairs
                | Syntax::Links
                | Syntax::FieldCode
                | Syntax::Formula
        )
    }
}

/// A condition on the rest of the tag for the slot to apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    Always,
    /// `rel` contains `canonical`.
    Canonical,
    /// `valuetype=ref`, or `name` is movie, src, url or filename.
    Param,
    /// `http-equiv=refresh`
    Refresh,
    /// `http-equiv=content-location`
    ContentLocation,
    /// `http-equiv=link`
    Link,
    /// `http-equiv=content-security-policy`
    Policy,
    /// `property` or `name` is in the closed list of properties with a URL.
    MetaName,
    /// `name` is msapplication-task, msapplication-badge or msapplication-notification.
    MetaTask,
    /// `itemprop` is image, url, logo, contentUrl or thumbnailUrl.
    Itemprop,
    /// `itemprop` is another property that may have a URL, and the content is one that is absolute.
    SchemaOrg,
    /// `attributeName` is `href` or `xlink:href`.
    Animation,
    /// `value` is an absolute URL.
    AbsoluteValue,
    /// `type` is html, or text/html.
    HtmlText,
    /// `TargetMode` is `External`.
    External,
    /// `environment-image` is not the name of a built-in environment.
    Environment,
}

/// The number of a slot: its row in [`SLOTS`], or past the end an attribute named by the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SlotId(u16);

/// A place that can contain a reference.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Slot {
    /// The name in reports and filters: `a[href]`, `svg *[xlink:href]`, `css url()`.
    pub name: &'static str,
    /// The format of its documents.
    pub format: Format,
    /// The kind of its references.
    pub kind: Kind,
    /// The syntax of its text.
    pub syntax: Syntax,
    /// True if `#name` there refers to this document, whatever the base.
    pub is_local: bool,
    /// True if an empty value is a reference there.
    pub may_be_empty: bool,
    /// True if a `codebase` on the same element is its base.
    pub is_on_codebase: bool,
    /// True if it stays relative to the `codebase` on the same element.
    pub is_fixed: bool,
    /// True if other programs than the document's readers read it: it is always made absolute.
    pub is_always_absolute: bool,
    /// True if it can only be a path, so that it is never made absolute.
    pub is_path_only: bool,
    /// The moment whose base counts, if a `<base>` comes after it.
    pub moment: Moment,
    /// The name that enables it (`--also NAME`), if it is off by default.
    pub opt_in_name: Option<&'static str>,
    pub(crate) namespace: Option<Namespace>,
    pub(crate) element: &'static str,
    pub(crate) attribute: &'static str,
    pub(crate) test: Test,
    /// In XML, the vocabulary of its element or attribute.
    pub(crate) vocabulary: Vocabulary,
}

impl Slot {
    const fn empty(mut self) -> Self {
        self.may_be_empty = true;
        self
    }

    const fn local(mut self) -> Self {
        self.is_local = true;
        self
    }

    const fn on_codebase(mut self) -> Self {
        self.is_on_codebase = true;
        self
    }

    const fn fixed(mut self) -> Self {
        self.is_fixed = true;
        self
    }

    const fn absolute(mut self) -> Self {
        self.is_always_absolute = true;
        self
    }

    const fn path(mut self) -> Self {
        self.is_path_only = true;
        self
    }

    const fn parsed(mut self) -> Self {
        self.moment = Moment::Parsed;
        self
    }

    const fn either(mut self) -> Self {
        self.moment = Moment::Either;
        self
    }

    const fn enabled_by(mut self, name: &'static str) -> Self {
        self.opt_in_name = Some(name);
        self
    }

    const fn when(mut self, test: Test) -> Self {
        self.test = test;
        self
    }
}

/// Returns a slot of a format with the common defaults.
const fn row(format: Format, name: &'static str, kind: Kind, syntax: Syntax) -> Slot {
    Slot {
        name,
        format,
        kind,
        syntax,
        is_local: false,
        may_be_empty: false,
        is_on_codebase: false,
        is_fixed: false,
        is_always_absolute: false,
        is_path_only: false,
        moment: Moment::Final,
        opt_in_name: None,
        namespace: None,
        element: "",
        attribute: "",
        test: Test::Always,
        vocabulary: Vocabulary::Other,
    }
}

/// The rows of all formats, in the order of the table.
const TABLES: &[&[Slot]] = &[
    &html::TEXTS,
    &other::HEADERS,
    &other::HTTP,
    &other::CSS,
    &html::ATTRIBUTES,
    &xml::OUTSIDE,
    &xml::INSIDE,
    &other::SSI,
    &other::MODULES,
    &other::TEMPLATES,
    &other::TEXT,
    &other::MARKDOWN,
    &json::MANIFEST,
    &json::IMPORT_MAP,
    &json::SPECULATION_RULES,
    &json::LINKED_DATA,
    &json::FEED,
    &json::SOURCE_MAP,
    &other::LINES,
    &html::CONDITIONS,
];

const N_SLOTS: usize = {
    let (mut n, mut idx) = (0, 0);
    while idx < TABLES.len() {
        n += TABLES[idx].len();
        idx += 1;
    }
    n
};

static ALL: [Slot; N_SLOTS] = {
    let mut all = [html::TEXTS[0]; N_SLOTS];
    let (mut n, mut idx) = (0, 0);
    while idx < TABLES.len() {
        let mut row = 0;
        while row < TABLES[idx].len() {
            all[n] = TABLES[idx][row];
            n += 1;
            row += 1;
        }
        idx += 1;
    }
    all
};

/// Every slot.
pub const SLOTS: &[Slot] = &ALL;

/// The index in [`SLOTS`] of the first header field that only responses have.
const HTTP_START: usize = html::TEXTS.len() + other::HEADERS.len();

/// The index in [`SLOTS`] of the first HTML attribute; the engines look these up by name.
pub(crate) const ATTRIBUTES_START: usize = HTTP_START + other::HTTP.len() + other::CSS.len();

/// The index after the last of them.
pub(crate) const ATTRIBUTES_END: usize = ATTRIBUTES_START + html::ATTRIBUTES.len();

/// The index in [`SLOTS`] of the first XML element.
pub(crate) const XML_START: usize = ATTRIBUTES_END + xml::OUTSIDE.len();

/// The index after the last of them.
pub(crate) const XML_END: usize = XML_START + xml::INSIDE.len();

pub(crate) use xml::Vocabulary;

/// Returns true if two names are the same, in constants too.
pub(crate) const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut idx = 0;
    while a.len() == b.len() && idx < a.len() && a[idx] == b[idx] {
        idx += 1;
    }
    a.len() == b.len() && idx == a.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attribute_rows_are_sorted_and_particular_ones_come_first() {
        let html = Some(Namespace::Html);
        let key = |slot: &Slot| (slot.attribute, slot.namespace != html, slot.element.is_empty());
        let rows = &SLOTS[ATTRIBUTES_START..ATTRIBUTES_END];
        assert!(rows.iter().all(|slot| !slot.attribute.is_empty()));
        assert!(rows.windows(2).all(|pair| key(&pair[0]) <= key(&pair[1])));
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = SLOTS.iter().map(|slot| slot.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SLOTS.len());
    }
}
