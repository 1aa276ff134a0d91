"""Small sites that are easily converted wrongly: five of each kind, with a command for each. Read by
variants.py."""

import dataclasses

OLD, NEW, IDN, NEW_IDN = "old.example", "new.test", "b\xfccher.example", "m\xfcnchen.test"


@dataclasses.dataclass
class Row:
    """A site, in which ROOT, PATH, NAME and HOST are its URL, its path, its name and its host, and
    DIGEST is the digest of its `css/a.css`."""

    command: str
    page: str
    files: dict = dataclasses.field(default_factory=dict)
    # What is opened.
    at: str = "index.html"
    # The outcome that relink reports of what it leaves.
    says: str = ""
    host: str = OLD
    to: str = NEW
    # What `mv` renames.
    renamed: dict = dataclasses.field(default_factory=dict)
    charset: str = "utf-8"

    @property
    def words(self):
        """What is written in it, for messages."""
        return [self.command, self.page, *self.files.values()]


def sheets(*names):
    return "".join(f'<link rel=stylesheet href="{name}">' for name in names)


def lost(command, content, name="404.html", at="x/y/missing", says="", **more):
    """An error page."""
    return Row(command, "<p>x", {name: "<!doctype html>" + content, **more.pop("files", {})}, at, says, **more)


def application(content, configuration, text):
    """A page that a server sends instead of each file that it does not have."""
    return lost("relativize --for static-host", content, "app.html", says="error-page", files={configuration: text})


