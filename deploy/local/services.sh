# shellcheck shell=bash
# The three services of the local stack; sourced by `stack` and `postgres-copy`. Each has the functions SERVICE_start
# PORT (in the background, with a pid file), SERVICE_answers, SERVICE_prepare (called when the service answers) and
# SERVICE_stop_signal.
# shellcheck disable=SC2154  # run_dir, log_dir, local_dir, tools, fast and other_kafka are set by `stack`.

port_of() { cat "$run_dir/$1.port"; }

# Starts a command in a new session, so that a terminal's Ctrl-C does not reach it, and writes its pid file. The command
# inherits neither the stack's lock (9) nor the demo's (8), which must be released when their owners end.
spawn() {
    local service=$1
    shift
    setsid "$@" </dev/null >>"$log_dir/$service.log" 2>&1 8>&- 9>&- &
    record_pid "$service" $!
}

check_tools() {
    if [ -n "$other_kafka" ]; then
        :
    elif [ -n "${KAFKA_HOME:-}" ]; then
        check_apache_kafka
    elif [ ! -x "$tools/bin/tansu" ]; then
        fail "the broker is not installed; run: deploy/local/install"
    fi
    find_redis_server
    find_postgres_bin
}

# --- kafka: Tansu, in memory, or the Apache Kafka in KAFKA_HOME ------------------------------------------------------

# If CHAOS_BROKER_PORT is set, the broker advertises this port, on which a proxy listens.
kafka_start() {
    local host=tcp://127.0.0.1
    if [ -n "${KAFKA_HOME:-}" ]; then
        apache_kafka_start "$1"
        return
    fi
    spawn kafka "$tools/bin/tansu" broker --listener-url "$host:$1" \
        --advertised-listener-url "$host:${CHAOS_BROKER_PORT:-$1}" \
        --storage-engine memory://tansu/ --silent
}

# Prints the kind of broker, so that scripts can reduce the load on Tansu.
broker_name() {
    if [ -n "$other_kafka" ]; then
        printf other
    elif [ -n "${KAFKA_HOME:-}" ]; then
        printf kafka
    else
        printf tansu
    fi
}

kafka_answers() {
    if [ -n "${KAFKA_HOME:-}" ]; then
        # Kafka's tools would start a JVM for each check, so this searches the log.
        grep -q 'Kafka Server started' "$log_dir/kafka.log" && ! port_is_free "$(port_of kafka)"
    else
        "$tools/bin/tansu" topic list --broker "tcp://127.0.0.1:$(port_of kafka)" >/dev/null 2>&1
    fi
}

kafka_prepare() { :; }

kafka_stop_signal() { printf TERM; }

# Deletes the records of Apache Kafka; the broker must not run.
kafka_empty() { rm -rf "$local_dir/kafka"; }

check_apache_kafka() {
    [ -x "$KAFKA_HOME/bin/kafka-server-start.sh" ] \
        || fail "KAFKA_HOME=$KAFKA_HOME has no bin/kafka-server-start.sh; set it to the folder of an unpacked Apache Kafka."
    [ -x "${JAVA_HOME:-}/bin/java" ] || command -v java >/dev/null \
        || fail "Apache Kafka needs Java; install it (apt-get install default-jre-headless) or set JAVA_HOME."
}

# Starts one broker that is its own controller (KRaft).
apache_kafka_start() {
    local port=$1 folder=$local_dir/kafka config=$local_dir/kafka/server.properties controller
    choose_port kafka-controller
    controller=$(port_of kafka-controller)
    mkdir -p "$folder"
    cat >"$config" <<PROPERTIES
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:$controller
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$controller
advertised.listeners=PLAINTEXT://127.0.0.1:${CHAOS_BROKER_PORT:-$port}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs=$folder/data
auto.create.topics.enable=false
group.initial.rebalance.delay.ms=0
offsets.topic.num.partitions=6
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
PROPERTIES
    : >"$log_dir/kafka.log"
    "$KAFKA_HOME/bin/kafka-storage.sh" format --ignore-formatted --cluster-id c2lnaHRsaW5lLWxvY2FsMA --config "$config" \
        >>"$log_dir/kafka.log" 2>&1 8>&- 9>&- || fail "kafka-storage.sh format failed; see $log_dir/kafka.log"
    spawn kafka env LOG_DIR="$log_dir/kafka" KAFKA_HEAP_OPTS="${KAFKA_HEAP_OPTS:--Xms256m -Xmx512m}" \
        "$KAFKA_HOME/bin/kafka-server-start.sh" "$config"
}

# --- redis -----------------------------------------------------------------------------------------------------------

# On Debian and Ubuntu, redis-check-rdb is the same program as redis-server, in a package without a system service.
find_redis_server() {
    redis_program=$(command -v redis-server || command -v redis-check-rdb) \
        || fail "Redis is not installed; run: deploy/local/install"
}

