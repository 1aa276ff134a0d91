//! Attributes that are not slots, but are named by `--also data-src`.

use std::borrow::Cow;

use crate::slots::SlotId;

/// The attributes named by the user.
///
/// # Examples
///
/// ```
/// use relink_rewrite::{Context, Extras, Media, Options, Unit, references};
///
/// let mut extras = Extras::default();
/// extras.add("img[data-src]");
/// let options = Options::default().with_extras(extras);
/// let context = Context::retrieval("http://h/a".parse()?, "test");
/// let unit = Unit::new(b"<img data-src=b>", Media::HTML, &context);
/// let mut names = Vec::new();
/// references(unit, &options, |site| names.push(site.slot_name().to_owned()));
/// assert_eq!(names, ["img[data-src]"]);
/// # Ok::<(), relink_rewrite::BaseError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Extras {
    pub(crate) attributes: Vec<Extra>,
}

/// One attribute, in lower case.
#[derive(Clone, Debug)]
pub(crate) struct Extra {
    pub(crate) attribute: String,
    /// The element, if it is not any element.
    element: Option<String>,
    /// The name in reports: `*[data-src]`.
    slot: String,
}

/// The attributes of lazy loaders, according to their documentation.
#[rustfmt::skip]
const LAZY: [&str; 28] = [
    // lazysizes 5, with its plugins unveilhooks, bgset and blur-up.
    "data-src", "data-srcset", "data-bg", "data-bgset", "data-poster", "data-lowsrc", "data-script", "data-link",
    // vanilla-lazyload 19.
    "data-bg-hidpi", "data-bg-multi", "data-bg-multi-hidpi", "data-bg-set",
    // Lazy Load 1.9 for jQuery, unveil.js, layzr.js, echo.js.
    "data-original", "data-src-retina", "data-normal", "data-retina", "data-echo", "data-echo-background",
    // lozad.js 1.
    "data-background-image", "data-background-image-set", "data-iesrc",
    // Slick 1.8, Swiper 8, Flickity 2.
    "data-lazy", "data-background", "data-flickity-lazyload", "data-flickity-bg-lazyload",
    // WP Rocket and Jetpack for WordPress.
    "data-lazy-src", "data-lazy-srcset", "data-lazy-bg",
];

/// The attributes of htmx 2 that contain URLs (htmx.org, "attribute reference"), and their `data-`
/// variants.
#[rustfmt::skip]
const HTMX: [&str; 14] = [
    "hx-get", "hx-post", "hx-put", "hx-patch", "hx-delete", "hx-push-url", "hx-replace-url",
    "data-hx-get", "data-hx-post", "data-hx-put", "data-hx-patch", "data-hx-delete", "data-hx-push-url", "data-hx-replace-url",
];

impl Extras {
    /// The names of groups of attributes, with their attributes.
    pub const PRESETS: [(&'static str, &'static [&'static str]); 2] =
        [("lazy", &LAZY), ("htmx", &HTMX)];

    /// Adds the attributes of the group `name`. Returns false if it is not one of
    /// [`Self::PRESETS`].
    pub fn add_preset(&mut self, name: &str) -> bool {
        let preset = Self::PRESETS.iter().find(|(known, _)| *known == name);
        preset.iter().flat_map(|(_, names)| names.iter()).for_each(|name| self.add(name));
        preset.is_some()
    }

    /// Adds an attribute of any element, `data-src` or `[data-src]`, or of one element,
    /// `img[data-src]`.
    pub fn add(&mut self, name: &str) {
        let name = name.to_ascii_lowercase();
        let (element, attribute) =
            match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
                Some(("", attribute)) => (None, attribute.to_owned()),
                Some((element, attribute)) => (Some(element.to_owned()), attribute.to_owned()),
                None => (None, name),
            };
        let slot = format!("{}[{attribute}]", element.as_deref().unwrap_or("*"));
        if !self.attributes.iter().any(|known| known.slot == slot) {
            self.attributes.push(Extra { attribute, element, slot });
        }
    }

    /// Returns the index of an attribute by the names of element and attribute, ignoring letter
    /// case.
    pub(crate) fn find(&self, element: &[u8], attribute: &[u8]) -> Option<usize> {
        self.attributes.iter().position(|extra| {
            extra.attribute.as_bytes().eq_ignore_ascii_case(attribute)
                && (extra.element.as_ref())
                    .is_none_or(|name| name.as_bytes().eq_ignore_ascii_case(element))
        })
    }

    /// Returns the number of attributes.
    pub(crate) fn len(&self) -> usize {
        self.attributes.len()
    }

    /// Returns true if an attribute of this name, in lower case, was added for any element.
    pub fn has(&self, attribute: &str) -> bool {
        self.attributes.iter().any(|extra| extra.attribute == attribute)
    }

    /// Returns true if no attribute was added.
    pub(crate) fn is_empty(&self) -> bool {
        self.attributes.is_empty()
    }

    /// Returns the name of a slot as [`name_of`](Self::name_of) does, to keep it: only that of an
    /// attribute that was added is copied.
    pub fn kept_name_of(&self, slot: SlotId) -> Cow<'static, str> {
        match slot.row() {
            Ok(row) => Cow::Borrowed(row.name),
            Err(_) => Cow::Owned(self.name_of(slot).to_owned()),
        }
    }

    /// Returns the name of a slot in reports: `a[href]`, `*[data-src]`.
    pub fn name_of(&self, slot: SlotId) -> &str {
        match slot.row() {
            Ok(row) => row.name,
            Err(idx) => self.attributes.get(idx).map_or("", |extra| &extra.slot),
        }
    }
}
