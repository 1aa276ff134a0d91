//! The summary of a run.

use std::time::Duration;

use rewrite::{Counts, Engines, Outcome, SkipReason, SkipScope, Skipped};
use serde::{Deserialize, Serialize};

use crate::events::Status;
use crate::urls::hints::Tally;

/// The maximum number of lines without `-v`.
const MOST_LINES: usize = 6;

/// What a conversion writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Written {
    /// Nothing: documents are counted that would be changed.
    #[default]
    Nothing,
    /// The changed documents, over themselves.
    Changed,
    /// All files, to another place.
    All,
}

/// The sums of a run.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Summary {
    /// What was written.
    #[serde(skip)]
    pub written: Written,
    /// The signal that ended the run early, or SIGINT (2) if the caller did.
    #[serde(skip)]
    pub interrupted: Option<u8>,
    /// True if a line follows about how to revert the run.
    #[serde(skip)]
    pub(crate) has_undo: bool,
    /// True if documents that an interrupted run has recorded are missing.
    #[serde(skip)]
    pub is_incomplete: bool,
    /// References by outcome.
    #[serde(with = "counts")]
    pub counts: Counts,
    /// HTML documents by the engine that read them, including embedded ones.
    #[serde(skip)]
    pub engines: Engines,
    /// Documents whose URLs are hints.
    pub hints: Tally,
    /// True if a full or failing disk caused any of the failures.
    #[serde(skip)]
    pub is_of_disk: bool,
    /// The message about a full disk.
    #[serde(skip)]
    pub full_disk: Option<String>,
    /// Documents read.
    pub n_documents: usize,
    /// Documents that were changed, or would be.
    pub n_changed: usize,
    /// Documents that were not searched for references, since they name no file that is renamed.
    pub n_without_names: usize,
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
    /// Files of the output that were written by an earlier run, and not again.
    #[serde(skip)]
    pub n_current: usize,
    /// Files and directories that were removed from the output.
    #[serde(skip)]
    pub n_removed: usize,
    /// Pages that a browser shows as text, because of their names.
    pub n_shown_as_text: usize,
    /// Files that were renamed, or would be.
    pub n_renamed: usize,
    /// Files that were named on the command line and are not read.
    pub n_unread: usize,
    /// Files of dependencies, and files that git ignores, that cannot be read.
    pub n_foreign: usize,
    /// References that are absolute because there is no file for them.
    pub n_missing: usize,
    /// Hints at what may be meant, and was not read or changed, such as files that are not read and
    /// URLs out of the tree that may be in it under another name; and renames that applied to
    /// nothing.
    pub n_unseen: usize,
    /// References to URLs that were found under another scheme or host.
    pub n_twins: usize,
    /// Base elements that do not give a base.
    pub n_bad_bases: usize,
    /// Documents in which a reference has another target by XML Base than in browsers.
    pub n_ignored_xml_bases: usize,
    /// Documents whose Content Security Policy may not allow the resources that they load now.
    pub n_policies: usize,
    /// Documents whose Content Security Policy may not allow the styles and scripts in them: it has
    /// hashes of the old ones.
    pub n_policy_hashes: usize,
    /// Defects of messages.
    pub n_faults: usize,
    /// Signatures of DKIM and ARC over messages that were changed, or would be.
    pub n_broken_seals: usize,
    /// Counts and checksums that were updated.
    pub n_derived: usize,
    /// Conditions on what pages load (`integrity`, `crossorigin`) that were changed.
    pub n_conditions: usize,
    /// The number of references to files that no browser loads from a disk.
    pub n_not_from_disk: usize,
    /// Policies in which hashes of edited styles and scripts were changed.
    pub n_renewed_policies: usize,
    /// True if the output is for a disk, where conditions are taken away.
    pub(crate) is_for_disk: bool,
    /// Files that failed.
    pub n_failed: usize,
    /// Bytes of documents read.
    pub n_bytes: u64,
    /// The time that the run took.
    #[serde(skip)]
    pub elapsed: Duration,
}

/// The number of references by outcome, as stamps have it.
mod counts {
    use std::collections::BTreeMap;

    use rewrite::{Counts, Outcome};
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(counts: &Counts, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(Outcome::ALL.map(|outcome| (outcome.name(), counts.get(outcome))))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Counts, D::Error> {
        let counts = BTreeMap::<String, usize>::deserialize(from)?;
        let count = |outcome: Outcome| Some((outcome, *counts.get(outcome.name())?));
        Ok(Outcome::ALL.into_iter().filter_map(count).collect())
    }
}

impl Summary {
    /// Returns the exit status for these sums: with `is_strict`, a reference, document or file that
    /// could not be handled counts; with `fails_on_change`, a change does.
    pub fn status(&self, is_strict: bool, fails_on_change: bool) -> Status {
        if self.is_incomplete {
            return Status::Failed;
        }
        if let Some(signal) = self.interrupted {
            return Status::Interrupted(signal);
        }
        let status = self.status_of_files(is_strict);
        let is_found = fails_on_change && self.n_changed > 0;
        if is_found { status.max(Status::Found) } else { status }
    }

