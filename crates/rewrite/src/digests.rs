//! The digests of files that pages name, so that browsers block a file with another content
//! (Subresource Integrity, sections 3.1 to 3.5; `integrity`), and those of texts in pages that a
//! policy allows (CSP 3, section 6.7.3.3).
//!
//! A digest is renewed if the content is edited and the digest was right: of the tokens, those are
//! replaced that fit the old content. All others stay byte for byte: of an algorithm that browsers
//! do not know, of another content that was allowed, or wrong before already.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Debug;
use std::sync::Arc;

use layers::base64::encode;
use sha2::{Digest, Sha256, Sha384, Sha512};

/// The files of a tree that its documents load, in the output of a run.
pub trait LoadedFiles: Debug {
    /// Returns true if a URL, resolved in the input, is that of a file of the tree.
    fn contains(&self, url: &str) -> bool;

    /// Returns the digests of the file at a URL, if its content changes.
    fn digests(&self, url: &str) -> Option<Arc<FileDigests>>;
}

/// The algorithms, weakest first: browsers enforce only the strongest that a text names.
const ALGORITHMS: [&str; 3] = ["sha256", "sha384", "sha512"];

/// The digests of a file in the input and in the output, in base64 without padding, by algorithm.
///
/// # Examples
///
/// ```
/// use relink_rewrite::FileDigests;
///
/// let digests = FileDigests::new(b"a{}", b"b{}");
/// let [old, new] = [b"a{}", b"b{}"].map(|css| FileDigests::integrity(css));
/// assert_eq!(digests.renewed(&old), Some(new));
/// assert_eq!(digests.renewed("sha256-x"), None);
/// ```
#[derive(Clone, Debug)]
pub struct FileDigests {
    old: [String; 3],
    new: [String; 3],
}

impl FileDigests {
    /// Computes the digests of both contents of a file.
    pub fn new(old: &[u8], new: &[u8]) -> Self {
        FileDigests { old: all(old), new: all(new) }
    }

    /// Returns a value of `integrity` for a content, of the strongest algorithm.
    pub fn integrity(content: &[u8]) -> String {
        format!("sha512-{}==", written(&Sha512::digest(content)))
    }

    /// Returns the text of an `integrity` with the digests of the new content. `None` if none of
    /// its strongest digests is that of the old content: it was wrong, or is not enforced.
    pub fn renewed(&self, text: &str) -> Option<String> {
        let tokens = || text.split_ascii_whitespace().filter_map(Token::parse);
        let strongest = tokens().map(|token| token.algorithm).max()?;
        let is_old = |token: &Token<'_>| token.is(&self.old[token.algorithm]);
        let is_strongest = |token: &Token<'_>| token.algorithm == strongest;
        if !tokens().filter(is_strongest).any(|token| is_old(&token)) {
            return None;
        }
        let mut renewed = String::with_capacity(text.len());
        for piece in text.split_inclusive(|char: char| char.is_ascii_whitespace()) {
            match Token::parse(piece).filter(is_old) {
                Some(token) => {
                    let (name, rest) = piece.split_at(token.start);
                    renewed.push_str(name);
                    renewed.push_str(&token.like(&self.new[token.algorithm]));
                    renewed.push_str(&rest[token.value.len()..]);
                }
                None => renewed.push_str(piece),
            }
        }
        Some(renewed)
    }

    /// Returns true if a text has a digest that browsers enforce.
    pub fn is_enforced(text: &str) -> bool {
        text.split_ascii_whitespace().any(|word| Token::parse(word).is_some())
    }
}

/// The digests of texts that a policy may allow, each with those of the texts that they become, in
/// base64 without padding. Digests of different algorithms have different lengths.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextDigests {
    new: HashMap<String, BTreeSet<String>>,
}

impl TextDigests {
    /// Adds the digests of a text in the input and in the output, in the same order. One text may
    /// become several.
    pub(crate) fn add(&mut self, old: Vec<String>, new: Vec<String>) {
        for (old, new) in old.into_iter().zip(new) {
            self.new.entry(old).or_default().insert(new);
        }
    }

    /// Returns a policy with the digests of the texts of the output. `None` if it has no digest of
    /// a text that changes.
    pub(crate) fn renewed(&self, policy: &str) -> Option<String> {
        let mut renewed = String::with_capacity(policy.len());
        for (idx, piece) in policy.split('\'').enumerate() {
            renewed.push_str(if idx > 0 { "'" } else { "" });
            let changed = Token::parse(piece).and_then(|token| {
                let new = self.new.get(&token.plain())?;
                let name = &piece[..token.start];
                let of = |digest: &String| format!("{name}{}", token.like(digest));
                Some(new.iter().map(of).collect::<Vec<_>>().join("' '"))
            });
            renewed.push_str(changed.as_deref().unwrap_or(piece));
        }
        (renewed != policy).then_some(renewed)
    }
}

/// Returns the digests of a text as browsers compute them for a policy, after they have read it: in
/// UTF-8, with line ends as LF, and without NUL (HTML standard, sections 13.2.3.5 and 13.2.5.3).
pub(crate) fn of_text(text: &str) -> Vec<String> {
    let is_read_otherwise = text.contains(['\r', '\0']);
    if is_read_otherwise {
        let text = text.replace("\r\n", "\n").replace('\r', "\n").replace('\0', "\u{FFFD}");
        all(text.as_bytes()).into()
    } else {
        all(text.as_bytes()).into()
    }
}

/// Returns the digests in a value of `integrity`: a policy may allow a script by them.
pub(crate) fn in_integrity(text: &str) -> Vec<String> {
    let tokens = text.split_ascii_whitespace().filter_map(Token::parse);
    tokens.map(|token| token.plain()).collect()
}

