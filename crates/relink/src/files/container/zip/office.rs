//! Packages of Office (Open Packaging Conventions, ISO/IEC 29500-2): documents of Word, Excel and
//! PowerPoint.
//!
//! External references of all members resolve at the URL of the file (section 6.5.3.3).

use std::collections::{HashMap, HashSet};

use rewrite::Media;

use super::members::Members;
use super::package::{self, NO_OFFICE, OpenPackage, ZipPackage, is_xml};
use super::{ZipError, refused};
use crate::files::container::{ContainerSpec, PackageBase};

/// Office in packages.
pub static OFFICE: ZipPackage = ZipPackage { spec: &SPEC, members };

#[rustfmt::skip]
static SPEC: ContainerSpec = package::spec(
    PackageBase::File,
    &[
        "docx", "docm", "dotx", "dotm", "xlsx", "xlsm", "xltx", "xltm", "pptx", "pptm", "potx", "potm", "ppsx", "ppsm",
    ],
    |head| (!head.starts_with(b"PK")).then_some(NO_OFFICE),
);

/// The member with the types of all others, the directory of signatures, and the properties of the
/// document.
const TYPES: &str = "[Content_Types].xml";
const SIGNATURES: &str = "_xmlsignatures/";
const PROPERTIES: &str = "docProps/app.xml";

/// Names compare without letter case (section 6.2.2.3).
fn members(package: &mut OpenPackage<'_>) -> Result<Members, ZipError> {
    let (mut of_extensions, mut of_names) = (HashMap::new(), HashMap::new());
    package.elements_of_table(TYPES, |element, value| {
        let (all, key) = match element {
            "Default" => (&mut of_extensions, "Extension"),
            "Override" => (&mut of_names, "PartName"),
            _ => return,
        };
        if let (Some(key), Some(media_type)) = (value(key), value("ContentType")) {
            let key = key.trim_start_matches('/').to_ascii_lowercase();
            all.insert(key, is_xml(&media_type));
        }
    })?;
    if package.text(PROPERTIES)?.is_some_and(|properties| has_own_base(&properties)) {
        return Err(refused("its hyperlinks have a base of their own (HyperlinkBase)"));
    }
    let (mut types, mut found, mut is_signed) = (HashMap::new(), HashSet::new(), false);
    for member in &package.zip.directory.members {
        let name = member.name.to_ascii_lowercase();
        is_signed |= name.starts_with(SIGNATURES);
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let is_xml = of_names.get(&*name).or_else(|| of_extensions.get(extension));
        if is_xml == Some(&true) && !name.eq_ignore_ascii_case(TYPES) {
            types.insert(member.name.clone(), Media::XML);
        }
        if !found.insert(name) {
            return Err(refused(format!("it has two members {}", member.name)));
        }
    }
    Ok(Members { types: Some(types), is_signed })
}

/// Returns true if the properties of a document give its hyperlinks another base.
fn has_own_base(properties: &str) -> bool {
    let mut elements = properties.split("HyperlinkBase").skip(1).step_by(2);
    elements.any(|rest| {
        let content = rest.split_once('>').map_or("", |(_, content)| content);
        !content.split('<').next().unwrap_or_default().trim().is_empty()
    })
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
