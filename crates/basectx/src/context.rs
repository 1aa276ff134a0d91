//! The chain of base contexts, from the innermost out, each with the reason why it holds.
//!
//! Invariant: the base of a document is told by the innermost context that knows it; what a context says is absolute, and written in ASCII.
//! RFC 1808 section 3, RFC 3986 section 5.1.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use urlcore::{Dialect, Resolution, Resolver, clean, escape, is_absolute_anywhere};

/// Where a base comes from, innermost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BaseSource {
    /// The content of the document: `<base>`, `codebase` (RFC 3986 5.1.1).
    Embedded,
    /// The entity that holds the document (RFC 3986 5.1.2): a MIME heading, or the document that a `srcdoc` stands in.
    Encapsulating,
    /// The URL that the document was, or would be, retrieved from (RFC 3986 5.1.3).
    Retrieval,
    /// What whoever saved the document noted in it or beside it: where it was from. Nothing confirms it.
    Hint,
    /// No base is known.
    None,
}

impl BaseSource {
    /// The word for reports: `embedded`, `encapsulating`, `retrieval`, `hint`, `none`.
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

/// What a context says of the base.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Told {
    /// The base is this URL.
    Url(String),
    /// The base is what the context outside says.
    Nothing,
    /// The base cannot be known, and no context outside counts: `<base href="{{ root }}">`.
    Unknown,
}

/// One layer of the chain.
#[derive(Clone, Debug)]
pub struct Context<'p> {
    parent: Option<&'p Context<'p>>,
    source: BaseSource,
    /// The element, header or option that says so.
    origin: Cow<'static, str>,
    /// The section of the specification that gives it this place in the chain.
    section: &'static str,
    /// The bytes of the file that say so.
    span: Option<(usize, usize)>,
    /// The name of the heading in its message.
    part: Option<String>,
    /// Names of files and folders that were saved with the document, beside it: a hint has them.
    saved_beside: Option<Arc<HashSet<Vec<u8>>>>,
    told: Told,
}

/// Why a `<base>` does not give a base; the fallback base holds then (HTML standard, "frozen base URL").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadBase {
    /// The value is no URL.
    Unresolvable,
    /// The value is relative, and there is nothing to resolve it against.
    Relative,
    /// `data:` and `javascript:` are no bases.
    Scheme,
    /// The value is a template, filled in when the document is served.
    Template,
}

impl fmt::Display for BadBase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BadBase::Unresolvable => "the href of <base> is not a URL; the fallback base holds",
            BadBase::Relative => {
                "the href of <base> is relative, and the URL of the document is not known"
            }
            BadBase::Scheme => "a data: or javascript: URL is no base; the fallback base holds",
            BadBase::Template => "the href of <base> is a template; the base is unknown",
        })
    }
}

