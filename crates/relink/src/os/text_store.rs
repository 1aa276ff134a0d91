//! Texts of a run, such as URLs and paths, that may need more memory than there is: the last ones
//! are in memory, and the others in a temporary file.

use std::borrow::Cow;
use std::env;
use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::OnceLock;

use crate::os::failure::Failure;
use crate::os::messages;
use crate::os::positioned::Positioned;

/// The number of bytes that are kept in memory: all, where there are no files.
const IN_MEMORY: usize = if cfg!(target_family = "wasm") { usize::MAX } else { 8 << 20 };

/// The place of a text in its store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TextSpan {
    start: u64,
    len: u32,
}

/// Texts that are added one after another, and read in any order.
///
/// An error of the temporary file is kept for [`TextStore::check`]; texts that cannot be read are
/// empty. So whoever uses texts checks before anything that depends on them is written.
#[derive(Debug, Default)]
pub struct TextStore {
    /// The texts before those in memory.
    file: Option<File>,
    n_in_file: u64,
    memory: Vec<u8>,
    error: OnceLock<io::Error>,
}

impl TextStore {
    /// Adds the text that `write` appends to the bytes in memory.
    pub fn add(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> TextSpan {
        if self.memory.len() >= IN_MEMORY
            && let Err(error) = self.spill()
        {
            self.memory.clear();
            drop(self.error.set(error));
        }
        let n_before = self.memory.len();
        write(&mut self.memory);
        let start = self.n_in_file + n_before as u64;
        match u32::try_from(self.memory.len() - n_before) {
            Ok(len) => TextSpan { start, len },
            Err(_) => {
                self.memory.truncate(n_before);
                drop(self.error.set(io::ErrorKind::FileTooLarge.into()));
                TextSpan::default()
            }
        }
    }

    /// Moves what is in memory to the file.
    fn spill(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(tempfile::tempfile()?),
        };
        file.write_all(&self.memory)?;
        self.n_in_file += self.memory.len() as u64;
        self.memory.clear();
        Ok(())
    }

    /// Returns a text.
    pub fn get(&self, TextSpan { start, len }: TextSpan) -> Cow<'_, [u8]> {
        if let Some(start) = start.checked_sub(self.n_in_file) {
            let start = usize::try_from(start).unwrap_or(usize::MAX);
            let text = self.memory.get(start..).and_then(|rest| rest.get(..len as usize));
            return text.unwrap_or_default().into();
        }
        let mut text = vec![0; len as usize];
        let file = self.file.as_ref();
        let read = file.map_or(Ok(()), |file| Positioned::new(file, start).read_exact(&mut text));
        match read {
            Ok(()) => text.into(),
            Err(error) => {
                drop(self.error.set(error));
                Cow::default()
            }
        }
    }

    /// Returns the first error of the temporary file.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the directory of the file; texts that were added or read may be wrong.
    pub fn check(&self) -> Result<(), Failure> {
        self.error.get().map_or(Ok(()), |error| {
            let reason = messages::reason(error);
            let text = format!(
                "cannot keep URLs in a temporary file; {reason}; set TMPDIR to a directory with room"
            );
            Err(Failure::because(&env::temp_dir(), text))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_from_memory_and_from_the_file() {
        let mut store = TextStore::default();
        let text = |n: usize| format!("{n} ").repeat(n % 50).into_bytes();
        let n_texts = 300_000;
        let spans: Vec<TextSpan> =
            (0..n_texts).map(|n| store.add(|memory| memory.extend(text(n)))).collect();
        assert!(store.n_in_file > 0 && store.memory.len() < 2 * IN_MEMORY);
        for n in (0..n_texts).rev().step_by(7) {
            assert_eq!(*store.get(spans[n]), text(n), "{n}");
        }
        store.check().unwrap();
    }

    #[test]
    fn an_error_of_the_file_is_kept() {
        let mut store = TextStore::default();
        let first = store.add(|memory| memory.resize(IN_MEMORY, b'a'));
        let second = store.add(|memory| memory.extend(b"b"));
        assert_eq!((store.get(first).len(), &*store.get(second)), (IN_MEMORY, &b"b"[..]));
        store.file.as_ref().unwrap().set_len(7).unwrap();
        assert_eq!(*store.get(second), *b"b");
        store.check().unwrap();
        assert_eq!(*store.get(first), *b"");
        let message = store.check().unwrap_err().to_string();
        assert!(
            message.contains("cannot keep URLs in a temporary file; failed to fill"),
            "{message}"
        );
    }
}
