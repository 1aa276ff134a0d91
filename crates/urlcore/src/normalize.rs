//! Normalization: one spelling for equivalent references. Nothing else in this crate calls it.
//!
//! Invariant: normalization is idempotent, and a normalized reference names the same resource by
//! the rules of its dialect. Sections: RFC 3986 6.2.2 and 6.2.3; 1996 2.3.2 and 4.1; RFC 1808 2.4;
//! WHATWG URL 4.4 and 4.5.

use alloc::borrow::Cow;
use alloc::string::String;

use crate::compose;
use crate::dialect::Dialect;
use crate::escape::{ascii_web, push_escape};
use crate::grammar::CharacterSet;
use crate::host;
use crate::resolve::is_absolute_for_any_base;
use crate::rules::{Empty, Rules};
use crate::scan::escaped_byte;
use crate::scheme::default_port;
use crate::scheme_kind::SchemeKind;
use crate::server::Server;
use crate::split::Reference;

/// The level of normalization.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Normalization {
    /// By the generic syntax: letter case of scheme and host, escapes, dot segments where the
    /// dialect removes them (RFC 3986 6.2.2).
    #[default]
    Syntax,
    /// Also by the rules of the scheme: default ports, the path `/` for an empty one, `localhost`
    /// of `file` (RFC 3986 6.2.3).
    Scheme,
}

/// Returns the reference in its normal form (RFC 3986 6.2.2 and 6.2.3). A relative one stays
/// relative, with its dot segments. In [`Dialect::Web`] the form is that of a browser, but the host
/// is as written except for its case, and the escapes are those that [`ascii_web`] writes; a
/// reference that no browser reads, or that may be relative, is unchanged.
///
/// # Examples
///
/// ```
/// use urlcore::{Dialect, Normalization, normalize};
///
/// let url = "HTTP://User@Example.COM:80/%7ea/./b/../%c3%a9";
/// let syntax = |dialect| normalize(url, dialect, Normalization::Syntax);
/// assert_eq!(syntax(Dialect::Rfc3986), "http://User@example.com:80/~a/%C3%A9");
/// // RFC 1808 wants "~" escaped, and removes dot segments in relative paths only.
/// assert_eq!(syntax(Dialect::Rfc1808), "http://User@example.com:80/%7Ea/./b/../%C3%A9");
/// assert_eq!(syntax(Dialect::Web), "http://User@example.com:80/%7ea/%c3%a9");
/// let scheme = |url| normalize(url, Dialect::Rfc3986, Normalization::Scheme);
/// assert_eq!(scheme("http://example.com:80"), "http://example.com/");
/// ```
#[must_use]
pub fn normalize(reference: &str, dialect: Dialect, level: Normalization) -> String {
    let rules = dialect.rules();
    let mut text = Cow::Borrowed(reference);
    if rules.cleans {
        text = ascii_web(reference);
        // `http:g` may be relative.
        if Reference::split_by(&text, rules, None).is_absolute()
            && !is_absolute_for_any_base(&text, dialect)
        {
            return text.into_owned();
        }
        let Some(read) = without_dots(&text, rules) else { return text.into_owned() };
        text = Cow::Owned(read);
    }
    // Resolution does not read an escaped dot as a dot in relative references, nor in absolute ones
    // of dialects that keep their dot segments.
    let is_absolute = Reference::split_by(&text, rules, None).is_absolute();
    let escaped = if is_absolute && rules.removes_all_dots { "" } else { "." };
    let unreserved = dialect.grammar().unreserved.without(CharacterSet::new(escaped));
    let unreserved = (!rules.cleans).then_some(unreserved);
    let mut normal = Normal { text: String::with_capacity(text.len()), unreserved, rules, level };
    normal.write(&Reference::split_by(&text, rules, None));
    // In RFC 1808 the empty reference inherits the fragment of the base, and `?` does not (4 step
    // 2a).
    if normal.text.is_empty() {
        return text.into_owned();
    }
    // Unescaping may have produced the letters of a scheme, or dots.
    let has_scheme = |text: &str| Reference::split_by(text, rules, None).is_absolute();
    if !has_scheme(&text) && has_scheme(&normal.text) {
        normal.text.insert_str(0, "./");
    }
    without_dots(&normal.text, rules).unwrap_or(normal.text)
}

/// Returns an absolute reference without its dot segments, if the dialect removes them. In the web
/// it is composed as by a browser; `None` if no browser reads it.
fn without_dots(text: &str, rules: &Rules) -> Option<String> {
    let r = Reference::split_by(text, rules, None);
    let mut found = String::with_capacity(text.len());
    if !r.is_absolute() {
        let is_read = |authority| !rules.checks_hosts || host::check(authority, r.kind()).is_ok();
        found.push_str(text);
        return r.authority().is_none_or(is_read).then_some(found);
    }
    compose::write_absolute(&r, rules, &mut found).ok()?;
    compose::escape_end(&mut found, rules);
    Some(found)
}

