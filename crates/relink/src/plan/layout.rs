//! The choice of a layout that no option gives.

use super::TreeOptions;
use crate::events::Events;
use crate::files::media::Types;
use crate::os::messages;
use crate::os::paths::Root;
use crate::urls::layout::Layout;
use crate::urls::mirror::detect::{Detected, detect, is_of_hosts};

impl TreeOptions {
    /// Returns the layout that was given or chosen.
    pub(super) fn chosen_layout(&self) -> Layout {
        self.layout.given().unwrap_or_default()
    }

    /// Chooses the layout if no option gives it, and reports the choice. Returns it if it is that
    /// of a mirror which its own files identify.
    pub(super) fn choose_layout(&mut self, events: &mut dyn Events) -> Option<Layout> {
        let (layout, reason) = self.found_layout(events)?;
        let text = format!(
            "read as a mirror with a directory for each host (`--layout {}`); {reason}; use `--layout plain` if it is not one",
            layout.name()
        );
        events.note(&messages::of_path(self.paths.first()?, &text));
        self.layout = layout.into();
        Some(layout)
    }

    /// As [`TreeOptions::choose_layout`], for a tree that is read as it lies on the disk unless an
    /// option gives its URL: a mirror is only reported.
    pub(super) fn report_layout(&mut self, events: &mut dyn Events) {
        if let Some((layout, reason)) = self.found_layout(events)
            && let Some(path) = self.paths.first()
        {
            let text = format!(
                "read as files on the disk; {reason}, so it may be a mirror with a directory for each host; use `--layout {}` if it is",
                layout.name()
            );
            events.hint(&format!("hint: {}", messages::of_path(path, &text)));
        }
    }

    /// Returns the layout of a mirror which its own files identify, and the reason, if no option
    /// gives URLs. A layout that `--base` implies is chosen at once.
    fn found_layout(&mut self, events: &mut dyn Events) -> Option<(Layout, &'static str)> {
        let has_hosts = self.chosen_layout().has_hosts() && self.base.is_some();
        let is_open = self.map.is_empty() && self.files.is_none();
        let is_open = is_open && (self.layout.given().is_none() || has_hosts);
        let options = self.document_options().ok().filter(|_| is_open)?;
        let types = Types::new(&self.types, &options.opt_in).ok()?;
        let roots: Vec<Root> = self.paths.iter().cloned().map(Root::new).collect();
        let path = self.paths.first()?.clone();
        if let Some(base) = self.base.clone() {
            let note = self.layout_of_base(&base, &roots, &types)?;
            events.note(&messages::of_path(&path, &note));
            return None;
        }
        match detect(&roots, &types, &options, self.no_hints) {
            Detected::Mirror(layout, reason) => Some((layout, reason)),
            Detected::HostNames => {
                let text = "its directories have names of hosts; use `--layout wget` or `--layout httrack` if it is a mirror with a directory for each host";
                events.hint(&format!("hint: {}", messages::of_path(&path, text)));
                None
            }
            Detected::Other => None,
        }
    }

    /// Chooses the layout of a mirror if PATH contains a directory with the name of the host in
    /// `--base`, and returns the note about it. A layout of hosts that was given stays, and the
    /// base only gives its scheme.
    fn layout_of_base(&mut self, base: &str, roots: &[Root], types: &Types) -> Option<String> {
        let base = urlcore::Reference::split(base, self.dialect);
        let host = base.authority().filter(|host| !host.is_empty())?.to_owned();
        if !self.paths.first()?.join(&host).is_dir() {
            return None;
        }
        let scheme = base.scheme().filter(|scheme| ["http", "https", "ftp"].contains(scheme));
        let is_root = matches!(base.path(), "" | "/");
        let is_mirror = self.layout.given().is_some() || is_of_hosts(roots, types);
        let Some(scheme) = scheme.filter(|_| is_root && is_mirror) else {
            let layout = self.layout.given().unwrap_or(Layout::Wget).name();
            return Some(format!(
                "contains the directory {host}, the host in --base; it may be a mirror with a directory for each host; use `--layout {layout}` without `--base` if it is"
            ));
        };
        let is_httrack =
            || roots.iter().filter_map(Root::path).any(|path| path.join("hts-cache").is_dir());
        let layout = match self.layout.given() {
            Some(layout) => layout,
            None if is_httrack() => Layout::Httrack,
            None => Layout::Wget,
        };
        self.scheme.get_or_insert_with(|| scheme.to_owned());
        (self.base, self.layout) = (None, layout.into());
        Some(format!(
            "read as a mirror with a directory for each host (`--layout {}`); it contains the directory {host}, the host in --base; use `--layout plain` if it is not one",
            layout.name()
        ))
    }
}
