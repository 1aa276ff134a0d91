//! Self-tests for values with a syntax of their own: lists, candidates, refresh, CSS, documents in
//! documents.

use super::selftest::{bad, css, good, html};

/// `~` means what `absolutize` puts in front of a reference.
fn filled(text: &str) -> (String, String) {
    (text.replace('~', ""), text.replace('~', "http://old.example/dir/"))
}

#[track_caller]
fn good_html(text: &str, changed: usize) {
    let (before, after) = filled(text);
    good(&html(&before, &after), changed);
}

#[track_caller]
fn good_css(text: &str, changed: usize) {
    let (before, after) = filled(text);
    good(&css(&before, &after), changed);
}

#[test]
fn srcset() {
    good_html("<img srcset='~a.png 1x, ~b,c.png 2x,\n ~d.png'>", 3);
    good_html("<img srcset='~a.png, ~b.png 100w 50h,data:,x 3x'>", 2);
    good_html("<img srcset=' ,, ~a.png f(a,b) , ~b.png,'>", 2);
    good_html("<img srcset=',,'>", 0);
    let set = |value: &str| format!("<img srcset='{value}'>");
    let (a, b) = ("http://old.example/dir/a", "http://old.example/dir/b");
    bad(&html(&set("a 1x, b 2x"), &set(&format!("{a} 1x, {b} 3x"))), "between references");
    bad(&html(&set("a 1x, b 2x"), &set(&format!("{a} 1x,{b} 2x"))), "between references");
    bad(&html(&set("a 1x, b 2x"), &set(&format!("{a} 1x"))), "2 references before, 1 after");
    bad(&html(&set("a 1x, b 2x"), &set(&format!("{b} 1x, {a} 2x"))), "led to");
    bad(&html(&set("a,b 2x"), &set(&format!("{a},{b} 2x"))), "led to");
}

#[test]
fn refresh() {
    for content in [
        "0;url=~x",
        "0; URL=~x",
        " 5 , Url = \"~x\" y",
        "1.5;~x",
        "0 ~x",
        "0;url='~x",
        ".5;url='~x' url=y",
        "3;urn.html",
        "3;ur~",
    ] {
        let text =
            format!("<meta http-equiv=Refresh content='{}'>", content.replace('\'', "&#39;"));
        let (before, after) = filled(&text);
        let after = after.replace("urn", "http://old.example/dir/urn");
        let after = after.replace("urhttp://old.example/dir/", "http://old.example/dir/ur");
        good(&html(&before, &after), 1);
    }
    let meta = |content: &str| format!("<meta http-equiv=refresh content='{content}'>");
    let to = "http://old.example/dir/x";
    bad(&html(&meta("0;url=x"), &meta(&format!("1;url={to}"))), "between references");
    bad(&html(&meta("0;url=x"), &meta(&format!("0;{to}"))), "between references");
    bad(&html(&meta("0x;url=x"), &meta(&format!("0x;url={to}"))), "between references");
    bad(&html(&meta("0;"), &meta(&format!("0;{to}"))), "0 references before");
}

#[test]
fn metadata() {
    good_html("<meta property=og:image content=~x><meta name=twitter:player content=~y>", 2);
    good_html("<meta name=msapplication-square70x70logo content=~x>", 1);
    good_html("<meta name=citation_pdf_url content=~x><meta itemprop='name url' content=~y>", 2);
    good_html("<meta name=msapplication-task content='name=N; action-uri=~a;icon-uri=~b'>", 2);
    bad(
        &html(
            "<meta name=author content=x>",
            "<meta name=author content=http://old.example/dir/x>",
        ),
        "no slot",
    );
    let task = "<meta name=msapplication-task content='name=a;action-uri=b'>";
    bad(&html(task, &task.replace("name=a;", "name=http://old.example/dir/a;")), "between");
}

#[test]
fn codebases() {
    let text = "<object codebase=~c/ data=~d archive='%a.jar http://h/b.jar'></object>";
    let after = filled(&text.replace('%', "~c/")).1;
    good(&html(&text.replace(['~', '%'], ""), &after), 3);
    let object = |codebase: &str, class: &str, data: &str| {
        format!("<object codebase='{codebase}' classid='{class}' data='{data}'></object>")
    };
    let dir = "http://old.example/dir/";
    let right = object(&format!("{dir}c/"), &format!("{dir}c/A"), &format!("{dir}d"));
    good(&html(&object("c/", "A", "d"), &right), 3);
    let wrong = object(&format!("{dir}c/"), &format!("{dir}A"), &format!("{dir}d"));
    bad(&html(&object("c/", "A", "d"), &wrong), "object[classid]");
    let wrong = object(&format!("{dir}c/"), &format!("{dir}c/A"), &format!("{dir}c/d"));
    bad(&html(&object("c/", "A", "d"), &wrong), "object[data]");
    good_html("<applet codebase=~c/ archive='a.jar,b.jar' code=A.class></applet>", 1);
    let applet = "<applet codebase=c/ code=A.class></applet>";
    bad(&html(applet, &applet.replace("A.class", "http://old.example/dir/c/A.class")), "no slot");
}

