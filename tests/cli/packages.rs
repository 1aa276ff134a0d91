//! Packages of Office: their external references, in every command, and what stays. Python's zipfile
//! makes and judges them (`tests/cli/packages.py`).

use std::path::Path;
use std::process::Command;

use crate::dir::TestDir;
use crate::tools;

/// Runs `tests/cli/packages.py`, and returns what it prints; `None` if there is no Python.
#[track_caller]
fn python(dir: &TestDir, args: &[&str]) -> Option<String> {
    if !tools::has("python3", &["--version"]) {
        return None;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/packages.py");
    let mut command = Command::new("python3");
    let run = command.arg(script).args(args).current_dir(dir.path(".")).output().unwrap();
    let report = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{args:?}: {report}");
    Some(String::from_utf8(run.stdout).unwrap().trim().to_owned())
}

const A: &str = "d/a.docx";

#[test]
fn a_share_moves_in_office_files() {
    let dir = TestDir::new();
    if python(&dir, &["make", "t"]).is_none() {
        return;
    }
    let there = r"--from \\old\share --to \\new\pub";
    let run = dir.relink(&format!("move t -o out {there}")).exits(2);
    let signed = "t/signed.XLSX!word/_rels/document.dat.rels: skipped; the file is signed";
    assert!(run.has_line_with(signed), "{run}");
    assert!(
        run.has_line_with(
            "t/base.pptx: skipped; its hyperlinks have a base of their own (HyperlinkBase)"
        ),
        "{run}"
    );
    assert!(
        run.has_line_with("t/untyped.docm: skipped; it has no member [Content_Types].xml"),
        "{run}"
    );
    assert!(run.has_line_with("hint: 1 Office file was not read"), "{run}");
    let n = python(&dir, &["judge", "t/d/a.docx", "out/d/a.docx", r"\\old\share", r"\\new\pub"]);
    assert_eq!(n.unwrap(), "3");
    for left in ["signed.XLSX", "base.pptx", "untyped.docm", "locked.docx"] {
        assert_eq!(dir.bytes(format!("t/{left}")), dir.bytes(format!("out/{left}")), "{left}");
    }
    // Again, nothing changes; back, texts are as before.
    dir.relink(&format!("move out/d -o again {there}")).exits(0);
    assert_eq!(dir.bytes("again/a.docx"), dir.bytes(format!("out/{A}")));
    dir.relink(r"move out/d -o back --from \\new\pub --to \\old\share").exits(0);
    let n = python(&dir, &["judge", "t/d/a.docx", "back/a.docx", r"\\new\pub", r"\\old\share"]);
    assert_eq!(n.unwrap(), "0");
    // In place, and back.
    let old = dir.bytes(format!("t/{A}"));
    dir.relink(&format!("move t/d -i -q {there}")).exits(0);
    assert_eq!(dir.bytes(format!("t/{A}")), dir.bytes(format!("out/{A}")));
    dir.relink("undo t/d -q").exits(0);
    assert_eq!(dir.bytes(format!("t/{A}")), old);
}

#[test]
fn references_of_office_resolve_at_the_url_of_the_file() {
    let dir = TestDir::new();
    if python(&dir, &["make", "t"]).is_none() {
        return;
    }
    let run = dir.relink("refs t/d --base http://h/t/d/").exits(0);
    let rels = "t/d/a.docx!word/_rels/document.dat.rels:3:";
    assert!(run.text().contains(rels), "{run}");
    for target in ["http://h/t/other/b.docx#x", "http://h/t/d/c%20d.xlsx"] {
        assert!(run.text().contains(&format!(" -> {target}\n")), "{target}{run}");
    }
    assert_eq!(run.text().matches("media/i.svg").count(), 0, "{run}");
    let run = dir.relink("bases t/d --base http://h/t/d/").exits(0);
    assert!(run.text().contains("http://h/t/d/a.docx"), "{run}");
    let run = dir.relink("check t/d --base http://h/t/d/").exits(1);
    assert!(run.stderr.contains("1 no-file"), "{run}");
    dir.relink("absolutize t/d -o out --base http://h/t/d/ -q").exits(0);
    let url = "http://h/t/d/a.docx";
    let n = python(&dir, &["judge", "t/d/a.docx", "out/a.docx", "absolute", url]);
    assert_eq!(n.unwrap(), "2");
    dir.relink("relativize out -o back --base http://h/t/d/ -q").exits(0);
    let run = dir.relink("refs back --base http://h/t/d/").exits(0);
    assert!(run.text().contains(" c%20d.xlsx -> http://h/t/d/c%20d.xlsx\n"), "{run}");
    dir.relink("absolutize back -o again --base http://h/t/d/ -q").exits(0);
    let n = python(&dir, &["judge", "t/d/a.docx", "again/a.docx", "absolute", url]);
    assert_eq!(n.unwrap(), "2");
    // The file moves: what it points to stays.
    dir.relink("mv --tree t/d t/d/a.docx t/d/e/a.docx -q").exits(0);
    let run = dir.relink("refs t/d --base http://h/t/d/").exits(0);
    assert!(run.text().contains(" ../c%20d.xlsx -> http://h/t/d/c%20d.xlsx\n"), "{run}");
}
