//! The limits on input and output: each has a name and a default that only hostile input exceeds,
//! and can be set.
//!
//! A document or part that meets a limit is skipped and reported with the name of the limit. The
//! reason for each default is stated at its row; work that is linear in time and memory has no
//! limit.

#[cfg(test)]
mod tests;

use std::fmt;
use std::time::Duration;

/// The unit in which a limit is counted and typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    /// Bytes, with K, M or G.
    Bytes,
    Number,
    /// Milliseconds, typed with s or ms.
    Time,
}

struct LimitRow {
    limit: Limit,
    name: &'static str,
    default: u64,
    /// The largest value; `None` if the limit may be turned off.
    most: Option<u64>,
    measure: Measure,
    /// The message about a document, before and after the value.
    words: (&'static str, &'static str),
    /// The quantity that is counted.
    meaning: &'static str,
}

/// The maximum of limits on recursion, so that the stack does not overflow.
const DEEPEST: Option<u64> = Some(64);

/// Defines the limits and their rows, in the same order. A row has the name, the quantity, the
/// default with its unit and its largest value, and the message.
macro_rules! limits {
    ($($(#[$doc:meta])* $limit:ident $name:literal, $meaning:literal,
        $default:expr, $measure:ident, $most:expr, $words:expr;)+) => {
        /// A limited quantity.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Limit {
            $($(#[$doc])* $limit,)+
        }

        const ROWS: [LimitRow; [$($name),+].len()] = [$(LimitRow {
            limit: Limit::$limit,
            name: $name,
            default: $default,
            most: $most,
            measure: Measure::$measure,
            words: $words,
            meaning: $meaning,
        }),+];
    };
}

limits! {
    /// Bytes of a document, or of a message of a mailbox, that is read into memory.
    // Memory is a small multiple of the largest document. The largest real documents are messages
    // of some 100 MB.
    DocumentSize "document-size",
        "bytes of a document, or of a message of a mailbox",
        1 << 30, Bytes, None, ("it is larger than ", "");
    /// Bytes of memory for data collected from a document: values, targets, edits, and the tree of
    /// html5ever.
    // With the document, its output and both tables of references this fits into a machine with 4
    // GB.
    Memory "memory",
        "bytes of memory for the values, targets and edits of a document, and for the tree of html5ever",
        2 << 30, Bytes, None, ("its references need more than ", " of memory");
    /// The same as a multiple of the size of the document, plus 4 MiB.
    // An edited reference takes 136 bytes. Real pages have one per 50 bytes; the first 4 MiB are
    // free.
    MemoryGrowth "memory-growth",
        "the same, as a multiple of the document; 4 MiB are free",
        10, Number, None, ("its references need more memory than ", " times its size");
    /// The sum of the lengths of the base URLs of all references, as a multiple of the size of the
    /// document, plus 16 MiB: with a long base the output could grow to the square of its size.
    // With dense references, 15 bytes each, this allows a base of 500 bytes; the first 16 MiB are
    // free.
    OutputGrowth "output-growth",
        "the sum of the lengths of the base URLs of all references, as a multiple of the document; 16 MiB are free",
        32, Number, None, ("with its long base URL, its references would grow to more than ", " times its size");
    /// Bytes of a URL: of a reference and its base.
    // Chromium opens none above 2 MiB (`kMaxURLChars`); most servers take 8 KiB.
    UrlSize "url-size",
        "bytes of a reference and its base; URLs without a host or a path, such as `data:`, have no limit",
        2 << 20, Bytes, None, ("a URL in it is longer than ", "");
    /// Milliseconds to read a document; checked at intervals while working.
    // html5ever reads the largest document in half a minute, and it is read twice.
    Time "time",
        "time to process a document; checked at intervals",
        600_000, Time, None, ("processing takes longer than ", "");
    /// The nesting of documents: `srcdoc`, HTML in feeds, messages in encoded messages. Each level
    /// uses stack space.
    // Mail that was forwarded many times has about 5 levels.
    EmbeddedDepth "embedded-depth",
        "nested documents: `srcdoc`, HTML in feeds, encoded messages in messages (at most 64)",
        16, Number, DEEPEST, ("more than ", " nested documents");
    /// The decoded size of all documents embedded in a document, as a multiple of its size, plus 1
    /// MiB.
    // A `srcdoc` in a `srcdoc` is read twice; base64 is larger than the data that it encodes.
    EmbeddedSize "embedded-size",
        "decoded bytes of all embedded documents, as a multiple of the document; 1 MiB is free",
        4, Number, None, ("embedded documents are larger than ", " times their document");
    /// Elements that are open in html5ever, including formatting elements to be reopened: its time
    /// grows with their number. The number of times that elements are moved is limited in
    /// proportion.
    // This allows 512 elements and 64 formatting elements. Browsers stop at 512.
    HtmlDepth "html-depth",
        "open elements, where relink falls back to html5ever",
        512 + 64, Number, None, ("more than ", " open or moved elements");
    /// Attributes of a tag that html5ever reads: it compares each with all others.
    // Each is compared with all others: a megabyte of such tags takes a tenth of a second.
    TagAttributes "tag-attributes",
        "attributes of a tag, where relink falls back to html5ever",
        1000, Number, None, ("more than ", " attributes in one tag");
    /// Nested elements with an `xml:base`: each has a URL as long as all of them together.
    XmlBases "xml-bases",
        "nested elements with `xml:base` (at most 10000)",
        100, Number, Some(10_000), ("more than ", " nested elements with xml:base");
    /// Nested block quotes and lists of Markdown: each line is compared with all open ones.
    // Some Markdown parsers also stop at 100.
    MarkdownDepth "markdown-depth",
        "nested quotes and lists of Markdown (at most 10000)",
        100, Number, Some(10_000), ("more than ", " nested quotes and lists");
    /// The nesting of the entities of a message.
    // Mail programs stop at 100 or earlier.
    PartDepth "part-depth",
        "nested parts of a message (at most 1000)",
        100, Number, Some(1000), ("more than ", " nested parts");
    /// Entities of a message.
    Parts "parts",
        "parts of a message",
        100_000, Number, None, ("more than ", " parts (later ones are not read)");
    /// Bytes of a header field.
    // RFC 5322 2.1.1 limits lines to 998 bytes, but not the number of lines. Long lists of
    // recipients are not read.
    FieldSize "field-size",
        "bytes of a header field",
        64 << 10, Bytes, None, ("it is longer than ", "");
    /// The decompressed size of a document, as a multiple of its compressed size, plus 1 MiB.
    // Lists of URLs reach some 100, deflate at most 1032; the first MiB is free.
    CompressionRatio "compression-ratio",
        "decompressed bytes of a file or member, as a multiple of its size; 1 MiB is free",
        500, Number, None, ("it decompresses to more than ", " times its size");
    /// Containers in one another: a mailbox in gzip, a package in a zip file.
    // Real ones have 2 levels, 3 with attachments that are archives.
    ArchiveDepth "archive-depth",
        "archives in one another, such as a zip file in a zip file (at most 64)",
        4, Number, DEEPEST, ("more than ", " nested archives");
    /// Members of a zip file.
    // This is the most that the format allows without zip64.
    ArchiveMembers "archive-members",
        "members of a zip file and of those in it",
        65_535, Number, None, ("it has more than ", " members");
    /// Bytes of the directory of a zip file.
    // It is in memory; 65,535 members with long names take some 10 MB.
    ArchiveDirectory "archive-directory",
        "bytes of the directories of a zip file and of those in it",
        64 << 20, Bytes, None, ("its directory is larger than ", "");
    /// Decompressed bytes of the archives in a file that are copied: zip files in other archives,
    /// and all that are edited.
    // Long ones are in temporary files.
    ArchiveSize "archive-size",
        "decompressed bytes of the archives in a file that are copied, to a temporary file if they are long",
        8 << 30, Bytes, None, ("the archives in it are larger than ", "");
    /// Bytes of all files that become parts of one message.
    // A message is in memory as a whole, with its files, and is read again. Pages with videos reach
    // some 100 MB.
    PackSize "pack-size",
        "bytes of all files of a page that `pack` packs",
        512 << 20, Bytes, None, ("the page and the files that it loads are larger than ", "");
    /// The nesting of files that load others, such as frames in frames and imports of style sheets.
    // Style sheets that import others have about 5 levels.
    LoadDepth "load-depth",
        "levels of files that load others, such as frames in frames, in `pack`",
        64, Number, None, ("its files load each other more than ", " levels deep");
    /// Bytes of all files that are unpacked, as a multiple of the bytes of the archives, plus 256
    /// MiB.
    // Text that is compressed twice, by the server and in the archive, reaches some 20; the first
    // 256 MiB are free.
    OutputRatio "output-ratio",
        "bytes of all files that `unpack` writes, as a multiple of the archives; 256 MiB are free",
        100, Number, None, ("the files would be more than ", " times as large as the archives");
}

/// The value of a limit that is turned off.
const NONE: u64 = u64::MAX;

impl Limit {
    /// Returns all limits, in the order of the README.
    pub fn all() -> impl Iterator<Item = Limit> {
        ROWS.iter().map(|row| row.limit)
    }

    /// Returns its name in messages and on the command line.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the default value as it is typed.
    pub fn default_value(self) -> String {
        self.row().measure.typed(self.row().default)
    }

    /// Returns the description for the README.
    pub fn meaning(self) -> &'static str {
        self.row().meaning
    }

    fn row(self) -> &'static LimitRow {
        &ROWS[self as usize]
    }
}

