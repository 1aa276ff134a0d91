//! Generates the site: the names of its resources, and the references between them.

use url::Url;

use super::super::pages::Numbers;
use super::pages::{Kind, Site};

const A: &str = "a.example";
const W: &str = "www.a.example";
const B: &str = "b.example";

/// Names that are hard for programs that make file names of URLs.
const ODD: &[&str] = &[
    "pct%2525.html",
    "100%25.html",
    "what%3F.html",
    "n%23.html",
    "c:d.html",
    "two%20words.html",
    "a,b(c).html",
    "x'y.html",
    "semi;colon.html",
    "plus+plus.html",
    "amp&er.html",
    "eq=ual.html",
    "star*.html",
    "pipe%7C.html",
    "quote%22.html",
    "back%5Cslash.html",
    "~user/",
    "@me",
    "dot.v1.2",
    "v1.2/",
    "UPPER.HTML",
    "index.php",
    "p.php",
    "p.php.html",
    "about",
    "team",
    "wiki/File:Logo.png",
    "latin/",
    "utf8/caf%C3%A9.html",
    "utf8/na%C3%AFve%20page.html",
    "shop/",
    "news/",
    "wiki/",
    "docs/",
    "docs/v1/",
    "docs/v2/",
    "docs/sub/",
    "docs/sub/page.html",
    "old/left.html",
    "old/right.html",
    "blog",
    "blog/post-1",
    "blog/post-2",
    "item.php",
];

/// Numbered resources: the host, the kind, the name with `#` for the number, and how many.
const SERIES: &[(&str, Kind, &str, usize)] = &[
    (A, Kind::Html, "docs/v1/p#.html", 12),
    (A, Kind::Html, "docs/v2/p#.html", 12),
    (A, Kind::Html, "item.php?id=#", 14),
    (A, Kind::Html, "list.php?page=#&sort=a", 5),
    (A, Kind::Html, "shop/index.php?cat=#", 4),
    (A, Kind::Html, "wiki/Topic_#", 10),
    (A, Kind::Picture, "img/i#.png", 16),
    (W, Kind::Html, "w#.html", 10),
    (W, Kind::Picture, "img/w#.png", 5),
    (B, Kind::Html, "d/f#.html", 20),
    (B, Kind::Html, "forum/viewtopic.php?f=1&t=#", 8),
    (B, Kind::Html, "forum/viewtopic.php?f=1&t=2&start=#", 3),
    (B, Kind::Html, "users/u#/", 5),
    (B, Kind::Picture, "img/b#.png", 18),
    (B, Kind::Script, "lib/l#.js", 5),
    (B, Kind::Css, "lib/l#.css", 5),
];

/// Other resources, some with queries.
const OTHERS: &[(&str, Kind, &str)] = &[
    (A, Kind::Html, ""),
    (W, Kind::Html, ""),
    (B, Kind::Html, ""),
    (B, Kind::Html, "d/e.html"),
    (B, Kind::Html, "q?a=1;b=2"),
    (B, Kind::Html, "q?u=http://a.example/x"),
    (B, Kind::Html, "search?q=a/b&lang=de"),
    (A, Kind::Latin, "latin/caf%E9.html"),
    (A, Kind::Latin, "latin/search.php?q=%E9t%E9"),
    (A, Kind::Picture, "img/three%20four.png"),
    (A, Kind::Svg, "img/pic.svg"),
    (A, Kind::Svg, "img/sprite.svg"),
    (A, Kind::Css, "css/main.css"),
    (A, Kind::Css, "css/more.css"),
    (A, Kind::Css, "css/print.css"),
    (A, Kind::Css, "css/deep/er.css"),
    (A, Kind::Css, "cgi-bin/style.cgi?theme=dark"),
    (A, Kind::Css, "cgi-bin/style.cgi?theme=light"),
    (A, Kind::Css, "load.php?modules=a%7Cb&only=styles"),
    (W, Kind::Css, "css/w.css"),
    (A, Kind::Script, "cgi-bin/app.cgi?v=2"),
    (A, Kind::Script, "js/app.js"),
    (A, Kind::Script, "js/lib.js"),
    (A, Kind::Font, "fonts/f.eot"),
    (A, Kind::Font, "fonts/f.woff"),
    (A, Kind::Font, "fonts/f.woff2"),
    (A, Kind::Font, "fonts/g.ttf"),
    (A, Kind::Manifest, "site.webmanifest"),
];

