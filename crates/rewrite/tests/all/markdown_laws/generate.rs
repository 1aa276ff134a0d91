//! Markdown in unusual combinations: all kinds of links in all kinds of blocks, and text that looks
//! like links.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Destinations in different spellings.
#[rustfmt::skip]
const DESTINATIONS: &[&str] = &[
    "b.md", "../x", "/r/s", "//i.example/x", "?q=1&r=2", "?a&amp;b", "#f", "p.md#f", "x\\_y", "a(b)c", "a\\(b", "a(b(c))d", "a&copy;b", "a&#40;b", "&#35;f", "a\\b",
    "é/ü", "%41%20b", "", "<>", "<a b>", "<a\\>b>", "<a(b>", "<../x y>", "<&lt;a>", "mailto:x@y", "http://h.example/d/z", "http://h.example/d/a/(b)", "a'b", "a\"b",
    "<http://h.example/d/a (b>", "x:y", "./x:y", "..", ".", "a\\|b", "{{x}}", "a`b", "data:,x", "HTTP://h.example/", "a*b*", "a_b_", "a&b;", "http://[", "&amp", "-", "1.",
];

const TITLES: &[&str] =
    &["", "", "", " \"t\"", " 't'", " (t)", " \"t \\\" ](x) \"", " 'a\nb'", "\n\"t\"", "\t(t)"];

/// Separators before a destination.
const SEPARATORS: &[&str] = &["", "", "", " ", "\t", "\n", " \n  "];

const LABELS: &[&str] = &["one", "Two", "three four", "unknown"];

/// Text, and characters that could begin a construct.
#[rustfmt::skip]
const JUNK: &[&str] = &[
    "word", "two words", "é", " ", "\n", "[", "]", "(", ")", "![", "](", "<", ">", "`", "``", "*", "**", "_", "~~", "\\", "\\[", "\\]", "&", "&amp;", "!", "|", "\"", "'", ":",
    "[^1]", "  \n", "\\\n", "http://h.example/bare", "www.h.example", "[x] ", "`[a](code.md)`", "`` ` [a](code.md) ``", "\\[a](no.md)", "<!-- [a](no.md) -->",
];

/// Tags, which may contain references.
#[rustfmt::skip]
const TAGS: &[&str] = &[
    "<a href=\"h.html\">", "</a>", "<img src='i.png' alt=\"](x)\">", "<img src=i.png>", "<img\nsrc=\"../i.png\">", "<br>", "<a href='a\nb'>", "<b title='[a](no.md)'>", "<x:y>",
    "<!-- <a href=no> -->", "<?x <a href=y> ?>", "<img srcset='a 1x, b 2x'>", "<span style=\"background: url(u.png)\">", "<a href=\"?a=b&amp;c\">",
];

const HTML_BLOCKS: &[&str] = &[
    "<div>\n<a href=\"h.html\">\nx</a>\n</div>",
    "<p align=center><img src=i.png\nalt=x></p>",
    "<!-- a\n\n[b](no.md) -->",
    "<pre>\n[a](no.md)\n\n<a href=\"../p\">\n</pre>",
    "<script>\n\"<a href=no>\"\n</script>",
    "<style>\na { background: url(s.png) }\n</style>",
    "<img\n  src=\"i.png\">",
    "<table>\n\n<tr><td background=b.png>\n\n[a](b.md)\n\n</table>",
    "<a href='a\nb'>",
];

fn destination() -> impl Strategy<Value = &'static str> {
    select(DESTINATIONS)
}

fn inline() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        6 => select(JUNK).prop_map(str::to_owned),
        1 => select(TAGS).prop_map(str::to_owned),
        1 => Just("<http://h.example/auto?a&b>".to_owned()),
        1 => Just("<x@h.example>".to_owned()),
        1 => select(LABELS).prop_map(|label| format!("[{label}]")),
        1 => select(LABELS).prop_map(|label| format!("[{}][]", label.to_uppercase())),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let inner = vec(inner, 0..4).prop_map(|words| words.concat());
        let parts = (select(SEPARATORS), destination(), select(TITLES), select(SEPARATORS));
        prop_oneof![
            3 => (any::<bool>(), inner.clone(), parts).prop_map(|(is_image, text, parts)| {
                let mark = if is_image { "!" } else { "" };
                let (before, destination, title, after) = parts;
                format!("{mark}[{text}]({before}{destination}{title}{after})")
            }),
            1 => (inner.clone(), select(LABELS)).prop_map(|(text, label)| format!("[{text}][{label}]")),
            1 => inner.prop_map(|text| format!("*{text}*")),
        ]
    })
    .boxed()
}

fn text() -> impl Strategy<Value = String> {
    vec(inline(), 1..6).prop_map(|words| words.concat())
}

/// Returns lines, the first with one prefix and the others with another.
fn prefixed(first: &str, rest: &str, block: &str) -> String {
    let lines = block.split('\n').enumerate();
    let line = |(idx, line)| format!("{}{line}\n", if idx == 0 { first } else { rest });
    lines.map(line).collect()
}

fn block() -> BoxedStrategy<String> {
    let one_line = || text().prop_map(|text| text.replace('\n', " "));
    let leaf = prop_oneof![
        8 => text(),
        1 => one_line().prop_map(|text| format!("# {text}")),
        2 => (select(LABELS), select(SEPARATORS), destination(), select(TITLES)).prop_map(
            |(label, before, destination, title)| format!("[{label}]:{before}{destination}{title}")
        ),
        1 => text().prop_map(|text| format!("```\n{text}\n```")),
        1 => text().prop_map(|text| prefixed("    ", "    ", &text)),
        2 => select(HTML_BLOCKS).prop_map(str::to_owned),
        1 => vec(one_line(), 2).prop_map(|cells| {
            format!("| a | b |\n|---|---|\n| {} | {} |", cells[0], cells[1])
        }),
        1 => text().prop_map(|text| format!("[^1]: {}", text.replace('\n', "\n    "))),
        1 => select(&["---", "***", "a\n===", "- [ ] [t](task.md)", "1) [n](one.md)"][..]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let inner = vec(inner, 1..3).prop_map(|blocks| blocks.join("\n\n"));
        prop_oneof![
            2 => inner.clone().prop_map(|block| prefixed("> ", "> ", &block)),
            1 => inner.clone().prop_map(|block| prefixed(">", ">", &block)),
            1 => inner.clone().prop_map(|block| prefixed("> ", "", &block)),
            2 => inner.clone().prop_map(|block| prefixed("- ", "  ", &block)),
            1 => inner.prop_map(|block| prefixed("10. ", "    ", &block)),
        ]
    })
    .boxed()
}

/// Generates the front matter of a document, and the document.
pub(crate) fn document() -> impl Strategy<Value = (&'static str, String)> {
    let front =
        select(&["", "", "", "---\na: [b](no.md)\n---\n", "+++\na = '[b](no.md)'\n+++\n"][..]);
    let end = select(&["\n", "\n", "", "\r\n"][..]);
    (front, vec(block(), 1..4), end).prop_map(|(front, blocks, end)| {
        let text = blocks.join("\n\n");
        let text = if end == "\r\n" { text.replace('\n', end) } else { text + end };
        // Without front matter the text must not begin with a line that would be read as such.
        let text = if front.is_empty() { format!("x\n\n{text}") } else { text };
        (front, text)
    })
}
