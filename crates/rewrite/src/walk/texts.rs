//! Texts inside of a document that contain values: fragments, lists, style sheets, embedded
//! documents.

use layers::{Edit, Span};

use crate::report::skip::SkipReason;
use crate::slots::{SlotId, Syntax};
use crate::walk::scope::{Scope, Scopes};
use crate::walk::{Text, Walk};

impl Walk<'_> {
    pub(crate) fn fragment(&mut self, text: Text<'_>, scopes: Scopes<'_>) -> Vec<Edit> {
        if text.depth > self.max_depth || self.is_stopped() {
            self.too_deep(text);
            return Vec::new();
        }
        let Some(found) = self.find(text, false) else { return Vec::new() };
        self.html_document(text, &found, scopes.fallback, Some(scopes))
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
                // Browsers differ in the base that it has.
                if scopes.other.is_some() {
                    self.skip(SkipReason::TwoBases, text);
                    return Vec::new();
                }
                // Its context has the URL of the one around it.
                if self.past_deadline()
                    || !self.charge(scopes.base.context.base().map_or(0, str::len))
                {
                    return Vec::new();
                }
                // The document that the frame decodes, including quotes and escapes.
                let at = text.frame.embedded().last().map_or(Span::default(), |(_, span)| *span);
                let origin = slot.row().map_or("", |slot| slot.name);
                let context = scopes.base.context.enclosed(origin).at(at.start, at.end);
                let mut fallback = Scope::new(&context, self.dialect, text.own_url);
                let (after_context, after);
                if let Some(base) = scopes.base.after {
                    after_context = base.context.enclosed(origin);
                    after = Scope::new(&after_context, self.dialect, text.new_url);
                    fallback.after = Some(&after);
                }
                if let Some(scope) = scopes.by_xml_base {
                    self.compare_bases(scopes.base, scope, text.frame);
                }
                let Some(found) = self.find(text, true) else { return Vec::new() };
                return self.html_document(text, &found, &fallback, None);
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
