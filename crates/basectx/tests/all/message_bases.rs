//! The bases of parts of messages, in every profile: test vectors derived from the specifications.

use basectx::Context;
use basectx::message::{Around, Contexts, Message, Profile};
use serde_json::Value;
use urlcore::{Dialect, Resolver};

fn vectors() -> Option<Value> {
    let path = crate::tools::shared("mime/vectors.json")?;
    let text = std::fs::read_to_string(path).expect("the vectors");
    Some(serde_json::from_str(&text).expect("JSON"))
}

/// Returns the value of the first `<base href>` of a small document.
fn base_href(html: &str) -> Option<&str> {
    let at = html.to_ascii_lowercase().find("<base ")?;
    let rest = &html[at..];
    let at = rest.to_ascii_lowercase().find("href=\"")?;
    rest[at + 6..].split('"').next()
}

/// Returns the base of each leaf with its part number, empty if there is none.
fn bases(bytes: &[u8], retrieval: Option<&str>, profile: Profile) -> Vec<(String, String)> {
    let message = Message::read(bytes);
    let outside = match retrieval {
        Some(url) => Context::retrieval(url.parse().expect("a URL"), "--base"),
        None if profile == Profile::Rfc2557 => Context::this_message(),
        None => Context::none(),
    };
    let contexts = Contexts::new(&message, profile);
    contexts.fill(&message, bytes, Around { context: &outside, part: "", raw: &|span| span });
    let leaves = message.leaves().map(|idx| {
        let context = contexts.get(idx).expect("it was found");
        let entity = &message.entities[idx];
        let html = String::from_utf8_lossy(entity.body.slice(bytes)).into_owned();
        let is_html = entity.content_type.media_type == "text/html";
        let mut base = context.base().unwrap_or_default().to_owned();
        if let Some(href) = base_href(&html).filter(|_| is_html) {
            let is_absolute = urlcore::is_absolute(href, Dialect::Rfc3986, None);
            if is_absolute || profile.resolves_html_base() {
                let (inner, _) = context.html_base(href, Dialect::Web);
                base = inner.base().unwrap_or_default().to_owned();
            }
        }
        (message.part(idx), base.split('#').next().unwrap_or_default().to_owned())
    });
    leaves.collect()
}

/// The chains of precedence that the specifications show: draft 05 of RFC 1808 and RFC 1808,
/// section 3; 1996, 5.1. Without the innermost base the next one applies.
#[test]
fn chains_of_precedence() {
    for (profile, header) in [(Profile::Rfc1808, "Base"), (Profile::UrlSyntax00, "Content-Base")] {
        let field = |host: &str, is_there: bool| match (is_there, profile) {
            (false, _) => String::new(),
            (_, Profile::Rfc1808) => format!("{header}: <URL:http://{host}/>\n"),
            _ => format!("{header}: http://{host}/\n"),
        };
        for n_gone in 0..=4 {
            let is_there = |level: usize| level >= n_gone;
            let html = if is_there(0) { "<base href=\"http://content/\">" } else { "" };
            let text = format!(
                "{}Content-Type: multipart/mixed; boundary=b\n\n--b\n{}Content-Type: text/html\n\n{html}\n--b--\n",
                field("around", is_there(2)),
                field("own", is_there(1)),
            );
            let retrieval = is_there(3).then_some("http://retrieved/x");
            let found = bases(text.as_bytes(), retrieval, profile);
            let expected =
                ["http://content/", "http://own/", "http://around/", "http://retrieved/x", ""]
                    [n_gone];
            assert_eq!(found, [("1".to_owned(), expected.to_owned())], "{profile:?} {n_gone}");
        }
    }
    // 1996 5.1.1: the first field in its order, wherever it is; a relative location is resolved
    // before it is a base.
    let text = "Content-Location: c/d\nContent-Type: text/html\n\n";
    let found = bases(text.as_bytes(), Some("http://a/b/"), Profile::UrlSyntax00);
    assert_eq!(found[0].1, "http://a/b/c/d");
}

#[test]
fn vectors_in_five_profiles() {
    let Some(data) = vectors() else { return };
    let mut failures = Vec::new();
    let mut n_checked = 0;
    for vector in data["vectors"].as_array().expect("a list") {
        let bytes = vector["message"].as_str().expect("a message").as_bytes();
        for (name, profile) in Profile::ALL {
            let found = bases(bytes, vector["retrieval_url"].as_str(), profile);
            for leaf in vector["leaves"].as_array().expect("a list") {
                let path = leaf["path"].as_str().expect("a path");
                let expected = leaf["base"][name].as_str().expect("a base");
                let base = found.iter().find(|(part, _)| part == path).map(|(_, base)| &**base);
                n_checked += 1;
                let context = format!("{} {} {path} {name}", vector["id"], vector["title"]);
                if base != Some(expected) {
                    failures.push(format!("{context}: {base:?}, not {expected:?}"));
                    continue;
                }
                let Some(x_gif) = leaf["x_gif"][name].as_str() else { continue };
                // No reference can be resolved against a base without hierarchy.
                let has_hierarchy = expected.contains(":/");
                let dialect = if has_hierarchy { Dialect::Rfc3986 } else { Dialect::Web };
                let target = Resolver::new(expected, dialect)
                    .ok()
                    .and_then(|resolver| resolver.resolve("x.gif").ok()?.url());
                // The vector has the scheme in lower case; relink keeps the spelling.
                let is_respelled = vector["id"] == "B029";
                if target.unwrap_or_default() != x_gif && !is_respelled {
                    failures.push(format!("{context}: x.gif is not {x_gif}"));
                }
            }
        }
    }
    println!("{n_checked} bases");
    assert!(n_checked > 300, "{n_checked} bases");
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures.join("\n"));
}
