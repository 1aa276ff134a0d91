//! The summary of a run.

use std::time::{Duration, Instant};

use rewrite::{Counts, Engines, Outcome, SkipReason, SkipScope, Skipped};

use crate::exit::Status;
use crate::hints::Tally;
use crate::messages;

/// The sums of a run.
#[derive(Debug)]
pub struct Summary {
    /// References by outcome.
    pub counts: Counts,
    /// HTML documents by the engine that read them, including embedded ones.
    pub engines: Engines,
    /// Documents whose URLs are hints.
    pub hints: Tally,
    /// True if a full or failing disk caused any of the failures.
    pub is_of_disk: bool,
    /// The message about a full disk.
    pub full_disk: Option<String>,
    /// Documents read.
    pub n_documents: usize,
    /// Documents that were changed, or would be.
    pub n_changed: usize,
    /// Skipped documents, without those that failed.
    pub n_skipped: usize,
    /// Skipped parts of messages.
    pub n_left_parts: usize,
    /// Skipped embedded documents.
    pub n_left_embedded: usize,
    /// Documents that were skipped because their own URLs are not known.
    pub n_without_url: usize,
    /// Messages of mailboxes whose separators do not follow an empty line.
    pub n_follow_text: usize,
    /// Files in unsupported formats.
    pub n_unsupported: usize,
    /// Other files.
    pub n_others: usize,
    /// Files that were named on the command line and are not read.
    pub n_unread: usize,
    /// References that are absolute because there is no file for them.
    pub n_missing: usize,
    /// Base elements that do not give a base.
    pub n_bad_bases: usize,
    /// Documents in which a reference has another target by XML Base than in browsers.
    pub n_ignored_xml_bases: usize,
    /// Documents whose Content Security Policy may not allow the resources that they load now.
    pub n_policies: usize,
    /// Defects of messages.
    pub n_faults: usize,
    /// Signatures of DKIM and ARC over messages that were changed, or would be.
    pub n_broken_seals: usize,
    /// Counts and checksums that were updated.
    pub n_derived: usize,
    /// Files that failed.
    pub n_failed: usize,
    /// Bytes of documents read.
    pub n_bytes: u64,
    started: Instant,
}

impl Default for Summary {
    fn default() -> Self {
        Summary {
            counts: Counts::default(),
            engines: Engines::default(),
            hints: Tally::default(),
            is_of_disk: false,
            full_disk: None,
            n_documents: 0,
            n_changed: 0,
            n_skipped: 0,
            n_left_parts: 0,
            n_left_embedded: 0,
            n_without_url: 0,
            n_follow_text: 0,
            n_unsupported: 0,
            n_others: 0,
            n_unread: 0,
            n_missing: 0,
            n_bad_bases: 0,
            n_ignored_xml_bases: 0,
            n_policies: 0,
            n_faults: 0,
            n_broken_seals: 0,
            n_derived: 0,
            n_failed: 0,
            n_bytes: 0,
            started: Instant::now(),
        }
    }
}

impl Summary {
    /// Returns the exit status for these sums.
    pub fn status(&self, is_strict: bool) -> Status {
        match () {
            () if self.n_failed > 0 || self.is_nowhere() => Status::Failed,
            () if is_strict
                && self.counts.failures()
                    + self.n_skipped
                    + self.n_left_parts
                    + self.n_left_embedded
                    + self.n_without_url
                    + self.n_unread
                    > 0 =>
            {
                Status::Found
            }
            () => Status::Done,
        }
    }

    /// Returns true if there are documents, and none of them has a URL.
    pub fn is_nowhere(&self) -> bool {
        self.n_documents > 0 && self.n_without_url == self.n_documents
    }

    /// Adds a skipped document.
    pub fn add_skipped(&mut self, skipped: &Skipped) {
        match skipped.extent {
            _ if skipped.reason == SkipReason::NoUrl => {}
            SkipScope::Unit => self.n_skipped += usize::from(!is_failure(skipped)),
            SkipScope::Part if skipped.is_field() => {}
            SkipScope::Part => self.n_left_parts += 1,
            SkipScope::Embedded => self.n_left_embedded += 1,
        }
    }

