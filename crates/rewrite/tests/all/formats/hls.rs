//! Playlists: lines, attributes of tags, variables, and simple M3U.

use relink_rewrite::{FormatId, Media, Outcome};

use super::{absolute, check, convert, count, options};

const MEDIA: &str = "application/vnd.apple.mpegurl";

#[track_caller]
fn references(playlist: &str, expected: &[&str]) {
    check(MEDIA, &[], playlist, expected);
}

#[test]
fn lines() {
    let playlist = "#EXTM3U\n#EXT-X-TARGETDURATION:9\n# comment.ts\n\n#EXTINF:9,a,b.ts\n\
        first.ts\r\n#EXTINF:9,\n../second%20part.ts?a=b\n#EXTINF:1\nth\u{EF}rd one.ts \n/4.ts\n5\\6.ts";
    references(
        playlist,
        &[
            "hls line first.ts",
            "hls line ../second%20part.ts?a=b",
            "hls line th\u{EF}rd one.ts",
            "hls line /4.ts",
            "hls line 5\\6.ts",
        ],
    );
    let expected = playlist
        .replace("first", "http://h/d/first")
        .replace("../second", "http://h/second")
        .replace("th\u{EF}rd one", "http://h/d/th\u{EF}rd one")
        .replace("/4", "http://h/4")
        .replace("5\\6", "http://h/d/5/6");
    assert_eq!(absolute(MEDIA, &[], playlist), expected);
}

#[test]
fn attributes() {
    let playlist = "#EXTM3U\n\
        #EXT-X-KEY:METHOD=AES-128,URI=\"key.bin\",IV=0x0\n\
        #EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI=\"skd://x\",KEYFORMAT=\"com.apple\"\n\
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a,URI=\",NAME=\"b\",URI=\"audio/a b.m3u8\"\n\
        #EXT-X-MAP:URI=\"init.mp4\",BYTERANGE=\"7@0\"\n\
        #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI=\"i.m3u8\"\n\
        #EXT-X-SESSION-DATA:DATA-ID=\"x\",URI=\"data.json\"\n\
        #EXT-X-PART:DURATION=0.3,URI=\"p.mp4\", INDEPENDENT=YES\n\
        #EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"h.mp4\"\n\
        #EXT-X-RENDITION-REPORT:URI=\"../r.m3u8\",LAST-MSN=2\n\
        #EXT-X-CONTENT-STEERING:SERVER-URI=\"/steer?x\",PATHWAY-ID=\"a\"\n\
        #EXT-X-DATERANGE:ID=\"x\",CLASS=\"com.apple.hls.interstitial\",X-ASSET-URI=\"ad.m3u8\"\n\
        #EXT-X-DATERANGE:ID=\"x\",X-ASSET-LIST=\"list.json\",X-OTHER=\"o\"\n\
        #EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO=\"a\"\nlow/index.m3u8\n";
    references(
        playlist,
        &[
            "hls EXT-X-KEY[URI] key.bin",
            "hls EXT-X-SESSION-KEY[URI] skd://x",
            "hls EXT-X-MEDIA[URI] audio/a b.m3u8",
            "hls EXT-X-MAP[URI] init.mp4",
            "hls EXT-X-I-FRAME-STREAM-INF[URI] i.m3u8",
            "hls EXT-X-SESSION-DATA[URI] data.json",
            "hls EXT-X-PART[URI] p.mp4",
            "hls EXT-X-PRELOAD-HINT[URI] h.mp4",
            "hls EXT-X-RENDITION-REPORT[URI] ../r.m3u8",
            "hls EXT-X-CONTENT-STEERING[SERVER-URI] /steer?x",
            "hls EXT-X-DATERANGE[X-ASSET-URI] ad.m3u8",
            "hls EXT-X-DATERANGE[X-ASSET-LIST] list.json",
            "hls line low/index.m3u8",
        ],
    );
}

