//! nginx on free ports of this machine, ended when it goes out of scope. No other program can take
//! a port before it: `nginx.py` keeps them.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A path that the server answers with 204 and does not log.
const IDLE: &str = "/-/idle";

/// A running nginx: one process, so that ending it ends the server.
pub(crate) struct Nginx {
    child: Child,
    pub(crate) ports: Vec<u16>,
}

impl Drop for Nginx {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Nginx {
    /// Starts nginx with `n_ports` ports, of which `config` makes what the block `http` contains;
    /// a server calls [`listen`] in its block. What nginx needs itself is in `directory`.
    ///
    /// Returns `None` if there is no nginx, or no Python, on this machine.
    pub(crate) fn start(
        directory: &Path,
        n_ports: usize,
        config: impl FnOnce(&[u16]) -> String,
    ) -> Option<Nginx> {
        let mut programs = ["nginx", "/usr/sbin/nginx"].into_iter();
        let program = programs.find(|name| crate::tools::runs(name, &["-v"]))?;
        if !crate::tools::runs("python3", &["--version"]) {
            return None;
        }
        fs::create_dir_all(directory.join("tmp")).expect("a directory");
        let at = directory.display();
        let log = fs::File::create(directory.join("start.log")).expect("a file");
        let mut child = Command::new("python3")
            .args([super::script("nginx.py").as_path(), Path::new(program), directory])
            .arg(n_ports.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("python3 starts");
        let stdout = child.stdout.take().expect("a pipe");
        let mut stdin = child.stdin.take().expect("a pipe");
        let mut server = Nginx { child, ports: Vec::new() };
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let ports = line.split_ascii_whitespace();
        server.ports = ports.map(|port| port.parse().expect("a port")).collect();
        assert_eq!(server.ports.len(), n_ports, "the ports of nginx");
        let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|name| format!("{name}_temp_path {at}/tmp;\n"))
            .concat();
        let http = config(&server.ports);
        let config = format!(
            "daemon off; master_process off; error_log {at}/error.log; pid {at}/pid;\n\
             events {{}}\nhttp {{\nlingering_close off;\n{temporary}{http} }}\n"
        );
        stdin.write_all(config.as_bytes()).expect("a configuration");
        drop(stdin);
        crate::tools::wait_until("nginx serves its ports", || {
            let ended = server.child.try_wait().expect("a process");
            let report = ["start.log", "error.log"]
                .map(|name| fs::read_to_string(directory.join(name)).unwrap_or_default());
            assert!(ended.is_none(), "nginx has ended: {}{}", report[0], report[1]);
            server.ports.iter().all(|port| is_idle(*port))
        });
        Some(server)
    }

    /// Returns when the server has logged every request that was answered before: it is one thread,
    /// and logs a request before it reads the next one.
    pub(crate) fn settle(&self) {
        assert!(self.ports.iter().all(|port| is_idle(*port)), "nginx answers");
    }
}

/// Returns the lines with which a server has a port.
pub(crate) fn listen(port: u16) -> String {
    format!(
        "listen 127.0.0.1:{port} reuseport; location = {IDLE} {{ access_log off; return 204; }}"
    )
}

/// Returns true if the server at a port answers the request for [`IDLE`].
fn is_idle(port: u16) -> bool {
    get(port, IDLE).is_ok_and(|answer| answer.starts_with(b"HTTP/1.1 204 "))
}

/// Requests a path, and returns the whole answer.
pub(crate) fn get(port: u16, path: &str) -> std::io::Result<Vec<u8>> {
    get_of(port, &format!("127.0.0.1:{port}"), path)
}

/// Requests a path of a host, and returns the whole answer.
pub(crate) fn get_of(port: u16, host: &str, path: &str) -> std::io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    write!(stream, "GET {path} HTTP/1.0\r\nHost: {host}\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    Ok(answer)
}
