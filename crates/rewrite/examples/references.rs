//! Lists the references of a page: where each is, what kind of place contains it, and where it
//! points to.
//!
//! The arguments are the URL of the page and, if it is no HTML, its media type. The page is read
//! from standard input:
//!
//! ```text
//! $ echo '<base href=b/><a href=c>c</a><style>@import "d.css"</style>' |
//!     cargo run -q -p relink-rewrite --example references -- http://example.org/a
//! 11 base[href] b/ -> http://example.org/b/
//! 22 a[href] c -> http://example.org/b/c
//! 45 css @import d.css -> http://example.org/b/d.css
//! ```

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "it is a program")]

use std::error::Error;
use std::io::{self, Read, Write};

use relink_rewrite::{Context, Media, Options, Unit, references};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().ok_or("usage: references URL [MEDIA-TYPE] < PAGE")?;
    let media_type = arguments.next().unwrap_or_else(|| "text/html".to_owned());
    let mut page = Vec::new();
    io::stdin().read_to_end(&mut page)?;
    run(&page, &url, &media_type, &mut io::stdout().lock())
}

/// Writes a line for each reference.
pub(crate) fn run(
    page: &[u8],
    url: &str,
    media_type: &str,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let media = Media::from_name(media_type).ok_or("unsupported media type")?;
    let context = Context::retrieval(url.parse()?, "argument");
    let unit = Unit::new(page, media, &context);
    let mut lines = Vec::new();
    let report = references(unit, &Options::default(), |site| {
        // The span in the page, also of a reference inside an embedded document.
        let span = site.frame.raw(site.span);
        let target = site.target().unwrap_or_else(|| "no target".to_owned());
        lines.push(format!("{} {} {} -> {target}", span.start, site.slot_name(), site.text));
    });
    for skipped in &report.skipped {
        lines.push(format!("{} skipped: {}", skipped.at, skipped.reason));
    }
    for line in lines {
        writeln!(out, "{line}")?;
    }
    Ok(())
}
