//! Builder methods of the options, one for each field, and enums of words.
//!
//! Enums whose variants are chosen by a word on the command line.

use basectx::message::Profile;
use urlcore::Dialect;

use crate::options::clock::Clock;
use crate::options::extras::Extras;
use crate::options::limits::Limits;
use crate::options::{Engine, Filter, Integrity, Mail, OptIn, Options, Verify, XmlBase};

/// Implements builder methods, each of which returns the value with another value of one field.
macro_rules! builder {
    ($options:ident { $($method:ident: $field:ident: $value:ty),+ $(,)? }) => {
        impl $options {
            $(
                #[doc = concat!("Returns the same with another value of [`", stringify!($field),
                    "`](Self::", stringify!($field), ").")]
                #[must_use]
                pub fn $method(mut self, $field: $value) -> Self {
                    self.$field = $field;
                    self
                }
            )+
        }
    };
}

pub(crate) use builder;

builder!(Options {
    with_engine: engine: Engine,
    with_dialect: dialect: Dialect,
    with_xml_base: xml_base: XmlBase,
    with_extras: extras: Extras,
    with_opt_in: opt_in: OptIn,
    with_filter: filter: Filter,
    with_verify: verify: Verify,
    with_mail: mail: Mail,
    with_lists_incidents: lists_incidents: bool,
    with_lists_references: lists_references: bool,
    with_lists_outside_loads: lists_outside_loads: bool,
    with_resolves_uses_here: resolves_uses_here: bool,
    with_integrity: integrity: Integrity,
    with_limits: limits: Limits,
    with_clock: clock: Clock,
});

builder!(OptIn {
    with_ids: ids: bool,
    with_templates: templates: bool,
    with_text: text: bool,
    with_markdown: markdown: bool,
    with_ssi: ssi: bool,
    with_js_modules: js_modules: bool,
    with_script_templates: script_templates: bool,
    with_formulas: formulas: bool,
});

builder!(Mail {
    with_profile: profile: Profile,
    with_breaks_signatures: breaks_signatures: bool,
    with_keeps_dkim: keeps_dkim: bool,
});

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
            type Err = $crate::options::builder::ParseChoiceError;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                match word {
                    $($word => Ok($choice::$variant),)+
                    _ => Err($crate::options::builder::ParseChoiceError($choice::NAMES)),
                }
            }
        }
    };
}

pub(crate) use choices;
