# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Which replicas move from one log dir of a broker to another: decisions without any I/O."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from .._common.messages import some
from .._common.units import size_text
from .log_dir_model import Dir, LogDirError, Move, Plan, Replica

GIB = 1 << 30
# Left free on a dir that receives replicas, as a part of its size: they grow while they move.
RESERVE = 0.1
# A dir with this part of the mean has its share: a second run must not move a handful again.
ENOUGH = 0.9
# One batch: small enough that a failing disk is noticed between two of them.
BATCH_REPLICAS = 20
BATCH_BYTES = 20 * GIB


def find(dirs: Iterable[Dir], path: str) -> Dir:
    """The dir with this path; raises LogDirError with those that there are."""
    known = list(dirs)
    for each in known:
        if each.path == path:
            return each
    paths = ", ".join(sorted(each.path for each in known)) or "none"
    raise LogDirError(f"{path} is no log dir of the running broker, which has {paths}")


def require_online(dirs: Iterable[Dir]) -> None:
    """Raise LogDirError when a dir is offline: what it holds is unknown, nothing moves safely."""
    for each in dirs:
        if each.error:
            raise LogDirError(
                f"log dir {each.path} is offline ({each.error}): nothing is moved. Is the disk "
                "broken, replace it; is it healthy, restart the broker, because a move may mark a "
                "healthy dir as failed (KAFKA-19571)"
            )


def when_done(dirs: Sequence[Dir]) -> dict[str, Dir]:
    """Dirs by path as they will be when the moves under way are done."""
    sizes: dict[str, int] = defaultdict(int)
    for each in dirs:
        for replica in each.replicas:
            sizes[replica.name] = max(sizes[replica.name], replica.size)
    under_way = {replica.name for each in dirs for replica in each.replicas if replica.arriving}
    return {
        each.path: replace(
            each,
            replicas=tuple(
                replace(replica, size=sizes[replica.name])
                for replica in each.replicas
                if replica.arriving or replica.name not in under_way
            ),
        )
        for each in dirs
    }


class Scale:
    """Bytes and number of replicas as one figure, so that a dir has its share of both."""

    def __init__(self, dirs: Iterable[Dir]) -> None:
        """Measure against the whole of the broker."""
        replicas = [replica for each in dirs for replica in each.replicas]
        self.count = len(replicas) or 1
        self.size = sum(replica.size for replica in replicas) or 1

    def weight(self, replica: Replica) -> float:
        """Part of the broker that one replica is."""
        return 1 / self.count + replica.size / self.size

    def load(self, replicas: Iterable[Replica]) -> float:
        """Part of the broker that these replicas are."""
        return sum(self.weight(replica) for replica in replicas)


def share(dirs: Sequence[Dir], path: str) -> Plan:
    """Moves that give the dir ``path`` its fair share of the broker, from the fullest dirs first.

    Its share of bytes and its share of replicas: neither is exceeded, and they grow together, so
    that a new dir holds neither all the large replicas nor only small ones. Never moves anything
    out of ``path``. Raises LogDirError when a dir is offline or ``path`` is none of the broker's.
    """
    require_online(dirs)
    arriving = tuple(replica for replica in find(dirs, path).replicas if replica.arriving)
    soon = when_done(dirs)
    scale = Scale(soon.values())
    loads = {each.path: scale.load(each.replicas) for each in soon.values()}
    if loads[path] >= ENOUGH * sum(loads.values()) / len(loads):
        return Plan((), arriving)
    here = soon[path]
    size, count = sum(replica.size for replica in here.replicas), len(here.replicas)
    most = min(scale.size / len(soon), size + max(0, here.usable - RESERVE * here.total))
    candidates = {
        each.path: [replica for replica in each.replicas if not replica.arriving]
        for each in soon.values()
        if each.path != path
    }
    topics = Counter(replica.topic for replica in here.replicas)

    def fit(replica: Replica) -> tuple[float, int, int, str]:
        """How far apart the shares are afterwards; then topics stay spread over disks."""
        apart = (size + replica.size) / scale.size - (count + 1) / scale.count
        return round(abs(apart), 2), topics[replica.topic], -replica.size, replica.name

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
        replica = min(fitting[source], key=fit)
        candidates[source].remove(replica)
        topics[replica.topic] += 1
        size, count = size + replica.size, count + 1
        loads[source] -= scale.weight(replica)
        loads[path] += scale.weight(replica)
        moves.append(Move(replica, source, path))
    return Plan(tuple(moves), arriving)


def drain(dirs: Sequence[Dir], path: str) -> Plan:
    """Moves that empty the dir ``path``, each to the dir that has most room left.

    Raises LogDirError when a dir is offline, there is no other, or the replicas do not fit.
    """
    require_online(dirs)
    source = find(dirs, path)
    under_way = {r.name for each in dirs for r in each.replicas if r.arriving and each.path != path}
    arriving = tuple(r for each in dirs for r in each.replicas if r.arriving and each.path != path)
    room = {each.path: each.usable - RESERVE * each.total for each in dirs if each.path != path}
    if not room:
        raise LogDirError(f"{path} is the only log dir of the broker: there is nowhere to move to")
    moves: list[Move] = []
    for replica in sorted(source.settled, key=lambda r: (-r.size, r.name)):
        if replica.name in under_way:
            continue
        target = max(room, key=lambda each: (room[each], each))
        if replica.size > room[target]:
            raise LogDirError(
                f"{path} does not fit elsewhere: {replica.name} has {size_text(replica.size)}, and "
                f"{target} would have {size_text(max(0, room[target]))} left beside the reserve of "
                f"{RESERVE:.0%}"
            )
        room[target] -= replica.size
        moves.append(Move(replica, path, target))
    return Plan(tuple(moves), arriving)


def require_empty(dirs: Sequence[Dir], path: str) -> None:
    """Raise LogDirError when replicas remain in the dir ``path``, naming some."""
    found = find(dirs, path)
    if found.error:
        raise LogDirError(f"log dir {path} is offline ({found.error}): what it holds is unknown")
    if found.replicas:
        names = sorted(replica.name for replica in found.replicas)
        raise LogDirError(
            f"{path} still holds {counted(len(names))}: {some(names)}; disk_drain moves them away"
        )


def batch(moves: Sequence[Move]) -> list[Move]:
    """The first of these moves, as many as are made at once."""
    chosen: list[Move] = []
    volume = 0
    for move in moves[:BATCH_REPLICAS]:
        volume += move.replica.size
        if chosen and volume > BATCH_BYTES:
            break
        chosen.append(move)
    return chosen


def messages(plan: Plan) -> list[str]:
    """What a plan does, one message for each pair of dirs."""
    pairs: dict[tuple[str, str], list[Replica]] = defaultdict(list)
    for move in plan.moves:
        pairs[move.source, move.target].append(move.replica)
    said = [
        f"{counted(len(replicas))} ({size_text(sum(r.size for r in replicas))}) "
        f"{'moves' if len(replicas) == 1 else 'move'} from {source} to {target}"
        for (source, target), replicas in sorted(pairs.items())
    ]
    if plan.arriving:
        number = len(plan.arriving)
        verb = "is" if number == 1 else "are"
        said.append(f"{counted(number)} {verb} being moved already")
    return said


def counted(number: int) -> str:
    """A number of replicas in words."""
    return f"{number} replica" if number == 1 else f"{number} replicas"


def below(paths: Iterable[str], mount: str) -> list[str]:
    """Those of ``paths`` that lie on the disk mounted at ``mount``."""
    root = mount.rstrip("/")
    return [path for path in paths if path == root or path.startswith(f"{root}/")]
