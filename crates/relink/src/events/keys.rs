//! The keys of a reference in JSON, as docs/json.md has them. A key is a row: its name, and where
//! its value is.

use std::borrow::Cow;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::events::detail::{DocumentPlace, EmbeddedPlace, Finding, ReferenceDetail};
use crate::files::container::RecordPlace;
use crate::os::messages;

/// A reference in JSON.
#[derive(Clone, Copy)]
pub(crate) struct Keyed<'k> {
    pub(crate) place: &'k DocumentPlace,
    pub(crate) reference: &'k ReferenceDetail,
    /// Those of its document, and its own.
    pub(crate) keys: [&'static [Key]; 2],
}

/// A key of a reference.
pub(crate) struct Key(&'static str, fn(Keyed<'_>) -> Value<'_>);

/// The value of a key.
#[derive(Serialize)]
#[serde(untagged)]
enum Value<'v> {
    Null,
    /// The key is left out.
    Absent,
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
}

const ROOT: Key = Key("root", |it| Value::Number(it.place.root));
const PATH: Key = Key("path", |it| Value::text(&it.place.path));
const PATH_BYTES: Key = Key("path_bytes", |it| Value::or_absent(it.place.path_bytes.as_deref()));
const UNIT: Key = Key("unit", |it| it.place.unit.map_or(Value::Null, Value::Number));
const RECORD: Key =
    Key("record", |it| it.place.record.as_ref().map_or(Value::Absent, Value::Record));
const PART: Key = Key("part", |it| Value::or_null(it.reference.part.as_deref()));
const EMBEDDED: Key = Key("embedded", |it| Value::Embedded(&it.reference.embedded));
const LINE: Key = Key("line", |it| Value::Number(it.reference.line));
const COLUMN: Key = Key("column", |it| Value::Number(it.reference.column));
const SPAN: Key = Key("span", |it| Value::Span([it.reference.span.start, it.reference.span.end]));
const SPAN_EXACT: Key = Key("span_exact", |it| match it.reference.is_exact {
    true => Value::Absent,
    false => Value::Bool(false),
});
const SLOT: Key = Key("slot", |it| Value::text(&it.reference.slot));
const KIND: Key = Key("kind", |it| Value::text(it.reference.kind.name()));
const TEXT: Key = Key("text", |it| Value::text(&it.reference.text));
const TARGET: Key = Key("target", |it| Value::or_null(it.reference.target.as_deref()));
const BASE: Key = Key("base", |it| Value::or_null(it.reference.base.as_deref()));
const BASE_SOURCE: Key = Key("base_source", |it| Value::text(it.reference.base_source.name()));
const OTHER_TARGET: Key = Key("other_target", |it| match &it.reference.finding {
    Finding::Listed { other_target, .. } => Value::or_absent(other_target.as_deref()),
    _ => Value::Absent,
});
const READING: Key = Key("reading", |it| match it.reference.finding {
    Finding::Listed { reading, .. } => Value::or_absent(reading),
    _ => Value::Absent,
});
const NEW_TEXT: Key = Key("new_text", |it| match &it.reference.finding {
    Finding::Converted { new_text, .. } => Value::or_null(new_text.as_deref()),
    _ => Value::Absent,
});
const OUTCOME: Key = Key("outcome", |it| match it.reference.finding {
    Finding::Converted { outcome, .. } => Value::text(outcome.name()),
    _ => Value::Absent,
});
const FAILED: Key = Key("failed", |it| match it.reference.finding {
    Finding::Converted { outcome, .. } => Value::Bool(outcome.is_failure()),
    _ => Value::Absent,
});
const REASON: Key = Key("reason", |it| match &it.reference.finding {
    Finding::Converted { reason, .. } => Value::or_null(reason.as_deref()),
    Finding::Problem { problem, .. } => Value::text(problem.to_string()),
    Finding::Listed { .. } => Value::Absent,
});
const PROBLEM: Key = Key("problem", |it| match &it.reference.finding {
    Finding::Problem { problem, .. } => Value::text(problem.kind().name),
    _ => Value::Absent,
});
const SOURCE: Key = Key("source", |it| match &it.reference.finding {
    Finding::Problem { problem, .. } => Value::or_absent(problem.kind().source),
    _ => Value::Absent,
});
const FILE: Key = Key("file", |it| Value::or_null(missing_file(it.reference)));
const FILE_IF_KNOWN: Key = Key("file", |it| Value::or_absent(missing_file(it.reference)));

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

    fn entries(self) -> impl Iterator<Item = (&'static str, Value<'k>)> {
        let keys = self.keys.into_iter().flatten();
        keys.map(move |Key(name, value)| (*name, value(self)))
            .filter(|(_, value)| !matches!(value, Value::Absent))
    }

    /// Appends a line of JSON. Most values are copied, which [`messages::append_json`] does not
    /// do: it would take a third more time than the search for references.
    pub(crate) fn append_line(self, out: &mut Vec<u8>) {
        let mut before: &[u8] = b"{\"";
        for (name, value) in self.entries() {
            out.extend_from_slice(before);
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(b"\":");
            match &value {
                Value::Null => out.extend_from_slice(b"null"),
                Value::Text(text) => messages::append_json_text(out, text),
                // Writing to memory does not fail.
                _ => drop(messages::append_json(out, &value)),
            }
            before = b",\"";
        }
        out.extend_from_slice(b"}\n");
    }
}

impl Serialize for Keyed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.entries().try_for_each(|(name, value)| map.serialize_entry(name, &value))?;
        map.end()
    }
}

impl Serialize for ReferenceDetail {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let place = &DocumentPlace::default();
        Keyed { place, reference: self, keys: [&[], own(&self.finding)] }.serialize(serializer)
    }
}
