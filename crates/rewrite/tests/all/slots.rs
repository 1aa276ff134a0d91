//! Every place that can contain a reference, and similar places that cannot.
//!
//! HTML standard, index of attributes; HTML 4.01, index of attributes; SVG 2; Open Graph; the
//! metadata of browsers and search engines.

use std::collections::BTreeSet;

use relink_rewrite::{Format, Kind, SLOTS};

use crate::listing::{html, shown};

/// Documents with one reference of kind *url*, `x`, and its slot.
const URLS: &[(&str, &str)] = &[
    ("a[href]", "<a href=x>"),
    ("area[href]", "<map><area href=x></map>"),
    ("link[href]", "<link rel=stylesheet href=x>"),
    ("link[canonical]", "<link rel='me Canonical' href=x>"),
    ("base[href]", "<base href=x>"),
    ("img[src]", "<img src=x>"),
    ("script[src]", "<script src=x></script>"),
    ("iframe[src]", "<iframe src=x></iframe>"),
    ("frame[src]", "<frameset><frame src=x></frameset>"),
    ("embed[src]", "<embed src=x>"),
    ("source[src]", "<video><source src=x></video>"),
    ("track[src]", "<video><track src=x></video>"),
    ("audio[src]", "<audio src=x></audio>"),
    ("video[src]", "<video src=x></video>"),
    ("input[src]", "<input type=image src=x>"),
    ("layer[src]", "<layer src=x></layer>"),
    ("ilayer[src]", "<ilayer src=x></ilayer>"),
    ("bgsound[src]", "<bgsound src=x>"),
    ("fig[src]", "<fig src=x></fig>"),
    ("overlay[src]", "<fig><overlay src=x></fig>"),
    ("fencedframe[src]", "<fencedframe src=x></fencedframe>"),
    ("image[src]", "<image src=x>"),
    ("video[poster]", "<video poster=x></video>"),
    ("input[formaction]", "<input type=submit formaction=x>"),
    ("button[formaction]", "<button formaction=x></button>"),
    ("form[action]", "<form action=x></form>"),
    ("form[action-xhr]", "<form action-xhr=x></form>"),
    ("model-viewer[ios-src]", "<model-viewer ios-src=x></model-viewer>"),
    ("model-viewer[environment-image]", "<model-viewer environment-image=x></model-viewer>"),
    ("model-viewer[environment-image]", "<model-viewer ENVIRONMENT-IMAGE=x></model-viewer>"),
    ("model-viewer[skybox-image]", "<model-viewer skybox-image=x></model-viewer>"),
    ("amp-video[poster]", "<amp-video poster=x></amp-video>"),
    ("amp-video-iframe[poster]", "<amp-video-iframe poster=x></amp-video-iframe>"),
    ("model-viewer[poster]", "<model-viewer poster=x></model-viewer>"),
    ("amp-3d-gltf[src]", "<amp-3d-gltf src=x></amp-3d-gltf>"),
    ("amp-anim[src]", "<amp-anim src=x></amp-anim>"),
    ("amp-audio[src]", "<amp-audio src=x></amp-audio>"),
    ("amp-iframe[src]", "<amp-iframe src=x></amp-iframe>"),
    ("amp-img[src]", "<amp-img src=x></amp-img>"),
    ("amp-list[src]", "<amp-list src=x></amp-list>"),
    ("amp-pixel[src]", "<amp-pixel src=x></amp-pixel>"),
    ("amp-state[src]", "<amp-state src=x></amp-state>"),
    ("amp-video[src]", "<amp-video src=x></amp-video>"),
    ("amp-video-iframe[src]", "<amp-video-iframe src=x></amp-video-iframe>"),
    ("turbo-frame[src]", "<turbo-frame src=x></turbo-frame>"),
    ("model[src]", "<model src=x></model>"),
    ("model-viewer[src]", "<model-viewer src=x></model-viewer>"),
    ("object[data]", "<object data=x></object>"),
    ("object[classid]", "<object classid=x></object>"),
    ("object[codebase]", "<object codebase=x></object>"),
    ("applet[codebase]", "<applet codebase=x></applet>"),
    ("blockquote[cite]", "<blockquote cite=x></blockquote>"),
    ("q[cite]", "<q cite=x></q>"),
    ("ins[cite]", "<ins cite=x></ins>"),
    ("del[cite]", "<del cite=x></del>"),
    ("img[longdesc]", "<img longdesc=x>"),
    ("frame[longdesc]", "<frameset><frame longdesc=x></frameset>"),
    ("iframe[longdesc]", "<iframe longdesc=x></iframe>"),
    ("img[lowsrc]", "<img lowsrc=x>"),
    ("img[dynsrc]", "<img dynsrc=x>"),
    ("embed[pluginspage]", "<embed pluginspage=x>"),
    ("body[background]", "<body background=x>"),
    ("table[background]", "<table background=x><td background></table>"),
    ("thead[background]", "<table><thead background=x></table>"),
    ("tbody[background]", "<table><tbody background=x></table>"),
    ("tfoot[background]", "<table><tfoot background=x></table>"),
    ("tr[background]", "<table><tr background=x></table>"),
    ("td[background]", "<table><td background=x></table>"),
    ("th[background]", "<table><th background=x></table>"),
    ("col[background]", "<table><col background=x></table>"),
    ("colgroup[background]", "<table><colgroup background=x></colgroup></table>"),
    ("layer[background]", "<layer background=x></layer>"),
    ("ilayer[background]", "<ilayer background=x></ilayer>"),
    ("html[manifest]", "<html manifest=x>"),
    ("command[icon]", "<command icon=x>"),
    ("menuitem[icon]", "<menuitem icon=x>"),
    ("param[value]", "<param valuetype=ref value=x>"),
    ("param[value]", "<param value=x valuetype=REF name=any>"),
    ("param[value]", "<param name=movie value=x>"),
    ("param[value]", "<param name=SRC value=x>"),
    ("param[value]", "<param value=x name=url>"),
    ("param[value]", "<param name=FileName value=x>"),
    ("svg *[from]", "<svg><animate attributeName=href from=x /></svg>"),
    ("svg *[to]", "<svg><set attributeName=xlink:href to=x /></svg>"),
    ("svg a[href]", "<svg><a href=x></a></svg>"),
    ("svg a[xlink:href]", "<svg><a xlink:href=x></a></svg>"),
    ("svg *[href]", "<svg><image href=x></svg>"),
    ("svg *[xlink:href]", "<svg><use xlink:href=x></svg>"),
    ("svg *[href]", "<svg href=x></svg>"),
    ("math *[href]", "<math><mrow href=x></mrow></math>"),
    ("math *[xlink:href]", "<math xlink:href=x></math>"),
    ("script[xlink:href]", "<script xlink:href=x></script>"),
    ("img[usemap]", "<img usemap=x>"),
    ("input[usemap]", "<input usemap=x>"),
    ("object[usemap]", "<object usemap=x></object>"),
    ("meta[http-equiv=content-location]", "<meta http-equiv=Content-Location content=x>"),
    ("meta[refresh]", "<meta http-equiv=refresh content='5; url=x'>"),
    ("meta[refresh]", "<meta content=0,x http-equiv=REFRESH>"),
    ("meta[task]", "<meta name=msapplication-task content='name=N;action-uri=x'>"),
    ("meta[task]", "<meta name=MSApplication-Task content='name=N;icon-uri=x'>"),
    ("css url()", "<style>a{background:url(x)}</style>"),
    ("css url()", "<p style='background:url(x)'>"),
    ("css url()", "<svg style='fill:url(x)'></svg>"),
    ("css url()", "<svg><style>a{fill:url(x)}</style></svg>"),
    ("css @import", "<style>@import 'x';</style>"),
    ("css image-set()", "<style>a{background:image-set('x' 1x)}</style>"),
    ("css AlphaImageLoader()", "<style>a{filter:AlphaImageLoader(src='x')}</style>"),
    ("css src()", "<style>a{background:src('x')}</style>"),
    ("a[href]", "<iframe srcdoc='&lt;a href=x>'></iframe>"),
    ("a[href]", "<noscript><a href=x></noscript>"),
    ("a[href]", "<noframes><a href=x></noframes>"),
    ("a[href]", "<noembed><a href=x></noembed>"),
    ("a[href]", "<iframe><a href=x></iframe>"),
    ("a[href]", "<!--[if IE]><a href=x><![endif]-->"),
    ("importmap scope", "<script type=importmap>{\"scopes\":{\"x\":{}}}</script>"),
    ("jsonld url", "<script type=application/ld+json>{\"url\":\"x\"}</script>"),
    (
        "speculationrules urls",
        "<script type=speculationrules>{\"prefetch\":[{\"urls\":[\"x\"]}]}</script>",
    ),
];

