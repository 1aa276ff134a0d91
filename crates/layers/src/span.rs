//! Spans, edits, lists of edits, what an edit must not do to the bytes around it, and the result of
//! lifting edits: all layers use them.
//!
//! Invariant: the edits of an [`Edits`] are disjoint and sorted by span; the check is made once,
//! when the list is built.

use std::sync::Arc;

/// A byte range `[start, end)` in a named source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The offset of the first byte.
    pub start: usize,
    /// The offset after the last byte; never less than `start`.
    pub end: usize,
}

impl Span {
    /// Creates a span from `start` up to, not including, `end`.
    #[inline]
    pub const fn new(start: usize, end: usize) -> Self {
        Span { start, end }
    }

    /// Returns the number of bytes.
    pub const fn len(self) -> usize {
        self.end - self.start
    }

    /// Returns true if the span is empty.
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Returns true if the byte at `at` is in the span.
    pub const fn holds(self, at: usize) -> bool {
        self.start <= at && at < self.end
    }

    /// Returns the span moved `by` bytes to the right.
    #[must_use]
    pub const fn shifted(self, by: usize) -> Self {
        Span { start: self.start + by, end: self.end + by }
    }

    /// Returns the bytes of `source` that the span covers.
    ///
    /// # Panics
    ///
    /// Panics if the span is not inside `source`.
    pub fn slice(self, source: &[u8]) -> &[u8] {
        &source[self.start..self.end]
    }
}

/// One replacement of a span by other bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The span to replace, in the bytes of the layer to which the edit belongs. An empty span is
    /// an insertion.
    pub span: Span,
    /// The new bytes; shared, because many edits of a document write the same.
    pub text: Arc<[u8]>,
    /// The caller's number for the reference of the edit, which lifting preserves.
    pub id: usize,
}

/// Edits of one source, disjoint and sorted.
///
/// # Examples
///
/// ```
/// use relink_layers::{Disorder, Edit, Edits, Span};
///
/// let edit = |start, end, text: &[u8]| {
///     Edit { span: Span::new(start, end), text: text.into(), id: 0 }
/// };
/// let edits = Edits::new(vec![edit(0, 1, b"x"), edit(2, 2, b"y")], 3)?;
/// assert_eq!(edits.apply(b"abc"), b"xbyc");
/// let overlapping = Edits::new(vec![edit(0, 2, b""), edit(1, 3, b"")], 3);
/// assert_eq!(overlapping, Err(Disorder { index: 1 }));
/// # Ok::<(), Disorder>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edits(Vec<Edit>);

/// The error of building a list of edits: the edit at `index` begins before the end of the one
/// before it, or ends past the source.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
#[error("edit {index} overlaps the edit before it or leaves the source")]
pub struct Disorder {
    /// The index of the offending edit.
    pub index: usize,
}

impl Edits {
    /// Builds a list, and checks that `edits` are sorted, disjoint, and inside a source of
    /// `source_len` bytes.
    ///
    /// # Errors
    ///
    /// [`Disorder`] with the index of the first edit that is not.
    pub fn new(edits: Vec<Edit>, source_len: usize) -> Result<Self, Disorder> {
        let mut end = 0;
        for (index, edit) in edits.iter().enumerate() {
            if edit.span.start < end
                || edit.span.end < edit.span.start
                || edit.span.end > source_len
            {
                return Err(Disorder { index });
            }
            end = edit.span.end;
        }
        Ok(Edits(edits))
    }

    /// Returns the edits, in source order.
    pub fn as_slice(&self) -> &[Edit] {
        &self.0
    }

    /// Returns the number of edits.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there are no edits.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the source with the edits applied, in one allocation.
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_layers::{Edit, Edits, Span};
    /// let edit = Edit { span: Span::new(1, 2), text: b"XY"[..].into(), id: 0 };
    /// let edits = Edits::new(vec![edit], 3)?;
    /// assert_eq!(edits.apply(b"abc"), b"aXYc");
    /// # Ok::<(), relink_layers::Disorder>(())
    /// ```
    pub fn apply(&self, source: &[u8]) -> Vec<u8> {
        let grown: usize = self.0.iter().map(|edit| edit.text.len()).sum();
        let cut: usize = self.0.iter().map(|edit| edit.span.len()).sum();
        let mut out = Vec::with_capacity(source.len() + grown - cut);
        let mut at = 0;
        for edit in &self.0 {
            out.extend_from_slice(&source[at..edit.span.start]);
            out.extend_from_slice(&edit.text);
            at = edit.span.end;
        }
        out.extend_from_slice(&source[at..]);
        out
    }

