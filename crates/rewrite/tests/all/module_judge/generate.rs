//! Generated modules whose specifiers are known by construction, with slashes, quotes and brackets
//! in positions that are hard to read.

/// A generator of numbers (xorshift), so that a seed is a script.
pub(crate) struct Script {
    state: u64,
    pub(crate) text: String,
    /// The specifiers of static declarations, in order, including names.
    pub(crate) statics: Vec<String>,
    /// All specifiers that are URLs, in order.
    pub(crate) urls: Vec<String>,
    n_names: usize,
}

/// Texts of comments and strings that would be read as code if a parser lost track of their ends.
const LURES: &[&str] = &[
    "import './no'",
    "export * from './no'",
    "/",
    "//",
    "/*",
    "*/",
    "`",
    "${",
    "}",
    "(",
    "{",
    "import('./no')",
    "é",
    "</script",
];
const REGEXES: &[&str] = &[
    "/'/",
    "/\"/g",
    "/[/'\"`]/u",
    "/\\/'/",
    "/`${/",
    "/[\\]/]/",
    "/(?:)/",
    "/{'}/",
    "/\\(['(]/",
    "/=\"/",
    "/[(]/y",
    "/\\[/",
    "/import '.\\/no'/",
];
const OPERATORS: &[&str] = &[
    " / ",
    "/",
    " /\n",
    "\n/ ",
    "+",
    " in ",
    " instanceof ",
    " || ",
    "&&",
    " % ",
    "/* ' */ / /* \" */",
    "<",
    " > ",
    "===",
    "\n+",
];

impl Script {
    pub(crate) fn new(seed: u64) -> Script {
        let state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut script = Script {
            state,
            text: String::new(),
            statics: Vec::new(),
            urls: Vec::new(),
            n_names: 0,
        };
        if script.below(20) == 0 {
            script.text.push_str("#!/usr/bin/env './no'\n");
        }
        for _ in 0..2 + script.below(8) {
            script.top_level();
        }
        script
    }

    fn below(&mut self, n: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from((self.state >> 20) % n as u64).expect("it is small")
    }

