//! The walk through one unit: from bytes to documents to references, and the edits back out.
//!
//! Each reference is shown to a [`Visitor`] once, in source order, and the visitor may answer with
//! a new text; the answer becomes an edit of the text that contains it, and is lifted layer by
//! layer to an edit of the file. Searching, rewriting and verifying are three visitors of this one
//! walk.
//!
//! Invariant: the walk depends on the bytes and the contexts alone, never on the answers.

pub(crate) mod charset;
pub(crate) mod document;
pub(crate) mod frame;
mod html_base;
pub(crate) mod keep;
pub(crate) mod memory;
pub(crate) mod message;
pub(crate) mod scope;
pub(crate) mod shrink;
pub(crate) mod site;
pub(crate) mod start;
pub(crate) mod xml_base;

pub(crate) use self::frame::{EditedReference, decode, made, shifted, skipped};
use std::borrow::Cow;

use basectx::{Context, is_template};
use layers::{Charset, Decoded, Edit, Layer, Span};
use urlcore::{Dialect, clean};

use crate::digests::{LoadedFiles, TextDigests};
use crate::format;
use crate::format::found::{Against, Found, Value, ValueEncoding};
use crate::options::AvailableMemory;
use crate::options::Engine;
use crate::options::limits::Limit;
use crate::options::{Options, Verify};
use crate::slots::{Kind, Syntax};
use crate::unit::{Media, Package};
use crate::walk::document::PageValues;
use crate::walk::frame::{Frame, IDENTITY, Refused};
use crate::walk::keep::{PartFacts, kind};
use crate::walk::memory::Recent;
use crate::walk::memory::{LONG, WalkBudget};
use crate::walk::message::DerivedValues;
use crate::walk::scope::{Bases, Scope, Scopes};
use crate::walk::site::{DocumentSite, OtherBase, Site, Visitor, Wanted};
use crate::walk::start::{Elsewhere, SavedResources};
use crate::walk::xml_base::Nested;

/// The initial capacity for edits: where one reference is edited, most often many are.
const FIRST_EDITS: usize = 64;

/// A text whose values are walked.
#[derive(Clone, Copy)]
pub(crate) struct Text<'t> {
    pub(crate) bytes: &'t [u8],
    pub(crate) charset: Charset,
    /// The charset in which a browser sends the queries of its references: that of the document,
    /// even where the text is decoded already, or UTF-8 (`SlotId::query_charset`).
    pub(crate) query_charset: Charset,
    pub(crate) frame: &'t Frame<'t>,
    pub(crate) own_url: Option<&'t str>,
    /// The URL of the document in the output.
    pub(crate) new_url: Option<&'t str>,
    /// The URL of the tree in the output, if it differs.
    pub(crate) new_root: Option<&'t str>,
    pub(crate) depth: usize,
    /// True if the text is read elsewhere, under no base or another: HTML in RSS.
    pub(crate) is_read_elsewhere: bool,
}

pub(crate) struct Walk<'w> {
    pub(crate) visitor: &'w mut dyn Visitor,
    /// What the visitor is to be shown besides references.
    pub(crate) wanted: Wanted,
    pub(crate) options: &'w Options,
    pub(crate) dialect: Dialect,
    pub(crate) engine: Engine,
    pub(crate) bases: Bases<'w>,
    pub(crate) n_references: usize,
    /// The bytes of memory that were taken for references.
    pub(crate) taken: usize,
    /// The remaining budget of the walk.
    pub(crate) budget: WalkBudget,
    /// The maximum depth of embedded documents.
    max_depth: usize,
    recent: Recent,
    /// The references with edits and their spans in the file, if the output is to be verified.
    pub(crate) edited: Vec<EditedReference>,
    /// The offset up to which the walked message has been shown.
    pub(crate) n_shown: usize,
    /// The facts about the part that is being walked.
    pub(crate) part: PartFacts,
    /// The edits that follow from edits of the message.
    pub(crate) derived: DerivedValues,
    /// The resources saved with the document.
    pub(crate) saved_resources: Option<SavedResources>,
    /// True if a reference was found that has another target by XML Base than in browsers.
    pub(crate) has_ignored_xml_base: bool,
    /// True if all uses of the custom properties of the unit, a page, are in it.
    pub(crate) has_known_uses: bool,
    /// Another URL of the unit, if it has several.
    pub(crate) elsewhere: Option<Elsewhere>,
    /// The files that the unit loads, if conditions on them change.
    pub(crate) loaded_files: Option<&'w dyn LoadedFiles>,
    /// The digests of the texts of the unit, if its policies are edited.
    pub(crate) text_digests: Option<&'w TextDigests>,
    /// The URL that the next value is a condition on.
    loaded: Option<String>,
    /// See [`Unit::is_captured`](crate::Unit::is_captured).
    pub(crate) is_captured: bool,
    /// See [`Unit::is_sent`](crate::Unit::is_sent).
    pub(crate) is_sent: bool,
    /// The package that the unit is a member of.
    pub(crate) package: Option<Package<'w>>,
    /// The base of the hyperlinks of the unit, in the input and in the output, if it has one.
    pub(crate) hyperlink_bases: Option<(&'w str, &'w str)>,
    /// True if the unit is a document whose bytes are its text, with no layer around them.
    pub(crate) is_page: bool,
    /// The values of the page, before it is walked if they are known, and after that if they are
    /// kept.
    pub(crate) known: Option<Found>,
    pub(crate) page: Option<PageValues>,
}

