//! From the path of a file to the URL that it was, or would be, retrieved from: `--base` and
//! `--map`.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use basectx::RetrievalUrl;
use rewrite::FixedRoots;

use crate::layout::{self, Layout, without_scheme};
use crate::messages;
use crate::paths::{Root, absolute, directory_of};

/// A directory or file whose URL is given.
#[derive(Clone, Debug)]
struct Place {
    /// Absolute, without `.` and `..`.
    path: PathBuf,
    url: RetrievalUrl,
    /// The option that gave it.
    option: &'static str,
}

impl Place {
    /// Returns the place in the form of `--map`.
    fn as_option(&self) -> String {
        format!("{}={}", self.path.display(), self.url.as_str())
    }
}

/// All places whose URL is given.
#[derive(Clone, Debug, Default)]
pub struct UrlMapping {
    places: Vec<Place>,
    /// The indices of the places, by path.
    numbers: HashMap<PathBuf, usize>,
    /// The URL of standard input.
    stdin: Option<String>,
    layout: Layout,
    has_base: bool,
    /// True if the URLs are assumptions, and provenance metadata in a document takes precedence.
    is_guess: bool,
}

impl UrlMapping {
    /// Creates the mapping of a run: `base` is the URL of the only path, `maps` are `PATH=URL`.
    /// Also returns messages for the user.
    ///
    /// # Errors
    ///
    /// A sentence that describes the error.
    pub fn new(
        paths: &[PathBuf],
        base: Option<&str>,
        maps: &[String],
        layout: Layout,
    ) -> Result<(Self, Vec<String>), String> {
        let mut places = UrlMapping { layout, has_base: base.is_some(), ..UrlMapping::default() };
        let mut notes = Vec::new();
        if let Some(base) = base {
            match paths {
                [path] if path.as_os_str() == "-" => {
                    let url = RetrievalUrl::from_file(base)
                        .map_err(|error| format!("--base {base}: {error}{}", hint(base)))?;
                    places.stdin = Some(url.as_str().to_owned());
                }
                [path] => {
                    let note = places
                        .add(path, base, "--base")
                        .map_err(|error| format!("--base {base}: {error}{}", hint(base)))?;
                    notes.extend(note);
                }
                _ => {
                    return Err(
                        "--base is the URL of one PATH; for several give --map PATH=URL for each"
                            .to_owned(),
                    );
                }
            }
        }
        for map in maps {
            let (path, url) = split(map)
                .ok_or_else(|| format!("--map {map}: expected PATH=URL with an absolute URL"))?;
            if !paths.iter().any(|root| is_related(&absolute(root), &absolute(Path::new(path)))) {
                return Err(format!("--map {map}: {path} is not in any PATH of this run"));
            }
            let note = places
                .add(Path::new(path), url, "--map")
                .map_err(|error| format!("--map {map}: {error}"))?;
            notes.extend(note);
        }
        Ok((places, notes))
    }

