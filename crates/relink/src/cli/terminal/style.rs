//! The appearance of messages on a terminal: colours, and lines that are wrapped between words.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::{self, Path};
use std::{env, fmt};

use console::{Term, measure_text_width};
use urlcore::local::{PathStyle, url_of};

use crate::os::format::Color;
use crate::os::{messages, paths};

impl Color {
    /// Returns true if text for standard output has colours.
    #[expect(clippy::disallowed_methods, reason = "the command line looks at its terminal")]
    pub fn is_on_stdout(self) -> bool {
        self.is_on(io::stdout().is_terminal(), |name| env::var_os(name))
    }

    /// Returns true if text has colours. `NO_COLOR` (<https://no-color.org>) counts more than
    /// `CLICOLOR_FORCE`, and that more than `CLICOLOR` (<https://bixense.com/clicolors/>).
    fn is_on(self, is_terminal: bool, variable: impl Fn(&str) -> Option<OsString>) -> bool {
        let value = |name: &str| variable(name).filter(|value| !value.is_empty());
        match self {
            Color::Always => true,
            Color::Never => false,
            Color::Auto if value("NO_COLOR").is_some() => false,
            Color::Auto if value("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
            Color::Auto if value("CLICOLOR").is_some_and(|value| value == "0") => false,
            Color::Auto => is_terminal && value("TERM").is_none_or(|term| term != "dumb"),
        }
    }
}

/// The appearance of messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageStyle {
    has_color: bool,
    is_terminal: bool,
    /// The number of columns of the terminal, if there is one.
    width: Option<usize>,
}

impl MessageStyle {
    /// Returns the appearance on standard error.
    #[expect(clippy::disallowed_methods, reason = "the command line looks at its terminal")]
    pub fn of_stderr(color: Color) -> Self {
        let is_terminal = io::stderr().is_terminal();
        let has_color = color.is_on(is_terminal, |name| env::var_os(name));
        let size = is_terminal.then(|| Term::stderr().size_checked()).flatten();
        let width = size.map(|(_, columns)| usize::from(columns));
        MessageStyle { has_color, is_terminal, width }
    }

    /// Prints one message. A closed standard error is not an error.
    #[expect(clippy::disallowed_methods, reason = "the command line prints")]
    pub fn print(self, message: &str) {
        let text = self.styled(&messages::visible(message));
        drop(io::stderr().write_all(format!("{text}\n").as_bytes()));
    }

    /// Prints the page to open first; a terminal with colours makes a link of it (OSC 8).
    #[expect(clippy::disallowed_methods, reason = "the command line prints")]
    pub fn print_page(self, page: &Path) {
        let style = if cfg!(windows) { PathStyle::Windows } else { PathStyle::Unix };
        let absolute = path::absolute(page).ok();
        let url = absolute.and_then(|path| url_of(&paths::bytes(&path), style).ok());
        let line = self.link(&messages::visible(&page.display().to_string()), url.as_deref());
        drop(io::stderr().write_all(format!("open {line}\n").as_bytes()));
    }

    /// Returns a text as a link to a URL, if the terminal shows one.
    fn link(self, text: &str, url: Option<&str>) -> String {
        match url.filter(|_| self.has_color && self.is_terminal) {
            Some(url) => format!("\x1b]8;;{url}\x1b\\{text}\x1b]8;;\x1b\\"),
            None => text.to_owned(),
        }
    }

    /// Returns the text of a message. One that begins with a path is not wrapped, so that programs
    /// find its position.
    fn styled(self, text: &str) -> String {
        let (severity, rest) = severity(text);
        let is_wrapped = !severity.is_empty() || starts_with_number(text);
        let rest = match self.width.filter(|_| is_wrapped) {
            Some(width) => wrapped(rest, measure_text_width(severity), width),
            None => rest.to_owned(),
        };
        if self.has_color && !severity.is_empty() {
            format!("{}{rest}", Painted(severity))
        } else {
            format!("{severity}{rest}")
        }
    }
}

