//! The keys of a reference in JSON, as docs/json.md has them. A key is a row: its name, and where
//! its value is.

use std::borrow::Cow;
use std::mem::{self, Discriminant};
use std::sync::Arc;

use basectx::BaseSource;
use rewrite::Kind;
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
    pub(crate) keys: (&'static [Key], OwnKeys),
}

/// A key of a reference.
pub(crate) struct Key {
    name: &'static str,
    value: ValueOf,
    append: Append,
}

/// The value of a key of a reference in a document.
type ValueOf = for<'v> fn(&'v DocumentPlace, &'v ReferenceDetail) -> Value<'v>;

/// Appends a comma, a key and its value as JSON, unless it is absent.
type Append = fn(&DocumentPlace, &ReferenceDetail, &mut Vec<u8>);

/// Makes a key of its name and a function to its value. Each has a function of its own that
/// appends both, in which the length of the name and the kind of the value are known.
macro_rules! key {
    ($name:literal, $value:expr) => {
        Key {
            name: $name,
            value: $value,
            append: |place, reference, out| {
                const VALUE: ValueOf = $value;
                VALUE(place, reference).append_after(concat!(",\"", $name, "\":"), out);
            },
        }
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

    /// Appends its key and it, unless it is absent.
    #[inline(always)]
    fn append_after(self, key: &'static str, out: &mut Vec<u8>) {
        if !matches!(self, Value::Absent) {
            out.extend_from_slice(key.as_bytes());
            self.append(out);
        }
    }

    /// Appends it as JSON. Most are copied.
    #[inline(always)]
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

const ROOT: Key = key!("root", |it, _| Value::Number(it.root));
const PATH: Key = key!("path", |it, _| Value::text(&it.path));
const PATH_BYTES: Key = key!("path_bytes", |it, _| Value::or_absent(it.path_bytes.as_deref()));
const UNIT: Key = key!("unit", |it, _| it.unit.map_or(Value::Null, Value::Number));
const RECORD: Key = key!("record", |it, _| it.record.as_ref().map_or(Value::Absent, Value::Record));
const PART: Key = key!("part", |_, it| Value::or_null(it.part.as_deref()));
const EMBEDDED: Key = key!("embedded", |_, it| Value::Embedded(&it.embedded));
const LINE: Key = key!("line", |_, it| Value::Number(it.line));
const COLUMN: Key = key!("column", |_, it| Value::Number(it.column));
const SPAN: Key = key!("span", |_, it| Value::Span([it.span.start, it.span.end]));
const SPAN_EXACT: Key = key!("span_exact", |_, it| match it.is_exact {
    true => Value::Absent,
    false => Value::Bool(false),
});
const SLOT: Key = key!("slot", |_, it| match &it.slot {
    Cow::Borrowed(name) => Value::Name(name),
    Cow::Owned(name) => Value::text(name),
});
const KIND: Key = key!("kind", |_, it| Value::Name(it.kind.name()));
const TEXT: Key = key!("text", |_, it| Value::text(&it.text));
const TARGET: Key = key!("target", |_, it| Value::or_null(it.target.as_deref()));
const BASE: Key = key!("base", |_, it| Value::or_null(it.base.as_deref()));
const BASE_SOURCE: Key = key!("base_source", |_, it| Value::Name(it.base_source.name()));
const OTHER_TARGET: Key = key!("other_target", |_, it| match &it.finding {
    Finding::Listed { other_target, .. } => Value::or_absent(other_target.as_deref()),
    _ => Value::Absent,
});
const READING: Key = key!("reading", |_, it| match it.finding {
    Finding::Listed { reading, .. } => Value::or_absent(reading),
    _ => Value::Absent,
});
const NEW_TEXT: Key = key!("new_text", |_, it| match &it.finding {
    Finding::Converted { new_text, .. } => Value::or_null(new_text.as_deref()),
    _ => Value::Absent,
});
const OUTCOME: Key = key!("outcome", |_, it| match it.finding {
    Finding::Converted { outcome, .. } => Value::Name(outcome.name()),
    _ => Value::Absent,
});
const FAILED: Key = key!("failed", |_, it| match it.finding {
    Finding::Converted { outcome, .. } => Value::Bool(outcome.is_failure()),
    _ => Value::Absent,
});
const REASON: Key = key!("reason", |_, it| match &it.finding {
    Finding::Converted { reason, .. } => Value::or_null(reason.as_deref()),
    Finding::Problem { problem, .. } => Value::text(problem.to_string()),
    Finding::Listed { .. } => Value::Absent,
});
const PROBLEM: Key = key!("problem", |_, it| match &it.finding {
    Finding::Problem { problem, .. } => Value::Name(problem.kind().name),
    _ => Value::Absent,
});
const SOURCE: Key = key!("source", |_, it| match &it.finding {
    Finding::Problem { problem, .. } => Value::or_absent(problem.kind().source),
    _ => Value::Absent,
});
const FILE: Key = key!("file", |_, it| Value::or_null(missing_file(it)));
const FILE_IF_KNOWN: Key = key!("file", |_, it| Value::or_absent(missing_file(it)));

fn missing_file(reference: &ReferenceDetail) -> Option<&str> {
    match &reference.finding {
        Finding::Problem { file, .. } => file.as_ref().map(|(_, path)| &**path),
        _ => None,
    }
}

/// The keys of a document.
const OF_DOCUMENT: &[Key] = &[ROOT, PATH, PATH_BYTES, UNIT, RECORD];

/// The keys of a reference without those of its document, in their order. The first, third and
/// fifth list have keys whose values are mostly those of the reference before.
type OwnKeys = [&'static [Key]; 6];

/// Those of `check`.
pub(crate) const OF_CHECK: (&[Key], OwnKeys) = (
    &[ROOT, PATH, PATH_BYTES],
    alone(&[LINE, COLUMN, SPAN, SLOT, TEXT, TARGET, PROBLEM, REASON, SOURCE, FILE_IF_KNOWN]),
);

/// Those of `check --list-external`.
pub(crate) const OF_EXTERNAL: (&[Key], OwnKeys) =
    (&[ROOT, PATH, PATH_BYTES, RECORD], alone(&[LINE, COLUMN, SPAN, SLOT, TEXT]));

/// Returns keys of which none is kept from one reference to the next.
const fn alone(keys: &'static [Key]) -> OwnKeys {
    [&[], keys, &[], &[], &[], &[]]
}

/// Returns the keys of a reference, without those of its document.
const fn own(finding: &Finding) -> OwnKeys {
    const PLACE: &[Key] = &[LINE, COLUMN, SPAN, SPAN_EXACT];
    match finding {
        Finding::Listed { .. } => [
            &[PART, EMBEDDED],
            PLACE,
            &[SLOT, KIND],
            &[TEXT],
            &[BASE, BASE_SOURCE],
            &[TARGET, OTHER_TARGET, READING],
        ],
        Finding::Converted { .. } => [
            &[PART, EMBEDDED],
            PLACE,
            &[SLOT, KIND],
            &[TEXT, NEW_TEXT, TARGET],
            &[BASE, BASE_SOURCE],
            &[OUTCOME, REASON, FAILED],
        ],
        Finding::Problem { .. } => {
            [&[], &[LINE, COLUMN, SPAN], &[SLOT], &[TEXT, TARGET, FILE, PROBLEM, REASON], &[], &[]]
        }
    }
}

impl<'k> Keyed<'k> {
    /// A reference with its document.
    pub(crate) fn whole(place: &'k DocumentPlace, reference: &'k ReferenceDetail) -> Self {
        Keyed { place, reference, keys: (OF_DOCUMENT, own(&reference.finding)) }
    }

    fn entries(self) -> impl Iterator<Item = (&'static Key, Value<'k>)> {
        let (of_document, own) = self.keys;
        let keys = of_document.iter().chain(own.into_iter().flatten());
        keys.map(move |key| (key, (key.value)(self.place, self.reference)))
            .filter(|(_, value)| !matches!(value, Value::Absent))
    }
}

/// The lines of JSON of the references in one document.
pub(crate) struct Lines {
    place: DocumentPlace,
    /// The start of each: the keys of the document.
    start: Vec<u8>,
    /// What the last reference may have in common with the next one, and the keys of that as JSON.
    common: Option<Common>,
    json: [Vec<u8>; 3],
}

/// The values that most references have in common with the one before.
#[derive(PartialEq, Eq)]
struct Common {
    finding: Discriminant<Finding>,
    part: Option<String>,
    embedded: Vec<EmbeddedPlace>,
    slot: Cow<'static, str>,
    kind: Kind,
    base: Option<Arc<str>>,
    base_source: BaseSource,
}

impl Common {
    fn of(reference: &ReferenceDetail) -> Self {
        let ReferenceDetail { part, embedded, slot, kind, base, base_source, finding, .. } =
            reference;
        Common {
            finding: mem::discriminant(finding),
            part: part.clone(),
            embedded: embedded.clone(),
            slot: slot.clone(),
            kind: *kind,
            base: base.clone(),
            base_source: *base_source,
        }
    }

    fn is_of(&self, reference: &ReferenceDetail) -> bool {
        self.kind == reference.kind
            && self.base_source == reference.base_source
            && self.finding == mem::discriminant(&reference.finding)
            && self.slot == reference.slot
            && self.base == reference.base
            && self.part == reference.part
            && self.embedded == reference.embedded
    }
}

impl Lines {
    pub(crate) fn new(place: DocumentPlace) -> Self {
        Lines::after("", place)
    }

    /// Those of records of this type.
    pub(crate) fn of_type(name: &str, place: DocumentPlace) -> Self {
        Lines::after(&format!(",\"type\":\"{name}\""), place)
    }

    fn after(first: &str, place: DocumentPlace) -> Self {
        let mut start = first.as_bytes().to_vec();
        append_keys(OF_DOCUMENT, &place, &ReferenceDetail::default(), &mut start);
        // In place of the first comma.
        start.iter_mut().take(1).for_each(|first| *first = b'{');
        Lines { place, start, common: None, json: [const { Vec::new() }; 3] }
    }

    /// Appends the line of a reference, as [`messages::append_json`] would, which would take a
    /// third more time than the search for references.
    pub(crate) fn append(&mut self, reference: &ReferenceDetail, out: &mut Vec<u8>) {
        let [common, place, slot, text, base, rest] = own(&reference.finding);
        if !self.common.as_ref().is_some_and(|common| common.is_of(reference)) {
            self.common = Some(Common::of(reference));
            for (json, keys) in self.json.iter_mut().zip([common, slot, base]) {
                json.clear();
                append_keys(keys, &self.place, reference, json);
            }
        }
        out.extend_from_slice(&self.start);
        for (json, keys) in self.json.iter().zip([place, text, rest]) {
            out.extend_from_slice(json);
            append_keys(keys, &self.place, reference, out);
        }
        out.extend_from_slice(b"}\n");
    }
}

fn append_keys(
    keys: &[Key],
    place: &DocumentPlace,
    reference: &ReferenceDetail,
    out: &mut Vec<u8>,
) {
    keys.iter().for_each(|key| (key.append)(place, reference, out));
}

impl Serialize for Keyed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.entries().try_for_each(|(key, value)| map.serialize_entry(key.name, &value))?;
        map.end()
    }
}

impl Serialize for ReferenceDetail {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let place = &DocumentPlace::default();
        Keyed { place, reference: self, keys: (&[], own(&self.finding)) }.serialize(serializer)
    }
}
