//! There is nothing to do: Cargo asks for the features of procedural macros where there is a
//! script.
fn main() {}
