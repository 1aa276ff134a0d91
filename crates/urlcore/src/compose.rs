//! The composition of a target from components, with the removals and guards of the dialect.
//!
//! Invariant: the target of a reference with a scheme does not depend on any base, and in dialects
//! that remove dot segments composing it again gives the same bytes. Sections: RFC 1808 4 step 7;
//! RFC 3986 5.3; WHATWG URL 4.4 and 4.5.

use alloc::string::String;
use core::fmt::Write;

use crate::dots::OpenPath;
use crate::host::{self, HostError};
use crate::rules::{Empty, Rules};
use crate::scheme_kind::SchemeKind;
use crate::split::Reference;

/// Writes the target of a reference that has a scheme.
pub(crate) fn write_absolute(
    r: &Reference<'_>,
    rules: &Rules,
    target: &mut String,
) -> Result<(), HostError> {
    match r.at.colon {
        Some(colon) if rules.removes_all_dots => {
            target.push_str(&r.text()[..=colon]);
            write_from_authority(r, rules, target)
        }
        _ => {
            target.push_str(r.text());
            Ok(())
        }
    }
}

/// Writes everything after the scheme of a reference that has a scheme or an authority.
pub(crate) fn write_from_authority(
    r: &Reference<'_>,
    rules: &Rules,
    target: &mut String,
) -> Result<(), HostError> {
    let kind = r.kind();
    let authority = r.authority().or((kind == SchemeKind::File).then_some(""));
    if let Some(authority) = authority {
        if rules.checks_hosts {
            host::check(authority, kind)?;
        }
        target.push_str("//");
        target.push_str(authority);
    }
    let path = r.path();
    let open = OpenPath { rules, kind, root: target.len(), rooted: r.is_rooted() };
    if !rules.removes_all_dots || (rules.opaque_paths && authority.is_none() && !open.rooted) {
        target.push_str(path);
    } else {
        // The path of a `file` URL is never empty, and it has a root (WHATWG URL "file state").
        if kind == SchemeKind::File && !open.rooted && (r.authority().is_none() || !path.is_empty())
        {
            target.push('/');
        }
        if !path.is_empty() {
            OpenPath { rooted: open.rooted || kind == SchemeKind::File, ..open }.append(
                target,
                path,
                r.at.plain_from,
            );
        }
        guard(target, open.root, authority.is_some(), rules);
    }
    write_tail(r, rules, target);
    Ok(())
}

/// Keeps a path that begins with two slashes from being read as an authority.
pub(crate) fn guard(target: &mut String, root: usize, has_authority: bool, rules: &Rules) {
    if !has_authority && rules.guards_double_slash && target[root..].starts_with("//") {
        target.insert_str(root, "/.");
    }
}

/// Writes params, query and fragment.
pub(crate) fn write_tail(r: &Reference<'_>, rules: &Rules, target: &mut String) {
    match rules.empty {
        Empty::Defined => target.push_str(r.tail()),
        Empty::FragmentUndefined => {
            target.push_str(&r.text()[r.at.path_end..r.at.query_end]);
            write_component('#', r.fragment(), target);
        }
        Empty::Undefined => {
            write_component(';', r.params(), target);
            write_component('?', r.query(), target);
            write_component('#', r.fragment(), target);
        }
    }
}

/// Writes the fragment.
pub(crate) fn write_fragment(r: &Reference<'_>, rules: &Rules, target: &mut String) {
    match rules.empty {
        Empty::Defined => target.push_str(&r.text()[r.at.query_end..]),
        _ => write_component('#', r.fragment(), target),
    }
}

/// Writes a component with its delimiter, unless it is empty or undefined.
pub(crate) fn write_component(delimiter: char, component: Option<&str>, target: &mut String) {
    if let Some(component) = component.filter(|component| !component.is_empty()) {
        target.push(delimiter);
        target.push_str(component);
    }
}

/// Escapes a C0 control or space at the end of a target: it was before a fragment that is gone, and
/// would now be trimmed.
pub(crate) fn escape_end(target: &mut String, rules: &Rules) {
    let last = target.bytes().next_back().filter(|byte| rules.cleans && *byte <= b' ');
    if let Some(byte) = last {
        target.pop();
        // Writing to a string cannot fail.
        let _ = write!(target, "%{byte:02X}");
    }
}
