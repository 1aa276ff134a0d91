//! `--help`, blessed for a terminal of 100 columns.

use std::fs;

use crate::dir::TestDir;

const COMMANDS: [&str; 29] = [
    "",
    "absolutize",
    "relativize",
    "move",
    "resume",
    "undo",
    "verify",
    "refs",
    "check",
    "bases",
    "explain",
    "slots",
    "mv",
    "unpack",
    "pack",
    "completions",
    "man",
    "url",
    "url resolve",
    "url relativize",
    "url parse",
    "url find",
    "url validate",
    "url normalize",
    "url from-path",
    "url to-path",
    "url escape",
    "url unescape",
    "url table",
];

/// The blessed file of a command.
fn file(command: &str) -> String {
    format!("help/{}.txt", format!("relink {command}").trim_end().replace(' ', "-"))
}

fn help(command: &str) -> String {
    help_with(command, "--help")
}

fn help_with(command: &str, flag: &str) -> String {
    let run = TestDir::new().relink(&format!("{command} {flag}")).exits(0).reports("");
    // clap indents blank lines.
    let lines = run.text().lines().map(|line| if line.trim().is_empty() { "" } else { line });
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_help_is_as_blessed() {
    for command in COMMANDS {
        crate::check_blessed(&file(command), &help(command));
    }
}

#[test]
fn every_command_is_blessed_and_every_blessed_file_is_a_command() {
    for command in ["", "url"] {
        let help = help(command);
        let list = help.split("Commands:\n").nth(1).unwrap_or_default();
        let names = list.lines().take_while(|line| !line.is_empty());
        for name in names.filter_map(|line| line.split_whitespace().next()) {
            let whole = format!("{command} {name}");
            assert!(name == "help" || COMMANDS.contains(&whole.trim()), "{whole} is not tested");
        }
    }
    let mut files: Vec<_> = fs::read_dir(crate::fixture("help"))
        .unwrap()
        .map(|entry| format!("help/{}", entry.unwrap().file_name().display()))
        .collect();
    files.sort();
    let mut expected = COMMANDS.map(file);
    expected.sort();
    assert_eq!(files, expected);
}

#[test]
fn no_line_is_wider_than_the_terminal_and_no_example_is_broken() {
    for command in COMMANDS {
        let help = help(command);
        for line in help.lines() {
            assert!(line.chars().count() <= 100, "{command}: {line}");
        }
        let examples = help.split("Examples:\n").nth(1).unwrap_or_default();
        for line in examples.lines().take_while(|line| !line.is_empty()) {
            let is_whole = ["relink", "curl", "find"]
                .iter()
                .any(|name| line.starts_with(&format!("  {name} ")));
            assert!(is_whole, "{command}: an example is broken before '{line}'");
        }
    }
}

#[test]
fn the_short_help_fits_a_screen() {
    for command in COMMANDS {
        let short = help_with(command, "-h");
        let n_lines = short.lines().count();
        assert!(n_lines <= 48, "{command}: {n_lines} lines:\n{short}");
        for line in short.lines() {
            assert!(line.chars().count() <= 100, "{command}: {line}");
        }
    }
}

/// Words and phrases with a plainer equivalent.
const AVOIDED: [&str; 21] = [
    "told",
    "tell",
    "tells",
    "stand",
    "stands",
    "heading",
    "headings",
    "mend",
    "mended",
    "anew",
    "dear",
    "beside",
    "folder",
    "folders",
    "believe",
    "believes",
    "is asked for",
    "hold back",
    "held back",
    "what is",
    "by hand",
];

/// Returns true if a text contains a phrase as whole words.
fn contains_phrase(text: &str, phrase: &str) -> bool {
    let is_word = |char: char| char.is_alphanumeric() || char == '-';
    text.match_indices(phrase).any(|(start, _)| {
        let (before, after) = (&text[..start], &text[start + phrase.len()..]);
        !before.ends_with(is_word) && !after.starts_with(is_word)
    })
}

#[test]
fn the_help_is_in_plain_english() {
    assert!(contains_phrase("as (told)", "told") && !contains_phrase("untold", "told"));
    for command in COMMANDS {
        for flag in ["-h", "--help"] {
            let text = help_with(command, flag).to_lowercase();
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            for phrase in AVOIDED {
                assert!(!contains_phrase(&text, phrase), "{command} {flag}: '{phrase}'");
            }
        }
    }
}

#[test]
fn every_command_has_an_example() {
    for command in COMMANDS.into_iter().filter(|command| *command != "url") {
        assert!(help(command).contains("Examples:\n"), "{command}");
    }
}

#[test]
fn no_line_ends_with_a_space() {
    for command in COMMANDS {
        let help = help(command);
        assert!(help.lines().all(|line| line == line.trim_end()), "{command}");
    }
}

#[test]
fn options_that_take_one_of_some_words_name_them() {
    for (command, option, words) in [
        ("absolutize", "--verify", &["none", "fast", "full"][..]),
        ("absolutize", "--dialect", &["web", "rfc3986", "rfc1808"]),
        ("refs", "--format", &["text", "json"]),
        ("url resolve", "--dialect", &["web", "rfc3986", "rfc1808"]),
    ] {
        let help = help(command);
        let text = help.split(&format!("{option} <")).nth(1).unwrap_or_default();
        let text = text.split("\n      --").next().unwrap_or_default();
        for word in words {
            assert!(text.contains(word), "{command}: {option} does not say '{word}': {text}");
        }
    }
}

#[test]
fn help_is_printed_by_every_option() {
    let dir = TestDir::new();
    let short = dir.relink("-h").exits(0).reports("");
    assert!(short.text().contains("Usage: relink [OPTIONS] <COMMAND>"), "{short}");
    for command in ["absolutize", "refs", "url"] {
        let (a, b) =
            (dir.relink(&format!("help {command}")), dir.relink(&format!("{command} --help")));
        assert_eq!(a.exits(0).stdout, b.exits(0).stdout);
    }
}

#[test]
fn no_command_is_wrong_usage() {
    for line in ["", "url"] {
        let run = TestDir::new().relink(line).exits(2).prints("");
        assert!(run.stderr.contains("Usage: relink"), "{run}");
    }
}

/// The commands of a page that begin so.
fn commands(page: &str, start: &str) -> Vec<String> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let text = fs::read_to_string(path).unwrap().replace("\\\n", " ");
    let commands = text.lines().filter_map(|line| line.trim_start().strip_prefix(start));
    commands.map(|line| line.split(['#', '|']).next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn the_short_help_has_the_options_of_recipes() {
    let mut recipes = commands("README.md", "relink ");
    assert!(recipes.len() > 10, "{recipes:?}");
    recipes.extend(
        [
            "relativize --rename --report",
            "move --redirects --renames --rename-files --report",
            "check --missing-urls --report",
            "absolutize --report",
            "mv --redirects",
        ]
        .map(str::to_owned),
    );
    for recipe in recipes {
        let words: Vec<&str> = recipe.split_whitespace().collect();
        let short = help_with(words[0], "-h");
        for option in words.iter().filter(|word| word.starts_with("--")) {
            let has = short.split([' ', '[', '=', '\n']).any(|word| word == *option);
            assert!(has, "{recipe}: {option}");
        }
    }
}

#[test]
fn recipes_are_those_of_the_book() {
    let dir = TestDir::new();
    for (topic, page) in
        [("mirror", "docs/recipes.md"), ("mail", "docs/recipes.md"), ("share", "docs/windows.md")]
    {
        let run = dir.relink(&format!("help {topic}")).exits(0).reports("");
        let lines: Vec<&str> =
            run.text().lines().filter_map(|line| line.strip_prefix("    $ relink ")).collect();
        let of_book = commands(page, "$ relink ");
        assert!(
            !lines.is_empty() && lines.iter().all(|line| of_book.iter().any(|own| own == line)),
            "{run}"
        );
        assert!(!run.text().contains("](") && !run.text().contains("```"), "{run}");
        assert!(dir.relink("-h").text().contains(&format!("help {topic}")));
    }
    dir.relink("help nothing").exits(2);
}
