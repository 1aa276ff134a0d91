//! Messages: one line each on standard error, `relink: PATH: reason`.
//!
//! Workers only collect them; they are printed by the one thread that tells results, in path order.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

/// Prints one message. A standard error that is closed is no reason to stop.
pub fn print(message: &str) {
    let mut line = String::with_capacity(message.len() + 9);
    line.push_str("relink: ");
    line.push_str(&visible(message));
    line.push('\n');
    drop(io::stderr().write_all(line.as_bytes()));
}

/// `PATH: reason`
pub fn of_path(path: &Path, reason: &str) -> String {
    format!("{}: {reason}", path.display())
}

/// Why an operation of the system failed, in plain words.
pub fn reason(error: &io::Error) -> Cow<'static, str> {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or folder".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::StorageFull => "no space left".into(),
        io::ErrorKind::AlreadyExists => "exists already".into(),
        io::ErrorKind::IsADirectory => "is a folder".into(),
        io::ErrorKind::NotADirectory => "a part of the path is not a folder".into(),
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".into(),
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

/// The text with control characters as percent-escapes, so that nothing in a tree can drive the terminal.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(char::is_control) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for char in text.chars() {
        if char.is_control() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(visible("a\x1b[31m\n\u{9b}b"), "a%1B[31m%0A%C2%9Bb");
        assert!(matches!(visible("é"), Cow::Borrowed(_)));
    }
}
