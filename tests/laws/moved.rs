//! The law where trees move: every reference leads to where its target is in the output, and the
//! way back restores every target.

use basectx::Context;
use proptest::prelude::*;
use rewrite::{
    Media, Move, MoveStyle, NewPlace, Options, Outcome, PrefixMap, TargetMap, Unit, VerifyError,
    relocate,
};
use url::Url;

use super::{cases, generate, is_read_alike};
use crate::judge;

/// Old and new roots, and the document's path below the first of them.
const MOVES: &[(&[(&str, &str)], &str)] = &[
    (&[("http://h.example/", "ftp://f.example/pub/b/")], "a/b.html"),
    (&[("http://h.example/a/", "file:///srv/x/")], "b.html"),
    (&[("http://h.example/", "http://h.example/archive/")], "a/b.html"),
    (&[("ftp://f.example/pub/", "https://h.example/")], "p/q.html"),
    (&[("file:///srv/x/", "http://h.example/y/z/")], "a/b/c.html"),
    (
        &[
            ("http://h.example/", "https://n.example/"),
            ("http://o.example/", "https://m.example/o/"),
        ],
        "a/b.html",
    ),
];

/// Where a URL is in the output, worked out by the crate `url`.
fn expected(target: &Url, pairs: &[(&str, &str)]) -> Url {
    let fits = |root: &&(&str, &str)| {
        let root = Url::parse(root.0).unwrap();
        let is_site = target.scheme() == root.scheme()
            && target.host() == root.host()
            && target.port_or_known_default() == root.port_or_known_default()
            && (target.username(), target.password()) == (root.username(), root.password());
        let directory = root.path().trim_end_matches('/');
        is_site
            && target
                .path()
                .strip_prefix(directory)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let Some((from, to)) = pairs.iter().filter(fits).max_by_key(|(from, _)| from.len()) else {
        return target.clone();
    };
    let directory = Url::parse(from).unwrap().path().trim_end_matches('/').len();
    let tail = &target[url::Position::AfterPath..];
    let rest = &target.path()[directory..];
    Url::parse(&format!("{}{rest}{tail}", to.trim_end_matches('/'))).unwrap()
}

struct Output {
    bytes: Vec<u8>,
    url: String,
    /// Whether something in it leads nowhere, and may lead somewhere in another place.
    may_awake: bool,
}

struct Moving<'m> {
    pairs: &'m [(&'m str, &'m str)],
    media: Media,
    style: MoveStyle,
}

impl Moving<'_> {
    /// The document at `url` in its new place; nothing if part of it cannot be read.
    #[track_caller]
    fn moved(&self, bytes: &[u8], url: &str) -> Option<Output> {
        let mut moves = PrefixMap::default();
        for (from, to) in self.pairs {
            moves.add(from, to, []).unwrap();
        }
        let new_url = moves.url(url);
        let context = Context::retrieval(url.parse().unwrap(), "--base");
        let new_place = Some(NewPlace { url: &new_url.parse().unwrap(), root: "" });
        let unit = Unit::new(bytes, self.media, &context).with_new_place(new_place);
        let to = Move::by(moves).with_style(self.style);
        let rewritten = relocate(unit, &Options::default(), &to);
        // A `<base>` that leads nowhere may lead somewhere in the new place, and takes along what
        // cannot follow.
        if rewritten.verify_error() == Some(&VerifyError::Base)
            && !rewritten.report.bad_bases.is_empty()
        {
            return None;
        }
        assert_eq!(rewritten.verify_error(), None, "{url} {}", String::from_utf8_lossy(bytes));
        let output = rewritten.output().unwrap_or(bytes).to_vec();
        let counts = &rewritten.report.counts;
        let may_awake = counts.get(Outcome::Unresolvable) + counts.get(Outcome::NoBase) > 0;
        let is_read = rewritten.report.skipped.is_empty();
        is_read.then_some(Output { bytes: output, url: new_url, may_awake })
    }

    /// What every reference led to, and leads to.
    fn targets(&self, old: &[u8], new: &[u8], urls: [&str; 2]) -> Vec<judge::Moved> {
        let mut verdict = match self.media {
            Media::CSS => judge::judge_moved_css(old, new, urls[0], urls[1]),
            _ => judge::judge_moved_html(old, new, urls[0], urls[1]),
        };
        // What leads nowhere may lead somewhere in another place; and in `file` the crate `url`
        // takes fewer hosts than in `http`.
        verdict.violations.retain(|violation| {
            let is_other_host =
                violation.contains("no URL, but edited") && violation.contains("http");
            !violation.contains(" led to nowhere ") && !is_other_host
        });
        if has_mark(old) {
            // Lists with a template in them stay.
            verdict.violations.retain(|violation| !violation.contains(" leads to nowhere "));
        }
        let shown = String::from_utf8_lossy;
        assert!(
            verdict.violations.is_empty(),
            "{:?}\n{}\n-> {}",
            verdict.violations,
            shown(old),
            shown(new)
        );
        verdict.moved.unwrap()
    }
}

