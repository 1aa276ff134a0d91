//! Resolves references against a base URL, and writes each target relative to it again.
//!
//! The first argument is the base, the others are references; without others, they are read from
//! standard input, one on each line:
//!
//! ```text
//! $ cargo run -q -p urlcore --example resolve -- http://example.org/a/b ../c 'x#y' '//other/'
//! ../c -> http://example.org/c (/c)
//! x#y -> http://example.org/a/x#y (x#y)
//! //other/ -> http://other/ (//other/)
//! ```
//!
//! In brackets is the shortest reference to the target. The rules are those of browsers.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "it is a program")]

use std::error::Error;
use std::io::{self, Write};

use urlcore::{BaseIs, Dialect, Relativizer, Resolver, Style};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let base = arguments.next().ok_or("usage: resolve BASE [REFERENCE]...")?;
    let mut references: Vec<String> = arguments.collect();
    if references.is_empty() {
        references = io::stdin().lines().collect::<Result<_, _>>()?;
    }
    run(&base, &references, &mut io::stdout().lock())
}

/// Writes a line for each reference.
pub(crate) fn run(
    base: &str,
    references: &[String],
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    // The base is split once. The buffers are reused, so that most references need no allocation.
    let resolver = Resolver::new(base, Dialect::Web)?;
    let (mut target, mut relativizer) = (String::new(), Relativizer::default());
    for reference in references {
        if let Err(error) = resolver.resolve_into(reference, &mut target) {
            writeln!(out, "{reference}: {error}")?;
            continue;
        }
        let style = Style::Shortest;
        let relative = relativizer.relativize(&resolver, &target, style, BaseIs::Document)?;
        writeln!(out, "{reference} -> {target} ({})", relative.text)?;
    }
    Ok(())
}
