//! The destination of the output, and whether it is valid: checked before the first file is opened.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::exit::Error;
use crate::media::FileType;
use crate::paths;
use crate::paths::Root;
use crate::tree::Tree;

/// The destination of the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// Nowhere.
    Nowhere,
    /// To standard output.
    Stdout,
    /// To this file; the only input is a file or standard input.
    File(PathBuf),
    /// Over the documents themselves.
    InPlace(Replacing),
    /// Each root has its own directory or file, in the order of the roots.
    Below(Vec<PathBuf>),
}

/// How documents are written over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replacing {
    /// The old ones are kept under names with this suffix.
    pub backup: Option<OsString>,
    /// True if a document with several names (hard links) is replaced by a separate file under one
    /// of them.
    pub breaks_hardlinks: bool,
}

impl Replacing {
    /// Returns the name under which an old document is kept, if it is.
    pub fn kept(&self, name: &OsStr) -> Option<OsString> {
        self.backup.as_ref().map(|suffix| {
            let mut name = name.to_owned();
            name.push(suffix);
            name
        })
    }
}

/// Returns the destinations of the roots if the output is `out`.
///
/// # Errors
///
/// [`Error::Usage`] if the output is invalid.
pub fn output(roots: &[Root], out: &Path, is_forced: bool) -> Result<Output, Error> {
    let is_stream = out.as_os_str() == "-";
    let outputs = match roots {
        [Root::Stdin] if is_stream => return Ok(Output::Stdout),
        [Root::Stdin] => return file(out, is_forced),
        [Root::Path { typed: path, .. }] if !path.is_dir() => {
            if is_stream {
                return Ok(Output::Stdout);
            }
            if resolved(path) == resolved(out) {
                return Err(usage(format!("{}: the output is the input", out.display())));
            }
            return file(out, is_forced);
        }
        [_] if is_stream => return Err(usage("a folder cannot be written to standard output")),
        _ if is_stream => return Err(usage("several paths cannot be written to standard output")),
        [_] => vec![out.to_owned()],
        _ => below(roots, out)?,
    };
    for root in roots {
        let Root::Path { typed: path, .. } = root else { continue };
        let (path, out_path) = (resolved(path), resolved(out));
        if out_path.starts_with(&path) {
            return Err(usage(format!("{}: the output lies inside the input", out.display())));
        }
        if path.starts_with(&out_path) {
            return Err(usage(format!("{}: the input lies inside the output", out.display())));
        }
    }
    // Several have their own directories in it.
    if outputs.len() == 1 && out.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(usage(format!(
            "{}: the output is a link; name the folder that it leads to",
            out.display()
        )));
    }
    if out.symlink_metadata().is_ok() && !out.is_dir() {
        return Err(usage(format!("{}: the output is not a folder", out.display())));
    }
    let is_empty =
        out.read_dir().is_ok_and(|mut entries| entries.next().is_none()) || !out.exists();
    if !is_empty && !is_forced {
        return Err(usage(format!(
            "{}: the output folder is not empty; --force writes into it",
            out.display()
        )));
    }
    Ok(Output::Below(outputs))
}

fn file(out: &Path, is_forced: bool) -> Result<Output, Error> {
    let wrong = |reason: &str| Err(usage(format!("{}: {reason}", out.display())));
    match out.metadata() {
        Ok(metadata) if metadata.is_dir() => wrong("the output is a folder, the input a file"),
        Ok(metadata) if !metadata.is_file() => wrong("the output is neither a file nor a folder"),
        Ok(_) if !is_forced => wrong("the output exists; --force writes over it"),
        Err(_) if !is_forced && out.symlink_metadata().is_ok() => {
            wrong("the output is a link that leads nowhere; --force writes over it")
        }
        Err(_)
            if out.parent().is_some_and(|parent| {
                !parent.as_os_str().is_empty() && parent.metadata().is_err()
            }) =>
        {
            wrong("the output's folder does not exist")
        }
        _ => Ok(Output::File(out.to_owned())),
    }
}

/// Returns `OUT/basename` for each of several roots.
fn below(roots: &[Root], out: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut outputs: Vec<PathBuf> = Vec::with_capacity(roots.len());
    for root in roots {
        let Root::Path { typed: path, .. } = root else { continue };
        let name = root.name();
        if name.as_os_str().is_empty() {
            return Err(usage(format!(
                "{}: a path without a name cannot be one of several",
                path.display()
            )));
        };
        let output = out.join(name);
        if outputs.contains(&output) {
            return Err(usage(format!(
                "{}: two paths would both be written to {}",
                path.display(),
                output.display()
            )));
        }
        outputs.push(output);
    }
    Ok(outputs)
}

/// Returns the path with all links resolved, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let path = paths::from_root(path);
    for ancestor in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (ancestor.canonicalize(), path.strip_prefix(ancestor)) {
            return paths::absolute(&real.join(rest));
        }
    }
    paths::absolute(&path)
}

/// Returns the destination of a run that writes over the documents. Backups of an earlier run are
/// not documents of this one.
///
/// # Errors
///
/// [`Error::Usage`] if this is not possible.
pub fn in_place(tree: &mut Tree, replacing: Replacing) -> Result<Output, Error> {
    for root in &tree.roots {
        let Root::Path { typed: path, .. } = root else {
            return Err(usage("standard input cannot be written over"));
        };
        let is_link = path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
        if is_link && !path.is_dir() {
            return Err(usage(format!(
                "{}: a link is not written through; name the file that it leads to",
                path.display()
            )));
        }
    }
    if let Some(suffix) = &replacing.backup {
        let bytes = suffix.as_encoded_bytes();
        if bytes.is_empty() || bytes.contains(&b'/') {
            return Err(usage(format!(
                "--backup={}: expected the end of a file name, such as .orig",
                suffix.display()
            )));
        }
        let mut name = OsString::from("x");
        name.push(suffix);
        if matches!(tree.types.of_path(Path::new(&name)), FileType::Document(_)) {
            return Err(usage(format!(
                "--backup={}: what is kept would be taken for a document",
                suffix.display()
            )));
        }
        tree.globs.kept = Some(suffix.clone());
    }
    Ok(Output::InPlace(replacing))
}

fn usage(reason: impl Into<String>) -> Error {
    Error::Usage(reason.into())
}
