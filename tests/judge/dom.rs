//! Two trees of html5ever side by side.

use std::borrow::Cow;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::{ParseOpts, ns, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use url::Url;

use super::Verdict;
use super::nested::{Inside, attributes, comment, text};
use super::slots::Element;

/// The URLs that references of a document depend on; before and after where there are two.
pub(crate) struct Scope<'a> {
    pub(crate) own: &'a Url,
    pub(crate) fallback: [&'a Url; 2],
    base: [Cow<'a, Url>; 2],
    /// The `base` that the walk has not come to yet: a document embedded before it does not know of
    /// it.
    ahead: RefCell<Option<Handle>>,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(own: &'a Url, fallback: [&'a Url; 2]) -> Self {
        Self { own, fallback, base: fallback.map(Cow::Borrowed), ahead: RefCell::default() }
    }

    pub(crate) fn bases(&self) -> [&Url; 2] {
        [&self.base[0], &self.base[1]]
    }

    /// The bases that hold where the walk is: a `base` that comes later does not count.
    pub(crate) fn bases_of_moment(&self) -> [&Url; 2] {
        if self.ahead.borrow().is_none() { self.bases() } else { self.fallback }
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
        Bases::Own => outer.bases_of_moment(),
        Bases::Outer => outer.fallback,
    };
    let ahead = base_element(&old).filter(|_| bases == Bases::Own);
    let base = match bases {
        Bases::Own => {
            let new = base_element(&new);
            [base(ahead.as_ref(), fallback[0]), base(new.as_ref(), fallback[1])]
        }
        Bases::Outer => outer.base.clone(),
    };
    let scope = Scope { own: outer.own, fallback, base, ahead: RefCell::new(ahead) };
    // The roots are kept to the end: a node that goes empties its children, held or not.
    walk(verdict, &scope, &old, &new, depth);
}

/// The root of the tree, or nothing where the parser gives up.
fn parse(text: &str) -> Option<Handle> {
    let mut opts = ParseOpts::default();
    opts.tree_builder.scripting_enabled = true;
    let text = StrTendril::from(text);
    let parsed =
        catch_unwind(AssertUnwindSafe(|| parse_document(RcDom::default(), opts).one(text)));
    parsed.ok().map(|dom| dom.document.clone())
}

/// The element that gives a document its base: the first `base[href]` in tree order, templates left
/// out.
fn base_element(root: &Handle) -> Option<Handle> {
    let mut stack = vec![root.clone()];
    while let Some(node) = stack.pop() {
        if href(&node).is_some() {
            return Some(node);
        }
        stack.extend(node.children.borrow().iter().rev().cloned());
    }
    None
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

fn walk(verdict: &mut Verdict, scope: &Scope<'_>, old: &Handle, new: &Handle, depth: usize) {
    let mut stack = vec![(old.clone(), new.clone(), Inside::Text)];
    while let Some((old, new, place)) = stack.pop() {
        let mut inside = Inside::Text;
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
                scope.ahead.borrow_mut().take_if(|base| Rc::ptr_eq(base, &old));
                attributes(verdict, scope, &was, &is, depth);
                inside = Inside::of(&was);
                if let (Some(was), Some(is)) = (&*t1.borrow(), &*t2.borrow()) {
                    stack.push((was.clone(), is.clone(), Inside::Text));
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
        stack.extend(pairs.map(|(was, is)| (was.clone(), is.clone(), inside)));
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
