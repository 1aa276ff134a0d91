//! Documents with a love for everything that parsers get wrong: comments in all endings, raw text,
//! script escapes, templates, broken quotes, NUL, stray `<`, foreign content, late and double
//! bases.

use super::json;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// References in all forms, some of them none.
const REFERENCES: &[&str] = &[
    "x.html",
    "../y",
    "./",
    "",
    "#top",
    "?q=1&amp;r=2",
    "?q&r",
    "//n.example/p",
    "/abs/./d/../e",
    "http://o.example/z",
    "http:g",
    "https:g",
    "mailto:a@b",
    "javascript:void(0)",
    "data:,x",
    "a b",
    " lead",
    "tail\t",
    "a\nb",
    "..\\w\\v",
    "%41%2e",
    "&#46;&#x2e;/up",
    "&copy=1",
    "&lt;",
    "x&y;z",
    "caf\u{E9}",
    "{{ t }}",
    "${u}",
    "x%sy",
    "\0n",
    "a,b",
    "(p)",
    "'s",
    "#&amp;",
    ";p",
    "x:y",
    "./x:y",
    "ht\ntp:x",
    "\u{2028}",
];

pub(crate) fn reference() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => select(REFERENCES).prop_map(str::to_owned),
        1 => "[a-z./?#&;:%\\\\ ]{0,8}",
    ]
}

/// `name=value` in all the ways of quoting, right and wrong.
fn attribute(
    name: &'static str,
    value: impl Strategy<Value = String>,
) -> impl Strategy<Value = String> {
    (value, 0..8u8).prop_map(move |(value, form)| match form {
        0 | 1 => format!(" {name}=\"{}\"", value.replace('"', "&quot;")),
        2 => format!(" {name}='{}'", value.replace('\'', "&#39;")),
        3 | 4 => {
            let bare: String = value.chars().filter(|char| !" \t\n>\"'".contains(*char)).collect();
            format!(" {name}={bare}")
        }
        5 => format!(" {}\n=\t\"{}\"", name.to_uppercase(), value.replace('"', "&#34")),
        6 => format!(" {name}=\"{value}"),
        _ => format!(" {name}"),
    })
}

fn tag() -> impl Strategy<Value = String> {
    let url = |name| attribute(name, reference()).boxed();
    let list = |name, separator: &'static str| {
        attribute(name, vec(reference(), 0..4).prop_map(move |urls| urls.join(separator))).boxed()
    };
    let css = || css_text().prop_map(|css| css.replace('\0', "")).boxed();
    prop_oneof![
        5 => url("href").prop_map(|attribute| format!("<a{attribute}>")),
        2 => (url("href"), url("href")).prop_map(|(first, second)| format!("<link{first}{second}>")),
        3 => url("src").prop_map(|attribute| format!("<IMG{attribute}/>")),
        3 => list("srcset", " 1x, ").prop_map(|attribute| format!("<img{attribute}>")),
        1 => list("ping", " ").prop_map(|attribute| format!("<area{attribute}>")),
        2 => url("href").prop_map(|attribute| format!("<base{attribute}>")),
        1 => (url("codebase"), list("archive", " "), url("classid"))
            .prop_map(|(codebase, archive, class)| format!("<object{archive}{codebase}{class}>")),
        1 => (url("codebase"), list("archive", ",")).prop_map(|(codebase, archive)| format!("<applet{codebase}{archive}>")),
        2 => reference().prop_map(|url| format!("<meta http-equiv=refresh content=\"1; url={url}\">")),
        1 => reference().prop_map(|url| format!("<meta http-equiv=Refresh content='0,\"{url}\" x'>")),
        1 => reference().prop_map(|url| format!("<meta property=og:image content='{url}'>")),
        2 => attribute("style", css()).prop_map(|attribute| format!("<p{attribute}>")),
        2 => css().prop_map(|css| format!("<style>{css}</style>")),
        1 => css().prop_map(|css| format!("<style>{css}</style x>")),
        2 => url("href").prop_map(|attribute| format!("<svg><a{attribute}><use{attribute}/></a>")),
        1 => css().prop_map(|css| format!("<svg><style>{css}</style></svg>")),
        1 => css().prop_map(|css| format!("<svg><style><![CDATA[{css}]]></style></svg>")),
        1 => url("xlink:href").prop_map(|attribute| format!("<svg><image{attribute}></image><foreignObject><body background=x><p background=x>")),
        1 => url("href").prop_map(|attribute| format!("<math><mi{attribute}></mi><annotation-xml encoding=text/html>")),
        1 => url("usemap").prop_map(|attribute| format!("<img{attribute}>")),
        3 => json::script(),
    ]
}

