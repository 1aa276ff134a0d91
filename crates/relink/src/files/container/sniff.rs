//! The format of a file whose name does not give it, by its first bytes: a mailbox, a message, or
//! neither.
//!
//! Invariant: in doubt it is neither. Header sections of HTTP, control files and other texts of
//! `Name: value` are not messages.

use super::lines::{after_line_end, line_end};
use super::separator::{self, Before};

/// The content of the lines around a message.
pub(super) const MARK: &[u8] = &[1, 1, 1, 1];

/// The number of bytes of a file that are examined.
pub const HEAD: usize = 1024;

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SniffedFormat {
    /// An mbox.
    Mbox,
    /// An MMDF mailbox.
    Mmdf,
    /// One message of mail or news.
    Message,
}

/// Fields that only mail and news have (RFC 5322 3.6, RFC 5536 3, RFC 2045, RFC 2557, and those
/// that mailers add), in lower case.
const OF_MAIL: &[&str] = &[
    "arc-seal",
    "authentication-results",
    "content-transfer-encoding",
    "delivered-to",
    "dkim-signature",
    "envelope-to",
    "in-reply-to",
    "list-id",
    "list-unsubscribe",
    "message-id",
    "mime-version",
    "newsgroups",
    "nntp-posting-host",
    "received",
    "received-spf",
    "reply-to",
    "resent-from",
    "return-path",
    "snapshot-content-location",
    "x-gm-thrid",
    "x-mailer",
    "x-mozilla-status",
    "x-mozilla-status2",
    "x-original-to",
    "x-received",
    "x-uidl",
    "xref",
];

/// Fields that other texts have too. They count only with a capital letter: `date:` and `path:` are
/// more likely YAML.
const OF_MANY: &[&str] = &[
    "bcc",
    "cc",
    "content-type",
    "date",
    "distribution",
    "followup-to",
    "from",
    "keywords",
    "lines",
    "organization",
    "path",
    "references",
    "sender",
    "status",
    "subject",
    "summary",
    "to",
    "x-status",
];

/// Fields that no message has: of HTTP (RFC 9110) and of control files of packages (Debian Policy
/// 5, Python core metadata).
const OF_OTHERS: &[&str] = &[
    "accept",
    "accept-encoding",
    "accept-ranges",
    "architecture",
    "binary",
    "cache-control",
    "connection",
    "content-encoding",
    "cookie",
    "etag",
    "host",
    "last-modified",
    "maintainer",
    "metadata-version",
    "package",
    "pragma",
    "server",
    "set-cookie",
    "transfer-encoding",
    "vary",
];

/// Returns the format of a file by its first [`HEAD`] bytes. Fewer bytes are all of the file;
/// more are not examined.
///
/// A message consists of fields up to the first empty line; at least two different ones must be
/// fields of mail and news. One of these must be theirs alone, or `From`, `Sender`, `To` or `Cc`
/// must contain an address, or `Path` several hosts.
///
/// ```
/// use relink::container::sniff::{SniffedFormat, of_content};
///
/// assert_eq!(of_content(b"Received: by a\nSubject: b\n\nc"), Some(SniffedFormat::Message));
/// assert_eq!(of_content(b"HTTP/1.1 200 OK\r\nDate: Mon, 1 Jun 2009 04:28:28 GMT\r\n\r\n"), None);
/// ```
pub fn of_content(head: &[u8]) -> Option<SniffedFormat> {
    let kinds = [
        (is_mmdf as fn(&[u8]) -> bool, SniffedFormat::Mmdf),
        (is_message, SniffedFormat::Message),
        (is_mbox, SniffedFormat::Mbox),
    ];
    kinds.into_iter().find(|(is_kind, _)| is_kind(head)).map(|(_, kind)| kind)
}

/// Returns true if a file that begins so is an MMDF mailbox.
pub(super) fn is_mmdf(head: &[u8]) -> bool {
    let head = &head[..head.len().min(HEAD)];
    head.strip_prefix(MARK).is_some_and(|rest| after_line_end(rest, 0).is_some())
}

/// Returns true if a file that begins so is one message.
pub(super) fn is_message(head: &[u8]) -> bool {
    is_header_section(text(head), head.len() >= HEAD)
}

