//! Sites of MkDocs, Sphinx and Hugo that move from the root of a host to `/docs/` of another one:
//! in Chromium each page uses there what it used, and so does the page that nginx sends for what is
//! missing (`error_page`), at depth 0, 1 and 3.

use std::fs;
use std::process::Command;

use super::serve::Web;
use crate::generators::GENERATORS;

const PROGRAMS: [&str; 3] = ["mkdocs", "sphinx-build", "hugo"];

#[test]
fn generated_sites_that_move_load_what_they_loaded() {
    if !crate::tools::has("python3", &["--version"]) {
        return;
    }
    for generator in GENERATORS.iter().filter(|it| PROGRAMS.contains(&it.program)) {
        if !generator.is_here() {
            continue;
        }
        let temporary = tempfile::tempdir().expect("a directory");
        let path = |name: &str| temporary.path().join(name);
        for name in ["project", "nginx-old", "nginx-new", "new"] {
            fs::create_dir_all(path(name)).expect("a directory");
        }
        let site = path("project").join(generator.output);
        let servers = [
            Web::start_with(&path("nginx-old"), &site, ["", "error_page 404 /404.html;"]),
            Web::start_with(
                &path("nginx-new"),
                &path("new"),
                ["", "error_page 404 /docs/404.html;"],
            ),
        ];
        let [Some(old), Some(new)] = servers else {
            return crate::tools::skipped("nginx is not on this machine");
        };
        let (from, to) = (
            format!("http://127.0.0.1:{}/", old.port),
            format!("http://127.0.0.1:{}/docs/", new.port),
        );
        generator.build(&path("project"), &from);
        let words = [site, path("new/docs")].map(|path| path.to_str().expect("UTF-8").to_owned());
        super::relink(
            &["move", &words[0], "--from", &from, "--to", &to, "-o", &words[1], "-q"],
            &[0],
        );
        println!("{}:", generator.program);
        let mut script = Command::new("python3");
        script.arg(super::script("generated.py")).args([&words[0], &from, &to]);
        crate::browser::passes(&mut script);
    }
}
