"""The declared storage: the same for all of Spark, and checked before anything is changed."""

import pytest
from preflight_sites import Faults, ValidSite, problems

HDFS = {"kind": "hdfs", "namenode": "nn1:8020"}
S3 = {"kind": "s3", "bucket": "platform", "access_key": "a", "secret_key": "hidden"}


def shared(*values):
    """Plants a storage in each worker; all other hosts have the last one."""

    def plant(site):
        for host in site.hosts.values():
            host["shared_storage"] = values[-1]
        for number, value in enumerate(values[:-1], start=1):
            site.hosts[f"worker{number}"]["shared_storage"] = value

    return plant


FAULTS: Faults = {
    "an unknown kind": (
        shared({"kind": "nfs"}),
        ["all: shared_storage.kind: found 'nfs'", "one of hdfs, path, s3"],
    ),
    "a worker with another storage": (
        shared(HDFS, S3),
        ["worker1: shared_storage: found another storage than master1 has", "one for all of Spark"],
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_invalid_storage_is_reported(name):
    plant, expected = FAULTS[name]
    site = ValidSite()
    plant(site)
    (found,) = [each for each in problems(site) if "shared_storage" in each]
    for text in expected:
        assert text in found


@pytest.mark.parametrize("declared", [{"kind": "path"}, S3, HDFS])
def test_valid_storage_is_accepted(declared):
    site = ValidSite()
    shared(declared)(site)
    assert problems(site) == []
