"""Queries of the platform's Prometheus with promtool."""

import json

from testing import pages
from testing.cluster import Cluster
from testing.waiting import NotYet, wait_for


class Prometheus:
    """Prometheus on one machine, listening on ``endpoint``."""

    def __init__(self, cluster: Cluster, machine: str, endpoint: str) -> None:
        self.machine = machine
        self._shell = cluster.shell(machine)
        self._container = f"{cluster.topology.cluster}-prometheus1"
        self._endpoint = endpoint
        # File in the container, so that no command line has the password.
        secured = pages.auth_header("monitoring-web")
        self._login = "--http.config.file=/etc/prometheus/client.yml" if secured else ""

    def query(self, expression: str) -> list[dict[str, str]]:
        """Return the labels of every series of an expression, now."""
        output = self._shell.check_output(
            f"docker exec %s promtool query -o json {self._login} instant http://%s %s",
            self._container, self._endpoint, expression,
        )  # fmt: skip
        return [series["metric"] for series in json.loads(output)]

    def firing(self, severity: str = ".+") -> set[str]:
        """Return the names of the firing alerts."""
        query = f'ALERTS{{alertstate="firing", severity=~"{severity}"}}'
        return {series["alertname"] for series in self.query(query)}

    def fired(self, severity: str, seconds: int) -> set[str]:
        """Return the names of the alerts that fired at any time in the last ``seconds``."""
        query = f'last_over_time(ALERTS{{alertstate="firing", severity="{severity}"}}[{seconds}s])'
        return {series["alertname"] for series in self.query(query)}

    def wait_for(self, alert: str, seconds: float) -> None:
        """Wait until an alert fires."""

        def fires() -> None:
            if alert not in (found := self.firing()):
                raise NotYet(f"firing: {sorted(found)}")

        wait_for(f"{alert} fires", fires, seconds, every=1)

    def wait_until_over(self, alert: str, seconds: float) -> None:
        """Wait until an alert no longer fires."""

        def is_over() -> None:
            if alert in self.firing():
                raise NotYet(f"{alert} fires")

        wait_for(f"{alert} is over", is_over, seconds, every=1)

    def wait_for_targets(self, seconds: float) -> None:
        """Wait until every scrape target is up."""

        def all_up() -> None:
            down = [f"{one['job']} {one['instance']}" for one in self.query("up == 0")]
            if down or not self.query("up"):
                raise NotYet(f"down: {down}")

        wait_for("every target is up", all_up, seconds, every=1)
