//! The visitor that decides on references by the rules of a command.
//!
//! It also has the rules for conditions on what a page loads, which all commands have in common: a
//! digest of a file that is edited is computed again, and a page that is read from a disk has
//! neither digests nor requests with an origin. In a policy, digests of texts that are edited are
//! computed again.

use layers::Span;
use urlcore::{Resolver, is_absolute_for_any_base};

use crate::decide::listing::Listing;
use crate::decide::{CommandRules, Decision, Findings};
use crate::digests::{FileDigests, LoadedFiles};
use crate::expectations::{Expectation, Expectations};
use crate::options::{AvailableMemory, Integrity, Options};
use crate::report::skip::SkipReason;
use crate::report::{Note, Outcome, Report, SkipScope, Skipped};
use crate::slots::{Fetch, Format, Kind, Slot, SlotId};
use crate::walk::frame::Refused;
use crate::walk::site::{DocumentSite, Site, Visitor};

/// A visitor that decides on each reference and records what it must be in the output.
pub(crate) struct Decider<'o, R> {
    rules: R,
    options: &'o Options,
    findings: Findings,
    expectations: Expectations,
    /// The references, if the run lists them.
    listing: Listing,
    /// The new text of a condition.
    text: String,
}

/// The result of all decisions on a unit.
pub(crate) struct Decided {
    /// The outcomes of the references and documents.
    pub(crate) report: Report,
    /// The expected state of each reference in the output.
    pub(crate) expectations: Expectations,
    /// True if a reference would lose its target because a base cannot change as decided.
    pub(crate) depends_on_base: bool,
}

impl<'o, R: CommandRules> Decider<'o, R> {
    pub(crate) fn new(rules: R, options: &'o Options, memory: AvailableMemory) -> Self {
        let (findings, expectations) = (Findings::default(), Expectations::default());
        let (listing, text) = (Listing::new(memory), String::new());
        Decider { rules, options, findings, expectations, listing, text }
    }

    /// Returns the result after the unit has been walked.
    pub(crate) fn finish(self) -> Decided {
        let Findings { mut report, bases } = self.findings;
        (report.references, report.n_unlisted) = self.listing.finish();
        let depends_on_base = bases.must_stay();
        Decided { report, expectations: self.expectations, depends_on_base }
    }
}

/// The maximum number of URLs outside of the tree that are listed for a document.
const MOST_OUTSIDE_LOADS: usize = 1000;

/// Adds the target of a reference that is absolute in the output.
fn list_outside_load(report: &mut Report, site: &Site<'_>, outcome: Outcome, text: Option<&str>) {
    let is_absolute = matches!(outcome, Outcome::Outside | Outcome::Rewritten)
        && is_absolute_for_any_base(text.unwrap_or(site.text), site.dialect);
    if is_absolute && report.outside_loads.len() < MOST_OUTSIDE_LOADS {
        report.outside_loads.extend(site.target());
    }
}

/// Returns true if a reference is in a style or script of which a policy may have a hash. Most are
/// in attributes.
fn is_in_hashed_text(site: &Site<'_>) -> bool {
    let is_of_page = |slot: &Slot| matches!(slot.format, Format::HTML | Format::SVG);
    !site.slot.row().is_ok_and(is_of_page) && site.frame.is_in_any(SlotId::may_be_hashed)
}

