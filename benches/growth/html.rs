//! Shapes of HTML and CSS that could take long.

use super::{Shape, between, counted, flood};

pub(crate) const HONEST: Shape =
    ("links", |n| flood("<p>some text <a href=../x/y.html>and a link</a></p>\n", n));

pub(crate) const HOSTILE: &[Shape] = &[
    ("unclosed tags", |n| flood("<div>", n)),
    ("unclosed links", |n| flood("<a href=x>", n)),
    ("stray end tags", |n| flood("</b>", n)),
    ("stray </p>", |n| flood("</p>", n)),
    ("stray </p> and a base", |n| between("", "</p>", "<base href=x>", n)),
    ("stray <frameset>", |n| flood("<frameset>", n)),
    ("void tags", |n| flood("<br>", n)),
    ("empty elements", |n| flood("<b></b>", n)),
    ("empty titles", |n| flood("<title></title>", n)),
    ("empty drawings", |n| flood("<svg></svg>", n)),
    ("empty comments", |n| flood("<!---->", n)),
    ("values that hold >", |n| flood("<p x='>'>", n)),
    ("NULs", |n| flood("\0", n)),
    ("a flood of <", |n| flood("<", n)),
    ("a flood of </", |n| flood("</", n)),
    ("a flood of <!", |n| flood("<!", n)),
    ("a flood of &", |n| flood("&", n)),
    ("a flood of <a", |n| flood("<a ", n)),
    ("a flood of <a that ends", |n| between("", "<a ", ">", n)),
    ("attributes by the million", |n| counted("<a ", |idx| format!("x{idx} "), ">", n)),
    ("attributes of one name", |n| between("<a ", "href=x ", ">", n)),
    ("attributes that hold >", |n| counted("<a ", |idx| format!("x{idx}='>' "), ">", n)),
    ("a comment never closed", |n| between("<!--", "x <a href=y> ", "", n)),
    ("comments in comments", |n| between("", "<!--", "-->", n)),
    ("a comment that nearly ends", |n| between("<!-- -", "->", "", n)),
    ("a script never closed", |n| between("<script>", "<a b>", "", n)),
    ("an escaped script never closed", |n| between("<script><!--", "->", "", n)),
    ("a title never closed", |n| between("<title>", "&amp;", "", n)),
    ("a value never closed", |n| between("<p a='", "<a b>", "", n)),
    ("CDATA in HTML", |n| between("<![CDATA[", "x>", "", n)),
    ("CDATA never closed", |n| between("<svg><![CDATA[", "]>", "", n)),
    ("dashes in a comment", |n| between("<!", "-", "", n)),
    ("conditional comments never closed", |n| between("", "<!--[if x]>", "<![endif]-->", n)),
    ("entities", |n| between("<a href='", "&amp;", "'>", n)),
    ("half entities", |n| between("<a href='", "&am", "'>", n)),
    ("numbers of entities", |n| between("<a href='&#", "1", "'>", n)),
    ("nested svg", |n| flood("<svg>", n)),
    ("nested svg and g", |n| flood("<svg><g>", n)),
    ("styles of svg", |n| between("<svg>", "<style>a{b:url(c)}</style>", "", n)),
    ("CDATA", |n| between("<svg>", "<![CDATA[x]]>", "", n)),
    ("scripts in a script", |n| between("<script>", "<script ", "</script>", n)),
    ("escaped scripts", |n| {
        between("<script><!--<script ", "</script <script ", "</script></script>", n)
    }),
    ("ends of a textarea", |n| between("<textarea>", "</textare ", "</textarea>", n)),
    ("candidates", |n| between("<img srcset='", "a 1x, ", "'>", n)),
    ("parentheses in a candidate", |n| between("<img srcset='a ", "(", "'>", n)),
    ("parentheses in CSS", |n| between("<style>a{b:", "(", "</style>", n)),
    ("braces in CSS", |n| between("<style>", "a{", "</style>", n)),
    ("urls in CSS", |n| between("<style>", "a{b:url(c)}", "</style>", n)),
    ("urls of CSS never closed", |n| between("<style>", "url(", "</style>", n)),
    ("strings of CSS", |n| between("<style>", "\"\\\n", "</style>", n)),
    ("escapes of CSS", |n| between("<style>@import '", "\\41", "';</style>", n)),
    ("attributes with CSS", |n| flood("<p style='a:url(b)'>", n)),
    ("fonts never closed", |n| counted("", |idx| format!("<p><font color={idx}>"), "", n)),
    ("fonts closed by paragraphs", |n| flood("<p><b>", n)),
    ("fonts that are reopened", |n| between("", "<p><b>x</p>", "<base href=x>", n)),
    ("links that are reopened", |n| flood("<a>x</p>", n)),
    ("tables in cells", |n| flood("<table><td>", n)),
    ("selects in options", |n| flood("<select><option>", n)),
    ("items in options", |n| flood("<option><li>", n)),
    ("text foster-parented", |n| between("<base href=x><table>", "<i>x</i>", "", n)),
    ("rows foster-parented", |n| between("<base href=x><table>", "<tr><b></b>", "", n)),
    ("fields foster-parented", |n| between("<base href=x><table>", "<input type=hidden>", "", n)),
    ("bases", |n| flood("<base href=x>", n)),
    ("bases without a value", |n| between("", "<base><base href>", "", n)),
    ("bases that do not count", |n| between("<template>", "<base href=x>", "</template>", n)),
    ("templates", |n| flood("<template>", n)),
    ("options", |n| between("<select>", "<option>x", "", n)),
    ("noscripts", |n| flood("<noscript><a href=x></noscript>", n)),
    ("applets", |n| flood("<object codebase=x archive='a b'>", n)),
    ("a list of pings", |n| between("<a ping='", "a ", "'>", n)),
    ("bytes that are no characters", |n| [b"<a href='", &*vec![0xFF; n], b"'>"].concat()),
    ("dots", |n| between("<a href='", "../", "'>", n)),
    ("white space in a URL", |n| between("<a href='", "x\n", "'>", n)),
    ("carriage returns", |n| flood("<a href=x>\r\n", n)),
    ("a long URL", |n| between("<a href='", "x", "'>", n)),
    ("a long base and links", |n| {
        let base = "x".repeat(n / 2);
        between(&format!("<base href='http://h/{base}/'>"), "<a href=y>", "", n / 2)
    }),
    ("a deep base and dots", |n| {
        let base = "x/".repeat(n / 4);
        between(&format!("<base href='http://h/{base}'>"), "<a href=../y>", "", n / 2)
    }),
    ("a long base and candidates", |n| {
        let base = "x".repeat(n / 2);
        between(&format!("<base href='http://h/{base}/'><img srcset='"), "a,", "'>", n / 2)
    }),
    ("documents side by side", |n| flood("<iframe srcdoc='<a href=x>'></iframe>", n)),
    ("documents in documents", |n| {
        let mut inner = "<a href=x>".to_owned();
        while inner.len() < n {
            let escaped = inner.replace('&', "&amp;").replace('"', "&quot;");
            inner = format!("<iframe srcdoc=\"{escaped}\">");
        }
        inner.into_bytes()
    }),
    ("documents with a base each", |n| {
        flood("<iframe srcdoc='<base href=y/><a href=x>'></iframe>", n)
    }),
];

