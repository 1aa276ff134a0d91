//! Runs that end before they are complete, by commands of every form: what is recorded of them is
//! enough to continue and to revert them.

use std::process::Output;

use crate::dir::TestDir;

/// A shell in which no file gets longer than 16 KiB: a run fails at the last page.
const LIMITED: [&str; 3] = ["sh", "-c", "ulimit -f 32; exec \"$0\" \"$@\""];

/// The number of references on the last page.
const MANY: usize = 3_000;

/// A tree whose last page is long.
fn tree(reference: &str) -> TestDir {
    let page = format!("<a href={reference}>\n");
    let dir = TestDir::with(&[("site/a.html", &page), ("site/x.html", ""), ("site/d/y.html", "")]);
    dir.file("site/z.html", page.repeat(MANY));
    dir
}

#[track_caller]
fn run(dir: &TestDir, runner: &[&str], line: &str, base: &str) -> Output {
    let mut command = dir.command(runner);
    command.args(line.split(' ')).env("RELINK_BASE", base).output().expect("the program runs")
}

#[track_caller]
fn status(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Begins a run that fails, continues it, and returns the references of both pages. Then the same
/// is reverted.
#[track_caller]
fn resumed(made: impl Fn() -> TestDir, line: &str, base: &str, written: &str) {
    let dir = made();
    let begun = run(&dir, &LIMITED, line, base);
    assert_eq!(begun.status.code(), Some(2), "{line}: {:?}", status(&begun));
    assert!(dir.text("site/z.html").len() > 32 << 10, "{line}");
    let page = format!("<a href={written}>\n");
    assert_eq!(dir.text("site/a.html"), page, "{line}: the first page is written");
    let output = run(&dir, &[], "resume site -q", base);
    assert_eq!(status(&output), (Some(0), String::new()), "{line}");
    assert_eq!(dir.text("site/z.html"), page.repeat(MANY), "{line}");
    assert!(!dir.has(".site.relink-journal"), "{line}");
    let (dir, old) = (made(), made());
    assert_eq!(run(&dir, &LIMITED, line, base).status.code(), Some(2), "{line}");
    let output = run(&dir, &[], "undo site -q", "");
    assert_eq!(status(&output), (Some(0), String::new()), "{line}");
    for page in ["site/a.html", "site/z.html"] {
        assert_eq!(dir.text(page), old.text(page), "{line}");
    }
}

#[test]
fn a_global_option_may_stand_before_the_command() {
    let made = || tree("x.html");
    resumed(made, "--no-config absolutize site -i -q -j 1", "http://v/", "http://v/x.html");
    let made = || {
        let dir = tree("x.html");
        dir.file("absolutize", "");
        dir
    };
    let line = "--config absolutize absolutize site -i -q -j1";
    resumed(made, line, "http://v/", "http://v/x.html");
}

#[test]
fn what_follows_the_options_is_a_path() {
    let made = || {
        let dir = tree("x.html");
        dir.file("list.tsv", "x.html\td/x.html\n");
        dir
    };
    let line = "move --base http://h/ --renames list.tsv -i -q -j 1 -- site";
    resumed(made, line, "", "d/x.html");
    let line = "absolutize --base http://h/a,b/ -i -q -j 1 -- site";
    resumed(|| tree("x.html"), line, "", "http://h/a,b/x.html");
}

#[test]
fn renames_by_git_are_recorded() {
    if !crate::tools::has("git", &["--version"]) {
        return;
    }
    let made = || {
        let dir = tree("x.html");
        for line in ["init -q", "add .", "commit -qm first", "mv x.html d/x.html"] {
            dir.git("site", line);
        }
        dir
    };
    resumed(made, "move --from-git HEAD -i -q -j 1 -- site", "", "d/x.html");
}

#[test]
fn a_base_that_is_gone_is_needed() {
    for (line, base) in [
        ("absolutize site -i -q -j 1", "http://v/"),
        ("absolutize site -i -q -j 1 --base http://me:secret@h/", ""),
        ("-q --no-config absolutize site -i -j 1 --base=http://me:secret@h/", ""),
    ] {
        let dir = tree("x.html");
        let line = line.strip_prefix("-q ").unwrap_or(line);
        assert_eq!(run(&dir, &LIMITED, line, base).status.code(), Some(2), "{line}");
        let journal = String::from_utf8_lossy(&dir.bytes(".site.relink-journal")).into_owned();
        assert!(!journal.contains("secret") && !journal.contains("http://v/"), "{journal}");
        let (code, text) = status(&run(&dir, &[], "resume site -q", ""));
        assert_eq!(code, Some(2), "{line}");
        assert!(text.contains("RELINK_BASE is not set"), "{line}: {text}");
        let output = run(&dir, &[], "undo site -q", "");
        assert_eq!(status(&output), (Some(0), String::new()), "{line}");
    }
}

/// The word that names the command may also be the value of an option before it.
#[test]
fn check_fixes_with_a_configuration_of_its_name() {
    let dir = TestDir::with(&[("f/p.html", "<a href=X.html>"), ("f/x.html", ""), ("check", "")]);
    dir.relink("--config check check f --fix -i -q").exits(0);
    assert_eq!(dir.text("f/p.html"), "<a href=x.html>");
    dir.relink("undo f -q").exits(0);
    assert_eq!(dir.text("f/p.html"), "<a href=X.html>");
}

/// A path whose name is not UTF-8, and one that looks like an option.
#[test]
#[cfg(target_os = "linux")]
fn any_path_is_recorded() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    for name in [&b"s\xFF"[..], b"-s", b"a\tb\n\"c"] {
        let dir = tree("x.html");
        let name = OsStr::from_bytes(name);
        std::fs::rename(dir.path("site"), dir.path(name)).expect("a rename");
        let arguments = ["absolutize", "--base", "http://h/", "-i", "-q", "-j", "1", "--"];
        let mut command = dir.command(&LIMITED);
        let output = command.args(arguments).arg(name).output().expect("the program runs");
        assert_eq!(output.status.code(), Some(2), "{name:?}: {:?}", status(&output));
        let mut command = dir.command(&[]);
        let output = command.args(["resume", "-q", "--"]).arg(name).output().expect("it runs");
        assert_eq!(status(&output), (Some(0), String::new()), "{name:?}");
        let page = std::fs::read_to_string(dir.path(name).join("z.html")).expect("a page");
        assert_eq!(page, "<a href=http://h/x.html>\n".repeat(MANY), "{name:?}");
    }
}
