//! The rules that the commands have in common.

use basectx::is_template;
use urlcore::scan::first_of;
use urlcore::{
    BaseIs, Dialect, EmptyReference, Form, Reference, Resolution, Resolver, Style, clean,
};

use crate::moves::{TargetLocation, TargetMap};
use crate::options::Options;
use crate::report::Outcome;
use crate::slots::{Kind, SlotId};
use crate::walk::site::{KeepReason, Site};

/// Returns the outcome of a reference that no command changes; `None` for any other.
pub(crate) fn untouched(site: &Site<'_>, options: &Options) -> Option<Outcome> {
    match site.keep {
        Some(KeepReason::Sealed) => return Some(Outcome::Sealed),
        Some(KeepReason::Part) => return Some(Outcome::Part),
        Some(KeepReason::Base) => return Some(Outcome::Filtered),
        Some(KeepReason::Ambiguous) => return Some(Outcome::Ambiguous),
        Some(KeepReason::SavedResources) => return Some(Outcome::SavedResources),
        Some(KeepReason::Share) => return Some(Outcome::File),
        Some(KeepReason::Package) if site.kind.has_target() => return Some(Outcome::Package),
        Some(KeepReason::LeavesPackage) if site.kind.has_target() => {
            return Some(Outcome::Unresolvable);
        }
        Some(KeepReason::PlaceDependent) => return Some(Outcome::PlaceDependent),
        Some(KeepReason::ErrorPage) if site.kind.has_target() => return Some(Outcome::ErrorPage),
        Some(KeepReason::PathDependent) if site.kind.has_target() => {
            return Some(Outcome::PathDependent);
        }
        Some(KeepReason::TwoBases) if site.kind.has_target() => return Some(Outcome::TwoBases),
        Some(
            KeepReason::Entity
            | KeepReason::Package
            | KeepReason::LeavesPackage
            | KeepReason::TwoBases
            | KeepReason::ErrorPage
            | KeepReason::PathDependent,
        )
        | None => {}
    }
    match site.kind {
        Kind::Local => Some(Outcome::Local),
        Kind::Class => Some(Outcome::Class),
        Kind::File => Some(Outcome::File),
        // In a list the template is the whole list, because the end of its marks is unknown. A
        // pattern is not a URL, whatever options are given.
        Kind::Template
            if !options.opt_in.templates
                || site.is_of_list()
                || site.slot.row().is_ok_and(|slot| slot.kind == Kind::Template)
                || site.slot.is_path_only() =>
        {
            Some(Outcome::Template)
        }
        Kind::Id if !options.opt_in.ids => Some(Outcome::Identifier),
        _ if site.has_entity() => Some(Outcome::Entity),
        _ => None,
    }
}

/// Resolves a reference into `target`. Returns its outcome if it has no target.
#[inline]
pub(crate) fn resolve(
    resolver: &Resolver<'_>,
    text: &str,
    target: &mut String,
) -> Result<(), Outcome> {
    match resolver.resolve_into(text, target) {
        Ok(Resolution::Url(_)) => Ok(()),
        Ok(Resolution::SameDocument { .. }) => Err(Outcome::SameDocument),
        Err(_) => Err(Outcome::Unresolvable),
    }
}

/// Leaves in `output` the location in the output of the target of a reference, and returns the kind
/// of location. A target outside of the tree without another URL stays at its own.
pub(crate) fn locate(
    map: &dyn TargetMap,
    site: &Site<'_>,
    target: &str,
    output: &mut String,
) -> TargetLocation {
    output.clear();
    let requested = &*site.requested(target);
    let (path, fragment) = requested.split_at(end_of_path(requested));
    // The document itself is at its own location, whatever the map returns for its URL.
    if let (Some(own), Some(new)) = (site.own_url, site.new_url)
        && let Some(rest) = own.strip_prefix(path)
        && (rest.is_empty() || rest.starts_with('#'))
    {
        output.push_str(&new[..end_of_path(new)]);
        output.push_str(fragment);
        return TargetLocation::Inside;
    }
    let location = map.moved(requested, site.slot.is_folder(target), output);
    if output.is_empty() {
        output.push_str(target);
    } else if requested != target && query(output) == query(requested) {
        // A query that stays is sent as before if it is written as before.
        let end = end_of_path(output);
        output.replace_range(end - query(output).len()..end, query(target));
    }
    location
}

