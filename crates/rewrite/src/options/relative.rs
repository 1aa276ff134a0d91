//! The options of `relativize`: the style of references, and the treatment of bases and of
//! references to missing files.

use std::sync::Arc;

use basectx::is_template;
use urlcore::{Dialect, Form, Reference, Resolution, Resolver, Style, clean};

use crate::moves::{FixedRoots, TargetMap};
use crate::options::builder::{builder, choices};

/// The treatment of `<base href>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BaseElement {
    /// One that is not a relative path is emptied, so that the document's own URL becomes the base.
    #[default]
    Empty,
    /// It is made relative like any other reference.
    Relative,
    /// It stays unchanged.
    Keep,
}

choices!(BaseElement { "empty" => Empty, "relative" => Relative, "keep" => Keep });

/// The treatment of a reference to a file that the tree should contain but does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// It is written as if the file were there.
    Keep,
    /// It is made absolute: the file may exist at the origin of the tree.
    #[default]
    Absolute,
    /// It stays unchanged, and counts as a reference that could not be handled.
    Report,
}

choices!(Missing { "keep" => Keep, "absolute" => Absolute, "report" => Report });

/// The location of the tree, and the style of references into it.
///
/// # Examples
///
/// ```
/// use relink_rewrite::{BaseElement, Relative, Style};
///
/// let relative = Relative::below("http://h/docs/")
///     .with_style(Style::AbsolutePath)
///     .with_base_element(BaseElement::Keep);
/// assert_eq!(relative.style, Style::AbsolutePath);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Relative {
    /// The style of references into the tree.
    pub style: Style,
    /// The treatment of `<base href>`.
    pub base_element: BaseElement,
    /// The treatment of references to missing files.
    pub missing: Missing,
    /// The URLs in the tree and their locations.
    pub map: Arc<dyn TargetMap>,
}

builder!(Relative {
    with_style: style: Style,
    with_base_element: base_element: BaseElement,
    with_missing: missing: Missing,
    with_map: map: Arc<dyn TargetMap>,
});

impl Default for Relative {
    /// Returns options for relative paths wherever the scheme and the authority are the document's.
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
    /// Returns options for relative paths to everything below one directory, which stays where it
    /// is. Its URL ends with a slash.
    pub fn below(root: &str) -> Self {
        let mut roots = FixedRoots::default();
        roots.add(root, []);
        Relative { map: Arc::new(roots), ..Relative::default() }
    }
}

/// Returns true if `base_element` empties a base with this value. `new` is the base that it is
/// resolved against in the output, and the root of the tree there if the tree moves: the target of
/// a relative path out of the tree is unknown.
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
        // Under `mailto:x` relative references have no target, and must not get one.
        Form::Absolute => {
            Resolver::new(&href, dialect).is_ok_and(|base| base.resolve("./").is_ok())
        }
        Form::RelativePath | Form::SameDocument => new.is_some_and(|(under, root)| {
            let base = under.resolve(&href).ok().map(|base| base.to_string());
            base.is_some_and(|base| {
                match (under.base().strip_prefix(root), base.strip_prefix(root)) {
                    (_, None) => true,
                    (Some(from), Some(to)) => !holds_elsewhere(&href, under, [from, to], dialect),
                    (None, Some(_)) => false,
                }
            })
        }),
    }
}

/// Returns true if a relative reference leads to the same file wherever the tree is: it does not
/// leave the tree to come back by its name, and does not go above the root of its host. `under` is
/// its base; the paths are those of the base and of the target in the tree.
pub(crate) fn holds_elsewhere(
    text: &str,
    under: &Resolver<'_>,
    [from, to]: [&str; 2],
    dialect: Dialect,
) -> bool {
    // A dot may be escaped.
    if !text.contains("..") && !text.contains('%') {
        return true;
    }
    let elsewhere = format!("{}://elsewhere.invalid/a/b/", under.scheme());
    let base = format!("{elsewhere}{from}");
    let Ok(other) = Resolver::new(&base, dialect) else { return true };
    let resolved = other.resolve(text).ok().and_then(Resolution::url);
    resolved.is_some_and(|url| url.strip_prefix(&*elsewhere) == Some(to))
}
