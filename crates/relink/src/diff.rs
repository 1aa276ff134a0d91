//! The changes of a file as a unified diff, in the file's own bytes: `patch -p1` can apply it.

use std::path::Path;

use similar::TextDiff;

/// The diff of one file, named by its path below the folder that the patch is for; empty if nothing changed.
pub fn unified(path: &Path, before: &[u8], after: &[u8]) -> Vec<u8> {
    // Lines end with LF: that is how `patch` counts them.
    let lines =
        |text| -> Vec<&[u8]> { <[u8]>::split_inclusive(text, |byte| *byte == b'\n').collect() };
    let (before, after) = (lines(before), lines(after));
    let diff = TextDiff::from_slices(&before, &after);
    let mut out = Vec::new();
    for hunk in diff.unified_diff().context_radius(3).iter_hunks() {
        if out.is_empty() {
            for (mark, side) in [("---", "a"), ("+++", "b")] {
                out.extend_from_slice(format!("{mark} {}\n", name(side, path)).as_bytes());
            }
        }
        out.extend_from_slice(format!("{}\n", hunk.header()).as_bytes());
        for change in hunk.iter_changes() {
            out.extend_from_slice(change.tag().to_string().as_bytes());
            out.extend_from_slice(change.value());
            if !change.value().ends_with(b"\n") {
                out.extend_from_slice(b"\n\\ No newline at end of file\n");
            }
        }
    }
    out
}

/// The name as git writes it: quoted as in C where a byte is not plain, and with a tab after one that holds a space.
fn name(side: &str, path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    let is_plain = |byte: &u8| (b' '..=b'~').contains(byte) && !b"\"\\".contains(byte);
    let mut name = format!("{side}/");
    if bytes.iter().all(is_plain) {
        name.extend(bytes.iter().map(|byte| char::from(*byte)));
        if bytes.contains(&b' ') {
            name.push('\t');
        }
        return name;
    }
    for byte in bytes {
        match byte {
            b'"' | b'\\' => name.extend(['\\', char::from(*byte)]),
            byte if is_plain(byte) => name.push(char::from(*byte)),
            byte => name.push_str(&format!("\\{byte:03o}")),
        }
    }
    format!("\"{name}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_stay() {
        let diff = unified(Path::new("x"), b"a\r\n\xFF\r", b"a\r\n\xFE\r");
        let expected = b"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\r\n-\xFF\r\n\\ No newline at end of file\n+\xFE\r\n\\ No newline at end of file\n";
        assert_eq!(diff.escape_ascii().to_string(), expected.escape_ascii().to_string());
        assert!(unified(Path::new("x"), b"same", b"same").is_empty());
    }

    #[test]
    fn names_are_written_as_git_does() {
        assert_eq!(name("a", Path::new("x/y.html")), "a/x/y.html");
        assert_eq!(name("a", Path::new("x y")), "a/x y\t");
        assert_eq!(name("b", Path::new("caf\u{E9}\n\"")), "\"b/caf\\303\\251\\012\\\"\"");
    }
}
