//! The step from the attributes of a tag to values, by the table of slots. Both engines use it.

use std::borrow::Cow;

use basectx::html::Namespace;
use layers::{Charset, Layer, Span, charref};
use memchr::{memchr, memmem};

use super::conditions;
use super::conditions::{decided_by_tag, has_module_type, is_decided_by_tag, is_loaded_later};
use super::index::{self, AttributeRows, Key, TextOf};
use super::lex::{Attribute, Tag};
use urlcore::{Dialect, is_absolute_for_any_base};

use crate::format::extra::Reading;
use crate::format::found::{Against, Delimiters, Found, Value, ValueEncoding};
use crate::format::json::schema_org;
use crate::options::Integrity;
use crate::options::extras::Extras;
use crate::report::skip::SkipReason;
use crate::slots::{JsonType, Slot, SlotId, Syntax, Test};

/// Adds the values of a start tag to `found`, in source order.
pub(super) fn collect(
    input: &[u8],
    tag: &Tag,
    namespace: Namespace,
    extras: &Extras,
    found: &mut Found,
) {
    let codebase = match tag.key {
        Key::OBJECT | Key::APPLET if namespace == Namespace::Html => codebase(input, tag, found),
        _ => None,
    };
    // The numbers of the attributes seen so far; only the first of each name counts.
    let (mut seen, mut seen_extras) = (0_u128, Vec::new());
    for attribute in &tag.attributes {
        let mut row = None;
        if let Some(group) = index::group(attribute.key, attribute.name.slice(input)) {
            let bit = 1 << group.number;
            if seen & bit != 0 {
                continue;
            }
            seen |= bit;
            row = row_of(group, input, tag, namespace);
        }
        if let Some((id, slot)) = row {
            let Some(value) = value(input, attribute, id, slot, codebase) else { continue };
            found.values.push(value);
            if is_decided_by_tag(id)
                && let Some(value) = found.values.last_mut()
            {
                let moment;
                (value.fetch, moment) = decided_by_tag(id, tag.key, &|name| text(input, tag, name));
                moment.into_iter().for_each(|moment| value.set_moment(moment));
            }
        } else if !extras.is_empty() {
            extra(input, tag, attribute, extras, &mut seen_extras, found);
        }
    }
}

/// Adds the conditions on what the element of a start tag loads to its values, those from number
/// `n_before` on.
#[cold]
pub(super) fn add_conditions(
    input: &[u8],
    tag: &Tag,
    integrity: Integrity,
    n_before: usize,
    found: &mut Found,
) {
    let n_values = found.values.len();
    for attribute in tag.attributes.iter().filter(|it| conditions::is_one(it.key)) {
        found.values.extend(condition(input, tag, attribute, integrity));
    }
    if found.values.len() > n_values {
        found.values[n_before..].sort_by_key(|value| value.span.start);
        conditions::pair(&mut found.values, n_before);
    }
}

/// Returns the value of a condition on what the element loads.
fn condition(
    input: &[u8],
    tag: &Tag,
    attribute: &Attribute,
    integrity: Integrity,
) -> Option<Value> {
    let Attribute { name, key, value, quote } = *attribute;
    let slot = conditions::slot_if(integrity, tag.key, key, &|name| text(input, tag, name))?;
    match integrity {
        Integrity::Remove => Some(conditions::name(name, slot)),
        _ if value.is_empty() => None,
        _ => Some(Value::attribute(value, quote, slot, Syntax::Url, Against::Base)),
    }
}

fn row_of(
    group: &AttributeRows,
    input: &[u8],
    tag: &Tag,
    namespace: Namespace,
) -> Option<(SlotId, &'static Slot)> {
    let row_of = |element: Key| {
        group
            .rows(namespace, element)
            .find(|(_, slot)| passes(slot.test, &|name| text(input, tag, name)))
    };
    row_of(tag.key).or_else(|| {
        // The tree builder treats `<image>` as `img` (HTML standard 13.2.6.4.7).
        let is_image = namespace == Namespace::Html && tag.key == Key::IMAGE;
        is_image.then(|| row_of(Key::IMG)).flatten()
    })
}

