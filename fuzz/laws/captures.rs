//! Web archives are unpacked into OUT and nowhere else; a second run writes nothing; and each
//! reference leads to the file of the capture of its URL, or stays absolute if there is none.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use relink::UnpackOptions;

use super::unpack::{assert_name, no_two_are_alike, read, unpack};

/// URLs of records and of references, by what they lead to: those in a row are the same.
const URLS: [&[&str]; 14] = [
    &["http://h.example/", "http://H.example:80", "http://h.example/x/.."],
    &["http://h.example/a", "http://h.example/./a#f", "http://h.example/%61"],
    &["http://h.example/A"],
    &["https://h.example/a"],
    &["http://h.example/a/", "http://h.example/a/?"],
    &["http://h.example/a/index.html"],
    &["http://h.example/a/b.php?id=1", "http://h.example/a/c/../b.php?id=1"],
    &["http://h.example/a/b.php?id-1"],
    &["http://h.example/../../etc/passwd", "http://h.example/etc/passwd"],
    &["http://h.example/%2e%2e%2f%2e%2e%2fx"],
    &["http://h.example/a%5C..%5Cb/con:x.%00"],
    &["http://u@h.example/a"],
    &["http://h.example/x.png/y"],
    &["http://h.example/x.png"],
];

/// What the content of a capture is: the number of its record, or the image that several have.
type Content = usize;
const IMAGE: Content = usize::MAX;

/// What the model knows of a record.
#[derive(Clone, Copy)]
enum What {
    Content(Content),
    Redirect(usize),
}

/// A record with content, or with a redirect.
#[derive(Clone, Copy)]
struct Capture {
    what: What,
    time: u8,
    is_complete: bool,
    /// The number of its record.
    number: usize,
}

/// The records of an archive, and the captures that lead to files.
#[derive(Default)]
struct Model {
    archive: Vec<u8>,
    /// The captures of each row of [`URLS`].
    captures: BTreeMap<usize, Vec<Capture>>,
    /// The records with content: their row, and what is known of them.
    contents: Vec<(usize, Capture)>,
    /// The records that repeat others.
    revisits: Vec<Revisit>,
}

/// The row of a record that repeats another, its time and number, and row and time of the other.
type Revisit = (usize, (u8, usize), (usize, u8));

/// A URL of the table by one byte, and its row.
fn url(octet: u8) -> (usize, &'static str) {
    let row = usize::from(octet) % URLS.len();
    (row, URLS[row][usize::from(octet) / URLS.len() % URLS[row].len()])
}

/// A body in a content coding: a stored block (RFC 1951, section 3.2.4) in zlib (RFC 1950).
fn deflated(body: &[u8]) -> Vec<u8> {
    let length = u16::try_from(body.len()).expect("a short body");
    let (a, b) = body.iter().fold((1_u32, 0_u32), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65521;
        (a, (a + b) % 65521)
    });
    let (length, check) = ([length.to_le_bytes(), (!length).to_le_bytes()], (b << 16) | a);
    [&[0x78, 1, 1], &*length.concat(), body, &check.to_be_bytes()].concat()
}

impl Model {
    /// Adds a record that four bytes describe.
    fn add(&mut self, number: usize, [kind, of, to, form]: [u8; 4]) {
        let ((row, url), (to_row, target), time) = (url(of), url(to), form >> 4);
        let hrefs = [to, to.wrapping_add(form), of.wrapping_mul(7), kind];
        let links = hrefs.map(|octet| format!("<a href=\"{}\">x</a>", self::url(octet).1));
        let page = format!("<p>record {number};</p>{}", links.concat()).into_bytes();
        let html = "Content-Type: text/html\r\n";
        let (mut content, mut more) = (Some(What::Content(number)), String::new());
        let (mut is_complete, mut repeated) = (form % 5 < 3, None);
        let (name, block) = match kind % 8 {
            0..3 => ("response", response("200 OK", html, &page, form)),
            3 => {
                content = Some(What::Redirect(to_row));
                is_complete = true;
                let location = format!("Location: {target}\r\n");
                ("response", response("301 Moved", &location, b"", 0))
            }
            4 if !self.contents.is_empty() => {
                let (row, Capture { time, .. }) =
                    self.contents[usize::from(to) % self.contents.len()];
                more = format!(
                    "WARC-Refers-To-Target-URI: {}\r\nWARC-Refers-To-Date: {}\r\n",
                    canonical(row),
                    date(time)
                );
                repeated = Some((row, time));
                ("revisit", Vec::new())
            }
            5 => {
                is_complete = true;
                ("resource", page)
            }
            6 => {
                content = None;
                ("response", response("404 Not Found", html, &page, form))
            }
            _ => {
                content = Some(What::Content(IMAGE));
                "WARC-Payload-Digest: sha1:IMAGE\r\n".clone_into(&mut more);
                let image = "Content-Type: image/png\r\n";
                ("response", response("200 OK", image, b"\x89PNG\r\n\x1a\n", form))
            }
        };
        let media = if name == "resource" { "text/html" } else { "application/http" };
        let (date, length) = (date(time), block.len());
        let header = format!(
            "WARC/1.1\r\nWARC-Type: {name}\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n{more}\
             Content-Type: {media}\r\nContent-Length: {length}\r\n\r\n"
        );
        self.archive.extend([header.as_bytes(), &block, b"\r\n\r\n"].concat());
        let Some(what) = content else { return };
        let capture = Capture { what, time, is_complete, number };
        match repeated {
            Some(original) => self.revisits.push((row, (time, number), original)),
            None => self.captures.entry(row).or_default().push(capture),
        }
        if let (What::Content(_), None) = (what, repeated) {
            self.contents.push((row, capture));
        }
    }

