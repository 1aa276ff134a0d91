//! The roles of the values of a JSON document, by their path: a small grammar for each type.
//!
//! Web Application Manifest; HTML standard, "parse an import map string" and "parse a speculation
//! rule set"; JSON-LD 1.1, sections 3 and 9; JSON Feed 1.1. A value of another form than specified
//! there (a text instead of a list) is ignored by readers, and contains no reference.

use super::schema_org;
use crate::slots::{JsonType, SlotId};

/// The number of a slot, looked up by the compiler.
macro_rules! slot {
    ($name:literal) => {
        const { SlotId::named($name) }
    };
}

/// The slot of URL patterns.
pub(super) const PATTERN: SlotId = SlotId::named("speculationrules href_matches");

/// The meaning of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// A reference.
    Url,
    /// A module specifier, which is a reference only if it is like a URL.
    Specifier,
    /// A reference that is resolved against an origin.
    FromRoot,
    /// A name or a text, which is a reference only if all of it is an absolute URL.
    Absolute,
    /// A reference, or the identifier of a blank node: `_:b0`.
    Node,
    /// A document.
    Html,
}

/// The role of a value in its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A value that is not read.
    Nothing,
    /// A string in this slot.
    Text(Holds, SlotId),
    /// A list of URLs.
    Urls(SlotId),
    /// An object, or a list of objects, in which the member at the end of the slot's name is a URL.
    Entry(SlotId),
    Entries(SlotId),

    Manifest,
    /// Lists of image resources by language.
    LocalImages,
    Shortcuts,
    Shortcut,
    FileHandlers,
    FileHandler,
    ServiceWorker,
    TabStrip,
    HomeTab,
    NewTabButton,
    Widgets,
    Widget,

    ImportMap,
    /// A map from specifiers to addresses.
    Specifiers,
    Scopes,
    Integrity,
    /// A digest of the module that its name leads to.
    Digest,

    SpeculationRules,
    Rules,
    Rule,
    /// The value that selects the base of a rule.
    RelativeTo,
    Conditions,
    Condition,
    /// URL patterns: one, or a list.
    Patterns,

    /// A node of linked data, a list of nodes, or any value that may contain one.
    Linked,
    /// The same, where a string is a URL.
    LinkedUrl(SlotId),
    /// The same, where a string may be an absolute URL.
    LinkedAbsolute,
    /// Definitions of terms: no references, but possibly another base.
    Context,
    /// The base that a context gives to the references (JSON-LD 1.1, 4.1.3).
    ContextBase,

    Feed,
    Items,
    Item,
    Authors,
    Author,
}

const fn url(slot: SlotId) -> Role {
    Role::Text(Holds::Url, slot)
}

impl Role {
    /// Returns the role of a whole document.
    pub(super) fn from_format(format: JsonType) -> Role {
        match format {
            JsonType::Manifest => Role::Manifest,
            JsonType::ImportMap => Role::ImportMap,
            JsonType::SpeculationRules => Role::SpeculationRules,
            JsonType::LinkedData => Role::Linked,
            JsonType::Feed => Role::Feed,
        }
    }

