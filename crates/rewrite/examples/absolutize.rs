//! Makes all references of a page absolute, and changes no other byte.
//!
//! The argument is the URL of the page. The page is read from standard input and written to
//! standard output:
//!
//! ```text
//! $ echo "<img src=a.png alt='a&b'>" |
//!     cargo run -q -p relink-rewrite --example absolutize -- http://example.org/pages/
//! <img src=http://example.org/pages/a.png alt='a&b'>
//! ```
//!
//! The output has been verified: each reference points to its intended target. What could not be
//! handled is on standard error.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "it is a program")]

use std::error::Error;
use std::io::{self, Read, Write};

use relink_rewrite::{Context, Media, Options, Outcome, Unit, absolutize};

fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().nth(1).ok_or("usage: absolutize URL < PAGE")?;
    let mut page = Vec::new();
    io::stdin().read_to_end(&mut page)?;
    run(&page, &url, &mut io::stdout().lock(), &mut io::stderr().lock())
}

/// Writes the page with absolute references to `out`, and a summary to `messages`.
pub(crate) fn run(
    page: &[u8],
    url: &str,
    out: &mut impl Write,
    messages: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let context = Context::retrieval(url.parse()?, "argument");
    let unit = Unit::new(page, Media::HTML, &context);
    let rewritten = absolutize(unit, &Options::default().with_lists_incidents(true));
    if let Some(error) = rewritten.verify_error() {
        return Err(error.clone().into());
    }
    let report = &rewritten.report;
    for skipped in &report.skipped {
        writeln!(messages, "byte {}: skipped: {}", skipped.at, skipped.reason)?;
    }
    for incident in &report.incidents {
        writeln!(messages, "byte {}: {} {}", incident.at, incident.reference, incident.message)?;
    }
    let (n_rewritten, n) = (report.counts.get(Outcome::Rewritten), report.counts.total());
    writeln!(messages, "{n_rewritten} of {n} references rewritten")?;
    // Without edits there is no output: the page is the output.
    out.write_all(rewritten.output().unwrap_or(page))?;
    Ok(())
}
