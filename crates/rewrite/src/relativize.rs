//! The decision of `relativize`: references into the tree are written relative to the documents that they stand in.

use std::fmt;
use std::str::FromStr;

use basectx::{BadBase, is_template};
use urlcore::{
    Dialect, Form, Reference, Relativizer, Resolver, Style, clean, is_absolute_anywhere,
};

use crate::decision::{Decision, untouched};
use crate::html::ReadBy;
use crate::options::{Options, UnknownWord};
use crate::report::{Left, Outcome, Report};
use crate::site::{Receiver, Refused, Site};
use crate::slots::{Kind, SlotId};
use crate::targets::{Decided, Promise, Targets};
use crate::undone::Undone;

/// What becomes of `<base href>` (DESIGN section 8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BaseElement {
    /// One that is not a relative path is emptied, so that the document's own URL is the base.
    #[default]
    Empty,
    /// It is made relative like any other reference.
    Relative,
    /// It stays.
    Keep,
}

impl BaseElement {
    /// The words of the command line, in order.
    pub const NAMES: [&'static str; 3] = ["empty", "relative", "keep"];
}

impl FromStr for BaseElement {
    type Err = UnknownWord;

    fn from_str(name: &str) -> Result<Self, UnknownWord> {
        match name {
            "empty" => Ok(BaseElement::Empty),
            "relative" => Ok(BaseElement::Relative),
            "keep" => Ok(BaseElement::Keep),
            _ => Err(UnknownWord(&BaseElement::NAMES)),
        }
    }
}

/// Where the tree is, and how references into it are to be written.
#[derive(Clone, Debug, Default)]
pub struct Relative {
    /// How references into the tree are written.
    pub style: Style,
    /// What becomes of `<base href>`.
    pub base_element: BaseElement,
    /// The URLs of the tree's folders, each with a slash at its end. None: all of the site is in the tree.
    pub roots: Vec<String>,
}

impl Relative {
    /// Whether a target is in the tree: by octets, at the borders of segments.
    fn holds(&self, target: &str) -> bool {
        self.roots.is_empty()
            || self.roots.iter().any(|root| {
                target.starts_with(&**root) || {
                    let path = target.split(['?', '#']).next().unwrap_or_default();
                    root.strip_suffix('/') == Some(path)
                }
            })
    }
}

/// Whether `base_element` empties a base that is written so.
pub(crate) fn is_emptied(href: &str, base_element: BaseElement, dialect: Dialect) -> bool {
    if base_element != BaseElement::Empty || is_template(href) {
        return false;
    }
    let href = clean(href, dialect);
    match Reference::split(&href, dialect).form() {
        Form::NetworkPath | Form::AbsolutePath => true,
        // Under `mailto:x` relative references lead nowhere, and are to lead nowhere.
        Form::Absolute => {
            Resolver::new(&href, dialect).is_ok_and(|base| base.resolve("./").is_ok())
        }
        Form::RelativePath | Form::SameDocument => false,
    }
}

/// The style of a reference as it is written, if it is one of those that can be asked for.
fn is_written_in(text: &str, style: Style, dialect: Dialect, under: &Resolver<'_>) -> bool {
    let text = clean(text, dialect);
    let form = Reference::split_under(&text, dialect, under.scheme()).form();
    match style {
        Style::Absolute => form == Form::Absolute,
        Style::NetworkPath => form == Form::NetworkPath,
        Style::AbsolutePath => matches!(form, Form::AbsolutePath | Form::SameDocument),
        Style::Relative => matches!(form, Form::RelativePath | Form::SameDocument),
        _ => false,
    }
}

pub(crate) struct Relativize<'o> {
    options: &'o Options,
    relative: &'o Relative,
    report: Report,
    targets: Targets,
    relativizer: Relativizer,
    /// Where the reference points.
    target: String,
    /// Where it would point under the new base.
    found: String,
}

impl<'o> Relativize<'o> {
    pub(crate) fn new(options: &'o Options, relative: &'o Relative) -> Self {
        Relativize {
            options,
            relative,
            report: Report::default(),
            targets: Targets::default(),
            relativizer: Relativizer::default(),
            target: String::new(),
            found: String::new(),
        }
    }

