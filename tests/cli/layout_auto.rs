//! Mirrors that are recognized without `--layout`, and trees that only look like them.

use crate::dir::TestDir;
use crate::words::{self, HOST_IN_BASE, READ_AS_MIRROR};

/// Returns the note about a directory that is like a mirror by wget.
fn wget(path: &str) -> String {
    format!("{path}: {}", words::mirror("wget", "references lead from one to another"))
}

/// A mirror of two hosts, as `wget -r` writes it.
fn mirror() -> TestDir {
    TestDir::with(&[
        (
            "m/a.example/index.html",
            "<a href=http://b.example/x.html>x</a><img src=//b.example/i.png><a href=/p.html>p</a>",
        ),
        ("m/a.example/p.html", "<a href=./p.html>p</a>"),
        ("m/b.example/x.html", "<a href=y.html>y</a>"),
        ("m/b.example/i.png", ""),
    ])
}

#[test]
fn references_between_hosts_identify_a_mirror() {
    let dir = mirror();
    let run = dir.relink("absolutize m -o out").exits(0);
    assert!(run.has_line(&wget("m")), "{run}");
    assert_eq!(dir.text("out/b.example/x.html"), "<a href=http://b.example/y.html>y</a>");
    assert!(dir.text("out/a.example/index.html").contains("<a href=http://a.example/p.html>"));
}

/// The answer is the same before and after each conversion.
#[test]
fn a_converted_mirror_is_still_recognized() {
    let dir = mirror();
    for (line, out) in [
        ("relativize m --for file -o out", "out"),
        ("relativize m -o relative", "relative"),
        ("absolutize m -o absolute", "absolute"),
    ] {
        dir.relink(line).exits(0);
        let run = dir.relink(&format!("bases {out}")).exits(0);
        assert!(run.has_line(&wget(out)), "{run}");
    }
    assert!(dir.text("out/a.example/index.html").contains("../b.example/x.html"));
    // There and back, and the same as from the first tree.
    dir.relink("absolutize out -o again -q").exits(0);
    assert_eq!(dir.tree("again"), dir.tree("absolute"));
}

#[test]
fn the_option_decides() {
    let dir = mirror();
    let run = dir.relink("absolutize m --layout plain -o out").exits(0);
    assert!(!run.stderr.contains(READ_AS_MIRROR), "{run}");
    assert_eq!(dir.tree("out"), dir.tree("m"));
    let run = dir.relink("absolutize m --layout wget -o wget").exits(0);
    assert!(!run.stderr.contains(READ_AS_MIRROR), "{run}");
    let run = dir.relink("absolutize m --base http://h.example/ -o base").exits(0);
    assert!(!run.stderr.contains(READ_AS_MIRROR), "{run}");
}

#[test]
fn other_directories_are_not_hosts() {
    for (directories, has_hint) in [
        (["v1.0", "v2.0"], false),
        (["docs", "b.example"], false),
        (["a.example", "b.example"], true),
    ] {
        let [one, other] = directories;
        let dir = TestDir::new();
        dir.file(format!("m/{one}/a.html"), format!("<a href=../{other}/a.html>a</a>"));
        dir.file(format!("m/{other}/a.html"), "<a href=b.html>b</a>");
        let run = dir.relink("refs m").exits(0);
        assert!(!run.stderr.contains(READ_AS_MIRROR), "{run}");
        let hint = "hint: m: its directories have names of hosts; use `--layout wget` or `--layout httrack` if it is a mirror with a directory for each host";
        assert_eq!(run.has_line(hint), has_hint, "{run}");
    }
}

#[test]
fn notes_of_httrack_identify_a_mirror_of_one_host() {
    let page = "<!-- Mirrored from a.example/x.php?id=1 by HTTrack Website Copier/3.x [XR&CO'2014], Mon, 01 Jan 2024 00:00:00 GMT -->\n<a href=b.html>b</a>";
    let dir = TestDir::with(&[("m/a.example/x1a2b.html", page), ("m/a.example/b.html", "b")]);
    let run = dir.relink("absolutize m -o out").exits(0);
    let note = "m: read as a mirror with a directory for each host (`--layout httrack`); HTTrack has recorded the URLs of its pages; use `--layout plain` if it is not one";
    assert!(run.has_line(note), "{run}");
    assert!(dir.text("out/a.example/x1a2b.html").contains("<a href=http://a.example/b.html>"));
    // Its own directory does, too.
    let dir = TestDir::with(&[("m/a.example/a.html", "<a href=b>b</a>"), ("m/hts-log.txt", "")]);
    let run = dir.relink("bases m").exits(0);
    assert!(run.stderr.contains("HTTrack has left its notes in it"), "{run}");
    let run = dir.relink("bases m --no-hints").exits(0);
    assert!(!run.stderr.contains(READ_AS_MIRROR), "{run}");
}

