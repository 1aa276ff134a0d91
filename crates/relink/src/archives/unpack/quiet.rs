//! What the policy of a body of mail does not govern, and still leads elsewhere: a refresh to a
//! part of the message, and, where nothing may be loaded from the network, refreshes, frames, and
//! hints to connect. Their references are replaced.

use basectx::Context;
use layers::{Edit, Edits};
use rewrite::{Fetch, Media, Options, Unit, references};

/// The slot of a refresh.
const REFRESH: &str = "meta[refresh]";

/// Slots for which a browser connects whatever the policy forbids: frames, `preconnect`, and
/// `dns-prefetch`.
const CONNECTING: [&str; 6] = [
    "link[href]",
    "link[imagesrcset]",
    "iframe[src]",
    "frame[src]",
    "meta[http-equiv=link]",
    "portal[src]",
];

/// What takes the place of a reference: without quotes, an empty value would be followed by what is
/// written next.
const EMPTY: &str = "about:blank";

/// What was found in a page.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Quieted {
    /// The page without such references, if it had some.
    pub(super) page: Option<Vec<u8>>,
    /// The number of references to what is not loaded from the network.
    pub(super) n_blocked: usize,
}

/// Replaces such references of a page at `url`. A refresh leads to a fragment of its own page:
/// without one, it would load the page again and again.
pub(super) fn quieted(
    bytes: &[u8],
    media: Media,
    url: &str,
    options: &Options,
    blocks_remote: bool,
) -> Quieted {
    let context = Context::retrieval(url, "file");
    let (mut edits, mut n_blocked): (Vec<Edit>, usize) = (Vec::new(), 0);
    references(Unit::new(bytes, media, &context), options, |site| {
        let target = site.target();
        let is_remote = target.as_deref().is_none_or(is_remote);
        let is_loaded = site.fetch() != Fetch::Never || CONNECTING.contains(&site.slot_name());
        n_blocked += usize::from(blocks_remote && is_remote && is_loaded);
        let text = match site.slot_name() {
            REFRESH if blocks_remote || !is_remote => "#",
            name if blocks_remote && is_remote && CONNECTING.contains(&name) => EMPTY,
            _ => return,
        };
        let span = site.frame.raw(site.span);
        let is_next = edits.last().is_none_or(|last| last.span.end <= span.start);
        if is_next && site.frame.is_exact() {
            edits.push(Edit { span, text: encoded(bytes, text).into(), id: site.id });
        }
    });
    let edits = Edits::new(edits, bytes.len()).ok().filter(|edits| !edits.as_slice().is_empty());
    Quieted { page: edits.map(|edits| edits.apply(bytes)), n_blocked }
}

/// Returns true for a URL that leads to the network; so does a file on a server.
fn is_remote(url: &str) -> bool {
    let Some((scheme, rest)) = url.split_once(':') else { return false };
    if scheme.eq_ignore_ascii_case("file") {
        return rest.starts_with("//") && !rest.starts_with("///");
    }
    ["http", "https", "ftp", "ws", "wss"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
}

/// Returns a text of ASCII in the encoding of a page.
fn encoded(page: &[u8], text: &str) -> Vec<u8> {
    match page {
        [0xFF, 0xFE, ..] => text.bytes().flat_map(|byte| [byte, 0]).collect(),
        [0xFE, 0xFF, ..] => text.bytes().flat_map(|byte| [0, byte]).collect(),
        _ => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(page: &str, blocks_remote: bool) -> String {
        let bytes = page.as_bytes();
        let options = Options::default();
        let quiet =
            quieted(bytes, Media::HTML, "file:///tree/m/message.html", &options, blocks_remote);
        quiet.page.map_or_else(|| page.to_owned(), |quiet| String::from_utf8(quiet).unwrap())
    }

    #[test]
    fn a_refresh_leads_to_no_part() {
        for (page, expected) in [
            ("<meta http-equiv=refresh content='0;url=s.svg'>", "'0;url=#'"),
            ("<meta http-equiv=refresh content='0;url=cid:a@b'>", "'0;url=#'"),
            ("<meta http-equiv=refresh content=\"1; URL='data:text/html,x'\">", "\"1; URL='#'\""),
            ("<iframe srcdoc='<meta http-equiv=refresh content=\"0;url=s.svg\">'>", "\"0;url=#\""),
        ] {
            let quiet = of(page, false);
            assert!(quiet.contains(expected), "{quiet}");
        }
        let remote = "<meta http-equiv=refresh content='0;url=http://h/'><link href=//h/ rel=icon>";
        assert_eq!(of(remote, false), remote);
    }

    #[test]
    fn nothing_connects() {
        for (page, expected) in [
            ("<meta http-equiv=refresh content='0;url=http://h/'>", "content='0;url=#'"),
            ("<base href=http://h/><meta http-equiv=refresh content='0;url=x'>", "url=#"),
            ("<link rel=preconnect href='http://h/'>", "href='about:blank'"),
            ("<iframe src=https://h/ http://h/>", "src=about:blank http://h/>"),
            ("<frameset><frame src='//h/'>", "<frame src='about:blank'>"),
        ] {
            assert!(of(page, true).contains(expected), "{}", of(page, true));
        }
        let kept = "<a href=http://h/>a</a><img src=x.png><link rel=stylesheet href=x.css>";
        assert_eq!(of(kept, true), kept);
        let page = b"<img src=http://h/ srcset='//h/a 2x'><a href=http://h/><link href=http://h/>";
        let quiet = |blocks| {
            quieted(page, Media::HTML, "file:///tree/m.html", &Options::default(), blocks).n_blocked
        };
        assert_eq!([quiet(true), quiet(false)], [3, 0]);
        // Also those of style sheets and SVG; not links.
        let page = "<style>@import 'http://h/a.css';p{background:url(http://h/b.png)}</style>\
                    <p style='background:url(//h/c.png)'><svg><image href=http://h/d.png></svg>\
                    <link rel=stylesheet href=http://h/e.css><a href=http://h/>a</a>\
                    <img src=cid:a@b><form action=http://h/></form>";
        let url = "file:///tree/m.html";
        let quiet = quieted(page.as_bytes(), Media::HTML, url, &Options::default(), true);
        assert_eq!(quiet.n_blocked, 5);
    }
}
