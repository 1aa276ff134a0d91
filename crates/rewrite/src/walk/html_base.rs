//! The bases that the `<base>` elements of a document give it, in the input and in the output.
//!
//! There is one for each step in which the base changes: most documents have none or one, and it
//! comes before the references. A later one holds for what is resolved after it
//! ([`Moment`](crate::slots::Moment)).

use std::borrow::Cow;
use std::mem;

use basectx::{BadBase, Context, is_template, site};
use layers::Edit;
use urlcore::{Dialect, is_absolute_for_any_base};

use crate::format::found::{Found, Value};
use crate::options::relative::{BaseElement, is_emptied};
use crate::report::Note;
use crate::slots::SlotId;
use crate::unit::Media;
use crate::walk::frame::Frame;
use crate::walk::scope::{Scope, Scopes, retrieved};
use crate::walk::site::Visitor;
use crate::walk::{Text, Walk, decode};

/// The base that an invalid `<base>` gives in Chromium. By the HTML standard ("frozen base URL"),
/// and in Firefox, it gives the fallback base.
const NO_BASE: &str = "about:blank";

/// A step in which the base of a document changes.
struct ScopeStep<'s> {
    /// The number of the last value before which it does not hold.
    from: usize,
    /// The base in the input; `None` for the fallback base.
    context: Option<Context<'s>>,
    /// The base in the output, if it differs.
    after: Option<Context<'s>>,
    /// True if the output does not have its `<base>`.
    is_emptied: bool,
    /// True if a policy forbids it.
    is_forbidden: bool,
    /// True if it is no URL.
    is_invalid: bool,
}

impl ScopeStep<'_> {
    /// Returns the step to the fallback base.
    fn new(from: usize) -> Self {
        let (is_emptied, is_forbidden, is_invalid) = (false, false, false);
        ScopeStep { from, context: None, after: None, is_emptied, is_forbidden, is_invalid }
    }

    /// Returns the scope in the output, if it differs.
    fn scope_after(&self, dialect: Dialect, url: Option<&str>) -> Option<Scope<'_>> {
        self.after.as_ref().map(|context| Scope::new(context, dialect, url))
    }
}

