//! `relink unpack` of messages as mail programs read them: encodings, identifiers, parts whose
//! content is elsewhere, and texts.

use crate::dir::TestDir;

/// The header section of a message up to its media type.
const HEAD: &str = "From: a@x.example\nTo: b@x.example\nSubject: t\nMIME-Version: 1.0\n";

/// A page and pictures in a `multipart/related`. A picture has the fields of its header section
/// but that of its type.
fn related(page: &str, pictures: &[&str]) -> String {
    let mut text = format!(
        "{HEAD}Content-Type: multipart/related; boundary=R\n\n--R\nContent-Type: text/html\n\n{page}\n"
    );
    for (idx, fields) in pictures.iter().enumerate() {
        let data = ["iVBORw0KGgox", "iVBORw0KGgoy", "iVBORw0KGgoz"][idx];
        text.push_str(&format!(
            "--R\nContent-Type: image/png; name=\"{idx}.png\"\n{fields}\n\
             Content-Transfer-Encoding: base64\n\n{data}\n"
        ));
    }
    text + "--R--\n"
}

/// Unpacks a message, and returns its directory.
#[track_caller]
fn unpacked(message: &str) -> TestDir {
    let dir = TestDir::with(&[("m.eml", message)]);
    dir.relink("unpack m.eml -o out -q").exits(0).prints("");
    dir
}

/// Returns the body of a message that was unpacked.
fn body(dir: &TestDir) -> String {
    let text = dir.text("out/m/message.html");
    let (_, body) = text.split_once("'none'\">").expect("a policy");
    body.to_owned()
}

#[test]
fn uuencode_is_decoded() {
    // By Python's `binascii.b2a_uu`.
    let data = "begin 644 page.html\nH/&$@:')E9CTB:'1T<#HO+W@N97AA;7!L92]A+FAT;6PB/G@\\+V$^\"@  \n`\nend\n";
    for name in ["x-uuencode", "uuencode", "X-UUE", "uue", "x-uuencode (old)"] {
        let message = format!(
            "{HEAD}Content-Type: multipart/mixed; boundary=b\n\n--b\n\nhi\n--b\n\
             Content-Type: text/html; name=\"page.html\"\nContent-Transfer-Encoding: {name}\n\n{data}--b--\n"
        );
        let dir = unpacked(&message);
        let page = dir.text("out/m/page.html");
        assert!(page.ends_with("'none'\"><a href=\"http://x.example/a.html\">x</a>\n"), "{page}");
        dir.relink("refs m.eml").exits(0).prints("m.eml:15:1: a[href] http://x.example/a.html\n");
        // An edit replaces the line.
        let run = dir
            .relink("move m.eml -o moved.eml --from http://x.example/ --to http://y.example/")
            .exits(0);
        assert!(run.stderr.contains("1 rewritten"), "{run}");
        dir.relink("refs moved.eml")
            .exits(0)
            .prints("moved.eml:15:1: a[href] http://y.example/a.html\n");
        dir.relink("unpack m.eml -o raw --raw -q").exits(0);
        assert_eq!(dir.text("raw/m/page.html"), "<a href=\"http://x.example/a.html\">x</a>\n");
    }
}

