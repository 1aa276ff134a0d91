//! The bases that header fields declare, by the rules of four specifications (RFC 1808 3; the draft
//! of 1996, 5.1; RFC 2110 4 and 5; RFC 2557 5), of relink, and of HTTP.
//!
//! Invariant: the context of an entity is inside that of the entity around it, whether or not it
//! declares a base. A field that cannot be used declares nothing, and is reported.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::str::FromStr;

use layers::Span;
use layers::field::Blanks;
use urlcore::header::location;
use urlcore::{Dialect, Reference, Resolver};

use super::field::Field;
use crate::context::Context;
use crate::message::Message;

/// The base-URL precedence rules for messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// The rules of this project: those on which the specifications agree, and where they disagree,
    /// those that lose the least.
    #[default]
    Relink,
    /// RFC 1808 3: `Base`, recursively.
    Rfc1808,
    /// The draft of 1996, 5.1: `Content-Base`, then `Content-Location`, recursively.
    UrlSyntax00,
    /// RFC 2110 4.1 and 5: the same fields of the part's own header section only, and a location
    /// only if it is absolute.
    Rfc2110,
    /// RFC 2557 5: an absolute `Content-Location`, recursively, finally `thismessage:/`.
    Rfc2557,
    /// The rules of this project for HTTP responses: `Content-Base` (RFC 2068 14.11), which no
    /// later specification has, and `Base`. A `Content-Location` is not a base in HTTP (RFC 9110
    /// 8.7; RFC 7231 B). This profile has no name on command lines: see [`Profile::of_http`].
    Http,
    /// The rules of browsers, for captured responses: no field declares a base. This profile has no
    /// name on command lines: see [`Profile::of_capture`].
    Capture,
}

/// A header field that declares a base in a profile.
struct BaseField {
    field: &'static str,
    /// The section that defines its place in the chain.
    section: &'static str,
    /// True if a relative value is resolved against the base around it.
    may_be_relative: bool,
}

const fn rule(field: &'static str, section: &'static str, may_be_relative: bool) -> BaseField {
    BaseField { field, section, may_be_relative }
}

const RELINK: &[BaseField] = &[
    rule("Content-Base", "url-syntax-00 5.1.1", false),
    rule("Base", "RFC 1808 3.1", false),
    rule("Content-Location", "url-syntax-00 5.1.1", true),
];
const RFC1808: &[BaseField] = &[rule("Base", "RFC 1808 3.1", false)];
const URL_SYNTAX00: &[BaseField] = &[
    rule("Content-Base", "url-syntax-00 5.1.1", false),
    rule("Content-Location", "url-syntax-00 5.1.1", true),
];
const RFC2110: &[BaseField] =
    &[rule("Content-Base", "RFC 2110 5", false), rule("Content-Location", "RFC 2110 5", false)];
const RFC2557: &[BaseField] = &[rule("Content-Location", "RFC 2557 5", false)];
const HTTP: &[BaseField] =
    &[rule("Content-Base", "RFC 2068 14.11", false), rule("Base", "RFC 1808 3.1", false)];

impl Profile {
    /// All profiles with a name, with their names on command lines.
    pub const ALL: [(&'static str, Profile); 5] = [
        ("relink", Profile::Relink),
        ("rfc1808", Profile::Rfc1808),
        ("urlsyntax00", Profile::UrlSyntax00),
        ("rfc2110", Profile::Rfc2110),
        ("rfc2557", Profile::Rfc2557),
    ];

    /// Returns the fields that declare a base, in the order of precedence.
    const fn rules(self) -> &'static [BaseField] {
        match self {
            Profile::Relink => RELINK,
            Profile::Rfc1808 => RFC1808,
            Profile::UrlSyntax00 => URL_SYNTAX00,
            Profile::Rfc2110 => RFC2110,
            Profile::Rfc2557 => RFC2557,
            Profile::Http => HTTP,
            Profile::Capture => &[],
        }
    }

    /// Returns the profile for HTTP responses, given the selected one: [`Profile::Http`] in place
    /// of [`Profile::Relink`].
    pub const fn of_http(self) -> Profile {
        match self {
            Profile::Relink => Profile::Http,
            selected => selected,
        }
    }