impl Measure {
    /// Returns a value as it is typed.
    fn typed(self, value: u64) -> String {
        if value == NONE {
            return "none".to_owned();
        }
        match self {
            Measure::Number => value.to_string(),
            Measure::Time if value.is_multiple_of(1000) => format!("{}s", value / 1000),
            Measure::Time => format!("{value}ms"),
            Measure::Bytes => {
                let of = |(shift, letter): &(u32, char)| {
                    let is_whole = value > 0 && value.trailing_zeros() >= *shift;
                    is_whole.then(|| format!("{}{letter}", value >> shift))
                };
                let units = [(30, 'G'), (20, 'M'), (10, 'K')];
                units.iter().find_map(of).unwrap_or_else(|| value.to_string())
            }
        }
    }

    fn parse(self, text: &str) -> Option<u64> {
        let end = text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len());
        let (digits, unit) = text.split_at(end);
        let factor = match (self, unit) {
            (Measure::Number | Measure::Bytes, "") | (Measure::Time, "ms") => 1,
            (Measure::Time, "s") => 1000,
            (Measure::Bytes, "K") => 1 << 10,
            (Measure::Bytes, "M") => 1 << 20,
            (Measure::Bytes, "G") => 1 << 30,
            _ => return None,
        };
        digits.parse::<u64>().ok()?.checked_mul(factor)
    }

    const fn example(self) -> &'static str {
        match self {
            Measure::Bytes => "a number of bytes, such as 512, 64K, 16M or 2G",
            Measure::Number => "a number",
            Measure::Time => "a time, such as 500ms or 60s",
        }
    }
}

