//! The slots of JSON: web app manifests, import maps, speculation rules, JSON-LD, JSON Feed.
//!
//! Web Application Manifest and the members that browsers read in addition; HTML standard, sections
//! 8.1.6.2 ("import maps") and 7.6.1 ("speculation rules"); JSON-LD 1.1 with the names of
//! schema.org; JSON Feed 1.1.

use super::{Format, Kind, Slot, SlotId, Syntax, row};

/// The type of a JSON document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JsonType {
    /// A web app manifest.
    Manifest,
    /// An import map.
    ImportMap,
    /// Speculation rules.
    SpeculationRules,
    /// JSON-LD.
    LinkedData,
    /// A feed (JSON Feed).
    Feed,
}

impl JsonType {
    const ALL: [JsonType; 5] = [
        JsonType::Manifest,
        JsonType::ImportMap,
        JsonType::SpeculationRules,
        JsonType::LinkedData,
        JsonType::Feed,
    ];

    /// Returns the media type.
    pub const fn media_type(self) -> &'static str {
        match self {
            JsonType::Manifest => "application/manifest+json",
            JsonType::ImportMap => "application/importmap+json",
            JsonType::SpeculationRules => "application/speculationrules+json",
            JsonType::LinkedData => "application/ld+json",
            JsonType::Feed => "application/feed+json",
        }
    }

    /// Returns the type with this media type, which is in lower case.
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_rewrite::JsonType;
    /// assert_eq!(JsonType::of_media_type("application/ld+json"), Some(JsonType::LinkedData));
    /// assert_eq!(JsonType::of_media_type("application/json"), None);
    /// ```
    pub fn of_media_type(name: &str) -> Option<JsonType> {
        JsonType::ALL.into_iter().find(|format| format.media_type() == name)
    }

    /// Returns the slot of the script that may contain such a document.
    pub(crate) const fn script(self) -> Option<SlotId> {
        match self {
            JsonType::ImportMap => Some(SlotId::SCRIPT_IMPORTMAP),
            JsonType::SpeculationRules => Some(SlotId::SCRIPT_SPECULATIONRULES),
            JsonType::LinkedData => Some(SlotId::SCRIPT_LINKED_DATA),
            JsonType::Manifest | JsonType::Feed => None,
        }
    }
}

const fn manifest(name: &'static str) -> Slot {
    row(Format::MANIFEST, name, Kind::Url, Syntax::Url)
}

/// Slots of web app manifests. The `id` is an identifier that is resolved against an origin: it is
/// never relative to the manifest.
#[rustfmt::skip]
pub(super) const MANIFEST: [Slot; 23] = [
    manifest("manifest file_handlers.action"),
    manifest("manifest file_handlers.icons.src"),
    manifest("manifest icons.src"),
    manifest("manifest icons_localized.src"),
    row(Format::MANIFEST, "manifest id", Kind::Id, Syntax::Url).absolute(),
    manifest("manifest note_taking.new_note_url"),
    manifest("manifest protocol_handlers.url"),
    manifest("manifest related_applications.url"),
    manifest("manifest scope"),
    manifest("manifest screenshots.src"),
    manifest("manifest serviceworker.scope"),
    manifest("manifest serviceworker.src"),
    manifest("manifest share_target.action"),
    manifest("manifest shortcuts.icons.src"),
    manifest("manifest shortcuts.url"),
    manifest("manifest start_url"),
    manifest("manifest tab_strip.home_tab.icons.src"),
    manifest("manifest tab_strip.new_tab_button.icons.src"),
    manifest("manifest tab_strip.new_tab_button.url"),
    manifest("manifest widgets.data"),
    manifest("manifest widgets.icons.src"),
    manifest("manifest widgets.ms_ac_template"),
    manifest("manifest widgets.screenshots.src"),
];

/// Slots of import maps: module specifiers and their addresses. A scope may be empty, and is then
/// the base.
#[rustfmt::skip]
pub(super) const IMPORT_MAP: [Slot; 5] = [
    row(Format::IMPORT_MAP, "importmap address", Kind::Url, Syntax::Url),
    row(Format::IMPORT_MAP, "importmap digest", Kind::Condition, Syntax::Url),
    row(Format::IMPORT_MAP, "importmap integrity", Kind::Url, Syntax::Url),
    row(Format::IMPORT_MAP, "importmap scope", Kind::Url, Syntax::Url).empty(),
    row(Format::IMPORT_MAP, "importmap specifier", Kind::Url, Syntax::Url),
];

/// Slots of speculation rules. A pattern is reported, and is not a URL.
#[rustfmt::skip]
pub(super) const SPECULATION_RULES: [Slot; 2] = [
    row(Format::SPECULATION_RULES, "speculationrules href_matches", Kind::Template, Syntax::Url),
    row(Format::SPECULATION_RULES, "speculationrules urls", Kind::Url, Syntax::Url),
];

/// Returns a row of linked data, which is read by other programs than the page.
const fn linked(name: &'static str, kind: Kind) -> Slot {
    row(Format::LINKED_DATA, name, kind, Syntax::Url).absolute()
}

/// Slots of JSON-LD.
#[rustfmt::skip]
pub(super) const LINKED_DATA: [Slot; 9] = [
    linked("jsonld @id", Kind::Id),
    linked("jsonld contentUrl", Kind::Url),
    linked("jsonld embedUrl", Kind::Url),
    linked("jsonld image", Kind::Url),
    linked("jsonld logo", Kind::Url),
    linked("jsonld property", Kind::Url),
    linked("jsonld sameAs", Kind::Url),
    linked("jsonld thumbnailUrl", Kind::Url),
    linked("jsonld url", Kind::Url),
];

/// Returns a row of a feed, whose readers know no base.
const fn feed(name: &'static str, kind: Kind) -> Slot {
    row(Format::FEED, name, kind, Syntax::Url).absolute()
}

/// Slots of feeds.
#[rustfmt::skip]
pub(super) const FEED: [Slot; 15] = [
    feed("jsonfeed attachments.url", Kind::Url),
    feed("jsonfeed authors.avatar", Kind::Url),
    feed("jsonfeed authors.url", Kind::Url),
    feed("jsonfeed favicon", Kind::Url),
    feed("jsonfeed feed_url", Kind::Url),
    feed("jsonfeed home_page_url", Kind::Url),
    feed("jsonfeed hubs.url", Kind::Url),
    feed("jsonfeed icon", Kind::Url),
    feed("jsonfeed items.banner_image", Kind::Url),
    row(Format::FEED, "jsonfeed items.content_html", Kind::Embedded, Syntax::Html).absolute(),
    feed("jsonfeed items.external_url", Kind::Url),
    feed("jsonfeed items.id", Kind::Id),
    feed("jsonfeed items.image", Kind::Url),
    feed("jsonfeed items.url", Kind::Url),
    feed("jsonfeed next_url", Kind::Url),
];

const SOURCE: Format = Format("source map");

/// Slots of source maps.
#[rustfmt::skip]
pub(super) const SOURCE_MAP: [Slot; 4] = [
    row(SOURCE, "sourcemap file", Kind::Id, Syntax::Url),
    row(SOURCE, "sourcemap sourceRoot", Kind::Url, Syntax::Url),
    row(SOURCE, "sourcemap sources", Kind::Url, Syntax::Url),
    row(SOURCE, "sourcemap sources (embedded)", Kind::Id, Syntax::Url),
];
