//! What a reference is where it stands, and whether it must stay as it is, wherever it points.

use std::collections::HashSet;
use std::sync::Arc;

use basectx::is_template;

use crate::format::found::{Delimiters, Value};
use crate::slots::{Format, Kind, Slot, SlotId};
use crate::walk::Walk;
use crate::walk::scope::Scope;
use crate::walk::site::{KeepReason, Visitor};

/// What is to be known of a part of a message.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    /// Whether it must not be edited.
    pub(crate) is_sealed: bool,
    /// Whether other parts show it by its `Content-ID`. Browsers take that for its base then, under which nothing can be relative.
    pub(crate) is_shown_by_id: bool,
    /// Whether its `<base>` does not count in the profile.
    pub(crate) has_ignored_base: bool,
    /// Locations of other parts that stay as they are, relative: references that name them must stay too.
    pub(crate) kept_locations: Vec<Arc<HashSet<String>>>,
}

impl<R: Visitor> Walk<'_, R> {
    /// Why a reference stays as it is, if the part or the text that it stands in says so.
    pub(crate) fn keep(
        &self,
        reference: &str,
        value: &Value,
        scope: &Scope<'_>,
    ) -> Option<KeepReason> {
        if self.part.is_sealed {
            return Some(KeepReason::Sealed);
        }
        if self.part.has_ignored_base && value.slot == SlotId::BASE_HREF {
            return Some(KeepReason::Base);
        }
        match value.delimiters {
            Delimiters::Ambiguous => return Some(KeepReason::Ambiguous),
            Delimiters::Entity => return Some(KeepReason::Entity),
            _ => {}
        }
        if self
            .saved_resources
            .as_ref()
            .is_some_and(|saved_resources| saved_resources.has(reference, value.slot, scope))
        {
            return Some(KeepReason::SavedResources);
        }
        let locations = &self.part.kept_locations;
        let is_kept = !locations.is_empty()
            && reference
                .split('#')
                .next()
                .is_some_and(|name| locations.iter().any(|locations| locations.contains(name)));
        is_kept.then_some(KeepReason::Part)
    }
}

/// What a reference is, by its slot and its text. In CSS `" #x"` is not local (CSS Values 4, section 4.5.1: "starts with").
pub(crate) fn kind(text: &str, slot: Option<&Slot>, is_trimmed: bool) -> Kind {
    let kind = slot.map_or(Kind::Url, |slot| slot.kind);
    match kind {
        Kind::Class => Kind::Class,
        _ if is_template(text) => Kind::Template,
        // A variable of the server.
        _ if slot.is_some_and(|slot| slot.format == Format::Ssi) && text.contains('$') => {
            Kind::Template
        }
        _ if text.starts_with('#')
            && slot.is_some_and(|slot| {
                slot.is_local && !(is_trimmed && slot.attribute.is_empty())
            }) =>
        {
            Kind::Local
        }
        kind => kind,
    }
}
