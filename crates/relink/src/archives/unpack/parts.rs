//! The parts of a message that become files, and the URLs by which references reach them.

use std::borrow::Cow;
use std::collections::HashMap;

use basectx::Context;
use basectx::message::{
    Around, Contexts, Encoding, Entity, Message, MessageLimits, Undecoded, url_of,
};
use layers::{Charset, utf7};
use rewrite::{Limit, Media, Options, Resolver, Unit, references};
use urlcore::Dialect;

use super::ids::{self, unbracketed};
use super::keys::key;
use super::opening::Opening;
use super::targets::{UNKNOWN, UNKNOWN_DOCUMENT};

/// A message that was read, with the base contexts of its entities.
#[derive(Clone, Copy)]
pub(crate) struct Read<'m> {
    pub(crate) bytes: &'m [u8],
    pub(crate) message: &'m Message,
    pub(crate) contexts: &'m Contexts<'m>,
    pub(crate) options: &'m Options,
    /// Returns the content of a part that is in a file of its own, by its number and its name.
    pub(crate) detached: &'m Detached<'m>,
}

/// See [`Read::detached`].
pub(crate) type Detached<'d> = dyn Fn(&str, Option<&str>) -> Option<Vec<u8>> + 'd;

/// A part that becomes a file.
#[derive(Clone, Debug)]
pub(crate) struct MessagePart {
    /// The index of its entity.
    pub(crate) entity: usize,
    /// Its media type, in lower case.
    pub(crate) media_type: String,
    /// The keys of the URLs by which references reach it.
    pub(crate) keys: Vec<String>,
    /// What references by identifiers are compared with ([`ids`]).
    pub(crate) ids: Vec<String>,
    /// The name that the message gives it: that of its file, or the end of its URL.
    pub(crate) name: Option<String>,
    /// Its first decoded bytes.
    pub(crate) head: Vec<u8>,
    /// The entity of the innermost message that contains it: identifiers hold there first.
    pub(crate) scope: usize,
    /// True if its sender says that it is no body (RFC 2183, section 2.2).
    pub(crate) is_attachment: bool,
    /// What a browser makes of its file, if it is a part of mail.
    pub(crate) opening: Opening,
}

impl MessagePart {
    /// Returns true if it is a page of HTML.
    pub(crate) fn is_html(&self) -> bool {
        Media::from_name(&self.media_type) == Some(Media::HTML)
    }
}

/// Header fields of mail that saved pages do not have.
const SENT: [&str; 10] = [
    "Received",
    "To",
    "Cc",
    "Bcc",
    "Delivered-To",
    "Return-Path",
    "Reply-To",
    "DKIM-Signature",
    "Authentication-Results",
    "X-Original-To",
];

/// The number of bytes by which the type of a part is found.
const HEAD: usize = 512;

