//! The basic URL parser of WHATWG URL 4.4, state by state, without its host parser: slow, but
//! literal.
//!
//! Hosts are lowered and compared as spelled, since the target keeps the spelling; C0 controls and
//! spaces in paths and queries are escaped, since the target may do so at its end.

/// A URL record. If `opaque` is true, `path` is one opaque string.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Url {
    scheme: String,
    userinfo: Option<String>,
    host: Option<String>,
    port: String,
    path: Vec<String>,
    opaque: bool,
    query: Option<String>,
    fragment: Option<String>,
}

const SPECIAL: [(&str, &str); 6] =
    [("ftp", "21"), ("file", ""), ("http", "80"), ("https", "443"), ("ws", "80"), ("wss", "443")];

enum State {
    SchemeStart,
    Scheme,
    NoScheme,
    SpecialRelativeOrAuthority,
    PathOrAuthority,
    Relative,
    RelativeSlash,
    SpecialAuthoritySlashes,
    SpecialAuthorityIgnoreSlashes,
    Authority,
    File,
    FileSlash,
    FileHost,
    PathStart,
    Path,
    OpaquePath,
    Query,
    Fragment,
}

impl Url {
    fn is_special(&self) -> bool {
        SPECIAL.iter().any(|(name, _)| *name == self.scheme)
    }

    /// Shortens the path ("shorten a url's path").
    fn shorten(&mut self) {
        if self.scheme == "file" && self.path.len() == 1 && is_normal_drive(&self.path[0]) {
            return;
        }
        self.path.pop();
    }

    /// Runs the authority state and the states after it, up to the path, without the host parser.
    fn set_authority(&mut self, authority: &str) -> Option<()> {
        let host = match authority.rsplit_once('@') {
            Some((userinfo, host)) => {
                self.userinfo = Some(userinfo.to_owned());
                host
            }
            None => authority,
        };
        let mut bracketed = false;
        let colon = host.find(|c| {
            bracketed = c == '[' || (bracketed && c != ']');
            c == ':' && !bracketed
        });
        let name = &host[..colon.unwrap_or(host.len())];
        if name.is_empty() && (self.is_special() || colon.is_some() || self.userinfo.is_some()) {
            return None;
        }
        self.host = Some(name.to_lowercase());
        self.port = colon.map_or("", |colon| &host[colon + 1..]).to_owned();
        if SPECIAL.contains(&(self.scheme.as_str(), self.port.as_str())) {
            self.port.clear();
        }
        Some(())
    }
}

fn is_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':' | b'|'] if letter.is_ascii_alphabetic())
}

fn is_normal_drive(text: &str) -> bool {
    is_drive(text) && text.ends_with(':')
}

/// Returns true if the text "starts with a Windows drive letter".
fn starts_with_drive(rest: &[char]) -> bool {
    rest.len() >= 2
        && is_drive(&rest[..2].iter().collect::<String>())
        && rest.get(2).is_none_or(|c| matches!(c, '/' | '\\' | '?' | '#'))
}

fn is_single_dot(buffer: &str) -> bool {
    [".", "%2e"].contains(&buffer.to_ascii_lowercase().as_str())
}

fn is_double_dot(buffer: &str) -> bool {
    ["..", ".%2e", "%2e.", "%2e%2e"].contains(&buffer.to_ascii_lowercase().as_str())
}

fn encode(c: char, text: &mut String) {
    if c <= ' ' {
        text.push_str(&format!("%{:02X}", u32::from(c)));
    } else {
        text.push(c);
    }
}

