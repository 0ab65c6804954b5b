# shellcheck shell=bash
# The three services of the local stack; sourced by `stack`. Each has: _start PORT (in the background, noting its
# process), _answers, _prepare (once it answers), _stop_signal.
# shellcheck disable=SC2154  # run_dir, log_dir, local_dir, tools, fast and other_kafka are set by `stack`.

port_of() { cat "$run_dir/$1.port"; }

# Starts a command in a session of its own, so that a terminal's Ctrl-C does not reach it, and notes its process. It is
# given neither the stack's lock (9) nor the demo's (8): both end with those that took them.
spawn() {
    local service=$1
    shift
    setsid "$@" </dev/null >>"$log_dir/$service.log" 2>&1 8>&- 9>&- &
    note_pid "$service" $!
}

check_tools() {
    [ -n "$other_kafka" ] || [ -x "$tools/bin/tansu" ] || fail "the broker is not installed; run deploy/local/install first."
    find_redis_server
    find_postgres_bin
}

# --- kafka: Tansu, in memory -----------------------------------------------------------------------------------------

# CHAOS_BROKER_PORT: the port that clients are told to use, of a proxy in front of the broker.
kafka_start() {
    local host=tcp://127.0.0.1
    spawn kafka "$tools/bin/tansu" broker --listener-url "$host:$1" \
        --advertised-listener-url "$host:${CHAOS_BROKER_PORT:-$1}" \
        --storage-engine memory://tansu/ --silent
}

kafka_answers() { "$tools/bin/tansu" topic list --broker "tcp://127.0.0.1:$(port_of kafka)" >/dev/null 2>&1; }

kafka_prepare() { :; }

kafka_stop_signal() { printf TERM; }

# --- redis -----------------------------------------------------------------------------------------------------------

# Debian and Ubuntu ship the server as redis-check-rdb too, under which name the package without a service has it.
find_redis_server() {
    redis_program=$(command -v redis-server || command -v redis-check-rdb) \
        || fail "Redis is not installed; run deploy/local/install first."
}

redis_start() {
    mkdir -p "$local_dir/redis"
    # `exec -a`: the program decides by the name it is called whether it is the server.
    # shellcheck disable=SC2016  # expanded by the inner shell
    spawn redis bash -c 'exec -a redis-server "$@"' bash "$redis_program" --port "$1" --bind 127.0.0.1 \
        --dir "$local_dir/redis" --save "" --appendonly no --daemonize no
}

redis_answers() {
    [ "$(redis-cli -h 127.0.0.1 -p "$(port_of redis)" ping 2>/dev/null)" = PONG ]
}

redis_prepare() { :; }

redis_stop_signal() { printf TERM; }

# --- postgres --------------------------------------------------------------------------------------------------------

find_postgres_bin() {
    local folder
    postgres_bin=""
    # The newest of those installed; `sort -V` puts 9 before 15.
    for folder in $(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V); do
        [ -x "$folder/initdb" ] && postgres_bin=$folder
    done
    if [ -z "$postgres_bin" ]; then
        folder=$(readlink -f "$(command -v initdb)" 2>/dev/null) \
            || fail "Postgres is not installed; run deploy/local/install first."
        postgres_bin=${folder%/*}
    fi
}

# Postgres refuses to run as root; then the user that its package made is used. setpriv replaces itself by the
# program, so the process noted is the server.
as_postgres() {
    if [ "$(id -u)" -eq 0 ]; then
        printf '%s\n' setpriv --reuid postgres --regid postgres --init-groups env HOME=/
    fi
}

# Where the data is. A checkout under /root cannot be entered by another user: then it is a folder under TMPDIR,
# remembered in .local.
postgres_data() {
    local remembered=$local_dir/postgres.path data
    if [ -f "$remembered" ] && [ -d "$(<"$remembered")" ]; then
        cat "$remembered"
        return
    fi
    data=$local_dir/postgres
    mkdir -p "$data"
    if [ "$(id -u)" -eq 0 ]; then
        chown postgres: "$data"
        if ! "${run_as[@]}" test -x "$data"; then
            rmdir "$data"
            data=$(mktemp -d "${TMPDIR:-/tmp}/sightline-postgres.XXXXXX")
            chown postgres: "$data"
        fi
    fi
    printf '%s' "$data" >"$remembered"
    printf '%s' "$data"
}

postgres_start() {
    local data flags=() run_as=()
    mapfile -t run_as < <(as_postgres)
    data=$(postgres_data)
    if [ ! -f "$data/cluster/PG_VERSION" ]; then
        # A first start that was killed half-way leaves a folder that is no cluster.
        rm -rf "$data/cluster"
        (cd / && "${run_as[@]}" "$postgres_bin/initdb" --pgdata "$data/cluster" --username postgres --auth trust \
            --encoding UTF8 --locale C --no-sync) >>"$log_dir/postgres.log" 2>&1 9>&- \
            || fail "initdb failed; see $log_dir/postgres.log"
    fi
    # Removed by a server that stops; one that was killed leaves it, and it may name a process that is another's now.
    rm -f "$data/cluster/postmaster.pid"
    # shellcheck disable=SC2154
    if $fast; then flags=(-c fsync=off -c synchronous_commit=off -c full_page_writes=off); fi
    spawn postgres "${run_as[@]}" "$postgres_bin/postgres" -D "$data/cluster" -p "$1" \
        -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200 "${flags[@]}"
}

# Deletes all data; the server must not run.
postgres_empty() {
    local data
    data=$(postgres_data)
    [ ! -d "$data/cluster" ] || rm -rf "$data/cluster"
}

postgres_psql() {
    "$postgres_bin/psql" --no-psqlrc --quiet --tuples-only --no-align --set ON_ERROR_STOP=1 \
        "postgresql://postgres@127.0.0.1:$(port_of postgres)/postgres?connect_timeout=2" --command "$1"
}

postgres_answers() { [ "$(postgres_psql 'SELECT 1' 2>/dev/null)" = 1 ]; }

postgres_prepare() {
    [ "$(postgres_psql "SELECT 1 FROM pg_database WHERE datname = 'sightline'")" = 1 ] \
        || postgres_psql 'CREATE DATABASE sightline'
}

# INT is Postgres' fast shutdown: open connections are closed, data is written.
postgres_stop_signal() { printf INT; }

# Data kept outside .local is deleted with the stack, because it would not be found otherwise.
postgres_forget() {
    local remembered=$local_dir/postgres.path data
    [ -f "$remembered" ] || return 0
    data=$(<"$remembered")
    case $data in
        */sightline-postgres.??????)
            rm -rf "$data"
            rm -f "$remembered"
            ;;
    esac
}
