"""The exporter ends at once, whatever it reads."""

import json
import signal
import subprocess
import sys
import time
from socket import create_server
from urllib.error import URLError
from urllib.request import urlopen

import pytest

RUN = "import sys; from kafka_metal_watch.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_exporter_while_nothing_responds(tmp_path, number):
    # It accepts connections by its backlog, and never responds.
    with create_server(("127.0.0.1", 0)) as silent, create_server(("127.0.0.1", 0)) as free:
        place, own = (f"127.0.0.1:{each.getsockname()[1]}" for each in (silent, free))
        free.close()
        config = {
            "listen": own,
            "kafka": {"bootstrap.servers": place},
            "pipelines": {"a": place},
            "prometheus": place,
        }
        (tmp_path / "watch.json").write_text(json.dumps(config))
        process = subprocess.Popen(
            [sys.executable, "-c", RUN, "exporter", str(tmp_path / "watch.json")],
            stderr=subprocess.PIPE,
        )
        try:
            _wait_until_it_serves(own)
            began = time.monotonic()
            process.send_signal(number)
            assert process.wait(30) == 0
            assert time.monotonic() - began < 2
        finally:
            process.kill()
            process.stderr.close()


def _wait_until_it_serves(endpoint):
    for _ in range(300):
        try:
            with urlopen(f"http://{endpoint}/problems.json", timeout=5):
                return
        except (URLError, ConnectionError):
            time.sleep(0.1)
    raise AssertionError("the exporter does not serve")
