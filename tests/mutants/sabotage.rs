//! What a broken rewriter would do: the edits of an honest one, spoilt in one place.

use layers::{Edit, Span};

/// A small generator of numbers (Marsaglia, "Xorshift RNGs", 2003).
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % n.max(1) as u64).unwrap()
    }
}

/// What is forgotten to be escaped, or breaks a charset.
const SPECIALS: &[(&str, &[u8])] = &[
    ("quote", b"\""),
    ("apostrophe", b"'"),
    ("space", b" "),
    ("tab", b"\t"),
    ("parenthesis", b")"),
    ("comma", b", "),
    ("line end", b"\n"),
    ("line ends", b"\r\n\r\n"),
    ("backslash", b"\\"),
    ("ampersand", b"&amp"),
    ("bare ampersand", b"&"),
    ("less than", b"<"),
    ("greater than", b">"),
    ("equals sign", b"=3D"),
    ("bare equals sign", b"="),
    ("number sign", b"#"),
    ("question mark", b"?"),
    ("percent sign", b"%"),
    ("dot segment", b"/../"),
    ("byte FF", b"\xFF"),
    ("byte 80", b"\x80"),
    ("half a character", b"\xC3"),
    ("NUL", b"\0"),
    ("mark of a template", b"{{"),
];

/// What opens a reference where there was none.
const SMUGGLED: &[(&str, &[u8])] = &[
    ("a tag", b"<a href=x>"),
    ("a tag after a quote", b"\"><a href=\"x"),
    ("a base", b"<base href=\"http://evil.example/\">"),
    ("an element of XML", b"<image xlink:href='x'/>"),
    ("url()", b"url(x)"),
    ("an import", b"@import 'x';"),
    ("a link of Markdown", b"[x](y)"),
    ("a URL", b" http://x.example/ "),
    ("a field", b"\r\nContent-Base: http://evil.example/\r\n"),
    ("a member", b"\",\"url\":\"x"),
];

/// The edits spoilt, each time in one way, which is named. `references` are the raw spans of the
/// references of the input.
pub(crate) fn spoilt(
    input: &[u8],
    edits: &[Edit],
    references: &[Span],
    numbers: &mut Numbers,
) -> Vec<(&'static str, Vec<Edit>)> {
    let mut all = Vec::new();
    if !edits.is_empty() {
        for _ in 0..2 {
            edit(input, edits, numbers.below(edits.len()), numbers, &mut all);
        }
        // All edits but the first, where a base often is, and that alone.
        all.push(("the first kept", edits[1..].to_vec()));
        all.push(("the rest kept", edits[..1].to_vec()));
        all.push(("all kept", Vec::new()));
    }
    outside(input, edits, references, numbers, &mut all);
    inside(input, edits, references, numbers, &mut all);
    all
}