redis_start() {
    mkdir -p "$local_dir/redis"
    # With `exec -a`, redis-check-rdb is called by the name redis-server and then runs as the server.
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
    # Uses the newest version; `sort -V` sorts 9 before 15.
    for folder in $(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V); do
        [ -x "$folder/initdb" ] && postgres_bin=$folder
    done
    if [ -z "$postgres_bin" ]; then
        folder=$(readlink -f "$(command -v initdb)" 2>/dev/null) \
            || fail "Postgres is not installed; run: deploy/local/install"
        postgres_bin=${folder%/*}
    fi
}

# Prints the command that runs Postgres as the user of its package if this user is root, because Postgres does not run
# as root. setpriv replaces itself by the program, so the pid file contains the server's id.
as_postgres() {
    if [ "$(id -u)" -eq 0 ]; then
        printf '%s\n' setpriv --reuid postgres --regid postgres --init-groups env HOME=/
    fi
}

# Prints the data folder. If the Postgres user cannot enter the checkout (under /root), it is a folder in TMPDIR whose
# path is stored in postgres.path. The folder must contain this stack's identity, because a copied postgres.path still
# contains the path of the original's data.
postgres_data() {
    local path_file=$local_dir/postgres.path data
    data=$(cat "$path_file" 2>/dev/null) || true
    if [ -n "$data" ] && [ "$(cat "$data/owner" 2>/dev/null)" = "$(identity_of "$local_dir")" ]; then
        printf '%s' "$data"
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
    identity_of "$local_dir" >"$data/owner"
    printf '%s' "$data" >"$path_file"
    printf '%s' "$data"
}

# Prints the path of the password file for libpq, which only this user can read; its entry applies to every role.
postgres_password_file() {
    local file=$run_dir/pgpass
    if [ ! -s "$file" ]; then
        (umask 077 && printf '127.0.0.1:*:*:*:%s\n' "$(od -An -v -tx1 -N16 /dev/urandom | tr -d ' \n')" >"$file.new")
        mv "$file.new" "$file"
    fi
    printf '%s' "$file"
}

postgres_password() {
    local line
    line=$(<"$(postgres_password_file)")
    printf '%s' "${line##*:}"
}

# Prints the URL of DATABASE for libpq clients, with the path of the password file instead of the password, because other
# users of the machine can read the arguments of a process.
postgres_url() {
    printf 'postgresql://postgres@127.0.0.1:%s/%s?passfile=%s' "$(port_of postgres)" "$1" \
        "$(url_encoded "$(postgres_password_file)")"
}

# Percent-encodes TEXT for a URL.
url_encoded() {
    local LC_ALL=C text=$1 index byte
    for ((index = 0; index < ${#text}; index++)); do
        byte=${text:index:1}
        case $byte in
            [a-zA-Z0-9/._~-]) printf '%s' "$byte" ;;
            *) printf '%%%02X' "'$byte" ;;
        esac
    done
}

# Creates the cluster in DATA. The password is passed in a temporary file that the Postgres user can read.
postgres_create() {
    local data=$1 file=$1/password
    # A killed first start leaves an incomplete cluster.
    rm -rf "$data/cluster"
    (umask 077 && postgres_password >"$file")
    [ "$(id -u)" -ne 0 ] || chown postgres: "$file"
    (cd / && "${run_as[@]}" "$postgres_bin/initdb" --pgdata "$data/cluster" --username postgres --auth scram-sha-256 \
        --pwfile "$file" --encoding UTF8 --locale C --no-sync) >>"$log_dir/postgres.log" 2>&1 9>&- \
        || fail "initdb failed; see $log_dir/postgres.log"
    rm -f "$file"
}

postgres_start() {
    local data flags=() run_as=()
    mapfile -t run_as < <(as_postgres)
    data=$(postgres_data)
    [ -f "$data/cluster/PG_VERSION" ] || postgres_create "$data"
    # A killed server leaves this file behind, and its process id may belong to another process by now.
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
        "$(postgres_url postgres)&connect_timeout=2" --command "$1"
}

postgres_answers() { [ "$(postgres_psql 'SELECT 1' 2>/dev/null)" = 1 ]; }

postgres_prepare() {
    [ "$(postgres_psql "SELECT 1 FROM pg_database WHERE datname = 'sightline'")" = 1 ] \
        || postgres_psql 'CREATE DATABASE sightline'
}

# SIGINT requests a fast shutdown: Postgres closes connections and writes its data.
postgres_stop_signal() { printf INT; }

# Deletes data outside of .local when the stack stops, because users would not look for it there.
postgres_forget() {
    local data
    [ -f "$local_dir/postgres.path" ] || return 0
    data=$(<"$local_dir/postgres.path")
    case $data in
        */sightline-postgres.??????)
            [ "$(cat "$data/owner" 2>/dev/null)" != "$(identity_of "$local_dir")" ] || rm -rf "$data"
            rm -f "$local_dir/postgres.path"
            ;;
    esac
}
