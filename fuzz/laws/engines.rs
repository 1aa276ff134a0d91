//! Both engines give the same answer for any bytes, and write the same bytes or name what they
//! skip.

#[path = "../../tests/engines/mod.rs"]
mod compared;

pub(crate) fn check(html: &[u8]) {
    compared::compare(html);
    compared::compare_outputs(html);
}
