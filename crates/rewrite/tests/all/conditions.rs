//! `integrity` and `crossorigin`: digests of edited files are renewed, and pages for a disk have
//! neither.

use std::sync::Arc;

use relink_rewrite::{
    Context, Engine, FileDigests, Filter, Integrity, LoadedFiles, Media, NewPlace, Options,
    Relative, Rewritten, Unit, Verify, relativize,
};

const URL: &str = "http://h/d/p.html";

// Printed by `openssl dgst -sha256 -binary | openssl base64 -A`, for `a` and `b`.
const OLD: &str = "sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs=";
const NEW: &str = "sha256-PiPoFgA5WUoziU9lZOGxNIu9egCI1CxKy3PurtWcAJ0=";

/// A tree in which one file is edited, from `a` to `b`.
#[derive(Debug)]
struct Files;

impl LoadedFiles for Files {
    fn contains(&self, url: &str) -> bool {
        url.starts_with("http://h/d/")
    }

    fn digests(&self, url: &str) -> Option<Arc<FileDigests>> {
        (url == "http://h/d/x/a.css").then(|| Arc::new(FileDigests::new(b"a", b"b")))
    }
}

fn converted(document: &str, media: Media, options: &Options) -> Rewritten {
    let context = Context::retrieval(URL.parse().unwrap(), "test");
    let unit = Unit::new(document.as_bytes(), media, &context);
    let url = URL.parse().unwrap();
    let unit = match options.integrity {
        Integrity::Remove => unit.with_new_place(NewPlace { url: &url, root: "http://h/d/" }),
        _ => unit,
    };
    let relative = Relative::below("http://h/d/");
    relativize(unit.with_loaded_files(Some(&Files)), options, &relative)
}

/// Asserts the output of a document under both engines, and that a second run changes nothing.
#[track_caller]
fn check_as(media: Media, integrity: Integrity, document: &str, expected: &str) {
    for engine in [Engine::Auto, Engine::Reference] {
        for verify in [Verify::Fast, Verify::Full] {
            let options = Options::default().with_integrity(integrity);
            let options = options.with_engine(engine).with_verify(verify);
            let rewritten = converted(document, media, &options);
            assert_eq!(rewritten.verify_error(), None, "{document}");
            let output = rewritten.into_output().unwrap_or_else(|| document.as_bytes().to_vec());
            assert_eq!(String::from_utf8_lossy(&output), expected);
            assert_eq!(converted(expected, media, &options).into_output(), None, "{expected}");
        }
    }
}

#[track_caller]
fn renewed(before: &str, after: &str) {
    let document = before.replace("OLD", OLD);
    check_as(
        Media::HTML,
        Integrity::Renew,
        &document,
        &after.replace("OLD", OLD).replace("NEW", NEW),
    );
}

#[track_caller]
fn removed(before: &str, after: &str) {
    check_as(Media::HTML, Integrity::Remove, before, after);
}

#[test]
fn digests_of_an_edited_file_are_renewed() {
    renewed(
        "<link rel=stylesheet href=x/a.css integrity='OLD'>",
        "<link rel=stylesheet href=x/a.css integrity='NEW'>",
    );
    renewed(
        "<link integrity=OLD crossorigin href=/d/x/a.css#f rel='Alternate StyleSheet'>",
        "<link integrity=NEW crossorigin href=x/a.css#f rel='Alternate StyleSheet'>",
    );
    renewed(
        "<script src='x/a.css' integrity=' md5-x\nOLD?o sha256-y '></script>",
        "<script src='x/a.css' integrity=' md5-x\nNEW?o sha256-y '></script>",
    );
    renewed(
        "<link rel=modulepreload href=x/a.css integrity=OLD><link rel=preload as=style href=x/a.css integrity=OLD>",
        "<link rel=modulepreload href=x/a.css integrity=NEW><link rel=preload as=style href=x/a.css integrity=NEW>",
    );
    // Character references stay, but for those of the digest.
    let written = OLD.replace('/', "&#47;");
    check_as(
        Media::HTML,
        Integrity::Renew,
        &format!("<script src=x/a.css integrity='a&amp;b {written}'></script>"),
        &format!("<script src=x/a.css integrity='a&amp;b {NEW}'></script>"),
    );
    renewed(
        "<iframe srcdoc='<script src=x/a.css integrity=OLD></script>'></iframe><noscript><link rel=stylesheet href=x/a.css integrity=OLD></noscript>",
        "<iframe srcdoc='<script src=x/a.css integrity=NEW></script>'></iframe><noscript><link rel=stylesheet href=x/a.css integrity=NEW></noscript>",
    );
}

/// Browsers enforce them for both attributes, of which `href` counts.
#[test]
fn digests_of_scripts_in_svg() {
    renewed(
        "<svg><script href=x/a.css integrity=OLD></script><script xlink:href=x/a.css integrity=OLD /></svg>",
        "<svg><script href=x/a.css integrity=NEW></script><script xlink:href=x/a.css integrity=NEW /></svg>",
    );
    renewed(
        "<svg><script integrity=OLD xlink:href=x/b.css href=x/a.css></script></svg>",
        "<svg><script integrity=NEW xlink:href=x/b.css href=x/a.css></script></svg>",
    );
    for attribute in ["href", "xlink:href"] {
        let alone = |digest: &str| {
            format!(
                "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'><script {attribute}='x/a.css' integrity='{digest}'/></svg>"
            )
        };
        check_as(Media::XML, Integrity::Renew, &alone(OLD), &alone(NEW));
    }
}

