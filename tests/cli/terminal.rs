//! What a person sees on a terminal: progress, lines that fit, colours, changed documents.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use crate::dir::TestDir;
use crate::tools;
use crate::words;

fn has_script() -> bool {
    tools::has("script", &["--version"])
}

/// Returns the line with the path of the program.
fn program(line: &str) -> String {
    line.replace("relink", env!("CARGO_BIN_EXE_relink"))
}

/// Returns the command that runs a command line on a pseudo-terminal with so many columns.
fn script(dir: &TestDir, columns: usize, line: &str) -> Command {
    let line = format!("stty cols {columns} rows 24; {}", program(line));
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).current_dir(dir.path("")).stdin(Stdio::null());
    for name in ["CI", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "RELINK_BASE"] {
        script.env_remove(name);
    }
    script.env("TERM", "xterm");
    script
}

/// Runs a command line on a pseudo-terminal with so many columns, and returns what it shows, escape
/// sequences included; without the progress, which is shown only where the run is slow.
pub(crate) fn on_terminal(dir: &TestDir, columns: usize, line: &str) -> Option<String> {
    let run = || script(dir, columns, line).env("CI", "true").output().expect("it runs");
    let output = has_script().then(run)?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the text without SGR sequences.
fn plain(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    parts.for_each(|part| plain.push_str(part.split_once('m').map_or(part, |(_, rest)| rest)));
    plain
}

/// A tree whose pages each have longer differences than a pipe holds.
fn pages() -> TestDir {
    let dir = TestDir::new();
    let page = "<p><a href=b/c.html>text</a>\n".repeat(4000);
    (0..12).for_each(|n| dir.file(format!("site/page{n}.html"), &page));
    dir
}

/// The number of bytes of the differences of some pages, but not of all.
const SOME: usize = 1 << 20;

/// A run that lasts until its differences are read, which go into a pipe.
struct Held {
    run: Child,
    differences: File,
    /// What it has shown.
    shown: Arc<Mutex<String>>,
    reader: JoinHandle<()>,
}

impl Held {
    /// Begins a run on a terminal or without one, after settings of variables and with options. It
    /// has done the first page.
    fn begin(dir: &TestDir, out: &str, is_on_terminal: bool, set: &str, options: &str) -> Self {
        let pipe = dir.path(format!("{out}.pipe"));
        assert!(tools::runs("mkfifo", &[pipe.to_str().unwrap()]));
        let line = format!(
            "{set} relink absolutize site --base http://h.example/ --diff -o {out} {options} 2>&1 >{out}.pipe"
        );
        let mut command = if is_on_terminal {
            script(dir, 100, &line)
        } else {
            let mut command = Command::new("sh");
            command.args(["-c", &program(&line)]).current_dir(dir.path(""));
            command.stdin(Stdio::null());
            command
        };
        let mut run = command.stdout(Stdio::piped()).spawn().unwrap();
        let shown = Arc::new(Mutex::new(String::new()));
        let (mut output, screen) = (run.stdout.take().unwrap(), Arc::clone(&shown));
        let reader = thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(n @ 1..) = output.read(&mut bytes) {
                screen.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..n]));
            }
        });
        let mut held = Held { run, differences: File::open(pipe).unwrap(), shown, reader };
        held.read(1);
        held
    }

    /// Reads so many bytes of the differences.
    fn read(&mut self, n_octets: usize) {
        self.differences.read_exact(&mut vec![0; n_octets]).unwrap();
    }

    fn shows(&self, text: &str) -> bool {
        self.shown.lock().unwrap().contains(text)
    }

    /// Lets the run end, and returns what it has shown.
    fn end(mut self) -> String {
        self.differences.read_to_end(&mut Vec::new()).unwrap();
        assert!(self.run.wait().unwrap().success());
        self.reader.join().unwrap();
        self.shown.lock().unwrap().clone()
    }
}

/// A packed page is for a file or a pipe.
#[test]
fn pack_is_not_for_a_terminal() {
    let dir = TestDir::with(&[("a.html", "<img src=b.png>"), ("b.png", "PNG")]);
    let Some(shown) = on_terminal(&dir, 200, "relink pack a.html") else { return };
    assert!(!shown.contains("MIME-Version"), "{shown}");
    assert!(plain(&shown).contains("-o PAGE.html"), "{shown}");
    let shown = on_terminal(&dir, 200, "relink pack a.html -o -").unwrap_or_default();
    assert!(shown.contains("MIME-Version"), "{shown}");
    dir.relink("pack a.html").exits(0);
}

#[test]
fn progress_is_shown_while_a_run_lasts() {
    if !has_script() {
        return;
    }
    let dir = pages();
    let mut run = Held::begin(&dir, "out", true, "", "");
    tools::wait_until("the files are counted", || run.shows("/12 files"));
    // Some files are finished. The next one waits, and the line is drawn meanwhile.
    run.read(SOME);
    tools::wait_until("a file is named", || run.shows(" %  "));
    let shown = run.end();
    assert!(shown.contains("/12 files  ["), "{shown}");
    // It is relative to PATH.
    assert!(shown.contains("page") && !shown.contains("site/page"), "{shown}");
    // The line is removed before the summary.
    let summary = shown.rfind(&words::changed(12, 12)).expect("the summary");
    assert!(shown[..summary].ends_with("\r\x1b[2K"), "{shown}");
    assert!(!shown[summary..].contains('\x1b'), "{shown}");
}

