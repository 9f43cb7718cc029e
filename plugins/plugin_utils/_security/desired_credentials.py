# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Specs of credentials from the options of the module ``credentials``, validated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from typing import Any

from ...module_utils._services.credential_options import CA
from .credentials_checks import (
    ca_problems,
    certificate_problems,
    cluster_problems,
    password_problems,
    rotation_problems,
)
from .credentials_model import CaSpec, CredentialsError, Machine, Spec
from .pki.leaf import Leaf

CA_DAYS = CA["days"]["default"]


def parse_spec(arguments: Mapping[str, Any]) -> Spec:
    """Return the spec of validated options with defaults; raises CredentialsError."""
    cluster = str(arguments["cluster"])
    spec = Spec(
        cluster=cluster,
        ca=_ca(arguments["ca"] or {}, cluster),
        certificates=_leaves(arguments["certificates"], cluster, "platform"),
        passwords=tuple(map(str, arguments["passwords"])),
        provided_passwords={str(k): str(v) for k, v in arguments["provided_passwords"].items()},
        renew_before_days=arguments["renew_before_days"],
        rotate=str(arguments["rotate"]),
        names=tuple(map(str, arguments["names"])),
        phase=str(arguments["phase"] or ""),
        purge=arguments["purge"],
        purge_passwords=arguments["purge_passwords"],
        machines=tuple(map(_machine, arguments["machines"])),
        replace_keys_of=str(arguments["replace_keys_of"]),
        quorum=_leaves(arguments["certificates"], cluster, "quorum"),
        quorum_ca=str(arguments["quorum_ca"]),
    )
    problems = [
        *cluster_problems(spec),
        *ca_problems(spec.ca),
        *certificate_problems(spec),
        *password_problems(spec),
        *rotation_problems(spec),
    ]
    if problems:
        raise CredentialsError(*problems)
    return spec


def _machine(given: Mapping[str, Any]) -> Machine:
    kinds = ("running", "configured", "roots", "data", "unreadable")
    return Machine(
        name=str(given["name"]),
        reached=bool(given["reached"]),
        **{kind: tuple(map(str, given[kind])) for kind in kinds},
    )


def _ca(given: Mapping[str, Any], cluster: str) -> CaSpec:
    days = given.get("days")
    paths = ("certificate_file", "key_file", "directory", "trusted_file")
    return CaSpec(
        common_name=str(given.get("common_name") or f"{cluster} CA"),
        days=CA_DAYS if days is None else days,
        **{key: str(given.get(key) or "") for key in paths},
    )


def _leaves(given: Iterable[Mapping[str, Any]], cluster: str, of: str) -> tuple[Leaf, ...]:
    """Certificates that one of the two CAs issues."""
    return tuple(_leaf(each, cluster) for each in given if each["authority"] == of)


def _leaf(given: Mapping[str, Any], cluster: str) -> Leaf:
    return Leaf(
        name=str(given["name"]),
        common_name=str(given["common_name"] or given["name"]),
        organization=cluster,
        dns=_unique(str(name).lower() for name in given["dns"]),
        ips=_unique(map(_canonical, given["ips"])),
        usages=_unique(map(str, given["usages"])),
        days=given["days"],
    )


def _unique(values: Iterable[str]) -> tuple[str, ...]:
    """Remove duplicates, since several names of a machine are often equal."""
    return tuple(dict.fromkeys(values))


def _canonical(address: Any) -> str:
    """Return an address in canonical form; an invalid one is returned unchanged for validation."""
    try:
        return str(ip_address(str(address)))
    except ValueError:
        return str(address)
