//! Verification: the references of every output are read from it before it is used.
//!
//! The base chain is rebuilt *from the output*; the sequence of slots and kinds must be the same,
//! reference i must point to target i, and everything outside of the references must be the input,
//! range by range.

pub(crate) mod locality;
pub(crate) mod proof;
pub(crate) mod shifted;

use basectx::is_template;
use layers::{Layer, Quote, Span};
use urlcore::Resolution;

use crate::expectations::{ExpectationKind, Expectations, Texts};
use crate::report::skip::SkipReason;
use crate::report::{Note, VerifyError};
use crate::slots::{Kind, SlotId};
use crate::walk::EditedReference;
use crate::walk::frame::Refused;
use crate::walk::site::{Site, Visitor, Wanted};

/// A visitor that compares the references of an output with those of its input, in order, and the
/// content between those that were edited.
pub(crate) struct Verifier<'t> {
    expected: &'t Expectations,
    texts: Texts,
    between: Between<'t>,
    n_seen: usize,
    skipped: Vec<SkipReason>,
    found: String,
    verify_error: Option<VerifyError>,
    /// True if references are accepted by their bytes where that is enough.
    is_quick: bool,
}

/// The bytes of both files between edited references.
pub(crate) struct Between<'t> {
    input: &'t [u8],
    output: &'t [u8],
    /// The edited references that have not been reached yet.
    edited: &'t [EditedReference],
    /// The offsets up to which both files have been compared.
    at: [usize; 2],
    is_same: bool,
}

impl<'t> Between<'t> {
    pub(crate) fn new(input: &'t [u8], output: &'t [u8], edited: &'t [EditedReference]) -> Self {
        Between { input, output, edited, at: [0, 0], is_same: true }
    }

    /// Compares the content before the next of them, which is at `here` in the input and at `there`
    /// in the output.
    fn compare(&mut self, here: Span, there: Span) {
        let old = self.input.get(self.at[0]..here.start);
        let new = self.output.get(self.at[1]..there.start);
        self.is_same &= old.is_some() && old == new;
        self.at = [here.end, there.end];
    }

    /// Returns the span in the output of a reference that is empty there. In white space alone it
    /// could be anywhere: it is taken to be at its old offset.
    fn emptied(&self, here: Span, there: Span) -> Span {
        let at = self.at[1] + here.start.saturating_sub(self.at[0]);
        Span::new(at.min(there.start), at.min(there.start))
    }

    /// Returns true if nothing but the edited references differs, byte for byte.
    fn finish(mut self) -> bool {
        let (input, output) = (self.input.len(), self.output.len());
        self.compare(Span::new(input, input), Span::new(output, output));
        self.is_same && self.edited.is_empty()
    }
}

impl<'t> Verifier<'t> {
    pub(crate) fn new(expected: &'t Expectations, between: Between<'t>) -> Self {
        let (texts, skipped, found) = (Texts::default(), Vec::new(), String::new());
        let (verify_error, is_quick) = (None, false);
        Verifier { expected, texts, between, n_seen: 0, skipped, found, verify_error, is_quick }
    }

    /// Returns the visitor that accepts a reference whose bytes are its expected target, if these
    /// are read as they are written.
    pub(crate) fn quick(self, is_quick: bool) -> Self {
        Verifier { is_quick, ..self }
    }

    /// Returns the result after all of the output has been walked: true if nothing but references
    /// differs, as far as the bytes of the file show. `skipped` contains the reasons why documents
    /// of the input were skipped. A limit that the input did not meet is the reason of every other
    /// difference.
    pub(crate) fn finish(self, skipped: &[SkipReason]) -> Result<bool, VerifyError> {
        let is_limit = |reason: &&SkipReason| matches!(reason, SkipReason::Limit(_));
        let (n_skipped, n_limits) = (skipped.len(), skipped.iter().filter(is_limit).count());
        if let Some(limit) = self.skipped.iter().filter(is_limit).nth(n_limits) {
            return Err(VerifyError::Unread(*limit));
        }
        match self.verify_error {
            Some(verify_error) => Err(verify_error),
            None if self.skipped.len() > n_skipped => {
                Err(VerifyError::Unread(self.skipped[n_skipped]))
            }
            None if self.n_seen != self.expected.entries.len()
                || self.skipped.len() != n_skipped =>
            {
                Err(VerifyError::Sequence { at: 0, found: format!("{} references", self.n_seen) })
            }
            None => Ok(self.between.finish()),
        }
    }

