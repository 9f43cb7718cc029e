"""Names of groups, clients and users with a special meaning in templates, shells, YAML or HTML."""

MARKER = "kafka-metal-was-here"

NAMES = (
    # Ansible's templates
    "{{ lookup('pipe', 'touch /tmp/" + MARKER + "') }}",
    "{{ 7 * 7 }}",
    "{% for x in range(9) %}x{% endfor %}",
    "{# comment #}",
    "{{",
    "}}",
    # shells and make
    "$(touch /tmp/" + MARKER + ")",
    "`touch /tmp/" + MARKER + "`",
    "; touch /tmp/" + MARKER + " #",
    "| tee /tmp/" + MARKER,
    "$(shell touch /tmp/" + MARKER + ")",
    "-rf",
    "--help",
    "a b  c",
    "'single' \"double\"",
    # YAML
    "!!python/object/apply:os.system ['touch /tmp/" + MARKER + "']",
    "a: b\n- c: d",
    "&anchor *alias",
    "# comment",
    "yes",
    "1e3",
    "null",
    "|\n  block",
    # terminals
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "over\rwritten",
    "back\b\b\b\bspace",
    "\x9b2J",
    # HTML
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "&lt;&amp;",
    # format strings and formulas
    "%s%n%d",
    "{0.__class__}",
    "$\\frac{1}{0}$",
    "$unclosed",
    "_hidden",
    "=cmd|'/c calc'!A0",
    # text direction and width
    "\u202egnp.exe",
    "\u2066isolated\u2069",
    "שלום",
    "e\u0301\u0301\u0301",
    "\u200b",
    # lengths and paths
    "x" * 249,
    "../../etc/passwd",
    ".",
    "\\",
)
