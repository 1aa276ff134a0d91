//! The budget: documents that exceed it, and documents that do not; `benches/growth` measures that
//! the time grows linearly with the input.

use std::fmt::Write;

use basectx::html::Overrun;

use crate::recorder::record;

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

/// Returns the concatenated outputs of `n` calls of `write` with the index of the call.
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

/// Text that only looks like a tag or a declaration must not hide the tag after it.
#[test]
fn attributes_after_text_that_looks_like_a_tag() {
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
    // At most three equal formatting elements are reopened (HTML standard, 13.2.4.3).
    check_fine(&"<p><b>x</p>".repeat(3_000), 9_000);
    check_fine(&"<p><font color=1>x</font></p>".repeat(3_000), 12_000);
}
