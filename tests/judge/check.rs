//! One reference before and after: where it leads, and whether it is written as it should be.

use url::Url;

use super::Verdict;
use super::split::{Piece, Pieces};

/// Where a value is and how its references are read.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    /// `element[attribute]`, for messages.
    pub(crate) name: &'a str,
    /// The URL of the document itself.
    pub(crate) own: &'a Url,
    /// The base of the references, before and after.
    pub(crate) bases: [&'a Url; 2],
    /// Other bases that may count, if they differ.
    pub(crate) others: Option<[&'a Url; 2]>,
    /// A value that begins with `#` ignores the base.
    pub(crate) local: bool,
    /// References that stay relative are counted.
    pub(crate) strict: bool,
}

impl<'a> Site<'a> {
    /// References in CSS.
    pub(crate) fn css(name: &'a str, own: &'a Url, bases: [&'a Url; 2]) -> Self {
        Self { name, own, bases, others: None, local: true, strict: true }
    }
}

/// Compares two values that were cut into references.
pub(crate) fn compare(verdict: &mut Verdict, site: &Site<'_>, old: &Pieces<'_>, new: &Pieces<'_>) {
    if old.urls.len() != new.urls.len() {
        verdict.violation(|| {
            let (was, is) = (old.urls.len(), new.urls.len());
            format!("{}: {was} references before, {is} after", site.name)
        });
        return;
    }
    if let Some((was, is)) = old.gaps.iter().zip(&new.gaps).find(|(was, is)| was != is) {
        verdict.violation(|| {
            format!("{}: text between references changed: {}", site.name, pair(was, is))
        });
    }
    for (was, is) in old.urls.iter().zip(&new.urls) {
        reference(verdict, site, was, &is.text, old.marked);
    }
}

fn reference(verdict: &mut Verdict, site: &Site<'_>, old: &Piece<'_>, new: &str, marked: bool) {
    let name = site.name;
    let was = &*old.text;
    let same = was == new;
    if strip(was).is_empty() && !old.explicit {
        if !same {
            verdict.violation(|| format!("{name}: an empty value became {new:?}"));
        }
        return;
    }
    verdict.references += 1;
    verdict.changed += usize::from(!same);
    if same && old.elsewhere && !is_absolute(was) {
        return;
    }
    // Only `<image>` may have one, and the tree does not distinguish it from `<img>`.
    if same && name == "image[src]" {
        return;
    }
    // What is resolved against a base returns true if it is right; one that is a relative path is
    // not edited.
    if verdict.may_empty_bases && name == "base[href]" && (same || strip(new).is_empty()) {
        return;
    }
    let fixed = if is_template(was) {
        Some("template")
    } else if site.local && was.starts_with('#') {
        Some("local reference")
    } else {
        None
    };
    if let Some(what) = fixed {
        if !same {
            verdict.violation(|| format!("{name}: a {what} was edited: {}", pair(was, new)));
        }
        return;
    }
    if !same && strip(new).is_empty() && name != "base[href]" {
        verdict.violation(|| format!("{name}: {was:?} became empty"));
    }
    if let Some(others) = site.others {
        let target = |base: &Url| super::join(base, was).ok();
        let has_two = target(site.bases[0]) != target(others[0]);
        if has_two && !same {
            verdict.violation(|| format!("{name} has two targets, but was edited: {was} -> {new}"));
        }
        // Under the second base it keeps its target too.
        let other = Site { bases: others, ..*site };
        if has_two || !law(verdict, &other, was, new) {
            return;
        }
    }
    if !law(verdict, site, was, new) {
        return;
    }
    let was_relative = !is_absolute(was) && !strip(was).starts_with(['/', '\\']);
    // RFC 3986 4.2: a segment with a colon cannot be the first of a relative-path reference.
    let was_wrong = new.strip_prefix("./") == Some(was) && was.contains(':');
    let is_longer =
        new.len() >= was.len() && !same && site.bases[0] == site.bases[1] && !is_absolute(new);
    if was_relative && is_longer && !was_wrong {
        verdict.longer.push(format!("{name}: {}", pair(was, new)));
    }
    if !same && is_absolute(was) {
        verdict.rewritten_absolute.push(format!("{name}: {}", pair(was, new)));
    }
    if site.strict && !marked && !is_absolute(new) && !may_stay(site, new) {
        verdict.still_relative.push(format!("{name}: {new}"));
    }
}

/// The target is the same before and after; returns true if there is one.
fn law(verdict: &mut Verdict, site: &Site<'_>, was: &str, new: &str) -> bool {
    let before = super::join(site.bases[0], was);
    if let (Some(moved), Ok(target)) = (&mut verdict.moved, &before)
        && was == new
        && site.bases[0] == site.bases[1]
    {
        let (slot, texts) = (site.name.to_owned(), [was.to_owned(), new.to_owned()]);
        let (targets, is_either) = ([target.clone(), target.clone()], site.others.is_some());
        moved.push(super::Moved { slot, texts, targets, is_either });
    }
    if was == new && site.bases[0] == site.bases[1] {
        return before.is_ok();
    }
    match (before, super::join(site.bases[1], new)) {
        (Ok(target), Ok(now)) => {
            if let Some(moved) = &mut verdict.moved {
                let (slot, texts) = (site.name.to_owned(), [was.to_owned(), new.to_owned()]);
                let is_either = site.others.is_some();
                moved.push(super::Moved { slot, texts, targets: [target, now], is_either });
                return true;
            }
            if target.as_str() != now.as_str() {
                verdict.violation(|| {
                    let (target, now) = (target.as_str(), now.as_str());
                    let name = site.name;
                    format!("{name}: {} led to {target} and leads to {now}", pair(was, new))
                });
            }
            true
        }
        (Err(_), Err(_)) => {
            if was != new {
                let name = site.name;
                verdict.violation(|| format!("{name}: no URL, but edited: {}", pair(was, new)));
            }
            false
        }
        (before, after) => {
            verdict.violation(|| {
                let report = |url: Result<Url, url::ParseError>| {
                    url.map_or_else(|why| format!("nowhere ({why})"), String::from)
                };
                let (before, after) = (report(before), report(after));
                let name = site.name;
                format!("{name}: {} led to {before} and leads to {after}", pair(was, new))
            });
            false
        }
    }
}

/// Without what the URL parser cuts off at both ends.
fn strip(value: &str) -> &str {
    value.trim_matches(|c: char| c <= ' ')
}

/// Does the value hold a mark of a template language?
pub(crate) fn is_template(value: &str) -> bool {
    let holds = |open: &str, close: &str| {
        let rest = value.find(open).map(|at| &value[at + open.len()..]);
        rest.is_some_and(|rest| rest.contains(close))
    };
    ["{{", "${", "<%", "<?", "<!--"].iter().any(|mark| value.contains(mark))
        || holds("{%", "%}")
        || holds("[[", "]]")
        || value.trim_start().starts_with("@{") && value.contains('}')
}

/// Does the value need no base, wherever it is? `http:x` needs one where the base is `http` too.
pub(crate) fn is_absolute(value: &str) -> bool {
    let Ok(url) = Url::parse(value) else {
        return false;
    };
    let special = matches!(url.scheme(), "http" | "https" | "ws" | "wss" | "ftp" | "file");
    if !special {
        return true;
    }
    let mut rest = value.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r'));
    rest.find(|c| *c == ':');
    let slash = |c: Option<char>| matches!(c, Some('/' | '\\'));
    slash(rest.next()) && slash(rest.next())
}

/// A reference into the document itself stays as it is where the base is the document's own URL;
/// a local one always.
fn may_stay(site: &Site<'_>, value: &str) -> bool {
    let value = strip(value);
    if value.starts_with('#') || value.is_empty() {
        return site.local || bare(site.bases[1]) == bare(site.own);
    }
    false
}

/// A URL without its fragment.
fn bare(url: &Url) -> &str {
    let text = url.as_str();
    text.split_once('#').map_or(text, |(bare, _)| bare)
}

/// Two texts for a message, cut to a readable length.
pub(crate) fn pair(was: &str, is: &str) -> String {
    let shared = was.chars().zip(is.chars()).take_while(|(a, b)| a == b).count();
    let from = if shared > 80 { shared - 40 } else { 0 };
    let short = |text: &str| text.chars().skip(from).take(160).collect::<String>();
    format!("{:?} -> {:?}", short(was), short(is))
}
