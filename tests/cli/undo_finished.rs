//! `relink undo` after a run that is complete: with a manifest that is given, with the one that the
//! run has kept, and with the copies of `--backup`.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::dir::{Node, TestDir};
use crate::manifest::tree;
use crate::words::{
    self, CANNOT_USE_MANIFEST, COPIED, IF_RIGHT, MOVE_IT_AWAY, NO_RUN, TO_LIST_THEM,
};

const RUN: &str = "absolutize site --base http://h/ -i -q";
const KEPT: &str = ".site.relink-manifest";

/// The files of a tree with their contents, modes and times. Directories are other ones after a
/// file in them was replaced.
fn files(dir: &TestDir, name: &str) -> BTreeMap<PathBuf, Node> {
    let nodes = dir.tree(name).into_iter();
    nodes.filter(|(_, node)| !matches!(node, Node::Directory { .. })).collect()
}

/// Numbers that are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % n as u64).expect("a small number")
    }
}

/// Each run moves the tree to other URLs, by another command, and is reverted from the last to the
/// first. The record of moves goes back too.
#[test]
fn twenty_runs_are_reverted_one_by_one() {
    let mut numbers = Numbers(7);
    let n_rounds = if std::env::var_os("RELINK_FULL").is_some() { 3 } else { 1 };
    for round in 0..n_rounds {
        let dir = tree();
        for number in 0..15 {
            let links: String = (0..numbers.below(20))
                .map(|idx| format!("<a href=\"http://h/{}/{idx}?é\">é</a>\r\n", numbers.below(9)))
                .collect();
            dir.file(format!("site/p/{number}.html"), links);
        }
        let mut states = Vec::new();
        let hosts = ["h", "longer.example", "h/a", "x/é"];
        let (mut at, mut n_edits) = ("h", 0);
        for run in 0..20 {
            let record = dir.has(".site.relink-moves").then(|| dir.text(".site.relink-moves"));
            states.push((files(&dir, "site"), record));
            let mut to = hosts[numbers.below(4)];
            if to == at {
                to = if at == "h" { "h/b" } else { "h" };
            }
            let command = match numbers.below(5) {
                0 => format!("absolutize site --base http://{at}/"),
                1 => format!("relativize site --base http://{at}/"),
                2 => format!("relativize site --base http://{at}/ --style absolute-path"),
                _ => {
                    let from = std::mem::replace(&mut at, to);
                    format!("move site --from http://{from}/ --to http://{to}/ --again")
                }
            };
            let backup = match numbers.below(3) {
                0 => format!("--backup=.old{run}"),
                _ => String::new(),
            };
            let jobs = numbers.below(2) + 1;
            let line =
                format!("{command} -i {backup} -j{jobs} --manifest m{run} --also text,markdown");
            let done = dir.relink(&line);
            assert!(!done.stderr.contains("error"), "{done}");
            n_edits += dir.text(format!("m{run}")).matches("\"record\":\"edit\"").count();
            dir.relink(&format!("verify site --manifest m{run} -q")).exits(0).prints("");
        }
        assert!(n_edits > 250, "{n_edits} edits in round {round}");
        for (run, (tree, record)) in states.iter().enumerate().rev() {
            dir.relink(&format!("undo site --manifest m{run} -q")).exits(0).reports("");
            assert!(files(&dir, "site") == *tree, "round {round}, run {run}");
            let now = dir.has(".site.relink-moves").then(|| dir.text(".site.relink-moves"));
            assert_eq!(now, *record, "round {round}, run {run}");
        }
        assert!(!dir.has(".site.relink-journal"));
    }
}

#[test]
fn a_file_that_was_changed_since_is_named_and_stays() {
    let dir = tree();
    let old = files(&dir, "site");
    dir.relink(&format!("{RUN} --manifest m")).exits(0);
    let new = dir.text("site/index.html");
    dir.file("site/index.html", format!("{new}<p>mine"));
    fs::remove_file(dir.path("site/style.css")).unwrap();
    let run = dir.relink("undo site --manifest m").exits(2);
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(
        lines[..2],
        [
            "site/index.html: not restored; the file was changed since the run; undo what came later first, or restore it from a backup",
            "site/style.css: not restored; the file does not exist any more; restore it from a backup",
        ],
        "{run}"
    );
    assert_eq!(dir.text("site/index.html"), format!("{new}<p>mine"));
    assert!(!dir.has("site/style.css"));
    // The others have been restored, and a second time nothing happens to them.
    dir.file("site/index.html", &new);
    dir.file("site/style.css", "");
    dir.relink("undo site --manifest m -q").exits(2);
    fs::remove_file(dir.path("site/style.css")).unwrap();
    let mut now = files(&dir, "site");
    let mut old = old;
    old.remove(Path::new("site/style.css"));
    for files in [&mut now, &mut old] {
        files.remove(Path::new("style.css"));
        files.remove(Path::new("index.html"));
    }
    assert!(now == old);
}

