//! `--renames`, `--rule`, `--rename-files` and `--redirects`: what is renamed, what is refused, and
//! what is written.

use std::fs;

use crate::dir::TestDir;
use crate::words::{self, INVALID_VALUE, USE_ANOTHER_NAME};

const FILES: [(&str, &str); 6] = [
    (
        "site/index.html",
        "<a href=docs/>D</a> <a href=\"docs/a.html?q#x\">A</a> <a href=/docs/b.html>B</a> <a href=about>about</a>\n",
    ),
    (
        "site/docs/index.html",
        "<a href=a.html>A</a><img src=img/p.png><a href=../index.html>up</a>\n",
    ),
    ("site/docs/a.html", "<a href=b.html>B</a> <a href=./>up</a> <a href=#t>t</a>\n"),
    ("site/docs/b.html", "<a href=a.html>A</a>\n"),
    ("site/docs/img/p.png", "PNG"),
    ("site/about", "<!DOCTYPE html><a href=docs/a.html>A</a>\n"),
];

const LIST: &str = "docs/\tguide/\ndocs/a.html\tguide/new/alpha.html\nabout\tabout/index.html\n";

pub(crate) fn site() -> TestDir {
    let dir = TestDir::with(&FILES);
    dir.file("list.tsv", LIST);
    dir
}

fn files(dir: &TestDir, name: &str) -> Vec<String> {
    let tree = dir.tree(name);
    let files = tree.iter().filter(|(_, node)| matches!(node, crate::dir::Node::File { .. }));
    files.map(|(path, _)| path.display().to_string()).collect()
}

#[test]
fn references_follow_and_files_get_their_names() {
    let dir = site();
    let run =
        dir.relink("move site --base http://h/ --renames list.tsv --rename-files -o out").exits(0);
    assert_eq!(
        files(&dir, "out"),
        [
            "about/index.html",
            "guide/b.html",
            "guide/img/p.png",
            "guide/index.html",
            "guide/new/alpha.html",
            "index.html"
        ]
    );
    assert_eq!(
        dir.text("out/index.html"),
        "<a href=guide/>D</a> <a href=\"guide/new/alpha.html?q#x\">A</a> <a href=/guide/b.html>B</a> <a href=about/index.html>about</a>\n"
    );
    // The image of the page has moved with it.
    assert_eq!(
        dir.text("out/guide/index.html"),
        "<a href=new/alpha.html>A</a><img src=img/p.png><a href=../index.html>up</a>\n"
    );
    assert_eq!(
        dir.text("out/guide/new/alpha.html"),
        "<a href=../b.html>B</a> <a href=../>up</a> <a href=#t>t</a>\n"
    );
    assert_eq!(
        dir.text("out/about/index.html"),
        "<!DOCTYPE html><a href=../guide/new/alpha.html>A</a>\n"
    );
    assert!(run.stderr.contains("\n5 files renamed\n"), "{run}");
}

#[test]
fn without_rename_files_only_references_follow() {
    let dir = site();
    dir.relink("move site --base http://h/ --renames list.tsv -o out -q").exits(0);
    assert_eq!(files(&dir, "out"), files(&dir, "site"));
    // Each document is read at its old URL, and will be at its new one.
    assert_eq!(
        dir.text("out/docs/a.html"),
        "<a href=../b.html>B</a> <a href=../>up</a> <a href=#t>t</a>\n"
    );
}

