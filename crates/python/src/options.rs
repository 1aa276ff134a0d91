//! The options of functions that read a document, and the document as a unit.

use std::collections::BTreeMap;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rewrite::{BaseUrl, Context, Dialect, Filter, Http, Media, Options, Unit, Verify};

use crate::errors::Failure;

/// The source of the base that a caller gives, in chains of bases.
const BASE: &str = "base";

/// Returns the dialect with this name.
///
/// # Errors
///
/// [`Failure::Option`] with the names if there is none.
pub(crate) fn dialect(name: &str) -> Result<Dialect, Failure> {
    name.parse().map_err(|_| {
        let names: Vec<&str> = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
        Failure::Option(format!("unknown dialect '{name}'; expected one of {}", names.join(", ")))
    })
}

/// Reads the keyword arguments that all functions share.
///
/// # Errors
///
/// `TypeError` for a name that is none of them, and `OptionError` for an invalid value.
pub(crate) fn read(arguments: Option<&Bound<'_, PyDict>>) -> PyResult<Options> {
    let mut options = Options::default().with_lists_incidents(true);
    let (mut only, mut skip) = (Vec::new(), Vec::new());
    let arguments = arguments.map(|arguments| arguments.items());
    for argument in arguments.iter().flatten() {
        let (name, value): (String, Bound<'_, PyAny>) = argument.extract()?;
        if value.is_none() {
            continue;
        }
        match &*name {
            "dialect" => options.dialect = dialect(&value.extract::<String>()?)?,
            "only" => only = value.extract()?,
            "skip" => skip = value.extract()?,
            "also" => {
                for name in value.extract::<Vec<String>>()? {
                    also(&mut options, &name)?;
                }
            }
            "verify" => {
                let word: String = value.extract()?;
                let verify: Result<Verify, _> = word.parse();
                options.verify = verify.map_err(|error| {
                    Failure::Option(format!("invalid verify '{word}'; {error}"))
                })?;
            }
            "limit" => {
                for (name, value) in value.extract::<BTreeMap<String, Bound<'_, PyAny>>>()? {
                    let result = options.limits.set(&name, &value.str()?.to_string());
                    result.map_err(|error| {
                        Failure::Option(format!("invalid limit '{name}'; {error}"))
                    })?;
                }
            }
            _ => {
                let message = format!("unexpected keyword argument '{name}'");
                return Err(PyTypeError::new_err(message));
            }
        }
    }
    options.filter = Filter::new(only, skip, &options.extras)
        .map_err(|error| Failure::Option(error.to_string()))?;
    Ok(options)
}

/// Enables an optional format, a preset of attributes, or an attribute.
fn also(options: &mut Options, name: &str) -> Result<(), Failure> {
    if options.opt_in.enable(name) || options.extras.add_preset(name) {
        return Ok(());
    }
    // A word of its own is a mistyped name rather than an attribute.
    if !name.contains(['-', '[', ':']) {
        return Err(Failure::Option(format!("unknown name '{name}' in also")));
    }
    options.extras.add(name);
    Ok(())
}

/// A media type with its charset, as a caller gives it: `text/html; charset=utf-8`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ContentType {
    pub(crate) media: Option<Media>,
    pub(crate) charset: Option<String>,
}

impl ContentType {
    /// Reads a media type, or the value of a `Content-Type` field.
    ///
    /// # Errors
    ///
    /// [`Failure::Media`] if it is unsupported.
    pub(crate) fn read(value: Option<&str>) -> Result<Self, Failure> {
        let mut parts = value.unwrap_or_default().split(';');
        let name = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
        let charset = parts.find_map(|part| {
            let (name, value) = part.split_once('=')?;
            let value = value.trim().trim_matches(['"', '\'']).trim();
            let is_charset = name.trim().eq_ignore_ascii_case("charset") && !value.is_empty();
            is_charset.then(|| value.to_owned())
        });
        let media = match &*name {
            "" => None,
            "message/http" | "application/http" => Some(Media::Http(Http::Response(None))),
            name => Some(Media::from_name(name).ok_or_else(|| {
                Failure::Media(format!("documents of the media type '{name}' are not read"))
            })?),
        };
        Ok(ContentType { media, charset })
    }
}

/// A document as a caller gives it.
pub(crate) struct Document<'d> {
    pub(crate) body: &'d [u8],
    pub(crate) base: Option<&'d str>,
    pub(crate) content_type: ContentType,
}

impl<'d> Document<'d> {
    /// Creates a document from the arguments of a function. The charset wins over that of the media
    /// type.
    ///
    /// # Errors
    ///
    /// [`Failure::Media`] if the media type is unsupported.
    pub(crate) fn new(
        body: &'d [u8],
        base: Option<&'d str>,
        media: Option<&str>,
        charset: Option<String>,
    ) -> Result<Self, Failure> {
        let mut content_type = ContentType::read(media)?;
        content_type.charset = charset.or(content_type.charset);
        Ok(Document { body, base, content_type })
    }

    /// Calls `act` with the document as a unit whose own URL is the base.
    ///
    /// # Errors
    ///
    /// [`Failure::Media`] if the media type is not given and cannot be recognized, and
    /// [`Failure::Url`] if the base is not absolute.
    pub(crate) fn with_unit<T>(&self, act: impl FnOnce(Unit<'_>) -> T) -> Result<T, Failure> {
        let url = |base: &str| {
            base.parse()
                .map_err(|error| Failure::Url(format!("invalid base URL '{base}'; {error}")))
        };
        let base: Option<BaseUrl> = self.base.map(url).transpose()?;
        let media = relink::media_of(self.content_type.media, self.body).ok_or_else(|| {
            Failure::Media("the media type of the document cannot be recognized; use media".into())
        })?;
        let context = base.map_or(Context::none(), |base| Context::retrieval(base, BASE));
        let charset = self.content_type.charset.as_deref();
        let unit = Unit::new(self.body, media, &context);
        Ok(act(unit.with_charset(charset)))
    }
}
