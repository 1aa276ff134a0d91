//! Hints where a command cannot do what its user expects: files that are not read, paths in place
//! of URLs, mirrors for a server. Each is printed once.

use crate::dir::TestDir;
use crate::words::{BASE_WITHOUT_SCHEME, INVALID_VALUE, NO_SCHEME, NOT_ABSOLUTE};

/// Checks the hints of a command, and that they count with `--strict`.
#[track_caller]
fn hints(dir: &TestDir, line: &str, expected: &[&str]) {
    offers(dir, line, expected);
    dir.relink(&format!("{line} --strict")).exits(if expected.is_empty() { 0 } else { 1 });
}

/// Checks the hints of a command.
#[track_caller]
fn offers(dir: &TestDir, line: &str, expected: &[&str]) {
    let run = dir.relink(line).exits(0);
    let hints: Vec<&str> =
        run.stderr.lines().filter_map(|line| line.strip_prefix("hint: ")).collect();
    assert_eq!(hints, expected, "{run}");
}

const SITE: &[(&str, &str)] = &[
    ("site/a.html", "<a href=b.html>b</a>"),
    ("site/b.html", "<a href=a.html>a</a>"),
    ("site/c.md", "[a](a.html)"),
    ("site/d.markdown", "[a](a.html)"),
    ("site/e.txt", "http://h.example/a.html"),
    ("site/f.zip", "PK\x03\x04"),
];

const MARKDOWN: &str = "2 Markdown files were not read; use `--also markdown` to read them";
const ARCHIVE: &str =
    "1 zip file was not read, site/f.zip; use `--also zip` to process the documents in it";

#[test]
fn files_of_optional_types_and_archives() {
    let dir = TestDir::with(SITE);
    let absolutize = "absolutize site --base http://h.example/ -n";
    hints(&dir, absolutize, &[MARKDOWN, ARCHIVE]);
    hints(&dir, &format!("{absolutize} --also markdown"), &[ARCHIVE]);
    hints(
        &dir,
        &format!("{absolutize} --exclude *.zip --exclude *.md"),
        &["1 Markdown file was not read; use `--also markdown` to read it"],
    );
    hints(&dir, "refs site --base http://h.example/", &[MARKDOWN, ARCHIVE]);
    hints(&dir, "check site", &[MARKDOWN, ARCHIVE]);
    hints(&dir, "check site --exclude *.zip", &[MARKDOWN]);
    hints(&dir, "check site --exclude *.zip --exclude *.m*", &[]);
    dir.relink("check site --exclude *.zip --also markdown --strict").exits(0);
    // Only a move changes plain text.
    let text = "1 text file was not read; use `--also text` to read it";
    let line = "move site --from http://h.example/ --to http://i.example/ --style absolute -n";
    hints(&dir, line, &[MARKDOWN, text, ARCHIVE]);
    // Most text names nothing that moves.
    let line = "move site --from http://else.example/ --to http://i.example/ --style absolute -n";
    offers(&dir, &format!("{line} --exclude *.m* --exclude *.zip"), &[]);
    hints(&dir, "mv --tree site site/a.html site/z.html -n", &[MARKDOWN, text, ARCHIVE]);
    hints(&dir, "mv --tree site site/b.html site/z.html -n", &[MARKDOWN, ARCHIVE]);
}

#[test]
fn patterns_that_select_no_document() {
    let dir = TestDir::with(SITE);
    let absolutize = "absolutize site --base http://h.example/ -n --include";
    hints(&dir, &format!("{absolutize} x/*"), &["no documents match --include 'x/*'"]);
    let other = |patterns: &str| {
        format!(
            "files {patterns}, but none of them is a known type of document; use `--type EXT=MEDIA/TYPE` to set their type"
        )
    };
    hints(&dir, &format!("{absolutize} *.txt"), &[&other("match --include '*.txt'")]);
    hints(
        &dir,
        &format!("{absolutize} *.txt --exclude x/*"),
        &[&other("are left by --include '*.txt' --exclude 'x/*'")],
    );
    hints(
        &dir,
        &format!("{absolutize} *.md"),
        &[
            &other("match --include '*.md'"),
            "1 Markdown file was not read; use `--also markdown` to read it",
        ],
    );
}

#[test]
fn references_in_pages_that_are_read_on_request() {
    let dir = TestDir::with(&[
        ("site/a.html", "<img src=a.gif data-src=a.png><p>"),
        ("site/b.html", "<img data-lazy-src=b.png>"),
        ("site/a.gif", ""),
        ("site/a.png", ""),
        ("site/b.png", ""),
    ]);
    let hint = "pages contain attributes of lazy loaders, such as data-src; use `--also lazy` to process their references";
    for command in ["absolutize site -n", "refs site", "bases site", "check site"] {
        let command = &format!("{command} --base http://h.example/");
        hints(&dir, command, &[hint]);
        hints(&dir, &format!("{command} --also lazy"), &[]);
    }
    let dir = TestDir::with(&[
        ("site/a.html", "<a hx-get=b.html>b</a>"),
        ("site/b.html", "<!--#include virtual='a.html' -->"),
    ]);
    let expected = [
        "pages contain attributes of htmx, such as hx-get; use `--also htmx` to process their references",
        "pages contain server-side includes; use `--also ssi` to process their references",
    ];
    for command in ["absolutize site -n", "relativize site -n", "refs site", "check site"] {
        let command = &format!("{command} --base http://h.example/");
        hints(&dir, command, &expected);
        hints(&dir, &format!("{command} --also lazy --also htmx"), &expected[1..]);
        hints(&dir, &format!("{command} --also htmx,ssi"), &[]);
    }
}

