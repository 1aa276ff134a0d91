//! What is said of the problems that `check` finds: one row for each, problems and the warnings of
//! `--lint`.
//!
//! Its name in JSON and in `--explain`, the list in the help, the words of the page of `--report`,
//! the tables of `docs/commands.md` and the names in `docs/schema/relink.json` are made of the row.
//! The message of one problem is that of `Problem`.

/// A kind of problem.
#[derive(Debug, PartialEq, Eq)]
pub struct ProblemKind {
    /// Its name.
    pub name: &'static str,
    /// The references that have it, in a few words of Markdown that follow "the reference".
    pub words: &'static str,
    /// A heading for such references.
    pub label: &'static str,
    /// Only for a warning: the specifications that warn of it, by the names of dialects, each with
    /// the section.
    pub source: Option<&'static str>,
    /// What it means, and what to do.
    pub text: &'static str,
}

/// All kinds, in the order in which they are listed; warnings come last.
pub static KINDS: [&ProblemKind; 21] = [
    &NO_FILE,
    &LETTER_CASE,
    &ESCAPE,
    &NO_INDEX,
    &LEAVES_TREE,
    &THIS_MACHINE,
    &NO_SCHEME,
    &NO_FRAGMENT,
    &NO_PART,
    &NO_URL,
    &NO_BASE,
    &MIXED_CONTENT,
    &STALE,
    &STALE_TEXT,
    &PASSWORD,
    &OTHER_PORT,
    &ESCAPED_LINE_END,
    &UNWISE_CHARACTER,
    &NATIONAL_CHARACTER,
    &TYPE_IN_BASE,
    &COLON_IN_FIRST_SEGMENT,
];

/// Returns the kind with this name.
pub fn named(name: &str) -> Option<&'static ProblemKind> {
    KINDS.into_iter().find(|kind| kind.name == name)
}

pub static NO_FILE: ProblemKind = ProblemKind {
    name: "no-file",
    words: "points into the tree, where no file has this name",
    label: "no such file",
    source: None,
    text: "A visitor gets an error page, or a picture is missing.

    <img src=img/log.png>          there is img/logo.png only

Correct the reference, or put the file there. If many references are broken in the same way, look
at `relink check PATH --top 10` first: often one directory is missing, or --base is not the URL of
PATH. For a site whose server finds `about.html` for `about`, use --clean-urls; for other names of
index files, --index.",
};

pub static LETTER_CASE: ProblemKind = ProblemKind {
    name: "letter-case",
    words: "points into the tree, where a file has this name in other letter case only",
    label: "other letter case",
    source: None,
    text: "It works on Windows and macOS, and is broken on most web servers.

    <a href=About.html>            the file is about.html

Write the reference as the file is named.",
};

pub static ESCAPE: ProblemKind = ProblemKind {
    name: "escape",
    words: "points into the tree, where a name of a file has its escapes or query literally",
    label: "escapes or query in a file name",
    source: None,
    text: "Mirroring programs write such names. A server takes `%20` for a space, and what follows `?` for a
query, so that it looks for another file.

    <a href='page.php?id=3'>       the file is named page.php?id=3

Write the name with escapes: page.php%3Fid=3. For a tree that is read from a disk,
`relink relativize --for file` corrects all of them.",
};

pub static NO_INDEX: ProblemKind = ProblemKind {
    name: "no-index",
    words: "points to a directory without an index file",
    label: "no index file",
    source: None,
    text: "A server lists the files in it, or refuses to; a browser that opens the tree from a disk shows a
list of files.

    <a href=docs/>                 there is no docs/index.html

If the server uses other names, add them: `--index default.htm`.",
};

pub static LEAVES_TREE: ProblemKind = ProblemKind {
    name: "leaves-tree",
    words: "is relative, and points out of the tree, or out of an EPUB",
    label: "out of the tree",
    source: None,
    text: "    <a href=../../x.html>          in a page directly in PATH

If it begins with `/`, and no --base is given, the tree is checked as it lies on the disk, where `/`
is the root of the disk: use --base URL to set the URL of the tree.",
};

pub static THIS_MACHINE: ProblemKind = ProblemKind {
    name: "this-machine",
    words: "is a `file:` URL, or begins with the letter of a drive",
    label: "a file URL",
    source: None,
    text: "It points to a file of the machine on which it was written, or of a file server, and is broken
everywhere else.

    <a href=file:///C:/Users/me/x.html>

If the file is in the tree, `relink move PATH --from file:///C:/Users/me/ --to URL` corrects all of
them.",
};

pub static NO_SCHEME: ProblemKind = ProblemKind {
    name: "no-scheme",
    words: "begins with `//`, which on a disk is a file server",
    label: "without a scheme",
    source: None,
    text: "It has the scheme of its document. In a tree that is opened from a disk that is `file:`, and a file
server is asked.

    <script src=//cdn.example/x.js>

`relink absolutize PATH --base URL` writes the scheme.",
};

pub static NO_FRAGMENT: ProblemKind = ProblemKind {
    name: "no-fragment",
    words: "has a fragment that is not the name of an element (with `--fragments`)",
    label: "no such fragment",
    source: None,
    text: "The file exists, and no element in it has the name after `#`. A browser shows the start of the
page.

    <a href=page.html#chapter2>    page.html has no id=chapter2

Scripts may add the name later; relink runs none.",
};

pub static NO_PART: ProblemKind = ProblemKind {
    name: "no-part",
    words: "is to a part of its message that does not exist",
    label: "no such part",
    source: None,
    text:
        "It names the part by its Content-ID (RFC 2392). The picture is missing in a mail program.

    <img src=cid:logo@example>     no part has Content-ID: <logo@example>

Identifiers in URLs are escaped: `cid:a%25b` is the part with `Content-ID: <a%b>`.",
};

