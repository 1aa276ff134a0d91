//! The lines of a log, read with bounded memory: it may be any file that somebody left in a tree;
//! and bytes in their JSON.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use layers::base64;
use urlcore::escape::percent_decode;

use super::LogRecord;
use crate::files::own_files::{JOURNAL_START, MANIFEST_START, MOVES_START};
use crate::os::paths;

/// The maximum number of bytes of a line. Longer lines are read to their end, and ignored.
pub(super) const MOST: usize = 32 << 20;

/// The longest line that is read to its end.
const LONGEST: u64 = 1 << 30;

/// The longest log that is read, in bytes.
const MOST_OF_FILE: u64 = 64 << 30;

/// The number of bytes of a log that are read at once.
const CHUNK: usize = 1 << 16;

/// A kind of logs.
#[derive(Debug)]
pub(crate) struct LogKind {
    /// The beginning of a log, whatever its version.
    start: &'static [u8],
    /// The versions of the format that are read.
    versions: &'static [u32],
}

/// The version of the format of journals.
pub(crate) const JOURNAL_VERSION: u32 = 5;

/// The version of the format of records of moves.
pub(crate) const MOVES_VERSION: u32 = 1;

/// The version of the format of manifests.
pub(crate) const MANIFEST_VERSION: u32 = 2;

/// The version in which files stay in their directories. It is written if no file is renamed.
pub(crate) const MANIFEST_VERSION_BESIDE: u32 = 1;

/// Journals.
pub(crate) const JOURNALS: LogKind = LogKind { start: JOURNAL_START, versions: &[JOURNAL_VERSION] };

/// Records of moves.
pub(crate) const MOVES: LogKind = LogKind { start: MOVES_START, versions: &[MOVES_VERSION] };

/// Manifests.
pub(crate) const MANIFESTS: LogKind =
    LogKind { start: MANIFEST_START, versions: &[MANIFEST_VERSION_BESIDE, MANIFEST_VERSION] };

/// The beginning of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// There is no complete line: the file was just created.
    None,
    /// It is another file, or too large.
    Other,
    /// Another version of this program wrote it.
    Version(u32),
    /// It is a log.
    Log {
        /// True if bytes follow the last line end.
        is_cut: bool,
    },
}

/// Reads the lines of a log until `take` returns false. `take` gets the offset of each line, and
/// its text, which is empty if it is not UTF-8 or too long.
///
/// # Errors
///
/// Those of the reader.
pub(crate) fn read(
    mut log: impl Read + Seek,
    kind: &LogKind,
    mut take: impl FnMut(u64, &str) -> bool,
) -> io::Result<Beginning> {
    if log.seek(SeekFrom::End(0))? > MOST_OF_FILE {
        return Ok(Beginning::Other);
    }
    let mut reader = LineReader::new(log)?;
    // A file with another beginning, however long it is, is not read.
    let head = reader.fill_buf()?;
    if !head.iter().zip(kind.start).all(|(one, other)| one == other) {
        return Ok(Beginning::Other);
    }
    let mut beginning = Beginning::None;
    let is_cut = each(reader, 0, |at, line| {
        if at == 0 {
            beginning = match LogRecord::version_of(line) {
                None => Beginning::Other,
                Some(version) if !kind.versions.contains(&version) => Beginning::Version(version),
                Some(_) => Beginning::Log { is_cut: false },
            };
        }
        matches!(beginning, Beginning::Log { .. }) && take(at, line)
    })?;
    match beginning {
        Beginning::Log { .. } => Ok(Beginning::Log { is_cut }),
        beginning => Ok(beginning),
    }
}

/// A reader of a log that knows its offset: the bytes that it has in memory are not read again
/// if it goes to an offset near by.
#[derive(Debug)]
pub(crate) struct LineReader<R> {
    reader: BufReader<R>,
    at: u64,
}

impl<R: Read + Seek> LineReader<R> {
    /// Returns a reader that begins at the start.
    ///
    /// # Errors
    ///
    /// Those of the reader.
    pub(crate) fn new(log: R) -> io::Result<Self> {
        LineReader::with_capacity(CHUNK, log)
    }

