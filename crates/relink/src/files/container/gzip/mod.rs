//! gzip files (RFC 1952) that contain one document.
//!
//! Invariant: a member whose text does not change keeps its bytes, and so does what follows the
//! last member. A member that changes keeps its header (name, time, flags, extra field, comment);
//! its data are compressed again at the level that the header names, and its checksum and size are
//! updated. The new file is decompressed and compared before it is used.

mod member;
mod stream;

use std::io;
use std::ops::Range;

use layers::Edits;
use rewrite::{Limit, Limits};

use self::member::Members;
use self::stream::GzipText;
use super::deflate::{checksum, compress};
use super::stream::{FREE, TextLength};
use super::{
    ARCHIVE, Container, ContainerForm, ContainerSpec, Edited, Piece, PieceDocument, PieceFact,
    PieceText, Rebuilt, Source,
};
use crate::files::container::ContentError;
use crate::os::undo_log::Changes;

/// A document that is compressed. If the file has several members, they are one document, in which
/// each keeps its part.
#[derive(Clone, Copy, Debug)]
pub struct Gzip;

static SPEC: ContainerSpec = ContainerSpec {
    media_types: &["application/gzip", "application/x-gzip"],
    extensions: &["gz", "svgz"],
    unsupported: Some(|head| (!member::is_start(head)).then_some(ARCHIVE)),
    document_name: Some(document_name),
    ..ContainerSpec::new("document", ContainerForm::One, None)
};

/// Returns the name without the extension of gzip.
fn document_name(name: &str) -> Option<String> {
    match name.rsplit_once('.')? {
        (stem, "gz") => Some(stem.to_owned()),
        (stem, "svgz") => Some(format!("{stem}.svg")),
        _ => None,
    }
}

impl Container for Gzip {
    fn spec(&self) -> &'static ContainerSpec {
        &SPEC
    }

    fn content(&self, piece: &Piece, limits: &Limits) -> Result<PieceDocument, ContentError> {
        let text = decompress(&piece.bytes, limits)?;
        Ok(PieceDocument::new(PieceText::Decoded(text), None))
    }

    fn open(&self, piece: Source, _: Option<PieceFact>, limits: &Limits) -> io::Result<Source> {
        let length = TextLength::new(piece.length(), limits);
        Ok(Source::Stream(Box::new(GzipText::new(piece, length))))
    }

    fn rebuild(&self, edited: &Edited<'_>) -> Result<Rebuilt, ContentError> {
        let rebuilt = with_text(edited)?;
        if is_text(&rebuilt.bytes, edited.new) {
            Ok(rebuilt)
        } else {
            Err(ContentError::Unverified)
        }
    }
}

/// Returns the text of a file, unless it exceeds a limit.
fn decompress(file: &[u8], limits: &Limits) -> Result<Vec<u8>, ContentError> {
    let most = limits.get(Limit::DocumentSize);
    let ratio = limits.get(Limit::CompressionRatio);
    let most_for_file = file.len().saturating_mul(ratio).saturating_add(FREE);
    let mut text: Vec<u8> = Vec::new();
    let mut members = Members::new(file);
    let mut take = |part: &[u8]| {
        let len = text.len().saturating_add(part.len());
        for (most, limit) in [(most, Limit::DocumentSize), (most_for_file, Limit::CompressionRatio)]
        {
            if len > most {
                return Err(ContentError::Limit(limits.met(limit)));
            }
        }
        text.try_reserve(part.len())?;
        text.extend_from_slice(part);
        Ok(())
    };
    while members.next(&mut take)?.is_some() {}
    Ok(text)
}

/// Returns true if the file contains this text.
fn is_text(file: &[u8], text: &[u8]) -> bool {
    let mut rest = text;
    let mut members = Members::new(file);
    let mut compare = |part: &[u8]| match rest.strip_prefix(part) {
        Some(after) => {
            rest = after;
            Ok(())
        }
        None => Err(ContentError::Unverified),
    };
    let is_read = loop {
        match members.next(&mut compare) {
            Ok(Some(_)) => {}
            end => break end.is_ok(),
        }
    };
    is_read && rest.is_empty()
}

