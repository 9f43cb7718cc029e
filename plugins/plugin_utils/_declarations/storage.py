# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Storage of checkpoints, archives and event logs of Spark's applications, from one declaration.

A directory that all hosts share, a bucket of an S3-compatible store, or HDFS. Roots, settings of
Hadoop's client and of Spark, and the file with the keys are derived from it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape

from ...module_utils._common.properties_file import PropertyError, as_text
from .declaration_reader import Reader, format_value

STORAGE = "shared_storage"
PATH, S3, HDFS = "path", "s3", "hdfs"
KEYS = {
    PATH: ("kind",),
    S3: (
        *("kind", "bucket", "prefix", "endpoint", "region", "path_style"),
        *("access_key", "secret_key", "settings"),
    ),
    HDFS: ("kind", "namenode", "path", "user", "settings"),
}
REQUIRED = {PATH: (), S3: ("bucket", "access_key", "secret_key"), HDFS: ("namenode",)}
HINTS = {PATH: {"path": "spark_shared_dir and pipeline_shared_dir for the directory"}}
# Path of the directory of kind path in every container.
MOUNTED = "/shared"
# Directory of files in containers, and the file with the keys of S3.
FILES = "/etc/kafka-metal"
CREDENTIALS = "s3-credentials"
# Hadoop's defaults of these keys override core-site.xml, so they need their own files.
SITES = {"dfs.": "hdfs-site.xml", "mapreduce.": "mapred-site.xml"}
SITE = "core-site.xml"
# Other S3 stores have no regions, but clients need one for signatures.
NO_REGION = "us-east-1"

BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
FOLDERS = re.compile(r"[\w.=-]+(/[\w.=-]+)*")
ENDPOINT = re.compile(r"https?://([\w.-]+|\[[0-9a-fA-F:]+\])(:\d{1,5})?/?")
# A nameservice of several namenodes has no port.
NAMENODE = re.compile(r"([\w.-]+|\[[0-9a-fA-F:]+\])(:\d{1,5})?")
SIMPLE_NAME = re.compile(r"[\w.-]+")
# One line in the file with the keys.
KEY = re.compile(r"\S+")
SECRET = re.compile(r"secret|password|access\.?key|session\.token|encryption\.key", re.IGNORECASE)

# Drivers and executors run as users of one group, which must be able to write.
PATH_SPARK = {"spark.hadoop.fs.permissions.umask-mode": "007"}
# A rename in S3 is a copy and a deletion. So checkpoint files are written under their final name in
# one upload, and the output of tasks is committed at the end of the job.
_CLOUD = "org.apache.spark.internal.io.cloud"
S3_SPARK = {
    "spark.sql.streaming.checkpointFileManagerClass": (
        f"{_CLOUD}.AbortableStreamBasedCheckpointFileManager"
    ),
    "spark.sql.sources.commitProtocolClass": f"{_CLOUD}.PathOutputCommitProtocol",
    "spark.sql.parquet.output.committer.class": f"{_CLOUD}.BindingParquetOutputCommitter",
    # A log file is visible only when complete; this is the smallest size that Spark allows.
    "spark.eventLog.rolling.maxFileSize": "10m",
}
S3_HADOOP = {
    "fs.s3a.committer.name": "magic",
    "fs.s3a.aws.credentials.provider": (
        "org.apache.hadoop.fs.s3a.auth.ProfileAWSCredentialsProvider"
    ),
    "fs.s3a.auth.profile.file": f"{FILES}/{CREDENTIALS}",
    # Buffers uploads on the scratch disk instead of memory.
    "fs.s3a.buffer.dir": "/work/s3a",
}


@dataclass(frozen=True)
class Storage:
    """Settings derived from a declaration.

    ``root`` is the root of all paths; ``mounted``: it is a directory of the host. ``settings`` are
    for Hadoop's client, ``spark`` for drivers; ``credentials`` is the file with the keys.
    """

    kind: str
    root: str = MOUNTED
    mounted: bool = True
    settings: Mapping[str, str] = field(default_factory=dict)
    spark: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    credentials: str = field(default="", repr=False)

    @property
    def events(self) -> str:
        """Directory of the applications' event logs, for Spark's settings."""
        return f"file:{MOUNTED}/events" if self.mounted else f"{self.root}/events"

    @property
    def files(self) -> list[dict[str, str]]:
        """Files of all containers that use the storage."""
        parts: dict[str, dict[str, str]] = {} if self.mounted else {SITE: {}}
        for name, value in self.settings.items():
            site = next((file for part, file in SITES.items() if name.startswith(part)), SITE)
            parts.setdefault(site, {})[name] = value
        return [{"name": name, "content": to_xml(each)} for name, each in sorted(parts.items())]

    @property
    def secret_files(self) -> list[dict[str, str]]:
        """Files that only the container's user may read."""
        return [{"name": CREDENTIALS, "content": self.credentials}] if self.credentials else []


