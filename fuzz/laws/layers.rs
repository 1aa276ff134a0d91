//! Layers of any bytes, and any edits of what they decode to: decoding the bytes with the lifted
//! edits made gives the text with the edits made, what is written may stand there, and what is
//! refused leaves nothing behind.

#[path = "../../crates/layers/tests/all/generate/legal.rs"]
mod legal;
#[path = "../../crates/layers/tests/all/generate/text.rs"]
mod text;

use layers::field::Blanks;
use layers::{Charset, Edit, Edits, Guards, Layer, Lifted, Quote, Span, js};

use super::transfer;

/// Layers beside those of the property tests.
const MORE: [Layer; 4] = [
    Layer::Attribute(Quote::Missing),
    Layer::Attribute(Quote::NameOnly),
    Layer::Field(Blanks::Kept),
    Layer::Field(Blanks::Dropped),
];

/// The first byte says which layer, the second in which charset or between which lines, the next
/// say edits, and the rest is raw.
pub(crate) fn check(input: &[u8]) {
    let [which, around, rest @ ..] = input else { return };
    let (marks, raw) = marks(rest);
    let which = usize::from(*which) % (legal::LAYERS.len() + MORE.len() + transfer::LAWS.len());
    match legal::LAYERS.iter().chain(&MORE).nth(which) {
        Some(layer) => commute(*layer, *around, &marks, raw),
        None => {
            let law = transfer::LAWS[which - legal::LAYERS.len() - MORE.len()];
            law(*around, &marks, raw);
        }
    }
}

/// An edit as a fuzzer says it: how far it is from the end of the one before, how much it replaces,
/// and by what.
pub(super) type Mark<'a> = (usize, usize, &'a [u8]);

/// At most three edits of at most 15 bytes, each after a byte for how far, one for how much, and
/// one for its own length.
fn marks(mut input: &[u8]) -> (Vec<Mark<'_>>, &[u8]) {
    let mut marks = Vec::new();
    while let [distance, replaced, length @ 1..=16, rest @ ..] = input
        && marks.len() < 3
    {
        let Some((text, rest)) = rest.split_at_checked(usize::from(*length) - 1) else { break };
        marks.push((usize::from(*distance), usize::from(*replaced), text));
        input = rest;
    }
    (marks, input)
}

/// The edits of some decoded bytes, on borders where something may begin.
pub(super) fn edits(
    marks: &[Mark<'_>],
    len: usize,
    is_border: impl Fn(usize) -> bool,
) -> Vec<Edit> {
    let border = |at: usize| (at.min(len)..len).find(|at| is_border(*at)).unwrap_or(len);
    let (mut edits, mut at) = (Vec::new(), 0);
    for (id, (distance, replaced, text)) in marks.iter().enumerate() {
        let start = border(at + distance);
        at = border(start + replaced);
        edits.push(Edit { span: Span::new(start, at), text: (*text).into(), id });
    }
    edits
}

/// The bytes with the lifted edits made, and the decoded ones with the edits made that are not
/// refused.
pub(super) fn made(
    raw: &[u8],
    decoded: &[u8],
    edits: Vec<Edit>,
    lifted: Lifted,
) -> (Vec<u8>, Vec<u8>) {
    let is_refused = |edit: &Edit| lifted.refused.iter().any(|(id, _)| *id == edit.id);
    let kept = edits.into_iter().filter(|edit| !is_refused(edit)).collect();
    let expected = Edits::new(kept, decoded.len()).expect("in order").apply(decoded);
    let list = Edits::new(lifted.edits.clone(), raw.len()).expect("lifted in order");
    assert!(!list.as_slice().iter().any(is_refused), "refused and done");
    let output = list.apply(raw);
    assert!(list.explain(raw, &output));
    (output, expected)
}

/// The charset that a byte says, of those in which a layer may stand.
fn charset(layer: Layer, around: u8) -> Charset {
    let named = match layer {
        Layer::Text => {
            let labels = [&legal::LABELS[..], &legal::WHOLE_LABELS[..]].concat();
            Charset::for_mail_label(labels[usize::from(around) % labels.len()].as_bytes())
        }
        Layer::Attribute(_) | Layer::Content => {
            let label = legal::LABELS[usize::from(around) % legal::LABELS.len()];
            Charset::for_label(label.as_bytes())
        }
        _ => None,
    };
    named.unwrap_or(Charset::UTF_8)
}

fn is_without_value(layer: Layer) -> bool {
    matches!(layer, Layer::Attribute(Quote::Missing | Quote::NameOnly))
}

fn commute(layer: Layer, around: u8, marks: &[Mark<'_>], raw: &[u8]) {
    let is_of_bytes =
        matches!(layer, Layer::Text | Layer::Attribute(_) | Layer::Content | Layer::Field(_));
    let is_text = marks.iter().all(|(_, _, text)| std::str::from_utf8(text).is_ok());
    let is_readable = match (layer, std::str::from_utf8(raw)) {
        // Strings with other escapes are left, as modules have none of them.
        (Layer::JsString(_), Ok(raw)) => js::is_well_formed(raw),
        (_, read) => is_of_bytes || read.is_ok(),
    };
    if !is_text || !is_readable || !legal::is_legal(layer, raw) {
        return;
    }
    let charset = charset(layer, around);
    let decoded = layer.decode(raw, charset);
    // What has no value has one place.
    let n_places = if is_without_value(layer) { 1 } else { marks.len() };
    let marks = &marks[..n_places.min(marks.len())];
    let edits = edits(marks, decoded.text.len(), |at| decoded.text.is_char_boundary(at));
    let lifted = layer.lift(raw, charset, &decoded, &edits, Guards::default());
    if edits.is_empty() {
        assert!(lifted.edits.is_empty() && lifted.refused.is_empty());
    }
    for edit in &lifted.edits {
        assert!(edit.span.is_empty() || edit.span.slice(raw) != &*edit.text, "an edit of nothing");
    }
    let (output, expected) = made(raw, decoded.text.as_bytes(), edits, lifted);
    let expected = String::from_utf8(expected).expect("edits are on borders of characters");
    let read = match layer {
        // What was no value is one now: within its quotes it is read as any other.
        _ if is_without_value(layer) && !output.is_empty() => {
            let quoted = output.strip_prefix(b"=").unwrap_or(&output);
            let [quote @ (b'"' | b'\''), value @ .., end] = quoted else { panic!("no quotes") };
            assert!(quote == end && !value.contains(quote), "it ends early");
            Some(Layer::Attribute(Quote::Double).decode(value, charset).text.into_owned())
        }
        _ => legal::read(layer, charset, &output),
    };
    assert_eq!(read, Some(expected), "{layer:?} {} {}", charset.name(), output.escape_ascii());
}
