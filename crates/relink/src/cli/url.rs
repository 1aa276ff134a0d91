//! `relink url`: the URL layer alone.
//!
//! Each command is a function from the fields of a line to an answer. One line is given on the
//! command line, or many on standard input.

mod data;

use std::borrow::Cow;
use std::io::{self, BufRead, Read, Write};
use std::path::Path;

use serde::Serialize;
use urlcore::scheme::View;
use urlcore::text::Wrapper;
use urlcore::{
    BaseError, BaseIs, Dialect, EmptyReference, Normalization, Reference, Relativizer, Resolution,
    Resolver, Rules, SameScheme, Strictness, clean, normalize, spelled_as, text, typed, validate,
};

use crate::cli::args::url::{
    FindArgs, NormalizeArgs, ParseArgs, ResolveArgs, TableArgs, UrlCommand, UrlRelativizeArgs,
    ValidateArgs,
};
use crate::cli::terminal;
use crate::events::{self, Events, Status};
use crate::os::failure::Failure;
use crate::os::format::Format;
use crate::os::messages;
use crate::plan::exit::Error;
use crate::urls::renames::row;

/// The answer for one line.
struct Answer {
    kind: &'static str,
    text: Vec<u8>,
    /// True if there is a result; otherwise the text is the reason why there is none.
    is_found: bool,
}

impl Answer {
    fn found(kind: &'static str, text: impl Into<Vec<u8>>) -> Self {
        Answer { kind, text: text.into(), is_found: true }
    }

    fn none(kind: &'static str, reason: impl ToString) -> Self {
        Answer { kind, text: reason.to_string().into(), is_found: false }
    }
}

/// Runs a command of `url`.
///
/// # Errors
///
/// [`Error`] if a base is invalid, or if a stream fails.
pub fn run(command: &UrlCommand, events: &mut dyn Events) -> Result<Status, Error> {
    match command {
        UrlCommand::Resolve(args) => resolve(args, events),
        UrlCommand::Relativize(args) => relativize(args, events),
        UrlCommand::Parse(args) => parse(args, events),
        UrlCommand::Find(args) => find(args, events),
        UrlCommand::Validate(args) => check(args, events),
        UrlCommand::Normalize(args) => normal(args, events),
        UrlCommand::Table(args) => table(args, events),
        UrlCommand::FromPath(args) => data::from_path(args, events),
        UrlCommand::ToPath(args) => data::to_path(args, events),
        UrlCommand::Escape(args) => data::escape(args, events),
        UrlCommand::Unescape(args) => data::unescape(args, events),
    }
}

fn resolve(args: &ResolveArgs, events: &mut dyn Events) -> Result<Status, Error> {
    let mut rules = *args.input.dialect.rules();
    if args.excess.is_some() && args.input.dialect != Dialect::Rfc2396 {
        return Err(Error::Usage(
            "cannot use --excess with this dialect; only rfc2396 has it; use `--dialect rfc2396`"
                .to_owned(),
        ));
    }
    if args.non_strict && args.input.dialect != Dialect::Rfc3986 {
        return Err(Error::Usage("cannot use --non-strict with this dialect; only rfc3986 has it; use `--dialect rfc3986`".to_owned()));
    }
    rules.excess = args.excess.unwrap_or(rules.excess);
    if args.non_strict {
        rules.same_scheme = SameScheme::Ignored;
    }
    let fields = [args.base.as_deref(), args.reference.as_deref()];
    with_base(events, fields, args.input.dialect, rules, "reference", |resolver, reference| {
        match resolver.resolve(reference) {
            Ok(Resolution::Url(url)) => Answer::found("url", url),
            Ok(same) => Answer::found("same", same.to_string()),
            Err(error) => Answer::none("none", error),
        }
    })
}

