//! The command line of `relink url`.

use clap::{Args, Subcommand};
use urlcore::{Dialect, Excess, Style};

use crate::os::format::{FormatArgs, ValueError};

pub use self::data::{EscapeArgs, FromPathArgs, ToPathArgs, UnescapeArgs};

mod data;

/// The commands of `url`.
#[derive(Debug, Subcommand)]
pub enum UrlCommand {
    /// Print the target of a reference
    #[command(after_long_help = "\
Examples:
  relink url resolve https://example.org/a/b ../c
  relink url resolve http://a/b/c '?y' --dialect rfc2396
  relink url resolve --batch < base-tab-reference.txt
  relink url resolve http://a/b/c '<URL:../g>' --dialect rfc1808

In the dialects of 1993 to 1996 (url-1993, rfc1808-draft05, rfc1808, url-syntax-1996), a \
reference may be written as '<URL:...>', '<...>', '\"...\"' or 'URL:...', with white space in \
it; these characters are removed. This applies to every command of `relink url`.

With --batch, each line of the output is 'url' and the target; 'same' and the reference, if the \
target is the current document (url-1993, url-syntax-1996, rfc2396); or 'none' and the reason. A \
tab separates the fields. Lines of the input may end with CRLF. The exit status is 0.

Exit status without --batch: 0 there is a target, 1 there is none, 2 the base is not a URL.")]
    Resolve(ResolveArgs),
    /// Print the reference from a base to a target
    #[command(after_long_help = "\
Examples:
  relink url relativize https://example.org/a/b https://example.org/c
  relink url relativize https://example.org/a/b https://example.org/c --style shortest

With --batch, each line of the output is 'ref' and the reference, or 'none' and the reason. A \
tab separates the fields.")]
    Relativize(UrlRelativizeArgs),
    /// Print the components of a reference
    #[command(after_long_help = "\
Examples:
  relink url parse 'https://example.org/a/b?c#d'
  relink url parse 'ftp://me@example.org/a;type=i' --parts

With --batch, each line of the output is 'ref' and the components as NAME=VALUE. A tab separates \
the fields. Components that the reference does not have are not printed.")]
    Parse(ParseArgs),
    /// Print the URLs in a text
    #[command(after_long_help = "\
Examples:
  relink url find < letter.txt
  relink url find 'See <http://example.org/> and http://example.com.'

URLs are found in <...>, <URL:...> and \"...\", and without delimiters. White space in <...>, \
and line ends in \"...\", are removed. If a line ends after a hyphen, the hyphen may not belong \
to the URL: the URL without it follows after 'or'.")]
    Find(FindArgs),
    /// Check a reference against the grammar of its dialect
    #[command(after_long_help = "\
Examples:
  relink url validate 'http://example.org/a b' --dialect rfc3986
  relink url validate --batch --dialect rfc2396 < references.txt

With --batch, each line of the output is 'valid' and the reference, or 'invalid' and the reason. \
A tab separates the fields.

Exit status without --batch: 0 valid, 1 not valid.")]
    Validate(ValidateArgs),
    /// Print the normal form of a reference
    #[command(after_long_help = "\
Examples:
  relink url normalize 'HTTP://Example.COM:80/%7ea/./b' --dialect rfc3986
  relink url normalize http://example.com:80 --dialect rfc3986 --by-scheme

With --batch, each line of the output is 'ref' and the normal form. A tab separates the fields.")]
    Normalize(NormalizeArgs),
    /// Print the URL of a file
    #[command(after_long_help = "\
Examples:
  relink url from-path '/home/me/a b.html'
  relink url from-path 'C:\\docs\\50%.html' --system windows
  relink url from-path '\\\\server\\share\\a.html' --system windows
  find \"$PWD\" -type f | relink url from-path --batch

'url to-path' is the inverse. With --batch, each line of the output is 'url' and the URL, or \
'none' and the reason. A tab separates the fields.

Exit status without --batch: 0 there is a URL, 1 there is none.")]
    FromPath(FromPathArgs),
    /// Print the path of the file that a URL identifies
    #[command(after_long_help = "\
Examples:
  relink url to-path file:///home/me/a%20b.html
  relink url to-path file:///C:/docs/50%25.html --system windows
  relink url to-path file://server/share/a.html --system windows

The query and the fragment of the URL are ignored. With --batch, each line of the output is \
'path' and the path, or 'none' and the reason. A tab separates the fields.

Exit status without --batch: 0 there is a path, 1 there is none.")]
    ToPath(ToPathArgs),
    /// Print data as a component of a URL
    #[command(after_long_help = "\
Examples:
  relink url escape '50% off/today'
  relink url escape 'a&b' --component query
  relink url escape '~me' --dialect rfc1808

