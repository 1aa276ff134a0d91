//! The entry functions: everything a caller can do with a unit, and what a document declares about
//! itself: its charset and its title.

use layers::{Charset, Edit, charref};

use crate::convert::convert;
use crate::decide::absolutize::Absolutize;
use crate::decide::inline::Inline;
use crate::decide::relativize::Relativize;
use crate::decide::relocate::{Move, Relocate};
use crate::format::html::{self, HeadItemKind, HeadMetadata};
use crate::moves::{TargetMap, root_of};
use crate::options::relative::{BaseElement, Relative};
use crate::options::{AvailableMemory, Options};
use crate::report::skip::SkipReason;
use crate::report::{Note, Report, SkipScope, Skipped};
use crate::slots::{Kind, SlotId};
use crate::unit::{Media, NewBytes, Rewritten, Unit};
use crate::walk::charset;
use crate::walk::frame::Refused;
use crate::walk::scope::Bases;
use crate::walk::site::{DocumentSite, Site, Visitor};
use crate::walk::start::walk;

/// The command that a unit is rewritten by.
///
/// # Examples
///
/// ```
/// use relink_rewrite::{Command, Context, Media, Options, Relative, Unit};
///
/// let context = Context::retrieval("http://h/a/b.html".parse()?, "test");
/// let relative = Relative::below("http://h/");
/// let run = |command: Command<'_>, bytes: &[u8]| {
///     let unit = Unit::new(bytes, Media::HTML, &context);
///     command.run(unit, &Options::default()).into_output()
/// };
/// let absolute = run(Command::Absolutize, b"<a href=c>").unwrap();
/// assert_eq!(absolute, b"<a href=http://h/a/c>");
/// assert_eq!(run(Command::Relativize(&relative), &absolute).unwrap(), b"<a href=c>");
/// # Ok::<(), relink_rewrite::BaseError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Command<'c> {
    /// Makes references absolute, as [`absolutize`](crate::absolutize) does.
    Absolutize,
    /// Makes references relative, as [`relativize`](crate::relativize) does.
    Relativize(&'c Relative),
    /// Fixes references for a tree that moves, as [`relocate`](crate::relocate) does.
    Relocate(&'c Move),
}

impl Command<'_> {
    /// Rewrites a unit and verifies the output.
    pub fn run(self, unit: Unit<'_>, options: &Options) -> Rewritten {
        self.by(unit, options, None)
    }

    /// Applies the given edits and verifies them like edits of this command: with the same
    /// verification, and with the same fallback if it fails. Edits that follow from others (byte
    /// counts) must be among them.
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_rewrite::{Command, Context, Edit, Media, Options, Span, Unit};
    ///
    /// let context = Context::retrieval("http://h/a/b.html".parse()?, "--base");
    /// let unit = Unit::new(b"<a href=c>", Media::HTML, &context);
    /// let edit = |start, text: &[u8]| {
    ///     Edit { span: Span::new(start, start), text: text.into(), id: 0 }
    /// };
    /// let options = Options::default();
    /// let right = Command::Absolutize.prove(unit, &options, &[edit(8, b"http://h/a/")]);
    /// assert_eq!(right.output(), Some(&b"<a href=http://h/a/c>"[..]));
    /// let wrong = Command::Absolutize.prove(unit, &options, &[edit(8, b"http://h/")]);
    /// assert_eq!(
    ///     wrong.verify_error().unwrap().to_string(),
    ///     "'http://h/c' at byte 8 of the output should point to http://h/a/c, \
    ///      but points to http://h/c"
    /// );
    /// # Ok::<(), relink_rewrite::BaseError>(())
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

/// Shows every reference of a unit, in source order.
///
/// # Examples
///
/// ```
/// use relink_rewrite::{Context, Media, Options, Unit, references};
///
/// let context = Context::retrieval("http://h/a/b.html".parse()?, "--base");
/// let unit = Unit::new(b"<a href=c>", Media::HTML, &context);
/// let mut found = Vec::new();
/// references(unit, &Options::default(), |site| {
///     found.push((site.slot_name().to_owned(), site.target()));
/// });
/// assert_eq!(found, [("a[href]".to_owned(), Some("http://h/a/c".to_owned()))]);
/// # Ok::<(), relink_rewrite::BaseError>(())
/// ```
pub fn references(unit: Unit<'_>, options: &Options, show: impl FnMut(&Site<'_>)) -> Report {
    let mut visitor = Show { show, report: Report::default() };
    let memory = AvailableMemory::new(&options.limits, unit.bytes.len());
    walk(unit, options, options.engine, Bases::KEPT, memory, &mut visitor);
    visitor.report
}

