//! A page with everything that it loads inside of it, as data URLs (RFC 2397): one file of HTML.
//!
//! What a file loads is converted first, so that the data URL of a style sheet contains those of
//! its fonts. What a page links to is not loaded: links lead where they led, from the place of the
//! new file.
//!
//! Invariant: each document is converted by the rules of a move in which what is loaded moves into
//! data URLs, and is verified as such; no other byte of it changes.

use std::collections::HashMap;
use std::sync::Arc;

use rewrite::{
    BaseUrl, Context, FileDigests, Integrity, Limit, LoadedFiles, Media, Move, MoveStyle, NewPlace,
    Options, PrefixMap, SkipScope, Skipped, TargetLocation, TargetMap, Unit, declared_charset,
};

use super::{Collected, PackError, PackProblem, PackProblemKind, PackedFile};
use crate::archives::head::{declaration, inserted, start_of_head};

/// The name of the context of a page.
const CONTEXT: &str = "pack";

/// The value of limits that the URL of a whole file exceeds.
const NO_LIMIT: &str = "none";

/// The length up to which Chromium shows a data URL in a frame (`kMaxURLChars`).
const MOST_IN_FRAME: usize = (2 << 20) - 256;

/// The media type of SVG.
const SVG: &str = "image/svg+xml";

/// The extensions of pages that are read as HTML.
const HTML: [&str; 2] = ["html", "htm"];

/// Those of pages that are read as XML.
const XML: [&str; 2] = ["xhtml", "xht"];

/// The data URLs of the files that a document loads, by the URLs of these.
#[derive(Debug, Default)]
struct DataUrls(HashMap<String, Inside>);

/// A file that is inside of a page.
#[derive(Clone, Debug)]
struct Inside {
    url: Arc<str>,
    /// True if it contains others, so that it has other bytes.
    is_changed: bool,
}

impl TargetMap for DataUrls {
    fn moved(&self, target: &str, _: bool, new: &mut String) -> TargetLocation {
        let (url, fragment) = target.split_at(target.find('#').unwrap_or(target.len()));
        let Some(data) = self.0.get(url) else { return TargetLocation::Outside };
        new.push_str(&data.url);
        new.push_str(fragment);
        TargetLocation::Inside
    }
}

/// A file that contains others has lost its digest; with any other, the digest stays, and is right.
impl LoadedFiles for DataUrls {
    fn contains(&self, url: &str) -> bool {
        let url = url.split('#').next().unwrap_or_default();
        self.0.get(url).is_some_and(|file| file.is_changed)
    }

    fn digests(&self, _: &str) -> Option<Arc<FileDigests>> {
        None
    }
}

/// Returns true for the extensions of pages.
pub fn is_extension(extension: &str) -> bool {
    HTML.iter().chain(&XML).any(|name| name.eq_ignore_ascii_case(extension))
}

/// Returns the page of the first file, with all others in it, for a file at `place`. Adds what
/// stays outside to the problems. `links` has what its links lead to, where that is not their
/// target. `origin` is the URL that a comment names.
///
/// # Errors
///
/// [`PackError`] if it would be too large, or cannot be verified.
pub fn page(
    collected: &mut Collected,
    place: &BaseUrl,
    links: &PrefixMap,
    origin: Option<&str>,
    options: &Options,
) -> Result<Vec<u8>, PackError> {
    let is_xml = collected.parts.first().is_some_and(|page| page.media == Some(Media::XML));
    if is_xml != is_name_of_xml(place) {
        let page = collected.parts.first().map(|page| page.path.clone()).unwrap_or_default();
        return Err(PackError::Extension(page, if is_xml { "xhtml" } else { "html" }));
    }
    let mut options = options.clone().with_integrity(Integrity::Remove);
    for limit in [Limit::UrlSize, Limit::OutputGrowth, Limit::MemoryGrowth] {
        drop(options.limits.set(limit.name(), NO_LIMIT));
    }
    let parts = &collected.parts;
    let mut data: Vec<Option<Inside>> = vec![None; parts.len()];
    let is_frame = |idx: usize| {
        parts.iter().flat_map(|part| &part.loaded).any(|of| of.part == Some(idx) && of.is_frame)
    };
    let mut problems = Vec::new();
    for idx in order(parts) {
        let part = &parts[idx];
        let mut urls = DataUrls::default();
        for loaded in &part.loaded {
            let (Some(number), Some(url)) = (loaded.part, &loaded.file_url) else { continue };
            let path = || parts[number].path.clone();
            let kind = match &data[number] {
                Some(_) if loaded.is_use => PackProblemKind::Use(path()),
                Some(file) if loaded.is_frame && file.url.len() > MOST_IN_FRAME => {
                    PackProblemKind::Frame(path())
                }
                Some(_) if parts[number].bytes.is_empty() => PackProblemKind::Empty(path()),
                Some(file) => {
                    urls.0.insert(url.clone(), file.clone());
                    continue;
                }
                None => PackProblemKind::Cycle(path()),
            };
            problems.push(PackProblem { part: idx, at: loaded.at, reference: None, kind });
        }
        let new_place = (idx == 0).then(|| NewPlace { url: place, root: root(place) });
        // Browsers load nothing for SVG that is a picture.
        let is_picture = idx != 0 && part.media_type == SVG && !is_frame(idx);
        let (bytes, kind) = match is_picture {
            true => (part.bytes.to_vec(), None),
            false => converted(part, urls, new_place, links, &options)?,
        };
        problems.extend(kind.map(|kind| PackProblem { part: idx, at: 0, reference: None, kind }));
        if bytes.len() > options.limits.get(Limit::PackSize) {
            let met = options.limits.met(Limit::PackSize);
            return Err(PackError::Limit(parts[0].path.clone(), met));
        }
        if idx == 0 {
            let origin = part.media.zip(origin);
            collected.problems.extend(problems);
            return Ok(match origin {
                Some((media, origin)) => with_origin(bytes, media, origin),
                None => bytes,
            });
        }
        let is_changed = *bytes != *part.bytes;
        data[idx] = Some(Inside { url: data_url(part, &bytes).into(), is_changed });
    }
    Err(PackError::NoPage(Default::default()))
}

