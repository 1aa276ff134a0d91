//! The search for the reference from a base to a target.
//!
//! Invariant: every candidate is a piece of the target, possibly with dot segments or slashes
//! before it, and it is accepted only if it resolves to the target. Paths are written only for
//! targets of the same scheme and authority, also where the letter of a dialect would let them
//! resolve elsewhere (`g` to `http://ag` in 1996).
//!
//! Sections of the styles: RFC 3986 4.2 and 4.4; RFC 2396 4.2.

use alloc::string::String;

use crate::base::Resolver;
use crate::resolve::Resolution;
use crate::rules::{EmptyBasePath, EmptyReference, QueryOnly};
use crate::split::Reference;

/// The style in which a reference is to be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Style {
    /// With its scheme: `http://h/a/b`.
    Absolute,
    /// As a network-path reference, `//h/a/b`, where the schemes are the same.
    NetworkPath,
    /// As an absolute-path reference, `/a/b`, where the authorities are the same too.
    AbsolutePath,
    /// As a relative-path reference, `../b`, or a same-document one, `#s`.
    #[default]
    Relative,
    /// The shorter of the last two.
    Shortest,
}

impl Style {
    /// All styles, with their names on command lines.
    pub const ALL: [(&'static str, Style); 5] = [
        ("absolute", Style::Absolute),
        ("network-path", Style::NetworkPath),
        ("absolute-path", Style::AbsolutePath),
        ("relative", Style::Relative),
        ("shortest", Style::Shortest),
    ];
}

/// The relation of a base to the document that contains the references.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BaseIs {
    /// The base is the URL of the document. `""` and `#s`, which mean the document itself, can be
    /// written.
    #[default]
    Document,
    /// The base is another URL, as from `<BASE>` or `Content-Base`, or this is not known: every
    /// reference gets a path or a query. By the letter of 1996 and RFC 2396 (4.2) `""` and `#s`
    /// never use the base; readers of other dialects differ.
    Other,
}

/// The buffers of a search, which are reused.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    /// The candidate reference.
    pub(crate) candidate: String,
    /// The target of the candidate.
    pub(crate) target: String,
    /// The shortest reference so far.
    pub(crate) best: String,
}

/// The search for one reference.
pub(crate) struct Search<'s, 'b> {
    buffers: &'s mut Buffers,
    resolver: &'s Resolver<'b>,
    target: &'s str,
    /// The start and end of the path of the target, in bytes.
    path_start: usize,
    path_end: usize,
    base_is: BaseIs,
}

impl<'s, 'b> Search<'s, 'b> {
    pub(crate) fn new(
        buffers: &'s mut Buffers,
        resolver: &'s Resolver<'b>,
        target: &'s str,
        base_is: BaseIs,
    ) -> Self {
        let at = Reference::split_by(target, &resolver.rules, None).at;
        let (path_start, path_end) = (at.path_start, at.path_end);
        Search { buffers, resolver, target, path_start, path_end, base_is }
    }

    /// Writes the reference of the given style, or of the next longer one, to `candidate`. Returns
    /// true if there is one.
    pub(crate) fn find(&mut self, style: Style) -> bool {
        let is_found = match style {
            Style::Absolute | Style::NetworkPath => false,
            Style::AbsolutePath => self.absolute_path(),
            Style::Relative => {
                self.without_path() || self.relative_path(false) || self.absolute_path()
            }
            Style::Shortest => self.shortest(),
        };
        is_found
            || (style != Style::Absolute && self.network_path())
            || (self.path_start > 0 && self.is(&[self.target]))
    }

    /// Returns true if the concatenated pieces resolve to the target.
    fn is(&mut self, pieces: &[&str]) -> bool {
        self.is_from(0, "", pieces)
    }

    /// Returns true if `n_up` times `..`, the slash after the last of them, and the pieces resolve
    /// to the target.
    fn is_from(&mut self, n_up: usize, slash: &str, pieces: &[&str]) -> bool {
        let Buffers { candidate, target, .. } = &mut *self.buffers;
        candidate.clear();
        (1..n_up).for_each(|_| candidate.push_str("../"));
        if n_up > 0 {
            candidate.push_str("..");
            candidate.push_str(slash);
        }
        pieces.iter().for_each(|piece| candidate.push_str(piece));
        match self.resolver.resolve_into(candidate, target) {
            Ok(Resolution::Url(url)) => url == self.target,
            // This is tried only if the base is the document: all but the fragment is the same.
            Ok(Resolution::SameDocument { .. }) => {
                let document = &self.resolver.whole[..self.resolver.at.query_end];
                self.target.strip_prefix(document) == Some(target)
            }
            Err(_) => false,
        }
    }

