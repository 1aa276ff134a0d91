//! The reference as the walk shows it, and the trait of the visitors that it is shown to.

use std::borrow::Cow;

use basectx::Context;
use layers::{Charset, Layer, Quote, Span};
use urlcore::{Dialect, Resolution, Resolver, resolve_without_base};

use crate::digests::{LoadedFiles, TextDigests};
use crate::format::found::Delimiters;
use crate::options::extras::Extras;
use crate::report::Note;
use crate::report::listed::{ListedContext, ListedDocument};
use crate::slots::{Fetch, Format, Kind, SlotId};
use crate::unit::Media;
use crate::walk::frame::{Frame, Refused};
use crate::walk::scope::Scope;

/// A reference with its position and the base that it is resolved against.
///
/// # Examples
///
/// ```
/// use relink_rewrite::{Context, Media, Options, Unit, references};
///
/// let context = Context::retrieval("http://h/a/b.html".parse()?, "test");
/// let unit = Unit::new(b"<img src=c.png>", Media::HTML, &context);
/// let mut lines = Vec::new();
/// references(unit, &Options::default(), |site| {
///     let at = site.frame.raw(site.span).start;
///     let target = site.target().unwrap_or_default();
///     lines.push(format!("{at}: {} {} -> {target}", site.slot_name(), site.text));
/// });
/// assert_eq!(lines, ["9: img[src] c.png -> http://h/a/c.png"]);
/// # Ok::<(), relink_rewrite::BaseError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Site<'s> {
    /// The number of the reference in its unit, from 0, in source order.
    pub id: usize,
    /// The slot: the kind of place that contains the reference.
    pub slot: SlotId,
    /// The role of the reference in its document.
    pub kind: Kind,
    /// The reference, decoded, without white space around it.
    pub text: &'s str,
    /// The charset in which a browser sends the characters of its query.
    pub(crate) query_charset: Charset,
    /// The context that gives the base.
    pub context: &'s Context<'s>,
    /// The dialect in which it is read.
    pub dialect: Dialect,
    /// The URL of the document that contains it, in the input and in the output.
    pub(crate) own_url: Option<&'s str>,
    pub(crate) new_url: Option<&'s str>,
    /// The URL of the tree in the output, if it differs.
    pub(crate) new_root: Option<&'s str>,
    /// The reason to keep it unchanged wherever it points.
    pub(crate) keep: Option<KeepReason>,
    /// True if its document is read elsewhere, so that nothing in it may be relative.
    pub(crate) is_read_elsewhere: bool,
    /// True if other parts of the message show its document by an identifier, under which nothing
    /// is relative.
    pub(crate) is_shown_by_id: bool,
    /// True if it may be resolved at another place, where a custom property is used, so that it may
    /// not be relative.
    pub(crate) is_used_elsewhere: bool,
    /// True if its document is an error page, which has several URLs.
    pub(crate) is_on_error_page: bool,
    /// True if its document is a member of a package that no relative reference leads out of.
    pub(crate) is_in_closed_package: bool,
    /// The base, split once; `None` if there is none.
    pub resolver: Option<&'s Resolver<'s>>,
    /// The base in the output, which differs where a `<base>` is emptied.
    pub(crate) new_resolver: Option<&'s Resolver<'s>>,
    /// Another base that it may be resolved against, in some browsers or at another moment.
    pub(crate) other: Option<OtherBase<'s>>,
    /// True if that base is the URL of the document itself.
    pub(crate) is_new_base_own: bool,
    /// True if the base is the URL of the document itself.
    pub is_base_own: bool,
    /// True if the output no longer has the `<base>` that the base or the other one comes from, or
    /// one around it.
    pub(crate) is_base_emptied: bool,
    /// True if the base is the `codebase` of the same element.
    pub is_on_codebase: bool,
    /// True if it is a whole list, which cannot be split because it contains a template.
    pub(crate) is_whole_list: bool,
    /// The characters that would end the reference at its position.
    pub(crate) delimiters: Delimiters,
    /// The way it is fetched, if its slot alone does not decide.
    pub(crate) fetch: Option<Fetch>,
    /// The digests of the texts of the unit, if its policies are edited.
    pub(crate) text_digests: Option<&'s TextDigests>,
    /// The files of the tree, and the URL of the one that it is a condition on.
    pub(crate) load: Option<&'s (&'s dyn LoadedFiles, &'s str)>,
    /// The attributes named by the user, of which its slot may be one.
    pub(crate) extras: &'s Extras,
    /// The span of the reference in the text of `frame`.
    pub span: Span,
    /// The layers around it.
    pub frame: &'s Frame<'s>,
}

