# shellcheck shell=bash
# machine_check.sh FILE PATTERN [MOUNTINFO]: writes into FILE, for the node exporter, when the engine last
# checked this container, and which file systems are read-only, but for mount points that match PATTERN.
# The node exporter 1.9 reports only the options of a mount. When the kernel makes a file system read-only
# after an error, this stands in the options of the file system: last in a line, after device and kind.
# A file that cannot be written does not make the container unhealthy: then the alert
# ContainerEngineUnreachable fires.
declare -A labels read_only
# label TEXT: as a value of a label is written.
label() {
    local text=${1//\\/\\\\}
    text=${text//\"/\\\"}
    printf %s "${text//$'\n'/\\n}"
}
while read -ra fields; do
    # From the seventh field on there are optional ones, and then a dash.
    after=6
    while ((after < ${#fields[@]})) && [[ ${fields[after]} != - ]]; do after=$((after + 1)); done
    point=${fields[4]} kind=${fields[after + 1]} device=${fields[after + 2]} options=${fields[after + 3]}
    [[ $kind =~ ^(xfs|ext4)$ && $options && ! $point =~ $2 ]] || continue
    # The kernel writes a space, a tab and a backslash as octal numbers, the node exporter as they are.
    printf -v device %b "${device//\\/\\0}"
    printf -v mountpoint %b "${point//\\/\\0}"
    # Of mounts at one point the last one counts.
    labels[$point]="device=\"$(label "$device")\",fstype=\"$kind\",mountpoint=\"$(label "$mountpoint")\""
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
