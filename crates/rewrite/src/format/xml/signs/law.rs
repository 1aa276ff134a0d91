//! Documents in which names are searched for have the result of those that are read to the end:
//! generated ones, with the names of the table of slots in all spellings.

use std::cell::Cell;

use crate::format::xml::read;
use crate::options::limits::Limits;
use crate::options::{AvailableMemory, OptIn, Options};
use crate::slots::{SLOTS, XML_END, XML_START};

/// Namespaces, those of packages more often than others.
const NAMESPACES: &[&str] = &[
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "http://purl.oclc.org/ooxml/spreadsheetml/main",
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    "http://schemas.openxmlformats.org/package/2006/relationships",
    "http://schemas.openxmlformats.org/officeDocument/2006/extended-properties",
    "urn:schemas-microsoft-com:vml",
    "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
    "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    "http://www.w3.org/1999/xlink",
    "http://www.w3.org/1999/xlink",
    "http://www.w3.org/1999/xhtml",
    "http://www.w3.org/2000/svg",
    "http://www.w3.org/1998/Math/MathML",
    "http://www.w3.org/XML/1998/namespace",
    "http://www.w3.org/2001/XMLSchema-instance",
    "http://www.w3.org/2001/XMLSchema",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "http://www.w3.org/2005/Atom",
    "http://www.sitemaps.org/schemas/sitemap/0.9",
    "http://www.google.com/schemas/sitemap-image/1.1",
    "http://search.yahoo.com/mrss/",
    "https://podcastindex.org/namespace/1.0",
    "http://www.w3.org/ns/SMIL",
    "http://www.idpf.org/2007/ops",
    "http://www.idpf.org/2007/opf",
    "urn:mpeg:dash:schema:mpd:2011",
    "http://www.w3.org/1999/XSL/Transform",
    "http://www.w3.org/2001/XInclude",
    "http://www.opengis.net/kml/2.2",
    "http://www.w3.org/1999/xlin&#107;",
    "&v;",
    "urn:other",
    "urn:other",
    "",
];

const PREFIXES: &[&str] = &["", "", "w", "v", "x", "xlink", "xml", "xmlns", "\u{E9}"];

/// Numbers that look random, the same on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % n as u64).unwrap()
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn name(&mut self, is_attribute: bool) -> String {
        let row = SLOTS[XML_START + self.below(XML_END - XML_START)];
        let name = if is_attribute { row.attribute } else { row.element };
        let others: [&str; 10] =
            ["x", "r", "p", "meta", "script", "style", "img", "href", "src", "fldChar"];
        let local = match name {
            "" => self.of(&others),
            _ if self.below(2) == 0 => self.of(&others),
            name => name,
        };
        match self.of(PREFIXES) {
            "" => local.to_owned(),
            prefix => format!("{prefix}:{local}"),
        }
    }

    fn declaration(&mut self) -> String {
        let (quote, equals) = (self.of(&["'", "\""]), self.of(&["=", " = ", "\n=\t"]));
        let name = match self.of(PREFIXES) {
            "" => "xmlns".to_owned(),
            prefix => format!("xmlns:{prefix}"),
        };
        format!(" {name}{equals}{quote}{}{quote}", self.of(NAMESPACES))
    }

    fn element(&mut self, text: &mut String, depth: usize) {
        let name = match (depth, self.below(4)) {
            (0, 0) => self.of(&["rss", "opml", "urlset", "smil", "topic", "book"]).to_owned(),
            _ => self.name(false),
        };
        text.push_str(&format!("<{name}"));
        for _ in 0..self.below(if depth == 0 { 4 } else { 2 }) {
            text.push_str(&self.declaration());
        }
        for _ in 0..self.below(3) {
            let (name, quote) = (self.name(true), self.of(&["'", "\""]));
            let value =
                self.of(&["http://o/a", "a.png", "", "base", "&amp;", "&v;", "external", "begin"]);
            text.push_str(&format!(" {name}={quote}{value}{quote}"));
        }
        if self.below(5) == 0 {
            return text.push_str("/>");
        }
        text.push('>');
        for _ in 0..self.below(4) {
            match self.below(8) {
                0 => text.push_str("http://o/a"),
                1 => text.push_str(" HYPERLINK \"a\" "),
                2 => text.push_str("<![CDATA[http://o/a]]>"),
                3 => text.push_str("<!-- xmlns:w='urn:other' href=\"\" -->"),
                4 => text.push_str(self.of(&[
                    "&amp;",
                    "&v;",
                    "<?xml-stylesheet href='a'?>",
                    "<?p?>",
                ])),
                _ if depth < 4 => self.element(text, depth + 1),
                _ => text.push(' '),
            }
        }
        text.push_str(&format!("</{name}>"));
    }

    fn document(&mut self) -> String {
        let start = [
            "",
            "",
            "",
            "",
            "<?xml version='1.0'?>\n",
            "<!-- x -->",
            "<?xml-stylesheet href='a'?>",
            "<?xml-stylesheet href?>",
            "<!DOCTYPE r SYSTEM 'r'>",
            "<!DOCTYPE r [<!ENTITY v 'http://www.w3.org/1999/xlink'><!ATTLIST x xml:base CDATA 'b/'>]>",
        ];
        let mut text = self.of(&start).to_owned();
        self.element(&mut text, 0);
        if self.below(20) == 0 {
            text.truncate(
                (0..=self.below(text.len())).rfind(|at| text.is_char_boundary(*at)).unwrap(),
            );
        }
        text
    }
}

fn number(variable: Option<&str>) -> Option<u64> {
    variable?.parse().ok()
}

#[test]
fn documents_without_signs_have_no_references() {
    let n_cases = number(option_env!("RELINK_CASES")).unwrap_or(50_000);
    let mut numbers = Numbers(number(option_env!("RELINK_SEED")).unwrap_or(1808) | 1);
    let mut all = OptIn::default();
    OptIn::NAMES.iter().for_each(|name| assert!(all.enable(name)));
    let (mut n_without, mut n_values) = (0, 0);
    for n in 0..n_cases {
        let opt_in = if n % 4 == 0 { all } else { OptIn::default() };
        let options = Options { opt_in, ..Options::default() };
        let document = numbers.document();
        let memory = AvailableMemory::new(&Limits::default(), document.len());
        let has_sign = Cell::new(true);
        let found = read(&document, &options, memory, |text, root, attributes, options| {
            has_sign.set(super::has_sign(text, root, attributes, options));
            has_sign.get()
        });
        let expected = read(&document, &options, memory, |_, _, _, _| true);
        assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{document}");
        n_without += u64::from(!has_sign.get());
        n_values += u64::from(expected.is_ok_and(|found| !found.values.is_empty()));
    }
    let least = n_cases / 10;
    assert!(n_without > least && n_values > least, "{n_without} {n_values}");
}
