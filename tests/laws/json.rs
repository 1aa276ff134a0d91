//! Documents in JSON, as files and in scripts: white space, escapes, names that come twice, wrong
//! nesting, and some that are no JSON.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use rewrite::JsonType;

use super::generate::reference;
use crate::judge::Data;

/// Names that mean something somewhere.
const NAMES: &[&str] = &[
    "imports",
    "scopes",
    "integrity",
    "prefetch",
    "prerender",
    "urls",
    "where",
    "href_matches",
    "and",
    "not",
    "relative_to",
    "url",
    "image",
    "logo",
    "sameAs",
    "@id",
    "@graph",
    "@context",
    "@base",
    "@value",
    "name",
    "",
];

/// References that specifiers like.
const SPECIFIERS: &[&str] = &[
    "./x.mjs",
    "../y/",
    "/z",
    "./",
    "x",
    "lodash/",
    "http://o.example/z",
    ".\\/e",
    "./x:y",
    "//n.example/p/",
];

fn space() -> impl Strategy<Value = &'static str> {
    prop_oneof![6 => Just(""), 1 => Just(" "), 1 => Just("\n\t"), 1 => Just("\r\n")]
}

/// A string with its quotes, some characters escaped.
fn string(text: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    (text, 0..6u8).prop_map(|(text, form)| {
        let mut out = String::from("\"");
        for (at, char) in text.chars().enumerate() {
            match char {
                '\\' if form < 3 => out.push('\\'),
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '/' if form == 1 => out.push_str("\\/"),
                '\0'..='\x1F' => out.push_str(&format!("\\u{:04x}", u32::from(char))),
                _ if form == 2 && at % 3 == 0 && u32::from(char) < 0x10000 => {
                    out.push_str(&format!("\\u{:04X}", u32::from(char)))
                }
                _ => out.push(char),
            }
        }
        out + "\""
    })
}

fn text() -> impl Strategy<Value = String> {
    string(prop_oneof![
        3 => reference(),
        2 => select(SPECIFIERS).prop_map(str::to_owned),
        1 => Just("document".to_owned()),
        1 => select(&["<!--", "-->", "<script>", "<\\/script>", "</scr", "ipt>"][..]).prop_map(str::to_owned),
    ])
}

fn name() -> impl Strategy<Value = String> {
    string(prop_oneof![6 => select(NAMES).prop_map(str::to_owned), 1 => reference()])
}

fn object(members: Vec<(String, &'static str, String)>) -> String {
    let members: Vec<String> = members
        .into_iter()
        .map(|(name, space, value)| format!("{space}{name}{space}:{value}{space}"))
        .collect();
    format!("{{{}}}", members.join(","))
}

/// Any value.
fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        6 => text(),
        1 => select(&["null", "true", "-1.5e+3", "0", "{}", "[]"][..]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            2 => vec((name(), space(), inner.clone()), 0..4).prop_map(object),
            1 => (vec(inner, 0..4), space()).prop_map(|(list, space)| format!("[{space}{}{space}]", list.join(","))),
        ]
    })
}

fn specifiers() -> impl Strategy<Value = String> {
    vec((text(), space(), prop_oneof![4 => text(), 1 => value()]), 0..4).prop_map(object)
}

/// An import map, mostly as it should be.
pub(crate) fn import_map() -> impl Strategy<Value = String> {
    let scopes = vec((text(), space(), specifiers()), 0..3).prop_map(object);
    (specifiers(), scopes, specifiers(), value(), 0..8u8).prop_map(
        |(imports, scopes, integrity, other, form)| match form {
            0 => other,
            1 => format!("{{\"imports\":{other}}}"),
            2 => format!("{{\"imports\":{imports},\"imports\" : {integrity}}}"),
            _ => format!(
                "{{\"imports\":{imports}, \"scopes\":{scopes},\n\"integrity\":{integrity}}}"
            ),
        },
    )
}

/// Speculation rules, mostly as they should be.
pub(crate) fn rules() -> impl Strategy<Value = String> {
    (vec(text(), 0..4), text(), value(), 0..8u8).prop_map(|(urls, pattern, other, form)| match form
    {
        0 => other,
        1 => format!("{{\"prefetch\":[{other}]}}"),
        2 => format!("{{\"prefetch\":[{{\"where\":{{\"not\":{{\"href_matches\":{pattern}}}}}}}]}}"),
        3 => format!(
            "{{\"prerender\":[{{\"relative_to\":\"document\",\"urls\":[{}]}}]}}",
            urls.join(",")
        ),
        _ => {
            format!("{{\"prefetch\":[{{}},{{\"urls\":[{}] ,\"where\":{other}}}]}}", urls.join(", "))
        }
    })
}

