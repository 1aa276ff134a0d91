//! What a record of a web archive is for the index.

use std::io::Read;

use rewrite::Resolver;
use urlcore::Dialect;
use warc::{DecodeLimits, HttpResponse, Record, RecordHeader, RecordType};

use super::captured_pages::{Page, Source};
use super::captures::Place;
use super::targets::id;
use crate::container::archive::{head, http_header, incomplete};
use crate::digest::{Short, short};
use crate::media;

/// What a capture is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// The record has the content.
    Content,
    /// It has a part of the content (RFC 9110, section 15.3.7).
    Part,
    /// The identifier of the URL to which it redirects.
    Redirect(Short),
    /// It repeats another capture: the [`moment`] of that, if the record names it.
    Revisit(Option<Short>),
}

/// What a record is for the index.
pub(super) enum Found {
    /// A capture; for a redirect, the fragment that it adds.
    Capture(Page, Kind, Option<String>),
    /// A part of a capture; the reason.
    Incomplete(String),
    Nothing,
}

/// Returns what a record is.
pub(super) fn found<R: Read>(
    record: &mut Record<'_, R>,
    (archive, place): (u32, Place),
) -> Result<Found, warc::Error> {
    let header = record.header();
    let record_type = header.record_type;
    let is_content = match record_type {
        RecordType::Response => header.is_http_response(),
        RecordType::Resource => true,
        _ => false,
    };
    let Some(url) = header.target_uri().map(Into::into) else { return Ok(Found::Nothing) };
    if let (true, Some(reason)) = (is_content, incomplete(header)) {
        return Ok(Found::Incomplete(reason));
    }
    let time = digits(header.date().unwrap_or_default());
    let digest = header.payload_digest().map(|digest| short(digest.as_bytes()));
    let source = Source { archive, place, digest, is_http: true };
    let mut page = Page { url, time, media_type: None, charset: None, source };
    let kind = match record_type {
        RecordType::Response if is_content => {
            let Ok(response) = HttpResponse::read(head(record)?) else {
                return Ok(Found::Nothing);
            };
            describe(&mut page, &response);
            match response.status() {
                // Neither has content.
                204 | 205 | 304 => return Ok(Found::Nothing),
                200..300 if response.is_partial() => Kind::Part,
                200..300 => Kind::Content,
                300..400 => match redirect(&page, &response) {
                    Some((kind, fragment)) => return Ok(Found::Capture(page, kind, fragment)),
                    None => return Ok(Found::Nothing),
                },
                _ => return Ok(Found::Nothing),
            }
        }
        RecordType::Resource => {
            page.source.is_http = false;
            // A header field of HTTP has the same parameters.
            let fields = http_header(header.content_type().unwrap_or_default());
            HttpResponse::read(fields.as_bytes()).iter().for_each(|head| describe(&mut page, head));
            Kind::Content
        }
        RecordType::Revisit => {
            let original = repeated(header);
            let response = HttpResponse::read(head(record)?).ok();
            // It may repeat a redirect, or an error.
            if response.as_ref().is_some_and(|response| response.status() >= 400) {
                return Ok(Found::Nothing);
            }
            response.iter().for_each(|response| describe(&mut page, response));
            match response.as_ref().filter(|response| is_redirect(response)) {
                Some(response) => match redirect(&page, response) {
                    Some((kind, fragment)) => return Ok(Found::Capture(page, kind, fragment)),
                    None => return Ok(Found::Nothing),
                },
                None => Kind::Revisit(original),
            }
        }
        _ => return Ok(Found::Nothing),
    };
    Ok(Found::Capture(page, kind, None))
}

/// Returns true if a response redirects.
fn is_redirect(response: &HttpResponse<'_>) -> bool {
    let status = response.status();
    (300..400).contains(&status) && status != 304 && response.location().is_some()
}

/// Returns what a response is that redirects to another URL.
fn redirect(page: &Page, response: &HttpResponse<'_>) -> Option<(Kind, Option<String>)> {
    let to = response.location().filter(|_| is_redirect(response))?;
    let url = resolved(&page.url, &to)?;
    let fragment = url.find('#').map(|at| url[at..].to_owned());
    let to = id(&url);
    (to != id(&page.url)).then_some((Kind::Redirect(to), fragment))
}

/// Sets media type and charset by the header section of a response; without a media type there, by
/// the start of the body.
fn describe(page: &mut Page, response: &HttpResponse<'_>) {
    page.media_type = response.media_type();
    page.charset = response.charset();
    if page.media_type.is_none() {
        // The body may be cut off here.
        let body = response.decoded_body(&DecodeLimits::default()).unwrap_or_default();
        let media = media::of_document(None, &body);
        page.media_type = media.map(|media| media.name().to_owned());
    }
}

/// Returns the [`moment`] of the capture that a `revisit` record repeats.
fn repeated(header: &RecordHeader) -> Option<Short> {
    let url = header.refers_to_target_uri().or(header.target_uri())?;
    Some(moment(id(url), &digits(header.refers_to_date()?)))
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
