//! Mirrors that were converted for the disk: references that are paths, and recorded URLs.

use crate::dir::TestDir;
use crate::words::{self, INVALID_VALUE, NO_HOSTS};

/// A mirror by `wget -E -k`: a page of one host with a style sheet of another, and a program.
fn converted() -> TestDir {
    TestDir::with(&[
        ("m/b.example/s.css", "body{}"),
        ("m/a.example/p.php?id=1.html", "<p>One"),
        ("m/a.example/d/e.html", "<p>E"),
        (
            "m/a.example/index.html",
            "<link rel=stylesheet href=../b.example/s.css><a href='p.php%3Fid=1.html#f'>p</a><a href=d/e.html>e</a><a href=gone.html>g</a><a href='#x'>x</a>",
        ),
    ])
}

#[test]
fn paths_on_the_disk_become_urls() {
    let dir = converted();
    dir.relink("absolutize m --layout wget -i -q");
    let absolute = "<link rel=stylesheet href=http://b.example/s.css><a href='http://a.example/p.php?id=1#f'>p</a><a href=http://a.example/d/e.html>e</a><a href=http://a.example/gone.html>g</a><a href='#x'>x</a>";
    assert_eq!(dir.text("m/a.example/index.html"), absolute);
    // A second run finds no path, and changes nothing.
    dir.relink("absolutize m --layout wget -i -q");
    assert_eq!(dir.text("m/a.example/index.html"), absolute);
}

#[test]
fn the_disk_stays_readable() {
    let dir = converted();
    let before = dir.text("m/a.example/index.html");
    dir.relink("relativize m --layout wget --for file -i -q");
    let after = before.replace("href=gone.html", "href=http://a.example/gone.html");
    assert_eq!(dir.text("m/a.example/index.html"), after);
}

#[test]
fn a_moved_host_takes_its_pages_along() {
    let dir = converted();
    dir.relink("move m --layout wget --from http://a.example/ --to https://n.example/x/ -i -q");
    assert_eq!(
        dir.text("m/a.example/index.html"),
        "<link rel=stylesheet href=http://b.example/s.css><a href='p.php?id=1#f'>p</a><a href=d/e.html>e</a><a href=gone.html>g</a><a href='#x'>x</a>"
    );
}

#[test]
fn relative_references_follow_their_urls() {
    for (style, program, page) in
        [("relative", "p.php?id=1#f", "d/e.html"), ("absolute-path", "/p.php?id=1#f", "/d/e.html")]
    {
        let dir = converted();
        dir.relink(&format!("relativize m --layout wget -i -q --style {style}"));
        let text = dir.text("m/a.example/index.html");
        assert!(text.contains(&format!("<a href='{program}'>p</a><a href={page}>e</a>")), "{text}");
        assert!(text.starts_with("<link rel=stylesheet href=http://b.example/s.css>"), "{text}");
    }
}

#[test]
fn the_reading_is_shown() {
    let dir = converted();
    let run = dir.relink("refs m --layout wget --format json -q");
    let reading =
        |page: &str, line: &str| line.contains(page) && line.contains("\"reading\":\"disk\"");
    assert_eq!(run.text().lines().filter(|line| reading("index.html", line)).count(), 5);
    assert!(run.text().contains("\"base\":\"http://a.example/\""), "{run}");
    let run = dir.relink("bases m --layout wget -q");
    assert!(run.text().contains("read as paths on the disk"), "{run}");
    assert_eq!(run.text().matches("read as paths").count(), 1, "{run}");
    let run = dir.relink("check m --layout wget").exits(1);
    run.prints(format!(
        "m/a.example/index.html:1:111: a[href] gone.html: {}\n",
        words::no_file("a.example/gone.html")
    ));
    // Without a layout there is only one reading.
    let run = dir.relink("refs m --base http://h/ --format json -q");
    assert!(!run.text().contains("reading"), "{run}");
}

#[test]
fn references_as_the_site_had_them_are_urls() {
    let dir = converted();
    dir.file(
        "m/a.example/index.html",
        "<a href='p.php?id=1'>p</a><a href=../../b.example/s.css>s</a>",
    );
    let run = dir.relink("absolutize m/a.example/index.html --base http://a.example/ -o - -q");
    run.prints(
        "<a href='http://a.example/p.php?id=1'>p</a><a href=http://a.example/b.example/s.css>s</a>",
    );
    let run = dir.relink("refs m --layout wget -q");
    assert!(
        run.text().contains(
            "m/a.example/index.html:1:10: a[href] p.php?id=1 -> http://a.example/p.php?id=1"
        ),
        "{run}"
    );
}

