"""A pipeline whose driver dies at every step: its archive has every record once, on every storage.

`pytest --rootdir tests/storage tests/storage`: real servers and a real Spark cluster.
"""

import json

import pytest
from containers import Container, eventually, free_port, said
from places import EXPECTED, FILES, Place
from servers import SECRET_KEY, answer

# Each by its name in `inside/driver.py`.
DEATHS = (
    "before the mark of a batch",
    "between two files of a batch",
    "before the mark of the archive",
    "before the staging is gone",
)
# What is left of a move that is a copy and a deletion, as those of S3 are.
IN_BOTH = "with a file in both places"
KILLED = 137


def batches(driver: Container) -> int:
    """How many a driver has put into the archive."""
    return driver.log().count("archived\n")


def test_the_archive_has_every_record_once_whatever_dies(place: Place) -> None:
    total = 0
    for death in (*DEATHS, IN_BOTH) if place.kind == "s3" else DEATHS:
        driver = place.drive("p", death)
        assert driver.ended() == KILLED, driver.log()[-3000:]
        assert "dies here" in driver.log(), death
        total += batches(driver)
    # At no point in particular, by executors that outlive their driver.
    driver = place.drive("p")
    eventually(lambda: batches(driver) > 2 or driver.code is not None, "batches")
    driver.kill()
    assert driver.ended() == KILLED, driver.log()[-3000:]
    assert total + batches(driver) < FILES, "nothing was left to do"

    last = place.drive("p")

    assert last.ended() == 0, last.log()[-3000:]
    assert place.archived() == EXPECTED


def test_checkpoint_and_event_log_lie_there_and_nothing_is_left_behind(place: Place) -> None:
    files = place.files()

    # As many batches as files, but for one that was planned when its driver died and took two.
    last = {log: newest(files, f"/checkpoints/p/archive/{log}/") for log in ("offsets", "commits")}
    assert last["offsets"] == last["commits"] > FILES // 2
    assert [file for file in files if file.startswith("/events/")]
    assert not [file for file in files if "/_staging/" in file or "__magic" in file]


def test_settings_of_the_site_are_those_of_the_files(place: Place) -> None:
    if place.kind != "hdfs":
        pytest.skip("settings of HDFS are those with defaults in another file")
    mark = f"{place.storage['root']}/archive/kept/_mark.json"

    copies = place.said("org.apache.hadoop.fs.FsShell", "-stat", "%r", mark).splitlines()[-1]

    assert copies == "1"


def test_a_history_makes_its_directory_and_tells_of_the_driver(place: Place) -> None:
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


def test_keys_are_in_the_file_alone(place: Place) -> None:
    if place.kind != "s3":
        pytest.skip("there are no keys")
    driver = place.drive("p")

    def processes() -> str:
        return said("docker", "top", driver.id, "-eo", "pid,args")

    eventually(lambda: "org.apache.spark.deploy.SparkSubmit" in processes(), "a session")
    shown = processes() + said("docker", "inspect", driver.id)

    assert "org.apache.spark.deploy.SparkSubmit" in shown
    assert driver.ended() == 0, driver.log()[-3000:]
    assert SECRET_KEY not in shown + driver.log()
    assert SECRET_KEY in (place.root / "files/s3-credentials").read_text()


def newest(files: list[str], folder: str) -> int:
    """The highest batch in a log of Spark; -1 when there is none."""
    names = [file.removeprefix(folder) for file in files if file.startswith(folder)]
    return max((int(name) for name in names if name.isdigit()), default=-1)
