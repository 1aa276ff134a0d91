//! A document in memory, its place and its URL.

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use basectx::{BaseUrl, Context};
use layers::Edits;
use rewrite::{Media, NewPlace, Package, Profile, Unit};

use crate::files::container::{
    ContainerForm, ContentError, Edited, PackageBase, PieceMember, Rebuilt, RecordPlace,
    SharedBytes,
};
use crate::files::sidecar::Sidecar;
use crate::files::walk::Entry;
use crate::os::paths;
use crate::os::store::OpenFile;
use crate::tree::Tree;
use crate::tree::containers::{Opened, encoded};
use crate::urls::hints::Hint;
use crate::urls::layout::Layout;
use crate::urls::mirror::disk::DiskPlace;
use crate::urls::mirror::disk::Preference;
use crate::urls::mirror::reading::{self, Evidence};
use crate::urls::mirror::{Mirror, originals};

/// The option that gives the place of a document of a mirror.
const LAYOUT: &str = "--layout";

/// Why a page of the Wayback Machine has the URL without its slash.
const WITHOUT_SLASH: &str =
    "more of its relative references lead to files from there than from the URL of its directory";

/// Why a page of a mirror has the URL to which a redirect led.
const REDIRECTED: &str =
    "its relative references lead to files from there, and to none from the URL of its path";

/// A document in memory.
pub struct Document {
    /// All bytes of the file, or of the piece of its container; if the document is encoded in the
    /// piece, the decoded bytes.
    pub bytes: SharedBytes,
    /// Its media type.
    pub media: Media,
    /// The source of the bytes.
    pub source: DocumentSource,
    /// Its URL.
    own_url: Option<OwnUrl>,
    /// In a mirror, the references that only one reading finds, and its place on the disk if some
    /// of them are paths.
    in_mirror: Option<(Evidence, Option<DiskPlace>)>,
    /// The header section in a file next to it, and the profile that applies to it.
    sidecar: Option<(Arc<Sidecar>, Profile)>,
}

/// The source of a document.
pub enum DocumentSource {
    /// Standard input.
    Stdin,
    /// A file.
    File(Box<dyn OpenFile>),
    /// A piece of a container.
    Piece(Box<Placed>),
}

