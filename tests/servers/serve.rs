//! Servers on this machine, each ended when it goes out of scope: nginx for `http`, pyftpdlib for
//! `ftp`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use super::nginx::{Nginx, listen};

/// A web server for a directory.
pub(crate) struct Web {
    nginx: Nginx,
    pub(crate) port: u16,
    log: PathBuf,
}

/// What a client requested: paths below a directory that were there, and whole paths that were not.
pub(crate) struct Asked {
    pub(crate) reached: Vec<String>,
    pub(crate) missing: Vec<String>,
}

impl Web {
    /// Serves `root`; what the server needs itself is in `directory`. `None` if there is no nginx
    /// on this machine.
    pub(crate) fn start(directory: &Path, root: &Path) -> Option<Web> {
        Web::start_with(directory, root, ["", ""])
    }

    /// As [`Web::start`], with more lines in the blocks `http` and `server`.
    pub(crate) fn start_with(
        directory: &Path,
        root: &Path,
        [http, in_server]: [&str; 2],
    ) -> Option<Web> {
        let log = directory.join("log");
        let nginx = Nginx::start(directory, 1, |ports| {
            format!(
                "types {{ text/html html; text/css css; text/plain txt; application/javascript js; image/png png; image/svg+xml svg; }}\n\
                 log_format asked '$status $request_uri'; access_log {} asked;\n{http}\n\
                 server {{ {} root {}; charset utf-8; {in_server} }}\n",
                log.display(),
                listen(ports[0]),
                root.display()
            )
        })?;
        let port = nginx.ports[0];
        Some(Web { nginx, port, log })
    }

    /// Calls `act` and returns what was asked of the server meanwhile, by its own log.
    pub(crate) fn asked(&self, below: &str, act: impl FnOnce()) -> Asked {
        // A client may have read the last answer, and end, before the server logs its request.
        self.nginx.settle();
        fs::write(&self.log, "").expect("the log can be emptied");
        act();
        self.nginx.settle();
        let log = fs::read_to_string(&self.log).expect("a log");
        let mut asked = Asked { reached: Vec::new(), missing: Vec::new() };
        for (status, path) in log.lines().filter_map(|line| line.split_once(' ')) {
            let path = path.split('?').next().unwrap_or_default();
            match (status, path.strip_prefix(below)) {
                ("200", Some(path)) => asked.reached.push(path.to_owned()),
                (_, _) => asked.missing.push(format!("{status} {path}")),
            }
        }
        for paths in [&mut asked.reached, &mut asked.missing] {
            paths.sort_unstable();
            paths.dedup();
        }
        asked
    }
}

/// A server for `ftp`.
pub(crate) struct Ftp {
    child: Child,
    /// It ends when this does.
    _stdin: ChildStdin,
    pub(crate) port: u16,
}

impl Drop for Ftp {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Ftp {
    /// Serves `root`; `None` if pyftpdlib is not on this machine.
    pub(crate) fn start(root: &Path) -> Option<Ftp> {
        let mut child = Command::new(python_with_ftp()?)
            .arg(super::script("ftpd.py"))
            .arg(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 starts");
        let stdin = child.stdin.take().expect("a pipe");
        let stdout = child.stdout.take().expect("a pipe");
        let mut server = Ftp { child, _stdin: stdin, port: 0 };
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        server.port = line.trim().parse().expect("the port of the ftp server");
        Some(server)
    }
}

/// Returns a Python that has pyftpdlib: that of the system, or the one below `target` that
/// `.ci/run --install` makes.
fn python_with_ftp() -> Option<PathBuf> {
    let below_target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent()?;
    [PathBuf::from("python3"), below_target.join("servers/venv/bin/python")].into_iter().find(
        |python| {
            let python = python.to_str().unwrap_or_default();
            crate::tools::runs(python, &["-c", "import pyftpdlib.servers, pyftpdlib.handlers"])
        },
    )
}
