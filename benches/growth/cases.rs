//! What is measured: shapes, and what the program is asked to do with them.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::measure::AND;
use super::trees::Tree;
use super::{
    Shape, archives, asked, gzip, html, http, json, lines, mail, text, trees, vocabularies, xml,
};

/// What makes the input of a size.
#[derive(Clone, Copy)]
pub(crate) enum Input {
    /// A file of this name.
    File(&'static str, fn(usize) -> Vec<u8>),
    /// A directory.
    Tree(fn(&Path, usize)),
    /// A directory, and what is named in it.
    In(fn(&Path, usize), fn(PathBuf) -> Vec<OsString>),
}

/// A shape, and what is done with it.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) input: Input,
    /// The arguments of the program, but for the input and the output.
    pub(crate) args: &'static [&'static str],
}

impl Case {
    /// Makes the input of a size in a directory. Its arguments.
    pub(crate) fn make(&self, n: usize, folder: &Path, out: &Path) -> Vec<OsString> {
        let tree = |make: fn(&Path, usize)| {
            let root = folder.join(format!("tree{n}"));
            if !root.exists() {
                fs::create_dir(&root).unwrap();
                make(&root, n / BYTES_PER_FILE);
            }
            root
        };
        let named = match self.input {
            Input::File(name, make) => {
                let path = folder.join(name);
                fs::write(&path, make(n)).unwrap();
                vec![path.into()]
            }
            Input::Tree(make) => vec![tree(make).into()],
            Input::In(make, named) => named(tree(make)),
        };
        let mut args: Vec<OsString> = self.args.iter().map(OsString::from).collect();
        args.extend(named);
        if !ONLY_PRINT.contains(&self.args[0]) && !self.args.contains(&IN_PLACE) {
            args.extend(["-o".into(), out.into()]);
        }
        args
    }
}

/// A file costs as much as so many bytes.
pub(crate) const BYTES_PER_FILE: usize = 500;

/// The commands that write no output.
const ONLY_PRINT: [&str; 4] = ["bases", "check", "mv", "refs"];

/// The option with which a command writes over its input.
const IN_PLACE: &str = "--in-place";

const ABSOLUTIZE: &[&str] = &[
    "absolutize",
    "--quiet",
    "-j1",
    "--base=http://h.example/a/b.html",
    "--also=ssi,js-modules,text,markdown",
];
const BY_REFERENCE: &[&str] = &[
    "absolutize",
    "--quiet",
    "-j1",
    "--base=http://h.example/a/b.html",
    "--engine=reference",
    "--also=ssi",
];
const RELATIVIZE: &[&str] = &["relativize", "--quiet", "-j1", "--base=http://h.example/a/b.html"];
const MOVE: &[&str] = &[
    "move",
    "--quiet",
    "-j1",
    "--base=http://h.example/a/b.html",
    "--from=http://h.example/a/",
    "--to=ftp://new.example/c/",
];
const OF_TREE: &[&str] = &["absolutize", "--quiet", "-j1", "--base=http://h.example/a/"];
const RELATIVIZE_TREE: &[&str] = &["relativize", "--quiet", "-j1", "--base=http://h.example/a/"];
const IN_PLACE_AND_UNDO: &[&str] =
    &["absolutize", "--quiet", "-j1", "--base=http://h.example/a/", IN_PLACE];
const FOR_FILE: &[&str] =
    &["relativize", "--quiet", "-j1", "--for=file", "--base=http://h.example/a/"];
const OF_MIRROR: &[&str] = &["relativize", "--quiet", "-j1", "--for=file", "--layout=wget"];
const MOVE_TREE: &[&str] =
    &["move", "--quiet", "-j1", "--from=http://h.example/a/", "--to=http://new.example/b/"];
const CHECK: &[&str] = &["check", "--quiet", "-j1"];
const CHECK_AT: &[&str] = &["check", "--quiet", "-j1", "--base=http://h.example/a/"];
const FIX: &[&str] =
    &["check", "--quiet", "-j1", "--base=http://h.example/a/", "--fix", "--dry-run"];
const REFS: &[&str] = &["refs", "--quiet", "-j1", "--base=http://h.example/a/"];
const BASES: &[&str] = &["bases", "--quiet", "-j1", "--base=http://h.example/a/"];
const RENAME: &[&str] = &["mv", "--quiet", "--dry-run", "--base=http://h.example/a/"];
const PACK: &[&str] = &["pack", "--quiet", "--base=http://h.example/a/"];
const UNPACK: &[&str] = &["unpack", "--quiet", "-j1"];
const HINTED: &[&str] = &["absolutize", "--quiet", "-j1", "--trust-canonical"];
const HINTED_TREE: &[&str] =
    &["move", "--quiet", "-j1", "--from=http://h.example/", "--to=http://new.example/b/"];

