//! Markdown and running text that could take long.

use super::{Shape, between, counted, flood};

const FLOWED: &str = "Content-Type: text/plain; format=flowed; delsp=yes\n\n";

pub(crate) const MARKDOWN: &[Shape] = &[
    ("Markdown links", |n| flood("- some text [and a link](../x/y.md \"t\")\n", n)),
    ("Markdown links in one line", |n| flood("[a](b) ", n)),
    ("Markdown images in links", |n| flood("[![a](i)](b)\n", n)),
    ("definitions", |n| counted("", |idx| format!("[{idx}]: x{idx}\n"), "", n)),
    ("definitions of one label", |n| flood("[a]: x\n", n)),
    ("uses of a definition", |n| between("[a]: xxxxxxxxxxxxxxxx\n\n", "[a] ", "", n)),
    ("uses of no definition", |n| flood("[a] ", n)),
    ("definitions without an end", |n| flood("[a]: x \"t\n", n)),
    ("opening brackets", |n| flood("[", n)),
    ("opening brackets of images", |n| flood("![", n)),
    ("closing brackets", |n| flood("]", n)),
    ("nested brackets", |n| [&*flood("[", n / 2), &*flood("]", n / 2)].concat()),
    ("nested images", |n| [&*flood("![", n / 3), &*flood("](x)", n / 3)].concat()),
    ("links without an end", |n| flood("[a](", n)),
    ("links without an end and with spaces", |n| flood("[a](b ", n)),
    ("links with half titles", |n| flood("[a](b \"c ", n)),
    ("links in angle brackets without an end", |n| flood("[a](<b", n)),
    ("parentheses in a destination", |n| between("[a](", "()", ")", n)),
    ("parentheses that open", |n| between("[a](", "(", ")", n)),
    ("a long destination", |n| between("[a](", "b", ")", n)),
    ("references in a destination", |n| between("[a](", "&amp;", ")", n)),
    ("half references in a destination", |n| between("[a](", "&am", ")", n)),
    ("escapes in a destination", |n| between("[a](", "\\(", ")", n)),
    ("backslashes", |n| flood("\\", n)),
    ("backticks", |n| counted("", |idx| format!("{} ", "`".repeat(idx % 200)), "", n)),
    ("emphasis", |n| flood("*a **b ", n)),
    ("emphasis that closes", |n| flood("a* b_ ", n)),
    ("stars", |n| flood("*", n)),
    ("underscores and stars", |n| flood("*_a", n)),
    ("tildes", |n| flood("~a~~", n)),
    ("a flood of < in Markdown", |n| flood("<", n)),
    ("a flood of <a in Markdown", |n| flood("<a ", n)),
    ("half tags", |n| flood("<a href=\"", n)),
    ("half comments", |n| flood("a <!-- ", n)),
    ("half instructions", |n| flood("a <?", n)),
    ("half declarations", |n| flood("a <!A ", n)),
    ("half sections of CDATA", |n| flood("a <![CDATA[", n)),
    ("tags", |n| flood("a <a href=\"x\">b</a>\n", n)),
    ("blocks of HTML", |n| flood("<div>\n<a href=x>\n</div>\n\n", n)),
    ("blocks of HTML in quotes", |n| flood("> <div>\n> <a href=x>\n>\n", n)),
    ("one block of HTML in a quote", |n| flood("> <a href=x>\n", n)),
    ("nested quotes", |n| flood(">", n)),
    ("nested quotes and lines", |n| [&*flood("> ", n / 2), &*flood("a\n", n / 2)].concat()),
    ("nested lists", |n| flood("- ", n)),
    ("nested lists in lines", |n| {
        counted("", |idx| format!("{}- a\n", "  ".repeat(idx % 500)), "", n)
    }),
    ("deep lists and blank lines", |n| {
        [&*flood("- ", n.min(20_000) / 2), &*flood("\n", n)].concat()
    }),
    ("deep lists and lines", |n| [&*flood("- ", n.min(20_000) / 2), &*flood("a\n\n", n)].concat()),
    ("nested footnotes", |n| [&*flood("[^a]: ", n / 2), &*flood("\na\n", n / 2)].concat()),
    ("items", |n| flood("- a\n", n)),
    ("numbers", |n| flood("1. a\n", n)),
    ("tables", |n| flood("|a|\n|-|\n|[a](b)|\n\n", n)),
    ("one row", |n| between("|a|\n|-|\n", "|[a](b)", "", n)),
    ("one table", |n| between("|a|\n|-|\n", "|[a](b)|\n", "", n)),
    ("a wide table", |n| {
        [&*flood("|a", n / 3), b"\n", &*flood("|-", n / 3), b"\n", &*flood("|\n", n / 3)].concat()
    }),
    ("footnotes", |n| counted("", |idx| format!("[^{idx}]\n\n[^{idx}]: a\n\n"), "", n)),
    ("uses of no footnote", |n| flood("[^a]", n)),
    ("fences", |n| flood("```\n[a](b)\n", n)),
    ("metadata without an end", |n| between("---\n", "a: b\n", "", n)),
    ("rules", |n| flood("---\na\n", n)),
    ("carriage returns in Markdown", |n| flood("[a](b)\r\n", n)),
    ("NULs in Markdown", |n| flood("\0", n)),
    ("autolinks", |n| flood("<http://h/>", n)),
    ("tabs", |n| flood("\t[a](b)\n>\t[a](b)\n", n)),
];

pub(crate) const TEXTS: &[Shape] = &[
    ("URLs", |n| flood("see http://h/x, and <http://h/y>.\n", n)),
    ("colons", |n| flood(":", n)),
    ("schemes", |n| flood("http:", n)),
    ("half wrappers", |n| flood("<http:", n)),
    ("half wrappers with URL:", |n| flood("<URL:", n)),
    ("half wrappers over lines", |n| flood("<a:\n", n)),
    ("half wrappers and a flood of quotes", |n| flood("\"http://a ", n)),
    ("URLs that begin with a parenthesis", |n| flood("http://(", n)),
    ("half URLs", |n| flood("<http://h/ ", n)),
    ("half URLs in quotes", |n| flood("\"http://h/\n", n)),
    ("a URL over lines", |n| between("<http://h/", "x\n", ">", n)),
    ("hyphens", |n| between("<http://h/", "-\n", ">", n)),
    ("brackets in a URL", |n| between("http://h/", "()[", "", n)),
    ("stops", |n| between("http://h/", ".", "", n)),
    ("bytes that are no characters in text", |n| [b"http://h/", &*vec![0xFF; n]].concat()),
];

pub(crate) const FLOWING: &[Shape] = &[
    ("soft line breaks in text", |n| between(FLOWED, "http://h/ \nx ", "", n)),
    ("a paragraph", |n| between(&format!("{FLOWED}http://h/"), " \nx", "", n)),
    ("marks of quotes", |n| between(FLOWED, ">", "", n)),
    ("quotes that flow", |n| between(FLOWED, ">> http://h/ \n", "", n)),
    ("signatures", |n| between(FLOWED, "-- \nx \n", "", n)),
    ("stuffing", |n| between(FLOWED, " \n", "", n)),
];
