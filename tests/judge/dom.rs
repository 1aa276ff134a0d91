//! Two trees of html5ever side by side.

use std::borrow::Cow;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::{ParseOpts, ns, parse_document};
use markup5ever_rcdom::{Handle, NodeData};
use url::Url;

use super::Verdict;
use super::nested::{Inside, attributes, comment, text};
use super::ordered::{Order, Ordered};
use super::slots::{Element, Moment};

/// The URLs that references of a document depend on; before and after where there are two.
pub(crate) struct Scope<'a> {
    pub(crate) own: &'a Url,
    pub(crate) fallback: [&'a Url; 2],
    /// The bases of the whole document.
    base: [Cow<'a, Url>; 2],
    /// The bases when the parser meets the start of it.
    at_start: [&'a Url; 2],
    /// The `base` elements, first in the tree first: the number of each, and what it gives.
    given: [Vec<(usize, Url)>; 2],
    /// The place of the walk: the number of the element, and whether it is in a template.
    place: Cell<(usize, bool)>,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(own: &'a Url, fallback: [&'a Url; 2]) -> Self {
        let (base, given) = (fallback.map(Cow::Borrowed), [Vec::new(), Vec::new()]);
        Self { own, fallback, base, at_start: fallback, given, place: Cell::default() }
    }

    /// The bases at the end of the document.
    pub(crate) fn bases(&self) -> [&Url; 2] {
        [&self.base[0], &self.base[1]]
    }

    /// The bases that hold when the parser meets the place of the walk: a `base` that comes later
    /// does not count. A template is cloned later.
    pub(crate) fn bases_when_parsed(&self) -> [&Url; 2] {
        let (number, is_in_template) = self.place.get();
        if is_in_template {
            return self.bases();
        }
        let given = |idx: usize| {
            let first = self.given[idx].iter().find(|(base, _)| *base < number);
            first.map_or(self.at_start[idx], |(_, url)| url)
        };
        [given(0), given(1)]
    }

    /// The bases of a moment: both of the whole document and those that hold at the place of the
    /// walk, if either may count.
    pub(crate) fn at(&self, moment: Moment) -> ([&Url; 2], Option<[&Url; 2]>) {
        match moment {
            Moment::Final => (self.bases(), None),
            Moment::Parsed => (self.bases_when_parsed(), None),
            Moment::Either => {
                let when_parsed = self.bases_when_parsed();
                let is_same = self.bases() == when_parsed;
                (self.bases(), (!is_same).then_some(when_parsed))
            }
        }
    }
}

/// Which base the references of a document follow.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Bases {
    /// Its first `base` element, else the fallback.
    Own,
    /// The one of the document around it.
    Outer,
}

/// Compares two versions of a document and everything in it.
pub(crate) fn document(
    verdict: &mut Verdict,
    texts: [&str; 2],
    outer: &Scope<'_>,
    bases: Bases,
    depth: usize,
) {
    let old = parse(texts[0]);
    let new = if texts[0] == texts[1] { old.clone() } else { parse(texts[1]) };
    let (Some(old), Some(new)) = (old, new) else {
        if texts[0] != texts[1] {
            verdict.violation(|| "a document that html5ever cannot read was changed".into());
        }
        return;
    };
    let fallback = match bases {
        Bases::Own => outer.bases(),
        Bases::Outer => outer.fallback,
    };
    let (base, at_start, given) = match bases {
        Bases::Own => {
            let given = [given(&old, fallback[0]), given(&new, fallback[1])];
            let first = |idx: usize| match given[idx].first() {
                Some((_, url)) => Cow::Owned(url.clone()),
                None => Cow::Borrowed(fallback[idx]),
            };
            ([first(0), first(1)], fallback, given)
        }
        Bases::Outer => (outer.base.clone(), outer.bases_when_parsed(), [Vec::new(), Vec::new()]),
    };
    let scope = Scope { own: outer.own, fallback, base, at_start, given, place: Cell::default() };
    // The roots are kept to the end: a node that goes empties its children, held or not.
    walk(verdict, &scope, &old, &new, depth);
}

/// The root of the tree and the order of its elements, or nothing where the parser gives up.
fn parse(text: &str) -> Option<(Handle, Order)> {
    let mut opts = ParseOpts::default();
    opts.tree_builder.scripting_enabled = true;
    let text = StrTendril::from(text);
    catch_unwind(AssertUnwindSafe(|| parse_document(Ordered::default(), opts).one(text))).ok()
}