fn relativize(args: &UrlRelativizeArgs, events: &mut dyn Events) -> Result<Status, Error> {
    let rules = *args.input.dialect.rules();
    // If `""` and `#s` do not depend on the base, an option must say that the base is the document.
    let names_base = rules.empty_reference != EmptyReference::SameDocument;
    let base_is = if names_base || args.document { BaseIs::Document } else { BaseIs::Other };
    let mut relativizer = Relativizer::default();
    let fields = [args.base.as_deref(), args.target.as_deref()];
    with_base(events, fields, args.input.dialect, rules, "target", |resolver, target| {
        // As in trees: scheme and host are compared without case, and default ports are equal to
        // none.
        let respelled = spelled_as(resolver.base(), target, args.input.dialect);
        let target = respelled.as_deref().unwrap_or(target);
        match relativizer.relativize(resolver, target, args.style, base_is) {
            Ok(found) => Answer::found("ref", found.text.to_owned()),
            Err(error) => Answer::none("none", error),
        }
    })
}

/// Answers for one base and text, or for lines of both, without the delimiters that people type
/// around them.
fn with_base(
    events: &mut dyn Events,
    fields: [Option<&str>; 2],
    dialect: Dialect,
    rules: Rules,
    what: &str,
    mut act: impl FnMut(&Resolver<'_>, &str) -> Answer,
) -> Result<Status, Error> {
    if let [Some(base), Some(text)] = fields {
        fields.into_iter().flatten().for_each(|field| note_hyphens(field, dialect, events));
        let (base, text) = (untyped(base, dialect), untyped(text, dialect));
        let resolver = Resolver::with_rules(&base, rules);
        let resolver = resolver.map_err(|error| Error::Usage(invalid_base(&base, error)))?;
        return print_answer(&text, &act(&resolver, &text), events);
    }
    let act = |line: &str| {
        let Some((base, text)) = line.split_once('\t') else {
            return Answer::none("none", format!("no tab between base and {what}"));
        };
        match Resolver::with_rules(&untyped(base, dialect), rules) {
            Ok(resolver) => act(&resolver, &untyped(text, dialect)),
            Err(error) => Answer::none("none", error),
        }
    };
    batch(act, events)
}

/// Returns the reason why a base is wrong usage.
fn invalid_base(base: &str, error: BaseError) -> String {
    format!("invalid base URL '{base}'; {error}")
}

/// Answers for one text, or for lines, without the delimiters that people type around them.
fn with_text(
    events: &mut dyn Events,
    text: Option<&str>,
    dialect: Dialect,
    strictness: Strictness,
    mut act: impl FnMut(&str) -> Answer,
) -> Result<Status, Error> {
    let mut act = |text: &str| act(&typed(text, dialect, strictness).reference);
    match text {
        Some(text) => {
            note_hyphens(text, dialect, events);
            print_answer(text, &act(text), events)
        }
        None => batch(act, events),
    }
}

/// Returns a reference without the delimiters that people type around it.
fn untyped(text: &str, dialect: Dialect) -> Cow<'_, str> {
    typed(text, dialect, Strictness::Lenient).reference
}

/// Sends a warning if a line of a typed reference ends after a hyphen (1996 appendix E).
fn note_hyphens(text: &str, dialect: Dialect, events: &mut dyn Events) {
    if let Some(other) = typed(text, dialect, Strictness::Lenient).without_hyphens {
        events.warning(&format!(
            "warning: a line ends after a hyphen; it may not be part of the URL; without it, the URL is {other}"
        ));
    }
}

/// Prints a single answer.
fn print_answer(asked: &str, answer: &Answer, events: &mut dyn Events) -> Result<Status, Error> {
    if answer.is_found {
        let mut out = events::OutputWriter(events);
        // On a terminal, control characters are escaped; a file gets the answer unchanged.
        if terminal::is_stdout() {
            let text = String::from_utf8_lossy(&answer.text);
            writeln!(out, "{}", messages::visible(&text))?;
        } else {
            out.write_all(&[&answer.text[..], b"\n"].concat())?
        }
        out.flush()?;
        return Ok(Status::Done);
    }
    events.error(&format!("{asked}: {}", String::from_utf8_lossy(&answer.text)));
    Ok(Status::Found)
}

