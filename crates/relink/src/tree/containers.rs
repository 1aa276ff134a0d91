//! The containers that are being read, each in the one before it.

use std::io::{self, Cursor};
use std::iter;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rewrite::{Limit, Limits, Media};
use urlcore::escape::encode_path_segment;

use crate::files::container::{
    self, ARCHIVE, Broken, Container, ContainerForm, ContainerId, Fault, FileType, Piece,
    PieceDocument, PieceMember, PieceReader, PieceText, Reading, Source, TOO_DEEP,
};
use crate::files::media;
#[cfg(not(target_family = "wasm"))]
use crate::files::properties::Properties;
use crate::files::walk::Entry;
use crate::os::failure::Failure;
use crate::os::store::OpenFile;
use crate::tree::Tree;

/// A container that is being read.
#[derive(Debug)]
pub struct Opened {
    /// Its entry in the tree; in another container, the place of its piece there.
    pub entry: Entry,
    /// Its path below its PATH, as messages show it.
    pub shown: PathBuf,
    /// Its format.
    pub container: &'static dyn Container,
    /// The media type of its documents, if its format or its name gives it.
    pub media: Option<Media>,
    /// Its length in bytes; 0 for standard input.
    pub length: u64,
    /// Its rights and times; none for standard input.
    #[cfg(not(target_family = "wasm"))]
    pub properties: Option<Properties>,
    /// The URL of the file, and what gives it.
    pub url: Option<(String, &'static str)>,
    /// The limits of what is in it: those of the run, less what the containers around it take.
    pub limits: Limits,
    /// The container that it contains, with the media type of the documents in that, if its name
    /// says so.
    pub inner: Option<(ContainerId, Option<Media>)>,
    /// The container around it.
    pub outer: Option<Outer>,
    /// Itself as a file, if containers in others are put together again.
    pub file: Option<Box<dyn OpenFile>>,
}

/// The container around another one.
#[derive(Debug)]
pub struct Outer {
    /// Itself.
    pub opened: Arc<Opened>,
    /// The piece of it that contains the other one.
    pub piece: Piece,
}

impl Opened {
    /// Returns this container and those around it, from the innermost.
    pub fn chain(self: &Arc<Self>) -> impl Iterator<Item = &Arc<Opened>> {
        iter::successors(Some(self), |opened| Some(&opened.outer.as_ref()?.opened))
    }

    /// Returns the entry of a piece: that of the file, or of the member that it is.
    pub fn entry_of_member(&self, piece: &Piece) -> Entry {
        let mut entry = self.entry.clone();
        if let Some(member) = &piece.member {
            entry.path = self.path_of_member(piece);
            if self.container.spec().form.has_members_below() {
                entry.below.as_mut_os_string().push(format!("/{}", member.name));
            }
        }
        entry
    }

    /// Returns the path of a piece, as messages show it.
    pub fn path_of_member(&self, piece: &Piece) -> PathBuf {
        let mut path = self.entry.path.clone();
        if let Some(member) = &piece.member {
            path.as_mut_os_string().push(format!("!{}", member.name));
        }
        path
    }

    /// Returns the path of a piece below its PATH, as messages show it.
    pub(super) fn shown_below(&self, member: Option<&PieceMember>) -> PathBuf {
        let mut below = self.shown.clone();
        if let Some(member) = member {
            below.as_mut_os_string().push(format!("!{}", member.name));
        }
        below
    }