impl Walk<'_> {
    /// Walks the values of a document, which may have a `<base>`. One in a `srcdoc` of an
    /// error page has a second fallback base.
    pub(crate) fn found_document(
        &mut self,
        media: Media,
        text: Text<'_>,
        found: &Found,
        fallback: &Scope<'_>,
        other_fallback: Option<&Scope<'_>>,
    ) -> Vec<Edit> {
        // An error page has another URL, and perhaps another base there.
        let elsewhere = self.elsewhere.clone().filter(|_| text.depth == 0);
        let other_after = elsewhere.as_ref().and_then(|it| it.there.as_ref());
        let other_after = other_after.map(|context| Scope::new(context, self.dialect, None));
        let elsewhere = elsewhere.as_ref().map(|it| {
            let after = other_after.as_ref();
            Scope { after, ..Scope::new(&it.here, self.dialect, None) }
        });
        let other_fallback = elsewhere.as_ref().or(other_fallback);
        if found.bases.is_empty() {
            let scopes = Scopes::new(fallback, fallback);
            let scopes = Scopes { other: other_fallback, other_fallback, ..scopes };
            return self.values(text, found, scopes, Some(media));
        }
        let policies = self.policies_of_bases(text, found);
        let mut steps = Vec::with_capacity(found.bases.len());
        for base in &found.bases {
            let mut step = ScopeStep::new(base.from);
            if let Some(href) = base.href {
                let n_before = policies.partition_point(|(idx, _)| *idx < href);
                step = self.step(text, found, (base.from, href), fallback, &policies[..n_before]);
            }
            // One base is not the square of the input.
            let is_later = !steps.is_empty();
            if step.context.as_ref().is_some_and(|context| is_later && !self.take_url(context)) {
                self.skip(self.too_large(), text);
                return Vec::new();
            }
            steps.push(step);
        }
        let is_forbidden = steps.last().is_some_and(|step| step.is_forbidden);
        let is_invalid = steps.last().is_some_and(|step| step.is_invalid);
        let after: Vec<Option<Scope<'_>>> =
            steps.iter().map(|step| step.scope_after(self.dialect, text.new_url)).collect();
        let mut scopes = Vec::with_capacity(steps.len());
        for (step, after) in steps.iter().zip(&after) {
            scopes.push(step.context.as_ref().map(|context| Scope {
                is_emptied: step.is_emptied || fallback.is_emptied,
                after: if step.is_emptied {
                    Some(fallback.after.unwrap_or(fallback))
                } else {
                    after.as_ref()
                },
                ..Scope::new(context, self.dialect, text.own_url)
            }));
        }
        let scopes = scopes.iter().map(|scope| scope.as_ref().unwrap_or(fallback));
        let steps: Vec<_> = steps.iter().map(|step| step.from).zip(scopes).collect();
        let base = steps.last().map_or(fallback, |(_, scope)| *scope);
        let href = found.bases.last().and_then(|step| step.href);
        let there = other_fallback.zip(href).map(|(fallback, href)| {
            let href = self.href(text, &found.values[href]);
            let read = |there| read_base(there, &href, self.dialect, is_forbidden);
            let context = read(fallback.context);
            let after =
                fallback.after.map(|there| self.bases.in_output(&context, there.context, read));
            (context, after)
        });
        let other_after = there.as_ref().and_then(|(_, after)| after.as_ref());
        let other_after = other_after.map(|context| Scope::new(context, self.dialect, None));
        let other = there.as_ref().map(|(context, _)| {
            let after = other_after.as_ref();
            Scope { after, ..Scope::new(context, self.dialect, None) }
        });
        // Under an invalid base, nothing relative has a target in some browsers.
        let blank = is_invalid.then(|| retrieved(NO_BASE, "base[href]"));
        let blank = blank.as_ref().map(|context| Scope::new(context, self.dialect, None));
        let other = blank.as_ref().or(other.as_ref()).filter(|other| !other.is_same_base(base));
        let scopes = Scopes { at_start: fallback, steps: &steps, ..Scopes::new(fallback, base) };
        self.values(text, found, Scopes { other, other_fallback, ..scopes }, Some(media))
    }

    /// Returns the value of a `<base href>`, in ASCII as far as its charset decides.
    fn href<'t>(&self, text: Text<'t>, base: &Value) -> Cow<'t, str> {
        let href = decode(base, text).text;
        // Other references are written in the document's charset as they were; the base becomes
        // part of them.
        let escaped = text.query_charset.escape_query(&href);
        if self.is_sent && is_template(&escaped) {
            return Cow::Owned(without_marks(&escaped));
        }
        // A percent-escape after `<` does not begin a template.
        if is_template(&escaped) && !is_template(&href) {
            href
        } else {
            Cow::Owned(escaped.into_owned())
        }
    }

    /// Returns the step of a `<base>`: the number of the value from which on it holds, and that of
    /// its `href`.
    fn step<'s>(
        &mut self,
        text: Text<'_>,
        found: &Found,
        (from, href): (usize, usize),
        fallback: &'s Scope<'s>,
        policies: &[(usize, String)],
    ) -> ScopeStep<'s> {
        let base = &found.values[href];
        let href = self.href(text, base);
        let (context, fault) = self.html_base(fallback.context, &href, text.frame);
        let of_response = mem::take(&mut self.part.policies);
        let allows = |context: &Context<'_>, document: Option<&str>| {
            let mut policies = policies.iter().map(|(_, policy)| policy).chain(&of_response);
            let base = context.base().filter(|_| fault.is_none());
            base.is_none_or(|base| policies.all(|policy| allows(policy, base, document)))
        };
        let is_forbidden = !allows(&context, text.own_url);
        let fault = fault.or(is_forbidden.then_some(BadBase::Forbidden));
        let is_read = || self.is_sent && is_template(&decode(base, text).text);
        let fault = fault.or_else(|| is_read().then_some(BadBase::ReadTemplate));
        let at = text.frame.raw(base.span);
        if let Some(fault) = fault {
            self.visitor.note(Note::BadBase(fault, at.start));
        }
        let is_invalid = fault == Some(BadBase::Unresolvable);
        let mut step = ScopeStep { is_forbidden, is_invalid, ..ScopeStep::new(from) };
        let there = fallback.after.and_then(|scope| scope.resolver.as_ref()).zip(text.new_root);
        let under = there.or(fallback.resolver.as_ref().zip(self.bases.root()));
        // The purpose of a `<base>` in Markdown depends on the program that renders it.
        let is_foreign = text.frame.is_in(SlotId::MARKDOWN_HTML);
        let is_kept = !self.has_place(text) || is_foreign || self.elsewhere.is_some();
        let base_element = if is_kept { BaseElement::Keep } else { self.bases.element() };
        let dialect = self.dialect;
        let outside = fallback.after.unwrap_or(fallback);
        let respelled = |visitor: &mut dyn Visitor| {
            let (under, base) = (outside.resolver.as_ref()?, context.base()?);
            visitor.respelled(SlotId::BASE_HREF, &href, base, under)
        };
        if is_emptied(&href, base_element, dialect, under) {
            step.is_emptied = true;
        } else if base_element == BaseElement::Relative
            && let Some(url) = respelled(&mut *self.visitor)
        {
            step.after = Some(outside.context.html_base(&url, dialect).0);
        } else if let Some(fallback) = fallback.after {
            let read = |there| Context::html_base(there, &href, dialect).0;
            step.after = Some(if is_foreign {
                read(fallback.context)
            } else {
                self.bases.in_output(&context, fallback.context, read)
            });
        }
        // At another place, the policy may allow what it forbids here.
        if step.after.as_ref().is_some_and(|context| !allows(context, text.new_url)) {
            step.after = Some(outside.context.forbidden_base());
        }
        step.context = Some(if is_forbidden {
            fallback.context.forbidden_base()
        } else {
            context.at(at.start, at.end)
        });
        self.part.policies = of_response;
        step
    }

    /// Returns the security policies in the head of a document that has a `<base>`, each with the
    /// number of its value.
    fn policies_of_bases(&mut self, text: Text<'_>, found: &Found) -> Vec<(usize, String)> {
        let n_values = found.n_in_head.unwrap_or(found.values.len());
        let values = found.values.iter().take(n_values).enumerate();
        let policies = values.filter(|(_, value)| value.slot == SlotId::META_POLICY);
        let policies: Vec<_> =
            policies.map(|(idx, value)| (idx, decode(value, text).text.into_owned())).collect();
        // Each base is compared with each policy.
        let n_bytes = policies.iter().map(|(_, policy)| policy.len()).sum::<usize>();
        if self.spend(n_bytes.saturating_mul(found.bases.len())) { policies } else { Vec::new() }
    }

    /// Returns true if the bases in a document can be rewritten. A document without a URL of its
    /// own would lose its base.
    pub(crate) fn has_place(&self, text: Text<'_>) -> bool {
        !self.part.is_sealed && !self.part.is_shown_by_id && text.own_url.is_some()
    }

    /// Returns the context that a `<base href>` opens. In messages the profile may require it to be
    /// absolute.
    fn html_base<'c>(
        &mut self,
        fallback: &'c Context<'c>,
        href: &str,
        frame: &Frame<'_>,
    ) -> (Context<'c>, Option<BadBase>) {
        let is_relative = !is_absolute_for_any_base(href, self.dialect);
        let profile = self.options.mail.profile;
        self.part.has_ignored_base =
            is_relative && frame.part().is_some() && !profile.resolves_html_base();
        if self.part.has_ignored_base {
            return (fallback.relative_base(), Some(BadBase::Relative));
        }
        fallback.html_base(href, self.dialect)
    }
}