#[test]
fn in_place_is_as_with_an_output_and_can_be_undone() {
    let dir = site();
    let first = dir.tree("site");
    let options = "--base http://h/ --renames list.tsv --rename-files";
    dir.relink(&format!("move site {options} -o out -q")).exits(0);
    dir.relink(&format!("move site {options} --in-place -q")).exits(0);
    let contents = |name: &str| -> Vec<(String, String)> {
        files(&dir, name)
            .into_iter()
            .map(|path| (path.clone(), dir.text(format!("{name}/{path}"))))
            .collect()
    };
    assert_eq!(contents("site"), contents("out"));
    assert!(!dir.has("site/docs"), "it is empty");
    let manifest = dir.text(".site.relink-manifest");
    assert!(manifest.contains("\"version\":2"), "{manifest}");
    assert!(
        manifest.contains("\"path\":\"guide/img/p.png\",\"path_before\":\"docs/img/p.png\""),
        "{manifest}"
    );
    fs::copy(dir.path(".site.relink-manifest"), dir.path("kept.jsonl")).unwrap();
    dir.relink("verify site --manifest kept.jsonl").exits(0);
    let run = dir.relink("undo site").exits(0);
    assert!(run.stderr.starts_with(&words::restored(6)), "{run}");
    assert_eq!(contents_of(&dir.tree("site")), contents_of(&first));
    // Once more, nothing is to be done.
    dir.relink("undo site --manifest kept.jsonl").exits(0);
    assert_eq!(contents_of(&dir.tree("site")), contents_of(&first));
}

/// Returns what `undo` restores: directories get new times.
fn contents_of(
    tree: &std::collections::BTreeMap<std::path::PathBuf, crate::dir::Node>,
) -> Vec<(String, Option<crate::dir::Node>)> {
    let file = |node: &crate::dir::Node| match node {
        crate::dir::Node::Directory { .. } => None,
        node => Some(node.clone()),
    };
    tree.iter().map(|(path, node)| (path.display().to_string(), file(node))).collect()
}

#[test]
fn chains_are_renamed_in_the_right_order_and_back() {
    for same in [false, true] {
        let text = |name: &str| if same { "x\n".to_owned() } else { format!("<p>{name}\n") };
        let dir = TestDir::new();
        for name in ["a", "b", "c"] {
            dir.file(format!("site/{name}.html"), text(name));
        }
        dir.file("site/i.html", "<a href=a.html><a href=b.html><a href=c.html>\n");
        dir.file("list", "a.html\tb.html\nb.html\tc.html\nc.html\td.html\n");
        let first = dir.tree("site");
        dir.relink("move site --base http://h/ --renames list --rename-files --in-place -q")
            .exits(0);
        for (old, new) in [("a", "b"), ("b", "c"), ("c", "d")] {
            assert_eq!(dir.text(format!("site/{new}.html")), text(old));
        }
        assert_eq!(dir.text("site/i.html"), "<a href=b.html><a href=c.html><a href=d.html>\n");
        dir.relink("undo site -q").exits(0);
        assert_eq!(contents_of(&dir.tree("site")), contents_of(&first));
    }
}

#[test]
fn rules_are_tried_after_pages_and_directories() {
    let dir = TestDir::with(&[
        (
            "site/2003/05/a.php",
            "<a href=b.php>b</a> <a href=/2003/05/c.php>c</a> <a href=../06/>d</a>",
        ),
        ("site/2003/05/b.php", "<a href=a.php#x>a</a>"),
        ("site/2003/05/c.php", ""),
        ("site/2003/06/index.html", "<a href=../05/a.php>a</a>"),
    ]);
    dir.file(
        "list",
        "2003/05/c.php\tcontact.html\nrule\ts|^/(\\d{4})/(\\d\\d)/(.*)\\.php$|/blog/$1/$3.html|\n",
    );
    let rule = "s|^/2003/06/|/june/|";
    let args = [
        "move",
        "site",
        "--base",
        "http://h/",
        "--type",
        "php=text/html",
        "--renames",
        "list",
        "--rule",
        rule,
        "--rename-files",
        "-o",
        "out",
        "-q",
    ];
    let args: Vec<&std::ffi::OsStr> = args.iter().map(AsRef::as_ref).collect();
    dir.relink_with(&args).exits(0);
    assert_eq!(
        dir.text("out/blog/2003/a.html"),
        "<a href=b.html>b</a> <a href=/contact.html>c</a> <a href=../../june/>d</a>"
    );
    assert_eq!(dir.text("out/blog/2003/b.html"), "<a href=a.html#x>a</a>");
    assert_eq!(dir.text("out/june/index.html"), "<a href=../blog/2003/a.html>a</a>");
}

