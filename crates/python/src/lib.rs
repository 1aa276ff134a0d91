//! The Python package of relink: the native module `relink._native`.
//!
//! Each function reads its arguments, runs the library without holding the interpreter, and makes
//! objects of Python of the result. `python/relink/__init__.py` has the public names.

#![forbid(unsafe_code)]

mod archive;
mod batch;
mod columns;
mod errors;
mod options;
mod reference;
mod source;
mod urls;

use pyo3::prelude::*;

/// Panics, for the test of `InternalError`.
#[pyfunction]
fn _panic(py: Python<'_>, message: &str) -> PyResult<()> {
    #[allow(clippy::panic, reason = "its purpose")]
    errors::detached(py, || panic!("{message}"))
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<archive::ArchiveBatches>()?;
    module.add_class::<reference::Reference>()?;
    module.add_class::<reference::Skipped>()?;
    module.add_class::<urls::Url>()?;
    module.add_function(wrap_pyfunction!(archive::warc_absolutize, module)?)?;
    module.add_function(wrap_pyfunction!(archive::warc_references, module)?)?;
    module.add_function(wrap_pyfunction!(batch::absolutize_batch, module)?)?;
    module.add_function(wrap_pyfunction!(batch::references_batch, module)?)?;
    module.add_function(wrap_pyfunction!(reference::references, module)?)?;
    module.add_function(wrap_pyfunction!(urls::parse_url, module)?)?;
    module.add_function(wrap_pyfunction!(urls::relativize_url, module)?)?;
    module.add_function(wrap_pyfunction!(urls::resolve, module)?)?;
    module.add_function(wrap_pyfunction!(_panic, module)?)?;
    Ok(())
}
