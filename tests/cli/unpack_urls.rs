//! `relink unpack`: the URLs of captures and of references to them: other schemes and hosts, URLs
//! that are none of the site, and bases that look like templates.

use crate::dir::TestDir;
use crate::words::LAZY;

/// Returns a record of a resource.
fn resource(url: &str, media_type: &str, block: &str) -> String {
    format!(
        "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: {url}\r\n\
         WARC-Date: 2020-01-01T00:00:00Z\r\nContent-Type: {media_type}\r\n\
         Content-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
}

fn page(url: &str, text: &str) -> String {
    resource(url, "text/html", text)
}

fn unpacked(records: &[String], options: &str) -> (TestDir, String) {
    let dir = TestDir::with(&[("a.warc", &records.concat())]);
    let run = dir.relink(&format!("unpack a.warc -o out {options}")).exits(0);
    (dir, run.stderr)
}

#[test]
fn urls_are_found_under_another_scheme_or_host() {
    for (captured, reference) in [
        ("http://h.example/x", "https://h.example/x"),
        ("https://h.example/x", "//h.example/x"),
        ("http://www.h.example/x", "http://h.example/x"),
        ("http://h.example/x", "https://www.h.example/x#f"),
        ("http://h.example/x", "https://h.example:80/x"),
        ("http://xn--bcher-kva.example/x", "https://www.b\u{fc}cher.example/x"),
    ] {
        let link = format!("<a href=\"{reference}\">x</a>");
        let records = [page("http://start.example/", &link), page(captured, "<p>")];
        let (dir, report) = unpacked(&records, "");
        let text = dir.text("out/start.example/index.html");
        assert!(
            text.starts_with("<a href=\"../") && text.contains("/x.html"),
            "{captured}: {text}"
        );
        assert_eq!(text.contains("#f"), reference.contains("#f"));
        assert!(report.contains("\n1 reference found under another scheme or host\n"), "{report}");
        // Without twins the reference stays, and so does what is read for it.
        let (dir, report) = unpacked(&records, "--no-twins");
        let text = dir.text("out/start.example/index.html");
        assert!(text.contains("h.example") || text.contains("b\u{fc}cher"), "{text}");
        assert!(text.starts_with("<a href=\"http") && !report.contains("found under"), "{report}");
    }
}

#[test]
fn the_url_itself_counts_before_its_twins() {
    let links = "<a href=\"http://h.example/x\">1</a><a href=\"https://h.example/x\">2</a>\
                 <a href=\"http://www.h.example/x\">3</a><a href=\"http://h.example:8080/x\">4</a>";
    let records = [
        page("http://start.example/", links),
        page("http://h.example/x", "<p>1"),
        page("https://h.example/x", "<p>2"),
    ];
    let (dir, report) = unpacked(&records, "");
    let text = dir.text("out/start.example/index.html");
    let targets: Vec<&str> = text.split('"').skip(1).step_by(2).collect();
    let contents: Vec<String> =
        targets[..3].iter().map(|target| dir.text(format!("out/start.example/{target}"))).collect();
    assert_eq!(contents, ["<p>1", "<p>2", "<p>1"], "{text}");
    assert_eq!(targets[3], "http://h.example:8080/x");
    assert!(report.contains("\n1 reference found under another scheme or host\n"), "{report}");
}

/// Returns a record of a redirect.
fn redirect(url: &str, to: &str) -> String {
    let block = format!("HTTP/1.1 301 Moved Permanently\r\nLocation: {to}\r\n\r\n");
    resource(url, "application/http; msgtype=response", &block)
        .replace("WARC-Type: resource", "WARC-Type: response")
}

#[test]
fn redirects_lead_to_twins_of_what_no_archive_has() {
    let start = page("http://start.example/", "<a href=\"http://h.example/x\">x</a>");
    for (moved, written, without) in [
        (vec![("http://h.example/x", "https://www.h.example/y#f")], "y.html#f", "http://h"),
        // Over a second one that no archive has either.
        (
            vec![
                ("http://h.example/x", "https://h.example/z"),
                ("http://h.example/z", "https://www.h.example/y"),
            ],
            "y.html",
            "http://h",
        ),
        // The URL itself counts first.
        (
            vec![
                ("http://h.example/x", "https://h.example/z"),
                ("http://h.example/z", "http://h.example/none"),
                ("https://h.example/z", "http://h.example/y"),
            ],
            "y.html",
            "../",
        ),
        // A URL that is reached by two redirects.
        (
            vec![
                ("http://h.example/x", "https://t.example/"),
                ("https://t.example/", "https://h.example/y"),
            ],
            "y.html",
            "http://h",
        ),
        // Two that lead to each other.
        (
            vec![
                ("http://h.example/x", "https://h.example/x"),
                ("https://h.example/x", "http://h.example/x"),
                ("https://www.h.example/x", "http://h.example/y"),
            ],
            "y.html",
            "http://h",
        ),
        // What leads back leads nowhere.
        (vec![("http://h.example/x", "https://h.example/x")], "http://h.example/x", "http://h"),
    ] {
        let redirects = moved.iter().map(|(url, to)| redirect(url, to));
        let pages = [page("http://h.example/y", "<p>y"), page("http://t.example/", "<p>t")];
        let records: Vec<String> = redirects.chain([start.clone()]).chain(pages).collect();
        let (dir, _) = unpacked(&records, "");
        let text = dir.text("out/start.example/index.html");
        assert!(text.contains(&format!("{written}\"")), "{moved:?}: {text}");
        let (dir, _) = unpacked(&records, "--no-twins");
        let text = dir.text("out/start.example/index.html");
        assert!(text.starts_with(&format!("<a href=\"{without}")), "{moved:?}: {text}");
    }
}

#[test]
fn a_redirect_to_a_twin_hides_no_capture() {
    let records = [
        page("http://start.example/", "<a href=\"http://a.example/\">a</a>"),
        page("http://a.example/", "<p>own"),
        redirect("http://a.example/", "https://a.example/").replace("2020-01-01", "2021-01-01"),
        page("http://www.a.example/", "<p>www"),
    ];
    let (dir, _) = unpacked(&records, "");
    let text = dir.text("out/start.example/index.html");
    assert_eq!(text, "<a href=\"../a.example/index.html\">a</a>");
    assert_eq!(dir.text("out/a.example/index.html"), "<p>own");
}

#[test]
fn names_of_captures_hide_nothing() {
    let records = [
        page("http://.relink-unpacked/", "<p>"),
        page("http://h.example/a%E2%80%AEfdp.exe", "<p>"),
    ];
    let (dir, _) = unpacked(&records, "");
    assert!(dir.has("out/relink-unpacked/index.html"));
    assert!(dir.has("out/h.example/aU+202Efdp.exe.html"), "{:?}", dir.tree("out").keys());
}

#[test]
fn records_of_crawlers_are_apart() {
    let link = "<html><a href=q>q</a>";
    let records = [
        page("https://a.example/d/", "<p>home"),
        page("https://a.example/d/q", "<p>q"),
        resource("urn:view:https://a.example/d/", "image/png", "x"),
        resource("urn:pageinfo:https://a.example/d/", "application/json", "{}"),
        resource("screenshot:https://a.example/d/", "image/jpeg", "x"),
        resource("metadata://gnu.org/software/wget/warc/MANIFEST.txt", "text/plain", "x"),
        page("onreadydom:https://a.example/d/", link),
        page("urn:X-wpull:snapshot?url=https%3A%2F%2Fa.example%2Fd%2F", link),
    ];
    let (dir, report) = unpacked(&records, "");
    assert!(
        report.starts_with("2 captures, 6 records of the crawler: 9 files written\n"),
        "{report}"
    );
    let names: Vec<String> =
        dir.tree("out").keys().map(|path| path.display().to_string()).collect();
    let is_site = |name: &String| !name.is_empty() && name != ".relink-unpacked";
    let names: Vec<String> = names.into_iter().filter(is_site).collect();
    let hosts: Vec<&str> = names.iter().map(|name| name.split('/').next().unwrap()).collect();
    assert!(
        hosts.iter().all(|host| ["a.example", "crawler-records", "index.html"].contains(host)),
        "{names:?}"
    );
    for (snapshot, up) in [
        ("onreadydom/https-/a.example/d/index.html", "../../../../.."),
        ("urn/X-wpull-snapshot-url-https-a.example-d.html", "../.."),
    ] {
        let text = dir.text(format!("out/crawler-records/{snapshot}"));
        assert_eq!(
            text,
            format!("<html><a href={up}/a.example/d/q.html>q</a>"),
            "{snapshot}: {names:?}"
        );
    }
}

#[test]
fn a_url_without_a_scheme_is_reported() {
    let link = "<a href=\"x.html\">x</a><a href=\"http://www.a.example/x.html\">x</a>";
    for (first, second) in [
        ("www.a.example/index.html", "www.a.example/x.html"),
        ("//www.a.example/index.html", "//www.a.example/x.html"),
    ] {
        let (dir, report) = unpacked(&[page(first, link), page(second, "<p>")], "");
        let expected = "a.warc: warning: 2 URLs without a scheme read as http, such as http://www.a.example/index.html\n";
        assert!(report.starts_with(expected), "{report}");
        let text = dir.text("out/www.a.example/index.html");
        assert_eq!(text, "<a href=\"x.html\">x</a><a href=\"x.html\">x</a>");
    }
}

#[test]
fn a_base_that_looks_like_a_template_is_read_as_browsers_read_it() {
    let (page_x, page_s) = ("http://a.example/app/x.html", "http://a.example/s.html");
    let below = "http://a.example/app/s.html";
    for (base, link, expected, target) in [
        ("{{baseHref}}", "x.html", "x.html", page_x),
        ("{{baseHref}}", "/s.html", "../s.html", page_s),
        // The output may be anywhere on a disk.
        ("/{{a}}/", "../s.html", page_s, page_s),
        ("<%= base %>", "x.html", "x.html", page_x),
        ("${base}", "x.html", "x.html", page_x),
        ("[[base]]", "x.html", "x.html", page_x),
        ("[[base]]/y/", "../../s.html", below, below),
    ] {
        let text = format!("<base href=\"{base}\"><a href=\"{link}\">x</a>");
        let records = [
            page("http://a.example/app/", &text),
            page("http://a.example/app/x.html", "<p>"),
            page("http://a.example/s.html", "<p>"),
        ];
        let (dir, report) = unpacked(&records, "-v");
        let page = dir.text("out/a.example/app/index.html");
        let link = page.rsplit("<a href=\"").next().unwrap().split('"').next().unwrap();
        assert_eq!(link, expected, "{base}: {page}{report}");
        assert!(
            report.contains("out/a.example/app/index.html: the href of <base> is a template"),
            "{report}"
        );
        let run = dir.relink("refs a.warc").exits(0);
        assert!(run.text().contains(&format!(" -> {target}\n")), "{base}: {run}");
        let run = dir.relink("bases a.warc").exits(0);
        assert!(run.text().contains("http://a.example/"), "{base}: {run}");
        assert!(!run.text().contains("unknown"), "{base}: {run}");
    }
}

#[test]
fn a_time_that_no_calendar_has_is_refused() {
    let dir = TestDir::with(&[("a.warc", &page("http://h/", "<p>"))]);
    for time in ["2021-02-30", "2021-13", "2021-06-01T25", "202106011", "2021-6-1"] {
        let run = dir.relink(&format!("unpack a.warc -o out --at {time}")).exits(2);
        assert!(run.stderr.contains("expected a date or time, such as 2021-06-01"), "{run}");
    }
    dir.relink("unpack a.warc -o out --at 2020-02-29T23:59:60Z").exits(0);
}

#[test]
fn attributes_of_lazy_loaders_are_hinted() {
    for (text, options, is_hinted) in [
        ("<img class=lazyload data-src=/i.png>", "", true),
        ("<img class=lazyload data-srcset=\"/i.png 1x\">", "", true),
        ("<img data-src=/i.png>", "--also lazy", false),
        ("<img data-src=/i.png>", "--raw", false),
        ("<img src=/i.png>", "", false),
    ] {
        let (_, report) = unpacked(&[page("http://h.example/", text)], options);
        assert_eq!(report.contains(LAZY), is_hinted, "{options}: {report}");
    }
}
