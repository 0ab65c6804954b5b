# shellcheck shell=bash
# Separate container engine for deploy/local/containers: podman, with storage, networks and settings in a folder of the
# checkout, so that other engines and images of this machine are not affected. Sourced.
# shellcheck disable=SC2154  # state and root are set by the script that sources this.

engine_packages=(podman runc conmon netavark aardvark-dns iptables debootstrap docker-compose)

# Installs the engine; prints the reason if that is not possible.
engine_obstacle() {
    local missing=()
    if [[ $(uname -s) != Linux || $(id -u) -ne 0 ]]; then
        echo "podman with separate networks needs Linux and root"
        return
    fi
    mapfile -t missing < <(engine_missing)
    if ((${#missing[@]})) && ! command -v apt-get >/dev/null; then
        echo "there is no apt-get to install the missing packages ${missing[*]}"
    elif ((${#missing[@]})); then
        report "installing Debian packages: ${missing[*]}"
        apt-get update -q >/dev/null 2>&1 || true
        DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" >/dev/null 2>&1 \
            || echo "apt-get cannot install ${missing[*]}"
    fi
}

# Prints the packages whose programs are missing.
engine_missing() {
    local package program
    for package in "${engine_packages[@]}"; do
        case $package in
            netavark | aardvark-dns) program=/usr/lib/podman/$package ;;
            *) program=$package ;;
        esac
        PATH=$PATH:/usr/sbin:/sbin command -v "$program" >/dev/null || echo "$package"
    done
}

# Prints overlay if the kernel supports it here, else vfs, which copies every layer.
storage_driver() {
    local try=$state/try
    mkdir -p "$try"/{lower,upper,work,merged}
    if mount -t overlay overlay -o "lowerdir=$try/lower,upperdir=$try/upper,workdir=$try/work" "$try/merged" 2>/dev/null; then
        umount "$try/merged"
        echo overlay
    else
        echo vfs
    fi
    rm -rf "$try"
}

# Writes the settings and starts the API service that docker-compose uses.
engine_start() {
    mkdir -p "$state"/{networks,storage,run,log}
    cat >"$state/containers.conf" <<CONF
[containers]
# Podman's defaults may exceed the limits of this process.
default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
[network]
network_backend = "netavark"
network_config_dir = "$state/networks"
CONF
    printf '[storage]\ndriver = "%s"\ngraphroot = "%s"\nrunroot = "%s"\n' \
        "$(storage_driver)" "$state/storage" "$state/run" >"$state/storage.conf"
    export CONTAINERS_CONF=$state/containers.conf CONTAINERS_STORAGE_CONF=$state/storage.conf
    export PATH=$PATH:/usr/sbin:/sbin
    # In /tmp, because the path of a socket is limited to 107 characters.
    socket_folder=$(mktemp -d /tmp/sightline-podman.XXXXXX)
    podman system service --time 0 "unix://$socket_folder/socket" >"$state/log/service.log" 2>&1 &
    service_pid=$!
    export DOCKER_HOST=unix://$socket_folder/socket
    wait_for "the engine answers" test -S "$socket_folder/socket"
}

# Runs the health checks in a loop. Podman relies on systemd for this, which a container or test machine may not have.
health_checks() {
    local container
    while true; do
        for container in $(podman ps --quiet); do
            # A check of a stopping container may never end.
            timeout --kill-after 1 15 podman healthcheck run "$container" >/dev/null 2>&1 || true
        done
        sleep 2
    done
}

# Stops everything that engine_start started. Before engine_start, does nothing, because podman would use this machine's
# own engine.
engine_stop() {
    local job
    [[ -n ${service_pid:-} ]] || return 0
    # Ends interrupted builds and the health checks.
    for job in $(jobs -p); do
        [[ $job != "$service_pid" ]] || continue
        # The wait prevents a message of bash about each ended job.
        { kill "$job" && pkill -P "$job"; wait "$job"; } 2>/dev/null || true
    done
    podman rm --all --force --time 5 >/dev/null 2>&1 || true
    podman volume prune --force >/dev/null 2>&1 || true
    podman network prune --force >/dev/null 2>&1 || true
    # Removes untagged layers of earlier builds.
    podman image prune --force >/dev/null 2>&1 || true
    { kill "$service_pid" && wait "$service_pid"; } 2>/dev/null || true
    # Conmon processes of commands in containers remain for five minutes. Ends those with this engine's folder as argument.
    for job in $(pgrep -x conmon); do
        if grep -qsF "$state/storage/" "/proc/$job/cmdline"; then kill "$job" 2>/dev/null || true; fi
    done
    # Podman's own processes may still be cleaning up.
    for _ in {1..20}; do
        if rm -rf "$socket_folder" "$state/run" "$state/tls" "$state/context" 2>/dev/null; then break; fi
        sleep 0.5
    done
}

# Prints the last health checks and log lines of containers that are not healthy.
show_unhealthy() {
    local container
    for container in $(podman ps --quiet --filter health=unhealthy --filter health=starting); do
        podman inspect --format '{{.Name}}: {{json .State.Healthcheck.Log}}' "$container" | tail -c 1000
        podman logs --tail 10 "$container" 2>&1 | cut -c 1-500
    done
}

# wait_for CONDITION COMMAND…: repeats COMMAND every half second for up to three minutes; prints the duration.
wait_for() {
    local condition=$1 began=$SECONDS
    shift
    until "$@"; do
        if ((SECONDS >= began + 180)); then
            podman ps --all --format '{{.Names}} {{.Status}}' >&2 || true
            show_unhealthy >&2
            fail "not within three minutes: $condition"
        fi
        sleep 0.5
    done
    report "$condition ($((SECONDS - began)) s)"
}
