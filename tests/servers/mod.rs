//! A tree that moves between servers: Debian's documentation of Python, made absolute for a web
//! server, moved to a server for ftp, from there to a disk, and made relative at last. Real clients
//! must reach at each place what they reached there in the tree as it was before.
//!
//! What says so is not this program: by `http` it is `wget --spider -r`, and the log of nginx; by
//! `ftp`, where wget reads no document, a walk by Python (`follow.py`), of which `wget --spider`
//! asks the server again; on the disk Chromium (`browse.py`). In the end Python compares the trees
//! (`compare.py`). `migration.rs` renames half of a site, and requests every old URL;
//! `generated.rs` moves sites of generators. `RELINK_FULL=1` takes the whole tree, and shows every
//! tenth page in Chromium; else it is a quarter of the tree, and every hundredth page.

pub(crate) mod clients;
mod generated;
mod migration;
pub(crate) mod nginx;
pub(crate) mod serve;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use walkdir::WalkDir;

use clients::{Place, browse, follow, python, strings, wget};
use serve::{Asked, Ftp, Web};

const TREE: &str = "/usr/share/doc/python3.11/html";

/// Pages of the server to which every page of the tree leads by `/name`, and which are not in the
/// tree, nor there at all.
const OUTSIDE: [&str; 2] = ["bugs.html", "license.html"];

/// A script beside this file.
fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers").join(name)
}

/// Runs the program, and returns what it prints.
#[track_caller]
fn relink(args: &[&str], statuses: &[i32]) -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_relink")).args(args).output().expect("the program starts");
    let report = String::from_utf8_lossy(&output.stderr);
    let status = output.status.code().expect("a status");
    assert!(statuses.contains(&status), "relink {}: {status}\n{report}", args.join(" "));
    report.lines().for_each(|line| println!("  {line}"));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Moves a tree; of its references those that are relative stay so, and those that are absolute.
fn relocate(tree: &str, from: &str, to: &str, out: &str) {
    relink(&["move", tree, "--from", from, "--to", to, "-o", out, "-q"], &[0]);
}

/// All files of a tree.
fn files(tree: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = WalkDir::new(tree).into_iter().map(|entry| entry.expect("the tree can be read"));
    let below = |path: &Path| path.strip_prefix(tree).expect("below").to_owned();
    files
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| (below(entry.path()), fs::read(entry.path()).expect("a file")))
        .collect()
}

/// Whether two trees are one, byte by byte.
#[track_caller]
fn assert_same(a: &Path, b: &Path) {
    let (a, b) = (files(a), files(b));
    assert!(a.keys().eq(b.keys()), "the same files");
    let other: Vec<_> = a.keys().filter(|path| a[*path] != b[*path]).collect();
    assert!(other.is_empty(), "{} files are different: {:?}", other.len(), other.first());
}

/// How a tree differs from what it was at `from`, now that it is at `to`: how many references lead
/// out of it and are absolute now, and how many were longer than need be. Anything else is wrong.
#[track_caller]
fn compare(trees: [&str; 2], from: &str, to: &str) -> [usize; 2] {
    let report = python("compare.py", &[trees[0], trees[1], from, to]).expect("a result");
    assert_eq!(strings(&report["wrong"]), [""; 0], "{} against {}", trees[1], trees[0]);
    println!("{} of {} files are as they were at first", report["equal"], report["files"]);
    ["outside", "longer"].map(|key| {
        let counts = report[key].as_object().expect("counts");
        counts.iter().for_each(|(what, n)| println!("  {key}: {what}: {n}"));
        counts.values().filter_map(Value::as_u64).map(|n| usize::try_from(n).expect("few")).sum()
    })
}

/// A copy of the tree in which the links that Debian made to files elsewhere are files. In the
/// short form it lacks the sources, most pages of three parts, and long lists: references to them
/// lead nowhere.
fn copy(from: &Path, to: &Path, is_full: bool) {
    let is_sample = |path: &Path| {
        let is_left_out =
            |name: &str| path.starts_with(name) && path.file_name() != Some("index.html".as_ref());
        let is_index = path.to_str().is_some_and(|path| path.starts_with("genindex-"));
        !["_sources", "library", "c-api", "whatsnew", "contents.html"].into_iter().any(is_left_out)
            && !is_index
    };
    for entry in WalkDir::new(from).follow_links(true) {
        let entry = entry.expect("the tree can be read");
        let path = entry.path().strip_prefix(from).expect("below");
        if !is_full && !entry.file_type().is_dir() && !is_sample(path) {
            continue;
        }
        let to = to.join(path);
        if entry.file_type().is_dir() {
            fs::create_dir_all(to).expect("a directory")
        } else {
            fs::copy(entry.path(), to).expect("a file");
        }
    }
}

