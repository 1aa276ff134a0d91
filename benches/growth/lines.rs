//! Formats of lines that could take long.

use super::{Shape, between, counted, flood};

pub(crate) const PLAYLISTS: &[Shape] = &[
    ("lines of a playlist", |n| between("#EXTM3U\n#EXT-X-X\n", "#EXTINF:1,\na.ts\n", "", n)),
    ("tags of a playlist", |n| between("#EXTM3U\n", "#EXT-X-KEY:A=1,URI=\"k\"\n", "", n)),
    ("attributes of one tag", |n| between("#EXT-X-KEY:", "A=1,URI=\"k\",", "", n)),
    ("quotes of one tag", |n| between("#EXT-X-KEY:A=", "\"", "", n)),
    ("one line of a playlist", |n| between("#EXT-X-X\n", "a/", "\n", n)),
    ("a playlist of paths", |n| flood("a\\b?c\n", n)),
    ("carriage returns of a playlist", |n| between("#EXT-X-X\na", "\r", "\n", n)),
    ("variables", |n| between("#EXT-X-DEFINE:\n", "{$a", "", n)),
];

const CUE: &str = "00:00.000 --> 00:01.000\n";

pub(crate) const VTT: &[Shape] = &[
    ("thumbnails", |n| between("WEBVTT\n\n", &format!("{CUE}a.jpg#xywh=0,0,1,1\n\n"), "", n)),
    ("cues without texts", |n| between("WEBVTT\n\n", CUE, "", n)),
    ("style sheets of a track", |n| between("WEBVTT\n\n", "STYLE\nb{c:url(d)}\n\n", "", n)),
    ("one style sheet of a track", |n| between("WEBVTT\n\nSTYLE\n", "b{c:url(d)}\n", "", n)),
    ("line ends of a track", |n| between("WEBVTT", "\r\n\r", "", n)),
    ("hours of a cue", |n| between("WEBVTT\n\n", "0", ":00:00.000 --> 00:01.000\na", n)),
    ("one thumbnail", |n| between(&format!("WEBVTT\n\n{CUE}"), "#xywh=", "\n", n)),
    ("arrows", |n| between("WEBVTT\n\n", "-->", "", n)),
];

pub(crate) const ROBOTS: &[Shape] = &[
    ("sitemaps", |n| flood("Sitemap: http://h.example/a/s.xml\n", n)),
    ("rules of robots", |n| flood("Disallow: /a/*?b$\r", n)),
    ("one sitemap", |n| between("Sitemap: http://h.example/a/", "b/", "\n", n)),
    ("colons of robots", |n| flood("sitemap:", n)),
    ("number signs of robots", |n| between("Sitemap: /a", "#", "\n", n)),
];

pub(crate) const REDIRECTS: &[Shape] = &[
    ("rules of redirects", |n| flood("/a http://h.example/a/b 301\n", n)),
    ("words of one redirect", |n| between("/a ", "x=:y ", "http://h.example/a/b\n", n)),
    ("one target of a redirect", |n| between("/a http://h.example/a/", "b/", " 301\n", n)),
    ("white space of a redirect", |n| between("/a", " \t", "http://h.example/a/b", n)),
];

pub(crate) const HEADERS: &[Shape] = &[
    ("fields of headers", |n| between("/*\n", "  Link: </a/b>; rel=preload\n", "", n)),
    ("links of one field", |n| between("/*\n  Link: ", "</a/b>;a=\"b\",", "\n", n)),
    ("parameters of one field", |n| between("/*\n  Link: </a/b>", ";c=d", "\n", n)),
    ("quotes of one field", |n| between("/*\n  Link: </a/b>;c=\"", "\\\"", "\n", n)),
    ("links never closed", |n| between("/*\n  Link: ", "<", "\n", n)),
    ("one location", |n| between("/*\n  Location: /a/", "b/", "\n", n)),
];

pub(crate) const SHORTCUTS: &[Shape] = &[
    ("sections of a shortcut", |n| flood("[InternetShortcut]\r\nURL=http://h.example/a/b\r\n", n)),
    ("keys of a shortcut", |n| {
        between("[InternetShortcut]\n", "URL=http://h.example/a/b\n", "", n)
    }),
    ("one URL of a shortcut", |n| {
        between("[InternetShortcut]\nURL=http://h.example/a/", "b", "", n)
    }),
    ("equals signs of a shortcut", |n| flood("IconFile=", n)),
    ("quotes of a shortcut", |n| between("[InternetShortcut]\nURL=", "\"'", "\n", n)),
];

/// Scripts and style sheets that name their source maps.
pub(crate) const MAPPED_SCRIPTS: &[Shape] = &[
    ("comments with maps", |n| between("import './x';\n", "//# sourceMappingURL=x y\n", "", n)),
    ("one comment with a map", |n| between("a;\n//# sourceMappingURL=", "x/", "\n", n)),
    ("comments after a map", |n| between("a;\n//# sourceMappingURL=x\n", "// y\n", "", n)),
];

pub(crate) const MAPPED_SHEETS: &[Shape] = &[
    ("comments with maps", |n| flood("/*# sourceMappingURL=x */\n", n)),
    ("maps in one comment", |n| between("/*# sourceMappingURL=", "x/*", "*/", n)),
    ("comments after a map", |n| {
        counted("/*# sourceMappingURL=x */", |idx| format!("/*{idx}*/"), "", n)
    }),
];