impl<'p> Context<'p> {
    /// The outermost context when nothing is known of the document's place.
    pub const fn none() -> Context<'static> {
        Context {
            parent: None,
            source: BaseSource::None,
            origin: Cow::Borrowed(""),
            section: "RFC 3986 5.1.4",
            span: None,
            part: None,
            saved_beside: None,
            told: Told::Nothing,
        }
    }

    /// The retrieval context: `url` must be absolute.
    pub fn retrieval(url: &str, origin: &'static str) -> Context<'static> {
        Context {
            parent: None,
            source: BaseSource::Retrieval,
            origin: Cow::Borrowed(origin),
            section: "RFC 3986 5.1.3",
            span: None,
            part: None,
            saved_beside: None,
            told: Told::Url(escape::ascii_web(url).into_owned()),
        }
    }

    /// The context of a document that is said to be from `url`, which must be absolute: `origin` says so, as `section` defines it.
    ///
    /// ```
    /// use basectx::{BaseSource, Context};
    /// let context = Context::hint("http://h/a", "saved from url", "Mark of the Web");
    /// assert_eq!((context.base(), context.base_source()), (Some("http://h/a"), BaseSource::Hint));
    /// ```
    pub fn hint(url: &str, origin: &'static str, section: &'static str) -> Context<'static> {
        Context { source: BaseSource::Hint, section, ..Context::retrieval(url, origin) }
    }

    /// The context, with the names of what was saved with the document, in the folder that it is in. Relative references to that lead
    /// there, wherever the document was from. The name `..` stands for all above the folder of the document's host.
    #[must_use]
    pub fn with_saved_beside(mut self, names: Arc<HashSet<Vec<u8>>>) -> Self {
        self.saved_beside = Some(names);
        self
    }

    /// The names of what was saved with the document.
    pub fn saved_beside(&self) -> Option<&Arc<HashSet<Vec<u8>>>> {
        self.saved_beside.as_ref()
    }

    /// The context of a document inside this one (`srcdoc`, HTML in a feed): its fallback base is this one's base.
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
            told: Told::Nothing,
        }
    }

    /// The context that a MIME heading inside this one opens: `field`, if it tells a base.
    pub fn heading(
        &'p self,
        field: &'static str,
        section: &'static str,
        url: Option<String>,
    ) -> Context<'p> {
        let told = match url {
            Some(url) => Told::Url(escape::ascii_web(&url).into_owned()),
            None => Told::Nothing,
        };
        let source = BaseSource::Encapsulating;
        let origin = Cow::Borrowed(field);
        let (span, part, saved_beside) = (None, None, None);
        Context { parent: Some(self), source, origin, section, span, part, saved_beside, told }
    }

    /// What stands where no base is known inside a message (RFC 2557 5 (e)).
    pub fn this_message() -> Context<'static> {
        Context {
            parent: None,
            source: BaseSource::None,
            origin: Cow::Borrowed(""),
            section: "RFC 2557 5",
            span: None,
            part: None,
            saved_beside: None,
            told: Told::Url("thismessage:/".to_owned()),
        }
    }

    /// The context that `href`, the value of the document's first `<base href>`, opens inside this one, its fallback; and why it gives
    /// no base, if it does not. A template makes the base unknown, every other fault lets the fallback hold.
    pub fn html_base(&'p self, href: &str, dialect: Dialect) -> (Context<'p>, Option<BadBase>) {
        let (told, fault) = match self.embedded(href, dialect) {
            Ok(url) => (Told::Url(url), None),
            Err(BadBase::Template) => (Told::Unknown, Some(BadBase::Template)),
            Err(fault) => (Told::Nothing, Some(fault)),
        };
        (self.inside("base[href]", "HTML 4.2.3", told), fault)
    }

    /// The context of a `<base href>` that is relative where none may be: the texts before HTML 5 want it absolute (RFC 1866 5.2.2).
    pub fn relative_base(&'p self) -> Context<'p> {
        self.inside("base[href]", "RFC 1866 5.2.2", Told::Nothing)
    }

    /// The context of `classid` and `archive` inside an element with `codebase`: HTML 4.01, section 13.3.2.
    pub fn codebase(&'p self, codebase: &str, dialect: Dialect) -> Context<'p> {
        let told = match self.embedded(codebase, dialect) {
            Ok(url) => Told::Url(url),
            Err(_) => Told::Unknown,
        };
        self.inside("codebase", "HTML 4.01 13.3.2", told)
    }

    /// The context of an element with an `xml:base`, and of what is in it: XML Base, section 4. What is no URL makes the base unknown.
    ///
    /// ```
    /// use basectx::Context;
    /// use urlcore::Dialect;
    /// let document = Context::retrieval("http://h/a/feed.xml", "--base");
    /// let feed = document.xml_base("b/", Dialect::Web);
    /// assert_eq!(feed.xml_base("../c/", Dialect::Web).base(), Some("http://h/a/c/"));
    /// ```
    pub fn xml_base(&'p self, base: &str, dialect: Dialect) -> Context<'p> {
        let told = match self.embedded(base, dialect) {
            Ok(url) => Told::Url(url),
            // Of a relative one nothing is known where nothing is known around it.
            Err(_) => Told::Unknown,
        };
        self.inside("xml:base", "XML Base 4", told)
    }

    /// Returns the context of an element whose `xml:base` is not known, and of what is in it.
    pub fn unknown_xml_base(&'p self) -> Context<'p> {
        self.inside("xml:base", "XML Base 4", Told::Unknown)
    }

    /// What this context is inside `parent` when the URL that it tells is the one that `moved` gives for it.
    ///
    /// ```
    /// use basectx::Context;
    /// use urlcore::Dialect;
    /// let (old, new) = (Context::retrieval("http://h/", "--base"), Context::retrieval("ftp://h/", "--to"));
    /// let (base, _) = old.html_base("a/", Dialect::Web);
    /// assert_eq!(base.moved(&new, |url| url.replace("http", "ftp")).base(), Some("ftp://h/a/"));
    /// ```
    #[must_use]
    pub fn moved<'q>(
        &self,
        parent: &'q Context<'q>,
        moved: impl Fn(&str) -> String,
    ) -> Context<'q> {
        let told = match &self.told {
            Told::Url(url) => Told::Url(escape::ascii_web(&moved(url)).into_owned()),
            told => told.clone(),
        };
        Context {
            parent: Some(parent),
            source: self.source,
            origin: self.origin.clone(),
            section: self.section,
            span: self.span,
            part: self.part.clone(),
            saved_beside: self.saved_beside.clone(),
            told,
        }
    }

    fn inside(&'p self, origin: &'static str, section: &'static str, told: Told) -> Context<'p> {
        Context {
            parent: Some(self),
            source: BaseSource::Embedded,
            origin: Cow::Borrowed(origin),
            section,
            span: None,
            part: None,
            saved_beside: None,
            told,
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
                    // It names the document, which is what it stands in.
                    Ok(Resolution::SameDocument { .. }) => base.clone_into(&mut url),
                    Err(_) => return Err(BadBase::Unresolvable),
                }
            }
            // `http:x` would be relative to a base of its own scheme, and nothing says that there is none.
            None if !is_absolute_anywhere(&value, dialect) => return Err(BadBase::Relative),
            None => urlcore::resolve_without_base(&value, dialect, &mut url)
                .map_err(|_| BadBase::Unresolvable)?,
        }
        let scheme = url.split(':').next().unwrap_or_default();
        if scheme.eq_ignore_ascii_case("data") || scheme.eq_ignore_ascii_case("javascript") {
            return Err(BadBase::Scheme);
        }
        let url = escape::ascii_web(&url).into_owned();
        match Resolver::new(&url, dialect) {
            Ok(_) => Ok(url),
            Err(_) => Err(BadBase::Unresolvable),
        }
    }

    /// The innermost context that decides: the one whose word the base is.
    fn deciding(&self) -> &Context<'p> {
        let mut context = self;
        while let (Told::Nothing, Some(parent)) = (&context.told, context.parent) {
            context = parent;
        }
        context
    }

    /// The base URL, absolute and in ASCII, if one is known.
    pub fn base(&self) -> Option<&str> {
        match &self.deciding().told {
            Told::Url(url) => Some(url),
            Told::Nothing | Told::Unknown => None,
        }
    }

    /// Where the base comes from.
    pub fn base_source(&self) -> BaseSource {
        match self.deciding() {
            Context { told: Told::Url(_), source, .. } => *source,
            _ => BaseSource::None,
        }
    }

    /// The contexts from this one outward.
    pub fn chain(&self) -> impl Iterator<Item = &Context<'p>> {
        std::iter::successors(Some(self), |context| context.parent)
    }

    /// Where this context comes from.
    pub fn source(&self) -> BaseSource {
        self.source
    }

    /// The element, header or option that opens this context: `base[href]`, `--base` …
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The context, said by these bytes of the file, from the first up to, not including, the second.
    #[must_use]
    pub fn at(mut self, start: usize, end: usize) -> Self {
        self.span = Some((start, end));
        self
    }

    /// The context, said by bytes of another file.
    #[must_use]
    pub fn elsewhere(mut self) -> Self {
        self.span = None;
        self
    }

    /// The context, said by this heading of a message.
    #[must_use]
    pub fn in_part(mut self, part: String) -> Self {
        self.part = Some(part);
        self
    }

    /// The name of the heading that opens this context, if one does: `HEADER`, `1.2.MIME` (RFC 3501 6.4.5).
    pub fn part(&self) -> Option<&str> {
        self.part.as_deref()
    }

    /// The bytes of the file that say so, if it is known which.
    pub fn span(&self) -> Option<(usize, usize)> {
        self.span
    }

    /// Whether this context is the one that decides for a document in it: it, and none around it, tells the base or hides it.
    pub fn decides(&self) -> bool {
        self.told != Told::Nothing
    }

    /// The section of the specification that gives this context its place in the chain.
    pub fn section(&self) -> &'static str {
        self.section
    }

    /// The URL that this context itself tells, if it does.
    pub fn url(&self) -> Option<&str> {
        match &self.told {
            Told::Url(url) => Some(url),
            Told::Nothing | Told::Unknown => None,
        }
    }
}

/// Returns true if a value is filled in when the document is served: if it contains a mark that a
/// template engine replaces.
///
/// The marks are `{{` (Mustache, Handlebars, Jinja, Liquid, Go, Angular, Vue), `${` (JSP,
/// FreeMarker, Thymeleaf, template literals), `<%` (ASP, JSP, ERB, EJS), `<?` (PHP) and `<!--`
/// (server-side includes). No closing mark is required: an engine reads the bytes of the file,
/// where a quote inside its code (`{{ relURL "x" }}`) ends the attribute value for everybody else.
/// `%s`, `<!` and a single `{` are part of URLs that browsers follow, and no engine replaces them.
#[inline]
pub fn is_template(value: &str) -> bool {
    // Most values contain neither.
    urlcore::scan::first_of(value.as_bytes(), [b'{', b'<']) < value.len() && contains_mark(value)
}

#[cold]
fn contains_mark(value: &str) -> bool {
    let mut pairs = value.as_bytes().windows(2);
    pairs.any(|pair| matches!(pair, b"{{" | b"${" | b"<%" | b"<?")) || value.contains("<!--")
}
