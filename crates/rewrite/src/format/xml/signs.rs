//! The signs of references: names without which no row of the table of slots can apply to a
//! document, by the namespaces that it declares.
//!
//! Invariant: of a document without a sign, which has no document type declaration, nothing is
//! found but what makes it malformed. Names are written without escapes (XML 1.0, section 2.3), so
//! they are searched for in the text. Most members of packages, and most files of programs, have
//! none.

#[cfg(test)]
mod law;

use memchr::memmem;

use super::element::{opt_in, plain_vocabulary, rows_of};
use super::namespaces::vocabulary;
use super::runs::{XmlAttribute, parts};
use crate::options::Options;
use crate::slots::{Slot, Vocabulary};

/// The signs that are searched for one after the other; a document with more is read.
const MOST: usize = 24;

/// Returns true if a document may have a reference, a base, or an embedded document in its
/// elements. `text` begins with its root element, which has this name and these attributes.
pub(super) fn has_sign(
    text: &str,
    root: &str,
    attributes: &[XmlAttribute<'_>],
    options: &Options,
) -> bool {
    let (prefix, local) = parts(root);
    let is_plain = prefix.is_empty() && plain_vocabulary(local).is_some();
    let is_dita = attributes.iter().any(|attribute| attribute.parts().1 == "DITAArchVersion");
    if is_plain || is_dita || !options.extras.is_empty() {
        return true;
    }
    // The prefix `xml` is not declared.
    let mut signs = vec!["xml:base".to_owned(), "<xml:".to_owned()];
    for (prefix, uri) in declarations(text) {
        // A character reference may be in the name of a known namespace.
        if uri.contains('&') {
            return true;
        }
        match vocabulary(uri) {
            Vocabulary::Other | Vocabulary::Foreign => {}
            // These have the many names of HTML, or references that no row names.
            Vocabulary::Html | Vocabulary::Svg | Vocabulary::MathMl | Vocabulary::Smil => {
                match prefix {
                    "" => return true,
                    _ => add(&mut signs, &format!("<{prefix}:")),
                }
            }
            vocabulary => {
                let is_read = |slot: &&Slot| opt_in(slot, options);
                for slot in rows_of(vocabulary).iter().filter(is_read) {
                    let name = [slot.attribute, slot.element];
                    add(&mut signs, name[usize::from(slot.attribute.is_empty())]);
                }
            }
        }
        if signs.len() > MOST {
            return true;
        }
    }
    signs.iter().any(|sign| memmem::find(text.as_bytes(), sign.as_bytes()).is_some())
}

/// Adds a sign, unless a part of it is one.
fn add(signs: &mut Vec<String>, sign: &str) {
    if !signs.iter().any(|other| sign.contains(&**other)) {
        signs.push(sign.to_owned());
    }
}

/// Returns the prefixes and the names of namespaces in what looks like a declaration.
fn declarations(text: &str) -> impl Iterator<Item = (&str, &str)> {
    memmem::find_iter(text.as_bytes(), b"xmlns").filter_map(|at| {
        let rest = &text[at + "xmlns".len()..];
        let (prefix, rest) = match rest.strip_prefix(':') {
            Some(rest) => {
                let end = rest.bytes().position(|byte| b":= \t\r\n".contains(&byte))?;
                rest.split_at(end)
            }
            None => ("", rest),
        };
        let value = rest.trim_ascii_start().strip_prefix('=')?.trim_ascii_start();
        let quote = value.chars().next().filter(|char| matches!(char, '"' | '\''))?;
        Some((prefix, value[1..].split_once(quote)?.0))
    })
}
