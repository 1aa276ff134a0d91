//! The file of a part: its decoded body, with its charset declared, and its references relative to
//! the file. The result is verified as every conversion is.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use basectx::Context;
use basectx::message::Undecoded;
use layers::{Edits, utf7};
use memchr::memmem;
use rewrite::{
    Media, Missing, NewPlace, Options, Relative, Report, Rewritten, TargetMap, Unit, VerifyError,
    declared_charset, relativize,
};

use super::keys::key;
use super::parts::{MessagePart, Read};
use super::policy::{self, Quieted};
use super::response_fields::ResponseFields;
use super::targets::{Files, TREE, Targets, UNKNOWN_DOCUMENT, url_of};
use super::{charset, record};
use crate::urls::renames::naming::HTML;

/// The file of a part.
pub(crate) struct PartFile<'r> {
    /// The decoded body in the archive.
    pub(crate) body: Cow<'r, [u8]>,
    /// What the file has, if that is not the body.
    changed: Option<Vec<u8>>,
    /// The edits of its references.
    pub(crate) edits: Edits,
    /// The outcome of its references, if it is a document.
    pub(crate) report: Option<Report>,
    /// The reason why its references are those of the archive.
    verify_error: Option<VerifyError>,
    /// What of the part is not decoded.
    pub(crate) undecoded: Option<Undecoded>,
    /// The number of references to what is not loaded from the network.
    pub(crate) n_blocked: usize,
}

impl<'r> PartFile<'r> {
    /// Returns a file without references.
    pub(crate) fn plain(body: Cow<'r, [u8]>) -> Self {
        let (edits, report) = (Edits::default(), None);
        let (verify_error, undecoded) = (None, None);
        PartFile { body, changed: None, edits, report, verify_error, undecoded, n_blocked: 0 }
    }

    /// Returns the bytes of the file.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.changed.as_deref().unwrap_or(&self.body)
    }

    /// Returns why references are those of the archive: an error of the check, which is a failure,
    /// and what was not read.
    pub(crate) fn left(&self) -> (Option<String>, impl Iterator<Item = String>) {
        const LEFT: &str = "its references were left as they are";
        let skipped = self.report.iter().flat_map(|report| &report.skipped);
        let failure = self.verify_error.as_ref().map(|error| format!("{LEFT}; {error}"));
        (failure, skipped.map(|skipped| format!("{LEFT}; {}", skipped.reason)))
    }

    /// Makes the references of a document relative to its file, as far as they lead to files.
    fn rewritten(
        self,
        media: Media,
        (context, own_url): (&Context<'_>, &str),
        (path, targets): (&Path, Targets),
        options: &Options,
    ) -> Self {
        let Ok(new_url) = targets.shown(path).parse() else { return self };
        // What only seems to have a URL stays as it is written.
        let is_captured = targets.scope.is_none();
        let targets = Arc::new(targets);
        let map: Arc<dyn TargetMap> = targets.clone();
        let relative = Relative::default().with_map(map).with_missing(Missing::Report);
        let place = NewPlace { url: &new_url, root: TREE };
        let unit = || {
            let unit = Unit::new(self.bytes(), media, context).with_own_url(own_url);
            unit.with_is_captured(is_captured)
        };
        let mut rewritten = relativize(
            unit().with_new_place(place).with_loaded_files(Some(&*targets)),
            options,
            &relative,
        );
        let changed = rewritten.take_output().or(self.changed);
        let verify_error = rewritten.verify_error().cloned();
        let Rewritten { edits, report, .. } = rewritten;
        PartFile { changed, edits, report: Some(report), verify_error, ..self }
    }
}

/// The files of a message and of others.
#[derive(Clone)]
pub(crate) struct AllFiles {
    pub(crate) own: Arc<Files>,
    pub(crate) shared: Arc<Files>,
    /// The documents that contained style sheets, by the keys of these.
    pub(crate) styles: HashMap<String, usize>,
    /// True if the message is mail: no script in it runs.
    pub(crate) is_mail: bool,
    /// True if nothing in it is loaded from the network.
    pub(crate) blocks_remote: bool,
    /// The references that show documents of the message in its page, by the URLs of their files.
    pub(crate) shown: HashMap<String, String>,
    /// True if URLs are also searched for under another scheme or host.
    pub(crate) has_twins: bool,
}

