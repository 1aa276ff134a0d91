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

/// As clap says it: status 2, `error: `, and these words.
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
    let opaque = "URLs of this scheme have no directories";
    for (base, reason) in [
        ("some/path", "not an absolute URL: the base has no scheme; use a URL instead of a path"),
        (
            "//host/path",
            "not an absolute URL: the base has no scheme; did you mean http://host/path?",
        ),
        ("/path", "not an absolute URL: the base has no scheme; did you mean file:///path?"),
        (
            "example.org",
            "not an absolute URL: the base has no scheme; did you mean http://example.org?",
        ),
        (
            "localhost:80/x",
            "URLs of this scheme have no directories; did you mean http://localhost:80/x?",
        ),
        ("http//h", "not an absolute URL: the base has no scheme; use a URL instead of a path"),
        ("mailto:a@h", opaque),
        ("data:,x", opaque),
        ("about:blank", opaque),
        ("urn:isbn:1", opaque),
        (
            "http://h/d/index.htm",
            "it looks like the URL of a page; use the URL of its directory, http://h/d/",
        ),
        ("http://h/?q", "the URL of a directory cannot have a query"),
        ("http://h/d?", "the URL of a directory cannot have a query"),
    ] {
        let reason = format!("error: invalid value '{base}' for --base; {reason}");
        check(&[
            (&format!("absolutize site --base {base} -o out"), &reason),
            (&format!("absolutize site --base {base} --diff"), &reason),
            (&format!("refs site --base {base}"), &reason),
        ]);
    }
    let run = site().relink("absolutize site --base http://h/d/index.html -n").exits(0);
    let note = "site: its URL is read as http://h/d/, that of the directory";
    assert!(run.has_line(note), "{run}");
    for base in ["http://", "http://h:99999/", "http://[/", "http://a b/"] {
        let run = TestDir::with(&[("a.html", "")])
            .relink_with(&["refs", "a.html", "--base", base].map(std::ffi::OsStr::new))
            .exits(2)
            .prints("");
        let start = format!("error: invalid value '{base}' for --base; not an absolute URL: ");
        assert!(run.stderr.starts_with(&start) && run.stderr.lines().count() == 1, "{run}");
    }
}

#[test]
fn a_base_of_standard_input_is_for_it_alone() {
    let reason = "error: cannot use --base with several PATHs; it is the URL of one PATH; use `--map PATH=URL` for each PATH";
    check(&[("refs - site --base http://h/", reason)]);
}

#[test]
fn maps_must_be_a_path_of_the_run_and_a_url() {
    check(&[
        (
            "refs site --map x",
            "error: invalid value 'x' for --map; expected PATH=URL with an absolute URL",
        ),
        (
            "refs site --map site=",
            "error: invalid value 'site=' for --map; expected PATH=URL with an absolute URL",
        ),
        (
            "refs site --map site=x/y",
            "error: invalid value 'site=x/y' for --map; expected PATH=URL with an absolute URL",
        ),
        (
            "refs site --map =http://h/",
            "error: invalid value '=http://h/' for --map; expected PATH=URL with an absolute URL",
        ),
        (
            "refs site --map full=http://h/",
            "error: invalid value 'full=http://h/' for --map; full is not in any PATH of this run",
        ),
        (
            "absolutize site/sub --map site/a.html=http://h/ -o out",
            "error: invalid value 'site/a.html=http://h/' for --map; site/a.html is not in any PATH of this run",
        ),
        (
            "refs - --map site=http://h/",
            "error: invalid value 'site=http://h/' for --map; site is not in any PATH of this run",
        ),
    ]);
    // Of several maps, the message says which.
    for url in ["mailto:x", "http://h/?q"] {
        let run = site().relink(&format!("refs site --map site/sub={url}")).exits(2).prints("");
        let start = format!("error: invalid value 'site/sub={url}' for --map; ");
        assert!(run.stderr.starts_with(&start) && run.stderr.lines().count() == 1, "{run}");
    }
}

#[test]
fn an_output_must_be_reported() {
    let reason = "error: no output is set; relink does not guess where to write; use `-o OUT` or `--in-place` to write, or `--dry-run` or `--diff` to write nothing";
    check(&[
        ("absolutize site", reason),
        ("absolutize site/a.html --base http://h/", reason),
        ("absolutize site --base http://h/ -q", reason),
    ]);
}

