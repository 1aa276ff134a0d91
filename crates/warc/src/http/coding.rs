//! The content codings of HTTP (RFC 9110, section 8.4.1), with limits against small bodies that
//! become large.
//!
//! This is the only file that imports brotli-decompressor (RFC 7932).

use std::io;
use std::io::Read;

use brotli_decompressor::Decompressor;

use crate::gzip::{Checksum, Inflater};
use crate::gzip::{Header, TRAILER};
use crate::limits::{MAX_CODINGS, PART};
use crate::{gzip, zstd};

/// The bytes of a decoded body that the limit of the ratio does not count.
const FREE: usize = 1 << 20;

/// The limits of a decoded body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeLimits {
    /// The maximum length of the decoded body, in bytes.
    pub most: usize,
    /// The maximum number of bytes that a byte of the body may become; the first MiB does not
    /// count.
    pub ratio: usize,
}

impl Default for DecodeLimits {
    /// 256 MiB, and a ratio of 1,000.
    fn default() -> Self {
        DecodeLimits { most: 256 << 20, ratio: 1_000 }
    }
}

/// The reason why a body cannot be decoded.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeError {
    /// The decoded body is longer than [`DecodeLimits::most`], in bytes.
    #[error("its decoded body is longer than {0} bytes")]
    TooLarge(usize),
    /// It exceeds [`DecodeLimits::ratio`].
    #[error("its decoded body is more than {0} times as long as its body")]
    Ratio(usize),
    /// It has more than [`MAX_CODINGS`](crate::MAX_CODINGS) codings.
    #[error("its body has more than {MAX_CODINGS} codings")]
    Codings,
    /// A coding without a decoder, such as `compress`; its name.
    #[error("its content coding '{}' is unknown", shown(.0))]
    Unknown(String),
    /// The body does not conform to a coding; its name, and the reason.
    #[error("its {0} coding {1}")]
    Damaged(&'static str, String),
    /// There is not enough memory.
    #[error("there is not enough memory for its decoded body")]
    Memory,
}

/// Returns the start of a name from a file, escaped.
fn shown(name: &str) -> String {
    name.chars().take(40).flat_map(char::escape_default).collect()
}

/// Content codings without a decoder (IANA's registry, and what servers have sent).
const OTHERS: [&str; 10] = [
    "compress",
    "x-compress",
    "pack200-gzip",
    "exi",
    "aes128gcm",
    "dcb",
    "dcz",
    "sdch",
    "bzip2",
    "xz",
];

/// Returns true for the name of a coding that is not decoded.
pub(super) fn has_no_decoder(name: &str) -> bool {
    OTHERS.iter().any(|one| one.eq_ignore_ascii_case(name))
}

/// A coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl Coding {
    /// Returns the coding with a name.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        let is_in = |names: &[&str]| names.iter().any(|one| one.eq_ignore_ascii_case(name));
        match () {
            () if is_in(&["gzip", "x-gzip"]) => Some(Coding::Gzip),
            () if is_in(&["deflate"]) => Some(Coding::Deflate),
            () if is_in(&["br"]) => Some(Coding::Brotli),
            () if is_in(&["zstd"]) => Some(Coding::Zstd),
            () => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Coding::Gzip => "gzip",
            Coding::Deflate => "deflate",
            Coding::Brotli => "br",
            Coding::Zstd => "zstd",
        }
    }

    /// Returns true if the first bytes of a body show whether it has this coding.
    pub(super) fn has_signature(self) -> bool {
        matches!(self, Coding::Gzip | Coding::Zstd)
    }

    /// Returns true if a body may have this coding.
    pub(super) fn may_be_of(self, body: &[u8]) -> bool {
        match self {
            Coding::Gzip => body.starts_with(&gzip::MAGIC[..2]),
            Coding::Zstd => body.starts_with(zstd::MAGIC),
            Coding::Deflate | Coding::Brotli => !body.is_empty(),
        }
    }

    /// Decodes a body. If it is damaged, also returns what could be decoded.
    pub(super) fn decode(
        self,
        body: &[u8],
        limits: &DecodeLimits,
    ) -> Result<Vec<u8>, (DecodeError, Vec<u8>)> {
        let mut text = Limited::new(body, limits);
        let decoded = match self {
            Coding::Gzip => members(body, &mut text).map_err(str::to_owned),
            Coding::Deflate => deflated(body, limits, &mut text).map_err(str::to_owned),
            Coding::Brotli => {
                decode(body, &mut |part| text.take(part)).map_err(|error| match error {
                    Some(error) => format!("{}: {error}", gzip::DAMAGED),
                    None => String::new(),
                })
            }
            Coding::Zstd => {
                zstd::decode(body, &mut |part| text.take(part)).map_err(|error| error.to_string())
            }
        };
        match (text.error, decoded) {
            (Some(error), _) => Err((error, Vec::new())),
            (None, Err(reason)) => Err((DecodeError::Damaged(self.name(), reason), text.text)),
            (None, Ok(())) => Ok(text.text),
        }
    }
}

