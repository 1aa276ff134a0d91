//! Where the URL of PATH is from: `--base`, `--base-file`, `RELINK_BASE`; and passwords in it.

use std::process::Output;

use crate::dir::TestDir;
use crate::words;

const PAGE: &str = "<p><a href=x>";
const SECRET: &str = "http://me:secret@h/";

fn dir() -> TestDir {
    TestDir::with(&[("a.html", PAGE), ("url", "http://file/\n")])
}

/// Runs a command with the variable, by another program if there is one.
fn run(dir: &TestDir, runner: &[&str], line: &str, variable: &str) -> Output {
    let mut command = dir.command(runner);
    command.args(line.split(' ')).env("RELINK_BASE", variable).output().unwrap()
}

fn message_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn the_option_goes_before_the_file_and_the_file_before_the_variable() {
    let dir = dir();
    for (options, variable, host) in [
        ("--base http://option/", "http://variable/", "option"),
        ("--base http://option/ --base-file url", "http://variable/", "option"),
        ("--base-file url", "http://variable/", "file"),
        ("--base-file url", "", "file"),
        ("-q", "http://variable/", "variable"),
    ] {
        let output = run(&dir, &[], &format!("absolutize a.html -o - {options}"), variable);
        let expected = format!("<p><a href=http://{host}/x>");
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{options}");
        let output = run(&dir, &[], &format!("refs a.html {options}"), variable);
        let expected = format!("a.html:1:12: a[href] x -> http://{host}/x\n");
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{options}");
    }
    let output = run(&dir, &[], "refs a.html", "");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "a.html:1:12: a[href] x\n");
}

#[test]
fn a_base_of_a_file_that_may_be_that_of_a_directory_is_reported() {
    let dir = TestDir::with(&[
        ("news.mbox", "From a@b Thu May  1 10:00:00 2003\nContent-Type: text/html\n\n<a href=x>\n"),
        ("page", PAGE),
    ]);
    let hint = "hint: references are resolved against http://h/a/; add a slash to --base if news is a directory";
    for (line, is_reported) in [
        ("news.mbox --base http://h/a/news", true),
        ("page --base http://h/a/news?b=c/d", true),
        ("news.mbox --base http://h/a/news/", false),
        ("news.mbox --base http://h/a/news.html", false),
        ("news.mbox --base http://news", false),
        ("page --base http://h/page", false),
        (". --base http://h/news", false),
    ] {
        let run = dir.relink(&format!("absolutize {line} -n --type text/html")).exits(0);
        assert_eq!(run.has_line(hint), is_reported, "{run}");
        assert!(is_reported || !run.stderr.contains("hint: references are"), "{run}");
    }
    let run = dir.pipe("absolutize - --base http://h/a/news", PAGE.as_bytes()).exits(0);
    assert!(!run.stderr.contains("hint:"), "{run}");
}

#[test]
fn a_file_with_the_url_has_one_line() {
    let dir = dir();
    for text in ["http://h/", "http://h/\n", "http://h/\r\n"] {
        dir.file("url", text);
        dir.relink("absolutize a.html --base-file url -o - -q")
            .exits(0)
            .prints("<p><a href=http://h/x>");
    }
    for (text, reason) in [
        (&b"http://h/\nhttp://i/\n"[..], "it has more than one line"),
        (b"http://h/\n\n", "it has more than one line"),
        (b"", "it is empty"),
        (b"\n", "it is empty"),
        (b"http://\xFF/", "it is not UTF-8"),
    ] {
        dir.file("url", text);
        dir.relink("refs a.html --base-file url").fails(&format!(
            "url: cannot use this file as --base-file; {reason}; expected one line with a URL"
        ));
    }
    dir.relink("refs a.html --base-file none").fails(&words::missing("none"));
}

#[test]
fn a_password_is_noted_and_not_shown() {
    let dir = dir();
    let on_line = "warning: other users can see the password in --base http://me:***@h/; command lines are public; use `--base-file FILE` or the variable RELINK_BASE to hide it\n";
    let in_documents = |source: &str| {
        format!(
            "warning: the password in {source} http://me:***@h/ will be written into the documents; absolute references contain the base URL; use a base URL without a password to avoid it\n"
        )
    };
    let line = format!("absolutize a.html --base {SECRET} -o -");
    let run_of = |line: &str| dir.relink(line).exits(0);
    let notes = format!("{on_line}{}", in_documents("--base"));
    assert!(run_of(&line).stderr.starts_with(&notes), "{}", run_of(&line));
    run_of(&format!("{line} -q")).reports("");
    run_of(&format!("refs a.html --base {SECRET}")).reports(on_line);
    dir.file("url", SECRET);
    let run = run_of("absolutize a.html --base-file url -o -");
    assert!(run.stderr.starts_with(&in_documents("--base-file url")), "{run}");
    run_of("refs a.html --base-file url").reports("");
}

