//! The content of a unit outside of references: the bytes between them, with each text decoded to
//! the same degree as its references.
//!
//! Locality means that *in each layer's decoded bytes* everything outside of the edits is the
//! input's, in the same order. Checking it takes one more walk through the input and one through
//! the output, so it is done only if the bytes of the file alone do not decide: where a body is
//! encoded, quotes were added, or a count follows from the edits.

use layers::{Layer, Quote, Span};

use crate::expectations::{ExpectationKind, Expectations};
use crate::format::found::{Value, ValueEncoding};
use crate::options::AvailableMemory;
use crate::options::Engine;
use crate::options::Options;
use crate::report::skip::SkipReason;
use crate::report::{Note, VerifyError};
use crate::unit::Unit;
use crate::walk::Walk;
use crate::walk::frame::Refused;
use crate::walk::scope::Bases;
use crate::walk::site::{Site, Visitor, Wanted};
use crate::walk::start::{Walked, walk};

/// The content of the input.
struct Outline<'t> {
    expectations: &'t Expectations,
    /// All content outside of references.
    text: Vec<u8>,
    /// The offset in `text` of each reference.
    references: Vec<usize>,
    /// The offset in `text` of each start and end of an encoded body, which nothing crosses.
    edges: Vec<usize>,
    /// The offset in `text` of each HTML attribute value, and its delimiters.
    quotes: Vec<(usize, Quote)>,
}

/// The comparison of the output with the content of the input.
struct Comparison<'t> {
    input: &'t Outline<'t>,
    /// The offset in the text of the input up to which the output has been compared, and the number
    /// of references, of edges and of attribute values before it.
    at: usize,
    n_references: usize,
    n_edges: usize,
    n_quotes: usize,
    is_same: bool,
}

/// Returns true if two units, the input and the output, differ only in references and in the quotes
/// that these require.
///
/// # Errors
///
/// The limit that a walk met.
pub(crate) fn is_kept(
    [input, output]: [Unit<'_>; 2],
    expectations: &Expectations,
    options: &Options,
    engine: Engine,
    memory: AvailableMemory,
) -> Result<bool, VerifyError> {
    let limit = |walked: &Walked| {
        if walked.is_stopped {
            Err(VerifyError::Unread(SkipReason::Limit(memory.met())))
        } else {
            Ok(())
        }
    };
    let (text, references, edges, quotes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut outline = Outline { expectations, text, references, edges, quotes };
    let walked = walk(input, options, engine, Bases::KEPT, memory, &mut outline);
    limit(&walked)?;
    let (at, n_references, n_edges, n_quotes, is_same) = (0, 0, 0, 0, true);
    let mut comparison =
        Comparison { input: &outline, at, n_references, n_edges, n_quotes, is_same };
    limit(&walk(output, options, engine, Bases::KEPT, walked.memory, &mut comparison))?;
    Ok(comparison.finish())
}

impl Outline<'_> {
    /// Returns true if a reference is text like any other, because it could not be edited.
    fn is_text(&self, site: &Site<'_>) -> bool {
        let entry = self.expectations.entries.get(site.id);
        entry.is_some_and(|entry| entry.expectation == ExpectationKind::Skipped)
    }
}

impl Visitor for Outline<'_> {
    fn wanted(&self) -> Wanted {
        Wanted { outside: true, ..Wanted::default() }
    }

    fn outside(&mut self, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
    }

    fn edge(&mut self) {
        self.edges.push(self.text.len());
    }

    fn quoted(&mut self, quote: Quote) {
        self.quotes.push((self.text.len(), quote));
    }

    fn reference(&mut self, site: &Site<'_>) -> Option<&str> {
        self.references.push(self.text.len());
        if self.is_text(site) {
            self.text.extend_from_slice(site.text.as_bytes());
        }
        None
    }

    fn memory(&self) -> usize {
        let offsets = [&self.references, &self.edges].map(|offsets| size_of_val(&**offsets));
        self.text.len() + offsets.iter().sum::<usize>() + size_of_val(&*self.quotes)
    }

    fn refused(&mut self, _: usize, _: Refused) {}

    fn note(&mut self, _: Note) {}
}

