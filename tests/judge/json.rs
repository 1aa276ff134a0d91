//! JSON, as files and in scripts: manifests, import maps, speculation rules, JSON-LD, feeds. Where
//! they hold references is reported by the way to each string.

use std::borrow::Cow;

use serde_json::Value;

use super::check::is_absolute;
use super::split::{Cutter, Pieces};

/// What a document is.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Data {
    ImportMap,
    Rules,
    Linked,
    #[allow(dead_code)] // Not every test program has files in JSON.
    Manifest,
    #[allow(dead_code)]
    Feed,
}

impl Data {
    /// By the type of the script, as it is written.
    pub(crate) fn of(kind: &str) -> Option<Self> {
        let kind = kind.trim_matches(|c: char| c.is_ascii_whitespace()).to_ascii_lowercase();
        let essence = kind.split(';').next().unwrap_or_default();
        match (kind.as_str(), essence.trim_end_matches(|c: char| c.is_ascii_whitespace())) {
            ("importmap", _) => Some(Self::ImportMap),
            ("speculationrules", _) => Some(Self::Rules),
            (_, "application/ld+json") => Some(Self::Linked),
            _ => None,
        }
    }
}

/// Cuts a document; one that is no JSON, or has a base of its own, holds no reference. HTML in
/// feeds is not looked into.
pub(crate) fn split(text: &str, data: Data) -> Pieces<'_> {
    let whole = Cutter::new(text);
    let Ok(value) = serde_json::from_str::<Value>(text) else { return whole.end() };
    if data == Data::Linked && has_base(&value, false)
        || data == Data::Manifest && value.get("manifest_version").is_some()
    {
        return whole.end();
    }
    let mut reader = Reader { text, at: 0, cutter: Cutter::new(text), data, way: Vec::new() };
    reader.value();
    reader.cutter.end()
}

/// Does a context in it name a base?
fn has_base(value: &Value, context: bool) -> bool {
    match value {
        Value::Array(list) => list.iter().any(|value| has_base(value, context)),
        Value::Object(members) => members.iter().any(|(name, value)| {
            context && name == "@base"
                || (context || name != "@value") && has_base(value, context || name == "@context")
        }),
        _ => false,
    }
}

/// Reads a text that is JSON, and remembers the way to where it is: names of members, and `[]` for
/// a list.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    cutter: Cutter<'a>,
    data: Data,
    way: Vec<String>,
}

impl Reader<'_> {
    fn peek(&mut self) -> u8 {
        while self.text.as_bytes().get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.text.as_bytes().get(self.at).copied().unwrap_or_default()
    }

    fn value(&mut self) {
        match self.peek() {
            b'"' => {
                let (start, end, text) = self.string();
                self.offer(start, end, text, false);
            }
            open @ (b'{' | b'[') => {
                self.at += 1;
                self.inside(open == b'{');
            }
            _ => {
                let rest = self.text.get(self.at..).unwrap_or_default();
                let len = rest.find([',', ']', '}']).unwrap_or(rest.len());
                self.at += len;
            }
        }
    }

    fn inside(&mut self, members: bool) {
        loop {
            match self.peek() {
                b'}' | b']' => break,
                b',' => self.at += 1,
                b'"' if members => {
                    let (start, end, name) = self.string();
                    self.offer(start, end, name.clone(), true);
                    self.peek();
                    self.at += 1;
                    self.way.push(name);
                    self.value();
                    self.way.pop();
                }
                _ => {
                    self.way.push("[]".into());
                    self.value();
                    self.way.pop();
                }
            }
        }
        self.at += 1;
    }

    /// The string here: where its inside is, and what it says. Half a surrogate pair is U+FFFD.
    fn string(&mut self) -> (usize, usize, String) {
        let start = self.at + 1;
        let mut end = start;
        let bytes = self.text.as_bytes();
        while bytes.get(end).is_some_and(|byte| *byte != b'"') {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        self.at = end + 1;
        let raw = self.text.get(start..end).unwrap_or_default();
        let text = serde_json::from_str(&format!("\"{raw}\"")).unwrap_or_default();
        (start, end, text)
    }

    fn offer(&mut self, start: usize, end: usize, text: String, name: bool) {
        let way: Vec<&str> = self.way.iter().map(String::as_str).collect();
        let found = match self.data {
            Data::ImportMap => import_map(&way, name, &text),
            Data::Rules => !name && rules(&way),
            Data::Linked => !name && linked(&way),
            Data::Manifest => !name && manifest(&way),
            Data::Feed => !name && feed(&way),
        };
        if found {
            let explicit = name && way == ["scopes"];
            self.cutter.cut(start, end, Cow::Owned(text), explicit);
        }
    }
}

fn import_map(way: &[&str], name: bool, text: &str) -> bool {
    // HTML standard, "resolve a URL-like module specifier".
    let like_url = text.starts_with('/')
        || text.starts_with("./")
        || text.starts_with("../")
        || is_absolute(text);
    match (way, name) {
        (["scopes"], true) => true,
        (["imports" | "integrity"] | ["scopes", _], true) => like_url,
        (["imports", _] | ["scopes", _, _], false) => {
            like_url && way.iter().all(|part| *part != "[]")
        }
        _ => false,
    }
}

fn manifest(way: &[&str]) -> bool {
    let images = |way: &[&str]| matches!(way, ["icons", "[]", "src"]);
    match way {
        ["start_url" | "scope"] => true,
        ["screenshots", "[]", "src"] | ["icons_localized", _, "[]", "src"] => {
            way[1] != "[]" || way.len() == 3
        }
        ["shortcuts" | "protocol_handlers" | "related_applications", "[]", "url"] => true,
        ["share_target" | "file_handlers", "action"] => way[0] == "share_target",
        ["file_handlers", "[]", "action"] => true,
        ["file_handlers" | "shortcuts", "[]", rest @ ..] => images(rest),
        ["note_taking", "new_note_url"] | ["serviceworker", "src"] => true,
        way => images(way),
    }
}

fn feed(way: &[&str]) -> bool {
    let person = |way: &[&str]| {
        matches!(way, ["author", "url" | "avatar"] | ["authors", "[]", "url" | "avatar"])
    };
    match way {
        ["home_page_url" | "feed_url" | "next_url" | "icon" | "favicon"] => true,
        ["hubs", "[]", "url"] | ["items", "[]", "attachments", "[]", "url"] => true,
        ["items", "[]", "url" | "external_url" | "image" | "banner_image"] => true,
        ["items", "[]", rest @ ..] => person(rest),
        way => person(way),
    }
}

fn rules(way: &[&str]) -> bool {
    matches!(way, ["prefetch" | "prerender" | "prerender_until_script", "[]", "urls", "[]"])
}

fn linked(way: &[&str]) -> bool {
    const NAMES: [&str; 7] =
        ["url", "image", "logo", "contentUrl", "thumbnailUrl", "embedUrl", "sameAs"];
    let last = way.iter().rev().find(|part| **part != "[]");
    last.is_some_and(|last| NAMES.contains(last))
        && !way.iter().any(|part| matches!(*part, "@context" | "@value"))
}