#[test]
fn a_directory_with_the_name_of_the_host_in_base() {
    let dir = TestDir::with(&[
        ("m/www.shop.example/index.html", "<a href=/a.html>a</a>"),
        ("m/www.shop.example/a.html", "<a href=./p.html>p</a>"),
    ]);
    let run = dir.relink("absolutize m --base https://www.shop.example/ -o out").exits(0);
    let note = &format!(
        "m: {}",
        words::mirror("wget", "it contains the directory www.shop.example, the host in --base")
    );
    assert!(run.has_line(note), "{run}");
    assert_eq!(
        dir.text("out/www.shop.example/index.html"),
        "<a href=https://www.shop.example/a.html>a</a>"
    );
    // Documents in another directory contradict it.
    dir.file("m/docs/b.html", "<a href=c.html>c</a>");
    let run = dir.relink("absolutize m --base https://www.shop.example/ -o plain").exits(0);
    assert!(!run.stderr.contains(READ_AS_MIRROR), "{run}");
    assert_eq!(dir.text("plain/docs/b.html"), "<a href=https://www.shop.example/docs/c.html>c</a>");
}

#[test]
fn a_layout_of_hosts_and_the_url_of_one_of_them() {
    let dir = TestDir::with(&[
        ("m/www.harbour.example/index.html", "<a href=http://cdn.harbour.example/a.css>a</a>"),
        ("m/cdn.harbour.example/a.css", ""),
        ("m/docs/b.html", ""),
    ]);
    let read =
        &words::mirror("wget", "it contains the directory www.harbour.example, the host in --base");
    let line = "relativize m --layout wget --for file -q -o";
    dir.relink(&format!("{line} expected")).exits(0);
    let run = dir
        .relink("relativize m --layout wget --for file --base http://www.harbour.example/ -o out");
    assert!(run.has_line(&format!("m: {read}")), "{run}");
    assert_eq!(dir.tree("out"), dir.tree("expected"));
    let index = dir.text("out/www.harbour.example/index.html");
    assert_eq!(index, "<a href=../cdn.harbour.example/a.css>a</a>");
    // The base gives the scheme.
    let run = dir.relink("refs m --layout wget --base https://www.harbour.example").exits(0);
    assert!(run.has_line(&format!("m: {read}")), "{run}");
    let run = dir.relink("bases m --layout wget --base https://www.harbour.example").exits(0);
    assert!(run.text().contains("https://www.harbour.example/"), "{run}");
    let run = dir.relink("check m --layout httrack --base http://www.harbour.example/");
    assert!(run.has_line(&format!("m: {}", read.replace("wget", "httrack"))), "{run}");
    // Another base may be that of the tree.
    let note = &format!(
        "m: contains the directory www.harbour.example, {HOST_IN_BASE}; it may be a mirror with a directory for each host; use `--layout httrack` without `--base` if it is"
    );
    let line = "refs m --layout httrack --base http://www.harbour.example/docs/";
    assert!(dir.relink(line).exits(0).has_line(note));
}

#[test]
fn a_mirror_without_notes_of_httrack() {
    let hint =
        "hint: no notes of HTTrack found; use `--layout wget` if another program made the mirror";
    let dir = mirror();
    assert!(dir.relink("refs m --layout httrack").exits(0).has_line(hint));
    assert!(!dir.relink("refs m --layout wget").exits(0).has_line(hint));
    dir.file("m/hts-log.txt", "");
    assert!(!dir.relink("refs m --layout httrack").exits(0).has_line(hint));
    std::fs::remove_file(dir.path("m/hts-log.txt")).unwrap();
    dir.file(
        "m/a.example/n.html",
        "<!-- Mirrored from a.example/n by HTTrack Website Copier/3 -->",
    );
    assert!(!dir.relink("refs m --layout httrack").exits(0).has_line(hint));
}

#[test]
fn check_reads_the_tree_as_it_lies_on_the_disk() {
    let dir = mirror();
    let run = dir.relink("check m");
    let hint = "hint: m: read as files on the disk; references lead from one to another, so it may be a mirror with a directory for each host; use `--layout wget` if it is";
    assert!(run.has_line(hint), "{run}");
}

