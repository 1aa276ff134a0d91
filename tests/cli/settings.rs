//! Options of configuration files and variables.

use crate::dir::{Run, TestDir};
use crate::words::{self, EXCLUDES, NOT_ACCEPTED};

fn tree() -> TestDir {
    TestDir::with(&[("site/a.html", "<a href=b>"), ("site/c.md", "[d](d)\n")])
}

/// Runs a command with these variables.
fn relink_in(dir: &TestDir, variables: &[(&str, &str)], line: &str) -> Run {
    let mut runner = vec!["env".to_owned()];
    runner.extend(variables.iter().map(|(name, value)| format!("{name}={value}")));
    dir.relink_by(&runner.iter().map(String::as_str).collect::<Vec<_>>(), line)
}

const REFS: &str = "site/a.html:1:9: a[href] b -> http://h.example/b\n";
const MARKDOWN: &str = "site/c.md:1:5: markdown link d -> http://h.example/d\n";

#[test]
fn options_of_a_file_count_unless_they_are_typed() {
    let dir = tree();
    dir.file(
        "c.toml",
        "also = ['markdown']\n[refs]\nbase = 'http://h.example/'\n[check]\nfragments = true\n",
    );
    let both = format!("{REFS}{MARKDOWN}");
    dir.relink("refs site --config c.toml").exits(0).prints(&both);
    dir.relink("--config c.toml refs site").exits(0).prints(&both);
    let run = dir.relink("refs site --config c.toml --base http://i.example/").exits(0);
    assert!(run.text().contains("http://i.example/b"), "{run}");
    // What is typed replaces a list, too.
    dir.relink("refs site --config c.toml --also lazy").exits(0).prints(REFS);
    // The table of the command counts before what is set for all, and a variable before both.
    dir.file("d.toml", "also = 'markdown'\n[refs]\nalso = 'lazy'\nbase = 'http://h.example/'\n");
    dir.relink("refs site --config d.toml").exits(0).prints(REFS);
    let variable = [("RELINK_ALSO", "markdown")];
    relink_in(&dir, &variable, "refs site --config d.toml").exits(0).prints(&both);
    // What needs another option has no effect without it.
    dir.file("e.toml", "diff = true\n");
    dir.relink("check site --config e.toml").exits(1);
    // The table of another command does not count.
    let run = dir.relink("bases site --config c.toml").exits(0);
    assert!(!run.text().contains("h.example"), "{run}");
}

#[test]
fn the_file_of_the_user_is_read() {
    let dir = tree();
    dir.file("home/relink/config.toml", "base = 'http://h.example/'\n");
    let home = dir.path("home");
    let home = [("XDG_CONFIG_HOME", home.to_str().expect("UTF-8"))];
    relink_in(&dir, &home, "refs site").exits(0).prints(REFS);
    let run = relink_in(&dir, &home, "refs site --no-config").exits(0);
    assert!(!run.text().contains("h.example"), "{run}");
    // A named file replaces it.
    dir.file("other.toml", "also = 'markdown'\n");
    let run = relink_in(&dir, &home, "refs site --config other.toml").exits(0);
    assert!(!run.text().contains("h.example") && run.text().contains("markdown link"), "{run}");
}

#[test]
fn variables_count_before_the_file() {
    let dir = tree();
    dir.file("c.toml", "base = 'http://h.example/'\nalso = 'markdown'\n");
    let run = relink_in(
        &dir,
        &[("RELINK_ALSO", "lazy"), ("RELINK_CASES", "9")],
        "refs site --config c.toml",
    );
    run.exits(0).prints(REFS);
    relink_in(&dir, &[("RELINK_STRICT", "no")], "refs site --config c.toml").exits(0);
    relink_in(&dir, &[("RELINK_STRICT", "maybe")], "refs site")
        .fails("error: RELINK_STRICT: cannot use its value 'maybe'; expected true or false");
    relink_in(&dir, &[("RELINK_JOBS", "many")], "refs site").fails(&format!(
        "error: RELINK_JOBS: {NOT_ACCEPTED} 'many' for '--jobs <N>': invalid digit found in string"
    ));
    // What is typed excludes what is not.
    relink_in(&dir, &[("RELINK_QUIET", "1")], "refs site -v").exits(0);
    // A command of a command has the option too.
    let run = relink_in(&dir, &[("RELINK_COLOR", "always")], "url resolve http://[ b");
    assert!(run.exits(2).stderr.starts_with("\u{1b}[1;31merror:"));
    // It cannot decide what is written.
    relink_in(&dir, &[("RELINK_IN_PLACE", "1")], "absolutize site --base http://h.example/")
        .exits(2);
    assert_eq!(dir.text("site/a.html"), "<a href=b>");
}

#[test]
fn wrong_files_are_refused_with_the_line() {
    let dir = tree();
    for (text, message) in [
        (
            "\nin-place = true",
            "c.toml:2: cannot set in-place in a configuration file; it can only be typed; use `--in-place`",
        ),
        (
            "output = 'x'",
            "c.toml:1: cannot set output in a configuration file; it can only be typed; use `--output`",
        ),
        (
            "fragmnts = true",
            "c.toml:1: fragmnts is not an option; did you mean 'fragments'?; the names are those of the options of the command line",
        ),
        (
            "[chek]\nfragments = true",
            "c.toml:2: [chek] is not a command; did you mean 'check'?; a table has the name of a command, and the options for it",
        ),
        (
            "[refs]\nfragments = true",
            "c.toml:2: fragments is not an option; the names are those of the options of the command line",
        ),
        (
            "jobs = 0",
            format!("c.toml:1: {NOT_ACCEPTED} '0' for '--jobs <N>': 0 is not in 1..=1024").as_str(),
        ),
        ("strict = 3", "c.toml:1: cannot use this value of strict; expected true or false"),
        ("base = ['a', 'b']", "c.toml:1: cannot use this value of base; expected one value"),
        (
            "quiet = true\nverbose = true",
            &*format!("c.toml:1: the argument '--quiet' {EXCLUDES} '--verbose'"),
        ),
        ("base = true", "c.toml:1: cannot use this value of base; expected a string or a number"),
    ] {
        dir.file("c.toml", text);
        dir.relink("refs site --config c.toml").fails(message);
    }
    dir.relink("refs site --config no.toml").fails(&words::missing("no.toml"));
}

#[test]
fn a_file_in_a_tree_is_not_read() {
    let dir = tree();
    dir.file("site/relink.toml", "base = 'http://evil.example/'\n");
    let run = dir.relink("absolutize site -o out --base http://h.example/").exits(0);
    assert_eq!(dir.text("out/a.html"), "<a href=http://h.example/b>");
    assert_eq!(dir.text("out/relink.toml"), "base = 'http://evil.example/'\n");
    let hints = run.stderr.lines().filter(|line| line.contains("relink.toml"));
    assert_eq!(
        hints.collect::<Vec<_>>(),
        [
            "hint: site/relink.toml: not read as a configuration; use `--config site/relink.toml` if its options are yours"
        ]
    );
}

#[test]
fn a_run_is_resumed_with_the_options_that_it_had() {
    let dir = tree();
    dir.file("c.toml", "base = 'http://h.example/'\nalso = 'markdown'\n");
    // A journal of a run that was killed records them; this one shows them in its dry run.
    let run = relink_in(&dir, &[("RELINK_VERBOSE", "true")], "absolutize site -n --config c.toml");
    let run = run.exits(0);
    assert!(run.stderr.contains("site/a.html") && run.stderr.contains("site/c.md"), "{run}");
}