    fn compare(&mut self, site: &Site<'_>) -> Result<(), VerifyError> {
        let at = || site.frame.raw(site.span).start;
        let entry = self.expected.entries.get(site.id).copied();
        let Some(entry) = entry.filter(|entry| entry.slot == site.slot && entry.kind == site.kind)
        else {
            return Err(VerifyError::Sequence { at: at(), found: site.text.to_owned() });
        };
        let expected = self.texts.text(self.expected, site.id);
        let found = match entry.expectation {
            // Its bytes are those of the input, as is everything outside of the edited references.
            ExpectationKind::Skipped => return Ok(()),
            // A resolved target is absolute, and resolving it again does not change it.
            ExpectationKind::Target | ExpectationKind::NewTarget
                if site.text == expected && site.resolver.is_some() =>
            {
                return Ok(());
            }
            ExpectationKind::Target | ExpectationKind::NewTarget => {
                let resolved =
                    site.resolver.map(|resolver| resolver.resolve_into(site.text, &mut self.found));
                let is_one = matches!(resolved, Some(Ok(Resolution::Url(_))));
                (is_one && site.has_one_target(site.text)).then_some(&*self.found)
            }
            ExpectationKind::Text | ExpectationKind::NewText => Some(site.text),
            ExpectationKind::OwnText => site.is_base_own.then_some(site.text),
        };
        if found == Some(expected) {
            return Ok(());
        }
        Err(VerifyError::Target {
            at: at(),
            reference: site.text.to_owned(),
            expected: expected.to_owned(),
            found: found.map(str::to_owned),
        })
    }

    /// Compares the bytes before a reference of the output, if it was edited. `span` returns its
    /// span in the file.
    #[inline]
    fn compare_before(&mut self, id: usize, span: impl FnOnce() -> Span) {
        if let [edited, rest @ ..] = self.between.edited
            && edited.id == id
        {
            self.between.edited = rest;
            let entry = self.expected.entries.get(id);
            // A reference that could not be edited is compared with the bytes around it.
            if entry.is_some_and(|entry| entry.expectation != ExpectationKind::Skipped) {
                let there = match span() {
                    there if there.is_empty() => self.between.emptied(edited.span, there),
                    there => there,
                };
                self.between.compare(edited.span, there);
            }
        }
    }
}