    /// Returns the profile for the responses of web archives, given the selected one:
    /// [`Profile::Capture`] in place of [`Profile::Relink`].
    pub const fn of_capture(self) -> Profile {
        match self {
            Profile::Relink => Profile::Capture,
            selected => selected,
        }
    }

    /// Returns true if an entity inherits the base of the entity around it, and a message the base
    /// around the message. In RFC 2110 4.1 fields are "meaningless in multipart headings", and
    /// section 5 does not inherit.
    const fn is_inherited(self) -> bool {
        !matches!(self, Profile::Rfc2110)
    }

    /// Returns true if a base must have a hierarchy. By the letter of the specifications a `cid:`
    /// URL, against which nothing can be resolved, is a base too.
    const fn wants_hierarchy(self) -> bool {
        matches!(self, Profile::Relink | Profile::Http | Profile::Capture)
    }

    /// Returns true if a relative `<base href>` is resolved, as browsers do. The specifications do
    /// not allow it (RFC 1866 5.2.2).
    pub const fn resolves_html_base(self) -> bool {
        matches!(self, Profile::Relink | Profile::Http | Profile::Capture)
    }
}

/// The error of parsing a name that is not that of a profile.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
#[error("expected one of relink, rfc1808, urlsyntax00, rfc2110, rfc2557")]
pub struct UnknownProfile;

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(name: &str) -> Result<Self, UnknownProfile> {
        let found = Profile::ALL.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, profile)| profile).ok_or(UnknownProfile)
    }
}

/// A header field that should declare a base, but whose value cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadField {
    /// The index of the entity that has the field.
    pub entity: usize,
    /// The span of its value.
    pub span: Span,
    /// Its name.
    pub field: &'static str,
}

/// The surroundings of a message.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    /// The context that gives the base if the message does not.
    pub context: &'a Context<'a>,
    /// The number of the part whose body is the message; empty if there is none.
    pub part: &'a str,
    /// The mapping from a span in the message to the span in the file.
    pub raw: &'a dyn Fn(Span) -> Span,
}

/// The base contexts of the entities of a message.
///
/// # Examples
///
/// ```
/// use basectx::Context;
/// use basectx::message::{Around, Contexts, Message, Profile};
///
/// let bytes = b"Content-Location: http://h/a/b\nContent-Type: text/html\n\n<p>";
/// let message = Message::read(bytes);
/// let outside = Context::none();
/// let contexts = Contexts::new(&message, Profile::Relink);
/// let around = Around { context: &outside, part: "", raw: &|span| span };
/// assert!(contexts.fill(&message, bytes, around).is_empty());
/// assert_eq!(contexts.get(0).unwrap().base(), Some("http://h/a/b"));
/// ```
pub struct Contexts<'c> {
    cells: Vec<OnceCell<Context<'c>>>,
    around: OnceCell<&'c Context<'c>>,
    profile: Profile,
    /// The remaining bytes for the URLs of all contexts.
    room: Cell<usize>,
}

impl<'c> Contexts<'c> {
    /// Creates the contexts of a message, which [`fill`](Self::fill) fills in.
    pub fn new(message: &Message, profile: Profile) -> Self {
        let cells = message.entities.iter().map(|_| OnceCell::new()).collect();
        Contexts { cells, around: OnceCell::new(), profile, room: Cell::new(usize::MAX) }
    }

    /// Limits the total length of the URLs of all contexts to `room` bytes: with a long base they
    /// could grow to the square of the message. If they exceed it, [`Contexts::is_full`] returns
    /// true, and no more contexts are found.
    pub fn within(self, room: usize) -> Self {
        self.room.set(room);
        self
    }

    /// Returns true if the URLs of all contexts exceed the limit. The contexts are then of no use.
    pub fn is_full(&self) -> bool {
        self.room.get() == 0
    }

    /// Stores the context of an entity. Returns false if the limit is exceeded.
    fn keep(&self, idx: usize, context: Context<'c>) -> bool {
        let len = context.base().map_or(0, str::len);
        self.room.set(self.room.get().saturating_sub(len));
        drop(self.cells[idx].set(context));
        !self.is_full()
    }

