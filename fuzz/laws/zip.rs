//! Zip files of any bytes, and packages: pieces are the file; with other documents in it, it is
//! read again with them, every other member keeps its bytes, and the old file can be restored.

use std::io::{BufReader, Cursor};
use std::path::Path;
use std::sync::Arc;

use layers::Edits;
use relink::container::{
    Container, EPUB, Edited, FileType, OFFICE, OPEN_DOCUMENT, Piece, PieceText, PlacedPiece,
    Reading, Source, Zip,
};
use rewrite::{Limit, Limits, Media};

/// What is added to each document.
/// A comment, so that a table of a package stays well-formed.
pub(crate) const ADDED: &str = "<!-- http://h/d/e -->";

/// Packages, and the names of members that show them.
const PACKAGES: [(&str, &dyn Container); 3] = [
    ("META-INF/container.xml", &EPUB),
    ("META-INF/manifest.xml", &OPEN_DOCUMENT),
    ("[Content_Types].xml", &OFFICE),
];

/// Returns the format of a file.
fn container(bytes: &[u8]) -> &'static dyn Container {
    let has = |name: &str| bytes.windows(name.len()).any(|part| part == name.as_bytes());
    PACKAGES.iter().find(|(name, _)| has(name)).map_or(&Zip, |(_, package)| *package)
}

fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.set(Limit::DocumentSize.name(), "1M").expect("a limit");
    limits
}

/// Returns the pieces of a file.
fn pieces(container: &dyn Container, bytes: &[u8]) -> Vec<Piece> {
    let type_of = |path: &Path, head: &mut dyn FnMut() -> Vec<u8>| match path.extension() {
        Some(extension) if extension == "html" => FileType::Document(Media::HTML),
        Some(_) => FileType::Other,
        None if head().starts_with(b"<") => FileType::Document(Media::HTML),
        None => FileType::Unsupported("x"),
    };
    let mut reading = Reading { limits: limits(), jobs: None, type_of: &type_of };
    let source = Source::File(Box::new(Cursor::new(Arc::<[u8]>::from(bytes))));
    let pieces = container.pieces(source, &mut reading).expect("memory can be read");
    pieces.map(|piece| piece.expect("memory can be read")).collect()
}

/// Returns the document of a piece.
fn document(piece: &Piece) -> Option<Vec<u8>> {
    let is_signed = piece.member.as_ref().is_some_and(|member| member.is_signed);
    if piece.unit.is_none() || piece.broken.is_some() || is_signed {
        return None;
    }
    match Zip.content(piece, &limits()).ok()?.text {
        PieceText::Decoded(text) => Some(text),
        PieceText::Span(_) => panic!("a span"),
    }
}

pub(crate) fn check(bytes: &[u8]) {
    edited(bytes);
}

/// Returns a file in which each document is longer; `None` if there is none.
pub(crate) fn edited(bytes: &[u8]) -> Option<Vec<u8>> {
    let container = container(bytes);
    let old = pieces(container, bytes);
    let all: Vec<u8> = old.iter().flat_map(|piece| piece.bytes.to_vec()).collect();
    assert!(all == bytes, "the pieces are not the file");
    let (mut new, mut expected) = (Vec::new(), Vec::new());
    let mut placed = Vec::new();
    for piece in &old {
        let start = new.len();
        let rebuilt = match document(piece) {
            Some(text) => {
                let with = [&text[..], ADDED.as_bytes()].concat();
                let edits = Edits::default();
                let edited = Edited {
                    piece: &piece.bytes,
                    span: 0..piece.bytes.len(),
                    old: &text,
                    new: &with,
                    edits: &edits,
                    member: piece.member.as_deref(),
                    is_seen: bytes.len().is_multiple_of(2),
                };
                let rebuilt = container.rebuild(&edited).expect("it is rebuilt");
                let name = &piece.member.as_ref().expect("a member").name;
                expected.push((name.clone(), with));
                Some(rebuilt)
            }
            None if piece.is_tail && !placed.is_empty() => {
                Some(container.tail(&piece.bytes, piece.at, &placed).expect("it is updated"))
            }
            None => None,
        };
        let Some(rebuilt) = rebuilt else {
            new.extend_from_slice(&piece.bytes);
            continue;
        };
        new.extend_from_slice(&rebuilt.bytes);
        if let Some(fact) = rebuilt.fact {
            let old = piece.at..piece.at + piece.bytes.len() as u64;
            placed.push(PlacedPiece { old, new: start as u64..new.len() as u64, fact });
        }
        let mut before = Vec::new();
        let mut after = BufReader::new(Cursor::new(&rebuilt.bytes));
        let len = rebuilt.bytes.len() as u64;
        rebuilt.changes.undo(&mut after, len, &mut before).expect("it can be undone");
        assert!(piece.bytes == before, "undone");
    }
    if expected.is_empty() {
        return None;
    }
    let again = pieces(container, &new);
    let read = again.iter().filter_map(|piece| {
        let name = &piece.member.as_ref()?.name;
        Some((name.clone(), document(piece)?))
    });
    assert_eq!(read.collect::<Vec<_>>(), expected);
    Some(new)
}
