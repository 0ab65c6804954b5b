# shellcheck shell=bash
# One start of workers at a time in a folder of state; sourced. Two in one folder would end each other's workers.

# The folder of state, whole.
local_state() {
    local folder=${SIGHTLINE_LOCAL_DIR:-$1/.local}
    mkdir -p "$folder/run"
    (cd "$folder" && pwd)
}

# Holds the folder STATE for WHAT until this process and those it starts have ended; exit code 2 where another holds it.
# The kernel gives it free, whatever way they end. A process that is started by the holder holds nothing itself.
hold_state() {
    local state=$1 what=$2 holder=""
    [[ ${SIGHTLINE_LOCAL_HOLDER:-} != "$state" ]] || return 0
    exec 8>>"$state/run/holder"
    if ! flock --nonblock 8; then
        IFS= read -r holder <"$state/run/holder" || true
        cat >&2 <<TEXT
$what: ${holder:-another start} runs already in $state.
To stop it: Ctrl-C in its terminal${holder:+, or kill ${holder##* }}. To run this one beside it, with services of its own:
  SIGHTLINE_LOCAL_DIR=$state/second $0 …
TEXT
        exit 2
    fi
    echo "$what, process $$" >"$state/run/holder"
    export SIGHTLINE_LOCAL_HOLDER=$state
}
