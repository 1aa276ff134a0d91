//! The charset in which browsers send the queries of references.
//!
//! What a document itself loads has the document's (URL Standard, "query state"; HTML standard,
//! section 2.4.1, "encoding-parsing a URL"). The rest is parsed apart from it, in UTF-8: embedded
//! documents, modules, JSON and declarations in attributes. The specifications do not say which a
//! style sheet has; Chromium sends all but its imports in its own charset. The rows were compared
//! with the requests of Chromium 156 (`tests/browser/queries.py`).

use layers::Charset;

use super::{SlotId, Syntax};

impl SlotId {
    /// Returns the charset in which a browser sends the queries of references in a text of this
    /// slot, if those of the text around it are sent in `around`.
    #[inline]
    pub(crate) fn query_charset(self, syntax: Syntax, around: Charset) -> Charset {
        match syntax {
            Syntax::Html | Syntax::Declarations | Syntax::Module | Syntax::Json(_) => {
                Charset::UTF_8
            }
            _ if self == SlotId::CSS_IMPORT => Charset::UTF_8,
            _ => around,
        }
    }
}
