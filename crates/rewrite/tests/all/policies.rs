//! Hashes in a Content Security Policy: those of edited styles and scripts are computed again.

use relink_rewrite::{
    Command, Context, Edit, Engine, Http, Integrity, Media, Options, Relative, Rewritten, Unit,
    Verify,
};

const URL: &str = "http://h/d/p.html";

// Printed by Python's hashlib and base64, for each text before and after.
const STYLE: [&str; 3] = [
    "a{b:url(/d/c)}",
    "sha256-yrD6IWYcM4fqBPbOJF+rX19YIwQqe+RiTzKH9ph5AvM=",
    "sha256-aDDd4FXN524FHq9TSXE4Yl99nA82R4nFDBEHldWP/mo=",
];
const STYLE_384: [&str; 2] = [
    "sha384-ONYrITeKmIaET04tWqlHwbGFe8lEySvr+ELBUB1eM+0Uo4g48tdsNAQGNAs9XqYc",
    "sha384-u9xwyhsI3miSzCzR6U6ot7GluCCBoeUS+VEQsLv3PNEO99tnGa8GlN+68Emqw2f0",
];
const WITH_LINE_ENDS: [&str; 2] = [
    "sha256-hgRHgrmUUGBSDbN9L7zzp7Tu/7xuDeMBYJRCvCEJ9vE=",
    "sha256-7OtPH1DNQkE12x7irgKDv/SfzD18Rqe+CcIdgVNsy1k=",
];
const ATTRIBUTE: [&str; 2] = [
    "sha256-kHpZEZF4MXrkWf9bOkM/ZvolIRsnEuuCWjiaC5TIM5g=",
    "sha256-r9jyXUNbKK4++oUuV3O+QQkd2hHIHdxV8Af/2xBANZE=",
];
const LATIN: [&str; 2] = [
    "sha256-QTT9Ik8IelKwYkqEH3MjsDi6p2q98dTSH4q+a7DXhpk=",
    "sha256-nMmzL0/41Is17XiaiPsTZDom6ZuDyDzjgGtBXg1eOqc=",
];
const IMPORT_MAP: [&str; 2] = [
    "sha256-r/DGQYmPA1LPjQ7ABOtx67G9S+Y2NNGPHbK4M8utmqA=",
    "sha256-h1lIRsMEtc7+MfP/868oMXJu8znj4ibEKtTqgxu4WtE=",
];
const ABSOLUTE: &str = "sha256-5n2ixIV8Q2M4XDK1INEh80z1jogLPyVC3R0to/fdxv0=";

fn run(document: &[u8], media: Media, options: &Options, edits: Option<&[Edit]>) -> Rewritten {
    let context = Context::retrieval(URL.parse().unwrap(), "test");
    let unit = Unit::new(document, media, &context);
    let relative = Relative::below("http://h/d/");
    let command = Command::Relativize(&relative);
    match edits {
        Some(edits) => command.prove(unit, options, edits),
        None => command.run(unit, options),
    }
}

/// Asserts the output of a document under both engines, and that a second run changes nothing.
#[track_caller]
fn check(document: &[u8], media: Media, expected: &[u8], n_policies: usize) {
    for engine in [Engine::Auto, Engine::Reference] {
        for verify in [Verify::Fast, Verify::Full] {
            for integrity in [Integrity::Keep, Integrity::Renew] {
                let options = Options::default().with_engine(engine).with_verify(verify);
                let options = options.with_integrity(integrity);
                let rewritten = run(document, media, &options, None);
                assert_eq!(rewritten.verify_error(), None);
                let output = rewritten.output().unwrap().to_vec();
                assert_eq!(String::from_utf8_lossy(&output), String::from_utf8_lossy(expected));
                let report = &rewritten.report;
                assert_eq!(
                    (report.n_renewed_policies, report.may_break_hashes),
                    (n_policies, false)
                );
                assert_eq!(run(&output, media, &options, None).into_output(), None);
                // The proof knows the hashes: it accepts these edits and no others.
                let edits = rewritten.edits.as_slice();
                assert_eq!(run(document, media, &options, Some(edits)).into_output(), Some(output));
                if n_policies > 0 {
                    let is_policy = |edit: &&Edit| edit.text.len() > 20;
                    let others: Vec<Edit> =
                        edits.iter().filter(|edit| !is_policy(edit)).cloned().collect();
                    assert!(run(document, media, &options, Some(&others)).verify_error().is_some());
                }
            }
        }
    }
}

/// Asserts the output of a page with a policy in a `<meta>`.
#[track_caller]
fn renewed(sources: [&str; 2], body: [&str; 2]) {
    let page = |idx: usize| {
        format!(
            "<meta http-equiv=content-security-POLICY content=\"default-src 'self'; style-src {}\">{}",
            sources[idx], body[idx]
        )
    };
    let n_policies = usize::from(sources[0] != sources[1]);
    check(page(0).as_bytes(), Media::HTML, page(1).as_bytes(), n_policies);
}

