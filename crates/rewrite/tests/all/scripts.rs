//! Scripts that are data: import maps, speculation rules, JSON-LD. Both engines read them alike.
//!
//! HTML standard, sections 4.12.1 and 13.2.5.15 to 13.2.5.31.

use relink_rewrite::{
    BaseElement, Media, Options, Outcome, Relative, SkipReason, SkipScope, Skipped, SyntaxError,
    Verify, relativize,
};

use crate::listing::{at_url, html, make_absolute, shown, skipped, unit};

fn absolute(document: &str) -> String {
    let context = at_url();
    let rewritten =
        make_absolute(unit(document.as_bytes(), Media::HTML, &context), &Options::default());
    let output = rewritten.into_output().unwrap_or_else(|| document.as_bytes().to_vec());
    String::from_utf8(output).expect("UTF-8")
}

#[track_caller]
fn absolutizes(document: &str, expected: &str) {
    assert_eq!(absolute(document), expected);
    assert_eq!(absolute(expected), expected, "a second run");
}

#[track_caller]
fn relativizes(document: &str, expected: &str) {
    let context = at_url();
    let options = Options::default().with_verify(Verify::Full);
    let unit = unit(document.as_bytes(), Media::HTML, &context);
    let relative = Relative::default().with_base_element(BaseElement::Empty);
    let rewritten = relativize(unit, &options, &relative);
    assert_eq!(rewritten.verify_error(), None, "{document}");
    let output = rewritten.into_output().unwrap_or_else(|| document.as_bytes().to_vec());
    assert_eq!(String::from_utf8_lossy(&output), expected);
}

#[track_caller]
fn lists(document: &str, expected: &[&str]) {
    assert_eq!(shown(&html(document)), expected, "{document}");
}

#[test]
fn types() {
    for start in [
        "<script type=importmap>",
        "<SCRIPT TYPE=\" ImportMap\n\">",
        "<script async type='importmap' nonce=x>",
        "<script type=import&#109;ap>",
    ] {
        let document = format!("{start}{{\"scopes\":{{\"x\":{{}}}}}}</script>");
        lists(&document, &["importmap scope url x -> http://h/d/x"]);
    }
    for start in [
        "<script type=application/ld+json>",
        "<script type='Application/LD+JSON'>",
        "<script type='application/ld+json;profile=x'>",
        "<script type=' application/ld+json ; charset=utf-8'>",
    ] {
        let document = format!("{start}[{{\"url\":\"x\"}}]</script>");
        lists(&document, &["jsonld url url x -> http://h/d/x"]);
    }
    for start in [
        "<script>",
        "<script type=module>",
        "<script type=application/json>",
        "<script type=importmap;x>",
        "<script language=importmap>",
        "<script type=importmap src='{{s}}'>",
        "<script src='{{s}}' type=speculationrules>",
        "<style type=importmap>",
        "<svg><script type=importmap>",
        "<textarea type=importmap>",
    ] {
        let document = format!("{start}{{\"scopes\":{{\"x\":{{}}}},\"url\":\"x\"}}</script>");
        let found = html(document).into_iter().filter(|found| found.slot != "script[src]");
        assert_eq!(found.count(), 0, "{start}");
    }
    lists("<script type=importmap/>{\"scopes\":{\"x\":{}}}</script>", &[]);
    lists(
        "<script type=importmap />{\"scopes\":{\"x\":{}}}</script>",
        &["importmap scope url x -> http://h/d/x"],
    );
}

#[test]
fn both_directions() {
    let script = |kind: &str, json: &str| format!("<p><script type={kind}>\n{json} </script>");
    let map = |a: &str, b: &str| {
        script("importmap", &format!("{{\"imports\": {{\"a\":\"{a}\",\"{b}\":\"b\"}}}}"))
    };
    absolutizes(&map("./x.mjs", "/y/"), &map("http://h/d/x.mjs", "http://h/y/"));
    relativizes(&map("http://h/d/x.mjs", "http://h/y/"), &map("./x.mjs", "../y/"));
    let rules = |url: &str| {
        script(
            "speculationrules",
            &format!("{{\"prefetch\":[{{\"urls\":[\"{url}\"],\"relative_to\":\"document\"}}]}}"),
        )
    };
    absolutizes(&rules("x"), &rules("http://h/d/x"));
    relativizes(&rules("http:\\/\\/h\\/x"), &rules("..\\/x"));
    let linked = |url: &str| script("application/ld+json", &format!("{{\"url\":\"{url}\"}}"));
    absolutizes(&linked("x"), &linked("http://h/d/x"));
    relativizes(&linked("x"), &linked("http://h/d/x"));
}

#[test]
fn the_base_of_the_document_holds() {
    let document = |base: &str, a: &str, b: &str| {
        format!(
            "<base href={base}><script type=importmap>{{\"imports\":{{\"a\":\"{a}\"}},\"scopes\":{{\"\":{{}}}}}}</script><script type=speculationrules>{{\"prerender\":[{{\"urls\":[\"{b}\"]}}]}}</script>"
        )
    };
    lists(
        &document("/e/", "./x", "y"),
        &[
            "base[href] url /e/ -> http://h/e/",
            "importmap address url ./x -> http://h/e/x",
            "importmap scope url  -> http://h/e/",
            "speculationrules urls url y -> http://h/e/y",
        ],
    );
    relativizes(
        &document("/e/", "./x", "y"),
        &document("\"\"", "../e/x", "../e/y").replace("\"\":{}", "\"../e/\":{}"),
    );
    // A reference that stays unchanged keeps its base: a pattern too.
    let pattern = "<base href=/e/><script type=speculationrules>{\"prefetch\":[{\"where\":{\"href_matches\":\"x\"}}]}</script>";
    relativizes(pattern, &pattern.replace("/e/", "../e/"));
    // Malformed data does not.
    relativizes(
        "<base href=/e/><script type=application/ld+json>{,}</script>",
        "<base href=\"\"><script type=application/ld+json>{,}</script>",
    );
}

