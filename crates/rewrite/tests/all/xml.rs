//! XML: namespaces, entities, CDATA, charsets, and documents that are not well-formed.

use layers::Charset;
use relink_rewrite::{
    Media, Options, Outcome, Relative, Rewritten, SkipReason, SkipScope, SyntaxError, XmlBase,
    absolutize, references, relativize,
};

use crate::listing::{at_url, list, unit, xml};

/// Returns the references as `slot text -> target`.
#[track_caller]
fn shown(document: &str) -> Vec<String> {
    xml(document)
        .iter()
        .map(|found| {
            let target = found.target.as_deref().unwrap_or("none");
            format!("{} {} -> {target}", found.slot, found.text)
        })
        .collect()
}

#[track_caller]
pub(crate) fn output(rewritten: Rewritten, input: &[u8]) -> Vec<u8> {
    assert_eq!(rewritten.verify_error(), None, "{:?}", String::from_utf8_lossy(input));
    rewritten.into_output().unwrap_or_else(|| input.to_vec())
}

#[track_caller]
pub(crate) fn becomes_absolute(input: &str, expected: &str) {
    let context = at_url();
    let rewritten = absolutize(unit(input.as_bytes(), Media::XML, &context), &Options::default());
    assert_eq!(String::from_utf8(output(rewritten, input.as_bytes())).as_deref(), Ok(expected));
}

#[track_caller]
fn becomes_relative(input: &str, expected: &str) {
    let context = at_url();
    let unit = unit(input.as_bytes(), Media::XML, &context);
    let rewritten = relativize(unit, &Options::default(), &Relative::below("http://h/"));
    assert_eq!(String::from_utf8(output(rewritten, input.as_bytes())).as_deref(), Ok(expected));
}

/// Returns the skipped documents with their offsets.
pub(crate) fn skipped(document: &str) -> Vec<(SkipReason, usize, SkipScope)> {
    let context = at_url();
    let (_, report) = list(unit(document.as_bytes(), Media::XML, &context), &Options::default());
    report.skipped.iter().map(|skipped| (skipped.reason, skipped.at, skipped.extent)).collect()
}

/// Import maps, linked data and modules are read in the scripts of XHTML.
#[test]
fn scripts_of_data_and_modules_are_read_in_xhtml_too() {
    const PAGE: &str = "<html xmlns='http://www.w3.org/1999/xhtml'><script type=";
    becomes_absolute(
        &format!("{PAGE}'importmap'>{{\"imports\":{{\"a\":\"./b?c&amp;d\"}}}}</script></html>"),
        &format!(
            "{PAGE}'importmap'>{{\"imports\":{{\"a\":\"http://h/d/b?c&amp;d\"}}}}</script></html>"
        ),
    );
    becomes_absolute(
        &format!("{PAGE}'application/ld+json'><![CDATA[{{\"url\":\"x?a&b\"}}]]></script></html>"),
        &format!(
            "{PAGE}'application/ld+json'><![CDATA[{{\"url\":\"http://h/d/x?a&b\"}}]]></script></html>"
        ),
    );
    let module = format!("{PAGE}'module'>import '/a.js'; x &lt; '/b.js'</script></html>");
    becomes_absolute(&module, &module);
    let context = at_url();
    let opt_in = relink_rewrite::OptIn::default().with_js_modules(true);
    let options = Options::default().with_opt_in(opt_in);
    let rewritten = absolutize(unit(module.as_bytes(), Media::XML, &context), &options);
    let expected = module.replace("/a.js", "http://h/a.js");
    assert_eq!(output(rewritten, module.as_bytes()), expected.into_bytes());
}

#[test]
fn prefixes_have_any_name_and_end_with_their_element() {
    assert_eq!(
        shown(
            "<h:html xmlns:h='http://www.w3.org/1999/xhtml' xmlns:s='http://www.w3.org/2000/svg'>\
             <h:img src='a'/><s:img src='b'/><img src='c'/>\
             <x xmlns='http://www.w3.org/1999/xhtml'><img src='d'/><h:y xmlns:h='urn:x'><h:img src='e'/><img src='f'/></h:y>\
             <h:img src='g'/><z xmlns=''><img src='i'/></z><img src='j'/></x><img src='k'/></h:html>"
        ),
        [
            "img[src] a -> http://h/d/a",
            "img[src] d -> http://h/d/d",
            "img[src] f -> http://h/d/f",
            "img[src] g -> http://h/d/g",
            "img[src] j -> http://h/d/j",
        ]
    );
    // Names are case-sensitive, and a prefix makes another attribute.
    assert_eq!(
        shown(
            "<html xmlns='http://www.w3.org/1999/xhtml' xmlns:h='http://www.w3.org/1999/xhtml'><IMG src='a'/><img SRC='b'/><img h:src='c'/></html>"
        ),
        [""; 0]
    );
    // Drawing programs write namespaces as entities.
    assert_eq!(
        shown(
            "<!DOCTYPE svg [<!ENTITY s 'http://www.w3.org/2000/svg'><!ENTITY l 'http://www.w3.org/1999/xlink'>]><svg xmlns='&s;' xmlns:k='&l;'><image k:href='a'/></svg>"
        ),
        ["svg *[xlink:href] a -> http://h/d/a"]
    );
}

