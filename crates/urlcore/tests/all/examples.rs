//! The programs in `examples/`, run on small inputs.

#[allow(dead_code, reason = "`main` is not called")]
#[path = "../../examples/resolve.rs"]
mod resolve;

#[test]
fn references_are_resolved_and_made_relative_again() {
    let references = ["../c", "x#y", "//other/", "#s", "http://a b/"].map(str::to_owned);
    let mut out = Vec::new();
    resolve::run("http://example.org/a/b", &references, &mut out).unwrap();
    let expected = "../c -> http://example.org/c (/c)\n\
                    x#y -> http://example.org/a/x#y (x#y)\n\
                    //other/ -> http://other/ (//other/)\n\
                    #s -> http://example.org/a/b#s (#s)\n\
                    http://a b/: unusable reference: forbidden character in host at byte 1 of the \
                    authority\n";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
    assert!(resolve::run("a/b", &references, &mut Vec::new()).is_err());
}
