//! Forms: what a reference depends on, as it is written.
//!
//! Invariant: the form follows from which components are defined, and from nothing else. Sections: RFC 3986 4.1,
//! 4.2, 4.4.

use crate::split::Reference;

/// What a reference depends on, as it is written (RFC 3986 4.1, 4.2, 4.4).
///
/// ```
/// use urlcore::{Dialect, Form, Reference};
///
/// assert_eq!(Reference::split("//h/a", Dialect::Rfc3986).form(), Form::NetworkPath);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// With a scheme.
    Absolute,
    /// With an authority, as `//host/path`.
    NetworkPath,
    /// With a path from the root, as `/path`.
    AbsolutePath,
    /// With any other path, or with none but a query, as `path` or `?query`.
    RelativePath,
    /// With nothing but a fragment, or empty.
    SameDocument,
}

impl Reference<'_> {
    /// What the reference depends on (RFC 3986 4.2).
    ///
    /// ```
    /// use urlcore::{Dialect, Form, Reference};
    ///
    /// let form = |text| Reference::split(text, Dialect::Web).form();
    /// assert_eq!([form("a:b"), form("//b"), form("/b")], [Form::Absolute, Form::NetworkPath, Form::AbsolutePath]);
    /// assert_eq!([form("?b"), form("b"), form("#b")], [Form::RelativePath, Form::RelativePath, Form::SameDocument]);
    /// ```
    #[must_use]
    pub fn form(&self) -> Form {
        if self.is_absolute() {
            Form::Absolute
        } else if self.at.authority.is_some() {
            Form::NetworkPath
        } else if self.is_rooted() {
            Form::AbsolutePath
        } else if self.at.path_start == self.at.query_end {
            Form::SameDocument
        } else {
            Form::RelativePath
        }
    }
}
