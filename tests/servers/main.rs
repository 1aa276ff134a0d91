//! A tree that moves between servers: Debian's documentation of Python, made absolute for a web server, moved to a server for ftp, from there to a
//! disk, and made relative at last. Real clients must reach at each place what they reached there in the tree as it was before.
//!
//! What says so is not this program: by `http` it is `wget --spider -r`, and the log of nginx; by `ftp`, where wget reads no document, a walk by
//! Python (`follow.py`), of which `wget --spider` asks the server again; on the disk Chromium (`browse.py`). In the end Python compares the trees
//! (`compare.py`). `RELINK_FULL=1` shows every tenth page in Chromium, else every hundredth.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test stops where it cannot go on, and tells what it saw"
)]
#![cfg(unix)]

mod serve;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use walkdir::WalkDir;

use serve::{Asked, Ftp, Web};

const TREE: &str = "/usr/share/doc/python3.11/html";

/// Pages of the server to which every page of the tree leads by `/name`, and which are not in the tree, nor there at all.
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
    let told = String::from_utf8_lossy(&output.stderr);
    let status = output.status.code().expect("a status");
    assert!(statuses.contains(&status), "relink {}: {status}\n{told}", args.join(" "));
    told.lines().for_each(|line| println!("  {line}"));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Moves a tree, which is absolute and stays so.
fn relocate(tree: &str, from: &str, to: &str, out: &str) {
    let x = format!("{out}.x");
    relink(&["relativize", tree, "--base", from, "-o", &x, "-q"], &[0]);
    relink(&["absolutize", &x, "--base", to, "-o", out, "-q"], &[0]);
}

/// Runs a script and returns the JSON that it prints, if it prints any.
#[track_caller]
fn python(name: &str, args: &[&str]) -> Option<Value> {
    let output =
        Command::new("python3").arg(script(name)).args(args).output().expect("python3 starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {told}");
    let line = String::from_utf8(output.stdout).expect("UTF-8");
    (!line.is_empty()).then(|| serde_json::from_str(&line).expect("JSON"))
}

fn strings(value: &Value) -> Vec<String> {
    let strings = value.as_array().expect("a list").iter();
    strings.map(|value| value.as_str().expect("a text").to_owned()).collect()
}

/// A copy of the tree in which the links that Debian made to files elsewhere are files.
fn copy(from: &Path, to: &Path) {
    for entry in WalkDir::new(from).follow_links(true) {
        let entry = entry.expect("the tree can be read");
        let to = to.join(entry.path().strip_prefix(from).expect("below"));
        match entry.file_type().is_dir() {
            true => fs::create_dir_all(to).expect("a folder"),
            false => drop(fs::copy(entry.path(), to).expect("a file")),
        }
    }
}

/// A place of the tree.
struct Place {
    folder: PathBuf,
    url: String,
}

impl Place {
    /// Puts a tree there while `act` looks at it.
    fn with<T>(&self, tree: &Path, act: impl FnOnce() -> T) -> T {
        fs::rename(tree, &self.folder).expect("a tree can be moved");
        let result = act();
        fs::rename(&self.folder, tree).expect("a tree can be moved back");
        result
    }
}

/// What `wget --spider -r` reaches from the first page.
fn wget(web: &Web, place: &Place, folder: &Path) -> Asked {
    let path = format!("/{}", place.url.splitn(4, '/').nth(3).expect("a path"));
    web.asked(&path, || {
        let status = Command::new("wget")
            .args(["-r", "-l", "inf", "-p", "-nv", "--spider", "-e", "robots=off", "--no-config"])
            .arg(format!("{}index.html", place.url))
            .current_dir(folder)
            .stderr(Stdio::null())
            .status()
            .expect("wget runs");
        // 8: the server had something not.
        assert!(matches!(status.code(), Some(0 | 8)), "{status}");
    })
}

/// What is reached by `ftp`: every file has its octets, and `wget --spider` finds it too.
fn follow(place: &Place, folder: &Path) -> Asked {
    let start = format!("{}index.html", place.url);
    let tree = place.folder.to_str().expect("UTF-8");
    let found = python("follow.py", &[&start, tree]).expect("a result");
    assert_eq!(strings(&found["wrong"]), [""; 0], "other octets");
    let asked = Asked { reached: strings(&found["reached"]), missing: strings(&found["missing"]) };
    let paths = asked.reached.iter().chain(&asked.missing);
    let urls: String = paths.map(|path| format!("{}{path}\n", place.url)).collect();
    fs::write(folder.join("urls"), urls).expect("a file");
    let output = Command::new("wget")
        .args(["--spider", "-nv", "--no-config", "-i", "urls"])
        .current_dir(folder)
        .env("LC_ALL", "C")
        .output()
        .expect("wget runs");
    // By ftp its status is that of an error whatever it finds.
    let told = String::from_utf8_lossy(&output.stderr);
    let n = |start: &str, end: &str| {
        told.lines().filter(|line| line.starts_with(start) && line.ends_with(end)).count()
    };
    assert_eq!(n("File ", " exists."), asked.reached.len(), "what wget finds:\n{told}");
    assert_ne!(n("No such file ", "."), 0, "it sees what is missing:\n{told}");
    asked
}

