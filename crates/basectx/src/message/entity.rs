//! The entities of a message, in the order of the text.

use std::fmt;

use layers::Span;

use super::field::Field;
use super::media::{ContentType, Encoding};

/// A heading and its body: the message, a part of a multipart, or a message in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entity {
    /// The number of the entity around it.
    pub parent: Option<usize>,
    /// Which child of that it is, from 0.
    pub ordinal: usize,
    /// The heading, with the empty line that ends it.
    pub heading: Span,
    /// Its fields, in order.
    pub fields: Vec<Field>,
    /// The body. Of a multipart all of it, with preamble and epilogue. The line end before a delimiter belongs to that (RFC 2046
    /// 5.1.1).
    pub body: Span,
    /// What the body is.
    pub content_type: ContentType,
    /// How it is encoded.
    pub encoding: Encoding,
    /// The numbers of the entities in it. An entity without any is a leaf.
    pub children: Vec<usize>,
}

impl Entity {
    /// The first field of that name, in any case.
    pub fn field<'e>(&'e self, name: &str, bytes: &[u8]) -> Option<&'e Field> {
        self.fields.iter().find(|field| field.is_named(name, bytes))
    }

    /// Whether it is a message in a message.
    pub fn is_message(&self) -> bool {
        self.content_type.is_message()
    }

    /// Whether it is a `multipart/…` that has been taken apart.
    pub fn is_multipart(&self) -> bool {
        self.content_type.is_multipart() && !self.children.is_empty()
    }
}

/// A message, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// The entities; the first is the message itself.
    pub entities: Vec<Entity>,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
}

impl Message {
    /// The IMAP part number of an entity (RFC 3501 6.4.5): that of its body, `"2.1"`. The only body of a message is `"1"`; a multipart that is
    /// all of a message has none, but the number of the part that the message is in.
    pub fn part(&self, idx: usize) -> String {
        let number = |idx: usize| {
            let entity = &self.entities[idx];
            let is_all = entity.parent.is_none_or(|parent| self.entities[parent].is_message());
            match is_all {
                true => (!entity.is_multipart()).then_some(1),
                false => Some(entity.ordinal + 1),
            }
        };
        let mut numbers: Vec<String> = std::iter::once(idx)
            .chain(self.around(idx))
            .filter_map(number)
            .map(|number| number.to_string())
            .collect();
        numbers.reverse();
        numbers.join(".")
    }

    /// The IMAP name of the heading of an entity: `"HEADER"` of a message, `"2.HEADER"` of one in part 2, `"2.MIME"` of a part.
    pub fn heading_name(&self, idx: usize) -> String {
        let Some(parent) = self.entities[idx].parent else { return "HEADER".to_owned() };
        if !self.entities[parent].is_message() {
            return format!("{}.MIME", self.part(idx));
        }
        match self.part(parent).as_str() {
            "" => "HEADER".to_owned(),
            part => format!("{part}.HEADER"),
        }
    }

    /// The entities from one outward, without itself.
    pub fn around(&self, idx: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.entities[idx].parent, |at| self.entities[*at].parent)
    }

    /// The numbers of the leaves, in order.
    pub fn leaves(&self) -> impl Iterator<Item = usize> {
        let is_leaf = |idx: &usize| self.entities[*idx].children.is_empty();
        (0..self.entities.len()).filter(is_leaf)
    }
}

/// Something that is wrong with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The entity that it is in.
    pub entity: usize,
    /// The octet where it was seen.
    pub at: usize,
    /// What is wrong.
    pub fault: Fault,
}

/// What can be wrong with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// A multipart has no boundary: its body is one leaf.
    NoBoundary,
    /// The boundary of a multipart never comes.
    BoundaryNotSeen,
    /// A multipart is not closed: the text ends, or a delimiter of a multipart around it comes.
    NotClosed,
    /// A line of a heading is no field.
    NotAField,
    /// The text ends in a heading.
    HeadingNotEnded,
    /// A field is so long that it is not read.
    LongField,
    /// Entities are nested so deep that this one is not taken apart.
    TooDeep,
    /// There are so many entities that this one is not taken apart.
    TooMany,
}

impl Fault {
    /// Returns true if something of the message is not read because of it.
    pub fn leaves_unread(self) -> bool {
        matches!(self, Fault::BoundaryNotSeen | Fault::LongField | Fault::TooDeep | Fault::TooMany)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::NoBoundary => "a multipart without a boundary; it is left as one part",
            Fault::BoundaryNotSeen => "the boundary of a multipart never comes",
            Fault::NotClosed => "a multipart is not closed",
            Fault::NotAField => "a line in a heading is no field",
            Fault::HeadingNotEnded => "the text ends in a heading",
            Fault::LongField => "a field is too long to be read",
            Fault::TooDeep => "parts are nested too deep; this one is left",
            Fault::TooMany => "there are too many parts; the rest is left",
        })
    }
}
