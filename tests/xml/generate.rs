//! XML documents with a love for everything that readers get wrong: prefixes of any name, shadowed
//! namespaces, scopes in scopes, entities, sections of CDATA, document types, HTML in texts, old
//! charsets.

/// What a document is written with: SplitMix64, the same on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x1808)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % (n as u64)).unwrap()
    }

    /// True once in so many times.
    pub(crate) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn of<'t, T: ?Sized>(&mut self, list: &[&'t T]) -> &'t T {
        list[self.below(list.len())]
    }
}

pub(crate) const HTML: &str = "http://www.w3.org/1999/xhtml";
pub(crate) const SVG: &str = "http://www.w3.org/2000/svg";
pub(crate) const MATH: &str = "http://www.w3.org/1998/Math/MathML";
pub(crate) const XLINK: &str = "http://www.w3.org/1999/xlink";
pub(crate) const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";
pub(crate) const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
pub(crate) const ATOM: &str = "http://www.w3.org/2005/Atom";
pub(crate) const MEDIA: &str = "http://search.yahoo.com/mrss/";
pub(crate) const CONTENT: &str = "http://purl.org/rss/1.0/modules/content/";
pub(crate) const SITEMAP: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";
pub(crate) const INCLUDE: &str = "http://www.w3.org/2001/XInclude";
pub(crate) const OPF: &str = "http://www.idpf.org/2007/opf";
const NAMESPACES: &[&str] =
    &[HTML, SVG, MATH, XLINK, XSI, RDF, ATOM, MEDIA, CONTENT, SITEMAP, INCLUDE, OPF, "urn:x"];
const PREFIXES: &[&str] = &["a", "b", "h", "svg", "_x", "A.b-c", "\u{E9}", "xlink", "x1"];

/// References in all forms, some of them none.
const REFERENCES: &[&str] = &[
    "x.html",
    "../y",
    "./",
    "",
    "#top",
    "?q=1&r=2",
    "x?a=b&copy=c",
    "//n.example/p",
    "//h.example/p",
    "/abs/./d/../e",
    "http://o.example/z",
    "http://h.example/",
    "http://h.example/a/c?d#e",
    "http://h.example/c/d/",
    "https://h.example/a/c",
    "http:g",
    "mailto:a@b",
    "data:,x",
    "a b",
    " lead",
    "tail ",
    "%41%2e",
    "caf\u{E9}",
    "\u{706F}/\u{8868}",
    "{{t}}",
    "a'b\"c",
    "x<y>z",
    "..\\w\\v",
    ";p",
    "./x:y",
    "a]]",
    "http://[",
    "a,b",
];

const BASES: &[&str] = &[
    "c/",
    "/d/",
    "http://h.example/e/f",
    "http://o.example/g/",
    "//h.example/i/",
    "../",
    "",
    "?z",
    "#f",
    "mailto:x",
    "http://[",
    "{{b}}",
    "\u{E9}/",
    "http://h.example/a/",
];

/// What an element is: its namespace (`rss` has none), its name, the attributes that it may have,
/// and what its text is.
type Element = (&'static str, &'static str, &'static [(&'static str, Text)], Text);

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Text {
    /// No reference: anything.
    Words,
    Reference,
    Candidates,
    Sheet,
    Declarations,
    Html,
    Pairs,
    /// Elements.
    Children,
}

use Text::{Candidates, Children, Declarations, Html, Pairs, Reference, Sheet, Words};

#[rustfmt::skip]
const ELEMENTS: &[Element] = &[
    (HTML, "a", &[("href", Reference), ("title", Words), ("style", Declarations)], Children),
    (HTML, "img", &[("src", Reference), ("srcset", Candidates), ("alt", Words), ("usemap", Reference)], Words),
    (HTML, "style", &[("type", Words)], Sheet),
    (HTML, "q", &[("cite", Reference)], Words),
    (HTML, "iframe", &[("srcdoc", Html)], Words),
    (SVG, "a", &[("href", Reference)], Children),
    (SVG, "use", &[("href", Reference), ("fill", Declarations)], Children),
    (SVG, "style", &[], Sheet),
    (MATH, "mi", &[("href", Reference)], Words),
    (ATOM, "link", &[("href", Reference), ("rel", Words)], Children),
    (ATOM, "icon", &[], Reference),
    (ATOM, "id", &[], Reference),
    (ATOM, "entry", &[], Children),
    (ATOM, "content", &[("type", Words)], Html),
    (MEDIA, "content", &[("url", Reference)], Children),
    (CONTENT, "encoded", &[], Html),
    (SITEMAP, "loc", &[], Reference),
    (INCLUDE, "include", &[("href", Reference)], Children),
    (OPF, "item", &[("href", Reference), ("id", Words)], Children),
    ("", "link", &[("x", Words)], Reference),
    ("", "enclosure", &[("url", Reference), ("type", Words)], Words),
    ("", "description", &[], Html),
    ("", "guid", &[], Reference),
    ("", "item", &[], Children),
    ("urn:x", "link", &[("href", Words)], Words),
    ("urn:x", "p", &[("url", Words)], Children),
];

