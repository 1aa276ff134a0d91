//! Layers: the encodings of a text in the bytes around it, and the lifting of edits of the text to
//! edits of those bytes.
//!
//! Invariant: decoding the raw bytes with the lifted edits applied gives the decoded text with the
//! edits applied, or the edit is refused. Spans are widened to whole units first; the guards check
//! the bytes before and after.

use std::sync::Arc;

use crate::charref::{self, CharrefPlace};
use crate::charset::{Charset, CharsetKind, iso2022_jp_lift};
use crate::css::{self, CssForm};
use crate::field::{self, Blanks};
use crate::js::{self, JsQuote};
use crate::json;
use crate::map::{Builder, Decoded};
use crate::markdown::{self, MarkdownForm};
use crate::span::{Guards, Lifted, Unliftable};
use crate::xml::{self, XmlNames, XmlPlace};
use crate::{Edit, Span, field_code, flowed, wrapped};

/// The delimiters of an attribute value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quote {
    /// `name="value"`
    Double,
    /// `name='value'`
    Single,
    /// `name=value`
    None,
    /// `name=` and then the end of the tag: the value is empty, and anything written needs quotes.
    Missing,
    /// `name` alone: the value is empty, and anything written needs `=` and quotes.
    NameOnly,
}

/// An encoding of a text in the bytes around it.
///
/// # Examples
///
/// ```
/// use relink_layers::{Charset, Edit, Edits, Guards, Layer, Span};
///
/// let raw = br#"a\/b\u0063"#;
/// let decoded = Layer::Json.decode(raw, Charset::UTF_8);
/// assert_eq!(decoded.text, "a/bc");
/// let edit = Edit { span: Span::new(3, 4), text: b"\"d\"".as_slice().into(), id: 0 };
/// let lifted = Layer::Json.lift(raw, Charset::UTF_8, &decoded, &[edit], Guards::default());
/// assert!(lifted.refused.is_empty());
/// assert_eq!(Edits::new(lifted.edits, raw.len())?.apply(raw), br#"a\/b\"d\""#);
/// # Ok::<(), relink_layers::Disorder>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Characters of a charset, nothing escaped: a style sheet, the text of a raw text element.
    Text,
    /// An HTML attribute value.
    Attribute(Quote),
    /// Text of an element in which character references are decoded (`style` of SVG).
    Content,
    /// A string or a bare `url()` of a style sheet.
    Css(CssForm),
    /// An attribute value or a text of XML.
    Xml(XmlPlace, XmlNames),
    /// The content of a CDATA section.
    CData,
    /// The content of a string of JSON.
    Json,
    /// The value of a header field.
    Field(Blanks),
    /// An argument of a field code of a word processor.
    FieldCode,
    /// A string of ECMAScript.
    JsString(JsQuote),
    /// A link destination of Markdown.
    Markdown(MarkdownForm),
    /// A URL between delimiters in running text.
    Wrapped,
    /// A text of `format=flowed`.
    Flowed {
        /// True if the space before a soft line break is not text (`DelSp=yes`).
        deletes_space: bool,
    },
}

