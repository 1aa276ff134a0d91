//! Digests of style sheets and scripts in pages (`integrity`). Browsers block a file that is
//! edited, since its digest is another one then: that becomes a hint.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{LazyLock, Mutex, PoisonError};

use memchr::memmem::{self, Finder};

/// The most names that are kept, and that a hint lists.
const MOST_KEPT: usize = 1000;
const MOST_SHOWN: usize = 3;

/// The beginning of the attribute.
static ATTRIBUTE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b" integrity="));

/// Names of files by which pages and edited files are compared.
#[derive(Debug, Default)]
pub struct Integrity {
    /// Files of which pages have a digest.
    digested: Mutex<BTreeSet<Vec<u8>>>,
    /// Style sheets and scripts that were edited.
    edited: Mutex<BTreeSet<Vec<u8>>>,
}

impl Integrity {
    /// Searches HTML for digests of files.
    pub fn search(&self, html: &[u8]) {
        for at in ATTRIBUTE.find_iter(html) {
            let start = memchr::memrchr(b'<', &html[..at]).unwrap_or(at);
            let end = memchr::memchr(b'>', &html[at..]).map_or(html.len(), |end| at + end);
            if let Some(name) = file_name(&html[start..end]) {
                add(&self.digested, name);
            }
        }
    }

    /// Records that a style sheet or a script is edited.
    pub fn edited(&self, path: &Path) {
        if let Some(name) = path.file_name() {
            add(&self.edited, name.as_encoded_bytes());
        }
    }

    /// Records that a page has a digest of an edited file that was wrong before.
    pub fn wrong(&self, url: &str) {
        let path = url.split(['?', '#']).next().unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default();
        [&self.digested, &self.edited].into_iter().for_each(|names| add(names, name.as_bytes()));
    }

    /// Returns the hint at the end of a run, if a file was edited of which a page has a digest.
    pub fn hint(&self) -> Option<String> {
        let lock = |names| Mutex::lock(names).unwrap_or_else(PoisonError::into_inner);
        let (digested, edited) = (lock(&self.digested), lock(&self.edited));
        let mut names = digested.intersection(&edited);
        let shown: Vec<_> =
            names.by_ref().take(MOST_SHOWN).map(|name| String::from_utf8_lossy(name)).collect();
        let more = if names.next().is_some() { " and others" } else { "" };
        (!shown.is_empty()).then(|| {
            format!(
                "hint: browsers may block {}{more}; pages have digests of them (integrity), and they were edited; write new digests, or remove the attribute",
                shown.join(", ")
            )
        })
    }
}

fn add(names: &Mutex<BTreeSet<Vec<u8>>>, name: &[u8]) {
    let mut names = names.lock().unwrap_or_else(PoisonError::into_inner);
    if names.len() < MOST_KEPT {
        names.insert(name.to_owned());
    }
}

/// Returns the file name at the end of the `href` or `src` of a tag.
fn file_name(tag: &[u8]) -> Option<&[u8]> {
    let value = [&b" href="[..], b" src="].iter().find_map(|name| {
        let start = memmem::find(tag, name)? + name.len();
        Some(tag[start..].trim_ascii_start())
    })?;
    let (value, is_end): (_, fn(&u8) -> bool) = match value.first()? {
        b'"' => (&value[1..], |byte| *byte == b'"'),
        b'\'' => (&value[1..], |byte| *byte == b'\''),
        _ => (value, u8::is_ascii_whitespace),
    };
    let value = value.split(is_end).next()?;
    let path = value.split(|byte| matches!(byte, b'?' | b'#')).next()?;
    path.rsplit(|byte| *byte == b'/').next().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_edited_files_with_a_digest_are_named() {
        let integrity = Integrity::default();
        integrity
            .search(b"<link href=\"/css/a.css?v\" integrity=\"sha256-x\"><p title=' integrity='>");
        integrity.search(b"<script integrity='sha384-y' src=b.js></script><a href=c.css>");
        assert_eq!(integrity.hint(), None);
        for name in ["x/c.css", "x/a.css", "y/b.js"] {
            integrity.edited(Path::new(name));
        }
        let hint = integrity.hint().unwrap();
        assert!(hint.starts_with("hint: browsers may block a.css, b.js; pages"), "{hint}");
    }
}