/// Decompresses a body that is declared as `deflate`. Servers disagree whether the data have a
/// header of zlib.
fn deflated(body: &[u8], limits: &DecodeLimits, text: &mut Limited) -> Result<(), &'static str> {
    if has_zlib_header(body) {
        let decoded = inflate(body, &mut Inflater::zlib(), text);
        if decoded.is_ok() || text.error.is_some() {
            return decoded.map(drop);
        }
        *text = Limited::new(body, limits);
    }
    inflate(body, &mut Inflater::raw(), text).map(drop)
}

/// A text that may not exceed the limits.
struct Limited {
    text: Vec<u8>,
    most: usize,
    most_for_body: usize,
    ratio: usize,
    /// The limit that was exceeded.
    error: Option<DecodeError>,
}

impl Limited {
    fn new(body: &[u8], limits: &DecodeLimits) -> Self {
        let DecodeLimits { most, ratio } = *limits;
        let most_for_body = body.len().saturating_mul(ratio).saturating_add(FREE);
        Limited { text: Vec::new(), most, most_for_body, ratio, error: None }
    }

    /// Adds a part. Returns false if that exceeds a limit.
    fn take(&mut self, part: &[u8]) -> bool {
        let len = self.text.len().saturating_add(part.len());
        self.error = match () {
            () if len > self.most => Some(DecodeError::TooLarge(self.most)),
            () if len > self.most_for_body => Some(DecodeError::Ratio(self.ratio)),
            () if self.text.try_reserve(part.len()).is_err() => Some(DecodeError::Memory),
            () => None,
        };
        if self.error.is_some() {
            return false;
        }
        self.text.extend_from_slice(part);
        true
    }
}

/// Returns true if data begin as those of zlib (RFC 1950, section 2.2).
fn has_zlib_header(body: &[u8]) -> bool {
    let [method, flags, ..] = body else { return false };
    method & 0x0F == 8 && u16::from_be_bytes([*method, *flags]).is_multiple_of(31)
}

/// Decompresses data, and returns their length.
fn inflate(
    data: &[u8],
    inflater: &mut Inflater,
    text: &mut Limited,
) -> Result<usize, &'static str> {
    let mut part = vec![0; PART];
    let mut at = 0;
    loop {
        let rest = data.get(at..).unwrap_or_default();
        let step = inflater.step(rest, &mut part).map_err(|_| gzip::DAMAGED)?;
        at += step.n_read;
        if !text.take(&part[..step.n_written]) {
            return Err("");
        }
        if step.is_end {
            return Ok(at);
        }
        if step.n_read + step.n_written == 0 {
            return Err(gzip::CUT);
        }
    }
}

/// Decompresses gzip members. Other bytes after the last one do not belong to the text.
fn members(body: &[u8], text: &mut Limited) -> Result<(), &'static str> {
    let mut inflater = Inflater::raw();
    let mut at = 0;
    while at == 0 || body[at..].starts_with(gzip::MAGIC) {
        let data = match gzip::header(&body[at..]) {
            Header::Complete(n_header) => at + n_header,
            Header::Incomplete => return Err(gzip::CUT),
            Header::Invalid(reason) => return Err(reason),
        };
        inflater.reset();
        let n_before = text.text.len();
        let end = data + inflate(&body[data..], &mut inflater, text)?;
        let mut checksum = Checksum::default();
        checksum.add(&text.text[n_before..]);
        // Browsers accept a body whose trailer is missing.
        let trailer = &body[end..body.len().min(end + TRAILER)];
        if trailer.len() == TRAILER && !checksum.is_in(trailer) {
            return Err(gzip::WRONG_SUM);
        }
        at = end + trailer.len();
    }
    Ok(())
}

/// Decompresses a body, and passes the text on in parts until `take` returns false.
///
/// # Errors
///
/// The error for data that are not valid, not complete, or followed by other bytes; `None` if
/// `take` refused.
pub(super) fn decode(
    body: &[u8],
    take: &mut dyn FnMut(&[u8]) -> bool,
) -> Result<(), Option<io::Error>> {
    let mut reader = Decompressor::new(body, PART);
    let mut part = vec![0; PART];
    loop {
        match reader.read(&mut part) {
            Ok(0) => return Ok(()),
            Ok(n_bytes) if take(&part[..n_bytes]) => {}
            Ok(_) => return Err(None),
            Err(error) => return Err(Some(error)),
        }
    }
}
