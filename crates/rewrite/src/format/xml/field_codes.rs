//! Field codes of WordprocessingML that are split into runs at any place, and fields in fields.
//!
//! Marks begin a field, separate its code from its result, and end it. The texts of a code make one
//! value, unless there is a mark or another value between them. ISO/IEC 29500-1, 17.16.18.

use layers::Span;

use super::XmlScan;
use super::runs::OpenElement;
use crate::format::found::{Value, ValueEncoding};
use crate::slots::Vocabulary;

/// The fields that have begun.
#[derive(Default)]
pub(super) struct FieldCodes {
    /// For each of them, true if its code is being read, and not its result.
    in_code: Vec<bool>,
    /// The value that the next text may continue, and the end of its last piece.
    pub(super) last: Option<(usize, usize)>,
}

impl XmlScan<'_> {
    /// Reads the tag of an element, which may be a mark.
    pub(super) fn field_mark(&mut self, open: &OpenElement<'_>) {
        if open.vocabulary != Vocabulary::Word || open.name != "fldChar" {
            return;
        }
        let mut attributes = self.attributes.iter();
        let mark = attributes.find(|attribute| attribute.parts().1 == "fldCharType");
        self.field_codes.last = None;
        let in_code = &mut self.field_codes.in_code;
        match mark.map(|mark| &self.text[mark.value.start..mark.value.end]) {
            Some("begin") => in_code.push(true),
            Some("separate") => in_code.last_mut().into_iter().for_each(|is_code| *is_code = false),
            Some("end") => drop(in_code.pop()),
            _ => {}
        }
    }

    /// Adds the text of a code, whose element has this content. It may be the rest of another one.
    pub(super) fn field_code(&mut self, value: Option<Value>, content: Span) {
        let is_plain = !self.text[content.start..content.end].contains('<');
        let is_in_code = is_plain && self.field_codes.in_code.last() == Some(&true);
        let last = self.field_codes.last.take().filter(|_| is_in_code);
        let n_values = self.found.values.len();
        if let Some((idx, end)) = last.filter(|(idx, _)| idx + 1 == n_values) {
            let Value { span, written, slot, against, .. } = self.found.values[idx];
            if value.is_none_or(|value| (value.slot, value.against) == (slot, against)) {
                let gap = Span::new(end - span.start, content.start - span.start);
                let cut = match written {
                    ValueEncoding::In(layer) => self.found.add_cuts(layer, vec![gap]),
                    ValueEncoding::Cut(cut) => {
                        self.found.cuts[cut as usize].1.push(gap);
                        Some(cut)
                    }
                    ValueEncoding::Raw => None,
                };
                if let Some(cut) = cut {
                    let joined = &mut self.found.values[idx];
                    joined.written = ValueEncoding::Cut(cut);
                    joined.span.end = content.end;
                    self.field_codes.last = Some((idx, content.end));
                    return;
                }
            }
        }
        self.found.values.extend(value);
        self.field_codes.last = value.filter(|_| is_in_code).map(|_| (n_values, content.end));
    }
}
