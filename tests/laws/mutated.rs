//! Real pages with pieces cut out, put in, doubled and moved: what breaks in them is what breaks in
//! the world.

use std::fs;
use std::path::Path;

use crate::engines::{Compared, compare};
use crate::tools;

/// A small generator of numbers (Marsaglia, "Xorshift RNGs", 2003).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % n.max(1) as u64).unwrap()
    }
}

/// What is put in.
const PIECES: &[&str] = &[
    "<",
    ">",
    "\"",
    "'",
    "=",
    "/",
    "&",
    "<!--",
    "-->",
    "--!>",
    "<!",
    "<?",
    "</",
    "<![CDATA[",
    "]]>",
    "\0",
    "\r\n",
    "<svg>",
    "</svg>",
    "<math>",
    "</math>",
    "<script>",
    "</script>",
    "<style>",
    "</style>",
    "<title>",
    "</title>",
    "<textarea>",
    "<select>",
    "</select>",
    "<template>",
    "</template>",
    "<table>",
    "</table>",
    "<noscript>",
    "</noscript>",
    "<iframe>",
    "</iframe>",
    "<plaintext>",
    "<base href=x>",
    "<frameset>",
    "<p>",
    "</p>",
    "<br/>",
    "<desc>",
    "<mi>",
    "<a href=x>",
    "<img srcset='x, y'>",
    " style='a:url(x)'",
    " href=y",
    "<body>",
    "</body>",
    "</html>",
    "<xmp>",
    "<noframes>",
    "<col>",
    "<image href=x>",
    "<object codebase=x data=y>",
];

/// The page with up to eight changes.
fn mutate(page: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    // A window of it, so that much of what is read is near a change.
    let len = page.len().min(200 + numbers.below(3_000));
    let from = numbers.below(page.len() - len + 1) * numbers.below(2);
    let mut page = page[from..from + len].to_vec();
    for _ in 0..1 + numbers.below(8) {
        let at = numbers.below(page.len() + 1);
        let end = at + numbers.below((page.len() - at).min(40) + 1);
        match numbers.below(5) {
            0 => drop(page.drain(at..end)),
            1 => {
                let copy = page[at..end].to_vec();
                let to = numbers.below(page.len() + 1);
                drop(page.splice(to..to, copy));
            }
            2 if at < page.len() => page[at] ^= 1 << numbers.below(8),
            _ => {
                let piece = PIECES[numbers.below(PIECES.len())];
                drop(page.splice(at..at, piece.bytes()));
            }
        }
    }
    page
}

/// Some pages of the fixtures, and of the trees that are on this machine.
fn pages() -> Vec<Vec<u8>> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let rust = tools::rust_documentation().join("rust/html");
    let trees = [
        fixtures,
        rust.join("reference"),
        rust.join("std/vec"),
        tools::others("/usr/share/doc/openjdk-17-jre-headless/api/java.base/java/util"),
        tools::others("/usr/share/doc/libboost1.81-doc/doc/html"),
        tools::others("/usr/share/doc/python3.11/html/library"),
    ];
    let mut pages = Vec::new();
    for tree in trees {
        let walk = walkdir::WalkDir::new(&tree).sort_by_file_name().into_iter();
        let files = walk.filter_map(Result::ok).filter(|entry| {
            entry
                .path()
                .extension()
                .is_some_and(|extension| extension == "html" || extension == "htm")
        });
        let before = pages.len();
        pages.extend(files.take(60).filter_map(|entry| fs::read(entry.path()).ok()));
        if pages.len() == before {
            tools::skipped(format_args!("no pages at {}", tree.display()));
        }
    }
    pages
}

#[test]
fn mutated_pages() {
    let pages = pages();
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse().ok());
    let n_cases: u64 = number("RELINK_CASES").unwrap_or(2_000);
    let mut numbers = Numbers(number("RELINK_SEED").unwrap_or(1808) | 1);
    let mut n_agree = 0;
    for _ in 0..n_cases / 5 {
        let page = mutate(&pages[numbers.below(pages.len())], &mut numbers);
        n_agree += u64::from(compare(&page) == Compared::Agree);
    }
    println!("the engines agree on {n_agree} of {} mutated pages of {}", n_cases / 5, pages.len());
    assert!(n_agree > n_cases / 20);
}
