//! The text of messages: one line each, `PATH:LINE:COLUMN: what happened; why; what to do`.
//!
//! Without a position, a message begins with the path, and without a path with `error: `,
//! `warning: `, `note: ` or `hint: `; a line of the summary begins with a number.
//!
//! Workers only collect them; the one thread that reports results sends them to the caller, as
//! [events](crate::events), in path order.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use similar::get_close_matches;

/// Returns `PATH: reason`.
pub fn of_path(path: &Path, reason: &str) -> String {
    format!("{}: {reason}", path.display())
}

/// Returns the message for an option whose value is invalid, in the form of clap.
pub fn invalid_value(option: &str, value: &str, reason: impl fmt::Display) -> String {
    format!("invalid value '{value}' for {option}; {reason}")
}

/// Returns the reason why an operation of the system failed, in plain words.
pub fn reason(error: &io::Error) -> Cow<'static, str> {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::StorageFull => "no space left on device".into(),
        io::ErrorKind::AlreadyExists => "already exists".into(),
        io::ErrorKind::IsADirectory => "is a directory".into(),
        io::ErrorKind::NotADirectory => "a component of the path is not a directory".into(),
        io::ErrorKind::ReadOnlyFilesystem => "read-only file system".into(),
        _ => {
            // "Too many levels of symbolic links (os error 40)"
            let text = error.to_string();
            let text = text.split(" (os error").next().unwrap_or_default();
            let mut chars = text.chars();
            let first =
                chars.next().map(|char| char.to_lowercase().to_string()).unwrap_or_default();
            format!("{first}{}", chars.as_str()).into()
        }
    }
}

/// Returns the reason why a temporary file cannot be written, and what to do.
pub fn of_temporary_file(error: &io::Error) -> String {
    let reason = reason(error);
    format!("cannot write a temporary file; {reason}; set TMPDIR to a directory with room")
}

/// Returns true for a path with a drive letter.
fn is_drive(typed: &str) -> bool {
    let bytes = typed.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.get(1) == Some(&b':')
        && matches!(bytes.get(2), None | Some(b'\\' | b'/'))
}

/// Returns a suggestion for a text that is not a URL.
pub fn url_suggestion(typed: &str) -> String {
    let host = typed.split(['/', ':', '?', '#']).next().unwrap_or_default();
    let is_name = host.chars().all(|char| char.is_ascii_alphanumeric() || "-.".contains(char));
    match () {
        () if is_drive(typed) => format!("; did you mean file:///{}?", typed.replace('\\', "/")),
        () if typed.starts_with("\\\\") => {
            format!("; did you mean file:{}?", typed.replace('\\', "/"))
        }
        () if typed.starts_with('.') => "; use a URL instead of a path".to_owned(),
        () if typed.starts_with("//") => format!("; did you mean http:{typed}?"),
        () if typed.starts_with('/') => format!("; did you mean file://{typed}?"),
        () if is_name && (host.contains('.') || host == "localhost") => {
            format!("; did you mean http://{typed}?")
        }
        () if typed.split_once('/').is_some_and(|(first, _)| !first.contains(':')) => {
            "; use a URL instead of a path".to_owned()
        }
        () => String::new(),
    }
}

/// Returns true if a character controls a terminal, or makes it show other characters in another
/// order or on another line: control characters (C0, DEL, C1), the line and paragraph separators,
/// and the characters that change the direction of text (UAX 9, section 2).
pub const fn drives_terminal(char: char) -> bool {
    matches!(
        char,
        '\0'..='\x1F'
            | '\x7F'..='\u{9F}'
            | '\u{61C}'
            | '\u{200E}'
            | '\u{200F}'
            | '\u{2028}'..='\u{202E}'
            | '\u{2066}'..='\u{2069}'
    )
}