#[test]
fn what_is_not_decoded_is_reported() {
    let message = |encoding: &str, data: &str| {
        format!(
            "{HEAD}Content-Type: image/png; name=a.png\nContent-Transfer-Encoding: {encoding}\n\n{data}"
        )
    };
    let footer = "____\nusers mailing list\nusers@lists.example\n";
    for (encoding, data, expected, reported) in [
        (
            "base64",
            &*format!("iVBORw0KGg==\n{footer}"),
            "\u{89}PNG\r\n\u{1a}",
            "9:1: part 1: text after the encoded data",
        ),
        ("base64", "QUJDRA==\nRUZHSA==\n\n", "ABCDEFGH", ""),
        (
            "base64",
            "QUJDRA==\nRUZHSA==\nlist@lists\n",
            "ABCDEFGH",
            "10:1: part 1: text after the encoded data",
        ),
        ("base64", "QUJDRA==\r\nRUZHSA==\r\n", "ABCDEFGH", ""),
        ("base64", "QUJD\nRA", "ABCD", ""),
        ("x-uuencode", "no data\n", "no data\n", "8:1: part 1: it is not in its transfer encoding"),
        (
            "x-uuencode",
            "begin 644 a\n#86)C\n`\nend\n\nbegin 644 b\n",
            "abc",
            "13:1: part 1: text after the encoded data",
        ),
        ("x-uuencode", "begin 644 a\n#86)C\n`\nend\n\n", "abc", ""),
        ("x-foo", "data\n", "data\n", "8:1: part 1: unsupported transfer encoding"),
    ] {
        let dir = TestDir::with(&[("m.eml", &message(encoding, data))]);
        for (out, more) in [("out", ""), ("raw", " --raw")] {
            let run = dir.relink(&format!("unpack m.eml -o {out}{more}")).exits(0);
            let bytes: Vec<u8> = expected.chars().map(|char| char as u8).collect();
            assert_eq!(dir.bytes(format!("{out}/m/a.png")), bytes, "{data}");
            let lines: Vec<&str> =
                run.stderr.lines().filter(|line| line.starts_with("m.eml:")).collect();
            assert_eq!(lines.len(), usize::from(!reported.is_empty()), "{data}{run}");
            assert!(
                lines.iter().all(|line| line.starts_with(&format!("m.eml:{reported}"))),
                "{data}{run}"
            );
        }
    }
}

#[test]
fn text_after_the_last_part_is_reported() {
    let multipart =
        format!("{HEAD}Content-Type: multipart/mixed; boundary=b\n\n--b\n\nhi\n--b--\n");
    let long = "A long text.\n".repeat(200);
    for (text, reported) in [
        ("____\nA list\nhttp://lists.example/\n", ""),
        (
            "\nFrom: c@x.example\nSubject: lost\n\ntext\n",
            "16:1: message 2: the text after the closing boundary looks like another message",
        ),
        (&*long, "15:1: message 2: the text after the closing boundary is longer than a footer"),
    ] {
        let first = "From - Thu Aug 23 09:10:23 2018\n\n\n";
        let file = format!("{first}From \n{multipart}{text}");
        let dir = TestDir::with(&[("box.mbox", &file)]);
        let run = dir.relink("unpack box.mbox -o out").exits(0);
        let lines: Vec<&str> =
            run.stderr.lines().filter(|line| line.starts_with("box.mbox:")).collect();
        assert_eq!(lines.len(), usize::from(!reported.is_empty()), "{run}");
        assert!(
            lines.iter().all(|line| line.starts_with(&format!("box.mbox:{reported}"))),
            "{run}"
        );
    }
    let dir = TestDir::with(&[("box.mbox", &format!("A note.\n\nFrom \n{multipart}"))]);
    dir.relink("unpack box.mbox -o out").exits(0).reports(
        "box.mbox:1:1: text outside of messages; it is in no file\n1 message: 3 files written\nopen out/box/index.html\n",
    );
}

#[test]
fn a_message_that_is_only_an_attachment_keeps_its_name() {
    for (fields, name) in [
        ("Content-Type: application/pdf; name=\"scan0001.pdf\"\n", "scan0001.pdf"),
        (
            "Content-Type: application/pdf\nContent-Disposition: attachment; filename=\"scan 1.pdf\"\n",
            "scan 1.pdf",
        ),
        (
            "Content-Type: application/pkcs7-mime; name=\"smime.p7m\"; smime-type=\"signed-data\"\n",
            "smime.p7m",
        ),
        ("Content-Type: image/png; name=\"=?utf-8?q?=C3=A9.png?=\"\n", "\u{e9}.png"),
        ("Content-Type: application/octet-stream; name*=utf-8''a%20b.bin\n", "a b.bin"),
        // Types that are none or that no reader shows, and texts of other types.
        ("Content-Type: pdf; name=\"scan.pdf\"\n", "scan.pdf"),
        ("Content-Type: application; name=data.bin\n", "data.bin"),
        ("Content-Type: application/; name=data\n", "data"),
        ("Content-Type: data\nContent-Disposition: inline; filename=x.dat\n", "x.dat"),
        ("Content-Type: x-unknown/x-y; name=odd.xyz\n", "odd.xyz"),
        ("Content-Type: text/x-patch; name=fix.patch\n", "fix.patch"),
        ("Content-Type: text/csv; name=table.csv\n", "table.csv"),
        // Without a name, and what is a body.
        ("Content-Type: text\n", "message.txt"),
        ("Content-Type: ; name=notes.txt\n", "message.txt"),
        ("Content-Type: application/pdf\n", "message.pdf"),
        ("Content-Type: text/plain; name=notes.txt\n", "message.txt"),
    ] {
        let dir = unpacked(&format!("{HEAD}{fields}\ndata\n"));
        assert_eq!(dir.text(format!("out/m/{name}")), "data\n", "{fields}");
    }
}

