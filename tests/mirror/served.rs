//! A site of two hosts behind a web server, mirrored by `wget -r`, and what becomes of the mirror:
//! by this program, and by `wget -k`.
//!
//! Who is right is reported by the server: a reference is right if it leads to the file that holds
//! what the server answers for its target, or if it is the target where the mirror has no such
//! file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use url::Url;
use walkdir::WalkDir;

use super::browser::Browser;
use super::{file_url, path_of, relink_well};
use crate::judge;
use crate::servers::nginx::{self, Nginx};

/// Pages and other files of the site, by host and path; `A` and `B` mean the hosts. Each says what
/// it is, so that it is known again.
const SITE: &[(usize, &str, &str)] = &[
    (
        0,
        "index.html",
        "<!doctype html><!-- page:home --><title>Home</title>\n<link rel=stylesheet href=/style.css><link rel=stylesheet href='theme.css?v=3'>\n<link rel=canonical href=/>\n<a href=docs/>a folder</a> <a href=/docs>without its slash</a> <a href=page.php?id=1>a program</a>\n<a href='page.php?id=2&amp;to=/docs/'>another page</a> <a href=a%20b.html>a space</a> <a href='a b.html#x'>the same</a>\n<a href=caf%C3%A9.html>an accent</a> <a href=100%25.html>a percent sign</a> <a href=what%3F.html>a question mark</a>\n<a href=n%23.html>a number sign</a> <a href=c:d.html>a colon</a> <a href=./c:d.html>a colon</a>\n<a href=//B/>another host</a> <a href=http://B/d/e.html#top>its page</a> <a href=http://out.example/x>out</a>\n<a href=gone.html>gone</a> <a href=#here>here</a> <a href=?>me</a> <a href=mailto:u@h.example>mail</a> <a href=HTTP://A/docs/late.html>late</a>\n<img src=img/one.png srcset='img/one.png 1x, //B/two.png 2x'> <img src='img/three four.png'>\n<p style=\"background:url(img/five.png)\">x</p> <a href=old/FRAMES.HTM>frames</a> <a href=refresh.html>refresh</a> <a href=js.html>js</a> <a href=deep/er/page.html>deep</a>\n",
    ),
    (
        0,
        "style.css",
        "/* page:style */ @import 'css/more.css'; body { background: url(img/six.png) }\n",
    ),
    (0, "theme.css", "/* page:theme */ h1 { background: url('/img/seven.png') }\n"),
    (
        0,
        "css/more.css",
        "/* page:more */ h2 { background: url(../img/eight.png) } h3 { background: url(//B/nine.png) }\n",
    ),
    (
        0,
        "docs/index.html",
        "<!doctype html><!-- page:docs --><base href=/docs/sub/><a href=page.html>under the base</a> <a href=../late.html>late</a> <a href=/page.php?id=1>program</a> <a href=#x>in the base</a> <img src=../../img/one.png>\n",
    ),
    (
        0,
        "docs/late.html",
        "<!doctype html><!-- page:late --><a href=page.html>before the base</a><base href=sub/><base href=/no/><a href=page.html>after it</a> <img src=../../img/ten.png>\n",
    ),
    (
        0,
        "docs/sub/page.html",
        "<!doctype html><!-- page:sub --><a href=../>up</a> <a href=.>here</a> <a href=/>home</a> <a href=page.html#x>me</a>\n",
    ),
    (0, "docs/sub/index.html", "<!doctype html><!-- page:subindex --><a href=../../>home</a>\n"),
    (
        0,
        "a b.html",
        "<!doctype html><!-- page:space --><p id=x><a href=/>home</a> <img src='img/three%20four.png'>\n",
    ),
    (0, "caf\u{E9}.html", "<!doctype html><!-- page:accent --><a href=./>home</a>\n"),
    (
        0,
        "100%.html",
        "<!doctype html><!-- page:percent --><a href=./>home</a> <a href=100%25.html>me</a>\n",
    ),
    (0, "what?.html", "<!doctype html><!-- page:question --><a href=./>home</a>\n"),
    (0, "n#.html", "<!doctype html><!-- page:number --><a href=./>home</a>\n"),
    (0, "c:d.html", "<!doctype html><!-- page:colon --><a href=/>home</a>\n"),
    (
        0,
        "old/FRAMES.HTM",
        "<HTML><!-- page:frames --><FRAMESET COLS=50%,50%><FRAME SRC=left.html><FRAME SRC=\"/old/right.html\"><NOFRAMES><A HREF=left.html>left</A></NOFRAMES></FRAMESET>\n",
    ),
    (
        0,
        "old/left.html",
        "<HTML><!-- page:left --><BODY BACKGROUND=../img/one.png><A HREF=right.html TARGET=x>right</A>\n",
    ),
    (0, "old/right.html", "<HTML><!-- page:right --><A HREF='/old/FRAMES.HTM'>frames</A>\n"),
    (
        0,
        "refresh.html",
        "<!doctype html><!-- page:refresh --><meta http-equiv=refresh content='3600; url=/docs/'><a href=/>home</a>\n",
    ),
    (
        0,
        "js.html",
        "<!doctype html><!-- page:js --><script src=/app.js></script><script>var x = '<a href=/no>';</script><noscript><img src=/img/one.png></noscript>\n",
    ),
    (0, "app.js", "/* page:app */ var y = 'img/no.png';\n"),
    (
        0,
        "deep/er/page.html",
        "<!doctype html><!-- page:deep --><a href=../../>home</a> <a href=../../../../docs/>too far up</a> <a href=//A/page.php?id=1>program</a><picture><source srcset='/img/one.png, /img/ten.png 2x'><img src=/img/one.png></picture><video poster=/img/one.png></video><iframe src=/old/left.html></iframe>\n",
    ),
    (
        1,
        "index.html",
        "<!doctype html><!-- page:other --><a href=http://A/>home</a> <a href=d/e.html>e</a> <a href=http://A/page.php?id=1>program</a> <img src=two.png> <img src=http://A/img/one.png>\n",
    ),
    (
        1,
        "d/e.html",
        "<!doctype html><!-- page:e --><a href=..>up</a> <a href=//A/docs>docs</a> <a href=../gone.html>gone</a>\n",
    ),
];

