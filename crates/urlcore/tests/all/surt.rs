//! SURT keys. The keys of the cases are those of the library `surt`, which the tests of the Python
//! package compare with on generated URLs.

use urlcore::surt_key;

#[track_caller]
fn check(url: &str, expected: &str) {
    assert_eq!(surt_key(url).as_deref(), Some(expected), "{url}");
}

#[test]
fn hosts_are_reversed() {
    check("http://archive.org/", "org,archive)/");
    check("https://www12.archive.org/", "org,archive)/");
    check("http://www2.www2foo.com/", "com,www2foo)/");
    check("http://www2foo.com/", "com,www2foo)/");
    check("http://u:p@archive.org:8080/#s", "org,archive:8080)/");
    check("http://archive.org.../", "org,archive)/");
    check("http://192.168.1.254/", "254,1,168,192)/");
    check("whois://whois.isoc.org.il/shaveh.co.il", "il,org,isoc,whois)/shaveh.co.il");
    for url in ["mailto:a@b.example", "file:///a", "data:,a", "", "a", "/b"] {
        assert_eq!(surt_key(url), None, "{url}");
    }
}

#[test]
fn paths_are_in_one_spelling() {
    check("http://a/big/", "a)/big");
    check("http://a//b///C/", "a)/b/c");
    check("http://a/b/%252e%252E/%63", "a)/c");
    check("http://a/%25%32%35", "a)/%25");
    check("http://a/%2525252525252525", "a)/%25");
    check("http://a/%%%25%32%35asd%%", "a)/%25%25%25asd%25%25");
    check("http://a/%%34%31%C3%A9%20%23", "a)/a%c3%a9%20%23");
    check("http://a/%257Ea%2521b%2540c%2523d%2524e%25f%255E00%252611", "a)/~a!b@c%23d$e%25f^00&11");
}

#[test]
fn queries_are_sorted() {
    check("http://a/?", "a)/");
    check("http://a/?b=a&b=b&a=b", "a)/?a=b&b=a&b=b");
    check("http://a/goo/?a=2&b&a=1", "a)/goo?a=1&a=2&b");
    check("http://a/?a=1&", "a)/?&a=1");
    check("http://a/?r?S=%26c&%C3%A9", "a)/?%c3%a9&c&r?s=");
}

#[test]
fn sessions_are_removed() {
    let session = "0123456789abcdefghijklemopqrstuv";
    for name in ["jsessionid", "PHPSESSID", "sid", "xsid"] {
        let rest = if name == "xsid" { "x" } else { "" };
        check(&format!("http://a/?{name}={session}&y=z"), &format!("a)/?{rest}y=z"));
        let longer = format!("http://a/?{name}={session}0");
        check(&longer, &longer.to_lowercase().replace("http://a/", "a)/"));
    }
    check(&format!("http://a/?c=d&sid={session}"), "a)/?&c=d");
    check(&format!("http://a/?sid={session}&jsessionid={session}"), "a)/");
    check("http://a/?aspsessionidABCDEFGH=ABCDEFGHIJKLMNOPQRSTUVWX&x=y", "a)/?x=y");
    check("http://a/?CFID=14475712&CFTOKEN=2D89F5AF-3048&r=4&m=f", "a)/?m=f&r=4");
    check("http://a/?cfid=&cftoken=1", "a)/?cfid=&cftoken=1");
    let id = &session[..24];
    check(&format!("http://a/({id})/b.aspx?c"), "a)/b.aspx?c");
    check(&format!("http://a/x/(a({id})S({id}))/b/c.ASPX;d"), "a)/x/b/c.aspx;d");
    check(&format!("http://a/({id})/.aspx"), &format!("a)/({id})/.aspx"));
    check(&format!("http://a/({id})/b.asp"), &format!("a)/({id})/b.asp"));
}

/// Texts in which a removal, or an escape, could be searched again and again.
#[test]
fn keys_of_long_urls_take_linear_time() {
    let n = if cfg!(miri) { 100 } else { 200_000 };
    for part in ["%25", "%", "cfid=1", "cfid=1&", "sid=", "(", "/(", "/..", "/.aspx", "www1.", "&"]
    {
        for start in ["http://", "http://a/", "http://a/?"] {
            let url = format!("{start}{}", part.repeat(n));
            assert!(surt_key(&url).is_none_or(|key| key.len() <= 3 * url.len()));
        }
    }
}