/// What `check` says of a tree at its place: references into it that lead nowhere, by the path of
/// the document and the rest of the target; and how many lead out of it by a path.
fn check(place: &Place) -> (Vec<String>, usize) {
    let tree = place.directory.to_str().expect("UTF-8");
    let args = ["check", tree, "--base", &place.url, "--format", "json", "-q"];
    let mut dangling = Vec::new();
    let mut n_leave = 0;
    for line in relink(&args, &[0, 1]).lines() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        if text("problem") == "leaves-tree" {
            n_leave += 1;
            continue;
        }
        let target = text("target");
        let below = target.strip_prefix(&place.url).unwrap_or(&target);
        dangling.push(format!("{} {}: {} {below}", text("path"), text("slot"), text("problem")));
    }
    (dangling, n_leave)
}

/// One row of the table: what was reached in the first tree at a place, and in the tree that was
/// made for it.
fn row(place: &str, client: &str, [before, after]: [&Asked; 2]) {
    println!(
        "| {place} | {client} | {} | {} | {} | {} |",
        before.reached.len(),
        before.missing.len(),
        after.reached.len(),
        after.missing.len()
    );
    let paths = |asked: &Asked| asked.reached.iter().cloned().collect::<BTreeSet<_>>();
    let (was, is) = (paths(before), paths(after));
    let lost: Vec<_> = was.difference(&is).collect();
    let new: Vec<_> = is.difference(&was).collect();
    assert!(lost.is_empty() && new.is_empty(), "{place}: lost {lost:?}, new {new:?}");
    assert_eq!(before.missing, after.missing, "{place}: no other is missing");
}

#[test]
fn a_tree_that_moves_from_server_to_server() {
    let skip = |what: &str| crate::tools::skipped(format_args!("{what} is not on this machine"));
    // A directory of the name alone is no tree: packages of the interpreter have one too.
    let tree = crate::tools::others(TREE);
    if !["index.html", "library/index.html"].iter().all(|page| tree.join(page).is_file()) {
        return skip(TREE);
    }
    for program in ["wget", "python3"] {
        if !crate::tools::runs(program, &["--version"]) {
            return skip(program);
        }
    }
    let directory = tempfile::tempdir().expect("a directory");
    // Chromium and the servers say where the directory really is.
    let path = |name: &str| directory.path().canonicalize().expect("a directory").join(name);
    for name in ["www", "ftp/pub", "disk", "scratch", "nginx"] {
        fs::create_dir_all(path(name)).expect("a directory");
    }
    let Some(web) = Web::start(&path("nginx"), &path("www")) else { return skip("nginx") };
    let Some(ftp) = Ftp::start(&path("ftp")) else { return skip("pyftpdlib") };
    let place = |name: &str, url: String| Place { directory: path(name), url };
    let on_web = place("www/a", format!("http://127.0.0.1:{}/a/", web.port));
    let on_ftp = place("ftp/pub/b", format!("ftp://127.0.0.1:{}/pub/b/", ftp.port));
    let on_disk = place("disk/c", format!("file://{}/", path("disk/c").display()));
    let scratch = path("scratch");
    let trees = ["first", "for-web", "for-ftp", "for-disk", "last"].map(path);
    let [first, for_web, for_ftp, for_disk, last] = &trees;
    let words: Vec<&str> = trees.iter().map(|path| path.to_str().expect("UTF-8")).collect();

    let is_full = std::env::var_os("RELINK_FULL").is_some();
    copy(&tree, first, is_full);
    println!("| place | client | reached before | missing | reached after | missing |");
    println!("|---|---|---|---|---|---|");
    let (web_url, ftp_url, disk_url) = (&*on_web.url, &*on_ftp.url, &*on_disk.url);

    relink(&["absolutize", words[0], "--base", web_url, "-o", words[1], "-q"], &[0]);
    let [before, after] =
        [first, for_web].map(|tree| on_web.with(tree, || wget(&web, &on_web, &scratch)));
    row("http", "wget -r --spider", [&before, &after]);
    let least = if is_full { 500 } else { 80 };
    assert!(before.reached.len() >= least, "{} files", before.reached.len());
    let (dangling, n_leave) = on_web.with(first, || check(&on_web));
    assert_eq!(on_web.with(for_web, || check(&on_web).0), dangling, "on the web server");
    // The first tree is found by those who read it otherwise too: else what they do not miss says
    // nothing.
    let n_documents = before.reached.len();

    relocate(words[1], web_url, ftp_url, words[2]);
    let [before, after] =
        [first, for_ftp].map(|tree| on_ftp.with(tree, || follow(&on_ftp, &scratch)));
    row("ftp", "html.parser, wget --spider", [&before, &after]);
    assert_eq!(before.reached.len(), n_documents, "as many as by http");
    assert_eq!(on_ftp.with(for_ftp, || check(&on_ftp).0), dangling, "on the ftp server");

    relocate(words[2], ftp_url, disk_url, words[3]);
    assert_eq!(on_disk.with(for_disk, || check(&on_disk).0), dangling, "on the disk");
    relink(&["relativize", words[3], "--base", disk_url, "-o", words[4], "-q"], &[0]);
    assert_eq!(on_disk.with(last, || check(&on_disk).0), dangling, "at last");
    let seen = [first, for_disk, last].map(|tree| on_disk.with(tree, || browse(&on_disk)));
    if let [Some(before), Some(after), Some(at_last)] = &seen {
        row("file", "Chromium", [before, after]);
        row("file, relative", "Chromium", [before, at_last]);
        assert_eq!(before.reached.len(), n_documents, "as many as by http");
    } else {
        crate::tools::skipped("there is no Chromium on this machine");
    }

    // What led to other pages of the web server does so still, and nothing else is known of where
    // the tree was.
    let args = ["check", words[4], "--list-external", "-q"];
    let external: BTreeSet<String> = relink(&args, &[0, 1]).lines().map(str::to_owned).collect();
    for name in OUTSIDE {
        let url = format!("http://127.0.0.1:{}/{name}", web.port);
        assert!(external.contains(&url), "{url} is out of the tree");
    }
    for old in [web_url, ftp_url] {
        let args = ["check", words[4], "--stale", old, "--format", "json", "-q"];
        let stale = relink(&args, &[0, 1]);
        assert!(!stale.contains("\"problem\":\"stale\""), "{stale}");
    }

    println!("at last:");
    let [outside, longer] = compare([words[0], words[4]], web_url, disk_url);
    println!("{outside} references lead out of the tree and are absolute; {longer} were longer");
    assert_eq!(outside, n_leave, "as many as led out of the tree by a path");
    println!("{} dangling references before and after", dangling.len());

    // The same by other ways: back to where it came from; relative at once; and never absolute,
    // where what leads into the tree is not touched.
    let more = ["back", "at-once", "kept"].map(path);
    let [back, at_once, kept] = more.each_ref().map(|path| path.to_str().expect("UTF-8"));
    relocate(words[2], ftp_url, web_url, back);
    assert_same(&more[0], for_web);
    let args = ["move", words[2], "--from", ftp_url, "--to", disk_url, "--style", "relative"];
    relink(&[&args[..], &["-o", at_once, "-q"]].concat(), &[0]);
    assert_same(&more[1], last);
    relocate(words[0], web_url, disk_url, kept);
    println!("moved as it was at first:");
    assert_eq!(compare([words[0], kept], web_url, disk_url), [n_leave, 0]);
}

