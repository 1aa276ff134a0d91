//! `relink mv`, and `relink move --from-git`.

use std::process::Command;

use crate::dir::TestDir;
use crate::words::{self, NO_SUCH_FILE};

fn site() -> TestDir {
    TestDir::with(&[
        (
            "site/index.html",
            "<a href=docs/a.html>A</a> <a href=docs/>D</a> <a href=/docs/a.html>/</a>\n",
        ),
        ("site/docs/a.html", "<a href=b.html>B</a> <a href=../index.html>up</a>\n"),
        ("site/docs/b.html", "<a href=a.html#x>A</a>\n"),
        ("site/readme.md", "[A](docs/a.html)\n"),
    ])
}

#[test]
fn references_to_a_file_follow_and_its_own_keep_their_targets() {
    let dir = site();
    let run = dir.relink("mv --tree site site/docs/a.html site/guide/alpha.html").exits(0);
    run.reports(&format!(
        "note: site is read as the root of references such as /a.html; it has files for 1 of 1 of them; use `--base URL` if it is elsewhere\n\
         {}; 1 other file unchanged\n\
         1 file renamed\n\
         {}\n\
         hint: 1 Markdown file was not read; use `--also markdown` to read it\n\
         {}\n",
        words::changed(3, 3),
        words::sum(&[(4, words::REWRITTEN), (2, words::CORRECT)]),
        words::undo("site")
    ));
    assert_eq!(
        dir.text("site/index.html"),
        "<a href=guide/alpha.html>A</a> <a href=docs/>D</a> <a href=/guide/alpha.html>/</a>\n"
    );
    assert_eq!(
        dir.text("site/guide/alpha.html"),
        "<a href=../docs/b.html>B</a> <a href=../index.html>up</a>\n"
    );
    assert_eq!(dir.text("site/docs/b.html"), "<a href=../guide/alpha.html#x>A</a>\n");
    assert!(!dir.has("site/docs/a.html"));
    // With the URL of the tree, references from the root of the site follow too.
    let dir = site();
    dir.relink("mv --tree site --base http://h/ --also markdown site/docs/a.html site/b.html -q")
        .exits(0);
    assert_eq!(
        dir.text("site/index.html"),
        "<a href=b.html>A</a> <a href=docs/>D</a> <a href=/b.html>/</a>\n"
    );
    assert_eq!(dir.text("site/readme.md"), "[A](b.html)\n");
}

