//! The boxes as a picture in SVG.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::{Chain, Picture, headline, label};
use crate::os::markup::escaped;
use crate::os::spool::Spool;

/// The width of a character of the font, at most, in tenths of a pixel.
const CHARACTER: usize = 80;

/// The distance of a box from the one in it, and of a text from its box.
const GAP: usize = 12;

/// The height of a line of text.
const LINE: usize = 24;

/// The height of the label of a box.
const LABEL: usize = 32;

/// The margin of the picture.
const MARGIN: usize = 20;

/// The style of the picture, in light and dark surroundings.
const STYLE: &str = "svg { color-scheme: light dark; font: 13px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; background: #fff; }
text { fill: #1b2326; } .base { fill: #566266; } .title { font-weight: bold; }
rect { fill: #f7f8f8; stroke: #b7c2c5; } .decides { stroke: #0b6173; stroke-width: 2.5; } .deciding { fill: #0b6173; font-weight: bold; }
@media (prefers-color-scheme: dark) { svg { background: #14191b; } text { fill: #e6ebec; } .base { fill: #9fabaf; }
rect { fill: #1c2326; stroke: #4d5a5f; } .decides { stroke: #7cc7d6; } .deciding { fill: #7cc7d6; } }";

/// The picture so far.
#[derive(Default)]
pub(super) struct Svg {
    width: usize,
    height: usize,
}

/// Returns the width of a text, at most: characters of East Asia are as wide as two others.
fn width(text: &str) -> usize {
    let of = |char: char| if char.is_ascii() { CHARACTER } else { 2 * CHARACTER };
    text.chars().map(of).sum::<usize>().div_ceil(10)
}

/// Returns the height of a box with `n` contexts in it, its own included.
fn height(n: usize) -> usize {
    n * LABEL + n.saturating_sub(1) * GAP
}

impl Picture for Svg {
    fn chain(&mut self, chain: &Chain<'_>, out: &mut Spool) -> io::Result<()> {
        let [title, base] = headline(chain);
        let labels: Vec<String> = chain.contexts.iter().map(label).collect();
        let n = labels.len();
        // Each box is as wide as its label, or as the box in it.
        let (mut widths, mut inner) = (Vec::with_capacity(n), 0);
        for label in &labels {
            inner = (inner + 2 * GAP).max(width(label) + 2 * GAP);
            widths.push(inner);
        }
        let top = self.height + MARGIN + LINE;
        let mut drawn = format!(
            "<g role=\"group\" aria-label=\"{}\">\n<text class=\"title\" x=\"{MARGIN}\" y=\"{}\">{}</text>\n",
            escaped(&title),
            self.height + MARGIN + 12,
            escaped(&title),
        );
        let line = format!("base {base}");
        // Writing to a string does not fail.
        let _ = writeln!(
            drawn,
            "<text class=\"base\" x=\"{MARGIN}\" y=\"{}\">{}</text>",
            top + 8,
            escaped(&line)
        );
        let boxes = top + LINE;
        for idx in (0..n).rev() {
            let depth = n - 1 - idx;
            let (x, y) = (MARGIN + depth * GAP, boxes + depth * GAP);
            let height = height(idx + 1);
            let decides = chain.contexts[idx].decides;
            let class = if decides { " class=\"decides\"" } else { "" };
            let text_class = if decides { " class=\"deciding\"" } else { "" };
            let _ = writeln!(
                drawn,
                "<rect{class} x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{height}\" rx=\"6\"/>\n<text{text_class} x=\"{}\" y=\"{}\">{}</text>",
                widths[idx],
                x + GAP,
                y + height - GAP,
                escaped(&labels[idx])
            );
        }
        drawn.push_str("</g>\n");
        let widest = [inner, width(&title), width(&line)].into_iter().max().unwrap_or_default();
        self.width = self.width.max(widest + 2 * MARGIN);
        self.height = boxes + height(n) + MARGIN / 2;
        out.write_all(drawn.as_bytes())
    }

    fn start(&self) -> String {
        let (width, height) = (self.width.max(1), self.height + MARGIN);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n<title>Bases of documents (RFC 1808, section 3)</title>\n<style>{STYLE}</style>\n"
        )
    }

    fn end(&self) -> &'static str {
        "</svg>\n"
    }
}
