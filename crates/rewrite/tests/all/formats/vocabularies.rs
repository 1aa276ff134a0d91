//! Vocabularies of XML, each with a document of the form of its specification.

use super::check;

#[track_caller]
fn references(document: &str, expected: &[&str]) {
    check("application/xml", &[], document, expected);
}

#[test]
fn browser_configurations() {
    references(
        "<?xml version='1.0' encoding='utf-8'?>\n<browserconfig><msapplication><tile>\
         <square70x70logo src='/a.png'/><wide310x150logo src=\"b.png\"/><TileImage src='c.png'/>\
         <TileColor>#da532c</TileColor></tile><badge><polling-uri src='d.xml'/><frequency>30\
         </frequency></badge><notification><polling-uri src='e?id=1&amp;x'/><polling-uri2 \
         src='f'/></notification></msapplication></browserconfig>",
        &[
            "browserconfig *[src] /a.png",
            "browserconfig *[src] b.png",
            "browserconfig *[src] c.png",
            "browserconfig *[src] d.xml",
            "browserconfig *[src] e?id=1&x",
            "browserconfig *[src] f",
        ],
    );
    references("<config><tile src='x'/></config>", &[]);
}

#[test]
fn playlists_of_xspf() {
    references(
        "<playlist version='1' xmlns='http://xspf.org/ns/0/'><link rel='http://r/'>l</link>\
         <image>i.png</image><trackList><track><location>a b.mp3</location><location>\
         <![CDATA[c&d.mp3]]></location><identifier>e</identifier><info>../f</info></track>\
         </trackList><license>/g</license></playlist>",
        &[
            "xspf link l",
            "xspf image i.png",
            "xspf location a b.mp3",
            "xspf location c&d.mp3",
            "xspf identifier e",
            "xspf info ../f",
            "xspf license /g",
        ],
    );
}

#[test]
fn places_of_kml() {
    for uri in ["http://www.opengis.net/kml/2.2", "http://earth.google.com/kml/2.1"] {
        references(
            &format!(
                "<kml xmlns='{uri}'><Placemark><styleUrl>#s</styleUrl><styleUrl>s.kml#t</styleUrl>\
                 <description><![CDATA[<p><img src='a.png'></p>]]></description><Style><IconStyle>\
                 <Icon><href> i.png </href></Icon></IconStyle></Style></Placemark><NetworkLink>\
                 <Link><href>n.kml?a&amp;b</href></Link></NetworkLink><PhotoOverlay><Icon>\
                 <href>t/$[level]/$[x].jpg</href></Icon></PhotoOverlay><ResourceMap><Alias>\
                 <targetHref>u</targetHref><sourceHref>v</sourceHref></Alias></ResourceMap>\
                 <SchemaData schemaUrl='#w'/></kml>"
            ),
            &[
                "kml styleUrl #s",
                "kml styleUrl s.kml#t",
                "img[src] a.png",
                "kml href i.png",
                "kml href n.kml?a&b",
                "kml href t/$[level]/$[x].jpg",
                "kml targetHref u",
                "kml sourceHref v",
                "kml *[schemaUrl] #w",
            ],
        );
    }
}

#[test]
fn services_of_wsdl() {
    references(
        "<w:definitions xmlns:w='http://schemas.xmlsoap.org/wsdl/' \
         xmlns:s='http://schemas.xmlsoap.org/wsdl/soap/' targetNamespace='urn:x'>\
         <w:import namespace='urn:y' location='y.wsdl'/><w:service><w:port><s:address \
         location='http://h/d/s'/></w:port></w:service><s:operation soapAction='no'/></w:definitions>",
        &["wsdl import[location] y.wsdl", "wsdl soap:address[location] http://h/d/s"],
    );
    references(
        "<description xmlns='http://www.w3.org/ns/wsdl'><include location='z.wsdl'/><service>\
         <endpoint address='http://h/e'/></service></description>",
        &["wsdl include[location] z.wsdl", "wsdl endpoint[address] http://h/e"],
    );
}

