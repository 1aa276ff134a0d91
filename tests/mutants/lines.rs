//! An oracle for the formats of lines: it compares documents line by line.

use rewrite::Media;

use super::oracle::{Bases, Places};

/// Says what is wrong with a document that was made of another.
pub(super) fn judge(places: &mut Places<'_>, media: Media, old: &str, new: &str) {
    let is = |name: &str| Media::from_name(name) == Some(media);
    let mut reader: Reader = match () {
        () if is("application/vnd.apple.mpegurl") => playlist(old),
        () if is("text/vtt") => track(),
        () if is("text/x-robots-txt") => Box::new(robots),
        () if is("text/x-redirects") => Box::new(redirects),
        () if is("text/x-headers") => Box::new(headers),
        () => Box::new(shortcut),
    };
    let [was, is] = [old, new].map(lines_of);
    if was.len() != is.len() {
        return places.fault(format!("{} lines are {}", was.len(), is.len()));
    }
    for (was, is) in was.into_iter().zip(is) {
        let ends = [was, is].map(|line| line.trim_end_matches(['\r', '\n']));
        places.fixed(&was[ends[0].len()..], &is[ends[1].len()..]);
        reader(places, ends);
    }
}

/// The lines of a text with their ends: LF, CR, or both.
fn lines_of(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let len = rest.find(['\r', '\n']).unwrap_or(rest.len());
        let n_end = if rest[len..].starts_with("\r\n") { 2 } else { 1 };
        let (line, after) = rest.split_at(rest.len().min(len + n_end));
        lines.push(line);
        rest = after;
    }
    lines
}

