//! `url` and `slots`: the parts of the program that read no file.

use std::ffi::OsStr;

use crate::dir::{Run, TestDir};

fn relink(args: &[&str]) -> Run {
    TestDir::new().relink_with(&args.iter().map(OsStr::new).collect::<Vec<_>>())
}

#[track_caller]
fn resolves(dialect: &str, base: &str, reference: &str, target: &str) {
    let options: &[&str] = if dialect.is_empty() { &[] } else { &["--dialect", dialect] };
    let args = [&["url", "resolve", base, reference], options].concat();
    relink(&args).exits(0).tells("").prints(format!("{target}\n"));
    // The same by the line; a line end in a reference cannot be asked there.
    let line = ["url resolve --batch", &options.join(" ")].join(" ");
    let run = TestDir::new().pipe(&line, format!("{base}\t{reference}\n").as_bytes()).exits(0);
    let lines = [format!("url\t{target}\n"), format!("same\t{target}\n")];
    assert!(lines.iter().any(|line| line.as_bytes() == run.stdout), "{base} {reference}{run}");
}

#[test]
fn references_are_resolved() {
    let base = "http://a/b/c/d;p?q";
    // RFC 3986 section 5.4.
    for dialect in ["", "web", "rfc3986"] {
        for (reference, target) in [
            ("g:h", "g:h"),
            ("g", "http://a/b/c/g"),
            ("./g", "http://a/b/c/g"),
            ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q#s"),
            (";x", "http://a/b/c/;x"),
            ("", "http://a/b/c/d;p?q"),
            ("..", "http://a/b/"),
            ("../../../g", "http://a/g"),
            ("g;x=1/../y", "http://a/b/c/y"),
            ("g#s/../x", "http://a/b/c/g#s/../x"),
        ] {
            resolves(dialect, base, reference, target);
        }
    }
}

#[test]
fn each_dialect_has_its_own_rules() {
    let base = "http://a/b/c/d;p?q";
    for (reference, web, rfc3986, rfc1808) in [
        // RFC 1808 section 5.1 and 5.2; RFC 3986 section 5.4.1 and 5.4.2; the URL standard.
        ("?y", "http://a/b/c/d;p?y", "http://a/b/c/d;p?y", "http://a/b/c/d;p?y"),
        (";x", "http://a/b/c/;x", "http://a/b/c/;x", "http://a/b/c/d;x"),
        ("../../../g", "http://a/g", "http://a/g", "http://a/../g"),
        ("/./g", "http://a/g", "http://a/g", "http://a/./g"),
        ("/../g", "http://a/g", "http://a/g", "http://a/../g"),
        ("http:g", "http://a/b/c/g", "http:g", "http:g"),
        ("g;x=1/../y", "http://a/b/c/y", "http://a/b/c/y", "http://a/b/c/g;x=1/../y"),
        ("\\g", "http://a/g", "http://a/b/c/\\g", "http://a/b/c/\\g"),
        ("\\\\h\\g", "http://h/g", "http://a/b/c/\\\\h\\g", "http://a/b/c/\\\\h\\g"),
    ] {
        resolves("web", base, reference, web);
        resolves("rfc3986", base, reference, rfc3986);
        resolves("rfc1808", base, reference, rfc1808);
    }
    relink(&["url", "resolve", base, " g\t1\n"]).exits(0).prints("http://a/b/c/g1\n");
}

#[test]
fn what_cannot_be_resolved_is_told() {
    relink(&["url", "resolve", "a/b", "c"]).fails("a/b: the base has no scheme");
    relink(&["url", "resolve", "//a/b", "c"]).fails("//a/b: the base has no scheme");
    for (base, reference) in
        [("mailto:x", "b"), ("http://h/", "http://[/"), ("http://h/", "//h:x/")]
    {
        let run = relink(&["url", "resolve", base, reference]).exits(1).prints("");
        let is_one = run.stderr.starts_with(&format!("relink: {reference}: "));
        assert!(is_one && run.stderr.lines().count() == 1, "{run}");
    }
    for args in [&["url", "resolve"][..], &["url", "resolve", "http://h/"], &["url", "parse"]] {
        let run = relink(args).exits(2).prints("");
        assert!(run.stderr.starts_with("error: "), "{run}");
    }
    let run =
        relink(&["url", "resolve", "http://h/", "x", "--dialect", "rfc0"]).exits(2).prints("");
    assert!(run.stderr.contains("rfc0") && run.stderr.contains("rfc1808"), "{run}");
}

