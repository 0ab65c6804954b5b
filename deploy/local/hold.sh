# shellcheck shell=bash
# State folder of a stack, and its lock: only one demo or start of workers may use the folder, because two would end
# each other's workers. Sourced.

# Prints device and inode of FOLDER; a copy that replaces the original has the same path, but another inode.
identity_of() { stat -c %d:%i "$1"; }

# Deletes pid files, ports, addresses and data paths in the folder STATE if it is a copy; they belong to the original.
delete_copied_state() {
    local state=$1 owner=$1/run/owner
    # shellcheck disable=SC2094 # Descriptor 7 only locks the folder; files in it are read and written.
    (
        flock 7
        [[ $(cat "$owner" 2>/dev/null) != "$(identity_of "$state")" ]] || exit 0
        if [[ -s $owner ]]; then
            echo "$state is a copy of another stack's folder; deleting its references to that stack's processes and data." >&2
        fi
        rm -rf "$state/run" "$state/postgres.path"
        mkdir -p "$state/run"
        identity_of "$state" >"$owner"
    ) 7<"$state"
}

# Creates the state folder of the checkout ROOT and prints its absolute path.
local_state() {
    local folder=${SIGHTLINE_LOCAL_DIR:-$1/.local}
    mkdir -p "$folder"
    folder=$(cd "$folder" && pwd)
    delete_copied_state "$folder"
    printf '%s\n' "$folder"
}

# Whether another process holds the lock of the folder STATE.
is_held() {
    [[ ${SIGHTLINE_LOCAL_HOLDER:-} != "$1" ]] && ! (exec 8>>"$1/run/holder" && flock --nonblock 8)
}

# Locks the folder STATE for NAME; exits with 2 if another process has the lock. The kernel releases it when this
# process and all children that inherit descriptor 8 have ended. Processes that the holder starts do not lock it again.
hold_state() {
    local state=$1 name=$2 holder=""
    [[ ${SIGHTLINE_LOCAL_HOLDER:-} != "$state" ]] || return 0
    exec 8>>"$state/run/holder"
    if ! flock --nonblock 8; then
        IFS= read -r holder <"$state/run/holder" || true
        cat >&2 <<TEXT
$name: ${holder:-another start} is already running in $state.
To stop it: Ctrl-C in its terminal${holder:+, or kill ${holder##* }}. To run another one with separate services:
  SIGHTLINE_LOCAL_DIR=$state/second $0 …
TEXT
        exit 2
    fi
    echo "$name, process $$" >"$state/run/holder"
    export SIGHTLINE_LOCAL_HOLDER=$state
}