#[test]
fn relationships_and_fields_of_office() {
    references(
        "<p:package xmlns:p='http://schemas.microsoft.com/office/2006/xmlPackage'><Relationships \
         xmlns='http://schemas.openxmlformats.org/package/2006/relationships'><Relationship \
         Id='a' Target='media/i.png'/><Relationship Id='b' Target='../x.docx' \
         TargetMode='External'/><Relationship Id='c' TargetMode='Internal' Target='s.xml'/>\
         <Relationship Id='d' TargetMode='External'/></Relationships></p:package>",
        &["opc Relationship[Target] ../x.docx"],
    );
    for uri in [
        "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "http://purl.oclc.org/ooxml/wordprocessingml/main",
    ] {
        references(
            &format!(
                "<w:document xmlns:w='{uri}' xmlns:v='urn:schemas-microsoft-com:vml'>\
                 <w:instrText xml:space='preserve'> HYPERLINK \"a b.docx\" \\l \"c\" </w:instrText>\
                 <w:instrText>hyperlink \\o \"tip\" \\n d.html</w:instrText>\
                 <w:instrText>HYPERLINK \\l \"top\"</w:instrText><w:instrText> PAGE </w:instrText>\
                 <w:instrText>INCLUDEPICTURE \\d \"e.png?a&amp;b\" \\* MERGEFORMAT</w:instrText>\
                 <w:fldSimple w:instr='LINK Excel.Sheet.12 \"f.xlsx\" \"R1C1\" \\a'/>\
                 <v:imagedata src='g.png'/></w:document>"
            ),
            &[
                "word instrText a b.docx",
                "word instrText d.html",
                "word instrText e.png?a&b",
                "word fldSimple[w:instr] f.xlsx",
                "vml *[src] g.png",
            ],
        );
    }
    references(
        "<connections xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'>\
         <connection id='1'><webPr url='h.html'/></connection></connections>",
        &["sheet webPr[url] h.html"],
    );
}

#[test]
fn books_of_docbook() {
    references(
        "<book xmlns='http://docbook.org/ns/docbook' xmlns:xl='http://www.w3.org/1999/xlink' \
         version='5.0'><link xl:href='a.html#b'>c</link><imagedata fileref=\"i/d.png\"/>\
         <xref linkend='e'/><info xml:base='f/'><videodata fileref='g.mp4'/></info></book>",
        &[
            "*[xlink:href] a.html#b",
            "docbook *[fileref] i/d.png",
            "*[xml:base] f/",
            "docbook *[fileref] g.mp4",
        ],
    );
    references(
        "<!DOCTYPE article PUBLIC '-//OASIS//DTD DocBook XML V4.5//EN' 'http://h/docbookx.dtd'>\
         <article><ulink url='a.html'>b</ulink><graphic fileref='c.png'/><olink url='d'/></article>",
        &[
            "xml doctype http://h/docbookx.dtd",
            "docbook ulink[url] a.html",
            "docbook *[fileref] c.png",
        ],
    );
    references("<article><ulink url='a.html'>b</ulink><graphic fileref='c.png'/></article>", &[]);
}

#[test]
fn topics_of_dita() {
    let topic = "<topic id='t'><xref href='a.dita#t/b'/><xref href='#t/c'/><image href='d.png' \
        keyref='k'/><p conref=\"e.dita#t/f\" conrefend='e.dita#t/g'/><object data='h.swf'/></topic>";
    let expected = [
        "dita *[href] a.dita#t/b",
        "dita *[href] #t/c",
        "dita *[href] d.png",
        "dita *[conref] e.dita#t/f",
        "dita *[conrefend] e.dita#t/g",
        "dita object[data] h.swf",
    ];
    let doctype = "<!DOCTYPE topic PUBLIC '-//OASIS//DTD DITA Topic//EN' 'http://h/t.dtd'>";
    let with_doctype: Vec<&str> =
        ["xml doctype http://h/t.dtd"].into_iter().chain(expected).collect();
    references(&format!("{doctype}{topic}"), &with_doctype);
    let namespace = "<topic xmlns:a='http://dita.oasis-open.org/architecture/2005/' \
                     a:DITAArchVersion='1.3' ";
    references(&topic.replace("<topic ", namespace), &expected);
    references(
        &format!(
            "{}<map><topicref href='a.dita' copy-to='b.dita'/><navref mapref='c.ditamap'/></map>",
            doctype.replace("Topic", "Map")
        ),
        &[
            "xml doctype http://h/t.dtd",
            "dita *[href] a.dita",
            "dita *[copy-to] b.dita",
            "dita navref[mapref] c.ditamap",
        ],
    );
    references(topic, &[]);
}