    /// What becomes of a reference. Its target, if that is promised, is left in `self.target`; what is to be written, in `self.found`.
    fn decide(&mut self, site: &Site<'_>) -> (Outcome, Promise) {
        let dialect = self.options.dialect;
        if let Some(outcome) = untouched(site, self.options) {
            // A list that is left for its templates is one text.
            let is_list = self.options.extras.syntax_of(site.slot).is_list();
            let is_free =
                site.kind == Kind::Local || (!is_list && is_absolute_anywhere(site.text, dialect));
            self.targets.depends_on_base |= !is_free && site.is_base_changed();
            return (outcome, Promise::Text);
        }
        let (Some(resolver), Some(under)) = (site.resolver, site.new_resolver) else {
            return (Outcome::NoBase, Promise::Text);
        };
        if site.slot == SlotId::BASE_HREF && self.relative.base_element != BaseElement::Relative {
            return match is_emptied(site.text, self.relative.base_element, dialect) {
                true => {
                    self.found.clear();
                    (Outcome::Rewritten, Promise::NewText)
                }
                false => (Outcome::Kept, Promise::Text),
            };
        }
        if resolver.resolve_into(site.text, &mut self.target).is_err() {
            self.targets.depends_on_base |= under.resolve_into(site.text, &mut self.found).is_ok();
            return (Outcome::Unresolvable, Promise::Text);
        }
        let row = site.slot.row().ok();
        let is_same_under_new =
            under.resolve_into(site.text, &mut self.found).is_ok() && self.found == self.target;
        let mut left = |outcome| {
            self.targets.depends_on_base |= !is_same_under_new;
            (outcome, Promise::Target)
        };
        if !self.options.edits(site.slot, site.kind) {
            return left(Outcome::Filtered);
        }
        if site.is_on_codebase && row.is_some_and(|slot| slot.is_fixed) {
            return left(Outcome::OnCodebase);
        }
        // `#x` means the document itself in a slot that is local, and under a base that is another's it does not.
        let is_local = row.is_some_and(|slot| slot.is_local);
        let same_document = site.is_new_base_own && !is_local && self.target.contains('#');
        let mut style = match row {
            Some(slot) if slot.is_always_absolute => Style::Absolute,
            _ => self.relative.style,
        };
        let target = &*self.target;
        let written = self.relativizer.relativize(under, target, style, same_document);
        let Ok(mut written) = written else { return left(Outcome::Unwritable) };
        // What no path leads to is written with its scheme: the tree may be read from a disk.
        let is_outside = !self.relative.holds(target) || written.starts_with("//");
        if is_outside {
            (style, written) = (Style::Absolute, target);
        }
        let is_right = is_same_under_new && is_written_in(site.text, style, dialect, under);
        let is_short = || style == Style::Shortest && written.len() >= site.text.len();
        if is_right || written == site.text || (is_same_under_new && is_short()) {
            let outcome = if is_outside { Outcome::Outside } else { Outcome::Kept };
            return (outcome, Promise::Target);
        }
        if site.kind != Kind::Template && is_template(written) {
            return left(Outcome::Unwritable);
        }
        self.found.clear();
        self.found.push_str(written);
        (Outcome::Rewritten, Promise::Target)
    }
}

impl Decision for Relativize<'_> {
    fn finish(self) -> (Report, Targets) {
        (self.report, self.targets)
    }
}

impl Receiver for Relativize<'_> {
    fn reference(&mut self, site: &Site<'_>) -> Option<&str> {
        let (outcome, promise) = self.decide(site);
        let text = match promise {
            Promise::Target => &self.target,
            Promise::NewText => &self.found,
            Promise::Text | Promise::OwnText => site.text,
        };
        let decided = Decided { outcome, promise, text };
        self.targets.note(site, &decided, self.options, &mut self.report);
        (outcome == Outcome::Rewritten).then_some(&*self.found)
    }

    fn refused(&mut self, id: usize, reason: Refused) {
        self.targets.refuse(id, reason.to_string(), &mut self.report);
    }

    fn left(&mut self, reason: Undone, at: usize, is_embedded: bool) {
        // Its references cannot follow the base.
        self.targets.depends_on_base |=
            is_embedded && self.relative.base_element != BaseElement::Keep;
        self.report.left.push(Left { reason, at, is_embedded });
    }

    fn read_by(&mut self, engine: ReadBy) {
        self.report.engines.count(engine);
    }

    fn bad_base(&mut self, reason: BadBase, at: usize) {
        self.report.bad_bases.push((reason, at));
    }
}

impl fmt::Display for BaseElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(BaseElement::NAMES[*self as usize])
    }
}
