"""Checkpoints of a pipeline, read and damaged on the machine of its driver."""

from testing.cluster import Cluster
from testing.waiting import NotYet, wait_for


class Checkpoints:
    """Checkpoints of one pipeline, in the shared directory."""

    def __init__(self, cluster: Cluster, pipeline: str = "payments") -> None:
        driver = cluster.topology.drivers[pipeline]
        self._machine = cluster.machine(driver)
        self._folder = f"{cluster.topology.shared_dir}/checkpoints/{pipeline}"

    def outputs(self) -> list[str]:
        """Return the names of the outputs that have a checkpoint."""
        return self._machine.check_output("ls %s", self._folder).split()

    def newest(self, output: str, log: str) -> int:
        """Return the newest batch in ``offsets`` or ``commits`` of an output; -1 for none."""
        names = self._machine.check_output("ls %s/%s/%s", self._folder, output, log).split()
        return max((int(name) for name in names if name.isdecimal()), default=-1)

    def lose_newest(self, output: str, log: str) -> int:
        """Delete the newest file of a log and its checksum; return the number of its batch."""
        batch = self.newest(output, log)
        folder = f"{self._folder}/{output}/{log}"
        self._machine.check_output("rm %s/%s", folder, str(batch))
        self._machine.check_output("rm --force %s/.%s.crc", folder, str(batch))
        return batch

    def empty_newest_state(self, output: str) -> list[str]:
        """Truncate the newest state file of each partition, as a crash may; return their paths."""
        parts = f"{self._folder}/{output}/state/0"
        found = []
        for part in self._machine.check_output("ls %s", parts).split():
            if not part.isdecimal():
                continue
            names = self._machine.check_output("ls %s/%s", parts, part).split()
            versions = [int(name[:-6]) for name in names if name.endswith(".delta")]
            found.append(f"{parts}/{part}/{max(versions)}.delta")
            self._machine.check_output("truncate --size 0 %s", found[-1])
        return found

    def wait_for_batch(self, output: str, batch: int, seconds: float) -> None:
        """Wait until an output has committed this batch."""

        def committed() -> None:
            if (newest := self.newest(output, "commits")) < batch:
                raise NotYet(f"{output} has committed batch {newest}")

        wait_for(f"{output} has committed batch {batch}", committed, seconds)
