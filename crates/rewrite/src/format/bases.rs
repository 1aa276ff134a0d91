//! The elements of a document that change the base of what comes after them, or is inside of them.

use layers::{Layer, Span};

/// A change of the base of a document by a `base` element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BaseChange {
    /// The index in [`Found::values`] of the last value before which the base does not hold.
    pub(crate) from: usize,
    /// The index of the `href` that gives the base; `None` for the fallback base.
    pub(crate) href: Option<usize>,
}

/// The scope of an `xml:base`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BaseScope {
    /// The number of the scope around it, if there is one.
    pub(crate) outer: Option<u32>,
    /// The value of the attribute, and its layer.
    pub(crate) span: Span,
    pub(crate) layer: Layer,
    /// The number of nested scopes, including this one.
    pub(crate) depth: u32,
    /// True if its value, or that of a scope around it, is unknown: it contains an entity, or comes
    /// from the document type.
    pub(crate) is_unknown: bool,
}
