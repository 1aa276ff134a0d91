//! Columns of Arrow: the arrays of a caller, without a copy, and those of results.

use arrow_array::builder::{Int64Builder, StringBuilder};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, LargeBinaryArray, LargeStringArray, RecordBatch,
    StringArray, StringViewArray,
};
use arrow_data::ArrayData;
use arrow_pyarrow::{FromPyArrow, ToPyArrow};
use arrow_schema::{DataType, Field, Schema};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::sync::Arc;

/// The number of bytes of all texts of a batch from which it is full. Offsets have 31 bits, and a
/// text has at most the limit of a document, 1 GiB.
const FULL: usize = 1 << 28;

/// An array of texts.
pub(crate) enum Texts {
    Small(StringArray),
    Large(LargeStringArray),
    View(StringViewArray),
}

impl Texts {
    /// Imports an array by the Arrow C data interface.
    ///
    /// # Errors
    ///
    /// `TypeError` for an array of another type.
    pub(crate) fn import(name: &str, array: &Bound<'_, PyAny>) -> PyResult<Self> {
        let data = ArrayData::from_pyarrow_bound(array)?;
        Ok(match data.data_type() {
            DataType::Utf8 => Texts::Small(data.into()),
            DataType::LargeUtf8 => Texts::Large(data.into()),
            DataType::Utf8View => Texts::View(data.into()),
            other => return Err(wrong_type(name, "string", other)),
        })
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Texts::Small(array) => array.len(),
            Texts::Large(array) => array.len(),
            Texts::View(array) => array.len(),
        }
    }

    /// Returns a text, or `None` for a null.
    pub(crate) fn get(&self, row: usize) -> Option<&str> {
        match self {
            Texts::Small(array) => array.is_valid(row).then(|| array.value(row)),
            Texts::Large(array) => array.is_valid(row).then(|| array.value(row)),
            Texts::View(array) => array.is_valid(row).then(|| array.value(row)),
        }
    }
}

/// An array of documents.
pub(crate) enum Bodies {
    Small(BinaryArray),
    Large(LargeBinaryArray),
    View(BinaryViewArray),
}

impl Bodies {
    /// Imports an array by the Arrow C data interface; the documents are not copied.
    ///
    /// # Errors
    ///
    /// `TypeError` for an array of another type.
    pub(crate) fn import(array: &Bound<'_, PyAny>) -> PyResult<Self> {
        let data = ArrayData::from_pyarrow_bound(array)?;
        Ok(match data.data_type() {
            DataType::Binary => Bodies::Small(data.into()),
            DataType::LargeBinary => Bodies::Large(data.into()),
            DataType::BinaryView => Bodies::View(data.into()),
            other => return Err(wrong_type("bodies", "binary", other)),
        })
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Bodies::Small(array) => array.len(),
            Bodies::Large(array) => array.len(),
            Bodies::View(array) => array.len(),
        }
    }

    /// Returns true if its offsets have 63 bits.
    pub(crate) fn is_large(&self) -> bool {
        matches!(self, Bodies::Large(_))
    }

    /// Returns a document, or `None` for a null.
    pub(crate) fn get(&self, row: usize) -> Option<&[u8]> {
        match self {
            Bodies::Small(array) => array.is_valid(row).then(|| array.value(row)),
            Bodies::Large(array) => array.is_valid(row).then(|| array.value(row)),
            Bodies::View(array) => array.is_valid(row).then(|| array.value(row)),
        }
    }
}

fn wrong_type(name: &str, expected: &str, found: &DataType) -> PyErr {
    PyTypeError::new_err(format!("{name}: expected an array of {expected}, found {found}"))
}

/// A column that is being built.
pub(crate) enum Column {
    Text(StringBuilder),
    Number(Int64Builder),
}

/// A value of a row.
#[derive(Clone, Copy)]
pub(crate) enum Cell<'c> {
    Text(Option<&'c str>),
    Number(i64),
}

/// The rows of a batch that is being built. Its columns have one type each.
pub(crate) struct Rows {
    columns: Vec<(&'static str, Column)>,
    n_rows: usize,
    /// The length of all texts.
    n_bytes: usize,
}

impl Rows {
    /// Returns no rows with these columns; those in `numbers` are of `int64`, others of `string`.
    pub(crate) fn new(names: impl IntoIterator<Item = &'static str>, numbers: &[&str]) -> Self {
        let columns = names.into_iter().map(|name| {
            let column = if numbers.contains(&name) {
                Column::Number(Int64Builder::new())
            } else {
                Column::Text(StringBuilder::new())
            };
            (name, column)
        });
        Rows { columns: columns.collect(), n_rows: 0, n_bytes: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.n_rows
    }

    /// Returns true if no row must be added.
    pub(crate) fn is_full(&self) -> bool {
        self.n_bytes >= FULL
    }

    /// Adds a row with a value for each column. A value of another type than its column is null.
    pub(crate) fn push<'c>(&mut self, cells: impl IntoIterator<Item = Cell<'c>>) {
        self.n_rows += 1;
        for ((_, column), cell) in self.columns.iter_mut().zip(cells) {
            match (column, cell) {
                (Column::Text(builder), Cell::Text(Some(text))) => {
                    self.n_bytes += text.len();
                    builder.append_value(text);
                }
                (Column::Text(builder), _) => builder.append_null(),
                (Column::Number(builder), Cell::Number(number)) => builder.append_value(number),
                (Column::Number(builder), Cell::Text(_)) => builder.append_null(),
            }
        }
    }

    /// Returns the rows as columns with their fields, and begins again without rows.
    pub(crate) fn take(&mut self) -> Vec<(Field, ArrayRef)> {
        (self.n_rows, self.n_bytes) = (0, 0);
        let columns = self.columns.iter_mut().map(|(name, column)| match column {
            Column::Text(builder) => {
                let array: ArrayRef = Arc::new(builder.finish());
                (Field::new(*name, DataType::Utf8, true), array)
            }
            Column::Number(builder) => {
                let array: ArrayRef = Arc::new(builder.finish());
                (Field::new(*name, DataType::Int64, true), array)
            }
        });
        columns.collect()
    }
}

/// Returns columns as a batch.
///
/// # Errors
///
/// `TypeError` if they are no batch, which is a bug.
pub(crate) fn batch(columns: Vec<(Field, ArrayRef)>) -> PyResult<RecordBatch> {
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns.into_iter().unzip();
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays);
    batch.map_err(|error| PyTypeError::new_err(error.to_string()))
}

/// Returns a batch of columns as one of `pyarrow`, by the Arrow C data interface.
///
/// # Errors
///
/// `ImportError` if there is no `pyarrow`.
pub(crate) fn export<'py>(
    py: Python<'py>,
    columns: Vec<(Field, ArrayRef)>,
) -> PyResult<Bound<'py, PyAny>> {
    batch(columns)?.to_pyarrow(py)
}

/// Returns an offset or a number as a cell.
pub(crate) fn number(value: impl TryInto<i64>) -> Cell<'static> {
    Cell::Number(value.try_into().unwrap_or(i64::MAX))
}
