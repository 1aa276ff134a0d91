//! The decision of `absolutize`: every reference that depends on its base is replaced by its
//! target.

use basectx::is_template;
use urlcore::{Resolution, clean, is_absolute, is_absolute_for_any_base};

use crate::decide::{Decision, keeps_links, untouched};
use crate::expectations::{DecidedReference, Expectation, Expectations};
use crate::options::Options;
use crate::report::{Note, Outcome, Report};
use crate::slots::Kind;
use crate::walk::site::{DocumentSite, Refused, Site, Visitor};

pub(crate) struct Absolutize<'o> {
    options: &'o Options,
    pub(crate) report: Report,
    pub(crate) expectations: Expectations,
    target: String,
}

impl<'o> Absolutize<'o> {
    pub(crate) fn new(options: &'o Options) -> Self {
        Absolutize {
            options,
            report: Report::default(),
            expectations: Expectations::default(),
            target: String::new(),
        }
    }

    /// Decides on a reference; its target, if the decision expects it, is left in `self.target`.
    fn decide(&mut self, site: &Site<'_>) -> (Outcome, Expectation) {
        if let Some(outcome) = untouched(site, self.options) {
            return (outcome, Expectation::Text);
        }
        if site.slot.is_path_only() {
            return (Outcome::PathOnly, Expectation::Text);
        }
        let dialect = site.dialect;
        // `https:x` is absolute only if its base has another scheme, so it is written in full.
        if is_absolute_for_any_base(site.text, dialect) {
            return (Outcome::Kept, Expectation::Text);
        }
        let Some(resolver) = site.resolver else { return (Outcome::NoBase, Expectation::Text) };
        // A host that is not ASCII is not validated here.
        if !site.text.is_ascii() && is_absolute(site.text, dialect, Some(resolver.scheme())) {
            return (Outcome::Kept, Expectation::Text);
        }
        let is_edited = self.options.edits(site.slot, site.kind);
        if is_edited && site.is_base_own && is_same_document(&clean(site.text, dialect)) {
            return (Outcome::SameDocument, Expectation::OwnText);
        }
        match resolver.resolve_into(site.text, &mut self.target) {
            Ok(Resolution::Url(_)) => {}
            Ok(Resolution::SameDocument { .. }) => {
                return (Outcome::SameDocument, Expectation::Text);
            }
            Err(_) => return (Outcome::Unresolvable, Expectation::Text),
        }
        let is_fixed = || site.slot.row().is_ok_and(|slot| slot.is_fixed);
        let outcome = match () {
            () if !is_edited => Outcome::Filtered,
            // The target would no longer be read as a reference.
            () if site.kind != Kind::Template && is_template(&self.target) => Outcome::Unwritable,
            () if site.is_on_codebase && is_fixed() => Outcome::OnCodebase,
            () if !keeps_links(site, &self.target) => Outcome::Unwritable,
            () => Outcome::Rewritten,
        };
        (outcome, Expectation::Target)
    }
}

/// Returns true if a reference names its base, or a fragment of it.
fn is_same_document(text: &str) -> bool {
    text.is_empty() || text.starts_with('#')
}

impl Decision for Absolutize<'_> {
    fn finish(self) -> (Report, Expectations) {
        (self.report, self.expectations)
    }
}

impl Visitor for Absolutize<'_> {
    fn reference(&mut self, site: &Site<'_>) -> Option<&str> {
        let (outcome, expectation) = self.decide(site);
        let text = if expectation == Expectation::Target { &self.target } else { site.text };
        let decided = DecidedReference { outcome, expectation, text };
        self.expectations.note(site, &decided, self.options, &mut self.report);
        (outcome == Outcome::Rewritten).then_some(&*self.target)
    }

    fn refused(&mut self, id: usize, reason: Refused) {
        self.expectations.refuse(id, reason.to_string(), &mut self.report);
    }

    fn document(&mut self, document: &DocumentSite<'_>) {
        self.report.n_parts += usize::from(document.is_part());
    }

    fn note(&mut self, note: Note) {
        self.report.note(note);
    }
}