/// Parses a URL; `None` is failure.
pub(crate) fn parse(input: &str, base: Option<&Url>) -> Option<Url> {
    let input = input.trim_matches(|c| c <= ' ');
    let input: Vec<char> = input.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
    let mut url = Url::default();
    let mut state = State::SchemeStart;
    let mut buffer = String::new();
    // The pointer may be at the end, and be decreased before it is increased.
    let mut pointer = 0;
    loop {
        let c = input.get(pointer).copied();
        let remaining = input.get(pointer + 1..).unwrap_or(&[]);
        let is_slash = |url: &Url| c == Some('/') || (c == Some('\\') && url.is_special());
        match state {
            State::SchemeStart => {
                if c.is_some_and(|c| c.is_ascii_alphabetic()) {
                    state = State::Scheme;
                } else {
                    state = State::NoScheme;
                }
                continue;
            }
            State::Scheme => match c {
                Some(c) if c.is_ascii_alphanumeric() || "+-.".contains(c) => {
                    buffer.push(c.to_ascii_lowercase())
                }
                Some(':') => {
                    url.scheme = std::mem::take(&mut buffer);
                    if url.scheme == "file" {
                        state = State::File;
                    } else if url.is_special() && base.is_some_and(|base| base.scheme == url.scheme)
                    {
                        state = State::SpecialRelativeOrAuthority;
                    } else if url.is_special() {
                        state = State::SpecialAuthoritySlashes;
                    } else if remaining.first() == Some(&'/') {
                        state = State::PathOrAuthority;
                        pointer += 1;
                    } else {
                        url.opaque = true;
                        url.path.push(String::new());
                        state = State::OpaquePath;
                    }
                }
                _ => {
                    buffer.clear();
                    state = State::NoScheme;
                    pointer = 0;
                    continue;
                }
            },
            State::NoScheme => {
                let base = base?;
                if base.opaque && c != Some('#') {
                    return None;
                } else if base.opaque {
                    url = base.clone();
                    url.fragment = Some(String::new());
                    state = State::Fragment;
                } else if base.scheme != "file" {
                    state = State::Relative;
                    continue;
                } else {
                    state = State::File;
                    continue;
                }
            }
            State::SpecialRelativeOrAuthority => {
                if c == Some('/') && remaining.first() == Some(&'/') {
                    state = State::SpecialAuthorityIgnoreSlashes;
                    pointer += 1;
                } else {
                    state = State::Relative;
                    continue;
                }
            }
            State::PathOrAuthority => {
                if c == Some('/') {
                    state = State::Authority;
                } else {
                    state = State::Path;
                    continue;
                }
            }
            State::Relative => {
                let base = base?;
                url.scheme = base.scheme.clone();
                if c == Some('/') || (url.is_special() && c == Some('\\')) {
                    state = State::RelativeSlash;
                } else {
                    url = Url { fragment: None, ..base.clone() };
                    match c {
                        Some('?') => {
                            url.query = Some(String::new());
                            state = State::Query;
                        }
                        Some('#') => {
                            url.fragment = Some(String::new());
                            state = State::Fragment;
                        }
                        Some(_) => {
                            url.query = None;
                            url.shorten();
                            state = State::Path;
                            continue;
                        }
                        None => {}
                    }
                }
            }
            State::RelativeSlash => {
                if is_slash(&url) && url.is_special() {
                    state = State::SpecialAuthorityIgnoreSlashes;
                } else if c == Some('/') {
                    state = State::Authority;
                } else {
                    let base = base?;
                    url.userinfo = base.userinfo.clone();
                    url.host = base.host.clone();
                    url.port = base.port.clone();
                    state = State::Path;
                    continue;
                }
            }
            State::SpecialAuthoritySlashes => {
                state = State::SpecialAuthorityIgnoreSlashes;
                if c == Some('/') && remaining.first() == Some(&'/') {
                    pointer += 1;
                } else {
                    continue;
                }
            }
            State::SpecialAuthorityIgnoreSlashes => {
                if !matches!(c, Some('/' | '\\')) {
                    state = State::Authority;
                    continue;
                }
            }
            State::Authority => {
                if is_slash(&url) || matches!(c, None | Some('?' | '#')) {
                    url.set_authority(&std::mem::take(&mut buffer))?;
                    state = State::PathStart;
                    continue;
                }
                buffer.extend(c);
            }
            State::File => {
                url.scheme = "file".to_owned();
                url.host = Some(String::new());
                if matches!(c, Some('/' | '\\')) {
                    state = State::FileSlash;
                } else if let Some(base) = base.filter(|base| base.scheme == "file") {
                    url = Url { fragment: None, ..base.clone() };
                    match c {
                        Some('?') => {
                            url.query = Some(String::new());
                            state = State::Query;
                        }
                        Some('#') => {
                            url.fragment = Some(String::new());
                            state = State::Fragment;
                        }
                        Some(_) => {
                            url.query = None;
                            if starts_with_drive(&input[pointer..]) {
                                url.path.clear();
                            } else {
                                url.shorten();
                            }
                            state = State::Path;
                            continue;
                        }
                        None => {}
                    }
                } else {
                    state = State::Path;
                    continue;
                }
            }
            State::FileSlash => {
                if matches!(c, Some('/' | '\\')) {
                    state = State::FileHost;
                } else {
                    if let Some(base) = base.filter(|base| base.scheme == "file") {
                        url.host = base.host.clone();
                        if !starts_with_drive(&input[pointer..])
                            && base.path.first().is_some_and(|s| is_normal_drive(s))
                        {
                            url.path.push(base.path[0].clone());
                        }
                    }
                    state = State::Path;
                    continue;
                }
            }
            State::FileHost => {
                if matches!(c, None | Some('/' | '\\' | '?' | '#')) {
                    if is_drive(&buffer) {
                        state = State::Path;
                    } else {
                        let host = std::mem::take(&mut buffer).to_lowercase();
                        url.host = Some(if host == "localhost" { String::new() } else { host });
                        state = State::PathStart;
                    }
                    continue;
                }
                buffer.extend(c);
            }
            State::PathStart => {
                if url.is_special() {
                    state = State::Path;
                    if !matches!(c, Some('/' | '\\')) {
                        continue;
                    }
                } else if c == Some('?') {
                    url.query = Some(String::new());
                    state = State::Query;
                } else if c == Some('#') {
                    url.fragment = Some(String::new());
                    state = State::Fragment;
                } else if c.is_some() {
                    state = State::Path;
                    if c != Some('/') {
                        continue;
                    }
                }
            }
            State::Path => {
                if is_slash(&url) || matches!(c, None | Some('?' | '#')) {
                    if is_double_dot(&buffer) {
                        url.shorten();
                        if !is_slash(&url) {
                            url.path.push(String::new());
                        }
                    } else if is_single_dot(&buffer) && !is_slash(&url) {
                        url.path.push(String::new());
                    } else if !is_single_dot(&buffer) {
                        if url.scheme == "file" && url.path.is_empty() && is_drive(&buffer) {
                            buffer.replace_range(1..2, ":");
                        }
                        url.path.push(buffer.clone());
                    }
                    buffer.clear();
                    if c == Some('?') {
                        url.query = Some(String::new());
                        state = State::Query;
                    }
                    if c == Some('#') {
                        url.fragment = Some(String::new());
                        state = State::Fragment;
                    }
                } else if let Some(c) = c {
                    encode(c, &mut buffer);
                }
            }
            State::OpaquePath => match c {
                Some('?') => {
                    url.query = Some(String::new());
                    state = State::Query;
                }
                Some('#') => {
                    url.fragment = Some(String::new());
                    state = State::Fragment;
                }
                _ => url.path[0].extend(c),
            },
            State::Query => match (c, &mut url.query) {
                (Some('#'), _) => {
                    url.fragment = Some(String::new());
                    state = State::Fragment;
                }
                (Some(c), Some(query)) => encode(c, query),
                _ => {}
            },
            State::Fragment => {
                if let Some(fragment) = &mut url.fragment {
                    fragment.extend(c);
                }
            }
        }
        if c.is_none() {
            return Some(url);
        }
        pointer += 1;
    }
}
