//! Bases inside of one that `relativize` empties for a disk: that of a `srcdoc`, a `<base>` in it,
//! an inner `xml:base`. What depends on them keeps its target too, and what has two targets keeps
//! both.

use std::sync::Arc;

use relink_rewrite::{
    Engine, Media, NewPlace, Options, Relative, TargetLocation, TargetMap, Verify, relativize,
};

use crate::listing::{URL, at_url, unit};

/// The files of the tree `http://h/`, beside the document at `http://h/d/p`.
const FILES: [&str; 3] = ["http://h/e/b.png", "http://h/d/a.png", "http://h/d/x/a.png"];

/// A tree on a disk: as for an earlier run, a relative reference that leads to a file is right.
#[derive(Debug)]
struct Disk;

impl TargetMap for Disk {
    fn moved(&self, target: &str, _: bool, new: &mut String) -> TargetLocation {
        new.push_str(target);
        match target {
            _ if FILES.contains(&target) || target.ends_with('/') => TargetLocation::Inside,
            _ if target.starts_with("http://h/") => TargetLocation::Missing,
            _ => TargetLocation::Outside,
        }
    }

    fn for_place(&self, new: &str, _: &str) -> Option<String> {
        FILES.contains(&new).then(|| new.to_owned())
    }
}

/// Asserts the output of a document by both engines, and that a second run changes nothing.
#[track_caller]
fn check_as(media: Media, document: &str, expected: &str) {
    let context = at_url();
    let relative = Relative::default().with_map(Arc::new(Disk));
    for engine in [Engine::Auto, Engine::Reference] {
        let options = Options::default().with_engine(engine).with_verify(Verify::Full);
        let output = |document: &str| {
            let new_place = NewPlace { url: &URL.parse().unwrap(), root: "http://h/" };
            let unit = unit(document.as_bytes(), media, &context).with_new_place(new_place);
            let rewritten = relativize(unit, &options, &relative);
            assert_eq!(rewritten.verify_error(), None, "{document}");
            rewritten.into_output().map(|output| String::from_utf8(output).unwrap())
        };
        assert_eq!(output(document).as_deref().unwrap_or(document), expected, "{document}");
        assert_eq!(output(expected), None, "a second run of {expected}");
    }
}

/// Does so with a page with this `srcdoc` under a base.
#[track_caller]
fn check(srcdoc: &str, base: &str, expected: &str) {
    let page = |base: &str, srcdoc: &str| {
        format!("<base href=\"{base}\"><img src=\"\"><iframe srcdoc=\"{srcdoc}\"></iframe>")
    };
    check_as(Media::HTML, &page("/e/", srcdoc), &page(base, expected));
}

#[test]
fn a_missing_file_is_not_the_one_that_the_emptied_base_hid() {
    check("<img src=a.png>", "", "<img src=http://h/e/a.png>");
    check("<img src=b.png>", "", "<img src=../e/b.png>");
    check("<iframe srcdoc='<img src=a.png>'>", "", "<iframe srcdoc='<img src=http://h/e/a.png>'>");
    let base = "<base href=x/>";
    check(&format!("{base}<img src=a.png>"), "", &format!("{base}<img src=http://h/e/x/a.png>"));
    let document = |base: &str, url: &str| {
        format!(
            "<a xmlns:l='http://www.w3.org/1999/xlink' xml:base='{base}'><b xml:base='x/' l:href='{url}'/></a>"
        )
    };
    let expected = document("", "http://h/e/x/a.png");
    check_as(Media::XML, &document("/e/", "a.png"), &expected);
}

#[test]
fn what_stays_inside_keeps_the_outer_base() {
    for start in ["", "<base href=x/>", "<base href='http://['>", "<base href={{x}}/>"] {
        let kept = format!("{start}<img src={{{{x}}}}.png>");
        check(&kept, "../e/", &kept);
    }
    // An `xml:base` that is not emptied stays as written.
    for inner in ["", "xml:base='x/'"] {
        let kept = format!(
            "<a xmlns:l='http://www.w3.org/1999/xlink' xml:base='/e/'><b {inner} l:href='{{{{x}}}}.png'/></a>"
        );
        check_as(Media::XML, &kept, &kept);
    }
}

#[test]
fn a_reference_with_two_targets_keeps_both() {
    // The second base is put before the table, and becomes the first.
    let page = |base: &str| {
        format!(
            "<table><tr><td><base href='{base}'><video src=b.png></video></td></tr><base href=x/></table>"
        )
    };
    check_as(Media::HTML, &page("/e/"), &page("../e/"));
    let context = at_url();
    let input = page("/e/");
    let unit = unit(input.as_bytes(), Media::HTML, &context);
    let output = relativize(unit, &Options::default(), &Relative::default()).into_output();
    assert_eq!(output, Some(page("../e/").into_bytes()));
}
