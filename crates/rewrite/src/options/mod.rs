//! What a run asks for: the dialect, what is edited, and how it is proved.

pub(crate) mod extras;
pub(crate) mod limits;
pub(crate) mod relative;
pub(crate) mod room;

use std::fmt;

use basectx::message::Profile;
use urlcore::Dialect;

use crate::options::extras::Extras;
use crate::options::limits::Limits;
use crate::slots::{Kind, SLOTS, SlotId};
use crate::words::words;

/// Whether an output is read again before it is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verify {
    /// Not at all.
    None,
    /// With the engine that made it.
    #[default]
    Fast,
    /// With the reference engine.
    Full,
}

/// Which engine reads HTML.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Engine {
    /// The fast one, and the reference where it declines.
    #[default]
    Auto,
    /// The fast one; what it declines is left.
    Fast,
    /// html5ever.
    Reference,
}

/// Whose reading of `xml:base` holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum XmlBase {
    /// That of browsers: in a document whose root element is in the namespace of HTML or SVG,
    /// elements of HTML, SVG and MathML ignore it. In all other XML it holds.
    #[default]
    Web,
    /// That of XML Base (second edition): it holds for every element of every XML document.
    Everywhere,
}

words!(XmlBase { "web" => Web, "everywhere" => Everywhere });
words!(Verify { "none" => None, "fast" => Fast, "full" => Full });
words!(Engine { "auto" => Auto, "fast" => Fast, "reference" => Reference });

/// What a run asks for.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which engine reads HTML.
    pub engine: Engine,
    /// In which references are read and resolved.
    pub dialect: Dialect,
    /// Where `xml:base` holds.
    pub xml_base: XmlBase,
    /// Attributes asked for by name.
    pub extras: Extras,
    /// What is done only if it is asked for.
    pub opt_in: OptIn,
    /// Which slots are edited.
    pub filter: Filter,
    /// How the output is proved.
    pub verify: Verify,
    /// What is asked for messages.
    pub mail: Mail,
    /// Whether each reference that could not be handled is listed, and not only counted.
    pub lists_incidents: bool,
    /// What is read and made at most.
    pub limits: Limits,
}

/// What is done only if it is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OptIn {
    /// Whether identifiers are edited.
    pub ids: bool,
    /// Whether templates are edited.
    pub templates: bool,
    /// Whether URLs in plain text are read.
    pub text: bool,
    /// Whether Markdown is read.
    pub markdown: bool,
    /// Whether server-side includes are read.
    pub ssi: bool,
    /// Whether the imports and exports of modules are read.
    pub js_modules: bool,
}

impl OptIn {
    /// The names of all that can be asked for.
    pub const NAMES: [&'static str; 6] =
        ["ids", "templates", "text", "markdown", "ssi", "js-modules"];

    /// Asks for what is called `name`; false if nothing is.
    pub fn enable(&mut self, name: &str) -> bool {
        let asked = match name {
            "ids" => &mut self.ids,
            "templates" => &mut self.templates,
            "text" => &mut self.text,
            "markdown" => &mut self.markdown,
            "ssi" => &mut self.ssi,
            "js-modules" => &mut self.js_modules,
            _ => return false,
        };
        *asked = true;
        true
    }
}

/// What a run asks for messages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mail {
    /// Whose rules hold for the bases that headings tell.
    pub profile: Profile,
    /// Whether signed parts are edited.
    pub breaks_signatures: bool,
    /// Whether messages with a signature of DKIM or ARC are left.
    pub keeps_dkim: bool,
    /// Whether checksums of edited parts are made right; else such parts are left.
    pub updates_checksums: bool,
}

impl Options {
    /// Returns true if `xml:base` is read as browsers read it. Other dialects are older than their
    /// reading.
    pub(crate) fn has_web_xml_base(&self) -> bool {
        self.xml_base == XmlBase::Web && self.dialect == Dialect::Web
    }

    /// Whether URLs in this slot are edited.
    pub(crate) fn edits_slot(&self, slot: SlotId) -> bool {
        self.edits(slot, Kind::Url)
    }

    /// Whether references of this kind in this slot are edited.
    pub(crate) fn edits(&self, slot: SlotId, kind: Kind) -> bool {
        match kind {
            Kind::Id if !self.opt_in.ids => false,
            Kind::Template if !self.opt_in.templates => false,
            Kind::Class | Kind::File | Kind::Local | Kind::Embedded => false,
            _ => self.filter.allows(self.extras.name_of(slot)),
        }
    }
}

/// Which slots are edited, by name.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    only: Vec<String>,
    skip: Vec<String>,
}

/// A pattern that fits no slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSuchSlot(pub String);

impl fmt::Display for NoSuchSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no slot is called '{}'; 'relink slots' lists them", self.0)
    }
}

impl std::error::Error for NoSuchSlot {}

impl Filter {
    /// Edits only slots that fit one of `only` (all, if it is empty), and none that fits one of `skip`.
    ///
    /// A pattern is a slot's name (`a[href]`), its element (`a`), its attribute (`[href]`) or its first word (`svg`, `css`).
    ///
    /// # Errors
    ///
    /// [`NoSuchSlot`] for a pattern that fits no row of the table and none of `extras`.
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

    /// Whether references in the slot of this name are asked for.
    pub fn allows(&self, slot: &str) -> bool {
        (self.only.is_empty() || self.only.iter().any(|pattern| fits(pattern, slot)))
            && !self.skip.iter().any(|pattern| fits(pattern, slot))
    }
}

fn fits(pattern: &str, slot: &str) -> bool {
    let (element, attribute) = slot.split_at(slot.find('[').unwrap_or(slot.len()));
    pattern == slot
        || (!attribute.is_empty() && (pattern == element || pattern == attribute))
        || slot.split_once(' ').is_some_and(|(first, _)| first == pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_names_elements_attributes_and_first_words() {
        let fit = |pattern: &str| SLOTS.iter().filter(|slot| fits(pattern, slot.name)).count();
        assert_eq!(fit("a[href]"), 1);
        assert!(fit("a") >= 2 && fit("[href]") >= 4 && fit("css") == 4 && fit("svg") > 10);
        assert_eq!(fit("hre"), 0);
        assert!(Filter::new(vec!["nonsense".into()], vec![], &Extras::default()).is_err());
    }
}
