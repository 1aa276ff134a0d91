//! The URLs of files to whose names `wget -E` appended an extension, and the names of style sheets.

use crate::dir::TestDir;

/// A mirror by `wget -E -k` in which the names say of some pages that `.html` was appended.
fn converted() -> TestDir {
    TestDir::with(&[
        (
            "m/a.example/index.html",
            "<a href=about.html>a</a><a href='team/anna.html#x'>t</a><a href=plain.html>p</a><a href=x.jsp.html>x</a><a href='p.php%3Fid=1.html'>1</a><a href=../b.example/s.css>s</a>",
        ),
        ("m/a.example/about.html", "<p>About"),
        ("m/a.example/team/anna.html", "<a href=../about.html>a</a><a href=anna.html#y>me</a>"),
        ("m/a.example/plain.html", "<p>Plain"),
        ("m/a.example/x.jsp.html", "<p>X"),
        ("m/a.example/p.php?id=1.html", "<p>One"),
        ("m/b.example/s.css", "b{}"),
    ])
}

/// What the first page is if `about` and `plain` are written so.
fn index(about: &str, anna: &str, plain: &str) -> String {
    let url = "http://a.example";
    format!(
        "<a href={url}/{about}>a</a><a href='{url}/team/{anna}#x'>t</a><a href={url}/{plain}>p</a><a href={url}/x.jsp>x</a><a href='{url}/p.php?id=1'>1</a><a href=http://b.example/s.css>s</a>"
    )
}

#[test]
fn metadata_proves_that_an_extension_was_appended() {
    let dir = converted();
    // In a page, in a sitemap, and in data for search engines.
    dir.file(
        "m/a.example/about.html",
        "<meta property=og:url content=http://a.example/about><p>About",
    );
    dir.file(
        "m/a.example/sitemap.xml",
        "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>https://a.example/team/anna</loc></url><url><loc>http://a.example/plain.html</loc></url></urlset>",
    );
    let run = dir.relink("absolutize m --layout wget -i --strict").exits(0);
    assert_eq!(dir.text("m/a.example/index.html"), index("about", "anna", "plain.html"));
    assert_eq!(
        dir.text("m/a.example/team/anna.html"),
        "<a href=http://a.example/about>a</a><a href=http://a.example/team/anna#y>me</a>"
    );
    assert!(!run.stderr.contains("appended"), "{run}");
    // A second run decides in the same way.
    dir.relink("absolutize m --layout wget --diff -q").exits(0).prints("");
    // A canonical link of the page itself.
    let dir = converted();
    for (name, link) in [("about", "about"), ("team/anna", "team/anna"), ("plain", "plain.html")] {
        let page = format!("<link rel=canonical href=http://a.example/{link}>");
        dir.file(format!("m/a.example/{name}.html"), &page);
    }
    dir.relink("absolutize m --layout wget -i --strict").exits(0);
    assert_eq!(dir.text("m/a.example/index.html"), index("about", "anna", "plain.html"));
}

/// The extensions of programs on a server are never those of a page.
#[test]
fn names_of_programs_are_certain() {
    for program in ["php", "jsp", "asp", "aspx", "cgi"] {
        let page = format!("<a href=x.{program}.html>x</a>");
        let dir = TestDir::with(&[("m/a.example/index.html", &page)]);
        dir.file(format!("m/a.example/x.{program}.html"), "<p>X");
        dir.relink("absolutize m --layout wget -i").exits(0);
        let expected = format!("<a href=http://a.example/x.{program}>x</a>");
        assert_eq!(dir.text("m/a.example/index.html"), expected);
    }
}

