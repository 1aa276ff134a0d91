//! The grammars of the dialects: the bytes that each component may have, production by production.
//!
//! Invariant: a table has what its specification says, with the names of its productions; what a
//! specification leaves to prose is a switch. Sections: 1993 "BNF syntax"; RFC 1808 2.2 (and its
//! draft 05); 1996 appendix A; RFC 2396 appendix A; RFC 3986 appendix A; WHATWG URL 4.3 ("URL code
//! points").

use crate::dialect::Dialect;

/// A set of ASCII characters.
#[derive(Clone, Copy)]
pub(crate) struct CharacterSet(u128);

impl CharacterSet {
    pub(crate) const fn new(characters: &str) -> CharacterSet {
        CharacterSet::from_bytes(characters.as_bytes())
    }

    /// Returns the set of these bytes, which are below 128.
    pub(crate) const fn from_bytes(bytes: &[u8]) -> CharacterSet {
        let (mut bits, mut i) = (0, 0);
        while i < bytes.len() {
            bits |= 1 << bytes[i];
            i += 1;
        }
        CharacterSet(bits)
    }

    pub(crate) const fn or(self, other: CharacterSet) -> CharacterSet {
        CharacterSet(self.0 | other.0)
    }

    pub(crate) const fn without(self, other: CharacterSet) -> CharacterSet {
        CharacterSet(self.0 & !other.0)
    }

    pub(crate) const fn has(self, byte: u8) -> bool {
        byte < 128 && self.0 >> byte & 1 == 1
    }
}

/// A production: its name with its source, and the characters that it allows besides escapes.
#[derive(Clone, Copy)]
pub(crate) struct Production {
    pub(crate) name: &'static str,
    pub(crate) set: CharacterSet,
}

const fn rule(name: &'static str, set: CharacterSet) -> Production {
    Production { name, set }
}

/// The rules of a specification for hosts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostRule {
    /// Any characters of its production.
    Characters,
    /// A name that begins with a letter or digit, or an address (1993).
    Words,
    /// Domain labels, of which the last begins with a letter, or an IPv4 address (1996 4.3.1).
    Labels,
    /// An IP literal in brackets, or any characters of its production (RFC 3986 3.2.2).
    Literal,
    /// A host that a browser accepts (WHATWG URL 3.5).
    Web,
}

/// The grammar of one dialect.
pub(crate) struct Grammar {
    pub(crate) scheme: Production,
    /// The characters with which a scheme may begin.
    pub(crate) scheme_start: CharacterSet,
    pub(crate) userinfo: Production,
    pub(crate) host: Production,
    pub(crate) host_rule: HostRule,
    pub(crate) port: &'static str,
    /// True if a port has digits (1993); since 1996 it may be empty.
    pub(crate) port_has_digits: bool,
    pub(crate) path: Production,
    pub(crate) params: Production,
    pub(crate) query: Production,
    pub(crate) fragment: Production,
    /// The rule that the first segment of a path in a relative reference is not empty (`fsegment`
    /// of RFC 1808 2.2).
    pub(crate) first_segment: Option<&'static str>,
    /// The rule that a relative reference does not begin with a segment that has a `:`.
    pub(crate) first_segment_without_colon: Option<&'static str>,
    /// The rule that the part after the scheme is not empty.
    pub(crate) after_scheme: Option<&'static str>,
    /// The characters that are never delimiters in any component, so that escaping one is needless.
    pub(crate) unreserved: CharacterSet,
}