/// Documents with one reference of another kind, `x`, and its slot.
const OTHERS: &[(&str, Kind, &str)] = &[
    ("a[ping]", Kind::List, "<a ping=x>"),
    ("area[ping]", Kind::List, "<area ping=x>"),
    ("*[attributionsrc]", Kind::List, "<img attributionsrc=x>"),
    ("*[attributionsrc]", Kind::List, "<any attributionsrc=x>"),
    ("object[archive]", Kind::List, "<object archive=x></object>"),
    ("applet[archive]", Kind::List, "<applet archive=x></applet>"),
    (
        "svg *[values]",
        Kind::List,
        "<svg><animate attributeName=href values=x /><animate attributeName=x values=y /></svg>",
    ),
    ("img[srcset]", Kind::Candidates, "<img srcset='x 2x'>"),
    ("meta[http-equiv=link]", Kind::List, "<meta http-equiv=Link content='<x>; rel=next'>"),
    ("amp-anim[srcset]", Kind::Candidates, "<amp-anim srcset='x 2x'></amp-anim>"),
    ("amp-img[srcset]", Kind::Candidates, "<amp-img srcset='x 2x'></amp-img>"),
    ("source[srcset]", Kind::Candidates, "<picture><source srcset=x></picture>"),
    ("link[imagesrcset]", Kind::Candidates, "<link imagesrcset='x 40w'>"),
    ("*[itemid]", Kind::Id, "<p itemid=x>"),
    ("*[itemtype]", Kind::Id, "<p itemtype=x>"),
    ("head[profile]", Kind::Id, "<head profile=x>"),
];

