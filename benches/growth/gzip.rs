//! Compressed documents that could take long. The size of a shape is that of its text, or of its
//! members without text: what a file decompresses to has a limit of its own.

use std::io::Write;

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

use super::{Shape, between, flood};

/// A header without fields: level 6, Unix.
const HEADER: &[u8] = b"\x1F\x8B\x08\0\0\0\0\0\0\x03";

/// A member with this header.
fn member(header: &[u8], level: u32, text: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(header.to_vec(), Compression::new(level));
    encoder.write_all(text).unwrap();
    let mut member = encoder.finish().unwrap();
    let mut crc = Crc::new();
    crc.update(text);
    member.extend(crc.sum().to_le_bytes());
    member.extend(u32::try_from(text.len()).unwrap().to_le_bytes());
    member
}

pub(crate) const FILES: &[Shape] = &[
    ("links that are compressed", |n| member(HEADER, 6, &flood("<a href=../x>y</a>\n", n))),
    ("a text that is stored", |n| member(HEADER, 0, &flood("<a href=../x>y</a>\n", n))),
    ("one link in a text", |n| member(HEADER, 9, &between("<a href=x>", "y", "", n))),
    ("members without text", |n| {
        let empty = member(HEADER, 6, b"");
        [member(HEADER, 6, b"<a href=x>"), empty.repeat(n / empty.len())].concat()
    }),
    ("members with a link each", |n| {
        let link = member(HEADER, 6, b"<a href=x>");
        link.repeat(n / link.len())
    }),
    ("a link over members", |n| {
        let part = member(HEADER, 6, b"x/");
        let [start, end] = [&b"<a href="[..], b">"].map(|text| member(HEADER, 6, text));
        [start, part.repeat(n / part.len()), end].concat()
    }),
    ("a long name of a file", |n| {
        let mut header = HEADER.to_vec();
        header[3] = 8;
        header.extend(vec![b'x'; n]);
        header.push(0);
        member(&header, 6, b"<a href=x>")
    }),
    ("what follows a member", |n| [member(HEADER, 6, b"<a href=x>"), vec![0; n]].concat()),
];
