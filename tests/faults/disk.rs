//! Full disks: a small one of its own, and a limit of the length of files, which journals meet
//! before documents, and mailboxes before pages.

use std::process::{Command, Stdio};

use crate::tree::{ALL, CASES, Case, Place, first_tree, read, report, same};

fn cases() -> Vec<&'static Case> {
    if crate::is_long() { CASES.to_vec() } else { vec![&ALL] }
}

/// No file may become longer than so many blocks; with a trap the program is informed, without it
/// the system ends it.
#[test]
fn files_that_may_not_grow() {
    for case in cases() {
        let place = Place::in_memory(case, first_tree(8, 60));
        let (mut n_runs, mut n_broken_off) = (0, 0);
        for blocks in 0..24 {
            for trap in ["trap '' XFSZ;", ""] {
                place.restore("first");
                let script = format!("{trap} ulimit -f {blocks}; exec \"$@\"");
                let output =
                    place.command(&["sh", "-c", &script, "sh"], case.line).output().unwrap();
                let after = format!("{} with {blocks} blocks {trap}", case.line);
                n_broken_off += u32::from(place.survives(&after, &output));
                n_runs += 1;
            }
        }
        let n_files = place.n_files.take();
        println!(
            "{}: {n_runs} runs with short files, {n_broken_off} of them broken off, {n_files} files checked, 0 bytes lost",
            case.line
        );
        assert!(n_broken_off > 5, "{n_broken_off}");
    }
}

/// All of it on a disk of its own: a run on it when it is full, then with more room `resume`, or
/// `undo`. `$1` is the size, `$2` the program, `$3` what names the run, `$4` the directory with
/// `first`.
const SCRIPT: &str = r#"
size=$1 relink=$2 name=$3 top=$4; shift 4
mount -t tmpfs -o "size=$size" none "$top/w" || exit 99
cp -a "$top/first/." "$top/w" || exit 98
cd "$top/w" || exit 97
"$relink" "$@"; status=$?
rm -rf "$top/faulted" "$top/resumed" "$top/undone"
cp -a "$top/w" "$top/faulted"
mount -o remount,size=64m "$top/w" || exit 96
"$relink" resume "$name"; echo "status of resume: $?" >&2
cp -a "$top/w" "$top/resumed"
find "$top/w" -mindepth 1 -delete
cp -a "$top/faulted/." "$top/w"
"$relink" undo "$name" --trust; echo "status of undo: $?" >&2
cp -a "$top/w" "$top/undone"
exit $status
"#;

#[test]
fn disks_that_are_full() {
    if !crate::tools::runs("unshare", &["-m", "mount", "-t", "tmpfs", "none", "/mnt"]) {
        crate::tools::skipped("no disk can be mounted here");
        return;
    }
    for case in cases() {
        let place = Place::in_memory(case, first_tree(30, 300));
        let used = Command::new("du")
            .args(["-s", "--block-size=1", "--apparent-size"])
            .arg(place.beside("first"))
            .output()
            .unwrap();
        let used = String::from_utf8_lossy(&used.stdout);
        let used: u64 = used.split_whitespace().next().unwrap().parse().unwrap();
        let (mut n_runs, mut n_broken_off) = (0, 0);
        let (first, step) = (used / 4096 + 1, if crate::is_long() { 4 } else { 32 });
        let mut is_done = false;
        for pages in (first..first + 400).step_by(step) {
            let (size, top) = ((pages * 4096).to_string(), place.beside(""));
            let runner = [
                "unshare",
                "-m",
                "sh",
                "-c",
                SCRIPT,
                "sh",
                &size,
                env!("CARGO_BIN_EXE_relink"),
                case.name,
                top.to_str().unwrap(),
            ];
            let mut command = Command::new(runner[0]);
            command.args(&runner[1..]).args(case.line.split(' ')).stdout(Stdio::null());
            let output = command.output().unwrap();
            // The first tree must fit.
            if output.status.code() == Some(98) {
                continue;
            }
            let after = format!("{} on {size} bytes", case.line);
            n_runs += 1;
            place.whole(&read(&place.beside("faulted")), &after);
            let report = report(&output);
            let has_journal = place.has_journal_in("faulted");
            let (resumed, undone) = (read(&place.beside("resumed")), read(&place.beside("undone")));
            if has_journal {
                n_broken_off += 1;
                assert!(
                    report.contains("status of resume: 0\n")
                        && report.ends_with("status of undo: 0"),
                    "{after}: {report}"
                );
                same(&resumed, &place.last, &after);
                same(&undone, &place.first, &after);
            } else {
                is_done = resumed == place.last;
                assert!(is_done || resumed == place.first, "{after}: {report}");
            }
            if is_done {
                break;
            }
        }
        let n_files = place.n_files.take();
        println!(
            "{}: {n_runs} full disks, {n_broken_off} runs broken off, {n_files} files checked, 0 bytes lost",
            case.line
        );
        assert!(is_done && n_broken_off > 2, "{}: {n_broken_off}", case.line);
    }
}
