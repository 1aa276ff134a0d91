//! The table of slots: every place where a reference can stand, and what stands there.
//!
//! Invariant: the attribute rows are sorted by attribute, rows of one element before rows of any element; a slot's number is its row.
//! HTML standard, index of attributes; HTML 4.01, index of attributes; CSS Values level 4, section 4.5.

use std::fmt;

use basectx::html::Namespace;

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
            Kind::Embedded => "embedded",
        }
    }
}

impl Kind {
    /// Whether a reference of this kind points where its base and its text tell.
    pub const fn has_target(self) -> bool {
        !matches!(self, Kind::Local | Kind::Template | Kind::Class | Kind::Embedded)
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
}

impl Syntax {
    /// Whether what is written so counts as a document of its own in reports, and not as a list inside one.
    pub const fn is_document(self) -> bool {
        matches!(
            self,
            Syntax::Html | Syntax::HtmlFragment | Syntax::Stylesheet | Syntax::Declarations
        )
    }
}

impl Syntax {
    /// Whether what is written so is cut at separators. A template cannot be: where its marks end is not known.
    pub(crate) const fn is_list(self) -> bool {
        matches!(self, Syntax::SpaceList | Syntax::CommaList | Syntax::Candidates | Syntax::Task)
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
}

/// The number of a slot: its row in [`SLOTS`], or past it an attribute asked for by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SlotId(u16);

/// A place where a reference can stand.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// The name in reports and filters: `a[href]`, `svg *[xlink:href]`, `css url()`.
    pub name: &'static str,
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
    pub(crate) namespace: Option<Namespace>,
    pub(crate) element: &'static str,
    pub(crate) attribute: &'static str,
    pub(crate) test: Test,
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