    /// Returns true if `output` is `source` with exactly these edits applied: every range outside
    /// them is compared byte for byte.
    ///
    /// This checks that bytes outside references never change, without building a second output.
    pub fn explain(&self, source: &[u8], output: &[u8]) -> bool {
        let (mut at, mut to) = (0, 0);
        for edit in &self.0 {
            let kept = edit.span.start - at;
            let Some(same) = output.get(to..to + kept) else { return false };
            if same != &source[at..edit.span.start] {
                return false;
            }
            to += kept;
            let Some(new) = output.get(to..to + edit.text.len()) else { return false };
            if new != &*edit.text {
                return false;
            }
            to += edit.text.len();
            at = edit.span.end;
        }
        output.get(to..) == Some(&source[at..])
    }
}

/// The sequences that the bytes around a text forbid, in lower case: they must not result from an
/// edit (`</style`, `-->`).
///
/// # Examples
///
/// ```
/// use relink_layers::{Guards, Span, Unliftable};
///
/// let guards = Guards { forbidden: &["</style"] };
/// let raw = b"a</b";
/// assert!(guards.check(raw, Span::new(3, 4), b"p").is_ok());
/// let refused = guards.check(raw, Span::new(3, 4), b"STYLE");
/// assert_eq!(refused, Err(Unliftable::Forbidden("</style")));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guards {
    /// The forbidden sequences, none longer than 16 bytes; compared ignoring case.
    pub forbidden: &'static [&'static str],
}

impl Guards {
    /// Checks that `bytes` may replace `span` of `raw`.
    ///
    /// # Errors
    ///
    /// [`Unliftable::Forbidden`] if a forbidden sequence would result, also across the ends of the
    /// span.
    pub fn check(self, raw: &[u8], span: Span, bytes: &[u8]) -> Result<(), Unliftable> {
        const REACH: usize = 16;
        if self.forbidden.is_empty() {
            return Ok(());
        }
        let before = &raw[span.start.saturating_sub(REACH)..span.start];
        let after = &raw[span.end..raw.len().min(span.end + REACH)];
        let window = [before, bytes, after].concat().to_ascii_lowercase();
        let first = window.len() - after.len() - bytes.len();
        let last = window.len() - after.len();
        // Only sequences that overlap the new bytes matter: others were there before the edit.
        let has = |sequence: &&&str| {
            let windows = window.windows(sequence.len()).enumerate();
            windows
                .filter(|(at, _)| at + sequence.len() > first && *at < last.max(first + 1))
                .any(|(_, part)| part == sequence.as_bytes())
        };
        match self.forbidden.iter().find(has) {
            Some(sequence) => Err(Unliftable::Forbidden(sequence)),
            None => Ok(()),
        }
    }
}

/// The reason why an edit cannot be lifted to the bytes.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unliftable {
    /// The charset of the document has no such character.
    #[error("the document's charset has no character U+{:04X}", u32::from(*.0))]
    Unencodable(char),
    /// The bytes around would be read differently: the named sequence would result.
    #[error("the new text would end the text around it: {0}")]
    Forbidden(&'static str),
    /// Widened to whole units, the edit overlaps the one before it.
    #[error("the edit overlaps the one before it")]
    Overlap,
    /// The encoding around the text is broken, so that its groups are not known.
    #[error("the encoding around it is invalid")]
    Unclean,
    /// The line would be longer than lines may be.
    #[error("its line would be longer than 998 bytes")]
    LongLine,
    /// The charset of the document allows no new text at this place.
    #[error("the document's charset allows no other text there")]
    Charset,
    /// The text would be empty, which is not allowed at this place.
    #[error("the new text would be empty, which is not allowed there")]
    Empty,
    /// Lines would be joined differently than before.
    #[error("lines of the text would be joined differently")]
    Flow,
}

/// The result of lifting a list of edits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lifted {
    /// The edits on the raw bytes, sorted and disjoint, with offsets in the raw bytes.
    pub edits: Vec<Edit>,
    /// The edits that could not be lifted: their `id`, and the reason.
    pub refused: Vec<(usize, Unliftable)>,
}
