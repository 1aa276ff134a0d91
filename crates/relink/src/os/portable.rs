//! File names that Windows allows (`--portable-names`).
//!
//! A file whose name Windows does not allow is reported, and not written: a reference to the file
//! would need another name, and so would every reference from elsewhere. The rules are those of
//! "Naming Files, Paths, and Namespaces" (Microsoft), and of NTFS, which does not distinguish
//! letter case.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Names of devices, which are reserved with any extension.
const DEVICES: [&str; 4] = ["CON", "PRN", "AUX", "NUL"];

/// Names of devices that have a number.
const NUMBERED: [&str; 2] = ["COM", "LPT"];

/// The maximum number of UTF-16 units of a name on NTFS.
const LONGEST: usize = 255;

/// The maximum number of characters of a path in SharePoint, decoded.
const LONGEST_IN_SHAREPOINT: usize = 400;

/// The names in the directories of the current path of the walk, and no others.
#[derive(Debug, Default)]
pub struct NamesOfPath {
    open: Vec<(PathBuf, HashMap<String, String>)>,
}

impl NamesOfPath {
    /// Returns the reason why Windows does not allow a file with this path below OUT, if it does
    /// not. Paths come in the order of the walk.
    pub fn fault(&mut self, path: &Path) -> Option<String> {
        let name = path.file_name()?;
        if let Some(reason) = fault(name) {
            return Some(reason);
        }
        let (name, directory) = (name.to_str()?, path.parent()?);
        while self.open.last().is_some_and(|(open, _)| !directory.starts_with(open)) {
            self.open.pop();
        }
        if self.open.last().is_none_or(|(open, _)| open != directory) {
            self.open.push((directory.to_owned(), HashMap::new()));
        }
        let (_, names) = self.open.last_mut()?;
        let folded = name.chars().flat_map(char::to_uppercase).collect();
        let other = names.entry(folded).or_insert_with(|| name.to_owned());
        (other != name).then(|| format!("its name differs from {other} in letter case only"))
    }
}

/// Returns a text that is the same for texts that differ in letter case only, to be compared: some
/// letters are the same in upper case only (U+0131 and `i`), others in lower case only (U+1E9E and
/// U+00DF).
pub fn folded(text: &str) -> String {
    text.to_lowercase().to_uppercase()
}

/// Returns true if Windows allows a name, in any directory.
pub fn is_allowed(name: &OsStr) -> bool {
    fault(name).is_none()
}

/// Returns true if SharePoint refuses a file with this path, from the root of its host on
/// ("Restrictions and limitations in OneDrive and SharePoint", Microsoft).
pub fn is_refused_by_sharepoint(path: &str) -> bool {
    let is_bad = |name: &str| {
        name.contains(['"', '*', ':', '<', '>', '?', '\\', '|'])
            || name.contains("_vti_")
            || name.trim() != name
    };
    path.chars().count() > LONGEST_IN_SHAREPOINT || path.split('/').any(is_bad)
}

/// Returns the reason why Windows does not allow a name, in any directory.
fn fault(name: &OsStr) -> Option<String> {
    let Some(name) = name.to_str() else { return Some("its name is not Unicode".to_owned()) };
    let is_bad = |char: char| matches!(char, '\0'..='\x1F') || "<>:\"/\\|?*".contains(char);
    if let Some(char) = name.chars().find(|char| is_bad(*char)) {
        return Some(if char.is_control() {
            format!("its name contains the control character U+{:04X}", u32::from(char))
        } else {
            format!("its name contains '{char}'")
        });
    }
    if name.ends_with(['.', ' ']) {
        return Some("its name ends with a dot or a space".to_owned());
    }
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    let is_numbered = |device: &&str| {
        let (start, number) = stem.split_at_checked(3).unwrap_or_default();
        let mut digits = number.chars();
        let digit = digits.next().filter(|_| digits.next().is_none());
        start.eq_ignore_ascii_case(device)
            && digit.is_some_and(|digit| "0123456789¹²³".contains(digit))
    };
    if DEVICES.iter().any(|device| stem.eq_ignore_ascii_case(device))
        || NUMBERED.iter().any(is_numbered)
    {
        return Some(format!("its name is that of the device {}", stem.to_ascii_uppercase()));
    }
    let is_long = name.encode_utf16().count() > LONGEST;
    is_long.then(|| format!("its name is longer than {LONGEST} characters"))
}

/// Returns bytes as a file name of the system.
#[cfg(unix)]
pub fn os_str(name: &[u8]) -> Option<&OsStr> {
    Some(std::os::unix::ffi::OsStrExt::from_bytes(name))
}

/// Returns bytes as a file name of the system; only if they are UTF-8.
#[cfg(not(unix))]
pub fn os_str(name: &[u8]) -> Option<&OsStr> {
    std::str::from_utf8(name).ok().map(OsStr::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_differ_in_letter_case_only_are_one() {
        for (one, other) in [("A", "a"), ("\u{131}", "i"), ("\u{1E9E}", "\u{DF}")] {
            assert_eq!(folded(one), folded(other));
        }
        assert_ne!(folded("a"), folded("\u{E4}"));
    }

    #[test]
    fn names_that_windows_cannot_have() {
        for name in [
            "a",
            "a.html",
            ".htaccess",
            "con1",
            "console",
            "CONS.txt",
            "com",
            "com10",
            "lpt",
            "a b.c",
            "x.con",
            "COMx",
            "é",
        ] {
            assert_eq!(fault(OsStr::new(name)), None, "{name}");
        }
        for name in [
            "CON",
            "con",
            "nul.txt",
            "Aux.tar.gz",
            "prn .txt",
            "COM1",
            "com9.html",
            "LPT0",
            "COM¹",
            "a.",
            "a ",
            "...",
            "a:b",
            "a?b=c",
            "a*",
            "a|b",
            "a<b",
            "a>b",
            "a\"b",
            "a\\b",
            "a\nb",
            "a\x1f",
        ] {
            assert!(fault(OsStr::new(name)).is_some(), "{name}");
        }
        for name in ["a b", "a.", "#1%", "vti", "a\u{A0}b", &"x".repeat(400)] {
            assert!(!is_refused_by_sharepoint(name), "{name}");
        }
        for name in ["b/a ", " a/b", "a:b", "a\"", "x_vti_y/b", &"x".repeat(401)] {
            assert!(is_refused_by_sharepoint(name), "{name}");
        }
        assert_eq!(fault(OsStr::new(&"x".repeat(255))), None);
        assert!(fault(OsStr::new(&"x".repeat(256))).is_some());
    }

    #[test]
    fn names_differ_in_more_than_letter_case() {
        let mut names = NamesOfPath::default();
        let mut is_fine = |path: &str| names.fault(Path::new(path)).is_none();
        assert!(is_fine("A") && is_fine("A/x.html") && !is_fine("A/X.html"));
        assert!(
            is_fine("A/y") && is_fine("A/y/x.html") && is_fine("A/z.html") && !is_fine("A/Z.html")
        );
        // The same name in another directory, and the directory itself again.
        assert!(is_fine("b") && is_fine("b/x.html") && !is_fine("a") && !is_fine("B"));
        assert!(is_fine("É") && !is_fine("é"));
    }
}
