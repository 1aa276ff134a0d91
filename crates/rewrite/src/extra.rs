//! Attributes that are no slots, asked for by name (`--also data-src`).

use crate::slots::{SlotId, Syntax};

/// The attributes asked for by name.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    asked: Vec<Extra>,
}

/// One attribute, in lower case.
#[derive(Clone, Debug)]
struct Extra {
    attribute: String,
    /// Of which element, if not of any.
    element: Option<String>,
    /// In reports: `*[data-src]`.
    slot: String,
}

impl Extras {
    /// Asks for an attribute of any element, `data-src`, or of one, `img[data-src]`. One whose name ends with `srcset` holds image
    /// candidates, any other a URL.
    pub fn add(&mut self, name: &str) {
        let name = name.to_ascii_lowercase();
        let (element, attribute) =
            match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
                Some((element, attribute)) => (Some(element.to_owned()), attribute.to_owned()),
                None => (None, name),
            };
        let slot = format!("{}[{attribute}]", element.as_deref().unwrap_or("*"));
        if !self.asked.iter().any(|known| known.slot == slot) {
            self.asked.push(Extra { attribute, element, slot });
        }
    }

    /// The number of the attribute of this name of an element of this name, in any case.
    pub(crate) fn find(&self, element: &[u8], attribute: &[u8]) -> Option<usize> {
        self.asked.iter().position(|asked| {
            asked.attribute.as_bytes().eq_ignore_ascii_case(attribute)
                && (asked.element.as_ref())
                    .is_none_or(|name| name.as_bytes().eq_ignore_ascii_case(element))
        })
    }

    pub(crate) fn syntax(&self, idx: usize) -> Syntax {
        if self.asked[idx].attribute.ends_with("srcset") { Syntax::Candidates } else { Syntax::Url }
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
        self.asked.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.asked.is_empty()
    }

    /// The name of a slot in reports: `a[href]`, `*[data-src]`.
    pub fn name_of(&self, slot: SlotId) -> &str {
        match slot.row() {
            Ok(row) => row.name,
            Err(idx) => self.asked.get(idx).map_or("", |asked| &asked.slot),
        }
    }
}
