//! Command lines that cannot be: status 2 and one line, before anything is read or written.

use crate::dir::TestDir;

fn site() -> TestDir {
    TestDir::with(&[
        ("site/a.html", "<a href=x>"),
        ("site/sub/b.html", "<a href=x>"),
        ("other/site/c.html", "<a href=x>"),
        ("full/there", "x"),
    ])
}

/// Each command line fails for its reason and changes nothing.
#[track_caller]
fn check(cases: &[(&str, &str)]) {
    let dir = site();
    let before = dir.tree("");
    for (line, reason) in cases {
        dir.relink(line).fails(reason);
        assert_eq!(dir.tree(""), before, "{line}");
    }
}

/// As clap tells it: status 2, `error: `, and these words.
#[track_caller]
fn check_clap(line: &str, words: &[&str]) {
    let dir = site();
    let before = dir.tree("");
    let run = dir.relink(line).exits(2).prints("");
    assert!(run.stderr.starts_with("error: "), "{run}");
    assert!(words.iter().all(|word| run.stderr.contains(word)), "expected {words:?}{run}");
    assert_eq!(dir.tree(""), before, "{line}");
}

#[test]
fn a_base_must_be_the_url_of_a_place() {
    let relative = "not an absolute URL: the base has no scheme";
    let opaque = "nothing can be below a URL of this scheme";
    for (base, reason) in [
        ("some/path", relative),
        ("//host/path", relative),
        ("/path", relative),
        ("example.org", "not an absolute URL: the base has no scheme; is it http://example.org?"),
        (
            "localhost:80/x",
            "nothing can be below a URL of this scheme; is it http://localhost:80/x?",
        ),
        ("http//h", relative),
        ("mailto:a@h", opaque),
        ("data:,x", opaque),
        ("about:blank", opaque),
        ("urn:isbn:1", opaque),
        ("http://h/?q", "the URL of a directory cannot have a query"),
        ("http://h/d?", "the URL of a directory cannot have a query"),
    ] {
        let reason = format!("--base {base}: {reason}");
        check(&[
            (&format!("absolutize site --base {base} -o out"), &reason),
            (&format!("absolutize site --base {base} --diff"), &reason),
            (&format!("refs site --base {base}"), &reason),
        ]);
    }
    for base in ["http://", "http://h:99999/", "http://[/", "http://a b/"] {
        let run = TestDir::with(&[("a.html", "")])
            .relink_with(&["refs", "a.html", "--base", base].map(std::ffi::OsStr::new))
            .exits(2)
            .prints("");
        let start = format!("relink: --base {base}: not an absolute URL: ");
        assert!(run.stderr.starts_with(&start) && run.stderr.lines().count() == 1, "{run}");
    }
}

#[test]
fn a_base_is_for_one_path() {
    let reason = "--base is the URL of one PATH; for several give --map PATH=URL for each";
    check(&[
        ("absolutize site other --base http://h/ -o out", reason),
        ("refs site other --base http://h/", reason),
        ("refs - site --base http://h/", reason),
    ]);
}

#[test]
fn maps_must_be_a_path_of_the_run_and_a_url() {
    check(&[
        ("refs site --map x", "--map x: expected PATH=URL with an absolute URL"),
        ("refs site --map site=", "--map site=: expected PATH=URL with an absolute URL"),
        ("refs site --map site=x/y", "--map site=x/y: expected PATH=URL with an absolute URL"),
        ("refs site --map =http://h/", "--map =http://h/: expected PATH=URL with an absolute URL"),
        (
            "refs site --map full=http://h/",
            "--map full=http://h/: full is not in any PATH of this run",
        ),
        (
            "absolutize site/sub --map site/a.html=http://h/ -o out",
            "--map site/a.html=http://h/: site/a.html is not in any PATH of this run",
        ),
        (
            "refs - --map site=http://h/",
            "--map site=http://h/: site is not in any PATH of this run",
        ),
    ]);
    // Of several maps, the message says which.
    for url in ["mailto:x", "http://h/?q"] {
        let run = site().relink(&format!("refs site --map site/sub={url}")).exits(2).prints("");
        let start = format!("relink: --map site/sub={url}: ");
        assert!(run.stderr.starts_with(&start) && run.stderr.lines().count() == 1, "{run}");
    }
}

#[test]
fn an_output_must_be_told() {
    let reason =
        "where to write? give -o OUT or --in-place, or --dry-run or --diff to write nothing";
    check(&[
        ("absolutize site", reason),
        ("absolutize site/a.html --base http://h/", reason),
        ("absolutize site --base http://h/ -q", reason),
    ]);
}

