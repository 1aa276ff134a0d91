//! The file of a report: its form, and whether it may be written.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::Form;
use crate::files::own_files;
use crate::os::paths::Root;
use crate::plan::destination::{Output, resolved};
use crate::plan::exit::Error;

/// Returns the form of the report at a path, by its name. An existing file is replaced only if it
/// is a report; nothing else of the run may have the path.
///
/// # Errors
///
/// [`Error::Path`] with the reason.
pub fn check(path: &Path, roots: &[Root], output: Option<&Output>) -> Result<Form, Error> {
    let wrong =
        |reason: &str| Err(Error::at(path, format!("cannot write the report here; {reason}")));
    if path.as_os_str() == "-" {
        return Err(Error::Usage("cannot write a report to standard output; it is a file; use `--format json` for records on standard output".to_owned()));
    }
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    let form = match extension.to_str() {
        Some("html" | "htm") => Form::Page,
        Some("json") => Form::Data,
        _ => return wrong("its name says the form; use a name that ends in .html or .json"),
    };
    check_existing(path)?;
    let at = resolved(path);
    let mut is_inside = false;
    match output {
        Some(Output::File(out)) if resolved(out) == at => {
            return wrong("it is the output; use another name");
        }
        Some(Output::Below(outputs)) => {
            for (out, root) in outputs.iter().zip(roots) {
                let Ok(below) = at.strip_prefix(resolved(out)).map(Path::to_owned) else {
                    continue;
                };
                is_inside = true;
                if root.path().is_some_and(|root| root.join(below).symlink_metadata().is_ok()) {
                    return wrong("a file of the output has this name; use another name");
                }
            }
        }
        _ => {}
    }
    let directory = path.parent().filter(|directory| !directory.as_os_str().is_empty());
    if directory.is_none_or(Path::is_dir) || is_inside {
        Ok(form)
    } else {
        wrong("its directory does not exist; create it first")
    }
}

/// Checks that there is nothing at the path of a report but an earlier report.
///
/// # Errors
///
/// [`Error::Path`] with the reason.
pub(super) fn check_existing(path: &Path) -> Result<(), Error> {
    let Ok(status) = path.symlink_metadata() else { return Ok(()) };
    let is_report = || {
        let mut head = Vec::new();
        let file = File::open(path);
        let read =
            file.and_then(|file| file.take(own_files::REPORT_START as u64).read_to_end(&mut head));
        read.is_ok() && own_files::is_report(&head)
    };
    if status.is_file() && is_report() {
        Ok(())
    } else {
        Err(Error::at(
            path,
            "cannot write the report here; there is something else, and only an earlier report is replaced; use another name",
        ))
    }
}
