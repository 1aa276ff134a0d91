//! The programs in `examples/`, run on small inputs.

#[allow(dead_code, reason = "`main` is not called")]
#[path = "../../examples/bases.rs"]
mod bases;

/// Returns what the program writes.
fn chains(message: &str, url: Option<&str>) -> String {
    let mut out = Vec::new();
    bases::run(message.as_bytes(), url, &mut out).expect("a buffer takes all");
    String::from_utf8(out).expect("UTF-8")
}

#[test]
fn each_part_has_its_chain_of_bases() {
    let message = "Content-Location: http://h/a/b\n\
                   Content-Type: multipart/related; boundary=x\n\n\
                   --x\nContent-Type: text/html\n\n<p>\n\
                   --x\nContent-Location: c/d\nContent-Type: text/css\n\n.\n--x--\n";
    let expected = "1 text/html: http://h/a/b\n    \
                        Content-Location: http://h/a/b (url-syntax-00 5.1.1)\n\
                    2 text/css: http://h/a/c/d\n    \
                        Content-Location: http://h/a/c/d (url-syntax-00 5.1.1)\n    \
                        Content-Location: http://h/a/b (url-syntax-00 5.1.1)\n";
    assert_eq!(chains(message, None), expected);
}

#[test]
fn the_url_of_the_file_is_the_last_base() {
    let message = "Content-Type: text/html\n\n<p>";
    assert_eq!(chains(message, None), "1 text/html: no base\n");
    let expected = "1 text/html: http://h/m\n    argument: http://h/m (RFC 3986 5.1.3)\n";
    assert_eq!(chains(message, Some("http://h/m")), expected);
    let bad = "Content-Base: x\nContent-Type: text/html\n\n<p>";
    assert_eq!(chains(bad, None), "byte 14: Content-Base gives no base\n1 text/html: no base\n");
}
