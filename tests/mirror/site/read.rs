//! The references of one document, each with a name by which it is known again in another version
//! of the document. Read by html5ever, cssparser, roxmltree and serde_json.

use std::borrow::Cow;
use std::collections::BTreeMap;

use encoding_rs::{UTF_8, WINDOWS_1252};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::{ParseOpts, ns, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use url::Url;

use super::pages::Kind;
use crate::judge::slots::{Element, Shape, cut, slot};
use crate::judge::{css, split};

/// A reference of a document.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    /// The element and the attribute.
    pub(super) slot: String,
    pub(super) text: String,
    /// `None` if the URL cannot be parsed.
    pub(super) target: Option<Url>,
    /// True if it is metadata, which may stay a URL of the live site.
    pub(super) is_metadata: bool,
}

/// The references of a document at a URL, by name.
pub(super) type References = BTreeMap<String, Reference>;

/// Returns the references of a document of a kind.
pub(super) fn references(kind: Kind, bytes: &[u8], url: &Url) -> References {
    let mut reader = Reader { found: References::new(), charset: UTF_8 };
    match kind {
        Kind::Html | Kind::Latin => {
            let text = decoded(bytes, &mut reader);
            reader.page(&text, url, true, "");
        }
        Kind::Css => {
            reader.pieces("css", "url()", &css::split(&decoded(bytes, &mut Reader::default())), url)
        }
        Kind::Svg => reader.svg(&String::from_utf8_lossy(bytes), url),
        Kind::Manifest => reader.manifest(bytes, url),
        Kind::Script | Kind::Picture | Kind::Font => {}
    }
    reader.found
}

fn decoded<'b>(bytes: &'b [u8], reader: &mut Reader) -> Cow<'b, str> {
    let head = bytes[..bytes.len().min(1024)].to_ascii_lowercase();
    let latin = b"charset=iso-8859-1";
    if head.windows(latin.len()).any(|part| part == latin) {
        reader.charset = WINDOWS_1252;
    }
    reader.charset.decode_without_bom_handling(bytes).0
}

struct Reader {
    found: References,
    /// The charset of the document, in which queries are escaped.
    charset: &'static encoding_rs::Encoding,
}

impl Default for Reader {
    fn default() -> Self {
        Reader { found: References::new(), charset: UTF_8 }
    }
}

impl Reader {
    fn add(&mut self, name: String, slot: &str, text: &str, base: &Url, is_metadata: bool) {
        let charset = self.charset;
        let encode = escaped_by(|text| Cow::Owned(charset.encode(text).0.into_owned()));
        let target =
            Url::options().base_url(Some(base)).encoding_override(Some(&encode)).parse(text).ok();
        let reference =
            Reference { slot: slot.to_owned(), text: text.to_owned(), target, is_metadata };
        self.found.insert(name, reference);
    }

    fn pieces(&mut self, name: &str, slot: &str, pieces: &split::Pieces<'_>, base: &Url) {
        for (idx, piece) in pieces.urls.iter().enumerate() {
            if !piece.text.is_empty() || piece.explicit {
                self.add(format!("{name}/{idx}"), slot, &piece.text, base, false);
            }
        }
    }

