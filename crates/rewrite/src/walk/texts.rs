//! Texts inside of a document that contain values: fragments, lists, style sheets, embedded
//! documents.

use layers::{Edit, Span};

use crate::report::skip::SkipReason;
use crate::slots::{SlotId, Syntax};
use crate::unit::Media;
use crate::walk::scope::{Scope, Scopes};
use crate::walk::{Text, Walk};

impl Walk<'_> {
    pub(crate) fn fragment(&mut self, text: Text<'_>, scopes: Scopes<'_>) -> Vec<Edit> {
        if text.depth > self.max_depth || self.is_stopped() {
            self.too_deep(text);
            return Vec::new();
        }
        let Some(found) = self.find(text, false) else { return Vec::new() };
        self.values(text, &found, scopes, None)
    }

    /// Walks a text that contains values: a list, a style sheet, an embedded document.
    pub(crate) fn text(
        &mut self,
        text: Text<'_>,
        decoded: &str,
        syntax: Syntax,
        slot: SlotId,
        scopes: Scopes<'_>,
    ) -> Vec<Edit> {
        if text.depth > self.max_depth || self.is_stopped() {
            self.too_deep(text);
            return Vec::new();
        }
        match syntax {
            Syntax::Html => {
                // Browsers differ in the base that it has. On an error page it has one at each URL.
                if scopes.other.is_some() && self.elsewhere.is_none() {
                    self.skip(SkipReason::TwoBases, text);
                    return Vec::new();
                }
                // Its contexts have the URLs of those around it.
                let around = [Some(scopes.base), scopes.other];
                let bases = around.iter().flatten().filter_map(|scope| scope.context.base());
                if self.past_deadline() || !self.charge(bases.map(str::len).sum()) {
                    return Vec::new();
                }
                // The document that the frame decodes, including quotes and escapes.
                let at = text.frame.embedded().last().map_or(Span::default(), |(_, span)| *span);
                let origin = slot.row().map_or("", |slot| slot.name);
                let (context, after) = scopes.base.enclosed(origin);
                let context = context.at(at.start, at.end);
                let scope_after = |context| Scope::new(context, self.dialect, text.new_url);
                let after = after.as_ref().map(scope_after);
                let own = Scope::new(&context, self.dialect, text.own_url);
                let fallback = Scope { after: after.as_ref(), ..own };
                let other = scopes.other.map(|other| other.enclosed(origin));
                let other_after = other.as_ref().and_then(|(_, after)| after.as_ref());
                let other_after = other_after.map(scope_after);
                let other = other.as_ref().map(|(context, _)| {
                    let other = Scope::new(context, self.dialect, text.own_url);
                    Scope { after: other_after.as_ref(), ..other }
                });
                if let Some(scope) = scopes.by_xml_base {
                    self.compare_bases(scopes.base, scope, text.frame);
                }
                let Some(found) = self.find(text, true) else { return Vec::new() };
                let other = other.as_ref();
                return self.found_document(Media::HTML, text, &found, &fallback, other);
            }
            Syntax::HtmlFragment => return self.fragment(text, scopes),
            _ => {}
        }
        match self.find_in(syntax, text, decoded, slot) {
            Some(found) => self.values(text, &found, scopes, None),
            None => Vec::new(),
        }
    }
}
