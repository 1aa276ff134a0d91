//! The directories of the output, and the files of the input that are not written there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::destination::Output;
use crate::dirs::Dirs;
use crate::exit::Error;
use crate::failure::Failure;
use crate::journal;
use crate::paths;
use crate::paths::Root;
use crate::plan::Convert;
use crate::temp_names;
use crate::walk::Entry;

/// Returns the directories of the output, by the numbers of the roots. Creates the directories
/// around them.
pub(super) fn output_dirs(config: &Convert) -> Result<Dirs, Error> {
    let mut dirs = Dirs::new();
    fn failed(path: &Path) -> impl Fn(io::Error) -> Error {
        let path = path.to_owned();
        move |error| Failure::writing(&path)(error).into()
    }
    match &config.output {
        Output::Nowhere | Output::Stdout | Output::InPlace(_) => {}
        Output::File(path) => dirs.add_file(&real_parent(path).map_err(failed(path))?, None),
        Output::Below(outputs) => {
            for (root, output) in config.tree.roots.iter().zip(outputs) {
                if let Some(parent) = output.parent() {
                    fs::create_dir_all(parent).map_err(failed(parent))?;
                }
                let real = real_parent(output).map_err(failed(output))?;
                match root.real().is_some_and(Path::is_dir) {
                    true => dirs.add_directory(real, None),
                    false => dirs.add_file(&real, None),
                }
            }
        }
    }
    Ok(dirs)
}

/// Returns the path with all links in its directory resolved.
fn real_parent(path: &Path) -> io::Result<PathBuf> {
    let path = paths::from_root(path);
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok(parent.canonicalize()?.join(name)),
        _ => path.canonicalize(),
    }
}

/// Returns the interrupted runs that the journals of the roots name, and this run.
pub(super) fn left_runs(config: &Convert) -> Vec<String> {
    let roots = config.tree.roots.iter().filter_map(Root::real);
    let runs = roots.flat_map(journal::runs_at);
    runs.chain(std::iter::once(temp_names::run_id().to_owned())).collect()
}

/// Returns true if an entry is a temporary file of one of these runs.
pub(super) fn is_left(entry: &Entry, runs: &[String]) -> bool {
    let run = entry.path.file_name().and_then(temp_names::run_of);
    !entry.is_single && run.is_some_and(|run| runs.iter().any(|id| id == run))
}
