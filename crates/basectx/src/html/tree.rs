//! The tree that html5ever builds, as far as the base needs it: which `base` is the first, and what
//! is in a template.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, ExpandedName, QualName, expanded_name, local_name, ns};
use markup5ever_rcdom::{Handle, Node, NodeData, RcDom};

use super::BaseStep;

/// The tree, as far as the base needs it: elements without attributes (but for `base`), no text, no
/// comments, and no edges at all in a document without `base`.
#[derive(Default)]
pub(super) struct BaseTree {
    pub(super) dom: RcDom,
    pub(super) is_kept: bool,
    /// The element created last.
    pub(super) created: RefCell<Option<Handle>>,
    pub(super) n_created: Cell<usize>,
    pub(super) n_start_tags: Cell<usize>,
    /// The number of siblings read by the tree to find places.
    pub(super) n_siblings: Cell<usize>,
    /// The `base` elements with `href`, and the number of each one's start tag.
    pub(super) bases: RefCell<Vec<(Handle, usize)>>,
    pub(super) steps: RefCell<Vec<BaseStep>>,
    /// True if a `base` was created for the tag that is being processed.
    pub(super) has_new_base: Cell<bool>,
    /// True if another base may have become the first: one was put before something that is in the
    /// tree, or the body was removed.
    pub(super) has_moved_base: Cell<bool>,
    /// True if the tag that is being processed begins a declarative shadow root.
    pub(super) is_shadow_root: Cell<bool>,
    /// The contents of templates, and the elements in them.
    pub(super) inert: RefCell<HashSet<*const Node>>,
}

impl BaseTree {
    /// Returns the number of the start tag of the first `base` with `href` in tree order.
    fn first_base(&self) -> Option<usize> {
        let bases = self.bases.borrow();
        if bases.is_empty() {
            return None;
        }
        let mut open: Vec<Handle> = vec![self.dom.document.clone()];
        while let Some(node) = open.pop() {
            self.n_siblings.set(self.n_siblings.get() + 1);
            if is_base(&node)
                && let Some((_, n_tag)) = bases.iter().find(|(base, _)| Rc::ptr_eq(base, &node))
            {
                return Some(*n_tag);
            }
            open.extend(node.children.borrow().iter().rev().cloned());
        }
        None
    }

    /// Records the base of the document if the tag that was processed has changed it: the first
    /// one, one that was moved out of a table, or a frameset in place of the body.
    pub(super) fn note_base(&self) {
        let is_first = self.has_new_base.take() && self.steps.borrow().is_empty();
        if self.has_moved_base.take() || is_first {
            self.add_step();
        }
    }

    fn add_step(&self) {
        let tag = self.first_base();
        let mut steps = self.steps.borrow_mut();
        if steps.last().and_then(|step| step.tag) != tag {
            steps.push(BaseStep { from: self.n_start_tags.get(), tag });
        }
    }

    /// Returns the steps of the whole document. A `base` may have been removed with the body around
    /// it, or moved.
    pub(super) fn base_steps(&self) -> Vec<BaseStep> {
        self.add_step();
        self.steps.take()
    }

    pub(super) fn is_inert(&self, node: &Handle) -> bool {
        let inert = self.inert.borrow();
        !inert.is_empty() && inert.contains(&Rc::as_ptr(node))
    }

    /// Records that an element is put inside `parent`.
    fn put(&self, parent: &Handle, child: &NodeOrText<Handle>) {
        if let NodeOrText::AppendNode(child) = child
            && self.is_inert(parent)
        {
            let mut inert = self.inert.borrow_mut();
            inert.insert(Rc::as_ptr(child));
            // A shadow root inside is not loaded either.
            if let NodeData::Element { template_contents, .. } = &child.data
                && let Some(contents) = &*template_contents.borrow()
            {
                inert.insert(Rc::as_ptr(contents));
            }
        }
    }

    /// Records that an element is put before `sibling`.
    fn put_before(&self, sibling: &Handle, child: &NodeOrText<Handle>) {
        if let NodeOrText::AppendNode(child) = child
            && is_base(child)
        {
            self.has_moved_base.set(true);
        }
        if self.is_inert(sibling) {
            self.put(sibling, child);
        }
    }

    fn count_siblings(&self, of: &Handle) {
        let parent = of.parent.take();
        let n_siblings = parent
            .as_ref()
            .and_then(|parent| parent.upgrade())
            .map_or(0, |p| p.children.borrow().len());
        of.parent.set(parent);
        self.n_siblings.set(self.n_siblings.get() + n_siblings);
    }
}

