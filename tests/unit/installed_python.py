"""A Python environment with the packages of this one, except those of the checkout."""

import subprocess
import sys
from pathlib import Path

COMMANDS = {"ansible-galaxy": "galaxy", "ansible-playbook": "playbook"}


def create_environment(folder: Path, packages: Path) -> Path:
    """Create ``folder/venv`` with Ansible's commands; ``packages`` is a site-packages directory."""
    hidden = folder / "packages"
    (hidden / "ansible_collections").mkdir(parents=True)
    for each in packages.iterdir():
        if each.name == "ansible_collections":
            for namespace in each.iterdir():
                if namespace.name != "metal":
                    (hidden / each.name / namespace.name).symlink_to(namespace)
        elif "kafka_metal" not in each.name and each.suffix != ".pth":
            (hidden / each.name).symlink_to(each)
    venv = folder / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    (own,) = venv.glob("lib/python*/site-packages")
    (own / "hidden.pth").write_text(f"{hidden}\n")
    for command, module in COMMANDS.items():
        script = venv / "bin" / command
        main = f"from ansible.cli.{module} import main\nraise SystemExit(main())\n"
        script.write_text(f"#!{venv}/bin/python\n{main}")
        script.chmod(0o755)
    return venv
