//! Ten times the input takes ten times the time, whatever the input, in both engines, from bytes to proof (DESIGN section 10).
//!
//! By default 100 KB and 1 MB are compared; `RELINK_FULL=1` takes 1, 10 and 100 MB, which leave the caches one after the other, so that
//! some honest shapes take fifteen times as long. What is looked for is a quadratic step, which would take a hundred times.

#![allow(clippy::print_stdout, reason = "a test tells what it measured")]

use std::time::{Duration, Instant};

use basectx::Context;
use rewrite::{Engine, Media, Options, Unit, absolutize};

/// A document of about so many bytes.
type Shape = (&'static str, fn(usize) -> Vec<u8>);

/// `unit` again and again.
fn flood(unit: &str, n: usize) -> Vec<u8> {
    unit.as_bytes().repeat(n / unit.len())
}

fn between(start: &str, unit: &str, end: &str, n: usize) -> Vec<u8> {
    [start.as_bytes(), &flood(unit, n), end.as_bytes()].concat()
}

/// What `piece` writes for 0, 1, 2 … up to `n` bytes.
fn counted(start: &str, piece: fn(usize) -> String, end: &str, n: usize) -> Vec<u8> {
    let mut out = start.as_bytes().to_vec();
    for idx in 0.. {
        if out.len() >= n {
            break;
        }
        out.extend(piece(idx).bytes());
    }
    out.extend(end.bytes());
    out
}

const HONEST: Shape =
    ("links", |n| flood("<p>some text <a href=../x/y.html>and a link</a></p>\n", n));

const HOSTILE: &[Shape] = &[
    ("unclosed tags", |n| flood("<div>", n)),
    ("unclosed links", |n| flood("<a href=x>", n)),
    ("stray end tags", |n| flood("</b>", n)),
    ("stray </p>", |n| flood("</p>", n)),
    ("a flood of <", |n| flood("<", n)),
    ("a flood of <a", |n| flood("<a ", n)),
    ("a flood of <a that ends", |n| between("", "<a ", ">", n)),
    ("attributes by the million", |n| counted("<a ", |idx| format!("x{idx} "), ">", n)),
    ("attributes of one name", |n| between("<a ", "href=x ", ">", n)),
    ("attributes that hold >", |n| counted("<a ", |idx| format!("x{idx}='>' "), ">", n)),
    ("a comment never closed", |n| between("<!--", "x <a href=y> ", "", n)),
    ("comments in comments", |n| between("", "<!--", "-->", n)),
    ("dashes in a comment", |n| between("<!", "-", "", n)),
    ("conditional comments never closed", |n| between("", "<!--[if x]>", "<![endif]-->", n)),
    ("entities", |n| between("<a href='", "&amp;", "'>", n)),
    ("half entities", |n| between("<a href='", "&am", "'>", n)),
    ("numbers of entities", |n| between("<a href='&#", "1", "'>", n)),
    ("nested svg", |n| flood("<svg>", n)),
    ("nested svg and g", |n| flood("<svg><g>", n)),
    ("styles of svg", |n| between("<svg>", "<style>a{b:url(c)}</style>", "", n)),
    ("CDATA", |n| between("<svg>", "<![CDATA[x]]>", "", n)),
    ("scripts in a script", |n| between("<script>", "<script ", "</script>", n)),
    ("escaped scripts", |n| {
        between("<script><!--<script ", "</script <script ", "</script></script>", n)
    }),
    ("ends of a textarea", |n| between("<textarea>", "</textare ", "</textarea>", n)),
    ("candidates", |n| between("<img srcset='", "a 1x, ", "'>", n)),
    ("parentheses in a candidate", |n| between("<img srcset='a ", "(", "'>", n)),
    ("parentheses in CSS", |n| between("<style>a{b:", "(", "</style>", n)),
    ("braces in CSS", |n| between("<style>", "a{", "</style>", n)),
    ("urls in CSS", |n| between("<style>", "a{b:url(c)}", "</style>", n)),
    ("urls of CSS never closed", |n| between("<style>", "url(", "</style>", n)),
    ("strings of CSS", |n| between("<style>", "\"\\\n", "</style>", n)),
    ("escapes of CSS", |n| between("<style>@import '", "\\41", "';</style>", n)),
    ("attributes with CSS", |n| flood("<p style='a:url(b)'>", n)),
    ("fonts never closed", |n| counted("", |idx| format!("<p><font color={idx}>"), "", n)),
    ("fonts closed by paragraphs", |n| flood("<p><b>", n)),
    ("text foster-parented", |n| between("<base href=x><table>", "<i>x</i>", "", n)),
    ("bases", |n| flood("<base href=x>", n)),
    ("bases that do not count", |n| between("<template>", "<base href=x>", "</template>", n)),
    ("templates", |n| flood("<template>", n)),
    ("options", |n| between("<select>", "<option>x", "", n)),
    ("noscripts", |n| flood("<noscript><a href=x></noscript>", n)),
    ("applets", |n| flood("<object codebase=x archive='a b'>", n)),
    ("a list of pings", |n| between("<a ping='", "a ", "'>", n)),
    ("bytes that are no characters", |n| [b"<a href='", &*vec![0xFF; n], b"'>"].concat()),
    ("dots", |n| between("<a href='", "../", "'>", n)),
    ("white space in a URL", |n| between("<a href='", "x\n", "'>", n)),
    ("carriage returns", |n| flood("<a href=x>\r\n", n)),
];

fn time(input: &[u8], engine: Engine, n_runs: usize) -> Duration {
    let context = Context::retrieval("http://h.example/a/b.html", "--base");
    let options = Options { engine, ..Options::default() };
    let unit = Unit { bytes: input, media: Media::Html, context: &context, own_url: None };
    let run = || {
        let started = Instant::now();
        std::hint::black_box(absolutize(unit, &options));
        started.elapsed()
    };
    (0..n_runs).map(|_| run()).min().unwrap_or_default()
}

/// The growth per step from size to size, and whether it is small enough; what takes less than a floor is not told from noise.
fn growth(shape: Shape, engine: Engine, sizes: &[usize], limit: f64) -> (String, bool) {
    const FLOOR: Duration = Duration::from_millis(5);
    let mut told = format!("{engine:?} {}:", shape.0);
    let mut is_fine = true;
    let mut before: Option<Duration> = None;
    for size in sizes {
        let input = (shape.1)(*size);
        // A busy machine makes single runs slower, and never faster.
        let mut least = time(&input, engine, if *size > 20_000_000 { 1 } else { 3 });
        let limit = before.map(|before| before.max(FLOOR).mul_f64(limit));
        for _ in 0..4 {
            if limit.is_some_and(|limit| least > limit) {
                least = least.min(time(&input, engine, 1));
            }
        }
        is_fine &= limit.is_none_or(|limit| least <= limit);
        told.push_str(&format!(" {:.1}", least.as_secs_f64() * 1e3));
        before = Some(least);
    }
    (told + " ms", is_fine)
}

#[test]
fn time_grows_with_the_input() {
    let is_full = std::env::var_os("RELINK_FULL").is_some();
    let (sizes, limit): (&[usize], f64) = if is_full {
        (&[1_000_000, 10_000_000, 100_000_000], 20.0)
    } else {
        (&[100_000, 1_000_000], 15.0)
    };
    let mut faults = Vec::new();
    for shape in HOSTILE.iter().chain([&HONEST]) {
        for engine in [Engine::Auto, Engine::Reference] {
            let (told, is_fine) = growth(*shape, engine, sizes, limit);
            println!("{told}");
            if !is_fine {
                faults.push(told);
            }
        }
    }
    assert!(
        faults.is_empty(),
        "more than {limit} times the time for ten times the input:\n{}",
        faults.join("\n")
    );
}
