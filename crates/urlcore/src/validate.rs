//! Validation: the check of a reference against the grammar of its specification.
//!
//! Invariant: nothing else in this crate uses it. An invalid reference is still split, resolved and
//! kept. The first violation is reported, with the index of its byte. Sections: those of
//! `grammar.rs`.

use core::fmt;

use crate::dialect::Dialect;
use crate::grammar::{Grammar, HostRule, Production, UNWISE};
use crate::host;
use crate::scheme_kind::SchemeKind;
use crate::server::Server;
use crate::split::Reference;

/// The strictness of validation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Strictness {
    /// By the letter of the grammar.
    #[default]
    Strict,
    /// As the specifications recommend for a robust reader (1996 2.3.3; RFC 2396 2.4.3): characters
    /// that are excluded but cannot be mistaken for delimiters, ``{}|\^[]` `` and non-ASCII ones,
    /// are accepted, and hosts need no grammar. In [`Dialect::Web`] everything that a browser reads
    /// is accepted.
    Lenient,
}

/// The reason why a reference is not valid.
///
/// # Examples
///
/// ```
/// use urlcore::{Dialect, Strictness, ValidationErrorKind, validate};
///
/// let error = validate("http://h/a b", Dialect::Rfc3986, Strictness::Strict).unwrap_err();
/// assert_eq!((error.index, error.kind), (10, ValidationErrorKind::Path));
/// assert_eq!(error.rule(), "segment = *pchar (RFC 3986 3.3)");
/// let text = "byte 10: not allowed in the path: segment = *pchar (RFC 3986 3.3)";
/// assert_eq!(error.to_string(), text);
/// assert!(validate("http://h/a b", Dialect::Url1993, Strictness::Strict).is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ValidationError {
    /// The index of the first byte that the rule does not allow, or at which something is missing.
    pub index: usize,
    /// The kind of violation.
    pub kind: ValidationErrorKind,
    rule: &'static str,
}

/// The kind of violation of a grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ValidationErrorKind {
    /// A `%` without two hexadecimal digits after it.
    Escape,
    /// A character that is not allowed at its place in the scheme.
    Scheme,
    /// Nothing follows the scheme.
    AfterScheme,
    /// User information that is not allowed.
    Userinfo,
    /// An invalid host.
    Host,
    /// An invalid port.
    Port,
    /// A character that is not allowed in the path.
    Path,
    /// The first segment of the path is empty.
    EmptyFirstSegment,
    /// The first segment of a relative path has a `:`.
    ColonInFirstSegment,
    /// A character that is not allowed in the parameters.
    Params,
    /// A character that is not allowed in the query.
    Query,
    /// A character that is not allowed in the fragment.
    Fragment,
    /// White space or a control character that a browser removes.
    Removed,
    /// A special scheme without `//` after it.
    MissingSlashes,
}

impl ValidationError {
    /// Returns the violated production or rule, with its section.
    #[must_use]
    pub fn rule(&self) -> &'static str {
        self.rule
    }
}

impl fmt::Display for ValidationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            ValidationErrorKind::Escape => "'%' without two hexadecimal digits",
            ValidationErrorKind::Scheme => "not allowed in the scheme",
            ValidationErrorKind::AfterScheme => "nothing follows the scheme",
            ValidationErrorKind::Userinfo => "not allowed in the user information",
            ValidationErrorKind::Host => "not a host",
            ValidationErrorKind::Port => "not a port",
            ValidationErrorKind::Path => "not allowed in the path",
            ValidationErrorKind::EmptyFirstSegment => "the first segment is empty",
            ValidationErrorKind::ColonInFirstSegment => "':' in the first segment",
            ValidationErrorKind::Params => "not allowed in the parameters",
            ValidationErrorKind::Query => "not allowed in the query",
            ValidationErrorKind::Fragment => "not allowed in the fragment",
            ValidationErrorKind::Removed => "white space or a control character that is removed",
            ValidationErrorKind::MissingSlashes => "no '//' after the scheme",
        };
        write!(f, "byte {}: {what}: {}", self.index, self.rule)
    }
}

impl core::error::Error for ValidationError {}

/// Checks a reference against the grammar of a dialect. Forms that a specification resolves but its
/// grammar lacks are accepted: `?y` (RFC 2396 C.1), and in 1993 relative forms and a slash after
/// the colon (its prose has both).
///
/// # Errors
///
/// [`ValidationError`]: the first violation, from left to right.
///
/// # Examples
///
/// ```
/// use urlcore::{Dialect, Strictness, validate};
///
/// let is_valid = |text, dialect| validate(text, dialect, Strictness::Strict).is_ok();
/// assert!(is_valid("~a", Dialect::Rfc2396) && !is_valid("~a", Dialect::Rfc1808));
/// assert!(is_valid("1a:b", Dialect::UrlSyntax1996) && !is_valid("1a:b", Dialect::Rfc2396));
/// assert!(!is_valid("http://4kids/", Dialect::UrlSyntax1996));
/// assert!(validate("{a}", Dialect::Rfc2396, Strictness::Lenient).is_ok());
/// ```
pub fn validate(
    text: &str,
    dialect: Dialect,
    strictness: Strictness,
) -> Result<(), ValidationError> {
    let check = Validation { text, dialect, grammar: dialect.grammar(), strictness };
    if dialect.rules().cleans { check.web() } else { check.reference() }
}

