//! Authorities that a browser accepts, and those that it does not.

use urlcore::{HostErrorKind, is_valid_host};

#[track_caller]
fn check_usable(scheme: &str, authorities: &[&str]) {
    for authority in authorities {
        assert_eq!(is_valid_host(authority, scheme), Ok(()), "{authority:?} in {scheme}");
    }
}

#[track_caller]
fn check_unusable(scheme: &str, authority: &str, kind: HostErrorKind, index: usize) {
    let error = is_valid_host(authority, scheme).expect_err("unusable");
    assert_eq!((error.kind(), error.index()), (kind, index), "{authority:?} in {scheme}");
}

#[test]
fn names() {
    check_usable(
        "http",
        &["a", "A-b.c_d.", "é.org", "%61", "u:p@h", "u@v@h", "xn--a", "1a", "1.a", "a.0xg", ".."],
    );
    check_usable("file", &["", "a", "localhost"]);
    check_usable("foo", &["", "a", "%", "%00", "{a}", "\u{1}", "256.1.1.1"]);
    check_unusable("http", "", HostErrorKind::Empty, 0);
    check_unusable("http", "u@", HostErrorKind::Empty, 2);
    check_unusable("http", ":80", HostErrorKind::Empty, 0);
    check_unusable("foo", ":80", HostErrorKind::Empty, 0);
    check_unusable("foo", "u@", HostErrorKind::Empty, 2);
}

#[test]
fn forbidden_characters() {
    for host in ["a b", "a<b", "a>b", "a^b", "a|b", "a]b"] {
        check_unusable("http", host, HostErrorKind::ForbiddenCharacter, 1);
        check_unusable("foo", host, HostErrorKind::ForbiddenCharacter, 1);
    }
    check_unusable("http", "a%b", HostErrorKind::ForbiddenCharacter, 1);
    check_unusable("http", "a\u{7f}b", HostErrorKind::ForbiddenCharacter, 1);
    check_unusable("http", "a%2fb", HostErrorKind::ForbiddenCharacter, 0);
    check_unusable("http", "u@a%ffb", HostErrorKind::ForbiddenCharacter, 2);
    check_unusable("file", "a:80", HostErrorKind::ForbiddenCharacter, 1);
    check_unusable("file", "u@a", HostErrorKind::ForbiddenCharacter, 1);
}

#[test]
fn ports() {
    check_usable("http", &["a:", "a:0", "a:65535", "a:00080", "[::1]:80", "a:000065535"]);
    for authority in ["a:65536", "a:x", "a:80:80", "a:-1", "a:+1", "a:99999999999"] {
        check_unusable("http", authority, HostErrorKind::InvalidPort, 2);
        check_unusable("foo", authority, HostErrorKind::InvalidPort, 2);
    }
}

#[test]
fn ipv4() {
    check_usable(
        "http",
        &[
            "1.2.3.4",
            "0x7f.1",
            "0x",
            "017700000001",
            "4294967295",
            "1.2.65535",
            "1.2.3.4.",
            "0xffffffff",
        ],
    );
    for host in [
        "1.2.3.256",
        "256.1",
        "1.2.65536",
        "4294967296",
        "1.2.3.4.5",
        "09",
        "1..2",
        "a.1",
        "1.2.3.08",
        "99999999999999999999999",
    ] {
        check_unusable("http", host, HostErrorKind::InvalidIpv4, 0);
        check_unusable("file", host, HostErrorKind::InvalidIpv4, 0);
    }
}

#[test]
fn ipv6() {
    check_usable(
        "http",
        &[
            "[::]",
            "[::1]",
            "[1::]",
            "[1:2:3:4:5:6:7:8]",
            "[1::8]",
            "[::1.2.3.4]",
            "[1:2:3:4:5:6:1.2.3.4]",
            "[1:2:3:4:5:6:7::]",
        ],
    );
    for host in [
        "[]",
        "[",
        "[:",
        "[:]",
        "[1]",
        "[::1",
        "[1:2:3:4:5:6:7]",
        "[1:2:3:4:5:6:7:8:9]",
        "[1:2:3:4::5:6:7:8]",
        "[::1::2]",
        "[:::]",
        "[12345::]",
        "[g::]",
        "[::1.2.3]",
        "[::1.2.3.256]",
        "[::01.2.3.4]",
        "[1.2.3.4::]",
        "[::1.2.3.4:5]",
        "[1:]",
        "[::%31]",
        "[1:2:3:4:5:6:7:1.2.3.4]",
        "[::1]a",
    ] {
        check_unusable("http", host, HostErrorKind::InvalidIpv6, 0);
        check_unusable("foo", host, HostErrorKind::InvalidIpv6, 0);
    }
}
