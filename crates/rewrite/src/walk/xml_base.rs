//! The scopes of `xml:base`: each is a context inside another, to any depth, and has a counterpart
//! in the output.
//!
//! The base of an element is its own `xml:base`, resolved against that of the element around it
//! (XML Base, second edition, section 4). Browsers no longer read it (DOM standard, "node document
//! base URL"), so elements of HTML, SVG and MathML ignore the scopes in their documents; the
//! attribute itself keeps the target that XML Base gives it.
//!
//! `codebase`: the base of `classid` and `archive` on the same element (HTML 4.01, section 13.3.2),
//! in the input and in the output.

use std::cell::OnceCell;

use basectx::Context;
use layers::{Layer, Span};
use urlcore::{Resolver, is_absolute_for_any_base};

use crate::format::found::{Against, BaseScope, Found};
use crate::options::relative::is_emptied;
use crate::report::Note;
use crate::slots::SlotId;
use crate::walk::frame::Frame;
use crate::walk::scope::Scope;
use crate::walk::site::Site;
use crate::walk::{Text, Walk};

/// Storage for the contexts of a document, each of which may be inside one before it: in the input
/// and in the output.
pub(crate) struct Nested<'n> {
    here: Vec<OnceCell<Context<'n>>>,
    there: Vec<OnceCell<Context<'n>>>,
    /// The scopes in the output where the base differs.
    after: Vec<OnceCell<Scope<'n>>>,
}

impl Nested<'_> {
    pub(crate) fn new(n: usize) -> Self {
        Nested {
            here: (0..n).map(|_| OnceCell::new()).collect(),
            there: (0..n).map(|_| OnceCell::new()).collect(),
            after: (0..n).map(|_| OnceCell::new()).collect(),
        }
    }
}

impl Walk<'_> {
    /// Returns the scopes of a document whose own base is `base`; none if their URLs exceed the
    /// budget.
    pub(crate) fn xml_scopes<'n>(
        &mut self,
        nested: &'n Nested<'n>,
        text: Text<'_>,
        found: &Found,
        base: &'n Scope<'n>,
    ) -> Option<Vec<Scope<'n>>> {
        let mut scopes: Vec<Scope<'n>> = Vec::with_capacity(found.scopes.len());
        for (idx, scope) in found.scopes.iter().enumerate() {
            let BaseScope { outer, span, layer, is_unknown, .. } = *scope;
            let slot = found.values.binary_search_by_key(&span.start, |value| value.span.start);
            let slot = slot.map_or(SlotId::XML_BASE, |idx| found.values[idx].slot);
            let outer = outer.map(|outer| outer as usize);
            let href = layer.decode(span.slice(text.bytes), text.charset).text;
            let at = text.frame.raw(span);
            let around = match outer {
                Some(outer) => nested.here[outer].get()?,
                None => base.context,
            };
            let dialect = self.dialect;
            let read = |there: &'n Context<'n>| {
                if is_unknown { there.unknown_xml_base() } else { there.xml_base(&href, dialect) }
            };
            if !self.has_memory_for_base(around, &href) {
                return None;
            }
            let context = read(around).at(at.start, at.end);
            if !self.take_url(&context) {
                return None;
            }
            let context = nested.here[idx].get_or_init(|| context);
            let mut made = Scope::new(context, self.dialect, text.own_url);
            let outer = outer.map_or(base, |outer| &scopes[outer]);
            let outer_after = outer.after;
            if let (Some(outer_after), true) = (outer_after, self.bases.is_move()) {
                let there = self.bases.in_output(context, outer_after.context, read);
                if !self.take_url(&there) {
                    return None;
                }
                let there = nested.there[idx].get_or_init(|| there);
                let after = || Scope::new(there, self.dialect, text.new_url);
                made.after = Some(nested.after[idx].get_or_init(after));
                scopes.push(made);
                continue;
            }
            // If the tree stays, an `xml:base` keeps its target whatever changes around it.
            if let (Some(outer_after), Some(root)) = (outer_after, text.new_root) {
                let under = outer_after.resolver.as_ref().map(|under| (under, root));
                let is_emptied = slot == SlotId::XML_BASE
                    && !is_unknown
                    && is_emptied(&href, self.bases.element(), self.dialect, under);
                made.is_emptied = is_emptied || outer.is_emptied;
                if is_emptied {
                    made.after = Some(outer_after);
                } else {
                    let there = read(outer_after.context);
                    if !self.take_url(&there) {
                        return None;
                    }
                    let there = nested.there[idx].get_or_init(|| there);
                    let after = || Scope::new(there, self.dialect, text.new_url);
                    made.after = Some(nested.after[idx].get_or_init(after));
                }
            }
            let outside = outer_after.unwrap_or(outer);
            let stays = text.new_root.is_none() && !text.is_read_elsewhere && !is_unknown;
            let stays = stays && self.has_place(text);
            if let (Some(under), Some(url), true) = (&outside.resolver, context.base(), stays)
                && let Some(url) = self.visitor.respelled(slot, &href, url, under)
            {
                if !self.spend(url.len()) {
                    return None;
                }
                let there = outside.context.xml_base(&url, self.dialect);
                let there = nested.there[idx].get_or_init(|| there);
                let after = || Scope::new(there, self.dialect, text.new_url);
                made.after = Some(nested.after[idx].get_or_init(after));
            }
            scopes.push(made);
        }
        Some(scopes)
    }

    /// Records the first reference of its unit that has another target by XML Base than in
    /// browsers.
    pub(crate) fn compare_readings(&mut self, site: &Site<'_>, by_xml_base: &Scope<'_>) {
        let is_bound = site.kind.has_target()
            && !site.has_entity()
            && !is_absolute_for_any_base(site.text, site.dialect);
        if self.has_ignored_xml_base || !is_bound || !self.charge(by_xml_base.cost) {
            return;
        }
        let target = |resolver: &Resolver<'_>| resolver.resolve(site.text).ok();
        if site.resolver.and_then(target) != by_xml_base.resolver.as_ref().and_then(target) {
            self.has_ignored_xml_base = true;
            let at = site.frame.raw(site.span).start;
            self.visitor.note(Note::IgnoredXmlBase(at));
        }
    }

    /// Records a document in a `srcdoc` whose base differs between XML Base and browsers.
    pub(crate) fn compare_bases(&mut self, base: &Scope<'_>, other: &Scope<'_>, at: &Frame<'_>) {
        if !self.has_ignored_xml_base && base.context.base() != other.context.base() {
            self.has_ignored_xml_base = true;
            let at = at.raw(Span::default()).start;
            self.visitor.note(Note::IgnoredXmlBase(at));
        }
    }
}

