//! The one walk over a message, from delimiter to delimiter.
//!
//! Invariant: each line is looked at once. A line is a delimiter if it is `--`, a boundary of an open multipart, perhaps `--`, and white space
//! (RFC 2046 5.1.1); the innermost multipart with that boundary counts, and those inside it end there.

use std::collections::HashMap;

use layers::Span;

use super::entity::{Diagnostic, Entity, Fault, Message};
use super::field::{self, before_line_end, line_end};
use super::media::{ContentType, Encoding};

/// How many faults are told, and how many more that leave something unread: none of those is hidden
/// by many of the others.
const MOST_FAULTS: usize = 1000;

/// How much is read of a message; the rest is left, and told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// How deep entities may be nested.
    pub depth: usize,
    /// How many there may be.
    pub entities: usize,
    /// How long a field may be.
    pub field: usize,
}

impl Default for Caps {
    /// Far above what real messages need.
    fn default() -> Self {
        Caps { depth: 100, entities: 100_000, field: 64 << 10 }
    }
}

impl Message {
    /// Takes a message apart.
    ///
    /// ```
    /// use basectx::message::Message;
    ///
    /// let bytes = b"Content-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n<p>\n--b--\n";
    /// let message = Message::read(bytes);
    /// let leaf = message.leaves().next().unwrap();
    /// assert_eq!((message.part(leaf).as_str(), message.entities[leaf].body.of(bytes)), ("1", &b"<p>"[..]));
    /// assert_eq!(message.heading_name(leaf), "1.MIME");
    /// assert!(message.diagnostics.is_empty());
    /// ```
    pub fn read(bytes: &[u8]) -> Message {
        Message::read_within(bytes, Caps::default())
    }

    /// The same, under other caps.
    pub fn read_within(bytes: &[u8], caps: Caps) -> Message {
        let mut walk = Walk {
            bytes,
            caps,
            message: Message::default(),
            open: Vec::new(),
            by_boundary: HashMap::new(),
            n_told: [0; 2],
        };
        // A byte order mark is no part of the first name, and the line with which a mailbox begins a message is no field.
        let mut start = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        if bytes[start..].starts_with(b"From ") {
            start = line_end(bytes, start);
        }
        walk.enter(None, start);
        walk.run();
        walk.message
    }
}

/// A multipart that is not closed yet.
struct Open {
    entity: usize,
    boundary: Vec<u8>,
    /// Whether a delimiter has been seen.
    is_seen: bool,
}

/// A delimiter line.
struct Delimiter {
    /// Which of the open multiparts it is of.
    level: usize,
    is_close: bool,
    /// Where the line end before it begins, which is the delimiter's.
    start: usize,
    /// Where the line begins, and the next.
    line: usize,
    end: usize,
}

struct Walk<'b> {
    bytes: &'b [u8],
    caps: Caps,
    message: Message,
    open: Vec<Open>,
    /// The open multiparts by their boundaries, outermost first.
    by_boundary: HashMap<Vec<u8>, Vec<usize>>,
    /// How many faults have been told, and how many that leave something unread.
    n_told: [usize; 2],
}

