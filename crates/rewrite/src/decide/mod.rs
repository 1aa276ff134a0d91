//! What all decisions have in common: what they know in the end, and what they never touch.

pub(crate) mod absolutize;
pub(crate) mod relativize;
pub(crate) mod relocate;

use urlcore::{Dialect, Form, Reference, Resolver, Style, clean};

use crate::expectations::Expectations;
use crate::options::Options;
use crate::report::{Outcome, Report};
use crate::slots::{Kind, SlotId};
use crate::walk::site::{KeepReason, Site, Visitor};

/// A receiver that answers, and knows what it has promised.
pub(crate) trait Decision: Visitor {
    /// What became of the references, and what they must be.
    fn finish(self) -> (Report, Expectations);
}

/// What becomes of a reference that no command touches, if it is one.
pub(crate) fn untouched(site: &Site<'_>, options: &Options) -> Option<Outcome> {
    match site.keep {
        Some(KeepReason::Sealed) => return Some(Outcome::Sealed),
        Some(KeepReason::Part) => return Some(Outcome::Part),
        Some(KeepReason::Base) => return Some(Outcome::Filtered),
        Some(KeepReason::Ambiguous) => return Some(Outcome::Ambiguous),
        Some(KeepReason::SavedResources) => return Some(Outcome::SavedResources),
        Some(KeepReason::Entity) | None => {}
    }
    match site.kind {
        Kind::Local => Some(Outcome::Local),
        Kind::Class => Some(Outcome::Class),
        Kind::File => Some(Outcome::File),
        // In a list the template is all of it: where its marks end is not known. A pattern is no URL, whatever is asked for.
        Kind::Template
            if !options.opt_in.templates
                || site.is_of_list()
                || site.slot.row().is_ok_and(|slot| slot.kind == Kind::Template)
                || site.slot.is_path_only() =>
        {
            Some(Outcome::Template)
        }
        Kind::Id if !options.opt_in.ids => Some(Outcome::Identifier),
        _ if site.has_entity() => Some(Outcome::Entity),
        _ => None,
    }
}

/// Whether those who point to a part of a message by its location find it there when `new` is written: documents are read by the rules of
/// the web, and headings are not (DESIGN section 5).
pub(crate) fn keeps_links(site: &Site<'_>, new: &str) -> bool {
    if site.slot != SlotId::CONTENT_LOCATION {
        return true;
    }
    let target = |text: &str| {
        let base = site.context.base()?;
        Resolver::new(base, Dialect::Web).ok()?.resolve(text).ok()?.url()
    };
    target(site.text) == target(new)
}

/// Whether a reference is written in a style, if it is one of those that can be told from it.
pub(crate) fn is_written_in(
    text: &str,
    style: Style,
    dialect: Dialect,
    under: &Resolver<'_>,
) -> bool {
    let text = clean(text, dialect);
    let form = Reference::split_under(&text, dialect, under.scheme()).form();
    match style {
        Style::Absolute => form == Form::Absolute,
        Style::NetworkPath => form == Form::NetworkPath,
        Style::AbsolutePath => matches!(form, Form::AbsolutePath | Form::SameDocument),
        Style::Relative => matches!(form, Form::RelativePath | Form::SameDocument),
        _ => false,
    }
}
