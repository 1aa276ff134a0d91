//! The rules for conditions on what a page loads, which all commands have in common: a digest of a
//! file that is edited is computed again, and a page that is read from a disk has neither digests
//! nor requests with an origin. In a policy, digests of texts that are edited are computed again.

use crate::decide::Decision;
use crate::digests::{FileDigests, LoadedFiles};
use crate::expectations::Expectation;
use crate::options::{Integrity, Options};
use crate::report::{Outcome, Report};
use crate::walk::site::Site;

/// The start of the name of an attribute that is taken away: browsers ignore it then.
const TAKEN_AWAY: &str = "data-";

/// Decides on a condition. `text` receives its new text.
pub(super) fn decide<'d>(
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