/// What Chromium reaches on the disk, if there is one; pages that are shown load all that they want.
fn browse(place: &Place) -> Option<Asked> {
    let tree = place.folder.to_str().expect("UTF-8");
    let pages = WalkDir::new(&place.folder).sort_by_file_name().into_iter();
    let pages = pages.filter_map(|entry| {
        let path = entry.expect("the tree can be read").into_path();
        let path = path.strip_prefix(&place.folder).expect("below").to_str()?.to_owned();
        path.ends_with(".html").then_some(path)
    });
    let every = if std::env::var_os("RELINK_FULL").is_some() { 10 } else { 100 };
    let pages: Vec<String> = pages.step_by(every).collect();
    let args: Vec<&str> = std::iter::once(tree).chain(pages.iter().map(String::as_str)).collect();
    let found = python("browse.py", &args)?;
    assert_eq!(strings(&found["failed"]), [""; 0], "all that is shown is loaded");
    Some(Asked { reached: strings(&found["reached"]), missing: strings(&found["missing"]) })
}

/// What `check` says of a tree at its place: references into it that lead nowhere, by the path of the document and the rest of the target;
/// and how many lead out of it by a path.
fn check(place: &Place) -> (Vec<String>, usize) {
    let tree = place.folder.to_str().expect("UTF-8");
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

/// One row of the table: what was reached in the first tree at a place, and in the tree that was made for it.
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
    let skip = |what: &str| println!("skipped: {what} is not on this machine");
    if !Path::new(TREE).is_dir() {
        return skip(TREE);
    }
    for program in ["wget", "python3"] {
        if Command::new(program).arg("--version").stdout(Stdio::null()).status().is_err() {
            return skip(program);
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    // Chromium and the servers say where the folder really is.
    let path = |name: &str| folder.path().canonicalize().expect("a folder").join(name);
    for name in ["www", "ftp/pub", "disk", "scratch", "nginx"] {
        fs::create_dir_all(path(name)).expect("a folder");
    }
    let Some(web) = Web::start(&path("nginx"), &path("www")) else { return skip("nginx") };
    let Some(ftp) = Ftp::start(&path("ftp")) else { return skip("pyftpdlib") };
    let place = |name: &str, url: String| Place { folder: path(name), url };
    let on_web = place("www/a", format!("http://127.0.0.1:{}/a/", web.port));
    let on_ftp = place("ftp/pub/b", format!("ftp://127.0.0.1:{}/pub/b/", ftp.port));
    let on_disk = place("disk/c", format!("file://{}/", path("disk/c").display()));
    let scratch = path("scratch");
    let trees = ["first", "for-web", "for-ftp", "for-disk", "last"].map(path);
    let [first, for_web, for_ftp, for_disk, last] = &trees;
    let words: Vec<&str> = trees.iter().map(|path| path.to_str().expect("UTF-8")).collect();

    copy(Path::new(TREE), first);
    println!("| place | client | reached before | missing | reached after | missing |");
    println!("|---|---|---|---|---|---|");
    let (web_url, ftp_url, disk_url) = (&*on_web.url, &*on_ftp.url, &*on_disk.url);

    relink(&["absolutize", words[0], "--base", web_url, "-o", words[1], "-q"], &[0]);
    let [before, after] =
        [first, for_web].map(|tree| on_web.with(tree, || wget(&web, &on_web, &scratch)));
    row("http", "wget -r --spider", [&before, &after]);
    assert!(before.reached.len() >= 500, "{} files", before.reached.len());
    let (dangling, n_leave) = on_web.with(first, || check(&on_web));
    assert_eq!(on_web.with(for_web, || check(&on_web).0), dangling, "on the web server");
    // The first tree is found by those who read it otherwise too: else what they do not miss says nothing.
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
        println!("skipped: there is no Chromium on this machine");
    }

    // What led to other pages of the web server does so still, and nothing else is known of where the tree was.
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

    let told = python("compare.py", &[words[0], words[4], web_url, disk_url]).expect("a result");
    assert_eq!(strings(&told["wrong"]), [""; 0], "what is different at last");
    println!("{} of {} files are as they were at first", told["equal"], told["files"]);
    let sum = |key: &str| -> u64 {
        let counts = told[key].as_object().expect("counts");
        counts.iter().for_each(|(what, n)| println!("  {key}: {what}: {n}"));
        counts.values().filter_map(Value::as_u64).sum()
    };
    let [outside, longer] = ["outside", "longer"].map(sum);
    println!("{outside} references lead out of the tree and are absolute; {longer} were longer");
    assert_eq!(usize::try_from(outside), Ok(n_leave), "as many as led out of the tree by a path");
    println!("{} dangling references before and after", dangling.len());
}

/// The judge of the last tree sees what is wrong: an octet outside references, another target, a longer reference where the first was the
/// shortest, one that is shorter and not the shortest, an absolute one that leads into the tree.
#[test]
fn the_judge_sees_what_is_wrong() {
    if Command::new("python3").arg("--version").stdout(Stdio::null()).status().is_err() {
        return println!("skipped: python3 is not on this machine");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let trees = ["first", "last"].map(|name| folder.path().join(name).join("d"));
    trees.iter().for_each(|tree| fs::create_dir_all(tree).expect("a folder"));
    let [first, last] = trees.each_ref().map(|tree| tree.parent().expect("a folder"));
    let words = [first, last].map(|tree| tree.to_str().expect("UTF-8"));
    let judge = |was: &str, now: &str| {
        for (tree, text) in trees.iter().zip([was, now]) {
            fs::write(tree.join("a.html"), text).expect("a file");
        }
        let args = [words[0], words[1], "http://h/s/", "file:///e/"];
        let told = python("compare.py", &args).expect("a result");
        let n = |key: &str| told[key].as_object().expect("counts").len();
        (n("outside"), n("longer"), strings(&told["wrong"]).len())
    };
    for (was, now, told) in [
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
        assert_eq!(judge(was, now), told, "{was} {now}");
    }
}
