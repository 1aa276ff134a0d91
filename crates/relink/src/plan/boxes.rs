//! Nested boxes, as RFC 1808 section 3 draws the contexts of a base: the innermost at the top,
//! inside the context that it falls back to.

use std::env;

/// The characters of the boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boxes {
    /// Corners from the upper left one clockwise, then the horizontal and the vertical line.
    lines: [&'static str; 6],
    /// The number of columns into which they fit, if they must.
    n_columns: Option<usize>,
}

/// The columns before the outermost box.
const INDENT: usize = 2;

/// The columns of a label that is wrapped are no fewer than these.
const NARROWEST: usize = 24;

/// The text before the second and further lines of a label.
const CONTINUED: &str = "    ";

impl Boxes {
    /// The mark before the label that counts.
    pub const MARK: &'static str = "*";

    /// As the RFC draws them.
    pub const ASCII: Boxes = Boxes { lines: [".", ".", "'", "`", "-", "|"], n_columns: None };

    /// With Unicode box-drawing characters.
    pub const UNICODE: Boxes = Boxes {
        lines: ["\u{250C}", "\u{2510}", "\u{2518}", "\u{2514}", "\u{2500}", "\u{2502}"],
        n_columns: None,
    };

    /// Returns the boxes that the locale of this process can show (POSIX, "Internationalization
    /// Variables").
    pub fn of_locale() -> Boxes {
        let locale_name = ["LC_ALL", "LC_CTYPE", "LANG"]
            .into_iter()
            .find_map(|name| env::var(name).ok().filter(|value| !value.is_empty()));
        let is_utf8 = locale_name.is_some_and(|locale| {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        });
        if is_utf8 { Boxes::UNICODE } else { Boxes::ASCII }
    }

    /// Returns the boxes that fit into this number of columns, if they must.
    pub fn within(self, n_columns: Option<usize>) -> Boxes {
        Boxes { n_columns, ..self }
    }

    /// Returns boxes for text that begins after this number of columns.
    pub fn after(self, n_taken: usize) -> Boxes {
        let n_columns = self.n_columns.map(|n_columns| n_columns.saturating_sub(n_taken));
        Boxes { n_columns, ..self }
    }

    /// Returns the lines of the label of a box that is inside `n_outer` others.
    fn wrapped(&self, label: &str, n_outer: usize) -> Vec<String> {
        // Each box takes two columns on either side.
        let taken = INDENT + 4 * (n_outer + 1);
        match self.n_columns {
            Some(n_columns) => wrapped(label, n_columns.saturating_sub(taken).max(NARROWEST)),
            None => vec![label.to_owned()],
        }
    }

    /// Draws the labels, innermost first.
    pub fn draw(&self, labels: &[String]) -> String {
        let [upper_left, upper_right, lower_right, lower_left, line, side] = self.lines;
        let n_boxes = labels.len();
        // The width inside a box: that of the nested box and its sides, or that of a label.
        let width = |line: &String| line.chars().count();
        let labels: Vec<Vec<String>> = (labels.iter().enumerate())
            .map(|(idx, label)| self.wrapped(label, n_boxes - 1 - idx))
            .collect();
        let mut inner = 0;
        let mut rooms = Vec::with_capacity(n_boxes);
        for (idx, lines) in labels.iter().enumerate() {
            let widest = lines.iter().map(width).max().unwrap_or_default();
            // The innermost has no box in it.
            inner = if idx == 0 { widest } else { (inner + 4).max(widest) };
            rooms.push(inner);
        }
        let mut out = String::new();
        let mut row = |depth: usize, start: &str, text: &str, end: &str| {
            let sides = format!("{side} ").repeat(depth);
            out.push_str(&format!("  {sides}{start}{text}{end}"));
            let mut after = String::new();
            // Each box around is as wide as its own label, or as the one in it.
            for around in (0..depth).rev() {
                let level = n_boxes - 1 - around;
                let taken = rooms[level - 1] + 4;
                after.push_str(&" ".repeat(rooms[level] - taken));
                after.push_str(&format!(" {side}"));
            }
            out.push_str(&after);
            out.push('\n');
        };
        for depth in 0..n_boxes {
            let room = rooms[n_boxes - 1 - depth];
            row(depth, upper_left, &line.repeat(room + 2), upper_right);
        }
        for (idx, lines) in labels.iter().enumerate() {
            let depth = n_boxes - 1 - idx;
            for line in lines {
                let blank = " ".repeat(rooms[idx] - width(line));
                row(depth, side, &format!(" {line}{blank} "), side);
            }
            row(depth, lower_left, &line.repeat(rooms[idx] + 2), lower_right);
        }
        out
    }
}

/// Wraps a label after at most `most` columns: between words, or in a word that is longer, such as
/// a URL.
fn wrapped(label: &str, most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest: Vec<char> = label.chars().collect();
    let mut start = "";
    loop {
        let room = most - start.len();
        if rest.len() <= room {
            lines.push(start.to_owned() + &rest.iter().collect::<String>());
            return lines;
        }
        // A blank in the second half; otherwise the line is full.
        let blank = rest[..=room].iter().rposition(|char| *char == ' ').filter(|at| *at > room / 2);
        let end = blank.unwrap_or(room);
        lines.push(start.to_owned() + &rest[..end].iter().collect::<String>());
        rest.drain(..end + usize::from(blank.is_some()));
        start = CONTINUED;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_fit_into_the_columns_and_lose_nothing() {
        let labels = [
            "* base[href] at 1:13: http://h.example/a/long/path/to/x/ (HTML 4.2.3)",
            "--base: http://h/",
        ];
        let labels = labels.map(str::to_owned);
        for n_columns in [34, 40, 60, 80, 100] {
            let drawn = Boxes::ASCII.within(Some(n_columns)).draw(&labels);
            let widest = drawn.lines().map(|line| line.chars().count()).max();
            assert!(widest <= Some(n_columns), "{n_columns}:\n{drawn}");
            let text: String = drawn.chars().filter(|char| !" |.-`'\n".contains(*char)).collect();
            let all: String =
                labels.concat().chars().filter(|char| !" |.-`'\n".contains(*char)).collect();
            assert_eq!(text, all, "{n_columns}");
        }
        let wide = Boxes::ASCII.within(Some(200)).draw(&labels);
        assert_eq!(wide, Boxes::ASCII.draw(&labels));
        // A blank in the first half of a line does not end it.
        assert_eq!(wrapped("aaa bbbbbbb ccc", 8), ["aaa bbbb", "    bbb", "    ccc"]);
    }

    #[test]
    fn a_box_is_as_wide_as_what_is_in_it() {
        let labels = ["inner".to_owned(), "a label that is longer".to_owned(), "out".to_owned()];
        let expected = "
  .----------------------------.
  | .------------------------. |
  | | .-------.              | |
  | | | inner |              | |
  | | `-------'              | |
  | | a label that is longer | |
  | `------------------------' |
  | out                        |
  `----------------------------'
";
        assert_eq!(Boxes::ASCII.draw(&labels), expected[1..]);
        assert_eq!(
            Boxes::UNICODE.draw(&labels[..1]),
            "  \u{250C}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2510}\n  \u{2502} inner \u{2502}\n  \u{2514}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2518}\n"
        );
        assert_eq!(Boxes::ASCII.draw(&[]), "");
    }
}