/// Redirects.
const REDIRECTS: &[(&str, &str)] = &[
    ("a.example/docs", "a.example/docs/"),
    ("a.example/docs/v1", "a.example/docs/v1/"),
    ("a.example/docs/v2", "a.example/docs/v2/"),
    ("a.example/docs/latest", "a.example/docs/latest/"),
    ("a.example/docs/latest/", "a.example/docs/v2/"),
    ("a.example/moved.html", "a.example/docs/v1/p1.html"),
    ("a.example/go.php?to=3", "a.example/item.php?id=3"),
    ("a.example/out", "b.example/d/e.html"),
    ("b.example/users/u1", "b.example/users/u1/"),
    ("www.a.example/old/1.html", "a.example/docs/v1/p1.html"),
    ("www.a.example/about", "a.example/about"),
];

/// URLs that answer 404, and some of another site.
const GONE: &[&str] = &[
    "http://a.example/gone/1.html",
    "http://a.example/gone.php?id=9",
    "http://b.example/d/gone.html",
    "http://www.a.example/gone",
    "http://a.example/docs/v1/p99.html",
    "http://out.example/x?y=z",
    "https://out.example/",
];

/// Pages whose body is written manually; `X` in front of `=` is any attribute.
const BY_HAND: &[(&str, &str)] = &[
    (
        "a.example/old/FRAMES.HTM",
        "<frameset cols=50%,50%><frame src=left.html><frame src=\"/old/right.html\" longdesc=../about><noframes><a href=left.html>left</a></noframes></frameset>",
    ),
    (
        "a.example/base/b0.html",
        "<base href=\"/docs/v1/\"><a href=p1.html>1</a><a href=\"#x\">x</a><img src=../../img/i1.png><a href=\"p2.html#a\">2</a>",
    ),
    (
        "a.example/base/b1.html",
        "<base href=\"http://b.example/d/\"><a href=e.html>e</a><img src=../img/b1.png><a href=\"/\">home of b</a><a href=\"//a.example/\">home</a>",
    ),
    (
        "a.example/base/b2.html",
        "<base href=\"../docs/v2/\"><a href=p3.html>3</a><a href=.>v2</a><a href=..>docs</a><a href=\"?\">q</a>",
    ),
    (
        "a.example/base/b3.html",
        "<base href=\"\"><a href=b4.html>4</a><a href=../>home</a><img src=/img/i2.png>",
    ),
    (
        "a.example/base/b4.html",
        "<base target=_top><base href=\"/wiki/\"><base href=\"/no/\"><a href=Topic_1>1</a><a href=\"Topic_2#s\">2</a>",
    ),
    (
        "a.example/base/b5.html",
        "<a href=\"p4.html\">before</a><p><base href=\"/docs/v1/\"><a href=p5.html>after</a>",
    ),
    (
        "a.example/base/b6.html",
        "<base href=\"http://a.example/item.php\"><a href=\"?id=1\">1</a><a href=\"?id=2\">2</a><a href=about>about</a>",
    ),
    (
        "a.example/base/b7.html",
        "<base href=\"http://www.a.example/x/y.html\"><a href=../w1.html>1</a><img src=\"/img/w1.png\"><a href=\"//b.example/d/f1.html\">f</a>",
    ),
    (
        "a.example/base/b8.html",
        "<base href=\"/\"><a href=docs/>docs</a><a href=docs>docs</a><a href=\"\">home</a><style type=text/css>p { background: url(img/i3.png) }</style>",
    ),
    (
        "a.example/news/?page=1",
        "<a href=\"?page=2\">next</a><a href=\"./?page=2\">next</a><a href=\"./\">first</a><a rel=last href=\"/news/?page=4\">last</a>",
    ),
    (
        "a.example/news/?page=2",
        "<a href=\"?page=1\">previous</a><a href=\"?page=3\">next</a><a href=\"?page=1#n3\">note</a>",
    ),
    (
        "a.example/news/?page=3",
        "<link rel=prev href=\"?page=2\"><link rel=next href=\"?page=4\"><a href=\"?page=4\">next</a>",
    ),
    ("a.example/news/?page=4", "<a href=\"?page=3\">previous</a><a href=\"?page=5\">never</a>"),
    (
        "a.example/refresh.html",
        "<meta http-equiv=refresh content=\"3600; url=/docs/v1/\"><a href=\"/\">home</a>",
    ),
    (
        "a.example/fonts.html",
        "<style type=text/css>@font-face { font-family: f; src: url(/fonts/f.eot); src: url('/fonts/f.eot?#iefix') format('embedded-opentype'), url(fonts/f.woff2?v=4.7) format('woff2'), url(\"fonts/f.woff?v=4.7\") format('woff') }</style><link rel=manifest href=site.webmanifest><link rel=preload as=image href=img/i4.png imagesrcset=\"img/i4.png 1x, img/i5.png 2x\">",
    ),
    (
        "a.example/media.html",
        "<picture><source srcset=\"/img/i6.png, /img/i7.png 2x\"><source srcset=\"//b.example/img/b2.png 100w,img/i8.png 200w\"><img src=img/i9.png srcset=\"img/three%20four.png 1x\"></picture><video poster=img/i10.png></video><object data=img/pic.svg></object><table background=img/i11.png><tr><td background=\"/img/i12.png\">x</table><input type=image src=img/i13.png><img src=img/sprite.svg usemap=\"#m\"><map name=m><area href=docs/v1/p7.html><area href=\"docs/v1/p7.html#b\"></map><svg><image href=\"img/i14.png\"/><use xlink:href=\"img/sprite.svg#one\"/></svg>",
    ),
    (
        "a.example/meta.html",
        "<meta property=og:url content=\"http://a.example/meta.html\"><meta property=og:image content=\"http://a.example/img/i1.png\"><link rel=canonical href=\"/meta.html\"><link rel=alternate hreflang=de href=\"http://b.example/d/e.html\"><link rel=icon href=img/i15.png><form action=\"/search.php\"><input name=q></form><form action=item.php></form><blockquote cite=docs/v1/p8.html>x</blockquote><noscript><img src=img/i0.png></noscript><iframe src=old/left.html></iframe><a href=\"mailto:u@a.example\">mail</a><a href=\"javascript:void(0)\">script</a><a href=\"data:text/plain,x\">data</a><a href=\"  docs/v1/p9.html \">spaces</a><a href=\"docs\\v1\\p9.html\">backslashes</a><a href=\"HTTP://A.EXAMPLE/docs/v1/p9.html\">upper case</a><a href=\"http:docs/v1/p9.html\">no slashes</a><a href=\"docs/../docs/./v1/p9.html\">dots</a><a href=\"%64ocs/v1/p9.html\">escapes</a>",
    ),
    (
        "a.example/latin/intern.html",
        "<a href=\"caf%E9.html\">byte</a><a href=\"search.php?q=%E9t%E9\">query</a><a href=\"/utf8/caf%C3%A9.html\">UTF-8</a>",
    ),
];

