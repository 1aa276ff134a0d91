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
        let mut attributes = self.tokens.attributes.iter();
        let mark = attributes.find(|attribute| attribute.parts().1 == "fldCharType");
        let mark = mark.map(|mark| &self.text[mark.value.start..mark.value.end]);
        if mark == Some("begin") {
            self.end_before_word();
        }
        self.field_codes.last = None;
        let in_code = &mut self.field_codes.in_code;
        match mark {
            Some("begin") => in_code.push(true),
            Some("separate") => in_code.last_mut().into_iter().for_each(|is_code| *is_code = false),
            Some("end") => drop(in_code.pop()),
            _ => {}
        }
    }

    /// Ends the code that was read last before its last word, if that has no quotes: it goes on
    /// with what another field computes, or with text that is not read.
    fn end_before_word(&mut self) {
        let Some((idx, mut end)) = self.field_codes.last.take() else { return };
        let Value { span, written, .. } = &mut self.found.values[idx];
        let gaps = match written {
            ValueEncoding::Cut(cut) => Some(&mut self.found.cuts[*cut as usize].1),
            _ => None,
        };
        let mut n_gaps = gaps.as_ref().map_or(0, |gaps| gaps.len());
        let gap = |n: usize| gaps.as_ref().and_then(|gaps| gaps.get(n.checked_sub(1)?).copied());
        loop {
            let start = span.start + gap(n_gaps).map_or(0, |gap| gap.end);
            let piece = &self.text[start..end];
            if piece.ends_with('"') {
                return;
            }
            if let Some(space) = piece.rfind(char::is_whitespace) {
                span.end = start + space + piece[space..].chars().next().map_or(0, char::len_utf8);
                break;
            }
            // All of it is the name of the field, which has no argument.
            let Some(gap) = gap(n_gaps) else { return };
            (end, n_gaps) = (span.start + gap.start, n_gaps - 1);
        }
        gaps.into_iter().for_each(|gaps| gaps.truncate(n_gaps));
    }

    /// Adds the text of a code, whose element has this content. It may be the rest of another one.
    pub(super) fn field_code(&mut self, value: Option<Value>, content: Span) {
        let is_plain = !self.text[content.start..content.end].contains('<');
        let is_in_code = is_plain && self.field_codes.in_code.last() == Some(&true);
        if !is_plain {
            self.end_before_word();
        }
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