/// What the `base[href]` of a document give, in tree order, templates left out.
fn given((root, order): &(Handle, Order), fallback: &Url) -> Vec<(usize, Url)> {
    let (mut stack, mut given) = (vec![root.clone()], Vec::new());
    while let Some(node) = stack.pop() {
        if href(&node).is_some()
            && let Some(number) = order.of(&node)
        {
            given.push((number, base(Some(&node), fallback).into_owned()));
        }
        stack.extend(node.children.borrow().iter().rev().cloned());
    }
    given
}

/// The `href` of a `base`.
fn href(node: &Handle) -> Option<String> {
    match &node.data {
        NodeData::Element { name, attrs, .. } if name.ns == ns!(html) && &*name.local == "base" => {
            Element { name, attrs: attrs.borrow() }.get("href").map(str::to_owned)
        }
        _ => None,
    }
}

/// The base that an element gives.
fn base<'a>(element: Option<&Handle>, fallback: &'a Url) -> Cow<'a, Url> {
    match element.and_then(href).map(|href| super::join(fallback, &href)) {
        Some(Ok(url)) if !matches!(url.scheme(), "data" | "javascript") => Cow::Owned(url),
        _ => Cow::Borrowed(fallback),
    }
}

fn walk(
    verdict: &mut Verdict,
    scope: &Scope<'_>,
    (old, order): &(Handle, Order),
    (new, _): &(Handle, Order),
    depth: usize,
) {
    let mut stack = vec![(old.clone(), new.clone(), Inside::Text, (0, false))];
    while let Some((old, new, place, (number, is_in_template))) = stack.pop() {
        let mut inside = Inside::Text;
        let at = (order.of(&old).unwrap_or(number), is_in_template);
        scope.place.set(at);
        match (&old.data, &new.data) {
            (NodeData::Document, NodeData::Document) => {}
            (
                NodeData::Doctype { name: n1, public_id: p1, system_id: s1 },
                NodeData::Doctype { name: n2, public_id: p2, system_id: s2 },
            ) if (n1, p1, s1) == (n2, p2, s2) => {}
            (NodeData::Text { contents: was }, NodeData::Text { contents: is }) => {
                text(verdict, scope, [&was.borrow(), &is.borrow()], place, depth);
            }
            (NodeData::Comment { contents: was }, NodeData::Comment { contents: is }) => {
                comment(verdict, scope, [was, is], depth);
            }
            (
                NodeData::ProcessingInstruction { target: t1, contents: c1 },
                NodeData::ProcessingInstruction { target: t2, contents: c2 },
            ) if (t1, c1) == (t2, c2) => {}
            (
                NodeData::Element { name: n1, attrs: a1, template_contents: t1, .. },
                NodeData::Element { name: n2, attrs: a2, template_contents: t2, .. },
            ) if n1 == n2 => {
                let (was, is) = (
                    Element { name: n1, attrs: a1.borrow() },
                    Element { name: n2, attrs: a2.borrow() },
                );
                attributes(verdict, scope, &was, &is, depth);
                inside = Inside::of(&was);
                if let (Some(was), Some(is)) = (&*t1.borrow(), &*t2.borrow()) {
                    stack.push((was.clone(), is.clone(), Inside::Text, (at.0, true)));
                }
            }
            _ => {
                verdict.violation(|| format!("node changed: {} -> {}", report(&old), report(&new)));
                continue;
            }
        }
        let (was, is) = (old.children.borrow(), new.children.borrow());
        if was.len() != is.len() {
            let counts = (was.len(), is.len());
            verdict.violation(|| {
                format!("{}: {} children before, {} after", report(&old), counts.0, counts.1)
            });
            continue;
        }
        let pairs = was.iter().zip(is.iter()).rev();
        stack.extend(pairs.map(|(was, is)| (was.clone(), is.clone(), inside, at)));
    }
}

/// A node in a word or two.
fn report(node: &Handle) -> String {
    match &node.data {
        NodeData::Element { name, .. } => format!("<{}>", name.local),
        NodeData::Text { contents } => format!("text {:?}", head(&contents.borrow())),
        NodeData::Comment { contents } => format!("comment {:?}", head(contents)),
        NodeData::Doctype { name, .. } => format!("doctype {name}"),
        NodeData::ProcessingInstruction { .. } => "processing instruction".into(),
        NodeData::Document => "document".into(),
    }
}

fn head(text: &str) -> String {
    text.chars().take(60).collect()
}
