//! README.md and `docs/`: the first command and its output, and that the options of all commands
//! exist.

use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn the_first_command_prints_little_and_what_the_readme_shows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let line = readme.lines().find_map(|line| line.strip_prefix("    cargo run --release -- "));
    let arguments = line.expect("a command").split(' ');
    let run = Command::new(env!("CARGO_BIN_EXE_relink"))
        .args(arguments)
        .env_remove("RELINK_BASE")
        .current_dir(root)
        .output()
        .unwrap();
    let (stdout, stderr) =
        (String::from_utf8(run.stdout).unwrap(), String::from_utf8(run.stderr).unwrap());
    assert_eq!(run.status.code(), Some(0), "{stderr}");
    let n_lines = stdout.lines().count() + stderr.lines().count();
    assert!(n_lines <= 40, "{n_lines} lines:\n{stdout}{stderr}");
    let (_, shown) = readme.split_once("```diff\n").expect("a diff");
    let (shown, _) = shown.split_once("```").expect("its end");
    assert!(stdout.contains(shown), "README.md shows another diff than\n{stdout}");
}

/// Splits a command line as a shell does: at blanks, outside of single quotes, up to a comment, a
/// pipe or a redirection.
fn arguments(line: &str) -> Vec<String> {
    let mut arguments = vec![String::new()];
    for (idx, piece) in line.split('\'').enumerate() {
        if idx % 2 == 1 {
            arguments.last_mut().unwrap().push_str(piece);
            continue;
        }
        let end = [" #", " |", " <", " >"].iter().filter_map(|mark| piece.find(mark)).min();
        let mut words = piece[..end.unwrap_or(piece.len())].split(' ');
        arguments.last_mut().unwrap().push_str(words.next().unwrap_or_default());
        arguments.extend(words.map(str::to_owned));
        if end.is_some() {
            break;
        }
    }
    arguments.retain(|argument| !argument.is_empty());
    arguments
}

#[test]
fn options_in_the_documentation_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<_> =
        fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.push(root.join("README.md"));
    let mut n_commands = 0;
    for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "md")) {
        let text = fs::read_to_string(file).unwrap().replace("\\\n", "");
        for line in text.lines().filter(|line| line.starts_with("    ")) {
            let Some((before, command)) = line.split_once("relink ") else { continue };
            if !before.trim().is_empty() && !before.ends_with("| ") {
                continue;
            }
            // An unknown option is an error although `--help` follows.
            let run = Command::new(env!("CARGO_BIN_EXE_relink"))
                .args(arguments(command))
                .arg("--help")
                .output()
                .unwrap();
            let stderr = String::from_utf8_lossy(&run.stderr);
            assert_eq!(run.status.code(), Some(0), "{}: {line}\n{stderr}", file.display());
            n_commands += 1;
        }
    }
    assert!(n_commands > 30, "{n_commands} commands");
}

#[test]
fn arguments_are_split_as_a_shell_does() {
    assert_eq!(
        arguments("check 'a b' --skip 'x[y]' --format json | jq -r .x # y"),
        ["check", "a b", "--skip", "x[y]", "--format", "json"]
    );
}
