//! URLs: from a path to its URL and back, by the layout of a mirror and the provenance in
//! documents.

pub mod directory_index;
pub mod fetched;
pub mod fixes;
pub mod hints;
pub mod layout;
pub mod locate;
pub mod located;
pub mod mirror;
pub mod origins;
pub mod remembered;
pub mod renames;
pub mod stale_text;
pub mod twins;
pub mod url_mapping;
