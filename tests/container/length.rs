//! Numbers made right again.

use relink::container::length::{body_start, rewritten};

#[track_caller]
fn check(digits: &str, old: usize, new: usize, expected: Option<&str>) {
    let found = rewritten(digits.as_bytes(), old, new);
    let found = found.map(|digits| String::from_utf8(digits).expect("ASCII"));
    assert_eq!(found.as_deref(), expected, "{digits:?}, {old} to {new}");
}

#[test]
fn numbers() {
    check("1795", 1795, 20000, Some("20000"));
    check("1795", 1795, 7, Some("7"));
    check("1795", 1795, 1795, Some("1795"));
    check("1795      ", 1795, 20000, Some("20000     "));
    check("1795      ", 1795, 7, Some("7         "));
    check("1795 ", 1795, 20000, Some("20000"));
    check("1795 ", 1795, 200_000, Some("200000"));
    check("      1795", 1795, 20000, Some("     20000"));
    check(" 1795 ", 1795, 7, Some(" 7    "));
    check(" 1795 ", 1795, 20000, Some(" 20000"));
    check("\t1795\t", 1795, 1796, Some("\t1796\t"));
    check("0001795", 1795, 20000, Some("0020000"));
    check("0", 0, 12, Some("12"));
}

#[test]
fn wrong_numbers_stay() {
    for digits in ["1796", "", " ", "x1795", "1795x", "+1795", "17 95", "99999999999999999999999"] {
        check(digits, 1795, 1796, None);
    }
}

#[test]
fn bodies() {
    assert_eq!(body_start(b"A: 1\n\nbody\n\n"), 6);
    assert_eq!(body_start(b"A: 1\r\n\r\nbody"), 8);
    assert_eq!(body_start(b"A: 1\r\rbody"), 6);
    assert_eq!(body_start(b"\nbody"), 1);
    assert_eq!(body_start(b"A: 1\n"), 5);
    assert_eq!(body_start(b""), 0);
}
