//! What the fast engine declines, and what it does not.

use rewrite::{Engine, SkipReason};

use crate::engines::{Compared, compare, reported};

#[test]
fn what_the_fast_engine_declines() {
    let declines = |html: &str| {
        let (_, report) = reported(html.as_bytes(), Engine::Fast);
        report.skipped.iter().any(|skipped| matches!(skipped.reason, SkipReason::Declined(_)))
    };
    for html in [
        "<p>x<base href=y>",
        "<svg><p>",
        "<svg><foreignObject><a href=x>",
        "<svg></div>",
        "<frameset><style>a{b:url(c)}</style>",
        "<select><style>a{b:url(c)}</style>",
        "<template><col><style>a{b:url(c)}</style>",
        "<math><mi><a href=x>",
        "<svg><font size=1>",
    ] {
        assert!(declines(html), "{html}");
        assert_eq!(compare(html.as_bytes()), Compared::Declined, "{html}");
    }
    for html in [
        "<base href=y><p>x<base href=z>",
        "<title>x</title><meta charset=utf-8><base href=y>",
        "<svg><title>x</title><desc>y</desc></svg>",
        "<svg><font><a href=x></a></font></svg>",
        "<svg><![CDATA[</svg>]]><a href=x></svg>",
        "<frameset><frame src=x><noframes><a href=y></noframes></frameset>",
        "<select><option><script>x</script></select><style>a{b:url(c)}</style>",
        "<script><!--<script></script>--></script><a href=x>",
        "<script><!--script></script><a href=x>",
        "<script><!-- a-script> </script><a href=x>",
    ] {
        assert!(!declines(html), "{html}");
        assert_eq!(compare(html.as_bytes()), Compared::Agree, "{html}");
    }
}
