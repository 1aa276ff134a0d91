//! `relink explain`: how one reference is read, decoded, resolved, and written.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use layers::{Edit, Edits, Span};
use rewrite::{ListedContext, Site, references};
use serde::Serialize;
use urlcore::{BaseIs, Dialect, Form, Reference, Relativizer, Resolution, Resolver, Style, clean};

use super::bases::labels;
use super::listing::{self, FileListing, ListSummary};
use super::refs::{note, resolved};
use super::{LineCounter, unread};
use crate::commands::bases::chain;
use crate::commands::convert::references::explained;
use crate::commands::{embedded, pair, place_of};
use crate::events::Events;
use crate::events::detail::{ContextDetail, DocumentPlace, EmbeddedPlace};
use crate::files::walk::Entry;
use crate::os::format::Format;
use crate::os::messages;
use crate::os::paths;
use crate::plan::exit::Error;
use crate::plan::{Explain, MOVED_TO, Which};
use crate::tree::input::{Document, Input};
use crate::urls::layout;
use crate::urls::locate::Located;

/// The column of values.
const INDENT: usize = 14;

impl Explain {
    /// Explains the references as [`Event::Output`](crate::Event::Output).
    ///
    /// # Errors
    ///
    /// [`Error`] if it cannot begin, or if the receiver of the output fails.
    pub fn run(&self, events: &mut dyn Events) -> Result<ListSummary, Error> {
        let n_found = AtomicUsize::new(0);
        let summary = listing::run(&self.tree, events, |entry, input| {
            Ok(file(self, entry, input, &n_found))
        })?;
        if n_found.load(Ordering::Relaxed) == 0 && summary.n_failed == 0 {
            events.error(&format!(
                "error: no reference {}; use `relink refs FILE` to list all references",
                self.which
            ));
            return Ok(ListSummary { n_failed: 1, ..summary });
        }
        Ok(summary)
    }
}

fn file(config: &Explain, entry: &Entry, input: &Input, n_found: &AtomicUsize) -> FileListing {
    let Input::Document(document) = input else {
        let messages = unread(&config.tree, entry, input).into_iter().collect();
        return FileListing { messages, ..FileListing::default() };
    };
    let mut listed = FileListing::default();
    let options = &config.tree.options;
    let edits = LazyCell::new(|| {
        config.actions.each_ref().map(|(_, action)| explained(document, action, options).edits)
    });
    let mut lines = LineCounter::of_document(document);
    document.with_unit(None, |unit| {
        references(unit, &config.tree.options, |site| {
            let raw = site.frame.raw(site.span);
            let (line, column) = lines.position(raw.start);
            let written = &document.unit()[raw.start..raw.end];
            let is_meant = match &config.which {
                Which::Line(wanted) => line == *wanted,
                Which::Place(wanted, at) => {
                    line == *wanted && (column..column + raw.len().max(1)).contains(at)
                }
                Which::Text(text) => text == site.text || text.as_bytes() == written,
            };
            if !is_meant {
                return;
            }
            n_found.fetch_add(1, Ordering::Relaxed);
            let new = edits.each_ref().map(|edits| rewritten(document.unit(), raw, edits));
            let explained =
                Explained { config, entry, document, site, written, new, place: (line, column) };
            // The spool remembers an error.
            drop(match config.format {
                Format::Text => listed.output.write_all(explained.text(&mut lines).as_bytes()),
                Format::Json => {
                    let explanation = Explanation::new(&explained, &mut lines);
                    messages::write_json(&mut listed.output, &explanation)
                }
            });
        })
    });
    listed.messages.extend(note(entry, document));
    listed
}

/// A reference that is explained.
struct Explained<'e> {
    config: &'e Explain,
    entry: &'e Entry,
    document: &'e Document,
    site: &'e Site<'e>,
    /// Its bytes in the file.
    written: &'e [u8],
    /// What each command writes, if it changes the reference.
    new: [Option<String>; 3],
    place: (usize, usize),
}