/// The words that a message may begin with, and the SGR parameters of their colours.
const SEVERITIES: [(&str, &str); 4] =
    [("error:", "1;31"), ("warning:", "1;33"), ("note:", "1;36"), ("hint:", "1;36")];

/// Returns the severity in front of a message, and the rest.
fn severity(text: &str) -> (&str, &str) {
    let severity = SEVERITIES.iter().find(|(word, _)| text.starts_with(word));
    text.split_at(severity.map_or(0, |(word, _)| word.len()))
}

/// Returns true for a line of the summary.
fn starts_with_number(text: &str) -> bool {
    text.split(' ').next().is_some_and(|word| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b',')
    })
}

/// A severity in its colour.
struct Painted<'s>(&'s str);

impl fmt::Display for Painted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let color = SEVERITIES.iter().find(|(word, _)| *word == self.0);
        let color = color.map_or("0", |(_, color)| *color);
        write!(f, "\x1b[{color}m{}\x1b[0m", self.0)
    }
}

/// Wraps text after `column` columns of the first line; further lines are indented. A word that is
/// longer than a line is not cut.
fn wrapped(text: &str, column: usize, width: usize) -> String {
    const INDENT: &str = "  ";
    let mut out = String::with_capacity(text.len() + 16);
    let mut column = column;
    for (idx, word) in text.split(' ').enumerate() {
        let length = measure_text_width(word);
        if idx > 0 && column + 1 + length > width {
            out.push('\n');
            out.push_str(INDENT);
            column = INDENT.len();
        } else if idx > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_decides_on_colours() {
        let is_on = |color: Color, is_terminal, variables: &[(&str, &str)]| {
            color.is_on(is_terminal, |name| {
                let found = variables.iter().find(|(variable, _)| *variable == name);
                found.map(|(_, value)| OsString::from(value))
            })
        };
        assert!(is_on(Color::Auto, true, &[]));
        assert!(!is_on(Color::Auto, false, &[]));
        assert!(!is_on(Color::Auto, true, &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]));
        assert!(is_on(Color::Auto, true, &[("NO_COLOR", "")]));
        assert!(is_on(Color::Auto, false, &[("CLICOLOR_FORCE", "1"), ("CLICOLOR", "0")]));
        assert!(!is_on(Color::Auto, false, &[("CLICOLOR_FORCE", "0")]));
        assert!(!is_on(Color::Auto, true, &[("CLICOLOR", "0")]));
        assert!(!is_on(Color::Auto, true, &[("TERM", "dumb")]));
        assert!(is_on(Color::Always, false, &[("NO_COLOR", "1")]));
        assert!(!is_on(Color::Never, true, &[("CLICOLOR_FORCE", "1")]));
    }

    #[test]
    fn messages_are_wrapped_between_words() {
        let style =
            |has_color, width| MessageStyle { has_color, is_terminal: true, width: Some(width) };
        let hint = "hint: use `--base URL` to set the URL of the tree";
        assert_eq!(
            style(false, 24).styled(hint),
            "hint: use `--base URL`\n  to set the URL of the\n  tree"
        );
        assert_eq!(
            style(true, 80).styled(hint),
            "\x1b[1;36mhint:\x1b[0m use `--base URL` to set the URL of the tree"
        );
        assert_eq!(
            style(false, 11).styled("12 documents, 3 changed"),
            "12\n  documents,\n  3 changed"
        );
        let position = "some/path.html:1:2: skipped; it is too long for this terminal";
        assert_eq!(style(true, 10).styled(position), position);
        assert_eq!(style(false, 4).styled("hint: aaaaaaaa b"), "hint:\n  aaaaaaaa\n  b");
    }

    #[test]
    fn only_a_terminal_with_colours_has_links() {
        let link = |has_color, is_terminal| {
            let style = MessageStyle { has_color, is_terminal, width: None };
            style.link("a b", Some("file:///a%20b"))
        };
        assert_eq!(link(true, true), "\x1b]8;;file:///a%20b\x1b\\a b\x1b]8;;\x1b\\");
        assert_eq!([link(true, false), link(false, true)], ["a b", "a b"]);
    }
}
