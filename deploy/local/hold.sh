# shellcheck shell=bash
# The folder of a stack's state, which belongs to one checkout, and one start of workers at a time in it; sourced. Two in
# one folder would end each other's workers.

# What names the folder FOLDER itself, and no copy of it: device and inode. A path stays the same in a copy that takes the
# place of its original.
identity_of() { stat -c %d:%i "$1"; }

# Forgets in the folder STATE what another folder's stack wrote: in a copied checkout, processes, ports, addresses and
# data are those of the original.
forget_copied_state() {
    local state=$1 owner=$1/run/owner
    # shellcheck disable=SC2094 # The folder is the lock; its files are read and written.
    (
        flock 7
        [[ $(cat "$owner" 2>/dev/null) != "$(identity_of "$state")" ]] || exit 0
        if [[ -s $owner ]]; then
            echo "$state is a copy of another stack's folder; what it says of that stack's processes and data is deleted." >&2
        fi
        rm -rf "$state/run" "$state/postgres.path"
        mkdir -p "$state/run"
        identity_of "$state" >"$owner"
    ) 7<"$state"
}

# The folder of state, whole.
local_state() {
    local folder=${SIGHTLINE_LOCAL_DIR:-$1/.local}
    mkdir -p "$folder"
    folder=$(cd "$folder" && pwd)
    forget_copied_state "$folder"
    printf '%s\n' "$folder"
}

# Whether another process holds the folder STATE.
is_held() {
    [[ ${SIGHTLINE_LOCAL_HOLDER:-} != "$1" ]] && ! (exec 8>>"$1/run/holder" && flock --nonblock 8)
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
