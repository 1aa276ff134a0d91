//! `url`: the part of the program that reads no file.

use std::ffi::OsStr;

use crate::dir::{Run, TestDir};
use crate::words::{BASE_WITHOUT_SCHEME, INVALID_BASE};

fn relink(args: &[&str]) -> Run {
    TestDir::new().relink_with(&args.iter().map(OsStr::new).collect::<Vec<_>>())
}

#[track_caller]
fn resolves(dialect: &str, base: &str, reference: &str, target: &str) {
    let options: &[&str] = if dialect.is_empty() { &[] } else { &["--dialect", dialect] };
    let args = [&["url", "resolve", base, reference], options].concat();
    relink(&args).exits(0).reports("").prints(format!("{target}\n"));
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
fn what_cannot_be_resolved_is_reported() {
    relink(&["url", "resolve", "a/b", "c"])
        .fails("error: invalid base URL 'a/b'; the base has no scheme");
    relink(&["url", "resolve", "//a/b", "c"])
        .fails(&format!("{INVALID_BASE} '//a/b'; {BASE_WITHOUT_SCHEME}"));
    for (base, reference) in
        [("mailto:x", "b"), ("http://h/", "http://[/"), ("http://h/", "//h:x/")]
    {
        let run = relink(&["url", "resolve", base, reference]).exits(1).prints("");
        let is_one = run.stderr.starts_with(&format!("{reference}: "));
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
    let run = dir.pipe("url resolve --batch", lines.as_bytes()).exits(0).reports("");
    let kinds: Vec<_> = run.text().lines().map(|line| line.split('\t').next().unwrap()).collect();
    assert_eq!(kinds, ["url", "none", "none", "none", "none", "url"], "{run}");
    let lines: Vec<_> = run.text().lines().collect();
    assert_eq!(lines[0], "url\thttp://h/c");
    assert_eq!(lines[1], format!("none\t{BASE_WITHOUT_SCHEME}"));
    assert_eq!(lines[2], "none\tno tab between base and reference");
    assert_eq!(lines[5], "url\thttp://h/last");
    assert!(lines[4].len() > "none\t".len(), "{run}");
    dir.pipe("url resolve --batch", b"").exits(0).prints("");
    dir.pipe("url resolve --batch", b"http://h/a\t\xff\n").exits(0).prints("none\tnot UTF-8\n");
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
    relink(&["url", "parse", "http://u@h:80/a;x/b;y?q=1#f"]).exits(0).reports("").prints(
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
fn seven_dialects_side_by_side() {
    let run = relink(&["url", "table", "http://a/b/c/d;p?q", "../../../../g"]).exits(0).reports("");
    run.prints(
        "url-1993         http://a/../../g\n\
         rfc1808-draft05  http://a/g\n\
         rfc1808          http://a/../../g\n\
         url-syntax-1996  http://a/../../g\n\
         rfc2396          http://a/../../g\n\
         rfc3986          http://a/g\n\
         web              http://a/g\n",
    );
    relink(&["url", "table", "a", "b"])
        .fails(&format!("{INVALID_BASE} 'a'; {BASE_WITHOUT_SCHEME}"));
    let run = relink(&["url", "table", "mailto:a@b", "#s"]).exits(0);
    let lines: Vec<_> = run.text().lines().map(|line| &line[17..]).collect();
    assert_eq!(lines[0], "(current document)#s");
    assert_eq!((lines[5], lines[6]), ("mailto:a@b#s", "mailto:a@b#s"));
    let run = relink(&["url", "table", "mailto:a@b", "g"]).exits(0);
    assert!(run.text().contains("web              (none: "), "{run}");
    // Every dialect can be requested by its name, there and for a tree.
    for line in run.text().lines() {
        let name = &line[..17].trim_end();
        relink(&["url", "parse", "a", "--dialect", name]).exits(0).prints("path      a\n");
        let dir = TestDir::new();
        dir.file("a.html", "<a href=../x>");
        dir.relink(&format!("absolutize a.html --base http://h/b/ -o - --dialect {name}")).exits(0);
    }
}

#[test]
fn the_current_document_is_an_answer_of_its_own() {
    let dir = TestDir::new();
    let lines = b"http://a/b?q\t#s\nhttp://a/b\t\nhttp://a/b\t?y\n";
    dir.pipe("url resolve --batch --dialect rfc2396", lines)
        .exits(0)
        .prints("same\t#s\nsame\t\nurl\thttp://a/?y\n");
    dir.pipe("url resolve --batch --dialect rfc3986", lines)
        .exits(0)
        .prints("url\thttp://a/b?q#s\nurl\thttp://a/b\nurl\thttp://a/b?y\n");
    let relativize = |options: &str| {
        dir.pipe(&format!("url relativize --batch {options}"), b"http://a/b\thttp://a/b#s\n")
            .exits(0)
    };
    relativize("--dialect rfc2396").prints("ref\tb#s\n");
    relativize("--dialect rfc2396 --document").prints("ref\t#s\n");
    relativize("--dialect rfc3986").prints("ref\t#s\n");
}

#[test]
fn what_the_texts_leave_open_can_be_chosen() {
    let resolve = |options: &str| {
        TestDir::new()
            .relink(&format!("url resolve http://a/b ../../g --dialect rfc2396 {options}"))
    };
    resolve("").exits(0).prints("http://a/../../g\n");
    resolve("--excess kept").exits(0).prints("http://a/../../g\n");
    resolve("--excess dropped").exits(0).prints("http://a/g\n");
    let run = resolve("--excess refused").exits(1).prints("");
    assert!(run.stderr.ends_with(": the reference points above the root of the base\n"), "{run}");
    resolve("--excess x").exits(2).prints("");
    resolve("--non-strict").exits(2).prints("");
    let resolve = |options: &str| {
        TestDir::new().relink(&format!("url resolve http://a/b http:g --dialect rfc3986 {options}"))
    };
    resolve("").exits(0).prints("http:g\n");
    resolve("--non-strict").exits(0).prints("http://a/g\n");
}

#[test]
fn urls_are_found_in_text() {
    let text = "See <http://a.\n b/c-\nd> and\n (http://x).\n";
    let dir = TestDir::new();
    dir.pipe("url find", text.as_bytes())
        .exits(0)
        .reports("")
        .prints("http://a.b/c-d or http://a.b/cd\nhttp://x\n");
    relink(&["url", "find", text]).exits(0).prints("http://a.b/c-d or http://a.b/cd\nhttp://x\n");
    let run = dir.pipe("url find --format json", text.as_bytes()).exits(0);
    let lines: Vec<serde_json::Value> =
        run.text().lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    assert_eq!(
        (&lines[0]["url"], &lines[0]["wrapper"]),
        (&"http://a.b/c-d".into(), &"angle".into())
    );
    assert_eq!((&lines[1]["line"], &lines[1]["column"]), (&4.into(), &3.into()));
    let span = |line: &serde_json::Value, end: usize| {
        usize::try_from(line["span"][end].as_u64().unwrap()).unwrap()
    };
    assert_eq!(&text[span(&lines[1], 0)..span(&lines[1], 1)], "http://x");
    // Bytes that are no UTF-8 move nothing, and spoil nothing else.
    let run =
        dir.pipe("url find", b"caf\xe9 http://a/\xc3\xa9x <http://\xff/> http://b\xff").exits(0);
    run.prints("http://a/\u{e9}x\nhttp://b\n");
    let run = dir.pipe("url find --format json", b"\xe9\xff http://x \xe9").exits(0);
    assert!(run.text().contains("\"span\":[3,11]"), "{run}");
    dir.pipe("url find", b"").exits(0).prints("");
}

#[test]
fn references_are_validated() {
    let run =
        relink(&["url", "validate", "http://h/a b", "--dialect", "rfc2396"]).exits(1).prints("");
    assert!(run.stderr.starts_with("http://h/a b: byte 10: not allowed in the path: "), "{run}");
    relink(&["url", "validate", "http://h/a b", "--dialect", "url-1993"])
        .exits(0)
        .prints("http://h/a b\n");
    relink(&["url", "validate", "{a}", "--dialect", "rfc2396", "--lenient"])
        .exits(0)
        .prints("{a}\n");
    let run = TestDir::new().pipe("url validate --batch --dialect rfc3986", b"a\n%4\n\n").exits(0);
    let lines: Vec<_> = run.text().lines().collect();
    assert_eq!((lines[0], lines[2]), ("valid\ta", "valid\t"));
    assert!(lines[1].starts_with("invalid\tbyte 0: '%' without"), "{run}");
}

#[test]
fn references_are_normalized() {
    let url = "HTTP://Example.COM:80/%7ea/./b";
    let normalize = |options: &[&str]| relink(&[&["url", "normalize", url], options].concat());
    normalize(&["--dialect", "rfc3986"]).exits(0).prints("http://example.com:80/~a/b\n");
    normalize(&["--dialect", "rfc3986", "--by-scheme"])
        .exits(0)
        .prints("http://example.com/~a/b\n");
    normalize(&["--dialect", "rfc1808"]).exits(0).prints("http://example.com:80/%7Ea/./b\n");
    TestDir::new()
        .pipe("url normalize --batch --by-scheme", b"http://H\n../A\n")
        .exits(0)
        .prints("ref\thttp://h/\nref\t../A\n");
}

#[test]
fn parts_are_printed_on_request() {
    relink(&["url", "parse", "gopher://u@h:70/00/W#f", "--parts"]).exits(0).prints(
        "scheme          gopher\nauthority       u@h:70\nuser            u\nhost            h\n\
         port            70\npath            /00/W\nfragment        f\ngopher.type     0\n\
         gopher.selector 0/W\n",
    );
    relink(&["url", "parse", "news:1@h", "--parts"])
        .exits(0)
        .prints("scheme       news\npath         1@h\nnews.article 1\nnews.host    h\n");
    TestDir::new()
        .pipe("url parse --batch --dialect rfc1808", b"http://h/a;b?\n\n")
        .exits(0)
        .prints("ref\tscheme=http\tauthority=h\tpath=/a\tparams=b\tquery=\nref\tpath=\n");
}

#[test]
fn relativize_compares_scheme_and_host_as_the_tree_commands_do() {
    let dir = TestDir::new();
    for (base, target) in [
        ("http://EXAMPLE.org/b", "http://example.org/c"),
        ("http://example.org/b", "HTTP://Example.ORG/c"),
        ("http://example.org:80/b", "http://example.org/c"),
        ("http://example.org/b", "http://EXAMPLE.org:80/c"),
        ("https://example.org/b", "https://example.org:0443/c"),
        ("file:///b", "file://localhost/c"),
    ] {
        dir.relink(&format!("url relativize {base} {target}")).exits(0).prints("c\n");
        let (line, page) = (format!("{base}\t{target}\n"), format!("<a href={target}>"));
        dir.pipe("url relativize --batch", line.as_bytes()).exits(0).prints("ref\tc\n");
        // The same from a document.
        let run =
            dir.pipe(&format!("relativize - --base {base} --type text/html"), page.as_bytes());
        run.exits(0).prints("<a href=c>");
    }
    let relativize = |target| dir.relink(&format!("url relativize http://example.org/b {target}"));
    relativize("http://example.org:8080/c").prints("//example.org:8080/c\n");
    relativize("http://u@example.org/c").prints("//u@example.org/c\n");
    relativize("https://example.org:80/c").prints("https://example.org:80/c\n");
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
            none\tno reference in that style resolves to the target: its dot segments are always removed\n\
            none\tno tab between base and target\n",
        );
}
