//! The bases of a walk: the base of a document, its fallback, and both in the output.

use std::ptr;

use basectx::Context;
use urlcore::{Dialect, Resolver};

use crate::moves::TargetMap;
use crate::options::relative::BaseElement;
use crate::slots::Moment;

/// The base used where none is known (RFC 2557 5 (e)). It is reported, and never written.
const NOWHERE: &str = "thismessage:";

/// The treatment of values that define a base: `<base>`, `xml:base`, `codebase`, header fields.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bases<'m> {
    /// `<base>` is written as given here, in a tree at `root` if that is known; the others keep
    /// their targets.
    Written(BaseElement, Option<&'m str>),
    /// The tree moves, and each base points to the new location of its target.
    Follow(&'m dyn TargetMap),
    /// The tree moves, and bases stay as written; only those in other files follow.
    Stay(&'m dyn TargetMap),
}

impl<'m> Bases<'m> {
    /// All bases keep their targets.
    pub(crate) const KEPT: Self = Bases::Written(BaseElement::Keep, None);

    /// Returns the treatment of `<base>` if the tree does not move.
    pub(crate) fn element(self) -> BaseElement {
        match self {
            Bases::Written(element, _) => element,
            Bases::Follow(_) | Bases::Stay(_) => BaseElement::Keep,
        }
    }

    /// Returns the URL of a tree that stays, if it is known.
    pub(crate) fn root(self) -> Option<&'m str> {
        match self {
            Bases::Written(_, root) => root,
            Bases::Follow(_) | Bases::Stay(_) => None,
        }
    }

    /// Returns true if the tree moves together with the targets in it.
    pub(crate) fn is_move(self) -> bool {
        !matches!(self, Bases::Written(..))
    }

    /// Returns the context that corresponds to `here` in the output, inside `there`; `read` reads
    /// it again as written.
    pub(crate) fn in_output<'c>(
        self,
        here: &Context<'_>,
        there: &'c Context<'c>,
        read: impl FnOnce(&'c Context<'c>) -> Context<'c>,
    ) -> Context<'c> {
        match self {
            Bases::Follow(map) => here.moved(there, |url| map.base(url)),
            Bases::Written(..) | Bases::Stay(_) => read(there),
        }
    }
}

/// Returns the context of what is at a URL that a document gives; none if it is not absolute.
pub(crate) fn retrieved(url: &str, origin: &'static str) -> Context<'static> {
    url.parse().map_or(Context::none(), |url| Context::retrieval(url, origin))
}

/// A base and what resolving references against it needs.
pub(crate) struct Scope<'s> {
    pub(crate) context: &'s Context<'s>,
    pub(crate) resolver: Option<Resolver<'s>>,
    pub(crate) dialect: Dialect,
    pub(crate) is_codebase: bool,
    /// True if the base is the document's own URL.
    pub(crate) is_own: bool,
    /// The cost of a reference resolved against it: the length of the base.
    pub(crate) cost: usize,
    /// True if the output no longer has the `<base>` that the base comes from, or one around it.
    pub(crate) is_emptied: bool,
    /// The scope in the output if it differs: where a `<base>` is emptied, and inside such a
    /// document.
    pub(crate) after: Option<&'s Scope<'s>>,
}

impl<'s> Scope<'s> {
    /// Returns true if both have the same base, in the input and in the output.
    pub(crate) fn is_same_base(&self, other: &Scope<'_>) -> bool {
        let (here, there) = (self.after.unwrap_or(self), other.after.unwrap_or(other));
        self.base() == other.base() && here.base() == there.base()
    }

    /// Returns the base URL, if there is one.
    fn base(&self) -> Option<&str> {
        self.resolver.as_ref().map(Resolver::base)
    }

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

    /// Returns the contexts of a document that `origin` embeds, in the input and in the output.
    pub(crate) fn enclosed(&self, origin: &'static str) -> (Context<'_>, Option<Context<'_>>) {
        let after = self.after.map(|after| after.context.enclosed(origin));
        (self.context.enclosed(origin), after)
    }
}

