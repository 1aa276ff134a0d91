//! The law of what is remembered: it is what would be computed, in generated trees and for
//! generated references, whatever was remembered before and however little room there is.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rewrite::{OptIn, TargetMap};
use urlcore::{Dialect, Resolver};

use super::examine;
use crate::files::media::Types;
use crate::os::paths::Root;
use crate::os::store::SharedStore;
use crate::os::store::memory::Memory;
use crate::urls::layout::Layout;
use crate::urls::locate::{LetterCase, Locator, LocatorOptions};
use crate::urls::remembered::Remembered;
use crate::urls::url_mapping::{MapOption, UrlMapping};

/// The number of references of one tree.
const REFERENCES: usize = 400;

/// Numbers that look random (Steele, Lea and Flood: SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % n as u64).unwrap()
    }

    fn one<'o>(&mut self, of: &[&'o str]) -> &'o str {
        of[self.below(of.len())]
    }

    fn text(&mut self, of: &[&str], most: usize) -> String {
        (0..self.below(most + 1)).map(|_| self.one(of)).collect()
    }
}

const NAMES: [&str; 14] = [
    "a.html",
    "A.html",
    "b",
    "b.html",
    "index.html",
    "c d.html",
    "c%20d.html",
    "e?q=1",
    "e@q=1.html",
    "e",
    "\u{E9}",
    "x.php.html",
    "home.htm",
    "hts-cache",
];

const DIRECTORIES: [&str; 8] =
    ["", "d/", "d/b/", "h.example/", "h.example/d/", "www.h.example/", "i.example/", "D/"];

const PIECES: [&str; 30] = [
    "a.html",
    "A.html",
    "b",
    "b/",
    "d",
    "d/",
    "/",
    "..",
    "../",
    "./",
    "index.html",
    "c%20d.html",
    "c d.html",
    "e",
    "?q=1",
    "?",
    "#s",
    "#",
    "//h.example/",
    "http://h.example",
    "https://www.h.example/",
    "file:///t/",
    "http:",
    "C:\\x",
    ":",
    "%",
    "\u{E9}",
    "%C3%A9",
    "home.htm",
    "x.php",
];

const BASES: [&str; 9] = [
    "http://h.example/",
    "http://h.example/d/b.html?x/y#z",
    "http://h.example",
    "file:///t/d/a.html",
    "https://www.h.example/d/",
    "http://i.example/t/",
    "file:///t/",
    "mailto:u@h",
    "http://./d/",
];

/// A locator, and the same one that remembers little and nothing.
fn locators(random: &mut Random) -> [Locator; 3] {
    let top = Path::new("/t");
    let n_files = 1 + random.below(12);
    let file = |random: &mut Random| {
        top.join(format!("{}{}", random.one(&DIRECTORIES), random.one(&NAMES)))
    };
    let files: Vec<PathBuf> = (0..n_files).map(|_| file(random)).collect();
    let files = files
        .iter()
        .filter(|file| !files.iter().any(|other| other != *file && other.starts_with(file)));
    let store = SharedStore::new(Memory::from_iter(files.map(|file| (file, ""))));
    let paths = [top.to_owned()];
    let roots = [Root::in_store(&store, top.to_owned())];
    let layouts = [Layout::Plain, Layout::Wget, Layout::Httrack, Layout::Wayback];
    let layout = layouts[random.below(4)];
    let base = Some(random.one(&[
        "http://h.example/",
        "http://h.example/d/",
        "file:///t/",
        "http://i.example/t/",
    ]));
    let maps = match random.below(3) {
        0 => vec![MapOption::new(top.join("d"), "http://h.example/e/".to_owned())],
        _ => Vec::new(),
    };
    let urls = match random.below(3) {
        0 => UrlMapping::of_hosts(&store, &paths, layout, "http").ok(),
        1 => Some(UrlMapping::of_disk(&roots)),
        _ => UrlMapping::new(&store, &paths, base, &maps, layout).ok().map(|(urls, _)| urls),
    };
    let urls = urls.unwrap_or_else(|| UrlMapping::of_disk(&roots));
    let types = Types::new(&[], &OptIn::default()).unwrap();
    let (indexes, aliases) = (["home.htm".to_owned()], ["https://www.h.example/".to_owned()]);
    let options = LocatorOptions {
        indexes: &indexes[random.below(2)..],
        aliases: &aliases[random.below(2)..],
        letter_case: if random.below(2) == 0 { LetterCase::Exact } else { LetterCase::Folded },
        has_clean_urls: random.below(2) == 0,
        has_twins: random.below(2) == 0,
        has_server: random.below(2) == 0,
        ..LocatorOptions::default()
    };
    let locator = || Locator::new(&roots, &urls, &types, options);
    [locator(), locator().remembering(4), locator().remembering(0)]
}

/// Everything that is found out about a reference.
fn found(locator: &Locator, map: &dyn TargetMap, text: &str, base: &str) -> String {
    let resolver = Resolver::new(base, Dialect::Web).unwrap();
    let Some(target) = resolver.resolve(text).ok().and_then(|found| found.url()) else {
        return String::new();
    };
    let mut new = String::new();
    let moved = [false, true].map(|is_folder| map.moved(&target, is_folder, &mut new));
    let place = map.for_place(&target, base);
    let located = [false, true].map(|guesses| locator.locate(&target, guesses));
    let of_twin = [false, true].map(|guesses| locator.of_twin(&target, guesses));
    let at = locator.file_at(&target);
    let examined = [false, true]
        .map(|has_url| examine(text, &target, Some(base), false, has_url, Dialect::Web, locator));
    let rests = [map.rest(&target), locator.rest(&target), map.rest(base)];
    format!(
        "{target} {moved:?} {new} {place:?} {located:?} {of_twin:?} {at:?} {rests:?} {examined:?}"
    )
}

#[test]
fn what_is_remembered_is_what_would_be_computed() {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse().ok());
    let n_cases: usize = number("RELINK_CASES").unwrap_or(10_000);
    let mut random = Random(number("RELINK_SEED").unwrap_or(1808) as u64);
    for _ in 0..n_cases.div_ceil(REFERENCES) {
        let locators = locators(&mut random).map(Arc::new);
        let maps = locators
            .each_ref()
            .map(|locator| Remembered::new(locator.clone()) as Arc<dyn TargetMap>);
        for _ in 0..REFERENCES {
            let (text, base) = (random.text(&PIECES, 3), random.one(&BASES));
            let [expected, few, many] = [
                (&locators[2], &(locators[2].clone() as Arc<dyn TargetMap>)),
                (&locators[1], &maps[1]),
                (&locators[0], &maps[0]),
            ]
            .map(|(locator, map)| found(locator, &**map, &text, base));
            assert_eq!(few, expected, "{text} {base}");
            assert_eq!(many, expected, "{text} {base}");
        }
    }
}
