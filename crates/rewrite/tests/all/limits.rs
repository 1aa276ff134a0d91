//! The limits on depth, size and time of a document: at each limit it is read, past it skipped and
//! reported, and each limit can be set.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use basectx::Context;
use relink_rewrite::{
    Clock, Engine, Limit, Limits, Media, MessageFraming, OptIn, Options, Rewritten, SkipReason,
    SkipScope, Skipped, TextFormat, absolutize,
};

use crate::listing::{at_url, list, skipped, unit};

/// Returns the reason for a limit with its default.
fn met(limit: Limit) -> SkipReason {
    SkipReason::Limit(Limits::default().met(limit))
}

fn limited(limits: &[(&str, &str)]) -> Options {
    let mut options = Options::default();
    for (name, value) in limits {
        options.limits.set(name, value).unwrap();
    }
    options
}

/// Returns the document at `http://h/d/p` with its references made absolute.
fn absolute(document: &[u8], media: Media, options: &Options) -> Rewritten {
    absolutize(unit(document, media, &at_url()), options)
}

/// Asserts that of two documents one is read at a value of a limit, and the other, which exceeds it
/// by one, is not; and that a larger value reads that too.
#[track_caller]
fn check_limit(
    limit: Limit,
    media: Media,
    options: &Options,
    values: [&str; 2],
    [at, past]: [&[u8]; 2],
) {
    for (value, document, is_met) in
        [(values[0], at, false), (values[0], past, true), (values[1], past, false)]
    {
        let mut options = options.clone();
        options.limits.set(limit.name(), value).unwrap();
        let report = absolute(document, media, &options).report;
        let name = format!("; use `--limit {}=VALUE` to raise the limit", limit.name());
        let skipped = report.skipped.iter().map(|skipped| skipped.reason.to_string());
        let reported: Vec<String> =
            skipped.chain(report.faults.iter().map(|fault| fault.reason.clone())).collect();
        assert_eq!(
            reported.iter().any(|reported| reported.ends_with(&name)),
            is_met,
            "{value}: {reported:?}"
        );
        assert!(is_met || reported.is_empty(), "{value}: {reported:?}");
    }
}

/// Returns a document in `depth` more, each the `srcdoc` of the next.
fn nested(document: &str, depth: usize) -> String {
    (0..depth).fold(document.to_owned(), |inner, _| {
        format!("<iframe srcdoc=\"{}\">", inner.replace('&', "&amp;").replace('"', "&quot;"))
    })
}

/// Asserts the number of references of a document, and the parts of it that are skipped.
#[track_caller]
fn check(document: &str, n_references: usize, expected: &[(SkipReason, bool)]) {
    let context = at_url();
    let (found, report) =
        list(unit(document.as_bytes(), Media::HTML, &context), &Options::default());
    let skipped: Vec<(SkipReason, bool)> = report
        .skipped
        .iter()
        .map(|skipped| (skipped.reason, skipped.extent == SkipScope::Embedded))
        .collect();
    assert_eq!((found.len(), &*skipped), (n_references, expected));
}

#[test]
fn sixteen_embedded_documents() {
    check(&nested("<a href=x>", 1), 1, &[]);
    check(&nested("<a href=x>", 16), 1, &[]);
    check(&nested("<a href=x>", 17), 0, &[(met(Limit::EmbeddedDepth), true)]);
    check(&nested("<a href=x>", 40), 0, &[(met(Limit::EmbeddedDepth), true)]);
    // Style sheets and fragments are documents; lists are not.
    check(&nested("<p style='b:url(x)'>", 15), 1, &[]);
    check(&nested("<p style='b:url(x)'>", 16), 0, &[(met(Limit::EmbeddedDepth), true)]);
    check(&nested("<noscript><a href=x></noscript>", 15), 1, &[]);
    check(&nested("<noscript><a href=x></noscript>", 16), 0, &[(met(Limit::EmbeddedDepth), true)]);
    check(&nested("<img srcset='x, y'>", 16), 2, &[]);
}

#[test]
fn only_what_is_too_deep_is_skipped() {
    let document = format!("<a href=x>{}</iframe><a href=y>", nested("<a href=z>", 17));
    check(&document, 2, &[(met(Limit::EmbeddedDepth), true)]);
    let skipped = skipped(document.as_bytes(), &Options::default());
    assert!(skipped[0].at > document.find("srcdoc").unwrap(), "{skipped:?}");
}

