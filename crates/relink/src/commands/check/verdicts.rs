//! What was found out about references, by their texts without fragments and the directories of
//! their bases: the pages of a directory have most references in common.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rewrite::Site;
use urlcore::Dialect;

use crate::events::problem::{self, Found, Problem};
use crate::os::memo::Memo;
use crate::os::messages;

/// The maximum length of what identifies a base, in bytes.
const LONGEST: usize = 512;

/// A function that says whether a verdict without a problem is all that is asked of a reference
/// with this fragment.
type IsEnough<'f> = dyn Fn(&Verdict, &str) -> bool + 'f;

/// What was found out about a reference, without its fragment.
#[derive(Debug)]
pub(super) struct Verdict {
    pub(super) target: String,
    /// True if nobody fetches the target itself.
    pub(super) is_unfetched: bool,
    pub(super) found: Found,
    /// True if it has no problem, by whatever slot.
    is_fine: bool,
    /// True if the target has a fragment all the same.
    pub(super) has_fragment: bool,
    /// True if the target has the scheme `http`.
    pub(super) is_insecure: bool,
    /// The file or directory that the tree should contain, by the number of its PATH, with its path
    /// below it.
    pub(super) file: Option<(usize, Arc<str>)>,
}

/// What is remembered of a reference.
pub(super) enum Known {
    /// It has no problem, and no more of it is asked.
    Fine,
    /// A verdict, and the target is in the buffer.
    Verdict(Arc<Verdict>),
}

impl Verdict {
    /// Creates the verdict on a target; `file` is that which is missing.
    pub(super) fn new(
        target: String,
        is_unfetched: bool,
        found: Found,
        file: Option<(usize, Arc<str>)>,
    ) -> Self {
        Verdict {
            is_unfetched,
            is_fine: found.is_ok() && !is_unfetched,
            has_fragment: target.contains('#'),
            is_insecure: problem::is_insecure(&target),
            target,
            found,
            file,
        }
    }

    /// Returns what is known of a reference with this fragment. `is_enough` returns true if no more
    /// is asked of a reference without a problem.
    fn known(self: &Arc<Self>, fragment: &str, is_enough: &IsEnough<'_>) -> Known {
        if self.is_fine && is_enough(self, fragment) {
            Known::Fine
        } else {
            Known::Verdict(Arc::clone(self))
        }
    }

    /// Leaves the target of a reference with this fragment in a buffer. Returns false if the
    /// verdict is not that of this slot.
    fn is_of(&self, site: &Site<'_>, fragment: &str, target: &mut String) -> bool {
        target.clear();
        target.push_str(&self.target);
        target.push_str(fragment);
        site.slot.is_never_fetched(target) == self.is_unfetched
    }
}

/// The verdicts of a run.
#[derive(Debug, Default)]
pub(super) struct Verdicts {
    /// The numbers of bases, by what identifies them.
    bases: Memo<u64>,
    n_bases: AtomicU64,
    /// The verdicts by the number of the base and the text, if they depend on nothing else.
    known: Memo<Option<Arc<Verdict>>>,
}

/// The base of the last reference of a document.
#[derive(Debug)]
pub(super) struct LastBase {
    url: String,
    dialect: Dialect,
    is_own: bool,
    number: Option<u64>,
}

/// What was found out about a page by the last of its references that have only a fragment.
#[derive(Debug)]
pub(super) struct OwnPage {
    base: String,
    dialect: Dialect,
    is_own: bool,
    verdict: Arc<Verdict>,
}

