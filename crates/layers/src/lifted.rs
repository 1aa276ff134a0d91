//! What an edit must not do to the bytes around it, and the result of lifting edits.

use crate::span::{Edit, Span};

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
