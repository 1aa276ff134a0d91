//! The programs in `examples/`, run on small inputs.

#[allow(dead_code, reason = "`main` is not called")]
#[path = "../../examples/find_encoded.rs"]
mod find_encoded;

/// Returns what the program writes.
fn found(body: &str, wanted: &str) -> String {
    let mut out = Vec::new();
    find_encoded::run(body.as_bytes(), wanted, &mut out).expect("a buffer takes all");
    String::from_utf8(out).expect("UTF-8")
}

#[test]
fn a_text_is_found_through_two_layers() {
    let body = "Gr=C3=BC&szlig;=\ne aus K&ouml;ln";
    assert_eq!(found(body, "Grüße"), "bytes 0 to 18: Gr=C3=BC&szlig;=\\ne\n");
    assert_eq!(found(body, "ß"), "bytes 8 to 15: &szlig;\n");
    assert_eq!(found(body, "Köln"), "bytes 23 to 32: K&ouml;ln\n");
    assert_eq!(found(body, "K&ouml;ln"), "");
    assert_eq!(found("a=3Db a=3Db", "="), "bytes 1 to 4: =3D\nbytes 7 to 10: =3D\n");
}
