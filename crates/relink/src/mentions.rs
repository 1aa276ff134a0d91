//! Files of a tree that moves, or whose files are renamed, which are not read and may contain a
//! reference to what moves: text that names an old URL of the tree or the old path of a renamed
//! file, and files of programs in which no reference can be seen.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use memchr::memmem;

use crate::paths;
use crate::summary::n;

/// The number of bytes of a file that are searched.
const MOST: u64 = 1 << 20;

/// The number of bytes by which text is distinguished from other data.
const HEAD: usize = 8000;

/// The number of files that are listed.
const LISTED: usize = 20;

/// The number of segments of a path that are looked at; of a longer one, the last.
const SEGMENTS: usize = 16;

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
    found: Mutex<Found>,
}

#[derive(Debug, Default)]
struct Found {
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
            let stem = path.file_stem().map(|stem| stem.as_encoded_bytes().to_vec());
            mentions.stems.extend(stem.filter(|_| path.extension().is_some()));
        }
        mentions
    }

    /// Returns the number of files that were found.
    pub fn n_found(&self) -> usize {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.texts.len() + found.kinds.values().sum::<usize>()
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
        open: impl FnOnce() -> io::Result<File>,
    ) -> io::Result<()> {
        let extension = below.extension().map(|name| name.to_string_lossy().to_ascii_lowercase());
        let extension = extension.as_deref().unwrap_or_default();
        if let Some((kind, _)) = KINDS.iter().find(|(_, names)| names.contains(&extension)) {
            let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            *found.kinds.entry(kind).or_default() += 1;
            return Ok(());
        }
        if BINARY.contains(&extension) || (self.roots.is_empty() && self.paths.is_empty()) {
            return Ok(());
        }
        let mut file = open()?;
        let mut bytes = Vec::new();
        (&mut file).take(HEAD as u64).read_to_end(&mut bytes)?;
        if memchr::memchr(0, &bytes).is_some() {
            return Ok(());
        }
        file.take(MOST).read_to_end(&mut bytes)?;
        let directory = below.parent().unwrap_or(Path::new(""));
        self.note(path, &bytes, self.root_in(&bytes).or_else(|| self.path_in(&bytes, directory)));
        Ok(())
    }

    /// Looks at a Markdown document for links of wikis, which have no path: `[[page]]`.
    pub fn look_for_wiki_links(&self, path: &Path, bytes: &[u8]) {
        let mut links = memmem::find_iter(bytes, b"[[").map(|at| at + 2);
        let found = links.find_map(|at| {
            let rest = &bytes[at..];
            let end = rest.iter().take(255).position(|byte| b"]|#\n".contains(byte))?;
            self.stems.contains(&rest[..end]).then_some([at, at + end])
        });
        self.note(path, bytes, found);
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
        if self.paths.is_empty() {
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
        all.look_for_wiki_links(Path::new("x.md"), b"[[c]]\n[[a|A]] [[b]]");
        all.look_for_wiki_links(Path::new("y.md"), b"[[aa]] [[");
        assert_eq!(all.hints(), ["hint: x.md:2 contains a, and is not read; correct it by hand"]);
    }
}
