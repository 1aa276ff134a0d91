//! Texts by which documents show what is not read. All are found in one pass.

use std::sync::LazyLock;

use regex::bytes::Regex;

/// What a text is a sign of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// An attribute of a lazy loader.
    Lazy,
    /// An attribute of htmx.
    Htmx,
    /// A server-side include.
    Include,
    /// A URL whose host begins with a dot.
    DotHost,
}

/// The texts, and what they are signs of.
const TEXTS: [(&str, Sign); 5] = [
    (" data-src", Sign::Lazy),
    (" data-lazy", Sign::Lazy),
    (" hx-get=", Sign::Htmx),
    ("<!--#include ", Sign::Include),
    ("://.", Sign::DotHost),
];

/// Finds any of them.
static ANY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let texts = TEXTS.map(|(text, _)| regex::escape(text));
    Regex::new(&texts.join("|")).ok()
});

/// A few different signs.
#[derive(Debug, Default)]
pub struct Signs(Vec<Sign>);

impl Signs {
    pub fn has(&self, sign: Sign) -> bool {
        self.0.contains(&sign)
    }

    /// Returns those of these signs that a document has.
    pub fn found_in(&self, bytes: &[u8]) -> Signs {
        let mut found = Signs::default();
        let matches = ANY.iter().flat_map(|any| any.find_iter(bytes));
        for text in matches {
            let sign = TEXTS.iter().find(|(sign, _)| sign.as_bytes() == text.as_bytes());
            let sign = sign.map(|(_, sign)| *sign).filter(|sign| self.has(*sign));
            found.0.extend(sign.filter(|sign| !found.has(*sign)));
            if found.0.len() == self.0.len() {
                break;
            }
        }
        found
    }
}

impl FromIterator<Sign> for Signs {
    fn from_iter<T: IntoIterator<Item = Sign>>(signs: T) -> Self {
        Signs(signs.into_iter().collect())
    }
}

impl Extend<Sign> for Signs {
    fn extend<T: IntoIterator<Item = Sign>>(&mut self, signs: T) {
        self.0.extend(signs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_wanted_is_found() {
        let wanted = |signs: &[Sign]| signs.iter().copied().collect::<Signs>();
        let bytes = b"<img data-src=x data-lazy=y><a hx-get=z href=http://./x>\xff<!--#include x";
        let all = [Sign::Lazy, Sign::Htmx, Sign::DotHost, Sign::Include];
        assert_eq!(wanted(&all).found_in(bytes).0, all);
        assert_eq!(wanted(&[Sign::Include]).found_in(bytes).0, [Sign::Include]);
        assert_eq!(wanted(&[]).found_in(bytes).0, []);
        assert_eq!(wanted(&all).found_in(b"<img data-srx> hx-get http://x.").0, []);
    }
}
