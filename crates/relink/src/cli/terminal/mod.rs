//! The receiver of the command line: output goes to standard output, messages to standard error.

mod progress_bar;
mod style;

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::path::{Path, PathBuf};

use console::Term;

use self::progress_bar::ProgressBar;
pub use self::style::MessageStyle;
use crate::events::summary;
use crate::events::{Event, Events, FinishedDocument, Severity};
use crate::os::format::Color;
use crate::os::messages;

/// What a command prints.
#[derive(Clone, Debug, Default)]
pub struct TerminalOptions {
    /// True if output is collected until there is much of it: lists come in small pieces.
    pub is_buffered: bool,
    /// True if only errors are printed.
    pub is_quiet: bool,
    /// True if the summary names the reasons.
    pub is_verbose: bool,
    /// When messages have colours.
    pub color: Color,
    /// The files of the run, if it shows its progress.
    pub progress: Option<Vec<PathBuf>>,
}

/// Prints the events of a run.
pub struct Terminal {
    out: BufWriter<Stdout>,
    /// True if standard output is a terminal, whose last line may show the progress.
    is_shown: bool,
    is_buffered: bool,
    is_quiet: bool,
    is_verbose: bool,
    style: MessageStyle,
    bar: Option<ProgressBar>,
}

impl Terminal {
    /// Creates the receiver.
    #[expect(clippy::disallowed_methods, reason = "the command line prints")]
    pub fn new(options: TerminalOptions) -> Self {
        let TerminalOptions { is_buffered, is_quiet, is_verbose, color, progress } = options;
        let progress = progress.filter(|_| !is_quiet && progress_bar::is_possible());
        Terminal {
            out: BufWriter::new(io::stdout()),
            is_shown: is_stdout(),
            is_buffered,
            is_quiet,
            is_verbose,
            style: MessageStyle::of_stderr(color),
            bar: progress.map(ProgressBar::start),
        }
    }

    /// Prints while the progress is not shown.
    fn apart<T>(&mut self, print: impl FnOnce(&mut Self) -> T) -> T {
        match self.bar.take() {
            Some(bar) => {
                let result = bar.suspend(|| print(self));
                self.bar = Some(bar);
                result
            }
            None => print(self),
        }
    }

    /// Prints the last line of a run that has made pages: the one to open.
    pub fn print_page(&self, page: &Path) {
        if !self.is_quiet {
            self.style.print_page(page);
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.is_buffered {
            self.out.write_all(bytes)
        } else {
            self.out.get_mut().write_all(bytes)
        }
    }
}

impl Events for Terminal {
    fn event(&mut self, event: Event<'_>) -> io::Result<()> {
        match event {
            Event::Message(message) if !self.is_quiet || message.severity == Severity::Error => {
                self.apart(|terminal| terminal.style.print(message.text));
            }
            Event::Output(bytes) => {
                if self.is_shown && self.bar.is_some() {
                    self.apart(|terminal| {
                        terminal.write(bytes)?;
                        terminal.out.flush()
                    })?
                } else {
                    self.write(bytes)?
                }
            }
            Event::OutputEnd => {
                self.bar = None;
                self.out.flush()?;
            }
            Event::Document(document) if self.is_verbose && document.is_changed => {
                let text = changed(&document);
                self.apart(|terminal| terminal.style.print(&text));
            }
            Event::Progress(progress) => {
                self.bar.iter().for_each(|bar| bar.advance(&progress));
            }
            Event::Summary(summary) if !self.is_quiet => {
                self.bar = None;
                summary.lines(self.is_verbose).iter().for_each(|line| self.style.print(line));
            }
            _ => {}
        }
        Ok(())
    }
}

/// Returns the line for a document that was changed.
fn changed(document: &FinishedDocument<'_>) -> String {
    let numbered = document.numbered;
    let start = numbered.map(|(noun, number)| format!(" {noun} {number}:")).unwrap_or_default();
    let references = summary::references(document.counts);
    messages::of_path(document.path, format!("{start} {references}").trim_start())
}

/// Returns true if standard output is a terminal.
#[expect(clippy::disallowed_methods, reason = "the command line looks at its terminal")]
pub fn is_stdout() -> bool {
    io::stdout().is_terminal()
}

/// Returns the number of columns of standard output, if it is a terminal.
pub fn stdout_width() -> Option<usize> {
    let size = is_stdout().then(|| Term::stdout().size_checked()).flatten();
    size.map(|(_, n_columns)| usize::from(n_columns))
}

/// Prints one message as it is. A closed standard error is not an error.
#[expect(clippy::disallowed_methods, reason = "the command line prints")]
pub fn print(message: &str) {
    let mut line = messages::visible(message).into_owned();
    line.push('\n');
    drop(io::stderr().write_all(line.as_bytes()));
}
