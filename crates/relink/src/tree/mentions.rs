//! Files of a tree that moves, or whose files are renamed, which are not read and may contain a
//! reference to what moves: text that names an old URL of the tree or the old path of a renamed
//! file, patterns of paths that do, and files of programs in which no reference can be seen.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use memchr::memmem;
use rewrite::Media;
use urlcore::escape::percent_decode;

use crate::events::summary::n;
use crate::os::paths;
use crate::os::store::OpenFile;

/// The number of bytes of a file that are searched.
const MOST: u64 = 1 << 20;

/// The number of bytes by which text is distinguished from other data.
const HEAD: usize = 8000;

/// The number of files that are listed.
const LISTED: usize = 20;

/// The number of segments of a path that are looked at; of a longer one, the last.
const SEGMENTS: usize = 16;

/// The number of names of renamed files for which a text is searched before its paths are.
const FEW: usize = 8;

/// The most bytes of a tag of a template, or of a link of a wiki.
const MOST_OF_TAG: usize = 255;

/// What programs write whose references are not read, by extension.
const KINDS: [(&str, &[&str]); 3] = [
    (
        "archive",
        &["tar", "tgz", "tbz2", "txz", "bz2", "xz", "zst", "7z", "rar", "jar", "war", "iso", "cab"],
    ),
    (
        "Office file",
        &[
            "doc", "docx", "docm", "dotx", "xls", "xlsx", "xlsm", "ppt", "pptx", "pptm", "odt",
            "ods", "odp", "odg", "one", "rtf", "pages", "numbers",
        ],
    ),
    ("PDF file", &["pdf"]),
];

/// Extensions of files that are never text.
const BINARY: [&str; 25] = [
    "png", "gif", "jpg", "jpeg", "webp", "avif", "ico", "bmp", "tif", "tiff", "mp3", "mp4", "m4a",
    "ogg", "webm", "wav", "mov", "woff", "woff2", "ttf", "otf", "eot", "zip", "gz", "wasm",
];

/// The media types of files in which paths from the root are patterns.
const PATTERNS: [&str; 3] = [REDIRECTS, "text/x-headers", "text/x-robots-txt"];
const REDIRECTS: &str = "text/x-redirects";

/// The search for mentions.
#[derive(Debug, Default)]
pub struct Mentions {
    /// Old URLs of the tree without their schemes and final slashes, in lower case.
    roots: Vec<Vec<u8>>,
    /// The old paths of files and directories that are renamed, below the PATH, as they are written
    /// in text.
    paths: HashSet<Vec<u8>>,
    /// Their names without extensions.
    stems: HashSet<Vec<u8>>,
    /// Their paths, and those under which servers show pages.
    renamed: HashSet<PathBuf>,
    found: Mutex<FoundMention>,
}

#[derive(Debug, Default)]
struct FoundMention {
    /// The line and the text of the first mention in each file.
    texts: BTreeMap<PathBuf, (usize, String)>,
    /// The number of files of each kind.
    kinds: BTreeMap<&'static str, usize>,
}