/// A document in the making.
struct Maker<'r> {
    random: &'r mut Random,
    out: String,
    /// The prefixes that are declared, element by element, and what they mean.
    declared: Vec<(&'static str, &'static str)>,
    /// Entities that can be referred to.
    entities: &'static [&'static str],
    n_elements: usize,
    /// Whether a `<base>` is to come.
    has_base: bool,
}

impl Maker<'_> {
    /// Writes a text so that it is read as it is.
    fn escape(&mut self, text: &str, quote: Option<char>) {
        for char in text.chars() {
            match char {
                '&' => self.out.push_str(self.random.of(&["&amp;", "&#38;", "&#x26;"])),
                '<' => self.out.push_str(self.random.of(&["&lt;", "&#60;", "&#x3C;"])),
                '>' if self.random.once_in(2) || self.out.ends_with(']') => {
                    self.out.push_str("&gt;")
                }
                _ if Some(char) == quote => {
                    let name = if char == '"' { "&quot;" } else { "&apos;" };
                    let number = format!("&#{};", u32::from(char));
                    self.out.push_str(self.random.of(&[name, &number]));
                }
                _ if self.random.once_in(40) && !char.is_whitespace() => {
                    self.out.push_str(&format!("&#x{:x};", u32::from(char)))
                }
                _ => self.out.push(char),
            }
        }
        if !self.entities.is_empty() && self.random.once_in(12) {
            self.out.push_str(self.random.of(self.entities));
        }
    }

    fn value(&mut self, kind: Text) -> String {
        let reference = self.random.of(REFERENCES).to_owned();
        let second = self.random.of(REFERENCES).to_owned();
        let bare: String = second
            .chars()
            .filter(|char| !char.is_whitespace() && !"'\"()\\,".contains(*char))
            .collect();
        match kind {
            Words => self
                .random
                .of(&["", "x.html", "html", "../not", "&<>'\"", "http://h.example/n"])
                .to_owned(),
            Reference => reference,
            Candidates => format!("{bare}x 1x, {}y 2x", bare.replace(':', "")),
            Sheet => format!(
                "@import '{bare}'; a{{b:url({bare});c:url( '{bare}' )}} /* 'c' */ d>e{{f:url(#g)}}"
            ),
            Declarations => format!("fill:url({bare});stroke: url(#s)"),
            Pairs => format!("urn:a {bare}x\n urn:b  y.xsd"),
            Html => {
                let quoted =
                    reference.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
                match self.random.below(4) {
                    0 => format!("<p>text <a href=\"{quoted}\">x &amp; y</a>"),
                    1 => format!("<img src='{}' alt=x>", quoted.replace('\'', "&#39;")),
                    2 => format!("x<base href=\"/base/\"><a title=t href=\"{quoted}\">"),
                    _ => format!("<b>no</b> <a href=\"{bare}\"><a href=\"{quoted}\">"),
                }
            }
            Children => String::new(),
        }
    }

    fn attribute(&mut self, name: &str, value: &str) {
        let quote = if self.random.once_in(3) { '\'' } else { '"' };
        self.out.push_str(self.random.of(&[" ", " ", "\n  ", "\t"]));
        self.out.push_str(name);
        self.out.push_str(self.random.of(&["=", "=", " = "]));
        self.out.push(quote);
        self.escape(value, Some(quote));
        self.out.push(quote);
    }

    /// A prefix that means a namespace here, if there is one.
    fn prefix_of(&self, namespace: &str, may_be_default: bool) -> Option<&'static str> {
        let is_hidden = |idx: usize| {
            let prefix = self.declared[idx].0;
            self.declared[idx + 1..].iter().any(|(later, _)| *later == prefix)
        };
        if namespace.is_empty() {
            let default = self.declared.iter().rev().find(|(prefix, _)| prefix.is_empty());
            return default.is_none_or(|(_, declared)| declared.is_empty()).then_some("");
        }
        (0..self.declared.len())
            .rev()
            .find(|idx| {
                let (prefix, declared) = self.declared[*idx];
                declared == namespace && !is_hidden(*idx) && (may_be_default || !prefix.is_empty())
            })
            .map(|idx| self.declared[idx].0)
    }

    fn element(&mut self, depth: usize) {
        let (namespace, local, attributes, text) = ELEMENTS[self.random.below(ELEMENTS.len())];
        self.named(namespace, local, attributes, text, depth);
    }

    fn named(
        &mut self,
        namespace: &'static str,
        local: &str,
        attributes: &[(&str, Text)],
        text: Text,
        depth: usize,
    ) {
        self.n_elements += 1;
        let n_declared = self.declared.len();
        // Prefixes for nothing hide others.
        if self.random.once_in(6) {
            let namespace = self.random.of(NAMESPACES);
            self.declared.push((self.random.of(PREFIXES), namespace));
        }
        let is_new = self.random.once_in(8) && !namespace.is_empty();
        let prefix = self.prefix_of(namespace, true).filter(|_| !is_new).unwrap_or_else(|| {
            let prefix = self.random.of(PREFIXES);
            let is_taken = self.declared[n_declared..].iter().any(|(taken, _)| *taken == prefix);
            let is_default = namespace.is_empty() || is_taken || self.random.once_in(2);
            let prefix = if is_default { "" } else { prefix };
            self.declared.push((prefix, namespace));
            prefix
        });
        // The namespace of one more attribute.
        let more = self.random.once_in(3).then(|| self.random.of(&[XLINK, XSI, RDF]));
        let more = more.and_then(|namespace| {
            let known = self.prefix_of(namespace, false);
            let new = self.random.of(PREFIXES);
            let is_taken = |new| self.declared[n_declared..].iter().any(|(taken, _)| *taken == new);
            if known.is_none() && (new == prefix || is_taken(new)) {
                return None;
            }
            if known.is_none() {
                self.declared.push((new, namespace));
            }
            Some((known.unwrap_or(new), namespace))
        });
        let declarations = self.declared[n_declared..].to_vec();
        let name = if prefix.is_empty() { local.to_owned() } else { format!("{prefix}:{local}") };
        self.out.push_str(&format!("<{name}"));
        for (prefix, namespace) in declarations {
            let name =
                if prefix.is_empty() { "xmlns".to_owned() } else { format!("xmlns:{prefix}") };
            // Entities do not stand in names of namespaces here.
            let entities = std::mem::take(&mut self.entities);
            self.attribute(&name, namespace);
            self.entities = entities;
        }
        if self.random.once_in(5) {
            let base = self.random.of(BASES);
            self.attribute("xml:base", base);
        }
        if let Some((prefix, namespace)) = more {
            let (local, kind) = match namespace {
                XLINK => ("href", Reference),
                XSI => ("schemaLocation", Pairs),
                _ => ("about", Reference),
            };
            let value = self.value(kind);
            self.attribute(&format!("{prefix}:{local}"), &value);
        }
        for (attribute, kind) in attributes {
            if self.random.once_in(4) {
                continue;
            }
            let mut value = self.value(*kind);
            let entities = self.entities;
            if *attribute == "type" && matches!(local, "content" | "style") {
                let medium =
                    if local == "style" { "text/css" } else { self.random.of(&["html", "text"]) };
                (self.entities, value) = (&[], medium.to_owned());
            }
            self.attribute(attribute, &value);
            self.entities = entities;
        }
        if text == Children && self.random.once_in(6) {
            self.out.push_str(self.random.of(&["/>", " />"]));
        } else {
            self.out.push_str(self.random.of(&[">", ">", "\n>"]));
            self.content(text, depth);
            self.out.push_str(&format!("</{name}{}", self.random.of(&[">", ">", " >"])));
        }
        self.declared.truncate(n_declared);
    }

    fn content(&mut self, text: Text, depth: usize) {
        if text == Children {
            // What is in HTML before the first base has another one: none does here.
            if std::mem::take(&mut self.has_base) {
                if self.random.once_in(2) {
                    self.named(HTML, "q", &[("cite", Reference)], Words, 6);
                }
                self.named(HTML, "base", &[("href", Reference)], Children, 6);
            }
            for _ in 0..self.random.below(4) {
                match self.random.below(10) {
                    0 => self.out.push_str("<!-- <a href='no'/> & -->"),
                    1 => self.out.push_str("<?php echo '<a href=no>' ?>"),
                    2 => self.out.push_str("<![CDATA[<a href='no'>&]]>"),
                    3 => self.escape("some text & more", None),
                    4 => self.out.push('\n'),
                    _ if depth < 6 && self.n_elements < 30 => self.element(depth + 1),
                    _ => self.out.push(' '),
                }
            }
            return;
        }
        let value = self.value(text);
        match self.random.below(12) {
            0..3 if !value.contains("]]>") => {
                let around = self.random.of(&["", "", "\n "]);
                self.out.push_str(&format!("{around}<![CDATA[{value}]]>{around}"));
            }
            3 => {
                // In pieces: it must be left.
                let at =
                    value.char_indices().nth(value.chars().count() / 2).map_or(0, |(at, _)| at);
                self.escape(&value[..at], None);
                self.out.push_str(self.random.of(&["<!-- c -->", "<?p?>"]));
                self.escape(&value[at..], None);
            }
            4 => {
                self.out.push_str("<!-- c -->\n");
                self.escape(&value, None);
            }
            5 => self.escape(&format!(" {value}\n"), None),
            _ => self.escape(&value, None),
        }
    }
}

