//! The parts of a document that are being read: open elements, attributes, and what the first
//! element decides.

use layers::{Span, XmlPlace};

use crate::slots::Vocabulary;

/// An element whose end tag has not come.
pub(super) struct OpenElement<'t> {
    pub(super) start: usize,
    pub(super) vocabulary: Vocabulary,
    pub(super) name: &'t str,
    /// The innermost scope of `xml:base` that contains it.
    pub(super) scope: Option<u32>,
    /// The number of namespace declarations in force outside of it.
    pub(super) n_declared: usize,
    /// The number of values before its content, or after the last of its own bases (DASH).
    pub(super) n_values: usize,
    /// True if it has a base as an element inside it (DASH).
    pub(super) has_base: bool,
    /// True if it has several bases, or an element around it has.
    pub(super) has_alternatives: bool,
    /// The scope, and whether there are alternatives, without its own bases: they are relative to
    /// what is around them, and not to each other.
    pub(super) around: (Option<u32>, bool),
}

/// The properties of the document that its first element decides.
#[derive(Default)]
pub(super) struct Root {
    pub(super) is_seen: bool,
    /// The vocabulary of elements without a namespace.
    pub(super) plain: Option<Vocabulary>,
    pub(super) is_sitemap: bool,
    pub(super) is_smil: bool,
    /// True if it is a feed, or a list of feeds.
    pub(super) is_feed: bool,
    /// True if elements other than its own are not markup, but output (XSLT).
    pub(super) is_stylesheet: bool,
    /// True if it is an element that browsers show, and `xml:base` is read as they read it.
    pub(super) is_of_web: bool,
}

/// An attribute as it is written.
#[derive(Clone, Copy)]
pub(super) struct XmlAttribute<'t> {
    pub(super) start: usize,
    pub(super) name: &'t str,
    pub(super) value: Span,
    pub(super) place: XmlPlace,
}

impl<'t> XmlAttribute<'t> {
    /// Returns the prefix, which may be empty, and the local name.
    pub(super) fn parts(&self) -> (&'t str, &'t str) {
        parts(self.name)
    }
}

/// Returns the prefix of a name, which may be empty, and the local name.
pub(super) fn parts(name: &str) -> (&str, &str) {
    match name.bytes().position(|byte| byte == b':') {
        Some(at) => (&name[..at], &name[at + 1..]),
        None => ("", name),
    }
}

/// Returns the first attribute whose name occurred before (XML 3.1, "Unique Att Spec").
pub(super) fn first_twin<'a, 't>(
    attributes: &'a [XmlAttribute<'t>],
) -> Option<&'a XmlAttribute<'t>> {
    const FEW: usize = 12;
    if attributes.len() <= FEW {
        let is_twin = |(idx, attribute): &(usize, &XmlAttribute<'_>)| {
            attributes[..*idx].iter().any(|before| before.name == attribute.name)
        };
        return attributes.iter().enumerate().find(is_twin).map(|(_, attribute)| attribute);
    }
    let mut names = std::collections::HashSet::with_capacity(attributes.len());
    attributes.iter().find(|attribute| !names.insert(attribute.name))
}