    fn pick(&mut self, list: &'static [&'static str]) -> &'static str {
        list[self.below(list.len())]
    }

    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn name(&mut self) -> String {
        self.n_names += 1;
        let word = self.pick(&[
            "a", "from", "of", "as", "get", "async", "$", "_", "é", "imports", "set", "target",
            "meta",
        ]);
        format!("{word}{}", self.n_names)
    }

    /// Writes white space, comments, or nothing.
    fn space(&mut self) {
        match self.below(8) {
            0 => self.put(" "),
            1 => self.put("\n"),
            2 => {
                let lure = self.pick(LURES).replace("*/", "");
                self.put(&format!("/* {lure} */"));
            }
            3 => {
                let lure = self.pick(LURES);
                self.put(&format!(" // {lure}\n"));
            }
            _ => {}
        }
    }

    /// Writes a specifier between quotes; sometimes a name, and sometimes with escapes.
    fn specifier(&mut self, is_static: bool) {
        self.n_names += 1;
        let number = self.n_names;
        let (written, read) = match self.below(8) {
            0 => (format!("name{number}"), format!("name{number}")),
            1 => (format!("../up/{number}.js"), format!("../up/{number}.js")),
            2 => (format!("/{number}?a=b"), format!("/{number}?a=b")),
            3 => (format!("https://h/{number}"), format!("https://h/{number}")),
            4 => (format!("\\x2e/{number}\\u{{2f}}"), format!("./{number}/")),
            5 => (format!("./\\'{number}"), format!("./'{number}")),
            _ => (format!("./{number}"), format!("./{number}")),
        };
        let quote = if self.below(2) == 0 { '"' } else { '\'' };
        self.text.push(quote);
        self.put(&written);
        self.text.push(quote);
        if !read.starts_with("name") {
            self.urls.push(read.clone());
        }
        if is_static {
            self.statics.push(read);
        }
    }

    fn top_level(&mut self) {
        match self.below(9) {
            0 => {
                self.put("import");
                self.space();
                self.specifier(true);
                self.end();
            }
            1 | 2 => {
                let (a, b) = (self.name(), self.name());
                let clause = match self.below(5) {
                    0 => format!(" {a} "),
                    1 => format!("*as {a} "),
                    2 => format!("{{{a},default as {b}}}"),
                    3 => format!(" {a},{{'x y'as {b},}}"),
                    _ => format!(" {a},* as {b} "),
                };
                self.put(&format!("import{clause}"));
                self.space();
                self.put("from");
                self.space();
                self.specifier(true);
                if self.below(4) == 0 {
                    self.put("with{type:'json'}");
                }
                self.end();
            }
            3 => {
                let a = self.name();
                let clause = match self.below(3) {
                    0 => "*".to_owned(),
                    1 => format!("*as {a} "),
                    _ => format!("{{x as {a}}}"),
                };
                self.put(&format!("export{clause}from"));
                self.space();
                self.specifier(true);
                self.end();
            }
            4 => {
                let a = self.name();
                self.put(&format!("export const {a}="));
                self.expression(3);
                self.put(";");
            }
            _ => self.statement(3),
        }
    }

    fn end(&mut self) {
        let end = self.pick(&[";", "\n", ";\n", "\n\n"]);
        self.put(end);
    }

    fn block(&mut self, depth: usize) {
        self.put("{");
        for _ in 0..self.below(3) {
            self.statement(depth);
        }
        self.put("}");
    }

    /// Writes the body of an `if` or a loop, which cannot be a declaration.
    fn body(&mut self, depth: usize) {
        if self.below(2) == 0 {
            return self.block(depth);
        }
        let a = self.name();
        self.put(&format!("{a}="));
        self.expression(depth);
        self.put(";");
    }

    /// Writes a statement, after which another may follow, even one that begins with a regular
    /// expression.
    fn statement(&mut self, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else {
            let regex = self.pick(REGEXES);
            self.put(&format!("{regex}.test(b);"));
            return;
        };
        let a = self.name();
        match self.below(17) {
            0 => {
                self.put("if(");
                self.expression(depth);
                self.put(")");
                self.body(depth);
                if self.below(2) == 0 {
                    self.put("else ");
                    self.body(depth);
                }
            }
            1 => self.block(depth),
            2 => {
                self.put(&format!("function {a}(b={{}})"));
                self.block(depth);
            }
            3 => {
                self.put(&format!("async function*{a}()"));
                self.put("{yield/'/;await/\"/;");
                self.statement(depth);
                self.put("}");
            }
            4 => {
                self.put(&format!("class {a} extends "));
                match self.below(3) {
                    0 => self.put("class{}"),
                    1 => self.put("function(a=/'/){}"),
                    _ => {
                        self.put("(");
                        self.expression(depth);
                        self.put(")");
                    }
                }
                self.class_body(depth);
            }
            5 => {
                self.put(&format!("for(const {a} of "));
                self.expression(depth);
                self.put(")");
                self.body(depth);
            }
            6 => {
                self.put("while(");
                self.expression(depth);
                self.put(")");
                self.block(depth);
            }
            7 => {
                self.put("do ");
                self.body(depth);
                self.put("while(");
                self.expression(depth);
                self.put(")");
            }
            8 => {
                self.put("switch(");
                self.expression(depth);
                self.put("){case ");
                self.expression(depth);
                self.put(":");
                self.statement(depth);
                self.put("default:");
                self.statement(depth);
                self.put("}");
            }
            9 => {
                self.put("try");
                self.block(depth);
                let tail = self.pick(&["catch", "catch(e)", "finally"]);
                self.put(tail);
                self.block(depth);
            }
            10 => {
                self.put(&format!("{a}:"));
                self.block(depth);
            }
            11 => {
                self.put(&format!("let {a}="));
                self.expression(depth);
                self.put(";");
            }
            12 => {
                self.put(&format!("for(let {a}="));
                self.operand(depth);
                self.put(";;)");
                self.put("{break\n/'/;continue;}");
            }
            13 => {
                self.put("(function(){return");
                if self.below(2) == 0 {
                    self.put("\n/'/;");
                } else {
                    self.put("(");
                    self.expression(depth);
                    self.put(")");
                }
                self.put("})();");
            }
            _ => {
                // A statement cannot begin with an object or function expression.
                self.put(&format!("{a}="));
                self.expression(depth);
                self.put(";");
            }
        }
        self.space();
    }

    fn class_body(&mut self, depth: usize) {
        self.put("{");
        let (a, b) = (self.name(), self.name());
        if self.below(2) == 0 {
            self.put(&format!("static #{a}="));
            self.expression(depth);
            self.put(";");
        }
        if self.below(2) == 0 {
            self.put("static");
            self.block(depth);
        }
        if self.below(2) == 0 {
            self.put(&format!("get {b}()"));
            self.block(depth);
        }
        self.put("['x'](){}if(a){}}");
    }

    fn expression(&mut self, depth: usize) {
        self.operand(depth);
        for _ in 0..self.below(3) {
            let operator = self.pick(OPERATORS);
            self.put(operator);
            // `//` would be a comment.
            self.put(" ");
            self.operand(depth);
        }
        if self.below(6) == 0 {
            self.put("?");
            self.operand(depth);
            self.put(":");
            self.operand(depth);
        }
    }

    fn operand(&mut self, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else {
            let plain = self.pick(&[
                "a",
                "this",
                "1",
                "1.",
                ".5",
                "0x1e",
                "1e+5",
                "1n",
                "null",
                "a.in",
                "a?.return",
                "a.if(b)",
                "[]",
                "(a)",
                "a++",
                "new.target1",
                "import.meta",
                "a[0]",
            ]);
            let plain = plain.replace("new.target1", "new Foo");
            self.put(&plain);
            return;
        };
        let name = self.name();
        match self.below(17) {
            0 | 1 => {
                let regex = self.pick(REGEXES);
                self.put(regex);
            }
            2 => {
                let lure = self.pick(LURES).replace('\'', "\\'");
                self.put(&format!("'{lure}\\\n\\\\'"));
            }
            3 => {
                let lure = self.pick(LURES);
                self.put(&format!("\"{lure}\""));
            }
            4 => {
                let lure = self.pick(LURES).replace('`', "\\`").replace("${", "\\${");
                self.put(&format!("`{lure}${{"));
                self.expression(depth);
                self.put(&format!("}}'{lure}`"));
            }
            5 => {
                self.put("{a:");
                self.expression(depth);
                self.put(&format!(",get {name}()"));
                self.block(depth);
                self.put(",if(a){},class:1,async*['x'](){},import:2,function:{}/2}");
            }
            6 => {
                self.put("function(a=/'/)");
                self.block(depth);
            }
            7 => {
                self.put("(a=>[");
                self.operand(depth);
                self.put("])");
            }
            8 => {
                self.put("((a,b)=>");
                self.block(depth);
                self.put(")");
            }
            9 => {
                self.put("class ");
                self.class_body(depth);
            }
            10 => {
                self.put("(");
                self.expression(depth);
                self.put(")");
            }
            11 => {
                self.put("[");
                self.expression(depth);
                self.put(",");
                self.expression(depth);
                self.put("]");
            }
            12 | 13 => {
                self.put("import(");
                self.space();
                self.specifier(false);
                self.space();
                self.put(")");
            }
            14 => {
                let prefix = self.pick(&["typeof ", "void ", "!", "-", "~", "delete "]);
                self.put(prefix);
                // `delete a` is an error for a name.
                self.put("/'/.b");
            }
            15 => self.put("async function(){}"),
            _ => self.operand(depth),
        }
    }
}