const PICTURES: &[(usize, &str)] = &[
    (0, "img/one.png"),
    (0, "img/three four.png"),
    (0, "img/five.png"),
    (0, "img/six.png"),
    (0, "img/seven.png"),
    (0, "img/eight.png"),
    (0, "img/ten.png"),
    (1, "two.png"),
    (1, "nine.png"),
];

/// A server on two ports of this machine.
pub(super) struct Server {
    nginx: Nginx,
    pub(super) hosts: [String; 2],
}

impl Server {
    /// Writes the site to a directory and serves it; `None` if there is no server on this machine.
    pub(super) fn start(directory: &Path) -> Option<Server> {
        let host = |port: u16| format!("127.0.0.1:{port}");
        let nginx = Nginx::start(directory, 2, |ports| {
            write_site(directory, [0, 1].map(|at| host(ports[at])));
            let program_page = "<!doctype html><!-- page:program$arg_id --><a href=/>home</a> <a href=?id=1>one</a> <a href=page.php?id=3>three</a> <img src=img/one.png>";
            let servers: String = [0, 1]
                .map(|at| {
                    format!(
                        "server {{ {} root {}/{}; absolute_redirect on; charset utf-8;\n\
                         location = /page.php {{ default_type text/html; return 200 '{program_page}'; }} }}\n",
                        nginx::listen(ports[at]),
                        directory.display(),
                        ["a", "b"][at]
                    )
                })
                .concat();
            let types = "types { text/html html htm HTM; text/css css; image/png png; application/javascript js; }";
            format!("access_log off; {types}\n{servers}")
        })?;
        let hosts = [0, 1].map(|at| host(nginx.ports[at]));
        Some(Server { nginx, hosts })
    }