#[test]
fn the_base_of_the_moment_counts() {
    renewed(
        "<script src=x/a.css integrity=OLD></script><base href=x/><script src=x/a.css integrity=OLD></script><script src=a.css integrity=OLD></script>",
        "<script src=x/a.css integrity=NEW></script><base href=x/><script src=x/a.css integrity=OLD></script><script src=a.css integrity=NEW></script>",
    );
}

#[test]
fn other_digests_stay() {
    for document in [
        "<link rel=stylesheet href=x/b.css integrity=OLD>",
        "<link rel=icon href=x/a.css integrity=OLD>",
        "<script integrity=OLD>x/a.css</script>",
        "<img src=x/a.css integrity=OLD>",
        "<script src=x/a.css integrity></script>",
        "<script src=x/a.css integrity=''></script>",
        "<script src=x/a.css data-integrity=OLD></script>",
        "<svg><script src=x/a.css integrity=OLD></script></svg>",
        "<svg><script xlink:href=x/a.css href=x/b.css integrity=OLD></script></svg>",
        "<svg><use href=x/a.css integrity=OLD></use></svg>",
        "<svg><link rel=stylesheet href=x/a.css integrity=OLD></link></svg>",
    ] {
        renewed(document, document);
    }
    let options = Options::default().with_integrity(Integrity::Renew);
    let wrong = "<script src=x/a.css integrity=sha384-x></script>";
    let report = converted(wrong, Media::HTML, &options).report;
    assert_eq!(report.wrong_digests, ["http://h/d/x/a.css"]);
    // Without files, or excluded.
    let document = format!("<script src=x/a.css integrity={OLD}></script>");
    let skip = vec!["[integrity]".to_owned()];
    let filter = Filter::new(Vec::new(), skip, &options.extras).unwrap();
    let report = converted(&document, Media::HTML, &options.clone().with_filter(filter)).report;
    assert_eq!(report.n_conditions, 0);
    assert_eq!(converted(&document, Media::HTML, &options).report.n_conditions, 1);
    assert_eq!(converted(&document, Media::HTML, &Options::default()).into_output(), None);
}

#[test]
fn digests_in_xhtml_and_import_maps() {
    let page = |digest: &str| {
        format!(
            "<html xmlns='http://www.w3.org/1999/xhtml'><script src='x/a.css' integrity='{digest}'/></html>"
        )
    };
    check_as(Media::XML, Integrity::Renew, &page(OLD), &page(NEW));
    let map = |key: &str, digest: &str| {
        format!(
            "<script type=importmap>{{\"integrity\":{{\"bare\":\"{OLD}\",\"{key}\":\"{digest}\",\"./b.js\":\"{OLD}\"}}}}</script>"
        )
    };
    check_as(Media::HTML, Integrity::Renew, &map("/d/x/a.css", OLD), &map("./x/a.css", NEW));
}

#[test]
fn conditions_on_files_are_taken_away_for_a_disk() {
    removed(
        "<link rel=stylesheet href=a.css integrity='sha256-x' crossorigin>",
        "<link rel=stylesheet href=a.css data-integrity='sha256-x' data-crossorigin>",
    );
    removed(
        "<script CrossOrigin=anonymous src=/d/a.js Integrity=sha384-x></script>",
        "<script data-CrossOrigin=anonymous src=a.js data-Integrity=sha384-x></script>",
    );
    removed(
        "<img crossorigin/src=a.png><img src=a.png integrity=sha256-x>",
        "<img data-crossorigin/src=a.png><img src=a.png integrity=sha256-x>",
    );
    removed(
        "<svg><script href=a.js integrity=sha256-x></script><image xlink:href=a.png crossorigin /></svg>",
        "<svg><script href=a.js data-integrity=sha256-x></script><image xlink:href=a.png data-crossorigin /></svg>",
    );
    removed(
        "<video src=a.mp4 crossorigin></video><audio crossorigin src=/d/a.mp3>",
        "<video src=a.mp4 data-crossorigin></video><audio data-crossorigin src=a.mp3>",
    );
    removed(
        "<svg><filter><feImage href=a.png crossorigin /></filter></svg>",
        "<svg><filter><feImage href=a.png data-crossorigin /></filter></svg>",
    );
    for document in [
        "<link rel=stylesheet href=http://cdn/a.css integrity=sha256-x crossorigin>",
        "<link rel=preconnect href=a crossorigin>",
        "<link rel=preload as=Font href=a.woff crossorigin>",
        "<script crossorigin>a</script>",
        "<video poster=a.png crossorigin></video>",
        "<script src=a.js data-integrity=sha256-x></script>",
    ] {
        removed(document, document);
    }
    let page = |name: &str| {
        format!(
            "<html xmlns='http://www.w3.org/1999/xhtml'><script src='a.js' {name}='sha256-x'/></html>"
        )
    };
    check_as(Media::XML, Integrity::Remove, &page("integrity"), &page("data-integrity"));
}
