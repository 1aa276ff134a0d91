//! The files that a command reads, their URLs, and how they are read.

use std::collections::HashSet;
use std::path::PathBuf;

use rewrite::{Extras, Filter, OptIn, Options};

use super::usage;
use crate::cli::TreeArgs;
use crate::exit::Error;
use crate::globs::Globs;
use crate::hints::Hints;
use crate::layout::Layout;
use crate::media::Types;
use crate::messages;
use crate::paths::Root;
use crate::tree::Tree;
use crate::url_mapping::UrlMapping;
use crate::walk::{self};

/// Returns a note if a tree is read as plain but looks like a mirror.
fn forgotten_layout(args: &TreeArgs) -> Option<String> {
    let base = args.base.as_deref().filter(|_| args.layout == Layout::Plain)?;
    let host = urlcore::Reference::split(base, args.dialect).authority()?;
    let directory = args.paths.first()?.join(host);
    (!host.is_empty() && directory.is_dir()).then(|| {
        format!(
            "{} is named like the host of --base; if this is a mirror, give --layout wget instead",
            directory.display()
        )
    })
}

/// Checks the arguments that describe the tree.
pub(super) fn tree(args: TreeArgs) -> Result<Tree, Error> {
    let is_url = |path: &&PathBuf| {
        let path = path.to_str().unwrap_or_default();
        ["http://", "https://", "ftp://"].iter().any(|scheme| path.starts_with(scheme))
    };
    if let Some(url) = args.paths.iter().find(is_url).filter(|path| !path.exists()) {
        let reason = "this is a URL; relink reads files, and fetches nothing";
        return Err(usage(format!("{}: {reason}", url.display())));
    }
    if args.scheme.is_some() && (args.layout == Layout::Plain || args.base.is_some()) {
        return Err(usage(
            "--scheme goes with --layout wget or --layout httrack, and not with --base",
        ));
    }
    let is_of_one_host = args.base.is_some() || !args.map.is_empty();
    let (places, notes) = match args.layout {
        layout if layout == Layout::Plain || is_of_one_host => {
            UrlMapping::new(&args.paths, args.base.as_deref(), &args.map, layout)
        }
        layout => {
            let scheme = args.scheme.as_deref().unwrap_or("http");
            UrlMapping::of_hosts(&args.paths, layout, scheme).map(|places| (places, vec![]))
        }
    }
    .map_err(usage)?;
    let notes = notes.into_iter().chain(forgotten_layout(&args));
    if !args.quiet {
        notes.for_each(|note| messages::print(&note));
    }
    let mut options = Options { dialect: args.dialect, engine: args.engine, ..Options::default() };
    options.mail.profile = args.profile;
    options.xml_base = args.xml_base;
    for name in &args.also {
        match name.as_str() {
            name if options.opt_in.enable(name) || options.extras.add_preset(name) => {}
            _ if is_attribute(name) => options.extras.add(name),
            _ => {
                return Err(usage(format!(
                    "--also {name}: expected {}, or the name of an attribute, data-src or img[data-src]",
                    [&OptIn::NAMES[..], &Extras::PRESETS.map(|(name, _)| name)].concat().join(", ")
                )));
            }
        }
    }
    for limit in &args.limit {
        let (name, value) = limit.split_once('=').unwrap_or((limit, ""));
        let result = options.limits.set(name, value);
        result.map_err(|error| usage(format!("--limit {limit}: {error}")))?;
    }
    options.filter = filter(args.only, args.skip, &options.extras)?;
    let types = Types::new(&args.types, &options.opt_in).map_err(usage)?;
    let roots: Vec<Root> = args.paths.into_iter().map(Root::new).collect();
    if roots.len() > 1 && roots.contains(&Root::Stdin) {
        return Err(usage("standard input (-) cannot be read together with other paths"));
    }
    Ok(Tree {
        dirs: walk::dirs(&roots),
        roots,
        places,
        hints: Hints::new(!args.no_hints, args.trust_canonical),
        types,
        globs: Globs::new(&args.include, &args.exclude)?,
        options,
        finished: HashSet::new(),
        changed: HashSet::new(),
        jobs: args.jobs,
        is_strict: args.strict,
        is_quiet: args.quiet,
        is_verbose: args.verbose,
    })
}

fn filter(only: Vec<String>, skip: Vec<String>, extras: &Extras) -> Result<Filter, Error> {
    Filter::new(only, skip, extras).map_err(|error| usage(error.to_string()))
}

fn is_attribute(name: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty()
            && !name.contains(|char: char| {
                char.is_ascii_whitespace() || "\"'<>/=[]".contains(char) || char.is_control()
            })
    };
    match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
        Some((element, attribute)) => is_name(element) && is_name(attribute),
        None => is_name(name),
    }
}
