//! The type of a file without a name that is compressed: standard input.

use std::io::{Cursor, Read};

use rewrite::{Limits, Media};

use super::container::{ContainerForm, ContainerId, FileType, Source};
use super::media;

/// Returns the type of a file that begins as gzip, and the mailbox in it if it is one: by the given
/// type of what is in it, or else by the first bytes of that; `None` if it is not known.
pub fn type_of(given: FileType, head: &[u8], limits: &Limits) -> Option<PackedType> {
    let FileType::Container(gzip, _) = media::of_extension("gz") else { return None };
    if gzip.spec().unsupported.is_some_and(|unsupported| unsupported(head).is_some()) {
        return None;
    }
    let own = match given {
        FileType::Unknown => text_type(gzip, head, limits),
        FileType::Container(container, _) if container == gzip => text_type(gzip, head, limits),
        given => given,
    };
    match own {
        FileType::Document(media) => Some((FileType::Container(gzip, Some(media)), None)),
        FileType::Container(inner, media) if inner.spec().form == ContainerForm::Many => {
            Some((FileType::Container(gzip, media), Some((inner, media))))
        }
        _ => None,
    }
}

/// The type of a container, and the type of the container in it if it contains one.
pub type PackedType = (FileType, Option<(ContainerId, Option<Media>)>);

/// Returns the type of what is in a container that begins with these bytes, by its first bytes.
fn text_type(container: ContainerId, head: &[u8], limits: &Limits) -> FileType {
    let source = Source::Stream(Box::new(Cursor::new(head.to_vec())));
    let mut text = Vec::new();
    if let Ok(Source::Stream(reader)) = container.get().open(source, None, limits) {
        // The end is missing, so it is an error.
        drop(reader.take(media::SNIFFED as u64).read_to_end(&mut text));
    }
    media::sniff(&text)
}
