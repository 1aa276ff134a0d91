//! Kinds of input that are read on request only: server-side includes, modules.

use super::{Shape, between, counted, flood};

pub(super) const INCLUDES: &[Shape] = &[
    ("includes", |n| flood("<!--#include virtual=\"/x\" -->\n", n)),
    ("includes never closed", |n| flood("<!--#include ", n)),
    ("attributes of an include", |n| between("<!--#include ", "virtual=x ", "-->", n)),
    ("equals signs in an include", |n| between("<!--#include ", "=", "-->", n)),
    ("quotes in an include", |n| between("<!--#include virtual=\"", "\\\"", "\" -->", n)),
    ("includes in bogus comments", |n| flood("<!#include virtual=x><?<!--#x>", n)),
    ("bogus comments never closed", |n| between("", "<!# <!--#", "-->", n)),
];

pub(super) const MODULES: &[Shape] = &[
    ("imports", |n| flood("import x from './x';\n", n)),
    ("imports of names", |n| counted("", |idx| format!("import 'n{idx}';"), "", n)),
    ("calls of import", |n| flood("import('./x');", n)),
    ("calls of import in each other", |n| flood("import(", n)),
    ("slashes", |n| between("import './x';", "/", "", n)),
    ("divisions", |n| between("import './x';a", "/a", "", n)),
    ("regular expressions", |n| between("import './x';", "/[/]/;", "", n)),
    ("classes of a regular expression", |n| between("import './x';a = /", "[", "", n)),
    ("backticks", |n| between("import './x';", "`", "", n)),
    ("templates in templates", |n| between("import './x';", "`${", "", n)),
    ("holes of a template", |n| between("import './x';`", "${a}", "`", n)),
    ("a template never closed", |n| between("import './x';`", "$\\", "", n)),
    ("comments", |n| between("import './x';", "/**/", "", n)),
    ("comments of a line", |n| between("import './x';", "//\u{2028}", "", n)),
    ("a comment never closed", |n| between("import './x';", "/* ", "", n)),
    ("brackets", |n| between("import './x';", "[", "", n)),
    ("braces", |n| between("import './x';", "{", "", n)),
    ("blocks", |n| between("import './x';", "{}", "", n)),
    ("classes", |n| between("import './x';", "class ", "", n)),
    ("functions", |n| between("import './x';", "function ", "", n)),
    ("conditions", |n| between("import './x';", "a ? ", "", n)),
    ("escapes of a specifier", |n| between("import './", "\\x41", "'", n)),
    ("zeros of a specifier", |n| between("import './\\u{", "0", "41}'", n)),
    ("halves of a specifier", |n| between("import './", "\\uD83D", "'", n)),
    ("words with braces", |n| between("import './x';", "\\u{", "", n)),
    ("lists of names", |n| between("import {", "a as b,", "} from './x'", n)),
    ("words after an import", |n| between("import ", "from ", "'./x'", n)),
];
