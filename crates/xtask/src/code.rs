//! The code of a source file: without comments, and without what only tests compile.

/// Where a file has no tests it is the program; so is all that follows an item of a test.
const TEST: &str = "#[cfg(test)]";

/// What a text of Rust begins with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    Comment,
    /// A string or a character.
    Literal,
    Other,
}

/// Returns what a text of Rust begins with, and its length.
fn token(text: &str) -> (Token, usize) {
    let rest = text.as_bytes();
    let one = text.chars().next().map_or(0, char::len_utf8);
    match rest {
        [b'/', b'/', ..] => (Token::Comment, text.find('\n').unwrap_or(text.len())),
        [b'/', b'*', ..] => (Token::Comment, text.find("*/").map_or(text.len(), |len| len + 2)),
        [b'\'', b'\\', _, ..] => {
            let end = text.get(3..).and_then(|text| text.find('\''));
            (Token::Literal, end.map_or(text.len(), |len| len + 4))
        }
        [b'\'', ..] => {
            // A lifetime has no second quote.
            let quote = text.char_indices().nth(2).filter(|(_, char)| *char == '\'');
            quote.map_or((Token::Other, 1), |(len, _)| (Token::Literal, len + 1))
        }
        [b'r', b'"' | b'#', ..] => {
            let n_marks = rest[1..].iter().take_while(|byte| **byte == b'#').count();
            // A name such as `r#type` is no string.
            if rest.get(1 + n_marks) != Some(&b'"') {
                return (Token::Other, 1);
            }
            let end = format!("\"{}", "#".repeat(n_marks));
            let start = n_marks + 2;
            let len = text[start..].find(&end).map_or(text.len(), |len| start + len + end.len());
            (Token::Literal, len)
        }
        [b'"', ..] => {
            let mut is_escaped = false;
            let is_end = |(_, byte): &(usize, &u8)| {
                let is_end = **byte == b'"' && !is_escaped;
                is_escaped = **byte == b'\\' && !is_escaped;
                is_end
            };
            let end = rest.iter().enumerate().skip(1).find(is_end);
            (Token::Literal, end.map_or(text.len(), |(len, _)| len + 1))
        }
        // An `r` at the end of a name starts no string.
        [first, ..] if is_name(*first) => {
            let len = rest.iter().take_while(|byte| is_name(**byte)).count();
            let is_start = |start: &str| text[..len] == *start;
            let is_prefix = is_start("b") || is_start("c") || is_start("br") || is_start("cr");
            let is_raw = is_prefix && matches!(text.as_bytes()[len..], [b'#' | b'"', ..]);
            // The rest of `br"` is read as `r"`.
            (Token::Other, if is_raw && len == 2 { 1 } else { len })
        }
        _ => (Token::Other, one),
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns the tokens of a text with their offsets.
fn tokens(text: &str) -> impl Iterator<Item = (usize, Token, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let (token, len) = token(rest);
        at += len;
        Some((at - len, token, &rest[..len]))
    })
}

/// Returns the length of the item with which a text begins: up to the `;` that ends it, or the `}`
/// of its block.
fn item(text: &str) -> usize {
    let (mut depth, mut ends_with_block) = (0, None);
    for (at, token, piece) in tokens(text) {
        let word = piece.trim();
        if token != Token::Other || word.is_empty() {
            continue;
        }
        match word {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            // What decides how it ends, after attributes and `pub`.
            "use" | "static" | "type" | "let" if depth == 0 => {
                ends_with_block.get_or_insert(false);
            }
            "mod" | "fn" | "struct" | "enum" | "impl" | "trait" | "union" if depth == 0 => {
                ends_with_block.get_or_insert(true);
            }
            _ => {}
        }
        let is_end = word == ";" || (word == "}" && ends_with_block == Some(true));
        if depth == 0 && is_end {
            return at + piece.len();
        }
    }
    text.len()
}