impl<R: CommandRules> Visitor for Decider<'_, R> {
    fn reference(&mut self, site: &Site<'_>) -> Option<&str> {
        let n_missing = self.findings.report.n_missing;
        let expects_own_target = self.rules.expects_own_targets();
        let decision = match site.kind {
            Kind::Condition => {
                let report = &mut self.findings.report;
                decide_on_condition(site, self.options, report, &mut self.text)
            }
            _ => self.rules.decide(site, &mut self.findings),
        };
        let (outcome, expect, text) = match decision {
            Decision::Keep { outcome, expect } => (outcome, expect, None),
            Decision::Write { outcome, expect, text } => (outcome, expect, Some(text)),
        };
        if self.options.lists_outside_loads && site.fetch() != Fetch::Never {
            list_outside_load(&mut self.findings.report, site, outcome, text);
        }
        let is_for_disk = self.options.integrity == Integrity::Remove;
        if is_for_disk && site.fetch() == Fetch::WithOrigin {
            let is_file = matches!(outcome, Outcome::Rewritten | Outcome::Kept)
                && !is_absolute_for_any_base(text.unwrap_or(site.text), site.dialect);
            self.findings.report.n_not_from_disk += usize::from(is_file);
        }
        if text.is_some() && !self.findings.report.edits_hashed_texts && is_in_hashed_text(site) {
            self.findings.report.edits_hashed_texts = true;
        }
        if self.options.lists_references {
            let is_missing = self.findings.report.n_missing > n_missing;
            let resolved = match expect {
                Expectation::Target(target) if expects_own_target => Some(target),
                _ => None,
            };
            self.listing.add(site, (outcome, resolved), text, is_missing);
        }
        self.expectations.note(site, outcome, expect, self.options, &mut self.findings.report);
        text
    }

    fn respelled(
        &mut self,
        slot: SlotId,
        text: &str,
        base: &str,
        under: &Resolver<'_>,
    ) -> Option<String> {
        self.rules.respelled(slot, text, base, under)
    }

    fn memory(&self) -> usize {
        self.expectations.memory()
    }

    fn refused(&mut self, id: usize, reason: Refused) {
        self.findings.bases.refused(id);
        let reason = reason.to_string();
        self.listing.refuse(id, &reason);
        self.expectations.refuse(id, reason, &mut self.findings.report);
        if !self.rules.refused_keep_targets() || self.expectations.is_new_target(id) {
            self.expectations.leave(id);
        }
    }

    fn document(&mut self, document: &DocumentSite<'_>) {
        if self.options.lists_references {
            self.findings.report.documents.push(document.listed());
        }
        if !document.is_part() {
            return;
        }
        let report = &mut self.findings.report;
        report.n_parts += 1;
        if R::NEEDS_DOCUMENT_URL && document.own_url.is_none() && document.media.needs_url() {
            let at = document.frame.raw(Span::default()).start;
            let part = document.frame.part().map(str::to_owned);
            let (reason, extent) = (SkipReason::NoUrl, SkipScope::Part);
            report.skipped.push(Skipped { reason, at, extent, part });
        }
    }

    fn note(&mut self, note: Note) {
        if let Note::Skipped(skipped) = &note {
            self.findings.bases.skipped(skipped);
            if skipped.reason == SkipReason::TwoBases {
                self.expectations.leave_unread();
            }
        }
        self.findings.report.note(note);
    }
}

/// The start of the name of an attribute that is taken away: browsers ignore it then.
const TAKEN_AWAY: &str = "data-";

/// Decides on a condition. `text` receives its new text.
fn decide_on_condition<'d>(
    site: &Site<'_>,
    options: &Options,
    report: &mut Report,
    text: &'d mut String,
) -> Decision<'d> {
    let unchanged = Decision::unchanged(Outcome::Kept);
    let is_edited = site.keep.is_none() && options.edits(site.slot, site.kind);
    let new = match (site.text_digests, site.load) {
        _ if !is_edited => None,
        (Some(digests), _) if site.slot.is_policy() => digests.renewed(site.text),
        (_, Some(load)) => of_load(site, load, options, report),
        _ => None,
    };
    let Some(new) = new else { return unchanged };
    *text = new;
    Decision::Write { outcome: Outcome::Rewritten, expect: Expectation::NewText(text), text }
}

/// Returns the new text of a condition on what another attribute loads.
fn of_load(
    site: &Site<'_>,
    &(files, url): &(&dyn LoadedFiles, &str),
    options: &Options,
    report: &mut Report,
) -> Option<String> {
    match options.integrity {
        Integrity::Keep => None,
        Integrity::Renew => files.digests(url).and_then(|digests| {
            let renewed = digests.renewed(site.text);
            if renewed.is_none() && FileDigests::is_enforced(site.text) {
                report.wrong_digests.push(url.to_owned());
            }
            renewed
        }),
        Integrity::Remove => {
            let start = site.text.get(..TAKEN_AWAY.len());
            let is_there = !start.is_some_and(|start| start.eq_ignore_ascii_case(TAKEN_AWAY));
            (is_there && files.contains(url)).then(|| format!("{TAKEN_AWAY}{}", site.text))
        }
    }
}
