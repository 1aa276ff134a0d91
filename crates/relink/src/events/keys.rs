//! The keys of a reference in JSON, as docs/json.md has them. A key is a row: its name, and where
//! its value is.

use std::borrow::Cow;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::events::detail::{DocumentPlace, EmbeddedPlace, Finding, ReferenceDetail};
use crate::files::container::RecordPlace;
use crate::os::messages::{self, Digits};

/// A reference in JSON.
#[derive(Clone, Copy)]
pub(crate) struct Keyed<'k> {
    pub(crate) place: &'k DocumentPlace,
    pub(crate) reference: &'k ReferenceDetail,
    /// Those of its document, and its own.
    pub(crate) keys: [&'static [Key]; 2],
}

/// A key of a reference: its name, the name as it is written before its value, and the value.
pub(crate) struct Key(&'static str, &'static str, fn(Keyed<'_>) -> Value<'_>);

/// Makes a key of its name and a function to its value.
macro_rules! key {
    ($name:literal, $value:expr) => {
        Key($name, concat!(",\"", $name, "\":"), $value)
    };
}

/// The value of a key.
#[derive(Serialize)]
#[serde(untagged)]
enum Value<'v> {
    Null,
    /// The key is left out.
    Absent,
    /// A text that is written as it is: a name of this program.
    Name(&'static str),
    Text(Cow<'v, str>),
    Number(usize),
    Bool(bool),
    Span([usize; 2]),
    Embedded(&'v [EmbeddedPlace]),
    Record(&'v RecordPlace),
}

impl<'v> Value<'v> {
    fn text(text: impl Into<Cow<'v, str>>) -> Self {
        Value::Text(text.into())
    }

    fn or_null(text: Option<&'v str>) -> Self {
        text.map_or(Value::Null, Value::text)
    }

    fn or_absent(text: Option<&'v str>) -> Self {
        text.map_or(Value::Absent, Value::text)
    }

    /// Appends it as JSON. Most are copied.
    fn append(&self, out: &mut Vec<u8>) {
        let mut digits = Digits::default();
        match self {
            Value::Null => out.extend_from_slice(b"null"),
            Value::Name(name) => {
                out.push(b'"');
                out.extend_from_slice(name.as_bytes());
                out.push(b'"');
            }
            Value::Text(text) => messages::append_json_text(out, text),
            Value::Number(number) => out.extend_from_slice(digits.write(*number as u64, b"")),
            Value::Span([start, end]) => {
                out.push(b'[');
                out.extend_from_slice(digits.write(*start as u64, b","));
                out.extend_from_slice(digits.write(*end as u64, b"]"));
            }
            Value::Embedded([]) => out.extend_from_slice(b"[]"),
            // Writing to memory does not fail.
            _ => drop(messages::append_json(out, self)),
        }
    }
}

const ROOT: Key = key!("root", |it| Value::Number(it.place.root));
const PATH: Key = key!("path", |it| Value::text(&it.place.path));
const PATH_BYTES: Key = key!("path_bytes", |it| Value::or_absent(it.place.path_bytes.as_deref()));
const UNIT: Key = key!("unit", |it| it.place.unit.map_or(Value::Null, Value::Number));
const RECORD: Key =
    key!("record", |it| it.place.record.as_ref().map_or(Value::Absent, Value::Record));
const PART: Key = key!("part", |it| Value::or_null(it.reference.part.as_deref()));
const EMBEDDED: Key = key!("embedded", |it| Value::Embedded(&it.reference.embedded));
const LINE: Key = key!("line", |it| Value::Number(it.reference.line));
const COLUMN: Key = key!("column", |it| Value::Number(it.reference.column));
const SPAN: Key = key!("span", |it| Value::Span([it.reference.span.start, it.reference.span.end]));
const SPAN_EXACT: Key = key!("span_exact", |it| match it.reference.is_exact {
    true => Value::Absent,
    false => Value::Bool(false),
});
const SLOT: Key = key!("slot", |it| match &it.reference.slot {
    Cow::Borrowed(name) => Value::Name(name),
    Cow::Owned(name) => Value::text(name),
});
const KIND: Key = key!("kind", |it| Value::Name(it.reference.kind.name()));
const TEXT: Key = key!("text", |it| Value::text(&it.reference.text));
const TARGET: Key = key!("target", |it| Value::or_null(it.reference.target.as_deref()));
const BASE: Key = key!("base", |it| Value::or_null(it.reference.base.as_deref()));
const BASE_SOURCE: Key = key!("base_source", |it| Value::Name(it.reference.base_source.name()));
const OTHER_TARGET: Key = key!("other_target", |it| match &it.reference.finding {
    Finding::Listed { other_target, .. } => Value::or_absent(other_target.as_deref()),
    _ => Value::Absent,
});
const READING: Key = key!("reading", |it| match it.reference.finding {
    Finding::Listed { reading, .. } => Value::or_absent(reading),
    _ => Value::Absent,
});
const NEW_TEXT: Key = key!("new_text", |it| match &it.reference.finding {
    Finding::Converted { new_text, .. } => Value::or_null(new_text.as_deref()),
    _ => Value::Absent,
});
const OUTCOME: Key = key!("outcome", |it| match it.reference.finding {
    Finding::Converted { outcome, .. } => Value::Name(outcome.name()),
    _ => Value::Absent,
});
const FAILED: Key = key!("failed", |it| match it.reference.finding {
    Finding::Converted { outcome, .. } => Value::Bool(outcome.is_failure()),
    _ => Value::Absent,
});
const REASON: Key = key!("reason", |it| match &it.reference.finding {
    Finding::Converted { reason, .. } => Value::or_null(reason.as_deref()),
    Finding::Problem { problem, .. } => Value::text(problem.to_string()),
    Finding::Listed { .. } => Value::Absent,
});
const PROBLEM: Key = key!("problem", |it| match &it.reference.finding {
    Finding::Problem { problem, .. } => Value::Name(problem.kind().name),
    _ => Value::Absent,
});
const SOURCE: Key = key!("source", |it| match &it.reference.finding {
    Finding::Problem { problem, .. } => Value::or_absent(problem.kind().source),
    _ => Value::Absent,
});
const FILE: Key = key!("file", |it| Value::or_null(missing_file(it.reference)));
const FILE_IF_KNOWN: Key = key!("file", |it| Value::or_absent(missing_file(it.reference)));

fn missing_file(reference: &ReferenceDetail) -> Option<&str> {
    match &reference.finding {
        Finding::Problem { file, .. } => file.as_ref().map(|(_, path)| &**path),
        _ => None,
    }
}

/// The keys of a document.
const OF_DOCUMENT: &[Key] = &[ROOT, PATH, PATH_BYTES, UNIT, RECORD];

/// Those of `check`.
pub(crate) const OF_CHECK: [&[Key]; 2] = [
    &[ROOT, PATH, PATH_BYTES],
    &[LINE, COLUMN, SPAN, SLOT, TEXT, TARGET, PROBLEM, REASON, SOURCE, FILE_IF_KNOWN],
];

/// Those of `check --list-external`.
pub(crate) const OF_EXTERNAL: [&[Key]; 2] =
    [&[ROOT, PATH, PATH_BYTES, RECORD], &[LINE, COLUMN, SPAN, SLOT, TEXT]];

/// Returns the keys of a reference, without those of its document.
const fn own(finding: &Finding) -> &'static [Key] {
    match finding {
        Finding::Listed { .. } => &[
            PART,
            EMBEDDED,
            LINE,
            COLUMN,
            SPAN,
            SPAN_EXACT,
            SLOT,
            KIND,
            TEXT,
            BASE,
            BASE_SOURCE,
            TARGET,
            OTHER_TARGET,
            READING,
        ],
        Finding::Converted { .. } => &[
            PART,
            EMBEDDED,
            LINE,
            COLUMN,
            SPAN,
            SPAN_EXACT,
            SLOT,
            KIND,
            TEXT,
            NEW_TEXT,
            TARGET,
            BASE,
            BASE_SOURCE,
            OUTCOME,
            REASON,
            FAILED,
        ],
        Finding::Problem { .. } => &[LINE, COLUMN, SPAN, SLOT, TEXT, TARGET, FILE, PROBLEM, REASON],
    }
}

impl<'k> Keyed<'k> {
    /// A reference with its document.
    pub(crate) fn whole(place: &'k DocumentPlace, reference: &'k ReferenceDetail) -> Self {
        Keyed { place, reference, keys: [OF_DOCUMENT, own(&reference.finding)] }
    }

    fn entries(self) -> impl Iterator<Item = (&'static Key, Value<'k>)> {
        let keys = self.keys.into_iter().flatten();
        keys.map(move |key| (key, (key.2)(self)))
            .filter(|(_, value)| !matches!(value, Value::Absent))
    }

    /// Appends a line of JSON, as [`messages::append_json`] would, which would take a third more
    /// time than the search for references.
    pub(crate) fn append_line(self, out: &mut Vec<u8>) {
        let start = out.len();
        for (Key(_, written, _), value) in self.entries() {
            out.extend_from_slice(written.as_bytes());
            value.append(out);
        }
        // In place of the first comma.
        out.iter_mut().skip(start).take(1).for_each(|first| *first = b'{');
        out.extend_from_slice(b"}\n");
    }
}

impl Serialize for Keyed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.entries().try_for_each(|(key, value)| map.serialize_entry(key.0, &value))?;
        map.end()
    }
}

impl Serialize for ReferenceDetail {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let place = &DocumentPlace::default();
        Keyed { place, reference: self, keys: [&[], own(&self.finding)] }.serialize(serializer)
    }
}
