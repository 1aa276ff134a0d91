//! The walk through saved HTTP responses: the URLs in each header section, and the body as a
//! document.
//!
//! A response is not a mail message. Its body is not encoded and is read as a file whose media type
//! the server declared (RFC 9110 8.3); its URL is the one that was requested, or that a `Location`
//! in the response before it points to (RFC 3986 5.1.3), and never a `Content-Location` (RFC 9110
//! 8.7).

use basectx::Context;
use basectx::message::http::{Body, Response, responses_within};
use basectx::message::{Around, Contexts, Diagnostic, Field, joined, url_of};
use layers::{Charset, Edit, Span};
use urlcore::{Dialect, Reference, Resolver, header};

use super::{DerivedValues, Outer, Seals, headers};
use crate::format::found::Delimiters;
use crate::format::spec::FormatId;
use crate::report::skip::SkipReason;
use crate::report::{Note, PartDefect, SkipScope, Skipped};
use crate::slots::SlotId;
use crate::unit::{Http, Media};
use crate::walk::document::WholeDocument;
use crate::walk::frame::Frame;
use crate::walk::keep::PartFacts;
use crate::walk::scope::{Bases, OutputPlace, Place, Scope, Scopes, retrieved};
use crate::walk::{Text, Walk, shifted, skipped};

/// A response that is being walked.
#[derive(Clone, Copy)]
struct OpenResponse<'o> {
    bytes: &'o [u8],
    response: &'o Response,
    seals: &'o Seals,
    /// Its number, if it is one of several.
    name: &'o str,
    fallback: Option<FormatId>,
}

/// The origin of a response whose URL another field gives, and that origin in the output if the
/// tree moves.
struct Origin {
    here: Context<'static>,
    there: Option<Context<'static>>,
}

impl Origin {
    /// Returns an origin that is unknown.
    fn unknown(bases: Bases<'_>) -> Origin {
        Origin { here: Context::none(), there: bases.is_move().then(Context::none) }
    }

    fn place(&self) -> Place<'_> {
        let new = self.there.as_ref().map(|context| OutputPlace {
            context,
            own_url: context.document_url(),
            root: "",
        });
        Place { context: &self.here, own_url: self.here.document_url(), new }
    }
}

