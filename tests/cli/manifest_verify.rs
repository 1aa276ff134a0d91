//! `verify`: what it reports of trees that were changed, and which files it takes for a manifest.

use std::fs;
use std::os::unix::fs::symlink;

use crate::dir::TestDir;
use crate::manifest::tree;
use crate::words::{self, CANNOT_USE_MANIFEST, LISTS_ALL};

const RUN: &str = "absolutize site --base http://h/ -q";

fn written() -> TestDir {
    let dir = tree();
    symlink("index.html", dir.path("site/link")).unwrap();
    dir.relink(&format!("{RUN} -o out --manifest m.jsonl")).exits(0).reports("");
    dir
}

#[test]
fn a_tree_that_is_as_written_is_confirmed() {
    let dir = written();
    let edits = dir.text("m.jsonl").lines().filter(|line| line.contains("\"edit\"")).count();
    dir.relink("verify out --manifest m.jsonl").exits(0).prints("").reports(&format!(
        "11 files as written by the run; the manifest lists all files of the output\n{edits} edits give their old contents, and no other byte differs\n"
    ));
    dir.relink("verify out --manifest m.jsonl -q").exits(0).prints("").reports("");
    let run = dir.relink("verify out --manifest m.jsonl --format json -q").exits(0);
    let states: Vec<&str> = run.text().lines().collect();
    assert_eq!(states.len(), 11);
    assert_eq!(states[1], "{\"root\":0,\"path\":\"d/same.html\",\"state\":\"after\",\"edits\":0}");
    assert!(states.iter().all(|line| line.contains("\"state\":\"after\"")), "{run}");
    dir.relink(&format!("{RUN} -i --manifest i.jsonl")).exits(0).reports("");
    let run = dir.relink("verify site --manifest i.jsonl").exits(0).prints("");
    let listed =
        "8 files as written by the run; the manifest lists only files that the run has changed";
    assert!(run.has_line(listed), "{run}");
}

#[test]
fn what_is_not_as_written_is_named() {
    let dir = written();
    dir.file("out/style.css", "a {}\n");
    fs::copy(dir.path("site/index.html"), dir.path("out/index.html")).unwrap();
    fs::remove_file(dir.path("out/feed.xml")).unwrap();
    fs::remove_file(dir.path("out/link")).unwrap();
    symlink("feed.xml", dir.path("out/link")).unwrap();
    dir.file("out/d/new.html", "new\n");
    symlink("x", dir.path("out/new")).unwrap();
    let run = dir.relink("verify out --manifest m.jsonl").exits(1).prints(
        "out/feed.xml: does not exist\n\
         out/index.html: has its content of before the run\n\
         out/style.css: was changed since the run\n\
         out/link: was changed since the run\n\
         out/d/new.html: is not in the manifest; it was added since the run\n\
         out/new: is not in the manifest; it was added since the run\n",
    );
    assert!(
        run.has_line(&format!("7 files as written by the run, 1 as before the run, 2 changed since, 1 missing, 2 added; {LISTS_ALL}")),
        "{run}"
    );
    let run = dir.relink("verify out --manifest m.jsonl --format json").exits(1);
    for line in [
        "{\"root\":0,\"path\":\"feed.xml\",\"state\":\"missing\",\"edits\":null}",
        "{\"root\":0,\"path\":\"index.html\",\"state\":\"before\",\"edits\":null}",
        "{\"root\":0,\"path\":\"d/new.html\",\"state\":\"added\",\"edits\":null}",
        "{\"root\":0,\"path\":\"no\u{fffd}text.html\",\"path_bytes\":\"no%FFtext.html\",\"state\":\"after\",\"edits\":1}",
    ] {
        assert!(run.text().lines().any(|other| other == line), "{line}{run}");
    }
}