impl Explained<'_> {
    /// Returns the text.
    fn text(&self, lines: &mut LineCounter<'_>) -> String {
        let Explained { config, entry, document, site, written, place: (line, column), .. } = self;
        let mut out = format!(
            "{}:{line}:{column}: {}\n",
            messages::visible(&entry.path.to_string_lossy()),
            site.slot_name()
        );
        let mut row = |name: &str, value: &str| {
            out.push_str(&format!(
                "  {name:<width$}{}\n",
                messages::visible(value),
                width = INDENT - 2
            ));
        };
        if let Some((noun, number)) = document.numbered() {
            row(noun, &number.to_string());
        }
        if let Some(part) = site.frame.part() {
            row("part", part);
        }
        for (slot, span) in site.frame.embedded() {
            let (line, column) = lines.position(span.start);
            let name = config.tree.options.extras.name_of(slot);
            row("inside", &format!("{name} at {line}:{column}"));
        }
        row("written", &String::from_utf8_lossy(written));
        if *written != site.text.as_bytes() {
            row("bytes", &hex(written));
            row("decoded", site.text);
        }
        row("base", site.context.base().unwrap_or("unknown"));
        let boxes = config.boxes.after(INDENT - 2);
        for line in
            boxes.draw(&labels(&chain(ListedContext::chain(site.context), document, lines))).lines()
        {
            out.push_str(&" ".repeat(INDENT - 2));
            out.push_str(line);
            out.push('\n');
        }
        self.resolution(&mut out);
        self.target(&mut out);
        out.push('\n');
        out
    }

    /// Adds the steps of the resolution, and with `--all-dialects` the results of all dialects.
    fn resolution(&self, out: &mut String) {
        let Explained { config, site, .. } = self;
        let Some(resolver) = site.resolver.filter(|_| site.kind.has_target()) else { return };
        let (name, blank) = (site.dialect.name(), " ".repeat(INDENT));
        out.push_str(&format!("  {:<width$}by the dialect {name}:\n", "steps", width = INDENT - 2));
        for (idx, line) in steps(site.text, resolver, site.dialect).iter().enumerate() {
            out.push_str(&format!("{blank}{}. {}\n", idx + 1, messages::visible(line)));
        }
        let others = if config.has_all_dialects { Dialect::ALL } else { &[] };
        for dialect in others {
            let resolved = Resolver::new(resolver.base(), *dialect)
                .map_err(|error| error.to_string())
                .and_then(|base| base.resolve(site.text).map_err(|error| error.to_string()));
            let result = match resolved {
                Ok(Resolution::Url(url)) => url,
                Ok(same) => format!("(current document){same}"),
                Err(error) => format!("(none: {error})"),
            };
            let result = messages::visible(&result).into_owned();
            out.push_str(&format!("{blank}{:<17}{result}\n", dialect.name()));
        }
    }

    /// Returns the target in the web in words, and true if these are its URL.
    fn web_target(&self) -> (String, bool) {
        let Explained { site, document, .. } = self;
        if !site.kind.has_target() || site.is_beside() || site.has_entity() {
            return (format!("none; it is {}", site.kind.name()), false);
        }
        match resolved(site, &mut String::new()) {
            Ok(Resolution::Url(url)) => (document.web_url(url).into_owned(), true),
            Ok(Resolution::SameDocument { .. }) => ("the document itself".to_owned(), false),
            Err(error) => (format!("none; {error}"), false),
        }
    }

    /// Returns the path of the file that a target identifies, and if it exists. `None` if it is
    /// not on this disk.
    fn file(&self, target: &str) -> Option<(PathBuf, bool)> {
        let Explained { config, entry, document, .. } = self;
        let below = |idx: usize, path: &[u8]| {
            let directory = match config.tree.roots[idx].path()? {
                path if path.is_dir() => path.to_owned(),
                path => path.parent()?.to_owned(),
            };
            Some(directory.join(paths::from_bytes(path)?))
        };
        match config.locator.locate(target, true) {
            Located::File { root, path, .. } => Some((below(root, &path)?, true)),
            Located::Missing { root, path } => Some((below(root, &path)?, false)),
            Located::Directory { root, path } => Some((below(root, &path)?, true)),
            // The site around the tree may lie around it on the disk too.
            Located::Outside if config.tree.places.layout().has_hosts() => None,
            Located::Outside => {
                let dialect = config.tree.options.dialect;
                let own = Resolver::new(document.url()?, dialect).ok()?;
                let mut relativizer = Relativizer::default();
                let found = relativizer.relativize(&own, target, Style::Relative, BaseIs::Document);
                let reference = found.ok()?.text.split(['?', '#']).next()?.to_owned();
                if Reference::split(&reference, dialect).form() != Form::RelativePath {
                    return None;
                }
                let mut path = entry.path.parent()?.to_owned();
                let names = layout::decoded(&reference);
                for component in Path::new(paths::os_str(&names)?).components() {
                    match component {
                        Component::ParentDir => climb(&mut path),
                        component => path.push(component),
                    }
                }
                let exists = path.exists();
                Some((path, exists))
            }
        }
    }

    /// Adds the target, its file, and what the commands do.
    fn target(&self, out: &mut String) {
        let mut row = |name: &str, value: &str| {
            out.push_str(&format!(
                "  {name:<width$}{}\n",
                messages::visible(value),
                width = INDENT - 2
            ));
        };
        let (target, is_url) = self.web_target();
        row("target", &target);
        if let Some((path, exists)) = self.file(&target).filter(|_| is_url) {
            let verb = if exists { "exists" } else { "does not exist" };
            row("file", &format!("{} {verb}", path.display()));
        }
        for ((name, _), new) in self.config.actions.iter().zip(&self.new) {
            let does = match new {
                _ if self.needs_url() => "needs the URL of the tree; use `--base URL`".to_owned(),
                Some(new) => format!("writes {new}"),
                None => "leaves it unchanged".to_owned(),
            };
            match *name {
                "move" if !self.needs_url() => row(name, &format!("to {MOVED_TO}: {does}")),
                name => row(name, &does),
            }
        }
    }

    /// Returns true if nothing says what a command writes: the reference is relative, and the
    /// document is known by its place on the disk only.
    fn needs_url(&self) -> bool {
        let Explained { config, document, site, .. } = self;
        let form = || Reference::split(&clean(site.text, site.dialect), site.dialect).form();
        config.is_on_disk
            && document.media.has_file_url()
            && document.hint().is_none()
            && site.kind.has_target()
            && form() != Form::Absolute
    }
}

