//! Functions of URLs alone: `resolve`, `relativize_url` and `parse_url`.

use pyo3::prelude::*;
use rewrite::{Dialect, Resolver, Style, with_ascii_host};
use urlcore::{
    BaseIs, EmptyReference, Normalization, Reference, Relativizer, clean, normalize, spelled_as,
};

use crate::errors::{Failure, detached};
use crate::options;

/// Returns the reason why a base is refused.
fn invalid_base(base: &str, error: urlcore::BaseError) -> Failure {
    Failure::Url(format!("invalid base URL '{base}'; {error}"))
}

/// Returns the URL to which a reference resolves against a base. The arguments have the order of
/// those of `urllib.parse.urljoin`.
///
/// In the dialects of 1993, 1996 and RFC 2396, an empty reference and `#fragment` mean the current
/// document, and are returned as they are.
///
/// Raises `UrlError` if the base is not absolute, or if the reference has no target.
///
/// >>> import relink
/// >>> relink.resolve("https://example.org/a/b/", "../c?d#e")
/// 'https://example.org/a/c?d#e'
/// >>> relink.resolve("http://example.org/a/", "http:c", dialect="rfc3986")
/// 'http:c'
/// >>> relink.resolve("no base", "c")
/// Traceback (most recent call last):
///   ...
/// relink.UrlError: invalid base URL 'no base'; the base has no scheme
#[pyfunction]
#[pyo3(signature = (base, reference, *, dialect = "web"))]
pub(crate) fn resolve(
    py: Python<'_>,
    base: &str,
    reference: &str,
    dialect: &str,
) -> PyResult<String> {
    detached(py, || {
        let resolver = Resolver::new(base, options::dialect(dialect)?)
            .map_err(|error| invalid_base(base, error))?;
        let resolution = resolver.resolve(reference);
        let failed = |error| Failure::Url(format!("cannot resolve '{reference}'; {error}"));
        Ok(resolution.map_err(failed)?.to_string())
    })
}

/// Returns a reference that resolves to a URL against a base.
///
/// `style` is `relative`, `shortest`, `absolute-path`, `network-path` or `absolute`, as in the
/// option `--style` of the program. If `is_document` is true, the base is the URL of the document
/// itself, so that a reference to it may be empty or only a fragment.
///
/// Raises `UrlError` if the base is not absolute, or if no reference resolves to the target.
///
/// >>> import relink
/// >>> relink.relativize_url("https://example.org/a/b/d", "https://example.org/a/c")
/// '../c'
/// >>> base = "https://example.org/b"
/// >>> relink.relativize_url(base, "https://example.org/a/c", style="absolute-path")
/// '/a/c'
#[pyfunction]
#[pyo3(signature = (base, target, *, dialect = "web", style = "relative", is_document = false))]
pub(crate) fn relativize_url(
    py: Python<'_>,
    base: &str,
    target: &str,
    dialect: &str,
    style: &str,
    is_document: bool,
) -> PyResult<String> {
    detached(py, || {
        let dialect = options::dialect(dialect)?;
        let style = self::style(style)?;
        let resolver = Resolver::new(base, dialect).map_err(|error| invalid_base(base, error))?;
        // If `""` and `#s` do not depend on the base, the base must be the document.
        let names_base = dialect.rules().empty_reference != EmptyReference::SameDocument;
        let base_is = if names_base || is_document { BaseIs::Document } else { BaseIs::Other };
        let respelled = spelled_as(resolver.base(), target, dialect);
        let target = respelled.as_deref().unwrap_or(target);
        let mut relativizer = Relativizer::default();
        let relative = relativizer.relativize(&resolver, target, style, base_is);
        let failed = |error| Failure::Url(format!("cannot relativize '{target}'; {error}"));
        Ok(relative.map_err(failed)?.text.to_owned())
    })
}

/// Returns the style with this name.
pub(crate) fn style(name: &str) -> Result<Style, Failure> {
    let found = Style::ALL.iter().find(|(own, _)| *own == name);
    found.map(|(_, style)| *style).ok_or_else(|| {
        let names = Style::ALL.map(|(name, _)| name).join(", ");
        Failure::Option(format!("unknown style '{name}'; expected one of {names}"))
    })
}

