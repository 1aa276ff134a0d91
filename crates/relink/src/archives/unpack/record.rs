//! What a record of a web archive is for the index.

use std::borrow::Cow;
use std::io::Read;

use rewrite::{Media, Resolver};
use urlcore::escape::percent_decode;
use urlcore::{Dialect, Reference};
use warc::{DecodeLimits, HttpResponse, Record, RecordHeader, RecordType};

use super::captured_pages::{Page, Place, RecordSource};
use super::keys::id;
use crate::files::container::archive::{head, http_header, segmented};
use crate::files::media;
use crate::os::digest::{Short, short};
use crate::urls::twins::twins;

/// What a capture has.
#[derive(Clone, Copy, Debug)]
pub(super) enum CaptureKind {
    /// The content.
    Content,
    /// The identifier of the URL to which it redirects.
    Redirect(Short),
    /// What another capture has: the [`moment`] of that, if the record names it.
    Revisit(Option<Short>),
}

/// How good a capture is: of a URL, those of the first class count that has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// The complete answer to a GET.
    Whole,
    /// The complete answer to a POST.
    Posted,
    /// A part: a range of the file (RFC 9110, section 15.3.7), a body that is cut off or cannot be
    /// decoded, or a record that is incomplete.
    Incomplete,
    /// The answer to a request with another method, which makes no file.
    Other,
}

/// A capture.
#[derive(Debug)]
pub(super) struct Capture {
    pub(super) page: Page,
    pub(super) kind: CaptureKind,
    pub(super) class: Class,
    /// False if only decoding the body shows whether it is complete.
    pub(super) is_checked: bool,
    /// The fragment that a redirect adds.
    pub(super) fragment: Option<String>,
    /// The identifiers of the other URLs at which a site may have that to which it redirects.
    pub(super) twins: Vec<Short>,
    pub(super) names: Ids,
    /// Those of further records of the same exchange.
    pub(super) others: Vec<Short>,
    /// True if the header section of the response has no end in the block.
    pub(super) is_cut: bool,
    /// True if the record gives its URL without a scheme.
    pub(super) has_completed_url: bool,
}

/// The hashes of the identifiers by which a request and its response are found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ids {
    /// That of the record.
    pub(super) own: Option<Short>,
    /// That of the record with the other half of the exchange (WARC 1.1, section 5.7).
    pub(super) other: Option<Short>,
}

/// A request with another method than GET.
#[derive(Debug)]
pub(super) struct Request {
    /// The class of its response.
    pub(super) class: Class,
    /// The hash of its identifier, and those of the records of the same exchange.
    pub(super) own: Option<Short>,
    pub(super) others: Vec<Short>,
    /// The [`moment`] at which it was sent.
    pub(super) moment: Option<Short>,
}

/// What a record is for the index.
pub(super) enum RecordUse {
    Capture(Box<Capture>),
    Request(Request),
    /// A part of a capture that is not read; the reason.
    Broken(String),
    Nothing,
}