impl Walk<'_> {
    /// Walks the responses of a unit.
    pub(crate) fn http(&mut self, bytes: &[u8], http: Http, place: Place<'_>) -> Vec<Edit> {
        let responses = responses_within(bytes, self.caps());
        let fallback = match http {
            Http::Response(_) if responses.iter().all(|response| response.status.is_none()) => {
                let reason = SkipReason::NoResponse;
                self.visitor.outside(bytes);
                self.visitor.note(Note::Skipped(skipped(
                    reason,
                    0,
                    SkipScope::Unit,
                    &Frame::outermost(),
                )));
                return Vec::new();
            }
            Http::Response(fallback) => fallback,
            Http::Headings => None,
        };
        self.derived = DerivedValues::of_responses(&responses, bytes);
        let n_responses = responses.len();
        let mut origin = None;
        let mut edits = Vec::new();
        for (idx, response) in responses.iter().enumerate() {
            let name = if n_responses > 1 { (idx + 1).to_string() } else { String::new() };
            // The content of the other file came with the last of the header sections.
            if http == Http::Headings {
                origin = (idx + 1 < n_responses).then(|| Origin::unknown(self.bases));
            }
            let place = match &origin {
                Some(origin) => origin.place(),
                None => place,
            };
            let mail = self.options.mail;
            let seals = &Seals::find(&response.message, bytes, mail, None);
            let open = OpenResponse { bytes, response, seals, name: &name, fallback };
            self.response(open, place, &mut edits);
            if response.is_redirect() {
                let next = redirected(open, place.own_url, self.bases);
                origin = Some(next.unwrap_or_else(|| Origin::unknown(self.bases)));
            }
        }
        self.show_up_to(bytes, Span::new(bytes.len(), bytes.len()), true);
        self.part = PartFacts::default();
        edits
    }

    fn response(&mut self, open: OpenResponse<'_>, place: Place<'_>, out: &mut Vec<Edit>) {
        let OpenResponse { bytes, response: Response { message, .. }, name, .. } = open;
        let selected = self.options.mail.profile;
        let profile = if self.is_captured { selected.of_capture() } else { selected.of_http() };
        let contexts = Contexts::new(message, profile);
        let around = |context| Around { context, part: name, raw: &|span| span };
        let bad_fields = contexts.fill(message, bytes, around(place.context));
        let contexts_there = Contexts::new(message, profile);
        match (self.bases, place.new) {
            (Bases::Follow(map), Some(there)) => {
                let (around, moved) = (around(there.context), |url: &str| map.url(url));
                contexts_there.fill_moved(message, bytes, &contexts, around, |_| false, moved);
            }
            (_, Some(there)) => {
                contexts_there.fill(message, bytes, around(there.context));
            }
            _ => {}
        }
        let part = joined(name, "HEADER");
        for Diagnostic { at, defect, .. } in &message.diagnostics {
            let (at, part) = (*at, part.clone());
            self.visitor.note(match self.unread(*defect, b"") {
                Some(reason) => {
                    Note::Skipped(Skipped { reason, at, extent: SkipScope::Part, part: Some(part) })
                }
                None => Note::Fault(PartDefect { at, part, reason: defect.to_string() }),
            });
        }
        for bad in &bad_fields {
            let reason = format!("{} ignored; its value gives no base", bad.field);
            let (at, part) = (bad.span.start, part.clone());
            self.visitor.note(Note::Fault(PartDefect { at, part, reason }));
        }
        let Some(context) = contexts.get(0) else { return };
        let new = |context: Option<_>| {
            place.new.zip(context).map(|(there, context)| OutputPlace { context, ..there })
        };
        let inside = Place { context, new: new(contexts_there.get(0)), ..place };
        let of_location = Place {
            context: contexts.of_location(message, 0).unwrap_or(&NOTHING),
            new: new(contexts_there.of_location(message, 0)),
            ..place
        };
        self.response_headers(open, [place, inside, of_location], &part, out);
        self.response_body(open, inside, out);
    }

    /// Walks the references in the header section of a response that came from `place`. The values
    /// of the entity are `inside`; `Content-Location` has a context of its own.
    fn response_headers(
        &mut self,
        open: OpenResponse<'_>,
        [place, inside, of_location]: [Place<'_>; 3],
        part: &str,
        out: &mut Vec<Edit>,
    ) {
        let OpenResponse { bytes, response, .. } = open;
        let entity = response.entity();
        self.part =
            PartFacts { is_sealed: open.seals.of_header(0).is_some(), ..PartFacts::default() };
        let values_of = |field: &Field| {
            let slot = SlotId::of_field(field.name.slice(bytes))?;
            Some((slot, headers::values(entity, field, slot, bytes)))
        };
        let found: Vec<_> = entity.fields.iter().filter_map(values_of).collect();
        // Most responses have no reference in a field, and each scope splits its base again.
        if found.iter().all(|(_, values)| values.is_empty()) {
            return;
        }
        let frame = Frame::outermost();
        let frame = frame.at(Span::new(0, bytes.len())).of_part(part);
        let dialect = Dialect::Rfc3986;
        let [after, inside_after, location_after] =
            [place, inside, of_location].map(|place| place.after(dialect));
        let of_place = place.scope(after.as_ref(), dialect);
        let of_others = inside.scope(inside_after.as_ref(), dialect);
        let of_location = of_location.scope(location_after.as_ref(), dialect);
        let of_base = Scope::new(&NOTHING, dialect, None);
        let (original, original_there) = originals(open, self.bases);
        let original_after = Scope::new(&original_there, dialect, None);
        let of_original =
            Scope { after: Some(&original_after), ..Scope::new(&original, dialect, None) };
        let text = Text {
            bytes,
            charset: Charset::UTF_8,
            query_charset: Charset::UTF_8,
            frame: &frame,
            own_url: place.own_url,
            new_url: place.new_url(),
            new_root: place.new_root(),
            depth: 0,
            is_read_elsewhere: false,
        };
        for (slot, values) in found {
            let scope = match slot {
                SlotId::BASE | SlotId::CONTENT_BASE => &of_base,
                SlotId::CONTENT_LOCATION => &of_location,
                // These are relative to the requested URL (RFC 9110 10.2.2, ECMA-426 11.1.1, HTML
                // 7.6.1.2, Reporting API 3.1).
                SlotId::LOCATION
                | SlotId::REPORTING_ENDPOINTS
                | SlotId::SOURCE_MAP
                | SlotId::SPECULATION_RULES
                | SlotId::X_SOURCE_MAP => &of_place,
                slot if slot.is_original() => &of_original,
                _ => &of_others,
            };
            for mut value in values {
                if slot.is_policy() && !self.reads(&value) {
                    continue;
                }
                // White space may be a fold, which is dropped, or a space that a browser reads as
                // `%20`.
                if !matches!(slot, SlotId::REFRESH | SlotId::POLICY)
                    && value.span.slice(bytes).iter().any(u8::is_ascii_whitespace)
                {
                    value.delimiters = Delimiters::Ambiguous;
                }
                self.show_up_to(bytes, value.span, true);
                self.value(text, &value, Scopes::new(scope, scope), out);
            }
        }
    }

    /// Walks the body of a response if it is a document.
    fn response_body(&mut self, open: OpenResponse<'_>, place: Place<'_>, out: &mut Vec<Edit>) {
        let OpenResponse { bytes, response, seals, name, fallback } = open;
        let entity = response.entity();
        let span = entity.body;
        let media = if response.has_media_type(bytes) {
            Media::of_part(&entity.content_type)
        } else {
            fallback.map(Media::Document)
        };
        let Some(media) = media.filter(|media| media.is_enabled_by(self.options.opt_in)) else {
            return;
        };
        let body = span.slice(bytes);
        let outermost = Frame::outermost();
        let frame = &outermost.at(span);
        let reason = match response.body {
            _ if body.is_empty() => return,
            Body::Plain => None,
            Body::Coded => Some(SkipReason::Coded),
            Body::Chunked => Some(SkipReason::Chunked),
            Body::Partial => Some(SkipReason::Partial),
        };
        if let Some(reason) = reason {
            return self.visitor.note(Note::Skipped(skipped(
                reason,
                span.start,
                SkipScope::Part,
                frame,
            )));
        }
        let seal = seals.of_body(0);
        if let Some(reason) = seal {
            self.visitor.note(Note::Sealed(skipped(reason, span.start, SkipScope::Part, frame)));
        }
        self.show_up_to(bytes, span, true);
        let edits = match media {
            Media::Document(format) => {
                let policies = entity.fields.iter().filter(|field| field.is_named(POLICY, bytes));
                let policies = policies.filter_map(|field| field.short_value(bytes));
                let policies = policies.map(|value| String::from_utf8_lossy(value).into_owned());
                let (is_sealed, policies) = (seal.is_some(), policies.collect());
                self.part = PartFacts { is_sealed, policies, ..PartFacts::default() };
                let label = entity.content_type.charset.as_deref();
                let charset = label.and_then(|label| Charset::for_label(label.as_bytes()));
                self.whole(WholeDocument { format, bytes: body, charset, frame, place })
            }
            Media::Message(_) | Media::Http(_) => {
                let (part, context) = (&*joined(name, "1"), place.context);
                let there = place.new.map(|there| there.context);
                let (is_in_mailbox, depth) = (false, 1);
                let outer = Outer { context, there, frame, part, seal, is_in_mailbox, depth };
                self.message(body, outer)
            }
        };
        out.extend(edits.into_iter().map(|edit| shifted(edit, span.start)));
    }
}

