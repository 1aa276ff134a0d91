//! A URL that has been checked: relative references can be resolved against it.

use std::fmt;
use std::str::FromStr;

use urlcore::{BaseError, Dialect, Resolver, clean, escape};

/// An absolute URL, in ASCII. A browser would accept it as a base.
///
/// # Examples
///
/// ```
/// use basectx::BaseUrl;
/// use urlcore::BaseError;
///
/// let url: BaseUrl = "http://h/\u{E9}".parse()?;
/// assert_eq!(url.as_str(), "http://h/%C3%A9");
/// assert_eq!("a/b.html".parse::<BaseUrl>(), Err(BaseError::NotAbsolute));
/// # Ok::<(), BaseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl(String);

impl BaseUrl {
    /// Returns the text of the URL.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for BaseUrl {
    type Err = BaseError;

    fn from_str(text: &str) -> Result<Self, BaseError> {
        let text = clean(text, Dialect::Web);
        let url = escape::ascii_web(&text);
        Resolver::new(&url, Dialect::Web)?;
        Ok(BaseUrl(url.into_owned()))
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<BaseUrl> for String {
    fn from(url: BaseUrl) -> String {
        url.0
    }
}
