//! Messages and mailboxes that could take long.

use super::{Shape, between, counted, flood};

const HTML: &str = "Content-Type: text/html\n\n";
const QUOTED: &str = "Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n";
const MIXED: &str = "Content-Type: multipart/mixed; boundary=b\n\n";
const RELATED: &str = "Content-Type: multipart/related; boundary=b\n\n";

pub(crate) const MESSAGES: &[Shape] = &[
    ("quoted links", |n| {
        between(QUOTED, "<p>text <a href=3D\"../x/=\ny.html\">a link</a>\n", "", n)
    }),
    ("quoted links in one line", |n| between(QUOTED, "<a href=3Dx>", "", n)),
    ("a flood of =", |n| between(QUOTED, "=", "", n)),
    ("a flood of =3D", |n| between(QUOTED, "=3D", "", n)),
    ("soft line breaks", |n| between(QUOTED, "=\n", "", n)),
    ("soft line breaks in a URL", |n| between(&format!("{QUOTED}<a href=3D'"), "x=\n", "'>", n)),
    ("blanks that are dropped", |n| between(QUOTED, "  \n", "", n)),
    ("blanks before nothing", |n| between(QUOTED, " ", "", n)),
    ("base64", |n| {
        between(
            "Content-Type: text/html\nContent-Transfer-Encoding: base64\n\n",
            "PGEgaHJlZj14Pg==\n",
            "",
            n,
        )
    }),
    ("base64 of links", |n| {
        between(
            "Content-Type: text/html\nContent-Transfer-Encoding: base64\n\n",
            "PGEgaHJlZj14PiAg\n",
            "",
            n,
        )
    }),
    ("base64 rubbish", |n| {
        between("Content-Type: text/html\nContent-Transfer-Encoding: base64\n\n", "!A=", "", n)
    }),
    ("one long line", |n| between(HTML, "<a href=x> ", "", n)),
    ("a long field", |n| between("X: ", "a", "\n\n", n)),
    ("a long folded field", |n| between("Content-Location: ", "a\n ", "\n\n", n)),
    ("fields", |n| flood("X: y\n", n)),
    ("fields with URLs", |n| flood("List-Help: <x>\n", n)),
    ("locations", |n| flood("Content-Location: http://h/x\n", n)),
    ("lines that are no fields", |n| flood("x\n", n)),
    ("encoded words", |n| between("Content-Location: ", "=?utf-8?Q?a?= ", "\n\n", n.min(60_000))),
    ("half encoded words", |n| between("Content-Location: ", "=?a", "\n\n", n.min(60_000))),
    ("links in a field", |n| between("Link: ", "<x>,", "\n\n", n.min(60_000))),
    ("parts", |n| between(MIXED, "--b\n\nx\n", "--b--\n", n)),
    ("empty parts", |n| between(MIXED, "--b\n", "", n)),
    ("HTML parts", |n| {
        between(MIXED, "--b\nContent-Type: text/html\n\n<a href=x>\n", "--b--\n", n)
    }),
    ("related parts", |n| {
        counted(
            RELATED,
            |idx| {
                format!(
                    "--b\nContent-Type: text/html\nContent-Location: x{idx}\n\n<a href=x{idx}>\n"
                )
            },
            "--b--\n",
            n,
        )
    }),
    ("lines of dashes", |n| between(&format!("{MIXED}--b\n{HTML}"), "--\n", "\n--b--\n", n)),
    ("dashes", |n| between(&format!("{MIXED}--b\n{HTML}"), "-", "\n--b--\n", n)),
    ("nearly delimiters", |n| between(&format!("{MIXED}--b\n{HTML}"), "--bb\n", "\n--b--\n", n)),
    ("a long boundary", |n| {
        let boundary = "-".repeat(8000);
        let start = format!("Content-Type: multipart/mixed; boundary={boundary}\n\n");
        between(&start, "-------\n", "", n)
    }),
    ("nested multiparts", |n| {
        counted(
            "",
            |idx| format!("Content-Type: multipart/mixed; boundary=b{idx}\n\n--b{idx}\n"),
            "",
            n,
        )
    }),
    ("nested messages", |n| between("", "Content-Type: message/rfc822\n\n", "", n)),
    ("digests", |n| {
        between("Content-Type: multipart/digest; boundary=b\n\n", "--b\n\nSubject: x\n\ny\n", "", n)
    }),
    ("signed parts", |n| {
        between(
            "Content-Type: multipart/signed; boundary=b\n\n",
            "--b\nContent-Type: text/html\n\n<a href=x>\n",
            "",
            n,
        )
    }),
    ("base headings", |n| {
        between(
            MIXED,
            "--b\nContent-Base: http://h/\nContent-Type: text/html\n\n<a href=x>\n",
            "",
            n,
        )
    }),
    ("parts in lines that end with CR", |n| {
        let part = "--b\rContent-Type: text/html\r\r<a href=x>\r";
        between("Content-Type: multipart/mixed; boundary=b\r\r", part, "--b--\r", n)
    }),
    ("checksums", |n| {
        between(
            "Content-Type: text/html\n",
            "Content-MD5: 1B2M2Y8AsgTpgAmY7PhCfg==\n",
            "\n<a href=x>\n",
            n,
        )
    }),
    ("carriage returns", |n| between(HTML, "\r", "", n)),
    ("NULs", |n| between(HTML, "\0", "", n)),
];

pub(crate) const MAILBOXES: &[Shape] = &[
    ("newsletters", |n| {
        between(
            "",
            "From a@b Thu Aug 23 09:10:23 2018\nContent-Type: text/html\nContent-Base: http://h/\n\n<a href=x>\n\n",
            "",
            n,
        )
    }),
    ("separators", |n| flood("From a@b Thu Aug 23 09:10:23 2018\n\n", n)),
    ("nearly separators", |n| {
        between("From a@b Thu Aug 23 09:10:23 2018\n\n", "\nFrom here on\n", "", n)
    }),
    ("lengths", |n| {
        between("", "From a@b Thu Aug 23 09:10:23 2018\nContent-Length: 1000000\n\nx\n\n", "", n)
    }),
];
