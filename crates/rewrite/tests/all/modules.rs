//! ECMAScript modules: the specifiers of `import`, `export`, and `import()`, and texts that are not
//! specifiers (ECMA-262, sections 13.3.10 and 16.2; HTML standard, section 8.1.6). They are read
//! only with an option.

use std::collections::BTreeSet;

use layers::Span;
use relink_rewrite::{Media, Options, Outcome, Relative, SLOTS, SkipReason};
use urlcore::Style;

use crate::listing::{self, at_url, enabling, make_absolute, make_relative, unit};

fn options() -> Options {
    enabling(&["js-modules"])
}

/// Asserts the references of a script with a `⟦` and a `⟧` around each of them, which are removed
/// first; `expected` are their slots, in order.
#[track_caller]
fn check(marked: &str, expected: &[&str]) {
    let (mut script, mut spans) = (String::new(), Vec::new());
    for (idx, piece) in marked.split('⟦').enumerate() {
        let (reference, rest) = match idx {
            0 => ("", piece),
            _ => piece.split_once('⟧').unwrap_or((piece, "")),
        };
        let start = script.len();
        script.push_str(reference);
        if idx > 0 {
            spans.push(Span::new(start, script.len()));
        }
        script.push_str(rest);
    }
    let (found, report) =
        listing::list(unit(script.as_bytes(), Media::SCRIPT, &at_url()), &options());
    assert_eq!(report.skipped, [], "{script:?}");
    let slots: Vec<&str> = found.iter().map(|found| &*found.slot).collect();
    assert_eq!(slots, expected, "{script:?}");
    let got: Vec<Span> = found.iter().map(|found| found.span).collect();
    assert_eq!(got, spans, "{script:?}");
}

/// Asserts one static import of `./x`, wherever it is marked.
#[track_caller]
fn one(marked: &str) {
    check(marked, &["js import"]);
}

/// Asserts that the script is skipped.
#[track_caller]
fn check_skipped(script: &str) {
    let (found, report) =
        listing::list(unit(script.as_bytes(), Media::SCRIPT, &at_url()), &options());
    assert_eq!(found, [], "{script:?}");
    let reasons: Vec<SkipReason> = report.skipped.iter().map(|skipped| skipped.reason).collect();
    assert_eq!(reasons, [SkipReason::Script], "{script:?}");
}

/// Asserts the references of a document.
#[track_caller]
fn check_html(document: &str, expected: &[&str]) {
    let (found, report) =
        listing::list(unit(document.as_bytes(), Media::HTML, &at_url()), &options());
    assert_eq!(report.skipped, [], "{document:?}");
    assert_eq!(listing::shown(&found), expected, "{document:?}");
}

#[test]
fn imports() {
    one("import x from '⟦./x⟧'");
    one("import '⟦./x⟧'");
    one("import\"⟦./x⟧\";");
    one("import{a}from'⟦./x⟧'");
    one("import * as a from '⟦/x⟧';");
    one("import a, {b as c, default as d} from '⟦../x⟧';");
    one("import a, * as b from \"⟦https://h/x⟧\"");
    one("import {from} from '⟦./x⟧'; import from, {as} from 'from'");
    one("import {'a-b' as c, \"from\" as from} from '⟦./x⟧'");
    one("import {} from '⟦./x⟧'");
    one("import/**/x/*'y'*/from//'z'\n'⟦./x⟧'");
    one("import x from '⟦./x.json⟧' with {type: 'json'}");
    one("import x from '⟦./x.json⟧' assert {type: \"json\"}\n/'/.test(1)");
    one("import x from '⟦./x⟧'\nassert({a: 1})");
    one("import defer * as x from '⟦./x⟧'; import source y from 'y'");
    one("#!/usr/bin/env './y'\nimport x from '⟦./x⟧'");
    one("a.b()\nimport x from '⟦./x⟧'");
    one("'use strict';import x from '⟦./x⟧'");
}

