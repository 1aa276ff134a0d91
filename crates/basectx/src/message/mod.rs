//! Messages: the tree of their entities, with the position of every header section, field and body
//! (RFC 2045, RFC 2046).
//!
//! Invariant: a message is never refused and nothing is copied. A defect is a [`Diagnostic`], and
//! the rest of the message is still read. The time is linear in the length of any input, and
//! nothing recurses.

mod base;
mod field;
pub mod http;
mod media;
mod walk;

use std::fmt;

pub use base::{Around, BadField, Contexts, Profile, UnknownProfile, joined, location_in, url_of};
pub use field::Field;
use layers::Span;
pub use media::{ContentType, Encoding, Undecoded, without_comments};
pub use walk::MessageLimits;

// The entities of a message, in the order of the text.

/// A header section and its body: the message, a part of a multipart, or a message in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entity {
    /// The index of the entity around it.
    pub parent: Option<usize>,
    /// The index of the entity among the children of its parent, from 0.
    pub ordinal: usize,
    /// The header section, with the empty line that ends it.
    pub headers: Span,
    /// The header fields, in order.
    pub fields: Vec<Field>,
    /// The body. That of a multipart includes preamble and epilogue. The line end before a
    /// delimiter belongs to the delimiter (RFC 2046 5.1.1).
    pub body: Span,
    /// The content type of the body.
    pub content_type: ContentType,
    /// The transfer encoding of the body.
    pub encoding: Encoding,
    /// The indexes of the entities in it. An entity without any is a leaf.
    pub children: Vec<usize>,
}

impl Entity {
    /// Returns the first field with the given name, ignoring case.
    pub fn field<'e>(&'e self, name: &str, bytes: &[u8]) -> Option<&'e Field> {
        field::named(&self.fields, name, bytes)
    }

    /// Returns the name of a file that a sender suggests for the body: the `filename` of its
    /// `Content-Disposition` (RFC 2183 2.3), or the `name` of its media type; with the extensions
    /// of RFC 2231, and encoded words. It may contain any characters, also those of a path.
    ///
    /// # Examples
    ///
    /// ```
    /// use basectx::message::Message;
    ///
    /// let bytes = b"Content-Disposition: attachment; filename*=UTF-8''%C3%BC.txt\n\n";
    /// let message = Message::read(bytes);
    /// assert_eq!(message.entities[0].file_name(bytes).as_deref(), Some("\u{fc}.txt"));
    /// ```
    pub fn file_name(&self, bytes: &[u8]) -> Option<String> {
        let param = |field: &str, name: &str| self.field(field, bytes)?.param(name, bytes);
        param("Content-Disposition", "filename").or_else(|| param("Content-Type", "name"))
    }

    /// Returns true if the body is a message.
    pub fn is_message(&self) -> bool {
        self.content_type.is_message()
    }

    /// Returns true if the body is a `multipart/…` that was split into parts.
    pub fn is_multipart(&self) -> bool {
        self.content_type.is_multipart() && !self.children.is_empty()
    }
}

/// A message, split into its entities.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// The entities; the first is the message itself.
    pub entities: Vec<Entity>,
    /// The defects of the message.
    pub diagnostics: Vec<Diagnostic>,
}

impl Message {
    /// Returns the bytes of memory that its entities and their header fields take.
    pub fn memory(&self) -> usize {
        let fields = |entity: &Entity| size_of_val(&*entity.fields);
        size_of_val(&*self.entities) + self.entities.iter().map(fields).sum::<usize>()
    }

    /// Returns the IMAP part number of an entity (RFC 3501 6.4.5): that of its body, `"2.1"`. The
    /// only body of a message is `"1"`; a multipart that is the whole body of a message has no
    /// number of its own, but that of the part that contains the message.
    pub fn part(&self, idx: usize) -> String {
        let number = |idx: usize| {
            let entity = &self.entities[idx];
            let is_all = entity.parent.is_none_or(|parent| self.entities[parent].is_message());
            if is_all { (!entity.is_multipart()).then_some(1) } else { Some(entity.ordinal + 1) }
        };
        let mut numbers: Vec<String> = std::iter::once(idx)
            .chain(self.around(idx))
            .filter_map(number)
            .map(|number| number.to_string())
            .collect();
        numbers.reverse();
        numbers.join(".")
    }

    /// Returns the IMAP name of the header section of an entity (RFC 3501 6.4.5): `"HEADER"` of a
    /// message, `"2.HEADER"` of one in part 2, `"2.MIME"` of a part.
    pub fn header_section_name(&self, idx: usize) -> String {
        let Some(parent) = self.entities[idx].parent else { return "HEADER".to_owned() };
        if !self.entities[parent].is_message() {
            return format!("{}.MIME", self.part(idx));
        }
        match self.part(parent).as_str() {
            "" => "HEADER".to_owned(),
            part => format!("{part}.HEADER"),
        }
    }

    /// Iterates over the indexes of the entities around one, from the inside out.
    pub fn around(&self, idx: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.entities[idx].parent, |at| self.entities[*at].parent)
    }

    /// Iterates over the indexes of the leaves, in order.
    pub fn leaves(&self) -> impl Iterator<Item = usize> {
        let is_leaf = |idx: &usize| self.entities[*idx].children.is_empty();
        (0..self.entities.len()).filter(is_leaf)
    }
}

/// A defect of a message, with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The index of the entity that has it.
    pub entity: usize,
    /// The offset at which it was found, in bytes.
    pub at: usize,
    /// The kind of defect.
    pub defect: Defect,
}

/// A kind of defect of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Defect {
    /// A multipart has no boundary: its body is one leaf.
    NoBoundary,
    /// The boundary of a multipart does not occur.
    BoundaryNotSeen,
    /// A multipart is not closed: the text ends, or a delimiter of a multipart around it follows.
    NotClosed,
    /// The text after the closing boundary of a multipart looks like another message.
    FieldsInEpilogue,
    /// The text after the closing boundary of a multipart is longer than a footer.
    LongEpilogue,
    /// A line of a header section is not a field.
    NotAField,
    /// The text ends in a header section.
    HeadersNotEnded,
    /// A field is so long that it is not read.
    LongField,
    /// Entities are nested so deep that this one is not split.
    TooDeep,
    /// There are so many entities that this one is not split.
    TooMany,
}

impl Defect {
    /// Returns true if a part of the message is not read because of the defect.
    pub fn leaves_unread(self) -> bool {
        matches!(
            self,
            Defect::BoundaryNotSeen | Defect::LongField | Defect::TooDeep | Defect::TooMany
        )
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Defect::NoBoundary => "multipart without a boundary; it is read as one part",
            Defect::BoundaryNotSeen => "the boundary of this multipart does not occur",
            Defect::NotClosed => "this multipart has no closing boundary",
            Defect::FieldsInEpilogue => {
                "the text after the closing boundary looks like another message; it is in no part"
            }
            Defect::LongEpilogue => {
                "the text after the closing boundary is longer than a footer; it is in no part"
            }
            Defect::NotAField => "this line of the header section is not a header field",
            Defect::HeadersNotEnded => "the text ends inside a header section",
            Defect::LongField => "header field too long to be read",
            Defect::TooDeep => "parts nested too deeply; this one is not split",
            Defect::TooMany => "too many parts; the rest is not read",
        })
    }
}
