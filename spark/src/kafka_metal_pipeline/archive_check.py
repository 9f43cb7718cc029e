"""Comparison of an archive's lists with its files, which other programs may delete or replace.

Only existence and size are read. A check reads at most FILES_PER_CHECK files, beginning with the
newest list and those not compared for the longest time, so large archives take several checks.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

from kafka_metal_declarations.model import Declaration

from kafka_metal_pipeline.archive import archive_location
from kafka_metal_pipeline.archive_lists import ArchiveLists, File, Removed
from kafka_metal_pipeline.status import Board
from kafka_metal_pipeline.storage import Files

log = logging.getLogger(__name__)

# An object store charges for each of these requests.
FILES_PER_CHECK = 10_000
EVERY_S = 3600.0
# Missing files are looked up again after this, so that restored files end an alert.
AGAIN_S = 30.0
# Without a change for this long, only the next check looks them up.
AGAIN_FOR_S = 600.0
# Files that one repetition looks up in vain.
FILES_AGAIN = 100


class SizedFiles(Files, Protocol):
    """Files whose size can be read."""

    def size(self, file: str) -> int | None:
        """Return the bytes of a file, None if it does not exist."""


@dataclass(frozen=True, slots=True)
class Result:
    """Files of a list, how many are missing or have another size, and the rows in these.

    ``some`` are up to FILES_AGAIN of these files, so that a repetition need not read the list.
    """

    files: int
    missing: int = 0
    rows: int = 0
    some: Mapping[str, File] = field(default_factory=dict)


class ArchiveCheck:
    """Compares one archive; keeps the result of each list, oldest comparison first."""

    def __init__(self, files: SizedFiles, location: str) -> None:
        """``location`` is the folder of the archive."""
        self._files, self._location = files, location
        self._lists = ArchiveLists(files, location)
        self._results: dict[int, Result] = {}

    def run(self) -> dict[str, Any]:
        """Compare the lists that are due; return the state as in the status.

        ``files``: listed files that this driver has compared; ``missing``: those that are missing
        or have another size, ``rows`` in them, and ``first``, the path of one, empty without one.
        """
        numbers = self._lists.numbers()
        self._results = {each: self._results[each] for each in self._results if each in numbers}
        new = [each for each in numbers if each not in self._results]
        # The newest list grows until the next one begins.
        self._compare(dict.fromkeys([*numbers[:2], *new, *self._results]))
        return self.state()

    def run_again(self) -> dict[str, Any]:
        """Look up missing files; return the state.

        Ends after FILES_AGAIN files that are still missing. A list is compared only if no known
        missing file of it is left.
        """
        removed, left = self._lists.removed(), FILES_AGAIN
        unknown: list[int] = []
        for number, one in list(self._results.items()):
            if one.missing and left:
                updated, vain = self._repeated(one, removed, left)
                self._results[number] = updated
                left -= vain
                if updated.missing and not updated.some:
                    unknown.append(number)
        self._compare(unknown)
        return self.state()

    def state(self) -> dict[str, Any]:
        """Return the state without reading anything; see ``run``."""
        results = self._results.values()
        return {
            "files": sum(each.files for each in results),
            "missing": sum(each.missing for each in results),
            "rows": sum(each.rows for each in results),
            "first": next((name for each in results for name in each.some), ""),
        }

    def _compare(self, numbers: Iterable[int]) -> None:
        removed, compared = self._lists.removed(), 0
        for number in numbers:
            if compared >= FILES_PER_CHECK:
                return
            found = self._result(number, removed)
            # The latest comparison is last.
            self._results.pop(number, None)
            self._results[number] = found
            compared += found.files

    def _result(self, number: int, removed: Removed) -> Result:
        listed = {
            name: file
            for name, file in self._lists.read(number).items()
            if not removed.covers(name)
        }
        missing = {name: file for name, file in listed.items() if self._is_missing(name, file)}
        rows = sum(file.rows for file in missing.values())
        return Result(len(listed), len(missing), rows, dict(islice(missing.items(), FILES_AGAIN)))

    def _repeated(self, before: Result, removed: Removed, limit: int) -> tuple[Result, int]:
        """Look up files of a result; return the new one, and how many were looked up in vain."""
        files, missing, rows, some = before.files, before.missing, before.rows, dict(before.some)
        vain = 0
        for name, file in before.some.items():
            if removed.covers(name):
                files -= 1
            elif vain == limit:
                continue
            elif self._is_missing(name, file):
                vain += 1
                continue
            missing, rows = missing - 1, rows - file.rows
            del some[name]
        return Result(files, missing, rows, some), vain

    def _is_missing(self, name: str, file: File) -> bool:
        return self._files.size(f"{self._location}/{name}") != file.size


def archive_checks(declaration: Declaration, files: SizedFiles) -> dict[str, ArchiveCheck]:
    """Return the checks of a pipeline's archives by output."""
    root = declaration.site.archive_root
    return {
        output.name: ArchiveCheck(files, archive_location(root, output))
        for output in declaration.outputs
        if output.path
    }


class ArchiveWatch:
    """Checks archives in a thread: at the start, and every EVERY_S seconds."""

    def __init__(
        self,
        checks: Mapping[str, ArchiveCheck],
        board: Board,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``checks`` are by output; their states are set on the board."""
        self._checks, self._board, self._clock = checks, board, clock
        self._stopping = threading.Event()
        self._due = dict.fromkeys(checks, clock())
        self._repeated_until = dict.fromkeys(checks, clock())

    def start(self) -> None:
        """Start the thread; without archives there is none."""
        if self._checks:
            threading.Thread(target=self._run, name="archives", daemon=True).start()

    def stop(self) -> None:
        """Start no further check."""
        self._stopping.set()

    def check_due(self) -> None:
        """Run the checks that are due; one that fails is repeated at its next time."""
        for name, check in self._checks.items():
            now, before = self._clock(), check.state()["missing"]
            is_due = now >= self._due[name]
            if not is_due and (not before or now >= self._repeated_until[name]):
                continue
            try:
                state = check.run() if is_due else check.run_again()
            except Exception as error:
                if not self._stopping.is_set():
                    log.warning("output %s: its archive was not compared: %s", name, error)
                continue
            finally:
                if is_due:
                    self._due[name] = self._clock() + EVERY_S
            if self._stopping.is_set():
                # The driver may run another declaration by now, without this output.
                return
            self._board.set_output(name, {"archive": state})
            if state["missing"] != before:
                self._repeated_until[name] = self._clock() + AGAIN_FOR_S
                log.error("output %s: files of its archive that are missing or changed: %s, "
                          "rows in them: %s, one of them: %s",
                          name, state["missing"], state["rows"], state["first"] or "-")  # fmt: skip

    def _run(self) -> None:
        while True:
            self.check_due()
            if self._stopping.wait(AGAIN_S):
                return
