//! Files of Office and OpenDocument that the libraries of Python made, moved to another share,
//! back, and to a server. `tests/cli/office.py` makes them and judges the moves.

use std::path::Path;
use std::process::Command;

use crate::dir::TestDir;
use crate::tools;

#[test]
fn files_of_other_libraries_move_between_shares_and_servers() {
    let Some(python) = tools::python_with("office", "docx, openpyxl, pptx, odf") else { return };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/office.py");
    let is_full = std::env::var_os("RELINK_FULL").is_some();
    let dir = TestDir::new();
    let mut command = Command::new(python);
    command.arg(script).arg("generated").arg(env!("CARGO_BIN_EXE_relink")).arg(dir.path("."));
    let run = command.arg(if is_full { "157" } else { "14" }).output().unwrap();
    let report = [run.stdout, run.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(run.status.success(), "{}{}", report[0], report[1]);
}
