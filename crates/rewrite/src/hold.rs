//! What a reference is where it stands, and whether it must stay as it is, wherever it points.

use basectx::is_template;

use crate::found::{Delimiters, Value};
use crate::scope::Scope;
use crate::site::{Hold, Receiver};
use crate::slots::{Format, Kind, Slot, SlotId};
use crate::traverse::Walk;

impl<R: Receiver> Walk<'_, R> {
    /// Why a reference stays as it is, if the part or the text that it stands in says so.
    pub(crate) fn hold(&self, reference: &str, value: &Value, scope: &Scope<'_>) -> Option<Hold> {
        if self.part.is_sealed {
            return Some(Hold::Sealed);
        }
        if self.part.has_ignored_base && value.slot == SlotId::BASE_HREF {
            return Some(Hold::Base);
        }
        if value.delimiters == Delimiters::Ambiguous {
            return Some(Hold::Ambiguous);
        }
        if self.beside.as_ref().is_some_and(|beside| beside.has(reference, value.slot, scope)) {
            return Some(Hold::Beside);
        }
        let locations = &self.part.kept_locations;
        let is_kept = !locations.is_empty()
            && reference
                .split('#')
                .next()
                .is_some_and(|name| locations.iter().any(|locations| locations.contains(name)));
        is_kept.then_some(Hold::Part)
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
