//! The judge judged: hand-written pairs of documents, right ones and wrong ones.

use super::{Verdict, judge_css, judge_html};

const URL: &str = "http://old.example/dir/page.html";

pub(super) fn html(before: &str, after: &str) -> Verdict {
    judge_html(before.as_bytes(), after.as_bytes(), URL)
}

pub(super) fn css(before: &str, after: &str) -> Verdict {
    judge_css(before.as_bytes(), after.as_bytes(), URL)
}

/// Nothing is wrong and nothing is left relative; gives the number of references.
#[track_caller]
pub(super) fn good(verdict: &Verdict, changed: usize) {
    assert_eq!(verdict.violations, Vec::<String>::new());
    assert_eq!(verdict.still_relative, Vec::<String>::new());
    assert_eq!(verdict.rewritten_absolute, Vec::<String>::new());
    assert_eq!(verdict.changed, changed);
}

/// Something is wrong, and the judge says so in these words.
#[track_caller]
pub(super) fn bad(verdict: &Verdict, words: &str) {
    assert!(
        verdict.violations.iter().any(|line| line.contains(words)),
        "no {words:?} in {:?}",
        verdict.violations
    );
}

#[test]
fn plain_references() {
    good(&html("<a href=x>t</a>", "<a href=http://old.example/dir/x>t</a>"), 1);
    good(&html("<IMG SRC='../i.gif'>", "<IMG SRC='http://old.example/i.gif'>"), 1);
    good(&html("<a href='//h/x'>t</a>", "<a href='http://h/x'>t</a>"), 1);
    good(&html("<a href='http:g'>t</a>", "<a href='http://old.example/dir/g'>t</a>"), 1);
    let quoted = "<a href='?a=1&amp;b=2'>t</a>";
    good(&html(quoted, "<a href='http://old.example/dir/page.html?a=1&amp;b=2'>t</a>"), 1);
    good(&html("<p>nothing</p>", "<p>nothing</p>"), 0);
}

#[test]
fn every_slot_of_a_page() {
    let page = "<html manifest=~m><link href=~l imagesrcset='~a 1x, ~b 2x'><body background=~bg>\
        <img src=~i longdesc=~l lowsrc=~w dynsrc=~d srcset=~s><video src=~v poster=~p></video>\
        <form action=~f><input src=~i formaction=~a><button formaction=~b></button></form>\
        <blockquote cite=~q></blockquote><ins cite=~q></ins><embed src=~e pluginspage=~p>\
        <a ping='~1 ~2' attributionsrc=~3 href=~h>t</a><bgsound src=~b><command icon=~i>\
        <object data=~d codebase=~c/ usemap=~u></object><track src=~t><layer src=~l></layer>\
        <param name=movie value=~m><param valuetype=REF value=~v><param name=x value=~kept>\
        <svg><a xlink:href=~a></a><image href=~i /><rect fill='url(~u)'/></svg>\
        <math href=~m></math><p style='background:url(~s)' title=~kept>~kept</p>";
    let (before, after) = (page.replace('~', ""), page.replace('~', "http://old.example/dir/"));
    let after = after.replace("http://old.example/dir/kept", "kept");
    good(&html(&before, &after), 38);
    let untouched = html(&before, &before);
    assert_eq!((untouched.references, untouched.still_relative.len()), (38, 38));
}

#[test]
fn bases() {
    let with = |base: &str, href: &str| format!("<base href='{base}'><a href='{href}'>t</a>");
    good(&html(&with("../b/", "x"), &with("http://old.example/b/", "http://old.example/b/x")), 2);
    good(&html(&with("http://n/", "x"), &with("http://n/", "http://n/x")), 1);
    good(&html(&with("data:,x", "x"), &with("data:,x", "http://old.example/dir/x")), 1);
    let two = "<a href=~x>t</a><base target=_top><base href=~b/><base href=~c/>";
    let after = "<a href=http://old.example/dir/b/x>t</a><base target=_top>\
        <base href=http://old.example/dir/b/><base href=http://old.example/dir/c/>";
    good(&html(&two.replace('~', ""), after), 3);
    let noscript = "<noscript><base href=http://n/></noscript><a href=~x>t</a>";
    let after = noscript.replace('~', "http://old.example/dir/");
    good(&html(&noscript.replace('~', ""), &after), 1);
    let template = "<template><base href=http://n/></template><a href=~x>t</a>";
    let after = template.replace('~', "http://old.example/dir/");
    good(&html(&template.replace('~', ""), &after), 1);
    let fragment = "<base href='http://n/'><a href='~#f'>t</a>";
    good(&html(&fragment.replace('~', ""), &fragment.replace('~', "http://n/")), 1);
}

