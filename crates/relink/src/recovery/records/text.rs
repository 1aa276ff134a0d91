//! Bytes in JSON: texts if they are UTF-8. Otherwise a content is in base64, and a path has two
//! keys, of which the second one has its bytes in percent-escapes.

use std::path::{Path, PathBuf};

use layers::base64;
use urlcore::escape::percent_decode;

use crate::os::paths;

pub(super) fn in_base64(bytes: &[u8]) -> String {
    base64::encode(bytes).into_iter().map(char::from).collect()
}

/// Returns the two keys of a path that leads anywhere.
pub(super) fn from_root(path: &Path) -> (String, Option<String>) {
    match path.to_str() {
        Some(text) => (text.to_owned(), None),
        None => {
            let bytes = path.as_os_str().as_encoded_bytes();
            (path.to_string_lossy().into_owned(), Some(paths::encoded(bytes)))
        }
    }
}

/// Returns the two keys of a path that may be missing.
pub(super) fn optional(path: Option<&Path>) -> (Option<String>, Option<String>) {
    let texts = path.map(paths::text);
    texts.map_or((None, None), |(text, encoded)| (Some(text), encoded))
}

/// Returns the path that two keys give, which may be missing; `None` if it leads elsewhere.
pub(super) fn optional_path(
    text: &Option<String>,
    encoded: &Option<String>,
) -> Option<Option<PathBuf>> {
    match text {
        Some(text) => path(text, encoded.as_ref()).map(Some),
        None => Some(None),
    }
}

/// Returns the path that two keys of a line give, if it stays below the directory that it is
/// joined to.
pub(super) fn path(text: &str, encoded: Option<&String>) -> Option<PathBuf> {
    match encoded {
        Some(encoded) => paths::from_bytes(&percent_decode(encoded)),
        None => paths::from_bytes(text.as_bytes()),
    }
}

/// Returns the same path; a PATH itself has an empty one.
pub(super) fn path_or_root(text: &str, encoded: Option<&String>) -> Option<PathBuf> {
    if text.is_empty() { Some(PathBuf::new()) } else { path(text, encoded) }
}

/// Returns the path that two keys of a line give, wherever it leads.
pub(super) fn path_from_root(text: &str, encoded: Option<&String>) -> Option<PathBuf> {
    match encoded {
        Some(encoded) => paths::os_str(&percent_decode(encoded)).map(PathBuf::from),
        None => Some(PathBuf::from(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_lead_out_of_the_tree_are_refused() {
        assert_eq!(path("a/b", None), Some("a/b".into()));
        for wrong in ["..", "a/../../b", "/etc/passwd", "", ".", "a\0"] {
            assert_eq!(path(wrong, None), None, "{wrong}");
        }
        assert_eq!(path("a", Some(&"b%2F..%2F..%2Fc".to_owned())), None);
    }
}
