//! Real trees, converted by the program and judged by html5ever, cssparser and the `url` crate,
//! which share nothing with it.
//!
//! By default a sample of each tree that this machine has, chosen by hash; `RELINK_FULL=1` takes
//! whole trees. A tree that is not here, or that holds no documents, is skipped with a message. XML
//! is counted here, and judged by `tests/xml`. For every file: the DOM before and after differs
//! only in the values of slots, each of which resolves to what it resolved to; bytes outside
//! references are equal; no reference stays relative without reason; a second run changes nothing.
//! Made relative again, no reference that was relative is longer than it was; and what `check` says
//! about the tree is what others say.

mod broken;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;

use rayon::prelude::*;

use crate::engines::{self, Compared};
use crate::judge;

/// What the judge found in a tree.
#[derive(Debug, Default)]
struct Sums {
    n_documents: usize,
    n_references: usize,
    n_changed: usize,
    /// Documents of XML, which `tests/xml` judges.
    n_xml: usize,
    faults: Vec<String>,
}

fn relink(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_relink")).args(args).output().expect("the program starts")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Whether all was done but for XML that is not well-formed, which real trees have too.
fn is_done(output: &Output) -> bool {
    let report = stderr(output);
    let is_malformed = report.contains(": skipped; not well-formed: ");
    output.status.success()
        || (output.status.code() == Some(2)
            && is_malformed
            && !report.contains("verification failed"))
}

/// Files below `root` with their paths relative to it, sorted; links are not followed.
fn files(root: &Path) -> Vec<PathBuf> {
    let walk = walkdir::WalkDir::new(root).sort_by_file_name();
    walk.into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| entry.path().strip_prefix(root).expect("a path below the root").to_owned())
        .collect()
}

/// FNV-1a: the same sample on every machine.
fn hash(path: &Path) -> u64 {
    path.as_os_str().as_encoded_bytes().iter().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3)
    })
}

/// Copies one file in `one_in` to a directory of its own, with the paths kept.
fn sample(tree: &Path, one_in: u64, to: &Path) {
    for path in files(tree).into_iter().filter(|path| hash(path).is_multiple_of(one_in)) {
        let copy = to.join(&path);
        fs::create_dir_all(copy.parent().expect("a parent")).expect("a directory");
        fs::copy(tree.join(&path), copy).expect("a copy");
    }
}

enum Kind {
    Html,
    Css,
    Xml,
}

fn kind(path: &Path, bytes: &[u8]) -> Option<Kind> {
    if path.extension().is_none() {
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).to_ascii_lowercase();
        return head.contains("<html").then_some(Kind::Html);
    }
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "html" | "htm" => Some(Kind::Html),
        "css" => Some(Kind::Css),
        "svg" | "xml" | "xhtml" | "xht" | "rss" | "atom" | "rdf" | "xsl" | "xslt" | "xsd"
        | "opf" | "ncx" => Some(Kind::Xml),
        _ => None,
    }
}

/// Path to URL, written apart from the program's: everything but unreserved characters is escaped.
fn url_of(base: &str, path: &Path) -> String {
    let mut url = base.to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                url.push(char::from(*byte))
            }
            _ => url.push_str(&format!("%{byte:02X}")),
        }
    }
    url
}

