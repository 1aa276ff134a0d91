//! Runs that are killed, or asked to end: amid their work, and at random moments.

use std::path::Path;
use std::process::{Child, Output};
use std::time::{Duration, Instant};

use xtask::archive::{Entry, zip};

use crate::tools;
use crate::tree::{
    ABSOLUTE, ALL, CASES, Case, KEPT, NESTED, Node, Place, RELATIVE, Tree, first_tree, long_ago,
    report,
};
use crate::{is_long, n_kills, sized};

/// Mirrors of two hosts that were converted before: each reference is read by what is in the tree.
const MIRROR_ABSOLUTE: Case = Case::new("absolutize site --layout wget --in-place -q", "site");
const MIRROR_FOR_FILE: Case =
    Case::new("relativize site --layout wget --for file --in-place -q", "site");

/// A mirror of two hosts. Half of the pages are as `wget -E -k` leaves them, the others as the site
/// had them.
fn mirror_tree(n_pages: usize) -> Tree {
    let mut tree = Tree::new();
    let mut add = |path: String, text: String| {
        let modified = long_ago(tree.len());
        let node = Node::File { bytes: text.into_bytes(), mode: 0o644, modified };
        tree.insert(Path::new("site").join(path), node);
    };
    for number in 0..n_pages {
        let next = (number + 1) % n_pages;
        let converted = format!(
            "<link rel=stylesheet href=../b.example/s.css><a href=item.php%3Fid={next}.html>next</a>\n"
        );
        let live = format!(
            "<link rel=stylesheet href=http://b.example/s.css><a href=item.php?id={next}>next</a>\n"
        );
        let missing = format!("<a href=http://a.example/none{number}>none</a>\n").repeat(150);
        let page = if number % 2 == 0 { converted } else { live };
        add(format!("a.example/item.php?id={number}.html"), page + &missing);
    }
    add("a.example/index.html".into(), "<a href=item.php%3Fid=0.html>first</a>\n".into());
    add("b.example/s.css".into(), "a { background: url(../a.example/none.png) }\n".into());
    add("b.example/index.html".into(), "<a href=http://a.example/>a</a>\n".into());
    tree
}

const PACKAGES: Case = Case::new(
    "move site --base http://h.example/ --from http://h.example/ --to http://h.example/archive/ --in-place -q",
    "site",
);

/// Documents of Word, with hyperlinks and fields that are split into runs.
fn package_tree(n_files: usize) -> Tree {
    let types = "<Types><Default Extension='xml' ContentType='application/xml'/>\
         <Default Extension='rels' ContentType='application/xml'/></Types>";
    let package = |number: usize| {
        let links: String = (0..200)
            .map(|n| {
                format!("<Relationship Type='x/hyperlink' TargetMode='External' Target='http://h.example/{n}'/>\n")
            })
            .collect();
        let links = format!(
            "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>{links}</Relationships>"
        );
        let document = format!(
            "<w:p xmlns:w='http://purl.oclc.org/ooxml/wordprocessingml/main'><w:fldChar w:fldCharType='begin'/>\
             <w:instrText>HYPERLINK \"http://h.ex</w:instrText><w:instrText>ample/{number}\"</w:instrText></w:p>"
        );
        let members = [
            ("[Content_Types].xml", types),
            ("word/_rels/document.xml.rels", &links),
            ("word/document.xml", &document),
            ("word/media/image1.png", "\u{89}PNG not a picture"),
        ];
        zip(&members.map(|(path, text)| Entry::file(path, text))).unwrap()
    };
    let file = |number: usize, path: String, bytes: Vec<u8>| {
        (path.into(), Node::File { bytes, mode: 0o644, modified: long_ago(number) })
    };
    let packages = (0..n_files)
        .map(|number| file(number, format!("site/d{}/{number}.docx", number % 7), package(number)));
    // A run that is held waits here.
    let page = file(n_files, "site/a.html".into(), b"<a href=http://h.example/x>".to_vec());
    packages.chain([page]).collect()
}

