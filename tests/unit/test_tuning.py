"""Tuning of a fake host: inspection, changes, rejected values and overriding files."""

import os
from pathlib import Path

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._host.tuning import (
    container_limits,
    tuner,
)
from ansible_collections.metal.kafka.plugins.module_utils._host.tuning.host_access import Host
from ansible_collections.metal.kafka.plugins.module_utils._host.tuning.setting import AT_LEAST, Spec

SYSCTL = "/etc/sysctl.d/90-kafka-metal.conf"
TMPFILES = "/etc/tmpfiles.d/kafka-metal.conf"
UDEV = "/etc/udev/rules.d/90-kafka-metal.rules"
DOCKER = "/etc/systemd/system/docker.service.d/90-kafka-metal.conf"
THP = "/sys/kernel/mm/transparent_hugepage/enabled"
UUID = "0f0f0f0f-1111-2222-3333-444444444444"
DATA = "/data/disk1/kafka"

LIMITS = (
    "Limit                     Soft Limit           Hard Limit           Units     \n"
    "Max processes             96365                unlimited            processes \n"
    "Max open files            1024                 {}               files     \n"
)
MOUNTS = (
    "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"
    "30 22 8:17 / /data/disk1 rw,noatime,nodev,nosuid - xfs /dev/sdb1 rw\n"
)


class FakeHost(Host):
    """A host in a directory; values are rejected by path."""

    def __init__(self, root: Path) -> None:
        super().__init__(str(root))
        self.refused: dict[str, str] = {}
        self.late: set[str] = set()
        self.limits: list[tuple[int, int]] = []
        self.kept = True
        self.capable = True
        for path, text in {
            "/proc/sys/vm/swappiness": "60\n",
            "/proc/sys/vm/max_map_count": "65530\n",
            "/proc/sys/vm/dirty_bytes": "0\n",
            "/proc/sys/net/ipv4/tcp_rmem": "4096\t131072\t6291456\n",
            "/proc/meminfo": "MemTotal:       1048576 kB\n",
            "/proc/cmdline": "quiet\n",
            "/proc/self/mountinfo": MOUNTS,
            "/proc/swaps": "Filename\tType\tSize\tUsed\tPriority\n",
            THP: "[always] madvise never\n",
            "/sys/devices/sdb/queue/scheduler": "none [bfq] mq-deadline\n",
            "/sys/devices/sdb/queue/read_ahead_kb": "128\n",
            "/sys/devices/sdb/queue/rotational": "1\n",
            "/sys/devices/sdb/sdb1/partition": "1\n",
            "/etc/fstab": f"UUID={UUID} /data/disk1 xfs noatime,nodev,nosuid,nofail 0 0\n",
            "/run/systemd/system/x": "",
        }.items():
            self.plant(path, text)
        os.makedirs(self.at("/sys/dev/block"))
        os.symlink(self.at("/sys/devices/sdb/sdb1"), self.at("/sys/dev/block/8:17"))

    def plant(self, path: str, text: str) -> None:
        os.makedirs(os.path.dirname(self.at(path)), exist_ok=True)
        Path(self.at(path)).write_text(text)

    def process(self, pid: int, name: str, nofile: int = 524288, cgroup: str = "") -> None:
        self.plant(f"/proc/{pid}/comm", f"{name}\n")
        self.plant(f"/proc/{pid}/limits", LIMITS.format(nofile))
        self.plant(f"/proc/{pid}/cgroup", cgroup)

    def may_write(self, path: str) -> bool:
        return path not in self.refused or path in self.late

    def write_live(self, path: str, value: str) -> None:
        if path in self.refused:
            raise OSError(22, self.refused[path])
        choices = self.read(path)
        if choices is not None and "[" in choices:
            value = choices.strip().replace("[", "").replace("]", "").replace(value, f"[{value}]")
        self.plant(path, f"{value}\n")
        if path.endswith("dirty_bytes"):
            self.plant("/proc/sys/vm/dirty_ratio", "0\n")

    def may_raise_limits(self) -> bool:
        return self.capable

    def set_limit(self, process: int, kind: int, soft: int, hard: int) -> None:
        if not self.capable:
            raise PermissionError(1, "Operation not permitted")
        self.limits.append((process, hard))
        self.plant(f"/proc/{process}/limits", LIMITS.format(hard))

    def units_changed(self) -> None:
        pass

    def uuid_of(self, device: str) -> str:
        return UUID if device == "/dev/sdb1" else ""

    def swap_off(self, device: str) -> None:
        if device in self.refused:
            raise OSError(12, self.refused[device])
        self.plant("/proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n")

    def clock(self) -> tuple[bool, float]:
        return self.kept, 0.5