    /// Returns the URL of a member, which is below that of the file; that of the file without one,
    /// or in a package.
    pub(super) fn url_of_member(
        &self,
        member: Option<&PieceMember>,
    ) -> Option<(String, &'static str)> {
        let (mut url, option) = self.url.clone()?;
        if let Some(member) = member.filter(|_| self.container.spec().form.has_members_below()) {
            if !url.ends_with('/') {
                url.push('/');
            }
            url.push_str(&encoded(member));
        }
        Some((url, option))
    }
}

/// Returns the URL of a member relative to that of its container.
pub(super) fn encoded(member: &PieceMember) -> String {
    let mut url = String::new();
    for (idx, name) in member.name.split('/').enumerate() {
        if idx > 0 {
            url.push('/');
        }
        encode_path_segment(name.as_bytes(), &mut url);
    }
    url
}

/// The containers that a run reads.
#[derive(Clone, Copy)]
pub(super) struct Reads<'t> {
    pub(super) tree: &'t Tree,
    /// True for those that are only read, too.
    pub(super) records: bool,
    /// True for those of members, too.
    pub(super) members: bool,
    /// True if containers in others are put together again: they are files.
    pub(super) is_rebuilding: bool,
}

impl Reads<'_> {
    /// Returns the type of a file, or why it is not supported in this run.
    pub(super) fn supported(self, file_type: FileType, entry: &Entry) -> FileType {
        let FileType::Container(container, _) = file_type else { return file_type };
        if container.spec().form.has_members() && !self.members {
            return FileType::Unsupported(ARCHIVE);
        }
        let unread = self.tree.unread_kind(container, entry.is_single);
        let only_read = container.spec().only_read.filter(|_| !self.records);
        unread.or(only_read).map_or(file_type, FileType::Unsupported)
    }

    /// Returns the type of a member of the container with this entry.
    fn member_type(
        self,
        entry: &Entry,
        path: &Path,
        head: &mut dyn FnMut() -> Vec<u8>,
    ) -> FileType {
        let file_type = match self.tree.types.of_path(path) {
            FileType::Unknown => media::of_content(path, &head()),
            file_type => file_type,
        };
        let unsupported = file_type.container().and_then(|(it, _)| it.spec().unsupported);
        let unsupported = unsupported.and_then(|unsupported| unsupported(&head()));
        unsupported.map_or_else(|| self.supported(file_type, entry), FileType::Unsupported)
    }
}

/// The next of the pieces and ends of containers.
pub(super) enum Step {
    /// A piece, and the number of its document, from 1, if it has one that is numbered.
    Piece(Arc<Opened>, Option<usize>, Piece),
    /// The end of a container: all of it was read, or reading failed.
    End(Arc<Opened>, Result<(), Failure>),
}

/// A container with its pieces.
struct Open {
    container: Arc<Opened>,
    pieces: PieceReader,
    /// What the containers in it are read from, if they are read as streams.
    source: Option<Source>,
    /// The number of its last document.
    number: usize,
}

/// A container in another one, before it is opened.
struct InnerFile {
    source: Source,
    /// Its length in bytes, if it is known.
    size: u64,
    url: Option<(String, &'static str)>,
    limits: Limits,
}

/// Reads a container in another one into memory.
fn in_memory(outer: &Opened, piece: &Piece) -> io::Result<InnerFile> {
    let content = outer.container.content(piece, &outer.limits);
    let PieceDocument { text, url, .. } =
        content.map_err(|reason| io::Error::other(reason.to_string()))?;
    let text = match text {
        PieceText::Span(span) => piece.bytes.part(span),
        PieceText::Decoded(text) => text.into(),
    };
    // It is in memory with those around it, and what is in it is no more of the file.
    let (mut limits, size) = (outer.limits, text.len() as u64);
    limits.lower(Limit::DocumentSize, limits.get(Limit::DocumentSize).saturating_sub(text.len()));
    lower_ratio(&mut limits, size, piece.bytes.len() as u64);
    Ok(InnerFile { source: Source::File(Box::new(Cursor::new(text))), size, url, limits })
}

/// Lowers the ratio of compression for what is in a container that has this ratio.
fn lower_ratio(limits: &mut Limits, size: u64, n_encoded: u64) {
    let n_times = usize::try_from(size.div_ceil(n_encoded.max(1))).unwrap_or(usize::MAX);
    limits.lower(Limit::CompressionRatio, limits.get(Limit::CompressionRatio) / n_times.max(1));
}

/// The limits that are sums over all containers of a file.
const SUMS: [Limit; 3] = [Limit::ArchiveMembers, Limit::ArchiveDirectory, Limit::ArchiveSize];

/// The containers that are being read, each in the one before it.
#[derive(Default)]
pub(super) struct Containers {
    open: Vec<Open>,
    /// What is left of the limits that are sums over all containers in the first one.
    limits: Limits,
}

impl Containers {
    /// Returns the first one.
    pub(super) fn first(&self) -> Option<&Opened> {
        self.open.first().map(|open| &*open.container)
    }