/// Markup without references of its own that changes how what follows is read.
const TRAPS: &[&str] = &[
    "text",
    "<",
    "<<",
    "</",
    "</>",
    "<!",
    "<?php x ?>",
    "<!doctype html>",
    "<!-- c -->",
    "<!--",
    "script>",
    "-script >",
    "</[if",
    "<![endif]>",
    "-->",
    "--!>",
    "<!-->",
    "<!--->",
    "<!-- --!>",
    "<!-- <!-- -->",
    "<!--#include virtual=\"/x\" -->",
    "<!-- <!--#fsize virtual=x --!>",
    "<!#include virtual=x-->",
    "<?#x <!--#",
    "<script type=module>import './x'</script>",
    "<![CDATA[",
    "]]>",
    "<script>",
    "</script>",
    "<script><!--",
    "<script><!--<script>",
    "</script >",
    "<title>",
    "</title>",
    "<textarea>",
    "</textarea>",
    "<noscript>",
    "</noscript>",
    "<iframe>",
    "</iframe>",
    "<noframes>",
    "</noframes>",
    "<xmp>",
    "</xmp>",
    "<template>",
    "</template>",
    "<table>",
    "<tr><td>",
    "</table>",
    "<select>",
    "<option>",
    "</select>",
    "<svg>",
    "</svg>",
    "<math>",
    "</math>",
    "<desc>",
    "<frameset>",
    "<frame src=f>",
    "<body background=b>",
    "<html manifest=m>",
    "<b>",
    "</b>",
    "<i>",
    "<p>",
    "</p>",
    "<form action=x>",
    "</form>",
    "<a ",
    "<img src=\"",
    "\">",
    "' ",
    "=",
    ">",
    "/>",
    "\r\n",
    "\r",
    "\0",
    "\u{C}",
    "&",
    "&amp",
    "<!--[if IE]>",
    "<![endif]-->",
    "<![if !IE]>",
    "<plaintext>",
    "<noembed>",
    "</noembed>",
    "<head>",
    "</head>",
    "</body>",
    "</html>",
    "<br/>",
    "<a/href=x>",
    "<a\u{C}href=y>",
    "<A HREF=Z>",
    "<image src=i>",
    "<iframe srcdoc=\"<a href=s>\">",
    "<iframe srcdoc='<base href=&quot;k/&quot;><a href=l>'>",
];

/// A piece as it is, or in place of quotes and angle brackets what srcdoc needs.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        6 => tag().prop_map(String::into_bytes),
        6 => select(TRAPS).prop_map(|trap| trap.as_bytes().to_vec()),
        1 => vec(tag(), 0..3).prop_map(|tags| {
            let inner = tags.concat().replace('&', "&amp;").replace('"', "&quot;");
            format!("<iframe srcdoc=\"{inner}\"></iframe>").into_bytes()
        }),
        1 => vec(tag(), 0..2).prop_map(|tags| format!("<noscript>{}</noscript>", tags.concat()).into_bytes()),
        1 => vec(tag(), 0..2).prop_map(|tags| format!("<!--[if IE]>{}<![endif]-->", tags.concat()).into_bytes()),
        1 => vec(any::<u8>(), 0..4),
    ]
}

/// An HTML document.
pub(crate) fn html() -> impl Strategy<Value = Vec<u8>> {
    const STARTS: &[&[u8]] = &[
        b"",
        b"<meta charset=utf-8>",
        b"<meta charset=latin1>",
        b"<meta charset=shift_jis>",
        b"\xEF\xBB\xBF",
    ];
    let charset = select(STARTS);
    (charset, vec(piece(), 0..14))
        .prop_map(|(charset, pieces)| [charset.to_vec(), pieces.concat()].concat())
}

fn css_text() -> impl Strategy<Value = String> {
    const TRAPS: &[&str] = &[
        "a{",
        "}",
        "b:",
        ";",
        "/*",
        "*/",
        "@import ",
        "@namespace ",
        "@media x{",
        "(",
        ")",
        "[",
        "]",
        "\"",
        "'",
        "\\",
        "\\\n",
        "\n",
        " ",
        "url(",
        "url( ",
        "\\75rl(",
        "image-set(",
        "src(",
        " 1x, ",
        "!important",
        "<!--",
        "-->",
        "\\29 ",
        "\u{E9}",
        "format(\"woff\")",
        "content:\"x\"",
    ];
    let form = (reference(), 0..7u8).prop_map(|(url, form)| match form {
        0 => format!("url({})", url.replace([' ', '(', ')', '\'', '"', '\n'], "")),
        1 => format!("url( \"{}\" )", url.replace(['"', '\\', '\n'], "")),
        2 => format!("url('{}')", url.replace(['\'', '\\', '\n'], "")),
        3 => format!("@import \"{}\";", url.replace(['"', '\\', '\n'], "")),
        4 => {
            format!("@import url({}) layer(x);", url.replace([' ', '(', ')', '\'', '"', '\n'], ""))
        }
        5 => format!("image-set(\"{}\" 1x, url(k) 2x)", url.replace(['"', '\\', '\n'], "")),
        _ => format!("src(\"{}\" x)", url.replace(['"', '\\', '\n'], "").replace('.', "\\2e ")),
    });
    vec(prop_oneof![3 => form, 2 => select(TRAPS).prop_map(str::to_owned)], 0..8)
        .prop_map(|pieces| pieces.concat())
}

/// A style sheet.
pub(crate) fn css() -> impl Strategy<Value = String> {
    css_text()
}
