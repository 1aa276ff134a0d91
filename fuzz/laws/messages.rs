//! Messages of any bytes, alone and in mailboxes, in every profile and in both directions: all
//! corollaries of the law.

use basectx::Context;
use rewrite::{
    Mail, Media, MessageFraming, Options, Profile, Relative, Unit, absolutize, relativize,
};

use super::corollaries;

const URL: &str = "http://h.example/a/b.eml";

/// The first byte says how the rest is read.
pub(crate) fn check(input: &[u8]) {
    let Some((choice, bytes)) = input.split_first() else { return };
    let framing = if choice & 1 == 0 { MessageFraming::None } else { MessageFraming::Mailbox };
    let context = if choice & 2 == 0 {
        Context::none()
    } else {
        Context::retrieval(URL.parse().unwrap(), "--base")
    };
    let mail = Mail::default()
        .with_profile(Profile::ALL[usize::from(choice >> 5) % Profile::ALL.len()].1)
        .with_breaks_signatures(choice & 4 != 0)
        .with_keeps_dkim(choice & 8 != 0);
    let media = Media::Message(framing);
    let options = |verify| Options::default().with_mail(mail).with_verify(verify);
    let targets = |bytes: &[u8]| {
        corollaries::targets(Unit::new(bytes, media, &context), &Options::default().with_mail(mail))
    };
    corollaries::hold(bytes, &targets, &|bytes, verify| {
        absolutize(Unit::new(bytes, media, &context), &options(verify))
    });
    corollaries::hold(bytes, &targets, &|bytes, verify| {
        relativize(Unit::new(bytes, media, &context), &options(verify), &Relative::default())
    });
}
