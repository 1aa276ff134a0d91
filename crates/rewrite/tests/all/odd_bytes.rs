//! Old charsets and odd bytes, in both directions: declared late, wrongly or twice; trail bytes
//! that look like ASCII; invalid bytes. Encoding standard; HTML standard 13.2.3; CSS Syntax level
//! 3, section 3.2. Every byte outside of an edit is the input's.

use relink_rewrite::{Command, Edit, Media, MessageFraming, Options, Relative, Span};

use crate::listing::{self, at_url, make_absolute, make_relative, unit};

/// Asserts both directions, where `⟦x⟧` is a reference: `x` relative, `http://h/d/x` absolute. The
/// bytes are those of the ISO 8859-1 text.
#[track_caller]
fn check(media: Media, marked: &str) {
    let bytes = |front: &str| -> Vec<u8> {
        let text = marked.replace('⟦', front).replace('⟧', "");
        text.chars().map(|char| u8::try_from(u32::from(char)).expect("one byte")).collect()
    };
    let (relative, absolute) = (bytes(""), bytes("http://h/d/"));
    let context = at_url();
    let options = Options::default();
    let found = make_absolute(unit(&relative, media, &context), &options).into_output();
    let shown = |bytes: Option<Vec<u8>>| bytes.map(|bytes| bytes.escape_ascii().to_string());
    assert_eq!(shown(found), shown(Some(absolute.clone())), "made absolute");
    let found = make_relative(unit(&absolute, media, &context), &options, &Relative::default());
    assert_eq!(shown(found.into_output()), shown(Some(relative)), "made relative");
}

#[track_caller]
fn html(marked: &str) {
    check(Media::HTML, marked);
}

#[track_caller]
fn css(marked: &str) {
    check(Media::CSS, marked);
}

/// Asserts the decoded texts of the references of a style sheet.
#[track_caller]
fn check_css(sheet: &[u8], expected: &[&str]) {
    let found: Vec<String> = listing::css(sheet).into_iter().map(|found| found.text).collect();
    assert_eq!(found, expected);
}

/// Asserts the decoded texts of the references of an HTML document.
#[track_caller]
fn check_html(document: &[u8], expected: &[&str]) {
    let found: Vec<String> = listing::html(document).into_iter().map(|found| found.text).collect();
    assert_eq!(found, expected);
}

/// The second bytes of these characters are a backslash, a brace and characters near a quote; a
/// parser of ASCII would see an escape.
#[test]
fn trail_bytes_in_style_sheets() {
    for (label, char) in [
        ("shift_jis", "\u{83}\\"),
        ("shift_jis", "\u{95}\\"),
        ("shift_jis", "\u{83}{"),
        ("shift_jis", "\u{83}}"),
        ("shift_jis", "\u{83}@"),
        ("gbk", "\u{81}\\"),
        ("gbk", "\u{81}}"),
        ("big5", "\u{A5}\\"),
        ("big5", "\u{A5}|"),
        ("gb18030", "\u{81}\\"),
    ] {
        css(&format!("@charset \"{label}\";a{{b:url(⟦{char}.png⟧)}}"));
        css(&format!("@charset \"{label}\";a{{b:url(⟦x{char}⟧)}}c{{d:url(⟦y⟧)}}"));
        css(&format!("@charset \"{label}\";@import \"⟦{char}⟧\";@import '⟦{char}{char}⟧';"));
        css(&format!(
            "@charset \"{label}\";a::before{{content:\"{char}\"}}/*{char}*/a{{b:url(\"⟦x⟧\")}}"
        ));
        html(&format!(
            "<meta charset={label}><style>{char}{{b:url(⟦{char}⟧)}}</style><p style='b:url(⟦{char}⟧)'>{char}<a href=⟦{char}⟧><img srcset='⟦{char}⟧ 1x,⟦y{char}⟧ 2x'>"
        ));
    }
    check_css(b"@charset \"shift_jis\";a{b:url(\x83\x5C.png)}", &["ソ.png"]);
    check_css(b"@charset \"shift_jis\";@import '\x95\x5C';", &["\u{8868}"]);
    // With another declared charset the byte is a backslash, and the next character is escaped.
    check_css(b"@charset \"windows-1252\";a{b:url(\x83\x5C.png)}", &["\u{192}.png"]);
}

