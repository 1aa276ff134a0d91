//! `robots.txt`: the sitemaps of a site (RFC 9309, section 2.2.4; sitemaps.org, "Specifying the
//! Sitemap location in your robots.txt file"). Its rules are patterns, and not references.

use layers::Span;

use crate::format::found::{Delimiters, Found, Value, Values};
use crate::format::lines::lines;
use crate::format::spec::FormatSpec;
use crate::slots::SlotId;

const SITEMAP: SlotId = SlotId::named("robots Sitemap");

/// `robots.txt`, which is UTF-8.
pub(super) const FORMAT: FormatSpec = FormatSpec {
    file_names: &["robots.txt"],
    ..FormatSpec::text(&["text/x-robots-txt"], |text, _, memory| {
        let mut found = Found::within(memory.octets());
        find(text, &mut found.values);
        Ok(found)
    })
};

fn find(text: &str, values: &mut Values) {
    for line in lines(text) {
        let content = &text[line.clone()];
        let content = content.split('#').next().unwrap_or_default();
        let Some((name, value)) = content.split_once(':') else { continue };
        let is_url = !value.trim().is_empty() && !value.trim().contains(char::is_whitespace);
        if name.trim().eq_ignore_ascii_case("sitemap") && is_url {
            let start = line.start + name.len() + 1;
            let span = Span::new(start, start + value.len());
            values.push(Value::item(span, SITEMAP, Delimiters::None));
        }
    }
}
