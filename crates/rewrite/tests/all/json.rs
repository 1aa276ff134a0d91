//! JSON documents: their references in both directions, byte by byte.
//!
//! Web Application Manifest; HTML standard, sections 8.1.6.2 and 7.6.1; JSON-LD 1.1; JSON Feed 1.1;
//! RFC 8259.

use relink_rewrite::{
    JsonType, Kind, Media, OptIn, Options, Outcome, Relative, Rewritten, SLOTS, SkipReason,
    SkipScope, Skipped, SyntaxError, Verify, relativize,
};
use urlcore::Style;

use JsonType::{Feed, ImportMap, LinkedData, Manifest, SpeculationRules};

use crate::listing::{self, at_url, list, make_absolute, unit};

fn relative(format: JsonType, text: &str, relative: &Relative, options: &Options) -> Rewritten {
    let context = at_url();
    let options = options.clone().with_verify(Verify::Full);
    let rewritten =
        relativize(unit(text.as_bytes(), Media::json(format), &context), &options, relative);
    assert_eq!(rewritten.verify_error(), None, "{text}");
    rewritten
}

fn output(rewritten: Rewritten, text: &str) -> String {
    let output = rewritten.into_output().unwrap_or_else(|| text.as_bytes().to_vec());
    String::from_utf8(output).expect("UTF-8")
}

#[track_caller]
fn absolutizes_with(format: JsonType, options: &Options, text: &str, expected: &str) {
    let context = at_url();
    let convert = |text: &str| {
        output(make_absolute(unit(text.as_bytes(), Media::json(format), &context), options), text)
    };
    assert_eq!(convert(text), expected, "{text}");
    assert_eq!(convert(expected), expected, "a second run of {text}");
}

#[track_caller]
fn absolutizes(format: JsonType, text: &str, expected: &str) {
    absolutizes_with(format, &Options::default(), text, expected);
}

#[track_caller]
fn relativizes(format: JsonType, text: &str, expected: &str) {
    let convert =
        |text| output(relative(format, text, &Relative::default(), &Options::default()), text);
    assert_eq!(convert(text), expected, "{text}");
    assert_eq!(convert(expected), expected, "a second run of {text}");
}

/// Asserts the references of a document, each as `slot kind text -> target`.
#[track_caller]
fn lists(format: JsonType, text: &str, expected: &[&str]) {
    let (list, report) =
        list(unit(text.as_bytes(), Media::json(format), &at_url()), &Options::default());
    assert_eq!(report.skipped, [], "{text}");
    assert_eq!(listing::shown(&list), expected, "{text}");
    for reference in list {
        let raw = reference.span.slice(text.as_bytes());
        assert!(raw.contains(&b'\\') || raw == reference.text.as_bytes(), "{text}");
    }
}

