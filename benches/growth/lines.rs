//! Formats of lines that could take long.

use super::{Shape, between};

pub(crate) const PLAYLISTS: &[Shape] = &[
    ("lines of a playlist", |n| between("#EXTM3U\n#EXT-X-X\n", "#EXTINF:1,\na.ts\n", "", n)),
    ("tags of a playlist", |n| between("#EXTM3U\n", "#EXT-X-KEY:A=1,URI=\"k\"\n", "", n)),
    ("attributes of one tag", |n| between("#EXT-X-KEY:", "A=1,URI=\"k\",", "", n)),
    ("quotes of one tag", |n| between("#EXT-X-KEY:A=", "\"", "", n)),
    ("variables", |n| between("#EXT-X-DEFINE:\n", "{$a", "", n)),
];

const CUE: &str = "00:00.000 --> 00:01.000\n";

pub(crate) const VTT: &[Shape] = &[
    ("thumbnails", |n| between("WEBVTT\n\n", &format!("{CUE}a.jpg#xywh=0,0,1,1\n\n"), "", n)),
    ("cues without texts", |n| between("WEBVTT\n\n", CUE, "", n)),
    ("style sheets of a track", |n| between("WEBVTT\n\n", "STYLE\nb{c:url(d)}\n\n", "", n)),
    ("one style sheet of a track", |n| between("WEBVTT\n\nSTYLE\n", "b{c:url(d)}\n", "", n)),
    ("line ends of a track", |n| between("WEBVTT", "\r\n\r", "", n)),
    ("arrows", |n| between("WEBVTT\n\n", "-->", "", n)),
];
