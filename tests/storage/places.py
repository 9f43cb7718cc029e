"""A declared storage, and Spark in containers with the configuration that the roles create."""

import json
from pathlib import Path
from typing import Any

import servers
import yaml
from ansible_collections.metal.kafka.plugins.filter.pipeline import pipeline_document
from ansible_collections.metal.kafka.plugins.filter.storage import storage
from containers import INSIDE, ROOT, Container, Containers, eventually, free_port

KINDS = ("path", "s3", "hdfs")
# Number of files (one for each batch), of lines in each, and of days (folders) of the lines.
FILES, LINES, DAYS = 20, 40, 4
EXPECTED = list(range(FILES * LINES))
DECLARED = {
    "use": "archive",
    "topics": ["in"],
    "path": "kept",
    "trigger": "available-now",
    "resources": {"cores": 2, "executor_memory": "512m", "driver_memory": "512m"},
}


class Place:
    """The storage, a Spark master and worker, and the records that pipelines read."""

    def __init__(self, kind: str, root: Path, containers: Containers) -> None:
        """Start everything, with files below ``root``."""
        self.kind, self.root, self._containers = kind, root, containers
        for folder in ("server", "files", "shared", "lines"):
            (root / folder).mkdir()
        (root / "shared").chmod(0o777)
        self.declared = self._declared()
        self.storage = storage(self.declared, "test")
        for file in (*self.storage["files"], *self.storage["secret_files"]):
            (root / "files" / file["name"]).write_text(file["content"])
        for number in range(FILES):
            lines = (
                json.dumps({"offset": n, "at": f"2026-05-0{1 + n % DAYS}T12:00:00Z"})
                for n in range(number * LINES, (number + 1) * LINES)
            )
            (root / "lines" / f"{number:03}.txt").write_text("\n".join(lines) + "\n")
        self.master = self._cluster()

    def drive(self, name: str, death: str = "") -> Container:
        """Start the driver of the pipeline ``name``; it dies at ``death``, if not empty.

        A driver that dies has a local executor, which starts in half the time.
        """
        site = {
            **self.storage["roots"],
            "bootstrap": ["127.0.0.1:9"],
            "master": "local[2]" if death else f"spark://{self.master}",
            "driver_host": "127.0.0.1",
            "spark_options": {**self.storage["spark"], "spark.port.maxRetries": "100"},
        }
        document = pipeline_document(DECLARED, name, site)
        (self.root / "files" / f"{name}.yml").write_text(yaml.safe_dump(document))
        words = ["python3", "/inside/driver.py", f"/etc/kafka-metal/{name}.yml", "/lines"]
        return self.run(*words, *filter(None, [death]))

    def run(self, *command: str, **environment: str) -> Container:
        """Start a command in a container with the configuration that the roles create."""
        volumes = {
            str(self.root / "files"): "/etc/kafka-metal:ro",
            str(self.root / "lines"): "/lines:ro",
            str(INSIDE): "/inside:ro",
            str(ROOT / "spark/src"): "/sources/spark:ro",
            str(ROOT / "declarations/src"): "/sources/declarations:ro",
        }
        if self.storage["mounted"]:
            volumes[str(self.root / "shared")] = "/shared"
        own = {"SPARK_LOCAL_DIRS": "/work", "SPARK_LOCAL_IP": "127.0.0.1"}
        return self._containers.start(
            command, volumes, own | self.storage["environment"] | environment
        )

    def files(self) -> list[str]:
        """Return the paths of all files of the storage, below its root."""
        if self.kind == "path":
            shared = self.root / "shared"
            found = (each.relative_to(shared) for each in shared.rglob("*") if each.is_file())
            return [f"/{each.as_posix()}" for each in found]
        lines = self.class_output(
            "org.apache.hadoop.fs.FsShell", "-ls", "-R", self.storage["root"]
        ).splitlines()
        found = [line.split(maxsplit=7)[-1] for line in lines if line.startswith("-")]
        return [each.removeprefix(self.storage["root"]) for each in found]

    def archived(self) -> list[int]:
        """Return the offsets in the archive, with duplicates."""
        kept = f"{self.storage['root']}/archive/kept"
        if self.kind == "hdfs":
            # pyarrow needs a library for HDFS that no image has: it reads a copy.
            copy = "org.apache.hadoop.fs.FsShell -copyToLocal"
            words = (
                f"spark-class {copy} {kept} /work/kept && python3 /inside/archived.py /work/kept"
            )
            reader = self.run("sh", "-c", f"$SPARK_HOME/bin/{words}")
        elif self.kind == "s3":
            keys = {"AWS_SHARED_CREDENTIALS_FILE": "/etc/kafka-metal/s3-credentials"}
            words = ["python3", "/inside/archived.py", kept.removeprefix("s3a://")]
            reader = self.run(*words, self.declared["endpoint"], **keys)
        else:
            reader = self.run("python3", "/inside/archived.py", kept)
        assert reader.ended() == 0, reader.log()[-3000:]
        return [int(n) for n in json.loads(reader.output())]

    def class_output(self, *words: str) -> str:
        """Return the output of a class of Spark or Hadoop."""
        done = self.run("/opt/spark/home/bin/spark-class", *words)
        assert done.ended() == 0, done.log()[-3000:]
        return done.output()

    def _declared(self) -> dict[str, Any]:
        if self.kind == "s3":
            return {
                "kind": "s3",
                "bucket": servers.BUCKET,
                "endpoint": servers.versitygw(self.root / "server", self._containers),
                "access_key": servers.ACCESS_KEY,
                "secret_key": servers.SECRET_KEY,
            }
        if self.kind == "hdfs":
            return {
                "kind": "hdfs",
                "namenode": servers.hdfs(self.root / "server", self._containers),
                # User of the servers' containers: only this user may create the first directory.
                "user": "kafka-metal",
                "settings": {"dfs.replication": 1},
            }
        return {"kind": "path"}

    def _cluster(self) -> str:
        """Start a master and a worker; return the master's endpoint."""
        port, page, pages = free_port(), free_port(), free_port()
        where = f"127.0.0.1:{port}"
        self.run(
            *("spark-master", "--host", "127.0.0.1", "--port", str(port)),
            *("--webui-port", str(page)),
            SPARK_MASTER_OPTS="-Dspark.master.rest.enabled=false",
        )
        self.run(
            *("spark-worker", "--host", "127.0.0.1", "--port", str(free_port())),
            *("--webui-port", str(pages), "--cores", "2", "--memory", "1g", "--work-dir", "/work"),
            f"spark://{where}",
        )
        json_page = f"http://127.0.0.1:{page}/json/"
        eventually(
            lambda: '"ALIVE"' in servers.answer(json_page).partition("workers")[2], "a worker"
        )
        return where
