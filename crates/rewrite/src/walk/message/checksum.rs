//! Checksums of bodies: `Content-MD5` (RFC 1864), `Content-Digest` and `Repr-Digest` (RFC 9530),
//! `Digest` (RFC 3230).
//!
//! Invariant: a checksum is updated for changes only if it is correct for the input; a part with an
//! incorrect or unsupported checksum is skipped.

use std::borrow::Cow;

use basectx::message::{Encoding, Entity, Field};
use layers::{Edit, Edits, Span, base64};
use md5::{Digest, Md5};
use sha2::{Sha256, Sha512};

/// The maximum number of checksums of one body that are computed.
const MOST: usize = 4;

/// The header fields that contain checksums of bodies.
pub(super) const FIELDS: [&str; 4] = ["Content-MD5", "Content-Digest", "Repr-Digest", "Digest"];

/// The algorithm of a checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Algorithm {
    Md5,
    Sha256,
    Sha512,
}

impl Algorithm {
    /// Returns the algorithm of a name in any letter case (RFC 9530 5, RFC 3230 4.1.1).
    fn named(name: &str) -> Option<Self> {
        match name.trim().to_ascii_lowercase().as_str() {
            "md5" => Some(Algorithm::Md5),
            "sha-256" => Some(Algorithm::Sha256),
            "sha-512" => Some(Algorithm::Sha512),
            _ => None,
        }
    }

    /// Returns the checksum of some bytes in base64.
    fn compute(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Algorithm::Md5 => base64::encode(&Md5::digest(bytes)),
            Algorithm::Sha256 => base64::encode(&Sha256::digest(bytes)),
            Algorithm::Sha512 => base64::encode(&Sha512::digest(bytes)),
        }
    }
}

/// The form of a body that a checksum covers. The specifications require the decoded body, with
/// CRLF if it is text; not all programs follow them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Form {
    is_decoded: bool,
    has_crlf: bool,
}

const FORMS: [Form; 4] = [
    Form { is_decoded: true, has_crlf: true },
    Form { is_decoded: true, has_crlf: false },
    Form { is_decoded: false, has_crlf: true },
    Form { is_decoded: false, has_crlf: false },
];

impl Form {
    fn compute<'b>(self, body: &'b [u8], encoding: &Encoding) -> Cow<'b, [u8]> {
        let bytes = if self.is_decoded { encoding.decode(body) } else { body.into() };
        if self.has_crlf { Cow::Owned(with_crlf(&bytes)) } else { bytes }
    }
}

/// Returns the bytes with all line ends as CRLF.
fn with_crlf(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 32);
    let mut was_cr = false;
    for byte in bytes {
        if *byte == b'\n' && !was_cr {
            out.push(b'\r');
        }
        was_cr = *byte == b'\r';
        out.push(*byte);
    }
    out
}

/// A checksum that is correct.
#[derive(Clone, Debug)]
pub(super) struct Checksum {
    /// Its span, in base64.
    span: Span,
    algorithm: Algorithm,
    form: Form,
    /// The body that it covers.
    pub(super) body: Span,
    encoding: Encoding,
}

/// Returns the checksums of the body of an entity; `None` if one of them is incorrect or cannot be
/// computed.
pub(super) fn find_all(entity: &Entity, bytes: &[u8]) -> Option<Vec<Checksum>> {
    let mut checksums = Vec::new();
    // Checksums cover single bodies (RFC 1864 2), and no program writes many of them.
    let is_field = |field: &&Field| FIELDS.iter().any(|name| field.is_named(name, bytes));
    if !entity.children.is_empty() || entity.fields.iter().filter(is_field).count() > MOST {
        return entity.fields.iter().all(|field| !is_field(&field)).then(Vec::new);
    }
    for field in &entity.fields {
        let Some(name) = FIELDS.iter().find(|name| field.is_named(name, bytes)) else { continue };
        let value = std::str::from_utf8(field.value.slice(bytes)).ok()?;
        let items = if *name == FIELDS[0] {
            vec![(Span::new(0, value.len()), Algorithm::Md5)]
        } else {
            items(value)?
        };
        for (span, algorithm) in items {
            if checksums.len() == MOST {
                return None;
            }
            let span = span.shifted(field.value.start);
            let body = entity.body.slice(bytes);
            let encoding = entity.encoding.clone();
            let is_right = |form: &Form| {
                algorithm.compute(&form.compute(body, &encoding)) == span.slice(bytes)
            };
            let form = FORMS.into_iter().find(is_right)?;
            checksums.push(Checksum { span, algorithm, form, body: entity.body, encoding });
        }
    }
    Some(checksums)
}