@pytest.fixture
def host(tmp_path: Path) -> FakeHost:
    return FakeHost(tmp_path)


def by_name(outcome: tuner.Outcome) -> dict[str, dict[str, str]]:
    return {row["name"]: row for row in outcome.settings}


def only(outcome: tuner.Outcome) -> dict[str, str]:
    (row,) = outcome.settings
    return row


SWAPPINESS = [Spec("vm.swappiness", "1", reason="Heaps stay in memory.")]
MAPS = [Spec("vm.max_map_count", "262144", AT_LEAST)]
EVERYTHING = [
    *SWAPPINESS,
    *MAPS,
    Spec("transparent_hugepage.enabled", "madvise"),
    Spec("disk.scheduler.rotational", "mq-deadline"),
    Spec("disk.scheduler.solid", "none"),
    Spec("disk.read_ahead_kb.rotational", "1024"),
    Spec("mount.options", "noatime,nodev,nosuid"),
    Spec("limits.nofile", "100000", AT_LEAST),
    Spec("swap", "report"),
    Spec("clock.synchronised", "yes"),
]


def test_second_run_changes_nothing(host):
    host.process(7, "dockerd", 20000)
    first = tuner.tune(host, EVERYTHING, [DATA])
    second = tuner.tune(host, EVERYTHING, [DATA])
    changed = [
        "vm.swappiness", "vm.max_map_count", "transparent_hugepage.enabled",
        "scheduler /data/disk1", "read_ahead_kb /data/disk1", "limits.nofile",
    ]  # fmt: skip
    assert [row["name"] for row in first.settings if row["state"] == "changed"] == changed
    assert {row["state"] for row in second.settings} == {"ok"}
    assert (second.steps, second.diff) == ([], [])
    assert host.limits == [(7, 1048576)]


def test_check_mode_reports_the_same_and_changes_nothing(host):
    host.process(7, "dockerd", 20000)
    foreseen = tuner.tune(host, EVERYTHING, [DATA], check=True)
    assert not host.exists(SYSCTL)
    assert host.read("/proc/sys/vm/swappiness") == "60\n"
    real = tuner.tune(host, EVERYTHING, [DATA])
    assert foreseen.steps == real.steps
    assert foreseen.diff == real.diff
    states = [[row["state"] for row in outcome.settings] for outcome in (foreseen, real)]
    assert states[0] == states[1]


def test_steps_are_messages_with_old_and_new_values(host):
    assert tuner.tune(host, SWAPPINESS, []).steps == [
        "vm.swappiness is persisted as 1",
        "vm.swappiness becomes 1, was 60",
    ]


def test_value_is_persisted_with_its_reason_and_applied(host):
    tuner.tune(host, SWAPPINESS, [])
    assert "# Heaps stay in memory.\nvm.swappiness = 1\n" in host.read(SYSCTL)
    assert host.read("/proc/sys/vm/swappiness") == "1\n"


def test_manual_change_of_a_live_value_is_drift_and_corrected(host):
    tuner.tune(host, SWAPPINESS, [])
    host.plant("/proc/sys/vm/swappiness", "30\n")
    row = only(tuner.report(host, SWAPPINESS, []))
    assert (row["persisted"], row["live"], row["state"]) == ("1", "30", "drift")
    assert tuner.tune(host, SWAPPINESS, []).steps == ["vm.swappiness becomes 1, was 30"]
    assert only(tuner.report(host, SWAPPINESS, []))["state"] == "ok"


def test_manual_edit_of_a_file_is_drift_and_corrected(host):
    tuner.tune(host, SWAPPINESS, [])
    host.plant(SYSCTL, "vm.swappiness = 30\n")
    row = only(tuner.report(host, SWAPPINESS, []))
    assert (row["persisted"], row["live"], row["state"]) == ("30", "1", "drift")
    assert tuner.tune(host, SWAPPINESS, []).steps == ["vm.swappiness is persisted as 1, was 30"]


def test_edit_without_a_changed_value_is_reported_by_file(host):
    tuner.tune(host, SWAPPINESS, [])
    host.plant(SYSCTL, host.read(SYSCTL) + "# mine\n")
    assert by_name(tuner.report(host, SWAPPINESS, []))[SYSCTL]["state"] == "drift"
    assert tuner.tune(host, SWAPPINESS, []).steps == [f"{SYSCTL} is written"]


