//! `--report`: a page that shows what a run did, or its data.
//!
//! A report is one more receiver of the events of a run (`rows.rs`). Its rows wait in temporary
//! files until the run has ended, so that memory does not grow with the number of references; then
//! the file is written in one step, as JSON or as a page with the JSON in it (`page.rs`).

mod page;
mod place;
mod rows;

use std::io::{self, Write};
use std::path::PathBuf;

pub use self::place::check;
use self::rows::Rows;
use crate::cli::records::{Run, Sums};
use crate::events::Event;
use crate::os::dirs::beside;
use crate::os::failure::Failure;
use crate::plan::exit::Error;
use crate::recovery::write::{Stream, WriteOptions};

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A page for a browser.
    Page,
    /// Its data.
    Data,
}

/// A report that is being made.
pub struct Report {
    path: PathBuf,
    form: Form,
    rows: Rows,
}

impl Report {
    /// Creates the report of a run, at a path that was [checked](check).
    pub fn new(path: PathBuf, form: Form, run: Run) -> Self {
        Report { path, form, rows: Rows::new(run) }
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
        let Report { path, form, rows } = self;
        place::check_existing(&path)?;
        let failed = Failure::writing(&path);
        let to = beside(&path).map_err(&failed)?;
        let mut out = Out(Stream::new(&to, None, WriteOptions::default())?);
        let written = match form {
            Form::Data => rows.write(sums, &mut out),
            Form::Page => page::write(&mut out, |out| rows.write(sums, out)),
        };
        written.map_err(&failed)?;
        out.0.finish()?;
        Ok(())
    }
}

/// A writer to a file that gets its name when it is finished.
struct Out(Stream);

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(Failure::into_cause)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
