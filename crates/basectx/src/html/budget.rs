//! How much html5ever may do and hold for a document, and what is reported where it would be more.

use std::fmt;

/// How much html5ever is asked for; a document past it is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Open elements and active formatting elements together.
    pub open_elements: usize,
    /// Elements created for each tag, on the average: reopened formatting elements count.
    pub elements_per_tag: usize,
    /// Attributes of one tag.
    pub attributes: usize,
    /// Siblings looked at to find a place in the tree, for each byte of input.
    pub siblings_per_byte: usize,
    /// Octets of memory that the tree takes, estimated from the number of its elements.
    pub memory: usize,
}

impl Default for Budget {
    /// 512 open and 64 formatting elements (DESIGN section 7), far above what real documents need.
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

/// What is too much to be read in linear time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overrun {
    /// Elements nest too deeply, or are moved about too much.
    TooDeep,
    /// A tag has too many attributes.
    TooManyAttributes,
    /// The tree takes too much memory.
    TooLarge,
}

impl fmt::Display for Overrun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Overrun::TooDeep => "too deep",
            Overrun::TooManyAttributes => "too many attributes in one tag",
            Overrun::TooLarge => "too large a tree",
        })
    }
}

impl std::error::Error for Overrun {}
