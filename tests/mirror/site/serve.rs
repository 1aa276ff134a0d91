//! The site behind a proxy for HTTP, so that any host name leads to this machine.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use url::Url;

use super::pages::{Found, Site};

/// A proxy that answers for the hosts of the site, and 502 for all others.
pub(super) struct Proxy {
    pub(super) port: u16,
}

impl Proxy {
    /// Starts the proxy; it runs until the tests end.
    pub(super) fn start(site: Arc<Site>) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        thread::spawn(move || {
            for stream in listener.incoming() {
                // A connection that its client gave up before it was accepted.
                let Ok(stream) = stream else { continue };
                let site = Arc::clone(&site);
                // A client that goes away is no error of the site.
                thread::spawn(move || drop(answer(&site, stream)));
            }
        });
        Proxy { port }
    }
}

/// Answers one request and closes the connection. It waits for the request as long as the client
/// keeps the connection: a browser opens some ahead.
fn answer(site: &Site, stream: TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut host = String::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("host")
        {
            value.trim().clone_into(&mut host);
        }
    }
    let mut words = request.split_ascii_whitespace();
    let method = words.next().unwrap_or_default().to_owned();
    let target = words.next().unwrap_or_default();
    let url = if target.starts_with('/') {
        Url::parse(&format!("http://{host}{target}"))
    } else {
        Url::parse(target)
    };
    let found = url.ok().map_or(Found::Foreign, |url| site.ask(&url));
    let (status, field, body) = match found {
        Found::Resource(id) => {
            let resource = &site.resources[id];
            let field = format!("Content-Type: {}", resource.kind.media_type());
            ("200 OK", field, resource.body.clone())
        }
        Found::Redirect(location) => ("302 Found", format!("Location: {location}"), Vec::new()),
        Found::Nothing => {
            let body = b"<!doctype html><title>Not found</title>".to_vec();
            ("404 Not Found", "Content-Type: text/html".to_owned(), body)
        }
        Found::Foreign => ("502 Bad Gateway", "Content-Type: text/plain".to_owned(), Vec::new()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\n{field}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let stream = reader.get_mut();
    stream.write_all(head.as_bytes())?;
    if method != "HEAD" {
        stream.write_all(&body)?;
    }
    stream.flush()
}
