//! The types of records.

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
