//! Messages made absolute and relative, byte for byte: in quoted-printable, base64 and as they
//! stand, in headings, and between parts.

use std::ffi::OsStr;

use crate::dir::TestDir;

const MESSAGE: &str = "--type message/rfc822 -q";

/// What becomes of a message, read from standard input.
#[track_caller]
fn becomes(command: &str, message: &str, expected: &str) {
    let run = TestDir::new().pipe(&format!("{command} - {MESSAGE}"), message.as_bytes()).exits(0);
    assert_eq!(run.text(), expected, "{command}");
    // A second run changes nothing.
    let run = TestDir::new().pipe(&format!("{command} - {MESSAGE}"), expected.as_bytes()).exits(0);
    assert_eq!(run.text(), expected, "{command}, a second time");
}

/// The same, also with CRLF for LF.
#[track_caller]
fn becomes_in_both(command: &str, message: &str, expected: &str) {
    becomes(command, message, expected);
    let [message, expected] = [message, expected].map(|text| text.replace('\n', "\r\n"));
    becomes(command, &message, &expected);
}

/// A body in quoted-printable, alone.
#[track_caller]
fn quoted(command: &str, body: &str, expected: &str) {
    let message = |body: &str| {
        format!("Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n{body}")
    };
    becomes_in_both(command, &message(body), &message(expected));
}

/// The same in a multipart, where no line may begin as a delimiter.
#[track_caller]
fn quoted_in_multipart(command: &str, body: &str, expected: &str) {
    let message = |body: &str| {
        format!(
            "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\n\
             Content-Transfer-Encoding: Quoted-Printable\n\n{body}\n--b--\n"
        )
    };
    becomes_in_both(command, &message(body), &message(expected));
}

const HERE: &str = "absolutize --base http://h.example/d/e/";

#[test]
fn soft_line_breaks_stay_where_they_are() {
    quoted(
        HERE,
        "<a href=3D\"../a=\nb.html\">x</a> and a soft =\nbreak, a hard\none =20\nand <b cl=\nass=3Dc>\n",
        "<a href=3D\"http://h.example/d/a=\nb.html\">x</a> and a soft =\nbreak, a hard\none =20\nand <b cl=\nass=3Dc>\n",
    );
    // A break amid the part that changes goes with that.
    quoted(HERE, "<a href=3D\".=\n./a.html\">", "<a href=3D\"http://h.example/d/a.html\">");
    // White space after the sign of a soft line break, escapes in lower case, and signs that begin
    // nothing.
    quoted(
        HERE,
        "<a href=3d\"a= \t\n=62.html\"> = =x",
        "<a href=3d\"http://h.example/d/e/a= \t\n=62.html\"> = =x",
    );
}

#[test]
fn what_is_new_is_escaped() {
    quoted(
        "absolutize --base http://h.example/?",
        "<a href=3D\"?a=3Db\">",
        "<a href=3D\"http://h.example/?a=3Db\">",
    );
    quoted(
        "absolutize --base http://h.example/a=b/",
        "<a href=3Dc>",
        "<a href=3Dhttp://h.example/a=3Db/c>",
    );
}

/// Lines have at most 76 characters, the `=` of a soft line break included (RFC 2045 6.7 (5)).
#[test]
fn soft_line_breaks_are_put_into_new_text_only() {
    let long = "x".repeat(90);
    let command = format!("absolutize --base http://h.example/{long}/");
    // `<a href=3D"` has 11 characters, `http://h.example/` 17: 47 of the path fit on the first
    // line, and 43 are left.
    let body = "<a href=3D\"page.html\">and a text that stays on the line that it was on</a>\n";
    let rest = body.split_at(11).1;
    let (first, second) = ("x".repeat(47), "x".repeat(43));
    let expected = format!("<a href=3D\"http://h.example/{first}=\n{second}/=\n{rest}");
    quoted(&command, body, &expected);
    // What follows fits.
    let expected = format!("<a href=3D\"http://h.example/{first}=\n{second}/p\">\n");
    quoted(&command, "<a href=3D\"p\">\n", &expected);
    // Lines that are longer in this part already may be as long as the longest.
    let text = "y".repeat(150);
    let body = format!("{text}\n<a href=3D\"p\">\n");
    quoted(&command, &body, &format!("{text}\n<a href=3D\"http://h.example/{long}/p\">\n"));
}

