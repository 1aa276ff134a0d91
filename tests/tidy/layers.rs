//! The layers of the program: the crates of the library leave files, threads and clocks to it, only
//! the command line imports what prints, and each stage has its own errors.

use crate::code::code;
use crate::lints::PRINTERS;

/// The modules that only the command line imports: a library call never gets there.
const PRIVATE_TO_COMMAND_LINE: &[&str] = &["crate::terminal", "crate::program"];

/// The files that belong to the command line, besides [`PRINTERS`].
const CALLERS: &[&str] = &[
    "crates/relink/src/lib.rs",
    "crates/relink/src/cli.rs",
    "crates/relink/src/cli/color.rs",
    "crates/relink/src/config.rs",
    // A command without a tree: its answer depends on the terminal.
    "crates/relink/src/commands/url.rs",
];

/// The files below a directory with their code.
fn sources(below: &str) -> Vec<(String, String)> {
    let sources = super::sources();
    let inside = sources.iter().filter(|(path, _)| path.starts_with(below));
    inside.map(|(path, text)| (path.display().to_string(), code(text))).collect()
}

/// The crates of the library, and the names of the standard library that they do without.
const LIBRARY: [&str; 5] = ["urlcore", "layers", "basectx", "rewrite", "warc"];
const OF_THE_PROGRAM: [&str; 6] =
    ["std::fs", "std::thread", "std::net", "std::process", "std::env", "Instant"];

/// The only library file that reads the time.
const CLOCK: &str = "crates/rewrite/src/options/clock.rs";

/// Clippy's lists hold for tests too, which do open files.
#[test]
fn the_library_opens_no_files_and_starts_no_threads() {
    let mut faults = Vec::new();
    let mut has_clock = false;
    for name in LIBRARY {
        let sources = sources(&format!("crates/{name}/src"));
        assert!(sources.len() > 5, "{name}");
        for (path, code) in &sources {
            let used = OF_THE_PROGRAM.iter().filter(|module| code.contains(**module));
            let used: Vec<_> =
                used.filter(|module| path != CLOCK || **module != "Instant").collect();
            has_clock |= path == CLOCK;
            faults.extend(used.iter().map(|module| format!("{path}: {module}")));
        }
    }
    super::none("library files that use what only the program has", &faults);
    assert!(has_clock, "{CLOCK} does not exist");
}

/// What prints is known by clippy (`tests/tidy/lints.rs`); this is about who may call it.
#[test]
fn only_the_command_line_imports_what_prints() {
    let sources = sources("crates/relink/src");
    let mut faults = Vec::new();
    for (path, code) in &sources {
        if PRINTERS.contains(&path.as_str()) || CALLERS.contains(&path.as_str()) {
            continue;
        }
        faults.extend(private_imports(code).map(|name| format!("{path}: {name}")));
    }
    super::none("files below the command line that import what prints", &faults);
    for path in PRINTERS.iter().chain(CALLERS) {
        assert!(sources.iter().any(|(other, _)| other == path), "{path} does not exist");
    }
}

/// Returns the modules of [`PRIVATE_TO_COMMAND_LINE`] that code names.
fn private_imports(code: &str) -> impl Iterator<Item = &'static str> {
    let names = PRIVATE_TO_COMMAND_LINE.iter().copied();
    names.filter(move |name| {
        let (_, module) = name.split_once("::").unwrap_or_default();
        let is_group = |part: &str| part.trim_start().starts_with("use crate::{");
        let in_group = code.split(';').any(|part| is_group(part) && part.contains(module));
        in_group || code.contains(*name)
    })
}

#[test]
fn private_imports_are_found() {
    let found = |text: &str| private_imports(&code(text)).collect::<Vec<_>>().join(" ");
    assert_eq!(found("use crate::terminal::Style;"), "crate::terminal");
    assert_eq!(found("use crate::{\n    program::run,\n};"), "crate::program");
    assert_eq!(found("#[cfg(test)]\nmod tests;\n\nuse crate::program;\n"), "crate::program");
    assert_eq!(found("#[cfg(test)]\nmod tests {\n    use crate::program;\n}\n"), "");
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
}
