//! Limits of the work and memory of html5ever for a document, and the error if they are exceeded.

/// The approximate size of what is kept with a node or an attribute in the tree, in bytes: two
/// counters, its places in lists, and the allocator's own entry.
pub(super) const LINKS_SIZE: usize = size_of::<[usize; 8]>();

/// The limits of html5ever's work for a document; a document that exceeds one is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Open elements and active formatting elements together.
    pub open_elements: usize,
    /// Elements created per tag, on average, including reopened formatting elements.
    pub elements_per_tag: usize,
    /// Attributes of one tag.
    pub attributes: usize,
    /// Siblings read to find places in the tree, per byte of input.
    pub siblings_per_byte: usize,
    /// Memory of the tree and of the receiver of its tags, in bytes; that of the tree is estimated
    /// from the number of its elements.
    pub memory: usize,
}

impl Default for Budget {
    /// Returns 512 open and 64 formatting elements, 64 elements per tag, 1,000 attributes and 64
    /// siblings per byte, far more than real documents need, and unlimited memory.
    fn default() -> Self {
        Budget {
            open_elements: 512 + 64,
            elements_per_tag: 64,
            attributes: 1000,
            siblings_per_byte: 64,
            memory: usize::MAX,
        }
    }
}

/// The limit that a document exceeds.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
pub enum Overrun {
    /// Elements nest too deeply, or are moved within the tree too much.
    #[error("too deep")]
    TooDeep,
    /// A tag has too many attributes.
    #[error("too many attributes in one tag")]
    TooManyAttributes,
    /// The tree takes too much memory.
    #[error("too large a tree")]
    TooLarge,
}