Characters that the grammar of the dialect allows, and that are not delimiters in the component, \
stay. All others are escaped, including '%'. 'url unescape' is the inverse. With --batch, each \
line of the output is 'text' and the component. A tab separates the fields.")]
    Escape(EscapeArgs),
    /// Print the data of a component of a URL
    #[command(after_long_help = "\
Examples:
  relink url unescape 50%25%20off%2Ftoday
  relink url unescape 'a%26b' --component query

Split a component at its delimiters first. A text in which unescaping would produce a delimiter \
is refused: 'a=b%26c' as a query, because 'a=b&c' is another query, and an escaped slash in a \
path. With --batch, each line of the output is 'data' and the data, or 'none' and the reason. A \
tab separates the fields.

Exit status without --batch: 0 there are data, 1 there are none.")]
    Unescape(UnescapeArgs),
    /// Print the target of a reference in every dialect
    #[command(after_long_help = "\
Examples:
  relink url table 'http://a/b/c/d;p?q' '../../../../g'")]
    Table(TableArgs),
}

/// Where the input comes from, and its dialect.
#[derive(Debug, Args)]
pub struct BatchArgs {
    /// Read lines from standard input, and print an answer for each
    ///
    /// If a command has two arguments, a tab separates them.
    #[arg(long)]
    pub batch: bool,

    /// The rules by which references are read and resolved
    ///
    /// web              as browsers do (the URL standard)
    /// rfc3986          RFC 3986 (2005)
    /// rfc2396          RFC 2396 (1998)
    /// url-syntax-1996  the draft "Generic Syntax" of December 1996
    /// rfc1808          RFC 1808 (1995)
    /// rfc1808-draft05  the draft 05 of RFC 1808 (January 1995)
    /// url-1993         the draft "Uniform Resource Locators" of 1993
    #[arg(long, value_name = "DIALECT", default_value_t = Dialect::Web, verbatim_doc_comment)]
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

    /// The treatment of '..' segments that lead above the root
    ///
    /// kept     they stay in the path, as in the examples of RFC 2396
    /// dropped  they are removed
    /// refused  there is no target
    ///
    /// RFC 2396 allows all three. Without this option, the dialect decides.
    #[arg(
        long,
        value_name = "kept|dropped|refused",
        value_parser = excess,
        verbatim_doc_comment
    )]
    pub excess: Option<Excess>,

    /// Ignore the scheme of a reference if it is that of the base
    ///
    /// An example is 'http:g' (RFC 3986, section 5.2.2, not strict).
    #[arg(long)]
    pub non_strict: bool,
}

fn excess(name: &str) -> Result<Excess, ValueError> {
    match name {
        "kept" => Ok(Excess::Kept),
        "dropped" => Ok(Excess::Dropped),
        "refused" => Ok(Excess::Refused),
        _ => Err(ValueError::Expected("kept, dropped, refused".to_owned())),
    }
}

/// Arguments of `url relativize`.
#[derive(Debug, Args)]
pub struct UrlRelativizeArgs {
    /// An absolute URL
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    pub base: Option<String>,

    /// The URL to point to
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    pub target: Option<String>,

    /// One line or many, and the dialect
    #[command(flatten)]
    pub input: BatchArgs,

    /// The form of the reference
    ///
    /// absolute       with its scheme: `http://h/a/b`
    /// network-path   //h/a/b, if the schemes are equal
    /// absolute-path  /a/b, if the authorities are equal too
    /// relative       ../b, or #s in the same document
    /// shortest       the shorter of the last two
    #[arg(
        long,
        value_name = "absolute|network-path|absolute-path|relative|shortest",
        default_value = "relative",
        value_parser = style,
        verbatim_doc_comment
    )]
    pub style: Style,

    /// The base is the URL of the document itself
    ///
    /// Then '#s' points into the document in url-1993, url-syntax-1996 and rfc2396 too.
    #[arg(long)]
    pub document: bool,
}

fn style(name: &str) -> Result<Style, ValueError> {
    let style = Style::ALL.into_iter().find(|(known, _)| *known == name);
    let names = Style::ALL.map(|(name, _)| name).join(", ");
    style.map(|(_, style)| style).ok_or(ValueError::Expected(names))
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

    /// Print the parts of the authority too, and other parts that the scheme defines
    #[arg(long)]
    pub parts: bool,
}

/// Arguments of `url find`.
#[derive(Debug, Args)]
#[command(mut_arg("format", |format| format.help_heading(None)))]
pub struct FindArgs {
    /// The text [default: standard input]
    pub text: Option<String>,

    /// The format.
    #[command(flatten)]
    pub format: FormatArgs,
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

    /// Accept excluded characters that cannot be mistaken for delimiters
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

    /// Apply the rules of the scheme too: default ports, the path '/'
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
