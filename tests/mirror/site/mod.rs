//! A large site of three hosts, mirrored by wget, wget2 and HTTrack in many manners, and what
//! becomes of each mirror: by this program, and by the conversion of the mirroring program.
//!
//! The judge shares no code with the program. Every resource contains its number, so that the
//! files of a mirror say what they are, whatever their names; a reference is right if it leads to
//! a file with the resource that the live site answers for it, or, if the mirror has no such file,
//! to a URL that answers alike.

mod causes;
mod generate;
mod judge;
pub(super) mod mirrors;
mod pages;
mod read;
mod serve;
mod wayback;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use causes::{Cause, Causes};
use flate2::read::MultiGzDecoder;
use judge::{Copies, Fault, Live, Tally, Verdict};
use mirrors::{CONVERTED, CRAWL, MANNERS, Manner};
use serve::Proxy;
use url::Url;

use super::browser::Browser;
use super::served::files;
use super::{file_url, path_of, relink_well};
use crate::servers::clients::{Place, wget};
use crate::servers::serve::Web;

/// The columns of the table.
const VERDICTS: [Verdict; 4] =
    [Verdict::WrongFile, Verdict::WrongUrl, Verdict::Live, Verdict::Missing];

#[test]
fn a_mirror_of_a_large_site_leads_where_the_site_did() {
    let site = Arc::new(generate::site());
    assert!(site.resources.len() >= 240, "{} resources", site.resources.len());
    let proxy = Proxy::start(Arc::clone(&site));
    let temporary = tempfile::tempdir().expect("a directory");
    // To look at the trees afterwards.
    let kept = std::env::var_os("RELINK_KEEP").map(PathBuf::from);
    let directory = kept.unwrap_or_else(|| temporary.path().to_owned());
    let profile = directory.join("browser");
    fs::create_dir(&profile).expect("a directory");
    let option = format!("--proxy-server=http://127.0.0.1:{}", proxy.port);
    let browser = Browser::start_with(&profile, &[&option]);
    if browser.is_none() {
        crate::tools::skipped("there is no chromium here, nothing is opened");
    }
    let is_full = std::env::var_os("RELINK_FULL").is_some();
    let mut run = Run { live: Live::of(&site), directory, port: proxy.port, browser, is_full };
    println!(
        "| mirror | by | references | right | wrong file | wrong URL | live | missing | failed loads | as text |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    MANNERS.iter().filter(|manner| is_run(manner)).for_each(|manner| run.check(manner));
    println!("| made absolute | references | right | destroyed | name lost | wrong |");
    println!("|---|---|---|---|---|---|");
    CONVERTED.iter().filter(|manner| is_run(manner)).for_each(|manner| run.check_absolute(manner));
}

/// Most mirroring programs keep no redirect from one host to another, and crawls are restricted to
/// hosts: the references lead to the files of the host that answered.
#[test]
fn a_redirect_to_another_host_that_nobody_recorded_is_found() {
    let site = Arc::new(generate::site_with_redirecting_host());
    let proxy = Proxy::start(Arc::clone(&site));
    let temporary = tempfile::tempdir().expect("a directory");
    let kept = std::env::var_os("RELINK_KEEP").map(PathBuf::from);
    let directory = kept.unwrap_or_else(|| temporary.path().to_owned());
    let live = Live::of(&site);
    // With a base, another host may be another site.
    let is_fit = |manner: &&Manner| is_run(manner) && !manner.layout.contains(&"--base");
    for (idx, manner) in MANNERS.iter().filter(is_fit).enumerate() {
        let more: &[&str] = match manner.program {
            "wget" => &["--exclude-domains=www.b.example", generate::LINKS],
            _ => &[generate::LINKS],
        };
        let mirror = manner.fetch(&directory.join(format!("{idx}")), proxy.port, more);
        let led = |options: &[&str], what: &str| {
            let out = directory.join(format!("{idx}-{what}"));
            let [from, to] = [&mirror, &out].map(|path| path.to_str().expect("UTF-8"));
            let line = ["relativize", "--for", "file", from, "-o", to];
            let report = relink_well(&[&line, manner.layout, options].concat());
            let mut faults = live.tally(&out).faults;
            let host = |fault: &Fault| fault.was.target.as_ref()?.host_str().map(str::to_owned);
            let causes = Causes::of(&site, manner, &out);
            faults.retain(|fault| {
                host(fault).as_deref() == Some("www.b.example")
                    && causes.of_fault(fault) != Some(Cause::RedirectByFirstUrl)
            });
            (faults, report)
        };
        let (faults, report) = led(&[], "out");
        let (without, _) = led(&["--no-twins"], "none");
        println!("{}: {} references, {} without twins", manner.name, faults.len(), without.len());
        assert!(without.len() >= 200, "{}: {} references", manner.name, without.len());
        assert!(without.iter().all(|fault| fault.verdict == Verdict::Live), "{}", manner.name);
        let lines: Vec<String> = faults.iter().map(Fault::line).collect();
        assert!(lines.is_empty(), "{}: {lines:#?}", manner.name);
        let line = report.lines().find(|line| line.ends_with("found under another scheme or host"));
        let n = line.and_then(|line| line.split(' ').next()?.parse().ok());
        assert!(n >= Some(without.len()), "{}: {report}", manner.name);
    }
}

/// A crawl that wget writes as a web archive becomes a tree for the disk, and one for a server:
/// each reference whose target is in the archive leads to its file, and every other leads where it
/// led.
#[test]
fn a_web_archive_of_a_large_site_leads_where_the_site_did() {
    if !crate::tools::has("wget", &["--version"]) {
        return;
    }
    let site = Arc::new(generate::site());
    let proxy = Proxy::start(Arc::clone(&site));
    let temporary = tempfile::tempdir().expect("a directory");
    let kept = std::env::var_os("RELINK_KEEP").map(PathBuf::from);
    let directory = kept.unwrap_or_else(|| temporary.path().to_owned());
    let profile = directory.join("browser");
    fs::create_dir(&profile).expect("a directory");
    let option = format!("--proxy-server=http://127.0.0.1:{}", proxy.port);
    let browser = Browser::start_with(&profile, &[&option]);
    let is_full = std::env::var_os("RELINK_FULL").is_some();
    let mut run = Run { live: Live::of(&site), directory, port: proxy.port, browser, is_full };
    let crawl = CRAWL.fetch(&run.path(CRAWL, "crawl"), run.port, &[]).join("crawl.warc.gz");
    let archive = crawl.display().to_string();
    let mut text = Vec::new();
    let file = fs::File::open(&crawl).expect("a file");
    MultiGzDecoder::new(file).read_to_end(&mut text).expect("gzip");
    let text = String::from_utf8_lossy(&text);
    // wget escapes a query in ISO 8859-1 as UTF-8, so that the archive has another URL.
    let is_archived = |fault: &&Fault| {
        let url = fault.was.target.as_ref().map_or("", Url::as_str);
        text.contains(&format!("WARC-Target-URI: <{url}>\r\n"))
            || text.contains(&format!("WARC-Target-URI: {url}\r\n"))
            || fault.verdict != Verdict::Live
    };
    for (target, what) in [("file", "unpacked"), ("static-host", "unpacked-hosted")] {
        let out = run.path(CRAWL, what);
        let words = ["unpack", &archive, "-q", "--for", target, "-o", &out.display().to_string()];
        relink_well(&words);
        let tally = match target {
            "file" => run.live.tally(&out),
            _ => run.live.tally_hosted(&out),
        };
        let shown = if target == "file" { run.show(&out) } else { None };
        row(CRAWL.name, &format!("relink unpack --for {target}"), &tally, shown.as_ref());
        assert!(tally.n_references >= 1000, "{} references", tally.n_references);
        let wrong: Vec<String> = tally.faults.iter().filter(is_archived).map(Fault::line).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(tally.faults.len() <= 2, "{:#?}", tally.lines());
        if let Some(Shown { failed_loads, n_as_text }) = shown {
            assert_eq!((failed_loads, n_as_text), (Vec::new(), 0));
        }
    }
}

/// What the Wayback Machine has of a site becomes a tree for the disk with one command.
#[test]
fn a_tree_of_the_wayback_machine_becomes_a_site() {
    if !crate::tools::has("wget", &["--version"]) {
        return;
    }
    let site = Arc::new(generate::site());
    let proxy = Proxy::start(Arc::clone(&site));
    let temporary = tempfile::tempdir().expect("a directory");
    let kept = std::env::var_os("RELINK_KEEP").map(PathBuf::from);
    let directory = kept.unwrap_or_else(|| temporary.path().to_owned());
    let profile = directory.join("browser");
    fs::create_dir(&profile).expect("a directory");
    let option = format!("--proxy-server=http://127.0.0.1:{}", proxy.port);
    let browser = Browser::start_with(&profile, &[&option]);
    if browser.is_none() {
        crate::tools::skipped("there is no chromium here, nothing is opened");
    }
    let is_full = std::env::var_os("RELINK_FULL").is_some();
    let mut run = Run { live: Live::of(&site), directory, port: proxy.port, browser, is_full };
    let archive = CRAWL.fetch(&run.path(CRAWL, "crawl"), run.port, &[]).join("crawl.warc.gz");
    for is_windows in [false, true] {
        let name = if is_windows { "wayback-windows" } else { "wayback" };
        let path = |what: &str| run.directory.join(format!("{name}-{what}"));
        let [tree, out, judged] = ["tree", "out", "judged"].map(path);
        let n_responses = wayback::write(&run.live, &archive, &tree, is_windows);
        assert!(n_responses >= 200, "{name}: {n_responses} responses");
        for to in [&out, &judged] {
            let [from, to] = [&tree, to].map(|path| path.to_str().expect("UTF-8"));
            let report = relink_well(&["relativize", "--for", "file", from, "-o", to]);
            assert!(report.contains("--layout wayback"), "{report}");
        }
        wayback::unwrap(&judged);
        // The tree has one file for `/blog/` and `/blog`, of which this site has only one; so has
        // the archive (`IAURLCanonicalizer` of the package surt:
        // `path_strip_trailing_slash_unless_empty`).
        let is_of_one_name = |fault: &Fault| {
            let [was, is] = [&fault.was, &fault.is].map(|reference| reference.target.as_ref());
            let file = was.map(|url| wayback::file_of(url, is_windows));
            is.and_then(path_of) == file.map(|file| judged.join(file))
        };
        let tally = run.live.tally(&judged);
        let shown = run.show(&out);
        row(name, "relink", &tally, shown.as_ref());
        let n_live = tally.count(Verdict::Live);
        assert!(tally.n_references >= 1500, "{name}: {} references", tally.n_references);
        assert!(n_live * 20 <= tally.n_references, "{name}: {:#?}", tally.lines());
        let wrong: Vec<String> = tally
            .faults
            .iter()
            .filter(|fault| fault.verdict != Verdict::Live && !is_of_one_name(fault))
            .map(Fault::line)
            .collect();
        assert!(wrong.is_empty(), "{name}: {wrong:#?}");
        // What the archive has not fails.
        let failed: Vec<String> = shown.map_or(Vec::new(), |shown| shown.failed_loads);
        let is_of_tree = |load: &&String| !load.contains("web.archive.org");
        assert_eq!(failed.iter().filter(is_of_tree).count(), 0, "{name}: {failed:#?}");
    }
}

/// Returns true if a manner of mirroring is tried: `RELINK_FULL=1` tries all, `RELINK_MIRROR` those
/// whose names contain it.
fn is_run(manner: &Manner) -> bool {
    let is_full = std::env::var_os("RELINK_FULL").is_some();
    let only = std::env::var("RELINK_MIRROR").ok();
    (is_full || manner.is_default)
        && only.is_none_or(|only| manner.name.contains(&only))
        && crate::tools::has(manner.program, &["--version"])
}

/// The run of the test: the site, the proxy, the browser.
struct Run<'s> {
    live: Live<'s>,
    directory: PathBuf,
    port: u16,
    browser: Option<Browser>,
    is_full: bool,
}