/// Linked data.
pub(crate) fn linked() -> impl Strategy<Value = String> {
    (text(), vec(text(), 0..3), value(), 0..6u8).prop_map(|(url, list, other, form)| match form {
        0 => other,
        1 => format!("[{{\"@context\":{other},\"url\":{url}}}]"),
        _ => format!("{{\"@id\":{url},\"image\":{{\"url\":{url},\"sameAs\":[{}]}},\"a\":{other},\"logo\":{url}}}", list.join(",")),
    })
}

/// Names of manifests and feeds.
const FILE_NAMES: &[&str] = &[
    "start_url",
    "scope",
    "icons",
    "icons_localized",
    "src",
    "screenshots",
    "shortcuts",
    "url",
    "share_target",
    "action",
    "file_handlers",
    "protocol_handlers",
    "note_taking",
    "new_note_url",
    "serviceworker",
    "home_page_url",
    "feed_url",
    "icon",
    "hubs",
    "author",
    "authors",
    "avatar",
    "items",
    "id",
    "external_url",
    "image",
    "attachments",
    "content_text",
    "manifest_version",
];

/// A manifest or a feed: objects and lists of them, with names that mean something there.
fn file() -> impl Strategy<Value = String> {
    let name = || string(select(FILE_NAMES).prop_map(str::to_owned));
    let leaf = || vec((name(), space(), text()), 0..4).prop_map(object);
    let list = || vec(leaf(), 0..3).prop_map(|list| format!("[{}]", list.join(",")));
    let inner = vec(
        (name(), space(), prop_oneof![2 => text(), 2 => list(), 1 => leaf(), 1 => value()]),
        0..6,
    )
    .prop_map(object);
    let items = (
        vec((name(), space(), prop_oneof![text(), list(), leaf()]), 0..6).prop_map(object),
        text(),
    );
    prop_oneof![
        4 => inner,
        2 => items.prop_map(|(item, url)| format!("{{\"home_page_url\" : {url},\n\"items\":[{{}},{item}]}}")),
        1 => value(),
    ]
}

/// What a document is to the judge.
pub(crate) fn data(format: JsonType) -> Data {
    match format {
        JsonType::Manifest => Data::Manifest,
        JsonType::ImportMap => Data::ImportMap,
        JsonType::SpeculationRules => Data::Rules,
        JsonType::LinkedData => Data::Linked,
        JsonType::Feed => Data::Feed,
    }
}

/// A document of its own, with or without a byte order mark.
pub(crate) fn document() -> impl Strategy<Value = (JsonType, String)> {
    let of = |format| move |text| (format, text);
    let document = prop_oneof![
        2 => file().prop_map(of(JsonType::Manifest)),
        2 => file().prop_map(of(JsonType::Feed)),
        2 => import_map().prop_map(of(JsonType::ImportMap)),
        1 => rules().prop_map(of(JsonType::SpeculationRules)),
        2 => linked().prop_map(of(JsonType::LinkedData)),
    ];
    (document, space(), 0..8u8).prop_map(|((format, text), space, form)| {
        let mark = if form == 0 { "\u{FEFF}" } else { "" };
        (format, format!("{mark}{space}{text}{space}"))
    })
}

/// The text without what would end a script, unless that is wanted.
fn inside(json: String) -> String {
    json.replace("</script", "<\\/script")
}

/// A script, some that are no JSON.
pub(crate) fn script() -> impl Strategy<Value = String> {
    let data = prop_oneof![
        3 => import_map().prop_map(|json| ("importmap", json)),
        2 => rules().prop_map(|json| ("speculationrules", json)),
        3 => linked().prop_map(|json| ("application/ld+json", json)),
        1 => linked().prop_map(|json| ("\" Application/LD+JSON;x=y\"", json)),
        1 => value().prop_map(|json| ("importmap", json + ",")),
        1 => value().prop_map(|json| ("application/json", json)),
    ];
    let end = select(&["</script>", "</script>", "</SCRIPT x=y>", "", "</script"][..]);
    (data, space(), end).prop_map(|((kind, json), space, end)| {
        format!("<script type={kind}>{space}{}{space}{end}", inside(json))
    })
}