impl<'s> Site<'s> {
    /// Returns the name of its slot in reports: `a[href]`, or `*[data-src]` for an attribute named
    /// by the user.
    pub fn slot_name(&self) -> &'s str {
        self.extras.name_of(self.slot)
    }

    /// Returns true if other programs than the document's readers read it, such as a canonical link
    /// or the URL of a page in a sitemap: it is always made absolute.
    pub fn is_always_absolute(&self) -> bool {
        self.slot.row().is_ok_and(|slot| slot.is_always_absolute)
    }

    /// Returns the URL that it points to, if it has one and that is known. A class name, a template
    /// and a file that was saved with the document have no URL; a reference with an entity, and a
    /// relative one without a base, have none that is known.
    ///
    /// The empty reference and `#s` mean the document itself in the dialects of 1993, 1996 and RFC
    /// 2396: there they have a target only if the base is the URL of the document.
    pub fn target(&self) -> Option<String> {
        let mut target = String::new();
        self.target_into(&mut target).is_some().then_some(target)
    }

    /// Returns true if it may be relative to its document, wherever it points.
    #[inline]
    pub fn may_be_relative(&self) -> bool {
        let has_two_bases = self.other.is_some_and(|other| !other.is_same_there);
        !has_two_bases
            && !self.is_used_elsewhere
            && !self.is_read_elsewhere
            && !self.is_shown_by_id
            && !self.is_in_closed_package
            && !self.is_always_absolute()
    }

    fn may_have_target(&self) -> bool {
        let is_nowhere = self.is_beside() || self.is_share() || self.leaves_package();
        self.kind.has_target() && !self.has_entity() && !is_nowhere
    }

    /// Returns the same as [`Site::target`], given the URL to which it is resolved.
    pub(crate) fn target_of(&self, resolved: &str) -> Option<String> {
        self.may_have_target().then(|| self.requested(resolved).into_owned())
    }

    /// Writes the URL that it points to into a buffer, and returns it, as [`Site::target`] does.
    pub fn target_into<'t>(&self, target: &'t mut String) -> Option<&'t str> {
        if !self.may_have_target() {
            return None;
        }
        let Some(resolver) = self.resolver else {
            resolve_without_base(self.text, self.dialect, target).ok()?;
            return Some(target);
        };
        if let Resolution::SameDocument { .. } = resolver.resolve_into(self.text, target).ok()? {
            let document = resolver.base().split('#').next().filter(|_| self.is_base_own)?;
            target.insert_str(0, document);
        }
        self.request(target);
        Some(target)
    }

    /// Returns its target as a browser requests it: with the characters of the query escaped as
    /// bytes of the charset of its document, where that counts, and not of UTF-8 (URL Standard,
    /// "query state"). A target that leaves the document as text would lose that.
    pub fn requested<'t>(&self, target: &'t str) -> Cow<'t, str> {
        if self.query_charset == Charset::UTF_8 || target.is_ascii() {
            Cow::Borrowed(target)
        } else {
            self.query_charset.escape_query(target)
        }
    }

    /// Makes its target the one of [`Site::requested`].
    pub fn request(&self, target: &mut String) {
        if let Cow::Owned(requested) = self.requested(target) {
            *target = requested;
        }
    }
}

