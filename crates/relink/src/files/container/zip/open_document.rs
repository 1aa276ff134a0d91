//! Packages of OpenDocument: texts, spreadsheets, presentations and drawings.
//!
//! References resolve as if the package were a directory (OpenDocument 1.2, part 3, section 3.7).

use std::collections::HashMap;

use rewrite::Media;

use super::members::Members;
use super::package::{self, NO_PACKAGE, OpenPackage, ZipPackage, is_xml};
use super::{ZipError, refused};
use crate::files::container::{ContainerSpec, PackageBase};

/// OpenDocument in packages. Without packages it is XML.
pub static OPEN_DOCUMENT: ZipPackage = ZipPackage { spec: &SPEC, members };

#[rustfmt::skip]
static SPEC: ContainerSpec = package::spec(
    PackageBase::Member,
    &["odt", "ods", "odp", "odg", "odf", "odm", "ott", "ots", "otp", "otg", "oth"],
    |head| (!head.starts_with(b"PK")).then_some(NO_PACKAGE),
);

/// The member with the types of all others.
const MANIFEST: &str = "META-INF/manifest.xml";

/// The names of the members of XML that a document has, and each document in it (section 3.1). In
/// others, such as those of macros, names of document types are no references.
const PARTS: [&str; 4] = ["content.xml", "meta.xml", "settings.xml", "styles.xml"];

fn members(package: &mut OpenPackage<'_>) -> Result<Members, ZipError> {
    let (mut types, mut is_encrypted) = (HashMap::new(), false);
    package.elements_of_table(MANIFEST, |element, value| match element {
        "encryption-data" => is_encrypted = true,
        "file-entry" => {
            let (Some(path), Some(media_type)) = (value("full-path"), value("media-type")) else {
                return;
            };
            let is_part = path.rsplit('/').next().is_some_and(|name| PARTS.contains(&name));
            if is_part && is_xml(&media_type) {
                types.insert(path, Media::XML);
            }
        }
        _ => {}
    })?;
    if is_encrypted {
        return Err(refused("it is encrypted"));
    }
    let is_signed = package.is_signed();
    Ok(Members { types: Some(types), is_signed, hyperlink_base: None })
}
