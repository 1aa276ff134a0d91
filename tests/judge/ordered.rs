//! A tree of html5ever that knows the order in which its elements came, which is that of their
//! tags.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, ExpandedName, QualName};
use markup5ever_rcdom::{Handle, Node, RcDom};

/// The tree, and the number of each element.
#[derive(Default)]
pub(crate) struct Ordered {
    dom: RcDom,
    numbers: RefCell<HashMap<*const Node, usize>>,
}

/// The numbers of elements, by their nodes.
#[derive(Clone, Default)]
pub(crate) struct Order(Rc<HashMap<*const Node, usize>>);

impl Order {
    /// The number of an element.
    pub(crate) fn of(&self, element: &Handle) -> Option<usize> {
        self.0.get(&Rc::as_ptr(element)).copied()
    }
}

impl TreeSink for Ordered {
    type Handle = Handle;
    type Output = (Handle, Order);
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Self::Output {
        (self.dom.document.clone(), Order(Rc::new(self.numbers.into_inner())))
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        self.dom.get_document()
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        self.dom.elem_name(target)
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> Handle {
        let element = self.dom.create_element(name, attrs, flags);
        let mut numbers = self.numbers.borrow_mut();
        let number = numbers.len();
        numbers.insert(Rc::as_ptr(&element), number);
        element
    }

    fn create_comment(&self, text: StrTendril) -> Handle {
        let comment = self.dom.create_comment(text);
        let number = self.numbers.borrow().len();
        // It has come after the elements before it.
        self.numbers.borrow_mut().insert(Rc::as_ptr(&comment), number);
        comment
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> Handle {
        self.dom.create_pi(target, data)
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.dom.append(parent, child);
    }

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        self.dom.append_before_sibling(sibling, child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle,
        previous: &Handle,
        child: NodeOrText<Handle>,
    ) {
        self.dom.append_based_on_parent_node(element, previous, child);
    }

    fn append_doctype_to_document(&self, name: StrTendril, public: StrTendril, system: StrTendril) {
        self.dom.append_doctype_to_document(name, public, system);
    }

    fn get_template_contents(&self, target: &Handle) -> Handle {
        self.dom.get_template_contents(target)
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        self.dom.same_node(x, y)
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.dom.set_quirks_mode(mode);
    }

    fn add_attrs_if_missing(&self, target: &Handle, attrs: Vec<Attribute>) {
        self.dom.add_attrs_if_missing(target, attrs);
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.dom.remove_from_parent(target);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        self.dom.reparent_children(node, new_parent);
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &Handle) -> bool {
        self.dom.is_mathml_annotation_xml_integration_point(handle)
    }
}