/// Returns true if a browser reads a file as HTML, whatever type the message gives it.
fn is_opened_as_html(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    // Chromium also knows two that are seldom used.
    let is_html = HTML.contains(&&*extension) || ["shtm", "ehtml"].contains(&&*extension);
    is_html && !extension.starts_with("xh")
}

/// Returns true if a browser reads a file of mail as XHTML or SVG.
fn is_opened_as_xml(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    ["xhtml", "xht", "xhtm", "svg"].contains(&&*extension)
}

/// Returns true if a browser shows a file of mail as a document.
pub(crate) fn is_document(path: &Path) -> bool {
    is_opened_as_html(path) || is_opened_as_xml(path)
}

/// Makes the file of a part, whose path is given.
pub(crate) fn make<'r>(
    read: Read<'r>,
    part: &MessagePart,
    path: &Path,
    files: &AllFiles,
) -> PartFile<'r> {
    let file = with_references(read, part, path, files);
    if !files.is_mail {
        return file;
    }
    // Whatever type the message gives it.
    let media = match () {
        () if is_opened_as_html(path) => Media::HTML,
        () if is_opened_as_xml(path) => Media::XML,
        () => return file,
    };
    let url = url_of(path);
    let limits = (files.blocks_remote, &files.shown);
    let Quieted { page, n_blocked } =
        policy::quieted(file.bytes(), media, &url, read.options, limits);
    PartFile { changed: page.or(file.changed), n_blocked, ..file }
}

fn with_references<'r>(
    read: Read<'r>,
    part: &MessagePart,
    path: &Path,
    files: &AllFiles,
) -> PartFile<'r> {
    let entity = read.entity(part.entity);
    let (body, undecoded) = read.body_and_rest(part.entity);
    let media = Media::from_name(&part.media_type).filter(|media| {
        matches!(media, Media::Document(_)) && media.is_enabled_by(read.options.opt_in)
    });
    let label = entity.content_type.charset.as_deref();
    let is_text = media.is_some() || part.media_type.starts_with("text/");
    let (body, label) = match label.filter(|label| is_text && utf7::is_label(label)) {
        // No browser reads it.
        Some(_) => (utf7::decode(&body).into_bytes().into(), Some("utf-8")),
        None => (body, label),
    };
    let text = match label {
        Some(label) => charset::declared(&body, media, &part.media_type, label),
        None => Cow::Borrowed(&*body),
    };
    let text = match media {
        _ if files.is_mail && is_opened_as_html(path) => {
            policy::with_policy(&text, files.blocks_remote)
        }
        _ if files.is_mail && is_opened_as_xml(path) => {
            policy::with_policy_in_xml(text, files.blocks_remote)
        }
        Some(Media::HTML) if read.is_of_blink() => with_shadow_trees(text),
        _ => text,
    };
    let changed = changed(text);
    let file = PartFile { changed, undecoded, ..PartFile::plain(body) };
    let Some(media) = media else { return file };
    let style = read.is_inline_style(part.entity);
    let document = part.keys.iter().filter(|_| style).find_map(|key| files.styles.get(key));
    let based = document.copied().unwrap_or(part.entity);
    let nothing = Context::none();
    let context = if style && document.is_none() {
        &nothing
    } else {
        read.contexts.get(based).unwrap_or(&nothing)
    };
    // Without a location, the base of a document is taken for its URL.
    let own_url = read.own_url(part.entity).filter(|url| part.keys.contains(&key(url)));
    let base = context.base().filter(|base| *base != UNKNOWN_DOCUMENT);
    let own_url = own_url.as_deref().or(base).unwrap_or(UNKNOWN_DOCUMENT);
    let targets = Targets {
        own: Arc::clone(&files.own),
        shared: Arc::clone(&files.shared),
        scope: Some(part.scope),
        own_url: own_url.to_owned(),
        has_server: false,
        has_twins: files.has_twins,
    };
    file.rewritten(media, (context, own_url), (path, targets), read.options)
}

