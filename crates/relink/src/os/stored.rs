//! Values of options in records of runs, for fields with `#[serde(with = "stored")]`: what JSON has
//! no form of.
//!
//! A path or text that is UTF-8 is a string; of another one, an object has the bytes in base64:
//! `{"base64": "…"}`. A choice has its name on the command line.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use layers::base64;
use rewrite::{BaseElement, Engine, Missing, MoveStyle, Profile, Verify, XmlBase};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Map;
pub use serde_json::Value;
use urlcore::{Dialect, Style};

use crate::os::paths::os_str;

/// The key of bytes that are not UTF-8.
const BASE64: &str = "base64";

/// A value that can be stored.
pub trait Stored: Sized {
    /// Returns the value as JSON.
    fn store(&self) -> Value;

    /// Returns the value that was stored.
    fn restore(value: &Value) -> Option<Self>;
}

/// Stores a field.
pub fn serialize<T: Stored, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    value.store().serialize(to)
}

/// Restores a field.
pub fn deserialize<'de, T: Stored, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    let value = Value::deserialize(from)?;
    T::restore(&value).ok_or_else(|| Error::custom("not a value of this option"))
}

/// Returns a text as JSON.
pub fn store_text(text: &OsStr) -> Value {
    match text.to_str() {
        Some(text) => text.into(),
        None => {
            let encoded = base64::encode(text.as_encoded_bytes());
            let encoded: String = encoded.into_iter().map(char::from).collect();
            Value::Object(Map::from_iter([(BASE64.to_owned(), encoded.into())]))
        }
    }
}

/// Returns the text that was stored.
pub fn restore_text(value: &Value) -> Option<OsString> {
    match value {
        Value::String(text) => Some(text.into()),
        Value::Object(bytes) => {
            let encoded = bytes.get(BASE64)?.as_str()?;
            os_str(&base64::decode(encoded.as_bytes()).bytes).map(OsStr::to_owned)
        }
        _ => None,
    }
}

impl Stored for OsString {
    fn store(&self) -> Value {
        store_text(self)
    }

    fn restore(value: &Value) -> Option<Self> {
        restore_text(value)
    }
}

impl Stored for PathBuf {
    fn store(&self) -> Value {
        store_text(self.as_os_str())
    }

    fn restore(value: &Value) -> Option<Self> {
        restore_text(value).map(PathBuf::from)
    }
}

impl<T: Stored> Stored for Option<T> {
    fn store(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::store)
    }

    fn restore(value: &Value) -> Option<Self> {
        if value.is_null() { Some(None) } else { T::restore(value).map(Some) }
    }
}

impl<T: Stored> Stored for Vec<T> {
    fn store(&self) -> Value {
        self.iter().map(T::store).collect()
    }

    fn restore(value: &Value) -> Option<Self> {
        value.as_array()?.iter().map(T::restore).collect()
    }
}

impl<T: Stored> Stored for (T, T) {
    fn store(&self) -> Value {
        Value::Array(vec![self.0.store(), self.1.store()])
    }

    fn restore(value: &Value) -> Option<Self> {
        let [one, other] = &**value.as_array()? else { return None };
        Some((T::restore(one)?, T::restore(other)?))
    }
}

/// Stores choices by their names, of which the second argument lists all.
macro_rules! by_name {
    ($($choice:ty: $names:expr;)+) => {$(
        impl Stored for $choice {
            fn store(&self) -> Value {
                let is_own = |name: &&str| name.parse() == Ok(*self);
                $names.into_iter().find(is_own).map_or(Value::Null, Value::from)
            }

            fn restore(value: &Value) -> Option<Self> {
                value.as_str()?.parse().ok()
            }
        }
    )+};
}

by_name! {
    BaseElement: BaseElement::NAMES.iter().copied();
    Dialect: Dialect::ALL.iter().map(|dialect| dialect.name());
    Engine: Engine::NAMES.iter().copied();
    Missing: Missing::NAMES.iter().copied();
    MoveStyle: MoveStyle::NAMES.iter().copied();
    Profile: Profile::ALL.map(|(name, _)| name);
    Verify: Verify::NAMES.iter().copied();
    XmlBase: XmlBase::NAMES.iter().copied();
}

impl Stored for Style {
    fn store(&self) -> Value {
        let name = Style::ALL.into_iter().find(|(_, style)| style == self);
        name.map_or(Value::Null, |(name, _)| name.into())
    }

    fn restore(value: &Value) -> Option<Self> {
        let found = Style::ALL.into_iter().find(|(name, _)| value == name);
        found.map(|(_, style)| style)
    }
}