def read_storage(reader: Reader, declared: Any, cluster: str) -> Storage:
    """Return the storage of a declaration; faults are added to ``reader``.

    ``cluster`` is the cluster's name, which is part of the default paths.
    """
    if not isinstance(declared, Mapping):
        reader.refuse(
            STORAGE, format_value(declared), f"a mapping with a kind, one of {', '.join(KEYS)}"
        )
        return Storage(PATH, spark=PATH_SPARK)
    kind = reader.choice(f"{STORAGE}.kind", declared.get("kind"), KEYS)
    if kind is None:
        return Storage(PATH, spark=PATH_SPARK)
    given = reader.mapping(STORAGE, declared, KEYS[kind], REQUIRED[kind], HINTS.get(kind))
    settings = _settings(reader, given.get("settings", {}))
    if kind == S3:
        return _s3(reader, given, settings, cluster)
    if kind == HDFS:
        return _hdfs(reader, given, settings, cluster)
    return Storage(PATH, spark=PATH_SPARK)


def parse_storage(declared: Any, cluster: str) -> Storage:
    """Like ``read_storage``, but raise DeclarationError with all faults."""
    reader = Reader()
    found = read_storage(reader, declared, cluster)
    reader.finish()
    return found


def to_xml(settings: Mapping[str, str]) -> str:
    """Text of a file with settings of Hadoop's client."""
    lines = [
        f"  <property><name>{escape(name)}</name><value>{escape(value)}</value></property>"
        for name, value in sorted(settings.items())
    ]
    return "\n".join(["<configuration>", *lines, "</configuration>", ""])


def _s3(
    reader: Reader, given: Mapping[str, Any], settings: dict[str, str], cluster: str
) -> Storage:
    def text(key: str, pattern: re.Pattern[str], allowed: str) -> str | None:
        return _text(reader, given, key, pattern, allowed)

    bucket = text("bucket", BUCKET, "a bucket's name: 3 to 63 of a to z, 0 to 9, . and -")
    prefix = text("prefix", FOLDERS, "names with / between them") or f"kafka-metal/{cluster}"
    endpoint = text("endpoint", ENDPOINT, "a URL as https://host:port, or nothing for AWS")
    region = text("region", SIMPLE_NAME, "a region's name")
    style = given.get("path_style", endpoint is not None)
    own = {"fs.s3a.endpoint.region": region or NO_REGION}
    if endpoint:
        own["fs.s3a.endpoint"] = endpoint
    if reader.switch(f"{STORAGE}.path_style", style):
        own["fs.s3a.path.style.access"] = "true"
    keys = {key: _secret(reader, given, key) for key in ("access_key", "secret_key")}
    return Storage(
        kind=S3,
        root=f"s3a://{bucket}/{prefix}",
        mounted=False,
        settings={**S3_HADOOP, **own, **settings},
        spark=S3_SPARK,
        environment={"HADOOP_CONF_DIR": FILES},
        credentials=(
            f"[default]\naws_access_key_id = {keys['access_key']}\n"
            f"aws_secret_access_key = {keys['secret_key']}\n"
        ),
    )


def _hdfs(
    reader: Reader, given: Mapping[str, Any], settings: dict[str, str], cluster: str
) -> Storage:
    namenode = _text(reader, given, "namenode", NAMENODE, "HOST:PORT, or the name of a nameservice")
    path = _text(reader, given, "path", FOLDERS, "names with / between them, without the first /")
    user = _text(reader, given, "user", SIMPLE_NAME, "a user's name")
    return Storage(
        kind=HDFS,
        root=f"hdfs://{namenode}/{path or f'kafka-metal/{cluster}'}",
        mounted=False,
        settings=settings,
        environment={"HADOOP_CONF_DIR": FILES} | ({"HADOOP_USER_NAME": user} if user else {}),
    )


def _settings(reader: Reader, given: Any) -> dict[str, str]:
    """Additional settings of Hadoop's client that the site declares."""
    found = {}
    for where, name, value in reader.named(f"{STORAGE}.settings", given):
        if SECRET.search(name):
            reader.refuse(where, "a key that may hold a secret", "access_key and secret_key")
            continue
        try:
            found[name] = as_text(name, value)
        except PropertyError:
            reader.refuse(where, format_value(value), "text, a number, true or false, or a list")
    return found


def _text(
    reader: Reader, given: Mapping[str, Any], key: str, pattern: re.Pattern[str], allowed: str
) -> str | None:
    if key not in given:
        return None
    return reader.text(f"{STORAGE}.{key}", given[key], pattern, allowed)


def _secret(reader: Reader, given: Mapping[str, Any], key: str) -> str:
    """A key; the message of a fault does not contain it."""
    value = given.get(key)
    if value is not None and not (isinstance(value, str) and KEY.fullmatch(value)):
        reader.refuse(f"{STORAGE}.{key}", "an invalid key", "text without spaces")
    return str(value)
