//! The decision of `move`: every reference points to the location of its target in the output, in
//! its original style where possible.

use std::sync::Arc;

use basectx::is_template;
use urlcore::{
    BaseIs, Dialect, EmptyReference, Form, Reference, Relativizer, Resolution, Resolver, Style,
    clean, is_absolute_for_any_base, resolve_without_base,
};

use crate::decide::{Decision, is_written_in, untouched};
use crate::expectations::{DecidedReference, Expectation, Expectations};
use crate::moves::prefix::PrefixMap;
use crate::moves::{TargetLocation, TargetMap};
use crate::options::Options;
use crate::report::{Note, Outcome, Report};
use crate::slots::{Fetch, Kind, SlotId};
use crate::walk::site::{DocumentSite, KeepReason, Refused, Site, Visitor};
use crate::words::words;

/// The style of references in a tree that moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MoveStyle {
    /// A reference that points to the right target stays as written; any other is fixed, relative
    /// if it was and if possible.
    #[default]
    Keep,
    /// All references are absolute.
    Absolute,
    /// References into the tree are relative paths, those out of it are absolute.
    Relative,
}

words!(MoveStyle { "keep" => Keep, "absolute" => Absolute, "relative" => Relative });

/// The locations of targets in the output, and the style of references to them.
#[derive(Clone, Debug)]
pub struct Move {
    /// The locations of targets.
    pub map: Arc<dyn TargetMap>,
    /// The style of references.
    pub style: MoveStyle,
    /// True if there is never a second run; otherwise a second run must accept the references that
    /// the first has written.
    pub is_once: bool,
}

impl Move {
    /// Returns a move that keeps references as they are as far as possible.
    pub fn by(moves: PrefixMap) -> Self {
        Move { map: Arc::new(moves), style: MoveStyle::Keep, is_once: false }
    }
}

/// The maximum number of octets by which a relative spelling may be longer than the absolute URL,
/// if the style is [`MoveStyle::Keep`].
const LONGER: usize = 256;

pub(crate) struct Relocate<'o> {
    options: &'o Options,
    to: &'o Move,
    /// True if bases follow their targets; otherwise they stay as written.
    moves_bases: bool,
    report: Report,
    expectations: Expectations,
    relativizer: Relativizer,
    /// The target of the reference in the input.
    target: String,
    /// The target of the reference in the output.
    moved: String,
    /// The target under the new base; after that the text to write.
    found: String,
}

impl<'o> Relocate<'o> {
    pub(crate) fn new(options: &'o Options, to: &'o Move, moves_bases: bool) -> Self {
        Relocate {
            options,
            to,
            moves_bases,
            report: Report::default(),
            expectations: Expectations::default(),
            relativizer: Relativizer::default(),
            target: String::new(),
            moved: String::new(),
            found: String::new(),
        }
    }

    /// Leaves in `self.target` the target of a reference, and in `self.moved` its location in the
    /// output.
    fn find(&mut self, site: &Site<'_>) -> Result<TargetLocation, Outcome> {
        match site.resolver {
            Some(resolver) => match resolver.resolve_into(site.text, &mut self.target) {
                Ok(Resolution::Url(_)) => {}
                Ok(Resolution::SameDocument { .. }) => return Err(Outcome::SameDocument),
                Err(_) => return Err(Outcome::Unresolvable),
            },
            None if !is_absolute_for_any_base(site.text, site.dialect) => {
                return Err(Outcome::NoBase);
            }
            None => resolve_without_base(site.text, site.dialect, &mut self.target)
                .map_err(|_| Outcome::Unresolvable)?,
        }
        Ok(self.map(site))
    }

