//! The bases of a presentation of MPEG-DASH: a `BaseURL` is the base of the elements around it.
//!
//! ISO/IEC 23009-1, section 5.6. The text of the element opens a scope, as `xml:base` does, for its
//! parent. Where several are alternatives, references depend on the one that a player chooses, and
//! stay. The location of the presentation is relative to its own URL in players (dash.js, Shaka
//! Player).

use layers::{Charset, Span};
use urlcore::{Dialect, clean, is_absolute_for_any_base};

use super::XmlScan;
use super::runs::{OpenElement, XmlAttribute};
use crate::format::found::{Against, BaseScope, Delimiters, Value, ValueEncoding};
use crate::slots::{SlotId, Syntax, Vocabulary};

impl<'t> XmlScan<'t> {
    /// Returns the scope around an element that begins, and whether it is below alternatives.
    pub(super) fn around(&self, vocabulary: Vocabulary, name: &str) -> (Option<u32>, bool) {
        let Some(parent) = self.open.last() else { return (None, false) };
        if vocabulary == Vocabulary::Dash && name == "BaseURL" {
            parent.around
        } else {
            (parent.scope, parent.has_alternatives)
        }
    }

    /// Opens the scope of a `BaseURL` that ends, with its text.
    pub(super) fn end_of_base(&mut self, base: &OpenElement<'t>, value: Option<Value>) {
        let Some(value) = value.filter(|value| value.slot == SlotId::DASH_BASE) else { return };
        let is_absolute = self.is_absolute(value);
        let Value { span, written: ValueEncoding::In(layer), .. } = value else { return };
        let last = self.last_before(span);
        let Some(parent) = self.open.last_mut() else { return };
        // The schema has it before every reference of its parent.
        if last.is_some_and(|last| last >= parent.n_values) {
            self.other_base = self.other_base.or(Some(base.start));
        }
        parent.n_values = self.found.values.len();
        if parent.has_base {
            parent.has_alternatives = true;
            return;
        }
        parent.has_alternatives &= !is_absolute;
        parent.has_base = true;
        let outer = parent.scope;
        let depth = outer.map_or(0, |outer| self.found.scopes[outer as usize].depth) + 1;
        let scope = BaseScope { outer, span, layer, depth, is_unknown: false };
        parent.scope = self.found.add_scope(scope).or(outer);
    }

    /// Returns the number of the last value before that of a base that the base could apply to.
    /// Each value is looked at once.
    fn last_before(&mut self, base: Span) -> Option<usize> {
        let values = &self.found.values;
        let is_added = values.last().is_some_and(|last| last.span == base);
        let n_before = values.len() - usize::from(is_added);
        let (n_compared, last) = &mut self.compared;
        while *n_compared < n_before {
            if values[*n_compared].slot != SlotId::DASH_INFORMATION {
                *last = Some(*n_compared);
            }
            *n_compared += 1;
        }
        *last
    }

    /// Returns a value in an element of a presentation with its own base, or as one that has
    /// several.
    pub(super) fn of_presentation(&self, open: &OpenElement<'t>, value: Value) -> Value {
        if open.vocabulary != Vocabulary::Dash {
            return value;
        }
        let of_itself = [SlotId::DASH_INFORMATION, SlotId::DASH_LOCATION, SlotId::DASH_PATCH];
        if of_itself.contains(&value.slot) {
            return Value { against: Against::Base, ..value };
        }
        if !open.has_alternatives {
            value
        } else if self.is_absolute(value) {
            Value { delimiters: Delimiters::Absolute, ..value }
        } else {
            Value { delimiters: Delimiters::Ambiguous, syntax: Syntax::Url, ..value }
        }
    }

    /// Returns true if all references of a value are absolute, whatever their base.
    fn is_absolute(&self, value: Value) -> bool {
        let ValueEncoding::In(layer) = value.written else { return false };
        let raw = &self.text.as_bytes()[value.span.start..value.span.end];
        let text = layer.decode(raw, Charset::UTF_8).text;
        let is_absolute =
            |text: &str| is_absolute_for_any_base(&clean(text, Dialect::Web), Dialect::Web);
        match value.syntax {
            Syntax::SpaceList => text.split_ascii_whitespace().all(is_absolute),
            _ => is_absolute(&text),
        }
    }

    /// Returns true if the value of a `UTCTiming` is a list of URLs, by its scheme (5.8.4.11).
    pub(super) fn has_urls_of_time(&self, attributes: &[XmlAttribute<'_>]) -> bool {
        let scheme = attributes.iter().find(|attribute| attribute.name == "schemeIdUri");
        scheme.is_some_and(|scheme| {
            let text = &self.text[scheme.value.start..scheme.value.end];
            text.trim().starts_with("urn:mpeg:dash:utc:http-")
        })
    }
}