#[test]
fn contradictions_are_named() {
    let dir = converted();
    dir.file(
        "m/a.example/index.html",
        "<a href='p.php?id=1'>a URL</a><a href=../b.example/s.css>a path</a><a href='p.php?id=1'>a URL</a>",
    );
    let run = dir.relink("absolutize m --layout wget -i");
    assert!(
        run.stderr.starts_with("m/a.example/index.html: its references contradict each other; 1 can only be paths on the disk, and 2 only URL references; the others are read as URL references\n"),
        "{run}"
    );
    assert_eq!(
        dir.text("m/a.example/index.html"),
        "<a href='http://a.example/p.php?id=1'>a URL</a><a href=http://b.example/s.css>a path</a><a href='http://a.example/p.php?id=1'>a URL</a>"
    );
}

/// HTTrack makes canonical links paths too, to the names that it gave to the files.
#[test]
fn canonical_links_that_are_paths_become_the_urls_of_their_files() {
    let note = |url: &str| format!("<!-- Mirrored from {url} by HTTrack Website Copier/3.x -->");
    let dir = TestDir::new();
    let document = |url: &str, name: &str| {
        format!("{}<link rel=canonical href='{name}'><a href=team.html>t</a>", note(url))
    };
    dir.file("m/a.example/team.html", document("a.example/team", "team.html"));
    dir.file("m/a.example/item1a2b.html", document("a.example/i?id=1", "item1a2b.html?id=1#x"));
    dir.relink("relativize m --layout httrack --for file -o out -q").exits(0);
    let text = |name: &str| dir.text(name).split("-->").last().unwrap_or_default().to_owned();
    let link = "<a href=team.html>t</a>";
    assert_eq!(
        text("out/a.example/team.html"),
        format!("<link rel=canonical href='http://a.example/team'>{link}")
    );
    assert_eq!(
        text("out/a.example/item1a2b.html"),
        format!("<link rel=canonical href='http://a.example/i?id=1#x'>{link}")
    );
    let first = text("out/a.example/team.html");
    dir.relink("relativize out --layout httrack --for file -i -q").exits(0);
    assert_eq!(text("out/a.example/team.html"), first);
}

/// HTTrack renames `item.php?id=1`, and lists the URL of each file.
#[test]
fn httrack_lists_the_urls_of_its_files() {
    let list = "date\tsize\tflags\tstatuscode\tstatus\tMIME\tEtag|Date\tURL\tlocalfile\t(from URL)\n\
        1\t1/1\t---M--\t200\tadded ('OK')\ttext/html\t\thttp://a.example/\t/old/place/a.example/index.html\t(from )\n\
        1\t1/1\t---M--\t200\tadded ('OK')\ttext/html\t\thttp://a.example/about\t./a.example/about.html\t(from )\n\
        1\t1/1\t---M--\t200\tadded ('OK')\timage/gif\t\thttp://a.example/i?x\ta.example/i1.gif\t(from )\n\
        1\t1/1\t---M--\t200\tadded ('OK')\ttext/html\t\thttp://other.example/x\ta.example/x.html\t(from )\n";
    let note = "<!-- Mirrored from a.example/item.php?id=1 by HTTrack Website Copier/3.x [XR&CO'2014], Sat -->";
    let dir = TestDir::with(&[
        ("m/hts-cache/new.txt", list),
        (
            "m/a.example/index.html",
            "<a href=about.html>a</a><img src=i1.gif><a href='item1a2b.html?id=1'>i</a><a href=x.html>x</a>",
        ),
        ("m/a.example/about.html", "<a href=index.html>h</a>"),
        ("m/a.example/i1.gif", "GIF89a"),
        ("m/a.example/x.html", "<p>x"),
    ]);
    dir.file(
        "m/a.example/item1a2b.html",
        format!("{note}<a href='?id=2'>2</a><a href=about.html>a</a>"),
    );
    dir.relink("absolutize m --layout httrack -i -q");
    assert_eq!(
        dir.text("m/a.example/index.html"),
        "<a href=http://a.example/about>a</a><img src=http://a.example/i?x><a href='http://a.example/item.php?id=1'>i</a><a href=http://a.example/x.html>x</a>"
    );
    assert_eq!(dir.text("m/a.example/about.html"), "<a href=http://a.example/>h</a>");
    assert_eq!(
        dir.text("m/a.example/item1a2b.html"),
        format!(
            "{note}<a href='http://a.example/item.php?id=2'>2</a><a href=http://a.example/about>a</a>"
        )
    );
}

