//! The list of the references of a unit with their outcomes, for runs that list them.

use std::sync::Arc;

use crate::options::AvailableMemory;
use crate::report::Outcome;
use crate::report::listed::ListedReference;
use crate::walk::site::Site;

/// The references of a unit in source order: the number of each is its index.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listing {
    references: Vec<ListedReference>,
    /// The bytes of memory that they take, and may take.
    n_bytes: usize,
    most: usize,
    /// The number of references that are not listed.
    n_unlisted: usize,
}

/// A list may take so many times the memory of the walk: it must not decide whether a document is
/// converted.
const TIMES: usize = 4;

impl Listing {
    /// Creates the list of a unit, whose walk may take `memory`.
    pub(crate) fn new(memory: AvailableMemory) -> Self {
        Listing { most: memory.bytes.saturating_mul(TIMES), ..Listing::default() }
    }

    /// Adds the next reference with its outcome, and the URL to which it is resolved if that is
    /// known; `new_text` replaces it.
    pub(crate) fn add(
        &mut self,
        site: &Site<'_>,
        (outcome, resolved): (Outcome, Option<&str>),
        new_text: Option<&str>,
        is_missing: bool,
    ) {
        if self.n_bytes > self.most {
            self.n_unlisted += 1;
            return;
        }
        let last = self.references.last();
        let base = shared(site.context.base(), last.and_then(|last| last.base.as_ref()));
        let part = shared(site.frame.part(), last.and_then(|last| last.part.as_ref()));
        let reference = ListedReference {
            span: site.frame.raw(site.span),
            is_exact: site.frame.is_exact(),
            part,
            embedded: site.frame.embedded(),
            slot: site.slot,
            kind: site.kind,
            text: site.text.to_owned(),
            new_text: new_text.map(str::to_owned),
            target: resolved.map_or_else(|| site.target(), |it| site.target_of(it)),
            base,
            base_source: site.context.base_source(),
            outcome,
            is_missing,
            refused: None,
        };
        let texts = [reference.target.as_ref(), reference.new_text.as_ref()];
        let texts = texts.into_iter().flatten().map(String::len).sum::<usize>();
        self.n_bytes += size_of::<ListedReference>() + texts + reference.text.len();
        self.references.push(reference);
    }

    /// Records that the text decided for reference `id` cannot be written.
    pub(crate) fn refuse(&mut self, id: usize, reason: &str) {
        if let Some(reference) = self.references.get_mut(id) {
            reference.outcome = Outcome::Unwritable;
            reference.new_text = None;
            reference.refused = Some(reason.to_owned());
        }
    }

    /// Returns the references, and the number of those that are not listed.
    pub(crate) fn finish(self) -> (Vec<ListedReference>, usize) {
        (self.references, self.n_unlisted)
    }
}

/// Returns the text of the last reference if it is the same: most share their base.
fn shared(text: Option<&str>, last: Option<&Arc<str>>) -> Option<Arc<str>> {
    let text = text?;
    match last {
        Some(last) if **last == *text => Some(Arc::clone(last)),
        _ => Some(text.into()),
    }
}

#[cfg(test)]
mod tests {
    use basectx::Context;

    use super::{ListedReference, Listing};
    use crate::options::AvailableMemory;
    use crate::{BaseSource, Media, Options, Outcome, Unit, absolutize};

    fn listed(bytes: &[u8], is_listed: bool) -> Vec<(String, Option<String>, Outcome)> {
        let context = Context::retrieval("http://h/a/b.html".parse().unwrap(), "test");
        let options = Options::default().with_lists_references(is_listed);
        let report = absolutize(Unit::new(bytes, Media::HTML, &context), &options).report;
        let references = report.references.into_iter();
        references.map(|listed| (listed.text, listed.new_text, listed.outcome)).collect()
    }

    #[test]
    fn references_are_listed_with_their_outcome_if_the_run_lists_them() {
        let bytes = b"<base href=/x/><a href=c><a href='#d'><a href=http://i/>";
        let text = |text: &str| Some(text.to_owned());
        let expected = [
            ("/x/".to_owned(), text("http://h/x/"), Outcome::Rewritten),
            ("c".to_owned(), text("http://h/x/c"), Outcome::Rewritten),
            ("#d".to_owned(), None, Outcome::Local),
            ("http://i/".to_owned(), None, Outcome::Kept),
        ];
        assert_eq!(listed(bytes, true)[..2], expected[..2]);
        assert_eq!(listed(bytes, true)[3], expected[3]);
        assert_eq!(listed(bytes, true).len(), 4);
        assert_eq!(listed(bytes, false), []);
    }

    #[test]
    fn a_list_is_bounded_and_counts_the_rest() {
        let context = Context::retrieval("http://h/a/b.html".parse().unwrap(), "test");
        let unit = Unit::new(b"<a href=c><a href=d><a href=e>", Media::HTML, &context);
        let options = Options::default();
        let mut listing = Listing::new(AvailableMemory::new(&options.limits, 1));
        listing.most = size_of::<ListedReference>();
        crate::references(unit, &options, |site| {
            listing.add(site, (Outcome::Kept, None), None, false)
        });
        let (references, n_unlisted) = listing.finish();
        assert_eq!((references.len(), n_unlisted), (1, 2));
    }

    #[test]
    fn a_listed_reference_has_the_target_that_the_walk_shows() {
        let text = "<meta charset=windows-1252><base href=/x/><a href='c?\u{e9}'><a href='#d'>\
            <a href=''><a href=//i><a href='http:j'><img srcset='k 1x, l?m 2x' src='../n#o'>\
            <a href='javascript:p'><a href='mailto:q'><form action='?r'><object codebase=s data=t>\
            <a href='http://[/'><div itemid='u'><a ping='v w' href='{{x}}'>";
        let bytes: Vec<u8> = text.chars().map(|char| char as u8).collect();
        let context = Context::retrieval("http://h/a/b.html".parse().unwrap(), "test");
        let unit = || Unit::new(&bytes, Media::HTML, &context);
        let options = Options::default().with_lists_references(true);
        let mut shown = Vec::new();
        crate::references(unit(), &options, |site| shown.push(site.target()));
        let listed = absolutize(unit(), &options).report.references;
        let listed: Vec<_> = listed.into_iter().map(|listed| listed.target).collect();
        assert_eq!(listed, shown);
        assert!(listed.contains(&Some("http://h/x/c?%E9".to_owned())), "{listed:?}");
    }

    #[test]
    fn a_listed_reference_has_its_target_and_base() {
        let context = Context::retrieval("http://h/a/b.html".parse().unwrap(), "test");
        let options = Options::default().with_lists_references(true);
        let unit = Unit::new(b"<a href='c?d&amp;e'><img src=e>", Media::HTML, &context);
        let report = absolutize(unit, &options).report;
        let [link, image] = &report.references[..] else { panic!("{report:?}") };
        assert_eq!((link.span.start, link.span.end), (9, 18));
        assert_eq!(link.target.as_deref(), Some("http://h/a/c?d&e"));
        assert_eq!(link.base.as_deref(), Some("http://h/a/b.html"));
        assert_eq!(link.base_source, BaseSource::Retrieval);
        assert!(std::sync::Arc::ptr_eq(link.base.as_ref().unwrap(), image.base.as_ref().unwrap()));
    }
}