#[test]
fn several_are_moved_into_a_directory_and_directories_are_moved_whole() {
    let dir = site();
    let first = dir.tree("site");
    dir.relink("mv --tree site site/docs/a.html site/docs/b.html site/old/ -q").exits(0);
    assert_eq!(dir.text("site/old/a.html"), "<a href=b.html>B</a> <a href=../index.html>up</a>\n");
    dir.relink("undo site -q").exits(0);
    assert_eq!(dir.text("site/docs/b.html"), "<a href=a.html#x>A</a>\n");
    dir.relink("mv --tree site site/docs site/v1.2 -q").exits(0);
    assert_eq!(
        dir.text("site/index.html"),
        "<a href=v1.2/a.html>A</a> <a href=v1.2/>D</a> <a href=/v1.2/a.html>/</a>\n"
    );
    assert_eq!(dir.text("site/v1.2/a.html"), "<a href=b.html>B</a> <a href=../index.html>up</a>\n");
    dir.relink("undo site -q").exits(0);
    let names = |tree: &std::collections::BTreeMap<std::path::PathBuf, crate::dir::Node>| {
        tree.keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(names(&dir.tree("site")), names(&first));
}

#[test]
fn nothing_is_written_by_a_dry_run_or_a_diff() {
    let dir = site();
    let first = dir.tree(".");
    let run = dir.relink("mv -n --tree site site/docs site/guide").exits(0);
    assert!(run.stderr.contains("\n2 files would be renamed\n"), "{run}");
    let run = dir.relink("mv --diff --tree site site/docs site/guide -q").exits(0);
    assert!(run.text().contains("+<a href=guide/a.html>A</a>"), "{run}");
    assert_eq!(dir.tree("."), first);
}

#[test]
fn what_cannot_be_moved_is_refused() {
    let dir = site();
    dir.file("other.html", "");
    let first = dir.tree(".");
    for (args, report) in [
        ("site/none site/x", format!("site/none: {NO_SUCH_FILE}\n").as_str()),
        (
            "site/docs/a.html site/docs/b.html",
            "site/docs/a.html: cannot move this; docs/b.html exists already\n",
        ),
        ("site/docs/a.html site/docs", "site/docs/a.html: cannot move this; it is there already\n"),
        ("site/docs site/docs/x/y", "site/docs: cannot move a directory into itself\n"),
        (
            "other.html site/x.html",
            "other.html: not below the tree site; use `--tree DIRECTORY` to name the tree whose references follow\n",
        ),
        (
            "site/docs/a.html site/docs/b.html site/x",
            "site/x: not a directory; several files are moved into one; add a slash to create it\n",
        ),
    ] {
        dir.relink(&format!("mv --tree site {args}")).exits(2).reports(report);
    }
    assert_eq!(dir.tree("."), first);
}

fn git(dir: &TestDir, args: &str) {
    dir.git("site", args);
}

/// Text by which git recognizes a page.
fn text(name: &str) -> String {
    format!("<p>{name} and some text.\n").repeat(9)
}

fn repository() -> Option<TestDir> {
    if !crate::tools::has("git", &["--version"]) {
        return None;
    }
    let dir = site();
    // Enough that the files are similar after their references were changed.
    for name in ["a", "b"] {
        let path = format!("site/docs/{name}.html");
        dir.file(&path, dir.text(&path) + &text(name));
    }
    git(&dir, "init -q");
    git(&dir, "add -A");
    git(&dir, "commit -qm first");
    Some(dir)
}

#[test]
fn links_are_repaired_after_git_mv() {
    let Some(dir) = repository() else { return };
    dir.directory("site/guide");
    git(&dir, "mv docs/a.html guide/alpha.html");
    let run = dir.relink("move site --from-git -n --format json").exits(0);
    assert!(run.text().contains("\"renamed\":0"), "{run}");
    dir.relink("move site --from-git --in-place -q").exits(0);
    assert_eq!(
        dir.text("site/index.html"),
        "<a href=guide/alpha.html>A</a> <a href=docs/>D</a> <a href=/guide/alpha.html>/</a>\n"
    );
    assert!(
        dir.text("site/guide/alpha.html")
            .starts_with("<a href=../docs/b.html>B</a> <a href=../index.html>up</a>\n")
    );
    assert!(dir.text("site/docs/b.html").starts_with("<a href=../guide/alpha.html#x>A</a>\n"));
    // A second run finds everything corrected, also after a commit.
    let tree = dir.tree("site");
    dir.relink("move site --from-git --in-place -q").exits(0);
    assert_eq!(dir.tree("site"), tree);
    git(&dir, "add -A");
    git(&dir, "commit -qm second");
    let tree = dir.tree("site");
    dir.relink("move site --from-git HEAD~1..HEAD --in-place -q").exits(0);
    assert_eq!(dir.tree("site"), tree);
}

/// Sets what a repository configures for itself.
#[cfg(unix)]
fn configure(dir: &TestDir, at: &str, key: &str, value: &str) {
    let mut config = Command::new("git");
    config.args(["config", key, value]).current_dir(dir.path(at));
    assert!(config.status().expect("git runs").success(), "{key}");
}

/// Returns the command that writes a mark, and then runs another one, and the mark.
#[cfg(unix)]
fn marking(dir: &TestDir, then: &str) -> (String, std::path::PathBuf) {
    let mark = dir.path("site/.git/executed");
    (format!("echo x >> '{}'; {then}", mark.display()), mark)
}

/// Gives all pages other times, so that git compares their content.
#[cfg(unix)]
fn touch(dir: &TestDir, files: &[&str]) {
    for file in files {
        let file = std::fs::File::options().append(true).open(dir.path(file)).expect("a file");
        file.set_modified(std::time::UNIX_EPOCH).expect("a time");
    }
}

/// A program that the configuration of a repository names for its files, as that of Git LFS does,
/// is not started, and renames are found without it: also one that `git add -N` has just announced,
/// and of files whose line ends git converts; by the command and by the hook of pre-commit.
#[cfg(unix)]
#[test]
fn filters_of_a_repository_are_not_executed() {
    let hook = commands(".pre-commit-hooks.yaml", "entry:").pop().expect("a hook");
    let line = "relink move . --from-git HEAD --in-place -q";
    for (line, command, has_new_ends) in [
        (line, "clean", false),
        (line, "process", true),
        (&hook, "clean", true),
        (&hook, "process", false),
    ] {
        let Some(dir) = repository() else { return };
        std::fs::rename(dir.path("site/docs/a.html"), dir.path("site/docs/z.html"))
            .expect("a file");
        git(&dir, "add -N docs/z.html");
        let (script, executed) = marking(&dir, "cat");
        dir.file("site/.git/filter.sh", script);
        let program = format!("sh \"{}\"", dir.path("site/.git/filter.sh").display());
        configure(&dir, "site", &format!("filter.a.b.{command}"), &program);
        configure(&dir, "site", "filter.a.b.required", "true");
        if has_new_ends {
            configure(&dir, "site", "core.autocrlf", "true");
            let text = dir.text("site/docs/z.html").replace('\n', "\r\n");
            dir.file("site/docs/z.html", text);
        }
        dir.file("site/.git/info/attributes", "docs/*.html filter=a.b diff=a.b merge=a.b\n");
        let is_hook = line == hook;
        assert_eq!(shell(&dir, line), Some(i32::from(is_hook)), "{line}");
        assert!(!executed.exists(), "{line}: {command} was executed");
        let index = dir.text("site/index.html");
        assert!(index.contains("docs/z.html"), "{line}: {index}");
        // Git itself executes it.
        let mut diff = Command::new("git");
        drop(diff.args(["diff", "HEAD"]).current_dir(dir.path("site")).output());
        assert!(executed.exists(), "{command}");
    }
}

/// Nor is a hook that git runs when it writes the index, nor a filter of a submodule.
#[cfg(unix)]
#[test]
fn hooks_and_submodules_of_a_repository_execute_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let Some(dir) = repository() else { return };
    dir.file("other/s.txt", "text\n");
    for line in ["init -q", "add -A", "commit -qm first"] {
        dir.git("other", line);
    }
    git(&dir, &format!("submodule --quiet add {} other", dir.path("other").display()));
    git(&dir, "commit -qm second");
    let (script, executed) = marking(&dir, "cat");
    dir.file("site/.git/modules/other/info/attributes", "*.txt filter=f\n");
    configure(&dir, "site/other", "filter.f.clean", &script);
    dir.file("site/.git/hooks/post-index-change", format!("#!/bin/sh\n{script} < /dev/null\n"));
    let hook = dir.path("site/.git/hooks/post-index-change");
    git(&dir, "mv docs/a.html docs/z.html");
    std::fs::set_permissions(hook, PermissionsExt::from_mode(0o755)).expect("a hook");
    touch(&dir, &["site/docs/b.html", "site/docs/z.html", "site/other/s.txt"]);
    dir.relink("move site --from-git HEAD -n -q").exits(0);
    assert!(!executed.exists(), "something was executed");
    git(&dir, "diff HEAD");
    assert!(executed.exists());
}

