//! The style in which a reference is to be written, and what its base is to the document.
//!
//! Sections: RFC 3986 4.2 and 4.4; RFC 2396 4.2.

/// The style in which a reference is to be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Style {
    /// With its scheme: `http://h/a/b`.
    Absolute,
    /// As a network-path reference, `//h/a/b`, where the schemes are the same.
    NetworkPath,
    /// As an absolute-path reference, `/a/b`, where the authorities are the same too.
    AbsolutePath,
    /// As a relative-path reference, `../b`, or a same-document one, `#s`.
    #[default]
    Relative,
    /// The shorter of the last two.
    Shortest,
}

impl Style {
    /// All styles, with their names on command lines.
    pub const ALL: [(&'static str, Style); 5] = [
        ("absolute", Style::Absolute),
        ("network-path", Style::NetworkPath),
        ("absolute-path", Style::AbsolutePath),
        ("relative", Style::Relative),
        ("shortest", Style::Shortest),
    ];
}

/// The relation of a base to the document that contains the references.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BaseIs {
    /// The base is the URL of the document. `""` and `#s`, which mean the document itself, can be
    /// written.
    #[default]
    Document,
    /// The base is another URL, as from `<BASE>` or `Content-Base`, or this is not known: every
    /// reference gets a path or a query. By the letter of 1996 and RFC 2396 (4.2) `""` and `#s`
    /// never use the base; readers of other dialects differ.
    Other,
}
