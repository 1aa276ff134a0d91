//! The help of the program: its commands by what they are for, and what its words mean.

use std::fmt::Write as _;

use clap::builder::StyledStr;

/// The commands of each task.
const TASKS: [(&str, &[&str]); 4] = [
    ("Convert a tree", &["absolutize", "relativize", "move", "mv"]),
    ("Pages, mail and web archives", &["unpack", "pack"]),
    ("Look", &["check", "refs", "bases", "explain"]),
    ("Continue, undo, compare", &["resume", "undo", "verify"]),
];

/// The other commands.
const TOOLS: [&str; 5] = ["url", "slots", "completions", "man", "help"];

/// What follows the name of the program in its help.
const WORDS: &str = "\
A reference is a URL as it is written in a document, such as ../a.html. It is relative to the base
URL, which is usually the URL of the document.";

/// What follows the options.
pub const EXAMPLES: &str = "\
Examples:
  relink relativize mirror --layout wget --for file -o out     # a mirror, to be opened from a disk
  relink unpack inbox.mbox -o mail                             # mail, to be read in a browser
  relink move site --from http://old.example/ --to https://new.example/docs/ -o out
  relink absolutize site --base https://example.org/ -o out
  relink check site
  relink undo site";

/// What follows the options in the long help.
pub const LONG_EXAMPLES: &str = "\
Examples:
  relink relativize mirror --layout wget --for file -o out     # a mirror, to be opened from a disk
  relink unpack inbox.mbox -o mail                             # mail, to be read in a browser
  relink unpack crawl.warc.gz -o site                          # a web archive
  relink move site --from http://old.example/ --to https://new.example/docs/ -o out
  relink absolutize site --base https://example.org/ -o out
  relink absolutize page.html --base https://example.org/a/page.html -o -
  relink mv old.html new.html
  relink refs site --base https://example.org/ --format json
  relink check site
  relink undo site

Exit status: 0 done; 1 a reference could not be handled (with --strict), or is broken (check); 2 \
a file failed, or wrong usage.";

/// Adds the help of the program.
pub(super) fn with_overview(command: clap::Command) -> clap::Command {
    let header = *command.get_styles().get_header();
    let literal = *command.get_styles().get_literal();
    let mut text = StyledStr::new();
    let about_of = |name: &str| command.find_subcommand(name)?.get_about();
    // Writing to memory does not fail.
    let _ = write!(text, "{{about-with-newline}}{WORDS}\n\n{{usage-heading}} {{usage}}\n");
    for (task, names) in TASKS {
        let _ = write!(text, "\n{header}{task}:{header:#}\n");
        for name in names {
            let about = about_of(name).map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {literal}{name:<11}{literal:#}  {about}");
        }
    }
    let _ = writeln!(text, "\n{header}Tools:{header:#} {}", TOOLS.join(", "));
    let _ = writeln!(text, "{header}Recipes:{header:#} relink help mirror, help mail, help share");
    let _ = write!(text, "\n{header}Options:{header:#}\n{{options}}{{after-help}}");
    command.help_template(text)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::cli::args;

    #[test]
    fn each_command_has_one_task() {
        let all = TASKS.iter().flat_map(|(_, names)| *names).chain(&TOOLS).copied();
        let sorted: BTreeSet<&str> = all.clone().collect();
        assert_eq!(all.count(), sorted.len());
        let mut command = args::command();
        command.build();
        let commands = command.get_subcommands().filter(|inner| !inner.is_hide_set());
        assert_eq!(sorted, commands.map(clap::Command::get_name).collect());
    }
}