impl Layer {
    /// Decodes raw bytes of this layer; borrows them if nothing is escaped.
    pub fn decode(self, raw: &[u8], charset: Charset) -> Decoded<'_> {
        match self {
            Layer::Text => charset.decode(raw),
            Layer::Attribute(_) => charref::decode(raw, charset, CharrefPlace::Attribute),
            Layer::Content => charref::decode(raw, charset, CharrefPlace::Text),
            Layer::Field(blanks) => field::decode(raw, blanks),
            _ => self.decode_text(std::str::from_utf8(raw).unwrap_or_default()),
        }
    }

    /// Decodes raw bytes without the gaps in them, which are sorted, disjoint, and not inside of an
    /// escape.
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_layers::{Charset, Layer, Span};
    /// let gaps = [Span::new(0, 2), Span::new(4, 6)];
    /// assert_eq!(Layer::Text.decode_without(b"> a\n> b", Charset::UTF_8, &gaps).text, "a\nb");
    /// ```
    pub fn decode_without(self, raw: &[u8], charset: Charset, gaps: &[Span]) -> Decoded<'static> {
        let mut builder = Builder::with_capacities(raw.len(), gaps.len());
        let mut at = 0;
        for gap in gaps {
            builder.decoded(at, &self.decode(&raw[at..gap.start], charset));
            builder.unit(*gap, "");
            at = gap.end;
        }
        builder.decoded(at, &self.decode(&raw[at..], charset));
        builder.finish()
    }

    /// Decodes a layer inside a text that has already been decoded from its charset, so that its
    /// bytes are UTF-8.
    fn decode_text(self, text: &str) -> Decoded<'_> {
        match self {
            Layer::Css(form) => css::decode(text, form),
            Layer::Xml(place, names) => xml::decode(text, place, names),
            Layer::Json => json::decode(text),
            Layer::FieldCode => field_code::decode(text),
            Layer::JsString(_) => js::decode(text),
            Layer::Markdown(_) => markdown::decode(text),
            Layer::Wrapped => wrapped::decode(text),
            Layer::Flowed { deletes_space } => flowed::decode(text, deletes_space),
            _ => Decoded::plain(text),
        }
    }

    /// Lifts sorted, disjoint edits of `decoded.text` to edits of `raw`, in one pass.
    ///
    /// `raw` must be the bytes from which `decoded` was decoded, in the same layer and charset. In
    /// a charset that [reads as a whole](Charset::reads_as_whole) only [`Layer::Text`] lifts, and
    /// only edits of the whole document.
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_layers::{Charset, Edit, Edits, Guards, Layer, Quote, Span};
    /// let (raw, layer) = (b"a?b&amp;c".as_slice(), Layer::Attribute(Quote::Double));
    /// let decoded = layer.decode(raw, Charset::UTF_8);
    /// let edit = Edit { span: Span::new(0, 1), text: b"x&\"y"[..].into(), id: 7 };
    /// let lifted = layer.lift(raw, Charset::UTF_8, &decoded, &[edit], Guards::default());
    /// let edits = Edits::new(lifted.edits, raw.len())?;
    /// assert_eq!(edits.apply(raw), b"x&amp;&quot;y?b&amp;c");
    /// # Ok::<(), relink_layers::Disorder>(())
    /// ```
    pub fn lift(
        self,
        raw: &[u8],
        charset: Charset,
        decoded: &Decoded<'_>,
        edits: &[Edit],
        guards: Guards,
    ) -> Lifted {
        if let (Layer::Text, CharsetKind::Iso2022Jp) = (self, charset.0) {
            return iso2022_jp_lift::lift(raw, decoded, edits, guards);
        }
        if let Layer::Flowed { deletes_space } = self {
            return flowed::lift(raw, decoded, edits, deletes_space);
        }
        let may_hold_charrefs =
            matches!(self, Layer::Attribute(_) | Layer::Content) && charref::may_hold(raw);
        let pairs = match self {
            Layer::Markdown(MarkdownForm::Bare) => markdown::pairs(raw),
            _ => Vec::new(),
        };
        let mut lift = Lift {
            layer: self,
            raw,
            charset,
            decoded,
            guards,
            may_hold_charrefs,
            pairs,
            free_from: 0,
        };
        let mut lifted = Lifted::default();
        for edit in edits {
            match lift.edit(edit) {
                Ok(edit) => lifted.edits.extend(edit),
                Err(reason) => lifted.refused.push((edit.id, reason)),
            }
        }
        if self == Layer::Attribute(Quote::None) {
            keep_unquoted(raw, &mut lifted.edits);
        }
        if self == Layer::Markdown(MarkdownForm::Bare) {
            markdown::keep_bare(raw, &mut lifted);
        }
        lifted
    }

    /// Returns true if the layer is inside a text that has already been decoded from its charset.
    fn is_of_text(self) -> bool {
        matches!(self, Layer::Css(_) | Layer::Xml(..) | Layer::CData | Layer::Json)
            || matches!(self, Layer::JsString(_) | Layer::Markdown(_))
            || matches!(self, Layer::Wrapped | Layer::Flowed { .. } | Layer::FieldCode)
    }

    /// Returns the bytes of `text` in this layer.
    fn encode(self, text: &str, charset: Charset) -> Result<Vec<u8>, Unliftable> {
        let mut escaped = String::with_capacity(text.len() + 8);
        match self {
            Layer::Text | Layer::Flowed { .. } => escaped.push_str(text),
            Layer::Xml(place, _) => {
                xml::encode(text, place, &mut escaped).map_err(Unliftable::Unencodable)?;
            }
            Layer::CData => match text.chars().find(|char| !xml::is_char(*char)) {
                Some(char) => return Err(Unliftable::Unencodable(char)),
                None => escaped.push_str(text),
            },
            Layer::Attribute(Quote::Double) => {
                charref::encode(text, |byte| byte == b'"', &mut escaped)?
            }
            Layer::Attribute(Quote::Single) => {
                charref::encode(text, |byte| byte == b'\'', &mut escaped)?
            }
            Layer::Attribute(Quote::None) => {
                charref::encode(text, is_special_unquoted, &mut escaped)?
            }
            Layer::Attribute(quote @ (Quote::Missing | Quote::NameOnly)) => {
                escaped.push_str(if quote == Quote::NameOnly { "=\"" } else { "\"" });
                charref::encode(text, |byte| byte == b'"', &mut escaped)?;
                escaped.push('"');
            }
            Layer::Content => charref::encode(text, |byte| byte == b'<', &mut escaped)?,
            Layer::Css(form) => css::encode(text, form, &mut escaped)?,
            Layer::Json => json::encode(text, &mut escaped),
            Layer::FieldCode => field_code::encode(text, &mut escaped),
            Layer::Field(blanks) => field::encode(text, blanks, &mut escaped)?,
            Layer::JsString(quote) => js::encode(text, quote, &mut escaped),
            Layer::Markdown(form) => markdown::encode(text, form, &mut escaped)?,
            Layer::Wrapped => wrapped::encode(text, &mut escaped)?,
        }
        let charset = if self.is_of_text() { Charset::UTF_8 } else { charset };
        if escaped.is_ascii() && !charset.reads_as_whole() {
            return Ok(escaped.into_bytes());
        }
        let mut bytes = Vec::with_capacity(escaped.len());
        charset.encode(&escaped, &mut bytes).map_err(Unliftable::Unencodable)?;
        Ok(bytes)
    }
}

