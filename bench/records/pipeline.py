"""Outputs of the delivered pipeline, alone or together.

pipeline.py BOOTSTRAP DECLARATION OUTPUTS ROUNDS [MASTER]; every round starts from the first record,
with a checkpoint of its own, in the JVM of the one before. Measured is the way of the records: what
a start does before, as reading statements and checkpoints, is the same for any number of them.
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
    """The pipeline over everything that is there, once, with the outputs that are wanted.

    One alone takes all cores; of several each leaves one to the others.
    """
    # None is without an output: where only invalid records are wanted, the others do not start.
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
    """Read everything so many times."""
    bootstrap, file, wanted, rounds, *master = sys.argv[1:]
    body = yaml.safe_load(Path(file).read_text(encoding="utf-8"))
    for number in range(1, int(rounds) + 1):
        place = f"/tmp/round-{number}"
        names = wanted.split(",")
        declaration = declared(body, bootstrap, place, (master or ["local[2]"])[0], names)
        spark = session.connect(declaration)
        # One that is measured alone has nobody to read with.
        shared = names if len(names) > 1 else []
        limits = dict.fromkeys(checkpoint.all_of(declaration), declaration.source.max_per_trigger)
        read = reading.reader(spark, declaration, limits, shared)
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
