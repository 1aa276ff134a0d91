//! The components of a reference that hold data, and the characters that each may contain.
//!
//! Invariant: what is a delimiter in a component is never data in it. Sections: RFC 3986 2.2; 1996
//! 2.3.2.

use crate::dialect::Dialect;
use crate::grammar::CharacterSet;

/// A component of a reference, or a part of one, that holds data.
///
/// # Examples
///
/// ```
/// use urlcore::Dialect;
/// use urlcore::escape::{Component, encode};
///
/// let mut query = String::from("?q=");
/// encode(b"a&b=c", Component::Query, Dialect::Rfc3986, &mut query);
/// assert_eq!(query, "?q=a%26b%3Dc");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Component {
    /// A user, or a password.
    User,
    /// A segment of a path, or the name in it before its parameters.
    Segment,
    /// A path: slashes are kept.
    Path,
    /// A query, or the name or value of one: `&`, `=`, `+` and `;` are escaped.
    Query,
    /// A fragment.
    Fragment,
}

impl Component {
    /// All components, with their names on command lines.
    pub const ALL: [(&'static str, Component); 5] = [
        ("user", Component::User),
        ("segment", Component::Segment),
        ("path", Component::Path),
        ("query", Component::Query),
        ("fragment", Component::Fragment),
    ];

    /// Returns the bytes that are delimiters in the component, which data must not contain
    /// unescaped.
    pub(crate) fn delimiters(self) -> &'static [u8] {
        match self {
            Component::User | Component::Fragment => b"",
            Component::Segment => b"/;=?",
            Component::Path => b";=?",
            Component::Query => b"&=+;",
        }
    }

    /// Returns the characters that the grammar of a dialect allows in the component, and those of
    /// them that are delimiters, which data must not contain unescaped.
    pub(crate) fn sets(self, dialect: Dialect) -> (CharacterSet, CharacterSet) {
        let grammar = dialect.grammar();
        // The grammar of 1993 allows spaces and quotes, which "imperfect gateways" corrupt.
        let frail = CharacterSet::new(" \"");
        let set = match self {
            Component::User => grammar.unreserved,
            Component::Segment | Component::Path => grammar.path.set,
            Component::Query => grammar.query.set,
            Component::Fragment => grammar.fragment.set,
        };
        (set, CharacterSet::from_octets(self.delimiters()).or(frail))
    }
}
