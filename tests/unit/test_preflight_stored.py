"""The declared storage: one for all of Spark, and told before anything is touched when wrong."""

import pytest
from preflight_sites import Faults, Sound, problems

HDFS = {"kind": "hdfs", "namenode": "nn1:8020"}
S3 = {"kind": "s3", "bucket": "platform", "access_key": "a", "secret_key": "hidden"}


def shared(*values):
    """Plants a storage in the worker of each machine; the last is that of all others."""

    def plant(site):
        for host in site.hosts.values():
            host["shared_storage"] = values[-1]
        for number, value in enumerate(values[:-1], start=1):
            site.hosts[f"worker{number}"]["shared_storage"] = value

    return plant


FAULTS: Faults = {
    "a kind that there is not": (
        shared({"kind": "nfs"}),
        ["master1: shared_storage.kind: found 'nfs'", "one of hdfs, path, s3"],
    ),
    "a worker with another storage": (
        shared(HDFS, S3),
        ["worker1: shared_storage: found another storage than master1 has", "one for all of Spark"],
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_preflight_refuses_before_anything_is_touched(name):
    plant, expected = FAULTS[name]
    site = Sound()
    plant(site)
    (told,) = [each for each in problems(site) if "shared_storage" in each]
    for text in expected:
        assert text in told


@pytest.mark.parametrize("declared", [{"kind": "path"}, S3, HDFS])
def test_preflight_lets_sound_storages_be(declared):
    site = Sound()
    shared(declared)(site)
    assert problems(site) == []