/// What a browser shows of a tree.
#[derive(Default)]
struct Shown {
    failed_loads: Vec<String>,
    /// Pages that it shows as text, or offers to save: their names say that they are no pages.
    n_as_text: usize,
}

impl Run<'_> {
    fn path(&self, manner: &Manner, what: &str) -> PathBuf {
        self.directory.join(format!("{}-{what}", manner.name.replace(' ', "")))
    }

    /// Opens the pages of a tree; a sample if the run is not a full one.
    fn show(&mut self, tree: &Path) -> Option<Shown> {
        let browser = self.browser.as_mut()?;
        let mut shown = Shown::default();
        let is_page = |(_, id): &(PathBuf, usize)| self.live.site.resources[*id].kind.is_page();
        let pages = Copies::of(tree).ids.into_iter().filter(is_page);
        for (path, _) in pages.step_by(if self.is_full { 1 } else { 8 }) {
            let url = file_url(&path);
            let failed = browser.open(url.as_str());
            let is_saved = failed.iter().any(|load| load.starts_with(&format!("{url}: ")));
            let is_text = is_saved || browser.media_type() != "text/html";
            shown.n_as_text += usize::from(is_text);
            // A browser refuses some files of a disk, such as an SVG for `use`, wherever they are.
            let is_there = |load: &String| {
                let url = load.split(": ").next().and_then(|url| Url::parse(url).ok());
                url.as_ref().and_then(path_of).is_none_or(|path| path.is_file())
            };
            shown.failed_loads.extend(failed.into_iter().filter(|load| {
                !load.starts_with(": ") && (load.starts_with("http") || !is_there(load))
            }));
        }
        Some(shown)
    }

    /// Mirrors the site, makes the mirror right for the disk, and compares it with the program's
    /// own conversion.
    fn check(&mut self, manner: &Manner) {
        let mirror = manner.fetch(&self.path(manner, "mirror"), self.port, &[]);
        let by_program = match manner.converts {
            Some(options) => manner.fetch(&self.path(manner, "theirs"), self.port, options),
            None => mirror.clone(),
        };
        let [out, again] = ["out", "again"].map(|what| self.path(manner, what));
        relink_twice(&["relativize", "--for", "file"], manner, [&mirror, &out, &again]);
        let (ours, theirs) = (self.live.tally(&out), self.live.tally(&by_program));
        let (our_pages, their_pages) = (self.show(&out), self.show(&by_program));
        let causes = Causes::of(self.live.site, manner, &out);
        let (mut explained, mut others) = (BTreeMap::new(), Vec::new());
        for fault in &ours.faults {
            match causes.of_fault(fault) {
                Some(cause) => *explained.entry(cause).or_insert(0) += 1,
                None => others.push(fault.line()),
            }
        }
        row(manner.name, "relink", &ours, our_pages.as_ref());
        row(manner.name, manner.program, &theirs, their_pages.as_ref());
        self.note(manner, "ours", &ours.lines());
        self.note(manner, "theirs", &theirs.lines());
        println!("  {explained:?}");
        let name = manner.name;
        assert!(ours.n_references >= 1000, "{name}: {} references", ours.n_references);
        assert!(others.is_empty(), "{name}: {others:#?}");
        // Live though mirrored.
        let is_known = |fault: &&Fault| {
            let cause = causes.of_fault(fault);
            fault.verdict == Verdict::Live && !cause.is_some_and(Cause::is_unrecorded_redirect)
        };
        let n_live = ours.faults.iter().filter(is_known).count();
        println!("  live, but for redirects that nobody recorded: {n_live}");
        assert!(n_live * 100 <= ours.n_references, "{name}: {n_live} live");
        assert!(ours.n_right() >= theirs.n_right(), "{name}: {:#?}", ours.lines());
        self.check_named(manner, &mirror, &ours);
        self.check_hosted(manner, &mirror, &ours);
        let Some(our_pages) = our_pages else { return };
        // What fails to load is a reference that is wrong already.
        let is_known = |load: &&String| {
            let mut targets = ours.faults.iter().filter_map(|fault| fault.is.target.as_ref());
            !targets.any(|target| load.contains(target.as_str()))
        };
        let failed: Vec<&String> = our_pages.failed_loads.iter().filter(is_known).collect();
        assert!(failed.is_empty(), "{name}: {failed:#?}");
    }

    /// Gives the files of a mirror names that say what they are: everything leads where it leads
    /// without that, and no page is shown as text.
    fn check_named(&mut self, manner: &Manner, mirror: &Path, plain: &Tally) {
        let [out, again] = ["named", "named-again"].map(|what| self.path(manner, what));
        relink_twice(&["relativize", "--for", "file", "--rename"], manner, [mirror, &out, &again]);
        let named = self.live.tally(&out);
        let shown = self.show(&out);
        row(manner.name, "relink --rename", &named, shown.as_ref());
        self.note(manner, "named", &named.lines());
        let new: Vec<_> = faults(&named).difference(&faults(plain)).cloned().collect();
        assert!(new.is_empty(), "{}: {new:#?}", manner.name);
        assert_eq!(named.n_references, plain.n_references, "{}", manner.name);
        for path in files(&out) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            assert!(!name.contains(['?', '*', ':', '"', '<', '>', '|', '%', '#']), "{name}");
        }
        if let Some(shown) = shown {
            assert_eq!(shown.n_as_text, 0, "{}", manner.name);
        }
    }

    /// Makes a mirror right for a server of static files: everything leads where it leads on the
    /// disk, and a crawler misses no page.
    fn check_hosted(&self, manner: &Manner, mirror: &Path, plain: &Tally) {
        let [out, again] = ["hosted", "hosted-again"].map(|what| self.path(manner, what));
        let command = ["relativize", "--for", "static-host", "--rename"];
        relink_twice(&command, manner, [mirror, &out, &again]);
        let hosted = self.live.tally_hosted(&out);
        row(manner.name, "relink --for static-host", &hosted, None);
        self.note(manner, "hosted", &hosted.lines());
        let new: Vec<_> = faults(&hosted).difference(&faults(plain)).cloned().collect();
        assert!(new.is_empty(), "{}: {new:#?}", manner.name);
        let directory = self.path(manner, "nginx");
        fs::create_dir(&directory).expect("a directory");
        let Some(web) = Web::start(&directory, &out) else {
            crate::tools::skipped("there is no nginx here");
            return;
        };
        if !crate::tools::has("wget", &["--version"]) {
            return;
        }
        let url = format!("http://127.0.0.1:{}/a.example/", web.port);
        let start = if out.join("a.example").is_dir() { "a.example/" } else { "" };
        let place = Place { directory: out, url: url.replace("a.example/", start) };
        let asked = wget(&web, &place, &directory);
        // The others of the three hosts are not below the first one.
        let is_missing = |asked: &&String| asked.starts_with('4');
        let n_others = asked.missing.iter().filter(|asked| !is_missing(asked)).count();
        println!("  crawled: {} pages and files", asked.reached.len() + n_others);
        assert!(asked.reached.len() >= 100, "{}: {}", manner.name, asked.reached.len());
        // A browser reads `\` as `/`, and wget does not: it misses that page of the live site too.
        let missing = asked.missing.iter().filter(is_missing);
        let missing: Vec<&String> = missing.filter(|asked| !asked.contains("%5C")).collect();
        assert!(missing.is_empty(), "{}: {missing:#?}", manner.name);
    }

    /// Mirrors and converts the site with the program alone, and makes the result absolute.
    fn check_absolute(&self, manner: &Manner) {
        let mirror = self.path(manner, "mirror");
        let mirror = if mirror.exists() { mirror } else { manner.fetch(&mirror, self.port, &[]) };
        let [live, again] = ["live", "live-again"].map(|what| self.path(manner, what));
        relink_twice(&["absolutize"], manner, [&mirror, &live, &again]);
        let (on_disk, absolute) = (self.live.tally(&mirror), self.live.tally_absolute(&live));
        let destroyed: BTreeSet<_> =
            on_disk.faults.iter().map(|fault| (&fault.file, &fault.name)).collect();
        let causes = Causes::of(self.live.site, manner, &mirror);
        let (n_destroyed, n_lost, others) = absolute.faults.iter().fold(
            (0, 0, Vec::new()),
            |(n_destroyed, n_lost, mut others), fault| {
                let is_destroyed = destroyed.contains(&(&fault.file, &fault.name));
                let file = self.live.file_of(&mirror, fault);
                let file = file.as_deref().and_then(|file| file.strip_prefix(&mirror).ok());
                let is_lost = !is_destroyed && causes.is_name_lost(fault, file);
                if !is_destroyed && !is_lost {
                    others.push(fault.line());
                }
                (n_destroyed + usize::from(is_destroyed), n_lost + usize::from(is_lost), others)
            },
        );
        self.note(manner, "absolute", &absolute.lines());
        println!(
            "| `{}` | {} | {} | {n_destroyed} | {n_lost} | {} |",
            manner.name,
            absolute.n_references,
            absolute.n_right(),
            others.len()
        );
        assert!(absolute.n_references >= 1000, "{}: {}", manner.name, absolute.n_references);
        assert!(others.is_empty(), "{}: {others:#?}", manner.name);
    }

    /// Writes what is wrong to a file, if the trees are kept.
    fn note(&self, manner: &Manner, what: &str, lines: &[String]) {
        fs::write(self.path(manner, what).with_extension("txt"), lines.join("\n")).expect("a file");
    }
}