    /// Adds the captures that repeat others: the first complete one with that URL and time, or else
    /// the first one.
    fn add_revisits(&mut self) {
        for (row, (time, number), (of, at)) in std::mem::take(&mut self.revisits) {
            let same = self.contents.iter().filter(|(row, one)| *row == of && one.time == at);
            if let Some((_, original)) = same.min_by_key(|(_, one)| !one.is_complete) {
                let capture = Capture { time, number, ..*original };
                self.captures.entry(row).or_default().push(capture);
            }
        }
        for captures in self.captures.values_mut() {
            captures.sort_by_key(|one| {
                let is_redirect = matches!(one.what, What::Redirect(_));
                (std::cmp::Reverse(one.time), is_redirect, one.number)
            });
        }
    }

    /// Returns the content to which each row of [`URLS`] leads: complete ones first.
    fn contents(&self) -> BTreeMap<usize, Content> {
        let mut chosen: BTreeMap<usize, Capture> = BTreeMap::new();
        for is_last in [false, true] {
            let open: Vec<usize> =
                self.captures.keys().copied().filter(|row| !chosen.contains_key(row)).collect();
            let of = |row: &usize| {
                self.captures[row].iter().filter(move |one| one.is_complete || is_last)
            };
            let mut good: Vec<usize> = chosen.keys().copied().collect();
            let leads = |one: &Capture, good: &[usize]| match one.what {
                What::Content(_) => true,
                What::Redirect(to) => good.contains(&to),
            };
            while let Some(row) =
                open.iter().find(|row| !good.contains(row) && of(row).any(|one| leads(one, &good)))
            {
                good.push(*row);
            }
            for row in open.iter().filter(|row| good.contains(row)) {
                chosen.extend(of(row).find(|one| leads(one, &good)).map(|one| (*row, *one)));
            }
            // Instead of a redirect that comes back, the next one counts that does not.
            loop {
                let passes = |one: &Capture, row: usize| {
                    let mut at = one.what;
                    for _ in 0..=URLS.len() {
                        match at {
                            What::Redirect(to) if to == row => return true,
                            What::Redirect(to) => at = chosen[&to].what,
                            What::Content(_) => return false,
                        }
                    }
                    false
                };
                let next = |row: &usize| {
                    let pick = *chosen.get(row)?;
                    let is_pick = |one: &&Capture| one.number != pick.number;
                    let mut later = of(row).filter(|one| leads(one, &good)).skip_while(is_pick);
                    let better = later.find(|one| !passes(one, *row))?;
                    passes(&pick, *row).then_some((*row, *better))
                };
                let changes: Vec<(usize, Capture)> = open.iter().filter_map(next).collect();
                if changes.is_empty() {
                    break;
                }
                chosen.extend(changes);
            }
        }
        let content = |(row, mut one): (&usize, Capture)| {
            for _ in 0..=URLS.len() {
                match one.what {
                    What::Content(content) => return Some((*row, content)),
                    What::Redirect(to) => one = chosen[&to],
                }
            }
            None
        };
        chosen.iter().map(|(row, one)| (row, *one)).filter_map(content).collect()
    }
}

fn canonical(row: usize) -> &'static str {
    URLS[row][0]
}

fn date(time: u8) -> String {
    format!("2020-01-{:02}T00:00:00Z", time + 1)
}