/// Returns a URL in its normal form.
pub(crate) fn normalized(url: &str, dialect: Dialect) -> String {
    let url = match dialect {
        Dialect::Web => with_ascii_host(url),
        _ => url.into(),
    };
    normalize(&url, dialect, Normalization::Scheme)
}

/// Returns a URL in its normal form: without the port of its scheme, `.` and `..`, and with one
/// spelling of scheme and host. In the dialect `web` it is that of browsers: with the host in ASCII
/// and other characters escaped. A text that is no URL is returned as it is.
///
/// >>> import relink
/// >>> relink.normalize_url("HTTP://Bücher.example:80/a/../é b")
/// 'http://xn--bcher-kva.example/%C3%A9%20b'
#[pyfunction]
#[pyo3(signature = (url, *, dialect = "web"))]
pub(crate) fn normalize_url(py: Python<'_>, url: &str, dialect: &str) -> PyResult<String> {
    detached(py, || Ok(normalized(url, options::dialect(dialect)?)))
}

/// Returns the SURT key of a URL, by which the indexes of web archives are sorted, as `surt`,
/// pywb and Common Crawl write it; `None` if the URL has no host.
///
/// The URL is normalized first. Scheme, user, fragment, a first label such as `www` and the default
/// port are removed, the labels of the host reversed. Path and query are unescaped completely,
/// escaped once, and in lower case; the path has no empty segments and no `/` at its end, the query
/// has sorted parameters. Session identifiers of Java, PHP, ASP and ColdFusion are removed.
///
/// >>> import relink
/// >>> relink.surt_key("https://www.Example.org/A//b/?d=2&c=1#e")
/// 'org,example)/a/b?c=1&d=2'
#[pyfunction]
pub(crate) fn surt_key(py: Python<'_>, url: &str) -> PyResult<Option<String>> {
    detached(py, || Ok(urlcore::surt_key(&normalized(url, Dialect::Web))))
}

/// The components of a URL reference. One that the reference does not have is `None`.
#[pyclass(frozen, eq, get_all, module = "relink", skip_from_py_object)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Url {
    scheme: Option<String>,
    authority: Option<String>,
    user: Option<String>,
    password: Option<String>,
    host: Option<String>,
    port: Option<String>,
    path: String,
    params: Option<String>,
    query: Option<String>,
    fragment: Option<String>,
}

#[pymethods]
impl Url {
    fn __repr__(&self) -> String {
        let parts = [
            ("scheme", self.scheme.as_deref()),
            ("authority", self.authority.as_deref()),
            ("path", Some(&*self.path)),
            ("params", self.params.as_deref()),
            ("query", self.query.as_deref()),
            ("fragment", self.fragment.as_deref()),
        ];
        let parts =
            parts.into_iter().filter_map(|(name, part)| Some(format!("{name}={:?}", part?)));
        format!("Url({})", parts.collect::<Vec<_>>().join(", "))
    }
}

/// Splits a URL reference into its components, as they are written. Splitting never fails.
///
/// >>> import relink
/// >>> url = relink.parse_url("http://u@h.example:80/a;b?c#d", dialect="rfc1808")
/// >>> url.host, url.port, url.path, url.params
/// ('h.example', '80', '/a', 'b')
/// >>> relink.parse_url("//h/a?b").scheme is None
/// True
#[pyfunction]
#[pyo3(signature = (url, *, dialect = "web"))]
pub(crate) fn parse_url(py: Python<'_>, url: &str, dialect: &str) -> PyResult<Url> {
    detached(py, || {
        let dialect = options::dialect(dialect)?;
        let text = clean(url, dialect);
        let split = Reference::split(&text, dialect);
        let server = split.server();
        let owned = |part: Option<&str>| part.map(str::to_owned);
        Ok(Url {
            scheme: owned(split.scheme()),
            authority: owned(split.authority()),
            user: owned(server.and_then(|server| server.user)),
            password: owned(server.and_then(|server| server.password)),
            host: owned(server.map(|server| server.host)),
            port: owned(server.and_then(|server| server.port)),
            path: split.path().to_owned(),
            params: owned(split.params()),
            query: owned(split.query()),
            fragment: owned(split.fragment()),
        })
    })
}
