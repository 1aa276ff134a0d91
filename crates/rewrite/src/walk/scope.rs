//! What a walk knows of bases: the base of a document, its fallback, and what both will be in the output.

use basectx::Context;
use urlcore::{Dialect, Resolver};

use crate::moves::TargetMap;
use crate::options::relative::BaseElement;

/// What stands for a base where none is known (RFC 2557 5 (e)). It is told, and never written.
const NOWHERE: &str = "thismessage:";

/// What becomes of what tells a base: `<base>`, `xml:base`, `codebase`, headings.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bases<'m> {
    /// `<base>` is written so; the others lead where they lead.
    Written(BaseElement),
    /// The tree moves, and each leads to where its target is in the output.
    Follow(&'m dyn TargetMap),
    /// The tree moves, and they stay as they are written; but for those in other files, which follow.
    Stay(&'m dyn TargetMap),
}

impl Bases<'_> {
    /// All lead where they lead.
    pub(crate) const KEPT: Self = Bases::Written(BaseElement::Keep);

    /// What becomes of `<base>`, but for where the tree moves.
    pub(crate) fn element(self) -> BaseElement {
        match self {
            Bases::Written(element) => element,
            Bases::Follow(_) | Bases::Stay(_) => BaseElement::Keep,
        }
    }

    /// Whether the tree moves, and takes along what leads into it.
    pub(crate) fn is_move(self) -> bool {
        !matches!(self, Bases::Written(_))
    }

    /// What `here` is in the output, inside `there`; `read` reads it again as it stands.
    pub(crate) fn in_output<'c>(
        self,
        here: &Context<'_>,
        there: &'c Context<'c>,
        read: impl FnOnce(&'c Context<'c>) -> Context<'c>,
    ) -> Context<'c> {
        match self {
            Bases::Follow(map) => here.moved(there, |url| map.url(url)),
            Bases::Written(_) | Bases::Stay(_) => read(there),
        }
    }
}

/// What a base and the references resolved against it need.
pub(crate) struct Scope<'s> {
    pub(crate) context: &'s Context<'s>,
    pub(crate) resolver: Option<Resolver<'s>>,
    pub(crate) dialect: Dialect,
    pub(crate) is_codebase: bool,
    /// Whether the base is the document's own URL.
    pub(crate) is_own: bool,
    /// What a reference on it costs: the length of the base.
    pub(crate) cost: usize,
    /// Whether it is told by a `<base>` that the output has not any more.
    pub(crate) is_emptied: bool,
    /// What the scope will be in the output, if that differs: where a `<base>` is emptied, and inside such a document.
    pub(crate) after: Option<&'s Scope<'s>>,
}

impl<'s> Scope<'s> {
    pub(crate) fn new(context: &'s Context<'s>, dialect: Dialect, own_url: Option<&str>) -> Self {
        let base = context.base().filter(|base| !base.starts_with(NOWHERE));
        let resolver = base.and_then(|base| Resolver::new(base, dialect).ok());
        let without_fragment = |url: &'s str| url.split('#').next();
        let is_own = own_url.is_some_and(|own_url| {
            context.base().and_then(without_fragment) == own_url.split('#').next()
        });
        let cost = resolver.as_ref().map_or(0, |resolver| resolver.base().len());
        Scope {
            context,
            resolver,
            cost,
            dialect,
            is_codebase: false,
            is_own,
            is_emptied: false,
            after: None,
        }
    }
}

/// The fallback base and the base of one document.
#[derive(Clone, Copy)]
pub(crate) struct Scopes<'s> {
    pub(crate) fallback: &'s Scope<'s>,
    pub(crate) base: &'s Scope<'s>,
    /// Number of values that come before the `<base>`.
    pub(crate) n_before: usize,
    /// What XML Base has for a base where browsers have `base`.
    pub(crate) by_xml_base: Option<&'s Scope<'s>>,
}

impl<'s> Scopes<'s> {
    pub(crate) fn new(fallback: &'s Scope<'s>, base: &'s Scope<'s>) -> Self {
        Scopes { fallback, base, n_before: 0, by_xml_base: None }
    }
}

/// Where a document stands, and where its output will.
#[derive(Clone, Copy)]
pub(crate) struct Place<'p> {
    pub(crate) context: &'p Context<'p>,
    pub(crate) own_url: Option<&'p str>,
    /// Where its output will, if that is another place.
    pub(crate) new: Option<There<'p>>,
}

/// Where the output of a document will stand.
#[derive(Clone, Copy)]
pub(crate) struct There<'p> {
    pub(crate) context: &'p Context<'p>,
    pub(crate) own_url: Option<&'p str>,
    /// The URL of the tree.
    pub(crate) root: &'p str,
}

impl<'p> Place<'p> {
    /// The scope of what tells the base of the output, where that is another.
    pub(crate) fn after(&self, dialect: Dialect) -> Option<Scope<'p>> {
        self.new.map(|there| Scope::new(there.context, dialect, there.own_url))
    }

    /// The scope of what tells the base here; `after` is what it will be in the output, if that is another.
    pub(crate) fn scope(&self, after: Option<&'p Scope<'p>>, dialect: Dialect) -> Scope<'p> {
        Scope { after, ..Scope::new(self.context, dialect, self.own_url) }
    }

    pub(crate) fn new_url(&self) -> Option<&'p str> {
        self.new.map_or(self.own_url, |there| there.own_url)
    }

    /// The URL of the tree in the output, where that is another.
    pub(crate) fn new_root(&self) -> Option<&'p str> {
        self.new.map(|there| there.root)
    }
}
