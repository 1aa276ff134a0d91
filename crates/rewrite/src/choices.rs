//! Enums whose variants are chosen by a word on the command line.

use std::fmt;

/// The error for a word that is not among the choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseChoiceError(pub(crate) &'static [&'static str]);

impl fmt::Display for ParseChoiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected one of {}", self.0.join(", "))
    }
}

impl std::error::Error for ParseChoiceError {}

/// Implements parsing of an enum from words: `choices!(Engine { "auto" => Auto, … })`.
macro_rules! choices {
    ($choice:ident { $($word:literal => $variant:ident),+ $(,)? }) => {
        impl $choice {
            /// The words of the command line, in order.
            pub const NAMES: &[&str] = &[$($word),+];
        }

        impl std::str::FromStr for $choice {
            type Err = $crate::choices::ParseChoiceError;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                match word {
                    $($word => Ok($choice::$variant),)+
                    _ => Err($crate::choices::ParseChoiceError($choice::NAMES)),
                }
            }
        }
    };
}

pub(crate) use choices;
