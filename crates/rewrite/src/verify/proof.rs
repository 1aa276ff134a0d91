//! The proof of one output: it is read as the input was, and compared with what was decided.

use crate::expectations::Expectations;
use crate::format::found::Found;
use crate::options::AvailableMemory;
use crate::options::{Engine, Options, Verify};
use crate::report::VerifyError;
use crate::report::skip::SkipReason;
use crate::unit::Unit;
use crate::verify::{Between, Verifier, locality};
use crate::walk::EditedReference;
use crate::walk::message::DerivedValues;
use crate::walk::scope::Bases;
use crate::walk::start::{Source, Walked, walk};

/// The facts about the output that the deciding walk knows.
#[derive(Clone, Copy)]
pub(crate) struct OutputFacts<'a> {
    pub(crate) expectations: &'a Expectations,
    pub(crate) edited: &'a [EditedReference],
    pub(crate) derived: &'a DerivedValues,
    /// The reasons why documents were skipped.
    pub(crate) skipped: &'a [SkipReason],
    /// The memory that it left.
    pub(crate) memory: AvailableMemory,
}

/// An output to be verified.
#[derive(Clone, Copy)]
pub(crate) struct Proof<'a> {
    /// The input.
    pub(crate) unit: Unit<'a>,
    pub(crate) output: &'a [u8],
    pub(crate) facts: OutputFacts<'a>,
    pub(crate) options: &'a Options,
    pub(crate) bases: Bases<'a>,
}

impl Proof<'_> {
    /// Returns true if the output, a page with `known` values, is right. Each value is decoded and
    /// resolved again, and all bytes between references are compared.
    pub(crate) fn holds_for(&self, known: Found) -> bool {
        self.with_output_unit(|there| self.read(there, Some(known)).0 == Ok(true))
    }

    /// Verifies the output by reading all of it.
    ///
    /// # Errors
    ///
    /// The first reference that is not as expected, or [`VerifyError::Locality`].
    pub(crate) fn check_whole(&self) -> Result<(), VerifyError> {
        let Proof { unit, output, facts, options, .. } = *self;
        self.with_output_unit(|there| {
            let (is_same, Walked { derived, memory, .. }) = self.read(there, None);
            let units = [Unit { new_place: None, ..unit }, there];
            let is_kept = is_same?
                || locality::is_kept(units, facts.expectations, options, self.engine(), memory)?;
            if is_kept && derived.is_right_after(facts.derived, output) {
                Ok(())
            } else {
                Err(VerifyError::Locality)
            }
        })
    }

    /// Compares the references of the output with those expected. Returns true if its bytes show
    /// that nothing else differs.
    fn read(&self, there: Unit<'_>, known: Option<Found>) -> (Result<bool, VerifyError>, Walked) {
        let OutputFacts { expectations, edited, skipped, memory, .. } = self.facts;
        let between = Between::new(self.unit.bytes, self.output, edited);
        let mut verifier = Verifier::new(expectations, between).quick(known.is_some());
        let source = Source { engine: self.engine(), known };
        let walked = walk(there, self.options, source, Bases::KEPT, memory, &mut verifier);
        (verifier.finish(skipped), walked)
    }

    fn engine(&self) -> Engine {
        match self.options.verify {
            Verify::Full => Engine::Reference,
            Verify::None | Verify::Fast => self.options.engine,
        }
    }

    /// Calls a function with the output as a unit at its location.
    fn with_output_unit<T>(&self, read: impl FnOnce(Unit<'_>) -> T) -> T {
        let unit = self.unit;
        let outermost = unit.new_context();
        let header_context = unit.new_header_context(outermost.as_ref(), self.bases, self.options);
        let context = header_context.as_ref().or(outermost.as_ref()).unwrap_or(unit.context);
        let own_url = unit.new_place.map(|place| place.url.as_str()).or(unit.own_url);
        let hyperlink_base = unit.new_hyperlink_base(self.bases, self.options);
        let hyperlink_base = hyperlink_base.as_deref();
        let (bytes, new_place) = (self.output, None);
        read(Unit { bytes, context, own_url, new_place, hyperlink_base, ..unit })
    }
}
