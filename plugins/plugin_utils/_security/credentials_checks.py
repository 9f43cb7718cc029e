# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Validation of specs for the store of credentials."""

from __future__ import annotations

import re
from ipaddress import ip_address

from .._declarations.problem import join_names
from .credentials_model import CaSpec, Spec
from .pki.leaf import Leaf

# Names of items, which are parts of file names and lookup terms.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
NAME_ALLOWED = "up to 64 letters, digits, dots, dashes and underscores"
# Common names that X.500 allows, without characters that must be escaped in principals.
COMMON_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 ._@-]{0,62}[A-Za-z0-9._-])?")
COMMON_NAME_ALLOWED = "up to 64 letters, digits, blanks, and . _ @ -"
LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
DNS_ALLOWED = "a host name of letters, digits and dashes between dots"
LONGEST_LEAF, LONGEST_CA = 3650, 9125
# Leaves space for the suffix with the CA's number: " G12".
LONGEST_CA_NAME = 58
# Passwords that need no escaping in JAAS, JSON, XML and properties.
PASSWORD = re.compile(r"[!#-&(-;=?-\[\]-~]{8,128}", re.ASCII)
PASSWORD_ALLOWED = (
    "8 to 128 characters of ASCII without white space, quotation marks, backslash, < and >"
)
# Its file would have the name of the CA's file.
RESERVED = "ca"


def is_address(text: str) -> bool:
    """Whether the text is an IPv4 or IPv6 address."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _error(where: str, found: object, allowed: str) -> str:
    return f"{where}: found {found}; allowed: {allowed}"


def cluster_problems(spec: Spec) -> list[str]:
    """Errors in the cluster's name and in the renewal period."""
    problems = []
    if not NAME.fullmatch(spec.cluster):
        problems.append(_error("cluster", repr(spec.cluster), NAME_ALLOWED))
    if not 0 <= spec.renew_before_days <= LONGEST_LEAF:
        problems.append(
            _error("renew_before_days", spec.renew_before_days, f"0 to {LONGEST_LEAF} days")
        )
    return problems


def ca_problems(ca: CaSpec) -> list[str]:
    """Errors in the files and the name of the CA."""
    problems = []
    if not COMMON_NAME.fullmatch(ca.common_name) or len(ca.common_name) > LONGEST_CA_NAME:
        allowed = f"at most {LONGEST_CA_NAME} of: letters, digits, blanks, and . _ @ -"
        problems.append(_error("ca: common_name", repr(ca.common_name), allowed))
    if not 1 <= ca.days <= LONGEST_CA:
        problems.append(_error("ca: days", ca.days, f"1 to {LONGEST_CA}"))
    pair = (ca.certificate_file, ca.key_file)
    if any(pair) and not all(pair):
        only = "certificate_file" if ca.certificate_file else "key_file"
        problems.append(_error("ca", f"only {only}", "certificate_file and key_file together"))
    if any(pair) and ca.directory:
        wanted = "either the CA in files, or ready-made certificates in a directory"
        found = "certificate_file or key_file in addition to directory"
        problems.append(_error("ca", found, wanted))
    return problems


def certificate_problems(spec: Spec) -> list[str]:
    """Errors in names, addresses and validity periods of certificates."""
    problems = _names("certificates", [leaf.name for leaf in spec.leaves])
    for leaf in spec.leaves:
        where = f"certificates: {leaf.name}"
        if leaf.name == RESERVED:
            problems.append(_error(where, "the name of the CA", "another name"))
        if not COMMON_NAME.fullmatch(leaf.common_name):
            found = repr(leaf.common_name)
            problems.append(_error(f"{where}: common_name", found, COMMON_NAME_ALLOWED))
        problems += _host_problems(where, leaf)
        if not 1 <= leaf.days <= LONGEST_LEAF:
            problems.append(_error(f"{where}: days", leaf.days, f"1 to {LONGEST_LEAF}"))
    return problems


def _host_problems(where: str, leaf: Leaf) -> list[str]:
    problems = [
        _error(f"{where}: dns", repr(name), wanted)
        for name in leaf.dns
        if (wanted := _allowed_instead(name))
    ]
    problems += [
        _error(f"{where}: ips", repr(each), "an address of IPv4 or IPv6, without a prefix length")
        for each in leaf.ips
        if not is_address(each)
    ]
    if not leaf.usages:
        problems.append(_error(f"{where}: usages", "none", "server, client or both"))
    if "server" in leaf.usages and not leaf.dns and not leaf.ips:
        wanted = "at least one of dns or ips: clients compare it with the address they connect to"
        problems.append(_error(where, "a server without a name", wanted))
    return problems


def _allowed_instead(name: str) -> str:
    """What is allowed instead of an invalid host name; empty for a valid one."""
    if is_address(name):
        return "addresses under ips"
    labels = name.removeprefix("*.").split(".")
    if len(name) <= 253 and all(LABEL.fullmatch(label) for label in labels):
        return ""
    if not name.isascii():
        return f"{DNS_ALLOWED}; other letters as xn--..."
    return DNS_ALLOWED


def _names(where: str, names: list[str]) -> list[str]:
    problems = [
        _error(where, f"the name {name!r}", NAME_ALLOWED)
        for name in names
        if not NAME.fullmatch(name)
    ]
    repeated = {name for name in names if names.count(name) > 1}
    return problems + [
        _error(where, f"{name} twice", "each name once") for name in sorted(repeated)
    ]


def password_problems(spec: Spec) -> list[str]:
    """Errors in names and provided values of passwords."""
    problems = _names("passwords", list(spec.passwords))
    for name, value in spec.provided_passwords.items():
        if name not in spec.passwords:
            known = join_names(spec.passwords) or "nothing, passwords is empty"
            problems.append(_error("provided_passwords", name, f"names of passwords: {known}"))
        # The message must not contain the value.
        if not PASSWORD.fullmatch(value):
            found = "a value with other characters or of another length"
            problems.append(_error(f"provided_passwords: {name}", found, PASSWORD_ALLOWED))
    return problems


def rotation_problems(spec: Spec) -> list[str]:
    """Errors in the phase or the names of a rotation."""
    problems = []
    if (spec.rotate in ("ca", "quorum")) != bool(spec.phase):
        problems.append(
            _error(
                "phase",
                f"{spec.phase or 'none'} with rotate: {spec.rotate}",
                "trust, issue, drop or replace with rotate: ca, the first three with rotate: "
                "quorum, and none with other rotations",
            )
        )
    if spec.rotate == "quorum" and spec.phase == "replace":
        problems.append(_error("phase", "replace with rotate: quorum", "trust, issue or drop"))
    declared = {
        "certificates": {leaf.name for leaf in spec.leaves},
        "passwords": set(spec.passwords),
    }.get(spec.rotate, set())
    if unknown := set(spec.names) - declared:
        wanted = join_names(declared) or f"no names with rotate: {spec.rotate}"
        problems.append(_error("names", join_names(unknown), wanted))
    if spec.rotate == "passwords":
        problems += [
            _error("names", name, "a new value in provided_passwords")
            for name in sorted(spec.provided_passwords.keys() & spec.names)
        ]
    if spec.ca.directory and spec.rotate == "certificates":
        problems.append(_error("rotate", "certificates", f"new files in {spec.ca.directory}"))
    if spec.ca.directory and spec.rotate == "ca" and spec.phase == "issue":
        wanted = "the phase trust or drop: certificates come from ca.directory"
        problems.append(_error("phase", "issue", wanted))
    return problems
