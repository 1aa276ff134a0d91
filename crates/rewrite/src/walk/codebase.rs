//! `codebase`: the base of `classid` and `archive` on the same element (HTML 4.01, section 13.3.2),
//! in the input and in the output.

use basectx::Context;
use layers::{Layer, Span};

use crate::format::found::{Against, Found};
use crate::walk::scope::Scope;
use crate::walk::{Text, Walk};

impl Walk<'_> {
    /// Returns the contexts of the elements with a `codebase`, in a document whose own base is
    /// `base`; none if their URLs exceed the budget.
    pub(crate) fn codebases<'c>(
        &mut self,
        text: Text<'_>,
        found: &Found,
        base: &'c Context<'c>,
        xml_scopes: &[Scope<'c>],
    ) -> Option<Vec<Context<'c>>> {
        let context = |(span, layer, against): &(Span, Layer, Against)| {
            let base = match against {
                Against::Scope(idx) => xml_scopes[*idx as usize].context,
                _ => base,
            };
            let decoded = layer.decode(span.slice(text.bytes), text.charset);
            let at = text.frame.raw(*span);
            let context = base.codebase(&decoded.text, self.dialect).at(at.start, at.end);
            self.take_url(&context).then_some(context)
        };
        found.codebases.iter().map(context).collect()
    }

    /// Returns these contexts as they will be in the output if the tree moves.
    pub(crate) fn codebases_there<'c>(
        &self,
        text: Text<'_>,
        found: &Found,
        base: &Scope<'c>,
        xml_scopes: &[Scope<'c>],
        here: &[Context<'_>],
    ) -> Vec<Context<'c>> {
        if !self.bases.is_move() {
            return Vec::new();
        }
        let context = |((span, layer, against), here): (&(Span, Layer, Against), &Context<'_>)| {
            let around = match against {
                Against::Scope(idx) => &xml_scopes[*idx as usize],
                _ => base,
            };
            let there = around.after.unwrap_or(around).context;
            let read = |there: &'c Context<'c>| {
                let decoded = layer.decode(span.slice(text.bytes), text.charset);
                there.codebase(&decoded.text, self.dialect)
            };
            self.bases.in_output(here, there, read)
        };
        found.codebases.iter().zip(here).map(context).collect()
    }
}
