//! Batches as a stream of Arrow, by its C stream interface.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::{Failure, panicked};

/// A stream of batches that a function makes, one after another, until there is none.
struct Stream<F> {
    schema: SchemaRef,
    next: F,
}

/// Returns a stream as the capsule `arrow_array_stream`.
///
/// # Errors
///
/// Those of Python.
pub(crate) fn capsule<F>(
    py: Python<'_>,
    schema: SchemaRef,
    next: F,
) -> PyResult<Bound<'_, PyCapsule>>
where
    F: FnMut() -> Result<Option<RecordBatch>, Failure> + Send + 'static,
{
    let stream = FFI_ArrowArrayStream::new(Box::new(Stream { schema, next }));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

impl<F: FnMut() -> Result<Option<RecordBatch>, Failure>> Iterator for Stream<F> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        // A panic must not reach the code in C that called.
        let result = catch_unwind(AssertUnwindSafe(&mut self.next));
        let result = result.unwrap_or_else(|panic| Err(panicked(&*panic)));
        let error = |failure: Failure| ArrowError::ExternalError(Box::new(PyErr::from(failure)));
        result.map_err(error).transpose()
    }
}

impl<F: FnMut() -> Result<Option<RecordBatch>, Failure>> RecordBatchReader for Stream<F> {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}
