//! Laws of modules: the specifiers of generated modules are known by construction, and V8 decides
//! for these and for real ones.
//!
//! `RELINK_CASES` and `RELINK_SEED` select more and other cases, `RELINK_FULL=1` all scripts on
//! this machine.

use relink_rewrite::{Media, Relative};

use crate::listing::{self, URL, at_url, enabling, make_absolute, make_relative, unit};
use crate::module_judge::generate::Script;
use crate::module_judge::specifiers;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|number| number.parse().ok())
}

fn scripts(n: u64) -> impl Iterator<Item = Script> {
    let (n, seed) = (number("RELINK_CASES").unwrap_or(n), number("RELINK_SEED").unwrap_or(1808));
    (0..n).map(move |idx| Script::new(seed.wrapping_mul(1 << 32).wrapping_add(idx)))
}

/// Returns the texts of the references of a script, and true if it was skipped.
fn read(script: &[u8]) -> (Vec<String>, bool) {
    let (found, report) =
        listing::list(unit(script, Media::SCRIPT, &at_url()), &enabling(&["js-modules"]));
    (found.into_iter().map(|found| found.text).collect(), !report.skipped.is_empty())
}

#[test]
fn specifiers_are_those_that_were_written() {
    for script in scripts(5_000) {
        assert_eq!(read(script.text.as_bytes()), (script.urls, false), "{}", script.text);
    }
}

/// Resolves a specifier as browsers do (HTML standard 8.1.6.2), with an independent URL parser.
fn resolve(specifier: &str, base: &url::Url) -> Option<String> {
    let is_path = ["/", "./", "../"].iter().any(|start| specifier.starts_with(start));
    let url = if is_path { base.join(specifier) } else { url::Url::parse(specifier) };
    url.ok().map(String::from)
}

/// Checks the law, locality, idempotence, and the way back.
#[test]
fn rewritten_specifiers_lead_where_they_led() {
    let (options, context) = (enabling(&["js-modules"]), at_url());
    let base = url::Url::parse(URL).expect("a URL");
    for script in scripts(2_000) {
        let before = script.text.as_bytes();
        let targets = |bytes: &[u8]| -> Vec<Option<String>> {
            read(bytes).0.iter().map(|text| resolve(text, &base)).collect()
        };
        let expected = targets(before);
        assert!(expected.iter().all(Option::is_some), "{:?}", script.urls);
        let absolute = make_absolute(unit(before, Media::SCRIPT, &context), &options);
        let output = absolute.output().unwrap_or(before).to_vec();
        assert!(absolute.edits.explain(before, &output));
        assert_eq!(targets(&output), expected, "{}", script.text);
        assert!(read(&output).0.iter().all(|text| text.contains("://")), "{}", script.text);
        let again = make_absolute(unit(&output, Media::SCRIPT, &context), &options);
        assert_eq!(again.into_output(), None);
        let site = Relative::default();
        let relative = make_relative(unit(&output, Media::SCRIPT, &context), &options, &site);
        let back = relative.output().map(<[u8]>::to_vec).unwrap_or_else(|| output.clone());
        assert!(relative.edits.explain(&output, &back));
        assert_eq!(targets(&back), expected, "{}", script.text);
        assert!(!read(&back).0.iter().any(|text| text.starts_with("http://h/")), "{}", script.text);
    }
}

/// V8 reads the specifiers that were generated; a damaged module is read as V8 reads it, or
/// skipped.
#[test]
fn generated_modules_are_read_as_by_v8() {
    let mut all = Vec::new();
    let mut expected = Vec::new();
    for (idx, script) in scripts(2_000).enumerate() {
        expected.push(Some(script.statics.iter().cloned().collect()));
        // One character is removed, or another is inserted.
        let mut chars: Vec<char> = script.text.chars().collect();
        let at = idx * 7919 % chars.len();
        match idx % 3 {
            0 => drop(chars.remove(at)),
            1 => chars.insert(at, ['\'', '/', '`', '(', '}', '\n', '"', '*'][idx / 3 % 8]),
            _ => chars.swap(at, idx * 104_729 % script.text.chars().count()),
        }
        all.push(script.text);
        expected.push(None);
        all.push(chars.into_iter().collect());
    }
    compare(&all, &expected);
}

/// Compares with V8, and V8 with the expectation.
fn compare(scripts: &[String], expected: &[Option<std::collections::BTreeSet<String>>]) {
    let Some(answers) = specifiers(scripts) else { return };
    let (mut n_modules, mut n_skipped) = (0, 0);
    for (idx, (script, answer)) in scripts.iter().zip(answers).enumerate() {
        if let Some(Some(expected)) = expected.get(idx) {
            assert_eq!(answer.as_ref(), Some(expected), "V8 of {script}");
        }
        // A script that is not a module has no specifiers.
        let Some(answer) = answer else { continue };
        n_modules += 1;
        let (found, report) = listing::list(
            unit(script.as_bytes(), Media::SCRIPT, &at_url()),
            &enabling(&["js-modules"]),
        );
        if !report.skipped.is_empty() {
            n_skipped += 1;
            println!(
                "left at {}: {:.60}",
                report.skipped[0].at,
                script.get(report.skipped[0].at..).unwrap_or_default()
            );
            continue;
        }
        let found =
            found.into_iter().filter(|found| found.slot != "js import()").map(|found| found.text);
        let base = url::Url::parse(URL).expect("a URL");
        // A browser adds missing slashes; under a base of the same scheme it would not.
        let is_plain = |name: &str| {
            ["http:", "https:"]
                .iter()
                .all(|scheme| name.strip_prefix(scheme).is_none_or(|rest| rest.starts_with("//")))
        };
        let urls = answer
            .into_iter()
            .filter(|name| resolve(name, &base).is_some() && is_plain(name))
            // A specifier that the URL parser refuses is not reported.
            .map(|name| name.trim_matches(|char| char <= ' ').to_owned());
        assert_eq!(
            // A text that only looks like a URL is a name, and has no target.
            found
                .filter(|name| resolve(name, &base).is_some())
                .collect::<std::collections::BTreeSet<_>>(),
            urls.collect::<std::collections::BTreeSet<_>>(),
            "{script}"
        );
    }
    println!("{n_modules} modules, {n_skipped} left");
    assert!(n_skipped * 50 <= n_modules, "{n_skipped} of {n_modules} are left");
}

/// Real scripts, each with an import before and one after it: an error between them is seen at the
/// end.
#[test]
fn real_scripts_are_read_as_by_v8() {
    let n = if std::env::var_os("RELINK_FULL").is_some() { usize::MAX } else { 300 };
    let directories =
        ["/usr/share/javascript", "/usr/share/nodejs", "/usr/lib/node_modules", "/usr/share/doc"]
            .map(crate::tools::others);
    let files = directories
        .iter()
        .flat_map(|directory| walkdir::WalkDir::new(directory).sort_by_file_name());
    let is_script =
        |path: &std::path::Path| path.extension().is_some_and(|name| name == "js" || name == "mjs");
    let mut scripts = Vec::new();
    for entry in files
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file() && is_script(entry.path()))
    {
        // Takes few scripts of each directory, unless all are requested.
        if scripts.len() >= n {
            break;
        }
        let Ok(text) = std::fs::read_to_string(entry.path()) else { continue };
        if text.len() < 1_000_000 && !text.starts_with("#!") {
            scripts.push(format!("import './first';{text}\n;import './last'"));
        }
    }
    if scripts.is_empty() {
        return crate::tools::skipped(format_args!("there are no scripts in {directories:?}"));
    }
    compare(&scripts, &[]);
}