#[test]
fn no_escape_is_broken_up() {
    // 75 characters may stand before the sign: 11, 17, 46 letters, and one place is left, in which
    // no escape fits.
    let long = "x".repeat(46);
    quoted(
        &format!("absolutize --base http://h.example/{long}=/"),
        "<a href=3D\"p\">\n",
        &format!("<a href=3D\"http://h.example/{long}=\n=3D/p\">\n"),
    );
}

/// It may stand before or after what is emptied between it (found by fuzzing).
#[test]
fn white_space_around_an_emptied_base_stays() {
    let message = |body: &str| {
        format!(
            "Content-Type: text/html\nContent-Location: http://h/d/p\nContent-Transfer-Encoding: quoted-printable\n\n{body}\n"
        )
    };
    becomes_in_both(
        "relativize --base http://h/",
        &message("<base href=3D\" http://h/e/ \"><a href=3Dx>=C3=A9</a>"),
        &message("<base href=3D\"  \"><a href=3D../e/x>=C3=A9</a>"),
    );
}

#[test]
fn no_line_becomes_a_delimiter() {
    // 11 and 9 characters and 55 letters fill the line up to the two hyphens.
    let long = "x".repeat(55);
    let command = format!("absolutize --base http://h/{long}--b/");
    let body = "<a href=3D\"p\">\n";
    quoted_in_multipart(&command, body, &format!("<a href=3D\"http://h/{long}=\n-=2Db/p\">\n"));
    quoted(&command, body, &format!("<a href=3D\"http://h/{long}=\n--b/p\">\n"));
    // What stays would come to stand there: its first letter is written again.
    let body = "<a href=3D\"=\nhttp://h/--b\">";
    quoted_in_multipart("relativize --base http://h/", body, "<a href=3D\"=\n=2D-b\">");
    quoted("relativize --base http://h/", body, "<a href=3D\"=\n--b\">");
    let in_multipart = |line: &str| {
        format!(
            "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\n\n<a href=\n{line}>\n--b--\n"
        )
    };
    // Where nothing can be escaped the reference is left.
    let message = in_multipart("http://h/--b");
    becomes_in_both("relativize --base http://h/", &message, &message);
    becomes_in_both(
        "relativize --base http://h/",
        &in_multipart("http://h/-b"),
        &in_multipart("-b"),
    );
}

/// The line end before a delimiter is the delimiter's, but it says what line ends are here.
#[test]
fn a_single_line_has_the_line_ends_of_the_message() {
    let long = "x".repeat(70);
    let command = format!("absolutize --base http://h/{long}/");
    let (first, second) = ("x".repeat(55), "x".repeat(15));
    let expected = format!("<a href=3D\"http://h/{first}=\n{second}/p\">");
    quoted_in_multipart(&command, "<a href=3D\"p\">", &expected);
}

#[test]
fn lines_that_stand_as_they_are_do_not_become_too_long() {
    let message = |n: usize, url: &str| {
        format!(
            "Content-Type: text/html\nContent-Transfer-Encoding: 8bit\n\n<p>{}<a href={url}>\n",
            "x".repeat(n)
        )
    };
    // 3 + n + 8 + 1 characters, and the URL: 998 are allowed (RFC 5322 2.1.1).
    let url = "http://h.example/d/e/p";
    let n = 998 - 3 - 8 - 1 - url.len();
    becomes_in_both(HERE, &message(n, "p"), &message(n, url));
    becomes_in_both(HERE, &message(n + 1, "p"), &message(n + 1, "p"));
}