/// A response whose body is chunked, in a content coding, or shorter than its length says.
fn response(status: &str, fields: &str, body: &[u8], form: u8) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\n{fields}");
    let (fields, body) = match form % 5 {
        1 => {
            let chunk = format!("{:x}\r\n", body.len());
            let body = [chunk.as_bytes(), body, b"\r\n0\r\n\r\n"].concat();
            ("Transfer-Encoding: chunked\r\n", body)
        }
        2 => ("Content-Encoding: deflate\r\n", deflated(body)),
        3 => ("Content-Length: 99999\r\n", body.to_owned()),
        4 => {
            let chunk = format!("{:x}\r\n", body.len());
            ("Transfer-Encoding: chunked\r\n", [chunk.as_bytes(), body].concat())
        }
        _ => ("", body.to_owned()),
    };
    [head.as_bytes(), fields.as_bytes(), b"\r\n", &body].concat()
}

/// Checks an archive: of any bytes if the first one is odd, or else of drawn records.
pub(crate) fn check(input: &[u8]) {
    let Some((first, rest)) = input.split_first() else { return };
    let mut model = Model::default();
    if first % 2 == 1 {
        model.archive = rest.to_owned();
    } else {
        let records = rest.as_chunks::<4>().0.iter().take(24);
        records.enumerate().for_each(|(number, octets)| model.add(number, *octets));
        model.add_revisits();
    }
    let directory = tempfile::tempdir().expect("a directory");
    let place = directory.path();
    let (given, out) = (place.join("a.warc"), place.join("out"));
    fs::write(&given, &model.archive).expect("a file");
    unpack(&given, UnpackOptions::new(&out).no_twins());
    let files = if out.exists() { read(&out) } else { BTreeMap::new() };
    files.keys().for_each(|path| assert_name(path));
    no_two_are_alike(files.keys());
    let again = unpack(&given, UnpackOptions::new(&out).update().delete().no_twins());
    assert_eq!((again.n_files, again.n_removed), (0, 0), "a second run writes or removes");
    assert!(files.is_empty() || read(&out) == files, "a second run changes files");
    assert_eq!(fs::read(&given).expect("a file"), model.archive, "the input was changed");
    assert!(fs::read_dir(place).expect("a directory").count() <= 2, "another file is there");
    if first % 2 == 0 {
        let contents = model.contents();
        assert!(contents.is_empty() || files.len() > 1, "no file of a capture");
        files.iter().for_each(|(path, page)| references((&model, &contents), &files, path, page));
    }
}

/// Returns what a file has.
fn content_of(file: &[u8]) -> Option<Content> {
    if file.starts_with(b"\x89PNG") {
        return Some(IMAGE);
    }
    let text = std::str::from_utf8(file).ok()?;
    text.strip_prefix("<p>record ")?.split(';').next()?.parse().ok()
}

/// Each reference of a page leads to the capture of its URL, or is the one of the archive.
fn references(
    (model, contents): (&Model, &BTreeMap<usize, Content>),
    files: &BTreeMap<PathBuf, Vec<u8>>,
    path: &Path,
    page: &[u8],
) {
    let Some(number) = content_of(page).filter(|content| *content != IMAGE) else { return };
    let archive = String::from_utf8_lossy(&model.archive);
    let hrefs = |text: &str| -> Vec<String> {
        let hrefs = text.split("<a href=\"").skip(1).take(4);
        hrefs.map(|rest| rest.split('"').next().unwrap_or_default().to_owned()).collect()
    };
    let original = archive.split(&format!("<p>record {number};")).nth(1).expect("the record");
    let page = String::from_utf8_lossy(page);
    let root = url::Url::parse("file:///out/").expect("a URL");
    let mut base = root.clone();
    base.path_segments_mut()
        .expect("a path")
        .pop_if_empty()
        .extend(path.iter().map(|name| name.to_str().expect("UTF-8")));
    for (before, after) in hrefs(original).iter().zip(hrefs(&page)) {
        let row = URLS.iter().position(|urls| urls.contains(&&**before)).expect("a URL");
        let Some(expected) = contents.get(&row).copied() else {
            assert_eq!(*before, after, "{}", path.display());
            continue;
        };
        let target = base.join(&after).expect("a URL");
        let below = target.path().strip_prefix(root.path()).expect("a URL in OUT");
        let below = PathBuf::from(String::from_utf8_lossy(&decoded(below)).into_owned());
        let found = files.get(&below).and_then(|file| content_of(file));
        assert_eq!(found, Some(expected), "{before} is {after} in {}", path.display());
    }
}

/// Decodes the escapes of a path.
fn decoded(path: &str) -> std::borrow::Cow<'_, [u8]> {
    urlcore::escape::percent_decode(path)
}
