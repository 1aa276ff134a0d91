//! The table of slots: every place where a reference can stand, and what stands there.
//!
//! Invariant: a slot's number is its row; the rows of one format stand together.

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

/// What a reference is to its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A URL that follows the base.
    Url,
    /// `#name` in a slot where it means this document, whatever the base.
    Local,
    /// One of a list of URLs.
    List,
    /// One of the image candidates of a `srcset`.
    Candidates,
    /// An identity, not a link: `itemid`.
    Id,
    /// Filled in when the document is served: `{{ url }}`.
    Template,
    /// The name of a class: `applet[code]`.
    Class,
    /// The name of a file, which is no URL: `include file=`.
    File,
    /// No reference at all, but a document that may hold some: `iframe[srcdoc]`, `*[style]`.
    Embedded,
}

impl Kind {
    /// The word for reports.
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
}

impl Kind {
    /// Whether a reference of this kind points where its base and its text tell.
    pub const fn has_target(self) -> bool {
        !matches!(self, Kind::Local | Kind::Template | Kind::Class | Kind::File | Kind::Embedded)
    }
}

impl Kind {
    /// Whether it leads somewhere, and does not only name something.
    pub const fn is_link(self) -> bool {
        self.has_target() && !matches!(self, Kind::Id)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How the text of a slot is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// One URL, with white space around it.
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
    /// CSS declarations, or one value of them.
    Declarations,
    /// Names of namespaces, each followed by the URL of a schema.
    SchemaPairs,
    /// A whole XML document.
    Xml,
    /// A server-side include: what follows `<!--#`.
    Include,
    /// A module of ECMAScript.
    Module,
    /// Running text in which URLs are looked for.
    PlainText,
    /// Markdown.
    Markdown,
    /// JSON of this type.
    Json(JsonType),
}

impl Syntax {
    /// Whether such a document takes the base that holds when the parser meets it, and no `<base>` after it (HTML standard, "about base URL"
    /// and "prepare the script element"). Linked data is read later, and by others.
    pub(crate) const fn has_base_of_moment(self) -> bool {
        matches!(
            self,
            Syntax::Html
                | Syntax::Module
                | Syntax::Json(JsonType::ImportMap | JsonType::SpeculationRules)
        )
    }

    /// Whether what is written so counts as a document of its own in reports, and not as a list inside one.
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
}

impl Syntax {
    /// Whether what is written so is cut at separators. A template cannot be: where its marks end is not known.
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

/// What else a tag must hold for the slot to be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    Always,
    /// `rel` holds `canonical`.
    Canonical,
    /// `valuetype=ref`, or `name` is movie, src, url or filename.
    Param,
    /// `http-equiv=refresh`
    Refresh,
    /// `property` or `name` is in the closed list of those that hold a URL.
    MetaName,
    /// `name=msapplication-task`
    MetaTask,
    /// `itemprop` is image, url, logo, contentUrl or thumbnailUrl.
    Itemprop,
    /// `type` is html, or text/html.
    HtmlText,
}

/// The number of a slot: its row in [`SLOTS`], or past it an attribute asked for by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SlotId(u16);

/// A place where a reference can stand.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// The name in reports and filters: `a[href]`, `svg *[xlink:href]`, `css url()`.
    pub name: &'static str,
    /// In which documents it is.
    pub format: Format,
    /// What stands there.
    pub kind: Kind,
    /// How it is written.
    pub syntax: Syntax,
    /// Whether `#name` there means this document, whatever the base.
    pub is_local: bool,
    /// Whether an empty value is a reference there.
    pub may_be_empty: bool,
    /// Whether a `codebase` beside it is its base.
    pub is_on_codebase: bool,
    /// Whether it stays relative to the `codebase` beside it.
    pub is_fixed: bool,
    /// Whether it is read by others than the document's readers, and is made absolute wherever the rest goes.
    pub is_always_absolute: bool,
    /// Whether it can only be a path, so that it is never made absolute.
    pub is_path_only: bool,
    /// The name under which it has to be asked for (`--also NAME`), if it is not read else.
    pub opt_in_name: Option<&'static str>,
    pub(crate) namespace: Option<Namespace>,
    pub(crate) element: &'static str,
    pub(crate) attribute: &'static str,
    pub(crate) test: Test,
    /// For XML, whose element or attribute it is.
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

/// A slot of a format; what its rows have in common is filled in there.
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

/// Where in [`SLOTS`] the attributes of HTML begin, which the engines look up by their names.
pub(crate) const ATTRIBUTES_START: usize =
    html::TEXTS.len() + other::HEADERS.len() + other::HTTP.len() + other::CSS.len();

/// Where they end.
pub(crate) const ATTRIBUTES_END: usize = ATTRIBUTES_START + html::ATTRIBUTES.len();

/// Where in [`SLOTS`] the elements of XML begin.
pub(crate) const XML_START: usize = ATTRIBUTES_END + xml::OUTSIDE.len();

/// Where they end.
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

