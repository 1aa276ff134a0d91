//! The moment at which browsers resolve a reference: a `<base>` may come after it.
//!
//! What is loaded while the document is parsed has the base of that moment (HTML standard, sections
//! 4.2.4, "fetching and processing a resource from a link element", 4.8.4.3.5, "updating the image
//! data", 4.12.1.1, "prepare the script element", and 7.3.1; CSS Values 4, section 4.5.2); what is
//! used later has the base of the whole document. Media, `object`, `embed`, image buttons and icons
//! are loaded by a task after the parser has met them: a `<base>` counts if it is parsed before,
//! and a script or the end of a packet lets the task run first. The rows were compared with the
//! requests of Chromium 156 and Firefox 153 (`tests/browser/firefox.py`).

use std::fmt;

/// The moment whose base counts for a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moment {
    /// The moment at which the parser meets it: a later `<base>` does not count.
    Parsed,
    /// The end of the document: a `<base>` that comes later counts too.
    Final,
    /// One of both: browsers differ, or it may be loaded at another moment.
    Either,
}

impl Moment {
    /// Returns the name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Moment::Parsed => "parsed",
            Moment::Final => "final",
            Moment::Either => "either",
        }
    }

    /// Returns the moment of the `href` of a `link` by its `rel`. Only Firefox fetches what comes
    /// `next`, and it resolves an icon soon after the parser has met it.
    pub(crate) fn of_link(rel: &str) -> Moment {
        const LOADED: [&str; 5] =
            ["stylesheet", "preload", "modulepreload", "prefetch", "compression-dictionary"];
        const LOADED_BY_FIREFOX: [&str; 5] =
            ["next", "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "fluid-icon"];
        let is =
            |name: &str| rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(name));
        match () {
            () if LOADED.into_iter().any(is) => Moment::Parsed,
            () if LOADED_BY_FIREFOX.into_iter().any(is) => Moment::Either,
            () => Moment::Final,
        }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
