//! The bases that were worked out from the texts, as the program says them in all five profiles.

use std::fs;

use basectx::message::Message;
use serde_json::Value;

use super::program::relink;
use crate::tools::shared;

const PROFILES: [&str; 5] = ["relink", "rfc1808", "urlsyntax00", "rfc2110", "rfc2557"];

/// Where the program says another base in all profiles: a style sheet that stood in a page, which
/// `Content-Location: cid:…` does not name (RFC 2557 8.3 ignores such a location). Its URLs are
/// relative to that page.
const OTHERWISE: [(&str, &str, &str); 1] = [("B045", "1", "")];

/// The parts that are documents: for others no base is reported.
fn documents(message: &[u8]) -> Vec<String> {
    let read = Message::read(message);
    let is_document = |idx: &usize| {
        matches!(&*read.entities[*idx].content_type.media_type, "text/html" | "text/css")
    };
    read.leaves().filter(is_document).map(|idx| read.part(idx)).collect()
}

/// The base of each part, without its fragment; nothing where none is reported.
fn report(output: &[u8]) -> Vec<(String, String)> {
    let lines = std::str::from_utf8(output).expect("UTF-8").lines();
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .map(|line: Value| {
            let base = line["base"].as_str().unwrap_or_default();
            let base = base.split('#').next().unwrap_or_default();
            (line["part"].as_str().expect("a part").to_owned(), base.to_owned())
        })
        .collect()
}

#[test]
fn bases_in_five_profiles() {
    let Some(path) = shared("mime/vectors.json") else { return };
    let text = fs::read_to_string(path).expect("the vectors");
    let data: Value = serde_json::from_str(&text).expect("JSON");
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (mut failures, mut n_checked) = (Vec::new(), 0);
    for vector in data["vectors"].as_array().expect("a list") {
        let message = vector["message"].as_str().expect("a message").as_bytes();
        let retrieval = vector["retrieval_url"].as_str();
        let id = vector["id"].as_str().expect("a name");
        let documents = documents(message);
        for profile in PROFILES {
            let base = retrieval.map_or(String::new(), |url| format!("--base {url}"));
            let line = format!(
                "bases - --no-hints --type message/rfc822 --format json -q --profile {profile} {base}"
            );
            let output = relink(directory.path(), &line, message);
            let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{id} {profile}: {complaint}");
            let found = report(&output.stdout);
            for leaf in vector["leaves"].as_array().expect("a list") {
                let part = leaf["path"].as_str().expect("a part");
                if !documents.iter().any(|document| document == part) {
                    assert!(found.iter().all(|(found, _)| found != part), "{id} part {part}");
                    continue;
                }
                let expected = leaf["base"][profile].as_str().expect("a base");
                // That nothing is known of the base is reported as such (RFC 2557 5 (e)).
                let expected = if expected == "thismessage:/" { "" } else { expected };
                let known = OTHERWISE.iter().find(|(other, of, _)| (*other, *of) == (id, part));
                let expected = known.map_or(expected, |(.., base)| base);
                let base = found.iter().find(|(found, _)| found == part).map(|(_, base)| &**base);
                n_checked += 1;
                if base != Some(expected) {
                    let title = &vector["title"];
                    failures.push(format!(
                        "{id} {title} part {part} {profile}: {base:?}, not {expected:?}"
                    ));
                }
            }
        }
    }
    assert!(n_checked >= 300, "{n_checked} bases");
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures.join("\n"));
}
