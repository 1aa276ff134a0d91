//! Internet shortcuts (`.url`): the URLs in an INI file of Windows.
//!
//! Only absolute URLs count: Windows resolves nothing, and `IconFile` may be a path. Of several
//! keys of one name in a section the first counts; names ignore letter case, and a value may be in
//! quotes (Windows, `GetPrivateProfileString`).

use layers::Span;
use urlcore::{Dialect, is_absolute_for_any_base};

use crate::format::found::{Delimiters, Found, Value, Values};
use crate::format::lines::lines;
use crate::format::spec::{CharsetRule, FormatSpec};
use crate::slots::SlotId;

/// The keys with URLs.
const KEYS: [(&str, SlotId); 3] = [
    ("url", SlotId::named("shortcut URL")),
    ("iconfile", SlotId::named("shortcut IconFile")),
    ("baseurl", SlotId::named("shortcut BASEURL")),
];

/// Internet shortcuts.
pub(super) const FORMAT: FormatSpec = FormatSpec {
    extensions: &["url", "website"],
    sniff: Some(|head| {
        let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
        head.get(..SECTION.len()).is_some_and(|it| it.eq_ignore_ascii_case(SECTION))
    }),
    has_relative: false,
    charset: CharsetRule::Guess,
    ..FormatSpec::text(
        &["application/x-mswinurl", "application/internet-shortcut"],
        |text, _, memory| {
            let mut found = Found::within(memory.octets());
            find(text, &mut found.values);
            Ok(found)
        },
    )
};

const SECTION: &[u8] = b"[InternetShortcut]";

fn find(text: &str, values: &mut Values) {
    let mut has = [false; KEYS.len()];
    for line in lines(text) {
        let content = &text[line.clone()];
        if content.trim_start().starts_with('[') {
            has = [false; KEYS.len()];
        }
        let Some((name, value)) = content.split_once('=') else { continue };
        let is_it = |(key, _): &(&str, SlotId)| key.eq_ignore_ascii_case(name.trim());
        let Some(idx) = KEYS.iter().position(is_it) else { continue };
        if std::mem::replace(&mut has[idx], true) {
            continue;
        }
        let trimmed = value.trim();
        let url =
            ['"', '\''].iter().find_map(|quote| trimmed.strip_prefix(*quote)?.strip_suffix(*quote));
        let url = url.unwrap_or(trimmed);
        // A drive is no scheme.
        let is_drive = url.as_bytes().get(1) == Some(&b':');
        if !is_drive && is_absolute_for_any_base(url, Dialect::Web) {
            let start = line.start + (url.as_ptr() as usize - content.as_ptr() as usize);
            let span = Span::new(start, start + url.len());
            values.push(Value::item(span, KEYS[idx].1, Delimiters::None));
        }
    }
}
