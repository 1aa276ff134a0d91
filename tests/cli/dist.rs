//! The archives and packages of a release, unpacked and run where nothing else is.

use std::path::Path;
use std::process::Command;

use crate::dir::TestDir;
use crate::tools;

const VERSION: &str = env!("CARGO_PKG_VERSION");
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
const MUSL: &str = "x86_64-unknown-linux-musl";

/// What is packed: the program of the tests.
fn release(dir: &TestDir, directory: &str) -> xtask::Release {
    xtask::Release {
        program: env!("CARGO_BIN_EXE_relink").into(),
        triple: xtask::host(),
        directory: dir.path(directory),
    }
}

/// What is packed as if for another target: a script, which takes no time to compress. A shell
/// writes it: a file that this process, or a fork of it, has open for writing cannot be executed.
fn script(dir: &TestDir, triple: &str) -> xtask::Release {
    let write = r#"printf '#!/bin/sh\nexec "%s" "$@"\n' "$1" > script && chmod +x script"#;
    run(dir, ".", "sh", &["-c", write, "sh", env!("CARGO_BIN_EXE_relink")]);
    let program = dir.path("script");
    xtask::Release { program, triple: triple.to_owned(), directory: dir.path(".") }
}

/// Runs a program in a directory, and returns what it prints.
#[track_caller]
fn run(dir: &TestDir, at: &str, program: impl AsRef<Path>, args: &[&str]) -> String {
    let mut command = Command::new(program.as_ref());
    let output = command.args(args).current_dir(dir.path(at)).output().expect("it starts");
    let report = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {report}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn the_archive_of_a_release_works_in_an_empty_environment() {
    if !["tar", "gzip"].iter().all(|program| tools::has(program, &["--version"])) {
        return;
    }
    let dir = TestDir::new();
    let archive = xtask::pack(&release(&dir, "dist")).expect("an archive");
    let again = xtask::pack(&release(&dir, "again")).expect("an archive");
    assert!(std::fs::read(&archive).ok() == std::fs::read(&again).ok(), "the bytes differ");
    dir.directory("empty");
    let empty = |program: &Path, args: &[&str]| {
        let mut command = Command::new(program);
        let output = command.args(args).env_clear().current_dir(dir.path("empty")).output();
        let output = output.expect("it starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let tar = ["/bin/tar", "/usr/bin/tar"].map(Path::new).into_iter().find(|path| path.exists());
    let archive = archive.to_str().expect("UTF-8");
    empty(tar.expect("tar"), &["--use-compress-program=/bin/gzip", "-xf", archive]);
    let name = format!("relink-{VERSION}-{}", xtask::host());
    let inner = dir.path("empty").join(&name);
    let program = inner.join("relink");
    assert!(empty(&program, &["--version"]).starts_with("relink "));
    for file in [
        "README.md",
        "LICENSE-MIT",
        "man/man1/relink.1",
        "man/man1/relink-move.1",
        "completions/_relink",
    ] {
        assert!(inner.join(file).is_file(), "{file}");
    }
    dir.file("empty/site/a.html", "<a href=b>");
    empty(&program, &["absolutize", "site", "--base", "http://h.example/", "-o", "out"]);
    assert_eq!(dir.text("empty/out/a.html"), "<a href=http://h.example/b>");
    let sums = dir.text(format!("dist/{name}.tar.gz.sha256"));
    assert!(sums.len() > 64 && sums.ends_with(&format!("  {name}.tar.gz\n")), "{sums}");
}

/// Python's `zipfile` reads it, which checks the checksum of each member.
#[test]
fn the_archive_for_windows_is_a_zip_file() {
    if !tools::has("python3", &["--version"]) {
        return;
    }
    let dir = TestDir::new();
    let archive = xtask::pack(&script(&dir, "x86_64-pc-windows-msvc")).expect("an archive");
    let name = format!("relink-{VERSION}-x86_64-pc-windows-msvc");
    assert_eq!(archive, dir.path(format!("{name}.zip")));
    let archive = archive.to_str().expect("UTF-8");
    assert_eq!(run(&dir, ".", "python3", &["-m", "zipfile", "-t", archive]), "Done testing\n");
    run(&dir, ".", "python3", &["-m", "zipfile", "-e", archive, "."]);
    assert_eq!(dir.bytes(format!("{name}/relink.exe")), dir.bytes("script"));
    assert!(dir.has(format!("{name}/README.md")));
    assert!(dir.has(format!("{name}.zip.sha256")));
}

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn dpkg_unpacks_the_debian_package() {
    let programs = ["dpkg-deb", "gzip", "sha256sum"];
    if !programs.iter().all(|program| tools::has(program, &["--version"])) {
        return;
    }
    let dir = TestDir::new();
    xtask::pack(&script(&dir, MUSL)).expect("an archive");
    let name = format!("relink_{VERSION}_amd64.deb");
    run(&dir, ".", "sha256sum", &["--check", "--strict", &format!("{name}.sha256")]);
    let field = |field| run(&dir, ".", "dpkg-deb", &["--field", &name, field]);
    assert_eq!(field("Version"), format!("{VERSION}\n"));
    assert_eq!(field("Architecture"), "amd64\n");
    assert!(field("Maintainer").contains('@'));
    assert_eq!(field("Depends").trim(), "");
    let description = field("Description");
    assert!(description.lines().skip(1).all(|line| line.starts_with(' ')), "{description}");
    let list = run(&dir, ".", "dpkg-deb", &["--contents", &name]);
    let first = list.lines().next().expect("a line");
    assert!(first.starts_with("drwxr-xr-x root/root") || first.starts_with("drwxr-xr-x 0/0"));
    run(&dir, ".", "dpkg-deb", &["--extract", &name, "root"]);
    let version = run(&dir, ".", dir.path("root/usr/bin/relink"), &["--version"]);
    assert!(version.starts_with("relink "), "{version}");
    let pages = run(&dir, ".", "gzip", &["-dc", "root/usr/share/man/man1/relink.1.gz"]);
    assert!(pages.contains(".TH relink"), "{pages}");
    let copyright = dir.text("root/usr/share/doc/relink/copyright");
    let mit = text_of("LICENSE-MIT");
    let holder = mit.lines().find_map(|line| line.strip_prefix("Copyright (c) ")).expect("one");
    assert!(copyright.contains(&format!("\nCopyright: {holder}\n")), "{copyright}");
    for line in mit.split("\n\n").skip(2).flat_map(str::lines) {
        assert!(copyright.contains(&format!("\n {line}\n")), "{line}");
    }
    assert!(dir.has("root/usr/share/doc/relink/changelog.gz"));
}

/// Offline and with an empty cache, so that only these files are installed; the package of another
/// target is left out.
#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn npm_installs_the_program_of_the_system() {
    if !tools::has("npm", &["--version"]) || !tools::has("node", &["--version"]) {
        return;
    }
    let dir = TestDir::new();
    for triple in [MUSL, "x86_64-pc-windows-msvc"] {
        xtask::pack(&script(&dir, triple)).expect("an archive");
    }
    let package = xtask::packages(&dir.path("."), None).expect("a package");
    assert_eq!(package, dir.path(format!("./relink-cli-{VERSION}.tgz")));
    assert!(dir.has(format!("relink-cli-{VERSION}.tgz.sha256")));
    let install = |prefix: &str, packages: &[&str]| {
        let files = packages.iter().map(|name| format!("./{name}-{VERSION}.tgz"));
        let files: Vec<String> = files.collect();
        let mut args =
            vec!["install", "--offline", "--no-audit", "--no-fund", "--no-update-notifier"];
        args.extend(["--cache", "cache", "--prefix", prefix]);
        args.extend(files.iter().map(String::as_str));
        dir.directory(prefix);
        run(&dir, ".", "npm", &args);
        dir.path(format!("{prefix}/node_modules/.bin/relink"))
    };
    let program = install("whole", &["relink-cli", "relink-cli-linux-x64"]);
    assert!(!dir.has("whole/node_modules/relink-cli-win32-x64"));
    dir.file("site/a.html", "<a href=b>");
    let base = ["--base", "http://h.example/"];
    run(&dir, ".", &program, &["absolutize", "site", base[0], base[1], "-o", "out"]);
    assert_eq!(dir.text("out/a.html"), "<a href=http://h.example/b>");
    // What the program ends with, and a package that is absent.
    let status = |program: &Path, args: &[&str]| {
        let mut command = Command::new(program);
        let output = command.args(args).current_dir(dir.path(".")).output().expect("it starts");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(status(&program, &["check", "site"]).0, Some(1));
    let (code, report) = status(&install("part", &["relink-cli"]), &["--version"]);
    assert_eq!(code, Some(2));
    assert!(report.starts_with("error: the package relink-cli-linux-x64 is not"), "{report}");
}

#[test]
fn the_workflow_of_releases_builds_what_packages_name() {
    let workflow = text_of(".github/workflows/release.yml");
    let (archives, wheels) = workflow.split_once("\n  wheels:\n").expect("two jobs");
    for triple in xtask::targets() {
        assert!(archives.contains(&format!("target: {triple} }}")), "{triple}");
        // A wheel for Linux has the C library of the system.
        let triple = triple.replace("-musl", "-gnu");
        assert!(wheels.contains(&format!("target: {triple}")), "{triple}");
    }
}

/// Each URL and file of the manifests is that of an archive, and each checksum that of its
/// contents.
#[test]
fn manifests_name_the_archives_and_their_checksums() {
    if !tools::has("sha256sum", &["--version"]) {
        return;
    }
    let dir = TestDir::new();
    let url = "https://h.example/releases/";
    let first = xtask::targets().next().expect("a target");
    xtask::pack(&script(&dir, first)).expect("an archive");
    let error = xtask::packages(&dir.path("."), Some(url)).expect_err("archives are absent");
    assert!(error.to_string().contains(".sha256: "), "{error}");
    for triple in xtask::targets() {
        xtask::pack(&script(&dir, triple)).expect("an archive");
    }
    xtask::packages(&dir.path("."), Some(url)).expect("packages");
    let sum = |name: &str| run(&dir, ".", "sha256sum", &[name])[..64].to_owned();
    let formula = dir.text("homebrew/relink.rb");
    let installer = dir.text("winget/Relink.Relink.installer.yaml");
    let container = dir.text("Containerfile");
    for triple in xtask::targets() {
        if triple.contains("windows") {
            let name = format!("relink-{VERSION}-{triple}.zip");
            assert!(installer.contains(&format!("InstallerUrl: {url}{name}\n")), "{installer}");
            let sum = sum(&name).to_uppercase();
            assert!(installer.contains(&format!("InstallerSha256: {sum}\n")), "{installer}");
            continue;
        }
        let name = format!("relink-{VERSION}-{triple}.tar.gz");
        let lines = format!("url \"{url}{name}\"\n      sha256 \"{}\"\n", sum(&name));
        assert!(formula.contains(&lines), "{formula}");
        assert_eq!(container.contains(&format!("\nADD {name} /\n")), triple.contains("linux"));
    }
    for kind in ["", ".locale.en-US"] {
        assert!(dir.has(format!("winget/Relink.Relink{kind}.yaml")));
    }
}

/// The text of a file of the repository.
fn text_of(name: &str) -> String {
    std::fs::read_to_string(xtask::root().join(name)).expect("a file of the repository")
}
