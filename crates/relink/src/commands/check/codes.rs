//! The names of the problems that `check` finds, and what they mean: `check --explain NAME`.

use crate::events::lint::{self, Lint};
use crate::os::suggest;

/// The name of a problem, in a few words, and at length.
struct Code {
    name: &'static str,
    text: &'static str,
}

/// All problems, in the order of the help.
const CODES: [Code; 14] = [
    Code {
        name: "no-file",
        text: "The reference points into the tree, where no file has this name. A visitor gets an error
page, or a picture is missing.

    <img src=img/log.png>          there is img/logo.png only

Correct the reference, or put the file there. If many references are broken in the same way, look
at `relink check PATH --top 10` first: often one directory is missing, or --base is not the URL of
PATH. For a site whose server finds `about.html` for `about`, use --clean-urls; for other names of
index files, --index.",
    },
    Code {
        name: "letter-case",
        text: "The reference points into the tree, and only a file with other letter case exists. It works on
Windows and macOS, and is broken on most web servers.

    <a href=About.html>            the file is about.html

Write the reference as the file is named.",
    },
    Code {
        name: "escape",
        text: "The reference points into the tree, and the name of a file contains its escapes or its query
literally. Mirroring programs write such names. A server takes `%20` for a space, and what follows
`?` for a query, so that it looks for another file.

    <a href='page.php?id=3'>       the file is named page.php?id=3

Write the name with escapes: page.php%3Fid=3. For a tree that is read from a disk,
`relink relativize --for file` corrects all of them.",
    },
    Code {
        name: "no-index",
        text: "The reference points to a directory without an index file. A server lists the files in it, or
refuses to; a browser that opens the tree from a disk shows a list of files.

    <a href=docs/>                 there is no docs/index.html

If the server uses other names, add them: `--index default.htm`.",
    },
    Code {
        name: "leaves-tree",
        text: "The reference is relative, and points out of the tree.

    <a href=../../x.html>          in a page directly in PATH

If it begins with `/`, and no --base is given, the tree is checked as it lies on the disk, where `/`
is the root of the disk: use --base URL to set the URL of the tree.",
    },
    Code {
        name: "this-machine",
        text: "The reference is a `file:` URL, or begins with the letter of a drive: it points to a file of the
machine on which it was written, or of a file server, and is broken everywhere else.

    <a href=file:///C:/Users/me/x.html>

If the file is in the tree, `relink move PATH --from file:///C:/Users/me/ --to URL` corrects all of
them.",
    },
    Code {
        name: "no-scheme",
        text: "The reference begins with `//`, so that it has the scheme of its document. In a tree that is
opened from a disk that is `file:`, and a file server is asked.

    <script src=//cdn.example/x.js>

`relink absolutize PATH --base URL` writes the scheme.",
    },
    Code {
        name: "no-fragment",
        text: "The file exists, and no element in it has the name after `#`. A browser shows the start of the
page. It is reported with --fragments only.

    <a href=page.html#chapter2>    page.html has no id=chapter2

Scripts may add the name later; relink runs none.",
    },
    Code {
        name: "no-part",
        text: "The reference is to a part of its own message, by its Content-ID (RFC 2392), and the message has
no such part. The picture is missing in a mail program.

    <img src=cid:logo@example>     no part has Content-ID: <logo@example>

Identifiers in URLs are escaped: `cid:a%25b` is the part with `Content-ID: <a%b>`.",
    },
    Code {
        name: "no-url",
        text: "The reference is not a URL: browsers reject it.

    <a href=http://[::1>           the address is not closed

Correct it by hand; relink does not guess what is meant.",
    },
    Code {
        name: "no-base",
        text: "The value of a <base>, or of a header field with a base, gives no base: it is not a URL, or one
against which nothing can be resolved. Browsers pass over it, so that all relative references of the
document count from its own URL.

    <base href=mailto:me@example>",
    },
    Code {
        name: "mixed-content",
        text: "The page comes by `https`, and what it loads by `http`: browsers block scripts, style sheets and
frames, and request pictures, audio and video by `https` instead (W3C Mixed Content).

    <script src=http://h.example/x.js>

`relink move PATH --from http://h.example/ --to https://h.example/` corrects all of them.",
    },
    Code {
        name: "stale",
        text: "The reference points to an old URL of the tree, which you named with --stale. The page may still
be there for now, or redirect.

`relink move PATH --from OLD --to NEW` corrects all of them.",
    },
    Code {
        name: "stale-text",
        text: "A line of text contains an old URL of the tree, which you named with --stale, and is not a
reference that relink knows: in a script, a handler, a data- attribute, JSON, .htaccess. Or it is
part of a reference to something else: in a query, or in code (`javascript:`). It does not count as
broken, and relink does not change it. Look at each line, and correct it by hand if it is used as a
URL.",
    },
];

/// Returns the explanation of a problem; `None` for a name that does not exist.
pub(crate) fn explain(name: &str) -> Option<String> {
    if let Some(lint) = lint::ALL.iter().find(|lint| lint.code == name) {
        let Lint { code, subject, source, text } = lint;
        return Some(format!("{code}\n\nThe reference {subject} ({source}).\n\n{text}\n"));
    }
    let code = CODES.iter().find(|code| code.name == name)?;
    Some(format!("{}\n\n{}\n", code.name, code.text))
}

/// Returns the names that exist, and perhaps the one that was meant.
pub(crate) fn expected(name: &str) -> String {
    let mut names = CODES.map(|code| code.name).to_vec();
    names.extend(lint::ALL.iter().map(|lint| lint.code));
    let similar = suggest::similar(name, names.iter().copied());
    format!("expected {}{similar}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::problem::Problem;

    #[test]
    fn each_problem_is_explained() {
        let problems = [
            Problem::NoUrl(String::new()),
            Problem::NoFile(String::new()),
            Problem::LetterCase(String::new()),
            Problem::Escape(String::new(), None),
            Problem::NoIndex(String::new()),
            Problem::LeavesTree,
            Problem::ThisMachine,
            Problem::NoScheme,
            Problem::NoFragment(String::new()),
            Problem::NoPart(String::new()),
            Problem::NoBase(String::new()),
            Problem::MixedContent(true),
            Problem::Stale(String::new()),
            Problem::StaleText(String::new()),
        ];
        assert_eq!(problems.len(), CODES.len());
        for problem in problems {
            let text = explain(problem.name()).unwrap();
            assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        }
        assert_eq!(explain("nofile"), None);
        assert!(expected("nofile").ends_with("; did you mean 'no-file'?"));
    }
}
