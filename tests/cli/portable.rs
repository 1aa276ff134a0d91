//! `--portable-names`: what Windows cannot have is reported, and not written.

use crate::dir::TestDir;

const PAGE: &str = "<a href=x>";

#[test]
fn names_that_windows_cannot_have_are_reported_and_not_written() {
    let dir = TestDir::new();
    for name in [
        "A.html",
        "CON",
        "a.html",
        "a:b.html",
        "con.html",
        "dot./x.html",
        "end ",
        "q?x=1",
        "sub/NUL.txt",
        "sub/b.html",
        "z.html",
    ] {
        dir.file(format!("site/{name}"), PAGE);
    }
    let line = "absolutize site --base http://h/ -q -o out";
    let left_out = [
        ("CON", "its name is that of the device CON"),
        ("a.html", "its name differs from A.html in letter case only"),
        ("a:b.html", "its name contains ':'"),
        ("con.html", "its name is that of the device CON"),
        ("dot.", "its name ends with a dot or a space"),
        ("end ", "its name ends with a dot or a space"),
        ("q?x=1", "its name contains '?'"),
        ("sub/NUL.txt", "its name is that of the device NUL"),
    ];
    let report: String = (left_out.iter())
        .map(|(name, reason)| {
            format!("site/{name}: skipped for --portable-names; {reason}; rename it\n")
        })
        .collect();
    dir.relink(&format!("{line} --portable-names")).exits(2).prints("").reports(&report);
    let names: Vec<_> = dir.tree("out").keys().map(|path| path.display().to_string()).collect();
    assert_eq!(names, ["", "A.html", "sub", "sub/b.html", "z.html"]);
    // They are what is written without the option, byte for byte; and nothing is reported where all
    // names are fine.
    dir.relink(&format!("{line}2")).exits(0).reports("");
    assert_eq!(dir.tree("out2").len(), 1 + 11 + 2);
    assert_eq!(dir.text("out/sub/b.html"), dir.text("out2/sub/b.html"));
    dir.relink("absolutize out --base http://h/ -q -o out3 --portable-names").exits(0).reports("");
    dir.relink("absolutize site --base http://h/ -q --dry-run --portable-names")
        .exits(2)
        .reports(&report);
    dir.relink("absolutize site --base http://h/ -q -i --portable-names").exits(2);
}

#[test]
fn roots_that_differ_in_letter_case_are_reported() {
    let dir = TestDir::with(&[("one/Site/a.html", PAGE), ("two/site/a.html", PAGE)]);
    let line = "absolutize one/Site two/site --map one=http://h/ --map two=http://g/ -q -o out --portable-names";
    let reason = "its name differs from Site in letter case only";
    dir.relink(line).fails(&format!("two/site: skipped for --portable-names; {reason}; rename it"));
    assert!(dir.has("out/Site/a.html") && !dir.has("out/site"));
}
