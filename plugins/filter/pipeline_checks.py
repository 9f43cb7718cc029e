# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters for the check of pipelines, and for messages about failed drivers."""

import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from ansible.errors import AnsibleFilterError

from ..module_utils._common import container_labels
from ..module_utils._problems import pipeline_problems
from ..module_utils._problems.driver_status import state_in_response
from ..plugin_utils._declarations.declarations_package import SITE_KEYS, SampleError
from ..plugin_utils._declarations.service_data import to_builtin
from ..plugin_utils._site.samples import with_sample_schema

# Prefixes of the check's output lines, and the number of lines of any other output.
PROBLEM = "pipeline "
NOTE = "note: "
LAST_LINES = 10
# Keys of a pipeline and of its source that neither SQL nor checkpoints depend on: a change of them
# alone needs no check, which takes several seconds.
UNUSED = ("resources",)
UNUSED_OF_SOURCE = ("max_per_trigger",)
# Exit code of `timeout` after a timeout.
TIMED_OUT = 124
# Failed starts in a row after which a driver counts as failed.
FAILED_STARTS = 3


def pipeline_statements(
    pipelines: Mapping[str, Mapping[str, Any]],
    functions: Sequence[str],
    roots: Mapping[str, str] | None = None,
) -> str:
    """The document for `kafka-metal-pipeline check`: all pipelines, no secrets.

    ``functions`` are SQL functions that the site allows in addition, ``roots`` the roots of
    checkpoints and archives. Equal declarations give equal text, also if they differ only in the
    resources and the size of batches, which the check does not need. Raises AnsibleFilterError for
    an unreadable sample.
    """
    # Keys of the site in declarations are ignored, as in the driver's document.
    site = {"sql_functions": to_builtin(list(functions))}
    for key in ("checkpoint_root", "archive_root"):
        if key in (roots or {}):
            site[key] = str((roots or {})[key])
    bodies = {}
    for name, declared in pipelines.items():
        try:
            found = with_sample_schema(to_builtin(declared))
        except SampleError as error:
            raise AnsibleFilterError(
                f"pipeline {name}: source.schema.sample: found {error}; allowed: a file of CSV or "
                f"JSON lines, as a path from {Path.cwd()}"
            ) from error
        own = {key: value for key, value in found.items() if key not in (*SITE_KEYS, *UNUSED)}
        if isinstance(source := own.get("source"), Mapping):
            own["source"] = {key: source[key] for key in source if key not in UNUSED_OF_SOURCE}
        bodies[str(name)] = own | site
    return json.dumps(bodies, sort_keys=True)


