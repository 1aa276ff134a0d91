//! The rules of `relativize`: references into the tree are written relative to the documents that
//! contain them.

use std::ptr;

use basectx::is_template;
use urlcore::{BaseIs, Form, Relativizer, Resolver, Style, is_absolute_for_any_base};

use crate::decide::BaseDependence;
use crate::decide::shared_rules::{
    base_is, is_base_of_markdown, is_fixed_on_codebase, is_writable, is_written_in, locate,
    names_host, resolve, untouched,
};
use crate::decide::{CommandRules, Decision, Findings};
use crate::expectations::Expectation;
use crate::moves::{TargetLocation, root_of};
use crate::options::Options;
use crate::options::relative::{BaseElement, Missing, Relative, holds_elsewhere, is_emptied};
use crate::report::{Incident, Outcome, Report};
use crate::slots::{Kind, SlotId};
use crate::walk::site::Site;

pub(crate) struct Relativize<'o> {
    options: &'o Options,
    relative: &'o Relative,
    relativizer: Relativizer,
    /// The target of the reference in the input.
    target: String,
    /// The target that it must have in the output.
    output_target: String,
    /// The target that it has in the output if it stays as written; empty if it has none.
    kept_target: String,
    /// The text to write.
    text: String,
}

/// The location of the target of a reference in the output.
#[derive(Clone, Copy)]
struct Destination {
    /// True if only an absolute reference leads to it.
    is_outside: bool,
    /// True if the tree has no file for it, and that is not to be ignored.
    is_missing: bool,
    /// True if the tree has it under another scheme or host.
    is_twin: bool,
    /// True if the reference points to it as written.
    is_right: bool,
}

impl<'o> Relativize<'o> {
    pub(crate) fn new(options: &'o Options, relative: &'o Relative) -> Self {
        Relativize {
            options,
            relative,
            relativizer: Relativizer::default(),
            target: String::new(),
            output_target: String::new(),
            kept_target: String::new(),
            text: String::new(),
        }
    }

    /// Returns true if a reference that can only be a path may be rewritten: elsewhere the server
    /// that reads it may request another path.
    fn may_rewrite_path(&self, site: &Site<'_>) -> bool {
        let is_path_style = !matches!(self.relative.style, Style::Absolute | Style::NetworkPath);
        !site.is_moved() && site.is_new_base_own && is_path_style
    }

    /// Returns true if a base is not made relative like any other reference: it is emptied, or
    /// stays as written.
    fn is_base_by_option(&self, site: &Site<'_>) -> bool {
        let base_element = self.relative.base_element;
        match site.slot {
            // No browser resolves a relative `<base>` in a message.
            SlotId::BASE_HREF => {
                base_element != BaseElement::Relative || site.frame.part().is_some()
            }
            // If the tree stays, `xml:base` is made relative like any other reference, and the
            // references in its scope stay.
            slot if slot.opens_scope() => site.is_moved() || base_element == BaseElement::Keep,
            _ => false,
        }
    }