    /// What tells a base in the content of a document.
    const FOLDERS: [SlotId; 4] = [
        SlotId::XML_BASE,
        SlotId::BASE_HREF,
        SlotId::named("object[codebase]"),
        SlotId::named("applet[codebase]"),
    ];

    /// Whether what stands there may tell the base of other references.
    pub(crate) fn tells_base(self) -> bool {
        const FIELDS: [SlotId; 3] = [SlotId::BASE, SlotId::CONTENT_BASE, SlotId::CONTENT_LOCATION];
        SlotId::FOLDERS.contains(&self) || FIELDS.contains(&self)
    }

    /// Whether what stands there, and leads to `target`, names a folder, and not the document that a server shows for it.
    pub fn is_folder(self, target: &str) -> bool {
        // What they say holds for all that begins so.
        const PREFIXES: [SlotId; 4] = [
            SlotId::named("importmap address"),
            SlotId::IMPORTMAP_SPECIFIER,
            SlotId::named("importmap scope"),
            SlotId::named("manifest scope"),
        ];
        let is_prefix = || target.split(['?', '#']).next().is_some_and(|path| path.ends_with('/'));
        SlotId::FOLDERS.contains(&self) || (PREFIXES.contains(&self) && is_prefix())
    }

    /// Whether what stands there, and leads to `target`, is never fetched itself: a folder, or a name that an import map explains.
    pub fn is_never_fetched(self, target: &str) -> bool {
        const FIELDS: [SlotId; 2] = [SlotId::BASE, SlotId::CONTENT_BASE];
        self == SlotId::IMPORTMAP_SPECIFIER || FIELDS.contains(&self) || self.is_folder(target)
    }

    /// Whether what stands there can only be a path.
    pub(crate) fn is_path_only(self) -> bool {
        self.row().is_ok_and(|slot| slot.is_path_only)
    }

    /// The slot of a name; a name that is not in the table does not compile.
    #[allow(clippy::cast_possible_truncation)] // The table has some hundred rows.
    pub(crate) const fn named(name: &str) -> SlotId {
        let mut idx = 0;
        loop {
            if is_same(SLOTS[idx].name, name) {
                return SlotId(idx as u16);
            }
            idx += 1;
        }
    }

    #[allow(clippy::cast_possible_truncation)] // The table has some hundred rows.
    pub(crate) fn of_row(row: usize) -> SlotId {
        SlotId(row as u16)
    }

    /// The number of the attribute asked for by name that has the given index.
    #[allow(clippy::cast_possible_truncation)] // There are as many as stand on a command line.
    pub(crate) fn of_extra(idx: usize) -> SlotId {
        SlotId((SLOTS.len() + idx) as u16)
    }

    /// The row in [`SLOTS`], or past its end the index of an attribute asked for by name.
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
