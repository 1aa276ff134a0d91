//! `relink unpack`: pages that were saved as MHTML become files.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::dir::TestDir;
#[cfg(unix)]
use crate::journal::TEMPORARY;
use crate::words::{CANNOT_START, LISTS_ALL, NO_SUCH_FILE, NOT_EMPTY, REWRITTEN};

/// A page at `http://h/a/p.html` with a picture by identifier, one by a relative location, a style
/// sheet, a frame, and references out of the page.
pub(crate) const PAGE: &str = "\
From: <Saved by a test>
Subject: A page
MIME-Version: 1.0
Content-Type: multipart/related; type=\"text/html\"; boundary=B

--B
Content-Type: text/html; charset=utf-8
Content-Location: http://h/a/p.html

<link rel=stylesheet href='s/main.css?v=1'><img src=\"cid:one%40x\"><img src=../two.png>
<iframe src=frame.html#top></iframe><a href=other.html>other</a><a href=#here>here</a> \u{e9}
--B
Content-Type: image/png; name=\"Logo of us.png\"
Content-ID: <one@x>
Content-Transfer-Encoding: base64

iVBORw0KGgo=
--B
Content-Type: image/png
Content-Location: /two.png
Content-Transfer-Encoding: base64

iVBORw0KGgo=
--B
Content-Type: text/css
Content-Location: http://h/a/s/main.css?v=1

p { background: url(../../two.png) } h1 { background: url(/three.png) }
--B
Content-Type: text/html
Content-Location: frame.html
Content-Base: http://h/a/

<base href=http://h/a/x/><a href=../p.html>back</a><img src=../../two.png>
--B--
";

#[test]
fn a_saved_page_becomes_a_page_and_its_files() {
    let dir = TestDir::with(&[("My page.mhtml", PAGE)]);
    let run = dir
        .relink_with(&["unpack", "My page.mhtml", "-o", "out"].map(OsStr::new))
        .exits(0)
        .prints("");
    assert_eq!(
        run.stderr,
        format!(
            "1 message: 5 files written\n11 references: 10 {REWRITTEN}\nopen out/My page.html\n"
        )
    );
    let names: Vec<_> = dir.tree("out").into_keys().collect();
    let expected = [
        "",
        ".relink-unpacked",
        "My page.html",
        "My page_files",
        "My page_files/Logo of us.png",
        "My page_files/frame.html",
        "My page_files/main-v-1.css",
        "My page_files/two.png",
    ];
    assert!(names.iter().eq(expected.map(Path::new)), "{names:?}");
    assert_eq!(
        dir.text("out/My page.html"),
        "\u{feff}<link rel=stylesheet href='My%20page_files/main-v-1.css'>\
         <img src=\"My%20page_files/Logo%20of%20us.png\"><img src=My%20page_files/two.png>\n\
         <iframe src=My%20page_files/frame.html#top></iframe>\
         <a href=http://h/a/other.html>other</a><a href=#here>here</a> \u{e9}"
    );
    assert_eq!(
        dir.text("out/My page_files/main-v-1.css"),
        "p { background: url(two.png) } h1 { background: url(http://h/three.png) }"
    );
    assert_eq!(
        dir.text("out/My page_files/frame.html"),
        "<base href=\"\"><a href=../My%20page.html>back</a><img src=two.png>"
    );
    assert_eq!(dir.bytes("out/My page_files/two.png"), b"\x89PNG\r\n\x1a\n");
}

#[test]
fn pages_in_a_tree_lead_to_each_other() {
    let page = |url: &str, body: &str| {
        format!(
            "Snapshot-Content-Location: {url}\nContent-Type: multipart/related; boundary=B\n\n--B\nContent-Type: text/html\nContent-Location: {url}\n\n{body}\n--B\nContent-Type: image/gif\nContent-Location: http://h/i.gif\n\nGIF89a\n--B--\n"
        )
    };
    let dir = TestDir::with(&[
        ("saved/a.mht", &page("http://h/a", "<a href=b/c?d=e#f>c</a><img src=i.gif>")),
        ("saved/b/c.mht", &page("http://h/b/c?d=e", "<a href=../a>a</a><img src=../i.gif>")),
        ("saved/notes.txt", "not a message"),
    ]);
    dir.relink("unpack saved -o out -q").exits(0).prints("");
    assert_eq!(dir.text("out/a.html"), "<a href=b/c.html#f>c</a><img src=a_files/i.gif>");
    assert_eq!(dir.text("out/b/c.html"), "<a href=../a.html>a</a><img src=c_files/i.gif>");
    assert!(!dir.has("out/notes.txt"));
}

