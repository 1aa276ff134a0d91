//! `--report`: a page that shows what a run did, or its data.
//!
//! A report is one more receiver of the events of a run (`rows.rs`). Its rows wait in temporary
//! files until the run has ended, so that memory does not grow with the number of references; then
//! the file is written in one step, as JSON or as a page with the JSON in it.

mod rows;

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use self::rows::Rows;
use crate::cli::records::{Run, Sums};
use crate::events::Event;
use crate::files::own_files;
use crate::os::design::{self, InElement};
use crate::os::dirs::beside;
use crate::os::failure::Failure;
use crate::os::paths::Root;
use crate::plan::destination::{Output, resolved};
use crate::plan::exit::Error;
use crate::recovery::write::{StreamedFile, WriteOptions};

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportForm {
    /// A page for a browser.
    Page,
    /// Its data.
    Data,
}

/// The number of bytes of a report that are written at once.
const AT_ONCE: usize = 1 << 16;

/// A report that is being made.
pub struct ReportWriter {
    path: PathBuf,
    form: ReportForm,
    rows: Rows,
}

impl ReportWriter {
    /// Creates the report of a run, at a path that was [checked](check).
    pub fn new(path: PathBuf, form: ReportForm, run: Run) -> Self {
        ReportWriter { path, form, rows: Rows::new(run) }
    }

    /// Adds what an event says.
    pub fn receive(&mut self, event: &Event<'_>) {
        self.rows.receive(event);
    }

    /// Writes the report of a run that has ended.
    ///
    /// # Errors
    ///
    /// [`Error::File`] with the path; [`Error::Path`] if there is a file by now that is not a
    /// report.
    pub fn write(self, sums: &Sums) -> Result<(), Error> {
        let ReportWriter { path, form, rows } = self;
        check_existing(&path)?;
        let failed = Failure::writing(&path);
        let to = beside(&path).map_err(&failed)?;
        let out = ReportFile(StreamedFile::new(&to, None, WriteOptions::default())?);
        let mut out = BufWriter::with_capacity(AT_ONCE, out);
        let written = match form {
            ReportForm::Data => rows.write(sums, &mut out),
            ReportForm::Page => write(&mut out, |out| rows.write(sums, out)),
        };
        written.map_err(&failed)?;
        let out = out.into_inner().map_err(|error| failed(error.into_error()))?;
        out.0.finish()?;
        Ok(())
    }
}

/// A writer to a file that gets its name when it is finished.
struct ReportFile(StreamedFile);

impl Write for ReportFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(Failure::into_cause)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

// The file of a report: its form, and whether it may be written.

/// Returns the form of the report at a path, by its name. An existing file is replaced only if it
/// is a report; nothing else of the run may have the path.
///
/// # Errors
///
/// [`Error::Path`] with the reason.
pub fn check(path: &Path, roots: &[Root], output: Option<&Output>) -> Result<ReportForm, Error> {
    let wrong =
        |reason: &str| Err(Error::at(path, format!("cannot write the report here; {reason}")));
    if path.as_os_str() == "-" {
        return Err(Error::Usage("cannot write a report to standard output; it is a file; use `--format json` for records on standard output".to_owned()));
    }
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    let form = match extension.to_str() {
        Some("html" | "htm") => ReportForm::Page,
        Some("json") => ReportForm::Data,
        _ => return wrong("its name says the form; use a name that ends in .html or .json"),
    };
    check_existing(path)?;
    let at = resolved(path);
    let mut is_inside = false;
    match output {
        Some(Output::File(out)) if resolved(out) == at => {
            return wrong("it is the output; use another name");
        }
        Some(Output::Below(outputs)) => {
            for (out, root) in outputs.iter().zip(roots) {
                let Ok(below) = at.strip_prefix(resolved(out)).map(Path::to_owned) else {
                    continue;
                };
                is_inside = true;
                if root.path().is_some_and(|root| root.join(below).symlink_metadata().is_ok()) {
                    return wrong("a file of the output has this name; use another name");
                }
            }
        }
        _ => {}
    }
    let directory = path.parent().filter(|directory| !directory.as_os_str().is_empty());
    if directory.is_none_or(Path::is_dir) || is_inside {
        Ok(form)
    } else {
        wrong("its directory does not exist; create it first")
    }
}

/// Checks that there is nothing at the path of a report but an earlier report.
///
/// # Errors
///
/// [`Error::Path`] with the reason.
fn check_existing(path: &Path) -> Result<(), Error> {
    let Ok(status) = path.symlink_metadata() else { return Ok(()) };
    let is_report = || {
        let mut head = Vec::new();
        let file = File::open(path);
        let read =
            file.and_then(|file| file.take(own_files::REPORT_START as u64).read_to_end(&mut head));
        read.is_ok() && own_files::is_report(&head)
    };
    if status.is_file() && is_report() {
        Ok(())
    } else {
        Err(Error::at(
            path,
            "cannot write the report here; there is something else, and only an earlier report is replaced; use another name",
        ))
    }
}

// The page of a report: one file that works from a disk, and that may load nothing.
//
// The Content-Security-Policy names the hashes of the one style sheet and the one script. The data
// is JSON in an element that browsers do not execute, and the script makes text of it, never
// markup.

/// The page with marks where the other files go.
const PAGE: &str = include_str!("page.html");

/// The style sheet, which begins with that of the design.
const STYLE: &str = concat!(include_str!("../../os/design/base.css"), include_str!("page.css"));

/// The parts of the script, in the order in which they are executed.
const SCRIPT: [&str; 7] = [
    include_str!("data.js"),
    include_str!("dom.js"),
    include_str!("grid.js"),
    include_str!("boxes.js"),
    include_str!("overview.js"),
    include_str!("tables.js"),
    include_str!("start.js"),
];

/// Writes the page; `data` writes its data.
///
/// # Errors
///
/// Those of the writer.
fn write<W: Write>(
    out: &mut W,
    data: impl FnOnce(&mut InElement<'_, W>) -> io::Result<()>,
) -> io::Result<()> {
    let script = format!("\"use strict\";\n(() => {{\n{}}})();\n", SCRIPT.concat());
    let (mut rest, mut data) = (PAGE, Some(data));
    while let Some((before, mark, after)) = next_mark(rest) {
        out.write_all(before.as_bytes())?;
        match mark {
            "policy" => out.write_all(design::policy(STYLE, &[&script], "").as_bytes())?,
            "program" => out.write_all(env!("CARGO_PKG_VERSION").as_bytes())?,
            "style" => out.write_all(STYLE.as_bytes())?,
            "script" => out.write_all(script.as_bytes())?,
            _ => {
                if let Some(data) = data.take() {
                    data(&mut InElement(out))?;
                }
            }
        }
        rest = after;
    }
    out.write_all(rest.as_bytes())
}

/// Splits a text at its first mark, `{{name}}`.
fn next_mark(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("{{")?;
    let (mark, after) = rest.split_once("}}")?;
    Some((before, mark, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_its_parts_and_no_mark_is_left() {
        let mut out = Vec::new();
        write(&mut out, |data| data.write_all(b"[1]")).unwrap();
        let page = String::from_utf8(out).unwrap();
        assert!(page.contains(">[1]</script>"));
        assert!(own_files::is_report(page.as_bytes()));
        assert_eq!(page.matches("</script>").count(), 2);
        assert_eq!(page.matches("</style>").count(), 1);
        assert!(!page.contains("{{") && !page.contains("}}"), "a mark is left");
        assert!(page.is_ascii(), "characters that depend on the charset");
    }
}
