//! An explanation as a record.

use std::collections::BTreeMap;

use serde::Serialize;
use urlcore::{Dialect, Resolution, Resolver};

use super::super::bases::detail::{chain, embedded};
use super::super::refs::resolved;
use super::super::{Lines, pair, place_of};
use super::Explained;
use super::steps::steps;
use crate::events::detail::{ContextDetail, DocumentPlace, EmbeddedPlace};

/// An explanation; the keys are those of `docs/json.md`.
#[derive(Serialize)]
pub(super) struct Explanation {
    r#type: &'static str,
    #[serde(flatten)]
    place: DocumentPlace,
    part: Option<String>,
    embedded: Vec<EmbeddedPlace>,
    line: usize,
    column: usize,
    span: [usize; 2],
    slot: String,
    kind: &'static str,
    /// The bytes in the file, as text, and as hexadecimal numbers.
    written: String,
    bytes: String,
    text: String,
    base: Option<String>,
    base_source: &'static str,
    chain: Vec<ContextDetail>,
    dialect: &'static str,
    steps: Vec<String>,
    /// The results of all dialects, with `--all-dialects`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    dialects: BTreeMap<&'static str, ByDialect>,
    target: Option<String>,
    /// What `absolutize` writes, if it changes the reference.
    absolutized: Option<String>,
}

/// The target by one dialect, or the reason why there is none.
#[derive(Serialize)]
struct ByDialect {
    target: Option<String>,
    reason: Option<String>,
}

fn by_dialect(text: &str, base: &str, dialect: Dialect) -> ByDialect {
    let resolved = Resolver::new(base, dialect)
        .map_err(|error| error.to_string())
        .and_then(|base| base.resolve(text).map_err(|error| error.to_string()));
    let (target, reason) = match resolved {
        Ok(Resolution::Url(url)) => (Some(url), None),
        Ok(Resolution::SameDocument { .. }) => (None, Some("the document itself".to_owned())),
        Err(reason) => (None, Some(reason)),
    };
    ByDialect { target, reason }
}

impl Explanation {
    pub(super) fn new(
        explained: &Explained<'_>,
        new: Option<&[u8]>,
        lines: &mut Lines<'_>,
    ) -> Self {
        let Explained { config, entry, document, site, written, place } = explained;
        let has_target = site.kind.has_target() && !site.is_beside() && !site.has_entity();
        let mut target = String::new();
        let target = match resolved(site, &mut target) {
            Ok(Resolution::Url(url)) if has_target => Some(document.web_url(url).into_owned()),
            _ => None,
        };
        let resolver = site.resolver.filter(|_| site.kind.has_target());
        let steps = resolver.map(|resolver| steps(site.text, resolver, site.dialect));
        let dialects = if config.has_all_dialects { Dialect::ALL } else { &[] };
        Explanation {
            r#type: "explanation",
            place: place_of(entry, document),
            part: site.frame.part().map(str::to_owned),
            embedded: embedded(&site.frame.embedded(), &config.tree.options, document),
            line: place.0,
            column: place.1,
            span: pair(site.frame.raw(site.span)).map(|at| document.in_file(at)),
            slot: site.slot_name().to_owned(),
            kind: site.kind.name(),
            written: String::from_utf8_lossy(written).into_owned(),
            bytes: written.iter().map(|byte| format!("{byte:02x}")).collect(),
            text: site.text.to_owned(),
            base: site.context.base().map(|base| document.web_url(base).into_owned()),
            base_source: site.context.base_source().name(),
            chain: chain(site.context, document, lines),
            dialect: site.dialect.name(),
            steps: steps.unwrap_or_default(),
            dialects: resolver.map_or(BTreeMap::new(), |resolver| {
                let by = |dialect: &Dialect| by_dialect(site.text, resolver.base(), *dialect);
                dialects.iter().map(|dialect| (dialect.name(), by(dialect))).collect()
            }),
            target,
            absolutized: new.map(|new| String::from_utf8_lossy(new).into_owned()),
        }
    }
}
