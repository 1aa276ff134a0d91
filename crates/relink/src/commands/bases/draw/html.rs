//! The boxes as a page. It has no script, and may load nothing.

use std::io::{self, Write};

use super::{Chain, Picture, headline, label};
use crate::os::digest;
use crate::os::markup::escaped;
use crate::os::spool::Spool;

/// The style sheet.
const STYLE: &str = "
:root { color-scheme: light dark; --line: light-dark(#c9d1d4, #3c474b); --soft: light-dark(#566266, #9fabaf); --accent: light-dark(#0b6173, #7cc7d6); }
body { margin: 0 auto; max-width: 70rem; padding: 1.5rem; font: 15px/1.5 system-ui, sans-serif; color: light-dark(#1b2326, #e6ebec); background: light-dark(#f7f8f8, #14191b); }
h1 { font-size: 1.2rem; } h2 { font-size: 1rem; margin: 1.6rem 0 0; overflow-wrap: anywhere; }
p { margin: .2rem 0; overflow-wrap: anywhere; } .soft { color: var(--soft); }
code, .context { font-family: ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-size: .9em; unicode-bidi: isolate; }
.context { border: 1px solid var(--line); border-radius: 8px; padding: .6rem .8rem; margin: .5rem 0; background: light-dark(#fff, #1c2326); }
.context .context { font-size: 1em; margin-top: 0; }
.decides { border: 2px solid var(--accent); } .decides > p { color: var(--accent); font-weight: 600; }
";

/// The page.
pub(super) struct Html;

impl Picture for Html {
    fn chain(&mut self, chain: &Chain<'_>, out: &mut Spool) -> io::Result<()> {
        let [title, base] = headline(chain).map(|text| escaped(&text));
        write!(
            out,
            "<section>\n<h2>{title}</h2>\n<p class=\"soft\">base <code>{base}</code></p>\n"
        )?;
        for context in chain.contexts.iter().rev() {
            let class = if context.decides { "context decides" } else { "context" };
            write!(out, "<div class=\"{class}\">")?;
        }
        for context in chain.contexts {
            writeln!(out, "<p>{}</p></div>", escaped(&label(context)))?;
        }
        out.write_all(b"</section>\n")
    }

    fn start(&self) -> String {
        let hash = digest::base64_of_bytes(STYLE.as_bytes());
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Bases of documents</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>Bases of documents</h1>\n<p class=\"soft\">Each box is a context of RFC 1808, section 3, inside the one that it falls back to. The one with a star gives the base.</p>\n"
        )
    }

    fn end(&self) -> &'static str {
        "</main>\n</body>\n</html>\n"
    }
}
