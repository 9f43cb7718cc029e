"""Machines: disks, page cache, network, clocks."""

from ..model import BYTE_RATE, BYTES, COUNT, NO_ROOT, NO_SMART, RATE, RATIO, SECONDS, Board, graph

FS = 'fstype=~"xfs|ext4", {C}'
NIC = 'device!~"lo|veth.*|docker.*|br-.*", {C}'

DISKS = Board(
    "disks",
    "Kafka / Disks",
    "Plain disks, one log dir each: which is full, slow, silent or gone.",
    (
        (
            "Log dirs",
            (
                graph(
                    "Offline",
                    "Log dirs that failed; 1 is offline.",
                    COUNT,
                    ("kafka_log_dir_offline{{C}}", "{{instance}} {{log_dir}}"),
                ),
                graph(
                    "Logs still to be checked",
                    "After an unclean stop; the broker serves when none is left.",
                    COUNT,
                    ("kafka_log_remaining_to_recover{{C}}", "{{instance}} {{log_dir}}"),
                    empty="Empty where no broker has recovered since it started.",
                ),
                graph(
                    "Flushes, p99",
                    "Time of a flush of a log to its disk.",
                    SECONDS,
                    ("kafka_log_flush_time_seconds{{C}}", "{{instance}}"),
                ),
            ),
        ),
        (
            "File systems",
            (
                graph(
                    "Room left",
                    "Share of each file system.",
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
                    "1 for a file system that became read-only or does not answer.",
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
                    "Time of a write",
                    "Mean over five minutes. One disk above its neighbours is about to die.",
                    SECONDS,
                    (
                        "rate(node_disk_write_time_seconds_total{{C}}[5m])"
                        " / (rate(node_disk_writes_completed_total{{C}}[5m]) > 0)",
                        "{{host}} {{device}}",
                    ),
                ),
                graph(
                    "Busy",
                    "Share of time in which a disk works.",
                    RATIO,
                    ("rate(node_disk_io_time_seconds_total{{C}}[5m])", "{{host}} {{device}}"),
                ),
                graph(
                    "Under way",
                    "Requests that a disk has not answered. Many and none that ends: it hangs.",
                    COUNT,
                    ("node_disk_io_now{{C}}", "{{host}} {{device}}"),
                ),
                graph(
                    "Written",
                    "Bytes, by disk.",
                    BYTE_RATE,
                    ("rate(node_disk_written_bytes_total{{C}}[5m])", "{{host}} {{device}}"),
                ),
                graph(
                    "Read",
                    "Bytes, by disk. Consumers that keep up are served from memory.",
                    BYTE_RATE,
                    ("rate(node_disk_read_bytes_total{{C}}[5m])", "{{host}} {{device}}"),
                ),
                graph(
                    "Writes",
                    "Writes that ended, by disk.",
                    RATE,
                    ("rate(node_disk_writes_completed_total{{C}}[5m])", "{{host}} {{device}}"),
                ),
            ),
        ),
        (
            "What disks tell of themselves",
            (
                graph(
                    "Healthy",
                    "0 for a disk that expects to fail.",
                    COUNT,
                    ("kafka_metal_disk_healthy{{C}}", "{{host}} {{device}} {{serial}}"),
                    empty=NO_SMART,
                ),
                graph(
                    "Bad sectors",
                    "Replaced, or waiting to be, and errors of the medium.",
                    COUNT,
                    ("kafka_metal_disk_bad_sectors{{C}}", "{{host}} {{device}} {{serial}}"),
                    empty=NO_SMART,
                ),
                graph(
                    "Worn",
                    "Share of the promised writes that is used up.",
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
    "Machines: processors, page cache, network, clocks, and the containers on them.",
    (
        (
            "Memory",
            (
                graph(
                    "Page cache",
                    "What Kafka reads from instead of disks.",
                    BYTES,
                    ("node_memory_Cached_bytes{{C}}", "{{host}}"),
                ),
                graph(
                    "To be written",
                    "Page cache that is not on a disk yet.",
                    BYTES,
                    ("node_memory_Dirty_bytes{{C}}", "{{host}} dirty"),
                    ("node_memory_Writeback_bytes{{C}}", "{{host}} under way"),
                ),
                graph(
                    "Available",
                    "Share of memory that programs could have.",
                    RATIO,
                    (
                        "node_memory_MemAvailable_bytes{{C}} / node_memory_MemTotal_bytes{{C}}",
                        "{{host}}",
                    ),
                ),
                graph(
                    "Read from disks for want of memory",
                    "Major page faults.",
                    RATE,
                    ("rate(node_vmstat_pgmajfault{{C}}[5m])", "{{host}}"),
                ),
                graph(
                    "Swapped out",
                    "Pages a second; none is right.",
                    RATE,
                    ("rate(node_vmstat_pswpout{{C}}[5m])", "{{host}}"),
                ),
                graph(
                    "Killed for want of memory",
                    "Processes, over a quarter of an hour.",
                    COUNT,
                    ("increase(node_vmstat_oom_kill{{C}}[15m])", "{{host}}"),
                ),
            ),
        ),
        (
            "Processors and network",
            (
                graph(
                    "Processors",
                    "Share of time in which they work.",
                    RATIO,
                    (
                        '1 - avg by (host) (rate(node_cpu_seconds_total{mode="idle", {C}}[5m]))',
                        "{{host}}",
                    ),
                ),
                graph(
                    "Waiting",
                    "Processes that run or wait for a disk, over a minute.",
                    COUNT,
                    ("node_load1{{C}}", "{{host}}"),
                ),
                graph(
                    "Received",
                    "Bytes, by network card.",
                    BYTE_RATE,
                    (f"rate(node_network_receive_bytes_total{{{NIC}}}[5m])", "{{host}} {{device}}"),
                ),
                graph(
                    "Sent",
                    "Bytes, by network card.",
                    BYTE_RATE,
                    (
                        f"rate(node_network_transmit_bytes_total{{{NIC}}}[5m])",
                        "{{host}} {{device}}",
                    ),
                ),
                graph(
                    "Packets lost",
                    "Dropped or broken, by network card.",
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
                    "What each clock is off, beside the one of Prometheus.",
                    SECONDS,
                    ("abs(node_time_seconds{{C}} - timestamp(node_time_seconds{{C}}))", "{{host}}"),
                ),
            ),
        ),
        (
            # Each container holds one program, which tells this itself: no engine is asked.
            "Containers",
            (
                graph(
                    "Memory",
                    "What each program has in RAM, without the page cache.",
                    BYTES,
                    ("process_resident_memory_bytes{{C}}", "{{host}} {{instance}}"),
                    width=6,
                ),
                graph(
                    "Processors",
                    "How many each program keeps busy.",
                    COUNT,
                    ("rate(process_cpu_seconds_total{{C}}[5m])", "{{host}} {{instance}}"),
                    width=6,
                ),
                graph(
                    "Open files",
                    "Share of those that each program may open.",
                    RATIO,
                    ("process_open_fds{{C}} / process_max_fds{{C}}", "{{host}} {{instance}}"),
                    width=6,
                ),
                graph(
                    "Began anew",
                    "How often each program did, over a day.",
                    COUNT,
                    ("changes(process_start_time_seconds{{C}}[1d])", "{{host}} {{instance}}"),
                    width=6,
                ),
            ),
        ),
    ),
)
