//! An independent judge of what the tool did to a document.
//!
//! It shares no code with the tool: both versions of a document are parsed by html5ever or
//! cssparser, walked side by side, and every reference is resolved by the `url` crate before and
//! after. Whatever is not a reference has to be what it was.

mod check;
pub(crate) mod css;
mod dom;
mod json;
mod nested;
mod ordered;
mod raw;
pub(crate) mod slots;
pub(crate) mod split;

#[cfg(test)]
mod selftest;
#[cfg(test)]
mod selftest_syntax;

use std::borrow::Cow;

#[allow(unused_imports)] // Not every test program needs it.
pub(crate) use json::Data;
use url::Url;

/// At most this many lines are kept in each list of a verdict.
const MOST: usize = 200;

/// What the judge found out about one document.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// References seen in the document as it was, embedded documents included.
    pub(crate) references: usize,
    /// References whose text is another one now.
    pub(crate) changed: usize,
    /// References that are still relative and had no right to stay so, as `slot: value`.
    pub(crate) still_relative: Vec<String>,
    /// References that were absolute before and were rewritten all the same.
    pub(crate) rewritten_absolute: Vec<String>,
    /// References that were relative, under the base that they are under now, and became longer.
    pub(crate) longer: Vec<String>,
    /// May a `base` be emptied? What is resolved against it must point where it pointed all the
    /// same.
    pub(crate) may_empty_bases: bool,
    /// Where the tree moves: what every reference led to, and leads to now. Whether that is right
    /// is for the test to say.
    pub(crate) moved: Option<Vec<Moved>>,
    /// Everything that differs and must not; empty for a correct run.
    pub(crate) violations: Vec<String>,
}

/// A reference in a tree that moves.
#[derive(Debug)]
#[allow(dead_code)] // Not every test program moves trees.
pub(crate) struct Moved {
    /// `element[attribute]`
    pub(crate) slot: String,
    /// How it was written, and how it is.
    pub(crate) texts: [String; 2],
    /// Where it led, and leads.
    pub(crate) targets: [Url; 2],
    /// Either of two bases may count, so that only an absolute URL can be written.
    #[allow(dead_code)] // Not every test program asks.
    pub(crate) is_either: bool,
}

impl Verdict {
    fn violation(&mut self, text: impl FnOnce() -> String) {
        if self.violations.len() < MOST {
            self.violations.push(text());
        }
    }
}

/// Judges an HTML document that is at `url`, its tree and its bytes.
#[allow(dead_code)] // Not every test program needs it.
pub(crate) fn judge_html(before: &[u8], after: &[u8], url: &str) -> Verdict {
    let mut verdict = judge_html_tree(before, after, url);
    raw::compare(&mut verdict, before, after, url.contains('\''));
    verdict
}

/// Judges a style sheet that is at `url`, its tokens and its bytes.
#[allow(dead_code)] // Not every test program needs it.
pub(crate) fn judge_css(before: &[u8], after: &[u8], url: &str) -> Verdict {
    let mut verdict = judge_css_tokens(before, after, url);
    raw::compare(&mut verdict, before, after, url.contains('\''));
    verdict
}

/// Judges the tree of an HTML document only. What the bytes look like is a guess that generated
/// documents defeat.
pub(crate) fn judge_html_tree(before: &[u8], after: &[u8], url: &str) -> Verdict {
    judge(before, after, url, |verdict, texts, own| {
        let scope = dom::Scope::new(own, [own, own]);
        dom::document(verdict, texts, &scope, dom::Bases::Own, 0);
    })
}

/// Judges the tree of an HTML document that was made relative: a `base` in it may be empty now.
#[allow(dead_code)] // Not every test program needs it.
pub(crate) fn judge_relative_html(before: &[u8], after: &[u8], url: &str) -> Verdict {
    judge(before, after, url, |verdict, texts, own| {
        verdict.may_empty_bases = true;
        let scope = dom::Scope::new(own, [own, own]);
        dom::document(verdict, texts, &scope, dom::Bases::Own, 0);
    })
}

/// Compares an HTML document that was at `url` with what it is at `new_url`, and collects where its
/// references lead.
#[allow(dead_code)] // Not every test program needs it.
pub(crate) fn judge_moved_html(before: &[u8], after: &[u8], url: &str, new_url: &str) -> Verdict {
    judge(before, after, url, |verdict, texts, own| {
        verdict.may_empty_bases = true;
        verdict.moved = Some(Vec::new());
        let Ok(new) = Url::parse(new_url) else {
            verdict.violation(|| format!("{new_url:?} cannot be parsed"));
            return;
        };
        let scope = dom::Scope::new(own, [own, &new]);
        dom::document(verdict, texts, &scope, dom::Bases::Own, 0);
    })
}