#[test]
fn base64_keeps_its_width_and_line_ends() {
    let dir = TestDir::with_fixture("mail");
    let old = dir.text("mail/base64-html.eml");
    dir.relink("absolutize mail/base64-html.eml -o out.eml -q").exits(0);
    let new = dir.text("out.eml");
    let body = |text: &str| -> Vec<String> {
        let (_, body) = text.split_once("\r\n\r\n").expect("a heading");
        assert!(body.ends_with("\r\n") && !body.replace("\r\n", "").contains(['\r', '\n']));
        body.lines().map(str::to_owned).collect()
    };
    let (old_lines, new_lines) = (body(&old), body(&new));
    assert_eq!(new.split("\r\n\r\n").next(), old.split("\r\n\r\n").next());
    let (last, full) = new_lines.split_last().unwrap();
    assert!(full.iter().all(|line| line.len() == 60) && last.len() <= 60, "{new_lines:?}");
    // 71 bytes stand before the first reference: 23 groups are not touched, the first 92
    // characters.
    let joined = |lines: &[String]| lines.concat();
    assert_eq!(joined(&new_lines)[..92], joined(&old_lines)[..92]);
    let text = crate::mail::base64(joined(&new_lines).as_bytes());
    let expected = "<html><head><title>Tides</title></head>\r\n<body><p>High water: \
        <a href=\"http://www.harbour-light.example/tides/high.html\">table</a></p>\r\n<p>Low water: \
        <a href='http://www.harbour-light.example/tides/low.html'>table</a> \
        <img src=http://www.harbour-light.example/img/l.gif></p>\r\n</body></html>\r\n";
    assert_eq!(String::from_utf8_lossy(&text), expected);
}

/// One line that is not full says nothing of the width: lines have at most 76 characters (RFC 2045
/// 6.8).
#[test]
fn base64_in_a_single_line_does_not_become_too_long() {
    let command = format!("absolutize --base http://h/{}/ - {MESSAGE}", "x".repeat(600));
    let message =
        "Content-Type: text/html\nContent-Transfer-Encoding: base64\n\nPGEgaHJlZj1wPg==\n";
    let run = TestDir::new().pipe(&command, message.as_bytes()).exits(0);
    assert!(run.text().lines().all(|line| line.len() <= 76), "{run}");
}

#[test]
fn base64_without_padding_or_a_last_line_end() {
    // "<a href=p>" is PGEgaHJlZj1wPg, "<a href=http://h/p>" is PGEgaHJlZj1odHRwOi8vaC9wPg.
    let message = |body: &str| {
        format!("Content-Type: text/html\nContent-Transfer-Encoding: base64\n\n{body}")
    };
    let command = "absolutize --base http://h/";
    becomes_in_both(
        command,
        &message("PGEgaHJl\nZj1wPg==\n"),
        &message("PGEgaHJl\nZj1odHRw\nOi8vaC9w\nPg==\n"),
    );
    becomes_in_both(
        command,
        &message("PGEgaHJl\nZj1wPg=="),
        &message("PGEgaHJl\nZj1odHRw\nOi8vaC9w\nPg=="),
    );
    becomes_in_both(
        command,
        &message("PGEgaHJl\nZj1wPg"),
        &message("PGEgaHJl\nZj1odHRw\nOi8vaC9w\nPg"),
    );
}

#[test]
fn a_message_in_base64_is_read_and_written() {
    let dir = TestDir::with_fixture("mail");
    dir.relink("absolutize mail/base64-message.eml -o out.eml -q").exits(0);
    let text = dir.text("out.eml");
    let (_, encoded) = text.split_once("base64\n\n").unwrap();
    let (encoded, _) = encoded.split_once("--out--").unwrap();
    assert!(encoded.lines().rev().skip(1).all(|line| line.len() == 72), "{encoded}");
    let inner = String::from_utf8(crate::mail::base64(encoded.as_bytes())).unwrap();
    let expected = "From: b@harbour-light.example\nSubject: inside\nMIME-Version: 1.0\n\
        Content-Base: http://inner.example/x/\nContent-Type: multipart/mixed; boundary=in\n\n--in\n\
        Content-Type: text/html\n\n<a href=\"http://inner.example/x/y.html\">y</a>\n--in\n\
        Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n\
        <a href=3D\"http://inner.example/z.h=\ntml\">z</a>\n--in--\n";
    assert_eq!(inner, expected);
}

