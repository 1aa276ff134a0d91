//! `relink url`: the URL layer alone.

use std::io::{self, BufRead, Write};
use std::path::Path;

use urlcore::{BaseIs, EmptyReference, Reference, Relativizer, Resolution, Resolver, clean};

use crate::cli::{ParseArgs, ResolveArgs, UrlRelativizeArgs};
use crate::exit::{Error, Status};
use crate::failure::Failure;
use crate::messages;

/// Runs `url resolve`.
///
/// # Errors
///
/// [`Error`] if the base is none, or if a stream fails.
pub fn resolve(args: &ResolveArgs) -> Result<Status, Error> {
    if args.batch {
        let mut target = String::new();
        return batch("reference", |base, reference| {
            let resolver = Resolver::new(base, args.dialect).map_err(|error| error.to_string())?;
            let resolved = resolver.resolve_into(reference, &mut target);
            resolved
                .map(|resolution| match resolution {
                    Resolution::Url(url) => format!("url\t{url}"),
                    same => format!("same\t{same}"),
                })
                .map_err(|error| error.to_string())
        });
    }
    let (base, reference) =
        (args.base.as_deref().unwrap_or_default(), args.reference.as_deref().unwrap_or_default());
    let resolver = Resolver::new(base, args.dialect)
        .map_err(|error| Error::Usage(format!("{base}: {error}")))?;
    match resolver.resolve(reference) {
        Ok(target) => {
            writeln!(io::stdout(), "{target}")?;
            Ok(Status::Done)
        }
        Err(error) => {
            messages::print(&format!("{reference}: {error}"));
            Ok(Status::Found)
        }
    }
}

/// Runs `url relativize`.
///
/// # Errors
///
/// [`Error`] if the base is none, or if a stream fails.
pub fn relativize(args: &UrlRelativizeArgs) -> Result<Status, Error> {
    // Where `""` and `#s` do not ask for the base, it takes a word that the base is the document.
    let asks = args.dialect.rules().empty_reference == EmptyReference::SameDocument;
    let base_is = if asks { BaseIs::Other } else { BaseIs::Document };
    let mut relativizer = Relativizer::default();
    let mut relativize = |base: &str, target: &str| {
        let resolver = Resolver::new(base, args.dialect).map_err(|error| error.to_string())?;
        let written = relativizer.relativize(&resolver, target, args.style, base_is);
        written.map(|found| format!("ref\t{}", found.text)).map_err(|error| error.to_string())
    };
    if args.batch {
        return batch("target", relativize);
    }
    let (base, target) =
        (args.base.as_deref().unwrap_or_default(), args.target.as_deref().unwrap_or_default());
    Resolver::new(base, args.dialect).map_err(|error| Error::Usage(format!("{base}: {error}")))?;
    match relativize(base, target) {
        Ok(line) => {
            writeln!(io::stdout(), "{}", line.trim_start_matches("ref\t"))?;
            Ok(Status::Done)
        }
        Err(reason) => {
            messages::print(&format!("{target}: {reason}"));
            Ok(Status::Found)
        }
    }
}

/// Lines of base, tab, `other` to the lines that `act` makes of both, or `none<TAB>reason`.
fn batch(
    other: &str,
    mut act: impl FnMut(&str, &str) -> Result<String, String>,
) -> Result<Status, Error> {
    let mut stdout = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().split(b'\n') {
        let stdin = Failure::at(Path::new("-"));
        let line = line.map_err(|error| Error::Usage(stdin(error).to_string()))?;
        let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(&line));
        let made = match line.split_once('\t') {
            Some((base, text)) => act(base, text),
            None => Err(format!("no tab between base and {other}")),
        };
        match made {
            Ok(made) => writeln!(stdout, "{made}")?,
            Err(reason) => writeln!(stdout, "none\t{reason}")?,
        }
    }
    stdout.flush()?;
    Ok(Status::Done)
}

/// Runs `url parse`: a component a line; one that is not there has no line, one that is empty has an empty one.
///
/// # Errors
///
/// [`Error`] if standard output fails.
pub fn parse(args: &ParseArgs) -> Result<Status, Error> {
    let text = clean(&args.reference, args.dialect);
    let reference = Reference::split(&text, args.dialect);
    let mut stdout = io::stdout().lock();
    for (name, component) in [
        ("scheme", reference.scheme()),
        ("authority", reference.authority()),
        ("path", Some(reference.path())),
        ("params", reference.params()),
        ("query", reference.query()),
        ("fragment", reference.fragment()),
    ] {
        if let Some(component) = component {
            writeln!(stdout, "{name:<10}{}", messages::visible(component))?;
        }
    }
    Ok(Status::Done)
}