/// The state of one validation.
struct Validation<'a> {
    text: &'a str,
    dialect: Dialect,
    grammar: &'static Grammar,
    strictness: Strictness,
}

impl Validation<'_> {
    fn error(
        &self,
        index: usize,
        kind: ValidationErrorKind,
        rule: &'static str,
    ) -> Result<(), ValidationError> {
        Err(ValidationError { index, kind, rule })
    }

    fn is_strict(&self) -> bool {
        self.strictness == Strictness::Strict
    }

    fn reference(&self) -> Result<(), ValidationError> {
        let r = Reference::split(self.text, self.dialect);
        let at = &r.at;
        self.scheme(&r)?;
        self.authority(&r)?;
        self.path(&r)?;
        let grammar = self.grammar;
        if self.is_strict() {
            self.what_1993_and_1996_want(&r)?;
        }
        for (start, end, kind, rule) in [
            (at.path_end, at.params_end, ValidationErrorKind::Params, grammar.params),
            (at.params_end, at.query_end, ValidationErrorKind::Query, grammar.query),
            (at.query_end, self.text.len(), ValidationErrorKind::Fragment, grammar.fragment),
        ] {
            if start < end {
                self.characters(start + 1, end, kind, rule)?;
            }
        }
        Ok(())
    }

    /// Checks rules of 1993 and 1996 that no single production of their grammars has.
    fn what_1993_and_1996_want(&self, r: &Reference<'_>) -> Result<(), ValidationError> {
        let at = &r.at;
        let (path, query) = (self.grammar.path.name, self.grammar.query.name);
        match self.dialect {
            Dialect::Url1993 => match (r.path().find("//"), r.query()) {
                (Some(index), _) => {
                    self.error(at.path_start + index + 1, ValidationErrorKind::Path, path)
                }
                (None, Some("")) => self.error(at.params_end, ValidationErrorKind::Query, query),
                _ => self.addresses_of_1993(r),
            },
            Dialect::UrlSyntax1996
                if at.authority.is_some() && r.path().is_empty() && r.query().is_some() =>
            {
                let rule = "net_path = \"//\" server [ abs_path ] (1996 4.4)";
                self.error(at.params_end, ValidationErrorKind::Query, rule)
            }
            _ => Ok(()),
        }
    }

    /// Checks the addresses of `ftp` and `nntp` of 1993, of which the BNF asks more than of others.
    fn addresses_of_1993(&self, r: &Reference<'_>) -> Result<(), ValidationError> {
        let at = &r.at;
        let is = |name: &str| r.scheme().is_some_and(|scheme| scheme.eq_ignore_ascii_case(name));
        let (kind, path) = (ValidationErrorKind::Path, r.path());
        match r.authority() {
            Some(authority) if is("ftp") && authority.starts_with('@') => {
                let rule = "login = [user [: password] @] hostport (1993, BNF)";
                self.error(at.path_start - authority.len(), ValidationErrorKind::Userinfo, rule)
            }
            Some(_) if is("ftp") && path.is_empty() => {
                self.error(at.path_start, kind, "ftpaddress = ftp://login/path (1993, BNF)")
            }
            None if is("nntp") => {
                let rule = "nntpaddress = nntp:group/digits (1993, BNF)";
                let number = path.split_once('/').map_or("", |(_, number)| number);
                let is_number = !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit());
                if is_number { Ok(()) } else { self.error(at.path_end - number.len(), kind, rule) }
            }
            _ => Ok(()),
        }
    }

    /// Checks that every character between two offsets is allowed by the rule, or escaped.
    fn characters(
        &self,
        start: usize,
        end: usize,
        kind: ValidationErrorKind,
        rule: Production,
    ) -> Result<(), ValidationError> {
        let bytes = self.text.as_bytes();
        let mut at = start;
        while at < end {
            let byte = bytes[at];
            let is_digit = |idx: usize| idx < end && bytes[idx].is_ascii_hexdigit();
            if byte == b'%' {
                if !(is_digit(at + 1) && is_digit(at + 2)) {
                    return self.error(at, ValidationErrorKind::Escape, "escape = \"%\" hex hex");
                }
            } else if !rule.set.has(byte) && !self.is_tolerated(at) {
                return self.error(at, kind, rule.name);
            }
            at += 1;
        }
        Ok(())
    }

    /// Returns true if a character that no rule allows is accepted nevertheless.
    fn is_tolerated(&self, at: usize) -> bool {
        match self.text.as_bytes()[at] {
            byte if byte.is_ascii() => !self.is_strict() && UNWISE.has(byte),
            _ if self.dialect == Dialect::Web => self.is_code_point(at),
            _ => !self.is_strict(),
        }
    }

    /// Returns true if the byte belongs to a character above ASCII that is a URL code point
    /// (WHATWG URL 4.3).
    fn is_code_point(&self, at: usize) -> bool {
        let Some(c) = self.text.get(at..).and_then(|rest| rest.chars().next()) else { return true };
        let is_noncharacter =
            matches!(c, '\u{FDD0}'..='\u{FDEF}') || u32::from(c) & 0xFFFE == 0xFFFE;
        c >= '\u{A0}' && !is_noncharacter
    }

    fn scheme(&self, r: &Reference<'_>) -> Result<(), ValidationError> {
        let Some(scheme) = r.scheme() else { return Ok(()) };
        let rule = self.grammar.scheme;
        let first = scheme.bytes().next().filter(|byte| !self.grammar.scheme_start.has(*byte));
        // 1993 has escapes in schemes.
        let has_escapes = self.dialect == Dialect::Url1993;
        let wrong =
            scheme.bytes().position(|byte| !(rule.set.has(byte) || (has_escapes && byte == b'%')));
        if let Some(index) = first.map(|_| 0).or(wrong) {
            return self.error(index, ValidationErrorKind::Scheme, rule.name);
        }
        if has_escapes {
            self.characters(0, scheme.len(), ValidationErrorKind::Scheme, rule)?;
        }
        match self.grammar.after_scheme {
            Some(rule) if r.at.query_end == scheme.len() + 1 => {
                self.error(r.at.query_end, ValidationErrorKind::AfterScheme, rule)
            }
            _ => Ok(()),
        }
    }

    fn authority(&self, r: &Reference<'_>) -> Result<(), ValidationError> {
        let Some((start, end)) = r.at.authority else { return Ok(()) };
        let grammar = self.grammar;
        if grammar.host_rule == HostRule::Characters {
            return self.characters(start, end, ValidationErrorKind::Host, grammar.host);
        }
        let Server { user, password, host, port } = Server::split(&self.text[start..end]);
        let mut at = start;
        for part in [user, password].into_iter().flatten() {
            self.characters(at, at + part.len(), ValidationErrorKind::Userinfo, grammar.userinfo)?;
            at += part.len() + 1;
        }
        self.host(at, host)?;
        let needs_host = match grammar.host_rule {
            HostRule::Words => true,
            HostRule::Labels => user.is_some() || port.is_some(),
            _ => false,
        };
        if needs_host && host.is_empty() && self.is_strict() {
            return self.error(at, ValidationErrorKind::Host, grammar.host.name);
        }
        let Some(port) = port else { return Ok(()) };
        let at = at + host.len() + 1;
        let wrong = port.bytes().position(|byte| !byte.is_ascii_digit());
        let missing = (grammar.port_has_digits && port.is_empty()).then_some(0);
        match wrong.or(missing) {
            Some(index) => self.error(at + index, ValidationErrorKind::Port, grammar.port),
            None => Ok(()),
        }
    }

    fn host(&self, at: usize, host: &str) -> Result<(), ValidationError> {
        let rule = self.grammar.host;
        let wrong = |index| self.error(at + index, ValidationErrorKind::Host, rule.name);
        if self.grammar.host_rule == HostRule::Literal && host.starts_with('[') && self.is_strict()
        {
            let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
            let is_literal =
                inner.is_some_and(|inner| host::is_ipv6(inner) || host::is_future(inner));
            return if is_literal { Ok(()) } else { wrong(0) };
        }
        self.characters(at, at + host.len(), ValidationErrorKind::Host, rule)?;
        if !self.is_strict() || host.is_empty() {
            return Ok(());
        }
        let labels = || host.split('.').map(|label| label.as_bytes());
        let is_number =
            labels().all(|label| !label.is_empty() && label.iter().all(u8::is_ascii_digit));
        let first = |label: &[u8]| label.first().copied().unwrap_or_default();
        let is_host = match self.grammar.host_rule {
            HostRule::Words => first(host.as_bytes()).is_ascii_alphanumeric(),
            // Labels have no escapes.
            HostRule::Labels if host.contains('%') => false,
            HostRule::Labels => {
                let is_label = |label: &[u8]| {
                    let last = label.last().copied().unwrap_or_default();
                    first(label).is_ascii_alphanumeric() && last.is_ascii_alphanumeric()
                };
                let has_top =
                    labels().next_back().is_some_and(|top| first(top).is_ascii_alphabetic());
                (labels().all(is_label) && has_top) || (is_number && labels().count() == 4)
            }
            _ => true,
        };
        if is_host { Ok(()) } else { wrong(0) }
    }

    fn path(&self, r: &Reference<'_>) -> Result<(), ValidationError> {
        let at = &r.at;
        let (path, start) = (r.path(), at.path_start);
        let is_empty = !r.is_absolute() && path.starts_with("//");
        if let Some(rule) = self.grammar.first_segment.filter(|_| is_empty) {
            return self.error(start + 1, ValidationErrorKind::EmptyFirstSegment, rule);
        }
        let has_colon = path.split('/').next().and_then(|segment| segment.find(':'));
        let has_colon = has_colon.filter(|_| !r.is_absolute() && at.authority.is_none());
        if let Some((rule, index)) = self.grammar.first_segment_without_colon.zip(has_colon) {
            return self.error(start + index, ValidationErrorKind::ColonInFirstSegment, rule);
        }
        let opaque = r.is_absolute() && at.authority.is_none() && !r.is_rooted();
        // The bytes of an opaque part are those of a query (`*urlc`, `*uric`, `*( uchar | reserved
        // )`).
        let is_query_like =
            opaque && matches!(self.dialect, Dialect::UrlSyntax1996 | Dialect::Rfc2396);
        let rule = if is_query_like { self.grammar.query } else { self.grammar.path };
        self.characters(start, at.path_end, ValidationErrorKind::Path, rule)
    }

    /// Checks a reference of the web, which has a parser for readers and a grammar for writers
    /// (WHATWG URL 4.3).
    fn web(&self) -> Result<(), ValidationError> {
        let is_removed = |&(at, byte): &(usize, u8)| {
            let is_end = at == 0 || at + 1 == self.text.len();
            matches!(byte, b'\t' | b'\n' | b'\r') || (is_end && byte <= b' ')
        };
        let removed = self.text.bytes().enumerate().find(is_removed);
        if let Some((index, _)) = removed.filter(|_| self.is_strict()) {
            let rule = "no white space or controls around it, no tab or line end (WHATWG URL 4.4)";
            return self.error(index, ValidationErrorKind::Removed, rule);
        }
        let text = crate::clean(self.text, self.dialect);
        let r = Reference::split(&text, self.dialect);
        let start = r.at.authority.map_or(0, |(start, _)| start);
        let host = r.authority().map_or(Ok(()), |authority| host::check(authority, r.kind()));
        if let Err(error) = host {
            let index = self.index_of(&text, start + error.index());
            return self.error(index, ValidationErrorKind::Host, self.grammar.host.name);
        }
        if !self.is_strict() {
            return Ok(());
        }
        let colon = r.at.colon.map_or(0, |colon| colon + 1);
        if r.at.colon.is_some() && r.kind() != SchemeKind::Other && !text[colon..].starts_with("//")
        {
            let rule = "\"//\" after a special scheme (WHATWG URL 4.3)";
            return self.error(colon, ValidationErrorKind::MissingSlashes, rule);
        }
        if let Some(at) = r.authority().and_then(|authority| authority.rfind('@')) {
            let rule = self.grammar.userinfo.name;
            return self.error(start + at, ValidationErrorKind::Userinfo, rule);
        }
        self.reference_without_host(&r)
    }

    /// Returns the index in the text of a byte of the cleaned text.
    fn index_of(&self, clean: &str, index: usize) -> usize {
        let start = self.text.len() - self.text.trim_start_matches(|c| c <= ' ').len();
        let is_kept = |byte: &u8| !matches!(byte, b'\t' | b'\n' | b'\r');
        let kept =
            self.text.as_bytes()[start..].iter().enumerate().filter(|(_, byte)| is_kept(byte));
        let mut kept = kept.map(|(at, _)| start + at).take(clean.len());
        kept.nth(index).unwrap_or(self.text.len())
    }

    fn reference_without_host(&self, r: &Reference<'_>) -> Result<(), ValidationError> {
        let (at, grammar) = (&r.at, self.grammar);
        self.characters(at.path_start, at.path_end, ValidationErrorKind::Path, grammar.path)?;
        if at.params_end < at.query_end {
            self.characters(
                at.params_end + 1,
                at.query_end,
                ValidationErrorKind::Query,
                grammar.query,
            )?;
        }
        if at.query_end < self.text.len() {
            self.characters(
                at.query_end + 1,
                self.text.len(),
                ValidationErrorKind::Fragment,
                grammar.fragment,
            )?;
        }
        Ok(())
    }
}
