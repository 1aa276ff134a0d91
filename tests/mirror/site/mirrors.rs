//! The programs that mirror the site.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A manner of mirroring.
pub(super) struct Manner {
    /// Its name in the table.
    pub(super) name: &'static str,
    pub(super) program: &'static str,
    pub(super) options: &'static [&'static str],
    /// The options of relink for such a mirror.
    pub(super) layout: &'static [&'static str],
    /// Options with which the program converts references for the disk; `None` if it does so
    /// always.
    pub(super) converts: Option<&'static [&'static str]>,
    /// False if the manner is only tried with `RELINK_FULL=1`.
    pub(super) is_default: bool,
}

const WGET: &[&str] = &["--layout", "wget"];
const HTTRACK: &[&str] = &["--layout", "httrack"];

/// Options with which HTTrack mirrors without waiting. With several connections it waits for all of
/// them, which is slow, and gives names in the order in which they answer.
pub(in super::super) const HTTRACK_AT_ONCE: &[&str] =
    &["-q", "-s0", "--disable-security-limits", "-%c0", "-c1", "-A100000000", "-T300", "-O", "."];

/// All manners. HTTrack's other structures (`-N1`), without directories of hosts, are not
/// supported; `-K4` keeps references and removes the `<base>` that they need.
pub(super) const MANNERS: &[Manner] = &[
    wget("wget -r", &["-H"], false),
    wget("wget -r -E", &["-H", "-E"], true),
    wget(
        "wget -r -E --restrict-file-names=windows",
        &["-H", "-E", "--restrict-file-names=windows"],
        false,
    ),
    wget("wget -r --restrict-file-names=windows", &["-H", "--restrict-file-names=windows"], false),
    wget("wget -r -E --xattr", &["-H", "-E", "--xattr"], false),
    Manner {
        layout: &["--layout", "wget", "--base", "http://a.example/"],
        ..wget("wget -r -E -nH", &["-E", "-nH"], false)
    },
    wget2("wget2 -r", &[], false),
    wget2("wget2 -r -E", &["-E"], false),
    httrack("httrack", &[], true),
    httrack("httrack -K", &["-K"], false),
    httrack("httrack -K4", &["-K4"], false),
    httrack("httrack -N1", &["-N1"], false),
];

const fn wget(name: &'static str, options: &'static [&'static str], is_default: bool) -> Manner {
    Manner { name, program: "wget", options, layout: WGET, converts: Some(&["-k"]), is_default }
}

const fn wget2(name: &'static str, options: &'static [&'static str], is_default: bool) -> Manner {
    Manner { name, program: "wget2", options, layout: WGET, converts: Some(&["-k"]), is_default }
}

const fn httrack(name: &'static str, options: &'static [&'static str], is_default: bool) -> Manner {
    Manner { name, program: "httrack", options, layout: HTTRACK, converts: None, is_default }
}

impl Manner {
    /// Mirrors the site into a new directory.
    pub(super) fn fetch(&self, directory: &Path, port: u16, more: &[&str]) -> PathBuf {
        fs::create_dir(directory).expect("a directory");
        let proxy = format!("127.0.0.1:{port}");
        let mut command = Command::new(self.program);
        let mut more_urls = Vec::new();
        match self.program {
            "wget" => {
                command.args(["-r", "-l", "inf", "-p", "-nv", "-e", "robots=off", "--no-config"]);
                command.args(["-e", "use_proxy=on", "-e", &format!("http_proxy=http://{proxy}/")]);
                command.args(["--local-encoding=utf-8"]);
                command.args(["-D", "a.example,b.example"]);
            }
            "wget2" => {
                command.args(["-r", "-l", "inf", "-p", "-q", "--robots=off", "--no-config"]);
                command.args(["-H", "--domains=a.example,www.a.example,b.example"]);
                command.arg(format!("--http-proxy=http://{proxy}"));
            }
            _ => {
                command.args(HTTRACK_AT_ONCE).args(["-%u0", "-P", &proxy]);
                command.args(["http://b.example/", "http://www.a.example/"]);
                more_urls = ["+a.example/*", "+www.a.example/*", "+b.example/*"].to_vec();
            }
        }
        command.args(self.options).args(more).arg("http://a.example/").args(more_urls);
        command.current_dir(directory);
        let log = fs::File::create(directory.with_extension("log")).expect("a file");
        let errors = log.try_clone().expect("a file");
        command.stdin(Stdio::null()).stdout(log).stderr(errors);
        // The status says that the site answered 404 somewhere.
        let status = command.status().expect("the program runs");
        assert!(status.code().is_some(), "{}: {status}", self.name);
        directory.to_owned()
    }
}

/// The manner that also writes a web archive, `crawl.warc.gz`.
pub(super) const CRAWL: &Manner = &wget("wget --warc-file", &["-H", "--warc-file=crawl"], true);

/// The manners whose mirrors are made absolute.
pub(super) const CONVERTED: &[Manner] = &[
    wget("wget -r -E -k", &["-H", "-N", "-E", "-k"], true),
    wget("wget -r -E -k -K", &["-H", "-N", "-E", "-k", "-K"], true),
    httrack("httrack", &[], true),
];