/// Shows every document of a unit, the file itself first, with the contexts that give its base.
///
/// # Examples
///
/// ```
/// use relink_rewrite::{Context, Media, Options, Unit, documents};
///
/// let context = Context::retrieval("http://h/a/b.html".parse()?, "--base");
/// let bytes = b"<base href=c/><iframe srcdoc='<a href=d>'>";
/// let unit = Unit::new(bytes, Media::HTML, &context);
/// let mut chains = Vec::new();
/// documents(unit, &Options::default(), |document| {
///     let origins = document.context.chain().map(|context| context.origin().to_owned());
///     chains.push(origins.collect::<Vec<_>>());
/// });
/// let outer = vec!["base[href]", "--base"];
/// let inner = vec!["iframe[srcdoc]", "base[href]", "--base"];
/// assert_eq!(chains, [outer, inner]);
/// # Ok::<(), relink_rewrite::BaseError>(())
/// ```
pub fn documents(unit: Unit<'_>, options: &Options, show: impl FnMut(&DocumentSite<'_>)) -> Report {
    let mut visitor = ShowDocuments { show, report: Report::default() };
    let memory = AvailableMemory::new(&options.limits, unit.bytes.len());
    walk(unit, options, options.engine, Bases::KEPT, memory, &mut visitor);
    visitor.report
}

/// Makes the references of a unit absolute and verifies the output.
///
/// Never fails: references that cannot be rewritten stay unchanged and are reported.
///
/// # Examples
///
/// ```
/// use relink_rewrite::{Context, Media, Options, Unit, absolutize};
///
/// let context = Context::retrieval("http://h/a/b.html".parse()?, "--base");
/// let unit = Unit::new(b"<a href=../c>", Media::HTML, &context);
/// let rewritten = absolutize(unit, &Options::default());
/// assert_eq!(rewritten.output(), Some(&b"<a href=http://h/c>"[..]));
/// # Ok::<(), relink_rewrite::BaseError>(())
/// ```
pub fn absolutize(unit: Unit<'_>, options: &Options) -> Rewritten {
    absolutize_as(unit, options, None)
}

/// Makes references absolute with the `given` edits if there are any.
pub(crate) fn absolutize_as(
    unit: Unit<'_>,
    options: &Options,
    given: Option<&[Edit]>,
) -> Rewritten {
    convert(unit, options, Bases::KEPT, || Absolutize::new(options, None), given)
}

/// Makes the references of a unit absolute, as [`absolutize`] does, each with the URL that `map`
/// returns for its target, and verifies the output.
///
/// It is for documents whose relative references are paths on a disk: the context of the unit is
/// its place on the disk, and the map returns the URL of each file. References that stay unchanged
/// keep their text.
///
/// ```
/// use basectx::Context;
/// use relink_rewrite::{Media, Options, PrefixMap, Unit, absolutize_by};
/// let mut map = PrefixMap::default();
/// map.add("http://disk.invalid/h.example/", "http://h.example/", [])?;
/// let context = Context::retrieval("http://disk.invalid/h.example/a/b.html".parse()?, "--layout");
/// let bytes = b"<a href=../c><a href='#d'>";
/// let unit = Unit::new(bytes, Media::HTML, &context);
/// let rewritten = absolutize_by(unit, &Options::default(), &map);
/// let output = b"<a href=http://h.example/c><a href='#d'>";
/// assert_eq!(rewritten.output(), Some(&output[..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn absolutize_by(unit: Unit<'_>, options: &Options, map: &dyn TargetMap) -> Rewritten {
    convert(unit, options, Bases::KEPT, || Absolutize::new(options, Some(map)), None)
}

/// Makes the references of a unit relative as far as they point into the tree, and verifies the
/// output.
///
/// Never fails: references that cannot be rewritten stay unchanged and are reported. A unit whose
/// own URL is not known is skipped.
///
/// # Examples
///
/// ```
/// use relink_rewrite::{Context, Media, Options, Relative, Unit, relativize};
///
/// let context = Context::retrieval("http://h/a/b.html".parse()?, "--base");
/// let bytes = b"<base href=http://h/x/><a href=c>";
/// let unit = Unit::new(bytes, Media::HTML, &context);
/// let rewritten = relativize(unit, &Options::default(), &Relative::default());
/// assert_eq!(rewritten.output(), Some(&b"<base href=\"\"><a href=../x/c>"[..]));
/// # Ok::<(), relink_rewrite::BaseError>(())
/// ```
pub fn relativize(unit: Unit<'_>, options: &Options, relative: &Relative) -> Rewritten {
    relativize_as(unit, options, relative, None)
}

