//! What `relativize` asks for: the style of references, and what becomes of bases and of references to missing files.

use std::sync::Arc;

use basectx::is_template;
use urlcore::{Dialect, Form, Reference, Resolver, Style, clean};

use crate::moves::{FixedRoots, TargetMap};
use crate::words::words;

/// What becomes of `<base href>` (DESIGN section 8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BaseElement {
    /// One that is not a relative path is emptied, so that the document's own URL is the base.
    #[default]
    Empty,
    /// It is made relative like any other reference.
    Relative,
    /// It stays.
    Keep,
}

words!(BaseElement { "empty" => Empty, "relative" => Relative, "keep" => Keep });

/// What becomes of a reference to a file that the tree should hold and does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// It is written as if the file were there.
    Keep,
    /// It is made absolute: where the tree comes from the file may be.
    #[default]
    Absolute,
    /// It is left as it is, and counts as one that could not be handled.
    Report,
}

words!(Missing { "keep" => Keep, "absolute" => Absolute, "report" => Report });

/// Where the tree is, and how references into it are to be written.
#[derive(Clone, Debug)]
pub struct Relative {
    /// How references into the tree are written.
    pub style: Style,
    /// What becomes of `<base href>`.
    pub base_element: BaseElement,
    /// What becomes of references to missing files.
    pub missing: Missing,
    /// What is in the tree, and where.
    pub map: Arc<dyn TargetMap>,
}

impl Default for Relative {
    /// Relative paths wherever the scheme and the authority are the document's.
    fn default() -> Self {
        let map = Arc::new(FixedRoots::default());
        Relative {
            style: Style::default(),
            base_element: BaseElement::default(),
            missing: Missing::default(),
            map,
        }
    }
}

impl Relative {
    /// Relative paths to what is below one folder, which stays where it is. Its URL ends with a slash.
    pub fn below(root: &str) -> Self {
        let mut roots = FixedRoots::default();
        roots.add(root, []);
        Relative { map: Arc::new(roots), ..Relative::default() }
    }
}

/// Whether `base_element` empties a base that is written so. `new` is what it is resolved against in the output, and the root of the tree
/// there, if the tree moves: a relative path out of it leads nowhere that is known.
pub(crate) fn is_emptied(
    href: &str,
    base_element: BaseElement,
    dialect: Dialect,
    new: Option<(&Resolver<'_>, &str)>,
) -> bool {
    if base_element != BaseElement::Empty || is_template(href) {
        return false;
    }
    let href = clean(href, dialect);
    match Reference::split(&href, dialect).form() {
        Form::NetworkPath | Form::AbsolutePath => true,
        // Under `mailto:x` relative references lead nowhere, and are to lead nowhere.
        Form::Absolute => {
            Resolver::new(&href, dialect).is_ok_and(|base| base.resolve("./").is_ok())
        }
        Form::RelativePath | Form::SameDocument => new.is_some_and(|(under, root)| {
            under.resolve(&href).is_ok_and(|base| !base.to_string().starts_with(root))
        }),
    }
}
