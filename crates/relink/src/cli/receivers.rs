//! The receivers of the events of a run: the terminal, with `--format json` the records on standard
//! output, and with `--report` the report.

use std::io;

use crate::cli::records::{RecordWriter, Run, Sums};
use crate::cli::report::ReportWriter;
use crate::events::{Event, Events, OutputWriter};
use crate::plan::exit::Error;

/// The receivers of one run.
pub struct Receivers<'t> {
    terminal: &'t mut dyn Events,
    records: Option<RecordWriter>,
    report: Option<ReportWriter>,
}

impl<'t> Receivers<'t> {
    /// Creates the receivers of a run; with `has_records`, it prints records.
    pub fn new(run: Run, has_records: bool, terminal: &'t mut dyn Events) -> Self {
        Receivers { terminal, records: has_records.then(|| RecordWriter::new(run)), report: None }
    }

    /// Adds a report.
    pub fn add_report(&mut self, report: Option<ReportWriter>) {
        self.report = report;
    }

    /// Writes the report of a run, and sends its sums or the error that has ended it, after its
    /// last event.
    ///
    /// # Errors
    ///
    /// Those of the run, of the report, and of standard output.
    pub fn end<S>(&mut self, result: Result<S, Error>) -> Result<S, Error>
    where
        for<'s> Sums: From<&'s S>,
    {
        let result = match (result, self.report.take()) {
            (Ok(summary), Some(report)) => report.write(&Sums::from(&summary)).map(|()| summary),
            (result, _) => result,
        };
        let Some(records) = &mut self.records else { return result };
        let lines = match &result {
            Ok(summary) => records.end(&Sums::from(summary)),
            Err(error) if error.is_broken_pipe() => return result,
            Err(error) => records.failed(&format!("{error:#}")),
        };
        self.terminal.event(Event::Output(&lines))?;
        self.terminal.event(Event::OutputEnd)?;
        result
    }
}

impl Events for Receivers<'_> {
    fn event(&mut self, event: Event<'_>) -> io::Result<()> {
        if let Some(report) = &mut self.report {
            report.receive(&event);
        }
        if let Some(records) = &mut self.records {
            let lines = records.lines(&event);
            if !lines.is_empty() {
                self.terminal.event(Event::Output(&lines))?;
            }
            if let Event::Prepared(prepared) = &event {
                prepared.records.print(&mut OutputWriter(self.terminal))?;
            }
        }
        self.terminal.event(event)
    }
}