/// Prints an answer for each line of standard input, which must be UTF-8.
fn batch(mut act: impl FnMut(&str) -> Answer, events: &mut dyn Events) -> Result<Status, Error> {
    let act = |line: &[u8]| match std::str::from_utf8(line) {
        Ok(line) => act(line),
        Err(_) => Answer::none("none", "not UTF-8"),
    };
    batch_of_bytes(act, events)
}

/// Prints an answer for each line of standard input.
fn batch_of_bytes(
    mut act: impl FnMut(&[u8]) -> Answer,
    events: &mut dyn Events,
) -> Result<Status, Error> {
    let mut out = events::OutputWriter(events);
    let (mut stdin, mut line) = (io::stdin().lock(), Vec::new());
    loop {
        line.clear();
        let read = (&mut stdin).take(row::LONGEST + 1).read_until(b'\n', &mut line);
        match read.and_then(row::check_length) {
            Ok(0) => break,
            read => drop(read.map_err(Failure::reading(Path::new("-")))?),
        }
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let answer = act(text.strip_suffix(b"\r").unwrap_or(text));
        write!(out, "{}\t", answer.kind)?;
        out.write_all(&answer.text)?;
        out.write_all(b"\n")?;
    }
    out.flush()?;
    Ok(Status::Done)
}

/// Prints one component per line. A component that the reference does not have has no line; an
/// empty one has an empty line. In a batch, one line has all of them.
fn parse(args: &ParseArgs, events: &mut dyn Events) -> Result<Status, Error> {
    let dialect = args.input.dialect;
    let Some(text) = &args.reference else {
        let act = |line: &str| {
            let list = components(line, dialect, args.parts);
            let list =
                list.iter().map(|(name, part)| format!("{name}={}", messages::visible(part)));
            Answer::found("ref", list.collect::<Vec<_>>().join("\t"))
        };
        return batch(act, events);
    };
    note_hyphens(text, dialect, events);
    let mut out = events::OutputWriter(events);
    let list = components(text, dialect, args.parts);
    let width = list.iter().map(|(name, _)| name.len() + 1).max().unwrap_or_default().max(10);
    for (name, component) in list {
        writeln!(out, "{name:<width$}{}", messages::visible(&component))?;
    }
    out.flush()?;
    Ok(Status::Done)
}

/// Returns the components of a reference with their names; with `has_parts` also those of the
/// authority and those that the scheme defines, as `scheme.part`.
fn components(text: &str, dialect: Dialect, has_parts: bool) -> Vec<(String, String)> {
    let text = untyped(text, dialect);
    let text = clean(&text, dialect);
    let r = Reference::split(&text, dialect);
    let mut list = Vec::new();
    let mut add = |name: &str, component: Option<&str>| {
        list.extend(component.map(|component| (name.to_owned(), component.to_owned())));
    };
    add("scheme", r.scheme());
    add("authority", r.authority());
    if let Some(server) = r.server().filter(|_| has_parts) {
        add("user", server.user);
        add("password", server.password);
        add("host", Some(server.host));
        add("port", server.port);
    }
    add("path", Some(r.path()));
    add("params", r.params());
    add("query", r.query());
    add("fragment", r.fragment());
    if let Some(view) = View::parse(&r).filter(|_| has_parts) {
        const OF_SERVER: [&str; 4] = ["user", "password", "host", "port"];
        let scheme = r.scheme().unwrap_or_default().to_ascii_lowercase();
        for (name, part) in view.parts() {
            if r.authority().is_none() || !OF_SERVER.contains(&name) {
                add(&format!("{scheme}.{name}"), Some(part));
            }
        }
    }
    list
}

