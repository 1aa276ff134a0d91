//! The features of crates that the tests and the Python package use, so that each crate is built
//! once for both: Cargo builds a crate again for each set of features.
