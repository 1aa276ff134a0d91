//! The options that errors name: a caller of the library reads the methods that set them, and the
//! command line prints what is typed.
//!
//! Texts are written as the command line prints them, which is the alternate form of an error,
//! `{:#}`. Only these texts are converted: the value of a `{}`, such as a path, stays as it is.

use std::fmt;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// The options whose methods have other names.
const METHODS: [(&str, &str); 6] = [
    ("for file", "for_files"),
    ("for static-host", "for_static_host"),
    ("o", "output"),
    ("rename", "name_files"),
    ("type", "media_type"),
    ("unwrap", "unwrap_wayback"),
];

/// An option in a text, or the part of a text that names options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text(pub &'static str);

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, self.0, &[])
    }
}

/// An option by its name in records of runs, such as `in_place`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named(pub &'static str);

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, &format!("--{}", self.0.replace('_', "-")), &[])
    }
}

/// Writes a text with a value for each `{}`.
///
/// # Errors
///
/// Those of the formatter.
pub fn write(f: &mut fmt::Formatter<'_>, text: &str, values: &[&dyn fmt::Display]) -> fmt::Result {
    let methods = (!f.alternate()).then(|| with_methods(text));
    let mut pieces = methods.as_deref().unwrap_or(text).split("{}");
    f.write_str(pieces.next().unwrap_or_default())?;
    pieces.zip(values).try_for_each(|(piece, value)| {
        value.fmt(f)?;
        f.write_str(piece)
    })
}

/// Returns a text with a method for each option: `base` for `--base URL`.
fn with_methods(text: &str) -> String {
    static OPTION: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(`?)\B--?(for file|for static-host|[a-z][a-z-]*)((?: [A-Z=]+)?`)?").ok()
    });
    let quoted = |found: &Captures<'_>| {
        let option = &found[2];
        let other = METHODS.iter().find(|(name, _)| *name == option);
        let method = other.map_or_else(|| option.replace('-', "_"), |(_, method)| (*method).into());
        // The value after the method is in the quotes too: `missing keep` for `--missing keep`.
        let has_value = !found[1].is_empty() && found.get(3).is_none();
        format!("`{method}{}", if has_value { "" } else { "`" })
    };
    OPTION.as_ref().map_or_else(|| text.to_owned(), |regex| regex.replace_all(text, quoted).into())
}

/// Implements `Display` of an error: a text for each variant, with the values of its `{}`.
macro_rules! texts {
    ($error:ident { $($variant:pat => $text:literal $(, $value:expr)*;)+ }) => {
        impl ::std::fmt::Display for $error {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    $($variant => $crate::os::option_names::write(f, $text, &[$(&$value),*]),)+
                }
            }
        }

        #[cfg(test)]
        impl $error {
            /// Each text with the number of its values.
            pub(crate) const TEXTS: &[(&str, usize)] =
                &[$(($text, <[&str]>::len(&[$(stringify!($value)),*]))),+];
        }
    };
}

pub(crate) use texts;