    /// Opens a file.
    ///
    /// # Errors
    ///
    /// [`Failure`] with its path, if it cannot be read.
    pub(super) fn begin(
        &mut self,
        opened: Opened,
        source: Source,
        reads: Reads<'_>,
    ) -> Result<(), Failure> {
        self.limits = opened.limits;
        let path = opened.entry.path.clone();
        self.push(opened, source, reads).map_err(Failure::reading(&path))
    }

    /// Returns the next piece of the innermost container, or its end; `None` if none is open.
    pub(super) fn next(&mut self, reads: Reads<'_>) -> Option<Step> {
        loop {
            let Open { container, pieces, .. } = self.open.last_mut()?;
            let opened = Arc::clone(container);
            let piece = match pieces.next() {
                Some(Ok(piece)) => piece,
                end => {
                    self.open.pop();
                    let result = end.map_or(Ok(()), |error| error.map(|_| ()));
                    let result = result.map_err(Failure::reading(&opened.entry.path));
                    return Some(Step::End(opened, result));
                }
            };
            let of_member = piece.member.as_ref().and_then(|member| member.file_type.container());
            let of_record = piece.record.as_ref().and_then(|record| record.inner);
            let of_record = of_record.and_then(container::of_media_type).map(|it| (it, None));
            let inner = of_member.or(of_record).or(opened.inner);
            let inner = inner.filter(|_| piece.unit.is_some() && piece.broken.is_none());
            let piece = match inner {
                Some(inner) => match self.begin_inner(&opened, piece, inner, reads) {
                    Some(piece) => piece,
                    None => continue,
                },
                None => piece,
            };
            let is_numbered = opened.container.spec().form == ContainerForm::Many;
            let open = self.open.last_mut().filter(|_| is_numbered && piece.unit.is_some());
            let number = open.map(|open| {
                open.number += 1;
                open.number
            });
            return Some(Step::Piece(opened, number, piece));
        }
    }

    /// Opens a container in another one. If it is not read, returns the piece with the reason.
    fn begin_inner(
        &mut self,
        outer: &Arc<Opened>,
        piece: Piece,
        (container, media): (ContainerId, Option<Media>),
        reads: Reads<'_>,
    ) -> Option<Piece> {
        if self.open.len() >= outer.limits.get(Limit::ArchiveDepth) {
            let fault = Some(Fault::Unsupported(TOO_DEEP));
            return Some(Piece { fault, unit: None, ..piece });
        }
        let inner = match piece.stream.clone() {
            Some(range) => self.streamed(outer, &piece, range),
            None => in_memory(outer, &piece),
        };
        let pushed = inner
            .and_then(|inner| self.push_inner(outer, &piece, (container, media), inner, reads));
        let broken = |error: io::Error| Broken { reason: error.to_string() };
        pushed.err().map(|error| Piece { broken: Some(broken(error)), ..piece })
    }

    /// Returns a container in the innermost one as a stream.
    fn streamed(
        &mut self,
        outer: &Opened,
        piece: &Piece,
        range: Range<u64>,
    ) -> io::Result<InnerFile> {
        let source = self.open.last_mut().and_then(|open| open.source.as_mut());
        let source = source.ok_or(io::ErrorKind::Unsupported)?.part(Some(range))?;
        let fact = piece.member.as_ref().map(|member| member.fact);
        let source = outer.container.open(source, fact, &outer.limits)?;
        let mut limits = outer.limits;
        let size = fact.map_or(0, |fact| {
            lower_ratio(&mut limits, fact.size, fact.n_encoded);
            fact.size
        });
        Ok(InnerFile { source, size, url: None, limits })
    }