/// Returns what a record is.
pub(super) fn found<R: Read>(
    record: &mut Record<'_, R>,
    (archive, place): (u32, Place),
) -> Result<RecordUse, warc::Error> {
    let header = record.header();
    let record_type = header.record_type;
    let is_content = match record_type {
        RecordType::Response => header.is_http_response(),
        RecordType::Resource => true,
        RecordType::Revisit => false,
        RecordType::Request => return request(record),
        _ => return Ok(RecordUse::Nothing),
    };
    let Some(RecordTarget { url, is_completed }) = target(header) else {
        return Ok(RecordUse::Broken("it has no WARC-Target-URI".to_owned()));
    };
    if let (true, Some(reason)) = (is_content, segmented(header)) {
        return Ok(RecordUse::Broken(reason));
    }
    let time = digits(header.date().unwrap_or_default());
    let digest = header.payload_digest().map(|digest| short(digest.as_bytes()));
    let source = RecordSource { archive, place, digest, is_http: true, guesses_charset: false };
    let mut capture = Capture {
        page: Page { url, time, media_type: None, charset: None, source },
        kind: CaptureKind::Content,
        // The block of a revisit is truncated on purpose.
        class: match header.truncated().filter(|_| is_content) {
            Some(_) => Class::Incomplete,
            None => Class::Whole,
        },
        is_checked: true,
        fragment: None,
        twins: Vec::new(),
        names: names(header),
        others: concurrent(header).skip(1).collect(),
        is_cut: false,
        has_completed_url: is_completed,
    };
    let is_found = match record_type {
        RecordType::Response if is_content => response(record, &mut capture)?,
        RecordType::Resource => {
            capture.page.source.is_http = false;
            // A header field of HTTP has the same parameters.
            let fields = http_header(header.content_type().unwrap_or_default());
            let fields = HttpResponse::read(fields.as_bytes());
            let identified = Identified::of(header);
            fields.iter().for_each(|head| describe(&mut capture.page, head, &identified));
            true
        }
        RecordType::Revisit => {
            capture.kind = CaptureKind::Revisit(repeated(header));
            let identified = Identified::of(header);
            let response = HttpResponse::read(head(record)?).ok();
            capture.is_cut = response.as_ref().is_some_and(|response| !response.has_header_end());
            response.is_none_or(|response| revisit(&response, &identified, &mut capture))
        }
        _ => false,
    };
    Ok(if is_found { RecordUse::Capture(Box::new(capture)) } else { RecordUse::Nothing })
}

/// Sets what a response is. Returns false if it makes no file.
fn response<R: Read>(
    record: &mut Record<'_, R>,
    capture: &mut Capture,
) -> Result<bool, warc::Error> {
    let (n_block, identified) = (record.header().content_length, Identified::of(record.header()));
    let head = head(record)?;
    let Ok(response) = HttpResponse::read(head) else { return Ok(false) };
    describe(&mut capture.page, &response, &identified);
    let n_head = (head.len() - response.body().len()) as u64;
    let n_body = n_block.saturating_sub(n_head);
    capture.is_cut = n_block < n_head || !response.has_header_end();
    if n_body == 0 && response.values("Refresh").next().is_some() {
        capture.page.media_type = Some(Media::HTML.name().to_owned());
    }
    match response.status() {
        // Neither has content.
        204 | 205 | 304 => Ok(false),
        200..300 => {
            let is_cut_off = response.content_length().is_some_and(|declared| declared > n_body);
            capture.is_checked = !response.has_coding();
            // No coding makes nothing of a content, but for an answer that says so.
            let is_empty = n_body == 0 && response.values("Refresh").next().is_none();
            let is_lost = is_empty && (is_cut_off || response.has_coding());
            let is_short = response.range_length().is_some_and(|length| length > n_body);
            let is_short = (is_cut_off || is_short) && capture.is_checked;
            if response.is_partial() || is_short || is_lost {
                capture.class = Class::Incomplete;
            }
            Ok(true)
        }
        300..400 => Ok(redirect(&response, capture)),
        _ => Ok(false),
    }
}

/// Sets what the response in a `revisit` record is: it may repeat a redirect, or an error. Returns
/// false if it makes no file.
fn revisit(response: &HttpResponse<'_>, identified: &Identified, capture: &mut Capture) -> bool {
    describe(&mut capture.page, response, identified);
    match response.status() {
        400.. => false,
        _ if is_redirect(response) => redirect(response, capture),
        _ => true,
    }
}

/// Returns true if a response redirects.
fn is_redirect(response: &HttpResponse<'_>) -> bool {
    let status = response.status();
    (300..400).contains(&status) && status != 304 && response.location().is_some()
}

/// Sets the URL to which a response redirects. Returns false if it redirects to no other one.
fn redirect(response: &HttpResponse<'_>, capture: &mut Capture) -> bool {
    let location = response.location().filter(|_| is_redirect(response));
    let Some(url) = location.and_then(|to| resolved(&capture.page.url, &to)) else { return false };
    let to = id(&url);
    // What the server says of the body does not matter.
    capture.is_checked = true;
    capture.class = Class::Whole;
    capture.kind = CaptureKind::Redirect(to);
    capture.fragment = url.find('#').map(|at| url[at..].to_owned());
    let own = id(&capture.page.url);
    capture.twins = twins(&url).map(|url| id(&url)).filter(|id| *id != own).collect();
    to != own
}

