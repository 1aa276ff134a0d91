//! MPEG-DASH: bases of levels, alternatives, templates.

use basectx::Context;
use relink_rewrite::{
    Extras, Filter, Media, Move, NewPlace, Options, Outcome, PrefixMap, SkipReason, TargetMap,
    Unit, relocate,
};

use super::{URL, absolute, check, convert, count, options};

const MPD: &str = "application/dash+xml";

fn presentation(content: &str) -> String {
    format!("<?xml version='1.0'?>\n<MPD xmlns='urn:mpeg:dash:schema:mpd:2011'>{content}</MPD>")
}

#[track_caller]
fn references(content: &str, expected: &[&str]) {
    check(MPD, &[], &presentation(content), expected);
}

#[test]
fn places() {
    references(
        "<ProgramInformation moreInformationURL='i.html'/><Location>l.mpd</Location>\
         <PatchLocation ttl='6'>p.mpp</PatchLocation><Period xmlns:xl='http://www.w3.org/1999/xlink' \
         xl:href='../period.xml'><AdaptationSet><SegmentTemplate media='$RepresentationID$/$Number%05d$.m4s' \
         initialization=\"$RepresentationID$/i&amp;.mp4\" index='x.sidx' bitstreamSwitching='b'/>\
         <Representation><SegmentList><Initialization sourceURL='init.mp4'/>\
         <SegmentURL media='1.m4s' index='1.sidx' mediaRange='0-9'/></SegmentList></Representation>\
         <Representation><SegmentBase><RepresentationIndex sourceURL='r.sidx'/></SegmentBase>\
         </Representation></AdaptationSet></Period>\
         <UTCTiming schemeIdUri='urn:mpeg:dash:utc:http-iso:2014' value='t1 /t2'/>\
         <UTCTiming schemeIdUri='urn:mpeg:dash:utc:direct:2014' value='2026-01-01'/>",
        &[
            "dash ProgramInformation[moreInformationURL] i.html",
            "dash Location l.mpd",
            "dash PatchLocation p.mpp",
            "*[xlink:href] ../period.xml",
            "dash SegmentTemplate[media] $RepresentationID$/$Number%05d$.m4s",
            "dash SegmentTemplate[initialization] $RepresentationID$/i&.mp4",
            "dash SegmentTemplate[index] x.sidx",
            "dash SegmentTemplate[bitstreamSwitching] b",
            "dash *[sourceURL] init.mp4",
            "dash SegmentURL[media] 1.m4s",
            "dash SegmentURL[index] 1.sidx",
            "dash *[sourceURL] r.sidx",
            "dash UTCTiming[value] t1",
            "dash UTCTiming[value] /t2",
        ],
    );
}

#[test]
fn a_base_is_that_of_the_element_around_it() {
    let content = "<BaseURL>a/</BaseURL><Location>l.mpd</Location><Period><BaseURL> ../b/ </BaseURL>\
        <AdaptationSet><SegmentTemplate media='x$Number$.m4s'/><Representation><BaseURL>c.mp4</BaseURL>\
        <SegmentBase><Initialization sourceURL='#i'/></SegmentBase></Representation></AdaptationSet>\
        </Period><Period><SegmentTemplate media='y'/></Period>\
        <UTCTiming schemeIdUri='urn:mpeg:dash:utc:http-head:2014' value='t'/>";
    references(
        content,
        &[
            "dash BaseURL a/",
            "dash Location l.mpd",
            "dash BaseURL ../b/",
            "dash SegmentTemplate[media] x$Number$.m4s",
            "dash BaseURL c.mp4",
            "dash *[sourceURL] #i",
            "dash SegmentTemplate[media] y",
            "dash UTCTiming[value] t",
        ],
    );
    let expected = presentation(content)
        .replace(">a/<", ">http://h/d/a/<")
        .replace("l.mpd", "http://h/d/l.mpd")
        .replace(" ../b/ ", " http://h/d/b/ ")
        .replace("'x$", "'http://h/d/b/x$")
        .replace(">c.mp4", ">http://h/d/b/c.mp4")
        .replace("'#i'", "'http://h/d/b/c.mp4#i'")
        .replace("'y'", "'http://h/d/a/y'")
        .replace("'t'", "'http://h/d/a/t'");
    assert_eq!(absolute(MPD, &[], &presentation(content)), expected);
}