impl Walk<'_> {
    fn run(&mut self) {
        let mut at = self.message.entities.last().map_or(0, |entity| entity.body.start);
        while let Some(delimiter) = self.next_delimiter(at) {
            self.close_down_to(delimiter.level + 1, delimiter.start, delimiter.line);
            at = delimiter.end;
            let parent = self.open[delimiter.level].entity;
            self.open[delimiter.level].is_seen = true;
            if delimiter.is_close {
                self.end_children(parent, delimiter.start);
                self.pop();
            } else if self.message.entities.len() >= self.caps.entities {
                // The rest is of no part.
                self.end_children(parent, delimiter.start);
                self.tell(parent, delimiter.line, Fault::TooMany);
                break;
            } else {
                self.end_children(parent, delimiter.start);
                at = self.enter(Some(parent), delimiter.end);
            }
        }
        self.close_down_to(0, self.bytes.len(), self.bytes.len());
    }

    fn tell(&mut self, entity: usize, at: usize, fault: Fault) {
        let n_told = &mut self.n_told[usize::from(fault.leaves_unread())];
        if *n_told < MOST_FAULTS {
            *n_told += 1;
            self.message.diagnostics.push(Diagnostic { entity, at, fault });
        }
    }

    /// Reads the heading at an octet, and those of messages in it. Returns where the body of the innermost begins.
    fn enter(&mut self, parent: Option<usize>, start: usize) -> usize {
        let (mut parent, mut start) = (parent, start);
        loop {
            let heading = field::read(self.bytes, start, self.caps.field, |at| {
                self.delimiter_at(at).is_some()
            });
            let bytes = self.bytes;
            let idx = self.message.entities.len();
            let is_in_digest = parent.is_some_and(|parent| {
                self.message.entities[parent].content_type.media_type == "multipart/digest"
            });
            let mut entity = Entity {
                parent,
                ordinal: parent.map_or(0, |parent| self.message.entities[parent].children.len()),
                heading: Span::new(start, heading.end),
                fields: heading.fields,
                body: Span::new(heading.end, bytes.len()),
                content_type: ContentType::read(None, bytes, is_in_digest),
                encoding: Encoding::Identity,
                children: Vec::new(),
            };
            entity.content_type =
                ContentType::read(entity.field("Content-Type", bytes), bytes, is_in_digest);
            entity.encoding =
                Encoding::read(entity.field("Content-Transfer-Encoding", bytes), bytes);
            let is_read = entity.encoding == Encoding::Identity;
            let is_message = entity.is_message() && is_read;
            let boundary =
                entity.content_type.usable_boundary().map(|text| text.as_bytes().to_vec());
            let is_multipart = entity.content_type.is_multipart();
            self.message.entities.push(entity);
            if let Some(parent) = parent {
                self.message.entities[parent].children.push(idx);
            }
            for (at, fault) in heading.faults {
                self.tell(idx, at, fault);
            }
            let depth = self.message.around(idx).count();
            match boundary {
                _ if (is_message || is_multipart) && depth >= self.caps.depth => {
                    self.tell(idx, start, Fault::TooDeep);
                }
                _ if is_message && self.message.entities.len() < self.caps.entities => {
                    (parent, start) = (Some(idx), heading.end);
                    continue;
                }
                _ if is_message => self.tell(idx, start, Fault::TooMany),
                Some(boundary) if is_multipart => self.push(idx, boundary),
                None if is_multipart => self.tell(idx, start, Fault::NoBoundary),
                _ => {}
            }
            return heading.end;
        }
    }

    fn push(&mut self, entity: usize, boundary: Vec<u8>) {
        self.by_boundary.entry(boundary.clone()).or_default().push(self.open.len());
        self.open.push(Open { entity, boundary, is_seen: false });
    }

    fn pop(&mut self) {
        let Some(open) = self.open.pop() else { return };
        if let Some(levels) = self.by_boundary.get_mut(&open.boundary) {
            levels.pop();
        }
    }

    /// Ends the last child of an entity, and what is last in that, where it still goes on to the end.
    fn end_children(&mut self, entity: usize, end: usize) {
        let mut last = self.message.entities[entity].children.last().copied();
        while let Some(idx) = last {
            let entity = &mut self.message.entities[idx];
            entity.body.end = entity.body.end.min(end);
            // A delimiter right after the heading: the line end before it is the delimiter's.
            if end < entity.body.start {
                let start = entity.heading.start.min(end);
                (entity.heading, entity.body) = (Span::new(start, end), Span::new(end, end));
            }
            last = entity.children.last().copied();
        }
    }

    /// Closes the multiparts from a level on, which end before an octet.
    fn close_down_to(&mut self, level: usize, end: usize, at: usize) {
        while self.open.len() > level {
            let Some(Open { entity, is_seen, .. }) = self.open.last() else { return };
            let (entity, fault) =
                (*entity, if *is_seen { Fault::NotClosed } else { Fault::BoundaryNotSeen });
            self.tell(entity, at, fault);
            self.end_children(entity, end);
            self.pop();
        }
    }

    /// The next delimiter of an open multipart from the line that begins at an octet on.
    fn next_delimiter(&self, from: usize) -> Option<Delimiter> {
        if self.open.is_empty() {
            return None;
        }
        let mut at = from;
        loop {
            if let Some(delimiter) = self.delimiter_at(at) {
                return Some(delimiter);
            }
            // The next line that can be one.
            let dashes = at + memchr::memmem::find(self.bytes.get(at..)?, b"--")?;
            at = if is_line_start(self.bytes, dashes) && dashes > at {
                dashes
            } else {
                // Dashes within a line, or at the start of one that is none.
                let skipped = line_end(self.bytes, dashes);
                if skipped >= self.bytes.len() {
                    return None;
                }
                skipped
            };
        }
    }

    /// The delimiter that the line is that begins at an octet.
    fn delimiter_at(&self, line: usize) -> Option<Delimiter> {
        let rest = self.bytes.get(line..)?.strip_prefix(b"--")?;
        let length = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let n_blanks =
            rest[..length].iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let text = &rest[..length - n_blanks];
        let level = |boundary: &[u8]| self.by_boundary.get(boundary)?.last().copied();
        let (level, is_close) = match level(text) {
            Some(level) => (level, false),
            None => (level(text.strip_suffix(b"--")?)?, true),
        };
        let end = line_end(self.bytes, line);
        Some(Delimiter { level, is_close, start: before_line_end(self.bytes, line), line, end })
    }
}

/// Whether a line begins at an octet.
fn is_line_start(bytes: &[u8], at: usize) -> bool {
    at == 0 || matches!(bytes[at - 1], b'\n' | b'\r')
}
