//! What relink does not read or change, although the user may mean it, is said after a move and
//! after renames; and what the renames of a migration have in their lists.

use crate::dir::TestDir;

fn share() -> TestDir {
    TestDir::with(&[
        ("site/index.html", "<a href=docs/a.html>A</a>\n"),
        ("site/docs/a.html", "<a href=../index.html>up</a>\n"),
        ("site/guide.adoc", "First.\n\nSee xref:docs/a.html[A] and <<x>>.\n"),
        ("site/docs/b.rst", "`A <./a.html>`_\n"),
        ("site/docs/c.tex", "\\href{http://old.example/docs/a.html}{A}\n"),
        ("site/wiki.md", "[[a|The page]]\n"),
        ("site/other.org", "[[file:docs/aa.html]] x/a.html a.html\n"),
        ("site/binary.dat", "docs/a.html\0"),
        ("site/letter.doc", "PK\u{3}\u{4}"),
        ("site/sheet.xls", "PK\u{3}\u{4}"),
        ("site/paper.pdf", "%PDF-1.7\n"),
        ("site/old.tar", "x"),
    ])
}

const HAND: &str = "and is not read; correct it by hand";

#[test]
fn files_that_are_not_read_and_mention_what_is_renamed() {
    let command = "mv --tree site --also markdown site/docs/a.html site/docs/new.html";
    let dir = share();
    let run = dir.relink(command).exits(0);
    for text in [
        "site/docs/b.rst:1 contains ./a.html",
        "site/docs/c.tex:1 contains docs/a.html",
        "site/guide.adoc:3 contains docs/a.html",
        "site/wiki.md:1 contains a",
    ] {
        assert!(run.has_line(&format!("hint: {text}, {HAND}")), "{text}{run}");
    }
    assert_eq!(run.stderr.matches(HAND).count(), 4, "{run}");
    assert!(run.has_line("hint: 2 Office files were not read; links in them stay as they are"));
    assert!(run.has_line("hint: 1 PDF file was not read; links in them stay as they are"));
    assert!(run.has_line("hint: 1 archive was not read; links in them stay as they are"));
    let dir = TestDir::with(&[("site/d/e/index.html", ""), ("site/x.adoc", "See link:d/e/[E].\n")]);
    let run = dir.relink("mv --tree site site/d/e site/d/f").exits(0);
    assert!(run.has_line(&format!("hint: site/x.adoc:1 contains d/e, {HAND}")), "{run}");
    dir.relink("undo site -q").exits(0);
    dir.relink("mv --tree site site/d/e site/d/f --strict").exits(1);
    let dir = share();
    dir.file("list.tsv", "docs/a.html\tdocs/new.html\n");
    let list = "move site --base http://old.example/ --renames list.tsv --rename-files -n";
    dir.relink(list).exits(0);
    dir.relink(&format!("{list} --strict")).exits(1);
    let dir = TestDir::with(&[("site/index.html", "<a href=a.html>"), ("site/a.html", "")]);
    dir.file("list.tsv", "a.html\tb.html\n");
    dir.relink(&format!("{list} --strict")).exits(0);
}

#[test]
fn files_that_are_not_read_and_mention_the_old_root() {
    let dir = share();
    dir.file("site/x.adoc", "http://OLD.example/docs, https://old.example.org/docs");
    for number in 0..30 {
        dir.file(format!("site/many/{number}.org"), "\nhttps://old.example/docs/\n");
    }
    let run = dir
        .relink("move site --from http://old.example/docs/ --to http://new.example/ -o out")
        .exits(0);
    assert!(run.has_line(&format!("hint: site/many/0.org:2 contains old.example/docs, {HAND}")));
    assert_eq!(run.stderr.matches(HAND).count(), 20, "{run}");
    assert!(run.has_line("hint: 12 more files that are not read contain such text"), "{run}");
}

#[test]
fn a_folder_of_office_files_is_not_silently_done() {
    let dir = TestDir::with(&[("share/a.doc", "PK\u{3}\u{4}"), ("share/b.doc", "PK\u{3}\u{4}")]);
    let run = dir.relink("move share --from file:///S:/ --to https://h/ -n --strict").exits(1);
    assert!(run.has_line("hint: 2 Office files were not read; links in them stay as they are"));
}

