//! What a person sees on a terminal: progress, lines that fit, colours, changed documents.

use std::process::{Command, Stdio};

use crate::dir::TestDir;
use crate::tools;
use crate::words;

/// Runs a command line on a pseudo-terminal with so many columns, and returns what it shows, escape
/// sequences included.
pub(crate) fn on_terminal(dir: &TestDir, columns: usize, line: &str) -> Option<String> {
    if !tools::has("script", &["--version"]) {
        return None;
    }
    let line = line.replace("relink", env!("CARGO_BIN_EXE_relink"));
    let line = format!("stty cols {columns} rows 24; {line}");
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).current_dir(dir.path("")).stdin(Stdio::null());
    for name in ["CI", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "RELINK_BASE"] {
        script.env_remove(name);
    }
    let output = script.env("TERM", "xterm").output().expect("it runs");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the text without SGR sequences.
fn plain(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    parts.for_each(|part| plain.push_str(part.split_once('m').map_or(part, |(_, rest)| rest)));
    plain
}

/// A tree whose conversion by html5ever takes longer than a moment.
fn large() -> TestDir {
    let dir = TestDir::new();
    let page = "<p><a href=b/c.html>text</a>\n".repeat(1000);
    (0..150).for_each(|n| dir.file(format!("site/page{n}.html"), &page));
    dir
}

const SLOW: &str = "relink absolutize site --base http://h.example/ --engine reference -j 1";

#[test]
fn progress_is_shown_while_a_run_lasts() {
    let dir = large();
    let Some(shown) = on_terminal(&dir, 100, &format!("{SLOW} -o out")) else { return };
    assert!(shown.contains("/150 files  "), "{shown}");
    assert!(shown.contains("site/page"), "{shown}");
    // The line is removed before the summary.
    let summary = shown.rfind(&words::changed(150, 150)).expect("the summary");
    assert!(shown[..summary].ends_with("\r\x1b[2K"), "{shown}");
    assert!(!shown[summary..].contains('\x1b'), "{shown}");
}

#[test]
fn progress_is_not_shown_without_a_terminal_or_if_it_is_not_wanted() {
    let dir = large();
    let args = SLOW.strip_prefix("relink ").unwrap();
    let run = dir.relink(&format!("{args} -o piped")).exits(0);
    assert!(!run.stderr.contains('\x1b') && !run.stderr.contains("files  "), "{run}");
    for (name, line) in [
        ("quiet", format!("{SLOW} -q -o quiet")),
        ("ci", format!("CI=true {SLOW} -o ci")),
        ("dumb", format!("TERM=dumb {SLOW} -o dumb")),
    ] {
        let Some(shown) = on_terminal(&dir, 100, &line) else { return };
        assert!(!shown.contains("/150 files"), "{name}: {shown}");
    }
}

#[test]
fn the_summary_fits_the_terminal() {
    let dir = TestDir::with(&[("a.html", "<a href='http://[/'>x</a><a href=b>b</a>")]);
    let Some(shown) = on_terminal(&dir, 40, "relink absolutize a.html -o out.html") else { return };
    let shown = plain(&shown);
    assert!(shown.contains(&words::changed(1, 0)), "{shown}");
    let lines: Vec<&str> = shown.lines().map(|line| line.trim_end_matches('\r')).collect();
    assert!(lines.iter().all(|line| line.chars().count() <= 40), "{shown}");
    assert!(lines.iter().any(|line| line.starts_with("  ")), "{shown}");
}

#[test]
fn messages_have_colours_on_a_terminal_and_with_an_option() {
    let dir = TestDir::with(&[("a.html", "<a href=b>b</a>")]);
    let hint = "\x1b[1;36mhint:\x1b[0m ";
    let run = dir.relink("absolutize a.html -n --color always").exits(0);
    assert!(run.stderr.contains(hint), "{run}");
    let run = dir.relink("absolutize a.html -n --color auto").exits(0);
    assert!(!run.stderr.contains('\x1b'), "{run}");
    let run = dir.relink("absolutize missing --color always").exits(2);
    assert!(run.stderr.contains("\x1b[1;31merror:\x1b[0m "), "{run}");
    let Some(shown) = on_terminal(&dir, 100, "relink absolutize a.html -n") else { return };
    assert!(shown.contains(hint), "{shown}");
    let shown = on_terminal(&dir, 100, "NO_COLOR=1 relink absolutize a.html -n");
    assert!(!shown.unwrap_or_default().contains('\x1b'));
    // Every command has the option.
    dir.file("b", "text");
    for line in ["slots", "url resolve http://h/ x", "check .", "refs .", "bases ."] {
        dir.relink(&format!("{line} --color never")).exits(0);
    }
}

#[test]
fn changed_documents_are_named_on_request() {
    let dir = TestDir::with(&[
        ("site/a.html", "<a href=b.html>b</a><a href=http://h.example/c>c</a>"),
        ("site/b.html", "<p>no reference</p>"),
    ]);
    let run = dir.relink("absolutize site --base http://h.example/ -n -v").exits(0);
    let line =
        &format!("site/a.html: {}", words::sum(&[(1, words::REWRITTEN), (1, words::CORRECT)]));
    assert!(run.has_line(line), "{run}");
    assert!(!run.stderr.contains("b.html"), "{run}");
    let run = dir.relink("absolutize site --base http://h.example/ -n").exits(0);
    let lines = &format!(
        "{}\n{}\n",
        words::would_change(2, 1),
        words::sum(&[(1, words::REWRITTEN), (1, words::CORRECT)])
    );
    run.reports(lines);
}
