# shellcheck shell=bash
# Points of deploy/local/newcomer, each a function named point_NAME; sourced.

: "${SIGHTLINE_LOCAL_DIR:?is not set; run deploy/local/newcomer instead}"
# Folder for the files of the points.
files=$SIGHTLINE_LOCAL_DIR/files

# Runs a command and requires exit code CODE; prints its output and stores it in `output`.
must() {
    local expected=$1 code=0
    shift
    printf '$ %s\n' "$*"
    output=$("$@" 2>&1) || code=$?
    printf '%s\n' "$output"
    if ((code != expected)); then
        echo "exit code $code instead of $expected: $*"
        return 1
    fi
}

# Requires that the output of the last command contains each TEXT.
has() {
    local text
    for text in "$@"; do
        [[ $output == *"$text"* ]] || { echo "missing: $text" && return 1; }
    done
}

# Requires that the output of the last command does not contain any TEXT.
lacks() {
    local text
    for text in "$@"; do
        [[ $output != *"$text"* ]] || { echo "unexpected: $text" && return 1; }
    done
}

# Repeats a command until it succeeds; fails after SECONDS seconds.
eventually() {
    local deadline=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        if ((SECONDS >= deadline)); then
            echo "did not succeed in time: $*"
            "$@"
            return 1
        fi
        sleep 0.3
    done
}

# Whether the output of a command contains TEXT.
prints() { [[ $("${@:2}") == *"$1"* ]]; }