    /// Leaves in `self.moved` the location of `self.target` in the output.
    fn map(&mut self, site: &Site<'_>) -> TargetLocation {
        self.moved.clear();
        let (path, fragment) =
            self.target.split_at(self.target.find('#').unwrap_or(self.target.len()));
        // The document itself is at its own location, whatever the map returns for its URL.
        if let (Some(own), Some(new)) = (site.own_url, site.new_url)
            && own.split('#').next() == Some(path)
        {
            self.moved.push_str(new.split('#').next().unwrap_or_default());
            self.moved.push_str(fragment);
            return TargetLocation::Inside;
        }
        let is_folder = site.slot.is_folder(&self.target);
        let place = self.to.map.moved(&self.target, is_folder, &mut self.moved);
        if self.moved.is_empty() {
            self.moved.clone_from(&self.target);
        }
        place
    }

    /// Returns true if a reference points to its intended target as it is written.
    fn is_right(&mut self, site: &Site<'_>) -> bool {
        let resolved = match site.new_resolver {
            Some(under) => under.resolve_into(site.text, &mut self.found),
            None if site.resolver.is_some() => return false,
            None => {
                self.found.clone_from(&self.target);
                return self.target == self.moved;
            }
        };
        matches!(resolved, Ok(Resolution::Url(_))) && self.found == self.moved
    }

    /// Decides on a reference. Its target, if the decision expects it, is left in `self.moved`; the
    /// text to write in `self.found`.
    fn decide(&mut self, site: &Site<'_>) -> (Outcome, Expectation) {
        let dialect = site.dialect;
        if let Some(outcome) = untouched(site, self.options) {
            return (outcome, Expectation::Text);
        }
        let place = match self.find(site) {
            Ok(place) => place,
            Err(outcome) => return (outcome, Expectation::Text),
        };
        if !self.report.may_break_policy
            && self.target != self.moved
            && site.fetch() != Fetch::Never
        {
            let [old, new] = [&self.target, &self.moved].map(|url| Reference::split(url, dialect));
            self.report.may_break_policy =
                (old.scheme(), old.authority()) != (new.scheme(), new.authority());
        }
        let is_right = self.is_right(site);
        let stays = match place {
            TargetLocation::Inside | TargetLocation::Missing => Outcome::Kept,
            TargetLocation::Outside => Outcome::Outside,
        };
        let is_base = site.slot.gives_base();
        // The purpose of a `<base>` in Markdown depends on the program that renders it.
        let is_foreign = site.slot == SlotId::BASE_HREF && site.is_in_markdown();
        match () {
            () if is_foreign || (is_base && !self.moves_bases) => {
                (Outcome::Kept, Expectation::Text)
            }
            () if !self.options.edits(site.slot, site.kind) => {
                (Outcome::Filtered, Expectation::Text)
            }
            // Elsewhere the server that reads it may request another path.
            () if site.slot.is_path_only() => match is_right {
                true => (Outcome::Kept, Expectation::Target),
                false => (Outcome::PathOnly, Expectation::Text),
            },
            () => {
                let style = self.style(site, place);
                let is_kept = style.is_none_or(|style| {
                    let has_style = |under| is_written_in(site.text, style, dialect, under);
                    site.new_resolver.is_none_or(has_style)
                });
                if is_right && is_kept {
                    let expectation = match site.resolver {
                        Some(_) => Expectation::Target,
                        None => Expectation::Text,
                    };
                    return (stays, expectation);
                }
                self.write(site, style, is_right.then_some(stays))
            }
        }
    }

    /// Returns the style that a reference must have; `None` if it may stay as it is wherever it is
    /// right.
    fn style(&self, site: &Site<'_>, place: TargetLocation) -> Option<Style> {
        // An archive is looked up under the codebase.
        if site.is_on_codebase && site.slot.row().is_ok_and(|slot| slot.is_fixed) {
            return None;
        }
        match self.to.style {
            MoveStyle::Keep => None,
            MoveStyle::Absolute => Some(Style::Absolute),
            // Other references are relative to a base; and nothing is relative to a document
            // without a URL.
            MoveStyle::Relative if site.slot.gives_base() || site.own_url.is_none() => None,
            MoveStyle::Relative if place != TargetLocation::Outside && may_be_relative(site) => {
                Some(Style::Relative)
            }
            MoveStyle::Relative => Some(Style::Absolute),
        }
    }

