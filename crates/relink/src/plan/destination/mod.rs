//! The destination of the output, and whether it is valid: checked before the first file is opened.

pub mod manifest;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::files::media::FileType;
use crate::os::option_names::{Text, texts};
use crate::os::paths;
use crate::os::paths::Root;
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

/// An output that cannot be written.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputError {
    /// A directory is to be written to standard output.
    DirectoryToStdout,
    /// Several PATHs are to be written to standard output.
    SeveralToStdout,
    /// This OUT cannot be used.
    Unusable {
        /// The output.
        out: PathBuf,
        /// The reason, and what to do.
        reason: &'static str,
    },
    /// One of several PATHs has no name, as `/` has none.
    NoName {
        /// The PATH.
        path: PathBuf,
    },
    /// Two of several PATHs have the same name.
    SameName {
        /// The second one.
        path: PathBuf,
        /// The output of both.
        output: PathBuf,
    },
    /// Standard input is to be written over.
    StdinInPlace,
    /// A symbolic link to a file is to be written over.
    LinkInPlace {
        /// The link.
        path: PathBuf,
    },
    /// The suffix of backups is invalid.
    Backup {
        /// The suffix.
        suffix: OsString,
        /// The reason, and what to do.
        reason: &'static str,
    },
}

texts!(OutputError {
    OutputError::DirectoryToStdout => "cannot write a directory to standard output; it holds one document; use `-o OUT` to name a directory";
    OutputError::SeveralToStdout => "cannot write several PATHs to standard output; it holds one document; use `-o OUT` to name a directory";
    OutputError::Unusable { out, reason } => "{}: cannot write the output here; {}", out.display(), Text(reason);
    OutputError::NoName { path } => "{}: cannot be one of several PATHs; it has no name for a directory in OUT; run relink for this PATH alone", path.display();
    OutputError::SameName { path, output } => "{}: cannot be written to {}; another PATH has the same name; run relink for each PATH alone", path.display(), output.display();
    OutputError::StdinInPlace => "cannot use --in-place with standard input; it is not a file; use `-o OUT` to write a file";
    OutputError::LinkInPlace { path } => "{}: cannot write in place; it is a symbolic link; use the file that it points to", path.display();
    OutputError::Backup { suffix, reason } => "invalid value '{}' for --backup; {}", suffix.to_string_lossy(), reason;
});

impl OutputError {
    /// Returns true if the message begins with a path.
    pub(crate) fn is_about_path(&self) -> bool {
        use OutputError::{LinkInPlace, NoName, SameName, Unusable};
        matches!(self, LinkInPlace { .. } | NoName { .. } | SameName { .. } | Unusable { .. })
    }
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
/// [`OutputError`] if the output is invalid.
pub fn output(roots: &[Root], out: &Path, is_forced: bool) -> Result<Output, OutputError> {
    let is_stream = out.as_os_str() == "-";
    let wrong = |reason| OutputError::Unusable { out: out.to_owned(), reason };
    let outputs = match roots {
        [Root::Stdin] if is_stream => return Ok(Output::Stdout),
        [Root::Stdin] => return file(out, is_forced),
        [Root::Path { typed: path, .. }] if !path.is_dir() => {
            if is_stream {
                return Ok(Output::Stdout);
            }
            if resolved(path) == resolved(out) {
                return Err(wrong("it is the input; use another OUT, or `--in-place`"));
            }
            return file(out, is_forced);
        }
        [_] if is_stream => return Err(OutputError::DirectoryToStdout),
        _ if is_stream => return Err(OutputError::SeveralToStdout),
        [_] => vec![out.to_owned()],
        _ => below(roots, out)?,
    };
    directory(roots, out, is_forced, outputs.len() == 1)?;
    Ok(Output::Below(outputs))
}

/// Checks that a directory can be the output of some roots. `is_real` is true if `out` itself must
/// not be a symbolic link.
///
/// # Errors
///
/// [`OutputError`] if it contains the input or lies in it, or if it is not empty and `is_forced` is
/// false.
pub fn directory(
    roots: &[Root],
    out: &Path,
    is_forced: bool,
    is_real: bool,
) -> Result<(), OutputError> {
    let wrong = |reason| OutputError::Unusable { out: out.to_owned(), reason };
    let out_path = resolved(out);
    let inputs = |root: &Root| match root.path().zip(root.files()) {
        Some((path, files)) => {
            let directory = resolved(path);
            files.iter().map(|file| directory.join(file)).collect()
        }
        None => root.path().map(resolved).into_iter().collect::<Vec<PathBuf>>(),
    };
    for path in roots.iter().flat_map(inputs) {
        if out_path == path {
            return Err(wrong("it is the input; use another OUT, or `--in-place`"));
        }
        if out_path.starts_with(&path) {
            return Err(wrong("it is inside the input; use another OUT"));
        }
        if path.starts_with(&out_path) {
            return Err(wrong("it contains the input; use another OUT"));
        }
    }
    // Several have their own directories in it.
    if is_real && out.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(wrong("it is a symbolic link; use the directory that it points to"));
    }
    if out.symlink_metadata().is_ok() && !out.is_dir() {
        return Err(wrong("it is not a directory; use another OUT"));
    }
    let is_empty =
        out.read_dir().is_ok_and(|mut entries| entries.next().is_none()) || !out.exists();
    if !is_empty && !is_forced {
        return Err(wrong("the directory is not empty; use `--force` to write into it"));
    }
    Ok(())
}

