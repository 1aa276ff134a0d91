//! What Blink writes into a saved page that it reads only there: shadow trees.

use std::borrow::Cow;

use memchr::memmem;

/// A shadow tree in a saved page.
const SAVED: &[u8] = b"<template shadowmode=\"";

/// The same in a page (HTML standard, 4.12.3).
const DECLARED: &[u8] = b"<template shadowrootmode=\"";

/// Returns a document of a page that Blink saved, with its shadow trees as any page declares them.
pub(super) fn with_shadow_trees(bytes: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let mut found = memmem::find_iter(&bytes, SAVED).peekable();
    if found.peek().is_none() {
        return bytes;
    }
    let mut out = Vec::with_capacity(bytes.len() + 64);
    let mut from = 0;
    for at in found {
        out.extend_from_slice(&bytes[from..at]);
        out.extend_from_slice(DECLARED);
        from = at + SAVED.len();
    }
    out.extend_from_slice(&bytes[from..]);
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shadow_trees_are_declared() {
        let page = b"<p><template shadowmode=\"open\">a</template><template>b</template>";
        let expected = b"<p><template shadowrootmode=\"open\">a</template><template>b</template>";
        assert_eq!(&*with_shadow_trees(Cow::Borrowed(page)), expected);
        assert!(matches!(with_shadow_trees(Cow::Borrowed(b"<p>")), Cow::Borrowed(b"<p>")));
    }
}
