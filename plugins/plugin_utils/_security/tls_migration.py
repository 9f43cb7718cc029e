# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""TLS migration of a running cluster without downtime: its phases and what applies in each.

Each unsecured listener gets a secured listener next to it, on a port of its own. Brokers switch to
the secured listeners, then clients. Then the first listeners are secured as well. Brokers and
clients switch back, and the added listeners are removed.

============  ===============  ===============  ======================  ==========================
phase         first listeners  added listeners  inter-broker listener   metadata service
============  ===============  ===============  ======================  ==========================
``added``     unsecured        secured          first                   plain port and added
``brokers``   unsecured        secured          added                   plain port and added
``enforced``  secured          secured          added                   added only
``back``      secured          secured          first                   first, secured
(empty)       secured          removed          first                   first, secured
============  ===============  ===============  ======================  ==========================

Each phase is one rolling restart, so brokers in two neighbouring phases run at the same time: each
accepts what the other uses. tests/unit/test_tls_migration.py checks the table. Kafka's
documentation describes the steps for listeners ("Incorporating Security Features in a Running
Cluster") and for what brokers store in the metadata service ("Migrating clusters"), whose own ports
are in another module.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .security_modes import SecurityError, find_mode, listener_protocols

# Suffix of the name of an added, secured listener.
SUFFIX = "_CLOSED"
# Principal of clients that do not authenticate.
ANONYMOUS = "ANONYMOUS"
# State of a broker: no security enabled; never started.
OPEN = "open"
NEW = "new"
# Values of security_migration, and the phase in which each of them ends.
GOALS = {"both": "brokers", "enforced": "back", "": ""}


@dataclass(frozen=True)
class Phase:
    """One state of the whole cluster; names as in the table of the module."""

    # There are secured listeners next to the first ones.
    added: bool
    # The first listeners do not authenticate.
    open: bool
    # The inter-broker listener is an added one.
    inter_broker_secured: bool
    # Service accounts and clients with files of `make access` use the added client listener.
    clients_secured: bool
    # Modules use the added inter-broker listener, also with brokers in the previous phase.
    operator_secured: bool
    # Ports of the metadata service that brokers and modules try, in this order.
    ensemble: tuple[str, ...]
    # Only brokers may write their data in the metadata service: each must authenticate there.
    metadata_acls: bool

    @property
    def authenticates(self) -> bool:
        """Whether service accounts authenticate."""
        return self.clients_secured or not self.open


FIRST, ADDED = "first", "added"
PHASES = {
    "added": Phase(
        added=True, open=True, inter_broker_secured=False, clients_secured=False,
        operator_secured=False, ensemble=(FIRST,), metadata_acls=False,
    ),
    "brokers": Phase(
        added=True, open=True, inter_broker_secured=True, clients_secured=True,
        operator_secured=True, ensemble=(ADDED,), metadata_acls=False,
    ),
    "enforced": Phase(
        added=True, open=False, inter_broker_secured=True, clients_secured=True,
        operator_secured=True, ensemble=(ADDED, FIRST), metadata_acls=True,
    ),
    "back": Phase(
        added=True, open=False, inter_broker_secured=False, clients_secured=False,
        operator_secured=True, ensemble=(FIRST, ADDED), metadata_acls=True,
    ),
    "": Phase(
        added=False, open=False, inter_broker_secured=False, clients_secured=False,
        operator_secured=False, ensemble=(FIRST,), metadata_acls=True,
    ),
}  # fmt: skip
ORDER = tuple(PHASES)


def goal_phase(goal: str) -> str:
    """Phase in which the migration to ``goal`` ends; raises SecurityError."""
    if goal not in GOALS:
        allowed = ", ".join(f"'{each}'" for each in GOALS)
        raise SecurityError(f"security_migration: {goal!r} is unknown; allowed: {allowed}")
    return GOALS[goal]


def secured_listeners(
    listeners: Mapping[str, Mapping[str, Any]], phase: str, offset: int
) -> dict[str, dict[str, Any]]:
    """Secured listeners next to ``listeners``, each ``offset`` ports above the first one."""
    if not PHASES[phase].added:
        return {}
    return {
        f"{name}{SUFFIX}": {**at, "port": int(at["port"]) + int(offset)}
        for name, at in listeners.items()
    }


def protocols(
    mode: str, phase: str, listeners: Iterable[str], clients: str, brokers: str
) -> dict[str, str]:
    """Kafka's protocol of each listener, added ones included, by name."""
    at, names = PHASES[phase], list(listeners)
    secured = listener_protocols(mode, names, clients, brokers)
    first = dict.fromkeys(names, "PLAINTEXT") if at.open else secured
    added = {f"{name}{SUFFIX}": protocol for name, protocol in secured.items()} if at.added else {}
    return {**first, **added}


def inter_broker_listener(phase: str, listener: str) -> str:
    """Name of the inter-broker listener; ``listener`` is the name of the first one."""
    return f"{listener}{SUFFIX}" if PHASES[phase].inter_broker_secured else listener


def client_listener(phase: str, listener: str) -> str:
    """Name of the listener for service accounts and for clients with files of `make access`."""
    return f"{listener}{SUFFIX}" if PHASES[phase].clients_secured else listener


def operator_listener(phase: str, clients: str, brokers: str) -> str:
    """Name of the listener for modules; it exists before and after the roll into this phase."""
    at = PHASES[phase]
    if at.operator_secured:
        return f"{brokers}{SUFFIX}"
    # Nothing authenticates yet, and the added listener does not exist before the roll.
    return clients if at.open else brokers


def further_super_users(phase: str, declared: Iterable[str]) -> list[str]:
    """Additional super users: also anonymous clients while a listener does not authenticate."""
    return [*declared, *([ANONYMOUS] if PHASES[phase].open else [])]


def broker_phase(properties: Mapping[str, str], brokers: str) -> str:
    """Phase of a broker with this server.properties; NEW without any, OPEN for an unsecured one.

    ``brokers`` is the name of its first inter-broker listener.
    """
    protocol_of = dict(
        pair.split(":", 1)
        for pair in properties.get("listener.security.protocol.map", "").split(",")
        if ":" in pair
    )
    if brokers not in protocol_of:
        return NEW
    added = f"{brokers}{SUFFIX}"
    is_open = protocol_of[brokers] == "PLAINTEXT"
    if added not in protocol_of:
        return OPEN if is_open else ""
    on_secured = properties.get("inter.broker.listener.name") == added
    return next(
        name
        for name, at in PHASES.items()
        if at.added and (at.open, at.inter_broker_secured) == (is_open, on_secured)
    )


def steps(running: Iterable[str], goal: str) -> list[str]:
    """Phases from the running brokers to a goal, in order; the last one is the goal's.

    After an interrupted roll brokers are in two phases: the later one is entered again.
    Raises SecurityError when no broker runs, or when brokers are beyond the goal.
    """
    known = [each for each in running if each != NEW]
    if not known:
        raise SecurityError("no broker runs yet: make up creates a secured cluster")
    order = (OPEN, *ORDER)
    at, target = min(order.index(each) for each in known), order.index(goal_phase(goal))
    if max(order.index(each) for each in known) > target:
        raise SecurityError(
            f"security_migration: {goal!r} cannot be reached: brokers are already in phase "
            f"{', '.join(sorted({each or 'secured' for each in known}))}"
        )
    return list(order[at + 1 : target + 1])


def phase_blocker(mode: str, found_phase: str, wanted: str, entering: bool) -> str:
    """Why a running broker may not enter another phase; empty when it may.

    ``entering``: `make secure` is running.
    """
    target = wanted if find_mode(mode).secured else OPEN
    if found_phase in (NEW, target):
        return ""
    order = (OPEN, *ORDER)
    if entering and order.index(target) - order.index(found_phase) == 1:
        return ""
    if target == OPEN:
        return "it is secured and security_mode plain is declared"
    return (
        f"it is {'unsecured' if found_phase == OPEN else f'in phase {found_phase or chr(39) * 2}'} "
        f"and {mode} is declared"
        + (f" with security_migration {wanted_goal(target)!r}" if target else "")
    )


def wanted_goal(phase: str) -> str:
    """The goal that ends in a phase, or the name of the phase if none does."""
    return next((goal for goal, stays in GOALS.items() if stays == phase), phase)
