//! The page of a report: one file that works from a disk, and that may load nothing.
//!
//! The Content-Security-Policy names the hashes of the one style sheet and the one script. The data
//! is JSON in an element that browsers do not execute, and the script makes text of it, never
//! markup.

use std::io::{self, Write};

use crate::os::digest;

/// The page with marks where the other files go.
const PAGE: &str = include_str!("page.html");

/// The style sheet.
const STYLE: &str = include_str!("page.css");

/// The parts of the script, in the order in which they are executed.
const SCRIPT: [&str; 7] = [
    include_str!("data.js"),
    include_str!("dom.js"),
    include_str!("grid.js"),
    include_str!("boxes.js"),
    include_str!("overview.js"),
    include_str!("tables.js"),
    include_str!("start.js"),
];

/// Writes the page; `data` writes its data.
///
/// # Errors
///
/// Those of the writer.
pub(super) fn write<W: Write>(
    out: &mut W,
    data: impl FnOnce(&mut InElement<'_, W>) -> io::Result<()>,
) -> io::Result<()> {
    let script = format!("\"use strict\";\n(() => {{\n{}}})();\n", SCRIPT.concat());
    let (mut rest, mut data) = (PAGE, Some(data));
    while let Some((before, mark, after)) = next_mark(rest) {
        out.write_all(before.as_bytes())?;
        match mark {
            "policy" => out.write_all(policy(STYLE, &script).as_bytes())?,
            "program" => out.write_all(env!("CARGO_PKG_VERSION").as_bytes())?,
            "style" => out.write_all(STYLE.as_bytes())?,
            "script" => out.write_all(script.as_bytes())?,
            _ => {
                if let Some(data) = data.take() {
                    data(&mut InElement(out))?;
                }
            }
        }
        rest = after;
    }
    out.write_all(rest.as_bytes())
}

/// Splits a text at its first mark, `{{name}}`.
fn next_mark(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("{{")?;
    let (mark, after) = rest.split_once("}}")?;
    Some((before, mark, after))
}

/// Returns the policy of a page with one style sheet and one script: nothing else is executed, and
/// nothing is loaded.
fn policy(style: &str, script: &str) -> String {
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        digest::base64_of_bytes(style.as_bytes()),
        digest::base64_of_bytes(script.as_bytes())
    )
}

/// A writer of JSON into a `script` element: no text in it ends the element. In JSON, these
/// characters are in strings only, which can contain escapes instead (RFC 8259, section 7). The
/// line separators are escaped already ([`crate::os::messages::write_json`]).
pub(super) struct InElement<'w, W>(&'w mut W);

impl<W: Write> Write for InElement<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|byte| b"<>&".contains(byte)) {
            match piece.split_last() {
                Some((last, plain)) if b"<>&".contains(last) => {
                    self.0.write_all(plain)?;
                    write!(self.0, "\\u{last:04x}")?;
                }
                _ => self.0.write_all(piece)?,
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_cannot_end_its_element() {
        let mut out = Vec::new();
        let json = br#"["</script><!-- &amp; <script>"]"#;
        InElement(&mut out).write_all(json).unwrap();
        let expected = r#"["\u003c/script\u003e\u003c!-- \u0026amp; \u003cscript\u003e"]"#;
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn the_page_has_its_parts_and_no_mark_is_left() {
        let mut out = Vec::new();
        write(&mut out, |data| data.write_all(b"[1]")).unwrap();
        let page = String::from_utf8(out).unwrap();
        assert!(page.contains(">[1]</script>"));
        assert!(crate::files::own_files::is_report(page.as_bytes()));
        assert_eq!(page.matches("</script>").count(), 2);
        assert_eq!(page.matches("</style>").count(), 1);
        assert!(!page.contains("{{") && !page.contains("}}"), "a mark is left");
        assert!(page.is_ascii(), "characters that depend on the charset");
    }

    #[test]
    fn the_policy_has_the_hashes_of_the_elements() {
        // RFC 4648 and FIPS 180-4: the hash of the empty text, which `openssl dgst -sha256` prints.
        let empty = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
        let policy = policy("", "");
        assert_eq!(policy.matches(&format!("'sha256-{empty}'")).count(), 2, "{policy}");
    }
}
