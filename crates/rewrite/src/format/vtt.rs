//! WebVTT: the style sheets in `STYLE` blocks, and the images of tracks of thumbnails.
//!
//! Blocks and lines are those of the parser (WebVTT, sections 6.1 and 6.2). The text of a cue has
//! no references by the standard. In a track of metadata, players (JW Player, Plyr, plugins of
//! video.js) read a cue of one line with `#xywh=` as the URL of a part of an image (Media Fragments
//! 1.0, section 4.2.2), relative to the track.

use std::ops::Range;

use layers::{Layer, Span};

use crate::format::found::{Delimiters, Found, Value, ValueEncoding, Values};
use crate::format::line_files::lines;
use crate::format::spec::FormatSpec;
use crate::slots::{SlotId, Syntax};

const STYLE: SlotId = SlotId::named("vtt STYLE");
const THUMBNAIL: SlotId = SlotId::named("vtt thumbnail");

/// WebVTT, which is always UTF-8.
pub(super) const FORMAT: FormatSpec = FormatSpec {
    extensions: &["vtt"],
    sniff: Some(|head| is_vtt(head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head))),
    ..FormatSpec::text(&["text/vtt"], |text, _, memory| {
        let mut found = Found::within(memory.bytes());
        find(text, &mut found.values);
        Ok(found)
    })
};

/// Returns true if a file has the signature; players read nothing in another.
fn is_vtt(head: &[u8]) -> bool {
    head.strip_prefix(b"WEBVTT")
        .is_some_and(|rest| rest.first().is_none_or(|byte| b" \t\r\n".contains(byte)))
}

/// Finds the style sheets and thumbnails of a track.
fn find(text: &str, values: &mut Values) {
    if !is_vtt(text.as_bytes()) {
        return;
    }
    let (mut block, mut has_cue) = (BlockPart::Header, false);
    // The signature may be followed by any text.
    for line in lines(text).skip(1) {
        let content = &text[line.clone()];
        // A line with an arrow has the timings of a cue, after the end of any other block (6.2,
        // "collect a WebVTT block").
        if content.contains("-->") {
            block.end(text, values);
            let is_cue = has_timings(content);
            has_cue |= is_cue;
            block = if is_cue { BlockPart::Cue(None) } else { BlockPart::Other };
            continue;
        }
        if content.is_empty() {
            block.end(text, values);
            block = BlockPart::Start;
            continue;
        }
        block = match block {
            BlockPart::Start
                if !has_cue && content.trim_end_matches([' ', '\t', '\x0C']) == "STYLE" =>
            {
                BlockPart::Style(None)
            }
            BlockPart::Start | BlockPart::Other => BlockPart::Other,
            BlockPart::Header => BlockPart::Header,
            BlockPart::Style(None) => BlockPart::Style(Some(line)),
            BlockPart::Style(Some(all)) => BlockPart::Style(Some(all.start..line.end)),
            BlockPart::Cue(None) => BlockPart::Cue(Some(line)),
            // A text of several lines.
            BlockPart::Cue(Some(_)) => BlockPart::Other,
        };
    }
    block.end(text, values);
}

/// The part of the block that was read.
#[derive(Clone)]
enum BlockPart {
    /// The lines after the signature.
    Header,
    /// Nothing.
    Start,
    /// A style sheet and its lines.
    Style(Option<Range<usize>>),
    /// The timings of a cue, and its only line.
    Cue(Option<Range<usize>>),
    /// A comment, a region, the identifier of a cue, a text of several lines.
    Other,
}

impl BlockPart {
    /// Adds the value of a block that ends.
    fn end(self, text: &str, values: &mut Values) {
        match self {
            BlockPart::Style(Some(lines)) => {
                let (span, written) =
                    (Span::new(lines.start, lines.end), ValueEncoding::In(Layer::Text));
                values.push(Value::text(span, written, STYLE, Syntax::Stylesheet));
            }
            BlockPart::Cue(Some(line)) if is_thumbnail(&text[line.clone()]) => {
                let span = Span::new(line.start, line.end);
                values.push(Value::item(span, THUMBNAIL, Delimiters::Space));
            }
            _ => {}
        }
    }
}

/// Returns true if the text of a cue is a URL with a part of an image, and not a sentence.
fn is_thumbnail(text: &str) -> bool {
    let url = text.trim_ascii();
    url.contains("#xywh=") && !url.contains(|char: char| char.is_ascii_whitespace())
}

/// Returns true if a line has the timings of a cue (6.3, "collect WebVTT cue timings and
/// settings").
fn has_timings(line: &str) -> bool {
    let after_end = after_timestamp(line.trim_start())
        .and_then(|rest| rest.trim_start().strip_prefix("-->"))
        .and_then(|rest| after_timestamp(rest.trim_start()));
    after_end.is_some()
}

/// Returns the text after a timestamp, `12:34.567` or `12:34:56.789` with any number of hours.
fn after_timestamp(text: &str) -> Option<&str> {
    let number = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let sixty = |text: &str| number(text) == 2 && text < "6";
    let n_first = number(text);
    let rest = text[n_first..].strip_prefix(':')?;
    let is_short = sixty(text) && sixty(rest) && !rest[2..].starts_with(':');
    let seconds =
        if is_short { rest } else { sixty(rest).then(|| rest[2..].strip_prefix(':'))?? };
    let milliseconds = sixty(seconds).then(|| seconds[2..].strip_prefix('.'))??;
    (n_first > 0 && number(milliseconds) == 3).then(|| &milliseconds[3..])
}