def test_rejected_value_is_reported_and_no_change(host):
    host.refused["/proc/sys/vm/swappiness"] = "Permission denied"
    first = tuner.tune(host, SWAPPINESS, [])
    assert only(first)["state"] == "not_allowed"
    assert only(first)["detail"] == "Permission denied: /proc/sys/vm/swappiness"
    assert first.steps == ["vm.swappiness is persisted as 1"]
    assert tuner.tune(host, SWAPPINESS, []).steps == []
    assert only(tuner.report(host, SWAPPINESS, []))["state"] == "not_allowed"


def test_value_rejected_on_write_is_no_change(host):
    host.refused["/proc/sys/vm/swappiness"] = "Invalid argument"
    host.late.add("/proc/sys/vm/swappiness")
    tuner.tune(host, SWAPPINESS, [])
    second = tuner.tune(host, SWAPPINESS, [])
    assert (only(second)["state"], only(second)["detail"]) == ("not_allowed", "Invalid argument")
    assert second.steps == []


def test_unknown_parameter_is_absent_and_persisted(host):
    spec = [Spec("net.core.netdev_max_backlog", "5000", AT_LEAST)]
    first = tuner.tune(host, spec, [])
    assert first.steps == ["net.core.netdev_max_backlog is persisted as 5000"]
    row = only(tuner.report(host, spec, []))
    assert (row["persisted"], row["state"]) == ("5000", "absent")
    assert "no /proc/sys/net/core/netdev_max_backlog" in row["detail"]


def test_overriding_file_is_reported_and_not_changed(host):
    other = "/etc/sysctl.d/99-tuned.conf"
    host.plant(other, "vm.swappiness=10\n")
    row = only(tuner.tune(host, SWAPPINESS, []))
    assert (row["persisted"], row["state"]) == ("10", "drift")
    assert row["detail"] == f"{other} is read later and sets vm.swappiness = 10"
    assert host.read(other) == "vm.swappiness=10\n"
    assert tuner.tune(host, SWAPPINESS, []).steps == []


@pytest.mark.parametrize(
    ("file", "line", "state"),
    [
        ("/etc/sysctl.d/10-x.conf", "vm.swappiness = 10", "ok"),
        ("/usr/lib/sysctl.d/99-x.conf", "vm/swappiness = 10", "drift"),
        ("/usr/lib/sysctl.d/99-x.conf", "-vm.swap* = 10", "drift"),
        ("/etc/sysctl.d/99-x.conf", "# vm.swappiness = 10", "ok"),
        ("/etc/sysctl.d/99-x.conf", "vm.swappiness = 1", "ok"),
    ],
)
def test_only_a_later_file_with_another_value_overrides(host, file, line, state):
    host.plant(file, f"{line}\n")
    tuner.tune(host, SWAPPINESS, [])
    assert only(tuner.report(host, SWAPPINESS, []))["state"] == state


def test_ratio_overrides_bytes(host):
    host.plant("/etc/sysctl.d/99-x.conf", "vm.dirty_ratio = 80\n")
    row = only(tuner.tune(host, [Spec("vm.dirty_bytes", "1000000")], []))
    assert row["state"] == "drift"
    assert row["detail"] == "/etc/sysctl.d/99-x.conf is read later and sets vm.dirty_ratio = 80"


def test_kernel_command_line_is_reported(host):
    host.plant("/proc/cmdline", "quiet sysctl.vm.swappiness=60\n")
    assert "sysctl.vm.swappiness=60" in only(tuner.report(host, SWAPPINESS, []))["detail"]


def test_higher_live_value_is_neither_lowered_nor_persisted(host):
    host.plant("/proc/sys/vm/max_map_count", "1048576\n")
    row = only(tuner.tune(host, MAPS, []))
    assert (row["live"], row["persisted"], row["state"]) == ("1048576", "kernel's own", "ok")
    assert not host.exists(SYSCTL)


def test_higher_value_of_a_distribution_s_file_is_kept(host):
    host.plant("/usr/lib/sysctl.d/10-map-count.conf", "vm.max_map_count = 1048576\n")
    host.plant("/proc/sys/vm/max_map_count", "1048576\n")
    assert only(tuner.tune(host, MAPS, []))["persisted"] == "1048576"
    assert not host.exists(SYSCTL)


