//! The conditions for a slot, and the kind of a reference: its text, its element, and other
//! attributes of the element.
//!
//! HTML standard, index of attributes; CSS Values level 4, section 4.5 (local URLs).

use relink_rewrite::{Kind, Media};

use crate::listing::{Reference, at_url, html, list, opt_in, shown, unit};

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
fn local_references() {
    check("<img usemap='#m'>", &["img[usemap] local #m -> none"]);
    check("<input usemap=' #m '>", &["input[usemap] local #m -> none"]);
    check("<object usemap='#m'>", &["object[usemap] local #m -> none"]);
    check("<svg><use href='#m'>", &["svg *[href] local #m -> none"]);
    check("<svg><use xlink:href='#m'>", &["svg *[xlink:href] local #m -> none"]);
    check("<svg><g fill='url(#m)'>", &["css url() local #m -> none"]);
    check("<p style='mask:url(&quot;#m&quot;)'>", &["css url() local #m -> none"]);
    check("<a href='#m'>", &["a[href] url #m -> http://h/d/p#m"]);
    check("<svg><a href='#m'>", &["svg a[href] url #m -> http://h/d/p#m"]);
    check("<svg><a xlink:href='#m'>", &["svg a[xlink:href] url #m -> http://h/d/p#m"]);
    check("<math href='#m'>", &["math *[href] url #m -> http://h/d/p#m"]);
    check("<img usemap='q#m'>", &["img[usemap] url q#m -> http://h/d/q#m"]);
}

#[test]
fn templates() {
    for text in ["{{x}}", "a/${x}", "<%=x%>", "<?=x?>", "<!--#echo var='x'-->", "{{ relURL"] {
        check(&format!("<a href=\"{text}\">"), &[&format!("a[href] template {text} -> none")]);
    }
    // Browsers follow these, and no template engine replaces anything in them.
    for text in ["x?q=%s", "100%sure.html", "50%sale.jpg", "{x}", "a<!b", "$x"] {
        let reference = format!("a[href] url {text} -> http://h/d/{text}");
        check(&format!("<a href=\"{text}\">"), &[&reference]);
    }
    // These marks count with their closing ones.
    for text in ["{% url 'home' %}", "{%- x -%}", "{% url", "[[x]]/y", "/#{id}", "@{/x}"] {
        check(&format!("<a href=\"{text}\">"), &[&format!("a[href] template {text} -> none")]);
    }
    for text in ["x{%20y}", "x[[y", "x?a[b]=1", "#{'a':1}", "x@{y}"] {
        let found = html(format!("<a href=\"{text}\">"));
        assert_eq!(found[0].kind, Kind::Url, "{text}");
    }
    check("<img srcset='{{ x }} 1x'>", &["img[srcset] template {{ x }} 1x -> none"]);
}

#[test]
fn empty_values() {
    for element in ["a", "area", "base"] {
        check(
            &format!("<{element} href=' '>"),
            &[&format!("{element}[href] url  -> http://h/d/p")],
        );
    }
    for element in ["blockquote", "q", "ins", "del"] {
        check(&format!("<{element} cite>"), &[&format!("{element}[cite] url  -> http://h/d/p")]);
    }
    for document in ["<link href=''>", "<img src>", "<form action=' '>", "<input formaction>"] {
        check(document, &[]);
    }
    for document in ["<img srcset=''>", "<p style='a:url()'>", "<iframe srcdoc=''>", "<p itemid>"] {
        check(document, &[]);
    }
}

#[test]
fn similar_attributes_without_references() {
    for document in [
        "<img href=x><p src=x><div data=x><a src=x><link src=x><area cite=x><p poster=x>",
        "<div href=x xlink:href=x><svg><p src=x></p></svg><p longdesc=x><p usemap=x>",
        "<p background=x><div background=x></div><span background=x></span><input background=x>",
        "<table><caption background=x></caption><p background=x></table><html background=x>",
        "<image href=x><IMAGE HREF=x>",
        "<svg><image src=x></svg><math><mi src=x></math><svg><rect background=x></svg>",
        "<img formaction=x action=x cite=x><a action=x><a srcset=x><link srcset=x>",
        "<img imagesrcset=x><div manifest=x><body profile=x><p code=x object=x archive=x>",
        "<meta content=x><meta name=description content=x><meta name=author content=x>",
        "<meta property=og:title content=x><meta name=og:image:width content=x>",
        "<meta itemprop=name content=x><meta itemprop=URL content=x><meta http-equiv=x content=x>",
        "<meta name=citation_url_date content=x><meta name=msapplication-TileColor content=x>",
        "<meta http-equiv=content-security-policy content='img-src x'>",
        "<param name=color value=x><param valuetype=data value=x><param value=x>",
        "<style type=text/less>a{b:url(x)}</style><style type='text/css;v=1'>@import 'x'</style>",
        "<!-- <a href=x> --><script>'<a href=x>'</script><title><a href=x></title>",
        "<textarea><a href=x></textarea><xmp><a href=x></xmp><!-- [if --><!--[if IE]>-->",
        "<a data-href=x onclick='f(url(x))' title='url(x)'><script>@import 'x'</script>",
        "<script integrity=x nonce=x></script><a xhref=x><a href-x=x><svg><g class='url(x)'></svg>",
        "<p>a{b:url(x)}<plaintext><a href=x>",
    ] {
        check(document, &[]);
    }
}

#[test]
fn what_a_browser_reads_and_no_more() {
    check_one("<template><a href=x></template>", "a[href]", Kind::Url);
    check_one("<style type=''>a{b:url(x)}</style>", "css url()", Kind::Url);
    check_one("<style type=TEXT/CSS>a{b:url(x)}</style>", "css url()", Kind::Url);
    check_one("<A HREF=x>", "a[href]", Kind::Url);
}

// HTML standard 2.3.3: enumerated attributes are compared whole, "with no leading or trailing
// whitespace".
#[test]
fn a_refresh_with_a_space_is_none() {
    check("<meta http-equiv=' refresh' content='0;url=x'>", &[]);
}

#[test]
fn attributes_named_by_the_user() {
    let options = opt_in(&["data-src", "DATA-HREF", "data-srcset", "title"]);
    let document = b"<p data-src=a><svg data-href=b></svg><i data-srcset='c 1x, d'><a href=e title=f data-x=g>";
    let (found, _) = list(unit(document, Media::HTML, &at_url()), &options);
    let text = |reference: &Reference| format!("{} {}", reference.slot, reference.text);
    let expected = ["*[data-src] a", "*[data-href] b", "*[data-srcset] c", "*[data-srcset] d"];
    assert_eq!(
        found.iter().map(text).collect::<Vec<_>>(),
        [&expected[..], &["a[href] e", "*[title] f"]].concat()
    );
}