fn is_base(node: &Handle) -> bool {
    // Only those with `href` have attributes.
    matches!(&node.data, NodeData::Element { name, attrs, .. }
        if name.expanded() == expanded_name!(html "base") && !attrs.borrow().is_empty())
}

impl TreeSink for BaseTree {
    type Handle = Handle;
    type Output = Self;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        self.dom.get_document()
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        self.dom.elem_name(target)
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> Handle {
        self.n_created.set(self.n_created.get() + 1);
        let is_base = name.expanded() == expanded_name!(html "base")
            && attrs
                .iter()
                .any(|attr| attr.name.local == local_name!("href") && attr.name.ns == ns!());
        let element =
            self.dom.create_element(name, if is_base { attrs } else { Vec::new() }, flags);
        if is_base {
            self.bases.borrow_mut().push((element.clone(), self.n_start_tags.get()));
            self.has_new_base.set(true);
        }
        if self.is_kept
            && !self.is_shadow_root.get()
            && let NodeData::Element { template_contents, .. } = &element.data
            && let Some(contents) = &*template_contents.borrow()
        {
            self.inert.borrow_mut().insert(Rc::as_ptr(contents));
        }
        self.created.replace(Some(element.clone()));
        element
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        self.dom.create_comment(StrTendril::new())
    }

    fn create_pi(&self, target: StrTendril, _: StrTendril) -> Handle {
        self.dom.create_pi(target, StrTendril::new())
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        if self.is_kept && is_element(&child) {
            self.put(parent, &child);
            self.dom.append(parent, child);
        }
    }

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        if self.is_kept && is_element(&child) {
            self.count_siblings(sibling);
            self.put_before(sibling, &child);
            self.dom.append_before_sibling(sibling, child);
        }
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle,
        previous: &Handle,
        child: NodeOrText<Handle>,
    ) {
        if self.is_kept && is_element(&child) {
            self.count_siblings(element);
            self.put_before(element, &child);
            self.dom.append_based_on_parent_node(element, previous, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &Handle) -> Handle {
        self.dom.get_template_contents(target)
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        Rc::ptr_eq(x, y)
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn add_attrs_if_missing(&self, _: &Handle, _: Vec<Attribute>) {}

    fn remove_from_parent(&self, target: &Handle) {
        if self.is_kept {
            self.count_siblings(target);
            if self.dom.elem_name(target) == expanded_name!(html "body") {
                self.has_moved_base.set(true);
            }
            self.dom.remove_from_parent(target);
        }
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        if self.is_kept {
            self.n_siblings.set(self.n_siblings.get() + node.children.borrow().len());
            self.dom.reparent_children(node, new_parent);
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &Handle) -> bool {
        self.dom.is_mathml_annotation_xml_integration_point(handle)
    }
}

fn is_element(child: &NodeOrText<Handle>) -> bool {
    matches!(child, NodeOrText::AppendNode(node) if matches!(node.data, NodeData::Element { .. }))
}

// Limits of the work and memory of html5ever for a document, and the error if they are exceeded.

/// The approximate size of what is kept with a node or an attribute in the tree, in bytes: two
/// counters, its places in lists, and the allocator's own entry.
pub(super) const LINKS_SIZE: usize = size_of::<[usize; 8]>();

/// The limits of html5ever's work for a document; a document that exceeds one is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Open elements and active formatting elements together.
    pub open_elements: usize,
    /// Elements created per tag, on average, including reopened formatting elements.
    pub elements_per_tag: usize,
    /// Attributes of one tag.
    pub attributes: usize,
    /// Siblings read to find places in the tree, per byte of input.
    pub siblings_per_byte: usize,
    /// Memory of the tree and of the receiver of its tags, in bytes; that of the tree is estimated
    /// from the number of its elements.
    pub memory: usize,
}

impl Default for Budget {
    /// Returns 512 open and 64 formatting elements, 64 elements per tag, 1,000 attributes and 64
    /// siblings per byte, far more than real documents need, and unlimited memory.
    fn default() -> Self {
        Budget {
            open_elements: 512 + 64,
            elements_per_tag: 64,
            attributes: 1000,
            siblings_per_byte: 64,
            memory: usize::MAX,
        }
    }
}

/// The limit that a document exceeds.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
pub enum Overrun {
    /// Elements nest too deeply, or are moved within the tree too much.
    #[error("too deep")]
    TooDeep,
    /// A tag has too many attributes.
    #[error("too many attributes in one tag")]
    TooManyAttributes,
    /// The tree takes too much memory.
    #[error("too large a tree")]
    TooLarge,
}
