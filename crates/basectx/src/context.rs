//! The chain of base contexts, from the innermost out, each with the source of its base.
//!
//! Invariant: the innermost context that declares a base decides; the URL of a context is absolute
//! and in ASCII. Sections: RFC 1808 3, RFC 3986 5.1.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use urlcore::scheme::{Relativity, relativity};
use urlcore::{Dialect, Resolution, Resolver, clean, escape, is_absolute_for_any_base};

use crate::bad_base::BadBase;
use crate::base_url::BaseUrl;
use crate::template::is_template;

/// The source of a base, innermost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BaseSource {
    /// The content of the document: `<base>`, `codebase` (RFC 3986 5.1.1).
    Embedded,
    /// The entity that contains the document (RFC 3986 5.1.2): a MIME header section, or the
    /// document that contains a `srcdoc`.
    Encapsulating,
    /// The URL from which the document was, or would be, retrieved (RFC 3986 5.1.3).
    Retrieval,
    /// Provenance metadata: the URL that the program that saved the document recorded in it or next
    /// to it. Nothing confirms it.
    Hint,
    /// No base is known.
    None,
}

impl BaseSource {
    /// Returns the name in reports: `embedded`, `encapsulating`, `retrieval`, `hint`, `none`.
    pub const fn name(self) -> &'static str {
        match self {
            BaseSource::Embedded => "embedded",
            BaseSource::Encapsulating => "encapsulating",
            BaseSource::Retrieval => "retrieval",
            BaseSource::Hint => "hint",
            BaseSource::None => "none",
        }
    }
}

impl fmt::Display for BaseSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The base that a context declares.
#[derive(Clone, Debug, PartialEq, Eq)]
enum BaseValue {
    /// The base is this URL.
    Url(String),
    /// The base is that of the context outside.
    Inherit,
    /// The base cannot be known, and contexts outside do not matter: `<base href="{{ root }}">`.
    Unknown,
}

/// One layer of the chain.
///
/// # Examples
///
/// ```
/// use basectx::Context;
/// use urlcore::Dialect;
///
/// let file = Context::retrieval("http://h/a/b.html".parse()?, "the command line");
/// let (page, _) = file.html_base("c/", Dialect::Web);
/// let frame = page.enclosed("iframe[srcdoc]");
/// assert_eq!(frame.base(), Some("http://h/a/c/"));
/// let origins: Vec<&str> = frame.chain().map(Context::origin).collect();
/// assert_eq!(origins, ["iframe[srcdoc]", "base[href]", "the command line"]);
/// # Ok::<(), urlcore::BaseError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Context<'p> {
    parent: Option<&'p Context<'p>>,
    source: BaseSource,
    /// The element, header field or option that declares the base.
    origin: Cow<'static, str>,
    /// The section of the specification that gives it this place in the chain.
    section: &'static str,
    /// The bytes of the file that declare the base.
    span: Option<(usize, usize)>,
    /// The name of the header section in its message.
    part: Option<String>,
    /// Names of files and directories that were saved with the document, in its directory. Only a
    /// hint has them.
    saved_beside: Option<Arc<HashSet<Vec<u8>>>>,
    value: BaseValue,
}

