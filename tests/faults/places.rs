//! Runs that are interrupted over PATHs with odd names, and whose journals are in odd places.

use std::fs;
use std::os::unix::fs::symlink;

use tempfile::TempDir;

use crate::held::{Held, MANY, ONE_THREAD};

const PAGE: &str = "<a href=http://old/x>\n";
const MOVED: &str = "<a href=http://old/a/x>\n";

struct Site(TempDir);

impl Site {
    fn new() -> Self {
        let site = Site(tempfile::tempdir().unwrap());
        for directory in ["site", "more"] {
            fs::create_dir(site.path(directory)).unwrap();
            fs::write(site.path(directory).join("a.html"), PAGE).unwrap();
        }
        // A run that is held at the first page has not begun the last one.
        fs::create_dir(site.path("site/m")).unwrap();
        (0..MANY).for_each(|n| fs::write(site.path(&format!("site/m/{n}.txt")), "x").unwrap());
        fs::write(site.path("site/z.html"), PAGE).unwrap();
        symlink("site", site.path("alias")).unwrap();
        site
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn relink(&self, directory: &str, line: &str) -> (Option<i32>, String) {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_relink"));
        let output =
            command.args(line.split(' ')).current_dir(self.path(directory)).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// Begins a run, and kills it when the first page is written over.
    fn break_off(&self, directory: &str, line: &str) {
        self.break_off_by(&[], directory, line);
    }

    fn break_off_by(&self, runner: &[&str], directory: &str, line: &str) {
        let words: Vec<&str> = runner.iter().chain(&ONE_THREAD).copied().collect();
        let mut command = std::process::Command::new(words[0]);
        command.args(&words[1..]).arg(env!("CARGO_BIN_EXE_relink"));
        command.args(line.split(' ')).current_dir(self.path(directory));
        let page = self.path("site/a.html");
        drop(Held::begin(command, || fs::read(&page).unwrap() != PAGE.as_bytes()));
        assert!(fs::read(self.path("site/z.html")).unwrap() == PAGE.as_bytes(), "{line}");
    }

    fn holds(&self, page: &str) {
        assert!(fs::read_to_string(self.path("site/a.html")).unwrap() == page);
        assert!(fs::read_to_string(self.path("site/z.html")).unwrap() == page);
        for directory in ["", "site", "more"] {
            let mut entries = fs::read_dir(self.path(directory)).unwrap().map(Result::unwrap);
            let left = entries.find(|entry| {
                let name = entry.file_name().to_string_lossy().into_owned();
                name.starts_with(".relink-journal") || name.ends_with("journal")
            });
            assert!(left.is_none(), "{left:?} is left");
        }
    }
}

/// With a base that is not guessed, which would be the first message.
const MOVE: &str = "--base http://old/ --from http://old/ --to http://old/a/ -i -v";

#[test]
fn whatever_a_path_is_called_its_run_goes_on_and_back() {
    for (directory, path, name) in [
        (".", "site/", "site"),
        ("site", ".", "."),
        ("site", ".", "../alias"),
        (".", "alias", "site/"),
        (".", "alias/", "./more/../site"),
        ("more", "../site", "../alias"),
        (".", "./site/.", "alias"),
    ] {
        for (command, page) in [("resume", MOVED), ("undo", PAGE)] {
            let site = Site::new();
            site.break_off(directory, &format!("move {path} {MOVE}"));
            let (status, report) = site.relink(directory, &format!("{command} {name}"));
            assert_eq!(status, Some(0), "{command} {path} as {name}: {report}");
            site.holds(page);
        }
    }
}

/// Where nothing may be made beside the PATH the journal is in it.
#[test]
fn a_journal_in_the_tree() {
    use std::os::unix::fs::PermissionsExt;
    const BOUND: [&str; 5] = ["setpriv", "--bounding-set", "-dac_override", "--inh-caps", "-all"];
    for (command, page) in [("resume", "<a href=https://n/x>\n"), ("undo", PAGE)] {
        let site = Site::new();
        let chmod =
            |mode| fs::set_permissions(site.path(""), fs::Permissions::from_mode(mode)).unwrap();
        chmod(0o555);
        let touches = |name: &str| {
            let path = site.path(name);
            crate::tools::runs(
                BOUND[0],
                &[&BOUND[1..], &["touch", path.to_str().unwrap()]].concat(),
            )
        };
        // It starts, and may not write.
        if !touches("site/a.html") || touches("x") {
            chmod(0o755);
            crate::tools::skipped("there is no 'setpriv' here");
            return;
        }
        site.break_off_by(
            &BOUND,
            ".",
            "move site --base http://old/ --from http://old/ --to https://n/ -i -v",
        );
        assert!(site.path("site/.relink-journal").exists());
        chmod(0o755);
        let (status, report) = site.relink(".", &format!("{command} site"));
        assert_eq!(status, Some(0), "{report}");
        site.holds(page);
    }
}
