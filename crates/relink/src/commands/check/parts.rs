//! What references point to inside of documents: the parts of a message, by their identifiers (RFC
//! 2392) and their locations (RFC 2557, section 4.2), and the names that fragments point to.

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use basectx::Context;
use basectx::message::{Around, Contexts, Message, Profile, url_of};
use rewrite::{Extras, Media, Options, SkipScope, Unit, references};
use urlcore::escape::percent_decode;

use crate::archives::unpack::ids;
use crate::events::problem::{Problem, scheme};

/// The identifiers and locations of the parts of a message.
#[derive(Debug, Default)]
pub(super) struct MessageParts {
    /// The `Message-ID`, without angle brackets.
    message: Option<Vec<u8>>,
    /// What references by identifiers are compared with, as the specifications say.
    ids: HashSet<String>,
    /// The URLs of the parts, without fragments.
    locations: HashSet<String>,
}

impl MessageParts {
    /// Reads the header sections of a message. `around` is its context.
    pub(super) fn new(bytes: &[u8], profile: Profile, around: &Context<'_>) -> Self {
        let message = Message::read(bytes);
        let contexts = Contexts::new(&message, profile);
        // What is wrong with the fields is reported with the references.
        drop(contexts.fill(
            &message,
            bytes,
            Around { context: around, part: "", raw: &|span| span },
        ));
        let id = |idx: usize, name| {
            let field = message.entities.get(idx)?.field(name, bytes)?.text(bytes);
            let id = field.trim().strip_prefix('<')?.strip_suffix('>')?;
            Some(id.as_bytes().to_vec())
        };
        let ids_of = |idx: usize| {
            let field = message.entities[idx].field("Content-ID", bytes);
            let id = field.map(|field| field.text(bytes));
            ids::of_part(id.as_deref(), std::iter::empty())
        };
        let all = 0..message.entities.len();
        MessageParts {
            message: id(0, "Message-ID"),
            ids: all.clone().flat_map(ids_of).collect(),
            locations: all
                .flat_map(|idx| {
                    // Blink gives inline style sheets a location such as `cid:css-1@mhtml.blink`.
                    let field = message.entities[idx].field("Content-Location", bytes);
                    let written = field.and_then(|field| url_of(field, bytes));
                    [contexts.own_url(&message, idx, bytes), written]
                })
                .flatten()
                .collect(),
        }
    }

    /// Returns true if a target is a part, and false if it is something else.
    ///
    /// # Errors
    ///
    /// The problem if it names a part that the message does not have.
    pub(super) fn have(&self, target: &str) -> Result<bool, Problem> {
        let target = target.split('#').next().unwrap_or_default();
        let rest = target.split_once(':').map_or("", |(_, rest)| rest);
        let named = match scheme(target) {
            name if name.eq_ignore_ascii_case("cid") => Some(rest),
            // Of another message nothing is known.
            name if name.eq_ignore_ascii_case("mid") => match rest.split_once('/') {
                Some((message, part)) if self.is_own(message) => Some(part),
                _ => return Ok(false),
            },
            _ => None,
        };
        match named {
            Some(id) if self.has(id) => Ok(true),
            Some(_) if self.locations.contains(target) => Ok(true),
            Some(id) => Err(Problem::NoPart(id.to_owned())),
            None => Ok(self.locations.contains(target)),
        }
    }

    /// Returns true if the message has a part with this identifier, which is written as in a URL.
    fn has(&self, id: &str) -> bool {
        let keys = ids::of_reference(&format!("cid:{id}"));
        keys.iter().take(ids::N_EXACT).any(|key| self.ids.contains(key))
    }

    fn is_own(&self, message: &str) -> bool {
        self.message.as_deref() == Some(&*percent_decode(message))
    }
}

// The names in documents that fragments point to: each document is read once, when it is first
// needed.

/// The names in one document, by their hashes; `None` if its names are not known.
type FragmentNames = Arc<OnceLock<Option<HashSet<u64>>>>;

/// The names in documents, by the number of their PATH and their path below it.
#[derive(Debug, Default)]
pub struct Anchors {
    documents: Mutex<HashMap<(usize, Vec<u8>), FragmentNames>>,
}

impl Anchors {
    /// Returns true if the document has one of these names, or may have. `read` returns its bytes,
    /// if it is a page or a drawing.
    pub fn have(
        &self,
        root: usize,
        path: &[u8],
        names: [&str; 2],
        read: impl FnOnce() -> Option<(Vec<u8>, Media)>,
    ) -> bool {
        let names_of = {
            let mut documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(documents.entry((root, path.to_vec())).or_default())
        };
        // Other threads may read other documents meanwhile.
        let known =
            names_of.get_or_init(|| read().and_then(|(bytes, media)| names_in(&bytes, media)));
        // `#svgView(…)`, `#xpointer(…)`: more than a name.
        if names.iter().any(|name| name.contains('(')) {
            return true;
        }
        known.as_ref().is_none_or(|known| names.iter().any(|name| known.contains(&hash(name))))
    }
}

/// Returns the values of `id`, and of `name` of `a`, in a document (HTML 7.4.6.4; xml:id 1.0), if
/// it can be read.
fn names_in(bytes: &[u8], media: Media) -> Option<HashSet<u64>> {
    let mut extras = Extras::default();
    extras.add("id");
    extras.add("a[name]");
    if media == Media::XML {
        extras.add("xml:id");
    }
    let options = Options::default().with_extras(extras);
    let context = Context::none();
    let unit = Unit::new(bytes, media, &context);
    let mut names = HashSet::new();
    let report = references(unit, &options, |site| {
        // Another document's names are its own; without scripts, `noscript` is part of this one.
        let is_here = site
            .frame
            .embedded()
            .iter()
            .all(|(slot, _)| options.extras.name_of(*slot) == "noscript");
        if is_here && matches!(options.extras.name_of(site.slot), "*[id]" | "a[name]" | "*[xml:id]")
        {
            names.insert(hash(site.text));
        }
    });
    let is_read = report.skipped.iter().all(|skipped| skipped.extent != SkipScope::Unit);
    is_read.then_some(names)
}

fn hash(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_by_id_and_location() {
        let bytes = b"Message-ID: <m@h>\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\nContent-Location: http://h/a/\r\n\r\n<p>\r\n--b\r\nContent-Type: image/png\r\nContent-ID: <i%@h>\r\nContent-Location: http://h/a/i.png\r\n\r\n\r\n--b\r\nContent-Type: text/css\r\nContent-Location: cid:css@b\r\n\r\n\r\n--b--\r\n";
        let parts = MessageParts::new(bytes, Profile::Relink, &Context::none());
        for (target, is_part) in [
            ("cid:i%25@h", true),
            ("CID:i%25%40h", true),
            ("mid:m@h/i%25@h", true),
            ("cid:css@b", true),
            ("mid:m@h", false),
            ("mid:other@h/x", false),
            ("http://h/a/i.png#x", true),
            ("http://h/a/", true),
            ("http://h/a/no.png", false),
        ] {
            assert_eq!(parts.have(target), Ok(is_part), "{target}");
        }
        for target in ["cid:no@h", "mid:m@h/no@h"] {
            assert_eq!(parts.have(target), Err(Problem::NoPart("no@h".to_owned())), "{target}");
        }
    }
}