#[test]
fn exports() {
    check("export * from '⟦./x⟧'", &["js export"]);
    check("export * as ns from '⟦./x⟧'; export * as 'a b' from \"⟦./y⟧\"", &["js export"; 2]);
    check("export {a, b as c, d as 'e'} from '⟦./x⟧'", &["js export"]);
    check("export {}\nfrom\n'⟦./x⟧'", &["js export"]);
    check("export {a, b}; '/x'", &[]);
    check("export {a}\nimport '⟦./x⟧'", &["js import"]);
    check(
        "export default './x'; export const a = './y'; export function f() { return './z' }",
        &[],
    );
    check("export {x as from}; './x'", &[]);
}

#[test]
fn dynamic_imports() {
    let slot = "js import()";
    check("import('⟦./x⟧')", &[slot]);
    check("a(() => import(\"⟦/x⟧\"))", &[slot]);
    check("if (a) { await import ( /* x */ '⟦./x⟧' , {with: {type: 'json'}} ) }", &[slot]);
    check("`${import('⟦./x⟧')}`", &[slot]);
    // The value of anything but one string is unknown.
    check("import('./x' + y); import(`./x`); import(x); import((('./x')))", &[]);
    check("a.import('./x'); a?.import('./x'); a.#import('./x')", &[]);
    check("import.meta.resolve('./x'); new URL('./x', import.meta.url)", &[]);
    check("class A { import(a = './x') {} } b = {import: './x', import(c) {}}", &[]);
}

/// HTML standard 8.1.6.2: others are names, which an import map resolves.
#[test]
fn specifiers_that_are_urls() {
    for name in [
        "react",
        "@scope/x",
        "x.js",
        "x/y",
        "#internal",
        "?x",
        "",
        ".",
        "..",
        ".x",
        ".\\\\x",
        " ./x",
        "\\t/x",
        "https:x",
    ] {
        check(&format!("import '{name}'"), &[]);
    }
    for url in [
        "./x",
        "../x",
        "/x",
        "//h/x",
        "https://h/x",
        "node:fs",
        "data:text/javascript,1",
        ".\\x2fx",
        "\\u002e/x",
    ] {
        one(&format!("import '⟦{url}⟧'"));
    }
}

#[test]
fn what_is_none() {
    check("'import x from \"./x\"'; `import x from './x'`; /import '.\\/x'/", &[]);
    check("// import './x'\n/* import './x' */ a = {from: './x'}", &[]);
    check("im\\u0070ort('./x')", &[]);
    check("require('./x'); define(['./x'], f); importScripts('./x')", &[]);
    check("importx('./x'); ximport('./x'); $import('./x'); éimport('./x'); import$('./x')", &[]);
    check("{ importé('./x') } a.import\n('./x')", &[]);
}

#[test]
fn uncertain_scripts_are_skipped() {
    for script in [
        "import x from './x'; '",
        "import './x'; \"a\n\"",
        "import './x'; `",
        "import './x'; `${",
        "import './x'; /*",
        "import './x'; (",
        "import './x'; )",
        "import './x'; (]",
        "import './x'; {",
        "import './x'; `${)}`",
        "import './x'; a = /b",
        "import './x'; a = /[/]\n",
        "import x './x'",
        "import x = require('./x')",
        "import {x} './x'",
        "import '\\8'",
        "import '\\u{110000}'",
        "export * as from './x'",
        "import from './x'",
        "import './x'; <!-- a",
        "import './x'\n--> a",
        "import './x' with {type: 1}",
    ] {
        check_skipped(script);
    }
    // The meaning of the slash is uncertain.
    check_skipped("import './x'; a = () => {}\n/'/");
}