def test_several_numbers_are_compared_one_by_one(host):
    spec = [Spec("net.ipv4.tcp_rmem", "4096 131072 6291456")]
    assert only(tuner.tune(host, spec, []))["live"] == "4096 131072 6291456"
    at_least = [Spec("net.ipv4.tcp_rmem", "4096 87380 6291457", AT_LEAST)]
    assert by_name(tuner.report(host, at_least, []))["net.ipv4.tcp_rmem"]["state"] == "drift"


def test_bytes_are_bounded_by_a_percentage_of_memory(host):
    spec = [Spec("vm.dirty_bytes", str(2**40), percent_of_memory=20)]
    assert only(tuner.tune(host, spec, []))["wanted"] == str(204 * 2**20)


def test_disk_gets_settings_of_its_kind_live_and_by_udev(host):
    tuner.tune(host, EVERYTHING, [DATA])
    assert host.read("/sys/devices/sdb/queue/scheduler") == "none bfq [mq-deadline]\n"
    assert host.read("/sys/devices/sdb/queue/read_ahead_kb") == "1024\n"
    rule = (
        f'ACTION=="add|change", SUBSYSTEM=="block", ENV{{ID_FS_UUID}}=="{UUID}", '
        'ATTR{../queue/scheduler}="mq-deadline", ATTR{../queue/read_ahead_kb}="1024"\n'
    )
    assert f"# {DATA}\n{rule}" in host.read(UDEV)


def test_solid_state_disk_gets_no_scheduler(host):
    host.plant("/sys/devices/sdb/queue/rotational", "0\n")
    tuner.tune(host, EVERYTHING, [DATA])
    assert host.read("/sys/devices/sdb/queue/scheduler") == "[none] bfq mq-deadline\n"
    assert host.read("/sys/devices/sdb/queue/read_ahead_kb") == "128\n"


def test_unavailable_scheduler_is_not_allowed(host):
    host.plant("/sys/devices/sdb/queue/scheduler", "[none]\n")
    row = by_name(tuner.tune(host, EVERYTHING, [DATA]))["scheduler /data/disk1"]
    assert row["state"] == "not_allowed"
    assert row["detail"].endswith("offers none")


def test_rule_of_an_unmounted_disk_is_kept(host):
    tuner.tune(host, EVERYTHING, [DATA])
    rules = host.read(UDEV)
    host.plant("/proc/self/mountinfo", MOUNTS.splitlines()[0] + "\n")
    outcome = tuner.tune(host, EVERYTHING, [DATA])
    assert by_name(outcome)[f"disk of {DATA}"]["state"] == "absent"
    assert (outcome.steps, host.read(UDEV)) == ([], rules)


def test_system_disk_is_never_tuned(host):
    outcome = tuner.tune(host, EVERYTHING, ["/var/lib/kafka"])
    assert by_name(outcome)["disk of /var/lib/kafka"]["state"] == "absent"
    assert not host.exists(UDEV)


def test_mount_options_are_reported(host):
    spec = [Spec("mount.options", "noatime,nodev,nosuid")]
    assert only(tuner.report(host, spec, [DATA]))["state"] == "ok"
    host.plant("/etc/fstab", "LABEL=x /data/disk1 xfs noatime 0 0\n")
    row = only(tuner.report(host, spec, [DATA]))
    assert (row["persisted"], row["state"]) == ("noatime", "drift")


def test_huge_pages_are_persisted_by_tmpfiles(host):
    tuner.tune(host, EVERYTHING, [])
    assert host.read(THP) == "always [madvise] never\n"
    assert f"w {THP} - - - - madvise\n" in host.read(TMPFILES)


def test_limit_that_cannot_be_raised_is_reported(host):
    host.capable = False
    host.process(7, "dockerd", 20000)
    spec = [Spec("limits.nofile", "100000", AT_LEAST)]
    first = tuner.tune(host, spec, [])
    row = only(first)
    assert (row["live"], row["state"]) == ("20000", "not_allowed")
    assert row["detail"] == "Operation not permitted: the hard limit here is 20000"
    assert "LimitNOFILE=100000:1048576\n" in host.read(DOCKER)
    assert tuner.tune(host, spec, []).steps == []


def test_stopped_engine_starts_with_the_limits(host):
    row = only(tuner.tune(host, [Spec("limits.nofile", "100000", AT_LEAST)], []))
    assert row["state"] == "changed"
    assert host.exists(DOCKER)


