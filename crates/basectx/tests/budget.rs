//! The budget: what is too deep, what is not, and that the time grows with the input (DESIGN.md, sections 7 and 10).

#![allow(clippy::expect_used, clippy::panic, reason = "a test stops where it cannot go on")]

mod recorder;

use std::fmt::Write;
use std::time::{Duration, Instant};

use basectx::html::Overrun;
use recorder::record;

#[track_caller]
fn check_overrun(input: &str, expected: Overrun) {
    match record(input.as_bytes()) {
        Ok(_) => panic!("{}… is read", &input[..60]),
        Err(overrun) => assert_eq!(overrun, expected),
    }
}

#[track_caller]
fn check_too_deep(input: &str) {
    check_overrun(input, Overrun::TooDeep);
}

#[track_caller]
fn check_too_many(input: &str) {
    check_overrun(input, Overrun::TooManyAttributes);
}

#[track_caller]
fn check_fine(input: &str, n_events: usize) {
    let (events, _) = record(input.as_bytes()).expect("it is within the budget");
    assert_eq!(events.len(), n_events);
}

/// `n` times what `write` writes, with the number of each.
fn repeat(n: usize, write: impl Fn(&mut String, usize) -> std::fmt::Result) -> String {
    let mut text = String::new();
    (0..n).for_each(|idx| write(&mut text, idx).expect("a String takes everything"));
    text
}

#[test]
fn nesting() {
    check_fine(&"<div>".repeat(400), 400);
    check_too_deep(&"<div>".repeat(600));
    check_too_deep(&format!("{}<base href=x>", "<div>".repeat(600)));
    check_too_deep(&"<svg><g>".repeat(300));
    check_too_deep(&"<template>".repeat(600));
    check_fine(&"<div></div>".repeat(5_000), 10_000);
    check_fine(&"<p>".repeat(5_000), 5_000);
    check_fine(&"<li><p><b></b>".repeat(2_000), 8_000);
}

#[test]
fn attributes() {
    let tag = |n| repeat(n, |text, idx| write!(text, " a{idx}=1"));
    check_too_many(&format!("<p{}>", tag(100_000)));
    check_too_many(&format!("<p></p{}>", tag(100_000)));
    check_too_many(&format!("<p><a{}", tag(100_000)));
    check_too_many(&format!("<p{}>", tag(100_000).replace("=1", "='>'")));
    check_fine(&format!("<p{}>", tag(1_000)), 1);
    check_fine(&format!("<p title='{}'>", "many words ".repeat(20_000)), 1);
    check_fine(&format!("<!-- <p{} -->", tag(20_000)), 1);
    check_fine(&format!("<script>if (a <b{}) </script>", tag(20_000)), 2);
    check_fine(&format!("a < b{}", tag(20_000)), 0);
    check_fine(&"<p a b c d e f g h>".repeat(2_000), 2_000);
}

/// What only looks like a tag or a declaration must not hide the tag that follows it.
#[test]
fn attributes_after_what_is_no_tag() {
    let tag = repeat(20_000, |text, idx| write!(text, " a{idx}=1"));
    check_too_many(&format!("<!-- <a b=' --><p{tag}>"));
    check_too_many(&format!("<title><a b='</title><p{tag}>"));
    check_too_many(&format!("a <3 b=' <p{tag}>"));
    check_too_many(&format!("<svg><![CDATA[<!]]><p{tag}>"));
    check_too_many(&format!("<svg><![CDATA[<a b=']]><p{tag}>"));
    check_too_many(&format!("<script></scripts b='</script{tag}>"));
    check_too_many(&format!("<script><!--<script></script b=' --></script{tag}>"));
}

#[test]
fn formatting_elements() {
    let open = repeat(3_000, |text, idx| write!(text, "<p><font color={idx}>x</p>"));
    check_too_deep(&open);
    check_too_deep(&format!("{open}<base href=x>"));
    let few = repeat(50, |text, idx| write!(text, "<font color={idx}>"));
    check_too_deep(&format!("{few}{}", "<p>x</p><div>y".repeat(3_000)));
    // Three of a kind are the most that are reopened (HTML standard, 13.2.4.3).
    check_fine(&"<p><b>x</p>".repeat(3_000), 9_000);
    check_fine(&"<p><font color=1>x</font></p>".repeat(3_000), 12_000);
}

/// The least time of a few runs; a document that is too deep has an end too.
fn time(input: &str) -> Duration {
    let run = || {
        let start = Instant::now();
        let _ = record(input.as_bytes());
        start.elapsed()
    };
    (0..3).map(|_| run()).min().unwrap_or_default()
}

/// Ten times the input takes at most fifteen times as long. Quadratic growth takes a hundred times.
fn check_growth(shape: &str, make: impl Fn(usize) -> String) {
    const FLOOR: Duration = Duration::from_millis(2);
    let (small, large) = (make(20_000), make(200_000));
    let is_linear = || time(&large) <= time(&small).max(FLOOR) * 15;
    // The machine may be busy; not for three times.
    assert!((0..3).any(|_| is_linear()), "{shape}: {:?}, {:?}", time(&small), time(&large));
}

/// `unit` as often as `len` bytes hold it.
fn flood(unit: &str, len: usize) -> String {
    unit.repeat(len / unit.len())
}

/// In one test, so that the shapes do not disturb each other's time.
#[test]
fn time_grows_with_the_input() {
    for unit in [
        "<div>",
        "</p>",
        "<p>",
        "<",
        "</",
        "<!",
        "&",
        "<a ",
        "<br>",
        "<b></b>",
        "<p><b>x</p>",
        "<a>x</p>",
        "<table><td>",
        "<svg></svg>",
        "<select><option>",
        "<!---->",
        "<title></title>",
        "<p x='>'>",
        "<option><li>",
        "<frameset>",
        "\0",
    ] {
        check_growth(unit, |len| flood(unit, len));
        check_growth(&format!("{unit} with base"), |len| flood(unit, len) + "<base href=x>");
    }
    for front in [
        "<!--",
        "<!-- -",
        "<script>",
        "<script><!--",
        "<title>",
        "<p a='",
        "<p a=",
        "<![CDATA[",
        "<svg><![CDATA[",
    ] {
        for unit in [">", "x>", "->", "<a b>", "&amp;"] {
            check_growth(&format!("{front} {unit}"), |len| format!("{front}{}", flood(unit, len)));
        }
    }
    for unit in ["<b></b>", "<i>x</i>", "<br>", "x", "<input type=hidden>", "<tr><b></b>"] {
        check_growth(&format!("table {unit}"), |len| {
            format!("<base href=x><table>{}", flood(unit, len))
        });
    }
    check_growth("base without and with href", |len| {
        flood("<base>", len / 2) + &flood("<base href>", len / 2)
    });
}