/// The same for a style sheet.
#[allow(dead_code)] // Not every test program needs it.
pub(crate) fn judge_moved_css(before: &[u8], after: &[u8], url: &str, new_url: &str) -> Verdict {
    judge(before, after, url, |verdict, texts, own| {
        verdict.moved = Some(Vec::new());
        let Ok(new) = Url::parse(new_url) else {
            verdict.violation(|| format!("{new_url:?} cannot be parsed"));
            return;
        };
        let pieces = texts.map(css::split);
        let site = check::Site::css("css", own, [own, &new]);
        check::compare(verdict, &site, &pieces[0], &pieces[1]);
    })
}

/// Judges a document in JSON.
#[allow(dead_code)] // Not every test program needs it.
pub(crate) fn judge_json(before: &[u8], after: &[u8], url: &str, data: Data) -> Verdict {
    judge(before, after, url, |verdict, texts, own| {
        let pieces = texts.map(|text| json::split(text, data));
        let site = check::Site { local: false, ..check::Site::css("json", own, [own, own]) };
        check::compare(verdict, &site, &pieces[0], &pieces[1]);
    })
}

/// Judges the tokens of a style sheet only.
pub(crate) fn judge_css_tokens(before: &[u8], after: &[u8], url: &str) -> Verdict {
    judge(before, after, url, |verdict, texts, own| {
        let pieces = texts.map(css::split);
        let site = check::Site::css("css", own, [own, own]);
        check::compare(verdict, &site, &pieces[0], &pieces[1]);
    })
}

/// Resolves as the `url` crate does, but for one case in which it departs from the standard: after
/// a special scheme, slashes are ignored, however many (WHATWG URL, "special authority ignore
/// slashes state"); it refuses three of them unless the scheme is there.
fn join(base: &Url, reference: &str) -> Result<Url, url::ParseError> {
    let result = base.join(reference);
    let is_special = ["http", "https", "ws", "wss", "ftp"].contains(&base.scheme());
    if result == Err(url::ParseError::EmptyHost) && is_special {
        let text = reference.trim_matches(|char: char| char <= ' ').replace(['\t', '\n', '\r'], "");
        if text.starts_with(['/', '\\']) {
            return Url::parse(&format!("{}:{text}", base.scheme()));
        }
    }
    result
}

fn judge(
    before: &[u8],
    after: &[u8],
    url: &str,
    parsed: impl FnOnce(&mut Verdict, [&str; 2], &Url),
) -> Verdict {
    let mut verdict = Verdict::default();
    let Ok(own) = Url::parse(url) else {
        verdict.violation(|| format!("the document's URL {url:?} cannot be parsed"));
        return verdict;
    };
    let Some(texts) = decode(before, after) else {
        if before != after {
            verdict
                .violation(|| "a document in a charset that cannot be edited was changed".into());
        }
        return verdict;
    };
    parsed(&mut verdict, [&texts[0], &texts[1]], &own);
    verdict
}

/// Both versions as text, or nothing where nobody reads the charset.
///
/// UTF-8 is read as such where both versions are valid; everything else is read as windows-1252,
/// one character for a byte. A mark at the start stays in view as a difference if only one side
/// has it.
fn decode<'a>(before: &'a [u8], after: &'a [u8]) -> Option<[Cow<'a, str>; 2]> {
    if foreign_charset(before) {
        // Both must be read without an error, or both must be the same.
        let charset = decoded_charset(before)?;
        let read = |bytes| charset.decode_without_bom_handling_and_without_replacement(bytes);
        return Some([read(before)?, read(after)?]);
    }
    let mark = b"\xEF\xBB\xBF";
    let (old, new) = match (before.strip_prefix(mark), after.strip_prefix(mark)) {
        (Some(old), Some(new)) => (old, new),
        _ => (before, after),
    };
    Some(match (str::from_utf8(old), str::from_utf8(new)) {
        (Ok(old), Ok(new)) => [Cow::Borrowed(old), Cow::Borrowed(new)],
        _ => [old, new].map(|bytes| encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0),
    })
}

/// The charset of those that is known to `encoding_rs`; UTF-32 is not.
fn decoded_charset(bytes: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let head = bytes.get(..1024).unwrap_or(bytes).to_ascii_lowercase();
    match bytes {
        [0xFF, 0xFE, 0, 0, ..] => None,
        [0xFF, 0xFE, ..] => Some(encoding_rs::UTF_16LE),
        [0xFE, 0xFF, ..] => Some(encoding_rs::UTF_16BE),
        _ if head.windows(11).any(|part| part == b"iso-2022-jp") => Some(encoding_rs::ISO_2022_JP),
        _ => None,
    }
}

/// UTF-16 and UTF-32 by their marks, stateful charsets by the name in the first kilobyte.
fn foreign_charset(bytes: &[u8]) -> bool {
    if bytes.starts_with(b"\xFF\xFE")
        || bytes.starts_with(b"\xFE\xFF")
        || bytes.starts_with(b"\0\0\xFE\xFF")
    {
        return true;
    }
    let head = bytes.get(..1024).unwrap_or(bytes).to_ascii_lowercase();
    let named = |name: &[u8]| head.windows(name.len()).any(|part| part == name);
    named(b"charset") && (named(b"iso-2022-") || named(b"hz-gb-2312") || named(b"utf-7"))
}
