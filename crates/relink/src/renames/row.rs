//! The rows of a list of renames: `old<TAB>new`, or with commas and quotes (RFC 4180) in a file
//! whose name ends in `.csv`.

use std::fmt;
use std::path::Path;

use csv::{ByteRecord, ReaderBuilder};

use super::error::RenameError;
use crate::failure::Failure;

/// The place where a rename is written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    name: String,
    /// The number of the line in a file.
    line: Option<u64>,
}

impl Place {
    /// Returns the place of an option or of an argument.
    pub fn option(name: impl Into<String>) -> Self {
        Place { name: name.into(), line: None }
    }

    /// Returns true for a line of a file.
    pub(super) fn is_line(&self) -> bool {
        self.line.is_some()
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.line.map_or(Ok(()), |line| write!(f, ":{line}"))
    }
}

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
        place: Place,
    },
    /// A rule, `s|PATTERN|REPLACEMENT|`.
    Rule {
        /// The text of the rule.
        text: String,
        /// The place of the row.
        place: Place,
    },
}

/// Reads a list of renames. Empty lines, and lines that begin with `#`, are comments.
///
/// # Errors
///
/// [`RenameError`] if the file cannot be read, or if a row does not have two fields.
pub fn read(path: &Path) -> Result<Vec<Row>, RenameError> {
    let is_csv = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    let delimiter = if is_csv { b',' } else { b'\t' };
    let mut builder = ReaderBuilder::new();
    builder.delimiter(delimiter).quoting(is_csv).comment(Some(b'#'));
    builder.has_headers(false).flexible(true);
    let mut reader = builder
        .from_path(path)
        .map_err(|error| RenameError::Unreadable(Failure::reading(path)(error.into())))?;
    let (mut rows, mut record) = (Vec::new(), ByteRecord::new());
    loop {
        let line = reader.position().line();
        let is_read = reader
            .read_byte_record(&mut record)
            .map_err(|error| RenameError::Unreadable(Failure::reading(path)(error.into())))?;
        if !is_read {
            return Ok(rows);
        }
        let line = record.position().map_or(line, csv::Position::line);
        let place = Place { name: path.display().to_string(), line: Some(line) };
        rows.push(row(&record, delimiter, place)?);
    }
}

fn row(record: &ByteRecord, delimiter: u8, place: Place) -> Result<Row, RenameError> {
    let text = |field: &[u8]| std::str::from_utf8(field).map(str::to_owned);
    let fields: Result<Vec<String>, _> = record.iter().map(text).collect();
    let Ok(fields) = fields else { return Err(RenameError::NotUtf8(place)) };
    match &*fields {
        [name, rule] if name == "rule" && is_rule(rule) => {
            Ok(Row::Rule { text: rule.clone(), place })
        }
        [old, new] if !old.is_empty() && !new.is_empty() => {
            Ok(Row::Rename { old: old.clone(), new: new.clone(), place })
        }
        _ => {
            let delimiter = if delimiter == b',' { "a comma" } else { "a tab" };
            Err(RenameError::Fields { place, n_fields: fields.len(), delimiter })
        }
    }
}

/// Returns true for `s`, and a character that is not of a name.
fn is_rule(text: &str) -> bool {
    text.strip_prefix('s').is_some_and(|rest| {
        rest.starts_with(|char: char| !char.is_alphanumeric() && !"/.-_~% ".contains(char))
            || rest.starts_with('/') && rest.matches('/').count() > 2
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn rows(name: &str, text: &str) -> Result<Vec<String>, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        let shown = |row: &Row| match row {
            Row::Rename { old, new, place } => format!("{:?} {old} -> {new}", place.line.unwrap()),
            Row::Rule { text, place } => format!("{:?} {text}", place.line.unwrap()),
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
        assert_eq!(rows("list.csv", "\"a,1\",b\n").unwrap(), ["1 a,1 -> b"]);
    }

    #[test]
    fn rows_without_two_fields_are_errors() {
        let one = "LIST:2: expected two fields with a tab between them, the old and the new name; found 1";
        assert_eq!(rows("list", "a\tb\na b\n").unwrap_err(), one);
        let text = rows("list", "a\t\n").unwrap_err();
        assert!(text.starts_with("LIST:1: expected two fields"), "{text}");
    }
}
