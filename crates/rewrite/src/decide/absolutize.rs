//! The rules of `absolutize`: every reference that depends on its base is replaced by its target.

use urlcore::{clean, is_absolute, is_absolute_for_any_base};

use crate::decide::shared_rules::{is_fixed_on_codebase, is_writable, resolve, untouched};
use crate::decide::{CommandRules, Decision, Findings};
use crate::expectations::Expectation;
use crate::moves::TargetMap;
use crate::options::Options;
use crate::report::Outcome;
use crate::walk::site::Site;

pub(crate) struct Absolutize<'o> {
    options: &'o Options,
    /// The URLs to write for targets that have another URL than that of their place.
    map: Option<&'o dyn TargetMap>,
    /// The target of the reference.
    target: String,
    /// Its URL by the map.
    mapped: String,
}

impl<'o> Absolutize<'o> {
    pub(crate) fn new(options: &'o Options, map: Option<&'o dyn TargetMap>) -> Self {
        Absolutize { options, map, target: String::new(), mapped: String::new() }
    }

    /// Returns the URL to write for the target.
    fn url<'d>(
        map: Option<&dyn TargetMap>,
        site: &Site<'_>,
        target: &'d str,
        mapped: &'d mut String,
    ) -> &'d str {
        let Some(map) = map else { return target };
        mapped.clear();
        map.moved(target, site.slot.is_folder(target), mapped);
        if mapped.is_empty() { target } else { mapped }
    }
}

impl CommandRules for Absolutize<'_> {
    fn expects_own_targets(&self) -> bool {
        self.map.is_none()
    }

    fn refused_keep_targets(&self) -> bool {
        self.map.is_none()
    }

    fn decide<'d>(&'d mut self, site: &Site<'_>, _: &mut Findings) -> Decision<'d> {
        if let Some(outcome) = untouched(site, self.options) {
            return Decision::unchanged(outcome);
        }
        if site.slot.is_path_only() {
            return Decision::unchanged(Outcome::PathOnly);
        }
        let dialect = site.dialect;
        // `https:x` is absolute only if its base has another scheme, so it is written in full.
        if is_absolute_for_any_base(site.text, dialect) {
            return Decision::unchanged(Outcome::Kept);
        }
        let Some(resolver) = site.resolver else { return Decision::unchanged(Outcome::NoBase) };
        // A host that is not ASCII is not validated here.
        if !site.text.is_ascii() && is_absolute(site.text, dialect, Some(resolver.scheme())) {
            return Decision::unchanged(Outcome::Kept);
        }
        let is_edited = self.options.edits(site.slot, site.kind);
        if is_edited && site.is_base_own && is_same_document(&clean(site.text, dialect)) {
            return Decision::Keep { outcome: Outcome::SameDocument, expect: Expectation::OwnText };
        }
        if let Err(outcome) = resolve(resolver, site.text, &mut self.target) {
            return Decision::unchanged(outcome);
        }
        let text = Absolutize::url(self.map, site, &self.target, &mut self.mapped);
        let kept = match () {
            () if !is_edited => Outcome::Filtered,
            () if !is_writable(site, text, None) => Outcome::Unwritable,
            () if is_fixed_on_codebase(site) => Outcome::OnCodebase,
            () => {
                let expect = Expectation::Target(text);
                return Decision::Write { outcome: Outcome::Rewritten, expect, text };
            }
        };
        match self.map {
            // A base around it may be written with its URL by the map.
            Some(_) => Decision::unchanged(kept),
            None => Decision::Keep { outcome: kept, expect: Expectation::Target(&self.target) },
        }
    }
}

/// Returns true if a reference names its base, or a fragment of it.
fn is_same_document(text: &str) -> bool {
    text.is_empty() || text.starts_with('#')
}
