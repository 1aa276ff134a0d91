//! The command line of `relink url`.

use clap::{Args, Subcommand};
use urlcore::{Dialect, Excess, Style};

use super::Format;

pub use self::data::{EscapeArgs, FromPathArgs, ToPathArgs, UnescapeArgs};

mod data;

/// The commands of `url`.
#[derive(Debug, Subcommand)]
pub enum UrlCommand {
    /// Print what a reference points to
    #[command(after_help = "\
Examples:
  relink url resolve https://example.org/a/b ../c
  relink url resolve http://a/b/c '?y' --dialect rfc2396
  relink url resolve --batch < base-tab-reference.txt
  relink url resolve http://a/b/c '<URL:../g>' --dialect rfc1808

In the dialects of 1993 to 1996 (url-1993, rfc1808-draft05, rfc1808, url-syntax-1996) a reference may be typed as '<URL:...>', '<...>', '\"...\"' or 'URL:...', with white space in it: all that is no part of it. So it is for every command here.

A batch prints, for each line, 'url' and the target, 'same' and the reference where it is the current document (url-1993, url-syntax-1996, rfc2396), or 'none' and the reason, with a tab between. Its lines may end with CRLF; its exit status is 0.

Exit status of one answer: 0 there is one, 1 there is none, 2 the base is none.")]
    Resolve(ResolveArgs),
    /// Print the reference that leads from a base to a target
    #[command(after_help = "\
Examples:
  relink url relativize https://example.org/a/b https://example.org/c
  relink url relativize https://example.org/a/b https://example.org/c --style shortest

A batch prints, for each line, 'ref' and the reference, or 'none' and the reason, with a tab between.")]
    Relativize(RelativizeArgs),
    /// Print the components of a reference
    #[command(after_help = "\
A batch prints, for each line, 'ref' and the components as NAME=VALUE with tabs between; one that is not there is not printed.")]
    Parse(ParseArgs),
    /// Print the URLs in a text
    #[command(after_help = "\
Examples:
  relink url find < letter.txt
  relink url find 'See <http://example.org/> and http://example.com.'

URLs stand in <...>, <URL:...> or \"...\", where white space (in quotes: line ends) is no part of them, or bare. Where a line ends after a hyphen, the URL without it follows, after 'or'.")]
    Find(FindArgs),
    /// Check a reference against the grammar of its dialect
    #[command(after_help = "\
Exit status: 0 valid, 1 not valid. A batch prints, for each line, 'valid' and the reference, or 'invalid' and the reason.")]
    Validate(ValidateArgs),
    /// Print a reference in its normal form
    #[command(after_help = "\
Examples:
  relink url normalize 'HTTP://Example.COM:80/%7ea/./b' --dialect rfc3986
  relink url normalize http://example.com:80 --dialect rfc3986 --by-scheme

A batch prints, for each line, 'ref' and the normal form, with a tab between.")]
    Normalize(NormalizeArgs),
    /// Print the URL of a file
    #[command(after_help = "\
Examples:
  relink url from-path '/home/me/a b.html'
  relink url from-path 'C:\\docs\\50%.html' --system windows
  relink url from-path '\\\\server\\share\\a.html' --system windows
  find \"$PWD\" -type f | relink url from-path --batch

'url to-path' makes the same path of it again. A batch prints, for each line, 'url' and the URL, or 'none' and the reason, with a tab between.

Exit status of one answer: 0 there is one, 1 there is none.")]
    FromPath(FromPathArgs),
    /// Print the path of the file that a URL means
    #[command(after_help = "\
Examples:
  relink url to-path file:///home/me/a%20b.html
  relink url to-path file:///C:/docs/50%25.html --system windows
  relink url to-path file://server/share/a.html --system windows

A query and a fragment are no part of a path. A batch prints, for each line, 'path' and the path, or 'none' and the reason, with a tab between.

Exit status of one answer: 0 there is one, 1 there is none.")]
    ToPath(ToPathArgs),
    /// Print data as a component of a URL
    #[command(after_help = "\
Examples:
  relink url escape '50% off/today'
  relink url escape 'a&b' --component query
  relink url escape '~me' --dialect rfc1808

What the grammar of the dialect allows and what is no delimiter there stays; everything else is escaped, '%' too. 'url unescape' makes the same data of it again. A batch prints, for each line, 'text' and the component, with a tab between.")]
    Escape(EscapeArgs),
    /// Print the data that a component of a URL stands for
    #[command(after_help = "\
Examples:
  relink url unescape 50%25%20off%2Ftoday
  relink url unescape 'a%26b' --component query

