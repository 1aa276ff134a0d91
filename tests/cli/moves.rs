//! `relink move`: roots, what is reported about them, and what is wrong with them; moves that a
//! second run would do again.

use std::fs;

use crate::dir::TestDir;
use crate::words::{
    self, CANNOT_READ, CANNOT_START, ELSEWHERE, INVALID_VALUE, MOVED_ALREADY, NO_SCHEME,
    NOT_ABSOLUTE,
};

const PAGE: &str = "<a href=http://old/x><a href=/y><a href=z><a href=http://out/>\n";

fn site() -> TestDir {
    TestDir::with(&[("site/d/a.html", PAGE), ("site/b.css", "a{b:url(http://old/c)}\n")])
}

#[test]
fn a_tree_moves() {
    let dir = site();
    let run = dir.relink("move site --from http://old/ --to https://new/docs/ -o out").exits(0);
    let lines = [
        words::read_as_tree("site", "http://old/"),
        words::changed(2, 2),
        words::sum(&[(3, words::REWRITTEN), (1, words::CORRECT), (1, words::OUT_OF_TREE)]),
    ];
    assert!(run.stderr.starts_with(&(lines.join("\n") + "\n")), "{run}");
    assert_eq!(
        dir.text("out/d/a.html"),
        "<a href=https://new/docs/x><a href=../y><a href=z><a href=http://out/>\n"
    );
    assert_eq!(dir.text("out/b.css"), "a{b:url(https://new/docs/c)}\n");
    assert_eq!(dir.text("site/d/a.html"), PAGE);
}

#[test]
fn it_is_in_place_and_a_second_run_changes_nothing() {
    let dir = site();
    let run = "move site --from http://old/ --to ftp://new/ --in-place -q";
    dir.relink(run).exits(0).reports("");
    assert_eq!(
        dir.text("site/d/a.html"),
        "<a href=ftp://new/x><a href=/y><a href=z><a href=http://out/>\n"
    );
    let tree = dir.tree("site");
    dir.relink(run).exits(0).reports("");
    assert_eq!(dir.tree("site"), tree);
    assert!(!dir.path(".site.relink-moves").exists());
}

#[test]
fn what_is_assumed_of_roots_is_reported() {
    for (roots, report) in [
        (
            "--from http://old --to http://new/a",
            "note: --from http://old is read as the directory http://old/\n\
             note: --to http://new/a is read as the directory http://new/a/\n\
             note: site is read as the tree at http://old/ (--from); use `--base URL` if it is elsewhere\n",
        ),
        (
            "--from http://old/d/index.html --to http://new/",
            "note: --from http://old/d/index.html is read as the directory http://old/d/\n",
        ),
        (
            "--from http://old/d/home.htm --index home.htm --to http://new/",
            "note: --from http://old/d/home.htm is read as the directory http://old/d/\n",
        ),
        (
            "--from http://old/ --to ftp://me:secret@new/",
            "warning: the password in --to ftp://me:secret@new/ will be written into the documents; absolute references contain the new URL; use a URL without a password to avoid it\n",
        ),
        (
            "--from http://old/ --same-as https://old --to http://new/",
            "note: --same-as https://old is read as the directory https://old/\n",
        ),
    ] {
        let dir = site();
        let run = dir.relink(&format!("move site {roots} -o out")).exits(0);
        assert!(run.stderr.starts_with(report), "{run}");
    }
}

