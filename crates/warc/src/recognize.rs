//! How a web archive is recognized by its first bytes.

use crate::gzip::Inflater;
use crate::gzip::{self, Header};
use crate::stream::is_warc;

/// Returns true if a file that begins with these bytes is a web archive: WARC, or ARC with its
/// first line `filedesc:`, in gzip or not. Of a gzip file, 300 bytes or more are necessary. A file
/// in zstd is never recognized.
///
/// ```
/// assert!(relink_warc::is_archive(b"WARC/1.1\r\nWARC-Type: warcinfo\r\n"));
/// assert!(!relink_warc::is_archive(b"WARC files begin with their version.\n"));
/// ```
pub fn is_archive(head: &[u8]) -> bool {
    let is_start = |text: &[u8]| is_warc(text) || text.starts_with(b"filedesc://");
    if !head.starts_with(gzip::MAGIC) {
        return is_start(head);
    }
    let Header::Complete(n_header) = gzip::header(head) else { return false };
    let mut text = [0; 512];
    let step = Inflater::raw().step(&head[n_header..], &mut text);
    is_start(&text[..step.map_or(0, |step| step.n_written)])
}