impl OwnPage {
    /// Returns the verdict on a reference that has only a fragment, and leaves its target in a
    /// buffer; `None` if it is another reference, or if the fragment counts. `compute` returns the
    /// verdict of the reference.
    pub(super) fn get(
        page: &mut Option<OwnPage>,
        site: &Site<'_>,
        target: &mut String,
        is_enough: &IsEnough<'_>,
        compute: impl FnOnce() -> Option<Verdict>,
    ) -> Option<Known> {
        let (before, fragment) = without_fragment(site.text);
        if !before.is_empty() || fragment.is_empty() || site.is_beside() {
            return None;
        }
        let (base, dialect, is_own) = (site.resolver?.base(), site.dialect, site.is_base_own);
        let is_same =
            |page: &OwnPage| page.base == base && page.dialect == dialect && page.is_own == is_own;
        if !page.as_ref().is_some_and(is_same) {
            let verdict = compute().filter(|it| !matches!(it.found, Err(Problem::Escape(..))))?;
            let target = verdict.target.strip_suffix(fragment)?.to_owned();
            let verdict = Arc::new(Verdict { target, ..verdict });
            *page = Some(OwnPage { base: base.to_owned(), dialect, is_own, verdict });
        }
        match page.as_ref()?.verdict.known(fragment, is_enough) {
            Known::Verdict(verdict) if !verdict.is_of(site, fragment, target) => None,
            known => Some(known),
        }
    }
}

impl Verdicts {
    /// Returns the verdict on a reference, and leaves its target in a buffer; `None` if it depends
    /// on more of the document than is remembered. `base` is what else it depends on.
    pub(super) fn get(
        &self,
        site: &Site<'_>,
        number: u64,
        target: &mut String,
        is_enough: &IsEnough<'_>,
        compute: impl FnOnce(&str) -> Option<Verdict>,
    ) -> Option<Known> {
        let (text, fragment) = without_fragment(site.text);
        // The correct reference has its fragment.
        let is_of_all = |verdict: &Verdict| {
            fragment.is_empty() || !matches!(verdict.found, Err(Problem::Escape(..)))
        };
        let compute = || compute(text).map(Arc::new);
        let read =
            |verdict: &Option<Arc<Verdict>>| Some(verdict.as_ref()?.known(fragment, is_enough));
        match self.known.get(number, text, compute, read)? {
            Known::Verdict(it) if !is_of_all(&it) || !it.is_of(site, fragment, target) => None,
            known => Some(known),
        }
    }

    /// Returns the number of the base of a reference, if its verdict may depend on nothing else of
    /// the document. `directory` is the directory of the document, and `is_known` returns true if a
    /// URL is in the tree.
    pub(super) fn number(
        &self,
        site: &Site<'_>,
        last: &mut Option<LastBase>,
        directory: &str,
        is_known: impl FnOnce(&str) -> bool,
    ) -> Option<u64> {
        let (resolver, dialect, is_own) = (site.resolver?, site.dialect, site.is_base_own);
        // Other characters of a query may be sent in the charset of the document.
        let has_charset = !site.text.is_ascii();
        let is_of_page = matches!(site.text.as_bytes().first(), None | Some(b'?' | b'#'));
        if is_of_page || has_charset || site.is_beside() {
            return None;
        }
        let url = resolver.base();
        let is_last =
            |last: &LastBase| last.url == url && last.dialect == dialect && last.is_own == is_own;
        if !last.as_ref().is_some_and(is_last) {
            let number = || {
                // With parameters, or in another spelling, more of it may matter.
                let base = resolver.directory().filter(|base| url.starts_with(base))?;
                let is_plain = !url[base.len()..].contains(';') && base.len() <= LONGEST;
                let is_known = is_known(url);
                let key = format!("{dialect:?} {is_own} {is_known} {base}\n{directory}");
                let next = || self.n_bases.fetch_add(1, Ordering::Relaxed);
                is_plain.then(|| self.bases.get(0, &key, next, |number| *number))
            };
            let (url, number) = (url.to_owned(), number());
            *last = Some(LastBase { url, dialect, is_own, number });
        }
        last.as_ref()?.number
    }
}

/// Splits a reference before its `#`. A space or control character before that is part of the
/// target, and would not be at its end; in some dialects an empty fragment is none.
fn without_fragment(text: &str) -> (&str, &str) {
    let start = memchr::memchr(b'#', text.as_bytes());
    let is_plain =
        || !text.ends_with('#') && messages::all_bytes(text.as_bytes(), |byte| byte > b' ');
    text.split_at(start.filter(|_| is_plain()).unwrap_or(text.len()))
}