    /// Opens a container in the innermost one.
    fn push_inner(
        &mut self,
        outer: &Arc<Opened>,
        piece: &Piece,
        (container, media): (ContainerId, Option<Media>),
        inner: InnerFile,
        reads: Reads<'_>,
    ) -> io::Result<()> {
        let (spec, InnerFile { source, size, url, limits }) = (container.spec(), inner);
        let (head, source) = source.with_head(media::SNIFFED)?;
        if let Some(kind) = spec.unsupported.and_then(|unsupported| unsupported(&head)) {
            return Err(io::Error::other(format!("unsupported type of file: {kind}")));
        }
        let mut entry = outer.entry_of_member(piece);
        let mut shown = outer.shown_below(piece.member.as_deref());
        if let Some(record) = &piece.record {
            for path in [&mut entry.path, &mut shown] {
                path.as_mut_os_string().push(format!(":{}", record.place.offset));
            }
        }
        let opened = Opened {
            inner: reads.tree.types.in_document(container, &entry.path).container(),
            entry,
            shown,
            container: container.get(),
            media,
            length: size,
            #[cfg(not(target_family = "wasm"))]
            properties: None,
            url: url.or_else(|| outer.url_of_member(piece.member.as_deref())),
            limits,
            outer: Some(Outer { opened: Arc::clone(outer), piece: piece.clone() }),
            file: None,
        };
        self.push(opened, source, reads)
    }

    fn push(&mut self, mut opened: Opened, mut source: Source, reads: Reads<'_>) -> io::Result<()> {
        let (has_one, has_members) =
            (opened.inner.is_some(), opened.container.spec().form.has_members());
        let is_rebuilt = reads.is_rebuilding && (has_one || opened.outer.is_some());
        if is_rebuilt || (opened.outer.is_some() && opened.container.spec().is_seekable) {
            let limits = &mut opened.limits;
            limits.lower(Limit::ArchiveSize, self.limits.get(Limit::ArchiveSize));
            source = Source::File(source.into_file(limits)?);
            self.limits.lower(Limit::ArchiveSize, limits.get(Limit::ArchiveSize));
        }
        if let (Source::File(file), true) = (&source, reads.is_rebuilding) {
            opened.file = Some(file.again()?);
        }
        let (pieces, source): (PieceReader, _) = match source {
            source if has_one => {
                let whole = Piece::streamed(0..source.length().unwrap_or_default());
                (Box::new(iter::once(Ok(whole))), Some(source))
            }
            Source::File(file) if has_members => {
                let again = Source::File(file.again()?);
                (self.pieces_of(&opened, Source::File(file), reads)?, Some(again))
            }
            source => (self.pieces_of(&opened, source, reads)?, None),
        };
        self.open.push(Open { container: Arc::new(opened), pieces, source, number: 0 });
        Ok(())
    }

    /// Returns the pieces of a container.
    fn pieces_of(
        &mut self,
        opened: &Opened,
        source: Source,
        reads: Reads<'_>,
    ) -> io::Result<PieceReader> {
        let type_of = |path: &Path, head: &mut dyn FnMut() -> Vec<u8>| {
            reads.member_type(&opened.entry, path, head)
        };
        let limits = opened.limits;
        let mut reading = Reading { limits, jobs: reads.tree.jobs, type_of: &type_of };
        SUMS.iter().for_each(|sum| reading.limits.lower(*sum, self.limits.get(*sum)));
        let pieces = opened.container.pieces(source, &mut reading);
        let left = reading.limits;
        SUMS.iter().for_each(|sum| self.limits.lower(*sum, left.get(*sum)));
        pieces
    }
}
