//! `--diff=git`: what `git apply` makes of it is what `-o` writes, and `git apply -R` makes it
//! undone.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::dir::Node::File;
use crate::dir::{Run, TestDir};

/// Runs git in a directory without the settings of this machine; `None`, and a word about it, where
/// there is no git.
fn git(dir: &TestDir, directory: &str, args: &[&str]) -> Option<Output> {
    let output = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@t.example"])
        .args(args)
        .current_dir(dir.path(directory))
        .env("GIT_CEILING_DIRECTORIES", dir.path("."))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .stdin(Stdio::null())
        .output();
    if output.is_err() {
        crate::tools::skipped("there is no 'git' here");
    }
    output.ok()
}

#[track_caller]
fn applies(dir: &TestDir, directory: &str, args: &[&str], run: &Run) -> bool {
    fs::write(dir.path("the.patch"), &run.stdout).unwrap();
    let args = [&["apply"], args, &["../the.patch"]].concat();
    let Some(output) = git(dir, directory, &args) else { return false };
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "git {args:?}: {text}{run}");
    true
}

/// Every file of a directory is as in another, and there are no others.
#[track_caller]
fn same(dir: &TestDir, one: &str, other: &str) {
    let (one, other) = (dir.tree(one), dir.tree(other));
    assert!(one.keys().eq(other.keys()), "other names");
    for (path, node) in &one {
        if let (File { bytes, .. }, File { bytes: expected, .. }) = (node, &other[path]) {
            assert!(bytes == expected, "{} differs", path.display());
        }
    }
}

