//! Choices that are made by a word of the command line.

use std::fmt;

/// A word that is none of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownWord(pub(crate) &'static [&'static str]);

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected one of {}", self.0.join(", "))
    }
}

impl std::error::Error for UnknownWord {}

/// Lets the variants of an enum be read from words: `words!(Engine { "auto" => Auto, … })`.
macro_rules! words {
    ($choice:ident { $($word:literal => $variant:ident),+ $(,)? }) => {
        impl $choice {
            /// The words of the command line, in order.
            pub const NAMES: &[&str] = &[$($word),+];
        }

        impl std::str::FromStr for $choice {
            type Err = $crate::words::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                match word {
                    $($word => Ok($choice::$variant),)+
                    _ => Err($crate::words::UnknownWord($choice::NAMES)),
                }
            }
        }
    };
}

pub(crate) use words;