/// A digest that browsers enforce: `sha384-…?options`.
struct Token<'t> {
    /// The number of the algorithm.
    algorithm: usize,
    /// The offset of the digest in the text.
    start: usize,
    /// The digest as it is written, with its padding.
    value: &'t str,
}

impl<'t> Token<'t> {
    /// Parses a word, which may have white space after it.
    fn parse(text: &'t str) -> Option<Self> {
        let (name, rest) = text.trim_ascii_end().split_once('-')?;
        let algorithm = ALGORITHMS.iter().position(|known| known.eq_ignore_ascii_case(name))?;
        let value = rest.split('?').next().filter(|value| !value.is_empty())?;
        Some(Token { algorithm, start: name.len() + 1, value })
    }

    /// Returns true if it is this digest.
    fn is(&self, digest: &str) -> bool {
        self.plain_chars().eq(digest.chars())
    }

    /// Returns the digest in base64 without padding.
    fn plain(&self) -> String {
        self.plain_chars().collect()
    }

    /// Returns its characters in base64 without padding. Browsers also read the alphabet of URLs,
    /// and need no padding.
    fn plain_chars(&self) -> impl Iterator<Item = char> {
        self.value.trim_end_matches('=').chars().map(|char| match char {
            '-' => '+',
            '_' => '/',
            char => char,
        })
    }

    /// Returns a digest of the same algorithm, written in the same form.
    fn like(&self, digest: &str) -> String {
        let mut written = if self.value.contains(['-', '_']) {
            digest.replace('+', "-").replace('/', "_")
        } else {
            digest.to_owned()
        };
        written.extend(self.value.chars().skip_while(|char| *char != '='));
        written
    }
}

fn all(content: &[u8]) -> [String; 3] {
    [
        written(&Sha256::digest(content)),
        written(&Sha384::digest(content)),
        written(&Sha512::digest(content)),
    ]
}

/// Returns a digest in base64 without padding.
fn written(digest: &[u8]) -> String {
    let text = String::from_utf8(encode(digest)).unwrap_or_default();
    text.trim_end_matches('=').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    // Printed by `openssl dgst -sha256 -binary | openssl base64 -A`, and -sha384, for `a` and `b`.
    const A: [&str; 2] = [
        "sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs=",
        "sha384-VKWbnyKwuAiA2EJ+VIt8I6vYc0huHwNdzpzWl+hRdQM8qojm1XvDXvrgta/TFF8x",
    ];
    const B: [&str; 2] = [
        "sha256-PiPoFgA5WUoziU9lZOGxNIu9egCI1CxKy3PurtWcAJ0=",
        "sha384-mKkGGCzc+x6060cRdgD2iVji3dFAJItHmE9L3mWHuJyCFcPaiVozbpStGso5AVxA",
    ];

    fn renewed(text: &str) -> Option<String> {
        FileDigests::new(b"a", b"b").renewed(text)
    }

    #[test]
    fn the_digest_of_the_old_content_is_replaced() {
        assert_eq!(renewed(A[0]).as_deref(), Some(B[0]));
        let open = |text: &str| text.trim_end_matches('=').to_owned();
        assert_eq!(renewed(&open(A[0])), Some(open(B[0])));
        let with_options = |text: &str| format!(" {text}?x\t\n md5-y {text} ");
        assert_eq!(renewed(&with_options(A[0])), Some(with_options(B[0])));
        let for_urls = |text: &str| {
            let (name, value) = text.split_once('-').unwrap();
            format!("{name}-{}", value.replace('+', "-").replace('/', "_"))
        };
        assert_eq!(renewed(&for_urls(A[0])), Some(for_urls(B[0])));
    }

    #[test]
    fn a_digest_of_another_content_stays() {
        let other = "sha256-n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=";
        for text in ["", "md5-x", "sha256-", "sha256", other, "nonce-a sha1-b"] {
            assert_eq!(renewed(text), None, "{text}");
        }
        assert_eq!(renewed(&format!("{other} {}", A[0])), Some(format!("{other} {}", B[0])));
        // Only the strongest algorithm counts.
        assert_eq!(renewed(&format!("{} sha512-x", A[0])), None);
        assert_eq!(renewed(&A.join(" ")), Some(B.join(" ")));
    }

    #[test]
    fn digests_of_texts_are_renewed_in_a_policy() {
        let mut digests = TextDigests::default();
        digests.add(of_text("a"), of_text("b"));
        let with = |digest: &str| {
            format!("default-src 'self'; style-src 'unsafe-hashes' '{digest}' 'sha256-x';img-src *")
        };
        assert_eq!(digests.renewed(&with(A[0])), Some(with(B[0])));
        assert_eq!(digests.renewed(&with(A[1])), Some(with(B[1])));
        assert_eq!(digests.renewed(&with("sha256-x")), None);
        // Without quotes it is the name of a host.
        assert_eq!(digests.renewed(&format!("style-src {}", A[0])), None);
        // The same text, elsewhere, stays.
        digests.add(of_text("a"), of_text("a"));
        let both = format!("{}' '{}", B[0], A[0]);
        assert_eq!(digests.renewed(&with(A[0])), Some(with(&both)));
        assert_eq!(of_text("a\r\nb\rc\0"), of_text("a\nb\nc\u{FFFD}"));
    }

    #[test]
    fn only_some_words_are_enforced() {
        assert!(FileDigests::is_enforced("x SHA512-y"));
        assert!(!FileDigests::is_enforced("md5-y sha256- sha512y"));
    }
}
