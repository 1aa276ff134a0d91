//! A large site of three hosts, mirrored by wget, wget2 and HTTrack in many manners, and what
//! becomes of each mirror: by this program, and by the conversion of the mirroring program.
//!
//! The judge shares no code with the program. Every resource contains its number, so that the
//! files of a mirror say what they are, whatever their names; a reference is right if it leads to
//! a file with the resource that the live site answers for it, or, if the mirror has no such file,
//! to a URL that answers alike.

mod generate;
mod judge;
mod mirrors;
mod pages;
mod read;
mod serve;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use judge::{Live, Tally, Verdict};
use mirrors::{MANNERS, Manner};
use serve::Proxy;

use super::relink_well;

/// The columns of the table.
const VERDICTS: [Verdict; 4] =
    [Verdict::WrongFile, Verdict::WrongUrl, Verdict::Live, Verdict::Missing];

#[test]
fn a_mirror_of_a_large_site_leads_where_the_site_did() {
    let site = Arc::new(generate::site());
    assert!(site.resources.len() >= 240, "{} resources", site.resources.len());
    let live = Live::of(&site);
    let proxy = Proxy::start(Arc::clone(&site));
    let directory = tempfile::tempdir().expect("a directory");
    let keep = std::env::var_os("RELINK_KEEP").map(std::path::PathBuf::from);
    let directory = keep.as_deref().unwrap_or(directory.path());
    let is_full = std::env::var_os("RELINK_FULL").is_some();
    let only = std::env::var("RELINK_ONLY").ok();
    println!(
        "| mirror | by | references | right | wrong file | wrong URL | live | missing | removed |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for manner in MANNERS
        .iter()
        .filter(|manner| is_full || manner.is_default)
        .filter(|manner| only.as_ref().is_none_or(|only| manner.name.contains(only)))
    {
        if crate::tools::has(manner.program, &["--version"]) {
            check(&live, manner, directory, proxy.port);
        }
    }
}

fn check(live: &Live<'_>, manner: &Manner, directory: &Path, port: u16) {
    let name = manner.name.replace(' ', "");
    let path = |what: &str| directory.join(format!("{name}-{what}"));
    let mirror = manner.fetch(&path("mirror"), port, &[]);
    let theirs = match manner.converts {
        Some(options) => live.tally(&manner.fetch(&path("theirs"), port, options)),
        None => live.tally(&mirror),
    };
    let [from, out, again] = [&mirror, &path("out"), &path("again")]
        .map(|path| path.to_str().expect("UTF-8").to_owned());
    let relativize = |from: &str, to: &str| {
        let words = ["relativize", from, "-o", to, "--for", "file"];
        relink_well(&[&words[..], manner.layout].concat());
    };
    relativize(&from, &out);
    relativize(&out, &again);
    let ours = live.tally(Path::new(&out));
    row(manner.name, "relink", &ours);
    row(manner.name, manner.program, &theirs);
    assert!(ours.n_references >= 1000, "{name}: {} references", ours.n_references);
    if std::env::var_os("RELINK_KEEP").is_none() {
        assert!(ours.n_right() >= theirs.n_right(), "{name}: {:#?}", ours.lines());
    }
    for file in super::served::files(Path::new(&out)) {
        let below = file.strip_prefix(&out).expect("below");
        let again = fs::read(Path::new(&again).join(below)).ok();
        assert!(fs::read(&file).ok() == again, "{name}: {}", below.display());
    }
    if std::env::var_os("RELINK_KEEP").is_some() {
        fs::write(path("ours.txt"), ours.lines().join("\n")).expect("a file");
        fs::write(path("theirs.txt"), theirs.lines().join("\n")).expect("a file");
    }
}

fn row(name: &str, by: &str, tally: &Tally) {
    let counts: String = VERDICTS.map(|verdict| format!(" {} |", tally.count(verdict))).concat();
    let (n, n_right, n_lost) = (tally.n_references, tally.n_right(), tally.n_lost);
    println!("| `{name}` | {by} | {n} | {n_right} |{counts} {n_lost} |");
}
