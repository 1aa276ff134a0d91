//! Attributes that are no slots, asked for by name (`--also data-src`).

use crate::slots::{SlotId, Syntax};

/// The attributes asked for by name.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    /// Name in lower case, and the name in reports: `data-src`, `*[data-src]`.
    names: Vec<(String, String)>,
}

impl Extras {
    /// Asks for an attribute of any element. One whose name ends with `srcset` holds image candidates, any other a URL.
    pub fn add(&mut self, attribute: &str) {
        let name = attribute.to_ascii_lowercase();
        if !self.names.iter().any(|(known, _)| *known == name) {
            let slot = format!("*[{name}]");
            self.names.push((name, slot));
        }
    }

    /// The number of the attribute of this name, in any case.
    pub(crate) fn find(&self, attribute: &[u8]) -> Option<usize> {
        self.names.iter().position(|(name, _)| name.as_bytes().eq_ignore_ascii_case(attribute))
    }

    pub(crate) fn syntax(&self, idx: usize) -> Syntax {
        if self.names[idx].0.ends_with("srcset") { Syntax::Candidates } else { Syntax::Url }
    }

    /// How the values of a slot are written.
    pub(crate) fn syntax_of(&self, slot: SlotId) -> Syntax {
        match slot.row() {
            Ok(row) => row.syntax,
            Err(idx) => self.syntax(idx),
        }
    }

    /// Number of attributes asked for.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The name of a slot in reports: `a[href]`, `*[data-src]`.
    pub fn name_of(&self, slot: SlotId) -> &str {
        match slot.row() {
            Ok(row) => row.name,
            Err(idx) => self.names.get(idx).map_or("", |(_, name)| name),
        }
    }
}
