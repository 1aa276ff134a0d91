//! Files of Office and OpenDocument that the libraries of Python made, moved to another share,
//! back, and to a server. `tests/cli/office.py` makes them and judges the moves.

use std::path::Path;
use std::process::Command;

use crate::dir::TestDir;
use crate::tools;

/// Runs the script with a number of files.
fn judge(command: &str, number: &str) {
    let Some(python) = tools::python_with("office", "docx, openpyxl, pptx, odf") else { return };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/office.py");
    let (dir, mut judge) = (TestDir::new(), Command::new(python));
    judge.arg(script).arg(command).arg(env!("CARGO_BIN_EXE_relink")).arg(dir.path("."));
    let run = judge.arg(number).output().unwrap();
    let report = [run.stdout, run.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(run.status.success(), "{}{}", report[0], report[1]);
}

#[test]
fn files_of_other_libraries_move_between_shares_and_servers() {
    let is_full = std::env::var_os("RELINK_FULL").is_some();
    judge("generated", if is_full { "157" } else { "14" });
}

/// LibreOffice starts slowly: only with `RELINK_FULL`.
#[test]
fn libre_office_reads_the_same_texts_and_the_moved_links() {
    let is_full = std::env::var_os("RELINK_FULL").is_some();
    if is_full && tools::has("soffice", &["--version"]) {
        judge("converted", "157");
    }
}