    /// Decides whether such a base is emptied. `under` is the base that it is resolved against.
    fn empty_base(
        &self,
        site: &Site<'_>,
        under: &Resolver<'_>,
        bases: &mut BaseDependence,
    ) -> Decision<'static> {
        let own_root = || root_of(&*self.relative.map, site.own_url?);
        let new = site.new_root.or_else(own_root).map(|root| (under, root));
        if site.slot == SlotId::DASH_BASE
            || !is_emptied(site.text, self.relative.base_element, site.dialect, new)
        {
            return Decision::unchanged(Outcome::Kept);
        }
        bases.base_is_emptied(site.id);
        Decision::Write { outcome: Outcome::Rewritten, expect: Expectation::NewText(""), text: "" }
    }

    /// Finds the location in the output of the target of a reference, which is left in
    /// `output_target`, and the target that it has there as written, in `kept_target`.
    fn find(&mut self, site: &Site<'_>, under: &Resolver<'_>) -> Destination {
        let may_be_relative = site.may_be_relative();
        let mut location = TargetLocation::Outside;
        if may_be_relative {
            location = locate(&*self.relative.map, site, &self.target, &mut self.output_target);
        }
        // The map may give a target another URL outside of the tree.
        let leads_out = may_be_relative && location == TargetLocation::Outside;
        // The base is usually the same in the output.
        let is_resolved = if site.resolver.is_some_and(|resolver| ptr::eq(resolver, under)) {
            self.kept_target.clone_from(&self.target);
            true
        } else {
            under.resolve_into(site.text, &mut self.kept_target).is_ok()
        };
        if site.is_moved()
            && may_be_relative
            && is_resolved
            && let Some(target) = self.for_place(site, location, under)
        {
            self.output_target = target;
            location = TargetLocation::Inside;
        }
        if site.is_moved()
            && !may_be_relative
            && is_resolved
            && is_written_in(site.text, Style::Relative, site.dialect, under)
            && let Some(target) = self.relative.map.target_of_path(&self.kept_target)
        {
            self.target = target;
        }
        let is_root_alone =
            !site.is_moved() && location == TargetLocation::Inside && self.is_root();
        if is_root_alone {
            if may_name_root(site) { self.add_slash() } else { location = TargetLocation::Outside }
        }
        // Under a base outside of the tree only absolute references lead into the tree.
        let is_base_outside = match site.new_root {
            Some(root) => !under.base().starts_with(root),
            None => self.is_outside(site, under.base()),
        };
        let is_missing =
            location == TargetLocation::Missing && self.relative.missing != Missing::Keep;
        let is_outside = location == TargetLocation::Outside || is_missing || is_base_outside;
        if is_outside && !(leads_out && location == TargetLocation::Outside) {
            self.output_target.clone_from(&self.target);
        }
        let is_right = is_resolved
            && self.kept_target == self.output_target
            && site.has_one_target(site.text)
            && (is_outside || site.is_moved() || self.holds_elsewhere(site.text, under));
        let is_twin = location == TargetLocation::Twin && !is_outside;
        Destination { is_outside, is_missing, is_twin, is_right }
    }

    /// Returns true if the target in the output is the tree itself, named without its final slash.
    fn is_root(&self) -> bool {
        let rest = self.relative.map.rest(&self.output_target);
        rest.is_some_and(|rest| !rest.starts_with('/'))
    }

    /// Adds the slash to such a target.
    fn add_slash(&mut self) {
        let n_rest = self.relative.map.rest(&self.output_target).map_or(0, str::len);
        self.output_target.insert(self.output_target.len() - n_rest, '/');
    }

    /// Returns true if a base is outside of the tree that contains the document.
    fn is_outside(&self, site: &Site<'_>, base: &str) -> bool {
        let map = &*self.relative.map;
        let is_in_tree = |url: &str| map.rest(url).is_some_and(|rest| rest.starts_with('/'));
        !site.is_new_base_own && site.own_url.is_some_and(is_in_tree) && !is_in_tree(base)
    }

    /// Returns true if a relative reference leads to the same file wherever the tree is.
    fn holds_elsewhere(&self, text: &str, under: &Resolver<'_>) -> bool {
        let map = &*self.relative.map;
        let (base, target) = (under.base(), &*self.output_target);
        let (Some(from), Some(to)) = (map.rest(base), map.rest(target)) else { return true };
        let is_same_root = base[..base.len() - from.len()] == target[..target.len() - to.len()];
        let (Some(from), Some(to)) = (from.strip_prefix('/'), to.strip_prefix('/')) else {
            return true;
        };
        !is_same_root || holds_elsewhere(text, under, [from, to], self.options.dialect)
    }

    /// Returns the target of a reference that was written for a disk.
    fn for_place(
        &self,
        site: &Site<'_>,
        location: TargetLocation,
        under: &Resolver<'_>,
    ) -> Option<String> {
        let map = &self.relative.map;
        let may_be_for_place = location != TargetLocation::Inside || map.trusts_paths();
        let is_path = may_be_for_place
            && !site.is_base_emptied
            && is_written_in(site.text, Style::Relative, site.dialect, under);
        let from = site.new_url.unwrap_or_default();
        is_path.then(|| map.for_place(&self.kept_target, from)).flatten()
    }

    /// Decides to keep a reference with a target. If the tree stays, the reference must have that
    /// target in the output too; if it moves, the base must not be emptied.
    fn keep<'d>(
        &'d self,
        outcome: Outcome,
        site: &Site<'_>,
        bases: &mut BaseDependence,
    ) -> Decision<'d> {
        if site.is_moved() {
            let is_free = is_absolute_for_any_base(site.text, site.dialect);
            bases.reference_stays(site.is_base_emptied && !is_free);
            return Decision::unchanged(outcome);
        }
        bases.reference_stays(self.kept_target != self.target || !site.has_one_target(site.text));
        Decision::Keep { outcome, expect: Expectation::Target(&self.target) }
    }

    /// Decides on a reference to a missing file that is to be reported and kept. Where it would
    /// have another target under an emptied base it is made absolute.
    fn keep_broken<'d>(
        &'d self,
        site: &Site<'_>,
        is_right: bool,
        bases: &mut BaseDependence,
    ) -> Decision<'d> {
        let outcome = Outcome::Broken;
        if !site.is_base_emptied || is_right {
            return self.keep(outcome, site, bases);
        }
        bases.must_be_rewritten(site.id);
        Decision::Write { outcome, expect: Expectation::Target(&self.target), text: &self.target }
    }

    /// Records that the tree has no file for a reference, which is absolute in the output.
    fn report_missing(&self, site: &Site<'_>, report: &mut Report) {
        report.n_missing += 1;
        if self.options.lists_incidents {
            let (at, reference) = (site.frame.raw(site.span).start, site.text.to_owned());
            let is_absolute = is_absolute_for_any_base(site.text, site.dialect);
            let done = if is_absolute { "left absolute" } else { "made absolute" };
            let message = format!("{done}; the tree has no such file");
            report.incidents.push(Incident { at, reference, message });
        }
    }

    /// Returns the outcome of a reference that stays absolute. In a custom property, which may be
    /// used in any directory, one that leads into the tree stays so too.
    fn outcome_outside(&mut self, site: &Site<'_>) -> Outcome {
        let map = &*self.relative.map;
        let mut location = || locate(map, site, &self.target, &mut self.kept_target);
        let stays = site.is_used_elsewhere && location() != TargetLocation::Outside;
        if stays { Outcome::PlaceDependent } else { Outcome::Outside }
    }

    /// Decides how to write a reference, unless it has the intended form already.
    fn write<'d>(
        &'d mut self,
        site: &Site<'_>,
        under: &Resolver<'_>,
        destination: Destination,
        bases: &mut BaseDependence,
    ) -> Decision<'d> {
        let Destination { mut is_outside, is_right, .. } = destination;
        let mut style = if is_outside { Style::Absolute } else { self.relative.style };
        let base_is = base_is(site, &self.output_target);
        let relative = self.relativizer.relativize(under, &self.output_target, style, base_is);
        let Ok(relative) = relative else { return self.keep(Outcome::Unwritable, site, bases) };
        let is_path =
            matches!(relative.form, Form::RelativePath | Form::SameDocument | Form::AbsolutePath);
        let fitted = site.delimiters.fitted(relative.text, under);
        let mut text = &*fitted;
        // A target that no path leads to is written with its scheme: the tree may be read from a
        // disk.
        if !is_outside && !is_path && names_host(text, site.dialect) {
            (is_outside, style) = (true, Style::Absolute);
            self.output_target.clone_from(&self.target);
            text = &self.target;
        }
        let has_style = || is_written_in(site.text, style, site.dialect, under);
        let is_shortest = style == Style::Shortest && text.len() >= site.text.len();
        if text == site.text || (is_right && (is_shortest || has_style())) {
            let outcome = if is_outside { self.outcome_outside(site) } else { Outcome::Kept };
            return Decision::Keep { outcome, expect: Expectation::Target(&self.output_target) };
        }
        if !is_writable(site, text, None) {
            return self.keep(Outcome::Unwritable, site, bases);
        }
        let is_free = || site.is_moved() && is_absolute_for_any_base(site.text, site.dialect);
        if (is_base_changed(site) && !is_right && !is_free()) || is_base(site.slot) {
            bases.must_be_rewritten(site.id);
        }
        self.text.clear();
        self.text.push_str(text);
        // The map may spell the target in another way, or have another host for it.
        let expect = if self.kept_target == self.output_target {
            Expectation::Target(&self.output_target)
        } else {
            Expectation::NewTarget(&self.output_target)
        };
        Decision::Write { outcome: Outcome::Rewritten, expect, text: &self.text }
    }
}

