//! Suggestions for values that are not known.

use similar::get_close_matches;

/// Returns `; did you mean 'markdown'?` if a known name is similar to `typed`, and otherwise
/// nothing.
pub fn similar<'n>(typed: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    match get_close_matches(typed, &names, 1, 0.7).first() {
        Some(name) => format!("; did you mean '{name}'?"),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_names_are_suggested() {
        let names = ["markdown", "text", "data-src", "embedded-depth"];
        let suggest = |typed| similar(typed, names);
        assert_eq!(suggest("markdwn"), "; did you mean 'markdown'?");
        assert_eq!(suggest("data-scr"), "; did you mean 'data-src'?");
        assert_eq!(suggest("embed-depth"), "; did you mean 'embedded-depth'?");
        assert_eq!(suggest("image"), "");
    }
}
