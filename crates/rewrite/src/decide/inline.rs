//! The rules of a page that contains what it loads: what it loads is found inside of it, and
//! everything else leads where it led.

use urlcore::{clean, is_absolute_for_any_base};

use crate::decide::relocate::{Move, Relocate};
use crate::decide::shared_rules::untouched;
use crate::decide::{CommandRules, Decision, Findings};
use crate::options::Options;
use crate::report::Outcome;
use crate::slots::Fetch;
use crate::walk::site::Site;

/// What is loaded moves by one map, and what is linked to by another one.
pub(crate) struct Inline<'o> {
    options: &'o Options,
    links: Relocate<'o>,
    loads: Relocate<'o>,
}

impl<'o> Inline<'o> {
    pub(crate) fn new(
        options: &'o Options,
        links: &'o Move,
        loads: &'o Move,
        moves_bases: bool,
    ) -> Self {
        let of = |to| Relocate::new(options, to, moves_bases);
        Inline { options, links: of(links), loads: of(loads) }
    }

    /// Returns true for a reference that leads where it did or within the document; and for
    /// metadata about a file, which has no URL for others.
    fn stays(&mut self, site: &Site<'_>) -> bool {
        let is_bound = site.slot.gives_base() || untouched(site, self.options).is_some();
        if is_bound || self.links.find(site).is_err() {
            return false;
        }
        let text = clean(site.text, site.dialect);
        text.is_empty()
            || text.starts_with('#')
            || is_absolute_for_any_base(site.text, site.dialect)
            || (!site.may_be_relative() && self.links.output_target.starts_with("file:"))
    }
}

impl CommandRules for Inline<'_> {
    fn refused_keep_targets(&self) -> bool {
        self.links.refused_keep_targets()
    }

    fn decide<'d>(&'d mut self, site: &Site<'_>, findings: &mut Findings) -> Decision<'d> {
        if site.fetch() != Fetch::Never {
            return self.loads.decide(site, findings);
        }
        if self.stays(site) {
            return Decision::unchanged(Outcome::Kept);
        }
        self.links.decide(site, findings)
    }
}
