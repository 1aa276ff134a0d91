//! The files of sites that are lists of lines: `robots.txt`, `_redirects`, `_headers`, and Internet
//! shortcuts.

use std::ops::Range;

use layers::Span;
use urlcore::header::{links, refresh, strings};
use urlcore::{Dialect, Reference, is_absolute_for_any_base};

use crate::format::found::{Against, Delimiters, Found, Value, Values};
use crate::format::spec::{CharsetRule, FormatSpec};
use crate::slots::SlotId;

// `robots.txt`: the sitemaps of a site (RFC 9309, section 2.2.4; sitemaps.org, "Specifying the
// Sitemap location in your robots.txt file"). Its rules are patterns, and not references.

const SITEMAP: SlotId = SlotId::named("robots Sitemap");

/// `robots.txt`, which is UTF-8.
pub(super) const ROBOTS: FormatSpec = FormatSpec {
    file_names: &["robots.txt"],
    ..FormatSpec::text(&["text/x-robots-txt"], |text, _, memory| {
        let mut found = Found::within(memory.bytes());
        sitemaps(text, &mut found.values);
        Ok(found)
    })
};

fn sitemaps(text: &str, values: &mut Values) {
    for line in lines(text) {
        let content = &text[line.clone()];
        let content = content.split('#').next().unwrap_or_default();
        let Some((name, value)) = content.split_once(':') else { continue };
        let is_url = !value.trim().is_empty() && !value.trim().contains(char::is_whitespace);
        if name.trim().eq_ignore_ascii_case("sitemap") && is_url {
            let start = line.start + name.len() + 1;
            let span = Span::new(start, start + value.len());
            values.push(Value::item(span, SITEMAP, Delimiters::None));
        }
    }
}

// `_redirects` and `_headers`: the files of Netlify and Cloudflare Pages that configure a site.
//
// In `_redirects`, a line is a path, parameters, a target, a status and conditions. Paths have
// placeholders and belong to the site, wherever its host is: an absolute URL in their place would
// be a rule for a domain, or a proxy. They are only listed; targets that are absolute URLs are
// references. In `_headers`, a path is followed by indented header fields.

const PATH: SlotId = SlotId::named("redirects path");
const URL: SlotId = SlotId::named("redirects URL");
const LINK: SlotId = SlotId::named("headers Link");
const REFRESH: SlotId = SlotId::named("headers Refresh");
const REPORTING_ENDPOINTS: SlotId = SlotId::named("headers Reporting-Endpoints");
const SPECULATION_RULES: SlotId = SlotId::named("headers Speculation-Rules");

/// The fields with URLs.
const FIELDS: [(&str, SlotId); 8] = [
    ("link", LINK),
    ("location", SlotId::named("headers Location")),
    ("refresh", REFRESH),
    ("reporting-endpoints", REPORTING_ENDPOINTS),
    ("sourcemap", SlotId::named("headers SourceMap")),
    ("speculation-rules", SPECULATION_RULES),
    ("x-pingback", SlotId::named("headers X-Pingback")),
    ("x-sourcemap", SlotId::named("headers X-SourceMap")),
];

/// `_redirects`
pub(super) const REDIRECTS: FormatSpec = FormatSpec {
    file_names: &["_redirects"],
    has_relative: false,
    ..FormatSpec::text(&["text/x-redirects"], |text, _, memory| {
        let mut found = Found::within(memory.bytes());
        lines(text).for_each(|line| redirect(text, line, &mut found.values));
        Ok(found)
    })
};

/// `_headers`
pub(super) const HEADERS: FormatSpec = FormatSpec {
    file_names: &["_headers"],
    ..FormatSpec::text(&["text/x-headers"], |text, _, memory| {
        let mut found = Found::within(memory.bytes());
        lines(text).for_each(|line| field(text, line, &mut found.values));
        Ok(found)
    })
};

/// Adds the paths and the URL of a line of `_redirects`.
fn redirect(text: &str, line: Range<usize>, values: &mut Values) {
    let content = &text[line.clone()];
    let mut add = |word: &str, slot| {
        let start = line.start + (word.as_ptr() as usize - content.as_ptr() as usize);
        let span = Span::new(start, start + word.len());
        values.push(Value::item(span, slot, Delimiters::Space));
    };
    let mut words = content.split_ascii_whitespace().take_while(|word| !word.starts_with('#'));
    let Some(from) = words.next() else { return };
    let Some(to) = words.find(|word| word.starts_with('/') || is_url(word)) else { return };
    for word in [from, to] {
        if is_url(word) {
            add(word, URL);
        } else if word.starts_with('/') {
            add(word, PATH);
        }
    }
}

/// Returns true if a word is a URL with a host, which may be empty: also one that no server leads
/// to, since a site may be moved to a disk.
fn is_url(word: &str) -> bool {
    let scheme = Reference::split(word, Dialect::Web).scheme();
    scheme.is_some_and(|scheme| word[scheme.len()..].starts_with("://"))
}