#[test]
fn files_of_types_that_are_not_supported_count_if_strict() {
    let dir = TestDir::with(&[("site/a.html", "<a href=b.html>"), ("site/b.html", "")]);
    dir.file("site/x.har", "{}");
    let commands = ["relativize site --base http://h/ -n", "absolutize site --base http://h/ -n"];
    for command in
        [&commands[..], &["refs site --base http://h/", "bases site --base http://h/"]].concat()
    {
        dir.relink(command).exits(0);
        let run = dir.relink(&format!("{command} --strict")).exits(1);
        assert!(
            run.has_line("hint: 1 HAR file was not read, site/x.har; convert it to WARC"),
            "{run}"
        );
        dir.relink(&format!("{command} --strict --exclude *.har")).exits(0);
    }
}

#[test]
fn a_list_may_have_the_urls_of_the_new_site() {
    let dir = TestDir::with(&[
        ("site/a.html", "<a href=b.html>b</a> <a href=/docs/>d</a>\n"),
        ("site/b.html", ""),
        ("site/docs/index.html", ""),
        ("list.csv", "/b.html,https://new.example/x/c.html\n/docs/,https://new.example/x/guide/\n"),
    ]);
    let command = "move site --from http://old.example/ --to https://new.example/x/ --renames list.csv --rename-files";
    dir.relink(&format!("{command} -o out -q --redirects csv=r.csv")).exits(0);
    assert_eq!(dir.text("out/a.html"), "<a href=c.html>b</a> <a href=guide/>d</a>\n");
    assert!(dir.has("out/c.html") && dir.has("out/guide/index.html"));
    assert!(dir.text("r.csv").contains("http://old.example/b.html,https://new.example/x/c.html\n"));
    // A site elsewhere is not the new one.
    dir.file("list.csv", "/b.html,https://else.example/c.html\n");
    dir.relink(&format!("{command} -o other -q")).exits(2);
}

#[test]
fn redirects_of_moved_files() {
    let dir = share();
    let command = "mv --tree site site/docs/a.html site/docs/new.html -q";
    let run = dir.relink(&format!("{command} --redirects netlify=_redirects")).exits(2);
    assert!(run.stderr.contains("use `--base URL`"), "{run}");
    dir.relink(&format!("{command} --base http://h/ --redirects netlify=_redirects")).exits(0);
    assert!(dir.text("_redirects").contains("\n/docs/a.html /docs/new.html 301!\n"));
}

#[test]
fn redirects_of_files_that_get_names_by_their_types() {
    let dir = TestDir::with(&[
        ("m/h.example/index.html", "<a href='item.php?id=1'>i</a> <a href=about>a</a>\n"),
        ("m/h.example/item.php?id=1", "<!doctype html><p>1\n"),
        ("m/h.example/about", "<!doctype html><p>a\n"),
    ]);
    let command = "relativize m --layout wget --for static-host --rename -o out -q";
    dir.relink(&format!("{command} --redirects netlify=r.txt --redirects csv=r.csv")).exits(0);
    assert_eq!(
        dir.text("r.csv"),
        "old,new\n\
         http://h.example/about,http://h.example/about.html\n\
         http://h.example/item.php?id=1,http://h.example/item-id-1.html\n"
    );
    assert!(dir.text("r.txt").contains("\n/item.php id=1 /item-id-1.html 301!\n"));
}