#[test]
fn what_nothing_proves_is_counted() {
    let dir = converted();
    let line = "absolutize m --layout wget --strict -o";
    let run = dir.relink(&format!("{line} out")).exits(1);
    let hint = "hint: m/a.example/about.html: wget may have appended the extension to the names of 3 files, such as this one, and nothing in the mirror says so; their URLs are written with it; use `--map FILE=URL` for each file with another URL";
    assert!(run.has_line(hint), "{run}");
    assert_eq!(
        dir.text("out/a.example/index.html"),
        index("about.html", "anna.html", "plain.html")
    );
    let map = |file: &str, url: &str| format!("--map m/a.example/{file}=http://a.example/{url}");
    let maps = [
        map("about.html", "about"),
        map("team/anna.html", "team/anna"),
        map("plain.html", "plain.html"),
    ];
    let run = dir.relink(&format!("{line} mapped {}", maps.join(" "))).exits(0);
    assert!(!run.stderr.contains("appended"), "{run}");
    assert_eq!(dir.text("mapped/a.example/index.html"), index("about", "anna", "plain.html"));
    // For a disk no URL is written.
    dir.relink("relativize m --layout wget --for file --strict -o disk").exits(0);
    // In a mirror without names that wget has certainly changed, there is no reason to doubt.
    std::fs::remove_file(dir.path("m/a.example/x.jsp.html")).unwrap();
    std::fs::remove_file(dir.path("m/a.example/p.php?id=1.html")).unwrap();
    let run = dir.relink("absolutize m --layout wget -o none").exits(0);
    assert!(!run.stderr.contains("appended"), "{run}");
}

/// Of a page with an extension that may have been appended, a query may be that of either URL.
#[test]
fn a_query_is_found_without_the_extension_of_its_page() {
    let dir = TestDir::with(&[
        ("m/a.example/about.html", "<a href='?x=1'>1</a><a href='?x=2'>2</a>"),
        ("m/a.example/about?x=1.html", "<a href=about.html?x=1>me</a>"),
        ("m/a.example/about.html?x=2.html", ""),
        ("m/a.example/about?x=2.html", ""),
    ]);
    dir.relink("relativize m --layout wget --for file -o out").exits(0);
    assert_eq!(
        dir.text("out/a.example/about.html"),
        "<a href='about%3Fx=1.html'>1</a><a href='about.html%3Fx=2.html'>2</a>"
    );
}

/// `wget -K` keeps each page as the site had it, and names the copy by the URL.
#[test]
fn copies_have_the_references_of_the_site() {
    let dir = converted();
    dir.file(
        "m/a.example/index.html.orig",
        "<a href=/about>a</a><a href=team/anna#x>t</a><a href=/plain.html>p</a><a href=x.jsp>x</a><a href='p.php?id=1'>1</a><a href=//b.example/s.css>s</a>",
    );
    dir.file("m/a.example/team/anna.orig", "<a href=../about>a</a><a href=#y>me</a>");
    dir.file("m/a.example/plain.html", "<a href=index.html>home</a>");
    dir.file("m/a.example/plain.html.orig", "<a href='./'>home</a>");
    let run = dir.relink("absolutize m --layout wget --strict -o out").exits(0);
    assert_eq!(dir.text("out/a.example/index.html"), index("about", "anna", "plain.html"), "{run}");
    assert_eq!(
        dir.text("out/a.example/team/anna.html"),
        "<a href=http://a.example/about>a</a><a href=http://a.example/team/anna#y>me</a>"
    );
    assert_eq!(dir.text("out/a.example/plain.html"), "<a href=http://a.example/>home</a>");
    // A page that was changed since is no longer its copy.
    dir.file("m/a.example/plain.html", "<a href=about.html>about</a>");
    dir.relink("absolutize m --layout wget -o changed").exits(0);
    assert_eq!(
        dir.text("changed/a.example/plain.html"),
        "<a href=http://a.example/about>about</a>"
    );
    // The other commands name the same URLs.
    let run = dir.relink("refs m --layout wget -q").exits(0);
    assert!(run.text().contains("about.html -> http://a.example/about\n"), "{run}");
    dir.relink("relativize m --layout wget -o relative").exits(0);
    let page = dir.text("relative/a.example/index.html");
    assert!(page.starts_with("<a href=about>a</a><a href='team/anna#x'>"), "{page}");
}

/// A mirror that was not converted has all references of the site.
#[test]
fn references_prove_it_where_nothing_was_converted() {
    let dir = TestDir::with(&[
        ("m/a.example/index.html", "<a href=about>a</a><a href=plain.html>p</a>"),
        ("m/a.example/about.html", "<a href=#x>x</a><a href='?q'>q</a>"),
        ("m/a.example/plain.html", "<a href='?q'>q</a>"),
    ]);
    dir.relink("absolutize m --layout wget -o out").exits(0);
    assert_eq!(
        dir.text("out/a.example/about.html"),
        "<a href=#x>x</a><a href='http://a.example/about?q'>q</a>"
    );
    assert_eq!(
        dir.text("out/a.example/plain.html"),
        "<a href='http://a.example/plain.html?q'>q</a>"
    );
}

