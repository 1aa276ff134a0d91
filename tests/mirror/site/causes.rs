//! The only reasons for which a reference of the result may be wrong: what the mirroring programs
//! have destroyed.

use std::collections::BTreeSet;
use std::path::Path;

use url::Url;

use super::judge::{Copies, Fault, Verdict};
use super::mirrors::Manner;
use super::pages::{Found, Kind, Site};

/// Why a reference is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cause {
    /// wget stores the answer of a redirect by the URL that it asked for; the URL that answered, to
    /// which the page's references are relative and to which others lead, is recorded only with
    /// `--xattr`.
    RedirectByFirstUrl,
    /// A host that was not mirrored (`-nH` without `-H`) redirects to one that was.
    RedirectElsewhere,
    /// wget2 stores it by the URL that answered; that another URL led there is not recorded.
    RedirectByLastUrl,
    /// With `-E`, `p.php` and `p.php.html` have the same name; the last one fetched replaces the
    /// other.
    SameName,
    /// wget stores the page `/blog`, and the answer of a redirect from `/blog` to `/blog/`, by the
    /// same name, and wget2 does not record a redirect from `/blog/` to `/blog`. relink reads both
    /// as the page, since most sites redirect; this one answers 404 for `/blog/`. `--xattr` and
    /// HTTrack record the URL.
    SlashByFirstUrl,
    /// HTTrack resolved the reference wrongly and wrote the result into the page: before a late
    /// `<base>`, under a relative one, a query under one, in ISO 8859-1, the home of a host for
    /// that of the host with `www.`.
    WrittenByHttrack,
    /// HTTrack with `-K4` keeps the references, and records where a redirect led in its cache only,
    /// which is a zip file.
    RedirectInCache,
    /// HTTrack with `-K4` empties `<base href>` and keeps the references that depend on it.
    EmptiedBase,
    /// wget2 did not fetch the URL with this query, in this run; the site answers as without it.
    NotFetched,
    /// wget2 renames a page to `blog.1` where a directory `blog` is needed.
    Renamed,
}

impl Cause {
    /// Returns true for redirects of which no file of the mirror says where they led.
    pub(super) fn is_unrecorded_redirect(self) -> bool {
        matches!(
            self,
            Cause::RedirectByFirstUrl
                | Cause::RedirectElsewhere
                | Cause::RedirectByLastUrl
                | Cause::RedirectInCache
        )
    }
}

/// The facts about a mirror by which causes are found.
pub(super) struct Causes<'s> {
    site: &'s Site,
    manner: &'s Manner,
    tree: &'s Path,
    /// The resources with a file by their own URL.
    by_own_url: BTreeSet<usize>,
}

/// The URL, without its scheme, that wget asked for when it wrote a file.
fn asked(file: &Path, manner: &Manner) -> String {
    let file = file.to_string_lossy();
    let file = if manner.options.contains(&"-nH") {
        format!("a.example/{file}")
    } else {
        file.into_owned()
    };
    let file = if manner.name.contains("windows") { file.replace('@', "?") } else { file };
    let name = file.strip_suffix("index.html").or_else(|| file.strip_suffix(".html"));
    name.unwrap_or(&file).to_owned()
}

impl<'s> Causes<'s> {
    pub(super) fn of(site: &'s Site, manner: &'s Manner, tree: &'s Path) -> Self {
        let mut causes = Causes { site, manner, tree, by_own_url: BTreeSet::new() };
        for (path, id) in Copies::of(tree).ids {
            if !causes.is_redirected(path.strip_prefix(tree).expect("below")) {
                causes.by_own_url.insert(id);
            }
        }
        causes
    }

    /// Returns true if wget2 stored the answer for a URL with a query.
    fn has_file(&self, url: &Url) -> bool {
        let name = format!("{}{}", url.host_str().unwrap_or_default(), url.path());
        url.query().is_none_or(|query| self.tree.join(format!("{name}?{query}")).exists())
    }

    /// Returns true if a file is the answer of a redirect.
    fn is_redirected(&self, file: &Path) -> bool {
        let asked = asked(file, self.manner);
        // With `-E`, and where the page itself has the extension.
        [asked.clone(), asked + ".html"].iter().any(|url| self.site.is_redirecting(url))
    }