/// The bases of one text of a document.
#[derive(Clone, Copy)]
pub(crate) struct Scopes<'s> {
    /// The base without a `<base>`.
    pub(crate) fallback: &'s Scope<'s>,
    /// The base of the whole document.
    pub(crate) base: &'s Scope<'s>,
    /// The base when the parser meets the start of the text.
    pub(crate) at_start: &'s Scope<'s>,
    /// The bases that come later in it, each with the number of the last value before which it does
    /// not hold.
    pub(crate) steps: &'s [(usize, &'s Scope<'s>)],
    /// A second base that a reference may be resolved against.
    pub(crate) other: Option<&'s Scope<'s>>,
    /// The same without a `<base>`: the URL of an error page is one of several.
    pub(crate) other_fallback: Option<&'s Scope<'s>>,
    /// The base by XML Base where browsers use `base`.
    pub(crate) by_xml_base: Option<&'s Scope<'s>>,
}

impl<'s> Scopes<'s> {
    /// Returns the bases of a text in which none changes.
    pub(crate) fn new(fallback: &'s Scope<'s>, base: &'s Scope<'s>) -> Self {
        let (at_start, other, other_fallback, by_xml_base) = (base, None, None, None);
        Scopes { fallback, base, at_start, steps: &[], other, other_fallback, by_xml_base }
    }

    /// Returns the base when the parser meets value number `idx`.
    fn when_parsed(&self, idx: usize) -> &'s Scope<'s> {
        let n_before = self.steps.partition_point(|(from, _)| *from < idx);
        n_before.checked_sub(1).map_or(self.at_start, |step| self.steps[step].1)
    }

    /// Returns the bases of value number `idx`, resolved at `moment`, and of the texts in it.
    #[inline]
    pub(crate) fn of_value(&self, idx: usize, moment: impl FnOnce() -> Moment) -> Self {
        // In most documents the base comes first.
        let is_one = self.steps.is_empty() && ptr::eq(self.at_start, self.base);
        let moment = if is_one { Moment::Final } else { moment() };
        if moment == Moment::Final {
            return Scopes { other: self.other, ..Scopes::new(self.fallback, self.base) };
        }
        let when_parsed = self.when_parsed(idx);
        match moment {
            Moment::Either if !when_parsed.is_same_base(self.base) => {
                Scopes { other: Some(when_parsed), ..Scopes::new(self.fallback, self.base) }
            }
            _ => {
                let is_fallback = ptr::eq(when_parsed, self.fallback);
                let other = if is_fallback { self.other_fallback } else { self.other };
                Scopes { other, ..Scopes::new(self.fallback, when_parsed) }
            }
        }
    }

    /// Returns the bases of a fragment of the document that is value number `idx`: in it there are
    /// references of each moment.
    pub(crate) fn of_fragment(&self, idx: usize, moment: Moment) -> Self {
        let at_start = match moment {
            Moment::Final => self.base,
            Moment::Parsed | Moment::Either => self.when_parsed(idx),
        };
        Scopes { at_start, other: self.other, ..Scopes::new(self.fallback, self.base) }
    }
}

/// The location of a document, in the input and in the output.
#[derive(Clone, Copy)]
pub(crate) struct Place<'p> {
    pub(crate) context: &'p Context<'p>,
    pub(crate) own_url: Option<&'p str>,
    /// The location in the output if it differs.
    pub(crate) new: Option<OutputPlace<'p>>,
}

/// The location of a document in the output.
#[derive(Clone, Copy)]
pub(crate) struct OutputPlace<'p> {
    pub(crate) context: &'p Context<'p>,
    pub(crate) own_url: Option<&'p str>,
    /// The URL of the tree.
    pub(crate) root: &'p str,
}

impl<'p> Place<'p> {
    /// Returns the scope of the base at the location in the output, if it differs.
    pub(crate) fn after(&self, dialect: Dialect) -> Option<Scope<'p>> {
        self.new.map(|there| Scope::new(there.context, dialect, there.own_url))
    }

    /// Returns the scope of the base at the location in the input; `after` is its counterpart in
    /// the output, if it differs.
    pub(crate) fn scope(&self, after: Option<&'p Scope<'p>>, dialect: Dialect) -> Scope<'p> {
        Scope { after, ..Scope::new(self.context, dialect, self.own_url) }
    }

    pub(crate) fn new_url(&self) -> Option<&'p str> {
        self.new.map_or(self.own_url, |there| there.own_url)
    }

    /// Returns the URL of the tree in the output, if it differs.
    pub(crate) fn new_root(&self) -> Option<&'p str> {
        self.new.map(|there| there.root)
    }
}
