//! `relink check`: the Markdown files that it reads without `--also`, and the references in them
//! that those who show the files of a repository follow.

use std::collections::BTreeSet;

use crate::dir::{Run, TestDir};
use crate::words;

/// A repository as many are: its README, that of a dependency, one that nobody has added, and pages
/// of an example. Each file but the first has a broken link.
const REPOSITORY: &[(&str, &str)] = &[
    ("r/README.md", "[guide](docs/guide.md) ![](img.png) [x]({{site.url}}/x)\n"),
    ("r/docs/guide.md", "[up](../README.md#a) [no](none.md)\n"),
    ("r/example/page.html", "<a href=none.html>"),
    ("r/img.png", "PNG"),
    ("r/node_modules/x/README.md", "[no](none.md)\n"),
    ("r/node_modules/x/docs/a.html", "<a href=none.html>"),
    ("r/notes.md", "[no](none.md)\n"),
    ("r/.gitignore", "node_modules\nnotes.md\n"),
];

/// Has git, or says that it is missing.
fn has_git() -> bool {
    crate::tools::has("git", &["--version"])
}

/// The paths of the broken references.
fn broken(run: &Run) -> BTreeSet<String> {
    run.text().lines().map(|line| line.split(':').next().expect("a path").to_owned()).collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn markdown_that_git_tracks_is_read() {
    if !has_git() {
        return;
    }
    let dir = TestDir::with(REPOSITORY);
    dir.git("r", "init -q");
    dir.git("r", "add -A");
    let pages = ["r/example/page.html", "r/node_modules/x/docs/a.html"];
    let run = dir.relink("check r").exits(1);
    assert_eq!(broken(&run), set(&["r/docs/guide.md", pages[0]]), "{run}");
    // What a user may mean is named; the README of a dependency is not.
    assert!(run.has_line_with("note: 2 documents were not read, which git ignores; "), "{run}");
    let run = dir.relink("check r --no-ignore").exits(1);
    assert_eq!(broken(&run), set(&["r/docs/guide.md", pages[0], pages[1]]), "{run}");
    let hint = "hint: 1 Markdown file was not read; use `--also markdown` to read it";
    assert!(run.has_line(hint), "{run}");
    // Below the top, and from within.
    let run = dir.relink("check r/docs -q").exits(1);
    assert_eq!(broken(&run), set(&["r/docs/guide.md"]), "{run}");
    // A file that is named is read, and what `--also` adds.
    dir.relink("check r/notes.md -q").exits(1);
    dir.file("list", "r/notes.md\n");
    dir.relink("check --files-from list -q").exits(1);
    let run = dir.relink("check r --also markdown --no-ignore -q").exits(1);
    let all = ["r/docs/guide.md", pages[0], pages[1], "r/node_modules/x/README.md", "r/notes.md"];
    assert_eq!(broken(&run), set(&all), "{run}");
    // Even if git tracks them, dependencies are of others.
    dir.git("r", "add -A -f");
    let run = dir.relink("check r -q").exits(1);
    assert_eq!(broken(&run), set(&["r/docs/guide.md", pages[0], pages[1], "r/notes.md"]), "{run}");
}

/// Repositories of three languages with dependencies, whose documents have broken links: added by
/// git, ignored by it, or neither. Nothing is broken, and no hint is printed.
#[test]
fn dependencies_give_no_false_alarm() {
    if !has_git() {
        return;
    }
    let broken =
        "[no](none.md) ![](none.png) <img src=none.png>\n\n[a]: ../../../none.md\n[x][a]\n";
    for (directory, inside, is_added) in [
        ("node_modules", "left-pad/README.md", false),
        ("node_modules", "@scope/x/node_modules/y/docs/GUIDE.markdown", false),
        ("vendor", "github.com/x/y/README.md", true),
        (".venv", "lib/python3.11/site-packages/x-1.0.dist-info/README.md", false),
        ("sub/vendor", "README.md", true),
    ] {
        for ignored in ["", directory] {
            let dir = TestDir::with(&[
                (
                    "r/README.md",
                    "[src](src/) [docs](docs/a.md#x) {{ x }} [t](<{{ url }}/x>) [v]($\u{7b}v}/x)\n",
                ),
                ("r/docs/a.md", "[up](../README.md) [code](../src/main.c#L1)\n"),
                ("r/src/main.c", ""),
                (&format!("r/{directory}/{inside}"), broken),
                ("r/.gitignore", ignored),
            ]);
            dir.git("r", "init -q");
            dir.git("r", if is_added { "add -A -f" } else { "add README.md docs src .gitignore" });
            let run = dir.relink("check r").exits(0).prints("");
            assert_eq!(run.stderr, words::checked(2, 4, &[]) + "\n", "{directory}{run}");
        }
    }
}

#[test]
fn markdown_of_a_tree_without_pages_is_read() {
    let dir = TestDir::with(REPOSITORY);
    // There are pages: what the Markdown is for is not known.
    let run = dir.relink("check r").exits(1);
    let pages = ["r/example/page.html", "r/node_modules/x/docs/a.html"];
    assert_eq!(broken(&run), set(&pages), "{run}");
    assert!(run.has_line_with("hint: 3 Markdown files were not read; "), "{run}");
    // Without pages of its own, a folder of Markdown is one.
    for options in ["--exclude example/**", "--include *.md"] {
        let run = dir.relink(&format!("check r {options} -q")).exits(1);
        let own = run.text().lines().filter(|line| line.contains(".md")).count();
        assert_eq!(own, 2, "{options}{run}");
        assert!(!run.text().contains("x/README.md"), "{options}{run}");
    }
    // What git does not track, as the output of a program, is a tree of its own.
    if has_git() {
        dir.file("r/.gitignore", "out\n");
        dir.file("r/out/a.md", "[no](none.md)");
        dir.git("r", "init -q");
        dir.git("r", "add -A");
        let run = dir.relink("check r/out -q").exits(1);
        assert_eq!(broken(&run), set(&["r/out/a.md"]), "{run}");
    }
    // Only `check` reads it so.
    let run = dir.relink("refs r/out");
    assert!(run.has_line_with("hint: ") || !has_git(), "{run}");
}

/// Names by which git stores paths of an index in several ways.
const NAMES: [&str; 7] = [
    "a.md",
    "a/b.md",
    "a/b-c.md",
    "a/b/c/d.md",
    "\u{e9}/\u{4e00}.md",
    "with space.md",
    "long/0123456789012345678901234567890123456789012345678901234567890123456789.md",
];

/// What is read is what `git ls-files` lists, for every version of the index: what is tracked, and
/// with that what is new.
#[test]
fn the_files_are_those_of_git() {
    if !has_git() {
        return;
    }
    let with_files = |at: &str| {
        let dir = TestDir::new();
        for name in NAMES {
            dir.file(format!("{at}/{name}"), "[no](none.md)");
            dir.file(format!("{at}/other/{name}"), "[no](none.md)");
        }
        dir
    };
    #[track_caller]
    fn same(dir: &TestDir, at: &str) {
        let command = "-c core.quotePath=false ls-files --cached --others --exclude-standard";
        let listed = dir.git(at, command);
        let listed: BTreeSet<String> = listed.lines().map(|name| format!("{at}/{name}")).collect();
        assert!(listed.len() > 5, "{listed:?}");
        let run = dir.relink(&format!("check {at} -q"));
        assert_eq!(broken(&run), listed, "{run}");
    }
    for version in 2..=4 {
        let dir = with_files("r");
        dir.git("r", "init -q");
        dir.git("r", "add -f a a.md \u{e9} long");
        same(&dir, "r");
        dir.file("r/.git/info/exclude", "*.md");
        // Version 3 has entries with more flags.
        dir.git("r", "add -N -f other/a.md");
        dir.git("r", &format!("update-index --index-version {version}"));
        same(&dir, "r");
        dir.git("r", "commit -qm first");
        // A linked work tree, whose `.git` is a file.
        dir.git("r", "worktree add -q ../linked");
        same(&dir, "linked");
    }
    // Hashes of 32 bytes.
    let dir = with_files("r");
    dir.git("r", "init -q --object-format=sha256");
    dir.file("r/.git/info/exclude", "*.md");
    dir.git("r", "add -f a a.md \u{e9} long");
    same(&dir, "r");
    // A part of a split index is elsewhere: nothing is known, and all of a tree without pages is
    // read.
    dir.git("r", "update-index --split-index");
    let run = dir.relink("check r -q");
    assert_eq!(broken(&run).len(), 2 * NAMES.len(), "{run}");
}

#[test]
fn directories_are_shown_by_readers_of_a_repository() {
    let dir = TestDir::with(&[
        ("r/README.md", "[d](d/) [d](d) <img src=d> [.](.) [no](e/)\n"),
        ("r/d/a.md", "[up](../) [up](..)\n"),
    ]);
    let run = dir.relink("check r -q").exits(1);
    assert_eq!(run.text().lines().count(), 1, "{run}");
    assert!(run.text().contains("e/: there is no file"), "{run}");
    // A server needs an index file.
    let run = dir.relink("check r --base http://h.example/ -q").exits(1);
    assert!(run.text().lines().count() > 3, "{run}");
}

#[test]
fn tracked_files_out_of_the_path_are_a_note() {
    if !has_git() {
        return;
    }
    let dir = TestDir::with(&[
        ("r/README.md", "[docs](/docs/a.md)\n"),
        ("r/src/lib.rs", ""),
        ("r/src/new.rs", ""),
        ("r/docs/a.md", "[a](../src/lib.rs#L1) [b](../src/) [c](/src/lib.rs) [a](/docs/a.md)\n"),
        (
            "r/docs/b.md",
            "[new](../src/new.rs)\n[none](../src/none.rs)\n[out](../../x.md)\n[/](/src/none.rs) [/](/x) [/](/src/x) [/](/none/x.md)\n",
        ),
        ("r/docs/c.html", "<a href=../src/lib.rs>"),
        ("x.md", ""),
    ]);
    dir.git("r", "init -q");
    dir.git("r", "add README.md src/lib.rs docs");
    dir.relink("check r/README.md").exits(0);
    let run = dir.relink("check r/docs").exits(1).prints(format!(
        "r/docs/b.md:1:7: markdown link ../src/new.rs: {LEAVES}\n\
         r/docs/b.md:2:8: markdown link ../src/none.rs: {LEAVES}\n\
         r/docs/b.md:3:7: markdown link ../../x.md: {LEAVES}\n\
         r/docs/b.md:4:5: markdown link /src/none.rs: {}\n\
         r/docs/c.html:1:9: a[href] ../src/lib.rs: {LEAVES}\n",
        words::no_file("src/none.rs"),
        LEAVES = words::LEAVES_TREE
    ));
    // Where a page without a file would be is not known.
    assert!(
        run.has_line_with("hint: 3 references in Markdown begin with / and were not checked, "),
        "{run}"
    );
    assert!(run.has_line("note: 3 references in Markdown lead out of PATH, to files that git tracks; use `--base URL` if only PATH is published"), "{run}");
    dir.relink("check r/docs --exclude b.md --exclude c.html").exits(0);
    // What is published below a URL ends there.
    let run = dir.relink("check r/docs --base http://h.example/d/ --include a.md -q").exits(1);
    assert_eq!(run.text().matches(words::LEAVES_TREE).count(), 4, "{run}");
    // A tracked file that is gone is missing.
    std::fs::remove_file(dir.path("r/src/lib.rs")).expect("it is removed");
    dir.relink("check r/docs --include a.md").exits(1);
}

/// As CI checks them: the documentation of this repository has no broken link, and one is found.
#[test]
fn the_documentation_of_this_repository() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    if !root.join(".git").exists() {
        return crate::tools::skipped("not a checkout of git");
    }
    let root = root.display().to_string();
    let run = TestDir::new().relink(&format!("check {root} --include *.md")).exits(0).prints("");
    assert!(run.stderr.contains(" documents, "), "{run}");
    TestDir::new().relink(&format!("check {root}/docs --include *.md -q")).exits(0);
    // A copy, with empty files for all others, whose links are those of the original.
    if !has_git() {
        return;
    }
    let dir = TestDir::new();
    let tracked = TestDir::new().git(&root, "ls-files -z");
    for name in tracked.split('\0').filter(|name| !name.is_empty()) {
        let text = std::fs::read(std::path::Path::new(&root).join(name)).unwrap_or_default();
        dir.file(format!("r/{name}"), if name.ends_with(".md") { text } else { Vec::new() });
    }
    dir.git("r", "init -q");
    dir.git("r", "add -A -f");
    dir.relink("check r --include *.md -q").exits(0);
    let page = dir.text("r/docs/report.md");
    assert!(page.contains("](json.md#report)"), "the page has another link");
    dir.file("r/docs/report.md", page.replace("](json.md#report)", "](jason.md#report)"));
    let run = dir.relink("check r --include *.md -q").exits(1);
    assert_eq!(run.text().lines().count(), 1, "{run}");
    assert!(run.text().starts_with("r/docs/report.md:"), "{run}");
    assert!(run.text().ends_with(": there is no file docs/jason.md\n"), "{run}");
}

/// The sources of a site have references from its root, to pages that are made later.
#[test]
fn routes_of_a_site_are_not_broken() {
    let dir = TestDir::with(&[
        (
            "r/docs/a.md",
            "[b](/guide/b) [b](/guide/b.html) [c](/commands/c#x) [i](/img/i.png) [/](/)\n",
        ),
        ("r/docs/guide/b.md", "[a](/a.md)\n[no](/guide/no.md)\n"),
        ("r/docs/img/i.png", "PNG"),
    ]);
    for tree in ["r/docs", "r"] {
        let run = dir.relink(&format!("check {tree}"));
        let hint = "in Markdown begin with / and were not checked";
        assert!(run.stderr.contains(hint), "{run}");
        let n_broken = usize::from(tree == "r/docs");
        assert_eq!(run.text().lines().count(), n_broken, "{run}");
        assert!(run.text().lines().all(|line| line.contains("/guide/no.md: ")), "{run}");
    }
    if has_git() {
        dir.git("r", "init -q");
        dir.git("r", "add -A");
        let run = dir.relink("check r/docs -q").exits(1);
        assert_eq!(run.text().lines().count(), 1, "{run}");
    }
}
