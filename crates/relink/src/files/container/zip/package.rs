//! What a package, one document in a zip file, says about its members.

use std::collections::HashSet;

use rewrite::Media;

use crate::files::container::MemberType;

/// What a package says about its members.
pub(super) struct Package {
    /// The names of its members of XML; `None` if names and content give the types of members.
    pub(super) types: Option<HashSet<String>>,
    /// True if a signature is over its members.
    pub(super) is_signed: bool,
}

impl Package {
    /// Returns what a zip file says that is no package.
    pub(super) fn none() -> Self {
        Package { types: None, is_signed: false }
    }

    /// Returns the type of a member; no other types are read than XML.
    pub(super) fn type_of(&self, name: &str) -> MemberType {
        match self.types.as_ref().is_some_and(|names| names.contains(name)) {
            true => MemberType::Document(Media::XML),
            false => MemberType::Other,
        }
    }
}

/// Returns true for the media type of a member of XML, but no picture or page: these have bases of
/// their own.
pub(super) fn is_xml(media_type: &str) -> bool {
    let name = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_other = name.starts_with("image/") || name == "application/xhtml+xml";
    matches!(&*name, "application/xml" | "text/xml") || (name.ends_with("+xml") && !is_other)
}
