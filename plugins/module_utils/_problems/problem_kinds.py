# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Kinds of problems: their severity, and which kinds cause them. Causes come first; no I/O."""

from __future__ import annotations

from dataclasses import dataclass

PAGE, TICKET, NOTE = "page", "ticket", "note"
SEVERITIES = (PAGE, TICKET, NOTE)


@dataclass(frozen=True)
class Kind:
    """A kind of problem.

    ``causes`` are kinds that explain it if they are on the same instance, on its machine, or on
    an instance of the same service. A ``wide`` kind also explains problems elsewhere, a ``narrow``
    one only at the places that the problem affects. ``help`` is the command or the page that helps
    where a problem names none, with ``{where}``.
    """

    severity: str
    help: str
    causes: tuple[str, ...] = ()
    wide: bool = False
    narrow: bool = False


_CONTAINER = ("ContainerMissing", "ContainerKilled", "ContainerRestarting", "ContainerStopped")
_DOWN = ("MachineUnreachable", "ConnectionFails", *_CONTAINER, "DiskFailed", "ServiceDown")
_BROKERS = (*_DOWN, "NoLeader", "LogDirOffline", "ViewsDiffer")
# What lets a pipeline wait or fail.
_BEFORE_PIPELINES = (
    *(*_DOWN, "NoLeader", "ClusterUnreachable"),
    *("PartitionsOffline", "PartitionsUnderMinIsr", "ContentChanged"),
)
_LOGS, _PAGES = "make logs S={where}", "docs/operate/alerts"
# Commands for a problem of one instance, and pages for one of a machine or of a whole service.
KINDS = {
    "MachineUnreachable": Kind(PAGE, f"{_PAGES}/HostDown.md"),
    "EngineDown": Kind(PAGE, f"{_PAGES}/ContainerEngineUnreachable.md", ("MachineUnreachable",)),
    "ConnectionFails": Kind(TICKET, "make preflight", ("MachineUnreachable",)),
    "OperationInterrupted": Kind(TICKET, "make up", wide=True),
    "DiskFailed": Kind(PAGE, f"{_PAGES}/LogDirOffline.md", ("MachineUnreachable",)),
    "ConfigurationChanged": Kind(NOTE, "make plan"),
    "ContainerUndeclared": Kind(NOTE, "docs/operate/verbs/status.md"),
    "ContentChanged": Kind(TICKET, "make topics", ("OperationInterrupted",), narrow=True),
    "CertificateExpires": Kind(TICKET, "make rotate WHAT=certificates"),
    "ContainerMissing": Kind(PAGE, "make up", ("MachineUnreachable", "OperationInterrupted")),
    "ContainerKilled": Kind(PAGE, _LOGS, ("MachineUnreachable",)),
    "ContainerStopped": Kind(
        PAGE, "make up", ("MachineUnreachable", "DiskFailed", "OperationInterrupted")
    ),
    "ContainerRestarting": Kind(PAGE, _LOGS, ("DiskFailed", "ConfigurationChanged", "NoLeader")),
    # Kafka takes the log dir offline when it next creates, renames or deletes a file there.
    "ReplicasRemoved": Kind(TICKET, f"{_PAGES}/ReplicasRemoved.md"),
    "LogDirOffline": Kind(TICKET, f"{_PAGES}/LogDirOffline.md", ("DiskFailed", "ReplicasRemoved")),
    "ServiceDown": Kind(
        PAGE,
        _LOGS,
        ("MachineUnreachable", "ConnectionFails", "DiskFailed", *_CONTAINER, "NoLeader"),
    ),
    # It runs, and does not serve yet: a note, unless its alert finds that it takes too long.
    "ServiceStarting": Kind(TICKET, _LOGS, ("ServiceDown", "NoLeader", "ClusterUnreachable")),
    "ViewsDiffer": Kind(PAGE, _LOGS, _DOWN),
    "NoLeader": Kind(PAGE, f"{_PAGES}/ControllerMissing.md", (*_DOWN, "NoLeader"), wide=True),
    "VersionsDiffer": Kind(TICKET, "make upgrade", ("OperationInterrupted",)),
    "PartitionsOffline": Kind(PAGE, f"{_PAGES}/PartitionsOffline.md", _BROKERS, wide=True),
    "PartitionsUnderMinIsr": Kind(PAGE, f"{_PAGES}/PartitionsUnderMinIsr.md", _BROKERS, wide=True),
    "PartitionsUnderReplicated": Kind(TICKET, f"{_PAGES}/ReplicationStuck.md", _BROKERS),
    "ClusterUnreachable": Kind(
        PAGE, f"{_PAGES}/BrokerDown.md", (*_DOWN, "NoLeader", "EngineDown"), wide=True
    ),
    # What clients notice, by alerts of the probe.
    "ClientsAffected": Kind(
        PAGE,
        f"{_PAGES}/PartitionNotWritable.md",
        (
            *(*_BROKERS, "PartitionsOffline", "PartitionsUnderMinIsr", "ClusterUnreachable"),
            "ContentChanged",
        ),
    ),
    "ReadFailed": Kind(
        TICKET, f"{_PAGES}/ExporterReadsIncomplete.md", (*_BROKERS, "ClusterUnreachable")
    ),
    "PipelineFailing": Kind(TICKET, _LOGS, _BEFORE_PIPELINES),
    # Its alert also fires for a pipeline of which one output fails.
    "PipelineDown": Kind(PAGE, _LOGS, (*_BEFORE_PIPELINES, "PipelineFailing")),
    # The driver continues with the declaration that it ran before.
    "PipelineChangeRefused": Kind(TICKET, "make pipelines", ("OperationInterrupted",)),
    # Reported by an alert alone.
    "PipelineLagging": Kind(
        TICKET,
        f"{_PAGES}/PipelineLagging.md",
        (*_BEFORE_PIPELINES, "PipelineFailing", "PipelineDown"),
    ),
    "PipelineInvalid": Kind(TICKET, f"{_PAGES}/PipelineInvalidRecords.md"),
    "ArchiveIncomplete": Kind(TICKET, f"{_PAGES}/ArchiveIncomplete.md"),
    "MetricsUnreadable": Kind(TICKET, f"{_PAGES}/TargetDown.md", _DOWN),
    "AlertsUnread": Kind(TICKET, "make logs S=prometheus", _DOWN),
    "AlertsSilenced": Kind(NOTE, "", ("OperationInterrupted",)),
}
_UNKNOWN = Kind(TICKET, f"{_PAGES}/index.md")


def of(name: str) -> Kind:
    """Return a kind; an alert without a kind has no known causes."""
    return KINDS.get(name, _UNKNOWN)


def help_for(name: str, where: str) -> str:
    """Return the command or page that helps with a problem of a kind at an instance."""
    return of(name).help.format(where=where)


def rank(name: str) -> int:
    """Return the place of a kind in KINDS, where causes come first; alerts come last."""
    return list(KINDS).index(name) if name in KINDS else len(KINDS)