#[test]
fn an_output_must_not_be_taken() {
    let full = "full: the output folder is not empty; --force writes into it";
    check(&[
        ("absolutize site -o full", full),
        ("absolutize site other -o full", full),
        ("absolutize site -o full/there", "full/there: the output is not a folder"),
        ("absolutize site -o full/there --force", "full/there: the output is not a folder"),
        ("absolutize site other -o full/there", "full/there: the output is not a folder"),
        ("absolutize site/a.html -o full", "full: the output is a folder, the input a file"),
        (
            "absolutize site/a.html -o full --force",
            "full: the output is a folder, the input a file",
        ),
        ("absolutize - -o full --force", "full: the output is a folder, the input a file"),
        (
            "absolutize site/a.html -o full/there",
            "full/there: the output exists; --force writes over it",
        ),
        ("absolutize - -o full/there", "full/there: the output exists; --force writes over it"),
    ]);
}

#[test]
fn input_and_output_must_be_apart() {
    let inside = |out: &str| format!("{out}: the output lies inside the input");
    let around = |out: &str| format!("{out}: the input lies inside the output");
    for out in ["site", "site/", "./site", "site/out", "site/sub", "full/../site/out"] {
        for force in ["", "--force"] {
            check(&[(&format!("absolutize site -o {out} {force}"), &inside(out))]);
        }
    }
    for (line, reason) in [
        ("absolutize site/sub -o site --force", around("site")),
        ("absolutize site/sub -o . --force", around(".")),
        ("absolutize . -o new", inside("new")),
        ("absolutize site other -o other/new", inside("other/new")),
        ("absolutize site/a.html full -o site --force", around("site")),
    ] {
        check(&[(line, &reason)]);
    }
    let same = |out: &str| format!("{out}: the output is the input");
    for out in ["site/a.html", "./site/a.html", "site/sub/../a.html"] {
        check(&[(&format!("absolutize site/a.html -o {out} --force"), &same(out))]);
    }
}

#[test]
fn a_folder_beside_the_input_with_a_longer_name_is_apart() {
    let dir = site();
    dir.relink("absolutize site --base http://h/ -o site2 -q").exits(0).tells("");
    dir.relink("absolutize site2 --base http://h/ -o sit -q").exits(0).tells("");
}

#[test]
fn several_paths_must_have_names_of_their_own() {
    check(&[
        (
            "absolutize site other/site -o out",
            "other/site: two paths would both be written to out/site",
        ),
        ("absolutize site site -o out", "site: two paths would both be written to out/site"),
        ("absolutize / site -o /dev/null/x", "/: a path without a name cannot be one of several"),
    ]);
}

#[test]
fn standard_streams_hold_one_document() {
    let stdin = "standard input (-) cannot be read together with other paths";
    check(&[
        ("absolutize - site -o out", stdin),
        ("absolutize site - -o out", stdin),
        ("refs - site", stdin),
        ("refs - -", stdin),
        ("absolutize site -o -", "a folder cannot be written to standard output"),
    ]);
    let run = site().relink("absolutize site/a.html site/sub/b.html -o -").exits(2).prints("");
    assert!(!run.stderr.contains("a folder"), "none of them is a folder{run}");
}

#[test]
fn globs_types_slots_and_names_are_checked() {
    check(&[
        ("refs site --include [", "--include [: unclosed character class; missing ']'"),
        ("refs site --exclude a\\", "--exclude a\\: dangling '\\'"),
        ("absolutize site --exclude [z-a] -o out", "--exclude [z-a]: invalid range; 'z' > 'a'"),
        ("refs site --only hre", "no slot is called 'hre'; 'relink slots' lists them"),
        ("refs site --skip a,b[x]", "no slot is called 'b[x]'; 'relink slots' lists them"),
        ("refs site --only data-x", "no slot is called 'data-x'; 'relink slots' lists them"),
        (
            "refs site --also a=b",
            "--also a=b: expected ids, templates, text, markdown, ssi, js-modules, lazy, htmx, or the name of an attribute, data-src or img[data-src]",
        ),
        (
            "refs site --type php",
            "--type php: expected EXT=MEDIA/TYPE, such as php=text/html, or for standard input text/css",
        ),
        (
            "refs site --type php=",
            "--type php=: expected EXT=MEDIA/TYPE, such as php=text/html, or for standard input text/css",
        ),
        ("refs site --type =text/css", "--type =text/css: the extension is empty"),
    ]);
}

#[test]
fn words_that_clap_reads_are_told_by_clap() {
    check_clap("refs site --dialect rfc9999", &["rfc9999", "--dialect", "rfc3986", "web"]);
    check_clap("absolutize site --verify maybe -o out", &["maybe", "--verify", "none, fast, full"]);
    check_clap("refs site --format xml", &["xml", "--format", "text, json"]);
    check_clap("refs site -j 0", &["--jobs", "0"]);
    check_clap("refs", &["<PATH>"]);
    check_clap("nonsense", &["nonsense"]);
    check_clap("refs site --nonsense", &["--nonsense"]);
}
