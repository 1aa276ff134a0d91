//! `check --lint`: what the specifications of URLs warn of. None of it is broken.

use urlcore::scheme::default_port;
use urlcore::{Dialect, Form, Reference, Server};

use crate::events::problem_kinds::{
    COLON_IN_FIRST_SEGMENT, ESCAPED_LINE_END, NATIONAL_CHARACTER, OTHER_PORT, PASSWORD,
    ProblemKind, TYPE_IN_BASE, UNWISE_CHARACTER,
};

/// A warning about one reference: with a sentence.
pub type LintWarning = (&'static ProblemKind, String);

/// The schemes of URLs that contain other text, whose characters are not those of a URL.
const OF_TEXT: [&str; 4] = ["data", "javascript", "about", "blob"];

/// The ports of protocols: those that browsers refuse (Fetch standard, section 2.9, with the names
/// there), and those of the schemes of RFC 1738.
#[rustfmt::skip]
const PORTS: [(u16, &str); 88] = [
    (1, "tcpmux"), (7, "echo"), (9, "discard"), (11, "systat"), (13, "daytime"), (15, "netstat"),
    (17, "qotd"), (19, "chargen"), (20, "ftp-data"), (21, "ftp"), (22, "ssh"), (23, "telnet"),
    (25, "smtp"), (37, "time"), (42, "name"), (43, "nicname"), (53, "domain"), (69, "tftp"),
    (70, "gopher"), (77, "rje"), (79, "finger"), (80, "http"), (87, "link"), (95, "supdup"),
    (101, "hostname"), (102, "iso-tsap"), (103, "gppitnp"), (104, "acr-nema"), (109, "pop2"),
    (110, "pop3"), (111, "sunrpc"), (113, "auth"), (115, "sftp"), (117, "uucp-path"),
    (119, "nntp"), (123, "ntp"), (135, "epmap"), (137, "netbios-ns"), (139, "netbios-ssn"),
    (143, "imap"), (161, "snmp"), (179, "bgp"), (210, "wais"), (389, "ldap"), (427, "svrloc"),
    (443, "https"), (445, "microsoft-ds"), (465, "submissions"), (512, "exec"), (513, "rlogin"),
    (514, "shell"), (515, "printer"), (526, "tempo"), (530, "courier"), (531, "chat"),
    (532, "netnews"), (540, "uucp"), (548, "afp"), (554, "rtsp"), (556, "remotefs"),
    (563, "nntps"), (587, "submission"), (601, "syslog-conn"), (636, "ldaps"), (989, "ftps-data"),
    (990, "ftps"), (993, "imaps"), (995, "pop3s"), (1525, "prospero"), (1719, "h323gatestat"),
    (1720, "h323hostcall"), (1723, "pptp"), (2049, "nfs"), (3659, "apple-sasl"), (4045, "npp"),
    (4190, "sieve"), (5060, "sip"), (5061, "sips"), (6000, "x11"), (6566, "sane-port"),
    (6665, "irc"), (6666, "irc"), (6667, "irc"), (6668, "irc"), (6669, "irc"), (6679, "osaut"),
    (6697, "ircs"), (10080, "amanda"),
];

/// Returns the warnings about a reference, as it is written, without what browsers remove.
/// `is_base` is true if it gives a base; `has_file` returns true if there is a file of this name.
pub fn of(
    text: &str,
    is_base: bool,
    dialect: Dialect,
    has_file: impl FnOnce() -> bool,
) -> Vec<LintWarning> {
    let mut found = Vec::new();
    let reference = Reference::split(text, dialect);
    let scheme = reference.scheme().map(str::to_ascii_lowercase);
    let is = |names: &[&str]| scheme.as_deref().is_some_and(|scheme| names.contains(&scheme));
    let server = reference.authority().map(Server::split);
    if let Some(server) = &server {
        if server.password.is_some_and(|password| !password.is_empty()) {
            found.push((&PASSWORD, "it contains a password".to_owned()));
        }
        let own = scheme.as_deref().unwrap_or("http");
        if let Some((port, protocol)) = other_protocol(own, server) {
            found.push((&OTHER_PORT, format!("port {port} is that of {protocol}")));
        }
    }
    let is_text = is(&OF_TEXT);
    let before_fragment = text.split('#').next().unwrap_or_default();
    // In mail, they are the ends of lines (RFC 6068).
    if !is_text && !is(&["mailto"]) && has_escaped_line_end(before_fragment) {
        let reason = "it contains an escaped line end, which servers may read as one";
        found.push((&ESCAPED_LINE_END, reason.to_owned()));
    }
    if !is_text {
        let literal = server.map(|server| server.host).filter(|host| host.starts_with('['));
        let (before, after) = literal.and_then(|host| text.split_once(host)).unwrap_or((text, ""));
        let mut chars = before.chars().chain(after.chars());
        if let Some(char) = chars.clone().find(|char| "{}|\\^[]`".contains(*char)) {
            found.push((&UNWISE_CHARACTER, format!("it contains {char}, which should be escaped")));
        }
        if let Some(char) = chars.find(|char| !char.is_ascii()) {
            let reason = format!("it contains {char}, which is not ASCII");
            found.push((&NATIONAL_CHARACTER, reason));
        }
    }
    let path = before_fragment.split('?').next().unwrap_or_default();
    if is_base && path.to_ascii_lowercase().contains(";type=") {
        found.push((&TYPE_IN_BASE, "it is a base with ;type=".to_owned()));
    }
    let first = path.split(['/', '\\']).next().unwrap_or_default();
    let is_relative = reference.form() == Form::RelativePath;
    if first.contains(':') && !is_text && (is_relative || has_file()) {
        let reason = format!("its first segment has a colon; write ./{text}");
        found.push((&COLON_IN_FIRST_SEGMENT, reason));
    }
    found
}

/// Returns the port of a server, and the other protocol that it is of.
fn other_protocol(scheme: &str, server: &Server<'_>) -> Option<(u16, &'static str)> {
    let own = default_port(scheme)?;
    let port: u16 = server.port?.parse().ok()?;
    let (_, protocol) = PORTS.iter().find(|(other, _)| *other == port)?;
    (own.parse() != Ok(port) && *protocol != scheme).then_some((port, protocol))
}

fn has_escaped_line_end(text: &str) -> bool {
    text.as_bytes()
        .windows(3)
        .any(|escape| escape.starts_with(b"%0") && matches!(escape[2] | 0x20, b'a' | b'd'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str, is_base: bool) -> String {
        let found = of(text, is_base, Dialect::Web, || text.starts_with("Talk:"));
        found.iter().map(|(lint, _)| lint.name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_warned_of() {
        for (text, expected) in [
            ("ftp://u:p@h/", "password"),
            ("//u:p@h/", "password"),
            ("ftp://u:@h/", ""),
            ("ftp://u@h/a:b", ""),
            ("gopher://h:25/0HELO%0D%0Ax", "other-port escaped-line-end"),
            ("http://h:80/", ""),
            ("http://h:443/", "other-port"),
            ("//h:6667/", "other-port"),
            ("http://h:8080/", ""),
            ("irc://h:6667/", ""),
            ("http://[::1]:25/", "other-port"),
            ("http://[::1]/a[1]", "unwise-character"),
            ("http://[::1]/", ""),
            ("telnet://u%0arm@h/", "escaped-line-end"),
            ("a#%0A", ""),
            ("mailto:a@h?body=x%0D%0Ay", ""),
            ("data:,%0A{\u{e9}}", ""),
            ("a|b", "unwise-character"),
            ("a\\b", "unwise-character"),
            ("a#{x}\u{e9}", "unwise-character national-character"),
            ("a;type=d", ""),
            ("1a:b/c", "colon-in-first-segment"),
            ("./1a:b", ""),
            ("a/b:c", ""),
            ("?a:b", ""),
            ("Talk:Tides", "colon-in-first-segment"),
            ("urn:x:y", ""),
        ] {
            assert_eq!(codes(text, false), expected, "{text}");
        }
        assert_eq!(codes("ftp://h/pub;TYPE=d", true), "type-in-base");
        assert_eq!(codes("ftp://h/pub/?;type=d", true), "");
    }

    #[test]
    fn ports_are_sorted() {
        assert!(PORTS.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
