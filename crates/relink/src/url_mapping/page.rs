//! URLs of pages, by their last segments, where that of a directory is expected; and the other way
//! round.

use std::path::Path;

use basectx::RetrievalUrl;
use urlcore::{Dialect, Reference};

use super::PlaceError;

/// Reads the URL of a directory.
///
/// # Errors
///
/// [`PlaceError`] if it is invalid.
pub fn url_of_directory(typed: &str) -> Result<RetrievalUrl, PlaceError> {
    check_drive(typed)?;
    RetrievalUrl::from_directory(typed).map_err(PlaceError::Url)
}

/// Reads the URL of a file.
///
/// # Errors
///
/// [`PlaceError`] if it is invalid.
pub fn url_of_file(typed: &str) -> Result<RetrievalUrl, PlaceError> {
    check_drive(typed)?;
    RetrievalUrl::from_file(typed).map_err(PlaceError::Url)
}

/// Checks that a URL is not a path with the letter of a drive.
fn check_drive(typed: &str) -> Result<(), PlaceError> {
    match Reference::split(typed.trim(), Dialect::Web).scheme() {
        Some(scheme) if scheme.len() == 1 => Err(PlaceError::Drive(typed.replace('\\', "/"))),
        _ => Ok(()),
    }
}

/// Returns a hint for the URL of a single file that may be meant as the URL of its directory, and
/// has no slash at its end.
pub fn slash_hint(path: &Path, url: &str) -> Option<String> {
    let start = url.find(['?', '#']).map_or(url, |end| &url[..end]);
    let (before, last) = start.rsplit_once('/')?;
    let is_host = before.ends_with('/') || !before.contains("//");
    let is_name = path.file_name().is_some_and(|name| name == last);
    if is_host || last.is_empty() || last.contains('.') || is_name || !path.is_file() {
        return None;
    }
    let directory = RetrievalUrl::from_file(url).ok()?.directory()?;
    Some(format!(
        "hint: references are resolved against {}; add a slash to --base if {last} is a directory",
        directory.as_str()
    ))
}
