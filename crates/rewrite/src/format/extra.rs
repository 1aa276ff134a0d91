//! The values of attributes that `--also` names: their syntax and their references.
//!
//! Scripts read these attributes and may use a value in any way: as a URL, as CSS, as image
//! candidates, as settings in JSON. So each value is read as the syntax that it looks like.
//!
//! Invariant: an edited value is read as the same syntax as before. `Delimiters::Attribute` refuses
//! a URL that would be read as another one.

use basectx::is_template;

use crate::options::extras::Extras;
use crate::slots::Syntax;

/// The syntax that the value of an attribute is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// A text of this syntax.
    As(Syntax),
    /// JSON, whose strings only the script can interpret.
    Json,
    /// A switch of htmx, and not a reference.
    Switch,
}

impl Extras {
    /// Returns the syntax of a decoded value of attribute `idx`. The name of the attribute decides
    /// only if it ends with `srcset` or `bgset`, and for switches.
    pub(crate) fn reading(&self, idx: usize, value: &str) -> Reading {
        let name = &*self.attributes[idx].attribute;
        match () {
            () if name.ends_with("srcset") => Reading::As(Syntax::Candidates),
            () if name.ends_with("bgset") => Reading::As(Syntax::CandidateSets),
            () if self.may_be_switch(idx) && is_switch(value) => Reading::Switch,
            () => reading(value),
        }
    }

    /// Returns true for `hx-push-url` and `hx-replace-url`, which contain a URL, `true` or `false`.
    pub(crate) fn may_be_switch(&self, idx: usize) -> bool {
        let name = &*self.attributes[idx].attribute;
        matches!(name.strip_prefix("data-").unwrap_or(name), "hx-push-url" | "hx-replace-url")
    }
}

/// Returns true if a value is read as one URL.
pub(crate) fn is_url(value: &str, may_be_switch: bool) -> bool {
    !(may_be_switch && is_switch(value)) && reading(value) == Reading::As(Syntax::Url)
}

fn is_switch(value: &str) -> bool {
    matches!(value.trim_ascii(), "true" | "false")
}

/// Returns the syntax of a value, whatever the name of its attribute.
fn reading(value: &str) -> Reading {
    match () {
        () if is_json(value) => Reading::Json,
        () if has_css_function(value) => Reading::As(Syntax::Declarations),
        () if are_candidates(value) => Reading::As(Syntax::Candidates),
        // The end of its marks is unknown.
        () if is_template(value) && value.split_ascii_whitespace().any(is_descriptor) => {
            Reading::As(Syntax::Candidates)
        }
        () => Reading::As(Syntax::Url),
    }
}

/// Returns true if a value begins and ends as an object or an array does; `{{` begins a template.
fn is_json(value: &str) -> bool {
    let value = value.trim_ascii();
    match value.as_bytes() {
        [b'[', .., b']'] => true,
        [b'{', inside @ .., b'}'] => {
            matches!(inside.trim_ascii_start().first(), None | Some(b'"' | b'\''))
        }
        _ => false,
    }
}

/// Returns true if a CSS function with URLs begins where a CSS token may begin: `url(`, `src(`,
/// `image-set(`.
fn has_css_function(value: &str) -> bool {
    let is_name = |char: char| char.is_ascii_alphanumeric() || char == '-';
    let is_before = |char: char| char.is_ascii_whitespace() || ",:;(".contains(char);
    value.match_indices('(').any(|(at, _)| {
        let before = &value[..at];
        let start = before.trim_end_matches(is_name).len();
        let name = &before[start..];
        let is_function = ["url", "src", "image-set", "-webkit-image-set"]
            .iter()
            .any(|function| function.eq_ignore_ascii_case(name));
        is_function && before[..start].chars().next_back().is_none_or(is_before)
    })
}

/// Returns true if a text consists of image candidates, at least one of which has a descriptor.
fn are_candidates(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (mut at, mut has_some) = (0, false);
    loop {
        at += run(&bytes[at..], |byte| byte.is_ascii_whitespace() || byte == b',');
        if at == bytes.len() {
            return has_some;
        }
        let end = at + run(&bytes[at..], |byte| !byte.is_ascii_whitespace());
        let has_comma = text[at..end].ends_with(',');
        at = end;
        if !has_comma {
            at += descriptors(&bytes[end..]);
            let words = text[end..at].strip_suffix(',').unwrap_or(&text[end..at]);
            if !words.split_ascii_whitespace().all(is_descriptor) {
                return false;
            }
            has_some |= !words.trim_ascii().is_empty();
        }
    }
}

/// Returns true if a word is a width, a height or a density: `300w`, `1.5x`.
fn is_descriptor(word: &str) -> bool {
    let number = word.trim_end_matches(',').strip_suffix(['w', 'x', 'h']);
    number.is_some_and(|number| {
        number.parse::<f64>().is_ok_and(|number| number > 0.0 && number.is_finite())
    })
}

/// Returns the number of bytes at the start for which `is` returns true.
pub(super) fn run(bytes: &[u8], is: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !is(*byte)).unwrap_or(bytes.len())
}

/// Returns the length of the descriptors up to the comma that ends them; a comma in parentheses
/// does not.
pub(super) fn descriptors(bytes: &[u8]) -> usize {
    let mut is_in_parens = false;
    let mut is_ended = |byte: &u8| {
        match byte {
            b'(' => is_in_parens = true,
            b')' => is_in_parens = false,
            _ => {}
        }
        *byte == b',' && !is_in_parens
    };
    bytes.iter().position(&mut is_ended).map_or(bytes.len(), |idx| idx + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_what_they_look_like() {
        let css = Reading::As(Syntax::Declarations);
        for value in [
            "url(d.png)",
            " URL('a') , url(b)",
            "image-set('a' 1x, 'b' 2x)",
            "linear-gradient(red, blue), url(x)",
            "-webkit-image-set(url(a) 1x)",
            "background:url(x)",
        ] {
            assert_eq!(reading(value), css, "{value}");
        }
        let candidates = Reading::As(Syntax::Candidates);
        for value in ["a.png 1x", "a 300w, b 600w", "a,b.png 1.5x, c", "a 1x,b 2x", "a 100w 50h"] {
            assert_eq!(reading(value), candidates, "{value}");
        }
        for value in ["{}", " {\"a\": 1} ", "[\"a\"]", "{ 'a': 'b' }"] {
            assert_eq!(reading(value), Reading::Json, "{value}");
        }
        for value in [
            "d.png",
            "a,b.png",
            "my photo 2",
            "my photo 2x",
            "curl(x)",
            "x/url(y",
            "{{ a }}",
            "{x}",
            "a b",
        ] {
            assert_eq!(reading(value), Reading::As(Syntax::Url), "{value}");
        }
        assert_eq!(reading("{{ a }} 1x, b 2x"), candidates);
    }
}
