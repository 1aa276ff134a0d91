//! The names of temporary files, `.relink-RUN-NUMBER`, and of an output that is not complete,
//! `.OUT.relink-RUN`.

use std::ffi::{OsStr, OsString};
use std::sync::LazyLock;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::digest;
use crate::paths;

/// The names of temporary files begin with this: `.relink-RUN-NUMBER`.
const TEMPORARY: &str = ".relink-";

/// The number of characters of the run in such a name.
const N_OF_RUN: usize = 8;

/// The number of digits of the number.
const N_OF_NUMBER: usize = 6;

/// Returns the identifier of this run, which is in the names of its temporary files.
pub fn run_id() -> &'static str {
    static ID: LazyLock<String> = LazyLock::new(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos());
        let mut id = digest::of_bytes(format!("{} {now}", std::process::id()).as_bytes());
        id.truncate(N_OF_RUN);
        id
    });
    &ID
}

/// Returns the name of a temporary file of this run.
pub fn temporary_name(number: u64) -> OsString {
    const DIGITS: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut digits = [b'0'; N_OF_NUMBER];
    let mut rest = number;
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS[usize::try_from(rest % 36).unwrap_or_default()];
        rest /= 36;
    }
    OsString::from(format!("{TEMPORARY}{}-{}", run_id(), String::from_utf8_lossy(&digits)))
}

/// Returns the run whose temporary file has this name, if it is the name of one.
pub fn run_of(name: &OsStr) -> Option<&str> {
    let rest = name.to_str()?.strip_prefix(TEMPORARY)?;
    let (run, number) = rest.split_once('-')?;
    let is_id =
        |id: &str, n: usize| id.len() == n && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_id(run, N_OF_RUN) && is_id(number, N_OF_NUMBER)).then_some(run)
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
    (is_id && !out.is_empty()).then(|| paths::os_str(out).map(OsStr::to_owned)).flatten()
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
    fn the_name_of_a_temporary_file_contains_its_run() {
        for number in [0, 35, 36, u64::MAX] {
            assert_eq!(run_of(&temporary_name(number)), Some(run_id()));
        }
        assert_ne!(temporary_name(35), temporary_name(36));
        for name in [".relink-abc-000000", "relink-01234567-000000", ".relink-01234567-00000/"] {
            assert_eq!(run_of(OsStr::new(name)), None);
        }
    }
}
