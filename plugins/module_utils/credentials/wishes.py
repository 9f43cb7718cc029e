# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What an operator wishes, checked before anything is touched."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

from ..pki.leaf import Leaf
from ..preflight.problem import listed
from .options import CA

# Names of items: they are parts of file names and of lookups.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
NAME_ALLOWED = "up to 64 letters, digits, dots, dashes and underscores"
# What X.500 allows for a common name, without characters that a principal would have to escape.
COMMON_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 ._@-]{0,62}[A-Za-z0-9._-])?")
COMMON_NAME_ALLOWED = "up to 64 letters, digits, blanks, and . _ @ -"
LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
DNS_ALLOWED = "a host name of letters, digits and dashes between dots"

LONGEST_LEAF, LONGEST_CA = 3650, 9125
LIFE_OF_A_CA = CA["days"]["default"]
# The number of a CA is added to its name: " G12".
LONGEST_CA_NAME = 58

# Such a password stands in JAAS, JSON, XML and properties alike.
PASSWORD = re.compile(r"[!#-&(-;=?-\[\]-~]{8,128}", re.ASCII)
PASSWORD_ALLOWED = (
    "8 to 128 characters of ASCII without white space, quotation marks, backslash, < and >"
)
# It would be a certificate with the file name of the CA.
RESERVED = "ca"


