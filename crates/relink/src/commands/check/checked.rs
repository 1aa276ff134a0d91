//! The result of a check for one file, and its lines.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use super::super::LineCounter;
use super::external::External;
use super::targets::Targets;
use crate::events::detail::{BaseDetail, DocumentPlace, Finding, ReferenceDetail, SkippedDetail};
use crate::events::keys::{Keyed, OF_CHECK};
use crate::events::problem::Problem;
use crate::events::{Event, Events};
use crate::files::walk::Entry;
use crate::os::format::CheckFormat;
use crate::os::messages::{self, Digits};
use crate::plan::Check;
use crate::tree::ProgressStep;
use crate::urls::hints::HintSource;

/// The result for one file.
#[derive(Default)]
pub(super) struct Checked {
    pub(super) output: Vec<u8>,
    pub(super) messages: Vec<String>,
    pub(super) is_failed: bool,
    pub(super) is_document: bool,
    /// True if a path from the root of a site leads out of the tree.
    pub(super) needs_base: bool,
    pub(super) n_references: usize,
    /// The number of references in Markdown to files that git tracks outside of PATH.
    pub(super) n_above: usize,
    /// The number of references in Markdown from the root of a site that is not known.
    pub(super) n_unrooted: usize,
    /// Length of the document, in bytes.
    pub(super) n_bytes: u64,
    /// What the file adds to the progress of the run.
    pub(super) step: ProgressStep,
    pub(super) hint: Option<HintSource>,
    /// The number of broken references, by problem.
    pub(super) broken: BTreeMap<&'static str, usize>,
    /// The number of references that a specification warns of, by its code.
    pub(super) lints: BTreeMap<&'static str, usize>,
    /// The number of lines with an old URL that is not in a reference.
    pub(super) n_stale_lines: usize,
    /// The problems by target.
    pub(super) targets: Targets,
    /// The URLs out of the tree, if they are listed.
    pub(super) external: External,
    /// What the run lists of the document, if its plan says so.
    pub(super) details: Option<Box<Details>>,
}

/// The details of one file.
pub(super) struct Details {
    pub(super) place: DocumentPlace,
    pub(super) bases: Vec<BaseDetail>,
    pub(super) problems: Vec<ReferenceDetail>,
    pub(super) skipped: Vec<SkippedDetail>,
}

impl Details {
    /// Creates the details of a file without any.
    pub(super) fn of_file(place: DocumentPlace) -> Box<Self> {
        Box::new(Details { place, bases: Vec::new(), problems: Vec::new(), skipped: Vec::new() })
    }

    /// Sends them to the receiver.
    pub(super) fn send(&self, events: &mut dyn Events) -> io::Result<()> {
        let Details { place, bases, problems, skipped } = self;
        for base in bases {
            events.event(Event::Base(place, base))?;
        }
        for problem in problems {
            events.event(Event::Reference(place, problem))?;
        }
        for left in skipped {
            events.event(Event::Skipped(place, left))?;
        }
        Ok(())
    }
}

/// The file of a problem.
#[derive(Clone, Copy)]
pub(super) struct Subject<'s> {
    pub(super) config: &'s Check,
    pub(super) entry: &'s Entry,
    pub(super) place: &'s DocumentPlace,
}

impl Checked {
    /// Counts the problem of a reference, and prints it unless URLs are listed. `snippet` is the
    /// line of the document, if that is printed.
    pub(super) fn print(
        &mut self,
        subject: Subject<'_>,
        reference: &ReferenceDetail,
        snippet: &str,
    ) {
        let Subject { config, entry, .. } = subject;
        let Finding::Problem { problem, .. } = &reference.finding else { return };
        match problem {
            Problem::StaleText(_) => self.n_stale_lines += 1,
            Problem::Lint(..) => *self.lints.entry(problem.kind().name).or_default() += 1,
            _ => *self.broken.entry(problem.kind().name).or_default() += 1,
        }
        let is_from_root = reference.text.starts_with('/');
        self.needs_base |=
            config.is_on_disk && matches!(problem, Problem::LeavesTree) && is_from_root;
        if config.listed.is_some() {
            return;
        }
        self.targets.add(config, entry, reference);
        if config.top.is_none() {
            self.print_line(subject, reference, problem, snippet);
        }
        if let Some(details) = &mut self.details {
            details.problems.push(reference.clone());
        }
    }

