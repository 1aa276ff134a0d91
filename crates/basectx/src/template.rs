//! Templates: values that are filled in when their document is served.

/// Returns true if a value is a template, which is filled in when the document is served: if it
/// contains a mark that a template engine replaces.
///
/// The marks are `{{` (Mustache, Handlebars, Jinja, Liquid, Go, Angular, Vue), `${` (JSP,
/// FreeMarker, Thymeleaf, template literals), `<%` (ASP, JSP, ERB, EJS), `<?` (PHP) and `<!--`
/// (server-side includes). No closing mark is required: an engine reads the bytes of the file,
/// where a quote inside its code (`{{ relURL "x" }}`) ends the attribute value for everybody else.
/// Marks that URLs may contain too count with their closing ones: `{% … %}` (Django, Jinja, Twig,
/// Liquid; also `{%` and a blank), `[[ … ]]` (Thymeleaf, Polymer), `#{name}` (Ruby, Pug, JSF) and
/// `@{…}` at the start (Thymeleaf, Razor). `%s`, `<!` and a single `{` are part of URLs that
/// browsers follow, and no engine replaces them.
///
/// # Examples
///
/// ```
/// use basectx::is_template;
///
/// assert!(is_template("{{ root }}/a") && is_template("<?= $url ?>"));
/// assert!(is_template("{% url 'home' %}") && is_template("[[root]]/a") && is_template("/#{id}"));
/// assert!(!is_template("a{b}%s") && !is_template("a{%20b}") && !is_template("#{\"a\":1}"));
/// ```
#[inline]
pub fn is_template(value: &str) -> bool {
    // Most values contain neither of these characters.
    layers::find_byte(value.as_bytes(), [b'{', b'<', b'[']).is_some() && contains_mark(value)
}

#[cold]
fn contains_mark(value: &str) -> bool {
    let mut pairs = value.as_bytes().windows(2);
    pairs.any(|pair| matches!(pair, b"{{" | b"${" | b"<%" | b"<?"))
        || value.contains("<!--")
        || contains_pair_of_marks(value)
}

/// Returns true if a value contains marks that count only with their closing ones.
fn contains_pair_of_marks(value: &str) -> bool {
    let after = |mark: &str| value.split_once(mark).map(|(_, rest)| rest);
    let is_tag = |rest: &str| {
        let code = rest.strip_prefix(['-', '+', '~']).unwrap_or(rest);
        code.starts_with(char::is_whitespace) || rest.contains("%}")
    };
    let is_name = |rest: &str| {
        let name = rest.split_once('}').map_or("", |(name, _)| name.trim());
        let is_part = |char: char| char.is_ascii_alphanumeric() || "_.@$()[]".contains(char);
        name.starts_with(|char: char| char.is_ascii_alphabetic() || "_@$".contains(char))
            && name.chars().all(is_part)
    };
    after("{%").is_some_and(is_tag)
        || after("[[").is_some_and(|rest| rest.contains("]]"))
        || after("#{").is_some_and(is_name)
        || value.trim_start().strip_prefix("@{").is_some_and(|rest| rest.contains('}'))
}