#[test]
fn hashes_of_edited_texts_are_renewed() {
    let [_, old, new] = STYLE;
    let styles = ["<style>a{b:url(/d/c)}</style>", "<style>a{b:url(c)}</style>"];
    let quoted = |hashes: &[&str]| format!("'{}' 'sha256-x=';img-src *", hashes.join("' '"));
    renewed([&quoted(&[old]), &quoted(&[new])], styles);
    let both = [quoted(&[old, STYLE_384[0]]), quoted(&[new, STYLE_384[1]])];
    renewed([&both[0], &both[1]], styles);
    renewed(
        [&quoted(&[WITH_LINE_ENDS[0]]), &quoted(&[WITH_LINE_ENDS[1]])],
        ["<style>\r\na{b:url(/d/c)}\r</style>", "<style>\r\na{b:url(c)}\r</style>"],
    );
    renewed(
        [&quoted(&[ATTRIBUTE[0]]), &quoted(&[ATTRIBUTE[1]])],
        ["<p style='b:url(&#47;d/c)'>", "<p style='b:url(c)'>"],
    );
    renewed(
        [&quoted(&[IMPORT_MAP[0]]), &quoted(&[IMPORT_MAP[1]])],
        [
            "<script type=importmap>{\"imports\":{\"a\":\"/d/b.js\"}}</script>",
            "<script type=importmap>{\"imports\":{\"a\":\"./b.js\"}}</script>",
        ],
    );
    // What is in a frame without a URL has the policy of the page.
    renewed(
        [&quoted(&[old]), &quoted(&[new])],
        [
            "<iframe srcdoc='<style>a{b:url(/d/c)}</style>'></iframe>",
            "<iframe srcdoc='<style>a{b:url(c)}</style>'></iframe>",
        ],
    );
}

#[test]
fn other_hashes_stay() {
    let other = format!("'{}' 'nonce-a' {}", WITH_LINE_ENDS[0], STYLE[1]);
    renewed([&other, &other], ["<style>a{b:url(/d/c)}</style>", "<style>a{b:url(c)}</style>"]);
}

/// In a frame with another base, the same text has another target.
#[test]
fn one_text_may_become_several() {
    let [_, old, new] = STYLE;
    let far = "sha256-X4QabdfbtxYZmWN6JQpHOVc5upc5eZJuOZnW5+bHrnk=";
    let frame = |base: &str, url: &str| {
        format!("<iframe srcdoc='<base href={base}><style>a{{b:url({url})}}</style>'></iframe>")
    };
    renewed(
        [&format!("'{old}'"), &format!("'{far}' '{new}'")],
        [
            &format!("<style>a{{b:url(/d/c)}}</style>{}", frame("http://i/x", "/d/c")),
            &format!("<style>a{{b:url(c)}}</style>{}", frame("\"\"", "http://i/d/c")),
        ],
    );
}

#[test]
fn texts_are_hashed_in_utf_8() {
    let page = |hash: &str, url: &[u8]| {
        let start = format!(
            "<meta charset=latin1><meta http-equiv=Content-Security-Policy content=\"style-src '{hash}'\"><p style=\"b:url('"
        );
        [start.as_bytes(), url, b"')\">"].concat()
    };
    check(&page(LATIN[0], b"/d/\xE9"), Media::HTML, &page(LATIN[1], b"\xE9"), 1);
}

#[test]
fn policies_of_saved_responses_are_edited() {
    let response = |hash: &str, url: &str| {
        format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Security-Policy: default-src 'self';\r\n  style-src '{hash}'\r\n\r\n<style>a{{b:url({url})}}</style>"
        )
    };
    let media = Media::Http(Http::Response(None));
    let (old, new) = (response(STYLE[1], "/d/c"), response(STYLE[2], "c"));
    check(old.as_bytes(), media, new.as_bytes(), 1);
}

/// The policy is the text of a script here, and is not found.
#[test]
fn what_is_left_is_reported() {
    let page = format!(
        "<script>'Content-Security-Policy: style-src' + \"'{}'\"</script><style>{}</style>",
        STYLE[1], STYLE[0]
    );
    let report = run(page.as_bytes(), Media::HTML, &Options::default(), None).report;
    assert_eq!((report.n_renewed_policies, report.may_break_hashes), (0, true));
    let page = page.replace(STYLE[1], ABSOLUTE);
    let report = run(page.as_bytes(), Media::HTML, &Options::default(), None).report;
    assert!(!report.may_break_hashes);
}
