//! Which files are read: a page that somebody else has written must not be able to name private
//! files, which would be in the message then.

use std::io;
use std::path::{Component, Path, PathBuf};

use super::media_type;

/// The directory whose files may be read, whatever they are.
#[derive(Clone, Debug)]
pub struct Access {
    /// With all links resolved.
    directory: PathBuf,
}

impl Access {
    /// Allows the files of a directory.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn new(directory: &Path) -> io::Result<Self> {
        Ok(Access { directory: directory.canonicalize()? })
    }

    /// Returns true if a file may be read: one in the directory, or elsewhere one that by its name
    /// is what pages load, and neither hidden nor in a hidden directory that the page is not in.
    /// What counts is where the file is, after all links.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn allows(&self, path: &Path) -> io::Result<bool> {
        let real = path.canonicalize()?;
        if real.starts_with(&self.directory) {
            return Ok(true);
        }
        let is_same = |(one, other): &(Component<'_>, Component<'_>)| one == other;
        let n_same = real.components().zip(self.directory.components()).take_while(is_same).count();
        let is_hidden = |name: Component<'_>| name.as_os_str().as_encoded_bytes().starts_with(b".");
        let is_loaded = media_type::by_name(&real).is_some_and(|name| {
            let is_media = name.starts_with("audio/") || name.starts_with("video/");
            is_media
                || name == "text/vtt"
                || media_type::is_page(name)
                || media_type::is_script(name)
                || media_type::is_shown(name)
        });
        Ok(is_loaded && !real.components().skip(n_same).any(is_hidden))
    }
}
