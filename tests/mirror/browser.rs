//! Headless Chromium, controlled over pipes (Chrome DevTools Protocol), which reports what it could
//! not load.
//!
//! As in `tests/browser/chromium.py`, a page is ready when its load event has been fired, each
//! request that it made has an end, and two frames that were drawn afterwards have made no other
//! request. No time is measured.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    to: File,
    from: mpsc::Receiver<Value>,
    session: String,
    n_sent: u64,
    /// The frame of the page.
    frame: String,
    /// What the events have said since the page was opened.
    page: Page,
}

/// A page that is opened.
#[derive(Default)]
struct Page {
    /// The documents that were in its frame, the last one at the end.
    documents: Vec<String>,
    /// True if the load event of the last document has been fired.
    is_loaded: bool,
    /// The requests without an end, by their numbers.
    waiting: HashMap<String, Request>,
    n_requests: usize,
    /// What could not be loaded.
    failed: Vec<String>,
}

struct Request {
    frame: String,
    document: String,
    url: String,
}

/// A browser that says nothing for five minutes is stuck. It is no measure of speed.
const NEVER: Duration = Duration::from_secs(300);

/// Style, layout and paint of all frames of the page, which begin the loads of fonts and
/// backgrounds. The second frame is begun when the first one has been drawn.
const DRAWN: &str =
    "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))";

impl Browser {
    /// Starts a browser that keeps its files in a directory; `None` if there is none on this
    /// machine.
    pub(crate) fn start(directory: &Path) -> Option<Browser> {
        Browser::start_with(directory, &[])
    }

