//! The names that wayback_machine_downloader gives to the files of a site, and back.
//!
//! A name is the URL without escapes, with its query: after a `?`, or on Windows after `%3f`, where
//! other characters that names must not have are escaped too. Later versions write a digest of the
//! query. A URL that ends with a slash, or whose last name has no dot, is that of a directory,
//! whose page is `index.html`.

use basectx::RetrievalUrl;
use urlcore::escape::percent_decode;

use super::LayoutName;
use super::wget::push_query;
use crate::os::digest;

/// The page of a directory.
const INDEX: &[u8] = b"index.html";

/// The characters that are escaped in names on Windows, or in those of later versions.
const ESCAPED: &[u8] = b":*?&=<>\\|\"";

/// The start of a digest in a name, and the number of its digits.
const DIGEST: (&[u8], usize) = (b"__q", 12);

/// Returns the names that the file of a URL may have. `path` has no slash in front.
pub(super) fn names(path: &str, query: Option<&str>, indexes: &[String]) -> Vec<LayoutName> {
    let path = percent_decode(path).into_owned();
    let query = query.map(|query| percent_decode(query).into_owned());
    let mut names = PossibleNames { indexes, found: Vec::new() };
    let id = match &query {
        Some(query) => [&*path, b"?", query].concat(),
        None => path.clone(),
    };
    names.add_id(&id);
    // It decodes a form.
    let is_plus = |byte: &u8| *byte == b'+';
    if id.iter().any(is_plus) {
        names.add_id(
            &id.iter().map(|byte| if is_plus(byte) { b' ' } else { *byte }).collect::<Vec<_>>(),
        );
    }
    match query.as_deref() {
        Some(b"") => names.add_id(&path),
        Some(query) => names.add(&with_digest(&path, query), id.ends_with(b"/")),
        None => {}
    }
    // It writes other charsets in UTF-8.
    if std::str::from_utf8(&id).is_err() {
        names.add_id(id.iter().copied().map(char::from).collect::<String>().as_bytes());
    }
    names.found
}

/// The names that a file may have.
struct PossibleNames<'n> {
    indexes: &'n [String],
    found: Vec<LayoutName>,
}

impl PossibleNames<'_> {
    /// Adds the names of a decoded URL in each manner.
    fn add_id(&mut self, id: &[u8]) {
        let is_directory = id.ends_with(b"/");
        self.add(id, is_directory);
        for hex in [b"0123456789abcdef", b"0123456789ABCDEF"] {
            self.add(&escaped(id, hex), is_directory);
        }
    }

    fn add(&mut self, id: &[u8], is_directory: bool) {
        let names: Vec<&[u8]> =
            id.split(|byte| *byte == b'/').filter(|name| !name.is_empty()).collect();
        let has_dot = names.last().is_some_and(|name| name.contains(&b'.'));
        let file = names.join(&b'/');
        let index = |index: &String| {
            if file.is_empty() {
                index.clone().into_bytes()
            } else {
                [&*file, b"/", index.as_bytes()].concat()
            }
        };
        let mut all: Vec<Vec<u8>> = self.indexes.iter().map(index).collect();
        // A file that is in the way of a directory becomes its page.
        let at = if has_dot && !is_directory { 0 } else { all.len() };
        if !file.is_empty() {
            all.insert(at, file);
        }
        for path in all {
            if self.found.iter().all(|name| name.path != path) {
                let (keeps_query, is_guess, is_lowered) = (false, false, false);
                self.found.push(LayoutName { path, keeps_query, is_guess, is_lowered });
            }
        }
    }
}

fn escaped(id: &[u8], hex: &[u8; 16]) -> Vec<u8> {
    let mut out = Vec::with_capacity(id.len());
    for byte in id {
        if ESCAPED.contains(byte) {
            out.extend([b'%', hex[usize::from(byte >> 4)], hex[usize::from(byte & 15)]])
        } else {
            out.push(*byte)
        }
    }
    out
}