#[test]
fn parts_without_urls_keep_what_they_cannot_reach() {
    let dir = TestDir::with(&[(
        "p.mhtml",
        "Content-Type: multipart/related; boundary=B\n\n--B\nContent-Type: text/html\n\n\
         <img src=a/b.png><img src=c.png><a href=#x>x</a><a href=http://h/>h</a>\n--B\n\
         Content-Type: image/png\nContent-Location: a/b.png\n\nPNG\n--B--\n",
    )]);
    dir.relink("unpack p.mhtml -o out -q").exits(0);
    assert_eq!(
        dir.text("out/p.html"),
        "<img src=p_files/b.png><img src=c.png><a href=#x>x</a><a href=http://h/>h</a>"
    );
}

#[test]
fn shadow_trees_of_a_saved_page_are_declared() {
    let dir = TestDir::with(&[(
        "p.mhtml",
        "Snapshot-Content-Location: http://h/\nContent-Type: multipart/related; boundary=B\n\n--B\n\
         Content-Type: text/html\nContent-Location: http://h/\n\n\
         <p><template shadowmode=\"open\"><a href=x>x</a></template>\n--B--\n",
    )]);
    dir.relink("unpack p.mhtml -o out -q").exits(0);
    assert_eq!(
        dir.text("out/p.html"),
        "<p><template shadowrootmode=\"open\"><a href=http://h/x>x</a></template>"
    );
}

/// The SHA-256 of the style sheet of [`PAGE`], from `sha256sum`.
const STYLE_DIGEST: &str = "0a652c1312abf0c935b5cf482553a25eecf6bb9e082b0b0daaf5b3c48efbbede";

const MAIL: &str = "From: a@b\nTo: c@d\nSubject: hello\n\ntext\n";

#[test]
fn a_manifest_leads_back_to_the_archive() {
    let dir = TestDir::with(&[("p.mhtml", PAGE)]);
    dir.relink("unpack p.mhtml -o out --manifest m.jsonl -q").exits(0).prints("");
    let manifest = dir.text("m.jsonl");
    let head = manifest.lines().next().unwrap();
    assert!(head.contains("\"command\":\"relink unpack p.mhtml\""), "{head}");
    assert!(head.contains("\"files\":\"all\""), "{head}");
    // The decoded body of the style sheet, by another program (`sha256sum`).
    let style = manifest.lines().find(|line| line.contains("\"path\":\"p_files/main")).unwrap();
    assert!(style.contains(STYLE_DIGEST) && style.contains("\"edits\":2"), "{style}");
    let run = dir.relink("verify out --manifest m.jsonl").exits(0).prints("");
    assert_eq!(
        run.stderr,
        format!(
            "5 files as written by the run; {LISTS_ALL}\n\
         5 edits give their old contents, and no other byte differs\n"
        )
    );
    // The way back is what the archive contains.
    dir.relink("unpack p.mhtml -o raw --raw -q").exits(0);
    fs::rename(dir.path("out"), dir.path("reverted")).unwrap();
    dir.relink("undo reverted --manifest m.jsonl -q").exits(0);
    for name in ["p.html", "p_files/frame.html", "p_files/main-v-1.css", "p_files/two.png"] {
        assert_eq!(
            dir.bytes(format!("reverted/{name}")),
            dir.bytes(format!("raw/{name}")),
            "{name}"
        );
    }
    dir.relink("unpack p.mhtml -o out -q").exits(0);
    dir.file("out/p.html", "changed");
    dir.file("out/added.html", "");
    dir.relink("verify out --manifest m.jsonl").exits(1).prints(
        "out/p.html: was changed since the run\n\
         out/added.html: is not in the manifest; it was added since the run\n",
    );
    dir.relink("unpack p.mhtml -o out --manifest out/m.jsonl --force").exits(2);
    fs::remove_file(dir.path("out/added.html")).unwrap();
    let run = dir.relink("unpack p.mhtml -o out --update --delete --manifest m.jsonl").exits(0);
    assert_eq!(run.stderr.lines().next(), Some("1 message: 1 file written, 4 current"), "{run}");
    assert_eq!(dir.text("m.jsonl"), manifest);
    dir.relink("verify out --manifest m.jsonl").exits(0);
}

