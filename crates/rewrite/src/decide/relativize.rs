//! The decision of `relativize`: references into the tree are written relative to the documents
//! that contain them.

use basectx::is_template;
use layers::Span;
use urlcore::{
    BaseIs, EmptyReference, Reference, Relativizer, Resolution, Resolver, Style,
    is_absolute_for_any_base,
};

use crate::decide::{Decision, is_written_in, keeps_links, untouched};
use crate::expectations::{DecidedReference, Expectation, Expectations};
use crate::moves::TargetLocation;
use crate::options::Options;
use crate::options::relative::{BaseElement, Missing, Relative, is_emptied};
use crate::report::skip::{SkipReason, SyntaxError};
use crate::report::{Incident, Note, Outcome, Report, SkipScope, Skipped};
use crate::slots::{Kind, SlotId};
use crate::walk::site::{DocumentSite, Refused, Site, Visitor};

pub(crate) struct Relativize<'o> {
    options: &'o Options,
    relative: &'o Relative,
    report: Report,
    expectations: Expectations,
    relativizer: Relativizer,
    /// The target of the reference in the input.
    target: String,
    /// The target of the reference in the output.
    moved: String,
    /// The target under the new base; after that the text to write.
    found: String,
    /// True if that text is to be written.
    is_edited: bool,
    /// True if a base was emptied.
    has_emptied: bool,
    /// The references with another target unless they are rewritten, because their base changes; in
    /// order.
    retargeted: Vec<usize>,
    /// True if an embedded document was skipped.
    has_skipped: bool,
}

impl<'o> Relativize<'o> {
    pub(crate) fn new(options: &'o Options, relative: &'o Relative) -> Self {
        Relativize {
            options,
            relative,
            report: Report::default(),
            expectations: Expectations::default(),
            relativizer: Relativizer::default(),
            target: String::new(),
            moved: String::new(),
            found: String::new(),
            is_edited: false,
            has_emptied: false,
            retargeted: Vec::new(),
            has_skipped: false,
        }
    }

    /// Leaves in `self.moved` the location of `self.target` in the output.
    fn find(&mut self, site: &Site<'_>) -> TargetLocation {
        self.moved.clear();
        let (path, fragment) =
            self.target.split_at(self.target.find('#').unwrap_or(self.target.len()));
        // The document itself is at its own location, whatever the map returns for its URL.
        if site.own_url.and_then(|url| url.split('#').next()) == Some(path) {
            self.moved.push_str(site.new_url.and_then(|url| url.split('#').next()).unwrap_or(path));
            self.moved.push_str(fragment);
            return TargetLocation::Inside;
        }
        let is_folder = site.slot.is_folder(&self.target);
        self.relative.map.moved(&self.target, is_folder, &mut self.moved)
    }

    /// Decides to keep a reference. `self.found` is its target under the new base: if the tree
    /// stays, that must be its target in the input; if it moves, its base must not be emptied.
    fn keep(&mut self, outcome: Outcome, site: &Site<'_>) -> (Outcome, Expectation) {
        if site.is_moved() {
            let is_free = is_absolute_for_any_base(site.text, site.dialect);
            self.expectations.depends_on_base |= site.is_base_emptied && !is_free;
            return (outcome, Expectation::Text);
        }
        self.expectations.depends_on_base |= self.found != self.target;
        self.moved.clone_from(&self.target);
        (outcome, Expectation::Target)
    }