/// Makes a patch of `site`, applies it there and takes it back; then once more in a repository, by
/// the names of the contents.
#[track_caller]
fn check(dir: &TestDir) -> Run {
    let copied = |name: &str| {
        let args = [dir.path("site"), dir.path(name)];
        assert!(Command::new("cp").arg("-a").args(args).status().unwrap().success());
    };
    copied("old");
    copied("repository");
    let run = dir.relink("absolutize site --base http://h/ --diff=git -q").exits(0).reports("");
    dir.relink("absolutize site --base http://h/ -o out -q").exits(0).reports("");
    if !applies(dir, "site", &[], &run) {
        return run;
    }
    same(dir, "site", "out");
    applies(dir, "site", &["--reverse"], &run);
    same(dir, "site", "old");
    for args in [&["init", "-q", "."][..], &["add", "-A"], &["commit", "-q", "-m", "old"]] {
        let output = git(dir, "repository", args).unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    applies(dir, "repository", &["--index"], &run);
    let is_clean = git(dir, "repository", &["diff", "--quiet"]).unwrap();
    assert!(is_clean.status.success(), "the index and the files differ");
    fs::remove_dir_all(dir.path("repository/.git")).unwrap();
    same(dir, "repository", "out");
    run
}

#[test]
fn a_patched_site_is_the_output() {
    check(&TestDir::with_site());
}

#[test]
fn bytes_that_are_no_text_and_ends_without_a_line_end_stay() {
    let dir = TestDir::new();
    dir.file("site/latin1.html", b"<p>caf\xE9\n<a href=caf\xE9>\n");
    dir.file("site/invalid.html", b"<p>\xFF\xFE\x80\r<a href=x>\r\n\xC3(");
    dir.file("site/open.html", "<p>\n<a href=x>");
    dir.file("site/one.html", "<a href=x>");
    dir.file("site/nul.html", b"<p>\0\n<a href=x>\n\x1A\n");
    dir.file("site/crlf.html", "<p>\r\n<a href=x>\r\n<p>\r\n");
    dir.file("site/spaces.html", " \t \n<a href=x> \t\n \n\n\n");
    // All that a patch could be taken to say.
    dir.file("site/signs.html", "--- a\n+++ b\n@@ -1 +1 @@\n<a href=x>\n-- \ndiff --git a/x b/x\n");
    let long: String = (0..500).map(|n| format!("<p>{n}<a href=http://o/{n}>\n")).collect();
    dir.file("site/long.html", format!("<a href=y>{long}<a href=x>"));
    let wide: Vec<u8> = format!("\u{feff}{}", "<a href=x>\n".repeat(300))
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    dir.file("site/wide.html", wide);
    let run = check(&dir);
    let text = String::from_utf8_lossy(&run.stdout);
    assert_eq!(text.matches("GIT binary patch\n").count(), 2, "{run}");
    assert_eq!(text.matches("\n\\ No newline at end of file\n").count(), 7, "{run}");
}

#[test]
fn compressed_files_and_mailboxes_can_be_patched() {
    let dir = TestDir::new();
    let mut gz = GzEncoder::new(Vec::new(), Compression::new(6));
    for number in 0..400 {
        writeln!(gz, "<a href=\"{}\">z</a>", number * number * 7919).unwrap();
    }
    dir.file("site/page.html.gz", gz.finish().unwrap());
    let head =
        "From a@b Thu Jan  1 00:00:00 1998\nContent-Type: text/html\nContent-Base: http://h/m/\n\n";
    let bodies = ["<a href=x>\n<p>1\n2\n3\n", "<p>\n", "<a href=y>\n", "1\n2\n3\n<a href=z>"];
    let mails: Vec<String> = bodies.iter().map(|body| format!("{head}{body}\n")).collect();
    dir.file("site/box.mbox", mails.join("\n"));
    dir.file("site/nul.mbox", mails.join("\n").replace("<p>", "<p>\0"));
    let run = check(&dir);
    let text = String::from_utf8_lossy(&run.stdout);
    assert_eq!(text.matches("diff --git a/box.mbox b/box.mbox\n").count(), 1, "{run}");
    assert_eq!(text.matches("GIT binary patch\n").count(), 1, "{run}");
}

/// Pieces are shown one by one: the last hunk of a message has no lines of the next one, and git
/// takes a hunk without lines after it for the end of the file.
#[test]
fn messages_without_a_line_between_them_need_an_option() {
    let head = "From a@b Thu Jan  1 00:00:00 1998\nContent-Type: text/html\n\n";
    let mail = format!("{head}<a href=http:x>\n").repeat(2);
    let dir = TestDir::with(&[("site/box.mbox", mail.as_str())]);
    let line = "absolutize site --base http://h/ --diff=git -q";
    let run = dir.relink(line).exits(0).reports("");
    fs::write(dir.path("the.patch"), &run.stdout).unwrap();
    let Some(refused) = git(&dir, "site", &["apply", "../the.patch"]) else { return };
    assert!(!refused.status.success());
    assert_eq!(dir.text("site/box.mbox"), mail);
    applies(&dir, "site", &["--unidiff-zero"], &run);
    assert_eq!(dir.text("site/box.mbox"), mail.replace("http:x", "http://h/x"));
}

#[test]
fn odd_names_can_be_patched() {
    let dir = TestDir::new();
    let names = [
        &b"a page.html"[..],
        b"a page b/a page.html",
        b" .html",
        b"ends in .html ",
        b"quo\"te.html",
        b"it's.html",
        b"back\\slash.html",
        b"tab\there.html",
        b"new\nline.html",
        b"caf\xE9.html",
        "caf\u{E9}.html".as_bytes(),
        b"a b/b/x y.html",
    ];
    for name in names {
        let path = Path::new("site").join(OsStr::from_bytes(name));
        dir.file(path, "<!DOCTYPE html><a href=x>\n");
        // A patch of bytes names the file in its first line only.
        let mut name = name.to_vec();
        name.splice(0..0, *b"n");
        let path = Path::new("site").join(OsStr::from_bytes(&name));
        dir.file(path, "<!DOCTYPE html>\0<a href=x>\n");
    }
    let run = check(&dir);
    let text = String::from_utf8_lossy(&run.stdout);
    // The type of a file without an extension that is known is that of its content.
    assert_eq!(text.matches("diff --git ").count(), 2 * names.len(), "{run}");
}

#[test]
fn a_patch_is_the_same_for_any_number_of_threads_and_in_place() {
    let dir = TestDir::with_site();
    let line = "absolutize site --base http://h/ --diff=git -q";
    let run = dir.relink(&format!("{line} -j1")).exits(0);
    assert!(String::from_utf8_lossy(&run.stdout).contains("\nindex "), "{run}");
    for options in ["-j2", "-o out", "--in-place"] {
        let other = dir.relink(&format!("{line} {options}")).exits(0);
        assert!(other.stdout == run.stdout, "{options}: {other}");
    }
    dir.relink(line).exits(0).prints("");
}

#[test]
fn the_format_is_an_option_that_need_not_be_typed() {
    let dir = TestDir::with(&[("site/a.html", "<a href=x>\n"), ("c.toml", "diff = 'git'\n")]);
    dir.file("d.toml", "diff = true\n");
    let line = "absolutize site --base http://h/ -q";
    let unified = dir.relink(&format!("{line} --diff=unified")).exits(0);
    let unified = unified.text();
    assert!(unified.starts_with("--- a/a.html\n"), "{unified}");
    dir.relink(&format!("{line} --diff")).exits(0).prints(unified);
    dir.relink(&format!("{line} --config d.toml")).exits(0).prints(unified);
    let git = dir.relink(&format!("{line} --diff=git")).exits(0);
    assert!(git.text().starts_with("diff --git a/a.html b/a.html\nindex "), "{git}");
    dir.relink(&format!("{line} --config c.toml")).exits(0).prints(git.text());
    dir.relink(&format!("{line} --config c.toml --diff")).exits(0).prints(unified);
    for (value, expected) in [("true", unified), ("git", git.text()), ("1", unified)] {
        let runner = ["env", &format!("RELINK_DIFF={value}")];
        dir.relink_by(&runner, line).exits(0).prints(expected);
    }
    let colours = dir.relink(&format!("{line} --diff=git --color always")).exits(0);
    let start = "\u{1b}[1mdiff --git a/a.html b/a.html\u{1b}[m\n\u{1b}[1mindex ";
    assert!(colours.text().starts_with(start), "{colours}");
}

#[test]
fn a_patch_of_a_part_of_a_repository_is_applied_at_its_top_and_below() {
    let page = ("r/docs/en/a.html", "<a href=x>");
    for (line, n) in [
        ("r/docs --base http://h/", 2),
        ("r/docs/en/a.html --base http://h/en/a.html", 1),
        ("r/docs/en r/docs/b.html --map r/docs=http://h/", 2),
        ("r --map r/docs=http://h/", 2),
    ] {
        let dir = TestDir::with(&[page, ("r/docs/b.html", "<a href=y>")]);
        for args in [&["init", "-q", "."][..], &["add", "-A"]] {
            let Some(output) = git(&dir, "r", args) else { return };
            assert!(output.status.success());
        }
        let run = dir.relink(&format!("absolutize {line} --diff=git -q")).exits(0);
        for directory in ["r", "r/docs"] {
            fs::write(dir.path("the.patch"), &run.stdout).unwrap();
            let patch = dir.real("the.patch");
            let listed = git(&dir, directory, &["apply", "--numstat", &patch]).unwrap();
            assert!(listed.status.success(), "{run}");
            let listed = String::from_utf8(listed.stdout).unwrap();
            assert_eq!(listed.lines().count(), n, "{listed}{run}");
            for args in [&["--index"][..], &["--index", "--reverse"]] {
                let args = [&["apply"], args, &[&patch]].concat();
                assert!(git(&dir, directory, &args).unwrap().status.success(), "{args:?}{run}");
                let expected =
                    if args.contains(&"--reverse") { page.1 } else { "<a href=http://h/en/x>" };
                assert_eq!(dir.text(page.0), expected, "{args:?}");
            }
        }
        // One for `patch` is below PATH.
        let run = dir.relink(&format!("absolutize {line} --diff -q")).exits(0);
        assert!(!run.text().contains("docs/en") || line.starts_with("r "), "{run}");
    }
}
