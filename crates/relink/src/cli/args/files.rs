//! Arguments of the commands that write files about the program itself: `completions`, `man`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::os::format::ColorArgs;

/// A shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// GNU Bash.
    Bash,
    /// Z shell.
    Zsh,
    /// Fish.
    Fish,
    /// PowerShell.
    #[value(name = "powershell")]
    Pwsh,
    /// Nushell.
    Nushell,
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell: bash, zsh, fish, powershell or nushell
    #[arg(value_name = "SHELL", hide_possible_values = true)]
    pub shell: Shell,

    /// Colours.
    #[command(flatten)]
    pub color: ColorArgs,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The directory for the pages; it is created if it does not exist
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,

    /// Colours.
    #[command(flatten)]
    pub color: ColorArgs,
}