#[test]
fn an_output_must_not_be_taken() {
    let full = "full: cannot write the output here; the directory is not empty; use `--force` to write into it";
    check(&[
        ("absolutize site -o full", full),
        ("absolutize site other -o full", full),
        (
            "absolutize site -o full/there",
            "full/there: cannot write the output here; it is not a directory; use another OUT",
        ),
        (
            "absolutize site -o full/there --force",
            "full/there: cannot write the output here; it is not a directory; use another OUT",
        ),
        (
            "absolutize site other -o full/there",
            "full/there: cannot write the output here; it is not a directory; use another OUT",
        ),
        (
            "absolutize site/a.html -o full",
            "full: cannot write the output here; it is a directory, and the input is a file; use the path of a file",
        ),
        (
            "absolutize site/a.html -o full --force",
            "full: cannot write the output here; it is a directory, and the input is a file; use the path of a file",
        ),
        (
            "absolutize - -o full --force",
            "full: cannot write the output here; it is a directory, and the input is a file; use the path of a file",
        ),
        (
            "absolutize site/a.html -o full/there",
            "full/there: cannot write the output here; the file exists; use `--force` to replace it",
        ),
        (
            "absolutize - -o full/there",
            "full/there: cannot write the output here; the file exists; use `--force` to replace it",
        ),
    ]);
}