    /// Prints a problem on a line of its own.
    fn print_line(
        &mut self,
        Subject { config, entry, place }: Subject<'_>,
        reference: &ReferenceDetail,
        problem: &Problem,
        snippet: &str,
    ) {
        let out = &mut self.output;
        // Most paths are text, which is found out faster than what is none.
        let path = entry.path.to_str().map_or_else(|| entry.path.to_string_lossy(), Cow::Borrowed);
        let ReferenceDetail { line, column, slot, text, .. } = reference;
        let text = text.trim_end();
        let space = if text.is_empty() { "" } else { " " };
        // Writing to memory does not fail.
        match config.format {
            CheckFormat::Text | CheckFormat::Full => {
                let start = out.len();
                out.extend_from_slice(path.as_bytes());
                out.push(b':');
                out.extend_from_slice(Digits::default().write(*line as u64, b":"));
                out.extend_from_slice(Digits::default().write(*column as u64, b": "));
                [slot, space, text, ": "]
                    .iter()
                    .for_each(|part| out.extend_from_slice(part.as_bytes()));
                drop(write!(out, "{problem}"));
                if !messages::is_printable_ascii(&out[start..]) {
                    let line = String::from_utf8_lossy(&out[start..]).into_owned();
                    out.truncate(start);
                    out.extend_from_slice(messages::visible(&line).as_bytes());
                }
                out.push(b'\n');
                out.extend_from_slice(snippet.as_bytes());
            }
            CheckFormat::Github => {
                let severity = if problem.is_counted() { "error" } else { "warning" };
                drop(writeln!(
                    out,
                    "::{severity} file={},line={line},col={column},title={}::{}",
                    github_property(&path),
                    problem.kind().name,
                    github_text(&format!("{slot}{space}{text}: {problem}"))
                ));
            }
            CheckFormat::Json => {
                let line = Keyed { place, reference, keys: OF_CHECK };
                drop(messages::write_json(out, &line));
            }
        }
    }
}

/// Returns the text of a workflow command, whose line ends and percent signs are escaped
/// (<https://docs.github.com/actions/reference/workflow-commands-for-github-actions>).
fn github_text(text: &str) -> String {
    messages::visible(&text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")).into()
}

/// Returns the value of a property of a workflow command.
fn github_property(text: &str) -> String {
    github_text(text).replace(':', "%3A").replace(',', "%2C")
}

/// Returns the line of the last position of `lines`, if lines are printed.
pub(super) fn snippet_of(
    config: &Check,
    lines: &LineCounter<'_>,
    ReferenceDetail { line, column, span, .. }: &ReferenceDetail,
) -> String {
    match config.format {
        CheckFormat::Full => snippet(lines.current(), *line, column - 1, column - 1 + span.len()),
        _ => String::new(),
    }
}

// The line of a document that contains a reference, with a mark below the reference.

/// The maximum number of characters that are shown of a line.
const WIDTH: usize = 88;

/// The maximum number of characters that are shown before the reference.
const BEFORE: usize = 32;

/// Returns two lines: one of a document, and the mark below a range of it. `number` is that of the
/// line, and `start..end` the range in `line`, in bytes.
///
/// Control characters are escaped, and a long line is cut around the reference.
fn snippet(line: &[u8], number: usize, start: usize, end: usize) -> String {
    let start = start.min(line.len());
    let end = end.clamp(start, line.len());
    let shown = |bytes: &[u8]| {
        messages::visible(&String::from_utf8_lossy(bytes).replace('\t', " ")).into_owned()
    };
    let (before, marked, after) =
        (shown(&line[..start]), shown(&line[start..end]), shown(&line[end..]));
    let before = last(&before, BEFORE);
    let room = WIDTH.saturating_sub(before.chars().count());
    let marked = first(&marked, room);
    let after = first(&after, room.saturating_sub(marked.chars().count()));
    let number = number.to_string();
    let margin = " ".repeat(number.len());
    let indent = " ".repeat(before.width());
    let mark = "^".repeat(marked.width().max(1));
    format!("  {number} | {before}{marked}{after}\n  {margin} | {indent}{mark}\n")
}

/// Returns the first characters of a text, with a mark if there are more.
fn first(text: &str, n: usize) -> String {
    match text.char_indices().nth(n) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the last characters of a text, with a mark if there are more.
fn last(text: &str, n: usize) -> String {
    let n_more = text.chars().count().saturating_sub(n);
    match text.char_indices().nth(n_more) {
        Some((start, _)) if n_more > 0 => format!("…{}", &text[start..]),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_marked_in_its_line() {
        let of = |line: &str, text: &str| {
            let start = line.find(text).unwrap();
            snippet(line.as_bytes(), 12, start, start + text.len())
        };
        assert_eq!(of("<a href=x/y>", "x/y"), "  12 | <a href=x/y>\n     |         ^^^\n");
        assert_eq!(of("\t\u{1b}語 é x", "é"), "  12 |  %1B語 é x\n     |        ^\n");
        let long = format!("{}<a href=x>{}", "-".repeat(200), "+".repeat(200));
        let long = of(&long, "x");
        assert!(long.starts_with("  12 | …---") && long.contains("+…\n"), "{long}");
        assert!(long.lines().all(|line| line.chars().count() <= WIDTH + 16), "{long}");
        // An empty reference, and one that goes on in the next line.
        assert_eq!(snippet(b"<a href=>", 1, 8, 8), "  1 | <a href=>\n    |         ^\n");
        assert_eq!(snippet(b"ab", 1, 1, 9), "  1 | ab\n    |  ^\n");
    }
}
