//! Lists of all references of a document, by both engines, which must agree.

use basectx::{BaseSource, Context};
use layers::Span;
use relink_rewrite::{
    Engine, Extras, Kind, Media, Options, Relative, Report, Rewritten, SkipReason, SkipScope,
    Skipped, Unit, absolutize, references, relativize,
};
use urlcore::resolve_without_base;

/// The URL of all documents here, unless another is given.
pub(crate) const URL: &str = "http://h/d/p";

/// The properties of one reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) slot: String,
    pub(crate) kind: Kind,
    pub(crate) text: String,
    /// The span in the file.
    pub(crate) span: Span,
    pub(crate) base: Option<String>,
    pub(crate) source: BaseSource,
    pub(crate) target: Option<String>,
    /// The documents around it, from the outermost inward.
    pub(crate) embedded: Vec<String>,
}

impl std::fmt::Display for Reference {
    /// `a[href] url ../x -> http://h/x`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {} -> ", self.slot, self.kind, self.text)?;
        f.write_str(self.target.as_deref().unwrap_or("none"))
    }
}

/// Returns a document of this media type at [`URL`].
pub(crate) fn unit<'u>(bytes: &'u [u8], media: Media, context: &'u Context<'u>) -> Unit<'u> {
    Unit::new(bytes, media, context)
}

pub(crate) fn at_url() -> Context<'static> {
    Context::retrieval(URL.parse().unwrap(), "test")
}

/// Returns options that enable these features.
pub(crate) fn enabling(names: &[&str]) -> Options {
    let mut options = Options::default();
    assert!(names.iter().all(|name| options.opt_in.enable(name)), "{names:?}");
    options
}

/// Makes a document relative to the files of its site with both engines, verified by the reference
/// engine too.
#[track_caller]
pub(crate) fn make_relative(unit: Unit<'_>, options: &Options, relative: &Relative) -> Rewritten {
    let verify = relink_rewrite::Verify::Full;
    let by = |engine| {
        relativize(unit, &options.clone().with_engine(engine).with_verify(verify), relative)
    };
    let rewritten = by(Engine::Auto);
    assert_eq!(rewritten.verify_error(), None, "{:?}", String::from_utf8_lossy(unit.bytes));
    assert_eq!(rewritten.output(), by(Engine::Reference).output(), "the engines differ");
    rewritten
}

/// Returns options with these attributes named by the user.
pub(crate) fn opt_in(attributes: &[&str]) -> Options {
    let mut extras = Extras::default();
    attributes.iter().for_each(|attribute| extras.add(attribute));
    Options::default().with_extras(extras)
}

fn list_by(unit: Unit<'_>, options: &Options, engine: Engine) -> (Vec<Reference>, Report) {
    let options = options.clone().with_engine(engine);
    let mut list = Vec::new();
    let report = references(unit, &options, |site| {
        let name = |slot| options.extras.name_of(slot).to_owned();
        let mut target = String::new();
        let resolved = match site.resolver {
            Some(resolver) => resolver.resolve_into(site.text, &mut target).is_ok(),
            None => resolve_without_base(site.text, options.dialect, &mut target).is_ok(),
        };
        list.push(Reference {
            slot: name(site.slot),
            kind: site.kind,
            text: site.text.to_owned(),
            span: site.frame.raw(site.span),
            base: site.context.base().map(str::to_owned),
            source: site.context.base_source(),
            target: (resolved && site.kind.has_target()).then_some(target),
            embedded: site.frame.embedded().into_iter().map(|(slot, _)| name(slot)).collect(),
        });
        assert_eq!(site.id + 1, list.len(), "references are numbered in order");
    });
    (list, report)
}

/// Returns the references of a unit, and the report on it.
#[track_caller]
pub(crate) fn list(unit: Unit<'_>, options: &Options) -> (Vec<Reference>, Report) {
    let (list, report) = list_by(unit, options, options.engine);
    if options.engine == Engine::Auto {
        let (expected, by_reference) = list_by(unit, options, Engine::Reference);
        // Only the reference engine has a limit on open elements.
        let is_too_deep = |skipped: &Skipped| {
            matches!(skipped.reason, SkipReason::Limit(_)) && skipped.extent == SkipScope::Unit
        };
        if !by_reference.skipped.iter().any(is_too_deep) {
            let shown = String::from_utf8_lossy(unit.bytes);
            assert_eq!(list, expected, "the engines differ: {shown:?}");
            assert_eq!(report.skipped, by_reference.skipped, "the engines differ: {shown:?}");
        }
    }
    (list, report)
}

/// Returns the references of an HTML document at [`URL`].
#[track_caller]
pub(crate) fn html(document: impl AsRef<[u8]>) -> Vec<Reference> {
    let (list, report) = list(unit(document.as_ref(), Media::HTML, &at_url()), &Options::default());
    assert_eq!(report.skipped, [], "it was left");
    list
}

/// Returns the references of a style sheet at [`URL`].
#[track_caller]
pub(crate) fn css(sheet: impl AsRef<[u8]>) -> Vec<Reference> {
    let (list, report) = list(unit(sheet.as_ref(), Media::CSS, &at_url()), &Options::default());
    assert_eq!(report.skipped, [], "it was left");
    list
}

/// Returns the references of an XML document at [`URL`].
#[track_caller]
pub(crate) fn xml(document: impl AsRef<[u8]>) -> Vec<Reference> {
    let (list, report) = list(unit(document.as_ref(), Media::XML, &at_url()), &Options::default());
    assert_eq!(report.skipped, [], "it was left");
    list
}

/// Returns the skipped parts of a document.
#[track_caller]
pub(crate) fn skipped(document: &[u8], options: &Options) -> Vec<Skipped> {
    list(unit(document, Media::HTML, &at_url()), options).1.skipped
}

/// Makes a document absolute with both engines, verified by the reference engine too.
#[track_caller]
pub(crate) fn make_absolute(unit: Unit<'_>, options: &Options) -> Rewritten {
    let verify = relink_rewrite::Verify::Full;
    let by = |engine| absolutize(unit, &options.clone().with_engine(engine).with_verify(verify));
    let rewritten = by(Engine::Auto);
    assert_eq!(rewritten.verify_error(), None, "{:?}", String::from_utf8_lossy(unit.bytes));
    assert_eq!(rewritten.output(), by(Engine::Reference).output(), "the engines differ");
    rewritten
}

/// Returns each reference as one line.
pub(crate) fn shown(list: &[Reference]) -> Vec<String> {
    list.iter().map(Reference::to_string).collect()
}