/// A list does not hold the signal, and has the line removed before it ends.
#[test]
fn progress_is_removed_by_ctrl_c() {
    if !has_script() {
        return;
    }
    let dir = pages();
    assert!(tools::runs("mkfifo", &[dir.path("pipe").to_str().unwrap()]));
    let mut command = script(&dir, 100, "relink refs site 2>&1 >pipe");
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut run = command.spawn().unwrap();
    // It goes on when the list is read.
    let list = File::open(dir.path("pipe")).unwrap();
    let (mut stdin, mut stdout) = (run.stdin.take().unwrap(), run.stdout.take().unwrap());
    let mut shown = Vec::new();
    while !String::from_utf8_lossy(&shown).contains("/12 files") {
        let mut bytes = [0; 256];
        let n = stdout.read(&mut bytes).unwrap();
        assert!(n > 0, "{}", String::from_utf8_lossy(&shown));
        shown.extend_from_slice(&bytes[..n]);
    }
    stdin.write_all(b"\x03").unwrap();
    stdout.read_to_end(&mut shown).unwrap();
    drop(list);
    assert_eq!(run.wait().unwrap().code(), Some(130));
    let shown = String::from_utf8_lossy(&shown);
    let last = shown.rfind("/12 files").expect("the line");
    assert!(shown[last..].contains("\r\x1b[2K"), "{shown:?}");
}

#[test]
fn progress_is_not_shown_without_a_terminal_or_if_it_is_not_wanted() {
    if !has_script() {
        return;
    }
    let dir = pages();
    let without = [
        Held::begin(&dir, "piped", false, "", ""),
        Held::begin(&dir, "quiet", true, "", "-q"),
        Held::begin(&dir, "ci", true, "CI=true", ""),
        Held::begin(&dir, "dumb", true, "TERM=dumb", ""),
    ];
    // A run that began after them shows its progress: they would have shown theirs.
    let with = Held::begin(&dir, "shown", true, "", "");
    tools::wait_until("the files are counted", || with.shows("/12 files"));
    for run in without {
        let shown = run.end();
        assert!(!shown.contains("/12 files") && !shown.contains("\x1b[2K"), "{shown}");
    }
    with.end();
}

#[test]
fn the_summary_fits_the_terminal() {
    let dir = TestDir::with(&[("a.html", "<a href='http://[/'>x</a><a href=b>b</a>")]);
    let Some(shown) = on_terminal(&dir, 40, "relink absolutize a.html -o out.html") else { return };
    let shown = plain(&shown);
    assert!(shown.contains(&words::changed(1, 0)), "{shown}");
    let lines: Vec<&str> = shown.lines().map(|line| line.trim_end_matches('\r')).collect();
    assert!(lines.iter().all(|line| line.chars().count() <= 40), "{shown}");
    assert!(lines.iter().any(|line| line.starts_with("  ")), "{shown}");
}

#[test]
fn messages_have_colours_on_a_terminal_and_with_an_option() {
    let dir = TestDir::with(&[("a.html", "<a href=b>b</a>")]);
    let hint = "\x1b[1;36mhint:\x1b[0m ";
    let run = dir.relink("absolutize a.html -n --color always").exits(0);
    assert!(run.stderr.contains(hint), "{run}");
    let run = dir.relink("absolutize a.html -n --color auto").exits(0);
    assert!(!run.stderr.contains('\x1b'), "{run}");
    let run = dir.relink("absolutize missing --color always").exits(2);
    assert!(run.stderr.contains("\x1b[1;31merror:\x1b[0m "), "{run}");
    let Some(shown) = on_terminal(&dir, 100, "relink absolutize a.html -n") else { return };
    assert!(shown.contains(hint), "{shown}");
    let shown = on_terminal(&dir, 100, "NO_COLOR=1 relink absolutize a.html -n");
    assert!(!shown.unwrap_or_default().contains('\x1b'));
    // Every command has the option.
    dir.file("b", "text");
    for line in ["slots", "url resolve http://h/ x", "check .", "refs .", "bases ."] {
        dir.relink(&format!("{line} --color never")).exits(0);
    }
}

#[test]
fn changed_documents_are_named_on_request() {
    let dir = TestDir::with(&[
        ("site/a.html", "<a href=b.html>b</a><a href=http://h.example/c>c</a>"),
        ("site/b.html", "<p>no reference</p>"),
    ]);
    let run = dir.relink("absolutize site --base http://h.example/ -n -v").exits(0);
    let line =
        &format!("site/a.html: {}", words::sum(&[(1, words::REWRITTEN), (1, words::CORRECT)]));
    assert!(run.has_line(line), "{run}");
    assert!(!run.stderr.contains("b.html"), "{run}");
    let run = dir.relink("absolutize site --base http://h.example/ -n").exits(0);
    let lines = &format!(
        "{}\n{}\n",
        words::would_change(2, 1),
        words::sum(&[(1, words::REWRITTEN), (1, words::CORRECT)])
    );
    run.reports(lines);
}