#[test]
fn wrong_roots_are_reported_before_any_file_is_touched() {
    for (roots, report) in [
        (
            "",
            "error: no move is set; the old and the new URL are unknown; use `--from URL` and `--to URL` to set them",
        ),
        (
            "--from http://old/",
            "error: --from http://old/ has no --to; each --from needs one --to, in the same order; use `--to URL` to set the new URL",
        ),
        (
            "--to http://new/",
            "error: --to http://new/ has no --from; each --from needs one --to, in the same order; use `--from URL` to set the old URL",
        ),
        (
            "--from mailto:me@old --to http://new/",
            format!("error: {INVALID_VALUE} 'mailto:me@old' for --from; URLs of the scheme mailto have no directories").as_str(),
        ),
        (
            "--from http://old/ --to javascript:/x",
            format!("error: {INVALID_VALUE} 'javascript:/x' for --to; URLs of the scheme javascript have no directories").as_str(),
        ),
        (
            "--from http://old/ --to news:comp.infosystems",
            format!("error: {INVALID_VALUE} 'news:comp.infosystems' for --to; URLs of the scheme news have no directories").as_str(),
        ),
        (
            "--from http://old/ --to x-mine:y",
            format!("error: {INVALID_VALUE} 'x-mine:y' for --to; URLs of this scheme have no directories").as_str(),
        ),
        (
            "--from http://old/ --to /srv/www",
            "error: invalid value '/srv/www' for --to; not an absolute URL: it has no scheme; did you mean file:///srv/www?",
        ),
        (
            "--from old.example/a --to http://new/",
            format!("error: {INVALID_VALUE} 'old.example/a' for --from; {NOT_ABSOLUTE}: {NO_SCHEME}; did you mean http://old.example/a?").as_str(),
        ),
        (
            "--from C:\\old --to http://new/",
            format!("error: {INVALID_VALUE} 'C:\\old' for --from; it is a path; did you mean file:///C:/old?").as_str(),
        ),
        (
            "--from http://old/?q --to http://new/",
            format!("error: {INVALID_VALUE} 'http://old/?q' for --from; the URL of a directory cannot have a query").as_str(),
        ),
        (
            "--from http://old/ --to http://old",
            "error: --from and --to are both http://old/; nothing would move; use two URLs",
        ),
        (
            "--from http://old/ --to http://a/ --from http://OLD:80 --to http://b/",
            "error: --from http://OLD:80/ cannot move to http://b/; http://OLD:80/ already moves to http://a/; remove one",
        ),
        (
            "--from http://old/ --to http://a/ --from http://x/ --same-as http://x --to http://b/",
            "error: --from http://x/ cannot move to http://b/; http://x/ already moves to http://a/; remove one",
        ),
        (
            "--unwrap wayback --same-as http://x/",
            "error: cannot use --same-as without --from; it declares an alias of the URL at --from; use `--from URL` to set that URL",
        ),
        (
            "--from http://old/ --to http://new/ --again -o out",
            "error: cannot use --again without --in-place; other runs do not record moves; add --in-place or remove --again",
        ),
        (
            "--from http://old/ --to http://new/ --style shortest",
            "expected one of keep, absolute, relative",
        ),
    ] {
        let dir = site();
        let tree = dir.tree("site");
        let target = if roots.contains("-o out") { "" } else { "--in-place" };
        let run = dir.relink(&format!("move site {roots} {target}")).exits(2);
        assert!(run.stderr.contains(report), "{run}");
        assert_eq!(dir.tree("site"), tree);
    }
}

#[test]
fn what_may_have_been_meant_is_reported() {
    let dir = TestDir::with(&[("site/a.html", "<a href=https://other/x>\n")]);
    let run = dir.relink("move site --from http://old/ --to http://new/ -o out").exits(0);
    assert!(run.has_line("hint: no reference was rewritten; those outside of --from stay; use `--same-as URL` for other URLs of the tree, such as those with https or www"), "{run}");
    let run = dir.relink("move http://old/ --from http://old/ --to http://new/ -o o").exits(2);
    let report = "http://old/: cannot read a URL; relink reads files and fetches nothing; download it first\n";
    assert_eq!(run.stderr, report);
}

#[test]
fn single_files_and_standard_input_have_a_place() {
    let dir = site();
    let run = dir.relink("move site/d/a.html --from http://old/d/ --to http://new/ -o -").exits(0);
    assert!(
        run.has_line(&format!("note: site/d/a.html is read as the document at http://old/d/a.html (--from); {ELSEWHERE}")),
        "{run}"
    );
    run.prints("<a href=http://old/x><a href=http://old/y><a href=z><a href=http://out/>\n");
    dir.relink("move site/d/a.html --base http://me/ --from http://old/ --to http://new/ -o - -q")
        .exits(0)
        .prints("<a href=http://new/x><a href=/y><a href=z><a href=http://out/>\n");
    dir.pipe("move - --from http://old/ --to http://new/a/ -q", PAGE.as_bytes())
        .exits(0)
        .prints("<a href=http://new/a/x><a href=y><a href=z><a href=http://out/>\n");
}