/// A partial clone fetches what it does not have, by a program that its configuration names.
#[cfg(unix)]
#[test]
fn nothing_is_fetched_to_find_renames() {
    let Some(dir) = repository() else { return };
    git(&dir, "config uploadpack.allowFilter true");
    git(&dir, "mv docs/a.html docs/z.html");
    dir.file("site/docs/z.html", dir.text("site/docs/z.html") + "more\n");
    git(&dir, "commit -qam second");
    dir.directory("around");
    let url = format!("file://{}", dir.path("site").display());
    dir.git("around", &format!("clone -q --no-checkout --filter=blob:none {url} clone"));
    let (script, executed) = marking(&dir, "git-upload-pack");
    configure(&dir, "around/clone", "remote.origin.uploadpack", &script);
    let run = dir.relink("move around/clone --from-git HEAD~1..HEAD -n").exits(2);
    assert!(
        run.stderr.starts_with("around/clone: git cannot compare the tree with HEAD~1..HEAD; "),
        "{run}"
    );
    assert!(!executed.exists(), "something was fetched");
    dir.git("around/clone", "diff -M HEAD~1 HEAD");
    assert!(executed.exists());
}

#[test]
fn what_somebody_has_corrected_stays() {
    let Some(dir) = repository() else { return };
    dir.directory("site/guide");
    git(&dir, "mv docs/a.html guide/alpha.html");
    dir.file(
        "site/guide/alpha.html",
        "<a href=../docs/b.html>B</a> <a href=../index.html>up</a>\n".to_owned() + &text("a"),
    );
    dir.file("site/docs/b.html", "<a href=../guide/alpha.html#x>A</a>\n".to_owned() + &text("b"));
    git(&dir, "add -A");
    dir.relink("move site --from-git --in-place -q").exits(0);
    assert!(
        dir.text("site/guide/alpha.html")
            .starts_with("<a href=../docs/b.html>B</a> <a href=../index.html>up</a>\n")
    );
    assert!(dir.text("site/docs/b.html").starts_with("<a href=../guide/alpha.html#x>A</a>\n"));
    assert_eq!(
        dir.text("site/index.html"),
        "<a href=guide/alpha.html>A</a> <a href=docs/>D</a> <a href=/guide/alpha.html>/</a>\n"
    );
}

