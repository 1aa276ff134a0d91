//! A recorder of the events of a document.

use basectx::html::{
    Attributes, BaseStep, Budget, Content, Element, Events, Namespace, Overrun, read,
};

/// A tag or a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) end: usize,
    /// `p`, `/p`, `!text`; after a start tag `:svg` or `:math`, and `=` if raw text follows.
    pub(crate) shown: String,
    /// The attributes of a start tag.
    pub(crate) attributes: Vec<(String, String)>,
}

#[derive(Default)]
pub(crate) struct Recorder {
    pub(crate) events: Vec<Event>,
    is_unsettled: bool,
}

impl Recorder {
    fn push(&mut self, end: usize, shown: String, attributes: Vec<(String, String)>) {
        assert!(!self.is_unsettled, "a start tag is settled before any other event");
        self.events.push(Event { end, shown, attributes });
    }
}

impl Events for Recorder {
    fn start_tag(&mut self, end: usize, name: &str, attributes: Attributes<'_>) {
        let attributes = attributes.iter().map(|(name, value)| (name.into(), value.into()));
        self.push(end, name.into(), attributes.collect());
        self.is_unsettled = true;
    }

    fn settled(&mut self, element: Element) {
        assert!(self.is_unsettled, "only a start tag is settled");
        self.is_unsettled = false;
        let shown = &mut self.events.last_mut().expect("the start tag").shown;
        shown.push_str(match element.namespace {
            Namespace::Html => "",
            Namespace::Svg => ":svg",
            Namespace::MathMl => ":math",
        });
        shown.push_str(if element.content == Content::RawText { "=" } else { "" });
    }

    fn end_tag(&mut self, end: usize, name: &str) {
        self.push(end, format!("/{name}"), Vec::new());
    }

    fn comment(&mut self, end: usize, text: &str) {
        self.push(end, format!("!{text}"), Vec::new());
    }
}

/// Returns the events of the document, and the steps in which its base changes.
pub(crate) fn record(input: &[u8]) -> Result<(Vec<Event>, Vec<BaseStep>), Overrun> {
    let mut recorder = Recorder::default();
    let bases = read(input, false, Budget::default(), &mut recorder)?;
    Ok((recorder.events, bases))
}
