//! Whether a document points where another one pointed, as roxmltree and the `url` crate read them:
//! they share nothing with the program.
//!
//! Both are read node by node. Names, comments, instructions and the values outside of slots must
//! be equal. In a value of a slot all that is no reference must be equal, and each reference must
//! lead where it led, or where that has moved.

use roxmltree::{Document, Node, NodeType, ParsingOptions};
use url::Url;

use super::generate::{
    ATOM, CONTENT, HTML, INCLUDE, MATH, MEDIA, OPF, RDF, SITEMAP, SVG, XLINK, XSI,
};

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    Reference,
    /// A reference, if it is not empty.
    Filled,
    /// A reference that stays where it begins with `#`.
    Local,
    Base,
    XmlBase,
    Candidates,
    Sheet,
    Html,
    Pairs,
}

/// What holds at a place, before and after; none where it is not known.
#[derive(Clone, Debug)]
struct Bases([Option<Url>; 2]);

/// Where a target is in the output.
pub(crate) type Move<'m> = &'m dyn Fn(&Url) -> Option<Url>;

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    pub(crate) n_references: usize,
    pub(crate) n_changed: usize,
    pub(crate) n_moved: usize,
    pub(crate) faults: Vec<String>,
}

/// Compares two documents. `own` are their URLs.
pub(crate) fn compare(old: &str, new: &str, own: [&str; 2], moves: Option<Move<'_>>) -> Verdict {
    let parse = |text| {
        let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
        Document::parse_with_options(text, options)
    };
    let mut verdict = Verdict::default();
    let [old, new] = match [parse(old), parse(new)] {
        [Ok(old), Ok(new)] => [old, new],
        [old, new] => {
            verdict.faults.push(format!("{:?} {:?}", old.err(), new.err()));
            return verdict;
        }
    };
    let own = own.map(|url| Url::parse(url).unwrap());
    let root = old.root_element();
    let fallback = Bases(own.clone().map(Some));
    let document = Bases([document_base(&old, &own[0]), document_base(&new, &own[1])]);
    let judge = Judge {
        is_rss: root.tag_name().namespace().is_none() && root.tag_name().name() == "rss",
        is_of_web: matches!(root.tag_name().namespace(), Some(HTML | SVG)),
        fallback,
        document: document.clone(),
        moves,
    };
    judge.node(&mut verdict, old.root(), new.root(), &document);
    verdict
}

fn attribute<'n>(node: Node<'n, '_>, name: &str) -> Option<&'n str> {
    node.attributes().find(|a| a.namespace().is_none() && a.name() == name).map(|a| a.value())
}

/// The base that the first `<base href>` gives.
fn document_base(document: &Document<'_>, own: &Url) -> Option<Url> {
    let is_base = |node: &Node<'_, '_>| node.has_tag_name((HTML, "base"));
    let href = document.descendants().filter(is_base).find_map(|node| attribute(node, "href"));
    html_base(href, Some(own))
}

fn html_base(href: Option<&str>, own: Option<&Url>) -> Option<Url> {
    let Some(href) = href else { return own.cloned() };
    if href.contains("{{") {
        return None;
    }
    let base = resolve(own, href).filter(|base| !matches!(base.scheme(), "data" | "javascript"));
    base.or_else(|| own.cloned())
}

fn resolve(base: Option<&Url>, text: &str) -> Option<Url> {
    match base {
        Some(base) => base.join(text).ok(),
        None => Url::parse(text).ok(),
    }
}

struct Judge<'j> {
    is_rss: bool,
    /// Whether browsers show it, so that elements that they read ignore `xml:base`.
    is_of_web: bool,
    fallback: Bases,
    document: Bases,
    moves: Option<Move<'j>>,
}

