//! `relink move` from and to shares and drives of Windows, in all spellings of their paths.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::dir::{Node, Run, TestDir};
use crate::tools;

/// The drives of the two shares.
const DRIVES: [&str; 2] = [r"S:=\\old\share", r"T:=\\new\pub"];

/// The spellings of one root, with the separator after it.
const SPELLINGS: [(&str, char); 11] = [
    (r"\\old\share", '\\'),
    (r"\\old/share", '/'),
    ("//old/share", '/'),
    ("file://old/share", '/'),
    ("file:////old/share", '/'),
    ("file://///old/share", '/'),
    (r"file:///\\old\share", '\\'),
    (r"file:\\old\share", '\\'),
    ("S:", '\\'),
    ("file:///S:", '/'),
    ("file:///S|", '/'),
];

/// Targets below the root, with `/` between their names.
const TARGETS: [&str; 4] = ["a.html", "d/b c.html", "d/b%20c.html#top", "D/\u{E9}.HTML"];

/// Returns the references to all targets in all spellings.
fn references() -> Vec<String> {
    let of = |(root, separator): (&str, char)| {
        let separator = separator.to_string();
        TARGETS.map(|target| format!("{root}{separator}{}", target.replace('/', &separator)))
    };
    SPELLINGS.into_iter().flat_map(of).collect()
}

/// Writes documents of each kind that have a base, with all references and relative ones.
fn share() -> TestDir {
    let all = [references(), ["b%20c.html", "../a.html", "./", "#top"].map(str::to_owned).into()];
    let all = all.concat();
    let joined = |line: fn(&str) -> String| all.iter().map(|text| line(text)).collect::<String>();
    let page = joined(|text| format!("<p><a href=\"{text}\">x</a>\n"));
    // A backslash in Markdown has two readings.
    let is_one = |text: &String| !text.contains('\\');
    let markdown: String =
        all.iter().filter(|text| is_one(text)).map(|text| format!("[x](<{text}>)\n\n")).collect();
    let links = joined(|text| format!("<l xlink:href=\"{text}\"/>\n"));
    let links = format!("<l xmlns:xlink=\"http://www.w3.org/1999/xlink\">{links}</l>\n");
    let mail = format!(
        "Content-Type: text/html; charset=utf-8\nContent-Base: file://old/share/d/\nContent-Transfer-Encoding: 8bit\n\n{page}"
    );
    TestDir::with(&[
        ("tree/d/page.html", &page),
        ("tree/d/b c.html", ""),
        ("tree/d/mail.eml", &mail),
        ("tree/d/page.md", &markdown),
        ("tree/d/page.xml", &links),
    ])
}

/// Moves `tree` to `out`, or where it is without `out`.
fn moved(dir: &TestDir, tree: &str, roots: [&str; 2], out: Option<&str>) -> Run {
    let mut args = vec!["move", tree, "--from", roots[0], "--to", roots[1]];
    DRIVES.iter().for_each(|drive| args.extend(["--drive", drive]));
    args.extend(["--also", "markdown"]);
    args.extend(out.map_or(vec!["--in-place"], |out| vec!["-o", out]));
    dir.relink_with(&args.into_iter().map(OsStr::new).collect::<Vec<_>>())
}

/// Returns the bytes of all files.
fn files(dir: &TestDir, tree: &str) -> BTreeMap<PathBuf, Vec<u8>> {
    let bytes = |(path, node)| match node {
        Node::File { bytes, .. } => Some((path, bytes)),
        _ => None,
    };
    dir.tree(tree).into_iter().filter_map(bytes).collect()
}