/// Adds the URLs of an indented field of `_headers`. It is a field of many pages: a path that is
/// relative to each of them has no single target.
fn field(text: &str, line: Range<usize>, values: &mut Values) {
    let content = &text[line.clone()];
    let Some((name, value)) = content.split_once(':') else { return };
    if !content.starts_with([' ', '\t']) || name.trim_start().starts_with('#') {
        return;
    }
    let start = line.end - value.len();
    let at = |range: &Range<usize>| Span::new(start + range.start, start + range.end);
    let item = |range: Range<usize>, slot, delimiters| {
        let url = value[range.clone()].trim();
        let is_certain = is_url(url) || (url.starts_with('/') && !url.starts_with("//"));
        let delimiters = if is_certain { delimiters } else { Delimiters::Ambiguous };
        Value::item(at(&range), slot, delimiters)
    };
    let Some((_, slot)) = FIELDS.iter().find(|(field, _)| field.eq_ignore_ascii_case(name.trim()))
    else {
        return;
    };
    match *slot {
        LINK => links(value).for_each(|link| {
            let digest = link.param_span("integrity");
            let load = u32::try_from(values.len()).ok();
            values.push(item(link.target.span, LINK, Delimiters::Angle));
            if let (Some(digest), Some(load)) = (digest, load) {
                let (slot, delimiters) = (SlotId::HEADERS_DIGEST, Delimiters::Quote(b'"'));
                let value = Value::item(at(&digest), slot, delimiters);
                values.push(Value { against: Against::LoadOf(load), ..value });
            }
        }),
        REFRESH => {
            if let Some(found) = refresh(value) {
                let delimiters = found.quote.map_or(Delimiters::Bare, Delimiters::Quote);
                values.push(item(found.span, REFRESH, delimiters));
            }
        }
        REPORTING_ENDPOINTS | SPECULATION_RULES => {
            values.extend(strings(value).map(|url| item(url.span, *slot, Delimiters::Quote(b'"'))));
        }
        slot if !value.trim().is_empty() => {
            values.push(item(0..value.len(), slot, Delimiters::None));
        }
        _ => {}
    }
}

// Internet shortcuts (`.url`): the URLs in an INI file of Windows.
//
// Only absolute URLs count: Windows resolves nothing, and `IconFile` may be a path. Of several
// keys of one name in a section the first counts; names ignore letter case, and a value may be in
// quotes (Windows, `GetPrivateProfileString`).

/// The keys with URLs.
const KEYS: [(&str, SlotId); 3] = [
    ("url", SlotId::named("shortcut URL")),
    ("iconfile", SlotId::named("shortcut IconFile")),
    ("baseurl", SlotId::named("shortcut BASEURL")),
];

/// Internet shortcuts.
pub(super) const SHORTCUT: FormatSpec = FormatSpec {
    extensions: &["url", "website"],
    sniff: Some(|head| {
        let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
        head.get(..SECTION.len()).is_some_and(|it| it.eq_ignore_ascii_case(SECTION))
    }),
    has_relative: false,
    charset: CharsetRule::Guess,
    ..FormatSpec::text(
        &["application/x-mswinurl", "application/internet-shortcut"],
        |text, _, memory| {
            let mut found = Found::within(memory.bytes());
            shortcut(text, &mut found.values);
            Ok(found)
        },
    )
};

const SECTION: &[u8] = b"[InternetShortcut]";

fn shortcut(text: &str, values: &mut Values) {
    let mut has = [false; KEYS.len()];
    for line in lines(text) {
        let content = &text[line.clone()];
        if content.trim_start().starts_with('[') {
            has = [false; KEYS.len()];
        }
        let Some((name, value)) = content.split_once('=') else { continue };
        let is_it = |(key, _): &(&str, SlotId)| key.eq_ignore_ascii_case(name.trim());
        let Some(idx) = KEYS.iter().position(is_it) else { continue };
        if std::mem::replace(&mut has[idx], true) {
            continue;
        }
        let trimmed = value.trim();
        let url =
            ['"', '\''].iter().find_map(|quote| trimmed.strip_prefix(*quote)?.strip_suffix(*quote));
        let url = url.unwrap_or(trimmed);
        // A drive is no scheme.
        let is_drive = url.as_bytes().get(1) == Some(&b':');
        if !is_drive && is_absolute_for_any_base(url, Dialect::Web) {
            let start = line.start + (url.as_ptr() as usize - content.as_ptr() as usize);
            let span = Span::new(start, start + url.len());
            values.push(Value::item(span, KEYS[idx].1, Delimiters::None));
        }
    }
}

/// Returns the spans of the lines of a text, without their ends: LF, CR, or both.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let len = memchr::memchr2(b'\n', b'\r', rest.as_bytes()).unwrap_or(rest.len());
        let line = at..at + len;
        let n_end = if rest[len..].starts_with("\r\n") { 2 } else { 1 };
        at = text.len().min(line.end + n_end);
        Some(line)
    })
}