/// One page has links to every name that a site may have, of which browsers find the same files.
#[test]
fn other_names_of_the_tree_are_counted_and_named() {
    let page = "<a href=http://old.example/s/1><a href=https://old.example/s/2>\
        <a href=https://old.example/s/2#x><img src=//www.old.example/s/3>\
        <a href=http://old.example:443/s/4><a href=http://old.example./s/5>\
        <a href=https://old.example/other><a href=https://old.example:8080/s/6>\n";
    let others = [
        ("http://old.example./s/", "1 URL"),
        ("http://old.example:443/s/", "1 URL"),
        ("http://www.old.example/s/", "1 URL"),
        ("https://old.example/s/", "1 URL"),
    ];
    for command in [
        "move site --from http://old.example/s/ --to http://new.example/ -n",
        "relativize site --base http://old.example/s/ -n",
        "relativize site --base http://old.example/s/ --for file -n",
        "mv --tree site --base http://old.example/s/ site/b.html site/c.html -n",
        "move site --base http://old.example/s/ --renames list.tsv --rename-files -n",
    ] {
        let dir = TestDir::with(&[("site/a.html", page), ("site/b.html", "")]);
        dir.file("list.tsv", "b.html\tc.html\n");
        let run = dir.relink(command).exits(0);
        for (name, urls) in others {
            let hint = format!(
                "hint: references point to {urls} below {name}, which is not in the tree; use `--same-as {name}` if it is another name of the tree"
            );
            assert!(run.has_line(&hint), "{hint}{run}");
        }
        assert_eq!(run.stderr.matches("use `--same-as").count(), others.len(), "{run}");
        dir.relink(&format!("{command} --strict")).exits(1);
        // With these options nothing is left to say.
        let options = others.map(|(name, _)| format!("--same-as {name}")).join(" ");
        let run = dir.relink(&format!("{command} {options} --strict"));
        assert!(!run.stderr.contains("use `--same-as"), "{run}");
    }
    // What has moved before is not another name.
    let dir = TestDir::with(&[("site/a.html", "<a href=https://old.example/s/>")]);
    let run = dir.relink("move site --from http://old.example/ --to https://old.example/ -n");
    assert!(!run.exits(0).stderr.contains("--same-as https"));
}

#[test]
fn a_check_without_documents_is_no_verdict() {
    let dir = TestDir::with(&[("site/a.png", "PNG"), ("archive/a.zip", "PK\u{3}\u{4}")]);
    let run = dir.relink("check site").exits(2);
    assert!(run.has_line_with("error: nothing was checked; "), "{run}");
    dir.relink("check site --include *.html").exits(2);
    // What could be in an archive is named by a hint, and was not checked.
    let run = dir.relink("check archive").exits(2);
    assert!(run.has_line_with("hint: 1 zip file was not read, archive/a.zip; "), "{run}");
    dir.relink("check site --stale http://old.example/").exits(0);
}

#[test]
fn a_check_whose_reader_has_gone_ends_with_its_verdict() {
    let page: String = (0..20_000).map(|number| format!("<a href={number}.html>x</a>\n")).collect();
    let dir = TestDir::with(&[("site/a.html", &page), ("site/z.html", "<a href=none.html>")]);
    let run = |command: &str| {
        let script = format!("set -o pipefail; \"$0\" {command} | head -1");
        let shell = std::process::Command::new("bash")
            .args(["-c", &script, env!("CARGO_BIN_EXE_relink")])
            .current_dir(dir.path("."))
            .output();
        shell.map(|output| (output.status.code(), output.stdout.len()))
    };
    if !crate::tools::has("bash", &["--version"]) {
        return;
    }
    for command in ["check site", "check site --format json", "check site --top 30000"] {
        let (status, length) = run(command).expect("it runs");
        assert!(status == Some(1) && length > 10, "{command}: {status:?}");
    }
    // A list ends without one.
    assert_eq!(run("refs site").expect("it runs").0, Some(0));
}

