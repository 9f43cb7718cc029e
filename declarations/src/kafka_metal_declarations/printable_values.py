"""Values of a declaration as texts for messages, without secrets.

The redaction of support archives is for logs, where a blank ends a value. It runs on hosts, which
do not have this package.
"""

import re

from kafka_metal_declarations.option_names import STORES, normalise_name

# Maximum characters of a value in a message.
LONGEST = 400
# Spark's own pattern of names and values that it hides, spark.redaction.regex, and keys of storage.
SECRET = re.compile(r"secret|password|token|access[.]?key|credential|[.]key\b", re.IGNORECASE)
HIDDEN = "<hidden>"
# Names of secrets. The last ones are parts of other words, such as bypass and design.
_NAME = (
    r"(?:(?:secret|passw|pwd|passphrase|passcode|token|credential|signature|authorization"
    r"|(?:access|account|api|private|shared)[._-]?key)[\w.-]{0,48}"
    r"|(?<![a-z])(?:pass|sig)(?![a-z])|(?-i:(?<=[a-z])Pass(?![a-z])))"
)
# password=x in a URL. SQL Server has values with semicolons in braces, where }} is one brace. A
# value without the last brace ends with the text: so each character is searched once.
_PARAMETER = re.compile(
    rf"({_NAME}(?:=(?!>)|%3D))(?:\{{(?:[^}}]|\}}\}})*(?:\}}|\Z)|[^&;]*)", re.IGNORECASE
)
# password: x, and "password": "x y", up to the end of the word or quote. An error's class is none.
_FIELD = re.compile(
    rf"({_NAME}(?<!Exception)(?<!Error)\\*[\"']?\s{{0,8}}(?:=>|[:=])\s{{0,8}})"
    r"(?:(\\*[\"'])(?:(?!\2)[^\n])+"
    r"|(?:(?:basic|bearer|token)\s+)?[^\s\"'<,;&})\]\\]+)",
    re.IGNORECASE,
)
# Begin of a URL up to its user, as jdbc:postgresql:// or oracle:. Repetitions are bounded: a text
# may be long and without spaces, such as the value of a record in an error.
_WORD = r"[A-Za-z][\w+.-]{0,48}:"
_SCHEME = re.compile(rf"(?:{_WORD}){{1,8}}//|{_WORD}")
# An image's digest follows an @, too.
_HOST = r"@(?!sha\d+:)"
# Oracle's user/"password"@ in any text: a quoted password may have blanks, / and @.
_ORACLE = re.compile(
    rf"\b((?:{_WORD}){{0,4}}(?:oracle|thin|oci8?):(?:\w{{1,32}}:)?)"
    r"(?:\\*\"[^\"\n]{1,128}\"|[^\s/@\"]{1,128})/\\*\"[^\"\n]{1,1024}\"@",
    re.IGNORECASE,
)
# Up to the host: a text that is one URL, which may have spaces if it is invalid, or a word.
_USER = re.compile(
    rf"\A(?:{_SCHEME.pattern})(?=\S).*{_HOST}|(?<![^\s'\"])[^\s'\"]+{_HOST}", re.DOTALL
)


def hide_passwords(text: str) -> str:
    """Return a text without users and passwords of URLs, and without values of secrets' names."""
    # Quotes first: they may contain anything. Then the parameters: a password may contain an @.
    text = _ORACLE.sub(rf"\1{HIDDEN}@", text)
    for pattern in (_PARAMETER, _FIELD):
        text = pattern.sub(_hide_value, text)
    return _USER.sub(_hide_user, text)


def _hide_value(found: re.Match[str]) -> str:
    quote = found[2] or "" if found.re is _FIELD else ""
    return f"{found[1]}{quote}{HIDDEN}"


def _hide_user(found: re.Match[str]) -> str:
    scheme = _SCHEME.search(found[0])
    return f"{found[0][: scheme.end()]}{HIDDEN}@" if scheme else found[0]


def format_value(value: object) -> str:
    """Return a value for a message, shortened and without passwords of URLs."""
    try:
        text = value if isinstance(value, str) and value else repr(value)
    except ValueError:
        # Python refuses to format huge integers.
        return "a number of thousands of digits"
    text = hide_passwords(text)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def printable_value(option: str, value: object) -> str:
    """Return the value of an option for a message, or that it is hidden.

    Hidden are values of ``ssl.*`` and ``sasl.*``, and those that look like a secret.
    """
    name, text = normalise_name(option), format_value(value)
    is_security = name.startswith(("ssl.", "sasl.")) and name not in STORES
    hidden = is_security or SECRET.search(name) or SECRET.search(text)
    return "a hidden value" if hidden else text