#[test]
fn what_was_noted_of_a_page_is_better_than_a_guess() {
    let page = |at: &str, x: &str| {
        format!("<!-- saved from url=({:04}){at} -->\n<a href={x}><a href=y>\n", at.len())
    };
    let (old, other) = ("http://old/d/e.html", "http://other/d/e.html");
    let dir = TestDir::with(&[
        ("site/in.html", &page(old, "http://old/x")),
        ("site/out.html", &page(other, "/x")),
        ("site/index.html", "<a href=/x>\n"),
    ]);
    let run = dir.relink("move site --from http://old/ --to http://new/a/ --style relative -o out");
    let run = run.exits(0);
    assert!(
        run.stderr.contains("the URLs of 2 documents come from provenance metadata: 2 "),
        "{run}"
    );
    assert_eq!(dir.text("out/in.html"), page(old, "../x"));
    // What was elsewhere stays there.
    assert_eq!(
        dir.text("out/out.html"),
        page(other, "http://other/x").replace("href=y", "href=http://other/d/y")
    );
    assert_eq!(dir.text("out/index.html"), "<a href=x>\n");
    dir.relink("move site/in.html --from http://old/ --to http://new/a/ --style relative --no-hints -o - -q")
        .exits(0)
        .prints(page(old, "x"));
    dir.relink("move site/in.html --base http://old/ --from http://old/ --to http://new/a/ --style relative -o - -q")
        .exits(0)
        .prints(page(old, "x"));
}

#[test]
fn the_place_of_mail_gives_no_base() {
    let mail = "Content-Type: text/html\n\n<a href=http://old/x><a href=/y>\n";
    let dir = TestDir::with(&[("m.eml", mail)]);
    let run = dir.relink("move m.eml --from http://old/ --to http://new/a/ -o -").exits(0);
    assert!(!run.stderr.contains("is read as"), "{run}");
    run.prints(mail.replace("old", "new/a"));
}

#[test]
fn several_paths_have_their_places_from_maps() {
    let dir =
        TestDir::with(&[("a/p.html", "<a href=http://b/p.html>"), ("b/p.html", "<a href=/q>")]);
    let maps = "--map a=http://a/ --map b=http://b/";
    let moves = "--from http://a/ --to http://n/a/ --from http://b/ --to http://n/b/";
    dir.relink(&format!("move a b {maps} {moves} --style relative -o out -q")).exits(0).reports("");
    assert_eq!(dir.text("out/a/p.html"), "<a href=../b/p.html>");
    assert_eq!(dir.text("out/b/p.html"), "<a href=q>");
}

const NESTED: &str = "move site --from http://old/ --to http://old/archive/ --in-place";

/// The message for a PATH whose move is in the record of `site`.
fn moved_already(dir: &TestDir, path: &str) -> String {
    let log = dir.real(".site.relink-moves");
    format!("{log}: {CANNOT_START}; {path} {MOVED_ALREADY}")
}

#[test]
fn what_would_move_twice_is_noted() {
    let dir = site();
    let moved = "<a href=http://old/archive/x><a href=y><a href=z><a href=http://out/>\n";
    let moved = moved.replace("href=y", "href=../y");
    let run = dir.relink(NESTED).exits(0);
    let log = dir.real(".site.relink-moves");
    let recorded = format!(
        "note: the move is recorded in {log}; use `--again` to move the documents once more"
    );
    assert!(run.has_line(&recorded), "{run}");
    assert_eq!(dir.text("site/d/a.html"), moved);
    let tree = dir.tree("site");
    let run = dir.relink(NESTED).exits(2);
    assert!(run.has_line(&moved_already(&dir, "site")), "{run}");
    assert_eq!(dir.tree("site"), tree);
    // The copy that -o makes is another tree.
    dir.relink("move site --from http://old/ --to http://old/archive/ -o out -q").exits(0);
    assert_eq!(dir.tree("site"), tree);
    dir.relink(&format!("{NESTED} --again -q")).exits(0);
    assert_eq!(dir.text("site/d/a.html"), moved.replace("archive/x", "archive/archive/x"));
    // What is in it, and what is around it, is looked at too.
    let tree = dir.tree("site");
    let run = dir.relink(&NESTED.replace("site", "site/d/a.html")).exits(2);
    assert!(run.has_line(&moved_already(&dir, "site/d/a.html")), "{run}");
    dir.relink(&format!("{NESTED} --dry-run")).exits(2);
    assert_eq!(dir.tree("site"), tree);
    // Back again is another move.
    dir.relink("move site --from http://old/archive/ --to http://old/ --in-place -q").exits(0);
}