/// Runs a command of the program on a tree, and on its own output, which must stay as it is.
fn relink_twice(command: &[&str], manner: &Manner, [from, to, again]: [&Path; 3]) {
    for (from, to) in [(from, to), (to, again)] {
        let [from, to] = [from, to].map(|path| path.to_str().expect("UTF-8"));
        relink_well(&[command, &[from, "-o", to], manner.layout].concat());
    }
    for file in files(to) {
        let below = file.strip_prefix(to).expect("below");
        let (first, second) = (fs::read(&file).ok(), fs::read(again.join(below)).ok());
        assert!(first == second, "{}: {}", manner.name, below.display());
    }
}

/// Returns the references that are not right: of which resource, which of it, and its text there.
fn faults(tally: &Tally) -> BTreeSet<(usize, String, String)> {
    let faults = tally.faults.iter();
    faults.map(|fault| (fault.own, fault.name.clone(), fault.was.text.clone())).collect()
}

fn row(name: &str, by: &str, tally: &Tally, shown: Option<&Shown>) {
    let counts: String = VERDICTS.map(|verdict| format!(" {} |", tally.count(verdict))).concat();
    let (n, n_right) = (tally.n_references, tally.n_right());
    let shown = shown.map_or_else(
        || " | |".to_owned(),
        |shown| format!(" {} | {} |", shown.failed_loads.len(), shown.n_as_text),
    );
    println!("| `{name}` | {by} | {n} | {n_right} |{counts}{shown}");
}