/// A charset that documents come in.
pub(crate) const CHARSETS: &[&str] =
    &["utf-8", "utf-8", "utf-8", "utf-8", "utf-16le", "utf-16be", "iso-8859-1", "shift_jis"];

/// A document, and its charset.
pub(crate) fn document(random: &mut Random) -> (String, &'static str) {
    let charset = CHARSETS[random.below(CHARSETS.len())];
    let mut maker = Maker {
        random,
        out: String::new(),
        declared: Vec::new(),
        entities: &[],
        n_elements: 0,
        has_base: false,
    };
    let is_declared = charset != "utf-8" || maker.random.once_in(2);
    if is_declared {
        let name = if charset.starts_with("utf-16") { "UTF-16" } else { charset };
        maker.out.push_str(&format!("<?xml version='1.0' encoding=\"{name}\"?>\n"));
    }
    if maker.random.once_in(4) {
        let reference = maker.random.of(&["s.css", "/s.css", "#s", "http://h.example/s.css"]);
        maker.out.push_str(&format!("<?xml-stylesheet type='text/css' href=\"{reference}\"?>"));
    }
    if maker.random.once_in(4) {
        maker.entities = &["&e;", "&f;"];
        maker.out.push_str("<!DOCTYPE rss SYSTEM 'rss.dtd' [\n<!ENTITY e 'ENTITY'><!ENTITY f \"/a 'ENTITY>\"><!-- ]> --><?p ]>?>\n<!ENTITY g SYSTEM '../g.xml'><!ATTLIST rss v CDATA \"]\">] >\n");
    }
    if maker.random.once_in(5) {
        maker.out.push_str("<!-- before -->");
    }
    match maker.random.below(3) {
        0 => maker.named("", "rss", &[("version", Words)], Children, 0),
        1 => {
            maker.has_base = maker.random.once_in(3);
            maker.named(HTML, "html", &[("lang", Words)], Children, 0);
        }
        _ => maker.element(0),
    }
    if maker.random.once_in(5) {
        maker.out.push_str("\n<!-- after --><?x y?>\n");
    }
    let out = maker.out;
    let text = match charset {
        "iso-8859-1" => {
            out.chars().map(|char| if u32::from(char) < 256 { char } else { '\u{FC}' }).collect()
        }
        "shift_jis" => out.replace('\u{E9}', "\u{8A9E}").replace('\u{706F}', "\u{80FD}"),
        _ => out,
    };
    (text, charset)
}

/// The bytes of a document.
pub(crate) fn encoded(text: &str, charset: &str) -> Vec<u8> {
    match charset {
        "utf-16le" => {
            [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
        }
        "utf-16be" => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        _ => {
            let encoding = encoding_rs::Encoding::for_label(charset.as_bytes()).unwrap();
            let (bytes, _, is_lossy) = encoding.encode(text);
            assert!(!is_lossy, "{charset}: {text}");
            bytes.into_owned()
        }
    }
}

/// The text of a document in a charset.
pub(crate) fn decoded(bytes: &[u8], charset: &str) -> String {
    let encoding = encoding_rs::Encoding::for_label(charset.as_bytes()).unwrap();
    encoding.decode(bytes).0.into_owned()
}