/// The values of all limits.
///
/// # Examples
///
/// ```
/// use relink_rewrite::{Limit, Limits};
/// let mut limits = Limits::default();
/// limits.set("embedded-depth", "3")?;
/// assert_eq!((limits.get(Limit::EmbeddedDepth), limits.get(Limit::FieldSize)), (3, 65_536));
/// assert!(limits.set("embedded-depth", "none").is_err());
/// # Ok::<(), relink_rewrite::BadLimit>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// As they were set.
    set: [u64; ROWS.len()],
    /// What is left of them.
    left: [u64; ROWS.len()],
}

impl Default for Limits {
    fn default() -> Self {
        let set = ROWS.map(|row| row.default);
        Limits { set, left: set }
    }
}

impl Limits {
    /// The names of the limits.
    pub const NAMES: [&'static str; ROWS.len()] = {
        let mut names = [""; ROWS.len()];
        let mut idx = 0;
        while idx < ROWS.len() {
            names[idx] = ROWS[idx].name;
            idx += 1;
        }
        names
    };

    /// Returns what is left of a limit; the largest number if it is turned off.
    pub fn get(&self, limit: Limit) -> usize {
        usize::try_from(self.left[limit as usize]).unwrap_or(usize::MAX)
    }

    /// Lowers what is left of a limit, for what is inside of something that takes a part of it.
    /// Reports name the value that was set. A limit that is turned off stays so.
    pub fn lower(&mut self, limit: Limit, left: usize) {
        let value = &mut self.left[limit as usize];
        if *value != NONE {
            *value = (*value).min(left as u64);
        }
    }

    /// Returns the time limit of a document.
    pub(crate) fn time(&self) -> Option<Duration> {
        let time = self.left[Limit::Time as usize];
        (time != NONE).then(|| Duration::from_millis(time))
    }

    /// Sets the limit with this name to a number, which may have a unit, or to `none`.
    ///
    /// # Errors
    ///
    /// Returns [`BadLimit`] if there is no such limit, or it cannot have that value.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), BadLimit> {
        let Some(row) = ROWS.iter().find(|row| row.name == name) else {
            let names = Limits::NAMES.join(", ");
            return Err(BadLimit(format!("unknown limit; expected one of {names}")));
        };
        let parsed = match value {
            "none" => Some(NONE),
            value => row.measure.parse(value),
        };
        let most = row.most.unwrap_or(NONE);
        match parsed {
            Some(parsed) if parsed <= most => {
                (self.set[row.limit as usize], self.left[row.limit as usize]) = (parsed, parsed);
            }
            Some(_) => {
                return Err(BadLimit(format!("the maximum is {}", row.measure.typed(most))));
            }
            None => {
                let range = match row.most {
                    Some(most) => format!(", at most {}", row.measure.typed(most)),
                    None => ", or none".to_owned(),
                };
                return Err(BadLimit(format!("expected {}{range}", row.measure.example())));
            }
        }
        Ok(())
    }

    /// Returns a limit with its value, for a report that it was met.
    pub fn met(&self, limit: Limit) -> Met {
        Met { limit, value: self.set[limit as usize] }
    }
}

/// A limit that was met, with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Met {
    /// The limit.
    pub limit: Limit,
    value: u64,
}

impl fmt::Display for Met {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = self.limit.row();
        let (before, after) = row.words;
        let value = row.measure.typed(self.value);
        write!(f, "{before}{value}{after}; use `--limit {}=VALUE` to raise the limit", row.name)
    }
}

/// The error for a limit that cannot be set.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("{0}")]
pub struct BadLimit(String);
