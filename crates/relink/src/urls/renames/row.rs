//! The rows of a list of renames: `old<TAB>new`, or with commas and quotes (RFC 4180) in a file
//! whose name ends in `.csv`.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use csv::{ReaderBuilder, StringRecord};

use super::error::{RenameError, RenamePlace};
use crate::os::failure::Failure;

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// A page or a directory gets another name. Both are paths or URLs.
    Rename {
        /// The old name.
        old: String,
        /// The new name.
        new: String,
        /// The place of the row.
        place: RenamePlace,
    },
    /// A rule, `s|PATTERN|REPLACEMENT|`.
    Rule {
        /// The text of the rule.
        text: String,
        /// The place of the row.
        place: RenamePlace,
    },
}

/// Returns the bytes of a list of renames.
///
/// # Errors
///
/// [`RenameError`] if the file cannot be read, or is too long.
pub(super) fn bytes(path: &Path) -> Result<Vec<u8>, RenameError> {
    let unreadable = |error| RenameError::Unreadable(Failure::reading(path)(error));
    File::open(path).and_then(read_list).map_err(unreadable)
}

/// Reads a list of renames. Empty lines, and lines that begin with `#`, are comments.
///
/// # Errors
///
/// [`RenameError`] if the file cannot be read, or if a row does not have two fields.
pub fn read(path: &Path) -> Result<Vec<Row>, RenameError> {
    let bytes = bytes(path)?;
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
    let is_csv = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    let mut rows = Vec::new();
    for (line, text) in records(bytes, is_csv) {
        let place = RenamePlace::Line(path.display().to_string(), line);
        let text = std::str::from_utf8(text).map_err(|_| RenameError::NotUtf8(place.clone()))?;
        let (fields, delimiter) = if is_csv {
            (csv_fields(text), "a comma")
        } else {
            (text.split('\t').map(str::to_owned).collect(), "a tab")
        };
        rows.push(row(&fields, delimiter, place)?);
    }
    Ok(rows)
}

/// Returns the rows of a list: with commas and quotes for a path that ends in `.csv`. A name that
/// has a character which separates fields or rows can only be in the latter.
pub fn list<'p>(path: &Path, pairs: impl Iterator<Item = (&'p Path, &'p Path)>) -> String {
    let is_csv = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    let pairs = pairs.map(|(old, new)| [old, new].map(|path| path.display().to_string()));
    if !is_csv {
        return pairs.map(|[old, new]| format!("{old}\t{new}\n")).collect();
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing into memory does not fail.
    pairs.for_each(|pair| drop(writer.write_record(pair)));
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

/// Splits a list into records, each with the number of its first line. In CSV, a line may end
/// inside of quotes.
fn records(bytes: &[u8], is_csv: bool) -> Vec<(u64, &[u8])> {
    let mut records = Vec::new();
    let (mut start, mut first, mut n_quotes) = (0, 1, 0);
    let mut end = 0;
    for (line, number) in bytes.split(|byte| *byte == b'\n').zip(1u64..) {
        end += line.len() + 1;
        n_quotes += line.iter().filter(|byte| **byte == b'"').count();
        if is_csv && n_quotes % 2 == 1 && end < bytes.len() {
            continue;
        }
        let record = &bytes[start..(end - 1).min(bytes.len())];
        let record = record.strip_suffix(b"\r").unwrap_or(record);
        if !record.is_empty() && !record.starts_with(b"#") {
            records.push((first, record));
        }
        (start, first, n_quotes) = (end, number + 1, 0);
    }
    records
}

/// Returns the fields of a record of CSV.
fn csv_fields(text: &str) -> Vec<String> {
    let mut reader = ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    let mut record = StringRecord::new();
    // Reading from memory does not fail.
    drop(reader.read_record(&mut record));
    record.iter().map(str::to_owned).collect()
}

fn row(fields: &[String], delimiter: &'static str, place: RenamePlace) -> Result<Row, RenameError> {
    match fields {
        [name, rule] if name == "rule" && is_rule(rule) => {
            Ok(Row::Rule { text: rule.clone(), place })
        }
        [old, new] if !old.is_empty() && !new.is_empty() => {
            Ok(Row::Rename { old: old.clone(), new: new.clone(), place })
        }
        _ => Err(RenameError::Fields { place, n_fields: fields.len(), delimiter }),
    }
}

/// Returns true for `s`, and a character that is not of a name.
fn is_rule(text: &str) -> bool {
    text.strip_prefix('s').is_some_and(|rest| {
        rest.starts_with(|char: char| !char.is_alphanumeric() && !"/.-_~% ".contains(char))
            || rest.starts_with('/') && rest.matches('/').count() > 2
    })
}

// Lists are read as a whole, up to a length: `/dev/zero` has no end.

/// The longest list, or line of a list without an end, in bytes.
pub const LONGEST: u64 = 256 << 20;

/// Reads a list.
///
/// # Errors
///
/// Those of the reader; also if it is too long.
pub fn read_list(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(LONGEST + 1).read_to_end(&mut bytes)?;
    check_length(bytes.len()).map(|_| bytes)
}

/// Returns the length of what was read_list of a list.
///
/// # Errors
///
/// If it is too long.
pub fn check_length(len: usize) -> io::Result<usize> {
    if len as u64 > LONGEST {
        Err(io::Error::other("it is longer than 256 MiB; use several"))
    } else {
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn rows(name: &str, text: &str) -> Result<Vec<String>, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        let line = |place: &RenamePlace| match place {
            RenamePlace::Line(_, line) => *line,
            place => panic!("{place} is no line"),
        };
        let shown = |row: &Row| match row {
            Row::Rename { old, new, place } => format!("{:?} {old} -> {new}", line(place)),
            Row::Rule { text, place } => format!("{:?} {text}", line(place)),
        };
        let rows = read(&path).map_err(|error| error.to_string().replace(name, "LIST"));
        let start = format!("{}/", dir.path().display());
        rows.map(|rows| rows.iter().map(shown).collect()).map_err(|error| error.replace(&start, ""))
    }

    #[test]
    fn rows_have_the_numbers_of_their_lines() {
        let text = "# comment\n\na.html\tb \"c\".html\r\nrule\ts|^/x|/y|\nrule\ts/a\n";
        let expected = ["3 a.html -> b \"c\".html", "4 s|^/x|/y|", "5 rule -> s/a"];
        assert_eq!(rows("list.tsv", text).unwrap(), expected);
        let text = "#\n\"a,\"\"1\",b\n\"c\nd\",e\nf,g";
        let expected = ["2 a,\"1 -> b", "3 c\nd -> e", "5 f -> g"];
        assert_eq!(rows("list.csv", text).unwrap(), expected);
    }

    #[test]
    fn rows_without_two_fields_are_errors() {
        let one = "LIST:2: expected two fields with a tab between them, the old and the new name; found 1";
        assert_eq!(rows("list", "a\tb\na b\n").unwrap_err(), one);
        let text = rows("list", "a\t\n").unwrap_err();
        assert!(text.starts_with("LIST:1: expected two fields"), "{text}");
    }
}