fn file(out: &Path, is_forced: bool) -> Result<Output, OutputError> {
    let wrong = |reason| Err(OutputError::Unusable { out: out.to_owned(), reason });
    match out.metadata() {
        Ok(metadata) if metadata.is_dir() => {
            wrong("it is a directory, and the input is a file; use the path of a file")
        }
        Ok(metadata) if !metadata.is_file() => {
            wrong("it is neither a file nor a directory; use another OUT")
        }
        Ok(_) if !is_forced => wrong("the file exists; use `--force` to replace it"),
        Err(_) if !is_forced && out.symlink_metadata().is_ok() => {
            wrong("it is a symbolic link to a missing file; use `--force` to replace it")
        }
        Err(_)
            if out.parent().is_some_and(|parent| {
                !parent.as_os_str().is_empty() && parent.metadata().is_err()
            }) =>
        {
            wrong("its directory does not exist; create it first")
        }
        _ => Ok(Output::File(out.to_owned())),
    }
}

/// Returns `OUT/basename` for each of several roots.
fn below(roots: &[Root], out: &Path) -> Result<Vec<PathBuf>, OutputError> {
    let mut outputs: Vec<PathBuf> = Vec::with_capacity(roots.len());
    for root in roots {
        let Root::Path { typed: path, .. } = root else { continue };
        let name = root.name();
        if name.as_os_str().is_empty() {
            return Err(OutputError::NoName { path: path.clone() });
        };
        let output = out.join(name);
        if outputs.contains(&output) {
            return Err(OutputError::SameName { path: path.clone(), output });
        }
        outputs.push(output);
    }
    Ok(outputs)
}

/// Returns the path with all links resolved, as far as it exists.
pub fn resolved(path: &Path) -> PathBuf {
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
/// [`OutputError`] if this is not possible.
pub fn in_place(tree: &mut Tree, replacing: Replacing) -> Result<Output, OutputError> {
    for root in &tree.roots {
        let Root::Path { typed: path, .. } = root else {
            return Err(OutputError::StdinInPlace);
        };
        let is_link = path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
        if is_link && !path.is_dir() {
            return Err(OutputError::LinkInPlace { path: path.clone() });
        }
    }
    if let Some(suffix) = &replacing.backup {
        let wrong = |reason| OutputError::Backup { suffix: suffix.clone(), reason };
        let bytes = suffix.as_encoded_bytes();
        if bytes.is_empty() || bytes.contains(&b'/') {
            return Err(wrong("expected the end of a file name, such as .orig"));
        }
        let is_read = |name: &str| {
            let mut name = OsString::from(name);
            name.push(suffix);
            let file_type = tree.types.of_path(Path::new(&name));
            matches!(file_type, FileType::Document(_) | FileType::Container(..))
        };
        if is_read("x") || is_read("x.html") {
            return Err(wrong(
                "backups with this suffix would be read as documents; use a suffix such as .orig",
            ));
        }
        tree.globs.kept = Some(suffix.clone());
    }
    Ok(Output::InPlace(replacing))
}