impl Comparison<'_> {
    fn finish(&self) -> bool {
        self.is_same
            && self.at == self.input.text.len()
            && self.n_references == self.input.references.len()
            && self.n_edges == self.input.edges.len()
            && self.n_quotes == self.input.quotes.len()
    }

    /// Returns true if there is only white space between two offsets.
    fn is_blank(&self, one: usize, other: usize) -> bool {
        let between = self.input.text.get(one.min(other)..one.max(other));
        between.is_some_and(|between| between.iter().all(|byte| *byte <= b' '))
    }
}

impl Visitor for Comparison<'_> {
    fn wanted(&self) -> Wanted {
        Wanted { outside: true, ..Wanted::default() }
    }

    fn outside(&mut self, bytes: &[u8]) {
        let end = self.at + bytes.len();
        self.is_same &= self.input.text.get(self.at..end) == Some(bytes);
        self.at = end;
    }

    fn edge(&mut self) {
        self.is_same &= self.input.edges.get(self.n_edges) == Some(&self.at);
        self.n_edges += 1;
    }

    fn quoted(&mut self, quote: Quote) {
        let is_quoted = |quote| matches!(quote, Quote::Double | Quote::Single);
        // Quotes may be added, but are never removed or changed.
        let may_become =
            |(at, old): &(usize, Quote)| *at == self.at && (*old == quote || !is_quoted(*old));
        self.is_same &= self.input.quotes.get(self.n_quotes).is_some_and(may_become);
        self.n_quotes += 1;
    }

    fn is_unread(&self) -> bool {
        self.input.expectations.is_unread(self.n_references)
    }

    fn reference(&mut self, site: &Site<'_>) -> Option<&str> {
        // An emptied reference may be anywhere in the white space around it.
        let may_be =
            |at: &usize| *at == self.at || (site.text.is_empty() && self.is_blank(*at, self.at));
        self.is_same &= self.input.references.get(self.n_references).is_some_and(may_be);
        self.n_references += 1;
        if self.input.is_text(site) {
            self.outside(site.text.as_bytes());
        }
        None
    }

    fn refused(&mut self, _: usize, _: Refused) {}

    fn note(&mut self, _: Note) {}
}

impl Walk<'_> {
    /// Shows the content between the previous value, which ended at `from`, and this one. Quotes
    /// belong to the value. Returns the end of the value.
    pub(crate) fn before_value(&mut self, text: &[u8], from: usize, value: &Value) -> usize {
        let Span { start, end } = value.span;
        let ValueEncoding::In(Layer::Attribute(quote)) = value.written else {
            self.visitor.outside(text.get(from..start).unwrap_or_default());
            return end;
        };
        let n_quotes = usize::from(matches!(quote, Quote::Double | Quote::Single));
        let start = start.saturating_sub(n_quotes);
        self.visitor.outside(text.get(from..start).unwrap_or_default());
        if quote == Quote::NameOnly {
            self.visitor.outside(b"=");
        }
        self.visitor.quoted(quote);
        (end + n_quotes).min(text.len())
    }

    /// Shows the bytes that readers of base64 ignore, and that others may fail on (RFC 2045 6.8),
    /// except line ends, which are rewritten. The body is clean if its groups are whole.
    pub(crate) fn show_ignored(&mut self, raw: &[u8], is_clean: bool) {
        if !self.wanted.outside {
            return;
        }
        let is_ignored = |byte: &u8| !byte.is_ascii_alphanumeric() && !b"+/=\r\n".contains(byte);
        let ignored: Vec<u8> = raw.iter().copied().filter(is_ignored).collect();
        self.visitor.outside(&ignored);
        self.visitor.outside(&[u8::from(is_clean)]);
    }

    /// Shows the content of a message between the part shown before and `span`. In a unit that is a
    /// message, the counts that depend on its body are excluded, as references are.
    pub(crate) fn show_up_to(&mut self, bytes: &[u8], span: Span, is_unit: bool) {
        if !self.wanted.outside {
            return;
        }
        for hole in self.derived.spans().filter(|_| is_unit) {
            if self.n_shown <= hole.start && hole.end <= span.start {
                self.visitor.outside(&bytes[self.n_shown..hole.start]);
                self.n_shown = hole.end;
            }
        }
        self.visitor.outside(bytes.get(self.n_shown..span.start).unwrap_or_default());
        self.n_shown = span.end;
    }
}