    /// Returns a reader of a log that is at its start.
    pub(crate) fn of(log: R) -> Self {
        LineReader { reader: BufReader::with_capacity(CHUNK, log), at: 0 }
    }

    /// Returns a reader that begins at the start, and reads this number of bytes at once.
    pub(super) fn with_capacity(capacity: usize, mut log: R) -> io::Result<Self> {
        log.seek(SeekFrom::Start(0))?;
        Ok(LineReader { reader: BufReader::with_capacity(capacity, log), at: 0 })
    }

    /// Goes to an offset.
    ///
    /// # Errors
    ///
    /// Those of the reader.
    pub(crate) fn go_to(&mut self, at: u64) -> io::Result<()> {
        match i64::try_from(i128::from(at) - i128::from(self.at)) {
            Ok(by) => self.reader.seek_relative(by)?,
            Err(_) => self.reader.seek(SeekFrom::Start(at)).map(drop)?,
        }
        self.at = at;
        Ok(())
    }
}

impl<R: Read> Read for LineReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(out)?;
        self.at += n as u64;
        Ok(n)
    }
}

impl<R: Read> BufRead for LineReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, n: usize) {
        self.reader.consume(n);
        self.at += n as u64;
    }
}

/// Reads complete lines until `take` returns false. `take` gets the offset of each line, and its
/// text, which is empty if it is not UTF-8 or too long. Returns true if bytes follow the last line
/// end, or a line is longer than a gibibyte.
///
/// # Errors
///
/// Those of the reader.
pub(super) fn each(
    reader: impl BufRead,
    at: u64,
    take: impl FnMut(u64, &str) -> bool,
) -> io::Result<bool> {
    each_up_to(MOST, reader, at, take)
}

/// The same, where a line is too long if it has more than `most` bytes.
fn each_up_to(
    most: usize,
    mut reader: impl BufRead,
    mut at: u64,
    mut take: impl FnMut(u64, &str) -> bool,
) -> io::Result<bool> {
    let mut line: Vec<u8> = Vec::new();
    let mut len: u64 = 0;
    loop {
        let bytes = match reader.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            bytes => bytes?,
        };
        if bytes.is_empty() {
            return Ok(len > 0);
        }
        let end = memchr::memchr(b'\n', bytes);
        let n_read = end.map_or(bytes.len(), |end| end + 1);
        if let Some(end) = end.filter(|_| len == 0 && n_read <= most) {
            let goes_on = take(at, std::str::from_utf8(&bytes[..end]).unwrap_or_default());
            reader.consume(n_read);
            if !goes_on {
                return Ok(false);
            }
            at += n_read as u64;
            continue;
        }
        if len + n_read as u64 <= most as u64 {
            line.extend_from_slice(&bytes[..n_read]);
        }
        len += n_read as u64;
        reader.consume(n_read);
        if len > LONGEST {
            return Ok(true);
        }
        if end.is_none() {
            continue;
        }
        let is_whole = len == line.len() as u64;
        let text = if is_whole { &line[..line.len() - 1] } else { b"" };
        if !take(at, std::str::from_utf8(text).unwrap_or_default()) {
            return Ok(false);
        }
        at += len;
        len = 0;
        line.clear();
    }
}

// Bytes in JSON: texts if they are UTF-8. Otherwise a content is in base64, and a path has two
// keys, of which the second one has its bytes in percent-escapes.

pub(super) fn in_base64(bytes: &[u8]) -> String {
    base64::encode(bytes).into_iter().map(char::from).collect()
}

/// Returns the two keys of a path that leads anywhere.
pub(super) fn from_root(path: &Path) -> (String, Option<String>) {
    match path.to_str() {
        Some(text) => (text.to_owned(), None),
        None => {
            let bytes = path.as_os_str().as_encoded_bytes();
            (path.to_string_lossy().into_owned(), Some(paths::encoded(bytes)))
        }
    }
}

/// Returns the two keys of a path that may be missing.
pub(super) fn optional(path: Option<&Path>) -> (Option<String>, Option<String>) {
    let texts = path.map(paths::text);
    texts.map_or((None, None), |(text, encoded)| (Some(text), encoded))
}