/// Compares every file of two trees; where `wants_absolute`, nothing may have stayed relative, and
/// nothing absolute been touched.
fn judge(before: &Path, after: &Path, base: &str, wants_absolute: bool) -> Sums {
    let paths = files(before);
    let sums = Mutex::new(Sums::default());
    if paths != files(after) {
        sums.lock().unwrap().faults.push("the trees hold different files".to_owned());
    }
    paths.par_iter().for_each(|path| {
        let old = fs::read(before.join(path)).expect("the input can be read");
        let new = fs::read(after.join(path)).unwrap_or_default();
        let url = url_of(base, path);
        let verdict = match kind(path, &old) {
            Some(Kind::Html) if wants_absolute => judge::judge_html(&old, &new, &url),
            Some(Kind::Css) if wants_absolute => judge::judge_css(&old, &new, &url),
            Some(Kind::Html) => judge::judge_relative_html(&old, &new, &url),
            Some(Kind::Css) => judge::judge_css_tokens(&old, &new, &url),
            Some(Kind::Xml) => {
                sums.lock().unwrap().n_xml += 1;
                return;
            }
            None if old == new => return,
            None => {
                sums.lock()
                    .unwrap()
                    .faults
                    .push(format!("{}: changed, and no document", path.display()));
                return;
            }
        };
        let lists = [
            ("violation", &verdict.violations),
            ("still relative", &verdict.still_relative),
            ("was absolute", &verdict.rewritten_absolute),
            ("violation", &verdict.longer),
        ];
        let faults = lists.iter().flat_map(|(name, list)| {
            let n_shown = if wants_absolute || *name == "violation" { 3 } else { 0 };
            list.iter()
                .take(n_shown)
                .map(move |fault| format!("{}: {name}: {fault}", path.display()))
        });
        let mut sums = sums.lock().unwrap();
        sums.n_documents += 1;
        sums.n_references += verdict.references;
        sums.n_changed += verdict.changed;
        sums.faults.extend(faults);
    });
    sums.into_inner().unwrap()
}

/// Compares what the two engines say about every HTML file. Returns how many were compared, and how
/// many the fast engine declined.
fn compare_engines(tree: &Path) -> (usize, usize) {
    let compared: Vec<Compared> = files(tree)
        .into_par_iter()
        .filter_map(|path| {
            let bytes = fs::read(tree.join(&path)).expect("the input can be read");
            matches!(kind(&path, &bytes), Some(Kind::Html)).then(|| engines::compare(&bytes))
        })
        .collect();
    let count = |wanted| compared.iter().filter(|compared| **compared == wanted).count();
    (count(Compared::Agree), count(Compared::Declined))
}

/// Files in which two trees differ.
fn differences(a: &Path, b: &Path) -> Vec<PathBuf> {
    files(a)
        .into_par_iter()
        .filter(|path| fs::read(a.join(path)).ok() != fs::read(b.join(path)).ok())
        .collect()
}

/// Returns true if a file below the directory is HTML.
///
/// A package of documentation may be absent although its directory exists: other packages of the
/// same source put their changelogs there.
fn has_documents(tree: &Path) -> bool {
    files(tree).into_par_iter().any(|path| {
        let is_html = |bytes: &[u8]| matches!(kind(&path, bytes), Some(Kind::Html));
        // Only files without an extension are known by their bytes.
        match path.extension() {
            Some(_) => is_html(b""),
            None => fs::read(tree.join(&path)).is_ok_and(|bytes| is_html(&bytes)),
        }
    })
}

/// Checks a tree that this machine may have; otherwise the test is skipped.
#[track_caller]
fn check(name: &str, tree: &Path, base: &str, one_in: u64) {
    if !check_tree(name, tree, base, one_in) {
        crate::tools::skipped(format_args!("{name}: there are no documents in {}", tree.display()));
    }
}

/// Converts a tree, judges it, and converts it again. Returns false if it contains no documents.
#[track_caller]
fn check_tree(name: &str, tree: &Path, base: &str, one_in: u64) -> bool {
    if !tree.is_dir() {
        return false;
    }
    let scratch = tempfile::tempdir().expect("a directory");
    let is_full = std::env::var_os("RELINK_FULL").is_some();
    let before = if is_full {
        tree.to_owned()
    } else {
        sample(tree, one_in, &scratch.path().join("sample"));
        scratch.path().join("sample")
    };
    if !has_documents(&before) {
        return false;
    }
    let n_broken = broken::check(name, &before, base);
    println!("{name}: {n_broken} references are broken, for this program and for others");
    let after = scratch.path().join("out");
    let again = scratch.path().join("again");
    let absolutize = |from: &Path, to: &Path| {
        let output = relink(&[
            "absolutize",
            from.to_str().unwrap(),
            "--base",
            base,
            "-o",
            to.to_str().unwrap(),
        ]);
        assert!(is_done(&output), "{name}: {}", stderr(&output));
        stderr(&output)
    };
    let report = absolutize(&before, &after);
    let sums = judge(&before, &after, base, true);
    println!(
        "{name}: {} documents, {} references, {} rewritten; {} of XML are judged elsewhere",
        sums.n_documents, sums.n_references, sums.n_changed, sums.n_xml
    );
    println!("{report}");
    // A handful of pages may have nothing to change.
    assert!(sums.n_documents < 10 || sums.n_changed > 0, "{name}: no document is changed");
    let (n_compared, n_declined) = compare_engines(&before);
    println!(
        "{name}: the engines agree on {n_compared} documents, the fast one declines {n_declined}"
    );
    assert!(n_compared > 0);
    // The fixtures hold what is declined; real trees hardly do.
    assert!(
        n_compared < 50 || n_declined * 100 <= n_compared,
        "{name}: more than one document in a hundred is declined"
    );
    assert!(
        sums.faults.is_empty(),
        "{name}: {} faults:\n{}",
        sums.faults.len(),
        first_of(&sums.faults)
    );
    absolutize(&after, &again);
    let changed = differences(&after, &again);
    assert!(changed.is_empty(), "{name}: a second run changed {changed:?}");
    fs::remove_dir_all(&again).unwrap();
    round_trip(name, base, &before, &after, scratch.path());
    true
}