/// HTML standard 4.12.1.1, "prepare the script element": an import map has the base of that moment;
/// the others are read later.
#[test]
fn a_base_that_comes_later_holds_for_what_is_read_later() {
    let document = |a: &str, b: &str, c: &str| {
        format!(
            "<script type=importmap>{{\"imports\":{{\"a\":\"{a}\"}}}}</script><script type=application/ld+json>{{\"url\":\"{b}\"}}</script><script type=speculationrules>{{\"prefetch\":[{{\"urls\":[\"{c}\"]}}]}}</script><base href=http://i/>"
        )
    };
    let expected = document("http://h/d/x", "http://i/y", "http://i/z");
    absolutizes(&document("./x", "y", "z"), &expected);
}

#[test]
fn where_a_script_ends() {
    let script = |text: &str| format!("<script type=application/ld+json>{text}</script><a href=y>");
    let both = ["jsonld url url x -> http://h/d/x", "a[href] url y -> http://h/d/y"];
    lists(&script("{\"url\":\"x\",\"a\":\"<!-- <script> </script> -->\"}"), &both);
    lists(&script("{\"a\":\"<!--<script></script x=y \",\"url\":\"x\"}"), &both);
    lists(&script("{\"a\":\"<!-- <p>\",\"url\":\"x\"}"), &both);
    lists(&script("{\"a\":\"<\\/script> <script><a href=z>\",\"url\":\"x\"}"), &both);
    lists("<script type=application/ld+json>{\"url\":\"x\"}", &both[..1]);
    // A tag without an end is not a tag, and the script is not run.
    let cut = b"<script type=application/ld+json>{\"url\":\"x\"}</script ";
    assert_eq!(skipped(cut, &Options::default()).len(), 1);
    absolutizes(
        "<script type=application/ld+json>{\"a\":\"<!--<script></script x=y \",\"url\":\"x\"}</script ><a href=y>",
        "<script type=application/ld+json>{\"a\":\"<!--<script></script x=y \",\"url\":\"http://h/d/x\"}</script ><a href=http://h/d/y>",
    );
    // In other scripts nothing is read.
    lists("<script>\"</script x=y </script><a href=y>", &["a[href] url y -> http://h/d/y"]);
}

#[test]
fn no_script_ends_early() {
    // `..` and the segment before it are removed, which would create the tag.
    for (text, n) in [
        ("{\"url\":\"x/<\\/../..//script>\"}", 0),
        ("{\"url\":\"\\u003c/script>\"}", 0),
        ("{\"url\":\"\\u003c/scrip>\"}", 0),
    ] {
        let document = format!("<script type=application/ld+json>{text}</script>");
        let context = at_url();
        let unit = unit(document.as_bytes(), Media::HTML, &context);
        let rewritten = make_absolute(unit, &Options::default());
        assert_eq!(rewritten.report.counts.get(Outcome::Unwritable), n, "{document}");
        let output = rewritten.into_output().expect("a reference");
        let inner = &output[33..output.len() - 9];
        assert!(!inner.windows(8).any(|part| part == b"</script"), "{document}");
    }
    // Bytes there are rewritten if an edit overlaps an escape, and `<` is not escaped again.
    let document =
        "<script type=importmap>{\"scopes\":{\"http://h/d/\\u003c/script>\":{}}}</script>";
    relativizes(document, &document.replace("http://h/d/", ""));
}

#[test]
fn in_other_places() {
    lists(
        "<noscript><script type=importmap>{\"scopes\":{\"x\":{}}}</script></noscript>",
        &["importmap scope url x -> http://h/d/x"],
    );
    lists(
        "<iframe srcdoc='<script type=importmap>{\"scopes\":{\"x\":{}}}</script>'></iframe>",
        &["importmap scope url x -> http://h/d/x"],
    );
    lists(
        "<select><script type=importmap>{\"scopes\":{\"x\":{}}}</script></select>",
        &["importmap scope url x -> http://h/d/x"],
    );
    let windows = b"<meta charset=windows-1252><script type=importmap>{\"scopes\":{\"\xE9\\u65e5\":{}}}</script>";
    let context = at_url();
    let output =
        make_absolute(unit(windows, Media::HTML, &context), &Options::default()).into_output();
    let expected = b"<meta charset=windows-1252><script type=importmap>{\"scopes\":{\"http://h/d/\xE9\\u65e5\":{}}}</script>";
    assert_eq!(output.expect("an edit"), expected);
}

#[test]
fn what_is_no_json_is_skipped_and_reported() {
    let (reason, extent, part) =
        (SkipReason::Malformed(SyntaxError::Json), SkipScope::Embedded, None);
    for (text, at) in [("{{ data }}", 24), ("<!-- {} -->", 23), ("{}\n//", 26)] {
        let document = format!("<script type=importmap>{text}</script><a href=x>");
        let expected = Skipped { reason, at, extent, part: part.clone() };
        assert_eq!(skipped(document.as_bytes(), &Options::default()), [expected], "{document}");
        assert_eq!(absolute(&document), document.replace("href=x", "href=http://h/d/x"));
    }
    assert_eq!(skipped(b"<script type=importmap> \n</script>", &Options::default()), []);
    assert_eq!(skipped(b"<script type=importmap></script>", &Options::default()), []);
}
