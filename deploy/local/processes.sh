# shellcheck shell=bash
# Pid files that name one process for ever, and who listens on a port; sourced.

# When a process started, in clock ticks since boot: with its id this names one process for ever, whatever is killed.
# The second field of the line, the name, may hold blanks and brackets; the rest is counted from its end.
started_at() {
    local line fields
    line=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
    read -r -a fields <<<"${line##*) }"
    [[ ${fields[0]} != Z ]] || return 1
    printf '%s' "${fields[19]}"
}

# The id in the pid file FILE if that very process still runs; fails otherwise.
process_of() {
    local pid="" since="" now
    [[ -f $1 ]] || return 1
    read -r pid since <"$1" || true
    [[ -n $pid ]] && now=$(started_at "$pid") && [[ $now == "$since" ]] || return 1
    printf '%s' "$pid"
}

# Writes the pid file FILE for process PID, whole or not at all.
note_process() {
    printf '%s %s\n' "$2" "$(started_at "$2")" >"$1.new"
    mv "$1.new" "$1"
}

port_is_free() { ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# The kernel's numbers of the sockets that listen on PORT.
listeners_of() {
    awk -v port=":$(printf '%04X' "$1")" '$4 == "0A" && substr($2, length($2) - 4) == port { print $10 }' \
        /proc/net/tcp /proc/net/tcp6 2>/dev/null
}

# Whether process PID itself listens on PORT; true as well where its sockets cannot be looked up.
listens_on() {
    local inode
    # Of another user's process, root in a container may list the numbers, and not read what they are.
    [[ -n $(find "/proc/$1/fd" -lname '*' -print -quit 2>/dev/null) ]] || return 0
    for inode in $(listeners_of "$2"); do
        [[ -z $(find "/proc/$1/fd" -lname "socket:\[$inode\]" 2>/dev/null) ]] || return 0
    done
    return 1
}

# Names the process that listens on PORT, as far as this user may see it.
holder_of() {
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
