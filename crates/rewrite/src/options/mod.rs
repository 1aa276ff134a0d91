//! The options of a run: the dialect, the references to edit, and the verification.

pub(crate) mod builder;
pub(crate) mod clock;
pub(crate) mod extras;
pub(crate) mod limits;
pub(crate) mod relative;

use basectx::message::Profile;
use urlcore::Dialect;

use crate::options::builder::choices;
use crate::options::clock::Clock;
use crate::options::extras::Extras;
use crate::options::limits::{Limit, Limits, Met};
use crate::slots::{Kind, SLOTS, SlotId};

/// The way an output is verified before it is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verify {
    /// No verification.
    None,
    /// The engine that read the input reads it again. A page that only has edits inside of
    /// attribute values, which these cannot end, is not searched for references again: each is
    /// read where it must be, and all other bytes are compared with the input.
    #[default]
    Fast,
    /// The reference engine reads all of it.
    Full,
}

/// The engine that reads HTML.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Engine {
    /// The fast engine, and the reference engine for documents that it declines.
    #[default]
    Auto,
    /// The fast engine; documents that it declines are skipped.
    Fast,
    /// html5ever.
    Reference,
}

/// The specification that `xml:base` is read by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum XmlBase {
    /// As browsers read it: in a document whose root element is in the namespace of HTML or SVG,
    /// elements of HTML, SVG and MathML ignore it. It applies in all other XML.
    #[default]
    Web,
    /// As in XML Base (second edition): it applies to every element of every XML document.
    Everywhere,
}

/// The treatment of the digests of files in pages (`integrity`), by which browsers block a file
/// with another content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrity {
    /// They stay.
    #[default]
    Keep,
    /// They are computed again for files that are edited.
    Renew,
    /// They are taken away together with `crossorigin`, where the target is a file: what a page on
    /// a disk loads has no origin, so browsers block it if it has either.
    Remove,
}

choices!(XmlBase { "web" => Web, "everywhere" => Everywhere });
choices!(Verify { "none" => None, "fast" => Fast, "full" => Full });
choices!(Engine { "auto" => Auto, "fast" => Fast, "reference" => Reference });

/// The options of a run. Each field has a builder method.
///
/// # Examples
///
/// ```
/// use relink_rewrite::{Dialect, OptIn, Options};
///
/// let options = Options::default()
///     .with_dialect(Dialect::Rfc3986)
///     .with_opt_in(OptIn::default().with_markdown(true));
/// assert!(options.opt_in.markdown && !options.opt_in.text);
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// The engine that reads HTML.
    pub engine: Engine,
    /// The dialect in which references are read and resolved.
    pub dialect: Dialect,
    /// The documents in which `xml:base` applies.
    pub xml_base: XmlBase,
    /// Attributes named by the user.
    pub extras: Extras,
    /// Features that are off by default.
    pub opt_in: OptIn,
    /// The slots to edit.
    pub filter: Filter,
    /// The verification of the output.
    pub verify: Verify,
    /// The options for messages.
    pub mail: Mail,
    /// True if each reference that could not be handled is listed in addition to being counted.
    pub lists_incidents: bool,
    /// True if all references are listed with their outcomes in addition to being counted.
    pub lists_references: bool,
    /// True if the URLs outside of the tree that are loaded are listed.
    pub lists_outside_loads: bool,
    /// True if URLs in custom properties of CSS are resolved where they are written. Browsers
    /// resolve them where they are used; but if the files of a tree get other places, what is left
    /// is dead in any case.
    pub resolves_uses_here: bool,
    /// The treatment of digests of the files of [`Unit::loaded_files`](crate::Unit::loaded_files).
    pub integrity: Integrity,
    /// The limits on input and output.
    pub limits: Limits,
    /// The clock by which the time limit is checked.
    pub clock: Clock,
}

/// Features that are off by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OptIn {
    /// True if identifiers are edited.
    pub ids: bool,
    /// True if templates are edited.
    pub templates: bool,
    /// True if URLs in plain text are read.
    pub text: bool,
    /// True if Markdown is read.
    pub markdown: bool,
    /// True if server-side includes are read.
    pub ssi: bool,
    /// True if the imports and exports of modules are read.
    pub js_modules: bool,
    /// True if templates of HTML in `script` elements are read.
    pub script_templates: bool,
    /// True if the `HYPERLINK()` of formulas is read.
    pub formulas: bool,
    /// True if zip files in directories are read.
    pub zip: bool,
}

impl OptIn {
    /// The names of all these features.
    #[rustfmt::skip]
    pub const NAMES: [&'static str; 9] = [
        "ids", "templates", "text", "markdown", "ssi", "js-modules", "script-templates", "formulas", "zip",
    ];

    /// Enables the feature called `name`. Returns false if there is none.
    pub fn enable(&mut self, name: &str) -> bool {
        let option = self.option(name);
        option.map(|option| *option = true).is_some()
    }

    /// Returns true if the feature called `name` is enabled.
    pub fn has(mut self, name: &str) -> bool {
        self.option(name).is_some_and(|option| *option)
    }