    /// Decides on a reference. Its target, if the decision expects it, is left in `self.moved`; the
    /// text to write in `self.found`.
    fn decide(&mut self, site: &Site<'_>) -> (Outcome, Expectation) {
        let dialect = site.dialect;
        let is_moved = site.is_moved();
        if let Some(outcome) = untouched(site, self.options) {
            // A list that is kept for its templates is one text.
            let is_list = site.is_of_list();
            let is_free = site.kind == Kind::Local
                || (!is_list && is_absolute_for_any_base(site.text, dialect));
            let is_changed = if is_moved { site.is_base_emptied } else { site.is_base_changed() };
            self.expectations.depends_on_base |= !is_free && is_changed;
            return (outcome, Expectation::Text);
        }
        let own_url = site.own_url.filter(|_| !site.is_shown_by_id);
        let (Some(resolver), Some(under), Some(_)) = (site.resolver, site.new_resolver, own_url)
        else {
            // A reference without a target under this base, such as `thismessage:/`, may have one
            // without it; and an absolute reference is made relative, as a second run would do.
            let is_free = is_absolute_for_any_base(site.text, dialect);
            let is_bound = !is_free || site.resolver.is_none();
            self.expectations.depends_on_base |= is_bound && site.is_base_emptied;
            let outcome = match () {
                () if is_free => Outcome::Outside,
                // This is reported for the document, and not for each reference.
                () if own_url.is_none() => Outcome::Nowhere,
                () => Outcome::NoBase,
            };
            return (outcome, Expectation::Text);
        };
        let is_path_only = site.slot.is_path_only();
        let is_path_style = !matches!(self.relative.style, Style::Absolute | Style::NetworkPath);
        // Elsewhere the server that reads it may request another path.
        if is_path_only && (is_moved || !site.is_new_base_own || !is_path_style) {
            return (Outcome::PathOnly, Expectation::Text);
        }
        // No browser resolves a relative `<base>` in a message.
        let is_base_kept = match site.slot {
            SlotId::BASE_HREF => {
                self.relative.base_element != BaseElement::Relative || site.frame.part().is_some()
            }
            // If the tree stays, `xml:base` is made relative like any other reference, and the
            // references in its scope stay.
            SlotId::XML_BASE => is_moved || self.relative.base_element == BaseElement::Keep,
            _ => false,
        };
        // The purpose of a `<base>` in Markdown depends on the program that renders it.
        if site.slot == SlotId::BASE_HREF && site.is_in_markdown() {
            return (Outcome::Kept, Expectation::Text);
        }
        if is_base_kept {
            let new = site.new_root.map(|root| (under, root));
            return match is_emptied(site.text, self.relative.base_element, dialect, new) {
                true => {
                    self.found.clear();
                    (self.is_edited, self.has_emptied) = (true, true);
                    (Outcome::Rewritten, Expectation::NewText)
                }
                false => (Outcome::Kept, Expectation::Text),
            };
        }
        match resolver.resolve_into(site.text, &mut self.target) {
            Ok(Resolution::Url(_)) => {}
            Ok(Resolution::SameDocument { .. }) => {
                return (Outcome::SameDocument, Expectation::Text);
            }
            Err(_) => {
                let is_found = under.resolve_into(site.text, &mut self.found).is_ok();
                self.expectations.depends_on_base |=
                    is_found && (!is_moved || site.is_base_emptied);
                return (Outcome::Unresolvable, Expectation::Text);
            }
        }
        let row = site.slot.row().ok();
        let is_always_absolute =
            site.is_read_elsewhere || row.is_some_and(|slot| slot.is_always_absolute);
        let mut place = if is_always_absolute { TargetLocation::Outside } else { self.find(site) };
        let is_resolved = under.resolve_into(site.text, &mut self.found).is_ok();
        if is_moved && !is_always_absolute && is_resolved && self.is_for_place(site, place, under) {
            self.moved.clone_from(&self.found);
            place = TargetLocation::Inside;
        }
        // Under a base outside of the tree only absolute references lead into the tree.
        let is_base_outside = site.new_root.is_some_and(|root| !under.base().starts_with(root));
        let is_missing = place == TargetLocation::Missing && self.relative.missing != Missing::Keep;
        let mut is_outside = place == TargetLocation::Outside || is_missing || is_base_outside;
        if is_outside {
            self.moved.clone_from(&self.target);
        }
        if is_outside && is_path_only {
            return (Outcome::PathOnly, Expectation::Text);
        }
        let is_right_already = is_resolved && self.found == self.moved;
        if !self.options.edits(site.slot, site.kind) {
            return self.keep(Outcome::Filtered, site);
        }
        if site.is_on_codebase && (is_moved || row.is_some_and(|slot| slot.is_fixed)) {
            return self.keep(Outcome::OnCodebase, site);
        }
        if is_missing && self.relative.missing == Missing::Report {
            // Under the new base it would have another target.
            if site.is_base_emptied && !is_right_already {
                self.found.clone_from(&self.target);
                self.is_edited = true;
                return (Outcome::Broken, Expectation::Target);
            }
            return self.keep(Outcome::Broken, site);
        }
        if is_missing {
            self.report_missing(site);
        }
        // `#x` means the document itself in a slot that is local, but not under a base that is not
        // the document's.
        let is_local = row.is_some_and(|slot| slot.is_local);
        let names_document = dialect.rules().empty_reference != EmptyReference::SameDocument;
        let is_own = site.is_new_base_own && !is_local && self.moved.contains('#');
        let base_is = if is_own && names_document { BaseIs::Document } else { BaseIs::Other };
        let mut style = if is_outside { Style::Absolute } else { self.relative.style };
        let written = self.relativizer.relativize(under, &self.moved, style, base_is);
        let Ok(written) = written else { return self.keep(Outcome::Unwritable, site) };
        let fitted = site.delimiters.fitted(written.text, under);
        let mut written = &*fitted;
        // A target that no path leads to is written with its scheme: the tree may be read from a
        // disk.
        if !is_outside && Reference::split(written, dialect).authority().is_some() {
            (is_outside, style) = (true, Style::Absolute);
            self.moved.clone_from(&self.target);
            written = &self.target;
        }
        let is_right = is_right_already && is_written_in(site.text, style, dialect, under);
        let is_short = || style == Style::Shortest && written.len() >= site.text.len();
        if is_right || written == site.text || (is_right_already && is_short()) {
            let outcome = if is_outside { Outcome::Outside } else { Outcome::Kept };
            return (outcome, Expectation::Target);
        }
        if site.kind != Kind::Template && is_template(written) {
            return self.keep(Outcome::Unwritable, site);
        }
        if !keeps_links(site, written) {
            return self.keep(Outcome::Unwritable, site);
        }
        let is_bound = match is_moved {
            true => site.is_base_emptied && !is_absolute_for_any_base(site.text, dialect),
            false => site.is_base_changed(),
        };
        if is_bound && !is_right_already {
            self.retargeted.push(site.id);
        }
        self.found.clear();
        self.found.push_str(written);
        self.is_edited = true;
        (Outcome::Rewritten, Expectation::Target)
    }

