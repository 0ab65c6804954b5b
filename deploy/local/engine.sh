# shellcheck shell=bash
# A container engine of its own for deploy/local/containers: podman, with storage, networks and settings in a folder of
# the checkout, so that the engine and images of this machine's users are left alone. Sourced.
# shellcheck disable=SC2154  # state and root are set by the script that sources this.

engine_packages=(podman runc conmon netavark aardvark-dns iptables debootstrap docker-compose)

# Says in one sentence why no engine can be had here; nothing where one can.
engine_obstacle() {
    local missing=()
    if [[ $(uname -s) != Linux || $(id -u) -ne 0 ]]; then
        echo "podman with networks of its own needs Linux and root"
        return
    fi
    mapfile -t missing < <(engine_missing)
    if ((${#missing[@]})) && ! command -v apt-get >/dev/null; then
        echo "not installed, and this system has no apt-get to install them with: ${missing[*]}"
    elif ((${#missing[@]})); then
        say "installing Debian packages: ${missing[*]}"
        apt-get update -q >/dev/null 2>&1 || true
        DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" >/dev/null 2>&1 \
            || echo "apt-get cannot install ${missing[*]}"
    fi
}

# The packages whose programs are not there.
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

# Whether the kernel lays file systems over one another here; without it every layer is copied.
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

# Settings and the service with which docker-compose talks.
engine_start() {
    mkdir -p "$state"/{networks,storage,run,log}
    cat >"$state/containers.conf" <<CONF
[containers]
# The highest that this process may have, where that is less than the engine's own wish.
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
    # The name of a socket is short.
    socket_folder=$(mktemp -d /tmp/sightline-podman.XXXXXX)
    podman system service --time 0 "unix://$socket_folder/socket" >"$state/log/service.log" 2>&1 &
    service_pid=$!
    export DOCKER_HOST=unix://$socket_folder/socket
    wait_for "the engine answers" test -S "$socket_folder/socket"
}

# Podman leaves the asking of health checks to systemd, which a container or a machine for tests may not have.
health_checks() {
    local container
    while true; do
        for container in $(podman ps --quiet); do
            # One that is asked of a container on its way out may never end.
            timeout --kill-after 1 15 podman healthcheck run "$container" >/dev/null 2>&1 || true
        done
        sleep 2
    done
}

# Ends what engine_start began. Before that the engine would be this machine's own, which is left alone.
engine_stop() {
    local job
    [[ -n ${service_pid:-} ]] || return 0
    # Builds that a signal cut short, and the health checks.
    for job in $(jobs -p); do
        [[ $job != "$service_pid" ]] || continue
        # Bash would report each end, unless it is waited for here.
        { kill "$job" && pkill -P "$job"; wait "$job"; } 2>/dev/null || true
    done
    podman rm --all --force --time 5 >/dev/null 2>&1 || true
    podman volume prune --force >/dev/null 2>&1 || true
    podman network prune --force >/dev/null 2>&1 || true
    # Layers that have no name any more: those of the build before this one.
    podman image prune --force >/dev/null 2>&1 || true
    { kill "$service_pid" && wait "$service_pid"; } 2>/dev/null || true
    # What watched over commands in containers stays for five minutes; those of this engine name its folder.
    for job in $(pgrep -x conmon); do
        if grep -qsF "$state/storage/" "/proc/$job/cmdline"; then kill "$job" 2>/dev/null || true; fi
    done
    # Podman's own processes may still be putting away what those left.
    for _ in {1..20}; do
        if rm -rf "$socket_folder" "$state/run" "$state/tls" "$state/context" 2>/dev/null; then break; fi
        sleep 0.5
    done
}

# What the last health checks of the containers said, and their last lines.
show_unhealthy() {
    local container
    for container in $(podman ps --quiet --filter health=unhealthy --filter health=starting); do
        podman inspect --format '{{.Name}}: {{json .State.Healthcheck.Log}}' "$container" | tail -c 1000
        podman logs --tail 10 "$container" 2>&1 | cut -c 1-500
    done
}

# wait_for WHAT COMMAND…: looks twice a second, for up to three minutes, and says how long it took.
wait_for() {
    local what=$1 began=$SECONDS
    shift
    until "$@"; do
        if ((SECONDS >= began + 180)); then
            podman ps --all --format '{{.Names}} {{.Status}}' >&2 || true
            show_unhealthy >&2
            fail "not within three minutes: $what"
        fi
        sleep 0.5
    done
    say "$what ($((SECONDS - began)) s)"
}