#[test]
fn svg_styles_in_pieces() {
    let skipped = [(SkipReason::BrokenStyle, true)];
    check("<svg><style>b:url(x)<!-- -->c:url(y)</style><a href=z>", 1, &skipped);
    check("<svg><style>b:url(x)<g/>c:url(y)</style><a href=z>", 1, &skipped);
    check("<svg><style>b:url(x)<a href=z></style>", 1, &skipped);
    check("<svg><style>b:url(x)<![CDATA[c:url(y)]]></style><a href=z>", 1, &skipped);
    check("<svg><style><![CDATA[b:u]]><![CDATA[rl(x)]]></style><a href=z>", 1, &skipped);
    check("<svg><style>/*<![CDATA[b:url(x)]]></style><a href=z>", 1, &skipped);
    check("<svg><style><![CDATA[b:url(x)]]>*/</style><a href=z>", 1, &skipped);
}

#[test]
fn four_times_the_size_and_a_mebibyte() {
    let text = "x".repeat(400_000);
    // Each level is decoded again.
    check(&nested(&format!("<a href=\"y\">{text}"), 2), 1, &[]);
    check(&nested(&format!("<a href=\"y\">{text}"), 10), 0, &[(met(Limit::EmbeddedSize), true)]);
    let plain = format!("<a href=y>{text}").replace('"', "");
    // Text without escapes needs no memory, and is not counted.
    check(&format!("<iframe srcdoc='{plain}'>").repeat(12), 12, &[]);
}

#[test]
fn open_elements() {
    let document = |depth: usize| format!("{}<a href=x>", "<div>".repeat(depth));
    let options = Options::default().with_engine(Engine::Reference);
    assert_eq!(skipped(document(500).as_bytes(), &options), []);
    let expected =
        Skipped { reason: met(Limit::HtmlDepth), at: 0, extent: SkipScope::Unit, part: None };
    assert_eq!(skipped(document(700).as_bytes(), &options), [expected]);
    // The fast engine has no such limit.
    check(&document(100_000), 1, &[]);
}

#[test]
fn embedded_documents_can_be_deeper_or_not() {
    let at = |depth| nested("<a href=x>", depth).into_bytes();
    let check = |values, at: [&[u8]; 2]| {
        check_limit(Limit::EmbeddedDepth, Media::HTML, &Options::default(), values, at);
    };
    check(["16", "17"], [&at(16), &at(17)]);
    check(["0", "1"], [&at(0), &at(1)]);
    check(["63", "64"], [&at(63), &at(64)]);
}

#[test]
fn encoded_messages_can_be_deeper_or_not() {
    let at = |depth: usize| {
        (0..depth).fold("Content-Type: text/html\n\n<a href=x>".to_owned(), |inner, _| {
            let quoted = inner.replace('=', "=3D");
            format!("Content-Type: message/rfc822\nContent-Transfer-Encoding: quoted-printable\n\n{quoted}")
        })
    };
    let options = limited(&[("embedded-size", "none")]);
    let (at, past) = (at(16), at(17));
    let documents = [at.as_bytes(), past.as_bytes()];
    let media = Media::Message(MessageFraming::None);
    check_limit(Limit::EmbeddedDepth, media, &options, ["16", "17"], documents);
}

#[test]
fn embedded_documents_can_be_larger_or_not() {
    // The two decoded levels together are slightly larger than the document and the free mebibyte.
    let document = nested(&format!("<a href=\"y\">{}", "x".repeat(1_200_000)), 2);
    let check = |values, documents| {
        check_limit(Limit::EmbeddedSize, Media::HTML, &Options::default(), values, documents);
    };
    check(["1", "2"], [b"<a href=x>", document.as_bytes()]);
}

#[test]
fn elements_can_be_deeper_or_not() {
    let options = Options::default().with_engine(Engine::Reference);
    // `html` and `body` are open too; the elements are counted at intervals.
    let at = |depth: usize| "<div>".repeat(depth).into_bytes();
    check_limit(
        Limit::HtmlDepth,
        Media::HTML,
        &options,
        ["576", "1000"],
        [&at(570), &at(576 + 16)],
    );
}

#[test]
fn tags_can_have_more_attributes_or_not() {
    let options = Options::default().with_engine(Engine::Reference);
    let at = |n: usize| {
        let attributes: String = (0..n).map(|idx| format!(" x{idx}=y")).collect();
        format!("<p{attributes}>").into_bytes()
    };
    let check = |values, at: Vec<u8>, past: Vec<u8>| {
        check_limit(Limit::TagAttributes, Media::HTML, &options, values, [&at, &past]);
    };
    check(["1000", "1001"], at(1000), at(1001));
    check(["3", "none"], at(3), at(4));
}

