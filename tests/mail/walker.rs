//! A small reader of messages that shares no code with the program: it takes a message apart into
//! what must stay, and references with what they lead to. Of HTML and CSS it reads what the
//! generator writes, and no more.

use url::Url;

/// A piece of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// Bytes that stay: of the message itself, or of a body that was decoded.
    Fixed(Vec<u8>),
    /// A reference, its text, and where it leads.
    Reference { slot: &'static str, text: String, target: Option<String> },
    /// A body that was decoded, as it is written. It stays if nothing in it changes.
    Raw { raw: Vec<u8>, n_items: usize },
}

/// All of a message that nothing is known of but where it was found.
pub(crate) fn items(message: &[u8], base: Option<&Url>) -> Vec<Item> {
    let mut items = Vec::new();
    entity(message, base, "text/plain", &mut items);
    items
}

/// The references among the items.
pub(crate) fn references(items: &[Item]) -> Vec<(&'static str, &str, Option<&str>)> {
    items
        .iter()
        .filter_map(|item| match item {
            Item::Reference { slot, text, target } => Some((*slot, &**text, target.as_deref())),
            _ => None,
        })
        .collect()
}

struct Field<'m> {
    name: String,
    /// Up to the colon, and after it.
    raw: [&'m [u8]; 2],
}

impl Field<'_> {
    fn value(&self) -> String {
        String::from_utf8_lossy(self.raw[1]).replace(['\r', '\n'], "").trim().to_owned()
    }
}

/// The line that begins the bytes, with its end.
fn line(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1);
    &bytes[..end]
}

/// The fields, and what follows the empty line.
fn heading(bytes: &[u8]) -> (Vec<Field<'_>>, &[u8]) {
    let mut fields = Vec::new();
    let mut rest = bytes;
    loop {
        let first = line(rest);
        if first.trim_ascii_end().is_empty() {
            return (fields, &rest[first.len()..]);
        }
        let mut end = first.len();
        while rest.get(end).is_some_and(|byte| b" \t".contains(byte)) {
            end += line(&rest[end..]).len();
        }
        let colon = rest.iter().position(|byte| *byte == b':').expect("a field") + 1;
        let name = String::from_utf8_lossy(&rest[..colon - 1]).trim().to_ascii_lowercase();
        fields.push(Field { name, raw: [&rest[..colon], &rest[colon..end]] });
        rest = &rest[end..];
    }
}

fn find<'f>(fields: &'f [Field<'_>], name: &str) -> Option<&'f Field<'f>> {
    fields.iter().find(|field| field.name == name)
}

fn url_of(value: &str) -> String {
    let value: String = value.split_ascii_whitespace().collect();
    let value = value.trim_matches('"');
    let value = value.strip_prefix("<URL:").and_then(|url| url.strip_suffix('>')).unwrap_or(value);
    value.to_owned()
}

fn resolve(base: Option<&Url>, text: &str) -> Option<Url> {
    Url::options().base_url(base).parse(text).ok()
}

