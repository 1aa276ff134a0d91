//! The rules of `move`: every reference points to the location of its target in the output, in
//! its original style where possible.

use std::sync::Arc;

use urlcore::{
    Form, Reference, Relativizer, Style, clean, is_absolute_for_any_base, resolve_without_base,
};

use crate::decide::shared_rules::{
    base_is, is_base_of_markdown, is_fixed_on_codebase, is_writable, is_written_in, locate,
    names_host, resolve, untouched,
};
use crate::decide::{CommandRules, Decision, Findings};
use crate::expectations::Expectation;
use crate::moves::prefix::PrefixMap;
use crate::moves::shares::WindowsPaths;
use crate::moves::{TargetLocation, TargetMap};
use crate::options::Options;
use crate::options::builder::{builder, choices};
use crate::report::{Outcome, Report};
use crate::slots::{Fetch, Kind};
use crate::walk::site::{KeepReason, Site};

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
    /// References into the tree are in this style, those out of it are absolute.
    Written(Style),
}

choices!(MoveStyle { "keep" => Keep, "absolute" => Absolute, "relative" => Relative });

/// The locations of targets in the output, and the style of references to them.
///
/// # Examples
///
/// ```
/// use relink_rewrite::{Move, MoveStyle, PrefixMap};
///
/// let mut moves = PrefixMap::default();
/// moves.add("http://old/", "http://new/docs/", [])?;
/// let to = Move::by(moves).with_style(MoveStyle::Absolute);
/// assert_eq!(to.map.url("http://old/a"), "http://new/docs/a");
/// # Ok::<(), relink_rewrite::Conflict>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Move {
    /// The locations of targets.
    pub map: Arc<dyn TargetMap>,
    /// The style of references.
    pub style: MoveStyle,
    /// True if there is never a second run; otherwise a second run must accept the references that
    /// the first has written.
    pub is_once: bool,
    /// True if the tree stays where it is, and only what is in it is renamed: references from the
    /// root of the site stay such.
    pub keeps_root: bool,
}

impl Move {
    /// Returns a move that keeps references as they are as far as possible.
    pub fn by(moves: PrefixMap) -> Self {
        Move { map: Arc::new(moves), style: MoveStyle::Keep, is_once: false, keeps_root: false }
    }
}

builder!(Move {
    with_map: map: Arc<dyn TargetMap>,
    with_style: style: MoveStyle,
    with_is_once: is_once: bool,
    with_keeps_root: keeps_root: bool,
});

/// The maximum number of bytes by which a relative spelling may be longer than the absolute URL,
/// if the style is [`MoveStyle::Keep`].
const LONGER: usize = 256;

pub(crate) struct Relocate<'o> {
    options: &'o Options,
    pub(super) to: &'o Move,
    /// True if bases follow their targets; otherwise they stay as written.
    moves_bases: bool,
    /// The shares and drives among the roots.
    pub(super) windows: Option<&'o WindowsPaths>,
    /// True if the reference is read as on Windows: no URL reference has its target.
    pub(super) is_path: bool,
    relativizer: Relativizer,
    /// The target of the reference in the input.
    pub(super) target: String,
    /// The target that it must have in the output.
    pub(super) output_target: String,
    /// The target that it has in the output if it stays as written; empty if it has none.
    pub(super) kept_target: String,
    /// The text to write.
    pub(super) text: String,
    /// The target that a second run finds for that text, and its location in the output.
    second_run: [String; 2],
}

impl<'o> Relocate<'o> {
    pub(crate) fn new(options: &'o Options, to: &'o Move, moves_bases: bool) -> Self {
        Relocate {
            options,
            to,
            moves_bases,
            windows: to.map.windows(),
            is_path: false,
            relativizer: Relativizer::default(),
            target: String::new(),
            output_target: String::new(),
            kept_target: String::new(),
            text: String::new(),
            second_run: [String::new(), String::new()],
        }
    }