/// Makes an absolute tree relative: every reference points where it pointed in the first tree, and
/// a second run changes nothing.
#[track_caller]
fn round_trip(name: &str, base: &str, first: &Path, absolute: &Path, scratch: &Path) {
    let relativize = |from: &Path, to: &Path| {
        let [from, to] = [from, to].map(|path| path.to_str().unwrap());
        let output = relink(&["relativize", from, "--base", base, "-o", to]);
        assert!(is_done(&output), "{name}: {}", stderr(&output));
        stderr(&output)
    };
    let (back, again) = (scratch.join("back"), scratch.join("again"));
    let report = relativize(absolute, &back);
    let sums = judge(first, &back, base, false);
    let n_files = files(first).len();
    let n_same = n_files - differences(first, &back).len();
    println!(
        "{name}: relative again, {n_same} of {n_files} files are the first ones byte for byte"
    );
    println!("{report}");
    assert!(
        sums.faults.is_empty(),
        "{name}: {} faults:\n{}",
        sums.faults.len(),
        first_of(&sums.faults)
    );
    relativize(&back, &again);
    let changed = differences(&back, &again);
    assert!(changed.is_empty(), "{name}: a second run changed {changed:?}");
}

fn first_of(faults: &[String]) -> String {
    faults.iter().take(20).map(|fault| format!("  {fault}\n")).collect()
}

#[test]
fn rust_documentation() {
    let tree = crate::tools::rust_documentation().join("rust/html");
    check("the Rust documentation", &tree, "https://doc.rust-lang.org/", 199);
}

#[test]
fn python_documentation() {
    check(
        "python3.11-doc",
        &crate::tools::others("/usr/share/doc/python3.11/html"),
        "https://docs.python.org/3.11/",
        11,
    );
}

#[test]
fn boost_documentation() {
    check(
        "libboost1.81-doc",
        &crate::tools::others("/usr/share/doc/libboost1.81-doc"),
        "https://www.boost.org/doc/libs/1_81_0/",
        29,
    );
}

#[test]
fn postgresql_documentation() {
    check(
        "postgresql-doc-15",
        &crate::tools::others("/usr/share/doc/postgresql-doc-15/html"),
        "https://www.postgresql.org/docs/15/",
        7,
    );
}

#[test]
fn java_documentation() {
    check(
        "openjdk-17-doc",
        &crate::tools::others("/usr/share/doc/openjdk-17-jre-headless"),
        "https://docs.oracle.com/javase/17/",
        199,
    );
}

#[test]
fn the_fixture_site() {
    let site = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/site");
    assert!(check_tree("fixtures/site", &site, "http://www.harbour-light.example/", 1));
}

#[test]
fn a_directory_without_documents_is_skipped() {
    let tree = tempfile::tempdir().expect("a directory");
    fs::write(tree.path().join("copyright"), "All rights reserved").unwrap();
    fs::create_dir(tree.path().join("api")).unwrap();
    fs::write(tree.path().join("api/changelog.gz"), b"\x1f\x8b").unwrap();
    assert!(!check_tree("an empty package", tree.path(), "http://h/", 97));
    fs::write(tree.path().join("api/index.html"), "<a href=x>").unwrap();
    assert!(check_tree("one page", tree.path(), "http://h/", 1));
}
