"""Dashboards of disks and hosts."""

from ..model import BYTE_RATE, BYTES, COUNT, NO_ROOT, NO_SMART, RATE, RATIO, SECONDS, Board, graph

FS = 'fstype=~"xfs|ext4", {C}'
NIC = 'device!~"lo|veth.*|docker.*|br-.*", {C}'

DISKS = Board(
    "disks",
    "Kafka / Disks",
    "Disks with one log dir each: which disk is full, slow, hung or missing.",
    (
        (
            "Log dirs",
            (
                graph(
                    "Offline",
                    "1: the log dir is offline.",
                    COUNT,
                    ("kafka_log_dir_offline{{C}}", "{{instance}} {{log_dir}}"),
                ),
                graph(
                    "Logs to recover",
                    "After an unclean shutdown. The broker serves when none is left.",
                    COUNT,
                    ("kafka_log_remaining_to_recover{{C}}", "{{instance}} {{log_dir}}"),
                    empty="Empty if no broker recovered logs at its last start.",
                ),
                graph(
                    "Log flush latency, p99",
                    "Duration of flushing a log to its disk.",
                    SECONDS,
                    ("kafka_log_flush_time_seconds{{C}}", "{{instance}}"),
                ),
            ),
        ),
        (
            "File systems",
            (
                graph(
                    "Free space",
                    "Free share of each file system.",
                    RATIO,
                    (
                        f"node_filesystem_avail_bytes{{{FS}}} / node_filesystem_size_bytes{{{FS}}}",
                        "{{host}} {{mountpoint}}",
                    ),
                    width=12,
                    empty=NO_ROOT,
                ),
                graph(
                    "Broken",
                    "1: the file system is read-only or does not respond.",
                    COUNT,
                    (
                        f"max by (host, mountpoint) (kafka_metal_filesystem_readonly{{{FS}}}"
                        f" or node_filesystem_device_error{{{FS}}})",
                        "{{host}} {{mountpoint}}",
                    ),
                    width=12,
                    empty=NO_ROOT,
                ),
            ),
        ),
        (
            "Devices",
            (
                graph(
                    "Write latency",
                    "Mean over five minutes. A disk above all others may fail soon.",
                    SECONDS,
                    (
                        "rate(node_disk_write_time_seconds_total{{C}}[5m])"
                        " / (rate(node_disk_writes_completed_total{{C}}[5m]) > 0)",
                        "{{host}} {{device}}",
                    ),
                ),
                graph(
                    "Utilisation",
                    "Share of time in which the disk is busy.",
                    RATIO,
                    ("rate(node_disk_io_time_seconds_total{{C}}[5m])", "{{host}} {{device}}"),
                ),
                graph(
                    "Requests in flight",
                    "A disk with requests in flight that completes none of them hangs.",
                    COUNT,
                    ("node_disk_io_now{{C}}", "{{host}} {{device}}"),
                ),
                graph(
                    "Written",
                    "Bytes by disk.",
                    BYTE_RATE,
                    ("rate(node_disk_written_bytes_total{{C}}[5m])", "{{host}} {{device}}"),
                ),
                graph(
                    "Read",
                    "Bytes by disk. Consumers without lag are served from the page cache.",
                    BYTE_RATE,
                    ("rate(node_disk_read_bytes_total{{C}}[5m])", "{{host}} {{device}}"),
                ),
                graph(
                    "Writes",
                    "Completed writes by disk.",
                    RATE,
                    ("rate(node_disk_writes_completed_total{{C}}[5m])", "{{host}} {{device}}"),
                ),
            ),
        ),
        (
            "SMART data",
            (
                graph(
                    "Healthy",
                    "0: the disk predicts its failure.",
                    COUNT,
                    ("kafka_metal_disk_healthy{{C}}", "{{host}} {{device}} {{serial}}"),
                    empty=NO_SMART,
                ),
                graph(
                    "Readable",
                    "0: smartctl cannot read the disk.",
                    COUNT,
                    ("kafka_metal_disk_readable{{C}}", "{{host}} {{device}} {{serial}}"),
                    empty=NO_SMART,
                ),
                graph(
                    "Bad sectors",
                    "Reallocated and pending sectors, and media errors.",
                    COUNT,
                    ("kafka_metal_disk_bad_sectors{{C}}", "{{host}} {{device}} {{serial}}"),
                    empty=NO_SMART,
                ),
                graph(
                    "Wear",
                    "Used share of the rated write endurance.",
                    RATIO,
                    ("kafka_metal_disk_wear_ratio{{C}}", "{{host}} {{device}} {{serial}}"),
                    empty=NO_SMART,
                ),
            ),
        ),
    ),
)

