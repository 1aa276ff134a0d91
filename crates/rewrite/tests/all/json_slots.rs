//! Every slot of JSON in both directions, byte by byte.
//!
//! Web Application Manifest; HTML standard, sections 8.1.6.2 and 7.6.1; JSON-LD 1.1; JSON Feed 1.1.

use std::collections::BTreeSet;

use relink_rewrite::{JsonType, Media, Options, Relative, Rewritten, SLOTS, Verify, relativize};

use JsonType::{Feed, ImportMap, LinkedData, Manifest, SpeculationRules};

use crate::listing::{self, at_url, list, make_absolute, unit};

/// Every slot, with a document in which `@` is its reference.
const SLOT_ROWS: &[(JsonType, &str, &str)] = &[
    (Manifest, "manifest start_url", r#"{"start_url":"@"}"#),
    (Manifest, "manifest scope", r#"{"name":"N","scope":"@","x":["y"]}"#),
    (Manifest, "manifest icons.src", r#"{"icons":[{"sizes":"1x1","src":"@"},{}]}"#),
    (Manifest, "manifest screenshots.src", r#"{"screenshots":[{"src":"@"}]}"#),
    (Manifest, "manifest shortcuts.url", r#"{"shortcuts":[{"name":"a","url":"@"}]}"#),
    (Manifest, "manifest shortcuts.icons.src", r#"{"shortcuts":[{"icons":[{"src":"@"}]}]}"#),
    (Manifest, "manifest serviceworker.scope", r#"{"serviceworker":{"scope":"@"}}"#),
    (
        Manifest,
        "manifest tab_strip.home_tab.icons.src",
        r#"{"tab_strip":{"home_tab":{"icons":[{"src":"@"}]}}}"#,
    ),
    (
        Manifest,
        "manifest tab_strip.new_tab_button.icons.src",
        r#"{"tab_strip":{"new_tab_button":{"icons":[{"src":"@"}]}}}"#,
    ),
    (
        Manifest,
        "manifest tab_strip.new_tab_button.url",
        r#"{"tab_strip":{"home_tab":"auto","new_tab_button":{"url":"@"}}}"#,
    ),
    (Manifest, "manifest widgets.data", r#"{"widgets":[{"data":"@"}]}"#),
    (Manifest, "manifest widgets.icons.src", r#"{"widgets":[{"icons":[{"src":"@"}]}]}"#),
    (Manifest, "manifest widgets.ms_ac_template", r#"{"widgets":[{"ms_ac_template":"@"}]}"#),
    (
        Manifest,
        "manifest widgets.screenshots.src",
        r#"{"widgets":[{"tag":"x","screenshots":[{"src":"@"}]}]}"#,
    ),
    (Manifest, "manifest share_target.action", r#"{"share_target":{"action":"@","params":{}}}"#),
    (Manifest, "manifest file_handlers.action", r#"{"file_handlers":[{"action":"@"}]}"#),
    (
        Manifest,
        "manifest file_handlers.icons.src",
        r#"{"file_handlers":[{"icons":[{"src":"@"}]}]}"#,
    ),
    (Manifest, "manifest protocol_handlers.url", r#"{"protocol_handlers":[{"url":"@"}]}"#),
    (Manifest, "manifest related_applications.url", r#"{"related_applications":[{"url":"@"}]}"#),
    (Manifest, "manifest note_taking.new_note_url", r#"{"note_taking":{"new_note_url":"@"}}"#),
    (Manifest, "manifest serviceworker.src", r#"{"serviceworker":{"src":"@"}}"#),
    (Manifest, "manifest icons_localized.src", r#"{"icons_localized":{"de":[{"src":"@"}]}}"#),
    (SpeculationRules, "speculationrules urls", r#"{"prefetch":[{"urls":["@"]}]}"#),
    (SpeculationRules, "speculationrules urls", r#"{"prerender":[{},{"urls":["@"]}]}"#),
    (SpeculationRules, "speculationrules urls", r#"{"prerender_until_script":[{"urls":["@"]}]}"#),
];

/// The same for slots with a specifier: a relative path has a leading `./`.
const SPECIFIER_ROWS: &[(JsonType, &str, &str)] = &[
    (ImportMap, "importmap address", r#"{"imports":{"a":"@"}}"#),
    (ImportMap, "importmap specifier", r#"{"imports":{"@":null}}"#),
    (ImportMap, "importmap address", r#"{"scopes":{"http://i/":{"a":"@"}}}"#),
    (ImportMap, "importmap specifier", r#"{"scopes":{"http://i/":{"@":null}}}"#),
    (ImportMap, "importmap integrity", r#"{"integrity":{"@":"sha384-x"}}"#),
];

/// The same for slots that are always absolute.
const ABSOLUTE_ROWS: &[(JsonType, &str, &str)] = &[
    (LinkedData, "jsonld url", r#"{"url":"@"}"#),
    (LinkedData, "jsonld image", r#"[{"a":{"b":[[{"image":["@"]}]]}}]"#),
    (LinkedData, "jsonld logo", r#"{"@graph":[{"logo":"@"}]}"#),
    (LinkedData, "jsonld contentUrl", r#"{"@context":{"contentUrl":"x"},"contentUrl":"@"}"#),
    (LinkedData, "jsonld thumbnailUrl", r#"{"image":{"thumbnailUrl":"@"}}"#),
    (LinkedData, "jsonld embedUrl", r#"{"image":[{"embedUrl":"@"}]}"#),
    (LinkedData, "jsonld sameAs", r#"{"sameAs":["@"],"@value":{"url":"x"}}"#),
    (Feed, "jsonfeed home_page_url", r#"{"home_page_url":"@"}"#),
    (Feed, "jsonfeed feed_url", r#"{"feed_url":"@"}"#),
    (Feed, "jsonfeed next_url", r#"{"next_url":"@"}"#),
    (Feed, "jsonfeed icon", r#"{"icon":"@"}"#),
    (Feed, "jsonfeed favicon", r#"{"favicon":"@"}"#),
    (Feed, "jsonfeed hubs.url", r#"{"hubs":[{"type":"x","url":"@"}]}"#),
    (Feed, "jsonfeed authors.url", r#"{"authors":[{"url":"@"}]}"#),
    (Feed, "jsonfeed authors.url", r#"{"author":{"url":"@"}}"#),
    (Feed, "jsonfeed authors.avatar", r#"{"items":[{"authors":[{"avatar":"@"}]}]}"#),
    (Feed, "jsonfeed authors.avatar", r#"{"items":[{"author":{"avatar":"@"}}]}"#),
    (Feed, "jsonfeed items.url", r#"{"items":[{"url":"@"}]}"#),
    (Feed, "jsonfeed items.external_url", r#"{"items":[{"external_url":"@"}]}"#),
    (Feed, "jsonfeed items.image", r#"{"items":[{"image":"@"}]}"#),
    (Feed, "jsonfeed items.banner_image", r#"{"items":[{"banner_image":"@"}]}"#),
    (Feed, "jsonfeed attachments.url", r#"{"items":[{"attachments":[{"url":"@"}]}]}"#),
];

fn filled(row: &str, reference: &str) -> String {
    row.replace("\"@\"", &format!("\"{reference}\""))
}

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
fn every_slot() {
    for (format, slot, row) in SLOT_ROWS {
        lists(*format, &filled(row, "x"), &[&format!("{slot} url x -> http://h/d/x")]);
        absolutizes(*format, &filled(row, "x"), &filled(row, "http://h/d/x"));
        relativizes(*format, &filled(row, "http://h/d/x"), &filled(row, "x"));
        relativizes(*format, &filled(row, "http://i/x"), &filled(row, "http://i/x"));
        lists(*format, &filled(row, ""), &[]);
    }
}

#[test]
fn every_slot_of_a_specifier() {
    for (format, slot, row) in SPECIFIER_ROWS {
        let others = filled(row, "x");
        let listed =
            list(unit(others.as_bytes(), Media::json(*format), &at_url()), &Options::default()).0;
        assert!(listed.iter().all(|reference| reference.slot != *slot), "{row}");
        absolutizes(*format, &filled(row, "./x"), &filled(row, "http://h/d/x"));
        relativizes(*format, &filled(row, "http://h/d/x"), &filled(row, "./x"));
        relativizes(*format, &filled(row, "http://h/x"), &filled(row, "../x"));
        relativizes(*format, &filled(row, "http://h/d/"), &filled(row, "./"));
        relativizes(*format, &filled(row, "./x"), &filled(row, "./x"));
    }
}

#[test]
fn every_slot_that_is_always_absolute() {
    for (format, slot, row) in ABSOLUTE_ROWS {
        lists(*format, &filled(row, "x"), &[&format!("{slot} url x -> http://h/d/x")]);
        absolutizes(*format, &filled(row, "x"), &filled(row, "http://h/d/x"));
        relativizes(*format, &filled(row, "x"), &filled(row, "http://h/d/x"));
        relativizes(*format, &filled(row, "http://h/d/x"), &filled(row, "http://h/d/x"));
    }
}

#[test]
fn every_row_of_the_table_was_met() {
    let rows = [SLOT_ROWS, SPECIFIER_ROWS, ABSOLUTE_ROWS].concat();
    let mut met: BTreeSet<&str> = rows.iter().map(|(_, slot, _)| *slot).collect();
    // They have tests of their own.
    met.extend([
        "manifest id",
        "importmap digest",
        "importmap scope",
        "speculationrules href_matches",
        "jsonld @id",
        "jsonld property",
        "jsonfeed items.id",
        "jsonfeed items.content_html",
    ]);
    let words = ["manifest ", "importmap ", "speculationrules ", "jsonld ", "jsonfeed "];
    let is_json = |name: &&str| words.iter().any(|word| name.starts_with(word));
    let expected: BTreeSet<&str> = SLOTS.iter().map(|slot| slot.name).filter(is_json).collect();
    assert_eq!(met, expected);
}

/// A property of schema.org with a URL in its range is a reference only as a whole absolute URL.
#[test]
fn properties_that_may_be_texts() {
    for (property, value) in [
        ("item", "\"@\""),
        ("license", "[\"MIT\", \"@\"]"),
        ("mainEntityOfPage", "{\"@type\":\"WebPage\",\"relatedLink\":\"@\"}"),
        ("target", "{\"@type\":\"EntryPoint\",\"urlTemplate\":\"@\"}"),
    ] {
        let with = |url: &str| format!("{{\"{property}\":{}}}", value.replace('@', url));
        lists(LinkedData, &with("http://h/x"), &["jsonld property url http://h/x -> http://h/x"]);
        for text in ["x", "../x", "/x", "#x", "http://h/x and more", "MIT", ""] {
            lists(LinkedData, &with(text), &[]);
        }
        // It is read by other programs than the page, and never relative.
        relativizes(LinkedData, &with("http://h/d/x"), &with("http://h/d/x"));
    }
    for property in ["identifier", "@type", "additionalType", "name", "description"] {
        lists(LinkedData, &format!("{{\"{property}\":\"http://h/x\"}}"), &[]);
    }
}
