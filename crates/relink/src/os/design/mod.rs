//! The design that the pages of this program share: its style sheet (`base.css`, with which that of
//! each kind of pages begins), the policy that names what a
//! page executes, and how texts that others wrote come into a page.

use std::io::{self, Write};

use super::digest;
use super::messages::{changes_direction, escaped};

/// Returns the content of a `Content-Security-Policy` for a page with one style sheet and these
/// scripts: nothing else is executed, and nothing is loaded but what `more` allows, with `; ` at
/// its end.
pub fn policy(style: &str, scripts: &[&str], more: &str) -> String {
    let hash = |text: &&str| format!(" 'sha256-{}'", digest::base64_of_bytes(text.as_bytes()));
    let scripts: String = scripts.iter().map(hash).collect();
    let scripts = if scripts.is_empty() { " 'none'" } else { &*scripts };
    format!(
        "default-src 'none'; style-src{}; script-src{scripts}; {more}base-uri 'none'; form-action 'none'",
        hash(&style)
    )
}

/// Returns a text as HTML, with characters that change the direction of text (UAX 9, section 2)
/// visible.
pub fn visible(text: &str) -> String {
    if text.is_ascii() {
        return escaped(text);
    }
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            char if changes_direction(char) => {
                out.push_str(&format!("\\u{:04x}", u32::from(char)));
            }
            char => out.push(char),
        }
    }
    escaped(&out)
}

/// Returns the same, so that its direction does not change that of the text around it.
pub fn isolated(text: &str) -> String {
    if text.is_ascii() { escaped(text) } else { format!("<bdi>{}</bdi>", visible(text)) }
}

/// A writer of JSON into a `script` element: no text in it ends the element. In JSON, these
/// characters are in strings only, which can contain escapes instead (RFC 8259, section 7). The
/// line separators are escaped already ([`super::messages::write_json`]).
pub struct InElement<'w, W>(pub &'w mut W);

impl<W: Write> Write for InElement<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut n_written = 0;
        for at in memchr::memchr3_iter(b'<', b'>', b'&', bytes) {
            self.0.write_all(&bytes[n_written..at])?;
            write!(self.0, "\\u{:04x}", bytes[at])?;
            n_written = at + 1;
        }
        self.0.write_all(&bytes[n_written..])?;
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
    fn the_policy_has_the_hashes_of_the_elements() {
        // RFC 4648 and FIPS 180-4: the hash of the empty text, which `openssl dgst -sha256` prints.
        let empty = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
        let policy = policy("", &[""], "");
        assert_eq!(policy.matches(&format!("'sha256-{empty}'")).count(), 2, "{policy}");
    }
}