/// Returns the query of a URL with its question mark; it is empty if the URL has none.
fn query(url: &str) -> &str {
    let url = &url[..end_of_path(url)];
    url.find('?').map_or("", |start| &url[start..])
}

/// Returns the offset of the fragment of a URL, or its length if it has none.
pub(crate) fn end_of_path(url: &str) -> usize {
    first_of(url.as_bytes(), [b'#'])
}

/// Returns true for a `<base>` in Markdown: its purpose depends on the program that renders it.
pub(crate) fn is_base_of_markdown(site: &Site<'_>) -> bool {
    site.slot == SlotId::BASE_HREF && site.is_in_markdown()
}

/// Returns true if a reference must stay relative to the `codebase` of its element: an archive is
/// looked up under the codebase.
pub(crate) fn is_fixed_on_codebase(site: &Site<'_>) -> bool {
    site.is_on_codebase && site.slot.row().is_ok_and(|slot| slot.is_fixed)
}

/// Returns how a reference to `target` may name the base of the output: `#x` means the document
/// itself in a slot that is local, but not under a base that is not the document's.
pub(crate) fn base_is(site: &Site<'_>, target: &str) -> BaseIs {
    let is_local = || site.slot.row().is_ok_and(|slot| slot.is_local);
    let names_document = site.dialect.rules().empty_reference != EmptyReference::SameDocument;
    if site.is_new_base_own && names_document && target.contains('#') && !is_local() {
        BaseIs::Document
    } else {
        BaseIs::Other
    }
}

/// Returns true if a reference is written in a style, as far as its text shows that.
pub(crate) fn is_written_in(
    text: &str,
    style: Style,
    dialect: Dialect,
    under: &Resolver<'_>,
) -> bool {
    let text = clean(text, dialect);
    let form = Reference::split_under(&text, dialect, under.scheme()).form();
    match style {
        Style::Absolute => form == Form::Absolute,
        Style::NetworkPath => form == Form::NetworkPath,
        Style::AbsolutePath => matches!(form, Form::AbsolutePath | Form::SameDocument),
        Style::Relative => matches!(form, Form::RelativePath | Form::SameDocument),
        _ => false,
    }
}

/// Returns true if a text that was to be a path names a host: no path leads to its target.
pub(crate) fn names_host(text: &str, dialect: Dialect) -> bool {
    Reference::split(text, dialect).authority().is_some()
}

/// Returns true if `text`, written in the place of a reference, would still be read as a reference
/// and found by those to it. `map` is given if the bases of header fields follow it.
pub(crate) fn is_writable(site: &Site<'_>, text: &str, map: Option<&dyn TargetMap>) -> bool {
    (site.kind == Kind::Template || !is_template(text)) && keeps_links(site, text, map)
}

/// Returns true if references to a part of a message by its location still find the part when
/// `text` is written. References in documents are read by the rules of the web and header fields by
/// RFC 3986, so the location must have its target in both readings.
fn keeps_links(site: &Site<'_>, text: &str, map: Option<&dyn TargetMap>) -> bool {
    if site.slot != SlotId::CONTENT_LOCATION {
        return true;
    }
    let target = |base: Option<&str>, text: &str| match base {
        Some(base) => Resolver::new(base, Dialect::Web).ok()?.resolve(text).ok()?.url(),
        None => Some(text.to_owned()),
    };
    let base = site.context.base();
    let old = target(base, site.text);
    match map {
        Some(map) => {
            let new_base = site.new_resolver.map(Resolver::base);
            old.map(|url| map.url(&url)) == target(new_base, text)
        }
        None => old == target(base, text),
    }
}