/// Calls `act` with a message.
pub(crate) fn read<T>(
    unit: Unit<'_>,
    options: &Options,
    detached: &Detached<'_>,
    act: impl FnOnce(Read<'_>) -> T,
) -> T {
    let get = |limit| options.limits.get(limit);
    let limits = MessageLimits {
        depth: get(Limit::PartDepth),
        entities: get(Limit::Parts),
        field: get(Limit::FieldSize),
    };
    let bytes = unit.bytes;
    let message = Message::read_within(bytes, limits);
    let contexts = Contexts::new(&message, options.mail.profile);
    let unknown = UNKNOWN_DOCUMENT.parse().ok().map(|url| Context::retrieval(url, "message"));
    let context = unknown.as_ref().filter(|_| unit.context.base().is_none());
    let context = context.unwrap_or(unit.context);
    let around = Around { context, part: "", raw: &|span| span };
    drop(contexts.fill(&message, bytes, around));
    act(Read { bytes, message: &message, contexts: &contexts, options, detached })
}

impl<'m> Read<'m> {
    pub(crate) fn entity(&self, idx: usize) -> &'m Entity {
        &self.message.entities[idx]
    }

    /// Returns the text of a header field of an entity.
    pub(crate) fn text(&self, idx: usize, field: &str) -> Option<String> {
        let text = self.entity(idx).field(field, self.bytes)?.text(self.bytes);
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Returns the decoded body of an entity as text, or `None` if it is in a charset that is not
    /// read.
    pub(crate) fn body_text(&self, idx: usize) -> Option<String> {
        let body = self.body(idx);
        let label = self.entity(idx).content_type.charset.as_deref();
        if label.is_some_and(utf7::is_label) {
            return Some(utf7::decode(&body));
        }
        let charset = label.and_then(|label| Charset::for_mail_label(label.as_bytes()));
        let marked = Charset::for_mail_bom(&body);
        // A charset that is not known is guessed, as a reader of mail does.
        let charset = charset
            .filter(|charset| *charset != Charset::UTF_8 || std::str::from_utf8(&body).is_ok());
        let guess = || {
            let guess = Charset::detect(&body, std::iter::once(&*body));
            if guess.is_supported() { guess } else { Charset::WINDOWS_1252 }
        };
        let guessed = || (charset.unwrap_or_else(guess), 0);
        let (charset, n) = marked.unwrap_or_else(guessed);
        let is_read = charset.is_supported() || charset.reads_as_whole();
        is_read.then(|| charset.decode(&body[n..]).text.into_owned())
    }

    /// Returns the decoded body of an entity.
    pub(crate) fn body(&self, idx: usize) -> Cow<'m, [u8]> {
        self.body_and_rest(idx).0
    }

    /// Returns the decoded body of an entity, and what of it is not decoded.
    pub(crate) fn body_and_rest(&self, idx: usize) -> (Cow<'m, [u8]>, Option<Undecoded>) {
        if self.is_detached(idx) {
            return (self.detached(idx).unwrap_or_default().into(), None);
        }
        let entity = self.entity(idx);
        entity.encoding.decode_all(entity.body.slice(self.bytes))
    }

    /// Returns the parts of the message that become files, in its order.
    pub(crate) fn parts(&self) -> Vec<MessagePart> {
        // A message in the message is a file, and so is each of its parts.
        let is_file = |idx: &usize| {
            let entity = self.entity(*idx);
            let is_file = entity.children.is_empty() || (entity.is_message() && *idx > 0);
            is_file && !self.is_absent(*idx)
        };
        let mut parts: Vec<MessagePart> =
            (0..self.message.entities.len()).filter(is_file).map(|idx| self.part(idx)).collect();
        // Programs write locations relative to the page, without saying so.
        let page = self.contexts.get(self.root()).and_then(Context::base);
        let page = page.and_then(|base| Resolver::new(base, Dialect::Web).ok());
        for part in &mut parts {
            let first = part.keys.first();
            let relative = first.filter(|key| key.starts_with(UNKNOWN));
            let location = relative.and_then(|_| self.typed_location(part.entity));
            let url = location
                .zip(page.as_ref())
                .and_then(|(location, page)| page.resolve(&location).ok()?.url());
            part.keys.extend(url.as_deref().map(key).filter(|key| !key.starts_with(UNKNOWN)));
        }
        parts
    }

    /// Returns the entity whose header section is that of the innermost message that contains an
    /// entity.
    pub(super) fn scope(&self, idx: usize) -> usize {
        let mut at = idx;
        while let Some(parent) = self.entity(at).parent {
            if self.entity(parent).is_message() {
                break;
            }
            at = parent;
        }
        at
    }

    /// Returns the identifier of a message, given the entity with its header section.
    fn message_id(&self, idx: usize) -> Option<String> {
        self.text(idx, "Message-ID").map(|id| unbracketed(&id).to_owned())
    }

    fn part(&self, idx: usize) -> MessagePart {
        let scope = self.scope(idx);
        let entity = self.entity(idx);
        let mut keys = Vec::new();
        let location = self.location(idx);
        keys.extend(location.as_deref().map(key));
        let describing = || self.describing(idx);
        let mut own_ids = describing().filter_map(|idx| self.text(idx, "Content-ID"));
        let id = own_ids.next();
        // A file from a Macintosh may have one as a whole, too.
        let whole_id = own_ids.next();
        let whole_id = whole_id.as_deref().map(unbracketed);
        if let Some(id) = id.as_deref().map(unbracketed) {
            keys.extend(self.message_id(scope).map(|message| format!("mid:{message}/{id}")));
        }
        if let (true, Some(inner)) = (entity.is_message(), entity.children.first()) {
            keys.extend(self.message_id(*inner).map(|message| format!("mid:{message}")));
        }
        let name = describing().find_map(|idx| self.entity(idx).file_name(self.bytes));
        let other_id = describing().find_map(|idx| self.text(idx, "X-Attachment-Id"));
        // A reference to a part whose content has a URL leads there.
        let ids = match self.external(idx) {
            Some(_) => Vec::new(),
            None => {
                let names = name.iter().chain(&other_id).map(String::as_str);
                ids::of_part(id.as_deref(), names.chain(whole_id))
            }
        };
        let is_attachment = self.is_attachment(idx);
        let name = name.or_else(|| location.as_deref().and_then(name_of_url));
        let start = match self.is_detached(idx) {
            true => self.body(idx),
            false => start_of(&entity.encoding, entity.body.slice(self.bytes)),
        };
        let head = start[..start.len().min(HEAD)].to_vec();
        let media_type = if self.has_no_type(idx) && is_attachment {
            "application/octet-stream".to_owned()
        } else {
            entity.content_type.media_type.clone()
        };
        let opening = Opening::of(&media_type, &head, name.as_deref(), || self.body(idx));
        MessagePart {
            entity: idx,
            media_type,
            keys,
            ids,
            name,
            head,
            scope,
            is_attachment,
            opening,
        }
    }

    /// Returns the entities whose header sections describe a part: its own, and of the two parts of
    /// a file from a Macintosh, the one with its content also has that of the whole (RFC 1740).
    fn describing(&self, idx: usize) -> impl Iterator<Item = usize> {
        let entity = self.entity(idx);
        let whole = entity.parent.filter(|_| entity.ordinal == 1);
        let is_double = |idx: &usize| self.is_double(*idx);
        std::iter::once(idx).chain(whole.filter(is_double))
    }

    /// Returns true if an entity contains a file from a Macintosh: its resources, and its content.
    fn is_double(&self, idx: usize) -> bool {
        self.entity(idx).content_type.media_type == "multipart/appledouble"
    }

    /// Returns true if a sender says that an entity is no body, or gives it a name and a type that
    /// is none.
    fn is_attachment(&self, idx: usize) -> bool {
        let disposition = self.text(idx, "Content-Disposition").unwrap_or_default();
        let word = disposition.split(';').next().unwrap_or_default().trim();
        let has_name = || self.entity(idx).file_name(self.bytes).is_some();
        word.eq_ignore_ascii_case("attachment") || (self.has_no_type(idx) && has_name())
    }

    /// Returns true if an entity has a media type that is none, such as `pdf`.
    fn has_no_type(&self, idx: usize) -> bool {
        let is_default = self.entity(idx).content_type.is_default;
        is_default && self.text(idx, "Content-Type").is_some_and(|text| !text.starts_with(';'))
    }

    /// Returns the `Content-Location` of an entity as written.
    fn typed_location(&self, idx: usize) -> Option<String> {
        url_of(self.entity(idx).field("Content-Location", self.bytes)?, self.bytes)
    }

    /// Returns the URL of the `Content-Location` of an entity.
    fn location(&self, idx: usize) -> Option<String> {
        let url = self.typed_location(idx)?;
        let base = self.contexts.of_location(self.message, idx).and_then(Context::base);
        let resolved =
            base.and_then(|base| Resolver::new(base, Dialect::Web).ok()?.resolve(&url).ok()?.url());
        Some(resolved.unwrap_or(url))
    }

    /// Returns the part that a reader of the message shows first: of a `multipart/related` its root
    /// (RFC 2387, section 3.2), of alternatives the last one that a reader shows, else the first.
    pub(crate) fn root(&self) -> usize {
        let mut at = 0;
        loop {
            let entity = self.entity(at);
            let first = entity.children.first();
            let next = match &*entity.content_type.media_type {
                "multipart/alternative" => {
                    let is_shown = |child: &&usize| self.is_shown(**child);
                    entity.children.iter().rfind(is_shown).or(entity.children.last())
                }
                "multipart/appledouble" => entity.children.get(1).or(first),
                "multipart/related" => {
                    let start = entity.content_type.start.as_deref().map(unbracketed);
                    let is_start = |child: &&usize| {
                        let id = self.text(**child, "Content-ID");
                        id.as_deref().map(unbracketed) == start
                    };
                    let found = start.and_then(|_| entity.children.iter().find(is_start));
                    found.or(first)
                }
                _ => entity.children.iter().find(|child| !self.is_attachment(**child)).or(first),
            };
            match next {
                Some(next) => at = *next,
                None => return at,
            }
        }
    }

    /// Returns true if a part is what a reader of mail shows as the body, or has no name.
    pub(crate) fn may_be_body(&self, part: &MessagePart) -> bool {
        let is_text = part.media_type.starts_with("text/") || self.is_shown(part.entity);
        !part.is_attachment && (is_text || part.name.is_none())
    }

    /// Returns true if a reader of mail shows an entity as a body: an invitation, for example, is
    /// an alternative for programs.
    fn is_shown(&self, idx: usize) -> bool {
        let media_type = &*self.entity(idx).content_type.media_type;
        let is_page = matches!(Media::from_name(media_type), Some(Media::HTML | Media::XML));
        is_page || media_type == "text/plain" || media_type.starts_with("multipart/")
    }

    /// Returns true if Blink saved the message.
    pub(crate) fn is_of_blink(&self) -> bool {
        self.entity(0).field("Snapshot-Content-Location", self.bytes).is_some()
    }

    /// Returns true if the message is a saved page (MHTML) and not mail, in which no script may
    /// run. A name that is that of one of them decides.
    pub(crate) fn is_page(&self, has_page_name: bool, has_mail_name: bool) -> bool {
        let entity = self.entity(0);
        let is_aggregate = entity.content_type.media_type == "multipart/related";
        let root = &self.entity(self.root()).content_type.media_type;
        let is_sent = SENT.iter().any(|name| entity.field(name, self.bytes).is_some());
        let has_page = self.is_of_blink() || (is_aggregate && Media::from_name(root).is_some());
        has_page_name || (has_page && !is_sent && !has_mail_name)
    }

    /// Returns the bases of the style sheets that were inside of documents, by the keys of their
    /// URLs: those of the documents. Browsers save `<style>` as a part whose `Content-Location` is
    /// a `cid:` URL.
    pub(crate) fn bases_of_styles(&self) -> HashMap<String, usize> {
        let mut bases = HashMap::new();
        let has_styles = self.message.leaves().any(|idx| self.is_inline_style(idx));
        let documents = self.message.leaves().filter(|idx| {
            let media_type = &self.entity(*idx).content_type.media_type;
            has_styles && matches!(Media::from_name(media_type), Some(Media::HTML | Media::XML))
        });
        for idx in documents {
            let Some(context) = self.contexts.get(idx) else { continue };
            let media_type = &self.entity(idx).content_type.media_type;
            let Some(media) = Media::from_name(media_type) else { continue };
            let body = self.body(idx);
            let unit = Unit::new(&body, media, context);
            drop(references(unit, self.options, |site| {
                if let Some(target) = site.target().filter(|target| is_id(target)) {
                    bases.entry(key(&target)).or_insert(idx);
                }
            }));
        }
        bases
    }

    /// Returns true if a part is a style sheet that was inside of a document.
    pub(crate) fn is_inline_style(&self, idx: usize) -> bool {
        let is_css = self.entity(idx).content_type.media_type == "text/css";
        is_css && self.location(idx).is_some_and(|url| is_id(&url))
    }

    /// Returns the URL of the body of an entity, if it is known.
    pub(crate) fn own_url(&self, idx: usize) -> Option<String> {
        self.contexts.own_url(self.message, idx, self.bytes)
    }
}