    /// Returns the places of a mirror whose top directories are hosts.
    ///
    /// # Errors
    ///
    /// A sentence that describes the error.
    pub fn of_hosts(paths: &[PathBuf], layout: Layout, scheme: &str) -> Result<Self, String> {
        let mut places = UrlMapping { layout, ..UrlMapping::default() };
        for path in paths {
            let n_before = places.places.len();
            let entries = path.read_dir().map_err(|error| {
                let reason = messages::reason(&error);
                format!(
                    "{}: --layout needs the folder above the hosts, or --base: {reason}",
                    path.display()
                )
            })?;
            let mut directories: Vec<PathBuf> =
                entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
            directories
                .retain(|path| path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()));
            directories.sort_unstable();
            for directory in directories {
                let name = directory.file_name().unwrap_or_default().as_encoded_bytes();
                let url = layout.host_url(name, scheme);
                let Some(Ok(url)) = url.as_deref().map(RetrievalUrl::from_directory) else {
                    continue;
                };
                places.push(Place { path: absolute(&directory), url, option: "--layout" })?;
            }
            if places.places.len() == n_before {
                let name = Root::new(path.clone()).name();
                let is_host =
                    layout.host_url(name.as_os_str().as_encoded_bytes(), scheme).is_some();
                return Err(format!(
                    "{}: {}",
                    path.display(),
                    match is_host {
                        true =>
                            "this is named like one host; give the folder above it, or --base URL",
                        false =>
                            "no folder in it is named like a host; of one host --base URL tells",
                    }
                ));
            }
        }
        Ok(places)
    }

    /// Returns the places of trees as they lie on the disk.
    pub fn of_disk(roots: &[Root]) -> Self {
        let place = |root: &Root| {
            let Root::Path { typed: path, .. } = root else { return None };
            let path = absolute(path);
            let disk = RetrievalUrl::from_directory("file:///").ok()?;
            let names = path.components().filter_map(|component| match component {
                Component::Normal(name) => Some(name.as_encoded_bytes()),
                Component::Prefix(prefix) => Some(prefix.as_os_str().as_encoded_bytes()),
                _ => None,
            });
            let url = disk.join(names);
            let url = match path.is_dir() {
                true => RetrievalUrl::from_directory(&url),
                false => RetrievalUrl::from_file(&url),
            };
            Some(Place { path, url: url.ok()?, option: "PATH" })
        };
        let mut places = UrlMapping::default();
        // A root that is given twice is still in one place.
        roots.iter().filter_map(place).for_each(|place| drop(places.push(place)));
        places
    }

    /// Checks that the place of each URL is unambiguous: two paths must not have one URL.
    ///
    /// # Errors
    ///
    /// A sentence that names both paths.
    pub fn check_overlaps(&self) -> Result<(), String> {
        let two = |a: &Place, b: &Place| {
            let (a, b, url) = (a.as_option(), b.as_option(), b.url.as_str());
            Err(format!("{a} and {b}: two paths would have the URL {url}"))
        };
        let mut roots = FixedRoots::default();
        // The outer ones first, so that the inner ones find them.
        let mut places: Vec<&Place> = self.places.iter().collect();
        places.sort_by_key(|place| place.url.as_str().len());
        for place in &places {
            if let Some((outer, rest)) = roots.find(place.url.as_str()) {
                let rest = rest.split('?').next().unwrap_or_default().trim_matches('/');
                let names = layout::decoded(rest);
                let taken = std::str::from_utf8(&names).map(|rest| places[outer].path.join(rest));
                if rest.is_empty() || taken.is_ok_and(|path| path != place.path && path.exists()) {
                    return two(places[outer], place);
                }
            }
            roots.add(place.url.as_str(), []);
        }
        Ok(())
    }

    fn add(
        &mut self,
        path: &Path,
        url: &str,
        option: &'static str,
    ) -> Result<Option<String>, String> {
        // A path that does not exist is reported when it is walked.
        let url = match path.is_dir() {
            true => RetrievalUrl::from_directory(url),
            false => RetrievalUrl::from_file(url),
        };
        let url = url.map_err(|error| error.to_string())?;
        let note = url.is_slash_added().then(|| {
            format!("the URL of {} is taken as {} with a final slash", path.display(), url.as_str())
        });
        self.push(Place { path: absolute(path), url, option })?;
        Ok(note)
    }

    fn push(&mut self, place: Place) -> Result<(), String> {
        if let Some(other) = self.numbers.insert(place.path.clone(), self.places.len()) {
            let other = self.places[other].as_option();
            return Err(format!("{other} and {}: one path has one URL", place.as_option()));
        }
        self.places.push(place);
        Ok(())
    }

    /// Returns the URL of a file, and the option that gives it: that of the longest path that
    /// contains the file.
    pub fn url_of(&self, path: &Path) -> Option<(String, &'static str)> {
        let path = absolute(path);
        let number = path.ancestors().find_map(|ancestor| self.numbers.get(ancestor))?;
        let place = &self.places[*number];
        let names: Vec<&[u8]> = path
            .strip_prefix(&place.path)
            .ok()?
            .components()
            .map(|name| name.as_os_str().as_encoded_bytes())
            .collect();
        Some((self.layout.url(&place.url, &names), place.option))
    }

    /// Marks the URLs as assumptions.
    pub fn guess(&mut self) {
        self.is_guess = true;
    }

    /// Returns true if the URLs are only assumptions.
    pub fn is_guess(&self) -> bool {
        self.is_guess
    }

    /// Returns true if `--base` gives the URL of the only PATH.
    pub fn has_base(&self) -> bool {
        self.has_base
    }

    /// Returns the layout of the tree.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Returns the directories that have URLs. For a PATH that is a single file, it is the
    /// directory that contains it.
    pub fn directories(&self, roots: &[Root]) -> Vec<(PathBuf, RetrievalUrl)> {
        let directory = |place: &Place| match place.path.is_dir() {
            true => Some((place.path.clone(), place.url.clone())),
            false if is_root(&place.path, roots) => {
                Some((directory_of(&place.path), place.url.directory()?))
            }
            false => None,
        };
        self.places.iter().filter_map(directory).collect()
    }

    /// Returns the files that have URLs of their own.
    pub fn files(&self, roots: &[Root]) -> Vec<(&Path, &str)> {
        let is_file = |place: &&Place| !place.path.is_dir() && !is_root(&place.path, roots);
        self.places.iter().filter(is_file).map(|place| (&*place.path, place.url.as_str())).collect()
    }

    /// Returns the aliases of the URL of a directory.
    pub fn other_names(&self, url: &RetrievalUrl, same_as: &[String]) -> Vec<String> {
        let mut names = if self.layout.has_hosts() { other_schemes(url) } else { Vec::new() };
        names.extend_from_slice(same_as);
        names
    }

    /// Returns the URLs of the directories that have one. With a single file, all of its site is in
    /// the tree.
    pub fn roots(&self, paths: &[Root], same_as: &[String]) -> FixedRoots {
        let mut roots = FixedRoots::default();
        for place in &self.places {
            let is_file = !place.path.is_dir() && !is_root(&place.path, paths);
            let url = if is_file { place.url.as_str().to_owned() } else { place.url.root() };
            roots.add(&url, self.other_names(&place.url, same_as));
        }
        if let Some(url) = &self.stdin {
            let root = RetrievalUrl::from_file(url).map_or_else(|_| url.clone(), |url| url.root());
            roots.add(&root, same_as.to_vec());
        }
        roots
    }

    /// Returns the URL of standard input.
    pub fn url_of_stdin(&self) -> Option<&str> {
        self.stdin.as_deref()
    }

    /// Returns true if no URL is given.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty() && self.stdin.is_none()
    }
}

