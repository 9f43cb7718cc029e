"""Values of make are data: neither make nor a shell nor Ansible evaluates them."""

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from ansible.errors import ExitCode

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from reference import exit_codes  # noqa: E402 - scripts are not an installed package
from verbs.codes import Code  # noqa: E402

CANARY = "CANARY"
HOSTILE = [
    f"$(shell touch {CANARY})",
    f"$(touch {CANARY})",
    f"$$(touch {CANARY})",
    f"${{shell touch {CANARY}}}",
    f"$(eval $(shell touch {CANARY}))",
    f"`touch {CANARY}`",
    f"; touch {CANARY} #",
    f"& touch {CANARY} &",
    f"| touch {CANARY}",
    f"|| touch {CANARY}",
    f"> {CANARY}",
    f"'; touch {CANARY}; '",
    f'"; touch {CANARY}; "',
    f"\\'; touch {CANARY}",
    f"a\ntouch {CANARY}",
    f"a\n\ttouch {CANARY}\n",
    f"{{{{ lookup('pipe', 'touch {CANARY}') }}}}",
    f"{{{{ lookup(\"pipe\", \"touch {CANARY}\") }}}}",
    f"{{% for a in lookup('pipe', 'touch {CANARY}') %}}{{% endfor %}}",
    "{# comment #}",
    f"\" }}, \"b\": \"{{{{ lookup('pipe', 'touch {CANARY}') }}}}",
    f"x security_replace_keys_of={CANARY}",
    f"@{CANARY}",
    f"--extra-vars=@{CANARY}",
    "-e",
    "--help",
    "# no comment",
    "two  words ",
    "$HOME ~ * ? [a]",
    "%s %d {0} \\n \\x41",
    "zażółć 数据 😀 \u202e",
    "\x1b[31mred\x1b[0m\x07",
    "'",
    '"',
    "\\",
    "!unsafe x",
    "null",
    "yes",
    "0x10",
]  # fmt: skip
NAMES = [
    *("G", "TO", "T", "FILE", "TOPIC", "KEY", "NULL", "SOURCE", "TARGET", "FROM", "UNTIL"),
    *("STAMP", "RATE", "DELIMITER", "SUBJECT"),
    *("U", "S", "HOST", "DISK", "DEVICE", "FORCE", "CONFIRM", "SECONDS", "HOURS", "BOARDS"),
    *("STRICT", "FINISH", "D", "TIMES", "SBOM", "CLUSTER", "INVENTORY", "ARGS", "SOMETHING_ELSE"),
]
# Records arguments and environment, and writes the files that a run of Ansible would.
STUB = r"""#!/bin/bash
{ printf '%s\0' "${0##*/}" "$@"; printf '\n\0'; } >> "$STUB_FOLDER/arguments"
env -0 > "$STUB_FOLDER/environment"
for argument in "$@"; do
    case $argument in @*values.yml) cp "${argument#@}" "$STUB_FOLDER/values.yml" ;; esac
done
if [ -n "${KAFKA_METAL_SITE_FILE:-}" ]; then
    printf '{"cluster": "prod", "state": "%s"}' "$STUB_FOLDER" > "$KAFKA_METAL_SITE_FILE"
    printf '{"bootstrap": ["b:1"], "access": "%s"}' "${STUB_ACCESS:-}" > "$STUB_FOLDER/client.json"
fi
[ -z "${KAFKA_METAL_PLAN_FILE:-}" ] || printf '{"changes": 1}' > "$KAFKA_METAL_PLAN_FILE"
"""