#[test]
fn what_check_takes_for_broken() {
    let dir = TestDir::with(&[
        ("site/a.html", "<a href=x:y>x</a> <a href='C:/a.html'>C</a> <script src=a.js></script>\n"),
        ("site/a.js", "//# sourceMappingURL=a.js.map\n"),
        ("site/a.js.map", r#"{"version":3,"sources":["../src/a.ts"],"mappings":""}"#),
    ]);
    let run = dir.relink("check site -q").exits(1);
    assert!(run.text().contains("C:/a.html: it points to a file on this machine"), "{run}");
    assert_eq!(run.text().lines().count(), 1, "{run}");
    let run = dir.relink("check site -q --only sourcemap").exits(1);
    assert!(run.text().contains("../src/a.ts"), "{run}");
}

#[test]
fn what_httrack_left_without_a_host_is_named() {
    let note = "<!-- Mirrored from h.example/index.html by HTTrack Website Copier/3.x [XR&CO'2014], Sat -->";
    let page = format!("<html>\n{note}\n<a href='http://./sub.html'>s</a> <a href=b.html>b</a>\n");
    let dir = TestDir::with(&[
        ("m/h.example/index.html", &page),
        ("m/h.example/b.html", "<a href=http://./sub.html#x>s</a>\n"),
        ("m/hts-cache/new.txt", ""),
    ]);
    let hint = "hint: references point to 1 URL without a host, such as http://./sub.html, which HTTrack writes for pages that it did not save; correct them by hand";
    for command in [
        "relativize m --layout httrack --for file -n",
        "relativize m --layout httrack -n",
        "relativize m --map m/h.example=http://h.example/ -n",
        "absolutize m --layout httrack -n",
        "absolutize m/h.example --base http://h.example/ -n",
        "move m/h.example --from http://h.example/ --to http://i.example/ -n",
        "mv --tree m/h.example m/h.example/b.html m/h.example/c.html -n",
        "refs m --layout httrack",
    ] {
        let run = dir.relink(command).exits(0);
        assert_eq!(run.stderr.matches(hint).count(), 1, "{command}{run}");
        dir.relink(&format!("{command} --strict -q")).exits(1);
    }
    let run = dir.relink("check m --layout httrack -q").exits(1);
    assert_eq!(run.text().matches("no server has the host `.`").count(), 2, "{run}");
}

#[test]
fn renames_that_were_never_met_count_if_strict() {
    let dir = TestDir::with(&[("site/index.html", "<a href=a.html>"), ("site/a.html", "")]);
    dir.file("list", "a.html\tb.html\nnone.html\tx.html\n");
    let line = "move site --base http://h/ --renames list --rename-files -n";
    let report = "list:2: none.html was never met; no file and no reference has this name";
    assert!(dir.relink(line).exits(0).has_line(report));
    dir.relink(&format!("{line} --strict")).exits(1);
    dir.file("list", "a.html\tb.html\n");
    dir.relink(&format!("{line} --strict")).exits(0);
}

#[test]
fn patterns_of_servers_that_name_what_is_renamed() {
    let dir = TestDir::with(&[
        ("site/index.html", "<a href=/posts/one/>1</a>\n"),
        ("site/posts/one/index.html", ""),
        ("site/_redirects", "/posts/one/ /elsewhere/\n/old /posts/one/ 301\n"),
        ("site/_headers", "/posts/one/*\n  X-Frame-Options: DENY\n"),
        ("site/robots.txt", "User-agent: *\nDisallow: /posts/one\n"),
    ]);
    let run = dir.relink("mv --tree site site/posts/one site/posts/first -n --strict").exits(1);
    for text in ["_redirects:2 contains /posts/one/", "_headers:1 contains /posts/one/*"] {
        assert!(run.has_line(&format!("hint: site/{text}, {HAND}")), "{text}{run}");
    }
    assert!(run.has_line(&format!("hint: site/robots.txt:2 contains /posts/one, {HAND}")), "{run}");
    dir.relink("mv --tree site site/index.html site/x.html -n --strict").exits(0);
}

#[test]
fn tags_of_templates_that_name_what_is_renamed() {
    let dir = TestDir::with(&[
        ("s/content/posts/a.md", "[b](b.md)\n[c]({{< ref \"b.md\" >}})\n"),
        ("s/content/posts/b.md", "b\n"),
        ("s/d.md", "{{ x }} [b]({% link content/posts/b.md %})\n"),
        ("s/e.md", "{{< ref \"b.md\" >}} {{ b.md {% bb.md %}\n"),
    ]);
    let run = dir.relink("mv --tree s s/content/posts/b.md s/content/posts/new.md").exits(0);
    assert!(run.has_line(&format!("hint: s/content/posts/a.md:2 contains b.md, {HAND}")), "{run}");
    assert!(run.has_line(&format!("hint: s/d.md:1 contains content/posts/b.md, {HAND}")), "{run}");
    assert_eq!(run.stderr.matches(HAND).count(), 2, "{run}");
    assert!(dir.text("s/content/posts/a.md").starts_with("[b](new.md)\n"));
}
