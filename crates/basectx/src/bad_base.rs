//! The reasons why a `<base>` is not the base of its document.

use std::fmt;

/// The reason why a `<base>` does not give a base, so that the fallback base applies (HTML
/// standard, "frozen base URL").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadBase {
    /// The value is not a URL.
    Unresolvable,
    /// The value is relative, and there is no base to resolve it against.
    Relative,
    /// The value is a `data:` or `javascript:` URL, which cannot be a base.
    Scheme,
    /// The value is a URL that a security policy of the document forbids.
    Forbidden,
    /// The value is a template, filled in when the document is served.
    Template,
    /// The value is a template that is read as a URL: nothing fills it in.
    ReadTemplate,
}

impl fmt::Display for BadBase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BadBase::Unresolvable => "<base> ignored; its href is not a URL",
            BadBase::Relative => {
                "<base> ignored; its href is relative and the URL of the document is unknown; use `--base URL` to set it"
            }
            BadBase::Scheme => "<base> ignored; a data: or javascript: URL cannot be a base URL",
            BadBase::Forbidden => {
                "<base> ignored; the Content-Security-Policy of the document forbids it (base-uri)"
            }
            BadBase::Template => "base URL unknown; the href of <base> is a template",
            BadBase::ReadTemplate => {
                "the href of <base> is a template; it is read as a URL, as browsers read it"
            }
        })
    }
}