#[test]
fn what_is_not_in_the_archive_any_more_is_removed_on_request() {
    let dir = TestDir::with(&[("in/p.mhtml", PAGE), ("in/q.mhtml", PAGE), ("in/r.eml", MAIL)]);
    dir.relink("unpack in -o out -q").exits(0);
    let files = |name: &str| -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let content = |path: &Path| {
            dir.path(name).join(path).is_file().then(|| dir.bytes(Path::new(name).join(path)))
        };
        dir.tree(name).into_keys().map(|path| (path.clone(), content(&path))).collect()
    };
    let n_first = files("out").len();
    // A file of an earlier run where a directory is to be, and a directory of one for a file.
    fs::remove_file(dir.path("in/q.mhtml")).unwrap();
    fs::remove_file(dir.path("out/p.html")).unwrap();
    dir.file("out/p.html/x", "");
    dir.file("out/own/note.txt", "mine");
    let add = |line: &str| {
        let list = dir.text("out/.relink-unpacked");
        dir.file("out/.relink-unpacked", list + line);
    };
    dir.relink("unpack in -o out --delete").exits(2);
    dir.relink("unpack in -o out --update -q").exits(2);
    // Of the directory, no run knows the file.
    let run = dir.relink("unpack in -o out --update --delete").exits(2);
    assert!(run.stderr.starts_with("out/p.html: "), "{run}");
    assert!(dir.has("out/p.html/x") && dir.has("out/q.html"));
    add("p.html/x\n../in/r.eml\n/etc/passwd\n");
    let run = dir.relink("unpack in -o out --update --delete -v").exits(0);
    assert!(run.stderr.contains("out/q.html: removed; PATH does not contain it\n"), "{run}");
    let note = "note: 1 file in OUT that relink has not written stays\n";
    assert!(run.stderr.contains(note) && dir.has("in/r.eml"), "{run}");
    assert_eq!(dir.text("out/own/note.txt"), "mine");
    fs::remove_dir_all(dir.path("out/own")).unwrap();
    dir.relink("unpack in -o new/out -q").exits(0);
    assert!(files("out") == files("new/out"), "{run}");
    assert!(n_first > files("out").len());
    // Nothing is removed if a file fails.
    dir.file("out/kept.txt", "");
    add("kept.txt\n");
    dir.file("in/s.warc", "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: x\r\n\r\n");
    let run = dir.relink("unpack in -o out --update --delete").exits(2);
    assert!(run.stderr.contains("note: nothing was removed from OUT; the run is incomplete\n"));
    assert!(dir.has("out/kept.txt"));
    // It is known until it is removed.
    fs::remove_file(dir.path("in/s.warc")).unwrap();
    dir.relink("unpack in -o out --update --delete -q").exits(0);
    assert!(!dir.has("out/kept.txt"));
    dir.file("out/.relink-unpacked", "mine");
    let run = dir.relink("unpack in -o out --update").exits(2);
    assert!(run.stderr.starts_with("out/.relink-unpacked: it is no list"), "{run}");
    assert_eq!(dir.text("out/.relink-unpacked"), "mine");
}

