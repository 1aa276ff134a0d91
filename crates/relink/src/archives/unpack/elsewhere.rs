//! References to parts by identifiers (`cid:`, RFC 2392), as mail programs read them, and parts
//! whose content is not in their message: it has a URL (RFC 2046, section 5.2.3; RFC 2017;
//! Thunderbird), or Apple Mail keeps it in a file next to the directory of the message.

use std::borrow::Cow;
use std::io::{self, Read as _};
use std::path::Path;

use basectx::message::{Message, without_comments};
use rewrite::Limit;
use urlcore::escape::percent_decode;

use super::parts::Read;
use crate::files::walk::Entry;
use crate::os::dirs::Directory;
use crate::tree::Tree;

/// The schemes of URLs to which a message may lead.
const SCHEMES: [&str; 5] = ["http", "https", "ftp", "file", "mailto"];

/// A part whose content has a URL.
#[derive(Clone, Debug)]
pub(crate) struct External {
    /// The URL of the content.
    pub(crate) url: String,
    /// What it is called.
    pub(crate) name: String,
    /// What references by identifiers are compared with.
    pub(crate) ids: Vec<String>,
    /// The [`scope`](super::parts::Part::scope) of the part.
    pub(crate) scope: usize,
}

impl Read<'_> {
    /// Returns the parts whose content has a URL.
    pub(crate) fn externals(&self) -> Vec<External> {
        self.message.leaves().filter_map(|idx| self.external(idx)).collect()
    }

    /// Returns a part, if its content has a URL.
    pub(crate) fn external(&self, idx: usize) -> Option<External> {
        let entity = self.entity(idx);
        let is_external = entity.content_type.media_type == "message/external-body";
        let typed = if is_external {
            self.external_url(idx)?
        } else {
            self.text(idx, "X-Mozilla-External-Attachment-URL")?
        };
        let url: String = typed.chars().filter(|char| !char.is_whitespace()).collect();
        let scheme = url.split_once(':')?.0.to_ascii_lowercase();
        if !SCHEMES.contains(&&*scheme) {
            return None;
        }
        // The body has the header section of the content.
        let body = if is_external { self.body(idx) } else { Cow::default() };
        let inner = Message::read(&body);
        let inner_id = inner.entities[0].field("Content-ID", &body).map(|id| id.text(&body));
        let own_id = self.text(idx, "Content-ID");
        let name = entity.file_name(self.bytes).or_else(|| inner.entities[0].file_name(&body));
        let names = || name.iter().map(String::as_str);
        let mut keys = of_part(own_id.as_deref(), names());
        keys.extend(of_part(inner_id.as_deref(), names()));
        let name = name.unwrap_or_else(|| url.clone());
        Some(External { url, name, ids: keys, scope: self.scope(idx) })
    }

    /// Returns the URL of an external body, by its parameters.
    fn external_url(&self, idx: usize) -> Option<String> {
        let field = self.entity(idx).field("Content-Type", self.bytes)?;
        let param = |name: &str| field.param(name, self.bytes);
        match &*param("access-type")?.to_ascii_lowercase() {
            "url" => param("url"),
            "ftp" | "anon-ftp" => {
                let (site, name) = (param("site")?, param("name")?);
                let directory = param("directory").unwrap_or_default();
                let path = [directory.trim_matches('/'), name.trim_matches('/')];
                let path =
                    path.iter().flat_map(|part| part.split('/')).filter(|name| !name.is_empty());
                let mut url = format!("ftp://{site}");
                for name in path {
                    url.push('/');
                    urlcore::escape::encode_path_segment(name.as_bytes(), &mut url);
                }
                Some(url)
            }
            _ => None,
        }
    }

    /// Returns true if Apple Mail keeps the content of a part in a file of its own.
    pub(crate) fn is_detached(&self, idx: usize) -> bool {
        let entity = self.entity(idx);
        let has_content = || self.text(idx, "X-Apple-Content-Length").is_some_and(|len| len != "0");
        entity.children.is_empty()
            && entity.body.slice(self.bytes).trim_ascii().is_empty()
            && (has_content() || self.detached(idx).is_some())
    }

    /// Returns true if such a file is not there.
    pub(crate) fn is_absent(&self, idx: usize) -> bool {
        self.is_detached(idx) && self.detached(idx).is_none()
    }

    /// Returns the content of such a part, if the file is there.
    pub(super) fn detached(&self, idx: usize) -> Option<Vec<u8>> {
        let name = self.entity(idx).file_name(self.bytes);
        (self.detached)(&self.message.part(idx), name.as_deref())
    }
}

