//! Common parts of the decisions: their result, and the references that no command changes.

pub(crate) mod absolutize;
pub(crate) mod relativize;
pub(crate) mod relocate;

use urlcore::{Dialect, Form, Reference, Resolver, Style, clean};

use crate::expectations::Expectations;
use crate::options::Options;
use crate::report::{Outcome, Report};
use crate::slots::{Kind, SlotId};
use crate::walk::site::{KeepReason, Site, Visitor};

/// A visitor that decides on references and records its expectations.
pub(crate) trait Decision: Visitor {
    /// Returns the outcomes of the references and their expectations.
    fn finish(self) -> (Report, Expectations);
}

/// Returns the outcome of a reference that no command changes; `None` for any other.
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
        // In a list the template is the whole list, because the end of its marks is unknown. A
        // pattern is not a URL, whatever options are given.
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

/// Returns true if references to a part of a message by its location still find the part when `new`
/// is written. References in documents are read by the rules of the web and header fields by RFC
/// 3986, so the location must have its target in both readings.
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

/// Returns true if a reference is written in a style, as far as its text shows that.
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
