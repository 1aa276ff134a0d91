//! The walk through a message: header sections and bodies in source order, with each body decoded
//! from its transfer encoding and its edits encoded again.
//!
//! A part is a document like a file: its base comes from the entities around it, and its own URL is
//! the one that its header section declares (RFC 2557, RFC 2045, RFC 2046).

mod headers;
mod http;
mod seal;

use basectx::Context;
use basectx::message::{
    Around, Contexts, Defect, Diagnostic, Encoding, Entity, Message, MessageLimits, joined,
};
use layers::{
    Charset, Edit, Lifted, LineEnd, LineGuards, Span, base64, quoted_printable, unencoded, utf7,
    uuencode,
};
use urlcore::Dialect;

use self::headers::KeptLocations;
pub(crate) use self::seal::DerivedValues;
use self::seal::Seals;
use crate::options::limits::Limit;
use crate::report::skip::SkipReason;
use crate::report::{Note, PartDefect, SkipScope, Skipped};
use crate::slots::SlotId;
use crate::unit::{Media, MessageFraming};
use crate::walk::document::WholeDocument;
use crate::walk::frame::{Frame, Refused};
use crate::walk::keep::PartFacts;
use crate::walk::scope::{Bases, OutputPlace, Place, Scope, Scopes};
use crate::walk::{Text, Walk, shifted, skipped};

/// The surroundings of a message that is a whole unit.
#[derive(Clone, Copy)]
pub(crate) struct Outermost<'o> {
    pub(crate) framing: MessageFraming,
    pub(crate) context: &'o Context<'o>,
    /// The context in the output, if it differs.
    pub(crate) there: Option<&'o Context<'o>>,
}

/// The surroundings of a message.
#[derive(Clone, Copy)]
struct Outer<'o> {
    context: &'o Context<'o>,
    /// The context in the output, if it differs.
    there: Option<&'o Context<'o>>,
    /// The bytes of the message.
    frame: &'o Frame<'o>,
    /// The part whose body is the message, or an empty name.
    part: &'o str,
    /// The reason why that part must not be edited.
    seal: Option<SkipReason>,
    /// True if a line that begins with `From ` would end the message.
    is_in_mailbox: bool,
    /// The number of encoded messages that contain it.
    depth: usize,
}

/// The bytes of memory per byte of an encoded body: the decoded bytes, and the body encoded
/// again.
const DECODED: usize = 2;

/// A message that has been parsed.
#[derive(Clone, Copy)]
struct Parsed<'m> {
    bytes: &'m [u8],
    message: &'m Message,
    contexts: &'m Contexts<'m>,
    /// The contexts in the output, if they differ.
    there: Option<&'m Contexts<'m>>,
    seals: &'m Seals,
    locations: &'m KeptLocations,
    /// The line end that it uses.
    line_end: LineEnd,
    outer: Outer<'m>,
}

impl Parsed<'_> {
    fn entity(&self, idx: usize) -> &Entity {
        &self.message.entities[idx]
    }

    /// Returns the name of the body of an entity.
    fn part(&self, idx: usize) -> String {
        joined(self.outer.part, &self.message.part(idx))
    }
}