/// Numbers that are the same on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// Moments in a run of the length that an undisturbed one has. What is checked does not depend on
/// them: a run that has not begun, or has ended, must survive too.
pub(crate) struct Moments {
    random: Random,
    length: u64,
}

impl Moments {
    pub(crate) fn of_a_run(seed: u64, run: impl FnOnce()) -> Self {
        let started = Instant::now();
        run();
        let length = u64::try_from(started.elapsed().as_micros()).unwrap().max(1);
        Moments { random: Random::new(seed), length }
    }

    /// Waits for the next moment.
    pub(crate) fn wait(&mut self) {
        tools::pause(Duration::from_micros(self.random.below(self.length)));
    }
}

/// Sends a signal to runs: to the first one when it waits amid its work, to the others at random
/// moments. `check` receives what came of it.
fn signal_often(
    case: &'static Case,
    first: Tree,
    signal: &str,
    n_times: u64,
    check: impl Fn(&str, &Output, bool),
) {
    let place = Place::new(case, first);
    let mut moments = Moments::of_a_run(1996, || drop(place.run(case.line)));
    let mut n_within = 0;
    for number in 0..n_times {
        place.restore("first");
        let output = if number == 0 {
            let held = place.held(case.line);
            held.signal(signal);
            held.go_on()
        } else {
            let child = place.command(&[], case.line).spawn().unwrap();
            moments.wait();
            send(&child, signal);
            child.wait_with_output().unwrap()
        };
        let after = format!("{signal} {number} of {}", case.line);
        let is_broken_off = place.survives(&after, &output);
        assert!(is_broken_off || number > 0, "{after}: {}", report(&output));
        n_within += u64::from(is_broken_off);
        check(&after, &output, is_broken_off);
    }
    let n_files = place.n_files.take();
    println!(
        "{}: {n_times} times {signal}, {n_within} of them amid the run, {n_files} files checked, 0 bytes lost",
        case.line
    );
}

pub(crate) fn send(child: &Child, signal: &str) {
    // It may have ended by now.
    tools::send(signal, child.id());
}

fn kill_often(case: &'static Case) {
    kill_often_over(case, first_tree(sized(120), sized(400)));
}

pub(crate) fn kill_often_over(case: &'static Case, first: Tree) {
    signal_often(case, first, "KILL", n_kills().div_ceil(CASES.len() as u64), |_, _, _| {});
}

/// A run that goes on reads the documents as the first did, although half of them are changed.
#[test]
fn mirrors_that_were_converted_become_absolute() {
    kill_often_over(&MIRROR_ABSOLUTE, mirror_tree(sized(300)));
}

#[test]
fn mirrors_that_were_converted_for_a_disk() {
    kill_often_over(&MIRROR_FOR_FILE, mirror_tree(sized(120)));
}

#[test]
fn moves_that_would_be_made_twice() {
    kill_often(&NESTED);
}

#[test]
fn documents_of_word() {
    let n_times = if is_long() { 300 } else { 3 };
    signal_often(&PACKAGES, package_tree(sized(200)), "KILL", n_times, |_, _, _| {});
}

#[test]
fn moves_with_backups() {
    kill_often(&KEPT);
}

#[test]
fn absolute_references() {
    kill_often(&ABSOLUTE);
}

#[test]
fn relative_references_with_backups() {
    kill_often(&RELATIVE);
}

#[test]
fn everything_at_once() {
    kill_often(&ALL);
}

#[test]
fn runs_that_are_asked_to_end() {
    for (signal, status) in [("INT", 130), ("TERM", 143)] {
        let first = first_tree(sized(120), sized(400));
        signal_often(&NESTED, first, signal, n_kills() / 8, |after, output, is_broken_off| {
            match output.status.code() {
                Some(code) if code == status => {
                    let end = if is_broken_off {
                        "`relink undo site` to revert"
                    } else {
                        "note: interrupted; no file was changed"
                    };
                    assert!(report(output).ends_with(end), "{after}: {}", report(output));
                }
                // It came before the run had begun, or when it had ended.
                None | Some(0) => assert!(!is_broken_off, "{after}: {}", report(output)),
                _ => panic!("{after}: {}", report(output)),
            }
        });
    }
}