/// Scripts that are hard to read: the meaning of each slash decides which text is a string.
#[test]
fn slashes() {
    for script in [
        "a = b / c; d = '/'; import '⟦./x⟧' // e'",
        "a = b\n/c/g; '/'; import '⟦./x⟧'",
        "a = /'/; import '⟦./x⟧'",
        "a = /[/']/u; import '⟦./x⟧'",
        "a = /\\/'/.test(b) / 2; import '⟦./x⟧'",
        "a = b++ / 2; c = '/'; import '⟦./x⟧'",
        "b\n++/'/.lastIndex; import '⟦./x⟧'",
        "a = (b) / 2; c = '/'; import '⟦./x⟧'",
        "if (b) /'/.test(c); import '⟦./x⟧'",
        "while (b) /'/.test(c); import '⟦./x⟧'",
        "for (const b of /'/[Symbol.split](c)); import '⟦./x⟧'",
        "for (const of of [1]) of / 2; '/'; import '⟦./x⟧'",
        "for await (const b of c) /'/.test(b); import '⟦./x⟧'",
        "a.if(b) / 2; '/'; import '⟦./x⟧'",
        "a?.while(b) / 2; '/'; import '⟦./x⟧'",
        "do /'/.test(a); while (b) /'/.test(c); import '⟦./x⟧'",
        "if (a) b; else /'/.test(c); import '⟦./x⟧'",
        "a = [] / 2; '/'; import '⟦./x⟧'",
        "a = {} / 2; '/'; import '⟦./x⟧'",
        "{} /'/.test(a); import '⟦./x⟧'",
        "a: {} /'/.test(a); import '⟦./x⟧'",
        "if (a) {} /'/.test(a); import '⟦./x⟧'",
        "function f() {} /'/.test(a); import '⟦./x⟧'",
        "async function f() {} /'/.test(a); import '⟦./x⟧'",
        "function* f() { yield /'/; } /'/.test(a); import '⟦./x⟧'",
        "a = function () {} / 2; '/'; import '⟦./x⟧'",
        "a = async function f() {} / 2; '/'; import '⟦./x⟧'",
        "class A {} /'/.test(a); import '⟦./x⟧'",
        "class A extends B {} /'/.test(a); import '⟦./x⟧'",
        "class A extends f({}) { m() {} static { /'/ } n = /'/ } /'/.test(a); import '⟦./x⟧'",
        "a = class {} / 2; '/'; import '⟦./x⟧'",
        "a = class B extends class {} {} / 2; '/'; import '⟦./x⟧'",
        "export default function () {} /'/.test(a); import '⟦./x⟧'",
        "export default async function () {} /'/.test(a); import '⟦./x⟧'",
        "export default class {} /'/.test(a); import '⟦./x⟧'",
        "export default {} / 2; '/'; import '⟦./x⟧'",
        "export default /'/; import '⟦./x⟧'",
        "switch (a) { case /'/: b; default: /'/ } /'/.test(c); import '⟦./x⟧'",
        "switch (a) { case b ? c : d: {} /'/.test(e) } import '⟦./x⟧'",
        "a = b ? {} / 2 : {} / 2; '/'; import '⟦./x⟧'",
        "a = {b: {} / 2, c: '/'}; import '⟦./x⟧'",
        "a = {get b() { return /'/ }, ['c']() {}, async *d() {}}; import '⟦./x⟧'",
        "(() => { return /'/ })() / 2; '/'; import '⟦./x⟧'",
        "() => /'/; import '⟦./x⟧'",
        "function f() { return\n/'/ } import '⟦./x⟧'",
        "for (;;) { break\n/'/ } import '⟦./x⟧'",
        "typeof /'/; void /'/; a in /'/; a instanceof /'/; throw /'/; import '⟦./x⟧'",
        "a.typeof / 2; '/'; a.return / 2; '/'; import '⟦./x⟧'",
        "this / 2; '/'; null / 2; '/'; import '⟦./x⟧'",
        "1 / 2; '/'; 1. / 2; '/'; .5 / 2; '/'; 1e+5 / 2; '/'; 0x1e / 2; '/'; 1n / 2; '/'; import '⟦./x⟧'",
        "1..a / 2; '/'; a?.5 : /'/; import '⟦./x⟧'",
        "`a` / 2; '/'; `${a}` / 2; '/'; `${ {a: `${/'/}`}.a / 2 }'`; import '⟦./x⟧'",
        "`\\`'${'}'}$\\{'`; import '⟦./x⟧'",
        "a => a / 2; '/'; import '⟦./x⟧'",
        "a ?? /'/; a || /'/; a ? /'/ : /'/; import '⟦./x⟧'",
        "a = b /* ' */ / c; '/'; import '⟦./x⟧'",
        "a = b // '\n/ c; '/'; import '⟦./x⟧'",
        "try {} catch {} /'/.test(a); try {} catch (e) {} finally {} /'/.test(a); import '⟦./x⟧'",
        "new Foo / 2; '/'; new.target / 2; '/'; import.meta / 2; '/'; import '⟦./x⟧'",
        "import '⟦./x⟧'\n/'/.test(a)",
        "export {a}\n/'/.test(a); import '⟦./x⟧'",
        "a\u{A0}/\u{2003}b; '/'; import '⟦./x⟧'",
        "a = 'b\u{2028}'; // '\u{2029}import '⟦./x⟧'",
        "a = 'b\\\r\n\\'c'; import '⟦./x⟧'",
        "async\nfunction f() {} /'/.test(a); import '⟦./x⟧'",
        "a\nfunction f() {} /'/.test(a); import '⟦./x⟧'",
        "a\nclass A {} /'/.test(a); import '⟦./x⟧'",
        "a = {class: 1, function: 2, b() {}}; { } /'/.test(a); import '⟦./x⟧'",
        "a = {if: b / 2, c: '/'}; import '⟦./x⟧'",
        "while (n --> 0) {} /'/.test(a); import '⟦./x⟧'",
    ] {
        one(script);
    }
}