#[test]
fn without_renames_or_without_git_it_says_so() {
    let Some(dir) = repository() else { return };
    let run = dir.relink("move site --from-git -n").exits(0);
    run.reports("site: git has renamed no file here since HEAD\n");
    let run = dir.relink("move site --from-git none -n").exits(2);
    assert!(run.stderr.starts_with("site: git cannot compare the tree with none; "), "{run}");
}

/// Returns the commands of a file for another program, which begin with a key.
fn commands(name: &str, key: &str) -> Vec<String> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let text = std::fs::read_to_string(path).expect("a file");
    let lines = text.lines().filter_map(|line| line.trim().strip_prefix(key));
    lines.map(|line| line.trim().to_owned()).collect()
}

/// Runs a command of a shell in the repository, and returns its exit status.
fn shell(dir: &TestDir, line: &str) -> Option<i32> {
    let variables = [("TREE", "."), ("SINCE", "HEAD"), ("RELINK_BASE", "http://h/")];
    shell_with(dir, "site", &variables, line)
}

/// Runs a command of a shell in a directory, with these variables, and returns its exit status.
fn shell_with(dir: &TestDir, at: &str, variables: &[(&str, &str)], line: &str) -> Option<i32> {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_relink"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", program.parent().expect("a directory").display());
    let mut shell = Command::new("bash");
    shell.args(["-c", line]).current_dir(dir.path(at)).env("PATH", path);
    shell.envs(variables.iter().copied());
    shell.output().expect("bash runs").status.code()
}

