//! A fixed amount of work for `benches/instructions`, which counts the instructions that it takes.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "it is a program")]
#![allow(clippy::unwrap_used, reason = "a bench stops where it cannot go on")]

mod soup;

use basectx::Context;
use relink_rewrite::{Engine, Media, Options, Unit, Verify};

const BASE: &str = "https://docs.example/a/b/page.html";

fn main() {
    let work = std::env::args().nth(1).unwrap_or_default();
    let documents = soup::pages(1 << 20);
    let context = Context::retrieval(BASE.parse().unwrap(), "--base");
    let unit = |bytes| Unit::new(bytes, Media::HTML, &context);
    let options = |engine, verify| Options::default().with_engine(engine).with_verify(verify);
    for document in &documents {
        let unit = unit(document);
        match &*work {
            "find" => {
                drop(relink_rewrite::references(unit, &options(Engine::Fast, Verify::None), |_| {}))
            }
            "find-reference" => {
                drop(relink_rewrite::references(
                    unit,
                    &options(Engine::Reference, Verify::None),
                    |_| {},
                ));
            }
            "absolutize" => {
                drop(relink_rewrite::absolutize(unit, &options(Engine::Fast, Verify::None)))
            }
            "absolutize-proved" => {
                drop(relink_rewrite::absolutize(unit, &options(Engine::Fast, Verify::Fast)));
            }
            // The cost of making the documents is subtracted from the rest.
            _ => drop(std::hint::black_box(unit)),
        }
    }
}
