"""A stopped platform starts again with all records and without changes."""

from testing.cluster import Cluster


def test_down_and_up_keep_every_record_and_cause_no_changes(cluster: Cluster, make):
    with cluster.stream(count=3_000, rate=1_000) as stream:
        stream.finish(seconds=120)
        down = make("down")
        up = make("up")
        assert down.returncode == 0, down.stdout[-3000:]
        assert up.returncode == 0, up.stdout[-3000:]
        cluster.wait_until_whole()
        result = stream.verify()
    plan = make("plan", STRICT="1")

    assert result["found"] == 3_000
    assert result["lost_offsets"] == {}
    assert plan.returncode == 0, plan.stdout[-3000:] + plan.stderr
    assert plan.stdout.splitlines()[-1] == "plan: nothing to do"