/// Makes references relative with the `given` edits if there are any.
pub(crate) fn relativize_as(
    unit: Unit<'_>,
    options: &Options,
    relative: &Relative,
    given: Option<&[Edit]>,
) -> Rewritten {
    // Parts of a message may have URLs of their own.
    let has_parts = matches!(unit.media, Media::Message(_));
    if unit.own_url.is_none() && unit.media.needs_url() && !has_parts {
        let (reason, extent) = (SkipReason::NoUrl, SkipScope::Unit);
        let skipped = vec![Skipped { reason, at: 0, extent, part: None }];
        let report = Report { skipped, ..Report::default() };
        return Rewritten::without_edits(NewBytes::Skipped, report);
    }
    let root = unit.own_url.and_then(|url| Some(root_of(&*relative.map, url)?.to_owned()));
    let by = |base_element| {
        let relative = Relative { base_element, ..relative.clone() };
        let rules = || Relativize::new(options, &relative);
        let root = root.as_deref().filter(|_| unit.new_place.is_none());
        convert(unit, options, Bases::Written(base_element, root), rules, given)
    };
    let is_edited = options.edits(SlotId::BASE_HREF, Kind::Url);
    // If a reference cannot be written as an emptied base requires, the base of a page is made
    // relative; if one loses its target then too, the base stays. In XML other bases would change
    // with it, and a second run would not meet what holds them.
    let attempts = match relative.base_element {
        _ if !is_edited => &[BaseElement::Keep][..],
        BaseElement::Empty if unit.media == Media::HTML => {
            &[BaseElement::Empty, BaseElement::Relative, BaseElement::Keep]
        }
        BaseElement::Empty => &[BaseElement::Empty, BaseElement::Keep],
        BaseElement::Relative => &[BaseElement::Relative, BaseElement::Keep],
        BaseElement::Keep => &[BaseElement::Keep],
    };
    let mut rewritten = by(attempts[0]);
    for base_element in &attempts[1..] {
        if rewritten.verify_error().is_some() {
            rewritten = by(*base_element);
        }
    }
    rewritten
}

/// Fixes the references of a unit for the locations that they and the unit have in the output, and
/// verifies the output.
///
/// Never fails: references that cannot be rewritten stay unchanged and are reported. A unit without
/// a new location in the output stays at its location in the input.
///
/// # Examples
///
/// ```
/// use relink_rewrite::{Context, Media, Move, NewPlace, Options, PrefixMap, Unit, relocate};
///
/// let mut moves = PrefixMap::default();
/// moves.add("http://old/", "ftp://new/pub/", [])?;
/// let context = Context::retrieval("http://old/a/b.html".parse()?, "--base");
/// let bytes = b"<base href=http://old/x/><a href=c><a href=/d><a href=http://i/>";
/// let new_place = NewPlace { url: &"ftp://new/pub/a/b.html".parse()?, root: "ftp://new/pub/" };
/// let unit = Unit::new(bytes, Media::HTML, &context).with_new_place(new_place);
/// let moved = relocate(unit, &Options::default(), &Move::by(moves));
/// let output = b"<base href=ftp://new/pub/x/><a href=c><a href=../d><a href=http://i/>";
/// assert_eq!(moved.output(), Some(&output[..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn relocate(unit: Unit<'_>, options: &Options, to: &Move) -> Rewritten {
    relocate_as(unit, options, to, None)
}

/// Fixes references for a new location with the `given` edits if there are any.
pub(crate) fn relocate_as(
    unit: Unit<'_>,
    options: &Options,
    to: &Move,
    given: Option<&[Edit]>,
) -> Rewritten {
    following(&*to.map, |bases, moves_bases| {
        convert(unit, options, bases, || Relocate::new(options, to, moves_bases), given)
    })
}

/// Returns the result of `by` if bases move by a map or, if a base cannot be written as that
/// requires, if all bases stay.
fn following<'m>(map: &'m dyn TargetMap, by: impl Fn(Bases<'m>, bool) -> Rewritten) -> Rewritten {
    let rewritten = by(Bases::Follow(map), true);
    match rewritten.verify_error() {
        Some(_) => by(Bases::Stay(map), false),
        None => rewritten,
    }
}