#[test]
fn xml_bases_can_be_deeper_or_not() {
    let at = |n: usize| format!("{}{}", "<a xml:base='b/'>".repeat(n), "</a>".repeat(n));
    let (at, past) = (at(100), at(101));
    let documents = [at.as_bytes(), past.as_bytes()];
    check_limit(Limit::XmlBases, Media::XML, &Options::default(), ["100", "101"], documents);
}

#[test]
fn markdown_can_be_deeper_or_not() {
    let options = Options::default().with_opt_in(OptIn::default().with_markdown(true));
    let at = |n: usize| format!("{}a", ">".repeat(n)).into_bytes();
    check_limit(
        Limit::MarkdownDepth,
        Media::MARKDOWN,
        &options,
        ["100", "101"],
        [&at(100), &at(101)],
    );
}

#[test]
fn parts_can_be_deeper_or_more_or_not() {
    let (options, media) = (Options::default(), Media::Message(MessageFraming::None));
    // The outermost is at depth 0, and one that contains nothing more is not parsed.
    let at = |n: usize| {
        let message = "Content-Type: message/rfc822\n\n".repeat(n);
        format!("{message}Content-Type: text/html\n\n<a href=x>").into_bytes()
    };
    check_limit(Limit::PartDepth, media, &options, ["100", "101"], [&at(100), &at(101)]);
    let at = |n: usize| {
        let parts = "--b\n\nx\n".repeat(n);
        format!("Content-Type: multipart/mixed; boundary=b\n\n{parts}--b--\n").into_bytes()
    };
    // The message itself is one. Parts of seven bytes are smaller than what is known of them.
    let options = limited(&[("memory-growth", "none")]);
    check_limit(Limit::Parts, media, &options, ["100000", "100001"], [&at(99_999), &at(100_000)]);
}

#[test]
fn fields_can_be_longer_or_not() {
    let at = |n: usize| format!("X: {}\n\n", "y".repeat(n)).into_bytes();
    let media = Media::Message(MessageFraming::None);
    let (long, longer) = (at(65_536), at(65_537));
    let documents: [&[u8]; 2] = [&long, &longer];
    check_limit(Limit::FieldSize, media, &Options::default(), ["64K", "65K"], documents);
    let response = |n: usize| [b"HTTP/1.1 200 OK\n", &*at(n), b"<a href=x>"].concat();
    let (long, longer) = (response(10), response(11));
    let documents: [&[u8]; 2] = [&long, &longer];
    let media = Media::Http(relink_rewrite::Http::Response(None));
    check_limit(Limit::FieldSize, media, &Options::default(), ["10", "11"], documents);
}

/// Returns a document with a base of about `n` bytes, and enough references for that cost.
fn long_base(n: usize, cost: usize) -> Vec<u8> {
    let base = format!("<base href='http://h/{}/'>", "x".repeat(n));
    [base.as_bytes(), &*b"<a href=y>".repeat(cost / n)].concat()
}

#[test]
fn output_is_not_the_square_of_input() {
    // A thousand references on a base of a mebibyte are a gibibyte.
    let document = long_base(1 << 20, 1 << 30);
    let rewritten = absolute(&document, Media::HTML, &Options::default());
    let expected =
        Skipped { reason: met(Limit::OutputGrowth), at: 0, extent: SkipScope::Unit, part: None };
    assert_eq!((rewritten.output(), &*rewritten.report.skipped), (None, &[expected][..]));
    assert_eq!(rewritten.report.counts.total(), 0);
    // 16 MiB are free, and here 3 times 7 MiB more.
    let (at, past) = (long_base(7 << 20, 35 << 20), long_base(7 << 20, 42 << 20));
    let documents = [&*at, &*past];
    let options = limited(&[("url-size", "none")]);
    check_limit(Limit::OutputGrowth, Media::HTML, &options, ["3", "4"], documents);
}