#[inline(always)]
fn value(
    input: &[u8],
    attribute: &Attribute,
    id: SlotId,
    slot: &Slot,
    codebase: Option<u32>,
) -> Option<Value> {
    let raw = attribute.value.slice(input);
    if slot.syntax == Syntax::Declarations && !may_hold_url(raw) {
        return None;
    }
    let against = match codebase {
        Some(idx) if slot.is_on_codebase => Against::Codebase(idx),
        _ if id == SlotId::BASE_HREF => Against::Fallback,
        // The tag of the document is before any base; a later one gives its attributes to it.
        _ if id == SlotId::HTML_MANIFEST => Against::Fallback,
        _ => Against::Base,
    };
    Some(Value::attribute(attribute.value, attribute.quote, id, slot.syntax, against))
}

/// Returns true if a CSS text may contain a reference: only with a function or an `@import`, and
/// either may be written with a character reference.
pub(crate) fn may_hold_url(raw: &[u8]) -> bool {
    memchr::memchr3(b'(', b'@', b'&', raw).is_some()
}

/// Adds the values of an attribute that is not a slot but is named by `--also`; `seen` contains the
/// numbers of those seen so far.
fn extra(
    input: &[u8],
    tag: &Tag,
    attribute: &Attribute,
    extras: &Extras,
    seen: &mut Vec<bool>,
    found: &mut Found,
) {
    let Some(idx) = extras.find(tag.name.slice(input), attribute.name.slice(input)) else { return };
    seen.resize(extras.len(), false);
    if std::mem::replace(&mut seen[idx], true) {
        return;
    }
    let Attribute { value: span, quote, .. } = *attribute;
    let text =
        charref::decode(span.slice(input), Charset::WIDENED, charref::CharrefPlace::Attribute).text;
    match extras.reading(idx, &text) {
        Reading::As(syntax) => {
            let id = SlotId::of_extra(idx);
            let delimiters = Delimiters::of_extra(extras, idx);
            let value = Value::attribute(span, quote, id, syntax, Against::Base);
            found.values.push(Value { delimiters, ..value });
        }
        Reading::Json => found.skipped.push((SkipReason::JsonValue, span.start)),
        Reading::Switch => {}
    }
}

/// Adds the `codebase` of an `object` or `applet`. Returns its number.
fn codebase(input: &[u8], tag: &Tag, found: &mut Found) -> Option<u32> {
    let attribute = tag.attribute(Key::CODEBASE)?;
    is_codebase(&|name| text(input, tag, name)).then_some(())?;
    found.add_codebase(attribute.value, Layer::Attribute(attribute.quote), Against::Base)
}

/// Returns true if a `codebase` is the base of other attributes of its element. With a `classid` of
/// the scheme `clsid` it is the URL of an installer.
pub(crate) fn is_codebase(text: &TextOf<'_>) -> bool {
    let is_installer = text(Key::CLASSID).is_some_and(|classid| {
        classid.trim_start().get(..6).is_some_and(|start| start.eq_ignore_ascii_case("clsid:"))
    });
    let is_empty = || text(Key::CODEBASE).is_none_or(|codebase| codebase.trim().is_empty());
    !is_installer && !is_empty()
}

/// Returns true if the `src` of an image may be loaded later than it is parsed: when it becomes
/// visible, or in place of a candidate.
pub(super) fn may_load_later(input: &[u8], tag: &Tag) -> bool {
    is_loaded_later(&|name| text(input, tag, name))
}

