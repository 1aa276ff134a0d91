//! Properties that depend on the tree: namespaces, raw text, and texts that are documents. HTML
//! standard, section 13.2.6.

use crate::listing::html;

/// Asserts each reference as the documents around it and its slot (`noscript/a[href]`), in order;
/// their texts are their numbers, from 1.
#[track_caller]
fn check(document: &str, expected: &[&str]) {
    let found = html(document);
    let shown: Vec<String> = found
        .iter()
        .map(|found| [&found.embedded.join("/"), &*found.slot].join("/"))
        .map(|path| path.trim_start_matches('/').to_owned())
        .collect();
    assert_eq!(shown, expected, "{document:?}");
    for (idx, found) in found.iter().enumerate() {
        assert_eq!(found.text, (idx + 1).to_string(), "{document:?}");
        assert_eq!(found.span.slice(document.as_bytes()), found.text.as_bytes(), "{document:?}");
    }
}

#[test]
fn svg_and_mathml() {
    check(
        "<svg><a href=1><use href=2></a></svg><a href=3>",
        &["svg a[href]", "svg *[href]", "a[href]"],
    );
    check("<SVG><A HREF=1>", &["svg a[href]"]);
    check("<svg/><a href=1>", &["a[href]"]);
    check("<svg><g/><a href=1><g></g><a href=2>", &["svg a[href]", "svg a[href]"]);
    check("<math><a href=1><mtext href=2>", &["math *[href]", "math *[href]"]);
    check("<svg><math><a href=1></math></svg><a href=2>", &["svg a[href]", "a[href]"]);
    check("<svg><image href=1 src=x><image xlink:href=2>", &["svg *[href]", "svg *[xlink:href]"]);
    check(
        "<svg><script href=1></script><script xlink:href=2 src=x></script>",
        &["svg *[href]", "svg *[xlink:href]"],
    );
    check("<svg><script><a href=1></script>", &["svg a[href]"]);
    check("<svg><title><a href=1></a></title><a href=2>", &["a[href]", "svg a[href]"]);
    check("<a xlink:href=x><use href=x>", &[]);
}

// 13.2.6.2: foreign elements that contain HTML.
#[test]
fn integration_points() {
    check(
        "<svg><foreignObject><img src=1><a href=2></a></foreignObject><a href=3>",
        &["img[src]", "a[href]", "svg a[href]"],
    );
    // HTML inside ends first.
    check("<svg><foreignObject><a href=1></foreignObject><a href=2>", &["a[href]", "a[href]"]);
    check("<svg><desc><a href=1></a></desc><a href=2>", &["a[href]", "svg a[href]"]);
    check("<svg><foreignObject><svg><a href=1></svg><a href=2>", &["svg a[href]", "a[href]"]);
    check("<math><mi><img src=1></mi><mo href=2>", &["img[src]", "math *[href]"]);
    check("<math><mi><mglyph href=1></mi>", &["math *[href]"]);
    check("<math><annotation-xml><a href=1></annotation-xml>", &["math *[href]"]);
    check("<math><annotation-xml encoding=text/html><a href=1></math>", &["a[href]"]);
    check("<math><annotation-xml encoding=Application/XHTML+XML><a href=1></math>", &["a[href]"]);
    check("<math><annotation-xml><svg><a href=1>", &["svg a[href]"]);
    check("<svg><foreignObject><title><a href=x></title><a href=1>", &["a[href]"]);
}

// 13.2.6.5: HTML elements that end foreign content.
#[test]
fn breakout() {
    check("<svg><p><a href=1>", &["a[href]"]);
    check("<svg><g><div></div><a href=1>", &["a[href]"]);
    check("<svg><a href=1><img src=2><a href=3>", &["svg a[href]", "img[src]", "a[href]"]);
    check("<svg><font><a href=1></font><font size=1><a href=2>", &["svg a[href]", "a[href]"]);
    check("<svg></p><a href=1>", &["a[href]"]);
    check("<svg></br><a href=1>", &["a[href]"]);
    check("<svg><g></svg><a href=1>", &["a[href]"]);
    check("<svg></g></b><a href=1>", &["svg a[href]"]);
    check("<p><svg></p><a href=1>", &["a[href]"]);
    check("<math><table background=1><a href=2>", &["table[background]", "a[href]"]);
}

#[test]
fn tags_that_are_ignored() {
    check("<form action=1><form action=2></form></form>", &["form[action]", "form[action]"]);
    check("<body background=1><body background=2>", &["body[background]", "body[background]"]);
    check("<table><tr><a href=1><td><a href=2></table>", &["a[href]", "a[href]"]);
    check("<select><option><a href=1><img src=2></select>", &["a[href]", "img[src]"]);
    check("<frameset><frame src=1></frameset><frame src=2>", &["frame[src]", "frame[src]"]);
    check("<image src=1>", &["image[src]"]);
    check("<image srcset=1 longdesc=2 lowsrc=3>", &["img[srcset]", "img[longdesc]", "img[lowsrc]"]);
}

