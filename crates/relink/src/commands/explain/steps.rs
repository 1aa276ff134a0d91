//! The steps by which a reference becomes a URL, in words (RFC 3986, section 5.2; URL standard).

use std::borrow::Cow;

use urlcore::{Dialect, Form, Reference, Resolution, Resolver, clean};

/// Returns the steps that resolve `text` against a base, each as a line.
pub(super) fn steps(text: &str, resolver: &Resolver<'_>, dialect: Dialect) -> Vec<String> {
    let mut lines = Vec::new();
    let base = resolver.base();
    let cleaned = clean(text, dialect);
    if let Cow::Owned(cleaned) = &cleaned {
        lines.push(format!("tabs, line ends and blanks around it are removed: {cleaned}"));
    }
    let scheme = Reference::split(base, dialect).scheme().unwrap_or_default();
    let reference = Reference::split_under(&cleaned, dialect, scheme);
    let base_path = Reference::split(base, dialect).path();
    match reference.form() {
        Form::Absolute => {
            let scheme = reference.scheme().unwrap_or_default();
            lines.push(format!("it has the scheme {scheme}: the base is not used"));
        }
        Form::NetworkPath => {
            lines.push(format!("it begins with //: only the scheme of the base is used, {scheme}"));
        }
        Form::AbsolutePath => {
            lines.push("its path begins with /: scheme and host of the base are used".to_owned());
        }
        Form::SameDocument if reference.fragment().is_some() => {
            lines.push("it is only a fragment: it means a place in the document".to_owned());
        }
        Form::SameDocument => lines.push("it is empty: it means the document".to_owned()),
        Form::RelativePath if reference.path().is_empty() => {
            lines.push(format!("it is only a query: the path of the base is used, {base_path}"));
        }
        Form::RelativePath => {
            let directory = &base_path[..base_path.rfind('/').map_or(0, |at| at + 1)];
            lines.push(format!(
                "its path is relative: the path of the base is used up to its last slash, {directory}"
            ));
            let joined = format!("{directory}{}", reference.path());
            lines.push(format!("joined: {joined}"));
            let url = resolver.resolve(text).ok().and_then(Resolution::url);
            let path = url.as_deref().map(|url| Reference::split(url, dialect).path().to_owned());
            if let Some(path) = path.filter(|path| *path != joined) {
                lines.push(format!("without . and .. segments, and normalized: {path}"));
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_lead_to_the_result() {
        let base = Resolver::new("http://h/a/b/c.html?q", Dialect::Web).unwrap();
        let last = |text| steps(text, &base, Dialect::Web).pop().unwrap();
        assert_eq!(last("../x"), "without . and .. segments, and normalized: /a/x");
        assert_eq!(last("x"), "joined: /a/b/x");
        assert_eq!(last("?r"), "it is only a query: the path of the base is used, /a/b/c.html");
        assert_eq!(last("https://i/"), "it has the scheme https: the base is not used");
        assert_eq!(last("#s"), "it is only a fragment: it means a place in the document");
        assert_eq!(
            steps(" //i\n/ ", &base, Dialect::Web),
            [
                "tabs, line ends and blanks around it are removed: //i/",
                "it begins with //: only the scheme of the base is used, http",
            ]
        );
    }
}
