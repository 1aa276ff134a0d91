//! The bases that headings tell, by the rules of five texts (RFC 1808 3; 1996 5.1; RFC 2110 4 and 5; RFC 2557 5).
//!
//! Invariant: the context of an entity is inside that of the entity around it, whatever it tells itself. A field that cannot be used
//! tells nothing, and is named.

use std::cell::OnceCell;

use layers::Span;
use urlcore::header::location;
use urlcore::{Dialect, Reference, Resolver};

use super::entity::Message;
use super::field::Field;
use crate::context::Context;

/// Whose rules hold for the bases of messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// This project's: what the texts agree on, and where they do not, what loses the least.
    #[default]
    Relink,
    /// RFC 1808 3: `Base`, recursively.
    Rfc1808,
    /// The draft of 1996, 5.1: `Content-Base`, then `Content-Location`, recursively.
    UrlSyntax00,
    /// RFC 2110 4.1 and 5: the same of the part's own heading only, and a location only if it is absolute.
    Rfc2110,
    /// RFC 2557 5: an absolute `Content-Location`, recursively, at last `thismessage:/`.
    Rfc2557,
}

/// What a profile takes for a base.
struct Rule {
    field: &'static str,
    /// The section of its place in the chain.
    section: &'static str,
    /// A relative one is resolved against the base around it.
    may_be_relative: bool,
}

const fn rule(field: &'static str, section: &'static str, may_be_relative: bool) -> Rule {
    Rule { field, section, may_be_relative }
}

const RELINK: &[Rule] = &[
    rule("Content-Base", "url-syntax-00 5.1.1", false),
    rule("Base", "RFC 1808 3.1", false),
    rule("Content-Location", "url-syntax-00 5.1.1", true),
];
const RFC1808: &[Rule] = &[rule("Base", "RFC 1808 3.1", false)];
const URL_SYNTAX00: &[Rule] = &[
    rule("Content-Base", "url-syntax-00 5.1.1", false),
    rule("Content-Location", "url-syntax-00 5.1.1", true),
];
const RFC2110: &[Rule] =
    &[rule("Content-Base", "RFC 2110 5", false), rule("Content-Location", "RFC 2110 5", false)];
const RFC2557: &[Rule] = &[rule("Content-Location", "RFC 2557 5", false)];

impl Profile {
    /// All profiles, with the words of command lines.
    pub const ALL: [(&'static str, Profile); 5] = [
        ("relink", Profile::Relink),
        ("rfc1808", Profile::Rfc1808),
        ("urlsyntax00", Profile::UrlSyntax00),
        ("rfc2110", Profile::Rfc2110),
        ("rfc2557", Profile::Rfc2557),
    ];

    /// The fields that count, in their order.
    const fn rules(self) -> &'static [Rule] {
        match self {
            Profile::Relink => RELINK,
            Profile::Rfc1808 => RFC1808,
            Profile::UrlSyntax00 => URL_SYNTAX00,
            Profile::Rfc2110 => RFC2110,
            Profile::Rfc2557 => RFC2557,
        }
    }

    /// Whether what a heading tells holds for the entities in it, and what is around the message for the message. In RFC 2110 4.1
    /// fields are "meaningless in multipart headings", and 5 knows nothing else.
    const fn is_inherited(self) -> bool {
        !matches!(self, Profile::Rfc2110)
    }

    /// Whether a base must have a hierarchy. By the letter `cid:` is one too, under which nothing can be resolved.
    const fn wants_hierarchy(self) -> bool {
        matches!(self, Profile::Relink)
    }

    /// Whether a relative `<base href>` is resolved, as browsers do. The texts take none (RFC 1866 5.2.2).
    pub const fn resolves_html_base(self) -> bool {
        matches!(self, Profile::Relink)
    }
}

/// A field that should tell a base, and does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadField {
    /// The entity that it is of.
    pub entity: usize,
    /// Its value.
    pub span: Span,
    /// Its name.
    pub field: &'static str,
}

/// The base contexts of the entities of a message.
#[derive(Debug)]
pub struct Contexts<'c> {
    cells: Vec<OnceCell<Context<'c>>>,
}

impl<'c> Contexts<'c> {
    /// Room for the contexts of a message.
    pub fn of(message: &Message) -> Self {
        Contexts { cells: message.entities.iter().map(|_| OnceCell::new()).collect() }
    }

    /// Finds the contexts of all entities, from the message in. Returns the fields that tell nothing.
    pub fn fill(
        &'c self,
        message: &Message,
        bytes: &[u8],
        profile: Profile,
        outside: &'c Context<'c>,
    ) -> Vec<BadField> {
        let mut bad = Vec::new();
        for (idx, entity) in message.entities.iter().enumerate() {
            // The entity around one comes before it.
            let around = entity.parent.and_then(|parent| self.cells[parent].get());
            let around = match profile.is_inherited() {
                true => around.unwrap_or(outside),
                false => &NOTHING,
            };
            let counts = profile.is_inherited() || !entity.content_type.is_multipart();
            let told = profile.rules().iter().filter(|_| counts).find_map(|rule| {
                let field = entity.field(rule.field, bytes)?;
                let url = base_of(field, bytes, rule, around.base());
                let url = url.filter(|url| !profile.wants_hierarchy() || has_hierarchy(url));
                if url.is_none() {
                    bad.push(BadField { entity: idx, span: field.value, field: rule.field });
                }
                Some((rule, field.value, url?))
            });
            let context = match told {
                Some((rule, span, url)) => {
                    around.heading(rule.field, rule.section, Some(url)).at(span.start, span.end)
                }
                None => around.heading("", "RFC 3986 5.1.2", None),
            };
            drop(self.cells[idx].set(context));
        }
        bad
    }

    /// The context that the heading of an entity opens; `None` before they are found.
    pub fn get(&'c self, idx: usize) -> Option<&'c Context<'c>> {
        self.cells.get(idx)?.get()
    }
}

/// Where nothing around a heading counts.
static NOTHING: Context<'static> = Context::none();

fn has_hierarchy(url: &str) -> bool {
    let r = Reference::split(url, Dialect::Rfc3986);
    r.authority().is_some() || r.path().starts_with('/')
}

/// The base that a field tells: an absolute URL without its fragment.
fn base_of(field: &Field, bytes: &[u8], rule: &Rule, around: Option<&str>) -> Option<String> {
    let url = url_of(field, bytes)?;
    let r = Reference::split(&url, Dialect::Rfc3986);
    let url = match around {
        _ if r.is_absolute() => url,
        Some(around) if rule.may_be_relative => {
            Resolver::new(around, Dialect::Rfc3986).ok()?.resolve(&url).ok()?.url()?
        }
        _ => return None,
    };
    Some(url.split('#').next().unwrap_or_default().to_owned())
}

/// The URL that a field holds: encoded words decoded, without comments around it, wrapper and white space. `None` if nothing is
/// left.
pub fn url_of(field: &Field, bytes: &[u8]) -> Option<String> {
    let text = field.text(bytes);
    let url = location(without_comments_around(&text))?.text.into_owned();
    Some(url)
}

/// The text without comments before and after it. Parentheses within a URL are its own.
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