/// Returns the bytes that differ from the body.
fn changed(text: Cow<'_, [u8]>) -> Option<Vec<u8>> {
    match text {
        Cow::Owned(text) => Some(text),
        Cow::Borrowed(_) => None,
    }
}

/// What an archive says about a capture.
pub(crate) struct Captured<'c> {
    /// Its URL.
    pub(crate) url: &'c str,
    /// Its media type, in lower case.
    pub(crate) media_type: Option<&'c str>,
    pub(crate) charset: Option<&'c str>,
    /// True if the charset counts only where the document declares none.
    pub(crate) guesses_charset: bool,
    /// The fields of its response.
    pub(crate) fields: ResponseFields,
}

/// Makes the file of a capture in a web archive.
pub(crate) fn of_capture<'b>(
    body: Cow<'b, [u8]>,
    captured: &Captured<'_>,
    path: &Path,
    (files, has_server, has_twins): (&Arc<Files>, bool, bool),
    options: &Options,
) -> PartFile<'b> {
    let Captured { url, media_type, charset, guesses_charset, fields } = captured;
    let media = media_type
        .and_then(Media::from_name)
        .filter(|media| matches!(media, Media::Document(_)) && media.is_enabled_by(options.opt_in));
    let media_type = media_type.unwrap_or_default();
    let is_declared = || media.is_some_and(|media| declared_charset(media, &body).is_some());
    let charset = charset.filter(|_| !*guesses_charset || !is_declared());
    let text = match charset {
        Some(label) => charset::declared(&body, media, media_type, label),
        None => Cow::Borrowed(&*body),
    };
    let text = match media {
        Some(Media::HTML) => fields.in_page(text),
        Some(_) if media_type == "application/xhtml+xml" => fields.in_xhtml(text),
        _ => text,
    };
    let changed = changed(text);
    let file = PartFile { changed, ..PartFile::plain(body) };
    let Some(media) = media else { return file };
    // The snapshot of a page has the base of the page.
    let place = record::page_of(url).filter(|_| record::is_record(url));
    let place = place.unwrap_or(Cow::Borrowed(url));
    let context =
        place.parse().map_or(Context::none(), |url| Context::retrieval(url, "WARC-Target-URI"));
    let (own, shared) = (Arc::default(), Arc::clone(files));
    let own_url = place.clone().into_owned();
    let targets = Targets { own, shared, scope: None, own_url, has_server, has_twins };
    file.rewritten(media, (&context, &place), (path, targets), options)
}

// What Blink writes into a saved page that it reads only there: shadow trees.

/// A shadow tree in a saved page.
const SAVED: &[u8] = b"<template shadowmode=\"";

/// The same in a page (HTML standard, 4.12.3).
const DECLARED: &[u8] = b"<template shadowrootmode=\"";

/// Returns a document of a page that Blink saved, with its shadow trees as any page declares them.
pub(super) fn with_shadow_trees(bytes: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let mut found = memmem::find_iter(&bytes, SAVED).peekable();
    if found.peek().is_none() {
        return bytes;
    }
    let mut out = Vec::with_capacity(bytes.len() + 64);
    let mut from = 0;
    for at in found {
        out.extend_from_slice(&bytes[from..at]);
        out.extend_from_slice(DECLARED);
        from = at + SAVED.len();
    }
    out.extend_from_slice(&bytes[from..]);
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shadow_trees_are_declared() {
        let page = b"<p><template shadowmode=\"open\">a</template><template>b</template>";
        let expected = b"<p><template shadowrootmode=\"open\">a</template><template>b</template>";
        assert_eq!(&*with_shadow_trees(Cow::Borrowed(page)), expected);
        assert!(matches!(with_shadow_trees(Cow::Borrowed(b"<p>")), Cow::Borrowed(b"<p>")));
    }
}
