//! The content of a unit outside of references: the bytes between them, with each text decoded to
//! the same degree as its references.
//!
//! Locality means that *in each layer's decoded bytes* everything outside of the edits is the
//! input's, in the same order. Checking it takes one more walk through the input and one through
//! the output, so it is done only if the bytes of the file alone do not decide: where a body is
//! encoded, quotes were added, or a count or checksum follows from the edits.

use layers::{Layer, Quote, Span};

use crate::expectations::{Expectation, Expectations};
use crate::format::found::{Value, Written};
use crate::options::Engine;
use crate::options::Options;
use crate::report::Note;
use crate::unit::Unit;
use crate::walk::Walk;
use crate::walk::scope::Bases;
use crate::walk::site::{Refused, Site, Visitor};
use crate::walk::start::walk;

/// The outline of one unit.
struct Outline<'t> {
    expectations: &'t Expectations,
    /// All content outside of references.
    text: Vec<u8>,
    /// The offset in `text` of each reference, and true if the reference is empty.
    references: Vec<(usize, bool)>,
    /// The offset in `text` of each HTML attribute value, and its delimiters.
    quotes: Vec<(usize, Quote)>,
}

impl<'t> Outline<'t> {
    fn of(
        unit: Unit<'_>,
        expectations: &'t Expectations,
        options: &Options,
        engine: Engine,
    ) -> Self {
        let (text, references, quotes) = (Vec::new(), Vec::new(), Vec::new());
        let mut locality = Outline { expectations, text, references, quotes };
        walk(unit, options, engine, Bases::KEPT, &mut locality);
        locality
    }
}

/// Returns true if two units, the input and the output, differ only in references and in the quotes
/// that these require.
pub(crate) fn is_kept(
    units: [Unit<'_>; 2],
    expectations: &Expectations,
    options: &Options,
    by: Engine,
) -> bool {
    let [old, new] = units.map(|unit| Outline::of(unit, expectations, options, by));
    let is_quoted = |quote| matches!(quote, Quote::Double | Quote::Single);
    // Quotes may be added, but are never removed or changed.
    let may_become = |((old_at, old), (new_at, new)): (&(usize, Quote), &(usize, Quote))| {
        old_at == new_at && (old == new || !is_quoted(*old))
    };
    // An emptied reference may be anywhere in the white space around it.
    let is_blank = |one: usize, other: usize| {
        let between = new.text.get(one.min(other)..one.max(other));
        between.is_some_and(|between| between.iter().all(|byte| *byte <= b' '))
    };
    let may_stand = |((old_at, _), (new_at, is_empty)): (&(usize, bool), &(usize, bool))| {
        old_at == new_at || (*is_empty && is_blank(*old_at, *new_at))
    };
    old.text == new.text
        && old.references.len() == new.references.len()
        && old.references.iter().zip(&new.references).all(may_stand)
        && old.quotes.len() == new.quotes.len()
        && old.quotes.iter().zip(&new.quotes).all(may_become)
}

impl Visitor for Outline<'_> {
    const SEES_OUTSIDE: bool = true;

    fn outside(&mut self, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
    }

    fn quoted(&mut self, quote: Quote) {
        self.quotes.push((self.text.len(), quote));
    }

    fn reference(&mut self, site: &Site<'_>) -> Option<&str> {
        self.references.push((self.text.len(), site.text.is_empty()));
        // A reference that could not be edited is text like any other.
        if self
            .expectations
            .entries
            .get(site.id)
            .is_some_and(|entry| entry.expectation == Expectation::Skipped)
        {
            self.text.extend_from_slice(site.text.as_bytes());
        }
        None
    }

    fn refused(&mut self, _: usize, _: Refused) {}

    fn note(&mut self, _: Note) {}
}

impl<R: Visitor> Walk<'_, R> {
    /// Shows the content between the previous value, which ended at `from`, and this one. Quotes
    /// belong to the value. Returns the end of the value.
    pub(crate) fn before_value(&mut self, text: &[u8], from: usize, value: &Value) -> usize {
        let Span { start, end } = value.span;
        let Written::In(Layer::Attribute(quote)) = value.written else {
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
        if !R::SEES_OUTSIDE {
            return;
        }
        let is_ignored = |byte: &u8| !byte.is_ascii_alphanumeric() && !b"+/=\r\n".contains(byte);
        let ignored: Vec<u8> = raw.iter().copied().filter(is_ignored).collect();
        self.visitor.outside(&ignored);
        self.visitor.outside(&[u8::from(is_clean)]);
    }

    /// Shows the content of a message between the part shown before and `span`. In a unit that is a
    /// message, the counts and checksums that depend on its body are excluded, as references are.
    pub(crate) fn show_up_to(&mut self, bytes: &[u8], span: Span, is_unit: bool) {
        if !R::SEES_OUTSIDE {
            return;
        }
        for hole in self.follow.spans().filter(|_| is_unit) {
            if self.n_shown <= hole.start && hole.end <= span.start {
                self.visitor.outside(&bytes[self.n_shown..hole.start]);
                self.n_shown = hole.end;
            }
        }
        self.visitor.outside(bytes.get(self.n_shown..span.start).unwrap_or_default());
        self.n_shown = span.end;
    }
}