#[test]
fn utf_16_and_iso_2022_jp() {
    let dir = TestDir::with_fixture("mail");
    dir.relink("absolutize mail/utf-16.eml -o utf-16.eml -q").exits(0);
    let text = dir.text("utf-16.eml");
    let (_, encoded) = text.split_once("base64\n\n").unwrap();
    let bytes = crate::mail::base64(encoded.as_bytes());
    let units: Vec<u16> =
        bytes.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect();
    let here = "http://www.harbour-light.example/";
    let expected = format!(
        "\u{FEFF}<html><body><a href=\"{here}t\u{FC}r.html\">T\u{FC}r</a> <a href=\"{here}\u{706F}.html\">\u{706F}\u{53F0}</a></body></html>"
    );
    assert_eq!(String::from_utf16(&units).unwrap(), expected);

    dir.relink("absolutize mail/iso-2022-jp.eml -o jp.eml -q").exits(0);
    let old = dir.text("mail/iso-2022-jp.eml");
    // The reference is written where the letters are ASCII, before the escape sequence.
    let expected = old.replace("href=\"", &format!("href=\"{here}"));
    assert_eq!(dir.text("jp.eml"), expected);
}

#[test]
fn fields_keep_their_folds_and_comments() {
    let dir = TestDir::with_fixture("mail");
    let text = dir.text("mail/words-and-folds.eml");
    let here = "http://www.harbour-light.example/a-long-way/through/the/";
    let fixed = text
        .replace("=?us-ascii?Q?fog/?=", &format!("{here}harbour/fog/"))
        .replace("<../archive/", &format!("<{here}archive/"));
    dir.relink("relativize mail/words-and-folds.eml -o relative.eml -q").exits(0);
    assert_eq!(dir.text("relative.eml"), fixed);
    let expected = fixed
        .replace("<next.html>", &format!("<{here}harbour/next.html>"))
        .replace("<prev.html>", &format!("<{here}harbour/prev.html>"))
        .replace("'again.html'", &format!("'{here}harbour/again.html'"))
        .replace("\"a.html\"", &format!("\"{here}harbour/a.html\""));
    dir.relink("absolutize mail/words-and-folds.eml -o absolute.eml -q").exits(0);
    assert_eq!(dir.text("absolute.eml"), expected);

    let text = dir.text("mail/external-body.eml");
    let expected = text.replace("\"charts/", "\"ftp://ftp.harbour-light.example/pub/charts/");
    dir.relink("absolutize mail/external-body.eml -o external.eml -q").exits(0);
    assert_eq!(dir.text("external.eml"), expected);
}

#[test]
fn encoded_words_that_are_touched_become_ascii() {
    let message =
        |value: &str| format!("Content-Base: http://h/d/\nLink: <{value}>\nX-URL: {value}\n\n");
    let field = |words: &str| format!("Content-Location: {words}\n\n");
    let command = "absolutize --base http://h/d/";
    becomes_in_both(command, &field("=?utf-8?Q?=C3=A9?="), &field("http://h/d/%C3%A9"));
    becomes_in_both(
        command,
        &field("=?iso-8859-1?B?6Q==?=\n =?us-ascii?Q?a_b?="),
        &field("http://h/d/%C3%A9\n =?us-ascii?Q?a_b?="),
    );
    becomes_in_both(
        command,
        &field("=?utf-8?Q?http=3A//h/=C3=A9?="),
        &field("=?utf-8?Q?http=3A//h/=C3=A9?="),
    );
    becomes_in_both("absolutize", &message("/x"), &message("http://h/x"));
}

#[test]
fn lists_say_where_absolutely() {
    let message = "List-Help: <help>, <mailto:x@h>\nlist-post: NO\nList-Archive : (all) <\n ../archive/>\n\
                   List-Id: <news.h.example>\nArchived-At: <a/1>\nX-URL: x\nSubject: <a href=b>\n\n<a href=c>\n";
    let expected = message
        .replace("<help>", "<http://h.example/d/e/help>")
        .replace("../archive/", "http://h.example/d/archive/")
        .replace("<a/1>", "<http://h.example/d/e/a/1>")
        .replace(": x\n", ": http://h.example/d/e/x\n");
    becomes_in_both(HERE, message, &expected);
}

#[test]
fn locations_are_made_absolute_and_never_relative() {
    let message = |location: &str| {
        format!(
            "Content-Type: multipart/related; boundary=b\nContent-Base: http://h/d/\n\n--b\nContent-Type: text/html\n\
             Content-Location: {location}a.html\n\n<img src=\"b.gif\">\n--b\nContent-Location: {location}b.gif\n\nGIF\n--b--\n"
        )
    };
    let relative = message("http://h/d/");
    becomes_in_both("relativize", &message(""), &relative);
    becomes_in_both("relativize", &relative, &relative);
    let absolute = relative.replace("\"b.gif\"", "\"http://h/d/b.gif\"");
    becomes_in_both("absolutize", &message(""), &absolute);
    becomes_in_both("relativize", &absolute, &relative);
}