/// Returns the whole site.
pub(super) fn site() -> Site {
    let mut site = Site::default();
    for (host, kind, path) in OTHERS {
        site.add(*kind, &format!("{host}/{path}"));
    }
    for name in ODD {
        site.add(Kind::Html, &format!("{A}/{name}"));
    }
    for (host, kind, name, n) in SERIES {
        for idx in 0..*n {
            site.add(*kind, &format!("{host}/{}", name.replace('#', &idx.to_string())));
        }
    }
    for (from, to) in REDIRECTS {
        site.redirect(from, to);
    }
    let by_hand: Vec<(usize, &str)> =
        BY_HAND.iter().map(|(url, text)| (site.add(Kind::Html, url), *text)).collect();
    let map = site.add(Kind::Html, "a.example/map.html");
    let mut numbers = Numbers(0x5173);
    let targets = Targets::of(&site);
    for id in 0..site.resources.len() {
        let (url, kind) = (site.resources[id].url.clone(), site.resources[id].kind);
        let text = match by_hand.iter().find(|(own, _)| *own == id) {
            Some((_, text)) => (*text).to_owned(),
            None if id == map => targets.map(&url, &mut numbers),
            None => targets.body(kind, &url, &mut numbers),
        };
        site.write(id, &text);
    }
    site
}

