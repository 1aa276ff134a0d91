//! The options of each command as one value, which the command line fills, a caller of the library
//! builds, and the record of a run keeps.

mod check;
mod convert;
pub(crate) mod excludes;
mod pack;
mod relativize;
mod relocate;
mod tree;
mod unpack;

use urlcore::{Dialect, Reference};

pub use self::check::CheckOptions;
pub use self::convert::{ConvertOptions, MemberOptions};
pub use self::pack::PackOptions;
pub use self::relativize::{RelativizeOptions, Target};
pub use self::relocate::MoveOptions;
pub use self::tree::TreeOptions;
pub use self::unpack::UnpackOptions;

/// Returns aliases of a URL. Commas separate several in one value, where another URL begins after
/// them: a URL may contain others.
pub(super) fn aliases(values: &[String]) -> Vec<String> {
    let mut aliases: Vec<String> = Vec::new();
    for value in values {
        for (idx, part) in value.split(',').enumerate() {
            match aliases.last_mut() {
                Some(last)
                    if idx > 0 && Reference::split(part, Dialect::Web).scheme().is_none() =>
                {
                    last.push(',');
                    last.push_str(part);
                }
                _ => aliases.push(part.to_owned()),
            }
        }
    }
    aliases
}

/// Makes the methods of some types that set a field: `name: true => field` sets it to true,
/// `Option<T>` and `Vec<T>` to a value or one more value that becomes a `T`, and another type to a
/// value.
macro_rules! setters {
    ($first:ident, $($others:ident),+ $methods:tt) => {
        setters!($first $methods);
        setters!($($others),+ $methods);
    };
    ($options:ident {
        $($(#[$doc:meta])* $name:ident: $kind:tt $(<$of:ty>)? => $($field:ident).+;)+
    }) => {
        impl $options {
            $(setters!(@ $(#[$doc])* $name $kind $(<$of>)? $($field).+);)+
        }
    };
    (@ $(#[$doc:meta])* $name:ident true $($field:ident).+) => {
        $(#[$doc])*
        pub fn $name(mut self) -> Self {
            self.$($field).+ = true;
            self
        }
    };
    (@ $(#[$doc:meta])* $name:ident Option<$of:ty> $($field:ident).+) => {
        $(#[$doc])*
        pub fn $name(mut self, value: impl Into<$of>) -> Self {
            self.$($field).+ = Some(value.into());
            self
        }
    };
    (@ $(#[$doc:meta])* $name:ident Vec<$of:ty> $($field:ident).+) => {
        $(#[$doc])*
        pub fn $name(mut self, value: impl Into<$of>) -> Self {
            self.$($field).+.push(value.into());
            self
        }
    };
    (@ $(#[$doc:meta])* $name:ident $of:ident $($field:ident).+) => {
        $(#[$doc])*
        pub fn $name(mut self, value: $of) -> Self {
            self.$($field).+ = value;
            self
        }
    };
}

pub(in crate::plan) use setters;

setters!(CheckOptions, RelativizeOptions {
    /// Adds an alias of the URL of the tree, such as the same one with `https`.
    same_as: Vec<String> => member.same_as;
    /// Adds a name of index files, besides `index.html`.
    index: Vec<String> => member.index;
    /// Finds `about.html` for `about` and `about/`, as many servers do. In a mirror, this is the
    /// default.
    clean_urls: true => member.clean_urls;
    /// Finds no URLs under another scheme or host. By default, a URL that a mirror does not have is
    /// in it if the mirror has the same one with the other of `http` and `https`, or with or
    /// without `www.`.
    no_twins: true => member.no_twins;
});

#[cfg(test)]
mod tests {
    use super::aliases;

    #[test]
    fn urls_may_contain_commas() {
        let of = |value: &str| aliases(&[value.to_owned(), "http://z/".to_owned()]).join(" ");
        assert_eq!(of("http://a/,https://a/"), "http://a/ https://a/ http://z/");
        assert_eq!(of("http://a/b,c/,https://a/,"), "http://a/b,c/ https://a/, http://z/");
    }
}
