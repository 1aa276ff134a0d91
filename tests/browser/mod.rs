//! What a browser does with documents is what relink says of them.
//!
//! `mhtml.py`: pages that a browser saved as MHTML open in it as before when they are made absolute
//! or relative, and when they are unpacked (`unpack.py`); `mail.py`: unpacked mail runs no script;
//! `links.py`: its links do what their texts say.
//! `loads.py`: a converted site loads what the site loads, at two places (`sites.py` makes sites,
//! with digests `integrity.py`; `conversions.py` and `archives.py` convert them; `look.py` and
//! `look.js` look at what is used). `faults.py`: a site that is converted wrongly is refused.
//! `variants.py`: sites that are easily converted wrongly, five of each kind
//! (`variant_sites.py`).
//! `xml_base.py`: in XHTML and SVG `xml:base` changes no target. `report.py`: what the page of
//! `--report` shows, and that it loads nothing. `pack.py`: a page that is packed as MHTML shows
//! what it shows on the disk. `screenshots.py` makes the pictures of the documentation.
//! `templates.py`: records whose base looks like a template. `disk.py`: what no browser loads from
//! a disk. `queries.py`: the charset in which a query is sent.
//!
//! `firefox.py` asks Firefox, by `marionette.py`, and is run manually.

use std::path::Path;
use std::process::Command;

/// Runs a script of this directory, perhaps with an argument, which prints a line of JSON for each
/// check.
fn run(script: &str) {
    if !crate::tools::has("python3", &["--version"]) {
        return;
    }
    let (script, part) = match script.split_once(' ') {
        Some((script, part)) => (script, Some(part)),
        None => (script, None),
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser").join(script);
    passes(Command::new("python3").arg(script).args(part));
}

/// Runs a script that prints a line of JSON for each check, all of which must be right.
#[track_caller]
pub(crate) fn passes(script: &mut Command) {
    let output =
        script.env("RELINK_BIN", env!("CARGO_BIN_EXE_relink")).output().expect("python3 starts");
    if crate::tools::skipped_by(&output.stdout) {
        return;
    }
    let report = String::from_utf8_lossy(&output.stdout);
    let wrong: Vec<&str> =
        report.lines().filter(|line| !line.contains("\"right\": true")).collect();
    if output.status.success() {
        wrong.iter().for_each(|line| println!("{line}"));
        println!("{} checks", report.lines().count() - wrong.len());
    }
    assert!(
        output.status.success(),
        "{}\n{}",
        wrong.join("\n"),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// MHTML that is unpacked shows what the MHTML shows.
#[test]
fn an_unpacked_page_opens_in_a_browser_as_before() {
    run("unpack.py");
}

/// Scripts, names and numbers of parts that are meant to do harm.
#[test]
fn hostile_mail_runs_no_script_when_it_is_unpacked() {
    run("mail.py");
}

/// Clicked as by a mouse.
#[test]
fn links_of_unpacked_mail_do_what_their_texts_say() {
    run("links.py");
}

#[test]
fn a_base_like_a_template_leads_where_a_browser_goes() {
    run("templates.py");
}

#[test]
fn a_saved_page_opens_in_a_browser_as_before() {
    run("mhtml.py");
}

#[test]
fn a_packed_page_shows_what_the_page_on_the_disk_shows() {
    run("pack.py");
}

/// At the URL of the site and at those of what is made of it.
#[test]
fn a_converted_site_loads_what_the_site_loads() {
    run("loads.py first");
}

/// The other half of the sites.
#[test]
fn another_converted_site_loads_what_the_site_loads() {
    run("loads.py second");
}

/// Sites with digests of what they load.
#[test]
fn a_converted_site_with_digests_loads_what_the_site_loads() {
    run("loads.py signed");
}

/// The slots that have the charset of the document, and what encoders write.
#[test]
fn queries_are_listed_as_a_browser_sends_them() {
    run("queries.py");
}

/// The judge of converted sites accepts what is right, and refuses one fault of each kind.
#[test]
fn the_judge_of_sites_refuses_each_kind_of_fault() {
    run("faults.py");
}

#[test]
fn what_a_browser_refuses_on_a_disk_is_counted() {
    run("disk.py");
}

/// Five of each kind, at two places. With wrong references, each is refused.
#[test]
fn a_site_that_is_easily_converted_wrongly_loads_what_it_loads() {
    run("variants.py");
}

/// Browsers ignore `xml:base` (DOM standard, "node document base URL").
#[test]
fn references_under_an_xml_base_point_where_a_browser_takes_them() {
    run("xml_base.py");
}

#[test]
fn the_page_of_a_report_shows_its_data_and_loads_nothing() {
    run("report.py");
}

#[test]
fn the_pictures_of_the_documentation_can_be_made() {
    if !crate::tools::has("python3", &["--version"]) {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let out = tempfile::tempdir().expect("a directory");
    let output = Command::new("python3")
        .arg(root.join("tests/browser/screenshots.py"))
        .arg(out.path())
        .env("RELINK_BIN", env!("CARGO_BIN_EXE_relink"))
        .output()
        .expect("python3 starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    if crate::tools::skipped_by(&output.stdout) {
        return;
    }
    for picture in std::fs::read_dir(root.join("docs/images")).expect("a directory") {
        let name = picture.expect("an entry").file_name();
        let made = std::fs::read(out.path().join(&name)).expect("the same picture");
        assert!(made.starts_with(b"\x89PNG") && made.len() > 5000, "{name:?}");
    }
}