#[test]
fn references_by_content_id_stay() {
    let message = "Content-Type: multipart/related; boundary=b\nContent-Base: http://h/d/\n\n--b\nContent-Type: text/html\n\n\
                   <img src=cid:x@h><a href=mid:m@h/x@h>m</a><img src=\"CID:x%40h\">\n--b\nContent-ID: <x@h>\n\nGIF\n--b--\n";
    for command in ["absolutize", "relativize", HERE, "relativize --base http://h/d/"] {
        becomes_in_both(command, message, message);
    }
}

/// RFC 2557 8.2: where nothing is known of the base, the texts are compared.
#[test]
fn a_reference_and_a_relative_location_are_both_rewritten_or_neither() {
    let dir = TestDir::with_fixture("mail");
    let [with_base, without] =
        ["mail/relative-locations.mhtml", "mail/relative-locations-no-base.mhtml"];
    for command in ["absolutize", "relativize"] {
        dir.relink(&format!("{command} {without} -o {command}.mhtml -q"));
        assert_eq!(dir.text(format!("{command}.mhtml")), dir.text(without));
    }
    let saved = "http://www.harbour-light.example/saved/";
    let absolute = |text: &str| {
        let locations = text.replace("Location: page", &format!("Location: {saved}page"));
        let text = locations.replace("\"page_files", &format!("\"{saved}page_files"));
        text.replace("\"other", &format!("\"{saved}other"))
    };
    dir.relink(&format!("absolutize {with_base} -o both.mhtml -q")).exits(0);
    assert_eq!(dir.text("both.mhtml"), absolute(&dir.text(with_base)));
    dir.relink(&format!("absolutize {without} -o given.mhtml --base {saved}x -q")).exits(0);
    assert_eq!(dir.text("given.mhtml"), absolute(&dir.text(without)));

    // The location that is not edited keeps the reference to it; the others are rewritten.
    let locations =
        ["absolutize", with_base, "-o", "kept.mhtml", "--skip", "header Content-Location", "-q"];
    dir.relink_with(&locations.map(OsStr::new)).exits(0);
    let text = dir.text(with_base);
    let expected = text
        .replace("\"page_files/none", &format!("\"{saved}page_files/none"))
        .replace("\"other", &format!("\"{saved}other"));
    assert_eq!(dir.text("kept.mhtml"), expected);
}

#[test]
fn a_saved_page_becomes_relative() {
    let dir = TestDir::with_fixture("mail");
    dir.relink("relativize mail/saved-page.mhtml -o out.mhtml -q");
    // The only reference that is absolute; its soft line break goes with it.
    let expected = dir
        .text("mail/saved-page.mhtml")
        .replace("\"http://www.harbour-light.e=\r\nxample/log/\"", "\"../\"");
    assert_eq!(dir.text("out.mhtml"), expected);
}

#[test]
fn a_saved_page_becomes_absolute() {
    let dir = TestDir::with_fixture("mail");
    dir.relink("absolutize mail/saved-page.mhtml -o out.mhtml -q");
    let here = "http://www.harbour-light.example";
    let expected = dir
        .text("mail/saved-page.mhtml")
        // 70 characters at most, with the soft line break that was there.
        .replace("\"../../css/ma=", &format!("\"{here}/css/ma="))
        // The rest of the line does not fit behind.
        .replace("\"../2003", &format!("\"{here}/log=\r\n/2003"))
        .replace("\"img/lamp", &format!("\"{here}/log/2004/=\r\nimg/lamp"))
        .replace("\"../../tides", &format!("\"{here}/tides"))
        .replace("\"theme", &format!("\"{here}/css/theme"))
        .replace("\"../img", &format!("\"{here}=\r\n/img"))
        .replace("\"tides/", &format!("\"{here}/=\r\ntides/"))
        .replace("=3Dindex", &format!("=3D{here}/=\r\nindex"));
    assert_eq!(dir.text("out.mhtml"), expected);
}
