//! Zip files of pages: what changes in them and what stays, in every command. Python's zipfile
//! makes and judges them (`tests/cli/zip.py`).

use std::path::Path;
use std::process::Command;

use crate::dir::TestDir;
use crate::tools;
use crate::words::{self, UNSUPPORTED};
use crate::zip_file::{stored, zip};

const NAMES: [&str; 8] =
    ["counted", "deflated", "descriptors", "descriptors64", "end64", "prefix", "stored", "zip64"];

/// A document in a zip file, and other names.
const PAGE: &str = "<p>\n<a href=\"b.html\">b</a><img src=\"/c.png\">\n";

/// Runs `tests/cli/zip.py`. Returns false if there is no Python.
#[track_caller]
fn python(dir: &TestDir, args: &[&str]) -> bool {
    if !tools::has("python3", &["--version"]) {
        return false;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/zip.py");
    let mut command = Command::new("python3");
    let run = command.arg(script).args(args).current_dir(dir.path(".")).output().unwrap();
    let report = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{args:?}: {report}");
    true
}

#[test]
fn python_finds_every_target_and_every_other_byte() {
    let dir = TestDir::new();
    if !python(&dir, &["make", "t"]) {
        return;
    }
    let base = "--base http://h/t/ --also zip";
    dir.relink("absolutize t -o out -q --base http://h/t/").exits(0);
    let same = |one: &str, other: &str| {
        NAMES.iter().all(|name| {
            dir.bytes(format!("{one}/{name}.zip")) == dir.bytes(format!("{other}/{name}.zip"))
        })
    };
    assert!(same("t", "out"), "not asked for");
    dir.relink(&format!("absolutize t -o out -q --force {base}")).exits(0);
    for name in NAMES {
        let [old, new] = ["t", "out"].map(|dir| format!("{dir}/{name}.zip"));
        python(&dir, &["judge", &old, &new, &format!("http://h/t/{name}.zip")]);
    }
    // Again, nothing changes; back, texts are as before.
    dir.relink(&format!("absolutize out -o again -q {base}")).exits(0);
    assert!(same("out", "again"));
    dir.relink(&format!("relativize out -o back -q {base}")).exits(0);
    let run = dir.relink(&format!("refs back {base}")).exits(0);
    assert!(run.text().contains("back/zip64.zip!a.html:1:10: a[href] d/b.html -> "), "{run}");
    // In place, and back.
    dir.relink("absolutize t -o old -q --base http://h/t/").exits(0);
    dir.relink(&format!("absolutize t -i -q {base}")).exits(0);
    assert!(same("t", "out"));
    dir.relink("undo t -q").exits(0);
    assert!(same("t", "old"));
}

#[test]
fn members_have_places_and_urls() {
    let dir = TestDir::new();
    let css = "a{b:url(x)}";
    dir.file(
        "t/x.zip",
        stored(&[("d/a.html", PAGE), ("é #.css", css), ("n", "<html><a href=y>")]).0,
    );
    // The name of the second is not marked as UTF-8, and that of the third says nothing.
    let run = dir.relink("refs t/x.zip --base http://h/x.zip").exits(0);
    run.prints(
        "t/x.zip!d/a.html:2:10: a[href] b.html -> http://h/x.zip/d/b.html\n\
         t/x.zip!d/a.html:2:33: img[src] /c.png -> http://h/c.png\n\
         t/x.zip!├⌐ #.css:1:9: css url() x -> http://h/x.zip/x\n\
         t/x.zip!n:1:15: a[href] y -> http://h/x.zip/y\n",
    );
    let run = dir.relink("refs t --base http://h/ --also zip --format json").exits(0);
    let first = run.text().lines().next().unwrap();
    assert!(first.contains("\"path\":\"x.zip!d/a.html\",\"unit\":null"), "{run}");
    assert!(first.contains("\"span\":[13,19]"), "{run}");
    let run = dir.relink("bases t/x.zip --base http://h/x.zip").exits(0);
    assert!(run.text().contains("t/x.zip!d/a.html"), "{run}");
    let run = dir.relink("absolutize t --base http://h/ --also zip --diff -q").exits(0);
    assert!(run.text().contains("--- a/x.zip!d/a.html\n+++ b/x.zip!d/a.html\n"), "{run}");
    let run = dir.relink("absolutize t --base http://h/ --also zip --diff=git -q").exits(2);
    assert!(run.has_line_with("t/x.zip!d/a.html: skipped; a patch for git"), "{run}");
    // Those that are not asked for are named.
    let run = dir.relink("refs t").exits(0).prints("");
    assert!(run.has_line_with("hint: 1 zip file was not read, t/x.zip; use `--also zip`"), "{run}");
    let run = dir.relink("absolutize t -n -v --base http://h/").exits(0);
    assert!(run.has_line_with(&format!("t/x.zip: {UNSUPPORTED}")), "{run}");
}

#[test]
fn check_knows_the_members() {
    let dir = TestDir::new();
    let page = "<a href=d/b.html><a href='d/b.html#x'><a href=c.html><a href=d>";
    dir.file("t/x.zip", stored(&[("a.html", page), ("d/b.html", "<a href=../a.html>")]).0);
    for path in ["t --also zip", "t/x.zip"] {
        let run = dir.relink(&format!("check {path}")).exits(1);
        let lines: Vec<&str> = run.text().lines().collect();
        assert!(
            matches!(lines[..], [missing, directory]
            if missing.contains("x.zip!a.html:1:47: a[href] c.html: there is no file ")
            && directory.contains("x.zip!a.html:1:62: a[href] d: ")),
            "{run}"
        );
    }
}

#[test]
fn a_moved_file_keeps_what_leads_to_its_members() {
    let dir = TestDir::new();
    let page = "<a href=d/b.html><a href=http://h/t/x.zip/d/b.html><a href=../e.html>";
    dir.file("t/x.zip", stored(&[("a.html", page), ("d/b.html", "")]).0);
    dir.file("t/e.html", "<a href=x.zip>");
    let line = "move t --from http://h/t/ --to http://g/u/ --base http://h/t/ --also zip -o out -q";
    dir.relink(line).exits(0);
    let run = dir.relink("refs out --base http://g/u/ --also zip").exits(0);
    let targets: Vec<&str> =
        run.text().lines().filter_map(|line| line.rsplit(' ').next()).collect();
    let expected = [
        "http://g/u/x.zip",
        "http://g/u/x.zip/d/b.html",
        "http://g/u/x.zip/d/b.html",
        "http://g/u/e.html",
    ];
    assert_eq!(targets, expected, "{run}");
}

#[test]
fn references_follow_a_file_that_is_renamed() {
    let dir = TestDir::new();
    let page = "<a href=d/b.html><a href=http://h/x.zip/d/b.html><a href=../e.html>";
    dir.file("t/x.zip", stored(&[("a.html", page), ("d/b.html", "")]).0);
    dir.file("t/e.html", "<a href=x.zip>");
    dir.directory("t/s");
    dir.relink("mv --tree t t/x.zip t/s/y.zip --base http://h/ --also zip -q").exits(0);
    let run = dir.relink("refs t --base http://h/ --also zip").exits(0);
    run.prints(
        "t/e.html:1:9: a[href] s/y.zip -> http://h/s/y.zip\n\
         t/s/y.zip!a.html:1:9: a[href] d/b.html -> http://h/s/y.zip/d/b.html\n\
         t/s/y.zip!a.html:1:26: a[href] http://h/s/y.zip/d/b.html\n\
         t/s/y.zip!a.html:1:60: a[href] ../../e.html -> http://h/e.html\n",
    );
    dir.relink("check t --also zip").exits(0);
    // A member that names nothing that is renamed moves with its file.
    dir.file("t/w.zip", stored(&[("a.html", "<a href=../e.html>")]).0);
    dir.relink("mv --tree t t/w.zip t/u/v/w.zip --also zip -q").exits(0);
    let run = dir.relink("refs t/u --base http://h/u/ --also zip").exits(0);
    run.prints("t/u/v/w.zip!a.html:1:9: a[href] ../../../e.html -> http://h/e.html\n");
}

#[test]
fn digests_of_members_are_reported() {
    let dir = TestDir::new();
    let page = "<link rel=stylesheet href=a.css integrity=sha256-TXHwDO+barPKQA9xjAi1kxvouxJt5Zm3JI8bgPaEkF0=>";
    dir.file(
        "t/x.zip",
        stored(&[("p.html", page), ("a.css", "a{b:url(x.png);c:url(http://h/y)}")]).0,
    );
    for command in ["absolutize t --base http://h/", "move t --from http://h/ --to http://i/"] {
        let run = dir.relink(&format!("{command} --also zip -o out --force")).exits(0);
        assert!(run.has_line_with("hint: browsers may block a.css; pages have digests"), "{run}");
    }
}

/// A change of one byte, by the index of its record, and its offset there.
fn changed(record: usize, at: usize, value: u8) -> Vec<u8> {
    let (mut file, places) = stored(&[("a.html", PAGE), ("b.html", "<a href=x>")]);
    file[places[record].start + at] = value;
    file
}

#[test]
fn what_contradicts_itself_is_refused_and_copied() {
    let two = [("a.html", PAGE), ("a.html", "<a href=x>")];
    let (whole, places) = stored(&[("a.html", PAGE), ("b.html", "<a href=x>")]);
    let n_record = places[2].len() / 2;
    let mut overlap = whole.clone();
    overlap[places[2].start + n_record + 42..][..4].copy_from_slice(&[0; 4]);
    let cut = whole[..whole.len() - 22].to_vec();
    let no_zip = "it cannot be read as a zip file: ";
    let differs = "the header of its member a.html differs from its directory";
    for (reason, file) in [
        (no_zip, cut),
        (no_zip, b"PK\x03\x04".to_vec()),
        (" overlaps another one", overlap),
        ("it has two members a.html", stored(&two).0),
        (
            "the name of its member d/../../a.html points out of it",
            stored(&[("d/../../a.html", "")]).0,
        ),
        ("the name of its member /a.html points out of it", stored(&[("/a.html", "")]).0),
        (differs, changed(0, 30, b'c')),
        (differs, changed(0, 8, 8)),
        (differs, changed(0, 14, 1)),
        (differs, changed(0, 18, 1)),
        ("its member a.html is encrypted", changed(2, 8, 1)),
        ("its end record does not fit its directory", [&whole[..], b"more"].concat()),
    ] {
        let dir = TestDir::with(&[("t/e.html", "<a href=x>")]);
        dir.file("t/x.zip", &file);
        let run = dir.relink("absolutize t --base http://h/ --also zip -o out -q").exits(2);
        let line = run.stderr.lines().next().unwrap_or_default();
        assert!(line.starts_with("t/x.zip: skipped; "), "{reason}: {run}");
        assert!(line.contains(reason), "{reason}: {run}");
        assert_eq!(run.stderr.lines().count(), 1, "{run}");
        assert!(dir.bytes("out/x.zip") == file, "{reason}");
        assert_eq!(dir.text("out/e.html"), "<a href=http://h/x>");
        dir.relink("refs t/x.zip").exits(2);
        dir.relink("absolutize t --base http://h/ --also zip -i -q").exits(2);
        assert!(dir.bytes("t/x.zip") == file, "{reason}");
    }
}

#[test]
fn limits_refuse_the_file_or_the_member() {
    let dir = TestDir::new();
    let file = stored(&[("a.html", PAGE), ("b.html", "<a href=x>")]).0;
    dir.file("t/x.zip", &file);
    let absolutize = "absolutize t --base http://h/ --also zip -o out -q --force";
    for (limit, reason) in [
        ("archive-members=1", "it has more than 1 members; "),
        ("archive-directory=100", "its directory is larger than 100; "),
    ] {
        let run = dir.relink(&format!("{absolutize} --limit {limit}")).exits(2);
        let raise = words::raise(limit.split('=').next().unwrap());
        assert_eq!(run.stderr, format!("t/x.zip: skipped; {reason}{raise}\n"));
        assert!(dir.bytes("out/x.zip") == file);
    }
    // The other member is read.
    let run = dir.relink(&format!("{absolutize} --limit document-size=60")).exits(2);
    assert!(run.has_line_with("t/x.zip!a.html: skipped; it is larger than 60; "), "{run}");
    dir.relink("refs out/x.zip").exits(0);
    assert!(dir.bytes("out/x.zip") != file);
    // A bomb.
    let zeros = vec![b' '; 40 << 20];
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut encoder, &zeros).unwrap();
    dir.file("b/x.zip", zip([("a.html", &zeros[..], Some(&*encoder.finish().unwrap()))]).0);
    let run = dir.relink("refs b/x.zip").exits(2);
    let raise = words::raise("compression-ratio");
    run.reports(&format!(
        "b/x.zip!a.html: skipped; it decompresses to more than 500 times its size; {raise}\n"
    ));
    // A damaged member.
    let mut damaged = file;
    damaged[40] ^= 1;
    dir.file("t/x.zip", &damaged);
    let run = dir.relink(absolutize).exits(2);
    assert!(run.has_line_with("t/x.zip!a.html: skipped; its data are damaged"), "{run}");
}

