# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Removes secrets from texts of a support archive.

A text is a log or a file. A blank ends a value, except in quotes and before the host of a URL, and
the rest of the line stays. hide_passwords of the declarations' package is for a single value.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any
from urllib.parse import quote

REMOVED = "<removed>"

# Names of secrets, before a value in any notation.
_NAMES = (
    "password|passwd|passphrase|passcode|pwd|secret|token|credential|api[_-]?key|access[_-]?key"
    "|private[_-]?key|routing[_-]?key|service[_-]?key|shared[_-]?key|account[_-]?key|api[_-]?url"
    "|webhook|session[_-]?id|cookie|signature"
    # Words that others contain: bypass, design.
    "|(?<![A-Za-z])(?:pass|sig)(?![A-Za-z])|(?-i:(?<=[a-z])Pass(?![a-z]))"
)
# Names are short: the bound keeps the search linear in long words, such as a line of base64.
# A class of errors is none: InvalidTokenException.
_BARE = rf"[\w.-]{{0,48}}?(?:{_NAMES})[\w.-]{{0,48}}(?<!Exception)(?<!Error)"
_SECRET_NAME = rf"(?<![\w.-]){_BARE}"
# Quotes between a name and its value: plain, escaped once or more (JSON in JSON), or of HTML.
_QUOTE = r"(?:\\*[\"']|&quot;|&#39;)"
# Users in front of a password, if the text has no scheme. Names of schemes and of what is no user
# are excluded: jdbc:oracle:thin:@host:1521 has no password, mailto:ops@host is an address, and
# T12:30@host is a time.
_NO_USER = r"(?!(?:\w*jdbc|oracle|thin|oci8?|mailto|sips?|xmpp|user|group|pkg|urn|t\d\d)\b)"
_USER = rf"(?i:{_NO_USER})[A-Za-z_][\w.+-]{{0,63}}:"
# A port in place of a password.
_PORT = r"(?!\d{1,5}(?:[/?#,;\s]|$))"
# A password before a host. The digest of an image follows an @, too.
_PASSWORD = r"(?!//)[^\s\"'<>]{1,128}@(?!sha\d+:)"
# Rules for several lines.
_BLOCKS = (
    # Whole private keys; JSON has their line feeds escaped.
    (
        re.compile(r"-----BEGIN ([A-Z ]*PRIVATE KEY)-----.*?(?:-----END \1-----|\Z)", re.DOTALL),
        REMOVED,
    ),
    # A block scalar of YAML: one or more lines with deeper indentation.
    (
        re.compile(
            rf"(?im)^([^\S\n]*)((?:- )?{_SECRET_NAME}\s*:\s*[|>][+-]?\d*)\n((?:\1\s+\S.*\n?)+)"
        ),
        rf"\1\2\n\1  {REMOVED}\n",
    ),
)
# Rules for one line; only lines that match this pattern are checked.
_SIGNS = re.compile(
    rf"(?i){_NAMES}|authorization|identified|://|oracle:|\beyJ|\bxox|\bA[KS]IA|\bgh[opsu]_"
    r"|(?:-u|--user)[ =]|\b(?:thin|oci8?):|proxy|@[\w.-]{1,253}:\d"
)
_RULES = (
    # <password>value</password>, and <property name="password" value="value"/>.
    (re.compile(rf"(?i)(<(?:\w+:)?{_SECRET_NAME}(?:\s[^>]{{0,256}})?>)[^<]+"), rf"\1{REMOVED}"),
    (re.compile(rf'(?i)(name="{_SECRET_NAME}"\s+value=")[^"]*'), rf"\1{REMOVED}"),
    # name: [value, value].
    (re.compile(rf"(?i)({_SECRET_NAME}{_QUOTE}?\s*(?:[:=]>?)\s*\[)[^\]]*"), rf"\1{REMOVED}"),
    # "name": "value", 'name': 'value', name="value", escaped or not, to the end of quote or line.
    (
        re.compile(rf"(?i)({_SECRET_NAME}{_QUOTE}?\s*(?:[:=]>?|,)\s*({_QUOTE}))((?:(?!\2)[^\n])*)"),
        rf"\1{REMOVED}",
    ),
    # &password=value of a URL, up to the next parameter: it may contain brackets and commas.
    (re.compile(rf"(?i)([;?&]{_BARE}=)(?!\{{)[^\s;&\"'<>\\]+"), rf"\1{REMOVED}"),
    # name=value, name: value, name => value to the end of the word; %3D is an equals sign in a
    # URL. The rules above cover quoted values.
    (
        re.compile(
            rf"(?i)({_SECRET_NAME}{_QUOTE}?\s*(?:=>|[:=]|%3D)\s*)"
            rf"(?![\"'\\<{{\[|>]|&quot;|&#39;|[:=])([^\s,;\"'&}})\]]+)"
        ),
        rf"\1{REMOVED}",
    ),
    # --password value, -Dpassword value; "password value" of netrc.
    (re.compile(rf"(?i)((?:(?<![\w-])--?|\blogin \S+ ){_BARE}\s+)(?![-<])(\S+)"), rf"\1{REMOVED}"),
    (re.compile(r"(?i)(\bidentified (?:by|with \S+ by)\s+')[^']*"), rf"\1{REMOVED}"),
    # curl -u user:password, --user user:password.
    (re.compile(r"((?:^|\s)(?:-u|--user)[ =][\"']?[^\s:]+:)[^\s\"']+"), rf"\1{REMOVED}"),
    # ;password={value} of SQL Server, where }} is one brace. Bounds keep the search linear.
    (
        re.compile(rf"(?i)([;?&]\s{{0,8}}{_BARE}=\{{)(?:[^}}]|\}}\}}){{0,256}}\}}"),
        rf"\1{REMOVED}}}",
    ),
    # user/password@ of Oracle, whose driver may be named without jdbc:oracle. A quoted password may
    # have blanks, / and @; a line that is cut off has no closing quote.
    (
        re.compile(
            r"(?i)((?:\boracle:\w{1,32}:|\b(?:thin|oci8?):)"
            r"(?:\\*\"[^\"\n]{1,128}\"|[^\s/:@]{1,128})/)"
            r"(?:(\\*\"|&quot;|&#34;)(?:(?!\2)[^\n]){1,1024}(?:\2@|$)|[^\s@]{1,256}@)"
        ),
        rf"\1{REMOVED}@",
    ),
    # A token as the user of a URL, with or without a password.
    (re.compile(r"(?i)((?:https?|wss?|nats)://)[^\s/@?#\[\"'<>]{1,256}@"), rf"\1{REMOVED}@"),
    # user:password@ of a URL, with blanks in the password. In a sentence an address may follow a
    # URL: so the host needs a port, a path or a quote behind it, unless the URL has no user.
    (
        re.compile(
            r"(\w://(?:(?P<only>:)|(?!\[)[^\s/:@]{1,128}:))(?!\d{1,5}(?:\W|$))"
            r"(?=[^\s\"'<>]{1,128}[^\S\n])(?:(?!://)[^\"'<>\n]){1,128}?@(?:[^\s\"'<>]{0,128}@)?"
            r"(?=[\w.-]{1,253}(?:[/?\"']|:\d)|\[[\da-f:]|(?(only)\w|(?!)))"
        ),
        rf"\1{REMOVED}@",
    ),
    # user:password@ of a URL. A password that is not encoded may contain / and @; a port is none.
    (
        re.compile(
            rf"(\w://(?!\[)[^\s/:@]{{0,128}}:){_PORT}[^\s\"'<>]{{1,256}}@(?!sha\d+:)"
        ),
        rf"\1{REMOVED}@",
    ),
    # user:password@host:port without a scheme; without a port after the name of an address.
    (
        re.compile(
            rf"(?<![\w./:@%+$-])({_USER}){_PORT}(?!\S{{0,128}}://){_PASSWORD}"
            r"(?=(?:[\w.-]{1,253}|\[[\da-fA-F:]{2,45}\]):\d{1,5}(?!\w))"
        ),
        rf"\1{REMOVED}@",
    ),
    (
        re.compile(
            rf"(?i)((?:proxy|ur[il]|dsn|servers?|endpoints?){_QUOTE}?\s{{0,8}}[:=]\s{{0,8}}"
            rf"{_QUOTE}?{_USER}){_PORT}{_PASSWORD}(?=[\w\[])"
        ),
        rf"\1{REMOVED}@",
    ),
    # The path of a webhook is its secret.
    (re.compile(r"(https?://hooks\.[\w.-]+/)[^\s\"'<>]+"), rf"\1{REMOVED}"),
    (re.compile(r"(https?://[\w.-]{0,128}?pagerduty[\w.-]{0,128}/\S{0,256}?/)[0-9a-f]{20,}"),
     rf"\1{REMOVED}"),
    (re.compile(r"(?i)((?:proxy-)?authorization\W{1,6}(?:basic|bearer|token)\s+)[\w.~+/=-]+"),
     rf"\1{REMOVED}"),
    # Tokens with a known prefix: JWT, Slack, cloud keys, code hosting.
    (re.compile(r"(?<![\w-])(?:[\w-]{0,64}-)?eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"), REMOVED),
    (re.compile(r"\bxox[abprs]-[\w-]{8,}"), REMOVED),
    (re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"), REMOVED),
    (re.compile(r"\bgh[opsu]_\w{20,}"), REMOVED),
)  # fmt: skip
# A line of a PEM key.
_PEM_LINE = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{8,64}={0,2}(?![A-Za-z0-9+/=])")
# Keys of a receiver whose values are secrets, including the URL of a webhook.
_NAMED = re.compile(rf"(?i){_SECRET_NAME}|url")
# Characters; shorter secrets occur by chance in any text.
_SHORTEST = 6


def redact(text: str, secrets: Collection[str] = ()) -> str:
    """Return the text without values that look like secrets and without the known ``secrets``.

    Known secrets are removed everywhere, also in base64 and URL encoding. Those of fewer than six
    characters are removed only after the name of a secret. A secret of several lines, such as a
    key, is removed line by line.
    """
    known = {form for secret in secrets for form in encoded_forms(secret)}
    for form in sorted(known, key=len, reverse=True):
        text = text.replace(form, REMOVED)
    keys = {line for secret in secrets for line in secret.splitlines()[1:-1]}
    if keys:
        text = _PEM_LINE.sub(lambda found: REMOVED if found[0] in keys else found[0], text)
    for pattern, replacement in _BLOCKS:
        text = pattern.sub(replacement, text)
    return "".join(
        _redact_line(line) if _SIGNS.search(line) else line
        for line in text.splitlines(keepends=True)
    )


def _redact_line(text: str) -> str:
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text


def find_secrets(value: Any) -> Iterator[str]:
    """Texts of a nested value whose key names a secret, such as those of receivers."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            if isinstance(each, str) and _NAMED.fullmatch(str(name)):
                yield each
            else:
                yield from find_secrets(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from find_secrets(each)


def encoded_forms(secret: str) -> Iterator[str]:
    """A one-line secret in the encodings that texts may have."""
    if len(secret) < _SHORTEST or "\n" in secret:
        return
    yield secret
    yield quote(secret, safe="")
    raw = secret.encode()
    yield base64.b64encode(raw).decode().rstrip("=")
    yield base64.urlsafe_b64encode(raw).decode().rstrip("=")
    # After other text the bits of base64 are shifted: use the part that does not depend on it.
    for before in (1, 2):
        shifted = base64.b64encode(b"\0" * before + raw).decode().rstrip("=")
        if len(shifted) > _SHORTEST + 8:
            yield shifted[4:-4]
