//! The start of a walk: a unit, its location in the output, its outermost document, and the
//! resources saved with it: `Page_files/` next to `Page.html`.
//!
//! Another URL of a document that a server sends for many: an error page. It is in another
//! directory, deeper than its file.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use basectx::{BaseSource, Context};
use layers::{Charset, Edit};
use urlcore::{Dialect, Form, Reference, Resolver, clean, escape};

use crate::format::found::Found;
use crate::options::{AvailableMemory, Engine, Options};
use crate::slots::SlotId;
use crate::unit::{Media, Unit};
use crate::walk::document::{PageValues, WholeDocument};
use crate::walk::frame::Frame;
use crate::walk::message::{DerivedValues, Outermost};
use crate::walk::scope::{Bases, OutputPlace, Place, Scope, retrieved};
use crate::walk::site::Visitor;
use crate::walk::{EditedReference, Walk};

impl Unit<'_> {
    /// Returns the retrieval context in the output, if it differs.
    pub(crate) fn new_context(&self) -> Option<Context<'static>> {
        self.new_place.map(|place| Context::retrieval(place.url.clone(), "move map"))
    }
}

impl Unit<'_> {
    /// Returns the context of a header section in another file, inside `outside`, in the output: if
    /// the tree moves, the bases in it move too.
    pub(crate) fn new_header_context<'c>(
        &self,
        outside: Option<&'c Context<'c>>,
        bases: Bases<'_>,
        options: &Options,
    ) -> Option<Context<'c>> {
        let (Bases::Follow(map) | Bases::Stay(map)) = bases else { return None };
        let field = SlotId::of_header(self.context.origin().as_bytes());
        let is_edited = field.is_none_or(|slot| options.edits_slot(slot));
        let moved = |url: &str| if is_edited { map.url(url) } else { url.to_owned() };
        let is_header_section = self.context.part().is_some();
        is_header_section.then(|| self.context.moved(outside.unwrap_or(&NOWHERE), moved))
    }
}

impl Unit<'_> {
    /// Returns the base of its hyperlinks in the output.
    pub(crate) fn new_hyperlink_base(
        &self,
        bases: Bases<'_>,
        options: &Options,
    ) -> Option<Cow<'_, str>> {
        let base = self.hyperlink_base?;
        let context = self.context.hyperlink_base(base, options.dialect);
        match (bases, context.own_base()) {
            (Bases::Follow(map) | Bases::Stay(map), Some(url))
                if options.edits_slot(SlotId::HYPERLINK_BASE) =>
            {
                Some(map.url(url).into())
            }
            _ => Some(base.into()),
        }
    }
}

/// The context of a unit whose location is unknown.
static NOWHERE: Context<'static> = Context::none();

/// The source of the values of HTML in a walk.
pub(crate) struct Source {
    /// The engine that reads HTML.
    pub(crate) engine: Engine,
    /// The values of the unit, a page, if they are known.
    pub(crate) known: Option<Found>,
}

impl From<Engine> for Source {
    fn from(engine: Engine) -> Self {
        Source { engine, known: None }
    }
}

/// The result of a walk.
pub(crate) struct Walked {
    /// The edits that the visitor requested.
    pub(crate) edits: Vec<Edit>,
    /// The references that are edited.
    pub(crate) edited: Vec<EditedReference>,
    pub(crate) derived: DerivedValues,
    /// The values of the unit, if it is a page that is not too large to keep them.
    pub(crate) page: Option<PageValues>,
    /// True if the walk met a limit, so that the unit is skipped.
    pub(crate) is_stopped: bool,
    /// The memory that the walk left.
    pub(crate) memory: AvailableMemory,
}

/// Shows a unit to a visitor. The walk uses at most the memory that `memory` allows.
pub(crate) fn walk(
    unit: Unit<'_>,
    options: &Options,
    source: impl Into<Source>,
    bases: Bases<'_>,
    memory: AvailableMemory,
    visitor: &mut dyn Visitor,
) -> Walked {
    let Source { engine, known } = source.into();
    let new_hyperlink_base = unit.new_hyperlink_base(bases, options);
    let mut walk = Walk::new(visitor, options, engine, bases, unit.bytes.len(), memory);
    walk.known = known;
    walk.saved_resources = SavedResources::from_context(unit.context);
    walk.elsewhere = Elsewhere::of(unit, bases.is_move());
    (walk.is_captured, walk.is_sent) = (unit.is_captured, unit.is_sent());
    walk.package = unit.package;
    walk.hyperlink_bases = unit.hyperlink_base.zip(new_hyperlink_base.as_deref());
    walk.loaded_files = unit.loaded_files;
    walk.text_digests = unit.text_digests;
    let outermost = unit.new_context();
    let header_context = unit.new_header_context(outermost.as_ref(), bases, options);
    let moved = header_context.as_ref().or(outermost.as_ref());
    let there = match (moved, unit.new_place) {
        (Some(context), Some(place)) => {
            Some(OutputPlace { context, own_url: Some(place.url.as_str()), root: place.root })
        }
        // The unit stays at its location, while the targets of its references may move.
        _ if bases.is_move() => {
            let context = moved.unwrap_or(unit.context);
            Some(OutputPlace { context, own_url: unit.own_url, root: "" })
        }
        _ => None,
    };
    let place = Place { context: unit.context, own_url: unit.own_url, new: there };
    let frame = &Frame::outermost();
    let (media, bytes) = (unit.media, unit.bytes);
    let edits = match media {
        Media::Message(framing) => {
            let place = Outermost { framing, context: unit.context, there: moved };
            walk.unit_message(bytes, place)
        }
        Media::Http(http) => walk.http(bytes, http, place),
        Media::Document(format) => {
            let charset = unit.charset.and_then(|name| Charset::for_label(name.as_bytes()));
            walk.is_page = true;
            walk.whole(WholeDocument { format, bytes, charset, frame, place })
        }
    };
    walk.take_memory_of_references();
    let (is_stopped, memory) = (walk.is_stopped(), walk.available_memory());
    let Walk { edited, derived, page, .. } = walk;
    Walked { edits, edited, derived, page, is_stopped, memory }
}