#[test]
fn with_a_damaged_manifest_nothing_is_written() {
    let dir = tree();
    dir.relink(&format!("{RUN} --manifest m")).exits(0);
    let written = files(&dir, "site");
    let text = dir.bytes("m");
    for at in (0..text.len()).step_by(text.len() / 40) {
        let mut damaged = text.clone();
        damaged[at] ^= 1;
        dir.file("bad", &damaged);
        let run = dir.relink("undo site --manifest bad").exits(2);
        assert!(run.stderr.starts_with(&format!("bad: {CANNOT_USE_MANIFEST}; ")), "{at}: {run}");
        assert!(files(&dir, "site") == written, "{at}");
    }
    dir.file("bad", &text[..text.len() / 2]);
    dir.relink("undo site --manifest bad").exits(2);
    assert!(files(&dir, "site") == written);
}

#[test]
fn the_last_run_is_reverted_with_the_manifest_that_it_has_kept() {
    let dir = tree();
    let old = files(&dir, "site");
    dir.relink(RUN).exits(0).reports("");
    assert_eq!(fs::metadata(dir.path(KEPT)).unwrap().permissions().mode() & 0o777, 0o600);
    let new = files(&dir, "site");
    dir.relink(&format!("verify site --manifest {KEPT} -q")).exits(0).reports("").prints("");
    // A run that changes nothing, and one that keeps none, leave it.
    let kept = dir.bytes(KEPT);
    dir.relink(RUN).exits(0).reports("");
    assert!(dir.bytes(KEPT) == kept);
    let report = "8 documents restored\n";
    let run = dir.relink("undo site").exits(0);
    assert!(run.stderr == report || run.stderr.ends_with(report), "{run}");
    assert!(files(&dir, "site") == old);
    assert!(!dir.has(KEPT) && !dir.has(".site.relink-journal"));
    dir.relink("undo site").fails(&format!("site: {NO_RUN}"));
    dir.relink(&format!("{RUN} --no-manifest")).exits(0).reports("");
    assert!(!dir.has(KEPT) && files(&dir, "site") == new);
    // With --manifest, there is one manifest.
    dir.relink(&format!("{RUN} --backup --manifest m")).exits(0).reports("");
    assert!(!dir.has(KEPT));
}

#[test]
fn a_kept_manifest_of_somebody_else_is_not_trusted() {
    let dir = tree();
    let old = files(&dir, "site");
    dir.relink(RUN).exits(0).reports("");
    let new = files(&dir, "site");
    // A copy of the tree, with its manifest.
    let copy = TestDir::new();
    let status = std::process::Command::new("cp")
        .arg("-a")
        .args([dir.path("."), copy.path(".")])
        .status()
        .unwrap();
    assert!(status.success());
    let run = copy.relink("undo site").exits(2);
    let end = &format!(
        "cannot undo; the manifest is not trusted: {COPIED}; {IF_RIGHT}, use `relink undo --trust`, else remove the manifest\n"
    );
    assert!(run.stderr.ends_with(end), "{run}");
    assert!(run.stderr.contains(".site.relink-manifest: records changes in index.html\n"), "{run}");
    assert!(files(&copy, "site") == new);
    copy.relink("undo site --trust -q").exits(0).reports("");
    assert!(files(&copy, "site") == old);
    // Another directory in the place of the tree.
    fs::rename(dir.path("site"), dir.path("away")).unwrap();
    let status = std::process::Command::new("cp")
        .arg("-a")
        .args([dir.path("away"), dir.path("site")])
        .status()
        .unwrap();
    assert!(status.success());
    let run = dir.relink("undo site").exits(2);
    assert!(run.stderr.contains("site is not the directory of the run"), "{run}");
    assert!(files(&dir, "site") == new);
    // A link, and a file that others can write.
    fs::rename(dir.path(KEPT), dir.path("elsewhere")).unwrap();
    symlink("elsewhere", dir.path(KEPT)).unwrap();
    dir.relink("undo site --trust -q").exits(2);
    fs::remove_file(dir.path(KEPT)).unwrap();
    fs::rename(dir.path("elsewhere"), dir.path(KEPT)).unwrap();
    fs::set_permissions(dir.path(KEPT), fs::Permissions::from_mode(0o666)).unwrap();
    let run = dir.relink("undo site --trust").exits(2);
    assert!(run.stderr.contains("another user owns it or can write it"), "{run}");
    assert!(files(&dir, "site") == new);
}

