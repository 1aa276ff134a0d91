//! An empty directory, the program run in it, and what came of it: all of it is printed when an
//! expectation is not met.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::SystemTime;

use tempfile::TempDir;
use walkdir::WalkDir;

use crate::tools;

/// A directory of its own for one test.
pub(crate) struct TestDir {
    directory: TempDir,
}

/// What a run of the program left behind, apart from files.
pub(crate) struct Run {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    /// `None` if a signal ended it, or if it hung.
    status: Option<i32>,
    command: String,
    directory: PathBuf,
}

/// What is at a path. Modes are those of Unix; elsewhere they are 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    Directory { mode: u32, modified: SystemTime },
    File { mode: u32, modified: SystemTime, bytes: Vec<u8> },
    Link(PathBuf),
    Special,
}

impl TestDir {
    /// An empty directory.
    pub(crate) fn new() -> Self {
        TestDir { directory: tempfile::tempdir().expect("a temporary directory") }
    }

    /// A directory that holds files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let dir = TestDir::new();
        files.iter().for_each(|(name, text)| dir.file(name, text));
        dir
    }

    /// A directory with a copy of `fixtures/site` in `site`.
    pub(crate) fn with_site() -> Self {
        TestDir::with_fixture("site")
    }

    /// A directory with a copy of a tree of `fixtures` in a directory of the same name.
    pub(crate) fn with_fixture(name: &str) -> Self {
        let dir = TestDir::new();
        let from = crate::fixture(name);
        for entry in WalkDir::new(&from) {
            let entry = entry.expect("the fixtures can be read");
            let name = Path::new(name).join(entry.path().strip_prefix(&from).unwrap());
            if entry.file_type().is_dir() {
                dir.directory(name)
            } else {
                dir.file(name, fs::read(entry.path()).expect("a fixture"))
            }
        }
        dir
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The path that messages name if they resolve links.
    pub(crate) fn real(&self, name: &str) -> String {
        let directory = self.directory.path().canonicalize().expect("a temporary directory");
        directory.join(name).display().to_string()
    }

    pub(crate) fn directory(&self, name: impl AsRef<Path>) {
        fs::create_dir_all(self.path(name)).expect("the directory can be created");
    }

    /// Writes a file, and makes the directories that it needs.
    pub(crate) fn file(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("the directory can be created");
        fs::write(path, bytes).expect("a file can be written");
    }

    #[track_caller]
    pub(crate) fn bytes(&self, name: impl AsRef<Path>) -> Vec<u8> {
        let path = self.path(name);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    #[track_caller]
    pub(crate) fn text(&self, name: impl AsRef<Path>) -> String {
        String::from_utf8(self.bytes(name)).expect("UTF-8")
    }

    /// Runs git in a directory, and returns what it prints.
    pub(crate) fn git(&self, at: &str, args: &str) -> String {
        let output = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"])
            .args(["-c", "protocol.file.allow=always"])
            .args(args.split(' '))
            .current_dir(self.path(at))
            .output()
            .expect("git runs");
        assert!(output.status.success(), "{args}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Whether anything is there, a dangling link included.
    pub(crate) fn has(&self, name: impl AsRef<Path>) -> bool {
        self.path(name).symlink_metadata().is_ok()
    }

    /// Everything below a directory, itself included (as the empty path).
    pub(crate) fn tree(&self, name: impl AsRef<Path>) -> BTreeMap<PathBuf, Node> {
        let root = self.path(name);
        let node = |path: &Path| {
            let metadata = path.symlink_metadata().expect("metadata");
            let (mode, modified) = (mode(&metadata), metadata.modified().expect("a time"));
            match metadata.file_type() {
                kind if kind.is_symlink() => Node::Link(fs::read_link(path).expect("a link")),
                kind if kind.is_dir() => Node::Directory { mode, modified },
                kind if kind.is_file() => {
                    Node::File { mode, modified, bytes: fs::read(path).unwrap_or_default() }
                }
                _ => Node::Special,
            }
        };
        WalkDir::new(&root)
            .into_iter()
            .filter_map(Result::ok)
            .map(|entry| (entry.path().strip_prefix(&root).unwrap().to_owned(), node(entry.path())))
            .collect()
    }

    /// Runs the program with the words of a line as its arguments, in this directory.
    pub(crate) fn relink(&self, line: &str) -> Run {
        self.pipe(line, b"")
    }

    /// As [`TestDir::relink`], with these bytes on standard input.
    pub(crate) fn pipe(&self, line: &str, stdin: &[u8]) -> Run {
        self.run(&[], line.split_whitespace().map(OsString::from).collect(), stdin)
    }

    /// As [`TestDir::relink`], with arguments that hold spaces, or no text.
    pub(crate) fn relink_with(&self, args: &[&OsStr]) -> Run {
        self.run(&[], args.iter().map(OsString::from).collect(), b"")
    }

    /// As [`TestDir::relink`], run by another program: `setpriv` and its arguments.
    pub(crate) fn relink_by(&self, runner: &[&str], line: &str) -> Run {
        self.run(runner, line.split_whitespace().map(OsString::from).collect(), b"")
    }

    /// The command, ready to be started in this directory.
    pub(crate) fn command(&self, runner: &[&str]) -> Command {
        let program = env!("CARGO_BIN_EXE_relink");
        let mut command = match runner {
            [] => Command::new(program),
            [first, rest @ ..] => {
                let mut command = Command::new(first);
                command.args(rest).arg(program);
                command
            }
        };
        command
            .current_dir(self.directory.path())
            .env("COLUMNS", "100")
            .env_remove("RUST_BACKTRACE");
        for name in ["RELINK_BASE", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        // No configuration of the user.
        command.env("XDG_CONFIG_HOME", "/nonexistent");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, runner: &[&str], args: Vec<OsString>, stdin: &[u8]) -> Run {
        let mut child = self.command(runner).args(&args).spawn().expect("the program starts");
        let (mut input, mut stdout, mut stderr) = (
            child.stdin.take().expect("a pipe"),
            child.stdout.take().expect("a pipe"),
            child.stderr.take().expect("a pipe"),
        );
        let (mut output, mut report) = (Vec::new(), Vec::new());
        let status = thread::scope(|scope| {
            scope.spawn(|| drop(stdout.read_to_end(&mut output)));
            scope.spawn(|| drop(stderr.read_to_end(&mut report)));
            scope.spawn(move || drop(input.write_all(stdin)));
            // A run that hangs fails the test, and is ended so that its output ends.
            let mut child = KilledOnDrop(child);
            tools::wait_for("the end of the run", || {
                let status = child.0.try_wait().expect("the program can be waited for");
                status.map(|status| status.code())
            })
        });
        let words: Vec<_> = args.iter().map(|arg| arg.to_string_lossy()).collect();
        Run {
            stdout: output,
            stderr: String::from_utf8_lossy(&report).into_owned(),
            status,
            command: format!("relink {}", words.join(" ")),
            directory: self.directory.path().to_owned(),
        }
    }
}

/// A process that does not outlast its test.
struct KilledOnDrop(Child);

impl Drop for KilledOnDrop {
    fn drop(&mut self) {
        // It has ended, unless the test fails.
        drop(self.0.kill());
    }
}

#[cfg(unix)]
fn mode(metadata: &fs::Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o7777
}

#[cfg(not(unix))]
fn mode(_: &fs::Metadata) -> u32 {
    0
}

impl Run {
    /// Standard output as text.
    #[track_caller]
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap_or_else(|_| panic!("no text{self}"))
    }

    #[track_caller]
    pub(crate) fn exits(self, status: i32) -> Self {
        assert!(self.status == Some(status), "expected exit status {status}{self}");
        self
    }

    /// Standard output is exactly this.
    #[track_caller]
    pub(crate) fn prints(self, expected: impl AsRef<[u8]>) -> Self {
        let expected = expected.as_ref();
        let text = String::from_utf8_lossy(expected);
        assert!(self.stdout == expected, "expected on standard output:\n{text}{self}");
        self
    }

    /// Standard error is exactly this.
    #[track_caller]
    pub(crate) fn reports(self, expected: &str) -> Self {
        assert!(self.stderr == expected, "expected on standard error:\n{expected}{self}");
        self
    }

    /// The run ends with status 2, prints nothing on standard output, and one message.
    #[track_caller]
    pub(crate) fn fails(self, reason: &str) -> Self {
        self.exits(2).reports(&format!("{reason}\n")).prints("")
    }

    /// Returns the sums of a run with `--format json`, which are its last record.
    #[track_caller]
    pub(crate) fn summary(&self) -> serde_json::Value {
        let last = self.text().lines().last().unwrap_or_default();
        let summary: serde_json::Value = serde_json::from_str(last).unwrap_or_default();
        assert!(summary["type"] == "summary", "no summary at the end of the records{self}");
        summary
    }

    /// One of the lines of standard error is this one, as a whole.
    pub(crate) fn has_line(&self, line: &str) -> bool {
        self.stderr.lines().any(|other| other == line)
    }

    /// One of the lines of standard error starts with this text.
    pub(crate) fn has_line_with(&self, start: &str) -> bool {
        self.stderr.lines().any(|line| line.starts_with(start))
    }
}

impl std::fmt::Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text: String = String::from_utf8_lossy(&self.stdout).chars().take(4000).collect();
        writeln!(f, "\n--- {} (exit status {:?})", self.command, self.status)?;
        writeln!(f, "--- standard output\n{text}\n--- standard error\n{}\n--- files", self.stderr)?;
        for entry in
            WalkDir::new(&self.directory).sort_by_file_name().into_iter().filter_map(Result::ok)
        {
            writeln!(
                f,
                "{}",
                entry.path().strip_prefix(&self.directory).unwrap_or(entry.path()).display()
            )?;
        }
        Ok(())
    }
}
