//! A tree of the site as wayback_machine_downloader would fetch it from the Wayback Machine, made
//! of the responses in a web archive: files with the names that it gives (`download_file` of its
//! version 2.3), and references to captures of pages, as the archive writes them.
//!
//! The names are made of the URLs here, by the rules of that program and not by those of relink.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use encoding_rs::WINDOWS_1252;
use flate2::read::MultiGzDecoder;
use memchr::memmem;
use url::Url;

use super::super::octets;
use super::super::served::files;
use super::judge::Live;
use super::pages::{Found, Kind, Site, marked};

/// The start of the URL of a capture, up to the letters that say what for.
const ARCHIVE: &str = "https://web.archive.org/web/20200102030405";

/// Returns the path of the file of a URL. On Windows, some characters are escaped.
pub(super) fn file_of(url: &Url, is_windows: bool) -> PathBuf {
    Path::new(url.host_str().expect("a host")).join(path_of(url, is_windows))
}

/// Returns the path of the file of a URL below the directory of its host.
fn path_of(url: &Url, is_windows: bool) -> String {
    let rest = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let mut bytes = octets(&rest[1..].replace('+', " "));
    if std::str::from_utf8(&bytes).is_err() {
        bytes = WINDOWS_1252.decode_without_bom_handling(&bytes).0.into_owned().into_bytes();
    }
    let id = String::from_utf8(bytes).expect("UTF-8");
    let names: Vec<&str> = id.split('/').filter(|name| !name.is_empty()).collect();
    let is_directory =
        url.as_str().ends_with('/') || names.last().is_none_or(|name| !name.contains('.'));
    let mut path = names.join("/");
    if is_directory {
        path.push_str(if path.is_empty() { "index.html" } else { "/index.html" });
    }
    let escape = |char: char| {
        if is_windows && ":*?&=<>\\|".contains(char) {
            format!("%{:x}", u32::from(char))
        } else {
            char.to_string()
        }
    };
    path.chars().map(escape).collect()
}

/// Returns the URL of a capture of a page; with a scheme and a host that differ from those of the
/// page, if the tree has it.
fn captured(site: &Site, url: &Url, idx: usize) -> String {
    let has_page = matches!(site.ask(url), Found::Resource(_));
    let url = match idx % 3 {
        1 if has_page => url.as_str().replacen("http:", "https:", 1),
        2 if has_page => url.as_str().replacen("//b.example", "//www.b.example", 1),
        _ => url.as_str().to_owned(),
    };
    match idx % 4 {
        0 => format!("{ARCHIVE}/{url}"),
        1 => format!("{ARCHIVE}im_/{url}"),
        2 => format!("{}/{url}", ARCHIVE.strip_prefix("https://web.archive.org").expect("it")),
        _ => format!("{}/{url}", ARCHIVE.strip_prefix("https:").expect("it")),
    }
}

/// Returns the URLs and the bodies of the responses with status 200 in an archive that wget wrote:
/// neither chunked nor compressed.
fn responses(archive: &Path) -> Vec<(Url, Vec<u8>)> {
    let mut bytes = Vec::new();
    let file = fs::File::open(archive).expect("an archive");
    MultiGzDecoder::new(file).read_to_end(&mut bytes).expect("gzip");
    let (mut rest, mut responses) = (&*bytes, Vec::new());
    while let Some(end) = memmem::find(rest, b"\r\n\r\n") {
        let fields = String::from_utf8_lossy(&rest[..end]).into_owned();
        let field = |name: &str| fields.lines().find_map(|line| line.strip_prefix(name));
        let length: usize = field("Content-Length: ").expect("a length").parse().expect("a number");
        let block = &rest[end + 4..][..length];
        rest = &rest[end + 4 + length..];
        rest = rest.strip_prefix(b"\r\n\r\n").expect("the end of a record");
        if field("WARC-Type: ") == Some("response") && block.starts_with(b"HTTP/1.1 200 ") {
            let url = field("WARC-Target-URI: ").expect("a URL").trim_matches(['<', '>']);
            let body = memmem::find(block, b"\r\n\r\n").expect("a body") + 4;
            responses.push((Url::parse(url).expect("a URL"), block[body..].to_vec()));
        }
    }
    responses
}

/// Writes the tree of the responses in an archive. Returns their number.
pub(super) fn write(live: &Live<'_>, archive: &Path, directory: &Path, is_windows: bool) -> usize {
    let responses = responses(archive);
    for (url, body) in &responses {
        let Some(id) = marked(body) else { continue };
        let path = directory.join(file_of(url, is_windows));
        let mut body = body.clone();
        if live.site.resources[id].kind == Kind::Html {
            let mut text = String::from_utf8(body).expect("UTF-8");
            for (idx, reference) in live.references[id].values().enumerate() {
                let Some(url) = &reference.target else { continue };
                // The archive leaves references that begin so, and those of other schemes.
                let is_written = reference.text.starts_with(['#', '?']);
                if reference.text.is_empty() || is_written || url.scheme() != "http" {
                    continue;
                }
                let quoted = |text: &str| format!("=\"{}\"", super::generate::attribute(text));
                let new = if reference.is_metadata {
                    format!("{ARCHIVE}/{url}")
                } else {
                    captured(live.site, url, idx)
                };
                text = text.replace(&quoted(&reference.text), &quoted(&new));
            }
            body = text.into_bytes();
        }
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, body).expect("a file");
    }
    responses.len()
}

/// Replaces references to captures in a tree by those to the pages: the live site of the judge is
/// the archive.
pub(super) fn unwrap(tree: &Path) {
    for path in files(tree) {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let new = [&format!("{ARCHIVE}/"), &format!("{ARCHIVE}im_/")]
            .into_iter()
            .flat_map(|start| [start.clone(), start.replacen("https:", "http:", 1)])
            .fold(text.clone(), |text, start| text.replace(&start, ""));
        if new != text {
            fs::write(path, new).expect("a file");
        }
    }
}
