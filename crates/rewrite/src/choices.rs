//! Enums whose variants are chosen by a word on the command line.

/// The error for a word that is not among the choices.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
#[error("expected one of {}", .0.join(", "))]
pub struct ParseChoiceError(pub(crate) &'static [&'static str]);

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
