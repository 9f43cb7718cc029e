# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of container declarations to one Compose project."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

from ...module_utils._common import container_labels
from .service_data import to_builtin

# The service that sets the owners of volumes before other containers write to them.
OWNER = "volumes"
# Its script; each argument is an owner and the name of a volume. The content of a volume gets a new
# user, too; in a volume that a group shares it keeps its owners.
CHOWN_SCRIPT = """\
for each; do
  owner=${each%% *} volume=/volumes/${each#* }
  case $owner in
    0:*) chmod 0770 "$volume"; find "$volume" -type d ! -perm -070 -exec chmod g+rwx {} + ;;
    *) [ "$(stat -c %u "$volume")" = "${owner%:*}" ] || chown -R "$owner" "$volume" ;;
  esac
  chown "$owner" "$volume"
done
"""


class ComposeError(ValueError):
    """Declarations cannot be a Compose project; the message has the service and the blocker."""


def escape(value: Any) -> Any:
    """Double every dollar sign in ``value``, because Compose would expand variables."""
    if isinstance(value, dict):
        return {key: escape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [escape(item) for item in value]
    return value.replace("$", "$$") if isinstance(value, str) else value


def without_empty_values(definition: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``definition`` without empty values."""
    return {key: value for key, value in definition.items() if value not in (None, [], {})}


def volume_name(source: str, root: str) -> str | None:
    """Name of the volume that replaces path ``source``; None if it is not under ``root``."""
    path = PurePosixPath(source)
    if not root or path == PurePosixPath(root) or not path.is_relative_to(root):
        return None
    return "-".join(path.relative_to(root).parts)


def volume(entry: Any, root: str) -> Any:
    """Replace a bind mount under ``root`` by a volume; return any other mount unchanged."""
    if not isinstance(entry, dict) or entry.get("type") != "bind":
        return entry
    name = volume_name(str(entry["source"]), root)
    return entry if name is None else {**entry, "type": "volume", "source": name}


def mounted_volumes(definition: Mapping[str, Any]) -> list[str]:
    """Names of the volumes that a definition mounts."""
    return [
        entry["source"]
        for entry in definition.get("volumes", [])
        if isinstance(entry, dict) and entry.get("type") == "volume"
    ]


def service(one: Mapping[str, Any], root: str, config_dir: str) -> dict[str, Any]:
    """One rendered declaration as a service of the project."""
    definition = without_empty_values(one["definition"])
    if "image" not in definition:
        raise ComposeError(f"{one['name']}: the declaration names no image")
    definition["container_name"] = definition.pop("name", one["name"])
    definition.setdefault("hostname", one["name"])
    definition["labels"] = {
        **definition.get("labels", {}),
        container_labels.INSTANCE: one["name"],
        **({container_labels.SERVICE: one["kind"]} if one.get("kind") else {}),
    }
    mounts = [volume(entry, root) for entry in definition.get("volumes", [])]
    if one.get("files") or one.get("keys"):
        source = f"{config_dir}/{one['name']}"
        mounts.append(
            {"type": "bind", "source": source, "target": one["config_target"], "read_only": True}
        )
    if mounts:
        definition["volumes"] = mounts
    escaped: dict[str, Any] = escape(definition)
    return escaped


def start_condition(definition: Mapping[str, Any]) -> dict[str, str]:
    """Condition on which dependent services start."""
    if definition.get("restart") == "no":
        return {"condition": "service_completed_successfully"}
    healthy = "healthcheck" in definition
    return {"condition": "service_healthy" if healthy else "service_started"}


def volume_owner(name: str, users: Mapping[str, str]) -> str:
    """User and group of a volume; ``users`` are the users of the services that mount it.

    If several users of one group share it, it belongs to root and is writable for the group.
    """
    groups = {user.partition(":")[2] for user in users.values()}
    if len(set(users.values())) == 1:
        return next(iter(users.values()))
    if len(groups) == 1:
        return f"0:{groups.pop()}"
    raise ComposeError(f"{max(users)}: shares volume {name} with a user of another group")


def owner_service(services: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The service that runs once and sets the owner of every volume to its containers' user.

    The engine creates volumes owned by root, and the containers do not run as root.
    """
    users: dict[str, dict[str, str]] = {}
    for name, definition in services.items():
        for source in mounted_volumes(definition):
            users.setdefault(source, {})[name] = str(definition.get("user", "0:0"))
    arguments = [f"{volume_owner(source, users[source])} {source}" for source in sorted(users)]
    return {
        "image": min(str(definition["image"]) for definition in services.values()),
        "user": "0:0",
        "entrypoint": ["sh", "-euc", escape(CHOWN_SCRIPT), OWNER, *arguments],
        "network_mode": "none",
        "read_only": True,
        "cap_drop": ["ALL"],
        # Files in the volume may belong to an earlier user.
        "cap_add": ["CHOWN", "DAC_READ_SEARCH", "FOWNER"],
        "security_opt": ["no-new-privileges:true"],
        "restart": "no",
        "volumes": [
            {"type": "volume", "source": name, "target": f"/volumes/{name}"}
            for name in sorted(users)
        ],
    }


def to_compose(
    rendered: Iterable[Mapping[str, Any]],
    project: str = "kafka-metal",
    volume_root: str = "",
    config_dir: str = "./config",
    after: Mapping[str, Iterable[str]] | None = None,
) -> dict[str, Any]:
    """Return the Compose project of rendered declarations, for YAML.

    Each of ``rendered`` has ``name``, ``definition``, and optionally ``kind``, ``files``, ``keys``
    (names of files with secrets) and ``config_target``. Mounts of paths under ``volume_root``
    become volumes, named after the rest of the path. Files are in ``config_dir/<name>``.
    ``after`` maps a kind to the kinds that it waits for. Raises ComposeError.
    """
    known = [to_builtin(one) for one in rendered]
    services: dict[str, Any] = {}
    kinds: dict[str, str] = {}
    for one in known:
        if one["name"] in services or one["name"] == OWNER:
            raise ComposeError(f"{one['name']}: more than one service has this name")
        services[one["name"]] = service(one, volume_root, config_dir)
        kinds[one["name"]] = one.get("kind", "")
    waits = to_builtin(after or {})
    for name, definition in services.items():
        first = {
            other: start_condition(services[other])
            for other, kind in kinds.items()
            if kind in waits.get(kinds[name], ()) and other != name
        }
        if mounted_volumes(definition):
            first[OWNER] = {"condition": "service_completed_successfully"}
        if first:
            definition["depends_on"] = {**first, **definition.get("depends_on", {})}
    used = sorted({source for one in services.values() for source in mounted_volumes(one)})
    if used:
        services[OWNER] = owner_service(services)
    return {
        "name": project,
        "services": {name: services[name] for name in sorted(services)},
        **({"volumes": {name: {} for name in used}} if used else {}),
    }
