//! File names that are no text, or that would drive a terminal.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::dir::{Run, TestDir};

const PAGE: &str = "<a href=x>";

fn name(bytes: &[u8]) -> PathBuf {
    Path::new("site").join(OsStr::from_bytes(bytes))
}

/// No control character but the line ends of whole lines.
#[track_caller]
fn check_tame(text: &str, n_lines: usize, run: &Run) {
    assert!(!text.chars().any(|char| char.is_control() && char != '\n'), "{text:?}{run}");
    assert_eq!(text.lines().count(), n_lines, "{text:?}{run}");
}

/// A file whose name clears the screen and pretends to be two, and that calls for a message.
fn hostile() -> TestDir {
    let dir = TestDir::new();
    dir.file(name(b"a\x1b[2J\nb\x7f\r.html"), format!("{}{PAGE}", "<div>".repeat(2000)));
    dir
}

#[test]
fn control_characters_in_names_do_not_reach_standard_error() {
    let dir = hostile();
    let run = dir
        .relink("absolutize site --base http://h/ --engine reference -o out -q")
        .exits(2)
        .prints("");
    check_tame(&run.stderr, 1, &run);
    assert!(run.stderr.starts_with("site/a%1B[2J%0Ab%7F%0D.html:1:1: "), "{run}");
    assert!(dir.tree("out").keys().eq(dir.tree("site").keys()));
    let run = dir.relink("refs site --engine reference").exits(2).prints("");
    check_tame(&run.stderr, 1, &run);
}

#[test]
fn control_characters_in_arguments_do_not_reach_standard_error() {
    let dir = hostile();
    for args in [
        &["refs", "miss\x1b[2J\ning"][..],
        &["refs", "site", "--base", "x\x1b[2J\n"],
        &["refs", "site", "--map", "x\x1b[2J\n"],
        &["refs", "site", "--only", "x\x1b[2J\n"],
        &["refs", "site", "--include", "[\x1b[2J\n"],
        &["absolutize", "site", "-o", "site/\x1b[2J\n"],
        &["url", "resolve", "\x1b[2J\n", "x"],
    ] {
        let args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
        let run = dir.relink_with(&args).exits(2).prints("");
        check_tame(&run.stderr, 1, &run);
    }
}

#[test]
fn control_characters_do_not_reach_the_list_for_people() {
    let dir = TestDir::new();
    dir.file(name(b"a\x1b[2J\nb.html"), "<a href='x&#27;[2J&#10;y'>");
    let run = dir.relink("refs site").exits(0);
    check_tame(run.text(), 1, &run);
    assert!(run.text().starts_with("site/a%1B[2J%0Ab.html:1:10: a[href] x%1B[2J%0Ay"), "{run}");
}

#[test]
fn control_characters_in_names_do_not_reach_the_diff() {
    let dir = TestDir::new();
    dir.file(name(b"a\x1b[2J\nb.html"), "<a href=x>\n");
    let run = dir.relink("absolutize site --base http://h/ --diff -q").exits(0);
    let header: Vec<_> = run.text().lines().take(2).collect();
    check_tame(&header.join("\n"), 2, &run);
    assert!(header[1].starts_with("+++ "), "{run}");
}

/// What turns the direction of text, breaks lines, sets the title of a window.
const EVIL: &str = "a\u{202e}gnp.\u{2066}\x1b]0;evil\x07\u{2028}\u{9b}31m.html";
const TAMED: &str = "a%E2%80%AEgnp.%E2%81%A6%1B]0;evil%07%E2%80%A8%C2%9B31m.html";

#[test]
fn names_that_turn_the_text_do_not_reach_people() {
    let dir = TestDir::new();
    dir.file(name(EVIL.as_bytes()), format!("{}{PAGE}", "<div>".repeat(2000)));
    let line = "absolutize site --base http://h/ --engine reference -o out -q";
    let run = dir.relink(line).exits(2).prints("");
    assert!(run.stderr.starts_with(&format!("site/{TAMED}:1:1: ")), "{run}");
    check_tame(&run.stderr, 1, &run);
    let run = dir.relink("refs site").exits(0).reports("");
    assert_eq!(run.text(), format!("site/{TAMED}:1:10009: a[href] x\n"));
    let run = dir.relink("bases site").exits(0).reports("");
    assert!(run.text().starts_with(&format!("site/{TAMED}")), "{run}");
}

#[test]
fn json_says_the_same_and_drives_no_terminal() {
    let dir = TestDir::new();
    dir.file(name(EVIL.as_bytes()), "<a href='\u{202e}x\u{9b}\u{7f}'>");
    for command in ["refs", "bases"] {
        let run = dir.relink(&format!("{command} site --format json --base http://h/")).exits(0);
        assert!(!run.text().contains(['\u{202e}', '\u{2066}', '\u{2028}', '\u{9b}', '\u{7f}']));
        check_tame(run.text(), 1, &run);
        let line: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
        assert_eq!(line["path"], EVIL);
        if command == "refs" {
            assert_eq!(line["text"], "\u{202e}x\u{9b}\u{7f}");
        }
    }
}

#[test]
fn what_a_shell_makes_an_option_of_a_name_does_not_reach_people() {
    let dir = hostile();
    for arg in ["--x\x1b[2J\u{202e}", "--engine=\x1b[2J"] {
        let run = dir.relink_with(&["refs", arg, "site"].map(OsStr::new)).exits(2).prints("");
        assert!(!run.stderr.contains(['\x1b', '\u{202e}']), "{run}");
    }
}