impl Site<'_> {
    /// Returns true if the tree moves. References that cannot follow it then stay unchanged and
    /// keep their targets.
    pub(crate) fn is_moved(&self) -> bool {
        self.new_root.is_some()
    }

    /// Returns true if it has two readings, so that its target is uncertain.
    pub fn is_ambiguous(&self) -> bool {
        self.keep == Some(KeepReason::Ambiguous)
    }

    /// Returns the other URL that it may point to, if browsers differ because of a `<base>` that
    /// comes after it, and that gives it one.
    pub fn other_target(&self) -> Option<String> {
        let other = self.other.filter(|_| self.has_two_targets())?;
        let mut target = String::new();
        other.resolver?.resolve_into(self.text, &mut target).ok()?;
        self.request(&mut target);
        Some(target)
    }

    /// Returns true if it has two targets, because a `<base>` comes after it, or is invalid.
    pub fn has_two_targets(&self) -> bool {
        self.keep == Some(KeepReason::TwoBases)
    }

    /// Returns true if it is resolved at another place, where the custom property that contains it
    /// is used, so that its target here means nothing.
    pub fn is_of_other_place(&self) -> bool {
        self.keep == Some(KeepReason::PlaceDependent)
    }

    /// Returns true if `text`, written in its place, has the same target under both bases of the
    /// output, if there are two.
    pub(crate) fn has_one_target(&self, text: &str) -> bool {
        let Some(other) = self.other.filter(|other| !other.is_same_there) else { return true };
        let target = |resolver: Option<&Resolver<'_>>| resolver?.resolve(text).ok();
        target(self.new_resolver) == target(other.new_resolver)
    }

    /// Returns true if it leads out of a package, such as an EPUB, at whose top relative references
    /// end.
    pub fn leaves_package(&self) -> bool {
        self.keep == Some(KeepReason::LeavesPackage)
    }

    /// Returns true if it is the path of a file on a share, and not a URL.
    fn is_share(&self) -> bool {
        self.keep == Some(KeepReason::Share)
    }

    /// Returns true if an entity of the document type is part of the reference. Entities are never
    /// expanded, so the target is unknown; its text is the text in the source.
    pub fn has_entity(&self) -> bool {
        self.keep == Some(KeepReason::Entity)
    }

    /// Returns true if its slot holds lists.
    pub(crate) fn is_of_list(&self) -> bool {
        self.is_whole_list || self.slot.row().is_ok_and(|slot| slot.syntax.is_list())
    }

    /// Returns true if it is in HTML inside Markdown.
    pub(crate) fn is_in_markdown(&self) -> bool {
        self.frame.is_in(SlotId::MARKDOWN_HTML)
    }

    /// Returns true if it points to a file saved with the document: in the same directory on the
    /// disk, wherever the document came from.
    pub fn is_beside(&self) -> bool {
        self.keep == Some(KeepReason::SavedResources)
    }

    /// Returns whether, and as what, a browser that shows the document fetches it. The content of a
    /// feed is shown elsewhere.
    pub fn fetch(&self) -> Fetch {
        let is_of_feed = |slot: SlotId| {
            slot.row().is_ok_and(|slot| {
                matches!(slot.format, Format::ATOM | Format::FEED | Format::MARKDOWN | Format::RSS)
            })
        };
        let is_shown_elsewhere = self.is_read_elsewhere
            || self.frame.embedded().iter().any(|(slot, _)| is_of_feed(*slot));
        // An attribute of SVG that is a property has no name in its text.
        let is_in_one =
            |slot: SlotId| slot.row().is_ok_and(|slot| Fetch::needs_origin(slot.attribute));
        match self.fetch {
            _ if is_shown_elsewhere => Fetch::Never,
            Some(fetch) => fetch,
            None if self.frame.is_in_any(is_in_one) => Fetch::WithOrigin,
            None => self.slot.fetch(),
        }
    }

    /// Returns true if its base differs between the input and the output, or the other one does.
    pub(crate) fn is_base_changed(&self) -> bool {
        let differs = |here: Option<&Resolver<'_>>, there: Option<&Resolver<'_>>| {
            here.map(Resolver::base) != there.map(Resolver::base)
        };
        let is_other_changed = |other: OtherBase<'_>| differs(other.resolver, other.new_resolver);
        differs(self.resolver, self.new_resolver) || self.other.is_some_and(is_other_changed)
    }
}

/// The reason why a reference stays unchanged wherever it points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeepReason {
    /// It is in content that must not change: in a signed part.
    Sealed,
    /// It names another part of its message by a location that stays unchanged.
    Part,
    /// It is a `<base>` that the profile ignores, and that browsers would use if it were absolute.
    Base,
    /// It has two readings.
    Ambiguous,
    /// An entity is part of it, and is not expanded.
    Entity,
    /// It points to a file saved with the document.
    SavedResources,
    /// It is the path of a file on a share, and its base has another scheme.
    Share,
    /// It is relative, and points to a member of its package.
    Package,
    /// It is relative, and leads out of a package that nothing relative leads out of.
    LeavesPackage,
    /// A `<base>` comes after it, and gives it another target in some browsers or at another
    /// moment.
    TwoBases,
    /// It is resolved where the custom property that contains it is used.
    PlaceDependent,
    /// It names the document, which is an error page and has several URLs.
    ErrorPage,
    /// Its target is another one at each URL of its document, an error page.
    PathDependent,
}

