//! `relink url`: the URL layer alone.

use std::io::{self, BufRead, Write};
use std::path::Path;

use urlcore::{Dialect, Reference, Resolver, clean};

use crate::cli::{ParseArgs, ResolveArgs};
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
        return batch(args.dialect);
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

/// Lines of `base<TAB>reference` to lines of `url<TAB>target`, or `none<TAB>reason`.
fn batch(dialect: Dialect) -> Result<Status, Error> {
    let mut stdout = io::BufWriter::new(io::stdout().lock());
    let mut target = String::new();
    for line in io::stdin().lock().split(b'\n') {
        let line =
            line.map_err(|error| Error::Usage(Failure::at(Path::new("-"))(error).to_string()))?;
        let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(&line));
        let Some((base, reference)) = line.split_once('\t') else {
            writeln!(stdout, "none\tno tab between base and reference")?;
            continue;
        };
        let resolved =
            Resolver::new(base, dialect).map_err(|error| error.to_string()).and_then(|resolver| {
                resolver.resolve_into(reference, &mut target).map_err(|error| error.to_string())
            });
        match resolved {
            Ok(()) => writeln!(stdout, "url\t{target}")?,
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