/// A page that a redirect answered is named by the URL before.
#[test]
fn a_redirect_is_seen_by_the_references() {
    let dir = TestDir::with(&[
        ("m/a.example/docs/v1", "<!doctype html><a href=../>up</a><a href=../x.html>x</a>"),
        ("m/a.example/docs/x.html", "<p>x"),
        ("m/a.example/docs/index.html", "<a href=v1>1</a>"),
    ]);
    let run = dir.relink("absolutize m --layout wget -i");
    assert!(
        run.stderr.contains("m/a.example/docs/v1: read as the page at http://a.example/docs/v1/; its relative references lead to files from there, and to none from the URL of its path\n"),
        "{run}"
    );
    assert_eq!(
        dir.text("m/a.example/docs/v1"),
        "<!doctype html><a href=http://a.example/docs/>up</a><a href=http://a.example/docs/x.html>x</a>"
    );
    let run = dir.relink("absolutize m --layout wget -i");
    assert!(!run.stderr.contains("read as"), "{run}");
    // A page is found from its own URL with a slash, which says nothing.
    let dir = TestDir::with(&[("m/a.example/p.php.html", "<a href=.>up</a>")]);
    let run = dir.relink("refs m --layout wget -q");
    run.prints("m/a.example/p.php.html:1:9: a[href] . -> http://a.example/\n");
}

/// A page that a redirect answered has the bytes of the page to which it led.
#[test]
fn a_redirect_to_another_directory_is_seen_by_the_bytes() {
    let page = "<!doctype html><a href=../x.html>x</a><img src=i.png>";
    let dir = TestDir::with(&[
        ("m/a.example/docs/x.html", "<a href=guide/page.html>p</a><a href=/r/go/2.html>2</a>"),
        ("m/a.example/docs/guide/page.html", page),
        ("m/a.example/docs/guide/i.png", "PNG"),
        ("m/a.example/r/go/2.html", page),
        // Nothing else has these bytes.
        ("m/a.example/r/go/3.html", "<!doctype html><a href=../x.html>x</a>"),
        // It is where it belongs.
        ("m/a.example/copy/guide/page.html", page),
        ("m/a.example/copy/guide/i.png", "PNG"),
        ("m/a.example/copy/x.html", ""),
        ("m/b.example/index.html", "<a href=http://a.example/r/go/2.html>2</a>"),
    ]);
    let note = "m/a.example/r/go/2.html: read as the page at http://a.example/copy/guide/page.html; its relative references lead to files from there, and to none from the URL of its path\n";
    let run = dir.relink("relativize m --layout wget --for file -o o");
    assert!(run.stderr.contains(note), "{run}");
    assert_eq!(run.stderr.matches("read as the page").count(), 1, "{run}");
    assert_eq!(
        dir.text("o/a.example/r/go/2.html"),
        "<!doctype html><a href=../../copy/x.html>x</a><img src=../../copy/guide/i.png>"
    );
    assert_eq!(dir.text("o/a.example/docs/guide/page.html"), page);
    assert_eq!(
        dir.text("o/a.example/docs/x.html"),
        "<a href=guide/page.html>p</a><a href=../r/go/2.html>2</a>"
    );
    // In place, one of the two is written before the other is read.
    let run = dir.relink("relativize m --layout wget --for file -i");
    assert!(run.stderr.contains(note), "{run}");
    assert_eq!(dir.text("m/a.example/r/go/2.html"), dir.text("o/a.example/r/go/2.html"));
    let run = dir.relink("relativize m --layout wget --for file -n");
    assert!(!run.stderr.contains("read as"), "{run}");
}