/// RFC 2392: first as the specification says, then as programs write it.
#[test]
fn a_reference_to_a_part_is_compared_in_several_ways() {
    for (reference, pictures, expected) in [
        ("cid:my%20logo@x", &["Content-ID: <my%20logo@x>"][..], Some(0)),
        ("cid:b%2520@x", &["Content-ID: <b%20@x>"], Some(0)),
        ("cid:c@x", &["Content-ID: (the logo) <c@x> (made by z)"], Some(0)),
        ("cid: sp@x", &["Content-ID:  < sp@x > "], Some(0)),
        (" cid:sp@x ", &["Content-ID:\n < sp@x >"], Some(0)),
        ("cid:Logo@X", &["Content-ID: <logo@x>"], Some(0)),
        ("cid:photo1.jpg", &["Content-Disposition: inline; filename=\"photo1.jpg\""], Some(0)),
        ("cid:c@x", &["X-Attachment-Id: c@x"], Some(0)),
        ("cid:0.png", &["Content-ID: <a@x>"], Some(0)),
        // The nearest one, wherever it is.
        ("cid:a%20b", &["Content-ID: <a%20b>", "Content-ID: <a b>"], Some(1)),
        ("cid:A@x", &["Content-ID: <a@x>", "Content-ID: (x) <A@x>"], Some(1)),
        ("cid:1.png", &["X-Attachment-Id: 1.png", "Content-ID: <1.PNG>"], Some(1)),
        ("cid:2.png", &["Content-ID: <a@x>"], None),
    ] {
        let page = format!("<img src=\"{reference}\">");
        let dir = unpacked(&related(&page, pictures));
        let found = body(&dir);
        let Some(idx) = expected else {
            assert_eq!(found, page);
            continue;
        };
        let name = found.strip_prefix("<img src=\"").and_then(|rest| rest.strip_suffix("\">"));
        let name = name.expect("a reference").trim();
        let bytes = dir.bytes(format!("out/m/{name}"));
        assert_eq!(
            bytes,
            format!("\u{89}PNG\r\n\u{1a}\n{}", idx + 1)
                .chars()
                .map(|char| char as u8)
                .collect::<Vec<u8>>(),
            "{reference} {pictures:?}: {found}"
        );
    }
}

#[test]
fn a_page_of_word_and_its_pictures() {
    let page = "<link rel=3DFile-List href=3D\"page_files/filelist.xml\"><img src=3D\"page_files/i.png\">\
                <a href=3D\"file:///C:\\4A5B\\page_files\\i.png\">f</a><a href=3D\"other.htm\">o</a>";
    let dir = TestDir::with(&[(
        "w.mht",
        &format!(
            "MIME-Version: 1.0\nX-Document-Type: Workbook\nContent-Type: multipart/related; boundary=\"N\"\n\n\
         This document is a Single File Web Page.\n\n--N\nContent-Location: file:///C:/4A5B/page.htm\n\
         Content-Transfer-Encoding: quoted-printable\nContent-Type: text/html; charset=\"us-ascii\"\n\n{page}\n\
         --N\nContent-Location: file:///C:/4A5B/page_files/i.png\nContent-Type: image/png\n\nPNG\n\
         --N\nContent-Location: file:///C:/4A5B/page_files/filelist.xml\nContent-Type: text/xml\n\n<xml/>\n--N--\n"
        ),
    )]);
    dir.relink("unpack w.mht -o out -q").exits(0);
    assert_eq!(
        dir.text("out/w.html"),
        "<link rel=File-List href=\"w_files/filelist.xml\"><img src=\"w_files/i.png\">\
         <a href=\"w_files/i.png\">f</a><a href=\"file:///C:/4A5B/other.htm\">o</a>"
    );
}

