"""Without its key store a control node changes nothing unless new keys are requested."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient
from testing import access, playbooks
from testing.cluster import Cluster

SECRETS = playbooks.state("molecule-local")


@contextmanager
def lost(folder: Path) -> Iterator[None]:
    """Move the folder away; restore it at the end, unless there is a new store."""
    away = folder.rename(f"{folder}.away")
    try:
        yield
    finally:
        if (folder / "store.vault").exists():
            shutil.rmtree(away)
        else:
            # A refused run may have created the folder.
            shutil.rmtree(folder, ignore_errors=True)
            away.rename(folder)


def starts(cluster: Cluster) -> dict[str, str]:
    """Return the start time of each container."""
    return {
        each.container: cluster.container(each).started() for each in cluster.topology.instances
    }


def test_a_run_without_the_store_changes_nothing(cluster: Cluster):
    # Earlier runs may have had other variables or tags; this one stores the baseline.
    playbooks.run("site")
    before = starts(cluster)
    with lost(SECRETS):
        refused = playbooks.run("site", check=False)
        stores = list(SECRETS.rglob("store.vault"))
    again = playbooks.run("site")

    assert refused.returncode != 0
    assert "it was created from another store; required: that store" in refused.stdout
    assert stores == []
    assert playbooks.changes(refused) == 0
    assert playbooks.changes(again) == 0
    assert starts(cluster) == before


def test_an_unreachable_engine_does_not_hide_the_foreign_cluster(cluster: Cluster):
    with lost(SECRETS):
        # As on a machine with a dead engine.
        unreachable = {"docker_socket": "/run/no-engine.sock"}
        refused = playbooks.run("credentials", extra=unreachable, check=False)
        away = playbooks.run("credentials", "--limit", "kafka", check=False)
        stores = list(SECRETS.rglob("store.vault"))

    assert refused.returncode != 0
    assert "it was created from another store; required: that store" in refused.stdout
    assert away.returncode != 0
    assert "it is not part of this run" in away.stdout
    assert stores == []
    assert playbooks.changes(playbooks.run("site")) == 0


def test_a_stopped_cluster_keeps_its_keys_unless_its_name_is_set(cluster: Cluster):
    old = access.librdkafka()
    playbooks.run("down")
    with lost(SECRETS):
        refused = playbooks.run("site", check=False)
        rotated = playbooks.run("rotate", extra={"rotate_what": "passwords"}, check=False)
        stores = list(SECRETS.rglob("store.vault"))
    playbooks.run("site")
    cluster.wait_until_whole()

    assert refused.returncode != 0
    assert "it was created from another store; required: that store" in refused.stdout
    assert playbooks.changes(refused) == 0
    assert rotated.returncode != 0
    assert "so nothing can be rotated" in rotated.stdout
    assert stores == []
    assert topics(cluster, old) > 0


def topics(cluster: Cluster, settings: dict[str, Any]) -> int:
    """Return the number of topics that a client sees; KafkaException if it is refused."""
    client = AdminClient({"bootstrap.servers": cluster.topology.bootstrap, **settings})
    return len(client.list_topics(timeout=10).topics)


def test_new_keys_keep_every_record_and_revoke_the_old_ones(cluster: Cluster):
    # Only the password is old later: the settings name the file of the CA, which is replaced.
    old = access.librdkafka()
    with cluster.stream(count=3_000, rate=1_000) as stream:
        stream.finish(seconds=120)
        with lost(SECRETS):
            name = {"security_replace_keys_of": "molecule-local"}
            running = playbooks.run("site", extra=name, check=False)
            assert running.returncode != 0
            assert "required: a stopped cluster before it gets new keys" in running.stdout
            playbooks.run("down")
            playbooks.run("site", extra=name)
        cluster.forget_tool_access()
        cluster.wait_until_whole()
        cluster.tools()
        result = stream.verify()
    # The run with new keys had an additional variable, so this one stores the baseline.
    playbooks.run("site")
    again = playbooks.run("site")

    assert topics(cluster, access.librdkafka()) > 0
    with pytest.raises(KafkaException):
        topics(cluster, old)
    assert result["found"] == 3_000
    assert result["lost_offsets"] == {}
    assert playbooks.changes(again) == 0