const ALPHA: CharacterSet =
    CharacterSet::new("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
const DIGIT: CharacterSet = CharacterSet::new("0123456789");
pub(crate) const ALPHANUM: CharacterSet = ALPHA.or(DIGIT);
const SCHEME: CharacterSet = ALPHANUM.or(CharacterSet::new("+-."));

const XALPHA: CharacterSet =
    ALPHANUM.or(CharacterSet::new("$-_@.&+")).or(CharacterSet::new("!*\"'():;, "));

const URL1993: Grammar = Grammar {
    scheme: rule("ialpha = alpha [xalphas] (1993, BNF)", XALPHA),
    scheme_start: ALPHANUM,
    userinfo: rule("user, password = xalphas (1993, BNF)", XALPHA),
    host: rule("hostname = ialpha [. hostname], or hostnumber (1993, BNF)", XALPHA),
    host_rule: HostRule::Words,
    port: "port = digits (1993, BNF)",
    port_has_digits: true,
    path: rule("path = void, or xpalphas [/ path] (1993, BNF)", XALPHA.or(CharacterSet::new("/"))),
    params: rule("", CharacterSet(0)),
    query: rule("search = xalphas [+ search] (1993, BNF)", XALPHA),
    fragment: rule("fragmentid = xalphas (1993, BNF)", XALPHA),
    first_segment: None,
    first_segment_without_colon: None,
    after_scheme: None,
    // The characters to which neither `generic` nor a scheme gives a meaning.
    unreserved: ALPHANUM.or(CharacterSet::new("$-_.!*'(),")),
};

const UNRESERVED1808: CharacterSet =
    ALPHANUM.or(CharacterSet::new("$-_.+")).or(CharacterSet::new("!*'(),"));
const NATIONAL: CharacterSet = CharacterSet::new("{}|\\^~[]`");
const RESERVED1808: CharacterSet = CharacterSet::new(";/?:@&=");

/// Returns the grammar of RFC 1808 with another `unreserved`.
const fn rfc1808(unreserved: CharacterSet) -> Grammar {
    let pchar = unreserved.or(CharacterSet::new(":@&="));
    let uchar_or_reserved = unreserved.or(RESERVED1808);
    Grammar {
        scheme: rule("scheme = 1*( alpha | digit | \"+\" | \"-\" | \".\" ) (RFC 1808 2.2)", SCHEME),
        scheme_start: SCHEME,
        userinfo: rule(
            "net_loc = *( pchar | \";\" | \"?\" ) (RFC 1808 2.2)",
            pchar.or(CharacterSet::new(";?")),
        ),
        host: rule(
            "net_loc = *( pchar | \";\" | \"?\" ) (RFC 1808 2.2)",
            pchar.or(CharacterSet::new(";?")),
        ),
        host_rule: HostRule::Characters,
        port: "port = digits (RFC 1738 5)",
        port_has_digits: false,
        path: rule("segment = *pchar (RFC 1808 2.2)", pchar.or(CharacterSet::new("/"))),
        params: rule(
            "param = *( pchar | \"/\" ) (RFC 1808 2.2)",
            pchar.or(CharacterSet::new("/;")),
        ),
        query: rule("query = *( uchar | reserved ) (RFC 1808 2.2)", uchar_or_reserved),
        fragment: rule("fragment = *( uchar | reserved ) (RFC 1808 2.2)", uchar_or_reserved),
        first_segment: Some("fsegment = 1*pchar (RFC 1808 2.2)"),
        first_segment_without_colon: None,
        after_scheme: None,
        // A bracket that was escaped would begin an address if it were unescaped.
        unreserved: unreserved.without(CharacterSet::new("[]")),
    }
}

const RFC1808: Grammar = rfc1808(UNRESERVED1808);
const RFC1808_DRAFT05: Grammar = rfc1808(UNRESERVED1808.or(NATIONAL));

const UNRESERVED1996: CharacterSet = ALPHANUM.or(CharacterSet::new("$-_.!~*'(),"));
const PCHAR1996: CharacterSet = UNRESERVED1996.or(CharacterSet::new(":@&=+"));
const URLC1996: CharacterSet = UNRESERVED1996.or(CharacterSet::new(";/?:@&=+"));

const URL_SYNTAX1996: Grammar = Grammar {
    scheme: rule("scheme = 1*( alpha | digit | \"+\" | \"-\" | \".\" ) (1996 4.1)", SCHEME),
    scheme_start: SCHEME,
    userinfo: rule(
        "user, password = *( unreserved | escaped | \";\" | \"&\" | \"=\" | \"+\" ) (1996 4.3.1)",
        UNRESERVED1996.or(CharacterSet::new(";&=+")),
    ),
    host: rule("host = hostname | hostnumber (1996 4.3.1)", ALPHANUM.or(CharacterSet::new("-."))),
    host_rule: HostRule::Labels,
    port: "port = *digit (1996 4.3.1)",
    port_has_digits: false,
    path: rule(
        "segment = *pchar *( \";\" param ) (1996 4.3.2)",
        PCHAR1996.or(CharacterSet::new("/;")),
    ),
    params: rule("", CharacterSet(0)),
    query: rule("query = *urlc (1996 4.3.3)", URLC1996),
    fragment: rule("fragment = *urlc (1996 3)", URLC1996),
    first_segment: None,
    first_segment_without_colon: None,
    after_scheme: None,
    unreserved: UNRESERVED1996,
};

const UNRESERVED2396: CharacterSet = ALPHANUM.or(CharacterSet::new("-_.!~*'()"));
const PCHAR2396: CharacterSet = UNRESERVED2396.or(CharacterSet::new(":@&=+$,"));
const URIC2396: CharacterSet = UNRESERVED2396.or(CharacterSet::new(";/?:@&=+$,"));

const RFC2396: Grammar = Grammar {
    scheme: rule(
        "scheme = alpha *( alpha | digit | \"+\" | \"-\" | \".\" ) (RFC 2396 3.1)",
        SCHEME,
    ),
    scheme_start: ALPHA,
    userinfo: rule(
        "authority = server | reg_name (RFC 2396 3.2)",
        PCHAR2396.or(CharacterSet::new(";")),
    ),
    host: rule(
        "authority = server | reg_name (RFC 2396 3.2)",
        PCHAR2396.or(CharacterSet::new(";")),
    ),
    // Any authority that is no server is a `reg_name`, of any characters of that production.
    host_rule: HostRule::Characters,
    port: "port = *digit (RFC 2396 3.2.2)",
    port_has_digits: false,
    path: rule(
        "segment = *pchar *( \";\" param ) (RFC 2396 3.3)",
        PCHAR2396.or(CharacterSet::new("/;")),
    ),
    params: rule("", CharacterSet(0)),
    query: rule("query = *uric (RFC 2396 3.4)", URIC2396),
    fragment: rule("fragment = *uric (RFC 2396 4.1)", URIC2396),
    first_segment: None,
    first_segment_without_colon: Some("rel_segment, without \":\" (RFC 2396 5)"),
    after_scheme: Some("opaque_part = uric_no_slash *uric (RFC 2396 3)"),
    unreserved: UNRESERVED2396,
};

const UNRESERVED3986: CharacterSet = ALPHANUM.or(CharacterSet::new("-._~"));
const SUB_DELIMS: CharacterSet = CharacterSet::new("!$&'()*+,;=");
const PCHAR3986: CharacterSet = UNRESERVED3986.or(SUB_DELIMS).or(CharacterSet::new(":@"));

const RFC3986: Grammar = Grammar {
    scheme: rule(
        "scheme = ALPHA *( ALPHA / DIGIT / \"+\" / \"-\" / \".\" ) (RFC 3986 3.1)",
        SCHEME,
    ),
    scheme_start: ALPHA,
    userinfo: rule(
        "userinfo = *( unreserved / pct-encoded / sub-delims / \":\" ) (RFC 3986 3.2.1)",
        UNRESERVED3986.or(SUB_DELIMS).or(CharacterSet::new(":")),
    ),
    host: rule(
        "reg-name = *( unreserved / pct-encoded / sub-delims ) (RFC 3986 3.2.2)",
        UNRESERVED3986.or(SUB_DELIMS),
    ),
    host_rule: HostRule::Literal,
    port: "port = *DIGIT (RFC 3986 3.2.3)",
    port_has_digits: false,
    path: rule("segment = *pchar (RFC 3986 3.3)", PCHAR3986.or(CharacterSet::new("/"))),
    params: rule("", CharacterSet(0)),
    query: rule(
        "query = *( pchar / \"/\" / \"?\" ) (RFC 3986 3.4)",
        PCHAR3986.or(CharacterSet::new("/?")),
    ),
    fragment: rule(
        "fragment = *( pchar / \"/\" / \"?\" ) (RFC 3986 3.5)",
        PCHAR3986.or(CharacterSet::new("/?")),
    ),
    first_segment: None,
    first_segment_without_colon: Some("segment-nz-nc, without \":\" (RFC 3986 4.2)"),
    after_scheme: None,
    unreserved: UNRESERVED3986,
};

const CODE_POINTS: CharacterSet = ALPHANUM.or(CharacterSet::new("!$&'()*+,-./:;=?@_~"));

const WEB: Grammar = Grammar {
    scheme: rule("URL-scheme string (WHATWG URL 4.3)", SCHEME),
    scheme_start: ALPHA,
    userinfo: rule("no credentials (WHATWG URL 4.3)", CharacterSet(0)),
    host: rule(
        "a host that a browser accepts (WHATWG URL 3.5)",
        CODE_POINTS.or(CharacterSet::new("[]")),
    ),
    host_rule: HostRule::Web,
    port: "URL-port string (WHATWG URL 4.3)",
    port_has_digits: false,
    path: rule("URL-path-segment string, of URL units (WHATWG URL 4.3)", CODE_POINTS),
    params: rule("", CharacterSet(0)),
    query: rule("URL-query string, of URL units (WHATWG URL 4.3)", CODE_POINTS),
    fragment: rule("URL-fragment string, of URL units (WHATWG URL 4.3)", CODE_POINTS),
    first_segment: None,
    first_segment_without_colon: None,
    after_scheme: None,
    unreserved: UNRESERVED3986,
};

/// Characters that no grammar but that of draft 05 allows, and that cannot be mistaken for
/// delimiters: "unwise" (1996 2.3.3; RFC 2396 2.4.3), which a robust reader handles.
pub(crate) const UNWISE: CharacterSet = NATIONAL.without(CharacterSet::new("~"));

impl Dialect {
    pub(crate) const fn grammar(self) -> &'static Grammar {
        match self {
            Dialect::Url1993 => &URL1993,
            Dialect::Rfc1808Draft05 => &RFC1808_DRAFT05,
            Dialect::Rfc1808 => &RFC1808,
            Dialect::UrlSyntax1996 => &URL_SYNTAX1996,
            Dialect::Rfc2396 => &RFC2396,
            Dialect::Rfc3986 => &RFC3986,
            Dialect::Web => &WEB,
        }
    }
}
