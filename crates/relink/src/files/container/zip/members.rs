//! What a zip file says about its members, if it is a package.

use std::collections::HashMap;
use std::sync::Arc;

use rewrite::Media;

use crate::files::container::FileType;

/// What a zip file says about its members.
pub(super) struct Members {
    /// The types of those that are documents, by their names; `None` if names and content give
    /// them.
    pub(super) types: Option<HashMap<String, Media>>,
    /// True if a signature is over them.
    pub(super) is_signed: bool,
    /// The base of the hyperlinks in them, if it is not the URL of the file.
    pub(super) hyperlink_base: Option<Arc<str>>,
}

impl Members {
    /// Returns what a zip file says that is no package.
    pub(super) fn untyped() -> Self {
        Members { types: None, is_signed: false, hyperlink_base: None }
    }

    /// Returns the type of a member.
    pub(super) fn type_of(&self, name: &str) -> FileType {
        let media = self.types.as_ref().and_then(|types| types.get(name));
        media.map_or(FileType::Other, |media| FileType::Document(*media))
    }
}
