//! Mirrors of a site behind a server that the mirroring programs converted for the disk, made
//! absolute by this program: every URL must answer on the site with what the file on the disk is.
//!
//! The file that a reference of the mirror leads to is found as a browser finds it on the disk; a
//! mark in each page says which page it is.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use url::Url;

use super::served::{Server, files, mark, own_url};
use super::site::mirrors::HTTRACK_AT_ONCE;
use super::{file_url, path_of, relink_well};
use crate::judge;

/// The references of a converted mirror that was made absolute.
#[derive(Debug, Default)]
struct Tally {
    /// Those that lead to a file of the mirror.
    n_files: usize,
    /// Those that lead to no file, or out of the mirror.
    n_others: usize,
    /// Those to files whose names have lost their URLs.
    n_lost: usize,
    wrong: Vec<String>,
}

/// The host of the disk: as a URL of `http`, the place of a page resolves `//host/x` as the site.
const DISK: &str = "http://disk.example";

/// Returns the URL of a file at the host of the disk.
fn disk_url(path: &Path) -> String {
    file_url(path).as_str().replacen("file://", DISK, 1)
}

/// Returns the path of a URL at the host of the disk.
fn on_disk(url: &Url) -> Option<PathBuf> {
    let file = format!("file://{}", url.as_str().strip_prefix(DISK)?);
    path_of(&Url::parse(&file).ok()?)
}

/// Compares the references of a converted mirror with those of the same pages made absolute.
///
/// The names of the files in `lost` do not say what their URLs are.
fn tally(server: &Server, mirror: &Path, live: &Path, lost: &[&str]) -> Tally {
    let mut tally = Tally::default();
    for path in files(mirror) {
        let below = path.strip_prefix(mirror).expect("below");
        let before = fs::read(&path).expect("a file");
        let Some(name) = mark(&before).filter(|_| before.starts_with(b"<")) else { continue };
        let after = fs::read(live.join(below)).expect("a file");
        let own = own_url(server, &name);
        let verdict = judge::judge_moved_html(&before, &after, &disk_url(&path), own.as_str());
        assert!(verdict.violations.is_empty(), "{}: {:?}", below.display(), verdict.violations);
        for moved in verdict.moved.into_iter().flatten() {
            let [was, is] = &moved.targets;
            let file = on_disk(was).and_then(|path| fs::read(path).ok());
            let Some(expected) = file.and_then(|bytes| mark(&bytes)) else {
                tally.n_others += 1;
                if on_disk(was).is_none() && was != is {
                    tally.wrong.push(format!("{}: {was} became {is}", below.display()));
                }
                continue;
            };
            if on_disk(was).is_some_and(|path| lost.iter().any(|name| path.ends_with(name))) {
                tally.n_lost += 1;
                continue;
            }
            tally.n_files += 1;
            let found = server.get(is).and_then(|answer| mark(&answer));
            if found.as_ref() != Some(&expected) || was.fragment() != is.fragment() {
                tally.wrong.push(format!(
                    "{}: {} {:?}: {was} ({expected}) became {is} ({found:?})",
                    below.display(),
                    moved.slot,
                    moved.texts
                ));
            }
        }
    }
    tally
}

/// Mirrors the site with a program, and makes the mirror absolute.
fn check(server: &Server, directory: &Path, layout: &str, words: &[&str], lost: &[&str]) {
    let name = words.join(" ");
    let mirror = directory.join(format!("mirror by {}", name.replace('/', " ")));
    fs::create_dir(&mirror).expect("a directory");
    let home = format!("http://{}/", server.hosts[0]);
    let other = format!("http://{}/", server.hosts[1]);
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).arg(&home).stdin(Stdio::null());
    if layout == "httrack" {
        command.arg(&other);
    }
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    quiet.current_dir(&mirror).status().expect("the program runs");
    let live = directory.join(format!("live by {}", name.replace('/', " ")));
    let paths = [&mirror, &live].map(|path| path.to_str().expect("UTF-8").to_owned());
    relink_well(&["absolutize", &paths[0], "--layout", layout, "-o", &paths[1]]);
    let tally = tally(server, &mirror, &live, lost);
    println!(
        "{name}: {} references to files, {} to files that have lost their URL, {} others, {} wrong",
        tally.n_files,
        tally.n_lost,
        tally.n_others,
        tally.wrong.len()
    );
    assert!(tally.n_files >= 50, "{name}: {tally:?}");
    assert!(tally.wrong.is_empty(), "{name}: {:#?}", tally.wrong);
    // A second run changes nothing.
    let again = directory.join(format!("again by {}", name.replace('/', " ")));
    let again_path = again.to_str().expect("UTF-8");
    relink_well(&["absolutize", &paths[1], "--layout", layout, "-o", again_path]);
    for path in files(&live) {
        let below = path.strip_prefix(&live).expect("below");
        assert!(fs::read(&path).ok() == fs::read(again.join(below)).ok(), "{}", below.display());
    }
}

#[test]
fn every_url_answers_on_the_site() {
    let directory = tempfile::tempdir().expect("a directory");
    fs::create_dir(directory.path().join("served")).expect("a directory");
    let Some(server) = Server::start(&directory.path().join("served")) else {
        return crate::tools::skipped("there is no nginx here");
    };
    let by_wget = ["-r", "-l", "inf", "-p", "-k", "-H", "-nv", "-e", "robots=off", "--no-config"];
    let by_wget =
        [&["wget"][..], &by_wget, &["--local-encoding=utf-8", "-D", "127.0.0.1"]].concat();
    if crate::tools::has("wget", &["--version"]) {
        let wget = |more: &[&str], lost: &[&str]| {
            check(&server, directory.path(), "wget", &[&by_wget, more].concat(), lost);
        };
        wget(&[], &[]);
        // The first is a page without extension, or the answer of a redirect, the second a page
        // without extension and with an empty query, or one with a question mark in its name.
        let lost = ["docs.html", "what?.html"];
        wget(&["-E"], &lost);
        wget(&["-E", "--restrict-file-names=windows"], &lost);
        // `-k` writes new files, without the attribute.
        wget(&["-E", "--xattr"], &lost);
    }
    if crate::tools::has("httrack", &["--version"]) {
        let by_httrack = [&["httrack"], HTTRACK_AT_ONCE].concat();
        check(&server, directory.path(), "httrack", &by_httrack, &[]);
    }
}