    /// Decides how to write a reference that is not in its intended form; `stays` is its outcome if
    /// it points to the right target already.
    fn write(
        &mut self,
        site: &Site<'_>,
        style: Option<Style>,
        stays: Option<Outcome>,
    ) -> (Outcome, Expectation) {
        let dialect = site.dialect;
        let unwritable = (Outcome::Unwritable, Expectation::Text);
        let Some(under) = site.new_resolver else {
            if site.resolver.is_some() {
                return unwritable;
            }
            self.found.clone_from(&self.moved);
            return match self.is_writable(site) {
                true => (Outcome::Rewritten, Expectation::NewText),
                false => unwritable,
            };
        };
        let style = style.unwrap_or_else(|| self.natural_style(site));
        // `#x` means the document itself in a slot that is local, but not under a base that is not
        // the document's.
        let is_local = site.slot.row().is_ok_and(|slot| slot.is_local);
        let names_document = dialect.rules().empty_reference != EmptyReference::SameDocument;
        let is_own = site.is_new_base_own && !is_local && self.moved.contains('#');
        let base_is = if is_own && names_document { BaseIs::Document } else { BaseIs::Other };
        for style in [style, Style::Absolute] {
            let written = self.relativizer.relativize(under, &self.moved, style, base_is);
            let Ok(written) = written else { return unwritable };
            if style == Style::Relative && is_too_long(self.to.style, written.text, &self.moved) {
                continue;
            }
            let fitted = site.delimiters.fitted(written.text, under);
            if let Some(outcome) = stays.filter(|_| *fitted == *site.text) {
                return (outcome, Expectation::Target);
            }
            self.found.clear();
            self.found.push_str(&fitted);
            // A target that no path leads to is written with its scheme.
            let is_path = Reference::split(&self.found, dialect).authority().is_none();
            if style != Style::Relative || (is_path && self.is_right_again(site)) {
                break;
            }
        }
        match self.is_writable(site) {
            true => (Outcome::Rewritten, Expectation::Target),
            false => unwritable,
        }
    }

    /// Returns the style for a reference that does not point to its intended target as it is. A
    /// second run resolves it at the old location and must accept it too: there `/a` would have
    /// another target.
    fn natural_style(&self, site: &Site<'_>) -> Style {
        let text = clean(site.text, site.dialect);
        let old = site.resolver.map_or("", |resolver| resolver.scheme());
        let form = Reference::split_under(&text, site.dialect, old).form();
        let is_own = !site.slot.gives_base() && site.own_url.is_some() && may_be_relative(site);
        match form {
            Form::RelativePath | Form::SameDocument if may_be_relative(site) => Style::Relative,
            Form::AbsolutePath if is_own => Style::Relative,
            Form::NetworkPath if self.has_host(site, old) => Style::NetworkPath,
            _ => Style::Absolute,
        }
    }

    /// Returns true if a second run accepts `self.found`: it resolves the text at the old location,
    /// and there the root may have another name.
    fn is_right_again(&mut self, site: &Site<'_>) -> bool {
        let Some(resolver) = site.resolver.filter(|_| !self.to.is_once) else { return true };
        let is_url =
            matches!(resolver.resolve_into(&self.found, &mut self.target), Ok(Resolution::Url(_)));
        let moved = std::mem::take(&mut self.moved);
        let is_right = is_url && {
            self.map(site);
            self.moved == moved
        };
        self.moved = moved;
        is_right
    }

    /// Returns true if `self.moved` has this scheme and names a host: `///x` would name a host
    /// elsewhere.
    fn has_host(&self, site: &Site<'_>, scheme: &str) -> bool {
        let moved = Reference::split(&self.moved, site.dialect);
        moved.scheme().is_some_and(|new| new.eq_ignore_ascii_case(scheme))
            && moved.authority().is_some_and(|host| !host.is_empty())
    }