#[test]
fn references_under_alternatives_stay() {
    let content = "<BaseURL>http://h/d/a/</BaseURL><BaseURL serviceLocation='b'>http://o/</BaseURL>\
        <Period><SegmentTemplate media='x' index='http://h/d/i'/></Period>\
        <Period><BaseURL>y/</BaseURL><SegmentTemplate media='z'/></Period>\
        <Period><BaseURL>http://h/d/q/</BaseURL><SegmentTemplate media='w'/></Period>";
    references(
        content,
        &[
            "dash BaseURL http://h/d/a/",
            "dash BaseURL http://o/",
            "dash SegmentTemplate[media] x",
            "dash SegmentTemplate[index] http://h/d/i",
            "dash BaseURL y/",
            "dash SegmentTemplate[media] z",
            "dash BaseURL http://h/d/q/",
            "dash SegmentTemplate[media] w",
        ],
    );
    let document = presentation(content);
    assert_eq!(absolute(MPD, &[], &document), document.replace("'w'", "'http://h/d/q/w'"));
    count(MPD, &[], &document, Outcome::Ambiguous, 3);
}

#[test]
fn nothing_comes_to_depend_on_alternatives() {
    let content = "<BaseURL>http://h/d/a/</BaseURL><BaseURL>http://o/</BaseURL><Period>\
        <SegmentTemplate media='http://h/d/a/x'/></Period>\
        <UTCTiming schemeIdUri='urn:mpeg:dash:utc:http-iso:2014' value='http://h/d/t u'/>";
    let document = presentation(content);
    let rewritten = convert(document.as_bytes(), Media::XML, &options(&[]), true);
    assert_eq!(rewritten.verify_error(), None);
    let output = rewritten.into_output().map(|bytes| String::from_utf8(bytes).expect("UTF-8"));
    let expected = document.replacen("http://h/d/a/<", "a/<", 1);
    assert_eq!(output.as_deref(), Some(&*expected));
    assert_eq!(absolute(MPD, &[], &document), document);
    // A base below them stays as well, and so does every other. It is absolute, and so has no
    // alternatives: what depends on it becomes relative to it.
    let below = "<Period><BaseURL>http://h/d/a/b/</BaseURL>";
    let document = document.replace("<Period>", below);
    let rewritten = convert(document.as_bytes(), Media::XML, &options(&[]), true);
    assert_eq!(rewritten.verify_error(), None);
    let output = rewritten.into_output().map(|bytes| String::from_utf8(bytes).expect("UTF-8"));
    let expected = document.replace("media='http://h/d/a/x'", "media='../x'");
    assert_eq!(output.as_deref(), Some(&*expected));
    assert_eq!(absolute(MPD, &[], &expected), document);
}

/// Returns a presentation after a move from `http://h/` to `http://n/p/`, and the number of its
/// ambiguous references.
fn moved(document: &str, options: &Options) -> (String, usize) {
    let mut moves = PrefixMap::default();
    moves.add("http://h/", "http://n/p/", []).expect("a move");
    let new_url = moves.url(URL).parse().unwrap();
    let context = Context::retrieval(URL.parse().unwrap(), "test");
    let unit = Unit::new(document.as_bytes(), Media::XML, &context)
        .with_new_place(Some(NewPlace { url: &new_url, root: "http://n/p/" }));
    let rewritten = relocate(unit, options, &Move::by(moves));
    assert_eq!(rewritten.verify_error(), None, "{document}");
    let output = rewritten
        .output()
        .map(<[u8]>::to_vec)
        .map(|bytes| String::from_utf8(bytes).expect("UTF-8"));
    let n_ambiguous = rewritten.report.counts.get(Outcome::Ambiguous);
    (output.unwrap_or_else(|| document.to_owned()), n_ambiguous)
}

