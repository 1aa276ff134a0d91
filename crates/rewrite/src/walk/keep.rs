//! The kind of a reference by its position, and the reasons to keep it unchanged wherever it
//! points.

use std::collections::HashSet;
use std::sync::Arc;

use basectx::is_template;
use urlcore::{Resolution, is_absolute_for_any_base};

use crate::format::found::{Against, Delimiters, Value};
use crate::slots::{Format, Kind, Slot, SlotId};
use crate::unit::Package;
use crate::walk::Walk;
use crate::walk::scope::{Scope, Scopes};
use crate::walk::site::KeepReason;

/// The facts about a part of a message that its references depend on.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartFacts {
    /// True if the part must not be edited.
    pub(crate) is_sealed: bool,
    /// True if other parts show it by its `Content-ID`. Browsers then use that as its base, under
    /// which nothing can be relative.
    pub(crate) is_shown_by_id: bool,
    /// True if its `<base>` is ignored in the profile.
    pub(crate) has_ignored_base: bool,
    /// The security policies in header fields.
    pub(crate) policies: Vec<String>,
    /// Relative locations of other parts that stay unchanged: references that name them must stay
    /// too.
    pub(crate) kept_locations: Vec<Arc<HashSet<String>>>,
}

impl Walk<'_> {
    /// Returns true if a value may be resolved at another place than its own.
    pub(crate) fn is_used_elsewhere(&self, value: &Value) -> bool {
        value.against == Against::Use && !self.options.resolves_uses_here && !self.has_known_uses
    }

    /// Returns the reason to keep a reference unchanged, if its part or its text requires that.
    pub(crate) fn keep(
        &self,
        reference: &str,
        value: &Value,
        scopes: Scopes<'_>,
    ) -> Option<KeepReason> {
        let scope = scopes.base;
        if self.part.is_sealed {
            return Some(KeepReason::Sealed);
        }
        if matches!(value.against, Against::LoadOf(_)) || value.slot.is_policy() {
            return None;
        }
        let is_ignored = match value.slot {
            SlotId::BASE_HREF => self.part.has_ignored_base,
            SlotId::HYPERLINK_BASE => !is_absolute_for_any_base(reference, self.dialect),
            _ => false,
        };
        if is_ignored {
            return Some(KeepReason::Base);
        }
        match value.delimiters {
            Delimiters::Ambiguous => return Some(KeepReason::Ambiguous),
            Delimiters::Entity => return Some(KeepReason::Entity),
            _ => {}
        }
        if self
            .saved_resources
            .as_ref()
            .is_some_and(|saved_resources| saved_resources.has(reference, value.slot, scope))
        {
            return Some(KeepReason::SavedResources);
        }
        let locations = &self.part.kept_locations;
        let is_kept = !locations.is_empty()
            && reference
                .split('#')
                .next()
                .is_some_and(|name| locations.iter().any(|locations| locations.contains(name)));
        let has_two_targets = || {
            scopes.other.is_some_and(|other| {
                let target = |scope: &Scope<'_>| scope.resolver.as_ref()?.resolve(reference).ok();
                target(scope) != target(other)
            })
        };
        let in_package = self.keep_in_package(reference, scope);
        let is_on_error_page = self.elsewhere.is_some();
        let names_document = || reference.is_empty() || reference.starts_with(['#', '?']);
        match () {
            () if is_share(reference, value, scope) => Some(KeepReason::Share),
            () if in_package.is_some() => in_package,
            () if is_kept => Some(KeepReason::Part),
            () if self.is_used_elsewhere(value)
                && !reference.starts_with('#')
                && !is_absolute_for_any_base(reference, self.dialect) =>
            {
                Some(KeepReason::PlaceDependent)
            }
            () if is_on_error_page && names_document() => Some(KeepReason::ErrorPage),
            () if has_two_targets() && is_on_error_page => Some(KeepReason::PathDependent),
            () if has_two_targets() => Some(KeepReason::TwoBases),
            () => None,
        }
    }
}

impl Walk<'_> {
    /// Returns the reason to keep a relative reference of a member of a package, if its base is in
    /// the package too.
    fn keep_in_package(&self, reference: &str, scope: &Scope<'_>) -> Option<KeepReason> {
        let Package { url, is_closed } = self.package?;
        let resolver = scope.resolver.as_ref().filter(|base| base.base().starts_with(url))?;
        if is_absolute_for_any_base(reference, self.dialect) {
            return None;
        }
        match resolver.resolve(reference) {
            Ok(Resolution::SameDocument { .. }) => Some(KeepReason::Package),
            Ok(Resolution::Url(target)) if target.starts_with(url) => Some(KeepReason::Package),
            _ => is_closed.then_some(KeepReason::LeavesPackage),
        }
    }
}

/// Returns true for the path of a file on a share, as Office reads it, that would be the URL of a
/// host under its base.
fn is_share(reference: &str, value: &Value, scope: &Scope<'_>) -> bool {
    let is_in_office = || value.slot.row().is_ok_and(|slot| slot.format == Format::OFFICE);
    let has_other_base =
        || scope.resolver.as_ref().is_some_and(|resolver| resolver.scheme() != "file");
    let begins_share = matches!(reference.as_bytes(), [b'\\' | b'/', b'\\' | b'/', ..]);
    begins_share && is_in_office() && has_other_base()
}

/// Returns the kind of a reference by its slot and its text. In CSS `" #x"` is not local (CSS
/// Values 4, section 4.5.1: "starts with").
pub(crate) fn kind(text: &str, slot: Option<&Slot>, is_trimmed: bool) -> Kind {
    let kind = slot.map_or(Kind::Url, |slot| slot.kind);
    match kind {
        Kind::Class | Kind::Condition => kind,
        _ if is_template(text) => Kind::Template,
        // `$` begins a variable of the server.
        _ if slot.is_some_and(|slot| slot.format == Format::SSI) && text.contains('$') => {
            Kind::Template
        }
        _ if slot.is_some_and(|slot| slot.format == Format::MARKDOWN)
            && is_replaced_by_generator(text) =>
        {
            Kind::Template
        }
        _ if text.starts_with('#')
            && slot.is_some_and(|slot| {
                slot.is_local && !(is_trimmed && slot.attribute.is_empty())
            }) =>
        {
            Kind::Local
        }
        kind => kind,
    }
}

/// Returns true if a generator of sites replaces the beginning of a destination in Markdown:
/// `{static}/a.png` (Pelican), `@site/a.md` (Docusaurus) and `@/a.md` (Zola).
fn is_replaced_by_generator(text: &str) -> bool {
    const OF_PELICAN: [&str; 7] =
        ["filename", "static", "attach", "author", "category", "index", "tag"];
    let of_pelican =
        |rest: &str| rest.split_once('}').is_some_and(|(name, _)| OF_PELICAN.contains(&name));
    text.strip_prefix('{').is_some_and(of_pelican)
        || text.starts_with("@site/")
        || text.starts_with("@/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placeholder_is_found_wherever_it_is() {
        for len in 2..50 {
            let plain = "a".repeat(len);
            assert_eq!(kind(&plain, None, false), Kind::Url);
            for at in 0..=len - 2 {
                for mark in ["{{", "${", "<%", "<?"] {
                    let mut text = plain.clone();
                    text.replace_range(at..at + 2, mark);
                    assert_eq!(kind(&text, None, false), Kind::Template, "{text}");
                }
            }
        }
    }
}
