"""The driver with a folder of files as its topic, which can be killed at a defined point.

driver.py DECLARATION FOLDER [DEATH]: DEATH is one of DEATHS.
"""

import os
import re
import signal
import sys
from pathlib import Path
from typing import Any, NoReturn

sys.path.insert(0, "/sources/spark")
sys.path.insert(0, "/sources/declarations")

from kafka_metal_pipeline import cli, streams
from kafka_metal_pipeline.storage import Storage

# Method of the storage, pattern of its path, and the number of calls before the one that dies.
DEATHS = {
    "before the mark of a batch": ("write", r"/_staging/.*_mark\.json$", 2),
    "between two files of a batch": ("move", r"\.parquet$", 6),
    "before the mark of the archive": ("write", r"/kept/_mark\.json$", 1),
    "before the staging is deleted": ("remove", r"/_staging/", 2),
    "with a file in both places": ("copy", r"\.parquet$", 1),
}


def records(spark: Any, declaration: Any, starting: Any = None, limit: Any = None) -> Any:
    """Return lines of files, one file for each batch, as records of partition 0 of the topic."""
    lines = spark.readStream.schema("value STRING").option("maxFilesPerTrigger", 1)
    return lines.text(sys.argv[2]).selectExpr(
        "CAST(NULL AS BINARY) AS key",
        "CAST(value AS BINARY) AS value",
        "CAST(NULL AS ARRAY<STRUCT<key: STRING, value: BINARY>>) AS headers",
        "'in' AS topic",
        "0 AS partition",
        "CAST(get_json_object(value, '$.offset') AS BIGINT) AS offset",
        "CAST(get_json_object(value, '$.at') AS TIMESTAMP) AS timestamp",
    )


def die() -> NoReturn:
    """Kill all processes in this container at once, as in a crash of the machine."""
    print("dies here", flush=True)
    os.kill(-1, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)
    raise SystemExit("is still alive")


def die_at(method: str, like: str, passes: int) -> None:
    """Die in a call of the storage with a path that matches ``like``, after ``passes`` calls."""
    name = "move" if method == "copy" else method
    real, seen = getattr(Storage, name), [0]

    def dying(self: Storage, file: str, *rest: str) -> Any:
        if re.search(like, file):
            seen[0] += 1
            if seen[0] > passes:
                if method == "copy":
                    _copy(self, file, rest[0])
                die()
        return real(self, file, *rest)

    setattr(Storage, name, dying)


def _copy(storage: Storage, file: str, target: str) -> None:
    """Leave the state of an interrupted move, which is a copy and a deletion."""
    path, system = storage._locate(file)
    place, _ = storage._locate(target)
    system.mkdirs(place.getParent())
    copy = storage._jvm.org.apache.hadoop.fs.FileUtil.copy
    assert copy(system, path, system, place, False, storage._settings)


def report_archived_batches() -> None:
    """Print a line for each batch in the archive."""
    real = Storage.write

    def writing(self: Storage, file: str, text: str) -> None:
        real(self, file, text)
        if file.endswith("/kept/_mark.json"):
            print("archived", flush=True)

    Storage.write = writing  # type: ignore[method-assign]


report_archived_batches()
if len(sys.argv) > 3:
    die_at(*DEATHS[sys.argv[3]])
streams.records = records
sys.exit(cli.main(["run", str(Path(sys.argv[1]))]))