#[test]
fn references_under_alternatives_stay_in_a_move() {
    let document = presentation(
        "<BaseURL>http://h/d/a/</BaseURL><BaseURL>../c/</BaseURL>\
         <Period><SegmentTemplate media='x'/></Period>",
    );
    let expected = document.replace("http://h/d/a/", "http://n/p/d/a/");
    assert_eq!(moved(&document, &options(&[])), (expected, 1));
    // Under bases that stay, a reference that is certain is written in full; one that is not has
    // no new text that is right for each alternative, so it stays and is counted.
    let skip = Filter::new(vec![], vec!["dash BaseURL".into()], &Extras::default());
    let options = options(&[]).with_filter(skip.expect("a filter"));
    assert_eq!(moved(&document, &options), (document.clone(), 1));
    let certain = document.replace("<BaseURL>../c/</BaseURL>", "");
    let expected = certain.replace("'x'", "'http://n/p/d/a/x'");
    assert_eq!(moved(&certain, &options), (expected, 0));
}

#[test]
fn alternatives_are_relative_to_what_is_around_them() {
    let content = "<BaseURL>a/</BaseURL><BaseURL>b/</BaseURL><BaseURL>../c/</BaseURL><Period/>";
    let expected = presentation(content)
        .replace(">a/", ">http://h/d/a/")
        .replace(">b/", ">http://h/d/b/")
        .replace(">../c/", ">http://h/c/");
    assert_eq!(absolute(MPD, &[], &presentation(content)), expected);
    let content = "<BaseURL>a/</BaseURL><Period><BaseURL>b/</BaseURL><BaseURL>c/</BaseURL>\
        <SegmentTemplate media='x'/></Period>";
    let expected = presentation(content)
        .replace(">a/", ">http://h/d/a/")
        .replace(">b/", ">http://h/d/a/b/")
        .replace(">c/", ">http://h/d/a/c/");
    assert_eq!(absolute(MPD, &[], &presentation(content)), expected);
}

#[test]
fn a_base_that_is_not_certain_makes_the_document_unsupported() {
    for content in [
        "<Period><SegmentTemplate media='x'/><BaseURL>b/</BaseURL></Period>",
        "<BaseURL>a/</BaseURL><Period><SegmentTemplate media='x'/></Period><BaseURL>b/</BaseURL>",
        "<Period><BaseURL>a/</BaseURL></Period><BaseURL>b/</BaseURL>",
        "<BaseURL>a<!-- x -->b/</BaseURL><Period/>",
    ] {
        let document = presentation(content);
        let rewritten = convert(document.as_bytes(), Media::XML, &options(&[]), false);
        let reasons: Vec<_> = rewritten.report.skipped.iter().map(|one| one.reason).collect();
        assert_eq!(
            (rewritten.into_output(), reasons),
            (None, vec![SkipReason::OtherBase]),
            "{content}"
        );
    }
    let entity = "<!DOCTYPE MPD [<!ENTITY e SYSTEM 'http://o/e'>]>";
    let document = presentation("<BaseURL>&e;/</BaseURL><Period/>").replace('\n', entity);
    let rewritten = convert(document.as_bytes(), Media::XML, &options(&[]), false);
    let reasons: Vec<_> = rewritten.report.skipped.iter().map(|one| one.reason).collect();
    assert_eq!((rewritten.into_output(), reasons), (None, vec![SkipReason::BaseEntity]));
    // An empty one is the base around it.
    references(
        "<BaseURL/><Period><BaseURL></BaseURL><SegmentTemplate media='x'/></Period>",
        &["dash SegmentTemplate[media] x"],
    );
}