#[test]
fn elements_without_a_namespace_are_what_the_root_says() {
    assert_eq!(shown("<rss><link>a</link></rss>"), ["rss link a -> http://h/d/a"]);
    assert_eq!(shown("<x><rss><link>a</link></rss></x>"), [""; 0]);
    assert_eq!(shown("<html><a href='a'/></html>"), [""; 0]);
    // An unknown namespace is a namespace too.
    assert_eq!(
        shown("<rss><x xmlns='urn:x'><link>a</link><y xmlns=''><link>b</link></y></x></rss>"),
        ["rss link b -> http://h/d/b"]
    );
    assert_eq!(shown("<rss xmlns='urn:x'><link>a</link></rss>"), [""; 0]);
    assert_eq!(shown("<x:rss xmlns:x='urn:x'><link>a</link></x:rss>"), [""; 0]);
}

#[test]
fn what_a_stylesheet_writes_is_no_markup() {
    assert_eq!(
        shown(
            "<xsl:stylesheet xmlns:xsl='http://www.w3.org/1999/XSL/Transform' xmlns='http://www.w3.org/1999/xhtml' xml:base='s/'>\
             <xsl:include href='a.xsl'/><xsl:template match='/'><a href='b'><img src='{@c}'/></a></xsl:template></xsl:stylesheet>"
        ),
        ["*[xml:base] s/ -> http://h/d/s/", "xsl:include[href] a.xsl -> http://h/d/s/a.xsl"]
    );
    assert_eq!(
        shown(
            "<html xsl:version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform' xmlns='http://www.w3.org/1999/xhtml'><a href='b'/></html>"
        ),
        [""; 0]
    );
}

#[test]
fn references_to_characters_and_cdata_are_kept() {
    becomes_absolute(
        "<rss><link>x?a&amp;b&#x3D;c</link></rss>",
        "<rss><link>http://h/d/x?a&amp;b&#x3D;c</link></rss>",
    );
    becomes_absolute(
        "<rss><link>\n<![CDATA[ x?a&b ]]>\n</link></rss>",
        "<rss><link>\n<![CDATA[ http://h/d/x?a&b ]]>\n</link></rss>",
    );
    becomes_absolute(
        "<rss><enclosure url=\"&#46;./x?'&quot;\" type='&amp;'/></rss>",
        "<rss><enclosure url=\"http://h/x?'&quot;\" type='&amp;'/></rss>",
    );
    // Two layers of escapes, one of them of HTML.
    becomes_absolute(
        "<rss><description>&lt;a href=\"x?a&amp;amp;b&amp;copy;\"></description></rss>",
        "<rss><description>&lt;a href=\"http://h/d/x?a&amp;amp;b&amp;copy;\"></description></rss>",
    );
}

/// Returns the references that contain an entity.
fn with_entity(document: &str) -> Vec<String> {
    let mut found = Vec::new();
    references(unit(document.as_bytes(), Media::XML, &at_url()), &Options::default(), |site| {
        found.extend(site.has_entity().then(|| site.text.to_owned()));
    });
    found
}

#[test]
fn names_of_characters_count_where_the_document_type_says_so() {
    let page = |doctype: &str| {
        format!(
            "{doctype}<html xmlns='http://www.w3.org/1999/xhtml'><a href='caf&eacute;'/></html>"
        )
    };
    let strict = page(
        "<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' 'http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd'>",
    );
    let (list, report) = list(unit(strict.as_bytes(), Media::XML, &at_url()), &Options::default());
    assert_eq!(list[1].text, "café");
    assert_eq!(report.skipped, []);
    // In other documents such an entity may be anything, and is never expanded.
    let other = page("<!DOCTYPE html SYSTEM 'x.dtd'>");
    assert_eq!(with_entity(&other), ["caf&eacute;"]);
    let bomb = "<!DOCTYPE rss [<!ENTITY a 'lol'><!ENTITY b '&a;&a;&a;&a;'><!ENTITY c '&b;&b;&b;&b;'>]><rss><link>&c;</link><url>x</url></rss>";
    assert_eq!(with_entity(bomb), ["&c;"]);
    becomes_absolute(bomb, &bomb.replace(">x<", ">http://h/d/x<"));
}

