//! The details of a document that was converted, for runs whose plan lists them.

use std::borrow::Cow;

use rewrite::{ListedReference, Options, Outcome, Report, Skipped};

use crate::commands::bases::{bases_of, described};
use crate::commands::{LineCounter, embedded, extent, in_file, place_of};
use crate::events::detail::{DocumentPlace, Finding, ReferenceDetail, SkippedDetail};
use crate::events::prepared::{DocumentDetails, Prepared, Prepares};
use crate::events::summary;
use crate::events::{Event, Events};
use crate::files::walk::Entry;
use crate::plan::exit::Error;
use crate::tree::input::Document;

/// The reason why a reference was made absolute although it points into the tree.
const MADE_ABSOLUTE: &str = "made absolute; the tree has no such file";

/// The same, for a reference that was absolute in the input.
const LEFT_ABSOLUTE: &str = "left absolute; the tree has no such file";

/// The details of one document, as the receiver gets them.
pub(super) enum Details {
    Listed(DocumentDetails),
    Prepared(Prepared),
}

impl Details {
    /// Returns the details of a document that was converted. Takes the references of its report.
    pub(super) fn new(
        entry: &Entry,
        document: &Document,
        options: &Options,
        report: &mut Report,
        prepares: Prepares,
    ) -> Self {
        let details = details(entry, document, options, report);
        if prepares == Prepares::default() {
            Details::Listed(details)
        } else {
            Details::Prepared(Prepared::new(details, prepares))
        }
    }

    /// Returns the place of the document.
    pub(super) fn place(&self) -> &DocumentPlace {
        match self {
            Details::Listed(details) => &details.place,
            Details::Prepared(prepared) => &prepared.place,
        }
    }

    /// Sends them to the receiver.
    pub(super) fn send(&self, events: &mut dyn Events) -> Result<(), Error> {
        let DocumentDetails { place, references, bases, skipped } = match self {
            Details::Listed(details) => details,
            Details::Prepared(prepared) => return Ok(events.event(Event::Prepared(prepared))?),
        };
        for base in bases {
            events.event(Event::Base(place, base))?;
        }
        for reference in references {
            events.event(Event::Reference(place, reference))?;
        }
        for left in skipped {
            events.event(Event::Skipped(place, left))?;
        }
        Ok(())
    }
}

fn details(
    entry: &Entry,
    document: &Document,
    options: &Options,
    report: &mut Report,
) -> DocumentDetails {
    let mut lines = LineCounter::of_document(document);
    let references = std::mem::take(&mut report.references).into_iter();
    let references =
        references.map(|listed| reference(listed, document, options, &mut lines)).collect();
    let mut lines = LineCounter::of_document(document);
    let left = report.skipped.iter().map(|left| skipped(left, &mut lines));
    let skipped = left.chain(unlisted(report.n_unlisted)).collect();
    // A document of a mirror was converted at its place on the disk; and what a conversion
    // skips for the memory or the bases of its output has bases too.
    let bases = match std::mem::take(&mut report.documents) {
        documents if report.skipped.is_empty() && document.disk().is_none() => {
            described(documents, document, options)
        }
        _ => bases_of(document, options),
    };
    DocumentDetails { place: place_of(entry, document), references, bases, skipped }
}

fn reference(
    listed: ListedReference,
    document: &Document,
    options: &Options,
    lines: &mut LineCounter<'_>,
) -> ReferenceDetail {
    let (line, column) = lines.position(listed.span.start);
    let outcome = listed.outcome;
    let reason = match listed.refused {
        Some(refused) => Some(Cow::Owned(format!("unchanged; {refused}"))),
        None if outcome.is_failure() => Some(Cow::Borrowed(outcome.message())),
        None if listed.is_missing && outcome != Outcome::Rewritten => {
            Some(Cow::Borrowed(LEFT_ABSOLUTE))
        }
        None if listed.is_missing => Some(Cow::Borrowed(MADE_ABSOLUTE)),
        None => None,
    };
    let (target, base) = match document.disk() {
        Some(_) => {
            let web_url = |url: &str| document.web_url(url).into_owned();
            (
                listed.target.as_deref().map(web_url),
                listed.base.as_deref().map(|it| web_url(it).into()),
            )
        }
        None => (listed.target, listed.base),
    };
    ReferenceDetail {
        part: listed.part.map(|part| part.to_string()),
        embedded: embedded(&listed.embedded, options, document),
        line,
        column,
        span: in_file(listed.span, document),
        is_exact: listed.is_exact,
        slot: options.extras.kept_name_of(listed.slot),
        kind: listed.kind,
        text: listed.text,
        target,
        base,
        base_source: listed.base_source,
        finding: Finding::Converted { new_text: listed.new_text, outcome, reason },
    }
}

/// Returns the detail about references that are not listed.
fn unlisted(n_unlisted: usize) -> Option<SkippedDetail> {
    let (line, column, extent, failed) = (1, 1, "list", false);
    let what = summary::n(n_unlisted, "reference");
    let reason = format!("{what} not listed here; the list of the document takes too much memory");
    (n_unlisted > 0).then_some(SkippedDetail { part: None, line, column, extent, reason, failed })
}

/// Returns what was skipped, for reports.
pub(in crate::commands) fn skipped(left: &Skipped, lines: &mut LineCounter<'_>) -> SkippedDetail {
    let (line, column) = lines.position(left.at);
    SkippedDetail {
        part: left.part.clone(),
        line,
        column,
        extent: extent(left),
        reason: left.reason.to_string(),
        failed: summary::is_failure(left),
    }
}
