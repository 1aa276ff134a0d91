//! `check --lint`: what the specifications of URLs warn of. None of it is broken.
//!
//! `ALL` is the only list of the codes: `--explain`, the messages and the table in
//! `docs/commands.md` are made of it.

use urlcore::scheme::default_port;
use urlcore::{Dialect, Form, Reference, Server};

/// A warning of a specification.
#[derive(Debug, PartialEq, Eq)]
pub struct Lint {
    /// Its name.
    pub code: &'static str,
    /// The references that it is about, in a few words.
    pub subject: &'static str,
    /// The specifications that warn of it, by the names of dialects, each with the section.
    pub source: &'static str,
    /// What it means, and what to do.
    pub text: &'static str,
}

/// All warnings, in the order in which they are reported.
pub const ALL: [Lint; 7] = [
    Lint {
        code: "password",
        subject: "has a password, which everybody reads who reads the document",
        source: "url-syntax-1996 6, url-1993 \"Security considerations\"",
        text: "\"It is clearly unwise to use a URL that contains a password which is intended to be secret.\"
Everybody who has the document, its copies or a log of requests has the password too.

    <a href=ftp://user:secret@h.example/>

Remove it, and change it at the server.",
    },
    Lint {
        code: "other-port",
        subject: "has the port of another protocol, such as 25 of SMTP in a `gopher` URL",
        source: "url-syntax-1996 6",
        text: "\"The client unwittingly contacts a server which is in fact running a different protocol\", which
reads what the URL contains as commands: \"the use of gopher URLs to cause an unintended or
impersonating message to be sent via a SMTP server\". Browsers refuse most such ports.

    <a href=gopher://h.example:25/0HELO>

Correct the port or the scheme.",
    },
    Lint {
        code: "escaped-line-end",
        subject: "has an escaped CR or LF (`%0D`, `%0A`) before its fragment",
        source: "url-syntax-1996 6",
        text: "Unescaped before transmission, \"such characters [could] be used to simulate an extra operation or
parameter in that protocol\". In a query of http they are common and mostly harmless.

    <a href=telnet://user%0D%0Arm@h.example/>",
    },
    Lint {
        code: "unwise-character",
        subject: "has a character that the grammar calls unwise: ``{ } | \\ ^ [ ] ` ``",
        source: "url-syntax-1996 2.3.3",
        text: "These characters \"are excluded because gateways and other transport agents are known to sometimes
modify such characters, or they are used as delimiters\".

    <a href='list.cgi?a|b'>        write list.cgi?a%7Cb

`relink url escape` writes the escapes.",
    },
    Lint {
        code: "national-character",
        subject: "has a character outside of ASCII",
        source: "url-syntax-1996 2.3.3",
        text: "Such characters \"are often difficult or impossible to transcribe\", and which bytes they become in a
query depends on the charset of the document. Browsers accept them.

    <a href=caf\u{e9}.html>             write caf%C3%A9.html",
    },
    Lint {
        code: "type-in-base",
        subject: "is a base with `;type=`",
        source: "rfc1808-draft05 5.3",
        text: "Whether an ftp URL with \";type=d\" ends with a slash is ambiguous, so \"it is recommended that the
';type=d' parameter value not be used within contexts that allow relative URLs\".

    <base href='ftp://h.example/pub/docs;type=d'>

Write the directory with a slash at its end: ftp://h.example/pub/docs/.",
    },
    Lint {
        code: "colon-in-first-segment",
        subject: "is relative, or meant so, and has a colon in its first segment",
        source: "url-syntax-1996 5, rfc1808-draft05 5.3",
        text: "A path segment with a colon \"cannot be used as the first segment of a relative URL path (e.g.,
'this:that'), because it would be mistaken for a scheme name\". It is reported if there is such a
file, or if no scheme can have this name.

    <a href=Talk:Tides>            there is a file Talk:Tides; write ./Talk:Tides",
    },
];

/// A warning about one reference: with a sentence.
pub type Found = (&'static Lint, String);

const PASSWORD: &Lint = &ALL[0];
const OTHER_PORT: &Lint = &ALL[1];
const ESCAPED_LINE_END: &Lint = &ALL[2];
const UNWISE_CHARACTER: &Lint = &ALL[3];
const NATIONAL_CHARACTER: &Lint = &ALL[4];
const TYPE_IN_BASE: &Lint = &ALL[5];
const COLON: &Lint = &ALL[6];

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
) -> Vec<Found> {
    let mut found = Vec::new();
    let reference = Reference::split(text, dialect);
    let scheme = reference.scheme().map(str::to_ascii_lowercase);
    let is = |names: &[&str]| scheme.as_deref().is_some_and(|scheme| names.contains(&scheme));
    let server = reference.authority().map(Server::split);
    if let Some(server) = &server {
        if server.password.is_some_and(|password| !password.is_empty()) {
            found.push((PASSWORD, "it contains a password".to_owned()));
        }
        let own = scheme.as_deref().unwrap_or("http");
        if let Some((port, protocol)) = other_protocol(own, server) {
            found.push((OTHER_PORT, format!("port {port} is that of {protocol}")));
        }
    }
    let is_text = is(&OF_TEXT);
    let before_fragment = text.split('#').next().unwrap_or_default();
    // In mail, they are the ends of lines (RFC 6068).
    if !is_text && !is(&["mailto"]) && has_escaped_line_end(before_fragment) {
        let reason = "it contains an escaped line end, which servers may read as one";
        found.push((ESCAPED_LINE_END, reason.to_owned()));
    }
    if !is_text {
        let literal = server.map(|server| server.host).filter(|host| host.starts_with('['));
        let (before, after) = literal.and_then(|host| text.split_once(host)).unwrap_or((text, ""));
        let mut chars = before.chars().chain(after.chars());
        if let Some(char) = chars.clone().find(|char| "{}|\\^[]`".contains(*char)) {
            found.push((UNWISE_CHARACTER, format!("it contains {char}, which should be escaped")));
        }
        if let Some(char) = chars.find(|char| !char.is_ascii()) {
            let reason = format!("it contains {char}, which is not ASCII");
            found.push((NATIONAL_CHARACTER, reason));
        }
    }
    let path = before_fragment.split('?').next().unwrap_or_default();
    if is_base && path.to_ascii_lowercase().contains(";type=") {
        found.push((TYPE_IN_BASE, "it is a base with ;type=".to_owned()));
    }
    let first = path.split(['/', '\\']).next().unwrap_or_default();
    let is_relative = reference.form() == Form::RelativePath;
    if first.contains(':') && !is_text && (is_relative || has_file()) {
        let reason = format!("its first segment has a colon; write ./{text}");
        found.push((COLON, reason));
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
        found.iter().map(|(lint, _)| lint.code).collect::<Vec<_>>().join(" ")
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
    fn the_codes_are_in_order() {
        let named = [PASSWORD, OTHER_PORT, ESCAPED_LINE_END, UNWISE_CHARACTER, NATIONAL_CHARACTER];
        let named = named.into_iter().chain([TYPE_IN_BASE, COLON]).map(|lint| lint.code);
        assert_eq!(named.collect::<Vec<_>>(), ALL.each_ref().map(|lint| lint.code));
        assert!(PORTS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for lint in &ALL {
            assert!(lint.text.lines().all(|line| line.chars().count() <= 100), "{}", lint.code);
        }
    }
}
