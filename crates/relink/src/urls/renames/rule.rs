//! Rules: substitutions by a regular expression, in the escaped path and query of a URL.

use regex::{Captures, Regex};

use super::error::{BadRule, RenameError, RenamePlace};

/// A rule, `s|PATTERN|REPLACEMENT|FLAGS`.
#[derive(Clone, Debug)]
pub struct Rule {
    pattern: Regex,
    replacement: Vec<ReplacementPiece>,
    is_global: bool,
    /// Where it is written.
    pub place: RenamePlace,
}

/// A piece of a replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ReplacementPiece {
    Text(String),
    /// The text of a group; empty, if the group did not take part in the match.
    Group(usize),
}

impl Rule {
    /// Parses a rule. The character after `s` separates its parts; in them, a backslash before that
    /// character makes it an ordinary one. Flags are `i` (letter case does not count) and `g` (all
    /// matches). In the replacement, `$1` and `${1}` are groups, and `$$` is `$`.
    ///
    /// # Errors
    ///
    /// [`RenameError::Rule`] for any other text, and for a group that the pattern does not have.
    pub fn parse(text: &str, place: &RenamePlace) -> Result<Self, RenameError> {
        let wrong = |reason| RenameError::Rule { place: place.clone(), reason };
        let rest = text.strip_prefix('s').ok_or_else(|| wrong(BadRule::NoSubstitution))?;
        let delimiter = rest.chars().next().filter(|char| !char.is_alphanumeric() && *char != '\\');
        let delimiter = delimiter.ok_or_else(|| wrong(BadRule::NoSubstitution))?;
        let parts = split(&rest[delimiter.len_utf8()..], delimiter);
        let [pattern, replacement, flags] = &*parts else {
            return Err(wrong(BadRule::Parts(delimiter)));
        };
        if let Some(flag) = flags.chars().find(|flag| !"ig".contains(*flag)) {
            return Err(wrong(BadRule::Flag(flag)));
        }
        let pattern = regex::RegexBuilder::new(pattern)
            .case_insensitive(flags.contains('i'))
            .build()
            .map_err(|error| wrong(BadRule::Pattern(reason(&error))))?;
        let replacement = pieces(replacement, &pattern).map_err(wrong)?;
        Ok(Rule { pattern, replacement, is_global: flags.contains('g'), place: place.clone() })
    }

    /// Returns the path and query after the substitution; `None` if the pattern does not match.
    pub fn apply(&self, text: &str) -> Option<String> {
        if !self.pattern.is_match(text) {
            return None;
        }
        let replace = |captures: &Captures<'_>| {
            let text = |piece: &ReplacementPiece| match piece {
                ReplacementPiece::Text(text) => text.clone(),
                ReplacementPiece::Group(number) => {
                    captures.get(*number).map_or(String::new(), |group| group.as_str().to_owned())
                }
            };
            self.replacement.iter().map(text).collect::<String>()
        };
        let limit = usize::from(!self.is_global);
        Some(self.pattern.replacen(text, limit, replace).into_owned())
    }
}

/// Splits a text at each delimiter that has no backslash before it.
fn split(text: &str, delimiter: char) -> Vec<String> {
    let (mut parts, mut part) = (Vec::new(), String::new());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            // In the pattern it stays an ordinary character.
            '\\' if chars.peek() == Some(&delimiter) => {
                if parts.is_empty() && delimiter.is_ascii_punctuation() {
                    part.push(char);
                }
                part.extend(chars.next());
            }
            // Another escape: it belongs to the pattern.
            '\\' => {
                part.push(char);
                part.extend(chars.next());
            }
            char if char == delimiter => parts.push(std::mem::take(&mut part)),
            char => part.push(char),
        }
    }
    parts.push(part);
    parts
}

/// Returns the pieces of a replacement.
fn pieces(text: &str, pattern: &Regex) -> Result<Vec<ReplacementPiece>, BadRule> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        pieces.push(ReplacementPiece::Text(rest[..at].to_owned()));
        let after = &rest[at + 1..];
        if let Some(tail) = after.strip_prefix('$') {
            pieces.push(ReplacementPiece::Text("$".to_owned()));
            rest = tail;
            continue;
        }
        let braced = after.strip_prefix('{').and_then(|after| after.split_once('}'));
        let digits = after.find(|char: char| !char.is_ascii_digit()).unwrap_or(after.len());
        let (name, tail) = braced.unwrap_or_else(|| after.split_at(digits));
        let number = match name.parse::<usize>() {
            Ok(number) => (number < pattern.captures_len()).then_some(number),
            Err(_) => pattern.capture_names().position(|other| other == Some(name)),
        };
        let number = number.ok_or_else(|| match name {
            "" => BadRule::Dollar,
            name => BadRule::NoGroup(name.to_owned()),
        })?;
        pieces.push(ReplacementPiece::Group(number));
        rest = tail;
    }
    pieces.push(ReplacementPiece::Text(rest.to_owned()));
    pieces.retain(|piece| *piece != ReplacementPiece::Text(String::new()));
    Ok(pieces)
}

/// Returns the last line of an error, without its mark.
fn reason(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    let last = last.strip_prefix("error: ").unwrap_or(last).trim();
    last.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> Result<Rule, String> {
        let result = Rule::parse(text, &RenamePlace::Option("--rule"));
        result.map_err(|error| format!("{error:#}"))
    }

    fn applied(text: &str, path: &str) -> Option<String> {
        rule(text).unwrap().apply(path)
    }

    #[test]
    fn groups_are_inserted() {
        let blog = r"s|^/(\d{4})/(\d\d)/(.*)\.php$|/blog/$1/$3.html|";
        assert_eq!(applied(blog, "/2003/05/tides.php").unwrap(), "/blog/2003/tides.html");
        assert_eq!(applied(blog, "/2003/05/tides.php?x"), None);
        assert_eq!(applied(r"s|/(\d)x|/$1_y|", "/1x").unwrap(), "/1_y");
        assert_eq!(applied(r"s|/(?<n>\d)|/${n}$$1|", "/1").unwrap(), "/1$1");
        assert_eq!(applied(r"s|(a)?b|<$1>|", "b").unwrap(), "<>");
    }

    #[test]
    fn flags_and_delimiters() {
        assert_eq!(applied("s,A,b,i", "/aa").unwrap(), "/ba");
        assert_eq!(applied("s|a|b|g", "/aa").unwrap(), "/bb");
        assert_eq!(applied(r"s/^\/a\/(.)/\/b\/$1/", "/a/x").unwrap(), "/b/x");
        assert_eq!(applied(r"s|\||-|", "/a|b").unwrap(), "/a-b");
        assert_eq!(applied("s#ü#u#", "/ü").unwrap(), "/u");
    }

    #[test]
    fn wrong_rules_are_errors() {
        for (text, reason) in [
            ("/a", "--rule: no substitution; "),
            ("s", "--rule: no substitution; "),
            ("sab", "--rule: no substitution; "),
            ("s|a|b", "--rule: a substitution has three '|'; "),
            ("s|a|b|c|", "--rule: a substitution has three '|'; "),
            ("s|a|b|x", "--rule: the flag 'x' is unknown; use i or g; "),
            ("s|(a|b|", "--rule: the pattern is not a regular expression: unclosed group; "),
            ("s|a|$1|", "--rule: the pattern has no group '1'; "),
            ("s|a|$|", "--rule: write $$ for a dollar sign; "),
        ] {
            let error = rule(text).unwrap_err();
            assert!(error.starts_with(reason), "{text}: {error}");
        }
    }
}
