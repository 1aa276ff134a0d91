//! The configuration of `absolutize`, `relativize` and `move`.

use std::env;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Arc;

use rewrite::{BaseElement, Mail, Move, MoveStyle, Relative, TargetMap};
use urlcore::Style;

use super::{Tree, locator, same_as, tree, usage};
use crate::cli::{Color, ConvertArgs, MoveArgs, RelativizeArgs};
use crate::destination::{self, Output, Replacing};
use crate::diff::Look;
use crate::exit::Error;
use crate::layout::Layout;
use crate::locate::Locator;
use crate::messages;
use crate::move_plan::{self, Moving};
use crate::paths::Root;
use crate::units;

/// The conversion of references.
#[derive(Clone, Debug)]
pub enum Action {
    /// They are made absolute.
    Absolutize,
    /// They are made relative.
    Relativize(Relative),
    /// They are made relative, and point to the files themselves.
    ForFile(Relative, Arc<Locator>),
    /// They are made correct for the place to which the tree moves.
    Move(Move),
}

/// A run of `absolutize`, `relativize` or `move`.
pub struct Convert {
    /// The tree.
    pub tree: Tree,
    /// The conversion.
    pub action: Action,
    /// The destination.
    pub output: Output,
    /// True if the changes are shown.
    pub shows_diff: bool,
    /// The appearance of the diff.
    pub look: Look,
    /// True if only files are written whose names Windows allows.
    pub has_portable_names: bool,
    /// True if files may be written over.
    pub is_forced: bool,
    /// True if a change makes the exit status 1.
    pub fails_on_change: bool,
    /// True if each file is flushed to the disk before the run goes on.
    pub is_durable: bool,
    /// The record of the move, if a second run would move everything again.
    pub notes_moves: Option<NotesMoves>,
}

/// The record of a move.
pub struct NotesMoves {
    /// The old and new URL of each root.
    pub pairs: Vec<(String, String)>,
    /// True if documents that an earlier run has moved are moved again.
    pub again: bool,
}

/// Checks the arguments of `absolutize`.
///
/// # Errors
///
/// [`Error::Usage`] for invalid arguments.
pub fn absolutize(args: ConvertArgs) -> Result<Convert, Error> {
    convert(args, |_| Ok(Action::Absolutize))
}

/// Checks the arguments of `relativize`.
///
/// # Errors
///
/// [`Error::Usage`] for invalid arguments, and if no URL is known at all.
pub fn relativize(args: RelativizeArgs) -> Result<Convert, Error> {
    let RelativizeArgs { convert: args, style, base_element, member, target, missing } = args;
    let has_output = args.output.is_some();
    convert(args, |tree| {
        // The parts of messages may contain their URLs.
        if tree.places.is_empty() && !units::has_messages(tree) {
            // No document says which files exist for which URLs.
            if target.is_some() || tree.hints.is_off {
                return Err(usage(WHERE));
            }
            if !units::has_hints(tree) {
                return Err(usage(format!("{WHERE}; no document notes where it was saved from")));
            }
        }
        tree.places.check_overlaps().map_err(usage)?;
        let same_as = same_as(&member, tree)?;
        let relative = Relative { style: style.0, base_element, missing, ..Relative::default() };
        if target.is_none() {
            let map = Arc::new(tree.places.roots(&tree.roots, &same_as));
            return Ok(Action::Relativize(Relative { map, ..relative }));
        }
        if style.0 != Style::Relative || base_element != BaseElement::Empty {
            return Err(usage(
                "--for file writes relative paths and empties bases: it goes with no other --style or --base-element",
            ));
        }
        if tree.roots.contains(&Root::Stdin) {
            return Err(usage(
                "--for file needs to know which files there are: it cannot read standard input",
            ));
        }
        let locator = Arc::new(locator(tree, &member, &same_as, false, has_output));
        let map: Arc<dyn TargetMap> = locator.clone();
        Ok(Action::ForFile(Relative { map, ..relative }, locator))
    })
}