def test_later_drop_in_with_a_lower_limit_is_reported(host):
    spec = [Spec("limits.nofile", "100000", AT_LEAST)]
    other = "/etc/systemd/system/docker.service.d/99-x.conf"
    host.plant(other, "[Service]\nLimitNOFILE=infinity\n")
    assert only(tuner.tune(host, spec, []))["state"] == "changed"
    host.plant(other, "[Service]\nLimitNOFILE=4096\n")
    row = only(tuner.report(host, spec, []))
    assert (row["state"], other in row["detail"]) == ("drift", True)


def test_limits_are_persisted_for_pam_without_systemd(host):
    Path(host.at("/run/systemd/system/x")).unlink()
    os.rmdir(host.at("/run/systemd/system"))
    tuner.tune(host, [Spec("limits.nofile", "100000", AT_LEAST)], [])
    text = host.read("/etc/security/limits.d/90-kafka-metal.conf")
    assert "root - nofile 100000\n" in text
    assert not host.exists(DOCKER)


SWAP = "Filename\tType\tSize\tUsed\tPriority\n/dev/sda2\tpartition\t1\t0\t-2\n"
FSTAB = "UUID=1 / ext4 defaults 0 1\nUUID=2 none swap sw 0 0\n"


def test_swap_is_only_reported_by_default(host):
    host.plant("/proc/swaps", SWAP)
    host.plant("/etc/fstab", FSTAB)
    outcome = tuner.tune(host, [Spec("swap", "report")], [])
    assert (only(outcome)["persisted"], only(outcome)["live"]) == ("UUID=2", "/dev/sda2")
    assert (only(outcome)["state"], outcome.steps) == ("drift", [])
    assert host.read("/etc/fstab") == FSTAB


def test_disabled_swap_is_switched_off_now_and_at_boot(host):
    host.plant("/proc/swaps", SWAP)
    host.plant("/etc/fstab", FSTAB)
    spec = [Spec("swap", "disable")]
    assert only(tuner.tune(host, spec, []))["state"] == "changed"
    assert host.read("/etc/fstab").splitlines()[0] == "UUID=1 / ext4 defaults 0 1"
    assert host.read("/etc/fstab").splitlines()[1].startswith("# switched off by kafka-metal: ")
    assert tuner.tune(host, spec, []).steps == []


def test_failed_swapoff_is_not_allowed(host):
    host.plant("/proc/swaps", SWAP)
    host.refused["/dev/sda2"] = "Cannot allocate memory"
    row = only(tuner.tune(host, [Spec("swap", "disable")], []))
    assert (row["state"], row["detail"]) == ("not_allowed", "Cannot allocate memory")


CLOCK = [Spec("clock.synchronised", "yes"), Spec("clock.steps", "at boot only")]


@pytest.mark.parametrize(
    ("service", "conf", "state"),
    [
        ("chronyd", "makestep 1 3", "ok"),
        ("chronyd", "makestep 1 -1", "drift"),
        ("chronyd", "pool x", "ok"),
        ("systemd-timesyn", "", "drift"),
        ("bash", "", "drift"),
    ],
)
def test_clock_may_step_only_at_boot(host, service, conf, state):
    host.process(9, service)
    host.plant("/etc/chrony/chrony.conf", f"{conf}\n")
    rows = by_name(tuner.report(host, CLOCK, []))
    assert (rows["clock.steps"]["state"], rows["clock.synchronised"]["state"]) == (state, "ok")


def test_unsynchronized_clock_is_drift_except_in_a_container(host):
    host.kept = False
    assert by_name(tuner.report(host, CLOCK, []))["clock.synchronised"]["state"] == "drift"
    host.plant("/.dockerenv", "")
    rows = by_name(tuner.report(host, CLOCK, []))
    assert {row["state"] for row in rows.values()} == {"not_allowed"}
    assert rows["clock.steps"]["detail"] == "a container uses the clock of its host"


def test_open_files_of_running_containers_are_compared(host):
    number = "a" * 64
    host.process(70, "java", 16384, f"0::/system.slice/docker-{number}.scope\n")
    engine = [{"Id": number, "Names": ["/prod-kafka1"]}]
    limits = {"prod-kafka1": 100000, "prod-kafka2": 1}
    rows = {row.name: tuner.state(row) for row in container_limits.inspect(host, limits, engine)}
    assert rows == {"nofile prod-kafka1": "drift", "nofile prod-kafka2": "absent"}
    enough = container_limits.inspect(host, {"prod-kafka1": 16384}, engine)
    assert tuner.state(enough[0]) == "ok"