# Here a reference may be right as it is written, by another program.
HOSTED = "relativize --for static-host --missing keep"
USE = "p{background-image:var(--p)}"
X = "<p>x"
KINDS = {
    "custom property": [
        Row("relativize", sheets("css/v.css", "css/d/u.css") + X, {"css/v.css": ":root{--p:url(../i.png)}", "css/d/u.css": USE}, says="place-dependent"),
        Row("absolutize", sheets("css/u.css") + "<p style=\"--p:url('d/i.png')\">x", {"css/u.css": USE}, says="place-dependent"),
        Row("relativize", f"<style>:root{{--p:url(ROOTi.png)}}{USE}</style>" + X),
        Row("move", sheets("css/v.css") + '<p style="background-image:var(--p)">x', {"css/v.css": "@media all{:root{--p:u\\72l(ROOTi.png)}}"}),
        Row("mv", sheets("css/v.css", "css/d/u.css") + X, {"css/v.css": ":root{--p:image-set(url(../i.png) 1x)}", "css/d/u.css": USE}, says="place-dependent", renamed={"css/v.css": "css/w.css"}),
    ],
    "fallback and nested var": [
        Row("relativize", "<style>p{background-image:var(--p, url(ROOTd/i.png))}</style>" + X),
        Row("relativize", sheets("css/u.css") + X, {"css/u.css": "p{background-image:var(--p, var(--q, url(ROOTi.png)))}"}),
        Row("absolutize", "<style>p{background:var(--p, no-repeat) var(--q, url('d/i.png'))}</style>" + X),
        Row("move", '<p style="background-image:var(--p, url(&quot;PATHi.png&quot;))">x'),
        Row("relativize", sheets("css/v.css", "d/u.css") + X, {"css/v.css": ":root{--p:var(--q);--q:var(--r, url(i.png))}", "d/u.css": USE}, says="place-dependent"),
    ],
    "@property": [
        Row("relativize", sheets("css/v.css") + X, {"css/v.css": f'@property --p{{syntax:"<url>";inherits:true;initial-value:url(ROOTi.png)}}{USE}'}, says="place-dependent"),
        Row("move", sheets("css/v.css") + X, {"css/v.css": f'@property --p{{syntax:"<image>";inherits:false;initial-value:url("ROOTd/i.png")}}{USE}'}),
        Row("relativize", sheets("css/v.css", "css/d/u.css") + X, {"css/v.css": '@property --p{syntax:"<image>";inherits:true;initial-value:none}:root{--p:url(i.png)}', "css/d/u.css": USE}, says="place-dependent"),
        Row("absolutize", f'<style>@property --p{{syntax:"<url>+";inherits:true;initial-value:url(ROOTi.png)}}:root{{--p:url(d/i.png)}}{USE}</style>' + X),
        Row("move", f'<style>:root{{--p:url(i.png)}}{USE}</style><script>CSS.registerProperty({{name:"--p",syntax:"<url>",inherits:true,initialValue:"url(about:blank)"}})</script>' + X, says="place-dependent"),
    ],
    "shadow tree": [
        Row("relativize", "<div><template shadowrootmode=open><style>p{background-image:url(ROOTd/i.png)}</style><p>x</template></div>"),
        Row("relativize", f"<style>:root{{--p:url(PATHi.png)}}</style><div><template shadowrootmode=closed></template></div><div><template shadowrootmode=open><style>{USE}</style><p>x</template></div>"),
        Row("absolutize", '<div><template shadowrootmode=open><div><template shadowrootmode=open><img srcset="d/i.png 1x"></template></div></template></div>'),
        Row("move", '<div><template shadowrootmode=open><link rel=stylesheet href="PATHd/a.css"><p id=s>x</template></div>'),
        Row("relativize", '<div><template shadowrootmode=open><a href="ROOTd/f.html">x</a><img src="PATHi.png"></template></div>'),
    ],
    "@function": [
        Row("relativize", sheets("css/f.css", "css/d/u.css") + X, {"css/f.css": "@function --f(){result:url(ROOTi.png)}", "css/d/u.css": "p{background-image:--f()}"}, says="place-dependent"),
        Row("move", sheets("css/f.css", "css/d/u.css") + X, {"css/f.css": "@function --f(){result:url(../i.png)}", "css/d/u.css": "p{background-image:--f()}"}, says="place-dependent"),
        Row("relativize", "<style>@function --f(--a){result:url(ROOTd/i.png)}p{list-style-image:--f(1)}</style>" + X),
        Row("absolutize", "<style>@function --f(){@media all{result:url('d/i.png')}}p{background-image:--f()}</style>" + X),
        Row("move", "<style>@function --f(){--q:url(PATHi.png);result:var(--q)}p{background-image:--f()}</style>" + X),
    ],
    "style sheet before a base": [
        Row("relativize", '<link rel=stylesheet href="ROOTa.css"><base href="d/"><p id=s>x'),
        Row("absolutize", "<LINK REL='StyleSheet' HREF=css&#47;a.css><body><base href=d/><p id=s>x"),
        Row("move", '<style>@import "PATHa.css";</style><base href="ROOTd/"><p id=s>x'),
        Row("relativize", '<base href="d/">' + sheets("PATHa.css") + '<base href="css/"><p id=s>x'),
        Row("mv", "<table><tr><td>" + sheets("d/a.css") + '<base href="css/"></table><p id=s>x', renamed={"d/a.css": "css/d/b.css"}),
    ],
    "style element before a base": [
        Row("relativize", '<style>p{background-image:url(PATHi.png)}</style><base href="d/"><p>x'),
        Row("absolutize", "<svg><style>p{cursor:url(d/i.png),auto}</style></svg><base href=css/><p>x"),
        Row("move", "<style>@font-face{font-family:o;src:url('ROOTt.woff')}p{font-family:o}</style><base href='d/'><p>x"),
        Row("relativize", '<p style="list-style-image:url(ROOTi.png)">x</p><base href="d/"><p>x'),
        Row("absolutize", '<style>p::before{content:image-set("i.png" 1x)}</style><base href="d/"><p>x', charset="utf-16"),
    ],
    "frame before a base": [
        Row("relativize", '<iframe src="ROOTf.html"></iframe><base href="d/">'),
        Row("absolutize", '<div><iframe src=d/f.html></iframe></div><base href="css/">'),
        Row("move", '<svg><foreignObject><iframe src="PATHf.html"></iframe></foreignObject></svg><base href="d/">'),
        Row("relativize", '<iframe src="PATHd/f.html#x"></iframe><iframe src=""></iframe><base href="d/">'),
        Row("mv", '<iframe src="d/f.html?q"></iframe><base href="css/">', renamed={"d/": "deep/er/"}),
    ],
    "script before a base": [
        Row("relativize", '<script src="/j.js"></script><script src="PATHj.js"></script><base href="d/">'),
        Row("absolutize", '<script defer src="j.js"></script><script defer src=d/j.js></script><base href="css/">'),
        Row("move", '<svg><script href="ROOTj.js"></script></svg><base href="d/">'),
        Row("relativize", '<script type=module>import "ROOTm.js"</script><script type=module src="ROOTd/m.js"></script><base href="d/">'),
        Row("move", '<script src="/j.js"></script><base href="/sub/"><script src="NAME/j.js"></script><script src="../PATHd/j.js"></script>'),
    ],
    "preload and import map before a base": [
        Row("relativize", '<link rel=preload as=image href="ROOTp.png"><base href="d/">'),
        Row("absolutize", '<link rel=preload as=image imagesrcset="p.png 1x, d/p.png 2x"><base href="css/">', says="base-differs"),
        Row("relativize", '<script type=importmap>{"imports":{"x":"PATHm.js"}}</script><base href="d/"><script type=module>import "x"</script>'),
        Row("move", '<script type=importmap>{"scopes":{"ROOT":{"x":"./m.js"}}}</script><base href="d/"><script type=module src="../js/u.js"></script>', {"js/u.js": 'import "x"'}),
        Row("absolutize", '<link rel=modulepreload href="d/m.js"><base href="css/"><script type=module>import "./../d/m.js"</script>'),
    ],
    "site without its slash": [
        Row("relativize", '<a href="/NAME">x</a>'),
        Row("relativize", '<form action="ROOT-"></form><a href="f.html">x</a>'),
        Row("relativize", '<map><area href="/NAME?q#x"></map><a href="//HOST/NAME#y">x</a><img src=PATHi.png>'),
        Row("move", '<svg><a href="ROOT-"><text>x</text></a></svg>'),
        Row("relativize", '<base href="d/"><a href="../../NAME">x</a><a href="..">y</a>'),
    ],
    "out and back": [
        Row("relativize", '<a href="../NAME/d/f.html">x</a><img src="../NAME/i.png">'),
        Row("relativize", sheets("css/u.css") + X, {"css/u.css": "p{background-image:url(../../NAME/d/i.png)}"}),
        Row("relativize", '<img srcset="../NAME/i.png 1x, d/../../NAME/d/i.png 2x"><p style="cursor:url(.././NAME/i.png),auto">x'),
        Row("relativize", '<base href="../NAME/d/"><img src="i.png"><iframe src="../../NAME/f.html"></iframe>'),
        Row("relativize --style shortest", '<meta http-equiv=refresh content="900;url=../NAME/d/f.html"><a href="x/../../NAME/f.html">x</a>'),
    ],
    "base above the tree": [
        Row("relativize", '<base href="../"><img src="PATHi.png">'),
        Row("relativize", '<base href="/">' + sheets("NAME/css/a.css") + "<p id=s>x"),
        Row("relativize", '<base href="//HOST/"><img src="PATHi.png"><a href="NAME/f.html">x</a>'),
        Row("move", '<base href="../../x/y/"><img src="PATHi.png"><a href="/NAME/f.html">x</a>'),
        Row("absolutize", '<base href=".."><img srcset="NAME/i.png, NAME/d/i.png 2x"><p style="background-image:url(NAME/i.png)">x'),
    ],
    "error page": [
        lost("relativize", '<script src="PATHd/j.js"></script><img src="PATHi.png">', says="error-page"),
        lost("relativize", '<base href="PATH"><img srcset="i.png 1x"><a href="./">x</a>', says="error-page"),
        lost("relativize", '<style>p{background-image:url(PATHd/i.png)}</style><p>x<a href="PATH">y</a>', says="error-page"),
        lost("absolutize", '<img src="PATHi.png"><iframe src="PATHf.html"></iframe>'),
        lost("relativize --for static-host", '<link rel=stylesheet href="//HOSTPATHa.css"><p id=s>x', at="missing", says="error-page"),
    ],
    "error page of a language": [
        lost("relativize", '<img src="PATHi.png">', "de/404.html", "de/x/missing", "error-page"),
        lost("move", '<img src="PATHd/i.png"><a href="PATHde/">x</a>', "pt-br/404.html", "pt-br/x/missing"),
        lost("relativize", '<base href="PATHfr/"><a href="../f.html">x</a><img src="../i.png">', "fr/404.html", "fr/x/y/missing", "error-page"),
        lost("absolutize", sheets("PATHcss/a.css") + "<p id=s>x", "zh-hans/404.html", "zh-hans/missing"),
        lost("relativize", '<img src="PATHd/i.png">', "en/404.html", "en/missing", "error-page", files={"404.html": '<img src="PATHi.png">'}),
    ],
    "error page that moves": [
        lost("move", '<img src="PATHi.png"><a href="PATH">x</a>'),
        lost("move", '<base href="PATH"><img src="d/i.png"><a href="f.html">x</a>'),
        lost("move", '<base href="ROOTd/"><script src="j.js"></script><a href="?q">x</a>', says="error-page"),
        lost("move", '<svg><image href="PATHi.png" width="9" height="9"/></svg><p style="background-image:url(&quot;PATHd/i.png&quot;)">x', at="x/y/z/missing"),
        lost("move", "<iframe srcdoc=\"<img src='PATHi.png'>\"></iframe><a href='#x'>x</a>", says="error-page"),
    ],
    "page instead of what is missing": [
        application('<img src="PATHi.png">', "_redirects", "/*  /app.html  200\n"),
        application('<base href="PATH"><img src="d/i.png">', "firebase.json", '{"hosting":{"rewrites":[{"source":"**","destination":"/app.html"}]}}'),
        application(sheets("PATHa.css") + "<p id=s>x", ".htaccess", "FallbackResource PATHapp.html\n"),
        application('<script src="PATHd/j.js"></script>', "staticwebapp.config.json", '{"navigationFallback":{"rewrite":"/app.html"}}'),
        application('<iframe src="PATHf.html"></iframe>', "vercel.json", '{"rewrites":[{"source":"/(.*)","destination":"/app.html"}]}'),
    ],
    "host with other letters": [
        Row("relativize", '<meta charset=utf-8><img src="http://HOSTPATHi.png"><a href="//xn--bcher-kva.examplePATHf.html">x</a><a href="http://B\xdcCHER.examplePATHd/f.html">x</a>', host=IDN),
        Row("move", '<a href="http://b%C3%BCcher.examplePATHf.html">x</a><img src="http://XN--BCHER-KVA.examplePATHd/i.png">', host=IDN),
        Row("move", '<img src="PATHi.png"><a href="ROOTf.html">x</a>' + sheets("ROOTa.css") + "<p id=s>x", to=NEW_IDN),
        Row("relativize", '<base href="//B&uuml;cher.examplePATHd/"><img src="i.png"><style>p{background-image:url("http://b\\fc cher.examplePATHi.png")}</style><p>x', host=IDN),
        Row("absolutize", '<meta charset=windows-1252><img src="i.png"><a href="//HOSTPATHd/f.html">x</a>', host=IDN, charset="windows-1252"),
    ],
    "speculation rules": [
        Row("relativize", '<script type=speculationrules>{"prefetch":[{"source":"list","urls":["PATHf.html","d/f.html"]}]}</script>'),
        Row("move", '<script type=speculationrules>{"prefetch":[{"urls":["ROOTf.html"],"relative_to":"document"}]}</script><base href="d/">'),
        Row("absolutize", '<base href="d/"><script type=speculationrules>{"prefetch":[{"urls":["f.html"]},{"urls":["../f.html"],"relative_to":"ruleset"}]}</script>'),
        Row("relativize", '<script type=speculationrules>{"prefetch":[{"where":{"href_matches":"d/*"},"eagerness":"immediate"}]}</script><a href="d/f.html">x</a><a href="f.html">y</a>'),
        Row("move", '<script type=speculationrules>{"prerender":[{"urls":["PATHd\\/f.html"]}]}</script>'),
    ],
    "digest": [
        Row("relativize", '<link rel=stylesheet integrity="DIGEST" href="css/a.css"><p id=s>x'),
        Row("move", '<link rel=stylesheet integrity="sha1-x DIGEST?x" href="ROOTcss/a.css"><p id=s>x'),
        Row("mv", '<link rel=stylesheet crossorigin integrity="DIGEST" href="css/a.css"><p id=s>x', renamed={"css/": "style/s/"}),
        Row("relativize", '<base href="css/"><link integrity=DIGEST rel="preload stylesheet" as=style href="a.css"><p id=s>x'),
        Row("absolutize", '<link rel=stylesheet integrity="DIGEST" href="css/a.css"><link rel=stylesheet integrity="sha256-AAAA" href="a.css"><p id=s>x'),
    ],
    "template": [
        Row("move", '<a href="{{url}}/f.html">x</a><img src="i.png">', says="template"),
        Row("absolutize", '<a href="<%= url %>f.html">x</a><img src="d/i.png">', says="template"),
        Row("relativize", '<a href="${url}/f.html">x</a><img src="ROOTd/i.png">', says="template"),
        Row("move", '<form action="{% url %}"></form><iframe src="PATHf.html"></iframe>', says="template"),
        Row("relativize", '<img srcset="[[x]]/i.png 1x"><p style="background-image:url({{x}}/i.png)">x<a href="PATHf.html">y</a>', says="template"),
    ],
    "inside of an emptied base": [
        Row(HOSTED, '<base href="PATHd/"><iframe srcdoc="<img src=\'css/i.png\'>"></iframe>'),
        Row(HOSTED, '<base href="ROOTd/"><iframe srcdoc="<base href=\'css/\'><img src=\'i.png\'><a href=\'f.html\'>x</a>"></iframe>'),
        Row(HOSTED, '<base href="//HOSTPATHd/"><iframe srcdoc="<img srcset=\'css/i.png 1x\'>"></iframe>'),
        Row(HOSTED, '<base href="PATHd/"><iframe srcdoc="<img src=\'{{x}}/i.png\'>"></iframe><img src="i.png">', says="template"),
        Row(HOSTED, '<base href="../NAME/d/"><iframe srcdoc="<base href=\'.\'><img src=\'css/d/i.png\'>"></iframe>'),
    ],
}
