//! Messages in a Maildir, and their names.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use relink::container::maildir::{Sizes, is_message, is_message_where, renamed};

const OLD: Sizes = Sizes { bytes: 98, with_crlf: 105 };
const NEW: Sizes = Sizes { bytes: 123, with_crlf: 131 };

#[track_caller]
fn check(name: &str, expected: Option<&str>) {
    assert_eq!(renamed(OsStr::new(name), OLD, NEW).as_deref(), expected.map(OsStr::new), "{name}");
}

#[test]
fn names() {
    check("1.M2P3.host,S=98,W=105:2,S", Some("1.M2P3.host,S=123,W=131:2,S"));
    check("1.M2P3.host,W=105,S=98", Some("1.M2P3.host,W=131,S=123"));
    check("1.M2P3.host,S=98", Some("1.M2P3.host,S=123"));
    check("1.M2P3.host,S=98;2,S", Some("1.M2P3.host,S=123;2,S"));
    check("1.M2P3.host,S=98!2,", Some("1.M2P3.host,S=123!2,"));
    // Only what was right.
    check("1.M2P3.host,S=97,W=105:2,S", Some("1.M2P3.host,S=97,W=131:2,S"));
    check("1.M2P3.host,S=98,W=9:2,S", Some("1.M2P3.host,S=123,W=9:2,S"));
    check("1.M2P3.host,S=97:2,S", None);
    check("1.M2P3.host:2,S", None);
    // Only what is a field.
    check("1.M2P3.host,S=98 ", None);
    check("1.M2P3.host,s=98", None);
    check("1.M2P3.host,XS=98", None);
    check("S=98", None);
    check("1.M2P3.host:2,S=98", None);
    check("1.M2P3.host,S=:2,", None);
    check("", None);
    let same = Sizes { bytes: 98, with_crlf: 200 };
    assert_eq!(renamed(OsStr::new("1,S=98"), OLD, same), None);
}

#[cfg(unix)]
#[test]
fn names_that_are_no_text() {
    use std::os::unix::ffi::OsStrExt;
    let name = OsStr::from_bytes(b"1.\xFF,S=98:2,\xFE");
    assert_eq!(renamed(name, OLD, NEW).unwrap().as_bytes(), b"1.\xFF,S=123:2,\xFE");
}

#[test]
fn sizes() {
    assert_eq!(Sizes::measure(b""), Sizes { bytes: 0, with_crlf: 0 });
    assert_eq!(Sizes::measure(b"a\nb\r\nc\rd\n"), Sizes { bytes: 9, with_crlf: 11 });
}

#[test]
fn directories() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    for directory in ["box/cur", "box/new", "box/tmp", "other/cur", "other/new"] {
        fs::create_dir_all(root.join(directory)).unwrap();
    }
    for path in ["box/cur/1", "box/new/1:2,S", "box/cur/no.file"] {
        assert!(is_message(&root.join(path)), "{path}");
    }
    for path in ["box/tmp/1", "box/cur/.hidden", "box/cur/sub/1", "box/1", "other/cur/1", "box/cur"]
    {
        assert!(!is_message(&root.join(path)), "{path}");
    }
    assert!(!is_message(Path::new("")) && !is_message(Path::new("/")));
    let is_known =
        |directory: &Path| ["cur", "new", "tmp"].iter().any(|name| directory == Path::new(name));
    assert!(is_message_where(Path::new("cur/1"), is_known));
    assert!(!is_message_where(Path::new("../cur/1"), is_known));
}