/// Returns the slot of an attribute of XHTML, SVG or MathML in XML, where names are case-sensitive.
pub(crate) fn slot_of(
    namespace: Namespace,
    element: &str,
    attribute: &str,
    text: &TextOf<'_>,
) -> Option<(SlotId, &'static Slot)> {
    let group = index::group(Key::new(attribute), attribute.as_bytes())
        .filter(|group| group.attribute() == attribute)?;
    group.rows(namespace, Key::new(element)).find(|(_, slot)| {
        (slot.element.is_empty() || slot.element == element) && passes(slot.test, text)
    })
}

/// Returns the decoded text of an attribute; only ASCII is relevant.
fn text<'i>(input: &'i [u8], tag: &Tag, name: Key) -> Option<Cow<'i, str>> {
    let attribute = tag.attribute(name)?;
    let raw = attribute.value.slice(input);
    if let Some(plain) = Layer::Attribute(attribute.quote).plain(raw) {
        return Some(Cow::Borrowed(plain));
    }
    Some(charref::decode(raw, Charset::WIDENED, charref::CharrefPlace::Attribute).text)
}

/// Returns true if a tag meets the condition of a slot; `text` returns the text of an attribute.
/// Most slots have none.
#[inline]
pub(crate) fn passes(test: Test, text: &TextOf<'_>) -> bool {
    matches!(test, Test::Always) || meets(test, text)
}

fn meets(test: Test, text: &TextOf<'_>) -> bool {
    let is = |name: Key, expected: &[&str]| {
        text(name)
            .is_some_and(|text| expected.iter().any(|word| word.eq_ignore_ascii_case(text.trim())))
    };
    match test {
        Test::Always => true,
        Test::Canonical => text(Key::REL).is_some_and(|text| {
            text.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("canonical"))
        }),
        Test::Param => {
            is(Key::VALUETYPE, &["ref"]) || is(Key::NAME, &["movie", "src", "url", "filename"])
        }
        // Unlike the others this is an enumerated attribute: nothing is trimmed.
        Test::Refresh => {
            text(Key::HTTP_EQUIV).is_some_and(|pragma| pragma.eq_ignore_ascii_case("refresh"))
        }
        Test::ContentLocation => is(Key::HTTP_EQUIV, &["content-location"]),
        Test::Link => is(Key::HTTP_EQUIV, &["link"]),
        Test::Policy => text(Key::HTTP_EQUIV)
            .is_some_and(|pragma| pragma.eq_ignore_ascii_case("content-security-policy")),
        Test::MetaTask => is(
            Key::NAME,
            &["msapplication-task", "msapplication-badge", "msapplication-notification"],
        ),
        Test::MetaName => [Key::PROPERTY, Key::NAME]
            .into_iter()
            .any(|name| text(name).is_some_and(|name| is_url_meta(name.trim(), text))),
        Test::External => text(Key::TARGET_MODE).is_some_and(|mode| mode == "External"),
        Test::HtmlText => is(Key::TYPE, &["html", "text/html"]),
        // model-viewer compares the value as it is written.
        Test::Environment => {
            text(Key::ENVIRONMENT_IMAGE).is_none_or(|text| !matches!(&*text, "neutral" | "legacy"))
        }
        Test::Itemprop => has_itemprop(text, |name| ITEMPROPS.contains(&name)),
        Test::SchemaOrg => {
            has_itemprop(text, schema_org::may_be_url)
                && text(Key::CONTENT).is_some_and(|content| is_one_absolute(&content))
        }
        Test::AbsoluteValue => text(Key::VALUE).is_some_and(|value| is_one_absolute(&value)),
        Test::Animation => is(Key::ATTRIBUTE_NAME, &["href", "xlink:href"]),
    }
}

/// Returns true if all of a text is one absolute URL.
fn is_one_absolute(text: &str) -> bool {
    let text = text.trim();
    !text.contains(char::is_whitespace) && is_absolute_for_any_base(text, Dialect::Web)
}

fn has_itemprop(text: &TextOf<'_>, is_it: impl Fn(&str) -> bool) -> bool {
    text(Key::ITEMPROP).is_some_and(|names| names.split_ascii_whitespace().any(is_it))
}