#[test]
fn a_page_that_was_moved_alone_does_not_move_with_its_tree() {
    let dir = TestDir::with(&[("site/a.html", PAGE), ("site/b.html", PAGE)]);
    dir.relink(&NESTED.replace("site", "site/a.html")).exits(0);
    let moved = dir.text("site/a.html");
    assert!(dir.has("site/.a.html.relink-moves"));
    let run = dir.relink(NESTED).exits(0);
    assert!(run.has_line("note: 1 document skipped; already moved by an earlier run"), "{run}");
    assert_eq!([dir.text("site/a.html"), dir.text("site/b.html")], [&*moved, &*moved]);
    // The notes are not part of the tree.
    dir.relink("absolutize site --base http://old/ -o out -q").exits(0);
    assert!(!dir.has("out/.a.html.relink-moves"));
}

#[test]
fn where_nothing_moves_nothing_is_noted() {
    let dir = TestDir::with(&[("site/a.html", "<a href=http://out/>\n")]);
    dir.relink(&format!("{NESTED} -q")).exits(0).reports("");
    assert!(!dir.has(".site.relink-moves"));
}

#[test]
fn a_move_that_was_broken_off_goes_on() {
    let dir = TestDir::new();
    for name in ["a", "b", "c"] {
        dir.file(format!("site/{name}.html"), "<a href=http://old/x>\n");
    }
    let moved = "<a href=http://old/archive/x>\n";
    dir.relink(&format!("{NESTED} -q")).exits(0);
    // As it would be if the run had ended before the last file was renamed: that is noted, and is
    // as it was.
    let notes = dir.text(".site.relink-moves");
    let unfinished: String = notes.lines().take(4).map(|line| format!("{line}\n")).collect();
    assert!(notes.ends_with("\"done\"}\n") && unfinished.contains("c.html"), "{notes}");
    for broken in ["", "{\"record\":\"moved\",\"path\":\"c.html\",\"sha256\":\"12"] {
        dir.file(".site.relink-moves", format!("{unfinished}{broken}"));
        dir.file("site/c.html", "<a href=http://old/x>\n");
        let run = dir.relink(NESTED).exits(0);
        let line = "note: 2 documents skipped; already moved by an earlier run";
        assert!(run.has_line(line), "{run}");
        for name in ["a", "b", "c"] {
            assert_eq!(dir.text(format!("site/{name}.html")), moved, "{name}");
        }
    }
    // Another move has to wait for the end of this one.
    dir.file(".site.relink-moves", &unfinished);
    let tree = dir.tree("site");
    for run in [
        "move site --from http://old/archive/ --to http://old/ --in-place".to_owned(),
        format!("{NESTED} --again"),
    ] {
        let run = dir.relink(&run).exits(2);
        let report = &format!(
            "{CANNOT_START}; another move of site was interrupted; finish it first with --from http://old/ --to http://old/archive/"
        );
        let line = format!("{}: {report}", dir.real(".site.relink-moves"));
        assert!(run.has_line(&line), "{run}");
    }
    assert_eq!(dir.tree("site"), tree);
    // What cannot be done keeps the notes open.
    dir.file("site/d.html", "<a href=http://old/x>\n");
    let path = dir.path("site/d.html");
    let mut rights = fs::metadata(&path).unwrap().permissions();
    rights.set_readonly(true);
    fs::set_permissions(&path, rights).unwrap();
    dir.relink(NESTED).exits(2);
    assert!(!dir.text(".site.relink-moves").ends_with("\"done\"}\n"));
}

