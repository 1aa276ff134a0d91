//! Messages of any bytes: what is made absolute, or relative, is proved, and a second run changes nothing:
//! `cargo +nightly fuzz run messages -- -dict=fuzz/mail.dict`.

#![no_main]

use basectx::Context;
use rewrite::{
    Mail, Media, Options, Profile, Relative, Rewritten, Shell, Undone, Unit, absolutize, relativize,
};

const URL: &str = "http://h.example/a/b.eml";

libfuzzer_sys::fuzz_target!(|input: (u8, &[u8])| {
    let (choice, bytes) = input;
    let shell = if choice & 1 == 0 { Shell::None } else { Shell::Mailbox };
    let context = if choice & 2 == 0 { Context::none() } else { Context::retrieval(URL, "--base") };
    let own_url = (choice & 2 != 0).then_some(URL);
    let mail = Mail {
        profile: Profile::ALL[usize::from(choice >> 5) % Profile::ALL.len()].1,
        breaks_signatures: choice & 4 != 0,
        keeps_dkim: choice & 8 != 0,
        updates_checksums: choice & 16 != 0,
    };
    let options = Options { mail, ..Options::default() };
    let media = Media::Message(shell);
    check(bytes, |bytes| {
        let unit = Unit { bytes, media, context: &context, own_url, new_place: None };
        absolutize(unit, &options)
    });
    check(bytes, |bytes| {
        let unit = Unit { bytes, media, context: &context, own_url, new_place: None };
        relativize(unit, &options, &Relative::default())
    });
});

fn check(bytes: &[u8], convert: impl Fn(&[u8]) -> Rewritten) {
    let first = convert(bytes);
    assert!(first.disproof.is_none(), "{:?}", first.disproof);
    // What is too much may be less after it was written anew.
    let is_overrun = |reason| {
        matches!(reason, Undone::TooDeep | Undone::TooManyAttributes | Undone::TooLarge)
    };
    if first.report.left.iter().any(|left| is_overrun(left.reason)) {
        return;
    }
    if let Some(output) = first.output {
        let second = convert(&output);
        assert_eq!(second.output, None, "a second run changes something");
    }
}
