//! What holds for any bytes (`fuzz/laws`) holds for the cases that fuzzers have found, and for some
//! of each kind of them (`fuzz/cases`).

#[path = "../../fuzz/laws/mod.rs"]
pub(crate) mod laws;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use rewrite::{FORMATS, FormatSpec, Media};

/// A directory of `fuzz`.
fn fuzz(directory: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(directory)
}

/// What is in a directory, in order.
fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("a directory");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

/// Runs the cases of one law. The last line that it prints is the case that breaks it.
fn run(name: &str) {
    let (_, law) = laws::LAWS.iter().find(|law| law.0 == name).expect("a law");
    let cases = files(&fuzz("cases").join(name));
    assert!(cases.len() >= 5, "{} cases of {name}", cases.len());
    for case in cases {
        println!("{}", case.display());
        law(&fs::read(case).expect("a case"));
    }
}

macro_rules! laws {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                run(stringify!($name));
            }
        )*

        /// A law without a target is never fuzzed, and one without cases never tested.
        #[test]
        fn each_law_has_its_target_and_its_cases() {
            let laws: BTreeSet<String> = laws::LAWS.iter().map(|law| law.0.to_owned()).collect();
            let stems = |directory: &str| -> BTreeSet<String> {
                let stem = |path: PathBuf| Some(path.file_stem()?.to_str()?.to_owned());
                files(&fuzz(directory)).into_iter().filter_map(stem).collect()
            };
            let manifest = fs::read_to_string(fuzz("Cargo.toml")).expect("a manifest");
            let bins = manifest.lines().filter_map(|line| line.strip_prefix("path = \"fuzz_targets/"));
            let bins: BTreeSet<String> =
                bins.filter_map(|line| Some(line.strip_suffix(".rs\"")?.to_owned())).collect();
            let tests = [$(stringify!($name).to_owned()),*].into();
            assert_eq!(laws, tests, "tests");
            assert_eq!(laws, stems("fuzz_targets"), "targets");
            assert_eq!(laws, stems("cases"), "cases");
            assert_eq!(laws, bins, "binaries of the manifest");
        }
    };
}

laws!(absolutize engines formats layers mail messages moves renames unpack url warc zip);

/// A format that no first byte selects is never fuzzed, and one without a case is fuzzed from
/// nothing.
#[test]
fn each_format_is_reached_and_has_a_case() {
    let firsts: Vec<u8> =
        (0..=u8::MAX).filter(|first| laws::formats::media(*first).is_some()).collect();
    let reached: BTreeSet<&str> = firsts
        .iter()
        .filter_map(|first| match laws::formats::media(*first)? {
            Media::Document(format) => Some(format.spec().name()),
            _ => None,
        })
        .collect();
    let all: BTreeSet<&str> = FORMATS.iter().map(FormatSpec::name).collect();
    assert_eq!(reached, all, "formats");
    let cases: BTreeSet<u8> = files(&fuzz("cases/formats"))
        .iter()
        .filter_map(|case| fs::read(case).expect("a case").first().copied())
        .collect();
    let without: Vec<char> = firsts
        .iter()
        .filter(|first| !cases.contains(first))
        .map(|first| char::from(*first))
        .collect();
    assert!(without.is_empty(), "first bytes without a case: {without:?}");
}

/// Any list of renames, without a fuzzer: `RELINK_CASES` sets the number of inputs, `RELINK_SEED`
/// draws others.
#[test]
fn any_renames() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let is_full = std::env::var_os("RELINK_FULL").is_some();
    let n_cases = number("RELINK_CASES").unwrap_or(if is_full { 20_000 } else { 250 });
    let mut state = number("RELINK_SEED").unwrap_or(1996) | 1;
    let (mut n_refused, mut n_interrupted) = (0, 0);
    for _ in 0..n_cases {
        let input: Vec<u8> = (0..120)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                state.to_be_bytes()[0]
            })
            .collect();
        match laws::renames::apply(&input) {
            laws::renames::Done::Refused => n_refused += 1,
            laws::renames::Done::Applied => {}
            laws::renames::Done::Interrupted => n_interrupted += 1,
        }
    }
    println!("{n_cases} lists, {n_refused} refused, {n_interrupted} interrupted");
    assert!(n_refused * 5 < n_cases * 4, "{n_refused} of {n_cases} refused");
    assert!(n_interrupted * 20 > n_cases, "{n_interrupted} of {n_cases} interrupted");
}
