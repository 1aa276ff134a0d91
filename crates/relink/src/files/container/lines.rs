//! Line ends: their places and their number.
//!
//! Invariant: LF, CRLF and a CR that no LF follows end a line, here and everywhere in the
//! container. A CRLF counts once, also if the two are in different pieces.

/// The number of bytes in which the start of a line is searched: more than a boundary has.
const LONGEST_LINE: usize = 1000;

/// The number of lines that have ended so far.
#[derive(Default)]
pub(super) struct LineCount {
    n_ended: u64,
    /// True if the last byte was a CR.
    is_after_cr: bool,
}

impl LineCount {
    /// Returns the number of lines that have ended.
    pub(super) fn n_ended(&self) -> u64 {
        self.n_ended
    }

    /// Counts the line ends of the next bytes.
    pub(super) fn pass(&mut self, bytes: &[u8]) {
        let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return };
        let mut n_ended = memchr::memchr_iter(b'\n', bytes).count() as u64;
        if self.is_after_cr && *first == b'\n' {
            n_ended -= 1;
        }
        if let Some(at) = memchr::memchr(b'\r', bytes) {
            n_ended += n_lone_crs(&bytes[at..]);
        }
        self.is_after_cr = *last == b'\r';
        self.n_ended += n_ended;
    }
}

/// Returns the number of CRs that no LF follows, including the last byte.
fn n_lone_crs(bytes: &[u8]) -> u64 {
    let next = bytes.get(1..).unwrap_or_default();
    let mut n_crs = u64::from(bytes.last() == Some(&b'\r'));
    // A sum of so few fits in a byte, which lets the compiler add many at once.
    for (these, after) in bytes.chunks(255).zip(next.chunks(255)) {
        let is_lone = |(byte, next): (&u8, &u8)| u8::from(*byte == b'\r' && *next != b'\n');
        n_crs += u64::from(these.iter().zip(after).map(is_lone).sum::<u8>());
    }
    n_crs
}

/// Returns the start of the next line, or the end of the bytes.
pub(super) fn line_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    match memchr::memchr2(b'\n', b'\r', rest) {
        Some(length) => after_line_end(bytes, at + length).unwrap_or(bytes.len()),
        None => bytes.len(),
    }
}

/// Returns the offset after the line end at a byte, if there is one.
pub(super) fn after_line_end(bytes: &[u8], at: usize) -> Option<usize> {
    match (bytes.get(at)?, bytes.get(at + 1)) {
        (b'\r', Some(b'\n')) => Some(at + 2),
        (b'\n' | b'\r', _) => Some(at + 1),
        _ => None,
    }
}

/// Returns the start of the line end before a byte; the byte itself if there is none.
pub(super) fn before_line_end(bytes: &[u8], at: usize) -> usize {
    match bytes.get(..at).unwrap_or_default() {
        [.., b'\r', b'\n'] => at - 2,
        [.., b'\n' | b'\r'] => at - 1,
        _ => at,
    }
}

/// Returns true if a line end is right before a byte.
pub(super) fn is_after_line_end(bytes: &[u8], at: usize) -> bool {
    before_line_end(bytes, at) < at
}

/// Returns the start of the line that contains a byte or ends before it, at most
/// [`LONGEST_LINE`] bytes before it.
pub(super) fn line_start(bytes: &[u8], at: usize) -> usize {
    let floor = at.saturating_sub(LONGEST_LINE);
    let line_end = memchr::memrchr2(b'\n', b'\r', &bytes[floor..at]);
    line_end.map_or(floor, |before| floor + before + 1)
}
