//! File paths and data in URLs: the mapping and its inverse, and no double escapes.

use proptest::prelude::*;
use urlcore::escape::{Component, complete, decode, encode, percent_decode};
use urlcore::local::{LocalError, PathStyle, path_of, url_of};
use urlcore::{Dialect, Reference, Strictness, validate};

use crate::generate;

const COMPONENTS: [Component; 5] =
    [Component::User, Component::Segment, Component::Path, Component::Query, Component::Fragment];

#[test]
fn windows() {
    for (path, url) in [
        (r"C:\", "file:///C:/"),
        (r"c:\a b\ü%.txt", "file:///c:/a%20b/%C3%BC%25.txt"),
        (r"\\host\share\a#b", "file://host/share/a%23b"),
        (r"\\localhost\share\a", "file:////localhost/share/a"),
    ] {
        assert_eq!(url_of(path.as_bytes(), PathStyle::Windows).as_deref(), Ok(url));
        assert_eq!(path_of(url, PathStyle::Windows).as_deref(), Ok(path.as_bytes()));
    }
    assert_eq!(url_of(b"C:/a", PathStyle::Windows).as_deref(), Ok("file:///C:/a"));
    assert_eq!(path_of("file:///C|/a", PathStyle::Windows).as_deref(), Ok(&br"C:\a"[..]));
    for path in ["C:a", "a", r"\a", ""] {
        let url = url_of(path.as_bytes(), PathStyle::Windows);
        assert_eq!(url, Err(LocalError::NotAbsolute), "{path}");
    }
    for path in [r"\\host", r"\\\a", r"\\h t\a", r"\\.\pipe\a", r"\\?\C:\a"] {
        assert_eq!(url_of(path.as_bytes(), PathStyle::Windows), Err(LocalError::Share), "{path}");
    }
    for (url, error) in [
        ("file:///a", LocalError::NoDrive),
        ("file:///C:a", LocalError::NoDrive),
        ("http://h/C:/a", LocalError::NotFile),
        ("file:///C:/a%5Cb", LocalError::Separator),
        ("file:////host", LocalError::Share),
        ("file://///host/a", LocalError::Share),
        ("file://h%20t/s/a", LocalError::Share),
        ("file://h:80/s/a", LocalError::UserOrPort),
    ] {
        assert_eq!(path_of(url, PathStyle::Windows), Err(error), "{url}");
    }
}

#[test]
fn unix() {
    assert_eq!(path_of("file:/a", PathStyle::Unix).as_deref(), Ok(&b"/a"[..]));
    assert_eq!(path_of("FILE://LOCALHOST/a?b", PathStyle::Unix).as_deref(), Ok(&b"/a"[..]));
    for (url, error) in [
        ("file:a", LocalError::NotFile),
        ("file:", LocalError::NotFile),
        ("file:///a%00", LocalError::Separator),
        ("file:///a%2fb", LocalError::Separator),
        ("file://h/a", LocalError::OtherMachine),
        ("file://u@localhost/a", LocalError::UserOrPort),
        ("ftp:///a", LocalError::NotFile),
        ("/a", LocalError::NotFile),
    ] {
        assert_eq!(path_of(url, PathStyle::Unix), Err(error), "{url}");
    }
    assert_eq!(url_of(b"/a\0", PathStyle::Unix), Err(LocalError::Nul));
}

#[test]
fn escapes_that_would_decode_to_delimiters_are_refused() {
    for (text, component, at) in [
        ("a%2Fb", Component::Path, 1),
        ("a/b%2f", Component::Path, 3),
        ("a=b%26c", Component::Query, 3),
        ("a;b%3Bc", Component::Segment, 3),
        ("%", Component::Segment, 0),
        ("ab%2", Component::Query, 2),
        ("%C3%A9%é", Component::Fragment, 6),
    ] {
        let error = decode(text, component).unwrap_err().to_string();
        assert!(error.starts_with(&format!("byte {at}: ")), "{text}: {error}");
    }
    for (text, component, data) in [
        ("a%2Fb", Component::Segment, &b"a/b"[..]),
        ("a%26b", Component::Query, b"a&b"),
        ("a=b%20c", Component::Query, b"a=b c"),
        ("a;b%2Cc", Component::Segment, b"a;b,c"),
        ("%2F%00%ff", Component::Fragment, b"/\0\xFF"),
    ] {
        assert_eq!(decode(text, component).as_deref(), Ok(data), "{text}");
    }
}

/// Generates absolute paths of Windows: of a drive or a share, with separators of one kind.
fn windows_paths() -> impl Strategy<Value = Vec<u8>> {
    let name = prop::collection::vec(any::<u8>(), 0..8);
    let start = prop::sample::select(vec![r"C:", r"z:", r"\\host", r"\\LocalHost", r"\\a_b.c-d"]);
    (start, prop::collection::vec(name, 1..5)).prop_map(|(start, names)| {
        let mut path = start.as_bytes().to_vec();
        for name in names {
            path.push(b'\\');
            path.extend(name.iter().filter(|byte| !b"/\\\0".contains(byte)));
        }
        path
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 10 } else { 20_000 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn paths_are_restored(path in prop::collection::vec(1_u8.., 0..20)) {
        let path = [b"/", &path[..]].concat();
        let url = url_of(&path, PathStyle::Unix);
        let url = url.expect("an absolute path");
        prop_assert_eq!(path_of(&url, PathStyle::Unix), Ok(path));
        prop_assert!(validate(&url, Dialect::Rfc3986, Strictness::Strict).is_ok(), "{}", url);
    }

    #[test]
    fn windows_paths_are_restored(path in windows_paths()) {
        let url = url_of(&path, PathStyle::Windows).expect("an absolute path");
        prop_assert_eq!(path_of(&url, PathStyle::Windows), Ok(path));
        prop_assert!(validate(&url, Dialect::Rfc3986, Strictness::Strict).is_ok(), "{}", url);
    }

    #[test]
    fn data_are_restored(data in prop::collection::vec(any::<u8>(), 0..20)) {
        for &dialect in Dialect::ALL {
            for component in COMPONENTS {
                let mut text = String::new();
                encode(&data, component, dialect, &mut text);
                prop_assert_eq!(&*percent_decode(&text), &data[..]);
                let decoded = decode(&text, component);
                prop_assert_eq!(decoded.as_deref(), Ok(&data[..]), "{}", text);
                // The text is valid as that component, and read as it.
                let url = match component {
                    Component::User => format!("ftp://{text}@h/"),
                    Component::Query => format!("http://h/?{text}"),
                    Component::Fragment => format!("http://h/#{text}"),
                    _ => format!("http://h/x{text}"),
                };
                // In 1993 a search is not empty, and a path has no two slashes in a row.
                let is_void = dialect == Dialect::Url1993
                    && (data.is_empty() || data.windows(2).any(|pair| pair == b"//"));
                let is_valid = is_void || validate(&url, dialect, Strictness::Strict).is_ok();
                prop_assert!(is_valid || (component == Component::User && dialect == Dialect::Web), "{} in {}", url, dialect);
                let r = Reference::split(&url, dialect);
                let found = match component {
                    Component::User => r.server().and_then(|server| server.user).map(str::to_owned),
                    Component::Query => r.query().map(str::to_owned),
                    Component::Fragment => r.fragment().map(str::to_owned),
                    _ => r.path().strip_prefix("/x").map(str::to_owned),
                };
                prop_assert_eq!(found.as_deref(), Some(text.as_str()), "{} in {}", url, dialect);
                prop_assert_eq!(complete(&text, component, dialect), text.as_str());
            }
        }
    }

    #[test]
    fn completing_is_idempotent(text in generate::characters("a%4é {}\"#/~=", 12)) {
        for &dialect in Dialect::ALL {
            for component in COMPONENTS {
                let once = complete(&text, component, dialect);
                prop_assert_eq!(complete(&once, component, dialect), once.as_ref());
            }
        }
    }
}
