//! Hashes of documents, by which runs recognize the documents that they have written: SHA-256 (FIPS
//! 180-4), in hexadecimal digits; and the names that git gives to contents.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read, Write};
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha1::Sha1;
use sha2::{Digest, Sha256};

/// The hash of a content. Its text has 64 digits, in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hexadecimal(&self.0))
    }
}

impl FromStr for ContentHash {
    type Err = NoHash;

    fn from_str(text: &str) -> Result<Self, NoHash> {
        let value = |digit: u8| match digit {
            b'0'..=b'9' => Ok(digit - b'0'),
            b'a'..=b'f' => Ok(digit - b'a' + 10),
            _ => Err(NoHash),
        };
        let digits: &[u8; 64] = text.as_bytes().try_into().map_err(|_| NoHash)?;
        let mut hash = [0; 32];
        for (byte, digits) in hash.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = value(digits[0])? << 4 | value(digits[1])?;
        }
        Ok(ContentHash(hash))
    }
}

impl Serialize for ContentHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hexadecimal(&self.0))
    }
}

impl<'de> Deserialize<'de> for ContentHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

/// A text that is not the hash of a content.
#[derive(Debug, thiserror::Error)]
#[error("not a SHA-256 of 64 digits")]
pub struct NoHash;

/// Computes the hash of the bytes that are written to it.
#[derive(Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// Returns the hash of all written bytes.
    pub fn finish(self) -> ContentHash {
        ContentHash(self.0.finalize().into())
    }
}

impl Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the hash of the bytes of a reader.
///
/// # Errors
///
/// Those of the reader.
pub fn of_reader(mut reader: impl Read) -> io::Result<ContentHash> {
    let mut hasher = Hasher::default();
    io::copy(&mut reader, &mut hasher)?;
    Ok(hasher.finish())
}

/// Returns the hash of bytes in base64, as policies of pages name it.
pub fn base64_of_bytes(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&layers::base64::encode(&Sha256::digest(bytes))).into_owned()
}

/// Returns the hash of bytes.
pub fn of_bytes(bytes: &[u8]) -> ContentHash {
    let mut hasher = Hasher::default();
    hasher.0.update(bytes);
    hasher.finish()
}

/// A hash for texts that are only compared: the first bytes of their SHA-256, because maps of
/// millions of texts need much memory.
pub type Short = [u8; 16];

/// Returns the hash of a text that is only compared.
pub fn short(bytes: &[u8]) -> Short {
    let hash = Sha256::digest(bytes);
    std::array::from_fn(|idx| hash[idx])
}

/// Returns the name of a content in git: the SHA-1 of a header and the content.
pub fn git_blob(bytes: &[u8]) -> String {
    let header = format!("blob {}\0", bytes.len());
    let hash = Sha1::new().chain_update(header).chain_update(bytes).finalize();
    hexadecimal(&hash)
}

fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = Vec::with_capacity(2 * bytes.len());
    for byte in bytes {
        let digits = [byte >> 4, byte & 15].map(|value| DIGITS[usize::from(value)]);
        text.extend_from_slice(&digits);
    }
    String::from_utf8(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_the_standard() {
        // FIPS 180-2, appendix B.1.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(of_bytes(b"abc").to_string(), abc);
        assert_eq!(of_reader(&b"abc"[..]).unwrap(), of_bytes(b"abc"));
    }

    #[test]
    fn a_hash_is_read_as_it_is_written() {
        let text = of_bytes(b"abc").to_string();
        assert_eq!(text.parse::<ContentHash>().unwrap(), of_bytes(b"abc"));
        for other in
            [&text[1..], &format!("{text}0"), &text.to_uppercase(), &text.replace('b', "g")]
        {
            assert!(other.parse::<ContentHash>().is_err(), "{other}");
        }
    }

    #[test]
    fn the_names_of_git() {
        // Pro Git, second edition, section 10.2: `echo 'test content' | git hash-object --stdin`.
        let name = "d670460b4b4aece5915caf5c68d12f560a9fe3e4";
        assert_eq!(git_blob(b"test content\n"), name);
    }
}
