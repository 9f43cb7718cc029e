# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""How an open cluster that runs is closed without an outage: phases, and what each one speaks.

Beside every listener that asks nobody a door is opened that asks, on a port of its own. Brokers
move to theirs, then clients; then the first listeners ask, too; everybody moves back; the doors go.

==========  ==================  =================  ================  ==============================
phase       first listeners     doors              brokers talk on   ensemble
==========  ==================  =================  ================  ==============================
``doors``   ask nobody          ask                first listener    plain, and a door
``brokers`` ask nobody          ask                door              plain, and a door
``shut``    ask                 ask                door              door alone
``back``    ask                 ask                first listener    first port, and it asks
(none)      ask                 are gone           first listener    first port, and it asks
==========  ==================  =================  ================  ==============================

Every phase is one roll, so brokers of two neighbours run beside each other: each takes what the
other speaks. tests/unit/test_tls_migration.py holds the table to that. Kafka's documentation
describes the steps for listeners ("Incorporating Security Features in a Running Cluster") and for
what brokers keep in the ensemble ("Migrating clusters"); what the ensemble itself speaks has a
module of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .security_modes import SecurityError, listener_protocols, mode_of

# What is added to the name of a listener for the door beside it.
DOOR = "_CLOSED"
# Principal of those whom nobody asks.
ANYBODY = "ANONYMOUS"
# Of a broker: nothing has been closed yet; it has never been up.
OPEN = "open"
NEW = "new"
# What a site says it wants, and the phase in which it then stays.
GOALS = {"both": "brokers", "shut": "back", "": ""}


@dataclass(frozen=True)
class Phase:
    """One state of the whole cluster; names as in the table of the module."""

    # Listeners beside the first ones.
    doors: bool
    # The first listeners ask nobody.
    open: bool
    # Brokers talk to each other on their door.
    between_door: bool
    # Programs of the platform, and whoever has files from it, come in by the door of clients.
    clients_door: bool
    # Our modules come in on the brokers' door: who rolls into this phase meets the one before, too.
    operator_door: bool
    # Ports of the ensemble that brokers try, and our modules: its first one, its door.
    ensemble: tuple[str, ...]
    # What brokers write into the ensemble belongs to them alone: all of them must be known there.
    owned: bool

    @property
    def asks(self) -> bool:
        """Whether programs of the platform prove who they are."""
        return self.clients_door or not self.open


FIRST, BESIDE = "first", "door"
PHASES = {
    "doors": Phase(
        doors=True, open=True, between_door=False, clients_door=False, operator_door=False,
        ensemble=(FIRST,), owned=False,
    ),
    "brokers": Phase(
        doors=True, open=True, between_door=True, clients_door=True, operator_door=True,
        ensemble=(BESIDE,), owned=False,
    ),
    "shut": Phase(
        doors=True, open=False, between_door=True, clients_door=True, operator_door=True,
        ensemble=(BESIDE, FIRST), owned=True,
    ),
    "back": Phase(
        doors=True, open=False, between_door=False, clients_door=False, operator_door=True,
        ensemble=(FIRST, BESIDE), owned=True,
    ),
    "": Phase(
        doors=False, open=False, between_door=False, clients_door=False, operator_door=False,
        ensemble=(FIRST,), owned=True,
    ),
}  # fmt: skip
ORDER = tuple(PHASES)


def phase_of_goal(goal: str) -> str:
    """The phase in which a site stays that wants ``goal``; raises SecurityError."""
    if goal not in GOALS:
        allowed = ", ".join(f"'{each}'" for each in GOALS)
        raise SecurityError(f"security_closing: {goal!r} is unknown; allowed: {allowed}")
    return GOALS[goal]


def doors(
    listeners: Mapping[str, Mapping[str, Any]], phase: str, step: int
) -> dict[str, dict[str, Any]]:
    """The doors beside ``listeners``, each as a listener, ``step`` ports above the first one."""
    if not PHASES[phase].doors:
        return {}
    return {
        f"{name}{DOOR}": {**at, "port": int(at["port"]) + int(step)}
        for name, at in listeners.items()
    }