    /// Prints the sums on standard error; `verb` says what was done to the changed documents,
    /// `others` what was done to other files.
    pub fn print(&self, verb: &str, others: &str, is_verbose: bool) {
        // The failure to start was reported already.
        if self.n_documents + self.n_others + self.n_unsupported + self.n_unread == 0
            && self.n_failed > 0
        {
            return;
        }
        let mut files = format!("{}, {} {verb}", n(self.n_documents, "document"), self.n_changed);
        for (count, words) in [
            (
                self.n_skipped,
                if self.n_skipped == 1 { "left as it was" } else { "left as they were" },
            ),
            (self.n_without_url, "without a URL"),
            (self.n_failed, "could not be done"),
            (self.n_unsupported, "of kinds not yet read"),
        ] {
            if count > 0 {
                files.push_str(&format!(", {count} {words}"));
            }
        }
        for (count, noun) in
            [(self.n_left_parts, "part"), (self.n_left_embedded, "embedded document")]
        {
            if count > 0 {
                let as_it_was = if count == 1 { "as it was" } else { "as they were" };
                files.push_str(&format!("; {} left {as_it_was}", n(count, noun)));
            }
        }
        if self.n_others > 0 {
            files.push_str(&format!("; {} {others}", n(self.n_others, "other file")));
        }
        messages::print(&files);
        messages::print(&self.references(is_verbose));
        self.hints.print();
        if self.n_missing > 0 {
            let hint = if is_verbose { "" } else { " (-v lists them)" };
            let n_missing = n(self.n_missing, "reference");
            messages::print(&format!(
                "{n_missing} to files that are not there, made absolute{hint}"
            ));
        }
        if self.n_policies > 0 {
            let has = if self.n_policies == 1 { "has" } else { "have" };
            messages::print(&format!(
                "{} {has} a Content-Security-Policy, which is not edited, and what is fetched is at another origin now",
                n(self.n_policies, "document")
            ));
        }
        if self.n_bad_bases > 0 {
            let hint = if is_verbose { "" } else { " (-v lists them)" };
            messages::print(&format!(
                "{} giving no base{hint}",
                n(self.n_bad_bases, "<base> element")
            ));
        }
        let hint = if is_verbose { "" } else { " (-v lists them)" };
        if self.n_follow_text > 0 {
            let has = if self.n_follow_text == 1 { "has" } else { "have" };
            messages::print(&format!(
                "{} {has} no empty line before the separator{hint}",
                n(self.n_follow_text, "message")
            ));
        }
        if self.n_ignored_xml_bases > 0 {
            messages::print(&format!(
                "{} with an xml:base that is ignored, as in browsers{hint}; --xml-base everywhere follows it",
                n(self.n_ignored_xml_bases, "document")
            ));
        }
        if self.n_faults > 0 {
            messages::print(&format!("{} in messages{hint}", n(self.n_faults, "fault")));
        }
        if self.n_broken_seals > 0 {
            let hold = if self.n_broken_seals == 1 { "holds" } else { "hold" };
            messages::print(&format!(
                "{} of DKIM or ARC no longer {hold}{hint}; --keep-dkim leaves such messages as they are",
                n(self.n_broken_seals, "signature")
            ));
        }
        if self.n_derived > 0 {
            let what =
                if self.n_derived == 1 { "length or checksum" } else { "lengths or checksums" };
            messages::print(&format!("{} {what} made right", self.n_derived));
        }
        if self.counts.get(Outcome::NoBase) > 0 {
            messages::print("hint: --base URL tells where the tree belongs");
        }
        let speed = speed(self.n_bytes, self.started.elapsed());
        messages::print(&format!("{speed}{}", self.html(is_verbose).unwrap_or_default()));
    }

    /// Returns how many HTML documents each engine read, and in a verbose run why the fast one
    /// declined.
    fn html(&self, is_verbose: bool) -> Option<String> {
        let Engines { n_fast, n_requested, declined } = &self.engines;
        let n_declined: usize = declined.values().sum();
        if n_fast + n_requested + n_declined == 0 {
            return None;
        }
        let mut line = format!(
            "; HTML read by the fast engine: {n_fast}, by html5ever: {}",
            n_requested + n_declined
        );
        for (reason, n) in declined.iter().filter(|_| is_verbose) {
            line.push_str(&format!(", {n} for {reason}"));
        }
        Some(line)
    }

    fn references(&self, is_verbose: bool) -> String {
        let mut line = n(self.counts.total(), "reference");
        let mut separator = ": ";
        for outcome in Outcome::ALL {
            let count = self.counts.get(outcome);
            if count > 0 {
                line.push_str(&format!("{separator}{count} {}", outcome.words()));
                separator = ", ";
            }
        }
        if self.counts.failures() > 0 && !is_verbose {
            line.push_str(" (-v lists those that could not be handled)");
        }
        line
    }
}

/// Returns `1 document`, `2 documents`.
pub fn n(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn speed(n_bytes: u64, elapsed: Duration) -> String {
    #[allow(clippy::cast_precision_loss)] // Three digits are printed.
    let megabytes = n_bytes as f64 / 1e6;
    let seconds = elapsed.as_secs_f64();
    format!("{megabytes:.1} MB in {seconds:.2} s, {:.0} MB/s", megabytes / seconds.max(1e-9))
}

/// Returns true if a skipped document counts as a file that failed: not if its format is
/// unsupported, and not if it is embedded in another and its readers refuse it too.
pub fn is_failure(skipped: &Skipped) -> bool {
    !matches!(
        skipped.reason,
        SkipReason::Malformed(_) if skipped.extent != SkipScope::Unit
    ) && !matches!(
        skipped.reason,
        SkipReason::Charset
            | SkipReason::BrokenStyle
            | SkipReason::BrokenText
            | SkipReason::Entity
            | SkipReason::JsonValue
            | SkipReason::Include
            | SkipReason::Script
            | SkipReason::Unlocated
            | SkipReason::BaseEntity
            | SkipReason::ContextBase
            | SkipReason::NoUrl
            | SkipReason::Encoding
            | SkipReason::NoDelimiter
            | SkipReason::Opaque
            | SkipReason::Signed
            | SkipReason::Dkim
            | SkipReason::Checksum
            | SkipReason::Coded
            | SkipReason::Chunked
            | SkipReason::Partial
    )
}