/// Returns a page with a comment that says where it comes from. It begins after what must come
/// first; nothing takes it for a base. A page in which browsers would find its charset later than
/// before, or in whose charset ASCII is something else, stays as it is.
fn with_origin(page: Vec<u8>, media: Media, origin: &str) -> Vec<u8> {
    if page.iter().take(4).any(|byte| matches!(byte, 0 | 0xFE | 0xFF)) {
        return page;
    }
    // Two hyphens would end the comment.
    let origin = origin.replace("--", "-%2D");
    let comment = format!("<!-- packed from {origin} ; its references are local -->");
    let at = match media {
        Media::XML => declaration(&page).end,
        _ => start_of_head(&page),
    };
    let new = inserted(&page, at, comment.as_bytes());
    if declared_charset(media, &new) == declared_charset(media, &page) { new.into() } else { page }
}

/// Returns the numbers of the files, each after those that it loads, the page last. If files load
/// each other, one of them is before what it loads.
fn order(parts: &[PackedFile]) -> Vec<usize> {
    let mut order = Vec::with_capacity(parts.len());
    let mut is_begun = vec![false; parts.len()];
    let mut stack = vec![(0, 0)];
    while let Some((idx, next)) = stack.pop() {
        is_begun[idx] = true;
        match parts.get(idx).and_then(|part| part.loaded.get(next)) {
            Some(loaded) => {
                stack.push((idx, next + 1));
                stack.extend(loaded.part.filter(|part| !is_begun[*part]).map(|part| (part, 0)));
            }
            None => order.push(idx),
        }
    }
    order
}

/// Returns the bytes of a file, if what it loads has these URLs, and a problem with them.
fn converted(
    part: &PackedFile,
    urls: DataUrls,
    new_place: Option<NewPlace<'_>>,
    links: &PrefixMap,
    options: &Options,
) -> Result<(Vec<u8>, Option<PackProblemKind>), PackError> {
    let Some(media) = part.media else { return Ok((part.bytes.to_vec(), None)) };
    let context =
        part.file_url.parse().map_or(Context::none(), |url| Context::retrieval(url, CONTEXT));
    let urls = Arc::new(urls);
    let unit = Unit::new(&part.bytes, media, &context).with_loaded_files(Some(&*urls));
    // What is in a data URL has no place of its own.
    let style = if new_place.is_some() { MoveStyle::Keep } else { MoveStyle::Absolute };
    let links = Move::by(links.clone()).with_style(style).with_is_once(true);
    let loads = links.clone().with_map(urls.clone());
    let unit = match new_place {
        Some(place) => unit.with_new_place(place),
        None => unit,
    };
    let rewritten = rewrite::inline(unit, options, &links, &loads);
    match rewritten.verify_error() {
        Some(error) => Err(PackError::Unverified(part.path.clone(), error.clone())),
        None => {
            let is_whole = |skipped: &&Skipped| skipped.extent == SkipScope::Unit;
            let skipped = rewritten.report.skipped.iter().find(is_whole);
            let problem = match skipped {
                Some(skipped) => Some(PackProblemKind::Unread(skipped.reason)),
                None => rewritten.report.may_break_policy.then_some(PackProblemKind::Policy),
            };
            Ok((rewritten.into_output().unwrap_or_else(|| part.bytes.to_vec()), problem))
        }
    }
}

/// Returns true if a browser reads a file with this URL as XML.
fn is_name_of_xml(place: &BaseUrl) -> bool {
    let extension = place.as_str().rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|extension| XML.iter().any(|name| name.eq_ignore_ascii_case(extension)))
}

/// Returns the URL of the file system or site of a file.
fn root(place: &BaseUrl) -> &str {
    let url = place.as_str();
    let path = url.find("://").map_or(0, |at| at + 3);
    let end = url[path..].find('/').map_or(url.len(), |at| path + at + 1);
    &url[..end]
}

/// Returns the data URL of a file.
fn data_url(part: &PackedFile, bytes: &[u8]) -> String {
    let charset = part.charset.map_or(String::new(), |charset| format!(";charset={charset}"));
    let mut url = format!("data:{}{charset};base64,", part.media_type);
    url.extend(layers::base64::encode(bytes).into_iter().map(char::from));
    url
}