    /// Returns true if a reference is right as written because it was written for a disk.
    fn is_for_place(&self, site: &Site<'_>, place: TargetLocation, under: &Resolver<'_>) -> bool {
        let map = &self.relative.map;
        let may_be_for_place = place != TargetLocation::Inside || map.trusts_paths();
        may_be_for_place
            && !site.is_base_emptied
            && is_written_in(site.text, Style::Relative, site.dialect, under)
            && map.is_for_place(&self.found, site.new_url.unwrap_or_default())
    }

    /// Records that the tree has no file for a reference.
    fn report_missing(&mut self, site: &Site<'_>) {
        self.report.n_missing += 1;
        if self.options.lists_incidents {
            let (at, reference) = (site.frame.raw(site.span).start, site.text.to_owned());
            let reason = "no such file; made absolute".to_owned();
            self.report.incidents.push(Incident { at, reference, reason });
        }
    }
}

impl Decision for Relativize<'_> {
    fn finish(mut self) -> (Report, Expectations) {
        // References in a skipped document cannot follow their base.
        self.expectations.depends_on_base |= self.has_skipped && self.has_emptied;
        (self.report, self.expectations)
    }
}

impl Visitor for Relativize<'_> {
    fn reference(&mut self, site: &Site<'_>) -> Option<&str> {
        self.is_edited = false;
        let (outcome, expectation) = self.decide(site);
        let text = match expectation {
            Expectation::Target => &self.moved,
            Expectation::NewText => &self.found,
            Expectation::Text | Expectation::OwnText | Expectation::Skipped => site.text,
        };
        let decided = DecidedReference { outcome, expectation, text };
        self.expectations.note(site, &decided, self.options, &mut self.report);
        self.is_edited.then_some(&*self.found)
    }

    /// Returns the tree's spelling of a base that a path leads to: hosts are compared ignoring
    /// letter case, and a tree may have several URLs.
    fn respelled(&mut self, text: &str, base: &str, under: &Resolver<'_>) -> Option<String> {
        let is_kept = self.relative.base_element == BaseElement::Keep || is_template(text);
        if is_kept || !self.options.edits(SlotId::XML_BASE, Kind::Url) {
            return None;
        }
        self.moved.clear();
        if self.relative.map.moved(base, SlotId::XML_BASE.is_folder(base), &mut self.moved)
            != TargetLocation::Inside
        {
            self.moved.replace_range(.., base);
        }
        let style = self.relative.style;
        let written = self.relativizer.relativize(under, &self.moved, style, BaseIs::Other).ok()?;
        if Reference::split(written.text, self.options.dialect).authority().is_some() {
            return None;
        }
        under.resolve_into(written.text, &mut self.found).ok()?;
        (self.found != base).then(|| self.found.clone())
    }

    fn refused(&mut self, id: usize, reason: Refused) {
        // These may have been emptied or respelled.
        let is_base = |slot| matches!(slot, SlotId::BASE_HREF | SlotId::XML_BASE);
        let is_base = self.expectations.entries.get(id).is_some_and(|entry| is_base(entry.slot));
        self.expectations.depends_on_base |= is_base || self.retargeted.binary_search(&id).is_ok();
        self.expectations.refuse(id, reason.to_string(), &mut self.report);
    }

    fn document(&mut self, document: &DocumentSite<'_>) {
        if !document.is_part() {
            return;
        }
        self.report.n_parts += 1;
        if document.own_url.is_none() && document.media.needs_url() {
            let at = document.frame.raw(Span::default()).start;
            let part = document.frame.part().map(str::to_owned);
            let (reason, extent) = (SkipReason::NoUrl, SkipScope::Part);
            self.report.skipped.push(Skipped { reason, at, extent, part });
        }
    }

    fn note(&mut self, note: Note) {
        if let Note::Skipped(skipped) = &note {
            // Malformed JSON has no references for any reader.
            let is_read = skipped.reason != SkipReason::Malformed(SyntaxError::Json);
            self.has_skipped |= is_read && skipped.extent == SkipScope::Embedded;
        }
        self.report.note(note);
    }
}