    /// Leaves in `target` the target of a reference, and in `output_target` its location in the
    /// output. Returns the outcome of a reference without a target.
    pub(super) fn find(&mut self, site: &Site<'_>) -> Result<TargetLocation, Outcome> {
        let read = self.read_path(site, site.text, site.resolver);
        self.is_path = read.is_some();
        if let Some(read) = read {
            self.target = read?;
        } else if let Some(resolver) = site.resolver {
            resolve(resolver, site.text, &mut self.target)?;
        } else if is_absolute_for_any_base(site.text, site.dialect) {
            resolve_without_base(site.text, site.dialect, &mut self.target)
                .map_err(|_| Outcome::Unresolvable)?;
        } else {
            return Err(Outcome::NoBase);
        }
        let location = locate(&*self.to.map, site, &self.target, &mut self.output_target);
        self.read_number_sign(site, location)
    }

    /// Returns true if a reference points to its intended target as it is written.
    fn is_right(&mut self, site: &Site<'_>) -> bool {
        if !site.slot.gives_base() && !site.has_one_target(site.text) {
            return false;
        }
        match site.new_resolver {
            Some(under) => {
                self.find_in_output(site, under, site.text)
                    && self.kept_target == self.output_target
            }
            None if site.resolver.is_some() => false,
            None => {
                self.kept_target.clone_from(&self.target);
                self.target == self.output_target
            }
        }
    }

    /// Returns true if a relative reference was written for the location of the output, and points
    /// to its target there as it is. Leaves the target in `output_target`.
    fn is_for_place(&mut self, site: &Site<'_>, location: TargetLocation) -> bool {
        let Some(under) = site.new_resolver.filter(|_| location == TargetLocation::Missing) else {
            return false;
        };
        if !is_written_in(site.text, Style::Relative, site.dialect, under) {
            return false;
        }
        let from = site.new_url.unwrap_or_default();
        let target = self.to.map.for_place(&self.kept_target, from);
        let is_one = target.as_ref() == Some(&self.kept_target);
        if is_one {
            self.output_target.clone_from(&self.kept_target);
        }
        is_one
    }

    /// Returns true if a base that stays as written has another target than the walk assumes: the
    /// new location of its target or, if bases stay, the base itself.
    fn loses_base(&mut self, site: &Site<'_>) -> bool {
        // The walk knows about these itself, and reads them again as written.
        let is_known = || {
            matches!(
                site.keep,
                Some(KeepReason::Sealed | KeepReason::Part | KeepReason::Base | KeepReason::Entity)
            )
        };
        // The base of a response is read without the marks of templates in it.
        let is_template = site.kind == Kind::Template && !site.is_ambiguous();
        let is_read = || !is_template && !is_known() && !site.is_in_markdown();
        if !site.slot.gives_base() || !is_read() || self.find(site).is_err() {
            return false;
        }
        let is_right = self.is_right(site);
        let stays = !self.moves_bases && self.kept_target == self.target;
        !is_right && !stays
    }

    /// Records that a policy of the document may refuse to load a target at its new location.
    fn watch_policy(&self, site: &Site<'_>, report: &mut Report) {
        if !report.may_break_policy
            && self.target != self.output_target
            && site.fetch() != Fetch::Never
        {
            let origin = |url| {
                let url = Reference::split(url, site.dialect);
                (url.scheme(), url.authority())
            };
            report.may_break_policy = origin(&*self.target) != origin(&*self.output_target);
        }
    }