    /// What the server answers, redirects followed; `None` if there is nothing, or if it is
    /// another's.
    pub(super) fn get(&self, url: &Url) -> Option<Vec<u8>> {
        let host = format!("{}:{}", url.host_str()?, url.port()?);
        if url.scheme() != "http" {
            return None;
        }
        let at = self.hosts.iter().position(|known| *known == host)?;
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        let path = format!("{}{query}", url.path());
        // Of a server that does not answer nothing is known: what is missing is an answer too.
        let answer = nginx::get(self.nginx.ports[at], &path).expect("an answer");
        let end = answer.windows(4).position(|end| end == b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(&answer[..end]).into_owned();
        let location = head.lines().find_map(|line| line.strip_prefix("Location: "));
        match location {
            Some(location) => self.get(&Url::parse(location).ok()?),
            None if head.starts_with("HTTP/1.1 200") => Some(answer[end + 4..].to_vec()),
            None => None,
        }
    }
}

/// Writes the files of the site below a directory, with the names of its hosts.
fn write_site(directory: &Path, hosts: [String; 2]) {
    let name = |text: &str| {
        text.replace("//A/", &format!("//{}/", hosts[0]))
            .replace("//B/", &format!("//{}/", hosts[1]))
    };
    let file = |host: usize, path: &str, bytes: &[u8]| {
        let path = directory.join(["a", "b"][host]).join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, bytes).expect("a file");
    };
    for (host, path, text) in SITE {
        file(*host, path, name(text).as_bytes());
    }
    let picture = include_bytes!("../../fixtures/site/img/dot.png");
    for (host, path) in PICTURES {
        file(*host, path, &[&picture[..], format!("page:{path}").as_bytes()].concat());
    }
}

/// What a file says it is: `page:…`.
pub(super) fn mark(bytes: &[u8]) -> Option<String> {
    let at = bytes.windows(5).position(|word| word == b"page:")?;
    let rest = String::from_utf8_lossy(&bytes[at..]).into_owned();
    rest.split_ascii_whitespace().next().map(str::to_owned)
}

/// The files of a tree.
pub(super) fn files(tree: &Path) -> Vec<PathBuf> {
    let entries = WalkDir::new(tree).sort_by_file_name().into_iter().filter_map(Result::ok);
    entries.filter(|entry| entry.file_type().is_file()).map(|entry| entry.into_path()).collect()
}

/// How the references of a converted mirror are.
#[derive(Debug, Default)]
struct Tally {
    n_references: usize,
    n_right: usize,
    wrong: Vec<String>,
    failed_loads: Vec<String>,
}

/// Compares the references of a mirror as it was fetched, and as it was converted.
fn tally(server: &Server, mirror: &Path, converted: &Path) -> Tally {
    let marks: Vec<String> =
        files(mirror).iter().filter_map(|path| mark(&fs::read(path).expect("a file"))).collect();
    let mut tally = Tally::default();
    for path in files(mirror) {
        let below = path.strip_prefix(mirror).expect("below");
        let before = fs::read(&path).expect("a file");
        let Ok(after) = fs::read(converted.join(below)) else { continue };
        let is_html = before.starts_with(b"<");
        let is_css = before.starts_with(b"/* ") && !below.to_string_lossy().contains(".js");
        if !is_html && !is_css {
            continue;
        }
        // Where the page was fetched from: the URL whose answer says the same.
        let own = own_url(server, &mark(&before).expect("a mark"));
        let new = file_url(&converted.join(below));
        let verdict = if is_html {
            judge::judge_moved_html(&before, &after, own.as_str(), new.as_str())
        } else {
            judge::judge_moved_css(&before, &after, own.as_str(), new.as_str())
        };
        for moved in verdict.moved.into_iter().flatten() {
            let [was, is] = &moved.targets;
            tally.n_references += 1;
            let expected = server
                .get(was)
                .and_then(|answer| mark(&answer))
                .filter(|mark| marks.contains(mark));
            let found =
                path_of(is).and_then(|path| fs::read(path).ok()).and_then(|bytes| mark(&bytes));
            // A canonical link is not for readers of the tree.
            let is_canonical = moved.slot == "link[href]" && is == was;
            let is_right = match &expected {
                Some(expected) => {
                    found.as_ref() == Some(expected) && is.fragment() == was.fragment()
                }
                None => {
                    is == was
                        || is.as_str().trim_end_matches('?') == was.as_str().trim_end_matches('?')
                }
            };
            if is_right || is_canonical {
                tally.n_right += 1;
            } else {
                let slot = &moved.slot;
                tally.wrong.push(format!(
                    "{}: {slot} {:?}: {was} became {is}",
                    below.display(),
                    moved.texts
                ));
            }
        }
    }
    tally
}

