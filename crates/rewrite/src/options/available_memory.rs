//! The memory that a document may use.

use crate::options::limits::{Limit, Limits, Met};

/// The number of free octets: small documents may be dense.
const FREE: usize = 4 << 20;

/// The remaining memory, and the limit that is met when none is left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AvailableMemory {
    pub(crate) octets: usize,
    met: Met,
}

impl AvailableMemory {
    /// Returns the memory for a unit of `len` bytes.
    pub(crate) fn new(limits: &Limits, len: usize) -> Self {
        let most = limits.get(Limit::Memory);
        let growth = limits.get(Limit::MemoryGrowth).saturating_mul(len);
        let growth = growth.saturating_add(FREE);
        let limit = if growth < most { Limit::MemoryGrowth } else { Limit::Memory };
        AvailableMemory { octets: growth.min(most), met: limits.met(limit) }
    }

    pub(crate) fn octets(self) -> usize {
        self.octets
    }

    pub(crate) fn met(self) -> Met {
        self.met
    }
}
