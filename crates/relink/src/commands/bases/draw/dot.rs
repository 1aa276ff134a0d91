//! The boxes as nested clusters of a graph, in the language of Graphviz.

use std::io::{self, Write};

use super::{Chain, Picture, headline, label};
use crate::os::spool::Spool;

/// The graph so far.
#[derive(Default)]
pub(super) struct Dot {
    n_chains: usize,
}

/// Returns a quoted string: in it only `"` and `\` have a meaning, and in labels `\` and character
/// references.
fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('&', "&amp;");
    format!("\"{text}\"")
}

impl Picture for Dot {
    fn chain(&mut self, chain: &Chain<'_>, out: &mut Spool) -> io::Result<()> {
        let number = self.n_chains;
        self.n_chains += 1;
        for (depth, context) in chain.contexts.iter().rev().enumerate() {
            let width = if context.decides { "2.5" } else { "1" };
            writeln!(
                out,
                "subgraph cluster_{number}_{depth} {{ label={}; penwidth={width};",
                quoted(&label(context))
            )?;
        }
        let [title, base] = headline(chain);
        // In a label, `\n` is a line end.
        let title = quoted(&title);
        let base = quoted(&format!("base {base}"));
        let node = format!("{}\\n{}", &title[..title.len() - 1], &base[1..]);
        writeln!(out, "document_{number} [label={node}];")?;
        writeln!(out, "{}", "}".repeat(chain.contexts.len()))
    }

    fn start(&self) -> String {
        "digraph bases {\ngraph [rankdir=LR, labelloc=b, labeljust=l, style=rounded, color=\"#5a6569\", fontname=monospace, fontsize=11];\nnode [shape=note, fontname=monospace, fontsize=11];\n".to_owned()
    }

    fn end(&self) -> &'static str {
        "}\n"
    }
}