/// A run that a file over the limit ends leaves a journal without the password, and continues with
/// the password only. One thread: the short page is written before the long one fails.
#[cfg(unix)]
#[test]
fn the_journal_has_no_password_and_resume_asks_for_it_again() {
    let limited = ["sh", "-c", "ulimit -f 32; exec \"$0\" \"$@\""];
    let typed = format!("absolutize site -i -q -j 1 --base {SECRET}");
    for (line, is_in_file) in [
        ("absolutize site -i -q -j 1", false),
        ("absolutize site -i -q -j 1 --base-file url", true),
        (&*typed, false),
    ] {
        let dir = TestDir::with(&[("site/a.html", PAGE), ("url", SECRET)]);
        dir.file("site/z.html", PAGE.repeat(3_000));
        let output = run(&dir, &limited, line, SECRET);
        assert_eq!(output.status.code(), Some(2), "{}", message_of(&output));
        assert_eq!(dir.text("site/a.html"), "<p><a href=http://me:secret@h/x>");
        let journal = String::from_utf8_lossy(&dir.bytes(".site.relink-journal")).into_owned();
        assert!(journal.contains("absolutize") && !journal.contains("secret"), "{journal}");
        // Another base is refused, and none is.
        let other = "http://me:other@h/";
        dir.file("url", other);
        let output = run(&dir, &[], "resume site -q", other);
        assert_eq!(output.status.code(), Some(2), "{}", message_of(&output));
        let source = if is_in_file { "--base-file url" } else { "RELINK_BASE" };
        let refused = format!(
            "error: cannot resume; {source} is not the base URL of the interrupted run; set it to that URL, or use `relink undo` to revert the run\n"
        );
        assert_eq!(message_of(&output), refused);
        if !is_in_file {
            dir.relink("resume site -q").fails("error: cannot resume; RELINK_BASE is not set, and the journal does not contain the base URL; set it to the base URL of the interrupted run");
        }
        dir.file("url", SECRET);
        let output = run(&dir, &[], "resume site -q", SECRET);
        assert_eq!((output.status.code(), message_of(&output)), (Some(0), String::new()), "{line}");
        let page = "<p><a href=http://me:secret@h/x>";
        assert_eq!(dir.text("site/z.html"), page.repeat(3_000));
        assert!(!dir.has(".site.relink-journal"));
    }
}

/// A run whose base was typed goes on with that, whatever the variable is then.
#[cfg(unix)]
#[test]
fn a_run_without_a_password_goes_on_with_what_was_typed() {
    let limited = ["sh", "-c", "ulimit -f 32; exec \"$0\" \"$@\""];
    let dir = TestDir::with(&[("site/a.html", PAGE)]);
    dir.file("site/z.html", PAGE.repeat(3_000));
    let line = "absolutize site -i -q -j 1 --base http://h/";
    assert_eq!(run(&dir, &limited, line, "http://variable/").status.code(), Some(2));
    let output = run(&dir, &[], "resume site -q", "http://variable/");
    assert_eq!(output.status.code(), Some(0), "{}", message_of(&output));
    assert_eq!(dir.text("site/z.html"), "<p><a href=http://h/x>".repeat(3_000));
}

/// The host that is written is the one that a browser requests.
#[test]
fn a_host_out_of_ascii_is_written_as_it_is_requested() {
    for host in ["b\u{FC}cher.example", "B\u{DC}CHER.example", "b%C3%BCcher.example"] {
        let dir = TestDir::with(&[("site/a.html", "<a href=/x><a href=http://old/y>")]);
        let base = format!("--base http://{host}/");
        dir.relink(&format!("absolutize site/a.html {base} -o - -q"))
            .exits(0)
            .prints("<a href=http://xn--bcher-kva.example/x><a href=http://old/y>");
        dir.relink(&format!("move site --from http://old/ --to http://{host}/ -o out -q")).exits(0);
        assert_eq!(
            dir.text("out/a.html"),
            "<a href=/x><a href=http://xn--bcher-kva.example/y>",
            "{host}"
        );
    }
}

/// An empty user, and an empty password, are none.
#[test]
fn an_empty_user_makes_no_other_host() {
    for host in [":@h.example", "@h.example", "h.example:080", "h.example:"] {
        let page = format!("<a href=http://{host}/x>");
        let dir = TestDir::with(&[("site/a.html", &page)]);
        dir.relink("relativize site --base http://h.example/ -o one -q").exits(0);
        assert_eq!(dir.text("one/a.html"), "<a href=x>", "{host}");
        dir.relink("relativize site --base http://o/ --same-as http://h.example/ -o two -q")
            .exits(0);
        assert_eq!(dir.text("two/a.html"), "<a href=x>", "{host}");
        dir.relink(&format!("move site --from http://{host}/ --to http://n/ -o three -q")).exits(0);
        assert_eq!(dir.text("three/a.html"), "<a href=http://n/x>", "{host}");
    }
}
