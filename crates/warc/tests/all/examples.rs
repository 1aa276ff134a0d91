//! The programs in `examples/`, run on small inputs.

#[allow(dead_code, reason = "`main` is not called")]
#[path = "../../examples/records.rs"]
mod records;

use crate::writer::Written;

#[test]
fn records_are_listed() {
    let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>";
    let page = Written::new("response", "http://h/", page).warc();
    let request = Written::new("request", "http://h/", "GET / HTTP/1.1\r\n\r\n").warc();
    let file = [&page[..], b"WARC/1.1\r\n\r\n", &request].concat();
    let mut out = Vec::new();
    records::run(&file[..], &mut out).unwrap();
    let (first, second) = (page.len(), request.len());
    let expected = format!(
        "0 {first} response 2020-01-02T03:04:05Z http://h/ 200 text/html\n\
         record at byte {first}: its length is missing, is not a number, or there are several\n\
         {} {second} request 2020-01-02T03:04:05Z http://h/\n",
        first + 12
    );
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}