#[test]
fn what_is_only_offered_does_not_count_if_strict() {
    let dir = TestDir::with(&[
        ("m/a.example/index.html", "<a href=http://b.example/>b</a>"),
        ("m/b.example/index.html", "<a href=/>b</a>"),
    ]);
    let hint = "the references will be those of a web server; use `--for file` if the mirror is opened from a disk";
    offers(&dir, "relativize m --layout wget -n --strict", &[hint]);
    hints(&dir, "relativize m --layout wget --for file -n", &[]);
    hints(&dir, "absolutize m --layout wget -n", &[]);
    let dir = TestDir::with(&[("m/a.example/about", "<!DOCTYPE html><p>")]);
    let text = "a browser shows 1 page as text, because of the names; use `--rename` to give files names that say what they are";
    offers(&dir, "relativize m --layout wget --for file -n --strict", &[text]);
}

#[test]
fn a_path_in_place_of_a_url() {
    let dir = TestDir::with(SITE);
    for (option, path, suggestion) in [
        (
            "--base",
            "/srv/site",
            format!("{NOT_ABSOLUTE}: {BASE_WITHOUT_SCHEME}; did you mean file:///srv/site?")
                .as_str(),
        ),
        ("--base", "C:\\site", "it is a path; did you mean file:///C:/site?"),
        ("--base", "C:/docs/", "it is a path; did you mean file:///C:/docs/?"),
        (
            "--base",
            "\\\\server\\share\\docs\\",
            format!(
                "{NOT_ABSOLUTE}: {BASE_WITHOUT_SCHEME}; did you mean file://server/share/docs/?"
            )
            .as_str(),
        ),
        (
            "--base",
            "site/",
            format!("{NOT_ABSOLUTE}: {BASE_WITHOUT_SCHEME}; use a URL instead of a path").as_str(),
        ),
        (
            "--base",
            "./site",
            format!("{NOT_ABSOLUTE}: {BASE_WITHOUT_SCHEME}; use a URL instead of a path").as_str(),
        ),
        (
            "--base",
            "h.example/a",
            format!("{NOT_ABSOLUTE}: {BASE_WITHOUT_SCHEME}; did you mean http://h.example/a?")
                .as_str(),
        ),
        (
            "--from",
            "/srv/site",
            format!("{NOT_ABSOLUTE}: {NO_SCHEME}; did you mean file:///srv/site?").as_str(),
        ),
        ("--from", "C:\\site", "it is a path; did you mean file:///C:/site?"),
        (
            "--from",
            "//server/share",
            format!("{NOT_ABSOLUTE}: {NO_SCHEME}; did you mean http://server/share?").as_str(),
        ),
    ] {
        let command = match option {
            "--from" => format!("move site --from {path} --to http://h.example/ -n"),
            _ => format!("absolutize site {option} {path} -n"),
        };
        let message = format!("error: {INVALID_VALUE} '{path}' for {option}; {suggestion}");
        dir.relink(&command).fails(&message);
    }
}

#[test]
fn another_name_of_a_share_is_reported() {
    let dir = TestDir::with(&[(
        "docs/a.html",
        "<a href=file:///S:/docs/prices.htm#x><a href=file:///S:/docs/prices.htm>\n\
         <a href=file:///T:/docs/b.html><a href=file://server/share/docs/b.html>",
    )]);
    let from = "move docs --from file://server/share/docs/ --to https://docs.example/ -n";
    let hint = |letter| {
        format!(
            "hint: references point to 1 place on the drive {letter}:; use `--drive {letter}:=SHARE` if it is a name of a share"
        )
    };
    let run = dir.relink(from).exits(0);
    assert!(run.has_line(&hint('S')) && run.has_line(&hint('T')), "{run}");
    let same = format!("{from} --same-as file:///S:/docs/");
    let run = dir.relink(&same).exits(0);
    assert!(run.has_line(&hint('T')) && !run.has_line(&hint('S')), "{run}");
    let all = format!("{same} --same-as file:///T:/docs/");
    for line in [all, format!("{from} -q"), "absolutize docs --base http://h/ -n".to_owned()] {
        let run = dir.relink(&line).exits(0);
        assert!(!run.stderr.contains("hint:"), "{run}");
    }
    // The tree is on a disk before and after.
    let run = dir.relink("move docs --from file:///docs/ --to file:///d/ -n").exits(0);
    assert!(!run.stderr.contains("file URLs"), "{run}");
}
