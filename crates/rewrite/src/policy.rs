//! Content Security Policies in documents, which no command edits: whether a document may have one.

/// Returns true if a document may contain a policy, in `<meta http-equiv>` or in a header field.
pub(crate) fn has_policy(bytes: &[u8]) -> bool {
    const NAME: &[u8] = b"content-security-policy";
    memchr::memchr2_iter(b'c', b'C', bytes).any(|at| {
        bytes.get(at..at + NAME.len()).is_some_and(|name| name.eq_ignore_ascii_case(NAME))
    })
}

/// Returns true if it may have a policy with hashes of the texts in it (CSP 3, section 2.3.1,
/// "hash-source").
pub(crate) fn has_hashes(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, b"'sha").is_some() && has_policy(bytes)
}
