//! Which programs this machine can run: a test that needs one that is absent is skipped, with a message.

use std::process::{Command, Stdio};

/// Returns true if the program starts and exits with 0.
///
/// That the program starts is not enough: the command of a version manager without a version, or of a
/// package that only says what to install, starts and fails.
pub(crate) fn runs(program: &str, args: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
