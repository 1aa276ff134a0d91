//! The web platform tests: a browser must read our target as the URL that it would have resolved
//! the reference to itself.
//!
//! The cases come with the crate `url`; newer ones, and some more, with the package `ada-url`, if
//! it was fetched. The crate `url` must read a target as the `href` of the case.
//! `web_exceptions.txt` lists the cases for which it does not, with the reason; a listed case that
//! passes is a failure too.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use url::Url;
use urlcore::{Dialect, Resolver, resolve_without_base};

use crate::packages;

/// Resolves in the web dialect, with or without a base.
fn resolve(base: Option<&str>, reference: &str) -> Result<String, String> {
    match base {
        Some(base) => Resolver::new(base, Dialect::Web)
            .map_err(|error| error.to_string())
            .and_then(|resolver| resolver.resolve(reference).map_err(|error| error.to_string()))
            .map(|target| target.to_string()),
        None => {
            let mut target = String::new();
            let resolved = resolve_without_base(reference, Dialect::Web, &mut target);
            resolved.map(|()| target).map_err(|error| error.to_string())
        }
    }
}

/// Returns the cases that are listed in a section, each with its reason.
fn exceptions(section_name: &str) -> BTreeMap<&'static str, &'static str> {
    let list = include_str!("web_exceptions.txt");
    let section =
        list.split("\n[").find(|section| section.starts_with(&format!("{section_name}]")));
    let lines = section.unwrap_or_default().lines().skip(1);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.split_once(" -- ").unwrap_or_else(|| panic!("no reason: {line}")))
        .collect()
}

/// Checks our targets of a case; the error describes the difference. A reference that fails without
/// base must also fail with a base, unless the case names the bases with which it does not.
fn check_case(case: &Value) -> Result<(), String> {
    check_case_under(case["base"].as_str(), case)?;
    if case["base"].is_string() || case["href"].is_string() {
        return Ok(());
    }
    let input = case["input"].as_str().expect("input is a string");
    let hierarchical = ["http://example.org/", "https://example.org/"];
    for (bases, resolves) in [
        (&["about:blank"][..], case["relativeTo"] == "any-base"),
        (&hierarchical[..], !case["relativeTo"].is_null()),
    ] {
        if !resolves {
            bases.iter().try_for_each(|base| check_case_under(Some(base), case))?;
        } else if bases.iter().all(|base| resolve(Some(base), input).is_err()) {
            return Err(format!("expected a target under one of {bases:?}"));
        }
    }
    Ok(())
}

/// Checks our target of a case with a base; the error describes the difference.
fn check_case_under(base: Option<&str>, case: &Value) -> Result<(), String> {
    let input = case["input"].as_str().expect("input is a string");
    let ours = resolve(base, input);
    let read = ours.as_ref().map(|ours| Url::parse(ours).map(String::from));
    match case["href"].as_str() {
        Some(href) => match read {
            _ if ours.as_deref() == Ok(href) => Ok(()),
            Ok(Ok(read)) if read == href => Ok(()),
            read => Err(format!("expected {href:?}, resolved {ours:?}, read {read:?}")),
        },
        None => match read {
            Ok(Ok(_)) => Err(format!("expected failure, resolved {ours:?}")),
            _ => Ok(()),
        },
    }
}

/// Checks the cases of a file against those that are listed in a section. Returns the number of
/// cases.
fn check_file(path: &Path, section_name: &str) -> usize {
    let text = std::fs::read_to_string(path).expect("the file is there");
    let data: Value = serde_json::from_str(&text).expect("the file is JSON");
    let mut unused = exceptions(section_name);
    let mut failures = Vec::new();
    let mut n_cases = 0;
    for case in data.as_array().expect("a list").iter().filter(|case| case.is_object()) {
        n_cases += 1;
        let base = case["base"].as_str().unwrap_or("");
        let name = format!(
            "<{}> against <{}>",
            case["input"].as_str().unwrap_or("").escape_default(),
            base.escape_default()
        );
        let listed = unused.remove(name.as_str());
        match (check_case(case), listed) {
            (Ok(()), None) | (Err(_), Some(_)) => {}
            (Ok(()), Some(_)) => failures.push(format!("{name}: passes, but is listed")),
            (Err(why), None) => failures.push(format!("{name}: {why}")),
        }
    }
    assert!(failures.is_empty(), "{} of {n_cases}:\n{}", failures.len(), failures.join("\n"));
    assert!(unused.is_empty(), "listed, but no case: {unused:#?}");
    n_cases
}

#[test]
#[cfg_attr(miri, ignore = "runs cargo to find the package")]
fn as_the_crate_url_has_them() {
    let n_cases = check_file(&packages::package("url").join("tests/urltestdata.json"), "url");
    assert!(n_cases > 700, "only {n_cases} cases");
}

#[test]
#[cfg_attr(miri, ignore = "runs cargo to find the package")]
fn as_ada_has_them() {
    let Some(directory) = packages::fetched("ada-url-4.") else {
        crate::tools::skipped("the package ada-url was not fetched");
        return;
    };
    for (file, least) in [("urltestdata", 800), ("ada_extra_urltestdata", 10)] {
        let path = directory.join(format!("tests/wpt/{file}.json"));
        let n_cases = check_file(&path, file);
        println!("{file}: {n_cases} cases");
        assert!(n_cases > least, "only {n_cases} cases");
    }
}
