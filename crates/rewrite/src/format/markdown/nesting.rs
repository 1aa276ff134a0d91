//! The cost of a text for pulldown-cmark: the nesting of its blocks, quotes and lists, and memory.
//!
//! pulldown-cmark checks for every open block if the next line belongs to it, so deep nesting takes
//! the time of all lines for each level. CommonMark 0.31, sections 4.1, 5.1, 5.2.

/// Returns the start of the first line in which blocks may nest deeper than `most`. This is an
/// upper bound, not the depth itself: everything that looks like the start of a block counts as
/// one, even in code.
pub(super) fn too_deep(text: &str, most: usize) -> Option<usize> {
    let (mut at, mut deepest) = (0, 0);
    for line in text.split_inclusive(['\n', '\r']) {
        let (n_columns, n_marks) = opened(line.as_bytes());
        // White space only continues open lists, each of which takes two columns of it.
        deepest = deepest.max(deepest.min(n_columns / 2) + n_marks);
        if deepest > most {
            return Some(at);
        }
        at += line.len();
    }
    None
}

/// Bytes of memory that pulldown-cmark uses for a mark: a node of its tree, one for the text after
/// it, and an entry in a list of open marks.
const MARK_SIZE: usize = 96;

/// Returns about the bytes of memory that pulldown-cmark uses for the tree of a text.
pub(super) fn memory(text: &str) -> usize {
    let is_mark = |byte: &u8| {
        matches!(
            byte,
            b'[' | b']'
                | b'*'
                | b'_'
                | b'~'
                | b'`'
                | b'<'
                | b'>'
                | b'&'
                | b'\\'
                | b'|'
                | b'\n'
                | b'\r'
        )
    };
    text.bytes().filter(is_mark).count() * MARK_SIZE
}

/// Returns the columns of white space and the number of marks of quotes and list items at the start
/// of a line.
fn opened(line: &[u8]) -> (usize, usize) {
    let (mut n_columns, mut n_marks, mut at) = (0, 0, 0);
    let is_space =
        |byte: Option<&u8>| byte.is_none_or(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
    let mut may_be_rule = true;
    while let Some(byte) = line.get(at) {
        match byte {
            b' ' => n_columns += 1,
            b'\t' => n_columns += 4,
            b'>' => n_marks += 1,
            b'-' | b'*' | b'+' if is_space(line.get(at + 1)) => {
                // `- - -` is a rule; this is checked once in a line.
                if may_be_rule
                    && *byte != b'+'
                    && line[at..].iter().all(|other| other == byte || is_space(Some(other)))
                {
                    return (n_columns, n_marks + 1);
                }
                may_be_rule = false;
                n_marks += 1;
            }
            b'0'..=b'9' => {
                let n_digits =
                    line[at..].iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
                let is_item = matches!(line.get(at + n_digits), Some(b'.' | b')'))
                    && is_space(line.get(at + n_digits + 1));
                if !is_item {
                    break;
                }
                n_marks += 1;
                at += n_digits;
            }
            _ => break,
        }
        at += 1;
    }
    (n_columns, n_marks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_deep_nesting_is_too_deep() {
        let lists =
            |n: usize| (0..n).map(|idx| format!("{}- a\n", "  ".repeat(idx))).collect::<String>();
        for (fine, deep) in [
            (">".repeat(100), ">".repeat(101)),
            ("> ".repeat(100), format!("a\n{}", "> ".repeat(101))),
            (format!("{}x", "- ".repeat(100)), format!("{}x", "- ".repeat(101))),
            (format!("{}x", "1. + ".repeat(50)), format!("{}x", "1) * ".repeat(51))),
            (lists(100), lists(101)),
        ] {
            assert_eq!(too_deep(&fine, 100), None, "{fine}");
            assert!(too_deep(&deep, 100).is_some(), "{deep}");
        }
        // Rules, underlines and code do not nest.
        for fine in [
            "- ".repeat(500),
            "-".repeat(500),
            " ".repeat(900) + "x",
            "* a\n".repeat(500),
            "1".repeat(500),
        ] {
            assert_eq!(too_deep(&fine, 100), None);
        }
    }
}