/// A message of Apple Mail with a picture in part 2, and a document in part 3.
fn partial() -> String {
    let picture = "Content-ID: <p@x>\nX-Apple-Content-Length: 70";
    let message = related("<img src=\"cid:p@x\">", &[picture, "X-Apple-Content-Length: 9"]);
    let message = message.replace("iVBORw0KGgox", "").replace("iVBORw0KGgoy", "");
    format!("{}\n{message}<?xml version=\"1.0\"?><plist version=\"1.0\"></plist>", message.len())
}

#[test]
fn apple_mail_keeps_parts_in_files_of_their_own() {
    const ABSENT: &str =
        "not unpacked; its content is not in this file, and no file of `../Attachments` has it";
    let dir = TestDir::with(&[
        ("v/Messages/7.partial.emlx", &partial()),
        ("v/Attachments/7/2/0.png", "one"),
        ("v/Attachments/7/2/other", "two"),
        ("v/Attachments/8/3/1.png", "of another"),
    ]);
    for (path, below) in [("v", "Messages/"), ("v/Messages", ""), ("v/Messages/7.partial.emlx", "")]
    {
        let out = format!("out-{}", path.len());
        let run = dir.relink(&format!("unpack {path} -o {out}")).exits(0);
        let message = format!("{out}/{below}7.partial/00001-t");
        assert_eq!(dir.text(format!("{message}/0.png")), "one");
        assert!(dir.text(format!("{message}/message.html")).ends_with("<img src=\"0.png\">"));
        assert!(!dir.has(format!("{message}/1.png")));
        assert!(
            run.has_line(&format!("v/Messages/7.partial.emlx:20:1: message 1: part 3: {ABSENT}")),
            "{run}"
        );
    }
    // The only file has any name; a link is not followed.
    dir.file("v/Attachments/7/3/any name", "three");
    dir.relink("unpack v -o all -q").exits(0);
    assert_eq!(dir.text("all/Messages/7.partial/00001-t/1.png"), "three");
    #[cfg(unix)]
    {
        std::fs::rename(dir.path("v/Attachments/7"), dir.path("elsewhere")).unwrap();
        std::os::unix::fs::symlink(dir.path("elsewhere"), dir.path("v/Attachments/7")).unwrap();
        let run = dir.relink("unpack v -o linked").exits(0);
        assert_eq!(run.stderr.matches(ABSENT).count(), 2, "{run}");
    }
}