/// A file is of a run only when the run has written it, and it is there.
#[test]
fn what_others_have_written_stays() {
    let mail = |name: &str| {
        format!(
            "From: a@b\nSubject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nx\n--b\nContent-Type: a/b; name={name}\n\nx\n--b--\n"
        )
    };
    let dir = TestDir::with(&[("a.eml", &mail("one")), ("b.eml", &mail("two"))]);
    let list = || dir.text("out/.relink-unpacked");
    // It was there before, and cannot be written over: the directory of another one is a file.
    dir.file("out/a/one", "mine");
    dir.file("out/b", "mine");
    dir.relink("unpack a.eml b.eml -o out --update").exits(2);
    assert_eq!(dir.text("out/a/one"), "mine");
    fs::remove_file(dir.path("out/b")).unwrap();
    dir.relink("unpack b.eml -o out --update --delete").exits(0);
    assert_eq!(dir.text("out/a/one"), "mine");
    // Written over, it is of relink.
    dir.relink("unpack a.eml b.eml -o out --update").exits(0);
    assert_eq!(dir.text("out/a/one"), "x");
    assert!(list().contains("\na/one\n"), "{}", list());
    // One that was removed is of whoever creates it again.
    fs::remove_file(dir.path("out/a/one")).unwrap();
    dir.relink("unpack b.eml -o out --update").exits(0);
    assert!(!list().contains("one"), "{}", list());
    dir.file("out/a/one", "mine");
    dir.relink("unpack b.eml -o out --update --delete").exits(0);
    assert_eq!(dir.text("out/a/one"), "mine");
    // Without a list, nothing is known.
    fs::remove_file(dir.path("out/.relink-unpacked")).unwrap();
    let run = dir.relink("unpack a.eml -o out --update --delete").exits(0);
    assert!(run.stderr.contains("; no run has listed them in .relink-unpacked"), "{run}");
    assert!(dir.has("out/b/two"), "{run}");
    // What cannot be read costs nothing, and leaves no journal.
    fs::remove_file(dir.path("out/.relink-unpacked")).unwrap();
    dir.file("out/.relink-unpacked/x", "mine");
    dir.relink("unpack a.eml -o out --update").exits(2);
    assert!(!dir.has(".out.relink-journal"));
    // A run that was killed has removed a file, and not its directory.
    fs::remove_dir_all(dir.path("out/.relink-unpacked")).unwrap();
    let gone = "relink-unpacked\t1\nold/d/x.html\nkept/x.html\n";
    dir.file("out/.relink-unpacked", gone);
    fs::create_dir_all(dir.path("out/old/d")).unwrap();
    dir.file("out/kept/mine", "mine");
    dir.relink("unpack a.eml -o out --update").exits(0);
    assert!(list().ends_with("\nkept/\nold/d/\n") && dir.has("out/old/d"), "{}", list());
    dir.relink("unpack a.eml -o out --update --delete").exits(0);
    assert!(!dir.has("out/old") && dir.has("out/kept/mine") && !list().contains("kept"));
    // An output without files has no list.
    dir.file("none/x.har", "{}");
    dir.relink("unpack none -o empty").exits(0);
    dir.relink("unpack a.eml -o empty").exits(0);
}

#[cfg(unix)]
#[test]
fn what_cannot_be_removed_is_removed_later() {
    use std::os::unix::fs::PermissionsExt;
    let dir = TestDir::with(&[("in/p.mhtml", PAGE), ("in/q.mhtml", PAGE)]);
    dir.relink("unpack in -o out -q").exits(0);
    fs::remove_file(dir.path("in/q.mhtml")).unwrap();
    // Root may write everywhere: then it is gone after the first run.
    let chmod = |mode| {
        drop(fs::set_permissions(dir.path("out/q_files"), fs::Permissions::from_mode(mode)));
    };
    chmod(0o555);
    let run = dir.relink("unpack in -o out --update --delete");
    chmod(0o755);
    if run.stderr.contains("cannot remove") {
        assert!(!run.stderr.contains("has not written"), "{run}");
        assert!(dir.has("out/q_files/frame.html"));
        dir.relink("unpack in -o out --update --delete").exits(0);
    }
    assert!(!dir.has("out/q_files"));
}