#[test]
fn the_hooks_and_the_action_run_in_a_repository() {
    if !crate::tools::has("bash", &["--version"]) {
        return;
    }
    let Some(dir) = repository() else { return };
    let hooks = commands(".pre-commit-hooks.yaml", "entry:");
    let action = commands(".github/actions/check/action.yml", "run:");
    assert_eq!((hooks.len(), action.len()), (2, 3));
    let ([check, from_git], action) = ([&hooks[0], &hooks[1]], &action[1..]);
    // Nothing is broken, and nothing was renamed. A directory without an index page is reported.
    dir.file("site/docs/index.html", "");
    git(&dir, "add -A");
    git(&dir, "commit -qm second");
    for line in [&format!("{check} ."), from_git, &action[0], &action[1]] {
        assert_eq!(shell(&dir, line), Some(0), "{line}");
    }
    git(&dir, "mv docs/a.html docs/alpha.html");
    for line in [&format!("{check} ."), &action[0], &action[1]] {
        assert_eq!(shell(&dir, line), Some(1), "{line}");
    }
    // The hook corrects the references, and fails, so that they are added to the commit.
    assert_eq!(shell(&dir, from_git), Some(1));
    assert_eq!(shell(&dir, from_git), Some(0));
    for line in [&format!("{check} ."), &action[0], &action[1]] {
        assert_eq!(shell(&dir, line), Some(0), "{line}");
    }
}

/// The hooks and the action bring a program with them: that of this version, as the wheel has it.
#[test]
fn the_hooks_and_the_action_bring_this_version() {
    let version = env!("CARGO_PKG_VERSION");
    let wheel = format!("[\"pyrelink=={version}\"]");
    let hooks = ".pre-commit-hooks.yaml";
    assert_eq!(commands(hooks, "additional_dependencies:"), [&*wheel; 2]);
    assert_eq!(commands(hooks, "language:"), ["python"; 2]);
    let action = ".github/actions/check/action.yml";
    assert!(commands(action, "default:").contains(&format!("\"{version}\"")));
    assert!(commands(action, "run:")[0].ends_with("\"pyrelink==$VERSION\""));
}

/// A folder of Markdown in a repository, with a dependency, and without a URL: by the hooks, and by
/// the workflow of the documentation, in a clone as it makes one.
#[test]
fn the_hooks_and_the_workflow_run_on_markdown() {
    if !crate::tools::has("bash", &["--version"]) || !crate::tools::has("git", &["--version"]) {
        return;
    }
    let dir = TestDir::with(&[
        ("site/README.md", "[A](docs/a.md) [code](src/)\n"),
        ("site/docs/b.md", "[A](a.md#x) [up](../README.md)\n"),
        ("site/src/lib.rs", ""),
        ("site/node_modules/x/README.md", "[no](none.md)\n"),
        ("site/.gitignore", "node_modules\n"),
    ]);
    dir.file("site/docs/a.md", text("a"));
    git(&dir, "init -q");
    git(&dir, "add -A");
    git(&dir, "commit -qm first");
    let hooks = commands(".pre-commit-hooks.yaml", "entry:");
    let action = commands(".github/actions/check/action.yml", "run:");
    let ([check, from_git], action) = ([&format!("{} .", hooks[0]), &hooks[1]], &action[1..]);
    assert_eq!([check, from_git].map(|line| shell_with(&dir, "site", &[], line)), [Some(0); 2]);
    git(&dir, "mv docs/a.md docs/alpha.md");
    assert_eq!([check, from_git].map(|line| shell_with(&dir, "site", &[], line)), [Some(1); 2]);
    assert_eq!(dir.text("site/README.md"), "[A](docs/alpha.md) [code](src/)\n");
    assert_eq!([check, from_git].map(|line| shell_with(&dir, "site", &[], line)), [Some(0); 2]);
    // The workflow, with what the documentation gives it: first with the links as they were.
    let depth = &commands("docs/renaming.md", "fetch-depth:")[0];
    let depth = depth.split(' ').next().expect("a number");
    let value = |key: &str| {
        let value = commands("docs/renaming.md", key).pop().expect("a value");
        value.split(' ').next().expect("a value").to_owned()
    };
    let (tree, since) = (value("path:"), value("since:"));
    let variables = [("TREE", &*tree), ("SINCE", &*since), ("RELINK_BASE", "")];
    git(&dir, "checkout -q README.md docs/b.md");
    git(&dir, "commit -qm second");
    let clone = |name: &str| {
        let from = dir.path("site").display().to_string();
        dir.git(".", &format!("clone -q --depth {depth} file://{from} {name}"));
        [&action[0], &action[1]].map(|line| shell_with(&dir, name, &variables, line))
    };
    assert_eq!(clone("one"), [Some(1); 2]);
    assert_eq!(shell(&dir, &hooks[1].replace("--from-git", "--from-git HEAD~1")), Some(1));
    git(&dir, "commit -qam third");
    assert_eq!(clone("two"), [Some(0); 2]);
}

