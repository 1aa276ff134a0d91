//! What a document may become, by an oracle that shares no code with the program: readers of its
//! own find the references, and the `url` crate says where they lead.

use rewrite::Media;
use url::Url;

use super::{URL, lines, vocabularies};

/// The base of a place in the old document, and in the new one.
pub(super) type Bases = [Option<Url>; 2];

/// The places of two documents, as a reader compares them one by one.
pub(super) struct Places<'r> {
    own: Bases,
    /// The roots, where the tree moves.
    roots: Option<(&'r str, &'r str)>,
    pub(super) n_references: usize,
    pub(super) faults: Vec<String>,
}

/// Returns the faults of a document that was made of another, and the number of references; `None`
/// if there is no reader for it. `new_url` is where it is then.
pub(super) fn judge(
    format: &str,
    media: Media,
    documents: [&[u8]; 2],
    new_url: &str,
    roots: Option<(&str, &str)>,
) -> Option<(Vec<String>, usize)> {
    if !["vocabulary", "source map", "lines"].contains(&format) {
        return None;
    }
    let own = [URL, new_url].map(|url| Url::parse(url).ok());
    let mut places = Places { own, roots, n_references: 0, faults: Vec::new() };
    let [Ok(old), Ok(new)] = documents.map(std::str::from_utf8) else {
        return Some((vec!["it is no UTF-8".to_owned()], 0));
    };
    match format {
        "vocabulary" => vocabularies::judge(&mut places, old, new),
        "source map" => source_map(&mut places, old, new),
        _ => lines::judge(&mut places, media, old, new),
    }
    Some((places.faults, places.n_references))
}

impl Places<'_> {
    /// Returns the URLs of the documents.
    pub(super) fn own(&self) -> Bases {
        self.own.clone()
    }

    pub(super) fn fault(&mut self, fault: String) {
        self.faults.push(fault);
    }

    /// Compares what is no reference.
    pub(super) fn fixed(&mut self, was: &str, is: &str) {
        if was != is {
            self.fault(format!("{was:?} is {is:?}, and no reference"));
        }
    }

    /// Compares what a reference was with what it is.
    pub(super) fn reference(&mut self, was: &str, is: &str, bases: &Bases) {
        self.n_references += 1;
        // What is none, what is local, and what a tree that moves may leave.
        let may_stay = was.trim().is_empty() || was.starts_with('#') || self.roots.is_some();
        if was == is && may_stay {
            return;
        }
        let there = resolve(&bases[0], was).map(|target| self.moved(target));
        let here = resolve(&bases[1], is);
        if is.trim().is_empty() || here != there || (here.is_none() && was != is) {
            let shown = |url: Option<Url>| url.map(String::from);
            self.fault(format!("{was:?} to {:?} is {is:?} to {:?}", shown(there), shown(here)));
        }
    }

    /// Compares a reference that gives a base: what is below it is judged with what it gives.
    pub(super) fn base(&mut self, was: &str, is: &str, bases: &Bases) {
        if !is.trim().is_empty() && self.roots.is_none() {
            self.reference(was, is, bases);
        }
    }

    /// Compares an identifier, which stays or moves with its tree.
    pub(super) fn identifier(&mut self, was: &str, is: &str) {
        match self.roots {
            Some(_) => self.reference(was, is, &[None, None]),
            None => self.fixed(was, is),
        }
    }

    /// Compares the references in HTML, which are in double quotes after `href=` and `src=`.
    pub(super) fn html(&mut self, was: &str, is: &str, bases: &Bases) {
        let cut = |text: &str| -> Vec<String> { text.split('"').map(str::to_owned).collect() };
        let (old, new) = (cut(was), cut(is));
        if old.len() != new.len() {
            return self.fault(format!("{was:?} is {is:?}"));
        }
        for (idx, (was, is)) in old.iter().zip(&new).enumerate() {
            let unescaped = |text: &str| {
                text.replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&")
            };
            let before = if idx > 0 { &*old[idx - 1] } else { "" };
            if before.ends_with("href=") || before.ends_with("src=") {
                self.reference(&unescaped(was), &unescaped(is), bases)
            } else {
                self.fixed(was, is)
            }
        }
    }

    fn moved(&self, target: Url) -> Url {
        let moved = self.roots.and_then(|(from, to)| {
            let rest = target.as_str().strip_prefix(from)?;
            Url::parse(&format!("{to}{rest}")).ok()
        });
        moved.unwrap_or(target)
    }
}

/// Returns the target of a reference.
pub(super) fn resolve(base: &Option<Url>, text: &str) -> Option<Url> {
    match base {
        Some(base) => base.join(text).ok(),
        None => Url::parse(text).ok(),
    }
}

/// Source maps: the values of two documents in serde_json.
fn source_map(places: &mut Places<'_>, old: &str, new: &str) {
    use serde_json::{Value, from_str};
    let (Ok(was), Ok(is)) = (from_str::<Value>(old), from_str::<Value>(new)) else {
        return places.fault("it is no JSON".to_owned());
    };
    let bases = places.own();
    let has_content = was["sourcesContent"]
        .as_array()
        .is_some_and(|contents| contents.iter().any(Value::is_string));
    let root = was["sourceRoot"].as_str().unwrap_or_default().to_owned();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let (mut was, mut is) = (was, is);
    if let (Some(was), Some(is)) = (text(&was["file"]), text(&is["file"])) {
        places.identifier(&was, &is);
    }
    let roots = (text(&was["sourceRoot"]), text(&is["sourceRoot"]));
    if let (Some(was), Some(is)) = roots {
        if root.ends_with('/') {
            places.reference(&was, &is, &bases)
        } else {
            places.fixed(&was, &is)
        }
    }
    let sources = |value: &Value| value["sources"].as_array().cloned().unwrap_or_default();
    let lists = (sources(&was), sources(&is));
    if lists.0.len() != lists.1.len() {
        places.fault(format!("{:?} is {:?}", lists.0, lists.1));
    }
    for (was, is) in lists.0.iter().zip(&lists.1) {
        match (was.as_str(), is.as_str()) {
            (Some(was), Some(is)) if !root.is_empty() => places.fixed(was, is),
            (Some(was), Some(is)) if has_content => places.identifier(was, is),
            (Some(was), Some(is)) => places.reference(was, is, &bases),
            _ if was == is => {}
            _ => places.fault(format!("{was} is {is}")),
        }
    }
    for value in [&mut was, &mut is] {
        for name in ["file", "sourceRoot", "sources"] {
            if value.get(name).is_some() {
                value[name] = Value::Null;
            }
        }
    }
    places.fixed(&was.to_string(), &is.to_string());
}