/// Whether the crate `url` and this one spell a target alike: it puts drives of `file` and empty
/// hosts elsewhere.
fn is_plain(target: &Url) -> bool {
    !target.cannot_be_a_base()
        && !target.path().contains("//")
        && !target.path().contains([':', '|'])
}

/// Whether a reference may stand in a list that is left for the template in it.
fn may_be_left(moved: &judge::Moved, bytes: &[u8]) -> bool {
    let is_list = ["srcset", "ping", "archive"].iter().any(|name| moved.slot.contains(name));
    is_list && moved.texts[0] == moved.texts[1] && has_mark(bytes)
}

/// Whether there may be a template in a document.
fn has_mark(bytes: &[u8]) -> bool {
    const MARKS: [&[u8]; 9] = [b"{{", b"${", b"<%", b"<?", b"<!--", b"{%", b"[[", b"#{", b"@{"];
    MARKS.iter().any(|mark| bytes.windows(mark.len()).any(|part| part == *mark))
}

#[track_caller]
fn check(bytes: &[u8], media: Media) {
    let holds = |name: &[u8]| bytes.windows(name.len()).any(|part| part.eq_ignore_ascii_case(name));
    // Under a base that is a template nothing is known.
    if !is_read_alike(bytes) || (has_mark(bytes) && (holds(b"<base") || holds(b"codebase"))) {
        return;
    }
    for (pairs, path) in MOVES {
        let url = format!("{}{path}?q", pairs[0].0);
        for style in [MoveStyle::Keep, MoveStyle::Relative, MoveStyle::Absolute] {
            let moving = Moving { pairs, media, style };
            let Some(moved) = moving.moved(bytes, &url) else { return };
            let Output { bytes: output, url: new_url, may_awake } = moved;
            let reported = || {
                let (old, new) = (String::from_utf8_lossy(bytes), String::from_utf8_lossy(&output));
                format!("{pairs:?} {style:?}\n{old}\n-> {new}")
            };
            for moved in moving.targets(bytes, &output, [&url, &new_url]) {
                let [old, new] = &moved.targets;
                if is_plain(old) && !may_be_left(&moved, bytes) {
                    assert_eq!(
                        new.as_str(),
                        expected(old, pairs).as_str(),
                        "{moved:?} {}",
                        reported()
                    );
                }
                // What is right as it is written stays.
                if let (MoveStyle::Keep, [was, is]) = (style, &moved.texts)
                    && was != is
                {
                    let base = Url::parse(&new_url).unwrap();
                    let has_base = holds(b"<base") || holds(b"codebase");
                    let stays = base.join(was).is_ok_and(|stays| stays == *new);
                    assert!(has_base || !stays, "{moved:?} {}", reported());
                }
            }
            let back: Vec<(&str, &str)> = pairs.iter().map(|(from, to)| (*to, *from)).collect();
            let is_one_way = moving.pairs.iter().any(|(from, to)| to.starts_with(from));
            if is_one_way || may_awake {
                continue;
            }
            // A `srcdoc` may have two bases then.
            let Some(again) = moving.moved(&output, &url) else { continue };
            assert!(again.bytes == output && again.url == new_url, "a second run {}", reported());
            // Into a new root something else may have led before: that comes along on the way back.
            let homecoming = Moving { pairs: &back, media, style };
            // A `srcdoc` may have two bases there.
            let Some(home) = homecoming.moved(&output, &new_url) else { continue };
            assert_eq!(home.url, url);
            for moved in moving.targets(bytes, &home.bytes, [&url, &url]) {
                let [old, new] = &moved.targets;
                let was_there =
                    back.iter().any(|(to, _)| old.as_str().starts_with(to.trim_end_matches('/')));
                if is_plain(old) && !was_there && !may_be_left(&moved, bytes) {
                    assert_eq!(
                        old.as_str(),
                        new.as_str(),
                        "back: {moved:?} {}\n-> {}",
                        reported(),
                        String::from_utf8_lossy(&home.bytes)
                    );
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases().cases / 10, ..cases() })]

    #[test]
    fn moved_html(html in generate::html()) {
        check(&html, Media::HTML);
    }

    #[test]
    fn moved_css(css in generate::css()) {
        check(css.as_bytes(), Media::CSS);
    }
}
