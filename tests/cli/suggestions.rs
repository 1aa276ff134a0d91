//! Values that are not known: each is an error, with a similar name if there is one.

use crate::dir::TestDir;

#[test]
fn unknown_values_are_errors_with_a_suggestion() {
    let dir = TestDir::with(&[("a.html", "<a href=b>b</a>")]);
    for (options, start, suggestion) in [
        (
            "--also markdwn",
            "invalid value 'markdwn' for --also; expected ",
            "; did you mean 'markdown'?",
        ),
        ("--also lasy", "invalid value 'lasy' for --also; expected ", "; did you mean 'lazy'?"),
        (
            "--also source",
            "invalid value 'source' for --also; expected ",
            "such as data-src, [source] or img[source]",
        ),
        (
            "--limit tim=3s",
            "invalid value 'tim=3s' for --limit; unknown limit; ",
            "; did you mean 'time'?",
        ),
        ("--only a[hre]", "no slot matches 'a[hre]'; ", "; did you mean 'a[href]'?"),
        ("--skip img[scr]", "no slot matches 'img[scr]'; ", "; did you mean 'img[src]'?"),
    ] {
        let run = dir.relink(&format!("refs a.html {options}")).exits(2).prints("");
        let message = run.stderr.trim_end();
        assert!(message.starts_with(&format!("error: {start}")), "{run}");
        assert!(message.ends_with(suggestion), "{run}");
    }
}

#[test]
fn names_of_attributes_are_values_of_also() {
    let page = "<a data-to=1><img data-to=2><i source=3><b hx:get=4>";
    let dir = TestDir::with(&[("a.html", page)]);
    for (name, found) in [
        ("data-to", "12"),
        ("img[data-to]", "2"),
        ("[source]", "3"),
        ("i[source]", "3"),
        ("b[source]", ""),
        ("hx:get", "4"),
    ] {
        let run = dir.relink(&format!("refs a.html --also {name} -q")).exits(0);
        let last = |line: &str| line.chars().last().expect("a line");
        assert_eq!(run.text().lines().map(last).collect::<String>(), found, "{name}{run}");
    }
}