impl Walk<'_> {
    /// Returns the contexts of the elements with a `codebase`, in a document whose own base is
    /// `base`; none if their URLs exceed the budget.
    pub(crate) fn codebases<'c>(
        &mut self,
        text: Text<'_>,
        found: &Found,
        base: &'c Context<'c>,
        xml_scopes: &[Scope<'c>],
    ) -> Option<Vec<Context<'c>>> {
        let context = |(span, layer, against): &(Span, Layer, Against)| {
            let base = match against {
                Against::Scope(idx) => xml_scopes[*idx as usize].context,
                _ => base,
            };
            let decoded = layer.decode(span.slice(text.bytes), text.charset);
            let at = text.frame.raw(*span);
            let context = base.codebase(&decoded.text, self.dialect).at(at.start, at.end);
            self.take_url(&context).then_some(context)
        };
        found.codebases.iter().map(context).collect()
    }

    /// Returns these contexts as they will be in the output if the tree moves.
    pub(crate) fn codebases_there<'c>(
        &self,
        text: Text<'_>,
        found: &Found,
        base: &Scope<'c>,
        xml_scopes: &[Scope<'c>],
        here: &[Context<'_>],
    ) -> Vec<Context<'c>> {
        if !self.bases.is_move() {
            return Vec::new();
        }
        let context = |((span, layer, against), here): (&(Span, Layer, Against), &Context<'_>)| {
            let around = match against {
                Against::Scope(idx) => &xml_scopes[*idx as usize],
                _ => base,
            };
            let there = around.after.unwrap_or(around).context;
            let read = |there: &'c Context<'c>| {
                let decoded = layer.decode(span.slice(text.bytes), text.charset);
                there.codebase(&decoded.text, self.dialect)
            };
            self.bases.in_output(here, there, read)
        };
        found.codebases.iter().zip(here).map(context).collect()
    }
}