#[test]
fn an_output_is_new_or_updated() {
    let dir = TestDir::with(&[("p.mhtml", PAGE)]);
    let run = dir.relink("unpack p.mhtml -o out --dry-run").exits(0);
    assert!(run.stderr.starts_with("1 message: 5 files would be written\n"), "{run}");
    assert!(!dir.has("out"));
    dir.relink("unpack p.mhtml -o out -q").exits(0);
    let run = dir.relink("unpack p.mhtml -o out").exits(2);
    assert_eq!(run.stderr, format!("out: {NOT_EMPTY}\n"));
    dir.file("out/p.html", "cut off");
    let run = dir.relink("unpack p.mhtml -o out --update").exits(0);
    assert!(run.stderr.starts_with("1 message: 1 file written, 4 current\n"), "{run}");
    let page = dir.text("out/p.html");
    assert!(page.contains("p_files/two.png"), "{page}");
}

#[test]
fn what_is_no_message_is_reported() {
    let dir = TestDir::with(&[("p.html", "<p>"), ("d/p.html", "<p>")]);
    let run = dir.relink("unpack p.html -o out").exits(2);
    assert_eq!(
        run.stderr.lines().next(),
        Some(
            "p.html: cannot unpack; it is neither a message nor a web archive; unpack reads MHTML files, mail, mailboxes, WARC, ARC, WACZ, and a PATH that is a zip file, EPUB or OpenDocument"
        ),
        "{run}"
    );
    let run = dir.relink("unpack d -o out2").exits(0);
    assert!(run.stderr.contains("hint: no message or web archive found"), "{run}");
}

#[test]
fn a_file_that_is_absent_is_no_message() {
    let dir = TestDir::with(&[("p.mhtml", PAGE)]);
    let absent = &format!("absent: {NO_SUCH_FILE}\n");
    let failed = "1 failed; the messages above have the reasons\n";
    let run = dir.relink("unpack absent -o out").exits(2);
    assert_eq!(run.stderr, format!("{absent}0 messages: 0 files written\n{failed}"), "{run}");
    assert!(!dir.has("out"));
    let run = dir.relink("unpack absent p.mhtml -o out").exits(2);
    assert!(run.stderr.starts_with(&format!("{absent}1 message: 5 files written\n")), "{run}");
    assert!(run.stderr.ends_with(&format!("{failed}open out/p.html\n")), "{run}");
}

#[test]
fn several_pages_and_mailboxes_have_a_list() {
    let mail = "From a@b\nTo: c@d\nSubject: s\n\nhi\n";
    let dir = TestDir::with(&[("in/a/p.mhtml", PAGE), ("in/b/q.mhtml", PAGE), ("in/m.mbox", mail)]);
    let run = dir.relink("unpack in -o out").exits(0);
    assert!(run.stderr.ends_with("\nopen out/index.html\n"), "{run}");
    let list = dir.text("out/index.html");
    for (page, title) in [("a/p.html", ""), ("b/q.html", ""), ("m/index.html", ">m<")] {
        assert!(list.contains(&format!("<a href=\"{page}\"><span class=\"what\"")), "{list}");
        assert!(list.contains(title), "{list}");
    }
    dir.relink("unpack in -o out --update -q").exits(0);
    // One page needs none, nor do decoded bytes; a mailbox in OUT itself has the name.
    dir.relink("unpack in/a -o one -q").exits(0);
    dir.relink("unpack in -o raw --raw -q").exits(0);
    assert!(!dir.has("one/index.html") && !dir.has("raw/index.html"));
    dir.file("in/1.eml", "To: c@d\n\nhi\n");
    let run = dir.relink("unpack in -o mail").exits(0);
    assert!(run.stderr.ends_with("\nopen mail/contents.html\n"), "{run}");
    assert!(dir.text("mail/contents.html").contains("<a href=\"index.html\">"));
}

#[test]
fn raw_parts_keep_their_bytes() {
    let dir = TestDir::with(&[("p.mhtml", PAGE)]);
    dir.relink("unpack p.mhtml -o out --raw -q").exits(0);
    let page = dir.text("out/p.html");
    assert!(page.starts_with("<link rel=stylesheet href='s/main.css?v=1'>"), "{page}");
}

