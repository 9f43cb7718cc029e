"""Preflight accepts the declarations of each molecule scenario, before its hour begins."""

import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = sorted(ROOT.glob("molecule/*/molecule.yml"))
# Inventories that drills add to those of a scenario.
ADDED = {"local": ["registry"]}
CASES = {path.parent.name: (path, []) for path in SCENARIOS} | {
    f"{name} with {added}": (ROOT / f"molecule/{name}/molecule.yml", [added])
    for name, every in ADDED.items()
    for added in every
}


@pytest.mark.parametrize(("scenario", "added"), CASES.values(), ids=CASES)
def test_preflight_accepts_the_declarations(scenario, added, tmp_path):
    arguments = yaml.safe_load(scenario.read_text())["ansible"]["executor"]["args"]
    text = " ".join(arguments["ansible_playbook"])
    text = text.replace("${MOLECULE_PROJECT_DIRECTORY}", str(ROOT))
    inventories = text.replace("${MOLECULE_SCENARIO_DIRECTORY}", str(scenario.parent)).split()
    inventories += [f"--inventory={scenario.parent / each}" for each in added]

    command = ["ansible-playbook", "playbooks/internal_declarations.yml", *inventories]
    state = ["-e", f"kafka_metal_state={tmp_path}"]
    done = subprocess.run([*command, *state], cwd=ROOT, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "no problems" in done.stdout
