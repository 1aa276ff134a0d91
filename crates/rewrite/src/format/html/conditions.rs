//! Conditions on what the `href` or `src` of an element loads: `integrity` and `crossorigin`.
//! Browsers enforce them on scripts and images of SVG too.
//!
//! Digests are values of the attribute. Where both attributes are taken away, the value is the name
//! of the attribute: it becomes `data-integrity`, which says nothing to browsers, and can be made
//! what it was.
//!
//! `Loading` is how and when browsers load what an attribute names, as far as its tag decides that
//! and not its slot.

use layers::Span;

use crate::format::found::{Against, Delimiters, Value, Values};
use crate::format::html::index::{Key, TextOf};
use crate::options::Integrity;
use crate::slots::{Fetch, Moment, SlotId};

/// Returns true if an attribute is a condition, or was one that was taken away.
#[inline]
pub(crate) fn is_one(attribute: Key) -> bool {
    is_digest(attribute) || is_cross_origin(attribute)
}

fn is_digest(attribute: Key) -> bool {
    attribute == Key::INTEGRITY || attribute == Key::DATA_INTEGRITY
}

fn is_cross_origin(attribute: Key) -> bool {
    attribute == Key::CROSSORIGIN || attribute == Key::DATA_CROSSORIGIN
}

/// Returns the slot of a condition of an element, if conditions are treated so and it has an
/// effect. `text` returns the text of an attribute of the element.
pub(crate) fn slot_if(
    integrity: Integrity,
    element: Key,
    attribute: Key,
    text: &TextOf<'_>,
) -> Option<SlotId> {
    let is_treated = match integrity {
        Integrity::Keep => false,
        Integrity::Renew => attribute == Key::INTEGRITY,
        Integrity::Remove => true,
    };
    slot(element, attribute).filter(|_| is_treated && is_enforced(element, text))
}

/// Returns the value that is the name of a condition.
pub(crate) fn name(span: Span, slot: SlotId) -> Value {
    Value::item(span, slot, Delimiters::None)
}

/// Returns true if conditions of an element have an effect: of links, only those of style sheets
/// and of what is loaded before it is used. A font is loaded again by its style sheet.
fn is_enforced(element: Key, text: &TextOf<'_>) -> bool {
    let rel = || text(Key::REL).unwrap_or_default();
    let is_font = || text(Key::AS).is_some_and(|kind| kind.eq_ignore_ascii_case("font"));
    let is = |words: &[&str]| {
        rel()
            .split_ascii_whitespace()
            .any(|rel| words.iter().any(|word| word.eq_ignore_ascii_case(rel)))
    };
    element != Key::LINK || is(&["stylesheet", "modulepreload"]) || (is(&["preload"]) && !is_font())
}

/// Returns the slot of a condition of an element.
fn slot(element: Key, attribute: Key) -> Option<SlotId> {
    Some(match element {
        Key::LINK if is_digest(attribute) => SlotId::LINK_INTEGRITY,
        Key::SCRIPT if is_digest(attribute) => SlotId::SCRIPT_INTEGRITY,
        Key::LINK if is_cross_origin(attribute) => SlotId::LINK_CROSSORIGIN,
        Key::SCRIPT if is_cross_origin(attribute) => SlotId::SCRIPT_CROSSORIGIN,
        Key::AUDIO if is_cross_origin(attribute) => SlotId::AUDIO_CROSSORIGIN,
        Key::VIDEO if is_cross_origin(attribute) => SlotId::VIDEO_CROSSORIGIN,
        Key::IMG | Key::IMAGE | Key::FE_IMAGE if is_cross_origin(attribute) => {
            SlotId::IMG_CROSSORIGIN
        }
        _ => return None,
    })
}

/// Returns the slots of what a condition may be on, the one that counts first: a script and an
/// image of SVG have two attributes (SVG 2, section 16.1.4).
fn loads(condition: SlotId) -> &'static [SlotId] {
    match condition {
        SlotId::LINK_INTEGRITY | SlotId::LINK_CROSSORIGIN => &[SlotId::LINK_HREF],
        SlotId::AUDIO_CROSSORIGIN => &[SlotId::AUDIO_SRC],
        SlotId::VIDEO_CROSSORIGIN => &[SlotId::VIDEO_SRC],
        SlotId::IMG_CROSSORIGIN => &[SlotId::IMG_SRC, SlotId::SVG_HREF, SlotId::SVG_XLINK_HREF],
        _ => &[SlotId::SCRIPT_SRC, SlotId::SVG_HREF, SlotId::SVG_XLINK_HREF],
    }
}

/// Gives the conditions among the values of an element, from number `n_before` on, the reference
/// that they apply to. Without one that is loaded so, they have no effect, and are no values.
pub(crate) fn pair(values: &mut Values, n_before: usize) {
    let is_condition = |value: &Value| value.slot.is_condition();
    let of_element = &values[n_before..];
    let Some(condition) = of_element.iter().find(|value| is_condition(value)) else { return };
    let load = loads(condition.slot)
        .iter()
        .find_map(|slot| of_element.iter().position(|value| value.slot == *slot));
    match load.and_then(|load| u32::try_from(n_before + load).ok()) {
        Some(load) => {
            let added = values[n_before..].iter_mut();
            added
                .filter(|value| is_condition(value))
                .for_each(|value| value.against = Against::LoadOf(load));
        }
        None => values.retain_from(n_before, |value| !is_condition(value)),
    }
}

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

/// Returns true if a `script` element with these attributes is a module, in it or elsewhere (HTML
/// standard, section 4.12.1.1, "prepare the script element").
pub(super) fn has_module_type(text: &TextOf<'_>) -> bool {
    text(Key::TYPE).is_some_and(|script| script.trim_ascii().eq_ignore_ascii_case("module"))
}