#[test]
fn no_other_file_is_replaced_by_a_kept_manifest() {
    let dir = tree();
    dir.file(KEPT, "mine\n");
    let run = dir.relink("absolutize site --base http://h/ -i").exits(0);
    let warning = &format!(
        ".site.relink-manifest: the manifest is not kept; a file with this name exists, and is not a manifest; {MOVE_IT_AWAY}\n"
    );
    assert!(run.stderr.contains(warning), "{run}");
    assert_eq!(dir.text(KEPT), "mine\n");
}

#[test]
fn an_output_goes_back_and_so_do_names() {
    let dir = tree();
    let old = files(&dir, "site");
    dir.relink("absolutize site --base http://h/ -o out --manifest m -q").exits(0);
    dir.relink("undo out --manifest m -q").exits(0).reports("");
    let contents = |files: &BTreeMap<PathBuf, Node>| {
        let bytes = |node: &Node| match node {
            Node::File { bytes, .. } => bytes.clone(),
            _ => Vec::new(),
        };
        files.iter().map(|(path, node)| (path.clone(), bytes(node))).collect::<Vec<_>>()
    };
    assert!(contents(&files(&dir, "out")) == contents(&old));
    // The names of messages of a Maildir contain their sizes.
    let mail = "Content-Type: text/html\nContent-Base: http://h/\n\n<a href=x>\n";
    dir.file(format!("mail/cur/1.a.b,S={}:2,S", mail.len()), mail);
    ["mail/new", "mail/tmp"].iter().for_each(|name| dir.directory(name));
    let old = files(&dir, "mail");
    dir.relink("absolutize mail -i -q").exits(0).reports("");
    assert!(files(&dir, "mail") != old);
    dir.relink("undo mail -q").exits(0).reports("");
    assert!(files(&dir, "mail") == old);
}

#[test]
fn copies_are_restored_if_there_is_nothing_else() {
    let dir = tree();
    let old = files(&dir, "site");
    dir.relink(&format!("{RUN} --backup --no-manifest")).exits(0).reports("");
    dir.relink("undo site").fails(
        "site: no journal and no manifest of a run found, but 8 files with a copy (.orig); use `relink undo --backup site` to restore them from the copies",
    );
    dir.relink("undo site --backup=.old")
        .fails("site: no file has a copy with the suffix .old; use `--backup=SUFFIX` to name another suffix");
    // What has no copy stays, and so does a copy of nothing.
    dir.file("site/lone.html.orig", "x");
    dir.relink("undo --backup site")
        .exits(0)
        .reports(&format!("{} from copies\n", words::restored(8)));
    assert_eq!(dir.text("site/lone.html.orig"), "x");
    fs::remove_file(dir.path("site/lone.html.orig")).unwrap();
    assert!(files(&dir, "site") == old);
    // With a manifest, the copies are removed.
    dir.relink(&format!("{RUN} --backup")).exits(0).reports("");
    assert!(dir.has("site/index.html.orig"));
    dir.relink("undo site -q").exits(0).reports("");
    assert!(files(&dir, "site") == old);
}

#[test]
fn a_run_that_was_interrupted_comes_first() {
    use crate::journal::{NESTED, broken_off, long_tree};
    let dir = long_tree();
    dir.relink("absolutize site --base http://old/ -i -q --manifest m").exits(0);
    broken_off(&dir, NESTED);
    let run = dir.relink("undo site --manifest m").exits(2);
    assert!(run.stderr.contains("a run was interrupted here"), "{run}");
    dir.relink("undo site -q").exits(0).reports("");
    dir.relink("undo site --manifest m -q").exits(0).reports("");
}

