//! The table of slots: as the program prints it, and by kind as `docs/slots.md` contains it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use crate::dir::{Run, TestDir};

fn relink(args: &[&str]) -> Run {
    TestDir::new().relink_with(&args.iter().map(OsStr::new).collect::<Vec<_>>())
}

#[test]
fn slots_are_listed_in_both_formats() {
    #[derive(serde::Serialize, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Slot {
        slot: String,
        format: String,
        kind: String,
        local: bool,
        empty: bool,
        absolute: bool,
        base_when: String,
        also: Option<String>,
    }
    let (text, json) =
        (relink(&["slots"]).exits(0), relink(&["slots", "--format", "json"]).exits(0));
    assert!(text.stderr.is_empty() && json.stderr.is_empty());
    let slots: Vec<Slot> =
        json.text().lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    assert!(slots.len() > 80, "{json}");
    for ((slot, text), json) in slots.iter().zip(text.text().lines()).zip(json.text().lines()) {
        assert_eq!(serde_json::to_string(slot).unwrap(), json);
        let column = |at: usize| text[at..].split_once("  ").map_or(&text[at..], |(word, _)| word);
        assert_eq!(column(0), slot.slot);
        let width = text.len() - text[column(0).len()..].trim_start().len();
        assert_eq!(column(width), slot.format);
        let kind = text[width + slot.format.len()..].trim_start();
        assert!(kind.starts_with(&slot.kind), "{text}: {json}");
        assert_eq!(kind.contains("local"), slot.local, "{text}: {json}");
        assert_eq!(kind.contains("never made relative"), slot.absolute, "{text}: {json}");
        let moment = match slot.base_when.as_str() {
            "final" => "",
            "parsed" => ", without a later <base>",
            _ => ", with or without a later <base>",
        };
        assert!(kind.contains(moment) && (!moment.is_empty() || !kind.contains("later")), "{json}");
        assert_eq!(kind.split_once("--also ").map(|(_, name)| name), slot.also.as_deref());
    }
    assert_eq!(text.text().lines().count(), slots.len());
    let find = |name: &str| slots.iter().find(|slot| slot.slot == name).expect(name);
    assert!(find("a[href]").empty && !find("img[src]").empty && find("css url()").local);
    assert_eq!(find("applet[code]").kind, "class");
    // Every name can be requested.
    let names: Vec<_> = slots.iter().map(|slot| slot.slot.as_str()).collect();
    let dir = TestDir::with(&[("a.html", "<a href=x>")]);
    for name in [&names[..1], &names[names.len() - 1..]].concat() {
        let args = ["refs", "a.html", "--only", name].map(OsStr::new);
        dir.relink_with(&args).exits(0).reports("").prints("");
    }
    dir.relink_with(&["refs", "a.html", "--only", &names.join(",")].map(OsStr::new))
        .exits(0)
        .prints("a.html:1:9: a[href] x\n");
}

/// A line of the documentation has at most so many columns.
const COLUMNS: usize = 100;

/// Returns the slots that the program prints as a list of Markdown, by format and kind.
fn by_kind(printed: &str) -> String {
    let mut kinds: BTreeMap<[String; 2], Vec<&str>> = BTreeMap::new();
    for line in printed.lines() {
        let columns: Vec<&str> = line.split("  ").map(str::trim).collect();
        let columns: Vec<&str> = columns.into_iter().filter(|column| !column.is_empty()).collect();
        let [slot, format, kind] = columns[..] else { panic!("{line}") };
        let kind = kind.replace("<base>", "`<base>`").replace("#", "`#`");
        kinds.entry([format.to_owned(), kind]).or_default().push(slot);
    }
    let mut list = String::new();
    for ([format, kind], slots) in kinds {
        let head = format!("- {format}, {kind}:");
        let mut pieces: Vec<String> = head.split(' ').map(str::to_owned).collect();
        // A name is not broken.
        pieces.extend(slots.iter().map(|slot| format!("`{slot}`,")));
        let last = pieces.last_mut().expect("a name");
        last.truncate(last.len() - 1);
        let mut column = 0;
        for piece in pieces {
            let width = piece.chars().count();
            let is_first = column == 0;
            let is_full = column + 1 + width > COLUMNS;
            let before = if is_first {
                ""
            } else if is_full {
                "\n  "
            } else {
                " "
            };
            column = if is_full { 2 } else { column + before.len() } + width;
            list.push_str(before);
            list.push_str(&piece);
        }
        list.push('\n');
    }
    list
}

/// `docs/slots.md` contains the slots that the program prints, and README.md their number.
/// `RELINK_BLESS=1` writes the list.
#[test]
fn the_documentation_has_all_slots() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/slots.md");
    let document = fs::read_to_string(&path).unwrap();
    let (before, rest) = document.split_once("<!-- relink slots -->\n").unwrap();
    let (found, after) = rest.split_once("<!-- end -->").unwrap();
    let printed = relink(&["slots"]).exits(0).text().to_owned();
    let expected = format!("\n{}\n", by_kind(&printed));
    if std::env::var_os("RELINK_BLESS").is_some() {
        let document = format!("{before}<!-- relink slots -->\n{expected}<!-- end -->{after}");
        fs::write(&path, document).unwrap();
        return;
    }
    assert!(found == expected, "docs/slots.md has other slots; RELINK_BLESS=1 writes them");
    let n = printed.lines().count();
    assert!(before.contains(&format!("{n} slots")), "docs/slots.md has another number than {n}");
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(readme).unwrap();
    let words = format!("{n} kinds of places");
    assert!(readme.contains(&words), "README.md has another number of slots than {n}");
}