impl Visitor for Verifier<'_> {
    fn wanted(&self) -> Wanted {
        Wanted { accepted: true, ..Wanted::default() }
    }

    fn accepts(&mut self, id: usize, slot: SlotId, quote: Quote, raw: &[u8], span: Span) -> bool {
        use ExpectationKind::{NewTarget, Target};
        // A target is absolute, and of this kind only if it is not taken for a template.
        let is_target = self.expected.entries.get(id).is_some_and(|entry| {
            let is_target = matches!(entry.expectation, Target | NewTarget);
            is_target && entry.slot == slot && entry.kind == Kind::Url
        });
        let is_accepted = self.is_quick && is_target && {
            let text = self.texts.text(self.expected, id);
            text.as_bytes() == raw
                && Layer::Attribute(quote).is_written_plain(raw)
                && !is_template(text)
        };
        if is_accepted {
            self.n_seen += 1;
            self.compare_before(id, || span);
        }
        is_accepted
    }

    fn is_unread(&self) -> bool {
        self.expected.is_unread(self.n_seen)
    }

    fn reference(&mut self, site: &Site<'_>) -> Option<&str> {
        self.n_seen += 1;
        self.compare_before(site.id, || site.frame.raw(site.span));
        if self.verify_error.is_none() {
            self.verify_error = self.compare(site).err();
        }
        None
    }

    fn refused(&mut self, _: usize, _: Refused) {}

    fn note(&mut self, note: Note) {
        if let Note::Skipped(skipped) = note {
            self.skipped.push(skipped.reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use basectx::Context;
    use layers::Charset;

    use super::*;
    use crate::decide::absolutize::Absolutize;
    use crate::decide::decider::{Decided, Decider};
    use crate::format::spec::FormatId;
    use crate::options::AvailableMemory;
    use crate::options::Engine;
    use crate::options::Options;
    use crate::options::limits::{Limit, Limits};
    use crate::walk::Walk;
    use crate::walk::document::WholeDocument;
    use crate::walk::frame::Frame;
    use crate::walk::scope::{Bases, Place};

    fn walk(document: &str, context: &Context<'_>, visitor: &mut impl Visitor) {
        let options = Options::default();
        let (engine, len) = (Engine::Auto, document.len());
        let memory = AvailableMemory::new(&options.limits, len);
        let mut walk = Walk::new(visitor, &options, engine, Bases::KEPT, len, memory);
        let place = Place { context, own_url: Some("http://h/d/p"), new: None };
        let (bytes, frame) = (document.as_bytes(), &Frame::outermost());
        let (format, charset) = (FormatId::HTML, Some(Charset::UTF_8));
        walk.whole(WholeDocument { format, bytes, charset, frame, place });
    }

    fn verify(input: &str, output: &str, context: &Context<'_>) -> Result<(), VerifyError> {
        let options = Options::default();
        let memory = AvailableMemory::new(&options.limits, input.len());
        let mut decider = Decider::new(Absolutize::new(&options, None), &options, memory);
        walk(input, context, &mut decider);
        let Decided { report, expectations, .. } = decider.finish();
        let mut verifier = Verifier::new(&expectations, Between::new(b"", b"", &[]));
        walk(output, context, &mut verifier);
        let skipped: Vec<SkipReason> =
            report.skipped.iter().map(|skipped| skipped.reason).collect();
        verifier.finish(&skipped).map(|_| ())
    }

    /// Asserts that the output is a valid rewrite of the input.
    #[track_caller]
    fn passes(input: &str, output: &str) {
        let context = Context::retrieval("http://h/d/p".parse().unwrap(), "test");
        assert_eq!(verify(input, output, &context), Ok(()), "{input:?} as {output:?}");
    }

    /// Asserts that the output has a reference with another target, and that it is this one.
    #[track_caller]
    fn points_elsewhere(input: &str, output: &str, expected: &str) {
        let context = Context::retrieval("http://h/d/p".parse().unwrap(), "test");
        match verify(input, output, &context) {
            Err(VerifyError::Target { at, reference, .. }) => {
                assert_eq!(reference, expected);
                assert!(output[at..].starts_with(expected), "{at} of {output:?}");
            }
            other => panic!("{input:?} as {output:?}: {other:?}"),
        }
    }

    /// Asserts that the output has other references.
    #[track_caller]
    fn has_others(input: &str, output: &str) {
        let context = Context::retrieval("http://h/d/p".parse().unwrap(), "test");
        let verify_error = verify(input, output, &context);
        let is_sequence = matches!(verify_error, Err(VerifyError::Sequence { .. }));
        assert!(is_sequence, "{input:?} as {output:?}: {verify_error:?}");
    }

    /// Asserts that an edit of a reference which must stay unchanged is refused.
    #[track_caller]
    fn must_stay(input: &str, output: &str, context: &Context<'_>) {
        assert_eq!(verify(input, input, context), Ok(()), "{input:?}");
        assert!(verify(input, output, context).is_err(), "{input:?} as {output:?}");
    }

    #[test]
    fn correct_outputs_pass() {
        passes("", "");
        passes("<a href=x>", "<a href=http://h/d/x>");
        passes("<a href=x>", "<a href=x>");
        passes("<a href=x>", "<a href=./x>");
        passes("<base href=e/><a href=x>", "<base href=http://h/d/e/><a href=http://h/d/e/x>");
        passes("<base href=e/><a href=x>", "<base href=http://h/d/e/><a href=x>");
        passes("<img srcset='x 1x,y'>", "<img srcset='http://h/d/x 1x,http://h/d/y'>");
        passes("<img usemap='#m'><applet code=c>", "<img usemap='#m'><applet code=c>");
    }

    #[test]
    fn another_target() {
        points_elsewhere("<a href=x>", "<a href=http://h/d/y>", "http://h/d/y");
        points_elsewhere("<a href=x>", "<a href=http://h/x>", "http://h/x");
        points_elsewhere("<a href=x>", "<a href=HTTP://h/d/x>", "HTTP://h/d/x");
        points_elsewhere("<a href=x>", "<a href=http://h/d/x#>", "http://h/d/x#");
        points_elsewhere("<a href=x%41>", "<a href=xA>", "xA");
        points_elsewhere("<a href=http://i/>", "<a href=http://i/x>", "http://i/x");
        points_elsewhere("<a href=x>", "<a href='//['>", "//[");
        points_elsewhere("<a href='#x'>", "<a href='q#x'>", "q#x");
        points_elsewhere("<p style='a:url(x)'>", "<p style='a:url(y)'>", "y");
    }

    #[test]
    fn a_base_that_moved() {
        points_elsewhere("<base href=e/><a href=x>", "<base href=f/><a href=x>", "f/");
        points_elsewhere("<base href=e/><a href=x>", "<base href=e><a href=x>", "e");
        // The base is right, but it is not the first any more.
        has_others("<a href=x>", "<base href=e/><a href=http://h/d/x>");
        points_elsewhere(
            "<base href=e/><a href=x>",
            "<svg><g></svg><base href=data:e><a href=x>",
            "data:e",
        );
        let output = "<noscript><base href=e/></noscript><a href=x>";
        points_elsewhere("<base href=e/><a href=x>", output, "x");
    }

    #[test]
    fn other_references() {
        has_others("<a href=x><a href=y>", "<a href=x><a hre=y>");
        has_others("<a href=x><a href=y>", "<a href=x><!-- <a href=y> -->");
        has_others("<a href=x>", "<a href=x><a href=x>");
        has_others("<a href=x>", "<area href=x>");
        has_others("<a href=x>", "");
        has_others("", "<a href=x>");
        has_others("<a href=x><img src=y>", "<img src=y><a href=x>");
        points_elsewhere("<a href=x><a href=y>", "<a href=y><a href=x>", "y");
        points_elsewhere("<img srcset='x,y 1x'>", "<img srcset='x, y 1x'>", "x");
        points_elsewhere("<a ping='x y'>", "<a ping='xy'>", "xy");
        has_others("<style>@import 'x'</style>", "<style>a:url('x')</style>");
    }

    #[test]
    fn another_kind() {
        has_others("<img usemap='#m'>", "<img usemap='http://h/d/p#m'>");
        has_others("<img usemap='q#m'>", "<img usemap='#m'>");
        has_others("<a href='{{x}}'>", "<a href=x>");
        has_others("<a href=x>", "<a href='${x}'>");
    }

    #[test]
    fn documents_that_were_not_skipped_before() {
        let nested = |inner: &str, depth: usize| {
            (0..depth).fold(inner.to_owned(), |inner, _| {
                format!("<iframe srcdoc='{}'>", inner.replace('&', "&amp;").replace('\'', "&#39;"))
            })
        };
        let (deep, deeper) = (nested("", 16), nested("<p>", 17));
        passes(&deep, &deep);
        passes(&deeper, &deeper);
        let context = Context::retrieval("http://h/d/p".parse().unwrap(), "test");
        let met = Limits::default().met(Limit::EmbeddedDepth);
        assert_eq!(
            verify(&deep, &deeper, &context),
            Err(VerifyError::Unread(SkipReason::Limit(met)))
        );
        has_others(&deeper, &deep);
    }

    #[test]
    fn references_without_a_target_stay_as_they_are() {
        let context = Context::retrieval("http://h/d/p".parse().unwrap(), "test");
        must_stay("<img usemap='#m'>", "<img usemap='#n'>", &context);
        must_stay("<applet code=x>", "<applet code=y>", &context);
        must_stay("<a href='{{x}}'>", "<a href='{{y}}'>", &context);
        must_stay("<a href='//[x'>", "<a href='//[y'>", &context);
        must_stay("<p itemid=x>", "<p itemid=y>", &context);
        must_stay("<a href=x>", "<a href=y>", &Context::none());
    }
}
