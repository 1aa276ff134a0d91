//! What `move` does where a root is on a share or a drive: references that Windows reads in another
//! way than browsers, and their spellings.

use urlcore::Resolver;

use crate::decide::relocate::Relocate;
use crate::decide::shared_rules::{end_of_path, is_writable, locate, resolve};
use crate::moves::TargetLocation;
use crate::moves::shares::{LeftReason, is_same};
use crate::report::Outcome;
use crate::walk::site::Site;

impl Relocate<'_> {
    /// Returns the target of a text that Windows reads in another way than URLs are resolved.
    #[inline]
    pub(super) fn read_path(
        &self,
        site: &Site<'_>,
        text: &str,
        under: Option<&Resolver<'_>>,
    ) -> Option<Result<String, LeftReason>> {
        let windows = self.windows.filter(|_| !site.slot.gives_base())?;
        windows.read(text, under.map(Resolver::base), site.dialect)
    }

    /// Finds out whether the `#` in a path begins a fragment or is part of a name, if these move to
    /// different places.
    pub(super) fn read_number_sign(
        &mut self,
        site: &Site<'_>,
        location: TargetLocation,
    ) -> Result<TargetLocation, Outcome> {
        let Some(windows) = self.windows else { return Ok(location) };
        let signs = |url: &str| windows.with_number_signs(site.text, url);
        let Some(name) = signs(&self.target) else { return Ok(location) };
        let mut output = String::new();
        let named = locate(&*self.to.map, site, &name, &mut output);
        let is_one = signs(&self.output_target).is_some_and(|url| is_same(&url, &output));
        if is_one {
            return Ok(location);
        }
        let (document, _) = self.target.split_at(end_of_path(&self.target));
        if !windows.is_name(&name, document).ok_or(LeftReason::NumberSign)? {
            return Ok(location);
        }
        (self.target, self.output_target, self.is_path) = (name, output, true);
        Ok(named)
    }

    /// Leaves in `kept_target` the target of a text in the output. Returns false if it has none.
    pub(super) fn find_in_output(
        &mut self,
        site: &Site<'_>,
        under: &Resolver<'_>,
        text: &str,
    ) -> bool {
        match self.read_path(site, text, Some(under)) {
            Some(Ok(target)) => (self.kept_target, self.is_path) = (target, true),
            Some(Err(_)) => return false,
            None => return resolve(under, text, &mut self.kept_target).is_ok(),
        }
        true
    }

    /// Leaves in `text` the reference in its own spelling of a path or `file` URL, with its place
    /// in the output. Returns false if it must be written as a URL.
    pub(super) fn respell(&mut self, site: &Site<'_>) -> bool {
        let respelled =
            self.windows.and_then(|it| it.respelled(site.text, &self.target, &self.output_target));
        let Some(text) = respelled else { return false };
        self.text.clear();
        match site.new_resolver {
            Some(under) => {
                self.text.push_str(&site.delimiters.fitted(&text, under));
                let text = std::mem::take(&mut self.text);
                let is_found = self.find_in_output(site, under, &text);
                self.text = text;
                if !is_found || !is_same(&self.kept_target, &self.output_target) {
                    return false;
                }
            }
            None if site.resolver.is_some() => return false,
            None => {
                self.text.push_str(&text);
                self.is_path = true;
            }
        }
        // The target of a base is assumed byte by byte.
        let is_base_right = !site.slot.gives_base() || self.kept_target == self.output_target;
        is_base_right && is_writable(site, &self.text, Some(&*self.to.map))
    }
}

impl From<LeftReason> for Outcome {
    fn from(reason: LeftReason) -> Self {
        match reason {
            LeftReason::AboveShare => Outcome::AboveShare,
            LeftReason::NumberSign => Outcome::NumberSign,
        }
    }
}
