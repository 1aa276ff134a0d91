//! `url from-path`, `to-path`, `escape`, `unescape`, and references as people type them.

use std::ffi::OsStr;

use crate::dir::{Run, TestDir};

fn url(args: &[&str]) -> Run {
    let args: Vec<&OsStr> = ["url"].iter().chain(args).map(OsStr::new).collect();
    TestDir::new().relink_with(&args)
}

const EARLY: [&str; 4] = ["url-1993", "rfc1808-draft05", "rfc1808", "url-syntax-1996"];

#[test]
fn typed_references_are_read_in_the_dialects_of_their_time() {
    for dialect in EARLY {
        let dialect = ["--dialect", dialect];
        let with = |args: &[&str]| url(&[args, &dialect].concat()).exits(0).reports("");
        for typed in ["URL:http://h/a", "url: http://h/a", "<URL:http://h/a>", "<http://h/a>"] {
            with(&["validate", typed]).prints("http://h/a\n");
            with(&["normalize", typed]).prints("http://h/a\n");
            with(&["parse", typed]).prints("scheme    http\nauthority h\npath      /a\n");
            with(&["resolve", typed, "b"]).prints("http://h/b\n");
            with(&["resolve", "http://i/", typed]).prints("http://h/a\n");
        }
        with(&["resolve", "<URL:http://a/b/c/d>", "<URL:../g>"]).prints("http://a/b/g\n");
        with(&["relativize", "<http://h/a/b>", "<URL:http://h/a/c>"]).prints("c\n");
        let lines = "<URL:http://a/b/c/d>\t<URL:../g>\n";
        let batch = format!("url resolve --batch {} {}", dialect[0], dialect[1]);
        TestDir::new().pipe(&batch, lines.as_bytes()).exits(0).prints("url\thttp://a/b/g\n");
        // 1996, appendix E.
        let broken = "<http://ds.internic.net/\ninstructions/overview.html#WARNING>";
        with(&["normalize", broken])
            .prints("http://ds.internic.net/instructions/overview.html#WARNING\n");
    }
    for dialect in ["rfc2396", "rfc3986", "web"] {
        let run = url(&["parse", "URL:http://h/", "--dialect", dialect]).exits(0);
        assert!(run.text().starts_with("scheme    URL\n"), "{run}");
    }
    let run = url(&["table", "<URL:http://a/b/c>", "g"]).exits(0);
    assert!(run.text().starts_with("url-1993         http://a/b/g\n"), "{run}");
}

#[test]
fn white_space_in_a_reference_that_is_validated_needs_delimiters() {
    let run = url(&["validate", "http://h/a b", "--dialect", "rfc1808"]).exits(1).prints("");
    assert!(run.stderr.contains("byte 10: not allowed in the path"), "{run}");
    for typed in ["<http://h/a b>", "URL:http://h/a b", "\"http://h/a b\""] {
        url(&["validate", typed, "--dialect", "rfc1808"]).exits(0).prints("http://h/ab\n");
    }
    url(&["validate", "http://h/a b", "--dialect", "rfc1808", "--lenient"])
        .exits(0)
        .prints("http://h/ab\n");
    url(&["validate", "<http://h/a b>", "--dialect", "url-1993"]).exits(0).prints("http://h/a b\n");
}

#[test]
fn a_hyphen_at_the_end_of_a_line_is_noted() {
    let run = url(&["normalize", "<http://h/long-\nname>", "--dialect", "url-syntax-1996"]);
    run.exits(0).prints("http://h/long-name\n").reports(
        "warning: a line ends after a hyphen; it may not be part of the URL; without it, the URL is http://h/longname\n",
    );
}

#[test]
fn paths_of_each_system_are_mapped_on_every_system() {
    for (system, path, file) in [
        ("unix", "/a b/50%", "file:///a%20b/50%25"),
        ("unix", r"/a\b", "file:///a%5Cb"),
        ("unix", "/", "file:///"),
        ("windows", r"C:\a b\ü.html", "file:///C:/a%20b/%C3%BC.html"),
        ("windows", r"\\server\share\a#b", "file://server/share/a%23b"),
        ("windows", r"\\localhost\share\a", "file:////localhost/share/a"),
    ] {
        url(&["from-path", path, "--system", system])
            .exits(0)
            .reports("")
            .prints(format!("{file}\n"));
        url(&["to-path", file, "--system", system])
            .exits(0)
            .reports("")
            .prints(format!("{path}\n"));
    }
    let report = |args: &[&str], reason: &str| {
        url(args).exits(1).prints("").reports(&format!("{reason}\n"));
    };
    report(&["from-path", "a"], "a: not an absolute path");
    report(&["from-path", "C:a", "--system", "windows"], "C:a: not an absolute path");
    report(
        &["from-path", r"\\server", "--system", "windows"],
        r"\\server: a share needs the names of a host and a share",
    );
    report(
        &["to-path", "http://h/a", "--system", "unix"],
        "http://h/a: not a file URL with an absolute path",
    );
    report(
        &["to-path", "file://h/a", "--system", "unix"],
        "file://h/a: the file is on another machine, which a Unix path cannot name",
    );
    report(
        &["to-path", "file:///a%2Fb", "--system", "unix"],
        "file:///a%2Fb: a name contains an escaped separator or NUL, which no file name has",
    );
    url(&["from-path", "/a", "--system", "vms"]).exits(2).prints("");
    url(&["from-path"]).exits(2).prints("");
}