HOSTS = Board(
    "hosts",
    "Kafka / Hosts",
    "Machines: CPU, page cache, network, clocks, and the containers on them.",
    (
        (
            "Memory",
            (
                graph(
                    "Page cache",
                    "Kafka serves recent records from it instead of disks.",
                    BYTES,
                    ("node_memory_Cached_bytes{{C}}", "{{host}}"),
                ),
                graph(
                    "Dirty pages",
                    "Page cache that is not written to disk yet.",
                    BYTES,
                    ("node_memory_Dirty_bytes{{C}}", "{{host}} dirty"),
                    ("node_memory_Writeback_bytes{{C}}", "{{host}} writeback"),
                ),
                graph(
                    "Available",
                    "Share of memory available to processes.",
                    RATIO,
                    (
                        "node_memory_MemAvailable_bytes{{C}} / node_memory_MemTotal_bytes{{C}}",
                        "{{host}}",
                    ),
                ),
                graph(
                    "Major page faults",
                    "Pages read from a disk because they were not in memory.",
                    RATE,
                    ("rate(node_vmstat_pgmajfault{{C}}[5m])", "{{host}}"),
                ),
                graph(
                    "Swapped out",
                    "Pages written to swap. Should be zero.",
                    RATE,
                    ("rate(node_vmstat_pswpout{{C}}[5m])", "{{host}}"),
                ),
                graph(
                    "OOM kills",
                    "Processes killed by the kernel within 15 minutes.",
                    COUNT,
                    ("increase(node_vmstat_oom_kill{{C}}[15m])", "{{host}}"),
                ),
            ),
        ),
        (
            "CPU and network",
            (
                graph(
                    "CPU",
                    "Used share of all cores.",
                    RATIO,
                    (
                        '1 - avg by (host) (rate(node_cpu_seconds_total{mode="idle", {C}}[5m]))',
                        "{{host}}",
                    ),
                ),
                graph(
                    "Load",
                    "Processes that run or wait for a disk, averaged over a minute.",
                    COUNT,
                    ("node_load1{{C}}", "{{host}}"),
                ),
                graph(
                    "Received",
                    "Bytes by network interface.",
                    BYTE_RATE,
                    (f"rate(node_network_receive_bytes_total{{{NIC}}}[5m])", "{{host}} {{device}}"),
                ),
                graph(
                    "Sent",
                    "Bytes by network interface.",
                    BYTE_RATE,
                    (
                        f"rate(node_network_transmit_bytes_total{{{NIC}}}[5m])",
                        "{{host}} {{device}}",
                    ),
                ),
                graph(
                    "Lost packets",
                    "Dropped packets and errors by network interface.",
                    RATE,
                    (
                        f"rate(node_network_receive_drop_total{{{NIC}}}[5m])"
                        f" + rate(node_network_receive_errs_total{{{NIC}}}[5m])"
                        f" + rate(node_network_transmit_errs_total{{{NIC}}}[5m])",
                        "{{host}} {{device}}",
                    ),
                ),
                graph(
                    "Clocks",
                    "Offset of each clock from the clock of Prometheus.",
                    SECONDS,
                    ("abs(node_time_seconds{{C}} - timestamp(node_time_seconds{{C}}))", "{{host}}"),
                ),
            ),
        ),
        (
            # Each container runs one process, which exports these metrics itself.
            "Containers",
            (
                graph(
                    "Memory",
                    "Resident memory of each process, without the page cache.",
                    BYTES,
                    ("process_resident_memory_bytes{{C}}", "{{host}} {{instance}}"),
                    width=6,
                ),
                graph(
                    "CPU",
                    "Cores used by each process.",
                    COUNT,
                    ("rate(process_cpu_seconds_total{{C}}[5m])", "{{host}} {{instance}}"),
                    width=6,
                ),
                graph(
                    "File descriptors",
                    "Open file descriptors as a share of the limit.",
                    RATIO,
                    ("process_open_fds{{C}} / process_max_fds{{C}}", "{{host}} {{instance}}"),
                    width=6,
                ),
                graph(
                    "Restarts",
                    "Restarts of each process within a day.",
                    COUNT,
                    ("changes(process_start_time_seconds{{C}}[1d])", "{{host}} {{instance}}"),
                    width=6,
                ),
            ),
        ),
    ),
)