    /// Tries same-document references, and those that keep the path of the base: `""`, `#s`, `?q`,
    /// and `;p` of RFC 1808.
    fn without_path(&mut self) -> bool {
        let resolver = self.resolver;
        let at = &resolver.at;
        let kept = [at.query_end, at.params_end, at.path_end];
        let rests = kept.map(|end| self.target.strip_prefix(&resolver.whole[..end]));
        let [whole, without_query, without_params] = rests;
        let is_document = self.base_is == BaseIs::Document;
        let begins = |rest: &&str, delimiter| rest.starts_with(delimiter);
        let same = whole.filter(|rest| is_document && (rest.is_empty() || begins(rest, '#')));
        let is_whole = resolver.rules.empty_reference == EmptyReference::WholeBase
            && *self.target == *resolver.whole;
        if is_whole && is_document && self.is(&[""]) {
            return true;
        }
        let query = without_query.filter(|rest| begins(rest, '?'));
        let params = without_params.filter(|rest| begins(rest, ';') && resolver.rules.params);
        [same, query, params].into_iter().flatten().any(|rest| self.is(&[rest]))
    }

    /// Returns the number of directories to go up from the base, and the path down from there.
    fn way(&self) -> Option<(usize, &'s str)> {
        let Resolver { directory, root, .. } = self.resolver;
        let (head, path) = self.target.split_at(self.path_start);
        if head != &directory[..*root] {
            return None;
        }
        // The `/.` that keeps two slashes from being read as those of an authority is dropped.
        let is_guarded = path.starts_with("/.//") && head.ends_with(':');
        let (from, there) = (&directory[*root..], if is_guarded { &path[2..] } else { path });
        let n_same = from.bytes().zip(there.bytes()).take_while(|(a, b)| a == b).count();
        let common = from[..n_same].rfind('/').map_or(0, |slash| slash + 1);
        let n_up = from[common..].bytes().filter(|byte| *byte == b'/').count();
        Some((n_up, &there[common..]))
    }

    /// Tries paths from the directory of the base up as far as needed, and down. With `is_short` a
    /// final slash is omitted if possible.
    fn relative_path(&mut self, is_short: bool) -> bool {
        let Some((n_up, rest)) = self.way() else { return false };
        let (path, tail) =
            rest.split_at(rest.len().saturating_sub(self.target.len() - self.path_end));
        if is_short && self.folder_without_slash() {
            return true;
        }
        let is_found = match (n_up, path) {
            (0, "") => {
                // In some dialects `?y` is the directory of the base and a query.
                let is_query = tail.starts_with('?')
                    && self.resolver.rules.query_only == QueryOnly::ReplacesLastSegment;
                (is_query && self.is(&[tail]))
                    || (is_short && self.is(&[".", tail]))
                    || self.is(&["./", tail])
            }
            (0, _) => {
                // A base without path has no slash of its own; the dialect may insert one.
                let Resolver { directory, root, rules, .. } = self.resolver;
                let gets_slash =
                    directory.len() == *root && rules.empty_base_path == EmptyBasePath::SlashIfAny;
                let rest = rest.strip_prefix('/').filter(|_| gets_slash).unwrap_or(rest);
                let first = path.split('/').next().unwrap_or_default();
                // Such a colon rarely ends a scheme, but readers differ.
                let is_plain = !rest.starts_with('/') && (is_short || !first.contains(':'));
                (is_plain && self.is(&[rest])) || self.is(&["./", rest])
            }
            (_, "") if is_short && self.is_from(n_up, "", &[tail]) => true,
            _ => self.is_from(n_up, "/", &[rest]),
        };
        is_found || self.folder_without_slash()
    }

    /// Tries a directory above the base without its slash: `.` and `..` of 1993.
    fn folder_without_slash(&mut self) -> bool {
        if self.resolver.rules.final_dots_leave_slash {
            return false;
        }
        let (folder, tail) = self.target.split_at(self.path_end);
        let below = self.resolver.directory.strip_prefix(folder);
        let Some(below) = below.and_then(|below| below.strip_prefix('/')) else { return false };
        let n_up = below.bytes().filter(|byte| *byte == b'/').count();
        if n_up == 0 { self.is(&[".", tail]) } else { self.is_from(n_up, "", &[tail]) }
    }

    fn absolute_path(&mut self) -> bool {
        let path = &self.target[self.path_start..];
        let root = self.resolver.root;
        let has_root = self.target[..self.path_start] == self.resolver.whole[..root];
        match path.as_bytes() {
            _ if !has_root => false,
            [b'/', b'/', ..] => self.is(&["/.", path]),
            [b'/', ..] => self.is(&[path]),
            _ => false,
        }
    }

    fn network_path(&mut self) -> bool {
        let scheme = self.resolver.scheme();
        let rest = self.target.strip_prefix(scheme).and_then(|rest| rest.strip_prefix(':'));
        let Some(rest) = rest.filter(|rest| rest.starts_with("//")) else { return false };
        self.is(&[rest])
    }

    /// Tries all references that need no authority, and keeps the shortest.
    fn shortest(&mut self) -> bool {
        if self.without_path() {
            return true;
        }
        let has_relative = self.relative_path(true);
        if has_relative {
            core::mem::swap(&mut self.buffers.best, &mut self.buffers.candidate);
        }
        let has_absolute = self.absolute_path();
        let Buffers { best, candidate, .. } = &mut *self.buffers;
        if has_relative && (!has_absolute || best.len() <= candidate.len()) {
            core::mem::swap(best, candidate);
        }
        has_relative || has_absolute
    }
}
