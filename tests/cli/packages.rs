//! Packages: their references that lead out, in every command, and what stays. Python's zipfile
//! makes and judges them (`tests/cli/packages.py`).

use std::path::Path;
use std::process::Command;

use crate::dir::TestDir;
use crate::tools;
use crate::zip_file::stored;

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
            "t/base.pptx: skipped; its hyperlinks have a base that is no URL (HyperlinkBase)"
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

#[test]
fn hyperlinks_resolve_at_their_own_base() {
    let dir = TestDir::new();
    if python(&dir, &["make", "t"]).is_none() {
        return;
    }
    let run = dir.relink("refs t/based --base http://h/t/").exits(0);
    for target in ["http://g/other/b.docx#x", "http://h/t/c%20d.xlsx"] {
        assert!(run.text().contains(&format!(" -> {target}\n")), "{target}{run}");
    }
    let run = dir.relink("bases t/based --base http://h/t/").exits(0);
    assert!(run.text().contains("http://g/x/"), "{run}");
    let judge = |new: &str, one, other| {
        let file = |tree: &str| format!("{tree}/b.docx");
        let url = "http://h/t/b.docx";
        python(&dir, &["based", &file("t/based"), &file(new), url, one, other]).unwrap();
    };
    dir.relink("absolutize t/based -o out -q --base http://h/t/").exits(0);
    judge("out", "http://no/", "http://no/");
    dir.relink("relativize out -o back -q --base http://h/t/").exits(0);
    judge("back", "http://no/", "http://no/");
    for tree in ["t/based", "out"] {
        for from in ["http://g/x/", "http://g/"] {
            let new = format!("{}-{}", tree.replace('/', "-"), from.len());
            let roots = format!("--from {from} --to http://i/j/");
            dir.relink(&format!("move {tree} -o {new} -q --base http://h/t/ {roots}")).exits(0);
            judge(&new, from, "http://i/j/");
        }
    }
}

#[test]
fn old_urls_in_texts_of_office_are_listed() {
    let dir = TestDir::new();
    let types = "<Types><Default Extension='xml' ContentType='application/xml'/></Types>";
    let sheet = "<worksheet xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'>\n\
         <hyperlink display='http://old.example/t/a b'/>\n\
         <hyperlink display='\\\\old\\share\\a b.docx'/><f>HYPERLINK(\"c.xlsx\")</f>\n</worksheet>";
    let app = "<Properties>\n<HLinks>http://old.example/t/b</HLinks></Properties>";
    let members = [("[Content_Types].xml", types), ("xl/s.xml", sheet), ("docProps/app.xml", app)];
    dir.file("t/d/a.xlsx", stored(&members).0);
    let stale = "--stale http://old.example/t/ --stale file://old/share/";
    let run = dir.relink(&format!("check t --base http://h/ {stale}")).exits(0);
    for line in [
        "t/d/a.xlsx!xl/s.xml:2:21: text http://old.example/t/a: ",
        "t/d/a.xlsx!xl/s.xml:3:21: text file://old/share/a: ",
        "t/d/a.xlsx!docProps/app.xml:2:9: text http://old.example/t/b: ",
    ] {
        assert!(run.text().contains(line), "{line} {run}");
    }
    let run = dir.relink("refs t --base http://h/ --also formulas").exits(0);
    run.prints("t/d/a.xlsx!xl/s.xml:3:58: sheet f c.xlsx -> http://h/d/c.xlsx\n");
}

/// The names of the files that cannot be written, and the messages about them.
const LEFT: [&str; 4] = [
    "left/locked.epub: skipped; it is encrypted",
    "left/locked.odt: skipped; it is encrypted",
    "left/signed.epub!OEBPS/",
    "left/signed.odt!content.xml: skipped; the file is signed",
];

#[test]
fn references_out_of_packages_keep_their_targets() {
    let dir = TestDir::new();
    let n_cases = std::env::var("RELINK_CASES").unwrap_or("20".into());
    if python(&dir, &["books", "t", &n_cases]).is_none() {
        return;
    }
    let same = |old: &str, new: &str, [url, new_url]: [&str; 2], command: &str| {
        let n = python(&dir, &["same", old, new, url, new_url, command]).unwrap();
        n.parse::<usize>().unwrap()
    };
    let [old, new] = ["http://h/t/", "http://g/u/v/"];
    let run = dir.relink(&format!("absolutize t -o out -q --base {old}")).exits(2);
    for line in LEFT.iter().filter(|line| !line.contains("signed.epub")) {
        assert!(run.has_line_with(&format!("t/{line}")), "{line}: {run}");
    }
    assert!(same("t", "out", [old; 2], "absolutize") > 20);
    let n = same("out", "out", [old; 2], "absolutize");
    dir.relink(&format!("absolutize out -o again -q --base {old}")).exits(2);
    assert_eq!(same("out", "again", [old; 2], "absolutize"), n);
    dir.relink(&format!("relativize out -o back -q --base {old}")).exits(2);
    assert!(same("out", "back", [old; 2], "relativize") > 20);
    dir.relink(&format!("relativize back -o again -q --force --base {old}")).exits(2);
    assert_eq!(same("back", "again", [old; 2], "relativize"), 0);
    let run = dir.relink(&format!("move t -o moved -q --from {old} --to {new}")).exits(2);
    LEFT.iter().for_each(|line| assert!(run.has_line_with(&format!("t/{line}")), "{line}: {run}"));
    assert!(same("t", "moved", [old, new], "move") > 20);
    // In place, and back.
    let files = ["d0/0.odt", "d1/1.epub", "left/signed.odt"].map(|name| format!("t/{name}"));
    let before = files.each_ref().map(|file| dir.bytes(file));
    dir.relink(&format!("move t -i -q --from {old} --to {new}")).exits(2);
    assert_eq!(same("t", "moved", [new; 2], "move"), 0);
    dir.relink("undo t -q").exits(0);
    assert!(files.each_ref().map(|file| dir.bytes(file)) == before);
}