class Stubs:
    """Stubs of commands that a verb starts, in a directory at the start of PATH."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("ansible-playbook", "kafka-metal", "docker", "sudo"):
            program = folder / "bin" / name
            program.parent.mkdir(exist_ok=True)
            program.write_text(STUB)
            program.chmod(program.stat().st_mode | stat.S_IXUSR)

    def make(self, *goals: str, environment: bool = False, **values: str):
        """Run make with values on its command line or in its environment."""
        path = f"{self.folder / 'bin'}:{ROOT / '.venv/bin'}:{os.environ['PATH']}"
        arguments = [] if environment else [f"{name}={found}" for name, found in values.items()]
        inherited = {k: v for k, v in os.environ.items() if k not in {*NAMES, "MAKEFLAGS"}}
        return subprocess.run(
            ["make", "-C", str(ROOT), "-k", "-o", "env", *goals, f"PATH={path}", *arguments],
            env=inherited | {"STUB_FOLDER": str(self.folder)} | (values if environment else {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def verb(self, name: str, *arguments: str, **values: str):
        """Run scripts/verb, which has its own exit code, with values in the environment."""
        environment = {
            "STUB_FOLDER": str(self.folder),
            "INVENTORY": "inventories/example",
            **values,
        }
        environment["PATH"] = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        command = [str(ROOT / "scripts/verb"), name, *arguments]
        return subprocess.run(
            command,
            cwd=ROOT,
            env=os.environ | environment,
            check=False,
            capture_output=True,
            text=True,
        )

    def registry(self) -> Path:
        """Write the operator's file of the schema registry."""
        file = self.folder / "schema_registry/operator/schema-registry.json"
        file.parent.mkdir(parents=True)
        file.touch()
        return file

    def runs(self) -> list[list[str]]:
        """Commands with their arguments, in order."""
        arguments = (self.folder / "arguments").read_text().split("\0")
        text = "\0".join(arguments).split("\0\n\0")
        return [run.split("\0") for run in text if run]

    def environment(self) -> dict[str, str]:
        found = (self.folder / "environment").read_bytes().decode().split("\0")
        return dict(line.split("=", 1) for line in found if "=" in line)

    def values(self) -> dict[str, object]:
        return _values((self.folder / "values.yml").read_text())


class _Loader(yaml.SafeLoader):
    """Loader for the tag !unsafe."""


_Loader.add_constructor("!unsafe", lambda loader, node: ("unsafe", node.value))


def _values(text: str) -> dict[str, object]:
    return yaml.load(text, Loader=_Loader)


@pytest.fixture
def stubs(tmp_path: Path) -> Stubs:
    return Stubs(tmp_path)


@pytest.fixture
def nothing_ran():
    """Check that no value was run: it would have created a file."""
    yield
    made = ROOT / CANARY
    found = made.exists()
    made.unlink(missing_ok=True)
    assert not found


@pytest.mark.usefixtures("nothing_ran")
@pytest.mark.parametrize("text", HOSTILE)
def test_command_line_values_are_passed_unchanged(stubs: Stubs, text: str):
    reserved = {"CLUSTER", "INVENTORY", "ARGS"}
    values = dict.fromkeys((name for name in NAMES if name not in reserved), text)
    # make removes spaces in front of a value.
    done = stubs.make("groups", **values | {"DRY": "1"})

    assert done.returncode == 0, done.stderr
    assert {name: stubs.environment()[name] for name in values} == values
    expected = {"group_name": text, "group_to": text, "group_topic": text}
    assert stubs.values() == {name: ("unsafe", found) for name, found in expected.items()}


@pytest.mark.usefixtures("nothing_ran")
@pytest.mark.parametrize("name", ["given", "name", "each", ".given", ".each"])
def test_internal_names_of_the_makefile_are_not_evaluated(stubs: Stubs, name: str):
    stubs.make("groups", **{name: f"$(shell touch {CANARY})"})


@pytest.mark.usefixtures("nothing_ran")
@pytest.mark.parametrize("text", HOSTILE[:6] + HOSTILE[16:18])
def test_environment_values_are_passed_unchanged(stubs: Stubs, text: str):
    done = stubs.make("groups", environment=True, G=text)

    assert done.returncode == 0, done.stderr
    assert stubs.values() == {"group_name": ("unsafe", text)}


@pytest.mark.usefixtures("nothing_ran")
@pytest.mark.parametrize("name", ["CLUSTER", "INVENTORY"])
@pytest.mark.parametrize(
    "text",
    [*HOSTILE[:10:2], *HOSTILE[14:25:2], "..", "/", "a b", "é", "~unknown-user", "n" * 5000 + "/"],
)
def test_an_invalid_cluster_or_inventory_is_refused(stubs: Stubs, name: str, text: str):
    if name == "INVENTORY" and text in ("..", "/"):
        pytest.skip("directories")
    done = stubs.make("down", **{name: text})

    assert done.returncode != 0
    assert f"{name}: found" in done.stderr
    assert "nothing was touched" in done.stderr
    assert not (stubs.folder / "arguments").exists()


