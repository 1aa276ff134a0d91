//! The decision of `move`: every reference leads to where its target is in the output, as it did before where that is possible.

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

/// How references are written where a tree moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MoveStyle {
    /// What leads to the right place stays as it is written; what does not is made right, relative if it was and if that can be.
    #[default]
    Keep,
    /// All are absolute.
    Absolute,
    /// References into the tree are relative paths, those out of it are absolute.
    Relative,
}

words!(MoveStyle { "keep" => Keep, "absolute" => Absolute, "relative" => Relative });

/// Where things are in the output, and how references to them are written.
#[derive(Clone, Debug)]
pub struct Move {
    /// Where targets are.
    pub map: Arc<dyn TargetMap>,
    /// How references are written.
    pub style: MoveStyle,
    /// Whether a second run is never made: else one finds right what the first has written.
    pub is_once: bool,
}

impl Move {
    /// References stay as they are as far as that is possible.
    pub fn by(moves: PrefixMap) -> Self {
        Move { map: Arc::new(moves), style: MoveStyle::Keep, is_once: false }
    }
}

/// How many octets longer than the absolute URL a relative spelling may be where the style is
/// [`MoveStyle::Keep`].
const LONGER: usize = 256;

pub(crate) struct Relocate<'o> {
    options: &'o Options,
    to: &'o Move,
    /// Whether what tells a base follows its target; else it stays as it is written.
    moves_bases: bool,
    report: Report,
    expectations: Expectations,
    relativizer: Relativizer,
    /// Where the reference points.
    target: String,
    /// Where it is to point.
    moved: String,
    /// Where it would point under the new base; then what is to be written.
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

    /// Leaves in `self.target` where a reference points, and in `self.moved` where that is in the output.
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

    /// Leaves in `self.moved` where `self.target` is in the output.
    fn map(&mut self, site: &Site<'_>) -> TargetLocation {
        self.moved.clear();
        let (path, fragment) =
            self.target.split_at(self.target.find('#').unwrap_or(self.target.len()));
        // The document itself is where it is, whatever the map says of its name.
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

    /// Whether a reference leads where it is to lead as it is written.
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

    /// What becomes of a reference. Its target, if that is promised, is left in `self.moved`; what is to be written, in `self.found`.
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
        let is_base = site.slot.tells_base();
        // What a `<base>` in Markdown is for, only those know who read what becomes of it.
        let is_foreign = site.slot == SlotId::BASE_HREF && site.is_in_markdown();
        match () {
            () if is_foreign || (is_base && !self.moves_bases) => {
                (Outcome::Kept, Expectation::Text)
            }
            () if !self.options.edits(site.slot, site.kind) => {
                (Outcome::Filtered, Expectation::Text)
            }
            // What the server that reads it will be asked for is not known elsewhere.
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

    /// The style that a reference is to have; none if it stays as it is wherever it is right.
    fn style(&self, site: &Site<'_>, place: TargetLocation) -> Option<Style> {
        // An archive is to be found under the codebase.
        if site.is_on_codebase && site.slot.row().is_ok_and(|slot| slot.is_fixed) {
            return None;
        }
        match self.to.style {
            MoveStyle::Keep => None,
            MoveStyle::Absolute => Some(Style::Absolute),
            // A base is what other references are relative to; and what has no URL is not relative to one.
            MoveStyle::Relative if site.slot.tells_base() || site.own_url.is_none() => None,
            MoveStyle::Relative if place != TargetLocation::Outside && may_be_relative(site) => {
                Some(Style::Relative)
            }
            MoveStyle::Relative => Some(Style::Absolute),
        }
    }

    /// Writes a reference that is not as it is to be; `stays` tells that it leads to the right place, and what becomes of it then.
    fn write(
        &mut self,
        site: &Site<'_>,
        style: Option<Style>,
        stays: Option<Outcome>,
    ) -> (Outcome, Expectation) {
        let dialect = site.dialect;
        let left = (Outcome::Unwritable, Expectation::Text);
        let Some(under) = site.new_resolver else {
            if site.resolver.is_some() {
                return left;
            }
            self.found.clone_from(&self.moved);
            return match self.is_writable(site) {
                true => (Outcome::Rewritten, Expectation::NewText),
                false => left,
            };
        };
        let style = style.unwrap_or_else(|| self.natural_style(site));
        // `#x` means the document itself in a slot that is local, and under a base that is another's it does not.
        let is_local = site.slot.row().is_ok_and(|slot| slot.is_local);
        let names_document = dialect.rules().empty_reference != EmptyReference::SameDocument;
        let is_own = site.is_new_base_own && !is_local && self.moved.contains('#');
        let base_is = if is_own && names_document { BaseIs::Document } else { BaseIs::Other };
        for style in [style, Style::Absolute] {
            let written = self.relativizer.relativize(under, &self.moved, style, base_is);
            let Ok(written) = written else { return left };
            if style == Style::Relative && is_too_long(self.to.style, written.text, &self.moved) {
                continue;
            }
            let fitted = site.delimiters.fitted(written.text, under);
            if let Some(outcome) = stays.filter(|_| *fitted == *site.text) {
                return (outcome, Expectation::Target);
            }
            self.found.clear();
            self.found.push_str(&fitted);
            // What no path leads to is written with its scheme.
            let is_path = Reference::split(&self.found, dialect).authority().is_none();
            if style != Style::Relative || (is_path && self.is_right_again(site)) {
                break;
            }
        }
        match self.is_writable(site) {
            true => (Outcome::Rewritten, Expectation::Target),
            false => left,
        }
    }

    /// The style in which a reference is written that does not lead to the right place as it is. A second run reads it in the old place, and
    /// finds it right too: `/a` would be another there.
    fn natural_style(&self, site: &Site<'_>) -> Style {
        let text = clean(site.text, site.dialect);
        let old = site.resolver.map_or("", |resolver| resolver.scheme());
        let form = Reference::split_under(&text, site.dialect, old).form();
        let is_own = !site.slot.tells_base() && site.own_url.is_some() && may_be_relative(site);
        match form {
            Form::RelativePath | Form::SameDocument if may_be_relative(site) => Style::Relative,
            Form::AbsolutePath if is_own => Style::Relative,
            Form::NetworkPath if self.has_host(site, old) => Style::NetworkPath,
            _ => Style::Absolute,
        }
    }

    /// Whether a second run finds `self.found` right: it reads it where the document was, and there the root may have another name.
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

    /// Whether `self.moved` has this scheme and names a host: `///x` would name one elsewhere.
    fn has_host(&self, site: &Site<'_>, scheme: &str) -> bool {
        let moved = Reference::split(&self.moved, site.dialect);
        moved.scheme().is_some_and(|new| new.eq_ignore_ascii_case(scheme))
            && moved.authority().is_some_and(|host| !host.is_empty())
    }

    /// Whether what is to be written would be read as a reference, and found by those who look for it.
    fn is_writable(&self, site: &Site<'_>) -> bool {
        (site.kind == Kind::Template || !is_template(&self.found)) && self.keeps_links(site)
    }

    /// Whether those who point to a part of a message by its location find it when `self.found` is written: documents are read by the rules of
    /// the web, and headings are not (DESIGN section 5).
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

    /// Notes whether what tells a base leads elsewhere than the walk takes for granted: to where its target is, or, if it stays, to that
    /// itself.
    fn watch_base(&mut self, site: &Site<'_>, outcome: Outcome) {
        // The walk knows of those itself, and reads them again as they stand.
        let is_known = matches!(
            site.keep,
            Some(KeepReason::Sealed | KeepReason::Part | KeepReason::Base | KeepReason::Entity)
        );
        let is_read = site.kind != Kind::Template && !is_known && !site.is_in_markdown();
        let is_watched = site.slot.tells_base() && is_read;
        if is_watched && outcome != Outcome::Rewritten && self.find(site).is_ok() {
            let is_right = self.is_right(site);
            let stays = !self.moves_bases && self.found == self.target;
            self.expectations.depends_on_base |= !is_right && !stays;
        }
    }
}

/// Returns true if a new relative spelling of `url` is so long that the URL itself is written. Under a
/// deep base each would be as long as the base, and the document would grow by their product.
fn is_too_long(style: MoveStyle, written: &str, url: &str) -> bool {
    style == MoveStyle::Keep && written.len() > url.len() + LONGER
}

/// Whether a reference may be relative to its document, wherever it leads.
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
            self.expectations.entries.get(id).is_some_and(|entry| entry.slot.tells_base());
        self.expectations.depends_on_base |= is_base && self.moves_bases;
        self.expectations.refuse(id, reason.to_string(), &mut self.report);
        // As it stands it may lead elsewhere in the new place.
        self.expectations.leave(id);
    }

    fn document(&mut self, document: &DocumentSite<'_>) {
        self.report.n_parts += usize::from(document.is_part());
    }

    fn note(&mut self, note: Note) {
        self.report.note(note);
    }
}