/// Goes one directory up.
fn climb(path: &mut PathBuf) {
    match path.components().next_back() {
        Some(Component::Normal(_)) => drop(path.pop()),
        _ => path.push(".."),
    }
}

/// Returns the bytes of a span with the edits inside of it applied, if there are any.
fn rewritten(unit: &[u8], raw: Span, edits: &Edits) -> Option<String> {
    let (mut new, mut end) = (Vec::new(), raw.start);
    let inside = |edit: &&Edit| edit.span.start >= raw.start && edit.span.end <= raw.end;
    for edit in edits.as_slice().iter().filter(inside) {
        new.extend_from_slice(&unit[end..edit.span.start]);
        new.extend_from_slice(&edit.text);
        end = edit.span.end;
    }
    new.extend_from_slice(&unit[end..raw.end]);
    (new != unit[raw.start..raw.end]).then(|| String::from_utf8_lossy(&new).into_owned())
}

/// Returns the bytes as hexadecimal numbers; at most 64 of them.
fn hex(bytes: &[u8]) -> String {
    const MOST: usize = 64;
    let digits: Vec<String> = bytes.iter().take(MOST).map(|byte| format!("{byte:02x}")).collect();
    let more = if bytes.len() > MOST { " …" } else { "" };
    digits.join(" ") + more
}

// The steps by which a reference becomes a URL, in words (RFC 3986, section 5.2; URL standard).

/// Returns the steps that resolve `text` against a base, each as a line.
fn steps(text: &str, resolver: &Resolver<'_>, dialect: Dialect) -> Vec<String> {
    let mut lines = Vec::new();
    let base = resolver.base();
    let cleaned = clean(text, dialect);
    if let Cow::Owned(cleaned) = &cleaned {
        lines.push(format!("tabs, line ends and blanks around it are removed: {cleaned}"));
    }
    let scheme = Reference::split(base, dialect).scheme().unwrap_or_default();
    let reference = Reference::split_under(&cleaned, dialect, scheme);
    let base_path = Reference::split(base, dialect).path();
    match reference.form() {
        Form::Absolute => {
            let scheme = reference.scheme().unwrap_or_default();
            lines.push(format!("it has the scheme {scheme}: the base is not used"));
        }
        Form::NetworkPath => {
            lines.push(format!("it begins with //: only the scheme of the base is used, {scheme}"));
        }
        Form::AbsolutePath => {
            lines.push("its path begins with /: scheme and host of the base are used".to_owned());
        }
        Form::SameDocument if reference.fragment().is_some() => {
            lines.push("it is only a fragment: it means a place in the document".to_owned());
        }
        Form::SameDocument => lines.push("it is empty: it means the document".to_owned()),
        Form::RelativePath if reference.path().is_empty() => {
            lines.push(format!("it is only a query: the path of the base is used, {base_path}"));
        }
        Form::RelativePath => {
            let directory = &base_path[..base_path.rfind('/').map_or(0, |at| at + 1)];
            lines.push(format!(
                "its path is relative: the path of the base is used up to its last slash, {directory}"
            ));
            let joined = format!("{directory}{}", reference.path());
            lines.push(format!("joined: {joined}"));
            let url = resolver.resolve(text).ok().and_then(Resolution::url);
            let path = url.as_deref().map(|url| Reference::split(url, dialect).path().to_owned());
            if let Some(path) = path.filter(|path| *path != joined) {
                lines.push(format!("without . and .. segments, and normalized: {path}"));
            }
        }
    }
    lines
}

// An explanation as a record.

