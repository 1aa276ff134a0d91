//! Allocations: resolving and relativizing allocate nothing once the buffers have grown, in every
//! dialect, with and without the fast path.

use urlcore::{BaseIs, Dialect, Relativizer, Resolver, Style};

const BASES: [&str; 5] =
    ["http://a/b/c/d;p?q", "http://a", "file:///C:/a/b", "foo:/.//a/b", "http://a/b/../c//d"];

/// References without tabs and line ends, whose removal takes a copy.
const REFERENCES: [&str; 14] = [
    "g",
    "../g?y#s",
    "../../../../g",
    "./g:h",
    ".",
    "..",
    "?y",
    "#s",
    "",
    "//h/a/../b",
    "/a/./b",
    "http:g;x=1/../y",
    "https://h/%2e%2e/x",
    "g;p?q/../r",
];

#[test]
fn nothing_is_allocated() {
    let every = if cfg!(miri) { 5 } else { 1 };
    for &dialect in Dialect::ALL {
        for base in BASES.iter().step_by(every) {
            let resolver = Resolver::new(base, dialect).expect("a base");
            let mut target = String::with_capacity(200);
            let targets: Vec<String> =
                REFERENCES.iter().filter_map(|text| resolver.resolve(text).ok()?.url()).collect();
            let mut relativizer = Relativizer::default();
            let mut work = || {
                for reference in REFERENCES.iter().step_by(every) {
                    let _ = resolver.resolve_into(reference, &mut target);
                }
                for target in targets.iter().step_by(every) {
                    for (_, style) in Style::ALL {
                        let _ = relativizer.relativize(&resolver, target, style, BaseIs::Document);
                    }
                }
            };
            // The buffers may be swapped, so all of them have to grow.
            (0..3).for_each(|_| work());
            let counted = allocation_counter::measure(&mut work);
            assert_eq!(counted.count_total, 0, "{base} in {dialect}");
        }
    }
}
