//! Shapes of JSON, each with the name of its file, and of pages with scripts that are data.

use super::{Shape, between, counted, flood};

/// Documents in JSON.
pub(crate) const FILES: &[(&str, Shape)] = &[
    ("x.jsonld", ("links on one line", |n| between("[", "{\"url\":\"x\"},", "0]", n))),
    ("x.jsonld", ("nested lists", |n| nested("[", "]", n))),
    ("x.jsonld", ("nested nodes", |n| nested("{\"url\":[{\"a\":", "}]}", n))),
    ("x.jsonld", ("nested contexts", |n| nested("{\"@context\":", "}", n))),
    ("x.jsonld", ("lists that are never closed", |n| flood("[", n))),
    ("x.jsonld", ("lines, and then no JSON", |n| between("[", "0,\n", "", n))),
    ("x.jsonld", ("escapes", |n| between("{\"url\":\"", "\\/\\u00e9", "\"}", n))),
    ("x.jsonld", ("halves of surrogate pairs", |n| between("{\"url\":\"", "\\ud83d", "\"}", n))),
    (
        "x.jsonld",
        ("a base at the end", |n| {
            between("[", "{\"url\":\"x\"},", "{\"@context\":{\"@base\":\"x\"}}]", n)
        }),
    ),
    (
        "x.importmap",
        ("names by the million", |n| {
            counted(
                "{\"imports\":{",
                |idx| format!("\"./a{idx}\":\"./b{idx}\","),
                "\"a\":null}}",
                n,
            )
        }),
    ),
    (
        "x.importmap",
        ("scopes", |n| between("{\"scopes\":{", "\"a/\":{\"b\":\"./c\"},", "\"\":{}}}", n)),
    ),
    ("manifest.json", ("what is not followed", |n| nested("{\"a\":[", "]}", n))),
    ("manifest.json", ("one string", |n| between("{\"scope\":\"", "a/", "\"}", n))),
    ("manifest.json", ("icons", |n| between("{\"icons\":[", "{\"src\":\"a\"},", "{}]}", n))),
    (
        "speculation-rules.json",
        ("rules for documents", |n| {
            between(
                "{\"prefetch\":[",
                "{\"urls\":[\"a\"],\"relative_to\":\"document\"},",
                "{}]}",
                n,
            )
        }),
    ),
    (
        "speculation-rules.json",
        ("conditions", |n| {
            let inner = nested("{\"not\":", "}", n);
            [b"{\"prefetch\":[{\"where\":", &*inner, b"}]}"].concat()
        }),
    ),
    (
        "feed.json",
        ("HTML", |n| {
            between("{\"items\":[{\"content_html\":\"", "\\u003ca href=\\\"x\\\">", "\"}]}", n)
        }),
    ),
];

/// Source maps.
pub(crate) const MAPS: &[(&str, Shape)] = &[
    ("x.js.map", ("sources", |n| between("{\"sources\":[", "\"../a.ts\",", "null]}", n))),
    (
        "x.css.map",
        ("sources with contents", |n| {
            let half = |start: &str, unit: &str| between(start, unit, "null]", n / 2);
            let (sources, contents) =
                (half("{\"sources\":[", "\"a\","), half(",\"sourcesContent\":[", "\"b\","));
            [&*sources, &*contents, b"}"].concat()
        }),
    ),
    (
        "x.js.map",
        ("one root of sources", |n| {
            between("{\"sourceRoot\":\"", "\\u0061/", "\",\"sources\":[\"b\"]}", n)
        }),
    ),
    (
        "x.js.map",
        ("roots of sources", |n| between("{", "\"sourceRoot\":\"a/\",", "\"sources\":[\"b\"]}", n)),
    ),
    (
        "x.mjs.map",
        ("maps in maps", |n| {
            nested("{\"sections\":[{\"map\":{\"sources\":[\"a\"],\"b\":", "}}]}", n)
        }),
    ),
];

/// Pages with scripts that are data.
pub(crate) const PAGES: &[Shape] = &[
    ("scripts of linked data", |n| {
        flood("<script type=application/ld+json>{\"url\":\"x\"}</script>\n", n)
    }),
    ("scripts that are no JSON", |n| flood("<script type=importmap>{</script>\n", n)),
    ("comments in a script of data", |n| {
        between("<script type=importmap>{\"a\":\"<!--", "<script></script ", "\"}</script>", n)
    }),
    ("scripts of data with comments", |n| {
        flood("<script type=importmap>{\"a\":\"<!--<script></script x\"}</script></script>", n)
    }),
];

/// So many levels, with a number at the bottom.
fn nested(open: &str, close: &str, n: usize) -> Vec<u8> {
    let n = n / (open.len() + close.len());
    [open.repeat(n), "0".to_owned(), close.repeat(n)].concat().into_bytes()
}