/// An explanation; the keys are those of `docs/json.md`.
#[derive(Serialize)]
struct Explanation {
    r#type: &'static str,
    #[serde(flatten)]
    place: DocumentPlace,
    part: Option<String>,
    embedded: Vec<EmbeddedPlace>,
    line: usize,
    column: usize,
    span: [usize; 2],
    slot: String,
    kind: &'static str,
    /// The bytes in the file, as text, and as hexadecimal numbers.
    written: String,
    bytes: String,
    text: String,
    base: Option<String>,
    base_source: &'static str,
    chain: Vec<ContextDetail>,
    dialect: &'static str,
    steps: Vec<String>,
    /// The results of all dialects, with `--all-dialects`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    dialects: BTreeMap<&'static str, ByDialect>,
    target: Option<String>,
    /// The path of its file, and if that exists.
    file: Option<String>,
    file_exists: Option<bool>,
    /// What each command writes, if it changes the reference.
    absolutized: Option<String>,
    relativized: Option<String>,
    moved: Option<String>,
}

/// The target by one dialect, or the reason why there is none.
#[derive(Serialize)]
struct ByDialect {
    target: Option<String>,
    reason: Option<String>,
}

fn by_dialect(text: &str, base: &str, dialect: Dialect) -> ByDialect {
    let resolved = Resolver::new(base, dialect)
        .map_err(|error| error.to_string())
        .and_then(|base| base.resolve(text).map_err(|error| error.to_string()));
    let (target, reason) = match resolved {
        Ok(Resolution::Url(url)) => (Some(url), None),
        Ok(Resolution::SameDocument { .. }) => (None, Some("the document itself".to_owned())),
        Err(reason) => (None, Some(reason)),
    };
    ByDialect { target, reason }
}

impl Explanation {
    fn new(explained: &Explained<'_>, lines: &mut LineCounter<'_>) -> Self {
        let Explained { config, entry, document, site, written, place, .. } = explained;
        let target = Some(explained.web_target()).filter(|(_, is_url)| *is_url);
        let target = target.map(|(url, _)| url);
        let file = target.as_ref().and_then(|target| explained.file(target));
        let [absolutized, relativized, moved] =
            explained.new.clone().map(|new| new.filter(|_| !explained.needs_url()));
        let resolver = site.resolver.filter(|_| site.kind.has_target());
        let steps = resolver.map(|resolver| steps(site.text, resolver, site.dialect));
        let dialects = if config.has_all_dialects { Dialect::ALL } else { &[] };
        Explanation {
            r#type: "explanation",
            place: place_of(entry, document),
            part: site.frame.part().map(str::to_owned),
            embedded: embedded(&site.frame.embedded(), &config.tree.options, document),
            line: place.0,
            column: place.1,
            span: pair(site.frame.raw(site.span)).map(|at| document.in_file(at)),
            slot: site.slot_name().to_owned(),
            kind: site.kind.name(),
            written: String::from_utf8_lossy(written).into_owned(),
            bytes: written.iter().map(|byte| format!("{byte:02x}")).collect(),
            text: site.text.to_owned(),
            base: site.context.base().map(|base| document.web_url(base).into_owned()),
            base_source: site.context.base_source().name(),
            chain: chain(ListedContext::chain(site.context), document, lines),
            dialect: site.dialect.name(),
            steps: steps.unwrap_or_default(),
            dialects: resolver.map_or(BTreeMap::new(), |resolver| {
                let by = |dialect: &Dialect| by_dialect(site.text, resolver.base(), *dialect);
                dialects.iter().map(|dialect| (dialect.name(), by(dialect))).collect()
            }),
            target,
            file_exists: file.as_ref().map(|(_, exists)| *exists),
            file: file.map(|(path, _)| path.to_string_lossy().into_owned()),
            absolutized,
            relativized,
            moved,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_lead_to_the_result() {
        let base = Resolver::new("http://h/a/b/c.html?q", Dialect::Web).unwrap();
        let last = |text| steps(text, &base, Dialect::Web).pop().unwrap();
        assert_eq!(last("../x"), "without . and .. segments, and normalized: /a/x");
        assert_eq!(last("x"), "joined: /a/b/x");
        assert_eq!(last("?r"), "it is only a query: the path of the base is used, /a/b/c.html");
        assert_eq!(last("https://i/"), "it has the scheme https: the base is not used");
        assert_eq!(last("#s"), "it is only a fragment: it means a place in the document");
        assert_eq!(
            steps(" //i\n/ ", &base, Dialect::Web),
            [
                "tabs, line ends and blanks around it are removed: //i/",
                "it begins with //: only the scheme of the base is used, http",
            ]
        );
    }
}
