//! A query in an old charset is sent in it, and is listed as it is sent.

use crate::dir::TestDir;

/// `при` in windows-1251, which a browser requests as `%EF%F0%E8`.
const PAGE: &[u8] = b"<meta charset=windows-1251><a href='http://o/x?q=\xEF\xF0\xE8#\xEF'>x</a>\
                      <img srcset='/y?\xEF 1x'><form action='?\xF0'></form>";

#[test]
fn targets_are_listed_as_browsers_request_them() {
    let dir = TestDir::new();
    dir.file("site/a.html", PAGE);
    let targets = |line: &str| -> Vec<String> {
        let run = dir.relink(line);
        let lines = run.text().lines();
        let json = lines.map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        json.filter_map(|line| line["target"].as_str().map(str::to_owned)).collect()
    };
    let listed = targets("refs site --base http://h/ --format json -q");
    assert_eq!(listed, ["http://o/x?q=%EF%F0%E8#\u{43F}", "http://h/y?%EF", "http://h/a.html?%F0"]);
    let run = dir.relink("check site --base http://h/ --list-external -q").exits(0);
    assert_eq!(run.text(), "http://o/x?q=%EF%F0%E8\n");
    // In the document itself it stays as it is.
    dir.relink("absolutize site --base http://h/ -q -o out").exits(0);
    let out = dir.bytes("out/a.html");
    assert!(out.windows(6).any(|part| part == b"?q=\xEF\xF0\xE8"));
}
