//! Manifests of package managers that install the archives of a release: a formula of Homebrew,
//! manifests of winget (schema 1.6.0), and a container file.

use std::fs;
use std::io;
use std::path::Path;

use super::archive_name;

const SUMMARY: &str = "Make references in documents absolute, relative, or correct for a new URL";
const HOMEPAGE: &str = "https://docs.rs/relink";
const WINDOWS: &str = "x86_64-pc-windows-msvc";

/// Processors as a container file and Homebrew name them, and as targets do.
const PROCESSORS: [(&str, &str, &str); 2] =
    [("amd64", "on_intel", "x86_64"), ("arm64", "on_arm", "aarch64")];

/// Returns the names and texts of the manifests. `directory` has the archives of all targets and
/// their checksums, and `url` is where they are published.
///
/// # Errors
///
/// If a checksum cannot be read.
pub(crate) fn manifests(
    directory: &Path,
    version: &str,
    url: &str,
) -> io::Result<Vec<(String, String)>> {
    let archive = |triple: &str| {
        let name = archive_name(triple);
        let path = directory.join(format!("{name}.sha256"));
        let sums = fs::read_to_string(&path).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", path.display()))
        })?;
        let sum = sums.split(' ').next().unwrap_or_default().to_owned();
        Ok::<_, io::Error>((format!("{}/{name}", url.trim_end_matches('/')), sum))
    };
    let mut systems = String::new();
    for (block, system) in [("on_macos", "apple-darwin"), ("on_linux", "unknown-linux-musl")] {
        systems += &format!("\n  {block} do\n");
        for (_, processor, architecture) in PROCESSORS {
            let (url, sum) = archive(&format!("{architecture}-{system}"))?;
            systems += &format!(
                "    {processor} do\n      url \"{url}\"\n      sha256 \"{sum}\"\n    end\n"
            );
        }
        systems += "  end\n";
    }
    let (url, sum) = archive(WINDOWS)?;
    let winget = |kind: &str, fields: &str| {
        let name = if kind == "version" { String::new() } else { format!(".{kind}") };
        let name = name.replace("defaultLocale", "locale.en-US");
        let text = format!(
            "PackageIdentifier: Relink.Relink\nPackageVersion: {version}\n{fields}\
             ManifestType: {kind}\nManifestVersion: 1.6.0\n"
        );
        (format!("winget/Relink.Relink{name}.yaml"), text)
    };
    Ok(vec![
        ("homebrew/relink.rb".to_owned(), formula(version, &systems)),
        ("Containerfile".to_owned(), container()),
        winget("version", "DefaultLocale: en-US\n"),
        winget(
            "installer",
            &format!(
                "InstallerType: zip\nNestedInstallerType: portable\nNestedInstallerFiles:\n\
                 - RelativeFilePath: relink-{version}-{WINDOWS}\\relink.exe\n  \
                 PortableCommandAlias: relink\nInstallers:\n- Architecture: x64\n  \
                 InstallerUrl: {url}\n  InstallerSha256: {}\n",
                sum.to_uppercase()
            ),
        ),
        winget(
            "defaultLocale",
            &format!(
                "PackageLocale: en-US\nPublisher: The relink maintainers\nPackageName: relink\n\
                 License: MIT OR Apache-2.0\nShortDescription: {SUMMARY}\n"
            ),
        ),
    ])
}

fn formula(version: &str, systems: &str) -> String {
    format!(
        r##"class Relink < Formula
  desc "{SUMMARY}"
  homepage "{HOMEPAGE}"
  version "{version}"
  license any_of: ["MIT", "Apache-2.0"]
{systems}
  def install
    bin.install "relink"
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completions/relink.bash" => "relink"
    zsh_completion.install "completions/_relink"
    fish_completion.install "completions/relink.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/relink --version")
  end
end
"##
    )
}

/// Returns a container file whose context is the directory of the archives: the static program
/// alone.
fn container() -> String {
    let mut text = "ARG TARGETARCH\n".to_owned();
    for (processor, _, architecture) in PROCESSORS {
        let name = archive_name(&format!("{architecture}-unknown-linux-musl"));
        text += &format!("FROM scratch AS files-{processor}\nADD {name} /\n");
    }
    text + "FROM files-$TARGETARCH AS files\n\
            FROM scratch\n\
            COPY --from=files /relink-*/relink /relink\n\
            WORKDIR /data\n\
            ENTRYPOINT [\"/relink\"]\n"
}
