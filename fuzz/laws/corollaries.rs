//! The corollaries of the law for one command on one unit.

use rewrite::{Options, Rewritten, SkipReason, Unit, Verify, references};

/// A command with all its options.
pub(crate) type Command<'c> = &'c dyn Fn(&[u8], Verify) -> Rewritten;

/// Where the references of a unit lead, in order; but a `<base>`, which may be emptied.
pub(crate) fn targets(unit: Unit<'_>, options: &Options) -> Vec<Option<String>> {
    let mut targets = Vec::new();
    references(unit, options, |site| {
        let mut target = String::new();
        let is_found = site.kind.has_target()
            && options.extras.name_of(site.slot) != "base[href]"
            && site.resolver.is_some_and(|base| base.resolve_into(site.text, &mut target).is_ok());
        // Hosts are compared without letter case where a tree begins, and the tree's is written.
        if let Some(from) = target.find("//").map(|at| at + 2) {
            let end = target[from..].find('/').map_or(target.len(), |at| from + at);
            target[..end].make_ascii_lowercase();
        }
        targets.push(is_found.then_some(target));
    });
    targets
}

/// Identity and locality: without edits there is no output, and the edits applied without the
/// program are the output.
#[track_caller]
pub(crate) fn edits_are_all(bytes: &[u8], rewritten: &Rewritten) {
    let Some(output) = rewritten.output() else {
        assert!(rewritten.edits.is_empty(), "edits that were not made");
        return;
    };
    assert!(!rewritten.edits.is_empty() && output != bytes, "an output that is the input");
    let (mut made, mut at) = (Vec::with_capacity(output.len()), 0);
    for edit in rewritten.edits.as_slice() {
        assert!(at <= edit.span.start, "edits are sorted and disjoint");
        made.extend_from_slice(&bytes[at..edit.span.start]);
        made.extend_from_slice(&edit.text);
        at = edit.span.end;
    }
    made.extend_from_slice(&bytes[at..]);
    assert!(made == *output, "bytes outside of the edits have changed");
}

/// Whether something was left because it is too much. It may be less after it was written again.
pub(crate) fn is_overrun(rewritten: &Rewritten) -> bool {
    rewritten.report.skipped.iter().any(|skipped| matches!(skipped.reason, SkipReason::Limit(_)))
}

/// Proof, identity, locality, the law and idempotence. Returns what the command makes of the bytes.
#[track_caller]
pub(crate) fn hold(
    bytes: &[u8],
    targets: &dyn Fn(&[u8]) -> Vec<Option<String>>,
    command: Command<'_>,
) -> Vec<u8> {
    let first = command(bytes, Verify::Fast);
    assert!(first.verify_error().is_none(), "{:?}", first.verify_error());
    edits_are_all(bytes, &first);
    let shown = |bytes: &[u8]| bytes.escape_ascii().to_string();
    let unproved = command(bytes, Verify::None);
    let outputs = [&first, &unproved].map(|made| made.output().map(shown));
    assert_eq!(
        outputs[0],
        outputs[1],
        "only the proof saw what is wrong: {:?}",
        unproved.verify_error()
    );
    let is_overrun = is_overrun(&first);
    let Some(output) = first.into_output() else { return bytes.to_vec() };
    if !is_overrun {
        assert_eq!(targets(&output), targets(bytes), "a reference leads elsewhere");
        let second = command(&output, Verify::Fast).into_output();
        assert_eq!(second.as_deref().map(shown), None, "a second run of {:?}", shown(&output));
    }
    output
}
