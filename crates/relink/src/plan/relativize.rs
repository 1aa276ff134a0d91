//! The options of `relativize`, and their checks.

use std::sync::Arc;

use rewrite::{BaseElement, Relative, TargetMap};
use urlcore::Style;

use super::options::{RelativizeOptions, Target};
use super::{Action, PlanError, Renaming, Work, aliases, locator, site_url};
use crate::os::paths::Root;
use crate::plan::other_names::OtherNames;
use crate::tree::Tree;
use crate::tree::units;
use crate::urls::fixes::Unarchived;
use crate::urls::layout::Layout;
use crate::urls::locate::{LocatorOptions, Placement};

/// Checks the options of `relativize`.
pub(super) fn relativize(
    tree: &mut Tree,
    options: &RelativizeOptions,
    has_output: bool,
) -> Result<Work, PlanError> {
    if !matches!(options.style, Style::Relative | Style::AbsolutePath | Style::Shortest) {
        return Err(PlanError::Style);
    }
    let mut note = None;
    // The parts of messages may contain their URLs.
    if tree.places.is_empty() && !units::has_messages(tree) {
        if options.target.is_some() {
            let of_tree = |tree: &Tree| locator(tree, options.member.locator(&[]));
            note = Some(site_url::set(tree, options.missing, of_tree)?);
        } else if tree.hints.is_off {
            return Err(PlanError::NoUrl);
        }
        if options.target.is_none() && !units::has_hints(tree) {
            return Err(PlanError::NoHint);
        }
    }
    tree.places.check_overlaps()?;
    let aliases = aliases(&options.member.same_as, tree)?;
    let RelativizeOptions { style, base_element, missing, .. } = *options;
    let relative =
        Relative::default().with_style(style).with_base_element(base_element).with_missing(missing);
    let urls = tree.places.roots(&tree.roots, &aliases);
    let renaming = match options.renames.is_empty() {
        true if options.rename && options.target.is_none() => {
            return Err(PlanError::NamesWithoutFiles);
        }
        true if options.rename => Some(Renaming::by_names(tree, options, &urls)?),
        true => None,
        false => {
            let then = (Arc::new(urls.clone()) as Arc<dyn TargetMap>, &[][..]);
            Some(Renaming::new(tree, &options.renames, urls.clone(), then, &options.member.index)?)
        }
    };
    // The layout of a mirror finds the names itself.
    let is_plain = tree.places.layout() == Layout::Plain && !tree.places.is_empty();
    let collected = |map| is_plain.then(|| OtherNames::new(map, urls.clone(), false));
    // Captures of the pages of the tree are these pages.
    let unarchived = |map| match &tree.mirror {
        Some(mirror) if tree.places.layout() == Layout::Wayback => {
            Arc::new(Unarchived::new(map, Arc::clone(mirror))) as Arc<dyn TargetMap>
        }
        _ => map,
    };
    if options.target.is_none() {
        let mut map = unarchived(Arc::new(urls.clone()));
        if let Some(renaming) = &renaming {
            map = renaming.map();
        }
        let other_names = collected(Arc::clone(&map));
        if let Some(names) = &other_names {
            map = names.clone();
        }
        let action = Action::Relativize(relative.with_map(map));
        return Ok(Work { action, renames: renaming, other_names, note });
    }
    if style != Style::Relative || base_element != BaseElement::Empty {
        return Err(PlanError::ForFilesWithStyle);
    }
    if tree.roots.contains(&Root::Stdin) {
        return Err(PlanError::ForFilesOfStdin);
    }
    let written = LocatorOptions {
        placement: if has_output { Placement::Together } else { Placement::InPlace },
        has_server: options.target == Some(Target::StaticHost),
        ..options.member.locator(&aliases)
    };
    let mut locator = locator(tree, written);
    if let Some(renaming) = &renaming {
        locator.rename(Arc::clone(&renaming.files));
    }
    let locator = Arc::new(locator);
    let other_names = collected(locator.clone());
    let map = match &other_names {
        Some(names) => Arc::clone(names) as Arc<dyn TargetMap>,
        None => unarchived(locator.clone()),
    };
    let action = Action::ForFile(relative.with_map(map), locator);
    Ok(Work { action, renames: renaming, other_names, note })
}