#[test]
fn what_may_stay() {
    good(&html("<a href='#f'>t</a><a href=''>t</a>", "<a href='#f'>t</a><a href=''>t</a>"), 0);
    for page in [
        "<base href='http://n/x/'><svg><use xlink:href='#g'/><rect fill='url(#p)'/></svg>",
        "<base href='http://n/x/'><img usemap='#m'><p style='filter:url(\"#f\")'>",
        "<a href='{{ url }}'>t</a><img src='${x}'><a href='<?= $x ?>'>t</a>",
        "<img src=''><form action=''></form><input formaction=' '><link href=''>",
        "<a href='http://['>t</a><a href='mailto:a@b'>t</a><img src='data:,x'>",
        "<applet code=A object=o archive='a.jar, b.jar' codebase='http://h/c/'></applet>",
        "<p itemid=x itemtype=y title=z data-src=w></p><head profile=p>",
        "<meta http-equiv=refresh content=5><meta name=author content=a.html>",
        "<object classid='clsid:D27' codebase='http://h/c.cab#Version=6'></object>",
        "<style>@namespace url(x); a{color:red} /* url(y) */ b::after{content:'z'}</style>",
        "<!-- <a href=x> --><script>var a = '<a href=x>';</script><textarea><a href=x></textarea>",
    ] {
        good(&html(page, page), 0);
    }
}

#[test]
fn still_relative_is_reported() {
    let left = |page: &str| html(page, page).still_relative;
    assert_eq!(left("<a href=x>t</a>"), ["a[href]: x"]);
    assert_eq!(left("<a href=/x>t</a>"), ["a[href]: /x"]);
    assert_eq!(left("<a href=//h/x>t</a>"), ["a[href]: //h/x"]);
    assert_eq!(left("<a href=http:x>t</a>"), ["a[href]: http:x"]);
    assert_eq!(left("<base href=http://n/><a href=#f>t</a>"), ["a[href]: #f"]);
    assert_eq!(left("<base href=''>"), Vec::<String>::new());
    assert_eq!(left("<noscript><img src=x></noscript>"), ["img[src]: x"]);
    assert_eq!(left("<!--[if IE]><img src=x><![endif]-->"), ["img[src]: x"]);
    assert_eq!(left("<iframe srcdoc='<img src=x>'></iframe>"), ["img[src]: x"]);
    assert_eq!(left("<template><img src=x></template>"), ["img[src]: x"]);
    assert_eq!(left("<style>a{b:url(x)}</style>"), ["<style>: x"]);
    let sheet = "@import 'a'; b{c:url(d)}";
    assert_eq!(css(sheet, sheet).still_relative, ["css: a", "css: d"]);
}

#[test]
fn absolute_ones_are_left_alone() {
    let verdict = html("<a href=HTTP://H/a/../b>t</a>", "<a href=http://h/b>t</a>");
    assert_eq!(verdict.violations, Vec::<String>::new());
    assert_eq!(verdict.rewritten_absolute.len(), 1);
}

#[test]
fn charsets() {
    let latin = judge_html(
        b"<a href='\xE9.html'>\xE9",
        b"<a href='http://old.example/dir/\xE9.html'>\xE9",
        URL,
    );
    good(&latin, 1);
    let utf8 = html("<a href='é.html'>é", "<a href='http://old.example/dir/%C3%A9.html'>é");
    good(&utf8, 1);
    let mark = html("\u{FEFF}<img src=x>", "\u{FEFF}<img src=http://old.example/dir/x>");
    good(&mark, 1);
    let wide = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let image = wide("\u{FEFF}<img src=x>\u{65E5}");
    let right = wide("\u{FEFF}<img src=http://old.example/dir/x>\u{65E5}");
    good(&judge_html(&image, &right, URL), 1);
    bad(&judge_html(&image, &right[..right.len() - 2], URL), "changed");
    let narrow = b"<img src=http://old.example/dir/x>";
    bad(&judge_html(&image, narrow, URL), "changed");
    let lost = judge_html(b"\xEF\xBB\xBF<p>", b"<p>", URL);
    bad(&lost, "changed");
    bad(&judge_html(b"<p>\xE9", b"<p>\xC3\xA9", URL), "text changed");
}

#[test]
fn wrong_targets() {
    bad(&html("<a href=x>t</a>", "<a href=http://old.example/x>t</a>"), "led to");
    bad(&html("<a href=../x>t</a>", "<a href=http://old.example/dir/x>t</a>"), "led to");
    bad(&html("<a href='x?a&amp;lt'>", "<a href='http://old.example/dir/x?a&lt'>"), "led to");
    bad(&html("<a href='x#f'>", "<a href='http://old.example/dir/x'>"), "led to");
    bad(&html("<a href='x?'>", "<a href='http://old.example/dir/x'>"), "led to");
    bad(&html("<a href='http://['>", "<a href='http://old.example/['>"), "nowhere");
    bad(&html("<a href='x'>", "<a href='http://['>"), "leads to nowhere");
    bad(&html("<img src=''>", "<img src='http://old.example/dir/page.html'>"), "empty value");
    bad(&html("<a href='page.html'>", "<a href=''>"), "became empty");
    bad(&html("<a href='{{x}}'>", "<a href='http://old.example/dir/{{x}}'>"), "template");
    let svg = |href: &str| format!("<svg><use href='{href}'/></svg>");
    bad(&html(&svg("#g"), &svg("http://old.example/dir/page.html#g")), "local reference");
}