#[test]
fn a_part_that_is_elsewhere_leads_there() {
    let part = |fields: &str, body: &str| format!("--b\n{fields}\n\n{body}\n");
    let message = [
        format!("{HEAD}Content-Type: multipart/mixed; boundary=b\n\n"),
        part("Content-Type: text/html", "<a href=cid:url@x>1</a><a href=cid:ftp@x>2</a><img src=cid:file@x><a href=cid:script@x>4</a>"),
        part("Content-Type: message/external-body; access-type=URL;\n URL=\"http://www.x.example/\n  a.pdf\"", "Content-Type: application/pdf\nContent-ID: <url@x>\n"),
        part("Content-ID: <ftp@x>\nContent-Type: message/external-body; access-type=anon-ftp; site=ftp.x.example; directory=\"pub/a b\"; name=\"f.txt\"", "Content-Type: text/plain\n"),
        part("Content-Type: image/png; name=d.png\nContent-ID: <file@x>\nX-Mozilla-External-Attachment-URL: file:///home/u/d.png", "This attachment was detached."),
        part("Content-Type: message/external-body; access-type=URL; URL=\"javascript:alert(1)\"", "Content-ID: <script@x>\n"),
        "--b--\n".to_owned(),
    ]
    .concat();
    let dir = unpacked(&message);
    assert_eq!(
        body(&dir),
        "<a href=http://www.x.example/a.pdf>1</a><a href=ftp://ftp.x.example/pub/a%20b/f.txt>2</a>\
         <img src=file:///home/u/d.png><a href=cid:script@x>4</a>"
    );
    let page = dir.text("out/m/index.html");
    for (url, name) in [
        ("http://www.x.example/a.pdf", "http://www.x.example/a.pdf"),
        ("ftp://ftp.x.example/pub/a%20b/f.txt", "f.txt"),
        ("file:///home/u/d.png", "d.png"),
    ] {
        let item = format!(
            "<li><a href=\"{url}\">{name}</a> <span class=\"soft\">not in the message</span>"
        );
        assert!(page.contains(&item), "{page}");
    }
    // The text that takes the place of the picture stays, but is not shown as one.
    assert_eq!(dir.text("out/m/d.png"), "This attachment was detached.");
    assert!(page.contains("href=\"part-5\"") && !page.contains("href=\"d.png\""), "{page}");
    let list = dir.relink("refs m.eml").exits(0);
    let fields: Vec<&str> = list.text().lines().filter(|line| line.contains(" header ")).collect();
    assert_eq!(
        fields,
        [
            "m.eml:13:7: header Content-Type http://www.x.example/a.pdf",
            "m.eml:28:36: header X-Mozilla-External-Attachment-URL file:///home/u/d.png",
            "m.eml:32:60: header Content-Type javascript:alert(1)",
        ]
    );
    dir.relink("unpack m.eml -o raw --raw -q").exits(0);
    assert_eq!(dir.text("raw/m/d.png"), "This attachment was detached.");
}

/// RFC 1740: the second part is the content of the file.
#[test]
fn a_file_of_a_macintosh_has_the_identifier_of_the_whole() {
    let double = "--b\nContent-Type: multipart/appledouble; boundary=c; name=\"pic.png\"\nContent-ID: <p@x>\n\n\
                  --c\nContent-Type: application/applefile\n\nresources\n--c\nContent-Type: image/png\n\nPNG\n--c--\n";
    let message = format!(
        "{HEAD}Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\n\n<img src=cid:p@x>\n{double}--b--\n"
    );
    let dir = unpacked(&message);
    assert_eq!(body(&dir), "<img src=pic.png>");
    assert_eq!(dir.text("out/m/pic.png"), "PNG");
    assert_eq!(dir.text("out/m/part-2"), "resources");
    // Both may have one.
    let message = message.replace("image/png\n\n", "image/png\nContent-ID: <own@x>\n\n");
    for id in ["p@x", "own@x"] {
        let dir = unpacked(&message.replace("src=cid:p@x", &format!("src=cid:{id}")));
        assert_eq!(body(&dir), "<img src=pic.png>", "{id}");
    }
}

#[test]
fn flowed_texts_are_joined_and_their_urls_are_links() {
    let text = "see http://h.example/a/very/ \nlong/url and\n>> one \n>> two\n> three \n\n From here\n-- \nme & you\n";
    for (params, expected) in [
        (
            "",
            "see {http://h.example/a/very/} \nlong/url and\n>> one \n>> two\n> three \n\n From here\n-- \nme & you\n",
        ),
        (
            "; format=flowed",
            "see {http://h.example/a/very/} long/url and\n>> one two\n> three \n\nFrom here\n-- \nme & you\n",
        ),
        (
            "; format=Flowed; delsp=YES",
            "see {http://h.example/a/very/long/url} and\n>> onetwo\n> three \n\nFrom here\n-- \nme & you\n",
        ),
    ] {
        let dir = unpacked(&format!("{HEAD}Content-Type: text/plain{params}\n\n{text}"));
        let page = dir.text("out/m/index.html");
        let shown = page.split_once("<pre>").and_then(|(_, rest)| rest.split_once("</pre>"));
        let expected = expected.replace('&', "&amp;").replace('>', "&gt;");
        let (before, rest) = expected.split_once('{').expect("a link");
        let (url, after) = rest.split_once('}').expect("a link");
        let expected = format!("{before}<a href=\"{url}\">{url}</a>{after}");
        assert_eq!(shown.map(|(text, _)| text), Some(&*expected));
        // The file is the body.
        assert_eq!(dir.text("out/m/message.txt"), text);
    }
}