#[test]
fn four_bytes_of_gb18030() {
    for char in ["\u{81}0\u{81}0", "\u{94}9\u{FC}6", "\u{81}0\u{89}8"] {
        html(&format!(
            "<meta charset=gb18030><a href='⟦{char}⟧'>{char}<a href=⟦0{char}9⟧><img srcset='⟦{char}1⟧ 1x,⟦2{char}⟧'>"
        ));
        css(&format!("@charset \"gb18030\";a{{b:url(⟦{char}⟧);c:url(\"⟦1{char}⟧\")}}"));
    }
    check_html(b"<meta charset=gb18030><a href='\x94\x39\xFC\x36x'>", &["\u{1F600}x"]);
    // Half a character stays unchanged.
    html("<meta charset=gb18030><a href='⟦x\u{81}0⟧'><a href='⟦y\u{81}0\u{81}⟧'>");
    check_html(b"<meta charset=gb18030><a href='x\x81\x30'>", &["x%810"]);
}

#[test]
fn charsets_of_style_sheets() {
    // CSS Syntax 3.2: these bytes at the very beginning, and nothing else.
    check_css(b"@charset \"windows-1251\";a{b:url(\xE9)}", &["й"]);
    check_css(b"@charset \"windows-1251\";@charset \"koi8-r\";a{b:url(\xE9)}", &["й"]);
    for other in [
        "@charset 'windows-1251';",
        "@charset  \"windows-1251\";",
        "@CHARSET \"windows-1251\";",
        " @charset \"windows-1251\";",
        "@charset \"windows-1251\" ;",
        "@charset \"klingon\";@charset \"windows-1251\";",
        "@charset windows-1251;",
    ] {
        check_css(&[other.as_bytes(), b"a{b:url(\xE9)}"].concat(), &["é"]);
    }
    // With a wrong declaration the bytes are invalid, and stay.
    check_css(b"@charset \"utf-8\";a{b:url(\xE9)}", &["%E9"]);
    css("@charset \"utf-8\";a{b:url(⟦x\u{E9}⟧)}");
    check_css(b"@charset \"utf-16le\";a{b:url(\xC3\xA9)}", &["é"]);
    // A byte order mark takes precedence.
    check_css(b"\xEF\xBB\xBF@charset \"windows-1251\";a{b:url(\xC3\xA9)}", &["é"]);
}

#[test]
fn metas_that_come_twice() {
    check_html(b"<meta charset=windows-1251><meta charset=koi8-r><a href='\xE9'>", &["й"]);
    check_html(b"<meta charset=utf-8 charset=windows-1251><a href='\xE9'>", &["%E9"]);
    check_html(b"<meta http-equiv=content-type content='text/html; charset=koi8-r' charset=windows-1251><a href='\xE9'>", &["й"]);
    let far = |metas: &str| {
        [format!("<head><!--{}-->{metas}", "x".repeat(1100)).as_bytes(), b"<a href='\xE9'>"]
            .concat()
    };
    check_html(&far("<meta charset=windows-1251><meta charset=koi8-r>"), &["й"]);
    // One is near and one is far: the parser restarts only if no charset was known.
    check_html(
        &[b"<meta charset=windows-1251>", &far("<meta charset=koi8-r>")[..]].concat(),
        &["й"],
    );
    html(&format!("<!--{}--><meta charset=shift_jis><a href='⟦\u{83}\\x⟧'>", "x".repeat(1100)));
}

/// HTML standard 13.2.3.2: an XML declaration counts if no `<meta>` declares a charset.
#[test]
fn xml_declarations() {
    let check = |head: &str, expected: &str| {
        check_html(&[head.as_bytes(), b"<a href='\xE9'>"].concat(), &[expected])
    };
    check("<?xml version=\"1.0\" encoding=\"windows-1251\"?>", "й");
    check("<?xml version='1.0' encoding = 'windows-1251'?>", "й");
    check("<?xml encoding=\"utf-8\"?>", "%E9");
    check("<?xml encoding='utf-16le'?>", "%E9");
    check("<?xml version=\"1.0\" encoding=\"windows-1251\"?><meta charset=koi8-r>", "И");
    for other in [
        " <?xml encoding='windows-1251'?>",
        "<?xml encoding=windows-1251?>",
        "<?xml encoding=' windows-1251'?>",
        "<?XML encoding='windows-1251'?>",
        "<?xml encoding>='windows-1251'?>",
        "<?xml encoding='klingon'?>",
    ] {
        check(other, "é");
    }
    html("<?xml version=\"1.0\" encoding=\"shift_jis\"?><a href='⟦\u{83}\\x⟧'>");
}

fn utf_16(text: &str, is_big: bool) -> Vec<u8> {
    text.encode_utf16()
        .flat_map(|unit| if is_big { unit.to_be_bytes() } else { unit.to_le_bytes() })
        .collect()
}

