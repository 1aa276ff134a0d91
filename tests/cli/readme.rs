//! The first command of README.md: what it prints, and that README.md shows it.

use std::path::Path;
use std::process::Command;

#[test]
fn the_first_command_prints_little_and_what_the_readme_shows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
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
