//! The errors of the package: each becomes an exception of Python, and so does a panic.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::prelude::*;
use pyo3::{PyErr, import_exception};

import_exception!(relink._errors, Error);
import_exception!(relink._errors, UrlError);
import_exception!(relink._errors, MediaError);
import_exception!(relink._errors, OptionError);
import_exception!(relink._errors, DocumentError);
import_exception!(relink._errors, RunError);
import_exception!(relink._errors, InternalError);

/// The reason why a function fails.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A URL cannot be read or resolved.
    Url(String),
    /// The media type is unknown or unsupported.
    Media(String),
    /// An option has an invalid value.
    Option(String),
    /// A document cannot be read, and the offset.
    Document(String, usize),
    /// A run ended, and the path that it is about.
    Run(String, Option<String>),
    /// The result is too large for its form.
    TooLarge(&'static str),
    /// The code panicked: a bug.
    Panic(String),
    /// An exception of Python.
    Python(PyErr),
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Failure::Python(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Url(message) => UrlError::new_err(message),
            Failure::Media(message) => MediaError::new_err(message),
            Failure::Option(message) => OptionError::new_err(message),
            Failure::Document(message, offset) => {
                DocumentError::new_err((message, None::<String>, offset))
            }
            Failure::Run(message, path) => RunError::new_err((message, path)),
            Failure::TooLarge(message) => Error::new_err(message),
            Failure::Panic(message) => InternalError::new_err(message),
            Failure::Python(error) => error,
        }
    }
}

/// Runs code without holding the interpreter; a panic becomes an error.
///
/// # Errors
///
/// Those of the code, and [`Failure::Panic`].
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    act: impl FnOnce() -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let result = py.detach(|| catch_unwind(AssertUnwindSafe(act)));
    match result {
        Ok(result) => Ok(result?),
        Err(panic) => Err(panicked(&*panic).into()),
    }
}

/// Returns the failure for a panic.
pub(crate) fn panicked(panic: &(dyn Any + Send)) -> Failure {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or_default();
    Failure::Panic(format!("relink panicked, which is a bug; please report it: {text}"))
}
