//! Edits of somebody else: whether they are what a command may do.

use layers::Edit;

use crate::decide::relocate::Move;
use crate::options::Options;
use crate::options::relative::Relative;
use crate::unit::{Rewritten, Unit, absolutize_as, relativize_as, relocate_as};

/// What a unit is rewritten for.
#[derive(Clone, Copy, Debug)]
pub enum Command<'c> {
    /// As [`absolutize`](crate::decide::absolutize).
    Absolutize,
    /// As [`relativize`](crate::decide::relativize).
    Relativize(&'c Relative),
    /// As [`relocate`](crate::decide::relocate).
    Relocate(&'c Move),
}

impl Command<'_> {
    /// Rewrites a unit, and proves it.
    pub fn run(self, unit: Unit<'_>, options: &Options) -> Rewritten {
        self.by(unit, options, None)
    }

    /// Makes these edits, whoever they are from, and proves them as if they were this command's own: the same proof, and the same that is done
    /// where it fails. What follows from edits (counts, checksums) is to be among them.
    ///
    /// ```
    /// use basectx::Context;
    /// use layers::{Edit, Span};
    /// use rewrite::{Command, Media, Options, Unit};
    /// let context = Context::retrieval("http://h/a/b.html", "--base");
    /// let unit = Unit { bytes: b"<a href=c>", media: Media::Html, context: &context, own_url: None, new_place: None };
    /// let edit = |start, text: &[u8]| Edit { span: Span::new(start, start), text: text.into(), id: 0 };
    /// let options = Options::default();
    /// let right = Command::Absolutize.prove(unit, &options, &[edit(8, b"http://h/a/")]);
    /// assert_eq!(right.output.as_deref(), Some(&b"<a href=http://h/a/c>"[..]));
    /// let wrong = Command::Absolutize.prove(unit, &options, &[edit(8, b"http://h/")]);
    /// assert_eq!(wrong.disproof.unwrap().to_string(),
    ///     "'http://h/c' at byte 8 of the output should point to http://h/a/c, but points to http://h/c");
    /// ```
    pub fn prove(self, unit: Unit<'_>, options: &Options, edits: &[Edit]) -> Rewritten {
        self.by(unit, options, Some(edits))
    }

    fn by(self, unit: Unit<'_>, options: &Options, given: Option<&[Edit]>) -> Rewritten {
        match self {
            Command::Absolutize => absolutize_as(unit, options, given),
            Command::Relativize(relative) => relativize_as(unit, options, relative, given),
            Command::Relocate(to) => relocate_as(unit, options, to, given),
        }
    }
}