    /// Decides on a reference.
    fn decision<'d>(&'d mut self, site: &Site<'_>, report: &mut Report) -> Decision<'d> {
        if let Some(outcome) = untouched(site, self.options) {
            return Decision::unchanged(outcome);
        }
        let location = match self.find(site) {
            Ok(location) => location,
            Err(outcome) => return Decision::unchanged(outcome),
        };
        self.watch_policy(site, report);
        let is_right = self.is_right(site) || self.is_for_place(site, location);
        if is_base_of_markdown(site) || (site.slot.gives_base() && !self.moves_bases) {
            return Decision::unchanged(Outcome::Kept);
        }
        if !self.options.edits(site.slot, site.kind) {
            return Decision::unchanged(Outcome::Filtered);
        }
        // Elsewhere the server that reads it may request another path.
        if site.slot.is_path_only() {
            return if is_right {
                self.keep(Outcome::Kept)
            } else {
                Decision::unchanged(Outcome::PathOnly)
            };
        }
        let stays = match location {
            TargetLocation::Inside | TargetLocation::Twin | TargetLocation::Missing => {
                Outcome::Kept
            }
            TargetLocation::Outside => Outcome::Outside,
        };
        let style = self.style(site, location);
        let has_style = || {
            let is_written_in = |style, under| is_written_in(site.text, style, site.dialect, under);
            style.zip(site.new_resolver).is_none_or(|(style, under)| is_written_in(style, under))
        };
        if !(is_right && has_style()) {
            self.write(site, style, is_right.then_some(stays))
        } else if site.resolver.is_none() {
            Decision::unchanged(stays)
        } else {
            self.keep(stays)
        }
    }