/// All that is measured.
pub(crate) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |what: &str, shapes: &[Shape], file, args| {
        cases.extend(shapes.iter().map(|(name, make)| Case {
            name: format!("{what}: {name}"),
            input: Input::File(file, *make),
            args,
        }));
    };
    for (what, args) in [
        ("HTML", ABSOLUTIZE),
        ("html5ever", BY_REFERENCE),
        ("relativize", RELATIVIZE),
        ("move", MOVE),
    ] {
        add(what, &[html::HONEST], "x.html", args);
        add(what, html::HOSTILE, "x.html", args);
        if args == ABSOLUTIZE || args == BY_REFERENCE {
            add(what, asked::INCLUDES, "x.html", args);
            add(what, json::PAGES, "x.html", args);
        }
    }
    add("hints", html::HINTED, "x.html", HINTED);
    for (what, args) in [("", ABSOLUTIZE), ("move ", MOVE)] {
        add(&format!("{what}CSS"), html::SHEETS, "x.css", args);
        add(&format!("{what}message"), mail::MESSAGES, "x.eml", args);
        add(&format!("{what}mailbox"), mail::MAILBOXES, "x.mbox", args);
        add(&format!("{what}response"), http::RESPONSES, "x.html", args);
        add(&format!("{what}XML"), xml::DOCUMENTS, "x.xml", args);
        add(&format!("{what}vocabulary"), vocabularies::VOCABULARIES, "x.xml", args);
        add(&format!("{what}playlist"), lines::PLAYLISTS, "x.m3u8", args);
        add(&format!("{what}WebVTT"), lines::VTT, "x.vtt", args);
        add(&format!("{what}robots"), lines::ROBOTS, "robots.txt", args);
        add(&format!("{what}redirects"), lines::REDIRECTS, "_redirects", args);
        add(&format!("{what}headers"), lines::HEADERS, "_headers", args);
        add(&format!("{what}shortcut"), lines::SHORTCUTS, "x.url", args);
        add(&format!("{what}CSS"), lines::MAPPED_SHEETS, "x.css", args);
        add(&format!("{what}gzip"), gzip::FILES, "x.html.gz", args);
        for (file, shape) in json::MAPS {
            add(&format!("{what}source map"), &[*shape], file, args);
        }
    }
    add("module", asked::MODULES, "x.js", ABSOLUTIZE);
    add("message", text::FLOWING, "x.eml", ABSOLUTIZE);
    add("text", text::TEXTS, "x.txt", ABSOLUTIZE);
    add("Markdown", text::MARKDOWN, "x.md", ABSOLUTIZE);
    add("module", lines::MAPPED_SCRIPTS, "x.js", ABSOLUTIZE);
    for (file, shape) in json::FILES {
        add("JSON", &[*shape], file, ABSOLUTIZE);
    }
    let mut add = |what: &str, shapes: &[Tree], args| {
        cases.extend(shapes.iter().map(|(name, make)| Case {
            name: format!("{what}: {name}"),
            input: Input::Tree(*make),
            args,
        }));
    };
    add("tree", trees::TREES, OF_TREE);
    add("tree for a disk", trees::TREES, FOR_FILE);
    add("tree that moves", trees::TREES, MOVE_TREE);
    add("mirror", trees::MIRRORS, OF_MIRROR);
    for (what, args) in [
        ("lookup", OF_TREE),
        ("lookup of what becomes relative", RELATIVIZE_TREE),
        ("lookup for a disk", FOR_FILE),
        ("lookup of a move", MOVE_TREE),
        ("lookup by check", CHECK),
        ("lookup by check at a URL", CHECK_AT),
        ("lookup by check that corrects", FIX),
        ("lookup by refs", REFS),
        ("lookup by bases", BASES),
    ] {
        add(what, trees::LOOKUPS, args);
    }
    add("saved pages", trees::SAVED, HINTED_TREE);
    // The other page of each tree gets another name; the one with the references is packed.
    let renamed: fn(PathBuf) -> Vec<OsString> = |root| {
        vec![
            "--tree".into(),
            root.join("").into(),
            root.join("y.html").into(),
            root.join("z.html").into(),
        ]
    };
    let packed: fn(PathBuf) -> Vec<OsString> = |root| {
        let pages = walkdir::WalkDir::new(&root).into_iter().map(Result::unwrap);
        let page = pages.into_iter().find(|entry| entry.file_name() == "x.html").unwrap();
        vec![page.into_path().into(), "--root".into(), root.into()]
    };
    // Afterwards the tree is what it was.
    let undone: fn(PathBuf) -> Vec<OsString> =
        |root| vec![root.clone().into(), AND.into(), "undo".into(), "--quiet".into(), root.into()];
    let mut add = |what: &str, shapes: &[Tree], args, named| {
        cases.extend(shapes.iter().map(|(name, make)| Case {
            name: format!("{what}: {name}"),
            input: Input::In(*make, named),
            args,
        }));
    };
    add("lookup by mv", trees::LOOKUPS, RENAME, renamed);
    add("lookup by pack", trees::LOOKUPS, PACK, packed);
    add("undo", trees::TREES, IN_PLACE_AND_UNDO, undone);
    add("undo", trees::LOOKUPS, IN_PLACE_AND_UNDO, undone);
    cases.extend(archives::LOOKUPS.iter().map(|(name, make)| Case {
        name: format!("lookup by unpack: {name}"),
        input: Input::File("x.warc", *make),
        args: UNPACK,
    }));
    cases
}