#[test]
fn names_made_from_escapes_do_not_leave_the_tree() {
    let dir = TestDir::with(&[
        ("secret.html", "<p id=here>"),
        ("site/a.html", "<a href='%2e%2e/secret.html#here'><a href='..%2fsecret.html#here'>"),
    ]);
    for dialect in ["web", "rfc3986", "rfc1808"] {
        let line = format!("check site --base http://h/ --fragments --dialect {dialect}");
        let run = dir.relink(&line).exits(1);
        assert_eq!(run.text().lines().count(), 2, "{run}");
    }
}

#[test]
fn names_that_are_no_utf8_are_kept_and_escaped_in_urls() {
    let dir = TestDir::new();
    dir.file(name(b"caf\xE9/\xFF.html"), "<a href=x><a href=#y>");
    dir.file(name(b"caf\xE9/t.txt"), "text");
    dir.relink("absolutize site --base http://h/ -o out -q").exits(0).reports("").prints("");
    assert!(dir.tree("out").keys().eq(dir.tree("site").keys()));
    let out = Path::new("out").join(OsStr::from_bytes(b"caf\xE9/\xFF.html"));
    assert_eq!(dir.text(out), "<a href=http://h/caf%E9/x><a href=#y>");
    let below = Path::new("site").join(OsStr::from_bytes(b"caf\xE9"));
    let args = [OsStr::new("absolutize"), below.as_os_str(), OsStr::new("--base")];
    let more = ["http://g/", "-o", "out2", "-q"].map(OsStr::new);
    dir.relink_with(&[&args[..], &more].concat()).exits(0).reports("").prints("");
    let out = Path::new("out2").join(OsStr::from_bytes(b"\xFF.html"));
    assert_eq!(dir.text(out), "<a href=http://g/x><a href=#y>");
}

#[test]
fn names_with_marks_of_urls_are_escaped() {
    let dir = TestDir::new();
    for file in
        ["a b/100%.html", "a#b/c?d.html", "%41/x.html", "é/x.html", "c:/x.html", "a\\b/x.html"]
    {
        dir.file(Path::new("site").join(file), PAGE);
    }
    dir.relink("absolutize site --base http://h/ -o out -q").exits(0).reports("");
    for (file, target) in [
        ("a b/100%.html", "http://h/a%20b/x"),
        ("a#b/c?d.html", "http://h/a%23b/x"),
        ("%41/x.html", "http://h/%2541/x"),
        ("é/x.html", "http://h/%C3%A9/x"),
        ("a\\b/x.html", "http://h/a%5Cb/x"),
    ] {
        let out = Path::new("out").join(file);
        assert_eq!(dir.text(out), format!("<a href={target}>"), "{file}");
    }
    let colon = dir.text("out/c:/x.html");
    assert!(["<a href=http://h/c:/x>", "<a href=http://h/c%3A/x>"].contains(&&*colon), "{colon}");
}

#[test]
fn names_that_look_like_options_or_standard_input_are_files_in_a_tree() {
    let dir =
        TestDir::with(&[("site/-", "<p><a href=x>"), ("site/-o.html", PAGE), ("-q/a.html", PAGE)]);
    dir.relink("absolutize site --base http://h/ -o out -q").exits(0).reports("");
    assert_eq!(dir.text("out/-"), "<p><a href=http://h/x>");
    dir.relink("absolutize --base http://h/ -o out2 -q ./-q").exits(0).reports("");
    dir.relink("absolutize --base http://h/ -o out3 -q -- -q").exits(0).reports("");
    assert_eq!(dir.text("out3/a.html"), "<a href=http://h/x>");
    dir.relink("refs ./site/-").exits(0).prints("./site/-:1:12: a[href] x\n");
}

/// On a terminal clap writes what was typed as it is.
#[test]
fn what_looks_like_an_option_does_not_reach_the_terminal() {
    if !["script", "bash"].iter().all(|program| crate::tools::has(program, &["--version"])) {
        return;
    }
    let dir = TestDir::new();
    let line = format!("{} absolutize $'--fo\\e[31mo\\e]0;T\\a'", env!("CARGO_BIN_EXE_relink"));
    let mut script = Command::new("script");
    script.args(["-qec", &format!("bash -c \"{line}\""), "/dev/null"]);
    let output = script.current_dir(dir.path(".")).stdin(Stdio::null()).output().unwrap();
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(report.starts_with("error: unexpected argument '--foo' found\r\n"), "{report}");
    assert!(!report.contains("\u{1b}[31m") && !report.contains('\u{7}'), "{report:?}");
}

/// A directory is the user's, whatever its name; only files are notes and journals.
#[test]
fn directories_named_as_notes_are_copied() {
    let dir = TestDir::with(&[
        ("s/.my.relink-journal/a.txt", "x"),
        ("s/.relink-00000000-aaaaaa/b.html", "<a href=x>"),
    ]);
    dir.relink("absolutize s --base http://h/ -o out -q").exits(0).reports("");
    assert_eq!(dir.text("out/.my.relink-journal/a.txt"), "x");
    assert_eq!(
        dir.text("out/.relink-00000000-aaaaaa/b.html"),
        "<a href=http://h/.relink-00000000-aaaaaa/x>"
    );
}