#[test]
fn a_tree_is_renamed_and_moves() {
    let dir = site();
    dir.relink("move site --from http://h/ --to https://n/x/ --renames list.tsv --rename-files --style absolute -o out -q")
        .exits(0);
    assert_eq!(
        dir.text("out/index.html"),
        "<a href=https://n/x/guide/>D</a> <a href=\"https://n/x/guide/new/alpha.html?q#x\">A</a> <a href=https://n/x/guide/b.html>B</a> <a href=https://n/x/about/index.html>about</a>\n"
    );
}

#[test]
fn relativize_renames_too() {
    let dir = TestDir::with(&[
        ("site/a.html", "<a href=http://h/b.html>b</a> <a href=http://o/>o</a>"),
        ("site/b.html", "<base href=http://h/><a href=a.html>a</a>"),
    ]);
    dir.file("list", "b.html\tc/b.html\n");
    dir.relink("relativize site --base http://h/ --renames list --rename-files -o out -q").exits(0);
    assert_eq!(dir.text("out/a.html"), "<a href=c/b.html>b</a> <a href=http://o/>o</a>");
    assert_eq!(dir.text("out/c/b.html"), "<base href=\"\"><a href=../a.html>a</a>");
    dir.relink(
        "relativize site --base http://h/ --for file --renames list --rename-files -o disk -q",
    )
    .exits(0);
    assert_eq!(dir.text("disk/a.html"), "<a href=c/b.html>b</a> <a href=http://o/>o</a>");
    assert_eq!(dir.text("disk/c/b.html"), "<base href=\"\"><a href=../a.html>a</a>");
}

#[test]
fn header_sections_go_with_their_pages() {
    let dir = TestDir::with(&[
        ("site/a.html", "<a href=x>x</a>"),
        (
            "site/a.html.headers",
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nLink: <b.html>; rel=next\r\n\r\n",
        ),
        ("site/b.html", ""),
    ]);
    dir.file("list", "a.html\td/a.html\n");
    dir.relink("move site --base http://h/ --renames list --rename-files -o out -q").exits(0);
    assert!(dir.text("out/d/a.html.headers").contains("Link: <../b.html>"));
    assert_eq!(dir.text("out/d/a.html"), "<a href=../x>x</a>");
}

#[test]
fn what_cannot_be_is_refused_with_its_line() {
    for (list, report) in [
        (
            "a.html\tx.html\na.html\ty.html\n",
            "list:2: a.html is renamed to http://h/y.html here and to http://h/x.html at list:1; remove one of the two\n",
        ),
        (
            "a.html\tx.html\nb.html\tx.html\n",
            "error: http://h/x.html would be the new name of both a.html (at list:1) and b.html (at list:2); use two names\n",
        ),
        (
            "a.html\tx.html\nb.html\tX.html\n",
            "error: the names http://h/x.html (at list:1) and http://h/X.html (at list:2) would differ in letter case only, which some file systems ignore; use other names\n",
        ),
        (
            "a.html\tb.html\nb.html\ta.html\n",
            "error: the renames are a cycle: a.html (list:1), b.html (list:2); rename in two runs, with another name in between\n",
        ),
        (
            "a.html\tb.html\n",
            format!("list:1: cannot rename a.html to b.html; a file with this name exists; rename that too, or {USE_ANOTHER_NAME}\n").as_str(),
        ),
        ("a.html\td\n", "list:1: d would be both a file and a directory; use another name\n"),
        (
            "a.html\tB.HTML\n",
            "the names b.html (keeps its name) and B.HTML (at list:1) would differ in letter case only",
        ),
        (
            "a.html\thttp://o/x.html\n",
            "list:1: cannot rename the file a.html to http://o/x.html; it is outside of the tree; use a name in the tree\n",
        ),
        (
            "a.html\tx.html?q\n",
            "list:1: cannot rename the file a.html to http://h/x.html?q; a file cannot have a query; use a name without one\n",
        ),
        (
            "d/\te.html\n",
            "list:1: cannot rename the directory d/ to e.html; use a new name with a slash at its end\n",
        ),
        (
            "a.html\n",
            "list:1: expected two fields with a tab between them, the old and the new name; found 1\n",
        ),
        (
            "rule\ts|(|x|\n",
            "list:1: the pattern is not a regular expression: unclosed group; a rule has the form",
        ),
        (
            "rule\ts|^/[ab]\\.html$|/x.html|\n",
            "x.html would be the new name of both a.html (at list:1) and b.html (at list:1); use two names\n",
        ),
    ] {
        let dir = TestDir::with(&[("site/a.html", ""), ("site/b.html", ""), ("site/d/c.html", "")]);
        dir.file("list", list);
        let run =
            dir.relink("move site --base http://h/ --renames list --rename-files -o out").exits(2);
        assert!(run.stderr.starts_with(report), "{list:?}\n{run}");
        assert!(!dir.has("out"), "{list:?}");
    }
}