impl<'w> Walk<'w> {
    /// Returns a walk through a unit of `len` bytes that uses at most the memory of `memory`.
    pub(crate) fn new(
        visitor: &'w mut dyn Visitor,
        options: &'w Options,
        engine: Engine,
        bases: Bases<'w>,
        len: usize,
        memory: AvailableMemory,
    ) -> Self {
        Walk {
            wanted: visitor.wanted(),
            visitor,
            options,
            dialect: options.dialect,
            engine,
            bases,
            n_references: 0,
            taken: 0,
            budget: WalkBudget::new(options, len, memory),
            max_depth: options.limits.get(Limit::EmbeddedDepth),
            recent: Recent::default(),
            edited: Vec::new(),
            n_shown: 0,
            part: PartFacts::default(),
            derived: DerivedValues::default(),
            saved_resources: None,
            has_ignored_xml_base: false,
            has_known_uses: false,
            elsewhere: None,
            loaded_files: None,
            text_digests: None,
            loaded: None,
            is_captured: false,
            is_sent: false,
            package: None,
            hyperlink_bases: None,
            is_page: false,
            known: None,
            page: None,
        }
    }

    /// Decodes and walks each value of one document, and lifts its edits. A document that `begins`
    /// is reported to the visitor first.
    pub(crate) fn walk_values(
        &mut self,
        text: Text<'_>,
        found: &Found,
        scopes: Scopes<'_>,
        begins: Option<Media>,
    ) -> Vec<Edit> {
        let nested = Nested::new(found.scopes.len());
        let Some(xml_scopes) = self.xml_scopes(&nested, text, found, scopes.base) else {
            self.skip(self.too_large(), text);
            return Vec::new();
        };
        let Some(codebases) = self.codebases(text, found, scopes.base.context, &xml_scopes) else {
            self.skip(self.too_large(), text);
            return Vec::new();
        };
        let codebases_there =
            self.codebases_there(text, found, scopes.base, &xml_scopes, &codebases);
        let scopes_there: Vec<Scope<'_>> = (codebases_there.iter())
            .map(|context| Scope::new(context, self.dialect, text.new_url))
            .collect();
        let codebase_scope = |(idx, context)| Scope {
            is_codebase: true,
            after: scopes_there.get(idx),
            ..Scope::new(context, self.dialect, text.own_url)
        };
        let codebase_scopes: Vec<Scope<'_>> =
            codebases.iter().enumerate().map(codebase_scope).collect();
        let has_hyperlinks = || found.values.iter().any(|it| it.against == Against::Hyperlinks);
        let bases = self.hyperlink_bases.filter(|_| has_hyperlinks());
        let here = bases.map(|(here, _)| scopes.base.context.hyperlink_base(here, self.dialect));
        let there = bases
            .zip(scopes.base.after)
            .map(|((_, there), after)| after.context.hyperlink_base(there, self.dialect));
        let after = there.as_ref().map(|it| Scope::new(it, self.dialect, text.new_url));
        let hyperlinks = here.as_ref().map(|it| Scope {
            after: after.as_ref(),
            ..Scope::new(it, self.dialect, text.own_url)
        });
        if let Some(media) = begins {
            let holds = found.scopes_that_hold();
            let xml_scopes = xml_scopes.iter().zip(&holds).filter(|(_, holds)| **holds);
            let contexts: Vec<&Context<'_>> = codebases
                .iter()
                .chain(xml_scopes.map(|(scope, _)| scope.context))
                .chain(&here)
                .collect();
            let (context, frame) = (scopes.base.context, text.frame);
            let (own_url, scopes) = (text.own_url, &*contexts);
            self.visitor.document(&DocumentSite { media, context, scopes, own_url, frame });
        }
        let mut edits = Vec::new();
        let mut n_shown = 0;
        let scopes_of = |idx: usize, value: &Value| {
            let under = |base| Scopes::new(scopes.fallback, base);
            let by_base = || match value.syntax {
                Syntax::HtmlFragment => scopes.of_fragment(idx, value.moment()),
                _ => scopes.of_value(idx, || value.moment()),
            };
            let of_value = match value.against {
                Against::Base
                | Against::BaseAt(_)
                | Against::Use
                | Against::IgnoredScope(_)
                | Against::LoadOf(_) => by_base(),
                Against::Hyperlinks => hyperlinks.as_ref().map_or_else(by_base, under),
                Against::Fallback => {
                    Scopes { other: scopes.other_fallback, ..under(scopes.fallback) }
                }
                Against::Codebase(idx) => under(&codebase_scopes[idx as usize]),
                Against::Scope(idx) => under(&xml_scopes[idx as usize]),
            };
            let by_xml_base = match value.against {
                Against::IgnoredScope(idx) => Some(&xml_scopes[idx as usize]),
                _ => scopes.by_xml_base,
            };
            Scopes { by_xml_base, ..of_value }
        };
        for (idx, value) in found.values.iter().enumerate() {
            if !self.reads(value) {
                continue;
            }
            let mut resolved = (idx, value); // A condition is one on another's target.
            if let Against::LoadOf(load) = value.against {
                resolved = (load as usize, &found.values[load as usize]);
            }
            if self.wanted.outside {
                n_shown = self.before_value(text.bytes, n_shown, value);
            }
            let scopes = scopes_of(resolved.0, resolved.1);
            if let Against::LoadOf(_) = value.against {
                self.loaded = document::url(text, resolved.1, scopes.base);
            }
            match value.written {
                ValueEncoding::Cut(idx) => {
                    self.cut(text, value, &found.cuts[idx as usize], scopes, &mut edits)
                }
                _ => self.value(text, value, scopes, &mut edits),
            }
        }
        if self.wanted.outside {
            self.visitor.outside(text.bytes.get(n_shown..).unwrap_or_default());
        }
        edits
    }

