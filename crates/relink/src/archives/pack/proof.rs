//! The proof of a message: it is read again as any other message, and compared with its files.

use std::collections::HashMap;

use basectx::Context;
use basectx::message::{Defect, Message, MessageLimits, url_of};
use rewrite::{Limit, Media, MessageFraming, Options, Unit, references};
use urlcore::escape::ascii_web;

use super::PackedFile;

/// How a message differs from what was packed.
#[derive(Debug, thiserror::Error)]
pub enum Difference {
    /// It is not well-formed.
    #[error("{0}")]
    Defect(Defect),
    /// It has another number of parts.
    #[error("it has {0} parts")]
    Parts(usize),
    /// This part has another URL.
    #[error("the part {0} has another URL")]
    Url(String),
    /// The part with this URL has another type.
    #[error("the part {0} has another type")]
    Type(String),
    /// The part with this URL has other bytes than its file.
    #[error("the part {0} has other bytes than its file")]
    Bytes(String),
    /// A reference points elsewhere.
    #[error("reference {number} of {url} points to {}", target.as_deref().unwrap_or("nothing"))]
    Target {
        /// The number of the reference, from 1.
        number: usize,
        /// The URL of its part.
        url: String,
        /// Its target.
        target: Option<String>,
    },
}

/// Checks that a message has the bytes and the URLs of its parts, and that each reference that is
/// loaded leads to its part.
///
/// # Errors
///
/// The first difference.
pub fn check(message: &[u8], parts: &[PackedFile], options: &Options) -> Result<(), Difference> {
    bodies(message, parts, options)?;
    targets(message, parts, options)
}

/// Checks the parts: their number, their URLs and their bytes.
fn bodies(bytes: &[u8], parts: &[PackedFile], options: &Options) -> Result<(), Difference> {
    let limits = &options.limits;
    let message = Message::read_within(
        bytes,
        MessageLimits {
            depth: limits.get(Limit::PartDepth),
            entities: limits.get(Limit::Parts),
            field: limits.get(Limit::FieldSize),
        },
    );
    if let Some(diagnostic) = message.diagnostics.first() {
        return Err(Difference::Defect(diagnostic.defect));
    }
    let leaves: Vec<usize> = message.leaves().collect();
    if leaves.len() != parts.len() {
        return Err(Difference::Parts(leaves.len()));
    }
    for (leaf, part) in leaves.into_iter().zip(parts) {
        let entity = &message.entities[leaf];
        let location =
            entity.field("Content-Location", bytes).and_then(|field| url_of(field, bytes));
        if location.as_deref() != Some(&*part.url) {
            return Err(Difference::Url(part.url.clone()));
        }
        if entity.encoding.decode(entity.body.slice(bytes))[..] != *part.body() {
            return Err(Difference::Bytes(part.url.clone()));
        }
        if entity.content_type.media_type != part.media_type {
            return Err(Difference::Type(part.url.clone()));
        }
    }
    Ok(())
}

/// Checks the targets of references, as they are read in the message.
fn targets(bytes: &[u8], parts: &[PackedFile], options: &Options) -> Result<(), Difference> {
    let urls: HashMap<&str, usize> =
        parts.iter().enumerate().map(|(idx, part)| (&*part.url, idx)).collect();
    let context = Context::none();
    let unit = Unit::new(bytes, Media::Message(MessageFraming::None), &context);
    // The references of each part: in the message they are numbered through.
    let mut found: Vec<Vec<Option<String>>> = parts.iter().map(|_| Vec::new()).collect();
    references(unit, options, |site| {
        let number = site.frame.part().and_then(|part| part.parse::<usize>().ok());
        let idx = number.and_then(|number| number.checked_sub(1));
        if let Some(targets) = idx.and_then(|idx| found.get_mut(idx)) {
            let target = site.target();
            targets.push(target.map(|target| {
                let end = target.find('#').unwrap_or(target.len());
                ascii_web(&target[..end]).into_owned()
            }));
        }
    });
    for (part, found) in parts.iter().zip(&found) {
        for loaded in &part.loaded {
            let target = found.get(loaded.id).and_then(Option::as_deref);
            let leads_to = target.and_then(|target| urls.get(target)).copied();
            // A file that is not packed for this reference may be packed for another one.
            let is_same_file = loaded.part.is_none()
                && leads_to.is_some_and(|idx| {
                    loaded.file_url.as_ref().is_some_and(|url| *url == parts[idx].file_url)
                });
            if leads_to != loaded.part && !is_same_file {
                let (number, url) = (loaded.id + 1, part.url.clone());
                let target = target.map(str::to_owned);
                return Err(Difference::Target { number, url, target });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::archives::pack::Loaded;
    use crate::archives::pack::mime::{self, Heading};

    fn part(url: &str, media: Media, text: &str, loaded: &[(usize, Option<usize>)]) -> PackedFile {
        let loaded = loaded.iter().map(|(id, part)| Loaded {
            at: 0,
            is_use: false,
            is_frame: false,
            id: *id,
            part: *part,
            file_url: None,
        });
        PackedFile {
            url: url.to_owned(),
            file_url: url.to_owned(),
            path: PathBuf::new(),
            media_type: media.name().to_owned(),
            media: Some(media),
            charset: None,
            is_text: true,
            bytes: text.as_bytes().into(),
            edited: None,
            loaded: loaded.collect(),
            depth: 0,
        }
    }

    fn write(parts: &[PackedFile]) -> String {
        let heading = Heading { subject: "x", date: None, snapshot: None };
        String::from_utf8(mime::message(&heading, parts)).unwrap()
    }

    #[test]
    fn each_difference_is_found() {
        let page = "<link rel=stylesheet href=a.css><img src=none.png>";
        let loaded = [(0, Some(1)), (1, None)];
        let parts = [
            part("http://h/p", Media::HTML, page, &loaded),
            part("http://h/a.css", Media::CSS, "p { color: red }", &[]),
        ];
        let message = write(&parts);
        let found = |message: &str, parts: &[PackedFile]| {
            check(message.as_bytes(), parts, &Options::default()).map_err(|error| error.to_string())
        };
        assert_eq!(found(&message, &parts), Ok(()));
        for (old, new, difference) in [
            ("h/a.css\r\n", "h/b.css\r\n", "the part http://h/a.css has another URL"),
            ("color: red", "color: rod", "the part http://h/a.css has other bytes than its file"),
            ("text/css", "text/plain", "the part http://h/a.css has another type"),
            ("--\r\n", "\r\n", "the text ends inside a header section"),
        ] {
            let (start, end) = message.rsplit_once(old).unwrap();
            let error = found(&format!("{start}{new}{end}"), &parts).unwrap_err();
            assert_eq!(error, difference);
        }
        assert_eq!(found(&message, &parts[..1]).unwrap_err(), "it has 2 parts");
        // A reference that is to point to another part, or to one although nothing was found.
        for (loaded, target) in
            [([(0, Some(0))], "a.css"), ([(0, None)], "a.css"), ([(1, Some(1))], "none.png")]
        {
            let sheet = part("http://h/a.css", Media::CSS, "p { color: red }", &[]);
            let parts = [part("http://h/p", Media::HTML, page, &loaded), sheet];
            let number = loaded[0].0 + 1;
            let difference =
                format!("reference {number} of http://h/p points to http://h/{target}");
            assert_eq!(found(&message, &parts).unwrap_err(), difference);
        }
    }
}
