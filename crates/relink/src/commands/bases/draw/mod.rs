//! `relink bases --format svg|html|dot`: the boxes of RFC 1808, section 3, as pictures.
//!
//! The drawing is a receiver of the events of the list: each base is drawn when it comes, and the
//! whole is printed at the end, since the size of a picture is in its first line.

mod dot;
mod html;
mod svg;

use std::io::{self, Write};
use std::path::Path;

use crate::events::detail::{BaseDetail, ContextDetail, DocumentPlace};
use crate::events::{Event, Events, Output};
use crate::os::format::BasesFormat;
use crate::os::messages;
use crate::os::paths::Root;
use crate::os::spool::Spool;

/// A chain of boxes to be drawn.
struct Chain<'c> {
    /// The name of the document.
    title: String,
    base: Option<&'c str>,
    /// The contexts, innermost first.
    contexts: &'c [ContextDetail],
}

/// A kind of picture.
trait Picture {
    /// Draws a chain.
    fn chain(&mut self, chain: &Chain<'_>, out: &mut Spool) -> io::Result<()>;

    /// Returns what comes before all chains, when they are drawn.
    fn start(&self) -> String;

    /// Returns what comes after them.
    fn end(&self) -> &'static str;
}

/// The receiver that draws the bases of a list.
pub(super) struct Drawing<'d> {
    roots: &'d [Root],
    events: &'d mut dyn Events,
    picture: Box<dyn Picture>,
    spool: Option<Spool>,
}

impl<'d> Drawing<'d> {
    /// Creates the receiver for a format. Everything but the bases goes to `events`, which are
    /// returned if the format is not a picture.
    pub(super) fn new(
        format: BasesFormat,
        roots: &'d [Root],
        events: &'d mut dyn Events,
    ) -> Result<Self, &'d mut dyn Events> {
        let picture: Box<dyn Picture> = match format {
            BasesFormat::Svg => Box::new(svg::Svg::default()),
            BasesFormat::Html => Box::new(html::Html),
            BasesFormat::Dot => Box::new(dot::Dot::default()),
            BasesFormat::Text | BasesFormat::Json => return Err(events),
        };
        Ok(Drawing { roots, events, picture, spool: Some(Spool::default()) })
    }

    fn draw(&mut self, place: &DocumentPlace, base: &BaseDetail) -> io::Result<()> {
        let Some(spool) = &mut self.spool else { return Ok(()) };
        let title = title(self.roots, place, base);
        let whole =
            Chain { title: title.clone(), base: base.base.as_deref(), contexts: &base.chain };
        self.picture.chain(&whole, spool)?;
        for scope in &base.scopes {
            let (line, column) = scope.position;
            let title = format!("{title}:{line}:{column} {}", scope.origin);
            let chain = Chain { title, base: scope.base.as_deref(), contexts: &scope.chain };
            self.picture.chain(&chain, spool)?;
        }
        Ok(())
    }

    /// Prints the picture.
    fn finish(&mut self) -> io::Result<()> {
        let Some(spool) = self.spool.take() else { return Ok(()) };
        let out = &mut Output(self.events);
        out.write_all(self.picture.start().as_bytes())?;
        spool.print(out)?;
        out.write_all(self.picture.end().as_bytes())
    }
}

impl Events for Drawing<'_> {
    fn event(&mut self, event: Event<'_>) -> io::Result<()> {
        match event {
            Event::Base(place, base) => self.draw(place, base),
            Event::OutputEnd => {
                self.finish()?;
                self.events.event(event)
            }
            event => self.events.event(event),
        }
    }
}

/// Returns the name of a document.
fn title(roots: &[Root], place: &DocumentPlace, base: &BaseDetail) -> String {
    let root = roots.get(place.root).and_then(Root::path).unwrap_or(Path::new(""));
    let is_below = !place.path.is_empty() && root.is_dir();
    let path = if is_below { root.join(&place.path) } else { root.to_owned() };
    let mut title = if path.as_os_str().is_empty() {
        place.path.clone()
    } else {
        path.to_string_lossy().into_owned()
    };
    if let Some(number) = place.unit {
        title.push_str(&format!(": message {number}"));
    }
    if let Some(part) = &base.part {
        title.push_str(&format!(": part {part}"));
    }
    for embedded in &base.embedded {
        title.push_str(&format!(": {} at byte {}", embedded.slot, embedded.span[0]));
    }
    title
}

/// Returns the label of a context, without characters that control a program.
fn label(context: &ContextDetail) -> String {
    let mark = if context.decides { "\u{2605} " } else { "" };
    let label = format!("{mark}{} ({})", context.words, context.section);
    messages::visible(&label).into_owned()
}

/// Returns the line above the boxes of a chain.
fn headline(chain: &Chain<'_>) -> [String; 2] {
    let base = chain.base.unwrap_or("unknown");
    [&*chain.title, base].map(|text| messages::visible(text).into_owned())
}