/// The URL of a document, and its source.
#[derive(Clone, Debug)]
pub enum OwnUrl {
    /// This option of the run.
    Given(BaseUrl, &'static str),
    /// Provenance metadata in the document.
    Hinted(Hint),
    /// The URL of the page to which the URL of the file was redirected, by the references of the
    /// document; and how they show that.
    Redirected(BaseUrl, &'static str),
}

impl OwnUrl {
    /// Returns the URL that this option gives, if it is one.
    pub(super) fn given(url: &str, option: &'static str) -> Option<OwnUrl> {
        Some(OwnUrl::Given(url.parse().ok()?, option))
    }

    fn url(&self) -> &BaseUrl {
        match self {
            OwnUrl::Given(url, _) | OwnUrl::Redirected(url, _) => url,
            OwnUrl::Hinted(hint) => &hint.url,
        }
    }
}

/// The place of a document in its container.
pub struct Placed {
    /// The container.
    pub opened: Arc<Opened>,
    /// The number of the document, from 1, if the documents of the container are numbered.
    pub number: Option<usize>,
    /// Offset of the piece in the file.
    pub at: u64,
    /// Number of lines of the file before it.
    pub n_lines: u64,
    /// The span of the document in its bytes.
    pub unit: Range<usize>,
    /// The bytes of the piece, if the document is encoded in them.
    pub encoded: Option<SharedBytes>,
    /// The reason why it is uncertain that the document begins here, if it is.
    pub doubt: Option<&'static str>,
    /// The defect of the piece, if it has one.
    pub fault: Option<&'static str>,
    /// The record that contains it, in a container of records. Positions are those in the record.
    pub record: Option<RecordPlace>,
    /// The member that it is, in a container of members. Positions are those in the member.
    pub member: Option<Arc<PieceMember>>,
    /// The number of bytes at the start of the document that the record does not have.
    pub n_added: usize,
}

impl Document {
    /// Creates a document of a file of the tree.
    pub(super) fn new(
        tree: &Tree,
        entry: &Entry,
        (bytes, media): (SharedBytes, Media),
        source: DocumentSource,
        own_url: Option<OwnUrl>,
    ) -> Self {
        let sidecar = entry.sidecar.clone().map(|sidecar| (sidecar, tree.options.mail.profile));
        let mut document = Document { bytes, media, source, own_url, in_mirror: None, sidecar };
        let is_file = match &document.source {
            DocumentSource::Stdin => false,
            DocumentSource::File(..) => true,
            DocumentSource::Piece(placed) => {
                let Opened { container, outer, .. } = &*placed.opened;
                container.spec().form == ContainerForm::One && outer.is_none()
            }
        };
        if let (Some(mirror), Media::Document(_), true) = (&tree.mirror, media, is_file) {
            document.read_as_mirror(tree, mirror, entry.root, &entry.below);
        }
        document
    }

    /// Decides how the references of a document of a mirror are read.
    fn read_as_mirror(&mut self, tree: &Tree, mirror: &Arc<Mirror>, root: usize, below: &Path) {
        if let Some(OwnUrl::Given(..)) = self.own_url {
            let file = (root, paths::bytes(below));
            let (find, reason): (reading::Find, _) = match tree.places.layout() {
                Layout::Wayback => (reading::without_slash, WITHOUT_SLASH),
                _ => (reading::redirected, REDIRECTED),
            };
            let url = self.with_web_unit(None, |web| find(web, &tree.options, mirror, &file));
            let url = url.and_then(|url| url.parse().ok());
            self.own_url = url.map(|url| OwnUrl::Redirected(url, reason)).or(self.own_url.take());
        }
        let Some(url) = self.own_url.as_ref().map(OwnUrl::url) else { return };
        let place = DiskPlace::new(Arc::clone(mirror), root, &paths::bytes(below), url);
        let Some(place) = place else { return };
        let copy = mirror.copy_of(root, &paths::bytes(below));
        let context = Context::retrieval(place.url().clone(), LAYOUT);
        let (evidence, (originals, has_other)) = self.with_context(context, None, |disk| {
            self.with_web_unit(None, |web| {
                let evidence = reading::evidence(disk, web, &tree.options, mirror, &place);
                let originals = copy.as_deref().map(|bytes| {
                    let mut copy = web;
                    copy.bytes = bytes;
                    originals::urls(disk, copy, &tree.options, mirror, &place)
                });
                (evidence, originals.unwrap_or_default())
            })
        });
        let by_copy = has_other.then_some(Preference::Disk);
        let disk = evidence
            .preference()
            .or(by_copy)
            .map(|preference| place.preferring(preference).with_originals(originals));
        self.in_mirror = Some((evidence, disk));
    }

    /// Returns its place on the disk, if some of its references are paths.
    pub fn disk(&self) -> Option<&DiskPlace> {
        self.in_mirror.as_ref()?.1.as_ref()
    }

    /// Returns the file of the disk that it was read from, with its metadata.
    #[cfg(not(target_family = "wasm"))]
    pub fn file(&self) -> Option<(&std::fs::File, &std::fs::Metadata)> {
        match &self.source {
            DocumentSource::File(file) => file.on_disk(),
            DocumentSource::Stdin | DocumentSource::Piece(_) => None,
        }
    }

    /// Returns its place in its container, if it is in one.
    pub fn piece(&self) -> Option<&Placed> {
        match &self.source {
            DocumentSource::Piece(placed) => Some(placed),
            DocumentSource::Stdin | DocumentSource::File(..) => None,
        }
    }

    /// Calls `act` with the document as a unit, and its contexts. `new_place` is its place in the
    /// output, if it differs.
    pub fn with_unit<T>(
        &self,
        new_place: Option<NewPlace<'_>>,
        act: impl FnOnce(Unit<'_>) -> T,
    ) -> T {
        let context = match self.disk() {
            Some(disk) => Context::retrieval(disk.url().clone(), LAYOUT),
            None => self.web_context(),
        };
        self.with_context(context, new_place, act)
    }

    /// Calls `act` with the document as a unit whose references are all read as URL references.
    pub fn with_web_unit<T>(
        &self,
        new_place: Option<NewPlace<'_>>,
        act: impl FnOnce(Unit<'_>) -> T,
    ) -> T {
        self.with_context(self.web_context(), new_place, act)
    }

    fn web_context(&self) -> Context<'static> {
        match &self.own_url {
            Some(OwnUrl::Given(url, option)) => Context::retrieval(url.clone(), option),
            Some(OwnUrl::Hinted(hint)) => hint.context(),
            Some(OwnUrl::Redirected(url, _)) => {
                Context::hint(url.clone(), "redirect", "RFC 3986 5.1.3")
            }
            None => Context::none(),
        }
    }

    fn with_context<T>(
        &self,
        context: Context<'_>,
        new_place: Option<NewPlace<'_>>,
        act: impl FnOnce(Unit<'_>) -> T,
    ) -> T {
        let (bytes, media) = (self.unit(), self.media);
        let is_captured = self.piece().is_some_and(|piece| piece.record.is_some());
        let act = |context: &Context<'_>| {
            let unit = Unit::new(bytes, media, context).with_new_place(new_place);
            let member = self.piece().and_then(|piece| piece.member.as_ref());
            let hyperlink_base = member.and_then(|member| member.hyperlink_base.as_deref());
            let unit = unit.with_package(self.package()).with_hyperlink_base(hyperlink_base);
            act(unit.with_is_captured(is_captured))
        };
        match &self.sidecar {
            Some((sidecar, profile)) => sidecar.within(&context, *profile, act),
            None => act(&context),
        }
    }

    /// Returns the package that it is a member of, if its URL is below that of the package.
    fn package(&self) -> Option<Package<'_>> {
        let Placed { opened, member, .. } = self.piece()?;
        let is_closed = match opened.container.spec().form {
            ContainerForm::Package(PackageBase::Member) => false,
            ContainerForm::Package(PackageBase::Closed) => true,
            _ => return None,
        };
        let url = self.url()?.strip_suffix(&*encoded(member.as_deref()?))?;
        Some(Package { url, is_closed })
    }

    /// Returns the reading of the references of a document of a mirror.
    pub fn reading(&self) -> Option<Preference> {
        self.in_mirror
            .as_ref()
            .map(|(evidence, _)| evidence.preference().unwrap_or(Preference::Url))
    }

    /// Returns the URL on the web of a URL that was resolved in this document.
    pub fn web_url<'u>(&self, url: &'u str) -> Cow<'u, str> {
        let web = self.disk().and_then(|disk| disk.web_url(url));
        web.map_or(Cow::Borrowed(url), Cow::Owned)
    }