impl Walk<'_> {
    /// Walks a message that is a whole unit.
    pub(crate) fn unit_message(&mut self, bytes: &[u8], around: Outermost<'_>) -> Vec<Edit> {
        let Outermost { framing, context, there } = around;
        let frame = &Frame::outermost();
        let is_in_mailbox = framing == MessageFraming::Mailbox;
        let (part, seal, depth) = ("", None, 0);
        self.message(bytes, Outer { context, there, frame, part, seal, is_in_mailbox, depth })
    }

    fn message(&mut self, bytes: &[u8], outer: Outer<'_>) -> Vec<Edit> {
        let limits = &self.options.limits;
        if outer.depth > limits.get(Limit::EmbeddedDepth) {
            self.visitor.outside(bytes);
            self.skip_part(SkipReason::Limit(limits.met(Limit::EmbeddedDepth)), outer.frame);
            return Vec::new();
        }
        if self.past_deadline() {
            return Vec::new();
        }
        let message = Message::read_within(bytes, self.caps());
        let memory = message.memory() + 2 * message.entities.len() * size_of::<Context<'_>>();
        if !self.take_memory(memory) {
            return Vec::new();
        }
        let contexts = Contexts::new(&message, self.options.mail.profile).within(self.remaining());
        let raw = |span| outer.frame.raw(span);
        let around = Around { context: outer.context, part: outer.part, raw: &raw };
        let bad_fields = contexts.fill(&message, bytes, around);
        for Diagnostic { entity, at, defect } in &message.diagnostics {
            let body = message.entities[*entity].body.slice(bytes);
            match self.unread(*defect, body) {
                Some(reason) => self.not_read(&message, outer, *entity, *at, reason),
                None => self.fault(&message, outer, *entity, *at, defect.to_string()),
            }
        }
        for bad in &bad_fields {
            let reason = format!("{} ignored; its value gives no base", bad.field);
            self.fault(&message, outer, bad.entity, bad.span.start, reason);
        }
        let seals = Seals::find(&message, bytes, self.options.mail, outer.seal);
        let locations = KeptLocations::new(&message, &contexts, bytes, |idx| {
            seals.of_header(idx).is_some() || !self.options.edits_slot(SlotId::CONTENT_LOCATION)
        });
        let contexts_there =
            Contexts::new(&message, self.options.mail.profile).within(self.remaining());
        let there = outer.there.or_else(|| self.bases.is_move().then_some(outer.context));
        let around = there.map(|there| Around { context: there, ..around });
        let stays = |idx| seals.of_header(idx).is_some() || locations.keeps(&message, idx, bytes);
        match (self.bases, around) {
            (Bases::Follow(map), Some(around)) => {
                let moved = |url: &str| map.url(url);
                contexts_there.fill_moved(&message, bytes, &contexts, around, stays, moved);
            }
            (_, Some(around)) => drop(contexts_there.fill(&message, bytes, around)),
            _ => {}
        }
        if contexts.is_full() || contexts_there.is_full() {
            self.stop(Limit::OutputGrowth);
            return Vec::new();
        }
        if outer.depth == 0 {
            self.derived = DerivedValues::new(&message, bytes, outer.is_in_mailbox);
        }
        let (message, contexts) = (&message, &contexts);
        let there = there.map(|_| &contexts_there);
        let line_end = LineEnd::detect(bytes);
        let open = Parsed {
            bytes,
            message,
            contexts,
            there,
            seals: &seals,
            locations: &locations,
            line_end,
            outer,
        };
        let mut edits = Vec::new();
        let n_shown = std::mem::take(&mut self.n_shown);
        for idx in 0..message.entities.len() {
            // Each part has a URL, which may be as long as that around it.
            if !self.charge(contexts.get(idx).and_then(Context::base).map_or(0, str::len)) {
                break;
            }
            self.header_section(open, idx, &mut edits);
            if open.entity(idx).children.is_empty() || seal::is_opaque(open.entity(idx)) {
                self.body(open, idx, &mut edits);
            }
        }
        self.show_up_to(bytes, Span::new(bytes.len(), bytes.len()), outer.depth == 0);
        self.n_shown = n_shown;
        self.part = PartFacts::default();
        self.give_back_memory(memory);
        edits
    }

    /// Returns the limits for parsing a message.
    fn caps(&self) -> MessageLimits {
        let get = |limit| self.options.limits.get(limit);
        MessageLimits {
            depth: get(Limit::PartDepth),
            entities: get(Limit::Parts),
            field: get(Limit::FieldSize),
        }
    }

    /// Returns the reason why content of a message is not read, if a fault causes that. `body` is
    /// the body of the entity.
    fn unread(&self, defect: Defect, body: &[u8]) -> Option<SkipReason> {
        let limit = match defect {
            Defect::TooDeep => Limit::PartDepth,
            Defect::TooMany => Limit::Parts,
            Defect::LongField => Limit::FieldSize,
            // An empty body has no parts.
            Defect::BoundaryNotSeen if !body.trim_ascii_start().is_empty() => {
                return Some(SkipReason::NoDelimiter);
            }
            _ => return None,
        };
        Some(SkipReason::Limit(self.options.limits.met(limit)))
    }

    /// Reports content of a message that is not read.
    fn not_read(
        &mut self,
        message: &Message,
        outer: Outer<'_>,
        entity: usize,
        at: usize,
        reason: SkipReason,
    ) {
        let (at, part) = place_in(message, outer, entity, at);
        let part = (!part.is_empty()).then_some(part);
        let skipped = Skipped { reason, at, extent: SkipScope::Part, part };
        self.visitor.note(Note::Skipped(skipped));
    }

    fn fault(
        &mut self,
        message: &Message,
        outer: Outer<'_>,
        entity: usize,
        at: usize,
        reason: String,
    ) {
        let (at, part) = place_in(message, outer, entity, at);
        self.visitor.note(Note::Fault(PartDefect { at, part, reason }));
    }

    /// Walks the references in the header section of an entity. They follow RFC 3986, and none of
    /// them is relative to a document.
    fn header_section(&mut self, open: Parsed<'_>, idx: usize, out: &mut Vec<Edit>) {
        let Parsed { bytes, message, contexts, outer, .. } = open;
        let entity = open.entity(idx);
        let slot = |name: Span| SlotId::of_header(name.slice(bytes));
        if entity.fields.iter().all(|field| slot(field.name).is_none()) {
            return;
        }
        let Some(context) = contexts.get(idx) else { return };
        let name = joined(outer.part, &message.header_section_name(idx));
        let frame = outer.frame.at(Span::new(0, bytes.len())).of_part(&name);
        let own_url = contexts.own_url(message, idx, bytes);
        let new_url = self.own_url_there(open, idx, own_url.as_deref());
        let (own_url, new_url) = (own_url.as_deref(), new_url.as_deref());
        let nothing = &Context::none();
        let (there_location, there_others) = match open.there {
            Some(there) => {
                let scope = |context| Scope::new(context, Dialect::Rfc3986, new_url);
                let location = there.of_location(message, idx).unwrap_or(nothing);
                (Some(scope(location)), there.get(idx).map(scope))
            }
            None => (None, None),
        };
        let scope = |context| Scope::new(context, Dialect::Rfc3986, own_url);
        let of_base = scope(nothing);
        let location = contexts.of_location(message, idx).unwrap_or(nothing);
        let of_location = Scope { after: there_location.as_ref(), ..scope(location) };
        let of_others = Scope { after: there_others.as_ref(), ..scope(context) };
        self.part = PartFacts {
            is_sealed: open.seals.of_header(idx).is_some(),
            kept_locations: open.locations.around(message, idx),
            ..PartFacts::default()
        };
        let text = Text {
            bytes,
            charset: Charset::UTF_8,
            query_charset: Charset::UTF_8,
            frame: &frame,
            own_url,
            new_url,
            new_root: None,
            depth: 0,
            is_read_elsewhere: false,
        };
        let mut edits = Vec::new();
        for field in &entity.fields {
            let Some(slot) = slot(field.name) else { continue };
            let scope = match slot {
                SlotId::BASE | SlotId::CONTENT_BASE => &of_base,
                SlotId::CONTENT_LOCATION => &of_location,
                _ => &of_others,
            };
            for value in headers::values(entity, field, slot, bytes) {
                self.show_up_to(bytes, value.span, outer.depth == 0);
                self.value(text, &value, Scopes::new(scope, scope), &mut edits);
            }
        }
        self.take(unencoded::lift(bytes, edits, LineGuards::default()), 0, out);
    }

    /// Walks the body of an entity without children, if it is a document.
    fn body(&mut self, open: Parsed<'_>, idx: usize, out: &mut Vec<Edit>) {
        let entity = open.entity(idx);
        let media = Media::of_part(&entity.content_type)
            .filter(|media| media.is_enabled_by(self.options.opt_in));
        // A message that is not encoded has been parsed already, or is empty.
        let is_message = matches!(media, Some(Media::Message(_)));
        let is_opaque = seal::is_opaque(entity);
        let is_inside = !is_opaque && open.seals.of_body(idx) == Some(SkipReason::Opaque);
        if is_inside
            || !is_opaque
                && (media.is_none() || (is_message && entity.encoding == Encoding::Identity))
        {
            return;
        }
        let name = open.part(idx);
        let span = entity.body;
        let raw = span.slice(open.bytes);
        let outer = open.outer.frame;
        let plain = outer.at(span).of_part(&name);
        let Some(media) = media.filter(|_| !is_opaque) else {
            return self.skip_part(SkipReason::Opaque, &plain);
        };
        let is_in_multipart = (open.message.around(idx))
            .any(|around| open.entity(around).content_type.is_multipart());
        let line_end = open.line_end;
        let guards =
            LineGuards { dashes: is_in_multipart, from: open.outer.is_in_mailbox, line_end };
        let is_encoded = entity.encoding != Encoding::Identity;
        if let Encoding::Unknown(_) = entity.encoding {
            return self.skip_part(SkipReason::Encoding, &plain);
        }
        if is_encoded && !self.spend(raw.len()) {
            return self.skip_part(self.too_large(), &plain);
        }
        if is_encoded && !self.take_memory(DECODED * raw.len()) {
            return;
        }
        self.show_up_to(open.bytes, span, open.outer.depth == 0);
        if is_encoded {
            self.visitor.edge();
        }
        let mut lifted = match &entity.encoding {
            Encoding::Identity | Encoding::Unknown(_) => {
                unencoded::lift(raw, self.document_of(open, idx, media, raw, &plain), guards)
            }
            Encoding::QuotedPrintable => {
                let decoded = quoted_printable::decode(raw);
                let frame = outer.in_quoted(&decoded, span).of_part(&name);
                let edits = self.document_of(open, idx, media, &decoded.bytes, &frame);
                quoted_printable::lift(raw, &decoded, &edits, guards)
            }
            Encoding::Base64 => {
                let decoded = base64::decode(raw);
                self.show_ignored(raw, decoded.is_clean());
                self.note_unclean(&decoded, &plain);
                let frame = outer.in_base64(&decoded, span).of_part(&name);
                let edits = self.document_of(open, idx, media, &decoded.bytes, &frame);
                base64::lift(raw, &decoded, &edits, line_end)
            }
            Encoding::Uuencode => match uuencode::decode(raw) {
                Some(decoded) => {
                    let data = decoded.data();
                    self.visitor.outside(&raw[..data.start]);
                    self.visitor.outside(&raw[data.end..]);
                    let frame = outer.in_uuencode(&decoded, span).of_part(&name);
                    let edits = self.document_of(open, idx, media, &decoded.bytes, &frame);
                    uuencode::lift(&decoded, &edits, line_end)
                }
                None => {
                    self.visitor.outside(raw);
                    self.skip_part(SkipReason::Encoding, &plain);
                    Lifted::default()
                }
            },
        };
        headers::keep_first_line(&open.bytes[..span.start], raw, &mut lifted);
        if is_encoded {
            self.visitor.edge();
            self.give_back_memory(DECODED * raw.len());
            self.take_memory_of_edits(&lifted.edits);
        }
        self.take(lifted, span.start, out);
    }

    /// Reports a body in base64 that cannot be edited.
    fn note_unclean(&mut self, body: &base64::Base64Body, plain: &Frame<'_>) {
        if body.is_clean() {
            return;
        }
        let reason = match body.rest() {
            Some(_) => {
                "text after the encoded data; it is not decoded, and this part cannot be edited"
            }
            None => "invalid base64; this part cannot be edited",
        };
        let at = body.rest().unwrap_or_default();
        let at = plain.raw(Span::new(at, at)).start;
        let part = plain.part().unwrap_or_default().to_owned();
        self.visitor.note(Note::Fault(PartDefect { at, part, reason: reason.to_owned() }));
    }

    /// Walks the document in the decoded body of an entity.
    fn document_of(
        &mut self,
        open: Parsed<'_>,
        idx: usize,
        media: Media,
        bytes: &[u8],
        frame: &Frame<'_>,
    ) -> Vec<Edit> {
        let Some(context) = open.contexts.get(idx) else {
            self.visitor.outside(bytes);
            return Vec::new();
        };
        let has_inline = || !self.options.mail.breaks_signatures && seal::is_inline(bytes);
        let seal = open.seals.of_body(idx);
        let seal = seal.or_else(|| has_inline().then_some(SkipReason::Signed));
        if let Some(reason) = seal {
            let at = frame.raw(Span::default()).start;
            self.visitor.note(Note::Sealed(skipped(reason, at, SkipScope::Part, frame)));
        }
        let Media::Document(format) = media else {
            let part = frame.part().unwrap_or_default();
            let (is_in_mailbox, depth) = (false, open.outer.depth + 1);
            let there = open.there.and_then(|there| there.get(idx));
            let outer = Outer { context, there, frame, part, seal, is_in_mailbox, depth };
            return self.message(bytes, outer);
        };
        self.part = PartFacts {
            is_sealed: seal.is_some(),
            is_shown_by_id: headers::is_shown_by_id(open.message, idx, open.bytes),
            kept_locations: open.locations.around(open.message, idx),
            ..PartFacts::default()
        };
        let nothing = Context::none();
        let is_inline_style = headers::is_inline_style(open.message, idx, open.bytes);
        let context = if is_inline_style { &nothing } else { context };
        let own_url = open.contexts.own_url(open.message, idx, open.bytes);
        let own_url = own_url.as_deref().filter(|_| context.base().is_some());
        let new_url = self.own_url_there(open, idx, own_url);
        let there = open.there.and_then(|there| there.get(idx));
        let there = there.map(|there| if is_inline_style { &nothing } else { there });
        let there =
            there.map(|context| OutputPlace { context, own_url: new_url.as_deref(), root: "" });
        let place = Place { context, own_url, new: there };
        let label = open.entity(idx).content_type.charset.as_deref();
        if label.is_some_and(utf7::is_label) {
            self.visitor.outside(bytes);
            self.skip_part(SkipReason::Charset, frame);
            self.part = PartFacts::default();
            return Vec::new();
        }
        let charset = label.and_then(|label| Charset::for_mail_label(label.as_bytes()));
        let edits = self.whole(WholeDocument { format, bytes, charset, frame, place });
        self.part = PartFacts::default();
        edits
    }

    /// Returns the URL of the body of an entity in the output.
    fn own_url_there(&self, open: Parsed<'_>, idx: usize, here: Option<&str>) -> Option<String> {
        match (self.bases, open.there) {
            (Bases::Follow(map), Some(_))
                if !open.locations.keeps(open.message, idx, open.bytes) =>
            {
                here.map(|url| map.url(url))
            }
            (_, Some(there)) => there.own_url(open.message, idx, open.bytes),
            _ => here.map(str::to_owned),
        }
    }

    fn skip_part(&mut self, reason: SkipReason, frame: &Frame<'_>) {
        let at = frame.raw(Span::default()).start;
        self.visitor.note(Note::Skipped(skipped(reason, at, SkipScope::Part, frame)));
    }

    /// Adds edits that were lifted out of a body.
    fn take(&mut self, lifted: Lifted, offset: usize, out: &mut Vec<Edit>) {
        for (id, reason) in lifted.refused {
            self.visitor.refused(id, Refused::Layer(reason));
        }
        out.extend(lifted.edits.into_iter().map(|edit| shifted(edit, offset)));
    }
}

/// Returns the offset in the unit of an offset in a message, and the name of the body or the header
/// section that it is in.
fn place_in(message: &Message, outer: Outer<'_>, entity: usize, at: usize) -> (usize, String) {
    let is_in_header = at < message.entities[entity].headers.end;
    let name =
        if is_in_header { message.header_section_name(entity) } else { message.part(entity) };
    (outer.frame.raw(Span::new(at, at)).start, joined(outer.part, &name))
}