/// Returns true for slots in which a server redirects from the tree's URL without its final slash:
/// of links to pages, and not of prefixes and identities.
fn may_name_root(site: &Site<'_>) -> bool {
    const SLOTS: [SlotId; 6] = [
        SlotId::named("a[href]"),
        SlotId::named("area[href]"),
        SlotId::named("form[action]"),
        SlotId::named("iframe[src]"),
        SlotId::named("svg a[href]"),
        SlotId::named("svg a[xlink:href]"),
    ];
    SLOTS.contains(&site.slot)
}

/// Returns true for bases that are emptied or written in another spelling.
fn is_base(slot: SlotId) -> bool {
    slot == SlotId::BASE_HREF || slot.opens_scope()
}

/// Returns true if a reference that stays as written may lose its target with its base. If the tree
/// moves, every base does, and what stays may follow it unless it is emptied.
fn is_base_changed(site: &Site<'_>) -> bool {
    if site.is_moved() { site.is_base_emptied } else { site.is_base_changed() }
}

/// Decides on a reference that no command changes.
fn keep_untouched(
    outcome: Outcome,
    site: &Site<'_>,
    bases: &mut BaseDependence,
) -> Decision<'static> {
    // A list that is kept for its templates is one text.
    let is_free = site.kind == Kind::Local
        || (!site.is_of_list() && is_absolute_for_any_base(site.text, site.dialect));
    bases.reference_stays(!is_free && is_base_changed(site));
    Decision::unchanged(outcome)
}