    /// Returns the URL of the file, if it is known.
    pub fn url(&self) -> Option<&str> {
        self.own_url.as_ref().map(|own_url| own_url.url().as_str())
    }

    /// Returns the note on a document whose URL was redirected, whose references contradict each
    /// other, or whose record has a defect.
    pub fn note(&self) -> Option<String> {
        if let Some(Placed { record: Some(_), fault: Some(fault), .. }) = self.piece() {
            return Some((*fault).to_owned());
        }
        match &self.own_url {
            Some(OwnUrl::Redirected(url, reason)) => {
                Some(format!("read as the page at {url}; {reason}"))
            }
            _ => self.in_mirror.as_ref().and_then(|(evidence, _)| evidence.contradiction()),
        }
    }

    /// Returns the hint that gives the URL, if nothing else does.
    pub fn hint(&self) -> Option<&Hint> {
        match &self.own_url {
            Some(OwnUrl::Hinted(hint)) => Some(hint),
            _ => None,
        }
    }

    /// Returns the bytes of the unit: all of a file, or the document of a piece.
    pub fn unit(&self) -> &[u8] {
        &self.bytes[self.span()]
    }

    /// Returns the span of the unit in the bytes.
    pub fn span(&self) -> Range<usize> {
        match self.piece() {
            Some(piece) => piece.unit.clone(),
            None => 0..self.bytes.len(),
        }
    }

