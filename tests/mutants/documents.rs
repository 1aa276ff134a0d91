//! Documents of every format, small ones made for this and the fixtures: what needs escapes, and
//! what is easily lost.

use std::fs;
use std::path::Path;

use rewrite::{FormatId, Http, JsonType, Media, MessageFraming, TextFormat};

pub(crate) struct Document {
    pub(crate) format: &'static str,
    pub(crate) media: Media,
    pub(crate) bytes: Vec<u8>,
}

const HTML: &[&str] = &[
    "<base href=c/><p id=i> <a href = x >y</a><a href='x?a&amp;b#f'>z</a><img srcset=' x 1x , y 2x ' src=\"\u{FC} \">",
    "<BASE HREF=\"http://h.example/c/\"><a href=\"x\">y</a> <a href=../y#f>z</a><a ping='x y'><form action>",
    "<base href=http://h.example/c/><link rel=stylesheet href=s.css><style>@import 'a.css'; b{c:url(d)} /* url(x) */</style><p style=\"a:url('x y')\">",
    "<iframe srcdoc=\"<a href='x?a&amp;amp;b'> <b title=y>\"></iframe><meta http-equiv=refresh content='3; url=x'>",
    "<svg><image xlink:href='x'/><use href='#y'/><![CDATA[ <a href=x> ]]></svg><a href='\nx\t'>",
    "<script type=importmap>{\"imports\":{\"a\":\"./b.js\"}}</script><script>var x = '<a href=y>';</script><!-- <a href=x> -->",
    "<a href=http://h.example/a/x>x</a>  <img src='http://o.example/y'><a href=\"/r?x=1&y=2\">q</a><area href=#t><a href=mailto:a@b>",
    "<object codebase=\"http://h.example/o/\" classid=\"x\" archive=\"y z\" data=w></object><applet codebase=a archive='b,c' code=d>",
    "<!--[if IE]><link href=x.css><![endif]--><noscript><img src=x></noscript><title>a<b</title><textarea><a href=x></textarea>",
    "<meta charset=shift_jis><a href=x\u{FC}>",
    "<select><base href=x></select><frameset><frame src=y></frameset><svg><desc><a href=z></desc>",
];
const CSS: &[&str] = &[
    "@charset \"utf-8\"; @import \"a.css\" screen; b { c: url( x ) ; d: url(\"y\\\"z\") } /* url(q) */",
    "a{b:url(x\\29 y)}@namespace 'x';c{d:url('../\\41 b#f')}@font-face{src:url(f?#iefix)format('x')}",
];
const XML: &[&str] = &[
    "<?xml version='1.0'?><?xml-stylesheet href=\"s.css\" type='text/css'?><svg xmlns='http://www.w3.org/2000/svg' xmlns:x='http://www.w3.org/1999/xlink' xml:base='c/'> <a x:href='x?a&amp;b'/> <image href=\"y\" /><style>b{c:url(d)}</style></svg>",
    "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='http://h.example/c/'><link href='x'/><content type='html'>&lt;a href='y'> &lt;b></content><entry xml:base=\"d/\"><link href='z#f'/></entry></feed>",
    "<rss version='2.0'><channel><link>x</link><item><description><![CDATA[<a href=y> <b>]]></description></item></channel></rss>",
];
const TEXTS: &[&str] = &[
    "See <http://h.example/a/x> and\n<http://h.example/a/\n y>, (http://h.example/z).\nURL:http://o.example/ \n",
    "a http://h.example/a/b?c=d#e, \"http://h.example/f\" b\r\n",
];
const MARKDOWN: &[&str] = &[
    "# t\n\n[a](x \"y\") ![b](<c d>) <http://h.example/e>\n\n[f]: g\n\n<p><a href='h'>i</a>\n",
    "> [a](../x\\)y)\n> <img src=z>\n\n`[no](x)`\n",
];
const SCRIPTS: &[&str] = &[
    "import a from './b.js'; import('../c.js'); // './d.js'\nexport * from \"/e.js\"; new URL('f\\x41', import.meta.url)",
];
const MESSAGES: &[&str] = &[
    "Content-Type: text/html\r\nContent-Base: http://h.example/c/\r\nContent-Transfer-Encoding: quoted-printable\r\nSubject: x\r\n\r\n<a href=3D\"x?a=3D1\">y=\r\nz</a> <img src=3D'a-long-name-of-a-file-that-fills-the-line.gif'> =C3=BC\r\n",
    "Content-Type: text/html\nContent-Location: http://h.example/c/d.html\nContent-Transfer-Encoding: base64\n\nPGJhc2UgaHJlZj0nZS8nPjxhIGhyZWY9Ingmcj4iPnk8L2E+IDxpbWcgc3JjPXo+IHRleHQgYWZ0\nZXIgaXQ=\n",
    "Content-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\nContent-Location: http://h.example/a/p.html\r\n\r\n<a href=x> <img src=\"y\">\r\n--b\r\nContent-Type: text/css\r\nContent-Location: s.css\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\na{b:url(c=3Dd)}\r\n--b--\r\n",
    "Content-MD5: kAFQmDzST7DWlj99KOF/cg==\nContent-Base: http://h.example/\nLink: <x>; rel=next, <y>\nContent-Type: text/plain\n\nabc",
];
const RESPONSES: &[&str] = &[
    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 26\r\nLink: <s.css>; rel=stylesheet\r\n\r\n<a href=x> <img src=\"y#z\">",
    "HTTP/1.1 302 Found\r\nLocation: n\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/css\r\nContent-Location: http://h.example/c/s.css\r\n\r\na{b:url(c) }",
];
const JSON: &[(JsonType, &str)] = &[
    (
        JsonType::Manifest,
        "{\"start_url\": \"x\\/y\", \"icons\": [{\"src\":\"a\\u0062\"}], \"name\":\"n\"}",
    ),
    (JsonType::ImportMap, "{\"imports\":{\"a/\":\"./b/\", \"./c\":\"../d\"}}"),
    (
        JsonType::Feed,
        "{\"home_page_url\":\"x\",\"items\":[{\"content_html\":\"<a href=\\\"y\\\"> \"}]}",
    ),
    (JsonType::LinkedData, "{\"@context\":\"https://schema.org\",\"url\":\"x\",\"image\":\"y\"}"),
];

