//! Parts whose content is not in their message: it has a URL (RFC 2046, section 5.2.3; RFC 2017;
//! Thunderbird), or Apple Mail keeps it in a file next to the directory of the message.

use std::borrow::Cow;

use basectx::message::Message;

use super::ids;
use super::parts::Read;

/// The schemes of URLs to which a message may lead.
const SCHEMES: [&str; 5] = ["http", "https", "ftp", "file", "mailto"];

/// A part whose content has a URL.
#[derive(Clone, Debug)]
pub(crate) struct ExternalPart {
    /// The URL of the content.
    pub(crate) url: String,
    /// What it is called.
    pub(crate) name: String,
    /// What references by identifiers are compared with.
    pub(crate) ids: Vec<String>,
    /// The [`scope`](super::parts::MessagePart::scope) of the part.
    pub(crate) scope: usize,
}

impl Read<'_> {
    /// Returns the parts whose content has a URL.
    pub(crate) fn externals(&self) -> Vec<ExternalPart> {
        self.message.leaves().filter_map(|idx| self.external(idx)).collect()
    }

    /// Returns a part, if its content has a URL.
    pub(crate) fn external(&self, idx: usize) -> Option<ExternalPart> {
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
        let mut keys = ids::of_part(own_id.as_deref(), names());
        keys.extend(ids::of_part(inner_id.as_deref(), names()));
        let name = name.unwrap_or_else(|| url.clone());
        Some(ExternalPart { url, name, ids: keys, scope: self.scope(idx) })
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
