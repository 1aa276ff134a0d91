//! Source maps, and the comments that name them.

use relink_rewrite::{FormatId, Outcome};

use super::{absolute, check, count};

const MAP: &str = "application/source-map+json";
const MODULES: &[&str] = &["js-modules"];

#[test]
fn comments_of_scripts() {
    let check = |script: &str, expected: &[&str]| {
        check("text/javascript", MODULES, script, expected);
    };
    let found = &["js sourceMappingURL ../a.js.map"][..];
    check("f();\n//# sourceMappingURL=../a.js.map", found);
    check("f();\r\n//@ sourceMappingURL=../a.js.map \r\n\r\n", found);
    check("f();\u{2028} //#\tsourceMappingURL=../a.js.map\n// x\n", found);
    check("//# sourceMappingURL=x\n//# sourceMappingURL=../a.js.map\n", found);
    check(
        "import './b.js';\n//# sourceMappingURL=../a.js.map",
        &["js import ./b.js", "js sourceMappingURL ../a.js.map"],
    );
    for script in [
        "//# sourceMappingURL=a\nf();",
        "f(); //# sourceMappingURL=a",
        "`\n//# sourceMappingURL=a\n`",
        "// # sourceMappingURL=a",
        "//# sourceMappingURL=a b",
        "//# sourceMappingURL=",
        "//# sourceURL=a",
    ] {
        check(script, &[]);
    }
    check(
        "//# sourceMappingURL=data:application/json;base64,e30=",
        &["js sourceMappingURL data:application/json;base64,e30="],
    );
}

#[test]
fn comments_of_style_sheets() {
    let check = |sheet: &str, expected: &[&str]| check("text/css", &[], sheet, expected);
    let found = &["css url() x", "css sourceMappingURL a.css.map"][..];
    check("a{b:url(x)}/*# sourceMappingURL=a.css.map */", found);
    check("a{b:url(x)}\n/*# sourceMappingURL=a.css.map*/\n/* end */\n", found);
    check("a{b:url(x)}/*@ sourceMappingURL=a.css.map", found);
    for sheet in [
        "/*# sourceMappingURL=a */ b{}",
        "b{c:'/*# sourceMappingURL=a */'}",
        "b{c:'/*# sourceMappingURL=a */",
        "/* # sourceMappingURL=a */",
        "/*# sourceMappingURL=a b */",
    ] {
        check(sheet, &[]);
    }
    // In HTML the base is not certain.
    super::check("text/html", &[], "<style>/*# sourceMappingURL=a */</style>", &[]);
}

#[test]
fn sources() {
    let map = "{\"version\":3,\"file\":\"a.js\",\"sources\":[\"../src/b.ts\",null,\"webpack:///c\"],\
               \"names\":[\"d\"],\"mappings\":\"AAAA\"}";
    let expected =
        ["sourcemap file a.js", "sourcemap sources ../src/b.ts", "sourcemap sources webpack:///c"];
    check(MAP, &[], map, &expected);
    assert_eq!(absolute(MAP, &[], map), map.replace("../src", "http://h/src"));
    check(MAP, &[], &map.replace("{", "{\"sourceRoot\":\"\","), &expected);
    let embedded = map.replace("\"names\":", "\"sourcesContent\":[null,\"x\"],\"names\":");
    assert_eq!(absolute(MAP, &[], &embedded), embedded);
    count(MAP, &[], &embedded, Outcome::Identifier, 3);
}

#[test]
fn with_a_root_that_is_the_reference() {
    let map = "{\"sources\":[\"a.ts\"],\"sourceRoot\":\"s\\/t\\/\"}";
    check(MAP, &[], map, &["sourcemap sourceRoot s/t/"]);
    assert_eq!(absolute(MAP, &[], map), map.replace("s\\/", "http://h/d/s\\/"));
    let map = "{\"sources\":[\"a.ts\"],\"sourceRoot\":\"s/t\"}";
    assert_eq!(absolute(MAP, &[], map), map);
    count(MAP, &[], map, Outcome::Ambiguous, 1);
}

#[test]
fn only_maps_of_scripts_and_style_sheets_are_read_by_name() {
    let map = FormatId::from_media_type(MAP);
    for name in ["a.js.map", "a.min.css.map", "x.mjs.map"] {
        assert_eq!(FormatId::from_file_name(name), map, "{name}");
    }
    for name in ["a.map", "js.map", "image.html.map"] {
        assert_eq!(FormatId::from_file_name(name), None, "{name}");
    }
    for text in ["[]", "{\"sections\":[{\"map\":{\"sources\":[\"a\"]}}]}", "{\"sources\":\"a\"}"] {
        check(MAP, &[], text, &[]);
    }
}
