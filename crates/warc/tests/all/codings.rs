//! The codings of bodies, one and several, correct and wrong, and their limits.

use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, ZlibEncoder};
use relink_warc::{DecodeError, DecodeLimits, HttpResponse, MAX_CODINGS};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::writer::member;

const TEXT: &[u8] = b"<p>brotli, brotli, brotli, brotli</p>";
/// The text, compressed by the library `brotli` of Python.
const BROTLI: &[u8] = &[
    0x1b, 0x24, 0x00, 0xf8, 0x9d, 0x09, 0x36, 0x2e, 0xa8, 0x77, 0xc7, 0x78, 0x0d, 0xc2, 0x23, 0x06,
    0xa7, 0x58, 0xe8, 0xca, 0x47, 0x2e, 0xd3, 0xd8, 0xde, 0x4a, 0x10, 0xa2, 0xca, 0x01, 0x67, 0x06,
    0xd7, 0x07, 0x24,
];

fn zlib(text: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn raw(text: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    compress_to_vec(text, CompressionLevel::Fastest)
}

fn chunked(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for chunk in body.chunks(10) {
        out.extend(format!("{:x}\r\n", chunk.len()).bytes());
        out.extend_from_slice(chunk);
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b"0\r\n\r\n");
    out
}

fn decode_within(fields: &str, body: &[u8], limits: &DecodeLimits) -> Result<Vec<u8>, DecodeError> {
    let block = [b"HTTP/1.1 200 OK\r\n", fields.as_bytes(), b"\r\n", body].concat();
    let response = HttpResponse::read(&block).unwrap();
    let decoded = response.decoded_body(limits)?.into_owned();
    // The decoded message has the same body, and no coding that applies to it.
    let message = response.decoded_message(limits)?;
    assert_eq!(message.len(), response.header_section().len() + decoded.len());
    let again = HttpResponse::read(&message).unwrap();
    assert_eq!((again.body(), &*again.decoded_body(limits)?), (&*decoded, &*decoded));
    Ok(decoded)
}

fn decode(fields: &str, body: &[u8]) -> Result<Vec<u8>, DecodeError> {
    decode_within(fields, body, &DecodeLimits::default())
}

#[test]
fn each_coding_is_decoded() {
    let gzip = member(TEXT);
    for (fields, body) in [
        ("", TEXT.to_vec()),
        ("Content-Encoding: identity\r\n", TEXT.to_vec()),
        ("Content-Encoding: gzip\r\n", gzip.clone()),
        ("Content-Encoding: X-GZIP\r\n", gzip.clone()),
        ("Content-Encoding: gzip\r\n", [member(&TEXT[..9]), member(&TEXT[9..])].concat()),
        ("Content-Encoding: gzip\r\n", [&gzip[..], b"junk"].concat()),
        // Browsers do without the trailer.
        ("Content-Encoding: gzip\r\n", gzip[..gzip.len() - 8].to_vec()),
        ("Content-Encoding: deflate\r\n", zlib(TEXT)),
        ("Content-Encoding: deflate\r\n", raw(TEXT)),
        ("Content-Encoding: br\r\n", BROTLI.to_vec()),
        ("Content-Encoding: zstd\r\n", zstd(TEXT)),
        ("Content-Encoding: gzip, br\r\n", gzip_then_brotli()),
        ("Content-Encoding: deflate, gzip\r\n", member(&zlib(TEXT))),
        ("Content-Encoding: deflate\r\nContent-Encoding: gzip\r\n", member(&zlib(TEXT))),
        ("Transfer-Encoding: chunked\r\n", chunked(TEXT)),
        ("Transfer-Encoding: gzip, chunked\r\n", chunked(&gzip)),
        ("Transfer-Encoding: chunked\r\nContent-Encoding: br\r\n", chunked(BROTLI)),
        // They were decoded when they were saved.
        ("Transfer-Encoding: chunked\r\n", TEXT.to_vec()),
        ("Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n", gzip.clone()),
        ("Content-Encoding: gzip\r\n", TEXT.to_vec()),
        ("Content-Encoding: zstd\r\n", TEXT.to_vec()),
    ] {
        assert_eq!(decode(fields, &body).as_deref(), Ok(TEXT), "{fields}");
    }
    assert_eq!(decode("Content-Encoding: br\r\n", b""), Ok(Vec::new()));
}

/// The first two bytes of gzip are in brotli here, stored without compression.
fn gzip_then_brotli() -> Vec<u8> {
    let gzip = member(TEXT);
    // One metadata-free stream: WBITS 16, one uncompressed meta-block, one that is last and empty.
    let length = gzip.len() - 1;
    let bits = u32::try_from(length).unwrap() << 4 | 1 << 20;
    let mut out = bits.to_le_bytes()[..3].to_vec();
    out.extend_from_slice(&gzip);
    out.push(3);
    out
}

#[test]
fn the_payload_has_its_content_codings() {
    let gzip = member(TEXT);
    let block = [
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n",
        &chunked(&gzip)[..],
    ]
    .concat();
    let response = HttpResponse::read(&block).unwrap();
    assert_eq!(&*response.payload(&DecodeLimits::default()).unwrap(), gzip);
}

#[test]
fn bodies_that_do_not_conform_are_errors() {
    let gzip = member(TEXT);
    let mut wrong = gzip.clone();
    wrong[gzip.len() - 8] ^= 1;
    for (coding, body) in [
        ("gzip", &gzip[..gzip.len() - 12]),
        ("gzip", &wrong),
        ("gzip", &gzip[..5]),
        ("deflate", b"\x07\x07\x07"),
        ("deflate", &zlib(TEXT)[..20]),
        ("br", b"\x0B\x02"),
        ("br", &BROTLI[..BROTLI.len() - 3]),
        ("zstd", &zstd(TEXT)[..12]),
    ] {
        let read = decode(&format!("Content-Encoding: {coding}\r\n"), body);
        assert!(
            matches!(&read, Err(DecodeError::Damaged(name, _)) if *name == coding),
            "{coding}: {read:?}"
        );
    }
    let read = decode("Content-Encoding: compress\r\n", TEXT).unwrap_err();
    assert_eq!(read.to_string(), "its content coding 'compress' is unknown");
    let many = format!("Content-Encoding: {}\r\n", "gzip,".repeat(MAX_CODINGS + 1));
    assert_eq!(decode(&many, TEXT), Err(DecodeError::Codings));
}

#[test]
fn limits_are_named() {
    let zeros = vec![0; 8 << 20];
    let bodies = [("gzip", member(&zeros)), ("deflate", zlib(&zeros)), ("zstd", zstd(&zeros))];
    for (coding, body) in &bodies {
        let fields = format!("Content-Encoding: {coding}\r\n");
        let with = |most, ratio| decode_within(&fields, body, &DecodeLimits { most, ratio });
        assert_eq!(with(8 << 20, 1_000_000).map(|text| text.len()), Ok(8 << 20));
        assert_eq!(with((8 << 20) - 1, 1_000_000), Err(DecodeError::TooLarge((8 << 20) - 1)));
        assert_eq!(with(8 << 20, 2), Err(DecodeError::Ratio(2)), "{coding}");
    }
    // A bomb in a bomb.
    let twice = member(&member(&zeros));
    let read = decode("Content-Encoding: gzip, gzip\r\n", &twice);
    assert_eq!(read.map(|text| text.len()), Ok(8 << 20));
    let most = DecodeLimits { most: 9, ratio: 1 };
    assert_eq!(decode_within("", TEXT, &most), Err(DecodeError::TooLarge(9)));
}