    /// Decides to keep a reference that points to its intended target.
    fn keep(&self, outcome: Outcome) -> Decision<'_> {
        if self.is_path {
            return Decision::unchanged(outcome);
        }
        Decision::Keep { outcome, expect: Expectation::Target(&self.output_target) }
    }

    /// Returns the style that a reference must have; `None` if it may stay as it is wherever it is
    /// right.
    fn style(&self, site: &Site<'_>, location: TargetLocation) -> Option<Style> {
        if is_fixed_on_codebase(site) || site.is_on_error_page {
            return None;
        }
        match self.to.style {
            MoveStyle::Keep => None,
            MoveStyle::Absolute => Some(Style::Absolute),
            // Other references are relative to a base; and nothing is relative to a document
            // without a URL.
            MoveStyle::Relative | MoveStyle::Written(_)
                if site.slot.gives_base() || site.own_url.is_none() =>
            {
                None
            }
            style if location != TargetLocation::Outside && site.may_be_relative() => match style {
                MoveStyle::Written(style) => Some(style),
                _ => Some(Style::Relative),
            },
            MoveStyle::Relative | MoveStyle::Written(_) => Some(Style::Absolute),
        }
    }

    /// Decides how to write a reference that is not in its intended form; `stays` is its outcome if
    /// it points to the right target already.
    fn write<'d>(
        &'d mut self,
        site: &Site<'_>,
        style: Option<Style>,
        stays: Option<Outcome>,
    ) -> Decision<'d> {
        let unwritable = Decision::unchanged(Outcome::Unwritable);
        if style.is_none() && self.respell(site) {
            let is_url = !self.is_path && self.kept_target == self.output_target;
            let expect = match is_url {
                true => Expectation::Target(&self.output_target),
                false => Expectation::NewText(&self.text),
            };
            return Decision::Write { outcome: Outcome::Rewritten, expect, text: &self.text };
        }
        let Some(under) = site.new_resolver else {
            let text = &*self.output_target;
            if site.resolver.is_some() || !is_writable(site, text, Some(&*self.to.map)) {
                return unwritable;
            }
            let expect = Expectation::NewText(text);
            return Decision::Write { outcome: Outcome::Rewritten, expect, text };
        };
        let style = style.unwrap_or_else(|| self.natural_style(site));
        let base_is = base_is(site, &self.output_target);
        for style in [style, Style::Absolute] {
            let relative = self.relativizer.relativize(under, &self.output_target, style, base_is);
            let Ok(relative) = relative else { return unwritable };
            if style == Style::Relative
                && is_too_long(self.to.style, relative.text, &self.output_target)
            {
                continue;
            }
            let fitted = site.delimiters.fitted(relative.text, under);
            let is_written = matches!(self.to.style, MoveStyle::Written(_));
            if is_written && style != Style::Absolute && names_host(&fitted, site.dialect) {
                continue;
            }
            if let Some(outcome) = stays.filter(|_| *fitted == *site.text) {
                return self.keep(outcome);
            }
            self.text.clear();
            self.text.push_str(&fitted);
            // A target that no path leads to is written with its scheme.
            let is_path = || {
                !names_host(&self.text, site.dialect)
                    && self.read_path(site, &self.text, Some(under)).is_none()
            };
            let is_final = match style {
                Style::Relative => is_path() && self.is_right_again(site),
                Style::AbsolutePath | Style::Shortest => is_path(),
                _ => true,
            };
            if is_final {
                break;
            }
        }
        if !is_writable(site, &self.text, Some(&*self.to.map)) {
            return unwritable;
        }
        Decision::Write {
            outcome: Outcome::Rewritten,
            expect: Expectation::Target(&self.output_target),
            text: &self.text,
        }
    }

    /// Returns the style for a reference that does not point to its intended target as it is. A
    /// second run resolves it at the old location and must accept it too: there `/a` would have
    /// another target.
    fn natural_style(&self, site: &Site<'_>) -> Style {
        let text = clean(site.text, site.dialect);
        let old = site.resolver.map_or("", |resolver| resolver.scheme());
        let form = Reference::split_under(&text, site.dialect, old).form();
        let is_own = !site.slot.gives_base() && site.own_url.is_some() && site.may_be_relative();
        match form {
            Form::RelativePath | Form::SameDocument if site.may_be_relative() => Style::Relative,
            Form::AbsolutePath
                if site.is_on_error_page || (self.to.keeps_root && site.own_url.is_some()) =>
            {
                Style::AbsolutePath
            }
            Form::AbsolutePath if is_own => Style::Relative,
            Form::NetworkPath if self.has_host(site, old) => Style::NetworkPath,
            _ => Style::Absolute,
        }
    }

    /// Returns true if a second run accepts the text to write: it resolves the text at the old
    /// location, and there the root may have another name.
    fn is_right_again(&mut self, site: &Site<'_>) -> bool {
        let Some(resolver) = site.resolver.filter(|_| !self.to.is_once) else { return true };
        let [target, output_target] = &mut self.second_run;
        if resolve(resolver, &self.text, target).is_err() {
            return false;
        }
        locate(&*self.to.map, site, target, output_target);
        *output_target == self.output_target
    }

    /// Returns true if the target in the output has this scheme and names a host: `///x` would name
    /// a host elsewhere.
    fn has_host(&self, site: &Site<'_>, scheme: &str) -> bool {
        let target = Reference::split(&self.output_target, site.dialect);
        target.scheme().is_some_and(|new| new.eq_ignore_ascii_case(scheme))
            && target.authority().is_some_and(|host| !host.is_empty())
    }
}

/// Returns true if a new relative spelling of `url` is so long that the URL itself is written.
/// Under a deep base each would be as long as the base, and the document would grow by their
/// product.
fn is_too_long(style: MoveStyle, written: &str, url: &str) -> bool {
    style == MoveStyle::Keep && written.len() > url.len() + LONGER
}

impl CommandRules for Relocate<'_> {
    /// As written it may have another target at the new location.
    fn refused_keep_targets(&self) -> bool {
        false
    }

    fn decide<'d>(&'d mut self, site: &Site<'_>, findings: &mut Findings) -> Decision<'d> {
        let Findings { report, bases } = findings;
        let loses_base = self.loses_base(site);
        let decision = self.decision(site, report);
        match decision {
            Decision::Keep { .. } => bases.reference_stays(loses_base),
            Decision::Write { .. } if site.slot.gives_base() => bases.must_be_rewritten(site.id),
            Decision::Write { .. } => {}
        }
        decision
    }
}
