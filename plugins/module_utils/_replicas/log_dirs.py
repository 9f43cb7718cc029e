# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Plan moves of replicas between the log dirs of one broker; no I/O."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from .._common.units import size_text
from .._problems.messages import shorten_list
from .log_dir_model import Dir, LogDirError, Move, Plan, Replica

GIB = 1 << 30
# Share of a target dir that stays free, because replicas grow during the move.
RESERVE = 0.1
# A dir with this share of the mean load has enough, so that a second run moves nothing.
ENOUGH = 0.9
# Limits of a batch; a failing disk is noticed between two batches.
BATCH_REPLICAS = 20
BATCH_BYTES = 20 * GIB


def find_dir(dirs: Iterable[Dir], path: str) -> Dir:
    """Return the dir with this path; raises LogDirError with the existing paths."""
    known = list(dirs)
    for each in known:
        if each.path == path:
            return each
    paths = ", ".join(sorted(each.path for each in known)) or "none"
    raise LogDirError(f"found log dir {path}; allowed: those of the running broker: {paths}")


def require_online(dirs: Iterable[Dir]) -> None:
    """Raise LogDirError if a dir is offline: its replicas are unknown, so no move is safe."""
    for each in dirs:
        if each.error:
            raise LogDirError(
                f"log dir {each.path} is offline ({each.error}): nothing is moved. If the disk is "
                "broken, replace it; if it is healthy, restart the broker, because a move may mark "
                "a healthy dir as failed (KAFKA-19571)"
            )


def when_done(dirs: Sequence[Dir]) -> dict[str, Dir]:
    """Return the dirs by path, as they will be after the moves under way."""
    sizes: dict[str, int] = defaultdict(int)
    for each in dirs:
        for replica in each.replicas:
            sizes[replica.name] = max(sizes[replica.name], replica.size)
    under_way = {replica.name for each in dirs for replica in each.replicas if replica.future}
    return {
        each.path: replace(
            each,
            replicas=tuple(
                replace(replica, size=sizes[replica.name])
                for replica in each.replicas
                if replica.future or replica.name not in under_way
            ),
        )
        for each in dirs
    }


class Scale:
    """Load of replicas: the sum of their share of the broker's bytes and of its replicas."""

    def __init__(self, dirs: Iterable[Dir]) -> None:
        """Take the totals of the broker."""
        replicas = [replica for each in dirs for replica in each.replicas]
        self.count = len(replicas) or 1
        self.size = sum(replica.size for replica in replicas) or 1

    def weight(self, replica: Replica) -> float:
        """Return the load of one replica."""
        return 1 / self.count + replica.size / self.size

    def load(self, replicas: Iterable[Replica]) -> float:
        """Return the sum of the replicas' weights."""
        return sum(self.weight(replica) for replica in replicas)


def plan_share(dirs: Sequence[Dir], path: str) -> Plan:
    """Return moves that give the dir ``path`` its share of the broker, fullest dirs first.

    Neither its share of bytes nor that of replicas is exceeded. Both grow together, so a new dir
    gets large and small replicas. Nothing is moved out of ``path``. Raises LogDirError if a dir
    is offline or ``path`` is not a log dir of the broker.
    """
    require_online(dirs)
    future = tuple(replica for replica in find_dir(dirs, path).replicas if replica.future)
    soon = when_done(dirs)
    scale = Scale(soon.values())
    loads = {each.path: scale.load(each.replicas) for each in soon.values()}
    if loads[path] >= ENOUGH * sum(loads.values()) / len(loads):
        return Plan((), future)
    here = soon[path]
    size, count = sum(replica.size for replica in here.replicas), len(here.replicas)
    most = min(scale.size / len(soon), size + max(0, here.usable - RESERVE * here.total))
    candidates = {
        each.path: [replica for replica in each.replicas if not replica.future]
        for each in soon.values()
        if each.path != path
    }
    topics = Counter(replica.topic for replica in here.replicas)

    def imbalance(replica: Replica) -> tuple[float, int, int, str]:
        """Return the sort key: difference of both shares after the move, then spread of topics."""
        difference = (size + replica.size) / scale.size - (count + 1) / scale.count
        return round(abs(difference), 2), topics[replica.topic], -replica.size, replica.name

    moves: list[Move] = []
    while count + 1 <= scale.count / len(soon):
        fitting = {
            source: [replica for replica in held if size + replica.size <= most]
            for source, held in candidates.items()
            if loads[source] > loads[path]
        }
        source = max((s for s in fitting if fitting[s]), key=lambda s: (loads[s], s), default=None)
        if source is None:
            break
        replica = min(fitting[source], key=imbalance)
        candidates[source].remove(replica)
        topics[replica.topic] += 1
        size, count = size + replica.size, count + 1
        loads[source] -= scale.weight(replica)
        loads[path] += scale.weight(replica)
        moves.append(Move(replica, source, path))
    return Plan(tuple(moves), future)