#[test]
fn wrong_bases() {
    let with = |base: &str, href: &str| format!("<base href='{base}'><a href='{href}'>t</a>");
    let before = with("b/", "x");
    let deep = "http://old.example/dir/b/";
    bad(&html(&before, &with("http://old.example/b/", &format!("{deep}x"))), "base[href]");
    bad(&html(&before, &with(deep, "http://old.example/dir/x")), "a[href]");
    bad(&html(&before, &with("http://n/", "x")), "a[href]");
    let second = "<base href=b/><base href=c/>";
    let wrong = format!("<base href={deep}><base href={deep}c/>");
    bad(&html(second, &wrong), "base[href]");
    let unused = "<base href='data:,x'><a href=x>t</a>";
    bad(&html(unused, "<base href='http://old.example/dir/page.html'><a href=x>t</a>"), "base");
}

#[test]
fn everything_else_stays() {
    let abs = "http://old.example/dir/x";
    let page = |text: &str| text.replace('~', abs);
    let before = "<p class=c><a href=x title=t>one</a> two</p><!-- c --><script>s</script>";
    good(
        &html(
            before,
            &page("<p class=c><a href=~ title=t>one</a> two</p><!-- c --><script>s</script>"),
        ),
        1,
    );
    for (after, words) in [
        ("<p class=c><a href=~ title=t>One</a> two</p><!-- c --><script>s</script>", "text"),
        ("<p class=d><a href=~ title=t>one</a> two</p><!-- c --><script>s</script>", "no slot"),
        ("<p class=c><a href=~ title=x>one</a> two</p><!-- c --><script>s</script>", "no slot"),
        ("<p class=c><a href=~>one</a> two</p><!-- c --><script>s</script>", "attributes"),
        ("<p class=c><a title=t href=~>one</a> two</p><!-- c --><script>s</script>", "attributes"),
        ("<p class=c><a href=~ title=t>one</a> two</p><!-- d --><script>s</script>", "comment"),
        ("<p class=c><a href=~ title=t>one</a> two</p><!-- c --><script>t</script>", "text"),
        ("<p class=c><a href=~ title=t>one</a> two</p><script>s</script>", "children"),
        ("<p class=c><b href=~ title=t>one</b> two</p><!-- c --><script>s</script>", "node"),
        ("<P class=c><a href=~ title=t>one</a> two</p><!-- c --><script>s</script>", "letter case"),
        ("<p class=c><a HREF=~ title=t>one</a> two</p><!-- c --><script>s</script>", "outside"),
        ("<p class=c><a href='~' title=t>one</a> two</p><!-- c --><script>s</script>", "quotes"),
        ("<p class=c><a href=~  title=t>one</a> two</p><!-- c --><script>s</script>", "byte 21"),
        ("<p class=c ><a href=~ title=t>one</a> two</p><!-- c --><script>s</script>", "around"),
    ] {
        let after = page(after);
        if words == "outside" {
            // A change of case in the run of an edit is within what the raw check lets pass.
            assert!(html(before, &after.replace(abs, "x")).violations.len() == 1);
        } else {
            bad(&html(before, &after), words);
        }
    }
    bad(&html("<!DOCTYPE html><p>", "<!DOCTYPE htm><p>"), "node");
    bad(&html("<p>\r\n<p>", "<p>\n<p>"), "around");
    bad(&html("<p>&amp;</p>", "<p>&</p>"), "outside");
    bad(&html("<p id=a id=b>", "<p id=a id=c>"), "outside");
    bad(&html("<svg viewBox=1></svg>", "<svg viewbox=1></svg>"), "letter case");
    bad(&html("<b><i>x</b></i>", "<b><i>x</i></b>"), "outside");
}

/// No byte of a document can change unseen.
#[test]
fn single_bytes() {
    let page = "<!DOCTYPE html>\r\n<BASE href='http://n/b/'>\n<p class=\"c\" STYLE='a:url(b)'>&amp; text\
        <a href = x title='a/b'>t</a><!-- c --><img srcset='a 1x, b 2x'/></p>\
        <!--[if IE]><img src=y><![endif]--><noscript><i>n</i></noscript>\
        <iframe srcdoc='<b id=&quot;d&quot;>e</b>'></iframe><style>a { b: url( c ) }</style>";
    for at in 0..page.len() {
        let (head, tail) = page.split_at(at);
        for mutant in [
            format!("{head}{}", &tail[1..]),
            format!("{head}q{}", &tail[1..]),
            format!("{head} {tail}"),
            format!("{head}.{tail}"),
        ] {
            let verdict = html(page, &mutant);
            let seen = !verdict.violations.is_empty() || !verdict.rewritten_absolute.is_empty();
            assert!(seen || mutant == page, "{mutant}");
        }
    }
}