/// The URL that the server answers with a page of this mark.
pub(super) fn own_url(server: &Server, page: &str) -> Url {
    let url = |host: usize, path: &str| {
        let mut url = Url::parse(&format!("http://{}/", server.hosts[host])).expect("a URL");
        url.path_segments_mut().expect("a path").clear().extend(path.split('/'));
        url
    };
    if let Some(id) = page.strip_prefix("page:program") {
        let mut url = url(0, "page.php");
        url.set_query(Some(&format!("id={id}")));
        return url;
    }
    let found = SITE.iter().find(|(_, _, text)| mark(text.as_bytes()).as_deref() == Some(page));
    let (host, path, _) = found.expect("a page of the site");
    url(*host, path.strip_suffix("index.html").unwrap_or(path))
}

fn open_all(browser: &mut Browser, tree: &Path, tally: &mut Tally) -> usize {
    let pages: Vec<PathBuf> = files(tree)
        .into_iter()
        .filter(|path| fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"<")))
        .collect();
    for page in &pages {
        tally.failed_loads.extend(browser.open(file_url(page).as_str()));
    }
    pages.len()
}

#[test]
fn a_site_behind_a_server() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name);
    if !crate::tools::has("wget", &["--version"]) {
        return;
    }
    fs::create_dir(path("served")).expect("a directory");
    let Some(server) = Server::start(&path("served")) else {
        return crate::tools::skipped("there is no nginx here");
    };
    fs::create_dir(path("browser")).expect("a directory");
    let mut browser = Browser::start(&path("browser"));
    if let Some(browser) = &mut browser {
        // One that does not see what fails proves nothing.
        fs::write(path("wrong.html"), "<img src=nothing.png>").expect("a file");
        assert_eq!(browser.open(file_url(&path("wrong.html")).as_str()).len(), 1);
    } else {
        crate::tools::skipped("there is no chromium here, nothing is opened");
    }
    println!(
        "| mirror | references | relink: right | wrong | failed loads | wget -k: right | wrong | failed loads |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (name, options) in [
        ("wget -r", &[][..]),
        ("wget -r -E", &["-E"]),
        ("wget -r -E --restrict-file-names=windows", &["-E", "--restrict-file-names=windows"]),
    ] {
        let fetch = |to: &str, more: &[&str]| {
            let to = path(&format!("{to} {name}"));
            fs::create_dir(&to).expect("a directory");
            let home = format!("http://{}/", server.hosts[0]);
            let mut command = Command::new("wget");
            command.args(["-r", "-l", "inf", "-p", "-nv", "-e", "robots=off", "--no-config"]);
            command.args(["--local-encoding=utf-8"]).args(options).args(more).arg(home);
            let status =
                command.current_dir(&to).stderr(Stdio::null()).status().expect("wget runs");
            // 8: the server had something not. 3: a page has the name of a directory.
            assert!(matches!(status.code(), Some(0 | 3 | 8)), "{status}");
            to
        };
        let (mirror, by_wget) = (fetch("mirror", &[]), fetch("by wget", &["-k"]));
        let by_relink = path(&format!("by relink {name}"));
        let words = [&mirror, &by_relink].map(|path| path.to_str().expect("UTF-8").to_owned());
        relink_well(&[
            "relativize",
            &words[0],
            "--layout",
            "wget",
            "--for",
            "file",
            "-o",
            &words[1],
        ]);
        let mut ours = tally(&server, &mirror, &by_relink);
        let mut theirs = tally(&server, &mirror, &by_wget);
        if let Some(browser) = &mut browser {
            let n_pages = open_all(browser, &by_relink, &mut ours);
            assert!(n_pages >= 20, "{n_pages} pages");
            open_all(browser, &by_wget, &mut theirs);
        }
        let row = |tally: &Tally| {
            format!("{} | {} | {}", tally.n_right, tally.wrong.len(), tally.failed_loads.len())
        };
        println!("| `{name}` | {} | {} | {} |", ours.n_references, row(&ours), row(&theirs));
        if std::env::var_os("RELINK_FULL").is_some() {
            theirs
                .wrong
                .iter()
                .chain(&theirs.failed_loads)
                .for_each(|wrong| println!("  wget -k: {wrong}"));
        }
        assert!(ours.n_references >= 100, "{} references", ours.n_references);
        assert!(ours.wrong.is_empty(), "{name}: {:#?}", ours.wrong);
        assert!(ours.failed_loads.is_empty(), "{name}: {:#?}", ours.failed_loads);
    }
}
