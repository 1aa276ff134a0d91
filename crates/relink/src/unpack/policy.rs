//! The policy of a body of mail: no script in it runs, whatever opens it.

use std::borrow::Cow;

/// Allows no script, no plugin and no frame: what is in a frame has a policy of its own, or none.
const NO_SCRIPT: &str = "script-src 'none'; object-src 'none'; frame-src 'none'";

/// Also allows nothing from the network.
const NO_REMOTE: &str = "default-src 'self' file: data: 'unsafe-inline'; script-src 'none'; object-src 'none'; frame-src 'none'";

/// Returns a page with the policy in its first element. It comes before anything that could be a
/// script: only a document type is before it, which ends at its first `>` (HTML standard,
/// 13.2.5.53 and following).
pub(super) fn with_policy(bytes: &[u8], blocks_remote: bool) -> Cow<'static, [u8]> {
    let policy = if blocks_remote { NO_REMOTE } else { NO_SCRIPT };
    let meta = format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">");
    let (at, meta) = match bytes {
        [0xFF, 0xFE, ..] => (2, meta.bytes().flat_map(|byte| [byte, 0]).collect()),
        [0xFE, 0xFF, ..] => (2, meta.bytes().flat_map(|byte| [0, byte]).collect()),
        _ => (after_doctype(bytes), meta.into_bytes()),
    };
    [&bytes[..at], &meta, &bytes[at..]].concat().into()
}

/// Returns the offset after the byte order mark and the document type.
fn after_doctype(bytes: &[u8]) -> usize {
    let start = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let text = bytes[start..].trim_ascii_start();
    let is_doctype = text.get(..9).is_some_and(|text| text.eq_ignore_ascii_case(b"<!doctype"));
    match text.iter().position(|byte| *byte == b'>').filter(|_| is_doctype) {
        Some(end) => bytes.len() - text.len() + end + 1,
        None => start,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_before_the_policy() {
        for (before, after) in [
            ("", "<script>a</script>"),
            ("\u{feff}", "<p>"),
            ("\n<!DOCTYPE html \">", "<script>a</script>\">"),
            ("", "<html \"><script>a</script>"),
            ("", "<!-- --!><script>a</script> -->"),
            ("", "text"),
        ] {
            let page = with_policy(format!("{before}{after}").as_bytes(), false);
            let page = String::from_utf8(page.into_owned()).unwrap();
            let rest = page.strip_prefix(before).unwrap();
            assert!(rest.starts_with("<meta http-equiv") && rest.ends_with(after), "{page}");
        }
        let wide = with_policy(b"\xFF\xFE<\0p\0", true);
        assert!(wide.starts_with(b"\xFF\xFE<\0m\0e\0t\0a\0") && wide.ends_with(b">\0<\0p\0"));
    }
}
