# shellcheck shell=bash
# Where the programs are, and the addresses that they use; sourced.

# The folder of the program `sightline`: SIGHTLINE_LOCAL_BIN, that of an unpacked release (SIGHTLINE_PREBUILT), or that of
# the build in the checkout ROOT.
programs_folder() {
    if [[ -n ${SIGHTLINE_LOCAL_BIN:-} ]]; then
        printf '%s' "$SIGHTLINE_LOCAL_BIN"
    elif [[ -n ${SIGHTLINE_PREBUILT:-} ]]; then
        printf '%s' "$(realpath -m "$SIGHTLINE_PREBUILT")/bin"
    else
        printf '%s' "$1/.build/release"
    fi
}

# Takes the addresses of the stack that runs in the folder STATE, if one does, and the client library of the checkout
# ROOT. An address that the environment gives already stays.
load_addresses() {
    local root=$1 state=$2 name
    local -A given=()
    for name in KAFKA_BOOTSTRAP_SERVERS REDIS_URL POSTGRES_URL; do
        [[ -z ${!name:-} ]] || given[$name]=${!name}
    done
    if [[ -r $state/run/env ]]; then
        # shellcheck source=/dev/null
        source "$state/run/env"
    else
        export LD_LIBRARY_PATH=$root/.local/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    fi
    for name in "${!given[@]}"; do export "$name=${given[$name]}"; done
}
