//! The receiver of the command line: output goes to standard output, messages to standard error.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};

use crate::events::{Event, Events, Severity};
use crate::messages;

/// Prints the events of a run.
pub struct Terminal {
    out: BufWriter<Stdout>,
    /// True if output is collected until there is much of it: lists come in small pieces.
    is_buffered: bool,
    /// True if only errors are printed.
    is_quiet: bool,
    /// True if the summary names the reasons.
    is_verbose: bool,
}

impl Terminal {
    /// Creates the receiver. With `is_quiet`, it prints errors only, and no summary; with
    /// `is_buffered`, it collects output until there is much of it.
    pub fn new(is_buffered: bool, is_quiet: bool, is_verbose: bool) -> Self {
        Terminal { out: BufWriter::new(io::stdout()), is_buffered, is_quiet, is_verbose }
    }
}

impl Events for Terminal {
    fn event(&mut self, event: Event<'_>) -> io::Result<()> {
        match event {
            Event::Message(message) if !self.is_quiet || message.severity == Severity::Error => {
                print(message.text);
            }
            Event::Output(bytes) => match self.is_buffered {
                true => self.out.write_all(bytes)?,
                false => self.out.get_mut().write_all(bytes)?,
            },
            Event::OutputEnd => self.out.flush()?,
            Event::Summary(summary) if !self.is_quiet => {
                summary.lines(self.is_verbose).iter().for_each(|line| print(line));
            }
            _ => {}
        }
        Ok(())
    }
}

/// Prints one message. A closed standard error is not an error.
pub fn print(message: &str) {
    let mut line = messages::visible(message).into_owned();
    line.push('\n');
    drop(io::stderr().write_all(line.as_bytes()));
}

/// Returns true if standard output is a terminal.
pub fn is_stdout() -> bool {
    io::stdout().is_terminal()
}
