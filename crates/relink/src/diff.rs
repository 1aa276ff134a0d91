//! The changes of a file as a unified diff, in the file's own bytes: `patch -p1` can apply it.

use std::path::Path;

use similar::{Algorithm, TextDiff};

/// The diff of one file, `below` its root; empty if nothing changed.
pub fn unified(below: &Path, before: &[u8], after: &[u8]) -> Vec<u8> {
    let name = below.display();
    let mut out = Vec::new();
    let diff = TextDiff::configure().algorithm(Algorithm::Myers).diff_lines(before, after);
    let mut unified = diff.unified_diff();
    // Writing to memory does not fail.
    drop(
        unified
            .header(&format!("a/{name}"), &format!("b/{name}"))
            .context_radius(3)
            .to_writer(&mut out),
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_stay() {
        let diff = unified(Path::new("x"), b"a\n\xFF\n", b"a\n\xFE\n");
        assert_eq!(diff, b"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-\xFF\n+\xFE\n");
        assert!(unified(Path::new("x"), b"same", b"same").is_empty());
    }
}