#[test]
fn a_run_that_cannot_be_reverted_any_more_is_reported() {
    const NOTE: &str = "note: the run before this one cannot be reverted any more; its manifest was replaced; use `--manifest FILE` to keep one of each run";
    let dir = TestDir::with(&[("site/a.html", "<a href=x>"), ("site/b.html", "<a href=y>")]);
    let first = "absolutize site --base http://h/ --include a.html -i";
    let second = "absolutize site --base http://h/ --include b.html -i";
    let third = "move site --from http://h/ --to http://i/ -i";
    let is_noted = |line: &str| dir.relink(line).exits(0).has_line(NOTE);
    // The second run changes another file, the third one the same.
    assert!(!is_noted(first));
    assert!(is_noted(second));
    assert!(is_noted(third));
    dir.relink("undo site -q").exits(0).reports("");
    assert!(!is_noted(third));
    // It was reverted by other means.
    dir.file("site/a.html", "<a href=x>");
    dir.file("site/b.html", "<a href=y>");
    assert!(!is_noted(first));
}

#[test]
fn a_run_names_the_command_that_reverts_it() {
    let dir = tree();
    let run = dir.relink("absolutize site --base http://h/ -i").exits(0);
    assert!(run.stderr.ends_with("hint: use `relink undo site` to revert the run\n"), "{run}");
    // This one changes nothing.
    let run = dir.relink("absolutize site --base http://h/ -i").exits(0);
    assert!(!run.stderr.contains("relink undo"), "{run}");
    dir.relink("undo site -q").exits(0).reports("");
    let run = dir.relink("absolutize site --base http://h/ -i --no-manifest").exits(0);
    assert!(!run.stderr.contains("relink undo"), "{run}");
}

#[test]
fn with_the_command_the_summary_has_six_lines() {
    let dir = TestDir::with(&[
        ("site/a.html", "<base href='data:,'><a href=x><a href='http://[/'>"),
        (
            "site/b.svg",
            "<svg xmlns='http://www.w3.org/2000/svg' xml:base='http://i/'><a href='x'/></svg>",
        ),
        (
            "site/c.eml",
            "DKIM-Signature: a=b\nContent-Type: text/html\nContent-Base: http://h/\n\n<a href=x>",
        ),
        (
            "site/d.mbox",
            "From a@b Thu May  1 10:00:00 2003\nA: b\n\nx\nFrom a@b Thu May  1 10:00:00 2003\nA: b\n\nx\n",
        ),
        ("site/e.html", "<a href=none.html>"),
    ]);
    let run = dir.relink("relativize site --base http://h/ --for file --also text -i").exits(0);
    assert_eq!(run.stderr.lines().count(), 6, "{run}");
    assert!(run.stderr.contains(&format!(" more notes; use `-n -v` {TO_LIST_THEM}\n")), "{run}");
    assert!(run.stderr.ends_with(&format!("{}\n", words::undo("site"))), "{run}");
}

#[test]
fn what_had_its_old_content_is_counted() {
    let dir = TestDir::with(&[("site/a.html", "<a href=x>"), ("site/b.html", "<a href=y>")]);
    dir.relink(RUN).exits(0);
    dir.file("site/b.html", "<a href=y>");
    dir.relink("undo site")
        .exits(0)
        .reports(&format!("{}, 1 already as before\n", words::restored(1)));
}

#[test]
fn without_a_path_the_run_of_the_current_directory_is_reverted() {
    let dir = TestDir::with(&[
        ("d/share/docs/a.html", "<a href=x>"),
        ("d/news/b.html", "<a href=y>"),
        ("d/c.html", "<a href=z>"),
    ]);
    let old = files(&dir, "d");
    let relink = |line: &str| dir.relink_by(&["sh", "-c", "cd d && exec \"$0\" \"$@\""], line);
    relink("absolutize share/docs news --base http://h/ -i -q").exits(0).reports("");
    assert!(dir.has(".d.relink-manifest"));
    relink("undo share/docs").fails("share/docs: no run over it found; the last run over the current directory includes it; use `relink undo .` to revert that run");
    let directory = dir.real("d");
    dir.relink("undo d/news").fails(&format!("d/news: no run over it found; the last run over {directory} includes it; use `relink undo {directory}` to revert that run"));
    // The run has not changed this one.
    relink("undo c.html").fails(&format!("c.html: {NO_RUN}"));
    relink("undo").exits(0).reports(&format!("{}\n", words::restored(2)));
    assert!(files(&dir, "d") == old);
    relink("undo").fails(&format!(".: {NO_RUN}"));
    // The run over a directory in it, and then two of them.
    relink("absolutize share --base http://h/ -i -q").exits(0);
    relink("undo").exits(0).reports(&format!("{}\n", words::restored(1)));
    relink("absolutize share --base http://h/ -i -q").exits(0);
    relink("absolutize news --base http://h/ -i -q").exits(0);
    relink("undo")
        .fails(".: several runs found that can be reverted; use one of their PATHs: news, share");
    relink("undo share -q").exits(0).reports("");
    relink("undo -q").exits(0).reports("");
    assert!(files(&dir, "d") == old);
}

