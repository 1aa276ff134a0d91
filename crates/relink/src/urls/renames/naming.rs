//! Names for files that say what the files are: `item.php?id=1` becomes `item-id-1.html`.
//!
//! A name depends on the path of the file, its type, and the other names in its directory, so that
//! it is the same in every run. A name that says what the file is, and that Windows and servers of
//! static files allow, stays.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf, is_separator};

use urlcore::escape::percent_decode;

use crate::os::digest::{self, Short, short};
use crate::os::paths::os_str;
use crate::os::portable;
use crate::urls::layout;

/// The extensions of a type of file; the first is the one that is added.
pub type Extensions = &'static [&'static str];

/// Pages, as browsers recognize them on a disk.
pub const HTML: Extensions = &["html", "htm", "xhtml", "xht", "shtml"];
/// Style sheets.
pub const CSS: Extensions = &["css"];
/// Scripts.
pub const SCRIPT: Extensions = &["js", "mjs"];
/// XML other than XHTML and SVG.
pub const XML: Extensions = &[
    "xml", "rss", "atom", "rdf", "xsl", "xslt", "xsd", "opml", "kml", "wsdl", "xhtml", "xht", "svg",
];
/// SVG.
pub const SVG: Extensions = &["svg", "svgz"];

/// The extensions of programs on a server, whose output has another type.
const PROGRAMS: [&str; 15] = [
    "php", "php3", "php4", "php5", "phtml", "asp", "aspx", "ashx", "cgi", "pl", "jsp", "jspx",
    "cfm", "do", "action",
];

/// The maximum length of a name, in bytes: with what other programs add, it fits everywhere.
const LONGEST: usize = 120;

/// The number of digits of a digest that distinguish names.
const N_DIGITS: usize = 8;

/// Types by their first bytes (MIME Sniffing standard, sections 6.1 to 6.3 and 7.1), with the mask
/// of bytes that may differ written as `?`.
#[rustfmt::skip]
const SIGNATURES: &[(&[u8], Extensions)] = &[
    (b"\x89PNG\r\n\x1a\n", &["png"]),
    (b"\xFF\xD8\xFF", &["jpg", "jpeg", "jpe", "jfif"]),
    (b"GIF87a", &["gif"]),
    (b"GIF89a", &["gif"]),
    (b"BM", &["bmp"]),
    (b"\x00\x00\x01\x00", &["ico"]),
    (b"\x00\x00\x02\x00", &["cur", "ico"]),
    (b"RIFF????WEBPVP", &["webp"]),
    (b"RIFF????WAVE", &["wav"]),
    (b"RIFF????AVI ", &["avi"]),
    (b"????ftypavif", &["avif"]),
    (b"????ftyp", &["mp4", "m4v", "m4a", "mov", "heic"]),
    (b"FORM????AIFF", &["aiff", "aif"]),
    (b"ID3", &["mp3"]),
    (b"OggS\x00", &["ogg", "oga", "ogv", "opus"]),
    (b"MThd\x00\x00\x00\x06", &["mid", "midi"]),
    (b"\x1A\x45\xDF\xA3", &["webm", "mkv"]),
    (b"wOFF", &["woff"]),
    (b"wOF2", &["woff2"]),
    (b"\x00\x01\x00\x00", &["ttf"]),
    (b"OTTO", &["otf"]),
    (b"%PDF-", &["pdf"]),
    (b"%!PS-Adobe-", &["ps", "eps"]),
    (b"\x1F\x8B\x08", &["gz", "tgz", "svgz"]),
    (b"PK\x03\x04", &["zip", "docx", "xlsx", "pptx", "odt", "ods", "odp", "epub", "jar", "xpi", "apk"]),
    (b"Rar \x1A\x07\x00", &["rar"]),
];

/// Returns the extensions of a file that is no document, by its first bytes; `None` if they do not
/// give its type.
pub fn sniff(head: &[u8]) -> Option<Extensions> {
    let is_one = |signature: &[u8]| {
        head.len() >= signature.len()
            && signature
                .iter()
                .zip(head)
                .all(|(expected, byte)| expected == byte || *expected == b'?')
    };
    // "BM" alone begins many texts.
    let found = SIGNATURES.iter().find(|(signature, _)| is_one(signature));
    let is_text = || head.iter().all(|byte| matches!(byte, b'\t'..=b'\r' | 0x1B | b' '..));
    found.filter(|(signature, _)| signature.len() > 3 || !is_text()).map(|(_, names)| *names)
}

