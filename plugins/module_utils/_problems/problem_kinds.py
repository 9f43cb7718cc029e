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
    an instance of the same service. A ``wide`` kind also explains problems elsewhere.
    """

    severity: str
    causes: tuple[str, ...] = ()
    wide: bool = False


_CONTAINER = ("ContainerMissing", "ContainerKilled", "ContainerRestarting", "ContainerStopped")
_DOWN = ("MachineUnreachable", *_CONTAINER, "DiskFailed", "ServiceDown")
_BROKERS = (*_DOWN, "NoLeader", "LogDirOffline", "ViewsDiffer")

KINDS = {
    "MachineUnreachable": Kind(PAGE),
    "EngineDown": Kind(PAGE, ("MachineUnreachable",)),
    "OperationInterrupted": Kind(TICKET, wide=True),
    "DiskFailed": Kind(PAGE, ("MachineUnreachable",)),
    "ConfigurationChanged": Kind(NOTE),
    "CertificateExpires": Kind(TICKET),
    "ContainerMissing": Kind(PAGE, ("MachineUnreachable", "OperationInterrupted")),
    "ContainerKilled": Kind(PAGE, ("MachineUnreachable",)),
    "ContainerStopped": Kind(PAGE, ("MachineUnreachable", "DiskFailed", "OperationInterrupted")),
    "ContainerRestarting": Kind(PAGE, ("DiskFailed", "ConfigurationChanged", "NoLeader")),
    # Kafka takes the log dir offline when it next creates, renames or deletes a file there.
    "ReplicasRemoved": Kind(TICKET),
    "LogDirOffline": Kind(TICKET, ("DiskFailed", "ReplicasRemoved")),
    "ServiceDown": Kind(
        PAGE,
        ("MachineUnreachable", "DiskFailed", *_CONTAINER, "NoLeader"),
    ),
    "ViewsDiffer": Kind(PAGE, _DOWN),
    "NoLeader": Kind(PAGE, (*_DOWN, "NoLeader"), wide=True),
    "VersionsDiffer": Kind(TICKET, ("OperationInterrupted",)),
    "PartitionsOffline": Kind(PAGE, _BROKERS),
    "PartitionsUnderMinIsr": Kind(PAGE, _BROKERS),
    "PartitionsUnderReplicated": Kind(TICKET, _BROKERS),
    "ClusterUnreachable": Kind(PAGE, (*_DOWN, "NoLeader", "EngineDown")),
    # What clients notice, by alerts of the probe.
    "ClientsAffected": Kind(
        PAGE,
        (*_BROKERS, "PartitionsOffline", "PartitionsUnderMinIsr", "ClusterUnreachable"),
    ),
    "ReadFailed": Kind(TICKET, (*_BROKERS, "ClusterUnreachable")),
    "PipelineDown": Kind(PAGE, (*_DOWN, "NoLeader", "ClusterUnreachable", "PartitionsOffline")),
    "PipelineFailing": Kind(
        TICKET, (*_DOWN, "NoLeader", "PartitionsOffline", "PartitionsUnderMinIsr")
    ),
    "PipelineInvalid": Kind(TICKET),
    "ArchiveIncomplete": Kind(TICKET),
    "MetricsUnreadable": Kind(TICKET, _DOWN),
    "AlertsUnread": Kind(TICKET, _DOWN),
    "AlertsSilenced": Kind(NOTE, ("OperationInterrupted",)),
}
_UNKNOWN = Kind(TICKET)


def of(name: str) -> Kind:
    """Return a kind; an alert without a kind has no known causes."""
    return KINDS.get(name, _UNKNOWN)


def rank(name: str) -> int:
    """Return the place of a kind in KINDS, where causes come first; alerts come last."""
    return list(KINDS).index(name) if name in KINDS else len(KINDS)
