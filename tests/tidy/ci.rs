//! The project's own check: what it runs, in which order, and what it refuses.

use std::path::Path;
use std::process::{Command, Output};

/// Returns true if there is what runs the check; otherwise the test is skipped.
#[track_caller]
fn has_bash() -> bool {
    crate::tools::has("bash", &["--version"])
}

fn ci(args: &[&str], is_ci: bool) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/run");
    let mut command = Command::new(script);
    command.args(args).env_remove("CI");
    if is_ci {
        command.env("CI", "true");
    }
    command.output().expect("bash starts")
}

/// The steps that a run would take, in order.
#[track_caller]
fn plan(args: &[&str], is_ci: bool) -> Vec<String> {
    let output = ci(&[args, &["--plan"]].concat(), is_ci);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8").lines().map(str::to_owned).collect()
}

/// The two commands of the README, as they stand there.
fn readme_commands() -> [String; 2] {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = std::fs::read_to_string(readme).expect("a README");
    ["    cargo test", "    cargo run --release"].map(|start| {
        let line = readme.lines().find(|line| line.starts_with(start)).expect("a command");
        line.trim().to_owned()
    })
}

#[test]
fn the_commands_of_the_readme_run_once_with_all_tools() {
    if !has_bash() {
        return;
    }
    for (args, is_ci) in
        [(&["--install"][..], false), (&[], true), (&["--full"], true), (&[], false)]
    {
        let plan = plan(args, is_ci);
        let installed = plan.iter().rposition(|step| step.starts_with("install"));
        for command in readme_commands() {
            let runs: Vec<usize> = (0..plan.len()).filter(|idx| plan[*idx] == command).collect();
            assert_eq!(runs.len(), 1, "{command}: {plan:?}");
            assert!(Some(runs[0]) > installed, "{command} runs before tools are installed");
        }
        assert!(plan.iter().any(|step| step.contains("without tools")), "{plan:?}");
    }
}

/// The tests ask for the plan while a run writes its table into the target folder.
#[test]
fn a_plan_writes_nothing() {
    if !has_bash() {
        return;
    }
    let dir = tempfile::tempdir().expect("a temporary directory");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/run");
    let mut command = Command::new(script);
    let output = command.arg("--plan").env("CARGO_TARGET_DIR", dir.path()).output();
    assert!(output.expect("bash starts").status.success());
    assert_eq!(std::fs::read_dir(dir.path()).expect("a directory").count(), 0);
}

#[test]
fn what_takes_long_is_in_the_full_run() {
    if !has_bash() {
        return;
    }
    let [short, full] = [plan(&[], true), plan(&["--full"], true)];
    assert!(short.iter().all(|step| full.contains(step)), "{short:?}");
    for long in ["Miri", "Spark", "whole trees", "growth, of all shapes"] {
        assert!(full.iter().any(|step| step == long), "{long}: {full:?}");
        assert!(!short.iter().any(|step| step == long), "{long}: {short:?}");
    }
}

/// What a full run adds, each step in one of them.
#[test]
fn the_shares_of_a_full_run_are_all_of_it() {
    if !has_bash() {
        return;
    }
    let [short, full] = [plan(&[], true), plan(&["--full"], true)];
    let mut shared: Vec<String> =
        ["1/3", "2/3", "3/3"].iter().flat_map(|share| plan(&["--full", share], false)).collect();
    let mut long: Vec<String> = full
        .into_iter()
        .filter(|step| !short.contains(step) && !step.starts_with("install"))
        .collect();
    assert!(long.len() > 20, "{long:?}");
    shared.sort_unstable();
    long.sort_unstable();
    assert_eq!(shared, long);
}

#[test]
fn nothing_is_installed_unless_that_is_wanted() {
    if !has_bash() {
        return;
    }
    let plan = plan(&[], false);
    assert!(plan.len() > 8, "{plan:?}");
    assert!(!plan.iter().any(|step| step.starts_with("install")), "{plan:?}");
}

#[test]
fn an_unknown_argument_is_an_error_with_the_usage() {
    if !has_bash() {
        return;
    }
    for args in [
        &["--ful"][..],
        &["--full", "x"],
        &["-i"],
        &["1/2"],
        &["--full", "3/2"],
        &["--full", "1/x"],
    ] {
        let output = ci(args, false);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(stderr.starts_with("error: "), "{stderr}");
        assert!(stderr.contains("Usage: .ci/run"), "{stderr}");
        assert!(output.stdout.is_empty());
    }
    let help = ci(&["--help"], false);
    assert!(help.status.success() && help.stdout.starts_with(b"Usage: .ci/run"));
}
