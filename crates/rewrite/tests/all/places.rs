//! Rare places in HTML, in both directions: templates and shadow roots, fallback content, and
//! conditional comments. Other comments and scripts are never read. HTML standard 4.12.3, 4.12.2,
//! 4.8.5, 15.3.3.

use relink_rewrite::{Media, Options, Relative};

use crate::listing::{self, at_url, make_absolute, make_relative, unit};

/// Asserts both directions, where `⟦x⟧` is a reference: `x` relative, `http://h/d/x` absolute.
#[track_caller]
fn check(marked: &str) {
    let text = |front: &str| marked.replace('⟦', front).replace('⟧', "");
    let (relative, absolute) = (text(""), text("http://h/d/"));
    let context = at_url();
    let options = Options::default();
    let shown = |output: Option<Vec<u8>>, before: &str| {
        String::from_utf8_lossy(&output.unwrap_or_else(|| before.into())).into_owned()
    };
    let found =
        make_absolute(unit(relative.as_bytes(), Media::HTML, &context), &options).into_output();
    assert_eq!(shown(found, &relative), absolute, "made absolute");
    let site = Relative::default();
    let found = make_relative(unit(absolute.as_bytes(), Media::HTML, &context), &options, &site);
    assert_eq!(shown(found.into_output(), &absolute), relative, "made relative");
}

#[test]
fn templates() {
    check("<template><a href=⟦x⟧></a><style>b:url(⟦y⟧)</style></template><img src=⟦z⟧>");
    check("<table><template><tr><td background=⟦x⟧></template></table>");
    check("<template><template><img srcset='⟦x⟧ 1x, ⟦y⟧ 2x'></template></template>");
    check("<select><template><option><img src=⟦x⟧></template></select>");
    check("<template><iframe srcdoc='<a href=⟦x⟧>'></iframe></template>");
}

#[test]
fn shadow_roots() {
    for mode in ["open", "closed", "OPEN", "none"] {
        check(&format!(
            "<div><template shadowrootmode={mode}><link rel=stylesheet href=⟦x⟧><slot></slot><style>@import '⟦y⟧';</style></template><a href=⟦z⟧></div>"
        ));
    }
    check("<p><template shadowroot=open shadowrootdelegatesfocus><img src=⟦x⟧></template></p>");
    check("<template shadowrootmode=open><div><template shadowrootmode=open><a href=⟦x⟧>");
}

#[test]
fn what_is_shown_instead() {
    check(
        "<head><noscript><link rel=stylesheet href=⟦x⟧><meta http-equiv=refresh content='0;url=⟦y⟧'></noscript></head><noscript><img src=⟦z⟧></noscript>",
    );
    check(
        "<frameset><frame src=⟦x⟧><noframes><body background=⟦y⟧><a href=⟦z⟧></body></noframes></frameset>",
    );
    check("<iframe src=⟦x⟧><p><a href='⟦y⟧'></p></iframe><noembed><img src=\"⟦z⟧\"></noembed>");
    check("<object data=⟦x⟧><embed src=⟦y⟧><noembed><a href=⟦z⟧></noembed></object>");
    check("<noscript><iframe><style>b:url(⟦x⟧)</style></iframe></noscript>");
}

#[test]
fn conditional_comments() {
    check("<!--[if IE]><link rel=stylesheet href=⟦x⟧><![endif]-->");
    check(
        "<!--[if (gt IE 5)&(lt IE 7)]>\n<script src='⟦x⟧'></script>\n<style>b:url(⟦y⟧)</style>\n<![endif]-->",
    );
    check("<!-- [IF IE]><a href=x><![endif] --><!--[if lt IE 9]><img srcset='⟦x⟧ 1x'><![endif]-->");
    check("<!--[if mso]><v:image src=x /><table background=⟦x⟧></table><![endif]-->");
    // Comments that all browsers but one read as markup are markup like any other.
    check("<!--[if !IE]><!--><a href=⟦x⟧><!--<![endif]-->");
    check("<!--[if !IE]>--><a href=⟦x⟧><!--<![endif]-->");
    check("<!--[if !IE]> --><a href=⟦x⟧><!-- <![endif]-->");
    check("<![if !IE]><a href=⟦x⟧><![endif]>");
    check("<noscript><!--[if IE]><a href=⟦x⟧><![endif]--></noscript>");
}

/// A base there is not a base of the document.
#[test]
fn bases_that_do_not_count() {
    for (start, end) in [
        ("<template>", "</template>"),
        ("<noscript>", "</noscript>"),
        ("<!--[if IE]>", "<![endif]-->"),
    ] {
        let document = format!("{start}<base href=http://i/><a href=x>{end}<a href=x>");
        let targets = listing::html(&document).into_iter().skip(1).map(|found| found.target);
        let expected = Some("http://h/d/x".to_owned());
        assert!(targets.eq([expected.clone(), expected]), "{document}");
    }
}

#[test]
fn never() {
    check(
        "<!-- <a href=x> --><!--[if IE]><a href=x>--><!--<![endif]--><!--#include virtual='x' --><!--ko if: a--><!--esi <a href=x>-->",
    );
    check(
        "<script>a.src = 'x'; import './x'</script><script type=module>import './x'; import('./x')</script>",
    );
    check(
        "<script type=text/template><a href=x></script><script type=application/json>{\"imports\":{\"a\":\"./x\"}}</script>",
    );
    check("<a onclick=\"location='x'\" href=⟦y⟧>");
}