/// Returns what a request is for the index: only those with another method than GET count.
fn request<R: Read>(record: &mut Record<'_, R>) -> Result<RecordUse, warc::Error> {
    let header = record.header();
    let moment = target(header).map(|target| {
        let time = digits(header.date().unwrap_or_default());
        moment(id(&target.url), &time)
    });
    let names = names(header);
    let line = record.peek(METHOD)?;
    let method = line.split(|byte| *byte == b' ').next().unwrap_or_default();
    // A token (RFC 9110, section 5.6.2); what is none is no request.
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    let is_method = !method.is_empty() && method.iter().all(is_token) && method.len() < line.len();
    let class = match &*method.to_ascii_uppercase() {
        b"GET" => return Ok(RecordUse::Nothing),
        b"POST" => Class::Posted,
        _ if is_method => Class::Other,
        _ => return Ok(RecordUse::Nothing),
    };
    let others = concurrent(record.header()).collect();
    Ok(RecordUse::Request(Request { class, own: names.own, others, moment }))
}

/// The URL of a record.
struct RecordTarget {
    url: String,
    /// True if the record does not have its scheme.
    is_completed: bool,
}

/// Returns the URL of a record. Programs that were given a host without a scheme have written it
/// so: it is one of `http`.
fn target(header: &RecordHeader) -> Option<RecordTarget> {
    let url = header.target_uri()?;
    let is_host = |name: &str| name.contains('.') || name.eq_ignore_ascii_case("localhost");
    // A host with its port looks like a scheme.
    let is_scheme = |scheme: &str| {
        let rest = url.get(scheme.len() + 1..).unwrap_or_default();
        !is_host(scheme) || !rest.starts_with(|char: char| char.is_ascii_digit())
    };
    let is_bare = !Reference::split(url, Dialect::Web).scheme().is_some_and(is_scheme);
    let first = url.trim_start_matches('/');
    let host = first.split(['/', ':']).next().unwrap_or_default();
    let has_host = is_host(host);
    let is_path = url.starts_with('/') && !url.starts_with("//");
    Some(if is_bare && has_host && !is_path {
        RecordTarget { url: format!("http://{first}"), is_completed: true }
    } else {
        RecordTarget { url: url.to_owned(), is_completed: is_bare }
    })
}

/// The number of bytes in which the method of a request is searched for.
const METHOD: usize = 64;

fn names(header: &RecordHeader) -> Ids {
    let name = |value: Option<&str>| value.map(|value| short(value.as_bytes()));
    Ids { own: name(header.id()), other: concurrent(header).next() }
}

/// Returns the hashes of the identifiers of the records of the same exchange.
pub(super) fn concurrent(header: &RecordHeader) -> impl Iterator<Item = Short> {
    header.fields.values("WARC-Concurrent-To").map(|value| short(value.as_bytes()))
}

/// Returns false if a response is only a part of what the server has, or cannot be decoded.
pub(super) fn is_whole(block: &[u8], limits: &DecodeLimits) -> bool {
    HttpResponse::read(block).is_ok_and(|response| {
        !response.is_partial() && response.is_complete() && response.decoded_body(limits).is_ok()
    })
}

/// The media type and the charset that the program that saved a record found in its payload (WARC
/// 1.1, section 5.17).
struct Identified {
    media_type: Option<String>,
    charset: Option<String>,
}

impl Identified {
    fn of(header: &RecordHeader) -> Self {
        // A header field of HTTP has the same parameters.
        let field = http_header(header.identified_payload_type().unwrap_or_default());
        let field = HttpResponse::read(field.as_bytes()).ok();
        let media_type = field.as_ref().and_then(HttpResponse::media_type);
        Identified { media_type, charset: field.as_ref().and_then(HttpResponse::charset) }
    }
}