#[test]
fn nothing_else_is_the_square_of_input() {
    let base = "x".repeat(1 << 20);
    let html = |unit: &str| format!("<base href='http://h/{base}/'>{}", unit.repeat(1000));
    for document in [
        html("<img srcset='a,b'>"),
        html("<object codebase=y archive=z></object>"),
        html("<iframe srcdoc='<p>'></iframe>"),
        html("<iframe srcdoc='<base href=y><a href=z>'></iframe>"),
    ] {
        let rewritten = absolute(document.as_bytes(), Media::HTML, &Options::default());
        assert!(rewritten.output().is_none() && !rewritten.report.skipped.is_empty());
    }
    let part = "--b\nContent-Location: x\nContent-Type: text/html\n\n<a href=y>\n".repeat(10_000);
    let message = format!(
        "Content-Base: http://h/{}/\nContent-Type: multipart/related; boundary=b\n\n{part}--b--\n",
        "x".repeat(60_000)
    );
    let media = Media::Message(MessageFraming::None);
    let rewritten = absolute(message.as_bytes(), media, &Options::default());
    let expected =
        Skipped { reason: met(Limit::OutputGrowth), at: 0, extent: SkipScope::Unit, part: None };
    assert_eq!((rewritten.output(), &*rewritten.report.skipped), (None, &[expected][..]));
}

#[test]
fn urls_can_be_longer_or_not() {
    // The base counts.
    let page = |before: &str, len: usize| {
        format!("<base href=http://h/>{before}<a href={}>", "x".repeat(len)).into_bytes()
    };
    let fits = (20 << 10) - "http://h/".len();
    let documents = [&*page("", fits), &*page("", fits + 1)];
    check_limit(Limit::UrlSize, Media::HTML, &Options::default(), ["20K", "none"], documents);
    // What has no path is not looked into, whatever its length.
    let options = limited(&[("url-size", "20K")]);
    for other in ["data:,", "mailto:", "javascript:", "{{x}}"] {
        let long = format!("<img src='{other}{}'>", "x".repeat(30 << 10));
        let rewritten = absolute(&page(&long, 3), Media::HTML, &options);
        assert!(rewritten.output().is_some() && rewritten.report.skipped.is_empty(), "{other}");
    }
    for other in ["http:", "HTTP://h/", "//h/", "x://h/", "/", "?"] {
        let long = format!("<img src='{other}{}'>", "x".repeat(30 << 10));
        let rewritten = absolute(&page(&long, 3), Media::HTML, &options);
        let expected = options.limits.met(Limit::UrlSize);
        let expected = Skipped {
            reason: SkipReason::Limit(expected),
            at: 0,
            extent: SkipScope::Unit,
            part: None,
        };
        assert_eq!(
            (rewritten.output(), &*rewritten.report.skipped),
            (None, &[expected][..]),
            "{other}"
        );
    }
}

#[test]
fn a_document_takes_no_longer_than_it_may() {
    let document = b"<a href=x>".repeat(1000);
    let rewritten = absolute(&document, Media::HTML, &limited(&[("time", "0ms")]));
    assert!(rewritten.output().is_none());
    let reported: Vec<_> = rewritten
        .report
        .skipped
        .iter()
        .map(|skipped| (skipped.reason.to_string(), skipped.extent))
        .collect();
    assert_eq!(
        reported,
        [(
            "processing takes longer than 0s; use `--limit time=VALUE` to raise the limit"
                .to_owned(),
            SkipScope::Unit
        )]
    );
    for time in ["600s", "none"] {
        let rewritten = absolute(&document, Media::HTML, &limited(&[("time", time)]));
        assert!(rewritten.output().is_some() && rewritten.report.skipped.is_empty());
    }
}

#[test]
fn the_caller_gives_the_clock() {
    let document = b"<a href=x>".repeat(1000);
    let limit = |time, clock| limited(&[("time", time)]).with_clock(clock);
    let is_read = |options: &Options| {
        let report = absolute(&document, Media::HTML, options).report;
        assert_eq!(report.skipped.is_empty(), report.counts.total() == 1000);
        report.skipped.is_empty()
    };
    // Each reading is a second after the one before it.
    let n_readings = Arc::new(AtomicU64::new(0));
    let readings = n_readings.clone();
    let running = Clock::new(move || Duration::from_secs(readings.fetch_add(1, Ordering::Relaxed)));
    assert!(!is_read(&limit("1s", running.clone())));
    assert!(is_read(&limit("600s", running.clone())));
    assert!(n_readings.load(Ordering::Relaxed) > 2);
    // Without a limit the clock is not read.
    n_readings.store(0, Ordering::Relaxed);
    assert!(is_read(&limit("none", running)));
    assert_eq!(n_readings.load(Ordering::Relaxed), 0);

    let stopped = Clock::new(|| Duration::from_secs(1_000_000));
    assert!(is_read(&limit("1ms", stopped.clone())) && !is_read(&limit("0ms", stopped)));
    assert!(is_read(&limit("0ms", Clock::none())));
    // The end of the time cannot be represented.
    assert!(is_read(&limit("1ms", Clock::new(|| Duration::MAX))));
}