#[cfg(unix)]
#[test]
fn the_recorded_url_of_the_same_host_outranks_the_path() {
    let page = "<!doctype html><a href=x>x</a>";
    let dir = TestDir::with(&[("m/a.example/v1", page), ("m/a.example/v2", page)]);
    let record = |name: &str, url: &str| {
        xattr::set(dir.path(name), "user.xdg.origin.url", url.as_bytes()).is_ok()
    };
    let is_recorded = record("m/a.example/v1", "http://a.example/docs/v1/")
        && record("m/a.example/v2", "http://other.example/");
    if !is_recorded {
        return crate::tools::skipped("this file system has no extended attributes");
    }
    let run = dir.relink("refs m --layout wget -q");
    assert!(
        run.text().contains("m/a.example/v1:1:24: a[href] x -> http://a.example/docs/v1/x"),
        "{run}"
    );
    assert!(run.text().contains("m/a.example/v2:1:24: a[href] x -> http://a.example/x"), "{run}");
    // The output has it too, unless the tree has moved.
    dir.relink("absolutize m --layout wget -o out -q");
    let recorded = |name: &str| xattr::get(dir.path(name), "user.xdg.origin.url").unwrap();
    assert_eq!(recorded("out/a.example/v1").as_deref(), Some(&b"http://a.example/docs/v1/"[..]));
    dir.relink("move m --layout wget --from http://a.example/ --to http://b.example/ -o moved -q");
    assert_eq!(recorded("moved/a.example/v1"), None);
    let run = dir.relink("refs m --layout wget -q --no-hints");
    assert!(run.text().contains("m/a.example/v1:1:24: a[href] x -> http://a.example/x"), "{run}");
}

/// wget stores the answer of a redirect by the URL that it asked for, and by the name of another
/// page what has the same name: `p.php` becomes `p.php.html`.
#[cfg(unix)]
#[test]
fn the_recorded_url_may_be_of_another_host_of_the_mirror() {
    let dir = TestDir::with(&[
        ("m/www.a.example/old.html", "<!doctype html><a href=x.html>x</a>"),
        ("m/a.example/x.html", "<!doctype html><a href=new/y.html>y</a>"),
        ("m/a.example/p.php.html", "<!doctype html><a href=p.php>p</a><a href=/p.php.html>q</a>"),
    ]);
    let record = |name: &str, url: &str| {
        xattr::set(dir.path(name), "user.xdg.origin.url", url.as_bytes()).is_ok()
    };
    let is_recorded = record("m/www.a.example/old.html", "http://a.example/new/y.html")
        && record("m/a.example/p.php.html", "http://a.example/p.php");
    if !is_recorded {
        return crate::tools::skipped("this file system has no extended attributes");
    }
    dir.relink("relativize m --layout wget --for file -o out -q").exits(0);
    assert_eq!(
        dir.text("out/www.a.example/old.html"),
        "<!doctype html><a href=http://a.example/new/x.html>x</a>"
    );
    assert_eq!(
        dir.text("out/a.example/x.html"),
        "<!doctype html><a href=../www.a.example/old.html>y</a>"
    );
    assert_eq!(
        dir.text("out/a.example/p.php.html"),
        "<!doctype html><a href=p.php.html>p</a><a href=http://a.example/p.php.html>q</a>"
    );
}

/// A URL for one host leaves the others those of their names.
#[test]
fn a_map_of_one_host_keeps_the_others() {
    let dir = TestDir::with(&[
        ("m/a.example/index.html", "<a href=x>x</a>"),
        ("m/b.example/index.html", "<a href=y>y</a>"),
    ]);
    let run = dir.relink("refs m --layout wget --map m/a.example=https://new.example/a/ -q");
    run.prints(
        "m/a.example/index.html:1:9: a[href] x -> https://new.example/a/x\nm/b.example/index.html:1:9: a[href] y -> http://b.example/y\n",
    );
}

