//! Literal implementations of the specifications, for comparison.

pub(crate) mod rfc1808;
pub(crate) mod rfc2396;
pub(crate) mod rfc3986;
pub(crate) mod url1993;
pub(crate) mod whatwg;
