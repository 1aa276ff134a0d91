//! The layers of the program: the crates of the library leave files, threads and clocks to it, and
//! each stage has its own errors.

use xtask::code::code;

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