def running_drivers(containers: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names of pipelines with running drivers, from containers as the engine lists them."""
    return sorted(
        container_labels.label_from_list(each, container_labels.INSTANCE).removeprefix("pipeline-")
        for each in containers
        if each.get("State") == "running"
    )


def check_refusal(answer: Mapping[str, Any], minutes: int) -> str:
    """Message why pipelines are refused, from the result of the check's container.

    ``minutes`` is the check's time limit.
    """
    if answer.get("status") == TIMED_OUT:
        return (
            f"No service was touched: the check of the pipelines took too long: found no result "
            f"after {minutes} minutes; allowed: up to {minutes} minutes. Check whether this "
            "machine is busy, and whether the file system of its checkpoints responds; then run "
            "the same command again."
        )
    output = answer.get("container", {}).get("Output") or answer.get("msg") or "no output"
    lines = [line.strip() for line in str(output).splitlines() if line.strip()]
    found = [line for line in lines if line.startswith(PROBLEM)]
    if not found:
        tail = "\n".join(lines[-LAST_LINES:])
        return f"No service was touched: the pipelines could not be checked:\n{tail}"
    numbered = (f"{number}. {line}" for number, line in enumerate(found, start=1))
    return "\n".join(
        (
            f"No service was touched: {len(found)} problem(s) in the declared pipelines",
            *numbered,
            "Correct the declarations. What is allowed: docs/operate/guides/pipeline-sql.md and "
            "docs/operate/guides/pipeline-changes.md.",
        )
    )


def check_notes(answer: Mapping[str, Any]) -> list[str]:
    """Notes in the check's output on damage that a declaration did not cause."""
    lines = str(answer.get("container", {}).get("Output") or "").splitlines()
    return [line.strip().removeprefix(NOTE) for line in lines if line.strip().startswith(NOTE)]


def driver_finished_starting(
    answer: Mapping[str, Any],
    name: str,
    before: int = 0,
    digests: Mapping[str, str] | None = None,
) -> bool:
    """Whether the driver ``name`` runs as declared or has failed, from the result of web_info.

    ``before``: failed starts that do not count, because it has been restarted since then.
    ``digests``: SHA-256 of written declarations by name. A driver that still runs another one has
    finished only if it reports why it cannot apply the written one.
    """
    state, _ = _read(answer, name)
    if _stale(state, name, digests):
        return bool(_declaration_error(state, name, digests))
    return state.get("state") == "running" or _has_failed(state, before)


def failed_drivers(
    results: Sequence[Mapping[str, Any]], digests: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """Drivers that do not run as declared, from the loop that waited for them.

    Each has ``name``, ``reason``, ``failed_starts``, and ``waits``: it runs its earlier
    declaration, and applies the written one by itself once it can. ``digests`` as in
    ``driver_finished_starting``.
    """
    found = []
    for answer in results:
        name = str(answer["item"])
        state, unread = _read(answer, name)
        stale = _stale(state, name, digests)
        if state.get("state") == "running" and not stale:
            continue
        if stale:
            error = _declaration_error(state, name, digests)
            own = error or "it still runs its earlier declaration"
            reason = "; ".join((own, *_failing_outputs(state)))
        elif state.get("last_error"):
            reason = f"{state['last_error']} ({state.get('failed_starts', 1)} failed starts)"
        elif failing := _failing_outputs(state):
            reason = "; ".join(failing)
        elif state:
            reason = f"it is still {state['state']}"
        else:
            reason = f"no state from its status port: {unread}"
        failed_starts = int(state.get("failed_starts") or 0)
        waits = bool(stale and state.get("declaration_waits"))
        found.append(
            {"name": name, "reason": reason, "failed_starts": failed_starts, "waits": waits}
        )
    return found


def moved_ports(
    results: Sequence[Mapping[str, Any]], endpoints: Mapping[str, str]
) -> dict[str, dict[str, int]]:
    """Status ports that differ from those of drivers, by pipeline: C(old) and C(new).

    ``results`` are the drivers' declarations on the host, as a loop of slurp over pipelines returns
    them; without C(content) there is none. ``endpoints`` are the declared ones, host:port.
    """
    moved = {}
    for each in results:
        text = base64.b64decode(str(each.get("content") or "")).decode()
        found = yaml.safe_load(text)
        old = str(found.get("status", "")) if isinstance(found, Mapping) else ""
        ports = [int(value.rpartition(":")[2] or 0) for value in (old, endpoints[each["item"]])]
        if old and ports[0] != ports[1]:
            moved[str(each["item"])] = {"old": ports[0], "new": ports[1]}
    return moved


def drivers_refusal(failed: Sequence[Mapping[str, Any]], back: Sequence[str]) -> str:
    """Message about drivers that are not running; those in ``back`` run their last declaration."""
    lines = [f"{len(failed)} of the pipelines do not run as declared"]
    for each in failed:
        lines.append(f"{each['name']}: {each['reason']}")
        if each["waits"]:
            lines.append("  it has not stopped, and continues with its earlier declaration")
            if each["name"] not in back:
                lines.append("  the new one stays in its file, and is applied once it can be")
        elif each["name"] in back:
            lines.append("  its last good declaration runs again, from its own checkpoints")
        else:
            lines.append("  there is no earlier good declaration to restore")
        lines.append(f"  -> {pipeline_problems.logs(each['name'])}")
    lines.append("Correct the declarations, or what they need, then run `make up` again.")
    return "\n".join(lines)


def _has_failed(state: Mapping[str, Any], before: int) -> bool:
    failed = int(state.get("failed_starts") or 0) - before >= FAILED_STARTS
    return bool(state.get("refused")) or failed or bool(_failing_outputs(state))


def _stale(state: Mapping[str, Any], name: str, digests: Mapping[str, str] | None) -> bool:
    """Whether the driver runs another declaration than the written one."""
    written = (digests or {}).get(name)
    return bool(state and written) and state.get("declaration") != written


def _declaration_error(
    state: Mapping[str, Any], name: str, digests: Mapping[str, str] | None
) -> str:
    """Why the driver does not run the written declaration; empty if it has not read it yet."""
    is_read = state.get("declaration_in_file") == (digests or {}).get(name)
    return str(state.get("declaration_error") or "") if is_read else ""


def _failing_outputs(state: Mapping[str, Any]) -> list[str]:
    """Outputs that still fail after several restarts, each with its last error."""
    return [
        f"output {name}: {output['exception']}"
        for name, output in (state.get("outputs") or {}).items()
        if output.get("exception") and int(output.get("restarts") or 0) >= FAILED_STARTS
    ]


def _read(answer: Mapping[str, Any], name: str) -> tuple[Mapping[str, Any], str]:
    """State of the driver ``name``; empty, and the reason, without one."""
    # Without responses the task failed on the host.
    response = (answer.get("responses") or {}).get(name) or {"error": answer.get("msg", "")}
    state, reason = state_in_response(response, name)
    return state or {}, reason


class FilterModule:
    """Filters of the pipeline role."""

    def filters(self) -> dict[str, Any]:
        """Return the functions by the filter names that templates use."""
        return {
            "pipeline_statements": pipeline_statements,
            "running_drivers": running_drivers,
            "check_refusal": check_refusal,
            "check_notes": check_notes,
            "driver_finished_starting": driver_finished_starting,
            "failed_drivers": failed_drivers,
            "drivers_refusal": drivers_refusal,
            "moved_ports": moved_ports,
        }