/// Decides on a reference without a base, or in a document without a URL.
fn keep_without_base(site: &Site<'_>, bases: &mut BaseDependence) -> Decision<'static> {
    // A reference without a target under this base, such as `thismessage:/`, may have one without
    // it; and an absolute reference is made relative, as a second run would do.
    let is_free = is_absolute_for_any_base(site.text, site.dialect);
    let is_bound = !is_free || site.resolver.is_none();
    bases.reference_stays(is_bound && site.is_base_emptied);
    Decision::unchanged(match () {
        () if is_free => Outcome::Outside,
        // This is reported for the document, and not for each reference.
        () if !has_place(site) => Outcome::Nowhere,
        () => Outcome::NoBase,
    })
}

/// Returns true if the document has a URL that references could be relative to.
fn has_place(site: &Site<'_>) -> bool {
    site.own_url.is_some() && !site.is_shown_by_id
}

impl CommandRules for Relativize<'_> {
    const NEEDS_DOCUMENT_URL: bool = true;

    fn decide<'d>(&'d mut self, site: &Site<'_>, findings: &mut Findings) -> Decision<'d> {
        let Findings { report, bases } = findings;
        if let Some(outcome) = untouched(site, self.options) {
            return keep_untouched(outcome, site, bases);
        }
        // It has its form on purpose.
        if site.is_on_error_page {
            return Decision::unchanged(Outcome::ErrorPage);
        }
        let (Some(resolver), Some(under), true) =
            (site.resolver, site.new_resolver, has_place(site))
        else {
            return keep_without_base(site, bases);
        };
        let is_path_only = site.slot.is_path_only();
        if is_path_only && !self.may_rewrite_path(site) {
            return Decision::unchanged(Outcome::PathOnly);
        }
        if is_base_of_markdown(site) {
            return Decision::unchanged(Outcome::Kept);
        }
        if self.is_base_by_option(site) {
            return self.empty_base(site, under, bases);
        }
        if let Err(outcome) = resolve(resolver, site.text, &mut self.target) {
            let gets_target = outcome == Outcome::Unresolvable
                && under.resolve_into(site.text, &mut self.kept_target).is_ok();
            bases.reference_stays(gets_target && (!site.is_moved() || site.is_base_emptied));
            return Decision::unchanged(outcome);
        }
        let destination = self.find(site, under);
        if destination.is_outside && is_path_only {
            return Decision::unchanged(Outcome::PathOnly);
        }
        if !self.options.edits(site.slot, site.kind) {
            return self.keep(Outcome::Filtered, site, bases);
        }
        if (site.is_on_codebase && site.is_moved()) || is_fixed_on_codebase(site) {
            return self.keep(Outcome::OnCodebase, site, bases);
        }
        if destination.is_missing && self.relative.missing == Missing::Report {
            return self.keep_broken(site, destination.is_right, bases);
        }
        if destination.is_missing {
            self.report_missing(site, report);
        }
        report.n_twins += usize::from(destination.is_twin);
        self.write(site, under, destination, bases)
    }

    /// Returns the tree's spelling of a base that a path leads to: hosts are compared ignoring
    /// letter case, and a tree may have several URLs.
    fn respelled(
        &mut self,
        slot: SlotId,
        text: &str,
        base: &str,
        under: &Resolver<'_>,
    ) -> Option<String> {
        let is_kept = self.relative.base_element == BaseElement::Keep || is_template(text);
        if is_kept || !self.options.edits_slot(slot) {
            return None;
        }
        let target = &mut self.output_target;
        target.clear();
        let is_folder = slot.is_folder(base);
        let location = self.relative.map.moved(base, is_folder, target);
        if !matches!(location, TargetLocation::Inside | TargetLocation::Twin) {
            target.replace_range(.., base);
        }
        let style = self.relative.style;
        let written = self.relativizer.relativize(under, target, style, BaseIs::Other).ok()?;
        if names_host(written.text, self.options.dialect) {
            return None;
        }
        under.resolve_into(written.text, &mut self.kept_target).ok()?;
        (self.kept_target != base).then(|| self.kept_target.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use basectx::Context;

    use crate::moves::{TargetLocation, TargetMap};
    use crate::options::relative::{Missing, Relative};
    use crate::options::{Options, Verify};
    use crate::unit::{Media, Unit};

    /// A tree that should contain every target and has none.
    #[derive(Debug)]
    struct Empty;

    impl TargetMap for Empty {
        fn moved(&self, target: &str, _: bool, new: &mut String) -> TargetLocation {
            new.push_str(target);
            TargetLocation::Missing
        }
    }

    #[test]
    fn a_base_stays_if_a_broken_reference_under_it_cannot_be_written() {
        let url = "http://h/d/p";
        let context = Context::retrieval(url.parse().unwrap(), "test");
        let relative =
            Relative { missing: Missing::Report, map: Arc::new(Empty), ..Relative::default() };
        let output = |document: &str, verify| {
            let (bytes, media) = (document.as_bytes(), Media::HTML);
            let unit = Unit::new(bytes, media, &context);
            let options = Options { verify, ..Options::default() };
            let output = crate::relativize(unit, &options, &relative).into_output();
            output.map(|output| String::from_utf8_lossy(&output).into_owned())
        };
        // A URL with an apostrophe ends at it there.
        let refresh = "<meta http-equiv=refresh content=\"0;url='y'\">";
        let writable = format!("<base href=\"http://h/x/\">{refresh}");
        let refused = format!("<base href=\"http://h/it's/\">{refresh}");
        for verify in [Verify::None, Verify::Fast] {
            let absolute = writable.replace("http://h/x/", "").replace("'y'", "'http://h/x/y'");
            assert_eq!(output(&writable, verify), Some(absolute));
            assert_eq!(output(&refused, verify), None);
        }
    }
}
