//! The commands in the pages of `docs/`, with what they print: each ```` ```console ```` block is
//! run by a shell in a copy of `fixtures/book`, one copy for each page. With `RELINK_BLESS=1` the
//! output is written into the page, to be read.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::dir::TestDir;
use crate::words::LEAVES_TREE;

/// Copies a directory.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a directory") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy(&entry.path(), &to)
        } else {
            fs::copy(entry.path(), to).expect("a file");
        }
    }
}

/// Runs a line in a shell, with relink in its path, and returns both outputs.
fn run(line: &str, directory: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_relink"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", program.parent().expect("a directory").display());
    let output = Command::new("sh")
        .args(["-c", &format!("{{ {line}\n}} 2>&1")])
        .current_dir(directory)
        .env("PATH", path)
        .env("COLUMNS", "100")
        .env("LC_ALL", "C.UTF-8")
        .env("XDG_CONFIG_HOME", "/nonexistent")
        .env_remove("RELINK_BASE")
        .output()
        .expect("a shell");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Returns a page with the outputs of the commands in its blocks, and the number of commands.
fn with_outputs(page: &str, directory: &Path) -> (String, usize) {
    let (mut out, mut is_block, mut n_commands) = (String::new(), false, 0);
    for line in page.lines() {
        match (is_block, line) {
            (false, "```console") => is_block = true,
            (true, "```") => is_block = false,
            (true, _) => {
                if let Some(command) = line.strip_prefix("$ ") {
                    n_commands += 1;
                    out.push_str(&format!("{line}\n{}", run(command, directory)));
                    if !out.ends_with('\n') {
                        out.push('\n');
                    }
                }
                continue;
            }
            _ => {}
        }
        out.push_str(line);
        out.push('\n');
    }
    (out, n_commands)
}

#[test]
#[cfg(unix)]
fn commands_in_the_documentation_print_what_it_shows() {
    if !crate::tools::has("grep", &["--version"]) {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut n_all = 0;
    for entry in fs::read_dir(root.join("docs")).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let dir = TestDir::new();
        copy(&root.join("fixtures/book"), &dir.path(""));
        let page = fs::read_to_string(&path).expect("a page");
        let (printed, n_commands) = with_outputs(&page, &dir.path(""));
        n_all += n_commands;
        if std::env::var_os("RELINK_BLESS").is_some() && n_commands > 0 {
            fs::write(&path, printed).expect("a page");
        } else {
            assert_eq!(page, printed, "{}", path.display());
        }
    }
    assert!(n_all >= 15, "{n_all} commands");
}

#[test]
fn the_book_lists_each_page() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).expect("a page");
    for entry in fs::read_dir(docs).expect("a directory") {
        let name = entry.expect("an entry").file_name().into_string().expect("UTF-8");
        let is_page = name.ends_with(".md") && name != "SUMMARY.md";
        assert!(!is_page || summary.contains(&format!("]({name})")), "{name} is not in SUMMARY.md");
    }
}

#[test]
fn the_book_builds_and_its_links_lead_somewhere() {
    if !crate::tools::has("mdbook", &["--version"]) {
        return;
    }
    let dir = TestDir::new();
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let book = dir.path("book");
    let built = Command::new("mdbook").arg("build").arg(docs).arg("-d").arg(&book).output();
    let built = built.expect("mdbook runs");
    let log = String::from_utf8_lossy(&built.stderr).into_owned();
    assert!(built.status.success() && !log.contains("WARN") && !log.contains("ERROR"), "{log}");
    // Links to files of the repository lead out of the book.
    let run = dir.relink("check book --base http://h.example/repository/docs/ --fragments");
    let broken: Vec<&str> = run.text().lines().filter(|line| !line.contains(LEAVES_TREE)).collect();
    assert!(broken.is_empty(), "{broken:#?}");
}