/// A run that was killed, with a zip file among those that it had written.
#[cfg(unix)]
mod broken_off {
    use super::*;
    use crate::journal::{
        MOVED, NESTED, PAGE, PIPE, begun_until, long_page, many_files, nothing_is_left,
    };

    #[test]
    fn undo_and_resume_know_the_members() {
        let line = format!("{NESTED} --also zip");
        let begun = || {
            let dir = TestDir::with(&[("site/b.html", PAGE)]);
            let members = [("a.html", PAGE), ("i.png", "png"), ("z.html", PAGE)];
            dir.file("site/a.zip", stored(&members).0);
            many_files(&dir, "site/m");
            dir.file("site/z.html", long_page(PAGE));
            drop(begun_until(&dir, &line, &["site/a.zip", "site/b.html"], PIPE));
            std::fs::remove_file(dir.path(PIPE)).unwrap();
            assert!(dir.text("site/z.html") == long_page(PAGE));
            let moved = stored(&[("a.html", MOVED), ("i.png", "png"), ("z.html", MOVED)]).0;
            assert!(dir.bytes("site/a.zip") == moved);
            (dir, stored(&members).0, moved)
        };
        let (dir, old, _) = begun();
        dir.relink("undo site -q").exits(0);
        assert!(dir.bytes("site/a.zip") == old && dir.text("site/b.html") == PAGE);
        nothing_is_left(&dir);
        let (dir, _, moved) = begun();
        dir.relink("resume site -q").exits(0);
        assert!(dir.bytes("site/a.zip") == moved);
        assert!(dir.text("site/z.html") == long_page(MOVED));
        nothing_is_left(&dir);
    }
}