/// A folder of Markdown is what people rename in, too: it is read as by `check`.
#[test]
fn markdown_follows_without_an_option() {
    let files = [
        ("docs/README.md", "[A](guide/a.md#x) [none](none.md)\n"),
        ("docs/guide/a.md", "[up](../README.md) [b](b.md)\n"),
        ("docs/guide/b.md", "[a](a.md)\n"),
    ];
    let dir = TestDir::with(&files);
    let command = "mv --tree docs docs/guide/a.md docs/manual/alpha.md";
    let run = dir.relink(command).exits(0);
    assert!(!run.stderr.contains("not read"), "{run}");
    assert_eq!(dir.text("docs/README.md"), "[A](manual/alpha.md#x) [none](none.md)\n");
    assert_eq!(dir.text("docs/manual/alpha.md"), "[up](../README.md) [b](../guide/b.md)\n");
    assert_eq!(dir.text("docs/guide/b.md"), "[a](../manual/alpha.md)\n");
    dir.relink("undo docs -q").exits(0);
    assert_eq!(dir.text("docs/guide/b.md"), "[a](a.md)\n");
    // In a site, it may be the source of pages: what is not read is said.
    let dir = TestDir::with(&files);
    dir.file("docs/index.html", "");
    let run = dir.relink(command).exits(0);
    assert!(run.has_line_with("hint: 3 Markdown files were not read"), "{run}");
    dir.relink("undo docs -q").exits(0);
    // What git tracks is read in a site too.
    if !crate::tools::has("git", &["--version"]) {
        return;
    }
    for line in ["init -q", "add README.md guide", "commit -qm first"] {
        dir.git("docs", line);
    }
    dir.relink(command).exits(0);
    assert_eq!(dir.text("docs/guide/b.md"), "[a](../manual/alpha.md)\n");
}

/// What has been moved is not tracked yet; what `.gitignore` excludes is of others.
#[test]
fn moved_markdown_follows_again() {
    if !crate::tools::has("git", &["--version"]) {
        return;
    }
    let dir = TestDir::with(&[
        ("r/index.html", ""),
        ("r/a.md", "[b](b.md)\n"),
        ("r/b.md", "[a](a.md) [c](sub/c.md)\n"),
        ("r/sub/c.md", "[b](../b.md)\n"),
        ("r/out/a.md", "[a](../a.md)\n"),
        ("r/.gitignore", "out/\n"),
    ]);
    for line in ["init -q", "add .", "commit -qm first"] {
        dir.git("r", line);
    }
    let run = dir.relink("mv --tree r r/b.md r/new/b.md").exits(0);
    assert!(run.has_line_with("hint: 1 Markdown file was not read"), "{run}");
    dir.relink("mv --tree r r/a.md r/new/a.md").exits(0);
    dir.relink("mv --tree r r/sub r/part").exits(0);
    assert_eq!(dir.text("r/new/a.md"), "[b](b.md)\n");
    assert_eq!(dir.text("r/new/b.md"), "[a](a.md) [c](../part/c.md)\n");
    assert_eq!(dir.text("r/part/c.md"), "[b](../new/b.md)\n");
    assert_eq!(dir.text("r/out/a.md"), "[a](../a.md)\n");
    dir.relink("check r -q").exits(0);
}