impl Judge<'_> {
    fn node(&self, verdict: &mut Verdict, old: Node<'_, '_>, new: Node<'_, '_>, outer: &Bases) {
        let same = old.node_type() == new.node_type()
            && old.tag_name() == new.tag_name()
            && old.children().count() == new.children().count();
        if !same || (old.node_type() == NodeType::Comment && old.text() != new.text()) {
            verdict.faults.push(format!("{old:?} is {new:?}"));
            return;
        }
        if let [Some(was), Some(is)] = [old.pi(), new.pi()] {
            if was.target != is.target {
                verdict.faults.push(format!("{was:?} is {is:?}"));
            }
            let slot = (was.target == "xml-stylesheet").then_some(Slot::Html);
            let [was, is] = [was, is].map(|pi| pi.value.unwrap_or_default());
            self.value(verdict, slot, was, is, &self.fallback);
        }
        let mut scope = outer.clone();
        let xml = "http://www.w3.org/XML/1998/namespace";
        let [was, is] = [old, new].map(|node| node.attribute((xml, "base")));
        if let [Some(was), Some(is)] = [was, is] {
            scope = Bases([nested(&outer.0[0], was), nested(&outer.0[1], is)]);
        }
        let is_shown = matches!(old.tag_name().namespace(), Some(HTML | SVG | MATH));
        let bases = if self.is_of_web && is_shown { &self.document } else { &scope };
        let names = |node: Node<'_, '_>| -> Vec<(String, String)> {
            let name = |a: roxmltree::Attribute<'_, '_>| {
                (a.namespace().unwrap_or_default().to_owned(), a.name().to_owned())
            };
            node.attributes().map(name).collect()
        };
        if names(old) != names(new) {
            verdict.faults.push(format!("{:?} is {:?}", names(old), names(new)));
            return;
        }
        for (was, is) in old.attributes().zip(new.attributes()) {
            let slot = self.slot_of(old, &was);
            let bases = match slot {
                Some(Slot::XmlBase) => outer,
                Some(Slot::Base) => &self.fallback,
                _ => bases,
            };
            self.value(verdict, slot, was.value(), is.value(), bases);
        }
        let slot = self.text_slot(old);
        // A text in pieces is left.
        let n_texts = old
            .children()
            .filter(|child| {
                child.is_text() && child.text().is_some_and(|text| !text.trim().is_empty())
            })
            .count();
        for (was, is) in old.children().zip(new.children()) {
            if was.is_text() && is.is_text() {
                let slot = slot.filter(|_| n_texts == 1);
                let texts = [was, is].map(|node| node.text().unwrap_or_default());
                self.value(verdict, slot, texts[0], texts[1], bases);
            } else {
                self.node(verdict, was, is, &scope);
            }
        }
    }

    fn slot_of(
        &self,
        node: Node<'_, '_>,
        attribute: &roxmltree::Attribute<'_, '_>,
    ) -> Option<Slot> {
        let element = node.tag_name().namespace().unwrap_or_default();
        let local = node.tag_name().name();
        match (attribute.namespace(), attribute.name()) {
            (Some("http://www.w3.org/XML/1998/namespace"), "base") => Some(Slot::XmlBase),
            (Some(XLINK), "href") if element == SVG && local != "a" => Some(Slot::Local),
            (Some(XLINK), "href") => Some(Slot::Filled),
            (Some(XSI), "schemaLocation") => Some(Slot::Pairs),
            (Some(RDF), _) | (Some(_), _) => None,
            (None, name) => match (element, local, name) {
                (HTML, "base", "href") => Some(Slot::Base),
                (HTML, "img", "usemap") => Some(Slot::Local),
                (HTML, "a", "href") | (HTML, "q", "cite") => Some(Slot::Reference),
                (HTML, "img", "src") => Some(Slot::Filled),
                (HTML, _, "style") | (SVG, _, "fill") => Some(Slot::Sheet),
                (HTML, "img", "srcset") => Some(Slot::Candidates),
                (HTML, "iframe", "srcdoc") => Some(Slot::Html),
                (SVG, "a", "href") | (MATH, _, "href") => Some(Slot::Filled),
                (SVG, _, "href") => Some(Slot::Local),
                (ATOM, "link", "href") | (INCLUDE, "include", "href") => Some(Slot::Reference),
                (MEDIA, "content", "url") | (OPF, "item", "href") => Some(Slot::Filled),
                ("", "enclosure", "url") if self.is_rss => Some(Slot::Filled),
                _ => None,
            },
        }
    }

    fn text_slot(&self, node: Node<'_, '_>) -> Option<Slot> {
        match (node.tag_name().namespace().unwrap_or_default(), node.tag_name().name()) {
            (HTML | SVG, "style") => Some(Slot::Sheet),
            (ATOM, "icon") | (SITEMAP, "loc") => Some(Slot::Filled),
            (ATOM, "content") if attribute(node, "type") == Some("html") => Some(Slot::Html),
            (CONTENT, "encoded") => Some(Slot::Html),
            ("", "link") if self.is_rss => Some(Slot::Filled),
            ("", "description") if self.is_rss => Some(Slot::Html),
            _ => None,
        }
    }

    fn value(
        &self,
        verdict: &mut Verdict,
        slot: Option<Slot>,
        old: &str,
        new: &str,
        bases: &Bases,
    ) {
        verdict.n_changed += usize::from(old != new);
        let Some(slot) = slot else {
            if old != new {
                verdict.faults.push(format!("{old:?} is {new:?}, and no slot"));
            }
            return;
        };
        // A list with a template in it is one text.
        if matches!(slot, Slot::Pairs | Slot::Candidates) && old.contains("{{") && old == new {
            return;
        }
        // What an entity is part of is left, wherever the tree goes.
        if self.moves.is_some() && old.contains("ENTITY") && old == new {
            return;
        }
        let (olds, news) = (pieces(slot, old), pieces(slot, new));
        let is_emptied = matches!(slot, Slot::Base | Slot::XmlBase) && new.trim().is_empty();
        let texts = |pieces: &[(bool, String)]| -> Vec<Option<String>> {
            pieces.iter().map(|(is_url, text)| (!is_url).then(|| text.clone())).collect()
        };
        if texts(&olds) != texts(&news) && !is_emptied {
            verdict.faults.push(format!("{slot:?}: {old:?} is {new:?}"));
            return;
        }
        let mut inner = bases.clone();
        if slot == Slot::Html {
            // HTML of its own may have a base.
            let base = |pieces: &[(bool, String)], idx: usize| {
                let at = pieces.iter().position(|(_, text)| text.ends_with("<base href=\""));
                let href = at.map(|at| pieces[at + 1].1.as_str());
                href.map_or(bases.0[idx].clone(), |href| {
                    html_base(Some(href), bases.0[idx].as_ref())
                })
            };
            inner = Bases([base(&olds, 0), base(&news, 1)]);
        }
        let mut is_base = false;
        for ((is_url, was), (_, is)) in olds.iter().zip(&news) {
            if *is_url {
                let (slot, bases) = if is_base { (Slot::Base, bases) } else { (slot, &inner) };
                self.reference(verdict, slot, was, is, bases);
            }
            is_base = was.ends_with("<base href=\"");
        }
    }

    fn reference(&self, verdict: &mut Verdict, slot: Slot, old: &str, new: &str, bases: &Bases) {
        verdict.n_references += 1;
        let is_local = matches!(slot, Slot::Local | Slot::Sheet) && old.starts_with('#');
        let is_none = old.trim().is_empty()
            && !matches!(slot, Slot::Reference | Slot::Base | Slot::XmlBase)
            && (slot != Slot::Html || old == new);
        if is_local || is_none || old.contains("{{") {
            if old != new {
                verdict.faults.push(format!("{slot:?}: {old:?} is {new:?}"));
            }
            return;
        }
        // Where the tree moves a base may stay, and lead elsewhere: what is resolved against it is
        // judged.
        let is_base = matches!(slot, Slot::Base | Slot::XmlBase);
        if is_base && (new.trim().is_empty() || self.moves.is_some()) {
            return;
        }
        let was = resolve(bases.0[0].as_ref(), old);
        let is = resolve(bases.0[1].as_ref(), new);
        let there = was.as_ref().zip(self.moves).and_then(|(was, moves)| moves(was));
        let is_moved = is.is_some() && is == there;
        verdict.n_moved += usize::from(is_moved && is != was);
        if is != was && !is_moved {
            let shown = |url: &Option<Url>| url.as_ref().map(Url::to_string);
            verdict.faults.push(format!(
                "{slot:?}: {old:?} to {:?} is {new:?} to {:?} under {bases:?}",
                shown(&was),
                shown(&is)
            ));
        }
    }
}