/// Returns the file with a new text. Each member gets the part of the new text that the edits make
/// of its old part.
fn with_text(edited: &Edited<'_>) -> Result<Rebuilt, ContentError> {
    let Edited { piece: file, old, new, edits, .. } = edited;
    let mut bounds = Bounds::new(old, new, edits);
    let mut out = Rebuilt::default();
    out.bytes.reserve(file.len());
    let mut members = Members::new(file);
    let mut n_old = 0;
    let mut n_new = 0;
    let mut end = 0;
    // The old text is known; only the places of its members are not.
    while let Some(member) = members.next(&mut |_| Ok(()))? {
        let n_text = member.n_text;
        let is_last = members.is_end();
        let old_part = old.get(n_old..n_old + n_text).unwrap_or_default();
        n_old += n_text;
        let new_end = if is_last { new.len() } else { bounds.position(n_old) };
        let new_part = new.get(n_new..new_end).unwrap_or_default();
        n_new = new_end;
        end = member.span.end;
        if old_part == new_part {
            out.bytes.extend_from_slice(&file[member.span]);
            continue;
        }
        if let Some(index) = member.index {
            return Err(ContentError::Positions(index));
        }
        out.bytes.extend_from_slice(&file[member.span.start..member.data]);
        let start = out.bytes.len();
        out.bytes.extend_from_slice(&compress(new_part, member.level)?);
        out.bytes.extend_from_slice(&checksum(new_part).to_le_bytes());
        out.bytes.extend_from_slice(&member::size(new_part.len() as u64).to_le_bytes());
        let len = out.bytes.len() - start;
        out.changes.push(start as u64, len as u64, &file[member.data..member.span.end]);
        out.n_derived += 2;
    }
    out.bytes.extend_from_slice(&file[end..]);
    Ok(out)
}

/// The places of offsets of the old text in the new one, for ascending offsets.
struct Bounds {
    /// The spans of the old text that are replaced, and the lengths of the new texts.
    edits: Vec<(Range<usize>, usize)>,
    /// The edits before it were passed.
    next: usize,
    /// The end of the last of those edits.
    end: usize,
    /// The lengths of the old and the new texts of those edits.
    n_old: usize,
    n_new: usize,
}

impl Bounds {
    fn new(old: &[u8], new: &[u8], edits: &Edits) -> Self {
        let edits = if edits.explain(old, new) {
            edits
                .as_slice()
                .iter()
                .map(|edit| (edit.span.start..edit.span.end, edit.text.len()))
                .collect()
        } else {
            Changes::between(old, new)
                .iter()
                .map(|(span, old)| {
                    let start = usize::try_from(span.start).unwrap_or(usize::MAX);
                    let len = usize::try_from(span.end - span.start).unwrap_or(usize::MAX);
                    (start..start + old.len(), len)
                })
                .collect()
        };
        Bounds { edits, next: 0, end: 0, n_old: 0, n_new: 0 }
    }

    /// Returns the place of an offset. What replaces a span around it is before it.
    fn position(&mut self, offset: usize) -> usize {
        while let Some((span, n_new)) =
            self.edits.get(self.next).filter(|(span, _)| span.start < offset)
        {
            self.n_old += span.len();
            self.n_new += n_new;
            self.next += 1;
            self.end = span.end;
        }
        offset.max(self.end) - self.n_old + self.n_new
    }
}

#[cfg(test)]
mod tests {
    use layers::{Edit, Span};

    use super::*;

    #[test]
    fn an_edit_over_a_bound_is_before_it() {
        let old = b"abcdefgh";
        let edit = |start, end, text: &str| Edit {
            span: Span::new(start, end),
            text: text.as_bytes().into(),
            id: 0,
        };
        let edits = vec![edit(1, 2, "BBB"), edit(3, 5, "X"), edit(6, 6, "!"), edit(8, 8, "?")];
        let edits = Edits::new(edits, old.len()).unwrap();
        let new = edits.apply(old);
        assert_eq!(new, b"aBBBcXf!gh?");
        let mut bounds = Bounds::new(old, &new, &edits);
        // a | BBBc | X (4 is inside of the third edit) | f | !g
        assert_eq!([1, 3, 4, 6, 7].map(|at| bounds.position(at)), [1, 5, 6, 7, 9]);
        // Offset 4 again, alone: what replaces `de` is before it.
        assert_eq!(Bounds::new(old, &new, &edits).position(4), 6);
        // Without edits that explain it, one span has changed.
        let mut bounds = Bounds::new(old, &new, &Edits::default());
        assert_eq!([1, 8].map(|at| bounds.position(at)), [1, 11]);
    }
}
