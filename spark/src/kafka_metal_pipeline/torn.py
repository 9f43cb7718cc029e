"""A checkpoint that a crash left torn goes on from its last whole batch.

Spark notes a batch in ``offsets`` when it is planned and in ``commits`` when it is made. The state
of a statement after batch N is version N + 1. To start with batch N, Spark needs the offsets of
batch N - 1, and version N of every store of the state.
"""

import json
import re
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from kafka_metal_pipeline.plain_files import parsed
from kafka_metal_pipeline.storage import Shelf
from kafka_metal_pipeline.wholeness import STATE_FILE, is_log

OFFSETS, COMMITS, STATE, SOURCES = "offsets", "commits", "state", "sources"
METADATA = "metadata"
# As Spark writes the numbers of batches.
BATCH = re.compile(r"0|[1-9][0-9]*")
# A store that has a name, as left-keyToNumValues.
STORE = r"[A-Za-z][\w-]*"
# Spark keeps a hundred batches, and reads the newest two.
READ = 50
DELTAS, SNAPSHOTS = {"delta", "changelog"}, {"snapshot", "zip"}


class CheckpointError(RuntimeError):
    """A checkpoint that must not be used; the message says what to do instead."""


@dataclass(frozen=True)
class Torn:
    """The files of one query's checkpoint; ``who`` names the query in messages."""

    files: Shelf
    location: str
    who: str

    def sweep(self, query_id: str | None) -> list[str]:
        """Remove files that are not whole; their names.

        ``query_id`` is the id that the query is known by, None when nobody knows it.
        """
        self.files.drop_orphans(self.location)
        found = [*self._metadata(query_id), *self._logs()]
        for file in self._below(SOURCES):
            # Where the first batch began. Later ones begin where the one before has ended.
            if self.newest(OFFSETS) > 0 or self.newest(COMMITS) >= 0:
                found += self._removed_if_torn(file)
            elif not self.files.is_whole(f"{self.location}/{file}"):
                # The first batch was not made: it is planned anew.
                for log in (OFFSETS, SOURCES, STATE):
                    self.files.remove(f"{self.location}/{log}")
                found.append(file)
                break
        for file in self._below(STATE):
            if "/_metadata/" in file:
                found += self._removed_if_torn(file)
        return found

    def settle(self, held: int | None) -> str | None:
        """Drop back to the last batch that Spark can start after; what comes again, or None.

        ``held`` is the newest batch that a target with a mark holds: it is not written again.
        Raises CheckpointError where batches would be lost, or written twice in such a target.
        """
        made, planned = self.newest(COMMITS), self.newest(OFFSETS)
        if held is not None and held == planned > made and not self.is_stateful:
            # What is held needs no reading either.
            self.commit(held)
            made = held
        if max(made, planned) < 0:
            return None
        wanted = planned if planned > made else made + 1
        # Only batches that can be: a name in the log may be any number.
        after = (each + 1 for each in reversed(self._batches(OFFSETS)) if each < wanted)
        version = next((each for each in (*after, 0) if self._can_start(each)), None)
        if version is None or (version == 0 and made > 0):
            raise CheckpointError(self._lost(made, planned))
        if held is not None and version < held:
            raise CheckpointError(
                f"{self.who}: its target holds batches up to {held}, and what its checkpoint "
                f"{self.location} knows of the batches after {version - 1} was torn by a crash: "
                "its state cannot be made again without writing them twice. Bring the checkpoint "
                "back from a copy, or give the output another name and another target, which "
                "reads from source.starting or its own, and run `make up`."
            )
        if version < wanted:
            self._drop(version)
        self._fill(version)
        if version == wanted:
            return None
        return f"batch {version}" + (f" to {made}" if made > version else "")

    @property
    def is_stateful(self) -> bool:
        """Whether the query has rows that it keeps from batch to batch."""
        return STATE in self.files.names(self.location)

    def newest(self, log: str) -> int:
        """The newest batch in a log; -1 when there is none."""
        return max(self._batches(log), default=-1)

    def _batches(self, log: str) -> list[int]:
        return batches(self.files, f"{self.location}/{log}")

    def _metadata(self, query_id: str | None) -> list[str]:
        """Spark takes a checkpoint without metadata for a new one, or for a mistake."""
        text = self.files.read(f"{self.location}/{METADATA}")
        is_whole = text is not None and is_log(text) and "id" in text
        if is_whole and self.files.is_whole(f"{self.location}/{METADATA}"):
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
                yield from self._removed_if_torn(f"{log}/{batch}")

    def _removed_if_torn(self, file: str) -> list[str]:
        if self.files.is_whole(f"{self.location}/{file}"):
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
        whole = cache(self.files.is_whole)
        return all(self._has(store, batch, whole) for store in self._stores())

    def _stores(self) -> list[str]:
        """Folders of the state's files, one for each store of each partition."""
        found = []
        root = f"{self.location}/{STATE}"
        for operator in filter(str.isdecimal, self.files.names(root)):
            for partition in filter(str.isdecimal, self.files.names(f"{root}/{operator}")):
                folder = f"{root}/{operator}/{partition}"
                names = self.files.names(folder)
                # A join has several stores in folders, an aggregate has one without a name. With
                # RocksDB there is a folder of files that belong to several versions.
                named = [each for each in names if re.fullmatch(STORE, each)]
                is_store = not named or any(map(STATE_FILE.fullmatch, names))
                found += [folder] if is_store else [f"{folder}/{each}" for each in named]
        return found

    def _has(self, store: str, version: int, whole: Callable[[str], bool]) -> bool:
        """Whether a version can be read: its snapshot, or its delta and the version before."""
        by_version: dict[int, dict[str, str]] = {}
        for name in self.files.names(store):
            if match := STATE_FILE.fullmatch(name):
                by_version.setdefault(int(match[1]), {})[match[2]] = f"{store}/{name}"
        while version > 0:
            found = by_version.get(version, {})
            torn = [file for file in found.values() if not whole(file)]
            for file in torn:
                self.files.remove(file)
            kinds = {kind for kind, file in found.items() if file not in torn}
            if kinds & SNAPSHOTS:
                return True
            if not kinds & DELTAS:
                return False
            version -= 1
        return True

    def _drop(self, batch: int) -> None:
        """Take back that ``batch`` and those after it were made, and what follows ``batch``."""
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
        """Write what Spark asks for before it starts with ``batch``, where a crash took it."""
        if batch and self.newest(COMMITS) < batch - 1:
            self.commit(batch - 1)
        planned = self.newest(OFFSETS)
        if planned > 0 and planned - 1 not in self._batches(OFFSETS):
            # Of a batch that was made: asked for, and not used.
            text = self.files.read(f"{self.location}/{OFFSETS}/{planned}") or ""
            self.files.write(f"{self.location}/{OFFSETS}/{planned - 1}", text)

    def commit(self, batch: int) -> None:
        """Note that a batch was made; its watermark is that which the batch itself had."""
        text = self.files.read(f"{self.location}/{OFFSETS}/{batch}") or ""
        about = parsed(text.splitlines()[1])
        note = {"nextBatchWatermarkMs": about.get("batchWatermarkMs", 0)}
        self.files.write(f"{self.location}/{COMMITS}/{batch}", f"v1\n{json.dumps(note)}")

    def _lost(self, made: int, planned: int) -> str:
        lost = f"after batch {planned}" if planned >= 0 else "of all batches"
        what = f"the offsets {lost} are" if not self.is_stateful else "offsets or state are"
        return (
            f"{self.who} has made batches up to {made}, and of its checkpoint {self.location} "
            f"{what} lost. Bring its files back from a copy, or give the output another name, "
            "which gets a checkpoint of its own and reads from source.starting or its own, and "
            "run `make up`."
        )


def batches(files: Shelf, log: str) -> list[int]:
    """Numbers of the batches in a log, in order; what Spark would not name so is none."""
    return sorted(int(name) for name in files.names(log) if BATCH.fullmatch(name))