#[test]
fn what_is_never_met_is_listed() {
    let dir = site();
    dir.file("list", "docs/a.html\tdocs/c.html\nnone.html\tx.html\nrule\ts|^/none|/x|\n");
    let run = dir.relink("move site --base http://h/ --renames list -o out").exits(0);
    let report = "list:2: none.html was never met; no file and no reference has this name\n\
        list:3: the rule was never met; no file and no reference has this name\n";
    assert!(run.stderr.starts_with(report), "{run}");
}

#[test]
fn redirects_are_written_for_servers_and_never_over_other_files() {
    let dir = site();
    let options = "--base http://h/ --renames list.tsv --rename-files";
    dir.relink(&format!(
        "move site {options} -o out -q --redirects nginx=a.conf --redirects csv=b.csv --redirects netlify=_redirects"
    ))
    .exits(0);
    let nginx = dir.text("a.conf");
    for line in [
        "    \"/docs/\" \"/guide/$is_args$args\";\n",
        "    \"/docs/a.html\" \"/guide/new/alpha.html$is_args$args\";\n",
        "    \"/docs/img/p.png\" \"/guide/img/p.png$is_args$args\";\n",
    ] {
        assert!(nginx.contains(line), "{nginx}");
    }
    assert!(dir.text("b.csv").contains("\nhttp://h/about,http://h/about/index.html\n"));
    assert!(dir.text("_redirects").contains("\n/docs/b.html /guide/b.html 301!\n"));
    // Its own file is written again, another one is not.
    dir.relink(&format!("move site {options} -n -q --redirects nginx=a.conf")).exits(0);
    let run =
        dir.relink(&format!("move site {options} -o two --redirects nginx=list.tsv")).exits(2);
    assert!(
        run.stderr.starts_with(
            "list.tsv: cannot write redirects here; a file exists that relink has not written"
        ),
        "{run}"
    );
    let run = dir.relink(&format!("move site {options} -o two --redirects iis=x")).exits(2);
    assert!(run.stderr.starts_with(&format!("error: {INVALID_VALUE} 'iis=x' for --redirects; expected SERVER=FILE, with one of nginx, apache")), "{run}");
}

#[test]
fn names_with_odd_characters_are_renamed() {
    let dir = TestDir::with(&[
        ("site/a b%20#.html", "<a href=\"c%25.html\">c</a>"),
        ("site/c%.html", "<a href=\"a%20b%2520%23.html\">a</a> <a href='?x'>self</a>"),
    ]);
    dir.file("list", "a b%20#.html\td/%C3%A9 .html\n");
    dir.relink("move site --base http://h/ --renames list --rename-files -o out -q").exits(0);
    assert_eq!(dir.text("out/d/\u{e9} .html"), "<a href=\"../c%25.html\">c</a>");
    assert_eq!(dir.text("out/c%.html"), "<a href=\"d/%C3%A9%20.html\">a</a> <a href='?x'>self</a>");
}