/// Sets media type and charset by the header section of a response; where that says nothing, by
/// what was identified; without a media type there too, by the start of the body.
fn describe(page: &mut Page, response: &HttpResponse<'_>, identified: &Identified) {
    page.media_type = response.media_type();
    page.charset = response.charset();
    let Identified { media_type, charset } = identified;
    if page.media_type.as_deref().is_none_or(|name| name == "application/octet-stream") {
        page.media_type = media_type.clone().or(page.media_type.take());
    }
    if page.charset.is_none() && page.media_type == *media_type {
        page.charset.clone_from(charset);
        page.source.guesses_charset = charset.is_some();
    }
    if page.media_type.is_none() {
        // The body may be cut off here.
        let body = response.decoded_body(&DecodeLimits::default()).unwrap_or_default();
        let media = media::of_document(None, &body);
        page.media_type = media.map(|media| media.name().to_owned());
    }
}

/// Returns the [`moment`] of the capture that a `revisit` record repeats, or the hash of the
/// identifier of its record.
fn repeated(header: &RecordHeader) -> Option<Short> {
    let url = header.refers_to_target_uri().or(header.target_uri())?;
    match header.refers_to_date() {
        Some(date) => Some(moment(id(url), &digits(date))),
        None => header.refers_to().map(|id| short(id.as_bytes())),
    }
}

/// Returns the hash of the identifier of a URL and the time of a capture, as digits.
pub(super) fn moment(id: Short, time: &str) -> Short {
    short(&[&id, time.as_bytes()].concat())
}

fn resolved(base: &str, to: &str) -> Option<String> {
    Resolver::new(base, Dialect::Web).ok()?.resolve(to).ok()?.url()
}

/// Returns the digits of a time: `2026-11-24T13:05:00Z` and `20261124130500` are the same.
pub(super) fn digits(time: &str) -> String {
    time.chars().filter(char::is_ascii_digit).collect()
}

// Records in which programs that save sites keep what they found out: screenshots, texts and
// structures of pages, lists of what a page loaded, and name lookups. They are apart from the
// site.

/// Schemes of URLs that are never those of pages. Browsertrix and ArchiveWeb.page use `urn`,
/// Brozzler `screenshot` and `thumbnail`, warcprox and wpull `metadata` and `urn`, Heritrix `dns`
/// and `whois`.
const SCHEMES: [&str; 8] =
    ["urn", "dns", "whois", "metadata", "screenshot", "thumbnail", "onreadydom", "filedesc"];

/// The start of the URL of a page.
const PAGES: [&str; 2] = ["http://", "https://"];

/// Returns true if a URL is that of a record of such a program: it has a scheme of its own, or one
/// before the URL of a page. `blob:` and `view-source:` are schemes of browsers.
pub(crate) fn is_record(url: &str) -> bool {
    let Some((scheme, rest)) = url.split_once(':') else { return false };
    let is = |name: &&str| scheme.eq_ignore_ascii_case(name);
    SCHEMES.iter().any(is)
        || (PAGES.iter().any(|page| rest.starts_with(page))
            && !["blob", "view-source", "filesystem"].iter().any(is))
}

/// Returns the URL of the page that such a record is about.
pub(crate) fn page_of(url: &str) -> Option<Cow<'_, str>> {
    if let Some((_, page)) = url.split_once("url=") {
        let page = String::from_utf8(percent_decode(page).into_owned()).ok()?;
        return PAGES.iter().any(|start| page.starts_with(start)).then_some(page.into());
    }
    let at = PAGES.iter().filter_map(|start| url.find(start)).min()?;
    Some(url[at..].into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_programs_are_recognized() {
        for (url, page) in [
            ("urn:view:https://a.example/", Some("https://a.example/")),
            ("urn:pageinfo:http://a.example/?u=https://b/", Some("http://a.example/?u=https://b/")),
            ("URN:X-wpull:snapshot?url=https%3A%2F%2Fa.example%2F", Some("https://a.example/")),
            ("screenshot:https://a.example/", Some("https://a.example/")),
            ("dom-snapshot:https://a.example/", Some("https://a.example/")),
            ("metadata://gnu.org/software/wget/warc/MANIFEST.txt", None),
            ("dns:a.example", None),
        ] {
            assert!(is_record(url), "{url}");
            assert_eq!(page_of(url).as_deref(), page, "{url}");
        }
        for url in [
            "http://a.example/",
            "https://a.example/?u=https://b/",
            "ftp://a.example/urn:x",
            "blob:https://a.example/1",
            "www.a.example/x",
            "data:,x",
        ] {
            assert!(!is_record(url), "{url}");
        }
    }
}
