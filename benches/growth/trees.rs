//! Trees of many files.

use std::fs;
use std::path::Path;

use super::cases::BYTES_PER_FILE;

/// What makes a tree of about so many files.
pub(crate) type Tree = (&'static str, fn(&Path, usize));

pub(crate) const TREES: &[Tree] = &[
    ("files in a folder", |root, n| {
        for idx in 0..n {
            write(root, &format!("{idx}.html"), "<a href=x>");
        }
    }),
    ("files that are no documents", |root, n| {
        for idx in 0..n {
            write(root, &format!("{idx}.bin"), "x");
        }
    }),
    ("headings beside files", |root, n| {
        for idx in 0..n / 2 {
            write(root, &format!("{idx}.html"), "<a href=x>");
            write(
                root,
                &format!("{idx}.html.headers"),
                "HTTP/1.1 200 OK\nContent-Base: http://h/\n\n",
            );
        }
    }),
    ("folders in a folder", |root, n| {
        for idx in 0..n / 2 {
            fs::create_dir(root.join(idx.to_string())).unwrap();
            write(root, &format!("{idx}/x.html"), "<a href=../x>");
        }
    }),
    ("messages in a Maildir", |root, n| {
        for folder in ["cur", "new", "tmp"] {
            fs::create_dir(root.join(folder)).unwrap();
        }
        for idx in 0..n {
            write(root, &format!("cur/{idx}.h:2,S"), "Content-Type: text/html\n\n<a href=x>");
        }
    }),
];

pub(crate) const MIRRORS: &[Tree] = &[("a mirror of many hosts", |root, n| {
    for host in 0..n {
        let link = |step| format!("<a href=http://h{}.example/>", (host * 7 + step) % n);
        fs::create_dir(root.join(format!("h{host}.example"))).unwrap();
        write(root, &format!("h{host}.example/index.html"), &(1..5).map(link).collect::<String>());
    }
})];

/// Trees in which finding the file of a reference could take long.
pub(crate) const LOOKUPS: &[Tree] = &[
    ("a reference of many segments", |root, n| {
        write(root, "x.html", &format!("<a href={}>", "x/".repeat(n * BYTES_PER_FILE / 2)));
        write(root, "y.html", "<a href=x.html>");
    }),
    ("references deep in a tree", |root, n| {
        // As many of them as directories around them: together they are as long as the input of
        // this size.
        let n = (n * BYTES_PER_FILE).isqrt();
        let directory = "d/".repeat(n);
        fs::create_dir_all(root.join(&directory)).unwrap();
        write(
            root,
            &format!("{directory}x.html"),
            &"<a href=y.html><a href=../d/x.html>".repeat(n),
        );
        write(root, "y.html", "<a href=d/>");
    }),
];

pub(crate) const SAVED: &[Tree] = &[
    ("files saved with a page", |root, n| {
        let page = "<!-- saved from url=(0018)http://h.example/x -->\n<img src=x_files/1.png>";
        write(root, "x.html", page);
        fs::create_dir(root.join("x_files")).unwrap();
        for idx in 0..n {
            write(root, &format!("x_files/{idx}.png"), "x");
        }
    }),
    ("pages that were saved", |root, n| {
        let page = "<!-- saved from url=(0018)http://h.example/x -->\n<img src=x_files/1.png>";
        for idx in 0..n / 2 {
            write(root, &format!("{idx}.html"), page);
            fs::create_dir(root.join(format!("{idx}_files"))).unwrap();
        }
    }),
];

fn write(root: &Path, name: &str, text: &str) {
    fs::write(root.join(name), text).unwrap();
}
