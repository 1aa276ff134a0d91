//! A tag soup like old pages: upper case, unquoted attributes, frames, tables, fonts, broken
//! nesting, scripts that write markup.
//!
//! The same pages on every run and every machine.

/// A small random number generator (Marsaglia, "Xorshift RNGs", 2003).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).unwrap_or_default()
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

const WORDS: &[&str] = &[
    "welcome",
    "to",
    "my",
    "home",
    "page",
    "the",
    "best",
    "viewed",
    "with",
    "Netscape",
    "links",
    "of",
    "guestbook",
    "under",
    "construction",
    "since",
    "1997",
    "free",
    "a",
    "river",
    "photos",
    "and",
    "music",
    "updated",
    "last",
    "week",
    "e-mail",
    "me",
    "please",
    "sign",
    "webring",
];
const PATHS: &[&str] = &[
    "index.html",
    "../index.htm",
    "pics/cat.gif",
    "/~joe/links.html",
    "http://www.geocities.com/Area51/1234/",
    "images/bar.gif",
    "#top",
    "mailto:joe@isp.example",
    "news.html#n12",
    "cgi-bin/counter.cgi?df=joe&dd=A",
    "../../up.html",
    "sounds/canyon.mid",
    "page%201.html",
    "//mirror.example/pub/",
    "?sort=name",
    "ftp://ftp.example/pub/file.zip",
    "photo gallery.html",
    "./here/",
    "a&amp;b.html",
];

/// Returns pages of some ten kilobytes each, `n_bytes` in total.
pub(crate) fn pages(n_bytes: usize) -> Vec<Vec<u8>> {
    let mut numbers = Numbers(1808);
    let mut pages: Vec<Vec<u8>> = Vec::new();
    let mut len = 0;
    while len < n_bytes {
        let page = page(&mut numbers);
        len += page.len();
        pages.push(page);
    }
    pages
}

fn page(numbers: &mut Numbers) -> Vec<u8> {
    let mut out = String::new();
    if numbers.below(3) > 0 {
        out.push_str("<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 3.2 Final//EN\">\n");
    }
    out.push_str("<HTML>\n<HEAD>\n<TITLE>");
    words(numbers, &mut out, 4);
    out.push_str(
        "</TITLE>\n<META NAME=GENERATOR CONTENT=\"Mozilla/4.04 [en] (Win95; I) [Netscape]\">\n",
    );
    if numbers.below(6) == 0 {
        out.push_str("<BASE HREF=\"http://www.isp.example/~joe/\">\n");
    }
    if numbers.below(4) == 0 {
        out.push_str("<SCRIPT LANGUAGE=JavaScript><!--\nif (a < b && c) document.write('<IMG SRC=' + x + '><\\/a>');\n// --></SCRIPT>\n");
    }
    if numbers.below(8) == 0 {
        frames(numbers, &mut out);
    }
    out.push_str("</HEAD>\n<BODY BGCOLOR=#FFFFFF TEXT=#000000 BACKGROUND=images/paper.gif>\n");
    for _ in 0..20 + numbers.below(60) {
        block(numbers, &mut out);
    }
    out.push_str("</BODY>\n</HTML>\n");
    out.into_bytes()
}

fn words(numbers: &mut Numbers, out: &mut String, n: usize) {
    for _ in 0..n {
        out.push_str(numbers.of(WORDS));
        out.push_str(numbers.of(&[" ", " ", " ", " ", "\n", "&nbsp;", ", ", " &amp; "]));
    }
}

fn frames(numbers: &mut Numbers, out: &mut String) {
    out.push_str("<FRAMESET COLS=\"20%,*\">\n");
    for name in ["nav", "main"] {
        let path = numbers.of(PATHS);
        out.push_str(&format!("<FRAME SRC=\"{path}\" NAME={name} SCROLLING=auto>\n"));
    }
    out.push_str("<NOFRAMES>Your browser has no frames: <A HREF=\"index.html\">go on</A></NOFRAMES></FRAMESET>\n");
}

fn link(numbers: &mut Numbers, out: &mut String) {
    let (path, n) = (numbers.of(PATHS), 1 + numbers.below(5));
    match numbers.below(4) {
        0 if !path.contains(' ') => out.push_str(&format!("<A HREF={path}>")),
        1 => out.push_str(&format!("<a href='{path}' target=_top>")),
        _ => out.push_str(&format!(
            "<A HREF=\"{path}\" onMouseOver=\"window.status='go'; return true\">"
        )),
    }
    words(numbers, out, n);
    // Many were never closed.
    out.push_str(numbers.of(&["</A>", "</A>", "</a>", ""]));
}

fn image(numbers: &mut Numbers, out: &mut String) {
    let path = numbers.of(PATHS);
    out.push_str(&format!(
        "<IMG SRC=\"{path}\" WIDTH=88 HEIGHT=31 BORDER=0 ALT=\"[x]\" ALIGN=left VSPACE=5>"
    ));
}

fn block(numbers: &mut Numbers, out: &mut String) {
    match numbers.below(9) {
        0 => {
            out.push_str("<TABLE BORDER=0 CELLPADDING=2 WIDTH=\"100%\">\n");
            for _ in 0..1 + numbers.below(5) {
                out.push_str("<TR><TD ALIGN=CENTER BGCOLOR=#CCCCFF><FONT FACE=\"Arial\" SIZE=2>");
                link(numbers, out);
                out.push_str("<TD NOWRAP>");
                words(numbers, out, 6);
                out.push_str(numbers.of(&["</FONT></TD></TR>\n", "</TD>\n", "\n"]));
            }
            out.push_str(numbers.of(&["</TABLE>\n", "</FONT></TABLE>\n"]));
        }
        1 => {
            out.push_str("<UL>\n");
            for _ in 0..2 + numbers.below(6) {
                out.push_str("<LI>");
                link(numbers, out);
                words(numbers, out, 4);
            }
            out.push_str("</UL>\n");
        }
        2 => image(numbers, out),
        3 => out.push_str("<!-- ----------- section ----------- -->\n<HR SIZE=1 NOSHADE>\n"),
        4 => {
            out.push_str("<CENTER><B><I><FONT COLOR=red>");
            words(numbers, out, 5);
            out.push_str("</B></I></CENTER></FONT>\n");
        }
        5 => {
            out.push_str("<FORM METHOD=POST ACTION=\"/cgi-bin/guestbook.pl\"><INPUT TYPE=text NAME=q SIZE=20><INPUT TYPE=image SRC=go.gif></FORM>\n");
        }
        6 => {
            out.push_str("<MAP NAME=nav><AREA SHAPE=RECT COORDS=\"0,0,50,50\" HREF=\"a.html\"><AREA HREF=b.html SHAPE=default></MAP>\n");
        }
        _ => {
            out.push_str(numbers.of(&[
                "<P>",
                "<p>",
                "<P ALIGN=\"JUSTIFY\">",
                "<BR><BR>\n",
                "<BLOCKQUOTE>",
            ]));
            let n = 10 + numbers.below(50);
            words(numbers, out, n);
            link(numbers, out);
        }
    }
}