/// Returns a suggestion for a URL without a scheme.
fn hint(url: &str) -> String {
    let host = url.split(['/', ':', '?', '#']).next().unwrap_or_default();
    let is_name = host.chars().all(|char| char.is_ascii_alphanumeric() || "-.".contains(char));
    match is_name && (host.contains('.') || host == "localhost") {
        true => format!("; is it http://{url}?"),
        false => String::new(),
    }
}

/// Splits `PATH=URL` at the last `=` that a scheme follows.
fn split(map: &str) -> Option<(&str, &str)> {
    let is_url = |url: &str| {
        url.split_once(':').is_some_and(|(scheme, _)| {
            scheme.starts_with(|char: char| char.is_ascii_alphabetic())
                && scheme.chars().all(|char| char.is_ascii_alphanumeric() || "+-.".contains(char))
        })
    };
    map.rmatch_indices('=')
        .map(|(at, _)| (&map[..at], &map[at + 1..]))
        .find(|(path, url)| !path.is_empty() && is_url(url))
}

fn is_related(a: &Path, b: &Path) -> bool {
    a.starts_with(b) || b.starts_with(a)
}

fn is_root(path: &Path, roots: &[Root]) -> bool {
    roots.iter().any(|root| root.path().is_some_and(|root| absolute(root) == path))
}

/// Returns the URLs of the same directory with other schemes: the directories of a mirror do not
/// distinguish schemes.
pub fn other_schemes(url: &RetrievalUrl) -> Vec<String> {
    let rest = without_scheme(url.as_str());
    let schemes = ["http", "https", "ftp"].into_iter().map(|scheme| format!("{scheme}://{rest}"));
    schemes.filter(|other| other != url.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_split_before_the_last_scheme() {
        assert_eq!(split("a=b=http://h/x=y"), Some(("a=b", "http://h/x=y")));
        assert_eq!(split("a=ftp://h/"), Some(("a", "ftp://h/")));
        for wrong in ["a", "a=b", "=http://h/", "a=1:2", "a=/x:y"] {
            assert_eq!(split(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_longest_path_wins() {
        let root = std::env::temp_dir();
        let maps = [format!("{}=http://sub/s", root.join("a/b").display())];
        let (places, notes) =
            UrlMapping::new(std::slice::from_ref(&root), Some("http://h"), &maps, Layout::Plain)
                .unwrap();
        assert_eq!(notes.len(), 1);
        let url = |path: &str| places.url_of(&root.join(path)).map(|(url, _)| url);
        assert_eq!(url("a/c d.html").as_deref(), Some("http://h/a/c%20d.html"));
        assert_eq!(url("x/../a/b").as_deref(), Some("http://sub/s"));
        assert_eq!(url("a/bc").as_deref(), Some("http://h/a/bc"));
        assert_eq!(places.url_of(Path::new("/")), None);
    }
}