/// Returns true for the embeddings, overrides and isolates that change the direction of text (UAX
/// 9, sections 2.1 to 2.4).
pub const fn changes_direction(char: char) -> bool {
    matches!(char, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Returns a name with these characters visible: `U+202E`.
pub fn with_visible_direction(name: &str) -> Cow<'_, str> {
    if !name.chars().any(changes_direction) {
        return Cow::Borrowed(name);
    }
    let mut text = String::with_capacity(name.len() + 8);
    for char in name.chars() {
        match char {
            char if changes_direction(char) => text.push_str(&format!("U+{:04X}", u32::from(char))),
            char => text.push(char),
        }
    }
    Cow::Owned(text)
}

/// Returns true if all bytes are printable ASCII.
pub fn is_printable_ascii(text: &[u8]) -> bool {
    all_bytes(text, |byte| (b' '..=b'~').contains(&byte))
}

/// Returns true if `is` returns true for all bytes. Loops of a fixed length are vectorized.
#[inline]
pub fn all_bytes(text: &[u8], is: impl Fn(u8) -> bool) -> bool {
    let all = |bytes: &[u8]| bytes.iter().fold(true, |all, byte| all & is(*byte));
    let (chunks, rest) = text.as_chunks::<16>();
    let is_rest = match text.last_chunk::<16>() {
        _ if rest.is_empty() => true,
        // The last sixteen bytes overlap those before them.
        Some(last) => all(last),
        None => all(rest),
    };
    is_rest && chunks.iter().all(|chunk| all(chunk))
}

/// Returns true if a text is ASCII of which JSON escapes nothing.
pub fn is_copied_to_json(text: &[u8]) -> bool {
    all_bytes(text, |byte| matches!(byte, b' '..=b'~') & (byte != b'"') & (byte != b'\\'))
}

/// Returns the text with percent-escapes for characters that control a terminal.
pub fn visible(text: &str) -> Cow<'_, str> {
    // Most texts are of ASCII.
    if is_printable_ascii(text.as_bytes()) || !text.chars().any(drives_terminal) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for char in text.chars() {
        if drives_terminal(char) {
            let mut utf8 = [0; 4];
            for byte in char.encode_utf8(&mut utf8).bytes() {
                out.push_str(&format!("%{byte:02X}"));
            }
        } else {
            out.push(char);
        }
    }
    out.into()
}

/// Returns the reason why a file is not used that another version of this program wrote.
pub fn of_other_version(version: impl fmt::Display) -> String {
    format!(
        "another version of relink wrote it (format {version}); use that version, or remove the file"
    )
}

/// Writes a line of JSON, as [`append_json`] makes it.
///
/// # Errors
///
/// That of the writer.
pub fn write_json(out: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
    let mut json = Vec::new();
    append_json(&mut json, line)?;
    json.push(b'\n');
    out.write_all(&json)
}

/// Appends a value as JSON. Characters that control a terminal are escaped in its strings, which
/// gives the same JSON (RFC 8259, section 7).
///
/// # Errors
///
/// A value that JSON does not have.
pub fn append_json(out: &mut Vec<u8>, value: &impl Serialize) -> io::Result<()> {
    let start = out.len();
    serde_json::to_writer(&mut *out, value)?;
    // All but DEL have more than one byte in UTF-8.
    if !is_printable_ascii(&out[start..]) {
        let json = out.split_off(start);
        for char in String::from_utf8_lossy(&json).chars() {
            if drives_terminal(char) {
                out.extend_from_slice(format!("\\u{:04x}", u32::from(char)).as_bytes());
            } else {
                out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }
    Ok(())
}

/// Appends a text as JSON, as [`append_json`] does. Most are copied.
pub fn append_json_text(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    if !is_copied_to_json(bytes) {
        // Writing to memory does not fail.
        return drop(append_json(out, &text));
    }
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    out.extend_from_slice(bytes);
    out.push(b'"');
}

/// The digits of a number: `write!` takes a tenth of a run.
#[derive(Default)]
pub struct Digits([u8; 32]);

impl Digits {
    /// Returns a number and the characters after it, of which there are 12 at most.
    pub fn write(&mut self, number: u64, end: &[u8]) -> &[u8] {
        let mut at = self.0.len() - end.len();
        self.0[at..].copy_from_slice(end);
        let mut put = |byte: u8| {
            at -= 1;
            self.0[at] = byte;
        };
        let mut rest = number;
        loop {
            put(b'0' + u8::try_from(rest % 10).unwrap_or_default());
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        &self.0[at..]
    }
}

/// Returns `; did you mean 'markdown'?` if a known name is similar to `typed`, and otherwise
/// nothing.
pub fn similar<'n>(typed: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    match get_close_matches(typed, &names, 1, 0.7).first() {
        Some(name) => format!("; did you mean '{name}'?"),
        None => String::new(),
    }
}

/// Returns a text of XML or HTML: also in attributes, it contains no markup. Characters that XML
/// does not allow are replaced.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            char => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(visible("a\x1b[31m\n\u{9b}b"), "a%1B[31m%0A%C2%9Bb");
        assert_eq!(visible("\u{202e}b\u{2069}\u{2028}\u{7f}"), "%E2%80%AEb%E2%81%A9%E2%80%A8%7F");
        assert!(matches!(visible("é"), Cow::Borrowed(_)));
    }

    #[test]
    fn similar_names_are_suggested() {
        let names = ["markdown", "text", "data-src", "embedded-depth"];
        let suggest = |typed| similar(typed, names);
        assert_eq!(suggest("markdwn"), "; did you mean 'markdown'?");
        assert_eq!(suggest("data-scr"), "; did you mean 'data-src'?");
        assert_eq!(suggest("embed-depth"), "; did you mean 'embedded-depth'?");
        assert_eq!(suggest("image"), "");
    }
}