A component is split at its delimiters first: 'a=b%26c' is refused as a query, since 'a=b&c' is another one, and so is an escaped slash in a path. A batch prints, for each line, 'data' and the data, or 'none' and the reason, with a tab between.

Exit status of one answer: 0 there is one, 1 there is none.")]
    Unescape(UnescapeArgs),
    /// Print what a reference points to in every dialect, side by side
    #[command(after_help = "\
Example:
  relink url table 'http://a/b/c/d;p?q' '../../../../g'")]
    Table(TableArgs),
}

/// Where the input comes from.
#[derive(Debug, Args)]
pub struct BatchArgs {
    /// Read lines from standard input, two fields with a tab between, and print an answer for each
    #[arg(long)]
    pub batch: bool,

    /// The rules by which references are read and resolved: web, rfc3986, rfc2396, url-syntax-1996, rfc1808, rfc1808-draft05 or
    /// url-1993
    #[arg(long, value_name = "DIALECT", default_value_t = Dialect::Web)]
    pub dialect: Dialect,
}

/// Arguments of `url resolve`.
#[derive(Debug, Args)]
pub struct ResolveArgs {
    /// An absolute URL
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    pub base: Option<String>,

    /// The reference
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    pub reference: Option<String>,

    /// One line or many, and the dialect
    #[command(flatten)]
    pub input: BatchArgs,

    /// What becomes of '..' that leads above the root: RFC 2396 allows all three, and its examples keep them
    #[arg(long, value_name = "kept|dropped|refused", value_parser = excess)]
    pub excess: Option<Excess>,

    /// Ignore the scheme of a reference that has that of the base, as in 'http:g' (RFC 3986 5.2.2, not strict)
    #[arg(long)]
    pub non_strict: bool,
}

fn excess(name: &str) -> Result<Excess, String> {
    match name {
        "kept" => Ok(Excess::Kept),
        "dropped" => Ok(Excess::Dropped),
        "refused" => Ok(Excess::Refused),
        _ => Err("expected one of kept, dropped, refused".to_owned()),
    }
}

/// Arguments of `url relativize`.
#[derive(Debug, Args)]
pub struct RelativizeArgs {
    /// An absolute URL
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    pub base: Option<String>,

    /// The URL to point to
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    pub target: Option<String>,

    /// One line or many, and the dialect
    #[command(flatten)]
    pub input: BatchArgs,

    /// How the reference is written
    #[arg(long, value_name = "absolute|network-path|absolute-path|relative|shortest", default_value = "relative", value_parser = style)]
    pub style: Style,

    /// The base is the URL of the document, so that '#s' leads into it also in url-1993, url-syntax-1996 and rfc2396
    #[arg(long)]
    pub document: bool,
}

fn style(name: &str) -> Result<Style, String> {
    let style = Style::ALL.into_iter().find(|(known, _)| *known == name);
    let names = Style::ALL.map(|(name, _)| name).join(", ");
    style.map(|(_, style)| style).ok_or_else(|| format!("expected one of {names}"))
}

/// Arguments of `url parse`.
#[derive(Debug, Args)]
pub struct ParseArgs {
    /// The reference
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    pub reference: Option<String>,

    /// One line or many, and the dialect
    #[command(flatten)]
    pub input: BatchArgs,

    /// Print the parts of the authority, and of what else the scheme has parts, too
    #[arg(long)]
    pub parts: bool,
}

/// Arguments of `url find`.
#[derive(Debug, Args)]
pub struct FindArgs {
    /// The text [default: standard input]
    pub text: Option<String>,

    /// How the URLs are written
    #[arg(long, value_enum, value_name = "text|json", hide_possible_values = true, default_value_t = Format::Text)]
    pub format: Format,
}

/// Arguments of `url validate`.
#[derive(Debug, Args)]
pub struct ValidateArgs {
    /// The reference
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    pub reference: Option<String>,

    /// One line or many, and the dialect
    #[command(flatten)]
    pub input: BatchArgs,

    /// Take what a robust reader takes: characters that are excluded but cannot be mistaken for delimiters
    #[arg(long)]
    pub lenient: bool,
}

/// Arguments of `url normalize`.
#[derive(Debug, Args)]
pub struct NormalizeArgs {
    /// The reference
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    pub reference: Option<String>,

    /// One line or many, and the dialect
    #[command(flatten)]
    pub input: BatchArgs,

    /// Use what is known of the scheme too: default ports, the path '/'
    #[arg(long)]
    pub by_scheme: bool,
}

/// Arguments of `url table`.
#[derive(Debug, Args)]
pub struct TableArgs {
    /// An absolute URL
    pub base: String,

    /// The reference
    pub reference: String,
}