def protocols(
    mode: str, phase: str, listeners: Iterable[str], clients: str, brokers: str
) -> dict[str, str]:
    """Kafka's protocol of each listener and of each door, by name."""
    at, names = PHASES[phase], list(listeners)
    asking = listener_protocols(mode, names, clients, brokers)
    first = dict.fromkeys(names, "PLAINTEXT") if at.open else asking
    beside = {f"{name}{DOOR}": protocol for name, protocol in asking.items()} if at.doors else {}
    return {**first, **beside}


def among_brokers(phase: str, listener: str) -> str:
    """The listener on which brokers talk to each other, ``listener`` being the first one."""
    return f"{listener}{DOOR}" if PHASES[phase].between_door else listener


def of_clients(phase: str, listener: str) -> str:
    """The listener by which programs come in that have their way in from us."""
    return f"{listener}{DOOR}" if PHASES[phase].clients_door else listener


def of_operator(phase: str, clients: str, brokers: str) -> str:
    """The listener by which our modules come in, on both sides of the roll into this phase."""
    at = PHASES[phase]
    if at.operator_door:
        return f"{brokers}{DOOR}"
    # Nobody is asked yet; a door is not there before the roll.
    return clients if at.open else brokers


def further_super_users(phase: str, declared: Iterable[str]) -> list[str]:
    """Whom no ACL binds: while nobody has to say who he is, everybody."""
    return [*declared, *([ANYBODY] if PHASES[phase].open else [])]


def found(properties: Mapping[str, str], brokers: str) -> str:
    """The phase of a broker with this server.properties; NEW without any, OPEN for an open one.

    ``brokers`` is the name of its first listener among brokers.
    """
    spoken = dict(
        pair.split(":", 1)
        for pair in properties.get("listener.security.protocol.map", "").split(",")
        if ":" in pair
    )
    if brokers not in spoken:
        return NEW
    door = f"{brokers}{DOOR}"
    is_open = spoken[brokers] == "PLAINTEXT"
    if door not in spoken:
        return OPEN if is_open else ""
    on_door = properties.get("inter.broker.listener.name") == door
    return next(
        name
        for name, at in PHASES.items()
        if at.doors and (at.open, at.between_door) == (is_open, on_door)
    )


def to_do(running: Iterable[str], goal: str) -> list[str]:
    """Phases between brokers that run and a goal, in order; the last one is the goal's.

    A roll that was interrupted left brokers in two phases: it goes on where the later one begins.
    Raises SecurityError when there is no way: nothing runs, or they are beyond the goal.
    """
    known = [each for each in running if each != NEW]
    if not known:
        raise SecurityError("no broker has been brought up yet: make up makes a closed cluster")
    order = (OPEN, *ORDER)
    at, target = min(order.index(each) for each in known), order.index(phase_of_goal(goal))
    if max(order.index(each) for each in known) > target:
        raise SecurityError(
            f"security_closing: {goal!r} lies behind: brokers are in phase "
            f"{', '.join(sorted({each or 'closed' for each in known}))}"
        )
    return list(order[at + 1 : target + 1])


def obstacle(mode: str, found_phase: str, wanted: str, entering: bool) -> str:
    """Why a broker that runs in one phase may not be made one of another; empty when it may.

    ``entering`` says that the verb which closes a cluster is at work.
    """
    target = wanted if mode_of(mode).closed else OPEN
    if found_phase in (NEW, target):
        return ""
    order = (OPEN, *ORDER)
    if entering and order.index(target) - order.index(found_phase) == 1:
        return ""
    if target == OPEN:
        return "it is closed and security_mode plain is declared"
    return (
        f"it is {'open' if found_phase == OPEN else f'in phase {found_phase or chr(39) * 2}'} "
        f"and {mode} is declared"
        + (f" with security_closing {wanted_goal(target)!r}" if target else "")
    )


def wanted_goal(phase: str) -> str:
    """The goal that stays in a phase, or the phase's own name where none does."""
    return next((goal for goal, stays in GOALS.items() if stays == phase), phase)
