//! Vocabularies of XML that could take long: packages of EPUB, presentations, playlists, places,
//! services, manuals.

use super::xml::nested;
use super::{Shape, between, counted};

const MPD: &str = "<MPD xmlns='urn:mpeg:dash:schema:mpd:2011'>";
const OPF: &str = "<package xmlns='http://www.idpf.org/2007/opf'>";
const NCX: &str = "<ncx xmlns='http://www.daisy.org/z3986/2005/ncx/'>";
const SMIL: &str =
    "<smil xmlns='http://www.w3.org/ns/SMIL' xmlns:e='http://www.idpf.org/2007/ops'>";
const XSPF: &str = "<playlist xmlns='http://xspf.org/ns/0/'>";
const KML: &str = "<kml xmlns='http://www.opengis.net/kml/2.2'>";
const WSDL: &str =
    "<d xmlns='http://schemas.xmlsoap.org/wsdl/' xmlns:s='http://schemas.xmlsoap.org/wsdl/soap/'>";
const BOOK: &str =
    "<book xmlns='http://docbook.org/ns/docbook' xmlns:l='http://www.w3.org/1999/xlink'>";
const OLD_BOOK: &str = "<!DOCTYPE book PUBLIC '-//OASIS//DTD DocBook XML V4.5//EN' 'd.dtd'><book>";
const TOPIC: &str = "<!DOCTYPE map PUBLIC '-//OASIS//DTD DITA Map//EN' 'map.dtd'><map>";

pub(crate) const VOCABULARIES: &[Shape] = &[
    ("segments", |n| between(MPD, "<SegmentURL media='a.m4s' index='i'/>", "</MPD>", n)),
    ("one template of segments", |n| {
        between(&format!("{MPD}<SegmentTemplate media='"), "$Number$/", "'/></MPD>", n)
    }),
    ("bases of periods", |n| {
        let period = "<Period><BaseURL>b/</BaseURL><SegmentTemplate media='x'/></Period>";
        between(MPD, period, "</MPD>", n)
    }),
    ("bases of periods below a long one", |n| {
        let long = "y/".repeat(500);
        let period = "<Period><BaseURL>b/</BaseURL><SegmentTemplate media='x'/></Period>";
        between(&format!("{MPD}<BaseURL>{long}</BaseURL>"), period, "</MPD>", n)
    }),
    ("bases of presentations in depth", |n| {
        let inner = nested("<a><BaseURL>b/</BaseURL>", "<SegmentTemplate media='x'/>", "</a>", n);
        [MPD.as_bytes(), &inner, b"</MPD>"].concat()
    }),
    ("bases that are late, in depth", |n| {
        let information = "<ProgramInformation moreInformationURL='x'/>".repeat(n / 88);
        let inner = nested("<a>", &information, "<BaseURL>b/</BaseURL></a>", n / 2);
        [MPD.as_bytes(), &inner, b"</MPD>"].concat()
    }),
    ("alternatives of bases", |n| {
        between(MPD, "<BaseURL>b/</BaseURL>", "<SegmentTemplate media='x'/></MPD>", n)
    }),
    ("references under alternatives", |n| {
        let start = format!("{MPD}<BaseURL>a/</BaseURL><BaseURL>b/</BaseURL>");
        between(&start, "<SegmentTemplate media='x'/>", "</MPD>", n)
    }),
    ("times of a presentation", |n| {
        let start =
            format!("{MPD}<UTCTiming schemeIdUri='urn:mpeg:dash:utc:http-iso:2014' value='");
        between(&start, "t ", "'/></MPD>", n)
    }),
    ("items of a package", |n| between(OPF, "<item href='a.xhtml'/>", "</package>", n)),
    ("one item of a package", |n| {
        between(&format!("{OPF}<item href='"), "../", "'/></package>", n)
    }),
    ("points of a table of contents", |n| {
        let inner = nested("<navPoint><content src='a#b'/>", "", "</navPoint>", n);
        [NCX.as_bytes(), &inner, b"</ncx>"].concat()
    }),
    ("media of an overlay", |n| {
        let pair = "<par e:textref='a#b'><text src='a#c'/><audio src='d'/></par>";
        between(SMIL, pair, "</smil>", n)
    }),
    ("bases of an overlay", |n| {
        between(SMIL, "<meta name='base' content='x'/><a href='b'/>", "</smil>", n)
    }),
    ("tiles of a site", |n| {
        between("<browserconfig>", "<TileImage src='a.png'/>", "</browserconfig>", n)
    }),
    ("tracks", |n| between(XSPF, "<track><location>a</location></track>", "</playlist>", n)),
    ("one location of a track", |n| {
        between(&format!("{XSPF}<location>"), "a&#x2F;", "</location></playlist>", n)
    }),
    ("locations in pieces", |n| between(XSPF, "<location>a<!-- -->b</location>", "</playlist>", n)),
    ("places", |n| {
        let place = "<Placemark><styleUrl>#a</styleUrl><Icon><href>b</href></Icon></Placemark>";
        between(KML, place, "</kml>", n)
    }),
    ("descriptions of places", |n| {
        let text = "<description>&lt;img src=x></description>";
        between(KML, text, "</kml>", n)
    }),
    ("one description of a place", |n| {
        between(&format!("{KML}<description>"), "&lt;svg>&lt;g>", "</description></kml>", n)
    }),
    ("folders of places", |n| {
        let inner = nested("<Folder><href>a</href>", "", "</Folder>", n);
        [KML.as_bytes(), &inner, b"</kml>"].concat()
    }),
    ("addresses of services", |n| {
        between(WSDL, "<import location='a'/><s:address location='b'/>", "</d>", n)
    }),
    ("prefixes of services", |n| {
        counted(
            "<d xmlns='http://schemas.xmlsoap.org/wsdl/'>",
            |idx| {
                let name = "http://schemas.xmlsoap.org/wsdl/soap/";
                format!("<p{idx}:address xmlns:p{idx}='{name}' location='a'/>")
            },
            "</d>",
            n,
        )
    }),
    ("links of a book", |n| {
        between(BOOK, "<link l:href='a'/><imagedata fileref='b'/>", "</book>", n)
    }),
    ("links of a book in depth", |n| {
        let inner = nested("<section><ulink url='a'/>", "", "</section>", n);
        [OLD_BOOK.as_bytes(), &inner, b"</book>"].concat()
    }),
    ("files of a book", |n| {
        counted(
            "<!DOCTYPE book PUBLIC '-//OASIS//DTD DocBook XML V4.5//EN' 'd.dtd' [",
            |idx| format!("<!ENTITY c{idx} SYSTEM 'c{idx}.xml'>"),
            "]><book>&c1;</book>",
            n,
        )
    }),
    ("topics", |n| {
        between(TOPIC, "<topicref href='a.dita' conref='b.dita#c/d' copy-to='e'/>", "</map>", n)
    }),
    ("topics in depth", |n| {
        let inner = nested("<topicref href='a.dita'>", "", "</topicref>", n);
        [TOPIC.as_bytes(), &inner, b"</map>"].concat()
    }),
];