    /// The same, with more options.
    pub(crate) fn start_with(directory: &Path, more: &[&str]) -> Option<Browser> {
        // The same engine without windows takes a third less time.
        let runs = |name: &&str| crate::tools::runs(name, &["--version"]);
        let name = ["chromium-headless-shell", "chromium"].into_iter().find(runs)?;
        let pipes = ["to", "from"].map(|name| directory.join(name));
        assert!(Command::new("mkfifo").args(&pipes).status().ok()?.success(), "two pipes");
        let profile = format!("--user-data-dir={}", directory.join("profile").display());
        let child = Command::new("sh")
            .args(["-c", "to=$1 from=$2; shift 2; exec \"$@\" 3<\"$to\" 4>\"$from\"", "sh"])
            .args(&pipes)
            .arg(name)
            .args([&profile, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update"])
            .args(["--disable-sync", "--disable-dev-shm-usage", "--remote-debugging-pipe"])
            // All frames of a page are in one process, whose events keep their order.
            .args(["--disable-site-isolation-trials"])
            .args(["--disable-features=IsolateOrigins,site-per-process,BackForwardCache"])
            .args(more)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let to = File::options().write(true).open(&pipes[0]).expect("a pipe");
        let from = BufReader::new(File::open(&pipes[1]).expect("a pipe"));
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            for message in from.split(0).map_while(Result::ok) {
                let Ok(message) = serde_json::from_slice(&message) else { continue };
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let (session, frame, page) = (String::new(), String::new(), Page::default());
        let mut browser = Browser { child, to, from: receiver, session, n_sent: 0, frame, page };
        let target = browser.ask("Target.createTarget", json!({"url": "about:blank"}));
        browser.frame = text(&target["targetId"]);
        let target = json!({"targetId": browser.frame, "flatten": true});
        let session = browser.ask("Target.attachToTarget", target);
        browser.session = text(&session["sessionId"]);
        browser.ask("Page.enable", json!({}));
        browser.ask("Page.setLifecycleEventsEnabled", json!({"enabled": true}));
        browser.ask("Network.enable", json!({}));
        Some(browser)
    }

    fn send(&mut self, method: &str, params: Value) -> u64 {
        self.n_sent += 1;
        let mut message = json!({"id": self.n_sent, "method": method, "params": params});
        if !self.session.is_empty() {
            message["sessionId"] = self.session.clone().into();
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to.write_all(&bytes).expect("the browser listens");
        self.n_sent
    }

    /// Returns the next message: an answer, or an event, which is noted.
    fn message(&mut self) -> Value {
        let message = self.from.recv_timeout(NEVER).unwrap_or_else(|reason| {
            let waiting: Vec<_> = self.page.waiting.values().map(|of| &of.url).collect();
            panic!("the browser is stuck, waiting for {waiting:?}: {reason}")
        });
        self.page.hear(&message["method"], &message["params"]);
        message
    }

    fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.message();
            if message["id"] == id {
                return message;
            }
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        let answer = self.answer(id);
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The media type that the browser takes the open page for.
    pub(crate) fn media_type(&mut self) -> String {
        let script = json!({"expression": "document.contentType"});
        let answer = self.ask("Runtime.evaluate", script);
        answer["result"]["value"].as_str().unwrap_or_default().to_owned()
    }

    /// Opens a page and returns what could not be loaded, the page itself or anything in it.
    pub(crate) fn open(&mut self, url: &str) -> Vec<String> {
        self.page = Page::default();
        let navigation = self.ask("Page.navigate", json!({"url": url}));
        if let Some(reason) = navigation["errorText"].as_str() {
            return vec![format!("{url}: {reason}")];
        }
        let document = text(&navigation["loaderId"]);
        while !self.page.documents.contains(&document) {
            self.message();
        }
        loop {
            while !self.page.is_loaded || !self.page.waiting.is_empty() {
                self.message();
            }
            let before = (self.page.n_requests, self.page.documents.len());
            self.draw();
            let after = (self.page.n_requests, self.page.documents.len());
            if before == after && self.page.waiting.is_empty() {
                return std::mem::take(&mut self.page.failed);
            }
        }
    }

    /// Waits until two frames have been drawn. Events that came before are noted.
    fn draw(&mut self) {
        // Pages without scripts have frames too: only a world of its own can wait for them.
        let world = json!({"frameId": self.frame, "worldName": "drawn"});
        let world = self.ask("Page.createIsolatedWorld", world);
        let script = json!({
            "expression": DRAWN, "awaitPromise": true, "contextId": world["executionContextId"],
        });
        self.ask("Runtime.evaluate", script);
    }
}

impl Page {
    /// Notes what an event says.
    fn hear(&mut self, event: &Value, params: &Value) {
        let id = text(&params["requestId"]);
        match event.as_str().unwrap_or_default() {
            "Network.requestWillBeSent" => {
                self.n_requests += 1;
                // The rest of a video is fetched when it is played, and nobody reads the answer to
                // a ping.
                if matches!(params["type"].as_str(), Some("Media" | "Ping" | "Prefetch")) {
                    return;
                }
                let (frame, document) = (text(&params["frameId"]), text(&params["loaderId"]));
                let url = text(&params["request"]["url"]);
                self.waiting.insert(id, Request { frame, document, url });
            }
            "Network.responseReceived" => {
                let status = params["response"]["status"].as_u64().unwrap_or_default();
                if status >= 400 {
                    self.failed.push(format!("{}: status {status}", params["response"]["url"]));
                }
            }
            "Network.loadingFinished" => drop(self.waiting.remove(&id)),
            "Network.loadingFailed" => {
                let url = self.waiting.remove(&id).map(|of| of.url).unwrap_or_default();
                // A canceled one is a picture that the page did not want any more, as when the next
                // one is opened.
                if params["canceled"] != true {
                    self.failed.push(format!("{url}: {}", text(&params["errorText"])));
                }
            }
            "Page.frameNavigated" => self.navigated(&params["frame"]),
            "Page.frameDetached" => {
                let frame = text(&params["frameId"]);
                self.waiting.retain(|_, of| of.frame != frame);
            }
            "Page.lifecycleEvent" if params["name"] == "load" => {
                self.is_loaded |= self.documents.last() == Some(&text(&params["loaderId"]));
            }
            _ => {}
        }
    }

    /// Forgets the requests of the document that was in the frame, and of all frames in it if it is
    /// the page: what a later document replaces is never reported to have an end.
    fn navigated(&mut self, frame: &Value) {
        let (id, document) = (text(&frame["id"]), text(&frame["loaderId"]));
        let is_page = frame["parentId"].is_null();
        self.waiting.retain(|_, of| of.document == document || (!is_page && of.frame != id));
        if is_page {
            self.documents.push(document);
            self.is_loaded = false;
        }
    }
}

/// Returns a text of a message, empty if there is none.
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

impl Drop for Browser {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
