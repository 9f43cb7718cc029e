"""A driver is killed at every step: its archive has every record once, on every storage.

`pytest --rootdir tests/storage tests/storage`: real servers and a real Spark cluster.
"""

import json

import pytest
from containers import Container, eventually, free_port, output_of
from places import EXPECTED, FILES, Place
from servers import SECRET_KEY, answer

# Names in `inside/driver.py`.
DEATHS = (
    "before the mark of a batch",
    "between two files of a batch",
    "before the mark of the archive",
    "before the staging is deleted",
)
# An interrupted move, which is a copy and a deletion on S3.
IN_BOTH = "with a file in both places"
KILLED = 137


def batches(driver: Container) -> int:
    """Return the number of batches that a driver has archived."""
    return driver.log().count("archived\n")


def test_the_archive_has_every_record_once_after_crashes(place: Place) -> None:
    total = 0
    for death in (*DEATHS, IN_BOTH) if place.kind == "s3" else DEATHS:
        driver = place.drive("p", death)
        assert driver.ended() == KILLED, driver.log()[-3000:]
        assert "dies here" in driver.log(), death
        total += batches(driver)
    # At an arbitrary point, with executors that outlive their driver.
    driver = place.drive("p")
    eventually(lambda: batches(driver) > 2 or driver.code is not None, "batches")
    driver.kill()
    assert driver.ended() == KILLED, driver.log()[-3000:]
    assert total + batches(driver) < FILES, "nothing was left to do"

    last = place.drive("p")

    assert last.ended() == 0, last.log()[-3000:]
    assert place.archived() == EXPECTED


def test_the_storage_has_checkpoints_and_event_logs_and_no_temporary_files(place: Place) -> None:
    files = place.files()

    # One batch for each file, except a batch that was planned before a crash and has two.
    last = {log: newest(files, f"/checkpoints/p/archive/{log}/") for log in ("offsets", "commits")}
    assert last["offsets"] == last["commits"] > FILES // 2
    assert [file for file in files if file.startswith("/events/")]
    assert not [file for file in files if "/_staging/" in file or "__magic" in file]


def test_settings_of_the_site_apply_to_files(place: Place) -> None:
    if place.kind != "hdfs":
        pytest.skip("only HDFS has defaults in another file")
    mark = f"{place.storage['root']}/archive/kept/_mark.json"

    copies = place.class_output("org.apache.hadoop.fs.FsShell", "-stat", "%r", mark).splitlines()[
        -1
    ]

    assert copies == "1"


def test_a_history_server_creates_its_directory_and_lists_the_driver(place: Place) -> None:
    port = free_port()
    events = place.storage["events"]
    options = f"-Dspark.history.fs.logDirectory={events} -Dspark.history.ui.port={port}"
    words = [] if place.storage["mounted"] else [events]
    history = place.run("spark-history", *words, SPARK_HISTORY_OPTS=options)
    page = f"http://127.0.0.1:{port}/api/v1/applications"

    eventually(lambda: "pipeline-p" in answer(page) or history.code is not None, "a history")

    ended = [each for each in json.loads(answer(page)) if each["attempts"][0]["completed"]]
    assert len(ended) == 1, history.log()[-3000:]
    settings = answer(f"{page}/{ended[0]['id']}/environment")
    assert "fs.s3a" in settings or place.kind != "s3"
    assert SECRET_KEY not in settings


def test_keys_are_only_in_the_credentials_file(place: Place) -> None:
    if place.kind != "s3":
        pytest.skip("this storage has no keys")
    driver = place.drive("p")

    def processes() -> str:
        return output_of("docker", "top", driver.id, "-eo", "pid,args")

    eventually(lambda: "org.apache.spark.deploy.SparkSubmit" in processes(), "a session")
    shown = processes() + output_of("docker", "inspect", driver.id)

    assert "org.apache.spark.deploy.SparkSubmit" in shown
    assert driver.ended() == 0, driver.log()[-3000:]
    assert SECRET_KEY not in shown + driver.log()
    assert SECRET_KEY in (place.root / "files/s3-credentials").read_text()


def newest(files: list[str], folder: str) -> int:
    """Return the highest batch in a log of Spark; -1 if there is none."""
    names = [file.removeprefix(folder) for file in files if file.startswith(folder)]
    return max((int(name) for name in names if name.isdigit()), default=-1)