/// Returns a text in OpenDocument, with a document in it.
fn open_document(references: &[&str], inner: &[&str]) -> Vec<u8> {
    let part = |references: &[&str]| {
        let links = references.iter().map(|it| format!("<b x:href='{it}'/>\n"));
        let links: String = links.collect();
        format!("<a xmlns:x='http://www.w3.org/1999/xlink'>\n{links}</a>")
    };
    let entry = |name: &str| {
        format!("<m:file-entry m:full-path='{name}' m:media-type='text/xml'></m:file-entry>")
    };
    let types = ["content.xml", "Object 1/content.xml"].map(entry).concat();
    let manifest = format!("<m:manifest xmlns:m='m'>{types}</m:manifest>");
    stored(&[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        ("content.xml", &part(references)),
        ("Object 1/content.xml", &part(inner)),
        ("Pictures/1.png", "png"),
        ("META-INF/manifest.xml", &manifest),
    ])
    .0
}

/// Returns a book with two pages: the references of one, and the name of an element of the other.
fn book(references: &[&str], id: &str) -> Vec<u8> {
    let links = references.iter().map(|it| format!("<a href='{it}'/>\n"));
    let page = |body: String| {
        format!("<html xmlns='http://www.w3.org/1999/xhtml'>\n<body>{body}</body></html>")
    };
    stored(&[
        ("mimetype", "application/epub+zip"),
        (
            "META-INF/container.xml",
            "<rootfile full-path='O/p.opf' media-type='application/oebps-package+xml'/>",
        ),
        (
            "O/p.opf",
            "<package xmlns='http://www.idpf.org/2007/opf'>\
             <item href='a.xhtml' media-type='application/xhtml+xml'/>\
             <item href='b.xhtml' media-type='application/xhtml+xml'/>\
             <item href='no.css' media-type='text/css'/></package>",
        ),
        ("O/a.xhtml", &page(links.collect())),
        ("O/b.xhtml", &page(format!("<p id='{id}'/>"))),
    ])
    .0
}

#[test]
fn check_knows_the_members_of_packages() {
    let dir = TestDir::new();
    let references = ["./Object 1", "Pictures/1.png", "Pictures/2.png", "../b.epub", "../no.odt"];
    dir.file("t/a.odt", open_document(&references, &["../Pictures/1.png", "../../a.odt"]));
    let references = ["b.xhtml", "c.xhtml", "#z", "../../a.odt", "/O/b.xhtml", "http://h/a.odt"];
    let references = [&references[..], &["b.xhtml#x", "b.xhtml#y"]].concat();
    dir.file("t/b.epub", book(&references, "x"));
    let run = dir.relink("check t --fragments --base http://g/").exits(1);
    let lines: Vec<&str> = run.text().lines().collect();
    let expected = [
        "t/a.odt!content.xml:4:12: *[xlink:href] Pictures/2.png: there is no file a.odt/Pictures/2.png",
        "t/a.odt!content.xml:6:12: *[xlink:href] ../no.odt: there is no file no.odt",
        "t/b.epub!O/p.opf:1:173: opf item[href] no.css: there is no file b.epub/O/no.css",
        "t/b.epub!O/a.xhtml:3:10: a[href] c.xhtml: there is no file b.epub/O/c.xhtml",
        "t/b.epub!O/a.xhtml:4:10: a[href] #z: no element of its target has the name 'z'",
        "t/b.epub!O/a.xhtml:5:10: a[href] ../../a.odt: it points out of the package, in which `..` and `/` end",
        "t/b.epub!O/a.xhtml:6:10: a[href] /O/b.xhtml: it points out of the package, in which `..` and `/` end",
        "t/b.epub!O/a.xhtml:9:10: a[href] b.xhtml#y: no element of its target has the name 'y'",
    ];
    let starts = |line: &&str, expected: &&str| line.split(": ").eq(expected.split(": "));
    assert!(lines.iter().zip(&expected).all(|(line, it)| starts(line, it)), "{run}");
    assert_eq!(lines.len(), expected.len(), "{run}");
    let run = dir.relink("refs t/b.epub --base http://g/b.epub").exits(0);
    assert!(run.text().contains("a[href] c.xhtml -> http://g/b.epub/O/c.xhtml\n"), "{run}");
    assert!(run.text().contains("a[href] ../../a.odt\n"), "{run}");
}