    /// Returns the offset in the file of an offset in the unit; if the unit is encoded in the file,
    /// the offset in the decoded bytes; in a container of records, the offset in the record.
    pub fn in_file(&self, at: usize) -> usize {
        match self.piece() {
            Some(piece) => {
                let start = match piece.record.is_some() || piece.member.is_some() {
                    true => 0,
                    false => usize::try_from(piece.at).unwrap_or(usize::MAX),
                };
                let at = start.saturating_add(piece.unit.start).saturating_add(at);
                at.saturating_sub(piece.n_added)
            }
            None => at,
        }
    }

    /// Returns true if it is in a container of members.
    pub fn is_member(&self) -> bool {
        self.piece().is_some_and(|piece| piece.member.is_some() || piece.opened.outer.is_some())
    }

    /// Returns true if it counts as a document: a package is one document.
    pub fn is_counted(&self) -> bool {
        let member = self.piece().and_then(|piece| piece.member.as_deref());
        member.is_none_or(|member| member.is_counted)
    }

    /// Returns true if its URL says where it is on the disk: that of a message, or of a member with
    /// a URL of its own, does not.
    pub fn has_file_url(&self) -> bool {
        let is_below = |piece: &Placed| piece.opened.container.spec().form.has_members_below();
        self.media.has_file_url() && !self.piece().is_some_and(is_below)
    }

    /// Returns its path below its PATH, as messages show it.
    pub fn shown_below(&self, entry: &Entry) -> PathBuf {
        let Some(Placed { opened, member, .. }) = self.piece() else { return entry.below.clone() };
        opened.shown_below(member.as_deref())
    }

    /// Returns the record that contains the document, if one does.
    pub fn record(&self) -> Option<&RecordPlace> {
        self.piece().and_then(|piece| piece.record.as_ref())
    }

    /// Returns the word of its container for the document, and its number there.
    pub fn numbered(&self) -> Option<(&'static str, usize)> {
        self.piece().and_then(|piece| Some((piece.opened.container.spec().noun, piece.number?)))
    }

    /// Returns the bytes of its piece with the unit replaced; `None` if it is a file. If they are
    /// seen nowhere, they need not be short.
    ///
    /// # Errors
    ///
    /// The reason why the container keeps the old document.
    pub fn rebuild(
        &self,
        new: &[u8],
        edits: &Edits,
        is_seen: bool,
    ) -> Option<Result<Rebuilt, ContentError>> {
        let placed = self.piece()?;
        let (piece, span) = match &placed.encoded {
            Some(encoded) => (&**encoded, 0..encoded.len()),
            None => (&*self.bytes, placed.unit.clone()),
        };
        let member = placed.member.as_deref();
        let edited = Edited { piece, span, old: self.unit(), new, edits, member, is_seen };
        Some(placed.opened.container.rebuild(&edited))
    }
}

/// Returns the URL of a document: from the options, or from its provenance metadata. A guess comes
/// after both, and is not used for documents whose path says nothing about their URL.
pub(super) fn own_url(
    tree: &Tree,
    given: Option<(String, &'static str)>,
    media: Media,
    hint: impl FnOnce() -> Option<Hint>,
) -> Option<OwnUrl> {
    let given = given.and_then(|(url, option)| OwnUrl::given(&url, option));
    if tree.places.is_guess() {
        hint().map(OwnUrl::Hinted).or(given.filter(|_| media.has_file_url()))
    } else {
        given.or_else(|| hint().map(OwnUrl::Hinted))
    }
}