#[test]
fn of_several_paths_those_that_have_moved_stay() {
    let dir = TestDir::with(&[("a/p.html", PAGE), ("b/p.html", PAGE)]);
    let run = |paths: &str, maps: &str| {
        format!("move {paths} {maps} --from http://old/ --to http://old/archive/ --in-place")
    };
    dir.relink(&run("a", "--map a=http://old/a/")).exits(0);
    let moved = dir.text("a/p.html");
    let both = run("a b", "--map a=http://old/a/ --map b=http://old/b/");
    dir.relink(&both).exits(0);
    assert_eq!([dir.text("a/p.html"), dir.text("b/p.html")], [&*moved, &*moved]);
    dir.relink(&both).exits(2);
}

/// A page that could not be written keeps the base beside it.
#[test]
fn headings_stay_where_their_page_stays() {
    let headings = "Content-Base: http://old/d/e/\n";
    let dir = TestDir::with(&[
        ("site/a.html", "<a href=/x>\n"),
        ("site/a.html.headers", headings),
        ("site/b.html", "<a href=/x>\n"),
        ("site/b.html.headers", headings),
    ]);
    let path = dir.path("site/a.html");
    let mut rights = fs::metadata(&path).unwrap().permissions();
    rights.set_readonly(true);
    fs::set_permissions(&path, rights.clone()).unwrap();
    let run = "move site --from http://old/ --to http://new/docs/ --in-place -q";
    dir.relink(run).exits(2);
    assert_eq!(dir.text("site/a.html.headers"), headings);
    #[allow(clippy::permissions_set_readonly_false, reason = "it is a file of this test")]
    rights.set_readonly(false);
    fs::set_permissions(&path, rights).unwrap();
    dir.relink(run).exits(0);
    for page in ["a", "b"] {
        assert_eq!(dir.text(format!("site/{page}.html")), "<a href=../../x>\n", "{page}");
        let headings = "Content-Base: http://new/docs/d/e/\n";
        assert_eq!(dir.text(format!("site/{page}.html.headers")), headings, "{page}");
    }
}

#[test]
fn notes_that_report_nothing_end_the_run() {
    let dir = site();
    dir.file(".site.relink-moves", "mine\n");
    let tree = dir.tree("site");
    let run = dir.relink(NESTED).exits(2);
    assert!(
        run.stderr.ends_with(&format!("/.site.relink-moves: {CANNOT_READ}; the record does not say what was moved; remove it if you know that\n")),
        "{run}"
    );
    assert_eq!((dir.tree("site"), dir.text(".site.relink-moves")), (tree, "mine\n".to_owned()));
}

#[test]
fn mailboxes_move_and_are_noted_as_a_whole() {
    let mail = |root: &str| {
        format!(
            "From a@b Thu Jan  1 00:00:00 1998\nContent-Base: {root}\nContent-Type: text/html\n\n<a href={root}x>\n<a href=y>\n\n"
        )
    };
    let dir = TestDir::with(&[("box/a.mbox", &mail("http://old/").repeat(2))]);
    let run = NESTED.replace("site", "box");
    dir.relink(&format!("{run} -q")).exits(0).reports("");
    let moved = mail("http://old/archive/").repeat(2);
    assert_eq!(dir.text("box/a.mbox"), moved);
    let notes = dir.text(".box.relink-moves").replace("\n{\"record\":\"done\"}\n", "\n");
    dir.file(".box.relink-moves", &notes);
    dir.relink(&format!("{run} -q")).exits(0).reports("");
    assert_eq!(dir.text("box/a.mbox"), moved);
}