#[test]
fn a_batch_answers_every_line() {
    let dir = TestDir::new();
    let lines = "http://h/a/b\t../c\nrelative\tx\nno tab\n\nhttp://h/\thttp://[/\nhttp://h/a\tlast";
    let run = dir.pipe("url resolve --batch", lines.as_bytes()).exits(0).tells("");
    let kinds: Vec<_> = run.text().lines().map(|line| line.split('\t').next().unwrap()).collect();
    assert_eq!(kinds, ["url", "none", "none", "none", "none", "url"], "{run}");
    let lines: Vec<_> = run.text().lines().collect();
    assert_eq!(lines[0], "url\thttp://h/c");
    assert_eq!(lines[1], "none\tthe base has no scheme");
    assert_eq!(lines[2], "none\tno tab between base and reference");
    assert_eq!(lines[5], "url\thttp://h/last");
    assert!(lines[4].len() > "none\t".len(), "{run}");
    dir.pipe("url resolve --batch", b"").exits(0).prints("");
    let run = dir.relink("url resolve --batch http://h/ x").exits(2).prints("");
    assert!(run.stderr.contains("--batch"), "{run}");
}

#[test]
fn a_batch_may_have_lines_that_end_with_crlf() {
    for dialect in ["web", "rfc3986"] {
        TestDir::new()
            .pipe(&format!("url resolve --batch --dialect {dialect}"), b"http://h/a\tb\r\n")
            .exits(0)
            .prints("url\thttp://h/b\n");
    }
}

#[test]
fn components_are_printed_by_name() {
    relink(&["url", "parse", "http://u@h:80/a;x/b;y?q=1#f"]).exits(0).tells("").prints(
        "scheme    http\nauthority u@h:80\npath      /a;x/b;y\nquery     q=1\nfragment  f\n",
    );
    let run = relink(&["url", "parse", "http://h/a/b;y?q", "--dialect", "rfc1808"]).exits(0);
    run.prints("scheme    http\nauthority h\npath      /a/b\nparams    y\nquery     q\n");
    // Empty is not the same as not there.
    relink(&["url", "parse", "?#"]).exits(0).prints("path      \nquery     \nfragment  \n");
    relink(&["url", "parse", ""]).exits(0).prints("path      \n");
    relink(&["url", "parse", "//"]).exits(0).prints("authority \npath      \n");
    let run = relink(&["url", "parse", "x\x1by", "--dialect", "rfc3986"]).exits(0);
    run.prints("path      x%1By\n");
}

#[test]
fn slots_are_listed_in_both_formats() {
    #[derive(serde::Serialize, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Slot {
        slot: String,
        kind: String,
        local: bool,
        empty: bool,
    }
    let (text, json) =
        (relink(&["slots"]).exits(0), relink(&["slots", "--format", "json"]).exits(0));
    assert!(text.stderr.is_empty() && json.stderr.is_empty());
    let slots: Vec<Slot> =
        json.text().lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    assert!(slots.len() > 80, "{json}");
    for ((slot, text), json) in slots.iter().zip(text.text().lines()).zip(json.text().lines()) {
        assert_eq!(serde_json::to_string(slot).unwrap(), json);
        let (name, kind) = text.split_once("  ").unwrap_or_else(|| panic!("{text}"));
        assert_eq!(name.trim_end(), slot.slot);
        assert!(kind.trim_start().starts_with(&slot.kind), "{text}: {json}");
        assert_eq!(kind.contains("local"), slot.local, "{text}: {json}");
    }
    assert_eq!(text.text().lines().count(), slots.len());
    let find = |name: &str| slots.iter().find(|slot| slot.slot == name).expect(name);
    assert!(find("a[href]").empty && !find("img[src]").empty && find("css url()").local);
    assert_eq!(find("applet[code]").kind, "class");
    // Every name can be asked for.
    let names: Vec<_> = slots.iter().map(|slot| slot.slot.as_str()).collect();
    let dir = TestDir::with(&[("a.html", "<a href=x>")]);
    for name in [&names[..1], &names[names.len() - 1..]].concat() {
        let args = ["refs", "a.html", "--only", name].map(OsStr::new);
        dir.relink_with(&args).exits(0).tells("").prints("");
    }
    dir.relink_with(&["refs", "a.html", "--only", &names.join(",")].map(OsStr::new))
        .exits(0)
        .prints("a.html:1:9: a[href] x\n");
}

#[test]
fn relativize_is_the_inverse_of_resolve() {
    let dir = TestDir::new();
    dir.relink("url relativize http://h/a/b http://h/c").exits(0).prints("../c\n");
    dir.relink("url relativize http://h/a/b http://h/c --style shortest").exits(0).prints("/c\n");
    dir.relink("url relativize http://h/a/b http://h/c --style network-path")
        .exits(0)
        .prints("//h/c\n");
    dir.relink("url relativize http://h/a/b http://h/../c").exits(1).prints("");
    dir.relink("url relativize a http://h/").exits(2).prints("");
    dir.pipe("url relativize --batch", b"http://h/a/b\thttp://h/a/c\nhttp://h/\thttp://h/./c\nx\n")
        .exits(0)
        .prints(
            "ref\tc\n\
            none\tno reference resolves to the target: its dot segments are always removed\n\
            none\tno tab between base and target\n",
        );
}