/// Returns the checksums in a list: `sha-256=:…:, md5=…`.
fn items(value: &str) -> Option<Vec<(Span, Algorithm)>> {
    let mut at = 0;
    let mut items = Vec::new();
    for item in value.split(',') {
        let (name, text) = item.split_once('=')?;
        let start = at + name.len() + 1 + (text.len() - text.trim_start().len());
        let text = text.trim();
        let (start, text) = match text.strip_prefix(':') {
            Some(inner) => (start + 1, inner.strip_suffix(':')?),
            None => (start, text),
        };
        items.push((Span::new(start, start + text.len()), Algorithm::named(name)?));
        at += item.len() + 1;
    }
    Some(items)
}

impl Checksum {
    /// Returns its span.
    pub(super) fn span(&self) -> Span {
        self.span
    }

    /// Returns the edit that updates the checksum for these edits of its body, which are sorted;
    /// `None` if it stays correct.
    pub(super) fn edit(&self, bytes: &[u8], edits: &[Edit]) -> Option<Edit> {
        let moved = |edit: &Edit| {
            let (start, end) = (edit.span.start, edit.span.end);
            let span = Span::new(start - self.body.start, end - self.body.start);
            Edit { span, ..edit.clone() }
        };
        let inner: Vec<Edit> = edits.iter().map(moved).collect();
        if inner.is_empty() {
            return None;
        }
        let body = Edits::new(inner, self.body.len()).ok()?.apply(self.body.slice(bytes));
        let text = self.algorithm.compute(&self.form.compute(&body, &self.encoding));
        (text != self.span.slice(bytes)).then(|| Edit {
            span: self.span,
            text: text.into(),
            id: usize::MAX,
        })
    }
}

#[cfg(test)]
mod tests {
    use basectx::message::Message;

    use super::*;

    /// Returns the number of checksums of a message if all of them are correct.
    fn are_right(text: &str) -> Option<usize> {
        let message = Message::read(text.as_bytes());
        find_all(&message.entities[0], text.as_bytes()).map(|checksums| checksums.len())
    }

    #[test]
    fn checksums_are_read_and_compared() {
        // RFC 1321 A.5 gives the checksum of "abc"; FIPS 180-4 gives that of SHA-256.
        let md5 = "kAFQmDzST7DWlj99KOF/cg==";
        let sha = "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=";
        assert_eq!(are_right(&format!("Content-MD5: {md5}\n\nabc")), Some(1));
        assert_eq!(are_right(&format!("Content-MD5: {md5}\n\nabd")), None);
        let both =
            format!("Content-Digest: sha-256=:{sha}:\nDigest: MD5={md5}, SHA-256={sha}\n\nabc");
        assert_eq!(are_right(&both), Some(3));
        assert_eq!(are_right("Digest: unixsum=30637\n\nabc"), None);
        assert_eq!(are_right("\nabc"), Some(0));
        let encoded = format!("Content-Transfer-Encoding: base64\nContent-MD5: {md5}\n\nYWJj\n");
        assert_eq!(are_right(&encoded), Some(1));
    }

    #[test]
    fn a_checksum_is_made_right() {
        let text = "Content-MD5: kAFQmDzST7DWlj99KOF/cg==\n\nabc";
        let message = Message::read(text.as_bytes());
        let checksums = find_all(&message.entities[0], text.as_bytes()).expect("they are right");
        let edit = Edit { span: Span::new(39, 42), text: b"".as_slice().into(), id: 0 };
        let edit = checksums[0].edit(text.as_bytes(), &[edit]).expect("it is another");
        // RFC 1321 A.5 gives the checksum of the empty string.
        assert_eq!(&*edit.text, b"1B2M2Y8AsgTpgAmY7PhCfg==");
    }
}