    /// Returns true if the text to write would be read as a reference, and found by references to
    /// it.
    fn is_writable(&self, site: &Site<'_>) -> bool {
        (site.kind == Kind::Template || !is_template(&self.found)) && self.keeps_links(site)
    }

    /// Returns true if references to a part of a message by its location still find the part when
    /// `self.found` is written. References in documents are read by the rules of the web and header
    /// fields by RFC 3986, so the location must have its target in both readings.
    fn keeps_links(&self, site: &Site<'_>) -> bool {
        if site.slot != SlotId::CONTENT_LOCATION {
            return true;
        }
        let target = |base: Option<&str>, text: &str| match base {
            Some(base) => Resolver::new(base, Dialect::Web).ok()?.resolve(text).ok()?.url(),
            None => Some(text.to_owned()),
        };
        let here = target(site.context.base(), site.text).map(|url| self.to.map.url(&url));
        here == target(site.new_resolver.map(Resolver::base), &self.found)
    }

    /// Records that a base has another target than the walk assumes: the new location of its target
    /// or, if bases stay, the base itself.
    fn watch_base(&mut self, site: &Site<'_>, outcome: Outcome) {
        // The walk knows about these itself, and reads them again as written.
        let is_known = matches!(
            site.keep,
            Some(KeepReason::Sealed | KeepReason::Part | KeepReason::Base | KeepReason::Entity)
        );
        let is_read = site.kind != Kind::Template && !is_known && !site.is_in_markdown();
        let is_watched = site.slot.gives_base() && is_read;
        if is_watched && outcome != Outcome::Rewritten && self.find(site).is_ok() {
            let is_right = self.is_right(site);
            let stays = !self.moves_bases && self.found == self.target;
            self.expectations.depends_on_base |= !is_right && !stays;
        }
    }
}

/// Returns true if a new relative spelling of `url` is so long that the URL itself is written.
/// Under a deep base each would be as long as the base, and the document would grow by their
/// product.
fn is_too_long(style: MoveStyle, written: &str, url: &str) -> bool {
    style == MoveStyle::Keep && written.len() > url.len() + LONGER
}

/// Returns true if a reference may be relative to its document, wherever it points.
fn may_be_relative(site: &Site<'_>) -> bool {
    let is_always_absolute = site.slot.row().is_ok_and(|slot| slot.is_always_absolute);
    !site.is_read_elsewhere && !site.is_shown_by_id && !is_always_absolute
}

impl Decision for Relocate<'_> {
    fn finish(self) -> (Report, Expectations) {
        (self.report, self.expectations)
    }
}

impl Visitor for Relocate<'_> {
    fn reference(&mut self, site: &Site<'_>) -> Option<&str> {
        let (outcome, expectation) = self.decide(site);
        let text = match expectation {
            Expectation::Target => &self.moved,
            Expectation::NewText => &self.found,
            Expectation::Text | Expectation::OwnText | Expectation::Skipped => site.text,
        };
        let decided = DecidedReference { outcome, expectation, text };
        self.expectations.note(site, &decided, self.options, &mut self.report);
        self.watch_base(site, outcome);
        (outcome == Outcome::Rewritten).then_some(&*self.found)
    }

    fn refused(&mut self, id: usize, reason: Refused) {
        let is_base =
            self.expectations.entries.get(id).is_some_and(|entry| entry.slot.gives_base());
        self.expectations.depends_on_base |= is_base && self.moves_bases;
        self.expectations.refuse(id, reason.to_string(), &mut self.report);
        // As written it may have another target at the new location.
        self.expectations.leave(id);
    }

    fn document(&mut self, document: &DocumentSite<'_>) {
        self.report.n_parts += usize::from(document.is_part());
    }

    fn note(&mut self, note: Note) {
        self.report.note(note);
    }
}