#[test]
fn a_host_of_a_mirror_may_have_an_alias() {
    let page = "<a href=http://www.a.example/d/>d</a><a href=https://www.a.example/gone>g</a><a href=http://www.b.example/>b</a>";
    let dir = TestDir::with(&[
        ("m/a.example/index.html", page),
        ("m/a.example/d/index.html", ""),
        ("m/b.example/index.html", ""),
    ]);
    let line =
        "relativize m --layout wget --for file --same-as http://www.a.example/ --no-twins -i -q";
    dir.relink(line);
    assert_eq!(
        dir.text("m/a.example/index.html"),
        "<a href=d/index.html>d</a><a href=https://www.a.example/gone>g</a><a href=http://www.b.example/>b</a>"
    );
    dir.relink("check m --layout wget --same-as http://c.example/").fails(
        &format!("error: {INVALID_VALUE} 'http://c.example/' for --same-as; no directory of the mirror has the name of its host, with or without `www.`"),
    );
}

/// A directory without an index file is a place too, and so is a base.
#[test]
fn directories_are_paths_too() {
    let dir = TestDir::with(&[
        (
            "m/a.example/p.html",
            "<a href=../b.example/>b</a><a href=../b.example/sub?x#y>s</a><a href=../b.example/gone.html>g</a>",
        ),
        ("m/a.example/q.html", "<base href=../b.example/><a href=f.html>f</a><a href='#x'>x</a>"),
        ("m/b.example/f.html", "<p>f"),
        ("m/b.example/sub/x.html", "<p>x"),
    ]);
    dir.relink("absolutize m --layout wget -i -q");
    assert_eq!(
        dir.text("m/a.example/p.html"),
        "<a href=http://b.example/>b</a><a href=http://b.example/sub/?x#y>s</a><a href=http://b.example/gone.html>g</a>"
    );
    assert_eq!(
        dir.text("m/a.example/q.html"),
        "<base href=http://b.example/><a href=http://b.example/f.html>f</a><a href='http://b.example/#x'>x</a>"
    );
}

/// A URL that the list around it would split stays a path; the others are written.
#[test]
fn a_path_that_cannot_be_written_as_a_url_stays() {
    let dir = TestDir::with(&[
        ("m/a.example/p.html", "<img srcset='../b.example/x%2C 1x'><a href=q.html>q</a>"),
        ("m/b.example/x,", "x"),
        ("m/b.example/y", ""),
    ]);
    dir.relink("absolutize m --layout wget -i -q");
    assert_eq!(
        dir.text("m/a.example/p.html"),
        "<img srcset='../b.example/x%2C 1x'><a href=http://a.example/q.html>q</a>"
    );
}

#[test]
fn references_to_other_hosts_become_absolute_at_once() {
    let dir = TestDir::with(&[
        ("m/a.example/p.html", "<a href=//b.example/f.html>1</a><a href=../b.example/f.html>2</a>"),
        ("m/b.example/f.html", ""),
    ]);
    for _ in 0..2 {
        dir.relink("relativize m --layout wget -i -q");
        assert_eq!(
            dir.text("m/a.example/p.html"),
            "<a href=http://b.example/f.html>1</a><a href=http://b.example/f.html>2</a>"
        );
    }
}

/// A recorded URL is parsed as a browser parses it.
#[test]
fn recorded_urls_are_parsed() {
    let list = "1\t1/1\t---M--\t200\tadded ('OK')\ttext/html\t\thttp://A.example:80/a/../b c\ta.example/x.html\t(from )\n\
        1\t1/1\t---M--\t200\tadded ('OK')\ttext/html\t\tftp://a.example/o\ta.example/y.html\t(from )\n";
    let dir = TestDir::with(&[
        ("m/hts-cache/new.txt", list),
        ("m/a.example/index.html", "<a href=x.html>x</a><a href=y.html>y</a>"),
        ("m/a.example/x.html", "<p>x"),
        ("m/a.example/y.html", "<p>y"),
    ]);
    dir.relink("absolutize m --layout httrack -i -q");
    assert_eq!(
        dir.text("m/a.example/index.html"),
        "<a href=http://a.example/b%20c>x</a><a href=http://a.example/y.html>y</a>"
    );
}

