# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters that turn declared pipelines into the documents of their drivers."""

import base64
import json
from collections.abc import Mapping
from typing import Any

from ansible.errors import AnsibleFilterError

from ..module_utils._common import container_labels
from ..module_utils._content import applied_state
from ..plugin_utils._declarations.declarations_package import (
    DEFAULT_MEMORY,
    DeclarationError,
    SampleError,
    add_site_values,
    option_conflicts,
    parse,
    read_needs,
    session_values,
    site_only_keys,
)
from ..plugin_utils._declarations.service_data import to_builtin
from ..plugin_utils._site.samples import with_sample_schema
from ..plugin_utils._site.status_ports import status_ports

# Directory of a driver's files.
FILES = "/etc/kafka-metal"
# Those for the schema registry of the site.
REGISTRY_CA, REGISTRY_LOGIN = "registry-ca.pem", "registry-login.txt"
RESOURCES = {"cores": 1, "executor_memory": DEFAULT_MEMORY, "driver_memory": DEFAULT_MEMORY}


def pipeline_document(
    declared: Mapping[str, Any], name: str, *site: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the validated declaration with settings of the site, and with the sample's schema.

    Of several ``site``, a later one wins. A sample's relative path starts in the current directory
    of the run. Client options of the declaration are merged with those of the site. Raises
    AnsibleFilterError with all faults.
    """
    try:
        own = to_builtin(declared)
        # Ansible's filter combine would render the settings several times.
        settings = {key: value for each in site for key, value in to_builtin(each).items()}
        if wrong := [*site_only_keys(name, own), *option_conflicts(name, own, settings)]:
            raise DeclarationError(wrong)
        document = add_site_values(name, with_sample_schema(own), settings)
        document["resources"] = RESOURCES | document.get("resources", {})
        parse(name, document)
    except DeclarationError as error:
        # Each of its lines names the pipeline.
        raise AnsibleFilterError(str(error)) from error
    except SampleError as error:
        raise AnsibleFilterError(f"pipeline {name}: {error}") from error
    return document


def session_settings(document: Mapping[str, Any]) -> str:
    """What needs a new driver if it changes, from the driver's document, as JSON."""
    declaration = parse(document["name"], to_builtin(document))
    return json.dumps(session_values(declaration), sort_keys=True)


def status_endpoints(
    pipelines: Mapping[str, Any], host: str, first: int | str, own: Mapping[str, Any]
) -> dict[str, str]:
    """host:port of each driver by pipeline name; ``own`` are fixed ports by pipeline name."""
    fixed = {str(name): int(port) for name, port in to_builtin(own).items()}
    ports = status_ports(map(str, pipelines), int(first), fixed)
    return {name: f"{host}:{port}" for name, port in ports.items()}


def undeclared_drivers(
    containers: list[Mapping[str, Any]],
    declared: list[str],
    limited: bool,
    defined: bool,
    confirmed: bool,
) -> dict[str, Any]:
    """Drivers to remove, each with name and container, and notes for the operator.

    ``containers`` are drivers as the engine lists them. If the declaration seems to be lost, none
    is removed: ``refused`` has errors, ``unconfirmed`` the kinds that the next run must confirm.
    """
    found = {
        container_labels.label_from_list(each, container_labels.INSTANCE).removeprefix(
            "pipeline-"
        ): str(each["Names"][0]).removeprefix("/")
        for each in containers
    }
    permission = applied_state.Permission(
        limited=limited,
        missing=frozenset() if defined else frozenset({"pipeline_pipelines"}),
        confirmed=frozenset({"pipelines"}) if confirmed else frozenset(),
    )
    undeclared = found.keys() - {str(name) for name in declared}
    try:
        removed, notes = applied_state.select_removals("pipelines", found, undeclared, permission)
    except applied_state.RemovalError as error:
        kinds = sorted(error.kinds)
        return {"gone": [], "notes": [], "refused": error.messages, "unconfirmed": kinds}
    notes += [
        f"pipeline {name}: no longer declared, its driver is stopped and removed; its checkpoint, "
        "archive and topics are kept"
        for name in sorted(removed)
    ]
    return {
        "gone": [{"name": name, "container": found[name]} for name in sorted(removed)],
        "notes": notes,
        "refused": [],
        "unconfirmed": [],
    }


def own_databases(
    databases: Mapping[str, Mapping[str, Any]], declared: Mapping[str, Any]
) -> dict[str, Any]:
    """Databases that the outputs of one pipeline use."""
    outputs = to_builtin(declared).get("outputs")
    found = outputs.values() if isinstance(outputs, dict) else ()
    named = [each.get("database") for each in found if isinstance(each, dict)]
    return {name: database for name, database in to_builtin(databases).items() if name in named}


def database_sites(databases: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Databases for a driver, with the path of a file instead of the password."""
    return {
        name: {
            **{key: value for key, value in to_builtin(database).items() if key != "password"},
            **({"password_file": f"{FILES}/{_file(name)}"} if database.get("password") else {}),
        }
        for name, database in databases.items()
    }


def database_files(databases: Mapping[str, Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return one secret file for each database with a password."""
    return [
        {"name": _file(name), "content": str(database["password"])}
        for name, database in databases.items()
        if database.get("password")
    ]


def registry_site(registry: Mapping[str, Any], declared: Mapping[str, Any]) -> dict[str, Any]:
    """The site's schema registry for a driver, with paths of files; empty if it needs none."""
    found = _own_registry(registry, declared)
    paths = {"ca": ("ca_file", REGISTRY_CA), "login": ("credentials_file", REGISTRY_LOGIN)}
    files = {key: f"{FILES}/{file}" for name, (key, file) in paths.items() if found.get(name)}
    return {"registry": {"urls": found["urls"], **files}} if found else {}


def registry_files(
    registry: Mapping[str, Any], declared: Mapping[str, Any]
) -> list[dict[str, str]]:
    """Return the secret files of registry_site."""
    found = _own_registry(registry, declared)
    contents = {
        REGISTRY_CA: found.get("ca"),
        REGISTRY_LOGIN: base64.b64encode(str(found.get("login") or "").encode()).decode(),
    }
    return [{"name": name, "content": text} for name, text in contents.items() if text]


def _own_registry(registry: Mapping[str, Any], declared: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = to_builtin(registry)
    return found if found and read_needs(to_builtin(declared)).registry else {}


def _file(database: str) -> str:
    return f"database-{database}.txt"


class FilterModule:
    """Filters of the pipeline role."""

    def filters(self) -> dict[str, Any]:
        """Return the functions by the filter names that templates use."""
        return {
            "pipeline_document": pipeline_document,
            "session_settings": session_settings,
            "status_endpoints": status_endpoints,
            "database_sites": database_sites,
            "database_files": database_files,
            "own_databases": own_databases,
            "registry_files": registry_files,
            "registry_site": registry_site,
            "undeclared_drivers": undeclared_drivers,
        }