/// Returns the path that two keys give, which may be missing; `None` if it leads elsewhere.
pub(super) fn optional_path(
    text: &Option<String>,
    encoded: &Option<String>,
) -> Option<Option<PathBuf>> {
    match text {
        Some(text) => path(text, encoded.as_ref()).map(Some),
        None => Some(None),
    }
}

/// Returns the path that two keys of a line give, if it stays below the directory that it is
/// joined to.
pub(super) fn path(text: &str, encoded: Option<&String>) -> Option<PathBuf> {
    match encoded {
        Some(encoded) => paths::from_bytes(&percent_decode(encoded)),
        None => paths::from_bytes(text.as_bytes()),
    }
}

/// Returns the same path; a PATH itself has an empty one.
pub(super) fn path_or_root(text: &str, encoded: Option<&String>) -> Option<PathBuf> {
    if text.is_empty() { Some(PathBuf::new()) } else { path(text, encoded) }
}

/// Returns the path that two keys of a line give, wherever it leads.
pub(super) fn path_from_root(text: &str, encoded: Option<&String>) -> Option<PathBuf> {
    match encoded {
        Some(encoded) => paths::os_str(&percent_decode(encoded)).map(PathBuf::from),
        None => Some(PathBuf::from(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, most: usize) -> (Vec<(u64, String)>, bool) {
        let mut lines = Vec::new();
        let reader = BufReader::with_capacity(3, text.as_bytes());
        let is_cut = each_up_to(most, reader, 0, |at, line| {
            lines.push((at, line.to_owned()));
            true
        });
        (lines, is_cut.unwrap())
    }

    #[test]
    fn lines_are_read_with_their_offsets() {
        let line = |at, text: &str| (at, text.to_owned());
        assert_eq!(lines("ab\n\nc\n", 9), (vec![line(0, "ab"), line(3, ""), line(4, "c")], false));
        assert_eq!(lines("ab\nc", 9), (vec![line(0, "ab")], true));
        assert_eq!(lines("", 9), (vec![], false));
    }

    #[test]
    fn a_reader_goes_to_any_offset() {
        let text: Vec<u8> = (0..=250).cycle().take(3 * CHUNK).collect();
        let mut reader = LineReader::new(io::Cursor::new(&text)).unwrap();
        for at in [CHUNK + 7, 3, 9, 2 * CHUNK, 2 * CHUNK - 1, 0, CHUNK] {
            let mut found = [0; 5];
            reader.go_to(at as u64).unwrap();
            reader.read_exact(&mut found).unwrap();
            assert_eq!(found, text[at..at + 5], "{at}");
            reader.consume(0);
        }
    }

    #[test]
    fn a_line_that_is_too_long_does_not_count_and_the_next_one_does() {
        let line = |at, text: &str| (at, text.to_owned());
        assert_eq!(lines("abcdef\nc\n", 4), (vec![line(0, ""), line(7, "c")], false));
    }
    #[test]
    fn a_log_begins_with_its_kind_and_version() {
        let of = |text: &str| read(io::Cursor::new(text), &JOURNALS, |_, _| true).unwrap();
        let head = "{\"record\":\"relink-journal\",\"version\":5}\n";
        assert_eq!(of(head), Beginning::Log { is_cut: false });
        assert_eq!(of(&format!("{head}x")), Beginning::Log { is_cut: true });
        for end in 0..head.len() {
            assert_eq!(of(&head[..end]), Beginning::None, "{end}");
        }
        for version in [4, 6] {
            let other = head.replace('5', &version.to_string());
            assert_eq!(of(&other), Beginning::Version(version));
        }
        let of_moves = head.replace("journal", "moves");
        for other in ["mine\n", "\n", &of_moves, "{\"record\":\"relink-journal\",\n"] {
            assert_eq!(of(other), Beginning::Other, "{other}");
        }
    }

    #[test]
    fn paths_that_lead_out_of_the_tree_are_refused() {
        assert_eq!(path("a/b", None), Some("a/b".into()));
        for wrong in ["..", "a/../../b", "/etc/passwd", "", ".", "a\0"] {
            assert_eq!(path(wrong, None), None, "{wrong}");
        }
        assert_eq!(path("a", Some(&"b%2F..%2F..%2Fc".to_owned())), None);
    }
}
