//! What the policy of a body of mail does not govern, and still leads elsewhere: a refresh to a part
//! of the message, and, where nothing may be loaded from the network, refreshes, frames, and hints
//! to connect. Their references are emptied.

use basectx::Context;
use layers::{Edit, Edits};
use rewrite::{Media, Options, Unit, references};

/// The slot of a refresh.
const REFRESH: &str = "meta[refresh]";

/// Slots for which a browser connects whatever the policy forbids: a frame or an element that shows a
/// document, `preconnect`, and `dns-prefetch`.
const CONNECTING: [&str; 6] = [
    "link[href]",
    "link[imagesrcset]",
    "iframe[src]",
    "frame[src]",
    "meta[http-equiv=link]",
    "portal[src]",
];

/// Empties such references of a page at `url`; `None` if it has none. A refresh leads to a fragment
/// of its own page: without one, it would load the page again and again.
pub(super) fn quieted(
    bytes: &[u8],
    media: Media,
    url: &str,
    options: &Options,
    blocks_remote: bool,
) -> Option<Vec<u8>> {
    let context = Context::retrieval(url, "file");
    let mut edits: Vec<Edit> = Vec::new();
    references(Unit::new(bytes, media, &context), options, |site| {
        let target = site.target();
        let is_remote = target.as_deref().is_none_or(is_remote);
        let text = match site.slot_name() {
            REFRESH if blocks_remote || !is_remote => "#",
            name if blocks_remote && is_remote && CONNECTING.contains(&name) => "",
            _ => return,
        };
        let span = site.frame.raw(site.span);
        let is_next = edits.last().is_none_or(|last| last.span.end <= span.start);
        if is_next && site.frame.is_exact() {
            edits.push(Edit { span, text: encoded(bytes, text).into(), id: site.id });
        }
    });
    if edits.is_empty() {
        return None;
    }
    Some(Edits::new(edits, bytes.len()).ok()?.apply(bytes))
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
        quiet.map_or_else(|| page.to_owned(), |quiet| String::from_utf8(quiet).unwrap())
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
            ("<link rel=preconnect href='http://h/'>", "href=''"),
            ("<iframe src='https://h/'>", "src=''"),
            ("<frameset><frame src='//h/'>", "<frame src=''>"),
        ] {
            assert!(of(page, true).contains(expected), "{}", of(page, true));
        }
        let kept = "<a href=http://h/>a</a><img src=x.png><link rel=stylesheet href=x.css>";
        assert_eq!(of(kept, true), kept);
    }
}