/// Fixes the references of a unit that contains what it loads, as [`relocate`] does, and verifies
/// the output: what a browser fetches to show it is found by `loads`, and all other targets by
/// `links`. References that lead where they did, or within the document, keep their text.
///
/// # Examples
///
/// ```
/// use relink_rewrite::{Context, Media, Move, Options, PrefixMap, Unit, inline};
///
/// let mut pictures = PrefixMap::default();
/// pictures.add("http://h/img/", "http://i/", [])?;
/// let (links, loads) = (Move::by(PrefixMap::default()), Move::by(pictures));
/// let context = Context::retrieval("http://h/a.html".parse()?, "--base");
/// let bytes = b"<img src=img/b.png><a href=img/b.png>";
/// let unit = Unit::new(bytes, Media::HTML, &context);
/// let output = inline(unit, &Options::default(), &links, &loads).into_output();
/// assert_eq!(output.unwrap(), b"<img src=http://i/b.png><a href=img/b.png>");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn inline(unit: Unit<'_>, options: &Options, links: &Move, loads: &Move) -> Rewritten {
    following(&*links.map, |bases, moves_bases| {
        convert(unit, options, bases, || Inline::new(options, links, loads, moves_bases), None)
    })
}

/// A visitor that shows references and edits nothing.
struct Show<F> {
    show: F,
    report: Report,
}

impl<F: FnMut(&Site<'_>)> Visitor for Show<F> {
    fn reference(&mut self, site: &Site<'_>) -> Option<&str> {
        (self.show)(site);
        None
    }

    fn refused(&mut self, _: usize, _: Refused) {}

    fn note(&mut self, note: Note) {
        // A visitor that edits nothing breaks no signature.
        if !matches!(note, Note::Sealed(_)) {
            self.report.note(note);
        }
    }
}

/// A visitor that shows documents and edits nothing.
struct ShowDocuments<F> {
    show: F,
    report: Report,
}

impl<F: FnMut(&DocumentSite<'_>)> Visitor for ShowDocuments<F> {
    fn reference(&mut self, _: &Site<'_>) -> Option<&str> {
        None
    }

    fn refused(&mut self, _: usize, _: Refused) {}

    fn document(&mut self, document: &DocumentSite<'_>) {
        (self.show)(document);
    }

    fn note(&mut self, note: Note) {
        if !matches!(note, Note::Sealed(_) | Note::ReadBy(_)) {
            self.report.note(note);
        }
    }
}

// What a document declares about itself: its charset and its title.

/// Returns the name of the charset that a document declares itself: by a byte order mark, `<meta>`,
/// `@charset` or an XML declaration. A charset is never guessed.
///
/// # Examples
///
/// ```
/// use relink_rewrite::{Media, declared_charset};
/// let charset = |media, bytes: &[u8]| declared_charset(media, bytes);
/// assert_eq!(charset(Media::HTML, b"<meta charset=latin1>"), Some("windows-1252"));
/// assert_eq!(charset(Media::CSS, b"@charset \"utf-8\";"), Some("UTF-8"));
/// assert_eq!(charset(Media::XML, b"<a/>"), None);
/// ```
pub fn declared_charset(media: Media, bytes: &[u8]) -> Option<&'static str> {
    charset::declared(media.format()?, bytes).map(Charset::name)
}

/// Returns the title of a page, with white space as in `document.title`; `None` if the head has
/// none.
///
/// # Examples
///
/// ```
/// let page = "<!doctype html><meta charset=utf-8><title>\n A &amp; Ä\n</title><h1>x</h1>";
/// assert_eq!(relink_rewrite::title(page.as_bytes()).as_deref(), Some("A & Ä"));
/// assert_eq!(relink_rewrite::title(b"<p><title>x</title>"), None);
/// ```
pub fn title(page: &[u8]) -> Option<String> {
    let (charset, length) = Charset::for_bom(page).unwrap_or_else(|| (html::sniff(page), 0));
    let decoded = charset.reads_as_whole().then(|| charset.decode(&page[length..]));
    let (page, charset) = match &decoded {
        Some(decoded) => (decoded.text.as_bytes(), Charset::UTF_8),
        None => (&page[length..], charset),
    };
    let is_title = |kind| kind == HeadItemKind::Title;
    let title = HeadMetadata::new(page).find(|item| is_title(item.kind))?;
    let text = charref::decode(title.span.slice(page), charset, charref::CharrefPlace::Text).text;
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    Some(words.join(" ")).filter(|title| !title.is_empty())
}
