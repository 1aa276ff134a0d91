//! The walk through one document: its charset, its bases, and its values.
//!
//! Texts inside of it that contain values are walked too: fragments, lists, style sheets, embedded
//! documents.

use layers::{Charset, Edit, Guards, Layer, Span};

use crate::format::found::{Against, Found, Value};
use crate::format::spec::{FormatId, FormatReader, FoundIn};
use crate::format::{self, html};
use crate::options::{AvailableMemory, Integrity, Options};
use crate::report::skip::SkipReason;
use crate::report::{Note, ReadBy, SkipScope};
use crate::slots::{Fetch, SlotId, Syntax};
use crate::unit::Media;
use crate::walk::frame::{Frame, InCharset};
use crate::walk::scope::{Place, Scope, Scopes};
use crate::walk::{EditedReference, Text, Walk, charset, decode, made, shifted, skipped};

/// The bytes of the values of a page that are kept to verify its output: those of a large page
/// would take more memory than its edits.
const MOST_KEPT: usize = 1 << 20;

/// A document whose bytes are the whole file or the whole body of a part.
#[derive(Clone, Copy)]
pub(crate) struct WholeDocument<'w> {
    pub(crate) format: FormatId,
    pub(crate) bytes: &'w [u8],
    /// The charset, if the container of the document declares it.
    pub(crate) charset: Option<Charset>,
    pub(crate) frame: &'w Frame<'w>,
    pub(crate) place: Place<'w>,
}

/// The values of a page that the fast engine read.
pub(crate) struct PageValues {
    pub(crate) found: Found,
    /// The offset of the text of the page in the file.
    pub(crate) start: usize,
}

