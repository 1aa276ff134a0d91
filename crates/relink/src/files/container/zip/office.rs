//! Packages of Office (Open Packaging Conventions, ISO/IEC 29500-2): documents of Word, Excel and
//! PowerPoint.
//!
//! External references of all members resolve at the URL of the file (section 6.5.3.3).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rewrite::{Context, Media, Options, Unit, references};

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
    let properties = package.text(PROPERTIES)?;
    let hyperlink_base = properties.map(|text| hyperlink_base(&text)).transpose()?.flatten();
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
    Ok(Members { types: Some(types), is_signed, hyperlink_base: hyperlink_base.map(Arc::from) })
}

/// Returns the base that the properties of a document give its hyperlinks. It is what relink finds,
/// and edits, when it converts them.
fn hyperlink_base(properties: &str) -> Result<Option<String>, ZipError> {
    let mut base = None;
    let context = Context::none();
    let unit = Unit::new(properties.as_bytes(), Media::XML, &context);
    let report = references(unit, &Options::default(), |site| {
        if site.slot_name() == "office HyperlinkBase" {
            base.get_or_insert_with(|| site.text.to_owned());
        }
    });
    let is_path = |base: &String| base.contains('\\') || base.starts_with("//");
    let is_unread = !report.skipped.is_empty() && properties.contains("HyperlinkBase");
    if is_unread || base.as_ref().is_some_and(is_path) {
        return Err(refused("its hyperlinks have a base that is no URL (HyperlinkBase)"));
    }
    Ok(base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_of_hyperlinks() {
        const TYPE: &str =
            "http://schemas.openxmlformats.org/officeDocument/2006/extended-properties";
        for (element, base) in [
            ("<HyperlinkBase>http://h/&amp;</HyperlinkBase>", Ok(Some("http://h/&"))),
            ("<HyperlinkBase><![CDATA[http://h/]]></HyperlinkBase>", Ok(Some("http://h/"))),
            ("<HyperlinkBase> </HyperlinkBase> <b>c</b>", Ok(None)),
            ("<HyperlinkBase/> <b>c</b>", Ok(None)),
            ("<b>c</b>", Ok(None)),
            ("<HyperlinkBase x='y'>\n\\\\h\\s </HyperlinkBase>", Err(())),
            ("<HyperlinkBase>http://h/<!-- c -->b</HyperlinkBase>", Err(())),
            ("<HyperlinkBase>http://h/</HyperlinkBase", Err(())),
        ] {
            let found =
                hyperlink_base(&format!("<Properties xmlns='{TYPE}'>{element}</Properties>"));
            assert_eq!(found.map_err(drop).as_ref().map(Option::as_deref), base.as_ref().copied());
        }
    }
}