/// A normal form that is being written.
struct Normal<'r> {
    text: String,
    /// The characters that are not escaped; `None` if escapes are kept as they are.
    unreserved: Option<CharacterSet>,
    rules: &'r Rules,
    level: Normalization,
}

impl Normal<'_> {
    fn write(&mut self, r: &Reference<'_>) {
        let by_scheme = self.level == Normalization::Scheme;
        let mut scheme = String::new();
        if let Some(spelled) = r.scheme() {
            scheme.push_str(spelled);
            scheme.make_ascii_lowercase();
            self.text.push_str(&scheme);
            self.text.push(':');
        }
        // A browser knows default ports of special schemes only.
        let is_scheme_known = !self.rules.special_schemes || r.kind() != SchemeKind::Other;
        let default_port = default_port(&scheme).filter(|_| by_scheme && is_scheme_known);
        let has_root = default_port.is_some() || (by_scheme && scheme == "file");
        if let Some(authority) = r.authority() {
            self.text.push_str("//");
            self.server(Server::split(authority), &scheme, default_port);
        }
        if r.path().is_empty() && r.authority().is_some() && has_root {
            self.text.push('/');
        }
        self.component(r.path());
        for (delimiter, component) in [(';', r.params()), ('?', r.query()), ('#', r.fragment())] {
            let is_void = match self.rules.empty {
                Empty::Defined => false,
                Empty::FragmentUndefined => delimiter == '#',
                Empty::Undefined => true,
            };
            if let Some(component) = component.filter(|text| !(is_void && text.is_empty())) {
                self.text.push(delimiter);
                self.component(component);
            }
        }
    }

    /// Writes an authority.
    fn server(&mut self, server: Server<'_>, scheme: &str, default_port: Option<&str>) {
        let by_scheme = self.level == Normalization::Scheme;
        let Server { user, password, host, port } = server;
        // A browser does not write empty user information.
        let is_void = self.rules.cleans
            && !host.is_empty()
            && user.is_none_or(str::is_empty)
            && password.is_none_or(str::is_empty);
        if let Some(user) = user.filter(|_| !is_void) {
            self.component(user);
            let password = password.filter(|password| !(self.rules.cleans && password.is_empty()));
            if let Some(password) = password {
                self.text.push(':');
                self.component(password);
            }
            self.text.push('@');
        }
        let is_alone = user.is_none() && port.is_none_or(str::is_empty);
        let is_local = scheme == "file" && host.eq_ignore_ascii_case("localhost");
        if !(by_scheme && is_alone && is_local) {
            // Unescaping may have produced letters.
            let start = self.text.len();
            self.component(host);
            let mut host = self.text.split_off(start);
            // To a browser the host is opaque unless the scheme is special.
            if !self.rules.cleans || self.rules.kind_of(scheme) != SchemeKind::Other {
                host.make_ascii_lowercase();
            }
            self.component(&host);
        }
        let is_needless = |port: &str| port.is_empty() || Some(port) == default_port;
        // In an invalid host with a colon, normalizing again would remove the text after it as a
        // port.
        let is_literal = host.starts_with('[') && host.ends_with(']');
        let is_host = is_literal || !host.contains(':');
        let can_go = by_scheme && is_host && !host.is_empty();
        let port = port.filter(|port| !(can_go && is_needless(port)));
        if let Some(port) = port {
            self.text.push(':');
            self.text.push_str(port);
        }
    }

    /// Writes a component with its escapes in upper case, and without those of unreserved
    /// characters.
    fn component(&mut self, component: &str) {
        let Some(unreserved) = self.unreserved else {
            self.text.push_str(component);
            return;
        };
        let mut rest = component;
        while let Some(at) = rest.find('%') {
            let (before, escape) = rest.split_at(at);
            self.text.push_str(before);
            let Some(byte) = escaped_byte(&escape.as_bytes()[1..]) else {
                self.text.push('%');
                rest = &escape[1..];
                continue;
            };
            // After a stray `%` a digit would complete an escape that was not there before.
            let bytes = self.text.as_bytes();
            let is_after_stray = bytes.ends_with(b"%") || bytes.iter().rev().nth(1) == Some(&b'%');
            let makes_escape = byte.is_ascii_hexdigit() && is_after_stray;
            if unreserved.has(byte) && !makes_escape {
                self.text.push(char::from(byte));
            } else {
                push_escape(byte, &mut self.text);
            }
            rest = &escape[3..];
        }
        self.text.push_str(rest);
    }
}
