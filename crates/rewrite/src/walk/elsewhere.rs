//! Another URL of a document that a server sends for many: an error page. It is in another
//! directory, deeper than its file.

use basectx::Context;

use crate::unit::Unit;

/// The directories between the tree and the other URL.
const DIRECTORIES: &str = "elsewhere/deeper/";

/// The other URL, in the input and in the output.
#[derive(Clone, Debug)]
pub(crate) struct Elsewhere {
    pub(crate) url: String,
    /// The URL in the output if it differs.
    pub(crate) new_url: Option<String>,
}

impl Elsewhere {
    /// Returns another URL of a unit, if it has several. `is_move` is true if the tree moves.
    pub(crate) fn of(unit: Unit<'_>, is_move: bool) -> Option<Elsewhere> {
        let url = unit.own_url.filter(|_| unit.is_error_page)?;
        let new_url = unit.new_place.map(|place| place.url).or(is_move.then_some(url));
        Some(Elsewhere { url: deeper(url), new_url: new_url.map(deeper) })
    }

    /// Returns the context of a document at the URL.
    pub(crate) fn context(&self) -> Context<'static> {
        Context::retrieval(&self.url, "error page")
    }

    /// Returns that context in the output, if it differs.
    pub(crate) fn new_context(&self) -> Option<Context<'static>> {
        self.new_url.as_ref().map(|url| Context::retrieval(url, "error page"))
    }
}

/// Returns the URL of a file of the same name in a deeper directory.
fn deeper(url: &str) -> String {
    let path = url.find(['?', '#']).unwrap_or(url.len());
    let slash = url[..path].rfind('/').map_or(path, |slash| slash + 1);
    format!("{}{DIRECTORIES}{}", &url[..slash], &url[slash..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_url_is_deeper() {
        assert_eq!(deeper("http://h/a/404.html?b/c"), "http://h/a/elsewhere/deeper/404.html?b/c");
        assert_eq!(deeper("http://h/"), "http://h/elsewhere/deeper/");
    }
}
