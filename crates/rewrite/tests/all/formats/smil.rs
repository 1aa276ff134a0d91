//! SMIL and EPUB media overlays.

use relink_rewrite::{Media, SkipReason};

use super::{check, convert, options};

#[track_caller]
fn references(document: &str, expected: &[&str]) {
    check("application/smil+xml", &[], document, expected);
}

#[test]
fn media_and_links() {
    for start in [
        "smil xmlns='http://www.w3.org/ns/SMIL'",
        "smil xmlns='http://www.w3.org/2001/SMIL20/Language'",
        "smil xmlns='http://www.w3.org/2005/SMIL21/Language'",
        "smil",
    ] {
        let document = format!(
            "<{start}><head><meta name='title' content='x'/></head><body><par>\
             <audio src='a.mp3' longdesc=\"l.html\"/><video src=\"../v.mp4\"><area href='#p'/></video>\
             <img src='i.png'/><text src='t.html#x'/><textstream src='/s.rt'/><ref src='r'/>\
             <animation src='an'/><a href='o.html'><brush color='red'/></a></par></body></smil>"
        );
        references(
            &document,
            &[
                "smil *[src] a.mp3",
                "smil *[longdesc] l.html",
                "smil *[src] ../v.mp4",
                "smil *[href] #p",
                "smil *[src] i.png",
                "smil *[src] t.html#x",
                "smil *[src] /s.rt",
                "smil *[src] r",
                "smil *[src] an",
                "smil *[href] o.html",
            ],
        );
    }
}

#[test]
fn media_overlays() {
    references(
        "<smil xmlns='http://www.w3.org/ns/SMIL' xmlns:epub='http://www.idpf.org/2007/ops' \
         version='3.0'><body epub:textref='c.xhtml' epub:type='bodymatter'><seq \
         epub:textref=\"c.xhtml#s&amp;1\"><par><text src='c.xhtml#p'/><audio src='audio/c.mp4' \
         clipBegin='0s'/></par></seq></body></smil>",
        &[
            "*[epub:textref] c.xhtml",
            "*[epub:textref] c.xhtml#s&1",
            "smil *[src] c.xhtml#p",
            "smil *[src] audio/c.mp4",
        ],
    );
}

#[test]
fn a_presentation_with_a_base_of_its_own_is_skipped() {
    let document = "<smil><head><meta name='base' content='http://o/'/></head><body><img src='x'/>\
                    </body></smil>";
    for is_relative in [true, false] {
        let rewritten = convert(document.as_bytes(), Media::XML, &options(&[]), is_relative);
        let reasons: Vec<_> = rewritten.report.skipped.iter().map(|one| one.reason).collect();
        assert_eq!((rewritten.into_output(), reasons), (None, vec![SkipReason::OtherBase]));
    }
    references("<html xmlns='http://www.w3.org/1999/xhtml'><meta name='base'/></html>", &[]);
}