/// Returns documents of about `n` bytes whose references, or whose tree, take many times as much
/// memory.
fn dense(n: usize) -> Vec<(&'static str, Media, Engine, Vec<u8>)> {
    let flood = |start: &str, unit: &str, end: &str| {
        format!("{start}{}{end}", unit.repeat(n / unit.len())).into_bytes()
    };
    let (auto, reference) = (Engine::Auto, Engine::Reference);
    let deep = ["<a>", "</a>"].map(|tag| tag.repeat(n / 7)).concat();
    vec![
        ("ping", Media::HTML, auto, flood("<a ping='", "a ", "'>")),
        ("archive", Media::HTML, auto, flood("<applet archive='", "a,", "'>")),
        ("srcset", Media::HTML, auto, flood("<img srcset='", "a 1x,", "'>")),
        ("links", Media::HTML, auto, flood("", "<a href=x>", "")),
        ("links", Media::HTML, reference, flood("", "<a href=x>", "")),
        ("tree", Media::HTML, reference, flood("<base href=x>", "<b></b>", "")),
        ("codebases", Media::HTML, auto, flood("", "<applet codebase=x archive=a>", "")),
        ("style sheet", Media::CSS, auto, flood("", "a{b:url(c)}", "")),
        ("brackets", Media::MARKDOWN, auto, flood("", "[", "")),
        ("emphasis", Media::MARKDOWN, auto, flood("", "*a_", "")),
        ("open elements", Media::XML, auto, deep.into_bytes()),
        ("bases", Media::XML, auto, flood("<a>", "<b xml:base='c'/>", "</a>")),
        ("text", Media::text(TextFormat::Fixed), auto, flood("", "http://h ", "")),
    ]
}

/// Returns the limit that a document meets, if it meets one.
fn limit_met(
    media: Media,
    engine: Engine,
    document: &[u8],
    limits: &[(&str, &str)],
) -> Option<String> {
    let opt_in = OptIn::default().with_text(true).with_markdown(true);
    let options = limited(limits).with_engine(engine).with_opt_in(opt_in);
    let rewritten = absolute(document, media, &options);
    assert_eq!(rewritten.verify_error(), None);
    let skipped = &rewritten.report.skipped;
    if let Some(skipped) = skipped.first() {
        assert!(rewritten.output().is_none() && skipped.extent == SkipScope::Unit, "{skipped:?}");
    }
    skipped.first().map(|skipped| skipped.reason.to_string())
}

#[test]
fn what_is_collected_takes_no_more_memory_than_it_may() {
    for (name, media, engine, document) in dense(200_000) {
        let met = |limits: &[_]| limit_met(media, engine, &document, limits);
        let reported = "its references need more than 500K of memory; use `--limit memory=VALUE` to raise the limit";
        assert_eq!(met(&[("memory", "500K")]).as_deref(), Some(reported), "{name} {engine:?}");
        assert_eq!(met(&[("memory", "none"), ("memory-growth", "none")]), None, "{name}");
    }
}

#[test]
fn memory_grows_with_the_document() {
    let ordinary = "<p>A paragraph, and <a href=a.html>a link</a>.".repeat(100_000);
    assert_eq!(limit_met(Media::HTML, Engine::Reference, ordinary.as_bytes(), &[]), None);
    for (name, media, engine, document) in dense(3_000_000) {
        let is_met = limit_met(media, engine, &document, &[]).is_some_and(|reported| {
            reported
                == "its references need more memory than 10 times its size; \
                     use `--limit memory-growth=VALUE` to raise the limit"
        });
        let takes_less = ["text", "bases", "open elements"].contains(&name);
        assert!(is_met || takes_less, "{name} {engine:?}");
    }
}

#[test]
fn unknown_bases_and_lengths_do_no_harm() {
    let context = Context::none();
    for document in ["", "<", "<a", "<a href=", "<!--", "</", "<a href='", "\u{FEFF}", "&", "\0"] {
        let (found, report) =
            list(unit(document.as_bytes(), Media::HTML, &context), &Options::default());
        assert!(found.is_empty() && report.skipped.is_empty(), "{document:?}");
        list(unit(document.as_bytes(), Media::CSS, &context), &Options::default());
    }
}
