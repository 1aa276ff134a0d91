//! The file that a caller names or opens: a path, or an object with `read`.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "it opens the archives that the caller names"
)]

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::PathBuf;

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The number of bytes that are read at once.
const CHUNK: usize = 1 << 20;

/// A file of the system, or an object of Python with `read` and, for ranges, `seek`.
pub(crate) enum Source {
    File(File),
    Object(Py<PyAny>),
}

/// Opens what a caller passes, and returns it with its name: the path, or `name` of an object.
///
/// # Errors
///
/// `OSError` if the file cannot be opened.
pub(crate) fn open(source: &Bound<'_, PyAny>) -> PyResult<(BufReader<Source>, String)> {
    let (source, name) = match source.extract::<PathBuf>() {
        Ok(path) => {
            let file = File::open(&path).map_err(|error| {
                let message = error.to_string();
                PyOSError::new_err((error.raw_os_error(), message, path.clone().into_os_string()))
            })?;
            (Source::File(file), path.display().to_string())
        }
        Err(_) => {
            let name = source.getattr("name").and_then(|name| name.extract::<String>());
            (Source::Object(source.clone().unbind()), name.unwrap_or_default())
        }
    };
    Ok((BufReader::with_capacity(CHUNK, source), name))
}

impl Read for Source {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Source::File(file) => file.read(out),
            Source::Object(object) => Python::attach(|py| {
                // Ctrl-C ends a long read.
                py.check_signals()?;
                let read = object.call_method1(py, "read", (out.len(),))?;
                let bytes = read.bind(py).cast::<PyBytes>().map_err(PyErr::from)?.as_bytes();
                let Some(part) = out.get_mut(..bytes.len()) else {
                    return Err(PyValueError::new_err("read(n) returned more than n bytes").into());
                };
                part.copy_from_slice(bytes);
                Ok(bytes.len())
            }),
        }
    }
}

impl Seek for Source {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Source::File(file) => file.seek(to),
            Source::Object(object) => Python::attach(|py| {
                let (offset, whence) = match to {
                    SeekFrom::Start(offset) => (i128::from(offset), 0),
                    SeekFrom::Current(offset) => (i128::from(offset), 1),
                    SeekFrom::End(offset) => (i128::from(offset), 2),
                };
                let position = object.call_method1(py, "seek", (offset, whence))?;
                // The stream of another library may return nothing.
                match position.extract(py) {
                    Ok(position) => Ok(position),
                    Err(_) => Ok(object.call_method0(py, "tell")?.extract(py)?),
                }
            }),
        }
    }
}
