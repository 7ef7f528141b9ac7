//! A headless Chromium, driven over a pipe by the Chrome `DevTools` protocol.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Names of the program.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// The longest wait for a condition.
const PATIENCE: Duration = Duration::from_mins(1);
/// The size of the window.
const WINDOW: &str = "--window-size=1400,900";

/// Writes a line to standard error, also where the test runner captures the output of tests.
pub(crate) fn say(line: &str) {
    // A closed standard error does not concern the test.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A running browser. It ends with this value.
pub(crate) struct Browser {
    process: Child,
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
    directory: TempDir,
    last: u64,
    pages: u64,
}

/// One open page.
pub(crate) struct Page<'a> {
    browser: &'a mut Browser,
    session: String,
    target: String,
    requests: Vec<String>,
    errors: Vec<String>,
}

impl Browser {
    /// Starts a browser; `None` if none is installed.
    pub(crate) fn start() -> Option<Self> {
        let runs = |name: &&str| {
            let mut version = Command::new(name);
            version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
            version.status().is_ok_and(|status| status.success())
        };
        let Some(name) = NAMES.into_iter().find(runs) else {
            say("SKIPPED: no Chromium is installed, so no page was tested; install chromium to run this test");
            return None;
        };
        let directory = tempfile::tempdir().unwrap();
        let profile = format!("--user-data-dir={}", directory.path().join("profile").display());
        // The protocol uses the file descriptors 3 and 4, to which the shell connects the two pipes.
        let mut shell = Command::new("sh");
        shell.args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null", name]);
        let options =
            ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe", WINDOW];
        shell.args(options).arg(profile).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = shell.spawn().unwrap();
        let requests = process.stdin.take().unwrap();
        let replies = BufReader::new(process.stdout.take().unwrap());
        Some(Self { process, requests, replies, directory, last: 0, pages: 0 })
    }