pub static NO_URL: ProblemKind = ProblemKind {
    name: "no-url",
    words: "is not a URL",
    label: "not a URL",
    source: None,
    text: "Browsers reject it.

    <a href=http://[::1>           the address is not closed

Correct it by hand; relink does not guess what is meant.",
};

pub static NO_BASE: ProblemKind = ProblemKind {
    name: "no-base",
    words: "is a `<base>`, or a header field with a base, that gives no base",
    label: "gives no base",
    source: None,
    text: "It is not a URL, or one against which nothing can be resolved. Browsers pass over it, so that all
relative references of the document count from its own URL.

    <base href=mailto:me@example>",
};

pub static MIXED_CONTENT: ProblemKind = ProblemKind {
    name: "mixed-content",
    words: "is loaded by `http` from a page at `https`",
    label: "http in a page at https",
    source: None,
    text: "Browsers block scripts, style sheets and frames, and request pictures, audio and video by `https`
instead (W3C Mixed Content).

    <script src=http://h.example/x.js>

`relink move PATH --from http://h.example/ --to https://h.example/` corrects all of them.",
};

pub static STALE: ProblemKind = ProblemKind {
    name: "stale",
    words: "points to an old URL of the tree (with `--stale`)",
    label: "an old URL",
    source: None,
    text: "The page may still be there for now, or redirect.

`relink move PATH --from OLD --to NEW` corrects all of them.",
};

pub static STALE_TEXT: ProblemKind = ProblemKind {
    name: "stale-text",
    words: "is text with an old URL, and not a reference that relink knows (with `--stale`)",
    label: "an old URL in other text",
    source: None,
    text:
        "It is a line in a script, a handler, a data- attribute, JSON, .htaccess. Or it is part of a
reference to something else: in a query, or in code (`javascript:`). It does not count as broken,
and relink does not change it. Look at each line, and correct it by hand if it is used as a URL.",
};

pub static PASSWORD: ProblemKind = ProblemKind {
    name: "password",
    words: "has a password, which everybody reads who reads the document",
    label: "password",
    source: Some("url-syntax-1996 6, url-1993 \"Security considerations\""),
    text: "\"It is clearly unwise to use a URL that contains a password which is intended to be secret.\"
Everybody who has the document, its copies or a log of requests has the password too.

    <a href=ftp://user:secret@h.example/>

Remove it, and change it at the server.",
};

pub static OTHER_PORT: ProblemKind = ProblemKind {
    name: "other-port",
    words: "has the port of another protocol, such as 25 of SMTP in a `gopher` URL",
    label: "other port",
    source: Some("url-syntax-1996 6"),
    text: "\"The client unwittingly contacts a server which is in fact running a different protocol\", which
reads what the URL contains as commands: \"the use of gopher URLs to cause an unintended or
impersonating message to be sent via a SMTP server\". Browsers refuse most such ports.

    <a href=gopher://h.example:25/0HELO>

Correct the port or the scheme.",
};

pub static ESCAPED_LINE_END: ProblemKind = ProblemKind {
    name: "escaped-line-end",
    words: "has an escaped CR or LF (`%0D`, `%0A`) before its fragment",
    label: "escaped line end",
    source: Some("url-syntax-1996 6"),
    text: "Unescaped before transmission, \"such characters [could] be used to simulate an extra operation or
parameter in that protocol\". In a query of http they are common and mostly harmless.

    <a href=telnet://user%0D%0Arm@h.example/>",
};

pub static UNWISE_CHARACTER: ProblemKind = ProblemKind {
    name: "unwise-character",
    words: "has a character that the grammar calls unwise: ``{ } | \\ ^ [ ] ` ``",
    label: "unwise character",
    source: Some("url-syntax-1996 2.3.3"),
    text: "These characters \"are excluded because gateways and other transport agents are known to sometimes
modify such characters, or they are used as delimiters\".

    <a href='list.cgi?a|b'>        write list.cgi?a%7Cb

`relink url escape` writes the escapes.",
};

pub static NATIONAL_CHARACTER: ProblemKind = ProblemKind {
    name: "national-character",
    words: "has a character outside of ASCII",
    label: "national character",
    source: Some("url-syntax-1996 2.3.3"),
    text: "Such characters \"are often difficult or impossible to transcribe\", and which bytes they become in a
query depends on the charset of the document. Browsers accept them.

    <a href=caf\u{e9}.html>             write caf%C3%A9.html",
};

pub static TYPE_IN_BASE: ProblemKind = ProblemKind {
    name: "type-in-base",
    words: "is a base with `;type=`",
    label: "type in base",
    source: Some("rfc1808-draft05 5.3"),
    text: "Whether an ftp URL with \";type=d\" ends with a slash is ambiguous, so \"it is recommended that the
';type=d' parameter value not be used within contexts that allow relative URLs\".

    <base href='ftp://h.example/pub/docs;type=d'>

Write the directory with a slash at its end: ftp://h.example/pub/docs/.",
};

pub static COLON_IN_FIRST_SEGMENT: ProblemKind = ProblemKind {
    name: "colon-in-first-segment",
    words: "is relative, or meant so, and has a colon in its first segment",
    label: "colon in first segment",
    source: Some("url-syntax-1996 5, rfc1808-draft05 5.3"),
    text: "A path segment with a colon \"cannot be used as the first segment of a relative URL path (e.g.,
'this:that'), because it would be mistaken for a scheme name\". It is reported if there is such a
file, or if no scheme can have this name.

    <a href=Talk:Tides>            there is a file Talk:Tides; write ./Talk:Tides",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_a_terminal() {
        for kind in KINDS {
            assert!(kind.text.lines().all(|line| line.chars().count() <= 100), "{}", kind.name);
        }
    }
}
