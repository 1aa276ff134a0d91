//! The table of containers, and how the container of a file is found in it.

use std::path::Path;

use rewrite::Media;

use super::{
    Archive, Container, ContainerForm, ContainerId, ContainerSpec, EPUB, Emlx, Gzip, Maildir, Mbox,
    Mmdf, OFFICE, OPEN_DOCUMENT, Wacz, Zip,
};

/// All containers. The first one counts that the name, the place or the content of a file fits.
pub static CONTAINERS: &[&dyn Container] =
    &[&Mmdf, &Maildir, &Mbox, &Emlx, &Archive, &Wacz, &Gzip, &Zip, &OFFICE, &OPEN_DOCUMENT, &EPUB];

impl ContainerId {
    /// Returns the container.
    pub fn get(self) -> &'static dyn Container {
        CONTAINERS[self.0]
    }

    /// Returns the facts about it.
    pub fn spec(self) -> &'static ContainerSpec {
        self.get().spec()
    }
}

/// Returns the first container whose facts fit.
fn first(fits: impl Fn(&ContainerSpec) -> bool) -> Option<ContainerId> {
    CONTAINERS.iter().position(|container| fits(container.spec())).map(ContainerId)
}

/// Returns the container of files with this extension, which is in lower case and without a dot.
pub fn of_extension(extension: &str) -> Option<ContainerId> {
    first(|spec| spec.extensions.contains(&extension))
}

/// Returns true if a file with this name is a package whose members have URLs.
pub fn is_package(name: &[u8]) -> bool {
    let extension = name.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    CONTAINERS.iter().map(|container| container.spec()).any(|spec| {
        matches!(spec.form, ContainerForm::Package(_))
            && spec.form.has_members_below()
            && spec.extensions.iter().any(|own| own.as_bytes().eq_ignore_ascii_case(extension))
    })
}

/// Returns the container with this media type, which is in lower case.
pub fn of_media_type(name: &str) -> Option<ContainerId> {
    first(|spec| spec.media_types.contains(&name))
}

/// Returns the container of a file that begins with these bytes.
pub fn of_content(head: &[u8]) -> Option<ContainerId> {
    first(|spec| spec.is_content.is_some_and(|is_content| is_content(head)))
}

/// Returns the container of a file that begins with these bytes, if that is certain only because
/// its index is next to it. `has_index` returns true if a file is there whose name has this text
/// after the name of the file.
pub fn of_content_with_index(head: &[u8], has_index: impl Fn(&str) -> bool) -> Option<ContainerId> {
    first(|spec| {
        let is_content = spec.is_content_with_index.is_some_and(|is_content| is_content(head));
        is_content && spec.index.is_some_and(|(suffix, _)| has_index(suffix))
    })
}

/// Returns the container of a file at this path, if its place gives it. `is_directory` decides
/// which paths are directories; it is called for those only that matter.
pub fn of_place(path: &Path, is_directory: &dyn Fn(&Path) -> bool) -> Option<ContainerId> {
    first(|spec| spec.is_place.is_some_and(|is_place| is_place(path, is_directory)))
}

/// Returns the container whose rules hold for the name of a file that is one document.
pub fn of_whole_file(media: Media) -> Option<&'static dyn Container> {
    let is_own =
        |spec: &ContainerSpec| spec.form == ContainerForm::WholeFile && spec.media == Some(media);
    first(is_own).map(ContainerId::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_that_of_one_container() {
        let names = |of: fn(&ContainerSpec) -> &'static [&'static str]| {
            CONTAINERS.iter().flat_map(move |container| of(container.spec()).iter().copied())
        };
        for (idx, container) in CONTAINERS.iter().enumerate() {
            let id = Some(ContainerId(idx));
            for name in container.spec().extensions {
                assert_eq!(of_extension(name), id, "{name}");
                assert_eq!(name.to_ascii_lowercase(), *name);
            }
            for name in container.spec().media_types {
                assert_eq!(of_media_type(name), id, "{name}");
                assert_eq!(Media::from_name(name), None, "{name}: read as a document");
            }
        }
        assert!(names(|spec| spec.extensions).count() > 5);
        assert!(names(|spec| spec.media_types).count() > 5);
    }
}
