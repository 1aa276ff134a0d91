//! Nothing: the package has only benches, which are given libraries beside them.