/// A program of the server makes them, and no page loads them itself.
#[test]
fn style_sheets_that_are_only_imported_get_their_extension() {
    let dir = TestDir::with(&[
        (
            "m/h.example/index.html",
            "<link rel=stylesheet href=a.css><style>@import 'c.cgi?y=2';</style>",
        ),
        ("m/h.example/a.css", "@import 'b.cgi?x=1'; @import 'e.php'; @import url(theme) screen;"),
        ("m/h.example/b.cgi?x=1", "p { color: red }"),
        ("m/h.example/c.cgi?y=2", "@import 'd.php?z=3';"),
        ("m/h.example/d.php?z=3", "i { color: red }"),
        ("m/h.example/e.php", "b { color: red }"),
        ("m/h.example/theme", "u { color: red }"),
        ("m/g.example/x.html", "<a href=http://h.example/>x</a>"),
    ]);
    dir.relink("relativize m --layout wget --for file --rename -o o -q").exits(0);
    assert_eq!(
        dir.text("o/h.example/a.css"),
        "@import 'b-x-1.css'; @import 'e.css'; @import url(theme.css) screen;"
    );
    assert_eq!(dir.text("o/h.example/c-y-2.css"), "@import 'd-z-3.css';");
    assert_eq!(dir.text("o/h.example/d-z-3.css"), "i { color: red }");
}

/// A page whose URL was recorded without a slash is not that with one: wget would have stored the
/// answer to `blog/`, or to a redirect from it, as `blog/index.html`.
#[cfg(unix)]
#[test]
fn a_recorded_page_is_not_the_directory_of_its_name() {
    let page = "<!doctype html><p>";
    let links = "<!doctype html><a href=blog/>1</a><a href=blog>2</a><a href=news/>3</a><a href=news>4</a>\
        <a href=team/>5</a><a href=team>6</a><a href=more/>7</a>";
    let dir = TestDir::with(&[
        ("m/a.example/index.html", links),
        ("m/a.example/blog.html", page),
        ("m/a.example/news.html", page),
        ("m/a.example/team/index.html", page),
        ("m/a.example/more.html", page),
    ]);
    let record = |name: &str, url: &str| {
        xattr::set(dir.path(name), "user.xdg.origin.url", url.as_bytes()).is_ok()
    };
    let is_recorded = record("m/a.example/blog.html", "http://a.example/blog")
        && record("m/a.example/news.html", "http://a.example/news/")
        && record("m/a.example/team/index.html", "http://a.example/team");
    if !is_recorded {
        return crate::tools::skipped("this file system has no extended attributes");
    }
    dir.relink("relativize m --layout wget --for file -o out -q").exits(0);
    assert_eq!(
        dir.text("out/a.example/index.html"),
        "<!doctype html><a href=http://a.example/blog/>1</a><a href=blog.html>2</a><a href=news.html>3</a><a href=news.html>4</a>\
        <a href=team/index.html>5</a><a href=team/index.html>6</a><a href=more.html>7</a>"
    );
}

/// As `wget` names the directory of a host with a port; `host+port` where that is not allowed.
#[cfg(unix)]
#[test]
fn the_directory_of_a_host_with_a_port_keeps_its_name() {
    let dir = TestDir::with(&[
        ("m/h.example:8080/index.html", "<a href=/p?id=3>p</a><a href=//h.example/>h</a>"),
        ("m/h.example:8080/p?id=3", "<title>p</title><a href=//h.example:8080/>home</a>"),
        ("m/h.example/index.html", "<a href=http://h.example:8080/>other</a>"),
    ]);
    let run = dir.relink("relativize m --layout wget --for file --rename -o o").exits(0);
    assert!(run.has_line("1 file renamed"), "{run}");
    let text = |name: &str| dir.text(format!("o/{name}"));
    assert_eq!(
        text("h.example:8080/index.html"),
        "<a href=p-id-3.html>p</a><a href=../h.example/index.html>h</a>"
    );
    assert_eq!(text("h.example:8080/p-id-3.html"), "<title>p</title><a href=index.html>home</a>");
    assert_eq!(text("h.example/index.html"), "<a href=../h.example:8080/index.html>other</a>");
}