/// The base in an element with an `xml:base` (XML Base, section 4). One that is no base makes it
/// unknown.
fn nested(outer: &Option<Url>, value: &str) -> Option<Url> {
    if value.contains("{{") {
        return None;
    }
    resolve(outer.as_ref(), value)
}

/// A value cut into references (true) and what is between them.
fn pieces(slot: Slot, text: &str) -> Vec<(bool, String)> {
    let mut out = Vec::new();
    let mut rest = text;
    let mut push = |before: &str, url: &str| {
        out.push((false, before.to_owned()));
        out.push((true, url.to_owned()));
    };
    match slot {
        Slot::Reference | Slot::Filled | Slot::Local | Slot::Base | Slot::XmlBase => {
            let url = text.trim();
            let start = text.len() - text.trim_start().len();
            push(&text[..start], url);
            rest = &text[start + url.len()..];
        }
        Slot::Pairs => {
            // The second and the fourth word.
            let mut at = 0;
            for (idx, word) in text.split_ascii_whitespace().enumerate() {
                let start = at + text[at..].find(word).unwrap();
                if idx % 2 == 1 {
                    push(&text[text.len() - rest.len()..start], word);
                    rest = &text[start + word.len()..];
                }
                at = start + word.len();
            }
        }
        Slot::Candidates => {
            while let Some(end) = rest.find(" 1x").or_else(|| rest.find(" 2x")) {
                let start = rest.len() - rest.trim_start_matches([',', ' ']).len();
                push(&rest[..start.min(end)], &rest[start.min(end)..end]);
                rest = &rest[end + 3..];
                if !rest.starts_with(',') {
                    break;
                }
            }
        }
        Slot::Sheet => {
            const MARKS: &[(&str, char)] = &[("@import '", '\''), ("url( '", '\''), ("url(", ')')];
            while let Some((at, mark, close)) = first_of(rest, MARKS) {
                let start = at + mark.len();
                let len = rest[start..].find(close).unwrap_or(rest.len() - start);
                push(&rest[..start], &rest[start..start + len]);
                rest = &rest[start + len..];
            }
        }
        Slot::Html => {
            const MARKS: &[(&str, char)] = &[("href=\"", '"'), ("src='", '\'')];
            while let Some((at, mark, close)) = first_of(rest, MARKS) {
                let start = at + mark.len();
                let len = rest[start..].find(close).unwrap_or(rest.len() - start);
                let url = &rest[start..start + len];
                push(
                    &rest[..start],
                    &url.replace("&quot;", "\"")
                        .replace("&#39;", "'")
                        .replace("&lt;", "<")
                        .replace("&amp;", "&"),
                );
                rest = &rest[start + len..];
            }
        }
    }
    out.push((false, rest.to_owned()));
    out
}

/// The first of some marks in a text, the longer one where two begin at one place.
fn first_of<'m>(text: &str, marks: &[(&'m str, char)]) -> Option<(usize, &'m str, char)> {
    let found = marks.iter().filter_map(|(mark, close)| Some((text.find(mark)?, *mark, *close)));
    found.min_by_key(|(at, mark, _)| (*at, usize::MAX - mark.len()))
}