#[test]
fn a_package_is_one_document() {
    let dir = TestDir::new();
    dir.file("t/a.odt", open_document(&["../c.odt"], &["../../c.odt"]));
    dir.file("t/b.epub", book(&["b.xhtml"], "x"));
    let run = dir.relink("absolutize t -n --base http://h/").exits(0);
    assert!(run.has_line_with("2 documents, 1 would be changed"), "{run}");
    let run = dir.relink("absolutize t -o out --base http://h/ --format json").exits(0);
    let summary = run.text().lines().last().unwrap();
    assert!(summary.contains("\"documents\":2,\"changed\":1,"), "{run}");
    let run = dir.relink("check t --base http://h/").exits(1);
    assert!(run.has_line_with("2 documents, 6 references: "), "{run}");
}

#[test]
fn references_follow_a_package_that_is_moved() {
    let dir = TestDir::new();
    dir.file("t/a.odt", open_document(&["../c.html", "Pictures/1.png"], &["../../c.html"]));
    dir.file("t/c.html", "<a href=a.odt><a href=a.odt/Pictures/1.png>");
    dir.directory("t/d");
    dir.relink("mv --tree t t/a.odt t/d/e.odt -q").exits(0);
    assert_eq!(dir.text("t/c.html"), "<a href=d/e.odt><a href=d/e.odt/Pictures/1.png>");
    dir.relink("refs t/d/e.odt --base http://h/d/e.odt").exits(0).prints(
        "t/d/e.odt!content.xml:2:12: *[xlink:href] ../../c.html -> http://h/c.html\n\
         t/d/e.odt!content.xml:3:12: *[xlink:href] Pictures/1.png -> http://h/d/e.odt/Pictures/1.png\n\
         t/d/e.odt!Object 1/content.xml:2:12: *[xlink:href] ../../../c.html -> http://h/c.html\n",
    );
}

#[test]
fn what_is_no_package_is_refused_and_copied() {
    const CONTAINER: &str = "META-INF/container.xml";
    let root = |path: &str| {
        format!("<rootfile full-path='{path}' media-type='application/oebps-package+xml'/>")
    };
    let (page, missing) = (("a.html", "<a href='http://h/t/x'/>"), root("p.opf"));
    let types = ("[Content_Types].xml", "<Types/>");
    for (extension, members, reason) in [
        ("odt", vec![page, types], "it has no member META-INF/manifest.xml"),
        (
            "ods",
            vec![page, ("META-INF/manifest.xml", "<a><b")],
            "its member META-INF/manifest.xml is not well-formed",
        ),
        ("epub", vec![page], "it has no member META-INF/container.xml"),
        (
            "epub",
            vec![page, (CONTAINER, "<a/>")],
            "its member META-INF/container.xml names no package document",
        ),
        ("epub", vec![page, (CONTAINER, &missing)], "it has no member p.opf"),
    ] {
        let dir = TestDir::with(&[("t/e.html", "<a href=http://h/t/x>")]);
        let name = format!("x.{extension}");
        let file = stored(&members).0;
        dir.file(format!("t/{name}"), &file);
        let run = dir.relink("move t -o out --from http://h/t/ --to http://g/ -q").exits(2);
        assert!(run.has_line_with(&format!("t/{name}: skipped; {reason}")), "{run}");
        assert!(dir.bytes(format!("out/{name}")) == file);
        assert_eq!(dir.text("out/e.html"), "<a href=http://g/x>");
    }
    let dir = TestDir::with(&[("t/x.epub", "<html>"), ("t/y.odt", ""), ("t/e.html", "<a href=x>")]);
    let run = dir.relink("refs t").exits(0);
    assert!(
        run.has_line_with("hint: 2 broken OpenDocument or EPUB packages were not read"),
        "{run}"
    );
}

#[test]
fn all_names_of_a_book_have_a_limit() {
    let dir = TestDir::new();
    let name = format!("{}/p.opf", "d".repeat(200));
    let root = format!("<rootfile full-path='{name}' media-type='application/oebps-package+xml'/>");
    let items = "<item href='a' media-type='text/css'/>".repeat(20);
    let package = format!("<package>{items}</package>");
    let members = [("META-INF/container.xml", &*root), (&*name, &*package)];
    dir.file("t/x.epub", stored(&members).0);
    dir.relink("refs t --limit document-size=5000").exits(0);
    let run = dir.relink("refs t --limit document-size=2000").exits(2);
    assert!(run.has_line_with("t/x.epub: skipped; of the names in its member ddd"), "{run}");
}