#[test]
fn a_text_in_pieces_is_skipped_and_reported() {
    for text in ["x<!-- c -->y", "<![CDATA[x]]><![CDATA[y]]>", "x<![CDATA[y]]>", "x<?p?>y", "x<b/>"]
    {
        let document = format!("<rss><link>{text}</link></rss>");
        assert_eq!(
            skipped(&document),
            [(SkipReason::BrokenText, 11, SkipScope::Embedded)],
            "{text}"
        );
    }
    for text in ["<!-- c -->x", "x<!-- c -->", " <![CDATA[x]]> ", "<?p?>x<?q?>"] {
        let document = format!("<rss><link>{text}</link></rss>");
        becomes_absolute(&document, &document.replacen('x', "http://h/d/x", 1));
    }
}

#[test]
fn a_field_code_is_written_with_its_escapes_and_a_part_of_one_is_reported() {
    let word = |code: &str| {
        format!(
            "<w:p xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'>\
             <w:instrText>{code}</w:instrText></w:p>"
        )
    };
    for (code, absolute) in [
        (r#" HYPERLINK "x" \o "a \"b\"" "#, r#" HYPERLINK "http://h/d/x" \o "a \"b\"" "#),
        (r#"HYPERLINK "..\\x""#, r#"HYPERLINK "http://h/x""#),
        ("RD x", "RD http://h/d/x"),
    ] {
        becomes_absolute(&word(code), &word(absolute));
    }
    for code in
        [r#"HYPERLINK "http://h/"#, "HYPERLINK ", r#"x.html" \o "b""#, "LINK Excel.Sheet.12"]
    {
        let skipped = skipped(&word(code)).into_iter().map(|(reason, ..)| reason);
        assert_eq!(skipped.collect::<Vec<_>>(), [SkipReason::FieldCode], "{code}");
    }
    for code in [r#"HYPERLINK \l "a""#, "PAGE", r#"TOC \o "1-3""#, ""] {
        assert_eq!(skipped(&word(code)), [], "{code}");
    }
}

#[test]
fn charsets() {
    const TEXT: &str = "<rss><link>日本/x</link><url>y</url></rss>";
    let expected = TEXT.replace("日本/x", "http://h/d/日本/x").replace(">y", ">http://h/d/y");
    let encode = |label: &str, text: &str| match label {
        "utf-16le" => text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>(),
        "utf-16be" => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        _ => encoding_rs::Encoding::for_label(label.as_bytes())
            .map_or(vec![], |encoding| encoding.encode(text).0.into_owned()),
    };
    let check = |input: Vec<u8>, expected: Vec<u8>| {
        let context = at_url();
        let rewritten = absolutize(unit(&input, Media::XML, &context), &Options::default());
        assert_eq!(rewritten.report.skipped, []);
        assert_eq!(rewritten.report.counts.get(Outcome::Rewritten), 2);
        let output = output(rewritten, &input);
        assert_eq!(output, expected, "{:?}", String::from_utf8_lossy(&input));
    };
    for label in ["shift_jis", "euc-jp", "gb18030", "iso-2022-jp", "utf-8", "big5"] {
        let declared =
            |text: &str| encode(label, &format!("<?xml version='1.0' encoding='{label}'?>{text}"));
        check(declared(TEXT), declared(&expected));
    }
    for label in ["utf-16le", "utf-16be"] {
        for start in [
            "\u{FEFF}",
            "\u{FEFF}<?xml version='1.0' encoding='UTF-16'?>",
            "<?xml version='1.0' encoding='UTF-16'?>",
        ] {
            let whole = |text: &str| encode(label, &format!("{start}{text}"));
            check(whole(TEXT), whole(&expected));
        }
    }
    // A byte order mark takes precedence over a declaration, and means UTF-8 if there is none.
    for start in [
        "\u{FEFF}<?xml version='1.0' encoding='iso-8859-1'?>",
        "\u{FEFF}",
        "<?xml version='1.0'?>",
        "",
    ] {
        check(format!("{start}{TEXT}").into_bytes(), format!("{start}{expected}").into_bytes());
    }
    // A document in an unknown charset is skipped.
    for label in ["utf-7", "klingon", "ebcdic-cp-us"] {
        let document = format!("<?xml version='1.0' encoding='{label}'?>{TEXT}");
        assert_eq!(skipped(&document), [(SkipReason::Charset, 0, SkipScope::Unit)]);
    }
    assert_eq!(Charset::for_label(b"klingon"), None);
}

#[test]
fn invalid_bytes_survive() {
    let context = at_url();
    let input = b"<rss><title>\xFF\xC3</title><link>a\xE9/x</link><url>y</url></rss>";
    let expected =
        b"<rss><title>\xFF\xC3</title><link>http://h/d/a\xE9/x</link><url>http://h/d/y</url></rss>";
    let rewritten = absolutize(unit(input, Media::XML, &context), &Options::default());
    assert_eq!(output(rewritten, input), expected);
}

#[test]
fn what_is_not_well_formed_is_skipped_where_it_breaks() {
    #[rustfmt::skip]
    let cases: &[(&str, SyntaxError, &str)] = &[
        ("<a><b></a>", SyntaxError::EndTag, "</a>"),
        ("<a></a></b>", SyntaxError::EndTag, "</b>"),
        ("<a><b>", SyntaxError::NoEndTag, "<b>"),
        ("<a><b/>", SyntaxError::NoEndTag, "<a>"),
        ("<a/><b/>", SyntaxError::Outside, "<b/>"),
        ("<a/>x", SyntaxError::Outside, "x"),
        ("x<a/>", SyntaxError::Outside, "x"),
        ("<a/>&amp;", SyntaxError::Outside, "&amp;"),
        ("<![CDATA[x]]><a/>", SyntaxError::Outside, "<!["),
        ("<a b='c' b='d'/>", SyntaxError::Duplicate, "b='d'"),
        ("<a b=c/>", SyntaxError::Attribute, "<a"),
        ("<a b/>", SyntaxError::Attribute, "<a"),
        ("<a b='<'/>", SyntaxError::Attribute, "<'"),
        ("<a b='c'd='e'/>", SyntaxError::Attribute, "d="),
        ("<a b='c", SyntaxError::Unclosed, "<a"),
        ("<a><!-- b", SyntaxError::Unclosed, "<!--"),
        ("<a><![CDATA[ b", SyntaxError::Unclosed, "<!["),
        ("<a><?b", SyntaxError::Unclosed, "<?b"),
        ("<a><!-- b -- c --></a>", SyntaxError::Comment, "-- c"),
        ("<a>b & c</a>", SyntaxError::Ampersand, "& c"),
        ("<a>b &c</a>", SyntaxError::Ampersand, "&c"),
        ("<a>&#0;</a>", SyntaxError::Ampersand, "&#0;"),
        ("<a b='?c=d&e=f'/>", SyntaxError::Ampersand, "&e"),
        ("<a>&nbsp;</a>", SyntaxError::Entity, "&nbsp;"),
        ("<a b='&nbsp;'/>", SyntaxError::Entity, "&nbsp;"),
        ("< a/>", SyntaxError::Tag, "< a"),
        ("<1/>", SyntaxError::Tag, "<1"),
        (" <?xml version='1.0'?><a/>", SyntaxError::Declaration, "<?xml"),
        ("<a/><?XML x?>", SyntaxError::Declaration, "<?XML"),
        ("<!doctype html><a/>", SyntaxError::Doctype, "<!doctype"),
        ("<a/><!DOCTYPE a>", SyntaxError::Doctype, "<!DOCTYPE"),
        ("<!DOCTYPE a><!DOCTYPE a><a/>", SyntaxError::Doctype, "<!DOCTYPE a><a"),
        ("<!DOCTYPE a SYSTEM><a/>", SyntaxError::Doctype, "><a"),
        ("<!DOCTYPE a [<!ELEMENT a ANY>x]><a/>", SyntaxError::Doctype, "x]"),
        ("<!DOCTYPE a [<!ELEMENT>]><a/>", SyntaxError::Doctype, "<!ELEMENT>"),
        ("<!DOCTYPE a [<!-- -- -->]><a/>", SyntaxError::Doctype, "<!--"),
        ("<!DOCTYPE a [<!ENTITY b>]><a/>", SyntaxError::Doctype, ">]"),
        ("<!DOCTYPE a [<!ENTITY b 'c' d>]><a/>", SyntaxError::Doctype, "<!ENTITY"),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&d;</a>", SyntaxError::Entity, "&d;"),
        ("<a>&1;</a>", SyntaxError::Ampersand, "&1;"),
        ("<a>b\u{1}</a>", SyntaxError::Character, "\u{1}"),
        ("<a>\u{FFFE}</a>", SyntaxError::Character, "\u{FFFE}"),
        ("<a>b]]></a>", SyntaxError::SectionEnd, "]]>"),
        ("<?1 x?><a/>", SyntaxError::Instruction, "<?1"),
        ("<a 1='b'/>", SyntaxError::Attribute, "1="),
        ("<a/>\n b", SyntaxError::Outside, "b"),
        ("<?xml?><a/>", SyntaxError::Declaration, "<?xml"),
        ("<?xml version='1.0' standalone='maybe'?><a/>", SyntaxError::Declaration, "<?xml"),
        ("<?xml version='1.0'encoding='utf-8'?><a/>", SyntaxError::Declaration, "<?xml"),
        ("", SyntaxError::NoRoot, ""),
        ("<!-- x -->", SyntaxError::NoRoot, ""),
    ];
    for (document, error, place) in cases {
        let at = if place.is_empty() {
            document.len()
        } else {
            document.find(place).unwrap_or_default()
        };
        assert_eq!(
            skipped(document),
            [(SkipReason::Malformed(*error), at, SkipScope::Unit)],
            "{document}"
        );
        let input = format!("{document} ");
        let context = at_url();
        let rewritten =
            absolutize(unit(input.as_bytes(), Media::XML, &context), &Options::default());
        assert_eq!(rewritten.into_output(), None);
    }
}

#[test]
fn what_is_well_formed_is_not_taken_for_broken() {
    for document in [
        "\u{FEFF}<?xml version=\"1.0\" encoding=\"UTF-8\" standalone='yes' ?>\r\n<a/>\r\n<!-- b --><?c d?>\n",
        "<a  b = 'c>d'\n\te=\"f\"  ></a  >",
        "<_a:b xmlns:_a='urn:x'/>",
        "<é/>",
        "<!DOCTYPE a [<!ATTLIST a b CDATA \"]>\" c ID #IMPLIED><?x ]> ?>\n]  ><a/>",
        "<a>&#x10FFFF;&#9;&lt;]] ></a>",
        "<a><![CDATA[<b>&c]]]]><![CDATA[>]]></a>",
        "<a b='&#10;'/>",
        "<!DOCTYPE a [<!ENTITY % b SYSTEM 'c'>%b;]><a>&d;</a>",
        "<!DOCTYPE a [<!ENTITY b SYSTEM 'c' NDATA d><!ENTITY % e \"f\"><!NOTATION g PUBLIC 'h'>]><a/>",
    ] {
        assert_eq!(skipped(document), [], "{document}");
    }
}

/// HTML in an entry does not affect the targets of the links of the feed.
#[test]
fn a_base_element_in_a_feed_is_not_its_base() {
    let feed = |href: &str| {
        format!(
            "<feed xmlns='http://www.w3.org/2005/Atom'><link href='{href}x'/><entry><content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'><base href='http://i/'/><a href='{href}y'/></div></content></entry></feed>"
        )
    };
    becomes_absolute(&feed(""), &feed("http://h/d/"));
    becomes_relative(&feed("http://h/d/"), &feed(""));
}

#[test]
fn a_codebase_is_relative_to_the_base_of_its_element() {
    let page = |base: &str, url: &str| {
        format!(
            "<html xmlns='http://www.w3.org/1999/xhtml'><body xml:base='{base}'><object codebase='{base}c/' archive='{url}'/></body></html>"
        )
    };
    let input = page("http://i/", "x").replace("http://i/c/", "c/");
    let options = Options::default().with_xml_base(XmlBase::Everywhere);
    let context = at_url();
    let rewritten = absolutize(unit(input.as_bytes(), Media::XML, &context), &options);
    let output = rewritten.into_output().map(|output| String::from_utf8(output).unwrap());
    assert_eq!(output, Some(page("http://i/", "http://i/c/x")));
}

/// HTML standard 4.12.1.1: the text of the element counts, whichever parser made it.
#[test]
fn scripts_that_are_data() {
    let page = |open: &str, map: &str, close: &str| {
        format!(
            "<html xmlns='http://www.w3.org/1999/xhtml'><script type='importmap'>{open}{{\"imports\":{{\"a\":\"{map}&amp;\"}}}}{close}</script></html>"
        )
    };
    becomes_absolute(&page("", "./x", ""), &page("", "http://h/d/x", ""));
    let cdata = |map: &str| page("<![CDATA[", map, "]]>");
    becomes_absolute(&cdata("./x"), &cdata("http://h/d/x"));
    let based = |href: &str, map: &str| {
        page("", map, "").replace("<script", &format!("<base href='{href}'/><script"))
    };
    becomes_relative(&based("http://h/e/", "./x"), &based("", "../e/x"));
}