    /// Reads a page, or the markup inside `noscript` and its like.
    fn page(&mut self, text: &str, outer: &Url, has_base: bool, prefix: &str) {
        let mut opts = ParseOpts::default();
        opts.tree_builder.scripting_enabled = true;
        let dom = parse_document(RcDom::default(), opts).one(StrTendril::from(text));
        let mut nodes = Vec::new();
        flatten(&dom.document, &mut nodes);
        let href = nodes.iter().find_map(base_href).filter(|_| has_base);
        let base = href.and_then(|href| outer.join(&href).ok()).unwrap_or_else(|| outer.clone());
        for node in &nodes {
            let NodeData::Element { name, attrs, .. } = &node.data else { continue };
            let element = Element { name, attrs: attrs.borrow() };
            // What has no number was added by the mirroring program.
            let number = element.get("data-n").map(|number| format!("{prefix}{number}"));
            let tag = &*name.local;
            for attr in element.attrs.iter() {
                let Some(number) = &number else { continue };
                let Some(found) = slot(&element, &attr.name) else { continue };
                if tag == "base" || found.shape == Shape::Srcdoc {
                    continue;
                }
                let slot = format!("{tag}[{}]", attr.name.local);
                let is_canonical = element.get("rel") == Some("canonical");
                let is_metadata =
                    is_canonical || tag == "meta" && element.get("property").is_some();
                let pieces = cut(found, &attr.value);
                for (idx, piece) in pieces.urls.iter().enumerate() {
                    if piece.text.is_empty() && !piece.explicit {
                        continue;
                    }
                    let name = format!("{number}/{}/{idx}", attr.name.local);
                    self.add(name, &slot, &piece.text, &base, is_metadata);
                }
            }
            let inner = || -> String {
                let children = node.children.borrow();
                let texts = children.iter().map(|child| match &child.data {
                    NodeData::Text { contents } => contents.borrow().to_string(),
                    _ => String::new(),
                });
                texts.collect()
            };
            match (tag, number) {
                ("style", Some(number)) => {
                    self.pieces(&number, "<style>", &css::split(&inner()), &base);
                }
                ("noscript" | "noframes", _) => self.page(&inner(), &base, false, "in/"),
                _ => {}
            }
        }
    }

    fn svg(&mut self, text: &str, url: &Url) {
        let Ok(document) = roxmltree::Document::parse(text) else { return };
        for node in document.descendants() {
            let (Some(number), Some(attr)) =
                (node.attribute("data-n"), node.attributes().find(|attr| attr.name() == "href"))
            else {
                continue;
            };
            self.add(format!("{number}/href"), "svg[href]", attr.value(), url, false);
        }
    }

    fn manifest(&mut self, bytes: &[u8], url: &Url) {
        let Ok(value) = serde_json::from_slice::<serde_json::Value>(bytes) else { return };
        for pointer in ["/start_url", "/icons/0/src", "/icons/1/src"] {
            if let Some(text) = value.pointer(pointer).and_then(serde_json::Value::as_str) {
                self.add(pointer.to_owned(), "manifest", text, url, false);
            }
        }
    }
}

/// A closure with the type that the `url` crate wants, for any lifetime.
fn escaped_by<F: Fn(&str) -> Cow<'_, [u8]>>(encode: F) -> F {
    encode
}

/// Collects all nodes in tree order.
fn flatten(root: &Handle, nodes: &mut Vec<Handle>) {
    let mut stack = vec![root.clone()];
    while let Some(node) = stack.pop() {
        stack.extend(node.children.borrow().iter().rev().cloned());
        nodes.push(node);
    }
}

fn base_href(node: &Handle) -> Option<String> {
    let NodeData::Element { name, attrs, .. } = &node.data else { return None };
    let element = Element { name, attrs: attrs.borrow() };
    let is_base = name.ns == ns!(html) && &*name.local == "base";
    element.get("href").filter(|_| is_base).map(str::to_owned)
}

/// Returns the target of the `meta` refresh of a page.
pub(super) fn refresh(bytes: &[u8], url: &Url) -> Option<Url> {
    let text = String::from_utf8_lossy(bytes);
    let dom = parse_document(RcDom::default(), ParseOpts::default()).one(StrTendril::from(&*text));
    let mut nodes = Vec::new();
    flatten(&dom.document, &mut nodes);
    nodes.iter().find_map(|node| {
        let NodeData::Element { name, attrs, .. } = &node.data else { return None };
        let element = Element { name, attrs: attrs.borrow() };
        let is_refresh = element.get("http-equiv")?.eq_ignore_ascii_case("refresh");
        let pieces = split::refresh(element.get("content").filter(|_| is_refresh)?);
        url.join(&pieces.urls.first()?.text).ok()
    })
}
