//! The Python package of relink: the native module `relink._native`.
//!
//! Each function reads its arguments, runs the library without holding the interpreter, and makes
//! objects of Python of the result. `python/relink/__init__.py` has the public names.

#![forbid(unsafe_code)]

mod archive;
mod bases;
mod batch;
mod columns;
mod errors;
mod links;
mod options;
mod reference;
mod rewritten;
mod source;
mod stream;
mod tree;
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
    module.add_class::<bases::Base>()?;
    module.add_class::<bases::Context>()?;
    module.add_class::<reference::Reference>()?;
    module.add_class::<reference::Skipped>()?;
    module.add_class::<rewritten::Rewritten>()?;
    module.add_class::<rewritten::Unchanged>()?;
    module.add_class::<tree::Summary>()?;
    module.add_class::<urls::Url>()?;
    module.add_function(wrap_pyfunction!(archive::warc_absolutize, module)?)?;
    module.add_function(wrap_pyfunction!(archive::scan_warc, module)?)?;
    module.add_function(wrap_pyfunction!(bases::bases, module)?)?;
    module.add_function(wrap_pyfunction!(batch::absolutize_batch, module)?)?;
    module.add_function(wrap_pyfunction!(batch::references_batch, module)?)?;
    module.add_function(wrap_pyfunction!(reference::references, module)?)?;
    module.add_function(wrap_pyfunction!(rewritten::absolutize, module)?)?;
    module.add_function(wrap_pyfunction!(rewritten::relativize, module)?)?;
    module.add_function(wrap_pyfunction!(rewritten::relocate, module)?)?;
    module.add_function(wrap_pyfunction!(tree::convert_tree, module)?)?;
    module.add_function(wrap_pyfunction!(tree::run_program, module)?)?;
    module.add_function(wrap_pyfunction!(urls::normalize_url, module)?)?;
    module.add_function(wrap_pyfunction!(urls::surt_key, module)?)?;
    module.add_function(wrap_pyfunction!(urls::parse_url, module)?)?;
    module.add_function(wrap_pyfunction!(urls::relativize_url, module)?)?;
    module.add_function(wrap_pyfunction!(urls::resolve, module)?)?;
    module.add_function(wrap_pyfunction!(_panic, module)?)?;
    Ok(())
}