#[test]
fn data_are_escaped_by_component() {
    for (component, data, text) in [
        ("segment", "50% off/today", "50%25%20off%2Ftoday"),
        ("path", "a b/c", "a%20b/c"),
        ("query", "a&b=c", "a%26b%3Dc"),
        ("fragment", "a<b>", "a%3Cb%3E"),
        ("user", "a:b@c", "a%3Ab%40c"),
    ] {
        url(&["escape", data, "--component", component])
            .exits(0)
            .reports("")
            .prints(format!("{text}\n"));
        url(&["unescape", text, "--component", component])
            .exits(0)
            .reports("")
            .prints(format!("{data}\n"));
    }
    // '~' is "unwise" until 1996.
    url(&["escape", "~a", "--dialect", "rfc1808"]).exits(0).prints("%7Ea\n");
    url(&["escape", "~a", "--dialect", "rfc3986"]).exits(0).prints("~a\n");
    let run = url(&["unescape", "a=b%26c", "--component", "query"]).exits(1).prints("");
    run.reports(
        "a=b%26c: byte 3: '%26' is data, and '&' a delimiter here; split the component first\n",
    );
    let run = url(&["unescape", "100%"]).exits(1).prints("");
    run.reports("100%: byte 3: '%' without two hexadecimal digits; data have '%25' for it\n");
    let run = url(&["escape", "a", "--component", "host"]).exits(2).prints("");
    assert!(run.stderr.contains("user, segment, path, query, fragment"), "{run}");
}

#[cfg(unix)]
#[test]
fn what_is_no_text_is_mapped_too() {
    use std::os::unix::ffi::OsStrExt;
    let dir = TestDir::new();
    let run = |words: &[&str], last: &[u8]| {
        let words: Vec<&OsStr> = words.iter().map(OsStr::new).collect();
        dir.relink_with(&[&words[..], &[OsStr::from_bytes(last)]].concat())
    };
    run(&["url", "from-path"], b"/caf\xE9").exits(0).prints("file:///caf%E9\n");
    run(&["url", "to-path"], b"file:///caf%E9").exits(0).prints(b"/caf\xE9\n");
    run(&["url", "escape"], b"\xFF\n").exits(0).prints("%FF%0A\n");
    run(&["url", "unescape"], b"%FF%0A").exits(0).prints(b"\xFF\n\n");
}

/// Bytes without those that end lines, from a seed.
fn lines(n: usize, skipped: &[u8]) -> Vec<Vec<u8>> {
    let mut seed = 1738_u64;
    let mut next = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 40).to_le_bytes()[0]
    };
    let mut octet = move || loop {
        // Delimiters and escapes come often.
        let octet = match next() {
            small @ 0..64 => b"%/\\;=&+? "[usize::from(small) % 9],
            _ => next(),
        };
        if !b"\r\n\0".contains(&octet) && !skipped.contains(&octet) {
            return octet;
        }
    };
    (0..n).map(|idx| (0..idx % 12).map(|_| octet()).collect()).collect()
}

/// What a batch answers, without the word in front.
#[track_caller]
fn answers(line: &str, kind: &str, input: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut text = Vec::new();
    input.iter().for_each(|line| text.extend([&line[..], b"\n"].concat()));
    let run = TestDir::new().pipe(line, &text).exits(0).reports("");
    let prefix = format!("{kind}\t");
    let answer = |line: &[u8]| line.strip_prefix(prefix.as_bytes()).map(<[u8]>::to_vec);
    let lines = run.stdout.strip_suffix(b"\n").unwrap_or_default().split(|byte| *byte == b'\n');
    lines
        .map(|line| answer(line).unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(line))))
        .collect()
}

#[test]
fn batches_there_and_back_change_nothing() {
    let paths: Vec<_> = lines(2_000, b"").iter().map(|name| [b"/", &name[..]].concat()).collect();
    let urls = answers("url from-path --batch --system unix", "url", &paths);
    assert_eq!(answers("url to-path --batch --system unix", "path", &urls), paths);
    for start in [r"C:\", r"\\host\", r"\\localhost\"] {
        let path = |name: &Vec<u8>| [start.as_bytes(), &name[..]].concat();
        let paths: Vec<_> = lines(2_000, b"/").iter().map(path).collect();
        let urls = answers("url from-path --batch --system windows", "url", &paths);
        assert_eq!(answers("url to-path --batch --system windows", "path", &urls), paths);
    }
    let data = lines(2_000, b"");
    for component in ["user", "segment", "path", "query", "fragment"] {
        for dialect in ["url-1993", "rfc1808", "url-syntax-1996", "rfc3986", "web"] {
            let options = format!("--batch --component {component}");
            let line = format!("url escape {options} --dialect {dialect}");
            let texts = answers(&line, "text", &data);
            let back = answers(&format!("url unescape {options}"), "data", &texts);
            assert_eq!(back, data, "{line}");
        }
    }
}

#[test]
fn a_batch_says_why_there_is_no_answer() {
    let pipe = |line: &str, input: &[u8]| TestDir::new().pipe(line, input).exits(0).reports("");
    pipe("url from-path --batch --system unix", b"a\n/a\0\n")
        .prints("none\tnot an absolute path\nnone\tthe path contains NUL\n");
    pipe("url to-path --batch --system unix", b"x:/a\r\nfile:///a%0Ab\nfile:///\xFF\n").prints(
        "none\tnot a file URL with an absolute path\n\
         none\tthe answer contains a line end and does not fit on one line\n\
         none\tnot UTF-8\n",
    );
    pipe("url unescape --batch", b"a%0D\n%\n").prints(
        "none\tthe answer contains a line end and does not fit on one line\n\
         none\tbyte 0: '%' without two hexadecimal digits; data have '%25' for it\n",
    );
    url(&["escape", "--batch", "a"]).exits(2).prints("");
}