/// Browsers do not guess UTF-16: without a mark only an XML declaration reveals it.
#[test]
fn utf_16_without_a_mark() {
    let context = at_url();
    for is_big in [false, true] {
        let plain = utf_16("<p><a href=x>\u{E9}</a>", is_big);
        check_html(&plain, &[]);
        check_css(&utf_16("a{b:url(x)}", is_big), &[]);
        assert_eq!(
            make_absolute(unit(&plain, Media::HTML, &context), &Options::default()).into_output(),
            None
        );
        let declared = utf_16("<?xml version='1.0'?><a href='\u{E9}/x'>", is_big);
        let output = make_absolute(unit(&declared, Media::HTML, &context), &Options::default())
            .into_output();
        assert_eq!(
            output,
            Some(utf_16("<?xml version='1.0'?><a href='http://h/d/\u{E9}/x'>", is_big))
        );
        let back = make_relative(
            unit(&output.unwrap_or_default(), Media::HTML, &context),
            &Options::default(),
            &Relative::default(),
        );
        assert_eq!(back.into_output(), Some(declared));
    }
}

/// No browser reads UTF-7: escapes of it are text, even where it is declared.
#[test]
fn utf_7() {
    for head in [
        "",
        "<meta charset=utf-7>",
        "<meta http-equiv=content-type content='text/html; charset=utf-7'>",
    ] {
        html(&format!("{head}+ADw-a href=x+AD4- <a href=⟦+AOk-⟧>+ADw-"));
        check_html(format!("{head}+ADw-a href=x+AD4-").as_bytes(), &[]);
    }
    css("@charset \"utf-7\";a{b:url(⟦+AOk-⟧)}/*+ACo-*/");
}

#[test]
fn bytes_that_are_no_characters() {
    for charset in ["utf-8", "shift_jis", "euc-jp", "gb18030", "big5", "euc-kr"] {
        for bytes in ["\u{FF}", "\u{80}\u{FF}", "\u{FF}\u{FF}"] {
            html(&format!(
                "<meta charset={charset}>{bytes}<a href='⟦{bytes}⟧'>{bytes}<a href=⟦x{bytes}⟧><a href=\"⟦{bytes}x{bytes}⟧\" title='{bytes}'>\
                 <img srcset='⟦{bytes}⟧ 1x, ⟦x{bytes}⟧ 2x,⟦y⟧ {bytes}'><p style='b:url(⟦{bytes}⟧)'><style>b:url(⟦x{bytes}⟧);c:url(\"⟦{bytes}⟧\")</style>"
            ));
            css(&format!(
                "@charset \"{charset}\";a{{b:url(⟦{bytes}⟧);c:url('⟦x{bytes}⟧')}}/*{bytes}*/@import \"⟦{bytes}y⟧\";"
            ));
        }
    }
    // The first byte of a character directly before the end of the value, or of the reference.
    html(
        "<meta charset=shift_jis><a href='⟦x\u{83}⟧'><a href=⟦x\u{83}⟧ ><img srcset='⟦x\u{83}⟧ 1x'>",
    );
    html(
        "<meta charset=utf-8><a href='⟦\u{C3}⟧'><a href='⟦x\u{E2}\u{82}⟧&amp;y'><img srcset='⟦\u{C3}⟧, ⟦\u{E2}\u{82}⟧ 2x'>",
    );
    // NULs.
    html("<meta charset=utf-8><a href='⟦x\0y⟧'>\0<p style='b:url(⟦\0⟧)'>");
}

/// The escape of a character in the query of a base does not begin a template.
#[test]
fn a_base_whose_query_has_an_angle_bracket_before_a_character() {
    let page = b"<meta charset=windows-1252><base href='e/?<\xE9'><a href=x>";
    let (found, _) = listing::list(unit(page, Media::HTML, &at_url()), &Options::default());
    assert_eq!(found[1].target.as_deref(), Some("http://h/d/e/x"));
}

/// A wrong edit that moves a byte across the end of an encoded body: the line end that ends the
/// body, or belongs to the line after it.
#[test]
fn no_byte_leaves_or_enters_an_encoded_body() {
    for (encoding, body) in [("quoted-printable", "<a href=3Dx>"), ("quoted-printable", "")] {
        let message = format!(
            "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n{body}\r\n--b--\r\n"
        );
        let at = message.find("\n--b--").expect("the end of the part");
        let context = at_url();
        let media = Media::Message(MessageFraming::None);
        let unit = unit(message.as_bytes(), media, &context);
        let space = Edit { span: Span::new(at, at), text: b" "[..].into(), id: 0 };
        let honest = Command::Absolutize.run(unit, &Options::default());
        let mut edits = honest.edits.as_slice().to_vec();
        edits.push(space);
        let wrong = Command::Absolutize.prove(unit, &Options::default(), &edits);
        assert!(wrong.verify_error().is_some(), "{body}: {:?}", wrong.into_output());
    }
}