impl Mentions {
    /// Creates the search for old URLs of a tree, and for the old paths of files.
    pub fn new<'m>(
        urls: impl IntoIterator<Item = &'m str>,
        renamed: impl IntoIterator<Item = &'m Path>,
    ) -> Self {
        let root = |url: &str| {
            let (_, rest) = url.split_once("://")?;
            let rest = rest.trim_matches('/').to_ascii_lowercase();
            (rest.len() > 1).then(|| rest.into_bytes())
        };
        let roots: BTreeSet<Vec<u8>> = urls.into_iter().filter_map(root).collect();
        let mut mentions = Mentions { roots: roots.into_iter().collect(), ..Mentions::default() };
        for path in renamed {
            // The name of a directory alone is any word.
            if path.extension().is_some() || path.components().count() > 1 {
                mentions.paths.insert(paths::bytes(path));
            }
            mentions.renamed.insert(path.to_owned());
            if path.extension().is_some_and(|extension| extension == "html") {
                mentions.renamed.insert(path.with_extension(""));
            }
            if path.file_name().is_some_and(|name| name == "index.html") {
                mentions.renamed.extend(path.parent().map(Path::to_owned));
            }
            let stem = path.file_stem().map(|stem| stem.as_encoded_bytes().to_vec());
            mentions.stems.extend(stem.filter(|_| path.extension().is_some()));
        }
        mentions
    }

    /// Returns hints about the files.
    pub fn hints(&self) -> Vec<String> {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let text = |(path, (line, text)): (&PathBuf, &(usize, String))| {
            format!(
                "hint: {}:{line} contains {text}, and is not read; correct it by hand",
                path.display()
            )
        };
        let mut hints: Vec<String> = found.texts.iter().take(LISTED).map(text).collect();
        if found.texts.len() > LISTED {
            let files = n(found.texts.len() - LISTED, "more file");
            hints.push(format!("hint: {files} that are not read contain such text"));
        }
        for (kind, count) in &found.kinds {
            let were = if *count == 1 { "was" } else { "were" };
            hints.push(format!(
                "hint: {} {were} not read; links in them stay as they are",
                n(*count, kind)
            ));
        }
        hints
    }

    /// Looks at a file that is not read: `path` is shown, and `below` is its path below the PATH.
    ///
    /// # Errors
    ///
    /// That the file cannot be read.
    pub fn look(
        &self,
        path: &Path,
        below: &Path,
        open: impl FnOnce() -> io::Result<Box<dyn OpenFile>>,
    ) -> io::Result<()> {
        let extension = below.extension().map(|name| name.to_string_lossy().to_ascii_lowercase());
        let extension = extension.as_deref().unwrap_or_default();
        if let Some((kind, _)) = KINDS.iter().find(|(_, names)| names.contains(&extension)) {
            let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            *found.kinds.entry(kind).or_default() += 1;
            return Ok(());
        }
        if BINARY.contains(&extension) || self.is_empty() {
            return Ok(());
        }
        let (bytes, found) = self.search(below, open)?;
        self.note(path, &bytes, found);
        Ok(())
    }

    /// Returns true if a file contains a mention, or if there is nothing to search for.
    ///
    /// # Errors
    ///
    /// That the file cannot be read.
    pub fn may_be_in(
        &self,
        below: &Path,
        open: impl FnOnce() -> io::Result<Box<dyn OpenFile>>,
    ) -> io::Result<bool> {
        Ok(self.is_empty() || self.search(below, open)?.1.is_some())
    }

    /// Returns true if only files of programs are found.
    fn is_empty(&self) -> bool {
        self.roots.is_empty() && self.paths.is_empty()
    }

    /// Returns the beginning of a text file, and the span of the first mention in it.
    fn search(
        &self,
        below: &Path,
        open: impl FnOnce() -> io::Result<Box<dyn OpenFile>>,
    ) -> io::Result<(Vec<u8>, Option<[usize; 2]>)> {
        let mut file = open()?;
        let most = usize::try_from(file.length().min(MOST)).unwrap_or_default();
        // With room at its end, no reader probes for that end by a few bytes.
        let mut bytes = Vec::with_capacity(most + 64);
        (&mut file).take(HEAD as u64).read_to_end(&mut bytes)?;
        if memchr::memchr(0, &bytes).is_some() {
            return Ok((bytes, None));
        }
        file.take(MOST).read_to_end(&mut bytes)?;
        let directory = below.parent().unwrap_or(Path::new(""));
        let found = self.root_in(&bytes).or_else(|| self.path_in(&bytes, directory));
        Ok((bytes, found))
    }

    /// Looks at what is not converted in a document that is read: tags of templates, links of wikis
    /// in Markdown, and the patterns of paths in files for servers and crawlers.
    pub fn look_in_document(&self, media: Media, path: &Path, below: &Path, bytes: &[u8]) {
        if PATTERNS.contains(&media.name()) {
            let has_sources = media.name() == REDIRECTS;
            return self.note(path, bytes, self.pattern_in(bytes, has_sources));
        }
        let directory = below.parent().unwrap_or(Path::new(""));
        let link = (media == Media::MARKDOWN).then(|| self.wiki_link_in(bytes)).flatten();
        self.note(path, bytes, link.or_else(|| self.path_in_tag(bytes, directory)));
    }

    /// Returns the span of the first old path of a renamed file in a tag of a template, such as
    /// `{{< ref "b.md" >}}` or `{% link b.md %}`.
    fn path_in_tag(&self, bytes: &[u8], directory: &Path) -> Option<[usize; 2]> {
        if self.paths.is_empty() {
            return None;
        }
        [(b"{{", b"}}"), (b"{%", b"%}")].into_iter().find_map(|(open, close)| {
            memmem::find_iter(bytes, open).find_map(|at| {
                let rest = &bytes[at..bytes.len().min(at + MOST_OF_TAG)];
                let end = memmem::find(rest, close)?;
                self.path_in(&rest[..end], directory).map(|span| span.map(|offset| at + offset))
            })
        })
    }

    /// Returns the span of the first link of a wiki, which has no path: `[[page]]`.
    fn wiki_link_in(&self, bytes: &[u8]) -> Option<[usize; 2]> {
        let mut links = memmem::find_iter(bytes, b"[[").map(|at| at + 2);
        links.find_map(|at| {
            let rest = &bytes[at..];
            let end = rest.iter().take(MOST_OF_TAG).position(|byte| b"]|#\n".contains(byte))?;
            self.stems.contains(&rest[..end]).then_some([at, at + end])
        })
    }

    /// Returns the span of the first path from the root that is that of a renamed page. With
    /// `has_sources`, each line begins with the path that redirects, which may be an old one.
    fn pattern_in(&self, bytes: &[u8], has_sources: bool) -> Option<[usize; 2]> {
        let mut line_start = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let mut at = line_start;
            line_start += line.len();
            let is_comment = line.trim_ascii_start().starts_with(b"#");
            let mut n_words = 0;
            for word in line.split(u8::is_ascii_whitespace).filter(|_| !is_comment) {
                let start = at;
                at += word.len() + 1;
                n_words += usize::from(!word.is_empty());
                let is_source = has_sources && n_words == 1;
                if let Some(rest) = word.strip_prefix(b"/").filter(|_| !is_source)
                    && self.is_pattern_of_renamed(rest)
                {
                    return Some([start, start + word.len()]);
                }
            }
        }
        None
    }

    /// Returns true if a pattern is the path of a renamed page, or of what is below it.
    fn is_pattern_of_renamed(&self, pattern: &[u8]) -> bool {
        let path = pattern.split(|byte| b"*:?#$".contains(byte)).next().unwrap_or_default();
        let path = std::str::from_utf8(path.strip_suffix(b"/").unwrap_or(path)).ok();
        let path = path.and_then(|path| paths::from_bytes(&percent_decode(path)));
        path.is_some_and(|path| self.renamed.contains(&path))
    }

    fn note(&self, path: &Path, bytes: &[u8], span: Option<[usize; 2]>) {
        let Some([start, end]) = span else { return };
        let line = 1 + memchr::memchr_iter(b'\n', &bytes[..start]).count();
        let text = String::from_utf8_lossy(&bytes[start..end]).into_owned();
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.texts.insert(path.to_owned(), (line, text));
    }

    /// Returns the span of the first old URL of the tree.
    fn root_in(&self, bytes: &[u8]) -> Option<[usize; 2]> {
        if self.roots.is_empty() {
            return None;
        }
        let lower = bytes.to_ascii_lowercase();
        let first = |root: &Vec<u8>| {
            let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte);
            let mut all = memmem::find_iter(&lower, root).map(|at| [at, at + root.len()]);
            all.find(|[start, end]| {
                lower[..*start].ends_with(b"/") && !lower.get(*end).is_some_and(is_word)
            })
        };
        self.roots.iter().filter_map(first).min()
    }

    /// Returns the span of the first old path of a renamed file, from the root of the tree or from
    /// the directory of the text.
    fn path_in(&self, bytes: &[u8], directory: &Path) -> Option<[usize; 2]> {
        if !self.may_have_path(bytes, directory) {
            return None;
        }
        let is_part = |byte: &u8| {
            byte.is_ascii_alphanumeric() || b"/.-_~%+".contains(byte) || !byte.is_ascii()
        };
        let mut at = 0;
        while at < bytes.len() {
            let start = at + bytes[at..].iter().position(is_part)?;
            let end = bytes[start..].iter().position(|byte| !is_part(byte));
            let end = end.map_or(bytes.len(), |len| start + len);
            // A sentence may end after it.
            let token = &bytes[start..end];
            let token = token.strip_suffix(b".").unwrap_or(token);
            let token = token.strip_suffix(b"/").unwrap_or(token);
            if let Some(found) = self.path_at_end(token, directory) {
                return Some([start + found, start + token.len()]);
            }
            at = end + 1;
        }
        None
    }

    /// Returns false if a text has no old path: it has none of their last names, and is below none,
    /// to which `..` would lead.
    fn may_have_path(&self, bytes: &[u8], directory: &Path) -> bool {
        let name = |path: &'_ Vec<u8>| path.rsplit(|byte| *byte == b'/').next().map(<[u8]>::to_vec);
        let is_named = || {
            self.paths.len() > FEW
                || self
                    .paths
                    .iter()
                    .filter_map(name)
                    .any(|name| memmem::find(bytes, &name).is_some())
        };
        let is_below =
            || directory.ancestors().any(|above| self.paths.contains(&paths::bytes(above)));
        !self.paths.is_empty() && (is_named() || is_below())
    }

    /// Returns the offset in a path at which the old path of a renamed file begins.
    fn path_at_end(&self, token: &[u8], directory: &Path) -> Option<usize> {
        if !token.contains(&b'.') && !token.contains(&b'/') {
            return None;
        }
        let from_here = std::str::from_utf8(token).ok().filter(|text| !text.starts_with('/'));
        let is_here = from_here
            .and_then(|text| normal(&directory.join(text)))
            .is_some_and(|path| self.paths.contains(&paths::bytes(&path)));
        if is_here {
            return Some(0);
        }
        // Of a URL, what follows a host or the path of the tree.
        let slashes = memchr::memrchr_iter(b'/', token).take(SEGMENTS).map(|slash| slash + 1);
        let starts = slashes.filter(|start| *start < token.len());
        starts.filter(|start| self.paths.contains(&token[*start..])).last()
    }
}

