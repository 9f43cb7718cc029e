"""Isolation of every container: points 1 to 23 of docs/operate/guides/security-checklist.md."""

import re

from testing.sandbox import Sandbox
from testing.waiting import NotYet, wait_for

SECRETS = re.compile(r"passw(or)?d=|secret=|token=|BEGIN [A-Z ]*PRIVATE KEY", re.IGNORECASE)
# Paths whose mount would give a container control of the machine.
HOST_PATHS = re.compile(r"^/$|^/(etc|proc|sys|root|boot|dev|var/run|run)$|docker\.sock$")


def test_01_it_runs_as_an_unprivileged_user(sandboxes: list[Sandbox]):
    for each in sandboxes:
        assert each.inspected["Config"]["User"].partition(":")[0] not in ("", "0", "root"), each
        assert 0 not in each.users(), each


def test_02_it_has_no_capability(sandboxes: list[Sandbox]):
    for each in sandboxes:
        assert each.host["CapDrop"] == ["ALL"], each
        assert not each.host["CapAdd"], each
        assert int(each.status("CapEff"), 16) == 0, each


def test_03_setuid_files_give_no_rights(sandboxes: list[Sandbox]):
    for each in sandboxes:
        assert each.status("NoNewPrivs") == "1", each


def test_04_it_is_not_privileged(sandboxes: list[Sandbox]):
    for each in sandboxes:
        assert each.host["Privileged"] is False, each


def test_05_its_root_file_system_is_read_only(sandboxes: list[Sandbox]):
    for each in sandboxes:
        assert each.host["ReadonlyRootfs"] is True, each
        assert each.run("touch", "/written").rc != 0, each


def test_06_its_memory_is_limited_and_never_swapped(sandboxes: list[Sandbox]):
    for each in sandboxes:
        assert each.host["Memory"] > 0, each
        # Not every kernel can disable swap for a container; machines of brokers have no swap.
        swaps = each.machine.file("/proc/swaps").content_string.splitlines()[1:]
        assert each.host["MemorySwap"] == each.host["Memory"] or not swaps, each


def test_07_its_processes_are_limited_and_zombies_are_reaped(sandboxes: list[Sandbox]):
    for each in sandboxes:
        assert each.host["PidsLimit"] > 0, each
        # An orphan, like one of a health check that timed out.
        assert each.run("sh", "-c", "sleep 0.5 > /dev/null 2>&1 &").rc == 0, each

    def all_gone() -> None:
        left = [each.name for each in sandboxes if "sleep" in each.children()]
        if left:
            raise NotYet(f"orphans in {left}")

    wait_for("orphans are reaped", all_gone, 10)


def test_08_system_calls_are_filtered(sandboxes: list[Sandbox]):
    for each in sandboxes:
        assert each.status("Seccomp") == "2", each


def test_09_it_is_confined_by_apparmor_if_enabled(sandboxes: list[Sandbox]):
    for each in sandboxes:
        command = "cat /sys/module/apparmor/parameters/enabled 2>/dev/null"
        if each.machine.run(command).stdout.strip() == "Y":
            assert each.inspected["AppArmorProfile"] != "unconfined", each
        assert not {"apparmor=unconfined", "label=disable"} & set(each.host["SecurityOpt"]), each


def test_10_it_has_its_own_pid_uts_user_and_ipc_namespaces(sandboxes: list[Sandbox]):
    for each in sandboxes:
        modes = {each.host[key] for key in ("PidMode", "UTSMode", "UsernsMode")}
        assert "host" not in modes, each
        assert each.host["IpcMode"] in ("private", "none"), each


def test_11_and_12_it_uses_the_host_network_and_publishes_no_port(
    sandboxes: list[Sandbox],
):
    for each in sandboxes:
        assert each.host["NetworkMode"] == "host", each
        assert not each.host["PortBindings"], each


def test_13_and_14_no_mount_gives_control_of_the_machine(sandboxes: list[Sandbox]):
    for each in sandboxes:
        for mount in each.inspected["Mounts"]:
            assert not HOST_PATHS.search(mount["Source"]), (each, mount)
            assert "shared" not in mount["Propagation"] or mount["Propagation"] == "", (each, mount)


def test_15_its_health_check_uses_its_protocol(sandboxes: list[Sandbox]):
    for each in sandboxes:
        health = each.inspected["Config"].get("Healthcheck", {}).get("Test") or []
        assert health, each
        assert not {"pgrep", "pidof", "ps"} & set(" ".join(health).split()), each


def test_16_it_restarts_unless_it_was_stopped(sandboxes: list[Sandbox]):
    for each in sandboxes:
        assert each.host["RestartPolicy"]["Name"] == "unless-stopped", each


def test_17_its_log_is_limited(sandboxes: list[Sandbox]):
    for each in sandboxes:
        options = each.host["LogConfig"]["Config"]
        assert options["max-size"], each
        assert int(options["max-file"]) >= 1, each


def test_18_a_broker_may_open_as_many_files_as_declared(sandboxes: list[Sandbox]):
    brokers = [each for each in sandboxes if each.service == "kafka_broker"]
    assert brokers
    for each in brokers:
        limits = each.machine.file(f"/proc/{each.pid}/limits").content_string
        (found,) = re.findall(r"Max open files +(\d+)", limits)
        # The scenario's inventory declares less than the default of 100,000, the machine's limit.
        assert int(found) == 16_384, each


def test_19_its_image_tag_is_a_hash_of_its_content(sandboxes: list[Sandbox]):
    for each in sandboxes:
        assert re.search(r":[\w.]+-[0-9a-f]{12}$", each.inspected["Config"]["Image"]), each


def test_20_no_secret_is_visible_outside(sandboxes: list[Sandbox]):
    for each in sandboxes:
        config = each.inspected["Config"]
        texts = [*(config["Env"] or []), *(config["Cmd"] or []), *config["Labels"].values()]
        history = each.machine.check_output("docker history --no-trunc %s", config["Image"])
        arguments = each.machine.check_output("docker top %s -eo pid,args", each.name)
        for text in (*texts, history, arguments):
            assert not SECRETS.search(text), each.name


def test_21_its_image_has_no_setuid_file(sandboxes: list[Sandbox]):
    seen = set()
    for each in sandboxes:
        image = each.inspected["Config"]["Image"]
        if image not in seen:
            seen.add(image)
            found = each.run("find", "/", "-xdev", "-perm", "/6000", "-type", "f")
            assert found.stdout == "", (image, found.stdout)


def test_23_a_broker_has_time_to_stop(sandboxes: list[Sandbox]):
    for each in sandboxes:
        if each.service == "kafka_broker":
            assert each.inspected["Config"]["StopTimeout"] >= 180, each
