//! Forms of references: the parts of the base on which a reference depends, as it is written.
//!
//! Invariant: the form follows from which components are defined, and from nothing else. Sections:
//! RFC 3986 4.1, 4.2, 4.4.

use crate::split::Reference;

/// The form of a reference: the parts of the base on which it depends, as it is written (RFC 3986
/// 4.1, 4.2, 4.4).
///
/// # Examples
///
/// ```
/// use urlcore::{Dialect, Form, Reference};
///
/// assert_eq!(Reference::split("//h/a", Dialect::Rfc3986).form(), Form::NetworkPath);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// A reference with a scheme, such as `http://host/path`.
    Absolute,
    /// A reference with an authority, such as `//host/path`.
    NetworkPath,
    /// A reference with a path from the root, such as `/path`.
    AbsolutePath,
    /// A reference with any other path, or without path but with a query, such as `path` or
    /// `?query`.
    RelativePath,
    /// A reference that is only a fragment, or empty.
    SameDocument,
}

impl Reference<'_> {
    /// Returns the form of the reference (RFC 3986 4.2).
    ///
    /// # Examples
    ///
    /// ```
    /// use urlcore::{Dialect, Form, Reference};
    ///
    /// let form = |text| Reference::split(text, Dialect::Web).form();
    /// assert_eq!([form("a:b"), form("//b")], [Form::Absolute, Form::NetworkPath]);
    /// assert_eq!([form("/b"), form("b")], [Form::AbsolutePath, Form::RelativePath]);
    /// assert_eq!([form("?b"), form("#b")], [Form::RelativePath, Form::SameDocument]);
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
