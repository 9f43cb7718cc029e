"""`make versions` with the images of `make images` on this machine."""

import json
import os
import subprocess
from pathlib import Path

import pytest
import yaml
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = yaml.safe_load((ROOT / "versions.yml").read_text())


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """The table, and the folder of CycloneDX files."""
    folder = tmp_path_factory.mktemp("versions") / "sbom"
    done = subprocess.run(
        [ROOT / "scripts/verb", "versions"],
        env={**os.environ, "SBOM": str(folder), "INVENTORY": "inventories/local"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout, folder


def rows(text: str) -> dict[str, list[str]]:
    """Return the columns of each line by component."""
    lines = (line.split() for line in text.split("\n\n")[0].splitlines())
    return {columns[1]: columns for columns in lines}


def test_the_table_lists_components_with_version_and_licence(written):
    found = rows(written[0])
    kafka = found[f"org.apache.kafka:kafka_{VERSIONS['scala']}"]
    assert kafka == ["jar", kafka[1], VERSIONS["kafka"], "Apache-2.0", "kafka"]
    assert found["pyspark"][2:4] == [VERSIONS["spark"], "Apache-2.0"]
    assert found["OpenJDK"][2].startswith(f"{VERSIONS['java']}.")
    assert found["openssl"][3] == "Apache-2.0"
    assert found["ansible-core"][-2:] == ["control", "node"]


def test_every_component_has_a_licence(written):
    assert "licence unknown: none" in written[0].splitlines()


def test_every_file_is_valid_cyclonedx_and_every_library_has_a_purl(written):
    files = {path.name: path.read_text() for path in written[1].iterdir()}
    assert {"kafka.cdx.json", "pipeline.cdx.json", "zookeeper.cdx.json"} < set(files)
    assert {"kafka-metal.cdx.json", "control-node.cdx.json"} < set(files)
    validator = JsonStrictValidator(SchemaVersion.V1_6)
    for name, text in files.items():
        assert validator.validate_str(text) is None, name
        bare = [
            each["name"]
            for each in json.loads(text)["components"]
            if each["type"] == "library" and not ("purl" in each and "version" in each)
        ]
        assert bare == [], name