type Reader = Box<dyn FnMut(&mut Places<'_>, [&str; 2])>;

/// Playlists: lines without a number sign, and what is in quotes after `URI=`.
fn playlist(text: &str) -> Reader {
    let is_hls = text.contains("\n#EXT-X-") || text.starts_with("#EXT-X-");
    let has_variables = text.contains("#EXT-X-DEFINE:");
    Box::new(move |places, [was, is]| {
        let bases = places.own();
        let has_variable = |text: &str| has_variables && text.contains("{$");
        let is_path = |line: &str| {
            line.contains(['%', '?', '\\']) || line.starts_with('/') || !line.is_ascii()
        };
        let is_ambiguous = !is_hls && is_path(was) && !was.contains("://");
        match was.trim_start() {
            line if line.starts_with("#EXT-X-") => {
                let is_uri =
                    |before: &str| before.ends_with("URI=") || before.ends_with("ASSET-LIST=");
                quoted(places, [was, is], &bases, &|before, text| {
                    is_uri(before) && !has_variable(text)
                });
            }
            line if line.starts_with('#') || is_ambiguous || has_variable(line) => {
                places.fixed(was, is);
            }
            _ if was.contains('#') && !was.contains("://") => places.fixed(was, is),
            _ => {
                // A comment is what begins with a number sign.
                if is.trim_start().starts_with('#') {
                    places.fault(format!("{was:?} is {is:?}"));
                }
                places.reference(was.trim(), is.trim(), &bases);
            }
        }
    })
}

/// Tracks: what is in quotes in a block `STYLE`, and lines with a part of an image.
fn track() -> Reader {
    let mut is_style = false;
    Box::new(move |places, [was, is]| {
        let bases = places.own();
        is_style = !was.is_empty() && (is_style || was == "STYLE");
        match is_style {
            true => {
                let [was, is] = [was, is].map(unescaped);
                quoted(places, [&was, &is], &bases, &|before, _| before.ends_with("url("));
            }
            false if was.contains("#xywh=") => {
                if is.contains(' ') && !was.contains(' ') {
                    places.fault(format!("{was:?} is {is:?}"));
                }
                places.reference(was, is, &bases);
            }
            false => places.fixed(was, is),
        }
    })
}

/// Returns a text of CSS without its escapes (CSS Syntax 3, section 4.3.7).
fn unescaped(css: &str) -> String {
    let mut out = String::new();
    let mut rest = css;
    while let Some((before, after)) = rest.split_once('\\') {
        out += before;
        let n_digits = after.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
        rest = match u32::from_str_radix(&after[..n_digits], 16) {
            Ok(number) => {
                out.push(char::from_u32(number).unwrap_or('\u{FFFD}'));
                let after = &after[n_digits..];
                after.strip_prefix([' ', '\t']).unwrap_or(after)
            }
            Err(_) => {
                out.extend(after.chars().next());
                &after[after.chars().next().map_or(0, char::len_utf8)..]
            }
        };
    }
    out + rest
}

fn robots(places: &mut Places<'_>, [was, is]: [&str; 2]) {
    let bases = places.own();
    const NAME: &str = "sitemap:";
    let is_sitemap =
        |line: &str| line.get(..NAME.len()).is_some_and(|it| it.eq_ignore_ascii_case(NAME));
    // A comment may follow the URL.
    let [(was, comment), (is, new_comment)] =
        [was, is].map(|line| line.split_at(line.find('#').unwrap_or(line.len())));
    places.fixed(comment, new_comment);
    if !is_sitemap(was) || !is_sitemap(is) {
        return places.fixed(was, is);
    }
    places.fixed(&was[..NAME.len()], &is[..NAME.len()]);
    absolute(places, [&was[NAME.len()..], &is[NAME.len()..]], &bases);
}

fn redirects(places: &mut Places<'_>, [was, is]: [&str; 2]) {
    let bases = places.own();
    let [old, new] = [was, is].map(|line| line.split([' ', '\t']).collect::<Vec<_>>());
    if old.len() != new.len() {
        return places.fault(format!("{was:?} is {is:?}"));
    }
    let mut is_comment = false;
    for (was, is) in old.into_iter().zip(new) {
        is_comment |= was.starts_with('#');
        if is_http(was) && !is_comment {
            absolute(places, [was, is], &bases)
        } else {
            places.fixed(was, is)
        }
    }
}

fn headers(places: &mut Places<'_>, [was, is]: [&str; 2]) {
    let bases = places.own();
    let is_one = |url: &str| is_http(url) || (url.starts_with('/') && !url.starts_with("//"));
    match was.split_once(": ") {
        Some((name, target)) if name == "  Location" && is_one(target) => {
            let Some(is) = is.strip_prefix("  Location: ") else { return places.fixed(was, is) };
            absolute(places, [target, is], &bases);
        }
        Some(("  Link", _)) => {
            let [old, new] = [was, is].map(|line| line.split(['<', '>']).collect::<Vec<_>>());
            if old.len() != new.len() {
                return places.fault(format!("{was:?} is {is:?}"));
            }
            for (idx, (was, is)) in old.into_iter().zip(new).enumerate() {
                if idx % 2 == 1 && is_one(was) {
                    absolute(places, [was, is], &bases)
                } else {
                    places.fixed(was, is)
                }
            }
        }
        _ => places.fixed(was, is),
    }
}

fn shortcut(places: &mut Places<'_>, [was, is]: [&str; 2]) {
    const KEYS: [&str; 3] = ["URL=", "IconFile=", "BASEURL="];
    let key = KEYS.iter().find(|key| was.starts_with(**key) && is.starts_with(**key));
    match key.filter(|key| was[key.len()..].contains("://") || was.contains("mailto:")) {
        Some(key) => {
            absolute(places, [&was[key.len()..], &is[key.len()..]], &[None, None]);
        }
        None => places.fixed(was, is),
    }
}

fn is_http(url: &str) -> bool {
    url.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("http"))
}

/// Compares references that are never relative, if they were not.
fn absolute(places: &mut Places<'_>, [was, is]: [&str; 2], bases: &Bases) {
    let is_absolute = |text: &str| url::Url::parse(text.trim()).is_ok();
    if is_absolute(was) && !is_absolute(is) {
        places.fault(format!("{was:?} is {is:?}, which is relative"));
    }
    places.reference(was.trim(), is.trim(), bases);
}

/// Compares what is in double or single quotes, and what is between.
fn quoted(
    places: &mut Places<'_>,
    [was, is]: [&str; 2],
    bases: &Bases,
    is_reference: &dyn Fn(&str, &str) -> bool,
) {
    let [old, new] = [was, is].map(|line| line.split(['"', '\'']).collect::<Vec<_>>());
    if old.len() != new.len() {
        return places.fault(format!("{was:?} is {is:?}"));
    }
    for (idx, (was, is)) in old.iter().zip(new).enumerate() {
        if idx % 2 == 1 && is_reference(old[idx - 1], was) {
            places.reference(was, is, bases)
        } else {
            places.fixed(was, is)
        }
    }
}