/// Presentation attributes of SVG with `url()`.
const PRESENTATION: &[&str] = &[
    "clip-path",
    "cursor",
    "fill",
    "filter",
    "marker",
    "marker-start",
    "marker-mid",
    "marker-end",
    "mask",
    "stroke",
];

/// Names and properties of `meta` whose content is a URL.
const METAS: &str = "og:url og:image og:image:url og:image:secure_url og:audio og:audio:url og:audio:secure_url og:video
    og:video:url og:video:secure_url twitter:image twitter:image:src twitter:player twitter:player:stream twitter:url
    msapplication-TileImage msapplication-config msapplication-starturl msapplication-square70x70logo
    msapplication-square310x310logo msapplication-wide310x150logo thumbnail thumbnailUrl citation_pdf_url
    citation_fulltext_html_url citation_public_url al:web:url";

/// Asserts that the document contains one reference, `x`.
#[track_caller]
fn check_one(document: &str, slot: &str, kind: Kind) {
    check(document, &[&format!("{slot} {kind} x -> http://h/d/x")]);
}

/// Asserts the references of a document, each as `slot kind text -> target`.
#[track_caller]
fn check(document: &str, expected: &[&str]) {
    assert_eq!(shown(&html(document)), expected, "{document:?}");
}

#[test]
fn every_slot_of_a_url() {
    URLS.iter().for_each(|(slot, document)| check_one(document, slot, Kind::Url));
}

#[test]
fn every_slot_of_another_kind() {
    OTHERS.iter().for_each(|(slot, kind, document)| check_one(document, slot, *kind));
    for attribute in ["code", "object"] {
        let expected = format!("applet[{attribute}] class x -> none");
        check(&format!("<applet {attribute}=x></applet>"), &[&expected]);
    }
}

#[test]
fn presentation_attributes_of_svg() {
    for attribute in PRESENTATION {
        check_one(&format!("<svg><g {attribute}='url(x) 1'></svg>"), "css url()", Kind::Url);
        check(&format!("<g {attribute}='url(x)'>"), &[]);
        check(&format!("<math {attribute}='url(x)'></math>"), &[]);
    }
}

#[test]
fn metadata() {
    for name in METAS.split_whitespace() {
        for attribute in ["name", "property"] {
            let document = format!("<meta {attribute}={name} content=x>");
            check_one(&document, "meta[name]", Kind::Url);
        }
        check_one(
            &format!("<meta content=x NAME={}>", name.to_uppercase()),
            "meta[name]",
            Kind::Url,
        );
    }
    for name in ["image", "url", "logo", "contentUrl", "thumbnailUrl", "'name url'"] {
        check_one(&format!("<meta itemprop={name} content=x>"), "meta[itemprop]", Kind::Url);
    }
    for name in ["item", "mainEntityOfPage", "license"] {
        let found = html(format!("<meta itemprop={name} content=http://h/x>"));
        assert_eq!(found[0].slot, "meta[schema.org]");
        check(&format!("<meta itemprop={name} content=x>"), &[]);
        check(&format!("<meta itemprop={name} content='http://h/x y'>"), &[]);
    }
}

#[test]
fn every_row_of_the_table_was_met() {
    let mut met: BTreeSet<String> = BTreeSet::new();
    let others = OTHERS.iter().map(|(_, _, document)| *document);
    let rest = [
        "<applet code=x object=x>",
        "<meta name=thumbnail content=x>",
        "<meta itemprop=url content=x>",
        "<meta itemprop=item content=http://h/x>",
    ];
    for document in URLS.iter().map(|(_, document)| *document).chain(others).chain(rest) {
        for reference in html(document) {
            met.insert(reference.slot);
            met.extend(reference.embedded);
        }
    }
    let presentation = PRESENTATION.iter().map(|attribute| format!("svg *[{attribute}]"));
    met.extend(presentation);
    let rows: BTreeSet<String> = SLOTS.iter().map(|slot| slot.name.to_owned()).collect();
    assert_eq!(rows.len(), SLOTS.len(), "names are used once");
    // Header fields are covered by the tests of messages, the slots of other formats by theirs.
    let is_html = SLOTS.iter().take_while(|slot| slot.format != Format::XML);
    let here = is_html.filter(|slot| !matches!(slot.format, Format::HEADER | Format::HTTP));
    // This is only in files.
    let here = here.filter(|slot| slot.name != "css sourceMappingURL");
    // These are no references, and have tests of their own.
    let here = here.filter(|slot| slot.kind != Kind::Condition);
    let here: BTreeSet<String> = here.map(|slot| slot.name.to_owned()).collect();
    // Scripts contain some of those.
    met.retain(|name| here.contains(name) || !rows.contains(name));
    assert_eq!(met, here);
}
