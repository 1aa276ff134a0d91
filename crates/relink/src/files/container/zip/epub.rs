//! EPUB, a book in a package.
//!
//! Relative references, `..` and `/` end at the top of the package (EPUB 3.3, section 4.2.5).

use std::collections::{BTreeSet, HashMap};

use rewrite::{Dialect, Limit, Media, Resolver};
use urlcore::escape::{encode_path_segment, percent_decode};

use super::members::Members;
use super::package::{self, NO_PACKAGE, OpenPackage, ZipPackage};
use super::{ZipError, refused};
use crate::files::container::{ContainerSpec, EPUB_MEDIA_TYPE, PackageBase};

/// EPUB.
pub static EPUB: ZipPackage = ZipPackage { spec: &SPEC, members };

static SPEC: ContainerSpec = ContainerSpec {
    media_types: &[EPUB_MEDIA_TYPE],
    ..package::spec(PackageBase::Closed, &["epub"], |head| {
        (!head.starts_with(b"PK")).then_some(NO_PACKAGE)
    })
};

/// The members with the names of the package documents, and with what is encrypted.
const CONTAINER: &str = "META-INF/container.xml";
const ENCRYPTION: &str = "META-INF/encryption.xml";

/// The media type of a package document, which lists the other members with their types.
const PACKAGE_DOCUMENT: &str = "application/oebps-package+xml";

/// The methods that obfuscate fonts (EPUB 3.3, section 4.4.3), and nothing else.
const OF_FONTS: [&str; 2] =
    ["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"];

/// The types of members that are read.
const READ: [Media; 3] = [Media::XML, Media::CSS, Media::HTML];

fn members(package: &mut OpenPackage<'_>) -> Result<Members, ZipError> {
    let (mut names, mut is_encrypted) = (BTreeSet::new(), false);
    package.elements_of_table(CONTAINER, |element, value| {
        let is_one = || value("media-type").as_deref() == Some(PACKAGE_DOCUMENT);
        if element == "rootfile" && is_one() {
            names.extend(value("full-path").and_then(|path| member_at("", &path)));
        }
    })?;
    package.elements(ENCRYPTION, |element, value| {
        let is_of_fonts = |method: &str| OF_FONTS.contains(&method);
        is_encrypted |= element == "EncryptionMethod"
            && !value("Algorithm").is_some_and(|method| is_of_fonts(&method));
    })?;
    if is_encrypted {
        return Err(refused("it is encrypted"));
    }
    if names.is_empty() {
        return Err(refused(format!("its member {CONTAINER} names no package document")));
    }
    let (mut types, mut n_bytes) = (HashMap::new(), 0_usize);
    let most = package.limits.get(Limit::DocumentSize);
    for name in names {
        package.elements_of_table(&name, |element, value| {
            let (Some(href), Some(media_type)) = (value("href"), value("media-type")) else {
                return;
            };
            // Each name may be as long as that of the package document.
            n_bytes = n_bytes.saturating_add(name.len() + href.len());
            if n_bytes > most {
                return;
            }
            let media = Media::from_name(&media_type.trim().to_ascii_lowercase());
            if let ("item", Some(media)) = (element, media.filter(|media| READ.contains(media))) {
                types.extend(member_at(&name, &href).map(|member| (member, media)));
            }
        })?;
        if n_bytes > most {
            let limit = package.limits.met(Limit::DocumentSize);
            return Err(refused(format!("of the names in its member {name}: {limit}")));
        }
        types.insert(name, Media::XML);
    }
    let is_signed = package.is_signed();
    Ok(Members { types: Some(types), is_signed, hyperlink_base: None })
}

/// Returns the name of the member that a reference in another one points to.
fn member_at(member: &str, reference: &str) -> Option<String> {
    const TOP: &str = "http://package/";
    let mut base = TOP.to_owned();
    for (idx, name) in member.split('/').enumerate() {
        base.push_str(if idx > 0 { "/" } else { "" });
        encode_path_segment(name.as_bytes(), &mut base);
    }
    let target = Resolver::new(&base, Dialect::Web).ok()?.resolve(reference).ok()?.url()?;
    let path = target.strip_prefix(TOP)?.split(['?', '#']).next()?;
    String::from_utf8(percent_decode(path).into_owned()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_members() {
        for (member, reference, name) in [
            ("", "OEBPS/a.opf", Some("OEBPS/a.opf")),
            ("a b/c.opf", "d%20e.xhtml#f", Some("a b/d e.xhtml")),
            ("a/c.opf", "../é", Some("é")),
            ("a/c.opf", "../../../b", Some("b")),
            ("a/c.opf", "http://h/b", None),
        ] {
            assert_eq!(member_at(member, reference).as_deref(), name, "{reference}");
        }
    }
}