    /// Returns the role of a member of an object.
    pub(super) fn member(self, name: &str) -> Role {
        match self {
            Role::Manifest => manifest(name),
            Role::Entry(slot) if name == last_word(slot) => url(slot),
            Role::LocalImages => Role::Entries(slot!("manifest icons_localized.src")),
            Role::Shortcut => match name {
                "url" => url(slot!("manifest shortcuts.url")),
                "icons" => Role::Entries(slot!("manifest shortcuts.icons.src")),
                _ => Role::Nothing,
            },
            Role::FileHandler => match name {
                "action" => url(slot!("manifest file_handlers.action")),
                "icons" => Role::Entries(slot!("manifest file_handlers.icons.src")),
                _ => Role::Nothing,
            },
            Role::ServiceWorker => match name {
                "src" => url(slot!("manifest serviceworker.src")),
                "scope" => url(slot!("manifest serviceworker.scope")),
                _ => Role::Nothing,
            },
            Role::TabStrip => match name {
                "home_tab" => Role::HomeTab,
                "new_tab_button" => Role::NewTabButton,
                _ => Role::Nothing,
            },
            Role::HomeTab if name == "icons" => {
                Role::Entries(slot!("manifest tab_strip.home_tab.icons.src"))
            }
            Role::NewTabButton => match name {
                "url" => url(slot!("manifest tab_strip.new_tab_button.url")),
                "icons" => Role::Entries(slot!("manifest tab_strip.new_tab_button.icons.src")),
                _ => Role::Nothing,
            },
            Role::Widget => match name {
                "data" => url(slot!("manifest widgets.data")),
                "icons" => Role::Entries(slot!("manifest widgets.icons.src")),
                "ms_ac_template" => url(slot!("manifest widgets.ms_ac_template")),
                "screenshots" => Role::Entries(slot!("manifest widgets.screenshots.src")),
                _ => Role::Nothing,
            },
            Role::ImportMap => match name {
                "imports" => Role::Specifiers,
                "scopes" => Role::Scopes,
                "integrity" => Role::Integrity,
                _ => Role::Nothing,
            },
            Role::Specifiers => Role::Text(Holds::Specifier, slot!("importmap address")),
            Role::Scopes => Role::Specifiers,
            Role::Integrity => Role::Digest,
            Role::SpeculationRules => match name {
                "prefetch" | "prerender" | "prerender_until_script" => Role::Rules,
                _ => Role::Nothing,
            },
            Role::Rule => match name {
                "urls" => Role::Urls(slot!("speculationrules urls")),
                "where" => Role::Condition,
                "relative_to" => Role::RelativeTo,
                _ => Role::Nothing,
            },
            Role::Condition => match name {
                "href_matches" => Role::Patterns,
                "and" | "or" => Role::Conditions,
                "not" => Role::Condition,
                _ => Role::Nothing,
            },
            Role::Linked | Role::LinkedUrl(_) | Role::LinkedAbsolute => linked(name),
            Role::Context if name == "@base" => Role::ContextBase,
            // A context may be inside a context.
            Role::Context => Role::Context,
            Role::Feed => feed(name),
            Role::Item => item(name),
            Role::Author => match name {
                "url" => url(slot!("jsonfeed authors.url")),
                "avatar" => url(slot!("jsonfeed authors.avatar")),
                _ => Role::Nothing,
            },
            _ => Role::Nothing,
        }
    }

    /// Returns the role of an element of a list.
    pub(super) fn element(self) -> Role {
        match self {
            Role::Urls(slot) => url(slot),
            Role::Shortcuts => Role::Shortcut,
            Role::FileHandlers => Role::FileHandler,
            Role::Entries(slot) => Role::Entry(slot),
            Role::Rules => Role::Rule,
            Role::Conditions => Role::Condition,
            Role::Patterns => url(PATTERN),
            Role::Linked | Role::LinkedUrl(_) | Role::LinkedAbsolute | Role::Context => self,
            Role::Items => Role::Item,
            Role::Widgets => Role::Widget,
            Role::Authors => Role::Author,
            _ => Role::Nothing,
        }
    }

    /// Returns the role of the names of members, if they are relevant.
    pub(super) fn key(self) -> Option<Role> {
        match self {
            Role::Specifiers => Some(Role::Text(Holds::Specifier, slot!("importmap specifier"))),
            Role::Scopes => Some(url(slot!("importmap scope"))),
            Role::Integrity => Some(Role::Text(Holds::Specifier, slot!("importmap integrity"))),
            _ => None,
        }
    }

    /// Returns the role of a string, for a role that is not only for strings.
    pub(super) fn string(self) -> Role {
        match self {
            Role::LinkedUrl(slot) => url(slot),
            Role::LinkedAbsolute => Role::Text(Holds::Absolute, slot!("jsonld property")),
            Role::Patterns => url(PATTERN),
            role => role,
        }
    }