impl Walk<'_> {
    /// Walks a document from its first byte to its last.
    pub(crate) fn whole(&mut self, whole: WholeDocument<'_>) -> Vec<Edit> {
        let is_mail = whole.frame.part().is_some();
        let (charset, bom) = charset::detect(whole.format, whole.bytes, whole.charset, is_mail);
        let is_certain = bom > 0 || whole.charset.is_some();
        self.has_known_uses = false;
        let raw = &whole.bytes[bom..];
        self.visitor.outside(&whole.bytes[..bom]);
        let outer = whole.frame.at(Span::new(bom, whole.bytes.len()));
        let place = whole.place;
        let text = Text {
            bytes: raw,
            charset,
            query_charset: charset,
            frame: &outer,
            own_url: place.own_url,
            new_url: place.new_url(),
            new_root: place.new_root(),
            depth: 0,
            is_read_elsewhere: false,
        };
        let edits = if charset.reads_as_whole() {
            self.decoded_whole(whole.format, text, place)
        } else if charset.is_supported() {
            self.read(whole.format, text, is_certain, place)
        } else {
            self.skip(SkipReason::Charset, Text { frame: whole.frame, ..text });
            Vec::new()
        };
        edits.into_iter().map(|edit| shifted(edit, bom)).collect()
    }

    /// Walks a document in a charset in which ASCII bytes may be part of other characters: the
    /// whole document is decoded first.
    fn decoded_whole(&mut self, format: FormatId, text: Text<'_>, place: Place<'_>) -> Vec<Edit> {
        self.is_page = false;
        let Text { bytes: raw, charset, .. } = text;
        let decoded = charset.decode(raw);
        if !self.spend(made(&decoded)) {
            self.skip(self.too_large(), text);
            return Vec::new();
        }
        let memory = decoded.memory();
        if !self.take_memory(memory) {
            return Vec::new();
        }
        let whole = InCharset { charset, raw, map: &decoded.map };
        let frame = text.frame.in_charset(&whole);
        let bytes = decoded.text.as_bytes();
        let inner = Text { bytes, charset: Charset::UTF_8, frame: &frame, ..text };
        let edits = self.read(format, inner, true, place);
        let mut out = Vec::new();
        self.lift(Layer::Text, raw, charset, &decoded, edits, Guards::default(), 0, &mut out);
        self.give_back_memory(memory);
        out
    }

    /// Walks a document as its format is read.
    fn read(
        &mut self,
        format: FormatId,
        text: Text<'_>,
        is_certain: bool,
        place: Place<'_>,
    ) -> Vec<Edit> {
        match format.spec().reader {
            FormatReader::Html => self.html(text, is_certain, place),
            FormatReader::Text(find) => self.decoded(format, find, text, place),
        }
    }

    /// Walks HTML. A charset that is certain is not changed by a `<meta>`.
    fn html(&mut self, text: Text<'_>, is_certain: bool, place: Place<'_>) -> Vec<Edit> {
        let (found, is_fast) = match self.known.take() {
            Some(found) => (found, true),
            None => match self.find_by(text, false) {
                Some((found, engine)) => (found, engine == ReadBy::Fast),
                None => return Vec::new(),
            },
        };
        let text = match found.charset.filter(|_| !is_certain) {
            Some(charset) => Text { charset, query_charset: charset, ..text },
            None => text,
        };
        if !text.charset.is_supported() {
            self.skip(SkipReason::Charset, text);
            return Vec::new();
        }
        self.has_known_uses = has_known_uses(text.bytes, &found);
        let after = place.after(self.dialect);
        let scope = place.scope(after.as_ref(), self.dialect);
        let edits = self.found_document(Media::HTML, text, &found, &scope, None);
        if self.is_page && is_fast && found.memory() <= MOST_KEPT {
            let start = text.frame.raw(Span::default()).start;
            self.page = Some(PageValues { found, start });
        }
        edits
    }

    /// Walks a document that is decoded before it is read. Reports it if it cannot be read.
    fn decoded(
        &mut self,
        format: FormatId,
        find: fn(&str, &Options, AvailableMemory) -> FoundIn,
        text: Text<'_>,
        place: Place<'_>,
    ) -> Vec<Edit> {
        let Text { bytes: raw, charset, .. } = text;
        let decoded = charset.decode(raw);
        let memory = decoded.memory();
        if !self.take_memory(memory) {
            return Vec::new();
        }
        let frame = text.frame.inside(&decoded.map, Span::new(0, raw.len()), None);
        let dialect = format.spec().dialect.unwrap_or(self.dialect);
        let after = place.after(dialect);
        let scope = place.scope(after.as_ref(), dialect);
        let inner =
            Text { bytes: decoded.text.as_bytes(), charset: Charset::UTF_8, frame: &frame, ..text };
        let found = find(&decoded.text, self.options, self.available_memory());
        let edits = match self.read_values(found, inner) {
            Some(found) => {
                self.found_document(Media::Document(format), inner, &found, &scope, None)
            }
            None => Vec::new(),
        };
        let mut out = Vec::new();
        self.lift(Layer::Text, raw, charset, &decoded, edits, Guards::default(), 0, &mut out);
        self.give_back_memory(memory);
        out
    }

    /// Decodes and walks a value that is written in pieces, without the text between them, and
    /// lifts its edits.
    pub(crate) fn cut(
        &mut self,
        text: Text<'_>,
        value: &Value,
        (layer, gaps): &(Layer, Vec<Span>),
        scopes: Scopes<'_>,
        out: &mut Vec<Edit>,
    ) {
        let raw = value.span.slice(text.bytes);
        let decoded = layer.decode_without(raw, text.charset, gaps);
        let memory = decoded.memory();
        if !self.take_memory(memory) {
            return;
        }
        if self.wanted.outside {
            gaps.iter().for_each(|gap| self.visitor.outside(gap.slice(raw)));
        }
        let n_edited = self.edited.len();
        self.decoded_value(text, value, *layer, (&decoded, gaps), scopes, out);
        let raw_gap = |gap: &Span| text.frame.raw(gap.shifted(value.span.start));
        let has_gap = |edited: &&EditedReference| {
            let idx = gaps.partition_point(|gap| raw_gap(gap).start <= edited.span.start);
            gaps.get(idx).is_some_and(|gap| raw_gap(gap).end <= edited.span.end)
        };
        // The gap in it is compared too if the bytes around it alone do not verify the output.
        if let Some(edited) = self.edited[n_edited..].iter().find(has_gap).copied() {
            self.edited.push(edited);
        }
        self.give_back_memory(memory);
    }

    /// Finds the values in a text of a syntax. Reports the text if it cannot be read.
    pub(crate) fn find_in(
        &mut self,
        syntax: Syntax,
        text: Text<'_>,
        decoded: &str,
        slot: SlotId,
    ) -> Option<Found> {
        let found = format::find(syntax, decoded, slot, self.options, self.available_memory());
        self.read_values(found, text)
    }

    /// Returns the values that were found in a text. Reports the text if it cannot be read.
    fn read_values(&mut self, found: FoundIn, text: Text<'_>) -> Option<Found> {
        match found {
            Ok(found) if found.values.is_full() => {
                self.stop_for_memory();
                None
            }
            Ok(found) => {
                self.note_skipped_inside(&found, text);
                Some(found)
            }
            Err((reason, at)) => {
                self.skip_at(reason, at, text);
                None
            }
        }
    }

    /// Finds the values in an HTML document. Reports the document if it cannot be read.
    pub(crate) fn find(&mut self, text: Text<'_>, is_srcdoc: bool) -> Option<Found> {
        self.find_by(text, is_srcdoc).map(|(found, _)| found)
    }

    /// Finds the values in an HTML document, and returns them with the engine that read it. Reports
    /// the document if it cannot be read.
    fn find_by(&mut self, text: Text<'_>, is_srcdoc: bool) -> Option<(Found, ReadBy)> {
        let is_in_srcdoc = self.options.opt_in.ssi
            && text.frame.embedded().iter().any(|(slot, _)| *slot == SlotId::IFRAME_SRCDOC);
        let options = html::ParseOptions::new(self.options, is_in_srcdoc);
        let (found, engine) =
            html::find(text.bytes, is_srcdoc, options, self.engine, self.available_memory());
        self.visitor.note(Note::ReadBy(engine));
        match found {
            Ok(found) if found.values.is_full() => {
                self.stop_for_memory();
                None
            }
            Ok(found) => {
                self.note_skipped_inside(&found, text);
                Some((found, engine))
            }
            Err(reason) => {
                self.skip(reason, text);
                None
            }
        }
    }

    /// Reports the embedded documents of a text that are not read.
    pub(crate) fn note_skipped_inside(&mut self, found: &Found, text: Text<'_>) {
        for (reason, at) in &found.skipped {
            let at = text.frame.raw(Span::new(*at, *at)).start;
            self.visitor.note(Note::Skipped(skipped(*reason, at, SkipScope::Embedded, text.frame)));
        }
    }

    /// Reports that a text is not read.
    pub(crate) fn skip(&mut self, reason: SkipReason, text: Text<'_>) {
        self.skip_at(reason, 0, text);
    }

    /// Reports that a text is not read because of the content at `at`.
    pub(crate) fn skip_at(&mut self, reason: SkipReason, at: usize, text: Text<'_>) {
        // The whole unit is skipped.
        if self.is_stopped() {
            return;
        }
        self.visitor.outside(text.bytes);
        let at = text.frame.raw(Span::new(at, at)).start;
        let extent = match text.frame.part() {
            _ if text.depth > 0 => SkipScope::Embedded,
            Some(_) => SkipScope::Part,
            None => SkipScope::Unit,
        };
        self.visitor.note(Note::Skipped(skipped(reason, at, extent, text.frame)));
    }
}

