//! Packages: zip files whose members are one document. Their own tables give the types of members.

use std::collections::HashMap;
use std::fmt;
use std::io;

use rewrite::{Limit, Limits, xml_elements};

use super::members::Members;
use super::{Checked, OpenFile, Zip, ZipError, ZipMember, pieces, read_range, refused, text};
use crate::files::container::rebuilding::{Changed, EditedFile, RebuiltSums, Scratch};
use crate::files::container::{
    Container, ContainerForm, ContainerSpec, ContentError, Edited, MemberPlace, NameUnsupported,
    PackageBase, Piece, PieceDocument, PieceReader, PlacedPiece, Reading, Rebuilt, Source,
};

/// The name of a file of Office that is no package. With a password it is a compound file.
pub const NO_OFFICE: &str = "encrypted or broken Office file";
/// The name of another file with the extension of a package that is none.
pub const NO_PACKAGE: &str = "broken OpenDocument or EPUB package";

/// The directory with the tables and signatures of OpenDocument and EPUB (OpenDocument 1.2, part 3,
/// section 3; EPUB 3.3, section 4.2.6).
const META: &str = "META-INF/";

/// A format of packages.
#[derive(Debug)]
pub struct ZipPackage {
    pub(super) spec: &'static ContainerSpec,
    /// Returns what a file says about its members.
    pub(super) members: fn(&mut OpenPackage<'_>) -> Result<Members, ZipError>,
}

/// Returns the facts about a format whose files have these extensions. Others with them are
/// `unsupported`.
pub(super) const fn spec(
    base: PackageBase,
    extensions: &'static [&'static str],
    unsupported: NameUnsupported,
) -> ContainerSpec {
    ContainerSpec {
        extensions,
        unsupported: Some(unsupported),
        ..ContainerSpec::new("member", ContainerForm::Package(base), None)
    }
}

impl Container for ZipPackage {
    fn spec(&self) -> &'static ContainerSpec {
        self.spec
    }

    fn pieces(&self, source: Source, reading: &mut Reading<'_>) -> io::Result<PieceReader> {
        let limits = reading.limits;
        pieces(source, reading, |zip, file| {
            let members = zip.directory.members.iter();
            let by_name = members.map(|member| (member.name.to_ascii_lowercase(), member));
            let by_name = by_name.collect();
            (self.members)(&mut OpenPackage { zip, by_name, file, limits: &limits })
        })
    }

    fn members(&self, file: &mut dyn OpenFile, limits: &Limits) -> io::Result<Vec<MemberPlace>> {
        if !self.spec.form.has_members_below() {
            return Ok(Vec::new());
        }
        let mut members = Zip.members(file, limits)?;
        // References to a document in it name a directory.
        let documents = members.iter().filter_map(|member| {
            let name = member.name.strip_suffix("/content.xml")?.to_owned();
            Some(MemberPlace { name, ..member.clone() })
        });
        let documents: Vec<MemberPlace> = documents.collect();
        members.extend(documents);
        Ok(members)
    }

    fn content(&self, piece: &Piece, limits: &Limits) -> Result<PieceDocument, ContentError> {
        Zip.content(piece, limits)
    }

    fn rebuild(&self, edited: &Edited<'_>) -> Result<Rebuilt, ContentError> {
        Zip.rebuild(edited)
    }

    fn rebuild_file(
        &self,
        edited: EditedFile<'_>,
        out: &mut dyn Scratch,
        changed: &mut Changed<'_>,
    ) -> io::Result<RebuiltSums> {
        Zip.rebuild_file(edited, out, changed)
    }

    fn tail(&self, tail: &[u8], at: u64, placed: &[PlacedPiece]) -> Result<Rebuilt, ContentError> {
        Zip.tail(tail, at, placed)
    }
}

/// A package whose tables are read.
pub(super) struct OpenPackage<'p> {
    pub(super) zip: &'p Checked,
    /// The members by their names in lower case.
    by_name: HashMap<String, &'p ZipMember>,
    file: &'p mut dyn OpenFile,
    pub(super) limits: &'p Limits,
}

impl OpenPackage<'_> {
    /// Returns the text of a member in UTF-8; `None` if there is none with this name, whose letter
    /// case may differ.
    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, ZipError> {
        let Some(member) = self.by_name.get(&name.to_ascii_lowercase()) else { return Ok(None) };
        let of_member =
            |error: &dyn fmt::Display| refused(format!("of its member {}: {error}", member.name));
        let most = self.limits.get(Limit::DocumentSize) as u64;
        if member.range.end.saturating_sub(member.at) > most {
            return Err(of_member(&self.limits.met(Limit::DocumentSize)));
        }
        let bytes = read_range(self.file, member.at..member.range.end)?;
        let text = text(&bytes, member.fact(), self.limits);
        let text = String::from_utf8(text.map_err(|error| of_member(&error))?);
        let text =
            text.map_err(|_| refused(format!("its member {} is not in UTF-8", member.name)))?;
        Ok(Some(text))
    }

    /// Calls a function with each element of a member: its local name, and a function that returns
    /// the value of an attribute. Returns false if there is no such member.
    pub(super) fn elements(
        &mut self,
        name: &str,
        mut receive: impl FnMut(&str, &dyn Fn(&str) -> Option<String>),
    ) -> Result<bool, ZipError> {
        let Some(text) = self.text(name)? else { return Ok(false) };
        let is_read = xml_elements(text.trim_start_matches('\u{FEFF}'), |element, attributes| {
            receive(element, &|name| {
                let found = attributes.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| value.clone())
            });
        });
        if is_read {
            Ok(true)
        } else {
            Err(refused(format!("its member {name} is not well-formed")))
        }
    }

    /// The same, of a member that each file has.
    pub(super) fn elements_of_table(
        &mut self,
        name: &str,
        receive: impl FnMut(&str, &dyn Fn(&str) -> Option<String>),
    ) -> Result<(), ZipError> {
        match self.elements(name, receive)? {
            true => Ok(()),
            false => Err(refused(format!("it has no member {name}"))),
        }
    }

    /// Returns true if a file of OpenDocument, or an EPUB, is signed (OpenDocument 1.2, part 3,
    /// section 3.5; EPUB 3.3, section 4.2.6.3.6).
    pub(super) fn is_signed(&self) -> bool {
        let mut members = self.zip.directory.members.iter();
        members.any(|member| {
            member.name.strip_prefix(META).is_some_and(|name| name.contains("signatures"))
        })
    }
}

/// Returns true for the media type of a member of XML, but no picture or page: these have bases of
/// their own.
pub(super) fn is_xml(media_type: &str) -> bool {
    let name = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_other = name.starts_with("image/") || name == "application/xhtml+xml";
    matches!(&*name, "application/xml" | "text/xml") || (name.ends_with("+xml") && !is_other)
}
