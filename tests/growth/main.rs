//! Ten times the input takes ten times the time, whatever the input, in both engines, from bytes to proof (DESIGN section 10).
//!
//! The program itself is measured, in a process of its own for each run, so that memory costs the same at each size. By default 100 KB and
//! 1 MB are compared, and a busy machine is allowed for; `RELINK_FULL=1` takes 1, 10 and 100 MB, and at most eleven times the time per step.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test stops where it cannot go on, and tells what it measured"
)]

mod asked;
mod http;
mod json;
mod mail;
mod text;
mod xml;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

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

/// How long the program takes to make the references of a file absolute and to prove it, from its start to its end.
fn time(file: &Path, engine: &str, n_runs: usize) -> Duration {
    let run = || {
        let started = Instant::now();
        let status = Command::new(env!("CARGO_BIN_EXE_relink"))
            .args(["absolutize", "--quiet", "--base", "http://h.example/a/b.html", "-o", "-"])
            .args(["--engine", engine, "--also", "ssi,js-modules,text,markdown"])
            .arg(file)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        // What is too deep for html5ever is left, with status 2: that too must not take long.
        assert!(status.is_ok_and(|status| matches!(status.code(), Some(0 | 2))));
        started.elapsed()
    };
    (0..n_runs).map(|_| run()).min().unwrap_or_default()
}

/// The growth per step from size to size, and whether it is small enough; what takes less than a floor is not told from noise.
fn growth(shape: Shape, name: &str, engine: &str, sizes: &[usize], limit: f64) -> (String, bool) {
    const FLOOR: Duration = Duration::from_millis(5);
    let mut told = format!("{engine} {}:", shape.0);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    let mut is_fine = true;
    let mut before: Option<Duration> = None;
    let mut steps = String::new();
    for size in sizes {
        std::fs::write(&file, (shape.1)(*size)).unwrap();
        // A busy machine makes single runs slower, and never faster.
        let mut least = time(&file, engine, if *size > 20_000_000 { 1 } else { 3 });
        let limit = before.map(|before| before.max(FLOOR).mul_f64(limit));
        for _ in 0..4 {
            if limit.is_some_and(|limit| least > limit) {
                least = least.min(time(&file, engine, 1));
            }
        }
        is_fine &= limit.is_none_or(|limit| least <= limit);
        if let Some(before) = before {
            steps.push_str(&format!(", {:.1}x", least.as_secs_f64() / before.as_secs_f64()));
        }
        told.push_str(&format!(" {:.1}", least.as_secs_f64() * 1e3));
        before = Some(least);
    }
    (told + " ms" + &steps, is_fine)
}

#[test]
fn time_grows_with_the_input() {
    let is_full = std::env::var_os("RELINK_FULL").is_some();
    let (sizes, limit): (&[usize], f64) = if is_full {
        (&[1_000_000, 10_000_000, 100_000_000], 11.0)
    } else {
        (&[100_000, 1_000_000], 15.0)
    };
    let html = HOSTILE.iter().chain([&HONEST]).chain(asked::INCLUDES).chain(json::PAGES);
    let html = html.flat_map(|shape| ["auto", "reference"].map(|engine| (shape, "x.html", engine)));
    let messages = mail::MESSAGES.iter().map(|shape| (shape, "x.eml", "auto"));
    let mailboxes = mail::MAILBOXES.iter().map(|shape| (shape, "x.mbox", "auto"));
    let modules = asked::MODULES.iter().map(|shape| (shape, "x.js", "auto"));
    let flowing = text::FLOWING.iter().map(|shape| (shape, "x.eml", "auto"));
    let texts = text::TEXTS.iter().map(|shape| (shape, "x.txt", "auto"));
    let markdown = text::MARKDOWN.iter().map(|shape| (shape, "x.md", "auto"));
    let files = json::FILES.iter().map(|(name, shape)| (shape, *name, "auto"));
    let xml = xml::DOCUMENTS.iter().map(|shape| (shape, "x.xml", "auto"));
    let responses = http::RESPONSES.iter().map(|shape| (shape, "x.html", "auto"));
    let others = flowing.chain(responses).chain(texts).chain(markdown).chain(files).chain(xml);
    let mut faults = Vec::new();
    for (shape, name, engine) in html.chain(modules).chain(messages).chain(mailboxes).chain(others)
    {
        let (told, is_fine) = growth(*shape, name, engine, sizes, limit);
        println!("{told}");
        if !is_fine {
            faults.push(told);
        }
    }
    assert!(
        faults.is_empty(),
        "more than {limit} times the time for ten times the input:\n{}",
        faults.join("\n")
    );
}
