"""What goes into the pipeline comes out, counted record by record."""

import json
import uuid

from testing.cluster import Cluster


def test_every_payment_is_accepted_or_invalid_and_every_fraud_is_found(cluster: Cluster):
    driver = cluster.topology.drivers["payments"]
    node = cluster.machine(driver)
    run = f"test-{uuid.uuid4().hex[:8]}"
    image = cluster.container(driver).inspect()["Config"]["Image"]
    # The tools as the image has them, beside the pipeline, on the node.
    tool = (
        "docker run --rm --network host --user 10001:10001 --read-only --tmpfs /tmp:exec "
        f"--volume {cluster.topology.shared_dir}:/shared --workdir /shared {image} kafka-metal "
    )
    ledger = f"/shared/{run}.json"
    node.check_output(
        f"{tool} demo send --bootstrap {cluster.topology.bootstrap} --topic payments "
        f"--count 20000 --rate 1000 --seed 7 --run {run} --ledger {ledger}"
    )
    node.check_output(
        f"{tool} demo reconcile --bootstrap {cluster.topology.bootstrap} --ledger {ledger} "
        "--archive /shared/archive/payments --fraud-topic fraudulent_payments "
        "--invalid-topic payments_invalid --metrics-topic payment_metrics "
        f"--timeout 180 --report /shared/{run}.report.json"
    )
    shared = cluster.topology.shared_dir
    sent = json.loads(node.file(f"{shared}/{run}.json").content_string)
    assert sent["acknowledged"] == 20_000
    # The generator plants both; without them nothing was proved.
    assert sent["frauds"] > 0
    assert sent["invalid"] > 0
