# shellcheck shell=bash
# machine_check.sh FILE PATTERN MOUNTINFO [NAME=HOST:PORT/PATH...]: writes metrics into FILE for the node
# exporter: the time of the engine's last health check of this container, which file systems are read-only, and
# which of the named services are ready: the others answer with another status than 200, or not within a second.
# Mount points that match PATTERN are left out. The node exporter 1.9 reports only mount options. When the kernel
# makes a file system read-only after an error, "ro" is in the options of the file system: last in a line, after
# device and kind.
# A FILE that cannot be written does not make the container unhealthy: the alert ContainerEngineUnreachable fires.
declare -A labels read_only
# label TEXT: prints TEXT escaped as the value of a label.
label() {
    local text=${1//\\/\\\\}
    text=${text//\"/\\\"}
    printf %s "${text//$'\n'/\\n}"
}
while read -ra fields; do
    # Optional fields start at the seventh; a dash ends them.
    after=6
    while ((after < ${#fields[@]})) && [[ ${fields[after]} != - ]]; do after=$((after + 1)); done
    point=${fields[4]} kind=${fields[after + 1]} device=${fields[after + 2]} options=${fields[after + 3]}
    [[ $kind =~ ^(xfs|ext4)$ && $options && ! $point =~ $2 ]] || continue
    # The kernel writes a space, a tab and a backslash as octal numbers; the node exporter does not escape them.
    printf -v device %b "${device//\\/\\0}"
    printf -v mountpoint %b "${point//\\/\\0}"
    # If several file systems are mounted at one point, the last one is visible.
    labels[$point]="device=\"$(label "$device")\",fstype=\"$kind\",mountpoint=\"$(label "$mountpoint")\""
    [[ ,$options, == *,ro,* ]] && read_only[$point]=1 || read_only[$point]=0
done < "$3"
declare -A ready
for service in "${@:4}"; do
    name=${service%%=*} url=${service#*=}
    address=${url%%/*} status=
    if exec 3<> "/dev/tcp/${address%:*}/${address##*:}"; then
        printf 'GET /%s HTTP/1.0\r\nHost: %s\r\n\r\n' "${url#*/}" "$address" >&3
        read -rt 1 _ status _ <&3
        exec 3>&-
    fi
    [[ $status == 200 ]] && ready[$name]=1 || ready[$name]=0
done 2> /dev/null
{
    echo '# TYPE kafka_metal_engine_checked_time_seconds gauge'
    printf 'kafka_metal_engine_checked_time_seconds %(%s)T\n' -1
    echo '# TYPE kafka_metal_filesystem_readonly gauge'
    for point in "${!labels[@]}"; do
        echo "kafka_metal_filesystem_readonly{${labels[$point]}} ${read_only[$point]}"
    done
    ((${#ready[@]})) && echo '# TYPE kafka_metal_service_ready gauge'
    for name in "${!ready[@]}"; do
        echo "kafka_metal_service_ready{of_instance=\"$(label "$name")\"} ${ready[$name]}"
    done
} > "$1.new" && mv "$1.new" "$1" || true