/// Whole style sheets.
pub(crate) const SHEETS: &[Shape] = &[
    ("rules", |n| flood("a{b:url(c)}\n", n)),
    ("imports", |n| flood("@import 'x';\n", n)),
    ("functions never closed", |n| flood("f(", n)),
    ("functions and urls never closed", |n| flood("f(url(a) ", n)),
    ("brackets never closed", |n| flood("[{(", n)),
    ("ends of brackets", |n| flood(")}]", n)),
    ("layers never closed", |n| flood("@layer{", n)),
    ("supports never closed", |n| flood("@supports (", n)),
    ("comments never closed", |n| flood("/*", n)),
    ("strings that end with the line", |n| flood("'x\n", n)),
    ("backslashes", |n| flood("\\", n)),
    ("namespaces", |n| flood("@namespace url(x);", n)),
    ("charsets", |n| flood("@charset 'x';", n)),
    ("image sets", |n| between("a{b:", "image-set('x' 1x,", "", n)),
];

/// Pages that may note where they were from: comments, scripts and metadata that nearly say it.
pub(crate) const HINTED: &[Shape] = &[
    ("comments that tell no URL", |n| flood("<!-- saved from url=(9)http://h.example/x -->\n", n)),
    ("comments that tell one", |n| flood("<!-- saved from url=(0018)http://h.example/x -->\n", n)),
    ("a comment with blanks", |n| between("<!-- saved from url=(0018)", " ", "-->", n)),
    ("half comments of SingleFile", |n| {
        between("<!--\n Page saved with SingleFile", "\n url: ", "-->", n)
    }),
    ("comments of HTTrack", |n| flood("<!-- Mirrored from h.example/ by HTTrack -->\n", n)),
    ("scripts", |n| flood("<script>var a = 'web.archive.org';</script>\n", n)),
    ("one script", |n| {
        between("<script>", "__wm.init(\"https://web.archive.org/web\");", "</script>", n)
    }),
    ("canonical links", |n| flood("<link rel=canonical href=x>\n", n)),
    ("metadata", |n| flood("<meta property=og:url content=x>\n", n)),
];
