//! The groups of options in the help, in the order in which they are printed.

pub const MOVE: &str = "Move";
pub const RENAMES: &str = "Renames";
pub const FORM: &str = "Form of references";
pub const CHECKS: &str = "Checks";
pub const OUTPUT: &str = "Output";
pub const BASE_URLS: &str = "Base URLs";
pub const SELECTION: &str = "Selection";
pub const INPUT: &str = "Input";
pub const MAIL: &str = "Messages";
pub const LIMITS: &str = "Limits";
pub const REPORTS: &str = "Reports";