/// Returns the context that a `<base href>` opens, unless a policy forbids it.
fn read_base<'c>(
    fallback: &'c Context<'c>,
    href: &str,
    dialect: Dialect,
    is_forbidden: bool,
) -> Context<'c> {
    if is_forbidden { fallback.forbidden_base() } else { fallback.html_base(href, dialect).0 }
}

/// Returns the `href` of a `<base>` with the characters escaped that browsers escape in a path, and
/// of which marks of templates are made.
fn without_marks(href: &str) -> String {
    let mut out = String::with_capacity(href.len() + 16);
    for char in href.chars() {
        match char {
            '{' => out.push_str("%7B"),
            '}' => out.push_str("%7D"),
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            '"' => out.push_str("%22"),
            _ => out.push(char),
        }
    }
    // Browsers keep brackets; but the result must not look like a template.
    out.replace("[[", "%5B%5B")
}

// Whether a security policy allows a `<base>` (CSP 3, section 6.3.1, "base-uri"): browsers ignore
// one that it does not allow.

/// Returns true if a security policy of a document allows a base URL.
pub(super) fn allows(policy: &str, base: &str, document: Option<&str>) -> bool {
    policy.split(',').all(|policy| {
        let directives = policy.split(';').map(str::split_ascii_whitespace);
        let mut sources = directives.filter_map(|mut words| {
            words.next().is_some_and(|name| name.eq_ignore_ascii_case("base-uri")).then_some(words)
        });
        let sources = sources.next();
        sources.is_none_or(|mut sources| sources.any(|source| is_in(source, base, document)))
    })
}

