//! The archive of a release, unpacked and run where nothing else is.

use std::path::Path;
use std::process::Command;

use crate::dir::TestDir;

#[test]
fn the_archive_of_a_release_works_in_an_empty_environment() {
    if !["tar", "gzip"].iter().all(|program| crate::tools::has(program, &["--version"])) {
        return;
    }
    let dir = TestDir::new();
    let release = |directory: &str| xtask::Release {
        program: env!("CARGO_BIN_EXE_relink").into(),
        triple: xtask::host(),
        directory: dir.path(directory),
    };
    let archive = xtask::pack(&release("dist")).expect("an archive");
    let again = xtask::pack(&release("again")).expect("an archive");
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
    let name = format!("relink-{}-{}", env!("CARGO_PKG_VERSION"), xtask::host());
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