@pytest.mark.usefixtures("nothing_ran")
@pytest.mark.parametrize("text", [HOSTILE[0], HOSTILE[12], HOSTILE[16], "--help", "a\nb"])
def test_verbs_pass_their_values_unchanged(stubs: Stubs, text: str):
    values = dict.fromkeys(NAMES, text)
    for name in ("CLUSTER", "INVENTORY", "ARGS", "SECONDS", "S"):
        del values[name]
    goals = ["produce", "replay", "access", "destroy", "disk-replace"]
    registry = stubs.registry()
    done = stubs.make(*goals, **values)

    assert done.returncode == 0, done.stderr
    sent = [run[2:] for run in stubs.runs() if run[0] == "kafka-metal"]
    assert sent == [
        [
            *("--bootstrap=b:1", f"--topic={text}", f"--key={text}", f"--null={text}"),
            *(f"--rate={text}", f"--delimiter={text}", f"--subject={text}"),
            *(f"--registry={registry}", "--", text),
        ],
        [
            *("--bootstrap=b:1", f"--source={text}", f"--target={text}"),
            *(f"--from={text}", f"--until={text}", f"--stamp={text}"),
            f"--rate={text}",
        ],
    ]
    disk = dict.fromkeys(("disk_host", "disk_name", "disk_device", "disk_force"), ("unsafe", text))
    assert stubs.values() == disk


@pytest.mark.parametrize(
    ("verb", "values"),
    [("produce", {"FILE": "a.csv", "TOPIC": "t"}), ("replay", {"SOURCE": "a", "TARGET": "b"})],
)
def test_a_missing_client_file_of_a_secured_cluster_is_refused(stubs, verb: str, values: dict):
    access = str(stubs.folder / "operator/client.conf")
    done = stubs.verb(verb, STUB_ACCESS=access, **values)

    assert done.returncode == Code.NOT_WELL
    assert f"{access} is missing" in done.stderr
    assert "make access U=operator" in done.stderr
    assert not [run for run in stubs.runs() if run[0] == "kafka-metal"]


def test_a_missing_file_of_the_schema_registry_is_refused(stubs):
    done = stubs.verb("produce", FILE="a.csv", TOPIC="t", SUBJECT="t-value")

    assert done.returncode == Code.NOT_WELL
    file = stubs.folder / "schema_registry/operator/schema-registry.json"
    assert f"{file} is missing, the operator's file of the schema registry" in done.stderr
    assert "make access U=operator" in done.stderr
    assert not [run for run in stubs.runs() if run[0] == "kafka-metal"]


@pytest.mark.usefixtures("nothing_ran")
@pytest.mark.parametrize(("verb", "name"), [("logs", "S"), ("replicas", "SECONDS")])
@pytest.mark.parametrize("text", HOSTILE[:20:3])
def test_an_invalid_name_or_number_is_refused(stubs, verb: str, name: str, text: str):
    done = stubs.make(verb, **{name: text})

    assert done.returncode != 0
    assert f"{name}: found" in done.stderr
    assert not (stubs.folder / "arguments").exists()


@pytest.mark.parametrize(
    ("verb", "values", "error"),
    [
        (
            "upgrade",
            {"FINISH": "n", "CLUSTER": "c"},
            "FINISH: found 'n'; allowed: 1 or 0, yes or no",
        ),
        ("plan", {"STRICT": "y"}, "STRICT: found 'y'"),
        ("destroy", {"DRY": "ja"}, "DRY: found 'ja'"),
        ("replay", {"DRY": "ja", "SOURCE": "a", "TARGET": "b"}, "DRY: found 'ja'"),
        ("versions", {"SBOM": "~unknown-user/x"}, "SBOM: found '~unknown-user/x'"),
    ],
)
def test_an_invalid_switch_or_directory_is_refused(stubs: Stubs, verb, values, error: str):
    done = stubs.verb(verb, **values)

    assert done.returncode == (Code.FAILED if verb == "plan" else Code.NOT_WELL)
    assert error in done.stderr
    assert not (stubs.folder / "arguments").exists()