    /// Decodes and walks one value, and lifts its edits.
    pub(crate) fn value(
        &mut self,
        text: Text<'_>,
        value: &Value,
        scopes: Scopes<'_>,
        out: &mut Vec<Edit>,
    ) {
        let raw = value.span.slice(text.bytes);
        let document = value.syntax.is_document().then_some(value.slot);
        let depth = text.depth + usize::from(document.is_some());
        let ValueEncoding::In(layer) = value.written else {
            let frame = text.frame.inside(&IDENTITY, value.span, document);
            let inner = Text { bytes: raw, frame: &frame, depth, ..text };
            let edits = self.fragment(inner, scopes);
            self.check(raw, edits, value.guards(), value.span.start, out);
            return;
        };
        if self.wanted.accepted
            && let (Syntax::Url, Layer::Attribute(quote)) = (value.syntax, layer)
            && let (true, id) = (scopes.base.resolver.is_some(), self.n_references)
            && self.visitor.accepts(id, value.slot, quote, raw, text.frame.raw(value.span))
        {
            self.n_references += 1;
            self.charge(scopes.base.cost);
            return;
        }
        if value.syntax == Syntax::Url
            && let Some(plain) = layer.plain(raw)
        {
            let frame = text.frame.at(value.span);
            let Some(edit) = self.reference(plain, value, text, scopes, &frame) else {
                return;
            };
            if value.guards().forbidden.is_empty() && layer.is_written_plain(&edit.text) {
                if out.is_empty() {
                    out.reserve(FIRST_EDITS);
                }
                out.push(shifted(edit, value.span.start));
                return;
            }
            let decoded = Decoded::plain(plain);
            let (guards, offset) = (value.guards(), value.span.start);
            self.lift(layer, raw, text.charset, &decoded, vec![edit], guards, offset, out);
            return;
        }
        let decoded = layer.decode(raw, text.charset);
        let memory = decoded.memory();
        if self.take_memory(memory) {
            self.decoded_value(text, value, layer, (&decoded, &[]), scopes, out);
            self.give_back_memory(memory);
        }
    }

