//! The mapping from the path of a file in a tree to the URL from which it was, or would be,
//! retrieved.
//!
//! File names map to URL paths byte for byte with percent-escapes (RFC 3986 section 2.1).

use urlcore::{BaseError, Dialect, Reference, Resolver, escape};

use crate::site::with_ascii_host;

/// The URL of a directory or of a single file, checked.
///
/// # Examples
///
/// ```
/// use basectx::{BadRetrieval, RetrievalUrl};
///
/// let root = RetrievalUrl::from_directory("http://h/docs")?;
/// assert_eq!((root.as_str(), root.is_slash_added()), ("http://h/docs/", true));
/// assert_eq!(RetrievalUrl::from_file("mailto:u@h"), Err(BadRetrieval::Opaque));
/// # Ok::<(), BadRetrieval>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetrievalUrl {
    url: String,
    is_slash_added: bool,
}

/// The reason why a URL cannot be that of a tree.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadRetrieval {
    /// The URL is relative or invalid.
    #[error("not an absolute URL: {0}")]
    NotAbsolute(#[source] BaseError),
    /// No URL can be below it: `mailto:`, `data:` …
    #[error("URLs of this scheme have no directories")]
    Opaque,
    /// The URL of a directory has a query.
    #[error("the URL of a directory cannot have a query")]
    Query,
}

impl RetrievalUrl {
    /// Creates the URL of a single file. A fragment is dropped.
    ///
    /// # Errors
    ///
    /// [`BadRetrieval`] if the URL is relative or opaque.
    pub fn from_file(url: &str) -> Result<Self, BadRetrieval> {
        let url = check(url)?;
        Ok(RetrievalUrl { url, is_slash_added: false })
    }

    /// Creates the URL of a directory. A missing final slash is added, and
    /// [`RetrievalUrl::is_slash_added`] returns true then. A fragment is dropped.
    ///
    /// # Errors
    ///
    /// [`BadRetrieval`] if the URL is relative or opaque, or has a query.
    pub fn from_directory(url: &str) -> Result<Self, BadRetrieval> {
        let mut url = check(url)?;
        if url.contains('?') {
            return Err(BadRetrieval::Query);
        }
        let is_slash_added = !url.ends_with('/');
        if is_slash_added {
            url.push('/');
        }
        Ok(RetrievalUrl { url, is_slash_added })
    }

    /// Returns the URL.
    pub fn as_str(&self) -> &str {
        &self.url
    }

    /// Returns true if the final slash of a directory had to be added.
    pub fn is_slash_added(&self) -> bool {
        self.is_slash_added
    }

    /// Returns the root of the tree: the directory; for a single file, the root of its site.
    ///
    /// # Examples
    ///
    /// ```
    /// use basectx::RetrievalUrl;
    /// assert_eq!(RetrievalUrl::from_directory("http://h/old")?.root(), "http://h/old/");
    /// assert_eq!(RetrievalUrl::from_file("http://h/old/a?b")?.root(), "http://h/");
    /// # Ok::<(), basectx::BadRetrieval>(())
    /// ```
    pub fn root(&self) -> String {
        if self.url.ends_with('/') {
            return self.url.clone();
        }
        self.resolve("/").unwrap_or_else(|| self.url.clone())
    }

    /// Returns the URL of the directory of a single file; for a directory its own.
    pub fn directory(&self) -> Option<RetrievalUrl> {
        RetrievalUrl::from_directory(&self.resolve("./")?).ok()
    }

    fn resolve(&self, reference: &str) -> Option<String> {
        Resolver::new(&self.url, Dialect::Web).ok()?.resolve(reference).ok()?.url()
    }

    /// Returns the URL of the file below this directory whose path has the given names, outermost
    /// first, in the bytes of the file system.
    ///
    /// # Examples
    ///
    /// ```
    /// use basectx::RetrievalUrl;
    /// let root = RetrievalUrl::from_directory("http://h/old")?;
    /// assert_eq!(root.join([&b"a b"[..], b"50%.html"]), "http://h/old/a%20b/50%25.html");
    /// # Ok::<(), basectx::BadRetrieval>(())
    /// ```
    pub fn join<'n>(&self, names: impl IntoIterator<Item = &'n [u8]>) -> String {
        let mut url = self.url.clone();
        for (idx, name) in names.into_iter().enumerate() {
            if idx > 0 {
                url.push('/');
            }
            escape::encode_path_segment(name, &mut url);
        }
        url
    }
}

/// Returns the URL in ASCII, its host as browsers request it, with `/` as separators, without its
/// fragment.
fn check(url: &str) -> Result<String, BadRetrieval> {
    let url = escape::ascii_web(url.trim());
    Resolver::new(&url, Dialect::Web).map_err(BadRetrieval::NotAbsolute)?;
    let mut resolved = String::new();
    let is_resolved = urlcore::resolve_without_base(&url, Dialect::Web, &mut resolved).is_ok();
    let url = if is_resolved { resolved } else { url.into_owned() };
    let url = with_ascii_host(url.split('#').next().unwrap_or_default());
    let reference = Reference::split(&url, Dialect::Web);
    let is_below = reference.authority().is_some() || reference.path().starts_with('/');
    if is_below { Ok(url.into_owned()) } else { Err(BadRetrieval::Opaque) }
}
