//! The differential test: what is accepted by shifted values is accepted by reading all of the
//! output, whatever is done to the edits.

use basectx::Context;
use layers::Edits;

use super::*;
use crate::decide::CommandRules;
use crate::decide::absolutize::Absolutize;
use crate::decide::decider::Decider;
use crate::decide::relativize::Relativize;
use crate::decide::relocate::{Move, Relocate};
use crate::moves::prefix::PrefixMap;
use crate::options::AvailableMemory;
use crate::options::relative::{BaseElement, Relative};
use crate::unit::{Media, NewPlace};
use crate::verify::proof::{OutputFacts, Proof};
use crate::walk::scope::Bases;
use crate::walk::start::{Walked, walk};

const URL: &str = "http://h.example/a/b.html?q";

/// A small generator of numbers (Marsaglia, "Xorshift RNGs", 2003).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % n.max(1) as u64).unwrap()
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// Pieces of pages. `~` is a reference, `@` an attribute value that is one.
const PIECES: &[&str] = &[
    "<a href=@>t</a> ",
    "<a title=@ class=c href=@ id=i>",
    "<a href=@ href=@>",
    "<A\nHREF = @ >",
    "<img src=@ alt='a > b' srcset=\"~ 1x, ~ 2x\">",
    "<img srcset='~'>",
    "<link rel=stylesheet href=@>",
    "<link rel='canonical' href=@/>",
    "<base href=@>",
    "<noscript><img src=@><style>a{b:url(~)}</style></noscript>",
    "<noscript>~</noscript>",
    "<style>@import '~'; a{b:url(~)}</style>",
    "<style type=text/plain>a{b:url(~)}</style>",
    "<p style=\"a:url(~)\">",
    "<p style='a:b'>",
    "<iframe srcdoc=\"<a href='~'>\" src=@></iframe>",
    "<iframe><a href=@></iframe>",
    "<script src=@></script>",
    "<script>var a = '<a href=@>';</script>",
    "<script type=importmap>{\"imports\":{\"a\":\"./~\"}}</script>",
    "<!--[if IE]><link href=@><![endif]-->",
    "<!-- <a href=@> -->",
    "<svg><image xlink:href=@ /><use href='#y'/><style>a{b:url(~)}</style></svg>",
    "<svg><a href=@><desc></desc></svg>",
    "<meta http-equiv=refresh content='3; url=~'>",
    "<meta http-equiv=content-type content='text/html; charset=~'>",
    "<meta name=msapplication-task http-equiv=content-type content='name=n; action-uri=~; icon-uri=~'>",
    "<meta name=og:image content=@>",
    "<meta name=article:author content=@>",
    "<meta charset=@>",
    "<object codebase=@ classid=@ data=@ archive='~ ~'></object>",
    "<object classid=@ data=@></object>",
    "<model-viewer environment-image=@ skybox-image=@>",
    "<a ping='~ ~'>",
    "<form action=@><input formaction=@>",
    "<q cite=@>",
    "<select><option value=@></select>",
    "<textarea><a href=@></textarea>",
    "<title>~</title>",
    "<template><col><a href=@></template>",
    "<frameset><frame src=@>",
    "<math><mi href=@>",
    "<param name=movie value=@><param name=x value=@>",
    "</a href=@>",
    "<a href=@",
    "<",
    " text ",
    "<?x ~ ?>",
    "<![CDATA[~]]>",
    "<p itemid=@ itemprop='url' itemscope itemtype=@>",
    "<usemap><img usemap=@>",
    "<plaintext>",
];

const REFERENCES: &[&str] = &[
    "x",
    "y.html",
    "../z?a&amp;b#f",
    "../../../d/",
    "#t",
    "",
    " x ",
    "/r/s",
    "//o.example/x",
    "http://h.example/a/y",
    "http://o.example/q",
    "mailto:a@b",
    "clsid:1",
    "legacy",
    "{{t}}",
    "\u{FC}",
    "a&quot;b",
    "c&#39;d",
    "e>f",
    "utf-8",
    "a'b",
    "x\ty",
    "%2e%2e/x",
];

/// The texts that are put into edits and between them.
const SPECIALS: &[&[u8]] = &[
    b"\"",
    b"'",
    b" ",
    b"\t",
    b">",
    b"<",
    b"/",
    b"=",
    b"&",
    b"&amp",
    b"&#34;",
    b"#",
    b"?",
    b"\n",
    b"\r\n",
    b"\0",
    b"\x0C",
    b"\xFF",
    b"\xC3",
    b"{{",
    b"}}",
    b",",
    b", ",
    b";",
    b"(",
    b")",
    b"url(",
    b"../",
    b"./",
    b"/../",
    b"\\",
    b"-->",
    b"</noscript>",
    b"</style>",
    b"</STYLE ",
    b"</script>",
    b"]]>",
    b"<!--",
    b"\" href=\"x",
    b"' href='x",
    b"\"><a href=\"x",
    b"><base href=x>",
    b" href=y",
    b"clsid:",
    b"legacy",
    b"http://h.example/a/",
    b"data:,",
    b"x",
    b"1x",
    b"charset=latin1",
];

fn page(numbers: &mut Numbers) -> Vec<u8> {
    let mut page = String::new();
    if numbers.below(8) == 0 {
        page.push('\u{FEFF}');
    }
    for _ in 0..=numbers.below(7) {
        for char in numbers.one_of(PIECES).chars() {
            match char {
                '~' => page.push_str(numbers.one_of(REFERENCES)),
                '@' => {
                    let quote = numbers.one_of(&["\"", "\"", "'", ""]);
                    page.push_str(quote);
                    page.push_str(numbers.one_of(REFERENCES));
                    page.push_str(quote);
                }
                char => page.push(char),
            }
        }
    }
    page.into_bytes()
}

