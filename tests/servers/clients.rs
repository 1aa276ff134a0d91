//! A tree at a place, and what real clients reach there: each starts from the first page and
//! follows what it finds.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use walkdir::WalkDir;

use super::script;
use super::serve::{Asked, Web};

/// Runs a script and returns the JSON that it prints, if it prints any.
#[track_caller]
pub(crate) fn python(name: &str, args: &[&str]) -> Option<Value> {
    let output =
        Command::new("python3").arg(script(name)).args(args).output().expect("python3 starts");
    let report = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {report}");
    let line = String::from_utf8(output.stdout).expect("UTF-8");
    (!line.is_empty()).then(|| serde_json::from_str(&line).expect("JSON"))
}

pub(crate) fn strings(value: &Value) -> Vec<String> {
    let strings = value.as_array().expect("a list").iter();
    strings.map(|value| value.as_str().expect("a text").to_owned()).collect()
}

/// A place of the tree.
pub(crate) struct Place {
    pub(crate) directory: PathBuf,
    pub(crate) url: String,
}

impl Place {
    /// Puts a tree there while `act` looks at it.
    pub(crate) fn with<T>(&self, tree: &Path, act: impl FnOnce() -> T) -> T {
        fs::rename(tree, &self.directory).expect("a tree can be moved");
        let result = act();
        fs::rename(&self.directory, tree).expect("a tree can be moved back");
        result
    }
}

/// What `wget --spider -r` reaches from the first page.
pub(crate) fn wget(web: &Web, place: &Place, directory: &Path) -> Asked {
    let path = format!("/{}", place.url.splitn(4, '/').nth(3).expect("a path"));
    web.asked(&path, || {
        let status = Command::new("wget")
            .args(["-r", "-l", "inf", "-p", "-nv", "--spider", "-e", "robots=off", "--no-config"])
            .arg(format!("{}index.html", place.url))
            .current_dir(directory)
            .stderr(Stdio::null())
            .status()
            .expect("wget runs");
        // 8: the server had something not.
        assert!(matches!(status.code(), Some(0 | 8)), "{status}");
    })
}

/// What is reached by `ftp`: every file has its bytes, and `wget --spider` finds it too.
pub(crate) fn follow(place: &Place, directory: &Path) -> Asked {
    let start = format!("{}index.html", place.url);
    let tree = place.directory.to_str().expect("UTF-8");
    let found = python("follow.py", &[&start, tree]).expect("a result");
    assert_eq!(strings(&found["wrong"]), [""; 0], "other bytes");
    let asked = Asked { reached: strings(&found["reached"]), missing: strings(&found["missing"]) };
    let paths = asked.reached.iter().chain(&asked.missing);
    let urls: String = paths.map(|path| format!("{}{path}\n", place.url)).collect();
    fs::write(directory.join("urls"), urls).expect("a file");
    let output = Command::new("wget")
        .args(["--spider", "-nv", "--no-config", "-i", "urls"])
        .current_dir(directory)
        .env("LC_ALL", "C")
        .output()
        .expect("wget runs");
    // By ftp its status is that of an error whatever it finds.
    let report = String::from_utf8_lossy(&output.stderr);
    let n = |start: &str, end: &str| {
        report.lines().filter(|line| line.starts_with(start) && line.ends_with(end)).count()
    };
    assert_eq!(n("File ", " exists."), asked.reached.len(), "what wget finds:\n{report}");
    assert_ne!(n("No such file ", "."), 0, "it sees what is missing:\n{report}");
    asked
}

/// What Chromium reaches on the disk, if there is one; pages that are shown load all that they
/// want.
pub(crate) fn browse(place: &Place) -> Option<Asked> {
    let tree = place.directory.to_str().expect("UTF-8");
    let pages = WalkDir::new(&place.directory).sort_by_file_name().into_iter();
    let pages = pages.filter_map(|entry| {
        let path = entry.expect("the tree can be read").into_path();
        let path = path.strip_prefix(&place.directory).expect("below").to_str()?.to_owned();
        path.ends_with(".html").then_some(path)
    });
    let every = if std::env::var_os("RELINK_FULL").is_some() { 10 } else { 100 };
    let pages: Vec<String> = pages.step_by(every).collect();
    let args: Vec<&str> = std::iter::once(tree).chain(pages.iter().map(String::as_str)).collect();
    let found = python("browse.py", &args)?;
    assert_eq!(strings(&found["failed"]), [""; 0], "all that is shown is loaded");
    Some(Asked { reached: strings(&found["reached"]), missing: strings(&found["missing"]) })
}