/// The journal of a run that creates OUT, as it would be on another machine.
#[cfg(unix)]
pub(crate) fn journal(out: &Path, directory: &Path, options: &str) -> String {
    let [out, directory] = [out, directory].map(|path| path.to_str().unwrap());
    [
        r#"{"record":"relink-journal","version":5,"creates":true}"#.to_owned(),
        format!(
            r#"{{"record":"kept","self":{{"kind":"file","device":"1","inode":"1","boot":""}},"roots":[{{"path":"{out}","kind":"directory","device":"1","inode":"1","boot":""}}]}}"#
        ),
        format!(
            r#"{{"record":"run","directory":"{directory}","command":"unpack","options":{options}}}"#
        ),
        String::new(),
    ]
    .join("\n")
}

/// Makes what a killed run leaves: its journal, and a temporary file.
#[cfg(unix)]
fn leave(dir: &TestDir) {
    let run = dir.relink("unpack p.mhtml -o out -q").exits(0);
    assert_eq!(run.stderr, "");
    let out = dir.path("out").canonicalize().unwrap();
    let around = out.parent().unwrap();
    let options = r#"{"output":"out","paths":["p.mhtml"],"quiet":true}"#;
    dir.file(".out.relink-journal", journal(&out, around, options));
    dir.file(format!("out/{TEMPORARY}"), "half");
    dir.file("out/.relink-ffff1234-000000", "mine");
    fs::remove_file(dir.path("out/p_files/two.png")).unwrap();
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_is_resumed() {
    let dir = TestDir::with(&[("p.mhtml", PAGE)]);
    for command in ["resume out --trust", "unpack p.mhtml -o out --update"] {
        leave(&dir);
        let run = dir.relink(command).exits(0);
        if command.starts_with("unpack") {
            assert!(run.stderr.starts_with("1 message: 1 file written, 4 current\n"), "{run}");
        }
        assert!(dir.has("out/p_files/two.png"), "{command}");
        assert!(!dir.has(".out.relink-journal"), "{command}");
        assert!(!dir.has(format!("out/{TEMPORARY}")), "{command}");
        // It is only named like one.
        assert_eq!(dir.text("out/.relink-ffff1234-000000"), "mine");
        fs::remove_dir_all(dir.path("out")).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_has_nothing_to_undo() {
    let dir = TestDir::with(&[("p.mhtml", PAGE)]);
    leave(&dir);
    let run = dir.relink("undo out").exits(2);
    assert!(
        run.stderr.contains("nothing to undo; the interrupted run only creates files"),
        "{run}"
    );
    assert!(dir.has(".out.relink-journal"));
    // Another command does not write over what is incomplete.
    let run = dir.relink("absolutize out --base http://h/ --in-place").exits(2);
    assert!(run.stderr.contains(CANNOT_START), "{run}");
    assert!(!dir.text("out/p.html").contains("http://h/My"));
}

#[cfg(unix)]
#[test]
fn two_runs_never_write_into_one_directory() {
    let dir = TestDir::with(&[("p.mhtml", PAGE)]);
    leave(&dir);
    let journal = fs::File::open(dir.path(".out.relink-journal")).unwrap();
    journal.lock().unwrap();
    let run = dir.relink("unpack p.mhtml -o out --update").exits(2);
    assert!(run.stderr.contains("another run is active here"), "{run}");
    assert!(!dir.has("out/p_files/two.png"));
}

#[test]
fn what_exceeds_a_limit_or_is_wrong_is_reported() {
    let part = "--B\nContent-Type: text/plain\n\na\n".repeat(20);
    let many = format!("To: a@b\nContent-Type: multipart/mixed; boundary=B\n\n{part}--B--\n");
    let dir = TestDir::with(&[
        ("many.eml", &many),
        ("no.eml", "To: a@b\nContent-Type: multipart/mixed\n\nbody\n"),
    ]);
    let run = dir.relink("unpack many.eml -o out --limit parts=10").exits(2);
    assert!(
        run.stderr.starts_with("many.eml:40:1: more than 10 parts (later ones are not read); use"),
        "{run}"
    );
    let run = dir.relink("unpack no.eml -o out2").exits(0);
    assert!(run.stderr.starts_with("no.eml:1:1: part 1: "), "{run}");
}
