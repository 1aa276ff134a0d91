//! The table of slots: every place that can contain a reference, with its kind and syntax.
//!
//! Invariant: a slot's number is its row; the rows of one format are contiguous.

mod fetch;
mod format;
mod html;
mod json;
mod other;
mod script;
mod text;
mod xml;

use std::fmt;

use basectx::html::Namespace;

pub use fetch::Fetch;
pub use format::Format;
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
        }
    }

    /// Returns true if its base and its text give the target of such a reference.
    pub const fn has_target(self) -> bool {
        !matches!(self, Kind::Local | Kind::Template | Kind::Class | Kind::File | Kind::Embedded)
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
pub enum Syntax {
    /// One URL, which may have white space around it.
    Url,
    /// URLs separated by white space.
    SpaceList,
    /// URLs separated by commas.
    CommaList,
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
    /// A whole XML document.
    Xml,
    /// A server-side include: the text after `<!--#`.
    Include,
    /// An ECMAScript module.
    Module,
    /// Plain text that is searched for URLs.
    PlainText,
    /// Markdown.
    Markdown,
    /// JSON of this type.
    Json(JsonType),
}

impl Syntax {
    /// Returns true if such a document uses the base in effect when the parser reaches it, and no
    /// later `<base>` (HTML standard, "about base URL" and "prepare the script element"). Linked
    /// data is read later, and by other programs.
    pub(crate) const fn has_base_of_moment(self) -> bool {
        matches!(
            self,
            Syntax::Html
                | Syntax::Module
                | Syntax::Json(JsonType::ImportMap | JsonType::SpeculationRules)
        )
    }

    /// Returns true if such a text counts as a document in reports, and not as a list inside one.
    pub const fn is_document(self) -> bool {
        matches!(
            self,
            Syntax::Html
                | Syntax::HtmlFragment
                | Syntax::Stylesheet
                | Syntax::Declarations
                | Syntax::Xml
                | Syntax::Module
                | Syntax::Json(_)
        )
    }

    /// Returns true if such a text is split at separators. A template cannot be split, because the
    /// end of its marks is unknown.
    pub(crate) const fn is_list(self) -> bool {
        matches!(
            self,
            Syntax::SpaceList
                | Syntax::CommaList
                | Syntax::Candidates
                | Syntax::CandidateSets
                | Syntax::Task
                | Syntax::SchemaPairs
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
    /// `property` or `name` is in the closed list of properties with a URL.
    MetaName,
    /// `name=msapplication-task`
    MetaTask,
    /// `itemprop` is image, url, logo, contentUrl or thumbnailUrl.
    Itemprop,
    /// `type` is html, or text/html.
    HtmlText,
}

/// The number of a slot: its row in [`SLOTS`], or past the end an attribute named by the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SlotId(u16);

/// A place that can contain a reference.
#[derive(Clone, Copy, Debug)]
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
    &script::SSI,
    &script::MODULES,
    &text::TEXT,
    &text::MARKDOWN,
    &json::MANIFEST,
    &json::IMPORT_MAP,
    &json::SPECULATION_RULES,
    &json::LINKED_DATA,
    &json::FEED,
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

/// The index in [`SLOTS`] of the first HTML attribute; the engines look these up by name.
pub(crate) const ATTRIBUTES_START: usize =
    html::TEXTS.len() + other::HEADERS.len() + other::HTTP.len() + other::CSS.len();

/// The index after the last of them.
pub(crate) const ATTRIBUTES_END: usize = ATTRIBUTES_START + html::ATTRIBUTES.len();

/// The index in [`SLOTS`] of the first XML element.
pub(crate) const XML_START: usize = ATTRIBUTES_END + xml::OUTSIDE.len();

/// The index after the last of them.
pub(crate) const XML_END: usize = XML_START + xml::INSIDE.len();

pub(crate) use xml::Vocabulary;

impl SlotId {
    pub(crate) const CONDITIONAL_COMMENT: SlotId = SlotId::named("conditional comment");
    pub(crate) const IFRAME: SlotId = SlotId::named("iframe");
    pub(crate) const IFRAME_SRCDOC: SlotId = SlotId::named("iframe[srcdoc]");
    pub(crate) const NOEMBED: SlotId = SlotId::named("noembed");
    pub(crate) const NOFRAMES: SlotId = SlotId::named("noframes");
    pub(crate) const NOSCRIPT: SlotId = SlotId::named("noscript");
    pub(crate) const IMPORTMAP_SPECIFIER: SlotId = SlotId::named("importmap specifier");
    pub(crate) const SCRIPT_IMPORTMAP: SlotId = SlotId::named("script importmap");
    pub(crate) const SCRIPT_LINKED_DATA: SlotId = SlotId::named("script ld+json");
    pub(crate) const SCRIPT_SPECULATIONRULES: SlotId = SlotId::named("script speculationrules");
    pub(crate) const STYLE: SlotId = SlotId::named("style");
    pub(crate) const SVG_STYLE: SlotId = SlotId::named("svg style");
    pub(crate) const CSS_IMPORT: SlotId = SlotId::named("css @import");
    pub(crate) const CSS_IMAGE_SET: SlotId = SlotId::named("css image-set()");
    pub(crate) const CSS_SRC: SlotId = SlotId::named("css src()");
    pub(crate) const CSS_URL: SlotId = SlotId::named("css url()");
    pub(crate) const LINK_HREF: SlotId = SlotId::named("link[href]");
    pub(crate) const SVG_HREF: SlotId = SlotId::named("svg *[href]");
    pub(crate) const SVG_XLINK_HREF: SlotId = SlotId::named("svg *[xlink:href]");
    pub(crate) const BASE_HREF: SlotId = SlotId::named("base[href]");
    pub(crate) const ARCHIVED_AT: SlotId = SlotId::named("header Archived-At");
    pub(crate) const BASE: SlotId = SlotId::named("header Base");
    pub(crate) const CONTENT_BASE: SlotId = SlotId::named("header Content-Base");
    pub(crate) const CONTENT_LOCATION: SlotId = SlotId::named("header Content-Location");
    pub(crate) const CONTENT_TYPE: SlotId = SlotId::named("header Content-Type");
    pub(crate) const LINK: SlotId = SlotId::named("header Link");
    pub(crate) const LOCATION: SlotId = SlotId::named("header Location");
    pub(crate) const SOURCE_MAP: SlotId = SlotId::named("header SourceMap");
    pub(crate) const X_SOURCE_MAP: SlotId = SlotId::named("header X-SourceMap");
    pub(crate) const ORIGINAL_LINK: SlotId = SlotId::named("header X-Archive-Orig-Link");
    pub(crate) const X_URL: SlotId = SlotId::named("header X-URL");
    pub(crate) const TEXT_URL: SlotId = SlotId::named("text URL");
    pub(crate) const MARKDOWN_AUTOLINK: SlotId = SlotId::named("markdown autolink");
    pub(crate) const MARKDOWN_DEFINITION: SlotId = SlotId::named("markdown definition");
    pub(crate) const MARKDOWN_HTML: SlotId = SlotId::named("markdown html");
    pub(crate) const MARKDOWN_IMAGE: SlotId = SlotId::named("markdown image");
    pub(crate) const MARKDOWN_LINK: SlotId = SlotId::named("markdown link");
    pub(crate) const REFRESH: SlotId = SlotId::named("header Refresh");
    pub(crate) const SSI_FILE: SlotId = SlotId::named("ssi file");
    pub(crate) const SSI_VIRTUAL: SlotId = SlotId::named("ssi virtual");
    pub(crate) const JS_EXPORT: SlotId = SlotId::named("js export");
    pub(crate) const JS_IMPORT: SlotId = SlotId::named("js import");
    pub(crate) const JS_DYNAMIC_IMPORT: SlotId = SlotId::named("js import()");
    pub(crate) const SCRIPT_MODULE: SlotId = SlotId::named("script module");

    pub(crate) const XML_DOCTYPE: SlotId = SlotId::named("xml doctype");
    pub(crate) const XML_ENTITY: SlotId = SlotId::named("xml entity");
    pub(crate) const XML_NOTATION: SlotId = SlotId::named("xml notation");
    pub(crate) const XML_MODEL: SlotId = SlotId::named("xml-model[href]");
    pub(crate) const XML_STYLESHEET: SlotId = SlotId::named("xml-stylesheet[href]");
    pub(crate) const XML_BASE: SlotId = SlotId::named("*[xml:base]");

    /// The slots in the content of a document that define a base.
    const FOLDERS: [SlotId; 4] = [
        SlotId::XML_BASE,
        SlotId::BASE_HREF,
        SlotId::named("object[codebase]"),
        SlotId::named("applet[codebase]"),
    ];

    /// Returns true if the value of the slot may be the base of other references.
    pub(crate) fn gives_base(self) -> bool {
        const FIELDS: [SlotId; 3] = [SlotId::BASE, SlotId::CONTENT_BASE, SlotId::CONTENT_LOCATION];
        SlotId::FOLDERS.contains(&self) || FIELDS.contains(&self)
    }

    /// Returns true if a value that points to `target` names a directory, and not the document that
    /// a server returns for it.
    pub fn is_folder(self, target: &str) -> bool {
        // These apply to every URL with that prefix.
        const PREFIXES: [SlotId; 4] = [
            SlotId::named("importmap address"),
            SlotId::IMPORTMAP_SPECIFIER,
            SlotId::named("importmap scope"),
            SlotId::named("manifest scope"),
        ];
        let is_prefix = || target.split(['?', '#']).next().is_some_and(|path| path.ends_with('/'));
        SlotId::FOLDERS.contains(&self) || (PREFIXES.contains(&self) && is_prefix())
    }

    /// Returns true if a value that points to `target` is never fetched itself: a directory, or a
    /// specifier that an import map resolves.
    pub fn is_never_fetched(self, target: &str) -> bool {
        const FIELDS: [SlotId; 2] = [SlotId::BASE, SlotId::CONTENT_BASE];
        self == SlotId::IMPORTMAP_SPECIFIER || FIELDS.contains(&self) || self.is_folder(target)
    }

    /// Returns true if the value of the slot can only be a path.
    pub(crate) fn is_path_only(self) -> bool {
        self.row().is_ok_and(|slot| slot.is_path_only)
    }

    /// Returns the slot with this name; a name that is not in the table does not compile.
    #[allow(clippy::cast_possible_truncation)] // The table has about a hundred rows.
    pub(crate) const fn named(name: &str) -> SlotId {
        let mut idx = 0;
        loop {
            if is_same(SLOTS[idx].name, name) {
                return SlotId(idx as u16);
            }
            idx += 1;
        }
    }

    #[allow(clippy::cast_possible_truncation)] // The table has about a hundred rows.
    pub(crate) fn of_row(row: usize) -> SlotId {
        SlotId(row as u16)
    }

    /// Returns the number of the attribute named by the user that has the given index.
    #[allow(clippy::cast_possible_truncation)] // There are as many as fit on a command line.
    pub(crate) fn of_extra(idx: usize) -> SlotId {
        SlotId((SLOTS.len() + idx) as u16)
    }

    /// Returns the row in [`SLOTS`], or past its end the index of an attribute named by the user.
    pub(crate) fn row(self) -> Result<&'static Slot, usize> {
        let idx = usize::from(self.0);
        SLOTS.get(idx).ok_or_else(|| idx - SLOTS.len())
    }
}

const fn is_same(a: &str, b: &str) -> bool {
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