#[test]
fn texts_that_are_documents() {
    check(
        "<head><noscript><link href=1></noscript><body><noscript><img src=2></noscript>",
        &["noscript/link[href]", "noscript/img[src]"],
    );
    check(
        "<iframe src=1><a href=2></iframe><a href=3>",
        &["iframe[src]", "iframe/a[href]", "a[href]"],
    );
    check("<frameset><noframes><body><a href=1></noframes>", &["noframes/a[href]"]);
    check("<noembed><p style='b:url(1)'></noembed>", &["noembed/*[style]/css url()"]);
    check(
        "<noscript><!-- <a href=x> --><title><a href=x></title><a href=1></noscript>",
        &["noscript/a[href]"],
    );
    check("<noscript><style>b:url(1)</style></noscript>", &["noscript/style/css url()"]);
    check("<noscript><a href=1></noscript", &["noscript/a[href]"]);
    check(
        "<noscript><iframe><a href=1></iframe></noscript><a href=2>",
        &["noscript/iframe/a[href]", "a[href]"],
    );
    check(
        "<noscript title='</noscript>'></noscript><noscript><a title='</noscript><a href=1>'>",
        &["a[href]"],
    );
    check(
        "<iframe srcdoc='<a href=1><p style=b:url(2)>'><a href=3>",
        &["iframe[srcdoc]/a[href]", "iframe[srcdoc]/*[style]/css url()", "iframe/a[href]"],
    );
    check(
        "<iframe srcdoc='<noscript><img srcset=1></noscript>'>",
        &["iframe[srcdoc]/noscript/img[srcset]"],
    );
    check("<svg><noscript><a href=1></noscript>", &["svg a[href]"]);
    check("<svg><iframe src=x><a href=1>", &["svg a[href]"]);
    check(
        "<template><noscript><a href=1></noscript><a href=2></template>",
        &["noscript/a[href]", "a[href]"],
    );
}

#[test]
fn conditional_comments() {
    let slot = "conditional comment/a[href]";
    check("<!--[if IE]><a href=1><![endif]--><a href=2>", &[slot, "a[href]"]);
    check("<!-- [if lt IE 9]>\n<a href=1>\n<![endif] -->", &[slot]);
    check("<!--[if gte mso 9]><xml><a href=1></xml><![endif]-->", &[slot]);
    check(
        "<!--[if IE]><script src=1></script><style>b:url(2)</style><![endif]-->",
        &["conditional comment/script[src]", "conditional comment/style/css url()"],
    );
    check(
        "<noscript><!--[if IE]><a href=1><![endif]--></noscript>",
        &["noscript/conditional comment/a[href]"],
    );
    // Comments that all browsers but one read as markup are markup like any other.
    check("<!--[if !IE]><!--><a href=1><!--<![endif]-->", &["a[href]"]);
    check("<!--[if !IE]>--><a href=1><!--<![endif]-->", &["a[href]"]);
    check("<![if !IE]><a href=1><![endif]>", &["a[href]"]);
    check("<!--if IE]><a href=x><![endif]--><!--[if IE]><a href=x>-->", &[]);
    check("<script><!--[if IE]><a href=x><![endif]--></script>", &[]);
    // A bogus comment ends with its first `>`, and hides nothing (found by fuzzing).
    check("</[if<![endif]><a href=1>", &["a[href]"]);
    check("<?[if IE]<![endif]><a href=1><!--[if IE<![endif]--><a href=2>", &["a[href]", "a[href]"]);
}

/// A line end that is written as a character reference is not one (found by fuzzing).
#[test]
fn line_ends_in_values() {
    for value in ["\r&#xd;", "&#13;\r\n", "\r\r\n&#10;", "&#13;\n", "\r&#10;"] {
        check(&format!("<a title='{value}' href=1>"), &["a[href]"]);
    }
}

#[test]
fn style_elements() {
    let slot = "style/css url()";
    check("<style>b:url(1)</style><a href=2>", &[slot, "a[href]"]);
    check("<body><p><style>b:url(1)</style>", &[slot]);
    check("<table><style>b:url(1)</style></table>", &[slot]);
    check("<template><style>b:url(1)</style></template>", &[slot]);
    check("<select><style>b:url(1)</style></select><a href=2>", &[slot, "a[href]"]);
    check("<style>b:url(1)", &[slot]);
    check("<style></style><style> </style><style/>b:url(1)</style>", &[slot]);
    check("<svg><style>b:url(1)</style></svg>", &["svg style/css url()"]);
    check("<svg><style><![CDATA[b:url(1)]]></style></svg>", &["svg style/css url()"]);
    check("<svg><style>\n<![CDATA[\n@import '1';\n]]>\n</style></svg>", &["svg style/css @import"]);
    check("<svg><style/>b:url(x)</svg><svg><style></style>", &[]);
    check("<svg><style type=text/x>b:url(x)</style>", &[]);
    check("<svg><style>b:url&lpar;1)</style>", &["svg style/css url()"]);
    check("<svg><style>b:url(1)", &["svg style/css url()"]);
    check(
        "<svg><style> /*<![CDATA[*/ b:url(1) /*]]>*/ </style><a href=2>",
        &["svg style/css url()", "svg a[href]"],
    );
    check("<svg><style>/*<![CDATA[ url(x) */b:url(1)]]></style>", &["svg style/css url()"]);
    check("<svg><foreignObject><style>b:url(1)</style>", &[slot]);
    check("<math><style>b:url(x)</style>", &[]);
}