/// Redirects to pages that do not exist are wrong.
#[test]
fn redirects_are_reverted_with_the_run() {
    let dir = crate::renames::site();
    let line = "move site --base http://h/ --renames list.tsv --rename-files --in-place -q --redirects nginx=a.conf --redirects csv=b.csv";
    let earlier = "# Redirects by relink\n# earlier\n";
    dir.file("a.conf", earlier);
    let first = dir.tree("site");
    dir.relink(line).exits(0);
    assert!(dir.text("a.conf").contains("alpha.html") && dir.has("b.csv"));
    dir.relink("undo site -q").exits(0);
    assert!(dir.tree("site") == first);
    assert_eq!(dir.text("a.conf"), earlier);
    assert!(!dir.has("b.csv"));
    // What somebody else has written there stays, and is named.
    dir.relink(line).exits(0);
    dir.file("b.csv", "mine");
    let run = dir.relink("undo site -q").exits(2);
    let name = dir.real("b.csv");
    assert_eq!(run.stderr, format!("{name}: not restored; the file was changed since the run\n"));
    assert_eq!([dir.text("a.conf"), dir.text("b.csv")], [earlier, "mine"]);
    assert!(dir.tree("site") == first);
}

#[test]
fn in_a_repository_git_does_not_see_the_manifest() {
    if !crate::tools::has("git", &["--version"]) {
        return;
    }
    let page = "<a href=x>";
    let files = [("r/docs/en/a.html", page), ("r/docs/b.html", page), ("r/100%/c.html", page)];
    let dir = TestDir::with(&files);
    dir.git("r", "init -q");
    dir.git("r", "add -A");
    dir.git("r", "commit -qm first");
    let status = || dir.git("r", "status --porcelain --ignored");
    for (path, at, undo, files) in [
        ("r/docs", ".", "undo r/docs", " M docs/b.html\n M docs/en/a.html\n"),
        ("r/docs/b.html", ".", "undo r/docs/b.html", " M docs/b.html\n"),
        ("r/docs/en", "r/docs/en", "undo", " M docs/en/a.html\n"),
        ("r/docs/en", "r/docs", "undo", " M docs/en/a.html\n"),
        ("r/100%", "r", "undo", " M 100%/c.html\n"),
        ("r", ".", "undo r", " M 100%/c.html\n M docs/b.html\n M docs/en/a.html\n"),
    ] {
        dir.relink(&format!("absolutize {path} --base http://h/ --in-place -q")).exits(0);
        assert_eq!(status(), files, "{path}");
        let run = dir.relink_by(&["env", "-C", at], undo).exits(0);
        assert_eq!(status(), "", "{run}");
    }
    // A run replaces the manifest of the one before.
    dir.relink("absolutize r/docs --base http://h/ --in-place -q").exits(0);
    let run = dir.relink("move r/docs --from http://h/ --to http://i/ --in-place").exits(0);
    assert!(run.has_line_with("note: "), "{run}");
    dir.relink("undo r/docs").exits(0);
    assert_eq!(dir.text("r/docs/b.html"), "<a href=http://h/x>");
    // A copy does not take along what undoes it, nor does a directory that may be elsewhere.
    dir.git("r", "checkout -q .");
    dir.git("r", "worktree add -q ../linked");
    dir.relink("absolutize linked/docs --base http://h/ --in-place -q").exits(0);
    assert!(dir.has("linked/.docs.relink-manifest"));
    dir.relink("undo linked/docs").exits(0);
    fs::remove_dir_all(dir.path("r/.git/relink")).unwrap();
    dir.directory("outside");
    symlink(dir.path("outside"), dir.path("r/.git/relink")).unwrap();
    dir.relink("absolutize r/docs --base http://h/ --in-place -q").exits(0);
    assert!(dir.has("r/.docs.relink-manifest") && dir.tree("outside").len() == 1);
    dir.relink("undo r/docs").exits(0);
    assert_eq!(status(), "");
}