    fn option(&mut self, name: &str) -> Option<&mut bool> {
        Some(match name {
            "ids" => &mut self.ids,
            "templates" => &mut self.templates,
            "text" => &mut self.text,
            "markdown" => &mut self.markdown,
            "ssi" => &mut self.ssi,
            "js-modules" => &mut self.js_modules,
            "script-templates" => &mut self.script_templates,
            "formulas" => &mut self.formulas,
            "zip" => &mut self.zip,
            _ => return None,
        })
    }
}

/// The options for messages.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Mail {
    /// The rules for base URLs in header fields.
    pub profile: Profile,
    /// True if signed parts are edited.
    pub breaks_signatures: bool,
    /// True if messages with a DKIM or ARC signature are skipped.
    pub keeps_dkim: bool,
}

impl Options {
    /// Returns true if `xml:base` is read as browsers read it. Other dialects predate that reading.
    pub(crate) fn has_web_xml_base(&self) -> bool {
        self.xml_base == XmlBase::Web && self.dialect == Dialect::Web
    }

    /// Returns true if URLs in this slot are edited.
    pub(crate) fn edits_slot(&self, slot: SlotId) -> bool {
        self.edits(slot, Kind::Url)
    }

    /// Returns true if references of this kind in this slot are edited.
    pub(crate) fn edits(&self, slot: SlotId, kind: Kind) -> bool {
        match kind {
            Kind::Id if !self.opt_in.ids => false,
            Kind::Template if !self.opt_in.templates => false,
            Kind::Class | Kind::File | Kind::Local | Kind::Embedded => false,
            _ => self.filter.allows(self.extras.name_of(slot)),
        }
    }
}

/// The slots to edit, by name.
///
/// # Examples
///
/// ```
/// use relink_rewrite::{Extras, Filter};
///
/// let images = Filter::new(vec!["img".to_owned()], vec![], &Extras::default())?;
/// assert!(images.allows("img[src]") && !images.allows("a[href]"));
/// # Ok::<(), relink_rewrite::NoSuchSlot>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Filter {
    only: Vec<String>,
    skip: Vec<String>,
}

/// The error for a pattern that matches no slot.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("no slot matches '{0}'; use `relink slots` to list all slots")]
pub struct NoSuchSlot(pub String);

impl Filter {
    /// Returns a filter for the slots that match one of `only` (all, if it is empty), and none of
    /// `skip`.
    ///
    /// A pattern is a slot's name (`a[href]`), its element (`a`), its attribute (`[href]`) or its
    /// first word (`svg`, `css`).
    ///
    /// # Errors
    ///
    /// Returns [`NoSuchSlot`] for a pattern that matches no row of the table and none of `extras`.
    pub fn new(only: Vec<String>, skip: Vec<String>, extras: &Extras) -> Result<Self, NoSuchSlot> {
        let known = |pattern: &String| {
            let extra =
                (0..extras.len()).any(|idx| fits(pattern, extras.name_of(SlotId::of_extra(idx))));
            extra || SLOTS.iter().any(|slot| fits(pattern, slot.name))
        };
        match only.iter().chain(&skip).find(|pattern| !known(pattern)) {
            Some(pattern) => Err(NoSuchSlot(pattern.clone())),
            None => Ok(Filter { only, skip }),
        }
    }

    /// Returns true if a pattern of those that are edited matches the slot with this name.
    pub fn names(&self, slot: &str) -> bool {
        self.only.iter().any(|pattern| fits(pattern, slot))
    }

    /// Returns true if references in the slot with this name are edited.
    pub fn allows(&self, slot: &str) -> bool {
        (self.only.is_empty() || self.names(slot))
            && !self.skip.iter().any(|pattern| fits(pattern, slot))
    }
}

fn fits(pattern: &str, slot: &str) -> bool {
    let (element, attribute) = slot.split_at(slot.find('[').unwrap_or(slot.len()));
    pattern == slot
        || (!attribute.is_empty() && (pattern == element || pattern == attribute))
        || slot.split_once(' ').is_some_and(|(first, _)| first == pattern)
}

/// The number of free bytes: small documents may be dense.
const FREE: usize = 4 << 20;

/// The remaining memory, and the limit that is met when none is left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AvailableMemory {
    pub(crate) bytes: usize,
    met: Met,
}

impl AvailableMemory {
    /// Returns the memory for a unit of `len` bytes.
    pub(crate) fn new(limits: &Limits, len: usize) -> Self {
        let most = limits.get(Limit::Memory);
        let growth = limits.get(Limit::MemoryGrowth).saturating_mul(len);
        let growth = growth.saturating_add(FREE);
        let limit = if growth < most { Limit::MemoryGrowth } else { Limit::Memory };
        AvailableMemory { bytes: growth.min(most), met: limits.met(limit) }
    }

    pub(crate) fn bytes(self) -> usize {
        self.bytes
    }

    pub(crate) fn met(self) -> Met {
        self.met
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_names_elements_attributes_and_first_words() {
        let fit = |pattern: &str| SLOTS.iter().filter(|slot| fits(pattern, slot.name)).count();
        assert_eq!(fit("a[href]"), 1);
        assert!(fit("a") >= 2 && fit("[href]") >= 4 && fit("css") == 6 && fit("svg") > 10);
        assert_eq!(fit("hre"), 0);
        assert!(Filter::new(vec!["nonsense".into()], vec![], &Extras::default()).is_err());
    }
}