/// Checks the arguments of `move`.
///
/// # Errors
///
/// [`Error::Usage`] for invalid arguments.
pub fn relocate(mut args: MoveArgs) -> Result<Convert, Error> {
    let Moving { moves, pairs, notes } = Moving::new(&args).map_err(usage)?;
    let tree = &mut args.convert.tree;
    let has_url = tree.base.is_some() || !tree.map.is_empty() || tree.layout != Layout::Plain;
    let mut guessed = None;
    if let ([path], false) = (&*tree.paths, has_url)
        && let Some((url, note)) = move_plan::place(&pairs, path)
    {
        tree.base = Some(url);
        guessed = Some((note, path.is_file()));
    }
    if !tree.quiet {
        notes.iter().for_each(|note| messages::print(note));
    }
    if args.again && !args.convert.in_place {
        return Err(usage("--again goes with --in-place: nothing is noted of other runs"));
    }
    // If trees come together, a relative path from one to another leads elsewhere in the old place.
    let joins_trees = args.style == MoveStyle::Relative && pairs.len() > 1;
    let is_noted = moves.may_move_twice() || joins_trees;
    let to = Move { map: Arc::new(moves), style: args.style, is_once: is_noted };
    let in_place = args.convert.in_place;
    let mut config = convert(args.convert, |tree| {
        tree.places.check_overlaps().map_err(usage)?;
        Ok(Action::Move(to))
    })?;
    if let Some((note, is_file)) = guessed {
        config.tree.places.guess();
        let is_message = is_file && units::has_messages(&config.tree);
        if !config.tree.is_quiet && !is_message {
            messages::print(&note);
        }
    }
    // A dry run reports what the run itself would report.
    config.notes_moves = (is_noted && in_place).then_some(NotesMoves { pairs, again: args.again });
    Ok(config)
}

/// The error if the URL of no document is known.
const WHERE: &str = "where does the tree belong? give --base URL, or --map PATH=URL";

fn convert(
    args: ConvertArgs,
    action: impl FnOnce(&Tree) -> Result<Action, Error>,
) -> Result<Convert, Error> {
    if args.backup.is_some() && !args.in_place {
        return Err(usage("--backup goes with --in-place"));
    }
    if args.break_hardlinks && !args.in_place {
        return Err(usage("--break-hardlinks goes with --in-place"));
    }
    let is_dry = args.dry_run || (args.diff && args.output.is_none() && !args.in_place);
    let mut tree = tree(args.tree)?;
    tree.options.verify = args.verify;
    tree.options.mail = Mail {
        breaks_signatures: args.mail.break_signatures,
        keeps_dkim: args.mail.keep_dkim,
        updates_checksums: args.mail.update_checksums,
        ..tree.options.mail
    };
    tree.options.lists_incidents = tree.is_verbose;
    let action = action(&tree)?;
    let is_stdin = tree.roots.contains(&Root::Stdin);
    let output = match args.output {
        _ if is_dry => Output::Nowhere,
        None if args.in_place => {
            let (backup, breaks_hardlinks) = (args.backup, args.break_hardlinks);
            destination::in_place(&mut tree, Replacing { backup, breaks_hardlinks })?
        }
        Some(out) => destination::output(&tree.roots, &out, args.force)?,
        None if is_stdin => destination::output(&tree.roots, Path::new("-"), args.force)?,
        None => {
            return Err(usage(
                "where to write? give -o OUT or --in-place, or --dry-run or --diff to write nothing",
            ));
        }
    };
    Ok(Convert {
        tree,
        action,
        output,
        shows_diff: args.diff,
        look: look(args.color),
        has_portable_names: args.portable_names,
        is_forced: args.force,
        fails_on_change: args.exit_code,
        is_durable: args.durable,
        notes_moves: None,
    })
}

fn look(color: Color) -> Look {
    let is_terminal = io::stdout().is_terminal();
    let has_color = match color {
        Color::Always => true,
        Color::Never => false,
        // <https://no-color.org>
        Color::Auto => {
            is_terminal
                && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
                && env::var_os("TERM").is_none_or(|term| term != "dumb")
        }
    };
    match (has_color, is_terminal) {
        (true, _) => Look::Coloured,
        (false, true) => Look::Shown,
        (false, false) => Look::Exact,
    }
}