    /// Returns true if a reference of a tree that was made absolute is wrong because the name of
    /// the file that it led to, `file` below the tree, is not that of its URL, or that of its own
    /// document: `about.html` may be `about`, `what?.html` may be `what%3F.html`, `pct%.html` may
    /// be `pct%2525.html`, and the page may be the answer of a redirect.
    pub(super) fn is_name_lost(&self, fault: &Fault, file: Option<&Path>) -> bool {
        // HTTrack lists the URL of each file.
        if self.manner.program == "httrack" {
            return false;
        }
        let is_lost = |file: &Path| {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let by_name = format!("http://{}/", file.parent().unwrap_or(file).display());
            let by_name = Url::parse(&by_name).and_then(|directory| directory.join(&name));
            let is_read = by_name.is_ok_and(|url| {
                matches!(self.site.ask(&url), Found::Resource(id) if Some(id) == self.resource(fault))
            });
            let is_plain = name != "index.html" && !name.contains('=');
            is_plain && (!is_read || name.contains("?.html"))
        };
        // wget wrote `index.html` for `/`, as the site may have: a page with no other reference
        // that is one of these two says nothing.
        let is_index = match (&fault.was.target, &fault.is.target) {
            (Some(was), Some(is)) => is.as_str() == format!("{was}index.html"),
            _ => false,
        };
        self.is_redirected(&fault.file) || is_index || file.is_some_and(is_lost)
    }

    /// Returns the resource that the live reference led to.
    fn resource(&self, fault: &Fault) -> Option<usize> {
        match self.site.follow(fault.was.target.as_ref()?) {
            Found::Resource(id) => Some(id),
            _ => None,
        }
    }

    /// Returns the cause of a fault, if the mirroring program is to blame.
    pub(super) fn of_fault(&self, fault: &Fault) -> Option<Cause> {
        let target = fault.was.target.as_ref()?;
        let found = self.site.follow(target);
        let (is_wget, is_wget2) = (self.manner.program == "wget", self.manner.program == "wget2");
        let is_adjusted = self.manner.options.contains(&"-E");
        let is_recorded = self.manner.options.contains(&"--xattr");
        // HTTrack lists the URL of each file.
        let is_listed = self.manner.program == "httrack";
        if is_wget && !is_recorded {
            let is_live = fault.verdict == Verdict::Live
                && matches!(found, Found::Resource(id) if !self.by_own_url.contains(&id));
            if is_live || self.is_redirected(&fault.file) {
                return Some(Cause::RedirectByFirstUrl);
            }
        }
        let is_redirect = matches!(self.site.ask(target), Found::Redirect(_));
        let is_one_host = self.manner.options.contains(&"-nH");
        if is_one_host && target.host_str() != Some("a.example") && is_redirect {
            return Some(Cause::RedirectElsewhere);
        }
        if is_wget2 && matches!(self.site.ask(target), Found::Redirect(_)) {
            return Some(Cause::RedirectByLastUrl);
        }
        let resource = &self.site.resources[fault.own];
        let is_path = |path: &str| target.path() == path;
        match () {
            () if is_adjusted && !is_recorded && is_path("/p.php.html") => Some(Cause::SameName),
            () if is_path("/blog/") && found == Found::Nothing && !is_recorded && !is_listed => {
                Some(Cause::SlashByFirstUrl)
            }
            () if is_wget2 && fault.verdict == Verdict::Live && !self.has_file(target) => {
                Some(Cause::NotFetched)
            }
            () if is_wget2 && is_path("/blog") => Some(Cause::Renamed),
            () if self.manner.program == "httrack" => {
                let is_base = ["/base/b2.html", "/base/b5.html", "/base/b6.html"]
                    .contains(&resource.url.path())
                    || resource.kind == Kind::Latin;
                let is_kept = self.manner.options.contains(&"-K4");
                if is_kept && matches!(self.site.ask(target), Found::Redirect(_)) {
                    return Some(Cause::RedirectInCache);
                }
                let is_emptied = ["/base/b1.html", "/base/b7.html", "/base/b8.html"]
                    .contains(&resource.url.path());
                if is_kept && is_emptied {
                    return Some(Cause::EmptiedBase);
                }
                let is_home = is_path("/") && target.host_str() == Some("a.example");
                (is_base || is_home).then_some(Cause::WrittenByHttrack)
            }
            () => None,
        }
    }
}
