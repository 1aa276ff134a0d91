//! WebVTT: blocks, timings and thumbnails.

use relink_rewrite::{FormatId, Outcome};

use super::{absolute, check, count};

const CUE: &str = "00:01.000 --> 00:02.000\n";

#[track_caller]
fn references(track: &str, expected: &[&str]) {
    check("text/vtt", &[], track, expected);
}

#[test]
fn thumbnails() {
    let track = "WEBVTT\n\n1\n00:00.000 --> 00:05.000\nsprite.jpg#xywh=0,0,160,90\n\n\
        00:05.000 --> 1:00:10.000 align:start\r\n../b.jpg#xywh=pixel:160,0,160,90\r\n\r\n";
    references(
        track,
        &[
            "vtt thumbnail sprite.jpg#xywh=0,0,160,90",
            "vtt thumbnail ../b.jpg#xywh=pixel:160,0,160,90",
        ],
    );
    let expected = track.replace("sprite", "http://h/d/sprite").replace("../b", "http://h/b");
    assert_eq!(absolute("text/vtt", &[], track), expected);
}

#[test]
fn only_a_cue_of_one_line_that_is_a_url_with_a_part_is_a_thumbnail() {
    for text in [
        "a.jpg",
        "see a.jpg#xywh=1,2,3,4",
        "a.jpg#xywh=0,0,1,1\nb.jpg#xywh=0,0,1,1",
        "<c>x</c> https://h/",
        "NOTE a.jpg#xywh=0,0,1,1",
    ] {
        references(&format!("WEBVTT\n\n{CUE}{text}\n\n"), &[]);
    }
    let found = &["vtt thumbnail a#xywh=0"][..];
    references(&format!("WEBVTT\n\n{CUE}a#xywh=0"), found);
    references(&format!("WEBVTT\r\r{CUE} a#xywh=0\t\r\r"), found);
    references(
        &format!("\u{FEFF}WEBVTT a --> b\nKind: metadata\n\nid\n{CUE}a#xywh=0\n{CUE}"),
        found,
    );
    references(&format!("WEBVTT\n{CUE}a#xywh=0"), found);
    references("WEBVTT\n\nNOTE\na#xywh=0\n\na#xywh=1\n\nREGION\nid:a#xywh=2", &[]);
    for timings in [
        "0:01.000 --> 00:02.000",
        "00:01.000 -> 00:02.000",
        "00:61.000 --> 01:02.000",
        "00:01,000 --> 00:02.000",
        "00:01.000 --> 00:02.00",
        "60:01.000 --> 00:02.000",
        ":01.000 --> 00:02.000",
        "a --> b",
    ] {
        references(&format!("WEBVTT\n\n{timings}\na#xywh=0"), &[]);
    }
    for timings in ["123:00:01.000-->00:02.000", "\t0:00:01.000 --> 9:00:02.000x"] {
        references(&format!("WEBVTT\n\n{timings}\na#xywh=0"), found);
    }
}

#[test]
fn style_blocks() {
    let track = format!(
        "WEBVTT\n\nSTYLE\n::cue {{ background: url(\"a b.png\") }}\n@import 'c.css';\n\n\
         NOTE url(d)\n\nSTYLE \t\n::cue(b){{x:url(e\\29 )}}\n\n{CUE}url(f)\n"
    );
    references(&track, &["css url() a b.png", "css @import c.css", "css url() e)"]);
    // After the first cue there are no style sheets.
    references(&format!("WEBVTT\n\n{CUE}text\n\nSTYLE\nurl(x)\n"), &[]);
    references(&format!("WEBVTT\n\nSTYLE\nurl(x)\n{CUE}url(y)\n\nSTYLE\nurl(z)"), &["css url() x"]);
    references("WEBVTT\n\na --> b\ntext\n\nSTYLE\nurl(x)", &["css url() x"]);
    for start in ["STYLES", "style", "STYLE x", " STYLE", "NOTE\nSTYLE"] {
        references(&format!("WEBVTT\n\n{start}\nurl(x)\n"), &[]);
    }
    references("WEBVTT\nSTYLE\nurl(x)\n", &[]);
}

#[test]
fn a_file_without_the_signature_is_not_read() {
    for start in ["", "WEBVTTX", "webvtt", " WEBVTT", "1"] {
        references(&format!("{start}\n\n{CUE}a#xywh=0\n"), &[]);
    }
    let vtt = FormatId::from_extension("vtt");
    assert!(vtt.is_some() && vtt == FormatId::from_media_type("text/vtt"));
    for head in ["WEBVTT", "\u{FEFF}WEBVTT x", "WEBVTT\r\n"] {
        assert_eq!(FormatId::from_content(head.as_bytes()), vtt, "{head}");
    }
    assert_eq!(FormatId::from_content(b"WEBVTTX"), None);
}

#[test]
fn a_thumbnail_that_is_absolute_stays() {
    let track = format!("WEBVTT\n\n{CUE}http://o/a.jpg#xywh=0,0,1,1\n\n{CUE}b.jpg#xywh=0,0,1,1\n");
    count("text/vtt", &[], &track, Outcome::Kept, 1);
    count("text/vtt", &[], &track, Outcome::Rewritten, 1);
}