/// Returns true if all uses of the custom properties of a page are in it, and have one base: it
/// loads no style sheet, has no script that could use one, and no base begins between its styles.
fn has_known_uses(page: &[u8], found: &Found) -> bool {
    let contains = |page: &[u8], text: &str| memchr::memmem::find(page, text.as_bytes()).is_some();
    let has = |text| contains(page, text);
    let is_css = |value: &Value| matches!(value.syntax, Syntax::Stylesheet | Syntax::Declarations);
    let has_one_base = |first| found.bases.iter().all(|base| base.from < first);
    let defines_function =
        |value: &Value| is_css(value) && contains(value.span.slice(page), "@function");
    // Most pages load a style sheet, and most others use no property. A function may be used
    // without `var()`.
    !found.values.iter().any(|value| value.fetch == Some(Fetch::StyleSheet))
        && found.values.iter().position(is_css).is_some_and(has_one_base)
        && (has("var(") || found.values.iter().any(defines_function))
        && !has("<script")
        && !has("<SCRIPT")
        && !has("@import")
}

impl Walk<'_> {
    pub(crate) fn fragment(&mut self, text: Text<'_>, scopes: Scopes<'_>) -> Vec<Edit> {
        if text.depth > self.max_depth || self.is_stopped() {
            self.too_deep(text);
            return Vec::new();
        }
        let Some(found) = self.find(text, false) else { return Vec::new() };
        self.values(text, &found, scopes, None)
    }

    /// Walks a text that contains values: a list, a style sheet, an embedded document.
    pub(crate) fn text(
        &mut self,
        text: Text<'_>,
        decoded: &str,
        syntax: Syntax,
        slot: SlotId,
        scopes: Scopes<'_>,
    ) -> Vec<Edit> {
        if text.depth > self.max_depth || self.is_stopped() {
            self.too_deep(text);
            return Vec::new();
        }
        match syntax {
            Syntax::Html => {
                // Browsers differ in the base that it has. On an error page it has one at each URL.
                let has_two_bases = scopes.other.is_some() && self.elsewhere.is_none();
                if has_two_bases || self.visitor.is_unread() {
                    self.skip(SkipReason::TwoBases, text);
                    return Vec::new();
                }
                // Its contexts have the URLs of those around it.
                let around = [Some(scopes.base), scopes.other];
                let bases = around.iter().flatten().filter_map(|scope| scope.context.base());
                if self.past_deadline() || !self.charge(bases.map(str::len).sum()) {
                    return Vec::new();
                }
                // The document that the frame decodes, including quotes and escapes.
                let at = text.frame.embedded().last().map_or(Span::default(), |(_, span)| *span);
                let origin = slot.row().map_or("", |slot| slot.name);
                let (context, after) = scopes.base.enclosed(origin);
                let context = context.at(at.start, at.end);
                let scope_after = |context| Scope::new(context, self.dialect, text.new_url);
                let after = after.as_ref().map(scope_after);
                let own = Scope::new(&context, self.dialect, text.own_url);
                let is_emptied = scopes.base.is_emptied;
                let fallback = Scope { is_emptied, after: after.as_ref(), ..own };
                let other = scopes.other.map(|other| other.enclosed(origin));
                let other_after = other.as_ref().and_then(|(_, after)| after.as_ref());
                let other_after = other_after.map(scope_after);
                let other = other.as_ref().map(|(context, _)| {
                    let other = Scope::new(context, self.dialect, text.own_url);
                    Scope { after: other_after.as_ref(), ..other }
                });
                if let Some(scope) = scopes.by_xml_base {
                    self.compare_bases(scopes.base, scope, text.frame);
                }
                let Some(found) = self.find(text, true) else { return Vec::new() };
                let other = other.as_ref();
                return self.found_document(Media::HTML, text, &found, &fallback, other);
            }
            Syntax::HtmlFragment => return self.fragment(text, scopes),
            _ => {}
        }
        match self.find_in(syntax, text, decoded, slot) {
            Some(found) => self.values(text, &found, scopes, None),
            None => Vec::new(),
        }
    }
}

