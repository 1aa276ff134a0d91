//! The plans of `unpack` and `pack`.

use super::tree;
use crate::cli::args::canonical;
use crate::cli::args::{PackArgs, Target, UnpackArgs};
use crate::events::Events;
use crate::os::command_line::CommandLine;
use crate::plan::exit::Error;
use crate::plan::{Pack, PackOptions, Unpack, UnpackOptions};

/// Returns the plan of `unpack`.
///
/// # Errors
///
/// [`Error::Plan`] for invalid arguments.
pub fn unpack(
    args: UnpackArgs,
    line: &CommandLine,
    events: &mut dyn Events,
) -> Result<Unpack, Error> {
    let mut options = UnpackOptions::new(args.output);
    if args.force {
        options = options.force();
    }
    if args.update {
        options = options.update();
    }
    if args.delete {
        options = options.delete();
    }
    if let Some(path) = args.manifest.filter(|_| !args.dry_run) {
        options = options.manifest(path);
    }
    if args.dry_run {
        options = options.dry_run();
    }
    if args.raw {
        options = options.raw();
    }
    if args.durable {
        options = options.durable();
    }
    if args.no_twins {
        options = options.no_twins();
    }
    if args.allow_remote {
        options = options.allow_remote();
    }
    if let Some(time) = args.at {
        options = options.at(time);
    }
    if args.target == Target::StaticHost {
        options = options.for_static_host();
    }
    let mut unpack = Unpack::new(tree(args.tree), options, events)?
        .command_line(line.directory.clone(), line.words.clone());
    unpack.command = canonical::command(&line.words);
    Ok(unpack)
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
