//! The documents of html5lib's tree-construction tests: each `#data` block is one. They are read
//! where they lie, if they are there.

use std::fs;

use rewrite::Media;

/// The documents in one file.
fn documents(text: &[u8]) -> Vec<Vec<u8>> {
    let mut documents = Vec::new();
    let mut open: Option<Vec<&[u8]>> = None;
    for line in text.split(|byte| *byte == b'\n') {
        match (&mut open, line) {
            (_, b"#data") => open = Some(Vec::new()),
            (Some(lines), b"#errors") => {
                documents.push(lines.join(&b'\n'));
                open = None;
            }
            (Some(lines), line) => lines.push(line),
            (None, _) => {}
        }
    }
    documents
}

#[test]
fn documents_of_html5lib() {
    let Some(directory) = crate::tools::shared("html5lib") else { return };
    let (mut n_documents, mut n_references) = (0, 0);
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "dat") {
            continue;
        }
        // Each third unless all are wanted.
        let step = if std::env::var_os("RELINK_FULL").is_some() { 1 } else { 3 };
        for document in documents(&fs::read(&path).unwrap()).into_iter().step_by(step) {
            n_documents += 1;
            n_references += super::check(&document, Media::HTML);
            // The same with references around and inside, and a base somewhere: few of them have
            // some of their own.
            for (before, after) in [
                ("<base href=/q/><a href=x>", "<a href=y><img src=z>"),
                ("<a href=x>", "<base href=../k/>"),
            ] {
                let spiced = [before.as_bytes(), &document, after.as_bytes()].concat();
                n_references += super::check(&spiced, Media::HTML);
            }
            let referring = String::from_utf8_lossy(&document)
                .replace("<p>", "<p><table background=x>")
                .replace("<b>", "<b style='a:url(x)'>");
            n_references += super::check(referring.as_bytes(), Media::HTML);
        }
    }
    println!("{n_documents} documents of html5lib, {n_references} references");
    assert!(n_documents > 400, "{n_documents} documents");
}
