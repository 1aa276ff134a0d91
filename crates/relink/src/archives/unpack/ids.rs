//! References to parts by identifiers (`cid:`, RFC 2392), as mail programs read them.
//!
//! A reference is compared with all parts in several ways. The first way in which it is that of a
//! part counts, so that a part which only has a similar name never takes the place of another.

use basectx::message::without_comments;
use urlcore::escape::percent_decode;

/// The number of ways that follow the specifications: the reference without its escapes, the
/// reference as written, and both without comments and white space.
pub(crate) const N_EXACT: usize = 3;

/// Returns what a part is compared by, given its `Content-ID`, and the names that programs use in
/// its place.
pub(crate) fn of_part<'n>(id: Option<&str>, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut keys = Vec::new();
    if let Some(id) = id {
        let written = unbracketed(id);
        let plain = without_comments(id);
        let plain = without_blanks(&decoded(unbracketed(&plain)));
        keys.push(format!("cid:{written}"));
        keys.push(key(1, written));
        keys.push(key(2, &plain));
        keys.push(key(3, &plain.to_lowercase()));
    }
    keys.extend(names.map(|name| key(4, &without_blanks(unbracketed(name)).to_lowercase())));
    keys
}

/// Returns what a `cid:` URL is compared by, in the order of the ways; nothing for another URL.
pub(crate) fn of_reference(url: &str) -> Vec<String> {
    let url = url.split('#').next().unwrap_or_default();
    let id = url.split_once(':').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("cid"));
    let Some((_, written)) = id else { return Vec::new() };
    let id = decoded(written);
    let plain = without_blanks(&id);
    let folded = plain.to_lowercase();
    vec![format!("cid:{id}"), key(1, written), key(2, &plain), key(3, &folded), key(4, &folded)]
}

/// Returns what is compared in a way other than the first one. No URL has this form.
fn key(way: usize, id: &str) -> String {
    format!("{way} cid:{id}")
}

fn decoded(text: &str) -> String {
    String::from_utf8_lossy(&percent_decode(text)).into_owned()
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|char| !char.is_whitespace()).collect()
}

/// Returns an identifier without the brackets around it.
pub(crate) fn unbracketed(id: &str) -> &str {
    let id = id.trim();
    id.strip_prefix('<').and_then(|id| id.strip_suffix('>')).unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the first way in which a reference is that of a part.
    fn way(reference: &str, id: Option<&str>, names: &[&str]) -> Option<usize> {
        let keys = of_part(id, names.iter().copied());
        of_reference(reference).iter().position(|key| keys.contains(key))
    }

    #[test]
    fn identifiers_are_compared_in_several_ways() {
        for (reference, id, expected) in [
            ("cid:a@b", "<a@b>", Some(0)),
            ("CID:a%40b#c", "<a@b>", Some(0)),
            ("cid:b%2520@x", "<b%20@x>", Some(0)),
            ("cid:my%20logo@x", "<my%20logo@x>", Some(1)),
            ("cid:a@b", "(the logo) <a@b> (made by z)", Some(2)),
            ("cid: a@b", "< a@b >", Some(2)),
            ("cid:a@b", "a%40b", Some(2)),
            ("cid:Logo@X", "<logo@x>", Some(3)),
            ("cid:a@c", "<a@b>", None),
            ("mid:a@b", "<a@b>", None),
            ("a@b", "<a@b>", None),
        ] {
            assert_eq!(way(reference, Some(id), &[]), expected, "{reference} {id}");
        }
        assert_eq!(way("cid:My%20photo.JPG", None, &["my photo.jpg"]), Some(4));
        assert_eq!(way("cid:ii_1", Some("<a@b>"), &["x.png", "<ii_1>"]), Some(4));
    }
}