#[test]
fn in_documents() {
    let import = "js import url ./x -> http://h/d/x";
    check_html("<script type=module>import './x'</script>", &[import]);
    check_html(
        "<script type=' Module '>import './x'</script><a href=y>",
        &[import, "a[href] url y -> http://h/d/y"],
    );
    check_html(
        "<base href=e/><script type=module>import './x'</script>",
        &["base[href] url e/ -> http://h/d/e/", "js import url ./x -> http://h/d/e/x"],
    );
    check_html(
        "<script>import('./x')</script><script type=text/javascript>import './x'</script>",
        &[],
    );
    check_html("<script type=application/json>{\"imports\": {\"a\": \"./x\"}}</script>", &[]);
    check_html(
        "<script type=module src=y>import './x'</script>",
        &["script[src] url y -> http://h/d/y"],
    );
    check_html("<svg><script type=module>import './x'</script></svg>", &[]);
    check_html("<iframe srcdoc=\"<script type=module>import './x'</script>\">", &[import]);
    check_html("<template><script type=module>import './x'", &[import]);
    assert_eq!(listing::html("<script type=module>import './x'</script>"), []);
}

#[track_caller]
fn check_absolute(media: Media, before: &str, after: &str) {
    let context = at_url();
    let rewritten = make_absolute(unit(before.as_bytes(), media, &context), &options());
    assert_eq!(
        String::from_utf8_lossy(&rewritten.into_output().unwrap_or_else(|| before.into())),
        after
    );
}

#[track_caller]
fn check_relative(relative: &Relative, media: Media, before: &str, after: &str) {
    let context = at_url();
    let output =
        make_relative(unit(before.as_bytes(), media, &context), &options(), relative).into_output();
    let output = output.unwrap_or_else(|| before.into());
    assert_eq!(String::from_utf8_lossy(&output), after);
    let again = make_relative(unit(&output, media, &context), &options(), relative);
    assert_eq!(again.into_output(), None, "a second run");
}

#[test]
fn absolute() {
    let check = |before: &str, after: &str| check_absolute(Media::SCRIPT, before, after);
    check(
        "import './x'; import('../y'); export * from \"/z\"; import 'w'",
        "import 'http://h/d/x'; import('http://h/y'); export * from \"http://h/z\"; import 'w'",
    );
    check("import '.\\x2fx'", "import 'http://h/d\\x2fx'");
    check(
        "import '//i/x'; import 'https://h/x'; import 'node:fs'",
        "import 'http://i/x'; import 'https://h/x'; import 'node:fs'",
    );
    check("import './x'; '", "import './x'; '");
    let check = |before: &str, after: &str| check_absolute(Media::HTML, before, after);
    check(
        "<script type=module>import './x'</script>",
        "<script type=module>import 'http://h/d/x'</script>",
    );
    check(
        "<meta charset=shift_jis><script type=module>import './x'</script>",
        "<meta charset=shift_jis><script type=module>import 'http://h/d/x'</script>",
    );
}

