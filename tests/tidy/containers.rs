//! Only the containers know their formats: the code that reads, edits and writes documents names
//! none.

use std::path::Path;

/// The code that handles any container.
const GENERAL: &[&str] = &[
    "crates/relink/src/tree/input.rs",
    "crates/relink/src/tree/units.rs",
    "crates/relink/src/commands/convert/container.rs",
    "crates/relink/src/commands/convert/file.rs",
    "crates/relink/src/commands/convert/report.rs",
];

#[test]
fn what_handles_any_container_names_none() {
    // Options of messages are options of a run, and not of a container.
    const OPTIONS: &str = "options.mail.";
    let sources = super::sources();
    for general in GENERAL {
        let (_, text) =
            sources.iter().find(|(path, _)| path == Path::new(general)).expect("a file");
        let text = text.replace(OPTIONS, "").to_ascii_lowercase();
        for name in ["mbox", "mmdf", "emlx", "mail", "gzip", "thunderbird"] {
            let line = text.lines().find(|line| line.contains(name));
            assert_eq!(line, None, "{general} names {name}");
        }
    }
}
