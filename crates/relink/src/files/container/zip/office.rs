//! Packages of Office (Open Packaging Conventions, ISO/IEC 29500-2): documents of Word, Excel and
//! PowerPoint.
//!
//! External references of all members resolve at the URL of the file (section 6.5.3.3).

use std::collections::{HashMap, HashSet};
use std::io;

use rewrite::{Limit, Limits, xml_elements};

use super::package::{Package, is_xml};
use super::{Checked, OpenFile, Zip, ZipError, ZipMember, pieces, read_range, refused, text};
use crate::files::container::{
    Container, ContainerForm, ContainerSpec, ContentError, Edited, Piece, PieceDocument,
    PieceReader, PlacedPiece, Reading, Rebuilt, Source,
};

/// A document of Office that is a package.
#[derive(Clone, Copy, Debug)]
pub struct Office;

#[rustfmt::skip]
static SPEC: ContainerSpec = ContainerSpec {
    extensions: &[
        "docx", "docm", "dotx", "dotm", "xlsx", "xlsm", "xltx", "xltm", "pptx", "pptm", "potx", "potm", "ppsx", "ppsm",
    ],
    // With a password it is a compound file.
    unsupported: Some(|head| (!head.starts_with(b"PK")).then_some(NO_PACKAGE)),
    ..ContainerSpec::new("member", ContainerForm::Package, None)
};

/// The name of a file with such an extension that is no package.
pub const NO_PACKAGE: &str = "Office file that is encrypted or no package";

/// The member with the types of all others, the directory of signatures, and the properties of the
/// document.
const TYPES: &str = "[Content_Types].xml";
const SIGNATURES: &str = "_xmlsignatures/";
const PROPERTIES: &str = "docProps/app.xml";

impl Container for Office {
    fn spec(&self) -> &'static ContainerSpec {
        &SPEC
    }

    fn pieces(&self, source: Source, reading: &Reading<'_>) -> io::Result<PieceReader> {
        pieces(source, reading, |zip, file| package(zip, file, reading.limits))
    }

    fn content(&self, piece: &Piece, limits: &Limits) -> Result<PieceDocument, ContentError> {
        Zip.content(piece, limits)
    }

    fn rebuild(&self, edited: &Edited<'_>) -> Result<Rebuilt, ContentError> {
        Zip.rebuild(edited)
    }

    fn tail(&self, tail: &[u8], at: u64, placed: &[PlacedPiece]) -> Result<Rebuilt, ContentError> {
        Zip.tail(tail, at, placed)
    }
}

/// Returns what a package says about its members. Names compare without letter case (section
/// 6.2.2.3).
fn package(zip: &Checked, file: &mut dyn OpenFile, limits: &Limits) -> Result<Package, ZipError> {
    let types = zip.member(TYPES).ok_or_else(|| refused(format!("it has no member {TYPES}")))?;
    let text = utf8(file, types, limits)?;
    let (mut of_extensions, mut of_names) = (HashMap::new(), HashMap::new());
    let is_read = xml_elements(text.trim_start_matches('\u{FEFF}'), |element, attributes| {
        let value = |name: &str| {
            attributes.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str())
        };
        let (all, key) = match element {
            "Default" => (&mut of_extensions, "Extension"),
            "Override" => (&mut of_names, "PartName"),
            _ => return,
        };
        if let (Some(key), Some(media_type)) = (value(key), value("ContentType")) {
            let key = key.trim_start_matches('/').to_ascii_lowercase();
            all.insert(key, is_xml(media_type));
        }
    });
    if !is_read {
        return Err(refused(format!("its member {TYPES} is not well-formed")));
    }
    if let Some(properties) = zip.member(PROPERTIES)
        && has_own_base(&utf8(file, properties, limits)?)
    {
        return Err(refused("its hyperlinks have a base of their own (HyperlinkBase)"));
    }
    let (mut names, mut found, mut is_signed) = (HashSet::new(), HashSet::new(), false);
    for member in zip.directory.members.iter().filter(|member| member.name != types.name) {
        let name = member.name.to_ascii_lowercase();
        is_signed |= name.starts_with(SIGNATURES);
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let is_xml = of_names.get(&*name).or_else(|| of_extensions.get(extension));
        if is_xml == Some(&true) {
            names.insert(member.name.clone());
        }
        if !found.insert(name) {
            return Err(refused(format!("it has two members {}", member.name)));
        }
    }
    Ok(Package { types: Some(names), is_signed })
}

/// Returns true if the properties of a document give its hyperlinks another base.
fn has_own_base(properties: &str) -> bool {
    let mut elements = properties.split("HyperlinkBase").skip(1).step_by(2);
    elements.any(|rest| {
        let content = rest.split_once('>').map_or("", |(_, content)| content);
        !content.split('<').next().unwrap_or_default().trim().is_empty()
    })
}

/// Returns the text of a member in UTF-8.
fn utf8(file: &mut dyn OpenFile, member: &ZipMember, limits: &Limits) -> Result<String, ZipError> {
    let name = &member.name;
    let most = limits.get(Limit::DocumentSize) as u64;
    if member.range.end.saturating_sub(member.at) > most {
        let limit = limits.met(Limit::DocumentSize);
        return Err(refused(format!("of its member {name}: {limit}")));
    }
    let bytes = read_range(file, member.at..member.range.end)?;
    let text = text(&bytes, member.fact(), Some(limits));
    let text = text.map_err(|error| refused(format!("of its member {name}: {error}")))?;
    let text = String::from_utf8(text);
    text.map_err(|_| refused(format!("its member {name} is not in UTF-8")))
}

impl Checked {
    /// Returns the member with a name, whose letter case may differ.
    fn member(&self, name: &str) -> Option<&ZipMember> {
        self.directory.members.iter().find(|member| member.name.eq_ignore_ascii_case(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_of_hyperlinks() {
        for (element, has_one) in [
            ("<HyperlinkBase>http://h/</HyperlinkBase>", true),
            ("<a:HyperlinkBase x='y'>\n\\\\h\\s </a:HyperlinkBase>", true),
            ("<HyperlinkBase> </HyperlinkBase> <b>c</b>", false),
            ("<HyperlinkBase/> <b>c</b>", false),
            ("<b>c</b>", false),
        ] {
            assert_eq!(has_own_base(&format!("<Properties>{element}</Properties>")), has_one);
        }
    }
}