    /// Finds the contexts of all entities, from the message inward. Returns the fields that cannot
    /// be used.
    pub fn fill(&'c self, message: &Message, bytes: &[u8], around: Around<'c>) -> Vec<BadField> {
        let mut bad = Vec::new();
        self.around.get_or_init(|| around.context);
        for idx in 0..message.entities.len() {
            if !self.keep(idx, self.read(message, idx, bytes, around, &mut bad)) {
                break;
            }
        }
        bad
    }

    /// Computes the output-side contexts by mapping the URL of every input context, in `here`,
    /// through `moved`. Header sections for which `stays` returns true are unchanged and are read
    /// as they are.
    pub fn fill_moved(
        &'c self,
        message: &Message,
        bytes: &[u8],
        here: &Contexts<'_>,
        around: Around<'c>,
        stays: impl Fn(usize) -> bool,
        moved: impl Fn(&str) -> String,
    ) {
        self.around.get_or_init(|| around.context);
        for idx in 0..message.entities.len() {
            let context = match here.cells[idx].get() {
                Some(here) if !stays(idx) => here.moved(self.outside(message, idx), &moved),
                _ => self.read(message, idx, bytes, around, &mut Vec::new()),
            };
            if !self.keep(idx, context) {
                break;
            }
        }
    }

    /// Reads the context that the header section of an entity declares. Fields that cannot be used
    /// are added to `bad`.
    fn read(
        &'c self,
        message: &Message,
        idx: usize,
        bytes: &[u8],
        around: Around<'c>,
        bad: &mut Vec<BadField>,
    ) -> Context<'c> {
        let (profile, entity) = (self.profile, &message.entities[idx]);
        let outside = self.outside(message, idx);
        let counts = profile.is_inherited() || !entity.content_type.is_multipart();
        let declared = profile.rules().iter().filter(|_| counts).find_map(|rule| {
            let field = entity.field(rule.field, bytes)?;
            let url = base_of(field, bytes, rule, outside.base());
            let url = url.filter(|url| !profile.wants_hierarchy() || has_hierarchy(url));
            if url.is_none() {
                bad.push(BadField { entity: idx, span: field.value, field: rule.field });
            }
            Some((rule, field.value, url?))
        });
        let context = match declared {
            Some((rule, span, url)) => {
                let span = (around.raw)(span);
                outside.header_section(rule.field, rule.section, Some(url)).at(span.start, span.end)
            }
            None => outside.header_section("", "RFC 3986 5.1.2", None),
        };
        context.in_part(joined(around.part, &message.header_section_name(idx)))
    }

    /// Returns the context of an entity; `None` before [`fill`](Self::fill).
    pub fn get(&'c self, idx: usize) -> Option<&'c Context<'c>> {
        self.cells.get(idx)?.get()
    }

    /// Returns the context around an entity: that of the entity that contains it.
    fn outside(&'c self, message: &Message, idx: usize) -> &'c Context<'c> {
        // The entity around another has a smaller index.
        let parent = message.entities[idx].parent.and_then(|parent| self.cells[parent].get());
        if self.profile.is_inherited() {
            parent.or(self.around.get().copied()).unwrap_or(&NOTHING)
        } else {
            &NOTHING
        }
    }

    /// Returns the context against which the `Content-Location` of an entity is resolved: that of
    /// another base field of the entity, or the one around the entity. `None` if the profile does
    /// not accept a relative location as base, but would accept an absolute one.
    pub fn of_location(&'c self, message: &Message, idx: usize) -> Option<&'c Context<'c>> {
        const LOCATION: &str = "Content-Location";
        let own = self.get(idx)?;
        if own.decides() && own.origin() != LOCATION {
            return Some(own);
        }
        let rule = self.profile.rules().iter().find(|rule| rule.field == LOCATION);
        let would_be_one = rule.is_some_and(|rule| !rule.may_be_relative) && !own.decides();
        (!would_be_one).then(|| self.outside(message, idx))
    }

    /// Returns the URL of the body of an entity, without fragment: its location, or in its place
    /// its base. `None` if neither is known.
    pub fn own_url(&'c self, message: &Message, idx: usize, bytes: &[u8]) -> Option<String> {
        let own = self.get(idx)?;
        let location = || {
            let url = url_of(message.entities[idx].field("Content-Location", bytes)?, bytes)?;
            let around = self.of_location(message, idx).and_then(Context::base);
            absolute(&url, around).filter(|url| has_hierarchy(url))
        };
        let url = location().or_else(|| own.base().map(str::to_owned))?;
        Some(url.split('#').next().unwrap_or_default().to_owned())
    }
}

