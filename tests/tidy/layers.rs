//! The layers of the program: only the command line prints, and each stage has its own errors.

use std::path::Path;

/// The files of the program that print, or look at the streams of the process.
const COMMAND_LINE: &[&str] = &[
    // Prints the events of a run.
    "crates/relink/src/terminal/mod.rs",
    "crates/relink/src/terminal/progress_bar.rs",
    "crates/relink/src/terminal/style.rs",
    // Prints help, and errors of the command line.
    "crates/relink/src/program.rs",
    // Looks at standard output before a run.
    "crates/relink/src/streams.rs",
];

/// Code that prints.
const PRINTING: &[&str] = &[
    "println!",
    "print!",
    "eprintln!",
    "eprint!",
    "dbg!",
    "io::stdout",
    "io::stderr",
    "io::{Stdout",
    "io::{Stderr",
    "std::process::exit",
];

/// The modules that only the command line imports: a library call never gets there.
const PRIVATE_TO_COMMAND_LINE: &[&str] = &["crate::terminal", "crate::program", "crate::streams"];

/// The files that belong to the command line, besides [`COMMAND_LINE`].
const CALLERS: &[&str] = &[
    "crates/relink/src/lib.rs",
    "crates/relink/src/cli.rs",
    "crates/relink/src/cli/color.rs",
    "crates/relink/src/config.rs",
    // A command without a tree: its answer depends on the terminal.
    "crates/relink/src/commands/url.rs",
];

/// Returns the code of a file: without comments and without unit tests.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    text.lines().filter(is_code).collect::<Vec<_>>().join("\n")
}

/// The files below a directory with their code.
fn sources(below: &str) -> Vec<(String, String)> {
    let sources = super::sources();
    let inside = sources.iter().filter(|(path, _)| path.starts_with(below));
    inside.map(|(path, text)| (path.display().to_string(), code(text))).collect()
}

#[test]
fn only_the_command_line_prints() {
    let sources = sources("crates/relink/src");
    let mut faults = Vec::new();
    for (path, code) in &sources {
        let is_printer = COMMAND_LINE.contains(&path.as_str());
        let printing = PRINTING.iter().filter(|word| !is_printer && prints(code, word));
        let is_caller = is_printer || CALLERS.contains(&path.as_str());
        let imports = PRIVATE_TO_COMMAND_LINE.iter().filter(|name| {
            let (_, module) = name.split_once("::").unwrap_or_default();
            let in_group = code
                .split(';')
                .any(|part| part.trim_start().starts_with("use crate::{") && part.contains(module));
            !is_caller && (in_group || code.contains(**name))
        });
        faults.extend(printing.chain(imports).map(|word| format!("{path}: {word}")));
    }
    super::none("files below the command line that print", &faults);
    // The rule finds what it looks for.
    for path in COMMAND_LINE {
        let (_, code) = sources.iter().find(|(other, _)| other == path).expect("a listed file");
        assert!(PRINTING.iter().any(|word| prints(code, word)), "{path} prints nothing");
    }
    for path in CALLERS {
        assert!(
            Path::new(env!("CARGO_MANIFEST_DIR")).join(path).is_file(),
            "{path} does not exist"
        );
    }
}

/// Returns true if the code contains a word that is not the end of a longer one.
fn prints(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        !before.is_some_and(|char| char.is_alphanumeric() || char == '_')
    })
}

#[test]
fn each_stage_has_its_own_errors() {
    let sources = sources("crates");
    let sources = sources.iter().filter(|(path, _)| path.contains("/src/"));
    let mut n_results = 0;
    let mut faults = Vec::new();
    for (path, code) in sources {
        if code.contains("type Err = String") || code.contains("type Error = String") {
            faults.push(format!("{path}: a conversion"));
        }
        for (at, start) in code.match_indices("Result<") {
            n_results += 1;
            let arguments = arguments(&code[at + start.len()..]);
            if let [_, error] = &arguments[..]
                && error == "String"
            {
                faults.push(format!("{path}: Result<{}>", arguments.join(", ")));
            }
        }
    }
    assert!(n_results > 300, "{n_results} results");
    super::none("errors that are only a text", &faults);
}

/// Returns the generic arguments with which a text begins, up to their `>`.
fn arguments(text: &str) -> Vec<String> {
    let (mut arguments, mut depth, mut last) = (vec![String::new()], 0, ' ');
    for char in text.chars() {
        match char {
            '>' if last == '-' => {}
            '>' if depth == 0 => break,
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth -= 1,
            ',' if depth == 0 => arguments.push(String::new()),
            _ => {}
        }
        if !(char == ',' && depth == 0)
            && let Some(argument) = arguments.last_mut()
        {
            argument.push(char);
        }
        last = char;
    }
    let trimmed = arguments.iter().map(|argument| argument.trim().to_owned());
    trimmed.filter(|argument| !argument.is_empty()).collect()
}

#[test]
fn arguments_are_read() {
    assert_eq!(arguments("(A, B), String> {"), ["(A, B)", "String"]);
    assert_eq!(
        arguments("impl Fn() -> Vec<u8>,\n    Error,\n>"),
        ["impl Fn() -> Vec<u8>", "Error"]
    );
    assert_eq!(arguments("()>"), ["()"]);
    assert!(prints("  println!(1)", "println!") && !prints("eprintln!(1)", "println!"));
}
