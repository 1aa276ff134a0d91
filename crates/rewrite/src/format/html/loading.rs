//! How and when browsers load what an attribute names, as far as its tag decides that and not its
//! slot.

use super::attributes::{TextOf, has_module_type};
use super::key::Key;
use crate::slots::{Fetch, Moment, SlotId};

/// Returns true if the tag decides how and when a reference in this slot is fetched.
pub(super) fn is_decided_by_tag(slot: SlotId) -> bool {
    matches!(
        slot,
        SlotId::LINK_HREF | SlotId::SCRIPT_SRC | SlotId::SVG_HREF | SlotId::SVG_XLINK_HREF
    )
}

/// Returns the way a reference is fetched, and the moment, each if its tag decides that.
pub(crate) fn decided_by_tag(
    slot: SlotId,
    element: Key,
    text: &TextOf<'_>,
) -> (Option<Fetch>, Option<Moment>) {
    let of_script = || has_module_type(text).then_some(Fetch::WithOrigin);
    match slot {
        SlotId::LINK_HREF => {
            let rel = text(Key::REL).unwrap_or_default();
            let fetch = Fetch::of_link(&rel, text(Key::AS).as_deref());
            (Some(fetch), Some(Moment::of_link(&rel)))
        }
        SlotId::SCRIPT_SRC => (of_script(), None),
        SlotId::SVG_HREF | SlotId::SVG_XLINK_HREF => {
            let is_use = element == Key::USE;
            let fetch = match element {
                Key::IMAGE | Key::FE_IMAGE => Some(Fetch::Upgradeable),
                Key::USE => Some(Fetch::WithOrigin),
                Key::SCRIPT => of_script(),
                _ => None,
            };
            (fetch, is_use.then_some(Moment::Either))
        }
        _ => (None, None),
    }
}

/// Returns true if the `src` of an image with these attributes may be loaded later than it is
/// parsed.
pub(crate) fn is_loaded_later(text: &TextOf<'_>) -> bool {
    text(Key::LOADING).is_some_and(|loading| loading.eq_ignore_ascii_case("lazy"))
        || text(Key::SRCSET).is_some()
}
