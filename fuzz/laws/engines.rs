//! Both engines give the same answer for any bytes.

#[path = "../../tests/engines/mod.rs"]
mod compared;

pub(crate) fn check(html: &[u8]) {
    compared::compare(html);
}
