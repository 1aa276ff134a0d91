//! The one walk over a message, from delimiter to delimiter.
//!
//! Invariant: each line is read once. A line is a delimiter if it is `--`, a boundary of an open
//! multipart, optionally `--`, and white space (RFC 2046 5.1.1); it belongs to the innermost
//! multipart with that boundary, and the multiparts inside that end there.
//!
//! The text after the closing boundary of a multipart (RFC 2046 5.1.1: the epilogue). It is in no
//! part, and mailing lists put their footers there.

use std::collections::HashMap;

use layers::Span;
use memchr::memmem::Finder;

use crate::message::field::{before_line_end, line_end};
use crate::message::media::{ContentType, Encoding};
use crate::message::{Defect, Diagnostic, Entity, Message, field};

/// The number of defects that are reported, and of those that leave something unread: they are
/// counted separately, so that none of those is hidden by many others.
const MOST_DEFECTS: usize = 1000;

/// The limits of reading a message; the rest is not read, and reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageLimits {
    /// The maximum depth of nested entities.
    pub depth: usize,
    /// The maximum number of entities.
    pub entities: usize,
    /// The maximum length of a field value, in bytes.
    pub field: usize,
}

impl Default for MessageLimits {
    /// Returns a depth of 100, 100,000 entities and fields of 64 KiB, far more than real messages
    /// need.
    fn default() -> Self {
        MessageLimits { depth: 100, entities: 100_000, field: 64 << 10 }
    }
}

impl Message {
    /// Splits a message into its entities (RFC 2046 5.1).
    ///
    /// # Examples
    ///
    /// ```
    /// use basectx::message::Message;
    ///
    /// let bytes = b"Content-Type: multipart/related; boundary=b\n\n\
    ///               --b\nContent-Type: text/html\n\n<p>\n--b--\n";
    /// let message = Message::read(bytes);
    /// let leaf = message.leaves().next().unwrap();
    /// assert_eq!(message.entities[leaf].body.slice(bytes), b"<p>");
    /// assert_eq!((&*message.part(leaf), &*message.header_section_name(leaf)), ("1", "1.MIME"));
    /// assert!(message.diagnostics.is_empty());
    /// ```
    pub fn read(bytes: &[u8]) -> Message {
        Message::read_within(bytes, MessageLimits::default())
    }

    /// Splits a message as [`read`](Self::read) does, with other limits.
    pub fn read_within(bytes: &[u8], limits: MessageLimits) -> Message {
        let mut walk = MessageWalk {
            bytes,
            limits,
            message: Message::default(),
            dashes: Finder::new(b"--"),
            open: Vec::new(),
            by_boundary: HashMap::new(),
            closed: Vec::new(),
            n_reported: [0; 2],
        };
        // A byte order mark is not part of the first name, and the line with which a mailbox begins
        // a message is not a field.
        let mut start = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        if bytes[start..].starts_with(b"From ") {
            start = line_end(bytes, start);
        }
        walk.enter(None, start);
        walk.run();
        walk.message
    }
}

/// A multipart that is not yet closed.
struct OpenMultipart {
    entity: usize,
    boundary: Vec<u8>,
    /// True if a delimiter has been found.
    is_seen: bool,
}

/// A delimiter line.
struct Delimiter {
    /// The index of its multipart among the open ones.
    level: usize,
    is_close: bool,
    /// The start of the line end before it, which belongs to the delimiter.
    start: usize,
    /// The start of the line, and that of the next.
    line: usize,
    end: usize,
}

struct MessageWalk<'b> {
    bytes: &'b [u8],
    limits: MessageLimits,
    message: Message,
    /// Finds the start of a delimiter; prepared once, since dashes are frequent in HTML.
    dashes: Finder<'static>,
    open: Vec<OpenMultipart>,
    /// The open multiparts by their boundaries, outermost first.
    by_boundary: HashMap<Vec<u8>, Vec<usize>>,
    /// The multiparts that are closed, and the offsets after their closing delimiters.
    closed: Vec<(usize, usize)>,
    /// The number of defects that have been reported, and of those that leave something unread.
    n_reported: [usize; 2],
}