    /// Opens a page with this text.
    pub(crate) fn open(&mut self, text: &str) -> Page<'_> {
        self.open_at(text, "")
    }

    /// Opens a page with this text at a fragment of its address.
    pub(crate) fn open_at(&mut self, text: &str, fragment: &str) -> Page<'_> {
        self.pages += 1;
        let path = self.directory.path().join(format!("page-{}.html", self.pages));
        std::fs::write(&path, text).unwrap();
        let mut unused = Vec::new();
        let made = self.call(None, "Target.createTarget", &json!({"url": "about:blank"}), &mut unused);
        let target = made["targetId"].as_str().unwrap().to_owned();
        let attach = json!({"targetId": target, "flatten": true});
        let attached = self.call(None, "Target.attachToTarget", &attach, &mut unused);
        let session = attached["sessionId"].as_str().unwrap().to_owned();
        let mut page = Page { browser: self, session, target, requests: Vec::new(), errors: Vec::new() };
        for domain in ["Page.enable", "Runtime.enable", "Network.enable", "Log.enable"] {
            page.call(domain, &json!({}));
        }
        page.call("Page.navigate", &json!({"url": format!("file://{}{fragment}", path.display())}));
        page.wait("document.readyState === 'complete' && location.protocol === 'file:' ? 'yes' : 'no'", "yes");
        page
    }

    /// Calls a method and returns its result. Events that arrive before the result are kept.
    fn call(&mut self, session: Option<&str>, method: &str, parameters: &Value, events: &mut Vec<Value>) -> Value {
        self.last += 1;
        let mut request = json!({"id": self.last, "method": method, "params": parameters});
        if let Some(session) = session {
            request["sessionId"] = json!(session);
        }
        let mut bytes = request.to_string().into_bytes();
        bytes.push(0);
        self.requests.write_all(&bytes).unwrap();
        self.requests.flush().unwrap();
        loop {
            let mut reply = Vec::new();
            let length = self.replies.read_until(0, &mut reply).unwrap();
            assert!(length > 0, "the browser ended");
            reply.pop();
            let mut reply: Value = serde_json::from_slice(&reply).unwrap();
            if reply["id"] == json!(self.last) {
                assert!(reply.get("error").is_none(), "{method}: {reply}");
                return reply["result"].take();
            }
            events.push(reply);
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let end = json!({"id": 0, "method": "Browser.close"}).to_string() + "\0";
        // If the browser has ended already, nothing is left to do.
        let _ = self.requests.write_all(end.as_bytes());
        std::thread::sleep(Duration::from_millis(200));
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Page<'_> {
    fn call(&mut self, method: &str, parameters: &Value) -> Value {
        let mut events = Vec::new();
        let result = self.browser.call(Some(&self.session), method, parameters, &mut events);
        for event in events {
            let parameters = &event["params"];
            match event["method"].as_str() {
                Some("Network.requestWillBeSent") => {
                    self.requests.push(parameters["request"]["url"].as_str().unwrap().to_owned());
                }
                Some("Runtime.exceptionThrown") => self.errors.push(parameters.to_string()),
                Some("Log.entryAdded") if parameters["entry"]["level"] == "error" => {
                    self.errors.push(parameters.to_string());
                }
                _ => {}
            }
        }
        result
    }

    /// Returns the text that an expression of the page has.
    pub(crate) fn value(&mut self, expression: &str) -> String {
        let result = self.call("Runtime.evaluate", &json!({"expression": expression}));
        assert!(result.get("exceptionDetails").is_none(), "{expression}: {result}");
        result["result"]["value"].as_str().unwrap_or_else(|| panic!("{expression}: {result}")).to_owned()
    }

    /// Waits until an expression has this value.
    pub(crate) fn wait(&mut self, expression: &str, value: &str) {
        let begin = Instant::now();
        while self.value(expression) != value {
            assert!(begin.elapsed() < PATIENCE, "{expression} is not {value}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns the text of the element that a selector finds.
    pub(crate) fn text(&mut self, selector: &str) -> String {
        self.value(&format!("document.querySelector('{selector}').textContent"))
    }

    /// Presses a key.
    pub(crate) fn press(&mut self, key: &str) {
        let text = if key.chars().count() == 1 { key } else { "" };
        self.call("Input.dispatchKeyEvent", &json!({"type": "keyDown", "key": key, "text": text}));
        self.call("Input.dispatchKeyEvent", &json!({"type": "keyUp", "key": key}));
    }

    /// Clicks on the element that a selector finds.
    pub(crate) fn click(&mut self, selector: &str) {
        let place = format!(
            "(() => {{ const box = document.querySelector('{selector}').getBoundingClientRect(); \
             return [box.left + box.width / 2, box.top + box.height / 2].join(' '); }})()"
        );
        let place = self.value(&place);
        let (x, y) = place.split_once(' ').unwrap();
        self.click_at(x.parse().unwrap(), y.parse().unwrap());
    }

    /// Clicks at a point of the window.
    pub(crate) fn click_at(&mut self, x: f64, y: f64) {
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", &event);
        }
    }

    /// Gives the window the size of another screen.
    pub(crate) fn resize(&mut self, width: u32, height: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
        self.call("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Moves the pointer to a point of the window.
    pub(crate) fn hover(&mut self, x: f64, y: f64) {
        self.call("Input.dispatchMouseEvent", &json!({"type": "mouseMoved", "x": x, "y": y}));
    }

    /// Moves the pointer over the picture until it is on a terminal. Returns its place.
    pub(crate) fn find_node(&mut self, name: &str) -> (f64, f64) {
        let words = format!("terminal {name}\n");
        for y in (150..700).step_by(12) {
            for x in (10..1000).step_by(12) {
                let place = (f64::from(x), f64::from(y));
                self.hover(place.0, place.1);
                if self.text("#tip").starts_with(&words) {
                    return place;
                }
            }
        }
        panic!("the pointer found no node {name}");
    }

    /// Returns the addresses that the page has loaded.
    pub(crate) fn requests(&self) -> &[String] {
        &self.requests
    }

    /// Returns the errors of the page: exceptions and messages of the browser.
    pub(crate) fn errors(&self) -> &[String] {
        &self.errors
    }
}

impl Drop for Page<'_> {
    fn drop(&mut self) {
        let close = json!({"targetId": self.target});
        self.browser.call(None, "Target.closeTarget", &close, &mut Vec::new());
    }
}