/// The field with the security policy of a response.
const POLICY: &str = "Content-Security-Policy";

static NOTHING: Context<'static> = Context::none();

/// Returns the origin of the next response: the target of the `Location` of a redirect, resolved
/// against the URL that was redirected.
fn redirected(open: OpenResponse<'_>, own_url: Option<&str>, bases: Bases<'_>) -> Option<Origin> {
    let OpenResponse { bytes, response, name, .. } = open;
    let field = response.entity().field("Location", bytes)?;
    let text = url_of(field, bytes)?;
    let url = absolute(&text, own_url)?;
    let url = url.split('#').next().unwrap_or_default();
    // Nothing responds at `mailto:x`.
    Reference::split(url, Dialect::Rfc3986).authority()?;
    let of = |url: &str| {
        let context = retrieved(url, "Location").at(field.value.start, field.value.end);
        context.in_part(joined(name, "HEADER"))
    };
    let there = match bases {
        Bases::Follow(map) => Some(of(&map.url(url))),
        Bases::Stay(_) => Some(of(url)),
        Bases::Written(..) => None,
    };
    Some(Origin { here: of(url), there })
}

/// Returns the target of a text from a URL; without a URL, the text itself if it is absolute.
fn absolute(text: &str, base: Option<&str>) -> Option<String> {
    let mut url = String::new();
    match base {
        Some(base) => Resolver::new(base, Dialect::Rfc3986).ok()?.resolve(text).ok()?.url(),
        None => {
            urlcore::resolve_without_base(text, Dialect::Rfc3986, &mut url).ok()?;
            Some(url)
        }
    }
}

/// Returns the URL of the archived resource, which is the target of the link with the relation
/// `original` (RFC 7089 2.2.1) if that is absolute, and its counterpart in the output.
fn originals(open: OpenResponse<'_>, bases: Bases<'_>) -> (Context<'static>, Context<'static>) {
    let OpenResponse { bytes, response, .. } = open;
    let fields = response.entity().fields.iter().filter(|field| field.is_named("Link", bytes));
    let url = fields.filter_map(|field| field.short_value(bytes)).find_map(|value| {
        let value = String::from_utf8_lossy(value);
        let is_original = |link: &header::Link<'_>| {
            let rel = link.param("rel").unwrap_or_default();
            rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("original"))
        };
        let link = header::links(&value).find(is_original)?;
        absolute(&link.target.text, None)
    });
    let url_there = match bases {
        Bases::Follow(map) => url.as_deref().map(|url| map.url(url)),
        _ => url.clone(),
    };
    let of = |url: Option<String>| url.map_or(Context::none(), |url| retrieved(&url, "Link"));
    (of(url), of(url_there))
}
