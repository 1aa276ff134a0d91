//! Completions, manual pages and the version: each is read by the program that it is for.

use std::process::{Command, Stdio};

use crate::dir::TestDir;
use crate::tools;
use crate::words::NOT_ACCEPTED;

#[test]
fn completions_are_scripts_of_their_shells() {
    let dir = TestDir::new();
    for (shell, program, args, option) in [
        ("bash", "bash", &["-n"][..], "--in-place"),
        ("zsh", "zsh", &["-n"], "--in-place"),
        ("fish", "fish", &["--no-execute"], "in-place"),
        ("powershell", "pwsh", &[], "--in-place"),
        ("nushell", "nu", &["--ide-check", "10"], "--in-place"),
    ] {
        let run = dir.relink(&format!("completions {shell}")).exits(0).reports("");
        let script = run.text();
        assert!(script.contains(option) && script.contains("absolutize"), "{shell}");
        // PowerShell has no option that only parses.
        if args.is_empty() || !tools::has(program, &["--version"]) {
            continue;
        }
        dir.file(shell, script);
        let status = Command::new(program).args(args).arg(dir.path(shell)).status();
        assert!(status.expect("it runs").success(), "{shell} rejects the script");
    }
    let run = dir.relink("completions tcsh").exits(2).prints("");
    assert!(run.stderr.contains(&format!("{NOT_ACCEPTED} 'tcsh'")), "{run}");
}

/// Bash itself completes a command and an option.
#[test]
fn bash_completes_words() {
    if !tools::has("bash", &["--version"]) {
        return;
    }
    let dir = TestDir::new();
    dir.file("relink.bash", dir.relink("completions bash").exits(0).text());
    for (words, expected) in
        [("relink relat", "relativize"), ("relink absolutize --in-p", "--in-place")]
    {
        let script = format!(
            "source ./relink.bash; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _relink relink \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD - 1]}}\"; \
             echo \"${{COMPREPLY[@]}}\""
        );
        let output = Command::new("bash").args(["-c", &script]).current_dir(dir.path("")).output();
        let output = output.expect("it runs");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), expected, "{words}");
    }
}

#[test]
fn each_command_has_a_manual_page() {
    let dir = TestDir::new();
    dir.relink("man pages/man1").exits(0).reports("").prints("");
    for name in ["relink", "relink-absolutize", "relink-url-resolve"] {
        let page = dir.text(format!("pages/man1/{name}.1"));
        assert!(page.contains(".SH NAME") && page.contains(".TH"), "{name}");
        if !tools::has("man", &["--version"]) {
            continue;
        }
        let page = dir.path(format!("pages/man1/{name}.1"));
        let mut man = Command::new("man");
        man.args(["--warnings", "-l"]).arg(page).stdin(Stdio::null()).env("MANWIDTH", "80");
        let output = man.output().expect("it runs");
        assert!(output.status.success(), "{name}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "warnings about {name}");
    }
    dir.file("taken", "a file");
    dir.relink("man taken").exits(2);
}

#[test]
fn each_option_of_a_manual_page_has_its_text_and_examples_have_a_section() {
    let dir = TestDir::new();
    dir.relink("man pages").exits(0);
    let (mut n_options, mut n_examples) = (0, 0);
    for entry in std::fs::read_dir(dir.path("pages")).expect("it is there") {
        let page = std::fs::read_to_string(entry.expect("it is read").path()).expect("it is text");
        let mut lines = page.lines().skip_while(|line| *line != ".SH OPTIONS");
        while let Some(line) = lines.next() {
            if line != ".TP" {
                continue;
            }
            let option = lines.next().unwrap_or_default();
            n_options += usize::from(option.contains("\\-\\-"));
            let text = lines.next().unwrap_or_default();
            assert!(!text.is_empty() && !text.starts_with('.'), "{option}: {text:?}");
        }
        assert!(!page.contains(".SH EXTRA\nExamples"), "{page}");
        n_examples += page.matches(".SH EXAMPLES\n").count();
    }
    assert!(n_options > 300 && n_examples > 15, "{n_options} {n_examples}");
}

#[test]
fn the_version_is_short_or_with_its_commit() {
    let dir = TestDir::new();
    let version = format!("relink {}\n", env!("CARGO_PKG_VERSION"));
    dir.relink("-V").exits(0).prints(&version);
    let run = dir.relink("--version").exits(0);
    let lines: Vec<&str> = run.text().lines().collect();
    assert_eq!(lines.len(), 3, "{run}");
    assert_eq!(format!("{}\n", lines[0]), version);
    assert!(lines[1].starts_with("commit ") && lines[2].starts_with("target "), "{run}");
}