def plan_drain(dirs: Sequence[Dir], path: str) -> Plan:
    """Return moves that empty the dir ``path``, each to the dir with the most free space.

    Raises LogDirError if a dir is offline, there is no other, or the replicas do not fit.
    """
    require_online(dirs)
    source = find_dir(dirs, path)
    under_way = {r.name for each in dirs for r in each.replicas if r.future and each.path != path}
    future = tuple(r for each in dirs for r in each.replicas if r.future and each.path != path)
    room = {each.path: each.usable - RESERVE * each.total for each in dirs if each.path != path}
    if not room:
        raise LogDirError(f"{path} is the only log dir of the broker: there is no target")
    moves: list[Move] = []
    for replica in sorted(source.complete, key=lambda r: (-r.size, r.name)):
        if replica.name in under_way:
            continue
        target = max(room, key=lambda each: (room[each], each))
        if replica.size > room[target]:
            raise LogDirError(
                f"{path} does not fit into other log dirs: {replica.name} has "
                f"{size_text(replica.size)}, {target} would have "
                f"{size_text(max(0, room[target]))} free above the reserve of {RESERVE:.0%}"
            )
        room[target] -= replica.size
        moves.append(Move(replica, path, target))
    return Plan(tuple(moves), future)


def require_empty(dirs: Sequence[Dir], path: str) -> None:
    """Raise LogDirError if replicas remain in the dir ``path``, with some of their names."""
    found = find_dir(dirs, path)
    if found.error:
        raise LogDirError(f"log dir {path} is offline ({found.error}): its replicas are unknown")
    if found.replicas:
        names = sorted(replica.name for replica in found.replicas)
        raise LogDirError(
            f"{path} still contains {count_replicas(len(names))}: {shorten_list(names)}; "
            "disk_drain moves them"
        )


def first_moves(moves: Sequence[Move]) -> list[Move]:
    """Return the first moves, as many as one batch allows."""
    chosen: list[Move] = []
    volume = 0
    for move in moves[:BATCH_REPLICAS]:
        volume += move.replica.size
        if chosen and volume > BATCH_BYTES:
            break
        chosen.append(move)
    return chosen


def messages(plan: Plan) -> list[str]:
    """Return one message for each pair of dirs in a plan."""
    pairs: dict[tuple[str, str], list[Replica]] = defaultdict(list)
    for move in plan.moves:
        pairs[move.source, move.target].append(move.replica)
    lines = [
        f"{count_replicas(len(replicas))} ({size_text(sum(r.size for r in replicas))}) "
        f"{'moves' if len(replicas) == 1 else 'move'} from {source} to {target}"
        for (source, target), replicas in sorted(pairs.items())
    ]
    if plan.future:
        number = len(plan.future)
        verb = "is" if number == 1 else "are"
        lines.append(f"{count_replicas(number)} {verb} already being moved")
    return lines


def count_replicas(number: int) -> str:
    """Return ``1 replica`` or ``2 replicas``."""
    return f"{number} replica" if number == 1 else f"{number} replicas"


def paths_below(paths: Iterable[str], mount: str) -> list[str]:
    """Return the ``paths`` on the disk mounted at ``mount``."""
    root = mount.rstrip("/")
    return [path for path in paths if path == root or path.startswith(f"{root}/")]