class CredentialsError(ValueError):
    """What cannot be done, one sentence for each obstacle; nothing was touched."""

    def __init__(self, *problems: str) -> None:
        """Take the sentences."""
        super().__init__("; ".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class CaWish:
    """The CA: made here unless one of the files or the directory is given."""

    common_name: str
    days: int
    certificate_file: str = ""
    key_file: str = ""
    directory: str = ""
    trusted_file: str = ""


@dataclass(frozen=True)
class Machine:
    """What one machine has of the cluster: see metal.kafka.machine_info, C(members).

    ``asked``: whether the run reached it.
    """

    name: str = ""
    running: tuple[str, ...] = ()
    configured: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    asked: bool = True


@dataclass(frozen=True)
class Wish:
    """All of it. ``names`` narrows what is rotated; empty means everything of the kind.

    ``anew``: the cluster whose keys are given up, by name.
    """

    cluster: str
    ca: CaWish
    certificates: tuple[Leaf, ...]
    passwords: tuple[str, ...]
    given_passwords: Mapping[str, str]
    renew_before_days: int
    rotate: str
    names: tuple[str, ...]
    phase: str
    purge: bool
    machines: tuple[Machine, ...] = ()
    anew: str = ""
    # Certificates of the ensemble's quorum, and whose CA they shall be of: own or platform.
    quorum: tuple[Leaf, ...] = ()
    quorum_ca: str = "own"

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        """All certificates, whoever issues them."""
        return (*self.certificates, *self.quorum)


def wish_of(arguments: Mapping[str, Any]) -> Wish:
    """The wish in options that have their types and defaults; raises CredentialsError."""
    cluster = str(arguments["cluster"])
    wish = Wish(
        cluster=cluster,
        ca=_ca(arguments["ca"] or {}, cluster),
        certificates=_leaves(arguments["certificates"], cluster, "platform"),
        passwords=tuple(map(str, arguments["passwords"])),
        given_passwords={str(k): str(v) for k, v in arguments["given_passwords"].items()},
        renew_before_days=arguments["renew_before_days"],
        rotate=str(arguments["rotate"]),
        names=tuple(map(str, arguments["names"])),
        phase=str(arguments["phase"] or ""),
        purge=arguments["purge"],
        machines=tuple(map(_machine, arguments["machines"])),
        anew=str(arguments["anew"]),
        quorum=_leaves(arguments["certificates"], cluster, "quorum"),
        quorum_ca=str(arguments["quorum_ca"]),
    )
    problems = [
        *_cluster_problems(wish),
        *_ca_problems(wish.ca),
        *_certificate_problems(wish),
        *_password_problems(wish),
        *_rotation_problems(wish),
    ]
    if problems:
        raise CredentialsError(*problems)
    return wish


def _machine(given: Mapping[str, Any]) -> Machine:
    kinds = ("running", "configured", "roots", "data", "unread")
    return Machine(
        name=str(given["name"]),
        asked=bool(given["asked"]),
        **{kind: tuple(map(str, given[kind])) for kind in kinds},
    )


def _ca(given: Mapping[str, Any], cluster: str) -> CaWish:
    days = given.get("days")
    paths = ("certificate_file", "key_file", "directory", "trusted_file")
    return CaWish(
        common_name=str(given.get("common_name") or f"{cluster} CA"),
        days=LIFE_OF_A_CA if days is None else days,
        **{key: str(given.get(key) or "") for key in paths},
    )


def _leaves(given: Iterable[Mapping[str, Any]], cluster: str, of: str) -> tuple[Leaf, ...]:
    """The certificates that one of the two authorities issues."""
    return tuple(_leaf(each, cluster) for each in given if each["authority"] == of)


def _leaf(given: Mapping[str, Any], cluster: str) -> Leaf:
    return Leaf(
        name=str(given["name"]),
        common_name=str(given["common_name"] or given["name"]),
        organization=cluster,
        dns=_each_once(str(name).lower() for name in given["dns"]),
        ips=_each_once(map(_canonical, given["ips"])),
        usages=_each_once(map(str, given["usages"])),
        days=given["days"],
    )


def _each_once(values: Iterable[str]) -> tuple[str, ...]:
    """Without repetitions: one machine's names are often the same."""
    return tuple(dict.fromkeys(values))


def _canonical(address: Any) -> str:
    """An address in its only form; what is none stays as it is and is complained of later."""
    try:
        return str(ip_address(str(address)))
    except ValueError:
        return str(address)


def is_address(text: str) -> bool:
    """Whether it is an address of IPv4 or IPv6."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _said(where: str, found: object, wanted: str) -> str:
    return f"{where}: found {found}; wanted: {wanted}"


def _cluster_problems(wish: Wish) -> list[str]:
    problems = []
    if not NAME.fullmatch(wish.cluster):
        problems.append(_said("cluster", repr(wish.cluster), NAME_ALLOWED))
    if not 0 <= wish.renew_before_days <= LONGEST_LEAF:
        problems.append(
            _said("renew_before_days", wish.renew_before_days, f"0 to {LONGEST_LEAF} days")
        )
    return problems


def _ca_problems(ca: CaWish) -> list[str]:
    problems = []
    if not COMMON_NAME.fullmatch(ca.common_name) or len(ca.common_name) > LONGEST_CA_NAME:
        allowed = f"at most {LONGEST_CA_NAME} of: letters, digits, blanks, and . _ @ -"
        problems.append(_said("ca: common_name", repr(ca.common_name), allowed))
    if not 1 <= ca.days <= LONGEST_CA:
        problems.append(_said("ca: days", ca.days, f"1 to {LONGEST_CA}"))
    pair = (ca.certificate_file, ca.key_file)
    if any(pair) and not all(pair):
        there = "certificate_file" if ca.certificate_file else "key_file"
        problems.append(_said("ca", f"{there} alone", "certificate_file and key_file together"))
    if any(pair) and ca.directory:
        wanted = "either the CA in files, or ready-made certificates in a directory"
        problems.append(_said("ca", "certificate_file or key_file beside directory", wanted))
    return problems


def _certificate_problems(wish: Wish) -> list[str]:
    problems = _names("certificates", [leaf.name for leaf in wish.leaves])
    for leaf in wish.leaves:
        where = f"certificates: {leaf.name}"
        if leaf.name == RESERVED:
            problems.append(_said(where, "the name of the CA", "another name"))
        if not COMMON_NAME.fullmatch(leaf.common_name):
            found = repr(leaf.common_name)
            problems.append(_said(f"{where}: common_name", found, COMMON_NAME_ALLOWED))
        problems += _host_problems(where, leaf)
        if not 1 <= leaf.days <= LONGEST_LEAF:
            problems.append(_said(f"{where}: days", leaf.days, f"1 to {LONGEST_LEAF}"))
    return problems


def _host_problems(where: str, leaf: Leaf) -> list[str]:
    problems = [
        _said(f"{where}: dns", repr(name), wanted)
        for name in leaf.dns
        if (wanted := _wrong_with(name))
    ]
    problems += [
        _said(f"{where}: ips", repr(each), "an address of IPv4 or IPv6, without a prefix length")
        for each in leaf.ips
        if not is_address(each)
    ]
    if not leaf.usages:
        problems.append(_said(f"{where}: usages", "none", "server, client or both"))
    if "server" in leaf.usages and not leaf.dns and not leaf.ips:
        wanted = "at least one of dns or ips: clients compare it with what they connect to"
        problems.append(_said(where, "a server without a name", wanted))
    return problems


def _wrong_with(name: str) -> str:
    """What is wanted instead of a host name; empty when it is one."""
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
        _said(where, f"the name {name!r}", NAME_ALLOWED)
        for name in names
        if not NAME.fullmatch(name)
    ]
    twice = {name for name in names if names.count(name) > 1}
    return problems + [_said(where, f"{name} twice", "each name once") for name in sorted(twice)]


def _password_problems(wish: Wish) -> list[str]:
    problems = _names("passwords", list(wish.passwords))
    for name, value in wish.given_passwords.items():
        if name not in wish.passwords:
            known = listed(wish.passwords) or "nothing, passwords is empty"
            problems.append(_said("given_passwords", name, f"names of passwords: {known}"))
        # The value itself is never shown.
        if not PASSWORD.fullmatch(value):
            found = "a value with other characters or of another length"
            problems.append(_said(f"given_passwords: {name}", found, PASSWORD_ALLOWED))
    return problems


def _rotation_problems(wish: Wish) -> list[str]:
    problems = []
    if (wish.rotate in ("ca", "quorum")) != bool(wish.phase):
        problems.append(
            _said(
                "phase",
                f"{wish.phase or 'none'} with rotate: {wish.rotate}",
                "trust, issue, drop or replace with rotate: ca, the first three with rotate: "
                "quorum, and none with all others",
            )
        )
    if wish.rotate == "quorum" and wish.phase == "replace":
        problems.append(_said("phase", "replace with rotate: quorum", "trust, issue or drop"))
    declared = {
        "certificates": {leaf.name for leaf in wish.leaves},
        "passwords": set(wish.passwords),
    }.get(wish.rotate, set())
    if unknown := set(wish.names) - declared:
        wanted = listed(declared) or f"no names with rotate: {wish.rotate}"
        problems.append(_said("names", listed(unknown), wanted))
    if wish.rotate == "passwords":
        problems += [
            _said("names", name, "its new value under given_passwords")
            for name in sorted(wish.given_passwords.keys() & wish.names)
        ]
    if wish.ca.directory and wish.rotate == "certificates":
        problems.append(
            _said("rotate", "certificates", f"new files in {wish.ca.directory}, where they are")
        )
    if wish.ca.directory and wish.rotate == "ca" and wish.phase == "issue":
        wanted = "the phase trust or drop: certificates come from ca.directory"
        problems.append(_said("phase", "issue", wanted))
    return problems
