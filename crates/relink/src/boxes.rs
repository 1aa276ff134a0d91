//! Nested boxes, as RFC 1808 section 3 draws the contexts of a base: the innermost at the top,
//! inside the context that it falls back to.

use std::env;

/// The characters of the boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boxes {
    /// Corners from the upper left one clockwise, then the horizontal and the vertical line.
    lines: [&'static str; 6],
}

impl Boxes {
    /// The mark before the label that counts.
    pub const MARK: &'static str = "*";

    /// As the RFC draws them.
    pub const ASCII: Boxes = Boxes { lines: [".", ".", "'", "`", "-", "|"] };

    /// With Unicode box-drawing characters.
    pub const UNICODE: Boxes =
        Boxes { lines: ["\u{250C}", "\u{2510}", "\u{2518}", "\u{2514}", "\u{2500}", "\u{2502}"] };

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

    /// Draws the labels, innermost first.
    pub fn draw(&self, labels: &[String]) -> String {
        let [upper_left, upper_right, lower_right, lower_left, line, side] = self.lines;
        let n_boxes = labels.len();
        // The width inside a box: that of the nested box and its sides, or that of a label.
        let width = |label: &String| label.chars().count();
        let mut inner = 0;
        let mut rooms = Vec::with_capacity(n_boxes);
        for label in labels {
            inner = (inner + 4).max(width(label));
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
        for (idx, label) in labels.iter().enumerate() {
            let depth = n_boxes - 1 - idx;
            let blank = " ".repeat(rooms[idx] - width(label));
            row(depth, side, &format!(" {label}{blank} "), side);
            row(depth, lower_left, &line.repeat(rooms[idx] + 2), lower_right);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