/// A manifest with a checksum of its own, but not of this run.
#[test]
fn edits_that_do_not_give_the_old_content_are_reported() {
    let dir = TestDir::with(&[("site/a.html", "<a href=x>\n")]);
    dir.relink(&format!("{RUN} -i --manifest m.jsonl")).exits(0);
    let text = dir.text("m.jsonl");
    let forged = text.replace("\"at\":8,", "\"at\":7,");
    assert_ne!(text, forged);
    let start = &forged[..forged.rfind("{\"record\":\"end\"").unwrap()];
    let sha256 = crate::manifest::sha256(start.as_bytes());
    let end = format!("{{\"record\":\"end\",\"files\":1,\"edits\":1,\"sha256\":\"{sha256}\"}}\n");
    dir.file("forged", format!("{start}{end}"));
    dir.relink("verify site --manifest m.jsonl -q").exits(0);
    dir.relink("verify site --manifest forged -q").exits(1).prints(
        "site/a.html: is as the run has written it, but the edits in the manifest do not give its old content\n",
    );
}

#[test]
fn a_damaged_manifest_is_refused_by_name() {
    let dir = written();
    let text = dir.bytes("m.jsonl");
    let starts: Vec<usize> = std::iter::once(0)
        .chain(memchr::memchr_iter(b'\n', &text).map(|at| at + 1))
        .filter(|at| *at < text.len())
        .collect();
    assert!(starts.len() > 25);
    let mut damaged: Vec<Vec<u8>> = Vec::new();
    for (idx, start) in starts.iter().enumerate() {
        let end = starts.get(idx + 1).copied().unwrap_or(text.len());
        // The line is flipped, is gone, is twice there; or the file ends before, in, or at it.
        for at in [*start, (start + end) / 2, end - 1] {
            let mut flipped = text.clone();
            flipped[at] ^= 1;
            damaged.push(flipped);
        }
        damaged.push([&text[..*start], &text[end..]].concat());
        damaged.push([&text[..end], &text[*start..]].concat());
        damaged.extend([*start, (start + end) / 2, end - 1].map(|at| text[..at].to_vec()));
    }
    for bytes in damaged {
        dir.file("bad.jsonl", &bytes);
        let run = dir.relink("verify out --manifest bad.jsonl").exits(2).prints("");
        let start = &format!("bad.jsonl: {CANNOT_USE_MANIFEST}; ");
        assert!(run.stderr.starts_with(start) && run.stderr.lines().count() == 1, "{run}");
    }
    let truncated = "bad.jsonl: cannot use the manifest; it is damaged: it was truncated, its last line is missing; restore it from a copy";
    dir.file("bad.jsonl", &text[..text.len() - 1]);
    dir.relink("verify out --manifest bad.jsonl").fails(truncated);
    dir.file("bad.jsonl", &text[..starts[3]]);
    dir.relink("verify out --manifest bad.jsonl").fails(truncated);
}

#[test]
fn what_is_no_manifest_is_refused() {
    let dir = written();
    let other = &format!(
        "{CANNOT_USE_MANIFEST}; its first line is not that of a manifest of relink; use the file that `--manifest` has written"
    );
    dir.file("mine", "mine\n");
    dir.file("empty", "");
    for name in ["mine", "empty", "site"] {
        dir.relink(&format!("verify out --manifest {name}")).fails(&format!("{name}: {other}"));
    }
    dir.relink("verify out --manifest none").fails(&words::missing("none"));
    let newer = dir.text("m.jsonl").replacen("\"version\":1", "\"version\":3", 1);
    dir.file("newer", newer);
    dir.relink("verify out --manifest newer")
        .fails(&format!("newer: {CANNOT_USE_MANIFEST}; {}", words::of_other_version(3)));
    dir.file("other/x.html", "<a href=x>\n");
    dir.relink("verify other --manifest m.jsonl").fails(
        &format!("m.jsonl: {CANNOT_USE_MANIFEST}; it is of another tree: no file in other has the content that it lists; use the PATH of the run"),
    );
    dir.relink("verify none --manifest m.jsonl").fails(&words::missing("none"));
}