/// A file to be named: its path below its PATH, and the extensions of its type, if it is known.
#[derive(Clone, Debug)]
pub struct Unnamed {
    /// Its path.
    pub below: PathBuf,
    /// The extensions of its type.
    pub extensions: Option<Extensions>,
}

/// Files, or a directory, with one name in a directory.
struct Child<'p> {
    name: &'p [u8],
    /// The path of a file in it, or its own, and the bytes of that up to the end of its name.
    file: &'p Path,
    end: usize,
    /// The extensions of a file; `None` for a directory.
    extensions: Option<Extensions>,
    /// The positions of the files that it is or contains, in the order of paths.
    files: Range<usize>,
}

/// Returns the new paths of the files of a PATH, in the same order.
pub fn new_paths(files: &[Unnamed]) -> Vec<PathBuf> {
    let mut new = vec![PathBuf::new(); files.len()];
    for_each_path(files, |positions, path| {
        positions.iter().for_each(|idx| new[*idx] = path.to_owned());
    });
    new
}

/// Calls `give` with the positions of each file of a PATH, which is one unless files have the same
/// path, and its new path.
pub fn for_each_path(files: &[Unnamed], mut give: impl FnMut(&[usize], &Path)) {
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_unstable_by(|one, other| compared(&files[*one].below, &files[*other].below));
    // The directories to do: their files in `order`, their length as paths, and their new path.
    let mut directories = vec![(0..files.len(), 0, PathBuf::new())];
    while let Some((range, length, outer)) = directories.pop() {
        let children = children(files, &order, range, length);
        for (child, name) in children.iter().zip(names(&children)) {
            let path = outer.join(name);
            match child.extensions {
                Some(_) => give(&order[child.files.clone()], &path),
                None => directories.push((child.files.clone(), child.end + 1, path)),
            }
        }
    }
}

/// Compares paths by their components: a directory is followed by what it contains.
fn compared(one: &Path, other: &Path) -> Ordering {
    let [one, other] = [one, other].map(|path| path.as_os_str().as_encoded_bytes());
    let rank = |byte: &u8| (!is_separator(char::from(*byte)), *byte);
    let n_same = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    one.get(n_same).map(rank).cmp(&other.get(n_same).map(rank))
}

/// Returns what a directory contains. It has `length` bytes, with the separator, and is that of a
/// range of `order`.
fn children<'p>(
    files: &'p [Unnamed],
    order: &[usize],
    range: Range<usize>,
    length: usize,
) -> Vec<Child<'p>> {
    let mut children: Vec<Child<'p>> = Vec::new();
    for at in range {
        let Unnamed { below, extensions } = &files[order[at]];
        let rest = below.as_os_str().as_encoded_bytes().get(length..).unwrap_or_default();
        let n_name = rest.iter().position(|byte| is_separator(char::from(*byte)));
        let extensions = n_name.is_none().then(|| extensions.unwrap_or(&[]));
        let name = &rest[..n_name.unwrap_or(rest.len())];
        match children.last_mut() {
            Some(last)
                if last.name == name && last.extensions.is_some() == extensions.is_some() =>
            {
                last.files.end = at + 1;
            }
            _ => {
                let end = length + name.len();
                children.push(Child { name, file: below, end, extensions, files: at..at + 1 });
            }
        }
    }
    children
}

impl Child<'_> {
    /// Returns the digest of its path.
    fn digest(&self) -> String {
        let path = self.file.as_os_str().as_encoded_bytes().iter().take(self.end);
        let slash = |byte: &u8| if is_separator(char::from(*byte)) { b'/' } else { *byte };
        digest::of_bytes(&path.map(slash).collect::<Vec<u8>>()).to_string()
    }
}

