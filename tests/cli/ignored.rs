//! Files that git ignores: `check` and `refs` do not read them, and `mv` reads them. git itself
//! says which these are.

use std::collections::BTreeSet;

use crate::dir::TestDir;

const PAGE: &str = "<a href=missing.html>";

/// A repository in `r` with pages that git ignores for every reason, and pages that it does not.
fn repository() -> TestDir {
    let dir = TestDir::with(&[
        // Not of the repository: git does not read it.
        (".gitignore", "a.html\n"),
        ("r/.gitignore", "/public/\nout/*\n!out/kept.html\nnode_modules\n*.tmp.html\n"),
        // Not of git.
        ("r/.ignore", "b.html\n"),
        ("r/a.html", "<a href=public/index.html><a href=public/none.html>"),
        ("r/b.html", PAGE),
        ("r/c.tmp.html", PAGE),
        ("r/tracked.tmp.html", PAGE),
        ("r/public/index.html", PAGE),
        ("r/public/d/e.html", PAGE),
        ("r/public/logo.png", ""),
        ("r/out/kept.html", PAGE),
        ("r/out/f.html", PAGE),
        ("r/docs/.gitignore", "!*.tmp.html\n/g.html\n"),
        ("r/docs/g.html", PAGE),
        ("r/docs/h.tmp.html", PAGE),
        ("r/docs/node_modules/x/i.html", PAGE),
        ("r/docs/public/j.html", PAGE),
        ("r/docs/k.html", PAGE),
    ]);
    dir.git("r", "init -q");
    dir.file("r/.git/info/exclude", "k.html\n");
    dir.git("r", "add -f tracked.tmp.html .gitignore");
    dir
}

/// The pages below a PATH of the repository that git tracks or would, in the words of git.
fn of_git(dir: &TestDir, path: &str) -> BTreeSet<String> {
    let path = if path.is_empty() { "." } else { path };
    let listed = dir.git("r", &format!("ls-files --cached --others --exclude-standard -- {path}"));
    let pages = listed.lines().filter(|name| name.ends_with(".html"));
    pages.map(|name| format!("r/{name}")).collect()
}

/// The pages of which references are listed.
fn read(dir: &TestDir, line: &str) -> BTreeSet<String> {
    let run = dir.relink(line).exits(0);
    run.text().lines().filter_map(|line| Some(line.split_once(':')?.0.to_owned())).collect()
}

fn all(dir: &TestDir, path: &str) -> BTreeSet<String> {
    let names = dir.tree(path).into_keys().map(|below| format!("{path}/{}", below.display()));
    names.filter(|name| name.ends_with(".html")).collect()
}

#[test]
fn what_git_ignores_is_not_read_below_a_path_that_it_does_not_ignore() {
    let dir = repository();
    for path in ["", "docs", "out"] {
        let (expected, whole) = (of_git(&dir, path), format!("r/{path}"));
        let whole = whole.trim_end_matches('/');
        assert!(!expected.is_empty() && expected.len() < all(&dir, whole).len());
        let run = dir.relink(&format!("refs {whole}"));
        let n = all(&dir, whole).len() - expected.len();
        let start =
            format!("note: {n} document{} not read, which", if n == 1 { " was" } else { "s were" });
        assert!(run.has_line_with(&start), "{run}");
        assert_eq!(read(&dir, &format!("refs {whole}")), expected);
        assert_eq!(read(&dir, &format!("refs {whole} --no-ignore")), all(&dir, whole));
    }
}

#[test]
fn a_new_repository_has_no_index() {
    let dir =
        TestDir::with(&[("r/.gitignore", "b.html\n"), ("r/a.html", PAGE), ("r/b.html", PAGE)]);
    dir.git("r", "init -q");
    assert_eq!(read(&dir, "refs r"), of_git(&dir, ""));
    assert_eq!(read(&dir, "refs r").len(), 1);
}

#[test]
fn a_path_that_git_ignores_is_read_whole() {
    let dir = repository();
    for path in ["public", "public/d", "docs/node_modules/x"] {
        assert_eq!(dir.git("r", &format!("check-ignore {path}")).trim_end(), path);
        let whole = format!("r/{path}");
        assert_eq!(read(&dir, &format!("refs {whole}")), all(&dir, &whole));
    }
    for file in ["r/docs/g.html", "r/c.tmp.html"] {
        assert_eq!(read(&dir, &format!("refs {file}")), BTreeSet::from([file.to_owned()]));
    }
    // So are those of a list.
    dir.file("r/list", "docs/g.html\npublic\nb.html\n");
    let run = dir.relink_by(&["env", "-C", "r"], "refs --files-from list").exits(0);
    assert_eq!(run.text().lines().count(), 4, "{run}");
}

#[test]
fn files_that_git_ignores_are_targets() {
    let dir = repository();
    dir.file("r/b.html", "");
    let run = dir.relink("check r --exclude docs/** --exclude out/** --exclude tracked*").exits(1);
    assert_eq!(run.text().lines().count(), 1, "{run}");
    assert!(run.text().contains("public/none.html"), "{run}");
    assert!(run.stderr.contains("use `--no-ignore`"), "{run}");
    let fixed = dir.relink("check r --fix --dry-run").exits(0);
    assert!(fixed.stderr.starts_with("6 documents, "), "{fixed}");
    dir.relink("check r --no-ignore --ignore-files").exits(2);
}

#[test]
fn a_broken_file_of_a_dependency_does_not_end_a_rename() {
    let dir = TestDir::with(&[
        ("r/.gitignore", "public\n"),
        ("r/a.html", "<a href=b.html>"),
        ("r/b.html", ""),
        ("r/public/a.html", "<a href=../b.html>"),
        ("r/public/broken.xml", "<a><b></a>"),
        ("r/node_modules/broken.svg", "<svg"),
    ]);
    dir.git("r", "init -q");
    dir.git("r", "add a.html b.html .gitignore");
    let line = "mv --tree r r/b.html r/c.html";
    let run = dir.relink(&format!("{line} --dry-run --strict")).exits(1);
    let hint = "hint: 2 documents that git ignores, or of dependencies, could not be read; references there stay";
    assert!(run.has_line(hint), "{run}");
    let run = dir.relink(line).exits(0);
    assert!(run.has_line(hint), "{run}");
    assert!(run.has_line_with("r/public/broken.xml:1:"), "{run}");
    assert_eq!(dir.text("r/a.html"), "<a href=c.html>");
    assert_eq!(dir.text("r/public/a.html"), "<a href=../c.html>");
    // One of the repository itself is an error.
    dir.file("r/own.xml", "<a><b></a>");
    dir.relink("mv --tree r r/c.html r/d.html").exits(2);
}