/// The microdata properties whose value is a URL; their names are case-sensitive.
const ITEMPROPS: &[&str] = &["image", "url", "logo", "contentUrl", "thumbnailUrl"];

/// The closed list of metadata names whose content is a URL.
const URL_METAS: &[&str] = &[
    "og:url",
    "og:image",
    "og:image:url",
    "og:image:secure_url",
    "og:audio",
    "og:audio:url",
    "og:audio:secure_url",
    "og:video",
    "og:video:url",
    "og:video:secure_url",
    "twitter:image",
    "twitter:image:src",
    "twitter:player",
    "twitter:player:stream",
    "twitter:url",
    "al:web:url",
    "msapplication-tileimage",
    "msapplication-config",
    "msapplication-starturl",
    "thumbnail",
    "thumbnailurl",
];

/// Patterns for [`URL_METAS`] with a variable middle part: `msapplication-square70x70logo`,
/// `citation_pdf_url`.
const URL_META_PATTERNS: &[(&str, &str)] =
    &[("msapplication-square", "logo"), ("msapplication-wide", "logo"), ("citation_", "_url")];

/// The metadata names whose content is a URL or the name of a person; it is a URL if it is
/// absolute.
const PERSON_METAS: &[&str] = &["article:author", "article:publisher"];

fn is_url_meta(name: &str, text: &TextOf<'_>) -> bool {
    let name = name.to_ascii_lowercase();
    let is_absolute = || {
        text(Key::CONTENT)
            .is_some_and(|content| is_absolute_for_any_base(content.trim(), Dialect::Web))
    };
    if PERSON_METAS.contains(&name.as_str()) {
        return is_absolute();
    }
    URL_METAS.contains(&name.as_str())
        || URL_META_PATTERNS.iter().any(|(start, end)| {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        })
}

/// Returns the slot and syntax of the text after a start tag, for elements whose text can contain
/// references.
pub(super) fn text_slot(input: &[u8], tag: &Tag) -> Option<(SlotId, Syntax)> {
    match tag.key {
        Key::STYLE => is_css(input, tag).then_some((SlotId::STYLE, Syntax::Stylesheet)),
        Key::SCRIPT => {
            // Most scripts are code, or have no type.
            let media = tag.attribute(Key::TYPE)?.value.slice(input).trim_ascii_start();
            let may_be_data = matches!(media.first()? | 0x20, b'a' | b'i' | b's' | b'&');
            if may_be_data { script_data(&|name| text(input, tag, name)) } else { None }
        }
        Key::NOSCRIPT => Some((SlotId::NOSCRIPT, Syntax::HtmlFragment)),
        Key::NOFRAMES => Some((SlotId::NOFRAMES, Syntax::HtmlFragment)),
        Key::NOEMBED => Some((SlotId::NOEMBED, Syntax::HtmlFragment)),
        Key::IFRAME => Some((SlotId::IFRAME, Syntax::HtmlFragment)),
        _ => None,
    }
}

/// Returns true if the text of an element is a module.
pub(super) fn is_module(input: &[u8], tag: &Tag) -> bool {
    tag.key == Key::SCRIPT && is_module_script(&|name| text(input, tag, name))
}

/// Returns true if the text of a `script` element with these attributes is a module.
fn is_module_script(text: &TextOf<'_>) -> bool {
    has_module_type(text) && text(Key::SRC).is_none()
}

/// The media types of HTML in `script` elements, by the programs that fill it in.
const TEMPLATE_TYPES: [&str; 9] = [
    "text/html",
    "text/template",
    "text/x-template",
    "text/x-handlebars",
    "text/x-handlebars-template",
    "text/x-mustache",
    "text/ng-template",
    "text/x-jquery-tmpl",
    "x-tmpl-mustache",
];