/// The page of [`site_with_redirecting_host`] with links to the host.
pub(super) const LINKS: &str = "http://a.example/links.html";

/// Returns the site with a host that redirects to another one, `www.b.example`, and a page with two
/// links to each of its URLs.
pub(super) fn site_with_redirecting_host() -> Site {
    let mut site = site();
    let of_host = site.resources.iter().filter(|resource| resource.url.host_str() == Some(B));
    let urls: Vec<String> = of_host.map(|resource| resource.url.to_string()).collect();
    let mut links = String::new();
    for url in urls {
        let url = url.strip_prefix("http://").expect("a scheme");
        site.redirect(&format!("www.{url}"), url);
        for scheme in ["http:", ""] {
            let url = attribute(&format!("{scheme}//www.{url}"));
            links.push_str(&format!("<a href=\"{url}\">x</a> <a href=\"{url}#s\">x</a>\n"));
        }
    }
    let id = site.add(Kind::Html, LINKS.strip_prefix("http://").expect("a scheme"));
    site.write(id, &links);
    site
}

/// What references lead to.
struct Targets {
    pages: Vec<Url>,
    pictures: Vec<Url>,
    sheets: Vec<Url>,
    scripts: Vec<Url>,
    fonts: Vec<Url>,
    redirects: Vec<Url>,
}

impl Targets {
    fn of(site: &Site) -> Targets {
        let all = |wanted: &dyn Fn(Kind) -> bool| {
            let found = site.resources.iter().filter(|resource| wanted(resource.kind));
            found.map(|resource| resource.url.clone()).collect::<Vec<_>>()
        };
        Targets {
            pages: all(&Kind::is_page),
            pictures: all(&|kind| matches!(kind, Kind::Picture | Kind::Svg)),
            sheets: all(&|kind| kind == Kind::Css),
            scripts: all(&|kind| kind == Kind::Script),
            fonts: all(&|kind| kind == Kind::Font),
            redirects: site.redirecting(),
        }
    }

    /// A page with a link to each other page.
    fn map(&self, own: &Url, numbers: &mut Numbers) -> String {
        let link = |url: &Url| {
            format!("<li><a href=\"{}\">x</a>\n", attribute(&spelled(own, url, numbers)))
        };
        self.pages.iter().chain(&self.redirects).map(link).collect()
    }

    fn body(&self, kind: Kind, own: &Url, numbers: &mut Numbers) -> String {
        match kind {
            Kind::Html | Kind::Latin => self.page(own, kind == Kind::Latin, numbers),
            Kind::Css => self.sheet(own, numbers),
            Kind::Script => "var x = '<i>';\n".to_owned(),
            Kind::Svg => {
                let picture = spelled(own, one(&self.pictures, numbers), numbers);
                let link = attribute(&spelled(own, one(&self.pages, numbers), numbers));
                let picture = attribute(&picture);
                format!(
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\"><image href=\"{picture}\"/><a xlink:href=\"{link}\"><path id=\"one\"/></a><use href=\"#one\"/></svg>"
                )
            }
            Kind::Manifest => {
                let icon = spelled(own, one(&self.pictures, numbers), numbers);
                format!(
                    "\"start_url\": \"./?\", \"icons\": [{{\"src\": \"{icon}\"}}, {{\"src\": \"img/i1.png\"}}]}}\n"
                )
            }
            Kind::Picture | Kind::Font => String::new(),
        }
    }