impl MessageWalk<'_> {
    fn run(&mut self) {
        let mut at = self.message.entities.last().map_or(0, |entity| entity.body.start);
        while let Some(delimiter) = self.next_delimiter(at) {
            self.close_down_to(delimiter.level + 1, delimiter.start, delimiter.line);
            at = delimiter.end;
            let parent = self.open[delimiter.level].entity;
            self.open[delimiter.level].is_seen = true;
            if delimiter.is_close {
                self.end_children(parent, delimiter.start);
                self.closed.push((parent, delimiter.end));
                self.pop();
            } else if self.message.entities.len() >= self.limits.entities {
                // The rest belongs to no part.
                self.end_children(parent, delimiter.start);
                self.report(parent, delimiter.line, Defect::TooMany);
                break;
            } else {
                self.end_children(parent, delimiter.start);
                at = self.enter(Some(parent), delimiter.end);
            }
        }
        self.close_down_to(0, self.bytes.len(), self.bytes.len());
        for (idx, start) in std::mem::take(&mut self.closed) {
            let end = self.message.entities[idx].body.end;
            let found = defect(self.bytes, Span::new(start.min(end), end));
            if let Some((at, defect)) = found {
                self.report(idx, at, defect);
            }
        }
        self.message.diagnostics.sort_by_key(|diagnostic| diagnostic.at);
    }

    fn report(&mut self, entity: usize, at: usize, defect: Defect) {
        let n_reported = &mut self.n_reported[usize::from(defect.leaves_unread())];
        if *n_reported < MOST_DEFECTS {
            *n_reported += 1;
            self.message.diagnostics.push(Diagnostic { entity, at, defect });
        }
    }

    /// Reads the header section at an offset, and those of messages in it. Returns the offset of
    /// the body of the innermost.
    fn enter(&mut self, parent: Option<usize>, start: usize) -> usize {
        let (mut parent, mut start) = (parent, start);
        loop {
            let headers = field::read(self.bytes, start, self.limits.field, |at| {
                self.delimiter_at(at).is_some()
            });
            let headers = headers.without_text();
            let bytes = self.bytes;
            let idx = self.message.entities.len();
            let is_in_digest = parent.is_some_and(|parent| {
                self.message.entities[parent].content_type.media_type == "multipart/digest"
            });
            let mut entity = Entity {
                parent,
                ordinal: parent.map_or(0, |parent| self.message.entities[parent].children.len()),
                headers: Span::new(start, headers.end),
                fields: headers.fields,
                body: Span::new(headers.end, bytes.len()),
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
            for (at, defect) in headers.defects {
                self.report(idx, at, defect);
            }
            let depth = self.message.around(idx).count();
            match boundary {
                _ if (is_message || is_multipart) && depth >= self.limits.depth => {
                    self.report(idx, start, Defect::TooDeep);
                }
                _ if is_message && self.message.entities.len() < self.limits.entities => {
                    (parent, start) = (Some(idx), headers.end);
                    continue;
                }
                _ if is_message => self.report(idx, start, Defect::TooMany),
                Some(boundary) if is_multipart => self.push(idx, boundary),
                None if is_multipart => self.report(idx, start, Defect::NoBoundary),
                _ => {}
            }
            return headers.end;
        }
    }

    fn push(&mut self, entity: usize, boundary: Vec<u8>) {
        self.by_boundary.entry(boundary.clone()).or_default().push(self.open.len());
        self.open.push(OpenMultipart { entity, boundary, is_seen: false });
    }

    fn pop(&mut self) {
        let Some(open) = self.open.pop() else { return };
        if let Some(levels) = self.by_boundary.get_mut(&open.boundary) {
            levels.pop();
        }
    }

    /// Ends the last child of an entity, and recursively the last child of that, if they still
    /// extend to the end.
    fn end_children(&mut self, entity: usize, end: usize) {
        let mut last = self.message.entities[entity].children.last().copied();
        while let Some(idx) = last {
            let entity = &mut self.message.entities[idx];
            entity.body.end = entity.body.end.min(end);
            // A delimiter right after the header section: the line end before it belongs to the
            // delimiter.
            if end < entity.body.start {
                let start = entity.headers.start.min(end);
                (entity.headers, entity.body) = (Span::new(start, end), Span::new(end, end));
            }
            last = entity.children.last().copied();
        }
    }

    /// Closes the multiparts from a level on, which end before an offset.
    fn close_down_to(&mut self, level: usize, end: usize, at: usize) {
        while self.open.len() > level {
            let Some(OpenMultipart { entity, is_seen, .. }) = self.open.last() else { return };
            let (entity, defect) =
                (*entity, if *is_seen { Defect::NotClosed } else { Defect::BoundaryNotSeen });
            self.report(entity, at, defect);
            self.end_children(entity, end);
            self.pop();
        }
    }

    /// Returns the next delimiter of an open multipart, from the line that begins at an offset.
    fn next_delimiter(&self, from: usize) -> Option<Delimiter> {
        if self.open.is_empty() {
            return None;
        }
        let mut at = from;
        loop {
            if let Some(delimiter) = self.delimiter_at(at) {
                return Some(delimiter);
            }
            // The next line that can be a delimiter.
            let dashes = at + self.dashes.find(self.bytes.get(at..)?)?;
            at = if is_line_start(self.bytes, dashes) && dashes > at {
                dashes
            } else {
                // Dashes within a line, or at the start of one that is not a delimiter.
                let skipped = line_end(self.bytes, dashes);
                if skipped >= self.bytes.len() {
                    return None;
                }
                skipped
            };
        }
    }

    /// Returns the delimiter at the line that begins at an offset, if the line is one.
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

/// Returns true if a line begins at an offset.
fn is_line_start(bytes: &[u8], at: usize) -> bool {
    at == 0 || matches!(bytes[at - 1], b'\n' | b'\r')
}

/// The maximum length of a footer, in bytes.
const LONGEST_FOOTER: usize = 2000;

/// Fields of messages, in lower case. Two of them are in the header section of any message.
const FIELDS: [&[u8]; 11] = [
    b"cc",
    b"content-type",
    b"date",
    b"from",
    b"message-id",
    b"mime-version",
    b"received",
    b"return-path",
    b"subject",
    b"to",
    b"x-mozilla-status",
];

/// Returns what is wrong with an epilogue, and the offset: it looks like another message, or is
/// more than a footer.
pub(super) fn defect(bytes: &[u8], span: Span) -> Option<(usize, Defect)> {
    let text = span.slice(bytes).trim_ascii();
    if text.is_empty() {
        return None;
    }
    let start = span.end - span.slice(bytes).trim_ascii_start().len();
    let end = start + text.len();
    let is_long = || (text.len() > LONGEST_FOOTER).then_some((start, Defect::LongEpilogue));
    fields(bytes, (start, end)).map(|at| (at, Defect::FieldsInEpilogue)).or_else(is_long)
}

/// Returns the offset of the first header section in a text: lines of fields, with two different
/// ones of messages.
fn fields(bytes: &[u8], (start, end): (usize, usize)) -> Option<usize> {
    let (mut at, mut section, mut seen) = (start, start, 0_usize);
    while at < end {
        let next = line_end(bytes, at);
        let line = &bytes[at..next.min(end)];
        let is_folded = at > section && matches!(line[0], b' ' | b'\t');
        match name(line) {
            Some(name) => {
                let known = FIELDS.iter().position(|known| name.eq_ignore_ascii_case(known));
                seen |= known.map_or(0, |known| 1 << known);
                if seen.count_ones() > 1 {
                    return Some(section);
                }
            }
            None if is_folded => {}
            None => (section, seen) = (next, 0),
        }
        at = next;
    }
    None
}

/// Returns the name of the field in a line.
fn name(line: &[u8]) -> Option<&[u8]> {
    let n_name = line.iter().take_while(|byte| byte.is_ascii_graphic() && **byte != b':').count();
    let (name, rest) = line.split_at(n_name);
    (n_name > 0 && rest.trim_ascii_start().starts_with(b":")).then_some(name)
}