#[test]
fn other_tags_and_broken_attributes_have_no_references() {
    for line in [
        "#EXT-X-KEY:METHOD=NONE",
        "#EXT-X-KEY:METHOD=AES-128,URI=key.bin",
        "#EXT-X-KEY:METHOD=AES-128,URI=\"key.bin",
        "#EXT-X-KEY:METHOD=\"x\"y,URI=\"key.bin\"",
        "#EXT-X-KEY:uri=\"key.bin\"",
        "#EXT-X-KEY:URI",
        "#EXT-X-KEYS:URI=\"key.bin\"",
        "#EXT-X-KEY URI=\"key.bin\"",
        "#ext-x-key:URI=\"key.bin\"",
        "#EXT-X-STREAM-INF:URI=\"x\"",
        "# EXT-X-KEY:URI=\"x\"",
        " # x",
    ] {
        references(&format!("#EXTM3U\n#EXT-X-VERSION:3\n{line}\n"), &[]);
    }
}

#[test]
fn what_has_a_variable_stays() {
    let playlist = "#EXTM3U\n#EXT-X-DEFINE:NAME=\"a\",VALUE=\"b\"\n{$a}/x.ts\nc{$a}.ts?{$a}\n\
        #EXT-X-MAP:URI=\"{$a}.mp4\"\n$a.ts\n";
    references(
        playlist,
        &[
            "hls line {$a}/x.ts",
            "hls line c{$a}.ts?{$a}",
            "hls EXT-X-MAP[URI] {$a}.mp4",
            "hls line $a.ts",
        ],
    );
    assert_eq!(absolute(MEDIA, &[], playlist), playlist.replace("\n$a", "\nhttp://h/d/$a"));
    count(MEDIA, &[], playlist, Outcome::Ambiguous, 3);
    // Without a definition there is no variable.
    let playlist = "#EXTM3U\n#EXT-X-VERSION:8\n{$a}.ts\n";
    assert!(absolute(MEDIA, &[], playlist).contains("\nhttp://h/d/{$a}.ts"));
}

#[test]
fn a_simple_list_has_paths_or_urls() {
    let playlist = "#EXTM3U\n#EXTINF:1,x\na b.mp3\n../c/d.mp3\nC:\\Music\\e.mp3\nd:/f.mp3\n\
        \\\\server\\g.mp3\nhttp://h/d/i%20j.mp3\nhttp://o/k?l\n";
    references(
        playlist,
        &[
            "hls line a b.mp3",
            "hls line ../c/d.mp3",
            "hls line http://h/d/i%20j.mp3",
            "hls line http://o/k?l",
        ],
    );
    let expected = playlist.replace("a b", "http://h/d/a b").replace("../c", "http://h/c");
    assert_eq!(absolute(MEDIA, &[], playlist), expected);
    for ambiguous in ["100%.mp3", "what?.mp3", "x\\y.mp3", "/x.mp3", "\u{FC}.mp3", "a #1.mp3"] {
        let playlist = format!("{ambiguous}\n");
        references(&playlist, &[&format!("hls line {ambiguous}")]);
        assert_eq!(absolute(MEDIA, &[], &playlist), playlist);
        count(MEDIA, &[], &playlist, Outcome::Ambiguous, 1);
    }
}

#[test]
fn a_line_that_cannot_be_written_does_not_fail_the_others() {
    // The tree spells the target of the second in another way than its line, which stays.
    let playlist = "#EXTM3U\nhttp://h/d/e/x\nHTTP://H/d/r?s=t\n";
    let media = Media::from_name(MEDIA).expect(MEDIA);
    let rewritten = convert(playlist.as_bytes(), media, &options(&[]), true);
    assert_eq!(rewritten.verify_error(), None);
    let output = rewritten.into_output().map(|bytes| String::from_utf8(bytes).expect("UTF-8"));
    assert_eq!(output.as_deref(), Some("#EXTM3U\ne/x\nHTTP://H/d/r?s=t\n"));
}

#[test]
fn a_line_never_becomes_a_comment_or_empty() {
    references(
        "#EXT-X-VERSION:3\nhttp://h/d/p#x\nhttp://h/d/p\n",
        &["hls line http://h/d/p#x", "hls line http://h/d/p"],
    );
}

#[test]
fn playlists_are_found_by_their_names_and_first_line() {
    let hls = FormatId::from_extension("m3u8");
    assert!(hls.is_some() && hls == FormatId::from_extension("m3u"));
    for name in [MEDIA, "application/x-mpegurl", "audio/mpegurl"] {
        assert_eq!(FormatId::from_media_type(name), hls, "{name}");
    }
    assert_eq!(FormatId::from_content(b"#EXTM3U\r\n"), hls);
    assert_eq!(FormatId::from_content(b"#EXTM3U8"), None);
}