// Conditions on what a document loads: which of them are values, and the URL that each is about.

impl Walk<'_> {
    /// Returns false for a condition on what is loaded, if conditions stay. From a disk, no module
    /// is loaded, and there are no header fields.
    #[inline]
    pub(crate) fn reads(&self, value: &Value) -> bool {
        match (value.against, self.options.integrity) {
            (Against::LoadOf(_), Integrity::Keep) => false,
            (Against::LoadOf(_), Integrity::Remove) => {
                ![SlotId::IMPORTMAP_DIGEST, SlotId::HEADERS_DIGEST].contains(&value.slot)
            }
            _ => !value.slot.is_policy() || self.text_digests.is_some(),
        }
    }
}

/// Returns the URL that a reference loads, as a browser requests it.
pub(crate) fn url(text: Text<'_>, value: &Value, scope: &Scope<'_>) -> Option<String> {
    let decoded = decode(value, text).text;
    let reference = format::url(&decoded);
    let reference = &decoded[reference.start..reference.end];
    let mut url = scope.resolver.as_ref()?.resolve(reference).ok()?.url()?;
    url.truncate(url.find('#').unwrap_or(url.len()));
    let charset = value.slot.query_charset(value.syntax, text.query_charset);
    Some(charset.escape_query(&url).into_owned())
}