#[test]
fn files_of_a_mirror_get_names_that_say_what_they_are() {
    let dir = TestDir::with(&[
        (
            "m/h.example/index.html",
            "<link rel=stylesheet href=style.cgi?t=1><script src=load.php?m=a></script><a href=item.php?id=1#x>1</a> <a href=about>about</a> <a href=//c.example/>c</a> <a href=d/>d</a> <img src=logo>\n",
        ),
        ("m/h.example/style.cgi?t=1", "body { background: url(logo) }\n"),
        ("m/h.example/load.php?m=a", "var a = 1;\n"),
        ("m/h.example/item.php?id=1", "<!DOCTYPE html><a href=?id=2>2</a> <a href=/>home</a>\n"),
        ("m/h.example/item.php?id=2", "<!DOCTYPE html><a href=?id=1>1</a>\n"),
        ("m/h.example/about", "<!DOCTYPE html><a href=About>other</a>\n"),
        ("m/h.example/About", "<!DOCTYPE html><a href=about>other</a>\n"),
        ("m/h.example/d/index.html", "<a href=../item.php?id=2>2</a>\n"),
        ("m/c.example/index.html", "<a href=http://h.example/about>about</a>\n"),
    ]);
    dir.file("m/h.example/logo", b"\x89PNG\r\n\x1a\n");
    let run = dir
        .relink("relativize m --layout wget --for file --rename --rename-map map.tsv -o disk")
        .exits(0);
    assert!(run.stderr.contains("\n7 files renamed\n"), "{run}");
    let map = dir.text("map.tsv");
    for line in [
        "h.example/item.php?id=1\th.example/item-id-1.html\n",
        "h.example/load.php?m=a\th.example/load-m-a.js\n",
        "h.example/logo\th.example/logo.png\n",
        "h.example/style.cgi?t=1\th.example/style-t-1.css\n",
    ] {
        assert!(map.contains(line), "{map}");
    }
    let index = dir.text("disk/h.example/index.html");
    for reference in [
        "href=style-t-1.css",
        "src=load-m-a.js",
        "href=item-id-1.html#x",
        "href=d/index.html",
        "src=logo.png",
        "href=../c.example/index.html",
    ] {
        assert!(index.contains(reference), "{index}");
    }
    assert_eq!(dir.text("disk/h.example/style-t-1.css"), "body { background: url(logo.png) }\n");
    // The two pages whose names differ in letter case only are distinguished.
    let about: Vec<String> = files(&dir, "disk/h.example")
        .into_iter()
        .filter(|name| name.to_lowercase().starts_with("about"))
        .collect();
    assert_eq!(about.len(), 2, "{about:?}");
    assert_ne!(about[0].to_lowercase(), about[1].to_lowercase());
    // The list gives the same names, and a second run changes nothing.
    dir.relink(
        "relativize m --layout wget --for file --renames map.tsv --rename-files -o listed -q",
    )
    .exits(0);
    dir.relink("relativize disk --layout wget --for file --rename -o again -q").exits(0);
    for path in files(&dir, "disk") {
        assert_eq!(
            dir.bytes(format!("listed/{path}")),
            dir.bytes(format!("disk/{path}")),
            "{path}"
        );
        assert_eq!(dir.bytes(format!("again/{path}")), dir.bytes(format!("disk/{path}")), "{path}");
    }
    dir.relink("relativize m --layout wget --for static-host --rename -o host -q").exits(0);
    let index = dir.text("host/h.example/index.html");
    assert!(index.contains("href=d/>") && index.contains("href=../c.example/>"), "{index}");
    assert!(dir.text("host/h.example/item-id-1.html").contains("<a href=./>home</a>"));
}