/// Returns the first decoded bytes of a body, [`HEAD`] at least, or all of them. Most bodies are
/// decoded again when their files are written.
fn start_of<'b>(encoding: &Encoding, raw: &'b [u8]) -> Cow<'b, [u8]> {
    // Up to the end of a line, the lines after it change nothing.
    let is_in_lines = matches!(encoding, Encoding::QuotedPrintable | Encoding::Base64);
    let rest = raw.get(4 * HEAD..).filter(|_| is_in_lines);
    let end = rest.and_then(|rest| memchr::memchr(b'\n', rest)).map(|at| 4 * HEAD + at + 1);
    let start = end.map(|end| encoding.decode_all(&raw[..end]).0);
    start.filter(|start| start.len() >= HEAD).unwrap_or_else(|| encoding.decode_all(raw).0)
}

/// Returns true for a `cid:` URL.
fn is_id(url: &str) -> bool {
    url.split_once(':').is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case("cid"))
}

/// Returns the last segment of the path of a URL with its query, if it names a file.
pub(crate) fn name_of_url(url: &str) -> Option<String> {
    let url = url.split('#').next().unwrap_or_default();
    let (scheme, rest) = url.split_once(':')?;
    if !["http", "https", "ftp", "file"].contains(&&*scheme.to_ascii_lowercase()) {
        return None;
    }
    let (path, query) = rest.split_at(rest.find('?').unwrap_or(rest.len()));
    let path =
        path.strip_prefix("//").map_or(path, |rest| rest.find('/').map_or("", |at| &rest[at..]));
    let segment = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let segment = urlcore::escape::percent_decode(segment);
    let name = format!("{}{query}", String::from_utf8_lossy(&segment));
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_of_a_body_is_the_start_of_all_of_it() {
        let lines = [
            "a=3Db=\n",
            "YWJj  =\r\n",
            "=\n",
            "QUJD\r\n",
            " \t\n",
            "=C3=\n",
            "\n",
            "-=\n",
            "====\n",
        ];
        let mut seed = 7_u64;
        for n_lines in (0..2_000).step_by(37) {
            let mut raw = String::new();
            for _ in 0..n_lines {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                raw.push_str(lines[(seed >> 33) as usize % lines.len()]);
            }
            for encoding in [Encoding::Identity, Encoding::QuotedPrintable, Encoding::Base64] {
                let (start, all) =
                    (start_of(&encoding, raw.as_bytes()), encoding.decode_all(raw.as_bytes()).0);
                let n = all.len().min(HEAD);
                assert!(start.len() >= n && start[..n] == all[..n], "{encoding:?} {raw:?}");
            }
        }
    }
}
