//! The type of a record, and the fields of its header section, in one text: most records are read
//! for the value of a few fields.

use std::borrow::Cow;

/// A field of the header section of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordField<'f> {
    /// Its name, as it is written.
    pub name: &'f str,
    /// Its value, without the white space around it; continued lines are joined with a space, and
    /// bytes that are not UTF-8 are replaced.
    pub value: &'f str,
}

/// The fields of the header section of a record, in order.
///
/// # Examples
///
/// ```
/// let file = b"WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
/// let mut reader = relink_warc::Reader::new(&file[..]);
/// let header = reader.next_record().unwrap()?.header().clone();
/// let names: Vec<&str> = header.fields.iter().map(|field| field.name).collect();
/// assert_eq!(names, ["WARC-Type", "Content-Length"]);
/// # Ok::<(), relink_warc::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// The names and values, one after another.
    text: String,
    /// The end of each name, and of the value after it.
    ends: Vec<(usize, usize)>,
}

impl Fields {
    /// Creates fields with room for this number of bytes, and for usually many fields.
    pub(crate) fn with_capacity(n_bytes: usize) -> Self {
        Fields { text: String::with_capacity(n_bytes), ends: Vec::with_capacity(16) }
    }

    /// Adds a field.
    pub(crate) fn push(&mut self, name: &[u8], value: &[u8]) {
        self.text.push_str(&as_text(name));
        let name_end = self.text.len();
        self.text.push_str(&as_text(value));
        self.ends.push((name_end, self.text.len()));
    }

    /// Adds a line to the value of the last field. Returns false if there is none.
    pub(crate) fn continue_last(&mut self, line: &[u8]) -> bool {
        let Some((_, end)) = self.ends.last_mut() else { return false };
        self.text.push(' ');
        self.text.push_str(&as_text(line));
        *end = self.text.len();
        true
    }

    /// Returns the number of fields.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the fields, in order.
    pub fn iter(&self) -> impl Iterator<Item = RecordField<'_>> {
        let mut start = 0;
        self.ends.iter().map(move |&(name_end, end)| {
            let field =
                RecordField { name: &self.text[start..name_end], value: &self.text[name_end..end] };
            start = end;
            field
        })
    }

    /// Returns the values of all fields with this name, ignoring case.
    pub fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        let is_named = move |field: &RecordField<'_>| field.name.eq_ignore_ascii_case(name);
        self.iter().filter(is_named).map(|field| field.value)
    }
}

/// Returns bytes as text. Most are UTF-8.
fn as_text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

/// The type of a record (WARC 1.1, section 6; ISO 28500:2017).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RecordType {
    /// `warcinfo`: a description of the records after it. In ARC, the first record.
    Warcinfo,
    /// `response`: a complete response, for `http` with its header section.
    Response,
    /// `resource`: a resource without the protocol that transferred it.
    Resource,
    /// `request`: a request.
    Request,
    /// `metadata`: a description of another record.
    Metadata,
    /// `revisit`: a resource that was the same as in an earlier record.
    Revisit,
    /// `conversion`: another version of the content of another record.
    Conversion,
    /// `continuation`: a further segment of a record.
    Continuation,
    /// Another type, or none.
    Other,
}

impl RecordType {
    /// All types with a name.
    pub const ALL: [RecordType; 8] = [
        RecordType::Warcinfo,
        RecordType::Response,
        RecordType::Resource,
        RecordType::Request,
        RecordType::Metadata,
        RecordType::Revisit,
        RecordType::Conversion,
        RecordType::Continuation,
    ];

    /// Returns its name in WARC; `other` for a type without one.
    pub const fn name(self) -> &'static str {
        match self {
            RecordType::Warcinfo => "warcinfo",
            RecordType::Response => "response",
            RecordType::Resource => "resource",
            RecordType::Request => "request",
            RecordType::Metadata => "metadata",
            RecordType::Revisit => "revisit",
            RecordType::Conversion => "conversion",
            RecordType::Continuation => "continuation",
            RecordType::Other => "other",
        }
    }

    /// Returns the type with a name, ignoring case.
    pub fn from_name(name: &str) -> Self {
        let is_it = |one: &RecordType| one.name().eq_ignore_ascii_case(name);
        RecordType::ALL.into_iter().find(is_it).unwrap_or(RecordType::Other)
    }
}