    /// Returns true if an object with a member of this name makes the whole document unsupported:
    /// the manifest of a browser extension, or linked data with a base of its own (JSON-LD 1.1,
    /// 4.1.3).
    pub(super) fn is_unread_with(self, name: &str) -> bool {
        match self {
            Role::Manifest => name == "manifest_version",
            Role::Context => name == "@base",
            _ => false,
        }
    }
}

/// Returns the last word of the name of a slot: `manifest share_target.action`.
fn last_word(slot: SlotId) -> &'static str {
    let name = slot.row().map_or("", |slot| slot.name);
    name.rsplit('.').next().unwrap_or(name)
}

fn manifest(name: &str) -> Role {
    match name {
        "start_url" => url(slot!("manifest start_url")),
        "scope" => url(slot!("manifest scope")),
        "id" => Role::Text(Holds::FromRoot, slot!("manifest id")),
        "icons" => Role::Entries(slot!("manifest icons.src")),
        "icons_localized" => Role::LocalImages,
        "screenshots" => Role::Entries(slot!("manifest screenshots.src")),
        "shortcuts" => Role::Shortcuts,
        "share_target" => Role::Entry(slot!("manifest share_target.action")),
        "file_handlers" => Role::FileHandlers,
        "protocol_handlers" => Role::Entries(slot!("manifest protocol_handlers.url")),
        "related_applications" => Role::Entries(slot!("manifest related_applications.url")),
        "note_taking" => Role::Entry(slot!("manifest note_taking.new_note_url")),
        "serviceworker" => Role::ServiceWorker,
        "tab_strip" => Role::TabStrip,
        "widgets" => Role::Widgets,
        _ => Role::Nothing,
    }
}

fn linked(name: &str) -> Role {
    match name {
        "@context" => Role::Context,
        // A literal: it contains no node.
        "@value" => Role::Nothing,
        "@id" => Role::Text(Holds::Node, slot!("jsonld @id")),
        "url" => Role::LinkedUrl(slot!("jsonld url")),
        "image" => Role::LinkedUrl(slot!("jsonld image")),
        "logo" => Role::LinkedUrl(slot!("jsonld logo")),
        "contentUrl" => Role::LinkedUrl(slot!("jsonld contentUrl")),
        "thumbnailUrl" => Role::LinkedUrl(slot!("jsonld thumbnailUrl")),
        "embedUrl" => Role::LinkedUrl(slot!("jsonld embedUrl")),
        "sameAs" => Role::LinkedUrl(slot!("jsonld sameAs")),
        name if schema_org::may_be_url(name) => Role::LinkedAbsolute,
        _ => Role::Linked,
    }
}

fn feed(name: &str) -> Role {
    match name {
        "home_page_url" => url(slot!("jsonfeed home_page_url")),
        "feed_url" => url(slot!("jsonfeed feed_url")),
        "next_url" => url(slot!("jsonfeed next_url")),
        "icon" => url(slot!("jsonfeed icon")),
        "favicon" => url(slot!("jsonfeed favicon")),
        "hubs" => Role::Entries(slot!("jsonfeed hubs.url")),
        "authors" => Role::Authors,
        "author" => Role::Author,
        "items" => Role::Items,
        _ => Role::Nothing,
    }
}

fn item(name: &str) -> Role {
    match name {
        "id" => Role::Text(Holds::Absolute, slot!("jsonfeed items.id")),
        "url" => url(slot!("jsonfeed items.url")),
        "external_url" => url(slot!("jsonfeed items.external_url")),
        "image" => url(slot!("jsonfeed items.image")),
        "banner_image" => url(slot!("jsonfeed items.banner_image")),
        "content_html" => Role::Text(Holds::Html, slot!("jsonfeed items.content_html")),
        "attachments" => Role::Entries(slot!("jsonfeed attachments.url")),
        "authors" => Role::Authors,
        "author" => Role::Author,
        _ => Role::Nothing,
    }
}