/// Returns a path with the digest of a query before the last extension.
fn with_digest(path: &[u8], query: &[u8]) -> Vec<u8> {
    let digest = digest::of_bytes(query).to_string();
    let (start, length) = DIGEST;
    let at = path.iter().rposition(|byte| *byte == b'.').unwrap_or(path.len());
    [&path[..at], start, &digest.as_bytes()[..length], &path[at..]].concat()
}

/// Returns the URL of the file below `directory` whose path has the given names. That of a digest
/// has no query: it is lost.
pub(super) fn url(directory: &RetrievalUrl, names: &[&[u8]]) -> String {
    let path = unescaped(&names.join(&b'/'));
    let index = path.strip_suffix(INDEX).filter(|rest| rest.is_empty() || rest.ends_with(b"/"));
    let path = index.unwrap_or(&path);
    let (path, query) = match path.iter().position(|byte| *byte == b'?') {
        Some(mark) => (&path[..mark], Some(&path[mark + 1..])),
        None => (path, None),
    };
    let path = without_digest(path);
    let mut url = directory.join(path.split(|byte| *byte == b'/'));
    if let Some(query) = query {
        let query = index.and(query.strip_suffix(b"/")).unwrap_or(query);
        push_query(query, &mut url);
    }
    url
}

fn unescaped(path: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((first, after)) = rest.split_first() {
        let escape = rest.get(..3).and_then(|escape| std::str::from_utf8(escape).ok());
        match escape.map(percent_decode).as_deref() {
            Some([byte]) if ESCAPED.contains(byte) => {
                out.push(*byte);
                rest = &rest[3..];
            }
            _ => {
                out.push(*first);
                rest = after;
            }
        }
    }
    out
}

fn without_digest(path: &[u8]) -> Vec<u8> {
    let (start, length) = DIGEST;
    let Some(at) = memchr::memmem::rfind(path, start) else { return path.to_vec() };
    let digits = path.get(at + start.len()..at + start.len() + length);
    let is_digest = digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    if is_digest {
        [&path[..at], &path[at + start.len() + length..]].concat()
    } else {
        path.to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_urls() {
        let directory = RetrievalUrl::from_directory("http://h/").expect("a URL");
        for (path, query, name, back) in [
            ("", None, "index.html", "http://h/"),
            ("a/b.html", None, "a/b.html", "http://h/a/b.html"),
            ("about", None, "about/index.html", "http://h/about/"),
            ("about/", None, "about/index.html", "http://h/about/"),
            ("v1.2", None, "v1.2", "http://h/v1.2"),
            ("p.php", Some("id=3"), "p.php?id=3", "http://h/p.php?id=3"),
            ("p.php", Some("a=1&b=2"), "p.php%3fa%3d1%26b%3d2", "http://h/p.php?a=1&b=2"),
            ("c%3Ad.html", None, "c%3Ad.html", "http://h/c:d.html"),
            ("news", Some("page=1"), "news?page=1/index.html", "http://h/news?page=1"),
            ("news/", Some("page=1"), "news/?page=1/index.html", "http://h/news/?page=1"),
            ("q", Some("u=http://x.y/z"), "q?u=http:/x.y/z/index.html", "http://h/q?u=http:/x.y/z"),
            ("a%20b+c.html", None, "a b c.html", "http://h/a%20b%20c.html"),
            ("p.php", Some("id=3"), "p__q6c2e2ae3e1a5.php", "http://h/p.php"),
        ] {
            let names = names(path, query, &["index.html".into()]);
            let is_found = names.iter().any(|known| known.path == name.as_bytes());
            let is_digest = name.contains(r"__q");
            assert!(is_found || is_digest, "{name} in {names:?}");
            let parts: Vec<&[u8]> = name.as_bytes().split(|byte| *byte == b'/').collect();
            assert_eq!(url(&directory, &parts), back, "{name}");
        }
        let name = with_digest(b"a.b/p.php", b"id=3");
        assert!(name.starts_with(b"a.b/p__q") && name.ends_with(b".php"));
        assert_eq!(name.len(), "a.b/p__q0123456789ab.php".len());
    }
}
