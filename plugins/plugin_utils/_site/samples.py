# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Schemas of samples; each file is read once per run.

Ansible renders a declaration for each value derived from it, many times in a run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible import constants

from .._declarations.declarations_package import infer_schema, with_schema
from .run_file import RunFile


def with_sample_schema(pipeline: Any) -> Any:
    """Return the pipeline with ``schema: {sample: FILE}`` replaced by DDL; raises SampleError.

    FILE is relative to the current directory of the run.
    """
    return with_schema(pipeline, Path.cwd(), _schema_in_this_run)


def _schema_in_this_run(file: Path, null: str, delimiter: str | None) -> str:
    try:
        now = file.stat()
    except OSError:
        # The reader's error names the file.
        return infer_schema(file, null, delimiter)
    about = f"sample {file} {now.st_mtime_ns} {now.st_size} {null!r} {delimiter!r}"
    run = RunFile(Path(constants.DEFAULT_LOCAL_TMP), about)
    found = run.value("schema", ["schema"], lambda: lambda _: infer_schema(file, null, delimiter))
    return str(found)