/// Returns true if a file that begins so is an mbox.
pub(super) fn is_mbox(head: &[u8]) -> bool {
    let text = text(head).trim_ascii_start();
    let numbered = || separator::numbered_length(text, Before::Text);
    let length = separator::length(text, Before::EmptyLine).or_else(numbered);
    length.is_some_and(|length| match text[..length].trim_ascii_end() {
        // A line without words says little: what follows must be a message.
        b"From" => is_header_section(&text[length..], head.len() >= HEAD),
        _ => separator::begins_with_field(&text[length..]),
    })
}

/// Returns true if a file that begins so, and whose index is next to it, is an mbox.
pub(super) fn is_mbox_with_index(head: &[u8]) -> bool {
    let text = text(head).trim_ascii_start();
    let length = separator::length(text, Before::Nothing);
    length.is_some_and(|length| separator::begins_with_field(&text[length..]))
}

/// Returns the bytes that are examined, without a byte order mark.
fn text(head: &[u8]) -> &[u8] {
    let head = &head[..head.len().min(HEAD)];
    head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head)
}

/// Returns the name of the format of a mailbox that is not an mbox and is not supported, by its
/// first bytes.
///
/// ```
/// use relink::container::sniff::unsupported_mailbox;
/// assert!(unsupported_mailbox(b"*mbx*\r\n4d5e6f7000000002\r\n").is_some());
/// assert_eq!(unsupported_mailbox(b"From ???@??? Thu Jan 01 00:00:00 1998\r\n"), None);
/// ```
pub fn unsupported_mailbox(head: &[u8]) -> Option<&'static str> {
    // UW-IMAP; the mailboxes of Eudora have the same extension.
    let is_mbx = head.starts_with(b"*mbx*");
    let is_babyl = || head.starts_with(b"BABYL OPTIONS:");
    is_mbx.then_some("mbx mailbox").or_else(|| is_babyl().then_some("Babyl mailbox"))
}

/// Returns true if the text begins with the header section of a message. `is_cut` is true if the
/// text may continue.
fn is_header_section(text: &[u8], is_cut: bool) -> bool {
    let mut seen = Vec::new();
    let mut is_mail = false;
    let mut at = 0;
    while at < text.len() && after_line_end(text, at).is_none() {
        let end = line_end(text, at);
        let line = &text[at..end];
        let is_first = at == 0;
        at = end;
        if line.contains(&0) {
            return false;
        }
        if matches!(line[0], b' ' | b'\t') && !is_first {
            continue;
        }
        let Some((name, value)) = field(line) else {
            if is_cut && !is_first && at == text.len() {
                break;
            }
            return false;
        };
        let is_capital = name[0].is_ascii_uppercase();
        let name = name.to_ascii_lowercase();
        let is_in = |names: &[&'static str]| {
            names.iter().copied().find(|known| known.as_bytes() == name.as_slice())
        };
        if is_in(OF_OTHERS).is_some() {
            return false;
        }
        let of_mail = is_in(OF_MAIL);
        let of_many = is_in(OF_MANY).filter(|_| is_capital);
        let Some(known) = of_mail.or(of_many) else { continue };
        is_mail |= of_mail.is_some() || is_value_of_mail(known, value);
        if !seen.contains(&known) {
            seen.push(known);
        }
    }
    is_mail && seen.len() >= 2
}

/// Returns the name and value of a field on one line.
fn field(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = memchr::memchr(b':', line)?;
    let name = line[..colon].trim_ascii_end();
    let is_name = !name.is_empty() && name.iter().all(u8::is_ascii_graphic);
    is_name.then(|| (name, line[colon + 1..].trim_ascii()))
}

/// Returns true if a value is one that only mail and news have in such a field.
fn is_value_of_mail(name: &str, value: &[u8]) -> bool {
    match name {
        "from" | "sender" | "to" | "cc" => has_address(value),
        "path" => memchr::memchr(b'!', value).is_some(),
        _ => false,
    }
}

/// Returns true if an `@` is between a local part and a domain.
fn has_address(value: &[u8]) -> bool {
    let is_atom = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    memchr::memchr_iter(b'@', value)
        .any(|at| at > 0 && is_atom(value.get(at - 1)) && is_atom(value.get(at + 1)))
}