impl<'p> Context<'p> {
    /// Returns the outermost context of a document whose URL is not known.
    pub const fn none() -> Context<'static> {
        Context {
            parent: None,
            source: BaseSource::None,
            origin: Cow::Borrowed(""),
            section: "RFC 3986 5.1.4",
            span: None,
            part: None,
            saved_beside: None,
            value: BaseValue::Inherit,
        }
    }

    /// Returns the context of a document that was retrieved from `url`.
    pub fn retrieval(url: BaseUrl, origin: &'static str) -> Context<'static> {
        Context {
            parent: None,
            source: BaseSource::Retrieval,
            origin: Cow::Borrowed(origin),
            section: "RFC 3986 5.1.3",
            span: None,
            part: None,
            saved_beside: None,
            value: BaseValue::Url(url.into()),
        }
    }

    /// Returns the context of a document with provenance metadata: `origin`, which `section`
    /// defines, gives its `url`.
    ///
    /// # Examples
    ///
    /// ```
    /// use basectx::{BaseSource, Context};
    /// let context = Context::hint("http://h/a".parse()?, "saved from url", "Mark of the Web");
    /// assert_eq!((context.base(), context.base_source()), (Some("http://h/a"), BaseSource::Hint));
    /// # Ok::<(), urlcore::BaseError>(())
    /// ```
    pub fn hint(url: BaseUrl, origin: &'static str, section: &'static str) -> Context<'static> {
        Context { source: BaseSource::Hint, section, ..Context::retrieval(url, origin) }
    }

    /// Returns the context, with the names of the files and directories that were saved with the
    /// document, in its directory. Relative references to these point to the saved copies, whatever
    /// the URL of the document was. The name `..` represents everything above the directory of the
    /// document's host.
    #[must_use]
    pub fn with_saved_beside(mut self, names: Arc<HashSet<Vec<u8>>>) -> Self {
        self.saved_beside = Some(names);
        self
    }

    /// Returns the names of the files and directories that were saved with the document.
    pub fn saved_beside(&self) -> Option<&Arc<HashSet<Vec<u8>>>> {
        self.saved_beside.as_ref()
    }

    /// Returns the context of a document inside this one (`srcdoc`, HTML in a feed): its fallback
    /// base is this one's base.
    pub fn enclosed(&'p self, origin: &'static str) -> Context<'p> {
        let is_srcdoc = origin == "iframe[srcdoc]";
        Context {
            parent: Some(self),
            source: BaseSource::Encapsulating,
            origin: Cow::Borrowed(origin),
            section: if is_srcdoc { "HTML 2.4.3" } else { "RFC 3986 5.1.2" },
            span: None,
            part: None,
            saved_beside: None,
            value: BaseValue::Inherit,
        }
    }

    /// Returns the context of a MIME header section inside this one. `url` is the base that `field`
    /// declares, if it does.
    pub fn header_section(
        &'p self,
        field: &'static str,
        section: &'static str,
        url: Option<String>,
    ) -> Context<'p> {
        let value = match url {
            Some(url) => BaseValue::Url(escape::ascii_web(&url).into_owned()),
            None => BaseValue::Inherit,
        };
        let source = BaseSource::Encapsulating;
        let origin = Cow::Borrowed(field);
        let (span, part, saved_beside) = (None, None, None);
        Context { parent: Some(self), source, origin, section, span, part, saved_beside, value }
    }

    /// Returns the context inside a message for which no base is known (RFC 2557 5 (e)).
    pub fn this_message() -> Context<'static> {
        Context {
            parent: None,
            source: BaseSource::None,
            origin: Cow::Borrowed(""),
            section: "RFC 2557 5",
            span: None,
            part: None,
            saved_beside: None,
            value: BaseValue::Url("thismessage:/".to_owned()),
        }
    }

    /// Returns the context of a document inside this one, its fallback, whose first `<base href>`
    /// has the value `href` (HTML 4.2.3); and the reason why it gives no base, if it does not. A
    /// template makes the base unknown; with any other reason the fallback base applies.
    ///
    /// # Examples
    ///
    /// ```
    /// use basectx::{BadBase, Context};
    /// use urlcore::Dialect;
    ///
    /// let outside = Context::retrieval("http://h/a/b".parse()?, "--base");
    /// let (document, _) = outside.html_base("c/", Dialect::Web);
    /// assert_eq!(document.base(), Some("http://h/a/c/"));
    /// let (document, problem) = outside.html_base("data:,", Dialect::Web);
    /// assert_eq!((document.base(), problem), (Some("http://h/a/b"), Some(BadBase::Scheme)));
    /// // Schemes that "can never be used with relative URLs" (RFC 1808 2.3).
    /// let (document, _) = outside.html_base("mailto:a@b", Dialect::Rfc1808);
    /// assert_eq!(document.base(), Some("http://h/a/b"));
    /// # Ok::<(), urlcore::BaseError>(())
    /// ```
    pub fn html_base(&'p self, href: &str, dialect: Dialect) -> (Context<'p>, Option<BadBase>) {
        let (value, fault) = match self.embedded(href, dialect) {
            Ok(url) => (BaseValue::Url(url), None),
            Err(BadBase::Template) => (BaseValue::Unknown, Some(BadBase::Template)),
            Err(fault) => (BaseValue::Inherit, Some(fault)),
        };
        (self.inside("base[href]", "HTML 4.2.3", value), fault)
    }

    /// Returns the context of a document whose `<base href>` is relative although that is not
    /// allowed: before HTML 5 it must be absolute (RFC 1866 5.2.2).
    pub fn relative_base(&'p self) -> Context<'p> {
        self.inside("base[href]", "RFC 1866 5.2.2", BaseValue::Inherit)
    }

    /// Returns the context of a document whose policy forbids its `<base>`.
    pub fn forbidden_base(&'p self) -> Context<'p> {
        self.inside("base[href]", "CSP 3, 6.3.1.1", BaseValue::Inherit)
    }

    /// Returns the context of `classid` and `archive` inside an element with `codebase`: HTML 4.01,
    /// section 13.3.2.
    pub fn codebase(&'p self, codebase: &str, dialect: Dialect) -> Context<'p> {
        let value = match self.embedded(codebase, dialect) {
            Ok(url) => BaseValue::Url(url),
            Err(_) => BaseValue::Unknown,
        };
        self.inside("codebase", "HTML 4.01 13.3.2", value)
    }

    /// Returns the context of an element with an `xml:base`, and of its content: XML Base, section
    /// 4. An invalid value makes the base unknown.
    ///
    /// # Examples
    ///
    /// ```
    /// use basectx::Context;
    /// use urlcore::Dialect;
    /// let document = Context::retrieval("http://h/a/feed.xml".parse()?, "--base");
    /// let feed = document.xml_base("b/", Dialect::Web);
    /// assert_eq!(feed.xml_base("../c/", Dialect::Web).base(), Some("http://h/a/c/"));
    /// # Ok::<(), urlcore::BaseError>(())
    /// ```
    pub fn xml_base(&'p self, base: &str, dialect: Dialect) -> Context<'p> {
        let value = match self.embedded(base, dialect) {
            Ok(url) => BaseValue::Url(url),
            // A relative `xml:base` is unknown if the base around it is unknown.
            Err(_) => BaseValue::Unknown,
        };
        self.inside("xml:base", "XML Base 4", value)
    }

    /// Returns the context of the hyperlinks of a document of Office that has a base for them: an
    /// absolute URL. Any other text gives none.
    pub fn hyperlink_base(&'p self, base: &str, dialect: Dialect) -> Context<'p> {
        let is_absolute = is_absolute_for_any_base(&clean(base, dialect), dialect);
        let url = self.embedded(base, dialect).ok().filter(|_| is_absolute);
        let value = url.map_or(BaseValue::Inherit, BaseValue::Url);
        self.inside("HyperlinkBase", "ISO/IEC 29500-1 22.2", value)
    }

    /// Returns the context of an element whose `xml:base` is not known, and of its content.
    pub fn unknown_xml_base(&'p self) -> Context<'p> {
        self.inside("xml:base", "XML Base 4", BaseValue::Unknown)
    }

    /// Returns the context inside `parent` that corresponds to this one, with its URL mapped by
    /// `moved`.
    ///
    /// # Examples
    ///
    /// ```
    /// use basectx::Context;
    /// use urlcore::Dialect;
    /// let old = Context::retrieval("http://h/".parse()?, "--base");
    /// let new = Context::retrieval("ftp://h/".parse()?, "--to");
    /// let (base, _) = old.html_base("a/", Dialect::Web);
    /// assert_eq!(base.moved(&new, |url| url.replace("http", "ftp")).base(), Some("ftp://h/a/"));
    /// # Ok::<(), urlcore::BaseError>(())
    /// ```
    #[must_use]
    pub fn moved<'q>(
        &self,
        parent: &'q Context<'q>,
        moved: impl Fn(&str) -> String,
    ) -> Context<'q> {
        let value = match &self.value {
            BaseValue::Url(url) => BaseValue::Url(escape::ascii_web(&moved(url)).into_owned()),
            value => value.clone(),
        };
        Context {
            parent: Some(parent),
            source: self.source,
            origin: self.origin.clone(),
            section: self.section,
            span: self.span,
            part: self.part.clone(),
            saved_beside: self.saved_beside.clone(),
            value,
        }
    }

    fn inside(
        &'p self,
        origin: &'static str,
        section: &'static str,
        value: BaseValue,
    ) -> Context<'p> {
        Context {
            parent: Some(self),
            source: BaseSource::Embedded,
            origin: Cow::Borrowed(origin),
            section,
            span: None,
            part: None,
            saved_beside: None,
            value,
        }
    }

    fn embedded(&self, value: &str, dialect: Dialect) -> Result<String, BadBase> {
        if is_template(value) {
            return Err(BadBase::Template);
        }
        let value = clean(value, dialect);
        let mut url = String::new();
        match self.base() {
            Some(base) => {
                let resolver = Resolver::new(base, dialect).map_err(|_| BadBase::Unresolvable)?;
                match resolver.resolve_into(&value, &mut url) {
                    Ok(Resolution::Url(_)) => {}
                    // The value names the document that contains it.
                    Ok(Resolution::SameDocument { .. }) => base.clone_into(&mut url),
                    Err(_) => return Err(BadBase::Unresolvable),
                }
            }
            // `http:x` would be relative to a base of its own scheme, which cannot be excluded.
            None if !is_absolute_for_any_base(&value, dialect) => return Err(BadBase::Relative),
            None => urlcore::resolve_without_base(&value, dialect, &mut url)
                .map_err(|_| BadBase::Unresolvable)?,
        }
        let scheme = url.split(':').next().unwrap_or_default();
        if scheme.eq_ignore_ascii_case("data") || scheme.eq_ignore_ascii_case("javascript") {
            return Err(BadBase::Scheme);
        }
        // RFC 1808 2.3 lists the schemes that "can never be used with relative URLs".
        let is_of_1995 = matches!(dialect, Dialect::Rfc1808 | Dialect::Rfc1808Draft05);
        if is_of_1995 && relativity(scheme) == Some(Relativity::Never) {
            return Err(BadBase::Unresolvable);
        }
        let url = escape::ascii_web(&url).into_owned();
        match Resolver::new(&url, dialect) {
            Ok(_) => Ok(url),
            Err(_) => Err(BadBase::Unresolvable),
        }
    }

    /// Returns the innermost context that declares the base, or that it is unknown.
    fn deciding(&self) -> &Context<'p> {
        let mut context = self;
        while let (BaseValue::Inherit, Some(parent)) = (&context.value, context.parent) {
            context = parent;
        }
        context
    }

    /// Returns the base URL, absolute and in ASCII, if one is known.
    pub fn base(&self) -> Option<&str> {
        self.deciding().own_base()
    }

    /// Returns the base URL that this context itself declares.
    pub fn own_base(&self) -> Option<&str> {
        match &self.value {
            BaseValue::Url(url) => Some(url),
            BaseValue::Inherit | BaseValue::Unknown => None,
        }
    }

    /// Returns the source of the base.
    pub fn base_source(&self) -> BaseSource {
        match self.deciding() {
            Context { value: BaseValue::Url(_), source, .. } => *source,
            _ => BaseSource::None,
        }
    }

    /// Iterates over the contexts from this one outward.
    pub fn chain(&self) -> impl Iterator<Item = &Context<'p>> {
        std::iter::successors(Some(self), |context| context.parent)
    }

    /// Returns the source of this context.
    pub fn source(&self) -> BaseSource {
        self.source
    }

    /// Returns the element, header field or option that declares this context: `base[href]`,
    /// `--base` …
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Returns the context, with the bytes of the file that declare it, from `start` up to, not
    /// including, `end`.
    #[must_use]
    pub fn at(mut self, start: usize, end: usize) -> Self {
        self.span = Some((start, end));
        self
    }

    /// Returns the context, declared by bytes of another file.
    #[must_use]
    pub fn elsewhere(mut self) -> Self {
        self.span = None;
        self
    }

    /// Returns the context, declared by the header section with this name.
    #[must_use]
    pub fn in_part(mut self, part: String) -> Self {
        self.part = Some(part);
        self
    }

    /// Returns the name of the header section that declares this context, if one does: `HEADER`,
    /// `1.2.MIME` (RFC 3501 6.4.5).
    pub fn part(&self) -> Option<&str> {
        self.part.as_deref()
    }

    /// Returns the bytes of the file that declare this context, if they are known.
    pub fn span(&self) -> Option<(usize, usize)> {
        self.span
    }

    /// Returns true if this context decides for a document in it: it declares the base, or that the
    /// base is unknown.
    pub fn decides(&self) -> bool {
        self.value != BaseValue::Inherit
    }

    /// Returns the section of the specification that gives this context its place in the chain.
    pub fn section(&self) -> &'static str {
        self.section
    }

    /// Returns the URL from which the document was retrieved, if it is known; for a part of a
    /// message, that of the message. A base in the document does not change it.
    ///
    /// # Examples
    ///
    /// ```
    /// use basectx::Context;
    /// use urlcore::Dialect;
    ///
    /// let outside = Context::retrieval("http://h/a/b".parse()?, "--base");
    /// let (document, _) = outside.html_base("c/", Dialect::Web);
    /// assert_eq!(document.document_url(), Some("http://h/a/b"));
    /// # Ok::<(), urlcore::BaseError>(())
    /// ```
    pub fn document_url(&self) -> Option<&str> {
        let is_of_document =
            |it: &&Context<'_>| matches!(it.source, BaseSource::Retrieval | BaseSource::Hint);
        self.chain().find(is_of_document)?.url()
    }

    /// Returns the URL that this context itself declares, if it does.
    pub fn url(&self) -> Option<&str> {
        match &self.value {
            BaseValue::Url(url) => Some(url),
            BaseValue::Inherit | BaseValue::Unknown => None,
        }
    }
}