/// Returns the content of a part of the message in a file, `N.partial.emlx`: that of
/// `../Attachments/N/PART/NAME`, or of the only file there.
pub(crate) fn attachment(
    tree: &Tree,
    entry: &Entry,
    part: &str,
    name: Option<&str>,
) -> Option<Vec<u8>> {
    let number = entry.path.file_name()?.to_str()?.strip_suffix(".partial.emlx")?;
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let directory = attachments(tree, entry).ok()?;
    let directory = directory.directory(number.as_ref()).ok()?.directory(part.as_ref()).ok()?;
    let mut files = directory.entries().ok()?;
    files.retain(|(_, is_file)| *is_file);
    let named = files.iter().find(|(file, _)| name.is_some_and(|name| file == name));
    let (file, _) = named.or(match &files[..] {
        [only] => Some(only),
        _ => None,
    })?;
    let most = tree.options.limits.get(Limit::DocumentSize);
    let mut bytes = Vec::new();
    let file = directory.file(file).ok()?.0;
    file.take((most as u64).saturating_add(1)).read_to_end(&mut bytes).ok()?;
    (bytes.len() <= most).then_some(bytes)
}

/// Opens the directory of the attachments, which is next to the one that contains a file.
fn attachments(tree: &Tree, entry: &Entry) -> io::Result<Directory> {
    let name = "Attachments".as_ref();
    let directory = entry.below.parent().filter(|_| !entry.is_single);
    if let Some(outer) = directory.and_then(Path::parent) {
        return tree.dirs.directory(entry.root, outer)?.directory(name);
    }
    let directory = tree.dirs.directory(entry.root, Path::new(""))?;
    let outer = directory.path().parent().ok_or(io::ErrorKind::NotFound)?;
    Directory::open(outer)?.directory(name)
}

// References to parts by identifiers (`cid:`, RFC 2392), as mail programs read them.
//
// A reference is compared with all parts in several ways. The first way in which it is that of a
// part counts, so that a part which only has a similar name never takes the place of another.

/// The number of ways that follow the specifications: the reference without its escapes, the
/// reference as written, and both without comments and white space.
pub(crate) const N_EXACT: usize = 3;

/// Returns what a part is compared by, given its `Content-ID`, and the names that programs use in
/// its place.
pub(crate) fn of_part<'n>(id: Option<&str>, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut keys = Vec::new();
    if let Some(id) = id {
        let written = unbracketed(id);
        let plain = without_comments(id);
        let plain = without_blanks(&decoded(unbracketed(&plain)));
        keys.push(format!("cid:{written}"));
        keys.push(key(1, written));
        keys.push(key(2, &plain));
        keys.push(key(3, &plain.to_lowercase()));
    }
    keys.extend(names.map(|name| key(4, &without_blanks(unbracketed(name)).to_lowercase())));
    keys
}

/// Returns what a `cid:` URL is compared by, in the order of the ways; nothing for another URL.
pub(crate) fn of_reference(url: &str) -> Vec<String> {
    let url = url.split('#').next().unwrap_or_default();
    let id = url.split_once(':').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("cid"));
    let Some((_, written)) = id else { return Vec::new() };
    let id = decoded(written);
    let plain = without_blanks(&id);
    let folded = plain.to_lowercase();
    vec![format!("cid:{id}"), key(1, written), key(2, &plain), key(3, &folded), key(4, &folded)]
}

/// Returns what is compared in a way other than the first one. No URL has this form.
fn key(way: usize, id: &str) -> String {
    format!("{way} cid:{id}")
}

fn decoded(text: &str) -> String {
    String::from_utf8_lossy(&percent_decode(text)).into_owned()
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|char| !char.is_whitespace()).collect()
}

/// Returns an identifier without the brackets around it.
pub(crate) fn unbracketed(id: &str) -> &str {
    let id = id.trim();
    id.strip_prefix('<').and_then(|id| id.strip_suffix('>')).unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the first way in which a reference is that of a part.
    fn way(reference: &str, id: Option<&str>, names: &[&str]) -> Option<usize> {
        let keys = of_part(id, names.iter().copied());
        of_reference(reference).iter().position(|key| keys.contains(key))
    }

    #[test]
    fn identifiers_are_compared_in_several_ways() {
        for (reference, id, expected) in [
            ("cid:a@b", "<a@b>", Some(0)),
            ("CID:a%40b#c", "<a@b>", Some(0)),
            ("cid:b%2520@x", "<b%20@x>", Some(0)),
            ("cid:my%20logo@x", "<my%20logo@x>", Some(1)),
            ("cid:a@b", "(the logo) <a@b> (made by z)", Some(2)),
            ("cid: a@b", "< a@b >", Some(2)),
            ("cid:a@b", "a%40b", Some(2)),
            ("cid:Logo@X", "<logo@x>", Some(3)),
            ("cid:a@c", "<a@b>", None),
            ("mid:a@b", "<a@b>", None),
            ("a@b", "<a@b>", None),
        ] {
            assert_eq!(way(reference, Some(id), &[]), expected, "{reference} {id}");
        }
        assert_eq!(way("cid:My%20photo.JPG", None, &["my photo.jpg"]), Some(4));
        assert_eq!(way("cid:ii_1", Some("<a@b>"), &["x.png", "<ii_1>"]), Some(4));
    }
}
