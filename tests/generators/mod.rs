//! What programs that generate sites write: a page is renamed in their output, the tree moves, and
//! `check` finds nothing broken that was not broken before.

mod renames;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// The URL of the sites, unless [`Generator::build`] gets another one.
const BASE: &str = "https://example.org/docs/";

/// A generator of sites.
pub(crate) struct Generator {
    pub(crate) program: &'static str,
    version: &'static [&'static str],
    /// The files of a small project: links between pages, an image.
    files: &'static [(&'static str, &'static str)],
    build: &'static [&'static str],
    /// The directory of the output.
    pub(crate) output: &'static str,
    /// A page or directory of the output, and its new name.
    rename: [&'static str; 2],
}

impl Generator {
    /// Returns true if the program runs; otherwise that is reported.
    #[track_caller]
    pub(crate) fn is_here(&self) -> bool {
        crate::tools::has(self.program, self.version)
    }

    /// Writes the project into a directory, and builds the site, whose URL is `url`.
    pub(crate) fn build(&self, directory: &Path, url: &str) {
        for (name, text) in self.files {
            let path = directory.join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
            fs::write(path, text.replace(BASE, url)).expect("a file");
        }
        let built = Command::new(self.program).args(self.build).current_dir(directory).output();
        let built = built.expect("it runs");
        let report = String::from_utf8_lossy(&built.stderr);
        assert!(built.status.success(), "{}: {report}", self.program);
    }
}

const INDEX: &str =
    "# Tides\n\n[Tables](tables.md) and [harbours](more/harbours.md#north), ![map](map.svg)\n";
const TABLES: &str = "# Tables\n\n[Home](index.md), [harbours](more/harbours.md)\n";
const HARBOURS: &str = "# Harbours\n\n## North\n\n[Tables](../tables.md)\n";
const MAP: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8\" height=\"8\"/>\n";

pub(crate) const GENERATORS: &[Generator] = &[
    Generator {
        program: "mkdocs",
        version: &["--version"],
        files: &[
            ("mkdocs.yml", "site_name: Tides\nsite_url: https://example.org/docs/\n"),
            ("docs/index.md", INDEX),
            ("docs/tables.md", TABLES),
            ("docs/more/harbours.md", HARBOURS),
            ("docs/map.svg", MAP),
        ],
        build: &["build", "--strict", "--quiet"],
        output: "site",
        rename: ["more/harbours/", "harbours/"],
    },
    Generator {
        program: "sphinx-build",
        version: &["--version"],
        files: &[
            ("conf.py", "project = 'Tides'\n"),
            (
                "index.rst",
                "Tides\n=====\n\n:doc:`tables` :doc:`more/harbours`\n\n.. image:: map.svg\n\n.. toctree::\n\n   tables\n   more/harbours\n",
            ),
            ("tables.rst", "Tables\n======\n\n:doc:`index` :doc:`more/harbours`\n"),
            ("more/harbours.rst", "Harbours\n========\n\n:doc:`../tables`\n"),
            ("map.svg", MAP),
        ],
        build: &["-q", "-b", "html", ".", "out"],
        output: "out",
        rename: ["more/harbours.html", "harbours.html"],
    },
    Generator {
        program: "hugo",
        version: &["version"],
        files: &[
            ("config.toml", "baseURL = 'https://example.org/docs/'\ntitle = 'Tides'\n"),
            ("content/_index.md", "Tides [Tables]({{< ref \"tables.md\" >}})\n"),
            (
                "content/tables.md",
                "---\ntitle: Tables\n---\n[Harbours]({{< relref \"more/harbours.md\" >}})\n",
            ),
            (
                "content/more/harbours.md",
                "---\ntitle: Harbours\n---\n[Tables]({{< ref \"tables.md\" >}})\n",
            ),
            (
                "layouts/index.html",
                "<!DOCTYPE html><title>{{ .Title }}</title>{{ .Content }}<img src=\"{{ \"map.svg\" | relURL }}\">\n",
            ),
            (
                "layouts/_default/single.html",
                "<!DOCTYPE html><title>{{ .Title }}</title>{{ .Content }}<a href=\"{{ \"\" | relURL }}\">Home</a>\n",
            ),
            (
                "layouts/_default/list.html",
                "<!DOCTYPE html><title>{{ .Title }}</title>{{ range .Pages }}<a href=\"{{ .Permalink }}\">{{ .Title }}</a>{{ end }}\n",
            ),
            (
                "layouts/404.html",
                "<!DOCTYPE html><title>Missing</title><link rel=\"stylesheet\" href=\"{{ \"main.css\" | relURL }}\"><a href=\"{{ \"\" | absURL }}\">Home</a><img src=\"{{ \"map.svg\" | relURL }}\">\n",
            ),
            ("static/main.css", "body { background: url(map.svg) }\n"),
            ("static/map.svg", MAP),
        ],
        build: &["--quiet"],
        output: "public",
        rename: ["more/harbours/", "harbours/"],
    },
    Generator {
        program: "mdbook",
        version: &["--version"],
        files: &[
            ("book.toml", "[book]\ntitle = \"Tides\"\n[output.html]\nsite-url = \"/docs/\"\n"),
            (
                "src/SUMMARY.md",
                "# Summary\n\n- [Tides](index.md)\n- [Tables](tables.md)\n- [Harbours](more/harbours.md)\n",
            ),
            ("src/index.md", INDEX),
            ("src/tables.md", TABLES),
            ("src/more/harbours.md", HARBOURS),
            ("src/map.svg", MAP),
        ],
        build: &["build"],
        output: "book",
        rename: ["more/harbours.html", "harbours.html"],
    },
];

fn relink(directory: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_relink"));
    command.args(args).current_dir(directory).env_remove("RELINK_BASE");
    command.output().expect("relink runs")
}

/// Returns the broken references of a tree, without their places.
fn broken(directory: &Path, tree: &str, base: &str) -> Vec<String> {
    let output = relink(directory, &["check", tree, "--base", base, "--index", "index.html"]);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let mut lines: Vec<String> =
        text.lines().map(|line| line.split_once(": ").unwrap_or_default().1.to_owned()).collect();
    lines.sort();
    lines
}

#[test]
fn pages_of_generated_sites_are_renamed_and_move() {
    const NEW: &str = "https://new.example/tides/";
    for generator in GENERATORS {
        let Generator { program, output, rename: [old, new], .. } = generator;
        if !generator.is_here() {
            continue;
        }
        let temporary = tempfile::tempdir().expect("a directory");
        let directory = temporary.path();
        generator.build(directory, BASE);
        fs::write(directory.join("list"), format!("{old}\t{new}\n")).expect("a file");
        let before = broken(directory, output, BASE);
        let renamed = ["--renames", "list", "--rename-files", "-o", "renamed"];
        let run = relink(directory, &[&["move", output, "--base", BASE][..], &renamed].concat());
        assert!(run.status.success(), "{program}: {run:?}");
        assert!(directory.join("renamed").join(new).exists(), "{program}");
        assert!(!directory.join("renamed").join(old).exists(), "{program}");
        assert_eq!(broken(directory, "renamed", BASE), before, "{program}");
        let run =
            relink(directory, &["move", "renamed", "--from", BASE, "--to", NEW, "-o", "moved"]);
        assert!(run.status.success(), "{program}: {run:?}");
        assert_eq!(broken(directory, "moved", NEW), before, "{program}");
        println!("{program}: {} broken before and after", before.len());
    }
}
