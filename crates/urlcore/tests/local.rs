//! Names of files and data in URLs: there and back, and never escaped twice.

mod generate;

use proptest::prelude::*;
use urlcore::escape::{Component, complete, encode, percent_decode};
use urlcore::local::{PathStyle, path_of, url_of};
use urlcore::{Dialect, Reference, Strictness, validate};

const COMPONENTS: [Component; 5] =
    [Component::User, Component::Segment, Component::Path, Component::Query, Component::Fragment];

#[test]
fn windows() {
    for (path, url) in [
        (r"C:\", "file:///C:/"),
        (r"c:\a b\ü%.txt", "file:///c:/a%20b/%C3%BC%25.txt"),
        (r"\\host\share\a#b", "file://host/share/a%23b"),
    ] {
        assert_eq!(url_of(path.as_bytes(), PathStyle::Windows).as_deref(), Some(url));
        assert_eq!(path_of(url, PathStyle::Windows).as_deref(), Some(path.as_bytes()));
    }
    assert_eq!(url_of(b"C:/a", PathStyle::Windows).as_deref(), Some("file:///C:/a"));
    assert_eq!(path_of("file:///C|/a", PathStyle::Windows).as_deref(), Some(&br"C:\a"[..]));
    for path in ["C:a", "a", r"\a", r"\\host", r"\\\a", r"\\h t\a", ""] {
        assert_eq!(url_of(path.as_bytes(), PathStyle::Windows), None, "{path}");
    }
    for url in ["file:///a", "file:///C:a", "http://h/C:/a", "file:///C:/a%5Cb"] {
        assert_eq!(path_of(url, PathStyle::Windows), None, "{url}");
    }
}

#[test]
fn unix() {
    assert_eq!(path_of("file:/a", PathStyle::Unix).as_deref(), Some(&b"/a"[..]));
    assert_eq!(path_of("FILE://LOCALHOST/a?b", PathStyle::Unix).as_deref(), Some(&b"/a"[..]));
    for url in ["file:a", "file:", "file:///a%00", "file:///a%2fb", "file://h/a", "ftp:///a", "/a"]
    {
        assert_eq!(path_of(url, PathStyle::Unix), None, "{url}");
    }
    assert_eq!(url_of(b"/a\0", PathStyle::Unix), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 10 } else { 20_000 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn paths_come_back(path in prop::collection::vec(1_u8.., 0..20)) {
        let path = [b"/", &path[..]].concat();
        let url = url_of(&path, PathStyle::Unix);
        prop_assert_eq!(url.as_deref().and_then(|url| path_of(url, PathStyle::Unix)), Some(path));
        let url = url.unwrap_or_default();
        prop_assert!(validate(&url, Dialect::Rfc3986, Strictness::Strict).is_ok(), "{}", url);
    }

    #[test]
    fn data_come_back(data in prop::collection::vec(any::<u8>(), 0..20)) {
        for &dialect in Dialect::ALL {
            for component in COMPONENTS {
                let mut text = String::new();
                encode(&data, component, dialect, &mut text);
                prop_assert_eq!(&*percent_decode(&text), &data[..]);
                // It is valid there, and read as that component.
                let url = match component {
                    Component::User => format!("ftp://{text}@h/"),
                    Component::Query => format!("http://h/?{text}"),
                    Component::Fragment => format!("http://h/#{text}"),
                    _ => format!("http://h/x{text}"),
                };
                // A search of 1993 has a character, and a path no two slashes.
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
    fn completing_twice_is_once(text in generate::characters("a%4é {}\"#/~=", 12)) {
        for &dialect in Dialect::ALL {
            for component in COMPONENTS {
                let once = complete(&text, component, dialect);
                prop_assert_eq!(complete(&once, component, dialect), once.as_ref());
            }
        }
    }
}
