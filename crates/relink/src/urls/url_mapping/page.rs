//! URLs of pages, by their last segments, where that of a directory is expected; and the other way
//! round.

use std::path::Path;

use basectx::RetrievalUrl;
use urlcore::{Dialect, Reference};

use super::error::PlaceError;
use crate::os::store::Store;

/// Reads the URL of a directory. That of its index page is read as the URL of the directory, and
/// the second value is a note about it then.
///
/// # Errors
///
/// [`PlaceError`] if it is invalid, or that of another page.
pub fn url_of_directory(typed: &str) -> Result<(RetrievalUrl, Option<String>), PlaceError> {
    check_drive(typed)?;
    let directory = without_index(typed, &[]);
    let url = RetrievalUrl::from_directory(directory.unwrap_or(typed)).map_err(PlaceError::Url)?;
    let note = match directory {
        Some(_) => format!("its URL is read as {}, that of the directory", url.as_str()),
        None if is_page(typed) => return Err(PlaceError::Page(self::directory(typed).to_owned())),
        None if url.is_slash_added() => {
            format!("its URL is read as {}; the URL of a directory ends with a slash", url.as_str())
        }
        None => return Ok((url, None)),
    };
    Ok((url, Some(note)))
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

/// Returns the directory whose index page a URL identifies. `indexes` are names of index pages
/// besides `index.html`.
pub fn without_index<'u>(url: &'u str, indexes: &[String]) -> Option<&'u str> {
    let name = &url[directory(url).len()..];
    let is_index = name == "index.html" || indexes.iter().any(|index| index == name);
    is_index.then(|| directory(url))
}

/// Returns true if a URL without a slash at its end is that of a page, by its name.
pub fn is_page(url: &str) -> bool {
    const PAGES: [&str; 8] = ["asp", "aspx", "htm", "html", "jsp", "php", "shtml", "xhtml"];
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_host = path.matches('/').count() < 3;
    !is_host && PAGES.iter().any(|page| extension.eq_ignore_ascii_case(page))
}

/// Returns a URL up to its last slash.
pub fn directory(url: &str) -> &str {
    &url[..url.rfind('/').map_or(0, |at| at + 1)]
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
pub fn slash_hint(store: &dyn Store, path: &Path, url: &str) -> Option<String> {
    let start = url.find(['?', '#']).map_or(url, |end| &url[..end]);
    let (before, last) = start.rsplit_once('/')?;
    let is_host = before.ends_with('/') || !before.contains("//");
    let is_name = path.file_name().is_some_and(|name| name == last);
    if is_host || last.is_empty() || last.contains('.') || is_name || !store.is_file(path) {
        return None;
    }
    let directory = RetrievalUrl::from_file(url).ok()?.directory()?;
    Some(format!(
        "hint: references are resolved against {}; add a slash to --base if {last} is a directory",
        directory.as_str()
    ))
}
