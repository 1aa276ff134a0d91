//! What holds for any bytes, a function for each: a fuzzer asks them (`fuzz/fuzz_targets`), and so
//! does `tests/corpus`, on the cases that fuzzers have found.

#![allow(dead_code, reason = "a fuzz target asks one of them")]

pub(crate) mod absolutize;
mod captures;
mod corollaries;
pub(crate) mod engines;
pub(crate) mod formats;
pub(crate) mod layers;
pub(crate) mod mail;
pub(crate) mod messages;
pub(crate) mod moves;
pub(crate) mod renames;
mod transfer;
pub(crate) mod unpack;
pub(crate) mod url;
pub(crate) mod warc;
pub(crate) mod zip;

/// A law of any bytes. It panics where it does not hold.
pub(crate) type Law = fn(&[u8]);

/// The laws, by the names of their targets and of the directories of their cases.
pub(crate) const LAWS: [(&str, Law); 12] = [
    ("absolutize", absolutize::check),
    ("engines", engines::check),
    ("formats", formats::check),
    ("layers", layers::check),
    ("mail", mail::check),
    ("messages", messages::check),
    ("moves", moves::check),
    ("renames", renames::check),
    ("unpack", unpack::check),
    ("url", url::check),
    ("warc", warc::check),
    ("zip", zip::check),
];
