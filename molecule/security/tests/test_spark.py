"""Spark refuses workers and clients without its secret: point 50 of the security checklist."""

import contextlib
import urllib.error
import urllib.parse
import urllib.request
import uuid

import pytest
from testing import pages
from testing.cluster import Cluster

TRUST = "--properties-file /etc/kafka-metal/spark.conf"
REGISTERED = "Successfully registered with master"


def worker(cluster: Cluster, trust: str) -> str:
    """Return the output of an additional worker on the machine of a declared one."""
    known = next(iter(cluster.topology.spark_workers.values()))
    machine, inspected = cluster.machine(known), cluster.container(known).inspect()
    master = next(word for word in inspected["Args"] if word.startswith("spark://"))
    name = f"test-{uuid.uuid4().hex[:8]}"
    return machine.run(
        "timeout --signal=KILL 40 docker run --rm --name %s --network host --user 10006:10001"
        " --env SPARK_NO_DAEMONIZE=true --env SPARK_DAEMON_MEMORY=128m"
        " --volume /etc/kafka-metal/%s:/etc/kafka-metal:ro"
        " %s timeout 25 spark-worker --cores 1 --memory 64m --work-dir /tmp --webui-port 0 "
        f"{trust} %s 2>&1",
        name, known.container, inspected["Config"]["Image"], master,
    ).stdout  # fmt: skip


def test_50_a_worker_without_the_secret_is_refused(cluster: Cluster):
    assert REGISTERED not in worker(cluster, trust="")
    # The same worker is accepted with the secret.
    assert REGISTERED in worker(cluster, TRUST)


def test_50_everything_is_encrypted_and_rest_submission_is_off(cluster: Cluster):
    for known in cluster.topology.spark_workers.values():
        output = cluster.machine(known).check_output(
            "docker exec %s cat /etc/kafka-metal/spark.conf", known.container
        )
        for wanted in ("network.crypto.enabled", "io.encryption.enabled", "authenticate"):
            assert f"spark.{wanted}=true" in output
        assert "spark.network.crypto.saslFallback=false" in output
        # REST submission has no authentication.
        listening = cluster.machine(known).check_output("ss -Hltn sport = :6066")
        assert listening == ""


def applications(page: str) -> list[str]:
    """Return the ids of running applications on a master's page; a standby has none."""
    return [each["id"] for each in pages.get(page)["activeapps"]]


def refused(url: str, headers: dict[str, str]) -> int:
    """Return the status code of a refused request."""
    with pytest.raises(urllib.error.HTTPError) as refusal:
        urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=5).close()
    refusal.value.close()
    return refusal.value.code


def test_50_a_page_requires_a_password(cluster: Cluster):
    assert cluster.topology.pages
    for each in cluster.topology.pages:
        place = f"http://{each.endpoint}"
        for path in ("/", "/json/", "/metrics/json/", "/static/webui.css", "/environment/"):
            assert refused(place + path, {}) == 401
        assert refused(place + "/", {"Authorization": "Basic b3BlcmF0b3I6"}) == 401


def test_50_an_application_cannot_be_killed_through_a_page(cluster: Cluster):
    masters = [master.endpoint for master in cluster.topology.spark_masters.values()]
    (page,) = (each for each in masters if applications(each))
    (running,) = applications(page)
    spec = urllib.parse.urlencode({"id": running, "terminate": "true"}).encode()
    for path in ("/app/kill/", "/driver/kill/"):
        with contextlib.suppress(urllib.error.HTTPError):
            request = urllib.request.Request(
                f"http://{page}{path}", data=spec, headers=pages.auth_header()
            )
            urllib.request.urlopen(request, timeout=5).close()
    assert applications(page) == [running]