/// Returns the names of the files and directories in a directory: no two are the same without
/// letter case. Directories have no extensions here.
fn names(children: &[Child<'_>]) -> Vec<String> {
    // Each with its name, the hash of that without letter case, and whether the name is final.
    let mut names: Vec<(&Child<'_>, String, Short, bool)> = children
        .iter()
        .map(|child| {
            let name = match child.extensions {
                Some(extensions) => file_name(child.name, extensions),
                None => fitted(&cleaned(child.name), ""),
            };
            let (folded, stays) = (folded(&name), name.as_bytes() == child.name);
            (child, name, folded, stays)
        })
        .collect();
    let mut n_wanted: HashMap<Short, usize> = HashMap::new();
    for (_, _, folded, _) in &names {
        *n_wanted.entry(*folded).or_default() += 1;
    }
    let mut taken: HashSet<Short> = HashSet::new();
    // Names that stay come first, then those that nothing else wants.
    for (_, _, folded, is_final) in &mut names {
        *is_final = *is_final && taken.insert(*folded);
    }
    for (child, name, wanted, _) in names.iter_mut().filter(|(.., is_final)| !is_final) {
        if n_wanted.get(wanted).is_none_or(|n| *n == 1) && taken.insert(*wanted) {
            continue;
        }
        let digest = child.digest();
        let mut n_digits = N_DIGITS;
        loop {
            let other = with_suffix(name, &digest[..n_digits]);
            if taken.insert(folded(&other)) || n_digits == digest.len() {
                *name = other;
                break;
            }
            n_digits += 1;
        }
    }
    names.into_iter().map(|(_, name, ..)| name).collect()
}

/// Returns the hash of a name without letter case.
fn folded(name: &str) -> Short {
    short(portable::folded(name).as_bytes())
}

/// Returns a name with text before its extension.
fn with_suffix(name: &str, suffix: &str) -> String {
    let (stem, extension) = split(name);
    fitted(&format!("{stem}-{suffix}"), &extension.map_or(String::new(), |text| format!(".{text}")))
}

/// Returns the name of a file whose type has these extensions.
fn file_name(own: &[u8], extensions: Extensions) -> String {
    let (base, query) = match layout::query_mark(own) {
        Some(mark) => (&own[..mark], Some(&own[mark + 1..])),
        None => (own, None),
    };
    let base = cleaned(base);
    let is_of_type =
        |extension: &str| extensions.iter().any(|known| known.eq_ignore_ascii_case(extension));
    let (stem, extension) = split(&base);
    // What the name says of the type, and what it says of the page.
    let (stem, kept) = match extension {
        Some(extension) if extensions.is_empty() || is_of_type(extension) => {
            (stem, Some(extension))
        }
        Some(extension) if is_program(extension) => (stem, None),
        Some(_) | None => (&*base, None),
    };
    let added = kept.or(extensions.first().copied());
    let mut name = stem.to_owned();
    if let Some(query) = query {
        let slug = slug(query);
        // `?f=a.png` and `?id=1.html` say it already.
        let (start, end) = split(&slug);
        let slug = match end {
            Some(end) if is_of_type(end) => start.to_owned(),
            _ => slug,
        };
        if !slug.is_empty() {
            name.push('-');
            name.push_str(&slug);
        }
    }
    if name.is_empty() {
        name.push('-');
    }
    fitted(&name, &added.map_or(String::new(), |added| format!(".{added}")))
}

fn is_program(extension: &str) -> bool {
    PROGRAMS.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

/// Splits a name at its extension. A dot in front does not begin one.
fn split(name: &str) -> (&str, Option<&str>) {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() && !extension.is_empty() => {
            (stem, Some(extension))
        }
        _ => (name, None),
    }
}

/// Returns a name in which characters are replaced that Windows does not allow, that a URL escapes
/// as delimiters, or that are no text.
fn cleaned(name: &[u8]) -> String {
    let is_bad =
        |char: char| char.is_control() || char == '\u{FFFD}' || "<>:\"/\\|?*#%".contains(char);
    let name = String::from_utf8_lossy(name);
    name.chars().map(|char| if is_bad(char) { '-' } else { char }).collect()
}

/// Returns the text of a query in a name: its words, with hyphens between them.
fn slug(query: &[u8]) -> String {
    let query = percent_decode(&String::from_utf8_lossy(query)).into_owned();
    let mut slug = String::new();
    for char in String::from_utf8_lossy(&query).chars() {
        match char {
            '.' | '_' | '~' => slug.push(char),
            char if char.is_alphanumeric() => slug.push(char),
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    slug.trim_end_matches(['-', '.']).to_owned()
}

/// Returns a name of at most [`LONGEST`] bytes that Windows allows, which ends with `extension`.
fn fitted(stem: &str, extension: &str) -> String {
    let mut stem = stem.trim_end_matches(' ').to_owned();
    if extension.is_empty() {
        let kept = stem.trim_end_matches(['.', ' ']).len();
        stem.truncate(kept);
    }
    if stem.len() + extension.len() > LONGEST {
        let digest = digest::of_bytes(stem.as_bytes()).to_string();
        let mut end = LONGEST - extension.len().min(LONGEST / 2) - N_DIGITS - 1;
        while !stem.is_char_boundary(end) {
            end -= 1;
        }
        stem.truncate(end);
        stem = format!("{}-{}", stem.trim_end_matches(['-', '.', ' ']), &digest[..N_DIGITS]);
    }
    let name = format!("{stem}{extension}");
    // The name of a device is one with any extension.
    let is_allowed = os_str(name.as_bytes()).is_some_and(portable::is_allowed);
    match is_allowed || name.is_empty() {
        true if name.is_empty() => "-".to_owned(),
        true => name,
        false => {
            let (first, rest) = name.split_once('.').unwrap_or((&name, ""));
            let dot = if rest.is_empty() { "" } else { "." };
            format!("{first}-{dot}{rest}")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn name(own: &str, extensions: Extensions) -> String {
        file_name(own.as_bytes(), extensions)
    }

    #[test]
    fn names_say_what_files_are() {
        for (own, expected) in [
            ("item.php?id=1", "item-id-1.html"),
            ("item.php@id=1&b=%C3%BC%2Fx", "item-id-1-b-\u{fc}-x.html"),
            ("item.php?id=1.html", "item-id-1.html"),
            ("about", "about.html"),
            ("index.html", "index.html"),
            ("index.html?page=2", "index-page-2.html"),
            ("a.htm", "a.htm"),
            ("p.php", "p.html"),
            ("p.php.html", "p.php.html"),
            ("release-1.2", "release-1.2.html"),
            ("File:Logo.png", "File-Logo.png.html"),
            ("a b%20c.html", "a b-20c.html"),
            ("?q", "-q.html"),
            ("con", "con-.html"),
            ("x.cgi?", "x.html"),
            (".htaccess", ".htaccess.html"),
        ] {
            assert_eq!(name(own, HTML), expected, "{own}");
        }
        assert_eq!(name("style.cgi?theme=dark", CSS), "style-theme-dark.css");
        assert_eq!(name("style.css?v=2", CSS), "style-v-2.css");
        assert_eq!(name("load.php?m=a.js", SCRIPT), "load-m-a.js");
        assert_eq!(name("img.php?f=a.png", &["png"]), "img-f-a.png");
        assert_eq!(name("sans.eot?", &[]), "sans.eot");
        assert_eq!(name("README", &[]), "README");
        assert_eq!(name("a.txt.", &[]), "a.txt");
        let long = name(&"\u{e9}".repeat(100), HTML);
        assert!(long.len() <= LONGEST && long.ends_with(".html"), "{long}");
    }

    #[test]
    fn types_are_sniffed() {
        assert_eq!(sniff(b"\x89PNG\r\n\x1a\n\0\0"), Some(&["png"][..]));
        assert_eq!(sniff(b"RIFF\0\0\0\0WEBPVP8 "), Some(&["webp"][..]));
        assert_eq!(sniff(b"BM is a text"), None);
        assert_eq!(sniff(b"wOF2\0\x01\0\0").map(|names| names[0]), Some("woff2"));
        assert_eq!(sniff(b""), None);
    }

    #[test]
    fn no_two_names_differ_in_letter_case_only() {
        let file = |below: &str| Unnamed { below: below.into(), extensions: Some(HTML) };
        let all = [
            "h/A.html",
            "h/a.html",
            "h/b",
            "h/b.html",
            "h/c.php?x=1",
            "h/c.php?x-1",
            "h/D/x",
            "h/d.html/y",
        ];
        let files: Vec<Unnamed> = all.iter().map(|below| file(below)).collect();
        let new = new_paths(&files);
        let folded: BTreeSet<String> =
            new.iter().map(|path| path.to_string_lossy().to_lowercase()).collect();
        assert_eq!(folded.len(), all.len(), "{new:?}");
        assert_eq!(new[0], Path::new("h/A.html"));
        assert_eq!(new[3], Path::new("h/b.html"));
        assert_eq!(new[6], Path::new("h/D/x.html"));
        // A file and a directory with one name get two, and files with one path get one.
        let both = new_paths(&["a.html", "a.html/b", "a.html/b"].map(file));
        assert_eq!((&both[0], &both[1]), (&PathBuf::from("a.html"), &both[2]));
        let path = both[1].to_string_lossy().into_owned();
        assert!(path.starts_with("a-") && path.ends_with(".html/b.html"), "{path}");
        // Every name stays in a second run.
        let again: Vec<Unnamed> = new
            .iter()
            .map(|below| Unnamed { below: below.clone(), extensions: Some(HTML) })
            .collect();
        assert_eq!(new_paths(&again), new);
        // The order of the files does not matter.
        let reversed: Vec<Unnamed> = files.iter().rev().cloned().collect();
        assert_eq!(new_paths(&reversed).into_iter().rev().collect::<Vec<_>>(), new);
    }
}