    fn sheet(&self, own: &Url, numbers: &mut Numbers) -> String {
        let mut text = String::new();
        let mut add = |before: &str, all: &[Url], after: &str, numbers: &mut Numbers| {
            let url = spelled(own, one(all, numbers), numbers);
            let url = url.replace('\'', "\\'").replace('(', "\\(").replace(')', "\\)");
            text.push_str(&format!("{before}{}{after}\n", url.replace(' ', "%20")));
        };
        if numbers.is(2) {
            add("@import '", &self.sheets, "';", numbers);
            add("@import url(\"", &self.sheets, "\") print;", numbers);
        }
        add("p { background: url(", &self.pictures, ") }", numbers);
        add("h1 { background: url('", &self.pictures, "') }", numbers);
        if numbers.is(2) {
            add("@font-face { font-family: f; src: url(\"", &self.fonts, "\") }", numbers);
        }
        text
    }

    fn page(&self, own: &Url, is_latin: bool, numbers: &mut Numbers) -> String {
        let mut text = String::new();
        let mut add = |before: &str, url: &str, after: &str| {
            text.push_str(&format!("<{before}=\"{}\"{after}>\n", attribute(url)));
        };
        if numbers.is(3) {
            add("link rel=canonical href", own.as_str(), "");
        }
        if numbers.is(2) {
            add("link rel=stylesheet href", &spelled(own, one(&self.sheets, numbers), numbers), "");
        }
        if numbers.is(3) {
            add("script src", &spelled(own, one(&self.scripts, numbers), numbers), "></script");
        }
        for _ in 0..3 + numbers.below(5) {
            let mut url = match numbers.below(10) {
                0 => (*numbers.one_of(GONE)).to_owned(),
                1 => spelled(own, one(&self.redirects, numbers), numbers),
                _ => spelled(own, one(&self.pages, numbers), numbers),
            };
            if numbers.is(4) {
                url.push_str(numbers.one_of(&["#s", "#a?b", "#x%20y"]));
            }
            add("a href", &url, "");
        }
        if numbers.is(3) {
            add("a href", numbers.one_of(&["#s", "", "?", ".", "./", "#"]), "");
        }
        if is_latin {
            // The byte of the charset: a path is in UTF-8, a query in the charset of the page.
            add("a href", "http://a.example/utf8/caf\u{E9}.html", "");
            add("a href", "search.php?q=\u{E9}t\u{E9}", "");
            add("a href", "caf%E9.html", "");
        }
        for _ in 0..1 + numbers.below(3) {
            let mut picture = || spelled(own, one(&self.pictures, numbers), numbers);
            let (first, second) = (picture(), picture());
            match numbers.below(5) {
                0 => add("img srcset", &format!("{first} 1x, {second} 2x"), ""),
                1 if !first.contains('\'') => {
                    add("p style", &format!("background: url('{first}')"), "");
                }
                2 => add("img alt=\"\" src", &format!("{first}#f"), ""),
                _ => add("img src", &first, ""),
            }
        }
        text
    }
}

fn one<'u>(all: &'u [Url], numbers: &mut Numbers) -> &'u Url {
    &all[numbers.below(all.len())]
}

/// A reference to a URL in one of several spellings.
fn spelled(own: &Url, url: &Url, numbers: &mut Numbers) -> String {
    let is_near = own.host() == url.host();
    let path = &url[url::Position::BeforePath..];
    match numbers.below(6) {
        0 => url.to_string(),
        1 => url.as_str().replacen("http:", "", 1),
        2 | 3 if is_near => path.to_owned(),
        // A name with a colon would be a scheme.
        _ => own
            .make_relative(url)
            .filter(|relative| own.join(relative).as_ref() == Ok(url))
            .unwrap_or_else(|| url.to_string()),
    }
}

pub(super) fn attribute(value: &str) -> String {
    value.replace('&', "&amp;").replace('"', "&quot;")
}
