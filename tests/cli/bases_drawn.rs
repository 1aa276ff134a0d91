//! `relink bases --format svg|html|dot`: pictures that other programs read, and boxes that fit the
//! terminal.

use std::io::Write;
use std::process::{Command, Stdio};

use html5ever::parse_document;
use html5ever::tendril::TendrilSink;
use markup5ever_rcdom::{Handle, NodeData, RcDom};

use crate::dir::TestDir;
use crate::tools;

/// Two chains: of the page, with a hostile base, and of the document in it.
fn site() -> TestDir {
    TestDir::with(&[
        (
            "site/a.html",
            "<base href='/x/?\"&lt;b>&amp;amp;\\'>\n<iframe srcdoc=\"<base href='y/'>&lt;p>\">",
        ),
        ("site/b <i>.css", "a{b:url(c)}"),
    ])
}

#[test]
fn the_picture_is_well_formed_and_has_a_box_for_each_context() {
    let run = site().relink("bases site --base http://h/ --format svg").exits(0).reports("");
    let document = roxmltree::Document::parse(run.text()).expect("XML");
    let root = document.root_element();
    assert!(root.has_tag_name(("http://www.w3.org/2000/svg", "svg")));
    let number = |node: roxmltree::Node<'_, '_>, name: &str| {
        node.attribute(name).and_then(|value| value.parse::<f64>().ok()).expect("a number")
    };
    let (width, height) = (number(root, "width"), number(root, "height"));
    let groups: Vec<_> = root.children().filter(|node| node.has_tag_name("g")).collect();
    // The page has its base and its URL, the embedded document also the page; the style sheet its
    // URL.
    let n_boxes: Vec<usize> = (groups.iter())
        .map(|group| group.children().filter(|node| node.has_tag_name("rect")).count())
        .collect();
    assert_eq!(n_boxes, [2, 4, 1], "{run}");
    let mut bottom = 0.0;
    for group in &groups {
        let boxes: Vec<[f64; 4]> = (group.children())
            .filter(|node| node.has_tag_name("rect"))
            .map(|node| ["x", "y", "width", "height"].map(|name| number(node, name)))
            .collect();
        assert!(boxes[0][1] > bottom, "chains overlap");
        bottom = boxes[0][1] + boxes[0][3];
        assert!(boxes[0][0] + boxes[0][2] <= width && bottom <= height);
        for pair in boxes.windows(2) {
            let [[x, y, w, h], [x2, y2, w2, h2]] = [pair[0], pair[1]];
            assert!(x2 > x && y2 > y && x2 + w2 < x + w && y2 + h2 < y + h, "{pair:?}");
        }
    }
    let texts: Vec<&str> = document.descendants().filter_map(|node| node.text()).collect();
    let expected = "\u{2605} base[href] at 1:13: http://h/x/?%22%3Cb%3E&amp;\\ (HTML 4.2.3)";
    assert!(texts.contains(&expected), "{texts:?}");
    assert!(texts.contains(&"site/b <i>.css"), "{texts:?}");
}

/// The elements of a page with their classes, as a parser of HTML finds them.
fn elements(page: &str) -> Vec<(String, String)> {
    fn collect(node: &Handle, out: &mut Vec<(String, String)>) {
        if let NodeData::Element { name, attrs, .. } = &node.data {
            let attrs = attrs.borrow();
            let class = attrs.iter().find(|attr| &*attr.name.local == "class");
            let class = class.map_or(String::new(), |attr| attr.value.to_string());
            out.push((name.local.to_string(), class));
        }
        node.children.borrow().iter().for_each(|child| collect(child, out));
    }
    let dom = parse_document(RcDom::default(), Default::default()).one(page);
    let mut out = Vec::new();
    collect(&dom.document, &mut out);
    out
}

#[test]
fn the_page_has_no_markup_of_documents() {
    let run = site().relink("bases site --base http://h/ --format html").exits(0);
    let elements = elements(run.text());
    let n = |name: &str| elements.iter().filter(|(element, _)| element == name).count();
    assert_eq!((n("section"), n("h2"), n("div")), (3, 3, 7), "{run}");
    assert_eq!((n("b"), n("i"), n("script")), (0, 0, 0), "{run}");
    let n_deciding = elements.iter().filter(|(_, class)| class == "context decides").count();
    assert_eq!(n_deciding, 3, "{run}");
    assert!(run.text().contains("<h2>site/b &lt;i&gt;.css</h2>"), "{run}");
}

#[test]
fn graphviz_draws_the_graph() {
    let run = site().relink("bases site --base http://h/ --format dot").exits(0);
    assert_eq!(run.text().matches("subgraph cluster_").count(), 7, "{run}");
    let mut is_quoted = false;
    let mut chars = run.text().chars();
    let (mut depth, mut deepest) = (0_i32, 0);
    while let Some(char) = chars.next() {
        match char {
            '\\' if is_quoted => drop(chars.next()),
            '"' => is_quoted = !is_quoted,
            '{' if !is_quoted => depth += 1,
            '}' if !is_quoted => depth -= 1,
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    assert_eq!((is_quoted, depth, deepest), (false, 0, 5), "{run}");
    if !tools::has("dot", &["-V"]) {
        return;
    }
    let mut dot = Command::new("dot")
        .arg("-Tsvg")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("dot starts");
    dot.stdin.take().expect("a pipe").write_all(&run.stdout).expect("dot reads");
    let output = dot.wait_with_output().expect("dot ends");
    assert!(output.status.success());
    let drawn = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(drawn.matches("class=\"cluster\"").count(), 7, "{drawn}");
    assert!(drawn.contains("site/b &lt;i&gt;.css"), "{drawn}");
}

#[test]
fn a_picture_of_nothing_is_whole() {
    let dir = TestDir::with(&[("site/a.txt", "text")]);
    let run = dir.relink("bases site --format svg").exits(0);
    roxmltree::Document::parse(run.text()).expect("XML");
    let run = dir.relink("bases site --format html").exits(0);
    assert!(run.text().ends_with("</html>\n"), "{run}");
    assert!(dir.relink("bases site --format dot").exits(0).text().ends_with("}\n"));
}

#[cfg(target_os = "linux")]
#[test]
fn boxes_fit_the_terminal() {
    let dir = TestDir::with(&[(
        "page.html",
        "<base href=/a/long/path/to/the/pages/of/a/site/>\n<a href=x>",
    )]);
    let base = "--base http://www.example.org/page.html";
    for (line, n_columns) in [
        (format!("relink bases page.html {base}"), 60),
        (format!("relink bases page.html {base}"), 44),
        (format!("relink explain page.html:2 {base}"), 70),
    ] {
        let Some(shown) = crate::terminal::on_terminal(&dir, n_columns, &line) else { return };
        let boxes = shown.lines().filter(|line| line.contains(['|', '\u{2502}']));
        let widths: Vec<usize> = boxes.map(|line| line.trim_end().chars().count()).collect();
        assert!(widths.len() > 3, "{shown}");
        assert!(widths.iter().all(|width| *width <= n_columns), "{n_columns}: {shown}");
    }
    // Elsewhere lines are not wrapped.
    let run = dir.relink(&format!("bases page.html {base}")).exits(0);
    assert!(
        run.text()
            .contains("http://www.example.org/a/long/path/to/the/pages/of/a/site/ (HTML 4.2.3)"),
        "{run}"
    );
}