# Requires that lines of the last output have at most COLUMNS characters.
fits() {
    local line
    while IFS= read -r line; do
        ((${#line} <= $1)) || { echo "${#line} columns are more than $1: $line" && return 1; }
    done <<<"$output"
}

address_of() { deploy/local/workers status | awk -v name="$1" '$1 == name { print $3 }'; }

# Prints the path of a Python with the Kafka client of docs/send-your-own.md.
python_with_client() {
    local folder=$SIGHTLINE_LOCAL_DIR/python
    if [[ ! -x $folder/bin/python3 ]] || ! "$folder/bin/python3" -c "import confluent_kafka" 2>/dev/null; then
        python3 -m venv "$folder" >&2
        "$folder/bin/python3" -m pip install --quiet --disable-pip-version-check confluent-kafka >&2
    fi
    printf '%s' "$folder/bin/python3"
}

# Sends the lines TOPIC<tab>KEY<tab>VALUE of standard input with the given librdkafka settings NAME=VALUE.
send_lines() {
    local python
    python=$(python_with_client)
    # shellcheck source=/dev/null
    (source "$SIGHTLINE_LOCAL_DIR/run/env" && "$python" -c '
import os, sys
from confluent_kafka import Producer
settings = dict(word.split("=", 1) for word in sys.argv[1:])
producer = Producer({"bootstrap.servers": os.environ["KAFKA_BOOTSTRAP_SERVERS"], **settings})
for line in sys.stdin:
    topic, key, value = line.rstrip("\n").split("\t")
    producer.produce(topic, key=key, value=value)
sys.exit(producer.flush(30))' "$@")
}

now_ms() { date +%s%3N; }

# Prints a CSV drive of 15 fixes that ended a second ago: drive HEADER FORMAT, with a time format of date(1).
drive() {
    local header=$1 format=$2 second began
    began=$(($(date +%s) - 16))
    echo "$header"
    for second in $(seq 15); do
        printf 'newcomer_drive,%s,%s,11.5755,5,11.1,0\n' "$(date -u -d "@$((began + second))" "+$format")" \
            "$(awk -v s="$second" 'BEGIN { printf "%.6f", 48.1 + s * 0.0001 }')"
    done
}

point_build() {
    must 0 deploy/local/install
    must 0 deploy/local/build
    [[ -z ${SIGHTLINE_LOCAL_BIN:-} ]] || return 0
    has "Building: "
    # A second build, at a terminal and in a pipe, compiles nothing.
    must 0 script -qec "swift build -c release --no-color-diagnostics --product sightline" /dev/null
    lacks Compiling Linking
    must 0 swift build -c release --no-color-diagnostics --product sightline
    lacks Compiling Linking
}

point_prebuilt() {
    local program folder
    program=${SIGHTLINE_LOCAL_BIN:-$root/.build/release}/sightline
    must 0 deploy/release --program "$program" --output "$files/release"
    must 0 tar -xzf "$files"/release/sightline-*.tar.gz -C "$files/release"
    folder=$(find "$files/release" -mindepth 1 -maxdepth 1 -type d)
    unset SIGHTLINE_LOCAL_BIN
    export SIGHTLINE_PREBUILT=$folder
    must 0 deploy/local/build
    has "nothing is built"
    must 0 deploy/sl --help
    has "dead-letters" "nearest"
}

point_environment() {
    local program=${SIGHTLINE_LOCAL_BIN:-$root/.build/release}/sightline
    # Skipped if a broker listens at the default address.
    if ! (exec 3<>/dev/tcp/127.0.0.1/9092) 2>/dev/null; then
        must 1 deploy/local/workers start
        has "Start one: deploy/local/stack start" "KAFKA_BOOTSTRAP_SERVERS"
        must 1 env LD_LIBRARY_PATH="$root/.local/lib" "$program" topics list
        has "set KAFKA_BOOTSTRAP_SERVERS" "deploy/sl"
    fi
    must 1 env LD_LIBRARY_PATH="$root/.local/lib" KAFKA_BOOTSTRAP_SERVERS=127.0.0.1:1 "$program" topics list
    has "check KAFKA_BOOTSTRAP_SERVERS" "127.0.0.1:1"
    lacks "version < 0.10"
}

point_stack() {
    local before after
    start_pipeline
    before=$(sort "$SIGHTLINE_LOCAL_DIR/run/env")
    must 0 deploy/local/workers status
    has ready
    must 0 deploy/local/stack stop
    must 0 deploy/local/workers status
    lacks ready
    start_pipeline
    after=$(sort "$SIGHTLINE_LOCAL_DIR/run/env")
    [[ $before == "$after" ]] || { echo "the addresses changed" && diff <(echo "$before") <(echo "$after"); }
}

point_workers() {
    start_pipeline
    must 0 deploy/local/workers start location-worker=3
    has "starting location-worker-2 location-worker-3" "is ready ("
    must 0 deploy/local/workers status
    [[ $(grep -c '^location-worker' <<<"$output") == 3 ]] || { echo "expected three location-workers" && return 1; }
    must 0 deploy/local/workers stop location-worker-2 location-worker-3
}

point_own_records() {
    local python
    start_pipeline
    python=$(python_with_client)
    # shellcheck source=/dev/null
    (source "$SIGHTLINE_LOCAL_DIR/run/env" && "$python" Examples/send.py Examples/messages.jsonl)
    eventually 60 prints WRONG_TYPE deploy/sl dead-letters --json
    must 0 timeout 60 deploy/sl tail driver.locations --from-beginning --count 10 --json
    has '"accepted"' '"duplicate"' '"late"' '"rejected"' MOCK_LOCATION
    must 0 timeout 60 deploy/sl tail rider.updates --from-beginning --trip tr_4e5f --count 3
    eventually 60 prints TRIP_NOT_FOUND timeout 20 deploy/sl tail trips.dead-letter --from-beginning --count 2
}

point_misplaced() {
    local key
    start_pipeline
    for key in $(seq 20); do
        printf 'trips\tnew_%s\t{"trip_id":"tr_new_%s","driver_id":"new_%s","state":"REQUESTED","changed_at":%s}\n' \
            "$key" "$key" "$key" "$(now_ms)"
    done | send_lines # with librdkafka's default partitioner
    eventually 60 prints misplaced_keys curl -fsS "$(address_of eta-worker-1)/readyz"
    must 0 curl -fsS "$(address_of eta-worker-1)/readyz"
    has '"advice":' partitioner=murmur2_random
    must 0 curl -fsS "$(address_of eta-worker-1)/metrics"
    has 'sightline_keys_misplaced_total{stage="eta",topic="trips"}'
    must 0 grep murmur2_random "$SIGHTLINE_LOCAL_DIR/log/eta-worker-1.log"
    has '"topic":"trips"' key_partition
    must 0 grep -c murmur2_random "$SIGHTLINE_LOCAL_DIR/log/eta-worker-1.log"
    ((output <= 6)) || { echo "the warning's rate is not limited" && return 1; }
}

point_unreadable() {
    start_pipeline
    printf 'time,lat,lon\n2026-03-14T18:32:15Z,91,11.5\n2026-03-14T18:32:16Z,48.1,11.5\nsoon,48.1,11.5\n' >"$files/some.csv"
    must 0 deploy/sl process --input "$files/some.csv" --output "$files/some.ndjson"
    has "some.csv, line 2, column 2: lat 91 is outside -90 to 90" "line 4, column 1: time" "1 record read, 2 left out"
    printf 'time,lat,lon\nsoon,48.1,11.5\n' >"$files/none.csv"
    must 1 deploy/sl process --input "$files/none.csv" --output "$files/none.ndjson"
    has "none.csv: expected CSV with columns"
    must 1 deploy/sl replay "$files/none.csv" --speed max
    must 1 deploy/sl process --input "$files/absent.csv" --output "$files/none.ndjson"
    has "absent.csv"
}

point_recordings() {
    local name
    drive driver_id,time,lat,lon,accuracy_m,speed_mps,heading_deg %Y-%m-%dT%H:%M:%SZ >"$files/iso.csv"
    drive driver_id,timestamp,lat,lon,accuracy_m,speed_mps,heading_deg %s >"$files/seconds.csv"
    drive driver_id,timestamp_ms,lat,lon,accuracy_m,speed_mps,heading_deg %s000 >"$files/milliseconds.csv"
    awk -F, 'BEGIN { print "<gpx><trk><name>newcomer_drive</name><trkseg>" }
        NR > 1 { printf "<trkpt lat=\"%s\" lon=\"%s\"><time>%s</time></trkpt>\n", $3, $4, $2 }
        END { print "</trkseg></trk></gpx>" }' "$files/iso.csv" >"$files/drive.gpx"
    for name in iso.csv seconds.csv milliseconds.csv drive.gpx; do
        must 0 deploy/sl process --input "$files/$name" --output "$files/$name.ndjson"
        [[ $(wc -l <"$files/$name.ndjson") == 15 ]] || { echo "$name: not 15 verdicts" && return 1; }
        must 0 cat "$files/$name.ndjson"
        lacks '"rejected"'
    done
}

point_replay_again() {
    start_pipeline
    drive driver_id,time,lat,lon,accuracy_m,speed_mps,heading_deg %Y-%m-%dT%H:%M:%SZ >"$files/again.csv"
    must 0 deploy/sl replay "$files/again.csv" --speed max
    has session
    # Waits until the drive of 15 s is over, because overlapping drives would give the driver two positions.
    sleep 16
    must 0 deploy/sl replay "$files/again.csv" --speed max
    must 0 timeout 60 deploy/sl tail driver.locations --from-beginning --driver newcomer_drive --count 30 --json
    lacks '"rejected"' '"duplicate"' '"late"' FLAGGED
}

point_dead_letters() {
    start_pipeline
    printf 'driver.locations.raw\tnew_dead\t{"driver_id":"new_dead","latitude":"48.1","longitude":11.5,"timestamp":%s}\n' \
        "$(now_ms)" | send_lines partitioner=murmur2_random
    must 0 timeout 60 deploy/sl tail driver.locations.dead-letter --from-beginning --driver new_dead --count 1
    has reason field of_offset WRONG_TYPE latitude
    must 0 timeout 60 deploy/sl tail driver.locations.dead-letter --from-beginning --reason WRONG_TYPE --count 1 --json
    has '"reason":"WRONG_TYPE"' '"source"' '"offset"'
    must 0 deploy/sl dead-letters --last 1h
    has WRONG_TYPE "since"
    must 64 deploy/sl dead-letters --last 5
    has "5 has no unit; use 5s, 5min, 5h or 5d"
}

point_words() {
    local list
    start_pipeline
    list=$(printf '{"latitude":48.1,"longitude":11.5,"timestamp":1},%.0s' $(seq 501))
    {
        printf 'driver.locations.raw\tnew_words\t{"driver_id":"new_words","latitude":91,"longitude":1,"timestamp":%s}\n' "$(now_ms)"
        printf 'driver.locations.raw\tnew_words\t{"driver_id":"new_words","type":"location_batch","locations":[%s]}\n' "${list%,}"
        for state in REQUESTED COMPLETED; do
            printf 'trips\tnew_words\t{"trip_id":"tr_words","driver_id":"new_words","state":"%s","changed_at":%s}\n' \
                "$state" "$(now_ms)"
        done
    } | send_lines partitioner=murmur2_random
    eventually 60 prints INVALID_TRANSITION deploy/sl dead-letters --json
    must 0 deploy/sl dead-letters --last 1h
    has "latitude 91 is outside -90 to 90" "The batch has 501 fixes; at most 500 are allowed" \
        "REQUESTED → COMPLETED is not allowed; expected"
    printf 'a,b\n1,2\n' >"$files/own.gpx"
    must 1 deploy/sl process --input "$files/own.gpx" --output "$files/own.ndjson"
    has "own.gpx: expected CSV with columns"
}

point_history() {
    local columns
    start_pipeline
    drive driver_id,time,lat,lon,accuracy_m,speed_mps,heading_deg %Y-%m-%dT%H:%M:%SZ \
        | sed '1s/$/,trace_id/; 2,$s/$/,tr_unrecorded/; s/newcomer_drive/new_history/' >"$files/unrecorded.csv"
    must 0 deploy/sl replay "$files/unrecorded.csv" --speed max
    # A replay gives the recording's trip a new id.
    eventually 60 prints '15 fixes' deploy/sl history driver-track new_history --last 1h
    must 0 deploy/sl history driver-track new_history --last 1h
    has "15 fixes" "Z "
    [[ $output =~ tr_unrecorded-[a-z0-9]+ ]]
    must 0 deploy/sl history trip-path "${BASH_REMATCH[0]}"
    has "15 positions"
    must 0 deploy/sl history trip-path tr_nowhere
    has "There is no trip record of tr_nowhere" "received from" "--last 7d"
    for columns in 42 80; do
        must 0 script -qec "stty cols $columns; deploy/sl history driver-track new_history --last 1h" /dev/null
        output=$(sed 's/\x1b\[[0-9;]*m//g; s/\r$//' <<<"$output")
        fits "$columns"
    done
}

point_arguments() {
    local port
    start_pipeline
    must 0 deploy/sl simulate --center -33.86,151.2 --drivers 2 --seconds 20 --csv "$files/south.csv"
    must 0 deploy/sl history near --latitude -33.86 --longitude 151.2 --last 5min
    must 64 deploy/sl history near --latitude -33.86 --longitude 151.2 --last 5
    has "5 has no unit"
    must 64 deploy/sl history driver-track new_1 --from 2026-03-02 --to 2026-03-01
    has "Usage: sightline history driver-track"
    port=$(<"$SIGHTLINE_LOCAL_DIR/run/redis.port")
    must 78 env SIGHTLINE_HTTP_HOST=127.0.0.1 SIGHTLINE_HTTP_PORT="$port" \
        "$(program_named location-worker)"
    has "cannot listen on 127.0.0.1:$port" SIGHTLINE_HTTP_PORT
}

point_settings() {
    must 0 env LD_LIBRARY_PATH="$root/.local/lib" KAFKA_SOCKET_KEEPALIVE_ENABLE=true \
        "$(program_named eta-worker)" --check-config
    has KAFKA_SOCKET_KEEPALIVE_ENABLE=true
    must 78 env LD_LIBRARY_PATH="$root/.local/lib" KAFKA_SOCKET_KEEPALIVE_ENABL=true \
        "$(program_named eta-worker)" --check-config
    has KAFKA_SOCKET_KEEPALIVE_ENABL
    start_pipeline
    must 0 grep -c '"KAFKA_CLIENT_ID=\|KAFKA_CLIENT_ID=' "$SIGHTLINE_LOCAL_DIR/log/location-worker-1.log"
    ((output == 1)) || { echo "expected one line of settings, not $output" && return 1; }
}

point_nearest() {
    start_pipeline
    {
        printf 'driver.locations.raw\tnew_south\t{"driver_id":"new_south","latitude":-33.8601,"longitude":151.2001,"timestamp":%s,"accuracy":5}\n' "$(now_ms)"
        # On opposite sides of the corner of four cells.
        printf 'driver.locations.raw\tnew_east\t{"driver_id":"new_east","latitude":51.3282,"longitude":0.0002,"timestamp":%s,"accuracy":5}\n' "$(now_ms)"
        printf 'driver.locations.raw\tnew_west\t{"driver_id":"new_west","latitude":51.3280,"longitude":-0.0002,"timestamp":%s,"accuracy":5}\n' "$(now_ms)"
    } | send_lines partitioner=murmur2_random
    eventually 60 prints new_south deploy/sl nearest -33.86,151.2 --radius 500
    eventually 60 prints new_west deploy/sl nearest 51.328125,0 --radius 500
    must 0 deploy/sl nearest 51.328125,0 --radius 500
    has new_east new_west
}

point_smoothing() {
    start_pipeline
    must 0 deploy/sl process --input Examples/ride.csv --trips Examples/ride-trips.jsonl --output "$files/verdicts.ndjson" \
        --etas "$files/etas.ndjson" --updates "$files/updates.ndjson"
    has "1088 verdicts" "1095 arrival times" "m raw, " "m smoothed" "within the predicted interval"
}

point_demo_keep() {
    local command commands address link
    stop_pipeline
    deploy/demo --seconds 20 --drivers 40 --keep >"$files/demo.txt" 2>&1 &
    eventually 240 grep -q "To stop: " "$files/demo.txt"
    cat "$files/demo.txt"
    grep -qx "No differences." "$files/demo.txt"
    mapfile -t commands < <(grep -A 1 '^  # ' "$files/demo.txt" | grep -v '^  # \|^--')
    ((${#commands[@]} == 5)) || { echo "${#commands[@]} commands instead of 5" && return 1; }
    for command in "${commands[@]}"; do must 0 bash -euc "$command"; done
    mapfile -t address < <(grep '^  http.*/metrics$' "$files/demo.txt")
    for link in "${address[@]}"; do must 0 curl -fsS -o /dev/null "${link// /}"; done
    must 0 deploy/demo --stop
    has Stopped.
    wait
}

# Prints the path of a link through which the program runs as the worker NAME.
program_named() {
    ln -sfn "${SIGHTLINE_LOCAL_BIN:-$root/.build/release}/sightline" "$files/$1"
    printf '%s' "$files/$1"
}
