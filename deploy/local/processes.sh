# shellcheck shell=bash
# Pid files that identify one process reliably, and look-ups of listening ports; sourced.

# Prints a process's start time in clock ticks since boot; start time and id identify a process. Fails for zombies.
# The second field of the line, the name, may contain spaces and brackets, so the other fields are counted from its end.
start_time_of() {
    local line fields
    line=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
    read -r -a fields <<<"${line##*) }"
    [[ ${fields[0]} != Z ]] || return 1
    printf '%s' "${fields[19]}"
}

# Prints the id in the pid file FILE if the process that it identifies still runs; fails otherwise.
process_of() {
    local pid="" since="" now
    [[ -f $1 ]] || return 1
    read -r pid since <"$1" || true
    [[ -n $pid ]] && now=$(start_time_of "$pid") && [[ $now == "$since" ]] || return 1
    printf '%s' "$pid"
}

# Writes the pid file FILE for process PID atomically.
record_process() {
    printf '%s %s\n' "$2" "$(start_time_of "$2")" >"$1.new"
    mv "$1.new" "$1"
}

port_is_free() { ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# Prints the inodes of the sockets that listen on PORT.
listeners_of() {
    awk -v port=":$(printf '%04X' "$1")" '$4 == "0A" && substr($2, length($2) - 4) == port { print $10 }' \
        /proc/net/tcp /proc/net/tcp6 2>/dev/null
}

# Whether process PID listens on PORT; also true if its sockets cannot be read.
listens_on() {
    local inode
    # In a container, root may list the descriptors of another user's process without being able to read them.
    [[ -n $(find "/proc/$1/fd" -lname '*' -print -quit 2>/dev/null) ]] || return 0
    for inode in $(listeners_of "$2"); do
        [[ -z $(find "/proc/$1/fd" -lname "socket:\[$inode\]" 2>/dev/null) ]] || return 0
    done
    return 1
}

# Prints id and command of the process that listens on PORT, if this user may see it.
listener_of() {
    local inode file pid
    for inode in $(listeners_of "$1"); do
        file=$(find /proc/[0-9]*/fd -lname "socket:\[$inode\]" -print -quit 2>/dev/null) || true
        pid=${file#/proc/} pid=${pid%%/*}
        [[ -n $pid ]] || continue
        printf 'process %s (%s)' "$pid" "$(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | cut -c 1-60 | sed 's/ *$//')"
        return
    done
    printf 'another process'
}