    const fn when(mut self, test: Test) -> Self {
        self.test = test;
        self
    }
}

const HTML: Option<Namespace> = Some(Namespace::Html);
const SVG: Option<Namespace> = Some(Namespace::Svg);
const MATHML: Option<Namespace> = Some(Namespace::MathMl);

const fn row(
    namespace: Option<Namespace>,
    name: &'static str,
    element: &'static str,
    attribute: &'static str,
    kind: Kind,
    syntax: Syntax,
) -> Slot {
    let test = Test::Always;
    let (is_local, may_be_empty, is_on_codebase, is_fixed) = (false, false, false, false);
    Slot {
        name,
        kind,
        syntax,
        is_local,
        may_be_empty,
        is_on_codebase,
        is_fixed,
        is_always_absolute: false,
        namespace,
        element,
        attribute,
        test,
    }
}

/// A field of a heading, by its name after the first word.
const fn header(name: &'static str, kind: Kind) -> Slot {
    row(None, name, "", "", kind, Syntax::Url)
}

/// Every slot. First the texts of elements, the fields of headings (RFC 2557 4; RFC 2369; RFC 5064; RFC 8288; RFC 2017) and the places in
/// style sheets, then the attributes.
#[rustfmt::skip]
pub const SLOTS: &[Slot] = &[
    row(None, "conditional comment", "conditional comment", "", Kind::Embedded, Syntax::HtmlFragment),
    row(None, "iframe", "iframe", "", Kind::Embedded, Syntax::HtmlFragment),
    row(None, "noembed", "noembed", "", Kind::Embedded, Syntax::HtmlFragment),
    row(None, "noframes", "noframes", "", Kind::Embedded, Syntax::HtmlFragment),
    row(None, "noscript", "noscript", "", Kind::Embedded, Syntax::HtmlFragment),
    row(None, "style", "style", "", Kind::Embedded, Syntax::Stylesheet),
    row(None, "svg style", "svg style", "", Kind::Embedded, Syntax::Stylesheet),
    header("header Archived-At", Kind::Url).absolute(),
    header("header Base", Kind::Url).absolute(),
    header("header Content-Base", Kind::Url).absolute(),
    header("header Content-Location", Kind::Url).absolute(),
    header("header Content-Type", Kind::Url).absolute(),
    header("header Link", Kind::List),
    header("header List-Archive", Kind::List).absolute(),
    header("header List-Help", Kind::List).absolute(),
    header("header List-Owner", Kind::List).absolute(),
    header("header List-Post", Kind::List).absolute(),
    header("header List-Subscribe", Kind::List).absolute(),
    header("header List-Unsubscribe", Kind::List).absolute(),
    header("header Refresh", Kind::Url).empty(),
    header("header Snapshot-Content-Location", Kind::Url).absolute(),
    header("header X-URL", Kind::Url).absolute(),
    row(None, "css @import", "", "", Kind::Url, Syntax::Url).local(),
    row(None, "css image-set()", "", "", Kind::Url, Syntax::Url).local(),
    row(None, "css src()", "", "", Kind::Url, Syntax::Url).local(),
    row(None, "css url()", "", "", Kind::Url, Syntax::Url).local(),
    row(HTML, "form[action]", "form", "action", Kind::Url, Syntax::Url),
    row(HTML, "object[archive]", "object", "archive", Kind::List, Syntax::SpaceList).on_codebase(),
    row(HTML, "applet[archive]", "applet", "archive", Kind::List, Syntax::CommaList).on_codebase().fixed(),
    row(HTML, "*[attributionsrc]", "", "attributionsrc", Kind::List, Syntax::SpaceList),
    row(HTML, "*[background]", "", "background", Kind::Url, Syntax::Url),
    row(HTML, "blockquote[cite]", "blockquote", "cite", Kind::Url, Syntax::Url).empty(),
    row(HTML, "q[cite]", "q", "cite", Kind::Url, Syntax::Url).empty(),
    row(HTML, "ins[cite]", "ins", "cite", Kind::Url, Syntax::Url).empty(),
    row(HTML, "del[cite]", "del", "cite", Kind::Url, Syntax::Url).empty(),
    row(HTML, "object[classid]", "object", "classid", Kind::Url, Syntax::Url).on_codebase(),
    row(SVG, "svg *[clip-path]", "", "clip-path", Kind::Embedded, Syntax::Declarations),
    row(HTML, "applet[code]", "applet", "code", Kind::Class, Syntax::Url),
    row(HTML, "object[codebase]", "object", "codebase", Kind::Url, Syntax::Url),
    row(HTML, "applet[codebase]", "applet", "codebase", Kind::Url, Syntax::Url),
    row(HTML, "meta[refresh]", "meta", "content", Kind::Url, Syntax::Refresh).when(Test::Refresh).empty(),
    row(HTML, "meta[name]", "meta", "content", Kind::Url, Syntax::Url).when(Test::MetaName).absolute(),
    row(HTML, "meta[task]", "meta", "content", Kind::Url, Syntax::Task).when(Test::MetaTask),
    row(HTML, "meta[itemprop]", "meta", "content", Kind::Url, Syntax::Url).when(Test::Itemprop),
    row(SVG, "svg *[cursor]", "", "cursor", Kind::Embedded, Syntax::Declarations),
    row(HTML, "object[data]", "object", "data", Kind::Url, Syntax::Url),
    row(HTML, "img[dynsrc]", "img", "dynsrc", Kind::Url, Syntax::Url),
    row(SVG, "svg *[fill]", "", "fill", Kind::Embedded, Syntax::Declarations),
    row(SVG, "svg *[filter]", "", "filter", Kind::Embedded, Syntax::Declarations),
    row(HTML, "input[formaction]", "input", "formaction", Kind::Url, Syntax::Url),
    row(HTML, "button[formaction]", "button", "formaction", Kind::Url, Syntax::Url),
    row(HTML, "a[href]", "a", "href", Kind::Url, Syntax::Url).empty(),
    row(HTML, "area[href]", "area", "href", Kind::Url, Syntax::Url).empty(),
    row(HTML, "link[canonical]", "link", "href", Kind::Url, Syntax::Url).when(Test::Canonical).absolute(),
    row(HTML, "link[href]", "link", "href", Kind::Url, Syntax::Url),
    row(HTML, "base[href]", "base", "href", Kind::Url, Syntax::Url).empty(),
    row(HTML, "image[href]", "image", "href", Kind::Url, Syntax::Url),
    row(SVG, "svg a[href]", "a", "href", Kind::Url, Syntax::Url),
    row(SVG, "svg *[href]", "", "href", Kind::Url, Syntax::Url).local(),
    row(MATHML, "math *[href]", "", "href", Kind::Url, Syntax::Url),
    row(HTML, "command[icon]", "command", "icon", Kind::Url, Syntax::Url),
    row(HTML, "menuitem[icon]", "menuitem", "icon", Kind::Url, Syntax::Url),
    row(HTML, "link[imagesrcset]", "link", "imagesrcset", Kind::Candidates, Syntax::Candidates),
    row(HTML, "*[itemid]", "", "itemid", Kind::Id, Syntax::Url),
    row(HTML, "*[itemtype]", "", "itemtype", Kind::Id, Syntax::SpaceList),
    row(HTML, "img[longdesc]", "img", "longdesc", Kind::Url, Syntax::Url),
    row(HTML, "frame[longdesc]", "frame", "longdesc", Kind::Url, Syntax::Url),
    row(HTML, "iframe[longdesc]", "iframe", "longdesc", Kind::Url, Syntax::Url),
    row(HTML, "img[lowsrc]", "img", "lowsrc", Kind::Url, Syntax::Url),
    row(HTML, "html[manifest]", "html", "manifest", Kind::Url, Syntax::Url),
    row(SVG, "svg *[marker]", "", "marker", Kind::Embedded, Syntax::Declarations),
    row(SVG, "svg *[marker-end]", "", "marker-end", Kind::Embedded, Syntax::Declarations),
    row(SVG, "svg *[marker-mid]", "", "marker-mid", Kind::Embedded, Syntax::Declarations),
    row(SVG, "svg *[marker-start]", "", "marker-start", Kind::Embedded, Syntax::Declarations),
    row(SVG, "svg *[mask]", "", "mask", Kind::Embedded, Syntax::Declarations),
    row(HTML, "applet[object]", "applet", "object", Kind::Class, Syntax::Url),
    row(HTML, "a[ping]", "a", "ping", Kind::List, Syntax::SpaceList),
    row(HTML, "area[ping]", "area", "ping", Kind::List, Syntax::SpaceList),
    row(HTML, "embed[pluginspage]", "embed", "pluginspage", Kind::Url, Syntax::Url),
    row(HTML, "video[poster]", "video", "poster", Kind::Url, Syntax::Url),
    row(HTML, "head[profile]", "head", "profile", Kind::Id, Syntax::SpaceList),
    row(HTML, "img[src]", "img", "src", Kind::Url, Syntax::Url),
    row(HTML, "script[src]", "script", "src", Kind::Url, Syntax::Url),
    row(HTML, "iframe[src]", "iframe", "src", Kind::Url, Syntax::Url),
    row(HTML, "frame[src]", "frame", "src", Kind::Url, Syntax::Url),
    row(HTML, "embed[src]", "embed", "src", Kind::Url, Syntax::Url),
    row(HTML, "source[src]", "source", "src", Kind::Url, Syntax::Url),
    row(HTML, "track[src]", "track", "src", Kind::Url, Syntax::Url),
    row(HTML, "audio[src]", "audio", "src", Kind::Url, Syntax::Url),
    row(HTML, "video[src]", "video", "src", Kind::Url, Syntax::Url),
    row(HTML, "input[src]", "input", "src", Kind::Url, Syntax::Url),
    row(HTML, "layer[src]", "layer", "src", Kind::Url, Syntax::Url),
    row(HTML, "ilayer[src]", "ilayer", "src", Kind::Url, Syntax::Url),
    row(HTML, "bgsound[src]", "bgsound", "src", Kind::Url, Syntax::Url),
    row(HTML, "fig[src]", "fig", "src", Kind::Url, Syntax::Url),
    row(HTML, "overlay[src]", "overlay", "src", Kind::Url, Syntax::Url),
    row(HTML, "fencedframe[src]", "fencedframe", "src", Kind::Url, Syntax::Url),
    row(HTML, "image[src]", "image", "src", Kind::Url, Syntax::Url),
    row(HTML, "iframe[srcdoc]", "iframe", "srcdoc", Kind::Embedded, Syntax::Html),
    row(HTML, "img[srcset]", "img", "srcset", Kind::Candidates, Syntax::Candidates),
    row(HTML, "source[srcset]", "source", "srcset", Kind::Candidates, Syntax::Candidates),
    row(SVG, "svg *[stroke]", "", "stroke", Kind::Embedded, Syntax::Declarations),
    row(None, "*[style]", "", "style", Kind::Embedded, Syntax::Declarations),
    row(HTML, "img[usemap]", "img", "usemap", Kind::Url, Syntax::Url).local(),
    row(HTML, "input[usemap]", "input", "usemap", Kind::Url, Syntax::Url).local(),
    row(HTML, "object[usemap]", "object", "usemap", Kind::Url, Syntax::Url).local(),
    row(HTML, "param[value]", "param", "value", Kind::Url, Syntax::Url).when(Test::Param),
    row(HTML, "script[xlink:href]", "script", "xlink:href", Kind::Url, Syntax::Url),
    row(SVG, "svg a[xlink:href]", "a", "xlink:href", Kind::Url, Syntax::Url),
    row(SVG, "svg *[xlink:href]", "", "xlink:href", Kind::Url, Syntax::Url).local(),
    row(MATHML, "math *[xlink:href]", "", "xlink:href", Kind::Url, Syntax::Url),
];

/// Number of rows that are not attributes.
pub(crate) const N_UNATTRIBUTED: usize = {
    let mut n = 0;
    while SLOTS[n].attribute.is_empty() {
        n += 1;
    }
    n
};

impl SlotId {
    pub(crate) const CONDITIONAL_COMMENT: SlotId = SlotId::named("conditional comment");
    pub(crate) const IFRAME: SlotId = SlotId::named("iframe");
    pub(crate) const NOEMBED: SlotId = SlotId::named("noembed");
    pub(crate) const NOFRAMES: SlotId = SlotId::named("noframes");
    pub(crate) const NOSCRIPT: SlotId = SlotId::named("noscript");
    pub(crate) const STYLE: SlotId = SlotId::named("style");
    pub(crate) const SVG_STYLE: SlotId = SlotId::named("svg style");
    pub(crate) const CSS_IMPORT: SlotId = SlotId::named("css @import");
    pub(crate) const CSS_IMAGE_SET: SlotId = SlotId::named("css image-set()");
    pub(crate) const CSS_SRC: SlotId = SlotId::named("css src()");
    pub(crate) const CSS_URL: SlotId = SlotId::named("css url()");
    pub(crate) const BASE_HREF: SlotId = SlotId::named("base[href]");
    pub(crate) const ARCHIVED_AT: SlotId = SlotId::named("header Archived-At");
    pub(crate) const BASE: SlotId = SlotId::named("header Base");
    pub(crate) const CONTENT_BASE: SlotId = SlotId::named("header Content-Base");
    pub(crate) const CONTENT_LOCATION: SlotId = SlotId::named("header Content-Location");
    pub(crate) const CONTENT_TYPE: SlotId = SlotId::named("header Content-Type");
    pub(crate) const X_URL: SlotId = SlotId::named("header X-URL");
    pub(crate) const REFRESH: SlotId = SlotId::named("header Refresh");

    /// The slot of a field of a heading, by its name in any case.
    pub(crate) fn of_header(name: &[u8]) -> Option<SlotId> {
        let is_it = |row: &usize| {
            let header = SLOTS[*row].name.strip_prefix("header ").unwrap_or_default();
            header.as_bytes().eq_ignore_ascii_case(name)
        };
        (SlotId::ARCHIVED_AT.0.into()..SlotId::CSS_IMPORT.0.into()).find(is_it).map(SlotId::of_row)
    }

    /// Whether what stands there names a folder, and not the document that a server shows for it.
    pub fn is_folder(self) -> bool {
        const FOLDERS: [SlotId; 3] = [
            SlotId::BASE_HREF,
            SlotId::named("object[codebase]"),
            SlotId::named("applet[codebase]"),
        ];
        FOLDERS.contains(&self)
    }

    /// The slot of a name; a name that is not in the table does not compile.
    #[allow(clippy::cast_possible_truncation)] // The table has some hundred rows.
    const fn named(name: &str) -> SlotId {
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
        let key = |slot: &Slot| (slot.attribute, slot.namespace != HTML, slot.element.is_empty());
        let rows = &SLOTS[N_UNATTRIBUTED..];
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