#[test]
fn scopes_may_be_bare_and_empty() {
    lists(
        ImportMap,
        r#"{"scopes":{"x":{},"":{}}}"#,
        &["importmap scope url x -> http://h/d/x", "importmap scope url  -> http://h/d/p"],
    );
    absolutizes(
        ImportMap,
        r#"{"scopes":{"x":{},"":{}}}"#,
        r#"{"scopes":{"http://h/d/x":{},"":{}}}"#,
    );
    relativizes(ImportMap, r#"{"scopes":{"http://h/d/x/":{}}}"#, r#"{"scopes":{"x/":{}}}"#);
}

// HTML standard 8.1.6.3, "resolve a URL-like module specifier".
#[test]
fn what_is_like_a_url_is_no_bare_name() {
    let keep = [
        "",
        "x",
        "x/",
        "@x/y",
        "#x",
        "?x",
        ".",
        "..",
        ".x",
        "..x/",
        " ./x",
        r"\u0020./x",
        r"\\x",
        r".\\x",
        "http:x",
        "https:x",
        "http:/x",
        ".\t/x".replace('\t', r"\t").as_str(),
    ]
    .map(str::to_owned);
    for text in keep {
        let document = format!(r#"{{"imports":{{"{text}":"{text}"}}}}"#);
        lists(ImportMap, &document, &[]);
    }
    absolutizes(
        ImportMap,
        r#"{"imports":{"/x":"./x","../x/":".\/y\/","\u002e/z":"/\u002fi/z","node:fs":"data:,x"}}"#,
        r#"{"imports":{"http://h/x":"http://h/d/x","http://h/x/":"http://h/d\/y\/","http://h/d/z":"http:/\u002fi/z","node:fs":"data:,x"}}"#,
    );
}

#[test]
fn a_specifier_stays_one() {
    relativizes(
        ImportMap,
        r#"{"imports":{"a":"http://h/d/a.js","b":"http://h/d/b:c","d":"//h/e/f/","g":"./../g"}}"#,
        r#"{"imports":{"a":"./a.js","b":"./b:c","d":"../e/f/","g":"./../g"}}"#,
    );
    // A query or fragment alone is a bare name, and with a leading `./` it would have another
    // target.
    let text = r#"{"imports":{"a":"http://h/d/p?q","b":"http://h/d/p#f"}}"#;
    let rewritten = relative(ImportMap, text, &Relative::default(), &Options::default());
    assert_eq!(rewritten.report.counts.get(Outcome::Unwritable), 2);
    assert_eq!(output(rewritten, text), text);
    // A reference that is already short is not rewritten.
    let shortest = Relative::default().with_style(Style::Shortest);
    let text = r#"{"imports":{"a":"./a.js","b":"../d/b.js"}}"#;
    let rewritten = relative(ImportMap, text, &shortest, &Options::default());
    assert_eq!(rewritten.report.counts.get(Outcome::Rewritten), 1);
    assert_eq!(output(rewritten, text), r#"{"imports":{"a":"./a.js","b":"./b.js"}}"#);
}

#[test]
fn escapes_stay() {
    absolutizes(
        Manifest,
        r#"{"scope":"\/a\/\u00e9?\u0026"}"#,
        r#"{"scope":"http://h\/a\/\u00e9?\u0026"}"#,
    );
    absolutizes(
        Manifest,
        r#"{"\u0073\u0063ope" : "a\u002Fb","start_url":"c\\d"}"#,
        r#"{"\u0073\u0063ope" : "http://h/d/a\u002Fb","start_url":"http://h/d/c/d"}"#,
    );
    relativizes(Manifest, r#"{"scope":"http:\/\/h\/d\/x\/y"}"#, r#"{"scope":"x\/y"}"#);
    relativizes(Manifest, r#"{"scope":"http:\/\/h\/x\u00e9"}"#, r#"{"scope":"..\/x\u00e9"}"#);
    lists(
        Manifest,
        r#"{"scope":"\ud83d\ude00\ud83d"}"#,
        &["manifest scope url 😀\u{FFFD} -> http://h/d/😀\u{FFFD}"],
    );
    absolutizes(Manifest, r#"{"scope":"\ud83dx"}"#, r#"{"scope":"http://h/d/\ud83dx"}"#);
    absolutizes(Manifest, r#"{"scope":" x\n"}"#, r#"{"scope":" http://h/d/x\n"}"#);
    absolutizes(Manifest, r#"{"scope":"a\"b"}"#, r#"{"scope":"http://h/d/a\"b"}"#);
}

#[test]
fn nothing_else_changes() {
    let text = "\n{ \"a\" :\t-1.50E+3,\r\n\"scope\"\n:\n\"x\" , \"scope\":\"y\", \"icons\":[ {\"src\":\"z\"}\n]} \n";
    let expected = text.replace("\"x\"", "\"http://h/d/x\"").replace("\"y\"", "\"http://h/d/y\"");
    absolutizes(Manifest, text, &expected.replace("\"z\"", "\"http://h/d/z\""));
}

#[test]
fn what_is_no_reference() {
    for text in [
        r#"["scope",{"scope":"x"}]"#,
        r#""x""#,
        "null",
        r#"{"scope":["x"],"icons":{"src":"x"},"start_url":{"x":"y"}}"#,
        r#"{"icons":[[{"src":"x"}],"x"],"shortcuts":["x"]}"#,
        r#"{"Scope":"x","a":{"scope":"x"},"icons":[{"a":{"src":"x"}}]}"#,
        r#"{"scope":"x","icons":[{"src":"x"}],"manifest_version":3}"#,
        r#"{"manifest_version":null,"start_url":"x"}"#,
    ] {
        lists(Manifest, text, &[]);
    }
    lists(
        ImportMap,
        r#"{"imports":["./x"],"scopes":{"/s":"./x"},"a":{"./x":"./x"}}"#,
        &["importmap scope url /s -> http://h/s"],
    );
    lists(
        SpeculationRules,
        r#"{"prefetch":{"urls":["x"]},"prerender":[{"urls":"x"}],"x":[{"urls":["x"]}]}"#,
        &[],
    );
    lists(
        LinkedData,
        r#"{"@context":[{"url":"x","a":{"@id":"x"}}],"@value":{"url":"x"},"name":"x"}"#,
        &[],
    );
    lists(Feed, r#"{"items":{"url":"x"},"url":"x","authors":{"url":"x"}}"#, &[]);
}

#[test]
fn templates() {
    lists(
        Manifest,
        r#"{"protocol_handlers":[{"url":"/x?u=%s"}],"scope":"{{x}}"}"#,
        &[
            "manifest protocol_handlers.url url /x?u=%s -> http://h/x?u=%s",
            "manifest scope template {{x}} -> none",
        ],
    );
    let opt_in = Options::default().with_opt_in(OptIn::default().with_templates(true));
    absolutizes_with(
        Manifest,
        &Options::default(),
        r#"{"protocol_handlers":[{"url":"/x?u=%s"}]}"#,
        r#"{"protocol_handlers":[{"url":"http://h/x?u=%s"}]}"#,
    );
    // A pattern is not a URL, whatever options are given.
    let text = r#"{"prefetch":[{"where":{"and":[{"href_matches":"/*"},{"not":{"href_matches":["/x","y"]}},{"or":[{"href_matches":{"pathname":"z"}}]}]}}]}"#;
    let pattern = |text| format!("speculationrules href_matches template {text} -> none");
    lists(SpeculationRules, text, &[&pattern("/*"), &pattern("/x"), &pattern("y")]);
    absolutizes_with(SpeculationRules, &opt_in, text, text);
    relativizes(SpeculationRules, text, text);
}

#[test]
fn identities() {
    let ids = Options::default().with_opt_in(OptIn::default().with_ids(true));
    let manifest = r#"{"id":"/x","x":{"id":"/y"}}"#;
    lists(Manifest, manifest, &["manifest id id /x -> http://h/x"]);
    absolutizes(Manifest, manifest, manifest);
    absolutizes_with(Manifest, &ids, manifest, r#"{"id":"http://h/x","x":{"id":"/y"}}"#);
    // It is resolved against the origin, not against the manifest.
    lists(Manifest, r#"{"id":"x"}"#, &[]);
    lists(Manifest, r#"{"id":"//i/x"}"#, &[]);
    let linked = r##"{"@id":"#x","a":{"@id":"_:b0","url":{"@id":"y"}}}"##;
    lists(
        LinkedData,
        linked,
        &["jsonld @id id #x -> http://h/d/p#x", "jsonld @id id y -> http://h/d/y"],
    );
    absolutizes(LinkedData, linked, linked);
    absolutizes_with(
        LinkedData,
        &ids,
        linked,
        r##"{"@id":"#x","a":{"@id":"_:b0","url":{"@id":"http://h/d/y"}}}"##,
    );
    let feed = r#"{"items":[{"id":"5"},{"id":"http://h/d/x"},{"id":7}]}"#;
    lists(Feed, feed, &["jsonfeed items.id id http://h/d/x -> http://h/d/x"]);
    assert_eq!(output(relative(Feed, feed, &Relative::default(), &ids), feed), feed);
}

#[test]
fn linked_data_with_a_base_of_its_own() {
    for context in [r#"{"@base":"http://i/"}"#, r#"[{"a":{"@context":{"@base":null}}}]"#] {
        let text = format!(r#"[{{"url":"x"}},{{"url":"x","@context":{context}}},{{"url":"x"}}]"#);
        lists(LinkedData, &text, &[]);
    }
    lists(LinkedData, r#"{"@base":"http://i/","url":"x"}"#, &["jsonld url url x -> http://h/d/x"]);
}

#[test]
fn linked_data_with_a_relative_base_is_reported() {
    let text = r#"{"url":"x","@context":["x",{"@\u0062ase":"y"}]}"#;
    let (list, report) =
        list(unit(text.as_bytes(), Media::json(LinkedData), &at_url()), &Options::default());
    assert!(list.is_empty(), "{list:?}");
    let reasons: Vec<_> =
        report.skipped.iter().map(|skipped| (skipped.reason, skipped.at)).collect();
    assert_eq!(reasons, [(SkipReason::ContextBase, text.find("y\"").unwrap())]);
}

#[test]
fn rules_for_another_document() {
    lists(
        SpeculationRules,
        r#"{"prefetch":[{"urls":["x"],"relative_to":"document"},{"urls":["y"],"relative_to":"ruleset"},{"relative_to":"docu\u006dent","urls":["z"]},{"urls":["w"]}]}"#,
        &[
            "speculationrules urls url y -> http://h/d/y",
            "speculationrules urls url w -> http://h/d/w",
        ],
    );
    // Its patterns are reported nevertheless.
    lists(
        SpeculationRules,
        r#"{"prefetch":[{"urls":["x"],"where":{"href_matches":"y"},"relative_to":"document"}]}"#,
        &["speculationrules href_matches template y -> none"],
    );
}

#[test]
fn html_in_a_feed() {
    absolutizes(
        Feed,
        r#"{"items":[{"content_html":"<a href=\"x\">\u003cimg src=y> &amp; <a href='#z'>","content_text":"<a href=x>"}]}"#,
        r#"{"items":[{"content_html":"<a href=\"http://h/d/x\">\u003cimg src=http://h/d/y> &amp; <a href='#z'>","content_text":"<a href=x>"}]}"#,
    );
    // Its readers know no base.
    let absolute = r#"{"items":[{"content_html":"<a href=http:\/\/h\/d\/x>"}]}"#;
    relativizes(Feed, absolute, absolute);
    let text = br#"{"items":[{"content_html":"<a href=x>"}]}"#;
    let listed = list(unit(text, Media::json(Feed), &at_url()), &Options::default()).0;
    assert_eq!(
        (&*listed[0].slot, &*listed[0].embedded),
        ("a[href]", &["jsonfeed items.content_html".to_owned()][..])
    );
}

#[test]
fn charsets() {
    let marked = "\u{FEFF}{\"scope\":\"é\"}";
    absolutizes(Manifest, marked, "\u{FEFF}{\"scope\":\"http://h/d/é\"}");
    let wide = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let context = at_url();
    let bytes = wide("\u{FEFF}{\"scope\":\"é\\/\"}");
    let rewritten =
        make_absolute(unit(&bytes, Media::json(Manifest), &context), &Options::default());
    assert_eq!(rewritten.into_output(), Some(wide("\u{FEFF}{\"scope\":\"http://h/d/é\\/\"}")));
}

fn skipped(text: &str) -> Vec<Skipped> {
    list(unit(text.as_bytes(), Media::json(Manifest), &at_url()), &Options::default()).1.skipped
}

// RFC 8259; the offset is that of the first invalid byte, or an adjacent one in a string.
#[test]
fn what_is_not_json() {
    for (text, at) in [
        ("", 0),
        (" \n", 2),
        ("{", 1),
        ("{\"scope\":\"x\"", 12),
        ("{\"scope\":\"x", 11),
        ("{\"scope\":\"x\",}", 13),
        ("{\"a\":1}}", 7),
        ("{\"a\":1}\n\nx", 9),
        ("{\n\n  \"a\": nul }", 13),
        ("[1,\r\n 2,\r\n é]", 11),
        ("{\"é\":\"\t\"}", 6),
        ("{\"scope\":\"a\n\"}", 10),
        ("{\"scope\":\"\\x\"}", 11),
        ("{\"scope\":\"\\u12g4\"}", 15),
        ("{'scope':'x'}", 1),
        ("{scope:\"x\"}", 1),
        ("{\"scope\":\"x\" \"y\":1}", 13),
        ("[01]", 2),
        ("// c\n{}", 0),
        ("{\"a\":{{name}}}", 6),
        ("\u{A0}{}", 0),
    ] {
        let reason = SkipReason::Malformed(SyntaxError::Json);
        assert_eq!(
            skipped(text),
            [Skipped { reason, at, extent: SkipScope::Unit, part: None }],
            "{text:?}"
        );
    }
    let text = "{\"scope\":\"x\",}";
    absolutizes(Manifest, text, text);
}

#[test]
fn depth_is_no_matter() {
    let deep = |open: &str, close: &str| {
        let n = 100_000;
        format!("{}{{\"url\":\"x\"}}{}", open.repeat(n), close.repeat(n))
    };
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("{\"url\":[", "]}")] {
        let text = deep(open, close);
        let n =
            list(unit(text.as_bytes(), Media::json(LinkedData), &at_url()), &Options::default())
                .0
                .len();
        assert_eq!(n, 1, "{open}");
        lists(Manifest, &text, &[]);
        lists(
            SpeculationRules,
            &format!("{{\"prefetch\":[{{\"where\":{text},\"urls\":[\"x\"]}}]}}"),
            &["speculationrules urls url x -> http://h/d/x"],
        );
    }
    let text = deep("{\"@context\":[", "]}");
    assert_eq!(skipped(&text), []);
    assert_eq!(skipped(&"[".repeat(1_000_000))[0].at, 1_000_000);
}

#[test]
fn kinds_of_the_table() {
    let kind = |name: &str| SLOTS.iter().find(|slot| slot.name == name).map(|slot| slot.kind);
    assert_eq!(kind("speculationrules href_matches"), Some(Kind::Template));
    assert_eq!(kind("jsonfeed items.content_html"), Some(Kind::Embedded));
}
