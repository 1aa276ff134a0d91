//! Zip files, made for tests.

use std::ops::Range;

/// A member: its name, its text, and that deflated, if it is.
pub(crate) type Member<'m> = (&'m str, &'m [u8], Option<&'m [u8]>);

/// A zip file of stored members, and the ranges of its records: members, and the directory.
pub(crate) fn stored(members: &[(&str, &str)]) -> (Vec<u8>, Vec<Range<usize>>) {
    zip(members.iter().map(|(name, text)| (*name, text.as_bytes(), None)))
}

/// A zip file of members, and the same ranges.
pub(crate) fn zip<'m>(
    members: impl IntoIterator<Item = Member<'m>>,
) -> (Vec<u8>, Vec<Range<usize>>) {
    let (mut file, mut directory, mut places) = (Vec::new(), Vec::new(), Vec::new());
    for (name, text, deflated) in members {
        let data = deflated.unwrap_or(text);
        let mut crc = flate2::Crc::new();
        crc.update(text);
        let len = |text: &[u8]| u32::try_from(text.len()).unwrap().to_le_bytes();
        let n_name = u16::try_from(name.len()).unwrap().to_le_bytes();
        let sums = [crc.sum().to_le_bytes(), len(data), len(text)].concat();
        let at = u32::try_from(file.len()).unwrap().to_le_bytes();
        let method = if deflated.is_some() { b"\x08\0" } else { b"\0\0" };
        let start = [&b"\x14\0\0\0"[..], method, b"\0\0\x21\0"].concat();
        let common = [&start[..], &sums, &n_name, b"\0\0"].concat();
        let start = file.len();
        file.extend([b"PK\x03\x04", &*common, name.as_bytes(), data].concat());
        places.push(start..file.len());
        let rest = [&[0; 10][..], &at, name.as_bytes()].concat();
        directory.extend([b"PK\x01\x02\x14\0", &*common, &rest].concat());
    }
    let number = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
    let n_members = &number(places.len())[..2];
    let (at, start) = (number(file.len()), file.len());
    let n_directory = number(directory.len());
    file.append(&mut directory);
    places.push(start..file.len());
    let end = [b"PK\x05\x06\0\0\0\0", n_members, n_members, &n_directory, &at, b"\0\0"].concat();
    file.extend(end);
    (file, places)
}
