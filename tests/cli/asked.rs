//! What is read only on request: `--also ssi`, `--also js-modules`, attributes by name and groups
//! of them.

use crate::dir::TestDir;

const PAGE: &str = "<!--#include virtual=\"/x\" --><!--#include file=\"y\" --><script type=module>import './z'</script>\n";
const MODULE: &str =
    "import './a.js'; export * from \"../b.js\"; import 'react'; import('./c.js')\n";

fn site() -> TestDir {
    TestDir::with(&[("site/d/p.shtml", PAGE), ("site/d/m.js", MODULE), ("site/d/n.mjs", MODULE)])
}

#[test]
fn nothing_of_it_by_default() {
    let dir = site();
    let run = dir.relink("refs site --base http://h/").exits(0).prints("");
    assert!(run.has_line_with("hint: pages contain server-side includes"), "{run}");
    dir.relink("absolutize site -o out -q --base http://h/").exits(0);
    assert!(dir.tree("site") == dir.tree("out"));
}

#[test]
fn includes() {
    let dir = site();
    let refs =
        dir.relink("refs site --also ssi --format json --base http://h/").exits(0).reports("");
    let report: Vec<_> = crate::refs::lines(refs.text())
        .into_iter()
        .map(|line| (line.slot, line.kind, line.text, line.target))
        .collect();
    let report: Vec<_> = report
        .iter()
        .map(|(slot, kind, text, target)| (&**slot, &**kind, &**text, target.as_deref()))
        .collect();
    assert_eq!(
        report,
        [("ssi virtual", "url", "/x", Some("http://h/x")), ("ssi file", "file", "y", None)]
    );
    dir.relink("absolutize site -o out -q --also ssi --base http://h/").exits(0);
    assert!(dir.tree("site") == dir.tree("out"), "they have no host");
    dir.relink("relativize site -o back -q --also ssi --base http://h/").exits(0);
    assert_eq!(dir.text("back/d/p.shtml"), PAGE.replace("/x", "../x"));
    // On a disk nobody includes anything.
    dir.relink("relativize site -o disk -q --also ssi --for file --missing keep --base http://h/")
        .exits(0);
    assert_eq!(dir.text("disk/d/p.shtml"), PAGE);
}

#[test]
fn modules() {
    let dir = site();
    dir.relink("absolutize site -o out -q --also js-modules --base http://h/").exits(0).reports("");
    let expected = "import 'http://h/d/a.js'; export * from \"http://h/b.js\"; import 'react'; import('http://h/d/c.js')\n";
    assert_eq!(dir.text("out/d/m.js"), expected);
    assert_eq!(dir.text("out/d/n.mjs"), expected);
    assert_eq!(dir.text("out/d/p.shtml"), PAGE.replace("./z", "http://h/d/z"));
    dir.relink("relativize out -o back -q --also js-modules --base http://h/").exits(0).reports("");
    assert_eq!(dir.text("back/d/m.js"), MODULE);
    assert_eq!(dir.text("back/d/p.shtml"), PAGE);
    dir.relink("absolutize site -o some -q --also js-modules --skip js --base http://h/").exits(0);
    assert!(dir.tree("site") == dir.tree("some"), "excluded by options");
    let piped = dir.pipe(
        "absolutize - -q --also js-modules --type application/javascript --base http://h/d/m",
        b"import './x'",
    );
    piped.exits(0).prints("import 'http://h/d/x'");
}

/// What cannot be read with certainty is copied, and reported; it counts under `--strict`.
#[test]
fn what_is_left() {
    let dir = TestDir::with(&[
        ("m.js", "import './x'; '"),
        ("p.shtml", "<!--#include virtual=\"//x\" -->"),
    ]);
    let run = dir.relink("absolutize m.js -o - -q --also js-modules --base http://h/m.js").exits(0);
    run.prints("import './x'; '");
    dir.relink("absolutize m.js -o - -q --strict --also js-modules --base http://h/m.js").exits(1);
    let run = dir.relink("absolutize p.shtml -o - -v --also ssi --base http://h/p.shtml").exits(0);
    assert!(run.stderr.contains("the server-side include is ambiguous"), "{}", run.stderr);
}

#[test]
fn check_finds_what_modules_and_includes_need() {
    let dir = site();
    let run = dir.relink("check site --also ssi,js-modules --base http://h/").exits(1);
    for missing in ["/x", "./a.js", "../b.js", "./c.js", "./z"] {
        assert!(run.text().contains(missing), "{missing} of {}", run.text());
    }
    assert!(!run.text().contains("react"));
}

#[test]
fn attributes_of_lazy_loaders_and_of_htmx() {
    let page = |from: &str| {
        format!(
            "<img data-src=\"{from}a\" data-srcset=\"{from}b 1x\"><p data-bg=\"url({from}c)\" hx-get=\"{from}d\" hx-push-url=\"true\">"
        )
    };
    let dir = TestDir::with(&[("a.html", &page(""))]);
    let line = "absolutize a.html --base http://h/a.html -o - -q";
    dir.relink(line).exits(0).reports("").prints(page(""));
    dir.relink(&format!("{line} --also lazy,htmx")).exits(0).reports("").prints(page("http://h/"));
    let json = "<p data-bg='{\"a\": \"b\"}'>";
    let dir = TestDir::with(&[("a.html", json)]);
    let message = "a.html:1:13: embedded document skipped; JSON in attributes is unsupported\n";
    let run = dir.relink("absolutize a.html --base http://h/ -o - --also data-bg").exits(0);
    assert_eq!(run.text(), json);
    assert!(run.stderr.starts_with(message), "{run}");
}