    /// Walks one value that has been decoded without the gaps in it, and lifts its edits.
    fn decoded_value(
        &mut self,
        text: Text<'_>,
        value: &Value,
        layer: Layer,
        (decoded, gaps): (&Decoded<'_>, &[Span]),
        scopes: Scopes<'_>,
        out: &mut Vec<Edit>,
    ) {
        if self.wanted.texts {
            self.visitor.text(value.slot, layer, &decoded.text);
        }
        let raw = value.span.slice(text.bytes);
        let document = value.syntax.is_document().then_some(value.slot);
        let depth = text.depth + usize::from(document.is_some());
        let frame = text.frame.inside(&decoded.map, value.span, document);
        let is_read_elsewhere = text.is_read_elsewhere
            || document.is_some_and(|slot| slot.row().is_ok_and(|row| row.is_always_absolute));
        let is_whole =
            value.syntax == Syntax::Url || (value.syntax.is_list() && is_template(&decoded.text));
        let edits: Vec<Edit> = if is_whole {
            self.reference(&decoded.text, value, text, scopes, &frame).into_iter().collect()
        } else {
            let inner = Text {
                bytes: decoded.text.as_bytes(),
                charset: Charset::UTF_8,
                query_charset: value.slot.query_charset(value.syntax, text.query_charset),
                frame: &frame,
                depth,
                is_read_elsewhere,
                ..text
            };
            if !self.spend(made(decoded)) {
                self.skip(self.too_large(), inner);
                return;
            }
            self.text(inner, &decoded.text, value.syntax, value.slot, scopes)
        };
        if !edits.is_empty() {
            let (guards, offset) = (value.guards(), value.span.start);
            let edits = shrink::split(edits, gaps, &decoded.map);
            self.lift(layer, raw, text.charset, decoded, edits, guards, offset, out);
        }
    }

    /// Shows one reference to the visitor; the answer becomes the smallest edit of `text`.
    fn reference(
        &mut self,
        text: &str,
        value: &Value,
        around: Text<'_>,
        scopes: Scopes<'_>,
        frame: &Frame<'_>,
    ) -> Option<Edit> {
        let scope = scopes.base;
        let span = format::url(text);
        let reference = &text[span.start..span.end];
        let row = value.slot.row().ok();
        if reference.is_empty() && !row.is_some_and(|slot| slot.may_be_empty) {
            self.visitor.outside(text.as_bytes());
            return None;
        }
        let kind = kind(reference, row, span.start > 0);
        if !self.charge(scope.cost)
            || (text.len() + scope.cost >= LONG && !self.may_resolve_long(reference, kind, scope))
        {
            return None;
        }
        if self.wanted.outside {
            self.visitor.outside(&text.as_bytes()[..span.start]);
        }
        let id = self.n_references;
        self.n_references += 1;
        let loaded = match value.against {
            Against::LoadOf(_) => self.loaded.take(),
            _ => None,
        };
        let load = loaded.as_deref().and_then(|url| Some((self.loaded_files?, url)));
        let site = Site {
            id,
            slot: value.slot,
            kind,
            query_charset: value.slot.query_charset(value.syntax, around.query_charset),
            text: reference,
            dialect: scope.dialect,
            own_url: around.own_url,
            new_url: around.new_url,
            new_root: around.new_root,
            keep: self.keep(reference, value, scopes),
            is_read_elsewhere: around.is_read_elsewhere,
            is_shown_by_id: self.part.is_shown_by_id,
            is_on_error_page: self.elsewhere.is_some(),
            is_in_closed_package: self.package.is_some_and(|package| package.is_closed),
            is_used_elsewhere: self.is_used_elsewhere(value),
            context: scope.context,
            resolver: scope.resolver.as_ref(),
            new_resolver: scope.after.unwrap_or(scope).resolver.as_ref(),
            other: scopes.other.map(|other| OtherBase::new(other, scope)),
            is_new_base_own: scope.after.unwrap_or(scope).is_own,
            is_base_own: scope.is_own,
            is_base_emptied: scope.is_emptied || scopes.other.is_some_and(|other| other.is_emptied),
            is_on_codebase: scope.is_codebase,
            is_whole_list: value.syntax.is_list(),
            delimiters: value.delimiters,
            fetch: value.fetch,
            text_digests: self.text_digests,
            load: load.as_ref(),
            extras: &self.options.extras,
            span,
            frame,
        };
        if let Some(by_xml_base) = scopes.by_xml_base {
            self.compare_readings(&site, by_xml_base);
        }
        if self.wanted.outside {
            let _ = self.visitor.reference(&site);
            self.visitor.outside(&text.as_bytes()[span.end..]);
            return None;
        }
        let new = self.visitor.reference(&site)?;
        // Characters that are white space there would not be read as part of the reference.
        let is_whole = format::url(new) == Span::new(0, new.len());
        if is_whole && value.delimiters.allow(new) {
            // Line ends separate digests.
            let cleaned = match site.kind {
                Kind::Condition => Cow::Borrowed(reference),
                _ => clean(reference, scope.dialect),
            };
            let (part, text) = shrink::edit(reference, &cleaned, new)?;
            let text = self.recent.shared(text.as_bytes());
            if self.options.verify != Verify::None {
                if self.edited.is_empty() {
                    self.edited.reserve(FIRST_EDITS);
                }
                self.edited.push(EditedReference { id, span: frame.raw(site.span) });
            }
            return Some(Edit { span: part.shifted(span.start), text, id });
        }
        self.visitor.refused(id, Refused::Delimiter);
        None
    }
}
