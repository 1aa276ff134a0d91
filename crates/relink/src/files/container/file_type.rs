//! The types of files.

use rewrite::Media;

/// A container: the index of its row in [`CONTAINERS`](super::CONTAINERS).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContainerId(pub(super) usize);

/// The type of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileType {
    /// A document that is read.
    Document(Media),
    /// A file that contains documents, and their media type, if the file is examined no further to
    /// find it.
    Container(ContainerId, Option<Media>),
    /// A document in an unsupported format, and its name.
    Unsupported(&'static str),
    /// Something else.
    Other,
    /// The name does not give the type; the content may.
    Unknown,
}

impl FileType {
    /// Returns the media type, if it is a document.
    pub fn media(self) -> Option<Media> {
        match self {
            FileType::Document(media) => Some(media),
            _ => None,
        }
    }

    /// Returns the container with the media type of its documents, if it is one.
    pub fn container(self) -> Option<(ContainerId, Option<Media>)> {
        match self {
            FileType::Container(container, media) => Some((container, media)),
            _ => None,
        }
    }
}
