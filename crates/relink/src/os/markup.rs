//! Text in XML and HTML.

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
