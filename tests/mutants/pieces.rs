//! Generated documents of the vocabularies of XML, of source maps and of the formats of lines, and
//! the same in gzip files.

use rewrite::Media;

use super::documents::Document;
use super::sabotage::Numbers;

const REFERENCES: &[&str] = &[
    "x",
    "../y?z=1#f",
    "/a/b",
    "//h.example/a/c",
    "http://h.example/a/d.html",
    "http://h.example/e/",
    "http://o.example/f?g=1&h=2",
    "?i",
    "j%20k/l",
    "\u{FC}.png",
    "mailto:a@h.example",
    "b.html",
    "./m/../n",
    "urn:o:p",
];
const ABSOLUTE: &[&str] = &[
    "http://h.example/a/q",
    "http://h.example/a/b.html",
    "HTTP://H.example/r?s=t",
    "https://o.example/u",
    "http://h.example/",
];
const BASES: &[&str] = &["b/", "../c/", "http://h.example/a/e/", "http://o.example/f/", "/a/g/"];

struct Pieces<'n>(&'n mut Numbers);

impl Pieces<'_> {
    fn one<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.0.below(texts.len())]
    }

    /// A reference without escapes.
    fn reference(&mut self) -> &'static str {
        self.one(REFERENCES)
    }

    /// A reference in an attribute or a text of XML.
    fn xml(&mut self) -> String {
        let reference = self.reference().replace('&', self.one(&["&amp;", "&#38;", "&#x26;"]));
        match self.0.below(8) {
            0 => reference.replacen('/', "&#x2F;", 1),
            _ => reference,
        }
    }

    /// So many of some pieces, below `n`.
    fn some(&mut self, n: usize, piece: &mut dyn FnMut(&mut Self) -> String) -> String {
        (0..self.0.below(n)).map(|_| piece(self)).collect()
    }

    fn presentation(&mut self) -> String {
        let level = |pieces: &mut Self, inner: String, name: &str| {
            let base = match pieces.0.below(4) {
                0 | 1 => String::new(),
                2 => format!("<BaseURL>{}</BaseURL>", pieces.one(BASES)),
                _ => format!(
                    "<BaseURL>{}</BaseURL>\n<BaseURL a='1'>{}</BaseURL>",
                    pieces.one(BASES),
                    pieces.one(BASES)
                ),
            };
            format!("<{name}>{base}{inner}</{name}>\n")
        };
        let segments = |pieces: &mut Self| match pieces.0.below(4) {
            0 => format!(
                "<SegmentTemplate media='{}$Number$' initialization=\"{}\"/>",
                pieces.one(&["x", "../y/"]),
                pieces.xml()
            ),
            1 => format!(
                "<SegmentList><Initialization sourceURL=\"{}\"/><SegmentURL media='{}'/></SegmentList>",
                pieces.xml(),
                pieces.xml()
            ),
            2 => "<SegmentBase indexRange='0-9'/>".to_owned(),
            _ => format!("<a l:href='{}'/>", pieces.xml()),
        };
        let mut periods = String::new();
        for _ in 0..=self.0.below(2) {
            let inner = self.some(3, &mut |pieces| {
                let segments = segments(pieces);
                level(pieces, segments, "Representation")
            });
            periods += &level(self, inner, "Period");
        }
        let information = format!("<ProgramInformation moreInformationURL='{}'/>", self.xml());
        let after = match self.0.below(2) {
            0 => format!("<Location>{}</Location>", self.xml()),
            _ => format!(
                "<UTCTiming schemeIdUri='urn:mpeg:dash:utc:http-head:2014' value='{} {}'/>",
                self.xml(),
                self.xml()
            ),
        };
        let whole = level(self, periods + &after, "MPD");
        let names = format!(
            "<MPD xmlns='urn:mpeg:dash:schema:mpd:2011' xmlns:l='http://www.w3.org/1999/xlink'>{information}"
        );
        whole.replacen("<MPD>", &names, 1)
    }

    /// A document of one vocabulary: its start, its elements, in which `@` is a reference, its end.
    fn vocabulary(&mut self) -> String {
        const KINDS: &[(&str, &[&str], &str)] = &[
            (
                "<package xmlns='http://www.idpf.org/2007/opf'>",
                &[
                    "<item id='a' href='@'/>\n",
                    "<link rel='b' href=\"@\"/>",
                    "<guide><reference href='@'/></guide>",
                    "<itemref idref='x'/>",
                ],
                "</package>",
            ),
            (
                "<ncx xmlns='http://www.daisy.org/z3986/2005/ncx/'>",
                &[
                    "<navPoint><content src='@'/></navPoint>\n",
                    "<navLabel><img src=\"@\"/><text>x</text></navLabel>",
                ],
                "</ncx>",
            ),
            (
                "<smil xmlns='http://www.w3.org/ns/SMIL' xmlns:e='http://www.idpf.org/2007/ops'>",
                &[
                    "<par e:textref='@'><text src='@'/><audio src=\"@\" clipBegin='0s'/></par>\n",
                    "<a href='@'/>",
                    "<meta name='x' content='y'/>",
                ],
                "</smil>",
            ),
            (
                "<smil>",
                &["<img src='@' longdesc='@'/>", "<a href=\"@\"/>", "<region id='x'/>"],
                "</smil>",
            ),
            (
                "<?xml version='1.0'?>\n<browserconfig><msapplication>",
                &[
                    "<square70x70logo src='@'/>\n",
                    "<TileColor>#fff</TileColor>",
                    "<TileImage src=\"@\"/>",
                ],
                "</msapplication></browserconfig>",
            ),
            (
                "<playlist version='1' xmlns='http://xspf.org/ns/0/'>",
                &[
                    "<track><location> @ </location></track>\n",
                    "<image>@</image>",
                    "<track><title>@</title><identifier>@</identifier></track>",
                    "<link rel='r'>@</link>",
                    "<info><![CDATA[x]]></info>",
                ],
                "</playlist>",
            ),
            (
                "<kml xmlns='http://www.opengis.net/kml/2.2'>",
                &[
                    "<Icon><href>@</href></Icon>\n",
                    "<styleUrl>#x</styleUrl>",
                    "<styleUrl>@</styleUrl>",
                    "<description><![CDATA[<b>x</b><img src=\"y\"><a href=\"../z\">]]></description>",
                    "<description>&lt;a href=\"http://h.example/a/v?w\"></description>",
                ],
                "</kml>",
            ),
            (
                "<d xmlns='http://schemas.xmlsoap.org/wsdl/' xmlns:s='http://schemas.xmlsoap.org/wsdl/soap/'>",
                &[
                    "<import namespace='x' location='@'/>\n",
                    "<s:address location='@'/>",
                    "<s:body use='literal'/>",
                ],
                "</d>",
            ),
            (
                "<d xmlns='http://www.w3.org/ns/wsdl'>",
                &["<import location='@'/>", "<endpoint address=\"@\"/>"],
                "</d>",
            ),
            (
                "<book xmlns='http://docbook.org/ns/docbook' xmlns:l='http://www.w3.org/1999/xlink' version='5.0'>",
                &[
                    "<link l:href='@'>x</link>\n",
                    "<imagedata fileref=\"@\"/>",
                    "<section xml:base='c/'><link l:href='@'/></section>",
                    "<para xml:base=\"../\"/>",
                ],
                "</book>",
            ),
            (
                "<!DOCTYPE book PUBLIC \"-//OASIS//DTD DocBook XML V4.5//EN\" \"http://h.example/a/d.dtd\">\n<book>",
                &[
                    "<ulink url='@'>x</ulink>\n",
                    "<imagedata fileref=\"@\"/>",
                    "<xref linkend='x'/>",
                ],
                "</book>\n",
            ),
            (
                "<?xml version=\"1.0\"?><!DOCTYPE map PUBLIC \"-//OASIS//DTD DITA Map//EN\" \"map.dtd\">\n<map>",
                &[
                    "<topicref href='@'/>\n",
                    "<topicref href=\"@\" copy-to='@'><topicmeta/></topicref>",
                    "<p conref='@'/>",
                    "<keydef keys='k'/>",
                ],
                "</map>",
            ),
        ];
        let (start, elements, end) = KINDS[self.0.below(KINDS.len())];
        let content = self.some(9, &mut |pieces| {
            let element = pieces.one(elements);
            pieces.filled(element, &mut |pieces| pieces.xml())
        });
        format!("{start}{content}{end}")
    }

    /// A template in which each `@` is what `piece` makes.
    fn filled(&mut self, template: &str, piece: &mut dyn FnMut(&mut Self) -> String) -> String {
        let mut parts = template.split('@');
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            out += &piece(self);
            out += part;
        }
        out
    }

    /// Lines of some templates, in which `@` is a reference and `~` an absolute URL.
    fn lines(&mut self, start: &str, templates: &[&str]) -> String {
        let ends = ["\n", "\n", "\r\n"];
        let end = self.one(&ends);
        let mut out = start.replace('\n', end);
        for _ in 0..self.0.below(9) {
            let template = self.one(templates);
            let line = self.filled(template, &mut |pieces| pieces.reference().to_owned());
            let mut parts = line.split("~");
            out += parts.next().unwrap_or_default();
            for part in parts {
                out += self.one(ABSOLUTE);
                out += part;
            }
            out += end;
        }
        // The last line may have no end.
        if self.0.below(3) == 0 { out.trim_end().to_owned() } else { out }
    }

    fn source_map(&mut self) -> String {
        let text = |pieces: &mut Self| {
            let text = pieces.reference();
            let text = match pieces.0.below(3) {
                0 => text.replace('/', "\\/"),
                1 => text.replacen('x', "\\u0078", 1),
                _ => text.to_owned(),
            };
            format!("\"{text}\",")
        };
        let sources = self.some(5, &mut |pieces| text(pieces));
        let root = match self.0.below(4) {
            0 => format!("\"sourceRoot\": {}", text(self)),
            1 => format!("\"sourceRoot\":\"{}\",", self.one(BASES)),
            2 => "\"sourceRoot\":\"\",".to_owned(),
            _ => String::new(),
        };
        let contents =
            self.one(&["", "", "\"sourcesContent\":[null,\"a\"],", "\"sourcesContent\":[null],"]);
        let file = text(self);
        format!(
            "{{\"version\":3, \"file\":{file}{contents}{root}\n\"sources\":[{sources}null],\"mappings\":\"AAAA\"}}"
        )
    }
}

