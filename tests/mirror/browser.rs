//! Headless Chromium, controlled over pipes (Chrome DevTools Protocol), and asked what it
//! could not load.

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
}

/// A browser that says nothing for so long is stuck.
const PATIENCE: Duration = Duration::from_secs(20);

/// A page that is loaded and asks for nothing for so long has all that it wants.
const QUIET: Duration = Duration::from_millis(500);

impl Browser {
    /// Starts a browser that keeps its files in a directory; `None` if there is none on this
    /// machine.
    pub(crate) fn start(directory: &Path) -> Option<Browser> {
        Browser::start_with(directory, &[])
    }

    /// The same, with more options.
    pub(crate) fn start_with(directory: &Path, more: &[&str]) -> Option<Browser> {
        if !crate::tools::runs("chromium", &["--version"]) {
            return None;
        }
        let pipes = ["to", "from"].map(|name| directory.join(name));
        assert!(Command::new("mkfifo").args(&pipes).status().ok()?.success(), "two pipes");
        let profile = format!("--user-data-dir={}", directory.join("profile").display());
        let child = Command::new("sh")
            .args([
                "-c",
                "to=$1 from=$2; shift 2; exec chromium \"$@\" 3<\"$to\" 4>\"$from\"",
                "sh",
            ])
            .args(&pipes)
            .args([&profile, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update"])
            .args(["--disable-sync", "--disable-dev-shm-usage", "--remote-debugging-pipe"])
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
        let mut browser = Browser { child, to, from: receiver, session: String::new(), n_sent: 0 };
        let target = browser.ask("Target.createTarget", json!({"url": "about:blank"}));
        let target = &target["targetId"];
        let session =
            browser.ask("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        browser.session = session["sessionId"].as_str().expect("a session").to_owned();
        browser.ask("Page.enable", json!({}));
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

    /// The next message: an answer, or an event.
    fn message(&mut self) -> Value {
        self.from.recv_timeout(PATIENCE).expect("the browser answers")
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        loop {
            let message = self.message();
            if message["id"] == id {
                assert!(message["error"].is_null(), "{method}: {message}");
                return message["result"].clone();
            }
        }
    }

    /// The media type that the browser takes the open page for.
    pub(crate) fn media_type(&mut self) -> String {
        let script = json!({"expression": "document.contentType"});
        let answer = self.ask("Runtime.evaluate", script);
        answer["result"]["value"].as_str().unwrap_or_default().to_owned()
    }

    /// Opens a page and returns what could not be loaded, the page itself or anything in it.
    pub(crate) fn open(&mut self, url: &str) -> Vec<String> {
        let mut failed = Vec::new();
        let mut waiting: HashMap<String, String> = HashMap::new();
        let navigation = self.send("Page.navigate", json!({"url": url}));
        let mut is_loaded = false;
        let mut is_gone = false;
        while !(is_gone || is_loaded && waiting.is_empty()) {
            // A request that a later one replaced is never reported to be finished.
            let patience = if is_loaded { QUIET } else { PATIENCE };
            let Ok(message) = self.from.recv_timeout(patience) else {
                if !is_loaded {
                    failed
                        .push(format!("{url}: the page is never loaded, waiting for {waiting:?}"));
                }
                break;
            };
            let params = &message["params"];
            let id = params["requestId"].as_str().unwrap_or_default().to_owned();
            if message["id"] == navigation
                && let Some(reason) = message["result"]["errorText"].as_str()
            {
                failed.push(format!("{url}: {reason}"));
                is_gone = true;
            }
            match message["method"].as_str().unwrap_or_default() {
                "Network.requestWillBeSent" => {
                    let url = params["request"]["url"].as_str().unwrap_or_default();
                    waiting.insert(id, url.to_owned());
                }
                "Network.responseReceived" => {
                    let status = params["response"]["status"].as_u64().unwrap_or_default();
                    if status >= 400 {
                        failed.push(format!("{}: status {status}", params["response"]["url"]));
                    }
                }
                "Network.loadingFinished" => drop(waiting.remove(&id)),
                "Network.loadingFailed" => {
                    let url = waiting.remove(&id).unwrap_or_default();
                    // A picture that the page did not want any more, as when the next one is
                    // opened.
                    if params["canceled"] == true {
                        continue;
                    }
                    failed.push(format!("{url}: {}", params["errorText"].as_str().unwrap_or("?")));
                }
                "Page.loadEventFired" => is_loaded = true,
                _ => {}
            }
        }
        failed
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
