"""What Prometheus of the platform says, asked with its own tool."""

import json

from testing import pages
from testing.cluster import Cluster
from testing.waiting import NotYet, wait_for


class Prometheus:
    """Prometheus on one machine; ``endpoint`` is where it listens."""

    def __init__(self, cluster: Cluster, machine: str, endpoint: str) -> None:
        self._shell = cluster.shell(machine)
        self._container = f"{cluster.topology.cluster}-prometheus1"
        self._endpoint = endpoint
        # In the container, so that no command shows the password.
        secured = pages.auth_header("monitoring-web")
        self._login = "--http.config.file=/etc/prometheus/client.yml" if secured else ""

    def ask(self, expression: str) -> list[dict[str, str]]:
        """Labels of every series that an expression gives now."""
        output = self._shell.check_output(
            f"docker exec %s promtool query -o json {self._login} instant http://%s %s",
            self._container, self._endpoint, expression,
        )  # fmt: skip
        return [series["metric"] for series in json.loads(output)]

    def firing(self, severity: str = ".+") -> set[str]:
        """Names of the alerts that fire."""
        query = f'ALERTS{{alertstate="firing", severity=~"{severity}"}}'
        return {series["alertname"] for series in self.ask(query)}

    def fired(self, severity: str, seconds: int) -> set[str]:
        """Names of the alerts that fired at any time in the last so many seconds."""
        query = f'last_over_time(ALERTS{{alertstate="firing", severity="{severity}"}}[{seconds}s])'
        return {series["alertname"] for series in self.ask(query)}

    def wait_for(self, alert: str, seconds: float) -> None:
        """Wait until an alert fires."""

        def fires() -> None:
            if alert not in (found := self.firing()):
                raise NotYet(f"firing: {sorted(found)}")

        wait_for(f"{alert} fires", fires, seconds, every=1)

    def wait_until_over(self, alert: str, seconds: float) -> None:
        """Wait until an alert fires no more."""

        def is_over() -> None:
            if alert in self.firing():
                raise NotYet(f"{alert} fires")

        wait_for(f"{alert} is over", is_over, seconds, every=1)

    def wait_for_targets(self, seconds: float) -> None:
        """Wait until every target answers."""

        def all_up() -> None:
            down = [f"{one['job']} {one['instance']}" for one in self.ask("up == 0")]
            if down or not self.ask("up"):
                raise NotYet(f"down: {down}")

        wait_for("every target answers", all_up, seconds, every=1)
