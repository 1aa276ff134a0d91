//! What a new file or directory gets from its input besides content: rights and times.

use std::fs::{File, FileTimes, Metadata, Permissions};

use crate::os::attributes;
use crate::os::dirs::Directory;

/// The rights and times of an input.
#[derive(Clone, Debug)]
pub struct Properties {
    /// All that the system knows.
    pub metadata: Metadata,
    /// The rights that a new file gets. It has no access list, and gives nobody more than the input
    /// does.
    pub permissions: Permissions,
}

impl Properties {
    /// Returns those of an open file.
    pub fn of(file: &File, metadata: &Metadata) -> Self {
        let permissions = attributes::without_list(file, metadata.permissions());
        Properties { metadata: metadata.clone(), permissions }
    }

    /// Returns those of a file that is replaced by another with the same access list.
    pub fn with_list(metadata: Metadata) -> Self {
        Properties { permissions: metadata.permissions(), metadata }
    }

    /// Returns those of a directory.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn of_directory(directory: &Directory) -> std::io::Result<Self> {
        let metadata = directory.metadata()?;
        Ok(match directory.as_file() {
            Ok(file) => Properties::of(&file, &metadata),
            // One that may not be listed.
            Err(_) => Properties::with_list(metadata),
        })
    }

    /// Returns the times.
    pub fn times(&self) -> FileTimes {
        let mut times = FileTimes::new();
        if let Ok(modified) = self.metadata.modified() {
            times = times.set_modified(modified);
        }
        if let Ok(accessed) = self.metadata.accessed() {
            times = times.set_accessed(accessed);
        }
        times
    }
}