/// Returns a path without `.` and `..`; `None` if it leads out of the tree.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => normal.push(name),
            Component::CurDir => {}
            Component::ParentDir if normal.pop() => {}
            _ => return None,
        }
    }
    Some(normal)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mentions() -> Mentions {
        Mentions::new(
            ["http://old.example/s/", "file:///srv/www/"],
            ["docs/a.html", "b.html", "docs", "img/x"].map(Path::new),
        )
    }

    #[test]
    fn old_urls_and_paths_in_text() {
        let all = mentions();
        for (text, found) in [
            ("see HTTPS://Old.example/s/x", "Old.example/s"),
            ("cd /srv/www", "srv/www"),
            ("xref:a.html[A]", "a.html"),
            ("link:../b.html.", "../b.html"),
            ("<https://new.example/docs/a.html>", "docs/a.html"),
            ("`/b.html`", "b.html"),
            ("include::../img/x", "../img/x"),
            ("link:/img/x/[x]", "img/x"),
        ] {
            let bytes = text.as_bytes();
            let span = all.root_in(bytes).or_else(|| all.path_in(bytes, Path::new("docs")));
            let span = span.map(|[start, end]| &text[start..end]);
            assert_eq!(span, Some(found), "{text}");
        }
        for text in
            ["old.example/section", "cold.example/s", "docs", "aa.html", "x/a.html", "b.html"]
        {
            let bytes = text.as_bytes();
            let span = all.root_in(bytes).or_else(|| all.path_in(bytes, Path::new("docs")));
            assert_eq!(span, None, "{text}");
        }
    }

    #[test]
    fn links_of_wikis() {
        let all = mentions();
        all.look_in_document(
            Media::MARKDOWN,
            Path::new("x.md"),
            Path::new("x.md"),
            b"[[c]]\n[[a|A]] [[b]]",
        );
        all.look_in_document(Media::MARKDOWN, Path::new("y.md"), Path::new("y.md"), b"[[aa]] [[");
        assert_eq!(all.hints(), ["hint: x.md:2 contains a, and is not read; correct it by hand"]);
    }
    #[test]
    fn patterns_of_paths() {
        let all = Mentions::new([], ["d/e/index.html", "b c.html", "img/x"].map(Path::new));
        for (text, has_sources, found) in [
            ("/old /d/e/ 301", true, Some("/d/e/")),
            ("  /old\t/img/x/*\r\n", true, Some("/img/x/*")),
            ("/d/e/ /new/", true, None),
            ("# /x /d/e/\n/old /b%20c?x=:y", true, Some("/b%20c?x=:y")),
            ("User-agent: *\nDisallow: /d/e\n", false, Some("/d/e")),
            ("Disallow: /d/e$", false, Some("/d/e$")),
            ("/img/x*\n  Link: <a>", false, Some("/img/x*")),
            ("/d/:name\n/img/\n/d/\n/", false, None),
        ] {
            let span = all.pattern_in(text.as_bytes(), has_sources);
            assert_eq!(span.map(|[start, end]| &text[start..end]), found, "{text}");
        }
    }
}
