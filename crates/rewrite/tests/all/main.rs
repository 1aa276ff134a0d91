//! Tests of rewrite, one module for each subject.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a test may read files and start programs"
)]
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a failed test panics"
)]

mod absolutize;
mod bases;
mod candidates;
mod charset;
mod charset_spans;
mod conditions;
mod css;
mod custom_properties;
mod emptied_bases;
mod engine_pair;
mod error_pages;
mod examples;
mod extras;
mod formats;
mod html;
mod html_tree;
mod http;
mod json;
mod json_slots;
mod kinds;
mod limits;
mod listing;
mod lists;
mod markdown;
mod markdown_laws;
mod module_judge;
mod module_laws;
mod modules;
mod odd_bytes;
mod outcomes;
mod packages;
mod places;
mod policies;
mod refresh;
mod relativize;
mod relocate;
mod relocate_deep;
mod saved_resources;
mod script_templates;
mod scripts;
mod shares;
mod site;
mod slots;
mod ssi;
mod text;
#[path = "../../../../tests/tools/mod.rs"]
mod tools;
mod xml;
mod xml_entities;
mod xml_scopes;
mod xml_slots;