#[test]
fn references_are_compared_without_their_escapes() {
    let dir = TestDir::with(&[
        ("site/a.html", "<a href=%62%26.html>b</a> <a href=d>d</a> <a href=x%3Ay/c.html>c</a>"),
        ("site/b&.html", ""),
        ("site/d/index.html", ""),
        ("site/x:y/c.html", ""),
    ]);
    dir.file("list", "b&.html\te/b.html\nd/index.html\te/index.html\nx%3ay/\tz/\n");
    dir.relink("move site --base http://h/ --renames list --rename-files -o out -q").exits(0);
    assert_eq!(
        dir.text("out/a.html"),
        "<a href=e/b.html>b</a> <a href=e/>d</a> <a href=z/c.html>c</a>"
    );
}

#[test]
fn a_base_follows_its_page_or_its_directory() {
    let dir = TestDir::with(&[
        ("site/a.html", "<base href=d/b.html><a href=c.html>c</a>"),
        ("site/e.html", "<base href=d/><a href=c.html>c</a>"),
        ("site/d/b.html", ""),
        ("site/d/c.html", ""),
        ("site/d/index.html", ""),
    ]);
    dir.file("list", "d/b.html\tf/g/b.html\nd/index.html\tx.html\n");
    dir.relink("move site --base http://h/ --renames list --rename-files -o out -q").exits(0);
    let base = "<base href=f/g/b.html><a href=../../d/c.html>c</a>";
    assert_eq!(dir.text("out/a.html"), base);
    // A base is no page: that of the directory has moved.
    assert_eq!(dir.text("out/e.html"), "<base href=d/><a href=c.html>c</a>");
}

#[test]
fn files_are_renamed_into_directories_that_come_later() {
    let dir = TestDir::with(&[("site/a.html", "<a href=d/x.html>x</a>"), ("site/d/x.html", "")]);
    dir.file("list", "a.html\td/e/a.html\n");
    dir.relink("move site --base http://h/ --renames list --rename-files -o out -q").exits(0);
    assert_eq!(dir.text("out/d/e/a.html"), "<a href=../x.html>x</a>");
    // A file that keeps its name does not become a directory.
    dir.file("list", "a.html\td/x.html/a.html\n");
    let run = dir.relink("move site --base http://h/ --renames list --rename-files -n");
    run.fails("list:1: d/x.html would be both a file and a directory; use another name");
}

#[test]
fn the_page_of_a_directory_is_renamed_in_every_layout() {
    let links = "<a href=d/index.html>d</a> <a href=d/>d</a>";
    let dir = TestDir::with(&[("site/a.html", links), ("site/d/index.html", "")]);
    dir.file("list", "d/index.html\td/start.html\n");
    for layout in ["plain", "wget"] {
        let line = "move site --base http://h/ --renames list --rename-files --force -q -o";
        dir.relink(&format!("{line} {layout} --layout {layout}")).exits(0);
        let links = "<a href=d/start.html>d</a> <a href=d/start.html>d</a>";
        assert_eq!(dir.text(format!("{layout}/a.html")), links, "{layout}");
        assert_eq!(dir.text(format!("{layout}/d/start.html")), "", "{layout}");
    }
}

#[cfg(unix)]
#[test]
fn directories_that_are_renamed_keep_their_modes() {
    use std::os::unix::fs::PermissionsExt;
    let dir = TestDir::with(&[("site/a/b/c.html", ""), ("site/d/e.html", "")]);
    dir.file("list", "a/\tx/y/\n");
    let mode = |path: &str| fs::metadata(dir.path(path)).unwrap().permissions().mode() & 0o777;
    for path in ["site/a", "site/a/b"] {
        let mode = fs::Permissions::from_mode(0o700);
        fs::set_permissions(dir.path(path), mode).unwrap();
    }
    let line = "move site --base http://h/ --renames list --rename-files -q";
    for (root, output) in [("out", "-o out"), ("site", "--in-place")] {
        dir.relink(&format!("{line} {output}")).exits(0);
        let modes = ["x/y", "x/y/b"].map(|path| mode(&format!("{root}/{path}")));
        assert_eq!(modes, [0o700; 2], "{output}");
        assert_eq!(mode(&format!("{root}/d")), mode("site/d"), "{output}");
    }
}