@pytest.mark.parametrize(
    ("text", "expected"), [("0", False), ("off", False), ("No", False), ("on", True), ("YES", True)]
)
def test_a_switch_has_its_value(stubs: Stubs, text: str, expected: bool):
    assert stubs.verb("upgrade", FINISH=text).returncode == 0
    assert stubs.values() == {"upgrade_finish": expected}


def test_restart_passes_the_services(stubs):
    assert stubs.make("restart", S="kafka1").returncode == 0
    assert stubs.values() == {"restart_services": ("unsafe", "kafka1")}


@pytest.mark.usefixtures("nothing_ran")
def test_args_are_split_like_a_shell_but_not_run(stubs: Stubs):
    stubs.make("down", ARGS=f"""-e '{{"a": "b c"}}' --limit "k 1" $(touch {CANARY}); `id` *""")

    arguments = next(run for run in stubs.runs() if run[0] == "ansible-playbook")
    at = arguments.index("-e")
    assert arguments[at : at + 4] == ["-e", '{"a": "b c"}', "--limit", "k 1"]
    assert arguments[at + 4 : at + 8] == ["$(touch", f"{CANARY});", "`id`", "*"]


def test_args_that_cannot_be_split_are_refused(stubs: Stubs):
    done = stubs.make("down", ARGS="-e 'a")

    assert done.returncode != 0
    assert "ARGS: No closing quotation" in done.stderr


def test_cluster_name_is_passed_only_if_set(stubs: Stubs):
    stubs.make("down")
    stubs.make("down", CLUSTER="other")
    first, second = stubs.runs()

    assert not [argument for argument in first if "cluster_name" in argument]
    assert json.dumps({"cluster_name": "other"}) in second


def test_an_empty_cluster_is_refused(stubs: Stubs):
    assert "CLUSTER: found ''" in stubs.make("destroy", CLUSTER="", CONFIRM="").stderr
    assert not (stubs.folder / "arguments").exists()


def test_inventory_sources_are_separate_arguments(stubs: Stubs, tmp_path: Path):
    (tmp_path / "a b.ini").touch()
    stubs.make("down", INVENTORY=f"{tmp_path / 'a b.ini'},inventories/example")
    stubs.make("down", INVENTORY="node1,node2,")
    first, second = stubs.runs()

    assert first[1:3] == [f"--inventory={tmp_path / 'a b.ini'}", "--inventory=inventories/example"]
    assert second[1] == "--inventory=node1,node2,"


def test_bench_uses_an_inventory_only_from_the_command_line(stubs: Stubs):
    assert stubs.verb("bench").returncode == 0
    assert stubs.verb("bench", "INVENTORY").returncode == 0
    first, second = stubs.runs()

    assert first[1] == "--inventory=inventories/benchmark"
    assert second[1] == "--inventory=inventories/example"


@pytest.mark.usefixtures("nothing_ran")
@pytest.mark.parametrize("values", [["INVENTORY=inventories/example"], []])
def test_make_passes_to_bench_whether_inventory_is_set(stubs: Stubs, values: list[str]):
    planned = subprocess.run(
        ["make", "-n", "bench", *values, f"given=$(shell touch {CANARY})"],
        cwd=ROOT,
        # Not a child of `make test`: with MAKELEVEL, make would print directories.
        env={k: v for k, v in os.environ.items() if k not in {*NAMES, "MAKEFLAGS", "MAKELEVEL"}},
        capture_output=True,
        text=True,
        check=True,
    )

    last = planned.stdout.splitlines()[-1].split()
    assert last == ["scripts/verb", "bench", *(["INVENTORY"] if values else [])]


@pytest.mark.usefixtures("nothing_ran")
@pytest.mark.parametrize("text", ["sbom", "a b", HOSTILE[0], HOSTILE[16], "~"])
def test_sbom_is_an_absolute_path(stubs: Stubs, text: str):
    assert stubs.verb("versions", SBOM=text).returncode == 0

    expected = str(Path.home()) if text == "~" else f"{ROOT}/{text}"
    assert stubs.values()["versions_sbom"] == ("unsafe", expected)


def test_logs_use_ansible_if_the_local_engine_hangs(stubs: Stubs):
    (stubs.folder / "bin/docker").write_text("#!/bin/sh\nexec sleep 100\n")
    done = stubs.make("logs", S="kafka1")

    assert done.returncode == 0, done.stderr
    assert stubs.runs()[-1][-1].endswith("/playbooks/logs.yml")
    assert stubs.values() == {"logs_service": ("unsafe", "kafka1")}


