//! Recipes in the terminal: `relink help mirror` prints a section of a page of the book.

use std::ffi::OsString;

/// Each topic, with the page and the title of its section.
const TOPICS: [(&str, &str, &str); 3] = [
    ("mail", RECIPES, "Read a mailbox in a browser"),
    ("mirror", RECIPES, "Browse a mirror from disk"),
    ("share", include_str!("../../../../docs/windows.md"), "Moving a share"),
];

/// The page with most of them.
const RECIPES: &str = include_str!("../../../../docs/recipes.md");

/// Returns the recipe that a command line asks for, the name of the program first.
pub fn recipe(args: &[OsString]) -> Option<String> {
    let [_, help, topic] = args else { return None };
    let (_, page, title) = TOPICS.iter().find(|(name, ..)| topic == name)?;
    (help == "help").then(|| plain(page, title))
}

/// Returns a section of a page without the marks of Markdown around code and links.
fn plain(page: &str, title: &str) -> String {
    let heading = format!("## {title}");
    let lines = page.lines().skip_while(|line| *line != heading).skip(1);
    let (mut text, mut is_code) = (format!("{title}\n"), false);
    for line in lines.take_while(|line| !line.starts_with("## ")) {
        if line.starts_with("```") {
            is_code = !is_code;
        } else if is_code {
            text.push_str(&format!("    {line}\n"));
        } else {
            text.push_str(&without_links(line));
            text.push('\n');
        }
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

/// Returns a line with the texts of its links, without their targets.
fn without_links(line: &str) -> String {
    let mut parts = line.split("](");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        if let Some(at) = text.rfind('[') {
            text.remove(at);
        }
        text.push_str(part.split_once(')').map_or("", |(_, rest)| rest));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_markdown_are_removed() {
        let page = "# A\n\n## B\n\nSee [c](d.md) and `[e]`\n[f](g#h).\n\n```console\n$ [i](j)\n```\n\n## K\n";
        assert_eq!(plain(page, "B"), "B\n\nSee c and `[e]`\nf.\n\n    $ [i](j)\n");
    }
}
