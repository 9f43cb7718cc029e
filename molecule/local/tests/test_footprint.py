"""Memory of the platform."""

from testing.cluster import Cluster

GIB = 1024**3


def test_all_containers_together_stay_under_ten_gibibytes(cluster: Cluster):
    machine = cluster.machine(cluster.topology.brokers[1])
    pids = machine.check_output(
        "for c in $(docker ps --quiet --filter label=kafka-metal.cluster=%s); do "
        "docker top $c -eo pid | tail -n +2; done",
        cluster.topology.cluster,
    ).split()
    # Proportional set size: shared pages are counted once.
    used = sum(
        int(line.split()[1]) * 1024
        for pid in pids
        for line in machine.run("cat /proc/%s/smaps_rollup", pid).stdout.splitlines()
        if line.startswith("Pss:")
    )

    assert 1 * GIB < used < 10 * GIB, f"{used / GIB:.1f} GiB"
