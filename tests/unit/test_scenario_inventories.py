"""Preflight accepts the declarations of each molecule scenario, before its hour begins."""

import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = sorted(ROOT.glob("molecule/*/molecule.yml"))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.parent.name)
def test_preflight_accepts_the_declarations(scenario, tmp_path):
    arguments = yaml.safe_load(scenario.read_text())["ansible"]["executor"]["args"]
    text = " ".join(arguments["ansible_playbook"])
    text = text.replace("${MOLECULE_PROJECT_DIRECTORY}", str(ROOT))
    inventories = text.replace("${MOLECULE_SCENARIO_DIRECTORY}", str(scenario.parent)).split()

    command = ["ansible-playbook", "playbooks/internal_declarations.yml", *inventories]
    state = ["-e", f"kafka_metal_state={tmp_path}"]
    done = subprocess.run([*command, *state], cwd=ROOT, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "no problems" in done.stdout
