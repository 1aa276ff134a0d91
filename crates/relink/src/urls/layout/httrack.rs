//! The list of the URLs and files of a mirror that HTTrack keeps.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};

use urlcore::escape::percent_decode;

use crate::os::paths::Root;

/// The list, below the mirror.
pub const LIST: &str = "hts-cache/new.txt";

/// The number of bytes of a line of the list that are read; the rest of a longer line is read as
/// another line.
const LINE: u64 = 64 * 1024;

/// Returns true if HTTrack has left its list, or its log, in a mirror.
pub fn has_notes(mirror: &Root) -> bool {
    let Root::Path { typed: mirror, store, .. } = mirror else { return false };
    ["hts-cache", "hts-log.txt"].iter().any(|name| store.kind(&mirror.join(name)).is_ok())
}

/// Returns the URLs of the files of a mirror, by their paths below it. Its list has a line for each
/// answer, with its fields between tabs. The eighth is the URL, the ninth the file, whose path may
/// begin with that of the mirror.
pub fn listed(
    list: Option<impl Read>,
    is_file: impl Fn(&[u8]) -> bool,
) -> HashMap<Vec<u8>, String> {
    let mut urls = HashMap::new();
    let Some(list) = list else { return urls };
    let mut list = BufReader::new(list);
    let mut line = Vec::new();
    while (&mut list).take(LINE).read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
        let mut fields = line.split(|byte| *byte == b'\t').skip(7);
        if let (Some(url), Some(file)) = (fields.next(), fields.next())
            && let Ok(url) = std::str::from_utf8(url)
            && let Some(below) = listed_file(file, &is_file)
        {
            // A later answer for the same file replaces the earlier one, as the file was replaced.
            urls.insert(below, url.split('#').next().unwrap_or_default().to_owned());
        }
        line.clear();
    }
    urls
}

/// Returns the file with a path in the list, where some characters of names are escaped.
fn listed_file(path: &[u8], is_file: impl Fn(&[u8]) -> bool) -> Option<Vec<u8>> {
    let as_written = suffix(path, &is_file).map(<[u8]>::to_vec);
    as_written.or_else(|| {
        let unescaped = percent_decode(std::str::from_utf8(path).ok()?);
        suffix(&unescaped, &is_file).map(<[u8]>::to_vec)
    })
}

/// Returns the longest rest of a path, from the start of a name on, that is a file.
fn suffix(path: &[u8], is_file: impl Fn(&[u8]) -> bool) -> Option<&[u8]> {
    let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    let starts = std::iter::once(0).chain(slashes.map(|(idx, _)| idx + 1));
    starts.map(|start| &path[start..]).find(|rest| is_file(rest))
}

#[cfg(test)]
mod tests {
    use super::{listed_file, suffix};

    #[test]
    fn a_listed_path_may_begin_with_that_of_the_mirror() {
        let file = |path: &'static str| {
            suffix(path.as_bytes(), |rest| rest == b"h.example/a.html").is_some()
        };
        assert!(file("h.example/a.html") && file("./h.example/a.html"));
        assert!(file("/mirrors/x/h.example/a.html"));
        assert!(!file("xh.example/a.html") && !file("") && !file("h.example/"));
        let escaped = listed_file(b"./web/three%20four.png", |rest| rest == b"web/three four.png");
        assert_eq!(escaped.as_deref(), Some(&b"web/three four.png"[..]));
    }
}