/// Returns true if a source of a directive matches a URL (CSP 3, section 6.7.2.8).
fn is_in(source: &str, url: &str, document: Option<&str>) -> bool {
    let (origin, path) = origin_of(url);
    let (scheme, authority) = parts(&origin);
    let own = document.map(|document| origin_of(document).0);
    let own = own.as_deref().map(parts);
    let is_own_scheme = || own.is_none_or(|(own, _)| includes(own, scheme));
    if source.eq_ignore_ascii_case("'self'") {
        return is_own_scheme() && own.is_none_or(|(_, own)| own == authority);
    }
    if source == "*" {
        return matches!(scheme, "http" | "https" | "ws" | "wss") || is_own_scheme();
    }
    if source.starts_with('\'') {
        return false;
    }
    if let Some(source) = source.strip_suffix(':') {
        return includes(source, scheme);
    }
    let (source_scheme, source) = match source.split_once("://") {
        Some((scheme, source)) => (Some(scheme), source),
        None => (None, source),
    };
    let is_scheme = source_scheme.map_or_else(is_own_scheme, |source| includes(source, scheme));
    let (source, source_path) = source.split_at(source.find('/').unwrap_or(source.len()));
    is_scheme && is_authority(source, authority) && is_path(source_path, path)
}

/// Returns the site of a URL and the rest of it. All files have one.
fn origin_of(url: &str) -> (String, &str) {
    site(url).unwrap_or_else(|| {
        let (scheme, rest) = url.split_once(':').unwrap_or((url, ""));
        (scheme.to_ascii_lowercase(), rest)
    })
}

/// Returns the scheme and the authority of a site.
fn parts(site: &str) -> (&str, &str) {
    site.split_once("://").unwrap_or((site, ""))
}

/// Returns true if a scheme in a policy includes that of a URL: `http` includes `https` (CSP 3,
/// section 6.7.2.9).
fn includes(source: &str, scheme: &str) -> bool {
    source.eq_ignore_ascii_case(scheme)
        || (source.eq_ignore_ascii_case("http") && scheme == "https")
}

/// Returns true if the host and the port in a policy match those of a URL, which has no port if it
/// is that of the scheme (CSP 3, sections 6.7.2.10 and 6.7.2.11).
fn is_authority(source: &str, authority: &str) -> bool {
    let split = |text: &str| match text.rsplit_once(':') {
        Some((host, port)) => (host.to_ascii_lowercase(), port.to_owned()),
        None => (text.to_ascii_lowercase(), String::new()),
    };
    let ((source, source_port), (host, port)) = (split(source), split(authority));
    let is_host = match source.strip_prefix('*') {
        Some("") => true,
        Some(end) => host.ends_with(end) && end.starts_with('.'),
        None => source == host,
    };
    let is_default = port.is_empty() && matches!(&*source_port, "80" | "443");
    is_host && (source_port == port || source_port == "*" || is_default)
}

/// Returns true if the path in a policy matches that of a URL (CSP 3, section 6.7.2.12).
fn is_path(source: &str, path: &str) -> bool {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    match source {
        "" | "/" => true,
        source if source.ends_with('/') => path.starts_with(source),
        source => path == source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_allow_sources() {
        let allows = |sources: &str, base: &str| {
            let policy = format!("default-src 'none'; BASE-URI {sources};base-uri *");
            allows(&policy, base, Some("http://h/p/x.html"))
        };
        for (sources, base) in [
            ("'self'", "http://h/d/"),
            ("'SELF'", "https://h/d/"),
            ("*", "https://other/"),
            ("https:", "https://other/"),
            ("h", "http://h/d/"),
            ("x 'none' H:80", "http://h/d/"),
            ("http://h/d/", "http://h/d/e"),
            ("*.h", "http://a.h/"),
            ("other:*/d/e", "http://other:81/d/e?q"),
        ] {
            assert!(allows(sources, base), "{sources} {base}");
        }
        for (sources, base) in [
            ("", "http://h/d/"),
            ("'none'", "http://h/d/"),
            ("'self'", "http://h:81/d/"),
            ("'self'", "http://other/d/"),
            ("https:", "http://h/d/"),
            ("*.h", "http://h/"),
            ("https://h", "http://h/"),
            ("h/d", "http://h/d/"),
            ("'nonce-x' 'sha256-x'", "http://h/"),
        ] {
            assert!(!allows(sources, base), "{sources} {base}");
        }
        assert!(super::allows("base-uri 'self'", "file:///a/", Some("file:///b/c.html")));
        assert!(super::allows("default-src 'none'", "http://other/", None));
        assert!(!super::allows("img-src *, base-uri 'none'", "http://h/", None));
    }
}