    fn status_of_files(&self, is_strict: bool) -> Status {
        match () {
            () if self.n_failed > 0 || self.is_nowhere() => Status::Failed,
            () if is_strict
                && self.counts.failures()
                    + self.n_skipped
                    + self.n_left_parts
                    + self.n_left_embedded
                    + self.n_without_url
                    + self.n_unsupported
                    + self.n_unread
                    + self.n_unseen
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
    pub(crate) fn add_skipped(&mut self, skipped: &Skipped) {
        match skipped.extent {
            _ if skipped.reason == SkipReason::NoUrl => {}
            SkipScope::Unit => self.n_skipped += usize::from(!is_failure(skipped)),
            SkipScope::Part if skipped.is_field() => {}
            SkipScope::Part => self.n_left_parts += 1,
            SkipScope::Embedded => self.n_left_embedded += 1,
        }
    }

    /// Returns the sums in words, as lines for people; with `is_verbose`, for readers who have
    /// seen a message about each reference that could not be handled.
    pub fn lines(&self, is_verbose: bool) -> Vec<String> {
        // The failure to start was reported already.
        if self.n_documents + self.n_others + self.n_unsupported + self.n_unread == 0
            && self.n_failed > 0
        {
            return Vec::new();
        }
        let (verb, others) = match self.written {
            Written::Nothing => ("would be changed", "not examined"),
            Written::Changed => ("changed", "unchanged"),
            Written::All => ("changed", "copied"),
        };
        let mut files = format!("{}, {} {verb}", n(self.n_documents, "document"), self.n_changed);
        for (count, words) in [
            (self.n_skipped, "skipped"),
            (self.n_without_url, "without a URL"),
            (self.n_failed, "failed"),
        ] {
            if count > 0 {
                files.push_str(&format!(", {count} {words}"));
            }
        }
        if self.n_without_names > 0 {
            let name = if self.n_without_names == 1 { "names" } else { "name" };
            files.push_str(&format!(", {} {name} no renamed file", self.n_without_names));
        }
        if self.n_unsupported > 0 {
            files.push_str(&format!(", {}", n(self.n_unsupported, "unsupported file")));
        }
        for (count, noun) in
            [(self.n_left_parts, "part"), (self.n_left_embedded, "embedded document")]
        {
            if count > 0 {
                files.push_str(&format!("; {} skipped", n(count, noun)));
            }
        }
        if self.n_others > 0 {
            files.push_str(&format!("; {} {others}", n(self.n_others, "other file")));
        }
        let mut lines = vec![files];
        if self.n_current + self.n_removed > 0 {
            lines.push(format!(
                "{} up to date in the output, {} removed from it",
                n(self.n_current, "file"),
                self.n_removed
            ));
        }
        if self.n_renamed > 0 {
            let verb =
                if self.written == Written::Nothing { "would be renamed" } else { "renamed" };
            lines.push(format!("{} {verb}", n(self.n_renamed, "file")));
        }
        lines.push(self.references(is_verbose));
        lines.extend(self.hints.words());
        let verbose = self.verbose();
        let (list, or_list) = if is_verbose {
            (String::new(), String::new())
        } else {
            (format!("; use `{verbose}` to list them"), format!(", or `{verbose}` to list them"))
        };
        match self.n_missing {
            0 => {}
            1 => lines.push(format!("1 reference to a missing file is absolute{list}")),
            n => lines.push(format!("{n} references to missing files are absolute{list}")),
        }
        if self.n_twins > 0 {
            lines.push(twins(self.n_twins));
        }
        if self.n_policies > 0 {
            let has = if self.n_policies == 1 { "has" } else { "have" };
            lines.push(format!(
                "{} {has} a Content-Security-Policy that may block resources; the resources moved to another origin; check the policy",
                n(self.n_policies, "document")
            ));
        }
        if self.n_policy_hashes > 0 {
            let has = if self.n_policy_hashes == 1 { "has" } else { "have" };
            lines.push(format!(
                "{} {has} a Content-Security-Policy with hashes that may block edited styles or scripts; write new hashes",
                n(self.n_policy_hashes, "document")
            ));
        }
        if self.n_bad_bases > 0 {
            lines.push(format!(
                "{} ignored (invalid href){list}",
                n(self.n_bad_bases, "<base> element")
            ));
        }
        if self.n_follow_text > 0 {
            let has = if self.n_follow_text == 1 { "has" } else { "have" };
            lines.push(format!(
                "{} {has} no empty line before the separator{list}",
                n(self.n_follow_text, "message")
            ));
        }
        if self.n_ignored_xml_bases > 0 {
            lines.push(format!(
                "{} with xml:base attributes ignored, as in browsers; use `--xml-base everywhere` to apply them{or_list}",
                n(self.n_ignored_xml_bases, "document")
            ));
        }
        if self.n_faults > 0 {
            lines.push(format!("{} in messages{list}", n(self.n_faults, "defect")));
        }
        if self.n_broken_seals > 0 {
            let is = if self.n_broken_seals == 1 { "is" } else { "are" };
            lines.push(format!(
                "{} of DKIM or ARC {is} invalid now; the signed content was changed; use `--keep-dkim` to skip such messages{or_list}",
                n(self.n_broken_seals, "signature")
            ));
        }
        if self.n_conditions > 0 {
            let what = if self.n_conditions == 1 { "attribute" } else { "attributes" };
            let verb = if self.is_for_disk { "renamed to data-*" } else { "updated" };
            lines.push(format!("{} {what} of integrity or crossorigin {verb}", self.n_conditions));
        }
        if self.n_not_from_disk > 0 {
            lines.push(format!(
                "{} that no browser loads from a disk (modules, masks, subtitles, what SVG uses); use a web server, or `--for static-host`",
                n(self.n_not_from_disk, "reference")
            ));
        }
        if self.n_renewed_policies > 0 {
            let what = if self.n_renewed_policies == 1 { "Policy" } else { "Policies" };
            lines.push(format!(
                "hashes of edited styles or scripts updated in {} Content-Security-{what}",
                self.n_renewed_policies
            ));
        }
        if self.n_derived > 0 {
            let what =
                if self.n_derived == 1 { "length or checksum" } else { "lengths or checksums" };
            lines.push(format!("{} {what} updated", self.n_derived));
        }
        if self.counts.get(Outcome::NoBase) > 0 {
            lines.push("hint: use `--base URL` to set the URL of the tree".to_owned());
        }
        let most = MOST_LINES - usize::from(self.has_undo);
        if is_verbose {
            let speed = speed(self.n_bytes, self.elapsed);
            lines.push(format!("{speed}{}", self.html().unwrap_or_default()));
        } else if lines.len() > most {
            let n_more = lines.len() + 1 - most;
            lines.truncate(most - 1);
            lines.push(format!("{n_more} more notes; use `{verbose}` to list them"));
        }
        lines
    }

    /// Returns the options with which the same command lists what this run has counted. The output
    /// of a run that has written files exists, and would be refused.
    fn verbose(&self) -> &'static str {
        match self.written {
            Written::Nothing => "-v",
            Written::Changed | Written::All => "-n -v",
        }
    }

    /// Returns how many HTML documents each engine read, and why the fast one declined.
    fn html(&self) -> Option<String> {
        let Engines { n_fast, n_requested, declined, .. } = &self.engines;
        let n_declined: usize = declined.values().sum();
        if n_fast + n_requested + n_declined == 0 {
            return None;
        }
        let mut line = format!(
            "; HTML read by the fast engine: {n_fast}, by html5ever: {}",
            n_requested + n_declined
        );
        for (reason, n) in declined {
            line.push_str(&format!(", {n} for {reason}"));
        }
        Some(line)
    }

    fn references(&self, is_verbose: bool) -> String {
        let mut line = references(&self.counts);
        if self.counts.failures() > 0 && !is_verbose {
            let verbose = self.verbose();
            line.push_str(&format!("; use `{verbose}` to list those that could not be handled"));
        }
        line
    }
}

/// Returns `3 references: 2 rewritten, 1 already correct`.
pub fn references(counts: &Counts) -> String {
    let mut line = n(counts.total(), "reference");
    let mut separator = ": ";
    for outcome in Outcome::ALL {
        let count = counts.get(outcome);
        if count > 0 {
            line.push_str(&format!("{separator}{count} {}", outcome.words()));
            separator = ", ";
        }
    }
    line
}

/// Returns the line about references to URLs that were found under another scheme or host.
pub fn twins(count: usize) -> String {
    format!("{} found under another scheme or host", n(count, "reference"))
}

/// Returns `1 document`, `2 documents`.
pub fn n(count: usize, noun: &str) -> String {
    let end = match count {
        1 => "",
        _ if noun.ends_with('x') => "es",
        _ => "s",
    };
    format!("{count} {noun}{end}")
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
            | SkipReason::FieldCode
            | SkipReason::Script
            | SkipReason::Unlocated
            | SkipReason::BaseEntity
            | SkipReason::ContextBase
            | SkipReason::OtherBase
            | SkipReason::TwoBases
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
