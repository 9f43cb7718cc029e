# machine_check.sh FILE PATTERN [MOUNTS]: writes into FILE, for the node exporter, when the engine last
# checked this container, and which file systems are read-only, but for mount points that match PATTERN.
# The node exporter 1.9 reports only what a mount is by its own options: one that the kernel made read-only
# after an error is so for all its mounts.
# A file that cannot be written does not make the container unhealthy: the alert EngineSilent fires.
declare -A kinds read_only
while read -r device point kind options _; do
    [[ $kind =~ ^(xfs|ext4)$ && ! $point =~ $2 ]] || continue
    # Of mounts at one point the last one counts.
    kinds[$point]="device=\"$device\",fstype=\"$kind\",mountpoint=\"${point//\\/\\\\}\""
    [[ ,$options, == *,ro,* ]] && read_only[$point]=1 || read_only[$point]=0
done < "${3:-/proc/self/mounts}"
{
    echo '# TYPE kafka_metal_engine_checked_time_seconds gauge'
    printf 'kafka_metal_engine_checked_time_seconds %(%s)T\n' -1
    echo '# TYPE kafka_metal_filesystem_readonly gauge'
    for point in "${!kinds[@]}"; do
        echo "kafka_metal_filesystem_readonly{${kinds[$point]}} ${read_only[$point]}"
    done
} > "$1.new" && mv "$1.new" "$1" || true