/// Formats of lines: the media type, the first lines, and lines in which `@` is a reference and `~`
/// an absolute URL.
const LINES: &[(&str, &str, &[&str])] = &[
    (
        "application/vnd.apple.mpegurl",
        "#EXTM3U\n#EXT-X-VERSION:3\n",
        &[
            "@",
            "~",
            " @",
            "#EXTINF:1,@",
            "#EXT-X-KEY:METHOD=AES-128,URI=\"@\",IV=0x1",
            "#EXT-X-MEDIA:NAME=\"@\",URI=\"@\"",
            "#EXT-X-DATERANGE:ID=\"x\",X-ASSET-LIST=\"~\",X-OTHER=\"@\"",
            "#EXT-X-BYTERANGE:1@0",
            "",
        ],
    ),
    ("application/vnd.apple.mpegurl", "#EXTM3U\n", &["@", "~", "#EXTINF:1,x", "a b.mp3"]),
    (
        "application/vnd.apple.mpegurl",
        "#EXTM3U\n#EXT-X-DEFINE:NAME=\"v\",VALUE=\"w\"\n",
        &["@", "{$v}/@", "#EXT-X-MAP:URI=\"@\"", "#EXT-X-MAP:URI=\"{$v}.mp4\""],
    ),
    (
        "text/vtt",
        "WEBVTT - x\n\nSTYLE\n::cue{a:url('x')}\nb{c:url(\"../y\")}\n\n",
        &[
            "00:00.000 --> 00:01.000\n@#xywh=0,0,1,1\n",
            "00:01.000 --> 00:02.000\n~#xywh=0,0,1,1\n",
            "NOTE @\n",
            "1\n00:03.000 --> 00:04.000\n~\n",
            "00:05.000 --> 00:06.000 align:start\ntext @\n",
        ],
    ),
    (
        "text/x-robots-txt",
        "User-agent: *\n",
        &[
            "Sitemap: ~",
            "sitemap:~",
            "Disallow: /@",
            "Sitemap: @",
            "# Sitemap: ~",
            "SITEMAP:\t~ ",
            "",
        ],
    ),
    (
        "text/x-redirects",
        "# @\n",
        &["/a @", "/b ~", "/c/*  ~ 301!", "/d id=:id ~ 302 Country=x", "~ ~", "/e /f 200 # ~"],
    ),
    (
        "text/x-headers",
        "/*\n",
        &[
            "  Link: <~>; rel=preload, <@>; rel=next",
            "  Link: </s.css>; rel=preload; as=style",
            "  Location: ~",
            "  Location: @",
            "  X-Link: <~>",
            "/a/*",
        ],
    ),
    (
        "application/x-mswinurl",
        "[InternetShortcut]\n",
        &[
            "URL=~",
            "IconFile=~",
            "BASEURL=~",
            "IconFile=@",
            "IconFile=C:\\x.ico",
            "Name=~",
            "[Other]",
        ],
    ),
];

/// Generated documents, one of each format.
pub(super) fn documents(numbers: &mut Numbers) -> Vec<Document> {
    let mut pieces = Pieces(numbers);
    let mut all = Vec::new();
    let xml = Media::XML;
    for text in
        [pieces.presentation(), pieces.vocabulary(), pieces.vocabulary(), pieces.vocabulary()]
    {
        all.push(Document { format: "vocabulary", media: xml, bytes: text.into_bytes() });
    }
    let map = Media::from_name("application/source-map+json").unwrap();
    all.push(Document {
        format: "source map",
        media: map,
        bytes: pieces.source_map().into_bytes(),
    });
    for (name, start, templates) in LINES {
        let media = Media::from_name(name).unwrap();
        let bytes = pieces.lines(start, templates).into_bytes();
        all.push(Document { format: "lines", media, bytes });
    }
    all
}
