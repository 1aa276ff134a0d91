//! XML that could take long.

use super::{Shape, between, counted, flood};

const PAGE: &str = "<html xmlns='http://www.w3.org/1999/xhtml'>";
const RSS: &str = "<rss>";

/// `start` once for each `end`, with `inner` in the middle.
pub(crate) fn nested(start: &str, inner: &str, end: &str, n: usize) -> Vec<u8> {
    let depth = n / (start.len() + end.len());
    [start.repeat(depth).into_bytes(), inner.into(), end.repeat(depth).into_bytes()].concat()
}

/// A document type with the declarations that `piece` makes, and what comes after it.
fn declared(piece: fn(usize) -> String, after: &str, n: usize) -> Vec<u8> {
    counted("<!DOCTYPE a [", piece, &format!("]>{after}"), n)
}

pub(crate) const DOCUMENTS: &[Shape] = &[
    ("items", |n| {
        between(RSS, "<item><link>../x</link><title>a title</title></item>\n", "</rss>", n)
    }),
    ("attributes by the million", |n| counted("<a ", |idx| format!("x{idx}='' "), "/>", n)),
    ("the same attribute at the end", |n| {
        counted("<a ", |idx| format!("x{idx}='' "), "x0=''/>", n)
    }),
    ("an attribute without a value at the end", |n| {
        counted("<a ", |idx| format!("x{idx}='' "), "x/>", n)
    }),
    ("attributes of one name", |n| between("<a ", "href='x' ", "/>", n)),
    ("references in one tag", |n| {
        counted(
            &format!("<a {}", "xmlns:l='http://www.w3.org/1999/xlink' "),
            |idx| format!("xmlns:l{idx}='http://www.w3.org/1999/xlink' l{idx}:href='x' "),
            "/>",
            n,
        )
    }),
    ("depth", |n| nested("<a>", "", "</a>", n)),
    ("depth that does not end", |n| flood("<a>", n)),
    ("end tags", |n| between("<a>", "</a>", "", n)),
    ("links in depth", |n| nested(&format!("{PAGE}<a href='x'>"), "", "</a></html>", n)),
    ("prefixes in depth", |n| {
        nested("<a:b xmlns:a='http://www.w3.org/1999/xhtml'>", "", "</a:b>", n)
    }),
    ("bases side by side", |n| {
        let long = "y/".repeat(500);
        let start = format!("<a xmlns:l='http://www.w3.org/1999/xlink' xml:base='{long}'>");
        between(&start, "<b xml:base='c/' l:href='d'/>", "</a>", n)
    }),
    ("bases that are emptied", |n| {
        between(PAGE, "<p xml:base='/c/'><a href='http://h.example/d'/></p>", "</html>", n)
    }),
    ("bases in depth", |n| nested("<a xml:base='b/'>", "", "</a>", n)),
    ("bases in depth, side by side", |n| {
        let chain = format!("{}<c/>{}", "<a xml:base='b/'>".repeat(90), "</a>".repeat(90));
        between("<x>", &chain, "</x>", n)
    }),
    ("a long base", |n| between("<a xml:base='", "b/", "'><c xml:base='d'/></a>", n)),
    ("namespaces by the million", |n| counted("<a ", |idx| format!("xmlns:x{idx}='y' "), "/>", n)),
    ("namespaces in turn", |n| {
        between("<a>", "<b xmlns='http://www.w3.org/1999/xhtml' href='x'/>", "</a>", n)
    }),
    ("namespaces by a long entity", |n| {
        let start = format!("<!DOCTYPE a [<!ENTITY e '{}'>]><a>", "x".repeat(n / 2));
        between(&start, "<b xmlns:c='&e;'/>", "</a>", n / 2)
    }),
    ("styles by a long entity", |n| {
        let start = format!(
            "<!DOCTYPE a [<!ENTITY e '{}'>]><a xmlns='http://www.w3.org/2000/svg'>",
            "x".repeat(n / 2)
        );
        between(&start, "<b style='&e;'/>", "</a>", n / 2)
    }),
    ("references to characters", |n| between("<rss><link>", "&amp;", "</link></rss>", n)),
    ("numbers of characters", |n| between("<rss><link>", "&#120;", "</link></rss>", n)),
    ("half references", |n| between("<rss><link>", "&am", "</link></rss>", n)),
    ("a long number of a character", |n| between("<rss><link>&#", "0", "65;</link></rss>", n)),
    ("references to entities", |n| {
        between("<!DOCTYPE rss [<!ENTITY e 'x'>]><rss><link>", "&e;", "</link></rss>", n)
    }),
    ("references to entities in tags", |n| {
        between("<!DOCTYPE rss [<!ENTITY e 'x'>]><rss>", "<enclosure url='&e;'/>", "</rss>", n)
    }),
    ("a bomb", |n| {
        declared(|idx| format!("<!ENTITY e{} '&e{idx};&e{idx};'>", idx + 1), "<a>&e9;</a>", n)
    }),
    ("a bomb of one long entity", |n| {
        let start = format!("<!DOCTYPE a [<!ENTITY e '{}'>]><a>", "x".repeat(n / 2));
        between(&start, "&e;", "</a>", n / 2)
    }),
    ("entities", |n| declared(|idx| format!("<!ENTITY e{idx} 'x'>"), "<a>&e1;</a>", n)),
    ("entities of files", |n| declared(|idx| format!("<!ENTITY e{idx} SYSTEM 'x'>"), "<a/>", n)),
    ("entities of one name", |n| declared(|_| "<!ENTITY e 'x'>".to_owned(), "<a/>", n)),
    ("parameter entities", |n| declared(|_| "%e;".to_owned(), "<a/>", n)),
    ("declarations of attributes", |n| {
        declared(|_| "<!ATTLIST a b CDATA '>'>".to_owned(), "<a/>", n)
    }),
    ("quotes in a document type", |n| between("<!DOCTYPE a [<!ATTLIST a ", "'\"'", ">]><a/>", n)),
    ("a document type that does not end", |n| between("<!DOCTYPE a [", "<!ENTITY e 'x'>", "", n)),
    ("document types", |n| flood("<!DOCTYPE a>", n)),
    ("brackets in a document type", |n| between("<!DOCTYPE a ", "[", "><a/>", n)),
    ("a comment that does not end", |n| between("<a><!--", " - x", "", n)),
    ("comments", |n| between("<rss><link>x", "<!-- y -->", "</link></rss>", n)),
    ("comments that do not end", |n| flood("<!--", n)),
    ("dashes", |n| between("<a><!-- ", "- ", "--></a>", n)),
    ("a section that does not end", |n| between("<a><![CDATA[", "]]x", "", n)),
    ("sections", |n| {
        between("<rss><description>", "<![CDATA[<a href=x>]]>", "</description></rss>", n)
    }),
    ("sections of a style sheet", |n| {
        between(
            &format!("{PAGE}<style>"),
            "/*<![CDATA[*/ a{b:url(c)} /*]]>*/",
            "</style></html>",
            n,
        )
    }),
    ("instructions", |n| between("", "<?xml-stylesheet href='x'?>", "<a/>", n)),
    ("attributes of an instruction", |n| between("<?xml-stylesheet ", "href='x' ", "?><a/>", n)),
    ("an instruction that does not end", |n| between("<a><?x ", "? x", "", n)),
    ("a text in pieces", |n| between("<rss><link>", "x<?y?>", "</link></rss>", n)),
    ("texts with elements", |n| between("<rss><link>", "x<y/>", "</link></rss>", n)),
    ("short texts", |n| between(RSS, "<link>x</link>", "</rss>", n)),
    ("HTML in texts", |n| {
        between(RSS, "<description>&lt;a href=x>&lt;/a></description>", "</rss>", n)
    }),
    ("deep HTML in a text", |n| {
        between("<rss><description>", "&lt;div>", "</description></rss>", n)
    }),
    ("deep HTML in a section", |n| {
        between("<rss><description><![CDATA[", "<svg><g>", "]]></description></rss>", n)
    }),
    ("documents in documents", |n| {
        let mut inner = "<a href=x>".to_owned();
        while inner.len() < n {
            let escaped = inner.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
            inner = format!("<iframe srcdoc=\"{escaped}\">");
        }
        format!("<rss><description><![CDATA[{inner}]]></description></rss>").into_bytes()
    }),
    ("pairs", |n| {
        between(
            "<a xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:schemaLocation='",
            "a b ",
            "'/>",
            n,
        )
    }),
    ("white space", |n| between("<a", " ", "/>", n)),
    ("white space after the end", |n| between("<a/>", "\n", "", n)),
    ("in two bytes a character", |n| {
        let text = "<link>x</link>".repeat(n / 28);
        let text = format!("\u{FEFF}<rss>{text}</rss>");
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }),
    ("a flood of <", |n| flood("<", n)),
    ("a flood of quotes", |n| between("<a b=", "'", "/>", n)),
    ("a name that does not end", |n| between("<", "a:", "", n)),
];