/// The lifting of one list of edits.
struct Lift<'l> {
    layer: Layer,
    raw: &'l [u8],
    charset: Charset,
    decoded: &'l Decoded<'l>,
    guards: Guards,
    may_hold_charrefs: bool,
    /// The matching parentheses of a bare destination of Markdown.
    pairs: Vec<(usize, usize)>,
    /// The end of the edit that was lifted last.
    free_from: usize,
}

impl Lift<'_> {
    /// Returns the raw edit for an edit of the decoded text; `None` if the raw bytes do not change.
    fn edit(&mut self, edit: &Edit) -> Result<Option<Edit>, Unliftable> {
        let is_whole = self.charset.reads_as_whole() && !self.layer.is_of_text();
        if is_whole && self.layer != Layer::Text {
            return Err(Unliftable::Charset);
        }
        let Decoded { text: decoded, map } = self.decoded;
        let mut widened = map.widen(edit.span);
        if let Layer::Field(blanks) = self.layer {
            while let Some(unit) = map.whole_unit_at(widened.raw.end)
                && field::is_joined(self.raw, &unit, blanks)
            {
                widened.raw.end = unit.raw.end;
                widened.decoded.end = unit.decoded.end;
            }
            // Text that looks like the beginning of an encoded word could become one.
            if decoded.contains("=?") {
                return Err(Unliftable::Forbidden("=?"));
            }
            self.guards.forbidden = &["=?"];
        }
        if !self.pairs.is_empty() {
            widened.raw = markdown::with_partners(&self.pairs, widened.raw);
            widened.decoded.end = map.decoded_of(widened.raw.end);
        }
        let start = self.joined(widened.raw.start)?;
        let span = Span::new(start, widened.raw.end);
        let kept_start = map.decoded_of(start).min(widened.decoded.start);
        let mut text = String::new();
        text.push_str(&decoded[kept_start..edit.span.start]);
        text.push_str(&String::from_utf8_lossy(&edit.text));
        let kept_end = widened.decoded.end.max(edit.span.end);
        text.push_str(&decoded[edit.span.end..kept_end]);
        let shown = text;
        let text = self.layer.encode(&shown, self.charset)?;
        if &*text == span.slice(self.raw) {
            return Ok(None);
        }
        if is_whole {
            // Forbidden sequences are compared by characters, not by bytes.
            let span = Span::new(kept_start, kept_end);
            self.guards.check(decoded.as_bytes(), span, shown.as_bytes())?;
        } else {
            self.guards.check(self.raw, span, &text)?;
        }
        self.free_from = span.end;
        // Usually nothing had to be escaped.
        let text = if *text == *edit.text { Arc::clone(&edit.text) } else { text.into() };
        Ok(Some(Edit { span, text, id: edit.id }))
    }

    /// Returns the offset at which an edit at `at` must begin because of the bytes before it. Bytes
    /// that are written again may become part of the text before them, so the search is repeated
    /// until nothing changes; before `free_from` another edit ends.
    fn joined(&self, at: usize) -> Result<usize, Unliftable> {
        let mut at = at;
        loop {
            let further = match self.layer {
                _ if self.may_hold_charrefs => charref::joins(self.raw, self.decoded, at),
                Layer::Css(_) => css::joins(self.raw, self.decoded, at),
                Layer::JsString(_) => js::joins(self.raw, self.decoded, at),
                Layer::Xml(place, _) => xml::joins(self.raw, place, at),
                Layer::Markdown(_) => markdown::joins(self.raw, self.decoded, at),
                Layer::Json => json::joins(self.raw, self.decoded, at),
                Layer::Field(blanks) => (self.decoded.map.unit_ending_at(at))
                    .filter(|unit| field::is_joined(self.raw, unit, blanks))
                    .map_or(at, |unit| unit.raw.start),
                _ => at,
            };
            let further = self.decoded.map.after_invalid(self.raw, further);
            if further < self.free_from {
                return Err(Unliftable::Overlap);
            }
            if further == at {
                return Ok(at);
            }
            at = further;
        }
    }
}

/// Returns true for bytes that end an unquoted value or are an error in one by the HTML standard
/// (13.2.5.38).
fn is_special_unquoted(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0C' | b'>' | b'<' | b'"' | b'\'' | b'`')
}

/// Keeps an unquoted value valid: if nothing is left of it, `""` is written; a quote that would
/// become its first byte, and be read as the delimiter, is escaped (HTML standard 13.2.5.37).
fn keep_unquoted(raw: &[u8], edits: &mut [Edit]) {
    let (mut at, mut n_gone) = (0, 0);
    for edit in edits.iter().take_while(|edit| edit.text.is_empty()) {
        if edit.span.start > at {
            break;
        }
        at = edit.span.end;
        n_gone += 1;
    }
    // Another edit that begins at this offset writes the first byte.
    if edits.get(n_gone).is_some_and(|edit| edit.span.start == at) {
        return;
    }
    let Some(last) = edits[..n_gone].last_mut() else { return };
    let text: &[u8] = match raw.get(at) {
        None => b"\"\"",
        Some(b'"') => b"&quot;",
        Some(b'\'') => b"&#39;",
        Some(_) => return,
    };
    last.span.end += usize::from(at < raw.len());
    last.text = text.into();
}