/// Returns the ranges of a file that only tests compile: items after `#[cfg(test)]`.
fn tests(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut ranges: Vec<std::ops::Range<usize>> = Vec::new();
    for (at, token, piece) in tokens(text) {
        let is_inside = ranges.last().is_some_and(|range| at < range.end);
        if token == Token::Other && piece == "#" && !is_inside && text[at..].starts_with(TEST) {
            let start = at + TEST.len();
            ranges.push(at..start + item(&text[start..]));
        }
    }
    ranges
}

/// Returns a text without what only tests compile. Each line is where it was.
pub fn without_tests(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    for range in tests(text) {
        kept.push_str(&text[at..range.start]);
        kept.extend(text[range.clone()].matches('\n'));
        at = range.end;
    }
    kept.push_str(&text[at..]);
    kept
}

/// Returns the code of a file: without lines that are comments, and without tests.
pub fn code(text: &str) -> String {
    let text = without_tests(text);
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    text.lines().filter(is_code).flat_map(|line| [line, "\n"]).collect()
}

/// Returns the names of modules that are files and that only tests compile: `#[cfg(test)] mod x;`.
pub fn modules_of_tests(text: &str) -> Vec<String> {
    let items = tests(text).into_iter().map(|range| &text[range.start + TEST.len()..range.end]);
    let names = items.filter_map(|item| item.trim().strip_prefix("mod ")?.strip_suffix(';'));
    names.map(str::to_owned).collect()
}

/// Returns the string literals of a source as written, without quotes, each with its line. Those of
/// tests are left out.
pub fn literals(source: &str) -> Vec<(usize, String)> {
    let code = without_tests(source);
    let (mut found, mut line) = (Vec::new(), 1);
    for (_, token, piece) in tokens(&code) {
        let inner = piece.trim_start_matches('r').trim_matches('#');
        if token == Token::Literal && inner.starts_with('"') {
            let inner = inner.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
            found.push((line, inner.unwrap_or_default().to_owned()));
        }
        line += piece.matches('\n').count();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_found_outside_of_comments() {
        let source = "// \"no\"\nlet a = \"one\"; let b: &'b str = '\"'; // \"no\"\n\
                      let c = [r#\"two\"s\"#, '\\'', \"th\\\"ree\", b\"4\", br\"5\", for\"\"];\n\n\
                      #[cfg(test)]\nmod tests {\"no\"}\nlet d = \"six\";";
        let found = literals(source);
        let found: Vec<(usize, &str)> = found.iter().map(|(line, text)| (*line, &**text)).collect();
        let third = [(3, "two\"s"), (3, "th\\\"ree"), (3, "4"), (3, "5"), (3, "")];
        assert_eq!(found, [&[(2, "one")][..], &third, &[(7, "six")]].concat());
    }

    /// What a file has after an item of its tests is checked as what it has before.
    #[test]
    fn only_items_of_tests_are_left_out() {
        for (item, n_lines) in [
            ("mod tests;", 1),
            ("mod tests {\n    fn a() { \"}\"; '}'; } // }\n}", 3),
            ("use a::{\n    b,\n};", 3),
            ("#[derive(Debug)]\npub(crate) struct A([u8; 2]);", 2),
            ("struct A {\n    b: [u8; 2],\n}", 3),
            ("const fn a() -> [u8; 2] {\n    [1; 2]\n}", 3),
            ("const A: B = B { c: 1 };", 1),
            ("impl A for B {\n    fn c() {}\n}", 3),
        ] {
            let text = format!("use a;\n#[cfg(test)]\n{item}\n\nuse b; // #[cfg(test)]\n");
            let lines = "\n".repeat(n_lines);
            assert_eq!(
                without_tests(&text),
                format!("use a;\n{lines}\n\nuse b; // #[cfg(test)]\n")
            );
        }
        assert_eq!(without_tests("a(\"#[cfg(test)] mod b;\");"), "a(\"#[cfg(test)] mod b;\");");
        assert_eq!(code("//! x\n#[cfg(test)]\nmod b;\n  // y\nuse c;\n"), "\n\nuse c;\n");
        let text = "#[cfg(test)]\nmod b;\n#[cfg(test)]\nmod c {}\n#[cfg(test)]\nmod d;\nmod e;\n";
        assert_eq!(modules_of_tests(text), ["b", "d"]);
    }
}
