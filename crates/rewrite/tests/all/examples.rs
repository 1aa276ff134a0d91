//! The programs in `examples/`, run on small inputs.

#[allow(dead_code, reason = "`main` is not called")]
#[path = "../../examples/absolutize.rs"]
mod absolutize;
#[allow(dead_code, reason = "`main` is not called")]
#[path = "../../examples/references.rs"]
mod references;

/// Returns the page and the messages that `absolutize` writes.
fn absolute(page: &str) -> (String, String) {
    let (mut out, mut messages) = (Vec::new(), Vec::new());
    absolutize::run(page.as_bytes(), "http://h/d/", &mut out, &mut messages).unwrap();
    (String::from_utf8(out).unwrap(), String::from_utf8(messages).unwrap())
}

#[test]
fn a_page_is_made_absolute() {
    let (page, messages) = absolute("<img src=a.png alt='a&b'>\n");
    assert_eq!(page, "<img src=http://h/d/a.png alt='a&b'>\n");
    assert_eq!(messages, "1 of 1 references rewritten\n");
    let (page, messages) = absolute("<p>none");
    assert_eq!((&*page, &*messages), ("<p>none", "0 of 0 references rewritten\n"));
    let (page, messages) = absolute("<a href='//a b/'>");
    assert_eq!(page, "<a href='//a b/'>");
    let expected = "byte 9: //a b/ unchanged; it cannot be resolved against its base URL\n\
                    0 of 1 references rewritten\n";
    assert_eq!(messages, expected);
}

#[test]
fn the_references_of_a_page_are_listed() {
    let list = |page: &str, media_type: &str| {
        let mut out = Vec::new();
        let result = references::run(page.as_bytes(), "http://example.org/a", media_type, &mut out);
        result.map(|()| String::from_utf8(out).unwrap()).map_err(|error| error.to_string())
    };
    let page = "<base href=b/><a href=c>c</a><style>@import \"d.css\"</style>";
    let expected = "11 base[href] b/ -> http://example.org/b/\n\
                    22 a[href] c -> http://example.org/b/c\n\
                    45 css @import d.css -> http://example.org/b/d.css\n";
    assert_eq!(list(page, "text/html").as_deref(), Ok(expected));
    let expected = "4 css url() x -> http://example.org/x\n";
    assert_eq!(list("url(x)", "text/css").as_deref(), Ok(expected));
    assert_eq!(list("", "image/png").unwrap_err(), "unsupported media type");
}