/// The judge of the last tree sees what is wrong: a byte outside references, another target, a
/// longer reference where the first was the shortest, one that is shorter and not the shortest, an
/// absolute one that leads into the tree.
#[test]
fn the_judge_sees_what_is_wrong() {
    if !crate::tools::has("python3", &["--version"]) {
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let trees = ["first", "last"].map(|name| directory.path().join(name).join("d"));
    trees.iter().for_each(|tree| fs::create_dir_all(tree).expect("a directory"));
    let [first, last] = trees.each_ref().map(|tree| tree.parent().expect("a directory"));
    let words = [first, last].map(|tree| tree.to_str().expect("UTF-8"));
    let judge = |was: &str, now: &str| {
        for (tree, text) in trees.iter().zip([was, now]) {
            fs::write(tree.join("a.html"), text).expect("a file");
        }
        let args = [words[0], words[1], "http://h/s/", "file:///e/"];
        let report = python("compare.py", &args).expect("a result");
        let n = |key: &str| report[key].as_object().expect("counts").len();
        (n("outside"), n("longer"), strings(&report["wrong"]).len())
    };
    for (was, now, report) in [
        ("<a href=\"b\">", "<a href=\"b\">", (0, 0, 0)),
        ("<a href=\"../d/b\">", "<a href=\"b\">", (0, 1, 0)),
        ("<a href=\"a.html#x\">", "<a href=\"#x\">", (0, 1, 0)),
        ("<a href=\"/x\">", "<a href=\"http://h/x\">", (1, 0, 0)),
        ("<a href=\"b\">", "<a href=\"b\" >", (0, 0, 1)),
        ("<a href=\"b\">", "<a href=\"c\">", (0, 0, 1)),
        ("<a href=\"b\">", "<a href=\"../d/b\">", (0, 0, 1)),
        ("<a href=\"../../s/d/b\">", "<a href=\"../d/b\">", (0, 0, 1)),
        ("<a href=\"b\">", "<a href=\"http://h/s/d/b\">", (0, 0, 1)),
        ("<a href=\"/x\">", "<a href=\"http://i/x\">", (0, 0, 1)),
        ("<a href=\"http://i/x\">", "<a href=\"http://j/x\">", (0, 0, 1)),
    ] {
        assert_eq!(judge(was, now), report, "{was} {now}");
    }
}
