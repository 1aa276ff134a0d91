//! Internet shortcuts.

use relink_rewrite::{FormatId, Media};

use super::{check, convert, options};

const SHORTCUT: &str = "application/x-mswinurl";

#[test]
fn keys() {
    let text = "[DEFAULT]\r\nBASEURL=http://h/d/x\r\n[DOC#4]\r\nBASEURL=http://o/\r\n\
                [InternetShortcut]\r\n url = \"http://h/d/y z\" \r\nURL=http://h/second\r\n\
                IconFile=https://h/favicon.ico\r\nIconIndex=0\r\nWorkingDirectory=C:\\x\r\n";
    check(
        SHORTCUT,
        &[],
        text,
        &[
            "shortcut BASEURL http://h/d/x",
            "shortcut BASEURL http://o/",
            "shortcut URL http://h/d/y z",
            "shortcut IconFile https://h/favicon.ico",
        ],
    );
    let media = Media::from_name(SHORTCUT).expect(SHORTCUT);
    let rewritten = convert(text.as_bytes(), media, &options(&[]), true);
    assert_eq!((rewritten.output(), rewritten.verify_error()), (None, None));
}

#[test]
fn only_absolute_urls_are_read() {
    for line in
        ["URL=x", "URL=", "IconFile=C:\\x.ico", "IconFile=\\\\h\\x.ico", "URL", "[URL=http://h/]"]
    {
        check(SHORTCUT, &[], &format!("[InternetShortcut]\n{line}\n"), &[]);
    }
}

#[test]
fn shortcuts_are_found_by_name_and_section() {
    let shortcut = FormatId::from_media_type(SHORTCUT);
    assert_eq!(FormatId::from_extension("url"), shortcut);
    assert_eq!(FormatId::from_content(b"\r\n[internetshortcut]\r\nURL=x"), shortcut);
    assert_eq!(FormatId::from_content(b"[Other]"), None);
}