/// Vocabularies of XML.
const VOCABULARIES: &[&str] = &[
    "<MPD xmlns='urn:mpeg:dash:schema:mpd:2011'><ProgramInformation moreInformationURL='i?a&amp;b'/><BaseURL>c/</BaseURL><Location>l</Location><Period><BaseURL> ../d/ </BaseURL><AdaptationSet><SegmentTemplate media='$Number$.m4s' initialization=\"http://h.example/a/e\"/></AdaptationSet></Period><UTCTiming schemeIdUri='urn:mpeg:dash:utc:http-iso:2014' value='t /u'/></MPD>",
    "<package xmlns='http://www.idpf.org/2007/opf'><item href='a%20b.xhtml#c'/><link href=\"http://h.example/a/d\"/><reference href='../e?f&amp;g'/></package>",
    "<ncx xmlns='http://www.daisy.org/z3986/2005/ncx/'><navPoint><content src='a#b'/></navPoint><img src=\"/c\"/></ncx>",
    "<smil xmlns='http://www.w3.org/ns/SMIL' xmlns:e='http://www.idpf.org/2007/ops'><par e:textref='a#b'><text src='a#c'/><audio src=\"../d\"/></par></smil>",
    "<browserconfig><msapplication><tile><square70x70logo src=\"/a.png\"/></tile></msapplication></browserconfig>",
    "<playlist xmlns='http://xspf.org/ns/0/'><track><location> a&#x2F;b </location><identifier>c</identifier></track><image><![CDATA[http://h.example/a/d?e&f]]></image></playlist>",
    "<kml xmlns='http://www.opengis.net/kml/2.2'><styleUrl>#a</styleUrl><styleUrl>b#c</styleUrl><Icon><href>d</href></Icon><description><![CDATA[<img src=\"e\"> ]]></description></kml>",
    "<d xmlns='http://schemas.xmlsoap.org/wsdl/' xmlns:s='http://schemas.xmlsoap.org/wsdl/soap/'><import location='a'/><s:address location=\"http://h.example/a/b\"/></d>",
    "<book xmlns='http://docbook.org/ns/docbook' xmlns:l='http://www.w3.org/1999/xlink' xml:base='c/'><link l:href='x'/><imagedata fileref=\"../y\"/><section xml:base=\"d/\"><link l:href='http://h.example/a/z'/></section></book>",
    "<!DOCTYPE book PUBLIC \"-//OASIS//DTD DocBook XML V4.5//EN\" \"http://h.example/a/d.dtd\"><book><ulink url='x?a&amp;b'/><imagedata fileref=\"y\"/></book>",
    "<!DOCTYPE map PUBLIC \"-//OASIS//DTD DITA Map//EN\" \"map.dtd\"><map><topicref href='a.dita#b/c' copy-to=\"d\"/><p conref='/e#f'/></map>",
];

const SOURCE_MAPS: &[&str] = &[
    "{\"version\":3,\"file\":\"a\",\"sources\":[\"..\\/b\",null,\"http://h.example/a/\\u0063\"],\"mappings\":\"\"}",
    "{\"file\":\"a\",\"sourceRoot\":\"b/\",\"sources\":[\"c\"]}",
    "{\"sources\":[\"a\",\"http://h.example/a/b\"],\"sourcesContent\":[\"c\",null]}",
];

