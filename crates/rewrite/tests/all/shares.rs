//! The keys of places on Windows machines: two spellings are one root exactly if Windows compares
//! their paths as equal.

use basectx::Context;
use relink_rewrite::{
    FixedRoots, Media, Move, NewPlace, Options, PrefixMap, TargetMap, Unit, relocate,
};

/// Hosts, and names of shares and files, in letter cases that are equal or not.
const NAMES: [&str; 12] = [
    "a", "A", "b c", "B C", "\u{E9}", "\u{C9}", "\u{DF}", "SS", "\u{1F80}", "\u{1F88}", "100%25",
    "100%2525",
];
const HOSTS: [&str; 4] = ["old", "OLD", "old.example", "0ld"];

/// The starts of a spelling before the host, or the letter of a drive.
const SHARES: [&str; 6] =
    ["file://", "FILE:////", "file://///", r"file:\\", r"file:///\\", "file:/\\//"];
const DRIVES: [&str; 4] = ["file:///", "file:/", "file://localhost/", r"file:\\\"];

/// A pseudorandom sequence (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % n as u64).unwrap()
    }

    fn one_of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }
}

/// Returns a spelling of a place, and its names as `PureWindowsPath` compares them: in lower case,
/// without escapes.
fn place(numbers: &mut Numbers) -> (String, Vec<String>) {
    let (mut url, mut names) = match numbers.below(2) {
        0 => {
            let (start, host) = (numbers.one_of(&SHARES), numbers.one_of(&HOSTS));
            (format!("{start}{host}"), vec![format!("//{}", host.to_lowercase())])
        }
        _ => {
            let letter = numbers.one_of(&["s", "S", "t"]);
            let mark = numbers.one_of(&[":", "|"]);
            (format!("{}{letter}{mark}", numbers.one_of(&DRIVES)), vec![letter.to_lowercase()])
        }
    };
    for _ in 0..=numbers.below(2) {
        let name = numbers.one_of(&NAMES);
        url.push('/');
        match numbers.below(3) {
            0 => url.push_str(&name.replace(' ', "%20")),
            1 => url.push_str(&name.replace('a', "%61").replace('\u{E9}', "%C3%a9")),
            _ => url.push_str(name),
        }
        names.push(name.to_lowercase());
    }
    (url, names)
}

#[test]
fn two_spellings_are_one_root_exactly_if_windows_compares_them_as_equal() {
    let mut numbers = Numbers(0x5EED);
    let mut n_equal = 0;
    for _ in 0..40_000 {
        let [(one, names), (other, others)] = [place(&mut numbers), place(&mut numbers)];
        let mut roots = FixedRoots::default();
        roots.add(&format!("{one}/"), []);
        assert_eq!(roots.find(&one), Some((0, "")), "{one}");
        assert_eq!(roots.find(&other) == Some((0, "")), names == others, "{one} {other}");
        n_equal += usize::from(names == others);
    }
    assert!(n_equal > 50, "{n_equal}");
}

#[test]
fn a_drive_is_the_directory_that_it_is_declared_for() {
    let mut moves = PrefixMap::default();
    moves.add_drive('S', "file://old/share/docs/");
    moves.add_drive('T', "file://new/pub/");
    moves.add("file://old/share/", "file://new/pub/x/", []).unwrap();
    for (old, new) in [
        ("file:///S:/a", "file:///T:/x/docs/a"),
        ("file:///s|/a?b#c", "file:///T|/x/docs/a?b#c"),
        ("file:///U:/a", "file:///U:/a"),
        ("file://old/share/a", "file://new/pub/x/a"),
        ("file://///OLD/Share", "file://///new/pub/x"),
        ("file:///T:/y", "file:///T:/y"),
    ] {
        assert_eq!(moves.url(old), new, "{old}");
    }
}

/// Parts of references, of which generated ones consist.
const PIECES: [&str; 26] = [
    "\\",
    "/",
    "\\",
    "/",
    ":",
    "|",
    "?",
    "#",
    "%",
    "%20",
    "%2e",
    "..",
    ".",
    "S:",
    "t:",
    "file:",
    "FILE:",
    "https:",
    "old",
    "share",
    "d",
    "a b",
    "\u{E9}",
    "localhost",
    r"\\OLD\share",
    "file:////old/share",
];

/// The law holds for whatever is written, and a second run changes nothing.
#[test]
fn generated_references_move_once() {
    let roots = [
        ["file://old/share/", "file://new/pub/"],
        ["file://old/share/d/", "https://n/p/"],
        ["https://h/", "file://new/pub/x/"],
    ];
    let urls = [Some("file://old/share/d/p.html"), Some("https://h/d/p.html"), None];
    let (mut numbers, mut n_moved) = (Numbers(0x5EED), 0);
    for _ in 0..20_000 {
        let text: String =
            (0..=numbers.below(8)).map(|_| numbers.one_of(&PIECES)).collect::<String>();
        let mut moves = PrefixMap::default();
        moves.add_drive('S', "file://old/share/");
        moves.add_drive('T', "file://new/pub/");
        let [from, to] = roots[numbers.below(roots.len())];
        moves.add(from, to, []).unwrap();
        let to = Move::by(moves);
        let url = urls[numbers.below(urls.len())];
        let new = url.map(|url| to.map.url(url).parse().unwrap());
        let context =
            url.map_or(Context::none(), |url| Context::retrieval(url.parse().unwrap(), "--base"));
        let run = |page: &str| {
            let place = new.as_ref().map(|url| NewPlace { url, root: "" });
            let unit = Unit::new(page.as_bytes(), Media::HTML, &context).with_new_place(place);
            let rewritten = relocate(unit, &Options::default(), &to);
            assert_eq!(rewritten.verify_error(), None, "{page} at {url:?} to {to:?}");
            rewritten.into_output().map(|output| String::from_utf8(output).unwrap())
        };
        let page = format!("<a href=\"{text}\"> <base href=\"{text}\">");
        for page in [&page[..page.find(" <base").unwrap()], &page] {
            let Some(moved) = run(page) else { continue };
            n_moved += 1;
            assert_eq!(run(&moved), None, "{page} becomes {moved} at {url:?} by {to:?}");
        }
    }
    assert!(n_moved > 1_000, "{n_moved}");
}
