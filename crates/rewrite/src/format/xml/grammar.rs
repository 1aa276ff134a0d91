//! Productions of the XML grammar that quick-xml does not check: characters, names, the XML
//! declaration.
//!
//! XML 1.0 (fifth edition), sections 2.2, 2.3, 2.8 and 4.1.

/// Returns the offset of the first character that is not allowed in any document (XML 2.2, `Char`).
pub(super) fn no_char(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_control = |byte: u8| byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r');
    // Most documents have none, and testing only for that is fast.
    let has_control = bytes.iter().fold(false, |found, byte| found | is_control(*byte));
    let control = bytes.iter().position(|byte| has_control && is_control(*byte));
    let is_none = |at: &usize| text[*at..].starts_with(['\u{FFFE}', '\u{FFFF}']);
    let other = memchr::memmem::find_iter(bytes, b"\xEF\xBF").find(is_none);
    control.into_iter().chain(other).min()
}

/// Returns true if the text is a name (XML 2.3, `Name`).
pub(super) fn is_name(text: &str) -> bool {
    // Most names are letters of ASCII.
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return true;
    }
    let mut chars = text.chars();
    chars.next().is_some_and(begins_name) && chars.all(is_in_name)
}

/// Returns true if a character may begin a name (XML 2.3, `NameStartChar`).
fn begins_name(char: char) -> bool {
    matches!(char,
        'a'..='z' | 'A'..='Z' | '_' | ':'
        | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}' | '\u{370}'..='\u{37D}'
        | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}' | '\u{2070}'..='\u{218F}'
        | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}'
        | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}')
}

/// Returns true if a character may be in a name (XML 2.3, `NameChar`).
fn is_in_name(char: char) -> bool {
    begins_name(char)
        || matches!(char,
            '0'..='9' | '-' | '.' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}

/// Returns the names of the entities that a text refers to, without numeric character references,
/// and the offset of each `&`.
pub(super) fn references(raw: &str) -> impl Iterator<Item = (usize, &str)> {
    memchr::memchr_iter(b'&', raw.as_bytes()).filter_map(|at| {
        let len = memchr::memchr(b';', &raw.as_bytes()[at..])?;
        Some((at, &raw[at + 1..at + len])).filter(|(_, name)| !name.starts_with('#'))
    })
}

/// Returns true if `text`, from `<?xml` to `?>`, is an XML declaration (XML 2.8, `XMLDecl`).
pub(super) fn is_declaration(text: &str) -> bool {
    let inner = text.strip_prefix("<?xml").and_then(|rest| rest.strip_suffix("?>"));
    let Some(mut rest) = inner else { return false };
    let is_version = |value: &str| {
        value.strip_prefix("1.").is_some_and(|minor| {
            !minor.is_empty() && minor.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    let is_encoding = |value: &str| {
        value.starts_with(|char: char| char.is_ascii_alphabetic())
            && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    let is_answer = |value: &str| matches!(value, "yes" | "no");
    eats(&mut rest, "version", is_version) == Some(true)
        && eats(&mut rest, "encoding", is_encoding) != Some(false)
        && eats(&mut rest, "standalone", is_answer) != Some(false)
        && rest.trim_ascii().is_empty()
}

/// Consumes ` name="value"` from the front, if it is there. Returns true if the value is valid.
fn eats(rest: &mut &str, name: &str, is_right: impl Fn(&str) -> bool) -> Option<bool> {
    let after = rest.trim_ascii_start();
    let value = after.strip_prefix(name)?.trim_ascii_start().strip_prefix('=')?.trim_ascii_start();
    let is_apart = after.len() < rest.len();
    let quote = value.chars().next().filter(|char| matches!(char, '"' | '\''))?;
    let (value, remaining) = value[1..].split_once(quote)?;
    *rest = remaining;
    Some(is_apart && is_right(value))
}
