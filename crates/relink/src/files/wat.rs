//! Records of WAT files, which describe the pages of a web archive: the links of a page as JSON.
//!
//! The format is that of `ia-web-commons`, which writes these files for Common Crawl. The links are
//! written as a page again, which is read as any other: one rule for slots, bases and targets.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{SeqAccess, Visitor};
use serde_json::Value;

/// The media type of a description.
pub(crate) const MEDIA_TYPE: &str = "application/json";

/// What a record of a WAT file describes.
#[derive(Deserialize)]
struct Description {
    #[serde(rename = "Envelope")]
    envelope: Option<Envelope>,
}

#[derive(Deserialize)]
struct Envelope {
    #[serde(rename = "WARC-Header-Metadata", default)]
    record: RecordFields,
    #[serde(rename = "Payload-Metadata", default)]
    payload: Payload,
}

#[derive(Default, Deserialize)]
struct RecordFields {
    #[serde(rename = "WARC-Type")]
    record_type: Option<String>,
    #[serde(rename = "WARC-Date")]
    date: Option<String>,
}

#[derive(Default, Deserialize)]
struct Payload {
    #[serde(rename = "HTTP-Response-Metadata")]
    response: Option<Response>,
}

#[derive(Deserialize)]
struct Response {
    #[serde(rename = "Response-Message", default)]
    message: BTreeMap<String, Value>,
    #[serde(rename = "Headers", default)]
    fields: BTreeMap<String, Value>,
    #[serde(rename = "HTML-Metadata")]
    html: Option<Html>,
}

#[derive(Deserialize)]
struct Html {
    #[serde(rename = "Head", default)]
    head: Head,
    #[serde(rename = "Links", default)]
    links: Elements,
}

#[derive(Default, Deserialize)]
struct Head {
    #[serde(rename = "Base")]
    base: Option<String>,
    #[serde(rename = "Metas", default)]
    metas: Elements,
    #[serde(rename = "Link", default)]
    links: Elements,
    #[serde(rename = "Scripts", default)]
    scripts: Elements,
}

/// The HTML of a list of elements.
#[derive(Default)]
struct Elements(String);

/// A page, or a redirect, that a record describes.
pub(crate) struct Described {
    /// A response with the references that are known.
    pub(crate) message: Vec<u8>,
    /// The time at which it was captured.
    pub(crate) date: Option<String>,
}

/// Returns what a record describes if it is an HTTP response.
///
/// # Errors
///
/// Those of the JSON.
pub(crate) fn described(json: &[u8]) -> Result<Option<Described>, serde_json::Error> {
    let description: Description = serde_json::from_slice(json)?;
    let Some(Envelope { record, payload }) = description.envelope else { return Ok(None) };
    let is_response = record.record_type.is_none_or(|name| name == "response");
    let Some(response) = payload.response.filter(|_| is_response) else { return Ok(None) };
    let mut text = header_section(&response);
    if let Some(Html { head, links }) = response.html {
        if let Some(base) = head.base {
            element(&mut text, "base", &[("href", &base)], "");
        }
        for Elements(html) in [head.metas, head.links, head.scripts, links] {
            text.push_str(&html);
        }
    }
    Ok(Some(Described { message: text.into_bytes(), date: record.date }))
}

/// Returns the header section of a response, whose body is in UTF-8 and has no codings here.
fn header_section(response: &Response) -> String {
    let status = response.message.get("Status").and_then(Value::as_str);
    let status = status.filter(|code| code.len() == 3 && code.parse::<u16>().is_ok());
    let mut text = format!("HTTP/1.1 {} \r\n", status.unwrap_or("200"));
    for (name, value) in &response.fields {
        let is_of_body = name.to_ascii_lowercase().starts_with("content-");
        if is_of_body || name.eq_ignore_ascii_case("transfer-encoding") || !is_name(name) {
            continue;
        }
        // A field that is there several times has a list.
        let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        for value in values.iter().filter_map(Value::as_str) {
            text.extend([name, ": ", &value.replace(['\r', '\n', '\0'], " "), "\r\n"]);
        }
    }
    text + "Content-Type: text/html; charset=utf-8\r\n\r\n"
}

impl<'de> Deserialize<'de> for Elements {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;

        impl<'de> Visitor<'de> for List {
            type Value = Elements;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list of elements")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Elements, A::Error> {
                let mut html = String::new();
                while let Some(fields) = list.next_element()? {
                    described_element(&mut html, &fields);
                }
                Ok(Elements(html))
            }
        }

        deserializer.deserialize_seq(List)
    }
}

/// Writes the element with a link, such as `{"path": "A@/href", "url": "b", "text": "B"}`; one
/// without a path is a `<meta>`.
fn described_element(html: &mut String, fields: &BTreeMap<String, Value>) {
    let field = |name: &str| fields.get(name).and_then(Value::as_str);
    let path = field("path");
    if path == Some("STYLE/#text") {
        let sheet = field("href").map(|url| format!("a{{b:url(\"{}\")}}", css_string(url)));
        return html.extend(["<style>", &sheet.unwrap_or_default(), "</style>"]);
    }
    let path = path.map_or(Some(("meta", "")), |path| path.split_once("@/"));
    // The content of <plaintext> has no end.
    let is_element = |name: &str| is_name(name) && !name.eq_ignore_ascii_case("plaintext");
    let Some((name, attribute)) = path.filter(|(name, _)| is_element(name)) else { return };
    let own = ["path", "url", "text", attribute];
    let others = fields.iter().filter(|(name, _)| !own.contains(&&***name) && is_name(name));
    let others = others.filter_map(|(name, value)| Some((&**name, value.as_str()?)));
    let url = field("url").filter(|_| is_name(attribute)).map(|url| (attribute, url));
    let attributes: Vec<_> = url.into_iter().chain(others).collect();
    element(html, name, &attributes, field("text").unwrap_or_default());
}

/// Returns true for what the name of an element, an attribute or a field may be here.
fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn element(html: &mut String, name: &str, attributes: &[(&str, &str)], text: &str) {
    html.extend(["<", name]);
    for (attribute, value) in attributes {
        html.extend([" ", attribute, "=\"", &escaped(value), "\""]);
    }
    html.extend([">", &escaped(text), "</", name, ">"]);
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}

/// Returns a text for a string of CSS in quotes, which does not end the element either.
fn css_string(text: &str) -> String {
    let mut written = String::new();
    for c in text.chars() {
        match c {
            '"' | '\\' | '<' | '\n' | '\r' | '\x0C' => {
                written.push_str(&format!("\\{:x} ", c as u32))
            }
            c => written.push(c),
        }
    }
    written
}
