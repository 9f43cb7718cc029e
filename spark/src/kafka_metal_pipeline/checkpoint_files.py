"""Recovery of a checkpoint that a crash damaged: it continues after its last complete batch.

Spark records a batch in ``offsets`` when it is planned and in ``commits`` when it is complete. A
statement's state after batch N has version N + 1. To start batch N, Spark needs the offsets of
batch N - 1, and version N of every state store.
"""

import json
import re
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from kafka_metal_pipeline.integrity import STATE_FILE, is_log
from kafka_metal_pipeline.plain_files import parse_json
from kafka_metal_pipeline.storage import FileStore

OFFSETS, COMMITS, STATE, SOURCES = "offsets", "commits", "state", "sources"
METADATA = "metadata"
# Names of Spark's batch files.
BATCH = re.compile(r"0|[1-9][0-9]*")
# A named state store, such as left-keyToNumValues.
STORE = r"[A-Za-z][\w-]*"
# Number of newest batches that are verified; Spark keeps 100 and reads the newest two.
READ = 50
DELTAS, SNAPSHOTS = {"delta", "changelog"}, {"snapshot", "zip"}


class CheckpointError(RuntimeError):
    """A checkpoint that must not be used; the message has a remedy."""


@dataclass(frozen=True)
class CheckpointFiles:
    """The files of one query's checkpoint; ``label`` names the query in messages."""

    files: FileStore
    location: str
    label: str

    def remove_damaged(self, query_id: str | None) -> list[str]:
        """Remove damaged files and return their names.

        ``query_id`` is the query's stored id, None if it is unknown.
        """
        self.files.drop_orphans(self.location)
        found = [*self._metadata(query_id), *self._logs()]
        for file in self._below(SOURCES):
            # Start offsets of the first batch; later batches start at the end of the one before.
            if self.newest(OFFSETS) > 0 or self.newest(COMMITS) >= 0:
                found += self._remove_if_damaged(file)
            elif not self.files.is_intact(f"{self.location}/{file}"):
                # The first batch was not committed: it is planned again.
                for log in (OFFSETS, SOURCES, STATE):
                    self.files.remove(f"{self.location}/{log}")
                found.append(file)
                break
        for file in self._below(STATE):
            if "/_metadata/" in file:
                found += self._remove_if_damaged(file)
        return found

    def roll_back(self, held: int | None) -> str | None:
        """Roll back to the last batch that Spark can start after; return what is repeated, or None.

        ``held`` is the newest batch in a target with a mark: it is not written again. Raises
        CheckpointError if batches would be lost, or written twice to such a target.
        """
        committed, planned = self.newest(COMMITS), self.newest(OFFSETS)
        if held is not None and held == planned > committed and not self.is_stateful:
            # Without state, a batch that is in the target need not be read again either.
            self.commit(held)
            committed = held
        if max(committed, planned) < 0:
            return None
        wanted = planned if planned > committed else committed + 1
        # Only plausible batches: a file's name may be any number.
        after = (each + 1 for each in reversed(self._batches(OFFSETS)) if each < wanted)
        version = next((each for each in (*after, 0) if self._can_start(each)), None)
        if version is None or (version == 0 and committed > 0):
            raise CheckpointError(self._lost(committed, planned))
        if held is not None and version < held:
            raise CheckpointError(
                f"{self.label}: its target has batches up to {held}, but a crash damaged the state "
                f"in its checkpoint {self.location} after batch {version - 1}: it cannot be "
                "computed again without writing batches twice. Restore the checkpoint from a "
                "backup, or give the output another name and another target, which starts at its "
                "own or the source's starting, and run `make up`."
            )
        if version < wanted:
            self._drop(version)
        self._fill(version)
        if version == wanted:
            return None
        return f"batch {version}" + (f" to {committed}" if committed > version else "")

    @property
    def is_stateful(self) -> bool:
        """Whether the query has state that it keeps between batches."""
        return STATE in self.files.names(self.location)

    def newest(self, log: str) -> int:
        """Return the newest batch in a log; -1 if there is none."""
        return max(self._batches(log), default=-1)

    def _batches(self, log: str) -> list[int]:
        return batches(self.files, f"{self.location}/{log}")

    def _metadata(self, query_id: str | None) -> list[str]:
        """Restore missing or damaged metadata, without which Spark refuses a used checkpoint."""
        text = self.files.read(f"{self.location}/{METADATA}")
        is_intact = text is not None and is_log(text) and "id" in text
        if is_intact and self.files.is_intact(f"{self.location}/{METADATA}"):
            return []
        if max(self.newest(OFFSETS), self.newest(COMMITS)) < 0 and text is None:
            return []
        self.files.remove(f"{self.location}/{METADATA}")
        known = query_id or str(uuid.uuid4())
        self.files.write(f"{self.location}/{METADATA}", json.dumps({"id": known}))
        return [METADATA]

    def _logs(self) -> Iterator[str]:
        for log in (OFFSETS, COMMITS):
            for batch in self._batches(log)[-READ:]:
                yield from self._remove_if_damaged(f"{log}/{batch}")

    def _remove_if_damaged(self, file: str) -> list[str]:
        if self.files.is_intact(f"{self.location}/{file}"):
            return []
        self.files.remove(f"{self.location}/{file}")
        return [file]

    def _below(self, folder: str) -> list[str]:
        names = self.files.files(f"{self.location}/{folder}")
        visible = (name for name in names if not name.rpartition("/")[2].startswith("."))
        return [f"{folder}/{name}" for name in visible]

    def _can_start(self, batch: int) -> bool:
        if batch and batch - 1 not in self._batches(OFFSETS):
            return False
        if not batch and 0 not in self._batches(OFFSETS) and self.newest(COMMITS) > 0:
            return False
        whole = cache(self.files.is_intact)
        return all(self._has(store, batch, whole) for store in self._stores())

    def _stores(self) -> list[str]:
        """Return the directories of all state stores, one per store and partition."""
        found = []
        root = f"{self.location}/{STATE}"
        for operator in filter(str.isdecimal, self.files.names(root)):
            for partition in filter(str.isdecimal, self.files.names(f"{root}/{operator}")):
                folder = f"{root}/{operator}/{partition}"
                names = self.files.names(folder)
                # A join has several named stores in subdirectories, an aggregate one unnamed store.
                # RocksDB adds a directory of files that several versions share.
                named = [each for each in names if re.fullmatch(STORE, each)]
                is_store = not named or any(map(STATE_FILE.fullmatch, names))
                found += [folder] if is_store else [f"{folder}/{each}" for each in named]
        return found

    def _has(self, store: str, version: int, whole: Callable[[str], bool]) -> bool:
        """Whether a version is readable: its snapshot, or its delta and the version before."""
        by_version: dict[int, dict[str, str]] = {}
        for name in self.files.names(store):
            if match := STATE_FILE.fullmatch(name):
                by_version.setdefault(int(match[1]), {})[match[2]] = f"{store}/{name}"
        while version > 0:
            found = by_version.get(version, {})
            damaged = [file for file in found.values() if not whole(file)]
            for file in damaged:
                self.files.remove(file)
            kinds = {kind for kind, file in found.items() if file not in damaged}
            if kinds & SNAPSHOTS:
                return True
            if not kinds & DELTAS:
                return False
            version -= 1
        return True

    def _drop(self, batch: int) -> None:
        """Remove the commits of ``batch`` and later ones, and everything after ``batch``."""
        for log, first in ((COMMITS, batch), (OFFSETS, batch + 1)):
            for each in reversed(self._batches(log)):
                if each >= first:
                    self.files.remove(f"{self.location}/{log}/{each}")
        if batch == 0:
            self.files.remove(f"{self.location}/{STATE}")
        for file in self._below(STATE):
            match = STATE_FILE.fullmatch(file.rpartition("/")[2])
            if match and int(match[1]) > batch:
                self.files.remove(f"{self.location}/{file}")

    def _fill(self, batch: int) -> None:
        """Restore files that Spark requires to start ``batch``, if a crash damaged them."""
        if batch and self.newest(COMMITS) < batch - 1:
            self.commit(batch - 1)
        planned = self.newest(OFFSETS)
        if planned > 0 and planned - 1 not in self._batches(OFFSETS):
            # Of a committed batch: Spark requires the file, but does not use its content.
            text = self.files.read(f"{self.location}/{OFFSETS}/{planned}") or ""
            self.files.write(f"{self.location}/{OFFSETS}/{planned - 1}", text)

    def commit(self, batch: int) -> None:
        """Commit a batch, with its own watermark."""
        text = self.files.read(f"{self.location}/{OFFSETS}/{batch}") or ""
        about = parse_json(text.splitlines()[1])
        note = {"nextBatchWatermarkMs": about.get("batchWatermarkMs", 0)}
        self.files.write(f"{self.location}/{COMMITS}/{batch}", f"v1\n{json.dumps(note)}")

    def _lost(self, committed: int, planned: int) -> str:
        lost = f"after batch {planned}" if planned >= 0 else "of all batches"
        what = f"the offsets {lost} are" if not self.is_stateful else "offsets or state are"
        return (
            f"{self.label} has committed batches up to {committed}, but {what} lost in its "
            f"checkpoint {self.location}. Restore its files from a backup, or give the output "
            "another name, which gets a new checkpoint and starts at its own or the source's "
            "starting, and run `make up`."
        )


def batches(files: FileStore, log: str) -> list[int]:
    """Return the batch numbers in a log, sorted; other file names are ignored."""
    return sorted(int(name) for name in files.names(log) if BATCH.fullmatch(name))