def test_logs_of_a_service_on_a_named_machine_are_read_there(stubs: Stubs):
    assert stubs.make("logs", S="exporter@node1").returncode == 0
    assert stubs.values() == {"logs_service": ("unsafe", "exporter@node1")}


@pytest.mark.usefixtures("nothing_ran")
@pytest.mark.parametrize("text", ["exporter@", "@node1", "exporter@node1@node2", "a@../b"])
def test_a_service_without_name_or_machine_is_refused(stubs: Stubs, text: str):
    assert "and '@' before a machine" in stubs.make("logs", S=text).stderr


@pytest.mark.parametrize("verb", ["access", "export", "replicas", "status", "support", "verify"])
def test_verbs_with_a_screen_only_set_the_environment(stubs: Stubs, verb: str):
    assert stubs.make(verb, INVENTORY="inventories/example").returncode == 0
    (run,) = stubs.runs()

    playbook = str(ROOT / f"playbooks/{verb}.yml")
    assert run == ["ansible-playbook", "--inventory=inventories/example", playbook]
    assert stubs.environment()["ANSIBLE_STDOUT_CALLBACK"] == "metal.kafka.screen_output"


@pytest.mark.parametrize("verb", ["up", "demo", "down", "restart"])
def test_changing_verbs_print_the_output_of_ansible(stubs: Stubs, monkeypatch, verb):
    monkeypatch.delenv("ANSIBLE_STDOUT_CALLBACK", raising=False)
    stubs.make(verb)
    (run,) = stubs.runs()

    assert run[-1] == str(ROOT / f"playbooks/{verb}.yml")
    assert "ANSIBLE_STDOUT_CALLBACK" not in stubs.environment()


@pytest.mark.parametrize("code", [0, 2, 4])
def test_a_verb_exits_with_the_code_of_its_playbook(stubs: Stubs, code: int):
    (stubs.folder / "bin/ansible-playbook").write_text(f"{STUB}exit {code}\n")

    assert stubs.verb("status").returncode == code


@pytest.mark.parametrize(
    ("ends", "strict", "code"),
    [(0, "", Code.WELL), (0, "1", Code.NOT_WELL), (2, "1", Code.FAILED), (4, "", 1)],
)
def test_plan_exit_code_distinguishes_changes_and_failure(stubs: Stubs, ends, strict, code):
    (stubs.folder / "bin/ansible-playbook").write_text(f"{STUB}exit {ends}\n")

    assert stubs.verb("plan", STRICT=strict).returncode == code


def test_documented_exit_codes_equal_the_code():
    rows = re.findall(r"^\| `(\d)` \|", exit_codes.page(), re.MULTILINE)

    assert sorted(map(int, rows)) == sorted(Code)
    assert (Code.NOT_WELL, Code.UNREACHABLE) == (ExitCode.HOST_FAILED, ExitCode.HOST_UNREACHABLE)


def test_the_makefile_uses_no_values_in_recipes():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipes = [line for line in text.splitlines() if line.startswith("\t")]

    assert recipes
    assert "group_vars" not in text
    named = [line for line in recipes for name in NAMES if f"$({name})" in line]
    assert named == []


def test_report_uses_responding_machines(stubs: Stubs):
    stubs.verb("report")

    names = [Path(argument).stem for argument in stubs.runs()[0] if argument.endswith(".yml")]
    assert names[-2:] == ["internal_first_reachable", "internal_status"]


@pytest.mark.parametrize("name", ["*", "?isk_failure", "disk_failure.py", "../tests/disk_failure"])
def test_a_drill_name_is_not_a_pattern(stubs: Stubs, name: str):
    done = stubs.make("drill", "-o", "env-dev", D=name)

    assert f"drill {name}: found no drill of this name" in done.stderr


@pytest.mark.parametrize("script", [["verb", "status"], ["verb", "bench"], ["render-changelog"]])
def test_scripts_refuse_options_that_they_do_not_have(script):
    name, *words = script
    done = subprocess.run(
        [ROOT / "scripts" / name, *words, "--chekc"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode in (2, 64)
    assert "--chekc" in done.stderr
    assert "allowed: " in done.stderr