type All = Vec<(&'static str, Vec<Edit>)>;

/// One edit is another.
fn edit(input: &[u8], edits: &[Edit], idx: usize, numbers: &mut Numbers, all: &mut All) {
    let old = &edits[idx];
    let with = |edit: Edit| {
        let mut edits = edits.to_vec();
        edits[idx] = edit;
        edits
    };
    let Span { start, end } = old.span;
    let spans = [
        ("span a byte to the left", start.wrapping_sub(1), end.wrapping_sub(1)),
        ("span a byte to the right", start + 1, end + 1),
        ("span longer to the left", start.wrapping_sub(1), end),
        ("span longer to the right", start, end + 1),
        ("span shorter from the left", start + 1, end),
        ("span shorter from the right", start, end.wrapping_sub(1)),
    ];
    for (kind, start, end) in spans {
        if start <= end && end <= input.len() {
            all.push((kind, with(Edit { span: Span::new(start, end), ..old.clone() })));
        }
    }
    let text = |text: Vec<u8>| with(Edit { text: text.into(), ..old.clone() });
    let at = numbers.below(old.text.len() + 1);
    for (kind, special) in SPECIALS.iter().chain(SMUGGLED) {
        let mut new = old.text.to_vec();
        new.splice(at..at, special.iter().copied());
        all.push((kind, text(new)));
    }
    for (kind, written, meant) in [
        ("&amp; not escaped", &b"&amp;"[..], &b"&"[..]),
        ("quote not escaped", b"&quot;", b"\""),
        ("=3D not escaped", b"=3D", b"="),
        ("escaped twice", b"&amp;", b"&amp;amp;"),
    ] {
        if let Some(at) = old.text.windows(written.len()).position(|part| part == written) {
            let mut new = old.text.to_vec();
            new.splice(at..at + written.len(), meant.iter().copied());
            all.push((kind, text(new)));
        }
    }
    all.push(("empty", text(Vec::new())));
    all.push(("twice as much", text([&*old.text, &*old.text].concat())));
    if !old.text.is_empty() {
        let at = numbers.below(old.text.len());
        let one = |byte: u8| {
            let mut new = old.text.to_vec();
            new[at] = byte;
            new
        };
        let byte = old.text[at];
        all.push(("another byte", text(one(if byte == b'y' { b'z' } else { b'y' }))));
        all.push(("another letter case", text(one(byte ^ 0x20))));
        let mut cut = old.text.to_vec();
        cut.remove(at);
        all.push(("a byte lost", text(cut)));
        // Of base64 that is a group of three bytes.
        all.push(("a group lost", text(old.text[..old.text.len().saturating_sub(4)].to_vec())));
    }
    let mut dropped = edits.to_vec();
    dropped.remove(idx);
    all.push(("dropped", dropped));
    let mut doubled = edits.to_vec();
    doubled.insert(idx, Edit { span: Span::new(start, start), ..old.clone() });
    all.push(("doubled", doubled));
    if idx + 1 < edits.len() {
        let mut swapped = edits.to_vec();
        (swapped[idx].text, swapped[idx + 1].text) =
            (edits[idx + 1].text.clone(), edits[idx].text.clone());
        all.push(("swapped", swapped));
    }
}

/// The edits and one more.
fn added(edits: &[Edit], span: Span, text: &[u8]) -> Vec<Edit> {
    let mut edits = edits.to_vec();
    let at = edits.partition_point(|edit| edit.span.start < span.start);
    edits.insert(at, Edit { span, text: text.into(), id: 0 });
    edits
}

/// A byte outside of all references is another, or new ones come.
fn outside(
    input: &[u8],
    edits: &[Edit],
    references: &[Span],
    numbers: &mut Numbers,
    all: &mut All,
) {
    let is_in = |span: &Span, at: usize| span.start <= at && at < span.end;
    let is_outside = |at: usize| {
        !references.iter().any(|span| is_in(span, at))
            && !edits.iter().any(|edit| is_in(&edit.span, at))
    };
    let first = numbers.below(input.len());
    let Some(at) = (first..input.len()).chain(0..first).find(|at| is_outside(*at)) else { return };
    let here = Span::new(at, at + 1);
    let other = if input[at] == b'y' { b"z" } else { b"y" };
    all.push(("outside: another byte", added(edits, here, other)));
    all.push(("outside: another letter case", added(edits, here, &[input[at] ^ 0x20])));
    all.push(("outside: a byte lost", added(edits, here, b"")));
    all.push(("outside: a space", added(edits, Span::new(at, at), b" ")));
    for (_, text) in SMUGGLED {
        all.push(("outside: a reference", added(edits, Span::new(at, at), text)));
    }
}

/// A reference, edited or not, loses or gains something.
fn inside(input: &[u8], edits: &[Edit], references: &[Span], numbers: &mut Numbers, all: &mut All) {
    let is_free = |span: &&Span| {
        !span.is_empty()
            && !edits.iter().any(|edit| span.start < edit.span.end && edit.span.start < span.end)
    };
    let free: Vec<Span> = references.iter().filter(is_free).copied().collect();
    if free.is_empty() {
        return;
    }
    let span = free[numbers.below(free.len())];
    let text = span.slice(input);
    for (kind, mark) in [("fragment lost", b'#'), ("query lost", b'?')] {
        if let Some(at) = text.iter().position(|byte| *byte == mark) {
            all.push((kind, added(edits, Span::new(span.start + at, span.end), b"")));
        }
    }
    let at = span.start + numbers.below(span.len());
    let one = Span::new(at, at + 1);
    all.push(("reference: another letter case", added(edits, one, &[input[at] ^ 0x20])));
    all.push(("reference: a byte lost", added(edits, one, b"")));
    let other = if input[at] == b'y' { b"z" } else { b"y" };
    all.push(("reference: another byte", added(edits, one, other)));
    all.push(("reference: a fragment", added(edits, Span::new(span.end, span.end), b"#y")));
    // What leads out of the document's directory, or to another host, before and after a base is
    // changed.
    all.push(("reference: another base", added(edits, Span::new(span.start, span.start), b"../")));
}
