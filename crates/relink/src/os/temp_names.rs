//! The names of temporary files, `.relink-HASH-CHECK`, and of an output that is not complete,
//! `.OUT.relink-RUN`.
//!
//! The name of a temporary file follows from that of the file, so that a run finds what a killed
//! one has left in its place, and no other program gives a file such a name.

use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use crate::os::digest;
use crate::os::portable::os_str;

/// The names of temporary files begin with this, and those of unfinished outputs contain it.
const TEMPORARY: &str = ".relink-";

/// The number of characters of the run in the name of an unfinished output.
const N_OF_RUN: usize = 8;

/// Returns the identifier of this run.
pub fn run_id() -> &'static str {
    static ID: LazyLock<String> = LazyLock::new(|| {
        let mut id = digest::of_bytes(&RandomState::new().hash_one(0).to_be_bytes()).to_string();
        id.truncate(N_OF_RUN);
        id
    });
    &ID
}

/// Returns the name that a file has until it is complete. `attempt` gives others, if it is taken.
pub fn temporary_name(of: &OsStr, attempt: u8) -> OsString {
    let hash = hex(&[&[attempt], of.as_encoded_bytes()].concat());
    OsString::from(format!("{TEMPORARY}{hash}-{}", hex(hash.as_bytes())))
}

/// Returns true if a file has the name of a temporary file.
pub fn is_temporary(name: &OsStr) -> bool {
    let rest = name.to_str().and_then(|name| name.strip_prefix(TEMPORARY));
    rest.and_then(|rest| rest.split_once('-'))
        .is_some_and(|(hash, check)| check == hex(hash.as_bytes()))
}

/// Returns 16 digits of the hash of bytes.
fn hex(bytes: &[u8]) -> String {
    format!("{:016x}", u128::from_be_bytes(digest::short(bytes)) >> 64)
}

/// Returns the name that an output has until this run has completed it.
pub fn unfinished_name(out: &OsStr) -> OsString {
    let mut name = OsString::from(".");
    name.push(out);
    name.push(TEMPORARY);
    name.push(run_id());
    name
}

/// Returns the name that an output gets when it is complete, if this is its name until then.
pub fn finished_name(name: &OsStr) -> Option<OsString> {
    let name = name.as_encoded_bytes();
    let (start, id) = name.split_at_checked(name.len().checked_sub(N_OF_RUN)?)?;
    let out = start.strip_prefix(b".")?.strip_suffix(TEMPORARY.as_bytes())?;
    let is_id = id.iter().all(u8::is_ascii_alphanumeric);
    (is_id && !out.is_empty()).then(|| os_str(out).map(OsStr::to_owned)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_an_unfinished_output_contains_its_own() {
        let finished = |name: &str| finished_name(OsStr::new(name));
        assert_eq!(finished_name(&unfinished_name(OsStr::new("out"))), Some("out".into()));
        assert_eq!(finished(".a.relink-b.relink-01234567"), Some("a.relink-b".into()));
        for name in ["out.relink-01234567", "..relink-0123456", ".relink-01234567", ".a", ""] {
            assert_eq!(finished(name), None, "{name}");
        }
    }

    #[test]
    fn temporary_names_are_recognized_and_no_others() {
        let name = |of: &str, attempt| temporary_name(OsStr::new(of), attempt);
        let names = [name("", 0), name("a.html", 0), name("a.html", 1), name("b.html", 0)];
        for (idx, name) in names.iter().enumerate() {
            assert!(is_temporary(name) && !names[..idx].contains(name), "{}", name.display());
            let text = name.to_str().unwrap();
            for other in [&text[1..], &text[..text.len() - 1], &text.replace('-', "_")] {
                assert!(!is_temporary(OsStr::new(other)), "{other}");
            }
        }
        for name in [".relink-01234567-000000", ".relink-0123456789abcdef-0123456789abcdef", ""] {
            assert!(!is_temporary(OsStr::new(name)), "{name}");
        }
    }
}