#[test]
fn input_and_output_must_be_apart() {
    let inside = |out: &str| {
        format!("{out}: cannot write the output here; it is inside the input; use another OUT")
    };
    let around = |out: &str| {
        format!("{out}: cannot write the output here; it contains the input; use another OUT")
    };
    let same = |out: &str| {
        format!(
            "{out}: cannot write the output here; it is the input; use another OUT, or `--in-place`"
        )
    };
    for (out, reason) in [
        ("site", same("site")),
        ("site/", same("site/")),
        ("./site", same("./site")),
        ("site/out", inside("site/out")),
        ("site/sub", inside("site/sub")),
        ("full/../site/out", inside("full/../site/out")),
    ] {
        for force in ["", "--force"] {
            check(&[(&format!("absolutize site -o {out} {force}"), &reason)]);
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
    let same = |out: &str| {
        format!(
            "{out}: cannot write the output here; it is the input; use another OUT, or `--in-place`"
        )
    };
    for out in ["site/a.html", "./site/a.html", "site/sub/../a.html"] {
        check(&[(&format!("absolutize site/a.html -o {out} --force"), &same(out))]);
    }
}

#[test]
fn a_directory_beside_the_input_with_a_longer_name_is_apart() {
    let dir = site();
    dir.relink("absolutize site --base http://h/ -o site2 -q").exits(0).reports("");
    dir.relink("absolutize site2 --base http://h/ -o sit -q").exits(0).reports("");
}

#[test]
fn several_paths_must_have_names_of_their_own() {
    check(&[
        (
            "absolutize site other/site -o out",
            "other/site: cannot be written to out/site; another PATH has the same name; run relink for each PATH alone",
        ),
        (
            "absolutize site site -o out",
            "site: cannot be written to out/site; another PATH has the same name; run relink for each PATH alone",
        ),
        (
            "absolutize / site -o /dev/null/x",
            "/: cannot be one of several PATHs; it has no name for a directory in OUT; run relink for this PATH alone",
        ),
    ]);
}

#[test]
fn standard_streams_hold_one_document() {
    let stdin = "error: cannot read standard input (-) together with other PATHs; it is one document; use a run of its own for it";
    check(&[
        ("absolutize - site -o out", stdin),
        ("absolutize site - -o out", stdin),
        ("refs - site", stdin),
        ("refs - -", stdin),
        (
            "absolutize site -o -",
            "error: cannot write a directory to standard output; it holds one document; use `-o OUT` to name a directory",
        ),
    ]);
    site().relink("absolutize site/a.html site/sub/b.html -o -").fails("error: cannot write several PATHs to standard output; it holds one document; use `-o OUT` to name a directory");
}

#[test]
fn globs_types_slots_and_names_are_checked() {
    check(&[
        (
            "refs site --include [",
            "error: invalid value '[' for --include; unclosed character class; missing ']'",
        ),
        ("refs site --exclude a\\", "error: invalid value 'a\\' for --exclude; dangling '\\'"),
        (
            "absolutize site --exclude [z-a] -o out",
            "error: invalid value '[z-a]' for --exclude; invalid range; 'z' > 'a'",
        ),
        (
            "refs site --only hre",
            "error: no slot matches 'hre'; use `relink slots` to list all slots",
        ),
        (
            "refs site --skip a,b[x]",
            "error: no slot matches 'b[x]'; use `relink slots` to list all slots",
        ),
        (
            "refs site --only data-x",
            "error: no slot matches 'data-x'; use `relink slots` to list all slots",
        ),
        (
            "refs site --also a=b",
            "error: invalid value 'a=b' for --also; expected ids, templates, text, markdown, ssi, js-modules, script-templates, formulas, zip, lazy, htmx, or the name of an attribute, such as data-src, [source] or img[source]",
        ),
        (
            "refs site --type php",
            "error: invalid value 'php' for --type; expected EXT=MEDIA/TYPE, such as php=text/html, or MEDIA/TYPE for standard input",
        ),
        (
            "refs site --type php=",
            "error: invalid value 'php=' for --type; expected EXT=MEDIA/TYPE, such as php=text/html, or MEDIA/TYPE for standard input",
        ),
        (
            "refs site --type =text/css",
            "error: invalid value '=text/css' for --type; the extension is empty",
        ),
    ]);
}

#[test]
fn a_path_in_place_of_a_command() {
    let dir = site();
    let hint = "hint: site is a path; put a command before it, such as `relink check site`\n";
    for line in ["site", "site --base http://h/"] {
        let run = dir.relink(line).exits(2).prints("");
        assert!(run.stderr.contains("'site'") && run.stderr.ends_with(hint), "{run}");
    }
    let run = dir.relink("sites").exits(2);
    assert!(!run.stderr.contains("hint:"), "{run}");
    // What can be unpacked is, first of all.
    dir.file("Inbox", "From a@b Thu Jan  1 00:00:00 2020\nSubject: a\n\ntext\n");
    dir.file("a.warc", "WARC/1.1\r\nWARC-Type: warcinfo\r\n");
    dir.file("page.mhtml", "MIME-Version: 1.0\n\n");
    for name in ["Inbox", "a.warc", "page.mhtml"] {
        let run = dir.relink(name).exits(2);
        let hint = format!("such as `relink unpack {name}`\n");
        assert!(run.stderr.ends_with(&hint), "{run}");
    }
}

#[test]
fn words_that_clap_reads_are_reported_by_clap() {
    check_clap("refs site --dialect rfc9999", &["rfc9999", "--dialect", "rfc3986", "web"]);
    check_clap("absolutize site --verify maybe -o out", &["maybe", "--verify", "none, fast, full"]);
    check_clap("refs site --format xml", &["xml", "--format", "text, json"]);
    check_clap("refs site -j 0", &["--jobs", "0"]);
    check_clap("absolutize", &["<PATH>"]);
    check_clap("nonsense", &["nonsense"]);
    check_clap("refs site --nonsense", &["--nonsense"]);
}

#[test]
fn what_was_forgotten_or_cannot_be_is_named() {
    let dir = site();
    dir.file("a.warc.gz", b"\x1f\x8b\x08\0");
    dir.file("d/e.wacz", b"PK\x03\x04");
    let before = dir.tree("");
    let archive = "a.warc.gz: cannot be converted; web archive, whose records are evidence and are not rewritten; unpack it to rewrite its pages; `refs`, `bases` and `check --list-external` read it as it is";
    for (line, message) in [
        (
            "relativize site",
            "error: no output is set; relink does not guess where to write; use `-o OUT` or `--in-place` to write, or `--dry-run` or `--diff` to write nothing",
        ),
        ("relativize a.warc.gz -o out", archive),
        ("absolutize a.warc.gz -o out", archive),
        ("absolutize a.warc.gz --dry-run", archive),
        ("move a.warc.gz --from http://a/ --to http://b/ --in-place", archive),
        (
            "unpack site -o -",
            "error: cannot write a directory to standard output; it holds one document; use `-o OUT` to name a directory",
        ),
        (
            "pack http://h/",
            "http://h/: cannot read a URL; relink reads files and fetches nothing; download it first",
        ),
        (
            "pack --tree https://h/ -o out",
            "https://h/: cannot read a URL; relink reads files and fetches nothing; download it first",
        ),
    ] {
        dir.relink(line).fails(message);
        assert_eq!(dir.tree(""), before, "{line}");
    }
    let tip = |line: &str| dir.relink(line).exits(2).prints("").stderr;
    for line in ["check site --json", "absolutize --json", "slots --json"] {
        let message = tip(line);
        assert!(message.ends_with("hint: use `--format json` for JSON\n"), "{message}");
        assert!(!message.contains("as a value"), "{message}");
    }
    assert!(!tip("url parse x --json").contains("--format"));
    for (word, command) in
        [("abs", "'absolutize'\n"), ("rel", "'relativize'\n"), ("undoo", "'undo'\n")]
    {
        let message = tip(word);
        let [_, names] = *message.splitn(2, "exists: ").collect::<Vec<&str>>() else {
            panic!("{message}")
        };
        assert!(names.starts_with(command), "{message}");
    }
}
