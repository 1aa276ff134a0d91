//! Content Security Policies in documents: whether a document may have one, and the digests of the
//! texts in it that a policy may allow, of which only the hashes are edited.

use layers::Layer;

use crate::digests::{self, TextDigests};
use crate::options::AvailableMemory;
use crate::options::Options;
use crate::report::Note;
use crate::slots::SlotId;
use crate::unit::Unit;
use crate::walk::frame::Refused;
use crate::walk::scope::Bases;
use crate::walk::site::{Site, Visitor, Wanted};
use crate::walk::start::walk;

/// Returns true if a document may contain a policy, in `<meta http-equiv>` or in a header field.
pub(crate) fn has_policy(bytes: &[u8]) -> bool {
    const NAME: &[u8] = b"content-security-policy";
    memchr::memchr2_iter(b'c', b'C', bytes).any(|at| {
        bytes.get(at..at + NAME.len()).is_some_and(|name| name.eq_ignore_ascii_case(NAME))
    })
}

/// Returns true if a document may have a policy with hashes of texts (CSP 3, section 2.3.1,
/// "hash-source").
///
/// # Examples
///
/// ```
/// assert!(relink_rewrite::has_policy_hashes(b"Content-Security-Policy: style-src 'sha256-x'"));
/// assert!(!relink_rewrite::has_policy_hashes(b"Content-Security-Policy: style-src 'self'"));
/// ```
pub fn has_policy_hashes(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, b"'sha").is_some() && has_policy(bytes)
}

/// Returns true if a document has the hash of a text that has another one now.
pub(crate) fn has_old_hashes(bytes: &[u8], digests: &TextDigests) -> bool {
    let hashes = memchr::memmem::find_iter(bytes, b"'sha");
    let hash = |at: usize| {
        let rest = &bytes[at + 1..];
        let end = memchr::memchr2(b'\'', b'<', rest)?;
        Some(format!("'{}'", String::from_utf8_lossy(&rest[..end])))
    };
    hashes.filter_map(hash).any(|hash| digests.renewed(&hash).is_some())
}

/// The bytes of memory that the digests of a text take.
const DIGESTS_SIZE: usize = 512;

/// Returns the digests of the texts of a unit and of those of an output, in which no policy has
/// been edited yet. `None` if they cannot be computed.
pub(crate) fn text_digests(
    unit: Unit<'_>,
    output: &[u8],
    options: &Options,
) -> Option<TextDigests> {
    let [old, new] =
        [unit.bytes, output].map(|bytes| HashedTexts::read(Unit { bytes, ..unit }, options));
    let (old, new) = (old?, new?);
    if old.len() != new.len() {
        return None;
    }
    let mut digests = TextDigests::default();
    old.into_iter().zip(new).for_each(|(old, new)| digests.add(old, new));
    Some(digests)
}

/// The visitor that computes the digests of texts which a policy may allow.
#[derive(Default)]
struct HashedTexts {
    digests: Vec<Vec<String>>,
    /// True if a text is not known as a whole.
    has_partial: bool,
}

impl HashedTexts {
    fn read(unit: Unit<'_>, options: &Options) -> Option<Vec<Vec<String>>> {
        let memory = AvailableMemory::new(&options.limits, unit.bytes.len());
        let mut texts = HashedTexts::default();
        let walked = walk(unit, options, options.engine, Bases::KEPT, memory, &mut texts);
        (!walked.is_stopped && !texts.has_partial).then_some(texts.digests)
    }
}

impl Visitor for HashedTexts {
    fn wanted(&self) -> Wanted {
        Wanted { texts: true, ..Wanted::default() }
    }

    fn text(&mut self, slot: SlotId, layer: Layer, text: &str) {
        if !slot.may_be_hashed() {
            return;
        }
        // In XML and SVG there may be other pieces of the text around it.
        let is_whole = match layer {
            Layer::Attribute(_) | Layer::Content => true,
            Layer::Text => slot != SlotId::SVG_STYLE,
            _ => false,
        };
        self.has_partial |= !is_whole;
        self.digests.push(digests::of_text(text));
    }

    fn reference(&mut self, site: &Site<'_>) -> Option<&str> {
        if site.slot == SlotId::SCRIPT_INTEGRITY {
            self.digests.push(digests::in_integrity(site.text));
        }
        None
    }

    fn refused(&mut self, _: usize, _: Refused) {}

    fn memory(&self) -> usize {
        self.digests.len() * DIGESTS_SIZE
    }

    fn note(&mut self, _: Note) {}
}