#[test]
fn utf_7_becomes_utf_8() {
    // By Python's codec.
    let text = "<p>Hi +Jjo- <a href=\"http://h.example/+AOk-\">+2D3eAA- 1 +- 1</a>";
    let expected = "<p>Hi \u{263a} <a href=\"http://h.example/\u{e9}\">\u{1f600} 1 + 1</a>";
    for label in ["utf-7", "UTF-7", "\"unicode-1-1-utf-7\""] {
        let dir = unpacked(&format!("{HEAD}Content-Type: text/html; charset={label}\n\n{text}"));
        assert!(dir.text("out/m/message.html").starts_with('\u{feff}'));
        assert_eq!(body(&dir), expected);
        let dir = unpacked(&format!("{HEAD}Content-Type: text/plain; charset={label}\n\n{text}"));
        assert_eq!(dir.text("out/m/message.txt"), format!("\u{feff}{expected}"));
        assert!(dir.text("out/m/index.html").contains("&lt;p&gt;Hi \u{263a} &lt;a"));
    }
    // What is no text stays.
    let dir =
        unpacked(&format!("{HEAD}Content-Type: image/png; name=a.png; charset=utf-7\n\n+Jjo-"));
    assert_eq!(dir.text("out/m/a.png"), "+Jjo-");
}

/// Browsers read ISO-2022-KR as `replacement`.
#[test]
fn a_text_that_no_browser_reads_is_not_shown() {
    let text = "\x1B$)C\x0EGQ1[\x0F http://h/";
    let dir = TestDir::new();
    let head = "Content-Type: text/plain; charset=iso-2022-kr\n\n";
    dir.file("m.eml", format!("{HEAD}{head}{text}"));
    let run = dir.relink("unpack m.eml -o out").exits(0);
    assert!(run.stderr.contains(": its text is in its file only; unsupported charset\n"), "{run}");
    assert_eq!(dir.text("out/m/message.txt"), text);
    assert!(!dir.text("out/m/index.html").contains("GQ1["));
}

#[test]
fn references_without_a_base_are_counted() {
    let page = |body: &str| format!("{HEAD}Content-Type: text/html\n\n{body}");
    let dir = TestDir::with(&[
        (
            "mail/1.eml",
            &page("<img src=a.png><a href=/b>b</a><a href=http://h/>h</a><a href=#x>x</a>"),
        ),
        ("mail/2.eml", &page("<a href=?c>c</a><a href=\"\">d</a>")),
        ("one.eml", &page("<img src=a.png>")),
        ("none.eml", &page("<a href=https://h/a>a</a>")),
    ]);
    let run = dir.relink("unpack mail -o out --strict").exits(1);
    let line = "3 references have no base URL and lead nowhere; use `--base URL` to set it";
    assert!(run.has_line(line), "{run}");
    dir.relink("unpack mail -o again").exits(0);
    let run = dir.relink("unpack one.eml -o one --strict").exits(1);
    let line = "1 reference has no base URL and leads nowhere; use `--base URL` to set it";
    assert!(run.has_line(line), "{run}");
    let run = dir.relink("unpack none.eml -o none --strict").exits(0);
    assert!(!run.stderr.contains("base URL"), "{run}");
    let run = dir.relink("unpack mail -o based --strict --base http://base/d/").exits(0);
    assert!(!run.stderr.contains("base URL"), "{run}");
    assert!(
        dir.text("based/1/message.html").ends_with(
            "<img src=http://base/d/a.png><a href=http://base/b>b</a><a href=http://h/>h</a><a href=#x target=\"_self\">x</a>"
        )
    );
}