/// The base of what is in an entity, and that of its own location (this project's profile:
/// `Content-Base`, `Base`, `Content-Location`).
fn bases(fields: &[Field<'_>], around: Option<&Url>) -> [Option<Url>; 2] {
    let report = ["content-base", "base"].into_iter().find_map(|name| {
        let url = Url::parse(&url_of(&find(fields, name)?.value())).ok()?;
        (!url.cannot_be_a_base()).then_some(url)
    });
    if report.is_some() {
        return [report.clone(), report];
    }
    let location = find(fields, "content-location");
    let location = location.and_then(|field| resolve(around, &url_of(&field.value())));
    let location = location.filter(|url| !url.cannot_be_a_base());
    [location.or(around.cloned()), around.cloned()]
}

fn entity(bytes: &[u8], around: Option<&Url>, default_type: &str, items: &mut Vec<Item>) {
    let (fields, body) = heading(bytes);
    let [base, of_location] = bases(&fields, around);
    for field in &fields {
        let [name, value] = field.raw;
        items.push(Item::Fixed(name.to_vec()));
        let base = if field.name == "content-location" { &of_location } else { &base };
        let urls = match field.name.as_str() {
            "content-location" => vec![url_of(&field.value())],
            "list-archive" => vec![field.value().trim_matches(['<', '>']).to_owned()],
            _ => {
                items.push(Item::Fixed(value.to_vec()));
                continue;
            }
        };
        for text in urls {
            let target = resolve(base.as_ref(), &text).map(String::from);
            items.push(Item::Reference { slot: "header", text, target });
        }
    }
    let end_of_heading = bytes.len() - body.len();
    let n_fields: usize = fields.iter().map(|field| field.raw.concat().len()).sum();
    items.push(Item::Fixed(bytes[n_fields..end_of_heading].to_vec()));
    let content_type = find(&fields, "content-type").map(Field::value);
    let content_type = content_type.unwrap_or_else(|| default_type.to_owned());
    let encoding = find(&fields, "content-transfer-encoding").map(Field::value);
    let media = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if let Some(boundary) = boundary(&content_type).filter(|_| media.starts_with("multipart/")) {
        let inner = if media == "multipart/digest" { "message/rfc822" } else { "text/plain" };
        return multipart(body, &boundary, base.as_ref(), inner, items);
    }
    let at = items.len();
    let decoded = decoded(body, encoding.as_deref());
    match media.as_str() {
        "message/rfc822" => entity(&decoded, base.as_ref(), "text/plain", items),
        "text/html" => html(&decoded, base.as_ref(), items),
        "text/css" => texts(
            &decoded,
            &[("url(\"", "css url"), ("@import \"", "css import")],
            base.as_ref(),
            items,
        ),
        _ => items.push(Item::Fixed(body.to_vec())),
    }
    if encoding.is_some() {
        items.push(Item::Raw { raw: body.to_vec(), n_items: items.len() - at });
    }
}

fn boundary(content_type: &str) -> Option<String> {
    let (_, rest) = content_type.split_once("boundary=")?;
    Some(match rest.strip_prefix('"') {
        Some(rest) => rest.split('"').next()?.to_owned(),
        None => rest.split(';').next()?.trim().to_owned(),
    })
}

/// The parts between lines that are the delimiter and nothing else but blanks. What is in them
/// cannot hold a delimiter of this one.
fn multipart(body: &[u8], boundary: &str, base: Option<&Url>, inner: &str, items: &mut Vec<Item>) {
    let delimiter = format!("--{boundary}");
    // Starts and ends of delimiters, with the line end before.
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    let mut is_closed = false;
    while at < body.len() && !is_closed {
        let this = line(&body[at..]);
        let text = String::from_utf8_lossy(this);
        let text = text.trim_end();
        is_closed = text.strip_suffix("--").is_some_and(|text| text == delimiter);
        if text == delimiter || is_closed {
            let before = &body[..at];
            let before = before.strip_suffix(b"\n").unwrap_or(before);
            let start = before.strip_suffix(b"\r").unwrap_or(before).len();
            found.push((start, at + this.len()));
        }
        at += this.len();
    }
    let mut done = 0;
    for (idx, (start, end)) in found.iter().enumerate() {
        match idx {
            0 => items.push(Item::Fixed(body[..*start].to_vec())),
            _ => entity(&body[done..(*start).max(done)], base, inner, items),
        }
        items.push(Item::Fixed(body[*start..*end].to_vec()));
        done = *end;
    }
    items.push(Item::Fixed(body[done..].to_vec()));
}

fn decoded(body: &[u8], encoding: Option<&str>) -> Vec<u8> {
    match encoding.map(str::to_ascii_lowercase).as_deref() {
        Some("base64") => base64(body),
        Some("quoted-printable") => quoted_printable(body),
        _ => body.to_vec(),
    }
}

/// RFC 2045 6.8.
pub(crate) fn base64(raw: &[u8]) -> Vec<u8> {
    let value = |byte: &u8| match byte {
        b'A'..=b'Z' => Some(u32::from(byte - b'A')),
        b'a'..=b'z' => Some(u32::from(byte - b'a') + 26),
        b'0'..=b'9' => Some(u32::from(byte - b'0') + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let values: Vec<u32> = raw.iter().filter_map(value).collect();
    let mut out = Vec::new();
    for group in values.chunks(4) {
        let bits = group.iter().fold(0, |bits, value| bits << 6 | value) << (6 * (4 - group.len()));
        out.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    out
}

/// RFC 2045 6.7. Its rule 3 drops tabs and spaces at the end of a line, and no carriage return,
/// which is part of the line if it is not right before the line feed.
pub(crate) fn quoted_printable(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = raw;
    while !rest.is_empty() {
        let this = line(rest);
        rest = &rest[this.len()..];
        let end = if this.ends_with(b"\r\n") { 2 } else { usize::from(this.ends_with(b"\n")) };
        let (text, end) = this.split_at(this.len() - end);
        let n_kept =
            text.iter().rposition(|byte| !b" \t".contains(byte)).map_or(0, |last| last + 1);
        let text = &text[..n_kept];
        let (text, is_soft) = text.strip_suffix(b"=").map_or((text, false), |text| (text, true));
        let mut at = 0;
        while at < text.len() {
            let digits =
                text.get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
            let octet = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
            match octet.filter(|_| text[at] == b'=') {
                Some(octet) => (out.push(octet), at += 3).1,
                None => (out.push(text[at]), at += 1).1,
            }
        }
        if !is_soft {
            out.extend_from_slice(end);
        }
    }
    out
}

/// The references of a page. The first `<base>` counts, against what is around.
fn html(text: &[u8], around: Option<&Url>, items: &mut Vec<Item>) {
    let page = String::from_utf8_lossy(text);
    let href = page.split_once("<base href=\"").and_then(|(_, rest)| rest.split('"').next());
    let base = href.and_then(|href| resolve(around, href)).or(around.cloned());
    let (before, after) = match page.find("<base href=\"") {
        Some(at) => page.split_at(at + 12),
        None => ("", &*page),
    };
    const MARKS: &[(&str, &str)] = &[(" href=\"", "href"), (" src=\"", "src")];
    texts(before.as_bytes(), MARKS, base.as_ref(), items);
    let mut after = after;
    if let Some(href) = href {
        let target = resolve(around, href).map(String::from);
        items.push(Item::Reference { slot: "base", text: href.to_owned(), target });
        after = &after[href.len()..];
    }
    texts(after.as_bytes(), MARKS, base.as_ref(), items);
}

/// The references of a text, between these marks and a quote.
fn texts(text: &[u8], marks: &[(&str, &'static str)], base: Option<&Url>, items: &mut Vec<Item>) {
    let mut rest = std::str::from_utf8(text).expect("UTF-8");
    loop {
        let found =
            marks.iter().filter_map(|(mark, slot)| Some((rest.find(mark)? + mark.len(), *slot)));
        let Some((at, slot)) = found.min() else { break };
        let length = rest[at..].find('"').unwrap_or(rest.len() - at);
        // A base is reported by itself.
        if length == rest.len() - at && slot == "href" {
            break;
        }
        items.push(Item::Fixed(rest.as_bytes()[..at].to_vec()));
        let text = rest[at..at + length].replace("&amp;", "&");
        let target = resolve(base, &text).map(String::from);
        items.push(Item::Reference { slot, text, target });
        rest = &rest[at + length..];
    }
    items.push(Item::Fixed(rest.as_bytes().to_vec()));
}
