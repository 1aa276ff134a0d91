//! Old URLs of the tree (`--stale`), in references and in other text.

use super::super::{Lines, Named};
use super::checked::{Checked, Found, Subject};
use super::printer::snippet_of;
use crate::plan::Check;
use crate::problem::Problem;
use crate::twins::twins;
use crate::walk::Entry;

/// The slot that is reported for text.
const TEXT: &str = "text";

/// Returns the old URL of the tree that contains a target, unless the target is at its current one.
pub(super) fn stale(config: &Check, target: &str) -> Option<String> {
    let roots = config.stale.as_ref()?;
    let place = |url: &str| roots.find(url).map(|(root, rest)| (root, rest.len()));
    let (root, rest) = place(target).or_else(|| twins(target).find_map(|twin| place(&twin)))?;
    let is_inner = config.locator.rest(target).is_none_or(|now| rest < now.len());
    is_inner.then(|| format!("{}/", roots.url(root)))
}

/// Returns the old URL of the tree that a reference to something else contains: in a query, or in
/// code. `text` is the reference, decoded.
pub(super) fn inside(config: &Check, text: &str) -> Option<String> {
    let search = config.stale_text.as_ref()?;
    let mut found = None;
    search.find("", text.as_bytes(), |_, url| {
        // As the value of a parameter it is escaped.
        let url = unescaped(url);
        found = found.take().or_else(|| stale(config, &url));
    });
    found
}

/// Returns a URL with the characters that are escaped in a parameter.
fn unescaped(url: &str) -> String {
    let escapes = [("%3A", ":"), ("%3a", ":"), ("%3F", "?"), ("%3f", "?"), ("%23", "#")];
    escapes.iter().fold(url.to_owned(), |url, (escape, text)| url.replace(escape, text))
}

/// Reports each line with an old URL outside of the spans of references, which are in `covered`.
pub(super) fn report(
    config: &Check,
    entry: &Entry,
    bytes: &[u8],
    lines: &mut Lines<'_>,
    mut covered: Vec<[usize; 2]>,
    checked: &mut Checked,
) {
    let Some(search) = &config.stale_text else { return };
    covered.sort_unstable();
    let mut found: Vec<(usize, String, String)> = Vec::new();
    let name = entry.below.file_name().unwrap_or_default().to_string_lossy();
    search.find(&name, bytes, |at, url| {
        let next = covered.partition_point(|[start, _]| *start <= at);
        let is_covered = next.checked_sub(1).is_some_and(|idx| covered[idx][1] > at);
        if !is_covered && let Some(old) = stale(config, url) {
            found.push((at, url.to_owned(), old));
        }
    });
    found.sort_unstable();
    let named = Named::new(entry);
    let mut last = None;
    for (at, url, old) in found {
        let place = lines.position(at);
        // One report for each line is enough to find them.
        if last.replace(place.0) == Some(place.0) {
            continue;
        }
        let subject = Subject { config, entry, named: &named };
        let (span, problem) = ([at, at + url.len()], Problem::StaleText(old));
        let snippet = &*snippet_of(config, lines, place, span);
        let (slot, text, target, problem) = (TEXT, &*url, None, &problem);
        let file = None;
        let found = Found { place, span, slot, text, target, file, problem, snippet };
        checked.print(subject, &found);
    }
}
