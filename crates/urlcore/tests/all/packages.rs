//! Directories of dependencies as unpacked by cargo, to read their test data in place.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// Returns the directory of a dependency.
pub(crate) fn package(name: &str) -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // Dependencies of other systems only may never have been fetched.
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("-vV").output().expect("rustc runs").stdout;
    let version = String::from_utf8(version).expect("rustc prints text");
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("a host");
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--offline", "--filter-platform", host])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints metadata");
    let packages = metadata["packages"].as_array().expect("packages is a list");
    let is_own = |package: &&Value| {
        // Another version may be a transitive dependency.
        package["name"] == name && (name != "oxiri" || package["version"].as_str() >= Some("0.3"))
    };
    let package = packages.iter().find(is_own).expect("a dependency");
    let manifest = package["manifest_path"].as_str().expect("a package has a manifest");
    PathBuf::from(manifest).parent().expect("a manifest is in a directory").to_owned()
}

/// Returns the directory of a package that is not a dependency, if it was fetched: a sibling of a
/// dependency's directory.
pub(crate) fn fetched(prefix: &str) -> Option<PathBuf> {
    let directory = package("url");
    let siblings = std::fs::read_dir(directory.parent()?).ok()?.filter_map(Result::ok);
    let named = siblings.filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix));
    let newest = named.map(|entry| entry.path()).max();
    newest.map(crate::tools::others).filter(|directory| directory.exists())
}
