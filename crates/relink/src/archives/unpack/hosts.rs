//! The hosts of the URLs of an archive: most links lead to others, and need no search.

use std::collections::HashSet;

use super::keys::host;

/// The maximum number of hosts. With more, anything may be at any host.
const MOST: usize = 1 << 16;

/// The maximum length of a host in bytes: those of the DNS are shorter (RFC 1035, 2.3.4).
const LONGEST: usize = 1 << 8;

/// What the hosts of URLs and of their twins have in common: see [`host`].
#[derive(Debug, Default)]
pub(crate) struct Hosts {
    names: HashSet<String>,
    are_too_many: bool,
}

impl Hosts {
    /// Adds that of a URL.
    pub(super) fn add(&mut self, url: &str) {
        if self.are_too_many {
            return;
        }
        let Some(host) = host(url).filter(|host| !self.names.contains(&**host)) else { return };
        if self.names.len() == MOST || host.len() > LONGEST {
            *self = Hosts { are_too_many: true, ..Hosts::default() };
        } else {
            self.names.insert(host.into_owned());
        }
    }

    /// Returns false if there is nothing at a host, which is one of [`plain_host`].
    ///
    /// [`plain_host`]: super::keys::plain_host
    pub(super) fn may_have(&self, host: &str) -> bool {
        self.are_too_many || self.names.contains(host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_may_be_something_at_every_host_if_they_are_too_many() {
        let mut hosts = Hosts::default();
        hosts.add("https://www.h.example:443/a?b");
        hosts.add("cid:a@b");
        assert_eq!(["h.example", "h", "a"].map(|host| hosts.may_have(host)), [true, false, false]);
        for number in 1..MOST {
            hosts.add(&format!("http://h{number}.example/"));
        }
        assert!(!hosts.may_have("h0.example") && hosts.names.len() == MOST);
        hosts.add("http://h1.example/");
        assert!(!hosts.may_have("h0.example"));
        hosts.add("http://one-more.example/");
        assert!(hosts.may_have("h0.example") && hosts.names.is_empty());
        let mut hosts = Hosts::default();
        hosts.add(&format!("http://{}/", "h".repeat(LONGEST)));
        assert!(!hosts.may_have("h0.example"));
        hosts.add(&format!("http://{}/", "h".repeat(LONGEST + 1)));
        assert!(hosts.may_have("h0.example") && hosts.names.is_empty());
    }
}