fn check(args: &ValidateArgs, events: &mut dyn Events) -> Result<Status, Error> {
    let strictness = if args.lenient { Strictness::Lenient } else { Strictness::Strict };
    let dialect = args.input.dialect;
    with_text(events, args.reference.as_deref(), dialect, strictness, |text| {
        match validate(text, dialect, strictness) {
            Ok(()) => Answer::found("valid", text),
            Err(error) => Answer::none("invalid", error),
        }
    })
}

fn normal(args: &NormalizeArgs, events: &mut dyn Events) -> Result<Status, Error> {
    let level = if args.by_scheme { Normalization::Scheme } else { Normalization::Syntax };
    let dialect = args.input.dialect;
    with_text(events, args.reference.as_deref(), dialect, Strictness::Lenient, |text| {
        Answer::found("ref", normalize(text, dialect, level))
    })
}

/// A URL in a text, in JSON.
#[derive(Serialize)]
struct Url<'u> {
    url: &'u str,
    without_hyphens: Option<&'u str>,
    wrapper: &'static str,
    span: [usize; 2],
    line: usize,
    column: usize,
}

fn find(args: &FindArgs, events: &mut dyn Events) -> Result<Status, Error> {
    let text = match &args.text {
        Some(text) => text.clone(),
        None => {
            let stdin = Failure::reading(Path::new("-"));
            let bytes = row::read_list(io::stdin().lock()).map_err(stdin)?;
            // One character for each invalid byte, so that the spans are correct.
            let chunks = bytes.utf8_chunks();
            chunks.fold(String::with_capacity(bytes.len()), |mut text, chunk| {
                text.push_str(chunk.valid());
                text.extend(chunk.invalid().iter().map(|_| '\u{1a}'));
                text
            })
        }
    };
    let mut out = events::OutputWriter(events);
    let (mut line, mut line_start, mut from) = (1, 0, 0);
    for found in text::find(&text) {
        let before = &text.as_bytes()[from..found.span.start];
        line += before.iter().filter(|byte| **byte == b'\n').count();
        if let Some(end) = before.iter().rposition(|byte| *byte == b'\n') {
            line_start = from + end + 1;
        }
        from = found.span.start;
        let url = messages::visible(&found.url);
        let without_hyphens = found.without_hyphens.as_deref();
        match args.format.format {
            Format::Text => match without_hyphens {
                Some(other) => writeln!(out, "{url} or {}", messages::visible(other))?,
                None => writeln!(out, "{url}")?,
            },
            Format::Json => {
                let wrapper = match found.wrapper {
                    Wrapper::Angle => "angle",
                    Wrapper::Quotes => "quotes",
                    Wrapper::Bare => "bare",
                };
                let span = [found.span.start, found.span.end];
                let column = found.span.start - line_start + 1;
                let url = Url { url: &found.url, without_hyphens, wrapper, span, line, column };
                messages::write_json(&mut out, &url)?;
            }
        }
    }
    out.flush()?;
    Ok(Status::Done)
}

fn table(args: &TableArgs, events: &mut dyn Events) -> Result<Status, Error> {
    // A text that is not a base in any dialect is wrong usage, as with the other commands.
    let base = |dialect: &Dialect| untyped(&args.base, *dialect);
    let bases = Dialect::ALL.iter().map(|dialect| Resolver::new(&base(dialect), *dialect).err());
    if let Some(error) = bases.reduce(Option::and).flatten() {
        return Err(Error::Usage(invalid_base(&args.base, error)));
    }
    let mut out = events::OutputWriter(events);
    for &dialect in Dialect::ALL {
        let (base, reference) = (base(&dialect), untyped(&args.reference, dialect));
        let answer = match Resolver::new(&base, dialect) {
            Ok(resolver) => match resolver.resolve(&reference) {
                Ok(Resolution::Url(url)) => url,
                Ok(same) => format!("(current document){same}"),
                Err(error) => format!("(none: {error})"),
            },
            Err(error) => format!("(none: {error})"),
        };
        writeln!(out, "{:<17}{}", dialect.name(), messages::visible(&answer))?;
    }
    out.flush()?;
    Ok(Status::Done)
}