#[test]
fn documents_with_a_policy_are_counted() {
    let policy = "<meta http-equiv=Content-Security-Policy content=\"img-src 'self' http://old\">";
    let dir = TestDir::with(&[
        ("site/a.html", &format!("{policy}<img src=x>")),
        ("site/b.html", &format!("{policy}<a href=x>")),
        ("site/c.html", "<img src=x>"),
    ]);
    let report = "1 document has a Content-Security-Policy that may block resources; the resources moved to another origin; check the policy";
    let run = dir.relink("move site --from http://old/ --to http://new/ -o out").exits(0);
    assert!(run.has_line(report), "{run}");
    assert_eq!(dir.text("out/a.html"), dir.text("site/a.html"));
    let run = dir.relink("move site --from http://old/ --to http://old/x/ -o inside").exits(0);
    assert!(!run.stderr.contains("Policy"), "{run}");
}

#[cfg(unix)]
#[test]
fn headings_are_written_over_after_what_they_were_sent_with() {
    use std::os::unix::fs::MetadataExt;
    let headings = |root: &str| format!("HTTP/1.1 200 OK\r\nContent-Base: {root}d/e/\r\n\r\n");
    let dir = TestDir::new();
    for n in 0..200 {
        dir.file(format!("site/{n}.html"), "<a href=/x>\n".repeat(1 + n % 7 * 300));
        dir.file(format!("site/{n}.html.headers"), headings("http://old/"));
    }
    dir.relink(&format!("{NESTED} -q --jobs 4")).exits(0);
    assert_eq!(dir.text("site/9.html.headers"), headings("http://old/archive/"));
    assert!(dir.text("site/9.html").starts_with("<a href=../../x>\n"));
    // Whenever it is interrupted, the base of a file that has not moved is as it was.
    let changed = |ending: &str| {
        let times = (0..200).map(|n| {
            let metadata = dir.path(format!("site/{n}.html{ending}")).metadata().unwrap();
            (metadata.ctime(), metadata.ctime_nsec())
        });
        times.collect::<Vec<_>>()
    };
    let last_page = changed("").into_iter().max().unwrap();
    let first_headings = changed(".headers").into_iter().min().unwrap();
    assert!(last_page <= first_headings, "{last_page:?} {first_headings:?}");
}

#[test]
fn a_backup_that_was_made_before_the_run_was_broken_off_is_one() {
    let dir = TestDir::with(&[("site/a.html", "<a href=http://old/x>\n")]);
    fs::hard_link(dir.path("site/a.html"), dir.path("site/a.html.orig")).unwrap();
    let half_written = format!("site/{}", crate::journal::TEMPORARY);
    dir.file(&half_written, "<!doctype html><a href=http://old/x>\n");
    dir.relink(&format!("{NESTED} --backup -q")).exits(0).reports("");
    assert_eq!(dir.text("site/a.html"), "<a href=http://old/archive/x>\n");
    assert_eq!(dir.text("site/a.html.orig"), "<a href=http://old/x>\n");
    assert_eq!(dir.text(&half_written), "<!doctype html><a href=http://old/x>\n");
}

#[cfg(unix)]
#[test]
fn a_tree_is_the_same_under_the_name_of_a_link() {
    let dir = TestDir::with(&[("site/a.html", "<a href=http://old/x>\n")]);
    std::os::unix::fs::symlink(dir.path("site"), dir.path("link")).unwrap();
    dir.relink(&format!("{NESTED} -q")).exits(0);
    let run = dir.relink(&NESTED.replace("site", "link")).exits(2);
    assert!(run.has_line(&moved_already(&dir, "link")), "{run}");
    // So is a root that is written in another way.
    dir.relink(&NESTED.replace("http://old/ ", "HTTP://OLD:80 ")).exits(2);
    assert_eq!(dir.text("site/a.html"), "<a href=http://old/archive/x>\n");
}

#[test]
fn roots_out_of_ascii_are_found_as_they_are_written() {
    let page = "<meta charset=utf-8><a href=http://b\u{FC}cher.test/\u{FC}/x><a href=http://b\u{FC}cher.test/%c3%bc/x>\n";
    let dir = TestDir::with(&[("site/a.html", page)]);
    dir.relink("move site --from http://b\u{FC}cher.test/\u{FC}/ --to http://n/ -i -q").exits(0);
    assert_eq!(
        dir.text("site/a.html"),
        "<meta charset=utf-8><a href=http://n/x><a href=http://n/x>\n"
    );
}