#[test]
fn a_manifest_and_an_update_know_the_members() {
    let dir = TestDir::new();
    let old = stored(&[("a.html", PAGE), ("i.png", "png"), ("z.html", PAGE)]).0;
    dir.file("t/x.zip", &old);
    let line = "absolutize t --base http://h/ --also zip -o out --manifest m.jsonl";
    dir.relink(line).exits(0);
    dir.relink("verify out --manifest m.jsonl -q").exits(0).reports("");
    let new = dir.bytes("out/x.zip");
    let run = dir.relink("absolutize t --base http://h/ --also zip -o out --update").exits(0);
    assert!(run.has_line_with("1 file up to date in the output"), "{run}");
    dir.relink("absolutize t --base http://h/ --also zip -i -q --manifest i.jsonl").exits(0);
    assert!(dir.bytes("t/x.zip") == new && new != old);
    dir.relink("undo t --manifest i.jsonl -q").exits(0);
    assert!(dir.bytes("t/x.zip") == old);
}

#[test]
fn a_report_has_the_members() {
    let dir = TestDir::new();
    dir.file("t/x.zip", stored(&[("a.html", PAGE)]).0);
    dir.relink("absolutize t --base http://h/ --also zip -o out --report r.html -q").exits(0);
    assert!(dir.text("r.html").contains("x.zip!a.html"));
    let run = dir.relink("absolutize t --base http://h/ --also zip -n --format json").exits(0);
    assert!(run.text().contains("\"path\":\"x.zip!a.html\""), "{run}");
}
