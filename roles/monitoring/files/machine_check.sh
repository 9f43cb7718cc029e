# machine_check.sh FILE PATTERN [MOUNTINFO]: writes into FILE, for the node exporter, when the engine last
# checked this container, and which file systems are read-only, but for mount points that match PATTERN.
# The node exporter 1.9 reports the options of a mount alone. One that the kernel made read-only after an
# error has it in the options of the file system, which are last in a line, after device and kind.
# A file that cannot be written does not make the container unhealthy: the alert EngineSilent fires.
declare -A labels read_only
while read -ra fields; do
    # Behind the sixth are some that end with a dash.
    after=6
    while [[ ${fields[after]} != - ]]; do after=$((after + 1)); done
    point=${fields[4]} kind=${fields[after + 1]} device=${fields[after + 2]} options=${fields[after + 3]}
    [[ $kind =~ ^(xfs|ext4)$ && ! $point =~ $2 ]] || continue
    # Of mounts at one point the last one counts.
    labels[$point]="device=\"$device\",fstype=\"$kind\",mountpoint=\"${point//\\/\\\\}\""
    [[ ,$options, == *,ro,* ]] && read_only[$point]=1 || read_only[$point]=0
done < "${3:-/proc/self/mountinfo}"
{
    echo '# TYPE kafka_metal_engine_checked_time_seconds gauge'
    printf 'kafka_metal_engine_checked_time_seconds %(%s)T\n' -1
    echo '# TYPE kafka_metal_filesystem_readonly gauge'
    for point in "${!labels[@]}"; do
        echo "kafka_metal_filesystem_readonly{${labels[$point]}} ${read_only[$point]}"
    done
} > "$1.new" && mv "$1.new" "$1" || true