/// The directories between the tree and the other URL.
const DIRECTORIES: &str = "elsewhere/deeper/";

/// The context of the document at the other URL.
#[derive(Clone, Debug)]
pub(crate) struct Elsewhere {
    pub(crate) here: Context<'static>,
    /// The context in the output if it differs.
    pub(crate) there: Option<Context<'static>>,
}

impl Elsewhere {
    /// Returns a unit at another URL, if it has several. `is_move` is true if the tree moves.
    pub(crate) fn of(unit: Unit<'_>, is_move: bool) -> Option<Elsewhere> {
        let url = unit.own_url.filter(|_| unit.is_error_page)?;
        let new_url = unit.new_place.map(|place| place.url.as_str()).or(is_move.then_some(url));
        let context = |url| retrieved(&deeper(url), "error page");
        Some(Elsewhere { here: context(url), there: new_url.map(context) })
    }
}

/// Returns the URL of a file of the same name in a deeper directory.
fn deeper(url: &str) -> String {
    let path = url.find(['?', '#']).unwrap_or(url.len());
    let slash = url[..path].rfind('/').map_or(path, |slash| slash + 1);
    format!("{}{DIRECTORIES}{}", &url[..slash], &url[slash..])
}

// The resources saved with a document: `Page_files/` next to `Page.html`.
//
// A browser that saves a page with its resources writes references to those files relative to the
// file, and records the URL of the page in a comment. That URL is the base of every other
// reference, but not of these: they stay unchanged wherever the page came from. In a mirror with a
// directory for each host (HTTrack) these are the references that lead out of the directory of the
// host.

/// The names in the directory of a document whose base is a hint about its origin.
pub(crate) struct SavedResources {
    names: Arc<HashSet<Vec<u8>>>,
    /// The directory of the URL that the document came from, ending with a slash.
    folder: String,
}

impl SavedResources {
    /// Returns the resources that a context knows to be saved with its document.
    pub(crate) fn from_context(context: &Context<'_>) -> Option<SavedResources> {
        let names = context.saved_beside().filter(|names| !names.is_empty())?;
        let resolver = Resolver::new(context.base()?, Dialect::Web).ok()?;
        let folder = resolver.resolve("./").ok()?.url()?;
        Some(SavedResources { names: Arc::clone(names), folder })
    }

    /// Returns true if a reference points to a resource saved with the document. A relative base
    /// (Blink replaces every base by `<base href=".">`) is one of these references: if it were
    /// absolute, they would have other targets.
    pub(crate) fn has(&self, reference: &str, slot: SlotId, scope: &Scope<'_>) -> bool {
        let is_hinted =
            || scope.context.chain().any(|context| context.source() == BaseSource::Hint);
        let text = clean(reference, scope.dialect);
        if Reference::split(&text, scope.dialect).form() != Form::RelativePath || !is_hinted() {
            return false;
        }
        if slot == SlotId::BASE_HREF || slot.opens_scope() {
            return true;
        }
        let above: &[u8] = b"..";
        if self.names.contains(above) && self.leads_above(&text) {
            return true;
        }
        let target = scope.resolver.as_ref().and_then(|base| base.resolve(reference).ok()?.url());
        let below = target.as_deref().and_then(|target| target.strip_prefix(&*self.folder));
        let name = below.and_then(|below| below.split(['/', '\\', '?', '#']).next());
        name.is_some_and(|name| self.names.contains(&*escape::percent_decode(name)))
    }

    /// Returns true if a relative path has more `..` segments than there are directories up to the
    /// host.
    fn leads_above(&self, text: &str) -> bool {
        let path = |url| Reference::split(url, Dialect::Web).path();
        let mut depth = path(&self.folder).matches('/').count();
        for segment in path(text).split(['/', '\\']) {
            match segment {
                "" | "." => {}
                // The directory of the host itself is not counted.
                ".." if depth <= 1 => return true,
                ".." => depth -= 1,
                _ => depth += 1,
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_url_is_deeper() {
        assert_eq!(deeper("http://h/a/404.html?b/c"), "http://h/a/elsewhere/deeper/404.html?b/c");
        assert_eq!(deeper("http://h/"), "http://h/elsewhere/deeper/");
    }
}