/// A second base that a reference may be resolved against: the one when the parser meets it, while
/// the other is that of the whole document.
#[derive(Clone, Copy)]
pub(crate) struct OtherBase<'s> {
    pub(crate) resolver: Option<&'s Resolver<'s>>,
    pub(crate) new_resolver: Option<&'s Resolver<'s>>,
    /// True if both bases are the same in the output.
    pub(crate) is_same_there: bool,
}

impl<'s> OtherBase<'s> {
    /// Returns the scope `other` beside `scope`.
    pub(crate) fn new(other: &'s Scope<'s>, scope: &Scope<'_>) -> Self {
        let (here, there) = (scope.after.unwrap_or(scope), other.after.unwrap_or(other));
        OtherBase {
            resolver: other.resolver.as_ref(),
            new_resolver: there.resolver.as_ref(),
            is_same_there: here.resolver.as_ref().map(Resolver::base)
                == there.resolver.as_ref().map(Resolver::base),
        }
    }
}

/// A document that the walk enters: a file, a part of a message, or the content of a `srcdoc`.
#[non_exhaustive]
pub struct DocumentSite<'s> {
    /// The media type.
    pub media: Media,
    /// The context that gives its base.
    pub context: &'s Context<'s>,
    /// The contexts of the elements with a `codebase` or `xml:base` of their own, in source order
    /// of each.
    pub scopes: &'s [&'s Context<'s>],
    /// Its own URL, if it is known.
    pub own_url: Option<&'s str>,
    /// The layers around it.
    pub frame: &'s Frame<'s>,
}

impl DocumentSite<'_> {
    /// Returns a copy of what gives its base.
    pub fn listed(&self) -> ListedDocument {
        ListedDocument {
            media_type: self.media.name(),
            part: self.frame.part().map(str::to_owned),
            embedded: self.frame.embedded(),
            chain: ListedContext::chain(self.context),
            scopes: self.scopes.iter().map(|scope| ListedContext::chain(scope)).collect(),
        }
    }

    /// Returns true if it is the body of a part of a message.
    pub(crate) fn is_part(&self) -> bool {
        self.frame.part().is_some() && self.frame.embedded().is_empty()
    }
}

/// What a visitor is to be shown besides references.
#[derive(Clone, Copy, Default)]
pub(crate) struct Wanted {
    /// The content outside of references.
    pub(crate) outside: bool,
    /// The texts that contain references.
    pub(crate) texts: bool,
    /// The values in attributes that it may accept by their bytes.
    pub(crate) accepted: bool,
}

/// The consumer of a walk: it sees each reference and may answer with a new text.
pub(crate) trait Visitor {
    /// Returns what it is to be shown besides references.
    fn wanted(&self) -> Wanted {
        Wanted::default()
    }
    /// Receives bytes outside of references, decoded to the same degree as references in the same
    /// text, in source order with them.
    fn outside(&mut self, _: &[u8]) {}
    /// Announces the start or the end of a body that is decoded.
    fn edge(&mut self) {}
    /// Receives a text that contains references, of an element or attribute, decoded.
    fn text(&mut self, _: SlotId, _: Layer, _: &str) {}
    /// Announces an attribute value of HTML with these delimiters.
    fn quoted(&mut self, _: Quote) {}
    /// Returns true if the value in an attribute at `span` of the file, which is reference `id`,
    /// has the expected bytes, so that it is not shown. It has a base.
    fn accepts(&mut self, id: usize, slot: SlotId, quote: Quote, raw: &[u8], span: Span) -> bool {
        let _ = (id, slot, quote, raw, span);
        false
    }
    /// Returns true if the embedded document that comes next is not read, whatever its bases are:
    /// of the input it was not.
    fn is_unread(&self) -> bool {
        false
    }
    /// Receives a reference; the answer, if any, is the text to replace it with.
    fn reference(&mut self, site: &Site<'_>) -> Option<&str>;
    /// Returns the target in the output of a base in `slot`, written as `text` and pointing to
    /// `base`, if it is made relative and that is another URL. `under` is the outer base there.
    fn respelled(
        &mut self,
        slot: SlotId,
        text: &str,
        base: &str,
        under: &Resolver<'_>,
    ) -> Option<String> {
        let _ = (slot, text, base, under);
        None
    }
    /// Returns the bytes of memory that its records take.
    fn memory(&self) -> usize {
        0
    }
    /// Reports that the answer to reference `id` was not used.
    fn refused(&mut self, id: usize, reason: Refused);
    /// Announces a document; its references follow.
    fn document(&mut self, _: &DocumentSite<'_>) {}
    /// Receives a note for the report.
    fn note(&mut self, note: Note);
}