/// A relative specifier stays a URL: `x` would be a name.
#[test]
fn relative() {
    let site = Relative::default();
    let check = |before: &str, after: &str| check_relative(&site, Media::SCRIPT, before, after);
    check("import 'http://h/d/x'", "import './x'");
    check("import('http://h/d/e/x?y#z')", "import('./e/x?y#z')");
    check("export * from \"http://h/x\"", "export * from \"../x\"");
    check("import '/d/x'; import '/d/'; import '/'", "import './x'; import './'; import '../'");
    check("import 'http://h/d/x:y'", "import './x:y'");
    check("import 'http://h/d/p#x'", "import './p#x'");
    check(
        "import './x'; import '../d/x'; import 'x'; import 'node:fs'",
        "import './x'; import '../d/x'; import 'x'; import 'node:fs'",
    );
    check("import 'https://i/x'", "import 'https://i/x'");
    let style = |style| Relative::default().with_style(style);
    let before = "import './x'; import '/y'; import 'http://h/d/z'";
    check_relative(
        &style(Style::AbsolutePath),
        Media::SCRIPT,
        before,
        "import '/d/x'; import '/y'; import '/d/z'",
    );
    check_relative(
        &style(Style::Shortest),
        Media::SCRIPT,
        before,
        "import './x'; import '/y'; import './z'",
    );
    check_relative(
        &site,
        Media::HTML,
        "<base href=http://h/e/><script type=module>import './x'</script>",
        "<base href=\"\"><script type=module>import '../e/x'</script>",
    );
}

/// Browsers read modules as UTF-8, whatever charset is declared outside.
#[test]
fn charsets() {
    check("\u{FEFF}import '⟦./é⟧'", &["js import"]);
    let script = b"\xFF\xFE'\0i\0m\0";
    let (found, _) = listing::list(unit(script, Media::SCRIPT, &at_url()), &options());
    assert_eq!(found, []);
    // Invalid bytes stay.
    let script = b"// \xE9\nimport './\xFFx' // \xE9";
    let output = make_absolute(unit(script, Media::SCRIPT, &at_url()), &options()).into_output();
    assert_eq!(output.as_deref(), Some(&b"// \xE9\nimport 'http://h/d/\xFFx' // \xE9"[..]));
}

#[test]
fn every_row_of_the_table_was_met() {
    let document = b"<script type=module>import './x'; import('./x'); export * from './x'</script>";
    let (mut found, _) = listing::list(unit(document, Media::HTML, &at_url()), &options());
    let file = b"//# sourceMappingURL=x";
    found.extend(listing::list(unit(file, Media::SCRIPT, &at_url()), &options()).0);
    let met: BTreeSet<&str> = found
        .iter()
        .flat_map(|found| found.embedded.iter().chain([&found.slot]))
        .map(|name| &**name)
        .collect();
    let rows = SLOTS.iter().filter(|slot| slot.opt_in_name == Some("js-modules"));
    assert_eq!(met, rows.map(|slot| slot.name).collect());
}

#[test]
fn outcomes() {
    let script = b"import './x'; import '/d/p?y'; import 'z'";
    let context = at_url();
    let counts = make_absolute(unit(script, Media::SCRIPT, &context), &options()).report.counts;
    assert_eq!((counts.get(Outcome::Rewritten), counts.total()), (2, 2));
}

/// Text that would end the script is not written.
#[test]
fn guards() {
    for end in ["</script", "<script", "<!--"] {
        let url = format!("http://h/{end}/p");
        let context = basectx::Context::retrieval(url.parse().unwrap(), "test");
        let document = b"<script type=module>import './x'</script>";
        let rewritten = make_absolute(unit(document, Media::HTML, &context), &options());
        let output = String::from_utf8_lossy(rewritten.output().unwrap_or(document)).into_owned();
        let inner = output
            .strip_prefix("<script type=module>")
            .and_then(|rest| rest.strip_suffix("</script>"));
        assert!(inner.is_some_and(|inner| !inner.contains(end)), "{output}");
    }
}
