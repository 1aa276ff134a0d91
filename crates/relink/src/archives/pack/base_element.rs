//! The `<base>` of the page of a message. Chromium resolves it against the URL of the file of the
//! message and not against that of the page, so a relative one is made absolute.

use basectx::Context;
use rewrite::{BadBase, Extras, Filter, Options, Outcome, Unit, absolutize, references};

use super::{Part, Problem, ProblemKind};

/// The slot of a base.
const BASE: &str = "base[href]";

/// A URL of the file of a message. Policies compare bases with it.
const MESSAGE: &str = "file:///page.mhtml";

/// Makes the bases of the page absolute, the first of `parts`. Returns a problem if one cannot be
/// written so, or if a policy forbids it in a message: then Chromium finds no part by a relative
/// reference.
pub(super) fn make_absolute(parts: &mut [Part], options: &Options) -> Option<Problem> {
    let page = parts.first_mut()?;
    // Few pages have a base.
    let is_start = |at: usize| page.bytes.get(at..at + 4).is_some_and(is_base);
    let at = memchr::memchr2_iter(b'b', b'B', &page.bytes).find(|at| is_start(*at))?;
    let (media, bytes) = (page.media?, &page.bytes);
    let filter = Filter::new(vec![BASE.to_owned()], Vec::new(), &Extras::default()).ok()?;
    let options = options.clone().with_filter(filter);
    let context = Context::retrieval(&page.url, "pack");
    let unit = Unit::new(bytes, media, &context).with_own_url(&*page.url);
    let absolute = absolutize(unit, &options);
    let is_refused = absolute.report.counts.get(Outcome::Unwritable) > 0;
    page.edited = absolute.output;
    let problem = |at, kind| Some(Problem { part: 0, at, reference: None, kind });
    if is_refused || absolute.verify_error.is_some() {
        return problem(at, ProblemKind::Base);
    }
    let in_message = Context::retrieval(MESSAGE, "pack");
    let unit = Unit::new(page.body(), media, &in_message).with_own_url(MESSAGE);
    let bad_bases = references(unit, &options, |_| ()).bad_bases;
    let forbidden = bad_bases.iter().find(|(reason, _)| *reason == BadBase::Forbidden)?;
    problem(forbidden.1, ProblemKind::ForbiddenBase)
}

/// Returns true for the name of a base.
fn is_base(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"base")
}