#[test]
fn style_sheets() {
    good_css("@import '~a.css' screen; @import url(~b.css); a { b: url( \"~c\" ) }", 3);
    good_css("a{b:image-set('~c' 1x, url(~d) 2x type('e/f')),src('~g')}", 3);
    good_css("@import/**/\"~a\";a{b:URL(~c\\)d);content:'e'}/* url(f) */", 2);
    good_css("@namespace svg url(x);@namespace 'y';a[href='z']{b:\\75rl(~c)}", 1);
    good_css("a{b:url(#c);d:url('#e');f:url();g:url(data:,h)}", 0);
    good_css("a{b:url('~c", 1);
    good_css("@media (a){b{c:url(~d)}}}e{f:url(~g)}", 2);
    let abs = "http://old.example/dir/x";
    bad(&css("a{content:'x'}", &format!("a{{content:'{abs}'}}")), "between references");
    bad(&css("a{b:url(x)}", "a{b:url(http://old.example/x)}"), "led to");
    bad(&css("a{b:url(x)}", &format!("a{{b:url('{abs}')}}")), "between references");
    bad(&css("a{b:url(x)}/* c */", &format!("a{{b:url({abs})}}/* d */")), "between references");
    bad(&css("/* url(x) */", &format!("/* url({abs}) */")), "between references");
    bad(&css("a{b:url(x)}", &format!("a{{b:url({abs}) }}")), "between references");
    bad(&css("a{b:url(x y)}", &format!("a{{b:url({abs} y)}}")), "between references");
    bad(&css("@namespace 'x';", &format!("@namespace '{abs}';")), "between references");
    bad(&css("a{b:url(#x)}", "a{b:url(http://old.example/dir/page.html#x)}"), "local reference");
    bad(&css("a{b:url(x\\)y)}", &format!("a{{b:url({abs})y)}}")), "led to");
}

#[test]
fn style_in_html() {
    good_html("<p style='a:url(~b)'><p style='a:url(&quot;~b c&quot;)'><p style=a:url(~d)>", 3);
    good_html("<style><!-- a{b:url(~c)} --></style><svg><style>a{b:url(~c)}</style></svg>", 2);
    let style = |text: &str| format!("<style>{text}</style>");
    bad(&html(&style("a{b:c}"), &style("a{b:d}")), "<style>: text between");
    bad(&html("<p style='a:b'>", "<p style='a:c'>"), "p[style]: text between");
}

#[test]
fn documents_in_documents() {
    good_html("<iframe srcdoc='<a href=&quot;~x&quot;>t</a><img src=~y>'></iframe>", 2);
    good_html("<iframe srcdoc='<a href=&quot;~x?a&amp;amp;b&quot;>t</a>'></iframe>", 1);
    let text = "<base href=http://n/><iframe srcdoc='<img src=~x>'></iframe>";
    good(&html(&text.replace('~', ""), &text.replace('~', "http://n/")), 1);
    // Browsers differ in the base of this one.
    let text = "<iframe srcdoc='<img src=~x>'></iframe><base href=http://n/>";
    good(&html(&text.replace('~', ""), &text.replace('~', "")), 0);
    let edited = text.replace('~', "http://old.example/dir/");
    bad(&html(&text.replace('~', ""), &edited), "two bases");
    let text = "<iframe srcdoc='<base href=http://m/><img src=~x>'></iframe><img src=%y>";
    let after = text.replace('~', "http://m/").replace('%', "http://old.example/dir/");
    good(&html(&text.replace(['~', '%'], ""), &after), 2);
    good_html("<noscript><img src=~x></noscript><noframes><a href=~y>t</a></noframes>", 2);
    good_html("<noscript><style>a{b:url(~x)}</style></noscript>", 1);
    good_html("<!--[if lt IE 9]><script src=~x></script><![endif]-->", 1);
    good_html("<!--[if !IE]><!--><img src=~x><!--<![endif]-->", 1);
    let nested = "<iframe srcdoc='<iframe srcdoc=&quot;<img src=~x>&quot;></iframe>'></iframe>";
    good_html(nested, 1);

    let doc = |inner: &str| format!("<iframe srcdoc='{inner}'></iframe>");
    bad(&html(&doc("<img src=x>"), &doc("<img src=http://old.example/x>")), "led to");
    bad(&html(&doc("<p>one"), &doc("<p>two")), "text changed");
    bad(&html(&doc("<p class=a>"), &doc("<p class=b>")), "no slot");
    bad(&html(&doc("text"), &doc("test")), "embedded text");
    bad(&html("<noscript><p>a</noscript>", "<noscript><p>b</noscript>"), "text changed");
    bad(
        &html("<noscript><img src=x></noscript>", "<noscript><img src=http://h/x></noscript>"),
        "led to",
    );
    let hidden = |inner: &str| format!("<!--[if IE]>{inner}<![endif]-->");
    bad(&html(&hidden("<img src=x>"), &hidden("<img src=http://h/x>")), "led to");
    bad(&html(&hidden("<p>"), "<!--[if IE 6]><p><![endif]-->"), "comment changed");
    bad(&html("<!-- <img src=x> -->", "<!-- <img src=http://old.example/dir/x> -->"), "comment");
    bad(&html("<xmp><img src=x></xmp>", "<xmp><img src=http://h/x></xmp>"), "text changed");
}
