//! The plans of `unpack` and `pack`.

use crate::cli::args::{PackArgs, UnpackArgs};
use crate::events::Events;
use crate::os::command_line::CommandLine;
use crate::plan::exit::Error;
use crate::plan::{Pack, PackOptions, Unpack};

/// Returns the plan of `unpack`; `continued` is the command of the interrupted run that it
/// continues.
///
/// # Errors
///
/// [`Error::Plan`] for invalid arguments.
pub fn unpack(
    args: UnpackArgs,
    continued: Option<CommandLine>,
    events: &mut dyn Events,
) -> Result<Unpack, Error> {
    let unpack = Unpack::new(args.tree, args.options, events)?;
    Ok(continued.into_iter().fold(unpack, Unpack::continuing))
}

/// Returns the plan of `pack`.
///
/// # Errors
///
/// [`Error::Plan`] for invalid arguments.
pub fn pack(args: PackArgs, events: &mut dyn Events) -> Result<Pack, Error> {
    let mut options = match (args.page, args.tree) {
        (_, Some(directory)) => PackOptions::tree(directory),
        (page, None) => PackOptions::page(page.unwrap_or_default()),
    };
    options = args.root.into_iter().fold(options, PackOptions::root);
    options = args.base.into_iter().fold(options, PackOptions::base);
    options = args.output.into_iter().fold(options, PackOptions::output);
    options = args.types.into_iter().fold(options, PackOptions::media_type);
    options = args.limit.into_iter().fold(options, PackOptions::limit);
    options = args.include.into_iter().fold(options, PackOptions::include);
    options = args.exclude.into_iter().fold(options, PackOptions::exclude);
    options = args.jobs.into_iter().fold(options, PackOptions::jobs);
    for (is_set, set) in [
        (args.scripts, PackOptions::scripts as fn(PackOptions) -> PackOptions),
        (args.force, PackOptions::force),
        (args.dry_run, PackOptions::dry_run),
    ] {
        options = if is_set { set(options) } else { options };
    }
    Ok(Pack::new(options.verbose(args.verbose), events)?)
}