/// The journal of an interrupted run contains the choice, and `resume` does not choose again.
#[cfg(unix)]
#[test]
fn an_interrupted_run_continues_with_the_same_layout() {
    let dir = mirror();
    crate::journal::many_files(&dir, "m/b.example/m");
    dir.file("m/b.example/z.html", "<a href=/y.html>y</a>\n");
    // The run is held by the message about this page.
    dir.file("m/a.example/o.html", "<a href=/p.html>p</a>");
    std::fs::hard_link(dir.path("m/a.example/o.html"), dir.path("other")).unwrap();
    dir.relink("absolutize m -o expected -q").exits(0);
    let page = "m/a.example/index.html";
    drop(crate::journal::begun_until(&dir, "absolutize m -i -q", &[page], "other"));
    std::fs::remove_file(dir.path("other")).unwrap();
    assert!(dir.text("m/b.example/z.html").starts_with("<a href=/y"));
    assert!(dir.text(".m.relink-journal").contains(r#""layout":"wget""#));
    dir.relink("resume m -q").exits(0);
    for name in ["a.example/index.html", "a.example/p.html", "b.example/z.html"] {
        assert_eq!(dir.text(format!("m/{name}")), dir.text(format!("expected/{name}")), "{name}");
    }
}

#[test]
fn a_tree_of_the_wayback_machine_is_recognized() {
    let archive = "https://web.archive.org/web/20200102030405";
    let dir = TestDir::with(&[("m/h.example/i.png", ""), ("m/h.example/p.php%3fid%3d1", "<html>")]);
    let page = format!(
        "<a href='{archive}/http://h.example/p.php?id=1#x'>p</a><a href='{archive}/https://www.h.example/about'>a</a><img src='/web/20200102030405im_/http://h.example:80/i.png'><a href='{archive}/http://h.example/gone'>g</a><a href='/web/2020/http://i.example/'>i</a><a href=/about>a</a>"
    );
    dir.file("m/h.example/index.html", &page);
    dir.file("m/h.example/about/index.html", "<a href=p.php?id=1>p</a>");
    let run = dir.relink("relativize m --for file -o out").exits(0);
    let note = "m: read as a mirror with a directory for each host (`--layout wayback`); references lead to captures of its pages in the Wayback Machine; use `--layout plain` if it is not one";
    assert!(run.has_line(note), "{run}");
    assert_eq!(
        dir.text("out/h.example/index.html"),
        format!(
            "<a href='p.php%253fid%253d1#x'>p</a><a href='about/index.html'>a</a><img src='i.png'><a href='{archive}/http://h.example/gone'>g</a><a href='https://web.archive.org/web/2020/http://i.example/'>i</a><a href=about/index.html>a</a>"
        )
    );
    // The page is `/about`, and not `/about/`.
    assert_eq!(dir.text("out/h.example/about/index.html"), "<a href=../p.php%253fid%253d1>p</a>");
    // For a server, captures are URLs of the site.
    dir.relink("relativize m --layout wayback -o server").exits(0);
    let text = dir.text("server/h.example/index.html");
    assert!(
        text.starts_with("<a href='p.php?id=1#x'>p</a><a href='about'>a</a><img src='i.png'>"),
        "{text}"
    );
    // The script of the archive says it too, before and after.
    let script = "<script>__wm.wombat('http://h.example/','20200102030405');</script>";
    dir.file("m/h.example/index.html", format!("{script}{page}"));
    dir.relink("relativize m --for file -o noted").exits(0);
    for tree in ["m", "noted"] {
        let run = dir.relink(&format!("relativize {tree} --for file -n")).exits(0);
        assert!(run.stderr.contains("pages have the script of the Wayback Machine"), "{run}");
    }
    // A site may refer to captures of its old pages.
    let page = format!(
        "<a href='{archive}/http://h.example/'>1</a><a href='{archive}/http://h.example/a'>2</a>{}",
        "<a href=http://h.example/about/>a</a>".repeat(3)
    );
    dir.file("m/h.example/index.html", page);
    let run = dir.relink("refs m").exits(0);
    assert!(!run.stderr.contains("--layout wayback"), "{run}");
}

/// `wget -m` of one site: what names the host says that the directory is that of the host.
#[test]
fn a_mirror_of_one_host_is_recognized_by_what_names_it() {
    let link = "<a href=//a.example/b.html>b</a>";
    let canonical = "<link rel=canonical href=https://a.example/><a href=/b.html>b</a>";
    for page in [link, canonical, "<a href=http://www.a.example/b.html>b</a>"] {
        let dir = TestDir::with(&[("m/a.example/index.html", page), ("m/a.example/b.html", "")]);
        let run = dir.relink("relativize m --for file -o out").exits(0);
        let note = format!("m: {}", words::mirror("wget", "references name its host"));
        assert!(run.has_line(&note), "{page}: {run}");
        assert!(dir.text("out/a.example/index.html").ends_with("<a href=b.html>b</a>"), "{page}");
    }
    let sitemap = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>http://a.example/</loc></url></urlset>";
    let dir = TestDir::with(&[
        ("m/a.example/index.html", "<a href=/b.html>b</a>"),
        ("m/a.example/sitemap.xml", sitemap),
    ]);
    let run = dir.relink("absolutize m -o out").exits(0);
    assert!(run.stderr.contains("references name its host"), "{run}");
    assert_eq!(dir.text("out/a.example/index.html"), "<a href=http://a.example/b.html>b</a>");
    // What `wget --xattr` records of a file.
    #[cfg(unix)]
    {
        let dir = TestDir::with(&[("m/a.example/index.html", "<a href=/b.html>b</a>")]);
        dir.file("m/a.example/b.html", "");
        let recorded = b"http://a.example/b.html";
        if xattr::set(dir.path("m/a.example/b.html"), "user.xdg.origin.url", recorded).is_ok() {
            let run = dir.relink("absolutize m -o out").exits(0);
            assert!(run.has_line_with("m: "), "{run}");
            let page = dir.text("out/a.example/index.html");
            assert_eq!(page, "<a href=http://a.example/b.html>b</a>");
        }
    }
    // A name with a dot is no host.
    let dir = TestDir::with(&[("m/jquery.ui/index.html", "<a href=http://a.example/>a</a>")]);
    let run = dir.relink("refs m").exits(0);
    assert!(!run.stderr.contains(READ_AS_MIRROR), "{run}");
}