/// Returns the edits, damaged in one way.
fn damaged(input: &[u8], edits: &[Edit], numbers: &mut Numbers) -> Vec<Edit> {
    let mut edits = edits.to_vec();
    let special = numbers.one_of(SPECIALS);
    if edits.is_empty() || numbers.below(5) == 0 {
        let start = numbers.below(input.len() + 1);
        let end = input.len().min(start + numbers.below(3));
        let at = edits.partition_point(|edit| edit.span.start < start);
        let text = if numbers.below(3) == 0 { &[] } else { special };
        edits.insert(at, Edit { span: Span::new(start, end), text: text.into(), id: 0 });
        return edits;
    }
    let idx = numbers.below(edits.len());
    let edit = &mut edits[idx];
    let at = numbers.below(edit.text.len() + 1);
    let mut text = edit.text.to_vec();
    match numbers.below(10) {
        0..5 => {
            text.splice(at..at, special.iter().copied());
        }
        5 => text.truncate(at),
        6 => {
            text.drain(..at);
        }
        7 => {
            let Span { start, end } = edit.span;
            let (by, to) = (numbers.below(3), numbers.below(3));
            edit.span = Span::new((start + 1).saturating_sub(by), (end + 1).saturating_sub(to));
        }
        8 => {
            edits.remove(idx);
            return edits;
        }
        _ => {
            let other = numbers.below(edits.len());
            text = edits[other].text.to_vec();
        }
    }
    edits[idx].text = text.into();
    edits
}

/// The numbers of outputs.
#[derive(Debug, Default)]
struct Counts {
    n_outputs: u64,
    /// Those of which the values are known.
    n_known: u64,
    /// Those that are accepted by them.
    n_accepted: u64,
    /// Those that are accepted by reading all of the output.
    n_right: u64,
}

fn check(bytes: &[u8], rules: impl CommandRules, bases: Bases<'_>, by: &mut Tester<'_>) {
    let context = Context::retrieval(URL.parse().unwrap(), "test");
    let place = NewPlace { url: &"file:///srv/x/b.html".parse().unwrap(), root: "file:///srv/x/" };
    let new_place = bases.is_move().then_some(place);
    let unit = Unit::new(bytes, Media::HTML, &context).with_new_place(new_place);
    let options = &Options::default();
    let memory = AvailableMemory::new(&options.limits, bytes.len());
    let mut decider = Decider::new(rules, options, memory);
    let Walked { edits, edited, derived, page, memory, .. } =
        walk(unit, options, options.engine, bases, memory, &mut decider);
    let decided = decider.finish();
    let skipped: Vec<_> = decided.report.skipped.iter().map(|skipped| skipped.reason).collect();
    let Some(PageValues { found, start }) = page else { return };
    let (expectations, edited, derived) = (&decided.expectations, &edited, &derived);
    let facts = OutputFacts { expectations, edited, derived, skipped: &skipped, memory };
    for n in 0..by.n_each {
        let given = match n {
            0 => edits.clone(),
            _ => damaged(bytes, &edits, by.numbers),
        };
        let Ok(given) = Edits::new(given, bytes.len()) else { continue };
        let output = given.apply(bytes);
        by.counts.n_outputs += 1;
        let page = PageValues { found: found.clone(), start };
        let Some(known) = values(page, given.as_slice(), &output) else { continue };
        by.counts.n_known += 1;
        let proof = Proof { unit, output: &output, facts, options, bases };
        let (is_accepted, whole) = (proof.holds_for(known), proof.check_whole());
        by.counts.n_accepted += u64::from(is_accepted);
        by.counts.n_right += u64::from(whole.is_ok());
        assert!(
            !is_accepted || whole.is_ok(),
            "{whole:?}\n{}\n{}",
            bytes.escape_ascii(),
            output.escape_ascii()
        );
        // If nothing is wrong, the shifted values show that too.
        assert!(
            is_accepted || whole.is_err() || n > 0,
            "{}\n{}",
            bytes.escape_ascii(),
            output.escape_ascii()
        );
    }
}

struct Tester<'t> {
    numbers: &'t mut Numbers,
    counts: &'t mut Counts,
    n_each: usize,
}

#[test]
fn nothing_is_accepted_that_the_whole_output_disproves() {
    // Read when the test is compiled: these crates have no access to the environment.
    let number = |text: Option<&str>| text.and_then(|text| text.parse().ok());
    let n_cases: u64 = number(option_env!("RELINK_CASES")).unwrap_or(50_000);
    let seed = number(option_env!("RELINK_SEED")).unwrap_or(1808) | 1;
    let (mut numbers, mut counts) = (Numbers(seed), Counts::default());
    let relatives = [
        Relative::below("http://h.example/").with_base_element(BaseElement::Empty),
        Relative::below("http://h.example/a/").with_base_element(BaseElement::Keep),
    ];
    let mut map = PrefixMap::default();
    map.add("http://h.example/a/", "file:///srv/x/", []).unwrap();
    let moved = Move::by(map);
    let options = Options::default();
    while counts.n_outputs < n_cases {
        let page = page(&mut numbers);
        let mut by = Tester { numbers: &mut numbers, counts: &mut counts, n_each: 20 };
        check(&page, Absolutize::new(&options, None), Bases::KEPT, &mut by);
        for relative in &relatives {
            let bases = Bases::Written(relative.base_element, None);
            check(&page, Relativize::new(&options, relative), bases, &mut by);
        }
        let rules = Relocate::new(&options, &moved, true);
        check(&page, rules, Bases::Follow(&*moved.map), &mut by);
    }
    assert!(counts.n_known > counts.n_outputs / 4, "{counts:?}");
    assert!(counts.n_accepted > counts.n_outputs / 20, "{counts:?}");
}