/// Compares all references of two trees with what a judge in Python finds.
fn judge(dir: &TestDir, trees: [&str; 2], roots: [&str; 2]) {
    if !tools::has("python3", &["--version"]) {
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/shares.py");
    let mut command = Command::new("python3");
    command.arg(script).args(trees.map(|tree| dir.path(tree))).args(roots);
    command.args(DRIVES.map(|drive| drive.replacen(":=", "=", 1)));
    let output = command.output().expect("python3 starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_root_moves_in_all_its_spellings_and_back() {
    let dir = share();
    let (old, new) = (r"\\old\share", r"\\new\pub");
    moved(&dir, "tree", [old, new], Some("out")).exits(0);
    judge(&dir, ["tree", "out"], [old, new]);
    let page = dir.text("out/d/page.html");
    assert!(!page.contains("old"), "{page}");
    for text in [r"\\new\pub\d\b c.html", "file://///new/pub/a.html", r"T:\D\é.HTML"] {
        assert!(page.contains(text), "{text}: {page}");
    }
    moved(&dir, "out", [new, old], Some("back")).exits(0);
    assert_eq!(files(&dir, "tree"), files(&dir, "back"));
    let (from, to) = (r"S:\d", r"T:\e\f");
    moved(&dir, "tree", [from, to], Some("inner")).exits(0);
}

#[test]
fn a_share_becomes_a_site_and_the_site_a_share() {
    let dir = share();
    let (old, site, new) = (r"\\old\share", "https://new.example/docs", r"\\new\pub");
    moved(&dir, "tree", [old, site], Some("site")).exits(0);
    judge(&dir, ["tree", "site"], [old, site]);
    moved(&dir, "site", [site, new], Some("out")).exits(0);
    judge(&dir, ["site", "out"], [site, new]);
    let page = dir.text("out/d/page.html");
    let n_urls = page.matches("\"file://new/pub/").count();
    assert_eq!(n_urls, SPELLINGS.len() * TARGETS.len(), "{page}");
    assert!(page.contains("\"file://new/pub/d/b%20c.html\""), "{page}");
}

#[test]
fn each_move_is_undone() {
    for to in [r"\\new\pub", "https://new.example/docs"] {
        let dir = share();
        let before = files(&dir, "tree");
        moved(&dir, "tree", [r"\\old\share", to], None).exits(0);
        assert_ne!(files(&dir, "tree"), before);
        let moved_once = files(&dir, "tree");
        moved(&dir, "tree", [r"\\old\share", to], None).exits(0);
        assert_eq!(files(&dir, "tree"), moved_once);
        dir.relink("undo tree -q").exits(0);
        dir.relink("undo tree -q");
        assert_eq!(files(&dir, "tree"), before);
    }
}

/// Moves one page with these lines and returns its new text.
fn page_moved(lines: &str, more: &[(&str, &str)], roots: [&str; 2]) -> (String, Run) {
    let dir = TestDir::with(&[&[("tree/d/page.html", lines)], more].concat());
    let run = moved(&dir, "tree", roots, Some("out"));
    let moved = run.exits(0);
    (dir.text("out/d/page.html"), moved)
}

#[test]
fn the_root_of_a_path_is_its_share() {
    let lines = "<a href=\"/docs/x\">\n<a href=\"/other/x\">\n<a href=\"../../x\">\n\
                 <a href=\"../../../share/docs/x\">\n<a href=\"..\\..\\..\\x\">\n<a href=\"/%2e./x\">\n\
                 <a href=\"\\\\old\\share\\..\\x\">\n<a href=\"S:\\docs\\..\\docs\\x\">\n";
    let (page, run) = page_moved(lines, &[], [r"\\old\share\docs", r"\\new\pub"]);
    let expected = "<a href=\"../x\">\n<a href=\"file://old/share/other/x\">\n<a href=\"file://old/share/x\">\n\
                    <a href=\"../../../share/docs/x\">\n<a href=\"..\\..\\..\\x\">\n<a href=\"/%2e./x\">\n\
                    <a href=\"\\\\old\\share\\..\\x\">\n<a href=\"T:\\x\">\n";
    assert_eq!(page, expected);
    assert!(run.stderr.contains("4 above the share of their document"), "{run}");
    // As a whole, the share is the root of the same paths.
    let (page, _) = page_moved("<a href=\"/docs/x\">\n", &[], [r"\\old\share", r"\\new\pub"]);
    assert_eq!(page, "<a href=\"/docs/x\">\n");
    let (page, _) = page_moved("<a href=\"/docs/x\">\n", &[], [r"\\old\share", "https://n/"]);
    assert_eq!(page, "<a href=\"/docs/x\">\n");
    let (page, _) = page_moved("<a href=\"/docs/x\">\n", &[], ["https://n/", r"\\new\pub"]);
    assert_eq!(page, "<a href=\"/docs/x\">\n");
}

#[test]
fn the_names_of_the_tree_decide_what_a_number_sign_is() {
    let lines = "<a href=\"\\\\old\\share\\C# x\\a b.html\">\n<a href=\"S:\\d\\page.html#a\">\n\
                 <a href=\"\\\\old\\share\\D#\\a.html\">\n<a href=\"file://old/share/C#x\">\n";
    let tree = [("tree/C# x/a b.html", "")];
    let (page, run) = page_moved(lines, &tree, [r"\\old\share", "https://n/"]);
    let expected = "<a href=\"https://n/C%23%20x/a%20b.html\">\n<a href=\"https://n/d/page.html#a\">\n\
                    <a href=\"\\\\old\\share\\D#\\a.html\">\n<a href=\"https://n/C#x\">\n";
    assert_eq!(page, expected);
    assert!(run.stderr.contains("1 with a # that may be part of a name"), "{run}");
    // Where both readings move alike, nothing has to be decided.
    let (page, _) = page_moved(lines, &tree, [r"\\old\share", r"\\new\pub"]);
    let moved = lines.replace(r"\\old\share", r"\\new\pub").replace("S:", "T:");
    assert_eq!(page, moved.replace("//old/share", "//new/pub"));
    // `D#` is not `D`.
    let (page, run) = page_moved(lines, &tree, [r"\\old\share\D", r"\\new\pub"]);
    assert!(page.contains(r"\\old\share\D#\a.html"), "{page}");
    assert!(run.stderr.contains("1 with a # that may be part of a name"), "{run}");
}

#[test]
fn names_become_paths_of_urls() {
    let lines = "<a href=\"\\\\OLD\\Share\\100%\\[a] {b}^.txt\">\n<a href=\"file:///s|/a%23b%25%20c\u{E9}\">\n";
    let (page, _) = page_moved(lines, &[], [r"\\old\share", "https://n/"]);
    let expected = "<a href=\"https://n/100%25/%5Ba%5D%20%7Bb%7D%5E.txt\">\n<a href=\"https://n/a%23b%25%20c%C3%A9\">\n";
    assert_eq!(page, expected);
}

#[test]
fn names_that_sharepoint_refuses_are_reported() {
    let tree = [("tree/_vti_bin/a", ""), ("tree/d/b .txt", ""), ("tree/d/ c.txt", "")];
    let hint = "hint: SharePoint refuses the names of 2 files, such as ";
    let (_, run) = page_moved("", &tree, [r"\\old\share", "https://n.sharepoint.com/x/"]);
    assert!(run.stderr.contains(hint), "{run}");
    let (_, run) = page_moved("", &tree, [r"\\old\share", r"\\new\pub"]);
    assert!(!run.stderr.contains("SharePoint"), "{run}");
}

#[test]
fn paths_in_mail_need_no_base() {
    let mail = "Content-Type: text/html\n\n<a href=\"\\\\old\\share\\x\"> <a href=\"S:\\x\"> \
                <a href=\"//old/share/x\"> <a href=\"x\">\n";
    let dir = TestDir::with(&[("tree/a.eml", mail)]);
    moved(&dir, "tree", [r"\\old\share", r"\\new\pub"], Some("out")).exits(0);
    let expected =
        "<a href=\"\\\\new\\pub\\x\"> <a href=\"T:\\x\"> <a href=\"//new/pub/x\"> <a href=\"x\">";
    assert!(dir.text("out/a.eml").contains(expected), "{}", dir.text("out/a.eml"));
}

#[test]
fn what_browsers_read_as_the_url_of_a_server_is_reported() {
    let dir = TestDir::with(&[("tree/a.html", "<a href=\"\\\\old\\share\\x\">\n")]);
    let line = r"move tree --base https://n/ --from \\old\share --to \\new\pub -o out";
    let run = dir.relink(line).exits(0);
    assert!(
        run.has_line_with("hint: references point to 1 URL below https://old/share/, "),
        "{run}"
    );
    assert_eq!(dir.text("out/a.html"), dir.text("tree/a.html"));
    dir.relink(&format!("{line}2 --same-as https://old/share/")).exits(0);
    assert_eq!(dir.text("out2/a.html"), "<a href=\"file://new/pub/x\">\n");
}

#[test]
fn what_is_no_share_is_refused() {
    for drive in
        ["S", "S=", r"S:=\\old", "SS:=\\\\old\\share", "S:=https://old/", r"1:=\\old\share"]
    {
        let dir = TestDir::with(&[("tree/a.html", "")]);
        let line = format!(r"move tree --from \\old\share --to \\new\pub --drive {drive} -o out");
        dir.relink(&line).fails(&format!(
            "error: invalid value '{drive}' for --drive; it is not the letter of a drive and a share; use a value such as S:=\\\\server\\share"
        ));
    }
    let dir = TestDir::with(&[("tree/a.html", "")]);
    dir.relink(r"move tree --from \\old --to \\new\pub -o out").fails(
        r"error: invalid value '\\old' for --from; a share needs the names of a host and a share",
    );
}

#[test]
fn check_finds_the_files_of_a_share() {
    let page = "<a href=\"\\\\NEW\\Pub\\a.html\"><a href=\"file:////new/pub/a.html\">\n\
                <a href=\"\\\\new\\pub\\no.html\"><a href=\"//other/pub/a.html\">\n";
    let dir = TestDir::with(&[("tree/a.html", page)]);
    let run = dir.relink("check tree --base file://new/pub/ --format json").exits(1);
    assert_eq!(run.text().matches("\"no-file\"").count(), 1, "{run}");
    assert_eq!(run.text().matches("\"no-scheme\"").count(), 1, "{run}");
}

#[test]
fn bases_and_renamed_files_keep_their_spelling() {
    let page = "<base href=\"\\\\old\\share\\d\\\"><a href=\"S:\\d\\b.html\"><a href=\"file:////OLD/share/d/b.html#x\">\n";
    let dir = TestDir::with(&[("tree/d/a.html", page), ("tree/d/b.html", "")]);
    dir.file("list.tsv", "d/b.html\td/new name.html\n");
    let roots = r"--from \\old\share --to \\new\pub --drive S:=\\old\share";
    dir.relink(&format!("move tree {roots} --renames list.tsv -o out")).exits(0);
    let expected = "<base href=\"\\\\new\\pub\\d\\\"><a href=\"\\\\new\\pub\\d\\new name.html\">\
                    <a href=\"file:////new/pub/d/new%20name.html#x\">\n";
    assert_eq!(dir.text("out/d/a.html"), expected);
}

#[test]
fn drives_that_may_be_names_of_a_share_are_reported() {
    let lines =
        "<a href=\"U:\\x\"><a href=\"U:\\x#y\"><a href=\"file:///u|/z\"><a href=\"S:\\x\">\n";
    let (page, run) = page_moved(lines, &[], [r"\\old\share", r"\\new\pub"]);
    assert_eq!(page, lines.replace("S:", "T:"));
    let hint = "hint: references point to 2 places on the drive U:; use `--drive U:=SHARE` if it is a name of a share";
    assert!(run.has_line(hint), "{run}");
    assert!(!run.stderr.contains("drive S:") && !run.stderr.contains("drive T:"), "{run}");
}
