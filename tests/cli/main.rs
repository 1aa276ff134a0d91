//! The program as people run it: arguments in; files, standard output, standard error and the
//! exit status out.
//!
//! One module for what belongs together: `absolutize` (the tree that is written), `ways` (where the
//! output goes), `update` (an output that is updated),
//! `terminal` (progress, colours, width), `mirrors`, `layout_auto` and `disk` (trees
//! on a disk), `bases`, `base_sources` (where the URL of PATH is from), `check`, `hints` and
//! `hints_wild` (where documents were from), `not_read` (hints about what was not done), `choices`
//! (options that choose what is edited), `asked` (what is read only if it is requested), `order`
//! (threads, proof, summary), `readme` (commands in the documentation), `links`, `diff`, `streams`
//! (standard output), `in_place`, `journal` (runs that are interrupted), `manifest` and
//! `manifest_verify` (the manifest of a run), `library` (the program without its command line),
//! `refs` and `spans` (the list of references), `slots`, `pack` (pages as messages), `url`,
//! `url_data` (names of files, data, typed references), `json`, `report`, `schema` (the records of
//! `--format json`), `xml`, `help`, `texts` (plain text and Markdown); of messages `mail` (what is
//! reported of them), `mail_edits`, `mail_left`, `mail_boxes`, `mail_wrong` and `unpack_mail`; and
//! what goes wrong: `usage` (the command line), `suggestions` (values that are not known), `files`
//! (the tree), `rights` (what the system forbids), `scarce` (full disks, few open files), `bombs`
//! (archives that become large), `unpack_judged` (archives of other programs), `limits` (what is
//! too much), `gzip` (compressed documents), `zip`, `nested`
//! (containers in one another), `packages` (of Office), `special` (what is no
//! plain file, names that are taken), `names` (hostile file names), `portable` (names for Windows).
//! One test compares each message as a whole, since its words are part of the program; the others
//! recognize it by its name in `words`.

#![cfg_attr(
    not(unix),
    allow(unused_imports, dead_code, reason = "helpers of tests that are not built")
)]
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test stops where it cannot go on, and says what it skips"
)]

mod absolutize;
mod archives;
mod asked;
mod base_sources;
mod bases;
mod book;
mod check;
mod check_external;
mod check_fix;
mod check_lint;
mod check_markdown;
mod check_problems;
mod check_remembered;
mod check_top;
mod choices;
mod dir;
mod disk;
#[cfg(unix)]
mod error_pages;
mod explain;
mod file_list;
mod files;
mod for_file_url;
mod gzip;
#[cfg(unix)]
#[path = "../tools/held.rs"]
mod held;
mod help;
mod hints;
mod hints_wild;
mod http;
mod ignored;
mod json;
mod layout_auto;
mod library;
mod limits;
mod mail;
mod mail_boxes;
mod mail_edits;
mod mail_hostile;
mod mail_left;
mod mail_wrong;
mod mirror_names;
mod mirror_readings;
mod mirrors;
mod moves;
mod mv;
mod mv_directories;
mod mv_root;
mod mv_spellings;
mod not_read;
mod office;
mod order;
mod pack;
mod pack_inline;
mod packages;
mod readme;
mod refs;
mod renames;
mod report;
#[cfg(unix)]
mod scarce;
mod schema;
mod settings;
mod shares;
mod shells;
mod slots;
mod spans;
#[cfg(unix)]
mod streams;
mod suggestions;
#[cfg(target_os = "linux")]
mod terminal;
mod texts;
#[path = "../tools/mod.rs"]
mod tools;
mod url;
mod url_data;
mod usage;
mod ways;
mod words;
mod xml;
mod zip;
#[path = "../tools/zip_file.rs"]
mod zip_file;

#[cfg(target_os = "linux")]
mod bombs;
#[cfg(unix)]
mod diff;
#[cfg(unix)]
mod diff_git;
#[cfg(unix)]
mod dist;
#[cfg(unix)]
mod in_place;
mod integrity;
#[cfg(unix)]
mod journal;
#[cfg(unix)]
mod journal_kept;
#[cfg(unix)]
mod links;
#[cfg(unix)]
mod manifest;
#[cfg(unix)]
mod manifest_verify;
#[cfg(unix)]
mod names;
#[cfg(unix)]
mod nested;
mod nested_large;
mod nested_streams;
mod new_out;
#[cfg(unix)]
mod planted;
#[cfg(unix)]
mod portable;
mod query_charsets;
#[cfg(unix)]
mod resumed;
#[cfg(unix)]
mod rights;
#[cfg(unix)]
mod special;
#[cfg(unix)]
mod undo_finished;
#[cfg(unix)]
mod unpack;
#[cfg(unix)]
mod unpack_archives;
mod unpack_captures;
#[cfg(unix)]
mod unpack_judged;
#[cfg(unix)]
mod unpack_mail;
mod unpack_untidy;
mod unpack_urls;
mod unpack_wacz;
mod unpack_zip;
mod unseen;
#[cfg(unix)]
mod update;

use std::fs;
use std::path::{Path, PathBuf};

/// A path below `fixtures/`.
fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

/// Compares with a blessed file; with `RELINK_BLESS=1` writes it instead.
#[track_caller]
fn check_blessed(name: &str, actual: &str) {
    let path = fixture(name);
    if std::env::var_os("RELINK_BLESS").is_some() {
        fs::write(&path, actual).expect("the blessed file can be written");
        return;
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    let mut pairs = (1..).zip(expected.lines().zip(actual.lines()));
    if let Some((number, (expected, actual))) = pairs.find(|(_, (old, new))| old != new) {
        panic!(
            "{name}:{number} differs\n expected {expected}\n      got {actual}\nRELINK_BLESS=1 takes what is got"
        );
    }
    assert!(
        expected == actual,
        "{name}: {} lines expected, {} got; RELINK_BLESS=1 takes what is got",
        expected.lines().count(),
        actual.lines().count()
    );
}
