//! The file of a part: its decoded body, with its charset declared, and its references relative to
//! the file. The result is verified as every conversion is.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use basectx::Context;
use layers::Charset;
use rewrite::{
    Media, NewPlace, Options, Relative, Report, Unit, VerifyError, declared_charset, relativize,
};

use super::parts::{Part, Read};
use super::targets::{Files, TREE, Targets, UNKNOWN, key, url_of};
use super::{blink, charset, policy};
use crate::renames::naming::HTML;

/// The file of a part.
pub(crate) struct File<'r> {
    pub(crate) bytes: Cow<'r, [u8]>,
    /// The outcome of its references, if it is a document.
    pub(crate) report: Option<Report>,
    /// The reason why its references are those of the archive.
    pub(crate) verify_error: Option<VerifyError>,
}

impl<'r> File<'r> {
    pub(crate) fn plain(bytes: Cow<'r, [u8]>) -> Self {
        File { bytes, report: None, verify_error: None }
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
}

/// Returns true if a browser reads a file as HTML, whatever type the message gives it.
fn is_opened_as_html(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    HTML.contains(&&*extension) && !extension.starts_with("xh")
}

/// Makes the file of a part, whose path is given.
pub(crate) fn make<'r>(read: Read<'r>, part: &Part, path: &Path, files: &AllFiles) -> File<'r> {
    let entity = read.entity(part.entity);
    let body = read.body(part.entity);
    let media = Media::from_name(&part.media_type).filter(|media| {
        matches!(media, Media::Document(_)) && media.is_enabled_by(read.options.opt_in)
    });
    let body = match &entity.content_type.charset {
        Some(label) => match charset::declared(&body, media, label) {
            Cow::Owned(declared) => declared.into(),
            Cow::Borrowed(_) => body,
        },
        None => body,
    };
    let body = match media {
        Some(Media::HTML) if read.is_of_blink() => blink::with_shadow_trees(body),
        _ if files.is_mail && is_opened_as_html(path) => {
            policy::with_policy(&body, files.blocks_remote)
        }
        _ => body,
    };
    let Some(media) = media else { return File::plain(body) };
    let style = read.is_inline_style(part.entity);
    let document = part.keys.iter().filter(|_| style).find_map(|key| files.styles.get(key));
    let based = document.copied().unwrap_or(part.entity);
    let nothing = Context::none();
    let context = match style && document.is_none() {
        true => &nothing,
        false => read.contexts.get(based).unwrap_or(&nothing),
    };
    // Without a location, the base of a document is taken for its URL.
    let own_url = read.own_url(part.entity).filter(|url| part.keys.contains(&key(url)));
    let own_url = own_url.as_deref().or(context.base()).unwrap_or(UNKNOWN);
    let targets = Targets {
        own: Arc::clone(&files.own),
        shared: Arc::clone(&files.shared),
        directory: directory_of(path),
        has_server: false,
        charset: charset_of(media, &body, entity.content_type.charset.as_deref()),
    };
    rewritten(body, media, (context, own_url), (path, targets), read.options)
}

/// Returns the charset of a document: the one that it declares, or that from outside.
fn charset_of(media: Media, body: &[u8], outer: Option<&str>) -> Option<Charset> {
    let label = declared_charset(media, body).or(outer)?;
    Charset::for_label(label.as_bytes()).filter(|charset| *charset != Charset::UTF_8)
}

/// Returns the URL in the output of the directory of a file.
fn directory_of(path: &Path) -> String {
    let url = url_of(path);
    url[..=url.rfind('/').unwrap_or_default()].to_owned()
}

/// Makes the file of a capture in a web archive: a document with a URL and perhaps a charset.
pub(crate) fn of_capture<'b>(
    body: Cow<'b, [u8]>,
    media: Option<Media>,
    charset: Option<&str>,
    (url, path): (&str, &Path),
    (files, has_server): (&Arc<Files>, bool),
    options: &Options,
) -> File<'b> {
    let media = media
        .filter(|media| matches!(media, Media::Document(_)) && media.is_enabled_by(options.opt_in));
    let body = match charset {
        Some(label) => match charset::declared(&body, media, label) {
            Cow::Owned(declared) => declared.into(),
            Cow::Borrowed(_) => body,
        },
        None => body,
    };
    let Some(media) = media else { return File::plain(body) };
    let context = Context::retrieval(url, "WARC-Target-URI");
    let (own, shared, directory) = (Arc::clone(files), Arc::default(), directory_of(path));
    let charset = charset_of(media, &body, charset);
    let targets = Targets { own, shared, directory, has_server, charset };
    rewritten(body, media, (&context, url), (path, targets), options)
}

/// Makes the references of a document relative to its file, as far as they lead to files.
fn rewritten<'b>(
    body: Cow<'b, [u8]>,
    media: Media,
    (context, own_url): (&Context<'_>, &str),
    (path, targets): (&Path, Targets),
    options: &Options,
) -> File<'b> {
    let new_url = targets.shown(path);
    let relative = Relative::default().with_map(Arc::new(targets));
    let place = NewPlace { url: &new_url, root: TREE };
    let unit = Unit::new(&body, media, context).with_own_url(own_url).with_new_place(place);
    let rewritten = relativize(unit, options, &relative);
    let bytes = rewritten.output.map_or(body, Cow::Owned);
    File { bytes, report: Some(rewritten.report), verify_error: rewritten.verify_error }
}
