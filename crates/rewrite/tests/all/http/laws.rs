//! The law on generated responses: every rewritten reference keeps its target. The target of each
//! reference is computed here, line by line, with the `url` crate: against the requested URL, that
//! of the last redirect, `Content-Base`, `Base` or `<base>`. `RELINK_CASES` and `RELINK_SEED`
//! select more and other cases.

use basectx::Context;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use relink_rewrite::{
    Move, NewPlace, Options, PrefixMap, Relative, Rewritten, Unit, Verify, VerifyError, absolutize,
    relativize, relocate,
};
use url::Url;

use super::RESPONSE;

const OWN: &str = "http://h.example/d/p";

/// The bases in the header section of the last response.
const BASES: [&str; 6] = [
    "",
    "Content-Base: http://h.example/e/",
    "Base: http://i.example/",
    "Content-Base: /relative/",
    "Content-Base: relative/\nBase: http://h.example/f/g",
    "Base: <URL:http://i.example/j/>\nCONTENT-BASE: http://h.example/d/k#l",
];

fn reference() -> impl Strategy<Value = &'static str> {
    select(vec![
        "x",
        "../y",
        "/z?q=1",
        "//i.example/w",
        "http://h.example/d/e/f",
        "?r",
        "./",
        "a/b/../c",
        "http://j.example/",
        "mailto:a@b.example",
        "g#h",
        "../../../k",
        "http://h.example/d/p",
    ])
}

/// Generates a field and its reference.
fn field() -> impl Strategy<Value = (&'static str, &'static str)> {
    let name = select(vec![
        "Link: <@>; rel=\"a, <b>\"",
        "Link: <http://j.example/>; anchor=\"@\"",
        "Location: @",
        "Content-Location: @",
        "Refresh: 5; url=@",
        "SourceMap: @",
        "link:<@>",
        "Server: @",
    ]);
    (name, reference())
}

prop_compose! {
    fn response()(
        redirects in prop::collection::vec(reference(), 0..3),
        base in select(BASES.to_vec()),
        fields in prop::collection::vec(field(), 0..6),
        html_base in prop::option::weighted(0.3, reference()),
        links in prop::collection::vec(reference(), 0..6),
        has_length in any::<bool>(),
        has_crlf in any::<bool>(),
    ) -> String {
        let mut body: String = html_base.map(|href| format!("<base href='{href}'>\n")).unwrap_or_default();
        links.iter().for_each(|href| body.push_str(&format!("<a href='{href}'>x</a>\n")));
        let line_end = if has_crlf { "\r\n" } else { "\n" };
        let body = body.replace('\n', line_end);
        let mut head: String =
            redirects.iter().map(|to| format!("HTTP/1.1 302 Found\nLocation: {to}\n\n")).collect();
        head.push_str("HTTP/1.1 200 OK\nContent-Type: text/html\n");
        if !base.is_empty() {
            head.push_str(&format!("{base}\n"));
        }
        fields.iter().for_each(|(name, to)| head.push_str(&format!("{}\n", name.replace('@', to))));
        if has_length {
            head.push_str(&format!("Content-Length: {}\n", body.len()));
        }
        head.push('\n');
        format!("{}{body}", head.replace('\n', line_end))
    }
}

fn joined(base: Option<&Url>, text: &str) -> Option<Url> {
    match base {
        Some(base) => base.join(text).ok(),
        None => Url::parse(text).ok(),
    }
}

/// Returns the text between two others.
fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    let start = text.find(before).map_or(text.len(), |at| at + before.len());
    let rest = &text[start..];
    &rest[..rest.find(after).unwrap_or(rest.len())]
}