/// Returns true if the text of an element is a template of HTML.
pub(super) fn is_template(input: &[u8], tag: &Tag) -> bool {
    tag.key == Key::SCRIPT
        && text(input, tag, Key::TYPE).is_some_and(|media| {
            TEMPLATE_TYPES.iter().any(|known| known.eq_ignore_ascii_case(media.trim_ascii()))
        })
}

/// Returns the slot and syntax of the text of a `script` that is data with references: HTML
/// standard, section 4.12.1.1 ("prepare the script element"), where none has a `src`; JSON-LD 1.1,
/// section 7.2, with its parameters.
fn script_data(text: &TextOf<'_>) -> Option<(SlotId, Syntax)> {
    let media = text(Key::TYPE)?;
    let media = media.trim_ascii().to_ascii_lowercase();
    let has_src = || text(Key::SRC).is_some();
    let data = match &*media {
        "importmap" | "speculationrules" if has_src() => return None,
        "importmap" => JsonType::ImportMap,
        "speculationrules" => JsonType::SpeculationRules,
        media => {
            let essence = media.split(';').next().unwrap_or_default().trim_ascii_end();
            JsonType::of_media_type(essence).filter(|data| *data == JsonType::LinkedData)?
        }
    };
    Some((data.script()?, Syntax::Json(data)))
}

/// Returns the slot and syntax of the text of an XHTML `script` element by its attributes, if it is
/// read.
pub(crate) fn script_of(text: &TextOf<'_>, reads_modules: bool) -> Option<(SlotId, Syntax)> {
    let is_module = reads_modules && is_module_script(text);
    is_module.then_some((SlotId::SCRIPT_MODULE, Syntax::Module)).or_else(|| script_data(text))
}

/// Returns true if a `style` element is CSS (HTML standard, section 4.2.6).
pub(super) fn is_css(input: &[u8], tag: &Tag) -> bool {
    is_css_type(&|name| text(input, tag, name))
}

/// Returns true if a `style` element is CSS, by the text of its attributes.
pub(crate) fn is_css_type(text: &TextOf<'_>) -> bool {
    text(Key::TYPE).is_none_or(|media| media.is_empty() || media.eq_ignore_ascii_case("text/css"))
}

/// Returns the text of an SVG `style`, which is ordinary markup: text with character references, or
/// one CDATA section, whose delimiters are often hidden in CSS comments. `None` if it has more
/// pieces than that; `end` is the start of the next tag.
pub(super) fn svg_style(input: &[u8], span: Span, end: usize) -> Option<Value> {
    let is_whole = match input.get(end..end + b"</style".len()) {
        Some(tag) => tag.eq_ignore_ascii_case(b"</style"),
        None => true,
    };
    if !is_whole {
        return None;
    }
    let raw = span.slice(input);
    let (inner, layer) = match memchr(b'<', raw) {
        None => (span, Layer::Content),
        Some(start) => (cdata(raw, start)?.shifted(span.start), Layer::Text),
    };
    Some(Value::text(inner, ValueEncoding::In(layer), SlotId::SVG_STYLE, Syntax::Stylesheet))
}

/// Returns the content of the only CDATA section, which begins at `start`, if only the halves of
/// two CSS comments are outside of it.
pub(crate) fn cdata(raw: &[u8], start: usize) -> Option<Span> {
    const START: &[u8] = b"<![CDATA[";
    if !raw[start..].starts_with(START) {
        return None;
    }
    let inside = start + START.len();
    let end = inside + memmem::find(&raw[inside..], b"]]>")?;
    let inner = &raw[inside..end];
    let before = raw[..start].trim_ascii();
    let after = raw[end + b"]]>".len()..].trim_ascii();
    let skipped = match before {
        b"" => 0,
        b"/*" => memmem::find(inner, b"*/")? + 2,
        _ => return None,
    };
    let kept = match after {
        b"" => inner.len(),
        b"*/" => memmem::rfind(inner, b"/*").filter(|kept| *kept >= skipped)?,
        _ => return None,
    };
    Some(Span::new(inside + skipped, inside + kept))
}