/// Formats of lines, by their media types.
const LINES: &[(&str, &str)] = &[
    (
        "text/x-robots-txt",
        "User-agent: *\nSitemap: http://h.example/a/s.xml\r\nsitemap:http://o.example/t # u\nDisallow: /a\n",
    ),
    (
        "text/x-redirects",
        "/a /b 301\n/c/* http://h.example/a/:splat 302!\nhttps://o.example/d  http://h.example/a/e # http://h.example/f\n",
    ),
    (
        "text/x-headers",
        "/*\n  Link: </a/b>; rel=preload, <http://h.example/a/c>; rel=next\n  Location: http://h.example/a/d\n  Location: e\n",
    ),
    (
        "application/x-mswinurl",
        "[InternetShortcut]\r\nURL=http://h.example/a/b?c=d\r\nIconFile=C:\\x.ico\r\nBASEURL=http://h.example/a/\r\n",
    ),
    (
        "application/vnd.apple.mpegurl",
        "#EXTM3U\n#EXT-X-MAP:URI=\"a b.mp4\",X=1\n#EXTINF:1,c.ts\n../d.ts\n e?f\r\n#EXT-X-KEY:IV=0,URI=\"/k\"\nhttp://h.example/a/g.ts",
    ),
    (
        "text/vtt",
        "WEBVTT\n\nSTYLE\n::cue{a:url('b c')}\n\n1\n00:00.000 --> 00:01.000\nd.jpg#xywh=0,0,1,1\n\n00:01.000 --> 00:02.000\n../d.jpg#xywh=1,0,1,1\n",
    ),
];

/// The documents made for this.
pub(crate) fn made() -> Vec<Document> {
    let mut all = Vec::new();
    let mut add = |format, media, texts: &[&str]| {
        let of = |text: &&str| Document { format, media, bytes: text.as_bytes().to_vec() };
        all.extend(texts.iter().map(of));
    };
    add("HTML", Media::HTML, HTML);
    add("CSS", Media::CSS, CSS);
    add("XML", Media::XML, XML);
    add("text", Media::text(TextFormat::Fixed), TEXTS);
    add("text", Media::text(TextFormat::Flowed { deletes_space: false }), TEXTS);
    add("Markdown", Media::MARKDOWN, MARKDOWN);
    add("module", Media::SCRIPT, SCRIPTS);
    add("message", Media::Message(MessageFraming::None), MESSAGES);
    add("response", Media::Http(Http::Response(Some(FormatId::HTML))), RESPONSES);
    for (format, text) in JSON {
        // The judge of JSON reads no HTML in it.
        let name = if *format == JsonType::Feed { "feed in JSON" } else { "JSON" };
        add(name, Media::json(*format), &[text]);
    }
    for (name, text) in LINES {
        add("lines", Media::from_name(name).unwrap(), &[text]);
    }
    let mut add = |format, media, texts: &[&str]| {
        let of = |text: &&str| Document { format, media, bytes: text.as_bytes().to_vec() };
        all.extend(texts.iter().map(of));
    };
    add("vocabulary", Media::XML, VOCABULARIES);
    add("source map", Media::from_name("application/source-map+json").unwrap(), SOURCE_MAPS);
    let utf_16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    for text in HTML.iter().take(4) {
        let bytes = [&b"\xFF\xFE"[..], &utf_16(text)].concat();
        all.push(Document { format: "UTF-16", media: Media::HTML, bytes });
    }
    let boxed = "Content-Type: text/html\nContent-Length: 11\nContent-Base: http://h.example/\n\n<a href=x>\n";
    let media = Media::Message(MessageFraming::Mailbox);
    all.push(Document { format: "message", media, bytes: boxed.as_bytes().to_vec() });
    all
}

/// The fixtures.
pub(crate) fn fixtures() -> Vec<Document> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut all = Vec::new();
    for folder in ["site", "xml", "mail", "hints", "broken"] {
        let walk = walkdir::WalkDir::new(root.join(folder)).sort_by_file_name();
        for entry in walk.into_iter().filter_map(Result::ok) {
            let extension = entry.path().extension().and_then(|it| it.to_str()).unwrap_or_default();
            let (format, media) = match extension {
                "html" | "htm" => ("HTML", Media::HTML),
                "css" => ("CSS", Media::CSS),
                "xhtml" | "svg" | "xml" | "atom" | "rdf" | "opf" | "osd" | "xsl" | "opml" => {
                    ("XML", Media::XML)
                }
                "eml" | "mhtml" => ("message", Media::Message(MessageFraming::None)),
                "txt" => ("text", Media::text(TextFormat::Fixed)),
                "md" => ("Markdown", Media::MARKDOWN),
                _ => continue,
            };
            let Ok(bytes) = fs::read(entry.path()) else { continue };
            all.push(Document { format, media, bytes });
        }
    }
    all
}