/// Returns the name of a part or header section of a message that is the body of part `outer`.
///
/// # Examples
///
/// ```
/// use basectx::message::joined;
/// assert_eq!(["1", ""].map(|inner| joined("2", inner)), ["2.1", "2"]);
/// assert_eq!(joined("", "1.MIME"), "1.MIME");
/// ```
pub fn joined(outer: &str, inner: &str) -> String {
    match (outer, inner) {
        ("", name) | (name, "") => name.to_owned(),
        (outer, inner) => format!("{outer}.{inner}"),
    }
}

/// The context around a header section if nothing around it matters.
static NOTHING: Context<'static> = Context::none();

fn has_hierarchy(url: &str) -> bool {
    let r = Reference::split(url, Dialect::Rfc3986);
    r.authority().is_some() || r.path().starts_with('/')
}

/// Returns the base that a field declares: an absolute URL without its fragment.
fn base_of(field: &Field, bytes: &[u8], rule: &BaseField, around: Option<&str>) -> Option<String> {
    let url = absolute(&url_of(field, bytes)?, around.filter(|_| rule.may_be_relative))?;
    Some(url.split('#').next().unwrap_or_default().to_owned())
}

fn absolute(url: &str, around: Option<&str>) -> Option<String> {
    if Reference::split(url, Dialect::Rfc3986).is_absolute() {
        return Some(url.to_owned());
    }
    Resolver::new(around?, Dialect::Rfc3986).ok()?.resolve(url).ok()?.url()
}

/// Returns the URL in the value of a field: with encoded words decoded, without comments around it,
/// wrapper and white space, and without control characters before and after it, which no URL has
/// and browsers remove (URL Standard 4.4). `None` if nothing is left, or if the field is too long.
///
/// # Examples
///
/// ```
/// use basectx::message::{Message, url_of};
///
/// let bytes = b"Content-Location: (saved) <http://h/a\n b>\n\n";
/// let message = Message::read(bytes);
/// let field = message.entities[0].field("content-location", bytes).unwrap();
/// assert_eq!(url_of(field, bytes).as_deref(), Some("http://h/ab"));
/// ```
pub fn url_of(field: &Field, bytes: &[u8]) -> Option<String> {
    let value = field.short_value(bytes)?;
    let decoded = layers::field::decode(value, Blanks::Kept);
    let (_, url) = location_in(&decoded.text)?;
    let url = url.trim_matches(|char: char| char.is_ascii_control());
    Some(url.to_owned()).filter(|url| !url.is_empty())
}

/// Returns the URL in the unfolded value of a field that contains nothing else: its span in bytes,
/// and the URL without the white space in it.
///
/// # Examples
///
/// ```
/// use basectx::message::location_in;
/// let (span, url) = location_in("(saved) <URL:http://h/ a> (here)").unwrap();
/// assert_eq!((&*url, span.start, span.end), ("http://h/a", 13, 24));
/// ```
pub fn location_in(text: &str) -> Option<(Span, Cow<'_, str>)> {
    let inner = without_comments_around(text);
    let url = location(inner)?;
    let start = inner.as_ptr() as usize - text.as_ptr() as usize;
    Some((Span::new(url.span.start, url.span.end).shifted(start), url.text))
}

/// Returns the text without comments before and after it. Parentheses within a URL are part of it.
fn without_comments_around(text: &str) -> &str {
    let mut text = text.trim();
    while text.starts_with('(') {
        let mut depth = 0_usize;
        let end = text.find(|c| {
            depth = match c {
                '(' => depth + 1,
                ')' => depth - 1,
                _ => depth,
            };
            depth == 0
        });
        let Some(end) = end else { return text };
        text = text[end + 1..].trim_start();
    }
    while text.ends_with(')') {
        let mut depth = 0_usize;
        let start = text.rfind(|c| {
            depth = match c {
                ')' => depth + 1,
                '(' => depth - 1,
                _ => depth,
            };
            depth == 0
        });
        match start {
            Some(start) if text[..start].ends_with(char::is_whitespace) => {
                text = text[..start].trim_end();
            }
            _ => return text,
        }
    }
    text
}
