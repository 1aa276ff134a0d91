//! Prints the base URL of each part of a saved page (MHTML) or another message, and the chain of
//! header fields that gives it.
//!
//! The message is read from standard input. The URL of its file, if it has one, is the argument:
//!
//! ```text
//! $ cargo run -q -p basectx --example bases < fixtures/mail/relative-locations.mhtml
//! ```
//!
//! Each part has a line with its number, its media type and its base, or `no base`. The lines below
//! it are the contexts around the part, from the inside out, each with the section of the
//! specification that defines its place. A `<base>` in a page is one more context inside of these:
//! see `Context::html_base`.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "it is a program")]

use std::error::Error;
use std::io::{self, Read, Write};

use basectx::Context;
use basectx::message::{Around, Contexts, Message, Profile};

fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().nth(1);
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes)?;
    run(&bytes, url.as_deref(), &mut io::stdout().lock())
}

/// Writes the chain of each part.
pub(crate) fn run(
    bytes: &[u8],
    url: Option<&str>,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let url = url.map(str::parse).transpose()?;
    let outside = url.map_or(Context::none(), |url| Context::retrieval(url, "argument"));
    let message = Message::read(bytes);
    let contexts = Contexts::new(&message, Profile::Relink);
    let around = Around { context: &outside, part: "", raw: &|span| span };
    for field in contexts.fill(&message, bytes, around) {
        writeln!(out, "byte {}: {} gives no base", field.span.start, field.field)?;
    }
    for idx in message.leaves() {
        let Some(context) = contexts.get(idx) else { continue };
        let media_type = &message.entities[idx].content_type.media_type;
        let base = context.base().unwrap_or("no base");
        writeln!(out, "{} {media_type}: {base}", message.part(idx))?;
        for declared in context.chain().filter(|context| !context.origin().is_empty()) {
            let (origin, section) = (declared.origin(), declared.section());
            let base = declared.base().unwrap_or("no base");
            writeln!(out, "    {origin}: {base} ({section})")?;
        }
    }
    Ok(())
}