#[test]
fn a_mirror_by_httrack_without_directories_of_hosts() {
    let line = |url: &str, file: &str| {
        format!("10:00:00\t9/9\t---M--\t200\tadded ('OK')\ttext/html\t\t{url}\t./{file}\t(from )\n")
    };
    let list = [
        line("http://a.example/", "web/index.html"),
        line("http://b.example/d/item.php?id=2", "web/item0b30.html"),
        line("http://b.example/x%20y.png", "web/images/x%20y.png"),
    ]
    .concat();
    let page = "<a href='item0b30.html?id=2'></a><img src='images/x%20y.png'><a href='http://b.example/d/item.php?id=2'></a><a href='http://b.example/no'></a>";
    let dir = TestDir::with(&[
        ("m/hts-cache/new.txt", &*list),
        ("m/web/index.html", page),
        ("m/web/item0b30.html", "<a href='index.html'></a>"),
        ("m/web/images/x y.png", "\u{1}"),
    ]);
    dir.relink("absolutize m --layout httrack -o out").exits(0);
    assert_eq!(
        dir.text("out/web/index.html"),
        "<a href='http://b.example/d/item.php?id=2'></a><img src='http://b.example/x%20y.png'><a href='http://b.example/d/item.php?id=2'></a><a href='http://b.example/no'></a>"
    );
    assert_eq!(dir.text("out/web/item0b30.html"), "<a href='http://a.example/'></a>");
    // Both ways: the references as files, again.
    dir.relink("relativize out --layout httrack --for file -o back").exits(0);
    assert_eq!(
        dir.text("back/web/index.html"),
        "<a href='item0b30.html'></a><img src='images/x%20y.png'><a href='item0b30.html'></a><a href='http://b.example/no'></a>"
    );
    assert_eq!(dir.text("back/web/item0b30.html"), "<a href='index.html'></a>");
    // Nothing gives a URL without the list.
    std::fs::remove_file(dir.path("m/hts-cache/new.txt")).expect("a file");
    let run = dir.relink("absolutize m --layout httrack -o none").exits(2);
    assert!(run.stderr.contains(&format!("m: {NO_HOSTS}")), "{}", run.stderr);
}

#[test]
fn a_query_that_httrack_left_from_a_redirect_is_not_that_of_the_file() {
    let list = "10:00:00\t9/9\t---M--\t200\tadded ('OK')\ttext/html\t\thttp://a.example/item.php?id=3\t./a.example/itemd708.html\t(from )\n";
    let page = "<a href='itemd708.html?to=3#s'></a><a href='itemd708.html?id=3'></a>";
    let dir = TestDir::with(&[
        ("m/hts-cache/new.txt", list),
        ("m/a.example/index.html", page),
        ("m/a.example/itemd708.html", "<p>"),
    ]);
    dir.relink("absolutize m --layout httrack -o out").exits(0);
    assert_eq!(
        dir.text("out/a.example/index.html"),
        "<a href='http://a.example/item.php?id=3#s'></a><a href='http://a.example/item.php?id=3'></a>"
    );
    // A path on the disk that leads to its file stays.
    dir.relink("relativize m --layout httrack --for file -o disk").exits(0);
    assert_eq!(dir.text("disk/a.example/index.html"), page);
}

#[test]
fn a_query_alone_is_that_of_another_page() {
    let line = |page: u8| {
        format!(
            "10:00:00\t9/9\t---M--\t200\tadded ('OK')\ttext/html\t\thttp://a.example/news/?page={page}\t./a.example/news/index{page}.html\t(from )\n"
        )
    };
    let list: String = (1..=2).map(line).collect();
    let dir = TestDir::with(&[
        ("m/hts-cache/new.txt", &*list),
        ("m/a.example/news/index1.html", "<a href='?page=2'></a><a href='?page=3'></a>"),
        ("m/a.example/news/index2.html", "<a href='?page=1#s'></a>"),
    ]);
    dir.relink("relativize m --layout httrack --for file -o out").exits(0);
    assert_eq!(
        dir.text("out/a.example/news/index1.html"),
        "<a href='index2.html'></a><a href='http://a.example/news/?page=3'></a>"
    );
    assert_eq!(dir.text("out/a.example/news/index2.html"), "<a href='index1.html#s'></a>");
}

#[test]
fn pages_of_the_archive_are_unwrapped() {
    let page = "<a href=/web/2020/http://h/x.html>x</a><img src=https://web.archive.org/web/2020im_/http://h/i.png>\n";
    let dir = TestDir::with(&[("p.html", page)]);
    dir.relink("move p.html --base https://web.archive.org/web/20200101000000/http://h/p.html --unwrap wayback -o - -q")
        .exits(0)
        .prints("<a href=x.html>x</a><img src=http://h/i.png>\n");
}
