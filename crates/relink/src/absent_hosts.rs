//! Hosts that a mirror does not contain, although it contains the same host with or without `www.`.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashSet};
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use crate::layout::without_scheme;

/// The URLs at such hosts, by the host; each URL as the hash of what follows its scheme.
#[derive(Debug, Default)]
pub struct AbsentHosts(Mutex<BTreeMap<String, HashSet<u64>>>);

impl AbsentHosts {
    /// Adds a target that is not in the mirror, if `has_host` is true for the URL of the host with
    /// or without `www.`.
    pub fn add(&self, target: &str, has_host: impl FnOnce(&str) -> bool) {
        let Some((origin, _)) = rewrite::site(target) else { return };
        let host = without_scheme(&origin);
        let scheme = &origin[..origin.len() - host.len()];
        if !matches!(scheme, "http://" | "https://") {
            return;
        }
        let other = match host.strip_prefix("www.") {
            Some(host) => format!("{scheme}{host}/"),
            None => format!("{scheme}www.{host}/"),
        };
        if has_host(&other) {
            let mut hasher = DefaultHasher::new();
            without_scheme(target).hash(&mut hasher);
            let mut hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            hosts.entry(host.to_owned()).or_default().insert(hasher.finish());
        }
    }

    /// Returns a hint for each host.
    pub fn hints(&self) -> Vec<String> {
        let hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let hint = |(host, urls): (&String, &HashSet<u64>)| {
            let urls = crate::summary::n(urls.len(), "URL");
            format!(
                "hint: references point to {urls} at {host}, which is not in the mirror; use `--same-as http://{host}/` if it is the same site as the one that is"
            )
        };
        hosts.iter().map(hint).collect()
    }
}
