//! What may differ inside a document: references in attributes, style sheets in text, documents
//! in raw text, comments and attributes.

use std::borrow::Cow;

use html5ever::{Attribute, ns};
use url::Url;

use super::Verdict;
use super::check::{self, Site, pair};
use super::dom::{Bases, Scope, document};
use super::json::Data;
use super::slots::{self, Against, Element, Moment, Shape, Slot};

/// Documents in documents deeper than this are only compared as text.
const DEEPEST: usize = 16;

/// What the text in an element is.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Inside {
    Text,
    /// A style sheet; false where its type says that it is none that browsers read.
    Style(bool),
    /// A script that is data.
    Data(Data),
    /// The raw text of `noscript` and its like.
    Markup,
}

impl Inside {
    /// What the text right in this element is.
    pub(crate) fn of(element: &Element<'_>) -> Self {
        let html = element.name.ns == ns!(html);
        match &*element.name.local {
            "style" if html || element.name.ns == ns!(svg) => {
                let kind = element.get("type").unwrap_or_default();
                Self::Style(kind.is_empty() || kind.eq_ignore_ascii_case("text/css"))
            }
            "script" if html => {
                let kind = element.get("type").unwrap_or_default();
                let data = Data::of(kind)
                    .filter(|data| *data == Data::Linked || element.get("src").is_none());
                data.map_or(Self::Text, Self::Data)
            }
            "noscript" | "noframes" | "noembed" | "iframe" if html => Self::Markup,
            _ => Self::Text,
        }
    }
}

/// Compares two texts by what they are.
pub(crate) fn text(
    verdict: &mut Verdict,
    scope: &Scope<'_>,
    both: [&str; 2],
    place: Inside,
    depth: usize,
) {
    match place {
        Inside::Style(strict) => {
            let pieces = both.map(super::css::split);
            let bases = scope.bases_when_parsed();
            let site = Site { strict, ..Site::css("<style>", scope.own, bases) };
            check::compare(verdict, &site, &pieces[0], &pieces[1]);
        }
        Inside::Data(data) => {
            let pieces = both.map(|text| super::json::split(text, data));
            // Only an import map is read at once.
            let is_at_once = data == Data::ImportMap;
            let bases = if is_at_once { scope.bases_when_parsed() } else { scope.bases() };
            let site = Site { local: false, ..Site::css("<script>", scope.own, bases) };
            check::compare(verdict, &site, &pieces[0], &pieces[1]);
        }
        Inside::Markup => embedded(verdict, scope, both, Bases::Outer, depth),
        Inside::Text if both[0] != both[1] => {
            verdict.violation(|| format!("text changed: {}", pair(both[0], both[1])));
        }
        Inside::Text => {}
    }
}

fn embedded(verdict: &mut Verdict, scope: &Scope<'_>, both: [&str; 2], bases: Bases, depth: usize) {
    let plain = !both.iter().any(|text| text.contains('<'));
    if plain || depth >= DEEPEST {
        if both[0] != both[1] {
            verdict.violation(|| format!("embedded text changed: {}", pair(both[0], both[1])));
        }
        return;
    }
    document(verdict, both, scope, bases, depth + 1);
}

/// A comment stays, but for the references in a hidden conditional one.
pub(crate) fn comment(verdict: &mut Verdict, scope: &Scope<'_>, both: [&str; 2], depth: usize) {
    match both.map(conditional) {
        [Some(was), Some(is)] if (was.0, was.2) == (is.0, is.2) => {
            embedded(verdict, scope, [was.1, is.1], Bases::Outer, depth);
        }
        _ if both[0] != both[1] => {
            verdict.violation(|| format!("comment changed: {}", pair(both[0], both[1])));
        }
        _ => {}
    }
}

/// `[if …]>`, the document in it, `<![endif]`.
fn conditional(data: &str) -> Option<(&str, &str, &str)> {
    let close = "<![endif]";
    let start = data.find("]>")? + 2;
    let end = data.len().checked_sub(close.len()).filter(|end| *end >= start)?;
    let (open, inner, tail) = (data.get(..start)?, data.get(start..end)?, data.get(end..)?);
    let fits = open.get(..3)?.eq_ignore_ascii_case("[if") && tail.eq_ignore_ascii_case(close);
    fits.then_some((open, inner, tail))
}

/// Compares the attributes of two elements of the same name.
pub(crate) fn attributes(
    verdict: &mut Verdict,
    scope: &Scope<'_>,
    old: &Element<'_>,
    new: &Element<'_>,
    depth: usize,
) {
    let names = |element: &Element<'_>| -> Vec<String> {
        element.attrs.iter().map(|attr| attr.name.local.to_string()).collect()
    };
    let equal = |(was, is): (&Attribute, &Attribute)| was.name == is.name;
    if old.attrs.len() != new.attrs.len() || !old.attrs.iter().zip(new.attrs.iter()).all(equal) {
        let (was, is) = (names(old), names(new));
        verdict.violation(|| format!("<{}>: attributes {was:?} -> {is:?}", old.name.local));
        return;
    }
    for (was, is) in old.attrs.iter().zip(new.attrs.iter()) {
        let slot = slots::slot(old, &was.name);
        if slot.is_none() && was.value == is.value {
            continue;
        }
        let name = format!("{}[{}]", old.name.local, was.name.local);
        match slot {
            None => {
                verdict.violation(|| format!("{name} is no slot: {}", pair(&was.value, &is.value)))
            }
            // Browsers differ in its base.
            Some(slot) if slot.shape == Shape::Srcdoc && scope.at(Moment::Either).1.is_some() => {
                if was.value != is.value {
                    verdict.violation(|| format!("{name} has two bases, but was edited"));
                }
            }
            Some(slot) if slot.shape == Shape::Srcdoc => {
                embedded(verdict, scope, [&was.value, &is.value], Bases::Own, depth);
            }
            Some(slot) => value(verdict, scope, [old, new], slot, &name, [&was.value, &is.value]),
        }
    }
}

fn value(
    verdict: &mut Verdict,
    scope: &Scope<'_>,
    elements: [&Element<'_>; 2],
    slot: Slot,
    name: &str,
    both: [&str; 2],
) {
    let codebases;
    let mut others = None;
    let bases = match slot.against {
        Against::Base => {
            let (bases, when_parsed) = scope.at(slots::moment(elements[0], name));
            others = when_parsed;
            bases
        }
        Against::Fallback => scope.fallback,
        Against::Codebase => {
            codebases =
                [codebase(elements[0], scope.bases()[0]), codebase(elements[1], scope.bases()[1])];
            [&*codebases[0], &*codebases[1]]
        }
    };
    let site = Site { name, own: scope.own, bases, others, local: slot.local, strict: slot.strict };
    let pieces = both.map(|value| slots::cut(slot, value));
    check::compare(verdict, &site, &pieces[0], &pieces[1]);
}

/// The base of `classid` and `archive`.
fn codebase<'a>(element: &Element<'_>, base: &'a Url) -> Cow<'a, Url> {
    let classid = element.get("classid").unwrap_or_default().trim_start();
    let identity = classid.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("clsid:"));
    let href = element.get("codebase").unwrap_or_default();
    if identity || href.trim_matches(|char: char| char <= ' ').is_empty() {
        return Cow::Borrowed(base);
    }
    // What the server fills in, and what is no URL, is no base: nothing can be resolved against it.
    let known = super::join(base, href).ok().filter(|_| !check::is_template(href));
    known.or_else(|| Url::parse("unknown:base").ok()).map_or(Cow::Borrowed(base), Cow::Owned)
}
