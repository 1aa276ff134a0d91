//! The values of `--map`.

use std::convert::Infallible;
use std::path::PathBuf;
use std::str::FromStr;

use crate::os::stored::{Stored, Value};

/// The URL of a directory or file in the tree, as typed or as values.
#[derive(Clone, Debug)]
pub struct MapOption {
    /// `PATH=URL`.
    pub(super) text: String,
    pub(super) place: Option<(PathBuf, String)>,
}

impl MapOption {
    /// Creates the option for a path and its URL.
    pub fn new(path: PathBuf, url: String) -> Self {
        MapOption { text: format!("{}={url}", path.display()), place: Some((path, url)) }
    }
}

impl FromStr for MapOption {
    type Err = Infallible;

    /// Reads `PATH=URL`. If it is something else, [`UrlMapping::new`] returns an error.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        let place = split(text).map(|(path, url)| (PathBuf::from(path), url.to_owned()));
        Ok(MapOption { text: text.to_owned(), place })
    }
}

impl Stored for MapOption {
    fn store(&self) -> Value {
        self.text.as_str().into()
    }

    fn restore(value: &Value) -> Option<Self> {
        value.as_str()?.parse().ok()
    }
}

/// Splits `PATH=URL` at the last `=` that a scheme follows.
fn split(map: &str) -> Option<(&str, &str)> {
    let is_url = |url: &str| {
        url.split_once(':').is_some_and(|(scheme, _)| {
            scheme.starts_with(|char: char| char.is_ascii_alphabetic())
                && scheme.chars().all(|char| char.is_ascii_alphanumeric() || "+-.".contains(char))
        })
    };
    map.rmatch_indices('=')
        .map(|(at, _)| (&map[..at], &map[at + 1..]))
        .find(|(path, url)| !path.is_empty() && is_url(url))
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn maps_are_split_before_the_last_scheme() {
        assert_eq!(split("a=b=http://h/x=y"), Some(("a=b", "http://h/x=y")));
        assert_eq!(split("a=ftp://h/"), Some(("a", "ftp://h/")));
        for wrong in ["a", "a=b", "=http://h/", "a=1:2", "a=/x:y"] {
            assert_eq!(split(wrong), None, "{wrong}");
        }
    }
}
