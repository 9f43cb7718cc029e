"""Measure outputs of the provided pipeline, one or several at once.

pipeline.py BOOTSTRAP DECLARATION OUTPUTS ROUNDS [MASTER]. Every round starts at the first record,
with a new checkpoint in the same JVM. The measurement excludes the start of the queries (parsing
statements, reading checkpoints), which is independent of the number of records.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

import yaml
from cost import cpu_seconds
from kafka_metal_declarations.declaration import parse
from kafka_metal_declarations.model import Declaration
from kafka_metal_pipeline import checkpoint, preparation, queries, reading, session


def declared(
    body: dict[str, Any], bootstrap: str, place: str, master: str, wanted: list[str]
) -> Declaration:
    """Return the pipeline with the wanted outputs, which processes all records once."""
    # A pipeline needs an output: for invalid records only, keep all outputs, which are not started.
    outputs = {name: each for name, each in body["outputs"].items() if name in wanted}
    body = {**body, "outputs": outputs or body["outputs"]}
    source = {**body["source"], "starting": "earliest"}
    site = {
        "master": master,
        "driver_host": "127.0.0.1",
        "bootstrap": [bootstrap],
        "checkpoint_root": f"{place}/checkpoints",
        "archive_root": f"{place}/archive",
    }
    return parse("payments", {**body, **site, "source": source, "trigger": "available-now"})


def main() -> None:
    """Process all records in each round and print the results."""
    bootstrap, file, wanted, rounds, *master = sys.argv[1:]
    body = yaml.safe_load(Path(file).read_text(encoding="utf-8"))
    for number in range(1, int(rounds) + 1):
        place = f"/tmp/round-{number}"
        names = wanted.split(",")
        declaration = declared(body, bootstrap, place, (master or ["local[2]"])[0], names)
        spark = session.connect(declaration)
        # A single output shares its read with no other.
        shared = names if len(names) > 1 else []
        limits = dict.fromkeys(
            checkpoint.all_checkpoints(declaration), declaration.source.max_per_trigger
        )
        read, _ = reading.reader(spark, declaration, limits, shared)
        flows = [flow for flow in queries.flows(read, declaration) if flow.name in names]
        prepared = [(flow, preparation.prepare(flow, declaration)) for flow in flows]
        began, used = time.monotonic(), cpu_seconds()
        running = [queries.start(flow, declaration, batches) for flow, batches in prepared]
        for query in running:
            query.awaitTermination()
        records = {
            query.name: sum(each["numInputRows"] for each in query.recentProgress)
            for query in running
        }
        print(json.dumps({"round": number, "records": max(records.values()),
                          "seconds": time.monotonic() - began, "cpu": cpu_seconds() - used}),
              flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