/// Returns all targets in a response that came from `own`, except that of `<base>`, which may be
/// emptied.
fn targets(text: &str, own: &str) -> Vec<Option<Url>> {
    let text = text.replace("\r\n", "\n");
    let mut own = Url::parse(own).ok();
    let mut found = Vec::new();
    let mut rest = &*text;
    while let Some(after) = rest.strip_prefix("HTTP/1.1 302 Found\nLocation: ") {
        let (to, after) = after.split_once("\n\n").expect("a header section");
        let target = joined(own.as_ref(), to);
        found.push(target.clone());
        own = target.filter(Url::has_host).map(|mut url| {
            url.set_fragment(None);
            url
        });
        rest = after;
    }
    let (head, body) = rest.split_once("\n\n").expect("a header section");
    let fields: Vec<(String, &str)> = head
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim()))
        .collect();
    let declared = |wanted: &str| {
        let (_, value) = fields.iter().find(|(name, _)| name == wanted)?;
        Url::parse(value.trim_start_matches("<URL:").trim_end_matches('>')).ok()
    };
    let declared = declared("content-base").or_else(|| declared("base"));
    let base = declared.or_else(|| own.clone());
    for (name, value) in &fields {
        let (under, to) = match &**name {
            "link" if value.contains("anchor") => (&base, between(value, "anchor=\"", "\"")),
            "link" => (&base, between(value, "<", ">")),
            "refresh" => (&base, between(value, "url=", "\n")),
            "location" | "sourcemap" => (&own, *value),
            "content-location" => (&base, *value),
            _ => continue,
        };
        found.push(joined(under.as_ref(), to));
    }
    let html_base = body.strip_prefix("<base href='").map(|rest| between(rest, "", "'"));
    let mut under = base.clone();
    if let Some(href) = html_base.filter(|href| !href.is_empty()) {
        under = joined(base.as_ref(), href).or(base);
    }
    let hrefs = body.split("<a href='").skip(1);
    found.extend(hrefs.map(|rest| joined(under.as_ref(), between(rest, "", "'"))));
    found
}

/// Returns true if the length in the last header section is that of the body; `None` without one.
fn length(text: &str) -> Option<bool> {
    let head = text.rfind("HTTP/1.1 200").unwrap_or_default();
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let (head, body) = text[head..].split_once(&line_end.repeat(2))?;
    let digits = head.split_once("Content-Length: ")?.1.lines().next()?;
    Some(digits.parse() == Ok(body.len()))
}

/// Returns an output, which must be verified.
fn by(
    text: &str,
    convert: impl Fn(Unit<'_>, &Options) -> Rewritten,
) -> Result<String, TestCaseError> {
    let context = Context::retrieval(OWN.parse().unwrap(), "test");
    let unit = Unit::new(text.as_bytes(), RESPONSE, &context);
    let options = Options::default().with_verify(Verify::Full);
    let rewritten = convert(unit, &options);
    // A base may have to stay, which is reported.
    prop_assert!(
        matches!(rewritten.verify_error(), None | Some(VerifyError::Base)),
        "{:?}",
        rewritten.verify_error()
    );
    let output = rewritten
        .into_output()
        .map_or_else(|| text.into(), |out| String::from_utf8_lossy(&out).into_owned());
    prop_assert!(length(&output) != Some(false), "{output}");
    Ok(output)
}

fn check(text: &str) -> Result<(), TestCaseError> {
    let before = targets(text, OWN);
    let absolute = by(text, absolutize)?;
    prop_assert_eq!(&targets(&absolute, OWN), &before, "{}", absolute);
    prop_assert_eq!(by(&absolute, absolutize)?, absolute.clone(), "a second run");
    for start in [text, &absolute] {
        let relative = Relative::below("http://h.example/");
        let output = by(start, |unit, options| relativize(unit, options, &relative))?;
        prop_assert_eq!(&targets(&output, OWN), &before, "{}", output);
    }
    let (from, to, new) = ("http://h.example/", "https://k.example/m/", "https://k.example/m/d/p");
    let mut moves = PrefixMap::default();
    prop_assert!(moves.add(from, to, []).is_ok());
    let to_move = Move::by(moves);
    let moved = by(text, |unit, options| {
        let new_place = Some(NewPlace { url: &new.parse().unwrap(), root: to });
        relocate(unit.with_new_place(new_place), options, &to_move)
    })?;
    let expected: Vec<Option<String>> = before
        .iter()
        .map(|url| url.as_ref().map(|url| url.as_str().replacen(from, to, 1)))
        .collect();
    let found: Vec<Option<String>> =
        targets(&moved, new).into_iter().map(|url| url.map(String::from)).collect();
    prop_assert_eq!(found, expected, "{}", moved);
    Ok(())
}

#[test]
fn references_lead_where_they_led() {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse().ok());
    let cases = number("RELINK_CASES").and_then(|cases: u64| u32::try_from(cases).ok());
    let config = Config {
        cases: cases.unwrap_or(3_000),
        rng_seed: RngSeed::Fixed(number("RELINK_SEED").unwrap_or(9110)),
        failure_persistence: None,
        ..Config::default()
    };
    let result = TestRunner::new(config).run(&response(), |text| check(&text));
    if let Err(error) = result {
        assert_eq!(error.to_string(), "", "a response breaks the law");
    }
}
