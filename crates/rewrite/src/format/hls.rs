//! Playlists: M3U, and its extension HTTP Live Streaming (RFC 8216 and its revision).
//!
//! In a playlist with a tag of HLS, every line that is no tag or comment is a URI reference, and so
//! are some attributes of tags. A simple M3U has paths or URLs: what they would read differently is
//! left, and so are paths of Windows. With `EXT-X-DEFINE`, `{$name}` is a variable.

use layers::Span;

use crate::format::found::{Delimiters, Found, Value, Values};
use crate::format::spec::FormatSpec;
use crate::slots::SlotId;

/// Playlists. UTF-8 is required (RFC 8216, section 4.1).
pub(super) const FORMAT: FormatSpec = FormatSpec {
    extensions: &["m3u8", "m3u"],
    sniff: Some(|head| {
        let rest = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).strip_prefix(b"#EXTM3U");
        rest.is_some_and(|rest| rest.first().is_none_or(|byte| b" \t\r\n".contains(byte)))
    }),
    ..FormatSpec::text(
        &[
            "application/vnd.apple.mpegurl",
            "application/x-mpegurl",
            "audio/mpegurl",
            "audio/x-mpegurl",
        ],
        |text, _, memory| {
            let mut found = Found::within(memory.bytes());
            find(text, &mut found.values);
            Ok(found)
        },
    )
};

const LINE: SlotId = SlotId::named("hls line");

/// The attributes with URIs: the tag, the attribute, the slot.
const ATTRIBUTES: [(&str, &str, SlotId); 12] = [
    attribute("CONTENT-STEERING", "SERVER-URI", "hls EXT-X-CONTENT-STEERING[SERVER-URI]"),
    attribute("DATERANGE", "X-ASSET-LIST", "hls EXT-X-DATERANGE[X-ASSET-LIST]"),
    attribute("DATERANGE", "X-ASSET-URI", "hls EXT-X-DATERANGE[X-ASSET-URI]"),
    attribute("I-FRAME-STREAM-INF", "URI", "hls EXT-X-I-FRAME-STREAM-INF[URI]"),
    attribute("KEY", "URI", "hls EXT-X-KEY[URI]"),
    attribute("MAP", "URI", "hls EXT-X-MAP[URI]"),
    attribute("MEDIA", "URI", "hls EXT-X-MEDIA[URI]"),
    attribute("PART", "URI", "hls EXT-X-PART[URI]"),
    attribute("PRELOAD-HINT", "URI", "hls EXT-X-PRELOAD-HINT[URI]"),
    attribute("RENDITION-REPORT", "URI", "hls EXT-X-RENDITION-REPORT[URI]"),
    attribute("SESSION-DATA", "URI", "hls EXT-X-SESSION-DATA[URI]"),
    attribute("SESSION-KEY", "URI", "hls EXT-X-SESSION-KEY[URI]"),
];

const fn attribute(
    tag: &'static str,
    name: &'static str,
    slot: &str,
) -> (&'static str, &'static str, SlotId) {
    (tag, name, SlotId::named(slot))
}

/// Finds the references of a playlist.
fn find(text: &str, values: &mut Values) {
    let mut playlist = Playlist { text, is_hls: false, has_variables: false, values };
    for line in text.lines() {
        playlist.is_hls |= line.starts_with("#EXT-X-");
        playlist.has_variables |= line.starts_with("#EXT-X-DEFINE:");
    }
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.trim_end_matches(['\r', '\n']).len();
        playlist.line(Span::new(at, end));
        at += line.len();
    }
}

struct Playlist<'p> {
    text: &'p str,
    /// True if a tag shows that the lines are URIs.
    is_hls: bool,
    /// True if variables are defined.
    has_variables: bool,
    values: &'p mut Values,
}

impl Playlist<'_> {
    fn line(&mut self, span: Span) {
        let line = &self.text[span.start..span.end];
        if let Some(tag) = line.strip_prefix("#EXT-X-") {
            if let Some((tag, attributes)) = tag.split_once(':') {
                self.attributes(tag, attributes, span.end - attributes.len());
            }
        } else if !line.trim_start().starts_with('#') && !is_windows_path(line.trim_start()) {
            let delimiters = self.delimiters_of_line(line);
            self.values.push(Value::item(span, LINE, delimiters));
        }
    }

    fn delimiters_of_line(&self, line: &str) -> Delimiters {
        let is_url = line.trim_start().split_once("://").is_some_and(|(scheme, _)| {
            scheme.starts_with(|char: char| char.is_ascii_alphabetic())
                && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
        });
        // Without its path a fragment would be a comment; a path has no escapes and no query.
        let is_unlike = |char: char| matches!(char, '%' | '?' | '\\') || !char.is_ascii();
        match () {
            () if self.is_variable(line) || line.contains(['#', '\r', '\u{FFFD}']) => {
                Delimiters::Ambiguous
            }
            () if self.is_hls || !(line.starts_with('/') || line.contains(is_unlike)) => {
                Delimiters::None
            }
            () if is_url => Delimiters::Running,
            () => Delimiters::Ambiguous,
        }
    }

    /// Returns true if a part of a value is a variable.
    fn is_variable(&self, value: &str) -> bool {
        self.has_variables && value.contains("{$")
    }

    /// Adds the URIs in the attributes of a tag (RFC 8216, section 4.2). Nothing is read after an
    /// error.
    fn attributes(&mut self, tag: &str, list: &str, start: usize) {
        let mut rows = ATTRIBUTES.iter().filter(|(name, ..)| *name == tag).peekable();
        if rows.peek().is_none() {
            return;
        }
        let mut rest = list;
        while let Some((name, value)) = rest.trim_start().split_once('=') {
            let Some(quoted) = value.strip_prefix('"') else {
                let Some((_, after)) = value.split_once(',') else { return };
                rest = after;
                continue;
            };
            let Some((value, after)) = quoted.split_once('"') else { return };
            if let Some((.., slot)) = rows.clone().find(|(_, own, _)| *own == name) {
                let at = start + list.len() - quoted.len();
                let delimiters = if self.is_variable(value) {
                    Delimiters::Ambiguous
                } else {
                    Delimiters::Quote(b'"')
                };
                let span = Span::new(at, at + value.len());
                self.values.push(Value::item(span, *slot, delimiters));
            }
            let Some(after) = after.trim_start().strip_prefix(',') else { return };
            rest = after;
        }
    }
}

/// Returns true if a line is an absolute path of Windows.
fn is_windows_path(line: &str) -> bool {
    let mut chars = line.chars();
    let is_drive = chars.next().is_some_and(|char| char.is_ascii_alphabetic())
        && chars.next() == Some(':')
        && matches!(chars.next(), Some('\\' | '/'));
    is_drive || line.starts_with("\\\\")
}
